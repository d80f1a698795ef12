bin_PROGRAMS += baton
baton_SOURCES = \
    tools/baton.c \
    tools/demo.c \
    tools/demo.h \
    tools/demo_device.c \
    tools/demo_graph.c \
    tools/demo_kernels.c \
    tools/demo_kernels_ptx.h \
    tools/demo_pipeline.c \
    tools/demo_reference.c \
    tools/demo_report.c \
    tools/info.c \
    tools/netpbm.h \
    tools/netpbm_read.c \
    tools/netpbm_write.c \
    tools/progress.c \
    tools/progress.h \
    tools/queue.c \
    tools/queue.h \
    tools/timeline.c \
    tools/timeline.h \
    tools/tools.h
baton_LDADD = libbaton.la

EXTRA_DIST += tools/demo_kernels.cu
