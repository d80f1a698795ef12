/* The software device: every row of the driver table in plain C, and an instrument for tests.
 *
 * One machine per process, made by soft_open with N devices and destroyed by the last soft_close. Memory is host
 * memory, so that host functions serve as kernels. It must behave as the CUDA driver does; where the conformance
 * suite finds a difference, this side is wrong. */
#ifndef BATON_DRIVER_SOFT_SOFT_H
#define BATON_DRIVER_SOFT_SOFT_H

#include "driver/driver.h"

/* A module image of host functions. module_load copies it; module_function finds a kernel by name. */
#define SOFT_IMAGE_MAGIC "BATONSI"      /* eight bytes with the terminator */
#define SOFT_PARAMETERS 64              /* at most, per kernel */

struct soft_grid {                      /* layout equal to baton_host_launch */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes, reserved;
};
typedef void (*soft_kernel_function)(const struct soft_grid *grid, void *const *arguments);

struct soft_parameter {                 /* layout equal to baton_host_parameter */
    uint32_t bytes;                     /* size of the value */
    uint32_t access;                    /* 0: plain value; 1 read, 2 write, 3 both: the address of memory used so */
};
struct soft_kernel {
    const char *name;
    soft_kernel_function function;      /* called once per launch, on the stream's thread */
    const struct soft_parameter *parameters;
    uint32_t count;
};
struct soft_image {
    char magic[8];
    uint32_t count;
    const struct soft_kernel *kernels;
};

/* Opens the machine with `devices` devices (1 to 16), or joins it when it is open with the same number: BATON_OK, or
 * BATON_ERR_BUSY when it is open with another number and still in use. */
int32_t soft_open(int devices);
void soft_close(void);
const struct driver *soft_driver(void);

/* ---- instrument: everything below may be called from any thread while the machine is open ---- */

/* Makes all work run on the calling threads, deterministically, in an order drawn from `seed`: each driver call first
 * runs a drawn number of ready operations of drawn streams (with some seeds most calls run none, so that work piles up); a wait runs drawn operations until it is satisfied, and
 * fails with LAUNCH_TIMEOUT rather than hang when nothing can run. Takes effect at the next soft_open (no streams may
 * exist). 0: threads (the default). */
void soft_schedule(uint64_t seed);

/* Problems seen in stream order, at submission: use of freed memory, use past an allocation's end, two uses of which
 * one writes and neither is ordered after the other, by stream order, events, or a host wait. */
uint64_t soft_problems(void);
/* Copies the text of the newest problem; "" when there is none. */
void soft_problem_text(char *text, size_t bytes);
void soft_problems_reset(void);

/* Bytes of device, pinned and managed memory allocated and not freed (asynchronous frees count as freed when
 * submitted), live streams, events, modules, graphs, executables: for leak checks. */
struct soft_census {
    uint64_t bytes, allocations, streams, events, modules, functions, graphs, executables, contexts;
};
void soft_census(struct soft_census *census);

/* Device memory of each device (bytes, default 1 GiB): allocations beyond it return OUT_OF_MEMORY. */
void soft_set_memory(uint64_t bytes);

/* Peer access between two devices: 1 possible (default), 0 impossible. */
void soft_set_peer(int device, int peer, int possible);

/* Poisons the device's context as an asynchronous fault would: `code` (sticky) is returned by every later call that
 * touches it. */
void soft_fault(int device, int code);

/* Byte patterns a test can look for. */
enum { SOFT_POISON_ALLOC = 0xA5, SOFT_POISON_FREE = 0xDD };

#endif
