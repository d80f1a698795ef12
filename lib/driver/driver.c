#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "driver/instrument.h"
#include "driver/soft/soft.h"

enum { SOFT_DEVICES_MAX = 16 };

enum kind { KIND_AUTO, KIND_CUDA, KIND_SOFT };

/* What a specification asks for. */
struct request {
    enum kind kind;
    int devices;        /* KIND_SOFT only */
};

const char *driver_row_name(enum driver_row row)
{
    switch (row) {
#define ROW_NAME(verb, symbol, version, parameters, arguments) case DRIVER_ROW_##verb: return #verb;
        DRIVER_ROWS(ROW_NAME)
#undef ROW_NAME
    default: return "unknown";
    }
}

const char *driver_row_symbol(enum driver_row row)
{
    switch (row) {
#define ROW_SYMBOL(verb, symbol, version, parameters, arguments) case DRIVER_ROW_##verb: return #symbol;
        DRIVER_ROWS(ROW_SYMBOL)
#undef ROW_SYMBOL
    default: return "unknown";
    }
}

const char *driver_code_name(int code)
{
    if (code == DRIVER_SUCCESS)
        return "CUDA_SUCCESS";      /* the only one that is not named CUDA_ERROR_ */
    switch (code) {
#define CODE_NAME(name, number, sticky) case number: return "CUDA_ERROR_" #name;
        DRIVER_CODES(CODE_NAME)
#undef CODE_NAME
    default: return "unknown code";
    }
}

int driver_code_sticky(int code)
{
    switch (code) {
#define CODE_STICKY(name, number, sticky) case number: return sticky;
        DRIVER_CODES(CODE_STICKY)
#undef CODE_STICKY
    default: return 0;
    }
}

int driver_code_gone(int code)
{
    return code == DRIVER_DEINITIALIZED || code == DRIVER_CONTEXT_IS_DESTROYED || code == DRIVER_INVALID_CONTEXT
           || driver_code_sticky(code);
}

const char *driver_library_named(const char *variable, int *relative)
{
    const char *name = secure_getenv(variable);
    *relative = name && *name != '/' && strchr(name, '/');
    return name && *name ? name : NULL;
}

/* 1 to 16 in decimal digits alone, or 0. */
static int devices_parse(const char *text)
{
    int devices = 0;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 2 || text[digits] || text[0] == '0')
        return 0;
    for (size_t i = 0; i < digits; i++)
        devices = 10 * devices + (text[i] - '0');
    return devices <= SOFT_DEVICES_MAX ? devices : 0;
}

static int request_parse(const char *spec, struct request *request)
{
    request->devices = 1;
    if (strcmp(spec, "auto") == 0) {
        request->kind = KIND_AUTO;
        return 1;
    }
    if (strcmp(spec, "cuda") == 0) {
        request->kind = KIND_CUDA;
        return 1;
    }
    request->kind = KIND_SOFT;
    if (strcmp(spec, "soft") == 0)
        return 1;
    if (strncmp(spec, "soft:", 5) != 0)
        return 0;
    request->devices = devices_parse(spec + 5);
    return request->devices > 0;
}

static int32_t request_read(const char *spec, struct request *request, char *why, size_t why_bytes)
{
    const char *forced = NULL;
    const char *source = "";
    if (!spec)
        spec = "auto";
    if (strcmp(spec, "auto") == 0)
        forced = secure_getenv("BATON_DRIVER");
    if (forced && *forced) {
        spec = forced;
        source = " in BATON_DRIVER";
    }
    if (!request_parse(spec, request)) {
        snprintf(why, why_bytes, "\"%.40s\"%s is no driver: write auto, cuda, soft, or soft:N with 1 to %d devices.",
                 spec, source, SOFT_DEVICES_MAX);
        return BATON_ERR_ARGUMENT;
    }
    if (*source && request->kind == KIND_SOFT)
        snprintf(why, why_bytes, "BATON_DRIVER asks for %s.", spec);
    return BATON_OK;
}

static int32_t soft_take(int devices, const struct driver **driver, char *why, size_t why_bytes)
{
    int32_t status = soft_open(devices);
    if (status) {
        snprintf(why, why_bytes, "The software device cannot be opened with %d device%s: %s.", devices,
                 devices == 1 ? "" : "s",
                 status == BATON_ERR_BUSY ? "it is in use with another number" : baton_status_name(status));
        return status;
    }
    soft_driver()->init(0);     /* an open driver is an initialized one, as with CUDA */
    *driver = instrument_wrap(soft_driver());
    return BATON_OK;
}

int32_t driver_open(const char *spec, const struct driver **driver, char *why, size_t why_bytes)
{
    struct request request;
    const struct driver *cuda = NULL;
    int32_t status;
    if (why_bytes)
        *why = '\0';
    status = request_read(spec, &request, why, why_bytes);
    if (status)
        return status;
    if (request.kind != KIND_SOFT)
        cuda = driver_cuda(why, why_bytes);
    if (cuda) {
        *driver = instrument_wrap(cuda);
        return BATON_OK;
    }
    if (request.kind == KIND_CUDA)
        return BATON_ERR_NO_DRIVER;
    return soft_take(request.devices, driver, why, why_bytes);
}

void driver_close(const struct driver *driver)
{
    if (driver && driver->host_kernels)     /* the software device, seen through the instrument or not */
        soft_close();
}
