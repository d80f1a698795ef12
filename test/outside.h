/* What other code in the process does to the device: work and captures submitted straight through the driver's
 * table, and rows of the table that a test puts its own function in front of. */
#ifndef BATON_TEST_OUTSIDE_H
#define BATON_TEST_OUTSIDE_H

#include "support.h"

/* A stream of the driver's own, which the library does not know. */
driver_stream outside_stream(int32_t device);
void outside_stream_destroy(driver_stream stream, int32_t device);
/* The same as the library sees it. */
baton_stream *outside_wrap(driver_stream native, int32_t device);

/* The device's context, once something of the runtime's has used it. */
driver_context outside_context(int32_t device);

/* The calls below are made in device 0's context, so that any thread may make them. */

driver_stream native_of(baton_stream *stream);

/* Fills `count` i32 elements at the address; the library is not told. */
void outside_fill(uint64_t address, int32_t value, size_t count, driver_stream stream);

/* What is submitted to the stream from now on runs when *open is nonzero, or after 20 s. */
void outside_hold(_Atomic int *open, driver_stream stream);

/* Comes back when nothing on device 0 is unfinished. */
void outside_idle(void);

/* The i32 at the address, once nothing that this stream follows is unfinished: a stream of its own, which follows nothing. */
int32_t outside_word(uint64_t address, int32_t device);

/* Makes device 0 fault as a wild address in a kernel does, and comes back when the driver says so. outside_fault_ready
 * comes first, while no gate is closed: loading code may wait for the whole device. */
void outside_fault_ready(void);
void outside_fault(void);

void outside_capture_begin(driver_stream stream);
/* Ends the capture; the graph is ready to be launched. */
driver_graph_exec outside_capture_end(driver_stream stream);
void outside_launch(driver_graph_exec graph, driver_stream stream);
void outside_graph_destroy(driver_graph_exec graph);

/* From here to outside_restore the runtime's devices call through a copy of the table, whose rows the test may
 * replace. The table beneath is outside_driver(). */
struct driver *outside_replace(void);
void outside_restore(void);
const struct driver *outside_driver(void);

/* From here to outside_peers_again no device can reach another's memory, for all that the runtime is told. Between them outside_replace is in use. */
void outside_peers_end(void);
void outside_peers_again(void);

#endif
