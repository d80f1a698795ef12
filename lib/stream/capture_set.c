#include <stdlib.h>
#include <string.h>

#include "stream/capture.h"

void capture_set_release(struct capture_set *set)
{
    for (uint32_t i = 0; i < set->item_count; i++)
        set->items[i].release(set->items[i].object);
    free(set->items);
    free(set->steps);
    free(set->edges);
    *set = (struct capture_set) { .item_count = 0 };
}

/* Room for one more; 0 when the host is out of memory. */
static int make_room(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    void **items = array;
    if (count < *capacity)
        return 1;
    uint32_t wanted = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(*items, wanted * size);
    if (!grown)
        return 0;
    *items = grown;
    *capacity = wanted;
    return 1;
}

static int32_t no_room(baton_error *err)
{
    return fail(err, BATON_ERR_MEMORY, "no host memory for what a capture uses");
}

int32_t capture_step(struct capture *capture, int32_t operation, baton_stream *stream, uint32_t *step, baton_error *err)
{
    struct capture_set *set = &capture->set;
    pthread_mutex_lock(&capture->lock);
    int room = make_room(&set->steps, set->step_count, &set->step_capacity, sizeof *set->steps);
    if (room) {
        *step = set->step_count;
        set->steps[set->step_count++] = (struct capture_step) { operation, stream->id };
    }
    pthread_mutex_unlock(&capture->lock);
    return room ? BATON_OK : no_room(err);
}

void capture_unstep(struct capture *capture, uint32_t step)
{
    pthread_mutex_lock(&capture->lock);
    capture->set.steps[step].operation = BATON_OP_NONE;
    pthread_mutex_unlock(&capture->lock);
}

static uint32_t find(const struct capture_set *set, const void *object)
{
    uint32_t at = 0;
    while (at < set->item_count && set->items[at].object != object)
        at++;
    return at;
}

/* The object's place, with room made for it and for one edge. */
static int add_locked(struct capture_set *set, uint32_t step, void *object, void (*retain)(void *), void (*release)(void *), uint32_t access)
{
    uint32_t at = find(set, object);
    if (!make_room(&set->edges, set->edge_count, &set->edge_capacity, sizeof *set->edges) ||
        (at == set->item_count && !make_room(&set->items, set->item_count, &set->item_capacity, sizeof *set->items)))
        return 0;
    if (at == set->item_count) {
        retain(object);
        set->items[set->item_count++] = (struct capture_item) { object, release, 0 };
    }
    set->items[at].access |= access;
    set->edges[set->edge_count++] = (struct capture_edge) { step, at, access };
    return 1;
}

int32_t capture_use(struct capture *capture, uint32_t step, void *object, void (*retain)(void *), void (*release)(void *), uint32_t access, baton_error *err)
{
    pthread_mutex_lock(&capture->lock);
    int room = add_locked(&capture->set, step, object, retain, release, access);
    pthread_mutex_unlock(&capture->lock);
    return room ? BATON_OK : no_room(err);
}

uint32_t capture_uses(struct capture *capture, const void *object)
{
    pthread_mutex_lock(&capture->lock);
    uint32_t at = find(&capture->set, object);
    uint32_t access = at < capture->set.item_count ? capture->set.items[at].access : 0;
    pthread_mutex_unlock(&capture->lock);
    return access;
}

static int survived(baton_stream *stream)
{
    driver_capture_status status = DRIVER_CAPTURE_STATUS_NONE;
    return !stream->device->driver->capture_status(stream->native, &status) && status == DRIVER_CAPTURE_STATUS_ACTIVE;
}

static void add_fate(baton_error *record, const char *fate)
{
    size_t length = strnlen(record->message, sizeof record->message), room = strlen(fate) + 1;
    size_t at = length + room <= sizeof record->message ? length : sizeof record->message - room;
    memcpy(record->message + at, fate, room);
}

/* A device that is lost is not asked, and the first report of that stays as it is. */
void capture_note(struct capture *capture, baton_stream *stream, baton_error *record)
{
    int lost = device_usable(stream->device, NULL) != BATON_OK, alive = !lost && survived(stream);
    if (!lost)
        add_fate(record, alive ? "; the capture goes on" : "; the capture is lost");
    pthread_mutex_lock(&capture->lock);
    if (!capture->broken.status && !alive)
        capture->broken = *record;
    pthread_mutex_unlock(&capture->lock);
}
