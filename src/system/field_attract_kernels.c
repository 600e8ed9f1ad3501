/* field_attract_kernels.c - attractors over lanes of points; built once per width. Usual exponents need a square root at most and run in lanes; the others ask
 * kin_pow, point by point. House & Keyser 5.1.1. */
#include "base/kernel.h"
#include "math/vec3.h"
#include "system/curve.h"
#include "system/field_kinds.h"

/* A pull towards a point, the origin; or towards the nearest point of a line through it: s along the line is cut to [low, high], and outside [first, last]
 * nothing is felt. */
typedef struct pull {
    double strength, exponent, core2, extent2;
    double origin[3], axis[3];
    double low, high, first, last;
} pull;

/* e2^(-(p+1)/2), of e2 = max(r, core)^2. */
static inline double falloff(double e2, double p)
{
    if (p == 2) return 1 / (e2 * __builtin_sqrt(e2));
    if (p == 1) return 1 / e2;
    if (p == 0) return 1 / __builtin_sqrt(e2);
    if (p == -1) return 1;
    return kin_pow(e2, -0.5 * (p + 1));
}

/* Loops take their arrays as parameters: that is where restrict is believed. */
#define LANES                                                                                                                                                  \
    int count, const double *restrict x, const double *restrict y, const double *restrict z, double *restrict ax, double *restrict ay, double *restrict az

static inline __attribute__((always_inline)) void pull_point(const pull l, double p, LANES)
{
    for (int i = 0; i < count; ++i) {
        double dx = l.origin[0] - x[i], dy = l.origin[1] - y[i], dz = l.origin[2] - z[i];
        double r2 = dx * dx + dy * dy + dz * dz;
        double k = l.strength * falloff(kin_max(r2, l.core2), p);
        k = r2 <= l.extent2 ? k : 0;
        ax[i] += k * dx;
        ay[i] += k * dy;
        az[i] += k * dz;
    }
}

static inline __attribute__((always_inline)) void pull_line(const pull l, double p, LANES)
{
    for (int i = 0; i < count; ++i) {
        double dx = l.origin[0] - x[i], dy = l.origin[1] - y[i], dz = l.origin[2] - z[i];
        double along = -(dx * l.axis[0] + dy * l.axis[1] + dz * l.axis[2]);
        double s = kin_clamp(along, l.low, l.high);
        dx += s * l.axis[0];
        dy += s * l.axis[1];
        dz += s * l.axis[2];
        double r2 = dx * dx + dy * dy + dz * dz;
        double k = l.strength * falloff(kin_max(r2, l.core2), p);
        k = r2 <= l.extent2 ? k : 0;
        k = along >= l.first ? k : 0;
        k = along <= l.last ? k : 0;
        ax[i] += k * dx;
        ay[i] += k * dy;
        az[i] += k * dz;
    }
}

/* One loop for each usual exponent, which the compiler then knows, and one for the others. */
#define LOOPS(shape)                                                                                                                                           \
    static void shape##_2(const pull* q, LANES) { shape(*q, 2, count, x, y, z, ax, ay, az); }                                                                  \
    static void shape##_1(const pull* q, LANES) { shape(*q, 1, count, x, y, z, ax, ay, az); }                                                                  \
    static void shape##_0(const pull* q, LANES) { shape(*q, 0, count, x, y, z, ax, ay, az); }                                                                  \
    static void shape##_spring(const pull* q, LANES) { shape(*q, -1, count, x, y, z, ax, ay, az); }                                                            \
    static void shape##_any(const pull* q, LANES) { shape(*q, q->exponent, count, x, y, z, ax, ay, az); }                                                      \
    static const loops shape##_loops = {shape##_2, shape##_1, shape##_0, shape##_spring, shape##_any};

typedef void loop_fn(const pull* q, LANES);
typedef struct loops {
    loop_fn *two, *one, *zero, *spring, *any;
} loops;
LOOPS(pull_point)
LOOPS(pull_line)

static void run(const loops* l, const pull* q, const kin_field_batch* b)
{
    double p = q->exponent;
    loop_fn* loop = p == 2 ? l->two : p == 1 ? l->one : p == 0 ? l->zero : p == -1 ? l->spring : l->any;
    loop(q, b->count, b->position[0], b->position[1], b->position[2], b->acceleration[0], b->acceleration[1], b->acceleration[2]);
}

static const double everywhere = 1.7e308;
static double square_or_all(double extent) { return extent > 0 ? extent * extent : everywhere; }

void KIN_KERNEL(kin_field_attractor)(const kin_field* field, const kin_field_batch* batch)
{
    const kin_attractor_field* d = field->def;
    pull q = {.strength = d->attractor, .exponent = d->exponent, .core2 = d->core * d->core, .extent2 = square_or_all(d->extent)};
    kin_curve_at3(&d->toward, batch->time, q.origin);
    run(&pull_point_loops, &q, batch);
}

void KIN_KERNEL(kin_field_line_attractor)(const kin_field* field, const kin_field_batch* batch)
{
    const kin_line_attractor_field* d = field->def;
    kin_vec3 along = kin_sub(d->to, d->from), u = kin_normalize_or(along, kin_v(0, 0, 0));
    double length = kin_length(along);
    pull q = {.strength = d->line_attractor,
              .exponent = d->exponent,
              .core2 = d->core * d->core,
              .extent2 = square_or_all(d->extent),
              .origin = {d->from.x, d->from.y, d->from.z},
              .axis = {u.x, u.y, u.z},
              .low = d->ends == KIN_LINE_NEAREST ? 0 : -everywhere,
              .high = d->ends == KIN_LINE_NEAREST ? length : everywhere,
              .first = d->ends == KIN_LINE_IGNORE ? 0 : -everywhere,
              .last = d->ends == KIN_LINE_IGNORE ? length : everywhere};
    run(&pull_line_loops, &q, batch);
}
