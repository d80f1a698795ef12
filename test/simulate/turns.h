/* Tasks that take turns: fibers on a few threads, of which one runs at a time. Which task goes on, and on which thread, is said by the caller, so
 * that the same calls give the same interleaving. Uses nothing of the library. */
#ifndef BATON_TEST_SIMULATE_TURNS_H
#define BATON_TEST_SIMULATE_TURNS_H

#include <stdint.h>

enum { TURNS_TASKS = 6, TURNS_THREADS = 3 };

/* The bodies' tasks have not begun. One at a time in a process. */
void turns_open(int tasks, int threads, void (*body)(int task));
/* Only when each task has ended, or with those that have not left where they are. */
void turns_close(void);

/* Lets the task go on, on that thread (0: the caller's own), until it pauses, yields or ends. A task whose body has returned does nothing. */
void turns_run(int task, int thread);

/* Called by a task: its turn is over. turns_yield is a yield hook; outside tasks it does nothing. */
void turns_pause(void);
int32_t turns_yield(void *user);

/* The task that runs, -1: none. */
int turns_task(void);
/* Whether the task's last turn ended in turns_yield, inside a call. */
int turns_inside(int task);
int turns_ended(int task);

#endif
