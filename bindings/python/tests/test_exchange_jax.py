"""JAX, on the CPU and on a GPU. Its arrays are never written, so what is used is a copy."""

import gc
import os

import numpy as np
import pytest
from structures import ADDED, N, gpu_only, hand_over, live, numbers

import baton

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
jax = pytest.importorskip("jax")


@pytest.fixture
def cuda():
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")


def test_an_array_of_the_cpu_is_shared():
    theirs = jax.device_put(numbers(), jax.devices("cpu")[0])
    array = baton.from_dlpack(theirs)
    assert array.kind == "host"
    np.testing.assert_array_equal(array.to(kind="device").numpy(), numbers())


def test_an_array_of_the_software_device_goes_to_the_cpu():
    if baton.info()["driver"] != "soft":
        pytest.skip("of the software device, whose memory is the CPU's")
    before = live()
    array = baton.arange(N, dtype="f4") + 1
    theirs = jax.dlpack.from_dlpack(array)
    del array
    np.testing.assert_array_equal(np.asarray(theirs), numbers() + 1)
    del theirs
    gc.collect()
    assert live() == before


@gpu_only
def test_an_array_is_used_in_two_threads_and_handed_back_without_a_wait(cuda):
    theirs = jax.numpy.arange(N, dtype=jax.numpy.float32)
    double = jax.jit(lambda x: x * 2)
    double(theirs).block_until_ready()
    back = hand_over(lambda: baton.from_dlpack(theirs).copy(), jax.dlpack.from_dlpack)
    np.testing.assert_array_equal(np.asarray(double(back)), 2 * (numbers() + ADDED))
    np.testing.assert_array_equal(np.asarray(theirs), numbers())


@gpu_only
def test_memory_is_shared_and_given_back(cuda):
    before = live()
    array = baton.arange(N, dtype="f4")
    theirs = jax.dlpack.from_dlpack(array)
    assert theirs.unsafe_buffer_pointer() == array.ptr
    np.testing.assert_array_equal(np.asarray(theirs), numbers())
    del theirs, array
    gc.collect()
    assert live() == before
