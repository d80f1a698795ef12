/* The buffer protocol, for memory that the host can touch. Device memory is refused: numpy() copies it. */
#include "core.h"

/* What a Py_buffer points to. */
struct extents {
    Py_ssize_t shape[DIMENSIONS], strides[DIMENSIONS];
};

static int refuse(Py_buffer *view, const char *why)
{
    view->obj = NULL;
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
}

/* NULL, or why the array cannot serve such a request. */
static const char *objection(const baton_array_info *info, int flags)
{
    int contiguous = (info->flags & BATON_ARRAY_CONTIGUOUS) != 0;
    int column_major = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && (flags & PyBUF_ANY_CONTIGUOUS) != PyBUF_ANY_CONTIGUOUS;
    if (info->kind == BATON_DEVICE)
        return "the host cannot touch device memory: numpy() and tobytes() make a copy";
    if ((flags & PyBUF_WRITABLE) && (info->flags & BATON_ARRAY_READ_ONLY))
        return "the array is read-only";
    if (!contiguous && (flags & PyBUF_STRIDES) != PyBUF_STRIDES)
        return "the array is not contiguous";
    if (!contiguous && (flags & (PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS) & ~PyBUF_STRIDES))
        return "the array is not contiguous";
    if (column_major && info->ndim > 1)
        return "the array is not in column-major order";
    return dtype_format(info->dtype) || !(flags & PyBUF_FORMAT) ? NULL : "buffers have no format for bfloat16";
}

static int host_pointer(baton_array *handle, uint32_t access, void **address)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    UNLOCKED(status = baton_array_host_pointer(handle, access, address, &error));
    return error_check(status, &error);
}

static void describe(Py_buffer *view, const baton_array_info *info, struct extents *extents, int flags)
{
    for (int32_t i = 0; i < info->ndim; i++) {
        extents->shape[i] = (Py_ssize_t)info->shape[i];
        extents->strides[i] = (Py_ssize_t)((uint64_t)info->strides[i] * baton_dtype_size(info->dtype));    /* wraps: see get_strides */
    }
    view->internal = extents;
    view->len = (Py_ssize_t)info->bytes;
    view->itemsize = (Py_ssize_t)baton_dtype_size(info->dtype);
    view->readonly = (info->flags & BATON_ARRAY_READ_ONLY) != 0;
    view->format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)dtype_format(info->dtype) : NULL;
    view->ndim = flags & PyBUF_ND ? info->ndim : 1;
    view->shape = flags & PyBUF_ND ? extents->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? extents->strides : NULL;
    view->suboffsets = NULL;
}

/* Waits on the host for work on the array (rule P2); while the buffer is out, the host may touch the memory at any time. */
int array_buffer_get(PyObject *self, Py_buffer *view, int flags)
{
    struct array *array = array_of(self);
    baton_array_info info;
    view->obj = NULL;
    if (array_info(self, &info))
        return -1;
    const char *why = objection(&info, flags);
    if (why)
        return refuse(view, why);
    struct extents *extents = PyMem_Malloc(sizeof *extents);
    if (!extents)
        return PyErr_NoMemory(), -1;
    uint32_t access = info.flags & BATON_ARRAY_READ_ONLY ? BATON_READ : BATON_READ_WRITE;
    view->buf = NULL;
    array->exports++;           /* before the interpreter's lock is let go: close() must not come between */
    if (info.bytes > 0 && host_pointer(array->handle, access, &view->buf)) {
        array->exports--;
        PyMem_Free(extents);
        return -1;
    }
    describe(view, &info, extents, flags);
    view->obj = Py_NewRef(self);
    return 0;
}

void array_buffer_release(PyObject *self, Py_buffer *view)
{
    PyMem_Free(view->internal);
    array_of(self)->exports--;
}
