"""Kernels: C functions on the software device, signatures, arguments; compiling and loading."""

import ctypes
import gc
import sys
import weakref

import numpy as np
import pytest

import baton

N = 32


def test_a_kernel_is_configured_once_and_called_often(add_one):
    x = baton.zeros(N, "f4")
    launch = add_one(N, 1)
    for _ in range(100):
        launch(x)
    assert x.tolist() == [100.0] * N
    assert add_one.name == "add_one" and add_one.device == 0 and "add_one" in repr(add_one)


def test_grid_block_and_shared_memory_reach_the_kernel(library):
    kernel = baton.host_kernel(library.shape, "out")
    x = baton.empty(7, "i4")
    kernel((2, 3, 4), (5, 6), shared=64)(x)
    assert x.tolist() == [2, 3, 4, 5, 6, 1, 64]
    kernel(9)(x)
    assert x.tolist() == [9, 1, 1, 1, 1, 1, 0]
    for wrong in (0, -1, (1, 2, 3, 4), "a", 1.5, 1 << 40):
        with pytest.raises((ValueError, TypeError)):
            kernel(wrong)
        with pytest.raises((ValueError, TypeError)):
            kernel(1, wrong)
    with pytest.raises(ValueError):
        kernel(1, shared=-1)
    with pytest.raises(TypeError):
        kernel()
    with pytest.raises(TypeError):
        kernel(1, nonsense=1)


def test_a_kernel_tells_what_it_needs_and_refuses_nonsense(add_one):
    assert set(add_one.info()) > {"registers", "most_threads", "local_bytes"}
    assert add_one.occupancy(32) >= 0
    threads, blocks = add_one.block_size()
    assert threads > 0 and blocks > 0
    for wrong in (lambda: add_one.occupancy(-1), lambda: add_one.occupancy(32, -1), lambda: add_one(1, cluster=0)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        add_one.occupancy()


def test_clusters_and_cooperative_grids_are_launched_or_refused_clearly(add_one):
    x = baton.zeros(N, "f4")
    for settings in ({"cluster": 2}, {"cooperative": True}):
        done = x.tolist()[0]
        try:
            add_one(N, **settings)(x)
        except baton.Error as error:
            assert str(error)
        else:
            assert x.tolist() == [done + 1] * N


def test_a_signature_gives_numbers_their_type(scale):
    x, y = baton.ones(N, "f4"), baton.empty(N, "f4")
    for factor in (3, 3.0, True + 2, np.float64(3), np.int8(3), baton.f64(3), ctypes.c_int(3)):
        scale(N)(y, x, factor)
        assert y.tolist() == [3.0] * N
    launch = scale(N)
    for arguments in [(y, x), (y, x, 1, 2), (y, x, "a"), (y, 1.0, 1.0), (y, x, x), (1, x, 1.0), (y, x, b"1234")]:
        with pytest.raises(TypeError):
            launch(*arguments)
    with pytest.raises(TypeError):
        launch(y, x, factor=1.0)


def test_without_a_signature_numbers_say_their_type(library):
    code = baton.host_kernel(library.scale, "out, in, f4").declare(None)
    x, y = baton.ones(N, "f4"), baton.empty(N, "f4")
    for factor in (
        baton.float32(2),
        baton.f32(2),
        np.float32(2),
        ctypes.c_float(2),
        np.float32(2).tobytes(),
        np.array(2, "f4"),
    ):
        code(N)(baton.Out(y), baton.In(x), factor)
        assert y.tolist() == [2.0] * N
    for factor in (2, 2.0, True):
        with pytest.raises(TypeError, match="no element type"):
            code(N)(y, x, factor)
    for factor in (None, "a", [1]):
        with pytest.raises(TypeError):
            code(N)(y, x, factor)


def test_twenty_numbers_are_no_problem(library):
    kernel = baton.host_kernel(library.many, ["out"] + ["i4"] * 20)
    x = baton.empty((), "i8")
    kernel(1)(x, *range(20))
    assert x.item() == sum(range(20))
    with pytest.raises(OverflowError):
        kernel(1)(x, *[1 << 31] * 20)


def test_structs_go_by_value(library):
    kernel = baton.host_kernel(library.raw, [baton.Out, "bytes:24"])
    x = baton.empty(24, "u1")
    kernel(1)(x, bytes(range(24)))
    assert x.tolist() == list(range(24))
    with pytest.raises(TypeError):
        kernel(1)(x, bytes(23))


@pytest.mark.parametrize("signature", ["in, nonsense", [object()], "bytes:x", 5, [None]])
def test_a_signature_that_says_nothing_is_refused(library, signature):
    with pytest.raises((TypeError, ValueError)):
        baton.host_kernel(library.add_one, signature)


def test_marks_say_what_a_launch_does_to_an_array(library, pair):
    a, b = pair
    kernel = baton.host_kernel(library.scale, "inout, inout, f4")
    x, y, z = baton.ones(N, "f4"), baton.empty(N, "f4"), baton.empty(N, "f4")
    baton.current_stream().synchronize()
    with baton.Gate(a):
        kernel(N, stream=a)(baton.Out(y), baton.In(x), 2)
        kernel(N, stream=b)(baton.Out(z), baton.In(x), 3)
        assert z.tolist() == [3.0] * N
        kernel(N, stream=b)(baton.Out(z), baton.InOut(x), 4)  # behind the gated reader
        assert not b.query()
    assert z.tolist() == [4.0] * N
    with pytest.raises(TypeError):
        baton.In(3)


def test_read_only_is_kept_while_a_kernel_is_queued(add_one, pair):
    a, _ = pair
    x = baton.zeros(N, "f4")
    reference = weakref.ref(x)
    y = x[:]
    with baton.Gate(a):
        add_one(N, stream=a)(x)
        del x
        gc.collect()
        assert reference() is None
    assert y.tolist() == [1.0] * N


def test_functions_of_cffi_and_addresses_are_kernels(library):
    address = ctypes.cast(library.add_one, ctypes.c_void_p).value
    x = baton.zeros(N, "f4")
    baton.host_kernel(address, "inout", name="by_address")(N)(x)
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("void add_one(const void *launch, void *const *arguments);")
    baton.host_kernel(ffi.dlopen(library._name).add_one, "inout")(N)(x)
    pointer = ffi.cast("void (*)(void)", address)
    baton.host_kernel(pointer, "inout")(N)(x)

    class Compiled:  # as numba.cfunc makes it
        pass

    Compiled.address = address
    baton.host_kernel(Compiled(), "inout")(N)(x)
    assert x.tolist() == [4.0] * N


@pytest.mark.usefixtures("library")
def test_a_function_that_numba_compiled_is_a_kernel():
    numba = pytest.importorskip("numba")
    elements = numba.types.CPointer(numba.types.float32)

    @numba.cfunc(numba.types.void(numba.types.voidptr, numba.types.CPointer(numba.types.CPointer(elements))))
    def add_two(launch, arguments):
        for i in range(N):
            arguments[0][0][i] += 2

    x = baton.zeros(N, "f4")
    launch = baton.host_kernel(add_two, "inout")(1)
    launch(x)
    launch(x)
    assert x.tolist() == [4.0] * N


def test_functions_of_python_are_refused():
    wrapped = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda launch, arguments: None)
    for function in (lambda launch, arguments: None, wrapped, print, None):
        with pytest.raises(TypeError):
            baton.host_kernel(function, "inout")


@pytest.mark.usefixtures("two_devices")
def test_a_launch_of_another_devices_stream_is_told(add_one):
    with pytest.raises(baton.Error):
        add_one(N, stream=baton.Stream(1))(baton.zeros(N, "f4"))


def test_the_software_device_compiles_nothing_and_says_so():
    if baton.info()["driver"] != "soft":
        pytest.skip("this device compiles")
    with pytest.raises(NotImplementedError):
        baton.compile('extern "C" __global__ void f() {}')
    with pytest.raises(baton.Error):
        baton.load(b"nonsense")
    with pytest.raises(baton.Error):
        baton.load("nonsense")


def test_a_launch_leaks_no_reference(add_one):
    x, launch = baton.zeros(N, "f4"), add_one(N)
    counts = [sys.getrefcount(thing) for thing in (x, launch, add_one, baton.current_stream(), None)]
    for _ in range(500):
        launch(x)
        launch(baton.InOut(x))
        add_one(N, stream=baton.current_stream())
        with pytest.raises(TypeError):
            launch(x, 1)
    after = [sys.getrefcount(thing) for thing in (x, launch, add_one, baton.current_stream(), None)]
    assert all(abs(a - b) < 50 for a, b in zip(counts, after)), (counts, after)


def test_a_launch_can_be_called_with_a_tuple_as_well(add_one):
    x = baton.zeros(N, "f4")
    arguments = [x]
    add_one(N)(*arguments)
    type(add_one(N)).__call__(add_one(N), x)
    assert x.tolist() == [2.0] * N
