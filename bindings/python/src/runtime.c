/* One runtime per interpreter, opened when it is first needed; memory under pressure; counts and limits. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

enum { CLIMBS = 20 };

/* ---- opening and ending */

static const char *driver_name(const struct state *state)
{
    const char *environment = getenv("BATON_DRIVER");
    if (state->driver[0])
        return state->driver;
    return environment && *environment ? environment : NULL;
}

/* Without the interpreter's lock; one thread at a time. */
static int32_t open_once(struct state *state, const char *driver, baton_error *error)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = driver, .flags = state->flags };
    baton_runtime *opened;
    int32_t status = BATON_OK;
    PyThread_acquire_lock(state->opening, WAIT_LOCK);
    if (!state->runtime && !(status = baton_runtime_open(&options, &opened, error)))
        state->runtime = opened;
    PyThread_release_lock(state->opening);
    return status;
}

baton_runtime *runtime_get(struct state *state)
{
    if (state->runtime)
        return state->runtime;
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    char driver[64] = "";
    const char *name = driver_name(state);
    PyOS_snprintf(driver, sizeof driver, "%s", name ? name : "auto");
    UNLOCKED(status = open_once(state, driver, &error));
    return error_check(status, &error) ? NULL : state->runtime;
}

int runtime_exec(PyObject *module)
{
    struct state *state = module_state(module);
    state->opening = PyThread_allocate_lock();
    state->climbing = PyThread_allocate_lock();
    state->attic = attic_open();
    if (state->opening && state->climbing && state->attic)
        return 0;
    PyErr_NoMemory();
    return -1;
}

/* In a child: locks that other threads of the parent held are nobody's here. */
static PyObject *runtime_after_fork(PyObject *module, PyObject *ignored)
{
    struct state *state = module_state(module);
    (void)ignored;
    state->opening = PyThread_allocate_lock();
    state->climbing = PyThread_allocate_lock();
    state->climber = 0;
    if (!state->opening || !state->climbing)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

/* The main interpreter ends with its process: nothing is waited for, so that work in flight cannot hold the exit back. Another interpreter gives everything
 * back. Handles that outlive it can still be released. */
void runtime_free(struct state *state)
{
    baton_runtime *runtime = state->runtime;
    state->runtime = NULL;
    if (runtime && PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
        UNLOCKED(baton_runtime_close(runtime, NULL));
    if (state->opening)
        PyThread_free_lock(state->opening);
    if (state->climbing)
        PyThread_free_lock(state->climbing);
    state->opening = state->climbing = NULL;
}

/* Adds the flag when the value, if there is one, is as wanted; 0, or -1 with an exception. */
static int flag_read(PyObject *value, int wanted, uint32_t flag, uint32_t *flags)
{
    int truth = value ? PyObject_IsTrue(value) : !wanted;
    if (truth == wanted)
        *flags |= flag;
    return truth < 0 ? -1 : 0;
}

static PyObject *runtime_init(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "driver", "host_wait", "peer_events", "cache", NULL };
    struct state *state = module_state(module);
    PyObject *values[4];
    uint32_t flags = 0;
    if (arguments_read("init", names, 0, 1, args, count, keywords, values))
        return NULL;
    const char *driver = NULL;
    if (values[0] && values[0] != Py_None && !(driver = PyUnicode_AsUTF8AndSize(values[0], NULL)))
        return NULL;
    if (flag_read(values[1], 1, BATON_RUNTIME_HOST_WAIT, &flags) || flag_read(values[2], 1, BATON_RUNTIME_PEER_EVENTS, &flags) ||
        flag_read(values[3], 0, BATON_RUNTIME_NO_CACHE, &flags))
        return NULL;
    if (state->runtime)
        return error_say(BATON_ERR_BUSY, "the runtime is open already: call init() before anything else");
    PyOS_snprintf(state->driver, sizeof state->driver, "%s", driver ? driver : "");
    state->flags = flags;
    if (!runtime_get(state))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- memory */

/* Level 1 is for young garbage, 2 for everything; the result of a collection does not matter. */
static int collect(int32_t level)
{
    PyObject *generation = PyLong_FromLong(level <= 1 ? 1 : 2);
    PyObject *collected = generation ? helper_call("gc", "collect", generation, NULL) : NULL;
    Py_XDECREF(generation);
    Py_XDECREF(collected);
    return collected ? 0 : -1;
}

static int32_t create(struct state *state, baton_array_options *options, baton_array **array, baton_error *error)
{
    baton_runtime *runtime = state->runtime;
    int32_t status;
    UNLOCKED(status = baton_array_create(runtime, options, array, error));
    return status;
}

/* The ladder once, from its foot. */
static int32_t climb(struct state *state, baton_array_options *options, baton_array **array, baton_error *error)
{
    options->level = 0;
    int32_t status = create(state, options, array, error);
    while (status == BATON_OOM_RETRY) {
        options->level = error->level;
        if (collect(error->level))
            PyErr_Clear();      /* the ladder goes on and ends in the library's own report */
        status = create(state, options, array, error);
    }
    return status;
}

/* What changes when anybody takes or gives back memory. */
static uint64_t changes(struct state *state, int32_t device)
{
    baton_stats stats = { .struct_size = sizeof stats };
    baton_device_info info = { .struct_size = sizeof info };
    UNLOCKED({
        baton_drain(state->runtime, 0, NULL, NULL);
        baton_device_info_read(state->runtime, device, &info, NULL);
        baton_stats_read(state->runtime, &stats, NULL);
    });
    return stats.allocations + stats.frees + info.deferred_bytes;
}

/* The collector does nothing when another thread is inside it, and memory that it freed may go to others. So the ladder
 * is climbed again, at least once, until nothing has changed meanwhile. */
static int32_t climb_often(struct state *state, baton_array_options *options, baton_array **array, baton_error *error)
{
    uint64_t before = 0, after = changes(state, options->device);
    int32_t status = climb(state, options, array, error);
    for (int again = 0; status == BATON_ERR_OOM && again < CLIMBS && (again == 0 || before != after); again++) {
        before = after;
        status = climb(state, options, array, error);
        after = changes(state, options->device);
    }
    return status;
}

/* One thread climbs at a time, and others that want memory meanwhile wait behind it. A finalizer that the collector runs
 * on the climbing thread, and that wants memory itself, climbs within. */
static int32_t climb_alone(struct state *state, baton_array_options *options, baton_array **array, baton_error *error)
{
    unsigned long me = PyThread_get_thread_ident();
    if (state->climber == me)
        return climb(state, options, array, error);
    UNLOCKED(PyThread_acquire_lock(state->climbing, WAIT_LOCK));
    state->climber = me;
    int32_t status = climb_often(state, options, array, error);
    state->climber = 0;
    PyThread_release_lock(state->climbing);
    return status;
}

/* With the interpreter's lock: to let it go and take it again costs more than what happens here. Why it failed, the ordinary way says. */
static int create_at_once(struct state *state, baton_array_options *options, baton_array **array)
{
    options->flags = BATON_ALLOC_TRY;
    return baton_array_create(state->runtime, options, array, NULL) == BATON_OK;
}

int32_t runtime_create(struct state *state, baton_array_options *options, baton_array **array, baton_error *error)
{
    if (create_at_once(state, options, array))
        return BATON_OK;
    options->flags = BATON_ALLOC_NO_HOOK;
    int32_t status = state->climber ? BATON_OOM_RETRY : create(state, options, array, error);
    return status == BATON_OOM_RETRY ? climb_alone(state, options, array, error) : status;
}

static PyObject *runtime_set_limit(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "bytes", "device", NULL };
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[2];
    int64_t bytes = 0;
    int32_t device, status;
    if (arguments_read("set_memory_limit", names, 1, 2, args, count, keywords, values) || arguments_int32(values[1], 0, &device) ||
        (values[0] != Py_None && arguments_int(values[0], &bytes)) || !runtime_get(state))
        return NULL;
    if (bytes < 0)
        return PyErr_Format(PyExc_ValueError, "a limit of %lld bytes", (long long)bytes);
    UNLOCKED(status = baton_set_memory_limit(state->runtime, device, (uint64_t)bytes, &error));
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *runtime_drain(PyObject *module, PyObject *ignored)
{
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT;
    uint64_t freed = 0;
    int32_t status;
    (void)ignored;
    if (!runtime_get(state))
        return NULL;
    UNLOCKED(status = baton_drain(state->runtime, 0, &freed, &error));
    owner_flush(state->attic);
    return error_check(status, &error) ? NULL : PyLong_FromUnsignedLongLong(freed);
}

static PyObject *runtime_trim(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "device", "keep", NULL };
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[2];
    int64_t keep = 0;
    int32_t device, status;
    if (arguments_read("trim", names, 0, 2, args, count, keywords, values) || arguments_int32(values[0], 0, &device) ||
        (values[1] && arguments_int(values[1], &keep)) || !runtime_get(state))
        return NULL;
    UNLOCKED(status = baton_trim(state->runtime, device, keep > 0 ? (uint64_t)keep : 0, &error));
    if (error_check(status, &error))
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef runtime_methods[] = {
    { "init", METHOD(runtime_init), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("init(driver=None, *, host_wait=False, peer_events=False, cache=True)\n--\n\n"
                "Opens the runtime with that driver: 'auto', 'cuda', 'soft', 'soft:N'.\n"
                "\n"
                "Without it, the first use opens BATON_DRIVER, else 'auto'. peer_events: memory that passes between devices is "
                "waited for\non the device, not on the host. For comparison and debugging: host_wait makes every hand-off wait "
                "on the host, and\nwithout cache what is released goes back to the driver at once. BusyError when it is open "
                "already.") },
    { "set_memory_limit", METHOD(runtime_set_limit), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("set_memory_limit(bytes, device=0)\n--\n\n"
                "Live and deferred bytes of the device stay at or below `bytes`; 0 or None: no limit.") },
    { "drain", runtime_drain, METH_NOARGS,
      PyDoc_STR("drain()\n--\n\nGives back what was released and is ready; returns the bytes.") },
    { "trim", METHOD(runtime_trim), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("trim(device=0, keep=0)\n--\n\n"
                "Returns unused memory of the device's pool beyond `keep` bytes to the system.") },
    { "_after_fork", runtime_after_fork, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};
