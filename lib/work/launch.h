/* Launches that ask for more than a grid of independent blocks (launch_extended.c). The options have been read: 0 has become 1 where it means that, and
 * cluster[0] is 0 when there are no clusters. */
#ifndef BATON_WORK_LAUNCH_H
#define BATON_WORK_LAUNCH_H

#include "stream/stream.h"
#include "work/module.h"

static inline int launch_is_extended(const baton_launch_options *options)
{
    return options->flags || options->cluster[0];
}

/* Before anything is locked. */
int32_t launch_extended_check(baton_kernel *kernel, const baton_launch_options *options, baton_error *err);
/* The driver's code. */
int launch_extended(const baton_kernel *kernel, const baton_launch_options *options, void **parameters);
/* After the driver has refused with `code`, and `status` was reported: what the caller is told. */
int32_t launch_extended_failed(baton_kernel *kernel, const baton_launch_options *options, int code, int32_t status, baton_error *err);

#endif
