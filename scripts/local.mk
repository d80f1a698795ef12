EXTRA_DIST += \
    scripts/ci \
    scripts/common \
    scripts/lua-test \
    scripts/coverage \
    scripts/test \
    scripts/try
