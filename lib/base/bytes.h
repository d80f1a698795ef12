/* A run of bytes that grows. A failed allocation is remembered: the end of a sequence of additions is the place to look. */
#ifndef BATON_BASE_BYTES_H
#define BATON_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {              /* all zero: empty */
    unsigned char *data;    /* owned; NULL: nothing was ever added */
    size_t count, capacity;
    int failed;             /* something is missing: there was no memory */
};

/* Room for `count` more bytes at the end, to be written by the caller; NULL: no memory. Valid until the next addition. */
unsigned char *bytes_grow(struct bytes *bytes, size_t count);
void bytes_add(struct bytes *bytes, const void *data, size_t count);
void bytes_add_u64(struct bytes *bytes, uint64_t number);
/* The text's length as a number, then its characters. NULL is told from "". */
void bytes_add_text(struct bytes *bytes, const char *text);
/* Gives the memory back; then it is empty again. */
void bytes_clear(struct bytes *bytes);

/* A hash for names of files and for noticing damage; it resists nobody who means harm. */
uint64_t bytes_hash(const void *data, size_t count, uint64_t seed);

#endif
