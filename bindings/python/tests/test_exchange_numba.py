"""Numba, where there is a GPU: the CUDA array interface both ways."""

import numpy as np
import pytest
from structures import ADDED, N, gpu_only, hand_over, live, numbers

import baton

pytest.importorskip("numba")
cuda = pytest.importorskip("numba.cuda")
pytestmark = gpu_only


@pytest.fixture(autouse=True)
def available():
    if not cuda.is_available():
        pytest.skip("Numba has no GPU")


def number(stream):
    return getattr(stream.handle, "value", None) or int(stream.handle)


def address(thing):
    return thing.__cuda_array_interface__["data"][0]


def test_an_array_is_used_in_two_threads_and_handed_back_without_a_wait():
    stream = cuda.stream()
    theirs = cuda.to_device(numbers(), stream=stream)
    back = hand_over(
        lambda: baton.from_cuda_array_interface(theirs, stream=number(stream)),
        lambda array: cuda.as_cuda_array(array, sync=False),
    )
    assert address(back) == address(theirs)
    named = baton.Stream.from_external(back.__cuda_array_interface__["stream"])
    baton.Stream.from_external(number(stream)).follow(named)  # the interface leaves the order to the consumer
    result = theirs.copy_to_host(stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(result, numbers() + ADDED)


def test_memory_is_shared_and_given_back():
    before = live()
    array = baton.arange(N, dtype="f4")
    theirs = cuda.as_cuda_array(array)
    np.testing.assert_array_equal(theirs.copy_to_host(), numbers())
    del theirs, array
    assert live() == before
