"""The checks of neighbours.py with PyTorch."""
import gc
import threading
from contextlib import contextmanager

from baton_ctypes import Producer, Runtime
from neighbours_world import COUNT, all_are, check, equal

# ---------------------------------------------------------------- the machine, as each side sees it

@check("torch")
def baton_and_torch_describe_the_same_device(w):
    info, seen = w.baton.device_info(), w.torch.cuda.get_device_properties(0)
    equal(info.text("name"), seen.name, "name")
    equal((info.compute_major, info.compute_minor), (seen.major, seen.minor), "compute capability")
    equal(info.multiprocessors, seen.multi_processor_count, "multiprocessors")
    equal(info.total_bytes, seen.total_memory, "bytes")
    equal(w.baton.info().devices, w.torch.cuda.device_count(), "devices")
    equal(w.baton.info().text("reason"), "", "reason")


# ---------------------------------------------------------------- PyTorch

@contextmanager
def torch_stream(w):
    """A stream of PyTorch, and what Baton calls it."""
    stream = w.torch.cuda.Stream()
    wrapped = w.baton.stream_wrap(stream.cuda_stream)
    yield stream, wrapped
    stream.synchronize()
    w.baton.stream_free(wrapped)


class Memory:
    """Somebody's device memory, for libraries that take the CUDA array interface."""

    def __init__(self, address, count=COUNT):
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": "<f4", "data": (address, False), "version": 3,
                                         "strides": None, "stream": None}


@check("torch")
def a_torch_tensor_written_on_a_torch_stream_comes_into_baton(w):
    with torch_stream(w) as (stream, wrapped):
        tensor, y = w.torch.zeros(COUNT, device="cuda"), w.numbers(w.ours)
        w.torch.cuda.synchronize()
        with w.baton.held(wrapped) as gate, w.no_host_wait():
            with w.torch.cuda.stream(stream):
                tensor.fill_(5)
            x = w.baton.wrap(tensor.data_ptr(), COUNT, wrapped)
            equal(w.baton.array_info(x).kind, w.b.BATON_DEVICE, "kind")
            w.baton.copy(y, x, w.ours)
            equal(w.baton.busy(w.ours), True, "the copy waits")
            gate.open()
        w.result(y, w.ours, 5)
        w.baton.free(x, y)
        w.baton.drain()


@check("torch")
def torch_works_in_a_scope_on_its_own_stream(w):
    with torch_stream(w) as (stream, wrapped):
        x, y = w.numbers(w.ours), w.numbers(w.other)
        tensor = w.torch.as_tensor(Memory(w.baton.pointer(x, w.ours)), device="cuda")
        w.baton.fill(x, 1, w.ours)
        w.baton.synchronize(w.ours)
        with w.baton.held(w.ours) as gate, w.no_host_wait():
            w.baton.fill(x, 10, w.ours)
            with w.baton.scope(wrapped, x) as address, w.torch.cuda.stream(stream):
                equal(address, tensor.data_ptr(), "address")
                tensor.mul_(2).add_(1)
            w.baton.copy(y, x, w.other)
            equal((stream.query(), w.baton.busy(w.other)), (False, True), "finished, busy")
            gate.open()
        w.result(y, w.other, 21)
        w.baton.free(x, y)


@check("torch")
def torch_works_on_a_stream_of_baton(w):
    x, y = w.numbers(w.ours), w.numbers(w.other)
    tensor = w.torch.as_tensor(Memory(w.baton.pointer(x, w.ours)), device="cuda")
    external = w.torch.cuda.ExternalStream(w.baton.native(w.ours), device=w.torch.device("cuda:0"))
    with w.baton.held(w.ours) as gate, w.no_host_wait():
        w.baton.fill(x, 3, w.ours)
        with w.baton.scope(w.ours, x), w.torch.cuda.stream(external):
            tensor.mul_(2).add_(1)
        w.baton.copy(y, x, w.other)
        equal((external.query(), w.baton.busy(w.other)), (False, True), "finished, busy")
        gate.open()
    w.result(y, w.other, 7)
    w.baton.free(x, y)


@check("torch")
def dlpack_from_baton_to_torch_makes_torchs_stream_follow(w):
    with torch_stream(w) as (stream, wrapped):
        x, y = w.numbers(w.ours), w.numbers(w.other)
        out = w.torch.zeros(COUNT, device="cuda")
        w.torch.cuda.synchronize()
        producer = Producer(w.baton, x, (2, 0))
        with w.baton.held(w.ours) as gate, w.no_host_wait():
            w.baton.fill(x, 4, w.ours)
            with w.torch.cuda.stream(stream):
                tensor = w.torch.from_dlpack(producer)
                w.torch.mul(tensor, 3, out=out)
                tensor.add_(1)
            w.baton.copy(y, x, w.other)             # P5: behind what the consumer has queued
            equal((stream.query(), w.baton.busy(w.other)), (False, True), "finished, busy")
            gate.open()
        stream.synchronize()
        all_are(out.tolist(), 12)
        w.result(y, w.other, 5)
        equal(tensor.data_ptr(), w.baton.pointer(x, w.ours), "address")
        del tensor
        gc.collect()
        producer.free()
        w.baton.free(x, y)
        w.baton.drain()


@check("torch")
def dlpack_from_torch_to_baton_makes_batons_stream_follow(w):
    with torch_stream(w) as (stream, wrapped):
        tensor, y = w.torch.zeros(COUNT, device="cuda"), w.numbers(w.ours)
        w.torch.cuda.synchronize()
        with w.baton.held(wrapped) as gate, w.no_host_wait(), w.torch.cuda.stream(stream):
            tensor.fill_(6)
            capsule = tensor.__dlpack__(stream=w.baton.native(w.ours), max_version=(1, 0))
            x = w.baton.take(capsule, w.ours)
            w.baton.copy(y, x, w.ours)
            equal(w.baton.busy(w.ours), True, "the copy waits")
            gate.open()
        w.result(y, w.ours, 6)
        w.baton.free(x, y)
        w.baton.drain()                              # runs the deleter


@check("torch")
def pinned_memory_of_torch_is_host_memory(w):
    tensor, y = w.torch.zeros(COUNT).pin_memory(), w.numbers(w.ours)
    tensor.fill_(9)
    x = w.baton.wrap(tensor.data_ptr(), COUNT, w.ours)
    equal(w.baton.array_info(x).kind, w.b.BATON_HOST, "kind")
    w.baton.copy(y, x, w.ours)
    w.result(y, w.ours, 9)
    w.baton.wrap_refused(w.b.BATON_ERR_KIND, tensor.data_ptr(), COUNT, kind=w.b.BATON_DEVICE)
    w.baton.free(x, y)
    w.baton.drain()


@check("torch")
def wrong_declarations_of_a_tensor_are_refused(w):
    tensor = w.torch.zeros(COUNT, device="cuda")
    for kind in (w.b.BATON_HOST, w.b.BATON_UNIFIED):
        w.baton.wrap_refused(w.b.BATON_ERR_KIND, tensor.data_ptr(), COUNT, kind=kind)
    w.baton.wrap_refused(w.b.BATON_ERR_BOUNDS, tensor.data_ptr(), 1 << 40)
    w.baton.wrap_refused(w.b.BATON_ERR_ARGUMENT, tensor.data_ptr() + 1, 8)


@check("torch")
def the_legacy_stream_of_torch_is_ordered_with_batons(w):
    """Its own rule (S10): Baton may wait on the host, and the numbers are right."""
    legacy = w.baton.stream_wrap(w.b.BATON_STREAM_LEGACY)
    tensor, y = w.torch.zeros(COUNT, device="cuda"), w.numbers(w.ours)
    w.torch.cuda.synchronize()
    with w.baton.held(legacy) as gate:
        with w.torch.cuda.stream(w.torch.cuda.default_stream()):
            tensor.fill_(8)
        gate.open_soon()
        x = w.baton.wrap(tensor.data_ptr(), COUNT, legacy)
        w.baton.copy(y, x, w.ours)
    w.result(y, w.ours, 8)
    w.baton.free(x, y)
    w.baton.drain()
    w.baton.stream_free(legacy)


@check("torch")
def arrays_go_round_between_torch_and_baton_on_several_threads(w):
    def rounds():
        ours = w.baton.stream()
        with torch_stream(w) as (stream, wrapped):
            x = w.numbers(ours, 1)
            with w.baton.scope(wrapped, x) as address:
                tensor = w.torch.as_tensor(Memory(address), device="cuda")
            y = w.numbers(ours)
            for i in range(20):
                with w.baton.scope(wrapped, x), w.torch.cuda.stream(stream):
                    tensor.mul_(2).add_(1)
                w.baton.copy(y, x, ours)
                w.baton.copy(x, y, ours)
            w.result(x, ours, 2 ** 21 - 1)              # 1, 3, 7 … : exact in single precision
            w.baton.free(x, y)
        w.baton.stream_free(ours)
    threads, caught = [], []

    def body():
        try:
            rounds()
        except BaseException as problem:
            caught.append(problem)
    for _ in range(4):
        threads.append(threading.Thread(target=body))
        threads[-1].start()
    for thread in threads:
        thread.join()
    if caught:
        raise caught[0]


# ---------------------------------------------------------------- captures of PyTorch

def use_everything(w):
    """One call of nearly every kind; each must be harmless to whatever the other side does."""
    b, stream = w.baton, w.baton.stream()
    x, y = b.array(COUNT, stream), b.array(COUNT, w.other)
    b.upload(x, [1.0] * COUNT, stream)
    b.fill(x, 2, stream)
    b.copy(y, x, w.other)
    with b.held(stream) as gate:
        b.fill(x, 3, stream)
        b.busy(stream)
        gate.open()
    b.synchronize(stream)
    all_are(b.download(x, COUNT, w.other), 3)
    all_are(b.download(y, COUNT, w.other), 2)
    pinned = b.array(COUNT, stream, kind=w.b.BATON_HOST)
    b.fill(pinned, 1, stream)
    b.synchronize(stream)
    b.device_info()
    b.free(x, y, pinned)
    b.stream_free(stream)
    b.drain()
    b.call("baton_trim", b.handle, 0, 0)


def capture_beside(w, mode):
    """PyTorch captures on one thread while Baton works on another; the graph must come out whole."""
    torch = w.torch
    tensor = torch.zeros(COUNT, device="cuda")
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    begun, done, caught = threading.Event(), threading.Event(), []

    def capture():
        try:
            with torch.cuda.graph(graph, stream=stream, capture_error_mode=mode):
                tensor.add_(1)
                begun.set()
                if not done.wait(20):
                    raise AssertionError("the other thread did not come back")
                tensor.mul_(3)
        except BaseException as problem:
            caught.append(problem)
        finally:
            begun.set()
    torch.cuda.synchronize()
    use_everything(w)               # loads what there is to load
    thread = threading.Thread(target=capture)
    thread.start()
    begun.wait(20)
    try:
        if not caught:
            use_everything(w)
    finally:
        done.set()
        thread.join()
    if caught:
        raise caught[0]
    graph.replay()
    graph.replay()
    torch.cuda.synchronize()
    all_are(tensor.tolist(), 12)


@check("torch")
def calls_of_baton_do_not_invalidate_a_global_capture_of_torch(w):
    capture_beside(w, "global")


@check("torch")
def calls_of_baton_do_not_invalidate_a_thread_local_capture_of_torch(w):
    capture_beside(w, "thread_local")


@check("torch")
def work_of_baton_on_a_stream_that_torch_captures_goes_into_the_graph(w):
    """S9: the memory is usable and right afterwards."""
    with torch_stream(w) as (stream, wrapped):
        x, graph = w.numbers(w.ours, 1), w.torch.cuda.CUDAGraph()
        w.torch.cuda.synchronize()
        with w.torch.cuda.graph(graph, stream=stream, capture_error_mode="relaxed"):
            w.baton.fill(x, 8, wrapped)
        w.result(x, w.ours, 1)
        graph.replay()
        w.torch.cuda.synchronize()
        w.result(x, w.ours, 8)
        w.baton.fill(x, 2, w.ours)
        w.result(x, w.other, 2)
        graph.reset()
        w.baton.free(x)
        w.baton.drain()


@check("torch")
def a_runtime_that_closes_leaves_torch_alone(w):
    tensor = w.torch.full((COUNT,), 2.0, device="cuda")
    w.torch.cuda.synchronize()
    again = Runtime(w.b, w.driver)
    stream = again.stream()
    x = again.wrap(tensor.data_ptr(), COUNT, None)
    again.fill(x, 3, stream)
    again.synchronize(stream)
    again.free(x)
    again.stream_free(stream)
    again.close()
    tensor.add_(1)
    all_are(tensor.tolist(), 4)
