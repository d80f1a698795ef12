/* A stand-in for libnccl on the software device, opened in place of it. Its work is real: a kernel on each rank's stream, which meets the other ranks'
 * kernels in memory that all share, between processes too. The software device sees what each reads and writes, as of any kernel. What NCCL does not
 * allow is refused: ranks of one process outside a group, another number of elements than the others have. */
#include "fake_nccl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_CALLS = 64 };

static __thread struct call calls[MOST_CALLS];
static __thread int call_count, depth;

/* ---- submission */

static int load(struct communicator *communicator, driver_stream stream)
{
    static const struct soft_parameter parameters[] = { { 8, 1 }, { 8, 2 }, { 8, 0 } };
    static const struct soft_kernel kernel = { "fake_nccl", fake_nccl_run, parameters, 3 };
    static const struct soft_image image = { SOFT_IMAGE_MAGIC, 1, &kernel };
    const struct driver *driver = fake_nccl_driver();
    driver_context popped;
    if (communicator->module)
        return 0;
    int code = driver->stream_context(stream, &communicator->context);
    if (code || (code = driver->context_push(communicator->context)))
        return code;
    code = driver->module_load(&communicator->module, &image);
    if (!code)
        code = driver->module_function(&communicator->function, communicator->module, "fake_nccl");
    driver->context_pop(&popped);
    return code;
}

static int submit(const struct call *call)
{
    struct communicator *communicator = call->communicator;
    uint64_t from = (uintptr_t)call->from, to = (uintptr_t)call->to;
    struct call *own = malloc(sizeof *own);
    void *parameters[] = { &from, &to, &own };
    if (!own)
        return SYSTEM_ERROR;
    *own = *call;
    if (call->kind == BROADCAST && call->root != communicator->rank)
        from = 0;                       /* only the root's is read */
    if (load(communicator, call->stream) ||
        fake_nccl_driver()->launch(communicator->function, 1, 1, 1, 1, 1, 1, 0, call->stream, parameters, NULL)) {
        free(own);
        return SYSTEM_ERROR;
    }
    return SUCCESS;
}

static int call_add(const struct call *call)
{
    if (!call->communicator || call->type < 0 || call->type > 9 || call->count * fake_nccl_sizes[call->type] > SLOT)
        return INVALID_ARGUMENT;
    if (depth == 0 && !call->communicator->alone && call->communicator->world > 1)
        return INVALID_USAGE;
    if (depth == 0)
        return submit(call);
    if (call_count == MOST_CALLS)
        return INVALID_USAGE;
    calls[call_count++] = *call;
    return SUCCESS;
}

#pragma GCC visibility push(default)
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *, void *, size_t, int, int, struct communicator *, void *);
int ncclBroadcast(const void *, void *, size_t, int, int, struct communicator *, void *);
int ncclSend(const void *, size_t, int, int, struct communicator *, void *);
int ncclRecv(void *, size_t, int, int, struct communicator *, void *);
int ncclGetVersion(int *);
const char *ncclGetErrorString(int);

struct id {
    char bytes[128];
};
int ncclGetUniqueId(struct id *);
int ncclCommInitAll(struct communicator **, int, const int *);
int ncclCommInitRank(struct communicator **, int, struct id, int);
int ncclCommDestroy(struct communicator *);
#pragma GCC visibility pop

int ncclGroupStart(void)
{
    depth++;
    return SUCCESS;
}

int ncclGroupEnd(void)
{
    int result = SUCCESS;
    if (depth == 0)
        return INVALID_USAGE;
    if (--depth)
        return SUCCESS;
    for (enum kind kind = SEND; kind <= RECEIVE; kind++)
        for (int i = 0; i < call_count && !result; i++)
            if (calls[i].kind == kind)
                result = submit(&calls[i]);
    call_count = 0;
    return result;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int reduction, struct communicator *communicator, void *stream)
{
    if (reduction != 0 || type == 6 || type == 9)
        return INVALID_ARGUMENT;
    return call_add(&(struct call) { ALL_REDUCE, communicator, from, to, count, type, 0, 0, stream });
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, struct communicator *communicator, void *stream)
{
    return call_add(&(struct call) { BROADCAST, communicator, from, to, count, type, root, 0, stream });
}

int ncclSend(const void *from, size_t count, int type, int peer, struct communicator *communicator, void *stream)
{
    return call_add(&(struct call) { SEND, communicator, from, NULL, count, type, 0, peer, stream });
}

int ncclRecv(void *to, size_t count, int type, int peer, struct communicator *communicator, void *stream)
{
    return call_add(&(struct call) { RECEIVE, communicator, NULL, to, count, type, 0, peer, stream });
}

int ncclGetVersion(int *version)
{
    *version = 0;
    return SUCCESS;
}

const char *ncclGetErrorString(int result)
{
    return result == INVALID_USAGE ? "invalid usage" : result == INVALID_ARGUMENT ? "invalid argument" : "unhandled system error";
}

/* ---- communicators */

static struct meeting *meeting_map(int file)
{
    int flags = file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    struct meeting *meeting = mmap(NULL, sizeof *meeting, PROT_READ | PROT_WRITE, flags, file, 0);
    return meeting == MAP_FAILED ? NULL : meeting;
}

static void meeting_init(struct meeting *meeting)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&meeting->lock, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&meeting->changed, &condition);
}

static struct communicator *communicator_new(struct meeting *meeting, int rank, int world, int alone)
{
    struct communicator *made = calloc(1, sizeof *made);
    if (made)
        *made = (struct communicator) { .meeting = meeting, .rank = rank, .world = world, .alone = alone };
    pthread_mutex_lock(&meeting->lock);
    meeting->world = world;
    meeting->attached++;
    pthread_cond_broadcast(&meeting->changed);
    pthread_mutex_unlock(&meeting->lock);
    return made;
}

int ncclCommInitAll(struct communicator **communicators, int count, const int *devices)
{
    struct meeting *meeting = count > 0 && count <= MOST ? meeting_map(-1) : NULL;
    (void)devices;
    if (!meeting)
        return INVALID_ARGUMENT;
    meeting_init(meeting);
    for (int i = 0; i < count; i++)
        if (!(communicators[i] = communicator_new(meeting, i, count, 0)))
            return SYSTEM_ERROR;
    return SUCCESS;
}

int ncclGetUniqueId(struct id *id)
{
    snprintf(id->bytes, sizeof id->bytes, "/fake-nccl-%ld", (long)getpid());
    int file = shm_open(id->bytes, O_RDWR | O_CREAT | O_EXCL, 0600);
    struct meeting *meeting = file < 0 || ftruncate(file, sizeof *meeting) ? NULL : meeting_map(file);
    if (!meeting)
        return SYSTEM_ERROR;
    meeting_init(meeting);
    munmap(meeting, sizeof *meeting);
    close(file);
    return SUCCESS;
}

/* Comes back when all ranks are there; then the name is free again. */
int ncclCommInitRank(struct communicator **communicator, int world, struct id id, int rank)
{
    int file = shm_open(id.bytes, O_RDWR, 0600), there = 1;
    struct meeting *meeting = file < 0 ? NULL : meeting_map(file);
    if (!meeting || world > MOST || !(*communicator = communicator_new(meeting, rank, world, 1)))
        return SYSTEM_ERROR;
    close(file);
    pthread_mutex_lock(&meeting->lock);
    while (meeting->attached < world && there)
        there = fake_nccl_wait(meeting);
    pthread_mutex_unlock(&meeting->lock);
    if (rank == 0)
        shm_unlink(id.bytes);
    return there ? SUCCESS : SYSTEM_ERROR;
}

int ncclCommDestroy(struct communicator *communicator)
{
    struct meeting *meeting = communicator->meeting;
    int code = communicator->module ? fake_nccl_driver()->module_unload(communicator->module) : 0;
    pthread_mutex_lock(&meeting->lock);
    int last = --meeting->attached == 0;
    pthread_mutex_unlock(&meeting->lock);
    if (last || communicator->alone)
        munmap(meeting, sizeof *meeting);
    free(communicator);
    return code ? SYSTEM_ERROR : SUCCESS;
}
