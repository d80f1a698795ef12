/* What the runtime and its devices say about themselves. */
#include "core.h"

/* Sets a number; 0 or -1. */
static int put(PyObject *dict, const char *name, uint64_t value)
{
    PyObject *number = PyLong_FromUnsignedLongLong(value);
    int status = number ? PyDict_SetItemString(dict, name, number) : -1;
    Py_XDECREF(number);
    return status;
}

static int put_text(PyObject *dict, const char *name, const char *value)
{
    PyObject *text = PyUnicode_FromString(value);
    int status = text ? PyDict_SetItemString(dict, name, text) : -1;
    Py_XDECREF(text);
    return status;
}

/* The finished dict, or NULL when a step failed. */
static PyObject *finish(PyObject *dict, int failed)
{
    if (failed)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *host_waits(const baton_stats *stats)
{
    PyObject *dict = PyDict_New();
    int failed = !dict;
    for (int32_t i = 0; i < BATON_HOST_WAIT_CAUSES && !failed; i++)
        failed = put(dict, baton_host_wait_name(i), stats->host_waits[i]);
    return finish(dict, failed);
}

static PyObject *stats_dict(const baton_stats *stats)
{
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        { "operations", stats->operations },           { "device_waits", stats->device_waits },
        { "records", stats->records },                 { "elided_same", stats->elided_same },
        { "elided_covered", stats->elided_covered },   { "elided_complete", stats->elided_complete },
        { "host_blocked_ns", stats->host_blocked_ns }, { "allocations", stats->allocations },
        { "frees", stats->frees },                     { "live_bytes", stats->live_bytes },
        { "deferred_bytes", stats->deferred_bytes },   { "live_arrays", stats->live_arrays },
        { "graph_launches", stats->graph_launches },   { "graph_memories", stats->graph_memories },
        { "graph_waits", stats->graph_waits },         { "faults_swallowed", stats->faults_swallowed },
        { "longest_lock_wait_ns", stats->longest_lock_wait_ns },
    };
    PyObject *dict = PyDict_New(), *waits = host_waits(stats);
    int failed = !dict || !waits || PyDict_SetItemString(dict, "host_waits", waits);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !failed; i++)
        failed = put(dict, rows[i].name, rows[i].value);
    Py_XDECREF(waits);
    return finish(dict, failed);
}

static PyObject *info_stats(PyObject *module, PyObject *ignored)
{
    struct state *state = module_state(module);
    baton_stats stats = { .struct_size = sizeof stats };
    baton_error error = BATON_ERROR_INIT;
    (void)ignored;
    if (!runtime_get(state) || error_check(baton_stats_read(state->runtime, &stats, &error), &error))
        return NULL;
    return stats_dict(&stats);
}

static PyObject *info_runtime(PyObject *module, PyObject *ignored)
{
    struct state *state = module_state(module);
    baton_runtime_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    (void)ignored;
    if (!runtime_get(state) || error_check(baton_runtime_info_read(state->runtime, &info, &error), &error))
        return NULL;
    PyObject *dict = PyDict_New();
    return finish(dict, !dict || put_text(dict, "driver", info.driver) || put(dict, "driver_version", (uint64_t)info.driver_version) ||
                            put(dict, "devices", (uint64_t)info.devices) || put_text(dict, "reason", info.reason) ||
                            put(dict, "library_version", baton_version()) ||
                            put(dict, "abi_version", baton_abi_version()));
}

/* The dynamic loader has a lock of its own, which others may hold while they want the interpreter's. */
static PyObject *info_copies(PyObject *module, PyObject *ignored)
{
    int32_t copies;
    (void)module, (void)ignored;
    UNLOCKED(copies = baton_process_copies());
    return PyLong_FromLong(copies);
}

static PyObject *info_device(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "device", NULL };
    struct state *state = module_state(module);
    baton_device_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    PyObject *values[1];
    int32_t device, status;
    if (arguments_read("device_info", names, 0, 1, args, count, keywords, values) || arguments_int32(values[0], 0, &device) || !runtime_get(state))
        return NULL;
    UNLOCKED(status = baton_device_info_read(state->runtime, device, &info, &error));
    if (error_check(status, &error))
        return NULL;
    PyObject *dict = PyDict_New();
    return finish(dict, !dict || put_text(dict, "name", info.name) || put(dict, "compute_major", (uint64_t)info.compute_major) ||
                            put(dict, "compute_minor", (uint64_t)info.compute_minor) ||
                            put(dict, "multiprocessors", (uint64_t)info.multiprocessors) ||
                            put(dict, "concurrent_managed", (uint64_t)info.concurrent_managed) || put(dict, "total_bytes", info.total_bytes) ||
                            put(dict, "limit_bytes", info.limit_bytes) || put(dict, "live_bytes", info.live_bytes) ||
                            put(dict, "deferred_bytes", info.deferred_bytes));
}

/* ---- the trace */

static PyObject *trace_start(PyObject *module, PyObject *capacity)
{
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT;
    int32_t entries;
    if (arguments_int32(capacity, 0, &entries) || !runtime_get(state))
        return NULL;
    if (entries < 0)
        return PyErr_Format(PyExc_ValueError, "a trace of %d entries", entries);
    if (error_check(baton_trace_start(state->runtime, (uint32_t)entries, &error), &error))
        return NULL;
    Py_RETURN_NONE;
}

/* (time_ns, operation, stream_id, ticket, other_stream_id, other_ticket, cause of a host wait or None, duration_ns) */
static PyObject *trace_tuple(const baton_trace_entry *entry)
{
    const char *cause = entry->host_cause < 0 ? NULL : baton_host_wait_name(entry->host_cause);
    return Py_BuildValue("(KsKKKKzK)", entry->time_ns, baton_operation_name(entry->operation), entry->stream_id, entry->ticket,
                         entry->other_stream_id, entry->other_ticket, cause, entry->duration_ns);
}

static PyObject *trace_read(PyObject *module, PyObject *ignored)
{
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT;
    baton_trace_entry entries[64];
    uint32_t count = 64;
    PyObject *list = runtime_get(state) ? PyList_New(0) : NULL;
    (void)ignored;
    while (list && count == 64) {
        if (error_check(baton_trace_read(state->runtime, entries, 64, &count, &error), &error))
            return finish(list, 1);
        for (uint32_t i = 0; i < count && list; i++) {
            PyObject *tuple = trace_tuple(&entries[i]);
            if (!tuple || PyList_Append(list, tuple))
                Py_CLEAR(list);
            Py_XDECREF(tuple);
        }
    }
    return list;
}

/* ---- the task */

static PyObject *current_stream(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "device", NULL };
    PyObject *values[1];
    int32_t device;
    if (arguments_read("current_stream", names, 0, 1, args, count, keywords, values) || arguments_device(values[0], &device))
        return NULL;
    return task_stream(module_state(module), device);
}

PyMethodDef info_methods[] = {
    { "stats", info_stats, METH_NOARGS, PyDoc_STR("stats()\n--\n\nCounts since the runtime was opened, a dict.") },
    { "info", info_runtime, METH_NOARGS, PyDoc_STR("info()\n--\n\nThe driver, its version, and how many devices there are, a dict.") },
    { "process_copies", info_copies, METH_NOARGS,
      PyDoc_STR("process_copies()\n--\n\n"
                "How often the library is loaded in this process. Above 1, as when another package brings a copy of its own: "
                "each copy\nhas runtimes of its own, and arrays pass between them only as they pass to other libraries, "
                "through DLPack.") },
    { "device_info", METHOD(info_device), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("device_info(device=0)\n--\n\nName, size and memory in use of a device, a dict.") },
    { "trace_start", trace_start, METH_O,
      PyDoc_STR("trace_start(capacity, /)\n--\n\n"
                "Keeps the newest `capacity` operations and waits from now on; 0 stops.") },
    { "trace_read", trace_read, METH_NOARGS, PyDoc_STR("trace_read()\n--\n\nTakes what the trace holds: a list of tuples, oldest first.") },
    { "current_stream", METHOD(current_stream), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("current_stream(device=None)\n--\n\nThe stream of this thread or asyncio task.") },
    { NULL, NULL, 0, NULL },
};
