/* capture(): a block whose work becomes a graph. In C from end to end: between the calls of a function in Python, a signal could leave the capture open. */
#include "core.h"

/* Holds streams and a graph, which refer to no other object. */
struct capture {
    PyObject *wanted;           /* a Stream; NULL: the current one of the task that enters */
    PyObject *open;             /* the Stream from before the capture begins until after it has ended; else NULL */
    PyObject *graph;            /* of the block that is open */
    int32_t mode;
};

static int mode_read(PyObject *name, int32_t *mode)
{
    static const char *const names[] = { [BATON_CAPTURE_GLOBAL] = "global", [BATON_CAPTURE_THREAD_LOCAL] = "thread_local", [BATON_CAPTURE_RELAXED] = "relaxed" };
    *mode = BATON_CAPTURE_THREAD_LOCAL;
    if (!name)
        return 0;
    for (*mode = 0; *mode < (int32_t)(sizeof names / sizeof *names); ++*mode)
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, names[*mode]) == 0)
            return 0;
    PyErr_Format(PyExc_ValueError, "a capture's mode is one of global, thread_local, relaxed, not %R", name);
    return -1;
}

/* capture(stream=None, *, mode='thread_local') */
static PyObject *capture_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "stream", "mode", NULL };
    struct state *state = PyType_GetModuleState(type);
    PyObject *wanted = NULL, *name = NULL;
    int32_t mode;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$O:capture", names, &wanted, &name) || mode_read(name, &mode))
        return NULL;
    PyObject *stream = wanted && wanted != Py_None ? stream_choose(state, wanted, -1) : NULL;
    PyObject *self = PyErr_Occurred() ? NULL : object_new(state, TYPE_CAPTURE);
    if (self)
        *(struct capture *)object_data(self) = (struct capture) { .wanted = stream, .mode = mode };
    else
        Py_XDECREF(stream);
    return self;
}

static void capture_dealloc(PyObject *self)
{
    struct capture *capture = object_data(self);
    Py_CLEAR(capture->wanted);
    Py_CLEAR(capture->open);
    Py_CLEAR(capture->graph);
    object_free(self);
}

static int begin(struct state *state, struct capture *capture)
{
    baton_error error = BATON_ERROR_INIT;
    baton_stream *stream = stream_of(capture->open)->handle;
    int32_t status, mode = capture->mode;
    if (task_tag(state, stream))
        return -1;
    UNLOCKED(status = baton_capture_begin(stream, mode, &error));
    if (error_check(status, &error))
        return -1;
    if (!task_enter(state, capture->open))
        return 0;
    UNLOCKED(baton_capture_abandon(stream, NULL));
    return -1;
}

static PyObject *capture_enter(PyObject *self, PyObject *ignored)
{
    struct state *state = state_of(self);
    struct capture *capture = object_data(self);
    (void)ignored;
    if (capture->open)
        return error_say(BATON_ERR_BUSY, "the capture is open already");
    object_replace(&capture->graph, object_new(state, TYPE_GRAPH));
    if (!capture->graph || !(capture->open = stream_choose(state, capture->wanted, -1)))
        return NULL;
    if (begin(state, capture)) {
        Py_CLEAR(capture->open);
        return NULL;
    }
    return Py_NewRef(capture->graph);
}

static int end(struct capture *capture, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    baton_graph *made;
    int32_t status;
    UNLOCKED(status = baton_capture_end(stream, &made, &error));
    if (error_check(status, &error))
        return -1;
    graph_take(capture->graph, made);
    return 0;
}

/* The exception that is on its way, of the block or of the streams' order, stays. */
static void abandon(baton_stream *stream)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    UNLOCKED(baton_capture_abandon(stream, NULL));
    PyErr_Restore(type, value, trace);
}

static PyObject *capture_exit(PyObject *self, PyObject *args)
{
    struct capture *capture = object_data(self);
    PyObject *open = capture->open;
    int failed = PyTuple_Size(args) > 0 && PyTuple_GetItem(args, 0) != Py_None;
    if (!open)
        return error_say(BATON_ERR_ARGUMENT, "the capture is not open");
    int status = task_leave(state_of(self), open);
    if (status || failed)
        abandon(stream_of(open)->handle);
    else
        status = end(capture, stream_of(open)->handle);
    Py_CLEAR(capture->open);
    return status ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    { "__enter__", capture_enter, METH_NOARGS,
      PyDoc_STR("__enter__($self, /)\n--\n\nBegins; gives the graph, which is empty until the end of the block.") },
    { "__exit__", capture_exit, METH_VARARGS,
      PyDoc_STR("__exit__($self, /, *args)\n--\n\nEnds; the graph can be launched, unless the block raised.") },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "capture(stream=None, *, mode='thread_local')\n\n"
                 "with capture(stream) as graph: what the block submits to the stream becomes the graph, and does not run.\n\n"
                 "stream None is the task's current one; in the block it is the current one. The graph can be launched after the block.\n"
                 "A block that raises leaves no graph. mode says what the capture forbids to other threads meanwhile (baton.h); with\n"
                 "\"global\" and \"thread_local\" the block ends on the thread that began it." },
    { Py_tp_new, capture_new }, { Py_tp_dealloc, capture_dealloc }, { Py_tp_methods, methods }, { 0, NULL },
};

PyType_Spec capture_spec = { "baton.capture", OBJECT_SIZE(struct capture), 0, Py_TPFLAGS_DEFAULT, slots };
