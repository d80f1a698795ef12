libbaton_internal_la_SOURCES += \
    lib/driver/arithmetic.h \
    lib/driver/arithmetic_kernels.h \
    lib/driver/arithmetic_ptx.h \
    lib/driver/builtin.h \
    lib/driver/builtin_ptx.h \
    lib/driver/cast_kernels.h \
    lib/driver/cast_lanes.h \
    lib/driver/cast_steps.h \
    lib/driver/cuda.c \
    lib/driver/cuda_builtin.c \
    lib/driver/driver.c \
    lib/driver/driver.h \
    lib/driver/instrument.c \
    lib/driver/instrument.h \
    lib/driver/nvrtc.c \
    lib/driver/nvrtc.h \
    lib/driver/nvrtc_compile.c \
    lib/driver/table.h \
    lib/driver/types.h

EXTRA_DIST += \
    lib/driver/arithmetic.cu \
    lib/driver/builtin.cu
