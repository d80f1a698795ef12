"""Exceptions. Each carries the fields of the library's error record."""

from __future__ import annotations

import builtins

STATUSES = {
    4: "BATON_TIMEOUT",
    -1: "BATON_ERR_ARGUMENT",
    -2: "BATON_ERR_HANDLE",
    -3: "BATON_ERR_VERSION",
    -4: "BATON_ERR_DTYPE",
    -5: "BATON_ERR_SHAPE",
    -6: "BATON_ERR_BOUNDS",
    -7: "BATON_ERR_OVERLAP",
    -8: "BATON_ERR_KIND",
    -9: "BATON_ERR_DEVICE",
    -10: "BATON_ERR_PEER",
    -11: "BATON_ERR_STREAM",
    -12: "BATON_ERR_THREAD",
    -13: "BATON_ERR_MEMORY",
    -14: "BATON_ERR_OOM",
    -15: "BATON_ERR_UNSUPPORTED",
    -16: "BATON_ERR_NO_DRIVER",
    -17: "BATON_ERR_DRIVER",
    -18: "BATON_ERR_POISONED",
    -19: "BATON_ERR_CAPTURE",
    -20: "BATON_ERR_NESTED_STREAM",
    -21: "BATON_ERR_WOULD_DEADLOCK",
    -22: "BATON_ERR_SCOPE_OPEN",
    -23: "BATON_ERR_HOOK",
    -24: "BATON_ERR_FORKED",
    -25: "BATON_ERR_CLOSED",
    -26: "BATON_ERR_BUSY",
    -27: "BATON_ERR_TOPOLOGY",
    -28: "BATON_ERR_COMPILE",
}

ORIGINS = ("call", "async", "teardown")


class Error(Exception):
    """An operation failed. The fields are those of baton_error in baton.h.

    origin is "call", "async" (a fault of earlier work: ticket_first to ticket_last on stream_id are under suspicion) or
    "teardown"; 0 in stream_id and memory_id means none; driver_code is the driver's own number, 0 when it was not involved.
    """

    status: int = 0
    status_name: str = ""
    driver_code: int = 0
    origin: str = "call"
    operation: int = 0
    level: int = 0
    device: int = 0
    stream_id: int = 0
    memory_id: int = 0
    tag: int = 0
    ticket_first: int = 0
    ticket_last: int = 0


class ArgumentError(Error, ValueError):
    """An impossible value."""


class DtypeError(Error, TypeError):
    """An element type that cannot be used so."""


class ShapeError(Error, ValueError):
    """Shapes that do not fit, or that need a copy."""


class BoundsError(Error, IndexError):
    """An index or a slice outside the array."""


class OverlapError(Error, ValueError):
    """Source and target share memory."""


class KindError(Error, ValueError):
    """Memory of this kind cannot do that."""


class DeviceError(Error, ValueError):
    """No such device, devices that cannot reach each other, or objects of different ones."""


class StreamError(Error, ValueError):
    """A stream of another driver, or one that cannot do this, or on the wrong thread."""


class OutOfMemoryError(Error, MemoryError):
    """The device or the host is out of memory, or the limit is reached, after garbage was collected."""


class UnsupportedError(Error, NotImplementedError):
    """This driver or device cannot do that."""


class DriverError(Error, RuntimeError):
    """The driver refused: driver_code says why."""


class NoDriverError(DriverError):
    """There is no driver, it is too old, or there is no device."""


class PoisonedError(DriverError):
    """A fault on the device made its context useless: restart the process."""


class CaptureError(Error, RuntimeError):
    """Not possible while the stream is captured."""


class TopologyError(Error, ValueError):
    """The graph's shape differs."""


class ScopeError(Error, RuntimeError):
    """An open managed() block of this task holds the memory."""


class BusyError(Error, RuntimeError):
    """In use, or done already."""


class ClosedError(Error, ValueError):
    """The array, or the runtime, is closed."""


class ForkedError(Error, RuntimeError):
    """The driver does not survive a fork: a child process that needs it is started with spawn, not fork."""


class CompileError(Error, ValueError):
    """The source does not compile. log holds what the compiler said."""

    log: str = ""


class TimeoutError(Error, builtins.TimeoutError):
    """The wait's time is over; nothing has changed."""


CLASSES: dict[int, type[Error]] = {
    4: TimeoutError,
    -1: ArgumentError,
    -2: ClosedError,
    -4: DtypeError,
    -5: ShapeError,
    -6: BoundsError,
    -7: OverlapError,
    -8: KindError,
    -9: DeviceError,
    -10: DeviceError,
    -11: StreamError,
    -12: StreamError,
    -13: OutOfMemoryError,
    -14: OutOfMemoryError,
    -15: UnsupportedError,
    -16: NoDriverError,
    -17: DriverError,
    -18: PoisonedError,
    -19: CaptureError,
    -20: ScopeError,
    -21: ScopeError,
    -22: ScopeError,
    -24: ForkedError,
    -25: ClosedError,
    -26: BusyError,
    -27: TopologyError,
    -28: CompileError,
}

ADVICE = {
    -24: "; in a child of fork() the runtime cannot be used: start processes with multiprocessing's 'spawn'",
}


def make(status: int, message: str, driver_code: int, origin: int, operation: int, level: int, *numbers: int) -> Error:
    """The exception for an error record."""
    error = CLASSES.get(status, Error)(message + ADVICE.get(status, ""))
    error.status = status
    error.status_name = STATUSES.get(status, "unknown")
    error.driver_code = driver_code
    error.origin = ORIGINS[origin] if 0 <= origin < len(ORIGINS) else "unknown"
    error.operation = operation
    error.level = level
    error.device, error.stream_id, error.memory_id, error.tag, error.ticket_first, error.ticket_last = numbers
    return error
