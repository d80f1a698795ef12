libbaton_internal_la_SOURCES += \
    lib/memory/cache.c \
    lib/memory/cache.h \
    lib/memory/cache_parts.h \
    lib/memory/cache_take.c \
    lib/memory/export.c \
    lib/memory/export.h \
    lib/memory/export_event.c \
    lib/memory/export_parts.h \
    lib/memory/foreign.c \
    lib/memory/foreign.h \
    lib/memory/memory.c \
    lib/memory/memory.h \
    lib/memory/memory_parts.h \
    lib/memory/operation.c \
    lib/memory/operation.h \
    lib/memory/operation_collect.c \
    lib/memory/operation_extend.c \
    lib/memory/operation_finish.c \
    lib/memory/operation_parts.h \
    lib/memory/pool.c \
    lib/memory/pool.h \
    lib/memory/retire.c \
    lib/memory/take.c \
    lib/memory/take.h \
    lib/memory/uses.c
