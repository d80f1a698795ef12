/* An extension that knows Baton only by baton_python.h. */
#include <baton_python.h>

/* api is found once per module; the test has one interpreter. */
static const baton_python_api *api;

/* twice(array): fills a new array with two times its number of elements, on the current stream. */
static PyObject *twice(PyObject *module, PyObject *object)
{
    baton_array_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    baton_array *array = baton_python_array_get(api, object), *made = NULL;
    int32_t status;
    (void)module;
    if (!array)
        return NULL;
    baton_stream *stream = baton_python_stream_get(api, NULL, -1);
    if (!stream) {
        baton_array_release(array);
        return NULL;
    }
    baton_runtime *runtime = baton_python_runtime_get(api);
    baton_array_info_read(array, &info, NULL);
    int32_t value = (int32_t)(2 * info.elements);
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = (int64_t[]) { 3 }, .stream = stream };
    Py_BEGIN_ALLOW_THREADS
    status = baton_array_create(runtime, &options, &made, &error);
    if (!status)
        status = baton_fill(made, &value, sizeof value, stream, &error);
    Py_END_ALLOW_THREADS
    baton_stream_release(stream);
    baton_array_release(array);
    if (status >= 0)
        return baton_python_array_new(api, made);
    baton_array_release(made);
    return baton_python_error_raise(api, &error);
}

static PyObject *check(PyObject *module, PyObject *object)
{
    (void)module;
    return PyBool_FromLong(baton_python_array_check(api, object));
}

static PyObject *stream_id(PyObject *module, PyObject *object)
{
    uint64_t id;
    baton_stream *stream = baton_python_stream_get(api, object, -1);
    (void)module;
    if (!stream)
        return NULL;
    baton_stream_id(stream, &id, NULL);
    baton_stream_release(stream);
    return PyLong_FromUnsignedLongLong(id);
}

static PyObject *fail(PyObject *module, PyObject *object)
{
    baton_error error = BATON_ERROR_INIT;
    (void)module, (void)object;
    baton_array_create(baton_python_runtime_get(api), NULL, NULL, &error);
    return baton_python_error_raise(api, &error);
}

static PyMethodDef methods[] = {
    { "twice", twice, METH_O, NULL },
    { "check", check, METH_O, NULL },
    { "stream_id", stream_id, METH_O, NULL },
    { "fail", fail, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, .m_name = "capi", .m_size = -1, .m_methods = methods };

PyMODINIT_FUNC PyInit_capi(void)
{
    api = baton_python_import();
    return api ? PyModule_Create(&definition) : NULL;
}
