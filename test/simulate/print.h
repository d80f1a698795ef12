/* A simulated program as C that anyone can compile. */
#ifndef BATON_TEST_SIMULATE_PRINT_H
#define BATON_TEST_SIMULATE_PRINT_H

#include <stdio.h>

#include "program.h"

/* What the world's log holds. */
void print_program(const struct program *program, FILE *file);

#endif
