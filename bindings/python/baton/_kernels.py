"""Kernels: compiling, loading, C functions for the software device, signatures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from . import _core
from ._core import DType, Kernel, Module

ACCESS = {"in": -1, "out": -2, "inout": -3}
RAW = 1000


def _parameter(item: Any) -> int:
    """One entry of a signature as the number that _core takes: see kernel.h."""
    if item in (_core.In, _core.Out, _core.InOut):
        return ACCESS[item.__name__.lower()]
    if isinstance(item, str):
        word = item.strip()
        if word.lower() in ACCESS:
            return ACCESS[word.lower()]
        if word.startswith("bytes:"):
            return RAW + int(word[len("bytes:") :])
        item = word
    return _core.dtype(item).code


def parameters(signature: str | Iterable[Any]) -> tuple[int, ...]:
    """A signature, one entry per parameter: In, Out or InOut for an array, a dtype for a number, "bytes:N" for a struct.

    As a string, the entries are separated by commas: "in, out, int32".
    """
    entries = [entry for entry in signature.split(",") if entry.strip()] if isinstance(signature, str) else signature
    return tuple(_parameter(entry) for entry in entries)


def _device(device: int | None) -> int:
    return _core.current_stream().device if device is None else device


def compile(
    source: str,
    *,
    device: int | None = None,
    name: str | None = None,
    options: Sequence[str] = (),
    kernels: Sequence[str] = (),
) -> Module:
    """CUDA C++ source as a module, through NVRTC, with a cache on disk. Blocks.

    kernels are C++ names ("scale<float>") that module[...] then takes; kernels declared extern "C" need none. name stands
    for the source in messages. device None is the current stream's. CompileError.log is what the compiler said.
    """
    return _core._module_compile(source, _device(device), name, (tuple(options), tuple(kernels)))


def load(image: bytes | str | os.PathLike[str], *, device: int | None = None) -> Module:
    """PTX (text or bytes), a cubin or a fatbin as a module; a path is read. Blocks."""
    if isinstance(image, os.PathLike):
        with open(image, "rb") as file:
            image = file.read()
    return _core._module_load(image.encode() if isinstance(image, str) else bytes(image), _device(device))


def _address(function: Any) -> int:
    """Of a C function: an int, a function pointer of ctypes or cffi, or numba's cfunc."""
    if isinstance(function, int):
        return function
    if isinstance(getattr(function, "address", None), int):
        return int(function.address)
    kind = type(function)
    if kind.__module__ == "_cffi_backend" and callable(function):
        import _cffi_backend  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return int(_cffi_backend.cast(_cffi_backend.new_primitive_type("intptr_t"), function))
    import ctypes

    function_type: type[Any] = ctypes.CFUNCTYPE(None).__mro__[1]
    if not isinstance(function, function_type):
        raise TypeError(
            f"a kernel of the software device is a C function: an address, or a function of ctypes, cffi or numba.cfunc, not {function!r}"
        )
    if any(type(kept).__name__ == "CThunkObject" for kept in (getattr(function, "_objects", None) or {}).values()):
        raise TypeError("this is a Python function that ctypes wraps: it cannot run on a thread of the device")
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def host_kernel(
    function: Any, signature: str | Iterable[Any], *, name: str | None = None, device: int | None = None
) -> Kernel:
    """A C function as a kernel of the software device.

    The function is void f(const baton_host_launch *launch, void *const *arguments), where arguments[i] points to the i-th
    value and an array's value is its address. It is called once per launch, on a thread of the device, without the
    interpreter: functions written in Python are refused. It stays loaded as long as the kernel is used: keep the library
    or the compiled object. signature is described at parameters().
    """
    title = name or getattr(function, "__name__", None) or "host"
    return _core._kernel_host(_address(function), title, signature, _device(device))


__all__ = ["DType", "compile", "host_kernel", "load", "parameters"]
