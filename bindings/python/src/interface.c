/* __cuda_array_interface__, both ways. Its dict is read in baton/_exchange.py. */
#include "exchange.h"

#include <string.h>

/* ---- out */

static PyObject *no_attribute(const char *why)
{
    return PyErr_Format(PyExc_AttributeError, "no __cuda_array_interface__: %s", why);
}

static PyObject *describe(const baton_interface_info *info)
{
    PyObject *shape = tuple_of(info->shape, info->ndim);
    PyObject *strides = info->contiguous ? Py_NewRef(Py_None) : tuple_of(info->strides, info->ndim);
    if (shape && strides)
        return Py_BuildValue("{s:N,s:s,s:(KO),s:i,s:N,s:K}", "shape", shape, "typestr", info->typestr, "data", (unsigned long long)info->address,
                             info->read_only ? Py_True : Py_False, "version", 3, "strides", strides, "stream", (unsigned long long)info->stream);
    Py_XDECREF(strides);
    Py_XDECREF(shape);
    return NULL;
}

/* Where there is none, hasattr() must say so. */
PyObject *array_interface(PyObject *self, void *closure)
{
    baton_interface_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    int32_t type, id, status;
    (void)closure;
    if (exchange_place(self, &type, &id))
        return NULL;
    if (type == PLACE_CPU)
        return no_attribute("memory of the CPU, as the software device's, is no CUDA array");
    if (array_of(self)->dtype == BATON_BF16)
        return no_attribute("it has no name for bfloat16");
    UNLOCKED(status = baton_interface_export(array_of(self)->handle, &info, &error));
    return error_check(status, &error) ? NULL : describe(&info);
}

/* ---- in */

static int read_extents(PyObject *tuple, int32_t ndim, int64_t *values)
{
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != ndim) {
        PyErr_SetString(PyExc_BufferError, "shape and strides are tuples of one length");
        return -1;
    }
    for (int32_t i = 0; i < ndim; i++)
        if (arguments_int(PyTuple_GetItem(tuple, i), &values[i]))
            return -1;
    return 0;
}

static int read_layout(PyObject *shape, PyObject *strides, baton_interface_info *info)
{
    Py_ssize_t ndim = PyTuple_Check(shape) ? PyTuple_Size(shape) : -1;
    if (ndim > DIMENSIONS) {
        PyErr_Format(PyExc_BufferError, "%zd dimensions: arrays have %d at most", ndim, DIMENSIONS);
        return -1;
    }
    info->ndim = (int32_t)ndim;
    info->contiguous = strides == Py_None;
    return read_extents(shape, info->ndim, info->shape) || (!info->contiguous && read_extents(strides, info->ndim, info->strides)) ? -1 : 0;
}

static PyObject *import(struct state *state, const baton_interface_info *info, PyObject *producer)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle;
    int32_t status;
    struct owner *owner = owner_keep(state->attic, producer);
    if (!owner)
        return NULL;
    UNLOCKED(status = baton_interface_import(state->runtime, info, owner_let_go, owner, &handle, &error));
    if (status < 0)
        owner_let_go(owner, 0);
    owner_flush(state->attic);
    return exchange_check(status, &error) ? NULL : exchange_array(state, handle);
}

/* _interface_import(producer, address, readonly, typestr, shape, strides, stream) */
static PyObject *interface_import(PyObject *module, PyObject *args)
{
    struct state *state = module_state(module);
    baton_interface_info info = { .struct_size = sizeof info };
    PyObject *producer, *shape, *strides;
    const char *typestr;
    unsigned long long address, stream;
    int readonly;
    if (!PyArg_ParseTuple(args, "OKpsOOK:_interface_import", &producer, &address, &readonly, &typestr, &shape, &strides, &stream) ||
        read_layout(shape, strides, &info) || !runtime_get(state))
        return NULL;
    if (strlen(typestr) >= sizeof info.typestr)
        return PyErr_Format(PyExc_BufferError, "no element type for '%.40s'", typestr);
    memcpy(info.typestr, typestr, strlen(typestr) + 1);
    info.address = address;
    info.read_only = readonly;
    info.stream = stream;
    return import(state, &info, producer);
}

PyMethodDef interface_methods[] = {
    { "_interface_import", interface_import, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
