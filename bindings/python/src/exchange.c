/* What the protocols of the exchange have in common. */
#include "exchange.h"

#include <string.h>

/* ---- refusals */

static int is_refusal(int32_t status)
{
    static const int32_t refusals[] = { BATON_ERR_ARGUMENT, BATON_ERR_VERSION, BATON_ERR_DTYPE, BATON_ERR_SHAPE, BATON_ERR_BOUNDS, BATON_ERR_KIND,
                                        BATON_ERR_DEVICE, BATON_ERR_PEER, BATON_ERR_STREAM, BATON_ERR_UNSUPPORTED };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i] == status)
            return 1;
    return 0;
}

/* The exception that is set becomes the cause of a BufferError with the same message. */
static void refuse(const char *message)
{
    PyObject *type, *cause, *trace, *value;
    PyErr_Fetch(&type, &cause, &trace);
    PyErr_NormalizeException(&type, &cause, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    PyErr_SetString(PyExc_BufferError, message);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && cause)
        PyException_SetCause(value, Py_NewRef(cause));
    Py_XDECREF(cause);
    PyErr_Restore(type, value, trace);
}

int exchange_check(int32_t status, const baton_error *error)
{
    if (!error_check(status, error))
        return 0;
    if (is_refusal(status))
        refuse(error->message);
    return -1;
}

/* ---- places and streams */

int exchange_place(PyObject *self, int32_t *type, int32_t *id)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle = array_handle(state_of(self), self);
    return handle ? exchange_check(baton_dlpack_device(handle, type, id, &error), &error) : -1;
}

/* The software device does not share memory or streams with CUDA. */
int exchange_is_soft(struct state *state)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    if (!runtime_get(state) || error_check(baton_runtime_info_read(state->runtime, &info, &error), &error))
        return -1;
    return strcmp(info.driver, "soft") == 0;
}

int exchange_reachable(struct state *state, int32_t type)
{
    int soft = exchange_is_soft(state);
    if (soft < 0)
        return -1;
    if (type == PLACE_CPU || (!soft && (type == PLACE_CUDA || type == PLACE_CUDA_HOST || type == PLACE_CUDA_MANAGED)))
        return 0;
    PyErr_Format(PyExc_BufferError, "memory of DLPack's device type %d cannot be reached%s", (int)type, soft ? " from the software device" : "");
    return -1;
}

int exchange_stream(struct state *state, int32_t device, uint64_t native, baton_stream **stream)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    if (!runtime_get(state))
        return -1;
    UNLOCKED(status = baton_stream_adopt(state->runtime, device, native, stream, &error));
    return exchange_check(status, &error);
}

/* A consumer mostly names the stream that is current in its library. */
static int keep_consumer(struct state *state, int32_t device, uint64_t native, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t lent;
    if (error_check(baton_stream_lent(stream, &lent, &error), &error))
        return -1;
    PyObject *find = lent ? helper("baton._exchange", "consumer_stream") : NULL;
    PyObject *object = find ? PyObject_CallFunction(find, "Ki", (unsigned long long)native, (int)device) : NULL;
    Py_XDECREF(find);
    int status = lent && (!object || (object != Py_None && stream_keep(state, stream, object))) ? -1 : 0;
    Py_XDECREF(object);
    return status;
}

int exchange_consumer(struct state *state, int32_t device, uint64_t native, baton_stream **stream)
{
    if (exchange_stream(state, device, native, stream))
        return -1;
    if (!keep_consumer(state, device, native, *stream))
        return 0;
    baton_stream_release(*stream);
    *stream = NULL;
    return -1;
}

int exchange_number(PyObject *stream, uint64_t *native)
{
    baton_error error = BATON_ERROR_INIT;
    if (error_check(baton_stream_native(stream_of(stream)->handle, native, &error), &error))
        return -1;
    if (*native == 0)
        *native = BATON_STREAM_LEGACY;
    return 0;
}

/* ---- tensors */

PyObject *exchange_array(struct state *state, baton_array *handle)
{
    baton_array_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    if (error_check(baton_array_info_read(handle, &info, &error), &error)) {
        baton_array_release(handle);
        return NULL;
    }
    return array_make(state, handle, info.dtype);
}

/* Deleters may run Python, which no exception on its way must meet. */
void exchange_delete(struct dlpack_managed *managed)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (managed->deleter)
        managed->deleter(managed);
    PyErr_Restore(type, value, trace);
}

void exchange_delete_legacy(struct dlpack_legacy *legacy)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (legacy->deleter)
        legacy->deleter(legacy);
    PyErr_Restore(type, value, trace);
}

/* Of another major version only the deleter is known. */
PyObject *exchange_take(struct state *state, struct dlpack_managed *managed, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle;
    int32_t status;
    UNLOCKED(status = baton_dlpack_import(state->runtime, managed, stream, &handle, &error));
    if (status < 0)
        exchange_delete(managed);
    return exchange_check(status, &error) ? NULL : exchange_array(state, handle);
}

PyObject *exchange_take_legacy(struct state *state, struct dlpack_legacy *legacy, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle;
    int32_t status;
    UNLOCKED(status = baton_dlpack_import_legacy(state->runtime, legacy, stream, &handle, &error));
    if (status < 0)
        exchange_delete_legacy(legacy);
    return exchange_check(status, &error) ? NULL : exchange_array(state, handle);
}

void *exchange_give(PyObject *self, const baton_dlpack_options *options)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle = array_handle(state_of(self), self);
    void *managed;
    int32_t status;
    if (!handle)
        return NULL;
    UNLOCKED(status = baton_dlpack_export_with(handle, options, &managed, &error));
    return exchange_check(status, &error) ? NULL : managed;
}
