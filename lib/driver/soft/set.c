#include <stdlib.h>

#include "driver/soft/program.h"

int soft_set_has(const struct soft_set *set, const struct soft_node *node)
{
    size_t i = 0;
    while (i < set->count && set->nodes[i] != node)
        i++;
    return i < set->count;
}

static void set_put(struct soft_set *set, driver_graph_node node)
{
    if (!soft_set_has(set, node))
        set->nodes[set->count++] = node;
}

/* Both old and new nodes go to fresh storage, as the new ones may lie in the old. */
static int set_make(struct soft_set *set, const struct soft_set *old, const driver_graph_node *nodes, size_t count)
{
    struct soft_set made = { 0 };
    if (old->count + count)
        made.nodes = calloc(old->count + count, sizeof *made.nodes);
    if (old->count + count && !made.nodes)
        return DRIVER_OUT_OF_MEMORY;
    for (size_t i = 0; i < old->count; i++)
        set_put(&made, old->nodes[i]);
    for (size_t i = 0; i < count; i++)
        set_put(&made, nodes[i]);
    soft_set_clear(set);
    *set = made;
    return DRIVER_SUCCESS;
}

int soft_set_add(struct soft_set *set, const driver_graph_node *nodes, size_t count)
{
    return set_make(set, set, nodes, count);
}

int soft_set_replace(struct soft_set *set, const driver_graph_node *nodes, size_t count)
{
    return set_make(set, &(struct soft_set) { 0 }, nodes, count);
}

void soft_set_clear(struct soft_set *set)
{
    free(set->nodes);
    *set = (struct soft_set) { 0 };
}
