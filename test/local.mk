# Every test program is one file with a main of its own. To add test/NAME.c, add test/NAME here.
TESTS_C = \
    test/adopt \
    test/alloc_try \
    test/arithmetic_kernels \
    test/arrays \
    test/arrow \
    test/arrow_hostile \
    test/arrow_order \
    test/cache \
    test/cache_bytes \
    test/cast \
    test/clock \
    test/close \
    test/compile \
    test/compile_cache \
    test/compile_device \
    test/compile_faults \
    test/conformance_capture \
    test/conformance_child \
    test/conformance_context \
    test/conformance_event \
    test/conformance_forbid \
    test/conformance_fork \
    test/conformance_graph \
    test/conformance_idle \
    test/conformance_look \
    test/conformance_memory \
    test/conformance_peer \
    test/conformance_peer_event \
    test/conformance_stream \
    test/conformance_work \
    test/copy \
    test/cost \
    test/covered \
    test/deferred \
    test/descriptors \
    test/device \
    test/dlpack \
    test/dlpack_export \
    test/dlpack_ways \
    test/driver_builtin \
    test/driver_hostile \
    test/driver_open \
    test/driver_table \
    test/dtype \
    test/elementwise \
    test/elementwise_use \
    test/errors \
    test/escaped \
    test/exchange_ends \
    test/exits \
    test/export \
    test/faults \
    test/fence \
    test/fibers \
    test/fill \
    test/foreign \
    test/garbage \
    test/garbage_values \
    test/gate \
    test/graph_capture \
    test/graph_end \
    test/graph_faults \
    test/graph_launch \
    test/graph_mode \
    test/graph_nested \
    test/graph_race \
    test/graph_run \
    test/handoff \
    test/handoff_failure \
    test/hooks \
    test/image \
    test/instrument \
    test/interface \
    test/interface_hostile \
    test/julia_calls \
    test/julia_tasks \
    test/kernel \
    test/launch \
    test/launch_extended \
    test/layout \
    test/layout_order \
    test/layout_view \
    test/legacy \
    test/lent \
    test/lent_end \
    test/lifetime \
    test/loading \
    test/lock \
    test/lock_queue \
    test/memory_limit \
    test/nvrtc \
    test/nvrtc_real \
    test/occupancy \
    test/options \
    test/peer_access \
    test/peer_ends \
    test/peer_events \
    test/peers \
    test/place \
    test/range \
    test/readers \
    test/refused \
    test/releases \
    test/scope \
    test/scope_add \
    test/shared \
    test/signals \
    test/soft_check \
    test/soft_device \
    test/soft_graph \
    test/soft_schedule \
    test/soft_stress \
    test/special \
    test/stats \
    test/store \
    test/store_safety \
    test/stress \
    test/stress_devices \
    test/stress_threads \
    test/struct_size \
    test/trace \
    test/transfer \
    test/views \
    test/wait \
    test/wrap

# Compared with the built library; each exits with 77 when it cannot run here.
SCRIPT_TESTS = \
    test/abi_clients.sh \
    test/abi_gate.sh \
    test/abi_symbols.sh \
    test/compile_example.sh \
    test/fuzz.sh \
    test/hardening.sh \
    test/headers.sh \
    test/julia.sh \
    test/julia_syntax.sh \
    test/load.sh \
    test/models.sh \
    test/nccl.sh \
    test/readme.sh \
    test/relacy.sh \
    test/simulate.sh \
    test/skips.sh \
    test/style.sh \
    test/tcl.sh \
    test/tools_test.sh \
    test/version.sh \
    test/words.sh

EXTRA_DIST += \
    test/common.sh \
    $(SCRIPT_TESTS) \
    test/abi/baton_ffi.h \
    test/abi/client.c \
    test/abi/growth.suppr \
    test/abi/libbaton.abi \
    test/abi/newer.c \
    test/abi_cffi.py \
    test/abi_luajit.lua \
    test/gpu/baton_ctypes.py \
    test/gpu/neighbours.py \
    test/gpu/neighbours_core.py \
    test/gpu/neighbours_cupy.py \
    test/gpu/neighbours_soft.py \
    test/gpu/neighbours_torch.py \
    test/gpu/neighbours_world.py \
    test/julia/abi.py \
    test/julia/calls.py \
    test/julia/embed.c \
    test/julia/header.c \
    test/julia/julia.h \
    test/julia/syntax.py \
    test/kernels.cu \
    test/relacy/c11.h \
    test/relacy/deferred.cc \
    test/relacy/deferred_code.cc \
    test/relacy/lock.cc \
    test/relacy/lock_code.cc \
    test/relacy/lock_code.h \
    test/spin/capture.pml \
    test/spin/handoff.pml \
    test/spin/park.pml \
    test/spin/release.pml

# Fuzz targets: test/fuzz.sh runs them over their seeds. With LIB_FUZZING_ENGINE the fuzzer has the main function (scripts/fuzz).
FUZZ_TARGETS = \
    test/fuzz/arrow \
    test/fuzz/cache \
    test/fuzz/dlpack \
    test/fuzz/environment \
    test/fuzz/image \
    test/fuzz/interface \
    test/fuzz/layout \
    test/fuzz/loader \
    test/fuzz/netpbm \
    test/fuzz/source \
    test/fuzz/structs \
    test/fuzz/views
check_PROGRAMS += $(FUZZ_TARGETS)
check_LTLIBRARIES += test/fuzz/libfuzz.la
test_fuzz_libfuzz_la_SOURCES = test/fuzz/fuzz.c test/fuzz/fuzz.h
test_fuzz_libfuzz_la_CPPFLAGS = $(FUZZ_CPPFLAGS)
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/test/fuzz
FUZZ_LDADD = test/fuzz/libfuzz.la libbaton_internal.la
if FUZZING_ENGINE
FUZZ_LDADD += $(LIB_FUZZING_ENGINE)
else
test_fuzz_libfuzz_la_SOURCES += test/fuzz/main.c
endif
test_fuzz_arrow_SOURCES = test/fuzz/arrow.c
test_fuzz_arrow_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_arrow_LDADD = $(FUZZ_LDADD)
test_fuzz_cache_SOURCES = test/fuzz/cache.c
test_fuzz_cache_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_cache_LDADD = $(FUZZ_LDADD)
test_fuzz_dlpack_SOURCES = test/fuzz/dlpack.c
test_fuzz_dlpack_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_dlpack_LDADD = $(FUZZ_LDADD)
test_fuzz_environment_SOURCES = test/fuzz/environment.c
test_fuzz_environment_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_environment_LDADD = $(FUZZ_LDADD)
test_fuzz_image_SOURCES = test/fuzz/image.c
test_fuzz_image_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_image_LDADD = $(FUZZ_LDADD)
test_fuzz_interface_SOURCES = test/fuzz/interface.c
test_fuzz_interface_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_interface_LDADD = $(FUZZ_LDADD)
test_fuzz_layout_SOURCES = test/fuzz/layout.c
test_fuzz_layout_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_layout_LDADD = $(FUZZ_LDADD)
test_fuzz_loader_SOURCES = test/fuzz/loader.c
test_fuzz_loader_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_loader_LDADD = $(FUZZ_LDADD)
test_fuzz_netpbm_SOURCES = test/fuzz/netpbm.c tools/netpbm.h tools/netpbm_read.c tools/netpbm_write.c
test_fuzz_netpbm_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_netpbm_LDADD = $(FUZZ_LDADD)
test_fuzz_source_SOURCES = test/fuzz/source.c
test_fuzz_source_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_source_LDADD = $(FUZZ_LDADD)
test_fuzz_structs_SOURCES = test/fuzz/structs.c
test_fuzz_structs_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_structs_LDADD = $(FUZZ_LDADD)
test_fuzz_views_SOURCES = test/fuzz/views.c
test_fuzz_views_CPPFLAGS = $(FUZZ_CPPFLAGS)
test_fuzz_views_LDADD = $(FUZZ_LDADD)
EXTRA_DIST += test/fuzz/corpus test/fuzz/wraps.list

# Random programs on the software device's drawn schedule; test/simulate.sh runs a slice of them.
check_PROGRAMS += test/simulate/simulate
test_simulate_simulate_SOURCES = \
    test/oracle.c \
    test/oracle.h \
    test/simulate/acts.c \
    test/simulate/acts.h \
    test/simulate/engine.c \
    test/simulate/engine.h \
    test/simulate/foreign.c \
    test/simulate/model.c \
    test/simulate/print.c \
    test/simulate/print.h \
    test/simulate/program.c \
    test/simulate/program.h \
    test/simulate/shrink.c \
    test/simulate/simulate.c \
    test/simulate/stage.c \
    test/simulate/stage.h \
    test/simulate/steps.c \
    test/simulate/steps.h \
    test/simulate/steps_exchange.c \
    test/simulate/steps_graph.c \
    test/simulate/steps_life.c \
    test/simulate/steps_scope.c \
    test/simulate/steps_wait.c \
    test/simulate/steps_work.c \
    test/simulate/turns.c \
    test/simulate/turns.h \
    test/simulate/world.c \
    test/simulate/world.h
test_simulate_simulate_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/test
test_simulate_simulate_LDADD = libbaton_internal.la

TEST_EXTENSIONS = .sh .py .lua
SH_LOG_COMPILER = $(SHELL)
PY_LOG_COMPILER = $(PYTHON3)
LUA_LOG_COMPILER = $(LUAJIT)
LOG_COMPILER = timeout
AM_LOG_FLAGS = $(TEST_SECONDS)
TEST_SECONDS = 300

# BATON_TEST_SEED, when set by the caller, reaches the tests as it is.
AM_TESTS_ENVIRONMENT = \
    top_srcdir='$(top_srcdir)'; export top_srcdir; \
    top_builddir='$(top_builddir)'; export top_builddir; \
    CC='$(CC)'; export CC; \
    CXX='$(CXX)'; export CXX; \
    CTAGS='$(CTAGS)'; export CTAGS; \
    VERSION='$(VERSION)'; export VERSION; \
    MPIEXEC='$(MPIEXEC)'; export MPIEXEC; \
    SANITIZE='$(SANITIZE)'; export SANITIZE; \
    QUICK='$(QUICK)'; export QUICK; \
    BATON_FLAGS='$(BATON_FLAGS)'; export BATON_FLAGS;

# yes: without what looks at the sources alone, and with smaller pictures; models: without the models.
QUICK = $(SANITIZE)

if ENABLE_SANITIZE
SANITIZE = yes
else
SANITIZE = no
endif

TESTS += $(SCRIPT_TESTS)
if HAVE_PYTHON3
TESTS += test/gpu/neighbours.py
endif
if HAVE_CFFI
TESTS += test/abi_cffi.py
endif
if HAVE_LUAJIT
TESTS += test/abi_luajit.lua
endif

if HAVE_CHECK
check_LTLIBRARIES += test/libsupport.la
check_PROGRAMS += $(TESTS_C)
TESTS += $(TESTS_C)
endif

if HAVE_CHECK
# All that scripts/gpu takes to a machine with a GPU, and the list of the tests.
gpu-programs: $(lib_LTLIBRARIES) $(bin_PROGRAMS) $(check_LTLIBRARIES) $(check_PROGRAMS) bench/times$(EXEEXT) test/programs

# The same tests on the GPU of this machine.
check-cuda: gpu-programs
	top_srcdir='$(abs_top_srcdir)' bash $(top_srcdir)/scripts/gpu run . --out cuda-results $(CUDA_FLAGS) check
else
gpu-programs check-cuda:
	@echo 'Check is missing'; exit 1
endif

test/programs: Makefile
	for program in $(TESTS_C); do echo "$$program"; done >$@

# Stand-ins for the CUDA libraries, opened by test/driver_open and the tests of compilation.
if HAVE_CHECK
check_LTLIBRARIES += test/fake_cuda.la test/fake_cuda_bare.la test/fake_nvrtc.la
endif
# The NCCL examples with the library inside, so that the stand-in works on their software device; test/nccl.sh runs them.
if HAVE_CHECK
check_LTLIBRARIES += test/fake_nccl.la
check_PROGRAMS += test/nccl_devices
if HAVE_MPI
check_PROGRAMS += test/nccl_processes
endif
endif
test_fake_nccl_la_SOURCES = test/fake_nccl.c test/fake_nccl.h test/fake_nccl_work.c
test_fake_nccl_la_LDFLAGS = $(test_fake_cuda_la_LDFLAGS)
test_nccl_devices_SOURCES = examples/nccl/devices.c test/fake_nccl_driver.c $(nccl_sources)
test_nccl_devices_CPPFLAGS = $(AM_CPPFLAGS)
test_nccl_devices_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
test_nccl_devices_LDADD = libbaton_internal.la
test_nccl_processes_SOURCES = examples/nccl/processes.c test/fake_nccl_driver.c $(nccl_sources)
test_nccl_processes_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
test_nccl_processes_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
test_nccl_processes_LDADD = libbaton_internal.la $(MPI_LIBS)

test_fake_nvrtc_la_SOURCES = test/fake_nvrtc.c
test_fake_nvrtc_la_LDFLAGS = $(test_fake_cuda_la_LDFLAGS)
test_fake_cuda_la_SOURCES = test/fake_cuda.c
test_fake_cuda_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath $(abs_builddir)/test
test_fake_cuda_bare_la_SOURCES = test/fake_cuda.c
test_fake_cuda_bare_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_CUDA_NO_LOOKUP
test_fake_cuda_bare_la_LDFLAGS = $(test_fake_cuda_la_LDFLAGS)

# What test programs share.
test_libsupport_la_SOURCES = \
    test/compile_support.c \
    test/compile_support.h \
    test/census.c \
    test/census.h \
    test/conformance.c \
    test/conformance.h \
    test/every_call.h \
    test/exchange_support.c \
    test/exchange_support.h \
    test/fiber.c \
    test/fiber.h \
    test/tsan_fibers.h \
    test/graph_support.c \
    test/graph_support.h \
    test/journal.c \
    test/journal.h \
    test/julia/calls.h \
    test/julia_runtime.c \
    test/julia_runtime.h \
    test/kernels.c \
    test/kernels.h \
    test/kernels_ptx.h \
    test/layout_support.h \
    test/lent_support.c \
    test/lent_support.h \
    test/model.c \
    test/model.h \
    test/needs.c \
    test/needs.h \
    test/oracle.c \
    test/oracle.h \
    test/outside.c \
    test/outside.h \
    test/stamp.c \
    test/stamp.h \
    test/store_support.c \
    test/store_support.h \
    test/support.c \
    test/support.h \
    test/waiter.c \
    test/waiter.h

PLAYS = \
    test/plays.c \
    test/plays.h \
    test/plays_acts.h \
    test/plays_exchange.c \
    test/plays_facts.c \
    test/plays_graph.c \
    test/plays_life.c \
    test/plays_module.c \
    test/plays_work.c
test_faults_SOURCES = test/faults.c test/faults.h test/faults_checks.c test/faults_fork.c test/faults_world.c $(PLAYS)
nodist_test_faults_SOURCES = test/calls.h

# Every function of the header as a macro that notes the call: one that is added there is in the tests' lists by itself.
BUILT_SOURCES += test/calls.h
CLEANFILES += test/calls.h
test/calls.h: $(top_srcdir)/include/baton_ffi.h $(top_srcdir)/test/common.sh
	$(AM_V_GEN)$(MKDIR_P) test && (top_srcdir='$(top_srcdir)'; . '$(top_srcdir)/test/common.sh'; declared_functions) | \
	    awk 'BEGIN { print "/* Made of baton_ffi.h. */" } \
	         { name[NR] = $$1; print "#define " $$1 "(...) (play_calls[CALL_" $$1 "]++, (" $$1 ")(__VA_ARGS__))" } \
	         END { print "enum {"; for (i = 1; i <= NR; i++) print "    CALL_" name[i] ","; print "    CALL_COUNT\n};"; \
	               printf "#define CALL_NAMES"; for (i = 1; i <= NR; i++) printf " \"%s\",", name[i]; print "" }' >$@.new && mv $@.new $@
test/faults.$(OBJEXT) test/faults_checks.$(OBJEXT) test/faults_fork.$(OBJEXT) test/faults_world.$(OBJEXT) test/plays.$(OBJEXT) test/plays_exchange.$(OBJEXT) \
test/plays_facts.$(OBJEXT) test/plays_graph.$(OBJEXT) test/plays_life.$(OBJEXT) test/plays_module.$(OBJEXT) test/plays_work.$(OBJEXT): test/calls.h
# Loads the library, and is not made of it.
test_loading_LDADD = $(CHECK_LIBS)
EXTRA_test_loading_DEPENDENCIES = libbaton.la
# So that the library's own allocations can be made to fail.
test_compile_faults_LDFLAGS = $(test_faults_LDFLAGS) -Wl,--wrap=free
test_faults_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
test_descriptors_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=open -Wl,--wrap=openat -Wl,--wrap=eventfd
test_lock_queue_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_cond_wait -Wl,--wrap=pthread_cond_signal -Wl,--wrap=syscall
test_julia_tasks_SOURCES = test/julia_tasks.c test/julia_steps.c test/julia_steps.h
test_julia_calls_SOURCES = test/julia_calls.c test/julia_rows.c test/julia_world.c test/julia_rows.h test/julia_world.h
stress_sources = test/stress_steps.c test/stress_steps.h test/stress_world.c test/stress_world.h
test_stress_SOURCES = test/stress.c $(stress_sources)
test_stress_devices_SOURCES = test/stress_devices.c $(stress_sources)
test_refused_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall
test_store_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=read -Wl,--wrap=write

# Programs without a rule of their own are tests.
LDADD = test/libsupport.la libbaton_internal.la $(CHECK_LIBS)

if HAVE_CXX
check_PROGRAMS += test/abi_cxx
TESTS += test/abi_cxx
endif
test_abi_cxx_SOURCES = test/abi_cxx.cc
test_abi_cxx_LDADD = libbaton.la

if HAVE_CUDA_HEADER
check_PROGRAMS += test/cuda_header
endif
test_cuda_header_SOURCES = test/cuda_header.c
test_cuda_header_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CFLAGS) -DBATON_CHECK_AGAINST_CUDA
test_cuda_header_LDADD =
