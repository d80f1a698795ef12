"""Arrays: data in and out, buffers, how they look, and their end."""

import copy
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import baton

# ---- data


def test_a_copy_is_apart():
    array = baton.arange(4)
    for other in (array.copy(), copy.copy(array), copy.deepcopy(array), array[::2].copy()):
        other.fill(9)
    assert array.tolist() == [0, 1, 2, 3]


def test_types_convert_as_in_c():
    array = baton.asarray([1.9, -1.9, 3e9])
    assert array.astype("i4").tolist() == [1, -1, 2147483647]
    assert array.astype("f8") is array
    assert baton.asarray([0, 2]).astype(bool).tolist() == [False, True]


def test_one_element_is_a_number():
    assert baton.full((1, 1), 2.5).item() == 2.5
    assert float(baton.asarray(2)) == 2.0 and int(baton.asarray(2.9)) == 2 and bool(baton.asarray([0])) is False
    assert complex(baton.asarray(2)) == 2 + 0j
    assert [10, 11, 12][baton.asarray(1)] == 11
    with pytest.raises(ValueError):
        bool(baton.zeros(2))
    with pytest.raises(TypeError):
        [1, 2][baton.asarray(1.0)]


def test_numpy_functions_take_arrays():
    array = baton.arange(4)
    np.testing.assert_array_equal(np.asarray(array), [0, 1, 2, 3])
    assert np.asarray(array, "f4").dtype == np.float32
    assert np.sum(array.numpy()) == 6
    with pytest.raises(ValueError):
        np.array(array, copy=False)


@pytest.mark.usefixtures("two_devices")
def test_arrays_move_between_devices_and_kinds():
    array = baton.arange(5, dtype="i4")
    there = array.to(1)
    assert there.device == 1 and there.tolist() == [0, 1, 2, 3, 4] and array.to(0) is array
    pinned = array.to(kind="host")
    assert pinned.kind == "host" and pinned.tolist() == array.tolist()
    with pytest.raises(baton.DeviceError):
        array.to(7)


def test_pickling_passes_through_the_host():
    array = baton.asarray([[1, 2], [3, 4]], "i2").T
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        other = pickle.loads(pickle.dumps(array, protocol))
        assert other.tolist() == [[1, 3], [2, 4]] and other.dtype == array.dtype and other.memory_id != array.memory_id
    assert pickle.loads(pickle.dumps(baton.float32)) is baton.float32
    with pytest.raises(TypeError):
        pickle.dumps(baton.Stream())


def test_upload_and_download_want_the_exact_size():
    array = baton.empty(4, "i4")
    with pytest.raises(baton.BoundsError):
        array.upload(b"123")
    array.upload(np.arange(4, dtype="i4"))
    target = bytearray(16)
    array.download(target)
    assert np.frombuffer(target, "i4").tolist() == [0, 1, 2, 3]
    with pytest.raises((TypeError, BufferError)):
        array.download(b"0" * 16)


# ---- buffers


@pytest.mark.parametrize("kind", ["host", "unified"])
def test_memory_of_the_host_is_a_buffer(kind):
    array = baton.empty((2, 3), "i4", kind=kind)
    array.fill(3)
    view = memoryview(array)
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 3), (12, 4), False)
    host = np.asarray(memoryview(array))
    host[1] = 5
    assert array.tolist() == [[3, 3, 3], [5, 5, 5]]
    np.testing.assert_array_equal(np.asarray(memoryview(array.T)), host.T)


def test_a_buffer_in_use_keeps_the_array_open():
    array = baton.empty(3, "u1", kind="host")
    with memoryview(array), pytest.raises(BufferError):
        array.close()
    array.close()


def test_memory_that_cannot_be_a_buffer_is_refused():
    with pytest.raises(BufferError):
        memoryview(baton.zeros(3))
    with pytest.raises(BufferError):
        baton.empty(2, "u1").upload(baton.empty((2, 2), "u1", kind="host").T[0])
    with pytest.raises(BufferError):
        memoryview(baton.empty(2, "bf16", kind="host"))


# ---- how it looks


def test_repr_shows_the_data():
    assert repr(baton.asarray([1, 2], "i4")) == "baton.Array([1, 2], shape=(2,), dtype=int32, device=0)"
    assert "1.5" in repr(baton.full((2, 2), 1.5)) and "kind='host'" in repr(baton.zeros(1).to(kind="host"))
    assert "shape=(0, 3)" in repr(baton.zeros((0, 3)))


def test_repr_of_a_large_array_shows_its_edges_only():
    array = baton.arange(100000)
    text = repr(array)
    assert "[0, 1, 2, ..., 99997, 99998, 99999]" in text
    assert len(repr(baton.zeros((1000, 1000)))) < 500
    assert "..." in repr(baton.zeros((10, 10, 10, 10)))


def test_repr_never_raises():
    array = baton.zeros(3)
    view = array[:2]
    array.close()
    assert repr(array) == "<baton.Array, closed>"
    assert repr(view).startswith("<baton.Array")


def test_repr_does_not_hang_behind_unfinished_work():
    with baton.Gate():
        array = baton.zeros(3)
        assert "data not shown" in repr(array)


# ---- the end


def test_closing_gives_memory_back_and_closed_arrays_say_so():
    array = baton.zeros(1000)
    live = baton.stats()["live_bytes"]
    array.close()
    array.close()
    assert array.closed
    baton.drain()
    assert baton.stats()["live_bytes"] < live
    for use in (lambda: array.shape, lambda: array.numpy(), lambda: array[0], lambda: array.fill(1), lambda: array + 1):
        with pytest.raises(baton.ClosedError):
            use()


def test_closing_a_view_leaves_the_array():
    array = baton.arange(4)
    with array[1:] as view:
        pass
    assert view.closed and array.tolist() == [0, 1, 2, 3]


def test_a_context_closes_its_array():
    with baton.empty(3, kind="host") as array:
        array.fill(1)
    assert array.closed


def test_weak_references_see_the_end():
    array = baton.zeros(3)
    reference = weakref.ref(array)
    assert reference() is array
    del array
    assert reference() is None


def test_a_view_keeps_the_memory():
    view = baton.arange(10)[5:]
    gc.collect()
    assert view.tolist() == [5, 6, 7, 8, 9]


def test_references_are_balanced():
    array, stream = baton.zeros(4, "f4"), baton.current_stream()
    counts = [sys.getrefcount(thing) for thing in (array, stream, baton.float32, baton.Array, None)]
    for _ in range(1000):
        array.fill(1)
        assert array[1:3].T.shape == (2,)
        array.copy_from(array.copy())
        assert array.dtype and array.shape and array + 1.0 is not None
        with stream:
            pass
        with pytest.raises(IndexError):
            array[9]
    after = [sys.getrefcount(thing) for thing in (array, stream, baton.float32, baton.Array, None)]
    assert all(abs(a - b) < 50 for a, b in zip(counts, after)), (counts, after)


def test_types_are_final():
    for kind in (baton.Array, baton.DType, baton.Kernel):
        with pytest.raises(TypeError):
            type("Sub", (kind,), {})
        with pytest.raises(TypeError):
            kind()
