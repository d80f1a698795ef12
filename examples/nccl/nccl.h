/* NCCL, opened when the program runs: nothing of it is needed to build. Only what is used here; results and numbers are NCCL's. */
#ifndef EXAMPLES_NCCL_NCCL_H
#define EXAMPLES_NCCL_NCCL_H

#include <stddef.h>
#include <stdint.h>

struct nccl_id {
    char bytes[128];
};
typedef struct nccl_communicator nccl_communicator;

enum { NCCL_SUM = 0 };

struct nccl {
    int (*version)(int *version);
    const char *(*error)(int result);
    int (*unique_id)(struct nccl_id *id);
    int (*init_all)(nccl_communicator **communicators, int count, const int *devices);
    int (*init_rank)(nccl_communicator **communicator, int count, struct nccl_id id, int rank);
    int (*destroy)(nccl_communicator *communicator);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *from, void *to, size_t count, int type, int reduction, nccl_communicator *communicator, void *stream);
    int (*broadcast)(const void *from, void *to, size_t count, int type, int root, nccl_communicator *communicator, void *stream);
    int (*send)(const void *from, size_t count, int type, int peer, nccl_communicator *communicator, void *stream);
    int (*receive)(void *to, size_t count, int type, int peer, nccl_communicator *communicator, void *stream);
};

/* Opens the library that BATON_NCCL_LIBRARY names, or libnccl.so.2. NULL, or why it cannot be used. It stays open. */
const char *nccl_open(struct nccl *nccl);

/* NCCL's number for a BATON_ type, -1: it has none. */
int nccl_type(int32_t dtype);

#endif
