/* The table of live handles: nothing that a caller passes is followed before it was found here. The machine's lock
 * guards it. */
#ifndef BATON_DRIVER_SOFT_HANDLE_H
#define BATON_DRIVER_SOFT_HANDLE_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum soft_kind {
    SOFT_CONTEXT, SOFT_QUEUE, SOFT_EVENT, SOFT_POOL, SOFT_MODULE, SOFT_FUNCTION, SOFT_GRAPH, SOFT_EXECUTABLE,
    SOFT_NODE, SOFT_KINDS
};

struct soft_context;

/* First member of every object that has a handle. */
struct soft_handle {
    void *key;
    enum soft_kind kind;
    const struct soft_context *context;     /* it dies with this one; NULL: pools, contexts */
    UT_hash_handle hh;
};

/* Nonzero when there was no memory. */
int soft_handle_add(struct soft_handle *handle, enum soft_kind kind, void *key, const struct soft_context *context);
void soft_handle_remove(struct soft_handle *handle);
/* The object behind a key, NULL when there is none of that kind. */
void *soft_handle_find(const void *key, enum soft_kind kind);
/* Any live object of a kind and context; NULL when none is left. */
void *soft_handle_any(enum soft_kind kind, const struct soft_context *context);
size_t soft_handle_count(enum soft_kind kind);

#endif
