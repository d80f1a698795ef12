#include <stdlib.h>
#include <string.h>

#include "world.h"

int body_new(int device, int kind, int count)
{
    for (int i = 0; i < BODIES; i++)
        if (world.bodies[i].references == 0) {
            world.bodies[i] = (struct body) { .references = 1, .device = device, .kind = kind, .count = count, .foreign = NONE, .tensor = NONE };
            oracle_birth(world.oracle, (unsigned)i, NONE);
            return i;
        }
    return NONE;
}

void body_retain(int body)
{
    world.bodies[body].references++;
}

void body_release(int body)
{
    world.bodies[body].references--;
}

void body_used(int body, int lane)
{
    struct body *b = &world.bodies[body];
    if (b->tensor == NONE || b->tensor != lane)
        b->foreign = NONE;
}

struct piece piece_of(int body, int count)
{
    return (struct piece) { body, 0, count, 1 };
}

int piece_meets(struct piece one, struct piece other)
{
    if (one.body != other.body)
        return 0;
    for (int i = 0; i < one.count; i++)
        for (int k = 0; k < other.count; k++)
            if (one.start + i * one.step == other.start + k * other.step)
                return 1;
    return 0;
}

int piece_equal(struct piece one, struct piece other)
{
    return one.body == other.body && one.start == other.start && one.count == other.count && one.step == other.step;
}

void cell_set(int cell, struct piece piece, int view)
{
    world.cells[cell] = (struct cell) { .alive = 1, .view = view, .piece = piece };
    address[cell] = 0;
}

void cell_clear(int cell)
{
    world.cells[cell].alive = 0;
    body_release(world.cells[cell].piece.body);
}

int cell_usable(int cell)
{
    const struct cell *c = &world.cells[cell];
    return c->alive && !world.bodies[c->piece.body].exclusive && !world.bodies[c->piece.body].disposed;
}

struct element {
    int32_t value;
    int known;
};

static struct element element_at(struct piece piece, int i)
{
    const struct body *body = &world.bodies[piece.body];
    int at = piece.start + i * piece.step;
    return (struct element) { body->value[at], body->known[at] };
}

static int32_t calculate(int function, int32_t left, int32_t right)
{
    switch (function) {
    case BATON_ADD: return (int32_t)((uint32_t)left + (uint32_t)right);
    case BATON_SUBTRACT: return (int32_t)((uint32_t)left - (uint32_t)right);
    case BATON_MULTIPLY: return (int32_t)((uint32_t)left * (uint32_t)right);
    default: return right == 0 ? 0 : right == -1 ? (int32_t)(0 - (uint32_t)left) : left / right;
    }
}

static struct element effect_element(const struct effect *effect, int i)
{
    struct element left = { 0, 1 }, right = { effect->x, 1 };
    if (effect->left.body != NONE)
        left = element_at(effect->left, i);
    if (effect->right.body != NONE)
        right = element_at(effect->right, i);
    switch (effect->kind) {
    case RANGE: return (struct element) { (int32_t)((uint32_t)effect->x + (uint32_t)i * (uint32_t)effect->y), 1 };
    case ARITHMETIC: return (struct element) { calculate(effect->function, left.value, right.value), left.known && right.known };
    case MIX: return (struct element) { (int32_t)(3 * (uint32_t)left.value + 5 * (uint32_t)right.value + (uint32_t)effect->x), left.known && right.known };
    default: return left;
    }
}

static void effect_order(const struct effect *effect, int node)
{
    if (effect->left.body != NONE && effect->kind != NOTHING)
        oracle_use(world.oracle, (unsigned)effect->left.body, BATON_READ, node);
    if (effect->right.body != NONE && effect->right.body != effect->left.body)
        oracle_use(world.oracle, (unsigned)effect->right.body, BATON_READ, node);
    if (effect->to.body != NONE)
        oracle_use(world.oracle, (unsigned)effect->to.body, BATON_WRITE, node);
}

void effect_apply(const struct effect *effect, int node, struct snapshot *snapshot)
{
    int count = effect->kind == READ ? effect->left.count : effect->to.count;
    struct element result[LONGEST];
    if (effect->kind == NOTHING)
        return;
    effect_order(effect, node);
    for (int i = 0; i < count; i++)
        result[i] = effect_element(effect, i);
    for (int i = 0; i < count && effect->kind != READ; i++) {
        int at = effect->to.start + i * effect->to.step;
        world.bodies[effect->to.body].value[at] = result[i].value;
        world.bodies[effect->to.body].known[at] = (uint8_t)result[i].known;
    }
    if (!snapshot || effect->kind != READ)
        return;
    snapshot->taken = 1;
    snapshot->count = count;
    for (int i = 0; i < count; i++) {
        snapshot->value[i] = result[i].value;
        snapshot->known[i] = (uint8_t)result[i].known;
    }
}

void effect_unknown(const struct effect *effect)
{
    if (effect->kind == NOTHING || effect->to.body == NONE)
        return;
    for (int i = 0; i < effect->to.count; i++)
        world.bodies[effect->to.body].known[effect->to.start + i * effect->to.step] = 0;
}

struct record *record_new(int task, int device)
{
    struct record *record = calloc(1, sizeof *record);
    if (!record)
        abort();
    record->references = 1;
    record->task = task;
    record->device = device;
    return record;
}

void record_retain(struct record *record)
{
    record->references++;
}

static void record_bodies(const struct effect *effect, int by)
{
    const int bodies[] = { effect->to.body, effect->left.body, effect->right.body };
    for (int i = 0; i < 3; i++)
        if (bodies[i] != NONE) {
            world.bodies[bodies[i]].references += by;
            world.bodies[bodies[i]].recorded += by;
        }
}

void record_release(struct record *record)
{
    if (--record->references)
        return;
    for (int i = 0; i < record->count; i++)
        record_bodies(&record->effects[i], -1);
    free(record);
}

int record_add(struct record *record, const struct effect *effect)
{
    if (record->count == MOST_EFFECTS)
        return 0;
    record_bodies(effect, 1);
    record->effects[record->count++] = *effect;
    return 1;
}

int record_exclusive(const struct record *record)
{
    for (int i = 0; i < record->count; i++) {
        const struct effect *e = &record->effects[i];
        if ((e->to.body != NONE && world.bodies[e->to.body].exclusive) || (e->left.body != NONE && world.bodies[e->left.body].exclusive) ||
            (e->right.body != NONE && world.bodies[e->right.body].exclusive))
            return 1;
    }
    return 0;
}
