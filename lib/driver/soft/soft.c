#include "driver/soft/soft.h"

#include "driver/arithmetic.h"
#include "driver/soft/row.h"

const struct driver *soft_driver(void)
{
    static const struct driver driver = {
        .name = "soft",
        .builtin_image = &soft_builtin_image,
        .arithmetic_image = &soft_arithmetic_image,
        .host_kernels = 1,
#define SOFT_ROW_MEMBER(verb, symbol, version, parameters, arguments) .verb = soft_##verb,
        DRIVER_ROWS(SOFT_ROW_MEMBER)
#undef SOFT_ROW_MEMBER
    };
    return &driver;
}
