/* Wall times of the library against the driver's own calls. usage: times [--driver NAME] [--json FILE] [--quick] [ID ...] */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { LIMIT_S = 150 };

static const uint64_t WARM_NS = 2000000000u;

struct choice {
    const char *driver, *json;
    int quick, filters;
    const char *filter[64];
};

static void out_of_time(int signal)
{
    static const char text[] = "times: out of time: something hangs\n";
    (void)signal;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(3);
    _exit(2);
}

static int usage(void)
{
    fprintf(stderr, "usage: times [--driver NAME] [--json FILE] [--quick] [ID ...]\n");
    return 0;
}

/* A device that has slept for a while is slow at first. */
static void warm_up(void)
{
    for (uint64_t end = bench_now() + WARM_NS; bench_now() < end; world_idle())
        for (int i = 0; i < 1000; i++)
            launch(KERNEL_TOUCH1, i % 2, world.arguments, 1);
}

static int choice_read(int count, char **words, struct choice *choice)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--quick") == 0)
            choice->quick = 1;
        else if (strcmp(words[i], "--json") == 0 && i + 1 < count)
            choice->json = words[++i];
        else if (strcmp(words[i], "--driver") == 0 && i + 1 < count)
            choice->driver = words[++i];
        else if (words[i][0] == '-' || choice->filters == 64)
            return usage();
        else
            choice->filter[choice->filters++] = words[i];
    }
    return 1;
}

int main(int count, char **words)
{
    struct choice choice = { .driver = getenv("BATON_DRIVER") };
    int failed = 0;
    if (!choice_read(count, words, &choice))
        return 2;
    signal(SIGALRM, out_of_time);
    alarm(LIMIT_S);
    world_open(choice.driver && *choice.driver ? choice.driver : "auto", choice.quick);
    bench_begin(choice.filter, choice.filters);
    if (!choice.quick)
        warm_up();
    times_launch();
    times_hold();
    times_fan();
    times_memory();
    times_graph();
    times_wait();
    times_rows();
    times_elementwise();
    times_streams();
    times_devices();
    if (choice.json && (failed = bench_write(choice.json)))
        fprintf(stderr, "times: %s cannot be written\n", choice.json);
    world_close();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
