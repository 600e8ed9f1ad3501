/* field_attract_kernels.c - attractors over lanes of points; built once per width. Usual exponents need a square root at most and run in lanes; the others ask
 * kin_pow, point by point. House & Keyser 5.1.1. */
#include "base/kernel.h"
#include "math/vec3.h"
#include "system/curve.h"
#include "system/field_kinds.h"

/* A pull towards the nearest point of a line: s along it is cut to [low, high], and beyond `first` and `last` nothing is felt. A point is a line without a
 * direction. */
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

/* Inlined for each usual exponent, which the compiler then knows. */
static inline __attribute__((always_inline)) void pull_point(const pull* q, double p, const kin_field_batch* b)
{
    const double* restrict x = b->position[0], * restrict y = b->position[1], * restrict z = b->position[2];
    double* restrict ax = b->acceleration[0], * restrict ay = b->acceleration[1], * restrict az = b->acceleration[2];
    const double strength = q->strength, core2 = q->core2, extent2 = q->extent2, cx = q->origin[0], cy = q->origin[1], cz = q->origin[2];
    for (int i = 0; i < b->count; ++i) {
        double dx = cx - x[i], dy = cy - y[i], dz = cz - z[i];
        double r2 = dx * dx + dy * dy + dz * dz;
        double k = strength * falloff(kin_max(r2, core2), p);
        k = r2 <= extent2 ? k : 0;
        ax[i] += k * dx;
        ay[i] += k * dy;
        az[i] += k * dz;
    }
}

static inline __attribute__((always_inline)) void pull_line(const pull* q, double p, const kin_field_batch* b)
{
    const double* restrict x = b->position[0], * restrict y = b->position[1], * restrict z = b->position[2];
    double* restrict ax = b->acceleration[0], * restrict ay = b->acceleration[1], * restrict az = b->acceleration[2];
    const pull l = *q;
    for (int i = 0; i < b->count; ++i) {
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

#define BY_EXPONENT(loop, q, b)                                                                                                                                \
    do {                                                                                                                                                       \
        if ((q)->exponent == 2) {                                                                                                                              \
            loop(q, 2, b);                                                                                                                                     \
        } else if ((q)->exponent == 1) {                                                                                                                       \
            loop(q, 1, b);                                                                                                                                     \
        } else if ((q)->exponent == 0) {                                                                                                                       \
            loop(q, 0, b);                                                                                                                                     \
        } else if ((q)->exponent == -1) {                                                                                                                      \
            loop(q, -1, b);                                                                                                                                    \
        } else {                                                                                                                                               \
            loop(q, (q)->exponent, b);                                                                                                                         \
        }                                                                                                                                                      \
    } while (0)

static const double everywhere = 1.7e308;
static double square_or_all(double extent) { return extent > 0 ? extent * extent : everywhere; }

void KIN_KERNEL(kin_field_attractor)(const kin_field* field, const kin_field_batch* batch)
{
    const kin_attractor_field* d = field->def;
    pull q = {.strength = d->attractor, .exponent = d->exponent, .core2 = d->core * d->core, .extent2 = square_or_all(d->extent)};
    kin_curve_at3(&d->toward, batch->time, q.origin);
    BY_EXPONENT(pull_point, &q, batch);
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
    BY_EXPONENT(pull_line, &q, batch);
}
