/* kernels.c - contact rows in lanes: set up, warm start, impacts, soft solve, relax with friction. Method and names: rows.h; soft constraints as in
 * rows of h om (2 zeta + h om): see solver.c. */
#include "contact/realtime/lanes.h"

typedef struct frame {
    lane3 n, t1, t2, arm_a, arm_b, j_a, j_b;
} frame;

INLINE frame frame_of(const kin_rt_rows* r, int at)
{
    frame f = {.n = load3(r->n, at), .t1 = load3(r->t, at), .arm_a = load3(r->arm_a, at), .arm_b = load3(r->arm_b, at)};
    f.t2 = cross3(f.n, f.t1);
    f.j_a = cross3(f.arm_a, f.n);
    f.j_b = cross3(f.arm_b, f.n);
    return f;
}

/* What two twists do along the normal at the points. */
INLINE void rates_of(const frame* f, const kin_rt_rows* r, int at, twist a, twist b, lane* out, int points)
{
    lane3 about = sub3(b.about, a.about);
    lane middle = dot3(f->n, sub3(b.along, a.along)) + dot3(f->j_b, b.about) - dot3(f->j_a, a.about);
    lane w1 = dot3(f->t1, about), w2 = dot3(f->t2, about);
    for (int k = 0; k < points; ++k) out[k] = middle + load(r->at_b[k] + at) * w1 - load(r->at_a[k] + at) * w2;
}

/* A force impulse with its moments about both centres: B gains it, A loses it. */
INLINE void push(const kin_rt_rows* r, int at, twist* a, twist* b, lane3 force, lane3 moment_a, lane3 moment_b)
{
    a->along = sub3(a->along, scale3(force, load(r->mass_a + at)));
    a->about = sub3(a->about, sym3_from(r->inertia_a, at, moment_a));
    b->along = add3(b->along, scale3(force, load(r->mass_b + at)));
    b->about = add3(b->about, sym3_from(r->inertia_b, at, moment_b));
}

/* ---- once an interval ---- */

INLINE lane3 between(const kin_rt_lines* lines, const kin_rt_rows* r, int at)
{
    lane3 d;
    for (int k = 0; k < LANES; ++k) {
        int32_t ia = r->a[at + k], ib = r->b[at + k];
        const kin_vec3 *a = &lines->place[ia ^ (ia >> 31)], *b = &lines->place[ib ^ (ib >> 31)];
        d.x[k] = (float)(b->x - a->x), d.y[k] = (float)(b->y - a->y), d.z[k] = (float)(b->z - a->z);
    }
    return d;
}

typedef struct bodies {
    lane a[16], b[16]; /* turn 0..8, inverse inertia 9..14, inverse mass 15 */
    lane3 apart;
} bodies;

/* A frame's n and t1 where a body has turned them to. */
typedef struct axes {
    lane3 n, t;
} axes;
INLINE lane3 pick3(which m, lane3 a, lane3 b) { return (lane3){pick(m, a.x, b.x), pick(m, a.y, b.y), pick(m, a.z, b.z)}; }
INLINE lane3 unit3(lane3 v) { return scale3(v, all(1) / root(dot3(v, v))); }

/* An arm that turns with its frame. */
INLINE lane3 carried(axes from, axes to, lane3 arm)
{
    const lane3 from_2 = cross3(from.n, from.t), to_2 = cross3(to.n, to.t);
    return add3(scale3(to.n, dot3(from.n, arm)), add3(scale3(to.t, dot3(from.t, arm)), scale3(to_2, dot3(from_2, arm))));
}

/* Frames, with their levers, to where their bodies have turned: with what forces do not move at once, for that cannot lean; with two free bodies, to the middle,
 * about the normal at once, and with the normal when that is far enough (rows.h). Doing it twice changes nothing. `between`: from B to A. */
INLINE lane3 follow_turn(kin_rt_rows* r, int at, const bodies* s, axes b, axes between, which alike)
{
    const axes now = {load3(r->n, at), load3(r->t, at)};
    const which led_a = s->a[15] == all(0), led_b = s->b[15] == all(0);
    const lane share = pick(led_a, all(1), pick(led_b, all(0), all(0.5f))), led = all(KIN_RT_LED * KIN_RT_LED), lean = all(KIN_RT_LEAN * KIN_RT_LEAN);
    axes to = {add3(b.n, scale3(between.n, share)), add3(b.t, scale3(between.t, share))};
    const lane3 turn_n = sub3(to.n, now.n);
    const which tilted = dot3(turn_n, turn_n) > pick(led_a | led_b, led, lean);
    to.n = pick3(tilted, to.n, now.n);
    const lane about_n = dot3(cross3(now.n, now.t), to.t);
    const which turned = alike & (tilted | (about_n * about_n > led));
    if (bits(turned) == 0) return now.n;
    to.n = pick3(turned, unit3(to.n), now.n);
    to.t = pick3(turned, unit3(sub3(to.t, scale3(to.n, dot3(to.n, to.t)))), now.t);
    const lane3 arm_a = load3(r->arm_a, at), arm_b = load3(r->arm_b, at);
    store3(r->n, at, to.n), store3(r->t, at, to.t);
    store3(r->arm_a, at, pick3(turned, carried(now, to, arm_a), arm_a)), store3(r->arm_b, at, pick3(turned, carried(now, to, arm_b), arm_b));
    return to.n;
}

INLINE lane inverse(lane x)
{
    which there = x > all(0);
    return pick(there, all(1) / pick(there, x, all(1)), all(0));
}

/* How far the points of B are from where friction held them, by their shifts against those of A. Rolling moves points over each other by r t^3 / 6 only, but longer
 * than this turn t friction holds nothing in place. */
INLINE void find_stray(kin_rt_geometry* g, kin_rt_rows* r, int at, lane3 n, lane3 shifts, lane count, lane turned)
{
    const lane3 t1 = load3(r->t, at), t2 = cross3(n, t1);
    const lane share = inverse(count), now[2] = {dot3(t1, shifts) * share, dot3(t2, shifts) * share};
    const which held = (load(r->slid + at) == all(0)) & (count > all(1)) & (turned <= all(KIN_RT_LEAN * KIN_RT_LEAN));
    for (int i = 0; i < 2; ++i) {
        const lane rest = pick(held, load(g->rest[i] + at), now[i]);
        store(g->rest[i] + at, rest), store(r->stray[i] + at, now[i] - rest);
    }
    store(r->slid + at, all(0));
}

/* Separations from the anchors as they are now; which manifolds no longer fit: anchors went apart, or the bodies turned against each other. */
INLINE which separate(kin_rt_geometry* g, kin_rt_rows* r, int at, const bodies* s)
{
    const axes b = {mat3(s->b, load3(g->n_b, at)), mat3(s->b, load3(g->t_b, at))};
    const axes between = {sub3(mat3(s->a, load3(g->n_a, at)), b.n), sub3(mat3(s->a, load3(g->t_a, at)), b.t)};
    const lane turned = more(dot3(between.n, between.n), dot3(between.t, between.t)), slack = load(g->slack + at);
    const which rolled = turned > load(g->roll + at), alike = turned <= all((float)(KIN_RT_SLACK * KIN_RT_SLACK / 3));
    const lane3 n = follow_turn(r, at, s, b, between, alike);
    lane worst = all(0), count = all(0);
    lane3 shifts = {worst, worst, worst};
    for (int k = 0; k < 4; ++k) {
        lane3 shift = sub3(add3(mat3(s->b, load3(g->point_b[k], at)), s->apart), mat3(s->a, load3(g->point_a[k], at)));
        lane built = load(g->built[k] + at), gap = built + dot3(n, shift);
        store(r->start[k] + at, gap);
        store(r->gap[k] + at, gap);
        const lane there = pick(built < all(KIN_RT_FAR), all(1), all(0));
        worst = more(worst, there * dot3(shift, shift));
        shifts = add3(shifts, scale3(shift, there)), count += there;
    }
    find_stray(g, r, at, n, shifts, count, turned);
    return (worst > slack) | rolled | ~alike;
}

INLINE void normal_rows(const kin_rt_geometry* g, kin_rt_rows* r, int at, const frame* f, const lane* ia, const lane* ib, lane inv_mass)
{
    lane both[6];
    for (int k = 0; k < 6; ++k) both[k] = ia[k] + ib[k];
    lane3 ja = sym3(ia, f->j_a), jb = sym3(ib, f->j_b), j = add3(ja, jb), s1 = sym3(both, f->t1), s2 = sym3(both, f->t2);
    lane k00 = inv_mass + dot3(f->j_a, ja) + dot3(f->j_b, jb), k01 = dot3(f->t1, j), k02 = dot3(f->t2, j);
    lane k11 = dot3(f->t1, s1), k12 = dot3(f->t1, s2), k22 = dot3(f->t2, s2);
    lane a[4], b[4], x[4], y[4], z[4];
    for (int k = 0; k < 4; ++k) {
        a[k] = load(r->at_a[k] + at), b[k] = load(r->at_b[k] + at);
        x[k] = k00 + b[k] * k01 - a[k] * k02, y[k] = k01 + b[k] * k11 - a[k] * k12, z[k] = k02 + b[k] * k12 - a[k] * k22;
        lane own = pick(load(g->built[k] + at) < all(KIN_RT_FAR), x[k] + b[k] * y[k] - a[k] * z[k], all(0));
        store(r->mass[k] + at, inverse(own));
    }
    store(r->middle_mass + at, inverse(k00));
    int q = 0;
    for (int k = 0; k < 4; ++k) {
        for (int l = k + 1; l < 4; ++l) store(r->cross[q++] + at, x[k] + b[l] * y[k] - a[l] * z[k]);
    }
    store(r->twist_mass + at, inverse(dot3(f->n, sym3(both, f->n))));
}

INLINE void friction_rows(kin_rt_rows* r, int at, const frame* f, const lane* ia, const lane* ib, lane inv_mass)
{
    lane3 u1a = cross3(f->arm_a, f->t1), u1b = cross3(f->arm_b, f->t1), u2a = cross3(f->arm_a, f->t2), u2b = cross3(f->arm_b, f->t2);
    lane3 m1a = sym3(ia, u1a), m1b = sym3(ib, u1b);
    lane k11 = inv_mass + dot3(u1a, m1a) + dot3(u1b, m1b), k12 = dot3(u2a, m1a) + dot3(u2b, m1b);
    lane k22 = inv_mass + dot3(u2a, sym3(ia, u2a)) + dot3(u2b, sym3(ib, u2b));
    lane d = inverse(k11 * k22 - k12 * k12);
    store(r->along_mass[0] + at, k22 * d);
    store(r->along_mass[1] + at, all(0) - k12 * d);
    store(r->along_mass[2] + at, k11 * d);
}

INLINE uint32_t has_more_points(const kin_rt_geometry* g, int at)
{
    which more_of = load(g->built[1] + at) < all(KIN_RT_FAR);
    for (int k = 2; k < 4; ++k) more_of |= load(g->built[k] + at) < all(KIN_RT_FAR);
    return bits(more_of) != 0 ? KIN_RT_MORE_POINTS : 0;
}

INLINE uint32_t prepare_part(const kin_rt_lines* lines, kin_rt_geometry* g, kin_rt_rows* r, int force, int at)
{
    bodies s;
    gather8((const float*)lines->frame, r->a + at, 0, s.a), gather8((const float*)lines->frame, r->a + at, 8, s.a + 8);
    gather8((const float*)lines->frame, r->b + at, 0, s.b), gather8((const float*)lines->frame, r->b + at, 8, s.b + 8);
    s.apart = between(lines, r, at);
    uint32_t stale = bits(separate(g, r, at, &s));
    if (stale != 0 && !force) return stale << at;
    for (int k = 0; k < 6; ++k) store(r->inertia_a[k] + at, s.a[9 + k]), store(r->inertia_b[k] + at, s.b[9 + k]);
    store(r->mass_a + at, s.a[15]), store(r->mass_b + at, s.b[15]);
    store(r->pressed + at, all(0));
    frame f = frame_of(r, at);
    normal_rows(g, r, at, &f, s.a + 9, s.b + 9, s.a[15] + s.b[15]);
    friction_rows(r, at, &f, s.a + 9, s.b + 9, s.a[15] + s.b[15]);
    return has_more_points(g, at);
}

static uint32_t prepare(const kin_rt_lines* lines, kin_rt_geometry* g, kin_rt_rows* r, int force)
{
    uint32_t stale = 0;
    for (int at = 0; at < KIN_RT_LANES; at += LANES) stale |= prepare_part(lines, g, r, force, at);
    return stale;
}

/* ---- bodies ---- */

/* Rows do not change within an interval, so what contacts gave a body in the last substep is its warm start in this one: d. */
static void kick(const kin_rt_lines* lines, kin_rt_gain* gain, const uint32_t* numbers, int count, int first)
{
    for (int i = 0; i < count; ++i) {
        float* v = (float*)&lines->motion[numbers[i] + 1];
        kin_rt_gain* g = &gain[numbers[i]];
        for (int k = 0; k < 8; k += LANES < 8 ? LANES : 8) {
            lane before = load(v + k), d = first ? all(0) : before - load(g->base + k), base = before + load(g->kick + k);
            store(g->base + k, base);
            store(v + k, base + d);
        }
        lines->motion[numbers[i] + 1].struck = g->base[6] = 0;
    }
}

static void drift(const kin_rt_lines* lines, const uint32_t* numbers, int count, float h)
{
    for (int i = 0; i < count; ++i) {
        float* v = (float*)&lines->motion[numbers[i] + 1];
        for (int k = 0; k < 8; k += LANES < 8 ? LANES : 8) store(v + 8 + k, load(v + 8 + k) + all(h) * load(v + k));
    }
}

/* ---- substeps ---- */

INLINE void warm_part(const kin_rt_lines* lines, const kin_rt_rows* r, const kin_rt_extra* x, unsigned flags, int at)
{
    float* motion = (float*)lines->motion;
    twist a = gather_twist(motion, r->a + at, 0), b = gather_twist(motion, r->b + at, 0);
    frame f = frame_of(r, at);
    lane sum = all(0), m1 = all(0), m2 = all(0);
    for (int k = 0; k < 4; ++k) {
        lane p = load(r->normal[k] + at);
        sum += p, m1 += load(r->at_b[k] + at) * p, m2 -= load(r->at_a[k] + at) * p;
    }
    if (flags & KIN_RT_ROLLS) m1 += load(x->rolled[0] + at), m2 += load(x->rolled[1] + at);
    lane3 force = add3(scale3(f.n, sum), add3(scale3(f.t1, load(r->along[0] + at)), scale3(f.t2, load(r->along[1] + at))));
    lane3 torque = add3(scale3(f.t1, m1), add3(scale3(f.t2, m2), scale3(f.n, load(r->twist + at))));
    push(r, at, &a, &b, force, add3(torque, cross3(f.arm_a, force)), add3(torque, cross3(f.arm_b, force)));
    scatter_twist(motion, r->a + at, a);
    scatter_twist(motion, r->b + at, b);
}

static void warm(const kin_rt_lines* lines, const kin_rt_rows* r, const kin_rt_extra* x, const uint8_t* flags, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int at = 0; at < KIN_RT_LANES; at += LANES) warm_part(lines, &r[i], flags[i] & KIN_RT_EXTRA ? &x[i] : x, flags[i], at);
    }
}

/* m: of a point about n. */
INLINE lane lever_of(const kin_rt_rows* r, int at, int k)
{
    lane a = load(r->at_a[k] + at), b = load(r->at_b[k] + at);
    return root(a * a + b * b);
}

/* The four normal rows, one after the other; y are their rates. Returns the sum of the impulses and, by `levers`, of their moments about n. */
typedef struct sweep_sums {
    lane total, lever;
} sweep_sums;

INLINE lane biased(const kin_rt_soft* soft, lane gap, lane mass, lane y, lane before)
{
    which apart = gap > all(0);
    lane bias = pick(apart, gap * all(soft->inv_h), more(all(soft->rate * soft->mass_scale) * gap, all(-soft->push)));
    return mass * (pick(apart, all(1), all(soft->mass_scale)) * y + bias) + pick(apart, all(0), all(soft->impulse_scale)) * before;
}

#define NOWHERE (-1e30f) /* m/s: of a point that is not there */
#define FLAT 0.05f       /* of the speed of a blow: worth to be met by all points at once */

/* Where all points come, or all part that press, and fast enough to matter. */
INLINE which comes_flat(const kin_rt_soft* soft, const kin_rt_rows* r, int at, const lane* y, int points)
{
    lane most = all(NOWHERE), least = all(-NOWHERE), pressed = all(-NOWHERE);
    for (int k = 0; k < points; ++k) {
        which there = load(r->mass[k] + at) > all(0);
        most = more(most, pick(there, y[k], all(NOWHERE)));
        least = less(least, pick(there, y[k], all(-NOWHERE)));
        pressed = less(pressed, pick(there, load(r->normal[k] + at), all(-NOWHERE)));
    }
    return (most < all(-FLAT * soft->strike)) | ((least > all(FLAT * soft->strike)) & (pressed > all(0)));
}

INLINE lane points_of(const kin_rt_rows* r, int at, int points)
{
    lane count = all(0);
    for (int k = 0; k < points; ++k) count += pick(load(r->mass[k] + at) > all(0), all(1), all(0));
    return count;
}

INLINE void push_middle(const kin_rt_rows* r, int at, const frame* f, twist* a, twist* b, lane p)
{
    push(r, at, a, b, scale3(f->n, p), scale3(f->j_a, p), scale3(f->j_b, p));
}

/* A patch that comes flat is met by all its points at once: one after the other they would turn it over, and friction would send it sideways. What they still
 * want then is left to them. Returns the impulse; y are the rates after it. */
INLINE lane meet_flat(const kin_rt_soft* soft, kin_rt_rows* r, int at, const frame* f, twist* a, twist* b, lane* y, which flat, int relax, int points)
{
    lane count = points_of(r, at, points), stiff = count * inverse(load(r->middle_mass + at)), low = all(-NOWHERE), high = all(NOWHERE), least = all(-NOWHERE),
         p = all(0);
    for (int k = 0; k < points; ++k) { /* what this point would have all of them give */
        lane gap = load(r->gap[k] + at), own = inverse(load(r->mass[k] + at)) * all(soft->impulse_scale);
        lane firmly = (all(0) - y[k] - more(gap, all(0)) * all(soft->inv_h)) * inverse(stiff);
        lane bias = more(all(soft->rate * soft->mass_scale) * gap, all(-soft->push)) + own * load(r->normal[k] + at);
        lane softly = (all(0) - all(soft->mass_scale) * y[k] - bias) * inverse(all(soft->mass_scale) * stiff + own);
        which there = load(r->mass[k] + at) > all(0);
        lane wants = relax ? firmly : pick(gap > all(0), firmly, softly);
        low = less(low, pick(there, wants, all(-NOWHERE)));
        high = more(high, pick(there, wants, all(NOWHERE)));
        least = less(least, pick(there, load(r->normal[k] + at), all(-NOWHERE)));
    }
    lane share = pick(flat, more(low, all(0)) + more(less(high, all(0)), all(0) - least), all(0));
    for (int k = 0; k < points; ++k) {
        lane before = load(r->normal[k] + at), now = before + pick(load(r->mass[k] + at) > all(0), share, all(0));
        store(r->normal[k] + at, now);
        p += now - before;
    }
    push_middle(r, at, f, a, b, p);
    rates_of(f, r, at, *a, *b, y, points);
    return p;
}

/* A point that comes as fast as this is left to the impacts of the next substep, not stopped on its way there. */
INLINE which will_bounce(const kin_rt_soft* soft, const kin_rt_extra* x, int at, lane y) { return (load(x->bounce + at) > all(0)) & (y < all(-soft->bounce)); }

/* SOFT: the first of a substep. AGAIN: as that, of the lanes alone that have a body which was struck. CALM: relaxed, of those with a body that was pushed. */
enum { SOFT, AGAIN, RELAX, CALM };
#define PUSHED 1e6f /* no sweep has this number */

INLINE which is_struck(twist a, twist b, float sweep) { return (a.struck >= all(sweep)) | (b.struck >= all(sweep)); }

INLINE sweep_sums sweep_normals(const kin_rt_soft* soft, kin_rt_rows* r, const kin_rt_extra* x, int at, const frame* f, twist* a, twist* b, int pass,
                                int bounces, int points)
{
    const int relax = pass == RELAX || pass == CALM, some = pass == AGAIN || pass == CALM;
    lane y[4], sum = all(0), m1 = all(0), m2 = all(0), carried = all(0), struck = all(0), pushed = all(0);
    const which hit = is_struck(*a, *b, pass == CALM ? PUSHED : soft->sweep);
    sweep_sums out = {all(0), all(0)};
    rates_of(f, r, at, *a, *b, y, points);
    which flat = comes_flat(soft, r, at, y, points);
    if (some) flat &= hit;
    if (relax && bounces) flat &= ~will_bounce(soft, x, at, y[0]);
    if (bits(flat) != 0) {
        lane p = meet_flat(soft, r, at, f, a, b, y, flat, relax, points);
        carried -= p;
        struck = pick(p * inverse(load(r->middle_mass + at)) > all(soft->strike), all(1), struck);
    }
    int q = 0;
    for (int k = 0; k < points; ++k) {
        lane gap = load(r->gap[k] + at), mass = load(r->mass[k] + at), before = load(r->normal[k] + at);
        lane less_by = relax ? mass * (y[k] + more(gap, all(0)) * all(soft->inv_h)) : biased(soft, gap, mass, y[k], before);
        lane now = more(before - less_by, all(0));
        if (some) now = pick(hit, now, before);
        if (relax && bounces) now = pick(will_bounce(soft, x, at, y[k]), before, now);
        lane d = now - before;
        store(r->normal[k] + at, now);
        carried += before;
        struck = pick((y[k] < all(-soft->strike)) & (d > all(0)), all(1), struck);
        pushed = pick((gap < all(-soft->deep)) & (now > all(0)), all(PUSHED), pushed);
        sum += d, m1 += load(r->at_b[k] + at) * d, m2 -= load(r->at_a[k] + at) * d;
        if (relax) out.total += now, out.lever += lever_of(r, at, k) * now;
        for (int l = k + 1; l < points; ++l) y[l] += load(r->cross[q++] + at) * d;
    }
    if (pass != CALM) store(r->struck + at, pass == SOFT ? struck : more(struck, load(r->struck + at)));
    if (pass == AGAIN) struck *= all(soft->sweep + 1);
    if (pass == RELAX) struck = pushed;
    if (pass != CALM) a->struck = more(a->struck, struck), b->struck = more(b->struck, struck);
    if (pass == SOFT) store(r->carried + at, carried);
    lane3 torque = add3(scale3(f->t1, m1), scale3(f->t2, m2));
    push(r, at, a, b, scale3(f->n, sum), add3(torque, scale3(f->j_a, sum)), add3(torque, scale3(f->j_b, sum)));
    return out;
}

INLINE uint32_t lanes_struck(const kin_rt_rows* r, int at) { return bits(load(r->struck + at) > all(0)); }

INLINE uint32_t solve_part(const kin_rt_lines* lines, kin_rt_rows* r, const kin_rt_soft* soft, int points, int at)
{
    float* motion = (float*)lines->motion;
    twist a = gather_twist(motion, r->a + at, 0), b = gather_twist(motion, r->b + at, 0);
    frame f = frame_of(r, at);
    sweep_normals(soft, r, NULL, at, &f, &a, &b, SOFT, 0, points);
    scatter_twist(motion, r->a + at, a);
    scatter_twist(motion, r->b + at, b);
    return lanes_struck(r, at);
}

static void solve(const kin_rt_lines* lines, kin_rt_rows* r, kin_rt_extra* x, const uint8_t* flags, uint8_t* struck, int count, const kin_rt_soft* soft)
{
    (void)x;
    for (int i = 0; i < count; ++i) {
        uint32_t hit = 0;
        if (flags[i] & KIN_RT_SINGLE) {
            for (int at = 0; at < KIN_RT_LANES; at += LANES) hit |= solve_part(lines, &r[i], soft, 1, at);
        } else {
            for (int at = 0; at < KIN_RT_LANES; at += LANES) hit |= solve_part(lines, &r[i], soft, 4, at);
        }
        struck[i] = hit != 0;
    }
}

INLINE uint32_t again_part(const kin_rt_lines* lines, kin_rt_rows* r, const kin_rt_soft* soft, int points, int at)
{
    float* motion = (float*)lines->motion;
    twist a = gather_twist(motion, r->a + at, 0), b = gather_twist(motion, r->b + at, 0);
    which hit = is_struck(a, b, soft->sweep);
    if (bits(hit) == 0) return 0;
    frame f = frame_of(r, at);
    sweep_normals(soft, r, NULL, at, &f, &a, &b, AGAIN, 0, points);
    int32_t to_a[LANES], to_b[LANES]; /* lanes at peace share a block with others by chance: they are not written */
    for (int k = 0; k < LANES; ++k) to_a[k] = r->a[at + k] | ~hit[k], to_b[k] = r->b[at + k] | ~hit[k];
    scatter_twist(motion, to_a, a);
    scatter_twist(motion, to_b, b);
    return lanes_struck(r, at);
}

/* What was struck, once more, with all that touches it: by now the blow has come to its neighbours, and they have an answer. */
static void again(const kin_rt_lines* lines, kin_rt_rows* r, kin_rt_extra* x, const uint8_t* flags, uint8_t* struck, int count, const kin_rt_soft* soft)
{
    (void)x;
    for (int i = 0; i < count; ++i) {
        uint32_t hit = struck[i];
        if (flags[i] & KIN_RT_SINGLE) {
            for (int at = 0; at < KIN_RT_LANES; at += LANES) hit |= again_part(lines, &r[i], soft, 1, at);
        } else {
            for (int at = 0; at < KIN_RT_LANES; at += LANES) hit |= again_part(lines, &r[i], soft, 4, at);
        }
        struck[i] = hit != 0;
    }
}

/* Separations where the bodies have moved to in this interval: their ways. */
INLINE void separations_now(kin_rt_rows* r, int at, const frame* f, twist way_a, twist way_b, int points)
{
    lane moved[4];
    rates_of(f, r, at, way_a, way_b, moved, points);
    for (int k = 0; k < points; ++k) store(r->gap[k] + at, load(r->start[k] + at) + moved[k]);
}

/* How far the patch has turned with both bodies in this interval, up to the middle of the substep: along each axis of the frame what the two have in common. So
 * what lies on a turning body is carried along, and what rolls is not: its patch stays where it is. */
INLINE lane in_common(lane a, lane b) { return pick(a * b > all(0), pick(a * a < b * b, a, b), all(0)); }
INLINE lane3 turn_in_common(const frame* f, twist way_a, twist way_b, twist a, twist b, lane half)
{
    const lane3 of_a = sub3(way_a.about, scale3(a.about, half)), of_b = sub3(way_b.about, scale3(b.about, half));
    const lane n = in_common(dot3(f->n, of_a), dot3(f->n, of_b)), t1 = in_common(dot3(f->t1, of_a), dot3(f->t1, of_b));
    return add3(scale3(f->n, n), add3(scale3(f->t1, t1), scale3(f->t2, in_common(dot3(f->t2, of_a), dot3(f->t2, of_b)))));
}

/* Turns arms of friction that far. Velocities are those of the middles of substeps (leapfrog): so what is carried round is led along its circle to the second order of
 * the substep; along arms as they were when the interval began it would leave the circle by (w h)^2 / 2 of its radius in each. Cayley's turn: of any size. */
INLINE void turn_arms(frame* f, lane3 turn, which carried)
{
    const lane3 u = scale3(turn, all(0.5f));
    const lane share = pick(carried, all(2) / (all(1) + dot3(u, u)), all(0));
    const lane3 once_a = cross3(u, f->arm_a), once_b = cross3(u, f->arm_b);
    f->arm_a = add3(f->arm_a, scale3(add3(once_a, cross3(u, once_a)), share));
    f->arm_b = add3(f->arm_b, scale3(add3(once_b, cross3(u, once_b)), share));
}

/* About the normal: the points' own levers, and spinning friction. From the impulse before to that now. */
INLINE lane twist_row(const kin_rt_rows* r, int at, const frame* f, twist* a, twist* b, sweep_sums sums, lane before)
{
    lane rate = dot3(f->n, sub3(b->about, a->about));
    lane most = load(r->slip + at) * sums.lever + load(r->spin + at) * sums.total;
    lane now = more(less(before - load(r->twist_mass + at) * rate, most), all(0) - most);
    lane3 torque = scale3(f->n, now - before);
    a->about = sub3(a->about, sym3_from(r->inertia_a, at, torque));
    b->about = add3(b->about, sym3_from(r->inertia_b, at, torque));
    return now;
}

typedef struct lane2 {
    lane x, y;
} lane2;
typedef struct sym2 {
    lane xx, xy, yy;
} sym2;
INLINE lane2 apply2(sym2 k, lane2 p) { return (lane2){k.xx * p.x + k.xy * p.y, k.xy * p.x + k.yy * p.y}; }
INLINE lane2 scale2(lane2 p, lane s) { return (lane2){p.x * s, p.y * s}; }
INLINE lane dot2(lane2 p, lane2 q) { return p.x * q.x + p.y * q.y; }
INLINE lane2 pick2(which m, lane2 p, lane2 q) { return (lane2){pick(m, p.x, q.x), pick(m, p.y, q.y)}; }

/* Impulse of length `radius` that leaves a slip against itself, where p0 would end all slip and is longer: the point of the disc that dissipates most. With
 * k the slip's response, of any scale, and s >= 0 the slip that is left per impulse
 *
 *     (k + s) p = k p0,   |p| = radius
 *
 * by Newton's method on 1/|p| as a function of s, which is concave: from below it only rises. Three steps leave an angle of 2e-4 where the two
 * stiffnesses differ by a factor of ten; p0 cut down to the circle leaves 0.8. Stiffness and radius are 1 within, so that nothing overflows. Lanes that are
 * not asked about may come to anything. */
INLINE lane2 against_slip(sym2 k, lane2 kp0, lane radius, which asked)
{
    enum { STEPS = 3 };
    const lane near = all(1 + 1e-5f);
    const lane half = all(0.5f) * (k.xx - k.yy), unit = inverse(all(0.5f) * (k.xx + k.yy) + root(half * half + k.xy * k.xy));
    k = (sym2){k.xx * unit, k.xy * unit, k.yy * unit}, kp0 = scale2(kp0, unit);
    const lane size = root(dot2(kp0, kp0));
    const lane share = inverse(more(radius, all(1e-6f) * size));
    const lane2 g = scale2(kp0, share);
    lane s = more(size * share - all(1), all(1e-9f)); /* 0 would leave no answer along what does not respond */
    for (int i = 0;; ++i) {
        const sym2 turned = {k.yy + s, all(0) - k.xy, k.xx + s}; /* inverse of k + s, times its determinant */
        const lane d = all(1) / more(turned.xx * turned.yy - k.xy * k.xy, all(1e-12f));
        const lane2 p = scale2(apply2(turned, g), d);
        const lane square = dot2(p, p), length = root(square);
        const which far = asked & (length > near);
        if (i == STEPS || bits(far) == 0) return scale2(p, less(all(1) / length, all(1)) * radius);
        s += pick(far, (length - all(1)) * square / (dot2(p, apply2(turned, p)) * d), all(0)); /* converged lanes stay: bits do not depend on the width */
    }
}

/* Within a disc: beyond what holds, what slips. */
INLINE lane2 in_disc(sym2 k, lane2 p, lane hold, lane slip)
{
    const which out = dot2(p, p) > hold * hold;
    return bits(out) != 0 ? pick2(out, against_slip(k, apply2(k, p), slip, out), p) : p;
}

/* Within an ellipse, with coefficients of their own along both axes: a disc where impulses are measured by them. */
INLINE lane2 in_ellipse(sym2 k, lane2 p, lane2 stick, lane2 slip, lane total)
{
    const lane2 held = {p.x * stick.y, p.y * stick.x};
    const lane most = stick.x * stick.y * total;
    const which out = dot2(held, held) > most * most;
    if (bits(out) == 0) return p;
    const lane2 g = apply2(k, p);
    const sym2 measured = {slip.x * k.xx * slip.x, slip.x * k.xy * slip.y, slip.y * k.yy * slip.y};
    const lane2 to = against_slip(measured, (lane2){slip.x * g.x, slip.y * g.y}, total, out);
    return pick2(out, (lane2){slip.x * to.x, slip.y * to.y}, p);
}

/* Along the surface at c: a 2x2 block. */
INLINE lane2 slip_of(const kin_rt_extra* x, int at, const frame* f, twist a, twist b, unsigned flags)
{
    const lane3 v = sub3(add3(b.along, cross3(b.about, f->arm_b)), add3(a.along, cross3(a.about, f->arm_a)));
    lane2 slip = {dot3(v, f->t1), dot3(v, f->t2)};
    if (flags & KIN_RT_CARRIES) slip.x -= load(x->carry[0] + at), slip.y -= load(x->carry[1] + at);
    return slip;
}

/* The impulse of friction that would end a slip, from `before`. */
INLINE lane2 sticking(const kin_rt_rows* r, int at, lane2 v, lane2 before)
{
    const lane m0 = load(r->along_mass[0] + at), m1 = load(r->along_mass[1] + at), m2 = load(r->along_mass[2] + at);
    return (lane2){before.x - (m0 * v.x + m1 * v.y), before.y - (m1 * v.x + m2 * v.y)};
}

/* The impulse that friction comes to where it would take `p` to hold. */
INLINE lane2 friction_at(const kin_rt_rows* r, const kin_rt_extra* x, int at, lane2 p, lane total, unsigned flags)
{
    const lane m0 = load(r->along_mass[0] + at), m1 = load(r->along_mass[1] + at), m2 = load(r->along_mass[2] + at);
    const lane stick = load(r->stick + at), slip = load(r->slip + at);
    const sym2 response = {m2, all(0) - m1, m0}; /* of the slip, times the determinant of its inverse */
    if ((flags & KIN_RT_ASKEW) == 0) return in_disc(response, p, stick * total, slip * total);
    const lane d = load(x->askew[0] + at), e = load(x->askew[1] + at);
    return in_ellipse(response, p, (lane2){stick - d, stick + d}, (lane2){slip - e, slip + e}, total);
}

INLINE void push_aside(const kin_rt_rows* r, int at, const frame* f, twist* a, twist* b, lane2 p)
{
    const lane3 force = add3(scale3(f->t1, p.x), scale3(f->t2, p.y));
    push(r, at, a, b, force, cross3(f->arm_a, force), cross3(f->arm_b, force));
}

INLINE void friction_block(kin_rt_rows* r, const kin_rt_extra* x, int at, const frame* f, twist* a, twist* b, lane total, unsigned flags, which carried,
                           lane creep)
{
    const lane2 before = {load(r->along[0] + at), load(r->along[1] + at)}, slip = slip_of(x, at, f, *a, *b, flags);
    lane2 back = slip;
    if (bits(carried) != 0) back = pick2(carried, (lane2){slip.x + load(r->stray[0] + at) * creep, slip.y + load(r->stray[1] + at) * creep}, slip);
    const lane2 holds = sticking(r, at, back, before), p = friction_at(r, x, at, holds, total, flags);
    const which held = carried & (p.x == holds.x) & (p.y == holds.y);
    store(r->slid + at, pick(held, flags & KIN_RT_CARRIES ? all(1) : load(r->slid + at), all(1)));
    store(r->along[0] + at, p.x), store(r->along[1] + at, p.y);
    push_aside(r, at, f, a, b, (lane2){p.x - before.x, p.y - before.y});
}

/* About the tangents: rolling friction, a torque of at most its length times the force. */
INLINE lane2 roll_rows(const kin_rt_rows* r, const kin_rt_extra* x, int at, const frame* f, twist* a, twist* b, lane total, lane2 before)
{
    lane both[6];
    for (int k = 0; k < 6; ++k) both[k] = load(r->inertia_a[k] + at) + load(r->inertia_b[k] + at);
    lane3 s1 = sym3(both, f->t1), s2 = sym3(both, f->t2), about = sub3(b->about, a->about);
    const sym2 k = {dot3(f->t1, s1), dot3(f->t1, s2), dot3(f->t2, s2)};
    lane d = inverse(k.xx * k.yy - k.xy * k.xy);
    lane w1 = dot3(f->t1, about), w2 = dot3(f->t2, about), most = load(x->roll + at) * total;
    const lane2 p = in_disc(k, (lane2){before.x - (k.yy * w1 - k.xy * w2) * d, before.y - (k.xx * w2 - k.xy * w1) * d}, most, most);
    lane3 torque = add3(scale3(f->t1, p.x - before.x), scale3(f->t2, p.y - before.y));
    a->about = sub3(a->about, sym3_from(r->inertia_a, at, torque));
    b->about = add3(b->about, sym3_from(r->inertia_b, at, torque));
    return p;
}

INLINE uint32_t relax_part(const kin_rt_lines* lines, kin_rt_rows* r, kin_rt_extra* x, const kin_rt_soft* soft, unsigned flags, int points, int at)
{
    float* motion = (float*)lines->motion;
    twist a = gather_twist(motion, r->a + at, 0), b = gather_twist(motion, r->b + at, 0);
    const twist way_a = gather_twist(motion, r->a + at, 8), way_b = gather_twist(motion, r->b + at, 8);
    frame f = frame_of(r, at);
    separations_now(r, at, &f, way_a, way_b, points);
    const lane3 turn = turn_in_common(&f, way_a, way_b, a, b, all(0.5f / soft->inv_h));
    sweep_sums sums = sweep_normals(soft, r, x, at, &f, &a, &b, RELAX, (flags & KIN_RT_BOUNCES) != 0, points);
    store(r->pressed + at, load(r->pressed + at) + sums.total);
    store(r->twist + at, twist_row(r, at, &f, &a, &b, sums, load(r->twist + at)));
    if (flags & KIN_RT_ROLLS) {
        const lane2 rolled = roll_rows(r, x, at, &f, &a, &b, sums.total, (lane2){load(x->rolled[0] + at), load(x->rolled[1] + at)});
        store(x->rolled[0] + at, rolled.x), store(x->rolled[1] + at, rolled.y);
    }
    const which carried = dot3(turn, turn) > all(KIN_RT_LED * KIN_RT_LED);
    if (bits(carried) != 0) turn_arms(&f, turn, carried);
    friction_block(r, x, at, &f, &a, &b, sums.total, flags, carried, all(soft->creep));
    scatter_twist(motion, r->a + at, a);
    scatter_twist(motion, r->b + at, b);
    return lanes_struck(r, at);
}

static void relax(const kin_rt_lines* lines, kin_rt_rows* r, kin_rt_extra* x, const uint8_t* flags, uint8_t* struck, int count, const kin_rt_soft* soft)
{
    for (int i = 0; i < count; ++i) {
        uint32_t hit = 0;
        if (flags[i] & KIN_RT_EXTRA) {
            for (int at = 0; at < KIN_RT_LANES; at += LANES) hit |= relax_part(lines, &r[i], &x[i], soft, flags[i], 4, at);
        } else if (flags[i] & KIN_RT_SINGLE) {
            for (int at = 0; at < KIN_RT_LANES; at += LANES) hit |= relax_part(lines, &r[i], x, soft, 0, 1, at);
        } else {
            for (int at = 0; at < KIN_RT_LANES; at += LANES) hit |= relax_part(lines, &r[i], x, soft, 0, 4, at);
        }
        struck[i] = hit != 0;
    }
}

INLINE void calm_part(const kin_rt_lines* lines, kin_rt_rows* r, kin_rt_extra* x, const kin_rt_soft* soft, unsigned flags, int at)
{
    float* motion = (float*)lines->motion;
    twist a = gather_twist(motion, r->a + at, 0), b = gather_twist(motion, r->b + at, 0);
    which hit = is_struck(a, b, PUSHED);
    if (bits(hit) == 0) return;
    lane before = all(0), twist0 = load(r->twist + at), along0 = load(r->along[0] + at), along1 = load(r->along[1] + at), slid0 = load(r->slid + at);
    for (int k = 0; k < 4; ++k) before += load(r->normal[k] + at);
    frame f = frame_of(r, at);
    sweep_sums sums = sweep_normals(soft, r, x, at, &f, &a, &b, CALM, (flags & KIN_RT_BOUNCES) != 0, 4);
    store(r->pressed + at, pick(hit, load(r->pressed + at) + (sums.total - before), load(r->pressed + at)));
    store(r->twist + at, twist_row(r, at, &f, &a, &b, sums, twist0));
    friction_block(r, x, at, &f, &a, &b, sums.total, flags, all(1) < all(0), all(0));
    store(r->twist + at, pick(hit, load(r->twist + at), twist0));
    store(r->along[0] + at, pick(hit, load(r->along[0] + at), along0));
    store(r->along[1] + at, pick(hit, load(r->along[1] + at), along1));
    store(r->slid + at, pick(hit, load(r->slid + at), slid0));
    int32_t to_a[LANES], to_b[LANES];
    for (int k = 0; k < LANES; ++k) to_a[k] = r->a[at + k] | ~hit[k], to_b[k] = r->b[at + k] | ~hit[k];
    scatter_twist(motion, to_a, a);
    scatter_twist(motion, to_b, b);
}

/* What deep overlaps pushed, once more: one sweep takes back the speed of two bodies that part, but not of a clump. */
static void calm(const kin_rt_lines* lines, kin_rt_rows* r, kin_rt_extra* x, const uint8_t* flags, uint8_t* struck, int count, const kin_rt_soft* soft)
{
    (void)struck;
    for (int i = 0; i < count; ++i) {
        for (int at = 0; at < KIN_RT_LANES; at += LANES) calm_part(lines, &r[i], flags[i] & KIN_RT_EXTRA ? &x[i] : x, soft, flags[i], at);
    }
}

/* ---- impacts ----
 *
 * Points that come fast and arrive in this substep, of a contact that bounces: before anything moves. The impulses p that would stop them (Gauss-Seidel on W)
 * are but a direction; with y the rates before and u what p makes of them, kinetic energy along it is least at the share b = -p.y / p.u, and (1 + e) b p takes
 * (1 - e^2) of what there is between that and the start: never less than nothing, whatever p is (Poisson's law; exact when p is). Friction then takes what it
 * can, at most to where it would stop the slip. Contacts follow each other, colour by colour, until none comes: rows of balls pass an impact on.
 *
 * Arms are as of now: both bodies are pushed at one point, so that their angular momentum stays. */

/* Inertia as of now: bodies whose moments differ may have turned since the rows were made. */
INLINE void inertia_now(const kin_rt_lines* lines, kin_rt_rows* r, int at)
{
    lane a[8], b[8];
    gather8((const float*)lines->frame, r->a + at, 8, a), gather8((const float*)lines->frame, r->b + at, 8, b);
    for (int k = 0; k < 6; ++k) store(r->inertia_a[k] + at, a[1 + k]), store(r->inertia_b[k] + at, b[1 + k]);
}

/* Arms to one point between those that they lead to. */
INLINE void meet_halfway(const kin_rt_lines* lines, const kin_rt_rows* r, int at, frame* f)
{
    const float* motion = (const float*)lines->motion;
    const lane3 moved = sub3(gather_twist(motion, r->b + at, 8).along, gather_twist(motion, r->a + at, 8).along);
    const lane3 off = scale3(sub3(add3(add3(between(lines, r, at), moved), f->arm_b), f->arm_a), all(0.5f));
    f->arm_a = add3(f->arm_a, off), f->arm_b = sub3(f->arm_b, off);
    f->j_a = cross3(f->arm_a, f->n), f->j_b = cross3(f->arm_b, f->n);
}

INLINE void press(const kin_rt_rows* r, int at, const frame* f, twist* a, twist* b, const lane* p)
{
    lane sum = all(0), m1 = all(0), m2 = all(0);
    for (int k = 0; k < 4; ++k) sum += p[k], m1 += load(r->at_b[k] + at) * p[k], m2 -= load(r->at_a[k] + at) * p[k];
    const lane3 torque = add3(scale3(f->t1, m1), scale3(f->t2, m2));
    push(r, at, a, b, scale3(f->n, sum), add3(torque, scale3(f->j_a, sum)), add3(torque, scale3(f->j_b, sum)));
}

/* Impulses that stop the points asked for: all at once as far as all come, or a flat patch would be turned over; then one after the other. */
INLINE void stopping(const kin_rt_rows* r, int at, const lane* y, const which* asked, lane* p)
{
    enum { SWEEPS = 8 };
    static const int cross[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};
    lane z[4], count = all(0), slowest = all(NOWHERE);
    for (int k = 0; k < 4; ++k) count += pick(asked[k], all(1), all(0)), slowest = more(slowest, pick(asked[k], y[k], all(NOWHERE)));
    for (int k = 0; k < 4; ++k) p[k] = pick(asked[k], (all(0) - slowest) * load(r->middle_mass + at) / count, all(0));
    for (int l = 0; l < 4; ++l) {
        z[l] = y[l];
        for (int k = 0; k < 4; ++k) z[l] += l == k ? inverse(load(r->mass[k] + at)) * p[k] : load(r->cross[cross[k][l]] + at) * p[k];
    }
    for (int i = 0; i < SWEEPS; ++i) {
        for (int k = 0; k < 4; ++k) {
            const lane mass = load(r->mass[k] + at), now = pick(asked[k], more(p[k] - mass * z[k], all(0)), all(0)), d = now - p[k];
            p[k] = now;
            for (int l = 0; l < 4; ++l) z[l] += l == k ? inverse(mass) * d : load(r->cross[cross[k][l]] + at) * d;
        }
    }
}

/* e as it counts at the start of a substep: the speed of the meeting is that which forces bring it to on the rest of its way, velocities of substeps are those
 * of their middles. y, kick: the rate, and what forces added to it; by the work that they do on the way (kick / h along gap). */
INLINE lane rebound(lane e, lane y, lane kick, lane gap, float inv_h)
{
    const lane c = pick((kick < all(0) - y) & (kick > y), kick, all(0)), then = y - all(0.5f) * c, square = then * then;
    const lane after = e * e * square + all(2 * inv_h) * c * more(gap, all(0)) * (all(1) - e * e);
    return more(root(more(less(after, more(e * e, all(1)) * square), all(0))) + all(0.5f) * c, all(0)) / (all(0) - y);
}

/* Of both bodies' gains by their lines; what is not to be written, as there. */
INLINE void gains_of(const int32_t* index, which hit, int32_t* to)
{
    for (int k = 0; k < LANES; ++k) {
        const int32_t l = index[k] ^ (index[k] >> 31), number = l > 0 ? l - 1 : 0;
        to[k] = index[k] > 0 && hit[k] ? number : ~number;
    }
}

INLINE twist changed_by(twist base, twist before, twist after)
{
    return (twist){add3(base.along, sub3(after.along, before.along)), add3(base.about, sub3(after.about, before.about)), base.struck};
}

INLINE void add_to(float* sum, which hit, lane p) { store(sum, load(sum) + pick(hit, p, all(0))); }

/* Rows hold none of it. */
INLINE void note_impact(kin_rt_rows* r, int at, const lane* p, lane2 aside, lane twisted, lane2 rolled, which hit)
{
    for (int k = 0; k < 4; ++k) add_to(r->sum_normal[k] + at, hit, p[k]);
    add_to(r->sum_along[0] + at, hit, aside.x), add_to(r->sum_along[1] + at, hit, aside.y);
    add_to(r->sum_twist + at, hit, twisted);
    add_to(r->sum_rolled[0] + at, hit, rolled.x), add_to(r->sum_rolled[1] + at, hit, rolled.y);
}

INLINE uint32_t impact_part(const kin_rt_lines* lines, kin_rt_gain* gain, kin_rt_rows* from, const kin_rt_extra* x, unsigned flags, const kin_rt_soft* soft,
                            int at)
{
    float* motion = (float*)lines->motion;
    const twist a0 = gather_twist(motion, from->a + at, 0), b0 = gather_twist(motion, from->b + at, 0);
    frame f = frame_of(from, at);
    lane y[4], p[4], h = all(1 / soft->inv_h);
    which hit = load(x->bounce + at) < all(0), asked[4];
    rates_of(&f, from, at, a0, b0, y, 4);
    for (int k = 0; k < 4; ++k) {
        asked[k] = (load(from->mass[k] + at) > all(0)) & (y[k] < all(0)) & (load(from->gap[k] + at) + h * y[k] < all(0));
        hit |= asked[k] & will_bounce(soft, x, at, y[k]);
    }
    if (bits(hit) == 0) return 0;
    kin_rt_rows now = *from, *r = &now;
    inertia_now(lines, r, at);
    int32_t to_a[LANES], to_b[LANES], gain_a[LANES], gain_b[LANES];
    for (int k = 0; k < LANES; ++k) to_a[k] = r->a[at + k] | ~hit[k], to_b[k] = r->b[at + k] | ~hit[k];
    gains_of(r->a + at, hit, gain_a), gains_of(r->b + at, hit, gain_b);
    meet_halfway(lines, r, at, &f);
    lane kick[4], rate[4], sum = all(0), come = all(0), away = all(0), way = all(0), forced = all(0), lever = all(0);
    rates_of(&f, r, at, a0, b0, y, 4);
    rates_of(&f, r, at, gather_twist((const float*)gain, gain_a, 8), gather_twist((const float*)gain, gain_b, 8), kick, 4);
    stopping(r, at, y, asked, p);
    twist a = a0, b = b0;
    press(r, at, &f, &a, &b, p);
    rates_of(&f, r, at, a, b, rate, 4);
    for (int k = 0; k < 4; ++k) {
        sum += p[k], come += p[k] * y[k], away += p[k] * (rate[k] - y[k]);
        way += p[k] * more(load(r->gap[k] + at), all(0)), forced += p[k] * kick[k], lever += p[k] * lever_of(r, at, k);
    }
    hit &= (sum > all(0)) & (come < all(0)) & (away > all(0));
    const lane mean = inverse(sum), e = rebound(load(x->bounce + at), come * mean, forced * mean, way * mean, soft->inv_h);
    const lane share = pick(hit, (all(1) + e) * (all(0) - come) / away, all(0));
    for (int k = 0; k < 4; ++k) p[k] = pick(hit, p[k] * share, all(0));
    a = a0, b = b0;
    press(r, at, &f, &a, &b, p);
    a.struck = pick(hit, more(a.struck, all(1)), a.struck), b.struck = pick(hit, more(b.struck, all(1)), b.struck);
    const sweep_sums sums = {pick(hit, sum * share, all(0)), pick(hit, lever * share, all(0))};
    const lane2 none = {all(0), all(0)}, slip = slip_of(x, at, &f, a, b, flags), aside = friction_at(r, x, at, sticking(r, at, slip, none), sums.total, flags);
    twist a1 = a, b1 = b;
    push_aside(r, at, &f, &a1, &b1, aside);
    const lane2 left = slip_of(x, at, &f, a1, b1, flags);
    const lane gone = dot2(aside, (lane2){left.x - slip.x, left.y - slip.y});
    const lane2 rubbed = scale2(aside, pick(gone > all(0), less((all(0) - dot2(aside, slip)) * inverse(gone), all(1)), all(0)));
    push_aside(r, at, &f, &a, &b, rubbed);
    const lane twisted = twist_row(r, at, &f, &a, &b, sums, all(0));
    const lane2 rolled = flags & KIN_RT_ROLLS ? roll_rows(r, x, at, &f, &a, &b, sums.total, none) : none;
    note_impact(from, at, p, rubbed, twisted, rolled, hit);
    store(from->pressed + at, load(from->pressed + at) + sums.total);
    scatter_twist(motion, to_a, a), scatter_twist(motion, to_b, b);
    scatter_twist((float*)gain, gain_a, changed_by(gather_twist((const float*)gain, gain_a, 0), a0, a));
    scatter_twist((float*)gain, gain_b, changed_by(gather_twist((const float*)gain, gain_b, 0), b0, b));
    return bits(hit);
}

static void impact(const kin_rt_lines* lines, kin_rt_gain* gain, kin_rt_rows* r, const kin_rt_extra* x, const uint8_t* flags, uint8_t* struck, int count,
                   const kin_rt_soft* soft)
{
    for (int i = 0; i < count; ++i) {
        uint32_t hit = 0;
        for (int at = 0; (flags[i] & KIN_RT_BOUNCES) != 0 && at < KIN_RT_LANES; at += LANES) hit |= impact_part(lines, gain, &r[i], &x[i], flags[i], soft, at);
        struck[i] = hit != 0;
    }
}

static uint32_t changed(const kin_rt_geometry* g, const kin_rt_rows* r)
{
    uint32_t out = 0;
    for (int at = 0; at < KIN_RT_LANES; at += LANES) out |= bits((load(r->pressed + at) > all(0)) ^ (load(g->told + at) > all(0))) << at;
    return out;
}

const kin_rt_kernels KIN_KERNEL(kin_rt_kernels) = {kick, drift, prepare, warm, solve, again, relax, calm, impact, changed};
