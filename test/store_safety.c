/* A store is used only when nobody else can have written it, and is missed by nobody when it cannot be. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_support.h"

static mode_t mode_of(const char *path)
{
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    return status.st_mode & 07777;
}

START_TEST(folders_and_files_belong_to_this_user_alone)
{
    umask(0);
    setenv("BATON_CACHE_DIR", compile_path("made/on/the/way"), 1);
    store_close(&store);
    store_open(&store, NULL, AMPLE);
    ck_assert_int_ge(store.directory, 0);
    ck_assert_int_eq(mode_of(compile_path("made")), 0700);
    ck_assert_int_eq(mode_of(compile_path("made/on/the/way")), 0700);
    setenv("BATON_CACHE_DIR", CACHE, 1);
    store_close(&store);
    store_open(&store, NULL, AMPLE);
    ck_assert(store_write(&store, &key, parts));
    ck_assert_int_eq(mode_of(cache_file()), 0600);
    ck_assert_int_eq(fcntl(store.directory, F_GETFD), FD_CLOEXEC);
}
END_TEST

static void expect_directory(const char *path)
{
    struct stat wanted, found;
    store_close(&store);
    store_open(&store, NULL, AMPLE);
    if (!path) {
        ck_assert_int_eq(store.directory, -1);
        return;
    }
    ck_assert_int_ge(store.directory, 0);
    ck_assert_int_eq(fstat(store.directory, &found), 0);
    ck_assert_int_eq(stat(path, &wanted), 0);
    ck_assert_uint_eq(found.st_ino, wanted.st_ino);
}

START_TEST(the_folder_is_the_users_own_unless_one_is_named)
{
    setenv("XDG_CACHE_HOME", compile_path("xdg"), 1);
    setenv("HOME", compile_path("home"), 1);
    expect_directory(CACHE);
    setenv("BATON_CACHE_DIR", "relative", 1);
    expect_directory(compile_path("xdg/baton"));
    unsetenv("BATON_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "", 1);
    expect_directory(compile_path("home/.cache/baton"));
    setenv("HOME", "elsewhere", 1);
    expect_directory(NULL);
    unsetenv("HOME");
    expect_directory(NULL);
    store_open(&store, compile_path("given"), AMPLE);
    ck_assert_int_ge(store.directory, 0);
    store_close(&store);
    store_open(&store, "", AMPLE);
    ck_assert_int_eq(store.directory, -1);
}
END_TEST

START_TEST(a_folder_that_others_may_write_to_is_not_used)
{
    const mode_t modes[] = { 0770, 0720, 0702, 0777 };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        ck_assert_int_eq(chmod(CACHE, modes[i]), 0);
        expect_directory(NULL);
        ck_assert(!store_write(&store, &key, parts));
        ck_assert(!finds(&key));
    }
    ck_assert_int_eq(chmod(CACHE, 0755), 0);
    expect_directory(CACHE);
}
END_TEST

START_TEST(a_symbolic_link_in_the_folders_place_is_not_followed)
{
    ck_assert_int_eq(mkdir(compile_path("elsewhere"), 0700), 0);
    ck_assert_int_eq(symlink(compile_path("elsewhere"), compile_path("link")), 0);
    setenv("BATON_CACHE_DIR", compile_path("link"), 1);
    expect_directory(NULL);
    setenv("BATON_CACHE_DIR", compile_path("link//"), 1);
    expect_directory(NULL);
    setenv("BATON_CACHE_DIR", compile_path("link/inside"), 1);      /* the way to it is the user's business */
    expect_directory(compile_path("elsewhere/inside"));
    setenv("BATON_CACHE_DIR", compile_path("elsewhere//"), 1);
    expect_directory(compile_path("elsewhere"));
}
END_TEST

/* Needs the right to give files away. */
START_TEST(what_belongs_to_somebody_else_is_not_used)
{
    ck_assert(store_write(&store, &key, parts));
    if (chown(cache_file(), 12345, (gid_t)-1))
        return;
    ck_assert(!finds(&key));
    ck_assert(store_write(&store, &key, parts));            /* in its place */
    ck_assert(finds(&key));
    ck_assert_int_eq(chown(CACHE, 12345, (gid_t)-1), 0);
    expect_directory(NULL);
    ck_assert_int_eq(chown(CACHE, geteuid(), (gid_t)-1), 0);
}
END_TEST

START_TEST(a_file_that_others_may_write_to_is_as_if_it_were_not_there)
{
    ck_assert(store_write(&store, &key, parts));
    ck_assert_int_eq(chmod(cache_file(), 0620), 0);
    ck_assert(!finds(&key));
    ck_assert(store_write(&store, &key, parts));
    ck_assert_int_eq(mode_of(cache_file()), 0600);
    ck_assert(finds(&key));
}
END_TEST

/* A FIFO would block whoever opens it. */
START_TEST(what_is_no_plain_file_is_replaced)
{
    char name[1024];
    ck_assert(store_write(&store, &key, parts));
    snprintf(name, sizeof name, "%s", cache_file());
    ck_assert_int_eq(rename(name, compile_path("moved")), 0);
    ck_assert_int_eq(symlink(compile_path("moved"), name), 0);
    ck_assert(!finds(&key));
    ck_assert_int_eq(unlink(name), 0);
    ck_assert_int_eq(mkfifo(name, 0600), 0);
    ck_assert(!finds(&key));
    ck_assert(store_write(&store, &key, parts));
    ck_assert(finds(&key));
}
END_TEST

/* Root may write anywhere, so for it the folder is one that cannot be: below a file. */
START_TEST(without_a_folder_nothing_is_kept_and_nothing_fails)
{
    ck_assert(store_write(&store, &key, parts));
    store_close(&store);
    ck_assert_int_eq(chmod(CACHE, 0500), 0);
    store_open(&store, NULL, AMPLE);
    ck_assert_int_ge(store.directory, 0);
    ck_assert(finds(&key));                                 /* reading is enough for this */
    ck_assert_int_eq(store_write(&store, &key, parts), geteuid() == 0);
    ck_assert_int_eq(chmod(CACHE, 0700), 0);
    store_close(&store);
    save(compile_path("file"), (const unsigned char *)"x", 1);
    store_open(&store, compile_path("file/below"), AMPLE);
    ck_assert_int_eq(store.directory, -1);
    ck_assert(!store_write(&store, &key, parts));
    ck_assert(!finds(&key));
}
END_TEST

/* As on a full disk: a file may have so many bytes and no more. */
START_TEST(what_could_not_be_written_whole_leaves_nothing_behind)
{
    struct rlimit old, tight;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight = (struct rlimit) { .rlim_cur = 40, .rlim_max = old.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
    int kept = store_write(&store, &key, parts);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    ck_assert(!kept);
    ck_assert_int_eq(cache_files(".baton") + cache_files(STORE_UNFINISHED), 0);
    ck_assert(store_write(&store, &key, parts));
    ck_assert(finds(&key));
}
END_TEST

COMPILE_MAIN("store: safety", store_begin, store_end, folders_and_files_belong_to_this_user_alone, the_folder_is_the_users_own_unless_one_is_named,
             a_folder_that_others_may_write_to_is_not_used, a_symbolic_link_in_the_folders_place_is_not_followed, what_belongs_to_somebody_else_is_not_used,
             a_file_that_others_may_write_to_is_as_if_it_were_not_there, what_is_no_plain_file_is_replaced,
             without_a_folder_nothing_is_kept_and_nothing_fails, what_could_not_be_written_whole_leaves_nothing_behind)
