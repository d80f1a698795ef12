#include "netpbm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(char *why, size_t why_bytes, int error)
{
    snprintf(why, why_bytes, "%s", strerror(error));
    return -1;
}

/* Writes and closes; 0, or the errno of the first failure. */
static int write_and_close(int descriptor, const struct image *image)
{
    FILE *file = fdopen(descriptor, "wb");
    int error = 0;
    if (!file) {
        error = errno;
        close(descriptor);
        return error;
    }
    if (fprintf(file, "P%d\n%u %u\n255\n", image->channels == 1 ? 5 : 6, image->width, image->height) < 0 ||
        fwrite(image->samples, 1, image->bytes, file) != image->bytes)
        error = errno;
    if (fclose(file) && !error)
        error = errno;
    return error;
}

static int write_in_place(const char *path, const struct image *image)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return descriptor < 0 ? errno : write_and_close(descriptor, image);
}

/* A file that did not exist, named after path; -1 with errno. */
static int open_temporary(const char *path, char *temporary, size_t bytes)
{
    int descriptor = -1;
    errno = EEXIST;
    for (int i = 0; i < 100 && descriptor < 0 && errno == EEXIST; i++) {
        snprintf(temporary, bytes, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return descriptor;
}

static int write_and_rename(const char *path, const struct image *image)
{
    size_t bytes = strlen(path) + 32;
    char *temporary = malloc(bytes);
    int descriptor, error;
    if (!temporary)
        return ENOMEM;
    descriptor = open_temporary(path, temporary, bytes);
    error = descriptor < 0 ? errno : write_and_close(descriptor, image);
    if (!error && rename(temporary, path))
        error = errno;
    if (error && descriptor >= 0)
        unlink(temporary);
    free(temporary);
    return error;
}

int image_write(const char *path, const struct image *image, char *why, size_t why_bytes)
{
    struct stat about;
    int error;
    char *target = realpath(path, NULL);    /* behind a symbolic link, the file that it names is replaced */
    if (target && !stat(target, &about) && !S_ISREG(about.st_mode))
        error = write_in_place(target, image);
    else
        error = write_and_rename(target ? target : path, image);
    free(target);
    return error ? refuse(why, why_bytes, error) : 0;
}
