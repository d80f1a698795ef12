#include "driver/arithmetic.h"
#include "driver/arithmetic_ptx.h"
#include "driver/builtin_ptx.h"

const char *const cuda_builtin_image = builtin_ptx;
const char *const cuda_arithmetic_image = arithmetic_ptx;
