#include "program.h"

#include <string.h>

#include "baton.h"
#include "driver/driver.h"

/* How often each kind is drawn. */
static const uint8_t weights[STEP_COUNT] = {
    [STEP_CREATE] = 8, [STEP_WRAP] = 2, [STEP_VIEW] = 5, [STEP_RESIZE] = 3, [STEP_RELEASE] = 5, [STEP_GARBAGE] = 4, [STEP_COLLECT] = 2,
    [STEP_DISPOSE] = 1, [STEP_DRAIN] = 2, [STEP_LIMIT] = 1, [STEP_STREAM] = 3, [STEP_NATIVE] = 1,
    [STEP_FILL] = 8, [STEP_COPY] = 10, [STEP_CAST] = 3, [STEP_UPLOAD] = 4, [STEP_DOWNLOAD] = 4, [STEP_DOWNLOAD_ASYNC] = 3, [STEP_RANGE] = 4,
    [STEP_ARITHMETIC] = 6, [STEP_SCALE] = 3, [STEP_MIX] = 20, [STEP_MANAGED] = 3,
    [STEP_SYNCHRONIZE_ARRAY] = 2, [STEP_SYNCHRONIZE_STREAM] = 2, [STEP_QUERY] = 3, [STEP_FOLLOW] = 2, [STEP_FENCE] = 3, [STEP_FENCE_WAIT] = 4,
    [STEP_POINTER] = 4, [STEP_FOREIGN] = 5, [STEP_HOST_POINTER] = 3,
    [STEP_SCOPE_BEGIN] = 5, [STEP_SCOPE_MIX] = 6, [STEP_SCOPE_POINTER] = 1, [STEP_SCOPE_END] = 8,
    [STEP_CAPTURE_BEGIN] = 4, [STEP_CAPTURE_END] = 4, [STEP_FORK] = 2, [STEP_INSTANTIATE] = 5, [STEP_UPDATE] = 2, [STEP_GRAPH_LAUNCH] = 9,
    [STEP_GRAPH_RELEASE] = 2, [STEP_EXPORT] = 3, [STEP_EXPORT_FOREIGN] = 4, [STEP_EXPORT_END] = 3, [STEP_EXCHANGE] = 2, [STEP_ARROW] = 2, [STEP_ARROW_END] = 2,
};

/* Not those that give things back: what they fail to give back is lost, as the driver has said. */
static const uint8_t fault_rows[] = {
    DRIVER_ROW_launch, DRIVER_ROW_copy, DRIVER_ROW_copy_to_device, DRIVER_ROW_copy_to_host, DRIVER_ROW_copy_peer, DRIVER_ROW_fill32, DRIVER_ROW_event_record,
    DRIVER_ROW_event_create, DRIVER_ROW_event_query, DRIVER_ROW_event_synchronize, DRIVER_ROW_stream_create, DRIVER_ROW_stream_wait_event,
    DRIVER_ROW_stream_query, DRIVER_ROW_stream_synchronize, DRIVER_ROW_alloc_async, DRIVER_ROW_alloc, DRIVER_ROW_alloc_managed, DRIVER_ROW_host_alloc,
    DRIVER_ROW_context_push, DRIVER_ROW_pointer_attribute, DRIVER_ROW_capture_begin, DRIVER_ROW_capture_status, DRIVER_ROW_capture_info,
    DRIVER_ROW_capture_update, DRIVER_ROW_graph_add_child, DRIVER_ROW_graph_instantiate, DRIVER_ROW_graph_update, DRIVER_ROW_graph_launch,
};
static const uint16_t fault_codes[] = { DRIVER_INVALID_VALUE, DRIVER_OUT_OF_MEMORY, DRIVER_INVALID_HANDLE, 304 };
static const uint16_t sticky_codes[] = { DRIVER_ILLEGAL_ADDRESS, 719 };

/* splitmix64 */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % below;
}

static uint8_t draw_kind(uint64_t *state)
{
    unsigned all = 0, at;
    uint8_t kind = 0;
    for (int i = 0; i < STEP_COUNT; i++)
        all += weights[i];
    for (at = (unsigned)draw(state, all); at >= weights[kind]; kind++)
        at -= weights[kind];
    return kind;
}

static void draw_fault(struct step *step, uint64_t *state, int sticky)
{
    step->fault_nth = (uint8_t)(1 + draw(state, 3));
    step->fault_row = fault_rows[draw(state, sizeof fault_rows)];
    step->fault_code = sticky ? sticky_codes[draw(state, 2)] : fault_codes[draw(state, 4)];
}

void program_draw(struct program *program, uint64_t seed, int steps, int faults)
{
    static const uint32_t flags[] = { 0, 0, 2, 2, 2, 1, 4, 6 };     /* the cache hides from the oracle when memory begins */
    uint64_t state = seed;
    int sticky = faults && draw(&state, 12) == 0;
    memset(program, 0, sizeof *program);
    program->seed = seed * 2 + 1;
    program->tasks = (int)(1 + draw(&state, TURNS_TASKS));
    program->threads = (int)(1 + draw(&state, TURNS_THREADS));
    program->yields = program->tasks > 1 || draw(&state, 2);
    program->flags = flags[draw(&state, 8)] | (seed % 5 == 0 ? BATON_RUNTIME_TRY : 0);
    program->at_once = seed % 5 == 1;
    program->runtime_first = (int)draw(&state, 2);
    program->count = steps < MOST_STEPS ? steps : MOST_STEPS;
    for (int i = 0; i < program->count; i++) {
        struct step *step = &program->steps[i];
        step->kind = i < 8 ? STEP_STREAM : i < 18 ? STEP_CREATE : draw_kind(&state);
        step->task = (uint8_t)draw(&state, (uint64_t)program->tasks);
        step->thread = (uint8_t)draw(&state, (uint64_t)program->threads);
        for (int k = 0; k < DRAWN; k++)
            step->n[k] = (int16_t)draw(&state, 1000);
        if (i < 8)
            step->n[0] = (int16_t)i;
        if (faults && draw(&state, (uint64_t)faults) == 0)
            draw_fault(step, &state, sticky);
    }
}
