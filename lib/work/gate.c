/* A gate: a kernel that holds its stream until the host says so, or until its time is over. */
#include <stdlib.h>
#include <string.h>

#include "stream/wait.h"
#include "work/builtin.h"
#include "work/submit.h"

static const uint64_t LONGEST_NS = 60000000000u;

struct baton_gate {
    struct handle handle;
    struct deferred node;
    baton_stream *stream;       /* retained */
    uint64_t ticket;            /* of the kernel */
    _Atomic uint32_t *flag;     /* pinned host memory: 0 closed, 1 open */
};

static void *flag_kept(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    void *flag = device->gate_flags;
    if (flag)
        memcpy(&device->gate_flags, flag, sizeof device->gate_flags);
    pthread_mutex_unlock(&device->lock);
    return flag;
}

/* The kernel reads the flag until it has finished. */
static enum deferred_result gate_reclaim(struct deferred *node)
{
    baton_gate *gate = (baton_gate *)((char *)node - offsetof(baton_gate, node));
    struct mark *mark;
    if (!device_usable(gate->stream->device, NULL)) {
        if (stream_mark(gate->stream, gate->ticket, 0, &mark, NULL))
            return DEFERRED_LATER;
        int32_t status = wait_query(gate->stream, mark, BATON_OP_GATE, NULL);
        mark_release(mark);
        if (status)
            return DEFERRED_LATER;
        device_keep_flag(gate->stream->device, gate->flag);
    }
    stream_release(gate->stream);
    handle_free(&gate->handle);
    return DEFERRED_DONE;
}

int32_t baton_gate_open(baton_gate *gate, baton_error *err)
{
    int32_t status = handle_check(gate ? &gate->handle : NULL, HANDLE_GATE, "gate", err);
    if (!status)
        atomic_store(gate->flag, 1);
    return status;
}

void baton_gate_release(baton_gate *gate)
{
    if (baton_gate_open(gate, NULL) || !handle_release(&gate->handle, HANDLE_GATE))
        return;
    runtime_defer(gate->stream->runtime, &gate->node);
}

static int32_t flag_alloc(struct device *device, void **flag, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->host_alloc(flag, DEVICE_FLAG_BYTES, DRIVER_HOST_ALLOC_PORTABLE);
    device_leave(device, &entry);
    return device_status(device, code, DRIVER_ROW_host_alloc, BATON_OP_GATE, NULL, err);
}

static int32_t flag_make(struct device *device, _Atomic uint32_t **flag, baton_error *err)
{
    void *address = flag_kept(device);
    int32_t status = address ? BATON_OK : flag_alloc(device, &address, err);
    if (status)
        return status;
    *flag = address;
    atomic_init(*flag, 0);
    return BATON_OK;
}

static int32_t captured(baton_error *err)
{
    return fail(err, BATON_ERR_CAPTURE, "the stream is being captured: a gate cannot be part of a graph");
}

static int32_t hold(baton_gate *gate, uint64_t limit_ns, baton_error *err)
{
    struct operation op;
    driver_function function;
    uint64_t address = (uint64_t)(uintptr_t)gate->flag;
    void *parameters[] = { &address, &limit_ns };
    int32_t status = builtin_get(gate->stream->device, BUILTIN_HOLD, &function, err);
    if (status || (status = submit_begin(&op, gate->stream, BATON_OP_GATE, 0, NULL, 0, err)))
        return status;
    if (op.tracked || op.captured) {        /* since just now, or elsewhere */
        submit_drop(&op);
        return captured(err);
    }
    status = submit_end(&op, builtin_launch(function, gate->stream, 1, parameters), DRIVER_ROW_launch, err);
    gate->ticket = stream_submitted(gate->stream);
    return status;
}

int32_t baton_gate_create(baton_stream *stream, uint64_t limit_ns, baton_gate **gate, baton_error *err)
{
    int32_t status = stream_resolve(&stream, err);
    if (status)
        return status;
    if (!gate || limit_ns == 0 || limit_ns > LONGEST_NS)
        return fail(err, BATON_ERR_ARGUMENT, gate ? "a gate's limit is 1 ns to 60 s" : "gate is NULL");
    if (stream_tracked(stream))
        return captured(err);
    baton_gate *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a gate");
    made->stream = stream;
    made->node.reclaim = gate_reclaim;
    status = flag_make(stream->device, &made->flag, err);
    if (status)
        goto discard;
    status = hold(made, limit_ns, err);
    if (status)
        goto keep_flag;
    handle_init(&made->handle, HANDLE_GATE);
    stream_retain(stream);
    *gate = made;
    return BATON_OK;
keep_flag:
    device_keep_flag(stream->device, made->flag);
discard:
    free(made);
    return status;
}
