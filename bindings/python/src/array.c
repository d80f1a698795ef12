/* The Array type: what it is, says about itself, and how it ends. */
#include "core.h"

static void array_dealloc(PyObject *self)
{
    struct array *array = array_of(self);
    if (array->weakrefs)
        PyObject_ClearWeakRefs(self);
    baton_array_release(array->handle);
    object_free(self);
}

PyObject *array_make(struct state *state, baton_array *handle, int32_t dtype)
{
    PyObject *self = object_new(state, TYPE_ARRAY);
    if (!self) {
        baton_array_release(handle);
        return NULL;
    }
    array_of(self)->handle = handle;
    array_of(self)->dtype = dtype;
    return self;
}

/* The type is final, so only its objects have this function. */
int array_check(PyObject *object)
{
    return PyType_GetSlot(Py_TYPE(object), Py_tp_dealloc) == (void *)array_dealloc;
}

baton_array *array_handle(const struct state *state, PyObject *object)
{
    if (!object_is(state, object, TYPE_ARRAY))
        return (baton_array *)(void *)PyErr_Format(PyExc_TypeError, "a baton.Array is needed, not %R", (PyObject *)Py_TYPE(object));
    struct array *array = array_of(object);
    if (array->closed)
        return (baton_array *)(void *)error_say(BATON_ERR_HANDLE, "the array is closed");
    return array->handle;
}

int array_info(PyObject *self, baton_array_info *info)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array *handle = array_handle(state_of(self), self);
    info->struct_size = sizeof *info;
    return handle ? error_check(baton_array_info_read(handle, info, &error), &error) : -1;
}

/* ---- attributes */

static PyObject *get_shape(PyObject *self, void *closure)
{
    baton_array_info info;
    (void)closure;
    return array_info(self, &info) ? NULL : tuple_of(info.shape, info.ndim);
}

static PyObject *get_strides(PyObject *self, void *closure)
{
    baton_array_info info;
    (void)closure;
    if (array_info(self, &info))
        return NULL;
    for (int32_t i = 0; i < info.ndim; i++)     /* without a second element along a dimension its stride is any number: it wraps */
        info.strides[i] = (int64_t)((uint64_t)info.strides[i] * baton_dtype_size(info.dtype));
    return tuple_of(info.strides, info.ndim);
}

static PyObject *get_dtype(PyObject *self, void *closure)
{
    PyObject *dtype = state_of(self)->dtypes[array_of(self)->dtype];
    (void)closure;
    return dtype ? Py_NewRef(dtype) : object_ended();
}

enum number { NUMBER_NDIM, NUMBER_SIZE, NUMBER_BYTES, NUMBER_ITEM, NUMBER_DEVICE, NUMBER_MEMORY, NUMBER_OWNER };

static PyObject *get_number(PyObject *self, void *closure)
{
    baton_array_info info;
    if (array_info(self, &info))
        return NULL;
    uint64_t numbers[] = { [NUMBER_NDIM] = (uint64_t)info.ndim, [NUMBER_SIZE] = info.elements, [NUMBER_BYTES] = info.bytes,
                           [NUMBER_ITEM] = baton_dtype_size(info.dtype), [NUMBER_DEVICE] = (uint64_t)info.device,
                           [NUMBER_MEMORY] = info.memory_id, [NUMBER_OWNER] = info.owner_stream_id };
    return PyLong_FromUnsignedLongLong(numbers[(intptr_t)closure]);
}

static PyObject *get_flag(PyObject *self, void *closure)
{
    baton_array_info info;
    return array_info(self, &info) ? NULL : PyBool_FromLong((info.flags & (uint32_t)(intptr_t)closure) != 0);
}

static PyObject *get_kind(PyObject *self, void *closure)
{
    static const char *const names[] = { "", "device", "host", "unified" };
    baton_array_info info;
    (void)closure;
    return array_info(self, &info) ? NULL : PyUnicode_FromString(names[info.kind]);
}

static PyObject *get_closed(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(array_of(self)->closed);
}

static int set_synchronizing(PyObject *self, PyObject *value, void *closure)
{
    baton_error error = BATON_ERROR_INIT;
    int on = value ? PyObject_IsTrue(value) : -1;
    baton_array *handle = array_handle(state_of(self), self);
    (void)closure;
    if (!value)
        PyErr_SetString(PyExc_AttributeError, "synchronizing cannot be deleted");
    if (on < 0 || !handle)
        return -1;
    return error_check(baton_array_set_synchronizing(handle, on, &error), &error);
}

#define NUMBER(n) ((void *)(intptr_t)(n))

static PyGetSetDef getset[] = {
    { "shape", get_shape, NULL, "Extents, a tuple.", NULL },
    { "strides", get_strides, NULL, "Bytes from one element to the next, per dimension.", NULL },
    { "dtype", get_dtype, NULL, "The element type.", NULL },
    { "ndim", get_number, NULL, "Number of dimensions.", NUMBER(NUMBER_NDIM) },
    { "size", get_number, NULL, "Number of elements.", NUMBER(NUMBER_SIZE) },
    { "nbytes", get_number, NULL, "Bytes of all elements.", NUMBER(NUMBER_BYTES) },
    { "itemsize", get_number, NULL, "Bytes of one element.", NUMBER(NUMBER_ITEM) },
    { "device", get_number, NULL, "Number of the device.", NUMBER(NUMBER_DEVICE) },
    { "memory_id", get_number, NULL, "Number of the memory; views share it. Never used twice.", NUMBER(NUMBER_MEMORY) },
    { "owner_stream_id", get_number, NULL, "Stream of the last write, a hint; 0: none.", NUMBER(NUMBER_OWNER) },
    { "kind", get_kind, NULL, "'device', 'host' (pinned) or 'unified'.", NULL },
    { "contiguous", get_flag, NULL, "Whether the elements lie in row-major order without gaps.", NUMBER(BATON_ARRAY_CONTIGUOUS) },
    { "readonly", get_flag, NULL, "Whether writes are refused.", NUMBER(BATON_ARRAY_READ_ONLY) },
    { "synchronizing", get_flag, set_synchronizing, "Whether streams wait for each other's use of this memory.",
      NUMBER(BATON_ARRAY_SYNCHRONIZING) },
    { "__cuda_array_interface__", array_interface, NULL,
      "Numba's protocol, version 3. It names the stream behind which consumers order themselves. AttributeError on the software device.", NULL },
    { "closed", get_closed, NULL, "Whether close() was called.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

/* ---- the end */

/* Memory that cannot go back in stream order is waited for first. What consumers have given back counts only after a drain. */
static int32_t dispose(baton_runtime *runtime, baton_array *handle, baton_error *error)
{
    int32_t status = baton_array_dispose(handle, error);
    if (status == BATON_ERR_BUSY && !baton_drain(runtime, 0, NULL, NULL))
        status = baton_array_dispose(handle, error);
    while (status == BATON_NOT_READY) {
        status = baton_array_synchronize(handle, BATON_WAIT_AUTO, error);
        if (!status)
            status = baton_array_dispose(handle, error);
    }
    return status;
}

static PyObject *array_close(PyObject *self, PyObject *ignored)
{
    struct array *array = array_of(self);
    baton_array_info info;
    baton_error error = BATON_ERROR_INIT;
    baton_runtime *runtime = state_of(self)->runtime;
    int32_t status = BATON_OK;
    (void)ignored;
    if (array->closed)
        Py_RETURN_NONE;
    if (array->exports)
        return PyErr_Format(PyExc_BufferError, "%d buffers of the array are in use", array->exports);
    if (array_info(self, &info))
        return NULL;
    array->closed = 1;
    if (!(info.flags & BATON_ARRAY_VIEW))
        UNLOCKED(status = dispose(runtime, array->handle, &error));
    if (status < 0)
        array->closed = 0;
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *array_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return array_handle(state_of(self), self) ? Py_NewRef(self) : NULL;
}

static PyObject *array_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return array_close(self, NULL);
}

static PyMethodDef life_methods[] = {
    { "close", array_close, METH_NOARGS,
      PyDoc_STR("close($self, /)\n--\n\n"
                "Gives the memory back now, in stream order; waits first where the kind of memory needs it. "
                "Closing a view closes only the view.") },
    { "__enter__", array_enter, METH_NOARGS,
      PyDoc_STR("__enter__($self, /)\n--\n\nThe array; close() at the end of the block.") },
    { "__exit__", array_exit, METH_VARARGS,
      PyDoc_STR("__exit__($self, /, *args)\n--\n\nclose().") },
    { NULL, NULL, 0, NULL },
};

/* ---- the type */

static PyObject *array_await(PyObject *self)
{
    return helper_call("baton._waiting", "array_await", self, NULL);
}

static PyMemberDef members[] = { OBJECT_WEAKREFS(struct array, weakrefs), { NULL, 0, 0, 0, NULL } };

static PyType_Slot slots[] = {
    { Py_tp_doc, "An array on a device. Made by empty(), zeros(), full(), arange(), asarray() and from_dlpack()." },
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, array_dealloc },
    { Py_tp_members, members },
    { Py_tp_getset, getset },
    { Py_tp_methods, life_methods },
    { Py_mp_subscript, array_subscript },
    { Py_mp_length, array_length },
    { Py_bf_getbuffer, array_buffer_get },
    { Py_bf_releasebuffer, array_buffer_release },
    { Py_am_await, array_await },
    { Py_nb_add, operator_add },
    { Py_nb_subtract, operator_subtract },
    { Py_nb_multiply, operator_multiply },
    { Py_nb_true_divide, operator_divide },
    { Py_nb_inplace_add, operator_add_in_place },
    { Py_nb_inplace_subtract, operator_subtract_in_place },
    { Py_nb_inplace_multiply, operator_multiply_in_place },
    { Py_nb_inplace_true_divide, operator_divide_in_place },
    { Py_nb_negative, operator_negative },
    { 0, NULL },
};

PyType_Spec array_spec = { "baton.Array", OBJECT_SIZE(struct array), 0, Py_TPFLAGS_DEFAULT, slots };
