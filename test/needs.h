/* What a test needs of the machine. The suite runs on the software device and on CUDA; a test that cannot run on the
 * driver in use is left out where the program lists its tests: it is printed with the reason and counted as skipped,
 * and never passes in silence. */
#ifndef BATON_TEST_NEEDS_H
#define BATON_TEST_NEEDS_H

#include <check.h>

enum { NEEDS_SKIPPED = 77 };        /* exit status of a program that ran no test */

/* The driver that the tests use: BATON_DRIVER, or two software devices. */
const char *needs_driver(void);
int on_soft(void);

/* For a program's list of tests: the test, or NULL on a driver where it cannot run. The reason completes the sentence
 * "needs the software device, which ...". */
const TTest *soft_only(const TTest *test, const char *reason);
/* Of which there may be only one. Takes what soft_only returns, too. */
const TTest *two_devices(const TTest *test);

/* Prints what was left out since the last call, and returns how much that was. */
int needs_report(const char *program);

/* Where all tests of the program run in its own process (CK_FORK=no), on CUDA: keeps the devices' contexts until it ends, for making one takes
 * as long as many tests. */
void needs_contexts(void);

/* At the start of a test in such a program, on any driver: ends the program, as a failure, when the test takes longer. Where each test has a
 * process of its own, Check does that. */
void needs_limit(unsigned seconds);

/* For programs that are about the software device alone: on another driver, prints why nothing runs and returns 1; main
 * then returns NEEDS_SKIPPED. */
int soft_program(const char *program, const char *reason);

#endif
