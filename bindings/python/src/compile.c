/* Modules from source. */
#include "kernel.h"

#include <string.h>

enum { LOG_BYTES = 65536 };

/* The strings of a tuple, valid as long as it is: freed with PyMem_Free. NULL: exception. */
static const char **strings_of(PyObject *tuple, uint32_t *count)
{
    Py_ssize_t length = PyTuple_Size(tuple);
    const char **strings = length < 0 ? NULL : PyMem_Calloc((size_t)length + 1, sizeof *strings);
    if (!strings)
        return (const char **)(length < 0 ? NULL : PyErr_NoMemory());
    for (Py_ssize_t i = 0; i < length; i++) {
        if (!(strings[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL))) {
            PyMem_Free(strings);
            return NULL;
        }
    }
    *count = (uint32_t)length;
    return strings;
}

static int32_t compile(struct state *state, const char *source, int32_t device, baton_compile_options *options, baton_module **module, baton_error *error)
{
    int32_t status;
    UNLOCKED(status = baton_module_compile(state->runtime, device, source, options, module, error));
    return status;
}

/* The compiler's log belongs to the exception. */
static PyObject *raise_with_log(const baton_error *error, const char *log)
{
    error_raise(error);
    PyObject *type, *value, *trace, *text = PyUnicode_DecodeUTF8(log, (Py_ssize_t)strlen(log), "replace");
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (text && value && PyObject_SetAttrString(value, "log", text))
        PyErr_Clear();
    Py_XDECREF(text);
    PyErr_Restore(type, value, trace);
    return NULL;
}

/* _module_compile(source, device, name, options, expressions) */
PyObject *module_compile(PyObject *module, PyObject *args)
{
    struct state *state = module_state(module);
    baton_compile_options options = { .struct_size = sizeof options, .log_bytes = LOG_BYTES };
    baton_error error = BATON_ERROR_INIT;
    PyObject *words, *names, *result = NULL;
    baton_module *handle;
    const char *source;
    int device;
    if (!PyArg_ParseTuple(args, "siz(OO):_module_compile", &source, &device, &options.name, &words, &names) || !runtime_get(state))
        return NULL;
    options.options = strings_of(words, &options.option_count);
    options.expressions = options.options ? strings_of(names, &options.expression_count) : NULL;
    options.log = options.expressions ? PyMem_Calloc(1, LOG_BYTES) : NULL;
    if (options.log) {
        int32_t status = compile(state, source, device, &options, &handle, &error);
        result = status < 0 ? raise_with_log(&error, options.log) : module_make(state, handle, device);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    PyMem_Free(options.log);
    PyMem_Free((void *)(uintptr_t)options.expressions);
    PyMem_Free((void *)(uintptr_t)options.options);
    return result;
}
