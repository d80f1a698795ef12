/* from_dlpack: arrays over the memory of other libraries' objects. */
#include "exchange.h"

static const char versioned_name[] = "dltensor_versioned", legacy_name[] = "dltensor";

/* Names as the protocol has them: static, since the capsule keeps only the pointer. */
static const char versioned_used[] = "used_dltensor_versioned", legacy_used[] = "used_dltensor";

/* Whoever gives a capsule its other name owns the tensor. */
static PyObject *take_capsule(struct state *state, PyObject *capsule, baton_stream *stream)
{
    if (PyCapsule_IsValid(capsule, versioned_name)) {
        struct dlpack_managed *managed = PyCapsule_GetPointer(capsule, versioned_name);
        return PyCapsule_SetName(capsule, versioned_used) ? NULL : exchange_take(state, managed, stream);
    }
    if (PyCapsule_IsValid(capsule, legacy_name)) {
        struct dlpack_legacy *legacy = PyCapsule_GetPointer(capsule, legacy_name);
        return PyCapsule_SetName(capsule, legacy_used) ? NULL : exchange_take_legacy(state, legacy, stream);
    }
    return PyErr_Format(PyExc_BufferError, "__dlpack__ gave no unused capsule of DLPack");
}

/* ---- asking the producer */

struct consumer {
    PyObject *stream;                   /* Stream; NULL: the memory takes none */
    PyObject *number;                   /* how it is named */
    PyObject *copy;                     /* borrowed; True, False or None */
    int old;                            /* the producer knows nothing but streams */
};

static PyObject *method_of(PyObject *producer, const char *name)
{
    PyObject *method = PyObject_GetAttrString(producer, name);
    if (!method && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Format(PyExc_TypeError, "%R has no %s", (PyObject *)Py_TYPE(producer), name);
    return method;
}

static int ask_device(PyObject *producer, int32_t *type, int32_t *id)
{
    int first = 0, second = 0;
    PyObject *method = method_of(producer, "__dlpack_device__");
    PyObject *pair = method ? PyObject_CallNoArgs(method) : NULL;
    Py_XDECREF(method);
    if (pair && !PyTuple_Check(pair))
        PyErr_SetString(PyExc_TypeError, "__dlpack_device__ returns (type, id)");
    int known = pair && PyTuple_Check(pair) && PyArg_ParseTuple(pair, "ii;__dlpack_device__ returns (type, id)", &first, &second);
    Py_XDECREF(pair);
    *type = first;
    *id = second;
    return known ? 0 : -1;
}

/* The stream that the producer is to make ready, for memory that streams use. Managed memory does not say its device. */
static int choose_stream(struct state *state, PyObject *wanted, int32_t type, int32_t id, struct consumer *consumer)
{
    uint64_t native;
    if (type != PLACE_CUDA && type != PLACE_CUDA_MANAGED)
        return 0;
    consumer->stream = stream_choose(state, wanted, type == PLACE_CUDA ? id : 0);
    if (!consumer->stream || exchange_number(consumer->stream, &native))
        return -1;
    if (type == PLACE_CUDA && stream_of(consumer->stream)->device != id) {
        PyErr_Format(PyExc_BufferError, "the memory is on device %d, and the stream on device %d", (int)id, (int)stream_of(consumer->stream)->device);
        return -1;
    }
    consumer->number = PyLong_FromUnsignedLongLong(native);
    return consumer->number ? 0 : -1;
}

static PyObject *call(PyObject *method, const struct consumer *consumer)
{
    PyObject *none = PyTuple_New(0), *keywords = PyDict_New(), *version = Py_BuildValue("(ii)", DLPACK_MAJOR, DLPACK_MINOR), *capsule = NULL;
    int ready = none && keywords && version;
    if (ready && consumer->number)
        ready = !PyDict_SetItemString(keywords, "stream", consumer->number);
    if (ready && !consumer->old)
        ready = !PyDict_SetItemString(keywords, "max_version", version);
    if (ready && !consumer->old && consumer->copy != Py_None)
        ready = !PyDict_SetItemString(keywords, "copy", consumer->copy);
    if (ready)
        capsule = PyObject_Call(method, none, keywords);
    Py_XDECREF(version);
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    return capsule;
}

/* Producers from before DLPack 1.0 refuse keywords that they do not know. */
static PyObject *ask_capsule(PyObject *producer, struct consumer *consumer)
{
    PyObject *method = method_of(producer, "__dlpack__");
    PyObject *capsule = method ? call(method, consumer) : NULL;
    if (method && !capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        consumer->old = 1;
        capsule = call(method, consumer);
    }
    Py_XDECREF(method);
    return capsule;
}

static PyObject *take_from(struct state *state, PyObject *producer, struct consumer *consumer)
{
    PyObject *capsule = ask_capsule(producer, consumer);
    PyObject *array = capsule ? take_capsule(state, capsule, consumer->stream ? stream_of(consumer->stream)->handle : NULL) : NULL;
    Py_XDECREF(capsule);
    if (array && consumer->old && consumer->copy == Py_True)
        object_replace(&array, PyObject_CallMethod(array, "copy", NULL));
    return array;
}

/* The device comes first: it tells which stream is meant. */
static PyObject *import_by_methods(struct state *state, PyObject *producer, PyObject *copy, PyObject *stream)
{
    struct consumer consumer = { .copy = copy };
    int32_t type, id;
    PyObject *array = NULL;
    if (ask_device(producer, &type, &id) || exchange_reachable(state, type))
        return NULL;
    if (!choose_stream(state, stream, type, id, &consumer))
        array = take_from(state, producer, &consumer);
    Py_XDECREF(consumer.number);
    Py_XDECREF(consumer.stream);
    return array;
}

/* _from_dlpack(producer, copy, stream): copy is True, False or None */
static PyObject *from_dlpack(PyObject *module, PyObject *args)
{
    struct state *state = module_state(module);
    PyObject *producer, *copy, *stream;
    if (!PyArg_ParseTuple(args, "OOO:_from_dlpack", &producer, &copy, &stream) || !runtime_get(state))
        return NULL;
    const struct dlpack_api *table = copy == Py_None ? exchange_table(producer) : NULL;
    if (!table && PyErr_Occurred())
        return NULL;
    return table ? exchange_import(state, table, producer) : import_by_methods(state, producer, copy, stream);
}

PyMethodDef dlpack_methods[] = {
    { "_from_dlpack", from_dlpack, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
