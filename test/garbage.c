/* Garbage in every position of every public function: an error status with a sentence, never a crash, nothing changed, nothing leaked (E1).
 *
 * Each row of every_call.h is one function: one position at a time becomes NULL, and a handle also an object of another kind or (in debug builds, which keep
 * freed objects readable for a while) a freed one. */
#include <stdio.h>

#include "every_call.h"

enum attack { NONE, NIL, WRONG_KIND, FREED, ATTACKS };

static struct {
    enum attack attack;
    int at;                 /* the position under attack */
    int positions;          /* of the current function, counted by its first call */
    int handle;             /* the position under attack is a handle */
} now;

static void *every_position(void *valid, void *freed, int is_handle)
{
    int here = now.positions++ == now.at;
    if (!here || now.attack == NONE)
        return valid;
    now.handle = is_handle;
    if (now.attack == WRONG_KIND && is_handle)
        return valid == (void *)good.stream ? (void *)good.array : (void *)good.stream;
    if (now.attack == FREED && is_handle)
        return freed;
    return now.attack == NIL ? NULL : valid;
}

/* Without an error record, or without an argument that could be wrong. */
static const char *const others[] = {
    "baton_version", "baton_abi_version", "baton_status_name", "baton_operation_name", "baton_dtype_name", "baton_host_wait_name", "baton_dtype_size",
    "baton_abi_layout", "baton_stream_retain", "baton_stream_release", "baton_array_retain", "baton_array_release", "baton_array_release_n",
    "baton_module_retain", "baton_module_release", "baton_kernel_retain", "baton_kernel_release", "baton_scope_abort", "baton_scope_release",
    "baton_fence_retain", "baton_fence_release", "baton_gate_release", "baton_graph_retain", "baton_graph_release", "baton_executable_retain",
    "baton_executable_release", "baton_process_copies",
};

static int32_t call(const struct row *row, enum attack attack, int at)
{
    now.attack = attack;
    now.at = at;
    now.positions = now.handle = 0;
    memset(&out, 0, sizeof out);
    error = (baton_error)BATON_ERROR_INIT;
    return row->call();
}

static void attack(const struct row *row, enum attack kind, int at)
{
    int32_t status = call(row, kind, at);
    if (kind != NIL && !now.handle)
        return;                 /* a pointer to data has no kind */
    if (status >= 0 || error.status != status || !error.message[0])
        ck_abort_msg("%s, attack %d at %d: %s, record %s '%s'", row->name, (int)kind, at, baton_status_name(status), baton_status_name(error.status),
                     error.message);
}

/* Only positions that hold handles of objects can be attacked with other objects: a row that only makes things must not succeed. */
static void attack_all(const struct row *row, int positions, int makes)
{
    for (int at = 0; at < positions; at++) {
        attack(row, NIL, at);
        if (makes && !now.handle)
            continue;
        attack(row, WRONG_KIND, at);
#ifdef BATON_DEBUG
        attack(row, FREED, at);
#endif
    }
}

/* E1: NULL, an object of another kind, and a freed handle in every position. */
START_TEST(wrong_pointers_are_refused_in_every_position)
{
    every_begin();
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert_msg(call(&rows[i], NONE, -1) >= 0, "%s: %s", rows[i].name, error.message);
        attack_all(&rows[i], now.positions, 0);
    }
    for (int i = 0; i < COUNT(makers); i++)
        attack_all(&makers[i], makers[i].positions, 1);
    every_release(&good);
}
END_TEST

static int listed(const char *function)
{
    for (int i = 0; i < COUNT(rows) + COUNT(makers); i++)
        if (strcmp(i < COUNT(rows) ? rows[i].name : makers[i - COUNT(rows)].name, function) == 0)
            return 1;
    for (int i = 0; i < COUNT(others); i++)
        if (strcmp(others[i], function) == 0)
            return 1;
    return 0;
}

/* The tables above leave out no function of the header: a prototype is a line that begins with a type and has "baton_name(". */
START_TEST(every_function_of_the_header_is_in_a_table)
{
    char path[1024], line[512], function[128];
    int found = 0;
    snprintf(path, sizeof path, "%s/include/baton_ffi.h", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    FILE *header = fopen(path, "r");
    ck_assert_msg(header != NULL, "%s", path);
    while (fgets(line, sizeof line, header)) {
        char *open = strchr(line, '('), *start = open;
        if (!open || line[0] == ' ' || line[0] == '/' || strncmp(line, "typedef", 7) == 0)
            continue;
        while (start > line && start[-1] != ' ' && start[-1] != '*')
            start--;
        snprintf(function, sizeof function, "%.*s", (int)(open - start), start);
        ck_assert_msg(listed(function), "%s is in no table", function);
        found++;
    }
    fclose(header);
    ck_assert_int_eq(found, COUNT(rows) + COUNT(makers) + COUNT(others));
}
END_TEST

SUPPORT_WITHOUT_CACHE
SUPPORT_MAIN("garbage", 60, wrong_pointers_are_refused_in_every_position, every_function_of_the_header_is_in_a_table)
