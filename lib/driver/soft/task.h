/* A task is what an operation or a graph node does: immutable, with its own copy of all arguments, shared by
 * reference count (under the machine's lock). */
#ifndef BATON_DRIVER_SOFT_TASK_H
#define BATON_DRIVER_SOFT_TASK_H

#include "driver/soft/machine.h"

enum soft_task_kind { SOFT_TASK_COPY, SOFT_TASK_FILL, SOFT_TASK_KERNEL, SOFT_TASK_HOST, SOFT_TASK_GRAPH };
enum { SOFT_READ = 1, SOFT_WRITE = 2 };

struct soft_use {
    driver_address address;
    uint64_t bytes;                 /* 0: the whole allocation that the address points into */
    uint32_t access;
    uint32_t anywhere;              /* memory of any device is fine: peer copies */
};

struct soft_task {
    int references;
    enum soft_task_kind kind;
    union {
        struct {
            void *to;
            const void *from;
            size_t bytes;
        } copy;
        struct {
            void *to;
            size_t count;
            uint32_t value, width;  /* width: bytes per element */
        } fill;
        struct {
            soft_kernel_function function;
            struct soft_grid grid;
            void **arguments;
        } kernel;
        struct {
            driver_host_function function;
            void *user;
        } host;
        struct soft_program *program;   /* retained */
    } as;
    uint32_t use_count;
    struct soft_use *uses;
    unsigned char *extra;           /* `extra` bytes asked for, aligned to 16 */
};

/* One allocation with room for `uses` uses and `extra` bytes; references is 1. NULL: no memory. */
struct soft_task *soft_task_new(enum soft_task_kind kind, uint32_t uses, size_t extra);
struct soft_task *soft_task_fill(driver_address to, uint32_t value, uint32_t width, size_t count);
/* Takes the program over, also when it fails; NULL: no memory. */
struct soft_task *soft_task_graph(struct soft_program *program);
void soft_task_release(struct soft_task *task);
/* Lock not held. */
void soft_task_run(const struct soft_task *task);

#endif
