#include "netpbm.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 };

struct reader {
    FILE *file;
    uint32_t maxval;
    char *why;
    size_t why_bytes;
};

static int __attribute__((format(printf, 2, 3))) refuse(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->why, reader->why_bytes, format, arguments);
    va_end(arguments);
    return -1;
}

static int refuse_end(struct reader *reader, const char *where)
{
    if (ferror(reader->file))
        return refuse(reader, "%s", strerror(errno));
    return refuse(reader, "the file ends inside the %s", where);
}

/* The next character; a comment, from # to the end of the line, counts as the line's end. */
static int next_character(struct reader *reader)
{
    int character = getc(reader->file);
    if (character == '#')
        do
            character = getc(reader->file);
        while (character != EOF && character != '\n' && character != '\r');
    return character;
}

static int is_blank(int character)
{
    return character == ' ' || (character >= '\t' && character <= '\r');
}

/* A number and the one blank behind it. */
static int read_number(struct reader *reader, const char *what, uint32_t *number)
{
    uint64_t value = 0;
    int character, digits = 0;
    do
        character = next_character(reader);
    while (is_blank(character));
    for (; character >= '0' && character <= '9'; digits++) {
        value = 10 * value + (uint64_t)(character - '0');
        if (value > UINT32_MAX)
            return refuse(reader, "the %s is too large", what);
        character = next_character(reader);
    }
    if (character == EOF)
        return refuse_end(reader, "header");
    if (digits == 0 || !is_blank(character))
        return refuse(reader, "the %s in the header is no number", what);
    *number = (uint32_t)value;
    return 0;
}

static int read_magic(struct reader *reader, struct image *image)
{
    int first = getc(reader->file), second = getc(reader->file);
    if (first == EOF && !ferror(reader->file))
        return refuse(reader, "the file is empty");
    if (second == EOF && ferror(reader->file))
        return refuse_end(reader, "header");
    if (first == 'P' && (second == '5' || second == '6')) {
        image->channels = second == '5' ? 1 : 3;
        return 0;
    }
    if (first == 'P' && second >= '1' && second <= '7')
        return refuse(reader, "it is a netpbm file of type P%c; only P5 (PGM) and P6 (PPM) are read", second);
    return refuse(reader, "it is no PGM or PPM file");
}

static int read_header(struct reader *reader, struct image *image)
{
    if (read_magic(reader, image) || read_number(reader, "width", &image->width) ||
        read_number(reader, "height", &image->height) || read_number(reader, "maxval", &reader->maxval))
        return -1;
    if (image->width == 0 || image->height == 0)
        return refuse(reader, "the picture is empty (%u x %u)", image->width, image->height);
    if (reader->maxval == 0 || reader->maxval > 65535)
        return refuse(reader, "maxval %u is not between 1 and 65535", reader->maxval);
    if (reader->maxval > 255)
        return refuse(reader, "its samples have 16 bits (maxval %u); only 8 bits are read", reader->maxval);
    if (__builtin_mul_overflow((size_t)image->width, image->height, &image->bytes) ||
        __builtin_mul_overflow(image->bytes, image->channels, &image->bytes) || image->bytes > PTRDIFF_MAX)
        return refuse(reader, "%u x %u is too large", image->width, image->height);
    return 0;
}

static int scale_samples(struct reader *reader, struct image *image)
{
    uint32_t maxval = reader->maxval;
    for (size_t i = 0; maxval < 255 && i < image->bytes; i++) {
        if (image->samples[i] > maxval)
            return refuse(reader, "a sample is larger than maxval %u", maxval);
        image->samples[i] = (uint8_t)((image->samples[i] * 255u + maxval / 2) / maxval);
    }
    return 0;
}

/* Memory grows with what is there: a header may promise more than the file, or the pipe, has. */
static int read_samples(struct reader *reader, struct image *image)
{
    size_t have = 0, room = 0;
    while (have < image->bytes) {
        room = room ? 2 * room : FIRST_ROOM;
        room = room < image->bytes ? room : image->bytes;
        uint8_t *samples = realloc(image->samples, room);
        if (!samples)
            return refuse(reader, "no memory for %u x %u", image->width, image->height);
        image->samples = samples;
        have += fread(samples + have, 1, room - have, reader->file);
        if (have < room)
            return refuse_end(reader, "picture");
    }
    return scale_samples(reader, image);
}

int image_read(const char *path, struct image *image, char *why, size_t why_bytes)
{
    struct reader reader = { .file = fopen(path, "rbe"), .why = why, .why_bytes = why_bytes };
    struct image made = { .width = 0 };
    if (!reader.file)
        return refuse(&reader, "%s", strerror(errno));
    int result = read_header(&reader, &made);
    if (!result)
        result = read_samples(&reader, &made);
    fclose(reader.file);
    if (result)
        image_free(&made);
    else
        *image = made;
    return result;
}

void image_free(struct image *image)
{
    free(image->samples);
    image->samples = NULL;
}
