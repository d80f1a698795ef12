/* managed(): addresses of arrays for a library's own launches, without host waits. */
#include "core.h"

/* Holds arrays and a stream, which refer to no other object. */
struct scope {
    baton_scope *handle;        /* NULL: not open */
    int entered;                /* from before it is open until after it is closed: for other threads */
    PyObject *stream;
    PyObject *arrays;           /* tuple, in the order of the operands */
    baton_operand *operands;
    uint64_t count;
};

static int add_operands(struct state *state, struct scope *scope, PyObject *arrays, Py_ssize_t from, uint32_t access)
{
    Py_ssize_t count = PyTuple_Size(arrays);
    for (Py_ssize_t i = from; i < count; i++) {
        baton_array *handle = array_handle(state, PyTuple_GetItem(arrays, i));
        if (!handle)
            return -1;
        scope->operands[scope->count++] = (baton_operand) { .array = handle, .access = access };
    }
    return 0;
}

static int fill_scope(struct state *state, struct scope *scope, PyObject *args, PyObject *writes)
{
    Py_ssize_t reads = PyTuple_Size(args) - 1;
    PyObject *read = PyTuple_GetSlice(args, 1, reads + 1);
    scope->arrays = read ? PySequence_Concat(read, writes) : NULL;
    Py_XDECREF(read);
    scope->operands = PyMem_Calloc((size_t)(reads + PyTuple_Size(writes) + 1), sizeof *scope->operands);
    if (!scope->arrays || !scope->operands)
        return scope->operands ? -1 : (PyErr_NoMemory(), -1);
    return add_operands(state, scope, args, 1, BATON_READ) || add_operands(state, scope, writes, 0, BATON_READ_WRITE) ? -1 : 0;
}

static PyObject *writes_of(struct state *state, PyObject *keywords)
{
    Py_ssize_t known = 0;
    PyObject *writes = keywords ? PyDict_GetItemString(keywords, "writes") : NULL;
    known += writes != NULL;
    if (keywords && PyDict_Size(keywords) > known)
        return PyErr_Format(PyExc_TypeError, "managed() takes a stream, arrays, and writes=");
    if (!writes || writes == Py_None)
        return PyTuple_New(0);
    return object_is(state, writes, TYPE_ARRAY) ? PyTuple_Pack(1, writes) : PySequence_Tuple(writes);
}

/* managed(stream, *reads, writes=()) */
static PyObject *scope_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    struct state *state = PyType_GetModuleState(type);
    if (PyTuple_Size(args) < 1)
        return PyErr_Format(PyExc_TypeError, "managed() is missing 'stream'");
    PyObject *writes = writes_of(state, keywords), *self = writes ? object_new(state, TYPE_SCOPE) : NULL;
    struct scope *scope = self ? object_data(self) : NULL;
    if (scope && (!(scope->stream = stream_choose(state, PyTuple_GetItem(args, 0), -1)) || fill_scope(state, scope, args, writes)))
        Py_CLEAR(self);
    Py_XDECREF(writes);
    return self;
}

static void scope_dealloc(PyObject *self)
{
    struct scope *scope = object_data(self);
    baton_scope_release(scope->handle);
    PyMem_Free(scope->operands);
    Py_CLEAR(scope->arrays);
    Py_CLEAR(scope->stream);
    object_free(self);
}

static PyObject *scope_enter(PyObject *self, PyObject *ignored)
{
    struct scope *scope = object_data(self);
    baton_error error = BATON_ERROR_INIT;
    baton_scope *handle;
    int32_t status;
    (void)ignored;
    if (scope->entered)
        return error_say(BATON_ERR_BUSY, "the scope is open already");
    scope->entered = 1;
    UNLOCKED(status = baton_scope_begin(stream_of(scope->stream)->handle, NULL, scope->operands, scope->count, 0, &handle, &error));
    scope->entered = status >= 0;
    if (error_check(status, &error))
        return NULL;
    scope->handle = handle;
    PyObject *addresses = PyTuple_New((Py_ssize_t)scope->count);
    for (Py_ssize_t i = 0; addresses && i < (Py_ssize_t)scope->count; i++) {
        PyObject *address = PyLong_FromUnsignedLongLong(scope->operands[i].address);
        if (!address || PyTuple_SetItem(addresses, i, address))
            Py_CLEAR(addresses);
    }
    if (!addresses) {
        baton_scope_release(scope->handle);
        scope->handle = NULL;
        scope->entered = 0;
    }
    return addresses;
}

static PyObject *scope_exit(PyObject *self, PyObject *args)
{
    struct scope *scope = object_data(self);
    baton_error error = BATON_ERROR_INIT;
    baton_scope *handle = scope->handle;
    int32_t status = BATON_OK;
    (void)args;
    scope->handle = NULL;
    if (!handle)
        Py_RETURN_NONE;
    UNLOCKED({
        status = baton_scope_end(handle, &error);
        baton_scope_release(handle);
    });
    scope->entered = 0;
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

/* pointer(array, access='rw'): of an array of the scope as it is; of another after waiting on the host (rule P3). */
static PyObject *scope_pointer(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "array", "access", NULL };
    struct scope *scope = object_data(self);
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[2];
    baton_array *handle;
    uint64_t address;
    uint32_t access;
    int32_t status;
    if (arguments_read("pointer", names, 1, 2, args, count, keywords, values) || !(handle = array_handle(state_of(self), values[0])) ||
        arguments_access(values[1], &access))
        return NULL;
    if (!scope->handle)
        return error_say(BATON_ERR_ARGUMENT, "the scope is not open");
    UNLOCKED(status = baton_scope_pointer(scope->handle, handle, access, &address, &error));
    return error_check(status, &error) ? NULL : PyLong_FromUnsignedLongLong(address);
}

static PyObject *scope_stream(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((struct scope *)object_data(self))->stream);
}

static PyGetSetDef getset[] = {
    { "stream", scope_stream, NULL, "Where the work with the addresses belongs.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
    { "__enter__", scope_enter, METH_NOARGS,
      PyDoc_STR("__enter__($self, /)\n--\n\nLocks the memories and gives the addresses.") },
    { "__exit__", scope_exit, METH_VARARGS,
      PyDoc_STR("__exit__($self, /, *args)\n--\n\nPublishes the work and unlocks.") },
    { "pointer", METHOD(scope_pointer), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("pointer($self, /, array, access='rw')\n--\n\n"
                "The address: of an array of the scope without waiting, of another as array.pointer().") },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "managed(stream, *reads, writes=())\n\nwith managed(...) as addresses: inside, work that you submit to the stream may use them.\n"
                 "Addresses come in the order of the arrays, those of `writes` last. Nothing waits on the host." },
    { Py_tp_new, scope_new },     { Py_tp_dealloc, scope_dealloc }, { Py_tp_methods, methods },
    { Py_tp_getset, getset },     { 0, NULL },
};

PyType_Spec scope_spec = { "baton.managed", OBJECT_SIZE(struct scope), 0, Py_TPFLAGS_DEFAULT, slots };
