/* What the files of the stand-in for libnccl share. */
#ifndef BATON_TEST_FAKE_NCCL_H
#define BATON_TEST_FAKE_NCCL_H

#include <pthread.h>
#include <stdint.h>

#include "driver/soft/soft.h"

enum { MOST = 16, SLOT = 1 << 14 };
enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5 };
enum kind { SEND, ALL_REDUCE, BROADCAST, RECEIVE };     /* of a group's calls those that wait for nobody are submitted first */

const struct driver *fake_nccl_driver(void);            /* the program's */

/* In memory that is shared by all ranks. */
struct slot {
    uint64_t bytes;
    int type;
    char data[SLOT];
};
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int world, arrived, attached;
    uint64_t round;                     /* grows each time that all have arrived */
    struct slot slots[MOST];
    struct { int full; struct slot slot; } mail[MOST][MOST];
};

struct communicator {
    struct meeting *meeting;
    int rank, world, alone;             /* alone: the only rank of its process */
    driver_context context;             /* of the first stream that it was used on */
    driver_module module;
    driver_function function;
};

struct call {
    enum kind kind;
    struct communicator *communicator;
    const void *from;
    void *to;
    uint64_t count;
    int type, root, peer;
    driver_stream stream;
};

/* Bytes of an element, by NCCL's number of the type. */
extern const size_t fake_nccl_sizes[10];

/* Waits for somebody to change the meeting, whose lock is held; 0 when nobody does for too long. */
int fake_nccl_wait(struct meeting *meeting);

/* The kernel of a call, which it frees: (from, to, the call). */
void fake_nccl_run(const struct soft_grid *grid, void *const *arguments);

#endif
