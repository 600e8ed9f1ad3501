/* block.c - a block of particles in lanes of 1, 2 or 4: least and greatest values, and whether all are finite. Neither depends on the order, so every width
 * gives the same answer. */
#include "domains/particles/block.h"
#include "base/kernel.h"
#include "math/scalar.h"
#include <string.h>

#define LANES (1 << KIN_WIDTH)
typedef double lane __attribute__((vector_size(8 * LANES)));
typedef int64_t mask __attribute__((vector_size(8 * LANES)));

static inline lane load(const double* from)
{
    lane out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline lane all(double value)
{
    lane out;
    for (int k = 0; k < LANES; ++k) out[k] = value;
    return out;
}

static inline lane choose(mask which, lane a, lane b) { return (lane)((which & (mask)a) | (~which & (mask)b)); }
static inline lane lesser(lane a, lane b) { return choose(a < b, a, b); }
static inline lane greater(lane a, lane b) { return choose(a > b, a, b); }

static double least_of(lane lanes, double least)
{
    for (int k = 0; k < LANES; ++k) least = kin_min(lanes[k], least);
    return least;
}

static double greatest_of(lane lanes, double greatest)
{
    for (int k = 0; k < LANES; ++k) greatest = kin_max(lanes[k], greatest);
    return greatest;
}

/* Of both ends of the paths along one axis. */
static void range_of(const double* a, const double* b, int count, double* low, double* high)
{
    lane least = all(*low), greatest = all(*high);
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
        lane p = load(a + i), q = load(b + i);
        least = lesser(p, lesser(q, least));
        greatest = greater(p, greater(q, greatest));
    }
    *low = least_of(least, *low);
    *high = greatest_of(greatest, *high);
    for (; i < count; ++i) {
        *low = kin_min(a[i], kin_min(b[i], *low));
        *high = kin_max(a[i], kin_max(b[i], *high));
    }
}

/* path.c: a curve strays from its chord by 3/4 of its farther inner control point at most. */
static double greatest_bulge(const kin_particle_lanes* l)
{
    double square = 0;
    for (int i = 0; i < l->count; ++i) {
        double a = 0, b = 0;
        for (int axis = 0; axis < 3; ++axis) {
            double chord = l->next_x[axis][i] - l->x[axis][i];
            a += kin_square(l->v[axis][i] * l->h - chord);
            b += kin_square(l->next_v[axis][i] * l->h - chord);
        }
        square = kin_max(a, kin_max(b, square));
    }
    return 0.25 * kin_sqrt(square) * (1 + 1e-12); /* of a third; rounding apart */
}

void KIN_KERNEL(kin_particle_box)(const kin_particle_lanes* l, kin_aabb* out)
{
    double low[3], high[3], reach = 0, none = 0;
    range_of(l->radius, l->radius, l->count, &none, &reach);
    if (!l->straight) reach += greatest_bulge(l);
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = high[axis] = l->x[axis][0];
        range_of(l->x[axis], l->next_x[axis], l->count, &low[axis], &high[axis]);
    }
    *out = (kin_aabb){{low[0] - reach, low[1] - reach, low[2] - reach}, {high[0] + reach, high[1] + reach, high[2] + reach}};
}

static inline mask is_finite(lane x) { return (x - x) == all(0); }

/* Bit 0: in an earlier interval of the step; bit 1: in this one, which commit may take back. */
static inline uint8_t note_moved(uint8_t before, bool now) { return (uint8_t)((before & ~KIN_MOVED_NOW) | (now ? KIN_MOVED_NOW : 0)); }

bool KIN_KERNEL(kin_particle_settle)(const kin_particle_lanes* l)
{
    mask finite = is_finite(all(0));
    bool ok = true;
    int i = 0;
    for (; i + LANES <= l->count; i += LANES) {
        mask moved = ~finite & finite;
        for (int axis = 0; axis < 3; ++axis) {
            lane x = load(l->next_x[axis] + i);
            finite &= is_finite(x) & is_finite(load(l->next_v[axis] + i));
            moved |= x != load(l->x[axis] + i);
        }
        for (int k = 0; k < LANES; ++k) l->moved[i + k] = note_moved(l->moved[i + k], moved[k] != 0);
    }
    for (int k = 0; k < LANES; ++k) ok = ok && finite[k] != 0;
    for (; i < l->count; ++i) {
        bool moves = false;
        for (int axis = 0; axis < 3; ++axis) {
            ok = ok && kin_finite(l->next_x[axis][i]) && kin_finite(l->next_v[axis][i]);
            moves = moves || l->next_x[axis][i] != l->x[axis][i];
        }
        l->moved[i] = note_moved(l->moved[i], moves);
    }
    return ok;
}

void KIN_KERNEL(kin_particle_invert)(const double* restrict mass, double* restrict out, int count)
{
    for (int i = 0; i < count; ++i) out[i] = 1 / mass[i];
}

uint8_t KIN_KERNEL(kin_particle_keep)(const uint8_t* restrict flags, uint8_t* restrict next, uint8_t which, int count)
{
    uint8_t all_of = 0;
    for (int i = 0; i < count; ++i) {
        next[i] |= flags[i] & which;
        all_of |= next[i];
    }
    return all_of;
}

bool KIN_KERNEL(kin_particle_alike)(const uint8_t* bytes, uint8_t value, int count)
{
    uint8_t differs = 0;
    for (int i = 0; i < count; ++i) differs |= bytes[i] ^ value;
    return differs == 0;
}
