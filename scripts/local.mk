EXTRA_DIST += \
    scripts/ci \
    scripts/common \
    scripts/coverage \
    scripts/gpu \
    scripts/make-ptx \
    scripts/nvrtc-ptx \
    scripts/test \
    scripts/try
