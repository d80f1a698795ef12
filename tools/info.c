/* baton info: the driver and its devices. */
#include "tools.h"

#include <getopt.h>
#include <stdio.h>

#define GIB (1024.0 * 1024 * 1024)

static int print_device(baton_runtime *runtime, int32_t device)
{
    baton_device_info info = { .struct_size = sizeof info };
    baton_error err = BATON_ERROR_INIT;
    if (baton_device_info_read(runtime, device, &info, &err))
        return tool_fail("device %d: %s", device, err.message);
    printf("device %-8d %s, compute capability %d.%d, %d multiprocessors, %.1f GiB\n", device, info.name,
           info.compute_major, info.compute_minor, info.multiprocessors, (double)info.total_bytes / GIB);
    return TOOL_OK;
}

static int print_runtime(baton_runtime *runtime)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    baton_error err = BATON_ERROR_INIT;
    uint32_t version = baton_version();
    if (baton_runtime_info_read(runtime, &info, &err))
        return tool_fail("%s", err.message);
    printf("library         %u.%u.%u (ABI %u)\n", version / 10000, version / 100 % 100, version % 100,
           baton_abi_version());
    printf("driver          %s, version %d.%d\n", info.driver, info.driver_version / 1000,
           info.driver_version % 1000 / 10);
    if (info.reason[0])
        printf("                %s\n", info.reason);
    for (int32_t i = 0; i < info.devices; i++)
        if (print_device(runtime, i))
            return TOOL_FAILURE;
    return TOOL_OK;
}

int info_main(int argc, char **argv)
{
    static const struct option known[] = { { "driver", required_argument, NULL, 'd' }, { NULL, 0, NULL, 0 } };
    baton_runtime_options options = { .struct_size = sizeof options };
    baton_error err = BATON_ERROR_INIT;
    baton_runtime *runtime;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option != 'd')
            return tool_fail("info: wrong option (baton --help lists them)");
        options.driver = optarg;
    }
    if (optind < argc)
        return tool_fail("info: unexpected argument '%s'", argv[optind]);
    if (baton_runtime_open(&options, &runtime, &err))
        return tool_fail("%s", err.message);
    int code = print_runtime(runtime);
    if (baton_runtime_close(runtime, &err) && code == TOOL_OK)
        code = tool_fail("%s", err.message);
    return tool_finish(code);
}
