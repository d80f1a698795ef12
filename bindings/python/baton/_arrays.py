"""Making arrays, and the methods of Array that are written in Python."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from . import _core, _exchange, _host
from ._core import Array, DType, Scalar, empty
from ._errors import OverlapError
from ._types import Kind

RANGES = ("float32", "float64", "int32", "int64")  # what the library counts in

# ---- making


def zeros(
    shape: Any, dtype: Any = None, *, device: int | None = None, stream: Any = None, kind: Kind | None = None
) -> Array:
    """An array of zeros. The arguments are those of empty()."""
    return full(shape, 0, _core.dtype(dtype or "float64"), device=device, stream=stream, kind=kind)


def ones(
    shape: Any, dtype: Any = None, *, device: int | None = None, stream: Any = None, kind: Kind | None = None
) -> Array:
    """An array of ones. The arguments are those of empty()."""
    return full(shape, 1, _core.dtype(dtype or "float64"), device=device, stream=stream, kind=kind)


def full(
    shape: Any,
    value: Any,
    dtype: Any = None,
    *,
    device: int | None = None,
    stream: Any = None,
    kind: Kind | None = None,
) -> Array:
    """An array whose elements are all `value`; dtype None is the number's own: bool, int64, float64 or complex128."""
    if dtype is None:
        dtype = getattr(value, "dtype", type(value))
    array = empty(shape, dtype, device=device, stream=stream, kind=kind)
    array.fill(value, stream)
    return array


def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: int | None = None, stream: Any = None
) -> Array:
    """start, start + step, ... up to but not including stop; arange(n) begins at 0. int64 for ints, else float64."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange() with a step of 0")
    integers = all(isinstance(value, int) for value in (start, stop, step))
    wanted = _core.dtype(dtype or ("int64" if integers else "float64"))
    count = max(0, -((start - stop) // step) if integers else math.ceil((stop - start) / step))
    counted = wanted if wanted.name in RANGES else _core.dtype("int64" if integers else "float64")
    array = empty(count, counted, device=device, stream=stream)
    if not integers and not counted.name.startswith("float"):
        start, step = int(start), int(step)
    array.fill_range(start, step, stream)
    return array if counted is wanted else array.astype(wanted, stream=stream)


def _shared(thing: Any, stream: Any) -> Array | None:
    """Over memory of a device; None for what lies on the host."""
    if hasattr(thing, "__dlpack_device__"):
        return _exchange.from_dlpack(thing, stream=stream) if thing.__dlpack_device__()[0] not in (1, 3) else None
    return _exchange.from_cuda_array_interface(thing) if hasattr(thing, "__cuda_array_interface__") else None


def asarray(
    thing: Any, dtype: Any = None, *, device: int | None = None, stream: Any = None, kind: Kind | None = None
) -> Array:
    """An array of the thing: itself if it is one, shared if it lies on a device, else copied from the host.

    Memory of devices is shared through DLPack, or else the CUDA array interface.
    From the host come numbers, nested sequences of them, and everything with the buffer protocol, such as NumPy's
    arrays. dtype None keeps the type; Python's numbers become bool, int64, float64 or complex128.
    """
    wanted = None if dtype is None else _core.dtype(dtype)
    shared = thing if isinstance(thing, Array) else _shared(thing, stream)
    if shared is not None:
        array = shared if device is None and kind is None else shared.to(device, kind=kind, stream=stream)
    else:
        data = _host.read(thing, wanted)
        array = empty(data.shape, data.dtype, device=device, stream=stream, kind=kind)
        array.upload(data.buffer, stream)
    return array if wanted is None or array.dtype == wanted else array.astype(wanted, stream=stream)


def _rebuild(data: bytes, shape: tuple[int, ...], dtype: str, kind: Kind) -> Array:
    array = empty(shape, dtype, kind=kind)
    array.upload(data)
    return array


# ---- methods: `self` is an Array


def copy(self: Array, *, stream: Any = None) -> Array:
    """A new array with the same elements, contiguous."""
    array = empty(self.shape, self.dtype, device=self.device, stream=stream, kind=self.kind)
    array.copy_from(self, stream)
    return array


def to(self: Array, device: int | None = None, *, kind: Kind | None = None, stream: Any = None) -> Array:
    """On another device, or in memory of another kind ('device', 'host', 'unified'); itself if it is there already."""
    device = self.device if device is None else device
    kind = self.kind if kind is None else kind
    if (device, kind) == (self.device, self.kind):
        return self
    array = empty(self.shape, self.dtype, device=device, stream=stream, kind=kind)
    array.copy_from(self, stream)
    return array


def astype(self: Array, dtype: Any, *, stream: Any = None) -> Array:
    """With elements of another type, converted as baton_cast does (baton.h); itself if it has that type."""
    wanted: DType = _core.dtype(dtype)
    if wanted is self.dtype:
        return self
    array = empty(self.shape, wanted, device=self.device, stream=stream, kind=self.kind)
    array.cast_from(self, stream)
    return array


def numpy(self: Array, *, stream: Any = None) -> Any:
    """A NumPy array with a copy of the elements. Waits for the work on the array."""
    return _host.to_numpy(self, stream)


def __array__(self: Array, dtype: Any = None, copy: bool | None = None) -> Any:
    if copy is False:
        raise ValueError("a NumPy array of a baton.Array is always a copy")
    made = _host.to_numpy(self)
    return made if dtype is None else made.astype(dtype, copy=False)


def tolist(self: Array) -> Any:
    """The elements as nested lists of Python's numbers. Waits for the work on the array."""
    return _host.nest(_host.unpack(self.tobytes(), self.dtype), self.shape)


def __iter__(self: Array) -> Iterator[Array]:
    return (self[i] for i in range(len(self)))


def __bool__(self: Array) -> bool:
    return bool(self.item())


def __int__(self: Array) -> int:
    return int(self.item())  # type: ignore[arg-type]


def __float__(self: Array) -> float:
    return float(self.item())  # type: ignore[arg-type]


def __complex__(self: Array) -> complex:
    return complex(self.item())


def __index__(self: Array) -> int:
    if self.dtype.name[:3] not in ("int", "uin") or self.size != 1:
        raise TypeError("only an array of one integer is an index")
    return int(self.item())  # type: ignore[arg-type]


def __copy__(self: Array) -> Array:
    return self.copy()


def __deepcopy__(self: Array, memo: dict[int, Any]) -> Array:
    return self.copy()


def __reduce__(self: Array) -> Any:
    return _rebuild, (self.tobytes(), self.shape, self.dtype.name, self.kind)


# ---- assignment


def _assign_array(view: Array, value: Array) -> None:
    if _core._same_elements(view, value):
        return  # a[i] += b assigns what it has changed already
    try:
        if view.shape != value.shape:
            value = value.astype(view.dtype)
            view.broadcast_from(value)
        elif view.dtype == value.dtype:
            view.copy_from(value)
        else:
            view.cast_from(value)
    except OverlapError:
        _assign_array(view, value.copy())


def __setitem__(self: Array, key: Any, value: Any) -> None:
    view = self[key]
    if isinstance(value, Array):
        _assign_array(view, value)
    elif isinstance(value, (bool, int, float, complex, Scalar)) or getattr(value, "shape", None) == ():
        view.fill(value)
    else:
        data = _host.read(value, view.dtype)
        if data.shape == view.shape and data.dtype == view.dtype:
            view.upload(data.buffer)
        else:
            _assign_array(view, asarray(value, device=view.device))


# ---- how it looks

MOST = 1000  # elements that are shown in full
EDGE = 3


class _Gap:
    def __repr__(self) -> str:
        return "..."


def _shown(array: Array) -> Any:
    """Nested lists with the edges of a large array; only they are downloaded."""
    parts = list(_host.edges(array.shape[0], EDGE))
    rows = [array[part].tolist() if array.ndim == 1 else [_shown(row) for row in array[part]] for part in parts]
    return rows[0] if len(rows) == 1 else [*rows[0], _Gap(), *rows[1]]


def _data_text(array: Array) -> str:
    """The data, or why they are not shown. Waits at most a second."""
    if array.ndim > 3 and array.size > MOST:
        return "..."
    array.fence().wait(timeout=1)
    _core.current_stream(array.device).fence().wait(timeout=1)
    return repr(array.tolist() if array.size <= MOST else _shown(array))


def __repr__(self: Array) -> str:
    """Shows the elements, of large arrays the edges: downloads them, waiting at most a second. Never raises."""
    if self.closed:
        return "<baton.Array, closed>"
    try:
        what = f"shape={self.shape}, dtype={self.dtype.name}, device={self.device}"
        if self.kind != "device":
            what += f", kind={self.kind!r}"
    except Exception as error:  # noqa: BLE001
        return f"<baton.Array: {error}>"
    try:
        return f"baton.Array({_data_text(self)}, {what})"
    except Exception as error:  # noqa: BLE001
        return f"<baton.Array {what}: data not shown: {error}>"


METHODS = (
    copy, to, astype, numpy, tolist, __array__, __iter__, __bool__, __int__, __float__, __complex__, __index__,
    __copy__, __deepcopy__, __reduce__, __setitem__, __repr__,
)  # fmt: skip

ATTRIBUTES = {
    "T": property(lambda self: self.transpose(), doc="The transposed view."),
    "ptr": property(
        lambda self: self.pointer(), doc="The address, for code that works on the current stream: see pointer()."
    ),
    "__array_ufunc__": None,  # NumPy leaves its operators to ours
}


def _complete() -> None:
    """Gives the type its methods of this file."""
    for method in METHODS:
        method.__qualname__ = f"Array.{method.__name__}"
        setattr(Array, method.__name__, method)
    for name, value in ATTRIBUTES.items():
        setattr(Array, name, value)


_complete()
