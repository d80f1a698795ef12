#include "conformance.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/builtin.h"

const struct driver *driver;
driver_context context;
driver_pool pool;
static driver_module module;
static driver_function fill;

driver_pool pool_new(driver_device device)
{
    driver_pool_properties properties = {
        .allocation_type = DRIVER_ALLOCATION_PINNED, .location_type = DRIVER_LOCATION_DEVICE, .location_id = device
    };
    driver_pool made;
    OK(driver->pool_create(&made, &properties));
    return made;
}

void driver_begin(void)
{
    char why[256];
    needs_limit(120);               /* a driver that is asked for more than there is takes its time */
    ck_assert_msg(driver_open(needs_driver(), &driver, why, sizeof why) == 0, "%s", why);
    OK(driver->init(0));
    OK(driver->primary_retain(&context, 0));
    OK(driver->context_push(context));
    pool = pool_new(0);
    OK(driver->module_load(&module, driver->builtin_image));
    OK(driver->module_function(&fill, module, BUILTIN_FILL_STRIDED));
}

/* The context of another device, current from here to peer_end. */
driver_context peer_begin(driver_device device)
{
    driver_context peer;
    OK(driver->primary_retain(&peer, device));
    OK(driver->context_push(peer));
    return peer;
}

void peer_end(driver_device device)
{
    driver_context popped;
    OK(driver->context_pop(&popped));
    OK(driver->primary_release(device));
}

void driver_end(void)
{
    driver->module_unload(module);
    driver->pool_destroy(pool);
    driver->context_pop(&context);
    driver->primary_release(0);
    driver_close(driver);
}

static void gate_pass(void *user)
{
    struct gate *gate = user;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    pthread_mutex_lock(&gate->lock);
    gate->entered = 1;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open && !gate->timed_out)
        gate->timed_out = pthread_cond_timedwait(&gate->changed, &gate->lock, &limit) != 0;
    pthread_mutex_unlock(&gate->lock);
}

void gate_put(struct gate *gate, driver_stream stream)
{
    OK(driver->launch_host(stream, gate_pass, gate));
}

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    ck_assert_msg(!gate->timed_out, "the gate's time ran out before it was opened");
    gate->open = 1;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void gate_reached(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (!gate->entered)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

driver_stream stream_new(unsigned int flags)
{
    driver_stream stream;
    OK(driver->stream_create(&stream, flags, 0));
    return stream;
}

driver_event event_new(void)
{
    driver_event event;
    OK(driver->event_create(&event, DRIVER_EVENT_DISABLE_TIMING));
    return event;
}

driver_address memory_new(size_t bytes, driver_stream stream)
{
    driver_address address;
    OK(driver->alloc_async(&address, bytes, pool, stream));
    return address;
}

uint32_t memory_word(driver_address address, driver_stream stream)
{
    uint32_t word = 0;
    OK(driver->copy_to_host(&word, address, sizeof word, stream));
    OK(driver->stream_synchronize(stream));
    return word;
}

int kernel_launch(driver_address address, driver_stream stream)
{
    struct fill_strided arguments = { .ndim = 1, .element_bytes = 4, .count = 1, .shape = { 1 }, .strides = { 1 } };
    uint64_t to = address;
    void *parameters[] = { &to, &arguments };
    memcpy(arguments.value, &(uint32_t) { 7 }, sizeof(uint32_t));
    return driver->launch(fill, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL);
}

struct capture_look capture_look(driver_stream stream)
{
    struct capture_look look = { .status = 99 };
    OK(driver->capture_info(stream, &look.status, &look.id, &look.graph, &look.after, &look.count));
    return look;
}

void child_add(driver_stream stream, driver_graph graph)
{
    struct capture_look look = capture_look(stream);
    driver_graph_node node;
    OK(driver->graph_add_child(&node, look.graph, look.after, look.count, graph));
    OK(driver->capture_update(stream, &node, 1, DRIVER_CAPTURE_SET_DEPENDENCIES));
}

struct thread_call {
    int (*function)(void *);
    void *argument;
    int result;
};

static void *thread_main(void *argument)
{
    struct thread_call *call = argument;
    call->result = call->function(call->argument);
    return NULL;
}

int thread_run(int (*function)(void *), void *argument)
{
    struct thread_call call = { .function = function, .argument = argument };
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, thread_main, &call), 0);
    pthread_join(thread, NULL);
    return call.result;
}

int suite_run(const char *name, const TTest *const *tests, size_t count)
{
    return suite_run_with(name, tests, count, driver_begin, driver_end);
}

int suite_run_with(const char *name, const TTest *const *tests, size_t count, void (*begin)(void), void (*end)(void))
{
    needs_contexts();
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < count; i++)
        if (tests[i])
            tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    int none = needs_report(name) == (int)count;
    if (!none)
        srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return none ? NEEDS_SKIPPED : failed != 0;
}
