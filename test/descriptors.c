/* Descriptors do not reach programs that are started while the library is in use: each is close-on-exec from its first moment, so that no fork of another
 * thread can come between. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "store_support.h"

/* The linker leads the library's calls here. */
int __real_open(const char *path, int flags, ...);
int __real_openat(int directory, const char *path, int flags, ...);
int __real_eventfd(unsigned int count, int flags);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int directory, const char *path, int flags, ...);
int __wrap_eventfd(unsigned int count, int flags);

static atomic_int opened, opened_at, events, bare;

static mode_t mode_from(va_list arguments, int flags)
{
    return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_from(arguments, flags);
    va_end(arguments);
    opened++;
    bare += !(flags & O_CLOEXEC);
    return __real_open(path, flags, mode);
}

int __wrap_openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_from(arguments, flags);
    va_end(arguments);
    opened_at++;
    bare += !(flags & O_CLOEXEC);
    return __real_openat(directory, path, flags, mode);
}

int __wrap_eventfd(unsigned int count, int flags)
{
    events++;
    bare += !(flags & EFD_CLOEXEC);
    return __real_eventfd(count, flags);
}

/* What a program finds open that is started now: its own three, and the folder that it lists. */
static void inherited(char *text, size_t room)
{
    FILE *list = popen("ls /proc/self/fd", "re");
    ck_assert_ptr_nonnull(list);
    size_t count = fread(text, 1, room - 1, list);
    text[count] = '\0';
    ck_assert_int_eq(pclose(list), 0);
    ck_assert_uint_gt(count, 0);
}

/* All that can be open for longer than a call: a fence's descriptor and what its thread has, the folder of the cache. */
START_TEST(a_program_that_is_started_inherits_nothing)
{
    char before[4096], during[4096], leaked[4096];
    baton_fence *fence;
    int32_t descriptor;
    inherited(before, sizeof before);
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "soft" });
    baton_stream *s = make_stream();
    ok(baton_stream_fence(s, &fence, &error));
    ok(baton_fence_descriptor(fence, &descriptor, &error));
    inherited(during, sizeof during);
    ck_assert_str_eq(during, before);
    int bare_one = open("/dev/null", O_RDONLY);        /* such a one would be seen */
    inherited(leaked, sizeof leaked);
    ck_assert_str_ne(leaked, before);
    close(bare_one);
    baton_fence_release(fence);
    baton_stream_release(s);
}
END_TEST

/* What is open only during a call is seen where it is made. */
START_TEST(every_descriptor_is_close_on_exec_from_its_first_moment)
{
    baton_fence *fence;
    int32_t descriptor;
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "soft" });
    baton_stream *s = make_stream();
    ok(baton_stream_fence(s, &fence, &error));
    ok(baton_fence_descriptor(fence, &descriptor, &error));
    ck_assert_int_eq(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
    ck_assert(store_write(&store, &key, parts));
    ck_assert(finds(&key));
    ck_assert_int_gt(opened, 0);
    ck_assert_int_ge(opened_at, 3);             /* written, looked around in, read */
    ck_assert_int_gt(events, 0);
    ck_assert_int_eq(bare, 0);
    baton_fence_release(fence);
    baton_stream_release(s);
}
END_TEST

COMPILE_MAIN("descriptors", store_begin, store_end, a_program_that_is_started_inherits_nothing, every_descriptor_is_close_on_exec_from_its_first_moment)
