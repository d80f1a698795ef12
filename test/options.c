/* Structs of older and newer clients, and the table of struct layouts. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

struct own {
    uint32_t size, flags;
    uint64_t value, late;       /* late: unknown to an older client */
};
struct newer {
    struct own known;
    uint64_t unknown[2];
};
enum { OLD_BYTES = offsetof(struct own, late) };

START_TEST(an_older_clients_missing_members_read_as_zero)
{
    struct own callers = { OLD_BYTES, 7, 8, 99 }, own;
    ck_assert_int_eq(options_read(&own, sizeof own, &callers, 8, "own", NULL), BATON_OK);
    ck_assert_uint_eq(own.flags, 7);
    ck_assert_uint_eq(own.value, 8);
    ck_assert_uint_eq(own.late, 0);
    ck_assert_uint_eq(own.size, sizeof own);
}
END_TEST

START_TEST(a_newer_clients_zero_tail_is_accepted_and_a_set_member_refused)
{
    struct newer callers = { .known = { sizeof callers, 1, 2, 3 } };
    struct own own = { 0 };
    baton_error err = BATON_ERROR_INIT;
    ck_assert_int_eq(options_read(&own, sizeof own, &callers, 8, "own", &err), BATON_OK);
    ck_assert_uint_eq(own.late, 3);
    ((unsigned char *)&callers)[sizeof callers - 1] = 1;
    own.late = 55;
    ck_assert_int_eq(options_read(&own, sizeof own, &callers, 8, "own", &err), BATON_ERR_VERSION);
    ck_assert_int_eq(err.status, BATON_ERR_VERSION);
    ck_assert_uint_eq(own.late, 55);
}
END_TEST

START_TEST(impossible_struct_sizes_are_refused)
{
    const uint32_t sizes[] = { 0, 4, OLD_BYTES - 1, 65537, UINT32_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct own callers = { sizes[i], 0, 0, 0 }, own = { 0, 5, 0, 0 };
        baton_error err = BATON_ERROR_INIT;
        ck_assert_int_eq(options_read(&own, sizeof own, &callers, OLD_BYTES, "own", &err), BATON_ERR_VERSION);
        ck_assert_ptr_nonnull(strstr(err.message, "struct_size"));
        ck_assert_uint_eq(own.flags, 5);
    }
    struct own own;
    ck_assert_int_eq(options_read(&own, sizeof own, NULL, 8, "own", NULL), BATON_ERR_ARGUMENT);
}
END_TEST

START_TEST(an_output_is_written_as_far_as_the_callers_struct_reaches)
{
    const struct own own = { sizeof own, 1, 2, 3 };
    struct own old = { OLD_BYTES, 0, 0, 99 };
    struct newer newer = { .known.size = sizeof newer, .unknown = { 98, 97 } };
    ck_assert_int_eq(options_write(&old, &own, sizeof own, "own", NULL), BATON_OK);
    ck_assert_uint_eq(old.size, OLD_BYTES);
    ck_assert_uint_eq(old.value, 2);
    ck_assert_uint_eq(old.late, 99);
    ck_assert_int_eq(options_write(&newer, &own, sizeof own, "own", NULL), BATON_OK);
    ck_assert_uint_eq(newer.known.size, sizeof newer);
    ck_assert_uint_eq(newer.known.late, 3);
    ck_assert_uint_eq(newer.unknown[0], 98);
}
END_TEST

START_TEST(an_output_without_its_size_is_refused_untouched)
{
    const struct own own = { sizeof own, 1, 2, 3 };
    struct own callers = { 7, 50, 51, 52 };
    ck_assert_int_eq(options_write(&callers, &own, sizeof own, "own", NULL), BATON_ERR_VERSION);
    ck_assert_uint_eq(callers.flags, 50);
    ck_assert_int_eq(options_write(NULL, &own, sizeof own, "own", NULL), BATON_ERR_ARGUMENT);
}
END_TEST

/* Members in order, without overlap, and every gap no larger than alignment explains: a forgotten member would show. */
START_TEST(the_layout_table_covers_every_struct)
{
    const char *name;
    uint32_t offset, size, end = 0, whole = 0, index = 0, structs = 0;
    for (; baton_abi_layout(index, &name, &offset, &size) == BATON_OK; index++) {
        if (!strchr(name, '.')) {
            ck_assert_msg(whole - end < 8, "gap before %s", name);
            whole = size;
            end = 0;
            structs++;
            continue;
        }
        ck_assert_msg(offset >= end && offset - end < 8, "gap or overlap at %s", name);
        ck_assert_msg(offset == end || offset % 8 == 0, "gap that no alignment explains at %s", name);
        end = offset + size;
    }
    ck_assert_uint_lt(whole - end, 8);
    ck_assert_uint_eq(structs, 19);
    ck_assert_int_eq(baton_abi_layout(index, &name, &offset, &size), BATON_ERR_BOUNDS);
    ck_assert_int_eq(baton_abi_layout(0, NULL, &offset, &size), BATON_ERR_ARGUMENT);
}
END_TEST

START_TEST(versions_are_the_headers)
{
    ck_assert_uint_eq(baton_version(),
                      10000 * BATON_VERSION_MAJOR + 100 * BATON_VERSION_MINOR + BATON_VERSION_PATCH);
    ck_assert_uint_eq(baton_abi_version(), 1);
    ck_assert_uint_eq(sizeof(baton_error), 256);
    ck_assert_uint_eq(sizeof(baton_operand), 24);
    ck_assert_uint_eq(sizeof(baton_argument), 24);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *tests = tcase_create("options");
    tcase_add_test(tests, an_older_clients_missing_members_read_as_zero);
    tcase_add_test(tests, a_newer_clients_zero_tail_is_accepted_and_a_set_member_refused);
    tcase_add_test(tests, impossible_struct_sizes_are_refused);
    tcase_add_test(tests, an_output_is_written_as_far_as_the_callers_struct_reaches);
    tcase_add_test(tests, an_output_without_its_size_is_refused_untouched);
    tcase_add_test(tests, the_layout_table_covers_every_struct);
    tcase_add_test(tests, versions_are_the_headers);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
