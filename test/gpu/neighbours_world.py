"""What the checks of neighbours.py share: how they are listed and compare, and the runtime beside its neighbours."""
import ctypes
import threading
from contextlib import contextmanager

from baton_ctypes import Runtime

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
