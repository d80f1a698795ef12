/* Tensors of other libraries, taken in. */
#include "exchange/claim.h"
#include "exchange/dlpack.h"

static void managed_delete(void *user, uint64_t address)
{
    struct dlpack_managed *managed = user;
    (void)address;
    if (managed->deleter)
        managed->deleter(managed);
}

static void legacy_delete(void *user, uint64_t address)
{
    struct dlpack_legacy *managed = user;
    (void)address;
    if (managed->deleter)
        managed->deleter(managed);
}

static int32_t check(baton_runtime *runtime, const void *managed, baton_stream **stream, baton_array **array, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status || (*stream && (status = stream_resolve(stream, err))))
        return status;
    if (!managed || !array)
        return fail(err, BATON_ERR_ARGUMENT, managed ? "array is NULL" : "managed is NULL");
    return BATON_OK;
}

/* What both kinds have in common: the tensor. */
struct taken {
    const struct dlpack_tensor *tensor;
    baton_stream *stream;
    baton_deleter deleter;
    void *user;
    int read_only;
};

static int32_t take(baton_runtime *runtime, const struct taken *taken, baton_array **array, baton_error *err)
{
    const struct dlpack_tensor *tensor = taken->tensor;
    struct claim claim;
    int32_t dtype, status = dtype_from_dlpack(tensor->code, tensor->bits, tensor->lanes, &dtype);
    if (status)
        return fail(err, status, "no dtype for code %u, %u bits, %u lanes", tensor->code, tensor->bits, tensor->lanes);
    status = claim_layout(&claim, dtype, tensor->ndim, tensor->shape, tensor->strides, (uint64_t)(uintptr_t)tensor->data, tensor->byte_offset, err);
    if (status || (status = claim_place(runtime, tensor->device_type, tensor->device_id, &claim, err)))
        return status;
    return claim_take(&claim, taken->stream, taken->deleter, taken->user, taken->read_only, array, err);
}

int32_t baton_dlpack_import(baton_runtime *runtime, void *foreign, baton_stream *stream, baton_array **array, baton_error *err)
{
    struct dlpack_managed *managed = foreign;
    int32_t status = check(runtime, managed, &stream, array, err);
    if (status)
        return status;
    if (managed->major != DLPACK_MAJOR)
        return fail(err, BATON_ERR_VERSION, "DLPack version %u.%u: only %d.x is understood", managed->major, managed->minor, DLPACK_MAJOR);
    struct taken taken = { &managed->tensor, stream, managed_delete, managed, managed->flags & DLPACK_READ_ONLY ? 1 : 0 };
    return take(runtime, &taken, array, err);
}

int32_t baton_dlpack_import_legacy(baton_runtime *runtime, void *foreign, baton_stream *stream, baton_array **array, baton_error *err)
{
    struct dlpack_legacy *managed = foreign;
    int32_t status = check(runtime, managed, &stream, array, err);
    if (status)
        return status;
    struct taken taken = { &managed->tensor, stream, legacy_delete, managed, 0 };
    return take(runtime, &taken, array, err);
}
