/* A graph as DOT text: boxes for submissions in capture order, ellipses for memories, edges for uses. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory/memory.h"
#include "work/graph.h"

/* Text that may not fit: the length is counted all the same. */
struct text {
    char *at;
    uint64_t room, length;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    uint64_t used = length < 0 ? 0 : (uint64_t)length;
    if (text->length + used < text->room)
        memcpy(text->at + text->length, line, used + 1);
    text->length += used;
}

static const char *kind_name(int32_t kind)
{
    return kind == BATON_DEVICE ? "device" : kind == BATON_HOST ? "host" : "unified";
}

static void put_steps(struct text *text, const struct capture_set *set)
{
    uint32_t before = set->step_count;
    for (uint32_t i = 0; i < set->step_count; i++) {
        if (set->steps[i].operation == BATON_OP_NONE)
            continue;
        put(text, "  s%u [shape=box label=\"%u: %s on stream %llu\"];\n", i, i + 1, baton_operation_name(set->steps[i].operation),
            (unsigned long long)set->steps[i].stream_id);
        if (before < i)
            put(text, "  s%u -> s%u [style=invis];\n", before, i);
        before = i;
    }
}

static void put_memory(struct text *text, uint32_t index, const struct memory *memory)
{
    uint64_t owner = atomic_load_explicit(&memory->owner_hint, memory_order_relaxed);
    put(text, "  m%u [label=\"memory %llu\\n%llu bytes, %s\\nowner: ", index, (unsigned long long)memory->id, (unsigned long long)memory->bytes,
        kind_name(memory->kind));
    if (owner)
        put(text, "stream %llu\"];\n", (unsigned long long)owner);
    else
        put(text, "none\"];\n");
}

static void put_edge(struct text *text, const struct capture_edge *edge)
{
    if (edge->access & BATON_READ)
        put(text, "  m%u -> s%u;\n", edge->item, edge->step);
    if (edge->access & BATON_WRITE)
        put(text, "  s%u -> m%u;\n", edge->step, edge->item);
}

static void put_graph(struct text *text, const struct capture_set *set)
{
    put(text, "digraph baton {\n");
    put_steps(text, set);
    for (uint32_t i = 0; i < set->item_count; i++)
        if (item_is_memory(&set->items[i]))
            put_memory(text, i, set->items[i].object);
    for (uint32_t i = 0; i < set->edge_count; i++)
        if (set->steps[set->edges[i].step].operation != BATON_OP_NONE)
            put_edge(text, &set->edges[i]);
    put(text, "}\n");
}

int32_t baton_graph_dot(baton_graph *graph, char *text, uint64_t bytes, uint64_t *needed, baton_error *err)
{
    int32_t status = handle_check(graph ? &graph->handle : NULL, HANDLE_GRAPH, "graph", err);
    if (status)
        return status;
    if (!needed || (bytes && !text))
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", needed ? "text" : "needed");
    struct text count = { .room = 0 };
    put_graph(&count, &graph->set);
    *needed = count.length + 1;
    if (bytes < *needed)
        return BATON_OK;
    struct text out = { .at = text, .room = bytes };
    put_graph(&out, &graph->set);
    return BATON_OK;
}
