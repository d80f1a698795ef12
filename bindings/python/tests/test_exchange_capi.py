"""DLPack's exchange between C functions: type(x).__dlpack_c_exchange_api__."""

import ctypes
import gc

import numpy as np
import pytest
from structures import CAPI, Made, Managed, Relay, Tensor, live

import baton

NAME = b"dlpack_exchange_api"
REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
PyFrom = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
PyTo = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
PyStream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
Allocate = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, REPORT
)
DELETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
        ("to_object", ctypes.c_void_p),
        ("borrow", ctypes.c_void_p),
        ("current_stream", ctypes.c_void_p),
    ]


@pytest.fixture
def table():
    return Table.from_address(CAPI.PyCapsule_GetPointer(baton.Array.__dlpack_c_exchange_api__, NAME))


def take_object(pointer):
    """A new reference as an object."""
    value = ctypes.cast(pointer, ctypes.py_object).value
    CAPI.Py_DecRef(ctypes.py_object(value))
    return value


def delete(pointer):
    DELETE(Managed.from_address(pointer).deleter)(pointer)


def test_the_table_says_its_version_and_has_what_it_must(table):
    assert (table.major, table.minor, table.older) == (1, 3, None)
    assert table.allocate and table.from_object and table.to_object and table.current_stream


def test_an_array_goes_out_and_comes_back(table):
    before = live()
    array, out, back = baton.arange(4, dtype="f4"), ctypes.c_void_p(), ctypes.c_void_p()
    assert PyFrom(table.from_object)(array, out) == 0
    managed = Managed.from_address(out.value)
    assert managed.major == 1 and managed.tensor.shape[0] == 4
    assert PyTo(table.to_object)(out.value, back) == 0
    again = take_object(back)
    assert type(again) is baton.Array
    again += 1
    assert array.tolist() == [1, 2, 3, 4]
    del array, again
    assert live() == before


def test_what_is_no_array_is_a_type_error(table):
    with pytest.raises(TypeError):
        PyFrom(table.from_object)(3, ctypes.c_void_p())


@pytest.mark.parametrize("changes", [{"major": 2}, {"device_type": 10}, {"lanes": 3}], ids=str)
def test_a_tensor_that_is_refused_is_deleted(table, changes):
    made = Made(**changes)
    with pytest.raises(BufferError):
        PyTo(table.to_object)(ctypes.addressof(made.managed), ctypes.c_void_p())
    assert made.deleted == 1


def test_the_work_stream_is_the_tasks_current_one(table):
    out, current = ctypes.c_void_p(7), PyStream(table.current_stream)
    assert current(1, 0, out) == 0 and out.value is None
    if baton.info()["driver"] == "soft":
        with pytest.raises(BufferError):
            current(2, 0, out)
        return
    stream = baton.Stream()
    with stream:
        assert current(2, 0, out) == 0 and out.value == stream.handle
    assert current(2, 0, out) == 0 and out.value == baton.current_stream().handle != stream.handle


def allocate(table, *, dtype=(2, 32, 1), shape=(3, 4), device=None):
    extents = (ctypes.c_int64 * len(shape))(*shape)
    device = device or baton.empty(1).__dlpack_device__()
    prototype = Tensor(device_type=device[0], device_id=device[1], ndim=len(shape), shape=extents)
    prototype.code, prototype.bits, prototype.lanes = dtype
    out, said = ctypes.c_void_p(), []
    report = REPORT(lambda context, kind, message: said.append((context, kind, message)))
    status = Allocate(table.allocate)(prototype, out, 5, report)
    return status, out.value, said


def test_memory_is_made_like_a_prototype(table):
    before = live()
    status, pointer, said = allocate(table)
    assert status == 0 and not said
    tensor = Managed.from_address(pointer).tensor
    assert tensor.shape[:2] == [3, 4] and tensor.strides[:2] == [4, 1] and (tensor.code, tensor.bits) == (2, 32)
    delete(pointer)
    assert live() == before


@pytest.mark.parametrize(
    "changes", [{"dtype": (2, 32, 4)}, {"dtype": (9, 9, 1)}, {"device": (10, 0)}, {"shape": (-1, 3)}], ids=str
)
def test_memory_that_cannot_be_is_reported_once_and_not_raised(table, changes):
    status, pointer, said = allocate(table, **changes)
    assert status == -1 and pointer is None
    ((context, kind, message),) = said
    assert context == 5 and kind == b"BufferError" and message


# ---- tables of others


class Other:
    """A type with a table whose functions count."""

    def __init__(self, **changes):
        self.calls = []
        self.made = Made(**changes.pop("tensor", {}))
        self.functions = (PyFrom(self.give), PyStream(self.stream))
        addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in self.functions]
        fields = {"major": 1, "minor": 3, "from_object": addresses[0], "current_stream": addresses[1], **changes}
        self.table = Table(**fields)

    def give(self, thing, out):
        self.calls.append("from")
        out[0] = ctypes.addressof(self.made.managed)
        return 0

    def stream(self, kind, number, out):
        self.calls.append("stream")
        out[0] = None
        return 0

    def capsule(self, name=NAME):
        return CAPI.PyCapsule_New(ctypes.addressof(self.table), name, None)

    def thing(self, attribute, value):
        return type("Thing", (), {attribute: value})()


def test_the_table_of_another_type_is_used():
    other = Other()
    array = baton.from_dlpack(other.thing("__dlpack_c_exchange_api__", other.capsule()))
    assert array.tolist() == [1, 2, 3, 4] and other.calls == ["from"]
    del array
    baton.drain()
    assert other.made.deleted == 1


@pytest.mark.parametrize("attribute", ["__c_dlpack_exchange_api__", "__dlpack_c_exchange_api__"])
def test_a_table_by_its_address_is_used(attribute):
    other = Other()
    array = baton.from_dlpack(other.thing(attribute, ctypes.addressof(other.table)))
    assert array.tolist() == [1, 2, 3, 4] and other.calls == ["from"]


def test_a_table_of_a_later_version_leads_to_an_earlier_one():
    first = Other()
    later = Other(major=2, older=ctypes.addressof(first.table))
    array = baton.from_dlpack(later.thing("__dlpack_c_exchange_api__", later.capsule()))
    assert array.shape == (4,) and first.calls == ["from"] and not later.calls


def test_a_table_that_cannot_be_used_leaves_the_methods():
    circle = Other(major=2)
    circle.table.older = ctypes.addressof(circle.table)
    for value in (circle.capsule(), Other().capsule(b"another"), 0, "text", None, True, -8, 1001, 1 << 80):
        relay = type("Thing", (Relay,), {"__dlpack_c_exchange_api__": value})(baton.arange(3))
        assert baton.from_dlpack(relay).tolist() == [0, 1, 2] and len(relay.asked) == 1


def test_a_table_on_the_object_is_not_looked_at():
    relay = Relay(baton.arange(3))
    relay.__dlpack_c_exchange_api__ = Other().capsule()
    assert baton.from_dlpack(relay).tolist() == [0, 1, 2]


@pytest.mark.parametrize("tensor", [{"major": 2}, {"device_type": 10}, {"lanes": 9}], ids=str)
def test_a_tensor_of_a_table_that_is_refused_is_deleted(tensor):
    other = Other(tensor=tensor)
    with pytest.raises(BufferError):
        baton.from_dlpack(other.thing("__dlpack_c_exchange_api__", other.capsule()))
    assert other.made.deleted == 1


def test_a_tensor_that_requires_a_gradient_is_refused_as_by_its_method():
    other = Other()
    thing = other.thing("__dlpack_c_exchange_api__", other.capsule())
    thing.requires_grad = True
    with pytest.raises(BufferError, match="gradient"):
        baton.from_dlpack(thing)
    assert not other.calls
    thing.requires_grad = False
    assert baton.from_dlpack(thing).tolist() == [1, 2, 3, 4]


def test_a_failure_of_a_table_comes_out():
    other = Other()
    failing = PyFrom(lambda thing, out: -1)
    other.table.from_object = ctypes.cast(failing, ctypes.c_void_p).value
    with pytest.raises(BufferError):
        baton.from_dlpack(other.thing("__dlpack_c_exchange_api__", other.capsule()))


def test_an_array_made_from_a_table_is_let_go():
    before = live()
    other = Other()
    things = [baton.from_dlpack(other.thing("__dlpack_c_exchange_api__", other.capsule())) for _ in range(3)]
    np.testing.assert_array_equal([thing.numpy() for thing in things], [[1, 2, 3, 4]] * 3)
    del things
    gc.collect()
    assert live() == before and other.made.deleted == 3
