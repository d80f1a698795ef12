/* The steps that both programs show, on the ranks of this process: every call while what it reads is still to be written, the host's waits counted, and
 * all data compared. */
#ifndef EXAMPLES_NCCL_STEPS_H
#define EXAMPLES_NCCL_STEPS_H

#include "../cuda/common.h"
#include "ranks.h"

#define need_nccl(nccl, call) need_nccl_ok((nccl), (call), #call)
void need_nccl_ok(const struct nccl *nccl, int result, const char *call);

/* Opens NCCL and Baton, on the driver that BATON_DRIVER names, or CUDA; ends the program with 77 where either is missing. */
void steps_open(struct nccl *nccl);
/* A stream for the rank; its communicator is to follow. */
void rank_open(struct rank *rank, int device);
/* The communicator too. */
void rank_close(const struct nccl *nccl, struct rank *rank);

/* Arrays of one rank: what it gives, made on a stream of its own, and what it is to get. */
struct given {
    baton_stream *writer;
    baton_array *kept, *from, *to;
};
enum { COUNT = 1000 };
struct given given_new(const struct ranks *ranks, int i, int32_t dtype);
/* `from` is written, on the writer. */
void given_write(const struct given *given);
/* Whether every element of `to` is as `expected` says: of element i in the world. Read on the writer's stream, behind the rank's. */
int given_holds(const struct given *given, int (*expected)(const struct ranks *ranks, int number, int i), const struct ranks *ranks, int number);
void given_free(struct given *given);
int sum_of_all(const struct ranks *ranks, int number, int i);

/* Each call with each element type. */
void steps_run(const struct ranks *ranks);

#endif
