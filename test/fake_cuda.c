/* A stand-in for libcuda.so.1, loaded by test/driver_open.c and the tests of compilation. The environment says how it behaves:
 *   FAKE_CUDA_VERSION   what it supports, 12000 unless set
 *   FAKE_CUDA_MISSING   a symbol that it lacks
 *   FAKE_CUDA_TELL      what asking for the version returns
 *   FAKE_CUDA_INIT      what cuInit returns
 *   FAKE_CUDA_DEVICES   1 unless set
 *   FAKE_CUDA_CAPABILITY  of its devices, 90 unless set
 *   FAKE_CUDA_LACKS     the number of an attribute that they do not have
 *   FAKE_CUDA_RESULT    what every function returns that has nothing else to do
 * Modules are texts, in images of each kind: a kernel is what occurs in it, and a text with "refuse me" is refused. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/table.h"

#define VISIBLE __attribute__((visibility("default")))

static int number(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

VISIBLE int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    *version = number("FAKE_CUDA_VERSION", 12000);
    return number("FAKE_CUDA_TELL", DRIVER_SUCCESS);
}

#ifndef FAKE_CUDA_NO_LOOKUP
static int fake_init(unsigned int flags)
{
    return flags ? DRIVER_INVALID_VALUE : number("FAKE_CUDA_INIT", DRIVER_SUCCESS);
}

static int fake_count(int *count)
{
    *count = number("FAKE_CUDA_DEVICES", 1);
    return DRIVER_SUCCESS;
}

static int fake_attribute(int *value, driver_device_attribute attribute, driver_device device)
{
    int capability = number("FAKE_CUDA_CAPABILITY", 90);
    (void)device;
    *value = attribute != (driver_device_attribute)number("FAKE_CUDA_LACKS", 0);
    if (attribute == DRIVER_DEVICE_MAJOR)
        *value = capability / 10;
    if (attribute == DRIVER_DEVICE_MINOR)
        *value = capability % 10;
    return DRIVER_SUCCESS;
}

/* Behind the header of a cubin stands its text. */
static int fake_load(driver_module *module, const void *image, unsigned int count, driver_jit_option *options, void **values)
{
    const char *text = memcmp(image, ELFMAG, SELFMAG) ? image : (const char *)image + sizeof(Elf64_Ehdr);
    if (count != 2 || options[0] != DRIVER_JIT_ERROR_LOG || options[1] != DRIVER_JIT_ERROR_LOG_BYTES)
        return DRIVER_INVALID_VALUE;
    if (strstr(text, "refuse me")) {
        snprintf(values[0], (size_t)(uintptr_t)values[1], "a first line\nptxas, line 7; error   : no such thing\n");
        return DRIVER_INVALID_PTX;
    }
    *module = strdup(text);
    return *module ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

static int fake_unload(driver_module module)
{
    free(module);
    return DRIVER_SUCCESS;
}

static int fake_function(driver_function *function, driver_module module, const char *name)
{
    *function = strstr(module, name);
    return *function ? DRIVER_SUCCESS : DRIVER_NOT_FOUND;
}

typedef void (*entry)(void);

/* Every row has a function that does nothing else. */
#define FAKE_ROW(verb, symbol, version, parameters, arguments)  \
    static int row_##verb parameters                            \
    {                                                           \
        (void)sizeof(row_##verb arguments);                     \
        return number("FAKE_CUDA_RESULT", DRIVER_SUCCESS);      \
    }
DRIVER_ROWS(FAKE_ROW)

static entry row_find(const char *wanted, int *since)
{
#define FIND_ROW(verb, symbol, version, parameters, arguments)  \
    if (strcmp(wanted, #symbol) == 0) {                         \
        *since = version;                                       \
        return (entry)row_##verb;                            \
    }
    DRIVER_ROWS(FIND_ROW)
    return NULL;
}

static entry fake_find(const char *wanted, int *since)
{
    const char *missing = getenv("FAKE_CUDA_MISSING");
    entry found = row_find(wanted, since);
    if (missing && strcmp(missing, wanted) == 0)
        return NULL;
    if (strcmp(wanted, "cuInit") == 0)
        return (entry)fake_init;
    if (strcmp(wanted, "cuDriverGetVersion") == 0)
        return (entry)cuDriverGetVersion;
    if (strcmp(wanted, "cuDeviceGetCount") == 0)
        return (entry)fake_count;
    if (strcmp(wanted, "cuDeviceGetAttribute") == 0)
        return (entry)fake_attribute;
    if (strcmp(wanted, "cuModuleLoadDataEx") == 0)
        return (entry)fake_load;
    if (strcmp(wanted, "cuModuleUnload") == 0)
        return (entry)fake_unload;
    if (strcmp(wanted, "cuModuleGetFunction") == 0)
        return (entry)fake_function;
    return found;
}

/* Status 1: no such symbol; 2: there is one, but for newer versions. */
VISIBLE int cuGetProcAddress_v2(const char *symbol, void **address, int version, uint64_t flags, int *status);
int cuGetProcAddress_v2(const char *symbol, void **address, int version, uint64_t flags, int *status)
{
    int since = 0;
    entry found = fake_find(symbol, &since);
    if (flags != 0 || version < 12000)
        return DRIVER_INVALID_VALUE;
    *status = !found ? 1 : since > number("FAKE_CUDA_VERSION", 12000) || since > version ? 2 : 0;
    memcpy(address, &found, sizeof found);      /* with status 2 too: only the status counts */
    return *status == 1 ? DRIVER_NOT_FOUND : DRIVER_SUCCESS;
}
#endif
