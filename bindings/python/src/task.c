/* Which stream is current. A context variable holds a Choice: the innermost `with stream:`, and the Task whose own
 * streams are used otherwise. A context is copied when a task or a thread is started from another; what was chosen by
 * `with` is inherited then, a task's own streams are not: whoever finds another's Task gets a new one. When the last
 * context that knows a Task ends, its streams go to the pool and serve the next. */
#include "core.h"

struct choice {
    PyObject *stream;           /* by `with`; NULL: none */
    PyObject *outer;            /* the Choice that it hides; NULL: none */
    PyObject *task;             /* NULL: none yet */
};

struct task {
    unsigned long thread;
    PyObject *asyncio;          /* weak reference to the asyncio task; NULL: outside */
    PyObject *streams;          /* list by device: Stream or None */
    uint64_t number;            /* tag of its streams */
};

/* ---- the pool of streams without a task */

static baton_stream *take_idle(struct state *state, int32_t device)
{
    for (int32_t i = state->idle_count - 1; i >= 0; i--) {
        if (state->idle[i].device == device) {
            baton_stream *stream = state->idle[i].stream;
            state->idle[i] = state->idle[--state->idle_count];
            return stream;
        }
    }
    return NULL;
}

/* A stream that somebody else still holds is left to them. */
static void give_idle(struct state *state, PyObject *stream)
{
    if (!state || stream == Py_None || Py_REFCNT(stream) > 1 || state->idle_count == IDLE_STREAMS || !state->runtime)
        return;
    struct stream *data = stream_of(stream);
    int32_t captured = 1;
    if (baton_capture_active(data->handle, &captured, NULL) || captured || baton_stream_retain(data->handle))
        return;
    state->idle[state->idle_count].stream = data->handle;
    state->idle[state->idle_count++].device = data->device;
}

void task_forget_idle(struct state *state)
{
    while (state->idle_count > 0)
        baton_stream_release(state->idle[--state->idle_count].stream);
}

/* ---- Task */

static void task_dealloc(PyObject *self)
{
    struct task *task = object_data(self);
    struct state *state = state_of(self);
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; task->streams && i < PyList_Size(task->streams); i++)
        give_idle(state, PyList_GetItem(task->streams, i));
    Py_CLEAR(task->streams);
    Py_CLEAR(task->asyncio);
    object_free_collected(self);
}

static int task_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct task *task = object_data(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(task->asyncio);
    Py_VISIT(task->streams);
    return 0;
}

static int task_clear(PyObject *self)
{
    struct task *task = object_data(self);
    Py_CLEAR(task->streams);
    return 0;
}

/* asyncio's functions, once something has imported it. */
static int asyncio_known(struct state *state)
{
    if (state->current_task)
        return 1;
    PyObject *module = PyDict_GetItemWithError(state->modules, state->asyncio_name);
    if (!module)
        return 0;
    object_replace(&state->running_loop, PyObject_GetAttrString(module, "_get_running_loop"));
    state->current_task = state->running_loop ? PyObject_GetAttrString(module, "current_task") : NULL;
    PyErr_Clear();              /* it is being imported */
    return state->current_task != NULL;
}

/* The running asyncio task, borrowed from its loop: NULL when there is none. */
static PyObject *asyncio_task(struct state *state)
{
    if (!asyncio_known(state))
        return NULL;
    PyObject *loop = PyObject_CallNoArgs(state->running_loop), *task = NULL;
    if (loop && loop != Py_None)
        task = PyObject_CallNoArgs(state->current_task);
    Py_XDECREF(loop);
    Py_XDECREF(task);           /* its loop keeps it */
    PyErr_Clear();
    return task == Py_None ? NULL : task;
}

static int task_is_here(struct state *state, PyObject *self)
{
    struct task *task = object_data(self);
    if (task->thread != PyThread_get_thread_ident())
        return 0;
    PyObject *running = asyncio_task(state);
    return task->asyncio ? running && PyWeakref_GetObject(task->asyncio) == running : !running;
}

static PyObject *task_new(struct state *state)
{
    PyObject *self = object_new(state, TYPE_TASK), *running = asyncio_task(state);
    if (!self)
        return NULL;
    struct task *task = object_data(self);
    task->thread = PyThread_get_thread_ident();
    task->number = ++state->tasks;
    task->streams = PyList_New(0);
    task->asyncio = running ? PyWeakref_NewRef(running, NULL) : NULL;
    if (!task->streams || (running && !task->asyncio))
        Py_CLEAR(self);
    return self;
}

/* ---- Choice */

static void choice_dealloc(PyObject *self)
{
    struct choice *choice = object_data(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(choice->stream);
    Py_CLEAR(choice->outer);
    Py_CLEAR(choice->task);
    object_free_collected(self);
}

static int choice_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct choice *choice = object_data(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(choice->stream);
    Py_VISIT(choice->outer);
    Py_VISIT(choice->task);
    return 0;
}

static int choice_clear(PyObject *self)
{
    struct choice *choice = object_data(self);
    Py_CLEAR(choice->outer);
    return 0;
}

/* Makes the three the context's choice. */
static int choice_set(struct state *state, PyObject *stream, PyObject *outer, PyObject *task)
{
    PyObject *self = object_new(state, TYPE_CHOICE);
    if (!self)
        return -1;
    struct choice *choice = object_data(self);
    choice->stream = Py_XNewRef(stream);
    choice->outer = Py_XNewRef(outer);
    choice->task = Py_XNewRef(task);
    PyObject *token = PyObject_CallMethod(state->choice, "set", "O", self);
    Py_DECREF(self);
    Py_XDECREF(token);
    return token ? 0 : -1;
}

/* The data of the choice that is now in force, and its object: zeros when there is none. -1: exception. */
static int choice_read(struct state *state, PyObject **object, struct choice *now)
{
    *now = (struct choice) { .stream = NULL };
    *object = state->choice_get ? PyObject_CallNoArgs(state->choice_get) : object_ended();
    if (!*object)
        return -1;
    if (*object != Py_None)
        *now = *(struct choice *)object_data(*object);
    return 0;
}

/* This task's Task, made and chosen when the context's choice has none or another's. */
static PyObject *task_of_choice(struct state *state, const struct choice *now)
{
    if (now->task && task_is_here(state, now->task))
        return Py_NewRef(now->task);
    PyObject *task = task_new(state);
    if (task && choice_set(state, now->stream, now->outer, task))
        Py_CLEAR(task);
    return task;
}

static PyObject *task_here(struct state *state)
{
    PyObject *object;
    struct choice now;
    if (choice_read(state, &object, &now))
        return NULL;
    PyObject *task = task_of_choice(state, &now);
    Py_DECREF(object);
    return task;
}

int task_tag(struct state *state, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    PyObject *task = task_here(state);
    if (!task)
        return -1;
    int32_t status = baton_stream_set_task(stream, ((struct task *)object_data(task))->number, &error);
    Py_DECREF(task);
    return error_check(status, &error);
}

/* ---- the current stream */

static PyObject *new_stream(struct state *state, struct task *task, int32_t device)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t status = BATON_OK;
    baton_stream *handle = take_idle(state, device);
    if (!handle)
        UNLOCKED(status = baton_stream_create(state->runtime, device, 0, 0, &handle, &error));
    if (!status && (status = baton_stream_set_task(handle, task->number, &error)))
        baton_stream_release(handle);
    return error_check(status, &error) ? NULL : stream_make(state, handle, device);
}

static PyObject *own_stream(struct state *state, PyObject *self, int32_t device)
{
    struct task *task = object_data(self);
    PyObject *found = device < PyList_Size(task->streams) ? PyList_GetItem(task->streams, device) : Py_None;
    if (found != Py_None)
        return Py_NewRef(found);
    if (device > 4095)
        return error_say(BATON_ERR_DEVICE, "there is no device %d", device);
    PyObject *made = runtime_get(state) ? new_stream(state, task, device) : NULL;
    while (made && PyList_Size(task->streams) <= device)
        if (PyList_Append(task->streams, Py_None))
            Py_CLEAR(made);
    if (made)
        PyList_SetItem(task->streams, device, Py_NewRef(made));
    return made;
}

PyObject *task_stream(struct state *state, int32_t device)
{
    PyObject *object, *task, *stream = NULL;
    struct choice now;
    if (choice_read(state, &object, &now))
        return NULL;
    if (now.stream && (device < 0 || stream_of(now.stream)->device == device)) {
        stream = Py_NewRef(now.stream);
    } else if ((task = task_of_choice(state, &now))) {
        stream = own_stream(state, task, device < 0 ? 0 : device);
        Py_DECREF(task);
    }
    Py_DECREF(object);
    return stream;
}

int task_enter(struct state *state, PyObject *stream)
{
    PyObject *object;
    struct choice now;
    if (choice_read(state, &object, &now))
        return -1;
    int status = choice_set(state, stream, object == Py_None ? NULL : object, now.task);
    Py_DECREF(object);
    return status;
}

int task_leave(struct state *state, PyObject *stream)
{
    PyObject *object;
    struct choice now, outer = { .stream = NULL };
    if (choice_read(state, &object, &now))
        return -1;
    int status = -1;
    if (now.outer)
        outer = *(struct choice *)object_data(now.outer);
    if (now.stream == stream)
        status = choice_set(state, outer.stream, outer.outer, now.task);
    else
        PyErr_SetString(PyExc_RuntimeError, "the blocks of `with stream:` end in another order than they began");
    Py_DECREF(object);
    return status;
}

static PyObject *make_variable(void)
{
    PyObject *module = PyImport_ImportModule("contextvars"), *variable = NULL;
    PyObject *type = module ? PyObject_GetAttrString(module, "ContextVar") : NULL;
    PyObject *args = Py_BuildValue("(s)", "baton.stream"), *keywords = Py_BuildValue("{sO}", "default", Py_None);
    if (type && args && keywords)
        variable = PyObject_Call(type, args, keywords);
    Py_XDECREF(keywords);
    Py_XDECREF(args);
    Py_XDECREF(type);
    Py_XDECREF(module);
    return variable;
}

int task_exec(PyObject *module)
{
    struct state *state = module_state(module);
    state->choice = make_variable();
    state->choice_get = state->choice ? PyObject_GetAttrString(state->choice, "get") : NULL;
    state->asyncio_name = PyUnicode_InternFromString("asyncio");
    state->modules = Py_XNewRef(PyImport_GetModuleDict());
    return state->choice_get && state->asyncio_name && state->modules ? 0 : -1;
}

static PyType_Slot choice_slots[] = {
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, choice_dealloc },
    { Py_tp_traverse, choice_traverse },
    { Py_tp_clear, choice_clear },
    { 0, NULL },
};

PyType_Spec choice_spec = { "baton._core.Choice", OBJECT_SIZE(struct choice), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, choice_slots };

static PyType_Slot task_slots[] = {
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, task_dealloc },
    { Py_tp_traverse, task_traverse },
    { Py_tp_clear, task_clear },
    { 0, NULL },
};

PyType_Spec task_spec = { "baton._core.Task", OBJECT_SIZE(struct task), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, task_slots };
