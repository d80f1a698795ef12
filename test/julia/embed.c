/* baton_julia.h at work, with a Julia of a few functions whose collector runs at each of its calls: what is not rooted then is dead, and a use of it
 * ends the test. */
#include "baton_julia.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define expect(condition) ((condition) ? (void)0 : (printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

enum kind { NUMBER, ARRAY, STREAM, FUNCTION };
struct _jl_value_t {
    enum kind kind;
    uint64_t number;            /* of a function: its place in `functions` */
    int permanent, dead;
};
struct _jl_module_t {
    int unused;
};

enum { VALUES = 1000, ROOTS = 16 };
static struct _jl_value_t values[VALUES];
static jl_value_t **roots[ROOTS];
static int value_count, root_count, pushed[ROOTS], pushes, collections, throws, using_baton = 1;
static jl_module_t main_module, the_module;
static const char *const functions[] = { "array_handle", "stream_handle", "adopt_retained", "stream" };
static jl_value_t function_values[4];
static baton_stream *task_stream;

void gc_push(int count, ...)
{
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        roots[root_count++] = va_arg(list, void *);
    va_end(list);
    pushed[pushes++] = count;
}

void gc_pop(void)
{
    root_count -= pushed[--pushes];
}

static int is_rooted(const jl_value_t *value)
{
    for (int i = 0; i < root_count; i++)
        if (*roots[i] == value)
            return 1;
    return 0;
}

/* A dead BatonArray is finalized: it gives its reference back. */
static void collect(void)
{
    collections++;
    for (int i = 0; i < value_count; i++) {
        if (values[i].dead || values[i].permanent || is_rooted(&values[i]))
            continue;
        values[i].dead = 1;
        if (values[i].kind == ARRAY)
            baton_array_release((baton_array *)(uintptr_t)values[i].number);
    }
}

static jl_value_t *made(enum kind kind, uint64_t number)
{
    expect(value_count < VALUES);
    values[value_count] = (jl_value_t) { .kind = kind, .number = number };
    return &values[value_count++];
}

static const jl_value_t *alive(const jl_value_t *value)
{
    expect(!value->dead);
    return value;
}

jl_sym_t *jl_symbol(const char *text)
{
    collect();
    return (jl_sym_t *)(uintptr_t)text;
}

jl_value_t *jl_get_global(jl_module_t *module, jl_sym_t *name)
{
    collect();
    if (module == &main_module)
        return strcmp((const char *)name, "Baton") == 0 && using_baton ? (jl_value_t *)(void *)&the_module : NULL;
    expect(module == &the_module);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp((const char *)name, functions[i]) == 0)
            return &function_values[i];
    return NULL;
}

static jl_value_t *call(const jl_value_t *function, const jl_value_t *value)
{
    uint64_t number = value ? alive(value)->number : 0;
    switch (alive(function)->number) {
    case 0: return made(NUMBER, value->kind == ARRAY ? number : 0);
    case 1: return made(NUMBER, value->kind == STREAM ? number : 0);
    case 2:
        expect(baton_array_retain((baton_array *)(uintptr_t)number) == BATON_OK);
        return made(ARRAY, number);
    default: return made(STREAM, (uint64_t)(uintptr_t)task_stream);
    }
}

/* Julia roots what it is called with, for as long. */
jl_value_t *jl_call1(jl_function_t *function, jl_value_t *value)
{
    JL_GC_PUSH1(&value);
    collect();
    JL_GC_POP();
    return throws ? NULL : call(function, value);
}

jl_value_t *jl_call0(jl_function_t *function)
{
    collect();
    return throws ? NULL : call(function, NULL);
}

jl_value_t *jl_box_uint64(uint64_t number)
{
    collect();
    return made(NUMBER, number);
}

uint64_t jl_unbox_uint64(jl_value_t *value)
{
    uint64_t number = alive(value)->number;
    collect();
    return number;
}

static uint64_t live_arrays(baton_runtime *runtime)
{
    baton_stats stats = { .struct_size = sizeof stats };
    expect(baton_stats_read(runtime, &stats, NULL) == BATON_OK);
    return stats.live_arrays;
}

static void there_and_back(baton_runtime *runtime, baton_array *array)
{
    jl_value_t *value = baton_julia_from_array(&main_module, array);
    expect(baton_julia_take_array(&main_module, value) == array);       /* not rooted here, as a last use may be */
    expect(alive(value)->kind == ARRAY);                                /* and not before the reference was taken */
    baton_array_release(array);
    value = baton_julia_from_array(&main_module, array);
    JL_GC_PUSH1(&value);
    collect();
    expect(alive(value)->kind == ARRAY);
    expect(baton_julia_to_array(&main_module, value) == array);
    expect(baton_julia_take_array(&main_module, value) == array);       /* a second reference */
    expect(!baton_julia_to_stream(&main_module, value));
    JL_GC_POP();
    collect();
    expect(live_arrays(runtime) == 1);                                  /* the value is gone, the reference is not */
    baton_array_release(array);
    expect(live_arrays(runtime) == 1);
}

static void nothing_of_nothing(baton_array *array)
{
    jl_value_t *number = jl_box_uint64(7);
    JL_GC_PUSH1(&number);
    expect(!baton_julia_to_array(&main_module, number));
    expect(!baton_julia_take_array(&main_module, number));
    expect(!baton_julia_from_array(&main_module, NULL));
    throws = 1;
    expect(!baton_julia_from_array(&main_module, array));
    expect(!baton_julia_take_array(&main_module, number));
    expect(!baton_julia_stream(&main_module));
    throws = using_baton = 0;
    expect(!baton_julia_from_array(&main_module, array));
    expect(!baton_julia_stream(&main_module));
    using_baton = 1;
    JL_GC_POP();
}

static void streams(void)
{
    jl_value_t *value = baton_julia_stream(&main_module);
    JL_GC_PUSH1(&value);
    expect(baton_julia_to_stream(&main_module, value) == task_stream);
    expect(!baton_julia_to_array(&main_module, value));
    JL_GC_POP();
}

int main(void)
{
    baton_runtime_options soft = { .struct_size = sizeof soft, .driver = "soft" };
    baton_array_options four = { .struct_size = sizeof four, .dtype = BATON_F32, .ndim = 1, .shape = (int64_t[]) { 4 } };
    baton_runtime *runtime;
    baton_array *array;
    for (uint64_t i = 0; i < 4; i++)
        function_values[i] = (jl_value_t) { .kind = FUNCTION, .number = i, .permanent = 1 };
    expect(baton_runtime_open(&soft, &runtime, NULL) == BATON_OK);
    expect(baton_array_create(runtime, &four, &array, NULL) == BATON_OK);
    expect(baton_stream_create(runtime, 0, 0, 0, &task_stream, NULL) == BATON_OK);
    there_and_back(runtime, array);
    nothing_of_nothing(array);
    streams();
    collect();
    expect(root_count == 0 && pushes == 0 && collections > 30);
    baton_array_release(array);
    expect(live_arrays(runtime) == 0);
    baton_stream_release(task_stream);
    expect(baton_runtime_close(runtime, NULL) == BATON_OK);
    return 0;
}
