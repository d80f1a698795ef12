#include "driver/builtin.h"
#include "driver/builtin_ptx.h"

const char *const cuda_builtin_image = builtin_ptx;
