/* The capsule baton._C_API: the functions behind baton_python.h. */
#include "core.h"

static int api_array_check(void *context, PyObject *object)
{
    return object_is(context, object, TYPE_ARRAY);
}

static baton_array *api_array_get(void *context, PyObject *object)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle = array_handle(context, object);
    return handle && !error_check(baton_array_retain(handle), &error) ? handle : NULL;
}

static PyObject *api_array_new(void *context, baton_array *array)
{
    baton_array_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    if (error_check(baton_array_info_read(array, &info, &error), &error)) {
        baton_array_release(array);
        return NULL;
    }
    return array_make(context, array, info.dtype);
}

static baton_stream *api_stream_get(void *context, PyObject *object, int32_t device)
{
    baton_error error = BATON_ERROR_INIT;
    PyObject *stream = stream_choose(context, object, device);
    if (!stream)
        return NULL;
    baton_stream *handle = stream_of(stream)->handle;
    int status = error_check(baton_stream_retain(handle), &error);
    Py_DECREF(stream);
    return status ? NULL : handle;
}

static baton_runtime *api_runtime_get(void *context)
{
    return runtime_get(context);
}

static PyObject *api_error_raise(void *context, const baton_error *error)
{
    (void)context;
    return error_raise(error);
}

int capi_exec(PyObject *module)
{
    struct state *state = module_state(module);
    state->api = (baton_python_api) {
        .version = BATON_PYTHON_VERSION,   .size = sizeof state->api,     .context = state,
        .array_check_ = api_array_check,   .array_get_ = api_array_get,   .array_new_ = api_array_new,
        .stream_get_ = api_stream_get,     .runtime_get_ = api_runtime_get, .error_raise_ = api_error_raise,
    };
    PyObject *capsule = PyCapsule_New(&state->api, BATON_PYTHON_CAPSULE, NULL);
    int status = capsule ? PyModule_AddObjectRef(module, "_C_API", capsule) : -1;
    Py_XDECREF(capsule);
    return status;
}
