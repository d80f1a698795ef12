/* The shape of a row: ROW_ENTER first, then checks that go out early, ROW_LEAVE last. Between them the machine's lock
 * is held.
 *
 * The functions themselves are declared here, one per row of the table. */
#ifndef BATON_DRIVER_SOFT_ROW_H
#define BATON_DRIVER_SOFT_ROW_H

#include "driver/soft/machine.h"

#define ROW_ENTER()                     \
    do {                                \
        int row_code = soft_enter();    \
        if (row_code)                   \
            return soft_leave(row_code);\
    } while (0)

#define ROW_TRY(expression)             \
    do {                                \
        int row_code = (expression);    \
        if (row_code)                   \
            return soft_leave(row_code);\
    } while (0)

#define ROW_REQUIRE(condition, code)    \
    do {                                \
        if (!(condition))               \
            return soft_leave(code);    \
    } while (0)

#define ROW_LEAVE() return soft_leave(DRIVER_SUCCESS)

#define ROW_DECLARE(verb, symbol, version, parameters, arguments) int soft_##verb parameters;
DRIVER_ROWS(ROW_DECLARE)
#undef ROW_DECLARE

#endif
