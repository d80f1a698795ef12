# Built by Python's tools, against the installed library; only the header for other extensions is installed here.

include_HEADERS += bindings/python/baton/baton_python.h

EXTRA_DIST += \
    bindings/python/README.md \
    bindings/python/baton/__init__.py \
    bindings/python/baton/_arrays.py \
    bindings/python/baton/_captures.py \
    bindings/python/baton/_core.pyi \
    bindings/python/baton/_dtype.py \
    bindings/python/baton/_errors.py \
    bindings/python/baton/_host.py \
    bindings/python/baton/_kernels.py \
    bindings/python/baton/_types.py \
    bindings/python/baton/_waiting.py \
    bindings/python/baton/py.typed \
    bindings/python/bench/overhead.py \
    bindings/python/pyproject.toml \
    bindings/python/setup.py \
    bindings/python/src/arguments.c \
    bindings/python/src/array.c \
    bindings/python/src/buffer.c \
    bindings/python/src/capi.c \
    bindings/python/src/compile.c \
    bindings/python/src/core.h \
    bindings/python/src/create.c \
    bindings/python/src/dtype.c \
    bindings/python/src/error.c \
    bindings/python/src/exchange.c \
    bindings/python/src/graph.c \
    bindings/python/src/info.c \
    bindings/python/src/kernel.c \
    bindings/python/src/kernel.h \
    bindings/python/src/kernel_info.c \
    bindings/python/src/launch.c \
    bindings/python/src/module.c \
    bindings/python/src/object.h \
    bindings/python/src/operator.c \
    bindings/python/src/runtime.c \
    bindings/python/src/scalar.c \
    bindings/python/src/scope.c \
    bindings/python/src/stream.c \
    bindings/python/src/task.c \
    bindings/python/src/transfer.c \
    bindings/python/src/view.c \
    bindings/python/src/wait.c \
    bindings/python/tests/capi.c \
    bindings/python/tests/conftest.py \
    bindings/python/tests/kernels.c \
    bindings/python/tests/test_arithmetic.py \
    bindings/python/tests/test_array.py \
    bindings/python/tests/test_capi.py \
    bindings/python/tests/test_captures.py \
    bindings/python/tests/test_exchange.py \
    bindings/python/tests/test_gpu.py \
    bindings/python/tests/test_interleavings.py \
    bindings/python/tests/test_kernels.py \
    bindings/python/tests/test_process.py \
    bindings/python/tests/test_streams.py \
    bindings/python/tests/test_typing.py \
    bindings/python/tests/test_waiting.py
