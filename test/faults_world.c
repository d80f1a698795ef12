#include "faults.h"

const struct driver *raw;
driver_context contexts[2];

void world_hold(void)
{
    ck_assert_int_eq(soft_open(2), BATON_OK);
    raw = soft_driver();
    ck_assert_int_eq(raw->init(0), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(raw->primary_retain(&contexts[i], i), 0);
    ck_assert_int_eq(raw->context_set(contexts[1]), 0);     /* somebody else's context is current */
    soft_problems_reset();
}

void world_release(void)
{
    ck_assert_int_eq(raw->context_set(NULL), 0);
    for (int i = 0; i < 2; i++)
        raw->primary_release(i);
    soft_close();
}

/* ---- the linker sends the library's allocations here (--wrap) */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

static _Thread_local uint64_t countdown;        /* 1: the next allocation fails; 0: none does */

void starve(uint64_t n)
{
    countdown = n;
}

int starved(void)
{
    return countdown == 0;
}

static int fails(void)
{
    return countdown && --countdown == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

/* ---- what the device has given out */

/* A synchronous free waits for all of the device's work; a capture that is left there does not mind when the thread has relaxed its mode. */
void world_stop_work(void)
{
    driver_capture_mode mode = DRIVER_CAPTURE_RELAXED;
    raw->capture_exchange(&mode);
    for (int i = 0; i < 2; i++) {
        driver_address address;
        ck_assert_int_eq(raw->context_set(contexts[i]), 0);
        ck_assert_int_eq(raw->alloc(&address, 16), 0);
        ck_assert_int_eq(raw->free(address), 0);
    }
    raw->capture_exchange(&mode);
}

void world_drain(void)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:2" };
    baton_runtime *other;
    ok(baton_runtime_open(&options, &other, &error));
    ok(baton_drain(other, 0, NULL, &error));
    ok(baton_runtime_close(other, &error));
}

struct soft_census world_census(void)
{
    struct soft_census census;
    soft_census(&census);
    return census;
}

static int of_row(const enum driver_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fault_is_of(rows[i]))
            return 1;
    return 0;
}

/* What the software device may keep, as the fault is only pretended: all that belongs to a lost context; what the driver says is gone; an object whose
 * destruction the driver refused. Bytes that it refused to take are given back by a later drain. */
int world_may_differ(void)
{
    static const enum driver_row bytes[] = { DRIVER_ROW_free_async, DRIVER_ROW_free, DRIVER_ROW_host_free };
    static const enum driver_row objects[] = { DRIVER_ROW_event_destroy, DRIVER_ROW_stream_destroy, DRIVER_ROW_module_unload, DRIVER_ROW_pool_destroy,
                                               DRIVER_ROW_graph_destroy, DRIVER_ROW_graph_exec_destroy, DRIVER_ROW_primary_release };
    return fault_sticky() || of_row(objects, sizeof objects / sizeof *objects) ||
           (driver_code_gone(fault.code) && of_row(bytes, sizeof bytes / sizeof *bytes));
}

int same_census(const struct soft_census *a, const struct soft_census *b)
{
    return a->bytes == b->bytes && a->allocations == b->allocations && a->streams == b->streams && a->events == b->events &&
           a->modules == b->modules && a->functions == b->functions && a->graphs == b->graphs && a->executables == b->executables &&
           a->contexts == b->contexts;
}
