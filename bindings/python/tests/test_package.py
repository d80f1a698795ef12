"""The package as others get it: built from its sources, with the library beside it, or inside."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not (SOURCE / "setup.py").exists(), reason="the sources are not here")
SEEN = {
    "PYTHONPATH": sysconfig.get_paths()["purelib"]
}  # for a build without isolation: the packages of this environment
FIRST = """
import baton
x = baton.arange(4, dtype="f4") + 1
maps = open("/proc/self/maps").read().splitlines()
libraries = {line.split()[-1] for line in maps if "libbaton.so" in line}
print(x.tolist(), len(libraries), *libraries, baton.get_include(), sep="\\n")
"""


def new_environment(folder):
    """The interpreter of a fresh virtual environment, without pip."""
    subprocess.run([sys.executable, "-P", "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    return folder / "bin" / "python"


def first_program(python):
    clean = {key: value for key, value in os.environ.items() if key not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
    return subprocess.run(
        [python, "-P", "-c", FIRST],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
        env={**clean, "BATON_DRIVER": "soft"},
    )


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
    wheels = tmp_path / "wheels"
    made = pip("wheel", "--no-build-isolation", "--no-deps", "-w", wheels, sources, environment={"BATON_BUNDLE": "1"})
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = wheels.iterdir()
    assert wheel.name.startswith("baton_gpu-") and "-cp311-abi3-" in wheel.name
    python = new_environment(tmp_path / "venv")
    installed = pip("--python", python, "install", "--no-index", "--no-deps", wheel)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    result = first_program(python)
    assert result.returncode == 0, result.stderr
    values, count, library, include = result.stdout.splitlines()
    assert values == "[1.0, 2.0, 3.0, 4.0]" and count == "1"
    assert Path(library).parent == Path(include) and Path(include).is_relative_to(tmp_path / "venv")
    headers = {path.name for path in Path(include).iterdir()}
    assert {"baton.h", "baton_ffi.h", "baton_python.h", "py.typed", "_core.pyi"} <= headers


def test_the_sources_are_installed_beside_the_installed_library(sources, tmp_path):
    python = new_environment(tmp_path / "venv")
    made = pip("--python", python, "install", "--no-deps", "--no-build-isolation", sources, environment=SEEN)
    assert made.returncode == 0, made.stdout + made.stderr
    result = first_program(python)
    assert result.returncode == 0, result.stderr
    values, count, library, _ = result.stdout.splitlines()
    assert values == "[1.0, 2.0, 3.0, 4.0]" and count == "1"
    where = subprocess.run(
        ["pkg-config", "--variable=libdir", "baton"], check=True, capture_output=True, text=True
    ).stdout
    assert Path(library).parent == Path(where.strip()).resolve()


def test_the_extension_is_linked_with_the_library_alone_and_keeps_to_the_stable_interface():
    """CUDA is opened when it is needed, and never linked; every function of CPython is one of the limited API."""
    from baton import _core

    needed = subprocess.run(["readelf", "-d", _core.__file__], check=True, capture_output=True, text=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.*)\]", needed))
    assert libraries - {"libasan.so.8", "libubsan.so.1", "libpthread.so.0"} == {"libbaton.so.0", "libc.so.6"}
    audit = subprocess.run(
        [sys.executable, "-m", "abi3audit", "--strict", "--assume-minimum-abi3", "3.11", _core.__file__],
        check=False,
        capture_output=True,
        text=True,
    )
    if "No module named" in audit.stderr:
        pytest.skip("abi3audit is not installed")
    assert audit.returncode == 0, audit.stdout + audit.stderr


def test_without_the_library_the_build_says_what_is_missing(sources, tmp_path):
    nowhere = {"PKG_CONFIG_PATH": str(tmp_path), "PKG_CONFIG_LIBDIR": str(tmp_path)}
    made = pip(
        "install", "--no-build-isolation", "--no-deps", "--target", tmp_path / "site", sources, environment=nowhere
    )
    assert made.returncode != 0 and "Install the Baton library first" in made.stdout + made.stderr


def test_every_file_is_in_the_release_archive():
    """local.mk names them; what is not named is missing for those who build from the archive."""
    named = set(re.findall(r"bindings/python/(\S+)", (SOURCE / "local.mk").read_text()))
    folders = ("baton", "bench", "src", "tests", "tools")
    files = [path for folder in folders for path in (SOURCE / folder).iterdir() if path.is_file()]
    missing = {str(path.relative_to(SOURCE)) for path in files} - named
    assert len(files) > 80 and missing == set()
