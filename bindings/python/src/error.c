/* Statuses become exceptions; the classes are Python's, in baton/_errors.py. */
#include "core.h"

#include <stdarg.h>

PyObject *error_raise(const baton_error *error)
{
    PyObject *raise = helper("baton._errors", "make");
    if (!raise)
        return NULL;
    PyObject *exception = PyObject_CallFunction(raise, "isiiiiKKKKKK", error->status, error->message, error->driver_code, error->origin,
                                                error->operation, error->level, error->device, error->stream_id, error->memory_id,
                                                error->tag, error->ticket_first, error->ticket_last);
    Py_DECREF(raise);
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    return NULL;
}

int error_check(int32_t status, const baton_error *error)
{
    if (status >= 0)
        return 0;
    error_raise(error);
    return -1;
}

PyObject *error_say(int32_t status, const char *format, ...)
{
    baton_error error = BATON_ERROR_INIT;
    va_list values;
    va_start(values, format);
    PyObject *text = PyUnicode_FromFormatV(format, values);
    va_end(values);
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (!utf8) {
        Py_XDECREF(text);
        return NULL;
    }
    error.status = status;
    PyOS_snprintf(error.message, sizeof error.message, "%s", utf8);
    Py_DECREF(text);
    return error_raise(&error);
}
