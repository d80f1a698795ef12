# counts: exact numbers of driver calls per operation, part of "make check". times: wall-clock figures, only for "make bench".
check_PROGRAMS += bench/counts
TESTS += bench/counts
EXTRA_PROGRAMS = bench/times
# load: many tasks on many arrays. test/load.sh runs it small.
check_PROGRAMS += bench/load

bench_kernels = bench/kernels.c bench/kernels.h bench/kernels_ptx.h
bench_counts_SOURCES = bench/counts.c bench/heap.c bench/heap.h $(bench_kernels)
bench_counts_LDADD = libbaton_internal.la
bench_load_SOURCES = bench/load.c bench/load.h bench/load_cells.c bench/load_report.c bench/load_steps.c bench/load_waits.c $(bench_kernels)
bench_load_LDADD = libbaton_internal.la
bench_load_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=lock_acquire
bench_times_SOURCES = \
    bench/bench.h \
    bench/measure.c \
    bench/quiet.c \
    bench/quiet.h \
    bench/times.c \
    bench/times_devices.c \
    bench/times_elementwise.c \
    bench/times_fan.c \
    bench/times_graph.c \
    bench/times_hold.c \
    bench/times_launch.c \
    bench/times_memory.c \
    bench/times_rows.c \
    bench/times_streams.c \
    bench/times_wait.c \
    bench/world.c \
    $(bench_kernels)
bench_times_LDADD = libbaton_internal.la

EXTRA_DIST += bench/kernels.cu bench/lua/launch.lua bench/lua/raw.c bench/peers.py bench/peers_libraries.py bench/plot.py
CLEANFILES += $(EXTRA_PROGRAMS) test/programs

# BENCH_FLAGS: --quick, --json FILE, --driver NAME, ids of scenarios.
bench: bench/counts$(EXEEXT) bench/times$(EXEEXT)
	bench/counts$(EXEEXT)
	bench/times$(EXEEXT) $(BENCH_FLAGS)

# Beside PyTorch, CuPy and cuda.core, as far as this Python has them. PEERS_FLAGS: --quick, --json FILE, rows.
PYTHON = python3
bench-peers: bench/times$(EXEEXT)
	$(PYTHON) $(top_srcdir)/bench/peers.py --times bench/times$(EXEEXT) $(PEERS_FLAGS)

.PHONY: bench-peers
