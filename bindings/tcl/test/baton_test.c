/* Instruments for the test of the Tcl binding, which is loaded first. */
#include <baton.h>
#include <tcl.h>

#define COMMAND(name) static int name(void *data, Tcl_Interp *interp, int count, Tcl_Obj *const v[])
#define RUNTIME Tcl_GetAssocData(interp, "baton", NULL)

/* limit BYTES */
COMMAND(do_limit)
{
    Tcl_WideInt bytes;
    return count != 2 || Tcl_GetWideIntFromObj(interp, v[1], &bytes) || baton_set_memory_limit(RUNTIME, 0, (uint64_t)bytes, NULL);
}

COMMAND(do_stats)
{
    baton_stats s = { .struct_size = sizeof s };
    uint64_t waits = 0;
    if (count != 1 || baton_stats_read(RUNTIME, &s, NULL))
        return TCL_ERROR;
    for (int i = 0; i < BATON_HOST_WAIT_CAUSES; i++)
        waits += s.host_waits[i];
    Tcl_SetObjResult(interp, Tcl_ObjPrintf("live_bytes %ld device_waits %ld host_waits %ld", (long)s.live_bytes, (long)s.device_waits, (long)waits));
    return TCL_OK;
}

/* gated STREAM BODY. Holds the stream while the body runs, at most ten seconds: for tests of order. */
COMMAND(do_gated)
{
    baton_gate *gate;
    if (count != 3 || baton_gate_create(v[1]->internalRep.otherValuePtr, 10000000000, &gate, NULL))
        return TCL_ERROR;
    int code = Tcl_EvalObjEx(interp, v[2], 0);
    baton_gate_release(gate);
    return code;
}

extern int Batontest_Init(Tcl_Interp *interp);
int Batontest_Init(Tcl_Interp *interp)
{
    if (!Tcl_InitStubs(interp, "8.6", 0))
        return TCL_ERROR;
    Tcl_CreateObjCommand(interp, "limit", do_limit, NULL, NULL);
    Tcl_CreateObjCommand(interp, "stats", do_stats, NULL, NULL);
    Tcl_CreateObjCommand(interp, "gated", do_gated, NULL, NULL);
    return TCL_OK;
}
