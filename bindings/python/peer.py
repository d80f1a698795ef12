"""The rows of bench/peers.py for this package: {row: body}, where body(n) does n operations and returns the nanoseconds that
they took. What runs is what a program would write: launches configured once, the task's own stream for the rest."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from time import perf_counter_ns as now

import baton

ELEMENTS, LIVE, STEPS, MB2 = 512, 200, 10, 2 << 20
TOUCH = 'extern "C" __global__ void touch(float *a) { a[0] += 1; }'

Body = Callable[[int], int]


def kernel() -> baton.Kernel:
    """a[0] += 1; on the software device, where there is no compiler, a function that does nothing."""
    if baton.info()["driver"] == "cuda":
        return baton.compile(TOUCH, name="touch.cu").kernel("touch", "inout")
    return baton.host_kernel(_nothing(), "inout")


def _nothing() -> int:
    """The address of a C function that takes two pointers and touches nothing."""
    return ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value or 0


def repeat(operation: Callable[[], object]) -> Body:
    def body(n: int) -> int:
        start = now()
        for _ in range(n):
            operation()
        return now() - start

    return body


def launch(touch: baton.Kernel, x: baton.Array) -> Body:
    launch = touch(1, 1, stream=baton.Stream())

    def body(n: int) -> int:
        start = now()
        for _ in range(n):
            launch(x)
        return now() - start

    return body


def ping_pong(touch: baton.Kernel, x: baton.Array) -> Body:
    a, b = (touch(1, 1, stream=baton.Stream()) for _ in range(2))

    def body(n: int) -> int:
        start = now()
        for _ in range(n // 2):
            a(x)
            b(x)
        return now() - start

    return body


def ring(size: int) -> Body:
    """Each operation gives the oldest block back and takes a new one."""
    empty, u1 = baton.empty, baton.uint8
    blocks: list[baton.Array | None] = [empty(size, u1) for _ in range(LIVE)]

    def body(n: int) -> int:
        start = now()
        for i in range(n):
            at = i % LIVE
            blocks[at] = None
            blocks[at] = empty(size, u1)
        return now() - start

    return body


def copy() -> Body:
    source, to, stream = baton.zeros(MB2, "u1"), baton.zeros(MB2, "u1"), baton.Stream()
    SHARED.append(to)

    def body(n: int) -> int:
        start = now()
        for _ in range(n):
            to.copy_from(source, stream)
        return now() - start

    return body


def graph(touch: baton.Kernel, x: baton.Array) -> Body:
    stream = baton.Stream()
    step = touch(1, 1, stream=stream)
    with baton.capture(stream) as captured:
        for _ in range(STEPS):
            step(x)
    return repeat(lambda: captured.launch(stream))


def settle() -> None:
    """Until the device is idle: every stream that the rows use has its work on one of the arrays that they share."""
    for array in SHARED:
        array.synchronize()
    baton.current_stream().synchronize()
    baton.drain()


SHARED: list[baton.Array] = []


def rows() -> dict[str, Body]:
    touch, x = kernel(), baton.zeros(ELEMENTS, "f4")
    SHARED[:] = [x]
    idle = baton.Stream()
    bodies = {
        "launch": launch(touch, x),
        "pingpong": ping_pong(touch, x),
        "create/4K": ring(4096),
        "create/2M": ring(MB2),
        "copy/2M": copy(),
        "graph": graph(touch, x),
        "idle": repeat(idle.synchronize),
    }
    settle()
    return bodies
