/* Modules and kernels: loading, looking up, configuring. */
#include "kernel.h"

#include <string.h>

/* ---- signatures: Python parses them into numbers */

static int read_parameters(struct kernel *kernel, PyObject *numbers)
{
    Py_ssize_t count = PyTuple_Size(numbers);
    kernel->parameters = PyMem_Calloc((size_t)count + 1, sizeof *kernel->parameters);
    if (!kernel->parameters)
        return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (arguments_int32(PyTuple_GetItem(numbers, i), 0, &kernel->parameters[i]))
            return -1;
    kernel->count = (int32_t)count;
    return 0;
}

static int read_signature(struct kernel *kernel, PyObject *signature)
{
    kernel->count = -1;
    if (!signature || signature == Py_None)
        return 0;
    PyObject *numbers = helper_call("baton._kernels", "parameters", signature, NULL);
    int status = numbers ? read_parameters(kernel, numbers) : -1;
    Py_XDECREF(numbers);
    return status;
}

/* ---- Kernel */

PyObject *kernel_make(struct state *state, baton_kernel *handle, const char *name, int32_t device, PyObject *signature)
{
    PyObject *self = object_new(state, TYPE_KERNEL);
    if (!self) {
        baton_kernel_release(handle);
        return NULL;
    }
    struct kernel *kernel = kernel_of(self);
    kernel->call = kernel_vectorcall;
    kernel->handle = handle;
    kernel->device = device;
    kernel->name = PyUnicode_FromString(name);
    if (!kernel->name || read_signature(kernel, signature))
        Py_CLEAR(self);
    return self;
}

static void kernel_dealloc(PyObject *self)
{
    struct kernel *kernel = kernel_of(self);
    if (kernel->weakrefs)
        PyObject_ClearWeakRefs(self);
    baton_kernel_release(kernel->handle);
    PyMem_Free(kernel->parameters);
    Py_CLEAR(kernel->name);
    object_free(self);
}

static PyObject *kernel_name(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(kernel_of(self)->name);
}

static PyObject *kernel_device(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(kernel_of(self)->device);
}

static PyObject *kernel_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<baton.Kernel %U on device %d>", kernel_of(self)->name, kernel_of(self)->device);
}

/* The same kernel with a signature. */
static PyObject *kernel_declare(PyObject *self, PyObject *signature)
{
    struct kernel *kernel = kernel_of(self);
    const char *name = PyUnicode_AsUTF8AndSize(kernel->name, NULL);
    baton_error error = BATON_ERROR_INIT;
    if (!name)
        return NULL;
    if (error_check(baton_kernel_retain(kernel->handle), &error))
        return NULL;
    return kernel_make(state_of(self), kernel->handle, name, kernel->device, signature);
}

/* For callers that do not know vector calls. */
static PyObject *kernel_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "grid", "block", "stream", "shared", "cluster", "cooperative", NULL };
    PyObject *values[SETTINGS] = { NULL };
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O$OOOO:Kernel", names, &values[0], &values[1], &values[2], &values[3], &values[4], &values[5]))
        return NULL;
    return kernel_configure(self, values);
}

static PyGetSetDef kernel_getset[] = {
    { "name", kernel_name, NULL, "As in the module.", NULL },
    { "device", kernel_device, NULL, "Number of the device.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef kernel_type_methods[] = {
    { "declare", kernel_declare, METH_O,
      PyDoc_STR("declare($self, signature, /)\n--\n\nThe same kernel with another signature; None: without.") },
    { NULL, NULL, 0, NULL },
};

static PyMemberDef kernel_members[] = {
    OBJECT_WEAKREFS(struct kernel, weakrefs),
    OBJECT_VECTORCALL(struct kernel, call),
    { NULL, 0, 0, 0, NULL },
};

static PyType_Slot kernel_slots[] = {
    { Py_tp_doc, "A function that runs on a device. kernel(grid, block, stream=...) configures a launch, which is called with the arguments." },
    { Py_tp_new, object_no_new },         { Py_tp_dealloc, kernel_dealloc },      { Py_tp_repr, kernel_repr },
    { Py_tp_call, kernel_call },          { Py_tp_getset, kernel_getset },        { Py_tp_methods, kernel_type_methods },
    { Py_tp_members, kernel_members },    { 0, NULL },
};

PyType_Spec kernel_spec = { "baton.Kernel", OBJECT_SIZE(struct kernel), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, kernel_slots };

/* ---- Module */

struct module {
    baton_module *handle;
    PyObject *weakrefs;
    int32_t device;
};

PyObject *module_make(struct state *state, baton_module *handle, int32_t device)
{
    PyObject *self = object_new(state, TYPE_MODULE);
    if (!self) {
        baton_module_release(handle);
        return NULL;
    }
    struct module *module = object_data(self);
    module->handle = handle;
    module->device = device;
    return self;
}

static void module_dealloc(PyObject *self)
{
    struct module *module = object_data(self);
    if (module->weakrefs)
        PyObject_ClearWeakRefs(self);
    baton_module_release(module->handle);
    object_free(self);
}

static PyObject *find_kernel(PyObject *self, PyObject *name, PyObject *signature)
{
    struct module *module = object_data(self);
    baton_error error = BATON_ERROR_INIT;
    baton_kernel *kernel;
    int32_t status;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text)
        return NULL;
    UNLOCKED(status = baton_module_kernel(module->handle, text, &kernel, &error));
    return error_check(status, &error) ? NULL : kernel_make(state_of(self), kernel, text, module->device, signature);
}

static PyObject *module_subscript(PyObject *self, PyObject *name)
{
    return find_kernel(self, name, NULL);
}

static PyObject *module_kernel(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "name", "signature", NULL };
    PyObject *values[2];
    if (arguments_read("kernel", names, 1, 2, args, count, keywords, values))
        return NULL;
    return find_kernel(self, values[0], values[1]);
}

static PyMethodDef module_type_methods[] = {
    { "kernel", METHOD(module_kernel), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("kernel($self, /, name, signature=None)\n--\n\n"
                "The kernel of that name. signature: see host_kernel().") },
    { NULL, NULL, 0, NULL },
};

static PyMemberDef module_members[] = { OBJECT_WEAKREFS(struct module, weakrefs), { NULL, 0, 0, 0, NULL } };

static PyType_Slot module_slots[] = {
    { Py_tp_doc, "Compiled code on a device: module['name'] is a kernel." },
    { Py_tp_new, object_no_new },
    { Py_tp_dealloc, module_dealloc },
    { Py_mp_subscript, module_subscript },
    { Py_tp_methods, module_type_methods },
    { Py_tp_members, module_members },
    { 0, NULL },
};

PyType_Spec module_spec = { "baton.Module", OBJECT_SIZE(struct module), 0, Py_TPFLAGS_DEFAULT, module_slots };

/* ---- functions */

/* _module_load(image: bytes, device) */
static PyObject *load(PyObject *module, PyObject *args)
{
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT;
    baton_module *handle;
    PyObject *image;
    char *bytes;
    Py_ssize_t size;
    int32_t status;
    int device;
    if (!PyArg_ParseTuple(args, "Si:_module_load", &image, &device) || PyBytes_AsStringAndSize(image, &bytes, &size) || !runtime_get(state))
        return NULL;
    UNLOCKED(status = baton_module_load(state->runtime, device, bytes, (uint64_t)size + 1, &handle, &error));
    return error_check(status, &error) ? NULL : module_make(state, handle, device);
}

static void describe_parameters(const struct kernel *kernel, baton_host_parameter *parameters)
{
    for (int32_t i = 0; i < kernel->count; i++) {
        int32_t what = kernel->parameters[i];
        parameters[i].access = what < 0 ? (uint32_t)-what : 0;
        parameters[i].bytes = what < 0 ? 8 : what >= PARAMETER_RAW ? (uint32_t)(what - PARAMETER_RAW) : baton_dtype_size(what);
    }
}

static int32_t host_kernel(struct state *state, struct kernel *kernel, const char *name, uint64_t address, baton_error *error)
{
    baton_host_parameter *parameters = PyMem_Calloc((size_t)kernel->count + 1, sizeof *parameters);
    int32_t status;
    if (!parameters) {
        PyErr_NoMemory();
        return -1;
    }
    describe_parameters(kernel, parameters);
    baton_host_kernel function = (baton_host_kernel)(uintptr_t)address;
    UNLOCKED(status = baton_kernel_host(state->runtime, kernel->device, function, name, parameters, (uint32_t)kernel->count, &kernel->handle, error));
    PyMem_Free(parameters);
    return error_check(status, error);
}

/* _kernel_host(address, name, signature, device) */
static PyObject *make_host_kernel(PyObject *module, PyObject *args)
{
    struct state *state = module_state(module);
    baton_error error = BATON_ERROR_INIT;
    unsigned long long address;
    const char *name;
    PyObject *signature;
    int device;
    if (!PyArg_ParseTuple(args, "KsOi:_kernel_host", &address, &name, &signature, &device) || !runtime_get(state))
        return NULL;
    PyObject *self = kernel_make(state, NULL, name, device, signature);
    if (self && host_kernel(state, kernel_of(self), name, address, &error))
        Py_CLEAR(self);
    return self;
}

static PyObject *mark(PyObject *module, PyObject *array, uint32_t access)
{
    struct state *state = module_state(module);
    if (!array_handle(state, array))
        return NULL;
    PyObject *self = object_new(state, TYPE_MARK);
    if (self)
        *(struct mark *)object_data(self) = (struct mark) { .array = Py_NewRef(array), .access = access };
    return self;
}

static PyObject *mark_in(PyObject *module, PyObject *array)
{
    return mark(module, array, BATON_READ);
}

static PyObject *mark_out(PyObject *module, PyObject *array)
{
    return mark(module, array, BATON_WRITE);
}

static PyObject *mark_inout(PyObject *module, PyObject *array)
{
    return mark(module, array, BATON_READ_WRITE);
}

PyMethodDef kernel_methods[] = {
    { "_module_load", load, METH_VARARGS, NULL },
    { "_module_compile", module_compile, METH_VARARGS, NULL },
    { "_kernel_host", make_host_kernel, METH_VARARGS, NULL },
    { "In", mark_in, METH_O, PyDoc_STR("In(array, /)\n--\n\nMarks a kernel's argument as read only by it.") },
    { "Out", mark_out, METH_O, PyDoc_STR("Out(array, /)\n--\n\nMarks a kernel's argument as written only.") },
    { "InOut", mark_inout, METH_O, PyDoc_STR("InOut(array, /)\n--\n\nMarks a kernel's argument as read and written, as one without a mark.") },
    { NULL, NULL, 0, NULL },
};
