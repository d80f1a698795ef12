# Bindings list their files here.
