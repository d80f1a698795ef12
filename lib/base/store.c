#include "base/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"

enum { NAME_BYTES = 96, TRIES = 4 };

static const char magic[8] = "BATON\1\0";
static const uint64_t most_file_bytes = (uint64_t)1 << 30;

/* What stands before the key and the parts in a file. Numbers are the machine's own: the directory is too. */
struct header {
    char magic[8];
    uint64_t bytes;                 /* of the file */
    uint64_t check;                 /* hash of all that follows it */
    uint64_t key_bytes;
    uint64_t part_bytes[STORE_PARTS];
};

/* ---- the directory */

static int joined(char *path, size_t room, const char *first, const char *rest)
{
    int length = first && *first == '/' ? snprintf(path, room, "%s%s", first, rest) : -1;     /* relative ones are not meant */
    return length > 0 && (size_t)length < room;
}

static int users_own(char *path, size_t room)
{
    return joined(path, room, secure_getenv("BATON_CACHE_DIR"), "") ||
           joined(path, room, secure_getenv("XDG_CACHE_HOME"), "/baton") ||
           joined(path, room, secure_getenv("HOME"), "/.cache/baton");
}

/* Errors show when it is opened. */
static void make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* Nobody but this user can have written it. */
static int own_alone(int descriptor, mode_t kind, struct stat *status)
{
    return !fstat(descriptor, status) && (status->st_mode & S_IFMT) == kind && status->st_uid == geteuid() &&
           !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* A symbolic link in the folder's own place is not followed: in a folder that all may write to, anybody could have put it there. */
static int directory_open(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

void store_open(struct store *store, const char *path, uint64_t most_bytes)
{
    char own[PATH_MAX];
    struct stat status;
    *store = (struct store) { .directory = -1, .most_bytes = most_bytes };
    int length = path ? snprintf(own, sizeof own, "%s", path) : 0;
    if (path ? !*path || length < 0 || (size_t)length >= sizeof own : !users_own(own, sizeof own))
        return;
    for (size_t end = strlen(own); end > 1 && own[end - 1] == '/'; end--)       /* behind it a link would be followed */
        own[end - 1] = '\0';
    store->directory = directory_open(own);
    if (store->directory < 0) {
        make_directories(own);
        store->directory = directory_open(own);
    }
    if (store->directory >= 0 && !own_alone(store->directory, S_IFDIR, &status))
        store_close(store);
}

void store_close(struct store *store)
{
    if (store->directory >= 0)
        close(store->directory);
    store->directory = -1;
}

/* ---- files */

static void file_name(char *name, const struct bytes *key)
{
    snprintf(name, NAME_BYTES, "%016llx%016llx" STORE_SUFFIX, (unsigned long long)bytes_hash(key->data, key->count, 0),
             (unsigned long long)bytes_hash(key->data, key->count, 0x6261746f6e));
}

static int read_all(int descriptor, unsigned char *to, size_t count)
{
    while (count) {
        ssize_t got = TEMP_FAILURE_RETRY(read(descriptor, to, count));
        if (got <= 0)
            return 0;
        to += got;
        count -= (size_t)got;
    }
    return 1;
}

static int write_all(int descriptor, const unsigned char *from, size_t count)
{
    while (count) {
        ssize_t put = TEMP_FAILURE_RETRY(write(descriptor, from, count));
        if (put <= 0)
            return 0;
        from += put;
        count -= (size_t)put;
    }
    return 1;
}

static size_t check_start(void)
{
    return offsetof(struct header, check) + sizeof(uint64_t);
}

static int sizes_add_up(const struct header *header, uint64_t bytes)
{
    uint64_t rest = bytes - sizeof *header;
    if (header->key_bytes > rest)
        return 0;
    rest -= header->key_bytes;
    for (int i = 0; i < STORE_PARTS; i++) {
        if (header->part_bytes[i] > rest)
            return 0;
        rest -= header->part_bytes[i];
    }
    return rest == 0;
}

/* Whether these are the whole bytes of a file for this key. */
static int file_is_good(const struct bytes *file, const struct bytes *key)
{
    struct header header;
    if (file->count < sizeof header)
        return 0;
    memcpy(&header, file->data, sizeof header);
    return !memcmp(header.magic, magic, sizeof magic) && header.bytes == file->count &&
           sizes_add_up(&header, file->count) && header.key_bytes == key->count &&
           !memcmp(file->data + sizeof header, key->data, key->count) &&
           header.check == bytes_hash(file->data + check_start(), file->count - check_start(), 0);
}

static int parts_take(const struct bytes *file, struct bytes *parts)
{
    struct header header;
    memcpy(&header, file->data, sizeof header);
    const unsigned char *at = file->data + sizeof header + header.key_bytes;
    int failed = 0;
    for (int i = 0; i < STORE_PARTS; i++) {
        parts[i] = (struct bytes) { .data = NULL };
        bytes_add(&parts[i], at, header.part_bytes[i]);
        at += header.part_bytes[i];
        failed |= parts[i].failed;
    }
    for (int i = 0; i < STORE_PARTS && failed; i++)
        bytes_clear(&parts[i]);
    return !failed;
}

static int file_read(int descriptor, const struct bytes *key, struct bytes *parts)
{
    struct bytes file = { .data = NULL };
    struct stat status;
    int found = 0;
    if (!own_alone(descriptor, S_IFREG, &status) || status.st_size <= 0 || (uint64_t)status.st_size > most_file_bytes)
        return 0;
    unsigned char *place = bytes_grow(&file, (size_t)status.st_size);
    if (place && read_all(descriptor, place, (size_t)status.st_size) && file_is_good(&file, key))
        found = parts_take(&file, parts);
    bytes_clear(&file);
    return found;
}

int store_read(const struct store *store, const struct bytes *key, struct bytes *parts)
{
    char name[NAME_BYTES];
    if (store->directory < 0)
        return 0;
    file_name(name, key);
    int descriptor = openat(store->directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return 0;
    int found = file_read(descriptor, key, parts);
    if (found)
        futimens(descriptor, NULL);         /* it may be refused: then it only looks older */
    close(descriptor);
    return found;
}

static void file_build(struct bytes *file, const struct bytes *key, const struct bytes *parts)
{
    struct header header = { .bytes = sizeof header + key->count, .key_bytes = key->count };
    memcpy(header.magic, magic, sizeof magic);
    for (int i = 0; i < STORE_PARTS; i++) {
        header.part_bytes[i] = parts[i].count;
        header.bytes += parts[i].count;
    }
    bytes_add(file, &header, sizeof header);
    bytes_add(file, key->data, key->count);
    for (int i = 0; i < STORE_PARTS; i++)
        bytes_add(file, parts[i].data, parts[i].count);
    if (file->failed)
        return;
    header.check = bytes_hash(file->data + check_start(), file->count - check_start(), 0);
    memcpy(file->data, &header, sizeof header);
}

/* A new file under a name that nobody else uses; -1: it cannot be. */
static int unfinished_open(const struct store *store, char *name)
{
    static atomic_uint number;
    int descriptor = -1;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        snprintf(name, NAME_BYTES, ".%d.%u.%llx" STORE_UNFINISHED, (int)getpid(), atomic_fetch_add(&number, 1),
                 (unsigned long long)process_now());
        descriptor = openat(store->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    return descriptor;
}

static int file_put(const struct store *store, const char *name, const struct bytes *file)
{
    char unfinished[NAME_BYTES];
    int descriptor = unfinished_open(store, unfinished);
    if (descriptor < 0)
        return 0;
    int put = write_all(descriptor, file->data, file->count);
    if (close(descriptor))
        put = 0;
    if (put && !renameat(store->directory, unfinished, store->directory, name))
        return 1;
    unlinkat(store->directory, unfinished, 0);
    return 0;
}

int store_write(const struct store *store, const struct bytes *key, const struct bytes *parts)
{
    char name[NAME_BYTES];
    struct bytes file = { .data = NULL };
    int kept = 0;
    if (store->directory < 0)
        return 0;
    file_name(name, key);
    file_build(&file, key, parts);
    if (!file.failed && file.count <= store->most_bytes && file.count <= most_file_bytes)
        kept = file_put(store, name, &file);
    bytes_clear(&file);
    if (kept)
        store_trim(store);
    return kept;
}
