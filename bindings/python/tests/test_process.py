"""The life of a process: import, exit with work in flight, fork, memory under pressure, several interpreters."""

import gc
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import baton

QUIET = "import baton, gc, os, sys, threading\n"


def succeeds(result):
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout


# ---- import


def test_import_opens_nothing_and_needs_neither_a_driver_nor_numpy(run_python):
    code = (
        QUIET
        + "assert 'numpy' not in sys.modules and 'asyncio' not in sys.modules\nprint(baton.float32, threading.active_count())"
    )
    assert succeeds(run_python(code, environment={"BATON_DRIVER": "nonsense"})) == "baton.float32 1\n"


def test_arrays_work_without_numpy(run_python):
    code = (
        QUIET
        + "sys.modules['numpy'] = None\nx = baton.asarray([[1, 2], [3, 4]], 'f2') \nprint(x.tolist(), baton.asarray(b'ab').tolist(), x.dtype)"
    )
    assert succeeds(run_python(code)) == "[[1.0, 2.0], [3.0, 4.0]] [97, 98] baton.float16\n"


def test_an_unknown_driver_is_told_when_it_is_needed(run_python):
    code = QUIET + "try: baton.empty(1)\nexcept baton.Error as error: print(type(error).__name__, bool(str(error)))"
    assert succeeds(run_python(code, environment={"BATON_DRIVER": "nonsense"})).endswith("True\n")


def test_init_chooses_the_driver_before_anything_else(run_python):
    code = QUIET + (
        "baton.init('soft:3', host_wait=True)\nassert baton.info()['devices'] == 3\n"
        "try: baton.init('soft')\nexcept baton.BusyError: print('busy')"
    )
    assert succeeds(run_python(code, environment={"BATON_DRIVER": "nonsense"})) == "busy\n"


# ---- exit

EXITS = {
    "work in flight": "gate = baton.Gate(limit=60); x = baton.zeros(100); y = x + 1",
    "gate dropped": "baton.Gate(limit=60); x = baton.zeros(100)",
    "cycle": "x = baton.zeros(10); l = [x]; l.append(l); gate = baton.Gate(limit=60); x.fill(2)",
    "at exit": "import atexit; x = baton.zeros(10); atexit.register(lambda: x.fill(2)); gate = baton.Gate(limit=60)",
    "finalizer": "class F:\n def __init__(self): self.x = baton.zeros(3)\n def __del__(self): self.x = self.x.copy()\nf = F(); baton.keep = f",
    "daemon waits": "gate = baton.Gate(limit=60); s = baton.current_stream(); threading.Thread(target=s.synchronize, daemon=True).start()",
    "daemon works": "x = baton.zeros(10)\ndef w():\n  while True: x.fill(1)\nthreading.Thread(target=w, daemon=True).start()",
    "thread ended": "t = threading.Thread(target=lambda: baton.zeros(10)); t.start(); t.join(); gate = baton.Gate(limit=60)",
    "open scope": "x = baton.zeros(10); s = baton.managed(None, x); s.__enter__()",
    "open capture": "c = baton.capture(); c.__enter__(); x = baton.zeros(10)",
    "graph in flight": "x = baton.zeros(10)\nwith baton.capture() as g: x.fill(1)\ngate = baton.Gate(limit=60); g.launch()",
    "awaiting": "import asyncio\nasync def m():\n  g = baton.Gate(limit=60); asyncio.ensure_future(w())\n  await asyncio.sleep(0.01)\nasync def w(): await baton.current_stream()\nasyncio.run(m())",
    "sys.exit": "gate = baton.Gate(limit=60); x = baton.zeros(3); sys.exit(0)",
    "buffer": "x = baton.empty(10, kind='host'); m = memoryview(x)",
}


@pytest.mark.parametrize("name", EXITS)
def test_exits_are_silent_and_prompt(run_python, name):
    succeeds(run_python(QUIET + EXITS[name], timeout=30))


def test_two_hundred_exits_while_work_is_in_flight():
    """All from one parent that never touched the runtime, so that a process costs a fork and not an import."""
    exits = 200 if baton.info()["driver"] == "soft" else 20  # a driver of hardware takes its time to begin
    code = QUIET + (
        "failures = 0\n"
        f"for i in range({exits}):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        gate = baton.Gate(limit=60)\n"
        "        arrays = [baton.zeros(1000) + j for j in range(i % 7)]\n"
        "        threads = [threading.Thread(target=baton.zeros, args=(10,)) for _ in range(i % 3)]\n"
        "        [t.start() for t in threads]\n"
        "        del arrays[: i % 4]\n"
        "        sys.exit(0)\n"
        "    failures += os.waitpid(child, 0)[1] != 0\n"
        "print(failures)"
    )
    from conftest import run_python

    assert succeeds(run_python(code, timeout=240)) == "0\n"


# ---- fork

# Its allocator keeps locks that other threads held at the fork: seen in free() of the child, in any code.
no_sanitizer = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="the address sanitizer does not survive a fork beside threads"
)


@no_sanitizer
def test_a_child_of_fork_is_told_clearly_and_ends_well(run_python):
    code = QUIET + (
        "x = baton.zeros(10); gate = baton.Gate(); y = x + 1\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    for use in (lambda: baton.zeros(1), x.numpy, lambda: x + 1, lambda: x.fill(1), baton.Stream, baton.current_stream().synchronize):\n"
        "        try: use()\n"
        "        except baton.ForkedError as error: assert 'spawn' in str(error)\n"
        "        else: os._exit(3)\n"
        "    del x, y, gate; gc.collect()\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "gate.open(); print(y.tolist()[0])"
    )
    assert succeeds(run_python(code)) == "1.0\n"


@no_sanitizer
def test_a_fork_while_another_thread_looks_for_memory_leaves_no_lock_behind(run_python):
    """The other thread stands in the collector, called from the search for memory, while this one forks."""
    code = QUIET + (
        "baton.set_memory_limit(1 << 20)\n"
        "inside, leave = threading.Event(), threading.Event()\n"
        "class Slow:\n"
        "    def __init__(self): self.array, self.me = baton.empty(1 << 20, 'u1'), self\n"
        "    def __del__(self): inside.set(); leave.wait(20)\n"
        "Slow()\n"
        "thread = threading.Thread(target=baton.empty, args=(1 << 20, 'u1')); thread.start()\n"
        "assert inside.wait(20)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try: baton.empty(1)\n"
        "    except baton.ForkedError: os._exit(0)\n"
        "    os._exit(3)\n"
        "print(os.waitpid(child, 0)[1]); leave.set(); thread.join()"
    )
    assert succeeds(run_python(code, timeout=30)) == "0\n"


def test_a_fork_before_the_first_use_is_fine(run_python):
    code = (
        QUIET
        + "child = os.fork()\nif child: assert os.waitpid(child, 0)[1] == 0\nprint(baton.ones(2).tolist(), flush=True)"
    )
    assert succeeds(run_python(code)) == "[1.0, 1.0]\n" * 2


def test_arrays_travel_to_spawned_processes(run_python, tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(
        "import multiprocessing, baton\n"
        "def double(x): return x + x\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool: print(pool.apply(double, (baton.arange(3),)).tolist())\n"
    )
    assert succeeds(run_python(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")) == "[0, 2, 4]\n"


# ---- memory


@pytest.fixture
def limit():
    baton.current_stream().synchronize()
    baton.drain()
    size = 1 << 20
    baton.set_memory_limit(baton.device_info()["live_bytes"] + 10 * size)
    yield size
    baton.set_memory_limit(0)


class Cycle:
    def __init__(self, array):
        self.array = array
        self.me = self


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_alone_never_ends_in_an_error(limit, enabled):
    gc.collect()
    gc.disable()
    try:
        for _ in range(100):
            Cycle(baton.empty(limit, "u1"))
            if enabled:
                gc.enable()
    finally:
        gc.enable()


def test_garbage_of_threads_never_ends_in_an_error(limit):
    def work(_):
        for _ in range(60):
            Cycle(baton.empty(limit, "u1"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


class Phoenix(Cycle):
    """Its finalizer wants memory, while the collector looks for some."""

    def __del__(self):
        self.array = None
        self.array = baton.empty(64, "u1")


def test_finalizers_may_want_memory_themselves(limit):
    for _ in range(50):
        Phoenix(baton.empty(limit, "u1"))
    gc.collect()


def test_too_much_is_told_and_leaves_everything_usable(limit):
    held = [baton.empty(limit, "u1") for _ in range(10)]
    with pytest.raises(MemoryError) as caught:
        baton.empty(limit, "u1")
    assert isinstance(caught.value, baton.OutOfMemoryError) and caught.value.status == -14
    held.pop()
    held.append(baton.empty(limit, "u1"))
    assert baton.device_info()["limit_bytes"] > 0
    baton.trim()


# ---- errors


def test_an_error_carries_the_record():
    with pytest.raises(baton.ShapeError) as caught:
        baton.zeros(4).reshape(5)
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, baton.Error)
    assert (error.status, error.status_name, error.origin, error.driver_code) == (-5, "BATON_ERR_SHAPE", "call", 0)
    assert "shape" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.status) == (type(error), str(error), error.status)


def test_every_status_has_its_name_and_class():
    from baton import _errors

    for status, name in _errors.STATUSES.items():
        error = _errors.make(status, "text", 0, 1, 0, 0, 0, 1, 2, 3, 4, 5)
        assert isinstance(error, baton.Error) and error.status_name == name and error.origin == "async"
        assert (error.stream_id, error.memory_id, error.tag, error.ticket_first, error.ticket_last) == (1, 2, 3, 4, 5)


def test_the_names_of_statuses_are_the_librarys():
    import ctypes

    from baton import _core, _errors

    library = ctypes.CDLL(_core.__file__)
    library.baton_status_name.restype = ctypes.c_char_p
    for status, name in _errors.STATUSES.items():
        assert library.baton_status_name(status).decode() == name
    assert library.baton_status_name(min(_errors.STATUSES) - 1) == b"unknown"


# ---- what the runtime says


def test_counts_info_and_trace():
    info, device = baton.info(), baton.device_info()
    assert info["driver"] in ("soft", "cuda") and info["devices"] >= 1 and info["library_version"] >= 100
    assert device["name"] and device["total_bytes"] > 0
    baton.trace_start(100)
    before = baton.stats()["operations"]
    x = baton.zeros(3)
    assert baton.stats()["operations"] == before + 1
    entries = baton.trace_read()
    baton.trace_start(0)
    assert "fill" in [entry[1] for entry in entries] and baton.trace_read() == []
    with pytest.raises(ValueError):
        baton.trace_start(-1)
    del x


# ---- interpreters


# The private module of each version, and how it makes an interpreter that shares the lock of the main one.
SUBINTERPRETERS = """
import sys
if sys.version_info >= (3, 13):
    import _interpreters as interpreters
    make = lambda: interpreters.create("legacy")
else:
    import _xxsubinterpreters as interpreters
    make = lambda: interpreters.create(isolated=False)

def run(other, code):
    failure = interpreters.run_string(other, code)
    if failure is not None:
        raise SystemExit(str(failure))
"""


def test_a_subinterpreter_has_a_runtime_of_its_own(run_python):
    code = SUBINTERPRETERS + (
        "import baton\n"
        "x = baton.zeros(3)\n"
        "for _ in range(3):\n"
        "    other = make()\n"
        "    run(other, 'import baton; assert baton.stats()[\"live_arrays\"] == 0; y = baton.ones(3); assert y.tolist() == [1.0] * 3')\n"
        "    interpreters.destroy(other)\n"
        "print(x.tolist())"
    )
    result = run_python(code)
    assert result.returncode == 0 and result.stdout == "[0.0, 0.0, 0.0]\n", result.stderr


@pytest.mark.skipif(sys.version_info < (3, 12), reason="interpreters with a lock of their own came with 3.12")
def test_an_interpreter_with_a_lock_of_its_own_is_told_and_harms_nobody(run_python):
    """The extension is built for the limited API of 3.11, which cannot declare that it is made for them."""
    code = (
        SUBINTERPRETERS.replace('create("legacy")', 'create("isolated")').replace("isolated=False", "isolated=True")
        + "import baton\n"
        "x = baton.zeros(3)\n"
        "try: run(make(), 'import baton')\n"
        "except (SystemExit, Exception) as failure: print('does not support' in str(failure))\n"
        "print((x + 1.0).tolist())"
    )
    result = run_python(code)
    assert result.returncode == 0 and result.stdout == "True\n[1.0, 1.0, 1.0]\n", result.stderr


def test_a_subinterpreter_may_end_while_its_work_is_in_flight(run_python):
    code = SUBINTERPRETERS + (
        "import baton\n"
        "for _ in range(20):\n"
        "    other = make()\n"
        "    run(other, 'import baton; s = baton.Stream(); g = baton.Gate(s); y = baton.ones(1 << 16, stream=s); y += 1.0; v = y[1:]; del y')\n"
        "    interpreters.destroy(other)\n"
        "x = baton.zeros(3)\n"
        "print((x + 1.0).tolist())"
    )
    result = run_python(code)
    assert result.returncode == 0 and result.stdout == "[1.0, 1.0, 1.0]\n", result.stderr
