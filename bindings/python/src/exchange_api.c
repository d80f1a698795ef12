/* DLPack's exchange between C functions: type(x).__dlpack_c_exchange_api__. The table has no context, so a function without an object finds the module through the
 * interpreter that calls it. Nothing here waits on the host for device memory: the consumer works on the current stream, which is made to wait. */
#include "exchange.h"

#include <string.h>

static const char capsule_name[] = "dlpack_exchange_api";

/* Device memory is used on the task's stream for its device; what the CPU may touch has none. Managed memory does not say its device. */
static int stream_of_place(struct state *state, int32_t type, int32_t id, PyObject **stream)
{
    *stream = NULL;
    if (exchange_reachable(state, type))
        return -1;
    if (type != PLACE_CUDA && type != PLACE_CUDA_MANAGED)
        return 0;
    *stream = task_stream(state, type == PLACE_CUDA ? id : 0);
    return *stream ? 0 : -1;
}

/* ---- given to others */

static int give(struct state *state, PyObject *array, struct dlpack_managed **out)
{
    baton_dlpack_options options = { .struct_size = sizeof options };
    int32_t type, id;
    PyObject *stream;
    if (exchange_place(array, &type, &id) || stream_of_place(state, type, id, &stream))
        return -1;
    options.stream = stream ? stream_of(stream)->handle : NULL;
    struct dlpack_managed *managed = exchange_give(array, &options);
    Py_XDECREF(stream);
    if (!managed)
        return -1;
    *out = managed;
    return 0;
}

static int api_from_object(void *object, struct dlpack_managed **out)
{
    if (array_check(object))
        return give(state_of(object), object, out);
    PyErr_Format(PyExc_TypeError, "a baton.Array is needed, not %R", (PyObject *)Py_TYPE((PyObject *)object));
    return -1;
}

static int current_stream(struct state *state, int32_t type, int32_t id, void **native)
{
    PyObject *stream;
    uint64_t number = 0;
    if (stream_of_place(state, type, id, &stream))
        return -1;
    int status = stream ? exchange_number(stream, &number) : 0;
    Py_XDECREF(stream);
    if (!status)
        *native = (void *)(uintptr_t)number;
    return status;
}

static int api_current_stream(int type, int32_t id, void **native)
{
    PyObject *module = module_here();
    int status = module ? current_stream(module_state(module), type, id, native) : -1;
    Py_XDECREF(module);
    return status;
}

/* ---- taken from others */

static PyObject *take(struct state *state, struct dlpack_managed *managed)
{
    PyObject *stream = NULL;
    int usable = runtime_get(state) && (managed->major != DLPACK_MAJOR ||
                                        !stream_of_place(state, managed->tensor.device_type, managed->tensor.device_id, &stream));
    if (!usable) {
        exchange_delete(managed);
        return NULL;
    }
    PyObject *array = exchange_take(state, managed, stream ? stream_of(stream)->handle : NULL);
    Py_XDECREF(stream);
    return array;
}

static int api_to_object(struct dlpack_managed *managed, void **object)
{
    PyObject *module = module_here(), *array = module ? take(module_state(module), managed) : NULL;
    if (!module)
        exchange_delete(managed);
    Py_XDECREF(module);
    if (!array)
        return -1;
    *object = array;
    return 0;
}

/* ---- new memory for others */

static int32_t dtype_of_tensor(const struct dlpack_tensor *tensor)
{
    static const struct { uint8_t code, bits; int32_t dtype; } rows[] = {
        { 0, 8, BATON_I8 },   { 0, 16, BATON_I16 }, { 0, 32, BATON_I32 }, { 0, 64, BATON_I64 },  { 1, 8, BATON_U8 },
        { 1, 16, BATON_U16 }, { 1, 32, BATON_U32 }, { 1, 64, BATON_U64 }, { 2, 16, BATON_F16 },  { 2, 32, BATON_F32 },
        { 2, 64, BATON_F64 }, { 4, 16, BATON_BF16 }, { 5, 64, BATON_C64 }, { 5, 128, BATON_C128 }, { 6, 8, BATON_BOOL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == tensor->code && rows[i].bits == tensor->bits && tensor->lanes == 1)
            return rows[i].dtype;
    return 0;
}

/* On the software device, memory of the CPU is the device's own. */
static int32_t kind_of_tensor(struct state *state, const struct dlpack_tensor *tensor)
{
    int32_t type = tensor->device_type;
    if (exchange_reachable(state, type))
        return 0;
    if (type == PLACE_CUDA || (type == PLACE_CPU && exchange_is_soft(state) > 0))
        return BATON_DEVICE;
    if (type == PLACE_CUDA_HOST || type == PLACE_CUDA_MANAGED)
        return type == PLACE_CUDA_HOST ? BATON_HOST : BATON_UNIFIED;
    PyErr_SetString(PyExc_BufferError, "memory of the CPU is pinned here: ask for DLPack's device type 3");
    return 0;
}

static PyObject *create(struct state *state, const struct dlpack_tensor *tensor)
{
    baton_array_options options = { .struct_size = sizeof options, .dtype = dtype_of_tensor(tensor), .kind = kind_of_tensor(state, tensor), .ndim = tensor->ndim,
                                    .shape = tensor->shape };
    if (!options.kind)
        return NULL;
    if (!options.dtype)
        return PyErr_Format(PyExc_BufferError, "no element type for DLPack's code %d with %d bits and %d lanes", tensor->code, tensor->bits, tensor->lanes);
    PyObject *stream = task_stream(state, tensor->device_type == PLACE_CUDA ? tensor->device_id : 0);
    if (!stream)
        return NULL;
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle;
    options.stream = stream_of(stream)->handle;
    options.device = stream_of(stream)->device;
    int status = exchange_check(runtime_create(state, &options, &handle, &error), &error);
    Py_DECREF(stream);
    return status ? NULL : array_make(state, handle, options.dtype);
}

static int allocate(struct dlpack_tensor *prototype, struct dlpack_managed **out)
{
    PyObject *module = module_here(), *array = module ? create(module_state(module), prototype) : NULL;
    int status = array ? give(module_state(module), array, out) : -1;
    Py_XDECREF(array);
    Py_XDECREF(module);
    return status;
}

/* The exception that is set goes to the caller's function instead. */
static void hand_on(void *context, dlpack_report report)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *name = PyObject_GetAttrString(type, "__name__"), *text = PyObject_Str(value);
    const char *kind = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL, *message = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyErr_Clear();
    report(context, kind ? kind : "RuntimeError", message ? message : "the array could not be made");
    Py_XDECREF(text);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* Callers need not hold the interpreter's lock. */
static int api_allocate(struct dlpack_tensor *prototype, struct dlpack_managed **out, void *context, dlpack_report report)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    int status = allocate(prototype, out);
    if (status)
        hand_on(context, report);
    PyGILState_Release(lock);
    return status;
}

/* Borrowing is left out: the library must know when a consumer is done. */
static const struct dlpack_api table = {
    .header = { .major = DLPACK_MAJOR, .minor = DLPACK_MINOR },
    .allocate = api_allocate,
    .from_object = api_from_object,
    .to_object = api_to_object,
    .current_stream = api_current_stream,
};

int exchange_exec(PyObject *module)
{
    PyObject *capsule = PyCapsule_New((void *)(uintptr_t)&table, capsule_name, NULL);
    int status = capsule ? PyObject_SetAttrString(module_state(module)->types[TYPE_ARRAY], "__dlpack_c_exchange_api__", capsule) : -1;
    Py_XDECREF(capsule);
    return status;
}

/* ---- tables of others */

/* The pointer in a capsule, or, as it was before DLPack 1.3, in an int; NULL: neither. */
static const struct dlpack_api_header *header_in(PyObject *value)
{
    if (PyCapsule_IsValid(value, capsule_name))
        return PyCapsule_GetPointer(value, capsule_name);
    long long address = PyLong_CheckExact(value) ? PyLong_AsLongLong(value) : 0;
    PyErr_Clear();
    return address > 0 && address % (long long)sizeof(void *) == 0 ? (const void *)(intptr_t)address : NULL;
}

static const struct dlpack_api *usable(const struct dlpack_api_header *header)
{
    for (int i = 0; header && header->major != DLPACK_MAJOR && i < 16; i++)
        header = header->older;
    const struct dlpack_api *api = (const struct dlpack_api *)header;
    return api && header->major == DLPACK_MAJOR && api->from_object && api->current_stream ? api : NULL;
}

const struct dlpack_api *exchange_table(PyObject *object)
{
    static const char *const names[] = { "__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__" };
    const struct dlpack_api *found = NULL;
    for (int i = 0; i < 2 && !found; i++) {
        PyObject *value = PyObject_GetAttrString((PyObject *)Py_TYPE(object), names[i]);
        if (!value && !PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
        found = value ? usable(header_in(value)) : NULL;
        Py_XDECREF(value);
    }
    return found;
}

/* The stream on which the producer works now is the memory's last user. */
static int producer_stream(struct state *state, const struct dlpack_api *api, const struct dlpack_tensor *tensor, baton_stream **stream)
{
    void *native = NULL;
    *stream = NULL;
    if (exchange_reachable(state, tensor->device_type))
        return -1;
    if (tensor->device_type != PLACE_CUDA && tensor->device_type != PLACE_CUDA_MANAGED)
        return 0;
    if (api->current_stream(tensor->device_type, tensor->device_id, &native)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_BufferError, "the producer does not tell its current stream");
        return -1;
    }
    return exchange_stream(state, tensor->device_type == PLACE_CUDA ? tensor->device_id : 0, (uint64_t)(uintptr_t)native, stream);
}

/* A tensor whose changes are to be followed for gradients: PyTorch's method refuses to share one, its functions do not. */
static int refuse_gradient(PyObject *producer)
{
    PyObject *value = PyObject_GetAttrString(producer, "requires_grad");
    if (!value && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    int wanted = value ? PyObject_IsTrue(value) : 0;
    Py_XDECREF(value);
    if (wanted > 0)
        PyErr_SetString(PyExc_BufferError, "a tensor that requires a gradient is not shared: detach() it first");
    return wanted ? -1 : 0;
}

PyObject *exchange_import(struct state *state, const struct dlpack_api *api, PyObject *producer)
{
    struct dlpack_managed *managed = NULL;
    baton_stream *stream = NULL;
    if (refuse_gradient(producer))
        return NULL;
    int status = api->from_object(producer, &managed);
    if ((status || !managed) && !PyErr_Occurred())
        PyErr_SetString(PyExc_BufferError, "the producer gave no tensor");
    if (status || !managed)
        return NULL;
    if (managed->major == DLPACK_MAJOR && producer_stream(state, api, &managed->tensor, &stream)) {
        exchange_delete(managed);
        return NULL;
    }
    PyObject *array = exchange_take(state, managed, stream);
    if (stream)
        baton_stream_release(stream);
    return array;
}
