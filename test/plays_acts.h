/* What the stories are made of, and the stories: each returns the first status that is not BATON_OK. */
#ifndef BATON_TEST_PLAYS_ACTS_H
#define BATON_TEST_PLAYS_ACTS_H

#include "plays.h"

baton_array_options play_options(int32_t kind, const int64_t *elements, baton_stream *stream);
int32_t play_make(struct play *play, int32_t kind, baton_array **array);     /* PLAY_ELEMENTS of i32, on stream a */
int32_t play_fill(struct play *play, baton_array *array, int32_t value, baton_stream *stream);
int32_t play_kernel(struct play *play, baton_kernel **made);
int32_t play_launch(struct play *play, baton_stream *stream, baton_scope *scope);   /* x = y + 1 */

int32_t act_create_device(struct play *play);
int32_t act_create_host(struct play *play);
int32_t act_create_unified(struct play *play);
int32_t act_fill(struct play *play);
int32_t act_copy(struct play *play);
int32_t act_launch(struct play *play);
int32_t act_launch_extended(struct play *play);
int32_t act_launch_too_large(struct play *play);
int32_t act_fill_narrow(struct play *play);
int32_t act_pinned(struct play *play);
int32_t act_crowd(struct play *play);
int32_t act_wrap_stream(struct play *play);
int32_t act_occupancy(struct play *play);
int32_t act_hand_off(struct play *play);
int32_t act_upload(struct play *play);
int32_t act_download(struct play *play);
int32_t act_download_async(struct play *play);
int32_t act_scope(struct play *play);
int32_t act_scope_grown(struct play *play);
int32_t act_managed(struct play *play);
int32_t act_pointer(struct play *play);
int32_t act_note_use(struct play *play);
int32_t act_fence(struct play *play);
int32_t act_stream(struct play *play);
int32_t act_synchronize(struct play *play);
int32_t act_export(struct play *play);
int32_t act_export_copies(struct play *play);
int32_t act_arrow(struct play *play);
int32_t act_interface(struct play *play);
int32_t act_adopt(struct play *play);
int32_t act_lent(struct play *play);
int32_t act_resize(struct play *play);
int32_t act_wrap(struct play *play);
int32_t act_gate(struct play *play);
int32_t act_strided(struct play *play);
int32_t act_elementwise(struct play *play);       /* x becomes 3 * y + 4 */
int32_t act_device(struct play *play);
int32_t act_legacy(struct play *play);
int32_t act_per_thread(struct play *play);
int32_t act_kernel(struct play *play);
int32_t act_dispose(struct play *play);
int32_t act_drain(struct play *play);
int32_t act_information(struct play *play);
int32_t act_names(struct play *play);
int32_t act_questions(struct play *play);
int32_t act_trace(struct play *play);
int32_t act_references(struct play *play);
int32_t act_wait(struct play *play);
int32_t act_module(struct play *play);
int32_t act_compile(struct play *play);
int32_t act_graph(struct play *play);
int32_t act_graph_update(struct play *play);
int32_t act_graph_nested(struct play *play);
int32_t act_capture_run(struct play *play);
int32_t act_capture_abandon(struct play *play);
int32_t act_limit(struct play *play);
int32_t act_second_runtime(struct play *play);
int32_t act_close(struct play *play);

#endif
