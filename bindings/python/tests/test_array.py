"""Arrays: making them, what they say of themselves, views and assignment."""

import array as array_module
import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import baton

NUMERIC = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


# ---- making


@pytest.mark.parametrize("name", NUMERIC)
def test_an_array_of_every_type_comes_back_from_the_device_as_it_went(name):
    host = (np.arange(12).reshape(3, 4) % 3).astype(name)
    array = baton.asarray(host)
    assert array.dtype == name and array.dtype == host.dtype and array.dtype.itemsize == host.itemsize
    assert array.numpy().dtype == host.dtype
    np.testing.assert_array_equal(array.numpy(), host)
    assert array.tolist() == host.tolist()


def test_attributes_are_those_of_numpy():
    array = baton.empty((3, 4, 5), "f4")
    assert array.shape == (3, 4, 5) and array.strides == (80, 20, 4)
    assert (array.ndim, array.size, array.nbytes, array.itemsize, len(array)) == (3, 60, 240, 4, 3)
    assert array.device == 0 and array.kind == "device" and array.contiguous and not array.readonly and not array.closed


def test_the_default_type_is_numpys():
    assert baton.empty(3).dtype == baton.float64
    assert baton.asarray([1, 2]).dtype == baton.int64
    assert baton.asarray([1, 2.0]).dtype == baton.float64
    assert baton.asarray([True, False]).dtype == baton.bool
    assert baton.asarray([1, 2j]).dtype == baton.complex128
    assert baton.asarray([]).shape == (0,)


@pytest.mark.parametrize("dtype", ["f4", "<f4", "float32", "f32", np.float32, np.dtype("f4"), baton.float32, baton.f32])
def test_a_type_has_many_names(dtype):
    assert baton.empty(1, dtype).dtype is baton.float32


@pytest.mark.parametrize("dtype", ["f5", ">f4", object(), np.dtype("S3"), np.dtype(">i4"), 3, str])
def test_what_names_no_type_is_refused(dtype):
    with pytest.raises(TypeError):
        baton.empty(1, dtype)


def test_full_zeros_and_ones_fill():
    assert baton.zeros((2, 2), "i4").tolist() == [[0, 0], [0, 0]]
    assert baton.ones(2, "f2").tolist() == [1.0, 1.0]
    assert baton.full((2,), 7).dtype == baton.int64
    assert baton.full((2,), 2.5, "f4").tolist() == [2.5, 2.5]
    assert baton.full((), True).item() is True
    assert baton.full(2, baton.i32(5)).dtype == baton.int32


@given(
    start=st.integers(-50, 50), stop=st.integers(-50, 50), step=st.integers(-7, 7).filter(bool),
    dtype=st.sampled_from([None, "i4", "i8", "f4", "f8", "u1", "i2"]),
)  # fmt: skip
def test_arange_counts_like_numpy(start, stop, step, dtype):
    host = np.arange(start, stop, step, dtype=np.int64).astype(dtype or "i8")
    np.testing.assert_array_equal(baton.arange(start, stop, step, dtype).numpy(), host)


def test_arange_of_floats():
    np.testing.assert_array_equal(baton.arange(0, 1, 0.25).numpy(), np.arange(0, 1, 0.25))
    assert baton.arange(5).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError):
        baton.arange(0, 1, 0)


def test_asarray_takes_nested_sequences_buffers_and_numbers():
    assert baton.asarray([[1, 2], [3, 4]], "f4").tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert baton.asarray(b"abc").tolist() == [97, 98, 99]
    assert baton.asarray(memoryview(np.arange(6).reshape(2, 3))[::-1]).tolist() == [[3, 4, 5], [0, 1, 2]]
    assert baton.asarray(np.arange(10)[::3]).tolist() == [0, 3, 6, 9]
    assert baton.asarray(3.5).shape == ()
    assert baton.asarray([[], []]).shape == (2, 0)
    assert baton.asarray(np.float32(2)).dtype == baton.float32


@pytest.mark.parametrize("thing", [[[1, 2], [3]], [1, [2]], [[1], 2], ["a"], [object()], [None], np.array(["x"])])
def test_asarray_refuses_what_is_no_array(thing):
    with pytest.raises((ValueError, TypeError)):
        baton.asarray(thing)


def test_asarray_of_an_array_is_the_array():
    array = baton.zeros(3)
    assert baton.asarray(array) is array
    assert baton.asarray(array, "f4").dtype == baton.float32


def test_buffers_of_ctypes_and_of_the_array_module_keep_their_type():
    for code, name in [("b", "int8"), ("I", "uint32"), ("l", "int64"), ("L", "uint64"), ("d", "float64")]:
        assert baton.asarray(array_module.array(code, [1, 2])).dtype == name
    for kind, name in [
        (ctypes.c_int, "int32"),
        (ctypes.c_long, "int64"),
        (ctypes.c_ubyte, "uint8"),
        (ctypes.c_double, "float64"),
    ]:
        array = baton.asarray((kind * 3)(1, 2, 3))
        assert array.dtype == name and array.tolist() == [1, 2, 3]
    with pytest.raises(TypeError):
        baton.asarray(np.arange(3, dtype=">i4"))


def test_numbers_that_do_not_fit_are_refused():
    with pytest.raises(OverflowError):
        baton.asarray([300], "u1")
    with pytest.raises(OverflowError):
        baton.empty(1, "i1").fill(128)
    with pytest.raises(OverflowError):
        baton.empty(1, "u8").fill(-1)


@pytest.mark.parametrize("shape", [(-1,), (2, -3), (1,) * 17, (1 << 62, 1 << 62), "ab", (1.5,), None])
def test_an_impossible_shape_is_refused(shape):
    with pytest.raises((ValueError, TypeError, MemoryError)):
        baton.empty(shape)


@given(st.floats(width=64))
def test_half_precision_rounds_as_numpy_does(value):
    with np.errstate(over="ignore"):
        want = np.float16(value)
    got = baton.full(1, value, "f2").numpy()[0]
    assert got == want or (np.isnan(got) and np.isnan(want))
    assert np.signbit(got) == np.signbit(want) or np.isnan(want)


def test_bfloat16_keeps_the_upper_half_of_a_float():
    array = baton.asarray([1.0, -2.5, 3.140625], "bf16")
    assert array.tolist() == [1.0, -2.5, 3.140625] and array.nbytes == 6


# ---- views


def keys(shape):
    """Indices for an array of that shape: ints, slices with any step, ..., None."""
    return hnp.basic_indices(shape, allow_newaxis=True, max_dims=8)


@given(st.data())
def test_indexing_sees_what_numpy_sees(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    key = data.draw(keys(shape))
    host = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
    array = baton.asarray(host)
    want = host[key]
    view = array[key]
    assert view.shape == np.shape(want)
    np.testing.assert_array_equal(view.numpy(), want)
    if host.size and np.ndim(want):
        assert view.memory_id == array.memory_id


@given(st.data())
def test_assigning_changes_what_numpy_changes(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    key = data.draw(keys(shape))
    host = np.arange(int(np.prod(shape)), dtype="f4").reshape(shape)
    array = baton.asarray(host)
    part = np.shape(host[key])
    how = data.draw(st.sampled_from(["number", "numpy", "array", "other type", "row"]))
    value = np.arange(int(np.prod(part)), dtype="f8" if how == "other type" else "f4").reshape(part) + 100
    if how == "number":
        value = 7.5
    elif how == "row" and value.ndim:
        value = value[..., :1]
        if host[key].shape[-1] == 0:
            return
    host[key] = value
    array[key] = baton.asarray(value) if how in ("array", "other type", "row") else value
    np.testing.assert_array_equal(array.numpy(), host)


@pytest.mark.parametrize("key", [5, -6, (0, 0), (..., ...), 1.5, "a", [0], True, slice(0, 2, 0)])
def test_an_index_that_is_none_is_refused(key):
    with pytest.raises((IndexError, TypeError, ValueError)):
        baton.zeros(5)[key]


def test_reshaping_and_transposing_are_views():
    host = np.arange(24).reshape(2, 3, 4)
    array = baton.asarray(host)
    for view, want in [
        (array.reshape(4, 6), host.reshape(4, 6)),
        (array.reshape((-1,)), host.reshape(-1)),
        (array.transpose(), host.T),
        (array.T, host.T),
        (array.transpose(1, 0, 2), host.transpose(1, 0, 2)),
        (array.transpose((-1, 0, 1)), host.transpose(-1, 0, 1)),
        (array.view("i4"), host.view("i4")),
    ]:
        np.testing.assert_array_equal(view.numpy(), want)
        assert view.memory_id == array.memory_id
    with pytest.raises(baton.ShapeError):
        array.T.reshape(-1)
    with pytest.raises(ValueError):
        array.reshape(5, 5)
    with pytest.raises(ValueError):
        array.transpose(0, 0, 1)


def test_writing_through_a_view_changes_the_array():
    array = baton.zeros((4, 4), "i4")
    array.T[1] = 5
    array[::2, ::-2].fill(7)
    host = np.zeros((4, 4), "i4")
    host.T[1] = 5
    host[::2, ::-2] = 7
    np.testing.assert_array_equal(array.numpy(), host)


def test_iterating_gives_views():
    rows = list(baton.asarray([[1, 2], [3, 4]]))
    assert [row.tolist() for row in rows] == [[1, 2], [3, 4]]
    with pytest.raises(TypeError):
        iter(baton.full((), 1)).__next__()
