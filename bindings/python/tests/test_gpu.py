"""What needs a GPU: BATON_DRIVER=cuda scripts/python-test."""

import gc

import numpy as np
import pytest

import baton

N = 1 << 16
SOURCE = """
template <typename T> __global__ void axpy(T *y, const T *x, T a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
struct pair { int a; double b; };
extern "C" __global__ void sum(double *to, pair p) { *to = p.a + p.b; }
"""


@pytest.fixture(autouse=True, scope="module")
def gpu_only():
    if baton.info()["driver"] != "cuda":
        pytest.skip("there is no GPU")


@pytest.fixture(scope="module")
def module(gpu_only):
    return baton.compile(SOURCE, name="axpy.cu", kernels=["axpy<float>", "axpy<double>"])


@pytest.mark.parametrize("dtype", ["float", "double"])
def test_a_compiled_kernel_computes(module, dtype):
    kernel = module.kernel(f"axpy<{dtype}>", ["inout", "in", {"float": "f4", "double": "f8"}[dtype], "i4"])
    x = baton.arange(N, dtype={"float": "f4", "double": "f8"}[dtype])
    y = baton.ones(N, x.dtype)
    kernel(N // 256, 256)(y, x, 2.0, N)
    np.testing.assert_allclose(y.numpy(), 1 + 2.0 * np.arange(N))


def test_a_struct_goes_by_value(module):
    to = baton.zeros(1)
    module["sum"](1, 1)(to, np.array((3, 0, 4.5), dtype=[("a", "i4"), ("pad", "i4"), ("b", "f8")]).tobytes())
    assert to.item() == 7.5


def test_a_wrong_source_is_told_with_the_log():
    with pytest.raises(baton.CompileError) as caught:
        baton.compile('extern "C" __global__ void f() { nonsense(); }', name="wrong.cu")
    assert "nonsense" in caught.value.log and "wrong.cu" in caught.value.log


def test_a_kernel_that_is_not_there_is_told(module):
    with pytest.raises(baton.Error):
        module["nothing"]


# x[block] += 1
PTX = """
.version 8.0
.target sm_75
.address_size 64
.visible .entry increment(.param .u64 x)
{
    .reg .b32 block, value;
    .reg .b64 address;
    ld.param.u64 address, [x];
    cvta.to.global.u64 address, address;
    mov.u32 block, %ctaid.x;
    mad.wide.u32 address, block, 4, address;
    ld.global.u32 value, [address];
    add.s32 value, value, 1;
    st.global.u32 [address], value;
    ret;
}
"""


@pytest.mark.parametrize("form", ["text", "bytes", "path"])
def test_an_image_is_loaded_from_text_bytes_and_a_file(tmp_path, form):
    path = tmp_path / "increment.ptx"
    path.write_text(PTX)
    loaded = baton.load({"text": PTX, "bytes": PTX.encode(), "path": path}[form])
    x = baton.zeros(N, "i4")
    loaded.kernel("increment", "inout")(N, 1)(x)
    loaded["increment"](N, 1)(x)
    assert (x.numpy() == 2).all()


def test_an_image_that_is_wrong_is_told_with_the_translators_words():
    with pytest.raises(baton.Error, match="nonsense"):
        baton.load(PTX.replace("add.s32", "nonsense.s32"))
    with pytest.raises((baton.Error, ValueError)):
        baton.load(b"\x7fELF")


def test_a_module_lives_as_long_as_its_kernels():
    kernel = baton.load(PTX)["increment"]
    gc.collect()
    baton.drain()
    x = baton.zeros(N, "i4")
    kernel(N, 1)(x)
    del kernel
    gc.collect()
    baton.drain()
    assert (x.numpy() == 1).all()


def test_a_compiled_kernel_is_captured_and_launched_again(module):
    kernel = module.kernel("axpy<float>", "inout, in, f4, i4")
    x, y, stream = baton.ones(N, "f4"), baton.zeros(N, "f4"), baton.Stream()
    with baton.capture(stream) as graph:
        kernel(N // 256, 256, stream=stream)(y, x, 1.0, N)
    for _ in range(3):
        graph.launch(baton.Stream())
    assert (y.numpy() == 3).all()


def test_threads_pass_an_array_on_without_waiting(module):
    kernel = module.kernel("axpy<float>", "inout, in, f4, i4")
    x, y = baton.ones(N, "f4"), baton.zeros(N, "f4")
    a, b = baton.Stream(), baton.Stream()
    launches = kernel(N // 256, 256, stream=a), kernel(N // 256, 256, stream=b)
    baton.current_stream().synchronize()
    waits = baton.stats()["host_waits"]
    with baton.Gate(a):
        for _ in range(50):
            for launch in launches:
                launch(y, baton.In(x), 1.0, N)
        assert not y.query() and baton.stats()["host_waits"] == waits
    assert (y.numpy() == 100).all()
