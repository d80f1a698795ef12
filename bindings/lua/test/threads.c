/* Lua states on threads of their own, at the same time: each runs the script. Every call of Lua happens on its state's thread. */
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>

#include "../baton_lua.h"

enum { THREADS = 4 };

struct work {
    pthread_t thread;
    const char *script;
    int failed;
};

/* here(): whether the caller is on the thread of its state. */
static int here(lua_State *L)
{
    pthread_t *thread = lua_touserdata(L, lua_upvalueindex(1));
    lua_pushboolean(L, pthread_equal(*thread, pthread_self()));
    return 1;
}

static void *run(void *argument)
{
    struct work *work = argument;
    pthread_t self = pthread_self();
    lua_State *L = luaL_newstate();
    if (!L) {
        work->failed = 1;
        return NULL;
    }
    luaL_openlibs(L);
    lua_pushlightuserdata(L, &self);
    lua_pushcclosure(L, here, 1);
    lua_setglobal(L, "here");
    work->failed = luaL_loadfile(L, work->script) || lua_pcall(L, 0, 0, 0);
    if (work->failed)
        fprintf(stderr, "threads: %s\n", lua_tostring(L, -1) ? lua_tostring(L, -1) : "an error that is no text");
    lua_close(L);
    return NULL;
}

int main(int count, char **arguments)
{
    struct work works[THREADS];
    int failed = count < 2;
    for (int i = 0; i < THREADS && !failed; i++) {
        works[i] = (struct work){ .script = arguments[1] };
        failed = pthread_create(&works[i].thread, NULL, run, &works[i]);
    }
    for (int i = 0; i < THREADS && count >= 2; i++) {
        pthread_join(works[i].thread, NULL);
        failed |= works[i].failed;
    }
    puts(failed ? "threads: failed" : "threads: good");
    return failed;
}
