/* Waiting for arrays and streams, in ways that let other threads and signal handlers run; fences and gates. */
#include "core.h"

enum { SLICE_NS = 50000000, DRAINED = 8 };

/* ---- waiting */

int fence_wait_patiently(baton_fence *fence, int64_t timeout_ns)
{
    baton_error error = BATON_ERROR_INIT;
    int64_t left = timeout_ns;
    for (;;) {
        int64_t slice = left == BATON_UNLIMITED || left > SLICE_NS ? SLICE_NS : left;
        int32_t status;
        UNLOCKED(status = baton_fence_wait(fence, slice, BATON_WAIT_AUTO, &error));
        if (status != BATON_TIMEOUT)
            return error_check(status, &error);
        if (PyErr_CheckSignals())
            return -1;
        if (left != BATON_UNLIMITED && (left -= slice) <= 0)
            break;
    }
    error_say(BATON_TIMEOUT, "the wait's time is over; nothing has changed");
    return -1;
}

int fence_wait_once(struct state *state, baton_fence *fence, int64_t timeout_ns)
{
    if (!fence)
        return 0;
    int waited = fence_wait_patiently(fence, timeout_ns);
    baton_fence_release(fence);
    UNLOCKED(baton_drain(state->runtime, DRAINED, NULL, NULL));
    return waited;
}

static baton_fence *array_fence_handle(PyObject *self)
{
    baton_error error = BATON_ERROR_INIT;
    baton_fence *fence;
    int32_t status;
    baton_array *handle = array_handle(state_of(self), self);
    if (!handle)
        return NULL;
    UNLOCKED(status = baton_array_fence(handle, &fence, &error));
    return error_check(status, &error) ? NULL : fence;
}

static PyObject *array_fence(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    baton_fence *fence = array_fence_handle(self);
    return fence ? fence_make(state_of(self), fence) : NULL;
}

static PyObject *array_synchronize(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "timeout", NULL };
    PyObject *values[1];
    int64_t timeout;
    if (arguments_read("synchronize", names, 0, 1, args, count, keywords, values) || arguments_timeout(values[0], &timeout))
        return NULL;
    baton_fence *fence = array_fence_handle(self);
    if (!fence)
        return NULL;
    if (fence_wait_once(state_of(self), fence, timeout))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *array_query(PyObject *self, PyObject *ignored)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    baton_array *handle = array_handle(state_of(self), self);
    (void)ignored;
    if (!handle)
        return NULL;
    UNLOCKED(status = baton_array_query(handle, &error));
    return error_check(status, &error) ? NULL : PyBool_FromLong(status == BATON_OK);
}

PyMethodDef array_wait_methods[] = {
    { "fence", array_fence, METH_NOARGS,
      PyDoc_STR("fence($self, /)\n--\n\nWhat the array depends on now.") },
    { "synchronize", METHOD(array_synchronize), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("synchronize($self, /, timeout=None)\n--\n\n"
                "Waits until every use of the memory has finished, at most timeout seconds. Signals interrupt "
                "it.") },
    { "query", array_query, METH_NOARGS,
      PyDoc_STR("query($self, /)\n--\n\nWhether the work has finished.") },
    { NULL, NULL, 0, NULL },
};

/* ---- Fence */

struct fence {
    baton_fence *handle;
    PyObject *weakrefs;
};

PyObject *fence_make(struct state *state, baton_fence *handle)
{
    PyObject *self = object_new(state, TYPE_FENCE);
    if (!self) {
        baton_fence_release(handle);
        return NULL;
    }
    ((struct fence *)object_data(self))->handle = handle;
    return self;
}

static void fence_dealloc(PyObject *self)
{
    struct fence *fence = object_data(self);
    if (fence->weakrefs)
        PyObject_ClearWeakRefs(self);
    baton_fence_release(fence->handle);
    object_free(self);
}

static PyObject *fence_query(PyObject *self, PyObject *ignored)
{
    struct fence *fence = object_data(self);
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    (void)ignored;
    UNLOCKED(status = baton_fence_query(fence->handle, &error));
    return error_check(status, &error) ? NULL : PyBool_FromLong(status == BATON_OK);
}

static PyObject *fence_wait(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "timeout", NULL };
    struct fence *fence = object_data(self);
    PyObject *values[1];
    int64_t timeout;
    if (arguments_read("wait", names, 0, 1, args, count, keywords, values) || arguments_timeout(values[0], &timeout) ||
        fence_wait_patiently(fence->handle, timeout))
        return NULL;
    Py_RETURN_NONE;
}

/* Released fences keep their descriptors until something drains: a program that only waits would run out of them. */
static PyObject *fence_fileno(PyObject *self, PyObject *ignored)
{
    struct fence *fence = object_data(self);
    baton_runtime *runtime = state_of(self)->runtime;
    baton_error error = BATON_ERROR_INIT;
    int32_t status, descriptor;
    (void)ignored;
    UNLOCKED({
        baton_drain(runtime, DRAINED, NULL, NULL);
        status = baton_fence_descriptor(fence->handle, &descriptor, &error);
    });
    return error_check(status, &error) ? NULL : PyLong_FromLong(descriptor);
}

static PyObject *fence_await(PyObject *self)
{
    return helper_call("baton._waiting", "fence_await", self, NULL);
}

static PyMethodDef fence_methods[] = {
    { "query", fence_query, METH_NOARGS,
      PyDoc_STR("query($self, /)\n--\n\nWhether the work has finished.") },
    { "wait", METHOD(fence_wait), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("wait($self, /, timeout=None)\n--\n\nWaits, at most timeout seconds. Signals interrupt it.") },
    { "fileno", fence_fileno, METH_NOARGS,
      PyDoc_STR("fileno($self, /)\n--\n\n"
                "A descriptor that becomes readable when the fence is ready or has failed. It belongs to the "
                "fence.") },
    { NULL, NULL, 0, NULL },
};

static PyMemberDef fence_members[] = { OBJECT_WEAKREFS(struct fence, weakrefs), { NULL, 0, 0, 0, NULL } };

static PyType_Slot fence_slots[] = {
    { Py_tp_doc, "What an array or a stream depended on when fence() was called." },
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, fence_dealloc },
    { Py_tp_methods, fence_methods },
    { Py_tp_members, fence_members },
    { Py_am_await, fence_await },
    { 0, NULL },
};

PyType_Spec fence_spec = { "baton.Fence", OBJECT_SIZE(struct fence), 0, Py_TPFLAGS_DEFAULT, fence_slots };

/* ---- Gate */

struct gate {
    baton_gate *handle;
};

/* gate(stream=None, limit=10.0) */
static PyObject *gate_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "stream", "limit", NULL };
    struct state *state = PyType_GetModuleState(type);
    baton_error error = BATON_ERROR_INIT;
    baton_gate *handle;
    PyObject *stream = NULL;
    double limit = 10;
    int32_t status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|Od:Gate", names, &stream, &limit))
        return NULL;
    PyObject *chosen = stream_choose(state, stream, -1);
    if (!chosen)
        return NULL;
    uint64_t nanoseconds = limit > 0 && limit < 1e9 ? (uint64_t)(limit * 1e9) : 0;
    UNLOCKED(status = baton_gate_create(stream_of(chosen)->handle, nanoseconds, &handle, &error));
    Py_DECREF(chosen);
    if (error_check(status, &error))
        return NULL;
    PyObject *self = object_new(state, TYPE_GATE);
    if (!self)
        baton_gate_release(handle);
    else
        ((struct gate *)object_data(self))->handle = handle;
    return self;
}

static void gate_dealloc(PyObject *self)
{
    baton_gate_release(((struct gate *)object_data(self))->handle);
    object_free(self);
}

static PyObject *gate_open(PyObject *self, PyObject *args)
{
    baton_error error = BATON_ERROR_INIT;
    (void)args;
    if (error_check(baton_gate_open(((struct gate *)object_data(self))->handle, &error), &error))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *gate_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return Py_NewRef(self);
}

static PyMethodDef gate_methods[] = {
    { "open", gate_open, METH_NOARGS,
      PyDoc_STR("open($self, /)\n--\n\nLets the held work go on. May be called twice.") },
    { "__enter__", gate_enter, METH_NOARGS,
      PyDoc_STR("__enter__($self, /)\n--\n\nThe gate; open() at the end of the block.") },
    { "__exit__", gate_open, METH_VARARGS,
      PyDoc_STR("__exit__($self, /, *args)\n--\n\nopen().") },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot gate_slots[] = {
    { Py_tp_doc, "Gate(stream=None, limit=10.0)\n\nHolds back what is submitted to the stream afterwards, until open() or for `limit` seconds (1 to 60). For tests of order." },
    { Py_tp_new, gate_new },
    { Py_tp_dealloc, gate_dealloc },
    { Py_tp_methods, gate_methods },
    { 0, NULL },
};

PyType_Spec gate_spec = { "baton.Gate", OBJECT_SIZE(struct gate), 0, Py_TPFLAGS_DEFAULT, gate_slots };
