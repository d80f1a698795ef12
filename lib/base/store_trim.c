/* The bound on a store's size. Other processes may trim at the same time: what is gone is gone. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/store.h"

enum { NAME_BYTES = 96, ABANDONED_SECONDS = 3600 };

struct found {
    char name[NAME_BYTES];
    struct timespec used;
    uint64_t bytes;
};

static int has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && length < NAME_BYTES && !strcmp(name + length - end, suffix);
}

/* A file that nobody finishes any more: its writer needs seconds. */
static int abandoned(const char *name, const struct stat *status)
{
    return has_suffix(name, STORE_UNFINISHED) && time(NULL) - status->st_mtime > ABANDONED_SECONDS;
}

static void look_at(const struct store *store, const char *name, struct bytes *all)
{
    struct stat status;
    struct found one = { .bytes = 0 };
    if (fstatat(store->directory, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
        return;
    if (abandoned(name, &status))
        unlinkat(store->directory, name, 0);
    if (!has_suffix(name, STORE_SUFFIX))
        return;
    memcpy(one.name, name, strlen(name));
    one.used = status.st_mtim;
    one.bytes = (uint64_t)status.st_size;
    bytes_add(all, &one, sizeof one);
}

static void look_around(const struct store *store, struct bytes *all)
{
    int descriptor = openat(store->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    struct dirent *entry;
    if (!directory) {
        if (descriptor >= 0)
            close(descriptor);
        return;
    }
    while ((entry = readdir(directory)))
        look_at(store, entry->d_name, all);
    closedir(directory);
}

static int newest_first(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    if (left->used.tv_sec != right->used.tv_sec)
        return left->used.tv_sec < right->used.tv_sec ? 1 : -1;
    return (left->used.tv_nsec < right->used.tv_nsec) - (left->used.tv_nsec > right->used.tv_nsec);
}

void store_trim(const struct store *store)
{
    struct bytes all = { .data = NULL };
    uint64_t kept = 0;
    look_around(store, &all);
    size_t count = all.count / sizeof(struct found);
    struct found *files = (struct found *)(void *)all.data;
    if (count)
        qsort(files, count, sizeof *files, newest_first);
    for (size_t i = 0; i < count; i++) {
        kept += files[i].bytes;
        if (kept > store->most_bytes)
            unlinkat(store->directory, files[i].name, 0);
    }
    bytes_clear(&all);
}
