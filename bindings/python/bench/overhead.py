"""What Python adds to a call: a launch that passes an array back and forth between two streams (F13), and making and
releasing an array (F14); beside the same by C, and by PyTorch, CuPy and cuda.core where they are installed.

    BATON_DRIVER=cuda python bench/overhead.py --json overhead.json

All run in this process, batch by batch in turns, so that a drift of the machine meets all alike. The C side is bench/floor.c, which
is compiled if floor.so is not beside this file. Figures are nanoseconds per operation, medians with their quartiles; a ratio is the
median of the ratios of batches that ran one after the other. bench/plot.py draws the JSON, as --times and as --peers.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import baton

HERE = Path(__file__).resolve().parent
TOP = next((folder for folder in HERE.parents if (folder / "bench" / "kernels_ptx.h").exists()), HERE)  # of the tree
ROWS = {
    "pingpong": "one array between two streams",
    "create": "create + release 64 bytes, at once",
    "create/4K": "create + release 4 KiB, 200 live",
}
PYTHON, DRIVER, C = "Baton, Python", "raw driver", "Baton"
SMALL = 16  # elements of "create"
Body = Callable[[int], int]


def file(*places: Path) -> Path:
    """The first that is there: beside this file, or in the tree."""
    return next((place for place in places if place.exists()), places[-1])


def load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PEERS = file(HERE / "peers.py", TOP / "bench" / "peers.py")
sys.path.append(str(PEERS.parent))  # for what it imports
peers: Any = load("peers", PEERS)


# ---- by C


def build_floor(folder: str) -> Path:
    """floor.c, compiled against the library that is installed, or is in the package."""
    bundled, target = Path(baton.get_include()), Path(folder) / "floor.so"
    if (bundled / "baton.h").exists():
        flags = [f"-I{bundled}", str(bundled / "libbaton.so.0")]
    else:
        command = ["pkg-config", "--cflags", "--libs", "baton"]
        flags = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    compiler = [*os.environ.get("CC", "cc").split(), "-std=c11", "-D_GNU_SOURCE", "-O2", "-shared", "-fPIC"]
    subprocess.run([*compiler, "-I", TOP / "bench", "-o", target, HERE / "floor.c", *flags, "-ldl"], check=True)
    return target


class Floor:
    """The rows of floor.c: a peer as those of bench/peers.py, under two names."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ready = HERE / "floor.so"
            self.library = ctypes.CDLL(str(ready if ready.exists() else build_floor(folder)))
        self.library.floor_open.restype = self.library.floor_problem.restype = ctypes.c_char_p
        info = baton.info()
        driver = f"soft:{info['devices']}" if info["driver"] == "soft" else info["driver"]
        problem = self.library.floor_open(driver.encode())
        if problem:
            raise RuntimeError(problem.decode())

    def body(self, name: str) -> Body:
        function = getattr(self.library, name)
        function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_uint64]

        def body(n: int) -> int:
            ns = int(function(n))
            if not ns:
                raise RuntimeError(self.library.floor_problem().decode())
            return ns

        return body

    def rows(self) -> dict[tuple[str, str], Body]:
        rows = {("pingpong", C): self.body("floor_baton_ping_pong"), ("create", C): self.body("floor_baton_create")}
        if self.library.floor_has_driver():
            rows["pingpong", DRIVER] = self.body("floor_driver_ping_pong")
        return rows

    def settle(self) -> None:
        self.library.floor_settle()


# ---- by Python


def small_baton(_: Any) -> Body:
    return peers.repeat(baton.empty, SMALL, baton.float32)  # type: ignore[no-any-return]


def small_torch(peer: Any) -> Body:
    torch = peer.torch
    return peer.on_a(peers.repeat(lambda: torch.empty(SMALL, device="cuda")))  # type: ignore[no-any-return]


def small_cupy(peer: Any) -> Body:
    return peer.on_a(peers.repeat(peer.cupy.empty, SMALL, "f4"))  # type: ignore[no-any-return]


def small_core(peer: Any) -> Body:
    device, stream = peer.device, peer.a
    return peers.repeat(lambda: device.allocate(4 * SMALL, stream=stream).close(stream))  # type: ignore[no-any-return]


def makers() -> dict[str, tuple[Callable[[], Any], Callable[[Any], Body]]]:
    binding = file(HERE / "peer.py", HERE.parent / "peer.py")
    made: dict[str, tuple[Callable[[], Any], Callable[[Any], Body]]] = {
        PYTHON: (lambda: peers.Binding(str(binding)), small_baton)
    }
    if baton.info()["driver"] == "cuda":
        made |= {
            "PyTorch": (peers.Torch, small_torch),
            "CuPy": (peers.Cupy, small_cupy),
            "cuda.core": (peers.Core, small_core),
        }
    return made


Entry = tuple[str, str, Body, Callable[[], None]]


def entries(versions: dict[str, str], missing: dict[str, str]) -> list[Entry]:
    """(row, who, body, settle) of everything that can be measured here."""
    found: list[Entry] = []
    try:
        floor = Floor()
        found += [(row, who, body, floor.settle) for (row, who), body in floor.rows().items()]
    except (OSError, RuntimeError, subprocess.SubprocessError) as problem:
        missing["the C side"] = str(problem)
    for name, (make, small) in makers().items():
        try:
            peer = make()
            rows = {**peer.rows(), "create": small(peer)}
        except Exception as problem:  # noqa: BLE001  a library that is not here, or cannot do it, is told and left out
            missing[name] = f"{type(problem).__name__}: {problem}"
            continue
        versions[name] = peer.version
        for row, body in rows.items():
            base, _, variant = row.partition(", ")
            if base in ROWS:
                found.append((base, f"{name}, {variant}" if variant else name, body, peer.settle))
    return found


# ---- measuring

Times = dict[str, list[float]]


class Quiet:
    """Whether this processor does its work at full speed: see bench/quiet.h."""

    best = float("inf")

    def here(self) -> bool:
        """A fixed piece of work takes no longer here than where it was fastest so far, but for a fifth."""
        now = min(peers.repeat(len, ())(500) for _ in range(3))
        self.best = min(self.best, now)
        return now <= 1.2 * self.best

    def seek(self) -> None:
        """Moves this thread to a processor that is quiet; gives up after all have been tried. It may still run anywhere."""
        everywhere = os.sched_getaffinity(0)
        for cpu in everywhere:
            if self.here():
                break
            os.sched_setaffinity(0, {cpu})
            os.sched_setaffinity(0, everywhere)  # there until something else takes it away


quiet = Quiet()


def measure_one(body: Body, settle: Callable[[], None]) -> float:
    """Nanoseconds of an operation, from a batch whose processor was quiet if one of a few was."""
    for _ in range(5):
        quiet.seek()
        each = body(peers.BATCH) / peers.BATCH
        settle()
        if quiet.here():
            break
    return each


def measure(some: list[Entry], batches: int) -> Times:
    times: Times = {who: [] for _, who, _, _ in some}
    for batch in range(-2, batches):
        for _, who, body, settle in some:
            each = measure_one(body, settle)
            if batch >= 0:
                times[who].append(each)
    return times


def spread(values: list[float]) -> tuple[float, float, float]:
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def figures_of(row: str, times: Times) -> list[dict[str, Any]]:
    order = sorted(times, key=[DRIVER, C, PYTHON, *times].index)
    told = []
    for who in order:
        low, middle, high = spread(times[who])
        told.append({"row": row, "who": who, "ns": round(middle, 1), "low": round(low, 1), "high": round(high, 1)})
    return told


def compared(times: Times, floor: str) -> dict[str, Any]:
    low, middle, high = spread([ours / theirs for ours, theirs in zip(times[PYTHON], times[floor])])
    floor_ns = round(statistics.median(times[floor]), 1)
    return {"floor_ns": floor_ns, "ratio": round(middle, 4), "ratio_quartiles": [round(low, 4), round(high, 4)]}


def results_of(every: dict[str, Times]) -> list[dict[str, Any]]:
    """F13 and F14 as bench/times writes its results."""
    results = []
    pingpong, create = every.get("pingpong", {}), every.get("create", {})
    for floor, id, what, goal in (
        (DRIVER, "F13", "raw C", "<= 1.25x"),
        (C, "F13/C", "Baton's call in C", "no goal"),
    ):
        if PYTHON in pingpong and floor in pingpong:
            result = {"id": id, "name": f"Python: ping-pong of 1 array, over {what}", "goal": goal}
            ours = {"ours_ns": round(statistics.median(pingpong[PYTHON]), 1), "pairs": len(pingpong[PYTHON])}
            results.append({**result, **ours, **compared(pingpong, floor)})
    if PYTHON in create:
        ours = {"ours_ns": round(statistics.median(create[PYTHON]), 1), "pairs": len(create[PYTHON])}
        results.append({"id": "F14", "name": "Python: create and release", "goal": "<= 400 ns", **ours})
    return results


# ---- telling


def print_figures(figures: list[dict[str, Any]]) -> None:
    print(f"{'operation':36} {'by':18} {'ns':>8}  {'quartiles':18} {'x raw':>6} {'x Baton in C':>12}")
    for figure in figures:
        floors = {other["who"]: other["ns"] for other in figures if other["row"] == figure["row"]}
        shares = [f"{figure['ns'] / floors[floor]:.2f}" if floor in floors else "" for floor in (DRIVER, C)]
        quartiles = f"[{figure['low']:.0f} {figure['high']:.0f}]"
        place = f"{ROWS[figure['row']]:36} {figure['who']:18} {figure['ns']:8.0f}"
        print(f"{place}  {quartiles:18} {shares[0]:>6} {shares[1]:>12}")


def others_of(row: str, figures: list[dict[str, Any]]) -> str:
    """How the other libraries of Python stand in the same run."""
    mine = {figure["who"]: figure["ns"] for figure in figures if figure["row"] == row}
    others = [who for who in mine if who not in (PYTHON, DRIVER, C)]
    return "; ".join(f"{who} takes {mine[who] / mine[PYTHON]:.2f} times as long" for who in others)


def print_results(results: list[dict[str, Any]], figures: list[dict[str, Any]]) -> None:
    for result in results:
        if result["id"] == "F13":
            low, high = result["ratio_quartiles"]
            figure, met = f"{result['ratio']:.3f} times raw C [{low:.3f} {high:.3f}]", result["ratio"] <= 1.25
            row = "pingpong"
        elif result["id"] == "F14":
            figure, met, row = f"{result['ours_ns']:.0f} ns", result["ours_ns"] <= 400, "create"
        else:
            continue
        others = others_of(row, figures)
        print(
            f"{result['id']}: {figure}, goal {result['goal']}: {'met' if met else 'missed'}{others and '; ' + others}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=60, help="of each operation and library (at least 3)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    options = parser.parse_args()
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    found = entries(versions, missing)
    every = {row: measure([entry for entry in found if entry[0] == row], max(options.batches, 3)) for row in ROWS}
    figures = [figure for row, times in every.items() for figure in figures_of(row, times)]
    results = results_of(every)
    info = baton.info()
    device = baton.device_info()["name"]
    print(f"{device}, driver {info['driver']} {info['driver_version']}, Python {sys.version.split()[0]}")
    if info["driver"] == "soft":
        print("These times measure the software device, not a GPU: only the differences are the library's.")
    print_figures(figures)
    print_results(results, figures)
    for name, reason in missing.items():
        print(f"without {name}: {reason}")
    if options.json:
        told = {
            "date": datetime.date.today().isoformat(),
            "device": device,
            "driver": info["driver"],
            "versions": versions,
        }
        told |= {
            "python": sys.version.split()[0],
            "missing": missing,
            "rows": ROWS,
            "figures": figures,
            "results": results,
        }
        Path(options.json).write_text(json.dumps(told, indent=1) + "\n")
    return 0 if any(figure["who"] == PYTHON for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
