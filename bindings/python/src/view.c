/* Views: indexing, reshaping, transposing. None of them copies, and none waits. */
#include "core.h"

#include <string.h>

PyObject *array_view(PyObject *self, const baton_view_options *options)
{
    struct state *state = state_of(self);
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle = array_handle(state, self), *view;
    if (!handle || error_check(baton_array_view(handle, options, &view, &error), &error))
        return NULL;
    return array_make(state, view, options->dtype ? options->dtype : array_of(self)->dtype);
}

/* ---- indexing */

/* A key taken apart: one start, count and step for each dimension of the array, and the shape of the result. */
struct selection {
    baton_array_info info;
    int32_t dimension;                  /* of the array, the next to be taken */
    int32_t result;                     /* dimensions of the result so far */
    int64_t start[DIMENSIONS], count[DIMENSIONS], step[DIMENSIONS], shape[DIMENSIONS];
};

static int result_extent(struct selection *selection, int64_t extent)
{
    if (selection->result == DIMENSIONS) {
        error_say(BATON_ERR_SHAPE, "the result has more than %d dimensions", DIMENSIONS);
        return -1;
    }
    selection->shape[selection->result++] = extent;
    return 0;
}

static int take_whole(struct selection *selection)
{
    int32_t d = selection->dimension++;
    selection->start[d] = 0;
    selection->count[d] = selection->info.shape[d];
    selection->step[d] = 1;
    return result_extent(selection, selection->count[d]);
}

static int take_slice(struct selection *selection, PyObject *slice)
{
    int32_t d = selection->dimension++;
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step))
        return -1;
    selection->count[d] = PySlice_AdjustIndices((Py_ssize_t)selection->info.shape[d], &start, &stop, step);
    selection->start[d] = selection->count[d] ? start : 0;
    selection->step[d] = selection->count[d] > 1 ? step : 1;
    return result_extent(selection, selection->count[d]);
}

static int take_number(struct selection *selection, PyObject *key)
{
    int32_t d = selection->dimension++;
    int64_t index, extent = selection->info.shape[d];
    if (arguments_int(key, &index))
        return -1;
    if (index < -extent || index >= extent) {
        error_say(BATON_ERR_BOUNDS, "index %lld is outside dimension %d of extent %lld", (long long)index, d, (long long)extent);
        return -1;
    }
    selection->start[d] = index < 0 ? index + extent : index;
    selection->count[d] = selection->step[d] = 1;
    return 0;
}

static int take_ellipsis(struct selection *selection, int32_t left)
{
    for (int32_t i = 0; i < left; i++)
        if (take_whole(selection))
            return -1;
    return 0;
}

static int take(struct selection *selection, PyObject *key, int32_t left)
{
    if (key == Py_None)
        return result_extent(selection, 1);
    if (key == Py_Ellipsis)
        return take_ellipsis(selection, left);
    if (PySlice_Check(key))
        return take_slice(selection, key);
    if (PyIndex_Check(key) && !PyBool_Check(key))
        return take_number(selection, key);
    PyErr_Format(PyExc_TypeError, "an array is indexed by ints, slices, ... and None, not by %R", (PyObject *)Py_TYPE(key));
    return -1;
}

/* Dimensions that neither an int nor a slice of the key names; -1: too many of them. */
static int32_t count_left(PyObject *keys, Py_ssize_t count, int32_t ndim, int *ellipses)
{
    int32_t named = 0;
    *ellipses = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *key = PyTuple_GetItem(keys, i);
        *ellipses += key == Py_Ellipsis;
        named += key != Py_Ellipsis && key != Py_None;
    }
    if (named > ndim || *ellipses > 1) {
        error_say(BATON_ERR_BOUNDS, *ellipses > 1 ? "more than one ... in an index" : "%d indices for %d dimensions", named, ndim);
        return -1;
    }
    return ndim - named;
}

static int take_all(struct selection *selection, PyObject *keys)
{
    int ellipses;
    Py_ssize_t count = PyTuple_Size(keys);
    int32_t left = count_left(keys, count, selection->info.ndim, &ellipses);
    if (left < 0)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (take(selection, PyTuple_GetItem(keys, i), left))
            return -1;
    return ellipses ? 0 : take_ellipsis(selection, left);
}

PyObject *array_index(PyObject *self, PyObject *key)
{
    struct selection selection = { .dimension = 0 };
    PyObject *keys = PyTuple_Check(key) ? Py_NewRef(key) : PyTuple_Pack(1, key);
    if (!keys)
        return NULL;
    int status = array_info(self, &selection.info) || take_all(&selection, keys);
    Py_DECREF(keys);
    if (status)
        return NULL;
    baton_view_options options = { .struct_size = sizeof options, .ndim = selection.info.ndim, .start = selection.start, .count = selection.count,
                                   .step = selection.step, .shape = selection.shape, .shape_ndim = selection.result };
    return array_view(self, &options);
}

PyObject *array_subscript(PyObject *self, PyObject *key)
{
    return array_index(self, key);
}

Py_ssize_t array_length(PyObject *self)
{
    baton_array_info info;
    if (array_info(self, &info))
        return -1;
    if (info.ndim > 0)
        return (Py_ssize_t)info.shape[0];
    PyErr_SetString(PyExc_TypeError, "an array without dimensions has no length");
    return -1;
}

/* ---- other shapes */

/* The arguments as one tuple: f(2, 3) and f((2, 3)) are the same. */
static PyObject *one_tuple(PyObject *args)
{
    if (PyTuple_Size(args) == 1 && !PyIndex_Check(PyTuple_GetItem(args, 0)))
        return Py_NewRef(PyTuple_GetItem(args, 0));
    return Py_NewRef(args);
}

static PyObject *array_reshape(PyObject *self, PyObject *args)
{
    int64_t shape[DIMENSIONS];
    baton_view_options options = { .struct_size = sizeof options, .shape = shape };
    PyObject *tuple = one_tuple(args);
    int status = arguments_shape(tuple, shape, &options.shape_ndim);
    Py_DECREF(tuple);
    return status ? NULL : array_view(self, &options);
}

static int read_permutation(PyObject *args, int32_t ndim, int32_t *permutation)
{
    int64_t axes[DIMENSIONS];
    int32_t count;
    PyObject *tuple = one_tuple(args);
    int status = arguments_shape(tuple, axes, &count);
    Py_DECREF(tuple);
    if (!status && count != ndim) {
        error_say(BATON_ERR_SHAPE, "%d axes for %d dimensions", count, ndim);
        status = -1;
    }
    for (int32_t i = 0; !status && i < ndim; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + ndim : axes[i];
        permutation[i] = axis < 0 || axis >= ndim ? -1 : (int32_t)axis;
    }
    return status;
}

static PyObject *array_transpose(PyObject *self, PyObject *args)
{
    int32_t permutation[DIMENSIONS] = { 0 };
    baton_array_info info;
    if (array_info(self, &info))
        return NULL;
    for (int32_t i = 0; i < info.ndim; i++)
        permutation[i] = info.ndim - 1 - i;
    if (PyTuple_Size(args) > 0 && PyTuple_GetItem(args, 0) != Py_None && read_permutation(args, info.ndim, permutation))
        return NULL;
    baton_view_options options = { .struct_size = sizeof options, .ndim = info.ndim, .permutation = permutation };
    return array_view(self, &options);
}

/* view(): the same; view(dtype): the same bytes as elements of another type. */
static PyObject *array_reinterpret(PyObject *self, PyObject *args)
{
    baton_view_options options = { .struct_size = sizeof options };
    PyObject *dtype = NULL;
    if (!PyArg_ParseTuple(args, "|O:view", &dtype) || (options.dtype = dtype_code(state_of(self), dtype, 0)) < 0)
        return NULL;
    return array_view(self, &options);
}

PyMethodDef array_view_methods[] = {
    { "reshape", array_reshape, METH_VARARGS,
      PyDoc_STR("reshape($self, /, *shape)\n--\n\n"
                "A view with another shape; one extent may be -1. ShapeError when that needs a copy.") },
    { "transpose", array_transpose, METH_VARARGS,
      PyDoc_STR("transpose($self, /, *axes)\n--\n\n"
                "A view with the dimensions in another order, by default reversed.") },
    { "view", array_reinterpret, METH_VARARGS,
      PyDoc_STR("view($self, dtype=None, /)\n--\n\n"
                "A view; with a dtype, of the same bytes as elements of that type.") },
    { NULL, NULL, 0, NULL },
};
