/* Graphs, and functions that are captured whenever they are called. */
#include "core.h"

struct graph {
    baton_graph *handle;            /* NULL: only made by _capture_run */
    baton_executable *executable;   /* NULL: not instantiated yet */
    PyObject *weakrefs;
};

static struct graph *graph_of(PyObject *object)
{
    return object_data(object);
}

static void graph_dealloc(PyObject *self)
{
    struct graph *graph = graph_of(self);
    if (graph->weakrefs)
        PyObject_ClearWeakRefs(self);
    baton_executable_release(graph->executable);
    baton_graph_release(graph->handle);
    object_free(self);
}

static baton_graph *graph_handle(PyObject *self)
{
    baton_graph *handle = graph_of(self)->handle;
    return handle ? handle : (baton_graph *)(void *)error_say(BATON_ERR_ARGUMENT, "the graph is empty");
}

/* Instantiated at the first need; two threads may both do so, and the first one's stays. */
static int instantiate(PyObject *self)
{
    struct graph *graph = graph_of(self);
    baton_error error = BATON_ERROR_INIT;
    baton_executable *made;
    int32_t status;
    if (graph->executable)
        return 0;
    baton_graph *handle = graph_handle(self);
    if (!handle || error_check(baton_graph_retain(handle), &error))
        return -1;
    UNLOCKED(status = baton_graph_instantiate(handle, &made, &error));
    baton_graph_release(handle);
    if (error_check(status, &error))
        return -1;
    if (graph->executable)
        baton_executable_release(made);
    else
        graph->executable = made;
    return 0;
}

static PyObject *graph_launch(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "stream", NULL };
    struct graph *graph = graph_of(self);
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[1];
    int32_t status;
    if (arguments_read("launch", names, 0, 1, args, count, keywords, values) || instantiate(self))
        return NULL;
    PyObject *stream = stream_choose(state_of(self), values[0], -1);
    if (!stream)
        return NULL;
    UNLOCKED(status = baton_graph_launch(graph->executable, stream_of(stream)->handle, &error));
    Py_DECREF(stream);
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

/* update(other): launches do from now on what the other graph does. */
static PyObject *graph_update(PyObject *self, PyObject *other)
{
    struct graph *graph = graph_of(self);
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    if (!object_is(state_of(self), other, TYPE_GRAPH))
        return PyErr_Format(PyExc_TypeError, "a baton.Graph is needed, not %R", (PyObject *)Py_TYPE(other));
    baton_graph *newer = graph_handle(other);
    if (!newer || instantiate(self) || error_check(baton_graph_retain(newer), &error))
        return NULL;
    UNLOCKED(status = baton_graph_update(graph->executable, newer, &error));
    if (error_check(status, &error)) {
        baton_graph_release(newer);
        return NULL;
    }
    baton_graph *older = graph->handle;
    graph->handle = newer;
    baton_graph_release(older);
    Py_RETURN_NONE;
}

static PyObject *graph_dot(PyObject *self, PyObject *ignored)
{
    baton_error error = BATON_ERROR_INIT;
    baton_graph *handle = graph_handle(self);
    uint64_t needed;
    (void)ignored;
    if (!handle || error_check(baton_graph_dot(handle, NULL, 0, &needed, &error), &error))
        return NULL;
    char *text = PyMem_Malloc(needed);
    PyObject *result = NULL;
    if (!text)
        PyErr_NoMemory();
    else if (!error_check(baton_graph_dot(handle, text, needed, &needed, &error), &error))
        result = PyUnicode_FromString(text);
    PyMem_Free(text);
    return result;
}

static PyObject *graph_number(PyObject *self, void *closure)
{
    baton_graph_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    baton_graph *handle = graph_handle(self);
    if (!handle || error_check(baton_graph_info_read(handle, &info, &error), &error))
        return NULL;
    uint64_t numbers[] = { info.steps, info.memories, info.written, (uint64_t)info.device };
    return PyLong_FromUnsignedLongLong(numbers[(intptr_t)closure]);
}

void graph_take(PyObject *self, baton_graph *handle)
{
    baton_graph *before = graph_of(self)->handle;
    graph_of(self)->handle = handle;
    baton_graph_release(before);
}

/* ---- one call for loops */

/* What the body needs on its way through the library. */
struct body {
    PyThreadState *thread;
    PyObject *callable;
    PyObject *result;               /* of the last run */
    PyObject *type, *value, *trace; /* its exception */
};

/* Tells the library that a capture cannot hold this body, so that it is run eagerly; else any failure. */
static int32_t status_of_exception(struct body *body)
{
    PyErr_Fetch(&body->type, &body->value, &body->trace);
    PyObject *status = body->value ? PyObject_GetAttrString(body->value, "status") : NULL;
    long number = status ? PyLong_AsLong(status) : 0;
    Py_XDECREF(status);
    PyErr_Clear();
    return number == BATON_ERR_CAPTURE ? BATON_ERR_CAPTURE : BATON_ERR_HOOK;
}

static void forget_run(struct body *body)
{
    Py_CLEAR(body->result);
    Py_CLEAR(body->type);
    Py_CLEAR(body->value);
    Py_CLEAR(body->trace);
}

static int32_t run_body(void *user, baton_stream *stream)
{
    struct body *body = user;
    (void)stream;
    PyEval_RestoreThread(body->thread);
    forget_run(body);
    body->result = PyObject_CallNoArgs(body->callable);
    int32_t status = body->result ? BATON_OK : status_of_exception(body);
    body->thread = PyEval_SaveThread();
    return status;
}

/* The body's own exception stands for the status that it became. */
static PyObject *run_result(struct body *body, int32_t status, const baton_error *error, int32_t outcome, const baton_error *reason)
{
    PyObject *result = NULL;
    if (status < 0 && body->type) {
        PyErr_Restore(body->type, body->value, body->trace);
        body->type = body->value = body->trace = NULL;
    } else if (!error_check(status, error)) {
        result = Py_BuildValue("(Ois)", body->result ? body->result : Py_None, outcome, outcome == BATON_RUN_EAGER ? reason->message : "");
    }
    forget_run(body);
    return result;
}

/* _capture_run(stream, mode, callable, graph) -> (result, outcome, reason); graph, made by _graph(), holds the executable between calls. */
static PyObject *capture_run(PyObject *module, PyObject *args)
{
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT, reason = BATON_ERROR_INIT;
    struct body body = { .thread = NULL };
    PyObject *stream, *holder;
    int32_t outcome = 0;
    int mode;
    if (!PyArg_ParseTuple(args, "OiOO:_capture_run", &stream, &mode, &body.callable, &holder))
        return NULL;
    if (!object_is(state, holder, TYPE_GRAPH) || !object_is(state, stream, TYPE_STREAM))
        return PyErr_Format(PyExc_TypeError, "a stream and a graph are needed");
    if (task_tag(state, stream_of(stream)->handle))
        return NULL;
    body.thread = PyEval_SaveThread();
    int32_t status = baton_capture_run(stream_of(stream)->handle, mode, run_body, &body, &graph_of(holder)->executable, &outcome, &reason, &error);
    PyEval_RestoreThread(body.thread);
    return run_result(&body, status, &error, outcome, &reason);
}

static PyObject *empty_graph(PyObject *module, PyObject *ignored)
{
    (void)ignored;
    return object_new(module_state(module), TYPE_GRAPH);
}

PyMethodDef graph_methods[] = {
    { "_capture_run", capture_run, METH_VARARGS, NULL },
    { "_graph", empty_graph, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMethodDef methods[] = {
    { "launch", METHOD(graph_launch), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("launch($self, /, stream=None)\n--\n\n"
                "Runs it on the stream, by default the current one, ordered like any other operation.") },
    { "update", graph_update, METH_O,
      PyDoc_STR("update($self, other, /)\n--\n\n"
                "Launches do from now on what the other graph does. TopologyError when their shapes differ.") },
    { "dot", graph_dot, METH_NOARGS,
      PyDoc_STR("dot($self, /)\n--\n\nThe graph as DOT text.") },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef getset[] = {
    { "steps", graph_number, NULL, "Captured submissions.", (void *)0 },
    { "memories", graph_number, NULL, "Memories that it uses.", (void *)1 },
    { "written", graph_number, NULL, "Of these, written by it.", (void *)2 },
    { "device", graph_number, NULL, "Number of the device.", (void *)3 },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyMemberDef members[] = { OBJECT_WEAKREFS(struct graph, weakrefs), { NULL, 0, 0, 0, NULL } };

static PyType_Slot slots[] = {
    { Py_tp_doc, "Work that was captured once and is launched often. It keeps its arrays, kernels and argument values." },
    { Py_tp_new, object_no_new }, { Py_tp_dealloc, graph_dealloc }, { Py_tp_methods, methods },
    { Py_tp_getset, getset },     { Py_tp_members, members },       { 0, NULL },
};

PyType_Spec graph_spec = { "baton.Graph", OBJECT_SIZE(struct graph), 0, Py_TPFLAGS_DEFAULT, slots };
