libbaton_internal_la_SOURCES += \
    lib/stream/capture.c \
    lib/stream/capture.h \
    lib/stream/capture_follow.c \
    lib/stream/capture_parts.h \
    lib/stream/capture_set.c \
    lib/stream/clock.c \
    lib/stream/clock.h \
    lib/stream/device.c \
    lib/stream/device.h \
    lib/stream/fault.c \
    lib/stream/fence.c \
    lib/stream/fence.h \
    lib/stream/order.c \
    lib/stream/order.h \
    lib/stream/registry.c \
    lib/stream/runtime.c \
    lib/stream/runtime.h \
    lib/stream/stats.c \
    lib/stream/stream.c \
    lib/stream/stream.h \
    lib/stream/submission.c \
    lib/stream/ticket.c \
    lib/stream/wait.c \
    lib/stream/wait.h \
    lib/stream/watch.c \
    lib/stream/watch.h
