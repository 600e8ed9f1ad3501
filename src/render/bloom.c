/* bloom.c - the excess of light over white, shrunk, blurred by a Gaussian both ways and added faintly. Works on a picture a
 * quarter the size each way, kept in the denoiser's spare plane. */
#include "render/bloom.h"

enum { SHRINK = 4, REACH = 12 };
static const float strength = 0.10f;

typedef struct bloom {
    kin_film* film;
    kin_vec *excess, *half_blurred; /* small pictures */
    int width, height;              /* of the small ones */
    float white;                    /* radiance */
    float weight[REACH + 1];
} bloom;

/* One small row: means of blocks. */
static void shrink_row(const bloom* b, int row)
{
    const kin_film* f = b->film;
    for (int column = 0; column < b->width; ++column) {
        kin_vec sum = vec_all(0);
        for (int y = row * SHRINK; y < (row + 1) * SHRINK && y < f->height; ++y) {
            for (int x = column * SHRINK; x < (column + 1) * SHRINK && x < f->width; ++x) {
                size_t i = (size_t)y * (size_t)f->width + (size_t)x;
                kin_vec c = f->crisp[i] + f->light[i] * f->albedo[i];
                float peak = vec_max(c);
                if (peak > b->white) sum += c * (1 - b->white / peak);
            }
        }
        b->excess[row * b->width + column] = sum * (1.0f / (SHRINK * SHRINK));
    }
}

static kin_vec blurred(const bloom* b, const kin_vec* from, int at, int count, int stride)
{
    kin_vec sum = vec_all(0);
    for (int i = -REACH; i <= REACH; ++i) {
        if (at + i >= 0 && at + i < count) sum += from[i * stride] * b->weight[i < 0 ? -i : i];
    }
    return sum;
}

static void shrink_rows(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const bloom* b = argument;
    for (int64_t y = begin; y < end; ++y) {
        shrink_row(b, (int)y);
        for (int x = 0; x < b->width; ++x) b->half_blurred[y * b->width + x] = blurred(b, &b->excess[y * b->width + x], x, b->width, 1);
    }
}

static void blur_columns(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const bloom* b = argument;
    for (int64_t y = begin; y < end; ++y) {
        for (int x = 0; x < b->width; ++x) b->excess[y * b->width + x] = blurred(b, &b->half_blurred[y * b->width + x], (int)y, b->height, b->width);
    }
}

/* Between the centres of the four nearest small pixels. */
static kin_vec enlarged(const bloom* b, int x, int y)
{
    float u = clampf(((float)x + 0.5f) / SHRINK - 0.5f, 0, (float)(b->width - 1)), v = clampf(((float)y + 0.5f) / SHRINK - 0.5f, 0, (float)(b->height - 1));
    int left = (int)u, top = (int)v, right = left + 1 < b->width ? left + 1 : left, bottom = top + 1 < b->height ? top + 1 : top;
    kin_vec above = vec_mix(b->excess[top * b->width + left], b->excess[top * b->width + right], u - (float)left);
    kin_vec below = vec_mix(b->excess[bottom * b->width + left], b->excess[bottom * b->width + right], u - (float)left);
    return vec_mix(above, below, v - (float)top);
}

static void add_rows(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const bloom* b = argument;
    kin_film* f = b->film;
    for (int64_t y = begin; y < end; ++y) {
        for (int x = 0; x < f->width; ++x) f->crisp[y * f->width + x] += enlarged(b, x, (int)y) * strength;
    }
}

void kin_bloom(kin_film* film, kin_jobs* jobs, float gain)
{
    bloom b = {.film = film, .width = (film->width + SHRINK - 1) / SHRINK, .height = (film->height + SHRINK - 1) / SHRINK, .white = 1 / gain};
    b.excess = film->spare;
    b.half_blurred = film->spare + (size_t)b.width * (size_t)b.height;
    if (2 * (size_t)b.width * (size_t)b.height > (size_t)film->width * (size_t)film->height) return; /* a picture of a few pixels */
    float total = 0;
    for (int i = 0; i <= REACH; ++i) {
        b.weight[i] = expf(-0.5f * (float)(i * i) * (9.0f / (REACH * REACH)));
        total += i == 0 ? b.weight[i] : 2 * b.weight[i];
    }
    for (int i = 0; i <= REACH; ++i) b.weight[i] /= total;
    kin_parallel_for(jobs, b.height, 4, shrink_rows, &b);
    kin_parallel_for(jobs, b.height, 4, blur_columns, &b);
    kin_parallel_for(jobs, film->height, 16, add_rows, &b);
}
