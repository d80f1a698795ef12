/* Stories of asking and of references: what is known without the device, and what keeps what. */
#include "plays_acts.h"

/* Takes no runtime. */
int32_t act_names(struct play *play)
{
    const char *name;
    uint32_t offset, size;
    int known = baton_version() && baton_abi_version() && baton_status_name(BATON_OK) && baton_operation_name(BATON_OP_FILL) &&
                baton_dtype_name(BATON_I32) && baton_host_wait_name(0) && baton_dtype_size(BATON_I32) == 4 && baton_process_copies() >= 1;
    (void)play;
    return known ? baton_abi_layout(0, &name, &offset, &size) : BATON_ERR_ARGUMENT;
}

static int32_t ask_runtime(struct play *play)
{
    baton_runtime_info information = { .struct_size = sizeof information };
    baton_stats stats = { .struct_size = sizeof stats };
    int32_t count, status = baton_runtime_info_read(play->runtime, &information, &play->error);
    if (status || (status = baton_device_count(play->runtime, &count, &play->error)))
        return status;
    return count == 2 ? baton_stats_read(play->runtime, &stats, &play->error) : BATON_ERR_DEVICE;
}

static int32_t ask_objects(struct play *play)
{
    baton_array_info info = { .struct_size = sizeof info };
    uint64_t id;
    int32_t number, other, status = baton_stream_id(play->a, &id, &play->error);
    if (status || (status = baton_stream_device(play->a, &number, &play->error)) || (status = baton_stream_set_task(play->a, 0, &play->error)) ||
        (status = baton_array_info_read(play->x, &info, &play->error)))
        return status;
    return baton_dlpack_device(play->x, &number, &other, &play->error);
}

int32_t act_questions(struct play *play)
{
    int32_t status = ask_runtime(play);
    return status ? status : ask_objects(play);
}

int32_t act_information(struct play *play)
{
    baton_device_info device = { .struct_size = sizeof device };
    int32_t status = baton_device_info_read(play->runtime, 1, &device, &play->error);
    return status ? status : baton_trim(play->runtime, 0, 0, &play->error);
}

int32_t act_trace(struct play *play)
{
    baton_trace_entry entries[4];
    uint32_t count;
    int32_t status = baton_trace_start(play->runtime, 4, &play->error);
    if (status)
        return status;
    if (!(status = play_launch(play, play->b, NULL)))
        status = baton_trace_read(play->runtime, entries, 4, &count, &play->error);
    int32_t stopped = baton_trace_start(play->runtime, 0, status ? NULL : &play->error);
    return status ? status : stopped;
}

static int32_t views_released(struct play *play)
{
    const baton_view_options all = { .struct_size = sizeof all, .ndim = 1 };
    baton_array *views[2];
    int32_t status = baton_array_view(play->x, &all, &views[0], &play->error);
    if (status)
        return status;
    status = baton_array_view(play->y, &all, &views[1], &play->error);
    baton_array_release_n(views, status ? 1 : 2);
    return status;
}

int32_t act_references(struct play *play)
{
    baton_fence *fence;
    int32_t status = baton_array_retain(play->x);
    if (status)
        return status;
    baton_array_release(play->x);
    if ((status = baton_stream_retain(play->a)))
        return status;
    baton_stream_release(play->a);
    if ((status = baton_stream_fence(play->a, &fence, &play->error)))
        return status;
    if (!(status = baton_fence_retain(fence)))
        baton_fence_release(fence);
    baton_fence_release(fence);
    return status ? status : views_released(play);
}

/* For a task, and of memory that is not waited for. */
int32_t act_wait(struct play *play)
{
    int32_t status = play_launch(play, play->b, NULL);
    if (status || (status = baton_array_wait(play->y, play->b, BATON_WAIT_BLOCK, &play->error)) ||
        (status = baton_array_set_synchronizing(play->x, 0, &play->error)))
        return status;
    status = baton_array_query(play->x, &play->error);
    int32_t again = baton_array_set_synchronizing(play->x, 1, &play->error);
    return status < 0 ? status : again;
}
