#!/usr/bin/env python3
"""What the same operations cost through PyTorch, CuPy and cuda.core, beside the raw driver and Baton: nanoseconds each.

usage: peers.py [--times PROGRAM] [--driver NAME] [--binding FILE] [--json FILE] [--quick] [--jax] [ROW ...]

The raw driver, waiting on the host, and Baton are measured in C by bench/times, which this runs first (--times, else the one in
build/). The others are measured here, from Python, in loops whose own cost is told and not taken off. A figure is the median
over many batches, with its quartiles; the device is idle before each batch.

Baton's Python binding takes part when it can be imported and FILE (else bindings/python/peer.py) is there. FILE defines
rows(), which gives {row: body}: body(n) does n operations and gives back the nanoseconds that they took.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
from time import perf_counter_ns as now

from peers_libraries import Binding, Core, Cupy, Jax, Torch, repeat

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ROWS = {
    "launch": "kernel launch, one stream",
    "pingpong": "one array between two streams",
    "create/4K": "create + release 4 KiB, 200 live",
    "create/2M": "create + release 2 MB, 200 live",
    "copy/2M": "copy of 2 MB on the device, submitted",
    "graph": "graph launch, 10 kernels",
    "idle": "synchronize an idle stream",
}
# From bench/times: (its id, its member, this row, whose figure it is).
FROM_TIMES = [("F1/1", "floor_ns", "launch", "raw driver"), ("F1/1", "ours_ns", "launch", "Baton"),
              ("F2/events", "floor_ns", "pingpong", "raw driver"), ("F2/events", "ours_ns", "pingpong", "Baton"),
              ("F2/host", "floor_ns", "pingpong", "host waits"),
              ("F7/4K", "floor_ns", "create/4K", "raw driver"), ("F7/4K", "ours_ns", "create/4K", "Baton"),
              ("F7/2M", "floor_ns", "create/2M", "raw driver"), ("F7/2M", "ours_ns", "create/2M", "Baton"),
              ("F8/copy", "floor_ns", "copy/2M", "raw driver"), ("F8/copy", "ours_ns", "copy/2M", "Baton"),
              ("F9", "floor_ns", "graph", "raw driver"), ("F9", "ours_ns", "graph", "Baton"),
              ("cuda/synchronization/stream/auto", "floor_ns", "idle", "raw driver"),
              ("cuda/synchronization/stream/auto", "ours_ns", "idle", "Baton")]
BATCH = 200


def measure(body, settle, budget_s, n=BATCH):
    """Median and quartiles of nanoseconds per operation, over as many batches as the time allows: 9 to 101."""
    body(n)
    settle()
    figures, end = [], now() + int(budget_s * 1e9)
    while len(figures) < 9 or (len(figures) < 101 and now() < end):
        figures.append(body(n) / n)
        settle()
    low, middle, high = statistics.quantiles(figures, n=4, method="inclusive")
    return {"ns": round(middle, 1), "low": round(low, 1), "high": round(high, 1), "batches": len(figures)}


def from_times(program, driver, quick, wanted):
    """What the program in C measured, as rows of this one."""
    rows = [row for row in FROM_TIMES if row[2] in wanted]
    if not rows:
        return [], {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "times.json")
        command = [program, "--driver", driver, "--json", path] + ["--quick"] * quick + sorted({row[0] for row in rows})
        subprocess.run(command, check=True, stdout=sys.stderr, timeout=200)
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
    found = {result["id"]: result for result in told["results"]}
    return [{"row": row, "who": who, "ns": found[id][member], "batches": found[id]["pairs"]}
            for id, member, row, who in rows if id in found and member in found[id]], told


def from_peer(peer, wanted, budget_s, missing):
    figures = []
    for row, body in peer.rows().items():
        base, _, variant = row.partition(", ")
        if base not in wanted:
            continue
        try:
            figure = measure(body, peer.settle, budget_s)
        except Exception as problem:
            missing[f"{peer.name}, {row}"] = f"{type(problem).__name__}: {problem}"
        else:
            figures.append({"row": base, "who": peer.name + (f", {variant}" if variant else ""), **figure})
    return figures


def print_table(figures, wanted):
    print(f"{'operation':40} {'by':20} {'ns':>10}  {'quartiles':24} {'x raw':>8}")
    for row in wanted:
        mine = [figure for figure in figures if figure["row"] == row]
        raw = next((figure["ns"] for figure in mine if figure["who"] == "raw driver"), None)
        for figure in mine:
            quartiles = f"[{figure['low']:.0f} {figure['high']:.0f}]" if "low" in figure else ""
            times = f"{figure['ns'] / raw:.2f}" if raw else ""
            print(f"{ROWS[row]:40} {figure['who']:20} {figure['ns']:10.0f}  {quartiles:24} {times:>8}")


def read_choice():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--times", default=os.path.join(TOP, "build", "bench", "times"))
    parser.add_argument("--driver", default="cuda", help="of bench/times")
    parser.add_argument("--binding", default=os.path.join(TOP, "bindings", "python", "peer.py"))
    parser.add_argument("--json")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jax", action="store_true")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    choice = parser.parse_args()
    unknown = [row for row in choice.rows if row not in ROWS]
    if unknown:
        parser.error(f"no such row: {', '.join(unknown)}; there are {', '.join(ROWS)}")
    return choice


def main():
    choice = read_choice()
    wanted = choice.rows or list(ROWS)
    figures, missing, versions, told = [], {}, {}, {}
    try:
        figures, told = from_times(choice.times, choice.driver, choice.quick, wanted)
    except (OSError, subprocess.SubprocessError, ValueError) as problem:
        missing["bench/times"] = str(problem)
    peers = [("PyTorch", Torch), ("CuPy", Cupy), ("cuda.core", Core)] + [("JAX", Jax)] * choice.jax
    for name, make in peers + [("Baton, Python", lambda: Binding(choice.binding))]:
        try:
            peer = make()
            figures += from_peer(peer, wanted, 0.2 if choice.quick else 1.0, missing)
            versions[name] = peer.version
        except Exception as problem:    # a library that is not here, or cannot do it, is told and left out
            missing[name] = f"{type(problem).__name__}: {problem}"
    loop = measure(repeat(lambda: None), lambda: None, 0.1)["ns"]
    print_table(figures, wanted)
    print(f"A loop of Python around an empty function takes {loop:.0f} ns, which is part of the figures of Python libraries.")
    for name, reason in missing.items():
        print(f"without {name}: {reason}")
    if choice.json:
        with open(choice.json, "w", encoding="utf-8") as file:
            json.dump({"date": datetime.date.today().isoformat(), "device": told.get("device"), "driver": told.get("driver"),
                       "python": sys.version.split()[0], "versions": versions, "loop_ns": loop, "missing": missing,
                       "rows": {row: ROWS[row] for row in wanted}, "figures": figures}, file, indent=1)
            file.write("\n")
    return 0 if figures else 1


if __name__ == "__main__":
    sys.exit(main())
