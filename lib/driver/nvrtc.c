#include "driver/nvrtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

#define VARIABLE "BATON_NVRTC_LIBRARY"
#define TOOLKIT "/usr/local/cuda/lib64/"

enum { NAMES = 2, NO_LOAD = RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD, LOAD = RTLD_LAZY | RTLD_LOCAL };

struct row {
    const char *symbol;
    size_t member;              /* offset of the function pointer in struct nvrtc */
};

#define NVRTC_ENTRY(verb, symbol, parameters) { #symbol, offsetof(struct nvrtc, verb) },
static const struct row rows[] = { NVRTC_ROWS(NVRTC_ENTRY) { "nvrtcGetErrorString", offsetof(struct nvrtc, error_text) } };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nvrtc opened;     /* guarded by lock until `loaded`, constant afterwards */
static int loaded;              /* guarded by lock */

/* In the order in which they are wanted. */
static const char *const *library_names(int driver_version)
{
    static const char *const newest_first[NAMES] = { "libnvrtc.so.13", "libnvrtc.so.12" };
    static const char *const for_twelve[NAMES] = { "libnvrtc.so.12", "libnvrtc.so.13" };
    return driver_version >= 13000 ? newest_first : for_twelve;
}

static void *open_toolkit(const char *name)
{
    char path[sizeof TOOLKIT + 32];
    snprintf(path, sizeof path, TOOLKIT "%s", name);
    return dlopen(path, LOAD);
}

static void *open_usual(int driver_version)
{
    const char *const *names = library_names(driver_version);
    void *library = NULL;
    for (int i = 0; i < NAMES && !library; i++)
        library = dlopen(names[i], NO_LOAD);
    for (int i = 0; i < NAMES && !library; i++)
        library = dlopen(names[i], LOAD);
    for (int i = 0; i < NAMES && !library; i++)
        library = open_toolkit(names[i]);
    return library;
}

static int32_t library_open(int driver_version, void **library, baton_error *err)
{
    int relative;
    const char *named = driver_library_named(VARIABLE, &relative), *detail;
    if (relative)
        return fail(err, BATON_ERR_UNSUPPORTED, "no compiler: " VARIABLE " is neither a full path nor a plain name: %.80s", named);
    *library = named ? dlopen(named, LOAD) : open_usual(driver_version);
    if (*library)
        return BATON_OK;
    if (!named)
        return fail(err, BATON_ERR_UNSUPPORTED, "no compiler: neither libnvrtc.so.13 nor libnvrtc.so.12 is loaded, found by the loader, or in " TOOLKIT
                    "; " VARIABLE " may name one");
    detail = dlerror();
    return fail(err, BATON_ERR_UNSUPPORTED, "no compiler: " VARIABLE " names %.80s: %.60s", named, detail ? detail : "it cannot be opened");
}

static int32_t rows_load(void *library, struct nvrtc *nvrtc, baton_error *err)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *symbol = dlsym(library, rows[i].symbol);
        if (!symbol)
            return fail(err, BATON_ERR_UNSUPPORTED, "the NVRTC library has no %s: it must be of CUDA 12.0 or newer", rows[i].symbol);
        memcpy((char *)nvrtc + rows[i].member, &symbol, sizeof symbol);     /* POSIX lets it hold a function */
    }
    return BATON_OK;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int32_t ask(struct nvrtc *nvrtc, baton_error *err)
{
    int code = nvrtc->version(&nvrtc->major, &nvrtc->minor);
    if (!code)
        code = nvrtc->arch_count(&nvrtc->arch_number);
    if (!code && (nvrtc->arch_number < 1 || nvrtc->arch_number > NVRTC_MOST_ARCHS))
        code = NVRTC_INVALID_INPUT;
    if (!code)
        code = nvrtc->archs(nvrtc->arch_list);
    if (code)
        return fail(err, BATON_ERR_UNSUPPORTED, "the NVRTC library does not tell its version and architectures (result %d)", code);
    qsort(nvrtc->arch_list, (size_t)nvrtc->arch_number, sizeof *nvrtc->arch_list, ascending);
    return BATON_OK;
}

/* The library stays open when this fails, as with the driver. */
static int32_t load_locked(int driver_version, baton_error *err)
{
    struct nvrtc nvrtc = { .major = 0 };
    void *library;
    int32_t status = library_open(driver_version, &library, err);
    if (status || (status = rows_load(library, &nvrtc, err)) || (status = ask(&nvrtc, err)))
        return status;
    opened = nvrtc;
    loaded = 1;
    return BATON_OK;
}

int32_t nvrtc_open(int driver_version, const struct nvrtc **nvrtc, baton_error *err)
{
    pthread_mutex_lock(&lock);
    int32_t status = loaded ? BATON_OK : load_locked(driver_version, err);
    pthread_mutex_unlock(&lock);
    if (!status)
        *nvrtc = &opened;
    return status;
}
