"""The checks of neighbours.py with CuPy."""
import gc
from contextlib import contextmanager

from baton_ctypes import Producer
from neighbours_world import COUNT, all_are, check, equal


@contextmanager
def cupy_stream(w):
    stream = w.cupy.cuda.Stream(non_blocking=True)
    wrapped = w.baton.stream_wrap(stream.ptr)
    yield stream, wrapped
    stream.synchronize()
    w.baton.stream_free(wrapped)
    w.baton.drain()


def cupy_array(w, address):
    """An array of CuPy over Baton's memory."""
    memory = w.cupy.cuda.UnownedMemory(address, COUNT * 4, None, 0)
    return w.cupy.ndarray((COUNT,), dtype=w.cupy.float32, memptr=w.cupy.cuda.MemoryPointer(memory, 0))


@check("cupy")
def a_cupy_array_written_on_a_cupy_stream_comes_into_baton(w):
    with cupy_stream(w) as (stream, wrapped):
        array, y = w.cupy.zeros(COUNT, dtype=w.cupy.float32), w.numbers(w.ours)
        w.cupy.cuda.Device().synchronize()
        with w.baton.held(wrapped) as gate, w.no_host_wait():
            with stream:
                array.fill(5)
            x = w.baton.wrap(array.data.ptr, COUNT, wrapped)
            w.baton.copy(y, x, w.ours)
            equal(w.baton.busy(w.ours), True, "the copy waits")
            gate.open()
        w.result(y, w.ours, 5)
        w.baton.free(x, y)
        w.baton.drain()


@check("cupy")
def cupy_works_in_a_scope_on_its_own_stream(w):
    with cupy_stream(w) as (stream, wrapped):
        x, y = w.numbers(w.ours), w.numbers(w.other)
        with w.baton.held(w.ours) as gate, w.no_host_wait():
            w.baton.fill(x, 10, w.ours)
            with w.baton.scope(wrapped, x) as address, stream:
                array = cupy_array(w, address)
                array *= 2
                array += 1
            w.baton.copy(y, x, w.other)
            equal((stream.done, w.baton.busy(w.other)), (False, True), "finished, busy")
            gate.open()
        w.result(y, w.other, 21)
        w.baton.free(x, y)


@check("cupy")
def cupy_works_on_a_stream_of_baton(w):
    x, y = w.numbers(w.ours), w.numbers(w.other)
    external = w.cupy.cuda.ExternalStream(w.baton.native(w.ours), 0)
    with w.baton.held(w.ours) as gate, w.no_host_wait():
        w.baton.fill(x, 3, w.ours)
        with w.baton.scope(w.ours, x) as address, external:
            array = cupy_array(w, address)
            array *= 2
            array += 1
        w.baton.copy(y, x, w.other)
        equal((external.done, w.baton.busy(w.other)), (False, True), "finished, busy")
        gate.open()
    w.result(y, w.other, 7)
    w.baton.free(x, y)


@check("cupy")
def dlpack_from_baton_to_cupy_makes_cupys_stream_follow(w):
    with cupy_stream(w) as (stream, wrapped):
        x, y = w.numbers(w.ours), w.numbers(w.other)
        out = w.cupy.zeros(COUNT, dtype=w.cupy.float32)
        w.cupy.cuda.Device().synchronize()
        producer = Producer(w.baton, x, (2, 0))
        with w.baton.held(w.ours) as gate, w.no_host_wait():
            w.baton.fill(x, 4, w.ours)
            with stream:
                array = w.cupy.from_dlpack(producer)
                w.cupy.multiply(array, 3, out=out)
                array += 1
            w.baton.copy(y, x, w.other)
            equal((stream.done, w.baton.busy(w.other)), (False, True), "finished, busy")
            gate.open()
        stream.synchronize()
        all_are(out.tolist(), 12)
        w.result(y, w.other, 5)
        del array
        gc.collect()
        producer.free()
        w.baton.free(x, y)


@check("cupy")
def dlpack_from_cupy_to_baton_makes_batons_stream_follow(w):
    with cupy_stream(w) as (stream, wrapped):
        array, y = w.cupy.zeros(COUNT, dtype=w.cupy.float32), w.numbers(w.ours)
        w.cupy.cuda.Device().synchronize()
        with w.baton.held(wrapped) as gate, w.no_host_wait(), stream:
            array.fill(6)
            capsule = array.__dlpack__(stream=w.baton.native(w.ours), max_version=(1, 0))
            x = w.baton.take(capsule, w.ours)
            w.baton.copy(y, x, w.ours)
            equal(w.baton.busy(w.ours), True, "the copy waits")
            gate.open()
        w.result(y, w.ours, 6)
        w.baton.free(x, y)
        w.baton.drain()


@check("cupy")
def memory_of_every_kind_of_cupy_is_recognised(w):
    made = [(w.cupy.cuda.alloc(COUNT * 4), w.b.BATON_DEVICE), (w.cupy.cuda.malloc_async(COUNT * 4), w.b.BATON_DEVICE),
            (w.cupy.cuda.malloc_managed(COUNT * 4), w.b.BATON_UNIFIED),
            (w.cupy.cuda.alloc_pinned_memory(COUNT * 4), w.b.BATON_HOST)]
    w.cupy.cuda.Device().synchronize()
    for memory, kind in made:
        x, y = w.baton.wrap(memory.ptr, COUNT, w.ours), w.numbers(w.ours)
        equal(w.baton.array_info(x).kind, kind, "kind")
        w.baton.fill(x, kind, w.ours)
        w.baton.copy(y, x, w.ours)
        w.result(y, w.ours, kind)
        w.baton.free(x, y)
    w.baton.drain()
