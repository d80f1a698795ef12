"""Baton: GPU arrays that pass between threads, tasks and streams in order, without stalling the host.

    import baton
    x = baton.arange(5, dtype="f4")
    y = x * 2 + 1
    print(y.numpy())

Each thread and each asyncio task has a stream of its own; arrays pass between them without any call. The driver is
opened when it is first needed: BATON_DRIVER or init() chooses it ("cuda", "soft", "soft:2").
"""

from __future__ import annotations

import os as _os

from ._arrays import arange, asarray, full, ones, zeros
from ._captures import Captured, captured
from ._core import (
    _C_API,  # noqa: F401
    Array,
    DType,
    Fence,
    Gate,
    Graph,
    In,
    InOut,
    Kernel,
    Launch,
    Mark,
    Module,
    Out,
    Scalar,
    Stream,
    _after_fork,
    bfloat16,
    bool,
    capture,
    complex64,
    complex128,
    current_stream,
    device_info,
    drain,
    dtype,
    empty,
    float16,
    float32,
    float64,
    info,
    init,
    int8,
    int16,
    int32,
    int64,
    managed,
    process_copies,
    set_memory_limit,
    stats,
    trace_read,
    trace_start,
    trim,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._errors import (
    ArgumentError,
    BoundsError,
    BusyError,
    CaptureError,
    ClosedError,
    CompileError,
    DeviceError,
    DriverError,
    DtypeError,
    Error,
    ForkedError,
    KindError,
    NoDriverError,
    OutOfMemoryError,
    OverlapError,
    PoisonedError,
    ScopeError,
    ShapeError,
    StreamError,
    TimeoutError,
    TopologyError,
    UnsupportedError,
)
from ._exchange import from_arrow, from_cuda_array_interface, from_dlpack
from ._kernels import compile, host_kernel, load

__version__ = "0.1.0"

f16, bf16, f32, f64 = float16, bfloat16, float32, float64
i32, i64, u32, u64 = int32, int64, uint32, uint64
gate = Gate


_os.register_at_fork(after_in_child=_after_fork)


def get_include() -> str:
    """The folder of baton_python.h, for extensions in C."""
    return _os.path.dirname(__file__)


# bool, compile and TimeoutError hide builtins: with `from baton import *` as well.
__all__ = [
    "ArgumentError",
    "Array",
    "BoundsError",
    "BusyError",
    "CaptureError",
    "Captured",
    "ClosedError",
    "CompileError",
    "DType",
    "DeviceError",
    "DriverError",
    "DtypeError",
    "Error",
    "Fence",
    "ForkedError",
    "Gate",
    "Graph",
    "In",
    "InOut",
    "Kernel",
    "KindError",
    "Launch",
    "Mark",
    "Module",
    "NoDriverError",
    "Out",
    "OutOfMemoryError",
    "OverlapError",
    "PoisonedError",
    "Scalar",
    "ScopeError",
    "ShapeError",
    "Stream",
    "StreamError",
    "TimeoutError",
    "TopologyError",
    "UnsupportedError",
    "arange",
    "asarray",
    "bf16",
    "bfloat16",
    "bool",
    "capture",
    "captured",
    "compile",
    "complex64",
    "complex128",
    "current_stream",
    "device_info",
    "drain",
    "dtype",
    "empty",
    "f16",
    "f32",
    "f64",
    "float16",
    "float32",
    "float64",
    "from_arrow",
    "from_cuda_array_interface",
    "from_dlpack",
    "full",
    "gate",
    "get_include",
    "host_kernel",
    "i32",
    "i64",
    "info",
    "init",
    "int8",
    "int16",
    "int32",
    "int64",
    "load",
    "managed",
    "ones",
    "process_copies",
    "set_memory_limit",
    "stats",
    "trace_read",
    "trace_start",
    "trim",
    "u32",
    "u64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "zeros",
]
