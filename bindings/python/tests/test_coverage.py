"""What the header has is reached, or has a reason not to be; and nothing that may wait is called with the interpreter's lock."""

import subprocess
import sys
from pathlib import Path

import pytest

import baton

PACKAGE = Path(__file__).parent.parent
TOOL = PACKAGE / "tools" / "coverage"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="the sources are not here")


@pytest.fixture(scope="module")
def header(include_flags):
    folders = [Path(flag[2:]) for flag in include_flags if flag.startswith("-I")]
    return next(path for folder in folders if (path := folder / "baton_ffi.h").exists())


def run(*arguments):
    return subprocess.run([sys.executable, TOOL, *arguments], check=False, capture_output=True, text=True, timeout=60)


def test_every_function_is_reached_from_python_or_has_a_reason(header):
    result = run(header, PACKAGE, PACKAGE / "COVERAGE")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_function_that_is_new_is_missed(header, tmp_path):
    changed = tmp_path / "baton_ffi.h"
    changed.write_text(
        header.read_text() + "/* FAST. */\nint32_t baton_array_juggle(baton_array *array, baton_error *err);\n"
    )
    result = run(changed, PACKAGE)
    assert (
        result.returncode == 1 and result.stderr == "baton_array_juggle is not reached from Python, and has no reason\n"
    )


def test_every_name_in_the_table_is_there():
    """What stands for a function of the header is in the package, and callable or an attribute."""
    found = 0
    for line in (PACKAGE / "COVERAGE").read_text().splitlines():
        if line.startswith("baton_") and " - " not in line:
            for label in line.split(maxsplit=1)[1].removesuffix(", …").split(", "):
                name = label.partition(" (")[0]
                if label not in ("baton_python.h", "the module's end"):
                    thing = baton if name != "Task" else None
                    for part in name.split(".") if thing else ():
                        thing = getattr(thing, part)
                    found += 1
    assert found > 150


def test_nothing_that_may_wait_or_enter_the_driver_is_called_with_the_interpreters_lock(header):
    """The lock is given up before any lock of memory is taken: a thread that holds the memory may want the interpreter's lock next."""
    result = run("--lock", header, PACKAGE)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_call_with_the_interpreters_lock_is_found(header, tmp_path):
    for folder in ("src", "baton"):
        (tmp_path / folder).mkdir()
        for path in (PACKAGE / folder).iterdir():
            if path.is_file():
                (tmp_path / folder / path.name).write_bytes(path.read_bytes())
    source = tmp_path / "src" / "stream.c"
    text = source.read_text()
    call = "UNLOCKED(status = baton_stream_follow(stream_of(self)->handle, stream_of(before)->handle, &error));"
    assert text.count(call) == 1
    source.write_text(text.replace(call, call.removeprefix("UNLOCKED(").replace(");", ";")))
    result = run("--lock", header, tmp_path)
    assert result.returncode == 1
    assert result.stdout == "stream.c: stream_follow calls baton_stream_follow with the interpreter's lock\n"
