/* Collective calls of NCCL on Baton's arrays: in scopes, so that Baton orders each stream behind whatever uses the arrays, and the host never waits.
 *
 * A process has some of the ranks, or all: each a device with a stream and a communicator. Arrays are contiguous, one for each rank of this process,
 * on the rank's device. What was submitted is work of the rank's stream; use the arrays afterwards like after any launch. */
#ifndef EXAMPLES_NCCL_RANKS_H
#define EXAMPLES_NCCL_RANKS_H

#include <baton.h>

#include "nccl.h"

enum { RANKS = 16 };

struct rank {
    baton_stream *stream;
    void *native;                       /* of the stream */
    nccl_communicator *communicator;
};

struct ranks {
    const struct nccl *nccl;
    int world;                          /* ranks of all processes */
    int first, count;                   /* of this one */
    struct rank local[RANKS];
};

/* to becomes the sum of all ranks' from, element by element. */
int32_t ranks_all_reduce(const struct ranks *ranks, baton_array *const *to, baton_array *const *from, baton_error *err);
/* Everybody's array becomes the root's. */
int32_t ranks_broadcast(const struct ranks *ranks, baton_array *const *arrays, int root, baton_error *err);
/* Each rank sends to the next, and receives from the one before. */
int32_t ranks_pass_on(const struct ranks *ranks, baton_array *const *to, baton_array *const *from, baton_error *err);

#endif
