#include "work/compile.h"

#include <stdlib.h>
#include <string.h>

/* Where an option's value begins: behind "=" or a blank, "" when it stands in the next string, NULL when it is another option. */
static const char *value_of(const char *option, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(option, name, length) || (option[length] && option[length] != '=' && option[length] != ' '))
        return NULL;
    return option[length] ? option + length + 1 : option + length;
}

const char *compile_own_architecture(const baton_compile_options *options)
{
    for (uint32_t i = 0; i < options->option_count; i++) {
        const char *value = value_of(options->options[i], "-arch");
        if (!value)
            value = value_of(options->options[i], "--gpu-architecture");
        if (value)
            return *value || i + 1 == options->option_count ? value : options->options[i + 1];
    }
    return NULL;
}

static void add_texts(struct bytes *key, const char *const *texts, uint32_t count)
{
    bytes_add_u64(key, count);
    for (uint32_t i = 0; i < count; i++)
        bytes_add_text(key, texts[i]);
}

void compile_key(const struct compile *compile, struct bytes *key)
{
    const struct nvrtc_source *source = &compile->source;
    bytes_add_text(key, "baton module");
    bytes_add_u64(key, baton_version());
    bytes_add_u64(key, (uint64_t)compile->driver_version);
    bytes_add_u64(key, (uint64_t)compile->nvrtc->major);
    bytes_add_u64(key, (uint64_t)compile->nvrtc->minor);
    bytes_add_text(key, source->architecture);
    bytes_add_text(key, source->name);
    bytes_add_text(key, source->text);
    add_texts(key, source->options, source->option_count);
    add_texts(key, source->expressions, source->expression_count);
    add_texts(key, source->header_names, source->header_count);
    add_texts(key, source->headers, source->header_count);
    bytes_add_text(key, compile->options.tag);
}

/* ---- what is read from files */

/* Blanks, comments and line splices, which may stand between a directive's parts. */
static const char *skip_blanks(const char *at)
{
    for (;;) {
        const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
        if (end)
            at = end + 2;
        else if (*at == ' ' || *at == '\t' || *at == '\v' || *at == '\f')
            at++;
        else if (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r'))
            at += 2;
        else
            return at;
    }
}

static int is_given(const struct nvrtc_source *source, const char *name, size_t length)
{
    for (uint32_t i = 0; i < source->header_count; i++)
        if (strlen(source->header_names[i]) == length && !memcmp(source->header_names[i], name, length))
            return 1;
    return 0;
}

/* Whether what stands behind a "#" reads a file that is not among the given headers. A spliced word is taken for one that does. */
static int directive_reads(const struct nvrtc_source *source, const char *at)
{
    at = skip_blanks(at);
    size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    if (at[word] == '\\')
        return 1;
    if ((word != 7 || strncmp(at, "include", 7)) && (word != 12 || strncmp(at, "include_next", 12)) && (word != 6 || strncmp(at, "import", 6)) &&
        (word != 5 || strncmp(at, "embed", 5)))
        return 0;
    at = skip_blanks(at + word);
    size_t name = *at == '"' ? strcspn(at + 1, "\"\n") : *at == '<' ? strcspn(at + 1, ">\n") : 0;
    return !name || !is_given(source, at + 1, name);
}

/* "#" has other spellings, as digraph and as trigraph. */
static int text_reads(const struct nvrtc_source *source, const char *text)
{
    if (strstr(text, "__has_include") || strstr(text, "__has_embed"))
        return 1;
    for (const char *at = strpbrk(text, "#%?"); at; at = strpbrk(at + 1, "#%?")) {
        size_t length = *at == '#' ? 1 : !strncmp(at, "%:", 2) ? 2 : !strncmp(at, "?\?=", 3) ? 3 : 0;
        if (length && directive_reads(source, at + length))
            return 1;
    }
    return 0;
}

static int option_reads(const char *option)
{
    static const char *const reading[] = { "-include", "--pre-include", "-optf", "--options-file", "-pch", "--pch", "--use-pch", "--create-pch", "@" };
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        if (!strncmp(option, reading[i], strlen(reading[i])))
            return 1;
    return 0;
}

int compile_is_keyed(const struct compile *compile)
{
    const struct nvrtc_source *source = &compile->source;
    int reads = text_reads(source, source->text);
    for (uint32_t i = 0; i < source->header_count && !reads; i++)
        reads = text_reads(source, source->headers[i]);
    for (uint32_t i = 0; i < source->option_count && !reads; i++)
        reads = option_reads(source->options[i]);
    return !reads || compile->options.tag;
}
