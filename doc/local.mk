dist_doc_DATA += \
    doc/design.md \
    doc/embedding.md \
    doc/exchange.md \
    doc/interop.md \
    doc/locking.md \
    doc/memory.md \
    doc/modules.md \
    doc/performance.md \
    doc/performance-goals.svg \
    doc/performance-peers.svg \
    doc/reliability.md \
    doc/rules.md \
    doc/testing.md
