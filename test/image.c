/* Module images: each kind is known by its first bytes, and what is cut short or lies about its size never reaches the driver. */
#include <elf.h>

#include "work/image.h"

#include "compile_support.h"

enum { MACHINE_CUDA = 190, SECTIONS = 3, IMAGE_BYTES = 64 + SECTIONS * 64 + 56 + 32 };

/* A cubin with a table of sections, one segment, and 32 bytes of content. */
struct cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Phdr segment;
    unsigned char content[32];
};
_Static_assert(sizeof(struct cubin) == IMAGE_BYTES, "no gaps");

struct fatbin {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t header_bytes;
        uint64_t bytes;
        unsigned char rest[48], content[16];
    } entries[2];
};

static struct cubin make_cubin(void)
{
    struct cubin cubin = { .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
                                       .e_machine = MACHINE_CUDA,
                                       .e_shoff = offsetof(struct cubin, sections),
                                       .e_shentsize = sizeof(Elf64_Shdr),
                                       .e_shnum = SECTIONS,
                                       .e_phoff = offsetof(struct cubin, segment),
                                       .e_phentsize = sizeof(Elf64_Phdr),
                                       .e_phnum = 1 } };
    cubin.sections[1] = (Elf64_Shdr) { .sh_type = SHT_PROGBITS, .sh_offset = offsetof(struct cubin, content), .sh_size = 32 };
    cubin.sections[2] = (Elf64_Shdr) { .sh_type = SHT_NOBITS, .sh_offset = IMAGE_BYTES, .sh_size = 1 << 20 };
    cubin.segment = (Elf64_Phdr) { .p_offset = 64, .p_filesz = IMAGE_BYTES - 64 };
    return cubin;
}

static struct fatbin make_fatbin(void)
{
    struct fatbin fatbin = { .magic = 0xba55ed50, .version = 1, .header_bytes = 16, .bytes = sizeof fatbin - 16 };
    for (int i = 0; i < 2; i++) {
        fatbin.entries[i].header_bytes = 64;
        fatbin.entries[i].bytes = 16;
    }
    return fatbin;
}

static int kind_of(const void *image, uint64_t bytes)
{
    enum image_kind kind = 0;
    ok(image_check(image, bytes, &kind, &error));
    return (int)kind;
}

/* Nothing behind `bytes` is read: the copy ends there. */
static void refuse(const void *image, uint64_t bytes, const char *reason)
{
    enum image_kind kind;
    unsigned char *copy = malloc(bytes + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, image, bytes);
    copy = realloc(copy, bytes ? bytes : 1);
    refused(BATON_ERR_ARGUMENT, image_check(copy, bytes, &kind, &error));
    ck_assert_msg(strstr(error.message, reason) != NULL, "'%s' does not say '%s'", error.message, reason);
    free(copy);
}

START_TEST(the_kind_is_seen_from_the_first_bytes)
{
    static const char ptx[] = "// comment\n.version 8.0\n.target sm_90\n";
    struct cubin cubin = make_cubin();
    struct fatbin fatbin = make_fatbin();
    ck_assert_int_eq(kind_of(ptx, sizeof ptx), IMAGE_PTX);
    ck_assert_int_eq(kind_of(&cubin, sizeof cubin), IMAGE_CUBIN);
    ck_assert_int_eq(kind_of(&fatbin, sizeof fatbin), IMAGE_FATBIN);
}
END_TEST

START_TEST(text_must_be_terminated_and_look_like_ptx)
{
    static const char ptx[] = ".version 8.0";
    ck_assert_int_eq(kind_of(ptx, sizeof ptx), IMAGE_PTX);
    refuse(ptx, sizeof ptx - 1, "not terminated");
    refuse("__global__ void f() {}", 23, "neither cubin nor fatbin, nor PTX");
    refuse("\0\0\0\0.version", 12, "neither cubin nor fatbin, nor PTX");
    refuse("abc", 3, "too short");
    refuse("", 0, "too short");
    refused(BATON_ERR_ARGUMENT, image_check(NULL, 100, &(enum image_kind) { 0 }, &error));
}
END_TEST

START_TEST(every_cut_of_a_cubin_or_fatbin_is_refused)
{
    struct cubin cubin = make_cubin();
    struct fatbin fatbin = make_fatbin();
    for (uint64_t bytes = 4; bytes < sizeof cubin; bytes++)
        refuse(&cubin, bytes, "cut short");
    for (uint64_t bytes = 4; bytes < sizeof fatbin; bytes++)
        refuse(&fatbin, bytes, "cut short");
}
END_TEST

START_TEST(other_elf_files_are_no_cubins)
{
    struct cubin cubin = make_cubin();
    cubin.header.e_machine = EM_X86_64;
    refuse(&cubin, sizeof cubin, "machine 62");
    cubin = make_cubin();
    cubin.header.e_ident[EI_CLASS] = ELFCLASS32;
    refuse(&cubin, sizeof cubin, "not a cubin");
}
END_TEST

/* Sums that overflow included. */
START_TEST(a_cubin_that_lies_about_its_parts_is_refused)
{
#define LIE(member, value)                              \
    do {                                                \
        struct cubin cubin = make_cubin();              \
        cubin.member = value;                           \
        refuse(&cubin, sizeof cubin, "cut short");      \
    } while (0)
    LIE(header.e_shoff, IMAGE_BYTES);
    LIE(header.e_shoff, UINT64_MAX - 8);
    LIE(header.e_shnum, 4000);
    LIE(header.e_shentsize, 8);
    LIE(header.e_phoff, UINT64_MAX - 8);
    LIE(header.e_phnum, 6);
    LIE(header.e_phentsize, 0);
    LIE(sections[1].sh_size, 33);
    LIE(sections[1].sh_size, UINT64_MAX);
    LIE(sections[1].sh_offset, UINT64_MAX);
    LIE(segment.p_filesz, IMAGE_BYTES);
    LIE(segment.p_offset, UINT64_MAX);
}
END_TEST

/* Beyond 65279 sections, the first entry of the table has their number. */
START_TEST(a_large_number_of_sections_is_found_where_it_stands)
{
    struct cubin cubin = make_cubin();
    cubin.header.e_shnum = 0;
    cubin.sections[0].sh_size = SECTIONS;
    ck_assert_int_eq(kind_of(&cubin, sizeof cubin), IMAGE_CUBIN);
    cubin.sections[0].sh_size = UINT64_MAX / 64;
    refuse(&cubin, sizeof cubin, "cut short");
    cubin.header.e_shoff = IMAGE_BYTES - 8;
    cubin.header.e_phnum = 0;
    ck_assert_int_eq(kind_of(&cubin, sizeof cubin), IMAGE_CUBIN);      /* no table, and none is read */
}
END_TEST

START_TEST(a_fatbin_that_lies_about_its_parts_is_refused)
{
#define LIE_FATBIN(member, value)                       \
    do {                                                \
        struct fatbin fatbin = make_fatbin();           \
        fatbin.member = value;                          \
        refuse(&fatbin, sizeof fatbin, "cut short");    \
    } while (0)
    LIE_FATBIN(bytes, sizeof(struct fatbin));
    LIE_FATBIN(bytes, UINT64_MAX);
    LIE_FATBIN(bytes, sizeof(struct fatbin) - 17);
    LIE_FATBIN(header_bytes, 0);
    LIE_FATBIN(header_bytes, 65535);
    LIE_FATBIN(entries[0].bytes, UINT64_MAX);
    LIE_FATBIN(entries[1].bytes, 17);
    LIE_FATBIN(entries[0].header_bytes, 0);
    LIE_FATBIN(entries[1].header_bytes, UINT32_MAX);
}
END_TEST

START_TEST(the_struct_that_nvcc_embeds_is_told_from_the_fatbin)
{
    static const uint32_t wrapper[6] = { 0x466243b1, 1 };
    refuse(wrapper, sizeof wrapper, "pass what it points to");
}
END_TEST

/* E1: the driver is not entered. */
START_TEST(what_is_refused_does_not_reach_the_driver)
{
    struct cubin cubin = make_cubin();
    baton_module *module = NULL;
    compile_begin();
    counting_start();
    refused(BATON_ERR_ARGUMENT, baton_module_load(runtime, 0, &cubin, sizeof cubin - 1, &module, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_module_load_ex), 0);
    ok(baton_module_load(runtime, 0, &cubin, sizeof cubin, &module, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_module_load_ex), 1);
    baton_module_release(module);
    compile_end();
}
END_TEST

START_TEST(what_the_drivers_translator_says_is_in_the_error)
{
    static const char ptx[] = ".version 8.0 refuse me";
    baton_module *module = NULL;
    compile_begin();
    refused(BATON_ERR_DRIVER, baton_module_load(runtime, 0, ptx, sizeof ptx, &module, &error));
    ck_assert_int_eq(error.driver_code, DRIVER_INVALID_PTX);
    ck_assert_msg(strstr(error.message, "CUDA_ERROR_INVALID_PTX: ptxas, line 7; error   : no such thing"), "%s", error.message);
    compile_end();
}
END_TEST

static void begin(void)
{
    error = (baton_error)BATON_ERROR_INIT;
    instrument_enable(1);
}

COMPILE_MAIN("image", begin, NULL, the_kind_is_seen_from_the_first_bytes, text_must_be_terminated_and_look_like_ptx,
             every_cut_of_a_cubin_or_fatbin_is_refused, other_elf_files_are_no_cubins, a_cubin_that_lies_about_its_parts_is_refused,
             a_large_number_of_sections_is_found_where_it_stands, a_fatbin_that_lies_about_its_parts_is_refused,
             the_struct_that_nvcc_embeds_is_told_from_the_fatbin, what_is_refused_does_not_reach_the_driver,
             what_the_drivers_translator_says_is_in_the_error)
