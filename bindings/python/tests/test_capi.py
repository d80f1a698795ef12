"""baton_python.h, by an extension that uses nothing else."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import baton

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def capi(compiler, include_flags, tmp_path_factory, library_flags):
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        pytest.skip("Python's headers are missing")
    target = tmp_path_factory.mktemp("capi") / "capi.so"
    includes = ["-I", sysconfig.get_paths()["include"], "-I", baton.get_include(), *include_flags]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        [*compiler, "-shared", "-fPIC", *warnings, *includes, "-o", target, HERE / "capi.c", *library_flags], check=True
    )
    spec = importlib.util.spec_from_file_location("capi", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_extension_takes_arrays_and_makes_them(capi):
    x = baton.zeros(5)
    count = sys.getrefcount(x)
    y = capi.twice(x)
    assert y.tolist() == [10, 10, 10] and y.dtype == baton.int32 and sys.getrefcount(x) == count
    assert y.owner_stream_id == baton.current_stream().id


def test_an_extension_sees_the_tasks_stream(capi):
    stream = baton.Stream()
    assert capi.stream_id(None) == baton.current_stream().id
    assert capi.stream_id(stream) == stream.id
    with stream:
        assert capi.stream_id(None) == stream.id


def test_an_extension_gets_exceptions(capi):
    assert capi.check(baton.zeros(1)) and not capi.check(1)
    with pytest.raises(TypeError):
        capi.twice(3)
    with pytest.raises(TypeError):
        capi.stream_id("a")
    with pytest.raises(baton.ArgumentError):
        capi.fail()
    x = baton.zeros(1)
    x.close()
    with pytest.raises(baton.ClosedError):
        capi.twice(x)


def test_the_header_is_in_the_package():
    assert os.path.exists(os.path.join(baton.get_include(), "baton_python.h"))


def test_the_header_is_for_cxx_too(include_flags, tmp_path):
    if not shutil.which("c++") or not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        pytest.skip("no C++ compiler, or no headers of Python's")
    source = tmp_path / "header.cc"
    source.write_text("#include <baton_python.h>\nint main() { return baton_python_import() != nullptr; }\n")
    includes = ["-I", sysconfig.get_paths()["include"], "-I", baton.get_include(), *include_flags]
    subprocess.run(["c++", "-std=c++11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *includes, source], check=True)
