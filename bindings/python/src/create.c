/* New arrays. */
#include "core.h"

#include <string.h>

static int kind_of(PyObject *object, int32_t *kind)
{
    static const char *const names[] = { "device", "host", "unified" };
    *kind = BATON_DEVICE;
    if (!object || object == Py_None)
        return 0;
    for (int i = 0; i < 3; i++) {
        if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
            *kind = BATON_DEVICE + i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "a kind is 'device', 'host' or 'unified', not %R", object);
    return -1;
}

static PyObject *create(struct state *state, baton_array_options *options)
{
    baton_error error;
    baton_array *handle;
    error_begin(&error);
    if (error_check(runtime_create(state, options, &handle, &error), &error))
        return NULL;
    return array_make(state, handle, options->dtype);
}

PyObject *array_create(struct state *state, int32_t dtype, int32_t ndim, const int64_t *shape, baton_stream *stream)
{
    int32_t device;
    if (!runtime_get(state) || baton_stream_device(stream, &device, NULL))
        return NULL;
    baton_array_options options = { .struct_size = sizeof options, .device = device, .dtype = dtype, .ndim = ndim, .shape = shape, .stream = stream };
    return create(state, &options);
}

/* The stream belongs to the device that was named, or names it. */
static PyObject *create_with(struct state *state, baton_array_options *options, PyObject *stream, PyObject *device)
{
    int32_t number;
    if (!runtime_get(state) || arguments_device(device, &number))
        return NULL;
    PyObject *chosen = stream_choose(state, stream, number), *made = NULL;
    if (!chosen)
        return NULL;
    options->stream = stream_of(chosen)->handle;
    options->device = stream_of(chosen)->device;
    if (number >= 0 && number != options->device)
        error_say(BATON_ERR_DEVICE, "the stream belongs to device %d and not to device %d", options->device, number);
    else
        made = create(state, options);
    Py_DECREF(chosen);
    return made;
}

/* empty(shape, dtype='float64', *, device=None, stream=None, kind='device') */
static PyObject *array_empty(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "shape", "dtype", "device", "stream", "kind", NULL };
    struct state *state = module_state(module);
    int64_t shape[DIMENSIONS];
    PyObject *values[5];
    baton_array_options options = { .struct_size = sizeof options, .shape = shape };
    if (arguments_read("empty", names, 1, 2, args, count, keywords, values) || arguments_shape(values[0], shape, &options.ndim) ||
        (options.dtype = dtype_code(state, values[1], BATON_F64)) < 0 || kind_of(values[4], &options.kind))
        return NULL;
    return create_with(state, &options, values[3], values[2]);
}

/* Whether two arrays are the same elements in the same order. */
static PyObject *same_elements(PyObject *module, PyObject *args)
{
    baton_array_info a, b;
    PyObject *left, *right;
    struct state *state = module_state(module);
    if (!PyArg_ParseTuple(args, "OO:_same_elements", &left, &right) || !array_handle(state, left) || !array_handle(state, right) ||
        array_info(left, &a) || array_info(right, &b))
        return NULL;
    size_t bytes = (size_t)a.ndim * sizeof *a.shape;
    return PyBool_FromLong(a.memory_id == b.memory_id && a.offset_bytes == b.offset_bytes && a.dtype == b.dtype && a.ndim == b.ndim &&
                           memcmp(a.shape, b.shape, bytes) == 0 && memcmp(a.strides, b.strides, bytes) == 0);
}

PyMethodDef array_create_methods[] = {
    { "_same_elements", same_elements, METH_VARARGS, NULL },
    { "empty", METHOD(array_empty), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("empty(shape, dtype='float64', *, device=None, stream=None, kind='device')\n--\n\n"
                "An array with undefined contents.\n"
                "\n"
                "shape is an int or a tuple. kind is 'device', 'host' (pinned) or 'unified'. The first owner is "
                "the stream, by default\n"
                "the current one of the device. When memory is short, garbage is collected before "
                "OutOfMemoryError is raised.") },
    { NULL, NULL, 0, NULL },
};
