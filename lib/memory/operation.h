/* One submission on a stream and the memories that it uses (O1): collect, lock all in order, take all, submit, draw the ticket, unlock.
 *
 *     operation_init, operation_add …, operation_begin, the driver call, operation_submitted | operation_failed
 *
 * Up to OPERATION_INLINE memories need no allocation. A scope is the same, with the caller's own submission in the middle. */
#ifndef BATON_MEMORY_OPERATION_H
#define BATON_MEMORY_OPERATION_H

#include "memory/memory.h"

enum { OPERATION_INLINE = 16 };

enum {
    OPERATION_TRY = 1,          /* never wait for a lock */
    OPERATION_NO_HOST_WAIT = 4, /* BATON_NOT_READY instead of a host wait */
    OPERATION_PEER_COPY = 2,    /* the driver moves the bytes between devices itself: no peer access needed */
    OPERATION_KERNEL = 8        /* a kernel does it, whatever the kind says */
};

struct operation_item {
    struct memory *memory;
    uint32_t access;
    int16_t inherited;          /* an enclosing scope holds the lock */
    int16_t taken;              /* and has taken the memory for as much */
    uint64_t waited;            /* memory version + 1 that was host-waited for; 0: none */
};

struct operation {
    uint64_t token;             /* of the locks: even, nonzero */
    baton_stream *stream;       /* resolved; retained by the caller */
    struct operation *parent;   /* enclosing scope's, or NULL */
    int32_t kind;               /* BATON_OP_... */
    uint32_t flags;
    uint32_t count, capacity, locked;
    int goes_on;                /* every memory is the stream's own already, or one other stream's, and nobody else is concerned (S4) */
    struct use before;          /* … and that one's last write, which the stream has to follow on the device; stream NULL: none. Not retained: locked */
    uint32_t own;               /* … and how many uses are on the stream itself, and need no wait */
    int kept;                   /* every item's memory is retained */
    uint32_t waits;             /* device waits that it needed */
    uint32_t same;              /* waits left out because the use was on the same stream; counted once, at the end */
    struct device_entry entry;  /* special streams: of the thread that submits, from submit_start to submit_end */
    struct capture *tracked;    /* the library's capture that the stream takes part in: the set grows, nothing is waited for, nothing taken (S2) */
    uint32_t step;              /* its place in that capture */
    int begun;                  /* a submission is under way on the stream */
    int captured;               /* somebody else captures the stream: nothing is waited for, nothing taken (S2) */
    struct operation_item *items;
    struct operation_item few[OPERATION_INLINE];
};

/* token 0: the operation's own address, which is unique while it lives. */
__attribute__((hot)) void operation_init(struct operation *op, baton_stream *stream, int32_t kind, uint64_t token);

/* In order and with room: the usual case of operation_add, which needs no search. access is not 0. */
static inline int operation_append(struct operation *op, struct memory *memory, uint32_t access)
{
    if (op->kept || op->count == op->capacity || (op->count && op->items[op->count - 1].memory->id >= memory->id))
        return 0;
    op->items[op->count++] = (struct operation_item) { .memory = memory, .access = access };
    __builtin_prefetch(&memory->lock, 1);       /* taken when all have been collected */
    __builtin_prefetch(&memory->version, 1);
    return 1;
}

/* Adds a memory, or merges the access into the one that is there (views, the same array twice). access 0 means read-write. */
int32_t operation_add(struct operation *op, struct memory *memory, uint32_t access, baton_error *err);

/* Takes a reference on every memory, once, also on those added later; the end gives them back. For operations that outlast one call (scopes). The others do it
 * by themselves before they wait for anything or let anybody else run; until then the locks keep the memories, for what is locked is not reclaimed (O2). */
void operation_keep_memories(struct operation *op);

/* Locks and takes everything. On failure all locks are free again, and the operation still has to be discarded. May host-wait, with no lock held. */
__attribute__((hot)) int32_t operation_begin(struct operation *op, baton_error *err);

/* One more memory in an operation that has begun (a scope): takes it, or leaves all as it was. */
int32_t operation_extend(struct operation *op, struct memory *memory, uint32_t access, baton_error *err);

/* Keeps an object (a kernel) alive with the graph, when the operation is captured. After operation_begin. */
int32_t operation_keep(struct operation *op, void *object, void (*retain)(void *), void (*release)(void *), baton_error *err);

/* The work was submitted, or its submission failed behind waits that are queued (S7). Unlocks, and releases the memories. */
__attribute__((hot)) void operation_submitted(struct operation *op);
void operation_failed(struct operation *op);

/* As submitted, with foreign work behind it: the memories are escaped on the stream (P4). */
void operation_expose(struct operation *op);

/* Nothing follows the waits that are queued, and nobody's memory changes hands. */
void operation_withdraw(struct operation *op);

/* Gives up an operation that has not begun. */
__attribute__((hot)) void operation_discard(struct operation *op);

/* The access that the operation (or an enclosing one) holds on the memory; 0: none. */
uint32_t operation_holds(const struct operation *op, const struct memory *memory);

#endif
