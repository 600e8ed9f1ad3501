/* sum.c - what each member of a flock sees of its neighbours; built once per width.
 *
 * Two rounds over the members of the cells around: the first keeps those within range, the second weighs them, four at a time. Neighbour number k of a member goes
 * into sum k mod 4, and the four are added in one order, so every width gives the same bits. The member itself is its own neighbour: all its terms are zero;
 * so it also fills up the last four. */
#include "base/kernel.h"
#include "math/scalar.h"
#include "system/flock/grid.h"
#include <string.h>

enum { STRETCH = 128, KEPT = 512 };

typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_mask __attribute__((vector_size(32)));

static inline quad load(const double* from)
{
    quad out;
    memcpy(&out, from, sizeof out);
    return out;
}
static inline quad all(double value) { return (quad){value, value, value, value}; }
static inline quad choose(quad_mask which, quad a, quad b) { return (quad)((which & (quad_mask)a) | (~which & (quad_mask)b)); }
static inline quad lesser(quad a, quad b) { return choose(a < b, a, b); }
static inline quad greater(quad a, quad b) { return choose(a > b, a, b); }
static inline quad between_0_and_1(quad x) { return lesser(greater(x, all(0)), all(1)); }
static inline quad root(quad x) { return (quad){kin_sqrt(x[0]), kin_sqrt(x[1]), kin_sqrt(x[2]), kin_sqrt(x[3])}; }
static inline double total(quad x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/* Abramowitz & Stegun 4.4.46: within 2e-8 rad, and so is the step at a right angle. */
static inline quad arc_cosine(quad c)
{
    static const double k[] = {-0.0012624911, 0.0066700901, -0.0170881256, 0.0308918810, -0.0501743046, 0.0889789874, -0.2145988016, 1.5707963050};
    quad a = lesser(greater(c, -c), all(1)), p = all(k[0]);
    for (int i = 1; i < 8; ++i) p = p * a + all(k[i]);
    p *= root(all(1) - a);
    return choose(c < all(0), all(KIN_PI) - p, p);
}

/* Of one member. */
typedef struct seeing {
    const kin_flock_grid* grid;
    double at[3], v[3];
    double forward[3]; /* unit */
    bool all_round;
    double range2, outer, fall;     /* r2^2, r2, 1 / (r2 - r1) */
    double inverse_closest;         /* 1/m */
    double outer_angle, fall_angle; /* theta2 / 2, 2 / (theta2 - theta1) */
    quad apart[3], match[3], centre[3];
    uint32_t kept[KEPT + STRETCH + 4];
    uint32_t count;
} seeing;

/* Places or velocities of four birds, by axis. */
static inline void turn_about(const double* a, const double* b, const double* c, const double* d, quad out[3])
{
    quad A = load(a), B = load(b), C = load(c), D = load(d);
    quad low = __builtin_shufflevector(A, B, 0, 4, 2, 6), high = __builtin_shufflevector(C, D, 0, 4, 2, 6);
    quad low_y = __builtin_shufflevector(A, B, 1, 5, 3, 7), high_y = __builtin_shufflevector(C, D, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(low, high, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(low_y, high_y, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(low, high, 2, 3, 6, 7);
}

/* kd: 1 up to r1, linearly to 0 at r2; ktheta alike, over the angle from the velocity. */
static inline quad weight(const seeing* s, const quad r[3], quad d, quad inverse)
{
    quad w = between_0_and_1((all(s->outer) - d) * all(s->fall));
    if (s->all_round) return w;
    quad cosine = (r[0] * all(s->forward[0]) + r[1] * all(s->forward[1]) + r[2] * all(s->forward[2])) * inverse;
    return w * between_0_and_1((all(s->outer_angle) - arc_cosine(cosine)) * all(s->fall_angle));
}

static inline void weigh_four(seeing* s, const uint32_t* four)
{
    const kin_flock_bird* b = s->grid->birds;
    quad r[3], v[3];
    turn_about(b[four[0]].x, b[four[1]].x, b[four[2]].x, b[four[3]].x, r);
    turn_about(b[four[0]].v, b[four[1]].v, b[four[2]].v, b[four[3]].v, v);
    for (int k = 0; k < 3; ++k) r[k] -= all(s->at[k]);
    quad d = root(greater(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], all(1e-200))), inverse = all(1) / d;
    quad w = weight(s, r, d, inverse), push = w * inverse * lesser(inverse, all(s->inverse_closest));
    for (int k = 0; k < 3; ++k) {
        s->apart[k] -= push * r[k];
        s->match[k] += w * (v[k] - all(s->v[k]));
        s->centre[k] += w * r[k];
    }
}

static void weigh_kept(seeing* s)
{
    uint32_t whole = s->count & ~3u;
    for (uint32_t i = 0; i < whole; i += 4) weigh_four(s, s->kept + i);
    for (uint32_t i = whole; i < s->count; ++i) s->kept[i - whole] = s->kept[i];
    s->count -= whole;
}

/* Members begin..end-1 that are within range. */
static inline void keep(seeing* s, uint32_t begin, uint32_t end)
{
    const double* restrict x = s->grid->x[0], * restrict y = s->grid->x[1], * restrict z = s->grid->x[2];
    double square[STRETCH];
    while (begin < end) {
        uint32_t n = end - begin < STRETCH ? end - begin : STRETCH, count = s->count;
        for (uint32_t i = 0; i < n; ++i) {
            double dx = x[begin + i] - s->at[0], dy = y[begin + i] - s->at[1], dz = z[begin + i] - s->at[2];
            square[i] = dx * dx + dy * dy + dz * dz;
        }
        for (uint32_t i = 0; i < n; ++i) {
            s->kept[count] = begin + i;
            count += square[i] < s->range2;
        }
        s->count = count;
        if (count >= KEPT) weigh_kept(s);
        begin += n;
    }
}

/* Cells first..last along x, folded into the table. */
static inline void keep_row(seeing* s, uint32_t row, int64_t first, int64_t last)
{
    const uint32_t *starts = s->grid->starts + ((size_t)row << s->grid->bits[0]), mask = (1u << s->grid->bits[0]) - 1;
    uint32_t a = (uint32_t)first & mask, b = (uint32_t)last & mask;
    if (a <= b) {
        keep(s, starts[a], starts[b + 1]);
    } else {
        keep(s, starts[a], starts[mask + 1]);
        keep(s, starts[0], starts[b + 1]);
    }
}

static void look_round(seeing* s)
{
    const kin_flock_grid* g = s->grid;
    int64_t low[3], high[3];
    double reach = s->outer * (1 + 1e-12);
    for (int k = 0; k < 3; ++k) {
        low[k] = kin_flock_cell(g, k, s->at[k] - reach);
        high[k] = kin_flock_cell(g, k, s->at[k] + reach);
    }
    uint32_t mask_y = (1u << g->bits[1]) - 1, mask_z = (1u << g->bits[2]) - 1;
    for (int64_t z = low[2]; z <= high[2]; ++z) {
        for (int64_t y = low[1]; y <= high[1]; ++y) keep_row(s, ((uint32_t)z & mask_z) << g->bits[1] | ((uint32_t)y & mask_y), low[0], high[0]);
    }
}

static void begin_bird(seeing* s, const kin_flock_rule* rule, uint32_t i)
{
    const kin_flock_bird* bird = &s->grid->birds[i];
    double speed2 = 0;
    for (int k = 0; k < 3; ++k) {
        s->at[k] = bird->x[k];
        s->v[k] = bird->v[k];
        s->apart[k] = s->match[k] = s->centre[k] = all(0);
        speed2 += s->v[k] * s->v[k];
    }
    s->all_round = rule->all_round || !(speed2 > 0); /* at rest there is no forward */
    for (int k = 0; k < 3 && !s->all_round; ++k) s->forward[k] = s->v[k] / kin_sqrt(speed2);
    s->count = 0;
}

static void end_bird(seeing* s, uint32_t i, kin_flock_sums* out)
{
    while (s->count % 4 != 0) s->kept[s->count++] = i;
    weigh_kept(s);
    for (int k = 0; k < 3; ++k) {
        out->apart[k] = total(s->apart[k]);
        out->match[k] = total(s->match[k]);
        out->centre[k] = total(s->centre[k]);
    }
}

void KIN_KERNEL(kin_flock_sum)(const kin_flock_grid* grid, const kin_flock_rule* rule, uint32_t begin, uint32_t end, kin_flock_sums* sums)
{
    seeing s = {
        .grid = grid,
        .range2 = rule->range[1] * rule->range[1],
        .outer = rule->range[1],
        .fall = 1 / (rule->range[1] - rule->range[0]),
        .inverse_closest = 1 / rule->closest,
        .outer_angle = rule->half[1],
        .fall_angle = 1 / (rule->half[1] - rule->half[0]),
    };
    for (uint32_t i = begin; i < end; ++i) {
        begin_bird(&s, rule, i);
        look_round(&s);
        end_bird(&s, i, &sums[i - begin]);
    }
}
