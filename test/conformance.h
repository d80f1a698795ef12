/* What the conformance programs share. They speak to the driver through the rows of its table alone, so that the same
 * tests hold for the software device and for a GPU: BATON_DRIVER names the driver, the software device when it is
 * unset. */
#ifndef BATON_TEST_CONFORMANCE_H
#define BATON_TEST_CONFORMANCE_H

#include <check.h>
#include <pthread.h>

#include "driver/driver.h"
#include "needs.h"

#define EXPECT(code, call) ck_assert_int_eq((call), (code))
#define OK(call) EXPECT(DRIVER_SUCCESS, call)

/* Set by driver_begin: the driver, device 0's primary context (current), a pool on device 0. */
extern const struct driver *driver;
extern driver_context context;
extern driver_pool pool;

/* Fixtures of every test. */
void driver_begin(void);
void driver_end(void);

/* The primary context of another device, current from here to peer_end, and a pool on a device. */
driver_context peer_begin(driver_device device);
void peer_end(driver_device device);
driver_pool pool_new(driver_device device);

/* A host function that holds its stream until it is opened, or for ten seconds. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int open, entered, timed_out;   /* guarded by lock */
};
#define GATE_INIT { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }
void gate_put(struct gate *gate, driver_stream stream);
void gate_open(struct gate *gate);
/* Blocks until the stream has come to the gate. */
void gate_reached(struct gate *gate);

driver_stream stream_new(unsigned int flags);
driver_event event_new(void);
driver_address memory_new(size_t bytes, driver_stream stream);
/* The value at a device address, by way of a stream that follows nothing else. */
uint32_t memory_word(driver_address address, driver_stream stream);
/* A launch of a kernel that sets one word to 7. */
int kernel_launch(driver_address address, driver_stream stream);

/* What a stream says of its capture. The nodes are the driver's, until the next call on the stream. */
struct capture_look {
    driver_capture_status status;
    driver_capture_id id;
    driver_graph graph;
    const driver_graph_node *after; /* what its next node comes behind */
    size_t count;
};
struct capture_look capture_look(driver_stream stream);
/* As a capture takes in a graph: behind what the stream follows, and the stream goes on behind it. */
void child_add(driver_stream stream, driver_graph graph);

/* Runs the function on a new thread, without a current context, and gives back what it returned. */
int thread_run(int (*function)(void *), void *argument);

/* Runs the suite with a test case of these tests; the exit status of main. NULL: left out by needs.h. */
int suite_run(const char *name, const TTest *const *tests, size_t count);
/* The same with fixtures of its own, which call driver_begin and driver_end. */
int suite_run_with(const char *name, const TTest *const *tests, size_t count, void (*begin)(void), void (*end)(void));

#endif
