/* Results on disk, each in a file of its own, found again by a key of any length.
 *
 * A file holds its whole key, which is compared: its name is only a hash. Files appear complete or not at all, belong to
 * this user alone, and are checked for damage; whatever is wrong with one, it is as if it were not there. Any number of
 * threads and processes may use one directory. Nothing here fails for its caller: without a store the work is done
 * again. */
#ifndef BATON_BASE_STORE_H
#define BATON_BASE_STORE_H

#include "base/bytes.h"

enum { STORE_PARTS = 3 };           /* a result has this many parts, each any bytes */

struct store {
    int directory;                  /* -1: there is none */
    uint64_t most_bytes;            /* of all files together */
};

/* Opens the directory, made with mode 0700 (its parents too) when it is missing. NULL: the user's own:
 * $BATON_CACHE_DIR, else $XDG_CACHE_HOME/baton, else $HOME/.cache/baton, none of them in a privileged program.
 * `directory` is -1 when it cannot be opened, is a symbolic link, is another user's, or others may write to it. */
void store_open(struct store *store, const char *path, uint64_t most_bytes);
void store_close(struct store *store);

/* 1 with the parts filled (to be cleared by the caller), 0 when there is no such result or no memory for it. What is found counts as
 * used just now. */
int store_read(const struct store *store, const struct bytes *key, struct bytes *parts);

/* Keeps the result, if it can, and removes what has not been used for longest until all fits. 1: kept. */
int store_write(const struct store *store, const struct bytes *key, const struct bytes *parts);

/* store_trim.c: removes the files least recently used until the rest has at most `most_bytes`, and temporary files that
 * somebody left behind. */
void store_trim(const struct store *store);

/* The suffixes of finished and of unfinished files. */
#define STORE_SUFFIX ".baton"
#define STORE_UNFINISHED ".part"

#endif
