/* curve.c - values between keys. */
#include "system/curve.h"
#include "math/scalar.h"

/* The last key at or before t; the first when t is before all. */
static size_t key_before(const kin_curve* c, double t)
{
    size_t low = 0, high = c->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (c->keys[middle].time <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The share of the next key at t, in [0, 1]. */
static double blend(const kin_curve* c, size_t i, double t)
{
    if (i + 1 >= c->count || t <= c->keys[i].time) return 0;
    if (c->mode == KIN_CURVE_STEP) return 0;
    double s = (t - c->keys[i].time) / (c->keys[i + 1].time - c->keys[i].time);
    return c->mode == KIN_CURVE_SMOOTH ? s * s * (3 - 2 * s) : s;
}

static double value_at(const kin_curve* c, double t, int component)
{
    size_t i = key_before(c, t);
    double s = blend(c, i, t), a = c->keys[i].value[component];
    return s == 0 ? a : a + s * (c->keys[i + 1].value[component] - a);
}

double kin_curve_at(const kin_curve* c, double t, double otherwise) { return c->count == 0 ? otherwise : value_at(c, t, 0); }

void kin_curve_at3(const kin_curve* c, double t, double out[3])
{
    for (int i = 0; i < 3 && c->count > 0; ++i) out[i] = value_at(c, t, i);
}

/* From the first key of a piece on, of the blend: s/2 for a line, s^3 - s^4/2 for the smooth step, 0 for a jump. */
static double piece_integral(const kin_curve* c, size_t i, double a, double b)
{
    double t0 = c->keys[i].time, t1 = c->keys[i + 1].time, y0 = c->keys[i].value[0], y1 = c->keys[i + 1].value[0], l = t1 - t0;
    double sa = (a - t0) / l, sb = (b - t0) / l;
    double fa = c->mode == KIN_CURVE_SMOOTH ? sa * sa * sa * (1 - 0.5 * sa) : 0.5 * sa * sa;
    double fb = c->mode == KIN_CURVE_SMOOTH ? sb * sb * sb * (1 - 0.5 * sb) : 0.5 * sb * sb;
    return y0 * (b - a) + (c->mode == KIN_CURVE_STEP ? 0 : l * (y1 - y0) * (fb - fa));
}

double kin_curve_integral(const kin_curve* c, double a, double b, double otherwise)
{
    if (c->count == 0) return otherwise * (b - a);
    const kin_curve_key *first = &c->keys[0], *last = &c->keys[c->count - 1];
    double sum = 0;
    if (a < first->time) sum += first->value[0] * (kin_min(b, first->time) - a);
    if (b > last->time) sum += last->value[0] * (b - kin_max(a, last->time));
    for (size_t i = 0; i + 1 < c->count; ++i) {
        double from = kin_max(a, c->keys[i].time), to = kin_min(b, c->keys[i + 1].time);
        if (to > from) sum += piece_integral(c, i, from, to);
    }
    return sum;
}
