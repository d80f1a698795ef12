/* Linked with the programs of examples/nccl for the tests: lets fake_nccl reach the software device that they work on, and fails them when that saw uses
 * which nothing orders. */
#include <stdio.h>
#include <unistd.h>

#include "driver/soft/soft.h"

__attribute__((visibility("default"))) const struct driver *fake_nccl_driver(void);

const struct driver *fake_nccl_driver(void)
{
    return soft_driver();
}

__attribute__((destructor)) static void no_problem(void)
{
    char text[256] = "";
    if (!soft_problems())
        return;
    soft_problem_text(text, sizeof text);
    printf("WRONG  the device saw: %s\n", text);
    fflush(stdout);
    _exit(1);
}
