/* The bookkeeping of a memory's uses: pure changes under its lock, with one reference on every stream they name. */
#include "memory/memory.h"

void uses_release(struct use *uses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        stream_release(uses[i].stream);
}

static uint32_t add_use(struct use *uses, uint32_t count, baton_stream *stream, uint64_t ticket, const baton_stream *except)
{
    if (!stream || stream == except || stream_done(stream, ticket))
        return count;
    stream_retain(stream);
    uses[count] = (struct use) { .stream = stream, .ticket = ticket };
    return count + 1;
}

/* A use that stands for others is unfinished elsewhere, whosever stream it is on. */
static uint32_t add_listed(struct use *uses, uint32_t count, const struct use *use, const baton_stream *except)
{
    uint32_t after = add_use(uses, count, use->stream, use->ticket, use->stands_for_others ? NULL : except);
    if (after > count)
        uses[count].stands_for_others = use->stands_for_others;
    return after;
}

uint32_t memory_uses_locked(struct memory *memory, baton_stream *except, int writes_only, struct use *uses)
{
    uint32_t count = 0;
    if (memory->escaped)
        memory->owner.ticket = stream_foreign_ticket(memory->owner.stream);    /* P4 */
    count = add_use(uses, count, memory->owner.stream, memory->owner.ticket, except);
    for (uint32_t i = 0; i < memory->reader_count && !writes_only; i++)
        count = add_listed(uses, count, &memory->readers[i], except);
    for (uint32_t i = 0; i < memory->pending_count; i++)
        count = add_listed(uses, count, &memory->pending[i], except);
    for (uint32_t i = 0; i < memory->export_count; i++)
        if (memory->exports[i].stream != except)
            count = add_use(uses, count, memory->exports[i].stream, consumer_ticket(&memory->exports[i]), except);  /* P5 */
    if (memory->capturer && memory->capturer != except)
        count = add_use(uses, count, memory->capturer, stream_foreign_ticket(memory->capturer), except);            /* S9 */
    return count;
}

void memory_forget_gone_locked(struct memory *memory)
{
    for (uint32_t left = memory->export_count; left > 0; left--) {
        struct consumer *consumer = &memory->exports[left - 1];
        if (consumer->live || !stream_done(consumer->stream, consumer->ticket))
            continue;
        stream_release(consumer->stream);
        *consumer = memory->exports[--memory->export_count];
    }
}

static uint32_t prune(struct use *uses, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (stream_done(uses[i].stream, uses[i].ticket))
            stream_release(uses[i].stream);
        else
            uses[kept++] = uses[i];
    return kept;
}

void memory_prune_locked(struct memory *memory)
{
    memory->reader_count = (uint16_t)prune(memory->readers, memory->reader_count);
    memory->pending_count = (uint16_t)prune(memory->pending, memory->pending_count);
    memory_changed_locked(memory);
}

static uint64_t pending_hint(const struct memory *memory)
{
    for (uint32_t i = 0; i < memory->pending_count; i++)
        if (!stream_done(memory->pending[i].stream, memory->pending[i].ticket))
            return memory->pending[i].stream->id;
    return 0;
}

void memory_changed_locked(struct memory *memory)
{
    uint32_t flags = (memory->capturer ? BATON_ARRAY_TAINTED : 0u) | (memory->escaped ? BATON_ARRAY_ESCAPED : 0u);
    memory->version++;
    atomic_store_explicit(&memory->owner_hint, memory->owner.stream ? memory->owner.stream->id : 0, memory_order_relaxed);
    atomic_store_explicit(&memory->pending_hint, memory->pending_count ? pending_hint(memory) : 0, memory_order_relaxed);
    atomic_store_explicit(&memory->readers_hint, memory->reader_count, memory_order_relaxed);
    atomic_store_explicit(&memory->flags_hint, flags, memory_order_relaxed);
}

/* What of the last write and its readers is unfinished on other streams than s: s may follow it on the device, the host must not trust it. */
static uint32_t unfinished_elsewhere(struct memory *memory, baton_stream *s, struct use *uses)
{
    uint32_t count = add_use(uses, 0, memory->owner.stream, memory->owner.ticket, s);
    for (uint32_t i = 0; i < memory->reader_count; i++)
        count = add_listed(uses, count, &memory->readers[i], s);
    return count;
}

/* When nothing else is unfinished and s was the owner already, the old pending set still stands: s's first use lies behind it, but it may not have finished. */
static void set_pending(struct memory *memory, baton_stream *s)
{
    struct use fresh[MEMORY_PENDING];
    uint32_t count = unfinished_elsewhere(memory, s, fresh);
    if (count == 0 && memory->owner.stream == s)
        return;
    uses_release(memory->pending, memory->pending_count);
    for (uint32_t i = 0; i < count; i++)
        memory->pending[i] = fresh[i];
    memory->pending_count = (uint16_t)count;
}

static int changes_places(const struct memory *memory, const baton_stream *s)
{
    return memory->owner.stream != s && !memory->reader_count && memory->pending_count <= 1 && !memory->escaped && !memory->capturer;
}

/* One owner after another, with nobody in between: s and the owner before change places, and their references with them. */
static void change_places(struct memory *memory, baton_stream *s, uint64_t ticket)
{
    struct use before = memory->owner;
    if (memory->pending_count && memory->pending[0].stream == s) {
        memory->pending_count = 0;
    } else {
        stream_retain(s);
        uses_release(memory->pending, memory->pending_count);
        memory->pending_count = 0;
    }
    if (before.stream && !stream_done(before.stream, before.ticket))
        memory->pending[memory->pending_count++] = (struct use) { .stream = before.stream, .ticket = before.ticket };
    else
        stream_release(before.stream);
    memory->owner = (struct use) { .stream = s, .ticket = ticket };
    atomic_store_explicit(&memory->owner_hint, s->id, memory_order_relaxed);
    atomic_store_explicit(&memory->pending_hint, memory->pending_count ? before.stream->id : 0, memory_order_relaxed);
    memory->version++;
}

/* The owner writes again: nothing but the ticket is new. */
static int writes_again(const struct memory *memory, const baton_stream *s)
{
    return memory->owner.stream == s && !memory->reader_count && !memory->escaped && !memory->pending_count;
}

/* What the owner itself has read since needs no pending wait, unless it read for others too. */
static void forget_own_read(struct memory *memory, baton_stream *s)
{
    if (!memory_read_by(memory, s) || memory->readers[0].stands_for_others)
        return;
    stream_release(s);
    memory->reader_count = 0;
    atomic_store_explicit(&memory->readers_hint, 0, memory_order_relaxed);
}

void memory_publish_write_locked(struct memory *memory, baton_stream *s, uint64_t ticket)
{
    if (memory->owner.stream == s)
        forget_own_read(memory, s);
    if (writes_again(memory, s)) {
        memory->owner.ticket = ticket;
        memory->version++;
        return;
    }
    if (changes_places(memory, s)) {
        change_places(memory, s, ticket);
        return;
    }
    if (memory->owner.stream != s || memory->reader_count) {
        set_pending(memory, s);
        uses_release(memory->readers, memory->reader_count);
        memory->reader_count = 0;
    }
    if (memory->owner.stream != s) {
        stream_retain(s);
        stream_release(memory->owner.stream);
        memory->owner.stream = s;
    }
    memory->owner.ticket = ticket;
    memory->escaped = 0;
    memory_changed_locked(memory);
}

static void drop_reader(struct memory *memory, uint32_t index)
{
    stream_release(memory->readers[index].stream);
    memory->reader_count--;
    for (uint32_t i = index; i < memory->reader_count; i++)
        memory->readers[i] = memory->readers[i + 1];
}

/* The newest reader stands last. In a full set it follows the oldest, which it replaces: the plan saw to it. */
static void add_reader(struct memory *memory, baton_stream *s, uint64_t ticket)
{
    struct use fresh = { .stream = s, .ticket = ticket };
    uint32_t at = 0;
    while (at < memory->reader_count && memory->readers[at].stream != s)
        at++;
    stream_retain(s);
    if (at < memory->reader_count) {
        fresh.stands_for_others = memory->readers[at].stands_for_others;
        drop_reader(memory, at);
    } else if (memory->reader_count == MEMORY_READERS) {
        fresh.stands_for_others = 1;
        drop_reader(memory, 0);
    }
    memory->readers[memory->reader_count++] = fresh;
}

void memory_publish_read_locked(struct memory *memory, baton_stream *s, uint64_t ticket)
{
    uint32_t last = memory->reader_count;
    if (last && memory->readers[last - 1].stream == s && !memory->escaped) {
        memory->readers[last - 1].ticket = ticket;
        memory->version++;
        return;
    }
    add_reader(memory, s, ticket);
    memory->escaped = 0;
    memory_changed_locked(memory);
}
