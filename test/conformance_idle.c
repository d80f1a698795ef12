/* What the library relies on where it must wait for work on streams that it does not know. */
#include "conformance.h"

#include <sched.h>
#include <stdint.h>

/* The free of pinned memory, and whether the gate was open when it had returned. */
struct freeing {
    void *pinned;
    struct gate *gate;
    _Atomic int begun;
    int open_then;
};

static int free_pinned(void *argument)
{
    struct freeing *freeing = argument;
    driver_context left;
    OK(driver->context_push(context));
    freeing->begun = 1;
    int code = driver->host_free(freeing->pinned);
    pthread_mutex_lock(&freeing->gate->lock);
    freeing->open_then = freeing->gate->open;
    pthread_mutex_unlock(&freeing->gate->lock);
    OK(driver->context_pop(&left));
    return code;
}

static void *free_on_thread(void *argument)
{
    return (void *)(intptr_t)free_pinned(argument);
}

START_TEST(freeing_pinned_memory_waits_for_every_stream_also_for_one_that_is_gone)
{
    struct gate gate = GATE_INIT;
    struct freeing freeing = { .gate = &gate };
    driver_stream gone = stream_new(DRIVER_STREAM_NON_BLOCKING);
    pthread_t thread;
    void *result;
    OK(driver->host_alloc(&freeing.pinned, 64, DRIVER_HOST_ALLOC_PORTABLE));
    gate_put(&gate, gone);
    OK(driver->stream_destroy(gone));
    gate_reached(&gate);
    ck_assert_int_eq(pthread_create(&thread, NULL, free_on_thread, &freeing), 0);
    for (int i = 0; i < 10000 || !freeing.begun; i++)
        sched_yield();
    gate_open(&gate);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_null(result);
    ck_assert_int_eq(freeing.open_then, 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { freeing_pinned_memory_waits_for_every_stream_also_for_one_that_is_gone };
    return suite_run("conformance: idle", tests, sizeof tests / sizeof *tests);
}
