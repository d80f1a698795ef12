"""CuPy, where there is a GPU."""

import numpy as np
import pytest
from structures import ADDED, N, gpu_only, hand_over, host_waits, live, numbers

import baton

cupy = pytest.importorskip("cupy")
pytestmark = gpu_only


def number_of(stream):
    return stream if hasattr(stream, "__cuda_stream__") else stream.ptr


@pytest.mark.parametrize("own", [False, True], ids=["default stream", "own stream"])
def test_an_array_is_used_in_two_threads_and_handed_back_without_a_wait(own):
    with cupy.cuda.Stream(non_blocking=True) if own else cupy.cuda.Stream.null:
        theirs = cupy.arange(N, dtype="f4")
        cupy.multiply(theirs, 2)  # loads the kernel, and leaves memory for its result
        result = hand_over(lambda: baton.from_dlpack(theirs), lambda array: cupy.from_dlpack(array) * 2)
        np.testing.assert_array_equal(cupy.asnumpy(result), 2 * (numbers() + ADDED))
        np.testing.assert_array_equal(cupy.asnumpy(theirs), numbers() + ADDED)


def test_the_array_interface_is_read_and_given():
    before = live()
    array = baton.arange(12, dtype="f4").reshape(3, 4).T
    interface = array.__cuda_array_interface__
    assert interface["version"] == 3 and interface["stream"] not in (0, None) and interface["strides"] == (4, 16)
    theirs = cupy.asarray(array)
    assert theirs.data.ptr == interface["data"][0] and theirs.shape == (4, 3)
    np.testing.assert_array_equal(cupy.asnumpy(theirs), array.numpy())
    del theirs, array
    again = baton.from_cuda_array_interface(cupy.arange(5, dtype="i4"))
    assert again.dtype == baton.int32 and again.tolist() == [0, 1, 2, 3, 4]
    del again
    cupy.cuda.Device().synchronize()
    assert live() == before


def test_work_follows_the_stream_that_the_interface_names():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        theirs = cupy.zeros(N, dtype="f4")
        for _ in range(100):
            theirs += 1
        array = baton.from_cuda_array_interface(theirs)
    before = baton.stats()["host_waits"]
    to = baton.empty(N, "f4")
    to.copy_from(array)
    assert baton.stats()["host_waits"] == before
    assert (to.numpy() == 100).all()


def test_an_array_may_outlive_the_stream_that_it_was_made_for():
    source = cupy.arange(N, dtype="f4")
    cupy.cuda.Device().synchronize()
    for _ in range(20):
        array = baton.zeros(N, "f4")
        with cupy.cuda.Stream(non_blocking=True) as stream:
            theirs = cupy.from_dlpack(array)
            theirs[...] = source  # still under way when the stream is left
        del stream
        before = host_waits()
        after = array + 1.0
        assert host_waits() == before  # the stream's object is kept
        np.testing.assert_array_equal(after.numpy(), numbers() + 1)
        del theirs
        np.testing.assert_array_equal(array.numpy(), numbers())


def test_managed_memory_is_shared():
    with cupy.cuda.using_allocator(cupy.cuda.MemoryPool(cupy.cuda.malloc_managed).malloc):
        theirs = cupy.arange(N, dtype="f4")
    array = baton.from_dlpack(theirs)
    assert array.kind == "unified"
    array += 1.0
    np.testing.assert_array_equal(cupy.asnumpy(cupy.from_dlpack(array)), numbers() + 1)


def test_streams_pass_both_ways():
    theirs = cupy.cuda.Stream(non_blocking=True)
    ours = baton.Stream.from_external(number_of(theirs))
    assert ours.handle == theirs.ptr
    array = baton.zeros(N, "f4")
    view = cupy.from_dlpack(array)
    for _ in range(10):
        with baton.managed(ours, writes=array), theirs:
            view += 1
        array += 1.0
    assert (array.numpy() == 20).all()
