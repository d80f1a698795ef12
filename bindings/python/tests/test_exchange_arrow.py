"""Arrow's device data, both ways."""

import ctypes
import gc

import numpy as np
import pytest
from structures import CAPI, ArrowArray, ArrowDeviceArray, ArrowSchema, in_capsule, is_capsule, live

import baton

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


class Data:
    """Four int32 of the host as a producer gives them; what differs is given by name. Counts what is released."""

    def __init__(self, *, device=True, names=None, format=b"i", **changes):
        self.values = (ctypes.c_int32 * 4)(1, 2, 3, 4)
        self.buffers = (ctypes.c_void_p * 2)(None, ctypes.addressof(self.values))
        self.released = []
        self.release_schema, self.release_array = RELEASE(self.schema_gone), RELEASE(self.array_gone)
        self.schema = ArrowSchema(format=format, release=ctypes.cast(self.release_schema, ctypes.c_void_p).value)
        self.out = ArrowDeviceArray(device_id=-1, device_type=1) if device else ArrowArray()
        array = self.out.array if device else self.out
        array.length, array.n_buffers = 4, 2
        array.buffers = ctypes.cast(self.buffers, ctypes.POINTER(ctypes.c_void_p))
        array.release = ctypes.cast(self.release_array, ctypes.c_void_p).value
        for field, value in changes.items():
            setattr(array if hasattr(array, field) else self.out, field, value)
        self.names = names or (b"arrow_schema", b"arrow_device_array" if device else b"arrow_array")
        if device:
            self.__arrow_c_device_array__ = self.give
        else:
            self.__arrow_c_array__ = self.give

    def schema_gone(self, pointer):
        ArrowSchema.from_address(pointer).release = None
        self.released.append("schema")

    def array_gone(self, pointer):
        ArrowArray.from_address(pointer).release = None
        self.released.append("array")

    def give(self, requested_schema=None):
        first = CAPI.PyCapsule_New(ctypes.addressof(self.schema), self.names[0], None)
        return first, CAPI.PyCapsule_New(ctypes.addressof(self.out), self.names[1], None)


@pytest.mark.parametrize("device", [True, False])
def test_data_are_shared_read_only_and_released_once(device):
    data = Data(device=device)
    array = baton.from_arrow(data)
    assert array.readonly and array.dtype == baton.int32 and array.tolist() == [1, 2, 3, 4]
    data.values[0] = 9
    assert array[1:].tolist() == [2, 3, 4] and array[0].item() == 9 and data.released == []
    del array
    baton.drain()
    assert data.released == ["array"]


def test_a_copy_can_be_written_and_brought_elsewhere():
    data = Data()
    array = baton.from_arrow(data, copy=True)
    array += 1
    assert array.tolist() == [2, 3, 4, 5] and data.values[0] == 1
    placed = baton.from_arrow(Data(), device=0)
    assert placed.kind == "device" and placed.tolist() == [1, 2, 3, 4]
    with pytest.raises(BufferError):
        baton.from_arrow(Data(), device=0, copy=False)


def test_what_lies_in_reserved_members_does_not_matter():
    data = Data()
    data.out.reserved[1] = 77
    assert baton.from_arrow(data).tolist() == [1, 2, 3, 4]


WRONG = [
    {"length": -1}, {"offset": -1}, {"null_count": 2}, {"n_buffers": 1}, {"buffers": None}, {"n_children": 1},
    {"length": 1 << 62}, {"device_type": 10}, {"format": b"u"}, {"format": b"+w:2"}, {"format": b""}, {"release": None},
]  # fmt: skip


@pytest.mark.parametrize("changes", WRONG, ids=str)
def test_data_that_are_no_array_are_refused_and_left_alone(changes):
    data = Data(**changes)
    with pytest.raises(BufferError):
        baton.from_arrow(data)
    assert data.released == [] and bool(data.out.array.release) == ("release" not in changes)


def test_data_of_a_gpu_are_refused_on_the_software_device():
    if baton.info()["driver"] != "soft":
        pytest.skip("there is a GPU")
    data = Data(device_type=2, device_id=0, sync_event=8)
    with pytest.raises(BufferError):
        baton.from_arrow(data)
    assert data.released == []


@pytest.mark.parametrize(
    "names", [(b"arrow_schema", b"arrow_schema"), (b"schema", b"arrow_device_array"), (b"arrow_schema", b"x")], ids=str
)
def test_capsules_of_other_names_are_refused(names):
    data = Data(names=names)
    with pytest.raises(BufferError):
        baton.from_arrow(data)
    assert data.released == []


def test_what_is_no_pair_of_capsules_is_refused():
    for result in (None, 3, (), (1, 2), (Data().give()[0],), Data().give()[1]):
        with pytest.raises(BufferError):
            baton.from_arrow(type("Thing", (), {"__arrow_c_device_array__": lambda self, result=result: result})())
    for thing in (3, None, np.arange(3)):
        with pytest.raises(TypeError):
            baton.from_arrow(thing)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_what_goes_out_comes_back(dtype):
    before = live()
    array = baton.arange(6).astype(dtype)
    back = baton.from_arrow(array)
    assert back.memory_id != array.memory_id and back.dtype == array.dtype and back.readonly
    np.testing.assert_array_equal(back.numpy(), array.numpy())
    del array
    rows = baton.from_arrow(back.reshape(2, 3))
    assert rows.shape == (2, 3)
    del back
    np.testing.assert_array_equal(rows.numpy().ravel(), np.arange(6))
    del rows
    assert live() == before


def test_capsules_that_nobody_takes_are_given_back():
    before = live()
    array = baton.arange(6, dtype="f4")
    schema, device = array.__arrow_c_device_array__()
    assert in_capsule(schema, b"arrow_schema", ArrowSchema).format == b"f"
    out = in_capsule(device, b"arrow_device_array", ArrowDeviceArray)
    assert out.device_type == array.__dlpack_device__()[0] and out.array.length == 6
    del array, schema, device
    gc.collect()
    assert live() == before


@pytest.mark.parametrize("dtype", ["?", "bfloat16", "c8"])
def test_types_that_arrow_does_not_know_are_refused(dtype):
    with pytest.raises(BufferError):
        baton.zeros(3, dtype).__arrow_c_device_array__()


def test_layouts_that_arrow_does_not_know_are_refused():
    for array in (baton.zeros((2, 2, 2)), baton.zeros((3, 4)).T, baton.zeros(6)[::2]):
        with pytest.raises(BufferError):
            array.__arrow_c_device_array__()


def test_keywords_of_later_versions_are_none_or_refused():
    array = baton.zeros(3)
    array.__arrow_c_device_array__(None, later=None)
    array.__arrow_c_device_array__(requested_schema=array.__arrow_c_device_array__()[0])
    with pytest.raises(NotImplementedError):
        array.__arrow_c_device_array__(later=1)
    with pytest.raises(TypeError):
        array.__arrow_c_device_array__(None, None)


def test_the_cpus_protocol_is_for_memory_of_the_cpu():
    array = baton.arange(3)
    if baton.info()["driver"] == "soft":
        assert is_capsule(array.__arrow_c_array__()[1], b"arrow_array")
    else:
        with pytest.raises(BufferError):
            array.__arrow_c_array__()


# ---- PyArrow


@pytest.mark.parametrize("dtype", NUMBERS)
def test_pyarrow_takes_arrays_of_the_cpu(dtype):
    pyarrow = pytest.importorskip("pyarrow")
    if baton.info()["driver"] != "soft":
        pytest.skip("of the software device, whose memory is the CPU's")
    before = live()
    array = baton.arange(6).astype(dtype)
    taken = pyarrow.array(array)
    rows = pyarrow.array(array.reshape(3, 2))
    del array
    gc.collect()
    assert taken.to_pylist() == list(range(6)) and rows.to_pylist() == [[0, 1], [2, 3], [4, 5]]
    del taken, rows
    assert live() == before


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arrays_are_made_of_pyarrows(dtype):
    pyarrow = pytest.importorskip("pyarrow")
    data = pyarrow.array(np.arange(10, dtype=dtype))[2:8]
    array = baton.from_arrow(data)
    assert array.dtype == dtype and array.tolist() == [2, 3, 4, 5, 6, 7] and array.readonly
    rows = baton.from_arrow(pyarrow.array([[1, 2], [3, 4], [5, 6]], pyarrow.list_(pyarrow.int16(), 2)))
    assert rows.tolist() == [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(BufferError):
        baton.from_arrow(pyarrow.array([1, None, 3]))
    with pytest.raises(BufferError):
        baton.from_arrow(pyarrow.array(["a"]))
