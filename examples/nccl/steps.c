#include "steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int32_t types[] = { BATON_I8, BATON_U8, BATON_I32, BATON_U32, BATON_I64, BATON_U64, BATON_F32, BATON_F64 };

void need_nccl_ok(const struct nccl *nccl, int result, const char *call)
{
    if (result)
        example_die(call, nccl->error(result));
}

void steps_open(struct nccl *nccl)
{
    const char *driver = getenv("BATON_DRIVER"), *why;
    /* Within a process NCCL would read the arrays of other devices by itself, for which each pool has to let each device in. */
    setenv("NCCL_P2P_DIRECT_DISABLE", "1", 0);
    why = nccl_open(nccl);
    if (why) {
        printf("skipped: %s\n", why);
        exit(77);
    }
    example_open_driver(driver && *driver ? driver : "cuda");
}

void rank_open(struct rank *rank, int device)
{
    uint64_t native;
    need(baton_stream_create(runtime, device, 0, 0, &rank->stream, &error));
    need(baton_stream_native(rank->stream, &native, &error));
    rank->native = (void *)(uintptr_t)native;
}

void rank_close(const struct nccl *nccl, struct rank *rank)
{
    need(baton_stream_synchronize(rank->stream, BATON_WAIT_AUTO, &error));
    need_nccl(nccl, nccl->destroy(rank->communicator));
    baton_stream_release(rank->stream);
}

/* ---- arrays */

/* Small enough for every type, summed up over all ranks too. */
static int value_of(int number, int i)
{
    return number + 1 + i % 5;
}

int sum_of_all(const struct ranks *ranks, int number, int i)
{
    int sum = 0;
    (void)number;
    for (int k = 0; k < ranks->world; k++)
        sum += value_of(k, i);
    return sum;
}

static int root_of(const struct ranks *ranks)
{
    return ranks->world - 1;
}

static int of_root(const struct ranks *ranks, int number, int i)
{
    (void)number;
    return value_of(root_of(ranks), i);
}

static int of_the_one_before(const struct ranks *ranks, int number, int i)
{
    return value_of((number + ranks->world - 1) % ranks->world, i);
}

static void element_set(void *elements, int32_t dtype, int i, int value)
{
    switch (dtype) {
    case BATON_I8: ((int8_t *)elements)[i] = (int8_t)value; break;
    case BATON_U8: ((uint8_t *)elements)[i] = (uint8_t)value; break;
    case BATON_I32: ((int32_t *)elements)[i] = value; break;
    case BATON_U32: ((uint32_t *)elements)[i] = (uint32_t)value; break;
    case BATON_I64: ((int64_t *)elements)[i] = value; break;
    case BATON_U64: ((uint64_t *)elements)[i] = (uint64_t)value; break;
    case BATON_F32: ((float *)elements)[i] = (float)value; break;
    default: ((double *)elements)[i] = value; break;
    }
}

static baton_array *array_on(baton_stream *stream, int32_t dtype)
{
    int64_t count = COUNT;
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = dtype, .ndim = 1, .shape = &count, .stream = stream };
    need(baton_stream_device(stream, &options.device, &error));
    need(baton_array_create(runtime, &options, &array, &error));
    return array;
}

struct given given_new(const struct ranks *ranks, int i, int32_t dtype)
{
    struct given given;
    char elements[COUNT * sizeof(double)];
    int32_t device;
    for (int k = 0; k < COUNT; k++)
        element_set(elements, dtype, k, value_of(ranks->first + i, k));
    need(baton_stream_device(ranks->local[i].stream, &device, &error));
    need(baton_stream_create(runtime, device, 0, 0, &given.writer, &error));
    given.kept = array_on(given.writer, dtype);
    given.from = array_on(given.writer, dtype);
    given.to = array_on(given.writer, dtype);
    need(baton_upload(given.kept, elements, COUNT * (uint64_t)baton_dtype_size(dtype), given.writer, &error));
    need(baton_stream_synchronize(given.writer, BATON_WAIT_AUTO, &error));
    return given;
}

void given_write(const struct given *given)
{
    need(baton_copy(given->from, given->kept, given->writer, &error));
}

int given_holds(const struct given *given, int (*expected)(const struct ranks *, int, int), const struct ranks *ranks, int number)
{
    char found[COUNT * sizeof(double)], wanted[COUNT * sizeof(double)];
    baton_array_info info = { .struct_size = sizeof info };
    need(baton_array_info_read(given->to, &info, &error));
    for (int i = 0; i < COUNT; i++)
        element_set(wanted, info.dtype, i, expected(ranks, number, i));
    need(baton_download(found, info.bytes, given->to, given->writer, &error));
    return memcmp(found, wanted, info.bytes) == 0;
}

void given_free(struct given *given)
{
    baton_array_release_n((baton_array *[]) { given->kept, given->from, given->to }, 3);
    baton_stream_release(given->writer);
}

/* ---- steps */

typedef int32_t (*collective)(const struct ranks *ranks, baton_array *const *to, baton_array *const *from);

static int32_t reduce(const struct ranks *ranks, baton_array *const *to, baton_array *const *from)
{
    return ranks_all_reduce(ranks, to, from, &error);
}

/* In place: each starts from what it gives. */
static int32_t broadcast(const struct ranks *ranks, baton_array *const *to, baton_array *const *from)
{
    for (int i = 0; i < ranks->count; i++)
        need(baton_copy(to[i], from[i], ranks->local[i].stream, &error));
    return ranks_broadcast(ranks, to, root_of(ranks), &error);
}

static int32_t pass_on(const struct ranks *ranks, baton_array *const *to, baton_array *const *from)
{
    return ranks_pass_on(ranks, to, from, &error);
}

static const struct way {
    const char *name;
    collective function;
    int (*expected)(const struct ranks *ranks, int number, int i);
} ways[] = { { "all-reduce", reduce, sum_of_all }, { "broadcast", broadcast, of_root }, { "send and receive", pass_on, of_the_one_before } };

static void show(const struct ranks *ranks, const struct way *way, int32_t dtype)
{
    struct given given[RANKS];
    baton_array *to[RANKS], *from[RANKS];
    char what[80];
    for (int i = 0; i < ranks->count; i++) {
        given[i] = given_new(ranks, i, dtype);
        to[i] = given[i].to;
        from[i] = given[i].from;
    }
    snprintf(what, sizeof what, "%s of %s, its source still to be written", way->name, baton_dtype_name(dtype));
    step_begin(what);
    hold(given[0].writer);
    for (int i = 0; i < ranks->count; i++)
        given_write(&given[i]);
    need(way->function(ranks, to, from));
    step_check_held(ranks->local[0].stream);
    step_end(MUST_NOT_WAIT);
    let_go();
    for (int i = 0; i < ranks->count; i++) {
        step_check(given_holds(&given[i], way->expected, ranks, ranks->first + i), "a rank has other numbers");
        given_free(&given[i]);
    }
}

/* NCCL makes its connections at the first call of a kind, for which it waits: nothing is held then. */
static void warm_up(const struct ranks *ranks)
{
    struct given given[RANKS];
    baton_array *to[RANKS], *from[RANKS];
    for (int i = 0; i < ranks->count; i++) {
        given[i] = given_new(ranks, i, BATON_F32);
        given_write(&given[i]);
        to[i] = given[i].to;
        from[i] = given[i].from;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        need(ways[i].function(ranks, to, from));
    for (int i = 0; i < ranks->count; i++) {
        need(baton_stream_synchronize(ranks->local[i].stream, BATON_WAIT_AUTO, &error));
        given_free(&given[i]);
    }
}

void steps_run(const struct ranks *ranks)
{
    warm_up(ranks);
    for (size_t type = 0; type < sizeof types / sizeof *types; type++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            show(ranks, &ways[i], types[type]);
}
