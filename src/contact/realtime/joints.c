/* joints.c - joints as coloured soft rows beside the contacts: their rows once an interval (joint/joint.h), the error in a substep C + J (dx, dr).
 *
 * Arms of what both bodies have in common turn with them from substep to substep: a pull along the arm as it was would be ahead of the body on its way, and
 * whatever swings would swing ever higher, by g h / 2 l a second. Colours are made anew from the list of joints whenever it changes, in order of creation; within one no free body occurs twice. What found none is solved
 * one after the other. Impulses are kept by the slot of their row for the next interval's warm start. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include <string.h>

enum { GRAIN = 16, COLOURS = 32 };
#define RATE 60.0      /* 1/s: stiffness of what holds; at most a fourth of the substep rate */
#define DAMPING 2.0    /* ratio */
#define LOOK_AHEAD 0.1 /* m, rad: stops nearer than this are rows */

/* ---- which joints there are ---- */

static bool reserve_joints(kin_realtime* rt, size_t count)
{
    const kin_allocator* a = &rt->allocator;
    return kin_reserve(a, (void**)&rt->joint, &rt->joint_capacity[0], count, sizeof *rt->joint)
           && kin_reserve(a, (void**)&rt->joint_order, &rt->joint_capacity[1], count, sizeof *rt->joint_order)
           && kin_reserve(a, (void**)&rt->joint_walk, &rt->joint_capacity[5], count, sizeof *rt->joint_walk)
           && kin_reserve(a, (void**)&rt->joint_of_body, &rt->joint_capacity[2], 2 * count, sizeof *rt->joint_of_body)
           && kin_rt_list_reserve(rt, &rt->unbarred, count + rt->unbarred.count); /* one may come, go and come again */
}

bool kin_rt_joint_added(kin_realtime* rt, uint32_t joint)
{
    if (!reserve_joints(rt, (size_t)joint + 1)) return false;
    rt->joint[joint] = (kin_rt_joint){.block = KIN_RT_NONE, .joined = KIN_RT_NONE};
    rt->joints_changed = true;
    const kin_joint* j = &rt->group->joints[joint];
    const uint32_t both[2] = {j->a, j->b};
    for (int i = 0; i < 2; ++i) {
        if (both[i] != KIN_NO_BODY) kin_rt_wake(rt, both[i]);
    }
    if (!j->def.collide && j->a != KIN_NO_BODY && j->b != KIN_NO_BODY && j->a != j->b) kin_rt_list_add(&rt->unbarred, joint);
    return true;
}

void kin_rt_joint_removed(kin_realtime* rt, uint32_t joint)
{
    const kin_joint* j = &rt->group->joints[joint];
    rt->joints_changed = true;
    const uint32_t both[2] = {j->a, j->b};
    for (int i = 0; i < 2; ++i) {
        if (both[i] != KIN_NO_BODY) kin_rt_wake(rt, both[i]);
    }
    if (j->a != KIN_NO_BODY && j->b != KIN_NO_BODY && rt->unbarred.count < rt->unbarred.capacity) kin_rt_list_add(&rt->unbarred, joint);
}

void kin_rt_joints_follow(kin_realtime* rt, uint32_t body)
{
    if (rt->body[body].motion == rt->group->bodies.motion[body] || body >= rt->joint_bodies) return;
    for (uint32_t k = rt->joint_first[body]; k < rt->joint_first[body + 1]; ++k) {
        const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
        uint32_t other = j->a == body ? j->b : j->a;
        if (!j->broken && other != KIN_NO_BODY) kin_rt_wake(rt, other);
        rt->joints_changed = true;
    }
}

/* Joints of every body, one list after the other. */
static bool list_by_body(kin_realtime* rt)
{
    const kin_group* g = rt->group;
    size_t bodies = (size_t)g->bodies.count + 1;
    if (!kin_reserve(&rt->allocator, (void**)&rt->joint_first, &rt->joint_capacity[3], bodies + 1, sizeof *rt->joint_first)) return false;
    for (size_t i = 0; i <= bodies; ++i) rt->joint_first[i] = 0;
    rt->joint_bodies = g->bodies.count;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t k = 0; k < g->joint_count; ++k) {
            const kin_joint* j = &g->joints[k];
            const uint32_t both[2] = {j->a, j->b};
            for (int i = 0; !j->broken && i < 2; ++i) {
                if (both[i] == KIN_NO_BODY) continue;
                if (pass == 0)
                    rt->joint_first[both[i] + 2] += 1;
                else
                    rt->joint_of_body[rt->joint_first[both[i] + 1]++] = k;
            }
        }
        for (size_t i = 2; pass == 0 && i <= bodies; ++i) rt->joint_first[i] += rt->joint_first[i - 1];
    }
    return true;
}

static bool is_free(const kin_realtime* rt, uint32_t body) { return body != KIN_NO_BODY && kin_rt_is_free(rt, body); }

static uint32_t colour_for(kin_realtime* rt, const kin_joint* j)
{
    uint32_t taken = (is_free(rt, j->a) ? rt->body[j->a].joint_colours : 0) | (is_free(rt, j->b) ? rt->body[j->b].joint_colours : 0), c = 0;
    while (c < COLOURS && (taken >> c & 1)) c += 1;
    if (c == COLOURS) return c;
    if (is_free(rt, j->a)) rt->body[j->a].joint_colours |= 1u << c;
    if (is_free(rt, j->b)) rt->body[j->b].joint_colours |= 1u << c;
    return c;
}

static void colour_joints(kin_realtime* rt)
{
    const kin_group* g = rt->group;
    for (uint32_t i = 0; i < g->bodies.count; ++i) rt->body[i].joint_colours = 0;
    uint32_t count[COLOURS + 1] = {0}, at[COLOURS + 1];
    for (uint32_t k = 0; k < g->joint_count; ++k) {
        rt->joint[k].colour = !kin_group_joint_holds(g, &g->joints[k]) ? KIN_RT_NONE : colour_for(rt, &g->joints[k]);
        if (rt->joint[k].colour != KIN_RT_NONE) count[rt->joint[k].colour] += 1;
    }
    rt->joint_colour_first[0] = 0;
    for (int c = 0; c <= COLOURS; ++c) at[c] = rt->joint_colour_first[c], rt->joint_colour_first[c + 1] = at[c] + count[c];
    for (uint32_t k = 0; k < g->joint_count; ++k) {
        if (rt->joint[k].colour != KIN_RT_NONE) rt->joint_order[at[rt->joint[k].colour]++] = k;
    }
}

bool kin_rt_is_barred(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    if (a >= rt->joint_bodies || b >= rt->joint_bodies) return false;
    const uint32_t* first = rt->joint_first;
    uint32_t walked = first[a + 1] - first[a] <= first[b + 1] - first[b] ? a : b;
    for (uint32_t k = rt->joint_first[walked]; k < rt->joint_first[walked + 1]; ++k) {
        const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
        if (!j->broken && !j->def.collide && ((j->a == a && j->b == b) || (j->a == b && j->b == a))) return true;
    }
    return false;
}

/* Pairs of joints that came or went: whether they meet now. */
static void update_bars(kin_realtime* rt)
{
    for (uint32_t i = 0; i < rt->unbarred.count; ++i) {
        const kin_joint* j = &rt->group->joints[rt->unbarred.data[i]];
        if (rt->group->bodies.motion[j->a] == KIN_BODY_GONE || rt->group->bodies.motion[j->b] == KIN_BODY_GONE) continue;
        uint32_t pair = kin_rt_pair_find(rt, j->a, j->b);
        if (pair == KIN_RT_NONE) continue;
        kin_rt_pair* p = &rt->pairs[pair];
        p->kind = (uint8_t)kin_rt_kind_of(rt, p->a, p->b);
        if (p->kind == KIN_RT_BARRED) {
            while (p->contacts != KIN_RT_NONE) kin_rt_contact_drop(rt, p->contacts);
            kin_rt_idle_remove(rt, pair);
        } else if (kin_rt_pair_waits(rt, p)) {
            kin_rt_idle_add(rt, pair);
        }
    }
    rt->unbarred.count = 0;
}

bool kin_rt_joints_update(kin_realtime* rt)
{
    if (!rt->joints_changed && rt->joint_bodies >= rt->group->bodies.count) return true;
    if (!list_by_body(rt)) return false;
    colour_joints(rt);
    update_bars(rt);
    rt->joints_changed = false;
    rt->blocks_changed |= rt->group->joint_count > 0;
    return kin_rt_blocks_update(rt);
}

/* ---- rows ---- */

static const kin_body* body_of(const kin_realtime* rt, uint32_t body) { return body == KIN_NO_BODY ? NULL : &rt->group->bodies.body[body]; }
static uint32_t line_of(uint32_t body) { return body == KIN_NO_BODY ? 0 : kin_rt_line(body); }

/* At most, as its freedoms are set now. */
static uint32_t most_rows(const kin_joint* j)
{
    uint32_t n = j->kind == KIN_JOINT_MOUSE ? 3 : (uint32_t)kin_joint_hold_count(j->kind) + 1;
    for (int i = 0; i < 2; ++i) {
        const kin_joint_freedom* f = &j->def.freedom[i];
        n += (f->limited ? 2u : 0u) + (f->motor ? 1u : 0u) + (f->stiffness > 0 || f->damping > 0 ? 1u : 0u) + (f->friction > 0 ? 1u : 0u);
    }
    return n < KIN_JOINT_ROWS ? n : KIN_JOINT_ROWS;
}

static bool is_awake(const kin_realtime* rt, uint32_t body) { return body != KIN_NO_BODY && kin_rt_moves(rt, body); }

static void put3(float* to, kin_vec3 v) { to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z; }

static kin_vec3 inverse_inertia(const kin_rt_frame* f, kin_vec3 v)
{
    const float* s = f->inv_inertia;
    return kin_v((double)s[0] * v.x + (double)s[1] * v.y + (double)s[2] * v.z, (double)s[1] * v.x + (double)s[3] * v.y + (double)s[4] * v.z,
                 (double)s[2] * v.x + (double)s[4] * v.y + (double)s[5] * v.z);
}

static bool has_point(kin_joint_kind kind)
{
    return kind == KIN_JOINT_BALL || kind == KIN_JOINT_HINGE || kind == KIN_JOINT_UNIVERSAL || kind == KIN_JOINT_FIXED;
}

static void set_arm(const kin_body* b, kin_vec3 anchor, float* arm) { put3(arm, b != NULL ? kin_rotate(b->orientation, anchor) : kin_v(0, 0, 0)); }

static void set_row(const kin_rt_step* s, const kin_joint* j, const kin_joint_row* from, float impulse, kin_rt_joint_row* to)
{
    const kin_realtime* rt = s->rt;
    const kin_rt_frame *fa = &rt->lines.frame[line_of(j->a)], *fb = &rt->lines.frame[line_of(j->b)];
    kin_vec3 wa = inverse_inertia(fa, from->angular_a), wb = inverse_inertia(fb, from->angular_b);
    double k = (double)fa->inv_mass * kin_length2(from->linear_a) + kin_dot(wa, from->angular_a) + (double)fb->inv_mass * kin_length2(from->linear_b)
               + kin_dot(wb, from->angular_b);
    double h = s->sub, spring = h * (from->damping + h * from->stiffness);
    *to = (kin_rt_joint_row){.start = (float)from->error,
                             .error = (float)from->error,
                             .target = (float)from->target,
                             .impulse = impulse,
                             .kind = (uint8_t)from->kind,
                             .slot = from->slot,
                             .at_point = has_point(j->kind) && from->kind == KIN_ROW_HOLD && !from->angular};
    put3(to->j + KIN_RT_LINEAR_A, from->linear_a), put3(to->j + KIN_RT_ANGULAR_A, from->angular_a);
    put3(to->j + KIN_RT_LINEAR_B, from->linear_b), put3(to->j + KIN_RT_ANGULAR_B, from->angular_b);
    put3(to->gain + KIN_RT_LINEAR_A, kin_scale(from->linear_a, (double)fa->inv_mass)), put3(to->gain + KIN_RT_ANGULAR_A, wa);
    put3(to->gain + KIN_RT_LINEAR_B, kin_scale(from->linear_b, (double)fb->inv_mass)), put3(to->gain + KIN_RT_ANGULAR_B, wb);
    to->most = from->most * h < 1e30 ? (float)(from->most * h) : 1e30f;
    if (from->kind == KIN_ROW_SPRING && spring > 0) { /* implicit: the force at the end of the substep */
        to->give = (float)(1 / spring);
        to->rate = (float)(from->stiffness / (from->damping + h * from->stiffness));
        k += 1 / spring;
    }
    to->mass = k > 0 ? (float)(1 / k) : 0;
}

static void load_joint(const kin_rt_step* s, uint32_t k)
{
    kin_realtime* rt = s->rt;
    kin_rt_joint* t = &rt->joint[k];
    const kin_joint* j = &rt->group->joints[k];
    kin_joint_row rows[KIN_JOINT_ROWS];
    uint32_t room = t->count;
    t->count = 0;
    if (room == 0) return;
    set_arm(body_of(rt, j->a), j->frame_a.position, t->arm_a);
    set_arm(body_of(rt, j->b), j->frame_b.position, t->arm_b);
    int count = kin_joint_rows(j, body_of(rt, j->a), body_of(rt, j->b), LOOK_AHEAD, rows);
    float kept[KIN_JOINT_ROWS];
    for (int i = 0; i < KIN_JOINT_ROWS; ++i) kept[i] = t->impulse[i], t->impulse[i] = 0;
    for (int i = 0; i < count && t->count < room; ++i) set_row(s, j, &rows[i], kept[rows[i].slot], &rt->joint_rows[t->first + t->count++]);
}

static void load_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const kin_rt_step* s = argument;
    for (int64_t i = begin; i < end; ++i) load_joint(s, s->rt->joint_walk[i]);
}

static bool has_rows(const kin_realtime* rt, uint32_t k)
{
    const kin_joint* j = &rt->group->joints[k];
    return kin_group_joint_holds(rt->group, j) && rt->joint[k].block == KIN_RT_NONE && (is_awake(rt, j->a) || is_awake(rt, j->b));
}

/* Those that have rows, by colour, and room for them: rows lie as they are walked. Returns how many rows. */
static uint32_t list_walk(kin_realtime* rt)
{
    uint32_t rows = 0, count = 0;
    for (int c = 0; c <= COLOURS; ++c) {
        rt->joint_walk_first[c] = count;
        for (uint32_t i = rt->joint_colour_first[c]; i < rt->joint_colour_first[c + 1]; ++i) {
            const uint32_t k = rt->joint_order[i];
            kin_rt_joint* t = &rt->joint[k];
            t->first = rows;
            t->count = has_rows(rt, k) ? most_rows(&rt->group->joints[k]) : 0;
            rows += t->count;
            if (t->count > 0) rt->joint_walk[count++] = k;
        }
    }
    rt->joint_walk_first[COLOURS + 1] = count;
    return rows;
}

void kin_rt_joints_begin(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    const kin_group* g = rt->group;
    for (uint32_t k = 0; k < g->joint_count; ++k) rt->joint[k].count = 0;
    uint32_t rows = list_walk(rt);
    if (!kin_reserve(&rt->allocator, (void**)&rt->joint_rows, &rt->joint_capacity[4], rows, sizeof *rt->joint_rows)) {
        rt->out_of_memory = true;
        for (uint32_t k = 0; k < g->joint_count; ++k) rt->joint[k].count = 0;
        for (int c = 0; c <= COLOURS + 1; ++c) rt->joint_walk_first[c] = 0;
        return;
    }
    kin_parallel_for(s->step->jobs, rt->joint_walk_first[COLOURS + 1], GRAIN, load_range, s);
}

/* ---- substeps ---- */

/* Both bodies of a joint while its rows are solved. */
typedef struct ends {
    float v[KIN_RT_ENDS], way[KIN_RT_ENDS]; /* velocities; how far they have gone and turned in this interval */
    kin_rt_motion *a, *b;
    kin_rt_gain *gain_a, *gain_b; /* NULL: not to be written */
} __attribute__((aligned(16))) ends;

static float dot(const float* x, const float* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

static void cross(const float* x, const float* y, float* out)
{
    out[0] = x[1] * y[2] - x[2] * y[1], out[1] = x[2] * y[0] - x[0] * y[2], out[2] = x[0] * y[1] - x[1] * y[0];
}

/* Twelve at a time, by fours: the same order of sums wherever it is built. */
typedef float four __attribute__((vector_size(16)));
static four load(const float* x) { return *(const four*)x; }
static float sum(four x) { return (x[0] + x[2]) + (x[1] + x[3]); }
static float dot_ends(const float* x, const float* y) { return sum(load(x) * load(y) + load(x + 4) * load(y + 4) + load(x + 8) * load(y + 8)); }
static float rate_of(const kin_rt_joint_row* r, const ends* e) { return dot_ends(r->j, e->v); }
static float error_of(const kin_rt_joint_row* r, const ends* e) { return r->error + dot_ends(r->j, e->way); }

static void push(const kin_rt_joint_row* r, ends* e, float d)
{
    const four all = {d, d, d, d};
    *(four*)e->v += all * load(r->gain);
    *(four*)(e->v + 4) += all * load(r->gain + 4);
    *(four*)(e->v + 8) += all * load(r->gain + 8);
}

static float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

/* Less impulse by so much: hold rows and stops that are reached are soft, stops ahead let through what keeps them, springs have their own softness. */
static float change(const kin_rt_joint_row* r, const ends* e, const kin_rt_soft* soft, bool relax)
{
    float rate = rate_of(r, e) - r->target, error;
    switch ((kin_row_kind)r->kind) {
    case KIN_ROW_MOTOR:
    case KIN_ROW_FRICTION: return r->mass * rate;
    case KIN_ROW_SPRING: return r->mass * (rate + r->rate * error_of(r, e) + r->give * r->impulse);
    case KIN_ROW_HOLD:
    case KIN_ROW_LIMIT: break;
    }
    error = error_of(r, e);
    if (r->kind == KIN_ROW_LIMIT && error > 0) return r->mass * (rate + error * soft->inv_h);
    if (relax) return r->mass * rate;
    float bias = clamp(soft->rate * error, -soft->push, soft->push);
    return r->mass * soft->mass_scale * (rate + bias) + soft->impulse_scale * r->impulse;
}

static ends ends_of(const kin_realtime* rt, const kin_joint* j)
{
    ends e = {.a = &rt->lines.motion[line_of(j->a)],
              .b = &rt->lines.motion[line_of(j->b)],
              .gain_a = is_awake(rt, j->a) ? &rt->gain[j->a] : NULL,
              .gain_b = is_awake(rt, j->b) ? &rt->gain[j->b] : NULL};
    memcpy(e.v, e.a->v, 6 * sizeof(float)), memcpy(e.v + 6, e.b->v, 6 * sizeof(float)); /* spins follow velocities */
    memcpy(e.way, e.a->dx, 6 * sizeof(float)), memcpy(e.way + 6, e.b->dx, 6 * sizeof(float));
    return e;
}

static void ends_back(const ends* e)
{
    if (e->gain_a != NULL) memcpy(e->a->v, e->v, 6 * sizeof(float));
    if (e->gain_b != NULL) memcpy(e->b->v, e->v + 6, 6 * sizeof(float));
}

static bool holds(const kin_rt_joint_row* r) { return r->kind == KIN_ROW_HOLD || r->kind == KIN_ROW_LIMIT; }

/* As contacts do (strike.c): what a blow asked of a row beyond the growth of loads is no warm start; it stays in the velocities. */
static void forget_blow(kin_rt_joint_row* r, const ends* e, float strike)
{
    float growth = strike * r->mass, d = r->impulse - clamp(r->impulse, r->carried - growth, r->carried + growth);
    if (d == 0) return;
    r->impulse -= d;
    for (int k = 0; e->gain_a != NULL && k < 6; ++k) e->gain_a->base[k] += d * r->gain[k];
    for (int k = 0; e->gain_b != NULL && k < 6; ++k) e->gain_b->base[k] += d * r->gain[6 + k];
}

static void strike(kin_realtime* rt, const ends* e, float when)
{
    if (e->gain_a != NULL && e->a->struck < when) e->a->struck = when;
    if (e->gain_b != NULL && e->b->struck < when) e->b->struck = when;
    rt->joints_struck = true;
}

static void solve_row(const kin_rt_step* s, kin_rt_joint_row* r, ends* e, kin_rt_joint_pass pass)
{
    const float before = r->impulse, now = before - change(r, e, &s->joint_soft, pass == KIN_RT_JOINT_RELAX);
    if (pass == KIN_RT_JOINT_SOFT) r->carried = before;
    r->impulse = r->kind == KIN_ROW_LIMIT ? clamp(now, 0, r->most) : clamp(now, -r->most, r->most);
    const float d = r->impulse - before, blow = s->joint_soft.strike * r->mass;
    push(r, e, d);
    if (holds(r) && (d > blow || d < -blow)) strike(s->rt, e, s->joint_soft.sweep + 1);
    if (pass != KIN_RT_JOINT_RELAX) return;
    r->sum += r->impulse;
    if (holds(r)) forget_blow(r, e, s->joint_soft.strike);
}

typedef struct arm {       /* after its body turned */
    float now[3], bent[3]; /* m: what turning the arm as it was leaves out of its way, twice */
} turned_arm;

static turned_arm arm_after(const float* was, const float* dr)
{
    turned_arm a;
    float moved[3];
    cross(dr, was, moved);
    cross(dr, moved, a.bent);
    for (int i = 0; i < 3; ++i) a.now[i] = was[i] + moved[i];
    return a;
}

/* One end of a row: its impulse acts along the mean of the old and the new arm in this substep, along the new one in the next's warm start, which is what
 * velocities have gained over their base. Returns what the way of the anchor is short of the new arm's, being along the mean as well. */
static float follow_end(const kin_rt_frame* f, const turned_arm* arm, kin_rt_joint_row* r, ends* e, kin_rt_gain* base, int end)
{
    const float *s = f->inv_inertia, *linear = r->j + end;
    float *angular = r->j + end + 3, *turn = r->gain + end + 3;
    cross(arm->now, linear, angular);
    const float next[3] = {s[0] * angular[0] + s[1] * angular[1] + s[2] * angular[2], s[1] * angular[0] + s[3] * angular[1] + s[4] * angular[2],
                           s[2] * angular[0] + s[4] * angular[1] + s[5] * angular[2]};
    for (int i = 0; i < 3; ++i) {
        const float half = 0.5f * r->impulse * (next[i] - turn[i]);
        e->v[end + 3 + i] += half;
        if (base != NULL) base->base[3 + i] -= half;
        turn[i] = next[i];
    }
    return -0.5f * dot(linear, arm->bent);
}

/* Rows at the common point, with arms as the bodies are turned now. */
static void follow_turn(const kin_realtime* rt, const kin_rt_joint* t, const kin_joint* j, ends* e)
{
    const kin_rt_frame *fa = &rt->lines.frame[line_of(j->a)], *fb = &rt->lines.frame[line_of(j->b)];
    const turned_arm a = arm_after(t->arm_a, e->way + KIN_RT_ANGULAR_A), b = arm_after(t->arm_b, e->way + KIN_RT_ANGULAR_B);
    for (uint32_t i = t->first; i < t->first + t->count; ++i) {
        kin_rt_joint_row* r = &rt->joint_rows[i];
        if (!r->at_point) continue;
        r->error = r->start + follow_end(fa, &a, r, e, e->gain_a, KIN_RT_LINEAR_A) + follow_end(fb, &b, r, e, e->gain_b, KIN_RT_LINEAR_B);
        float k = dot_ends(r->j, r->gain);
        r->mass = k > 0 ? 1 / k : 0;
    }
}

static bool is_struck(const kin_realtime* rt, uint32_t body, float sweep) { return rt->lines.motion[line_of(body)].struck >= sweep; }

static void solve_joint(const kin_rt_step* s, uint32_t k, kin_rt_joint_pass pass)
{
    const kin_realtime* rt = s->rt;
    const kin_rt_joint* t = &rt->joint[k];
    const kin_joint* j = &rt->group->joints[k];
    const float sweep = s->joint_soft.sweep;
    if (pass == KIN_RT_JOINT_AGAIN && !is_struck(rt, j->a, sweep) && !is_struck(rt, j->b, sweep)) return;
    ends e = ends_of(rt, j);
    if (pass == KIN_RT_JOINT_RELAX) follow_turn(rt, t, j, &e); /* they have just moved */
    for (uint32_t i = t->first; i < t->first + t->count; ++i) {
        if (pass == KIN_RT_JOINT_WARM)
            push(&rt->joint_rows[i], &e, rt->joint_rows[i].impulse);
        else
            solve_row(s, &rt->joint_rows[i], &e, pass);
    }
    ends_back(&e);
}

typedef struct joint_job {
    const kin_rt_step* s;
    const uint32_t* order;
    kin_rt_joint_pass pass;
} joint_job;

static void solve_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const joint_job* job = argument;
    for (int64_t i = begin; i < end; ++i) solve_joint(job->s, job->order[i], job->pass);
}

void kin_rt_joints_pass(kin_rt_step* s, kin_rt_joint_pass pass)
{
    kin_realtime* rt = s->rt;
    if (rt->group->joint_count == 0) return;
    for (int k = 0; k <= COLOURS; ++k) {
        int c = k == 0 ? COLOURS : k - 1;
        int64_t count = rt->joint_walk_first[c + 1] - rt->joint_walk_first[c];
        joint_job job = {s, rt->joint_walk + rt->joint_walk_first[c], pass};
        if (count == 0) continue;
        if (c == COLOURS)
            kin_serial_for(s->step->jobs, count, count, solve_range, &job);
        else
            kin_parallel_for(s->step->jobs, count, GRAIN, solve_range, &job);
    }
}

kin_rt_soft kin_rt_joint_soft(double h, double strike)
{
    double rate = kin_min(RATE, 0.25 / h), om = 2 * KIN_PI * rate, p = 2 * DAMPING + h * om, q = h * om * p;
    return (kin_rt_soft){(float)(om / p), (float)(q / (1 + q)), (float)(1 / (1 + q)), (float)(1 / h), 1e3f, (float)strike, 0, 0};
}

/* ---- after the substeps ---- */

static void keep_impulses(kin_rt_step* s, uint32_t k)
{
    kin_realtime* rt = s->rt;
    kin_rt_joint* t = &rt->joint[k];
    const kin_joint* j = &rt->group->joints[k];
    kin_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
    for (uint32_t i = t->first; i < t->first + t->count; ++i) {
        const kin_rt_joint_row* r = &rt->joint_rows[i];
        const float *l = r->j + (j->b != KIN_NO_BODY ? KIN_RT_LINEAR_B : KIN_RT_LINEAR_A), *a = l + 3;
        t->impulse[r->slot] = r->impulse;
        force = kin_add_scaled(force, (double)r->sum / s->h, kin_v((double)l[0], (double)l[1], (double)l[2]));
        torque = kin_add_scaled(torque, (double)r->sum / s->h, kin_v((double)a[0], (double)a[1], (double)a[2]));
    }
    /* about the anchor; of the world's end: what a has to hold, the other way round */
    const kin_body* b = body_of(rt, j->b != KIN_NO_BODY ? j->b : j->a);
    kin_vec3 arm = kin_rotate(b->orientation, j->b != KIN_NO_BODY ? j->frame_b.position : j->frame_a.position);
    double sign = j->b != KIN_NO_BODY ? 1 : -1;
    put3(t->force, kin_scale(force, sign));
    put3(t->torque, kin_scale(kin_sub(torque, kin_cross(arm, force)), sign));
}

static bool is_overloaded(const kin_rt_joint* t, const kin_joint* j, double* load)
{
    double force = kin_sqrt((double)dot(t->force, t->force)), torque = kin_sqrt((double)dot(t->torque, t->torque));
    *load = force;
    if (j->def.break_force > 0 && force > j->def.break_force) return true;
    *load = torque;
    return j->def.break_torque > 0 && torque > j->def.break_torque;
}

void kin_rt_joints_end(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        kin_joint* j = &rt->group->joints[k];
        double load;
        kin_vec3 force, torque;
        if (j->broken) continue;
        if (!kin_group_joint_holds(rt->group, j)) { /* it bears nothing */
            rt->joint[k] = (kin_rt_joint){.block = KIN_RT_NONE, .colour = KIN_RT_NONE, .joined = KIN_RT_NONE, .stiff = rt->joint[k].stiff};
            continue;
        }
        if (kin_rt_block_load(rt, k, &force, &torque)) {
            put3(rt->joint[k].force, force), put3(rt->joint[k].torque, torque);
        } else {
            if (rt->joint[k].count == 0) continue;
            keep_impulses(s, k);
        }
        kin_joint_follow(j, body_of(rt, j->a), body_of(rt, j->b));
        if (is_overloaded(&rt->joint[k], j, &load)) kin_group_break_joint(rt->group, k, load);
    }
}
