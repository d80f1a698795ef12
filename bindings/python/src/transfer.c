/* Data in and out of arrays: fill, copy, upload, download; addresses for other code. */
#include "core.h"

#include <string.h>

/* The array's handle and the stream for an operation on it: 0, or -1 with an exception. */
static int operand_and_stream(PyObject *self, PyObject *stream, baton_array **handle, PyObject **chosen)
{
    struct state *state = state_of(self);
    baton_error error = BATON_ERROR_INIT;
    baton_array_info info = { .struct_size = sizeof info };
    if (!(*handle = array_handle(state, self)) || error_check(baton_array_info_read(*handle, &info, &error), &error))
        return -1;
    *chosen = stream_choose(state, stream, info.device);
    return *chosen ? 0 : -1;
}

/* ---- fill */

static PyObject *array_fill(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "value", "stream", NULL };
    struct state *state = state_of(self);
    baton_error error = BATON_ERROR_INIT;
    struct scalar scalar = { .code = 0 };
    PyObject *values[2], *stream;
    baton_array *handle;
    int32_t status;
    if (arguments_read("fill", names, 1, 2, args, count, keywords, values))
        return NULL;
    PyObject *value = Py_NewRef(values[0]);
    if (object_is(state, value, TYPE_SCALAR))
        object_replace(&value, dtype_unpack(((struct scalar *)object_data(value))->code, ((struct scalar *)object_data(value))->value.raw));
    int packed = value ? dtype_pack(array_of(self)->dtype, value, &scalar) : -1;
    Py_XDECREF(value);
    if (packed || operand_and_stream(self, values[1], &handle, &stream))
        return NULL;
    UNLOCKED(status = baton_fill(handle, scalar.value.raw, scalar.bytes, stream_of(stream)->handle, &error));
    Py_DECREF(stream);
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- device to device */

typedef int32_t (*transfer)(baton_array *to, baton_array *from, baton_stream *stream, baton_error *error);

static PyObject *move(PyObject *self, const char *name, transfer function, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "source", "stream", NULL };
    struct state *state = state_of(self);
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[2], *stream;
    baton_array *to, *from;
    int32_t status;
    if (arguments_read(name, names, 1, 2, args, count, keywords, values) || !(from = array_handle(state, values[0])) ||
        operand_and_stream(self, values[1], &to, &stream))
        return NULL;
    UNLOCKED(status = function(to, from, stream_of(stream)->handle, &error));
    Py_DECREF(stream);
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *array_copy_from(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    return move(self, "copy_from", baton_copy, args, count, keywords);
}

static PyObject *array_cast_from(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    return move(self, "cast_from", baton_cast, args, count, keywords);
}

/* Element i becomes start + i * step, in row-major order. */
static PyObject *array_fill_range(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "start", "step", "stream", NULL };
    baton_error error = BATON_ERROR_INIT;
    struct scalar start, step;
    PyObject *values[3], *stream;
    baton_array *handle;
    int32_t status, code = array_of(self)->dtype;
    if (arguments_read("fill_range", names, 2, 3, args, count, keywords, values) || dtype_pack(code, values[0], &start) ||
        dtype_pack(code, values[1], &step) || operand_and_stream(self, values[2], &handle, &stream))
        return NULL;
    UNLOCKED(status = baton_range(handle, start.value.raw, step.value.raw, start.bytes, stream_of(stream)->handle, &error));
    Py_DECREF(stream);
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- to and from the host */

/* upload(buffer, stream=None): the bytes of any contiguous buffer, as many as the array has. */
static PyObject *array_upload(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "source", "stream", NULL };
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[2], *stream;
    baton_array *handle;
    Py_buffer buffer;
    int32_t status;
    if (arguments_read("upload", names, 1, 2, args, count, keywords, values) || PyObject_GetBuffer(values[0], &buffer, PyBUF_SIMPLE))
        return NULL;
    if (operand_and_stream(self, values[1], &handle, &stream)) {
        PyBuffer_Release(&buffer);
        return NULL;
    }
    UNLOCKED(status = baton_upload(handle, buffer.buf, (uint64_t)buffer.len, stream_of(stream)->handle, &error));
    Py_DECREF(stream);
    PyBuffer_Release(&buffer);
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

/* Puts the stream behind the array's writes and waits for it in a way that signals can interrupt, so that the download
 * itself finds nothing to wait for. What cannot be done here the download reports. */
static int wait_for_writes(struct state *state, baton_array *handle, baton_stream *stream)
{
    baton_operand operand = { .array = handle, .access = BATON_READ };
    baton_scope *scope = NULL;
    baton_fence *fence = NULL;
    int32_t status;
    UNLOCKED({
        status = baton_array_query(handle, NULL);
        if (status == BATON_NOT_READY && !(status = baton_scope_begin(stream, NULL, &operand, 1, 0, &scope, NULL)) &&
            !(status = baton_scope_end(scope, NULL)))
            status = baton_stream_fence(stream, &fence, NULL);
        baton_scope_release(scope);
    });
    return fence_wait_once(state, fence, BATON_UNLIMITED);
}

static char *gather(const baton_array_info *info, int32_t dimension, const char *from, char *to)
{
    size_t element = baton_dtype_size(info->dtype);
    if (dimension == info->ndim) {
        memcpy(to, from, element);
        return to + element;
    }
    for (int64_t i = 0; i < info->shape[dimension]; i++)
        to = gather(info, dimension + 1, from + i * info->strides[dimension] * (int64_t)element, to);
    return to;
}

/* Elements apart from each other are collected by a kernel, which need not reach memory of the host that another library allocated: the host collects those. */
static int32_t download(void *to, uint64_t bytes, baton_array *handle, baton_stream *stream, baton_error *error)
{
    baton_array_info info = { .struct_size = sizeof info };
    void *from;
    int32_t status = baton_array_info_read(handle, &info, error);
    if (status || info.kind != BATON_HOST || info.flags & BATON_ARRAY_CONTIGUOUS || bytes != info.bytes || bytes == 0)
        return status ? status : baton_download(to, bytes, handle, stream, error);
    status = baton_array_host_pointer(handle, BATON_READ, &from, error);
    if (!status)
        gather(&info, 0, from, to);
    return status;
}

static int download_into(PyObject *self, PyObject *stream_or_none, void *to, uint64_t bytes)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle;
    PyObject *stream;
    int32_t status = BATON_OK;
    if (operand_and_stream(self, stream_or_none, &handle, &stream))
        return -1;
    int waited = wait_for_writes(state_of(self), handle, stream_of(stream)->handle);
    if (!waited)
        UNLOCKED(status = download(to, bytes, handle, stream_of(stream)->handle, &error));
    Py_DECREF(stream);
    return waited ? -1 : error_check(status, &error);
}

/* tobytes(stream=None): the elements in row-major order. */
static PyObject *array_tobytes(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "stream", NULL };
    PyObject *values[1];
    baton_array_info info;
    char *bytes;
    Py_ssize_t size;
    if (arguments_read("tobytes", names, 0, 1, args, count, keywords, values) || array_info(self, &info))
        return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)info.bytes);
    if (result && (PyBytes_AsStringAndSize(result, &bytes, &size) || download_into(self, values[0], bytes, info.bytes)))
        Py_CLEAR(result);
    return result;
}

PyObject *array_download(PyObject *self)
{
    return array_tobytes(self, NULL, 0, NULL);
}

/* download(buffer, stream=None): into a writable contiguous buffer of the same size. */
static PyObject *array_download_into(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "target", "stream", NULL };
    PyObject *values[2];
    Py_buffer buffer;
    if (arguments_read("download", names, 1, 2, args, count, keywords, values) || PyObject_GetBuffer(values[0], &buffer, PyBUF_WRITABLE))
        return NULL;
    int status = download_into(self, values[1], buffer.buf, (uint64_t)buffer.len);
    PyBuffer_Release(&buffer);
    if (status)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *array_item(PyObject *self, PyObject *ignored)
{
    unsigned char value[16];
    baton_array_info info;
    (void)ignored;
    if (array_info(self, &info))
        return NULL;
    if (info.elements != 1)
        return error_say(BATON_ERR_SHAPE, "only an array of one element is one number; this one has %llu", (unsigned long long)info.elements);
    return download_into(self, NULL, value, info.bytes) ? NULL : dtype_unpack(info.dtype, value);
}

/* ---- addresses */

static PyObject *pointer(PyObject *self, PyObject *stream_or_none, uint32_t access)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle;
    PyObject *stream;
    uint64_t address;
    int32_t status;
    if (operand_and_stream(self, stream_or_none, &handle, &stream))
        return NULL;
    UNLOCKED(status = baton_array_pointer(handle, stream_of(stream)->handle, access, &address, &error));
    Py_DECREF(stream);
    return error_check(status, &error) ? NULL : PyLong_FromUnsignedLongLong(address);
}

static PyObject *array_pointer(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "stream", "access", NULL };
    PyObject *values[2];
    uint32_t access;
    if (arguments_read("pointer", names, 0, 2, args, count, keywords, values) || arguments_access(values[1], &access))
        return NULL;
    return pointer(self, values[0], access);
}

static PyObject *array_note_use(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "stream", "access", NULL };
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[2], *stream;
    baton_array *handle;
    uint32_t access;
    int32_t status;
    if (arguments_read("note_use", names, 0, 2, args, count, keywords, values) || arguments_access(values[1], &access) ||
        operand_and_stream(self, values[0], &handle, &stream))
        return NULL;
    UNLOCKED(status = baton_array_note_use(handle, stream_of(stream)->handle, access, &error));
    Py_DECREF(stream);
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef array_transfer_methods[] = {
    { "fill", METHOD(array_fill), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("fill($self, /, value, stream=None)\n--\n\n"
                "Makes every element the number. Returns when the work is queued.") },
    { "copy_from", METHOD(array_copy_from), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("copy_from($self, /, source, stream=None)\n--\n\n"
                "Copies an array of the same shape and type, also from another device. Returns when the work is "
                "queued.") },
    { "cast_from", METHOD(array_cast_from), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("cast_from($self, /, source, stream=None)\n--\n\n"
                "Copies an array of the same shape, converting its elements. Returns when the work is queued.") },
    { "fill_range", METHOD(array_fill_range), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("fill_range($self, /, start, step, stream=None)\n--\n\n"
                "Element i, in row-major order, becomes start + i * step. Returns when the work is queued.") },
    { "upload", METHOD(array_upload), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("upload($self, /, source, stream=None)\n--\n\n"
                "Copies the bytes of a contiguous buffer, exactly as many as the array has; the buffer can be "
                "used again on return.") },
    { "download", METHOD(array_download_into), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("download($self, /, target, stream=None)\n--\n\n"
                "Copies the elements, in row-major order, to a writable contiguous buffer of the same size. "
                "Waits.") },
    { "tobytes", METHOD(array_tobytes), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("tobytes($self, /, stream=None)\n--\n\nThe elements in row-major order. Waits.") },
    { "item", array_item, METH_NOARGS,
      PyDoc_STR("item($self, /)\n--\n\nThe one element as a number of Python. Waits.") },
    { "pointer", METHOD(array_pointer), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("pointer($self, /, stream=None, access='rw')\n--\n\n"
                "The address, for code that the library does not submit and that works on the stream.\n"
                "\n"
                "Waits on the host for the work of other streams (rule P1). Keep the array while the address is "
                "used.") },
    { "note_use", METHOD(array_note_use), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("note_use($self, /, stream=None, access='rw')\n--\n\n"
                "Says that foreign work on the stream, queued before this call, uses the array (rule P4).") },
    { NULL, NULL, 0, NULL },
};
