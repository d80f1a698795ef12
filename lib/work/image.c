#include "work/image.h"

#include <elf.h>
#include <string.h>

enum { MACHINE_CUDA = 190, FATBIN_ENTRY_LEAST = 64 };

static const uint32_t fatbin_magic = 0xba55ed50, wrapper_magic = 0x466243b1;

struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;                 /* behind the header */
};

/* One image in a fatbin; its header has more. */
struct fatbin_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes;                 /* behind the header */
};

/* Whether [offset, offset + count * each) lies in `bytes`. */
static int inside(uint64_t offset, uint64_t count, uint64_t each, uint64_t bytes)
{
    return offset <= bytes && (!count || each <= (bytes - offset) / count);
}

static int32_t cut_short(const char *what, uint64_t bytes, baton_error *err)
{
    return fail(err, BATON_ERR_ARGUMENT, "the %s is cut short or damaged: what it says of its parts goes beyond its %llu bytes", what,
                (unsigned long long)bytes);
}

/* Where the table of sections has more than fits into the header, its first entry tells. */
static uint64_t section_count(const unsigned char *image, const Elf64_Ehdr *header, uint64_t bytes)
{
    Elf64_Shdr first;
    if (header->e_shnum || !header->e_shoff || !inside(header->e_shoff, 1, sizeof first, bytes))
        return header->e_shnum;
    memcpy(&first, image + header->e_shoff, sizeof first);
    return first.sh_size;
}

static int sections_inside(const unsigned char *image, const Elf64_Ehdr *header, uint64_t bytes)
{
    uint64_t count = section_count(image, header, bytes);
    if (count && (header->e_shentsize != sizeof(Elf64_Shdr) || !inside(header->e_shoff, count, sizeof(Elf64_Shdr), bytes)))
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        Elf64_Shdr section;
        memcpy(&section, image + header->e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL && !inside(section.sh_offset, 1, section.sh_size, bytes))
            return 0;
    }
    return 1;
}

static int segments_inside(const unsigned char *image, const Elf64_Ehdr *header, uint64_t bytes)
{
    if (header->e_phnum && (header->e_phentsize != sizeof(Elf64_Phdr) || !inside(header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr), bytes)))
        return 0;
    for (uint64_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, image + header->e_phoff + i * sizeof segment, sizeof segment);
        if (!inside(segment.p_offset, 1, segment.p_filesz, bytes))
            return 0;
    }
    return 1;
}

static int32_t cubin_check(const unsigned char *image, uint64_t bytes, baton_error *err)
{
    Elf64_Ehdr header;
    if (bytes < sizeof header)
        return cut_short("cubin", bytes, err);
    memcpy(&header, image, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != MACHINE_CUDA)
        return fail(err, BATON_ERR_ARGUMENT, "the image is an ELF file of machine %u, not a cubin (%d)", header.e_machine, MACHINE_CUDA);
    if (!sections_inside(image, &header, bytes) || !segments_inside(image, &header, bytes))
        return cut_short("cubin", bytes, err);
    return BATON_OK;
}

static int entries_inside(const unsigned char *entry, uint64_t rest)
{
    while (rest) {
        struct fatbin_entry header;
        if (rest < FATBIN_ENTRY_LEAST)
            return 0;
        memcpy(&header, entry, sizeof header);
        if (header.header_bytes < FATBIN_ENTRY_LEAST || header.header_bytes > rest || header.bytes > rest - header.header_bytes)
            return 0;
        entry += header.header_bytes + header.bytes;
        rest -= header.header_bytes + header.bytes;
    }
    return 1;
}

static int32_t fatbin_check(const unsigned char *image, uint64_t bytes, baton_error *err)
{
    struct fatbin_header header;
    if (bytes < sizeof header)
        return cut_short("fatbin", bytes, err);
    memcpy(&header, image, sizeof header);
    if (header.header_bytes < sizeof header || header.header_bytes > bytes || header.bytes > bytes - header.header_bytes ||
        !entries_inside(image + header.header_bytes, header.bytes))
        return cut_short("fatbin", bytes, err);
    return BATON_OK;
}

static int32_t ptx_check(const unsigned char *image, uint64_t bytes, baton_error *err)
{
    const unsigned char *end = memchr(image, 0, bytes);
    uint64_t length = end ? (uint64_t)(end - image) : bytes;
    if (!memmem(image, length, ".version", 8))
        return fail(err, BATON_ERR_ARGUMENT, "the image is neither cubin nor fatbin, nor PTX text, which has a .version");
    if (!end)
        return fail(err, BATON_ERR_ARGUMENT, "the image is PTX text, and not terminated within its %llu bytes", (unsigned long long)bytes);
    return BATON_OK;
}

int32_t image_check(const void *image, uint64_t bytes, enum image_kind *kind, baton_error *err)
{
    uint32_t magic;
    if (!image || bytes < sizeof magic || bytes > SIZE_MAX / 2)
        return fail(err, BATON_ERR_ARGUMENT, "the image is %s", !image ? "NULL" : bytes < sizeof magic ? "too short" : "too long");
    memcpy(&magic, image, sizeof magic);
    if (magic == wrapper_magic)
        return fail(err, BATON_ERR_ARGUMENT, "the image is a fatbin's wrapper, which holds a pointer: pass what it points to");
    *kind = !memcmp(image, ELFMAG, SELFMAG) ? IMAGE_CUBIN : magic == fatbin_magic ? IMAGE_FATBIN : IMAGE_PTX;
    if (*kind == IMAGE_CUBIN)
        return cubin_check(image, bytes, err);
    return *kind == IMAGE_FATBIN ? fatbin_check(image, bytes, err) : ptx_check(image, bytes, err);
}
