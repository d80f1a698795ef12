EXTRA_DIST += \
    scripts/abi \
    scripts/ci \
    scripts/common \
    scripts/julia-test \
    scripts/lua-bundle \
    scripts/lua-test \
    scripts/coverage \
    scripts/fuzz \
    scripts/gpu \
    scripts/make-ptx \
    scripts/nvrtc-ptx \
    scripts/python-test \
    scripts/test \
    scripts/try
