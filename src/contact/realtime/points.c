/* points.c - joints of a common point in lanes: set up, warm start, soft solve, relax. Method and names: points.h; soft constraints: solver.c.
 *
 * Arms turn with their bodies from substep to substep. The warm start of a substep is what joints gave in the last one, along the arms as they are now: then no
 * impulse turns a jointed set about its anchors, and a swing of rate w keeps its energy (semi-implicit Euler). Along the arms as they were it would gain, along
 * the mean of both lose, w^2 h / 2 a second: Q = 150 for a metre at 240 substeps a second. The warm start is the velocity over its base (kick of kernels.c). */
#include "contact/realtime/points.h"
#include "contact/realtime/lanes.h"

#define LEAST_PIVOT 1e-5f /* of the diagonal: less is rounding */

INLINE lane inverse(lane x)
{
    which there = x > all(0);
    return pick(there, all(1) / pick(there, x, all(1)), all(0));
}
INLINE lane size(lane x) { return more(x, all(0) - x); }
INLINE lane within(lane x, lane most) { return more(less(x, most), all(0) - most); }

/* ---- what the point responds ---- */

/* Adds -[r] I [r]: the columns of [r] are r x e. */
INLINE void add_lever(const kin_rt_lane* inertia, int at, lane3 r, lane* k)
{
    lane s[6];
    for (int i = 0; i < 6; ++i) s[i] = load(inertia[i] + at);
    const lane zero = all(0);
    lane3 x = {zero, r.z, zero - r.y}, y = {zero - r.z, zero, r.x}, z = {r.y, zero - r.x, zero};
    lane3 ix = sym3(s, x), iy = sym3(s, y), iz = sym3(s, z);
    k[0] += dot3(x, ix), k[1] += dot3(x, iy), k[2] += dot3(x, iz);
    k[3] += dot3(y, iy), k[4] += dot3(y, iz), k[5] += dot3(z, iz);
}

INLINE void factor_point(kin_rt_points* p, int at)
{
    lane m = load(p->mass_a + at) + load(p->mass_b + at), k[6] = {m, all(0), all(0), m, all(0), m};
    add_lever(p->inertia_a, at, load3(p->arm_a, at), k);
    add_lever(p->inertia_b, at, load3(p->arm_b, at), k);
    lane d0 = inverse(k[0]), l10 = k[1] * d0, l20 = k[2] * d0;
    lane d1 = inverse(more(k[3] - l10 * k[1], all(LEAST_PIVOT) * k[3])), rest = k[4] - l10 * k[2], l21 = rest * d1;
    lane d2 = inverse(more(k[5] - l20 * k[2] - l21 * rest, all(LEAST_PIVOT) * k[5]));
    store3(p->lower, at, (lane3){l10, l20, l21});
    store3(p->pivot, at, (lane3){d0, d1, d2});
    store(p->mass + at, all(3) * inverse(k[0] + k[3] + k[5]));
}

INLINE lane3 solve_point(const kin_rt_points* p, int at, lane3 v)
{
    lane3 l = load3(p->lower, at), d = load3(p->pivot, at), x;
    lane y = v.y - l.x * v.x, z = v.z - l.y * v.x - l.z * y;
    x.z = d.z * z;
    x.y = d.y * y - l.z * x.z;
    x.x = d.x * v.x - l.x * x.y - l.y * x.z;
    return x;
}

INLINE void prepare_part(const kin_rt_lines* lines, kin_rt_points* p, kin_rt_turns* t, int at)
{
    lane a[8], b[8], both[6];
    gather8((const float*)lines->frame, p->a + at, 8, a), gather8((const float*)lines->frame, p->b + at, 8, b);
    for (int k = 0; k < 6; ++k) store(p->inertia_a[k] + at, a[1 + k]), store(p->inertia_b[k] + at, b[1 + k]), both[k] = a[1 + k] + b[1 + k];
    store(p->mass_a + at, a[7]), store(p->mass_b + at, b[7]);
    factor_point(p, at);
    for (uint32_t i = p->first; i < p->first + p->count; ++i) {
        lane3 axis = load3(t[i].axis, at);
        p->springs += bits(load(t[i].give + at) > all(0)) != 0;
        store(t[i].mass + at, inverse(dot3(axis, sym3(both, axis)) + load(t[i].give + at)));
    }
}

static void prepare(const kin_rt_lines* lines, kin_rt_points* p, kin_rt_turns* t)
{
    p->springs = 0;
    for (int at = 0; at < KIN_RT_LANES; at += LANES) prepare_part(lines, p, t, at);
}

/* ---- impulses ---- */

INLINE void push_turn(const kin_rt_points* p, int at, twist* a, twist* b, lane3 torque)
{
    a->about = sub3(a->about, sym3_from(p->inertia_a, at, torque));
    b->about = add3(b->about, sym3_from(p->inertia_b, at, torque));
}

INLINE void push_point(const kin_rt_points* p, int at, twist* a, twist* b, lane3 d)
{
    a->along = sub3(a->along, scale3(d, load(p->mass_a + at)));
    b->along = add3(b->along, scale3(d, load(p->mass_b + at)));
    a->about = sub3(a->about, sym3_from(p->inertia_a, at, cross3(load3(p->arm_a, at), d)));
    b->about = add3(b->about, sym3_from(p->inertia_b, at, cross3(load3(p->arm_b, at), d)));
}

INLINE void warm_part(const kin_rt_lines* lines, const kin_rt_points* p, const kin_rt_turns* t, int at)
{
    float* motion = (float*)lines->motion;
    twist a = gather_twist(motion, p->a + at, 0), b = gather_twist(motion, p->b + at, 0);
    for (uint32_t i = p->first; i < p->first + p->count; ++i) push_turn(p, at, &a, &b, scale3(load3(t[i].axis, at), load(t[i].impulse + at)));
    push_point(p, at, &a, &b, load3(p->impulse, at));
    scatter_twist(motion, p->a + at, a);
    scatter_twist(motion, p->b + at, b);
}

/* ---- one pass ---- */

typedef struct work {
    const kin_rt_soft* soft;
    kin_rt_joint_pass pass;
    which who;            /* lanes that are solved */
    twist a, b;           /* as they move */
    twist base_a, base_b; /* and what that is measured from by the next warm start; of the relaxed pass alone */
    lane struck;
} work;

/* Hold rows and stops that are reached are soft, stops ahead let through what keeps them, springs have their own softness. Less impulse by so much. */
INLINE lane turn_change(const work* w, const kin_rt_turns* t, int at, lane rate)
{
    const kin_rt_soft* soft = w->soft;
    lane mass = load(t->mass + at), error = load(t->error + at), impulse = load(t->impulse + at);
    lane plain = mass * (rate + load(t->rate + at) * error + load(t->give + at) * impulse);
    which ahead = (load(t->limit + at) > all(0)) & (error > all(0));
    plain = pick(ahead, mass * (rate + error * all(soft->inv_h)), plain);
    if (w->pass == KIN_RT_JOINT_RELAX) return pick(load(t->give + at) > all(0), all(0), plain); /* springs: by where they stood before the drift */
    lane bias = within(all(soft->rate) * error, all(soft->push));
    lane softly = mass * all(soft->mass_scale) * (rate + bias) + all(soft->impulse_scale) * impulse;
    return pick((load(t->hold + at) > all(0)) & ~ahead, softly, plain);
}

INLINE void solve_turn(work* w, const kin_rt_points* p, kin_rt_turns* t, int at)
{
    lane3 axis = load3(t->axis, at);
    lane rate = dot3(axis, sub3(w->b.about, w->a.about)) - load(t->target + at), before = load(t->impulse + at), most = load(t->most + at);
    lane now = before - turn_change(w, t, at, rate);
    now = less(more(now, pick(load(t->limit + at) > all(0), all(0), all(0) - most)), most);
    now = pick(w->who, now, before);
    lane d = now - before, blow = all(w->soft->strike) * load(t->mass + at);
    if (w->pass == KIN_RT_JOINT_SOFT) store(t->carried + at, before);
    w->struck = pick((size(d) > blow) & (load(t->hold + at) > all(0)), all(1), w->struck);
    push_turn(p, at, &w->a, &w->b, scale3(axis, d));
    store(t->impulse + at, now);
    if (w->pass != KIN_RT_JOINT_RELAX) return;
    store(t->sum + at, load(t->sum + at) + now);
    /* as contacts do (strike.c): what a blow asked beyond the growth of loads is no warm start; it stays in the velocities */
    lane excess = now - load(t->carried + at);
    excess = pick(load(t->hold + at) > all(0), excess - within(excess, blow), all(0));
    push_turn(p, at, &w->base_a, &w->base_b, scale3(axis, excess));
    store(t->impulse + at, now - excess);
}

INLINE void forget_blow(work* w, kin_rt_points* p, int at, lane3 now, lane blow)
{
    lane3 excess = sub3(now, load3(p->carried, at));
    lane square = dot3(excess, excess);
    which out = square > blow * blow;
    excess = scale3(excess, pick(out, all(1) - blow / pick(out, root(square), all(1)), all(0)));
    push_point(p, at, &w->base_a, &w->base_b, excess);
    store3(p->impulse, at, sub3(now, excess));
}

INLINE lane3 point_velocity(const kin_rt_points* p, int at, const twist* a, const twist* b)
{
    return sub3(add3(b->along, cross3(b->about, load3(p->arm_b, at))), add3(a->along, cross3(a->about, load3(p->arm_a, at))));
}

/* What the point has to bear for its springs, whose torque alone would move the anchors: K^-1 of that. A swing changes it in every substep; to give way to it
 * softly, as to other loads, takes energy (Q = 180 at 16 rad/s and an arm of 0.3 m). */
INLINE lane3 spring_load(const kin_rt_points* p, const kin_rt_turns* t, int at)
{
    lane3 torque = {all(0), all(0), all(0)};
    for (uint32_t i = p->first; i < p->first + p->count; ++i)
        torque = add3(torque, scale3(load3(t[i].axis, at), pick(load(t[i].give + at) > all(0), load(t[i].impulse + at), all(0))));
    const lane3 b = cross3(sym3_from(p->inertia_b, at, torque), load3(p->arm_b, at)), a = cross3(sym3_from(p->inertia_a, at, torque), load3(p->arm_a, at));
    return scale3(solve_point(p, at, add3(a, b)), all(-1));
}

INLINE void solve_gap(work* w, kin_rt_points* p, const kin_rt_turns* t, int at)
{
    const kin_rt_soft* soft = w->soft;
    lane3 v = point_velocity(p, at, &w->a, &w->b), before = load3(p->impulse, at), d;
    if (w->pass == KIN_RT_JOINT_RELAX) {
        d = scale3(solve_point(p, at, v), all(-1));
    } else {
        lane3 gap = scale3(load3(p->error, at), all(soft->rate));
        gap = (lane3){within(gap.x, all(soft->push)), within(gap.y, all(soft->push)), within(gap.z, all(soft->push))};
        d = scale3(p->springs > 0 ? sub3(before, spring_load(p, t, at)) : before, all(-soft->impulse_scale));
        d = add3(scale3(solve_point(p, at, add3(v, gap)), all(-soft->mass_scale)), d);
    }
    d = (lane3){pick(w->who, d.x, all(0)), pick(w->who, d.y, all(0)), pick(w->who, d.z, all(0))};
    lane3 now = add3(before, d);
    lane blow = all(soft->strike) * load(p->mass + at);
    if (w->pass == KIN_RT_JOINT_SOFT) store3(p->carried, at, before);
    w->struck = pick(dot3(d, d) > blow * blow, all(1), w->struck);
    push_point(p, at, &w->a, &w->b, d);
    store3(p->impulse, at, now);
    if (w->pass != KIN_RT_JOINT_RELAX) return;
    store3(p->sum, at, add3(load3(p->sum, at), now));
    forget_blow(w, p, at, now, blow);
}

/* ---- after bodies moved ---- */

/* By how much exp(turn) moves a vector: sin x / x and (1 - cos x) / x^2 by their series, to rounding up to half a radian and to 1e-5 at one. */
INLINE lane3 turned_by(lane3 turn, lane3 v)
{
    const lane x = dot3(turn, turn);
    const lane sine = all(1) - x * (all(1 / 6.f) - x * (all(1 / 120.f) - x * all(1 / 5040.f)));
    const lane cosine = all(0.5f) - x * (all(1 / 24.f) - x * all(1 / 720.f));
    const lane3 once = cross3(turn, v);
    return add3(scale3(once, sine), scale3(cross3(turn, once), cosine));
}

/* One end: its new arm, turned by what the body turned in the substep (turns do not add up where a spinning body is tilted), and what the impulse on it does along that in the next warm start. Returns the way of its anchor. */
INLINE lane3 follow_end(const kin_rt_lane* was, kin_rt_lane* arm, kin_rt_lane* turn, const kin_rt_lane* inertia, int at, twist way, lane3 impulse, twist* base)
{
    lane3 old = load3(arm, at), more = turned_by(sub3(way.about, load3(turn, at)), old), next = add3(old, more);
    base->about = sub3(base->about, sym3_from(inertia, at, cross3(more, impulse)));
    store3(arm, at, next), store3(turn, at, way.about);
    return add3(way.along, sub3(next, load3(was, at)));
}

INLINE void follow_turn(const kin_rt_lines* lines, work* w, kin_rt_points* p, kin_rt_turns* t, int at)
{
    twist way_a = gather_twist((const float*)lines->motion, p->a + at, 8), way_b = gather_twist((const float*)lines->motion, p->b + at, 8);
    lane3 impulse = load3(p->impulse, at);
    lane3 to_b = follow_end(p->was_b, p->arm_b, p->turn_b, p->inertia_b, at, way_b, impulse, &w->base_b);
    lane3 to_a = follow_end(p->was_a, p->arm_a, p->turn_a, p->inertia_a, at, way_a, scale3(impulse, all(-1)), &w->base_a);
    store3(p->error, at, add3(load3(p->start, at), sub3(to_b, to_a)));
    factor_point(p, at);
    lane3 turned = sub3(way_b.about, way_a.about);
    for (uint32_t i = p->first; i < p->first + p->count; ++i) store(t[i].error + at, load(t[i].start + at) + dot3(load3(t[i].axis, at), turned));
}

INLINE int solve_part(const kin_rt_lines* lines, kin_rt_gain* gain, kin_rt_points* p, kin_rt_turns* t, const kin_rt_soft* soft, kin_rt_joint_pass pass, int at)
{
    float* motion = (float*)lines->motion;
    work w = {.soft = soft, .pass = pass, .a = gather_twist(motion, p->a + at, 0), .b = gather_twist(motion, p->b + at, 0), .struck = all(0)};
    w.who = (w.a.struck >= all(soft->sweep)) | (w.b.struck >= all(soft->sweep)); /* all but of passes again */
    if (pass == KIN_RT_JOINT_AGAIN && bits(w.who) == 0) return 0;
    if (pass == KIN_RT_JOINT_RELAX) {
        w.base_a = gather_twist((const float*)gain, p->base_a + at, 0), w.base_b = gather_twist((const float*)gain, p->base_b + at, 0);
        follow_turn(lines, &w, p, t, at);
    }
    for (uint32_t i = p->first; i < p->first + p->count; ++i) solve_turn(&w, p, &t[i], at);
    solve_gap(&w, p, t, at);
    if (pass == KIN_RT_JOINT_RELAX) {
        scatter_twist((float*)gain, p->base_a + at, w.base_a);
        scatter_twist((float*)gain, p->base_b + at, w.base_b);
    } else {
        lane when = w.struck * all(soft->sweep + 1);
        w.a.struck = more(w.a.struck, when), w.b.struck = more(w.b.struck, when);
    }
    int32_t to_a[LANES], to_b[LANES]; /* lanes at peace share a block with others by chance: they are not written */
    for (int k = 0; k < LANES; ++k) to_a[k] = p->a[at + k] | ~w.who[k], to_b[k] = p->b[at + k] | ~w.who[k];
    scatter_twist(motion, to_a, w.a);
    scatter_twist(motion, to_b, w.b);
    return bits(w.struck > all(0)) != 0;
}

static int pass(const kin_rt_lines* lines, kin_rt_gain* gain, kin_rt_points* p, kin_rt_turns* t, int count, const kin_rt_soft* soft,
                kin_rt_joint_pass which_one)
{
    int struck = 0;
    for (int i = 0; i < count; ++i) {
        for (int at = 0; at < KIN_RT_LANES; at += LANES) {
            switch (which_one) {
            case KIN_RT_JOINT_WARM: warm_part(lines, &p[i], t, at); break;
            case KIN_RT_JOINT_SOFT: struck |= solve_part(lines, gain, &p[i], t, soft, KIN_RT_JOINT_SOFT, at); break;
            case KIN_RT_JOINT_AGAIN: struck |= solve_part(lines, gain, &p[i], t, soft, KIN_RT_JOINT_AGAIN, at); break;
            case KIN_RT_JOINT_RELAX: (void)solve_part(lines, gain, &p[i], t, soft, KIN_RT_JOINT_RELAX, at); break;
            }
        }
    }
    return struck;
}

const kin_rt_point_kernels KIN_KERNEL(kin_rt_point_kernels) = {prepare, pass};
