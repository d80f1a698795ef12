/* The life of an array's handle: made, counted, given back with its memory or without. */
#include <stdlib.h>

#include "array/array.h"

/* The memory takes the handle along into the cache, for the next array over that block; else it ends with the memory. */
static int leave_with_memory(baton_array *array)
{
    if (HANDLES_STAY_READABLE || (array->memory->spare && array->memory->spare != array))
        return 0;
    array->memory->spare = array;
    handle_end(&array->handle);
    return 1;
}

static enum deferred_result reclaim(struct deferred *node, enum cache_how how)
{
    baton_array *array = (baton_array *)((char *)node - offsetof(baton_array, node));
    baton_runtime *runtime = array->ends_memory ? NULL : array->runtime;
    int left = array->ends_memory && leave_with_memory(array);
    if (array->ends_memory && memory_reclaim(array->memory, how) == DEFERRED_LATER)
        return DEFERRED_LATER;
    if (!left)
        handle_free(&array->handle);
    if (runtime)
        runtime_release(runtime);
    return DEFERRED_DONE;
}

static enum deferred_result array_reclaim(struct deferred *node)
{
    return reclaim(node, CACHE_FULLY);
}

enum deferred_result array_reclaim_at_once(struct deferred *node)
{
    int last = node->reclaim == array_reclaim && ((baton_array *)((char *)node - offsetof(baton_array, node)))->ends_memory;
    return last ? reclaim(node, CACHE_AT_ONCE) : DEFERRED_LATER;
}

void array_set_layout(baton_array *array, const struct layout *layout)
{
    layout_assign(&array->layout, layout);
    array->bytes = (uint64_t)layout_elements(layout) * array->element_bytes;
    array->contiguous = layout_contiguous(layout);
}

static void array_fill(baton_array *made, struct memory *memory, int32_t dtype, const struct layout *layout, int is_view)
{
    handle_init(&made->handle, HANDLE_ARRAY);
    made->node.reclaim = array_reclaim;
    made->runtime = memory->runtime;
    made->memory = memory;
    made->dtype = dtype;
    made->element_bytes = dtype_bytes(dtype);
    made->is_view = is_view;
    made->ends_memory = 0;
    atomic_init(&made->interface, NULL);
    array_set_layout(made, layout);
}

int32_t array_make(struct memory *memory, int32_t dtype, const struct layout *layout, int is_view, baton_array **array, baton_error *err)
{
    baton_array *made = malloc(sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an array");
    array_fill(made, memory, dtype, layout, is_view);
    atomic_fetch_add_explicit(&made->runtime->made_arrays, 1, memory_order_relaxed);
    *array = made;
    return BATON_OK;
}

baton_array *array_again(struct memory *memory, int32_t dtype, const struct layout *layout)
{
    baton_array *again = memory->spare;
    memory->spare = NULL;
    if (again)
        array_fill(again, memory, dtype, layout, 0);
    return again;
}

int32_t baton_array_retain(baton_array *array)
{
    return handle_retain(array ? &array->handle : NULL, HANDLE_ARRAY);
}

void baton_array_release(baton_array *array)
{
    if (!array || !handle_release(&array->handle, HANDLE_ARRAY))
        return;
    baton_runtime *runtime = array->runtime;
    atomic_fetch_add_explicit(&runtime->ended_arrays, 1, memory_order_release);
    export_end(atomic_load_explicit(&array->interface, memory_order_acquire));
    if (memory_shared(array->memory)) {
        runtime_retain(runtime);        /* as long as the handle waits for the drain, also when the memory is gone by then */
        memory_release(array->memory);
    } else {
        array->ends_memory = 1;
        memory_drop_last(array->memory);
    }
    runtime_defer(runtime, &array->node);
}

void baton_array_release_n(baton_array *const *arrays, uint64_t count)
{
    for (uint64_t i = 0; arrays && i < count; i++)
        baton_array_release(arrays[i]);
}
