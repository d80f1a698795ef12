/* Any bytes as the image of a module: PTX, cubin, fatbin. */
#include "work/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* What the driver would read of an accepted image lies inside it: text ends, tables do not begin behind the end. */
static void check_accepted(const uint8_t *image, size_t bytes, enum image_kind kind)
{
    Elf64_Ehdr header;
    if (kind == IMAGE_PTX) {
        must(memchr(image, 0, bytes) && strstr((const char *)image, ".version"));
    } else if (kind == IMAGE_CUBIN) {
        must(bytes >= sizeof header);
        memcpy(&header, image, sizeof header);
        must(!header.e_shnum || (header.e_shoff <= bytes && header.e_shnum * sizeof(Elf64_Shdr) <= bytes - header.e_shoff));
        must(!header.e_phnum || (header.e_phoff <= bytes && header.e_phnum * sizeof(Elf64_Phdr) <= bytes - header.e_phoff));
    } else {
        must(kind == IMAGE_FATBIN && bytes >= 16);
    }
}

void fuzz_one(struct input *input)
{
    baton_error err = BATON_ERROR_INIT, told = BATON_ERROR_INIT;
    baton_module *module = NULL;
    enum image_kind kind = 0;
    size_t bytes;
    uint8_t *image = take_rest(input, SIZE_MAX, &bytes);
    int32_t status = image_check(image, bytes, &kind, &err);
    if (status)
        check_failed(status, &err);
    else
        check_accepted(image, bytes, kind);
    int32_t loaded = baton_module_load(world.runtime, 0, image, bytes, &module, &told);
    check_failed(loaded, &told);
    must(!module && loaded == (status ? status : BATON_ERR_UNSUPPORTED));      /* this device runs C functions */
    free(image);
}

void fuzz_begin(void)
{
    world_make();
}

void fuzz_end(void)
{
    world_end();
}
