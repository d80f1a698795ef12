"""Baton through ctypes, for tests: prototypes and constants from the header, layouts of structs from the library itself."""
import ctypes
import os
import re
import threading
from contextlib import contextmanager

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADER = os.path.join(TOP, "include", "baton_ffi.h")

SCALARS = {"int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
           "void": None, "const char *": ctypes.c_char_p}


class BatonError(Exception):
    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


def default_library():
    build = os.environ.get("top_builddir") or os.path.join(TOP, "build")
    return os.environ.get("BATON_LIBRARY") or os.path.join(build, ".libs", "libbaton.so.0")


def header_text(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)


def argument_type(text, callbacks):
    text = text.strip()
    if "*" in text or any(re.search(rf"\b{name}\b", text) for name in callbacks):
        return ctypes.c_void_p
    return SCALARS[text.split()[0]]


class Library:
    """Every function of the header by name; constants as attributes."""

    def __init__(self, path=None, header=HEADER):
        self.c = ctypes.CDLL(path or default_library())
        text = header_text(header)
        callbacks = re.findall(r"\(\*(baton_\w+)\)", text)
        for name, value in re.findall(r"\b(BATON_\w+)\s*=\s*(-?\d+)", text):
            setattr(self, name, int(value))
        prototype = r"^(int32_t|uint32_t|void|const char \*)\s*(baton_\w+)\(([^;{]*?)\);"
        for result, name, parameters in re.findall(prototype, text, flags=re.M | re.S):
            function = getattr(self.c, name)
            function.restype = SCALARS[result]
            function.argtypes = [] if parameters.strip() == "void" else [
                argument_type(parameter, callbacks) for parameter in parameters.split(",")]
        self.layout = self._layouts()

    def _layouts(self):
        layout, index = {}, 0
        name, offset, size = ctypes.c_char_p(), ctypes.c_uint32(), ctypes.c_uint32()
        while self.c.baton_abi_layout(index, ctypes.byref(name), ctypes.byref(offset), ctypes.byref(size)) == 0:
            layout[name.value.decode()] = (offset.value, size.value)
            index += 1
        return layout

    def struct(self, name, **members):
        return Struct(self, name, members)


class Struct:
    """A struct of the interface; whole numbers, and bytes for what is wider."""

    def __init__(self, library, name, members=None, memory=None):
        size = library.layout[name][1]
        object.__setattr__(self, "_layout", library.layout)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_memory", memory if memory is not None else ctypes.create_string_buffer(size))
        if f"{name}.struct_size" in library.layout:
            self.struct_size = size
        for member, value in (members or {}).items():
            setattr(self, member, value)

    def _place(self, member):
        return self._layout[f"{self._name}.{member}"]

    def __setattr__(self, member, value):
        offset, size = self._place(member)
        self._memory[offset:offset + size] = int(value).to_bytes(size, "little", signed=value < 0)

    def __getattr__(self, member):
        offset, size = self._place(member)
        data = self._memory[offset:offset + size]
        return int.from_bytes(data, "little") if size <= 8 else data

    def text(self, member):
        return getattr(self, member).split(b"\0")[0].decode()

    @property
    def pointer(self):
        return ctypes.addressof(self._memory)


ITEM = {"f32": ctypes.c_float, "i32": ctypes.c_int32}


class Runtime:
    """A runtime on device 0 and what the tests do with it. Handles are plain numbers; `keep` gives them back at close."""

    def __init__(self, library, driver):
        self.b = library
        self.error = library.struct("baton_error")
        self.handle = None
        name = ctypes.create_string_buffer(driver.encode())
        options = library.struct("baton_runtime_options", driver=ctypes.addressof(name))
        self.handle = self.out("baton_runtime_open", options.pointer)

    def call(self, function, *arguments, refused=None):
        """BATON_OK or a positive status comes back; an error is raised, unless it is the one that is wanted."""
        error = self.b.struct("baton_error")            # one per call: tests call from several threads
        status = getattr(self.b.c, function)(*arguments, error.pointer)
        if refused is not None:
            if status != refused:
                raise AssertionError(f"{function} came back with {status} and not with {refused}")
            return status
        if status < 0:
            raise BatonError(status, f"{function}: {error.text('message')}")
        return status

    def out(self, function, *arguments, type=ctypes.c_void_p):
        result = type()
        self.call(function, *arguments, ctypes.byref(result))
        return result.value

    def close(self):
        self.call("baton_runtime_close", self.handle)

    def info(self, struct="baton_runtime_info", function="baton_runtime_info_read", *which):
        info = self.b.struct(struct)
        self.call(function, self.handle, *which, info.pointer)
        return info

    def device_info(self, device=0):
        return self.info("baton_device_info", "baton_device_info_read", device)

    def host_waits(self, cause=None):
        data = self.info("baton_stats", "baton_stats_read").host_waits
        counts = [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]
        return sum(counts) if cause is None else counts[cause]

    # ---- streams

    def stream(self):
        return self.out("baton_stream_create", self.handle, 0, 0, 0)

    def stream_wrap(self, native):
        return self.out("baton_stream_wrap", self.handle, 0, native)

    def native(self, stream):
        return self.out("baton_stream_native", stream, type=ctypes.c_uint64)

    def busy(self, stream):
        return self.call("baton_stream_query", stream) == self.b.BATON_NOT_READY

    def synchronize(self, stream):
        self.call("baton_stream_synchronize", stream, self.b.BATON_WAIT_AUTO)

    def stream_free(self, *streams):
        for stream in streams:
            self.b.c.baton_stream_release(stream)

    # ---- arrays of one dimension

    def options(self, count, stream, dtype, kind=0):
        shape = ctypes.c_int64(count)
        options = self.b.struct("baton_array_options", dtype=getattr(self.b, "BATON_" + dtype.upper()), ndim=1, kind=kind,
                                shape=ctypes.addressof(shape), stream=stream or 0)
        return options, shape               # the caller keeps the shape alive over its call

    def array(self, count, stream, dtype="f32", kind=0):
        options, shape = self.options(count, stream, dtype, kind)
        return self.out("baton_array_create", self.handle, options.pointer)

    def wrap(self, address, count, stream, dtype="f32", kind=0):
        options, shape = self.options(count, stream, dtype, kind)
        return self.out("baton_array_wrap", self.handle, options.pointer, address, None, None)

    def wrap_refused(self, status, address, count, dtype="f32", kind=0):
        options, shape = self.options(count, None, dtype, kind)
        result = ctypes.c_void_p()
        self.call("baton_array_wrap", self.handle, options.pointer, address, None, None, ctypes.byref(result), refused=status)

    def array_info(self, array):
        info = self.b.struct("baton_array_info")
        self.call("baton_array_info_read", array, info.pointer)
        return info

    def free(self, *arrays):
        for array in arrays:
            self.b.c.baton_array_release(array)

    def fill(self, array, value, stream, dtype="f32"):
        item = ITEM[dtype](value)
        self.call("baton_fill", array, ctypes.byref(item), ctypes.sizeof(item), stream)

    def copy(self, to, source, stream):
        self.call("baton_copy", to, source, stream)

    def download(self, array, count, stream, dtype="f32"):
        values = (ITEM[dtype] * count)()
        self.call("baton_download", values, ctypes.sizeof(values), array, stream)
        return list(values)

    def upload(self, array, values, stream, dtype="f32"):
        data = (ITEM[dtype] * len(values))(*values)
        self.call("baton_upload", array, data, ctypes.sizeof(data), stream)

    def pointer(self, array, stream, access=3):
        result = ctypes.c_uint64()
        self.call("baton_array_pointer", array, stream, access, ctypes.byref(result))
        return result.value

    def drain(self):
        self.call("baton_drain", self.handle, 0, None)

    # ---- scopes and gates

    @contextmanager
    def scope(self, stream, array, access=3):
        """Gives the address, which work on the stream may use."""
        operand = self.b.struct("baton_operand", array=array, access=access)
        scope = self.out("baton_scope_begin", stream, None, operand.pointer, 1, 0)
        try:
            yield operand.address
            self.call("baton_scope_end", scope)
        finally:
            self.b.c.baton_scope_release(scope)

    @contextmanager
    def held(self, stream, limit_s=10):
        """The stream stands still until the gate is opened, for ten seconds at most."""
        gate = Gate(self, self.out("baton_gate_create", stream, limit_s * 10**9))
        try:
            yield gate
        finally:
            gate.free()

    # ---- DLPack

    def export(self, array, stream):
        """A versioned capsule; the stream is made to follow the array's work (None: the host waits)."""
        return capsule_new(self.out("baton_dlpack_export", array, stream))

    def take(self, capsule, stream):
        """The array over the tensor in a versioned capsule, which is used up."""
        array = self.out("baton_dlpack_import", self.handle, capsule_pointer(capsule), stream)
        capsule_used(capsule)
        return array


class Gate:
    def __init__(self, runtime, handle):
        self.runtime, self.handle, self.opener, self.opened = runtime, handle, None, False

    def open(self):
        self.opened = True
        self.runtime.call("baton_gate_open", self.handle)

    def open_soon(self, seconds=0.1):
        """From a thread of its own, for calls that have to wait on the host."""
        self.opener = threading.Timer(seconds, self.open)
        self.opener.start()

    def free(self):
        if self.opener:
            self.opener.join()
        self.runtime.b.c.baton_gate_release(self.handle)      # opens it too


# ---- capsules, with Python's own functions

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.restype = ctypes.c_int
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAME, USED = b"dltensor_versioned", b"used_dltensor_versioned"       # kept: a capsule does not copy its name


def capsule_new(managed):
    return python.PyCapsule_New(managed, NAME, None)


def capsule_pointer(capsule):
    return python.PyCapsule_GetPointer(capsule, NAME)


def capsule_used(capsule):
    python.PyCapsule_SetName(capsule, USED)


class Producer:
    """An array as libraries expect a producer of DLPack to be."""

    def __init__(self, runtime, array, device):
        self.runtime, self.array, self.device, self.streams = runtime, array, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if max_version is None or max_version[0] < 1 or copy:
            raise BufferError("only versioned tensors, and no copies")
        if self.device[0] == 1 or stream == -1:         # the host's memory has no stream
            return self.runtime.export(self.array, None)
        wrapped = self.runtime.stream_wrap(stream or 1)
        self.streams.append(wrapped)
        return self.runtime.export(self.array, wrapped)

    def free(self):
        self.runtime.stream_free(*self.streams)
