#include "acts.h"

#include "stage.h"

#define ACT_FUNCTION(name, ...) \
    static int32_t call_##name(const int32_t v[NUMBERS]) { (void)v; return __VA_ARGS__; }
ACTS(ACT_FUNCTION)

#define ACT_ROW(name, ...) { call_##name, #__VA_ARGS__ },
static const struct {
    int32_t (*call)(const int32_t *v);
    const char *text;
} rows[] = { ACTS(ACT_ROW) };

int32_t act_call(int act, const int32_t v[NUMBERS])
{
    return rows[act].call(v);
}

const char *act_text(int act)
{
    return rows[act].text;
}
