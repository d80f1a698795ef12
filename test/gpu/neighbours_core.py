"""The checks of neighbours.py with cuda.core, of what is current on a thread, and with all neighbours at once."""
import ctypes

from baton_ctypes import BatonError, Runtime
from neighbours_cupy import cupy_array, cupy_stream
from neighbours_torch import Memory, torch_stream
from neighbours_world import COUNT, check, equal, on_thread

# ---------------------------------------------------------------- cuda.core

@check("core")
def a_buffer_and_a_stream_of_cuda_core_come_into_baton(w):
    device = w.core.Device(0)
    device.set_current()
    stream = device.create_stream()
    source, buffer = device.allocate(COUNT * 4, stream=stream), device.allocate(COUNT * 4, stream=stream)
    wrapped, y = w.baton.stream_wrap(int(stream.handle)), w.numbers(w.ours)
    given = w.baton.wrap(int(source.handle), COUNT, wrapped)
    w.baton.fill(given, 7, wrapped)
    stream.sync()
    with w.baton.held(wrapped) as gate, w.no_host_wait():
        buffer.copy_from(source, stream=stream)
        x = w.baton.wrap(int(buffer.handle), COUNT, wrapped)
        w.baton.copy(y, x, w.ours)
        equal(w.baton.busy(w.ours), True, "the copy waits")
        gate.open()
    w.result(y, w.ours, 7)
    w.baton.free(x, y, given)
    w.baton.drain()
    w.baton.stream_free(wrapped)
    buffer.close(stream)
    source.close(stream)
    stream.sync()


@check("core")
def cuda_core_works_on_a_stream_of_baton(w):
    device = w.core.Device(0)
    device.set_current()
    stream = w.core.Stream.from_handle(w.baton.native(w.ours))
    x, y, z = w.numbers(w.ours), w.numbers(w.ours, 3), w.numbers(w.other)
    with w.baton.held(w.ours) as gate, w.no_host_wait():
        w.baton.fill(y, 4, w.ours)
        with w.baton.scope(w.ours, x) as to, w.baton.scope(w.ours, y) as source:
            w.core.Buffer.from_handle(to, COUNT * 4).copy_from(w.core.Buffer.from_handle(source, COUNT * 4), stream=stream)
        w.baton.copy(z, x, w.other)
        equal(w.baton.busy(w.other), True, "the follower is busy")
        gate.open()
    w.result(z, w.other, 4)
    w.baton.free(x, y, z)


# ---------------------------------------------------------------- whose context and device are current

def watched_calls(w, look):
    """After each call, what `look` sees must be what it saw before the first."""
    b, before = w.baton, look()

    def same(name, result=None):
        equal(look(), before, f"after {name}")
        return result
    stream = same("baton_stream_create", b.stream())
    x = same("baton_array_create", b.array(COUNT, stream))
    y = same("baton_array_create, host", b.array(COUNT, stream, kind=w.b.BATON_HOST))
    z = same("baton_array_create, unified", b.array(COUNT, stream, kind=w.b.BATON_UNIFIED))
    same("baton_fill", b.fill(x, 1, stream))
    same("baton_copy", b.copy(y, x, w.other))
    same("baton_array_pointer", b.pointer(x, w.other))
    same("baton_upload", b.upload(z, [1.0] * COUNT, stream))
    same("baton_download", b.download(x, COUNT, stream))
    same("baton_stream_query", b.busy(stream))
    same("baton_stream_synchronize", b.synchronize(stream))
    with b.held(stream) as gate:
        same("baton_gate_create", gate.open())
    wrapped = same("baton_array_wrap", b.wrap(b.pointer(x, stream), COUNT, stream))
    with b.scope(stream, x):
        same("baton_scope_begin")
    same("baton_scope_end")
    legacy = same("baton_stream_wrap", b.stream_wrap(w.b.BATON_STREAM_LEGACY))
    same("baton_fill on the legacy stream", b.fill(z, 2, legacy))
    same("baton_stream_synchronize of it", b.synchronize(legacy))
    same("baton_device_info_read", b.device_info())
    b.free(x, y, z, wrapped)
    b.stream_free(stream, legacy)
    same("baton_array_release", None)
    same("baton_drain", b.drain())
    same("baton_trim", b.call("baton_trim", b.handle, 0, 0))
    again = same("baton_runtime_open", Runtime(w.b, w.driver))
    again.device_info()
    same("baton_runtime_close", again.close())
    for bad in (0, 1 << 40):
        try:
            b.wrap(bad, COUNT, None, kind=w.b.BATON_DEVICE)
        except BatonError:
            same("a call that failed")


@check("cu")
def a_thread_without_a_context_has_none_afterwards(w):
    def body():
        equal(w.context(), 0, "context of a new thread")
        watched_calls(w, w.context)
        equal(w.context(), 0, "context")
    on_thread(body)


@check("cu", "cudart")
def the_current_device_and_context_of_the_runtime_api_stay(w):
    def body():
        equal(w.cudart.cudaSetDevice(0), 0, "cudaSetDevice")
        if not w.context():
            raise AssertionError("cudaSetDevice made no context current")
        watched_calls(w, lambda: (w.context(), w.device()))
    on_thread(body)


@check("cu")
def another_context_that_is_current_stays_current(w):
    def body():
        context = ctypes.c_void_p()
        equal(w.cu.cuCtxCreate_v2(ctypes.byref(context), 0, 0), 0, "cuCtxCreate")
        try:
            equal(w.context(), context.value, "current context")
            watched_calls(w, w.context)
        finally:
            equal(w.cu.cuCtxDestroy_v2(context), 0, "cuCtxDestroy")
    on_thread(body)


@check("cu", "torch")
def what_torch_has_current_stays(w):
    def body():
        w.torch.cuda.set_device(0)
        with torch_stream(w) as (stream, wrapped), w.torch.cuda.stream(stream):
            watched_calls(w, lambda: (w.context(), w.torch.cuda.current_device(), w.torch.cuda.current_stream().cuda_stream))
    on_thread(body)


@check("cu", "cupy")
def what_cupy_has_current_stays(w):
    def body():
        with w.cupy.cuda.Device(0), w.cupy.cuda.Stream(non_blocking=True):
            watched_calls(w, lambda: (w.context(), w.cupy.cuda.runtime.getDevice(), w.cupy.cuda.get_current_stream().ptr))
    on_thread(body)


# ---------------------------------------------------------------- all of them

@check("torch", "cupy")
def one_array_passes_through_torch_cupy_and_baton_without_the_host(w):
    with torch_stream(w) as (of_torch, torch_wrapped), cupy_stream(w) as (of_cupy, cupy_wrapped):
        x, y = w.numbers(w.ours), w.numbers(w.other)
        tensor = w.torch.as_tensor(Memory(w.baton.pointer(x, w.ours)), device="cuda")
        with w.baton.held(w.ours) as gate, w.no_host_wait():
            w.baton.fill(x, 1, w.ours)
            with w.baton.scope(torch_wrapped, x), w.torch.cuda.stream(of_torch):
                tensor.add_(1)                          # 2
            with w.baton.scope(cupy_wrapped, x) as address, of_cupy:
                array = cupy_array(w, address)
                array *= 2                              # 4
            with w.baton.scope(torch_wrapped, x), w.torch.cuda.stream(of_torch):
                tensor.add_(1)                          # 5
            w.baton.copy(y, x, w.other)
            equal(w.baton.busy(w.other), True, "the last is busy")
            gate.open()
        w.result(y, w.other, 5)
        w.baton.free(x, y)
