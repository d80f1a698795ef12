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

from ._core import (
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
    _C_API,
    bfloat16,
    bool,
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
    from_dlpack,
    info,
    init,
    int8,
    int16,
    int32,
    int64,
    managed,
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
from ._arrays import arange, asarray, full, ones, zeros
from ._captures import Captured, capture, captured
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
from ._kernels import compile, host_kernel, load

__version__ = "0.1.0"

f16, bf16, f32, f64 = float16, bfloat16, float32, float64
i32, i64, u32, u64 = int32, int64, uint32, uint64
gate = Gate


def get_include() -> str:
    """The folder of baton_python.h, for extensions in C."""
    return _os.path.dirname(__file__)


# Names that hide builtins (bool, compile, TimeoutError) are used as baton.bool and the like.
__all__ = [
    name for name in dir() if not name.startswith("_") and name not in ("annotations", "bool", "compile", "TimeoutError")
]
