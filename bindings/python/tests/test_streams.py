"""Streams: the current one of each thread and task, order between them, waiting for them, streams of others."""

import asyncio
import contextvars
import ctypes
import gc
import os
import subprocess
import threading
import time
import weakref
from pathlib import Path

import pytest
from structures import host_waits

import baton

N = 64


def run_in_thread(function):
    """Its result, or its exception."""
    box = {}

    def body():
        try:
            box["result"] = function()
        except BaseException as error:  # noqa: BLE001
            box["error"] = error

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    if "error" in box:
        raise box["error"]
    return box["result"]


# ---- which stream is current


@pytest.mark.usefixtures("two_devices")
def test_a_thread_keeps_its_stream():
    assert baton.current_stream() is baton.current_stream()
    assert baton.current_stream(1).device == 1
    assert baton.current_stream(1) is baton.current_stream(1)


def test_each_thread_has_a_stream_of_its_own():
    others = [run_in_thread(lambda: baton.current_stream()) for _ in range(3)]
    assert len({stream.id for stream in [baton.current_stream(), *others]}) == 4


def test_each_asyncio_task_has_a_stream_of_its_own():
    async def task():
        stream = baton.current_stream()
        await asyncio.sleep(0)
        assert baton.current_stream() is stream
        return stream

    async def main():
        return await asyncio.gather(task(), task(), task(), asyncio.to_thread(baton.current_stream))

    streams = asyncio.run(main())
    assert len({stream.id for stream in [*streams, baton.current_stream()]}) == 5


def test_streams_of_ended_tasks_serve_the_next_ones():
    async def task():
        return baton.current_stream().id

    async def main():
        return {await asyncio.create_task(task()) for _ in range(200)}

    assert len(asyncio.run(main())) < 20
    gc.collect()
    assert len({run_in_thread(lambda: baton.current_stream().id) for _ in range(50)}) < 10


def test_a_stream_that_is_still_held_is_not_given_to_another_task():
    held = [run_in_thread(baton.current_stream) for _ in range(4)]
    assert len({stream.id for stream in held}) == 4


@pytest.mark.usefixtures("two_devices")
def test_with_chooses_a_stream_and_nests():
    own = baton.current_stream()
    a, b = baton.Stream(), baton.Stream(1)
    with a as chosen:
        assert chosen is a and baton.current_stream() is a
        with b:
            assert baton.current_stream() is b and baton.empty(1).device == 1
            assert baton.current_stream(0) is own
            with a:
                assert baton.current_stream() is a
        assert baton.current_stream() is a
    assert baton.current_stream() is own


def test_a_chosen_stream_is_inherited_as_context_variables_are():
    stream = baton.Stream()

    async def child():
        return baton.current_stream()

    async def main():
        with stream:
            return await asyncio.gather(child(), asyncio.to_thread(baton.current_stream))

    assert asyncio.run(main()) == [stream, stream]
    with stream:
        assert contextvars.copy_context().run(baton.current_stream) is stream


def test_blocks_that_end_out_of_order_are_told():
    a, b = baton.Stream(), baton.Stream()
    a.__enter__()
    b.__enter__()
    with pytest.raises(RuntimeError):
        a.__exit__(None, None, None)
    b.__exit__(None, None, None)
    a.__exit__(None, None, None)
    with pytest.raises(RuntimeError):
        a.__exit__(None, None, None)


def test_a_device_that_is_not_there_is_told():
    with pytest.raises(baton.DeviceError):
        baton.Stream(9)
    for device in (9, -5, 1 << 20):
        with pytest.raises((baton.DeviceError, OverflowError)):
            baton.current_stream(device) if device != -5 else baton.empty(1, device=-5)


# ---- order (S4, S5: proved with gates, by data and counts)


def test_arrays_pass_between_streams_without_a_call_and_without_holding_the_host(pair, add_one):
    a, b = pair
    x = baton.zeros(N, "f4", stream=a)
    before = host_waits()
    with baton.Gate(a):
        add_one(N, stream=a)(x)
        add_one(N, stream=b)(x)
        y = x.copy(stream=b)
        assert not b.query() and not y.query()
        assert host_waits() == before
    assert y.tolist() == [2.0] * N


def test_arrays_pass_between_threads_without_a_call(add_one):
    x = baton.zeros(N, "f4")
    before = host_waits()
    gate = baton.Gate()
    add_one(N)(x)

    def other():
        add_one(N)(x)
        return x.copy()

    y = run_in_thread(other)
    assert not y.query() and host_waits() == before
    gate.open()
    assert y.tolist() == [2.0] * N


def test_readers_run_side_by_side(pair, scale):
    a, b = pair
    x, y, z = baton.ones(N, "f4"), baton.empty(N, "f4"), baton.empty(N, "f4")
    baton.current_stream().synchronize()
    with baton.Gate(a):
        scale(N, stream=a)(y, baton.In(x), 2.0)
        scale(N, stream=b)(z, baton.In(x), 3.0)
        assert z.tolist() == [3.0] * N  # not behind the gate
        assert not y.query()
    assert y.tolist() == [2.0] * N


def test_follow_puts_a_stream_behind_another(pair):
    a, b = pair
    gate = baton.Gate(a)
    b.follow(a)
    assert not b.query()
    gate.open()
    b.synchronize()
    assert b.query()
    b.wait(a)


# ---- waiting


def test_synchronize_waits_with_a_limit(pair):
    a, _ = pair
    x = baton.zeros(N, stream=a)
    with baton.Gate(a):
        x.fill(1, a)
        for wait in (a.synchronize, x.synchronize, a.fence().wait, x.fence().wait):
            with pytest.raises(baton.TimeoutError) as caught:
                wait(timeout=0.01)
            assert isinstance(caught.value, TimeoutError) and caught.value.status_name == "BATON_TIMEOUT"
        with pytest.raises(ValueError):
            a.synchronize(timeout=-1)
    a.synchronize()
    x.synchronize(timeout=10)
    assert a.query() and x.query() and x.fence().query()


def test_other_threads_run_while_one_waits(pair):
    a, _ = pair
    gate = baton.Gate(a)
    started = threading.Event()

    def open_later():
        started.wait(10)
        gate.open()

    thread = threading.Thread(target=open_later)
    thread.start()
    started.set()
    a.synchronize(timeout=30)
    thread.join()
    assert a.query()


def test_a_lock_that_another_thread_holds_is_not_waited_for_with_the_interpreters_lock(pair, add_one):
    """H4: while one thread waits for a scope's lock, others run Python, and the holder can let go."""
    a, b = pair
    x = baton.zeros(N, "f4")
    entered, waiting = threading.Event(), threading.Event()

    def launch():
        entered.wait(10)
        waiting.set()
        add_one(N, stream=b)(x)

    thread = threading.Thread(target=launch)
    thread.start()
    with baton.managed(a, writes=x):
        entered.set()
        assert waiting.wait(10)
        assert x.shape == (N,) and x[1:].nbytes == x.nbytes - 4 and x.owner_stream_id and x.synchronizing
        end = time.monotonic() + 0.05
        while time.monotonic() < end:
            pass
    thread.join(10)
    assert not thread.is_alive() and x.tolist() == [1.0] * N


# ---- streams of others


class Foreign:
    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


def test_a_stream_shows_its_handle_and_takes_others():
    stream = baton.Stream()
    version, handle = stream.__cuda_stream__()
    assert version == 0 and handle == stream.handle > 2
    other = baton.Stream.from_external(Foreign(handle))
    assert other.device == 0
    x = baton.zeros(3, stream=Foreign(handle))
    x.fill(2, stream=other)
    other.synchronize()
    assert x.tolist() == [2.0] * 3
    assert baton.Stream.from_external(1).query()


@pytest.mark.parametrize(
    "thing", ["a", 1.5, [], Foreign("x"), type("V", (), {"__cuda_stream__": lambda self: (1, 1)})()]
)
def test_what_is_no_stream_is_refused(thing):
    with pytest.raises((TypeError, baton.Error)):
        baton.Stream.from_external(thing)


@pytest.fixture(scope="module")
def elsewhere(compiler, include_flags, library_flags, tmp_path_factory):
    """Streams of the driver that this package has not made."""
    target = tmp_path_factory.mktemp("elsewhere") / "elsewhere.so"
    source = Path(__file__).parent / "elsewhere.c"
    subprocess.run([*compiler, "-shared", "-fPIC", *include_flags, "-o", target, source, *library_flags], check=True)
    library = ctypes.CDLL(str(target))
    library.stream_make.restype = ctypes.c_uint64
    library.stream_make.argtypes = [ctypes.c_char_p]
    library.stream_end.argtypes = [ctypes.c_uint64]
    return library


def given_back(reference):
    for _ in range(10):
        gc.collect()
        baton.drain()
        if reference() is None:
            return True
    return False


def test_an_object_lives_as_long_as_memory_names_its_stream(elsewhere):
    handle = elsewhere.stream_make(os.environ["BATON_DRIVER"].encode())
    theirs = Foreign(handle)
    reference = weakref.ref(theirs)
    x = baton.zeros(N, "i4")
    ours = baton.Stream.from_external(theirs)
    assert ours.handle == handle and ours.id != baton.current_stream().id
    x.fill(2, stream=ours)
    del ours, theirs
    assert not given_back(reference)  # the array names it
    x.fill(3, stream=baton.current_stream())
    x.synchronize()
    assert x.tolist() == [3] * N
    del x
    baton.trim()
    assert given_back(reference)
    elsewhere.stream_end(handle)


def test_a_stream_given_as_a_number_may_end_after_the_call(elsewhere):
    handle = elsewhere.stream_make(os.environ["BATON_DRIVER"].encode())
    x, y = baton.zeros(N, "i4"), baton.zeros(N, "i4")
    x.fill(2, stream=handle)
    with baton.managed(handle, writes=y):
        pass
    elsewhere.stream_end(handle)
    y.copy_from(x)
    assert y.tolist() == [2] * N
    del x, y
    baton.trim()
    assert baton.stats()["faults_swallowed"] == 0
