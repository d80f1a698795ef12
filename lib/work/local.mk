libbaton_internal_la_SOURCES += \
    lib/work/builtin.c \
    lib/work/builtin.h \
    lib/work/capture.c \
    lib/work/captured.c \
    lib/work/cast.c \
    lib/work/copy.c \
    lib/work/dot.c \
    lib/work/elements.c \
    lib/work/elements.h \
    lib/work/elementwise.c \
    lib/work/fill.c \
    lib/work/gate.c \
    lib/work/graph.c \
    lib/work/graph.h \
    lib/work/launch.c \
    lib/work/managed.c \
    lib/work/managed.h \
    lib/work/module.c \
    lib/work/module.h \
    lib/work/range.c \
    lib/work/resize.c \
    lib/work/submit.c \
    lib/work/submit.h \
    lib/work/transfer.c
