#!/usr/bin/env python3
"""Baton beside the CUDA driver and runtime APIs, PyTorch, CuPy and cuda.core in one process: memory and streams both ways.

usage: neighbours.py [--driver cuda|soft] [--library PATH] [NAME ...]      (the driver: else BATON_DRIVER, else soft)

Where order matters, a stream stands still while arrays pass: a host that waited would be counted, and work that ran too early
would give wrong numbers. Each check prints 'ok NAME', 'FAILED NAME' or 'skipped NAME'; the last line counts them. With
--driver soft only the checks run that need no GPU.
"""
import argparse
import ctypes
import faulthandler
import gc
import os
import sys
import threading
import traceback
from contextlib import contextmanager

from baton_ctypes import BatonError, Library, Producer, Runtime

IMPORTS_S, LIMIT_S = 120, 60        # a hang ends the program, with every thread's stack
COUNT = 4096
CHECKS = []


class Skipped(Exception):
    pass


def check(*needs, soft=False):
    """needs: the libraries without which the check is skipped."""
    def register(function):
        CHECKS.append((function, needs, soft))
        return function
    return register


def equal(found, wanted, what="value"):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} and not {wanted!r}")


def all_are(values, wanted):
    wrong = [i for i, value in enumerate(values) if value != wanted]
    if wrong:
        raise AssertionError(f"{len(wrong)} of {len(values)} numbers are wrong: [{wrong[0]}] is {values[wrong[0]]} and not {wanted}")


class World:
    """The runtime, two of its streams, and the neighbours that are there."""

    def __init__(self, library, driver):
        self.driver = driver
        self.b = library
        self.baton = Runtime(library, driver)
        self.ours, self.other = self.baton.stream(), self.baton.stream()
        self.missing = {}
        if driver == "cuda":
            self.torch = self._find("torch", self._torch)
            self.cupy = self._find("cupy", self._cupy)
            self.core = self._find("core", self._core)
            self.cu = self._find("cu", self._driver_api)
            self.cudart = self._find("cudart", self._runtime_api)

    def _find(self, name, get):
        try:
            return get()
        except Exception as problem:        # whatever keeps a neighbour away is said where it is missed
            self.missing[name] = f"{name} is missing: {problem}"
            return None

    def _torch(self):
        import torch
        torch.cuda.init()
        x, y = torch.zeros(COUNT, device="cuda"), torch.zeros(COUNT, device="cuda")
        for stream in (torch.cuda.Stream(), torch.cuda.Stream()):     # loads every kernel that the checks use
            with torch.cuda.stream(stream):
                x.fill_(1).mul_(2).add_(1)
                torch.mul(x, 3, out=y)
        torch.cuda.synchronize()
        return torch

    def _cupy(self):
        import cupy
        x, y = cupy.zeros(COUNT, dtype=cupy.float32), cupy.zeros(COUNT, dtype=cupy.float32)
        x.fill(1)
        x *= 2
        x += 1
        cupy.multiply(x, 3, out=y)
        cupy.cuda.Device().synchronize()
        return cupy

    def _core(self):
        from cuda import core
        core.Device(0).set_current()
        return core

    def _driver_api(self):
        cu = ctypes.CDLL("libcuda.so.1")
        for name, types in {"cuCtxGetCurrent": [ctypes.c_void_p], "cuCtxSetCurrent": [ctypes.c_void_p],
                            "cuCtxCreate_v2": [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int],
                            "cuCtxDestroy_v2": [ctypes.c_void_p]}.items():
            getattr(cu, name).argtypes = types
        return cu

    def _runtime_api(self):
        for name in ("libcudart.so.13", "libcudart.so.12", "libcudart.so"):   # PyTorch may have brought one
            try:
                return ctypes.CDLL(name)
            except OSError as problem:
                last = problem
        raise last

    @contextmanager
    def no_host_wait(self):
        before = self.baton.host_waits()
        yield
        equal(self.baton.host_waits() - before, 0, "host waits")

    def context(self):
        """The current context of this thread, as a number; 0: none."""
        context = ctypes.c_void_p()
        equal(self.cu.cuCtxGetCurrent(ctypes.byref(context)), 0, "cuCtxGetCurrent")
        return context.value or 0

    def device(self):
        """The runtime API's current device on this thread."""
        device = ctypes.c_int(-1)
        equal(self.cudart.cudaGetDevice(ctypes.byref(device)), 0, "cudaGetDevice")
        return device.value

    def numbers(self, stream, value=0):
        """A new array of COUNT numbers, all `value`, clean."""
        array = self.baton.array(COUNT, stream)
        self.baton.fill(array, value, stream)
        self.baton.synchronize(stream)
        return array

    def result(self, array, stream, wanted):
        all_are(self.baton.download(array, COUNT, stream), wanted)


def on_thread(function, *arguments):
    """Runs it on a new thread; what it raises is raised here."""
    caught = []

    def body():
        try:
            function(*arguments)
        except BaseException as problem:
            caught.append(problem)
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if caught:
        raise caught[0]


# ---------------------------------------------------------------- without a GPU too

@check(soft=True)
def the_header_and_the_library_agree_on_every_struct(w):
    for name in ("baton_error", "baton_stats", "baton_array_options", "baton_array_info", "baton_operand"):
        if w.b.layout[name][1] <= 0:
            raise AssertionError(f"{name} has no size")
    equal(w.b.layout["baton_error"][1], 256, "size of baton_error")
    equal(w.baton.info().text("driver"), w.driver.split(":")[0], "driver")


@check(soft=True)
def a_held_stream_holds_who_follows_it_and_not_the_host(w):
    x, y = w.numbers(w.ours, 1), w.numbers(w.other, 2)
    with w.baton.held(w.ours) as gate, w.no_host_wait():
        w.baton.fill(x, 5, w.ours)
        w.baton.copy(y, x, w.other)
        equal(w.baton.busy(w.other), True, "the follower is busy")
        gate.open()
    w.result(y, w.other, 5)
    w.baton.free(x, y)


@check(soft=True)
def numpy_and_baton_share_host_memory_through_dlpack(w):
    try:
        import numpy
    except ImportError as problem:
        raise Skipped(str(problem))
    x = w.baton.array(COUNT, w.ours, kind=w.b.BATON_HOST)
    w.baton.fill(x, 4, w.ours)
    if w.driver == "cuda":
        seen = numpy.from_dlpack(Producer(w.baton, x, (3, 0)))
    else:
        seen = numpy.from_dlpack(Producer(w.baton, x, (1, 0)))
    all_are(seen.tolist(), 4)
    back = w.baton.take(seen.__dlpack__(max_version=(1, 0)), None) if seen.flags.writeable else None
    del seen
    if back:
        w.result(back, w.ours, 4)
        w.baton.free(back)
    w.baton.free(x)
    w.baton.drain()


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


# ---------------------------------------------------------------- CuPy

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


def run(w, function, needs):
    """'ok', 'FAILED' or 'skipped'; says which, and why."""
    try:
        for name in needs:
            if name in w.missing:
                raise Skipped(w.missing[name])
        function(w)
    except Skipped as reason:
        print(f"skipped {function.__name__}: {reason}", flush=True)
        return "skipped"
    except Exception as problem:
        print(f"FAILED {function.__name__}: {problem}", flush=True)
        traceback.print_exc()
        return "FAILED"
    print(f"ok {function.__name__}", flush=True)
    return "ok"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", default=os.environ.get("BATON_DRIVER") or "soft")
    parser.add_argument("--library", help="libbaton.so; else BATON_LIBRARY, else the one in build/")
    parser.add_argument("names", nargs="*", help="only these checks")
    choice = parser.parse_args()
    if os.environ.get("SANITIZE") == "yes":
        print("this Python is not sanitized")
        return 77
    faulthandler.enable()
    faulthandler.dump_traceback_later(IMPORTS_S, exit=True)
    try:
        world = World(Library(choice.library), choice.driver)
    except BatonError as problem:
        print(f"no device: {problem}")
        return 77
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    results = [run(world, function, needs) for function, needs, soft in CHECKS
               if (soft or choice.driver == "cuda") and (not choice.names or function.__name__ in choice.names)]
    print(f"{results.count('skipped')} skipped")
    print(f"{results.count('ok')} passed, {results.count('FAILED')} failed", flush=True)
    return 1 if "FAILED" in results or "ok" not in results else 0


if __name__ == "__main__":
    sys.exit(main())
