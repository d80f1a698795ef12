/* A matrix product by cuBLAS on Baton's arrays, in the two ways: in a managed call, where the host does not wait, and
 * with addresses for foreign code, where it does. Both are compared with a product made by the host. */
#include <cublas_v2.h>
#include <stdint.h>

#include "common.h"

/* c (ROWS x COLUMNS) = a (ROWS x INNER) b (INNER x COLUMNS), column by column. */
enum { ROWS = 96, COLUMNS = 160, INNER = 128 };

static cublasHandle_t cublas;
static baton_stream *writer, *worker;
static float a[ROWS * INNER], b[INNER * COLUMNS], expected[ROWS * COLUMNS];
static baton_array *source_a, *source_b;            /* hold a and b before the stream stands still */

#define need_cublas(call) need_success((call), #call)
static void need_success(cublasStatus_t status, const char *call)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        example_die(call, cublasGetStatusString(status));
}

/* Small whole numbers, so that every order of summation gives the same. */
static void numbers_make(float *numbers, int count, int seed)
{
    for (int i = 0; i < count; i++)
        numbers[i] = (float)((i * seed + i / 7) % 7 - 3);
}

static void expected_make(void)
{
    for (int column = 0; column < COLUMNS; column++)
        for (int row = 0; row < ROWS; row++) {
            float sum = 0;
            for (int i = 0; i < INNER; i++)
                sum += a[row + i * ROWS] * b[i + column * INNER];
            expected[row + column * ROWS] = sum;
        }
}

static void product(const uint64_t *addresses)
{
    const float one = 1, zero = 0;
    need_cublas(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, ROWS, COLUMNS, INNER, &one, (const float *)addresses[0],
                            ROWS, (const float *)addresses[1], INNER, &zero, (float *)addresses[2], ROWS));
}

static int32_t product_managed(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    (void)user;
    (void)stream;           /* cuBLAS was told which one */
    (void)count;
    product((const uint64_t[]) { operands[0].address, operands[1].address, operands[2].address });
    return BATON_OK;
}

struct matrices {
    baton_array *a, *b, *c;
};

/* Undefined until the copies have run, which the writer's stream makes. */
static struct matrices matrices_new(void)
{
    return (struct matrices) { array_new(BATON_F32, ROWS * INNER, writer),
                               array_new(BATON_F32, INNER * COLUMNS, writer),
                               array_new(BATON_F32, ROWS * COLUMNS, worker) };
}

static void matrices_write(const struct matrices *m)
{
    need(baton_copy(m->a, source_a, writer, &error));
    need(baton_copy(m->b, source_b, writer, &error));
}

static void matrices_free(const struct matrices *m)
{
    baton_array_release_n((baton_array *[]) { m->a, m->b, m->c }, 3);
}

/* Read on the writer's stream: behind the product, which ran on the other. */
static void check(const struct matrices *m)
{
    static float c[ROWS * COLUMNS];
    int same = 1;
    need(baton_download(c, sizeof c, m->c, writer, &error));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        same = same && c[i] == expected[i];
    step_check(same, "the product differs from the host's");
}

static void product_in_scope(const struct matrices *m)
{
    baton_operand operands[] = { { .array = m->a, .access = BATON_READ }, { .array = m->b, .access = BATON_READ },
                                 { .array = m->c, .access = BATON_WRITE } };
    need(baton_with_managed(worker, operands, 3, product_managed, NULL, &error));
}

static void begin(void)
{
    uint64_t native;
    numbers_make(a, ROWS * INNER, 3);
    numbers_make(b, INNER * COLUMNS, 5);
    expected_make();
    writer = stream_new();
    worker = stream_new();
    source_a = array_from(a, BATON_F32, ROWS * INNER, writer);
    source_b = array_from(b, BATON_F32, INNER * COLUMNS, writer);
    need_cublas(cublasCreate(&cublas));
    need(baton_stream_native(worker, &native, &error));
    need_cublas(cublasSetStream(cublas, (cudaStream_t)native));
}

/* The first product loads its kernels, for which the driver may wait for the device. */
static void warm_up(void)
{
    struct matrices m = matrices_new();
    matrices_write(&m);
    product_in_scope(&m);
    need(baton_stream_synchronize(worker, BATON_WAIT_AUTO, &error));
    matrices_free(&m);
}

static void managed(void)
{
    struct matrices m = matrices_new();
    step_begin("cublasSgemm in baton_with_managed, its matrices still to be written");
    hold(writer);
    matrices_write(&m);
    product_in_scope(&m);
    step_check_held(worker);
    step_end(MUST_NOT_WAIT);
    let_go();
    check(&m);
    matrices_free(&m);
}

static void pointers(void)
{
    struct matrices m = matrices_new();
    uint64_t addresses[3];
    step_begin("cublasSgemm on addresses from baton_array_pointer");
    hold(writer);
    matrices_write(&m);
    let_go_soon();
    need(baton_array_pointer(m.a, worker, BATON_READ, &addresses[0], &error));
    step_check(was_let_go(), "the address came before the work was done");
    need(baton_array_pointer(m.b, worker, BATON_READ, &addresses[1], &error));
    need(baton_array_pointer(m.c, worker, BATON_WRITE, &addresses[2], &error));
    product(addresses);
    step_end(MUST_WAIT);
    let_go();
    check(&m);
    matrices_free(&m);
}

int main(void)
{
    example_open();
    begin();
    warm_up();
    managed();
    pointers();
    need_cublas(cublasDestroy(cublas));
    baton_array_release(source_a);
    baton_array_release(source_b);
    baton_stream_release(writer);
    baton_stream_release(worker);
    return example_close();
}
