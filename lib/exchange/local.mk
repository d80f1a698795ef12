libbaton_internal_la_SOURCES += \
    lib/exchange/arrow.h \
    lib/exchange/arrow_export.c \
    lib/exchange/arrow_import.c \
    lib/exchange/claim.c \
    lib/exchange/claim.h \
    lib/exchange/dlpack.h \
    lib/exchange/dlpack_export.c \
    lib/exchange/dlpack_import.c \
    lib/exchange/interface.c
