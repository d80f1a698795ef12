"""The libraries that peers.py measures, each with its rows: {row: body}, where body(n) does n operations and gives back the
nanoseconds that they took. They are imported when a class is made."""
import importlib.util
import os
from time import perf_counter_ns as now

ELEMENTS, LIVE, STEPS, MB2 = 512, 200, 10, 2 << 20
TOUCH = 'extern "C" __global__ void touch(float *a) { a[0] += 1; }'


def ring(make):
    """Each operation gives the oldest block back and takes a new one."""
    blocks = [make() for _ in range(LIVE)]

    def body(n):
        start = now()
        for i in range(n):
            at = i % LIVE
            blocks[at] = None
            blocks[at] = make()
        return now() - start
    return body


def repeat(operation, *arguments):
    def body(n):
        start = now()
        for _ in range(n):
            operation(*arguments)
        return now() - start
    return body


# ---------------------------------------------------------------- PyTorch

class Torch:
    def __init__(self):
        import torch
        self.torch = torch
        self.name, self.version = "PyTorch", torch.__version__
        torch.cuda.init()
        self.a, self.b = torch.cuda.Stream(), torch.cuda.Stream()
        self.x = torch.zeros(ELEMENTS, device="cuda")
        self.source, self.copy = (torch.zeros(MB2, dtype=torch.uint8, device="cuda") for _ in range(2))
        torch.cuda.synchronize()

    def settle(self):
        self.torch.cuda.synchronize()

    def on_a(self, body):
        def inside(n):
            with self.torch.cuda.stream(self.a):
                return body(n)
        return inside

    def pass_streams(self, n):
        """As its manual tells: the stream that takes over waits for the other."""
        torch, x, pair = self.torch, self.x, (self.a, self.b)
        start = now()
        for i in range(n):
            to, other = pair[i % 2], pair[1 - i % 2]
            to.wait_stream(other)
            with torch.cuda.stream(to):
                x.add_(1)
        return now() - start

    def pass_events(self, n):
        """With events made once."""
        torch, x, pair = self.torch, self.x, (self.a, self.b)
        events = (torch.cuda.Event(), torch.cuda.Event())
        start = now()
        for i in range(n):
            to, other = i % 2, 1 - i % 2
            events[other].record(pair[other])
            pair[to].wait_event(events[other])
            with torch.cuda.stream(pair[to]):
                x.add_(1)
        return now() - start

    def graph(self):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=self.a):
            for _ in range(STEPS):
                self.x.add_(1)
        return self.on_a(repeat(graph.replay))

    def rows(self):
        torch = self.torch
        with torch.cuda.stream(self.a):
            small = ring(lambda: torch.empty(4096, dtype=torch.uint8, device="cuda"))
            large = ring(lambda: torch.empty(MB2, dtype=torch.uint8, device="cuda"))
        return {"launch": self.on_a(repeat(self.x.add_, 1)), "pingpong": self.pass_streams,
                "pingpong, events": self.pass_events, "create/4K": self.on_a(small), "create/2M": self.on_a(large),
                "copy/2M": self.on_a(repeat(self.copy.copy_, self.source)), "graph": self.graph(),
                "idle": repeat(self.a.synchronize)}


# ---------------------------------------------------------------- CuPy

class Cupy:
    def __init__(self):
        import cupy
        self.cupy = cupy
        self.name, self.version = "CuPy", cupy.__version__
        self.a, self.b = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))
        self.x = cupy.zeros(ELEMENTS, dtype=cupy.float32)
        self.source, self.copy = (cupy.zeros(MB2, dtype=cupy.uint8) for _ in range(2))
        self.touch = cupy.RawKernel(TOUCH, "touch")
        self.arguments = ((1,), (1,), (self.x,))
        self.touch(*self.arguments)
        self.settle()

    def settle(self):
        self.cupy.cuda.Device().synchronize()

    def on_a(self, body):
        def inside(n):
            with self.a:
                return body(n)
        return inside

    def pass_streams(self, n):
        touch, arguments, pair = self.touch, self.arguments, (self.a, self.b)
        events = tuple(self.cupy.cuda.Event(disable_timing=True) for _ in pair)
        start = now()
        for i in range(n):
            to, other = i % 2, 1 - i % 2
            pair[other].record(events[other])
            pair[to].wait_event(events[other])
            with pair[to]:
                touch(*arguments)
        return now() - start

    def graph(self):
        with self.a:
            self.a.begin_capture()
            for _ in range(STEPS):
                self.touch(*self.arguments)
            graph = self.a.end_capture()
        return repeat(graph.launch, self.a)

    def rows(self):
        cupy = self.cupy
        with self.a:
            small = ring(lambda: cupy.empty(4096, dtype=cupy.uint8))
            large = ring(lambda: cupy.empty(MB2, dtype=cupy.uint8))
        return {"launch": self.on_a(repeat(self.touch, *self.arguments)), "pingpong": self.pass_streams,
                "create/4K": self.on_a(small), "create/2M": self.on_a(large),
                "copy/2M": self.on_a(repeat(cupy.copyto, self.copy, self.source)), "graph": self.graph(),
                "idle": repeat(self.a.synchronize)}


# ---------------------------------------------------------------- cuda.core

class Core:
    def __init__(self):
        from cuda import core
        self.core = core
        self.name, self.version = "cuda.core", core.__version__
        self.device = core.Device(0)
        self.device.set_current()
        self.a, self.b = self.device.create_stream(), self.device.create_stream()
        self.x = self.device.allocate(ELEMENTS * 4, stream=self.a)
        self.source, self.copy = (self.device.allocate(MB2, stream=self.a) for _ in range(2))
        major, minor = self.device.compute_capability
        options = core.ProgramOptions(arch=f"sm_{major}{minor}")
        self.code = core.Program(TOUCH, "c++", options=options).compile("cubin")
        self.touch = self.code.get_kernel("touch")
        self.config = core.LaunchConfig(grid=1, block=1)
        self.launch(self.a)
        self.settle()

    def launch(self, stream):
        self.core.launch(stream, self.config, self.touch, self.x)

    def settle(self):
        self.device.sync()

    def pass_streams(self, n):
        launch, config, touch, x, pair = self.core.launch, self.config, self.touch, self.x, (self.a, self.b)
        start = now()
        for i in range(n):
            to, other = pair[i % 2], pair[1 - i % 2]
            to.wait(other)
            launch(to, config, touch, x)
        return now() - start

    def ring(self, size):
        device, stream = self.device, self.a
        blocks = [device.allocate(size, stream=stream) for _ in range(LIVE)]

        def body(n):
            start = now()
            for i in range(n):
                at = i % LIVE
                blocks[at].close(stream)
                blocks[at] = device.allocate(size, stream=stream)
            return now() - start
        return body

    def graph(self):
        builder = self.a.create_graph_builder()
        builder.begin_building()
        for _ in range(STEPS):
            self.launch(builder)
        graph = builder.end_building().complete()
        return repeat(graph.launch, self.a)

    def rows(self):
        def copy(n):
            to, source, stream = self.copy, self.source, self.a
            start = now()
            for _ in range(n):
                to.copy_from(source, stream=stream)
            return now() - start
        return {"launch": repeat(self.core.launch, self.a, self.config, self.touch, self.x), "pingpong": self.pass_streams,
                "create/4K": self.ring(4096), "create/2M": self.ring(MB2), "copy/2M": copy, "graph": self.graph(),
                "idle": repeat(self.a.sync)}


# ---------------------------------------------------------------- JAX, whose arrays pass by themselves

class Jax:
    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        self.name, self.version = "JAX", jax.__version__
        self.add = jax.jit(lambda x: x + 1, donate_argnums=0)
        self.x = self.add(jax.numpy.zeros(ELEMENTS, dtype=jax.numpy.float32))
        self.settle()

    def settle(self):
        self.x.block_until_ready()

    def rows(self):
        def launch(n):
            add, x = self.add, self.x
            start = now()
            for _ in range(n):
                x = add(x)
            ns = now() - start
            self.x = x
            return ns
        return {"launch": launch}


# ---------------------------------------------------------------- Baton's binding

class Binding:
    def __init__(self, path):
        import baton
        self.name, self.version = "Baton, Python", getattr(baton, "__version__", "")
        spec = importlib.util.spec_from_file_location("baton_peer", path)
        self.peer = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.peer)

    def settle(self):
        settle = getattr(self.peer, "settle", None)
        if settle:
            settle()

    def rows(self):
        return self.peer.rows()
