#include "print.h"

#include <string.h>

#include "world.h"

static const char *const row_names[] = {
#define ROW_NAME(verb, ...) [DRIVER_ROW_##verb] = #verb,
    DRIVER_ROWS(ROW_NAME)
};

/* The text with the numbers in the place of v[0] … */
static void print_call(const struct entry *entry, FILE *file)
{
    for (const char *text = act_text(entry->act); *text; text++)
        if (!strncmp(text, "v[", 2) && (text == act_text(entry->act) || !strchr("abcdefghijklmnopqrstuvwxyz_", text[-1]))) {
            fprintf(file, "%d", entry->v[text[2] - '0']);
            text += 3;
        } else {
            fputc(*text, file);
        }
}

static void print_allowed(uint64_t allowed, FILE *file)
{
    const char *separator = "";
    if (allowed == ~(uint64_t)0) {
        fputs("~(uint64_t)0", file);
        return;
    }
    for (int status = BATON_TIMEOUT; status >= BATON_ERR_COMPILE; status--)
        if (allowed & MAY(status)) {
            fprintf(file, "%sMAY(%s)", separator, baton_status_name(status));
            separator = " | ";
        }
}

static void print_entry(const struct entry *entry, int pauses, FILE *file)
{
    if (entry->what == ENTRY_EXPECT) {
        fprintf(file, "    expect(place[%d], \"%s\", __LINE__);\n", entry->v[0], entry->expected);
    } else if (entry->what == ENTRY_CALL) {
        int lost = entry->fault_nth && driver_code_sticky(entry->fault_code);
        if (lost)
            fprintf(file, "    soft_fault(%d, %d);\n", entry->fault_nth % 2, entry->fault_code);
        else if (entry->fault_nth)
            fprintf(file, "    instrument_fail(DRIVER_ROW_%s, %d, %d, 0);\n", row_names[entry->fault_row], entry->fault_nth, entry->fault_code);
        fputs("    may(", file);
        print_call(entry, file);
        fputs(", ", file);
        print_allowed(entry->allowed, file);
        fputs(");\n", file);
        if (entry->fault_nth && !lost)
            fprintf(file, "    instrument_fail(DRIVER_ROW_%s, 0, 0, 0);\n", row_names[entry->fault_row]);
    } else if (pauses) {
        fputs("    turns_pause();\n", file);
    }
}

static void print_entries(int from, int to, int pauses, FILE *file)
{
    for (int i = 0; i < world.log_count; i++)
        if (world.log[i].task >= from && world.log[i].task <= to)
            print_entry(&world.log[i], pauses, file);
}

static void print_tasks(const struct program *program, FILE *file)
{
    for (int task = 0; task < program->tasks; task++) {
        fprintf(file, "static void task%d(void)\n{\n", task);
        print_entries(task, task, 1, file);
        fputs("}\n\n", file);
    }
    fputs("static void task(int number)\n{\n    static void (*const bodies[])(void) = { ", file);
    for (int task = 0; task < program->tasks; task++)
        fprintf(file, "task%d%s", task, task + 1 < program->tasks ? ", " : " };\n    bodies[number]();\n}\n\n");
    fputs("/* Which task goes on, on which thread. */\nstatic const int turns[][2] = {", file);
    for (int i = 0; i < world.turn_count; i++)
        fprintf(file, "%s{ %d, %d },", i % 12 ? " " : "\n    ", world.turns[i] / TURNS_THREADS, world.turns[i] % TURNS_THREADS);
    fputs("\n};\n\n", file);
}

/* One task on one thread needs no turns. */
static int plain(const struct program *program)
{
    return program->tasks == 1 && program->threads == 1;
}

void print_program(const struct program *program, FILE *file)
{
    fprintf(file, "/* %s\n *\n * Compiled with -std=c11 -D_GNU_SOURCE -Iinclude -Ilib -Itest/simulate, test/simulate/foreign.c, stage.c and turns.c there, and libbaton_internal.a. */\n#include \"stage.h\"\n\n", world.trouble[0] ? world.trouble : "it has not come to its end");
    if (!plain(program))
        print_tasks(program, file);
    fputs("int main(void)\n{\n", file);
    fprintf(file, "    stage_open(%lluu, %u, stage_hook, %d);\n", (unsigned long long)program->seed, program->flags, program->yields);
    if (program->drop_wait)
        fprintf(file, "    instrument_fail(DRIVER_ROW_stream_wait_event, %d, 0, 1);       /* the driver ignores waits from now on */\n", program->drop_wait);
    if (plain(program)) {
        print_entries(0, MAIN, 0, file);
    } else {
        fprintf(file, "    turns_open(%d, %d, task);\n    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)\n"
                      "        turns_run(turns[i][0], turns[i][1]);\n", program->tasks, program->threads);
        if (world.log_count && world.log[world.log_count - 1].task == MAIN)
            fputs("    turns_close();\n", file);
        print_entries(MAIN, MAIN, 0, file);
    }
    fprintf(file, "    instrument_reset();\n    return stage_end(stage_close(%d, %d));\n}\n", program->runtime_first, world.lost);
    fflush(file);
}
