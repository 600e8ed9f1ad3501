/* shape.c - what each particle adds to the field.
 *
 * The surroundings of a particle are the same 27 cells for all particles of its cell; runs of them along x are one stretch of memory.
 *
 * Anisotropic (Yu and Turk 2013, eq. 9-15): C is the covariance of the surroundings under weights 1 - (d/R)^3, its eigenvalues s1 >= s2 >= s3 are kept within
 * a ratio of 4, and the kernel is stretched by them in the directions of their vectors. In the depth of the fluid each is 0.15 R^2 (the integral of r^4 w over
 * three times that of r^2 w): this is the unit, so that kernels there are round and H wide. Particles with few others near are drops of half that width. */
#include "geometry/skin/local.h"
#include "math/sym3.h"

enum { GRAIN = 8, FEW = 20 };
static const double center_smoothing = 0.9, most_ratio = 4, drop_width = 0.5;
static const double kernel_unit = 315 / (64 * KIN_PI); /* of (1 - r^2)^3 over the unit ball */

typedef struct shape_job {
    kin_fluid_skin_work* work;
    const kin_fluid_skin_kernels* kernels;
} shape_job;

static void surroundings(const kin_fluid_skin_work* w, uint32_t cell, kin_stretches* near)
{
    size_t count = w->cloud->count, first = w->items[w->cells.starts[cell]];
    kin_stretches_round(near, &w->cells, (double[3]){w->places[first], w->places[count + first], w->places[2 * count + first]});
}

static kin_fluid_skin_blob round_blob(const kin_fluid_skin_points* p, uint32_t i, double width, double volume)
{
    float g = (float)(1 / width), e = (float)width;
    return (kin_fluid_skin_blob){.at = {p->cx[i], p->cy[i], p->cz[i]},
                                 .shape = {g, g, g, 0, 0, 0},
                                 .weight = (float)(kernel_unit * volume / (width * width * width)),
                                 .extent = {e, e, e}};
}

/* S maps the unit ball to the kernel's ellipsoid; the box round that has the lengths of its rows. */
static void stretch_blob(kin_fluid_skin_blob* b, const kin_eigen3* e, kin_vec3 widths, double volume)
{
    kin_vec3 inverse = kin_v(1 / widths.x, 1 / widths.y, 1 / widths.z);
    kin_sym3 s = kin_sym3_rotate(e->vectors, kin_sym3_diagonal(widths)), g = kin_sym3_rotate(e->vectors, kin_sym3_diagonal(inverse));
    double shape[6] = {g.xx, g.yy, g.zz, g.xy, g.xz, g.yz};
    for (int k = 0; k < 6; ++k) b->shape[k] = (float)shape[k];
    b->weight = (float)(kernel_unit * volume * inverse.x * inverse.y * inverse.z);
    b->extent[0] = (float)(1.0001 * kin_sqrt(s.xx * s.xx + s.xy * s.xy + s.xz * s.xz));
    b->extent[1] = (float)(1.0001 * kin_sqrt(s.xy * s.xy + s.yy * s.yy + s.yz * s.yz));
    b->extent[2] = (float)(1.0001 * kin_sqrt(s.xz * s.xz + s.yz * s.yz + s.zz * s.zz));
}

static void shape_anisotropic(const shape_job* job, const kin_stretches* near, uint32_t i)
{
    kin_fluid_skin_work* w = job->work;
    kin_fluid_skin_points* p = &w->points;
    double spacing = w->settings.spacing, reach = KIN_SKIN_SURROUND * spacing, volume = spacing * spacing * spacing, H = KIN_SKIN_REACH * spacing;
    float m[KIN_SKIN_MOMENTS];
    job->kernels->moments(p, near, i, (float)reach, m);
    double inverse = 1 / (double)m[0];
    kin_vec3 mean = kin_v((double)m[1] * inverse, (double)m[2] * inverse, (double)m[3] * inverse), move = kin_scale(mean, center_smoothing * reach);
    p->cx[i] = p->x[i] + (float)move.x, p->cy[i] = p->y[i] + (float)move.y, p->cz[i] = p->z[i] + (float)move.z;
    p->columns[0][i] = p->x[i] - p->cx[i], p->columns[1][i] = p->y[i] - p->cy[i], p->columns[2][i] = p->z[i] - p->cz[i];
    w->blobs[i] = round_blob(p, i, H * drop_width, volume);
    if (m[10] < FEW) return;
    kin_sym3 c = {(double)m[4] * inverse - mean.x * mean.x, (double)m[5] * inverse - mean.y * mean.y, (double)m[6] * inverse - mean.z * mean.z,
                  (double)m[7] * inverse - mean.x * mean.y, (double)m[8] * inverse - mean.x * mean.z, (double)m[9] * inverse - mean.y * mean.z};
    kin_eigen3 e = kin_sym3_eigen(kin_sym3_scale(c, 1 / 0.15));
    if (!(e.values.x > 1e-3)) return; /* all at one place */
    double s1 = kin_min(e.values.x, KIN_SKIN_STRETCH), s2 = kin_max(kin_min(e.values.y, s1), s1 / most_ratio),
           s3 = kin_max(kin_min(e.values.z, s1), s1 / most_ratio);
    stretch_blob(&w->blobs[i], &e, kin_v(s1 * H, s2 * H, s3 * H), volume);
}

static void shape_cells(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const shape_job* job = argument;
    kin_fluid_skin_work* w = job->work;
    double reach = KIN_SKIN_REACH * w->settings.spacing, volume = reach * reach * reach / kernel_unit;
    for (int64_t cell = begin; cell < end; ++cell) {
        kin_stretches near;
        if (w->settings.kind != KIN_SKIN_ZHU_BRIDSON) surroundings(w, (uint32_t)cell, &near);
        for (uint32_t i = w->cells.starts[cell]; i < w->cells.starts[cell + 1]; ++i) {
            float n = 1;
            if (w->settings.kind == KIN_SKIN_ANISOTROPIC) {
                shape_anisotropic(job, &near, i);
                continue;
            }
            if (w->settings.kind == KIN_SKIN_COLOR) job->kernels->density(&w->points, &near, i, (float)reach, &n);
            w->blobs[i] = round_blob(&w->points, i, reach, volume / (double)n); /* V = 1 / (kernel_unit n / reach^3) */
        }
    }
}

void kin_fluid_skin_shape(kin_fluid_skin_work* w)
{
    kin_parallel_for(w->jobs, w->cells.cell_count, GRAIN, shape_cells, &(shape_job){w, kin_fluid_skin_kernels_of(w->settings.simd)});
    double most = 0;
    const float* const* d = (const float* const*)w->points.columns;
    for (uint32_t i = 0; i < w->cloud->count; ++i) {
        double x = (double)d[0][i], y = (double)d[1][i], z = (double)d[2][i];
        most = kin_max(most, x * x + y * y + z * z);
    }
    w->shift = kin_sqrt(most);
}
