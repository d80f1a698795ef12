/* What baton_julia.h uses of Julia's own header, declared by hand, so that it can be compiled where there is no Julia. */
#ifndef JULIA_H
#define JULIA_H
#include <stdint.h>

typedef struct _jl_value_t jl_value_t;
typedef jl_value_t jl_function_t;
typedef struct _jl_module_t jl_module_t;
typedef struct _jl_sym_t jl_sym_t;

jl_sym_t *jl_symbol(const char *text);
jl_value_t *jl_get_global(jl_module_t *module, jl_sym_t *name);
jl_value_t *jl_call0(jl_function_t *function);
jl_value_t *jl_call1(jl_function_t *function, jl_value_t *value);
jl_value_t *jl_box_uint64(uint64_t number);
uint64_t jl_unbox_uint64(jl_value_t *value);
void gc_push(int count, ...);
void gc_pop(void);

/* Julia's are macros that open no block; these have the same shape and take the same addresses. */
#define JL_GC_PUSH1(a) gc_push(1, (void *)(a))
#define JL_GC_PUSH3(a, b, c) gc_push(3, (void *)(a), (void *)(b), (void *)(c))
#define JL_GC_POP() gc_pop()
#endif
