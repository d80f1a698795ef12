/* Pictures: binary PGM (P5) and PPM (P6) files with 8-bit samples. */
#ifndef BATON_TOOLS_NETPBM_H
#define BATON_TOOLS_NETPBM_H

#include <stddef.h>
#include <stdint.h>

struct image {
    uint32_t width, height;
    uint32_t channels;      /* 1: gray, 3: red, green, blue */
    size_t bytes;           /* width * height * channels */
    uint8_t *samples;       /* rows from the top, channels interleaved, 0 to 255 */
};

/* Reads the first picture of the file; samples of a maxval below 255 are scaled to 0 … 255. Returns 0 and an image
 * to free, or -1 with one clause ("the file ends inside the picture") in why. */
int image_read(const char *path, struct image *image, char *why, size_t why_bytes);
void image_free(struct image *image);

/* Writes a temporary file in the same folder and renames it, so that path never names half a picture; what is no
 * regular file (a pipe, a terminal) is written as it is. Returns 0, or -1 with why. */
int image_write(const char *path, const struct image *image, char *why, size_t why_bytes);

#endif
