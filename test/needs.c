#include "needs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/driver.h"

enum { MOST = 64 };

static struct skipped {
    const char *test, *needs, *reason;
} skipped[MOST];
static int count;

static const char *const SOFT = "the software device, which ", *const DEVICES = "two devices";

const char *needs_driver(void)
{
    const char *named = getenv("BATON_DRIVER");
    return named && *named ? named : "soft:2";
}

int on_soft(void)
{
    return strncmp(needs_driver(), "soft", 4) == 0;
}

static const TTest *skip(const TTest *test, const char *needs, const char *reason)
{
    if (count == MOST)
        abort();
    skipped[count++] = (struct skipped) { test->name, needs, reason };
    return NULL;
}

const TTest *soft_only(const TTest *test, const char *reason)
{
    return on_soft() ? test : skip(test, SOFT, reason);
}

static int devices_count(void)
{
    const struct driver *driver;
    char why[256];
    int devices = 0;
    if (driver_open(needs_driver(), &driver, why, sizeof why))
        return 0;
    if (driver->init(0) || driver->device_count(&devices))
        devices = 0;
    driver_close(driver);
    return devices;
}

static int forks(void)
{
    const char *mode = getenv("CK_FORK");
    return !mode || strcmp(mode, "no") != 0;
}

void needs_contexts(void)
{
    const struct driver *driver;
    driver_context context;
    driver_device device;
    char why[256];
    int devices = 0;
    if (on_soft() || forks() || driver_open(needs_driver(), &driver, why, sizeof why) || driver->init(0) || driver->device_count(&devices))
        return;
    for (int i = 0; i < devices; i++)
        if (driver->device_get(&device, i) || driver->primary_retain(&context, device))
            return;
}

static void out_of_time(int signal)
{
    static const char text[] = "a test ran out of time\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)signal;
    _exit(written < 0 ? 125 : 124);
}

void needs_limit(unsigned seconds)
{
    if (forks() || signal(SIGALRM, out_of_time) == SIG_ERR)
        return;
    alarm(seconds);
}

/* Asked in a process of its own when each test is to have one: CUDA does not survive a fork. */
static int devices_count_apart(void)
{
    int status;
    if (!forks())
        return devices_count();
    pid_t child = fork();
    if (child == 0)
        _exit(devices_count());
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

const TTest *two_devices(const TTest *test)
{
    static int devices = -1;
    if (!test)
        return NULL;
    if (devices < 0)
        devices = devices_count_apart();
    return devices >= 2 ? test : skip(test, DEVICES, "");
}

int needs_report(const char *program)
{
    int reported = count;
    for (int i = 0; i < count; i++)
        printf("skipped: %s: %s: needs %s%s\n", program, skipped[i].test, skipped[i].needs, skipped[i].reason);
    fflush(stdout);
    count = 0;
    return reported;
}

int soft_program(const char *program, const char *reason)
{
    if (on_soft())
        return 0;
    printf("skipped: %s: all: needs %s%s\n", program, SOFT, reason);
    return 1;
}
