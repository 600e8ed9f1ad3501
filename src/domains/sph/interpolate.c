/* interpolate.c - quantities at any point, from the particles round it (H14.1, C3.8). With V_j = V / D_j, the room that a particle takes (m_j / rho_j of
 * the texts),
 *
 *     plain     sum V_j A_j W,  sum V_j A_j grad W,  sum V_j A_j lap W
 *     value     sum V_j A_j W / sum V_j W                                    Shepard 1968
 *     gradient  g of the plane value + g . (x - mean) that fits the A_j best, weighed by V_j W (Lancaster & Salkauskas 1981); mean: of the x_j, weighed alike
 *     laplacian sum V_j (A_j - value - g . (x_j - mean)) lap W
 *
 * The plain sums are those of an even fluid all round; the others need none. All are of the bell of densities, in double, over the particles in their present
 * order: nothing in the tank is changed, and no two threads that ask are in each other's way. */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/sph/face.h"
#include "geometry/neighbours.h"
#include "math/sym3.h"
#include <math.h>
#include <stdio.h>

#define MOST_QUANTITIES 6
#define THIN 0.1 /* spacings: particles that spread less than that along an axis say nothing of slopes along it */
#define FEW 16   /* points for which all particles are looked at sooner than they are put in order */

/* Who asks, and what for: read puts the quantities of a particle into a. */
typedef struct inquiry {
    const kin_sph* f;
    const void* source;
    void (*read)(const struct inquiry* q, size_t particle, double* a);
    int quantities;
    kin_neighbours* near;
    uint32_t* found; /* of the last search */
    size_t capacity;
} inquiry;

/* Sums over the particles round a point of V_j times what is named; dx = x_j - x. */
typedef struct moments {
    double w, lap;         /* W, lap W */
    kin_vec3 grad;         /* grad W */
    kin_vec3 off, lap_off; /* W dx, lap W dx */
} moments;

typedef struct sums {
    size_t neighbours;
    moments one;
    kin_sym3 spread;             /* W dx dx^T */
    moments of[MOST_QUANTITIES]; /* A_j times those of one */
} sums;

/* ---- who is near ---- */

static double into_box(double x, double low, double size) { return size > 0 ? x - size * kin_floor((x - low) / size) : x; }

/* Relative to the origin; in the periodic box; in the plane. */
static kin_vec3 place_of(const kin_sph* f, kin_vec3 x)
{
    return kin_v(into_box(x.x, (double)f->box_low[0], (double)f->box_size[0]), into_box(x.y, (double)f->box_low[1], (double)f->box_size[1]),
                 f->flat ? 0 : into_box(x.z, (double)f->box_low[2], (double)f->box_size[2]));
}

static kin_vec3 particle_at(const kin_sph* f, size_t i) { return place_of(f, kin_v((double)f->x4[4 * i], (double)f->x4[4 * i + 1], (double)f->x4[4 * i + 2])); }

static kin_result put_in_order(inquiry* q, size_t points, kin_error* error)
{
    const kin_sph* f = q->f;
    const kin_neighbours_def def = {.kind = points < FEW ? KIN_NEIGHBOURS_BRUTE : KIN_NEIGHBOURS_HASH};
    const size_t bytes = kin_bytes(f->count, sizeof(kin_vec3));
    kin_result result = kin_neighbours_create(&f->allocator, &def, &q->near, error);
    if (result != KIN_OK || f->count == 0) return result;
    kin_vec3* places = kin_alloc(&f->allocator, bytes);
    if (places == NULL) return kin_fail_memory(error, "places", bytes);
    for (size_t i = 0; i < f->count; ++i) places[i] = particle_at(f, i);
    result = kin_neighbours_update(q->near, NULL, kin_points_of_vectors(places), (uint32_t)f->count, (double)f->support, error);
    kin_free(&f->allocator, places, bytes);
    return result;
}

/* Into found; false: out of memory. */
static bool search(inquiry* q, kin_vec3 x, size_t* count)
{
    const double reach = (double)q->f->support;
    *count = kin_neighbours_query(q->near, x, reach, q->found, (uint32_t)q->capacity);
    if (*count <= q->capacity) return true;
    if (!kin_reserve(&q->f->allocator, (void**)&q->found, &q->capacity, *count, sizeof *q->found)) return false;
    kin_neighbours_query(q->near, x, reach, q->found, (uint32_t)q->capacity);
    return true;
}

/* ---- sums ---- */

static void add_moments(moments* m, double a, double w, double lap, kin_vec3 grad, kin_vec3 dx)
{
    m->w += a * w, m->lap += a * lap;
    m->grad = kin_add_scaled(m->grad, a, grad), m->off = kin_add_scaled(m->off, a * w, dx), m->lap_off = kin_add_scaled(m->lap_off, a * lap, dx);
}

static void add_particle(const inquiry* q, size_t j, kin_vec3 x, sums* s)
{
    const kin_sph* f = q->f;
    kin_vec3 dx = kin_sub(particle_at(f, j), x);
    double a[MOST_QUANTITIES], r = kin_length(dx), room = (double)f->volume / (double)f->density[j], w = room * kin_sph_bell_w(&f->bell, r);
    if (!(w > 0)) return;
    double lap = room * kin_sph_bell_laplacian(&f->bell, r);
    kin_vec3 grad = kin_scale(dx, -room * kin_sph_bell_slope(&f->bell, r));
    q->read(q, j, a);
    s->neighbours += 1;
    s->spread = kin_sym3_add(s->spread, kin_sym3_scale(kin_sym3_square(dx), w));
    add_moments(&s->one, 1, w, lap, grad, dx);
    for (int k = 0; k < q->quantities; ++k) add_moments(&s->of[k], a[k], w, lap, grad, dx);
}

/* Whether the reach of the point's image, `side` boxes away along an axis, ends within the box. */
static bool has_image(const kin_sph* f, int axis, double x, int side)
{
    double low = (double)f->box_low[axis], size = (double)f->box_size[axis], reach = (double)f->support;
    if (side == 0) return true;
    return size > 0 && (side < 0 ? x > low + size - reach : x < low + reach);
}

/* Over the point and its images: a box is twice the reach at least, so no particle is met twice. */
static bool sum_around(inquiry* q, kin_vec3 x, sums* s)
{
    const kin_sph* f = q->f;
    *s = (sums){0};
    for (int image = 0; image < 27; ++image) {
        const int side[3] = {image / 9 - 1, image / 3 % 3 - 1, image % 3 - 1};
        bool there = true;
        kin_vec3 at = x;
        for (int a = 0; a < 3; ++a) {
            there = there && has_image(f, a, kin_component(x, a), side[a]);
            at = kin_add_scaled(at, side[a] * (double)f->box_size[a], kin_axis(a));
        }
        size_t count = 0;
        if (!there) continue;
        if (!search(q, at, &count)) return false;
        for (size_t k = 0; k < count; ++k) add_particle(q, q->found[k], at, s);
    }
    return true;
}

/* ---- what they come to ---- */

/* Of the places round the point, m^2: its inverse where they spread, 0 where they do not. */
static kin_mat3 inverse_spread(const sums* s, kin_vec3 mean, double spacing)
{
    kin_sym3 spread = kin_sym3_add(kin_sym3_scale(s->spread, 1 / s->one.w), kin_sym3_scale(kin_sym3_square(mean), -1));
    kin_eigen3 e = kin_sym3_eigen(spread);
    kin_mat3 inverse = {0};
    const kin_vec3 axes[3] = {e.vectors.cx, e.vectors.cy, e.vectors.cz};
    for (int a = 0; a < 3; ++a) {
        double along = kin_component(e.values, a);
        if (!(along > kin_square(THIN * spacing))) continue;
        kin_sym3 part = kin_sym3_scale(kin_sym3_square(axes[a]), 1 / along);
        inverse = kin_mat3_add(inverse, kin_sym3_matrix(part));
    }
    return inverse;
}

static kin_sph_quantity sample_of(const sums* s, const moments* m, kin_vec3 mean, kin_mat3 inverse)
{
    double value = m->w / s->one.w;
    kin_vec3 gradient = kin_mat3_apply(inverse, kin_add_scaled(kin_scale(m->off, 1 / s->one.w), -value, mean));
    double linear = value * s->one.lap + kin_dot(gradient, kin_add_scaled(s->one.lap_off, -s->one.lap, mean));
    return (kin_sph_quantity){
        .value = value, .gradient = gradient, .laplacian = m->lap - linear, .plain = m->w, .plain_gradient = m->grad, .plain_laplacian = m->lap};
}

static void sample_all(const inquiry* q, const sums* s, kin_sph_quantity* out)
{
    for (int k = 0; k < q->quantities; ++k) out[k] = (kin_sph_quantity){0};
    if (s->neighbours == 0) return;
    kin_vec3 mean = kin_scale(s->one.off, 1 / s->one.w);
    kin_mat3 inverse = inverse_spread(s, mean, (double)q->f->spacing);
    for (int k = 0; k < q->quantities; ++k) out[k] = sample_of(s, &s->of[k], mean, inverse);
}

/* ---- the calls ---- */

static kin_result check_points(const kin_vec3* points, size_t count, kin_error* error)
{
    char where[40];
    if (points == NULL && count > 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "points", "%zu are asked for, but there are none", count);
    for (size_t i = 0; i < count; ++i) {
        if (kin_finite3(points[i])) continue;
        snprintf(where, sizeof where, "points[%zu]", i);
        return kin_fail(error, KIN_ERROR_ARGUMENT, where, "is not finite: (%g, %g, %g)", points[i].x, points[i].y, points[i].z);
    }
    return KIN_OK;
}

/* put hands on what a point has. */
typedef void put_fn(const inquiry* q, const sums* s, size_t point, void* out);

static kin_result ask(inquiry* q, const kin_vec3* points, size_t count, put_fn* put, void* out, kin_error* error)
{
    kin_result result = check_points(points, count, error);
    if (result == KIN_OK) result = put_in_order(q, count, error);
    for (size_t i = 0; i < count && result == KIN_OK; ++i) {
        sums s;
        if (sum_around(q, place_of(q->f, kin_sub(points[i], q->f->origin)), &s))
            put(q, &s, i, out);
        else
            result = kin_fail_memory(error, "neighbours", q->capacity * sizeof *q->found);
    }
    kin_neighbours_destroy(q->near);
    kin_free(&q->f->allocator, q->found, q->capacity * sizeof *q->found);
    return result;
}

static void read_value(const inquiry* q, size_t j, double* a) { a[0] = (double)((const float*)q->source)[j]; }

static void put_sample(const inquiry* q, const sums* s, size_t point, void* out) { sample_all(q, s, (kin_sph_quantity*)out + point); }

kin_result kin_sph_interpolate(const kin_world* world, kin_system_id id, const float* values, const kin_vec3* points, size_t count, kin_sph_quantity* out,
                               kin_error* error)
{
    inquiry q = {.f = kin_world_system_self(world, id, &kin_sph_ops), .source = values, .read = read_value, .quantities = 1};
    if (values == NULL && q.f->count > 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "values", "there are none, but %zu particles", q.f->count);
    for (size_t i = 0; i < q.f->count; ++i) {
        char where[40];
        if (isfinite(values[i])) continue;
        snprintf(where, sizeof where, "values[%zu]", i);
        return kin_fail(error, KIN_ERROR_ARGUMENT, where, "is not finite: %g", (double)values[i]);
    }
    return ask(&q, points, count, put_sample, out, error);
}

enum { DENSITY, PRESSURE, TEMPERATURE, VELOCITY }; /* and two more: its components */

/* source: pressures. */
static void read_fluid(const inquiry* q, size_t j, double* a)
{
    const kin_sph* f = q->f;
    a[DENSITY] = (double)f->phases[f->phase[j]].density * (double)f->density[j];
    a[PRESSURE] = (double)((const float*)q->source)[j];
    a[TEMPERATURE] = f->temperature != NULL ? (double)f->temperature[j] : f->def.phases.data[f->phase[j]].reference;
    for (size_t k = 0; k < 3; ++k) a[VELOCITY + k] = (double)f->v4[4 * j + k];
}

static void put_probe(const inquiry* q, const sums* s, size_t point, void* out)
{
    kin_sph_quantity all[MOST_QUANTITIES];
    sample_all(q, s, all);
    const kin_vec3 u = all[VELOCITY].gradient, v = all[VELOCITY + 1].gradient, w = all[VELOCITY + 2].gradient;
    ((kin_sph_probed*)out)[point] = (kin_sph_probed){.neighbours = s->neighbours,
                                                     .filled = s->one.w,
                                                     .filled_gradient = s->one.grad,
                                                     .density = all[DENSITY],
                                                     .pressure = all[PRESSURE],
                                                     .temperature = all[TEMPERATURE],
                                                     .velocity = {all[VELOCITY], all[VELOCITY + 1], all[VELOCITY + 2]},
                                                     .divergence = u.x + v.y + w.z,
                                                     .curl = kin_v(w.y - v.z, u.z - w.x, v.x - u.y)};
}

kin_result kin_sph_probe(const kin_world* world, kin_system_id id, const kin_vec3* points, size_t count, kin_sph_probed* out, kin_error* error)
{
    kin_sph* f = kin_world_system_self(world, id, &kin_sph_ops);
    inquiry q = {.f = f, .source = kin_sph_pressures(f), .read = read_fluid, .quantities = VELOCITY + 3};
    if (q.source == NULL && f->count > 0) return kin_fail_memory(error, "pressures", f->capacity * sizeof *f->pressure);
    return ask(&q, points, count, put_probe, out, error);
}
