"""__cuda_array_interface__ of other libraries' objects, over memory that the device knows."""

import gc
import threading
import weakref

import numpy as np
import pytest
from structures import Described, host_waits, live

import baton


def test_the_software_device_has_no_interface():
    array = baton.zeros(3)
    if baton.info()["driver"] != "soft":
        pytest.skip("there is a GPU")
    assert not hasattr(array, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="software device"):
        getattr(array, "__cuda_array_interface__")  # noqa: B009


@pytest.mark.parametrize("make", [baton.from_cuda_array_interface, baton.asarray])
def test_an_object_is_shared_and_kept(make):
    before = live()
    array = baton.arange(12, dtype="f4").reshape(3, 4).T[1:, ::2]
    thing = Described(array)
    shared, there = make(thing), weakref.ref(thing)
    assert shared.shape == (3, 2) and shared.strides == array.strides and shared.memory_id != array.memory_id
    shared += 1
    shared.synchronize()
    expected = np.arange(12, dtype="f4").reshape(3, 4).T[1:, ::2] + 1
    np.testing.assert_array_equal(array.numpy(), expected)
    del thing, array
    gc.collect()
    baton.drain()
    assert there() is not None
    np.testing.assert_array_equal(shared.numpy(), expected)
    del shared
    assert live() == before and there() is None


def test_the_main_thread_lets_go_without_being_asked():
    array = baton.arange(4)
    array.synchronize()  # for a description without a stream says that nothing is to be waited for
    thing = Described(array)
    del array
    there = weakref.ref(thing)
    work = []

    def use(thing):
        work.append(baton.from_cuda_array_interface(thing).tolist())
        baton.current_stream().synchronize()
        baton.zeros(3).tolist()

    thread = threading.Thread(target=use, args=(thing,))
    thread.start()
    thread.join()
    del thing, thread
    baton.drain()
    assert work == [[0, 1, 2, 3]] and there() is None


def test_threads_take_and_let_go_at_the_same_time():
    before = live()
    array = baton.arange(16, dtype="f4")
    there, wrong = [], []

    def work(array):
        for _ in range(100):
            thing = Described(array)
            there.append(weakref.ref(thing))
            if baton.from_cuda_array_interface(thing).shape != (16,):
                wrong.append(thing)
            baton.drain()

    threads = [threading.Thread(target=work, args=(array,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del array, threads, thread
    assert live() == before and not wrong
    assert len(there) == 600 and not any(reference() for reference in there)


def test_a_stream_that_comes_back_is_itself():
    stream = baton.Stream()
    assert baton.Stream.from_external(stream) is stream
    assert baton.Stream.from_external(stream.handle).id == stream.id
    protocol = type("Theirs", (), {"__cuda_stream__": lambda self: (0, stream.handle)})()
    assert baton.Stream.from_external(protocol).id == stream.id


def test_work_follows_the_named_stream_without_a_wait_of_the_host():
    a, b = baton.Stream(), baton.Stream()
    array = baton.zeros(8, "i4", stream=a)
    thing = Described(array, a.handle)
    to = baton.empty(8, "i4", stream=b)
    b.synchronize()
    with baton.Gate(a):
        array.fill(5, a)
        before = host_waits()
        shared = baton.from_cuda_array_interface(thing)
        to.copy_from(shared, b)
        assert host_waits() == before and not b.query()
    assert to.tolist() == [5] * 8


@pytest.mark.parametrize("how", ["interface", "argument", "handle"])
def test_the_callers_stream_stands_in_for_one_that_is_not_named(how):
    a, b = baton.Stream(), baton.Stream()
    array = baton.zeros(8, "i4", stream=a)
    thing = Described(array, a.handle if how == "interface" else None)
    to = baton.empty(8, "i4", stream=b)
    b.synchronize()
    with baton.Gate(a):
        array.fill(5, a)
        shared = baton.from_cuda_array_interface(thing, stream={"argument": a, "handle": a.handle}.get(how))
        to.copy_from(shared, b)
        assert not b.query()
    assert to.tolist() == [5] * 8


def test_before_version_3_the_legacy_stream_is_meant():
    for version in (0, 1, 2):
        shared = baton.from_cuda_array_interface(Described(baton.arange(3), version=version, stream=Described))
        assert shared.tolist() == [0, 1, 2]


def test_what_is_read_only_stays_so():
    shared = baton.from_cuda_array_interface(Described(baton.arange(3), data=(baton_pointer(), True)))
    assert shared.readonly
    with pytest.raises(baton.Error):
        shared.fill(0)


KEPT = []


def baton_pointer():
    KEPT[:] = [baton.arange(3)]
    return KEPT[0].ptr


@pytest.fixture(autouse=True)
def nothing_kept():
    yield
    KEPT.clear()


def test_an_empty_array_has_no_address():
    shared = baton.from_cuda_array_interface(Described(baton.zeros((0, 3), "i2")))
    assert shared.shape == (0, 3) and shared.dtype == baton.int16


WRONG = [
    {"version": 4}, {"version": -1}, {"version": "3"}, {"mask": 1}, {"stream": 0}, {"stream": -1},
    {"data": 5}, {"data": (1,)}, {"data": ("1", False)}, {"data": (0, False)}, {"data": (16, False)},
    {"typestr": "<f3"}, {"typestr": ">f8"}, {"typestr": "|V16"}, {"typestr": "<datetime64[ns]"}, {"shape": [3]},
    {"shape": (-3,)}, {"shape": (3,) * 17}, {"shape": (1 << 62, 8)}, {"strides": (3,)}, {"strides": (8, 8)},
    {"strides": (1 << 62,)}, {"data": Described}, {"shape": Described}, {"typestr": Described}, {"version": Described},
]  # fmt: skip


@pytest.mark.parametrize("changes", WRONG, ids=str)
def test_a_description_that_is_wrong_is_refused_and_the_object_let_go(changes):
    array = baton.arange(3)
    thing = Described(array, **changes)
    there = weakref.ref(thing)
    with pytest.raises(BufferError):
        baton.from_cuda_array_interface(thing)
    del thing
    gc.collect()
    assert there() is None


@pytest.mark.parametrize(
    "changes", [{"stream": True}, {"stream": "1"}, {"typestr": 3}, {"shape": ("a",)}, {"shape": (1.5,)}], ids=str
)
def test_a_description_of_other_types_is_a_type_error(changes):
    with pytest.raises((TypeError, BufferError)):
        baton.from_cuda_array_interface(Described(baton.arange(3), **changes))


def test_what_has_no_interface_is_a_type_error():
    for thing in (3, None, type("Thing", (), {"__cuda_array_interface__": 5})()):
        with pytest.raises(TypeError):
            baton.from_cuda_array_interface(thing)


def test_a_subinterpreter_lets_go_when_it_is_asked_and_when_it_ends(run_python):
    if baton.info()["driver"] != "soft":
        pytest.skip("of the software device")
    code = """
import gc, weakref, baton
class Thing: pass
def make():
    array = baton.arange(3)
    thing = Thing()
    thing.array = array
    thing.__cuda_array_interface__ = dict(shape=(3,), typestr='<i8', data=(array.ptr, False), version=3, stream=None)
    return thing
thing = make(); there = weakref.ref(thing)
shared = baton.from_cuda_array_interface(thing)
del thing; gc.collect()
assert there() is not None and shared.tolist() == [0, 1, 2]
del shared; baton.drain()
assert there() is None
kept = baton.from_cuda_array_interface(make())
"""
    wrapped = f"""
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
try:
    other = interpreters.create(isolated=False)
except TypeError:
    other = interpreters.create('legacy')
interpreters.run_string(other, {code!r})
interpreters.destroy(other)
{code}
"""
    result = run_python(wrapped, environment={"BATON_DRIVER": "soft"})
    assert result.returncode == 0, result.stderr
