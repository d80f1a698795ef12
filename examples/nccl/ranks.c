#include "ranks.h"

#include <stdio.h>
#include <string.h>

/* What one rank hands to NCCL. */
struct part {
    const struct nccl *nccl;
    const struct rank *rank;
    int number, world;                  /* in the world */
    void *to;
    const void *from;
    size_t count;
    int type, root;
};
typedef int (*submit)(const struct part *part);

static int all_reduce(const struct part *p)
{
    return p->nccl->all_reduce(p->from, p->to, p->count, p->type, NCCL_SUM, p->rank->communicator, p->rank->native);
}

static int broadcast(const struct part *p)
{
    return p->nccl->broadcast(p->to, p->to, p->count, p->type, p->root, p->rank->communicator, p->rank->native);
}

static int pass_on(const struct part *p)
{
    int result = p->nccl->send(p->from, p->count, p->type, (p->number + 1) % p->world, p->rank->communicator, p->rank->native);
    return result ? result : p->nccl->receive(p->to, p->count, p->type, (p->number + p->world - 1) % p->world, p->rank->communicator, p->rank->native);
}

static int32_t fail(baton_error *err, int32_t status, const char *message)
{
    *err = (baton_error)BATON_ERROR_INIT;
    err->status = status;
    snprintf(err->message, sizeof err->message, "%s", message);
    return status;
}

static int32_t part_fill(struct part *part, baton_array *array, baton_error *err)
{
    baton_array_info info = { .struct_size = sizeof info };
    int32_t status = baton_array_info_read(array, &info, err);
    if (status)
        return status;
    part->count = info.elements;
    part->type = nccl_type(info.dtype);
    if (part->type < 0)
        return fail(err, BATON_ERR_DTYPE, "NCCL has no such element type");
    return info.flags & BATON_ARRAY_CONTIGUOUS ? BATON_OK : fail(err, BATON_ERR_SHAPE, "the array is not contiguous");
}

/* from NULL: to is read and written. The scope's parent is the one before it: a lock that would be out of order is then tried only. */
static int32_t enter(struct part *part, baton_scope *before, baton_array *to, baton_array *from, baton_scope **scope, baton_error *err)
{
    baton_operand operands[] = { { .array = to, .access = from ? BATON_WRITE : BATON_READ_WRITE }, { .array = from, .access = BATON_READ } };
    int32_t status = part_fill(part, to, err);
    if (!status)
        status = baton_scope_begin(part->rank->stream, before, operands, from ? 2 : 1, 0, scope, err);
    if (status)
        return status;
    part->to = (void *)(uintptr_t)operands[0].address;
    part->from = from ? (const void *)(uintptr_t)operands[1].address : NULL;
    return BATON_OK;
}

static void leave(baton_scope **scopes, int count)
{
    while (count-- > 0) {
        baton_scope_abort(scopes[count]);           /* nothing, after its end */
        baton_scope_release(scopes[count]);
    }
}

/* The calls of all ranks of a process are one group: each alone would wait for the others. */
static int32_t submit_all(const struct ranks *ranks, const struct part *parts, submit function, baton_error *err)
{
    int result = ranks->nccl->group_start(), ended;
    for (int i = 0; i < ranks->count && !result; i++)
        result = function(&parts[i]);
    ended = ranks->nccl->group_end();
    result = result ? result : ended;
    return result ? fail(err, BATON_ERR_DRIVER, ranks->nccl->error(result)) : BATON_OK;
}

static int32_t try_together(const struct ranks *ranks, baton_array *const *to, baton_array *const *from, submit function, int root, baton_error *err)
{
    struct part parts[RANKS];
    baton_scope *scopes[RANKS];
    int32_t status = BATON_OK;
    int begun = 0;
    for (; begun < ranks->count && !status; begun += !status) {
        parts[begun] = (struct part) { .nccl = ranks->nccl, .rank = &ranks->local[begun], .number = ranks->first + begun, .world = ranks->world, .root = root };
        status = enter(&parts[begun], begun ? scopes[begun - 1] : NULL, to[begun], from ? from[begun] : NULL, &scopes[begun], err);
    }
    if (!status)
        status = submit_all(ranks, parts, function, err);
    for (int i = begun; i-- > 0 && !status;)
        status = baton_scope_end(scopes[i], err);
    leave(scopes, begun);
    return status;
}

/* Another thread holds a lock that comes before those that are held: begin again. */
static int32_t together(const struct ranks *ranks, baton_array *const *to, baton_array *const *from, submit function, int root, baton_error *err)
{
    int32_t status;
    do
        status = try_together(ranks, to, from, function, root, err);
    while (status == BATON_WOULD_BLOCK);
    return status;
}

int32_t ranks_all_reduce(const struct ranks *ranks, baton_array *const *to, baton_array *const *from, baton_error *err)
{
    return together(ranks, to, from, all_reduce, 0, err);
}

int32_t ranks_broadcast(const struct ranks *ranks, baton_array *const *arrays, int root, baton_error *err)
{
    return together(ranks, arrays, NULL, broadcast, root, err);
}

int32_t ranks_pass_on(const struct ranks *ranks, baton_array *const *to, baton_array *const *from, baton_error *err)
{
    return together(ranks, to, from, pass_on, 0, err);
}
