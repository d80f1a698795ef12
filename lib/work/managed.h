/* A scope: locks on memories, owned by a token and not by a thread, from before the addresses are handed out until the caller's own submission is done. */
#ifndef BATON_WORK_MANAGED_H
#define BATON_WORK_MANAGED_H

#include "memory/operation.h"

struct baton_scope {
    struct handle handle;
    baton_runtime *runtime;     /* retained */
    baton_stream *stream;       /* retained, resolved */
    baton_scope *parent;        /* retained; NULL: outermost */
    _Atomic int open;
    _Atomic uint32_t children;  /* open scopes directly inside this one */
    struct operation op;        /* parent: the enclosing scope's */
};

/* A live, open scope. */
int32_t scope_check(const baton_scope *scope, baton_error *err);

#endif
