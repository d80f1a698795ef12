/* E1: every allocation of a compilation fails once, and every driver call; nothing is lost, and the next one works. The linker sends the library's allocations
 * here (--wrap). */
#include "compile_support.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *memory);

static int inside;              /* the library is: the test's own memory is not counted */
static uint64_t countdown;      /* 1: the next allocation fails; 0: none does */
static int64_t live;            /* allocations that have not been given back */

static void *counted(void *memory)
{
    live += inside && memory;
    return memory;
}

static int fails(void)
{
    return inside && countdown && --countdown == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (fails())
        return NULL;
    return memory ? __real_realloc(memory, bytes) : counted(__real_realloc(memory, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *memory)
{
    live -= inside && memory;
    __real_free(memory);
}

static const char *const expressions[] = { "scale<float>" };
static char log_text[256];
static baton_compile_options options;

static int32_t compile(int cached)
{
    baton_module *module = NULL;
    options.flags = cached ? 0 : BATON_COMPILE_NO_CACHE;
    error = (baton_error)BATON_ERROR_INIT;
    inside = 1;
    int32_t status = baton_module_compile(runtime, 0, "a kernel", &options, &module, &error);
    baton_module_release(module);
    inside = 0;
    ck_assert_int_eq(status == BATON_OK, module != NULL);
    return status;
}

/* Allocations per successful compilation that stay alive: in debug builds freed handles are kept aside. */
static int64_t kept_each;

static int64_t live_now(void)
{
    inside = 1;
    int32_t status = baton_drain(runtime, 0, NULL, &error);
    inside = 0;
    ok(status);
    return live;
}

static void warm_up(int cached)
{
    options = (baton_compile_options) { .struct_size = sizeof options, .expressions = expressions, .expression_count = 1, .log = log_text, .log_bytes = sizeof log_text };
    ok(compile(cached));
    int64_t before = live_now();
    ok(compile(cached));
    kept_each = live_now() - before;
    ck_assert(kept_each == 0 || kept_each == 1);
}

static void walk_allocations(int cached)
{
    int reached = 1, failed = 0;
    warm_up(cached);
    int64_t before = live_now();
    for (uint64_t n = 1; reached; n++) {
        ck_assert_uint_lt(n, 200);
        countdown = n;
        int32_t status = compile(cached);
        reached = countdown == 0;
        countdown = 0;
        ck_assert_msg(status == BATON_OK || status == BATON_ERR_MEMORY, "allocation %d: %s: %s", (int)n, baton_status_name(status), error.message);
        failed += status != BATON_OK;
        before += kept_each * (status == BATON_OK);
        ok(compile(cached));
        before += kept_each;
        ck_assert_msg(live_now() == before, "allocation %d: %lld more are alive", (int)n, (long long)(live_now() - before));
    }
    ck_assert(cached ? failed == 0 : failed > 4);           /* around the cache, the compiler is the way out */
}

START_TEST(every_allocation_of_a_compilation_may_fail)
{
    walk_allocations(0);
}
END_TEST

/* Without memory for what was kept, or for its key, the compiler is asked. */
START_TEST(every_allocation_around_the_cache_may_fail)
{
    walk_allocations(1);
}
END_TEST

START_TEST(every_driver_call_of_a_compilation_may_fail)
{
    static const int codes[] = { DRIVER_INVALID_VALUE, DRIVER_OUT_OF_MEMORY, DRIVER_INVALID_IMAGE, DRIVER_INVALID_CONTEXT };
    warm_up(0);
    int64_t before = live_now();
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        for (uint64_t n = 1, reached = 1; reached; n++) {
            instrument_reset();
            instrument_fail_any(n, codes[i]);
            int32_t status = compile(0);
            reached = instrument_failures();
            instrument_reset();
            ck_assert_msg(!status || (error.status == status && error.message[0]), "call %d: %s", (int)n, baton_status_name(status));
            ok(compile(0));
            before += kept_each * (1 + (status == BATON_OK));
            ck_assert_int_eq(live_now(), before);
        }
}
END_TEST

static void begin(void)
{
    instrument_enable(1);
    compile_begin();
}

COMPILE_MAIN("compile faults", begin, compile_end, every_allocation_of_a_compilation_may_fail, every_allocation_around_the_cache_may_fail,
             every_driver_call_of_a_compilation_may_fail)
