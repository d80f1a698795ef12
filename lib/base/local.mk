libbaton_internal_la_SOURCES += \
    lib/base/abi.c \
    lib/base/bytes.c \
    lib/base/bytes.h \
    lib/base/copies.c \
    lib/base/deferred.c \
    lib/base/deferred.h \
    lib/base/handle.c \
    lib/base/handle.h \
    lib/base/lock.c \
    lib/base/lock.h \
    lib/base/options.c \
    lib/base/options.h \
    lib/base/process.c \
    lib/base/process.h \
    lib/base/status.c \
    lib/base/status.h \
    lib/base/store.c \
    lib/base/store.h \
    lib/base/store_trim.c \
    lib/base/trace.c \
    lib/base/trace.h
