"""PyTorch: tensors of the CPU everywhere, tensors of a GPU where there is one."""

import gc

import numpy as np
import pytest
from structures import ADDED, N, gpu_only, hand_over, host_waits, live, numbers

import baton

torch = pytest.importorskip("torch")


@pytest.fixture
def cuda():
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")


# ---- the CPU


def test_a_tensor_of_the_cpu_is_shared_and_kept():
    tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    array = baton.from_dlpack(tensor)
    tensor[0, 0] = 9
    assert array.shape == (2, 3) and array.kind == "host" and array.tolist()[0] == [9, 1, 2]
    del tensor
    gc.collect()
    assert array.tolist()[1] == [3, 4, 5]


def test_an_array_of_the_software_device_becomes_a_tensor():
    if baton.info()["driver"] != "soft":
        pytest.skip("of the software device, whose memory is the CPU's")
    before = live()
    array = baton.arange(6, dtype="f4").reshape(2, 3)
    tensor = torch.from_dlpack(array)
    tensor += 1
    assert array.tolist() == [[1, 2, 3], [4, 5, 6]]
    del array
    gc.collect()
    assert tensor.tolist() == [[1, 2, 3], [4, 5, 6]]
    del tensor
    assert live() == before


def test_a_tensor_with_a_gradient_is_refused():
    with pytest.raises((BufferError, RuntimeError)):
        baton.from_dlpack(torch.ones(3, requires_grad=True))
    assert baton.from_dlpack(torch.ones(3, requires_grad=True).detach()).tolist() == [1, 1, 1]


def test_a_copy_is_not_shared():
    tensor = torch.ones(3)
    array = baton.from_dlpack(tensor, copy=True)
    tensor.zero_()
    assert array.tolist() == [1, 1, 1]


# ---- a GPU


@gpu_only
@pytest.mark.parametrize("own", [False, True], ids=["default stream", "own stream"])
@pytest.mark.parametrize("methods", [False, True], ids=["functions", "methods"])
def test_a_tensor_is_used_in_two_threads_and_handed_back_without_a_wait(cuda, own, methods):
    stream = torch.cuda.Stream() if own else torch.cuda.default_stream()
    with torch.cuda.stream(stream):
        tensor = torch.arange(N, dtype=torch.float32, device="cuda")
        tensor.mul(2)  # loads the kernel, and leaves memory for its result
        result = hand_over(
            lambda: baton.from_dlpack(tensor, copy=False if methods else None),
            lambda array: torch.from_dlpack(array).mul(2),
        )
        np.testing.assert_array_equal(result.cpu().numpy(), 2 * (numbers() + ADDED))
        np.testing.assert_array_equal(tensor.cpu().numpy(), numbers() + ADDED)


@gpu_only
def test_memory_of_each_goes_back_to_its_own_allocator(cuda):
    before, allocated = live(), torch.cuda.memory_allocated()
    tensor = torch.zeros(N, device="cuda")
    array = baton.from_dlpack(tensor)
    del tensor
    assert torch.cuda.memory_allocated() > allocated
    array += 1
    assert array[5].item() == 1
    del array
    baton.current_stream().synchronize()
    assert live() == before and torch.cuda.memory_allocated() == allocated
    tensor = torch.from_dlpack(baton.ones(N, "f4"))
    assert tensor.sum().item() == N
    del tensor
    torch.cuda.synchronize()
    assert live() == before


@gpu_only
def test_a_tensor_reads_the_array_interface_and_gives_its_own(cuda):
    array = baton.arange(12, dtype="f4").reshape(3, 4).T
    tensor = torch.as_tensor(array, device="cuda")
    assert tensor.data_ptr() == array.__cuda_array_interface__["data"][0] and tensor.shape == (4, 3)
    torch.cuda.synchronize()
    np.testing.assert_array_equal(tensor.cpu().numpy(), array.numpy())
    again = baton.from_cuda_array_interface(torch.arange(5, device="cuda"))
    assert again.tolist() == [0, 1, 2, 3, 4]


@gpu_only
def test_work_of_a_consumer_on_its_own_stream_is_followed_without_a_wait(cuda):
    source = torch.arange(N, dtype=torch.float32, device="cuda")
    torch.cuda.synchronize()
    for _ in range(20):
        array = baton.zeros(N, "f4")
        with torch.cuda.stream(torch.cuda.Stream()):
            tensor = torch.from_dlpack(array)
            tensor.copy_(source)
        before = host_waits()
        after = array + 1.0
        assert host_waits() == before
        del tensor
        again = array + 2.0
        assert host_waits() == before
        np.testing.assert_array_equal(after.numpy(), numbers() + 1)
        np.testing.assert_array_equal(again.numpy(), numbers() + 2)


@gpu_only
def test_streams_pass_both_ways(cuda):
    theirs = torch.cuda.Stream()
    ours = baton.Stream.from_external(theirs if hasattr(theirs, "__cuda_stream__") else theirs.cuda_stream)
    assert ours.handle == theirs.cuda_stream
    array = baton.zeros(N, "f4")
    tensor = torch.from_dlpack(array)
    with torch.cuda.stream(torch.cuda.ExternalStream(baton.current_stream().handle)):
        for _ in range(10):
            with baton.managed(baton.current_stream(), writes=array):
                tensor += 1
            array += 1.0
    assert (array.numpy() == 20).all()


@gpu_only
def test_pinned_tensors_are_host_arrays(cuda):
    tensor = torch.arange(N, dtype=torch.float32).pin_memory()
    array = baton.from_dlpack(tensor)
    assert array.kind == "host"
    device = array.to(kind="device")
    np.testing.assert_array_equal(device.numpy(), numbers())


@gpu_only
@pytest.mark.parametrize("number", [None, -1, 1, 2, "own"])
def test_every_stream_of_the_protocol_is_served(cuda, number):
    stream = torch.cuda.Stream()
    array = baton.arange(N, dtype="f4")
    capsule = array.__dlpack__(stream=stream.cuda_stream if number == "own" else number, max_version=(1, 0))
    if number == -1:
        array.synchronize()
    tensor = torch.utils.dlpack.from_dlpack(capsule)
    if number == "own":
        torch.cuda.current_stream().wait_stream(stream)
    np.testing.assert_array_equal(tensor.cpu().numpy(), numbers())


@gpu_only
def test_the_cpu_is_served_with_a_copy(cuda):
    array = baton.arange(N, dtype="f4")
    tensor = torch.utils.dlpack.from_dlpack(array.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert tensor.device.type == "cpu"
    np.testing.assert_array_equal(tensor.numpy(), numbers())
