#include "stream/fence.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/process.h"
#include "stream/wait.h"
#include "stream/watch.h"

struct part {
    baton_stream *stream;       /* retained */
    struct mark *mark;          /* one reference */
};

enum { DRAINED_PER_DESCRIPTOR = 4 };

struct baton_fence {
    struct handle handle;
    struct deferred node;
    baton_runtime *runtime;     /* retained */
    uint32_t count;
    pthread_mutex_t lock;       /* guards descriptor */
    int32_t descriptor;         /* -1: none yet */
    struct part parts[];
};

static enum deferred_result fence_reclaim(struct deferred *node)
{
    baton_fence *fence = (baton_fence *)((char *)node - offsetof(baton_fence, node));
    baton_runtime *runtime = fence->runtime;
    for (uint32_t i = 0; i < fence->count; i++) {
        mark_release(fence->parts[i].mark);
        stream_release(fence->parts[i].stream);
    }
    if (fence->descriptor >= 0)
        close(fence->descriptor);
    pthread_mutex_destroy(&fence->lock);
    handle_free(&fence->handle);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

void baton_fence_release(baton_fence *fence)
{
    if (fence && handle_release(&fence->handle, HANDLE_FENCE))
        runtime_defer(fence->runtime, &fence->node);
}

int32_t baton_fence_retain(baton_fence *fence)
{
    return handle_retain(fence ? &fence->handle : NULL, HANDLE_FENCE);
}

static baton_fence *fence_new(baton_runtime *runtime, uint32_t count)
{
    baton_fence *fence = calloc(1, sizeof *fence + count * sizeof *fence->parts);
    if (!fence)
        return NULL;
    handle_init(&fence->handle, HANDLE_FENCE);
    fence->node.reclaim = fence_reclaim;
    fence->runtime = runtime;
    fence->descriptor = -1;
    pthread_mutex_init(&fence->lock, NULL);
    runtime_retain(runtime);
    return fence;
}

static int32_t fence_add(baton_fence *fence, const struct use *use, baton_error *err)
{
    struct part *part = &fence->parts[fence->count];
    if (stream_done(use->stream, use->ticket))
        return BATON_OK;
    int32_t status = stream_mark(use->stream, use->ticket, 0, &part->mark, err);
    if (status)
        return status;
    stream_retain(use->stream);
    part->stream = use->stream;
    fence->count++;
    return BATON_OK;
}

int32_t fence_make(baton_runtime *runtime, const struct use *uses, uint32_t count, baton_fence **fence, baton_error *err)
{
    baton_fence *made = fence_new(runtime, count);
    int32_t status = made ? BATON_OK : fail(err, BATON_ERR_MEMORY, "no host memory for a fence");
    for (uint32_t i = 0; i < count && !status; i++)
        status = fence_add(made, &uses[i], err);
    if (status)
        baton_fence_release(made);
    else
        *fence = made;
    return status;
}

static int32_t fence_check(baton_fence *fence, baton_error *err)
{
    int32_t status = handle_check(fence ? &fence->handle : NULL, HANDLE_FENCE, "fence", err);
    return status ? status : process_check(err);
}

static int32_t query_parts(baton_fence *fence, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < fence->count && !status; i++)
        status = wait_query(fence->parts[i].stream, fence->parts[i].mark, BATON_OP_WAIT, err);
    return status;
}

int32_t baton_fence_query(baton_fence *fence, baton_error *err)
{
    int32_t status = fence_check(fence, err);
    return status ? status : query_parts(fence, err);
}

static uint64_t deadline_of(int64_t timeout_ns)
{
    return timeout_ns == BATON_UNLIMITED ? WAIT_FOREVER : process_now() + (uint64_t)timeout_ns;
}

int32_t baton_fence_wait(baton_fence *fence, int64_t timeout_ns, int32_t mode, baton_error *err)
{
    int32_t status = fence_check(fence, err);
    if (status || (status = wait_mode_check(mode, err)))
        return status;
    if (timeout_ns < BATON_UNLIMITED)
        return fail(err, BATON_ERR_ARGUMENT, "timeout %lld ns is negative", (long long)timeout_ns);
    struct wait_how how = { .mode = mode, .cause = BATON_HOST_WAIT_SYNCHRONIZE, .deadline_ns = deadline_of(timeout_ns),
                            .operation = BATON_OP_WAIT };
    for (uint32_t i = 0; i < fence->count && !status; i++)
        status = wait_mark(fence->parts[i].stream, fence->parts[i].mark, &how, err);
    return status;
}

int fence_settle(baton_fence *fence)
{
    uint64_t one = 1;
    if (query_parts(fence, NULL) == BATON_NOT_READY)
        return 0;
    return write(fence->descriptor, &one, sizeof one) == sizeof one;
}

static int32_t descriptor_make_locked(baton_fence *fence, baton_error *err)
{
    int made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made < 0)
        return fail(err, BATON_ERR_MEMORY, "cannot make an event descriptor");
    fence->descriptor = made;
    int32_t status = watch_add(fence->runtime, fence, err);
    if (status) {
        fence->descriptor = -1;
        close(made);
    }
    return status;
}

int32_t baton_fence_descriptor(baton_fence *fence, int32_t *descriptor, baton_error *err)
{
    int32_t status = fence_check(fence, err);
    if (status)
        return status;
    if (!descriptor)
        return fail(err, BATON_ERR_ARGUMENT, "descriptor is NULL");
    runtime_drain(fence->runtime, DRAINED_PER_DESCRIPTOR);      /* or released fences would keep theirs until memory is allocated */
    pthread_mutex_lock(&fence->lock);
    if (fence->descriptor < 0)
        status = descriptor_make_locked(fence, err);
    if (!status)
        *descriptor = fence->descriptor;
    pthread_mutex_unlock(&fence->lock);
    return status;
}

int32_t baton_stream_fence(baton_stream *stream, baton_fence **fence, baton_error *err)
{
    int32_t status = stream_resolve(&stream, err);
    if (status)
        return status;
    if (!fence)
        return fail(err, BATON_ERR_ARGUMENT, "fence is NULL");
    if (stream_tracked(stream))
        return fail(err, BATON_ERR_CAPTURE, "the stream is being captured: it has no fence until the capture has ended");
    struct use use = { .stream = stream, .ticket = stream_newest(stream) };
    return fence_make(stream->runtime, &use, 1, fence, err);
}
