/* Elementwise + - * / of arrays and numbers, with NumPy's broadcasting and, for the four types that the library
 * computes with, its promotion: equal types stay, two integers give int64, everything else float64; a number of
 * Python's takes the array's type, except that a float makes an integer array float64. Division of integers gives
 * float64. In place, the array's type stays and the other operand is converted to it first. */
#include "core.h"

#include <string.h>

/* One side: an array (object), or a number, weak when it is Python's own. */
struct side {
    PyObject *array;                    /* owned */
    PyObject *number;                   /* owned, as Python's number */
    int32_t code;                       /* the type; of weak numbers the least: i32 or f64, standing for int and float */
    int weak;
};

static void side_clear(struct side *side)
{
    Py_CLEAR(side->array);
    Py_CLEAR(side->number);
}

/* 1: read, 0: no operand of this kind, -1: exception. */
static int side_read(struct state *state, PyObject *object, struct side *side)
{
    struct scalar scalar;
    *side = (struct side) { .weak = 0 };
    if (object_is(state, object, TYPE_ARRAY)) {
        side->array = Py_NewRef(object);
        side->code = array_of(object)->dtype;
        return array_handle(state, object) ? 1 : -1;
    }
    if (PyLong_CheckExact(object) || PyBool_Check(object) || PyFloat_CheckExact(object)) {
        side->number = Py_NewRef(object);
        side->weak = 1;
        side->code = PyFloat_CheckExact(object) ? BATON_F64 : BATON_I32;
        return 1;
    }
    if (PyComplex_CheckExact(object))
        return 0;
    int typed = scalar_read(state, object, &scalar);
    if (typed <= 0)
        return typed;
    if (scalar.code == 0)
        return 0;               /* a struct */
    side->code = scalar.code;
    side->number = dtype_unpack(scalar.code, scalar.value.raw);
    return side->number ? 1 : -1;
}

/* ---- types */

static int is_float(int32_t code)
{
    return code == BATON_F32 || code == BATON_F64;
}

static int can_compute(int32_t code)
{
    return is_float(code) || code == BATON_I32 || code == BATON_I64;
}

static int32_t promote(const struct side *left, const struct side *right)
{
    if (left->weak || right->weak) {
        int32_t weak = left->weak ? left->code : right->code, strong = left->weak ? right->code : left->code;
        return is_float(weak) && !is_float(strong) ? BATON_F64 : strong;
    }
    if (left->code == right->code)
        return left->code;
    return is_float(left->code) || is_float(right->code) ? BATON_F64 : BATON_I64;
}

static int32_t result_type(struct state *state, int32_t function, const struct side *left, const struct side *right)
{
    const struct side *sides[] = { left, right };
    for (int i = 0; i < 2; i++) {
        if (!can_compute(sides[i]->code)) {
            error_say(BATON_ERR_DTYPE, "arithmetic knows float32, float64, int32 and int64, not %S: use astype()", state->dtypes[sides[i]->code]);
            return -1;
        }
    }
    int32_t code = promote(left, right);
    return function == BATON_DIVIDE && !is_float(code) ? BATON_F64 : code;
}

/* ---- shapes */

static int broadcast(baton_array_info *shape, PyObject *array)
{
    baton_array_info info;
    if (!array)
        return 0;
    if (array_info(array, &info))
        return -1;
    int32_t ndim = info.ndim > shape->ndim ? info.ndim : shape->ndim;
    for (int32_t i = 1; i <= ndim; i++) {
        int64_t mine = i <= shape->ndim ? shape->shape[shape->ndim - i] : 1, its = i <= info.ndim ? info.shape[info.ndim - i] : 1;
        if (mine != its && mine != 1 && its != 1) {
            error_say(BATON_ERR_SHAPE, "shapes do not broadcast: extents %lld and %lld in dimension -%d", (long long)mine, (long long)its, i);
            return -1;
        }
        info.shape[ndim - i] = mine == 1 ? its : mine;
    }
    memcpy(shape->shape, info.shape, sizeof info.shape);
    shape->ndim = ndim;
    return 0;
}

/* ---- operands */

/* A new array with the source's elements, of that type: baton_cast, or baton_copy when the type stays. */
static PyObject *converted(struct state *state, PyObject *source, int32_t code, baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array_info info;
    int32_t status;
    if (array_info(source, &info))
        return NULL;
    PyObject *made = array_create(state, code, info.ndim, info.shape, stream);
    if (!made)
        return NULL;
    baton_array *to = array_of(made)->handle, *from = array_of(source)->handle;
    UNLOCKED(status = code == info.dtype ? baton_copy(to, from, stream, &error) : baton_cast(to, from, stream, &error));
    if (error_check(status, &error))
        Py_CLEAR(made);
    return made;
}

static int prepare(struct state *state, struct side *side, int32_t code, baton_stream *stream, struct scalar *scalar, baton_argument *argument)
{
    if (!side->array) {
        if (dtype_pack(code, side->number, scalar))
            return -1;
        *argument = (baton_argument) { .data = scalar->value.raw, .bytes = scalar->bytes };
        return 0;
    }
    if (side->code != code) {
        PyObject *made = converted(state, side->array, code, stream);
        if (!made)
            return -1;
        object_replace(&side->array, made);
        side->code = code;
    }
    *argument = (baton_argument) { .array = array_of(side->array)->handle, .access = BATON_READ };
    return 0;
}

static int32_t submit(int32_t function, PyObject *to, const baton_argument arguments[2], baton_stream *stream, baton_error *error)
{
    baton_array *handle = array_of(to)->handle;
    int32_t status;
    UNLOCKED(status = baton_elementwise(function, handle, &arguments[0], &arguments[1], stream, error));
    return status;
}

/* Fills `to`; an operand that lies across it is copied first. */
static int compute(struct state *state, int32_t function, PyObject *to, struct side sides[2], baton_stream *stream)
{
    baton_error error = BATON_ERROR_INIT;
    struct scalar scalars[2];
    baton_argument arguments[2];
    int32_t code = array_of(to)->dtype;
    if (prepare(state, &sides[0], code, stream, &scalars[0], &arguments[0]) || prepare(state, &sides[1], code, stream, &scalars[1], &arguments[1]))
        return -1;
    int32_t status = submit(function, to, arguments, stream, &error);
    if (status == BATON_ERR_OVERLAP && sides[1].array) {
        PyObject *apart = converted(state, sides[1].array, code, stream);
        if (!apart)
            return -1;
        object_replace(&sides[1].array, apart);
        arguments[1].array = array_of(apart)->handle;
        status = submit(function, to, arguments, stream, &error);
    }
    return error_check(status, &error);
}

/* broadcast_from(source): its elements, repeated as NumPy does. x - 0 is x for every x, -0.0 too. */
static PyObject *array_broadcast_from(PyObject *self, PyObject *source)
{
    struct state *state = state_of(self);
    struct side sides[2] = { { .array = NULL }, { .weak = 1, .code = BATON_I32 } };
    baton_array_info info;
    if (!array_handle(state, source) || array_info(self, &info))
        return NULL;
    PyObject *stream = task_stream(state, info.device);
    if (!stream)
        return NULL;
    sides[0] = (struct side) { .array = Py_NewRef(source), .code = array_of(source)->dtype };
    sides[1].number = PyLong_FromLong(0);
    int32_t code = sides[1].number ? result_type(state, BATON_SUBTRACT, &sides[0], &sides[1]) : -1;
    int status = code < 0 ? -1 : compute(state, BATON_SUBTRACT, self, sides, stream_of(stream)->handle);
    side_clear(&sides[0]);
    side_clear(&sides[1]);
    Py_DECREF(stream);
    if (status)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef array_operator_methods[] = {
    { "broadcast_from", array_broadcast_from, METH_O,
      PyDoc_STR("broadcast_from($self, source, /)\n--\n\n"
                "Copies an array whose shape broadcasts to this one; types of arithmetic only.") },
    { NULL, NULL, 0, NULL },
};

/* ---- operators */

static PyObject *target(struct state *state, int32_t function, struct side sides[2], baton_stream *stream)
{
    baton_array_info shape = { .ndim = 0 };
    int32_t code = result_type(state, function, &sides[0], &sides[1]);
    if (code < 0 || broadcast(&shape, sides[0].array) || broadcast(&shape, sides[1].array))
        return NULL;
    return array_create(state, code, shape.ndim, shape.shape, stream);
}

/* The array itself, when the result may be kept in it. */
static PyObject *target_in_place(struct state *state, int32_t function, PyObject *self, struct side sides[2])
{
    int32_t code = result_type(state, function, &sides[0], &sides[1]);
    if (code < 0)
        return NULL;
    if (is_float(code) && !is_float(array_of(self)->dtype))
        return error_say(BATON_ERR_DTYPE, "the result is %S and does not fit into %S in place", state->dtypes[code], state->dtypes[array_of(self)->dtype]);
    return Py_NewRef(self);
}

static PyObject *operate(struct state *state, int32_t function, PyObject *into, struct side sides[2])
{
    baton_array_info info;
    PyObject *array = sides[0].array ? sides[0].array : sides[1].array;
    PyObject *stream = array_info(array, &info) ? NULL : task_stream(state, info.device);
    if (!stream)
        return NULL;
    baton_stream *handle = stream_of(stream)->handle;
    PyObject *to = into ? target_in_place(state, function, into, sides) : target(state, function, sides, handle);
    if (to && compute(state, function, to, sides, handle))
        Py_CLEAR(to);
    Py_DECREF(stream);
    return to;
}

static PyObject *binary(int32_t function, PyObject *left, PyObject *right, PyObject *into)
{
    struct state *state = state_of(array_check(left) ? left : right);
    struct side sides[2] = { { .array = NULL }, { .array = NULL } };
    PyObject *result = NULL;
    int status = side_read(state, left, &sides[0]);
    if (status > 0)
        status = side_read(state, right, &sides[1]);
    if (status > 0)
        result = operate(state, function, into, sides);
    else if (status == 0)
        result = Py_NewRef(Py_NotImplemented);
    side_clear(&sides[0]);
    side_clear(&sides[1]);
    return result;
}

PyObject *operator_add(PyObject *left, PyObject *right)
{
    return binary(BATON_ADD, left, right, NULL);
}

PyObject *operator_subtract(PyObject *left, PyObject *right)
{
    return binary(BATON_SUBTRACT, left, right, NULL);
}

PyObject *operator_multiply(PyObject *left, PyObject *right)
{
    return binary(BATON_MULTIPLY, left, right, NULL);
}

PyObject *operator_divide(PyObject *left, PyObject *right)
{
    return binary(BATON_DIVIDE, left, right, NULL);
}

PyObject *operator_add_in_place(PyObject *left, PyObject *right)
{
    return binary(BATON_ADD, left, right, left);
}

PyObject *operator_subtract_in_place(PyObject *left, PyObject *right)
{
    return binary(BATON_SUBTRACT, left, right, left);
}

PyObject *operator_multiply_in_place(PyObject *left, PyObject *right)
{
    return binary(BATON_MULTIPLY, left, right, left);
}

PyObject *operator_divide_in_place(PyObject *left, PyObject *right)
{
    return binary(BATON_DIVIDE, left, right, left);
}

PyObject *operator_negative(PyObject *self)
{
    PyObject *minus = PyLong_FromLong(-1), *result = minus ? binary(BATON_MULTIPLY, self, minus, NULL) : NULL;
    Py_XDECREF(minus);
    return result;
}
