#include "nccl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton.h>

const char *nccl_open(struct nccl *nccl)
{
    static char why[160];
    const char *name = getenv("BATON_NCCL_LIBRARY");
    struct { const char *symbol; void *member; } const rows[] = {
        { "ncclGetVersion", &nccl->version }, { "ncclGetErrorString", &nccl->error }, { "ncclGetUniqueId", &nccl->unique_id },
        { "ncclCommInitAll", &nccl->init_all }, { "ncclCommInitRank", &nccl->init_rank }, { "ncclCommDestroy", &nccl->destroy },
        { "ncclGroupStart", &nccl->group_start }, { "ncclGroupEnd", &nccl->group_end }, { "ncclAllReduce", &nccl->all_reduce },
        { "ncclBroadcast", &nccl->broadcast }, { "ncclSend", &nccl->send }, { "ncclRecv", &nccl->receive },
    };
    void *library = dlopen(name && *name ? name : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, sizeof why, "there is no NCCL: %s", dlerror());
        return why;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *function = dlsym(library, rows[i].symbol);
        if (!function) {
            snprintf(why, sizeof why, "NCCL has no %s", rows[i].symbol);
            return why;
        }
        memcpy(rows[i].member, &function, sizeof function);
    }
    return NULL;
}

int nccl_type(int32_t dtype)
{
    static const int32_t in_its_order[] = { BATON_I8, BATON_U8, BATON_I32, BATON_U32, BATON_I64, BATON_U64, BATON_F16, BATON_F32, BATON_F64, BATON_BF16 };
    for (int i = 0; i < (int)(sizeof in_its_order / sizeof *in_its_order); i++)
        if (in_its_order[i] == dtype)
            return i;
    return -1;
}
