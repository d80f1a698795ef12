"""DLPack: what producers may give."""

import weakref

import numpy as np
import pytest
from structures import Made, Relay, live

import baton

# ---- what producers give


def test_the_producer_is_asked_for_the_newest_version():
    relay = Relay(baton.arange(3))
    array = baton.from_dlpack(relay)
    assert relay.asked[0]["max_version"] == (1, 3) and "copy" not in relay.asked[0]
    array += 1
    assert relay.thing.tolist() == [1, 2, 3]


@pytest.mark.parametrize("copy", [True, False])
def test_the_producer_is_asked_for_a_copy(copy):
    relay = Relay(baton.arange(3))
    array = baton.from_dlpack(relay, copy=copy)
    assert relay.asked[0]["copy"] is copy
    array += 1
    assert relay.thing.tolist() == ([0, 1, 2] if copy else [1, 2, 3])


@pytest.mark.parametrize("copy", [None, True, False])
def test_a_producer_from_before_versions_is_asked_again(copy):
    relay = Relay(baton.arange(3), old=True)
    array = baton.from_dlpack(relay, copy=copy)
    assert len(relay.asked) == 2 and set(relay.asked[1]) <= {"stream"}
    array += 1
    assert array.tolist() == [1, 2, 3]
    assert relay.thing.tolist() == ([0, 1, 2] if copy else [1, 2, 3])


def test_an_array_of_its_own_becomes_a_view_or_a_copy():
    array = baton.arange(3)
    view, copy = baton.from_dlpack(array), baton.from_dlpack(array, copy=True)
    assert view is not array and view.memory_id == array.memory_id != copy.memory_id


def test_memory_is_brought_to_the_device_that_is_asked_for():
    data = np.arange(3.0)
    array = baton.from_dlpack(data, device=0)
    assert (array.kind, array.device, array.tolist()) == ("device", 0, [0, 1, 2])
    assert baton.from_dlpack(array, device=0).memory_id == array.memory_id
    with pytest.raises(BufferError):
        baton.from_dlpack(data, device=0, copy=False)
    with pytest.raises(baton.DeviceError):
        baton.from_dlpack(data, device=77)


@pytest.mark.parametrize("raised", [KeyError("mine"), BufferError("not this"), KeyboardInterrupt()])
def test_what_the_producer_raises_comes_out(raised):
    class Raising(Made):
        def __dlpack__(self, **keywords):
            raise raised

    with pytest.raises(type(raised)):
        baton.from_dlpack(Raising())


def test_what_is_no_producer_is_a_type_error():
    for thing in (3, None, object(), "text", Made().__dlpack__()):
        with pytest.raises(TypeError):
            baton.from_dlpack(thing)


@pytest.mark.parametrize("device", [None, 1, (1,), (1, 2, 3), ("a", 0), [1, 0]])
def test_a_device_that_is_none_is_a_type_error(device):
    class Wrong(Made):
        def __dlpack_device__(self):
            return device

    with pytest.raises(TypeError):
        baton.from_dlpack(Wrong())


def test_memory_that_cannot_be_reached_is_not_even_asked_for():
    class Elsewhere(Made):
        def __dlpack_device__(self):
            return (10, 0)

        def __dlpack__(self, **keywords):
            raise AssertionError("asked")

    class OnTheGpu(Elsewhere):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(BufferError):
        baton.from_dlpack(Elsewhere())
    if baton.info()["driver"] == "soft":
        with pytest.raises(BufferError):
            baton.from_dlpack(OnTheGpu())


@pytest.mark.parametrize("result", [None, 3, "dltensor", object()])
def test_what_is_no_capsule_is_refused(result):
    class Wrong(Made):
        def __dlpack__(self, **keywords):
            return result

    with pytest.raises(BufferError):
        baton.from_dlpack(Wrong())


@pytest.mark.parametrize("name", [b"used_dltensor", b"used_dltensor_versioned", b"dltensors", b"tensor"])
def test_a_capsule_of_another_name_is_left_alone(name):
    made = Made(name=name)
    with pytest.raises(BufferError):
        baton.from_dlpack(made)
    assert made.deleted == 0


HOSTILE = [
    {"ndim": -1}, {"ndim": 100}, {"data": None}, {"lanes": 4}, {"code": 14, "bits": 8}, {"code": 99}, {"bits": 7},
    {"extent": -1}, {"ndim": 2, "extent": 1 << 62}, {"device_type": 10}, {"device_type": 0}, {"device_type": -5},
    {"byte_offset": (1 << 64) - 4}, {"byte_offset": 1}, {"shape": None},
]  # fmt: skip


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("changes", HOSTILE, ids=str)
def test_a_tensor_that_is_no_array_is_refused_and_deleted_once(changes, legacy):
    before = live()
    made = Made(legacy=legacy, **changes)
    with pytest.raises(BufferError):
        baton.from_dlpack(made)
    assert made.deleted == 1 and live() == before


def test_of_another_major_version_only_the_deleter_is_used():
    made = Made(major=2, ndim=1 << 20, shape=None, data=8)
    with pytest.raises(BufferError):
        baton.from_dlpack(made)
    assert made.deleted == 1


def test_a_later_minor_version_with_unknown_flags_is_taken():
    made = Made(minor=9, flags=1 << 40)
    assert baton.from_dlpack(made).tolist() == [1, 2, 3, 4]


def test_ordinary_memory_of_the_host_is_for_copies_and_kernels_refuse_it():
    data = np.arange(6, dtype="f4")
    array = baton.from_dlpack(data)
    for refused in (
        lambda: array + 1,
        lambda: array.fill(0),
        lambda: baton.ones(6, "f4") + array,
        lambda: array.astype("f8"),
    ):
        with pytest.raises(baton.KindError, match="pin it"):
            refused()
    assert (array.to(kind="device") + 1).tolist() == [1, 2, 3, 4, 5, 6]
    array.copy_from(baton.ones(6, "f4"))
    array.synchronize()
    assert data.tolist() == [1] * 6


# ---- odds


def test_bfloat16_comes_and_goes():
    array = baton.full(3, 1.5, "bfloat16")
    back = baton.from_dlpack(Relay(array))
    assert back.dtype == baton.bfloat16 and back.tolist() == [1.5] * 3


def test_an_array_of_another_producer_is_let_go_when_its_own_reference_is_weak():
    relay = Relay(baton.arange(4))
    array, there = baton.from_dlpack(relay), weakref.ref(relay)
    del relay
    assert there() is None and array.tolist() == [0, 1, 2, 3]
