/* NCCL among all devices of one process: all-reduce, broadcast, send and receive, on Baton's arrays, without a wait of the host. */
#include <stdio.h>

#include "steps.h"

int main(void)
{
    struct nccl nccl;
    struct ranks ranks = { .nccl = &nccl };
    nccl_communicator *communicators[RANKS];
    int devices[RANKS], version;
    int32_t count;
    steps_open(&nccl);
    need(baton_device_count(runtime, &count, &error));
    ranks.count = ranks.world = count < RANKS ? count : RANKS;
    need_nccl(&nccl, nccl.version(&version));
    printf("NCCL %d, %d rank%s\n", version, ranks.world, ranks.world == 1 ? "" : "s");
    for (int i = 0; i < ranks.count; i++) {
        devices[i] = i;
        rank_open(&ranks.local[i], i);
    }
    need_nccl(&nccl, nccl.init_all(communicators, ranks.count, devices));
    for (int i = 0; i < ranks.count; i++)
        ranks.local[i].communicator = communicators[i];
    steps_run(&ranks);
    for (int i = 0; i < ranks.count; i++)
        rank_close(&nccl, &ranks.local[i]);
    return example_close();
}
