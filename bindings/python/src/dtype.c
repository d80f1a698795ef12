/* Element types: DType objects, what names them, and single values. */
#include "core.h"

#include <string.h>

/* code, full name, NumPy's short name, our short name (NULL: none), format of the buffer protocol (NULL: none) */
static const struct row {
    int32_t code;
    const char *name, *numpy, *brief, *format;
} rows[] = {
    { BATON_BOOL, "bool", "b1", "?", "?" },           { BATON_I8, "int8", "i1", NULL, "b" },
    { BATON_I16, "int16", "i2", "i16", "h" },         { BATON_I32, "int32", "i4", "i32", "i" },
    { BATON_I64, "int64", "i8", "i64", "q" },         { BATON_U8, "uint8", "u1", NULL, "B" },
    { BATON_U16, "uint16", "u2", "u16", "H" },        { BATON_U32, "uint32", "u4", "u32", "I" },
    { BATON_U64, "uint64", "u8", "u64", "Q" },        { BATON_F16, "float16", "f2", "f16", "e" },
    { BATON_BF16, "bfloat16", NULL, "bf16", NULL },   { BATON_F32, "float32", "f4", "f32", "f" },
    { BATON_F64, "float64", "f8", "f64", "d" },       { BATON_C64, "complex64", "c8", "c64", "Zf" },
    { BATON_C128, "complex128", "c16", "c128", "Zd" },
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct row *row_of(int32_t code)
{
    return &rows[code - 1];
}

const char *dtype_format(int32_t code)
{
    return row_of(code)->format;
}

/* ---- finding */

PyObject *dtype_find(struct state *state, PyObject *object)
{
    if (object_is(state, object, TYPE_DTYPE))
        return object;
    PyObject *found = PyDict_GetItemWithError(state->dtype_names, object);
    if (found)
        return found;
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
        return NULL;
    PyErr_Clear();              /* not hashable: then it is no name */
    PyObject *name = helper_call("baton._dtype", "name_of", object, NULL);
    if (!name)
        return NULL;
    found = PyDict_GetItemWithError(state->dtype_names, name);
    Py_DECREF(name);
    if (!found && !PyErr_Occurred())
        error_say(BATON_ERR_DTYPE, "%R is no element type that arrays can have", object);
    else if (found && PyDict_SetItem(state->dtype_names, object, found))
        PyErr_Clear();
    return found;
}

int32_t dtype_code(struct state *state, PyObject *object, int32_t fallback)
{
    if (!object || object == Py_None)
        return fallback;
    PyObject *found = dtype_find(state, object);
    return found ? dtype_of(found)->code : -1;
}

/* ---- the type */

static PyObject *dtype_name(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(row_of(dtype_of(self)->code)->name);
}

static PyObject *dtype_itemsize(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(dtype_of(self)->size);
}

static PyObject *dtype_code_get(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(dtype_of(self)->code);
}

static PyObject *dtype_str(PyObject *self, void *closure)
{
    const struct row *row = row_of(dtype_of(self)->code);
    (void)closure;
    if (!row->numpy)
        return PyUnicode_FromString(row->name);
    return PyUnicode_FromFormat("%c%s", dtype_of(self)->size == 1 ? '|' : '<', row->numpy);
}

static PyObject *dtype_format_get(PyObject *self, void *closure)
{
    const char *format = row_of(dtype_of(self)->code)->format;
    (void)closure;
    if (!format)
        Py_RETURN_NONE;
    return PyUnicode_FromString(format);
}

static PyObject *dtype_repr(PyObject *self)
{
    return PyUnicode_FromFormat("baton.%s", row_of(dtype_of(self)->code)->name);
}

static Py_hash_t dtype_hash(PyObject *self)
{
    return dtype_of(self)->code;
}

static PyObject *dtype_compare(PyObject *self, PyObject *other, int operation)
{
    struct state *state = state_of(self);
    if (operation != Py_EQ && operation != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    if (other == Py_None)
        return PyBool_FromLong(operation == Py_NE);
    PyObject *found = dtype_find(state, other);
    if (!found)
        PyErr_Clear();          /* equal to nothing that names no type */
    return PyBool_FromLong((found == self) == (operation == Py_EQ));
}

static PyObject *dtype_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyUnicode_FromString(row_of(dtype_of(self)->code)->name);     /* pickled as the module's attribute of that name */
}

/* baton.float32(3): one value with a type. */
static PyObject *dtype_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct state *state = state_of(self);
    if (keywords && PyDict_Size(keywords) > 0)
        return PyErr_Format(PyExc_TypeError, "%R() takes no keywords", self);
    if (PyTuple_Size(args) != 1)
        return PyErr_Format(PyExc_TypeError, "%R() takes one number", self);
    PyObject *scalar = object_new(state, TYPE_SCALAR);
    if (scalar && dtype_pack(dtype_of(self)->code, PyTuple_GetItem(args, 0), object_data(scalar)))
        Py_CLEAR(scalar);
    return scalar;
}

static PyGetSetDef dtype_getset[] = {
    { "name", dtype_name, NULL, "The full name, such as 'float32'.", NULL },
    { "itemsize", dtype_itemsize, NULL, "Bytes per element.", NULL },
    { "str", dtype_str, NULL, "The name in NumPy's array interface, such as '<f4'.", NULL },
    { "format", dtype_format_get, NULL, "The format in the buffer protocol; None for bfloat16.", NULL },
    { "code", dtype_code_get, NULL, "The number in baton.h.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef dtype_methods[] = {
    { "__reduce__", dtype_reduce, METH_NOARGS,
      PyDoc_STR("__reduce__($self, /)\n--\n\nFor pickle.") },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot dtype_slots[] = {
    { Py_tp_doc, "The type of an array's elements. Calling it makes one value of that type, to be passed to a kernel." },
    { Py_tp_new, object_no_new },     { Py_tp_dealloc, object_free },        { Py_tp_repr, dtype_repr },
    { Py_tp_hash, dtype_hash },       { Py_tp_richcompare, dtype_compare },  { Py_tp_call, dtype_call },
    { Py_tp_getset, dtype_getset },   { Py_tp_methods, dtype_methods },      { 0, NULL },
};

PyType_Spec dtype_spec = { "baton.DType", OBJECT_SIZE(struct dtype), 0, Py_TPFLAGS_DEFAULT, dtype_slots };

/* ---- the module's part */

static PyObject *dtype_get(PyObject *module, PyObject *object)
{
    PyObject *found = dtype_find(module_state(module), object);
    return found ? Py_NewRef(found) : NULL;
}

static PyObject *scalar_bytes(PyObject *module, PyObject *object)
{
    struct state *state = module_state(module);
    if (!object_is(state, object, TYPE_SCALAR))
        return PyErr_Format(PyExc_TypeError, "a baton.Scalar is needed");
    struct scalar *scalar = object_data(object);
    return PyBytes_FromStringAndSize((const char *)scalar->value.raw, (Py_ssize_t)scalar->bytes);
}

PyMethodDef dtype_functions[] = {
    { "dtype", dtype_get, METH_O,
      PyDoc_STR("dtype(name, /)\n--\n\n"
                "The element type of a name ('f4', 'float32'), of NumPy's or PyTorch's dtype, or of bool, int, "
                "float, complex.") },
    { "_scalar_bytes", scalar_bytes, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static int add_name(struct state *state, const char *prefix, const char *name, PyObject *dtype)
{
    char whole[24];
    if (!name)
        return 0;
    PyOS_snprintf(whole, sizeof whole, "%s%s", prefix, name);
    return PyDict_SetItemString(state->dtype_names, whole, dtype);
}

static int add_row(PyObject *module, const struct row *row)
{
    struct state *state = module_state(module);
    PyObject *dtype = object_new(state, TYPE_DTYPE);
    if (!dtype)
        return -1;
    state->dtypes[row->code] = dtype;
    *dtype_of(dtype) = (struct dtype) { .code = row->code, .size = baton_dtype_size(row->code) };
    const char *prefix = dtype_of(dtype)->size == 1 ? "|" : "<";
    return add_name(state, "", row->name, dtype) || add_name(state, "", row->numpy, dtype) || add_name(state, "", row->brief, dtype) ||
           (row->numpy && (add_name(state, prefix, row->numpy, dtype) || add_name(state, "=", row->numpy, dtype))) ||
           PyModule_AddObjectRef(module, row->name, dtype);
}

static int add_python_types(struct state *state)
{
    return PyDict_SetItem(state->dtype_names, (PyObject *)&PyBool_Type, state->dtypes[BATON_BOOL]) ||
           PyDict_SetItem(state->dtype_names, (PyObject *)&PyLong_Type, state->dtypes[BATON_I64]) ||
           PyDict_SetItem(state->dtype_names, (PyObject *)&PyFloat_Type, state->dtypes[BATON_F64]) ||
           PyDict_SetItem(state->dtype_names, (PyObject *)&PyComplex_Type, state->dtypes[BATON_C128]);
}

int dtype_exec(PyObject *module)
{
    struct state *state = module_state(module);
    state->dtype_names = PyDict_New();
    if (!state->dtype_names)
        return -1;
    for (int i = 0; i < ROWS; i++)
        if (add_row(module, &rows[i]))
            return -1;
    return add_python_types(state) ? -1 : 0;
}
