"""Names of element types, and single values, of other libraries. Nothing here imports them."""

from __future__ import annotations

from typing import Any

# Formats of ctypes' simple types in the buffer protocol.
FORMATS = {
    "?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "q": "int64",
    "B": "uint8", "H": "uint16", "I": "uint32", "L": "uint64", "Q": "uint64",
    "e": "float16", "f": "float32", "d": "float64", "Zf": "complex64", "Zd": "complex128",
}  # fmt: skip


def name_of(thing: Any) -> str:
    """The name, in the words of _core, of a string, a NumPy dtype, a scalar type of NumPy, or a dtype of PyTorch."""
    if isinstance(thing, str):
        raise TypeError(f"{thing!r} is no element type")
    if isinstance(thing, type):
        return thing.__name__.rstrip("_")
    short = getattr(thing, "str", None)
    if isinstance(short, str):
        return str(thing.name) if getattr(thing, "kind", "") == "V" else short
    name = str(thing)
    if name.startswith(("torch.", "jax.")):
        return name.rpartition(".")[2]
    raise TypeError(f"{thing!r} is no element type")


def scalar(thing: Any) -> tuple[str | None, bytes] | None:
    """The type and the bytes of a number of NumPy or ctypes; the type is None for a struct. None: it is neither."""
    dtype = getattr(thing, "dtype", None)
    if dtype is not None and getattr(thing, "shape", None) == () and hasattr(thing, "tobytes"):
        return name_of(dtype), thing.tobytes()
    if type(type(thing)).__module__ != "_ctypes":
        return None
    view = memoryview(thing)
    if view.ndim != 0:
        return None
    if view.nbytes > 16:
        raise TypeError("a struct of more than 16 bytes is passed as bytes(struct)")
    return FORMATS.get(view.format.lstrip("<=@")), bytes(view)
