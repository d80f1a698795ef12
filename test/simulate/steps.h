/* What the kinds of steps share. Each function does nothing when its step does not fit the state. */
#ifndef BATON_TEST_SIMULATE_STEPS_H
#define BATON_TEST_SIMULATE_STEPS_H

#include "world.h"

/* The number as one of a lane, array, ... that can be used now; else NONE. */
int lane_at(int number);
int lane_captured(int number);          /* of a lane that is captured */
int cell_at(int number);
int cell_free(int number);
int cell_like(int number, int cell);    /* mostly one with as many elements as that */
struct piece cell_piece(int cell);
int piece_contiguous(struct piece piece);

/* Statuses that a submission on the lane may have, by what is captured and where the memories are. */
uint64_t submission_allowed(int lane, const int *cells);
/* The same, when a kernel touches them: not memory that a device cannot reach. */
uint64_t kernel_allowed(int lane, const int *cells);

/* A call on arrays (NONE ends the list) and a lane. */
struct call call_on(int act, int lane, int first, int second, int third);

void step_create(const struct step *step, int task);
void step_wrap(const struct step *step, int task);
void step_view(const struct step *step, int task);
void step_resize(const struct step *step, int task);
void step_release(const struct step *step, int task);
void step_garbage(const struct step *step, int task);
void step_collect(const struct step *step, int task);
void step_dispose(const struct step *step, int task);
void step_drain(const struct step *step, int task);
void step_limit(const struct step *step, int task);
void step_stream(const struct step *step, int task);
void step_native(const struct step *step, int task);

void step_fill(const struct step *step, int task);
void step_copy(const struct step *step, int task);
void step_cast(const struct step *step, int task);
void step_upload(const struct step *step, int task);
void step_download(const struct step *step, int task);
void step_download_async(const struct step *step, int task);
void step_range(const struct step *step, int task);
void step_arithmetic(const struct step *step, int task);
void step_scale(const struct step *step, int task);
void step_mix(const struct step *step, int task);
void step_managed(const struct step *step, int task);

void step_synchronize_array(const struct step *step, int task);
void step_synchronize_stream(const struct step *step, int task);
void step_query(const struct step *step, int task);
void step_follow(const struct step *step, int task);
void step_fence(const struct step *step, int task);
void step_fence_wait(const struct step *step, int task);
void step_pointer(const struct step *step, int task);
void step_foreign(const struct step *step, int task);
void step_host_pointer(const struct step *step, int task);

void step_scope_begin(const struct step *step, int task);
void step_scope_mix(const struct step *step, int task);
void step_scope_pointer(const struct step *step, int task);
void step_scope_end(const struct step *step, int task);
void scope_finish(const struct step *step, int task, int abort);

void step_capture_begin(const struct step *step, int task);
void step_capture_end(const struct step *step, int task);
void capture_finish(const struct step *step, int lane, int graph);      /* graph NONE: abandoned */
void step_fork(const struct step *step, int task);
void step_instantiate(const struct step *step, int task);
void step_update(const struct step *step, int task);
void step_graph_launch(const struct step *step, int task);
void step_graph_release(const struct step *step, int task);

void step_export(const struct step *step, int task);
void step_export_foreign(const struct step *step, int task);
void step_export_end(const struct step *step, int task);
void step_exchange(const struct step *step, int task);
void step_arrow(const struct step *step, int task);
void step_arrow_end(const struct step *step, int task);

#endif
