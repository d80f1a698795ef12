"""Ctrl-C at every place of the package where the interpreter looks for it."""

import dis
import functools
import inspect
import itertools
import os
import pickle
import sys
import threading

import numpy as np
import pytest

import baton

N = 8
PACKAGE = os.path.dirname(baton.__file__)


@functools.cache
def places(code):
    """Offsets at which CPython looks for signals: behind every call. It does so where a function begins, too."""
    return {
        after.offset for call, after in itertools.pairwise(dis.get_instructions(code)) if call.opname.startswith("CALL")
    }


def interrupted(body, count):
    """Runs it with KeyboardInterrupt at the count-th place within the package and the bodies; whether it came so far."""
    left = count

    def trace(frame, event, argument):
        nonlocal left
        code = frame.f_code
        if not (code.co_filename.startswith(PACKAGE) or code in OURS) or code.co_flags & inspect.CO_GENERATOR:
            return None  # what is raised where a generator is closed comes out nowhere
        frame.f_trace_opcodes = True
        if event == "call" or (event == "opcode" and frame.f_lasti in places(code)):
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        body()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return left <= 0


def in_a_thread(function):
    """Its result, from a thread that is not the main one: nothing that it needs is locked any more."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()
    thread.join(20)
    return results[0] if results else "hangs"


def capture_and_launch(x, stream):
    with baton.capture(stream) as graph:
        x += 1.0
    graph.launch()


@baton.captured
def step(x):
    x += 1.0


def fail_in_a_capture(x, stream):
    try:
        with baton.capture(stream):
            x += 1.0
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass


BODIES = {
    "capture": capture_and_launch,
    "a capture that fails": fail_in_a_capture,
    "captured": lambda x, stream: step(x),
    "making arrays": lambda x, stream: (baton.ones(3) + baton.arange(3) + baton.full(3, 2.0)).tolist(),
    "conversions": lambda x, stream: (
        x.astype("i4"),
        x.to(kind="host").tolist(),
        repr(x),
        baton.asarray([[1, 2], [3, 4]]),
    ),
    "numpy": lambda x, stream: (x.numpy(), baton.from_dlpack(np.arange(3.0)), np.asarray(x)),
    "pickling": lambda x, stream: pickle.loads(pickle.dumps(x)),
    "assigning": lambda x, stream: x.__setitem__(slice(0, 4), [1.0, 2.0, 3.0, 4.0]),
}
OURS = {body.__code__ for body in [*BODIES.values(), step.__wrapped__]}


@pytest.mark.parametrize("name", BODIES)
def test_an_interrupt_at_any_place_leaves_everything_right(name, pair):
    """No capture stays open, the current stream is the one before, no lock is held, and the array is whole."""
    stream, _ = pair
    x, own = baton.zeros(N), baton.current_stream()
    count = 0
    while interrupted(lambda: BODIES[name](x, stream), count + 1):
        count += 1
        assert not stream.capturing and not own.capturing, count
        assert baton.current_stream() is own, count
        assert in_a_thread(lambda: (x.fill(3), x.tolist())[1]) == [3.0] * N, count
        BODIES[name](x, stream)
    assert count >= 2


def test_ctrl_c_ends_a_wait_and_nothing_else(run_python):
    """The signal itself, while the main thread waits behind a gate and others go on."""
    code = (
        "import baton, os, signal, threading\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # where tests run in the background it is ignored
        "a, b = baton.Stream(), baton.Stream()\n"
        "gate = baton.Gate(a)\n"
        "x, y = baton.full(3, 7, 'i4', stream=a), baton.zeros(3, stream=b)\n"
        "def interrupt():\n"
        "    y.fill(1, stream=b); y.synchronize(); os.kill(os.getpid(), signal.SIGINT)\n"
        "thread = threading.Thread(target=interrupt)\n"
        "try:\n"
        "    thread.start(); x.synchronize()\n"
        "except KeyboardInterrupt: print('interrupted', x.query())\n"
        "thread.join(); gate.open()\n"
        "print(x.tolist(), y.tolist())"
    )
    result = run_python(code)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "interrupted False\n[7, 7, 7] [1.0, 1.0, 1.0]\n"
