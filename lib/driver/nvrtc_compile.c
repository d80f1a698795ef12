#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "driver/nvrtc.h"

/* "error:", "error   :" and "error #20:", but not an identifier with that word in it. */
static int tells_error(const char *line, size_t length)
{
    const char *end = line + length;
    for (const char *at = line; (at = memmem(at, (size_t)(end - at), "error", 5)); at++) {
        const char *after = at + 5;
        while (after < end && *after == ' ')
            after++;
        if (after < end && (*after == ':' || *after == '#'))
            return 1;
    }
    return 0;
}

const char *nvrtc_first_error(const char *log, int *length)
{
    const char *line = log, *first = NULL;
    while (*line) {
        size_t end = strcspn(line, "\r\n");
        *length = end > INT_MAX ? INT_MAX : (int)end;
        if (tells_error(line, end))
            return line;
        if (!first && end)
            first = line;
        line += end + strspn(line + end, "\r\n");
    }
    if (!first)
        first = line;           /* which is empty */
    *length = (int)strcspn(first, "\r\n");
    return first;
}

static int32_t status_of(int code)
{
    switch (code) {
    case NVRTC_OUT_OF_MEMORY: return BATON_ERR_MEMORY;
    case NVRTC_INVALID_INPUT:
    case NVRTC_INVALID_OPTION:
    case NVRTC_NAME_EXPRESSION_NOT_VALID: return BATON_ERR_ARGUMENT;
    default: return BATON_ERR_COMPILE;
    }
}

static int32_t compile_failed(const struct nvrtc *nvrtc, int code, const struct bytes *log, baton_error *err)
{
    const char *text = nvrtc->error_text(code), *line = "";
    int length = 0;
    if (log->count)
        line = nvrtc_first_error((const char *)log->data, &length);
    if (length)
        return fail(err, status_of(code), "%.*s", length, line);
    return fail(err, status_of(code), "the compiler says %s", text ? text : "nothing");
}

static int32_t no_memory(baton_error *err)
{
    return fail(err, BATON_ERR_MEMORY, "no host memory for a compilation");
}

/* One of the texts or images that the compiler gives out in two steps. */
static int take(nvrtc_program program, int (*size)(nvrtc_program, size_t *), int (*get)(nvrtc_program, char *), struct bytes *to)
{
    size_t bytes = 0;
    int code = size(program, &bytes);
    if (code)
        return code;
    unsigned char *place = bytes_grow(to, bytes);
    if (!place)
        return NVRTC_OUT_OF_MEMORY;
    return bytes ? get(program, (char *)place) : NVRTC_SUCCESS;
}

/* The log is help, not a result: without memory for it there is none. Terminated by us too, as its reader relies on it. */
static void take_log(const struct nvrtc *nvrtc, nvrtc_program program, struct bytes *log)
{
    if (take(program, nvrtc->log_size, nvrtc->log, log))
        bytes_clear(log);
    if (log->count)
        log->count = strnlen((const char *)log->data, log->count);
    bytes_add(log, "", 1);
    if (log->failed)
        bytes_clear(log);
}

static int take_names(const struct nvrtc *nvrtc, nvrtc_program program, const struct nvrtc_source *source, struct bytes *names)
{
    int code = NVRTC_SUCCESS;
    for (uint32_t i = 0; i < source->expression_count && !code; i++) {
        const char *lowered = NULL;
        code = nvrtc->lowered_name(program, source->expressions[i], &lowered);
        if (!code)
            bytes_add(names, lowered, strlen(lowered) + 1);
    }
    return names->failed ? NVRTC_OUT_OF_MEMORY : code;
}

static int32_t take_results(const struct nvrtc *nvrtc, nvrtc_program program, const struct nvrtc_source *source, struct bytes *results, baton_error *err)
{
    int code = source->cubin ? take(program, nvrtc->cubin_size, nvrtc->cubin, &results[NVRTC_IMAGE])
                             : take(program, nvrtc->ptx_size, nvrtc->ptx, &results[NVRTC_IMAGE]);
    if (code == NVRTC_OUT_OF_MEMORY)
        return no_memory(err);
    if (code || !results[NVRTC_IMAGE].count)
        return fail(err, BATON_ERR_COMPILE, "the compiler made no %s: do the options ask for something else?", source->cubin ? "cubin" : "PTX");
    code = take_names(nvrtc, program, source, &results[NVRTC_NAMES]);
    if (code == NVRTC_OUT_OF_MEMORY)
        return no_memory(err);
    return code ? compile_failed(nvrtc, code, &results[NVRTC_LOG], err) : BATON_OK;
}

static int add_expressions(const struct nvrtc *nvrtc, nvrtc_program program, const struct nvrtc_source *source)
{
    int code = NVRTC_SUCCESS;
    for (uint32_t i = 0; i < source->expression_count && !code; i++)
        code = nvrtc->add_expression(program, source->expressions[i]);
    return code;
}

static int32_t compile(const struct nvrtc *nvrtc, nvrtc_program program, const struct nvrtc_source *source, struct bytes *results, baton_error *err)
{
    uint32_t count = source->option_count;
    const char **options = malloc((count + 1) * sizeof *options);
    if (!options)
        return no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        options[i] = source->options[i];
    if (source->architecture)
        options[count++] = source->architecture;
    int code = add_expressions(nvrtc, program, source);
    if (!code) {
        code = nvrtc->compile(program, (int)count, options);
        take_log(nvrtc, program, &results[NVRTC_LOG]);
    }
    free(options);
    return code ? compile_failed(nvrtc, code, &results[NVRTC_LOG], err) : take_results(nvrtc, program, source, results, err);
}

int32_t nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_source *source, struct bytes *results, baton_error *err)
{
    nvrtc_program program = NULL;
    int code = nvrtc->create(&program, source->text, source->name, (int)source->header_count, source->headers, source->header_names);
    if (code)
        return compile_failed(nvrtc, code, &results[NVRTC_LOG], err);
    int32_t status = compile(nvrtc, program, source, results, err);
    nvrtc->destroy(&program);
    return status;
}
