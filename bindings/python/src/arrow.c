/* Arrow's device data in capsules, both ways. */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

static const char schema_name[] = "arrow_schema", array_name[] = "arrow_array", device_name[] = "arrow_device_array";

/* ---- capsules: the structure is freed with its capsule, its contents unless a consumer has moved them out */

static void schema_free(struct arrow_schema *schema)
{
    if (schema && schema->release)
        schema->release(schema);
    free(schema);
}

/* An ArrowDeviceArray begins with its ArrowArray. */
static void array_free(struct arrow_array *array)
{
    if (array && array->release)
        array->release(array);
    free(array);
}

static void schema_end(PyObject *capsule)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    schema_free(PyCapsule_GetPointer(capsule, schema_name));
    PyErr_Restore(type, value, trace);
}

static void array_end(PyObject *capsule)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    array_free(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    PyErr_Restore(type, value, trace);
}

/* Takes both over. */
static PyObject *wrap(struct arrow_schema *schema, struct arrow_array *array, const char *name)
{
    PyObject *first = PyCapsule_New(schema, schema_name, schema_end), *second = PyCapsule_New(array, name, array_end);
    if (first && second)
        return Py_BuildValue("(NN)", first, second);
    if (!first)
        schema_free(schema);
    if (!second)
        array_free(array);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return NULL;
}

/* ---- out */

/* Arrays are given as they are, whatever schema is asked for; other keywords of later versions of the protocol must be None. */
static int read_keywords(PyObject *args, PyObject *keywords)
{
    PyObject *schema, *key, *value;
    Py_ssize_t at = 0;
    if (!PyArg_UnpackTuple(args, "__arrow_c_device_array__", 0, 1, &schema))
        return -1;
    while (keywords && PyDict_Next(keywords, &at, &key, &value))
        if (value != Py_None && PyUnicode_CompareWithASCIIString(key, "requested_schema") != 0) {
            PyErr_Format(PyExc_NotImplementedError, "%R is not known here", key);
            return -1;
        }
    return 0;
}

static int export(PyObject *self, struct arrow_device_array *array, struct arrow_schema *schema)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle = array_handle(state_of(self), self);
    int32_t status;
    if (!handle)
        return -1;
    UNLOCKED(status = baton_arrow_export(handle, array, schema, &error));
    return exchange_check(status, &error);
}

static PyObject *give(PyObject *self, const char *name)
{
    struct arrow_schema *schema = calloc(1, sizeof *schema);
    struct arrow_device_array *array = calloc(1, sizeof *array);
    if (!schema || !array)
        PyErr_NoMemory();
    else if (!export(self, array, schema))
        return wrap(schema, &array->array, name);
    free(array);
    free(schema);
    return NULL;
}

static PyObject *array_arrow_device(PyObject *self, PyObject *args, PyObject *keywords)
{
    return read_keywords(args, keywords) ? NULL : give(self, device_name);
}

/* For the CPU: the export has waited for the work. */
static PyObject *array_arrow(PyObject *self, PyObject *args, PyObject *keywords)
{
    int32_t type, id;
    if (read_keywords(args, keywords) || exchange_place(self, &type, &id))
        return NULL;
    if (type != PLACE_CPU)
        return PyErr_Format(PyExc_BufferError, "the array is not in memory of the CPU: __arrow_c_device_array__ gives it");
    return give(self, array_name);
}

PyMethodDef array_arrow_methods[] = {
    { "__arrow_c_device_array__", METHOD(array_arrow_device), METH_VARARGS | METH_KEYWORDS,
      PyDoc_STR("__arrow_c_device_array__($self, /, requested_schema=None, **kwargs)\n--\n\n"
                "Capsules with an ArrowSchema and an ArrowDeviceArray: 1-D arrays as primitive arrays, 2-D ones as lists of a fixed size.\n"
                "\n"
                "The consumer waits for the sync_event, on its stream. Until it releases the data, writes wait for it on the host.") },
    { "__arrow_c_array__", METHOD(array_arrow), METH_VARARGS | METH_KEYWORDS,
      PyDoc_STR("__arrow_c_array__($self, /, requested_schema=None, **kwargs)\n--\n\n"
                "The same for the CPU, with an ArrowArray: for memory of the software device. BufferError for other memory.") },
    { NULL, NULL, 0, NULL },
};

/* ---- in */

/* Only memory of devices has an event, which the task's stream waits for. */
static int choose_stream(struct state *state, PyObject *wanted, const struct arrow_device_array *from, PyObject **stream)
{
    int64_t device = from->device_type == PLACE_CUDA ? from->device_id : 0;
    *stream = NULL;
    if (exchange_reachable(state, from->device_type))
        return -1;
    if (from->device_type == PLACE_CPU)
        return 0;
    if (device < 0 || device > INT32_MAX) {
        PyErr_Format(PyExc_BufferError, "there is no device %lld", (long long)device);
        return -1;
    }
    *stream = stream_choose(state, wanted, (int32_t)device);
    return *stream ? 0 : -1;
}

static PyObject *take(struct state *state, struct arrow_device_array *from, const struct arrow_schema *schema, PyObject *wanted)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle;
    PyObject *stream;
    int32_t status;
    if (choose_stream(state, wanted, from, &stream))
        return NULL;
    baton_stream *on = stream ? stream_of(stream)->handle : NULL;
    UNLOCKED(status = baton_arrow_import(state->runtime, from, schema, on, &handle, &error));
    Py_XDECREF(stream);
    return exchange_check(status, &error) ? NULL : exchange_array(state, handle);
}

/* Consumers move an array by a copy of its struct. What lies in reserved members says nothing: PyArrow leaves them as they were. */
static PyObject *take_device(struct state *state, struct arrow_device_array *array, const struct arrow_schema *schema, PyObject *wanted)
{
    struct arrow_device_array from = *array;
    memset(from.reserved, 0, sizeof from.reserved);
    PyObject *taken = take(state, &from, schema, wanted);
    array->array.release = from.array.release;  /* NULL once it has moved */
    return taken;
}

static PyObject *take_plain(struct state *state, struct arrow_array *array, const struct arrow_schema *schema, PyObject *wanted)
{
    struct arrow_device_array from = { .array = *array, .device_id = -1, .device_type = PLACE_CPU };
    PyObject *taken = take(state, &from, schema, wanted);
    array->release = from.array.release;
    return taken;
}

static PyObject *take_pair(struct state *state, PyObject *pair, PyObject *wanted)
{
    PyObject *first = PyTuple_Check(pair) && PyTuple_Size(pair) == 2 ? PyTuple_GetItem(pair, 0) : NULL;
    PyObject *second = first ? PyTuple_GetItem(pair, 1) : NULL;
    if (!first || !PyCapsule_IsValid(first, schema_name))
        return PyErr_Format(PyExc_BufferError, "Arrow data are a capsule with a schema and one with an array");
    const struct arrow_schema *schema = PyCapsule_GetPointer(first, schema_name);
    if (PyCapsule_IsValid(second, device_name))
        return take_device(state, PyCapsule_GetPointer(second, device_name), schema, wanted);
    if (PyCapsule_IsValid(second, array_name))
        return take_plain(state, PyCapsule_GetPointer(second, array_name), schema, wanted);
    return PyErr_Format(PyExc_BufferError, "Arrow data are a capsule with a schema and one with an array");
}

/* What the first of the methods that the object has gives; NULL: TypeError, or its exception. */
static PyObject *ask(PyObject *producer)
{
    static const char *const names[] = { "__arrow_c_device_array__", "__arrow_c_array__" };
    for (int i = 0; i < 2; i++) {
        PyObject *method = PyObject_GetAttrString(producer, names[i]), *pair;
        if (method) {
            pair = PyObject_CallNoArgs(method);
            Py_DECREF(method);
            return pair;
        }
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
    }
    return PyErr_Format(PyExc_TypeError, "%R has no %s", (PyObject *)Py_TYPE(producer), names[0]);
}

/* _from_arrow(producer, stream) */
static PyObject *from_arrow(PyObject *module, PyObject *args)
{
    struct state *state = module_state(module);
    PyObject *producer, *stream;
    if (!PyArg_ParseTuple(args, "OO:_from_arrow", &producer, &stream) || !runtime_get(state))
        return NULL;
    PyObject *pair = ask(producer), *array = pair ? take_pair(state, pair, stream) : NULL;
    Py_XDECREF(pair);
    return array;
}

PyMethodDef arrow_methods[] = {
    { "_from_arrow", from_arrow, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
