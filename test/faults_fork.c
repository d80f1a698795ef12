/* A fork in the middle of any call: whatever the library has locked there stays locked in the child, for ever. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

static struct play *played;
static int forks, ended;        /* how the child ended, as waitpid says */

/* Whichever of the play's objects the interrupted story has not given back itself. */
static int use_in_child(struct play *play)
{
    int32_t value = 1;
    struct play copy = *play;
    if (!play->runtime)
        return 0;
    if (baton_fill(play->x, &value, sizeof value, play->b, NULL) != BATON_ERR_FORKED || baton_array_dispose(play->y, NULL) != BATON_ERR_FORKED ||
        baton_stream_synchronize(play->a, BATON_WAIT_AUTO, NULL) != BATON_ERR_FORKED || baton_capture_abandon(play->a, NULL) != BATON_ERR_FORKED)
        return 1;
    int32_t status = fault.scene->act(&copy);
    if (status != BATON_ERR_FORKED && status != BATON_OK)
        return 2;
    if (copy.runtime)
        play_release(&copy);
    status = copy.runtime ? baton_runtime_close(copy.runtime, NULL) : BATON_ERR_FORKED;
    return status == BATON_ERR_FORKED ? 0 : 3;
}

static void run_child(void)
{
    signal(SIGALRM, SIG_DFL);
    alarm(1);
    uint64_t before = instrument_count(DRIVER_ROW_COUNT);
    int wrong = use_in_child(played);
    leave_child(wrong ? wrong : instrument_count(DRIVER_ROW_COUNT) == before ? 0 : 4);
}

static void fork_here(void)
{
    forks++;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        run_child();
    if (child < 0 || waitpid(child, &ended, 0) != child)
        ended = -1;
}

/* The parent's story goes on as if nothing had been. */
static int fork_once(void)
{
    struct play play;
    world_hold();
    ck_assert_int_eq(play_open(&play), BATON_OK);
    played = &play;
    forks = 0;
    instrument_reset();
    instrument_stop(fault.call, fork_here);
    fault.status = fault.scene->act(&play);
    instrument_reset();
    ck_assert_msg(!forks || ended == 0, "%s, fork in call %d: the child ended with %d, by signal %d", fault.scene->name, (int)fault.call, WEXITSTATUS(ended),
                  WTERMSIG(ended));
    holds(fault.status == BATON_OK);
    if (play.runtime) {
        check_objects(&play);
        play_release(&play);
        check_counts(&play);
        ok(baton_runtime_close(play.runtime, &error));
    }
    world_release();
    return forks;
}

uint64_t walk_forks(const struct scene *scene)
{
    fault = (struct fault) { .scene = scene };
    uint64_t forked = 0;
    for (fault.call = 1; fork_once(); fault.call += SAMPLE)
        forked++;
    return forked;
}
