/* Launches: the path that a program takes most often, without tuples and without Python code. */
#include "kernel.h"

#include <string.h>

enum { FEW = 16 };

/* ---- one argument */

static int refuse_argument(Py_ssize_t i, const char *why)
{
    PyErr_Format(PyExc_TypeError, "argument %zd: %s", i, why);
    return -1;
}

static int pass_array(const struct state *state, PyObject *object, uint32_t access, baton_argument *argument)
{
    baton_array *handle = array_handle(state, object);
    *argument = (baton_argument) { .array = handle, .access = access };
    return handle ? 0 : -1;
}

static int pass_scalar(struct scalar *scalar, baton_argument *argument)
{
    *argument = (baton_argument) { .data = scalar->value.raw, .bytes = scalar->bytes };
    return 0;
}

/* A struct by value. */
static int pass_bytes(PyObject *object, baton_argument *argument)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size))
        return -1;
    *argument = (baton_argument) { .data = bytes, .bytes = (uint32_t)size };
    return 0;
}

/* The signature says which type the number has. */
static int pass_declared(struct state *state, PyObject *object, Py_ssize_t i, int32_t code, struct scalar *scalar, baton_argument *argument)
{
    struct scalar given;
    int typed = scalar_read(state, object, &given);
    if (typed < 0)
        return -1;
    if (typed && given.code == 0)
        return refuse_argument(i, "the signature says that this is a number");
    PyObject *number = typed ? dtype_unpack(given.code, given.value.raw) : Py_NewRef(object);
    int status = number ? dtype_pack(code, number, scalar) : -1;
    Py_XDECREF(number);
    return status ? -1 : pass_scalar(scalar, argument);
}

static int pass_undeclared(struct state *state, PyObject *object, Py_ssize_t i, struct scalar *scalar, baton_argument *argument)
{
    if (PyBytes_CheckExact(object))
        return pass_bytes(object, argument);
    int typed = scalar_read(state, object, scalar);
    if (typed == 0 && !PyNumber_Check(object))
        return refuse_argument(i, "a kernel takes arrays, numbers with a type, and bytes");
    if (typed == 0)
        return refuse_argument(i, "a number of Python's has no element type: write baton.i32(n), baton.f32(x) ..., or give the kernel a signature");
    return typed < 0 ? -1 : pass_scalar(scalar, argument);
}

static int pass_value(struct state *state, PyObject *object, Py_ssize_t i, int32_t declared, struct scalar *scalar, baton_argument *argument)
{
    if (declared < 0)
        return refuse_argument(i, "the signature says that this is an array");
    if (declared == 0)
        return pass_undeclared(state, object, i, scalar, argument);
    if (declared < PARAMETER_RAW)
        return pass_declared(state, object, i, declared, scalar, argument);
    if (!PyBytes_Check(object) || PyBytes_Size(object) != declared - PARAMETER_RAW)
        return refuse_argument(i, "the signature says that this is a struct: bytes of exactly its size");
    return pass_bytes(object, argument);
}

static int pass(struct state *state, PyObject *object, Py_ssize_t i, int32_t declared, struct scalar *scalar, baton_argument *argument)
{
    int marked = object_is(state, object, TYPE_MARK);
    if (!marked && !object_is(state, object, TYPE_ARRAY))
        return pass_value(state, object, i, declared, scalar, argument);
    if (declared > 0)
        return refuse_argument(i, "the signature says that this is a number");
    uint32_t access = declared ? (uint32_t)-declared : BATON_READ_WRITE;
    struct mark *mark = marked ? object_data(object) : NULL;
    return pass_array(state, mark ? mark->array : object, mark ? mark->access : access, argument);
}

/* ---- all of them */

static int pass_all(struct state *state, const struct kernel *kernel, PyObject *const *args, Py_ssize_t count, struct scalar *scalars, baton_argument *arguments)
{
    if (kernel->count >= 0 && kernel->count != count) {
        PyErr_Format(PyExc_TypeError, "%U takes %d arguments (%zd given)", kernel->name, kernel->count, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (pass(state, args[i], i, kernel->count >= 0 ? kernel->parameters[i] : 0, &scalars[i], &arguments[i]))
            return -1;
    return 0;
}

static int submit(const struct launch *launch, PyObject *stream, const baton_argument *arguments, Py_ssize_t count)
{
    baton_error error;
    baton_launch_options options = launch->options;
    baton_kernel *kernel = kernel_of(launch->kernel)->handle;
    int32_t status;
    error_begin(&error);
    options.stream = stream_of(stream)->handle;
    UNLOCKED(status = baton_launch(kernel, &options, arguments, (uint32_t)count, &error));
    return error_check(status, &error);
}

static int launch_with(PyObject *self, PyObject *const *args, Py_ssize_t count, struct scalar *scalars, baton_argument *arguments)
{
    struct launch *launch = object_data(self);
    struct state *state = state_of(self);
    struct kernel *kernel = kernel_of(launch->kernel);
    if (pass_all(state, kernel, args, count, scalars, arguments))
        return -1;
    PyObject *stream = launch->stream ? Py_NewRef(launch->stream) : task_stream(state, kernel->device);
    int status = stream ? submit(launch, stream, arguments, count) : -1;
    Py_XDECREF(stream);
    return status;
}

static int launch_many(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct scalar *scalars = PyMem_Malloc((size_t)count * sizeof *scalars);
    baton_argument *arguments = PyMem_Malloc((size_t)count * sizeof *arguments);
    int status = -1;
    if (scalars && arguments)
        status = launch_with(self, args, count, scalars, arguments);
    else
        PyErr_NoMemory();
    PyMem_Free(arguments);
    PyMem_Free(scalars);
    return status;
}

static PyObject *launch_vectorcall(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords)
{
    Py_ssize_t count = vectorcall_count(flags);
    struct scalar scalars[FEW];
    baton_argument arguments[FEW];
    if (keywords && PyTuple_Size(keywords) > 0)
        return PyErr_Format(PyExc_TypeError, "a launch takes no keywords");
    if (count <= FEW ? launch_with(self, args, count, scalars, arguments) : launch_many(self, args, count))
        return NULL;
    Py_RETURN_NONE;
}

/* For callers that do not know vector calls. */
static PyObject *launch_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    Py_ssize_t count = PyTuple_Size(args);
    PyObject **items = PyMem_Calloc((size_t)count + 1, sizeof *items), *result = NULL;
    for (Py_ssize_t i = 0; items && i < count; i++)
        items[i] = PyTuple_GetItem(args, i);
    if (!items)
        PyErr_NoMemory();
    else if (keywords && PyDict_Size(keywords) > 0)
        PyErr_SetString(PyExc_TypeError, "a launch takes no keywords");
    else
        result = launch_vectorcall(self, items, (size_t)count, NULL);
    PyMem_Free(items);
    return result;
}

/* ---- configuring */

/* An int, or up to three; None leaves the three as they are. */
static int read_dimensions(PyObject *object, uint32_t dimensions[3])
{
    int64_t read[DIMENSIONS];
    int32_t count = 0;
    if (!object || object == Py_None)
        return 0;
    dimensions[0] = dimensions[1] = dimensions[2] = 1;
    if (arguments_shape(object, read, &count))
        return -1;
    for (int32_t i = 0; i < count; i++) {
        if (i >= 3 || read[i] < 1 || read[i] > UINT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "a grid, a block and a cluster are one to three numbers, each at least 1");
            return -1;
        }
        dimensions[i] = (uint32_t)read[i];
    }
    return 0;
}

static int read_settings(PyObject *const *values, baton_launch_options *options)
{
    int32_t shared;
    int cooperative = values[COOPERATIVE] ? PyObject_IsTrue(values[COOPERATIVE]) : 0;
    if (cooperative < 0 || read_dimensions(values[GRID], options->grid) || read_dimensions(values[BLOCK], options->block) ||
        read_dimensions(values[CLUSTER], options->cluster) || arguments_int32(values[SHARED], 0, &shared))
        return -1;
    if (shared < 0) {
        PyErr_SetString(PyExc_ValueError, "shared memory is zero bytes or more");
        return -1;
    }
    options->struct_size = sizeof *options;
    options->shared_bytes = (uint32_t)shared;
    options->flags = cooperative ? BATON_LAUNCH_COOPERATIVE : 0;
    return 0;
}

static int configure(PyObject *self, PyObject *kernel, PyObject *const *values)
{
    struct launch *launch = object_data(self);
    launch->call = launch_vectorcall;
    launch->kernel = Py_NewRef(kernel);
    if (read_settings(values, &launch->options))
        return -1;
    if (!values[STREAM] || values[STREAM] == Py_None)
        return 0;
    launch->stream = stream_choose(state_of(self), values[STREAM], kernel_of(kernel)->device);
    return launch->stream ? 0 : -1;
}

PyObject *kernel_configure(PyObject *kernel, PyObject *const *settings)
{
    PyObject *self = object_new(state_of(kernel), TYPE_LAUNCH);
    if (self && configure(self, kernel, settings))
        Py_CLEAR(self);
    return self;
}

/* kernel(grid, block=None, *, stream=None, shared=0, cluster=None, cooperative=False) */
PyObject *kernel_vectorcall(PyObject *kernel, PyObject *const *args, size_t flags, PyObject *keywords)
{
    static const char *const names[] = { "grid", "block", "stream", "shared", "cluster", "cooperative", NULL };
    PyObject *settings[SETTINGS];
    if (arguments_read("Kernel", names, 1, 2, args, vectorcall_count(flags), keywords, settings))
        return NULL;
    return kernel_configure(kernel, settings);
}

static void launch_dealloc(PyObject *self)
{
    struct launch *launch = object_data(self);
    if (launch->weakrefs)
        PyObject_ClearWeakRefs(self);
    Py_CLEAR(launch->kernel);
    Py_CLEAR(launch->stream);
    object_free(self);
}

static PyMemberDef launch_members[] = {
    OBJECT_WEAKREFS(struct launch, weakrefs),
    OBJECT_VECTORCALL(struct launch, call),
    { NULL, 0, 0, 0, NULL },
};

static PyType_Slot launch_slots[] = {
    { Py_tp_doc, "A kernel with its grid, blocks and stream. Call it with the arguments, as often as you like." },
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, launch_dealloc },
    { Py_tp_call, launch_call },
    { Py_tp_members, launch_members },
    { 0, NULL },
};

PyType_Spec launch_spec = { "baton.Launch", OBJECT_SIZE(struct launch), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, launch_slots };

/* ---- marks */

static void mark_dealloc(PyObject *self)
{
    struct mark *mark = object_data(self);
    Py_CLEAR(mark->array);
    object_free(self);
}

static PyType_Slot mark_slots[] = {
    { Py_tp_doc, "An array with the access that a kernel makes of it: see In, Out and InOut." },
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, mark_dealloc },
    { 0, NULL },
};

PyType_Spec mark_spec = { "baton.Mark", OBJECT_SIZE(struct mark), 0, Py_TPFLAGS_DEFAULT, mark_slots };
