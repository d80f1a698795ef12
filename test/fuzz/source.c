/* Any text as what is compiled, and as what a compiler says. */
#include "work/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { STRINGS = 4, MOST_TEXT = 200 };

struct texts {
    char *owned[STRINGS];
    const char *texts[STRINGS];
    uint32_t count;
};

static void read_texts(struct input *input, struct texts *texts, uint32_t count)
{
    texts->count = count;
    for (uint32_t i = 0; i < count; i++)
        texts->texts[i] = texts->owned[i] = take_text(input, MOST_TEXT);
}

static void free_texts(const struct texts *texts)
{
    for (uint32_t i = 0; i < texts->count; i++)
        free(texts->owned[i]);
}

/* The plainest way to read a file: nobody may overlook it. */
static int plainly_includes(const char *text, const struct texts *names)
{
    char name[MOST_TEXT];
    const char *at = strstr(text, "#include \"");
    if (!at || sscanf(at, "#include \"%199[^\"\n]\"", name) != 1)
        return 0;
    for (uint32_t i = 0; i < names->count; i++)
        if (!strcmp(names->texts[i], name))
            return 0;
    return 1;
}

static void check_log(const char *log)
{
    int length = -1;
    const char *line = nvrtc_first_error(log, &length);
    must(line >= log && length >= 0 && line + length <= log + strlen(log));
    must(!memchr(line, '\n', (size_t)length) && !memchr(line, '\r', (size_t)length));
    must(length || !log[strspn(log, "\r\n")]);
}

static void check_key(struct compile *compile)
{
    struct bytes key = { .data = NULL }, again = { .data = NULL };
    compile_key(compile, &key);
    compile_key(compile, &again);
    must(!key.failed && key.count == again.count && !memcmp(key.data, again.data, key.count));
    bytes_clear(&again);
    compile->source.architecture = "another";
    compile_key(compile, &again);
    must(key.count != again.count || memcmp(key.data, again.data, key.count));
    bytes_clear(&again);
    bytes_clear(&key);
}

void fuzz_one(struct input *input)
{
    static const struct nvrtc nvrtc = { .major = 12 };
    struct texts options, names, headers;
    uint8_t counts = take_byte(input);
    read_texts(input, &options, counts % 4);
    read_texts(input, &names, counts / 4 % 4);
    read_texts(input, &headers, names.count);
    char *text = take_text(input, SIZE_MAX / 2);
    struct compile compile = {
        .options = { .options = options.texts, .option_count = options.count },
        .nvrtc = &nvrtc,
        .source = { .text = text, .name = "source.cu", .architecture = "-arch=sm_90", .options = options.texts, .option_count = options.count,
                    .headers = headers.texts, .header_names = names.texts, .header_count = headers.count },
    };
    const char *own = compile_own_architecture(&compile.options);
    must(!own || memchr(own, 0, MOST_TEXT + 1));
    if (compile_is_keyed(&compile))
        must(!plainly_includes(text, &names));
    compile.options.tag = "";
    must(compile_is_keyed(&compile));
    check_key(&compile);
    check_log(text);
    free(text);
    free_texts(&headers);
    free_texts(&names);
    free_texts(&options);
}

void fuzz_begin(void)
{
}

void fuzz_end(void)
{
}
