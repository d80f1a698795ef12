#include "store_support.h"

#include <stdio.h>

struct store store;
struct bytes key, parts[STORE_PARTS];

void store_begin(void)
{
    compile_environment();
    store_open(&store, NULL, AMPLE);
    ck_assert_int_ge(store.directory, 0);
    bytes_add_text(&key, "the key");
    bytes_add(&parts[0], "image\0with a zero", 17);
    bytes_add(&parts[2], "names", 5);
}

void store_end(void)
{
    store_close(&store);
    bytes_clear(&key);
    for (int i = 0; i < STORE_PARTS; i++)
        bytes_clear(&parts[i]);
    compile_end();
}

int finds(const struct bytes *which)
{
    struct bytes found[STORE_PARTS];
    if (!store_read(&store, which, found))
        return 0;
    for (int i = 0; i < STORE_PARTS; i++) {
        ck_assert_uint_eq(found[i].count, parts[i].count);
        if (parts[i].count)
            ck_assert_mem_eq(found[i].data, parts[i].data, parts[i].count);
        bytes_clear(&found[i]);
    }
    return 1;
}

void numbered(struct bytes *to, unsigned number)
{
    bytes_clear(to);
    bytes_add_u64(to, number);
}

void save(const char *path, const unsigned char *from, size_t count)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(from, 1, count, file), count);
    fclose(file);
}
