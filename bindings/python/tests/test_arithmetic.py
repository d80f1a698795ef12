"""Elementwise + - * /, against NumPy."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import baton

TYPES = ["float32", "float64", "int32", "int64"]
FUNCTIONS = [operator.add, operator.sub, operator.mul, operator.truediv]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]


def numbers(dtype, shape, offset=1):
    return (np.arange(int(np.prod(shape))).reshape(shape) % 7 + offset).astype(dtype)


def same(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("left", TYPES)
@pytest.mark.parametrize("right", TYPES)
def test_two_arrays_promote_as_in_numpy(function, left, right):
    a, b = numbers(left, (2, 3)), numbers(right, (2, 3), 2)
    same(function(baton.asarray(a), baton.asarray(b)), function(a, b))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("number", [3, 2.5, True, np.float32(2), np.int64(3), np.float64(1.5)])
def test_pythons_numbers_are_weak_and_numpys_are_not(function, dtype, number):
    a = numbers(dtype, 5)
    same(function(baton.asarray(a), number), function(a, number))
    if not isinstance(number, np.generic):
        same(function(number, baton.asarray(a)), function(number, a))


@given(st.data())
def test_shapes_broadcast_as_in_numpy(data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4, min_side=0))
    a, b = (numbers("float32", shape) for shape in shapes.input_shapes)
    same(baton.asarray(a) + baton.asarray(b), np.asarray(a + b))


@given(st.data())
def test_operands_may_be_any_views(data):
    host = numbers("int32", (4, 5))
    key = data.draw(hnp.basic_indices((4, 5), allow_newaxis=True, max_dims=4))
    same(baton.asarray(host)[key] * baton.asarray(host)[key], np.asarray(host[key] * host[key]))


@pytest.mark.parametrize("function", IN_PLACE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("number", [3, 2.5])
def test_in_place_keeps_the_array_and_its_type(function, dtype, number):
    host = numbers(dtype, 6)
    array = baton.asarray(host)
    memory = array.memory_id
    try:
        host = function(host, number)
    except TypeError:  # NumPy refuses to put floats into integers
        with pytest.raises(TypeError):
            function(array, number)
        return
    result = function(array, number)
    assert result is array and array.memory_id == memory
    same(array, host)


def test_in_place_through_views_and_across_itself():
    host = numbers("float32", (3, 4))
    array = baton.asarray(host)
    host[1:] += 2
    array[1:] += 2
    host[:, ::2] *= host[:, 1::2]
    array[:, ::2] *= array[:, 1::2]
    host += host[::-1].copy()
    array += array[::-1]
    np.testing.assert_array_equal(array.numpy(), host)


def test_minus_changes_signs():
    same(-baton.asarray([1.5, -2.0]), np.array([-1.5, 2.0]))
    assert np.signbit((-baton.asarray([0.0])).numpy()[0])


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(baton.ShapeError):
        baton.zeros(3) + baton.zeros(4)
    array = baton.zeros(3)
    with pytest.raises(baton.ShapeError):
        array += baton.zeros((2, 3))
    with pytest.raises(baton.ShapeError):
        array[:] = baton.zeros((2, 3))


def test_types_without_arithmetic_are_told():
    for dtype in ("u1", "f2", "c8", "bool"):
        with pytest.raises(baton.DtypeError):
            baton.zeros(2, dtype) + 1
    with pytest.raises(OverflowError):
        baton.zeros(2, "i4") + (1 << 40)


@pytest.mark.parametrize("other", ["a", None, [1, 2], 1j, np.ones(2), object()])
def test_the_host_is_not_mixed_in_silently(other):
    array = baton.zeros(2)
    with pytest.raises(TypeError):
        array + other
    with pytest.raises(TypeError):
        other + array


def test_work_goes_to_the_current_stream(pair):
    a, _ = pair
    with a:
        x = baton.ones(4)
        with baton.Gate():
            y = x + x
            assert not y.query() and y.owner_stream_id == a.id
    assert y.tolist() == [2.0] * 4
