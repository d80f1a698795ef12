/* The built-in kernels as the software device runs them, and the presence of the same ones for CUDA. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/builtin.h"
#include "driver/soft/soft.h"

static const uint64_t never_ns = 600000000000;

static const struct soft_kernel *kernel_find(const char *name)
{
    for (uint32_t i = 0; i < soft_builtin_image.count; i++)
        if (strcmp(soft_builtin_image.kernels[i].name, name) == 0)
            return &soft_builtin_image.kernels[i];
    ck_abort_msg("no kernel is called %s", name);
    return NULL;
}

static void kernel_run(const char *name, void *const *arguments)
{
    static const struct soft_grid grid = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    kernel_find(name)->function(&grid, arguments);
}

static void copy_run(void *to, const void *from, struct strided *how)
{
    uint64_t target = (uintptr_t)to, source = (uintptr_t)from;
    kernel_run(BUILTIN_COPY_STRIDED, (void *[]) { &target, &source, how });
}

static void fill_run(void *to, struct fill_strided *how)
{
    uint64_t target = (uintptr_t)to;
    kernel_run(BUILTIN_FILL_STRIDED, (void *[]) { &target, how });
}

START_TEST(the_image_declares_each_parameter)
{
    const struct soft_kernel *copy = kernel_find(BUILTIN_COPY_STRIDED);
    const struct soft_kernel *fill = kernel_find(BUILTIN_FILL_STRIDED);
    ck_assert_int_eq(memcmp(soft_builtin_image.magic, SOFT_IMAGE_MAGIC, 8), 0);
    ck_assert_uint_eq(copy->count, 3);
    ck_assert_uint_eq(copy->parameters[0].access, 2);
    ck_assert_uint_eq(copy->parameters[1].access, 1);
    ck_assert_uint_eq(copy->parameters[2].access, 0);
    ck_assert_uint_eq(copy->parameters[2].bytes, sizeof(struct strided));
    ck_assert_uint_eq(fill->count, 2);
    ck_assert_uint_eq(fill->parameters[0].access, 2);
    ck_assert_uint_eq(fill->parameters[1].bytes, sizeof(struct fill_strided));
}
END_TEST

START_TEST(cuda_has_the_kernels_under_the_same_names)
{
    ck_assert_ptr_nonnull(strstr(cuda_builtin_image, ".entry " BUILTIN_COPY_STRIDED "("));
    ck_assert_ptr_nonnull(strstr(cuda_builtin_image, ".entry " BUILTIN_FILL_STRIDED "("));
    ck_assert_ptr_nonnull(strstr(cuda_builtin_image, ".entry " BUILTIN_GATE "("));
    ck_assert_ptr_eq(strstr(cuda_builtin_image, ".version 8.0\n"), cuda_builtin_image);     /* what CUDA 12.0 reads */
}
END_TEST

/* O4 */
START_TEST(a_copy_transposes)
{
    static const int32_t from[6] = { 1, 2, 3, 4, 5, 6 };
    static const int32_t wanted[6] = { 1, 4, 2, 5, 3, 6 };
    int32_t to[6] = { 0 };
    struct strided how = { .ndim = 2, .element_bytes = 4, .count = 6, .shape = { 3, 2 }, .to_strides = { 2, 1 },
                           .from_strides = { 1, 3 } };
    copy_run(to, from, &how);
    ck_assert_mem_eq(to, wanted, sizeof wanted);
}
END_TEST

START_TEST(a_copy_walks_backwards_and_repeats)
{
    static const uint16_t from[3] = { 7, 8, 9 };
    static const uint16_t wanted[6] = { 9, 8, 7, 9, 8, 7 };
    uint16_t to[6] = { 0 };
    struct strided how = { .ndim = 2, .element_bytes = 2, .count = 6, .shape = { 2, 3 }, .to_strides = { 3, -1 },
                           .from_strides = { 0, 1 } };
    copy_run(to + 2, from, &how);
    ck_assert_mem_eq(to, wanted, sizeof wanted);
}
END_TEST

START_TEST(a_copy_leaves_what_is_between_its_elements)
{
    static const uint8_t from[3] = { 1, 2, 3 };
    static const uint8_t wanted[7] = { 1, 99, 99, 2, 99, 99, 3 };
    uint8_t to[7];
    struct strided how = { .ndim = 1, .element_bytes = 1, .count = 3, .shape = { 3 }, .to_strides = { 3 },
                           .from_strides = { 1 } };
    memset(to, 99, sizeof to);
    copy_run(to, from, &how);
    ck_assert_mem_eq(to, wanted, sizeof wanted);
}
END_TEST

START_TEST(a_copy_has_up_to_sixteen_dimensions)
{
    static uint64_t from[65536], to[65536];
    struct strided how = { .ndim = 16, .element_bytes = 8, .count = 65536 };
    for (int d = 0; d < 16; d++) {
        how.shape[d] = 2;
        how.from_strides[d] = 1 << d;               /* the first dimension fastest */
        how.to_strides[d] = 1 << (15 - d);          /* the last dimension fastest */
    }
    for (uint64_t i = 0; i < 65536; i++)
        from[i] = i;
    copy_run(to, from, &how);
    for (uint32_t i = 0; i < 65536; i++) {
        uint64_t mirrored = 0;
        for (int bit = 0; bit < 16; bit++)
            mirrored |= (uint64_t)(i >> bit & 1) << (15 - bit);
        ck_assert_uint_eq(to[i], mirrored);
    }
}
END_TEST

START_TEST(a_copy_without_elements_does_nothing)
{
    uint8_t to = 5, from = 6;
    struct strided how = { .ndim = 2, .element_bytes = 1, .count = 0, .shape = { 4, 0 } };
    copy_run(&to, &from, &how);
    ck_assert_uint_eq(to, 5);
    how = (struct strided) { .ndim = 0, .element_bytes = 1, .count = 1 };
    copy_run(&to, &from, &how);
    ck_assert_uint_eq(to, 6);
}
END_TEST

/* O5 */
START_TEST(a_fill_repeats_the_value_of_every_size)
{
    static const uint32_t sizes[] = { 1, 2, 4, 8, 16 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint8_t to[5 * 16];
        struct fill_strided how = { .ndim = 1, .element_bytes = sizes[s], .count = 3, .shape = { 3 },
                                    .strides = { 2 } };
        memset(to, 0xEE, sizeof to);
        for (uint8_t i = 0; i < 16; i++)
            how.value[i] = i;
        fill_run(to, &how);
        for (uint32_t i = 0; i < 5 * sizes[s]; i++)
            ck_assert_uint_eq(to[i], i / sizes[s] % 2 ? 0xEE : i % sizes[s]);
    }
}
END_TEST

static void *gate_run(void *flag)
{
    uint64_t address = (uintptr_t)flag, limit_ns = never_ns;
    kernel_run(BUILTIN_GATE, (void *[]) { &address, &limit_ns });
    return NULL;
}

START_TEST(a_gate_holds_until_its_flag_is_set)
{
    static _Atomic uint32_t flag;
    pthread_t thread;
    atomic_store(&flag, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, gate_run, &flag), 0);
    ck_assert_int_ne(pthread_tryjoin_np(thread, NULL), 0);
    atomic_store(&flag, 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

START_TEST(a_gate_ends_at_its_limit)
{
    _Atomic uint32_t flag = 0;
    uint64_t address = (uintptr_t)&flag, limit_ns = 100000;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    kernel_run(BUILTIN_GATE, (void *[]) { &address, &limit_ns });
    clock_gettime(CLOCK_MONOTONIC, &end);
    ck_assert_int_ge((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec, 100000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_builtin");
    TCase *tests = tcase_create("driver_builtin");
    tcase_add_test(tests, the_image_declares_each_parameter);
    tcase_add_test(tests, cuda_has_the_kernels_under_the_same_names);
    tcase_add_test(tests, a_copy_transposes);
    tcase_add_test(tests, a_copy_walks_backwards_and_repeats);
    tcase_add_test(tests, a_copy_leaves_what_is_between_its_elements);
    tcase_add_test(tests, a_copy_has_up_to_sixteen_dimensions);
    tcase_add_test(tests, a_copy_without_elements_does_nothing);
    tcase_add_test(tests, a_fill_repeats_the_value_of_every_size);
    tcase_add_test(tests, a_gate_holds_until_its_flag_is_set);
    tcase_add_test(tests, a_gate_ends_at_its_limit);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
