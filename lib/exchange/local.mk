libbaton_internal_la_SOURCES += \
    lib/exchange/dlpack.c \
    lib/exchange/dlpack.h
