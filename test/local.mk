# Every test program is one file with a main of its own. To add test/NAME.c, add test/NAME here.
TESTS_C = \
    test/adopt \
    test/arithmetic_kernels \
    test/arrays \
    test/arrow \
    test/arrow_hostile \
    test/arrow_order \
    test/cache \
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
    test/conformance_look \
    test/conformance_memory \
    test/conformance_stream \
    test/conformance_work \
    test/copy \
    test/cost \
    test/covered \
    test/deferred \
    test/device \
    test/dlpack \
    test/dlpack_export \
    test/dlpack_ways \
    test/driver_builtin \
    test/driver_open \
    test/driver_table \
    test/dtype \
    test/elementwise \
    test/elementwise_use \
    test/errors \
    test/escaped \
    test/exchange_ends \
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
    test/kernel \
    test/launch \
    test/launch_extended \
    test/layout \
    test/layout_order \
    test/layout_view \
    test/legacy \
    test/lifetime \
    test/lock \
    test/memory_limit \
    test/nvrtc \
    test/nvrtc_real \
    test/occupancy \
    test/options \
    test/place \
    test/range \
    test/readers \
    test/scope \
    test/scope_add \
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
    test/stress_threads \
    test/struct_size \
    test/trace \
    test/transfer \
    test/views \
    test/wait \
    test/wrap

# Compared with the built library; each exits with 77 when it cannot run here.
SCRIPT_TESTS = \
    test/abi_symbols.sh \
    test/compile_example.sh \
    test/fuzz.sh \
    test/headers.sh \
    test/julia.sh \
    test/julia_syntax.sh \
    test/readme.sh \
    test/relacy.sh \
    test/skips.sh \
    test/style.sh \
    test/tcl.sh \
    test/tools_test.sh \
    test/version.sh \
    test/words.sh

EXTRA_DIST += \
    test/common.sh \
    $(SCRIPT_TESTS) \
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
    test/julia/header.c \
    test/julia/julia.h \
    test/julia/syntax.py \
    test/kernels.cu \
    test/relacy/c11.h \
    test/relacy/deferred.cc \
    test/relacy/deferred_code.cc \
    test/relacy/lock.cc \
    test/relacy/lock_code.cc \
    test/relacy/lock_code.h

# Fuzz targets with a main of their own; test/fuzz.sh runs them over their seeds.
check_PROGRAMS += test/fuzz/arrow test/fuzz/dlpack
test_fuzz_arrow_SOURCES = test/fuzz/arrow.c test/fuzz/fuzz.c test/fuzz/fuzz.h
test_fuzz_arrow_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/test/fuzz
test_fuzz_arrow_LDADD = libbaton_internal.la
test_fuzz_dlpack_SOURCES = test/fuzz/dlpack.c test/fuzz/fuzz.c test/fuzz/fuzz.h
test_fuzz_dlpack_CPPFLAGS = $(test_fuzz_arrow_CPPFLAGS)
test_fuzz_dlpack_LDADD = libbaton_internal.la
EXTRA_DIST += \
    test/fuzz/corpus/arrow/device-1.seed \
    test/fuzz/corpus/arrow/device.seed \
    test/fuzz/corpus/arrow/empty.seed \
    test/fuzz/corpus/arrow/event.seed \
    test/fuzz/corpus/arrow/list.seed \
    test/fuzz/corpus/arrow/managed.seed \
    test/fuzz/corpus/arrow/moved.seed \
    test/fuzz/corpus/arrow/nulls.seed \
    test/fuzz/corpus/arrow/primitive.seed \
    test/fuzz/corpus/arrow/slice.seed \
    test/fuzz/corpus/arrow/unknown.seed \
    test/fuzz/corpus/dlpack/any-address.seed \
    test/fuzz/corpus/dlpack/device-1.seed \
    test/fuzz/corpus/dlpack/device.seed \
    test/fuzz/corpus/dlpack/empty.seed \
    test/fuzz/corpus/dlpack/host.seed \
    test/fuzz/corpus/dlpack/legacy.seed \
    test/fuzz/corpus/dlpack/managed.seed \
    test/fuzz/corpus/dlpack/many.seed \
    test/fuzz/corpus/dlpack/next-major.seed \
    test/fuzz/corpus/dlpack/pinned.seed \
    test/fuzz/corpus/dlpack/reversed.seed \
    test/fuzz/corpus/dlpack/scalar.seed \
    test/fuzz/corpus/dlpack/wide.seed

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
    SANITIZE='$(SANITIZE)'; export SANITIZE;

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
    test/exchange_support.c \
    test/exchange_support.h \
    test/fiber.c \
    test/fiber.h \
    test/graph_support.c \
    test/graph_support.h \
    test/journal.c \
    test/journal.h \
    test/kernels.c \
    test/kernels.h \
    test/kernels_ptx.h \
    test/layout_support.h \
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

test_faults_SOURCES = test/faults.c test/plays.c test/plays.h test/plays_acts.h test/plays_exchange.c test/plays_life.c test/plays_work.c
# So that the library's own allocations can be made to fail.
test_compile_faults_LDFLAGS = $(test_faults_LDFLAGS) -Wl,--wrap=free
test_faults_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
test_stress_SOURCES = test/stress.c test/stress_world.c test/stress_world.h

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
