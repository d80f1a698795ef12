/* baton._core: the module, its types and its functions. */
#include "core.h"

#include <stdarg.h>

PyObject *object_ended(void)
{
    PyErr_SetString(PyExc_RuntimeError, "the interpreter is ending");
    return NULL;
}

PyObject *object_new(struct state *state, enum type type)
{
    return state->types[type] ? PyType_GenericAlloc((PyTypeObject *)state->types[type], 0) : object_ended();
}

void object_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_Free(object);
    Py_DECREF(type);
}

void object_free_collected(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

PyObject *object_no_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)args, (void)keywords;
    return PyErr_Format(PyExc_TypeError, "%R objects come from functions of this package", (PyObject *)type);
}

PyObject *helper(const char *module, const char *function)
{
    PyObject *imported = PyImport_ImportModule(module);
    if (!imported)
        return NULL;
    PyObject *found = PyObject_GetAttrString(imported, function);
    Py_DECREF(imported);
    return found;
}

PyObject *helper_call(const char *module, const char *function, ...)
{
    PyObject *callable = helper(module, function), *args[8], *result = NULL;
    Py_ssize_t count = 0;
    va_list values;
    va_start(values, function);
    while (count < 8 && (args[count] = va_arg(values, PyObject *)))
        count++;
    va_end(values);
    PyObject *tuple = callable ? PyTuple_New(count) : NULL;
    for (Py_ssize_t i = 0; tuple && i < count; i++)
        PyTuple_SetItem(tuple, i, Py_NewRef(args[i]));
    if (tuple)
        result = PyObject_Call(callable, tuple, NULL);
    Py_XDECREF(tuple);
    Py_XDECREF(callable);
    return result;
}

/* ---- making the module */

static PyType_Spec *const specs[TYPES] = {
    [TYPE_ARRAY] = &array_spec, [TYPE_DTYPE] = &dtype_spec, [TYPE_SCALAR] = &scalar_spec, [TYPE_STREAM] = &stream_spec,
    [TYPE_CHOICE] = &choice_spec, [TYPE_TASK] = &task_spec, [TYPE_FENCE] = &fence_spec, [TYPE_GATE] = &gate_spec,
    [TYPE_SCOPE] = &scope_spec, [TYPE_MARK] = &mark_spec, [TYPE_MODULE] = &module_spec, [TYPE_KERNEL] = &kernel_spec,
    [TYPE_LAUNCH] = &launch_spec, [TYPE_GRAPH] = &graph_spec, [TYPE_CAPTURE] = &capture_spec,
};

static PyMethodDef *const method_tables[] = { runtime_methods, array_create_methods, kernel_methods, graph_methods, info_methods, dtype_functions, dlpack_methods, interface_methods, arrow_methods };

static int types_exec(PyObject *module)
{
    struct state *state = module_state(module);
    for (int i = 0; i < TYPES; i++) {
        state->types[i] = PyType_FromModuleAndSpec(module, specs[i], NULL);
        if (!state->types[i] || PyModule_AddType(module, (PyTypeObject *)state->types[i]))
            return -1;
    }
    return 0;
}

static int add_methods(PyObject *type, PyMethodDef *methods)
{
    for (PyMethodDef *method = methods; method->ml_name; method++) {
        PyObject *descriptor = PyDescr_NewMethod((PyTypeObject *)type, method);
        int status = descriptor ? PyObject_SetAttrString(type, method->ml_name, descriptor) : -1;
        Py_XDECREF(descriptor);
        if (status)
            return -1;
    }
    return 0;
}

/* The methods of arrays and kernels come from several files. */
static int more_methods_exec(PyObject *module)
{
    PyMethodDef *const tables[] = { array_view_methods, array_transfer_methods, array_wait_methods, array_operator_methods, array_exchange_methods,
                                      array_arrow_methods };
    struct state *state = module_state(module);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (add_methods(state->types[TYPE_ARRAY], tables[i]))
            return -1;
    return add_methods(state->types[TYPE_KERNEL], kernel_info_methods);
}

static int methods_exec(PyObject *module)
{
    for (size_t i = 0; i < sizeof method_tables / sizeof *method_tables; i++)
        if (PyModule_AddFunctions(module, method_tables[i]))
            return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct state *state = module_state(module);
    for (int i = 0; i < TYPES; i++)
        Py_VISIT(state->types[i]);
    for (int i = 0; i < DTYPES; i++)
        Py_VISIT(state->dtypes[i]);
    Py_VISIT(state->dtype_names);
    Py_VISIT(state->choice);
    Py_VISIT(state->choice_get);
    Py_VISIT(state->running_loop);
    Py_VISIT(state->current_task);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct state *state = module_state(module);
    task_forget_idle(state);
    Py_CLEAR(state->choice_get);
    Py_CLEAR(state->choice);
    Py_CLEAR(state->running_loop);
    Py_CLEAR(state->current_task);
    Py_CLEAR(state->dtype_names);
    Py_CLEAR(state->modules);
    Py_CLEAR(state->asyncio_name);
    for (int i = 0; i < DTYPES; i++)
        Py_CLEAR(state->dtypes[i]);
    for (int i = 0; i < TYPES; i++)
        Py_CLEAR(state->types[i]);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
    runtime_free(module_state(module));
    attic_close(module_state(module)->attic);
    module_state(module)->attic = NULL;
}

static PyModuleDef_Slot slots[] = {
    { Py_mod_exec, types_exec }, { Py_mod_exec, more_methods_exec }, { Py_mod_exec, methods_exec }, { Py_mod_exec, runtime_exec }, { Py_mod_exec, dtype_exec },
    { Py_mod_exec, task_exec },  { Py_mod_exec, capi_exec },    { Py_mod_exec, exchange_exec }, SLOT_INTERPRETERS SLOT_GIL { 0, NULL },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "baton._core",
    .m_doc = "The compiled part of the baton package.",
    .m_size = sizeof(struct state),
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyObject *module_here(void)
{
    PyObject *module = PyImport_ImportModule("baton._core");
    if (!module || (PyModule_Check(module) && PyModule_GetDef(module) == &definition))
        return module;
    Py_DECREF(module);
    return object_ended();
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
