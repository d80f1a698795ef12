#include "core.h"

#include <math.h>

/* Set by the Lua half on LuaJIT: how 64-bit integers become cdata, and cdata numbers. */
static const char wide_key, narrow_key;

int32_t dtype_check(lua_State *L, int index)
{
    const char *name = luaL_checkstring(L, index);
    for (int32_t dtype = BATON_BOOL; dtype <= BATON_C128; dtype++)
        if (strcmp(name, baton_dtype_name(dtype)) == 0)
            return dtype;
    return (int32_t)misuse_argument(L, index, lua_pushfstring(L, "'%s' is no element type", name));
}

int32_t dtype_optional(lua_State *L, int index, int32_t otherwise)
{
    return lua_isnoneornil(L, index) ? otherwise : dtype_check(L, index);
}

int dtype_complex(int32_t dtype)
{
    return dtype == BATON_C64 || dtype == BATON_C128;
}

/* ---- floating-point numbers of 16 bits, with `mantissa` bits of them */

static double small_decode(uint16_t bits, int mantissa)
{
    int bias = (1 << (14 - mantissa)) - 1, exponent = (bits & 0x7FFF) >> mantissa;
    int fraction = bits & ((1 << mantissa) - 1);
    double value;
    if (exponent == 2 * bias + 1)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - bias - mantissa);
    else
        value = ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
    return bits & 0x8000 ? -value : value;
}

/* Rounds to the nearest, ties to even; a carry runs on into the exponent, and out of it to infinity. */
static uint16_t small_encode(double value, int mantissa)
{
    int bias = (1 << (14 - mantissa)) - 1, infinite = (2 * bias + 1) << mantissa, bits;
    int sign = signbit(value) ? 0x8000 : 0;
    value = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | infinite | 1 << (mantissa - 1));
    if (isinf(value))
        return (uint16_t)(sign | infinite);
    int exponent = value > 0 && ilogb(value) > 1 - bias ? ilogb(value) : 1 - bias;
    if (exponent > bias)
        return (uint16_t)(sign | infinite);
    bits = (int)nearbyint(ldexp(value, mantissa - exponent)) + ((exponent + bias - 1) << mantissa);
    return (uint16_t)(sign | (bits < infinite ? bits : infinite));
}

/* ---- to Lua */

/* An integer that doubles cannot hold: a cdata on LuaJIT, else an error. */
static void wide_push(lua_State *L, const void *at, int is_signed)
{
    compat_registry_get(L, &wide_key);
    if (lua_isnil(L, -1))
        misuse(L, "a 64-bit integer does not fit this Lua's numbers: cast the array, or download its bytes");
    lua_pushlightuserdata(L, (void *)(uintptr_t)at);
    lua_pushboolean(L, is_signed);
    lua_call(L, 2, 1);
}

static void integer_push(lua_State *L, int64_t value)
{
    if (!compat_integer_push(L, value))
        wide_push(L, &value, 1);
}

static void unsigned_push(lua_State *L, uint64_t value)
{
#if LUA_VERSION_NUM >= 503
    lua_pushinteger(L, (lua_Integer)value);     /* as string.unpack("J") does */
#else
    if (value > INT64_MAX || !compat_integer_push(L, (int64_t)value))
        wide_push(L, &value, 0);
#endif
}

static void complex_push(lua_State *L, double real, double imaginary)
{
    lua_createtable(L, 2, 0);
    lua_pushnumber(L, real);
    lua_rawseti(L, -2, 1);
    lua_pushnumber(L, imaginary);
    lua_rawseti(L, -2, 2);
}

#define AT(type) (*(const type *)at)
void element_push(lua_State *L, int32_t dtype, const void *at)
{
    switch (dtype) {
    case BATON_BOOL: lua_pushboolean(L, AT(uint8_t)); break;
    case BATON_I8: lua_pushinteger(L, AT(int8_t)); break;
    case BATON_I16: lua_pushinteger(L, AT(int16_t)); break;
    case BATON_I32: lua_pushinteger(L, AT(int32_t)); break;
    case BATON_I64: integer_push(L, AT(int64_t)); break;
    case BATON_U8: lua_pushinteger(L, AT(uint8_t)); break;
    case BATON_U16: lua_pushinteger(L, AT(uint16_t)); break;
    case BATON_U32: integer_push(L, AT(uint32_t)); break;
    case BATON_U64: unsigned_push(L, AT(uint64_t)); break;
    case BATON_F16: lua_pushnumber(L, small_decode(AT(uint16_t), 10)); break;
    case BATON_BF16: lua_pushnumber(L, small_decode(AT(uint16_t), 7)); break;
    case BATON_F32: lua_pushnumber(L, (lua_Number)AT(float)); break;
    case BATON_F64: lua_pushnumber(L, AT(double)); break;
    case BATON_C64: complex_push(L, (double)AT(float), (double)((const float *)at)[1]); break;
    case BATON_C128: complex_push(L, AT(double), ((const double *)at)[1]); break;
    default: lua_pushnil(L);
    }
}

/* ---- from Lua */

static int misfit(lua_State *L, int index, int32_t dtype)
{
    const char *text = lua_type(L, index) == LUA_TNUMBER ? lua_tostring(L, index) : luaL_typename(L, index);
    return misuse(L, "%s is no value for an element of type %s", text, baton_dtype_name(dtype));
}

/* The bits of a whole number. On LuaJIT a cdata is one too; then *wide tells that all 64 bits count. */
static int whole_read(lua_State *L, int index, int is_signed, int64_t *value, int *wide)
{
    *wide = 0;
    if (compat_integer(L, index, value))
        return 1;
    double number = lua_type(L, index) == LUA_TNUMBER ? (double)lua_tonumber(L, index) : 0;
    if (!is_signed && number >= 9223372036854775808.0 && number < 18446744073709551616.0) {
        *wide = 1;
        *value = (int64_t)(uint64_t)number;
        return 1;
    }
    if (lua_type(L, index) != TYPE_CDATA)
        return 0;
    index = compat_absolute(L, index);
    compat_registry_get(L, &narrow_key);
    lua_pushvalue(L, index);
    lua_pushlightuserdata(L, value);
    lua_pushboolean(L, is_signed);
    lua_call(L, 3, 1);
    *wide = !is_signed;
    int fits = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return fits;
}

static int64_t signed_read(lua_State *L, int index, int32_t dtype, int64_t most)
{
    int64_t value = 0;
    int wide;
    if (!whole_read(L, index, 1, &value, &wide) || value > most || value < -most - 1)
        misfit(L, index, dtype);
    return value;
}

static uint64_t unsigned_read(lua_State *L, int index, int32_t dtype, uint64_t most)
{
    int64_t value = 0;
    int wide;
    int wraps = LUA_VERSION_NUM >= 503 && most == UINT64_MAX;       /* as string.pack("J") does */
    if (!whole_read(L, index, 0, &value, &wide) || (value < 0 && !wraps && !wide) || (uint64_t)value > most)
        misfit(L, index, dtype);
    return (uint64_t)value;
}

static double float_read(lua_State *L, int index, int32_t dtype)
{
    if (lua_type(L, index) == TYPE_CDATA)
        return (double)signed_read(L, index, dtype, INT64_MAX);
    if (lua_type(L, index) != LUA_TNUMBER)
        misfit(L, index, dtype);
    return (double)lua_tonumber(L, index);
}

static uint8_t bool_read(lua_State *L, int index)
{
    if (lua_isboolean(L, index))
        return (uint8_t)lua_toboolean(L, index);
    return (uint8_t)unsigned_read(L, index, BATON_BOOL, 1);
}

static double part_read(lua_State *L, int index, int part, int32_t dtype)
{
    if (!lua_istable(L, index))
        return part == 1 ? float_read(L, index, dtype) : 0;
    lua_rawgeti(L, index, part);
    double value = float_read(L, -1, dtype);
    lua_pop(L, 1);
    return value;
}

#define PUT(type) (*(type *)at)
static void complex_read(lua_State *L, int index, int32_t dtype, void *at)
{
    double real = part_read(L, index, 1, dtype), imaginary = part_read(L, index, 2, dtype);
    if (dtype == BATON_C128) {
        PUT(double) = real;
        ((double *)at)[1] = imaginary;
    } else {
        PUT(float) = (float)real;
        ((float *)at)[1] = (float)imaginary;
    }
}

void element_read(lua_State *L, int index, int32_t dtype, void *at)
{
    switch (dtype) {
    case BATON_BOOL: PUT(uint8_t) = bool_read(L, index); break;
    case BATON_I8: PUT(int8_t) = (int8_t)signed_read(L, index, dtype, INT8_MAX); break;
    case BATON_I16: PUT(int16_t) = (int16_t)signed_read(L, index, dtype, INT16_MAX); break;
    case BATON_I32: PUT(int32_t) = (int32_t)signed_read(L, index, dtype, INT32_MAX); break;
    case BATON_I64: PUT(int64_t) = signed_read(L, index, dtype, INT64_MAX); break;
    case BATON_U8: PUT(uint8_t) = (uint8_t)unsigned_read(L, index, dtype, UINT8_MAX); break;
    case BATON_U16: PUT(uint16_t) = (uint16_t)unsigned_read(L, index, dtype, UINT16_MAX); break;
    case BATON_U32: PUT(uint32_t) = (uint32_t)unsigned_read(L, index, dtype, UINT32_MAX); break;
    case BATON_U64: PUT(uint64_t) = unsigned_read(L, index, dtype, UINT64_MAX); break;
    case BATON_F16: PUT(uint16_t) = small_encode(float_read(L, index, dtype), 10); break;
    case BATON_BF16: PUT(uint16_t) = small_encode(float_read(L, index, dtype), 7); break;
    case BATON_F32: PUT(float) = (float)float_read(L, index, dtype); break;
    case BATON_F64: PUT(double) = float_read(L, index, dtype); break;
    case BATON_C64: case BATON_C128: complex_read(L, index, dtype, at); break;
    default: misfit(L, index, dtype);
    }
}

/* wide(make, read): the Lua half's functions for cdata. */
static int set_wide(lua_State *L)
{
    lua_settop(L, 2);
    compat_registry_set(L, &narrow_key);
    compat_registry_set(L, &wide_key);
    return 0;
}

static int dtype_size(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)baton_dtype_size(dtype_check(L, 1)));
    return 1;
}

static const luaL_Reg functions[] = { { "wide", set_wide }, { "dtype_size", dtype_size }, { NULL, NULL } };

void part_element(lua_State *L)
{
    compat_functions(L, functions);
}
