#include "stage.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exchange/arrow.h"
#include "exchange/dlpack.h"

baton_runtime *rt;
baton_array *a[ARRAYS];
baton_stream *s[STREAMS];
baton_scope *scope[TURNS_TASKS];
baton_operand held[TURNS_TASKS][2];
baton_graph *g[GRAPHS];
baton_executable *x[GRAPHS];
baton_fence *f[FENCES];
void *m[EXPORTS];
uint64_t native[STREAMS], address[ARRAYS];
int32_t (*place)[LONGEST];
baton_error error = BATON_ERROR_INIT;
struct arrow_pair arrow[EXPORTS];

enum { DEVICES = 2, MOST_GARBAGE = 64 };

static baton_kernel *kernels[DEVICES];
static baton_array *pinned, *thrown[MOST_GARBAGE];
static int thrown_count, wrapped, deleted;

/* Time passes only when somebody looks: what waits for a while behaves the same in every run. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static _Atomic uint64_t looks;
    uint64_t ns = (looks++ + 1) * 10000;
    (void)clock;
    *now = (struct timespec) { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
    return 0;
}

static void mix_kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *to = *(int32_t **)arguments[0];
    const int32_t *left = *(int32_t **)arguments[1], *right = *(int32_t **)arguments[2];
    (void)launch;
    for (int32_t i = 0; i < *(int32_t *)arguments[4]; i++)
        to[i] = (int32_t)(3 * (uint32_t)left[i] + 5 * (uint32_t)right[i] + (uint32_t)*(int32_t *)arguments[3]);
}

int32_t mix(baton_scope *in, baton_array *to, baton_array *left, baton_array *right, int32_t k, baton_stream *stream)
{
    int32_t device, count;
    baton_array_info info = { .struct_size = sizeof info };
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream, .scope = in };
    baton_stream_device(stream, &device, NULL);
    baton_array_info_read(to, &info, NULL);
    count = (int32_t)info.elements;
    return baton_launch(kernels[device], &options,
                        (baton_argument[]) { baton_out(to), baton_in(left), baton_in(right), baton_value(k), baton_value(count) }, 5, &error);
}

static void deleter(void *user, uint64_t memory)
{
    (void)user;
    deleted++;
    memset((void *)(uintptr_t)memory, 0xDD, LONGEST * sizeof(int32_t));
    free((void *)(uintptr_t)memory);
}

int32_t wrap(int array, int count, baton_stream *stream)
{
    void *memory = calloc(LONGEST, sizeof(int32_t));
    int32_t status = baton_array_wrap(rt, ARRAY(0, BATON_HOST, count, stream), (uint64_t)(uintptr_t)memory, deleter, NULL, &a[array], &error);
    if (status)
        free(memory);
    wrapped += !status;
    return status;
}

int32_t upload(baton_array *to, int32_t first, int32_t step, int count, baton_stream *stream)
{
    int32_t host[LONGEST];
    for (int i = 0; i < count; i++)
        host[i] = first + i * step;
    int32_t status = baton_upload(to, host, (uint64_t)count * sizeof *host, stream, &error);
    memset(host, 0xEE, sizeof host);
    return status;
}

struct managed_fill {
    int32_t value, count;
};

static int32_t managed_body(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    const struct managed_fill *fill = user;
    uint64_t handle;
    int32_t device;
    (void)count;
    baton_stream_native(stream, &handle, NULL);
    baton_stream_device(stream, &device, NULL);
    return foreign_fill(operands[0].address, fill->value, fill->count, device, handle);
}

int32_t managed(baton_array *array, int32_t value, int count, baton_stream *stream)
{
    struct managed_fill fill = { value, count };
    return baton_with_managed(stream, &(baton_operand) { .array = array, .access = BATON_WRITE }, 1, managed_body, &fill, &error);
}

int32_t exchange(baton_array *array, int32_t value, baton_stream *stream)
{
    void *tensor;
    baton_array *again;
    int32_t status = baton_dlpack_export(array, stream, &tensor, &error);
    if (status)
        return status;
    status = baton_dlpack_import(rt, tensor, stream, &again, &error);
    if (status) {
        ((struct dlpack_managed *)tensor)->deleter(tensor);
        return status;
    }
    status = baton_fill(again, &value, sizeof value, stream, &error);
    baton_array_release(again);
    return status;
}

int32_t arrow_out(baton_array *array, int number)
{
    return baton_arrow_export(array, arrow[number].array, arrow[number].schema, &error);
}

int32_t arrow_end(int number)
{
    struct arrow_device_array *out = (void *)arrow[number].array;
    struct arrow_schema *schema = (void *)arrow[number].schema;
    out->array.release(&out->array);
    schema->release(schema);
    return BATON_OK;
}

int32_t tensor_end(int number)
{
    ((struct dlpack_managed *)m[number])->deleter(m[number]);
    m[number] = NULL;
    return BATON_OK;
}

uint64_t tensor_address(int number)
{
    const struct dlpack_tensor *tensor = &((struct dlpack_managed *)m[number])->tensor;
    return (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset;
}

void garbage(baton_array *array)
{
    if (thrown_count < MOST_GARBAGE)
        thrown[thrown_count++] = array;
    else
        baton_array_release(array);
}

int32_t garbage_collect(void)
{
    while (thrown_count > 0)
        baton_array_release(thrown[--thrown_count]);
    return BATON_OK;
}

int32_t stage_hook(void *user)
{
    (void)user;
    garbage_collect();
    return turns_yield(NULL);
}

static int32_t reclaim(void *user, int32_t level, uint64_t bytes)
{
    (void)user;
    (void)level;
    (void)bytes;
    return garbage_collect();
}

static void stage_require(int32_t status)
{
    if (status) {
        fprintf(stderr, "cannot begin: %s\n", error.message);
        abort();
    }
}

void stage_open(uint64_t seed, uint32_t flags, int32_t (*hook)(void *user), int yields)
{
    static const baton_host_parameter parameters[] = { { 8, BATON_WRITE }, { 8, BATON_READ }, { 8, BATON_READ }, { 4, 0 }, { 4, 0 } };
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:2", .flags = flags, .reclaim = reclaim,
                                      .yield = yields ? hook : NULL, .before_block = yields ? NULL : hook, .after_block = yields ? NULL : hook };
    void *memory;
    soft_schedule(seed);
    instrument_enable(1);
    wrapped = deleted = 0;
    stage_require(baton_runtime_open(&options, &rt, &error));
    soft_problems_reset();
    for (int i = 0; i < DEVICES; i++)
        stage_require(baton_kernel_host(rt, i, mix_kernel, "mix", parameters, 5, &kernels[i], &error));
    stage_require(baton_array_create(rt, ARRAY(0, BATON_HOST, PLACES * LONGEST, NULL), &pinned, &error));
    stage_require(baton_array_host_pointer(pinned, BATON_WRITE, &memory, &error));
    place = memory;
    memset(place, 0, sizeof *place * PLACES);
}

#define RELEASE_ALL(table, count, release) \
    for (int i = 0; i < (count); i++) {    \
        if ((table)[i])                    \
            release((table)[i]);           \
        (table)[i] = NULL;                 \
    }

static void release_tables(void)
{
    garbage_collect();
    RELEASE_ALL(scope, TURNS_TASKS, baton_scope_release)
    for (int i = 0; i < EXPORTS; i++)
        if (m[i])
            tensor_end(i);
    for (int i = 0; i < EXPORTS; i++)
        if (((struct arrow_device_array *)(void *)arrow[i].array)->array.release)
            arrow_end(i);
    RELEASE_ALL(f, FENCES, baton_fence_release)
    RELEASE_ALL(x, GRAPHS, baton_executable_release)
    RELEASE_ALL(g, GRAPHS, baton_graph_release)
    RELEASE_ALL(a, ARRAYS, baton_array_release)
    for (int i = 0; i < STREAMS; i++)
        lent_end(i);
    RELEASE_ALL(s, STREAMS, baton_stream_release)
    RELEASE_ALL(kernels, DEVICES, baton_kernel_release)
    baton_array_release(pinned);
}

/* What was released after its runtime was closed is given back by whoever drains later, as far as the device has come by then. */
static void drain_leftovers(void)
{
    baton_runtime *other;
    struct soft_census left = { .contexts = 1 };
    for (int i = 0; i < 100 && left.contexts; i++) {
        if (!baton_runtime_open(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "soft:2" }, &other, NULL))
            baton_runtime_close(other, NULL);
        soft_census(&left);
    }
}

static const char *census_text(char *text, size_t bytes)
{
    struct soft_census left;
    soft_census(&left);
    if (left.bytes || left.allocations || left.streams || left.events || left.modules || left.graphs || left.executables || left.contexts)
        snprintf(text, bytes, "left behind: %llu bytes in %llu, %llu streams, %llu events, %llu modules, %llu graphs, %llu executables, %llu contexts",
                 (unsigned long long)left.bytes, (unsigned long long)left.allocations, (unsigned long long)left.streams, (unsigned long long)left.events,
                 (unsigned long long)left.modules, (unsigned long long)left.graphs, (unsigned long long)left.executables, (unsigned long long)left.contexts);
    else if (wrapped != deleted)
        snprintf(text, bytes, "%d memories were wrapped, %d deleted", wrapped, deleted);
    return text;
}

const char *stage_close(int runtime_first, int lost)
{
    static char text[256];
    text[0] = '\0';
    if (!runtime_first)
        release_tables();
    int32_t status = baton_runtime_close(rt, &error);
    if (runtime_first) {
        release_tables();
        drain_leftovers();
    }
    if (status && !lost)
        snprintf(text, sizeof text, "the runtime closes with %s: %s", baton_status_name(status), error.message);
    else if (soft_problems() && !lost)
        soft_problem_text(text, sizeof text);
    return text[0] || lost ? text : census_text(text, sizeof text);
}

void stage_check(int32_t status, uint64_t allowed, const char *call, int line)
{
    char text[200] = "";
    if (soft_problems())
        soft_problem_text(text, sizeof text);
    if (allowed & MAY(status) && !text[0])
        return;
    printf("line %d: %s: %s%s%s\n", line, call, baton_status_name(status), text[0] ? ", and the device saw: " : "", text);
    exit(EXIT_FAILURE);
}

void expect(const int32_t *found, const char *expected, int line)
{
    for (int i = 0; *expected; i++) {
        char *end;
        long value = strtol(expected, &end, 10);
        if (end == expected)
            end = strchr(expected, '?') + 1;
        else if ((int32_t)value != found[i]) {
            printf("line %d: element %d is %d instead of %ld\n", line, i, found[i], value);
            exit(EXIT_FAILURE);
        }
        expected = end + strspn(end, " ");
    }
}

int stage_end(const char *left)
{
    if (left[0])
        printf("at the end: %s\n", left);
    return left[0] ? EXIT_FAILURE : EXIT_SUCCESS;
}
