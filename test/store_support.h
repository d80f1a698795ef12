/* For tests of the store: an open one, a key and a result. */
#ifndef BATON_TEST_STORE_SUPPORT_H
#define BATON_TEST_STORE_SUPPORT_H

#include "base/store.h"

#include "compile_support.h"

extern struct store store;              /* in CACHE, with ample room */
extern struct bytes key, parts[STORE_PARTS];
#define AMPLE ((uint64_t)1 << 20)

/* Fixtures. */
void store_begin(void);
void store_end(void);

/* 1: there is a result, and it is `parts`. */
int finds(const struct bytes *which);
/* Another key. */
void numbered(struct bytes *to, unsigned number);
/* A file with these bytes. */
void save(const char *path, const unsigned char *from, size_t count);

#endif
