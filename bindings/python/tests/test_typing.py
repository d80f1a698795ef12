"""The types that the package declares are those that it has."""

import importlib.util
import subprocess
import sys

import pytest

import baton

needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is missing")

PROGRAM = """
import baton
x: baton.Array = baton.zeros((2, 3), "f4")
y: baton.Array = (x + 1.0)[0, ::2]
with baton.Stream() as stream:
    shape: tuple[int, ...] = y.shape
    pointers = baton.managed(stream, x, writes=[y])

@baton.captured
def body(a: baton.Array, n: int) -> int:
    return n

n: int = body(x, 3)

async def wait() -> baton.Array:
    return await x
"""


def run_mypy(*arguments, cwd="/"):
    return subprocess.run([sys.executable, "-m", *arguments], check=False, capture_output=True, text=True, cwd=cwd)


@needs_mypy
def test_the_stubs_are_those_of_the_compiled_part():
    result = run_mypy("mypy.stubtest", "baton._core")
    assert result.returncode == 0, result.stdout + result.stderr


@needs_mypy
def test_the_package_itself_passes_the_checker():
    result = run_mypy("mypy", "--strict", "-p", "baton")
    assert result.returncode == 0, result.stdout + result.stderr


@needs_mypy
def test_a_typed_program_passes_the_checker(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run_mypy("mypy", "--strict", "program.py", cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    (tmp_path / "program.py").write_text(PROGRAM + "\nx.shape = 3\n")
    assert run_mypy("mypy", "--strict", "program.py", cwd=tmp_path).returncode == 1


def test_the_public_names_are_there_and_documented():
    for name in baton.__all__:
        thing = getattr(baton, name)
        assert getattr(thing, "__doc__", None), name
    assert len(baton.__all__) == len(set(baton.__all__)) > 70
