libbaton_internal_la_SOURCES += \
    lib/array/array.c \
    lib/array/array.h \
    lib/array/dtype.c \
    lib/array/dtype.h \
    lib/array/layout.c \
    lib/array/layout.h \
    lib/array/layout_order.c \
    lib/array/layout_view.c \
    lib/array/life.c \
    lib/array/overlap.c \
    lib/array/place.c \
    lib/array/place.h \
    lib/array/use.c
