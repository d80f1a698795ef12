"""DLPack: what consumers may ask for, what producers may give, and that nothing is kept or lost."""

import ctypes
import gc
import itertools
import sys
import threading
import weakref

import numpy as np
import pytest
from structures import LEGACY, VERSIONED, LegacyManaged, Made, Managed, Relay, host_waits, in_capsule, is_capsule, live

import baton

READ_ONLY, COPIED = 1, 2
soft_only = pytest.mark.skipif(
    "baton.info()['driver'] != 'soft'", reason="of the software device, whose memory is the CPU's"
)


def readonly():
    data = np.arange(4, dtype="f4")
    data.flags.writeable = False
    return baton.from_dlpack(data)


# ---- what consumers ask for


@pytest.mark.parametrize("version", [None, (0, 8)])
def test_a_consumer_that_names_no_version_gets_a_legacy_tensor(version):
    capsule = baton.arange(6, dtype="i4").reshape(2, 3).T.__dlpack__(max_version=version)
    assert is_capsule(capsule, LEGACY)
    tensor = in_capsule(capsule, LEGACY, LegacyManaged).tensor
    assert (tensor.ndim, tensor.code, tensor.bits, tensor.lanes, tensor.byte_offset) == (2, 0, 32, 1, 0)
    assert tensor.shape[:2] == [3, 2] and tensor.strides[:2] == [1, 3]


@pytest.mark.parametrize("version", [(1, 0), (1, 3), (2, 7)])
def test_a_consumer_of_this_or_a_later_version_gets_a_versioned_tensor(version):
    capsule = baton.zeros(3).__dlpack__(max_version=version)
    assert is_capsule(capsule, VERSIONED)
    managed = in_capsule(capsule, VERSIONED, Managed)
    assert managed.major == 1 and managed.minor >= 3 and managed.flags == 0


@pytest.mark.parametrize("version", [1, [1, 0], (1,), ("1", "0"), (1, 0, 0)])
def test_a_version_that_is_none_is_refused(version):
    with pytest.raises(TypeError):
        baton.zeros(3).__dlpack__(max_version=version)


@soft_only
def test_memory_of_the_cpu_takes_no_stream():
    array = baton.zeros(3)
    assert array.__dlpack_device__() == (1, 0)
    assert array.__dlpack__(stream=None) and array.__dlpack__(stream=-1)
    for stream in (1, 2, 5):
        with pytest.raises(ValueError):
            array.__dlpack__(stream=stream)


def test_streams_that_are_none_are_refused():
    array = baton.zeros(3)
    with pytest.raises(BufferError):
        array.__dlpack__(stream=0)
    with pytest.raises(ValueError):
        array.__dlpack__(stream=-2)
    for stream in (True, "1", 1.0, baton.Stream()):
        with pytest.raises(TypeError):
            array.__dlpack__(stream=stream)
    with pytest.raises(OverflowError):
        array.__dlpack__(stream=1 << 70)


def test_only_its_own_device_and_the_cpu_can_be_asked_for():
    array = baton.zeros(3)
    assert is_capsule(array.__dlpack__(dl_device=array.__dlpack_device__(), max_version=(1, 0)), VERSIONED)
    host = in_capsule(array.__dlpack__(dl_device=(1, 0), max_version=(1, 0)), VERSIONED, Managed)
    assert host.tensor.device_type == 1
    for device in ((10, 0), (2, 99), (1, 1)):
        with pytest.raises(BufferError):
            array.__dlpack__(dl_device=device)
    for device in (1, [1, 0], (1,), ("cpu", 0)):
        with pytest.raises(TypeError):
            array.__dlpack__(dl_device=device)


def test_a_copy_is_the_consumers_alone():
    array = baton.arange(4, dtype="f4")
    capsule = array.__dlpack__(copy=True, max_version=(1, 0))
    managed = in_capsule(capsule, VERSIONED, Managed)
    shared = in_capsule(array.__dlpack__(copy=False, max_version=(1, 0)), VERSIONED, Managed)
    assert managed.flags == COPIED and managed.tensor.data != shared.tensor.data and shared.flags == 0


@soft_only
def test_a_copy_for_numpy_is_not_shared():
    array = baton.arange(4, dtype="f4")
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("this NumPy asks for no copies")
    copied, shared = np.from_dlpack(array, copy=True), np.from_dlpack(array, copy=False)
    array += 1
    array.synchronize()
    assert copied.tolist() == [0, 1, 2, 3] and shared.tolist() == [1, 2, 3, 4]


def test_what_is_read_only_says_so_or_is_refused():
    array = readonly()
    assert array.readonly
    capsule = array.__dlpack__(max_version=(1, 0))
    assert in_capsule(capsule, VERSIONED, Managed).flags == READ_ONLY
    with pytest.raises(BufferError, match="read-only") as caught:
        array.__dlpack__()
    assert isinstance(caught.value.__cause__, baton.KindError)
    assert is_capsule(array.__dlpack__(copy=True), LEGACY)
    with pytest.raises(baton.Error):
        baton.from_dlpack(Relay(array)).fill(0)


def test_a_closed_array_is_not_exported():
    array = baton.zeros(3)
    array.close()
    for call in (array.__dlpack__, array.__dlpack_device__, array.__arrow_c_device_array__):
        with pytest.raises(baton.ClosedError):
            call()


@soft_only
def test_the_host_waits_for_the_work_unless_the_consumer_sees_to_it():
    stream = baton.Stream()
    array = baton.zeros(4, "i4", stream=stream)
    stream.synchronize()
    gate = baton.Gate(stream)
    array.fill(7, stream)
    before = host_waits()
    capsule = array.__dlpack__(stream=-1)
    assert host_waits() == before and not array.query()
    data = (ctypes.c_int32 * 4).from_address(in_capsule(capsule, LEGACY, LegacyManaged).tensor.data)
    assert list(data) == [0] * 4
    threading.Thread(target=gate.open).start()
    assert np.from_dlpack(array).tolist() == [7] * 4


# ---- what lives how long


@soft_only
def test_numpy_shares_an_array_and_keeps_it():
    array = baton.arange(6, dtype="i4").reshape(2, 3)
    host = np.from_dlpack(array)
    host[0, 0] = 7
    del array
    gc.collect()
    assert host.tolist() == [[7, 1, 2], [3, 4, 5]]


def test_a_capsule_that_nobody_takes_is_given_back():
    before = live()
    array = baton.zeros(3)
    for version, copy in itertools.product((None, (1, 0)), (None, True)):
        array.__dlpack__(max_version=version, copy=copy)
    del array
    assert live() == before


def test_a_capsule_that_ends_with_an_exception_on_its_way_keeps_that():
    array = baton.zeros(3)
    with pytest.raises(ZeroDivisionError):
        [array.__dlpack__(), array.__dlpack__(max_version=(1, 0)), array.__arrow_c_device_array__(), 1 // 0]


def test_while_a_consumer_holds_the_memory_it_is_not_given_back():
    array = baton.zeros(3)
    capsule = array.__dlpack__()
    with pytest.raises(baton.BusyError):
        array.close()
    del capsule
    array.close()


def test_the_producer_is_let_go_with_the_last_use():
    data = np.arange(5.0)
    count = sys.getrefcount(data)
    array = baton.from_dlpack(data)
    view = array[1:]
    del array
    baton.drain()
    assert sys.getrefcount(data) > count and view.tolist() == [1, 2, 3, 4]
    del view
    baton.drain()
    assert sys.getrefcount(data) == count


@pytest.mark.parametrize("legacy", [False, True])
def test_the_deleter_is_called_once(legacy):
    made = Made(legacy=legacy)
    array = baton.from_dlpack(made)
    assert array.tolist() == [1, 2, 3, 4] and made.deleted == 0
    del array
    baton.drain()
    assert made.deleted == 1


def test_a_tensor_without_a_deleter_is_taken():
    made = Made(deleter=False)
    assert baton.from_dlpack(made).tolist() == [1, 2, 3, 4]


def test_a_capsule_serves_once():
    class Twice(Made):
        capsule = None

        def __dlpack__(self, **keywords):
            self.capsule = self.capsule or super().__dlpack__()
            return self.capsule

    made = Twice()
    array = baton.from_dlpack(made)
    with pytest.raises(BufferError):
        baton.from_dlpack(made)
    assert made.deleted == 0 and array.tolist() == [1, 2, 3, 4]


def test_threads_take_and_give_back_at_the_same_time():
    before = live()
    array, data = baton.arange(64, dtype="f4"), np.arange(64, dtype="f4")
    wrong = []

    def work(array):
        for _ in range(50):
            ours, theirs = baton.from_dlpack(Relay(array)), baton.from_dlpack(data)
            if ours.shape != (64,) or theirs[63].item() != 63:
                wrong.append(ours)

    threads = [threading.Thread(target=work, args=(array,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    del array, threads, thread
    assert live() == before


# ---- what producers give


def test_the_producer_is_asked_for_the_newest_version():
    relay = Relay(baton.arange(3))
    array = baton.from_dlpack(relay)
    assert relay.asked[0]["max_version"] == (1, 3) and "copy" not in relay.asked[0]
    array += 1
    assert relay.thing.tolist() == [1, 2, 3]


@pytest.mark.parametrize("copy", [True, False])
def test_the_producer_is_asked_for_a_copy(copy):
    relay = Relay(baton.arange(3))
    array = baton.from_dlpack(relay, copy=copy)
    assert relay.asked[0]["copy"] is copy
    array += 1
    assert relay.thing.tolist() == ([0, 1, 2] if copy else [1, 2, 3])


@pytest.mark.parametrize("copy", [None, True, False])
def test_a_producer_from_before_versions_is_asked_again(copy):
    relay = Relay(baton.arange(3), old=True)
    array = baton.from_dlpack(relay, copy=copy)
    assert len(relay.asked) == 2 and set(relay.asked[1]) <= {"stream"}
    array += 1
    assert array.tolist() == [1, 2, 3]
    assert relay.thing.tolist() == ([0, 1, 2] if copy else [1, 2, 3])


def test_an_array_of_its_own_becomes_a_view_or_a_copy():
    array = baton.arange(3)
    view, copy = baton.from_dlpack(array), baton.from_dlpack(array, copy=True)
    assert view is not array and view.memory_id == array.memory_id != copy.memory_id


def test_memory_is_brought_to_the_device_that_is_asked_for():
    data = np.arange(3.0)
    array = baton.from_dlpack(data, device=0)
    assert (array.kind, array.device, array.tolist()) == ("device", 0, [0, 1, 2])
    assert baton.from_dlpack(array, device=0).memory_id == array.memory_id
    with pytest.raises(BufferError):
        baton.from_dlpack(data, device=0, copy=False)
    with pytest.raises(baton.DeviceError):
        baton.from_dlpack(data, device=77)


@pytest.mark.parametrize("raised", [KeyError("mine"), BufferError("not this"), KeyboardInterrupt()])
def test_what_the_producer_raises_comes_out(raised):
    class Raising(Made):
        def __dlpack__(self, **keywords):
            raise raised

    with pytest.raises(type(raised)):
        baton.from_dlpack(Raising())


def test_what_is_no_producer_is_a_type_error():
    for thing in (3, None, object(), "text", Made().__dlpack__()):
        with pytest.raises(TypeError):
            baton.from_dlpack(thing)


@pytest.mark.parametrize("device", [None, 1, (1,), (1, 2, 3), ("a", 0), [1, 0]])
def test_a_device_that_is_none_is_a_type_error(device):
    class Wrong(Made):
        def __dlpack_device__(self):
            return device

    with pytest.raises(TypeError):
        baton.from_dlpack(Wrong())


def test_memory_that_cannot_be_reached_is_not_even_asked_for():
    class Elsewhere(Made):
        def __dlpack_device__(self):
            return (10, 0)

        def __dlpack__(self, **keywords):
            raise AssertionError("asked")

    class OnTheGpu(Elsewhere):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(BufferError):
        baton.from_dlpack(Elsewhere())
    if baton.info()["driver"] == "soft":
        with pytest.raises(BufferError):
            baton.from_dlpack(OnTheGpu())


@pytest.mark.parametrize("result", [None, 3, "dltensor", object()])
def test_what_is_no_capsule_is_refused(result):
    class Wrong(Made):
        def __dlpack__(self, **keywords):
            return result

    with pytest.raises(BufferError):
        baton.from_dlpack(Wrong())


@pytest.mark.parametrize("name", [b"used_dltensor", b"used_dltensor_versioned", b"dltensors", b"tensor"])
def test_a_capsule_of_another_name_is_left_alone(name):
    made = Made(name=name)
    with pytest.raises(BufferError):
        baton.from_dlpack(made)
    assert made.deleted == 0


HOSTILE = [
    {"ndim": -1}, {"ndim": 100}, {"data": None}, {"lanes": 4}, {"code": 14, "bits": 8}, {"code": 99}, {"bits": 7},
    {"extent": -1}, {"ndim": 2, "extent": 1 << 62}, {"device_type": 10}, {"device_type": 0}, {"device_type": -5},
    {"byte_offset": (1 << 64) - 4}, {"byte_offset": 1}, {"shape": None},
]  # fmt: skip


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("changes", HOSTILE, ids=str)
def test_a_tensor_that_is_no_array_is_refused_and_deleted_once(changes, legacy):
    before = live()
    made = Made(legacy=legacy, **changes)
    with pytest.raises(BufferError):
        baton.from_dlpack(made)
    assert made.deleted == 1 and live() == before


def test_of_another_major_version_only_the_deleter_is_used():
    made = Made(major=2, ndim=1 << 20, shape=None, data=8)
    with pytest.raises(BufferError):
        baton.from_dlpack(made)
    assert made.deleted == 1


def test_a_later_minor_version_with_unknown_flags_is_taken():
    made = Made(minor=9, flags=1 << 40)
    assert baton.from_dlpack(made).tolist() == [1, 2, 3, 4]


def test_ordinary_memory_of_the_host_is_for_copies_and_kernels_refuse_it():
    data = np.arange(6, dtype="f4")
    array = baton.from_dlpack(data)
    for refused in (lambda: array + 1, lambda: array.fill(0), lambda: baton.ones(6, "f4") + array, lambda: array.astype("f8")):
        with pytest.raises(baton.KindError, match="pin it"):
            refused()
    assert (array.to(kind="device") + 1).tolist() == [1, 2, 3, 4, 5, 6]
    array.copy_from(baton.ones(6, "f4"))
    array.synchronize()
    assert data.tolist() == [1] * 6


# ---- odds


def test_bfloat16_comes_and_goes():
    array = baton.full(3, 1.5, "bfloat16")
    back = baton.from_dlpack(Relay(array))
    assert back.dtype == baton.bfloat16 and back.tolist() == [1.5] * 3


def test_an_array_of_another_producer_is_let_go_when_its_own_reference_is_weak():
    relay = Relay(baton.arange(4))
    array, there = baton.from_dlpack(relay), weakref.ref(relay)
    del relay
    assert there() is None and array.tolist() == [0, 1, 2, 3]
