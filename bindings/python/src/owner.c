/* Objects that must live as long as memory of theirs that the library uses. The library lets go of them inside some call, on any thread, without the interpreter's
 * lock, perhaps when the interpreter is gone. So its callback only puts them on a list, and the interpreter takes them from there: soon, on its main thread, or,
 * in other interpreters, and when the main thread is busy, at the next call that looks (owner_flush). */
#include "core.h"

#include <stdatomic.h>
#include <stdlib.h>

struct owner {
    PyObject *object;
    struct attic *attic;
    struct owner *next;
};

/* Lives until the interpreter and all owners have let it go. */
struct attic {
    _Atomic(struct owner *) first;
    _Atomic int32_t references;
    _Atomic int32_t scheduled;          /* the interpreter has been asked to look */
    _Atomic int32_t closed;             /* the interpreter ends: objects are left where they are */
    int main;                           /* only the main interpreter can be asked */
};

static void attic_release(struct attic *attic)
{
    if (atomic_fetch_sub(&attic->references, 1) == 1)
        free(attic);
}

struct attic *attic_open(void)
{
    struct attic *attic = calloc(1, sizeof *attic);
    if (!attic)
        return (struct attic *)(void *)PyErr_NoMemory();
    attic->references = 1;
    attic->main = PyInterpreterState_GetID(PyInterpreterState_Get()) == 0;
    return attic;
}

void attic_close(struct attic *attic)
{
    if (!attic)
        return;
    owner_flush(attic);
    attic->closed = 1;
    attic_release(attic);
}

void owner_flush(struct attic *attic)
{
    struct owner *owner = atomic_load(&attic->first) ? atomic_exchange(&attic->first, NULL) : NULL;
    while (owner) {
        struct owner *next = owner->next;
        Py_DECREF(owner->object);
        free(owner);
        attic_release(attic);           /* the caller, or the interpreter, has a reference left */
        owner = next;
    }
}

static int look(void *argument)
{
    struct attic *attic = argument;
    attic->scheduled = 0;
    if (!attic->closed)
        owner_flush(attic);
    attic_release(attic);
    return 0;
}

/* A full queue is no loss: the next owner, or the next call that looks, comes anyway. */
static void ask_to_look(struct attic *attic)
{
    if (!attic->main || attic->closed || atomic_exchange(&attic->scheduled, 1))
        return;
    atomic_fetch_add(&attic->references, 1);
    if (Py_AddPendingCall(look, attic)) {
        attic->scheduled = 0;
        attic_release(attic);
    }
}

struct owner *owner_keep(struct attic *attic, PyObject *object)
{
    struct owner *owner = malloc(sizeof *owner);
    if (!owner)
        return (struct owner *)(void *)PyErr_NoMemory();
    *owner = (struct owner) { .object = Py_NewRef(object), .attic = attic };
    atomic_fetch_add(&attic->references, 1);
    return owner;
}

/* A baton_deleter. */
void owner_let_go(void *user, uint64_t address)
{
    struct owner *owner = user;
    struct attic *attic = owner->attic;
    (void)address;
    atomic_fetch_add(&attic->references, 1);    /* once it is on the list, another thread may end it */
    owner->next = atomic_load(&attic->first);
    while (!atomic_compare_exchange_weak(&attic->first, &owner->next, owner)) {
    }
    ask_to_look(attic);
    attic_release(attic);
}
