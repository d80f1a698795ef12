"""Names for types in annotations."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from ._core import Stream


class SupportsCudaStream(Protocol):
    """An object that stands for a stream of CUDA's: (0, handle)."""

    def __cuda_stream__(self) -> tuple[int, int]: ...


class SupportsDLPack(Protocol):
    """A producer of DLPack."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


class SupportsCudaArrayInterface(Protocol):
    """An object that describes memory of CUDA's."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class SupportsArrowDeviceArray(Protocol):
    """A producer of Arrow data on devices."""

    def __arrow_c_device_array__(self, requested_schema: Any = ..., **kwargs: Any) -> tuple[Any, Any]: ...


class SupportsArrowArray(Protocol):
    """A producer of Arrow data of the CPU."""

    def __arrow_c_array__(self, requested_schema: Any = ...) -> tuple[Any, Any]: ...


Number: TypeAlias = builtins.bool | int | float | complex
StreamLike: TypeAlias = "Stream | SupportsCudaStream | int | None"
Shape: TypeAlias = int | Sequence[int]
Kind: TypeAlias = Literal["device", "host", "unified"]
Mode: TypeAlias = Literal["global", "thread_local", "relaxed"]
Access: TypeAlias = Literal["r", "w", "rw"]
Signature: TypeAlias = str | Iterable[Any]
