/* baton._core: what its files share. One struct of state per interpreter hangs on the module; there are no static
 * objects. Names are noun_verb; a function that returns PyObject * returns a new reference, or NULL with an exception
 * set, unless it says "borrowed". */
#ifndef BATON_PYTHON_CORE_H
#define BATON_PYTHON_CORE_H

#include "object.h"

#include "../baton/baton_python.h"

enum { DTYPES = 16, DIMENSIONS = 16, IDLE_STREAMS = 64 };

/* The types of this module, in the order in which they are made. */
enum type {
    TYPE_ARRAY, TYPE_DTYPE, TYPE_SCALAR, TYPE_STREAM, TYPE_CHOICE, TYPE_TASK, TYPE_FENCE, TYPE_GATE, TYPE_SCOPE, TYPE_MARK,
    TYPE_MODULE, TYPE_KERNEL, TYPE_LAUNCH, TYPE_GRAPH, TYPE_CAPTURE, TYPES
};

/* Guarded by the interpreter's lock, except what says otherwise. */
struct state {
    _Atomic(baton_runtime *) runtime;   /* NULL until first used; then fixed */
    PyThread_type_lock opening;         /* held, without the interpreter's lock, while it is opened */
    PyThread_type_lock climbing;        /* held, also without it, by the thread that looks for memory */
    unsigned long climber;              /* that thread; 0: none */
    char driver[64];                    /* as asked for by init(); empty: BATON_DRIVER, else "auto" */
    uint32_t flags;
    PyObject *types[TYPES];
    PyObject *dtypes[DTYPES];           /* DType objects by code */
    PyObject *dtype_names;              /* dict: what names a dtype -> DType */
    PyObject *choice;                   /* the context variable */
    PyObject *choice_get;               /* its bound method get */
    PyObject *modules;                  /* sys.modules */
    PyObject *asyncio_name;             /* "asyncio" */
    PyObject *running_loop, *current_task;      /* its functions; NULL until it is imported */
    struct {
        baton_stream *stream;
        int32_t device;
    } idle[IDLE_STREAMS];               /* streams of tasks that have ended, for the next ones */
    int32_t idle_count;
    uint64_t tasks;                     /* number of the newest task */
    struct attic *attic;                /* objects that the library has let go of */
    baton_python_api api;               /* what other extensions see */
};

/* Objects whose memory the library uses: it lets go of them from any thread. */
struct attic *attic_open(void);
void attic_close(struct attic *attic);
struct owner *owner_keep(struct attic *attic, PyObject *object);
void owner_let_go(void *owner, uint64_t address);
/* Gives up what was let go of. May run any code, as Py_DECREF may. */
void owner_flush(struct attic *attic);

/* Runs an expression without the interpreter's lock. Handles that it uses must be owned by objects that the caller
 * holds, or retained: other threads go on meanwhile. */
#define UNLOCKED(expression)                                                                                           \
    do {                                                                                                               \
        PyThreadState *unlocked_ = PyEval_SaveThread();                                                                \
        expression;                                                                                                    \
        PyEval_RestoreThread(unlocked_);                                                                               \
    } while (0)

/* ---- state and types */

/* Of an object of one of this module's own types. */
static inline struct state *state_of(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

static inline struct state *module_state(PyObject *module)
{
    return PyModule_GetState(module);
}

static inline int object_is(const struct state *state, PyObject *object, enum type type)
{
    return (PyObject *)Py_TYPE(object) == state->types[type];
}

/* This module, a new reference, as the calling interpreter has imported it. */
PyObject *module_here(void);
/* For calls that come when the module is being taken apart. */
PyObject *object_ended(void);
/* A new object with zeroed data. */
PyObject *object_new(struct state *state, enum type type);
/* The last step of each tp_dealloc; the other one is for types that the collector knows. */
void object_free(PyObject *object);
void object_free_collected(PyObject *object);
/* For types without a constructor. */
PyObject *object_no_new(PyTypeObject *type, PyObject *args, PyObject *keywords);
extern PyType_Spec array_spec, dtype_spec, scalar_spec, stream_spec, choice_spec, task_spec, fence_spec, gate_spec, scope_spec,
    mark_spec, module_spec, kernel_spec, launch_spec, graph_spec, capture_spec;

/* module.function of this package: for what is rare or easier in Python. */
PyObject *helper(const char *module, const char *function);
/* Calls it with the objects, up to the first NULL. */
PyObject *helper_call(const char *module, const char *function, ...);

/* ---- arguments of methods */

/* Distributes positional and keyword arguments over values (as many as names, which ends with NULL); those not given
 * stay NULL. Borrowed. Returns -1 with TypeError. */
int arguments_read(const char *function, const char *const *names, int required, int positional, PyObject *const *args,
                   Py_ssize_t count, PyObject *keywords, PyObject **values);
/* An int or a sequence of ints; -1 with an exception set. */
int arguments_shape(PyObject *object, int64_t *shape, int32_t *ndim);
/* An int that fits int64_t (also through __index__). */
int arguments_int(PyObject *object, int64_t *value);
/* NULL and None: fallback. */
int arguments_int32(PyObject *object, int32_t fallback, int32_t *value);
/* The number of a device; NULL and None: -1, any. */
int arguments_device(PyObject *object, int32_t *device);
/* Seconds to nanoseconds; NULL and None: BATON_UNLIMITED. */
int arguments_timeout(PyObject *object, int64_t *nanoseconds);
/* "r", "w", "rw"; NULL and None: read-write. */
int arguments_access(PyObject *object, uint32_t *access);
PyObject *tuple_of(const int64_t *values, int32_t count);

/* ---- errors */

/* Raises the exception that fits the record. */
PyObject *error_raise(const baton_error *error);
/* A record for the library, where every nanosecond counts: all else in it is read only after the library has filled it. */
static inline void error_begin(baton_error *error)
{
    error->struct_size = sizeof *error;
}

/* -1 and an exception when status is below zero. */
int error_check(int32_t status, const baton_error *error);
/* With status and message as if the library had said so. */
PyObject *error_say(int32_t status, const char *format, ...);

/* ---- the runtime */

/* Opened at first use. NULL: exception. */
baton_runtime *runtime_get(struct state *state);
int runtime_exec(PyObject *module);
void runtime_free(struct state *state);
/* What baton_array_create wants, and the ladder of collecting garbage when memory is short. */
int32_t runtime_create(struct state *state, baton_array_options *options, baton_array **array, baton_error *error);
extern PyMethodDef runtime_methods[];

/* ---- element types */

struct dtype {
    int32_t code;
    uint32_t size;
};

/* One value with a type: the C layout of an element, or raw bytes (dtype 0). */
struct scalar {
    int32_t code;
    uint32_t bytes;
    union {
        unsigned char raw[16];
        double align;
    } value;
};

static inline struct dtype *dtype_of(PyObject *object)
{
    return object_data(object);
}

/* Borrowed DType for anything that names one: NULL with TypeError. */
PyObject *dtype_find(struct state *state, PyObject *object);
/* As a code; NULL and None: fallback; -1 with an exception. */
int32_t dtype_code(struct state *state, PyObject *object, int32_t fallback);
const char *dtype_format(int32_t code);
/* A Python number as an element: 0, or -1 with TypeError or OverflowError. */
int dtype_pack(int32_t code, PyObject *number, struct scalar *scalar);
PyObject *dtype_unpack(int32_t code, const void *bytes);
/* Any object with a type of its own: a Scalar or a number of NumPy's. 1: done, 0: it is none, -1: exception. */
int scalar_read(struct state *state, PyObject *object, struct scalar *scalar);
int dtype_exec(PyObject *module);

/* ---- arrays */

struct array {
    baton_array *handle;                /* fixed from creation to deallocation */
    PyObject *weakrefs;
    int32_t dtype;
    int32_t exports;                    /* buffers that are out */
    int32_t closed;
};

static inline struct array *array_of(PyObject *object)
{
    return object_data(object);
}

/* Steals the handle, also when it fails. */
PyObject *array_make(struct state *state, baton_array *handle, int32_t dtype);
/* Of any interpreter's state: used where no state is at hand. */
int array_check(PyObject *object);
/* The handle, or NULL with TypeError or the error of a closed array. */
baton_array *array_handle(const struct state *state, PyObject *object);
int array_info(PyObject *array, baton_array_info *info);
/* A new array of that type and shape, owned by the stream. */
PyObject *array_create(struct state *state, int32_t dtype, int32_t ndim, const int64_t *shape, baton_stream *stream);
PyObject *array_view(PyObject *self, const baton_view_options *options);
/* self[key]. */
PyObject *array_index(PyObject *self, PyObject *key);
extern PyMethodDef array_create_methods[], array_view_methods[], array_transfer_methods[], array_wait_methods[], array_exchange_methods[],
    array_arrow_methods[], array_operator_methods[], dlpack_methods[], interface_methods[], arrow_methods[];
int exchange_exec(PyObject *module);
PyObject *array_interface(PyObject *self, void *closure);
int array_buffer_get(PyObject *self, Py_buffer *view, int flags);
void array_buffer_release(PyObject *self, Py_buffer *view);
PyObject *array_subscript(PyObject *self, PyObject *key);
Py_ssize_t array_length(PyObject *self);
/* Bytes in row-major order. */
PyObject *array_download(PyObject *self);

/* Elementwise operators (the slots of numbers). */
PyObject *operator_add(PyObject *left, PyObject *right);
PyObject *operator_subtract(PyObject *left, PyObject *right);
PyObject *operator_multiply(PyObject *left, PyObject *right);
PyObject *operator_divide(PyObject *left, PyObject *right);
PyObject *operator_add_in_place(PyObject *left, PyObject *right);
PyObject *operator_subtract_in_place(PyObject *left, PyObject *right);
PyObject *operator_multiply_in_place(PyObject *left, PyObject *right);
PyObject *operator_divide_in_place(PyObject *left, PyObject *right);
PyObject *operator_negative(PyObject *self);

/* ---- streams and tasks */

struct stream {
    baton_stream *handle;               /* fixed */
    PyObject *weakrefs;
    int32_t device;
};

static inline struct stream *stream_of(PyObject *object)
{
    return object_data(object);
}

/* Steals the handle, also when it fails. */
PyObject *stream_make(struct state *state, baton_stream *handle, int32_t device);
/* A Stream for: None or NULL (the task's current one), a Stream, an object with __cuda_stream__. device -1: any. */
PyObject *stream_choose(struct state *state, PyObject *object, int32_t device);
/* Keeps what makes a lent stream live until nothing names it any more; NULL: the caller's promise. */
int stream_keep(struct state *state, baton_stream *handle, PyObject *object);
/* The current one of the task, made when there is none. */
PyObject *task_stream(struct state *state, int32_t device);
int task_tag(struct state *state, baton_stream *stream);
int task_enter(struct state *state, PyObject *stream);
int task_leave(struct state *state, PyObject *stream);
int task_exec(PyObject *module);
void task_forget_idle(struct state *state);

/* ---- waiting */

/* Waits in slices that let signal handlers run; 0, or -1 with an exception. */
int fence_wait_patiently(baton_fence *fence, int64_t timeout_ns);
/* The same, and gives the fence back; NULL is allowed. A few of what was released before go with it. */
int fence_wait_once(struct state *state, baton_fence *fence, int64_t timeout_ns);
PyObject *fence_make(struct state *state, baton_fence *fence);

/* Steals the handle; the graph is launched for the first time after that. */
void graph_take(PyObject *self, baton_graph *handle);

extern PyMethodDef kernel_methods[], kernel_info_methods[], graph_methods[], info_methods[], dtype_functions[];
int capi_exec(PyObject *module);

#endif
