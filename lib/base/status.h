/* Statuses and the error record. The first function that knows the cause writes the message. Functions of failure are cold: the compiler keeps the way to them
 * apart from the usual one. */
#ifndef BATON_BASE_STATUS_H
#define BATON_BASE_STATUS_H

#include "baton.h"

/* Fills *err (NULL allowed; never past err->struct_size) with the status and one sentence, and returns the status. */
int32_t fail(baton_error *err, int32_t status, const char *format, ...) __attribute__((format(printf, 3, 4), cold));

/* Adds to the end of the record's message what fits. */
void message_add(baton_error *record, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the whole of *source to the caller's record, as far as its struct_size reaches, and returns source->status. */
__attribute__((cold)) int32_t fail_with(baton_error *err, const baton_error *source);

/* An empty record of full size, for code that adds fields before it reports. */
baton_error error_none(void);

#endif
