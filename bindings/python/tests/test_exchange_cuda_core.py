"""cuda.core, where there is a GPU: buffers, views and streams."""

import numpy as np
import pytest
from structures import ADDED, N, gpu_only, hand_over, numbers

import baton

core = pytest.importorskip("cuda.core")
pytestmark = gpu_only


@pytest.fixture
def device():
    device = core.Device(0)
    device.set_current()
    return device


def view_of(array, stream):
    from cuda.core.utils import StridedMemoryView

    make = getattr(StridedMemoryView, "from_dlpack", StridedMemoryView)
    return make(array, stream_ptr=int(stream.handle))


def test_a_buffer_is_used_in_two_threads_and_handed_back_without_a_wait(device):
    stream = device.create_stream()
    buffer, result = (device.allocate(N * 4, stream=stream) for _ in range(2))
    ours = baton.Stream.from_external(stream)

    def taken():
        array = baton.from_dlpack(buffer, stream=ours).view("f4")  # the buffer's order is that of its stream
        array.copy_from(baton.asarray(numbers()))
        return array

    def give_back(array):
        view = view_of(array, stream)  # the stream waits for the work
        assert int(view.ptr) == int(buffer.handle) and tuple(view.shape) == (N,)
        result.copy_from(buffer, stream=stream)
        return view

    view = hand_over(taken, give_back)
    stream.sync()
    np.testing.assert_array_equal(baton.from_dlpack(result, stream=ours).view("f4").numpy(), numbers() + ADDED)
    del view


def test_a_view_tells_what_the_array_is(device):
    stream = device.create_stream()
    array = baton.arange(12, dtype="i4").reshape(3, 4).T
    view = view_of(array, stream)
    assert tuple(view.shape) == (4, 3) and tuple(view.strides) == (1, 4) and view.dtype == np.int32
    assert view.device_id == 0 and view.is_device_accessible and int(view.ptr) == array.ptr


@pytest.mark.parametrize("kept", [False, True], ids=["by number", "kept"])
def test_a_view_may_outlive_the_stream_that_it_was_made_for(device, kept):
    base = device.create_stream()
    source, buffer = (device.allocate(N * 4, stream=base) for _ in range(2))
    ours = baton.Stream.from_external(base)
    baton.from_dlpack(source, stream=ours).view("f4").copy_from(baton.asarray(numbers()))
    array = baton.from_dlpack(buffer, stream=ours).view("f4")
    for _ in range(20):
        array.fill(0.0)
        baton.current_stream().synchronize()
        stream = device.create_stream()
        theirs = baton.Stream.from_external(stream) if kept else None
        view = view_of(array, stream)
        buffer.copy_from(source, stream=stream)  # still under way when the stream ends
        del theirs
        if not kept:
            stream.close()
        del stream
        np.testing.assert_array_equal((array + 1.0).numpy(), numbers() + 1)
        del view
        baton.drain()
        np.testing.assert_array_equal(array.numpy(), numbers())
    del array
    baton.drain()


def test_streams_pass_both_ways(device):
    theirs = device.create_stream()
    ours = baton.Stream.from_external(theirs)
    assert ours.handle == int(theirs.handle)
    stream = baton.Stream()
    assert int(device.create_stream(stream).handle) == stream.handle
