/* A Fourier transform and its inverse by cuFFT on Baton's arrays, in the two ways: in a managed call, where the host does
 * not wait, and with addresses for foreign code, where it does. The spectrum is compared with one made by the host. */
#include <complex.h>
#include <cufft.h>
#include <math.h>
#include <stdio.h>

#include "common.h"

enum { COUNT = 1024 };

static const double PI = 3.14159265358979323846;
static const float TOLERANCE = 1e-2f;           /* of sums of 1024 numbers up to 1 */

static cufftHandle plan;
static baton_stream *writer, *worker;
static float complex signal[COUNT], spectrum[COUNT];
static baton_array *source;                     /* holds the signal before the stream stands still */

#define need_cufft(call) need_success((call), #call)
static void need_success(cufftResult result, const char *call)
{
    char text[32];
    snprintf(text, sizeof text, "cufftResult %d", (int)result);
    if (result != CUFFT_SUCCESS)
        example_die(call, text);
}

static void signal_make(void)
{
    for (int i = 0; i < COUNT; i++)
        signal[i] = (float)(i * 37 % 101) / 101 - (float)(i * 11 % 67) / 67 * I;
}

static void spectrum_make(void)
{
    for (int k = 0; k < COUNT; k++) {
        double complex sum = 0;
        for (int i = 0; i < COUNT; i++)
            sum += (double complex)signal[i] * cexp(-2 * PI * I * (double)(i * k % COUNT) / COUNT);
        spectrum[k] = (float complex)sum;
    }
}

struct transform {
    baton_array *in, *out, *back;
};

static void transform_run(const uint64_t *addresses)
{
    need_cufft(cufftExecC2C(plan, (cufftComplex *)addresses[0], (cufftComplex *)addresses[1], CUFFT_FORWARD));
    need_cufft(cufftExecC2C(plan, (cufftComplex *)addresses[1], (cufftComplex *)addresses[2], CUFFT_INVERSE));
}

static int32_t transform_managed(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    (void)user;
    (void)stream;           /* the plan was told which one */
    (void)count;
    transform_run((const uint64_t[]) { operands[0].address, operands[1].address, operands[2].address });
    return BATON_OK;
}

/* `in` is undefined until the copy has run, which the writer's stream makes. */
static struct transform transform_new(void)
{
    return (struct transform) { array_new(BATON_C64, COUNT, writer), array_new(BATON_C64, COUNT, worker),
                                array_new(BATON_C64, COUNT, worker) };
}

static void transform_free(const struct transform *t)
{
    baton_array_release_n((baton_array *[]) { t->in, t->out, t->back }, 3);
}

static void transform_in_scope(const struct transform *t)
{
    baton_operand operands[] = { { .array = t->in, .access = BATON_READ }, { .array = t->out, .access = BATON_WRITE },
                                 { .array = t->back, .access = BATON_WRITE } };
    need(baton_with_managed(worker, operands, 3, transform_managed, NULL, &error));
}

/* Read on the writer's stream: behind the transform, which ran on the other. */
static void check(baton_array *array, const float complex *expected, float factor, const char *what)
{
    static float complex values[COUNT];
    float most = 0;
    need(baton_download(values, sizeof values, array, writer, &error));
    for (int i = 0; i < COUNT; i++) {
        float difference = cabsf(values[i] * factor - expected[i]);
        if (!(difference <= most))      /* a NaN too */
            most = difference;
    }
    step_check(most <= TOLERANCE, what);
}

static void check_both(const struct transform *t)
{
    check(t->out, spectrum, 1, "the spectrum differs from the host's");
    check(t->back, signal, 1.0f / COUNT, "the inverse does not give the signal back");
}

static void begin(void)
{
    uint64_t native;
    signal_make();
    spectrum_make();
    writer = stream_new();
    worker = stream_new();
    source = array_from(signal, BATON_C64, COUNT, writer);
    need_cufft(cufftPlan1d(&plan, COUNT, CUFFT_C2C, 1));
    need(baton_stream_native(worker, &native, &error));
    need_cufft(cufftSetStream(plan, (cudaStream_t)native));
}

/* The first transform loads its kernels, for which the driver may wait for the device. */
static void warm_up(void)
{
    struct transform t = transform_new();
    need(baton_copy(t.in, source, writer, &error));
    transform_in_scope(&t);
    need(baton_stream_synchronize(worker, BATON_WAIT_AUTO, &error));
    transform_free(&t);
}

static void managed(void)
{
    struct transform t = transform_new();
    step_begin("cufftExecC2C in baton_with_managed, its signal still to be written");
    hold(writer);
    need(baton_copy(t.in, source, writer, &error));
    transform_in_scope(&t);
    step_check_held(worker);
    step_end(MUST_NOT_WAIT);
    let_go();
    check_both(&t);
    transform_free(&t);
}

static void pointers(void)
{
    struct transform t = transform_new();
    uint64_t addresses[3];
    step_begin("cufftExecC2C on addresses from baton_array_pointer");
    hold(writer);
    need(baton_copy(t.in, source, writer, &error));
    let_go_soon();
    need(baton_array_pointer(t.in, worker, BATON_READ, &addresses[0], &error));
    step_check(was_let_go(), "the address came before the work was done");
    need(baton_array_pointer(t.out, worker, BATON_READ_WRITE, &addresses[1], &error));
    need(baton_array_pointer(t.back, worker, BATON_WRITE, &addresses[2], &error));
    transform_run(addresses);
    step_end(MUST_WAIT);
    let_go();
    check_both(&t);
    transform_free(&t);
}

int main(void)
{
    example_open();
    begin();
    warm_up();
    managed();
    pointers();
    need_cufft(cufftDestroy(plan));
    baton_array_release(source);
    baton_stream_release(writer);
    baton_stream_release(worker);
    return example_close();
}
