"""The structures of DLPack and Arrow through ctypes, producers that are told what to do, and what GPU tests share."""

import ctypes
import functools
import gc
import threading

import numpy as np
import pytest

import baton

CAPI = ctypes.pythonapi
CAPI.PyCapsule_New.restype = ctypes.py_object
CAPI.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
CAPI.PyCapsule_GetPointer.restype = ctypes.c_void_p
CAPI.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
CAPI.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]

VERSIONED, LEGACY = b"dltensor_versioned", b"dltensor"


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class LegacyManaged(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class ArrowDeviceArray(ctypes.Structure):
    _fields_ = [
        ("array", ArrowArray),
        ("device_id", ctypes.c_int64),
        ("device_type", ctypes.c_int32),
        ("sync_event", ctypes.c_void_p),
        ("reserved", ctypes.c_int64 * 3),
    ]


def is_capsule(capsule, name):
    return bool(CAPI.PyCapsule_IsValid(capsule, name))


def in_capsule(capsule, name, structure):
    return structure.from_address(CAPI.PyCapsule_GetPointer(capsule, name))


class Made:
    """A tensor over four float32 of the host; what differs from a proper one is given by name. Counts its deletions."""

    def __init__(self, *, legacy=False, name=None, deleter=True, ndim=1, extent=4, **changes):
        self.data = (ctypes.c_float * 4)(1, 2, 3, 4)
        self.shape = (ctypes.c_int64 * 32)(*[extent] * min(max(ndim, 0), 32))
        self.strides = (ctypes.c_int64 * 32)(*[1] * 32)
        self.managed = LegacyManaged() if legacy else Managed(major=1, minor=3)
        self.name = name or (LEGACY if legacy else VERSIONED)
        self.deleted = 0
        self.deleter = DELETER(self.delete)
        self.managed.deleter = ctypes.cast(self.deleter, ctypes.c_void_p).value if deleter else None
        tensor = self.managed.tensor
        tensor.data, tensor.device_type, tensor.ndim = ctypes.addressof(self.data), 1, ndim
        tensor.code, tensor.bits, tensor.lanes = 2, 32, 1
        tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        for field, value in changes.items():
            setattr(tensor if hasattr(tensor, field) else self.managed, field, value)

    def delete(self, pointer):
        assert pointer == ctypes.addressof(self.managed)
        self.deleted += 1

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        return CAPI.PyCapsule_New(ctypes.addressof(self.managed), self.name, None)


class Relay:
    """Another library's object with the memory of this one: knows DLPack and nothing else, or only what was before 1.0."""

    def __init__(self, thing, *, old=False):
        self.thing = thing
        self.old = old
        self.asked = []

    def __dlpack_device__(self):
        return self.thing.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        if self.old and set(keywords) - {"stream"}:
            raise TypeError("an unexpected keyword")
        return self.thing.__dlpack__(**keywords)


class Described:
    """Another library's object with __cuda_array_interface__, over memory of a baton.Array."""

    def __init__(self, array, stream=None, **changes):
        self.array = array
        self.description = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ptr if array.size else 0, array.readonly),
            "version": 3,
            "strides": None if array.contiguous else array.strides,
            "stream": stream,
            **changes,
        }

    @property
    def __cuda_array_interface__(self):
        return {key: value for key, value in self.description.items() if value is not Described}


def live():
    """Arrays that are alive, after everything that can end has ended."""
    gc.collect()
    for _ in range(3):  # what is given back may hold more
        baton.drain()
    return baton.stats()["live_arrays"]


def host_waits():
    return sum(baton.stats()["host_waits"].values())


ADD = """
extern "C" __global__ void add(float *x, float value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += value;
}
"""


@functools.cache
def add_kernel():
    """Compiled and loaded once: loading a kernel may wait for the device."""
    return baton.compile(ADD, name="add.cu").kernel("add", "inout, f4, i4")


def share_between_threads(array, streams):
    """Two threads add 1 and 2 to the array in turns, twenty times each, on a stream each."""
    launches = [add_kernel()((array.size + 127) // 128, 128, stream=stream) for stream in streams]
    turn = threading.Barrier(2)

    def work(mine):
        for i in range(40):
            turn.wait()
            if i % 2 == mine:
                launches[mine](array, float(mine + 1), array.size)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


ADDED = 20 * 1 + 20 * 2


def hand_over(taken, give_back):
    """A foreign array, which taken() makes a baton.Array of, is used in two threads on two streams, the first of which is
    held back, and goes back through give_back(array), whose result is returned. No call synchronizes, and the host does not wait."""
    array = taken()
    add_kernel()(1, 1)(array, 0.0, 0)
    baton.current_stream().synchronize()
    streams = [baton.Stream(), baton.Stream()]
    before = host_waits()
    with baton.Gate(streams[0]):
        share_between_threads(array, streams)
        back = give_back(array)
        assert not streams[0].query(), "nothing was held back"
        assert host_waits() == before, "the host waited"
    return back


N = 1 << 16
gpu_only = pytest.mark.skipif("baton.info()['driver'] != 'cuda'", reason="there is no GPU")


def numbers():
    return np.arange(N, dtype="f4")
