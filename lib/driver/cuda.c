#include "driver/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/arithmetic.h"

#define VARIABLE "BATON_CUDA_LIBRARY"

enum { LEAST_VERSION = 12000 /* 1000 * major + 10 * minor */, MOST_DEVICES = 4096 };

typedef void (*any_function)(void);
typedef int (*version_function)(int *version);
typedef int (*lookup_function)(const char *symbol, void **function, int version, uint64_t flags, int *status);

struct row {
    const char *symbol;
    int version;
    size_t member;              /* offset of the function pointer in struct driver */
    any_function absent;        /* stands in when the row may be absent and is */
};

/* One sentence of failure, written where the caller of driver_cuda wants it. */
struct reason {
    char *text;
    size_t bytes;
};

/* For each row, a function of its type that answers "not supported". */
#define ROW_ABSENT(verb, symbol, version, parameters, arguments)        \
    static int absent_##verb parameters                                 \
    {                                                                   \
        (void)sizeof(((const struct driver *)NULL)->verb arguments);    \
        return DRIVER_NOT_SUPPORTED;                                    \
    }
DRIVER_ROWS(ROW_ABSENT)

#define ROW_ENTRY(verb, symbol, version, parameters, arguments) \
    { #symbol, version, offsetof(struct driver, verb), (any_function)absent_##verb },
static const struct row rows[DRIVER_ROW_COUNT] = { DRIVER_ROWS(ROW_ENTRY) };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct driver cuda;      /* guarded by lock until `loaded`, constant afterwards */
static int loaded;              /* guarded by lock */

static int reason_write(struct reason *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Always 0, "not loaded". */
static int reason_write(struct reason *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->text, reason->bytes, format, arguments);
    va_end(arguments);
    return 0;
}

static int reason_too_old(struct reason *reason, int version)
{
    return reason_write(reason, "The CUDA driver is too old: it supports CUDA %d.%d, and %d.%d is the least.",
                        version / 1000, version % 1000 / 10, LEAST_VERSION / 1000, LEAST_VERSION % 1000 / 10);
}

/* What a user can do about a driver that does not start; empty where the code says it all. */
static const char *advice(int code)
{
    switch (code) {
    case DRIVER_STUB_LIBRARY: return ": this is the toolkit's stub for linking, not a driver";
    case DRIVER_DEVICE_UNAVAILABLE: return ": another process holds the device, or it is in a mode that forbids its use";
    case DRIVER_OPERATING_SYSTEM: return ": the system refuses it, as when the device's files are missing or not permitted";
    case DRIVER_SYSTEM_NOT_READY: return ": the system is not ready, as when a machine with NVSwitch lacks its fabric manager";
    case DRIVER_SYSTEM_DRIVER_MISMATCH: return ": the library and the kernel's module differ, as after an update without a restart";
    case DRIVER_COMPAT_NOT_SUPPORTED_ON_DEVICE: return ": the library is newer than the kernel's module, which this device does not allow";
    case DRIVER_UNKNOWN: return ": often the kernel's module nvidia_uvm is not loaded";
    default: return "";
    }
}

static int reason_code(struct reason *reason, const char *what, int code)
{
    return reason_write(reason, "The CUDA driver %s: %s (%d)%s.", what, driver_code_name(code), code, advice(code));
}

/* *relative: it may not be opened. */
static const char *library_name(int *relative)
{
    const char *name = driver_library_named(VARIABLE, relative);
    return name ? name : "libcuda.so.1";
}

static void *library_open(const char **name, struct reason *reason)
{
    int relative;
    const char *detail;
    void *library = NULL;
    *name = library_name(&relative);
    if (relative)
        reason_write(reason, "There is no CUDA driver: " VARIABLE " is neither a full path nor a plain name: \"%.80s\".", *name);
    else if (!(library = dlopen(*name, RTLD_NOW | RTLD_LOCAL)))
        reason_write(reason, "There is no CUDA driver: %s.", (detail = dlerror()) ? detail : *name);
    return library;
}

/* POSIX lets an object pointer from the loader hold a function; C has no cast for it. */
static void function_put(void *to, void *symbol)
{
    memcpy(to, &symbol, sizeof symbol);
}

/* Asked before anything else, as an old driver lacks the very function that would look up the others. */
static int version_check(void *library, const char *name, struct reason *reason)
{
    version_function read_version;
    int version = 0;
    void *symbol = dlsym(library, "cuDriverGetVersion");
    if (!symbol)
        return reason_write(reason, "%s is no CUDA driver: it has no cuDriverGetVersion.", name);
    function_put(&read_version, symbol);
    int code = read_version(&version);
    if (code != DRIVER_SUCCESS)
        return reason_code(reason, "does not tell its version", code);
    return version >= LEAST_VERSION ? 1 : reason_too_old(reason, version);
}

/* Fills one member of *driver. Flags 0 ask for the functions in which stream 0 is the legacy stream. */
static int row_load(const struct row *row, lookup_function lookup, struct driver *driver, struct reason *reason)
{
    void *function = NULL;
    int status = 0;         /* 0: found */
    char *member = (char *)driver + row->member;
    int code = lookup(row->symbol, &function, row->version, 0, &status);
    if (code == DRIVER_SUCCESS && status == 0 && function) {
        function_put(member, function);
        return 1;
    }
    if (row->version > LEAST_VERSION) {
        memcpy(member, &row->absent, sizeof row->absent);
        return 1;
    }
    return reason_write(reason, "The CUDA driver has no %s for CUDA %d.%d.", row->symbol, row->version / 1000,
                        row->version % 1000 / 10);
}

static int rows_load(void *library, const char *name, struct driver *driver, struct reason *reason)
{
    lookup_function lookup;
    void *symbol = dlsym(library, "cuGetProcAddress_v2");
    if (!symbol)
        return reason_write(reason, "%s is no CUDA driver: it has no cuGetProcAddress_v2.", name);
    function_put(&lookup, symbol);
    for (size_t i = 0; i < DRIVER_ROW_COUNT; i++)
        if (!row_load(&rows[i], lookup, driver, reason))
            return 0;
    return 1;
}

static int reason_no_device(struct reason *reason)
{
    const char *visible = secure_getenv("CUDA_VISIBLE_DEVICES");
    if (!visible)
        return reason_write(reason, "The CUDA driver finds no device.");
    return reason_write(reason, "The CUDA driver finds no device: CUDA_VISIBLE_DEVICES is \"%.60s\".", visible);
}

static int devices_check(const struct driver *driver, struct reason *reason)
{
    int count = 0;
    int code = driver->init(0);
    if (code == DRIVER_SUCCESS)
        code = driver->device_count(&count);
    if (code == DRIVER_NO_DEVICE || (code == DRIVER_SUCCESS && count == 0))
        return reason_no_device(reason);
    if (code != DRIVER_SUCCESS)
        return reason_code(reason, "cannot start", code);
    if (count < 0 || count > MOST_DEVICES)
        return reason_write(reason, "The CUDA driver says that it has %d devices, which cannot be.", count);
    return 1;
}

/* The library stays open when this fails: a driver that has started threads must not be unmapped. */
static int cuda_load_locked(struct reason *reason)
{
    struct driver driver = { .name = "cuda", .builtin_image = cuda_builtin_image,
                             .arithmetic_image = cuda_arithmetic_image };
    const char *name;
    void *library = library_open(&name, reason);
    if (!library || !version_check(library, name, reason) || !rows_load(library, name, &driver, reason) || !devices_check(&driver, reason))
        return 0;
    cuda = driver;
    return 1;
}

const struct driver *driver_cuda(char *why, size_t why_bytes)
{
    struct reason reason = { why, why_bytes };
    int usable;
    pthread_mutex_lock(&lock);
    if (!loaded)
        loaded = cuda_load_locked(&reason);
    usable = loaded;
    pthread_mutex_unlock(&lock);
    return usable ? &cuda : NULL;
}
