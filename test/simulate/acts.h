/* Every call that a simulated program makes: a name, how many numbers it takes, and the C text that is run and printed. */
#ifndef BATON_TEST_SIMULATE_ACTS_H
#define BATON_TEST_SIMULATE_ACTS_H

#include <stdint.h>

/* ACT(name, what it calls): v[0] … are numbers of arrays, streams and so on. */
#define ACTS(ACT)                                                                                                                  \
    ACT(stream_create, baton_stream_create(rt, v[1], 0, 0, &s[v[0]], &error))                                                      \
    ACT(stream_legacy, baton_stream_wrap(rt, v[1], BATON_STREAM_LEGACY, &s[v[0]], &error))                                         \
    ACT(stream_adopt, adopt(v[0], v[1]))                                                                                           \
    ACT(stream_gone, lent_end(v[0]))                                                                                               \
    ACT(stream_task, baton_stream_set_task(s[v[0]], (uint64_t)v[1], &error))                                                       \
    ACT(stream_native, baton_stream_native(s[v[0]], &native[v[0]], &error))                                                        \
    ACT(stream_release, (baton_stream_release(s[v[0]]), s[v[0]] = NULL, BATON_OK))                                                 \
    ACT(stream_synchronize, baton_stream_synchronize(s[v[0]], v[1], &error))                                                       \
    ACT(stream_query, baton_stream_query(s[v[0]], &error))                                                                         \
    ACT(stream_follow, baton_stream_follow(s[v[0]], s[v[1]], &error))                                                              \
    ACT(create, baton_array_create(rt, ARRAY(v[1], v[2], v[3], s[v[4]]), &a[v[0]], &error))                                        \
    ACT(create_at_once, baton_array_create(rt, AT_ONCE(v[1], v[2], v[3], s[v[4]]), &a[v[0]], &error))                              \
    ACT(wrap, wrap(v[0], v[1], s[v[2]]))                                                                                           \
    ACT(view, baton_array_view(a[v[1]], SLICE(v[2], v[3], v[4]), &a[v[0]], &error))                                                \
    ACT(resize, baton_array_resize(a[v[0]], v[1], s[v[2]], &error))                                                                \
    ACT(release, (baton_array_release(a[v[0]]), a[v[0]] = NULL, BATON_OK))                                                         \
    ACT(garbage, (garbage(a[v[0]]), a[v[0]] = NULL, BATON_OK))                                                                     \
    ACT(collect, garbage_collect())                                                                                                \
    ACT(dispose, baton_array_dispose(a[v[0]], &error))                                                                             \
    ACT(drain, baton_drain(rt, (uint64_t)v[0], NULL, &error))                                                                      \
    ACT(trim, baton_trim(rt, v[0], 0, &error))                                                                                     \
    ACT(limit, baton_set_memory_limit(rt, v[0], (uint64_t)v[1], &error))                                                           \
    ACT(fill, baton_fill(a[v[0]], &(int32_t) { v[1] }, 4, s[v[2]], &error))                                                        \
    ACT(copy, baton_copy(a[v[0]], a[v[1]], s[v[2]], &error))                                                                       \
    ACT(cast, baton_cast(a[v[0]], a[v[1]], s[v[2]], &error))                                                                       \
    ACT(upload, upload(a[v[0]], v[1], v[2], v[3], s[v[4]]))                                                                        \
    ACT(download, baton_download(place[v[0]], (uint64_t)v[1], a[v[2]], s[v[3]], &error))                                           \
    ACT(download_async, baton_download_async(place[v[0]], (uint64_t)v[1], a[v[2]], s[v[3]], &f[v[0]], &error))                     \
    ACT(range, baton_range(a[v[0]], &(int32_t) { v[1] }, &(int32_t) { v[2] }, 4, s[v[3]], &error))                                 \
    ACT(arithmetic, baton_elementwise(v[0], a[v[1]], IN(a[v[2]]), IN(a[v[3]]), s[v[4]], &error))                                   \
    ACT(scale, baton_elementwise(v[0], a[v[1]], IN(a[v[2]]), VALUE(v[3]), s[v[4]], &error))                                        \
    ACT(mix, mix(NULL, a[v[0]], a[v[1]], a[v[2]], v[3], s[v[4]]))                                                                  \
    ACT(scope_mix, mix(scope[v[5]], a[v[0]], a[v[1]], a[v[2]], v[3], s[v[4]]))                                                     \
    ACT(managed, managed(a[v[0]], v[1], v[2], s[v[3]]))                                                                            \
    ACT(array_synchronize, baton_array_synchronize(a[v[0]], v[1], &error))                                                         \
    ACT(array_query, baton_array_query(a[v[0]], &error))                                                                           \
    ACT(pointer, baton_array_pointer(a[v[0]], s[v[1]], 0, &address[v[0]], &error))                                                 \
    ACT(note_use, baton_array_note_use(a[v[0]], s[v[1]], BATON_READ_WRITE, &error))                                                \
    ACT(foreign, foreign_fill(address[v[0]], v[1], v[2], v[3], native[v[4]]))                                                      \
    ACT(host_pointer, baton_array_host_pointer(a[v[0]], (uint32_t)v[1], (void **)&address[v[0]], &error))                          \
    ACT(scope_begin, baton_scope_begin(s[v[1]], NULL, (held[v[0]][0].array = a[v[2]], held[v[0]][1].array = a[v[3]], held[v[0]]), 2, (uint32_t)v[4], &scope[v[0]], &error)) \
    ACT(scope_pointer, baton_scope_pointer(scope[v[0]], a[v[1]], 0, &address[v[1]], &error))                                       \
    ACT(scope_end, baton_scope_end(scope[v[0]], &error))                                                                           \
    ACT(scope_abort, (baton_scope_abort(scope[v[0]]), BATON_OK))                                                                   \
    ACT(scope_release, (baton_scope_release(scope[v[0]]), scope[v[0]] = NULL, BATON_OK))                                           \
    ACT(capture_begin, baton_capture_begin(s[v[0]], v[1], &error))                                                                 \
    ACT(capture_end, baton_capture_end(s[v[0]], &g[v[1]], &error))                                                                 \
    ACT(capture_abandon, baton_capture_abandon(s[v[0]], &error))                                                                   \
    ACT(instantiate, baton_graph_instantiate(g[v[0]], &x[v[1]], &error))                                                           \
    ACT(update, baton_graph_update(x[v[0]], g[v[1]], &error))                                                                      \
    ACT(graph_launch, baton_graph_launch(x[v[0]], s[v[1]], &error))                                                                \
    ACT(graph_release, (baton_graph_release(g[v[0]]), g[v[0]] = NULL, BATON_OK))                                                   \
    ACT(executable_release, (baton_executable_release(x[v[0]]), x[v[0]] = NULL, BATON_OK))                                         \
    ACT(array_fence, baton_array_fence(a[v[1]], &f[v[0]], &error))                                                                 \
    ACT(stream_fence, baton_stream_fence(s[v[1]], &f[v[0]], &error))                                                               \
    ACT(fence_query, baton_fence_query(f[v[0]], &error))                                                                           \
    ACT(fence_wait, baton_fence_wait(f[v[0]], v[1], v[2], &error))                                                                 \
    ACT(fence_release, (baton_fence_release(f[v[0]]), f[v[0]] = NULL, BATON_OK))                                                   \
    ACT(tensor_out, baton_dlpack_export(a[v[1]], s[v[2]], &m[v[0]], &error))                                                       \
    ACT(tensor_foreign, foreign_fill(tensor_address(v[0]), v[1], v[2], v[3], native[v[4]]))                                        \
    ACT(tensor_end, tensor_end(v[0]))                                                                                              \
    ACT(exchange, exchange(a[v[0]], v[1], s[v[2]]))                                                                                \
    ACT(arrow_out, arrow_out(a[v[1]], v[0]))                                                                                       \
    ACT(arrow_end, arrow_end(v[0]))

#define ACT_NAME(name, ...) ACT_##name,
enum { ACTS(ACT_NAME) ACT_COUNT };

enum { NUMBERS = 6 };

/* Calls it. The text has v[0] … where the numbers go. */
int32_t act_call(int act, const int32_t v[NUMBERS]);
const char *act_text(int act);

#endif
