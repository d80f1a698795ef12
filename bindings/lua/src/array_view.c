/* Parts of arrays: 1-based, last included, negative numbers count from the end. */
#include "core.h"

baton_array *array_view(lua_State *L, baton_array *array, const baton_view_options *options)
{
    struct object *object = object_push(L, &array_class, sizeof *object);
    baton_array *view;
    baton_error err = error_begin();
    need(L, baton_array_view(array, options, &view, &err), &err);
    object->handle = view;
    return view;
}

/* ---- slices */

struct slices {
    int64_t start[DIMENSIONS], count[DIMENSIONS], step[DIMENSIONS], shape[DIMENSIONS];
    int picked;                         /* dimensions that a number picked, and that the view lacks */
    int kept;
};

static int64_t place(lua_State *L, int64_t index, int64_t extent, int dimension)
{
    int64_t found = index < 0 ? index + extent : index - 1;
    if (index == 0 || found < 0 || found >= extent)
        misuse(L, "index %d is outside of dimension %d, which has %d", (int)index, dimension + 1, (int)extent);
    return found;
}

/* Entry `part` of the table on top. */
static int64_t bound(lua_State *L, int part, int64_t otherwise)
{
    int64_t value = otherwise;
    lua_rawgeti(L, -1, part);
    if (!lua_isnil(L, -1) && !compat_integer(L, -1, &value))
        misuse(L, "a range holds whole numbers: { first, last, step }");
    lua_pop(L, 1);
    return value;
}

static void slice_range(lua_State *L, struct slices *out, int i, int64_t extent)
{
    int64_t step = bound(L, 3, 1), first = bound(L, 1, step > 0 ? 1 : extent), last = bound(L, 2, step > 0 ? extent : 1);
    if (step == 0 || step == INT64_MIN)
        misuse(L, "a step of this size leads nowhere");
    int64_t from = first < 0 ? first + extent + 1 : first, to = last < 0 ? last + extent + 1 : last;
    int64_t distance = step > 0 ? to - from : from - to;
    out->step[i] = step;
    if (distance < 0) {
        out->start[i] = out->count[i] = 0;
        return;
    }
    out->start[i] = place(L, from, extent, i);
    (void)place(L, to, extent, i);
    out->count[i] = distance / (step > 0 ? step : -step) + 1;
}

static void slice_all(struct slices *out, int i, int64_t extent)
{
    out->start[i] = 0;
    out->count[i] = extent;
    out->step[i] = 1;
}

/* The value on top says what of dimension i. */
static void slice_dimension(lua_State *L, struct slices *out, int i, int64_t extent)
{
    int64_t index;
    if (compat_integer(L, -1, &index)) {
        out->start[i] = place(L, index, extent, i);
        out->count[i] = out->step[i] = 1;
        out->picked++;
        return;
    }
    if (lua_istable(L, -1))
        slice_range(L, out, i, extent);
    else if (lua_isnil(L, -1) || (lua_isboolean(L, -1) && lua_toboolean(L, -1)))
        slice_all(out, i, extent);
    else
        misuse(L, "a number, a range { first, last, step }, or true for all expected in dimension %d", i + 1);
    out->shape[out->kept++] = out->count[i];
}

static void push_slices(lua_State *L, baton_array *array, const struct slices *slices, int ndim)
{
    baton_view_options options = { .struct_size = sizeof options, .ndim = ndim, .start = slices->start,
                                   .count = slices->count, .step = slices->step };
    if (slices->picked) {
        options.shape = slices->shape;
        options.shape_ndim = slices->kept;
    }
    array_view(L, array, &options);
}

/* Pushes the view that the table or number at `index` names. */
static void push_part(lua_State *L, baton_array *array, int index)
{
    baton_array_info info = array_info(L, array);
    struct slices slices = { .picked = 0 };
    int listed = lua_istable(L, index);
    if (listed ? (int)compat_length(L, index) > info.ndim : info.ndim == 0)
        misuse(L, "the array has %d dimensions", (int)info.ndim);
    for (int i = 0; i < info.ndim; i++) {
        if (listed)
            lua_rawgeti(L, index, i + 1);
        else if (i == 0)
            lua_pushvalue(L, index);
        else
            lua_pushnil(L);
        slice_dimension(L, &slices, i, info.shape[i]);
        lua_pop(L, 1);
    }
    push_slices(L, array, &slices, info.ndim);
}

static int view(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    luaL_checktype(L, 2, LUA_TTABLE);
    push_part(L, array, 2);
    return 1;
}

/* slice(first, last, step, dimension) */
static int slice(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    baton_array_info info = array_info(L, array);
    struct slices slices = { .picked = 0 };
    lua_Integer dimension = luaL_optinteger(L, 5, 1);
    check_argument(L, dimension >= 1 && dimension <= info.ndim, 5, "no such dimension");
    for (int i = 0; i < info.ndim; i++)
        slice_all(&slices, i, info.shape[i]);
    lua_settop(L, 5);
    lua_createtable(L, 3, 0);
    for (int i = 1; i <= 3; i++) {
        lua_pushvalue(L, i + 1);
        lua_rawseti(L, -2, i);
    }
    slice_range(L, &slices, (int)dimension - 1, info.shape[dimension - 1]);
    push_slices(L, array, &slices, info.ndim);
    return 1;
}

/* ---- other shapes of the same */

/* Numbers from index 2 on, or one list. */
static int numbers_read(lua_State *L, int64_t *numbers)
{
    if (lua_istable(L, 2))
        return extents_read(L, 2, numbers);
    int count = lua_gettop(L) - 1;
    check_argument(L, count <= DIMENSIONS, 2, "more than 16 numbers");
    for (int i = 0; i < count; i++)
        check_argument(L, compat_integer(L, i + 2, &numbers[i]), i + 2, "a whole number expected");
    return count;
}

static int reshape(lua_State *L)
{
    int64_t shape[DIMENSIONS];
    baton_array *array = handle_check(L, 1, array);
    int count = numbers_read(L, shape);
    array_view(L, array, &(baton_view_options){ .struct_size = sizeof(baton_view_options), .shape = shape, .shape_ndim = count });
    return 1;
}

static int flatten(lua_State *L)
{
    int64_t shape[] = { (int64_t)array_info(L, handle_check(L, 1, array)).elements };
    array_view(L, handle_check(L, 1, array),
               &(baton_view_options){ .struct_size = sizeof(baton_view_options), .shape = shape, .shape_ndim = 1 });
    return 1;
}

static void push_permuted(lua_State *L, baton_array *array, const int32_t *permutation, int ndim)
{
    array_view(L, array, &(baton_view_options){ .struct_size = sizeof(baton_view_options), .ndim = ndim, .permutation = permutation });
}

static int permute(lua_State *L)
{
    int64_t order[DIMENSIONS];
    int32_t permutation[DIMENSIONS];
    baton_array *array = handle_check(L, 1, array);
    int count = numbers_read(L, order);
    check_argument(L, count == array_info(L, array).ndim, 2, "as many numbers as dimensions expected");
    for (int i = 0; i < count; i++) {
        check_argument(L, order[i] >= 1 && order[i] <= count, 2, "numbers of dimensions expected");
        permutation[i] = (int32_t)order[i] - 1;
    }
    push_permuted(L, array, permutation, count);
    return 1;
}

/* All dimensions the other way round. */
static int transpose(lua_State *L)
{
    int32_t permutation[DIMENSIONS];
    baton_array *array = handle_check(L, 1, array);
    int ndim = array_info(L, array).ndim;
    for (int i = 0; i < ndim; i++)
        permutation[i] = ndim - 1 - i;
    push_permuted(L, array, permutation, ndim);
    return 1;
}

static int reinterpret(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    array_view(L, array, &(baton_view_options){ .struct_size = sizeof(baton_view_options), .dtype = dtype_check(L, 2) });
    return 1;
}

const luaL_Reg array_view_methods[] = {
    { "view", view }, { "slice", slice }, { "reshape", reshape }, { "flatten", flatten }, { "permute", permute },
    { "transpose", transpose }, { "reinterpret", reinterpret }, { NULL, NULL }
};

/* ---- array[i] */

/* Pushes the value of the array on top, which has one element, and gives that array back. */
static void push_element(lua_State *L)
{
    struct object *object = lua_touserdata(L, -1);
    baton_array *array = object->handle;
    baton_array_info info = array_info(L, array);
    _Alignas(16) unsigned char bytes[16];
    baton_error err = error_begin();
    int32_t status = baton_download(bytes, info.bytes, array, stream_current(L), &err);
    object->handle = NULL;
    baton_array_release(array);
    need_unlocked(L, status, &err, 1);
    element_push(L, info.dtype, bytes);
}

int array_index_read(lua_State *L)
{
    int64_t index;
    baton_array *array = handle_check(L, 1, array);
    int number = compat_integer(L, 2, &index);
    if (!number && !lua_istable(L, 2))
        return misuse_argument(L, 2, "a whole number, or a table of numbers and ranges, expected");
    baton_array_info info = array_info(L, array);
    if (number && info.ndim > 0 && index == info.shape[0] + 1) {
        lua_pushnil(L);     /* where ipairs ends */
        return 1;
    }
    push_part(L, array, 2);
    if (number && info.ndim == 1)
        push_element(L);
    return 1;
}

static int32_t assign(lua_State *L, baton_array *part, int value, baton_error *err)
{
    baton_array_info info = array_info(L, part);
    baton_array *from = object_handle(L, value, &array_class);
    _Alignas(16) unsigned char bytes[16];
    if (from)
        return baton_copy(part, from, stream_current(L), err);
    if (info.ndim && (lua_istable(L, value) || lua_type(L, value) == LUA_TSTRING))
        return baton_upload(part, data_read(L, value, &info), info.bytes, stream_current(L), err);
    element_read(L, value, info.dtype, bytes);
    return baton_fill(part, bytes, baton_dtype_size(info.dtype), stream_current(L), err);
}

/* array[key] = value: an array is copied, a table or a string uploaded, a number put everywhere. */
int array_index_write(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    baton_error err = error_begin();
    if (lua_type(L, 2) == LUA_TSTRING)
        return misuse(L, "an array has no field '%s' to set", lua_tostring(L, 2));
    push_part(L, array, 2);
    struct object *part = lua_touserdata(L, 4);
    int32_t status = assign(L, part->handle, 3, &err);
    baton_array_release(part->handle);
    part->handle = NULL;
    need_unlocked(L, status, &err, 1);
    return 0;
}
