EXTRA_DIST += \
    scripts/ci \
    scripts/common \
    scripts/coverage \
    scripts/python-test \
    scripts/test \
    scripts/try
