EXTRA_DIST += \
    scripts/ci \
    scripts/common \
    scripts/coverage \
    scripts/test \
    scripts/try
