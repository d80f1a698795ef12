"""baton_python.h, by an extension that uses nothing else."""

import ctypes
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


def load(path):
    spec = importlib.util.spec_from_file_location("capi", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=["", "-DPy_LIMITED_API=0x030B0000"], ids=["this version", "abi3"])
def capi(request, compiler, include_flags, tmp_path_factory, library_flags):
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        pytest.skip("Python's headers are missing")
    target = tmp_path_factory.mktemp("capi") / "capi.so"
    includes = ["-I", sysconfig.get_paths()["include"], "-I", baton.get_include(), *include_flags]
    options = ["-Wall", "-Wextra", "-Werror", *request.param.split()]
    subprocess.run(
        [*compiler, "-shared", "-fPIC", *options, *includes, "-o", target, HERE / "capi.c", *library_flags], check=True
    )
    return load(target)


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


class Table(ctypes.Structure):
    """The beginning of baton_python_api."""

    _fields_ = (("version", ctypes.c_uint32), ("size", ctypes.c_uint32), ("context", ctypes.c_void_p))


def capsule_of(table):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return make(ctypes.addressof(table), b"baton._C_API", None)


def test_the_table_says_its_version_and_its_size():
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = Table.from_address(get(baton._C_API, b"baton._C_API"))
    assert (table.version, table.size) == (1, 8 + 7 * ctypes.sizeof(ctypes.c_void_p))


@pytest.mark.parametrize(("version", "size"), [(2, 1000), (0, 1000), (1, 8)])
def test_a_package_of_another_version_is_refused_on_import(capi, monkeypatch, tmp_path, version, size):
    """A later one may only be larger. Under another path, so that the extension is begun anew."""
    table = Table(version, size)
    monkeypatch.setattr(baton, "_C_API", capsule_of(table))
    with pytest.raises(ImportError, match=f"version {version} and {size} bytes"):
        load(shutil.copy(capi.__file__, tmp_path / "capi.so"))


def test_a_package_with_more_in_its_table_is_taken(capi, monkeypatch, tmp_path):
    table = Table(1, 1000)
    monkeypatch.setattr(baton, "_C_API", capsule_of(table))
    load(shutil.copy(capi.__file__, tmp_path / "capi.so"))


def test_the_header_is_in_the_package():
    assert os.path.exists(os.path.join(baton.get_include(), "baton_python.h"))


def test_the_header_is_for_cxx_too(include_flags, tmp_path):
    if not shutil.which("c++") or not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        pytest.skip("no C++ compiler, or no headers of Python's")
    source = tmp_path / "header.cc"
    source.write_text("#include <baton_python.h>\nint main() { return baton_python_import() != nullptr; }\n")
    includes = ["-I", sysconfig.get_paths()["include"], "-I", baton.get_include(), *include_flags]
    subprocess.run(["c++", "-std=c++11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *includes, source], check=True)
