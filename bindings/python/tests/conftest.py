"""The tests run on two software devices, unless BATON_DRIVER says otherwise."""

import ctypes
import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("BATON_DRIVER", "soft:2")

import pytest

import baton

HERE = Path(__file__).parent

try:
    import hypothesis
except ImportError:  # the files that use it cannot run then, the others can
    collect_ignore = ["test_array.py", "test_arithmetic.py", "test_exchange_layouts.py", "test_interleavings.py"]
else:
    hypothesis.settings.register_profile("fast", max_examples=60, deadline=None)
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Every array that a test makes is released at its end. What earlier tests left is given back first: pinned memory,
    of gates too, is freed by a call that waits for the device."""
    baton.drain()
    before = baton.stats()["live_arrays"]
    yield
    sys.last_traceback = sys.last_value = sys.last_exc = None
    if baton.stats()["live_arrays"] > before:
        gc.collect()
        while baton.stats()["live_arrays"] > before and baton.drain() > 0:
            pass  # what a consumer gives back may hold more
    assert baton.stats()["live_arrays"] <= before


@pytest.fixture(scope="session")
def compiler():
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and shutil.which(name.split()[0]):
            return name.split()
    pytest.skip("no C compiler")


@pytest.fixture(scope="session")
def include_flags():
    bundled = Path(baton.get_include())
    if (bundled / "baton.h").exists():
        return [f"-I{bundled}"]
    return subprocess.run(
        ["pkg-config", "--cflags", "baton"], check=True, capture_output=True, text=True
    ).stdout.split()


@pytest.fixture(scope="session")
def library_flags():
    bundled = Path(baton.get_include()) / "libbaton.so.0"
    if bundled.exists():
        return [str(bundled)]
    return subprocess.run(["pkg-config", "--libs", "baton"], check=True, capture_output=True, text=True).stdout.split()


@pytest.fixture(scope="session")
def library(compiler, include_flags, tmp_path_factory):
    """kernels.c as a library of ctypes."""
    if baton.info()["driver"] != "soft":
        pytest.skip("C functions are kernels of the software device")
    target = tmp_path_factory.mktemp("kernels") / "kernels.so"
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", *include_flags, "-o", target, HERE / "kernels.c"], check=True)
    return ctypes.CDLL(str(target))


# The same kernels for a GPU, with one block for each element.
SOURCE = """
extern "C" __global__ void add_one(float *x) { x[blockIdx.x] += 1; }
extern "C" __global__ void scale(float *to, const float *from, float factor) { to[blockIdx.x] = factor * from[blockIdx.x]; }
"""


def kernel(request, name, signature):
    if baton.info()["driver"] == "soft":
        return baton.host_kernel(getattr(request.getfixturevalue("library"), name), signature)
    return baton.compile(SOURCE).kernel(name, signature)


@pytest.fixture
def add_one(request):
    """x[i] += 1 for i below the grid, on float32."""
    return kernel(request, "add_one", "inout")


@pytest.fixture
def scale(request):
    """to[i] = factor * from[i]."""
    return kernel(request, "scale", "out, in, float32")


@pytest.fixture
def two_devices():
    if baton.info()["devices"] < 2:
        pytest.skip("there is one device")


@pytest.fixture
def pair():
    """Two streams."""
    return baton.Stream(), baton.Stream()


def run_python(code, *, timeout=60, environment=None, options=()):
    """A fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", *options, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd="/",
        env={**os.environ, **(environment or {})},
    )


@pytest.fixture(name="run_python")
def run_python_fixture():
    return run_python
