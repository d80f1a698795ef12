/* Baton for programs that embed libjulia, and for C code that Julia calls: arrays and streams to and from Julia values.
 * Include the julia.h of your Julia first, or let this file do it. Needs a 64-bit Julia 1.12; `module` is a
 * module that has said `using Baton`, as a rule jl_main_module.
 *
 * All of it runs on a thread that Julia knows (jl_adopt_thread), in the GC-unsafe state, as every use of jl_ functions.
 * What fails returns NULL, and jl_exception_occurred() tells the reason; nothing jumps out. Values that are returned are
 * not rooted: use JL_GC_PUSH1 before the next call of Julia's. */
#ifndef BATON_JULIA_H
#define BATON_JULIA_H

#ifdef __cplusplus
extern "C" {
#endif
#include <julia.h>
#ifdef __cplusplus
}
#endif

#include <baton.h>

/* The function of that name in the module Baton, which `using Baton` has made known to `module`. The module keeps it. */
static inline jl_function_t *baton_julia_function(jl_module_t *module, const char *name)
{
    jl_value_t *baton = jl_get_global(module, jl_symbol("Baton"));
    return baton ? (jl_function_t *)jl_get_global((jl_module_t *)baton, jl_symbol(name)) : NULL;
}

/* Calls Baton's function `name` with one value, rooted meanwhile. NULL when it threw or `using Baton` is missing. */
static inline jl_value_t *baton_julia_call(jl_module_t *module, const char *name, jl_value_t *value)
{
    jl_function_t *function = NULL;
    jl_value_t *result = NULL;
    JL_GC_PUSH3(&value, &function, &result);
    function = baton_julia_function(module, name);
    if (function)
        result = jl_call1(function, value);
    JL_GC_POP();
    return result;
}

/* The address that Baton's function `name` finds in the value; NULL: there is none. */
static inline void *baton_julia_handle(jl_module_t *module, const char *name, jl_value_t *value)
{
    jl_value_t *address = baton_julia_call(module, name, value);
    return address ? (void *)(uintptr_t)jl_unbox_uint64(address) : NULL;
}

/* FAST. The array of a BatonArray, or NULL when the value is something else or was freed. Julia keeps its reference: the
 * pointer is good while the value is rooted and nobody calls unsafe_free! on it. */
static inline baton_array *baton_julia_to_array(jl_module_t *module, jl_value_t *value)
{
    return (baton_array *)baton_julia_handle(module, "array_handle", value);
}

/* FAST. The same, with a reference for you: release it, on any thread. */
static inline baton_array *baton_julia_take_array(jl_module_t *module, jl_value_t *value)
{
    baton_array *array = NULL;
    JL_GC_PUSH1(&value);
    array = baton_julia_to_array(module, value);
    if (array && baton_array_retain(array) != BATON_OK)
        array = NULL;
    JL_GC_POP();
    return array;
}

/* FAST. A BatonArray over the array, with a reference of its own; yours stays yours. Root it. */
static inline jl_value_t *baton_julia_from_array(jl_module_t *module, baton_array *array)
{
    jl_value_t *address = array ? jl_box_uint64((uint64_t)(uintptr_t)array) : NULL;
    return address ? baton_julia_call(module, "adopt_retained", address) : NULL;
}

/* FAST. The stream of a Baton.Stream, or NULL; as baton_julia_to_array. */
static inline baton_stream *baton_julia_to_stream(jl_module_t *module, jl_value_t *value)
{
    return (baton_stream *)baton_julia_handle(module, "stream_handle", value);
}

/* The Baton.Stream of the running task (DRIVER: the first call makes it). Root it while its baton_stream is used. */
static inline jl_value_t *baton_julia_stream(jl_module_t *module)
{
    jl_function_t *function = baton_julia_function(module, "stream");
    return function ? jl_call0(function) : NULL;
}

#endif
