noinst_PROGRAMS += examples/first examples/compile
examples_first_SOURCES = examples/first.c
examples_first_LDADD = libbaton.la
examples_compile_SOURCES = examples/compile.c
examples_compile_LDADD = libbaton.la

EXTRA_DIST += examples/README examples/camera.pgm

# Beside NCCL, which the programs open when they run, and MPI.
nccl_sources = \
    examples/cuda/common.c \
    examples/cuda/common.h \
    examples/nccl/nccl.c \
    examples/nccl/nccl.h \
    examples/nccl/ranks.c \
    examples/nccl/ranks.h \
    examples/nccl/steps.c \
    examples/nccl/steps.h
noinst_PROGRAMS += examples/nccl/devices
examples_nccl_devices_SOURCES = examples/nccl/devices.c $(nccl_sources)
examples_nccl_devices_LDADD = libbaton.la
if HAVE_MPI
noinst_PROGRAMS += examples/nccl/processes
endif
examples_nccl_processes_SOURCES = examples/nccl/processes.c $(nccl_sources)
examples_nccl_processes_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
examples_nccl_processes_LDADD = libbaton.la $(MPI_LIBS)
EXTRA_DIST += examples/nccl/README

# Beside code of the CUDA toolkit: built where nvcc is, run where a GPU is. The compiler links them, as a user's command would;
# they find the library by their own place, so that the build folder may move.
cuda_common = examples/cuda/common.c examples/cuda/common.h
EXTRA_DIST += examples/cuda/README examples/cuda/runtime.cu examples/cuda/cublas.c examples/cuda/cufft.c $(cuda_common)
nvcc_build = $(MKDIR_P) examples/cuda && $(NVCC) $(NVCCFLAGS) -Xcompiler -Wall,-Wextra -I$(top_srcdir)/include -o $@
nvcc_libraries = $(top_srcdir)/examples/cuda/common.c -L.libs -lbaton -Xlinker '-rpath,$$ORIGIN/../../.libs,-rpath,$(CUDA_LIBDIR)'

examples/cuda/runtime: examples/cuda/runtime.cu $(cuda_common) libbaton.la
	$(AM_V_GEN)$(nvcc_build) $(top_srcdir)/examples/cuda/runtime.cu $(nvcc_libraries)
examples/cuda/cublas: examples/cuda/cublas.c $(cuda_common) libbaton.la
	$(AM_V_GEN)$(nvcc_build) $(top_srcdir)/examples/cuda/cublas.c $(nvcc_libraries) -lcublas
examples/cuda/cufft: examples/cuda/cufft.c $(cuda_common) libbaton.la
	$(AM_V_GEN)$(nvcc_build) $(top_srcdir)/examples/cuda/cufft.c $(nvcc_libraries) -lcufft

cuda-examples: $(CUDA_EXAMPLES)
if HAVE_NVCC
all-local: cuda-examples
CLEANFILES += $(CUDA_EXAMPLES)
endif

# 77: there is no GPU. Each ends by itself: no stream is held for more than ten seconds.
check-cuda-examples: cuda-examples
	@failed=0; for example in $(CUDA_EXAMPLES); do \
	    echo "== $$example"; code=0; timeout 120 ./$$example || code=$$?; \
	    case $$code in 0 | 77) ;; *) echo "$$example: FAILED ($$code)"; failed=1 ;; esac; \
	done; exit $$failed

.PHONY: cuda-examples check-cuda-examples
