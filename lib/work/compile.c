/* CUDA C++ source becomes a module: by way of the compiler, or of what it made of the same source earlier. */
#include "work/compile.h"

#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/store.h"
#include "work/image.h"
#include "work/module.h"

enum { OPTIONS_LEAST = offsetof(baton_compile_options, tag), MOST_STRINGS = 65536 };

_Static_assert((int)NVRTC_RESULTS == (int)STORE_PARTS, "a result's parts are stored as they are");

static const uint64_t usual_cache_bytes = (uint64_t)256 << 20;

/* ---- what is asked for */

static int32_t strings_check(const char *const *strings, uint32_t count, const char *what, baton_error *err)
{
    if (count > MOST_STRINGS || (count && !strings))
        return fail(err, BATON_ERR_ARGUMENT, "%u %s: at most %d can be given, as an array", count, what, MOST_STRINGS);
    for (uint32_t i = 0; i < count; i++)
        if (!strings[i])
            return fail(err, BATON_ERR_ARGUMENT, "%s: number %u is NULL", what, i);
    return BATON_OK;
}

static int32_t options_check(const baton_compile_options *options, baton_compile_options *own, baton_error *err)
{
    static const baton_compile_options none = { .struct_size = sizeof none };
    int32_t status = options_read(own, sizeof *own, options ? options : &none, OPTIONS_LEAST, "baton_compile_options", err);
    if (status)
        return status;
    if (own->flags & ~(uint32_t)BATON_COMPILE_NO_CACHE || own->reserved32 || own->reserved[0] || own->reserved[1] || own->reserved[2] || own->reserved[3])
        return fail(err, BATON_ERR_VERSION, "an unknown flag or a reserved member of baton_compile_options is not zero");
    if ((status = strings_check(own->options, own->option_count, "options", err)) ||
        (status = strings_check(own->expressions, own->expression_count, "expressions", err)) ||
        (status = strings_check(own->headers, own->header_count, "headers", err)))
        return status;
    if (own->log_bytes && !own->log)
        return fail(err, BATON_ERR_ARGUMENT, "log is NULL, and log_bytes is not 0");
    return strings_check(own->header_names, own->header_count, "header_names", err);
}

/* The device's own architecture as machine code; when the compiler is too old to know the device, the newest PTX before it. */
static int32_t choose_architecture(struct compile *compile, int capability, baton_error *err)
{
    const struct nvrtc *nvrtc = compile->nvrtc;
    int best = 0;
    for (int i = 0; i < nvrtc->arch_number && nvrtc->arch_list[i] <= capability; i++)
        best = nvrtc->arch_list[i];
    if (!best)
        return fail(err, BATON_ERR_UNSUPPORTED, "NVRTC %d.%d makes code for compute capability %d.%d and newer, the device has %d.%d", nvrtc->major,
                    nvrtc->minor, nvrtc->arch_list[0] / 10, nvrtc->arch_list[0] % 10, capability / 10, capability % 10);
    compile->source.cubin = best == capability;
    snprintf(compile->architecture, sizeof compile->architecture, "-arch=%s_%d", compile->source.cubin ? "sm" : "compute", best);
    compile->source.architecture = compile->architecture;
    return BATON_OK;
}

static int32_t take_own_architecture(struct compile *compile, const char *name, baton_error *err)
{
    compile->source.cubin = !strncmp(name, "sm_", 3);
    if (compile->source.cubin || !strncmp(name, "compute_", 8))
        return BATON_OK;
    return fail(err, BATON_ERR_ARGUMENT, "the architecture '%.32s': a module is made for sm_NN or compute_NN", name);
}

static int32_t find_architecture(struct compile *compile, struct device *device, baton_error *err)
{
    const char *own = compile_own_architecture(&compile->options);
    int major = 0, minor = 0;
    if (own)
        return take_own_architecture(compile, own, err);
    int code = device->driver->device_attribute(&major, DRIVER_DEVICE_MAJOR, device->native);
    if (!code)
        code = device->driver->device_attribute(&minor, DRIVER_DEVICE_MINOR, device->native);
    if (code)
        return device_status(device, code, DRIVER_ROW_device_attribute, BATON_OP_MODULE, NULL, err);
    return choose_architecture(compile, 10 * major + minor, err);
}

static int32_t prepare(struct compile *compile, struct device *device, const char *source, baton_error *err)
{
    const baton_compile_options *own = &compile->options;
    int code = device->driver->version(&compile->driver_version);
    if (code)
        return device_status(device, code, DRIVER_ROW_version, BATON_OP_MODULE, NULL, err);
    compile->source = (struct nvrtc_source) {
        .text = source,
        .name = own->name ? own->name : "source.cu",
        .options = own->options,
        .option_count = own->option_count,
        .expressions = own->expressions,
        .expression_count = own->expression_count,
        .headers = own->headers,
        .header_names = own->header_names,
        .header_count = own->header_count,
    };
    int32_t status = nvrtc_open(compile->driver_version, &compile->nvrtc, err);
    return status ? status : find_architecture(compile, device, err);
}

/* ---- from a result to a module */

static void results_clear(struct bytes *results)
{
    for (int i = 0; i < NVRTC_RESULTS; i++)
        bytes_clear(&results[i]);
}

/* What baton_module_kernel looks through: each expression and its name in the image. 0: the names are not as many, or there is no memory. */
static int pair_names(const struct nvrtc_source *source, const struct bytes *names, struct bytes *pairs)
{
    const char *at = (const char *)names->data;
    size_t rest = names->count;
    for (uint32_t i = 0; i < source->expression_count; i++) {
        size_t length = rest ? strnlen(at, rest) : 0;
        if (length == rest)
            return 0;
        bytes_add(pairs, source->expressions[i], strlen(source->expressions[i]) + 1);
        bytes_add(pairs, at, length + 1);
        at += length + 1;
        rest -= length + 1;
    }
    return !pairs->failed;
}

/* A driver need not take what a newer compiler made. */
static void explain_skew(const struct compile *compile, baton_error *record)
{
    int made = 1000 * compile->nvrtc->major + 10 * compile->nvrtc->minor, driver = compile->driver_version;
    if (record->status == BATON_ERR_DRIVER && made > driver)
        message_add(record, "; NVRTC %d.%d is newer than the driver (CUDA %d.%d)", compile->nvrtc->major, compile->nvrtc->minor, driver / 1000,
                    driver % 1000 / 10);
}

/* What the driver says of the image is added to the log. */
static int32_t result_load(const struct compile *compile, struct device *device, struct bytes *results, baton_module **module, baton_error *err)
{
    struct bytes pairs = { .data = NULL }, *image = &results[NVRTC_IMAGE], *log = &results[NVRTC_LOG];
    baton_error record = error_none();
    enum image_kind kind;
    int32_t status = image_check(image->data, image->count, &kind, &record);
    if (!status && !pair_names(&compile->source, &results[NVRTC_NAMES], &pairs))
        status = fail(&record, BATON_ERR_MEMORY, "no host memory for a module");
    log->count -= log->count > 0;                   /* its terminator */
    if (!status)
        status = module_make(device, image->data, log, module, &record);
    bytes_add(log, "", 1);
    if (!status) {
        (*module)->names = pairs;
        return BATON_OK;
    }
    bytes_clear(&pairs);
    explain_skew(compile, &record);
    return fail_with(err, &record);
}

/* ---- the cache, and the way around it */

static void cache_open(const struct compile *compile, struct store *store, struct bytes *key)
{
    const baton_compile_options *own = &compile->options;
    *store = (struct store) { .directory = -1 };
    if (own->flags & BATON_COMPILE_NO_CACHE || !compile_is_keyed(compile))
        return;
    compile_key(compile, key);
    if (!key->failed)
        store_open(store, own->cache, own->cache_bytes ? own->cache_bytes : usual_cache_bytes);
}

/* A kept result that does not load is made anew, whatever is the matter with it. */
static int load_kept(const struct compile *compile, struct device *device, const struct store *store, const struct bytes *key, struct bytes *results,
                     baton_module **module)
{
    if (!store_read(store, key, results))
        return 0;
    if (!result_load(compile, device, results, module, NULL))
        return 1;
    results_clear(results);
    return 0;
}

static int32_t obtain(const struct compile *compile, struct device *device, struct bytes *results, baton_module **module, baton_error *err)
{
    struct bytes key = { .data = NULL };
    struct store store;
    int32_t status = BATON_OK;
    cache_open(compile, &store, &key);
    if (!load_kept(compile, device, &store, &key, results, module)) {
        status = nvrtc_compile(compile->nvrtc, &compile->source, results, err);
        if (!status)
            status = result_load(compile, device, results, module, err);
        if (!status)
            store_write(&store, &key, results);
    }
    store_close(&store);
    bytes_clear(&key);
    return status;
}

static void log_give(const baton_compile_options *own, const struct bytes *log)
{
    const char *text = log->count ? (const char *)log->data : "";
    size_t length = strnlen(text, log->count);
    if (own->log_needed)
        *own->log_needed = length + 1;
    if (!own->log_bytes)
        return;
    if (length >= own->log_bytes)
        length = (size_t)own->log_bytes - 1;
    memcpy(own->log, text, length);
    own->log[length] = '\0';
}

int32_t baton_module_compile(baton_runtime *runtime, int32_t ordinal, const char *source, const baton_compile_options *options, baton_module **module,
                             baton_error *err)
{
    struct bytes results[NVRTC_RESULTS] = { { .data = NULL } };
    struct compile compile;
    struct device *device;
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!source || !module)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", source ? "module" : "source");
    if ((status = options_check(options, &compile.options, err)) || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    log_give(&compile.options, &results[NVRTC_LOG]);
    if (device->driver->host_kernels)
        return fail(err, BATON_ERR_UNSUPPORTED, "the %s device runs C functions, not CUDA C++: give it one with baton_kernel_host", device->driver->name);
    if ((status = prepare(&compile, device, source, err)))
        return status;
    status = obtain(&compile, device, results, module, err);
    log_give(&compile.options, &results[NVRTC_LOG]);
    results_clear(results);
    return status;
}
