/* Single values: Python numbers to elements and back. */
#include "core.h"

#include <math.h>
#include <string.h>

/* ---- floating point of 16 bits */

static uint16_t bfloat_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value)
        return (uint16_t)((bits >> 16) | 0x40);
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static float bfloat_value(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* binary16 with round to nearest, ties to even. */
static uint16_t half_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (value != value)
        return 0x7e00;
    if (size >= 65520)
        return (uint16_t)(sign | 0x7c00);
    frexp(size, &exponent);
    if (exponent < -13 || size == 0)
        exponent = -13;         /* subnormal, or nothing */
    double steps = nearbyint(ldexp(size, 11 - exponent));
    uint32_t bits = (uint32_t)steps + ((uint32_t)(exponent + 13) << 10);
    return (uint16_t)(sign | bits);
}

static double half_value(uint16_t half)
{
    int exponent = (half >> 10) & 31;
    int fraction = half & 0x3ff;
    double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                 : ldexp(exponent ? fraction + 1024 : fraction, (exponent ? exponent : 1) - 25);
    return half & 0x8000 ? -size : size;
}

/* ---- packing */

static int out_of_range(PyObject *number, const char *type)
{
    PyErr_Format(PyExc_OverflowError, "%R does not fit %s", number, type);
    return -1;
}

static int pack_signed(PyObject *number, uint32_t bytes, const char *type, void *to)
{
    int64_t value;
    if (arguments_int(number, &value))
        return PyErr_ExceptionMatches(PyExc_OverflowError) ? (PyErr_Clear(), out_of_range(number, type)) : -1;
    if (bytes < 8 && (value < -((int64_t)1 << (8 * bytes - 1)) || value >= (int64_t)1 << (8 * bytes - 1)))
        return out_of_range(number, type);
    memcpy(to, &value, bytes);
    return 0;
}

static int pack_unsigned(PyObject *number, uint32_t bytes, const char *type, void *to)
{
    PyObject *index = PyNumber_Index(number);
    if (!index)
        return -1;
    uint64_t value = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (value == UINT64_MAX && PyErr_Occurred())
        return PyErr_ExceptionMatches(PyExc_OverflowError) ? (PyErr_Clear(), out_of_range(number, type)) : -1;
    if (bytes < 8 && value >> (8 * bytes))
        return out_of_range(number, type);
    memcpy(to, &value, bytes);
    return 0;
}

static int pack_float(int32_t code, PyObject *number, unsigned char *to)
{
    double value = PyFloat_AsDouble(number);
    if (value == -1 && PyErr_Occurred())
        return -1;
    float single = (float)value;
    uint16_t half = code == BATON_F16 ? half_bits(value) : bfloat_bits(single);
    if (code == BATON_F64)
        memcpy(to, &value, sizeof value);
    else if (code == BATON_F32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &half, sizeof half);
    return 0;
}

static int pack_complex(int32_t code, PyObject *number, unsigned char *to)
{
    PyObject *value = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, number, NULL);
    if (!value)
        return -1;
    double parts[2] = { PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value) };
    float singles[2] = { (float)parts[0], (float)parts[1] };
    Py_DECREF(value);
    if (code == BATON_C128)
        memcpy(to, parts, sizeof parts);
    else
        memcpy(to, singles, sizeof singles);
    return 0;
}

static int pack_bool(PyObject *number, unsigned char *to)
{
    int truth = PyObject_IsTrue(number);
    *to = (unsigned char)(truth > 0);
    return truth < 0 ? -1 : 0;
}

int dtype_pack(int32_t code, PyObject *number, struct scalar *scalar)
{
    unsigned char *to = scalar->value.raw;
    scalar->code = code;
    scalar->bytes = baton_dtype_size(code);
    if (code == BATON_BOOL)
        return pack_bool(number, to);
    if (code >= BATON_I8 && code <= BATON_I64)
        return pack_signed(number, scalar->bytes, baton_dtype_name(code), to);
    if (code >= BATON_U8 && code <= BATON_U64)
        return pack_unsigned(number, scalar->bytes, baton_dtype_name(code), to);
    return code >= BATON_C64 ? pack_complex(code, number, to) : pack_float(code, number, to);
}

/* ---- unpacking */

static PyObject *unpack_integer(int32_t code, const void *bytes, uint32_t size)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    if (code >= BATON_U8)
        return PyLong_FromUnsignedLongLong(value);
    uint32_t unused = 64 - 8 * size;
    return PyLong_FromLongLong((int64_t)(value << unused) >> unused);
}

static PyObject *unpack_float(int32_t code, const void *bytes)
{
    double value = 0;
    float single = 0;
    uint16_t half = 0;
    if (code == BATON_F64)
        memcpy(&value, bytes, sizeof value);
    else if (code == BATON_F32)
        memcpy(&single, bytes, sizeof single);
    else
        memcpy(&half, bytes, sizeof half);
    if (code == BATON_F32)
        value = (double)single;
    else if (code != BATON_F64)
        value = code == BATON_F16 ? half_value(half) : (double)bfloat_value(half);
    return PyFloat_FromDouble(value);
}

static PyObject *unpack_complex(int32_t code, const void *bytes)
{
    double parts[2];
    float singles[2];
    if (code == BATON_C128) {
        memcpy(parts, bytes, sizeof parts);
        return PyComplex_FromDoubles(parts[0], parts[1]);
    }
    memcpy(singles, bytes, sizeof singles);
    return PyComplex_FromDoubles((double)singles[0], (double)singles[1]);
}

PyObject *dtype_unpack(int32_t code, const void *bytes)
{
    if (code == BATON_BOOL)
        return PyBool_FromLong(*(const unsigned char *)bytes);
    if (code <= BATON_U64)
        return unpack_integer(code, bytes, baton_dtype_size(code));
    return code >= BATON_C64 ? unpack_complex(code, bytes) : unpack_float(code, bytes);
}

/* ---- the type */

static int read_foreign(struct state *state, PyObject *object, struct scalar *scalar)
{
    PyObject *pair = helper_call("baton._dtype", "scalar", object, NULL), *bytes;
    char *raw;
    Py_ssize_t size;
    if (!pair || pair == Py_None) {
        Py_XDECREF(pair);
        return pair ? 0 : -1;
    }
    int done = -1;
    int32_t code = dtype_code(state, PyTuple_GetItem(pair, 0), 0);
    if (code >= 0 && (bytes = PyTuple_GetItem(pair, 1)) && PyBytes_AsStringAndSize(bytes, &raw, &size) == 0 &&
        size <= (Py_ssize_t)sizeof scalar->value) {
        scalar->code = code;
        scalar->bytes = (uint32_t)size;
        memcpy(scalar->value.raw, raw, (size_t)size);
        done = 1;
    }
    Py_DECREF(pair);
    return done;
}

int scalar_read(struct state *state, PyObject *object, struct scalar *scalar)
{
    if (PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) || PyComplex_CheckExact(object))
        return 0;
    if (!object_is(state, object, TYPE_SCALAR))
        return read_foreign(state, object, scalar);
    *scalar = *(struct scalar *)object_data(object);
    return 1;
}

static PyObject *scalar_value(PyObject *self, void *closure)
{
    struct scalar *scalar = object_data(self);
    (void)closure;
    return dtype_unpack(scalar->code, scalar->value.raw);
}

static PyObject *scalar_dtype(PyObject *self, void *closure)
{
    struct scalar *scalar = object_data(self);
    (void)closure;
    return Py_NewRef(state_of(self)->dtypes[scalar->code]);
}

static PyObject *scalar_repr(PyObject *self)
{
    struct scalar *scalar = object_data(self);
    PyObject *value = dtype_unpack(scalar->code, scalar->value.raw), *text = NULL;
    if (value)
        text = PyUnicode_FromFormat("%R(%R)", state_of(self)->dtypes[scalar->code], value);
    Py_XDECREF(value);
    return text;
}

static PyGetSetDef scalar_getset[] = {
    { "value", scalar_value, NULL, "As a Python number.", NULL },
    { "dtype", scalar_dtype, NULL, "Its type.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot scalar_slots[] = {
    { Py_tp_doc, "One number with an element type, as a kernel takes it by value." },
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, object_free },
    { Py_tp_repr, scalar_repr },
    { Py_tp_getset, scalar_getset },
    { 0, NULL },
};

PyType_Spec scalar_spec = { "baton.Scalar", OBJECT_SIZE(struct scalar), 0, Py_TPFLAGS_DEFAULT, scalar_slots };
