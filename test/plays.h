/* Short stories that together enter every part of the library, each able to stop at any call and to clean up after itself: for tests that make
 * calls fail one after another. */
#ifndef BATON_TEST_PLAYS_H
#define BATON_TEST_PLAYS_H

#include "baton.h"
#include "test/calls.h"
#include "driver/driver.h"

enum { PLAY_ELEMENTS = 64, PLAY_X = 1, PLAY_Y = 2, PLAY_BETWEEN = 4 };

/* calls.h, made of the header, lets every call of a public function in a file that includes it come by here first. */
extern uint64_t play_calls[CALL_COUNT];

/* Two streams of device 0, and two i32 arrays last used, on stream a, to be filled with PLAY_X and PLAY_Y. Nothing is known to be finished. */
struct play {
    baton_runtime *runtime;     /* NULL: closed by the story */
    baton_stream *a, *b;
    baton_array *x, *y;
    baton_kernel *kernel;       /* x[i] = y[i] + 1 */
    int deleted;                /* calls of the wrapped memory's deleter */
    int wrapped;                /* memory that was taken over */
    baton_error error;
};

struct scene {
    const char *name;
    int32_t (*act)(struct play *play);  /* the first status that is not BATON_OK */
    int32_t x;                          /* what x holds after success, everywhere */
    int32_t between[PLAY_BETWEEN];      /* what it may hold instead of that or PLAY_X when a call has failed; 0: nothing more */
    int elsewhere;                      /* enters the driver for other devices and runtimes too */
    int brief;                          /* there for its allocations: its driver calls, many, are the others' too, and one code is enough */
};

extern const struct scene scenes[];
extern const int scene_count;

/* Nothing may fail here. Returns a status. */
int32_t play_open(struct play *play);
/* Gives everything back but the runtime. */
void play_release(struct play *play);

#endif
