/* The same among processes that MPI starts, one rank each; and MPI's own call, which submits nothing to a stream: it gets an address for foreign code,
 * for which the host waits. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

static int driver_is_soft(void)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    need(baton_runtime_info_read(runtime, &info, &error));
    return strcmp(info.driver, "soft") == 0;
}

/* MPI reads memory that the processor reaches: the software device's, or with a GPU, pinned memory. */
static baton_array *reachable(const struct given *given)
{
    baton_array *pinned;
    baton_array_options options = { .struct_size = sizeof options, .kind = BATON_HOST, .dtype = BATON_F32, .ndim = 1, .shape = &(int64_t) { COUNT } };
    if (driver_is_soft()) {
        need(baton_array_retain(given->from));
        return given->from;
    }
    need(baton_array_create(runtime, &options, &pinned, &error));
    return pinned;
}

static void *address_of(baton_array *array, const struct ranks *ranks, uint32_t access)
{
    uint64_t address;
    void *host;
    if (driver_is_soft()) {
        need(baton_array_pointer(array, ranks->local[0].stream, access, &address, &error));
        return (void *)(uintptr_t)address;
    }
    need(baton_array_host_pointer(array, access, &host, &error));
    return host;
}

static void plain_mpi(const struct ranks *ranks)
{
    struct given given = given_new(ranks, 0, BATON_F32);
    baton_array *array = reachable(&given);
    step_begin("MPI_Allreduce on an address for foreign code");
    hold(given.writer);
    given_write(&given);
    if (array != given.from)
        need(baton_copy(array, given.from, given.writer, &error));
    let_go_soon();
    void *address = address_of(array, ranks, BATON_READ_WRITE);
    step_check(was_let_go(), "the address came before the work was done");
    MPI_Allreduce(MPI_IN_PLACE, address, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    need(baton_copy(given.to, array, given.writer, &error));
    step_end(MUST_WAIT);
    let_go();
    step_check(given_holds(&given, sum_of_all, ranks, ranks->first), "the sum is another");
    baton_array_release(array);
    given_free(&given);
}

static struct nccl_id id_of_all(const struct nccl *nccl, int number)
{
    struct nccl_id id;
    if (number == 0)
        need_nccl(nccl, nccl->unique_id(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    return id;
}

int main(int argc, char **argv)
{
    struct nccl nccl;
    struct ranks ranks = { .nccl = &nccl, .count = 1 };
    int32_t devices;
    setvbuf(stdout, NULL, _IOLBF, 0);
    steps_open(&nccl);                  /* may end the program, which MPI does not like any more once it has begun */
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.world);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.first);
    need(baton_device_count(runtime, &devices, &error));
    rank_open(&ranks.local[0], ranks.first % devices);
    need_nccl(&nccl, nccl.init_rank(&ranks.local[0].communicator, ranks.world, id_of_all(&nccl, ranks.first), ranks.first));
    steps_run(&ranks);
    plain_mpi(&ranks);
    rank_close(&nccl, &ranks.local[0]);
    int code = example_close();
    MPI_Finalize();
    return code;
}
