/* A happens-before model of the device, kept on the host and fed with nothing but the driver's journal.
 *
 * Every record, wait and piece of work that the journal shows becomes a node. A node's predecessors are the newest node of its stream, for a wait the
 * event's last record, and what the host knew to be finished when the call was made. Two uses of a memory of which one writes must be ordered by
 * these edges. The library's own tickets, clocks and counters play no part. What a captured stream is given becomes no node; a launch of the graph is one.
 * For one thread at a time that calls the driver. */
#ifndef BATON_TEST_ORACLE_H
#define BATON_TEST_ORACLE_H

#include <stddef.h>
#include <stdint.h>

struct oracle;

/* What one call of the library did on the device. Nodes are numbered from 0; -1: none. */
struct oracle_step {
    int works;              /* launches, copies and fills */
    int first, work;        /* the first and the last of them */
    int captured;           /* works that became part of a graph, and are no nodes */
    int allocated, freed;   /* the newest allocation or free in stream order */
    void *stream_made;      /* the newest stream's native handle, or NULL */
};

struct oracle_counts {
    uint64_t nodes, records, waits, host_waits, uses;
    uint64_t idle_waits;    /* waits that ordered nothing new */
};

/* NULL when the host is out of memory. */
struct oracle *oracle_new(unsigned memories);
void oracle_free(struct oracle *oracle);

/* Takes over and clears the driver's journal. Call it after every call of the library, before the journal overflows. */
struct oracle_step oracle_replay(struct oracle *oracle);

/* The node is the first use of a new memory under that number. */
void oracle_birth(struct oracle *oracle, unsigned memory, int node);

/* The node uses the memory; access is BATON_READ, BATON_WRITE or both. */
void oracle_use(struct oracle *oracle, unsigned memory, uint32_t access, int node);

/* The host must know now that every use of the memory has finished, but for those on the stream `except` (NULL: none excepted). */
void oracle_finished(struct oracle *oracle, unsigned memory, void *except);

/* The host must know now that all work on the stream has finished. */
void oracle_idle(struct oracle *oracle, void *stream);

/* The first lost order, or "". */
const char *oracle_trouble(const struct oracle *oracle);
struct oracle_counts oracle_counted(const struct oracle *oracle);

#endif
