/* Kernels, their signatures and their launches. */
#ifndef BATON_PYTHON_KERNEL_H
#define BATON_PYTHON_KERNEL_H

#include "core.h"

/* What a signature says of one parameter: minus an access for an array, a dtype's code for a number, RAW plus bytes for a struct; 0: nothing. */
enum { PARAMETER_RAW = 1000 };

/* Holds no object that could refer back to it, so the collector need not know of it. */
struct kernel {
    object_vectorcall call;
    baton_kernel *handle;
    PyObject *weakrefs;
    PyObject *name;
    int32_t device;
    int32_t count;              /* -1: no signature */
    int32_t *parameters;
};

/* An array with the access that a launch makes of it. */
struct mark {
    PyObject *array;
    uint32_t access;
};

/* A kernel with its grid, blocks and stream: called with the arguments. */
struct launch {
    object_vectorcall call;
    PyObject *weakrefs;
    PyObject *kernel;
    PyObject *stream;           /* NULL: the task's current one at each call */
    baton_launch_options options;
};

static inline struct kernel *kernel_of(PyObject *object)
{
    return object_data(object);
}

PyObject *kernel_make(struct state *state, baton_kernel *handle, const char *name, int32_t device, PyObject *signature);
PyObject *module_make(struct state *state, baton_module *handle, int32_t device);
PyObject *module_compile(PyObject *module, PyObject *args);

/* The settings of a launch; NULL where none is given. */
enum { GRID, BLOCK, STREAM, SHARED, CLUSTER, COOPERATIVE, SETTINGS };

PyObject *kernel_configure(PyObject *kernel, PyObject *const *settings);
PyObject *kernel_vectorcall(PyObject *kernel, PyObject *const *args, size_t flags, PyObject *keywords);

#endif
