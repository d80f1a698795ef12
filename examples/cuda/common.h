/* What the examples share, in C and C++: calls that must succeed, a stream that is held, steps that say whether the host
 * waited. */
#ifndef EXAMPLES_CUDA_COMMON_H
#define EXAMPLES_CUDA_COMMON_H

#include <baton.h>

#ifdef __cplusplus
extern "C" {
#endif

extern baton_runtime *runtime;
extern baton_error error;

/* Opens Baton on CUDA. Where there is no GPU it says why, and the program ends with 77. */
void example_open(void);
/* The same on another driver: for programs that run on the software device too. */
void example_open_driver(const char *driver);
/* Closes it. 0 when every step was as it should be, else 1: the program's exit status. */
int example_close(void);
/* Ends the program. */
void example_die(const char *call, const char *why) __attribute__((noreturn));

/* A call of Baton that must succeed. */
#define need(call) need_ok((call), #call)
void need_ok(int32_t status, const char *call);

/* A call that Baton must refuse with this status. */
#define must_refuse(status, call) refused_as((status), (call), #call)
void refused_as(int32_t expected, int32_t status, const char *call);

/* A stream, and 1-D arrays of `count` elements; all on device 0. */
baton_stream *stream_new(void);
baton_array *array_new(int32_t dtype, int64_t count, baton_stream *stream);
/* A new array with these elements, complete on return. */
baton_array *array_from(const void *elements, int32_t dtype, int64_t count, baton_stream *stream);

/* The stream stands still from here on, for ten seconds at most: work queued behind this cannot run before let_go. One
 * at a time. */
void hold(baton_stream *stream);
/* Now, or, from a thread of its own, a tenth of a second from now. */
void let_go(void);
void let_go_soon(void);
/* 1 once the held stream was told to go on. */
int was_let_go(void);

/* Between begin and end the host's waits are counted, as baton_stats tells them. */
enum waits { MUST_NOT_WAIT, MUST_WAIT, MAY_WAIT };
void step_begin(const char *what);
void step_end(enum waits waits);
/* A result of the step. Prints only what is wrong. */
void step_check(int right, const char *what);
/* The stream has not finished: to be asked while what it depends on is held. */
void step_check_held(baton_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
