#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STATUS_ROWS(ROW)                                                                                           \
    ROW(OK) ROW(WOULD_BLOCK) ROW(NOT_READY) ROW(OOM_RETRY) ROW(TIMEOUT)                                            \
    ROW(ERR_ARGUMENT) ROW(ERR_HANDLE) ROW(ERR_VERSION) ROW(ERR_DTYPE) ROW(ERR_SHAPE) ROW(ERR_BOUNDS)               \
    ROW(ERR_OVERLAP) ROW(ERR_KIND) ROW(ERR_DEVICE) ROW(ERR_PEER) ROW(ERR_STREAM) ROW(ERR_THREAD) ROW(ERR_MEMORY)   \
    ROW(ERR_OOM) ROW(ERR_UNSUPPORTED) ROW(ERR_NO_DRIVER) ROW(ERR_DRIVER) ROW(ERR_POISONED) ROW(ERR_CAPTURE)        \
    ROW(ERR_NESTED_STREAM) ROW(ERR_WOULD_DEADLOCK) ROW(ERR_SCOPE_OPEN) ROW(ERR_HOOK) ROW(ERR_FORKED)               \
    ROW(ERR_CLOSED) ROW(ERR_BUSY) ROW(ERR_TOPOLOGY) ROW(ERR_COMPILE)

#define OPERATION_ROWS(ROW)                                                                                        \
    ROW(NONE, "none") ROW(ALLOC, "alloc") ROW(FREE, "free") ROW(COPY, "copy") ROW(UPLOAD, "upload")                \
    ROW(DOWNLOAD, "download") ROW(FILL, "fill") ROW(LAUNCH, "launch") ROW(SCOPE, "scope") ROW(POINTER, "pointer")  \
    ROW(WAIT, "wait") ROW(GATE, "gate") ROW(SYNCHRONIZE, "synchronize") ROW(FOREIGN, "foreign")                    \
    ROW(MODULE, "module") ROW(STREAM, "stream") ROW(CAPTURE, "capture") ROW(GRAPH, "graph")

#define HOST_WAIT_ROWS(ROW)                                                                                        \
    ROW(SYNCHRONIZE, "synchronize") ROW(DOWNLOAD, "download") ROW(FOREIGN, "foreign pointer")                      \
    ROW(HOST_POINTER, "host pointer") ROW(UNIFIED, "unified memory") ROW(SPECIAL, "special stream")                \
    ROW(DEVICE, "other device") ROW(TAINTED, "untracked capture") ROW(EXPORT, "live export")                       \
    ROW(POLICY, "host-wait policy") ROW(RECLAIM, "out of memory") ROW(UPLOAD, "pinned source")

const char *baton_status_name(int32_t status)
{
    switch (status) {
#define STATUS_NAME(name) case BATON_##name: return "BATON_" #name;
        STATUS_ROWS(STATUS_NAME)
#undef STATUS_NAME
    default: return "unknown";
    }
}

const char *baton_operation_name(int32_t operation)
{
    switch (operation) {
#define OPERATION_NAME(name, text) case BATON_OP_##name: return text;
        OPERATION_ROWS(OPERATION_NAME)
#undef OPERATION_NAME
    default: return "unknown";
    }
}

const char *baton_host_wait_name(int32_t cause)
{
    switch (cause) {
#define HOST_WAIT_NAME(name, text) case BATON_HOST_WAIT_##name: return text;
        HOST_WAIT_ROWS(HOST_WAIT_NAME)
#undef HOST_WAIT_NAME
    default: return "unknown";
    }
}

baton_error error_none(void)
{
    return (baton_error) { .struct_size = sizeof(baton_error) };
}

int32_t fail_with(baton_error *err, const baton_error *source)
{
    if (err && err->struct_size > sizeof err->struct_size) {
        uint32_t size = err->struct_size < sizeof *err ? err->struct_size : (uint32_t)sizeof *err;
        memcpy((char *)err + sizeof size, (const char *)source + sizeof size, size - sizeof size);
    }
    return source->status;
}

/* A cut in the middle of a character leaves it out: the message is UTF-8. */
static void trim(char *text)
{
    size_t end = strlen(text), at = end;
    while (at && ((unsigned char)text[at - 1] & 0xC0) == 0x80)
        at--;
    unsigned char lead = at ? (unsigned char)text[at - 1] : 0;
    size_t wanted = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (at && end - (at - 1) < wanted)
        text[at - 1] = '\0';
}

static void add(baton_error *record, const char *format, va_list arguments)
{
    size_t used = strlen(record->message), room = sizeof record->message - used;
    int length = vsnprintf(record->message + used, room, format, arguments);
    if (length >= 0 && (size_t)length >= room)
        trim(record->message);
}

void message_add(baton_error *record, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(record, format, arguments);
    va_end(arguments);
}

int32_t fail(baton_error *err, int32_t status, const char *format, ...)
{
    baton_error record = error_none();
    va_list arguments;
    if (!err)
        return status;
    record.status = status;
    va_start(arguments, format);
    add(&record, format, arguments);
    va_end(arguments);
    return fail_with(err, &record);
}
