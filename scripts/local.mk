EXTRA_DIST += \
    scripts/ci \
    scripts/common \
    scripts/lua-bundle \
    scripts/lua-test \
    scripts/coverage \
    scripts/test \
    scripts/try
