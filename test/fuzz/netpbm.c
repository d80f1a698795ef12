/* Any bytes as a picture file of the demonstration. */
#include "../../tools/netpbm.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static char path[64], written[300];
static int file;

static void check_picture(const struct image *image, const char *why)
{
    struct image again;
    char told[200] = "";
    must(image->width && image->height && (image->channels == 1 || image->channels == 3));
    must(image->bytes == (unsigned __int128)image->width * image->height * image->channels && !*why);
    if (image->bytes > 65536)
        return;
    must(!image_write(written, image, told, sizeof told) && !image_read(written, &again, told, sizeof told));
    must(again.width == image->width && again.channels == image->channels && !memcmp(again.samples, image->samples, image->bytes));
    image_free(&again);
}

static void read_from(const char *name)
{
    struct image image = { .width = 0 };
    char why[200] = "";
    if (image_read(name, &image, why, sizeof why)) {
        must(*why && memchr(why, 0, sizeof why) && !image.samples);
        return;
    }
    check_picture(&image, why);
    image_free(&image);
}

/* A pipe cannot tell its length: the header alone decides how much memory is asked for. */
static void read_from_pipe(const uint8_t *bytes, size_t count)
{
    char name[64];
    int pipes[2];
    if (count > 4096 || pipe2(pipes, O_CLOEXEC))
        return;
    must(write(pipes[1], bytes, count) == (ssize_t)count);
    close(pipes[1]);
    snprintf(name, sizeof name, "/proc/self/fd/%d", pipes[0]);
    read_from(name);
    close(pipes[0]);
}

void fuzz_one(struct input *input)
{
    must(!ftruncate(file, 0) && pwrite(file, input->bytes, input->count, 0) == (ssize_t)input->count);
    read_from(path);
    read_from_pipe(input->bytes, input->count);
}

void fuzz_begin(void)
{
    file = memfd_create("picture", MFD_CLOEXEC);
    must(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    snprintf(written, sizeof written, "%s/picture", fuzz_folder());
}

void fuzz_end(void)
{
    close(file);
}
