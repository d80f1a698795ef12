"""The package as others get it: built from its sources, with the library beside it, or inside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not (SOURCE / "setup.py").exists(), reason="the sources are not here")
FIRST = """
import baton
x = baton.arange(4, dtype="f4") + 1
maps = open("/proc/self/maps").read().splitlines()
libraries = {line.split()[-1] for line in maps if "libbaton.so" in line}
print(x.tolist(), len(libraries), *libraries, baton.get_include(), sep="\\n")
"""


def pip(*options, environment=None):
    # The compiler is not to be run under a sanitizer, nor the package to be built with one.
    clean = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "CFLAGS", "LDFLAGS")}
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", *options]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=300, env={**clean, **(environment or {})}
    )


@pytest.fixture
def sources(tmp_path):
    """A copy, so that nothing of an earlier build is in the way."""
    target = tmp_path / "sources"
    target.mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md"):
        (target / name).write_bytes((SOURCE / name).read_bytes())
    for folder in ("src", "baton"):
        (target / folder).mkdir()
        for file in (SOURCE / folder).iterdir():
            if file.suffix in (".c", ".h", ".py", ".pyi", ".typed"):
                (target / folder / file.name).write_bytes(file.read_bytes())
    return target


def test_a_wheel_carries_the_library_and_needs_no_other(sources, tmp_path):
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    made = pip("wheel", "--no-build-isolation", "--no-deps", "-w", wheels, sources, environment={"BATON_BUNDLE": "1"})
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = wheels.iterdir()
    assert wheel.name.startswith("baton_gpu-") and "-cp311-abi3-" in wheel.name
    assert pip("install", "--no-index", "--no-deps", "--target", site, wheel).returncode == 0
    clean = {key: value for key, value in os.environ.items() if key not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
    result = subprocess.run(
        [sys.executable, "-P", "-c", FIRST],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
        env={**clean, "PYTHONPATH": str(site), "BATON_DRIVER": "soft"},
    )
    assert result.returncode == 0, result.stderr
    values, count, library, include = result.stdout.splitlines()
    assert values == "[1.0, 2.0, 3.0, 4.0]" and count == "1"
    assert Path(library).parent == Path(include) == site / "baton"
    headers = {path.name for path in (site / "baton").iterdir()}
    assert {"baton.h", "baton_ffi.h", "baton_python.h", "py.typed", "_core.pyi"} <= headers


def test_without_the_library_the_build_says_what_is_missing(sources, tmp_path):
    nowhere = {"PKG_CONFIG_PATH": str(tmp_path), "PKG_CONFIG_LIBDIR": str(tmp_path)}
    made = pip(
        "install", "--no-build-isolation", "--no-deps", "--target", tmp_path / "site", sources, environment=nowhere
    )
    assert made.returncode != 0 and "Install the Baton library first" in made.stdout + made.stderr
