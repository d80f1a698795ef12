#include "driver/soft/module.h"

#include <stdlib.h>
#include <string.h>

#include "driver/soft/capture.h"
#include "driver/soft/row.h"

void soft_module_delete(struct soft_module *module)
{
    for (uint32_t i = 0; i < module->count; i++) {
        struct soft_function *function = &module->functions[i];
        if (function->handle.key)
            soft_handle_remove(&function->handle);
        free(function->name);
        free(function->parameters);
    }
    if (module->handle.key)
        soft_handle_remove(&module->handle);
    free(module->functions);
    free(module);
}

static int function_load(struct soft_function *function, const struct soft_kernel *kernel,
                         struct soft_context *context)
{
    size_t bytes = kernel->count * sizeof *kernel->parameters;
    if (!kernel->name || !kernel->function || kernel->count > SOFT_PARAMETERS)
        return DRIVER_INVALID_IMAGE;
    function->context = context;
    function->function = kernel->function;
    function->count = kernel->count;
    function->dynamic_shared = SOFT_SHARED_FIRST;
    function->name = strdup(kernel->name);
    function->parameters = malloc(bytes + 1);
    if (!function->name || !function->parameters)
        return DRIVER_OUT_OF_MEMORY;
    if (bytes)
        memcpy(function->parameters, kernel->parameters, bytes);
    return soft_handle_add(&function->handle, SOFT_FUNCTION, function, context);
}

static int module_load(struct soft_module *module, const struct soft_image *image, struct soft_context *context)
{
    int code = soft_handle_add(&module->handle, SOFT_MODULE, module, context);
    module->functions = calloc((size_t)image->count + 1, sizeof *module->functions);
    if (!module->functions)
        return DRIVER_OUT_OF_MEMORY;
    module->count = image->count;
    for (uint32_t i = 0; i < image->count && !code; i++)
        code = function_load(&module->functions[i], &image->kernels[i], context);
    return code;
}

int soft_module_load(driver_module *out, const void *image)
{
    struct soft_context *context;
    struct soft_module *module;
    int code;
    ROW_ENTER();
    ROW_TRY(soft_context_get(&context));
    ROW_REQUIRE(out && image, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(!strncmp(image, SOFT_IMAGE_MAGIC, sizeof SOFT_IMAGE_MAGIC), DRIVER_INVALID_IMAGE);
    module = calloc(1, sizeof *module);
    ROW_REQUIRE(module, DRIVER_OUT_OF_MEMORY);
    code = module_load(module, image, context);
    if (code)
        soft_module_delete(module);
    else
        *out = module;
    return soft_leave(code);
}

/* There is nothing to translate, so the options make no difference. */
int soft_module_load_ex(driver_module *out, const void *image, unsigned int count, driver_jit_option *options, void **values)
{
    return count && !(options && values) ? DRIVER_INVALID_VALUE : soft_module_load(out, image);
}

int soft_module_unload(driver_module handle)
{
    struct soft_module *module;
    ROW_ENTER();
    module = soft_handle_find(handle, SOFT_MODULE);
    ROW_REQUIRE(module, DRIVER_INVALID_HANDLE);
    ROW_TRY(module->handle.context->sticky);
    ROW_TRY(soft_capture_forbids());
    soft_module_delete(module);
    ROW_LEAVE();
}

int soft_module_function(driver_function *function, driver_module handle, const char *name)
{
    struct soft_module *module;
    ROW_ENTER();
    ROW_REQUIRE(function && name, DRIVER_INVALID_VALUE);
    module = soft_handle_find(handle, SOFT_MODULE);
    ROW_REQUIRE(module, DRIVER_INVALID_HANDLE);
    ROW_TRY(module->handle.context->sticky);
    for (uint32_t i = 0; i < module->count; i++)
        if (!strcmp(module->functions[i].name, name)) {
            *function = &module->functions[i];
            return soft_leave(DRIVER_SUCCESS);
        }
    return soft_leave(DRIVER_NOT_FOUND);
}

size_t soft_function_offset(const struct soft_function *function, size_t index)
{
    size_t offset = 0;
    for (size_t i = 0; i <= index; i++) {
        size_t bytes = function->parameters[i].bytes;
        size_t align = bytes & (~bytes + 1);
        if (align > 16 || !align)
            align = align ? 16 : 1;
        offset = (offset + align - 1) / align * align;
        if (i < index)
            offset += bytes;
    }
    return offset;
}

int soft_function_parameter(driver_function handle, size_t index, size_t *offset, size_t *bytes)
{
    struct soft_function *function;
    ROW_ENTER();
    function = soft_handle_find(handle, SOFT_FUNCTION);
    ROW_REQUIRE(function, DRIVER_INVALID_HANDLE);
    ROW_TRY(function->context->sticky);
    ROW_REQUIRE(offset && index < function->count, DRIVER_INVALID_VALUE);
    *offset = soft_function_offset(function, index);
    if (bytes)
        *bytes = function->parameters[index].bytes;
    ROW_LEAVE();
}
