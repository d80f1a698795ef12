/* The seeded mode: the same seed gives the same order, seeds differ, and what is ordered stays so. */
#include "conformance.h"
#include "needs.h"

#include <string.h>

#include "driver/soft/soft.h"

enum { STREAMS = 4, EACH = 8, LETTERS = STREAMS * EACH };

struct diary {
    char text[LETTERS + 1];
    size_t length;
};

struct note {
    struct diary *diary;
    char letter;
};

static void note_write(void *user)
{
    struct note *note = user;
    note->diary->text[note->diary->length++] = note->letter;
}

/* The order in which the work of independent streams ran. */
static void diary_fill(uint64_t seed, struct diary *diary)
{
    driver_stream streams[STREAMS];
    struct note notes[STREAMS];
    memset(diary, 0, sizeof *diary);
    soft_schedule(seed);
    driver_begin();
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = stream_new(DRIVER_STREAM_NON_BLOCKING);
        notes[i] = (struct note) { .diary = diary, .letter = (char)('a' + i) };
    }
    for (int i = 0; i < LETTERS; i++)
        OK(driver->launch_host(streams[i % STREAMS], note_write, &notes[i % STREAMS]));
    for (int i = 0; i < STREAMS; i++) {
        OK(driver->stream_synchronize(streams[i]));
        OK(driver->stream_destroy(streams[i]));
    }
    driver_end();
}

START_TEST(one_seed_gives_one_order)
{
    struct diary first, second;
    diary_fill(42, &first);
    diary_fill(42, &second);
    ck_assert_uint_eq(first.length, LETTERS);
    ck_assert_str_eq(first.text, second.text);
}
END_TEST

START_TEST(seeds_give_different_orders)
{
    struct diary first, other;
    int different = 0;
    diary_fill(1, &first);
    for (uint64_t seed = 2; seed < 10; seed++) {
        diary_fill(seed, &other);
        different += strcmp(first.text, other.text) != 0;
    }
    ck_assert_int_ge(different, 7);
}
END_TEST

START_TEST(events_order_work_under_every_seed)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        driver_stream a, b;
        driver_event event;
        driver_address memory;
        soft_schedule(seed);
        driver_begin();
        a = stream_new(DRIVER_STREAM_NON_BLOCKING);
        b = stream_new(DRIVER_STREAM_NON_BLOCKING);
        event = event_new();
        memory = memory_new(4, a);
        for (uint32_t i = 0; i < 10; i++) {
            driver_stream from = i % 2 ? b : a, to = i % 2 ? a : b;
            OK(driver->fill32(memory, i, 1, from));
            OK(driver->event_record(event, from));
            OK(driver->stream_wait_event(to, event, 0));
        }
        ck_assert_uint_eq(memory_word(memory, a), 9);
        OK(driver->event_destroy(event));
        OK(driver->stream_destroy(a));
        OK(driver->stream_destroy(b));
        driver_end();
    }
}
END_TEST

START_TEST(work_of_a_destroyed_stream_still_runs)
{
    struct diary diary = { .length = 0 };
    struct note note = { .diary = &diary, .letter = 'x' };
    driver_stream stream;
    soft_schedule(7);
    driver_begin();
    stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    for (int i = 0; i < LETTERS; i++)
        OK(driver->launch_host(stream, note_write, &note));
    OK(driver->stream_destroy(stream));
    driver_end();
    ck_assert_uint_eq(diary.length, LETTERS);
}
END_TEST

static void nothing(void)
{
}

int main(void)
{
    if (soft_program("soft_schedule", "it is about"))
        return NEEDS_SKIPPED;
    const TTest *const tests[] = {
        one_seed_gives_one_order, seeds_give_different_orders, events_order_work_under_every_seed,
        work_of_a_destroyed_stream_still_runs
    };
    return suite_run_with("soft: schedule", tests, sizeof tests / sizeof *tests, nothing, nothing);
}
