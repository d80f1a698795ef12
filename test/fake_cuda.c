/* A stand-in for libcuda.so.1, loaded by test/driver_open.c. The environment says how it behaves:
 *   FAKE_CUDA_VERSION   what it supports, 12000 unless set
 *   FAKE_CUDA_MISSING   a symbol that it lacks
 *   FAKE_CUDA_TELL      what asking for the version returns
 *   FAKE_CUDA_INIT      what cuInit returns
 *   FAKE_CUDA_DEVICES   1 unless set */
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

typedef void (*entry)(void);

/* Every row has a function that does nothing. */
#define FAKE_ROW(verb, symbol, version, parameters, arguments)  \
    static int row_##verb parameters                            \
    {                                                           \
        (void)sizeof(row_##verb arguments);                     \
        return DRIVER_SUCCESS;                                  \
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
