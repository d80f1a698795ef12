#include "core.h"

static baton_argument argument_read(lua_State *L, int index, int32_t dtype, void *value)
{
    baton_array *array = object_handle(L, index, &array_class);
    if (array)
        return (baton_argument){ .array = array };
    element_read(L, index, dtype, value);
    return (baton_argument){ .data = value, .bytes = baton_dtype_size(dtype) };
}

/* elementwise(function, to, left, right [, stream]): to. left and right: arrays of to's type, or numbers. */
static int elementwise(lua_State *L)
{
    static const char *const names[] = { "add", "subtract", "multiply", "divide", NULL };
    int32_t function = luaL_checkoption(L, 1, NULL, names) + BATON_ADD;
    baton_array *to = handle_check(L, 2, array);
    int32_t dtype = array_info(L, to).dtype;
    _Alignas(16) unsigned char values[2][16];
    baton_argument left = argument_read(L, 3, dtype, values[0]), right = argument_read(L, 4, dtype, values[1]);
    baton_error err = error_begin();
    return settle(L, baton_elementwise(function, to, &left, &right, stream_argument(L, 5), &err), &err, 2);
}

/* cast(to, from [, stream]): to */
static int cast(lua_State *L)
{
    baton_array *to = handle_check(L, 1, array), *from = handle_check(L, 2, array);
    baton_error err = error_begin();
    return settle(L, baton_cast(to, from, stream_argument(L, 3), &err), &err, 1);
}

/* range(to, start, step [, stream]): to */
static int range(lua_State *L)
{
    baton_array *to = handle_check(L, 1, array);
    int32_t dtype = array_info(L, to).dtype;
    _Alignas(16) unsigned char start[16], step[16];
    baton_error err = error_begin();
    element_read(L, 2, dtype, start);
    element_read(L, 3, dtype, step);
    return settle(L, baton_range(to, start, step, baton_dtype_size(dtype), stream_argument(L, 4), &err), &err, 1);
}

static const luaL_Reg functions[] = { { "elementwise", elementwise }, { "cast", cast }, { "range", range }, { NULL, NULL } };

void part_arithmetic(lua_State *L)
{
    compat_functions(L, functions);
}
