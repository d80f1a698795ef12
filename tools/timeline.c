/* A line looks so:
 *
 *       us  upload    task 1    task 2    download
 *     12.1  o-------->wait                            task 1's stream waits, on the device, for upload's
 *     30.4            o=======================> 210 us    the host waits for task 1's stream
 */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6, FIRST_COLUMN = 12, COLUMN_WIDTH = 9, NOTE_COLUMN = FIRST_COLUMN + COLUMNS * COLUMN_WIDTH };
enum { LINE_BYTES = 101, CELL_BYTES = 32 };

struct line {
    char text[LINE_BYTES];      /* blanks, then what was painted */
};

int32_t timeline_read(struct timeline *timeline, baton_runtime *runtime, baton_error *err)
{
    timeline->entries = calloc(TIMELINE_ENTRIES, sizeof *timeline->entries);
    if (timeline->entries) {
        int32_t status = baton_trace_read(runtime, timeline->entries, TIMELINE_ENTRIES, &timeline->count, err);
        if (status)
            return status;
    }
    return baton_trace_start(runtime, 0, err);
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->entries);
    timeline->entries = NULL;
    timeline->count = 0;
}

/* ---- which entries, which columns */

static int stream_index(const struct timeline *timeline, uint64_t id)
{
    for (uint32_t i = 0; i < timeline->stream_count; i++)
        if (timeline->streams[i] == id)
            return (int)i;
    return -1;
}

/* Of many streams, the first and the last few; -1: not shown. */
static int column_of(const struct timeline *timeline, int index)
{
    int count = (int)timeline->stream_count, half = COLUMNS / 2;
    if (index < 0 || count <= COLUMNS || index < half)
        return index;
    return index >= count - half ? index - count + COLUMNS : -1;
}

static int ends_frame(const baton_trace_entry *entry)
{
    return entry->operation == BATON_OP_UPLOAD || entry->operation == BATON_OP_LAUNCH ||
           entry->operation == BATON_OP_DOWNLOAD;
}

/* Each stream's ticket of its part of the first frame. */
static void find_first_frame(const struct timeline *timeline, uint64_t last[TIMELINE_STREAMS])
{
    for (uint32_t i = 0; i < TIMELINE_STREAMS; i++)
        last[i] = UINT64_MAX;
    for (uint32_t i = 0; i < timeline->count; i++) {
        const baton_trace_entry *entry = &timeline->entries[i];
        int stream = stream_index(timeline, entry->stream_id);
        if (stream >= 0 && ends_frame(entry) && entry->ticket < last[stream])
            last[stream] = entry->ticket;
    }
}

static int is_shown(const struct timeline *timeline, const baton_trace_entry *entry,
                    const uint64_t last[TIMELINE_STREAMS])
{
    int host = entry->operation == BATON_OP_WAIT && entry->host_cause >= 0;
    int stream = stream_index(timeline, host ? entry->other_stream_id : entry->stream_id);
    uint64_t ticket = host ? entry->other_ticket : entry->ticket;
    if (stream < 0 || ticket > last[stream] || column_of(timeline, stream) < 0)
        return 0;
    return entry->operation == BATON_OP_WAIT || ends_frame(entry);
}

static int by_time(const void *a, const void *b)
{
    uint64_t left = ((const baton_trace_entry *)a)->time_ns, right = ((const baton_trace_entry *)b)->time_ns;
    return left < right ? -1 : left > right;
}

/* Copies the entries to show, in order of time; returns how many. */
static uint32_t select_entries(const struct timeline *timeline, baton_trace_entry *shown)
{
    uint64_t last[TIMELINE_STREAMS];
    uint32_t count = 0;
    find_first_frame(timeline, last);
    for (uint32_t i = 0; i < timeline->count; i++)
        if (is_shown(timeline, &timeline->entries[i], last))
            shown[count++] = timeline->entries[i];
    qsort(shown, count, sizeof *shown, by_time);
    return count;
}

/* ---- painting */

static void line_clear(struct line *line)
{
    memset(line->text, ' ', sizeof line->text - 1);
    line->text[sizeof line->text - 1] = '\0';
}

static void paint(struct line *line, int at, const char *text)
{
    for (; *text && at < LINE_BYTES - 1; text++, at++)
        line->text[at] = *text;
}

static int column_start(int column)
{
    return FIRST_COLUMN + column * COLUMN_WIDTH;
}

/* o---> from one position to just before another, in either direction. */
static void paint_arrow(struct line *line, int from, int to, char shaft)
{
    int step = from < to ? 1 : -1;
    line->text[from] = 'o';
    for (int at = from + step; at != to - step && at != to; at += step)
        line->text[at] = shaft;
    line->text[to - step] = step > 0 ? '>' : '<';
}

static void line_print(struct line *line)
{
    size_t length = sizeof line->text - 1;
    while (length > 0 && line->text[length - 1] == ' ')
        length--;
    printf("%.*s\n", (int)length, line->text);
}

static void stream_name(const struct timeline *timeline, int index, char *name, size_t bytes)
{
    if (index == 0)
        snprintf(name, bytes, "upload");
    else if (index + 1 == (int)timeline->stream_count)
        snprintf(name, bytes, "download");
    else
        snprintf(name, bytes, "task %d", index);
}

static const char *work_name(const baton_trace_entry *entry, int index)
{
    if (entry->operation == BATON_OP_LAUNCH)
        return index % 2 ? "blur" : "sharpen";
    return baton_operation_name(entry->operation);
}

static void paint_host_wait(struct line *line, const struct timeline *timeline, const baton_trace_entry *entry)
{
    char note[CELL_BYTES];
    int other = column_of(timeline, stream_index(timeline, entry->other_stream_id));
    paint_arrow(line, column_start(other), NOTE_COLUMN, '=');
    snprintf(note, sizeof note, " %" PRIu64 " us, %s", entry->duration_ns / 1000,
             baton_host_wait_name(entry->host_cause));
    paint(line, NOTE_COLUMN, note);
}

static void paint_device_wait(struct line *line, const struct timeline *timeline, const baton_trace_entry *entry)
{
    char name[CELL_BYTES], note[2 * CELL_BYTES];
    int other_index = stream_index(timeline, entry->other_stream_id);
    int own = column_of(timeline, stream_index(timeline, entry->stream_id)), other = column_of(timeline, other_index);
    paint(line, column_start(own), "wait");
    if (other >= 0) {
        paint_arrow(line, column_start(other), column_start(own), '-');
        return;
    }
    stream_name(timeline, other_index, name, sizeof name);
    snprintf(note, sizeof note, " for %s", other_index < 0 ? "another stream" : name);
    paint(line, NOTE_COLUMN, note);
}

static void print_entry(const struct timeline *timeline, const baton_trace_entry *entry, uint64_t start)
{
    struct line line;
    char time[CELL_BYTES];
    int index = stream_index(timeline, entry->stream_id);
    line_clear(&line);
    snprintf(time, sizeof time, "%10.1f", (double)(entry->time_ns - start) / 1000);
    paint(&line, 0, time);
    if (entry->operation != BATON_OP_WAIT)
        paint(&line, column_start(column_of(timeline, index)), work_name(entry, index));
    else if (entry->host_cause >= 0)
        paint_host_wait(&line, timeline, entry);
    else
        paint_device_wait(&line, timeline, entry);
    line_print(&line);
}

static void print_heading(const struct timeline *timeline)
{
    struct line line;
    char name[CELL_BYTES];
    line_clear(&line);
    paint(&line, 8, "us");
    for (int i = 0; i < (int)timeline->stream_count; i++) {
        int column = column_of(timeline, i);
        stream_name(timeline, i, name, sizeof name);
        if (column >= 0)
            paint(&line, column_start(column), name);
    }
    paint(&line, NOTE_COLUMN + 1, "the host waits");
    line_print(&line);
}

void timeline_print(const struct timeline *timeline)
{
    baton_trace_entry *shown = timeline->count ? calloc(timeline->count, sizeof *shown) : NULL;
    if (!shown) {
        printf("  (no trace)\n");
        return;
    }
    uint32_t count = select_entries(timeline, shown);
    print_heading(timeline);
    for (uint32_t i = 0; i < count; i++)
        print_entry(timeline, &shown[i], shown[0].time_ns);
    if (timeline->stream_count > COLUMNS)
        printf("            tasks %d to %u are left out\n", COLUMNS / 2, timeline->stream_count - 1 - COLUMNS / 2);
    free(shown);
}
