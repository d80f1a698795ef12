"""DLPack on the software device, whose memory is the CPU's."""

import gc

import numpy as np
import pytest

import baton


@pytest.fixture(autouse=True)
def software_only():
    if baton.info()["driver"] != "soft":
        pytest.skip("the other tests of exchange are for GPUs")


def test_numpy_shares_an_array_and_keeps_it():
    array = baton.arange(6, dtype="i4").reshape(2, 3)
    assert array.__dlpack_device__() == (1, 0)
    host = np.from_dlpack(array)
    host[0, 0] = 7
    del array
    gc.collect()
    assert host.tolist() == [[7, 1, 2], [3, 4, 5]]


def test_an_array_of_another_producer_is_shared_and_kept():
    other = baton.arange(4, dtype="f4")
    array = baton.from_dlpack(other)
    array += 1.0
    assert other.tolist() == [1.0, 2.0, 3.0, 4.0]
    del other
    gc.collect()
    assert array.tolist() == [1.0, 2.0, 3.0, 4.0]
    del array
    baton.drain()


def test_a_capsule_that_nobody_takes_is_given_back():
    array = baton.zeros(3)
    for _ in range(10):
        array.__dlpack__(max_version=(1, 0))
    with pytest.raises(BufferError):
        array.__dlpack__()
    with pytest.raises((ValueError, TypeError)):
        array.__dlpack__(max_version=(1, 0), stream=5)
    with pytest.raises((TypeError, AttributeError)):
        baton.from_dlpack(3)
