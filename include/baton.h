/* Baton for C and C++: see baton_ffi.h, which holds every declaration. */
#ifndef BATON_H
#define BATON_H

#include <stddef.h>
#include <stdint.h>

#define BATON_VERSION_MAJOR 0
#define BATON_VERSION_MINOR 1
#define BATON_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#include "baton_ffi.h"

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

/* An empty error record and the usual arguments of baton_launch. */
#define BATON_ERROR_INIT { .struct_size = sizeof(baton_error) }
#define baton_in(a)    { .array = (a), .access = BATON_READ }
#define baton_out(a)   { .array = (a), .access = BATON_WRITE }
#define baton_inout(a) { .array = (a), .access = BATON_READ_WRITE }
#define baton_value(v) { .data = &(v), .bytes = sizeof(v) }

#endif
