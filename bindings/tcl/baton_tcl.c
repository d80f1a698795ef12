/* Baton for Tcl: after doc/embedding.md. Handles are Tcl values, whose references are Baton's; elements are f64. */
#include <baton.h>
#include <stdarg.h>
#include <string.h>
#include <tcl.h>

#define MOST_ARRAYS 64

#define COMMAND(name) static int name(baton_runtime *runtime, Tcl_Interp *interp, Tcl_Obj *const v[], baton_error *error)

typedef struct row { const char *name, *usage; int words; int (*run)(baton_runtime *, Tcl_Interp *, Tcl_Obj *const[], baton_error *); } row;

/* Values that own a reference: no string makes one, and it goes with the last value that holds it. */
#define HANDLE(kind) \
    static void kind##_free(Tcl_Obj *o) { baton_##kind##_release(o->internalRep.otherValuePtr); } \
    static void kind##_name(Tcl_Obj *o) { name_value(o, "baton-" #kind); } \
    static void kind##_copy(Tcl_Obj *from, Tcl_Obj *to) \
    { baton_##kind##_retain(from->internalRep.otherValuePtr); to->internalRep = from->internalRep; to->typePtr = from->typePtr; } \
    static const Tcl_ObjType kind##_type = { "baton-" #kind, kind##_free, kind##_copy, kind##_name, NULL }; \
    static baton_##kind *kind##_of(Tcl_Interp *interp, Tcl_Obj *o) { return handle_of(interp, o, &kind##_type); }

/* Error code: BATON, the status, the level of BATON_OOM_RETRY. */
static int failure(Tcl_Interp *interp, const char *code, const char *level, const char *message)
{
    Tcl_SetObjResult(interp, Tcl_NewStringObj(message, -1));
    Tcl_SetErrorCode(interp, "BATON", code, level, NULL);
    return TCL_ERROR;
}

static void name_value(Tcl_Obj *o, const char *kind)
{
    o->length = (int)strlen(kind);
    o->bytes = strcpy(ckalloc((unsigned)o->length + 1), kind);
}

static void *handle_of(Tcl_Interp *interp, Tcl_Obj *o, const Tcl_ObjType *type)
{
    if (o->typePtr == type)
        return o->internalRep.otherValuePtr;
    failure(interp, "BATON_ERR_HANDLE", "0", type->name);
    Tcl_AppendResult(interp, " is wanted, not ", Tcl_GetString(o), NULL);
    return NULL;
}

HANDLE(array)
HANDLE(stream)

static int give(Tcl_Interp *interp, void *handle, const Tcl_ObjType *type)
{
    Tcl_Obj *o = Tcl_NewObj();
    Tcl_InvalidateStringRep(o);
    o->internalRep.otherValuePtr = handle;
    o->typePtr = type;
    Tcl_SetObjResult(interp, o);
    return TCL_OK;
}

static int told(Tcl_Interp *interp, int32_t status, const baton_error *error)
{
    char level[] = { (char)('0' + error->level), 0 };
    const char *name = baton_status_name(status);
    return status == BATON_OK ? TCL_OK : failure(interp, name, level, status < 0 ? error->message : name);
}

/* The words of a command by kinds: array, stream, double, wide integer. Nonzero: one of them is something else. */
static int wrong(Tcl_Interp *interp, Tcl_Obj *const v[], const char *kinds, ...)
{
    int failed = 0;
    va_list out;
    va_start(out, kinds);
    for (int i = 0; kinds[i] && !failed; i++)
        switch (kinds[i]) {
        case 'a': failed = !(*va_arg(out, baton_array **) = array_of(interp, v[i])); break;
        case 's': failed = !(*va_arg(out, baton_stream **) = stream_of(interp, v[i])); break;
        case 'd': failed = Tcl_GetDoubleFromObj(interp, v[i], va_arg(out, double *)); break;
        default: failed = Tcl_GetWideIntFromObj(interp, v[i], va_arg(out, Tcl_WideInt *)); break;
        }
    va_end(out);
    return failed;
}

COMMAND(do_stream)
{
    baton_stream *stream;
    return told(interp, baton_stream_create(runtime, 0, 0, 0, &stream, error), error) || give(interp, stream, &stream_type);
}

/* baton.tcl makes `baton create` of it: collects at BATON_OOM_RETRY, and asks again with the level. */
COMMAND(do_allocate)
{
    baton_array *array;
    Tcl_WideInt elements, level;
    baton_array_options o = { .struct_size = sizeof o, .flags = BATON_ALLOC_NO_HOOK, .dtype = BATON_F64, .ndim = 1 };
    if (wrong(interp, v, "wsw", &elements, &o.stream, &level))
        return TCL_ERROR;
    o.shape = &(int64_t){ elements };
    o.level = (int32_t)level;
    return told(interp, baton_array_create(runtime, &o, &array, error), error) || give(interp, array, &array_type);
}

COMMAND(do_fill)
{
    baton_array *array;
    baton_stream *stream;
    double value;
    return wrong(interp, v, "ads", &array, &value, &stream) || told(interp, baton_fill(array, &value, sizeof value, stream, error), error);
}

COMMAND(do_add)
{
    baton_array *to, *left, *right = NULL;
    baton_stream *stream;
    double value;
    int number = v[2]->typePtr != &array_type;
    if (wrong(interp, v, number ? "aads" : "aaas", &to, &left, number ? (void *)&value : &right, &stream))
        return TCL_ERROR;
    baton_argument first = baton_in(left), second = baton_in(right);
    if (number)
        second = (baton_argument)baton_value(value);
    return told(interp, baton_elementwise(BATON_ADD, to, &first, &second, stream, error), error);
}

/* The elements' bytes; baton.tcl makes numbers of them. */
COMMAND(do_bytes)
{
    baton_array *array;
    baton_stream *stream;
    baton_array_info info = { .struct_size = sizeof info };
    if (wrong(interp, v, "as", &array, &stream) || told(interp, baton_array_info_read(array, &info, error), error))
        return TCL_ERROR;
    if (info.bytes > INT32_MAX)
        return failure(interp, "BATON_ERR_MEMORY", "0", "no Tcl value has room for this array");
    Tcl_Obj *bytes = Tcl_NewByteArrayObj(NULL, (int)info.bytes);
    Tcl_IncrRefCount(bytes);
    int code = told(interp, baton_download(Tcl_GetByteArrayFromObj(bytes, NULL), info.bytes, array, stream, error), error);
    if (code == TCL_OK)
        Tcl_SetObjResult(interp, bytes);
    Tcl_DecrRefCount(bytes);
    return code;
}

/* The body runs with the addresses in a variable; however it ends, the scope ends with it, and what it said is kept. */
COMMAND(do_managed)
{
    baton_operand operands[MOST_ARRAYS] = { { 0 } };
    baton_stream *stream;
    baton_scope *scope;
    Tcl_Obj **arrays = (Tcl_Obj **)&v[1];   /* one array is not made into a list, which would end it */
    int count = 1;
    if (wrong(interp, v, "s", &stream) || (v[1]->typePtr != &array_type && Tcl_ListObjGetElements(interp, v[1], &count, &arrays)))
        return TCL_ERROR;
    if (count > MOST_ARRAYS)
        return failure(interp, "BATON_ERR_ARGUMENT", "0", "too many arrays for one scope");
    for (int i = 0; i < count; i++)
        if (wrong(interp, &arrays[i], "a", &operands[i].array))
            return TCL_ERROR;
    if (told(interp, baton_scope_begin(stream, NULL, operands, (uint64_t)count, 0, &scope, error), error))
        return TCL_ERROR;
    Tcl_Obj *addresses = Tcl_NewListObj(0, NULL);
    for (int i = 0; i < count; i++)
        Tcl_ListObjAppendElement(NULL, addresses, Tcl_NewWideIntObj((Tcl_WideInt)operands[i].address));
    int code = Tcl_ObjSetVar2(interp, v[2], NULL, addresses, TCL_LEAVE_ERR_MSG) ? Tcl_EvalObjEx(interp, v[3], 0) : TCL_ERROR;
    int32_t status = baton_scope_end(scope, error);
    baton_scope_release(scope);
    return code == TCL_OK ? told(interp, status, error) : code;
}

static const row rows[] = {
    { "baton::stream", "", 1, do_stream }, { "baton::allocate", "elements stream level", 4, do_allocate },
    { "baton::fill", "array value stream", 4, do_fill }, { "baton::add", "to left right stream", 5, do_add },
    { "baton::bytes", "array stream", 3, do_bytes }, { "baton::managed", "stream arrays variable body", 5, do_managed } };

static int run(void *data, Tcl_Interp *interp, int count, Tcl_Obj *const v[])
{
    const row *r = data;
    baton_error error = BATON_ERROR_INIT;
    if (count == r->words)
        return r->run(Tcl_GetAssocData(interp, "baton", NULL), interp, v + 1, &error);
    Tcl_WrongNumArgs(interp, 1, v, r->usage);
    return TCL_ERROR;
}

static void close_runtime(void *runtime, Tcl_Interp *interp)
{
    baton_runtime_close(runtime, NULL);     /* values that are still alive can be released afterwards */
}

extern int Batontcl_Init(Tcl_Interp *interp);
int Batontcl_Init(Tcl_Interp *interp)
{
    baton_error error = BATON_ERROR_INIT;
    baton_runtime *runtime;
    if (!Tcl_InitStubs(interp, "8.6", 0) || told(interp, baton_runtime_open(NULL, &runtime, &error), &error))
        return TCL_ERROR;
    Tcl_SetAssocData(interp, "baton", close_runtime, runtime);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        Tcl_CreateObjCommand(interp, rows[i].name, run, (void *)&rows[i], NULL);
    return TCL_OK;
}
