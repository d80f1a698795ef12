/* Where an object keeps its C data, and the few constants that the limited API of 3.11 does not name yet.
 *
 * Everything that depends on how CPython lays out an object is in this file: object types of this extension have no
 * struct that begins with PyObject_HEAD. A build for interpreters with opaque objects replaces OBJECT_BEGIN by
 * PyObject_GetTypeData and the sizes by negative ones; no other file changes. */
#ifndef BATON_PYTHON_OBJECT_H
#define BATON_PYTHON_OBJECT_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <structmember.h>

#include <stddef.h>
#include <stdint.h>

#define OBJECT_BEGIN sizeof(PyObject)
#define OBJECT_SIZE(type) ((int)(OBJECT_BEGIN + sizeof(type)))
#define OBJECT_OFFSET(type, member) ((Py_ssize_t)(OBJECT_BEGIN + offsetof(type, member)))

/* The C data of an object: zeroed when object_new made it. */
static inline void *object_data(PyObject *object)
{
    return (char *)object + OBJECT_BEGIN;
}

/* Puts an owned reference in the place of another. */
static inline void object_replace(PyObject **place, PyObject *object)
{
    PyObject *before = *place;
    *place = object;
    Py_XDECREF(before);
}

/* The member tables entry that gives a type weak references. */
#define OBJECT_WEAKREFS(type, member) { "__weaklistoffset__", T_PYSSIZET, OBJECT_OFFSET(type, member), READONLY, NULL }

/* Vector calls of instances belong to the stable ABI from 3.12 on, with the values and the signature that 3.11 has. */
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
#ifndef PY_VECTORCALL_ARGUMENTS_OFFSET
#define PY_VECTORCALL_ARGUMENTS_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))
#endif
typedef PyObject *(*object_vectorcall)(PyObject *callable, PyObject *const *args, size_t count, PyObject *names);
#define OBJECT_VECTORCALL(type, member) { "__vectorcalloffset__", T_PYSSIZET, OBJECT_OFFSET(type, member), READONLY, NULL }

static inline Py_ssize_t vectorcall_count(size_t count)
{
    return (Py_ssize_t)(count & ~PY_VECTORCALL_ARGUMENTS_OFFSET);
}

/* Methods called with an array of arguments and a tuple of keyword names. */
typedef PyObject *(*fast_method)(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names);
#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

/* The slots of newer interpreters; a build for the limited API of 3.11 has none of them and takes the defaults. */
#ifdef Py_mod_multiple_interpreters
#define SLOT_INTERPRETERS { Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
#else
#define SLOT_INTERPRETERS
#endif
#ifdef Py_mod_gil
#define SLOT_GIL { Py_mod_gil, Py_MOD_GIL_USED },
#else
#define SLOT_GIL
#endif

#endif
