/* Every function of baton_julia.h, with the types that a program sees. */
#include "baton_julia.h"

struct used {
    baton_array *(*to_array)(jl_module_t *, jl_value_t *);
    baton_array *(*take_array)(jl_module_t *, jl_value_t *);
    jl_value_t *(*from_array)(jl_module_t *, baton_array *);
    baton_stream *(*to_stream)(jl_module_t *, jl_value_t *);
    jl_value_t *(*stream)(jl_module_t *);
};

const struct used used = { baton_julia_to_array, baton_julia_take_array, baton_julia_from_array, baton_julia_to_stream, baton_julia_stream };
