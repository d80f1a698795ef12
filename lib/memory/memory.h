/* A memory: one allocation, and everything that is known about its use. Every array and view over it shares it.
 *
 *      owner            the last write                 pending          what the owner's stream waits for on the device only
 *        |                                                |
 *   A ---W-------------o                             B ---W---         after the hand-off A -> B:  owner B, pending {A}
 *                       \                           /
 *   readers  C ----------R------   D ---R----------o                   a write follows the last write and all readers
 *
 * A release is lock-free; what depends on the device happens at the next drain. */
#ifndef BATON_MEMORY_MEMORY_H
#define BATON_MEMORY_MEMORY_H

#include "base/lock.h"
#include "stream/fence.h"
#include "stream/stream.h"

enum {
    MEMORY_READERS = 8,
    MEMORY_EXPORTS = 4,
    MEMORY_PENDING = 1 + MEMORY_READERS + MEMORY_EXPORTS,
    MEMORY_USES = 2 + MEMORY_READERS + MEMORY_PENDING + MEMORY_EXPORTS   /* owner, untracked capture, and all of the above */
};

/* Consumers that may be on any stream: all streams have to be waited for. */
struct unnamed {
    uint32_t count;
    uint32_t over;                          /* of these, gone, with work that may not have finished */
};

/* Consumers of live exports that named the same stream. */
struct consumer {
    baton_stream *stream;                   /* retained */
    uint32_t live;                          /* how many exports; 0: the last one is gone … */
    uint64_t ticket;                        /* … and what it may have left on a lent stream lies before this ticket */
};

/* What has to be followed of them: nothing older proves anything about a live one's work (P5). */
static inline uint64_t consumer_ticket(const struct consumer *consumer)
{
    return consumer->live ? stream_foreign_ticket(consumer->stream) : consumer->ticket;
}

/* What the cache may do: whatever is needed; only what enters no driver, waits for nobody and calls nobody; or hand out, too, what is busy. */
enum cache_how { CACHE_FULLY, CACHE_AT_ONCE, CACHE_ANY };

/* What every operation touches stands first and close together. */
struct memory {
    struct handle handle;
    struct device *device;
    uint64_t id;                            /* its own, never reused: the lock order */
    uint64_t address, bytes;
    int32_t kind;                           /* BATON_DEVICE, BATON_HOST, BATON_UNIFIED */

    /* Taken before any stream's lock; several at once only through an operation. Guards everything down to `exports`, but for the atomics, which only its
     * holder writes. */
    struct lock lock;
    struct use owner;                       /* last write; stream retained, NULL: never used */
    uint64_t version;                       /* grows with every change: tells a waiter whether to look again */
    baton_stream *capturer;                 /* retained: an untracked capture on it uses the memory (S9); NULL: not tainted */
    uint16_t pending_count;
    union {
        uint64_t concerns;                  /* 0: none of these, and a use follows the last write alone */
        struct {
            uint16_t reader_count, export_count;
            uint8_t escaped;                /* the owner's stream may hold foreign work on it, without tickets (P4) */
            uint8_t disposed;               /* given back while handles remain */
            uint8_t read_only;              /* from birth, like the next */
            uint8_t pageable;               /* ordinary memory of the host: copies and the host reach it, kernels do not */
        };
    };
    struct unnamed unnamed;                 /* consumers on no particular stream … */
    struct unnamed reading;                 /* … that may only read: a write follows them, a read does not */
    _Atomic int synchronizing;              /* S13 */
    _Atomic uint32_t flags_hint;            /* these four are for baton_array_info */
    _Atomic uint64_t owner_hint, pending_hint, readers_hint;

    /* What its birth and its end touch. */
    baton_runtime *runtime;                 /* retained */
    struct deferred node;
    int foreign;                            /* given back by `deleter`, which may be NULL */
    int has_uses;                           /* in the cache's list of such blocks; guarded by the cache's lock, like these */
    struct memory *alike_before, *alike_after, *older, *newer, *used_before, *used_after;
    _Atomic uint64_t charge;                /* bytes that the device's account holds for it; 0: foreign, cached, or given back */
    void *spare;                            /* from malloc: the last array's handle, for the next one; NULL but for blocks in the cache and on the way there */
    baton_deleter deleter;
    void *user;

    struct use pending[MEMORY_PENDING];     /* of the last hand-off; retained */
    struct use readers[MEMORY_READERS];     /* since that write, oldest first; retained */
    struct consumer exports[MEMORY_EXPORTS];
};

/* Memory of the device, a first write on `stream` (device memory) ordering its use. One reference for the caller. May run the out-of-memory
 * ladder: see pool.h. */
struct memory_options {
    struct device *device;
    baton_stream *stream;
    int32_t kind;
    uint64_t bytes;
    uint32_t flags;                         /* BATON_ALLOC_... */
    int32_t level;
    int pageable;                           /* memory_wrap: ordinary memory of the host */
    int arrived;                            /* memory_wrap: all that uses it on the stream has been submitted, unless the stream's owner goes on */
};
int32_t memory_create(const struct memory_options *options, struct memory **memory, baton_error *err);

/* Somebody else's memory. When stream is given, foreign work on it may use the memory. */
int32_t memory_wrap(const struct memory_options *options, uint64_t address, baton_deleter deleter, void *user, int read_only, struct memory **memory,
                    baton_error *err);

/* retain only with a reference in hand. The last release queues the memory for a drain. NULL is allowed. */
void memory_retain(struct memory *memory);
void memory_release(struct memory *memory);

/* The same in two steps, for an owner that waits for the drain itself: nonzero when that was the last reference, and then memory_reclaim, in a drain, does
 * what is left, or says DEFERRED_LATER. */
int memory_drop(struct memory *memory);
/* Zero: the caller's reference is the only one, stays so, and may be dropped for the last one. */
static inline int memory_shared(const struct memory *memory)
{
    return atomic_load_explicit(&memory->handle.references, memory_order_acquire) != 1;
}
void memory_drop_last(struct memory *memory);
enum deferred_result memory_reclaim(struct memory *memory, enum cache_how how);

/* Gives the bytes back now, in stream order (O9). Idempotent. */
int32_t memory_dispose(struct memory *memory, baton_error *err);

/* How callers of this runtime wait for memory locks. */
struct lock_policy memory_lock_policy(baton_runtime *runtime, int try_only);

/* Locks for one short look or change. Errors as lock_acquire's, with a message. */
int32_t memory_lock(struct memory *memory, uint64_t token, const struct lock_policy *policy, baton_error *err);

/* ---- with the lock held ---- */

/* Writes the outstanding uses other than those on `except` (may be NULL) to `uses` (room for MEMORY_USES), each stream retained. Draws fresh tickets where
 * foreign work may have been submitted (P4, P5). `writes_only` leaves readers out. Counts nothing. */
uint32_t memory_uses_locked(struct memory *memory, baton_stream *except, int writes_only, struct use *uses);

/* Whether a consumer on no particular stream has to be followed, for that access. */
static inline int memory_unnamed(const struct memory *memory, uint32_t access)
{
    return memory->unnamed.count || (access & BATON_WRITE && memory->reading.count);
}

/* That stream is the only one that has read since the last write. */
static inline int memory_read_by(const struct memory *memory, const baton_stream *stream)
{
    return memory->reader_count == 1 && memory->readers[0].stream == stream;
}

/* A use on the stream follows the last write alone: nobody else has read since, and nothing is special about the memory. */
static inline int memory_unconcerned(const struct memory *memory, const baton_stream *stream)
{
    return !memory->concerns || (memory_read_by(memory, stream) && !memory->export_count && !memory->escaped && !memory->disposed && !memory->read_only &&
                                 !memory->pageable);
}

/* Drops consumers that are gone and whose work is known to be finished. */
void memory_forget_gone_locked(struct memory *memory);

/* Drops uses that are known to be finished from readers and pending. */
void memory_prune_locked(struct memory *memory);

/* s becomes the owner by a write; what is unfinished elsewhere becomes pending. Tickets are set by the caller's later call. */
__attribute__((hot)) void memory_publish_write_locked(struct memory *memory, baton_stream *s, uint64_t ticket);
void memory_publish_read_locked(struct memory *memory, baton_stream *s, uint64_t ticket);

/* After any change: version and hints. */
__attribute__((hot)) void memory_changed_locked(struct memory *memory);

void uses_release(struct use *uses, uint32_t count);

#endif
