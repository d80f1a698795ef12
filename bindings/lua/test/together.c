/* Python and Lua in one process: Python makes an array, Lua changes it on another stream, Python reads it. Nobody waits on the
 * host before the end, and each language counts its own references. Both headers, nothing else of the bindings. */
#include <baton_python.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

#include "../baton_lua.h"

static baton_error err = { .struct_size = sizeof err };

static void require_true(int holds, const char *what)
{
    if (holds)
        return;
    if (PyErr_Occurred())
        PyErr_Print();
    fprintf(stderr, "together: not so: %s (%s)\n", what, err.message);
    exit(1);
}
#define expect(condition) require_true((condition), #condition)

/* ---- Python */

static PyObject *names;     /* the variables of the Python program */

static PyObject *python(const char *text, int kind)
{
    PyObject *result = PyRun_String(text, kind, names, names);
    require_true(result != NULL, text);
    return result;
}

static void python_do(const char *text)
{
    Py_DECREF(python(text, Py_file_input));
}

static int python_true(const char *text)
{
    PyObject *result = python(text, Py_eval_input);
    int truth = PyObject_IsTrue(result);
    Py_DECREF(result);
    return truth;
}

static const baton_python_api *start_python(void)
{
    Py_Initialize();
    names = PyDict_New();
    expect(names && !PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()));
    python_do("import baton, gc");
    const baton_python_api *api = baton_python_import();
    expect(api != NULL);
    return api;
}

/* A new reference to the array in the variable. */
static baton_array *python_array(const baton_python_api *api, const char *name)
{
    return baton_python_array_get(api, PyDict_GetItemString(names, name));
}

/* ---- Lua */

static void lua_do(lua_State *L, const char *text)
{
    if (!luaL_loadstring(L, text) && !lua_pcall(L, 0, 0, 0))
        return;
    lua_getglobal(L, "tostring");
    lua_insert(L, -2);
    lua_call(L, 1, 1);
    fprintf(stderr, "together: Lua: %s\n", lua_tostring(L, -1));
    exit(1);
}

static lua_State *start_lua(void)
{
    lua_State *L = luaL_newstate();
    expect(L != NULL);
    luaL_openlibs(L);
    lua_do(L, "baton = require 'baton'; stream = baton.stream(); baton.use(stream)");
    return L;
}

/* ---- waits on the host, of both */

static uint64_t waits_of(baton_runtime *runtime)
{
    baton_stats stats = { .struct_size = sizeof stats };
    uint64_t sum = 0;
    expect(!baton_stats_read(runtime, &stats, &err));
    for (int cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        sum += stats.host_waits[cause];
    return sum;
}

static uint64_t waits(const baton_python_api *api, lua_State *L)
{
    return waits_of(baton_python_runtime_get(api)) + waits_of(baton_lua_runtime(L));
}

/* Holds what Python submits from now on. */
static baton_gate *hold(const baton_python_api *api)
{
    baton_gate *gate;
    baton_stream *stream = baton_python_stream_get(api, NULL, 0);
    expect(stream != NULL && !baton_gate_create(stream, UINT64_C(20000000000), &gate, &err));
    baton_stream_release(stream);
    return gate;
}

/* ---- the two ways */

/* The handle itself: Lua and Python have the same memory. */
static void by_handle(const baton_python_api *api, lua_State *L)
{
    python_do("x = baton.zeros(4, dtype='f4')");
    baton_gate *gate = hold(api);
    uint64_t before = waits(api, L);
    python_do("x += 1");
    baton_array *array = python_array(api, "x");
    baton_lua_push_array(L, array);
    baton_array_release(array);
    lua_setglobal(L, "x");
    lua_do(L, "x:add(5)");
    python_do("x *= 2");
    expect(waits(api, L) == before);
    baton_gate_release(gate);
    expect(python_true("x.tolist() == [12.0] * 4"));
    lua_do(L, "x:free(); x = nil");
    expect(python_true("x.tolist() == [12.0] * 4"));
    python_do("del x");
}

/* DLPack, as with languages that know nothing of Baton. */
static void by_dlpack(const baton_python_api *api, lua_State *L)
{
    void *managed;
    python_do("y = baton.zeros(4, dtype='f4')");
    baton_gate *gate = hold(api);
    uint64_t before = waits(api, L);
    python_do("y += 3");
    baton_array *array = python_array(api, "y");
    expect(!baton_dlpack_export(array, baton_lua_stream(L), &managed, &err));
    baton_array_release(array);
    lua_pushlightuserdata(L, managed);
    lua_setglobal(L, "managed");
    lua_do(L, "y = baton.from_dlpack(managed, stream); y:multiply(2)");
    expect(waits(api, L) == before);
    baton_gate_release(gate);
    lua_do(L, "y:synchronize()");
    expect(python_true("y.tolist() == [6.0] * 4"));
    python_do("del y; gc.collect()");
    lua_do(L, "assert(y[4] == 6); y = nil; collectgarbage() collectgarbage()");
}

/* What Lua makes, Python reads after Lua is gone. */
static void outlives_lua(const baton_python_api *api, lua_State *L)
{
    lua_do(L, "z = baton.range(1, 3, 1, 'f32')");
    lua_getglobal(L, "z");
    PyObject *object = baton_python_array_new(api, baton_lua_take_array(L, -1));
    expect(object && !PyDict_SetItemString(names, "z", object));
    Py_DECREF(object);
    lua_close(L);
    expect(python_true("z.tolist() == [1.0, 2.0, 3.0]"));
    python_do("del z; gc.collect(); baton.drain()");
}

int main(void)
{
    const baton_python_api *api = start_python();
    lua_State *L = start_lua();
    by_handle(api, L);
    by_dlpack(api, L);
    outlives_lua(api, L);
    expect(python_true("baton.stats()['live_arrays'] == 0"));
    Py_DECREF(names);
    expect(Py_FinalizeEx() == 0);
    puts("together: good");
    return 0;
}
