/* Results on disk: found again by their whole key, never half, never another user's, and never more than was allowed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_support.h"

/* ---- the linker sends the library's reading and writing here (--wrap): every other call is interrupted, once there is something to interrupt */

ssize_t __real_read(int descriptor, void *to, size_t count);
ssize_t __real_write(int descriptor, const void *from, size_t count);
ssize_t __wrap_read(int descriptor, void *to, size_t count);
ssize_t __wrap_write(int descriptor, const void *from, size_t count);

static int interrupting, interrupted;

static int interrupt(void)
{
    if (!interrupting)
        return 0;
    errno = EINTR;
    return interrupted++ % 2 == 0;
}

/* Less than was asked for, too. */
ssize_t __wrap_read(int descriptor, void *to, size_t count)
{
    return interrupt() ? -1 : __real_read(descriptor, to, interrupting ? (count + 1) / 2 : count);
}

ssize_t __wrap_write(int descriptor, const void *from, size_t count)
{
    return interrupt() ? -1 : __real_write(descriptor, from, interrupting ? (count + 1) / 2 : count);
}

START_TEST(a_signal_during_reading_and_writing_loses_nothing)
{
    interrupting = 1;
    ck_assert(store_write(&store, &key, parts));
    int writing = interrupted;
    ck_assert_int_gt(writing, 0);
    ck_assert(finds(&key));
    ck_assert_int_gt(interrupted, writing);
    interrupting = 0;
}
END_TEST

START_TEST(what_was_kept_is_found_with_all_its_parts)
{
    ck_assert(!finds(&key));
    ck_assert(store_write(&store, &key, parts));
    ck_assert(finds(&key));
    ck_assert_int_eq(cache_files(".baton"), 1);
    ck_assert_int_eq(cache_files(STORE_UNFINISHED), 0);
}
END_TEST

static size_t load(const char *path, unsigned char *to, size_t room)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t count = fread(to, 1, room, file);
    fclose(file);
    return count;
}

START_TEST(a_damaged_file_is_as_if_it_were_not_there_and_is_written_again)
{
    unsigned char whole[4096];
    ck_assert(store_write(&store, &key, parts));
    const char *path = cache_file();
    size_t count = load(path, whole, sizeof whole);
    ck_assert_uint_gt(count, 50);
    for (size_t i = 0; i < count; i++) {
        save(path, whole, i);                               /* cut short */
        ck_assert_msg(!finds(&key), "%zu of %zu bytes", i, count);
        whole[i] ^= 0x40;
        save(path, whole, count);
        ck_assert_msg(!finds(&key), "byte %zu", i);
        whole[i] ^= 0x40;
    }
    save(path, whole, count + 1);                           /* too long */
    ck_assert(!finds(&key));
    ck_assert(store_write(&store, &key, parts));
    ck_assert(finds(&key));
}
END_TEST

START_TEST(a_file_under_the_name_of_another_key_is_not_taken_for_it)
{
    struct bytes other = { .data = NULL };
    char first[1024];
    ck_assert(store_write(&store, &key, parts));
    snprintf(first, sizeof first, "%s", cache_file());
    ck_assert_int_eq(rename(first, compile_path("kept")), 0);
    bytes_add_text(&other, "the kez");
    ck_assert(store_write(&store, &other, parts));
    ck_assert_int_eq(rename(compile_path("kept"), cache_file()), 0);    /* as if both hashes were the same */
    ck_assert(!finds(&other));
    ck_assert(store_write(&store, &other, parts));
    ck_assert(finds(&other));
    bytes_clear(&other);
}
END_TEST

/* A file's age is what its times say. */
static void set_age(const char *path, time_t seconds)
{
    struct timespec then = { .tv_sec = time(NULL) - seconds };
    ck_assert_int_eq(utimensat(AT_FDCWD, path, (struct timespec[]) { then, then }, 0), 0);
}

START_TEST(what_was_not_used_for_longest_goes_when_there_is_too_much)
{
    struct bytes which = { .data = NULL };
    struct stat status;
    char paths[3][1024];
    for (unsigned i = 0; i < 3; i++) {                      /* each alone, to know its name */
        numbered(&which, i);
        ck_assert(store_write(&store, &which, parts));
        snprintf(paths[i], sizeof paths[i], "%s", cache_file());
        ck_assert_int_eq(stat(paths[i], &status), 0);
        char away[32];
        snprintf(away, sizeof away, "away%u", i);
        ck_assert_int_eq(rename(paths[i], compile_path(away)), 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        char away[32];
        snprintf(away, sizeof away, "away%u", i);
        ck_assert_int_eq(rename(compile_path(away), paths[i]), 0);
        set_age(paths[i], 1000 - 100 * i);
    }
    numbered(&which, 0);
    ck_assert(finds(&which));                               /* the oldest, and now the newest */
    store.most_bytes = 3 * (uint64_t)status.st_size;
    numbered(&which, 3);
    ck_assert(store_write(&store, &which, parts));
    ck_assert(finds(&which));
    const int kept[] = { 1, 0, 1 };
    for (unsigned i = 0; i < 3; i++) {
        numbered(&which, i);
        ck_assert_int_eq(finds(&which), kept[i]);
    }
    bytes_clear(&which);
}
END_TEST

START_TEST(what_is_larger_than_the_whole_store_is_not_kept)
{
    ck_assert(store_write(&store, &key, parts));
    store.most_bytes = 10;
    ck_assert(!store_write(&store, &key, parts));
    ck_assert(finds(&key));                                 /* the older result is left alone */
}
END_TEST

START_TEST(unfinished_files_that_nobody_will_finish_are_removed)
{
    save(compile_path("cache/.1.2.3" STORE_UNFINISHED), (const unsigned char *)"x", 1);
    save(compile_path("cache/.1.2.4" STORE_UNFINISHED), (const unsigned char *)"x", 1);
    save(compile_path("cache/readme"), (const unsigned char *)"x", 1);
    set_age(compile_path("cache/.1.2.3" STORE_UNFINISHED), 7200);
    set_age(compile_path("cache/readme"), 7200);
    ck_assert(store_write(&store, &key, parts));
    ck_assert_int_eq(cache_files(STORE_UNFINISHED), 1);
    ck_assert_int_eq(cache_files("readme"), 1);
}
END_TEST

static void *write_and_read(void *unused)
{
    struct bytes which = { .data = NULL };
    (void)unused;
    for (unsigned i = 0; i < 200; i++) {
        numbered(&which, i % 5);
        store_write(&store, &which, parts);
        finds(&which);                      /* whole, or not there */
    }
    bytes_clear(&which);
    return NULL;
}

/* A bound of three files among five keys: they are removed while others read them. */
START_TEST(threads_and_processes_share_a_folder)
{
    pthread_t threads[4];
    pid_t children[3];
    store.most_bytes = 3 * 200;
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (!children[i]) {
            write_and_read(NULL);
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_and_read, NULL), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 3; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(cache_files(STORE_UNFINISHED), 0);
    ck_assert(store_write(&store, &key, parts));
    ck_assert(finds(&key));
}
END_TEST

COMPILE_MAIN("store", store_begin, store_end, a_signal_during_reading_and_writing_loses_nothing, what_was_kept_is_found_with_all_its_parts,
             a_damaged_file_is_as_if_it_were_not_there_and_is_written_again, a_file_under_the_name_of_another_key_is_not_taken_for_it,
             what_was_not_used_for_longest_goes_when_there_is_too_much, what_is_larger_than_the_whole_store_is_not_kept,
             unfinished_files_that_nobody_will_finish_are_removed, threads_and_processes_share_a_folder)
