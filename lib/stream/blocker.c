#include "stream/blocker.h"

#include <stdlib.h>

struct blocker {
    struct blocker *next;       /* idle; guarded by the device's lock */
    driver_stream stream;
    driver_event event;         /* BLOCKING_SYNC */
};

static struct blocker *blocker_new(struct device *device)
{
    struct blocker *blocker = calloc(1, sizeof *blocker);
    if (!blocker)
        return NULL;
    if (device->driver->stream_create(&blocker->stream, DRIVER_STREAM_NON_BLOCKING, 0))
        goto discard;
    if (device->driver->event_create(&blocker->event, DRIVER_EVENT_DISABLE_TIMING | DRIVER_EVENT_BLOCKING_SYNC))
        goto destroy;
    return blocker;
destroy:
    runtime_swallow(device->runtime, device->driver->stream_destroy(blocker->stream));
discard:
    free(blocker);
    return NULL;
}

static struct blocker *take(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    struct blocker *blocker = device->blockers;
    if (blocker)
        device->blockers = blocker->next;
    pthread_mutex_unlock(&device->lock);
    return blocker ? blocker : blocker_new(device);
}

static void put_back(struct device *device, struct blocker *blocker)
{
    pthread_mutex_lock(&device->lock);
    blocker->next = device->blockers;
    device->blockers = blocker;
    pthread_mutex_unlock(&device->lock);
}

int blocker_wait(struct device *device, const struct mark *mark, enum driver_row *row)
{
    const struct driver *driver = device->driver;
    struct blocker *blocker = take(device);
    *row = DRIVER_ROW_event_synchronize;
    if (!blocker)
        return driver->event_synchronize(mark->event);      /* busy, but right */
    *row = DRIVER_ROW_stream_wait_event;
    int code = driver->stream_wait_event(blocker->stream, mark->event, 0);
    if (!code) {
        *row = DRIVER_ROW_event_record;
        code = driver->event_record(blocker->event, blocker->stream);
    }
    if (!code) {
        *row = DRIVER_ROW_event_synchronize;
        code = driver->event_synchronize(blocker->event);
    }
    put_back(device, blocker);
    return code;
}

void blockers_destroy(struct device *device, int usable)
{
    for (struct blocker *blocker = device->blockers, *next; blocker; blocker = next) {
        next = blocker->next;
        if (usable) {
            runtime_swallow(device->runtime, device->driver->event_destroy(blocker->event));
            runtime_swallow(device->runtime, device->driver->stream_destroy(blocker->stream));
        }
        free(blocker);
    }
    device->blockers = NULL;
}
