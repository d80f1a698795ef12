"""NumPy: buffers, DLPack and copies, for each kind of memory."""

import gc

import numpy as np
import pytest
from structures import live

import baton


@pytest.mark.parametrize("kind", ["host", "unified"])
def test_memory_of_the_host_is_shared_through_buffers_and_dlpack(kind):
    before = live()
    array = baton.empty((2, 3), "f4", kind=kind)
    array.fill(2.0)
    for shared in (np.asarray(memoryview(array)), np.from_dlpack(array)):
        assert shared.shape == (2, 3) and shared.dtype == "f4"
        shared += 1
    assert array.tolist() == [[4.0] * 3] * 2
    del array
    gc.collect()
    assert shared.tolist() == [[4.0] * 3] * 2
    del shared
    assert live() == before


@pytest.mark.parametrize("kind", ["device", "host", "unified"])
def test_a_copy_is_made_of_every_kind(kind):
    array = baton.empty(3, "i4", kind=kind)
    array.fill(7)
    copy = np.asarray(array) if kind == "device" else array.numpy()
    copy += 1
    assert copy.tolist() == [8, 8, 8] and array.tolist() == [7, 7, 7]


def test_device_memory_is_no_buffer_and_goes_to_numpy_only_as_a_copy():
    array = baton.arange(3, dtype="i4")
    with pytest.raises(BufferError):
        memoryview(array)
    if baton.info()["driver"] != "cuda":
        return
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(array)
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert np.from_dlpack(array, device="cpu").tolist() == [0, 1, 2]
        with pytest.raises(BufferError):
            np.from_dlpack(array, device="cpu", copy=False)


def test_numpys_arrays_are_copied_by_asarray_and_shared_by_from_dlpack():
    data = np.arange(6, dtype="i2").reshape(2, 3)
    copied, shared = baton.asarray(data), baton.from_dlpack(data)
    data[0, 0] = 9
    assert copied.tolist() == [[0, 1, 2], [3, 4, 5]] and copied.kind == "device"
    assert shared.tolist() == [[9, 1, 2], [3, 4, 5]] and shared.kind == "host"


def test_what_numpy_has_and_arrays_do_not_is_refused():
    for data in (
        np.array(["a"]),
        np.array([1], "datetime64[s]"),
        np.array([(1, 2)], "i4,i4"),
        np.arange(3, dtype=">f8"),
    ):
        with pytest.raises((BufferError, TypeError)):
            baton.from_dlpack(data)
