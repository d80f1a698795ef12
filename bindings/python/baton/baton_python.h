/* Baton for extensions in C and C++: takes a baton_array * out of a Python object, makes a Python object of one, and
 * gets the stream of the running task, without linking to the package.
 *
 *     #include <baton_python.h>
 *
 *     const baton_python_api *api = baton_python_import();            // NULL: an exception is set
 *     baton_array *array = baton_python_array_get(api, object);     // a new reference, or NULL and an exception
 *     ...
 *     baton_array_release(array);
 *
 * baton.get_include() names the folder of this file, and pkg-config finds baton.h. Every function needs the
 * interpreter's lock (the GIL, or an attached thread state); release it around calls marked DRIVER or BLOCKS in
 * baton_ffi.h. The table lives as long as the interpreter and can be cached per module. */
#ifndef BATON_PYTHON_H
#define BATON_PYTHON_H

#include <Python.h>

#include <baton.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BATON_PYTHON_VERSION 1
#define BATON_PYTHON_CAPSULE "baton._C_API"

/* version changes when a member changes its meaning; members are only added, at the end, and size tells how many there are. */
typedef struct baton_python_api {
    uint32_t version;
    uint32_t size;                                              /* bytes of the table */
    void *context;                                              /* the interpreter's; passed by the functions below */
    int (*array_check_)(void *context, PyObject *object);
    baton_array *(*array_get_)(void *context, PyObject *object);
    PyObject *(*array_new_)(void *context, baton_array *array);
    baton_stream *(*stream_get_)(void *context, PyObject *object, int32_t device);
    baton_runtime *(*runtime_get_)(void *context);
    PyObject *(*error_raise_)(void *context, const baton_error *error);
} baton_python_api;

/* The table, or NULL with ImportError. */
static inline const baton_python_api *baton_python_import(void)
{
    const baton_python_api *api = (const baton_python_api *)PyCapsule_Import(BATON_PYTHON_CAPSULE, 0);
    if (api && (api->version != BATON_PYTHON_VERSION || api->size < sizeof *api)) {
        PyErr_Format(PyExc_ImportError, "baton's interface has version %u and %u bytes; this module was built for version %u and %u bytes",
                     (unsigned)api->version, (unsigned)api->size, (unsigned)BATON_PYTHON_VERSION, (unsigned)sizeof *api);
        return NULL;
    }
    return api;
}

/* Whether the object is a baton.Array. Never fails. */
static inline int baton_python_array_check(const baton_python_api *api, PyObject *object)
{
    return api->array_check_(api->context, object);
}

/* The array of a baton.Array: a new reference. NULL: TypeError, or the array is closed. */
static inline baton_array *baton_python_array_get(const baton_python_api *api, PyObject *object)
{
    return api->array_get_(api->context, object);
}

/* A new baton.Array that takes over the reference, also when it fails (NULL). */
static inline PyObject *baton_python_array_new(const baton_python_api *api, baton_array *array)
{
    return api->array_new_(api->context, array);
}

/* A stream: of a baton.Stream, of an object with __cuda_stream__, or (None or NULL) the running task's current one on the
 * device (-1: any). A new reference, or NULL with an exception. */
static inline baton_stream *baton_python_stream_get(const baton_python_api *api, PyObject *object, int32_t device)
{
    return api->stream_get_(api->context, object, device);
}

/* The interpreter's runtime, opened if it was not; borrowed. NULL: exception. */
static inline baton_runtime *baton_python_runtime_get(const baton_python_api *api)
{
    return api->runtime_get_(api->context);
}

/* Sets the exception that fits the record of a failed call. Always NULL. */
static inline PyObject *baton_python_error_raise(const baton_python_api *api, const baton_error *error)
{
    return api->error_raise_(api->context, error);
}

#ifdef __cplusplus
}
#endif
#endif
