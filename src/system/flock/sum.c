/* sum.c - what each member of a flock sees of its neighbours; built once per width.
 *
 * Two rounds over the members of the cells around: the first keeps those within a little more than the range, by floats, eight at a time; the second weighs them in
 * doubles, four at a time, and beyond the range by nothing. Neighbour number k of a member goes into sum k mod 4, and the four are added in one order, so every width gives the same bits. The member itself is its own neighbour: all its terms are zero;
 * so it also fills up the last four. */
#include "base/kernel.h"
#include "math/scalar.h"
#include "system/flock/grid.h"
#include <string.h>
#if KIN_WIDTH == 2
#include <immintrin.h>
#endif

enum { STRETCH = 128, KEPT = 512, ROWS = 9 };

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
#if KIN_WIDTH == 2 /* the same choices, in one instruction */
static inline quad lesser(quad a, quad b) { return (quad)_mm256_min_pd((__m256d)a, (__m256d)b); }
static inline quad greater(quad a, quad b) { return (quad)_mm256_max_pd((__m256d)a, (__m256d)b); }
#else
static inline quad lesser(quad a, quad b) { return choose(a < b, a, b); }
static inline quad greater(quad a, quad b) { return choose(a > b, a, b); }
#endif
static inline quad between_0_and_1(quad x) { return lesser(greater(x, all(0)), all(1)); }
static inline quad root(quad x) { return (quad){kin_sqrt(x[0]), kin_sqrt(x[1]), kin_sqrt(x[2]), kin_sqrt(x[3])}; }
static inline double total(quad x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/* Abramowitz & Stegun 4.4.46: within 2e-8 rad, and so is the step at a right angle. */
static inline quad arc_cosine(quad c)
{
    static const double k[] = {-0.0012624911, 0.0066700901, -0.0170881256, 0.0308918810, -0.0501743046, 0.0889789874, -0.2145988016, 1.5707963050};
    quad a = lesser(greater(c, -c), all(1)), a2 = a * a, a4 = a2 * a2;
    quad high = (all(k[0]) * a + all(k[1])) * a2 + (all(k[2]) * a + all(k[3])), low = (all(k[4]) * a + all(k[5])) * a2 + (all(k[6]) * a + all(k[7]));
    quad p = high * a4 + low;
    p *= root(all(1) - a);
    return choose(c < all(0), all(KIN_PI) - p, p);
}

/* Members begin..end-1 of the grid. */
typedef struct stretch {
    uint32_t begin, end;
} stretch;

typedef struct sums {
    quad apart[3], match[3], centre[3];
} sums;

/* Of one member. */
typedef struct seeing {
    const kin_flock_grid* grid;
    int32_t cell[3]; /* its cell, and those around it */
    stretch around[2 * ROWS];
    int around_count;
    double at[3], v[3];
    double forward[3]; /* unit */
    bool all_round;
    float place[3];                 /* as in the grid */
    double outer, fall;             /* r2, 1 / (r2 - r1) */
    double inverse_closest;         /* 1/m */
    double outer_angle, fall_angle; /* theta2 / 2, 2 / (theta2 - theta1) */
    sums sums;
    uint32_t kept[KEPT + STRETCH + 8];
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

static inline void weigh_four(const seeing* s, const uint32_t* four, sums* to)
{
    const kin_flock_bird* b = s->grid->birds;
    quad r[3], v[3];
    turn_about(b[four[0]].x, b[four[1]].x, b[four[2]].x, b[four[3]].x, r);
    turn_about(b[four[0]].v, b[four[1]].v, b[four[2]].v, b[four[3]].v, v);
    for (int k = 0; k < 3; ++k) r[k] -= all(s->at[k]);
    quad d = root(greater(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], all(1e-200))), inverse = all(1) / d;
    quad w = weight(s, r, d, inverse), push = w * inverse * lesser(inverse, all(s->inverse_closest));
    for (int k = 0; k < 3; ++k) {
        to->apart[k] -= push * r[k];
        to->match[k] += w * (v[k] - all(s->v[k]));
        to->centre[k] += w * r[k];
    }
}

/* All but the last 1 to 3, which wait for more. */
static void weigh_kept(seeing* s)
{
    uint32_t whole = s->count & ~3u;
    sums to = s->sums;
    for (uint32_t i = 0; i < whole; i += 4) weigh_four(s, s->kept + i, &to);
    s->sums = to;
    for (uint32_t i = whole; i < s->count; ++i) s->kept[i - whole] = s->kept[i];
    s->count -= whole;
}

#if KIN_WIDTH == 2
static inline uint32_t keep_near(const seeing* s, uint32_t begin, uint32_t end, uint32_t* kept)
{
    const kin_flock_grid* g = s->grid;
    __m256 X = _mm256_set1_ps(s->place[0]), Y = _mm256_set1_ps(s->place[1]), Z = _mm256_set1_ps(s->place[2]), near = _mm256_set1_ps(KIN_FLOCK_NEAR);
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i += 8) {
        __m256 dx = _mm256_loadu_ps(g->place[0] + i) - X, dy = _mm256_loadu_ps(g->place[1] + i) - Y, dz = _mm256_loadu_ps(g->place[2] + i) - Z;
        unsigned bits = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(dx * dx + dy * dy + dz * dz, near, _CMP_LT_OQ));
        if (end - i < 8) bits &= (1u << (end - i)) - 1; /* the next cell's are not asked for */
        __m256i chosen = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)g->order[bits]));
        _mm256_storeu_si256((__m256i*)(kept + count), _mm256_add_epi32(chosen, _mm256_set1_epi32((int32_t)i)));
        count += (uint32_t)__builtin_popcount(bits);
    }
    return count;
}
#else
static inline uint32_t keep_near(const seeing* s, uint32_t begin, uint32_t end, uint32_t* kept)
{
    const float *x = s->grid->place[0], *y = s->grid->place[1], *z = s->grid->place[2];
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float dx = x[i] - s->place[0], dy = y[i] - s->place[1], dz = z[i] - s->place[2];
        kept[count] = i;
        count += dx * dx + dy * dy + dz * dz < KIN_FLOCK_NEAR;
    }
    return count;
}
#endif

static void look_round(seeing* s)
{
    for (int k = 0; k < s->around_count; ++k) {
        uint32_t end = s->around[k].end;
        for (uint32_t begin = s->around[k].begin; begin < end; begin += STRETCH) {
            s->count += keep_near(s, begin, end - begin < STRETCH ? end : begin + STRETCH, s->kept + s->count);
            if (s->count >= KEPT) weigh_kept(s);
        }
    }
}

static void add_stretch(seeing* s, uint32_t begin, uint32_t end)
{
    if (begin < end) s->around[s->around_count++] = (stretch){begin, end};
}

/* Three cells along x, folded into a row of the table: one stretch, or two where they wrap. */
static void add_row(seeing* s, uint32_t row)
{
    const uint32_t *starts = s->grid->starts + ((size_t)row << s->grid->bits[0]), mask = (1u << s->grid->bits[0]) - 1;
    uint32_t a = (uint32_t)(s->cell[0] - 1) & mask, b = (uint32_t)(s->cell[0] + 1) & mask;
    if (a <= b) {
        add_stretch(s, starts[a], starts[b + 1]);
    } else {
        add_stretch(s, starts[a], starts[mask + 1]);
        add_stretch(s, starts[0], starts[b + 1]);
    }
}

/* Members come in order of cells: mostly it is the last one's still. */
static void enter_cell(seeing* s, bool first)
{
    const kin_flock_grid* g = s->grid;
    int32_t cell[3];
    for (int k = 0; k < 3; ++k) cell[k] = kin_flock_cell(g, k, s->at[k]);
    if (!first && memcmp(cell, s->cell, sizeof cell) == 0) return;
    memcpy(s->cell, cell, sizeof cell);
    s->around_count = 0;
    uint32_t mask_y = (1u << g->bits[1]) - 1, mask_z = (1u << g->bits[2]) - 1;
    for (int k = 0; k < ROWS; ++k) {
        uint32_t y = (uint32_t)(cell[1] + k % 3 - 1) & mask_y, z = (uint32_t)(cell[2] + k / 3 - 1) & mask_z;
        add_row(s, z << g->bits[1] | y);
    }
}

static void begin_bird(seeing* s, const kin_flock_rule* rule, uint32_t i)
{
    const kin_flock_bird* bird = &s->grid->birds[i];
    double speed2 = 0;
    for (int k = 0; k < 3; ++k) {
        s->at[k] = bird->x[k];
        s->place[k] = s->grid->place[k][i];
        s->v[k] = bird->v[k];
        s->sums.apart[k] = s->sums.match[k] = s->sums.centre[k] = all(0);
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
        out->apart[k] = total(s->sums.apart[k]);
        out->match[k] = total(s->sums.match[k]);
        out->centre[k] = total(s->sums.centre[k]);
    }
}

void KIN_KERNEL(kin_flock_sum)(const kin_flock_grid* grid, const kin_flock_rule* rule, uint32_t begin, uint32_t end, kin_flock_sums* out)
{
    seeing s = {
        .grid = grid,
        .outer = rule->range[1],
        .fall = 1 / (rule->range[1] - rule->range[0]),
        .inverse_closest = 1 / rule->closest,
        .outer_angle = rule->half[1],
        .fall_angle = 1 / (rule->half[1] - rule->half[0]),
    };
    for (uint32_t i = begin; i < end; ++i) {
        begin_bird(&s, rule, i);
        enter_cell(&s, i == begin);
        look_round(&s);
        end_bird(&s, i, &out[i - begin]);
    }
}
