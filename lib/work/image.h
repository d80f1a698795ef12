/* What a module image is, seen from its first bytes, and whether all of it is there.
 *
 * The driver is told where an image begins and reads as far as the image itself says: an image that is cut short, or lies about its sizes, must not
 * come so far. */
#ifndef BATON_WORK_IMAGE_H
#define BATON_WORK_IMAGE_H

#include "base/status.h"

enum image_kind { IMAGE_PTX = 1, IMAGE_CUBIN, IMAGE_FATBIN };

/* BATON_ERR_ARGUMENT, with the reason: no image, or not the whole of one. */
int32_t image_check(const void *image, uint64_t bytes, enum image_kind *kind, baton_error *err);

#endif
