/* __dlpack__ and __dlpack_device__. */
#include "exchange.h"

static const char versioned_name[] = "dltensor_versioned", legacy_name[] = "dltensor";

/* ---- capsules
 *
 * One that is taken gets another name from the consumer, who calls the tensor's deleter. One that nobody took ends here; an exception that is on its way stays. */

static void versioned_end(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, versioned_name))
        exchange_delete(PyCapsule_GetPointer(capsule, versioned_name));
}

static void legacy_end(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, legacy_name))
        exchange_delete_legacy(PyCapsule_GetPointer(capsule, legacy_name));
}

static PyObject *wrap_versioned(struct dlpack_managed *managed)
{
    PyObject *capsule = PyCapsule_New(managed, versioned_name, versioned_end);
    if (!capsule)
        exchange_delete(managed);
    return capsule;
}

static PyObject *wrap_legacy(struct dlpack_legacy *legacy)
{
    PyObject *capsule = PyCapsule_New(legacy, legacy_name, legacy_end);
    if (!capsule)
        exchange_delete_legacy(legacy);
    return capsule;
}

/* ---- what the consumer asks for */

struct request {
    int32_t type, id;                   /* where the array is */
    uint32_t flags;                     /* BATON_DLPACK_... */
    uint64_t stream;                    /* by number; 0: none */
};

static int is_given(PyObject *value)
{
    return value && value != Py_None;
}

static int read_version(PyObject *value, struct request *request)
{
    long long major = 0, minor = 0;
    if (is_given(value) && !PyTuple_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "max_version is a tuple (major, minor)");
        return -1;
    }
    if (is_given(value) && !PyArg_ParseTuple(value, "LL;max_version is a tuple (major, minor)", &major, &minor))
        return -1;
    if (major < 1)
        request->flags |= BATON_DLPACK_LEGACY;
    return 0;
}

/* Where it is, or on the CPU. */
static int read_device(PyObject *value, struct request *request)
{
    int type, id;
    if (!is_given(value))
        return 0;
    if (!PyTuple_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "dl_device is a tuple (type, id)");
        return -1;
    }
    if (!PyArg_ParseTuple(value, "ii;dl_device is a tuple (type, id)", &type, &id))
        return -1;
    if (type == request->type && id == request->id)
        return 0;
    if (type == PLACE_CPU && id == 0) {
        request->flags |= BATON_DLPACK_HOST;
        return 0;
    }
    PyErr_Format(PyExc_BufferError, "the array is on device (%d, %d) and is exported there or to (1, 0), not to (%d, %d)", (int)request->type, (int)request->id,
                 type, id);
    return -1;
}

static int read_copy(PyObject *value, struct request *request)
{
    int copy = is_given(value) ? PyObject_IsTrue(value) : 0;
    if (copy < 0)
        return -1;
    if (copy)
        request->flags |= BATON_DLPACK_COPY;
    if (is_given(value) && !copy && request->flags & BATON_DLPACK_HOST && request->type == PLACE_CUDA) {
        PyErr_SetString(PyExc_BufferError, "device memory goes to the CPU only as a copy");
        return -1;
    }
    return 0;
}

static int refuse_stream(PyObject *exception, const char *why)
{
    PyErr_SetString(exception, why);
    return -1;
}

/* None is the legacy stream for device memory; of what the host reaches too, all work is waited for. */
static int read_stream(PyObject *value, struct request *request)
{
    int host = request->flags & BATON_DLPACK_HOST || request->type == PLACE_CPU;
    int64_t number;
    if (!is_given(value)) {
        request->stream = !host && request->type == PLACE_CUDA ? BATON_STREAM_LEGACY : 0;
        return 0;
    }
    if (PyBool_Check(value) || !PyIndex_Check(value))
        return refuse_stream(PyExc_TypeError, "a stream of DLPack is an int or None");
    if (arguments_int(value, &number))
        return -1;
    if (number == 0)
        return refuse_stream(PyExc_BufferError, "stream 0 is ambiguous: 1 is the legacy stream, 2 the per-thread one");
    if (number < -1)
        return refuse_stream(PyExc_ValueError, "a stream of DLPack is -1, 1, 2 or a handle");
    if (request->flags & BATON_DLPACK_HOST || (host && number != -1))
        return refuse_stream(PyExc_ValueError, "memory of the CPU takes no stream");
    if (number == -1)
        request->flags |= BATON_DLPACK_UNORDERED;
    else
        request->stream = (uint64_t)number;
    return 0;
}

static void *give(PyObject *self, const struct request *request)
{
    baton_dlpack_options options = { .struct_size = sizeof options, .flags = request->flags };
    baton_array_info info;
    if (array_info(self, &info) || (request->stream && exchange_consumer(state_of(self), info.device, request->stream, &options.stream)))
        return NULL;
    void *managed = exchange_give(self, &options);
    if (options.stream)
        baton_stream_release(options.stream);
    return managed;
}

static PyObject *array_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "stream", "max_version", "dl_device", "copy", NULL };
    PyObject *values[4];
    struct request request = { .flags = 0 };
    if (arguments_read("__dlpack__", names, 0, 0, args, count, keywords, values) || exchange_place(self, &request.type, &request.id) ||
        read_version(values[1], &request) || read_device(values[2], &request) || read_copy(values[3], &request) || read_stream(values[0], &request))
        return NULL;
    void *managed = give(self, &request);
    if (!managed)
        return NULL;
    return request.flags & BATON_DLPACK_LEGACY ? wrap_legacy(managed) : wrap_versioned(managed);
}

static PyObject *array_dlpack_device(PyObject *self, PyObject *ignored)
{
    int32_t type, id;
    (void)ignored;
    return exchange_place(self, &type, &id) ? NULL : Py_BuildValue("(ii)", (int)type, (int)id);
}

PyMethodDef array_exchange_methods[] = {
    { "__dlpack__", METHOD(array_dlpack), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
                "A capsule of DLPack: of 1.x, or a legacy one for a max_version of None or below (1, 0).\n"
                "\n"
                "stream is the consumer's: 1 or None the legacy one, 2 the per-thread one, else a handle. It waits, on the device, for\n"
                "the work on the array; with -1 nothing does. Where the memory is the CPU's to the consumer, the host waits. dl_device\n"
                "is where the array is, or (1, 0), to which device memory is copied. BufferError for what DLPack cannot express.") },
    { "__dlpack_device__", array_dlpack_device, METH_NOARGS,
      PyDoc_STR("__dlpack_device__($self, /)\n--\n\n"
                "DLPack's device type and number: 1 memory of the CPU and of the software device, 2 CUDA, 3 pinned, 13 managed.") },
    { NULL, NULL, 0, NULL },
};
