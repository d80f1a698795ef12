#include <stdio.h>
#include <stdlib.h>

#include "load.h"

/* splitmix64 */
uint64_t draw(struct task *task, uint64_t below)
{
    uint64_t z = (task->random += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % below;
}

static int32_t cell_open(uint64_t index, baton_error *err)
{
    struct cell *cell = &load.cells[index];
    int64_t elements = ELEMENTS;
    const float zero = 0;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_F32, .ndim = 1, .shape = &elements };
    options.stream = load.streams[index % load.options.streams];
    int32_t status = baton_array_create(load.runtime, &options, &cell->array, err);
    return status ? status : baton_fill(cell->array, &zero, sizeof zero, options.stream, err);
}

int32_t cells_open(baton_error *err)
{
    int32_t status = BATON_OK;
    load.cells = calloc(load.options.arrays, sizeof *load.cells);
    for (uint64_t i = 0; i < load.options.arrays && !status; i++)
        status = load.cells ? cell_open(i, err) : BATON_ERR_MEMORY;
    return status;
}

void cells_close(void)
{
    for (uint64_t i = 0; load.cells && i < load.options.arrays; i++)
        if (load.cells[i].array)
            baton_array_release(load.cells[i].array);
    free(load.cells);
}

static uint64_t newest_stamp(const struct cell *cell)
{
    return atomic_load(&cell->writes) >> 32;
}

static int cell_full(const struct cell *cell)
{
    return newest_stamp(cell) + 2 * load.options.tasks >= EXACT ||
           atomic_load(&cell->added.begun) + atomic_load(&cell->touched.begun) + 2 * SCOPE_MOST * load.options.tasks >= EXACT;
}

/* The fourth power of a number between 0 and 1 is mostly small. */
static struct cell *draw_cell(struct task *task, uint64_t odd)
{
    struct cell *cell;
    do {
        double part = (double)draw(task, 1u << 30) / (1u << 30);
        uint64_t index = (uint64_t)(part * part * part * part * (double)load.options.arrays);
        cell = &load.cells[(index & ~(uint64_t)1) | odd];
    } while (cell_full(cell));
    return cell;
}

struct cell *draw_counter(struct task *task)
{
    return draw_cell(task, 0);
}

struct cell *draw_register(struct task *task)
{
    return draw_cell(task, 1);
}

struct write write_begin(struct cell *cell)
{
    uint64_t old = atomic_fetch_add(&cell->writes, ((uint64_t)1 << 32) + 1);
    return (struct write) { .cell = cell, .stamp = (old >> 32) + 1, .alone = (uint32_t)old == 0 };
}

/* Lower stamps lie before a write that began alone, so from here on no read sees one of them. */
void write_end(const struct write *write)
{
    uint64_t old = atomic_load(&write->cell->settled);
    while (write->alone && old < write->stamp && !atomic_compare_exchange_weak(&write->cell->settled, &old, write->stamp))
        ;
    atomic_fetch_sub(&write->cell->writes, 1);
}

struct look look_begin(const struct cell *cell)
{
    return (struct look) { cell, atomic_load(&cell->added.done), atomic_load(&cell->touched.done), atomic_load(&cell->settled) };
}

/* A counter is never written to and a register never added to: what both allow together is what each allows. */
static int allowed(const struct look *look, float value)
{
    return value >= (float)(look->added + look->settled) && value <= (float)(atomic_load(&look->cell->added.begun) + newest_stamp(look->cell));
}

static int all_equal(const float *values, int count)
{
    for (int i = 1; i < count; i++)
        if (values[i] != values[0])
            return 0;
    return 1;
}

static int touches_allowed(const struct look *look, float touches)
{
    return touches >= (float)look->touched && touches <= (float)atomic_load(&look->cell->touched.begun);
}

static int right(const struct look *look, const float values[ELEMENTS])
{
    return all_equal(values + 1, ELEMENTS - 1) && allowed(look, values[1]) && touches_allowed(look, values[0] - values[1]);
}

void look_check(const struct look *look, const float values[ELEMENTS])
{
    if (!right(look, values))
        atomic_fetch_add(&load.wrong, 1);
}

void look_check_some(const struct look *look, const float *values, int count)
{
    if (!all_equal(values, count) || !allowed(look, values[0]))
        atomic_fetch_add(&load.wrong, 1);
}

void look_check_sum(const struct look *left, const struct look *right, const float values[ELEMENTS])
{
    float most = (float)(atomic_load(&left->cell->added.begun) + atomic_load(&right->cell->added.begun));
    if (!all_equal(values + 1, ELEMENTS - 1) || values[1] < (float)(left->added + right->added) || values[1] > most)
        atomic_fetch_add(&load.wrong, 1);
}

uint64_t cells_check(baton_error *err, int32_t *status)
{
    uint64_t wrong = 0;
    *status = BATON_OK;
    for (uint64_t i = 0; i < load.options.arrays && !*status; i++) {
        float values[ELEMENTS];
        struct look look = look_begin(&load.cells[i]);
        *status = baton_download(values, sizeof values, load.cells[i].array, load.streams[(i / 2) % load.options.streams], err);
        if (*status || right(&look, values))
            continue;
        if (!wrong++)
            fprintf(stderr, "load: array %llu holds %.0f and %.0f; added %llu, touched %llu, stamps from %llu to %llu\n", (unsigned long long)i,
                    values[0], values[1], (unsigned long long)look.added, (unsigned long long)look.touched, (unsigned long long)look.settled,
                    (unsigned long long)newest_stamp(look.cell));
    }
    return wrong;
}
