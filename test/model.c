#include "model.h"

uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;      /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t random_between(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)(random_next(seed) % (uint64_t)(high - low + 1));
}

void random_bytes(uint64_t *seed, void *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)random_next(seed);
}

int64_t model_count(const struct model *model)
{
    int64_t count = 1;
    for (int32_t i = 0; i < model->ndim; i++)
        count *= model->shape[i];
    return count;
}

int64_t model_index(const struct model *model, int64_t i)
{
    int64_t index = model->offset;
    for (int32_t d = model->ndim - 1; d >= 0; d--) {
        index += i % model->shape[d] * model->strides[d];
        i /= model->shape[d];
    }
    return index;
}

baton_array *make_shaped(int32_t dtype, int32_t ndim, const int64_t *shape, baton_stream *stream)
{
    baton_array *array;
    int32_t device;
    ok(baton_stream_device(stream, &device, &error));
    baton_array_options options = {
        .struct_size = sizeof options, .device = device, .dtype = dtype, .ndim = ndim, .shape = shape, .stream = stream
    };
    ok(baton_array_create(runtime, &options, &array, &error));
    return array;
}

/* How a view lies in its parent, drawn first: dimension i of the view is dimension permutation[i] of the parent. */
struct cut {
    int32_t permutation[MODEL_DIMS];
    int64_t extent[MODEL_DIMS], start[MODEL_DIMS], count[MODEL_DIMS], step[MODEL_DIMS]; /* by dimension of the parent */
};

static void shuffle(uint64_t *seed, int32_t *values, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        values[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int64_t other = random_between(seed, 0, i);
        int32_t kept = values[i];
        values[i] = values[other];
        values[other] = kept;
    }
}

static void cut_draw(struct cut *cut, uint64_t *seed, int32_t ndim, const int64_t *shape)
{
    shuffle(seed, cut->permutation, ndim);
    for (int32_t i = 0; i < ndim; i++) {
        int32_t d = cut->permutation[i];
        int64_t step = random_between(seed, 1, 3), before = random_between(seed, 0, 2),
                after = random_between(seed, 0, 2);
        int64_t span = shape[i] ? (shape[i] - 1) * step + 1 : 0;
        int backwards = random_next(seed) & 1;
        cut->count[d] = shape[i];
        cut->extent[d] = before + span + after;
        cut->step[d] = backwards ? -step : step;
        cut->start[d] = backwards && span ? before + span - 1 : before;
    }
}

static void model_of(struct model *model, const struct cut *cut, int32_t ndim)
{
    int64_t strides[MODEL_DIMS], elements = 1;
    *model = (struct model) { .ndim = ndim };
    for (int32_t d = ndim - 1; d >= 0; d--) {
        strides[d] = elements;
        elements *= cut->extent[d];
        model->offset += cut->start[d] * strides[d];
    }
    for (int32_t i = 0; i < ndim; i++) {
        int32_t d = cut->permutation[i];
        model->shape[i] = cut->count[d];
        model->strides[i] = strides[d] * cut->step[d];
    }
}

static void expect_layout(const struct viewed *viewed)
{
    baton_array_info info = info_of(viewed->view);
    const struct model *model = &viewed->model;
    ck_assert_int_eq(info.ndim, model->ndim);
    ck_assert_uint_eq(info.elements, (uint64_t)model_count(model));
    for (int32_t i = 0; i < model->ndim; i++) {
        ck_assert_int_eq(info.shape[i], model->shape[i]);
        if (info.elements && model->shape[i] > 1)
            ck_assert_int_eq(info.strides[i], model->strides[i]);
    }
    if (info.elements)
        ck_assert_int_eq((int64_t)info.offset_bytes, model->offset * viewed->element_bytes);
}

static void parent_make(struct viewed *viewed, uint64_t *seed, int32_t dtype, int32_t ndim, const int64_t *extent, baton_stream *stream)
{
    viewed->element_bytes = baton_dtype_size(dtype);
    viewed->parent = make_shaped(dtype, ndim, extent, stream);
    viewed->bytes = info_of(viewed->parent).bytes;
    viewed->host = malloc(viewed->bytes + 1);
    ck_assert_ptr_nonnull(viewed->host);
    random_bytes(seed, viewed->host, viewed->bytes);
    ok(baton_upload(viewed->parent, viewed->host, viewed->bytes, stream, &error));
}

void viewed_make(struct viewed *viewed, uint64_t *seed, int32_t dtype, int32_t ndim, const int64_t *shape,
                 baton_stream *stream)
{
    struct cut cut;
    cut_draw(&cut, seed, ndim, shape);
    model_of(&viewed->model, &cut, ndim);
    parent_make(viewed, seed, dtype, ndim, cut.extent, stream);
    baton_view_options options = { .struct_size = sizeof options,
                                   .ndim = ndim,
                                   .start = cut.start,
                                   .count = cut.count,
                                   .step = cut.step,
                                   .permutation = cut.permutation };
    ok(baton_array_view(viewed->parent, &options, &viewed->view, &error));
    expect_layout(viewed);
}

void viewed_run(struct viewed *viewed, uint64_t *seed, int32_t dtype, int64_t start, int64_t count, baton_stream *stream)
{
    enum { BEHIND = 3 };
    viewed->model = (struct model) { .ndim = 1, .shape = { count }, .strides = { 1 }, .offset = start };
    parent_make(viewed, seed, dtype, 1, (int64_t[]) { start + count + BEHIND }, stream);
    viewed->view = make_view(viewed->parent, start, count);
}

uint8_t *viewed_at(const struct viewed *viewed, int64_t i)
{
    return viewed->host + model_index(&viewed->model, i) * viewed->element_bytes;
}

void viewed_expect(const struct viewed *viewed, baton_stream *stream)
{
    uint8_t *found = malloc(viewed->bytes + 1);
    ck_assert_ptr_nonnull(found);
    ok(baton_download(found, viewed->bytes, viewed->parent, stream, &error));
    ck_assert_mem_eq(found, viewed->host, viewed->bytes);
    free(found);
}

void viewed_free(struct viewed *viewed)
{
    baton_array_release(viewed->view);
    baton_array_release(viewed->parent);
    free(viewed->host);
}
