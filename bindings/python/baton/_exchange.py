"""Arrays over the memory of other libraries' objects, without a copy. DLPack and Arrow are spoken in C; here is what is done around it."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Array, Stream

if TYPE_CHECKING:
    from ._types import (
        StreamLike,
        SupportsArrowArray,
        SupportsArrowDeviceArray,
        SupportsCudaArrayInterface,
        SupportsDLPack,
    )

LEGACY = 1  # the number of the stream that descriptions from before version 3 mean


# ---- streams of consumers


def _torch_stream(torch: Any, device: int) -> tuple[Any, int]:
    if not torch.cuda.is_initialized():  # asking would do it
        return None, 0
    stream = torch.cuda.current_stream(device)
    return stream, stream.cuda_stream


def _cupy_stream(cupy: Any, _device: int) -> tuple[Any, int]:
    stream = cupy.cuda.get_current_stream()
    return stream, stream.ptr


_CURRENT = {"torch": _torch_stream, "cupy": _cupy_stream}


def consumer_stream(number: int, device: int) -> object | None:
    """The object that the stream of that number belongs to, when it is the current one of a library that may be asking: DLPack
    tells the number alone, and an object can be kept. None: it is not at hand."""
    for name, current in _CURRENT.items():
        library, stream, found = sys.modules.get(name), None, 0
        # Half imported, without a GPU, or of another kind than it was.
        with contextlib.suppress(AttributeError, AssertionError, ImportError, RuntimeError, TypeError):
            stream, found = current(library, device) if library is not None else (None, 0)
        if found == number:
            return stream
    return None


# ---- arrays


def _placed(array: Array, device: int | None, copy: bool | None, stream: Any) -> Array:
    """In memory of that device; itself when it is there, or when none is asked for."""
    if device is None or (array.kind, array.device) == ("device", device):
        return array
    if copy is False:
        raise BufferError(f"the memory is not on device {device}, and copy=False forbids to bring it there")
    return array.to(device, kind="device", stream=stream)


def from_dlpack(
    x: SupportsDLPack, /, *, device: int | None = None, copy: bool | None = None, stream: StreamLike = None
) -> Array:
    """An array over the memory of an object with __dlpack__ and __dlpack_device__.

    The producer makes `stream`, by default the current one, wait for its work on the device; memory of the CPU becomes a
    host array, whose work the producer waits for. device asks for memory of that device, with a copy where the memory is
    elsewhere; copy True always copies, False never (BufferError). BufferError also for what arrays cannot be.
    """
    copy = None if copy is None else bool(copy)
    if isinstance(x, Array):
        array = x.copy(stream=stream) if copy else x[...]
    else:
        array = _core._from_dlpack(x, copy, stream)
    return _placed(array, device, copy, stream)


def from_arrow(
    x: SupportsArrowDeviceArray | SupportsArrowArray,
    /,
    *,
    device: int | None = None,
    copy: bool | None = None,
    stream: StreamLike = None,
) -> Array:
    """A read-only array over the data of an object with __arrow_c_device_array__ or __arrow_c_array__.

    Numbers without nulls, and lists of a fixed size of those. `stream`, by default the current one, waits for the data on
    the device. device and copy as in from_dlpack(); a copy can be written.
    """
    array = _core._from_arrow(x, stream)
    return _placed(array.copy(stream=stream) if copy else array, device, copy, stream)


# ---- the CUDA array interface


def _number(stream: Any) -> int:
    """Of a stream that the producer names; 0: it names none."""
    if stream is None:
        return 0
    if isinstance(stream, bool) or not isinstance(stream, int):
        raise TypeError(f"a stream of the CUDA array interface is an int or None, not {stream!r}")
    if stream <= 0:
        raise BufferError(f"stream {stream} is not a stream: 1 is the legacy stream, 2 the per-thread one")
    return stream


def _named(stream: Any) -> int:
    """Of a stream that the caller names."""
    return (stream if isinstance(stream, Stream) else Stream.from_external(stream)).handle


def _description(x: Any) -> dict[str, Any]:
    try:
        found = x.__cuda_array_interface__
    except AttributeError:
        raise TypeError(f"{type(x)!r} has no __cuda_array_interface__") from None
    if not isinstance(found, dict):
        raise TypeError("__cuda_array_interface__ is a dict")
    missing = [name for name in ("shape", "typestr", "data", "version") if name not in found]
    if missing:
        raise BufferError(f"__cuda_array_interface__ without {', '.join(missing)}")
    return found


def from_cuda_array_interface(x: SupportsCudaArrayInterface, /, *, stream: StreamLike = None) -> Array:
    """An array over the memory of an object with __cuda_array_interface__, which is kept as long as the memory is used.

    Work on the array follows the producer's stream on the device. That is the one that the interface names; where it names
    none, `stream`; else, before version 3, the legacy stream, and from version 3 on nothing is waited for. When the producer
    goes on with the memory afterwards, its stream must follow: `producer_stream.follow(baton.current_stream())`.
    """
    found = _description(x)
    data, version = found["data"], found["version"]
    if not isinstance(version, int) or version > 3 or version < 0:
        raise BufferError(f"version {version!r} of __cuda_array_interface__ is unknown")
    if found.get("mask") is not None:
        raise BufferError("arrays have no masks")
    if not (isinstance(data, tuple) and len(data) == 2 and isinstance(data[0], int | None)):
        raise BufferError("data is a tuple (address, read-only)")
    number = _number(found.get("stream"))
    if not number and stream is not None:
        number = _named(stream)
    elif not number and version < 3:
        number = LEGACY
    return _core._interface_import(
        x, data[0] or 0, bool(data[1]), found["typestr"], found["shape"], found.get("strides"), number
    )
