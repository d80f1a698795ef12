/* What every behaviour test needs: a runtime seen through the instrument, gates, counted calls, and a clean end.
 *
 * Tests use the driver that BATON_DRIVER names (default "soft:2"); needs.h has what cannot run on every driver. Evidence
 * is the journal and the data, never a sleep. */
#ifndef BATON_TEST_SUPPORT_H
#define BATON_TEST_SUPPORT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "driver/instrument.h"
#include "driver/soft/soft.h"
#include "needs.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Per test, set by support_setup (a checked fixture of support_main's cases). */
extern baton_runtime *runtime;
extern baton_error error;

/* Opens `runtime` through the instrument, with no problems recorded. What an earlier test that failed has left in this
 * process (CK_FORK=no) is abandoned. */
void support_setup(void);
/* Closes `runtime` if the test has not (set it to NULL then), and checks that nothing was leaked and that the device saw no race. */
void support_teardown(void);

/* Opens with options of the test's own, in place of what support_setup opened. */
void support_reopen(const baton_runtime_options *options);

/* The status must be BATON_OK; else the test fails with the error's message. */
#define ok(call) support_ok((call), #call, __FILE__, __LINE__)
void support_ok(int32_t status, const char *call, const char *file, int line);

/* The status must be `status`, and the error record must say so with a message. */
#define refused(status, call) support_refused((status), (error = (baton_error)BATON_ERROR_INIT, (call)), #call, __FILE__, __LINE__)
void support_refused(int32_t expected, int32_t status, const char *call, const char *file, int line);

baton_stream *make_stream(void);                            /* on device 0 */
baton_stream *make_stream_on(int32_t device);
int32_t device_count(void);
baton_array *make_array(int64_t elements, baton_stream *stream);     /* 1-D i32, device memory of the stream's device, clean: its allocation is waited for */
baton_array *make_array_of(int32_t kind, int64_t elements, baton_stream *stream);
baton_array *make_view(baton_array *array, int64_t start, int64_t count);
uint64_t id_of(baton_stream *stream);
baton_array_info info_of(baton_array *array);
baton_stats stats(void);

/* Fills with one i32 value, as an operation on the stream. */
void fill(baton_array *array, int32_t value, baton_stream *stream);
/* Downloads and checks that every element has the value. */
void expect(baton_array *array, int32_t value, baton_stream *stream);

/* A kernel of the tests: `function` on the software device, the compiled one of that name elsewhere (kernels.h). */
baton_kernel *make_kernel(int32_t device, baton_host_kernel function, const char *name, const baton_host_parameter *parameters, uint32_t count);

/* to[i] = from[i] + 1 over i32. Arguments: baton_out(to), baton_in(from), baton_value(count as int64_t). */
baton_kernel *make_add_one(int32_t device);
int32_t add_one(baton_kernel *kernel, baton_array *to, baton_array *from, baton_stream *stream, baton_error *err);

/* A closed gate on the stream: what is submitted behind it cannot have run until open_gate. It opens by itself after 20 s, so that nothing hangs. */
baton_gate *close_gate(baton_stream *stream);
void open_gate(baton_gate *gate);                           /* and gives it back */

/* Driver calls between counting_start and calls(row); calls(DRIVER_ROW_COUNT) counts all rows. */
void counting_start(void);
uint64_t calls(enum driver_row row);

/* Ends a forked child as programs end, with all exit handlers; not with those of a sanitizer, which look for what stayed with the parent. */
_Noreturn void leave_child(int status);

/* Runs `body` on a thread of its own and waits for it. */
void on_thread(void (*body)(void *), void *argument);

/* Runs a suite of one case with the fixtures above; the program's exit status. A test that is NULL was left out by
 * needs.h. Seeds come from BATON_TEST_SEED. */
typedef const TTest *support_test;
int support_main(const char *name, const support_test *tests, size_t count, double timeout_s);
/* For programs that look at what the driver is given back: nothing is cached. */
extern uint32_t support_flags;          /* of every runtime that is opened */
#define SUPPORT_WITHOUT_CACHE __attribute__((constructor)) static void without_cache(void) { support_flags = BATON_RUNTIME_NO_CACHE; }

#define SUPPORT_MAIN(name, timeout_s, ...)                                                      \
    int main(void)                                                                              \
    {                                                                                           \
        const support_test tests[] = { __VA_ARGS__ };                                           \
        return support_main(name, tests, sizeof tests / sizeof *tests, timeout_s);              \
    }
uint64_t support_seed(uint64_t otherwise);

#endif
