/* denoise.c - edge-avoiding wavelets (Dammertz 2010) guided by normal, depth and the light's own variance (Schied 2017).
 * Light was divided by albedo before, so patterns are not blurred. Each pass reaches twice as far as the one before;
 * a neighbour counts if its surface goes on from ours and its light differs no more than the noise would. */
#include "render/denoise.h"
#include "base/jobs.h"
#include <xmmintrin.h>

enum { PASSES = 4, ROWS = 8 };

typedef struct pass {
    kin_film* film;
    int step; /* pixels between taps; 0: only calms */
} pass;

static kin_vec at(const kin_film* film, const kin_vec* plane, int x, int y) { return plane[(size_t)y * (size_t)film->width + (size_t)x]; }
static int clampi(int x, int low, int high) { return x < low ? low : (x > high ? high : x); }

/* Variance of one pixel is itself noisy: its mean over the neighbours is what counts. */
static float smooth_variance(const kin_film* film, int x, int y)
{
    static const float weight[3] = {0.25f, 0.5f, 0.25f};
    float sum = 0;
    for (int j = -1; j <= 1; ++j) {
        for (int i = -1; i <= 1; ++i) {
            int u = clampi(x + i, 0, film->width - 1), v = clampi(y + j, 0, film->height - 1);
            sum += weight[i + 1] * weight[j + 1] * at(film, film->light, u, v)[3];
        }
    }
    return sum;
}

/* The smaller of the two one-sided slopes: the surface's own, not that of an edge. */
static float slope(float before, float here, float after)
{
    float a = here - before, b = after - here;
    return fabsf(a) < fabsf(b) ? a : b;
}

/* A pixel far brighter than all around it is a path that got lucky: it is brought down to its brightest neighbour. */
static kin_vec calmed(const kin_film* film, int x, int y)
{
    kin_vec here = at(film, film->light, x, y);
    float own = vec_luminance(here), brightest = 0;
    if (here[3] < 0.04f * own * own) return here; /* its samples agree */
    for (int j = -1; j <= 1; ++j) {
        for (int i = -1; i <= 1; ++i) {
            int u = clampi(x + i, 0, film->width - 1), v = clampi(y + j, 0, film->height - 1);
            if (u != x || v != y) brightest = maxf(brightest, vec_luminance(at(film, film->light, u, v)));
        }
    }
    if (own <= brightest || !(brightest > 0)) return here;
    float scale = brightest / own, variance = here[3] * scale * scale;
    here *= scale;
    here[3] = variance;
    return here;
}

typedef struct view {
    kin_vec guide, light;
    float slope_x, slope_y; /* of 1 / depth, a pixel */
    float tolerance;        /* of luminance: 1 / (a few standard deviations) */
    float depth_tolerance;
} view;

static view view_of(const kin_film* film, int x, int y)
{
    int left = clampi(x - 1, 0, film->width - 1), right = clampi(x + 1, 0, film->width - 1);
    int above = clampi(y - 1, 0, film->height - 1), below = clampi(y + 1, 0, film->height - 1);
    view v = {.guide = at(film, film->guide, x, y), .light = at(film, film->light, x, y)};
    float here = v.guide[3];
    v.slope_x = slope(at(film, film->guide, left, y)[3], here, at(film, film->guide, right, y)[3]);
    v.slope_y = slope(at(film, film->guide, x, above)[3], here, at(film, film->guide, x, below)[3]);
    v.tolerance = 1 / (3 * sqrtf(maxf(smooth_variance(film, x, y), 0)) + 1e-4f);
    v.depth_tolerance = 1 / (0.02f * here + 1e-9f);
    return v;
}

static float likeness(const view* v, kin_vec guide, kin_vec light, int dx, int dy)
{
    float facing = vec_dot(v->guide, guide);
    if (!(facing > 0.5f)) return 0;
    facing *= facing; /* to the 32nd */
    facing *= facing;
    facing *= facing;
    facing *= facing;
    facing *= facing;
    float expected = v->guide[3] + v->slope_x * (float)dx + v->slope_y * (float)dy;
    float off = fabsf(guide[3] - expected) * v->depth_tolerance + fabsf(vec_luminance(light) - vec_luminance(v->light)) * v->tolerance;
    return off < 8 ? facing * expf(-off) : 0;
}

static kin_vec filtered(const kin_film* film, int x, int y, int step)
{
    static const float weight[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    view v = view_of(film, x, y);
    if (!(v.guide[3] > 0)) return v.light;
    kin_vec sum = vec_all(0);
    float total = 0, variance = 0;
    for (int j = -2; j <= 2; ++j) {
        int row = y + j * step;
        if (row < 0 || row >= film->height) continue;
        for (int i = -2; i <= 2; ++i) {
            int column = x + i * step;
            if (column < 0 || column >= film->width) continue;
            kin_vec light = at(film, film->light, column, row);
            float w = i == 0 && j == 0 ? 1 : likeness(&v, at(film, film->guide, column, row), light, i * step, j * step);
            w *= weight[i + 2] * weight[j + 2];
            sum += light * w;
            variance += light[3] * w * w;
            total += w;
        }
    }
    kin_vec mean = sum * (1 / total);
    mean[3] = variance / (total * total);
    return mean;
}

static void filter_rows(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const pass* p = argument;
    unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040); /* tiny weights are zero; given back below */
    for (int64_t y = begin; y < end; ++y) {
        for (int x = 0; x < p->film->width; ++x) {
            p->film->spare[(size_t)y * (size_t)p->film->width + (size_t)x] = p->step > 0 ? filtered(p->film, x, (int)y, p->step) : calmed(p->film, x, (int)y);
        }
    }
    _mm_setcsr(mode);
}

void kin_denoise(kin_film* film, kin_jobs* jobs)
{
    for (int i = 0; i <= PASSES; ++i) {
        pass p = {film, i == 0 ? 0 : 1 << (i - 1)};
        kin_parallel_for(jobs, film->height, ROWS, filter_rows, &p);
        kin_vec* swap = film->light;
        film->light = film->spare;
        film->spare = swap;
    }
}
