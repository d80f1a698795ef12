/* The baton command. */
#include "tools.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: baton info [--driver DRIVER]\n"
    "       baton demo IN OUT [--driver DRIVER] [--tasks N] [--repeat N] [--devices N] [--host-wait | --graph]\n"
    "       baton --help | --version\n"
    "\n"
    "info   shows the driver and its devices.\n"
    "demo   filters a picture (binary PGM or PPM) in a chain of tasks, each with its own stream, and shows what the\n"
    "       hand-offs between them cost, beside the same with a host wait at each hand-off.\n"
    "\n"
    "  --driver DRIVER  auto (default), cuda, soft or soft:N (N software devices)\n"
    "  --tasks N        filter tasks, 1 to 64 (default 4): blur, sharpen, blur, ...\n"
    "  --repeat N       send the picture through N times, 1 to 1000000 (default 1), so that the tasks overlap\n"
    "  --devices N      the tasks take turns among the first N devices (default 1); not with --graph\n"
    "  --host-wait      only the run with host waits\n"
    "  --graph          the filters on one stream, captured once and launched as a graph for each frame, beside the same\n"
    "                   launched one by one\n"
    "\n"
    "exit status: 0 fine, 1 a wrong result, 2 wrong arguments, files or no device.\n";

int tool_fail(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("baton: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return TOOL_FAILURE;
}

int tool_finish(int code)
{
    if (fflush(stdout) || ferror(stdout))
        return tool_fail("cannot write to the standard output: %s", strerror(errno));
    return code;
}

int tool_number(const char *text, uint32_t least, uint32_t most, uint32_t *number)
{
    uint64_t value = 0;
    if (!*text)
        return 0;
    for (const char *digit = text; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return 0;
        value = 10 * value + (uint64_t)(*digit - '0');
        if (value > most)
            return 0;
    }
    if (value < least)
        return 0;
    *number = (uint32_t)value;
    return 1;
}

uint64_t tool_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int version_main(void)
{
    uint32_t version = baton_version();
    printf("baton %u.%u.%u (ABI %u)\n", version / 10000, version / 100 % 100, version % 100, baton_abi_version());
    return tool_finish(TOOL_OK);
}

static int usage_main(void)
{
    fputs(usage, stdout);
    return tool_finish(TOOL_OK);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return tool_fail("a command is missing: info or demo (baton --help tells more)");
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return usage_main();
    if (!strcmp(argv[1], "--version"))
        return version_main();
    if (!strcmp(argv[1], "info"))
        return info_main(argc - 1, argv + 1);
    if (!strcmp(argv[1], "demo"))
        return demo_main(argc - 1, argv + 1);
    return tool_fail("unknown command '%s': info or demo (baton --help tells more)", argv[1]);
}
