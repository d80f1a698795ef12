libbaton_internal_la_SOURCES += \
    lib/work/builtin.c \
    lib/work/builtin.h \
    lib/work/capture.c \
    lib/work/captured.c \
    lib/work/compile.c \
    lib/work/compile.h \
    lib/work/compile_key.c \
    lib/work/copy.c \
    lib/work/dot.c \
    lib/work/fill.c \
    lib/work/gate.c \
    lib/work/graph.c \
    lib/work/graph.h \
    lib/work/image.c \
    lib/work/image.h \
    lib/work/kernel.c \
    lib/work/launch.c \
    lib/work/launch.h \
    lib/work/launch_extended.c \
    lib/work/managed.c \
    lib/work/managed.h \
    lib/work/module.c \
    lib/work/module.h \
    lib/work/resize.c \
    lib/work/submit.c \
    lib/work/submit.h \
    lib/work/transfer.c
