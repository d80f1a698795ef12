/* Any text in the environment variables that the library reads, and as the name of a driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/store.h"
#include "driver/driver.h"
#include "driver/nvrtc.h"
#include "fuzz.h"

enum { TEXT = 600 };

/* Paths stay inside this process's folder. */
static void name_folder(const char *variable, char *text)
{
    char path[TEXT + 300];
    for (char *dots = strstr(text, ".."); dots; dots = strstr(text, ".."))
        memset(dots, '_', 2);
    snprintf(path, sizeof path, "%s%s", *text == '/' ? fuzz_folder() : "", text);
    setenv(variable, path, 1);
}

static void open_cache(void)
{
    struct store store;
    store_open(&store, NULL, 1 << 20);
    must(store.directory >= -1);
    store_close(&store);
    fuzz_folder_empty();
}

static void open_driver(const char *spec)
{
    const struct driver *driver = NULL;
    char why[232];
    memset(why, '?', sizeof why);
    int32_t status = driver_open(spec, &driver, why, sizeof why);
    must(memchr(why, 0, sizeof why) && strcmp(baton_status_name(status), "unknown"));
    must(status ? status < 0 && *why && !driver : driver != NULL);
    must(status || strncmp(spec, "soft:", 5) || strlen(spec) <= strlen("soft:16"));
    driver_close(driver);
}

static void open_compiler(void)
{
    const struct nvrtc *nvrtc;
    baton_error err = BATON_ERROR_INIT;
    int32_t status = nvrtc_open(12000, &nvrtc, &err);
    if (status)
        check_failed(status, &err);
}

void fuzz_one(struct input *input)
{
    uint8_t choice = take_byte(input);
    char *text = take_text(input, TEXT);
    switch (choice % 7) {
    case 0: open_driver(text); break;
    case 1: setenv("BATON_DRIVER", text, 1); open_driver("auto"); unsetenv("BATON_DRIVER"); break;
    case 2: name_folder("BATON_CACHE_DIR", text); open_cache(); unsetenv("BATON_CACHE_DIR"); break;
    case 3: name_folder("XDG_CACHE_HOME", text); open_cache(); unsetenv("XDG_CACHE_HOME"); break;
    case 4: name_folder("HOME", text); open_cache(); unsetenv("HOME"); break;
    case 5: setenv("BATON_CUDA_LIBRARY", text, 1); open_driver("cuda"); unsetenv("BATON_CUDA_LIBRARY"); break;
    default: setenv("BATON_NVRTC_LIBRARY", text, 1); open_compiler(); unsetenv("BATON_NVRTC_LIBRARY"); break;
    }
    free(text);
}

void fuzz_begin(void)
{
    static const char *const variables[] = { "BATON_DRIVER", "BATON_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "BATON_CUDA_LIBRARY", "BATON_NVRTC_LIBRARY" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
}

void fuzz_end(void)
{
}
