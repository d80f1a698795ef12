#include "work/managed.h"

#include <stdlib.h>

#include "array/array.h"
#include "base/process.h"
#include "memory/foreign.h"

enum { DRAINED_PER_END = 16 };

int32_t scope_check(const baton_scope *scope, baton_error *err)
{
    int32_t status = handle_check(scope ? &scope->handle : NULL, HANDLE_SCOPE, "scope", err);
    if (status || atomic_load(&scope->open))
        return status;
    return fail(err, BATON_ERR_HANDLE, "the scope has ended");
}

static int32_t operands_check(baton_operand *operands, uint64_t count, baton_error *err)
{
    if (count > UINT32_MAX || (count && !operands))
        return fail(err, BATON_ERR_ARGUMENT, operands ? "too many operands" : "operands is NULL");
    for (uint64_t i = 0; i < count; i++) {
        int32_t status = array_check(operands[i].array, err);
        if (status)
            return status;
        if (operands[i].reserved)
            return fail(err, BATON_ERR_VERSION, "reserved member of operand %llu is not zero", (unsigned long long)i);
    }
    return BATON_OK;
}

static baton_scope *scope_new(baton_stream *stream, baton_scope *parent, uint32_t flags)
{
    baton_scope *scope = calloc(1, sizeof *scope);
    if (!scope)
        return NULL;
    handle_init(&scope->handle, HANDLE_SCOPE);
    scope->runtime = stream->runtime;
    scope->stream = stream;
    operation_init(&scope->op, stream, BATON_OP_SCOPE, lock_token());
    operation_keep_memories(&scope->op);
    scope->op.parent = parent ? &parent->op : NULL;
    scope->op.flags = flags & BATON_SCOPE_TRY ? OPERATION_TRY : 0;
    scope->parent = parent;
    if (parent)
        handle_retain(&parent->handle, HANDLE_SCOPE);
    runtime_retain(scope->runtime);
    stream_retain(stream);
    return scope;
}

static void scope_free(baton_scope *scope)
{
    baton_scope_release(scope->parent);
    runtime_release(scope->runtime);            /* not the last: the stream has one */
    stream_release(scope->stream);
    handle_free(&scope->handle);
}

static int32_t scope_fill(baton_scope *scope, baton_operand *operands, uint64_t count, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint64_t i = 0; i < count && !status; i++)
        status = operation_add(&scope->op, operands[i].array->memory, operands[i].access, err);
    if (!status)
        status = operation_begin(&scope->op, err);
    if (status) {
        operation_discard(&scope->op);
        return status;
    }
    for (uint64_t i = 0; i < count; i++)
        operands[i].address = array_address(operands[i].array);
    return BATON_OK;
}

int32_t baton_scope_begin(baton_stream *stream, baton_scope *parent, baton_operand *operands, uint64_t count, uint32_t flags, baton_scope **scope, baton_error *err)
{
    int32_t status = stream_resolve(&stream, err);
    if (status || (parent && (status = scope_check(parent, err))) || (status = operands_check(operands, count, err)))
        return status;
    if (!scope || flags & ~(uint32_t)BATON_SCOPE_TRY)
        return fail(err, BATON_ERR_ARGUMENT, scope ? "unknown scope flags 0x%x" : "scope is NULL", flags);
    baton_scope *made = scope_new(stream, parent, flags);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a scope");
    status = scope_fill(made, operands, count, err);
    if (status) {
        scope_free(made);
        return status;
    }
    atomic_fetch_add(&stream->scopes, 1);
    atomic_store(&made->open, 1);
    if (parent)
        atomic_fetch_add(&parent->children, 1);
    *scope = made;
    return BATON_OK;
}

int32_t baton_scope_add(baton_scope *scope, baton_operand *operand, baton_error *err)
{
    int32_t status = scope_check(scope, err);
    if (status)
        return status;
    if (!operand)
        return fail(err, BATON_ERR_ARGUMENT, "operand is NULL");
    if ((status = operands_check(operand, 1, err)))
        return status;
    status = operation_extend(&scope->op, operand->array->memory, operand->access, err);
    if (!status)
        operand->address = array_address(operand->array);
    return status;
}

int32_t baton_scope_pointer(baton_scope *scope, baton_array *array, uint32_t access, uint64_t *address, baton_error *err)
{
    int32_t status = scope_check(scope, err);
    if (status || (status = array_check(array, err)))
        return status;
    if (!address || access > BATON_READ_WRITE)
        return fail(err, BATON_ERR_ARGUMENT, address ? "unknown access %u" : "address is NULL", access);
    uint32_t held = operation_holds(&scope->op, array->memory);
    if (!held && array->memory->bytes)
        return baton_array_pointer(array, scope->stream, access, address, err);
    if (held == BATON_READ && access != BATON_READ)
        return fail(err, BATON_ERR_ARGUMENT, "the scope holds the array for reading only");
    *address = array_address(array);
    return BATON_OK;
}

/* Exactly one caller ends a scope. */
static int scope_close(baton_scope *scope)
{
    if (!atomic_exchange(&scope->open, 0))
        return 0;
    if (process_forked())
        return 1;               /* what a stream or a memory needs for it may be locked for ever by a thread that stayed behind */
    operation_submitted(&scope->op);
    atomic_fetch_sub(&scope->stream->scopes, 1);
    if (scope->parent)
        atomic_fetch_sub(&scope->parent->children, 1);
    return 1;
}

int32_t baton_scope_end(baton_scope *scope, baton_error *err)
{
    int32_t status = scope_check(scope, err);
    if (status)
        return status;
    if (atomic_load(&scope->children))
        return fail(err, BATON_ERR_SCOPE_OPEN, "a scope inside this one is still open");
    if (!scope_close(scope))
        return fail(err, BATON_ERR_HANDLE, "the scope has ended");
    runtime_drain(scope->runtime, DRAINED_PER_END);
    return process_check(err);
}

void baton_scope_abort(baton_scope *scope)
{
    if (handle_is(scope ? &scope->handle : NULL, HANDLE_SCOPE))
        scope_close(scope);
}

void baton_scope_release(baton_scope *scope)
{
    if (!scope || !handle_release(&scope->handle, HANDLE_SCOPE))
        return;
    scope_close(scope);
    scope_free(scope);
}

int32_t baton_with_managed(baton_stream *stream, baton_operand *operands, uint64_t count, baton_managed_function function, void *user, baton_error *err)
{
    baton_scope *scope;
    if (!function)
        return fail(err, BATON_ERR_ARGUMENT, "function is NULL");
    int32_t status = baton_scope_begin(stream, NULL, operands, count, 0, &scope, err);
    if (status)
        return status;
    int32_t result = function(user, stream, operands, count);
    status = baton_scope_end(scope, err);
    baton_scope_release(scope);
    return result ? device_returned(stream->device, result, "the function", err) : status;
}
