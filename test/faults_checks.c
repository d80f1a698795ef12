#include "faults.h"

#include <sched.h>

int fault_is_of(enum driver_row row)
{
    return fault.failed && !fault.allocation && fault.row == row;
}

void check_thread(void)
{
    driver_context current = NULL;
    driver_capture_mode mode = DRIVER_CAPTURE_GLOBAL;
    raw->context_current(&current);
    if (fault_is_of(DRIVER_ROW_context_pop) && current != contexts[1])
        raw->context_pop(&current);             /* the driver refused to */
    else
        holds(current == contexts[1]);
    raw->capture_exchange(&mode);
    holds(mode == DRIVER_CAPTURE_GLOBAL || fault_is_of(DRIVER_ROW_capture_exchange));
    mode = DRIVER_CAPTURE_GLOBAL;
    raw->capture_exchange(&mode);
}

void check_status(const struct play *play)
{
    if (!fault.failed)
        holds(fault.status == BATON_OK);
    if (fault.status >= 0)
        return;
    holds(play->error.status == fault.status);
    holds(play->error.message[0]);
    if (fault.allocation)
        holds(fault.status == BATON_ERR_MEMORY || fault.status == BATON_ERR_OOM || fault.status == BATON_ERR_DRIVER);
    if (!fault.allocation && (fault.status == BATON_ERR_DRIVER || fault.status == BATON_ERR_OOM))
        holds(play->error.driver_code == fault.code || !play->error.driver_code);
}

static int expected_in_x(int32_t value)
{
    const struct scene *scene = fault.scene;
    if (value == scene->x || (fault.status && value == PLAY_X))
        return 1;
    for (int i = 0; i < PLAY_BETWEEN && fault.status; i++)
        if (scene->between[i] && scene->between[i] == value)
            return 1;
    return 0;
}

/* Old or new, all of it, and nothing between. */
static void check_content(struct play *play)
{
    int32_t host[PLAY_ELEMENTS];
    ok(baton_download(host, sizeof host, play->x, play->a, &error));
    holds(expected_in_x(host[0]));
    for (int i = 1; i < PLAY_ELEMENTS; i++)
        holds(host[i] == host[0]);
}

static void check_later_use(struct play *play)
{
    int32_t value = 41, host[PLAY_ELEMENTS];
    baton_launch_options options = { .struct_size = sizeof options, .stream = play->a };
    ok(baton_fill(play->y, &value, sizeof value, play->b, &error));
    ok(baton_launch(play->kernel, &options, (baton_argument[]) { baton_out(play->x), baton_in(play->y) }, 2, &error));
    ok(baton_download(host, sizeof host, play->x, play->b, &error));
    for (int i = 0; i < PLAY_ELEMENTS; i++)
        holds(host[i] == value + 1);
}

/* The same story, from its beginning, with nothing in its way. */
static void check_again(struct play *play)
{
    int32_t x = PLAY_X, y = PLAY_Y;
    ok(baton_fill(play->x, &x, sizeof x, play->a, &error));
    ok(baton_fill(play->y, &y, sizeof y, play->a, &error));
    play->error = (baton_error)BATON_ERROR_INIT;
    int32_t first = fault.status;
    fault.status = fault.scene->act(play);
    ck_assert_msg(fault.status == BATON_OK, "%s, after call %d (%s) failed with %d: %s: %s", fault.scene->name, (int)fault.call, driver_row_name(fault.row), fault.code,
                  baton_status_name(fault.status), play->error.message);
    check_content(play);
    fault.status = first;
}

/* E2: the first report is all there is, and it comes without a call of the driver. */
static void check_poisoned(struct play *play)
{
    baton_error first = BATON_ERROR_INIT;
    int32_t value = 1;
    counting_start();
    refused(BATON_ERR_POISONED, baton_fill(play->x, &value, sizeof value, play->b, &error));
    holds(error.driver_code == fault.code && error.origin == BATON_ORIGIN_ASYNC);
    holds(strstr(error.message, "is lost") != NULL);
    if (fault.status == BATON_ERR_POISONED && strcmp(error.message, play->error.message))
        ck_abort_msg("%s, call %d (%s) fails with %d: first \"%s\", then \"%s\"", fault.scene->name, (int)fault.call, driver_row_name(fault.row), fault.code,
                     play->error.message, error.message);
    first = error;
    int32_t status = fault.scene->act(play);
    holds(status == BATON_OK || status == BATON_ERR_POISONED);
    holds(status == BATON_OK || fault.scene->elsewhere || memcmp(&play->error, &first, sizeof first) == 0);
    holds(fault.scene->elsewhere || calls(DRIVER_ROW_COUNT) == 0);
}

void check_objects(struct play *play)
{
    fault.lost = baton_stream_query(play->b, NULL) == BATON_ERR_POISONED;
    holds(info_of(play->x).lock_holder == 0);
    holds(info_of(play->y).lock_holder == 0);
    holds(!fault.lost || fault_sticky());
    if (fault.lost) {
        check_poisoned(play);
    } else if (fault.status != BATON_ERR_POISONED) {    /* else the other device is lost, and with it what it did to the arrays */
        check_content(play);
        check_again(play);
        check_later_use(play);
    }
    holds(info_of(play->x).lock_holder == 0 && info_of(play->y).lock_holder == 0);
}

/* Where any stream may have used the memory, a drain records on all of them, and a later one finds that done. */
static baton_stats drained(struct play *play)
{
    baton_stats all = { .struct_size = sizeof all };
    int left = 100000;
    do {
        ok(baton_drain(play->runtime, 0, NULL, &error));
        ok(baton_stats_read(play->runtime, &all, &error));
        sched_yield();
    } while (all.deferred_bytes && left--);
    return all;
}

void check_counts(struct play *play)
{
    baton_stats all = drained(play);
    holds(all.live_arrays == 0);
    holds(all.live_bytes == 0);
    holds(all.deferred_bytes == 0);
    holds(all.allocations == all.frees);
}
