/* motion_path.c - a curve with a table of its arc length; between the table's places the length is integrated and inverted by Newton's method, so that speeds
 * are those asked for to rounding. */
#include "system/motion_path.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/nurbs/nurbs.h"
#include "system/curve.h"
#include <stdatomic.h>
#include <string.h>

enum { DEGREE = 3, PLACES = 16 }; /* in the table, of each span */
#define CLOSES 1e-12              /* of the size: ends nearer than this are one */
#define UPRIGHT 1e-3              /* sine of the least angle between the curve and y for which a thing can be turned with it */

struct kin_motion_path {
    kin_nurbs_curve* curve;
    double* parameters; /* of the places, rising */
    double* lengths;    /* m, from the begin to each place */
    uint32_t count;
    bool closed, face;
    double begin; /* m */
    kin_curve speed;
    kin_curve_key* keys; /* of speed */
    kin_transform origin;
    kin_allocator allocator;
    atomic_int owners;
};

/* ---- making ---- */

static kin_result check(const kin_path_def* def, kin_error* error)
{
    const bool periodic = def->periodic;
    const int degree = def->degree != 0 ? def->degree : DEGREE;
    const size_t knots = def->points.count + 1 + (periodic ? 0 : (size_t)(degree > 0 ? degree : 0));
    if (def->points.count > UINT32_MAX / 2) return kin_fail(error, KIN_ERROR_ARGUMENT, "path.points", "%zu are too many", def->points.count);
    if (def->weights.count > 0 && def->weights.count != def->points.count)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "path.weights", "%zu numbers for %zu points", def->weights.count, def->points.count);
    if (def->knots.count > 0 && def->knots.count != knots)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "path.knots", "%zu numbers; %zu are needed, or none", def->knots.count, knots);
    if (!kin_finite(def->begin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "path.begin", "must be finite (m)");
    if (def->speed.count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "path.speed", "is needed: how fast the curve is followed (m/s)");
    for (size_t i = 0; i < def->speed.count; ++i) {
        const kin_curve_key* key = &def->speed.keys[i];
        bool rises = i == 0 || key->time > def->speed.keys[i - 1].time;
        if (!rises || !kin_finite(key->time) || !kin_finite(key->value[0]))
            return kin_fail(error, KIN_ERROR_ARGUMENT, "path.speed", "key %zu must be finite, and later than the key before", i);
    }
    return KIN_OK;
}

static kin_result make_curve(const kin_allocator* allocator, const kin_path_def* def, kin_nurbs_curve** out, kin_error* error)
{
    const kin_nurbs_curve_def curve = {.axis = {.degree = def->degree != 0 ? def->degree : DEGREE,
                                                .count = (uint32_t)def->points.count,
                                                .knots = def->knots.count > 0 ? def->knots.data : NULL,
                                                .periodic = def->periodic},
                                       .points = def->points.data,
                                       .weights = def->weights.count > 0 ? def->weights.data : NULL};
    kin_result result = kin_nurbs_curve_create(allocator, &curve, out, error);
    return result == KIN_OK || result == KIN_ERROR_MEMORY ? result : kin_within(result, "path", error);
}

static bool fill_table(kin_motion_path* p)
{
    const kin_nurbs_axis* axis = &p->curve->axis;
    p->count = PLACES * axis->span_count + 1;
    p->parameters = kin_alloc(&p->allocator, p->count * sizeof *p->parameters);
    p->lengths = kin_alloc(&p->allocator, p->count * sizeof *p->lengths);
    if (p->parameters == NULL || p->lengths == NULL) return false;
    for (uint32_t i = 0; i < p->count; ++i) {
        const uint32_t span = i / PLACES < axis->span_count ? i / PLACES : axis->span_count - 1;
        const double from = axis->knots[axis->spans[span]], to = axis->knots[axis->spans[span] + 1];
        p->parameters[i] = kin_mix(from, to, (double)(i - span * PLACES) / PLACES);
        p->lengths[i] = i > 0 ? p->lengths[i - 1] + kin_nurbs_curve_length(p->curve, p->parameters[i - 1], p->parameters[i]) : 0;
    }
    return true;
}

static kin_result check_table(const kin_motion_path* p, kin_error* error)
{
    if (!(p->lengths[p->count - 1] > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "path.points", "the curve has no length");
    for (uint32_t i = 0; p->face && i < p->count; ++i) {
        const kin_vec3 tangent = kin_nurbs_curve_tangent(p->curve, p->parameters[i]);
        if (tangent.x * tangent.x + tangent.z * tangent.z < UPRIGHT * UPRIGHT)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "path.face", "the curve goes straight up or down after %g m, where y is no direction across it",
                            p->lengths[i]);
    }
    return KIN_OK;
}

kin_result kin_motion_path_create(const kin_allocator* allocator, const kin_path_def* def, kin_transform origin, kin_motion_path** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check(def, error);
    if (result != KIN_OK) return result;
    kin_motion_path* p = kin_alloc_zero(allocator, sizeof *p);
    if (p == NULL) return kin_fail_memory(error, "a path", sizeof *p);
    p->allocator = *allocator;
    atomic_init(&p->owners, 1);
    p->face = def->face;
    p->begin = def->begin;
    p->origin = origin;
    p->speed = def->speed;
    p->keys = kin_alloc(allocator, def->speed.count * sizeof *p->keys);
    result = p->keys != NULL ? make_curve(allocator, def, &p->curve, error) : kin_fail_memory(error, "a path", def->speed.count * sizeof *p->keys);
    if (p->keys != NULL) memcpy(p->keys, def->speed.keys, def->speed.count * sizeof *p->keys);
    p->speed.keys = p->keys;
    if (result == KIN_OK && !fill_table(p)) result = kin_fail_memory(error, "a path", p->count * 2 * sizeof *p->lengths);
    if (result == KIN_OK) result = check_table(p, error);
    if (result != KIN_OK) {
        kin_motion_path_drop(p);
        return result;
    }
    const kin_nurbs_axis* axis = &p->curve->axis;
    const double gap = kin_distance(kin_nurbs_curve_point(p->curve, axis->begin), kin_nurbs_curve_point(p->curve, axis->end));
    p->closed = def->periodic || gap <= CLOSES * p->curve->scale;
    *out = p;
    return KIN_OK;
}

kin_motion_path* kin_motion_path_keep(kin_motion_path* p)
{
    atomic_fetch_add(&p->owners, 1);
    return p;
}

void kin_motion_path_drop(kin_motion_path* p)
{
    if (p == NULL || atomic_fetch_sub(&p->owners, 1) > 1) return;
    kin_allocator allocator = p->allocator;
    kin_free(&allocator, p->keys, p->speed.count * sizeof *p->keys);
    kin_free(&allocator, p->parameters, p->count * sizeof *p->parameters);
    kin_free(&allocator, p->lengths, p->count * sizeof *p->lengths);
    kin_nurbs_curve_destroy(p->curve);
    kin_free(&allocator, p, sizeof *p);
}

/* ---- poses ---- */

double kin_motion_path_length(const kin_motion_path* p) { return p->lengths[p->count - 1]; }

static double place_on(const kin_motion_path* p, double time)
{
    const double length = kin_motion_path_length(p), s = p->begin + kin_curve_integral(&p->speed, 0, time, 0);
    if (!p->closed) return kin_clamp(s, 0, length);
    return kin_clamp(s - length * kin_floor(s / length), 0, length);
}

/* The parameter at arc length s: Newton's method within an interval of the table, which it does not leave. */
static double parameter_at(const kin_motion_path* p, double s)
{
    enum { STEPS = 20 };
    uint32_t low = 0, high = p->count - 1;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (p->lengths[middle] <= s)
            low = middle;
        else
            high = middle;
    }
    const double from = p->parameters[low], to = p->parameters[high], wanted = s - p->lengths[low], whole = p->lengths[high] - p->lengths[low];
    double u = whole > 0 ? kin_mix(from, to, kin_clamp(wanted / whole, 0, 1)) : from;
    for (int step = 0; step < STEPS; ++step) {
        kin_vec3 d[2];
        kin_nurbs_curve_derivatives(p->curve, u, 1, d);
        const double off = wanted - kin_nurbs_curve_length(p->curve, from, u), rate = kin_length(d[1]);
        if (kin_abs(off) <= 1e-14 * kin_motion_path_length(p) || !(rate > 0)) break;
        u = kin_clamp(u + off / rate, from, to);
    }
    return u;
}

/* x along the curve, y as near to the world's as can be. */
static kin_quat facing(kin_vec3 tangent)
{
    const kin_vec3 z = kin_normalize_or(kin_cross(tangent, kin_axis(1)), kin_axis(2)), y = kin_cross(z, tangent);
    return kin_quat_from_matrix((kin_mat3){tangent, y, z});
}

kin_transform kin_motion_path_pose(const kin_motion_path* p, double time)
{
    const double u = parameter_at(p, place_on(p, time));
    kin_transform pose = {kin_add(p->origin.position, kin_nurbs_curve_point(p->curve, u)), p->origin.orientation};
    if (p->face) pose.orientation = kin_quat_normalize(kin_quat_mul(facing(kin_nurbs_curve_tangent(p->curve, u)), p->origin.orientation));
    return pose;
}

/* ---- breaks ---- */

/* Spans from the first on, rounds of a closed curve counted; -1 and one more than there are: at rest at an end of an open one. */
static int64_t span_at(const kin_motion_path* p, double time)
{
    const double length = kin_motion_path_length(p), s = p->begin + kin_curve_integral(&p->speed, 0, time, 0), round = p->closed ? kin_floor(s / length) : 0;
    const double on = s - length * round;
    const int64_t spans = p->curve->axis.span_count;
    if (!p->closed && (s <= 0 || s >= length)) return s <= 0 ? -1 : spans;
    int64_t low = 0, high = spans;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (p->lengths[PLACES * middle] <= on)
            low = middle;
        else
            high = middle;
    }
    return (int64_t)round * spans + low;
}

double kin_motion_path_next_break(const kin_motion_path* p, double from, double to)
{
    for (size_t i = 0; i < p->speed.count; ++i) {
        if (p->keys[i].time > from) to = kin_min(to, p->keys[i].time);
    }
    /* Just inside: a stretch that begins or ends at a join is on one side of it. */
    const double inside = 1e-9 * (to - from);
    double low = from + inside, high = to - inside;
    const int64_t span = span_at(p, low);
    if (span_at(p, high) == span) return to;
    while (high - low > inside) {
        const double middle = 0.5 * (low + high);
        if (span_at(p, middle) == span)
            low = middle;
        else
            high = middle;
    }
    return high;
}
