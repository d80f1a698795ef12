/* Random operations from several threads on shared streams and arrays. Nobody knows the order between threads, so the evidence is what any order must
 * keep: no reader sees half a write, no increment is lost, and the device saw no two conflicting uses without order. */
#include <pthread.h>
#include <stdatomic.h>

#include "stamp.h"
#include "support.h"

enum { MOST_DEVICES = 16, STREAMS = 64, ARRAYS = 64, HOT = 6, THREADS = 4, STEPS = 500 };

static baton_stream *streams[STREAMS];
static baton_array *arrays[ARRAYS];
static struct stamp_kernels kernels[MOST_DEVICES];
static int32_t devices;        /* stream i, and array i at first, is of device i % devices */
static _Atomic uint64_t bumps[ARRAYS], *torn;
static baton_array *shared;     /* holds *torn */

struct worker {
    pthread_t thread;
    uint64_t random;
    baton_error error;
    int32_t status;             /* of the first call that failed */
};

static uint64_t draw(struct worker *worker, uint64_t below)
{
    return stamp_random(&worker->random) % below;
}

static baton_stream *draw_stream(struct worker *worker)
{
    return streams[draw(worker, 2) ? draw(worker, HOT) : draw(worker, STREAMS)];
}

static int32_t device_of(baton_stream *stream)
{
    int32_t device = 0;
    baton_stream_device(stream, &device, NULL);
    return device;
}

static const struct stamp_kernels *kernels_of(baton_stream *stream)
{
    return &kernels[device_of(stream)];
}

static unsigned draw_array(struct worker *worker)
{
    return (unsigned)(draw(worker, 2) ? draw(worker, HOT) : draw(worker, ARRAYS));
}

static int32_t bump(struct worker *worker, unsigned index, baton_stream *stream, baton_scope *scope)
{
    _Atomic uint64_t *counter = torn;
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream, .scope = scope };
    int32_t status = baton_launch(kernels_of(stream)->bump, &options, (baton_argument[]) { baton_inout(arrays[index]), baton_value(counter) }, 2, &worker->error);
    if (!status)
        atomic_fetch_add(&bumps[index], 1);
    return status;
}

static int32_t step_bump(struct worker *worker)
{
    return bump(worker, draw_array(worker), draw_stream(worker), NULL);
}

static int32_t step_peek(struct worker *worker)
{
    _Atomic uint64_t *counter = torn;
    baton_launch_options options = { .struct_size = sizeof options, .stream = draw_stream(worker) };
    return baton_launch(kernels_of(options.stream)->peek, &options, (baton_argument[]) { baton_in(arrays[draw_array(worker)]), baton_value(counter) }, 2, &worker->error);
}

static int32_t step_download(struct worker *worker)
{
    uint64_t host[STAMP_ELEMENTS];
    int32_t status = baton_download(host, sizeof host, arrays[draw_array(worker)], draw_stream(worker), &worker->error);
    for (int i = 1; i < STAMP_ELEMENTS && !status; i++)
        if (host[i] != host[0])
            atomic_fetch_add(torn, 1);
    return status;
}

/* Two memories held over two launches: nobody gets in between. */
static int32_t step_scope(struct worker *worker)
{
    unsigned a = draw_array(worker), b = draw_array(worker);
    baton_stream *stream = draw_stream(worker);
    baton_operand operands[] = { { .array = arrays[a] }, { .array = arrays[b] } };
    baton_scope *scope;
    int32_t status = baton_scope_begin(stream, NULL, operands, 2, 0, &scope, &worker->error);
    if (status)
        return status;
    status = bump(worker, a, stream, scope);
    if (!status)
        status = bump(worker, b, stream, scope);
    if (status)
        baton_scope_abort(scope);
    else
        status = baton_scope_end(scope, &worker->error);
    baton_scope_release(scope);
    return status;
}

static int32_t step_synchronize(struct worker *worker)
{
    if (draw(worker, 2))
        return baton_stream_synchronize(draw_stream(worker), (int32_t)draw(worker, 3), &worker->error);
    return baton_array_synchronize(arrays[draw_array(worker)], (int32_t)draw(worker, 3), &worker->error);
}

static int32_t step_look(struct worker *worker)
{
    int32_t status = baton_array_query(arrays[draw_array(worker)], &worker->error);
    return status < 0 ? status : baton_stream_follow(draw_stream(worker), draw_stream(worker), &worker->error);
}

/* P1: what follows must not trust what was known before (P4). */
static int32_t step_take(struct worker *worker)
{
    uint64_t address;
    return baton_array_pointer(arrays[draw_array(worker)], draw_stream(worker), 0, &address, &worker->error);
}

/* A short life: its first use, a write elsewhere, and its end. */
static int32_t step_temporary(struct worker *worker)
{
    int64_t elements = STAMP_ELEMENTS;
    uint64_t value = 0;
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_U64, .ndim = 1, .shape = &elements, .stream = draw_stream(worker) };
    options.device = device_of(options.stream);
    int32_t status = baton_array_create(runtime, &options, &array, &worker->error);
    if (status)
        return status;
    status = baton_fill(array, &value, sizeof value, draw_stream(worker), &worker->error);
    if (!status)
        status = baton_copy(array, arrays[draw_array(worker)], draw_stream(worker), &worker->error);
    baton_array_release(array);
    return status;
}

static int32_t (*const steps[])(struct worker *worker) = {
    step_bump, step_bump, step_bump, step_bump, step_bump, step_peek, step_peek, step_peek, step_download, step_scope, step_scope,
    step_synchronize, step_look, step_take, step_temporary
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int i = 0; i < STEPS && !worker->status; i++)
        worker->status = steps[draw(worker, sizeof steps / sizeof *steps)](worker);
    return NULL;
}

static void make_all(void)
{
    uint64_t zero = 0;
    int64_t elements = STAMP_ELEMENTS;
    for (int32_t i = 0; i < devices; i++)
        ok(stamp_kernels_make(runtime, i, &kernels[i], &error));
    torn = shared_new(runtime, sizeof *torn, &shared);
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream_on(i % devices);
    for (int i = 0; i < ARRAYS; i++) {
        baton_array_options options = { .struct_size = sizeof options, .device = i % devices, .dtype = BATON_U64, .ndim = 1, .shape = &elements,
                                        .stream = streams[i] };
        ok(baton_array_create(runtime, &options, &arrays[i], &error));
        ok(baton_fill(arrays[i], &zero, sizeof zero, streams[i], &error));
        atomic_store(&bumps[i], 0);
    }
}

static void run_workers(uint64_t seed)
{
    struct worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker) { .random = seed * THREADS + i, .error = BATON_ERROR_INIT };
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_msg(workers[i].status == BATON_OK, "seed %llu: %s", (unsigned long long)seed, workers[i].error.message);
}

static void check_all(uint64_t seed)
{
    uint64_t host[STAMP_ELEMENTS], total = 0;
    for (int i = 0; i < ARRAYS; i++) {
        ok(baton_download(host, sizeof host, arrays[i], streams[0], &error));
        for (int k = 0; k < STAMP_ELEMENTS; k++)
            ck_assert_msg(host[k] == atomic_load(&bumps[i]), "seed %llu: array %d counts %llu, not %llu", (unsigned long long)seed, i,
                          (unsigned long long)host[k], (unsigned long long)atomic_load(&bumps[i]));
        total += host[0];
    }
    ck_assert_uint_gt(total, STEPS);
    for (int i = 0; i < STREAMS; i++)
        ok(baton_stream_synchronize(streams[i], BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(atomic_load(torn), 0);
    ck_assert_uint_eq(soft_problems(), 0);
}

static void release_all(void)
{
    for (int i = 0; i < ARRAYS; i++)
        baton_array_release(arrays[i]);
    for (int i = 0; i < STREAMS; i++)
        baton_stream_release(streams[i]);
    for (int32_t i = 0; i < devices; i++)
        stamp_kernels_release(&kernels[i]);
    baton_array_release(shared);
}

static void run_rounds(uint64_t seed, int32_t device_number)
{
    devices = device_number;
    for (uint64_t i = 0; i < 3; i++) {
        make_all();
        run_workers(seed + i);
        check_all(seed + i);
        release_all();
    }
}

/* S1 to S8, O1, W1, P1: from four threads at once. */
START_TEST(no_increment_is_lost_between_four_threads)
{
    run_rounds(support_seed(1), 1);
}
END_TEST

/* S12 too, by host waits and by device waits: the threads' streams are of all devices. */
START_TEST(no_increment_is_lost_between_threads_on_all_devices)
{
    for (int i = 0; i < 2; i++) {
        support_flags = i ? BATON_RUNTIME_PEER_EVENTS : 0;
        support_reopen(NULL);
        run_rounds(support_seed(7), device_count() < MOST_DEVICES ? device_count() : MOST_DEVICES);
    }
}
END_TEST

SUPPORT_MAIN("stress_threads", 120, no_increment_is_lost_between_four_threads, two_devices(no_increment_is_lost_between_threads_on_all_devices))
