/* DLPack: __dlpack__, __dlpack_device__ and from_dlpack over the library's export and import. */
#include "core.h"

#include <string.h>

/* The beginning of DLManagedTensorVersioned, and what of its tensor is read here. */
struct managed {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct managed *self);
    uint64_t flags;
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
};

enum { DEVICE_CPU = 1, DEVICE_CUDA = 2 };
static const char unused[] = "dltensor_versioned", used[] = "used_dltensor_versioned";

static void managed_delete(struct managed *managed)
{
    if (managed->deleter)
        managed->deleter(managed);
}

/* A capsule that nobody took. An exception that is on its way stays. */
static void capsule_end(PyObject *capsule)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (PyCapsule_IsValid(capsule, unused))
        managed_delete(PyCapsule_GetPointer(capsule, unused));
    PyErr_Restore(type, value, trace);
}

static struct managed *export(PyObject *self, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle = array_handle(state_of(self), self);
    void *managed;
    int32_t status;
    if (!handle)
        return NULL;
    UNLOCKED(status = baton_dlpack_export(handle, stream, &managed, &error));
    return error_check(status, &error) ? NULL : managed;
}

/* The consumer's stream: None stands for the legacy one, -1 for none. NULL in *stream: the export waits on the host. */
static int consumer_stream(struct state *state, PyObject *object, int32_t device, PyObject **stream)
{
    int64_t number = BATON_STREAM_LEGACY;
    *stream = NULL;
    if (PyBool_Check(object) || (object != Py_None && arguments_int(object, &number))) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a stream of DLPack is an int or None");
        return -1;
    }
    if (number == -1)
        return 0;
    if (number < 1) {
        PyErr_SetString(number ? PyExc_ValueError : PyExc_BufferError, number ? "no such stream" : "stream 0 is ambiguous: 1 is the legacy stream, 2 the per-thread one");
        return -1;
    }
    PyObject *native = PyLong_FromLongLong(number);
    *stream = native ? stream_wrap(state, native, device) : NULL;
    Py_XDECREF(native);
    return *stream ? 0 : -1;
}

static int is_cpu(PyObject *self, int *cpu)
{
    struct managed *managed = export(self, NULL);
    if (!managed)
        return -1;
    *cpu = managed->device_type == DEVICE_CPU;
    managed_delete(managed);
    return 0;
}

static PyObject *array_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "stream", "max_version", "dl_device", "copy", NULL };
    PyObject *values[4], *stream = NULL;
    baton_array_info info;
    int cpu = 0;
    if (arguments_read("__dlpack__", names, 0, 0, args, count, keywords, values) || array_info(self, &info) || is_cpu(self, &cpu))
        return NULL;
    if (!values[1] || values[1] == Py_None)
        return PyErr_Format(PyExc_BufferError, "this array is exported as DLPack 1.x only: pass max_version=(1, 0) or newer");
    if (cpu && values[0] && values[0] != Py_None)
        return PyErr_Format(PyExc_ValueError, "memory of the CPU takes no stream");
    if (!cpu && consumer_stream(state_of(self), values[0] ? values[0] : Py_None, info.device, &stream))
        return NULL;
    struct managed *managed = export(self, stream ? stream_of(stream)->handle : NULL);
    Py_XDECREF(stream);
    PyObject *capsule = managed ? PyCapsule_New(managed, unused, capsule_end) : NULL;
    if (managed && !capsule)
        managed_delete(managed);
    return capsule;
}

static PyObject *array_dlpack_device(PyObject *self, PyObject *ignored)
{
    struct managed *managed = export(self, NULL);
    (void)ignored;
    if (!managed)
        return NULL;
    PyObject *pair = Py_BuildValue("(ii)", managed->device_type, managed->device_id);
    managed_delete(managed);
    return pair;
}

/* ---- import */

static PyObject *ask_producer(PyObject *producer, PyObject *stream)
{
    PyObject *method = PyObject_GetAttrString(producer, "__dlpack__"), *capsule = NULL;
    PyObject *none = PyTuple_New(0), *keywords = Py_BuildValue("{s(ii)}", "max_version", 1, 3);
    if (method && none && keywords && (!stream || !PyDict_SetItemString(keywords, "stream", stream)))
        capsule = PyObject_Call(method, none, keywords);
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    Py_XDECREF(method);
    return capsule;
}

static PyObject *take_capsule(struct state *state, PyObject *capsule, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array_info info = { .struct_size = sizeof info };
    baton_array *handle;
    int32_t status;
    struct managed *managed = PyCapsule_IsValid(capsule, unused) ? PyCapsule_GetPointer(capsule, unused) : NULL;
    if (!managed)
        return PyErr_Format(PyExc_BufferError, "the producer gave no unused capsule of DLPack 1.x");
    if (PyCapsule_SetName(capsule, used))
        return NULL;
    UNLOCKED(status = baton_dlpack_import(state->runtime, managed, stream, &handle, &error));
    if (status < 0)
        managed_delete(managed);
    if (error_check(status, &error))
        return NULL;
    baton_array_info_read(handle, &info, NULL);
    return array_make(state, handle, info.dtype);
}

/* from_dlpack(producer) */
static PyObject *from_dlpack(PyObject *module, PyObject *producer)
{
    struct state *state = module_state(module);
    PyObject *pair = PyObject_CallMethod(producer, "__dlpack_device__", NULL), *stream = NULL, *native = NULL, *array = NULL;
    int type, device;
    int known = pair && PyArg_ParseTuple(pair, "ii;__dlpack_device__ returns (type, id)", &type, &device);
    Py_XDECREF(pair);
    if (!known || !runtime_get(state))
        return NULL;
    if (type == DEVICE_CUDA) {
        stream = task_stream(state, device);
        native = stream ? PyObject_GetAttrString(stream, "handle") : NULL;
    }
    PyObject *capsule = type != DEVICE_CUDA || native ? ask_producer(producer, native) : NULL;
    if (capsule)
        array = take_capsule(state, capsule, stream ? stream_of(stream)->handle : NULL);
    Py_XDECREF(capsule);
    Py_XDECREF(native);
    Py_XDECREF(stream);
    return array;
}

PyMethodDef array_exchange_methods[] = {
    { "__dlpack__", METHOD(array_dlpack), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
                "A capsule of DLPack 1.x.") },
    { "__dlpack_device__", array_dlpack_device, METH_NOARGS,
      PyDoc_STR("__dlpack_device__($self, /)\n--\n\nDevice type and number of DLPack.") },
    { NULL, NULL, 0, NULL },
};

PyMethodDef exchange_methods[] = {
    { "from_dlpack", from_dlpack, METH_O, PyDoc_STR("from_dlpack(producer, /)\n--\n\nAn array over the memory of an object with __dlpack__.") },
    { NULL, NULL, 0, NULL },
};
