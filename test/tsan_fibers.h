/* How the thread sanitizer is told that a thread goes on on another stack; nothing in other builds. */
#ifndef BATON_TEST_TSAN_FIBERS_H
#define BATON_TEST_TSAN_FIBERS_H

#include <stddef.h>

#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef FIBER_TSAN
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#else
static void *__tsan_get_current_fiber(void) { return NULL; }
static void *__tsan_create_fiber(unsigned flags) { (void)flags; return NULL; }
static void __tsan_destroy_fiber(void *fiber) { (void)fiber; }
static void __tsan_switch_to_fiber(void *fiber, unsigned flags) { (void)fiber; (void)flags; }
#endif

#endif
