/* Streams that another part of the program has made: those of a runtime of its own. */
#include <baton.h>
#include <stddef.h>

enum { MOST = 8 };

static baton_runtime *runtime;
static struct {
    baton_stream *stream;
    uint64_t native;
} made[MOST];

/* Its native handle; 0: it could not be made. */
uint64_t stream_make(const char *driver)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = driver };
    int i = 0;
    while (i < MOST && made[i].stream)
        i++;
    if (i == MOST || (!runtime && baton_runtime_open(&options, &runtime, NULL)) ||
        baton_stream_create(runtime, 0, 0, 0, &made[i].stream, NULL) || baton_stream_native(made[i].stream, &made[i].native, NULL))
        return 0;
    return made[i].native;
}

/* The stream is gone when this returns. */
void stream_end(uint64_t native)
{
    for (int i = 0; i < MOST; i++)
        if (made[i].stream && made[i].native == native) {
            baton_stream_release(made[i].stream);
            made[i].stream = NULL;
        }
    baton_drain(runtime, 0, NULL, NULL);
}
