/* pass_lanes.c - sums over neighbours, in lanes: a lane is a particle, rows are its neighbours one after the other. The equations stand in fluid.h. */
#include "domains/sph/kernel_lanes.h"
#include "domains/sph/pair_lanes.h"
#include "domains/sph/passes.h"

/* Where eight lanes are, and how pairs of them are seen. */
typedef struct here {
    lane x, y, z;
    wrap box;
} here;

INLINE here here_of(const kin_sph* f, size_t block, int at)
{
    size_t i = 8 * block + (size_t)at;
    return (here){load(f->xs[0] + i), load(f->xs[1] + i), load(f->xs[2] + i), wrap_of(f)};
}

/* x_ij of a row; the fourth is the neighbours' own. */
INLINE lane4 apart(const float* x4, const kin_sph_lists* lists, const here* h, bool wide, size_t row, int at)
{
    lane4 j = gather(x4, lists, wide, row, at);
    lane4 d = {h->x - j.x, h->y - j.y, h->z - j.z, j.w};
    if (wide) {
        d.x = wrapped(d.x, h->box.size[0], h->box.inv[0]);
        d.y = wrapped(d.y, h->box.size[1], h->box.inv[1]);
        d.z = wrapped(d.z, h->box.size[2], h->box.inv[2]);
    }
    return d;
}

/* How many neighbours each lane has. */
INLINE which counts_of(const uint16_t* counts)
{
    which m;
    for (int i = 0; i < LANES; ++i) m[i] = counts[i];
    return m;
}

/* The two bells, and what is put before them. */
typedef struct bells {
    kin_sph_bell_kind density, gradient;
    float inv_support, w_peak, g_peak;
} bells;

INLINE bells bells_of(const kin_sph* f, kin_sph_bell_kind density, kin_sph_bell_kind gradient)
{
    double w_peak = f->volume * kin_sph_bell_peak(&f->bell), g_peak = f->volume * kin_sph_bell_peak(&f->gradient);
    return (bells){density, gradient, 1 / f->support, (float)w_peak, (float)(g_peak / (f->gradient.support * f->gradient.support))};
}

/* What comes of a row beside D: S, or L(v) for solvers by state. */
typedef struct others {
    lane3 c_sum;
    lane squares, rate;
} others;

INLINE void add_others(others* o, bool by_state, lane4 d, lane r2, lane g, lane4 own_v, lane4 v)
{
    if (by_state) {
        o->rate += g * (d.x * (own_v.x - v.x) + d.y * (own_v.y - v.y) + d.z * (own_v.z - v.z));
    } else {
        o->c_sum = add3(o->c_sum, (lane3){g * d.x, g * d.y, g * d.z});
        o->squares += (g * g) * (r2 * d.w);
    }
}

INLINE lane end_others(const kin_sph* f, const others* o, bool by_state, size_t i, lane4 own_v)
{
    lane3 b = {load(f->b[0] + i), load(f->b[1] + i), load(f->b[2] + i)}, c_sum = add3(o->c_sum, b);
    if (by_state) return o->rate + dot3(b, (lane3){own_v.x, own_v.y, own_v.z}) - load(f->wall_rate + i);
    return dot3(c_sum, c_sum) * load(f->inv_rho + i) + o->squares;
}

INLINE bool measure_part(kin_sph* f, bool wide, bool by_state, bells kinds, size_t block, int at)
{
    const kin_sph_lists* l = &f->lists;
    size_t i = 8 * block + (size_t)at;
    here h = here_of(f, block, at);
    which counts = counts_of(f->neighbours + i), rank = counts - counts;
    lane inv_support = all(kinds.inv_support), g_peak = all(kinds.g_peak);
    lane sum = bell_in_lanes(kinds.density, all(0)).w, least = all(1); /* its own share first */
    others o = {{all(0), all(0), all(0)}, all(0), all(0)};
    const kin_sph_lists lists = *l; /* copies: storing g could change anything, as far as a compiler knows */
    const float *x4 = f->x4 + 32 * block, *v4 = f->v4 + 32 * block;
    lane4 own_v = own(v4, at), v = own_v;
    float* g_out = l->g + at;
    size_t last = l->first[block + 1];
    for (size_t row = l->first[block]; row < last; ++row, rank += 1) {
        look_ahead(&lists, wide, row);
        lane4 d = apart(x4, &lists, &h, wide, row, at);
        if (by_state) v = gather(v4, &lists, wide, row, at);
        lane r2 = d.x * d.x + d.y * d.y + d.z * d.z;
        lane q = pick(rank < counts, root(r2) * inv_support, all(1)); /* past the end of a list: at the rim, where all is 0 */
        bell_lanes w = bell_in_lanes(kinds.density, q), slope = kinds.gradient == kinds.density ? w : bell_in_lanes(kinds.gradient, q);
        lane g = slope.slope * g_peak;
        store(g_out + 8 * row, g);
        sum += w.w, least = less(least, q);
        add_others(&o, by_state, d, r2, g, own_v, v);
    }
    store(f->density + i, sum * all(kinds.w_peak) + load(f->lambda + i));
    store(f->factor + i, end_others(f, &o, by_state, i, own_v));
    return bits(least < all(1e-5f)) == 0;
}

INLINE bool measure_blocks(kin_sph* f, bool wide, bool by_state, bells kinds, size_t begin, size_t end)
{
    bool apart_all = true;
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) apart_all &= measure_part(f, wide, by_state, kinds, block, at);
    }
    return apart_all;
}

INLINE bool measure_by(kin_sph* f, bool by_state, bells kinds, size_t begin, size_t end)
{
    return f->lists.wide ? measure_blocks(f, true, by_state, kinds, begin, end) : measure_blocks(f, false, by_state, kinds, begin, end);
}

#define MEASURE(kind, gradient)                                                                                                                                \
    static bool measure_##kind(kin_sph* f, size_t begin, size_t end)                                                                                           \
    {                                                                                                                                                          \
        bells kinds = bells_of(f, KIN_SPH_BELL_##kind, KIN_SPH_BELL_##gradient);                                                                               \
        return f->solver->by_state ? measure_by(f, true, kinds, begin, end) : measure_by(f, false, kinds, begin, end);                                         \
    }
MEASURE(CUBIC, CUBIC)
MEASURE(QUINTIC, QUINTIC)
MEASURE(WENDLAND2, WENDLAND2)
MEASURE(WENDLAND4, WENDLAND4)
MEASURE(QUARTIC, QUARTIC)
MEASURE(POLY6, SPIKY)

bool KIN_KERNEL(kin_sph_measure)(kin_sph* f, size_t begin, size_t end)
{
    static kin_sph_measure_fn* const measures[] = {measure_CUBIC, measure_QUINTIC, measure_WENDLAND2, measure_WENDLAND4, measure_QUARTIC, measure_POLY6};
    return measures[f->bell.kind](f, begin, end);
}

INLINE lane rate_part(const kin_sph* f, bool wide, size_t block, int at, const float* u4)
{
    const kin_sph_lists* l = &f->lists;
    size_t i = 8 * block + (size_t)at;
    here h = here_of(f, block, at);
    lane4 u = own(u4 + 32 * block, at);
    lane sum = all(0);
    for (size_t row = l->first[block]; row < l->first[block + 1]; ++row) {
        lane4 d = apart(f->x4 + 32 * block, l, &h, wide, row, at), v = gather(u4 + 32 * block, l, wide, row, at);
        sum += weight(l, wide, row, at) * (d.x * (u.x - v.x) + d.y * (u.y - v.y) + d.z * (u.z - v.z));
    }
    return sum + (load(f->b[0] + i) * u.x + load(f->b[1] + i) * u.y + load(f->b[2] + i) * u.z);
}

INLINE void rate_blocks(const kin_sph* f, bool wide, size_t begin, size_t end, const float* u4, bool with_walls, float* rate)
{
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            lane r = rate_part(f, wide, block, at, u4);
            size_t i = 8 * block + (size_t)at;
            store(rate + i, with_walls ? r - load(f->wall_rate + i) : r);
        }
    }
}

void KIN_KERNEL(kin_sph_forward)(const kin_sph* f, size_t begin, size_t end, const float* u4, bool with_walls, float* rate)
{
    if (f->lists.wide) {
        rate_blocks(f, true, begin, end, u4, with_walls, rate);
    } else {
        rate_blocks(f, false, begin, end, u4, with_walls, rate);
    }
}

INLINE void push_part(const kin_sph* f, bool wide, size_t block, int at, float by, float* out4)
{
    const kin_sph_lists* l = &f->lists;
    size_t i = 8 * block + (size_t)at;
    here h = here_of(f, block, at);
    lane k = own(f->x4 + 32 * block, at).w;
    lane3 a = {all(0), all(0), all(0)};
    for (size_t row = l->first[block]; row < l->first[block + 1]; ++row) {
        lane4 d = apart(f->x4 + 32 * block, l, &h, wide, row, at);
        lane s = weight(l, wide, row, at) * (k + d.w);
        a.x += s * d.x, a.y += s * d.y, a.z += s * d.z;
    }
    lane light = all(0) - load(f->inv_rho + i);
    a.x = light * (a.x + k * load(f->b[0] + i)), a.y = light * (a.y + k * load(f->b[1] + i)), a.z = light * (a.z + k * load(f->b[2] + i));
    lane4 out = {a.x, a.y, a.z, all(0)};
    if (by != 0) {
        lane4 before = own(out4 + 32 * block, at);
        out = (lane4){before.x + all(by) * a.x, before.y + all(by) * a.y, before.z + all(by) * a.z, before.w};
    }
    put_own(out4 + 32 * block, at, out);
}

INLINE void push_blocks(const kin_sph* f, bool wide, size_t begin, size_t end, float by, float* out4)
{
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) push_part(f, wide, block, at, by, out4);
    }
}

void KIN_KERNEL(kin_sph_backward)(const kin_sph* f, size_t begin, size_t end, float by, float* out4)
{
    if (f->lists.wide) {
        push_blocks(f, true, begin, end, by, out4);
    } else {
        push_blocks(f, false, begin, end, by, out4);
    }
}

INLINE void uneven_part(const kin_sph* f, bool wide, size_t block, int at, const float* own_share, const float* light, const float* other, float* out4)
{
    const kin_sph_lists* l = &f->lists;
    size_t i = 8 * block + (size_t)at;
    here h = here_of(f, block, at);
    lane o = load(own_share + i);
    lane3 a = {all(0), all(0), all(0)};
    for (size_t row = l->first[block]; row < l->first[block + 1]; ++row) {
        lane4 d = apart(f->x4 + 32 * block, l, &h, wide, row, at);
        lane s = weight(l, wide, row, at) * (o * gather1(light + 8 * block, l, wide, row, at) + gather1(other + 8 * block, l, wide, row, at));
        a.x += s * d.x, a.y += s * d.y, a.z += s * d.z;
    }
    lane mirror = o * load(light + i) + load(other + i), factor = all(0) - load(f->inv_rho + i) * load(light + i);
    a = add3(a, scale3((lane3){load(f->b[0] + i), load(f->b[1] + i), load(f->b[2] + i)}, mirror));
    put_own(out4 + 32 * block, at, (lane4){factor * a.x, factor * a.y, factor * a.z, all(0)});
}

void KIN_KERNEL(kin_sph_uneven)(const kin_sph* f, size_t begin, size_t end, const float* own_share, const float* light, const float* other, float* out4)
{
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            if (f->lists.wide) {
                uneven_part(f, true, block, at, own_share, light, other, out4);
            } else {
                uneven_part(f, false, block, at, own_share, light, other, out4);
            }
        }
    }
}

INLINE lane densities(const kin_sph* f, size_t i)
{
    if (f->phase_count == 1) return all(f->phases[0].density);
    lane d;
    for (int l = 0; l < LANES; ++l) d[l] = f->phases[f->phase[i + (size_t)l]].density;
    return d;
}

/* Parked lanes add nothing. */
kin_sph_judged KIN_KERNEL(kin_sph_judge)(const kin_sph* f, float limit, size_t begin, size_t end)
{
    double squares[8] __attribute__((aligned(64))) = {0}, pressure[8] __attribute__((aligned(64))) = {0},
                      pressure_squares[8] __attribute__((aligned(64))) = {0};
    lane fastest = all(0);
    which sane = fastest == fastest;
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            size_t i = 8 * block + (size_t)at;
            lane4 v = own(f->v4 + 32 * block, at), x = own(f->x4 + 32 * block, at);
            lane square = v.x * v.x + v.y * v.y + v.z * v.z, k = more(load(f->k_density + i), all(0)) / densities(f, i);
            sane &= (square < all(limit)) & ((x.x - x.x) + (x.y - x.y) + (x.z - x.z) == all(0));
            fastest = more(square, fastest);
            add_up(squares, at, widened(square)), add_up(pressure, at, widened(k)), add_up(pressure_squares, at, widened(k) * widened(k));
        }
    }
    float most = 0;
    for (int l = 0; l < LANES; ++l) most = fastest[l] > most ? fastest[l] : most;
    return (kin_sph_judged){(double)most, sum_of(squares), sum_of(pressure), sum_of(pressure_squares), bits(sane) == (1U << LANES) - 1};
}
