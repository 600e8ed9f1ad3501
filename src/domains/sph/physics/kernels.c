/* kernels.c - viscosity, smoothing and surfaces over the pairs of a block, in lanes. What each pass computes: kernels.h.
 *
 * A lane adds its own neighbours in the order of its list, and what a pair gives to one side is, bit for bit, minus what it gives to the other: weights and
 * factors are symmetric in i and j. So momentum is lost to the rounding of sums alone. Padded entries have g = 0; passes that do not use g as a factor ask for it. */
#include "domains/sph/physics/kernels.h"
#include "domains/sph/pair_lanes.h"

typedef struct pair {
    lane3 x; /* x_i - x_j */
    lane g;
} pair;

INLINE lane3 three(lane4 a) { return (lane3){a.x, a.y, a.z}; }

/* own position: xi, of part `at` of the block whose fours are x4. */
INLINE pair pair_of(const kin_sph_pairs* p, bool wide, lane4 xi, lane4 xj, size_t row, int at)
{
    pair out = {.x = sub3(three(xi), three(xj)), .g = weight(p->lists, wide, row, at)};
    if (wide) {
        out.x.x = wrapped(out.x.x, p->size[0], p->inv[0]);
        out.x.y = wrapped(out.x.y, p->size[1], p->inv[1]);
        out.x.z = wrapped(out.x.z, p->size[2], p->inv[2]);
    }
    return out;
}

/* 2 a b / (a + b), 0 when both are. */
INLINE lane harmonic(lane a, lane b)
{
    lane sum = a + b;
    which any = sum > all(0);
    return pick(any, all(2) * a * b / pick(any, sum, all(1)), all(0));
}

INLINE void add_own(float* fours, int at, lane3 v)
{
    lane4 sum = own(fours, at);
    put_own(fours, at, (lane4){sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w});
}

/* A pass: `name`_part with `wide` and one more constant, over the parts of the blocks. */
#define EACH_PART(begin, end, ...)                                                                                                                             \
    for (size_t b = (begin); b < (end); ++b) {                                                                                                                 \
        for (int at = 0; at < 8; at += LANES) __VA_ARGS__;                                                                                                     \
    }

/* ---- viscosity ---- */

INLINE void strain_part(const kin_sph_pairs* p, bool wide, bool mixed, const kin_sph_strain* how, const float* u4, const float* s4, float* out4, float* turn4,
                        size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 ui = own(u4 + 32 * b, at), xi = own(p->x4 + 32 * b, at);
    lane3 si = three(own(s4 + 32 * b, at)), force = {all(0), all(0), all(0)}, torque = force;
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 uj = gather(u4 + 32 * b, lists, wide, row, at);
        lane3 turn = scale3(add3(si, three(gather(s4 + 32 * b, lists, wide, row, at))), all(0.5f));
        pair q = pair_of(p, wide, xi, gather(p->x4 + 32 * b, lists, wide, row, at), row, at);
        if (mixed) q.g *= harmonic(ui.w, uj.w);
        lane3 f = scale3(sub3(sub3(three(ui), three(uj)), cross3(turn, q.x)), q.g);
        force = add3(force, f);
        torque = add3(torque, cross3(q.x, f));
    }
    lane3 out = sub3(scale3(three(ui), load(how->diag + 8 * b + (size_t)at)), scale3(force, all(how->c)));
    torque = add3(scale3(si, all(how->inertia)), scale3(torque, all(0.5f * how->c)));
    put_own(out4 + 32 * b, at, (lane4){out.x, out.y, out.z, all(0)});
    put_own(turn4 + 32 * b, at, (lane4){torque.x, torque.y, torque.z, all(0)});
}

static void strain(const kin_sph_pairs* p, const kin_sph_strain* how, const float* u4, const float* s4, float* out4, float* turn4, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, strain_part(p, true, how->mixed, how, u4, s4, out4, turn4, b, at))
    } else if (how->mixed) {
        EACH_PART(begin, end, strain_part(p, false, true, how, u4, s4, out4, turn4, b, at))
    } else {
        EACH_PART(begin, end, strain_part(p, false, false, how, u4, s4, out4, turn4, b, at))
    }
}

/* xx yy zz xy xz yz of the inverse of a symmetric positive matrix given so. */
INLINE void invert(const lane m[6], lane out[6])
{
    out[0] = m[1] * m[2] - m[5] * m[5], out[3] = m[4] * m[5] - m[3] * m[2], out[4] = m[3] * m[5] - m[4] * m[1];
    lane inv = all(1) / (m[0] * out[0] + m[3] * out[3] + m[4] * out[4]);
    out[1] = (m[0] * m[2] - m[4] * m[4]) * inv, out[2] = (m[0] * m[1] - m[3] * m[3]) * inv, out[5] = (m[3] * m[4] - m[0] * m[5]) * inv;
    out[0] *= inv, out[3] *= inv, out[4] *= inv;
}

INLINE void blocks_part(const kin_sph_pairs* p, bool wide, bool mixed, const kin_sph_strain* how, const float* u4, float* inverse, float* turn_inverse,
                        size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 xi = own(p->x4 + 32 * b, at);
    lane wi = own(u4 + 32 * b, at).w, all_g = all(0), m[6] = {all(0), all(0), all(0), all(0), all(0), all(0)}, out[6];
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        pair q = pair_of(p, wide, xi, gather(p->x4 + 32 * b, lists, wide, row, at), row, at);
        if (mixed) q.g *= harmonic(wi, gather(u4 + 32 * b, lists, wide, row, at).w);
        lane3 gx = scale3(q.x, q.g);
        lane g2 = dot3(gx, q.x);
        all_g += q.g;
        m[0] += g2 - gx.x * q.x.x, m[1] += g2 - gx.y * q.x.y, m[2] += g2 - gx.z * q.x.z;
        m[3] -= gx.x * q.x.y, m[4] -= gx.x * q.x.z, m[5] -= gx.y * q.x.z;
    }
    store(inverse + 8 * b + (size_t)at, all(1) / (load(how->diag + 8 * b + (size_t)at) - all(how->c) * all_g));
    lane stiff = all(0) - all(0.25f * how->c) * (m[0] + m[1] + m[2]);
    lane least = all(how->inertia) + all(1e-3f) * stiff; /* neighbours in a line leave a turn free; this is a preconditioner alone */
    for (int k = 0; k < 6; ++k) m[k] = (k < 3 ? least : all(0)) - all(0.25f * how->c) * m[k];
    invert(m, out);
    for (int k = 0; k < 6; ++k) store(turn_inverse + 48 * b + 8 * (size_t)k + (size_t)at, out[k]);
}

static void blocks(const kin_sph_pairs* p, const kin_sph_strain* how, const float* u4, float* inverse, float* turn_inverse, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, blocks_part(p, true, how->mixed, how, u4, inverse, turn_inverse, b, at))
    } else {
        EACH_PART(begin, end, blocks_part(p, false, how->mixed, how, u4, inverse, turn_inverse, b, at))
    }
}

INLINE void turning_part(const kin_sph_pairs* p, bool wide, bool mixed, float c, const float* u4, float* matrix, float* moment4, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 ui = own(u4 + 32 * b, at), xi = own(p->x4 + 32 * b, at);
    lane m[6] = {all(0), all(0), all(0), all(0), all(0), all(0)};
    lane3 moment = {all(0), all(0), all(0)};
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 uj = gather(u4 + 32 * b, lists, wide, row, at);
        pair q = pair_of(p, wide, xi, gather(p->x4 + 32 * b, lists, wide, row, at), row, at);
        if (mixed) q.g *= harmonic(ui.w, uj.w);
        lane3 gx = scale3(q.x, q.g);
        lane g2 = dot3(gx, q.x);
        m[0] += g2 - gx.x * q.x.x, m[1] += g2 - gx.y * q.x.y, m[2] += g2 - gx.z * q.x.z;
        m[3] -= gx.x * q.x.y, m[4] -= gx.x * q.x.z, m[5] -= gx.y * q.x.z;
        moment = add3(moment, cross3(gx, sub3(three(ui), three(uj))));
    }
    moment = scale3(moment, all(-c));
    for (int k = 0; k < 6; ++k) store(matrix + 48 * b + 8 * (size_t)k + (size_t)at, all(-c) * m[k]);
    put_own(moment4 + 32 * b, at, (lane4){moment.x, moment.y, moment.z, all(0)});
}

static void turning(const kin_sph_pairs* p, bool mixed, float c, const float* u4, float* matrix, float* moment4, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, turning_part(p, true, mixed, c, u4, matrix, moment4, b, at))
    } else if (mixed) {
        EACH_PART(begin, end, turning_part(p, false, true, c, u4, matrix, moment4, b, at))
    } else {
        EACH_PART(begin, end, turning_part(p, false, false, c, u4, matrix, moment4, b, at))
    }
}

/* Neighbours in a line leave the turn about it free, and what it is does not matter: this much of the trace makes it definite. */
#define FREE_TURN 1e-6f

INLINE void turn_part(const float* matrix, const float* moment4, float* s4, size_t b, int at)
{
    lane m[6], n[6];
    lane4 r = own(moment4 + 32 * b, at);
    for (int k = 0; k < 6; ++k) m[k] = load(matrix + 48 * b + 8 * (size_t)k + (size_t)at);
    lane trace = m[0] + m[1] + m[2];
    which any = trace > all(0);
    for (int k = 0; k < 3; ++k) m[k] = pick(any, m[k] + all(FREE_TURN) * trace, all(1));
    lane scale = pick(any, all(1) / pick(any, trace, all(1)), all(1)); /* products of three of them stay in range */
    for (int k = 0; k < 6; ++k) m[k] *= scale;
    invert(m, n);
    for (int k = 0; k < 6; ++k) n[k] *= scale;
    put_own(s4 + 32 * b, at, (lane4){n[0] * r.x + n[3] * r.y + n[4] * r.z, n[3] * r.x + n[1] * r.y + n[5] * r.z, n[4] * r.x + n[5] * r.y + n[2] * r.z, all(0)});
}

static void turn(const float* matrix, const float* moment4, float* s4, size_t begin, size_t end){EACH_PART(begin, end, turn_part(matrix, moment4, s4, b, at))}

INLINE void text_part(const kin_sph_pairs* p, bool wide, bool mixed, const float* u4, const float* coef, float reach, float* out4, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 ui = own(u4 + 32 * b, at), xi = own(p->x4 + 32 * b, at);
    lane3 sum = {all(0), all(0), all(0)};
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 uj = gather(u4 + 32 * b, lists, wide, row, at);
        pair q = pair_of(p, wide, xi, gather(p->x4 + 32 * b, lists, wide, row, at), row, at);
        lane w = more(all(reach) - root(dot3(q.x, q.x)), all(0)); /* padding meets itself: no difference */
        if (mixed) w *= harmonic(ui.w, uj.w);
        sum = add3(sum, scale3(sub3(three(uj), three(ui)), w));
    }
    add_own(out4 + 32 * b, at, scale3(sum, load(coef + 8 * b + (size_t)at)));
}

static void text(const kin_sph_pairs* p, const float* u4, bool mixed, const float* coef, float reach, float* out4, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, text_part(p, true, mixed, u4, coef, reach, out4, b, at))
    } else {
        EACH_PART(begin, end, text_part(p, false, mixed, u4, coef, reach, out4, b, at))
    }
}

static void pace(const float* v4, const float* k, const float* inv_rho, float press, float* u4, size_t begin,
                 size_t end){EACH_PART(begin, end,
                                       {
                                           lane4 v = own(v4 + 32 * b, at);
                                           lane square = more(load(k + 8 * b + (size_t)at), all(0)) * load(inv_rho + 8 * b + (size_t)at);
                                           v.w = root(dot3(three(v), three(v))) + all(press) * root(square);
                                           put_own(u4 + 32 * b, at, v);
                                       })}

/* What becomes of velocities u. */
INLINE lane3 smooth_part(const kin_sph_pairs* p, bool wide, bool mixed, const kin_sph_smoothing* how, lane4 ui, const float* u4, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane mi = mixed ? load(how->mass + 8 * b + (size_t)at) : all(0);
    lane3 sum = {all(0), all(0), all(0)};
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 uj = gather(u4 + 32 * b, lists, wide, row, at);
        lane s = weight(lists, wide, row, at) * less(all(how->most), all(how->rate) * (ui.w + uj.w));
        if (mixed) {
            lane mj = gather1(how->mass + 8 * b, lists, wide, row, at), both = mi + mj;
            s *= all(2) * mj / pick(both > all(0), both, all(1));
        }
        sum = add3(sum, scale3(sub3(three(ui), three(uj)), s));
    }
    return add3(three(ui), sum);
}

INLINE wide_lane loss(lane before, lane after) { return widened(before) * widened(before) - widened(after) * widened(after); }

INLINE void smooth_and_count(const kin_sph_pairs* p, bool wide, bool mixed, const kin_sph_smoothing* how, const float* u4, float* v4, size_t b, int at,
                             double lost[8])
{
    lane4 u = own(u4 + 32 * b, at);
    lane3 v = smooth_part(p, wide, mixed, how, u, u4, b, at);
    lane mass = mixed ? load(how->mass + 8 * b + (size_t)at) : all(how->one);
    put_own(v4 + 32 * b, at, (lane4){v.x, v.y, v.z, all(0)});
    add_up(lost, at, widened(mass) * ((loss(u.x, v.x) + loss(u.y, v.y)) + loss(u.z, v.z)));
}

static double smooth(const kin_sph_pairs* p, const kin_sph_smoothing* how, const float* u4, float* v4, size_t begin, size_t end)
{
    double lost[8] __attribute__((aligned(64))) = {0};
    if (p->lists->wide) {
        EACH_PART(begin, end, smooth_and_count(p, true, how->mass != NULL, how, u4, v4, b, at, lost))
    } else if (how->mass != NULL) {
        EACH_PART(begin, end, smooth_and_count(p, false, true, how, u4, v4, b, at, lost))
    } else {
        EACH_PART(begin, end, smooth_and_count(p, false, false, how, u4, v4, b, at, lost))
    }
    return 0.5 * sum_of(lost);
}

/* ---- surfaces ---- */

INLINE lane nearness(lane3 x, lane inv_reach)
{
    lane q = root(dot3(x, x)) * inv_reach, t = more(all(1) - q, all(0));
    return t * t * t * (all(1) + all(3) * q);
}

INLINE void normal_part(const kin_sph_pairs* p, bool wide, float inv_reach, float* out4, float* moment, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 xi = own(p->x4 + 32 * b, at), out = own(out4 + 32 * b, at);
    lane3 sum = three(out);
    lane inv = all(1) / pick(xi.w > all(0), xi.w, all(1)), near = out.w, squares = all(0);
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 xj = gather(p->x4 + 32 * b, lists, wide, row, at);
        pair q = pair_of(p, wide, xi, xj, row, at);
        sum = add3(sum, scale3(q.x, q.g * (less(xi.w, xj.w) * inv)));
        squares -= q.g * dot3(q.x, q.x);
        near += pick((q.g < all(0)) & (xj.w == xi.w), nearness(q.x, all(inv_reach)), all(0)); /* padding has g = 0 */
    }
    put_own(out4 + 32 * b, at, (lane4){sum.x, sum.y, sum.z, near});
    store(moment + 8 * b + (size_t)at, squares);
}

static void normal(const kin_sph_pairs* p, float inv_reach, float* out4, float* moment, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, normal_part(p, true, inv_reach, out4, moment, b, at))
    } else {
        EACH_PART(begin, end, normal_part(p, false, inv_reach, out4, moment, b, at))
    }
}

INLINE void blend_part(const kin_sph_pairs* p, bool wide, float inv_reach, const float* u4, float* out4, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 xi = own(p->x4 + 32 * b, at), ui = own(u4 + 32 * b, at);
    lane3 sum = scale3(three(ui), ui.w);
    lane weight = ui.w;
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 xj = gather(p->x4 + 32 * b, lists, wide, row, at), uj = gather(u4 + 32 * b, lists, wide, row, at);
        pair q = pair_of(p, wide, xi, xj, row, at);
        lane w = pick((q.g < all(0)) & (xj.w == xi.w), nearness(q.x, all(inv_reach)) * uj.w, all(0));
        sum = add3(sum, scale3(three(uj), w));
        weight += w;
    }
    put_own(out4 + 32 * b, at, (lane4){sum.x, sum.y, sum.z, weight});
}

static void blend(const kin_sph_pairs* p, float inv_reach, const float* u4, float* out4, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, blend_part(p, true, inv_reach, u4, out4, b, at))
    } else {
        EACH_PART(begin, end, blend_part(p, false, inv_reach, u4, out4, b, at))
    }
}

INLINE void bend_part(const kin_sph_pairs* p, bool wide, const float* n4, float dimensions, float* out, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 xi = own(p->x4 + 32 * b, at), ni = own(n4 + 32 * b, at);
    lane div = all(0), moment = all(0);
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 nj = gather(n4 + 32 * b, lists, wide, row, at);
        pair q = pair_of(p, wide, xi, gather(p->x4 + 32 * b, lists, wide, row, at), row, at);
        lane3 both = add3(three(ni), three(nj));
        lane g = q.g * nj.w, along = dot3(q.x, both);
        div += g * dot3(q.x, sub3(three(nj), three(ni)));
        moment -= g * (dot3(q.x, q.x) - along * along / (dot3(both, both) + all(1e-12f))); /* normals may be opposite */
    }
    which some = (moment > all(0)) & (ni.w > all(0));
    store(out + 8 * b + (size_t)at, pick(some, all(dimensions) * div / pick(some, moment, all(1)), all(0)));
}

static void bend(const kin_sph_pairs* p, const float* n4, float dimensions, float* out, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, bend_part(p, true, n4, dimensions, out, b, at))
    } else {
        EACH_PART(begin, end, bend_part(p, false, n4, dimensions, out, b, at))
    }
}

INLINE void hold_part(const kin_sph_pairs* p, bool wide, float soft, const float* u4, const float* coef, float* out4, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 xi = own(p->x4 + 32 * b, at), ui = own(u4 + 32 * b, at);
    lane3 sum = {all(0), all(0), all(0)};
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 xj = gather(p->x4 + 32 * b, lists, wide, row, at), uj = gather(u4 + 32 * b, lists, wide, row, at);
        pair q = pair_of(p, wide, xi, xj, row, at);
        lane parting = dot3(q.x, sub3(three(ui), three(uj))) / (dot3(q.x, q.x) + all(soft));
        sum = add3(sum, scale3(q.x, q.g * (xi.w + xj.w + harmonic(ui.w, uj.w) * parting)));
    }
    add_own(out4 + 32 * b, at, scale3(sum, load(coef + 8 * b + (size_t)at)));
}

static void hold(const kin_sph_pairs* p, float soft, const float* u4, const float* coef, float* out4, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, hold_part(p, true, soft, u4, coef, out4, b, at))
    } else {
        EACH_PART(begin, end, hold_part(p, false, soft, u4, coef, out4, b, at))
    }
}

/* What of the neighbour's side counts to one's own: all of what has at least the tension; between phases such that the square of the rest is the difference. */
INLINE lane share_of(lane mine, lane other)
{
    lane ratio = less(other / pick(mine > all(0), mine, all(1)), all(1));
    return all(1) - root(all(1) - ratio);
}

INLINE void fill_part(const kin_sph_pairs* p, bool wide, const kin_sph_company* how, float* out4, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 xi = own(p->x4 + 32 * b, at), out = own(out4 + 32 * b, at);
    lane3 n = {all(0), all(0), all(0)};
    lane c = all(0);
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 xj = gather(p->x4 + 32 * b, lists, wide, row, at);
        pair d = pair_of(p, wide, xi, xj, row, at);
        lane q = root(dot3(d.x, d.x)) * all(how->inv_reach), t = more(all(1) - q, all(0)), tt = pick(d.g < all(0), share_of(xi.w, xj.w), all(0)) * (t * t);
        c += tt * t * (all(1) + all(3) * q);
        n = sub3(n, scale3(d.x, tt));
    }
    n = add3(three(out), scale3(n, all(how->slope)));
    put_own(out4 + 32 * b, at, (lane4){n.x, n.y, n.z, out.w + c * all(how->peak)});
}

static void fill(const kin_sph_pairs* p, const kin_sph_company* how, float* out4, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, fill_part(p, true, how, out4, b, at))
    } else {
        EACH_PART(begin, end, fill_part(p, false, how, out4, b, at))
    }
}

INLINE void join_part(const kin_sph_pairs* p, bool wide, const kin_sph_company* how, const float* m4, const float* coef, float* out4, size_t b, int at)
{
    const kin_sph_lists* lists = p->lists;
    lane4 xi = own(p->x4 + 32 * b, at), mi = own(m4 + 32 * b, at);
    lane3 sum = {all(0), all(0), all(0)};
    for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
        lane4 xj = gather(p->x4 + 32 * b, lists, wide, row, at), mj = gather(m4 + 32 * b, lists, wide, row, at);
        lane3 x = pair_of(p, wide, xi, xj, row, at).x; /* padding: 0 */
        lane si = share_of(xi.w, xj.w), sj = share_of(xj.w, xi.w), r = root(dot3(x, x)), t = more(all(1) - r * all(how->inv_reach), all(0)), tt = t * t;
        lane3 m = sub3(scale3(three(mi), si), scale3(three(mj), sj));
        lane along = all(2 * how->inv_reach) * t * dot3(m, x) / more(r, all(1e-30f)) + tt * (si * mi.w + sj * mj.w);
        sum = add3(sum, sub3(scale3(m, tt), scale3(x, along)));
    }
    add_own(out4 + 32 * b, at, scale3(sum, load(coef + 8 * b + (size_t)at)));
}

static void join(const kin_sph_pairs* p, const kin_sph_company* how, const float* m4, const float* coef, float* out4, size_t begin, size_t end)
{
    if (p->lists->wide) {
        EACH_PART(begin, end, join_part(p, true, how, m4, coef, out4, b, at))
    } else {
        EACH_PART(begin, end, join_part(p, false, how, m4, coef, out4, b, at))
    }
}

const kin_sph_physics_kernels KIN_KERNEL(kin_sph_physics_kernels) = {strain, blocks, turning, turn, text, pace, smooth, normal, blend, bend, hold, fill, join};
