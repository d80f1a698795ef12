"""DLPack: what consumers may ask for, and that nothing is kept or lost."""

import ctypes
import gc
import itertools
import sys
import threading
import types

import numpy as np
import pytest
from structures import LEGACY, VERSIONED, LegacyManaged, Made, Managed, Relay, host_waits, in_capsule, is_capsule, live

import baton
from baton._exchange import consumer_stream

READ_ONLY, COPIED = 1, 2
soft_only = pytest.mark.skipif(
    "baton.info()['driver'] != 'soft'", reason="of the software device, whose memory is the CPU's"
)


def readonly():
    data = np.arange(4, dtype="f4")
    data.flags.writeable = False
    return baton.from_dlpack(data)


# ---- what consumers ask for


def current(stream):
    def current_stream(*_device):
        if isinstance(stream, Exception):
            raise stream
        return stream

    return current_stream


@pytest.mark.parametrize("ready", [False, True])
def test_the_current_stream_of_a_consumer_is_found_by_its_number(monkeypatch, ready):
    theirs, other = types.SimpleNamespace(cuda_stream=77), types.SimpleNamespace(ptr=78)
    cuda = types.SimpleNamespace(is_initialized=lambda: ready, current_stream=current(theirs))
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    monkeypatch.setitem(
        sys.modules, "cupy", types.SimpleNamespace(cuda=types.SimpleNamespace(get_current_stream=current(other)))
    )
    assert consumer_stream(77, 0) is (theirs if ready else None)
    assert consumer_stream(78, 0) is other
    assert consumer_stream(79, 0) is None


@pytest.mark.parametrize("broken", [types.SimpleNamespace(), None, current(RuntimeError("no GPU"))])
def test_a_consumer_that_does_not_tell_its_stream_is_no_error(monkeypatch, broken):
    library = types.SimpleNamespace(cuda=types.SimpleNamespace(get_current_stream=broken, current_stream=broken))
    monkeypatch.setitem(sys.modules, "torch", library)
    monkeypatch.setitem(sys.modules, "cupy", library)
    assert consumer_stream(77, 0) is None


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
