/* The baton command: what its files share. It is a client of the library and sees only its public header. */
#ifndef BATON_TOOLS_TOOLS_H
#define BATON_TOOLS_TOOLS_H

#include "baton.h"

/* Exit codes. */
enum { TOOL_OK = 0, TOOL_MISMATCH = 1, TOOL_FAILURE = 2 };

/* One line on stderr, "baton: …"; returns TOOL_FAILURE. */
int tool_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes stdout: TOOL_FAILURE with a message when something that was printed is lost (a full disk), else `code`. */
int tool_finish(int code);

/* A whole number in [least, most]; 0 when text is none, and then *number is untouched. */
int tool_number(const char *text, uint32_t least, uint32_t most, uint32_t *number);

/* The monotonic clock. */
uint64_t tool_now_ns(void);

/* The subcommands. argv[0] is the subcommand's name. */
int info_main(int argc, char **argv);
int demo_main(int argc, char **argv);

#endif
