#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "tools.h"

void progress_show(struct progress *progress, uint32_t frame, uint32_t frames)
{
    enum { EVERY_NS = 100000000 };
    uint64_t now = tool_now_ns();
    if (frames == 1 || !isatty(STDOUT_FILENO) || now - progress->shown_ns < EVERY_NS)
        return;
    progress->shown_ns = now;
    printf("\rframe %u of %u", frame + 1, frames);
    fflush(stdout);
}

void progress_clear(const struct progress *progress)
{
    if (progress->shown_ns)
        printf("\r%32s\r", "");
}
