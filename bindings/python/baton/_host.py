"""Data of the host in and out: nested lists, buffers, NumPy's arrays. NumPy is imported only where it is asked for."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from . import _core
from ._core import Array, DType, Scalar
from ._dtype import FORMATS
from ._dtype import scalar as read_scalar

Number = bool | int | float | complex


class Data:
    """Elements on the host: bytes in row-major order, their type and shape."""

    __slots__ = ("buffer", "dtype", "shape")

    def __init__(self, buffer: Any, dtype: DType, shape: tuple[int, ...]) -> None:
        self.buffer = buffer
        self.dtype = dtype
        self.shape = shape


# ---- nested sequences


def _flatten(thing: Any, depth: int, shape: list[int], flat: list[Any]) -> None:
    """Appends the numbers in row-major order, and finds or checks the extents."""
    if not isinstance(thing, Sequence) or isinstance(thing, (str, bytes)):
        if depth != len(shape) and flat:
            raise ValueError("the nested sequences are not of one shape")
        flat.append(thing)
        return
    if depth == len(shape):
        if flat:
            raise ValueError("the nested sequences are not of one shape")
        shape.append(len(thing))
    elif shape[depth] != len(thing):
        raise ValueError("the nested sequences are not of one shape")
    for item in thing:
        _flatten(item, depth + 1, shape, flat)


def _common(flat: list[Any]) -> DType:
    """bool, int64, float64 or complex128, as the numbers need it."""
    for kind, dtype in ((complex, _core.complex128), (float, _core.float64)):
        if any(isinstance(value, kind) for value in flat):
            return dtype
    if flat and all(isinstance(value, bool) for value in flat):
        return _core.bool
    return _core.int64 if flat else _core.float64


def pack(flat: Sequence[Any], dtype: DType) -> bytes:
    """Numbers as elements. OverflowError when one does not fit."""
    kind = dtype.format
    if kind is None:  # bfloat16
        return b"".join(bytes(_core._scalar_bytes(dtype(value))) for value in flat)
    if kind[0] == "Z":
        pairs = [part for value in flat for part in (complex(value).real, complex(value).imag)]
        return struct.pack(f"={len(pairs)}{kind[1]}", *pairs)
    try:
        return struct.pack(f"={len(flat)}{kind}", *flat)
    except struct.error as error:
        raise OverflowError(f"a number does not fit {dtype.name}: {error}") from None


def unpack(data: bytes, dtype: DType) -> list[Any]:
    kind = dtype.format
    if kind is None:
        halves = struct.unpack(f"={len(data) // 2}H", data)
        return list(
            struct.unpack(f"={len(halves)}f", struct.pack(f"={len(halves)}I", *(half << 16 for half in halves)))
        )
    if kind[0] == "Z":
        parts = struct.unpack(f"={len(data) * 2 // dtype.itemsize}{kind[1]}", data)
        return [complex(*pair) for pair in zip(parts[::2], parts[1::2])]
    return list(struct.unpack(f"={len(data) // dtype.itemsize}{kind}", data))


def nest(flat: list[Any], shape: Sequence[int]) -> Any:
    """The elements as nested lists; without dimensions, the one element."""
    if not shape:
        return flat[0]
    for extent in reversed(shape[1:]):
        flat = (
            [flat[i * extent : (i + 1) * extent] for i in range(len(flat) // extent)]
            if extent
            else [[] for _ in range(prod(shape[:-1]))]
        )
        if not extent:
            return nest_empty(shape)
    return flat


def nest_empty(shape: Sequence[int]) -> Any:
    return [nest_empty(shape[1:]) for _ in range(shape[0])] if len(shape) > 1 else []


def from_numbers(thing: Any, dtype: DType | None) -> Data:
    shape: list[int] = []
    flat: list[Any] = []
    _flatten(thing, 0, shape, flat)
    flat = [value.value if isinstance(value, Scalar) else value for value in flat]
    for value in flat:
        if not isinstance(value, (bool, int, float, complex)) and read_scalar(value) is None:
            raise TypeError(f"{value!r} is no number")
    dtype = dtype or _common(flat)
    return Data(pack(flat, dtype), dtype, tuple(shape))


# ---- buffers


def _format(view: memoryview) -> DType:
    form = view.format.lstrip("<=@")
    name = FORMATS.get(form)
    if form in ("l", "L"):  # NumPy, ctypes and the struct module disagree on its size
        name = f"{'u' if form == 'L' else ''}int{8 * view.itemsize}"
    if name is None or _core.dtype(name).itemsize != view.itemsize:
        raise TypeError(f"elements of format {view.format!r} cannot be held by an array")
    return _core.dtype(name)


def from_buffer(thing: Any) -> Data | None:
    """Of an object with the buffer protocol; None when it has none."""
    if getattr(getattr(thing, "dtype", None), "name", "") == "bfloat16":
        return Data(thing.tobytes(), _core.bfloat16, tuple(thing.shape))
    try:
        view = memoryview(thing)
    except TypeError:
        return None
    return Data(view if view.c_contiguous else view.tobytes(), _format(view), tuple(view.shape or ()))


def read(thing: Any, dtype: DType | None) -> Data:
    """Anything of the host. The elements have the type asked for only when they are Python's numbers."""
    data = from_buffer(thing)
    if data is None and hasattr(thing, "__array__"):
        data = from_buffer(thing.__array__())
    return from_numbers(thing, dtype) if data is None else data


# ---- NumPy


def numpy_dtype(dtype: DType) -> Any:
    import numpy

    if dtype.format is not None:
        return numpy.dtype(dtype.name)
    try:
        import ml_dtypes  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise TypeError("NumPy has no bfloat16: install ml_dtypes, or use astype('float32')") from None
    return numpy.dtype(ml_dtypes.bfloat16)


def to_numpy(array: Array, stream: Any = None) -> Any:
    import numpy

    made = numpy.empty(array.shape, numpy_dtype(array.dtype))
    array.download(made.view("u2") if array.dtype.format is None else made, stream)
    return made


def edges(extent: int, most: int) -> Iterable[slice]:
    """What a summary shows of a dimension."""
    return [slice(None)] if extent <= 2 * most else [slice(0, most), slice(extent - most, None)]
