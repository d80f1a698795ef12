/* Arguments of vector-called functions, without tuples and dictionaries. */
#include "core.h"

static int find_name(const char *const *names, PyObject *name)
{
    for (int i = 0; names[i]; i++)
        if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0)
            return i;
    return -1;
}

static int read_keywords(const char *function, const char *const *names, PyObject *const *args, PyObject *keywords, PyObject **values)
{
    Py_ssize_t count = PyTuple_Size(keywords);
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *name = PyTuple_GetItem(keywords, k);
        int i = find_name(names, name);
        if (i < 0 || values[i]) {
            PyErr_Format(PyExc_TypeError, i < 0 ? "%s() got an unexpected argument '%U'" : "%s() got two values for '%U'", function, name);
            return -1;
        }
        values[i] = args[k];
    }
    return 0;
}

int arguments_read(const char *function, const char *const *names, int required, int positional, PyObject *const *args,
                   Py_ssize_t count, PyObject *keywords, PyObject **values)
{
    Py_ssize_t given = count < positional ? count : positional;
    for (Py_ssize_t i = 0; names[i]; i++)
        values[i] = i < given ? args[i] : NULL;
    if (count > positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)", function, positional, count);
        return -1;
    }
    if (keywords && read_keywords(function, names, args + count, keywords, values))
        return -1;
    for (Py_ssize_t i = keywords ? 0 : given; i < required; i++) {
        if (!values[i]) {
            PyErr_Format(PyExc_TypeError, "%s() is missing '%s'", function, names[i]);
            return -1;
        }
    }
    return 0;
}

int arguments_int(PyObject *object, int64_t *value)
{
    PyObject *index = PyLong_CheckExact(object) ? Py_NewRef(object) : PyNumber_Index(object);
    if (!index)
        return -1;
    long long read = PyLong_AsLongLong(index);
    Py_DECREF(index);
    if (read == -1 && PyErr_Occurred())
        return -1;
    *value = read;
    return 0;
}

int arguments_int32(PyObject *object, int32_t fallback, int32_t *value)
{
    int64_t read = fallback;
    if (object && object != Py_None && arguments_int(object, &read))
        return -1;
    if (read < INT32_MIN || read > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%lld does not fit 32 bits", (long long)read);
        return -1;
    }
    *value = (int32_t)read;
    return 0;
}

int arguments_device(PyObject *object, int32_t *device)
{
    if (arguments_int32(object, -1, device))
        return -1;
    if (*device < 0 && object && object != Py_None) {
        error_say(BATON_ERR_DEVICE, "there is no device %d", *device);
        return -1;
    }
    return 0;
}

static int read_extents(PyObject *sequence, int64_t *shape, int32_t *ndim)
{
    Py_ssize_t count = PyTuple_Size(sequence);
    if (count > DIMENSIONS) {
        error_say(BATON_ERR_SHAPE, "%zd dimensions (at most %d)", count, DIMENSIONS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (arguments_int(PyTuple_GetItem(sequence, i), &shape[i]))
            return -1;
    *ndim = (int32_t)count;
    return 0;
}

int arguments_shape(PyObject *object, int64_t *shape, int32_t *ndim)
{
    if (PyTuple_CheckExact(object))
        return read_extents(object, shape, ndim);
    if (PyIndex_Check(object)) {
        *ndim = 1;
        return arguments_int(object, shape);
    }
    PyObject *tuple = PySequence_Tuple(object);
    if (!tuple)
        return -1;
    int status = read_extents(tuple, shape, ndim);
    Py_DECREF(tuple);
    return status;
}

int arguments_timeout(PyObject *object, int64_t *nanoseconds)
{
    *nanoseconds = BATON_UNLIMITED;
    if (!object || object == Py_None)
        return 0;
    double seconds = PyFloat_AsDouble(object);
    if (seconds == -1 && PyErr_Occurred())
        return -1;
    if (!(seconds >= 0)) {
        PyErr_SetString(PyExc_ValueError, "a timeout is a number of seconds, zero or more, or None");
        return -1;
    }
    *nanoseconds = seconds < 9e9 ? (int64_t)(seconds * 1e9) : BATON_UNLIMITED;
    return 0;
}

int arguments_access(PyObject *object, uint32_t *access)
{
    static const struct {
        const char *name;
        uint32_t access;
    } names[] = { { "r", BATON_READ }, { "w", BATON_WRITE }, { "rw", BATON_READ_WRITE } };
    *access = BATON_READ_WRITE;
    if (!object || object == Py_None)
        return 0;
    for (int i = 0; i < 3; i++) {
        if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, names[i].name) == 0) {
            *access = names[i].access;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "an access is 'r', 'w' or 'rw', not %R", object);
    return -1;
}

PyObject *tuple_of(const int64_t *values, int32_t count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int32_t i = 0; tuple && i < count; i++) {
        PyObject *value = PyLong_FromLongLong(values[i]);
        if (!value || PyTuple_SetItem(tuple, i, value))
            Py_CLEAR(tuple);
    }
    return tuple;
}
