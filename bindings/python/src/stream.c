/* The Stream type. */
#include "core.h"

static void stream_dealloc(PyObject *self)
{
    struct stream *stream = stream_of(self);
    if (stream->weakrefs)
        PyObject_ClearWeakRefs(self);
    baton_stream_release(stream->handle);
    object_free(self);
}

PyObject *stream_make(struct state *state, baton_stream *handle, int32_t device)
{
    PyObject *self = object_new(state, TYPE_STREAM);
    if (!self) {
        baton_stream_release(handle);
        return NULL;
    }
    stream_of(self)->handle = handle;
    stream_of(self)->device = device;
    return self;
}

/* Stream(device=0, priority=0) */
static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "device", "priority", NULL };
    struct state *state = PyType_GetModuleState(type);
    baton_error error = BATON_ERROR_INIT;
    baton_stream *handle;
    int32_t status;
    int device = 0, priority = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|i$i:Stream", names, &device, &priority) || !runtime_get(state))
        return NULL;
    UNLOCKED(status = baton_stream_create(state->runtime, device, 0, priority, &handle, &error));
    if (error_check(status, &error))
        return NULL;
    PyObject *self = stream_make(state, handle, device);
    if (self && task_tag(state, handle))
        Py_CLEAR(self);
    return self;
}

/* ---- streams of others */

/* (version, handle) of the protocol, or an int. */
static int native_handle(PyObject *object, uint64_t *native)
{
    if (PyLong_Check(object)) {
        *native = PyLong_AsUnsignedLongLong(object);
        return *native == UINT64_MAX && PyErr_Occurred() ? -1 : 0;
    }
    PyObject *pair = PyObject_CallMethod(object, "__cuda_stream__", NULL);
    if (!pair) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Format(PyExc_TypeError, "a stream is a baton.Stream, an object with __cuda_stream__ or a handle, not %R", (PyObject *)Py_TYPE(object));
        return -1;
    }
    int version = 0;
    unsigned long long read = 0;
    int done = PyTuple_Check(pair) && PyArg_ParseTuple(pair, "iK;__cuda_stream__ returns (version, handle)", &version, &read);
    if (!done && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "__cuda_stream__ returns (version, handle)");
    if (done && version != 0)
        error_say(BATON_ERR_VERSION, "version %d of __cuda_stream__ is unknown", version);
    Py_DECREF(pair);
    *native = read;
    return done && version == 0 ? 0 : -1;
}

int stream_keep(struct state *state, baton_stream *handle, PyObject *object)
{
    baton_error error = BATON_ERROR_INIT;
    struct owner *owner = NULL;
    int32_t lent, status;
    if (error_check(baton_stream_lent(handle, &lent, &error), &error))
        return -1;
    if (!lent)
        return 0;
    if (object && !(owner = owner_keep(state->attic, object)))
        return -1;
    UNLOCKED(status = baton_stream_keep(handle, owner ? owner_let_go : NULL, owner, &error));
    if (status < 0 && owner)
        owner_let_go(owner, 0);
    return error_check(status, &error);
}

/* An object is kept as long as anything names its stream; a mere number is lent, unless the caller promises that the stream outlives everything. */
static PyObject *stream_wrap(struct state *state, PyObject *object, int32_t device, int promised)
{
    baton_error error = BATON_ERROR_INIT;
    baton_stream *handle;
    uint64_t native;
    int32_t status;
    if (!runtime_get(state) || native_handle(object, &native))
        return NULL;
    UNLOCKED(status = baton_stream_adopt(state->runtime, device, native, &handle, &error));
    if (error_check(status, &error))
        return NULL;
    PyObject *self = stream_make(state, handle, device);
    int number = PyLong_Check(object);
    if (self && (task_tag(state, handle) || ((promised || !number) && stream_keep(state, handle, number ? NULL : object))))
        Py_CLEAR(self);
    return self;
}

PyObject *stream_choose(struct state *state, PyObject *object, int32_t device)
{
    if (!object || object == Py_None)
        return task_stream(state, device);
    if (object_is(state, object, TYPE_STREAM))
        return Py_NewRef(object);
    return stream_wrap(state, object, device < 0 ? 0 : device, 0);
}

static PyObject *stream_from_external(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "stream", "device", NULL };
    PyObject *object;
    int device = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|i:from_external", names, &object, &device))
        return NULL;
    struct state *state = PyType_GetModuleState((PyTypeObject *)type);
    return object_is(state, object, TYPE_STREAM) ? Py_NewRef(object) : stream_wrap(state, object, device, 1);
}

/* ---- what it says */

static PyObject *get_native(PyObject *self, void *closure)
{
    baton_error error = BATON_ERROR_INIT;
    uint64_t native;
    (void)closure;
    if (error_check(baton_stream_native(stream_of(self)->handle, &native, &error), &error))
        return NULL;
    return PyLong_FromUnsignedLongLong(native);
}

static PyObject *get_id(PyObject *self, void *closure)
{
    baton_error error = BATON_ERROR_INIT;
    uint64_t id;
    (void)closure;
    return error_check(baton_stream_id(stream_of(self)->handle, &id, &error), &error) ? NULL : PyLong_FromUnsignedLongLong(id);
}

static PyObject *get_device(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(stream_of(self)->device);
}

static PyObject *get_capturing(PyObject *self, void *closure)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t active;
    (void)closure;
    return error_check(baton_capture_active(stream_of(self)->handle, &active, &error), &error) ? NULL : PyBool_FromLong(active);
}

static PyObject *stream_protocol(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *native = get_native(self, NULL);
    return native ? Py_BuildValue("(iN)", 0, native) : NULL;
}

static PyObject *stream_repr(PyObject *self)
{
    uint64_t id = 0;
    baton_stream_id(stream_of(self)->handle, &id, NULL);
    return PyUnicode_FromFormat("<baton.Stream %llu on device %d>", (unsigned long long)id, stream_of(self)->device);
}

/* ---- what it does */

static PyObject *stream_query(PyObject *self, PyObject *ignored)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    (void)ignored;
    UNLOCKED(status = baton_stream_query(stream_of(self)->handle, &error));
    return error_check(status, &error) ? NULL : PyBool_FromLong(status == BATON_OK);
}

static PyObject *stream_fence(PyObject *self, PyObject *ignored)
{
    baton_error error = BATON_ERROR_INIT;
    baton_fence *fence;
    int32_t status;
    (void)ignored;
    UNLOCKED(status = baton_stream_fence(stream_of(self)->handle, &fence, &error));
    return error_check(status, &error) ? NULL : fence_make(state_of(self), fence);
}

static PyObject *stream_synchronize(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "timeout", NULL };
    baton_error error = BATON_ERROR_INIT;
    baton_fence *fence;
    PyObject *values[1];
    int64_t timeout;
    int32_t status;
    if (arguments_read("synchronize", names, 0, 1, args, count, keywords, values) || arguments_timeout(values[0], &timeout))
        return NULL;
    UNLOCKED(status = baton_stream_fence(stream_of(self)->handle, &fence, &error));
    if (error_check(status, &error))
        return NULL;
    if (fence_wait_once(state_of(self), fence, timeout))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *stream_follow(PyObject *self, PyObject *other)
{
    struct state *state = state_of(self);
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    PyObject *before = stream_choose(state, other, stream_of(self)->device);
    if (!before)
        return NULL;
    UNLOCKED(status = baton_stream_follow(stream_of(self)->handle, stream_of(before)->handle, &error));
    Py_DECREF(before);
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *stream_enter(PyObject *self, PyObject *ignored)
{
    struct state *state = state_of(self);
    (void)ignored;
    if (task_tag(state, stream_of(self)->handle) || task_enter(state, self))
        return NULL;
    return Py_NewRef(self);
}

static PyObject *stream_exit(PyObject *self, PyObject *args)
{
    (void)args;
    if (task_leave(state_of(self), self))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *stream_await(PyObject *self)
{
    return helper_call("baton._waiting", "stream_await", self, NULL);
}

static PyObject *stream_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyErr_Format(PyExc_TypeError, "%R belongs to this process: it cannot be pickled", self);
}

static PyMethodDef methods[] = {
    { "from_external", METHOD(stream_from_external), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
      PyDoc_STR("from_external(stream, device=0)\n--\n\n"
                "A stream of another library: an object with __cuda_stream__, which is kept as long as memory that "
                "the stream has used, or a handle, whose stream must outlive all of it.") },
    { "__cuda_stream__", stream_protocol, METH_NOARGS,
      PyDoc_STR("__cuda_stream__($self, /)\n--\n\n"
                "(0, handle): the protocol by which other libraries take a stream.") },
    { "query", stream_query, METH_NOARGS,
      PyDoc_STR("query($self, /)\n--\n\nWhether everything submitted so far has finished.") },
    { "fence", stream_fence, METH_NOARGS,
      PyDoc_STR("fence($self, /)\n--\n\nWhat was submitted so far.") },
    { "synchronize", METHOD(stream_synchronize), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("synchronize($self, /, timeout=None)\n--\n\n"
                "Waits for what was submitted so far, at most timeout seconds. Signals interrupt it.") },
    { "follow", stream_follow, METH_O,
      PyDoc_STR("follow($self, before, /)\n--\n\n"
                "Puts later work behind what is now on the other stream: a wait on the device.") },
    { "wait", stream_follow, METH_O,
      PyDoc_STR("wait($self, before, /)\n--\n\nThe same as follow().") },
    { "__enter__", stream_enter, METH_NOARGS,
      PyDoc_STR("__enter__($self, /)\n--\n\nMakes it the current stream of this thread or task.") },
    { "__exit__", stream_exit, METH_VARARGS,
      PyDoc_STR("__exit__($self, /, *args)\n--\n\nMakes the one before current again.") },
    { "__reduce__", stream_reduce, METH_NOARGS,
      PyDoc_STR("__reduce__($self, /)\n--\n\nStreams cannot be pickled.") },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef getset[] = {
    { "id", get_id, NULL, "A number that no other stream of the process ever has.", NULL },
    { "handle", get_native, NULL, "The driver's handle, for foreign code (rule P6).", NULL },
    { "device", get_device, NULL, "Number of the device.", NULL },
    { "capturing", get_capturing, NULL, "Whether it takes part in a capture.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyMemberDef members[] = { OBJECT_WEAKREFS(struct stream, weakrefs), { NULL, 0, 0, 0, NULL } };

static PyType_Slot slots[] = {
    { Py_tp_doc, "Stream(device=0, *, priority=0)\n\nAn in-order queue of work on a device. `with stream:` makes it the current one." },
    { Py_tp_new, stream_new },       { Py_tp_dealloc, stream_dealloc }, { Py_tp_repr, stream_repr },   { Py_tp_methods, methods },
    { Py_tp_getset, getset },        { Py_tp_members, members },        { Py_am_await, stream_await }, { 0, NULL },
};

PyType_Spec stream_spec = { "baton.Stream", OBJECT_SIZE(struct stream), 0, Py_TPFLAGS_DEFAULT, slots };
