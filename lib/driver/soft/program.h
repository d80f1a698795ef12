/* Programs: what a graph does. Its nodes are kept in the order in which they were added, which is a topological order:
 * a launch runs them one after the other as one operation.
 *
 * A graph's program grows, and its nodes have handles. Executables and child nodes have copies, which never change, so
 * that they can run without the lock. */
#ifndef BATON_DRIVER_SOFT_PROGRAM_H
#define BATON_DRIVER_SOFT_PROGRAM_H

#include "driver/soft/machine.h"
#include "driver/soft/task.h"

struct soft_event;
struct soft_queue;

/* Nodes of one program, each once, in the order in which they were put in. */
struct soft_set {
    driver_graph_node *nodes;       /* each a struct soft_node; NULL: empty */
    size_t count;
};

struct soft_node {
    struct soft_handle handle;      /* key NULL: of a copy */
    struct soft_program *program;
    size_t index;                   /* in the program */
    struct soft_task *task;         /* retained; NULL: event wait */
    struct soft_event *event;       /* event wait; looked up again by handle at launch */
    int loose;                      /* added or let go by hand: a capture may end with nothing behind it */
    struct soft_set after;          /* earlier nodes */
};

struct soft_program {
    int references;
    const struct soft_context *context;     /* of the nodes' handles; NULL: a copy */
    size_t count, capacity;
    struct soft_node **nodes;
};

/* Puts in what is missing. The nodes may be the set's own. OUT_OF_MEMORY: nothing has changed. */
int soft_set_add(struct soft_set *set, const driver_graph_node *nodes, size_t count);
int soft_set_replace(struct soft_set *set, const driver_graph_node *nodes, size_t count);
int soft_set_has(const struct soft_set *set, const struct soft_node *node);
void soft_set_clear(struct soft_set *set);

/* NULL: no memory. */
struct soft_program *soft_program_new(const struct soft_context *context);
struct soft_program *soft_program_copy(const struct soft_program *program);
void soft_program_release(struct soft_program *program);
/* Adds a node behind others of the program. Retains the task. */
int soft_program_add(struct soft_program *program, struct soft_task *task, struct soft_event *event,
                     const driver_graph_node *after, size_t count, struct soft_node **node);
/* Whether all these are handles of the program's nodes. */
int soft_program_owns(const struct soft_program *program, const driver_graph_node *nodes, size_t count);
/* Whether all nodes come before the set or before a loose one, or are such: nothing was forked and left behind. */
int soft_program_joined(const struct soft_program *program, const struct soft_set *last);
/* A CUgraphExecUpdateResult: whether an executable of one can be updated to the other. */
unsigned int soft_program_difference(const struct soft_program *a, const struct soft_program *b);
/* Makes the queue follow the events that the program waits for. */
int soft_program_follow(const struct soft_program *program, struct soft_queue *queue);
/* Lock not held. Copies only. */
void soft_program_run(const struct soft_program *program);

#endif
