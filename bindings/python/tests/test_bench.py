"""The benchmark of F13 and F14 runs, tells what it measured, and its figures can be drawn. The times decide nothing."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import baton

BENCH = Path(__file__).resolve().parents[1] / "bench"
TREE = next((folder for folder in BENCH.parents if (folder / "bench" / "kernels_ptx.h").exists()), None)


def run(*command):
    return subprocess.run(
        [sys.executable, *command], check=False, capture_output=True, text=True, timeout=300, env={**os.environ}
    )


@pytest.fixture(scope="module")
def overhead(tmp_path_factory):
    """(what it printed, its JSON file)"""
    if not (BENCH / "floor.so").exists() and not (TREE and shutil.which(os.environ.get("CC", "cc").split()[0])):
        pytest.skip("neither floor.so, nor a C compiler and the tree")
    path = tmp_path_factory.mktemp("overhead") / "overhead.json"
    result = run(BENCH / "overhead.py", "--batches", "3", "--json", path)
    assert result.returncode == 0, result.stderr
    return result.stdout, path


def test_python_is_measured_beside_c_in_one_run(overhead):
    printed, path = overhead
    told = json.loads(path.read_text())
    figures = {(figure["row"], figure["who"]): figure for figure in told["figures"]}
    assert {("pingpong", "Baton"), ("create", "Baton")} <= set(figures), told["missing"]
    assert {(row, "Baton, Python") for row in told["rows"]} <= set(figures), told["missing"]
    assert all(0 < figure["low"] <= figure["ns"] <= figure["high"] for figure in figures.values())
    assert (("pingpong", "raw driver") in figures) == (baton.info()["driver"] == "cuda")
    assert all(title in printed for title in told["rows"].values())


def test_the_goals_are_told_as_bench_times_tells_them(overhead):
    printed, path = overhead
    results = {result["id"]: result for result in json.loads(path.read_text())["results"]}
    assert ("F13" in results) == (baton.info()["driver"] == "cuda")
    for result in results.values():
        assert result["ours_ns"] > 0 and result["pairs"] == 3
    ratio = results["F13/C"]
    assert ratio["ratio_quartiles"][0] <= ratio["ratio"] <= ratio["ratio_quartiles"][1]
    assert "F14: " in printed and "F14" in results


def test_the_figures_can_be_drawn(overhead, tmp_path):
    if not TREE or not importlib.util.find_spec("matplotlib"):
        pytest.skip("this needs matplotlib and bench/plot.py")
    _, path = overhead
    result = run(TREE / "bench" / "plot.py", "--times", path, "--peers", path, "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    peers, goals = ((tmp_path / f"performance-{name}.svg").read_text() for name in ("peers", "goals"))
    assert peers.startswith("<?xml") and "Baton, Python" in peers and "one array between two streams" in peers
    assert "F14: Python: create and release" in goals
