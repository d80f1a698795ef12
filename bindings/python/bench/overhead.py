"""What a call costs from Python: making and releasing an array (F14), and a launch that passes an array back and forth
between two streams (F13). CuPy and PyTorch do the same in the same run, where they are installed.

    BATON_DRIVER=cuda python bench/overhead.py

Figures are nanoseconds per operation: the median of batches, which alternate between the libraries, and the least.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import time
from collections.abc import Callable

import baton

BATCH = 1000
SOURCE = 'extern "C" __global__ void add_one(float *x) { x[blockIdx.x] += 1; }'

Work = Callable[[int], None]


def baton_create(count: int) -> None:
    empty, dtype = baton.empty, baton.float32
    for _ in range(count):
        empty(16, dtype)


def baton_ping_pong(kernel: baton.Kernel) -> Work:
    a, b = (kernel(1, 1, stream=baton.Stream()) for _ in range(2))
    x = baton.zeros(16, "f4")

    def work(count: int) -> None:
        for _ in range(count // 2):
            a(x)
            b(x)
        x.synchronize()

    return work


def cupy_work() -> dict[str, Work]:
    import cupy

    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    events = [cupy.cuda.Event(disable_timing=True) for _ in range(2)]
    kernel = cupy.RawKernel(SOURCE, "add_one")
    x = cupy.zeros(16, "f4")
    cupy.cuda.Device().synchronize()

    def create(count: int) -> None:
        for _ in range(count):
            cupy.empty(16, "f4")

    def ping_pong(count: int) -> None:
        for i in range(count):
            with streams[i & 1]:
                streams[i & 1].wait_event(events[i & 1 ^ 1])
                kernel((1,), (1,), (x,))
                events[i & 1].record()
        cupy.cuda.Device().synchronize()

    return {"create and release": create, "ping-pong launch": ping_pong}


def torch_work() -> dict[str, Work]:
    import torch

    streams = [torch.cuda.Stream() for _ in range(2)]
    x = torch.zeros(16, device="cuda")
    torch.cuda.synchronize()

    def create(count: int) -> None:
        for _ in range(count):
            torch.empty(16, device="cuda")

    def ping_pong(count: int) -> None:
        for i in range(count):
            with torch.cuda.stream(streams[i & 1]):
                streams[i & 1].wait_stream(streams[i & 1 ^ 1])
                x.add_(1)
        torch.cuda.synchronize()

    return {"create and release": create, "ping-pong launch": ping_pong}


def baton_work() -> dict[str, Work]:
    work: dict[str, Work] = {"create and release": baton_create}
    if baton.info()["driver"] == "cuda":
        work["ping-pong launch"] = baton_ping_pong(baton.compile(SOURCE).kernel("add_one", "inout"))
    return work


def all_work() -> dict[str, dict[str, Work]]:
    work = {"baton": baton_work()}
    if baton.info()["driver"] != "cuda":
        return work
    for name, make in (("cupy", cupy_work), ("torch", torch_work)):
        if importlib.util.find_spec(name):
            work[name] = make()
    return work


def measure(work: dict[str, Work], batches: int) -> dict[str, dict[str, float]]:
    """Batch by batch, so that a drift of the machine meets all alike."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(batches):
        for name, function in work.items():
            begin = time.perf_counter_ns()
            function(BATCH)
            times[name].append((time.perf_counter_ns() - begin) / BATCH)
    return {name: {"median": statistics.median(some[1:]), "least": min(some)} for name, some in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=30)
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    options = parser.parse_args()
    libraries = all_work()
    results = {}
    for what in ("create and release", "ping-pong launch"):
        some = {name: work[what] for name, work in libraries.items() if what in work}
        if some:
            results[what] = measure(some, options.batches)
    for what, figures in results.items():
        for name, figure in figures.items():
            print(f"{what:20} {name:8} {figure['median']:9.0f} ns   least {figure['least']:9.0f} ns")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
