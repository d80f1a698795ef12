/* Whether a processor does its work at full speed. One that shares its execution units with a neighbour, as those of virtual machines do, takes up to twice as long, for a
 * part of a second or for many; whatever is measured meanwhile says more about the neighbour. */
#ifndef BATON_BENCH_QUIET_H
#define BATON_BENCH_QUIET_H

/* Nonzero: a fixed piece of work takes no longer here than where it was fastest so far, but for a fifth. Takes some 50 us. */
int quiet(void);
/* Moves the calling thread to a processor that is quiet; gives up after all have been tried. It may still run anywhere. */
void quiet_seek(void);

#endif
