/* joints.c - joints as coloured soft rows beside the contacts: their rows once an interval (joint/joint.h), the error in a substep C + J (dx, dr).
 *
 * What has a point in common lies in lanes (points.c), all else is solved row by row, colour by colour (joined.c). What found no colour is solved one after the
 * other. Impulses are kept by the slot of their row for the next interval's warm start. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include <string.h>

enum { GRAIN = 16, POINT_GRAIN = 4, COLOURS = KIN_RT_JOINT_COLOURS }; /* rows one by one; blocks of lanes */
#define RATE 60.0                                                     /* 1/s: stiffness of what holds; at most a fourth of the substep rate */
#define DAMPING 2.0                                                   /* ratio */
#define STIFF 0.5                                                     /* h^2 F . r / I: what is stressed more turns stiffer */
#define LOOK_AHEAD 0.1                                                /* m, rad: stops nearer than this are rows */
#define FAR_AHEAD 1e9                                                 /* and remain so while they go */

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

/* A spring over a substep: p = -h (k (C + theta h C') + c C'). With theta = 0 a swing keeps its energy, as bodies drift by their new velocities (semi-implicit
 * Euler), but bursts at h^2 k / m = 4; theta = s^2 / (1 + s^2) with s = h^2 k / m is damped where the substep cannot show the swing: Q = s^-5/2. */
typedef struct softness {
    double rate, give; /* 1/s of the error; 1 / (N s) or 1 / (N m s) */
} softness;

static softness soften(const kin_joint_row* from, double response, double h)
{
    if (!(from->stiffness > 0 || from->damping > 0)) return (softness){0, 0};
    const double s = h * h * from->stiffness * response, theta = kin_max(s * s / (1 + s * s), 1e-6), soft = from->damping + h * from->stiffness * theta;
    return (softness){from->stiffness / soft, 1 / (h * soft)};
}

/* Where a row points, and what it weighs, as the bodies are now. */
static void aim_row(const kin_realtime* rt, const kin_joint* j, const kin_joint_row* from, kin_rt_joint_row* to)
{
    const kin_rt_frame *fa = &rt->lines.frame[line_of(j->a)], *fb = &rt->lines.frame[line_of(j->b)];
    kin_vec3 wa = inverse_inertia(fa, from->angular_a), wb = inverse_inertia(fb, from->angular_b);
    double k = (double)fa->inv_mass * kin_length2(from->linear_a) + kin_dot(wa, from->angular_a) + (double)fb->inv_mass * kin_length2(from->linear_b)
               + kin_dot(wb, from->angular_b) + (double)to->give;
    kin_rt_put3(to->j + KIN_RT_LINEAR_A, from->linear_a), kin_rt_put3(to->j + KIN_RT_ANGULAR_A, from->angular_a);
    kin_rt_put3(to->j + KIN_RT_LINEAR_B, from->linear_b), kin_rt_put3(to->j + KIN_RT_ANGULAR_B, from->angular_b);
    kin_rt_put3(to->gain + KIN_RT_LINEAR_A, kin_scale(from->linear_a, (double)fa->inv_mass)), kin_rt_put3(to->gain + KIN_RT_ANGULAR_A, wa);
    kin_rt_put3(to->gain + KIN_RT_LINEAR_B, kin_scale(from->linear_b, (double)fb->inv_mass)), kin_rt_put3(to->gain + KIN_RT_ANGULAR_B, wb);
    to->error = (float)from->error;
    to->mass = k > 0 ? (float)(1 / k) : 0;
}

static void set_row(const kin_rt_step* s, const kin_joint* j, const kin_joint_row* from, float impulse, kin_rt_joint_row* to)
{
    double h = s->sub;
    *to = (kin_rt_joint_row){.target = (float)from->target, .impulse = impulse, .kind = (uint8_t)from->kind, .slot = from->slot};
    to->most = from->most * h < 1e30 ? (float)(from->most * h) : 1e30f;
    aim_row(s->rt, j, from, to);
    if (from->kind != KIN_ROW_SPRING) return;
    const softness soft = soften(from, to->mass > 0 ? 1 / (double)to->mass : 0, h);
    to->give = (float)soft.give, to->rate = (float)soft.rate;
    if (soft.give > 0) aim_row(s->rt, j, from, to);
}

/* What it kept, by slot; it begins anew. */
static void take_impulses(kin_rt_joint* t, float kept[KIN_JOINT_ROWS])
{
    for (int i = 0; i < KIN_JOINT_ROWS; ++i) kept[i] = t->impulse[i], t->impulse[i] = 0;
}

static void load_joint(const kin_rt_step* s, uint32_t k)
{
    kin_realtime* rt = s->rt;
    kin_rt_joint* t = &rt->joint[k];
    const kin_joint* j = &rt->group->joints[k];
    kin_joint_row rows[KIN_JOINT_ROWS];
    float kept[KIN_JOINT_ROWS];
    uint32_t room = t->count;
    t->count = 0;
    int count = kin_joint_rows(j, body_of(rt, j->a), body_of(rt, j->b), LOOK_AHEAD, rows);
    take_impulses(t, kept);
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

/* ---- what loads stiffen ---- */

/* A body under a pull F at an arm r swings across it at a rate of (F . r / I)^1/2, which soft rows cannot follow from h^2 F . r / I = 4 on: they burst. With
 * h^2 F . r added to its moments across the arm (implicit in the turning of the arm) they do not, and swing slower. */
static void stiffen(kin_rt_frame* f, const kin_body* b, kin_vec3 anchor, kin_vec3 force, double h)
{
    float* s = f->inv_inertia;
    const double square = kin_length2(anchor), least = 3 * STIFF / (h * h * (double)(s[0] + s[3] + s[5]));
    if (!(kin_length2(force) * square > least * least)) return;
    const kin_vec3 arm = kin_rotate(b->orientation, anchor);
    if (!(kin_dot(force, arm) > least)) return;
    const double pull = h * h * kin_dot(force, arm);
    kin_mat3 moments, inverse;
    const kin_mat3 inv = {{(double)s[0], (double)s[1], (double)s[2]}, {(double)s[1], (double)s[3], (double)s[4]}, {(double)s[2], (double)s[4], (double)s[5]}};
    if (!kin_mat3_inverse(inv, &moments)) return;
    const kin_vec3 u = kin_scale(arm, 1 / kin_sqrt(square));
    moments.cx = kin_add(moments.cx, kin_scale(kin_sub(kin_v(1, 0, 0), kin_scale(u, u.x)), pull));
    moments.cy = kin_add(moments.cy, kin_scale(kin_sub(kin_v(0, 1, 0), kin_scale(u, u.y)), pull));
    moments.cz = kin_add(moments.cz, kin_scale(kin_sub(kin_v(0, 0, 1), kin_scale(u, u.z)), pull));
    if (!kin_mat3_inverse(moments, &inverse)) return;
    s[0] = (float)inverse.cx.x, s[1] = (float)inverse.cy.x, s[2] = (float)inverse.cz.x;
    s[3] = (float)inverse.cy.y, s[4] = (float)inverse.cz.y, s[5] = (float)inverse.cz.z;
}

static void stiffen_bodies(const kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_rt_joint* t = &rt->joint[k];
        const kin_joint* j = &rt->group->joints[k];
        if ((t->lane == KIN_RT_NONE && t->count == 0) || (t->force[0] == 0 && t->force[1] == 0 && t->force[2] == 0)) continue;
        const kin_vec3 force = kin_rt_get3(t->force);
        if (is_awake(rt, j->a)) stiffen(&rt->lines.frame[line_of(j->a)], body_of(rt, j->a), j->frame_a.position, kin_neg(force), s->sub);
        if (is_awake(rt, j->b)) stiffen(&rt->lines.frame[line_of(j->b)], body_of(rt, j->b), j->frame_b.position, force, s->sub);
    }
}

/* ---- points in lanes ---- */

static void put_lane(kin_rt_lane* to, uint32_t l, kin_vec3 v) { to[0][l] = (float)v.x, to[1][l] = (float)v.y, to[2][l] = (float)v.z; }

static kin_vec3 arm_of(const kin_body* b, kin_vec3 anchor) { return b != NULL ? kin_rotate(b->orientation, anchor) : kin_v(0, 0, 0); }

/* What does not move is not written; in its base's place the other's is read, which nobody else writes now. */
static void set_ends(const kin_realtime* rt, kin_rt_points* p, uint32_t l, const kin_joint* j)
{
    const bool a = is_awake(rt, j->a), b = is_awake(rt, j->b);
    p->a[l] = a ? (int32_t)line_of(j->a) : ~(int32_t)line_of(j->a);
    p->b[l] = b ? (int32_t)line_of(j->b) : ~(int32_t)line_of(j->b);
    p->base_a[l] = a ? (int32_t)j->a : ~(int32_t)j->b;
    p->base_b[l] = b ? (int32_t)j->b : ~(int32_t)j->a;
}

static kin_mat3 cross_inertia(const kin_rt_frame* f, kin_vec3 arm) /* [r] I^-1 [r]: how an impulse at the anchor turns the body */
{
    const kin_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    kin_vec3 column[3];
    for (int i = 0; i < 3; ++i) column[i] = kin_cross(arm, inverse_inertia(f, kin_cross(arm, axis[i])));
    return (kin_mat3){column[0], column[1], column[2]};
}

/* 1/(kg m^2): of a torque about an axis between the bodies, while their point holds. */
static double turn_response(const kin_realtime* rt, const kin_joint* j, kin_vec3 axis)
{
    const kin_rt_frame *fa = &rt->lines.frame[line_of(j->a)], *fb = &rt->lines.frame[line_of(j->b)];
    const kin_vec3 arm_a = arm_of(body_of(rt, j->a), j->frame_a.position), arm_b = arm_of(body_of(rt, j->b), j->frame_b.position);
    const kin_vec3 a = inverse_inertia(fa, axis), b = inverse_inertia(fb, axis), at = kin_add(kin_cross(b, arm_b), kin_cross(a, arm_a));
    const double free = kin_dot(axis, kin_add(a, b)), mass = (double)fa->inv_mass + (double)fb->inv_mass;
    kin_mat3 point = kin_mat3_scale(kin_mat3_add(cross_inertia(fa, arm_a), cross_inertia(fb, arm_b)), -1), inverse;
    point.cx.x += mass, point.cy.y += mass, point.cz.z += mass;
    return kin_mat3_inverse(point, &inverse) ? free - kin_dot(at, kin_mat3_apply(inverse, at)) : free;
}

static void set_turn(const kin_rt_step* s, const kin_joint* j, kin_rt_turns* t, uint32_t l, const kin_joint_row* from, float impulse)
{
    const double h = s->sub;
    const softness soft = from->kind == KIN_ROW_SPRING ? soften(from, turn_response(s->rt, j, from->angular_b), h) : (softness){0, 0};
    put_lane(t->axis, l, from->angular_b);
    t->start[l] = t->error[l] = (float)from->error;
    t->target[l] = (float)from->target;
    t->most[l] = from->most * h < 1e30 ? (float)(from->most * h) : 1e30f;
    t->hold[l] = from->kind == KIN_ROW_HOLD || from->kind == KIN_ROW_LIMIT;
    t->limit[l] = from->kind == KIN_ROW_LIMIT;
    t->impulse[l] = impulse;
    t->slot[l] = from->slot;
    t->give[l] = (float)soft.give, t->rate[l] = (float)soft.rate;
}

static void set_point(const kin_rt_step* s, kin_rt_points* p, uint32_t l)
{
    kin_realtime* rt = s->rt;
    kin_rt_joint* t = &rt->joint[p->joint[l]];
    const kin_joint* j = &rt->group->joints[p->joint[l]];
    const kin_body *a = body_of(rt, j->a), *b = body_of(rt, j->b);
    kin_joint_row rows[KIN_JOINT_ROWS];
    float kept[KIN_JOINT_ROWS];
    int count = kin_joint_rows(j, a, b, LOOK_AHEAD, rows);
    take_impulses(t, kept);
    set_ends(rt, p, l, j);
    put_lane(p->was_a, l, arm_of(a, j->frame_a.position)), put_lane(p->arm_a, l, arm_of(a, j->frame_a.position));
    put_lane(p->was_b, l, arm_of(b, j->frame_b.position)), put_lane(p->arm_b, l, arm_of(b, j->frame_b.position));
    for (int i = 0; i < 3; ++i) p->start[i][l] = p->error[i][l] = (float)rows[i].error, p->impulse[i][l] = kept[rows[i].slot];
    t->first = p->first;
    t->count = (uint32_t)(count < 3 + (int)p->count ? count : 3 + (int)p->count);
    for (uint32_t i = 3; i < t->count; ++i) set_turn(s, j, &rt->turns[p->first + i - 3], l, &rows[i], kept[rows[i].slot]);
}

/* An empty lane reads what the first of its block writes, if anything. */
static void clear_ends(kin_rt_points* p, uint32_t l)
{
    p->a[l] = p->b[l] = ~0;
    p->base_a[l] = p->base_b[l] = p->base_a[0] >= 0 ? ~p->base_a[0] : p->base_a[0];
}

static void points_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const kin_rt_step* s = argument;
    kin_realtime* rt = s->rt;
    for (int64_t i = begin; i < end; ++i) {
        kin_rt_points* p = &rt->points[i];
        for (uint32_t l = 0; l < KIN_RT_LANES; ++l) {
            if (p->joint[l] == KIN_RT_NONE)
                clear_ends(p, l);
            else
                set_point(s, p, l);
        }
        rt->point_kernels->prepare(&rt->lines, p, rt->turns);
    }
}

/* Whose lane is whose, and room for their turns. */
static bool lay_out_points(kin_realtime* rt, uint32_t blocks)
{
    uint32_t turns = 0;
    if (!kin_reserve(&rt->allocator, (void**)&rt->points, &rt->joint_capacity[6], blocks, sizeof *rt->points)) return false;
    for (uint32_t i = 0; i < blocks; ++i) {
        rt->points[i] = (kin_rt_points){0};
        memset(rt->points[i].joint, 0xff, sizeof rt->points[i].joint);
    }
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        if (rt->joint[k].lane == KIN_RT_NONE) continue;
        kin_rt_points* p = &rt->points[rt->joint[k].lane / KIN_RT_LANES];
        uint32_t most = most_rows(&rt->group->joints[k]) - 3;
        p->joint[rt->joint[k].lane % KIN_RT_LANES] = k;
        if (most > p->count) p->count = most;
    }
    for (uint32_t i = 0; i < blocks; ++i) rt->points[i].first = turns, turns += rt->points[i].count;
    if (!kin_reserve(&rt->allocator, (void**)&rt->turns, &rt->joint_capacity[7], turns, sizeof *rt->turns)) return false;
    for (uint32_t i = 0; i < turns; ++i) rt->turns[i] = (kin_rt_turns){0};
    return true;
}

/* ---- which of them in this interval ---- */

static uint32_t blocks_of(uint32_t lanes) { return (lanes + KIN_RT_LANES - 1) / KIN_RT_LANES; }

/* Those that have rows, by colour, and their places: rows and lanes lie as they are walked. Returns how many rows, and blocks of lanes. */
static uint32_t list_walk(kin_realtime* rt, uint32_t* blocks)
{
    uint32_t rows = 0, count = 0;
    *blocks = 0;
    for (int c = 0; c <= COLOURS; ++c) {
        uint32_t lanes = 0;
        rt->joint_walk_first[c] = count;
        rt->point_first[c] = *blocks;
        for (uint32_t i = rt->joint_colour_first[c]; i < rt->joint_colour_first[c + 1]; ++i) {
            const uint32_t k = rt->joint_order[i];
            kin_rt_joint* t = &rt->joint[k];
            if (!has_rows(rt, k)) continue;
            if (has_point(rt->group->joints[k].kind)) {
                t->lane = *blocks * KIN_RT_LANES + lanes++;
                continue;
            }
            t->first = rows;
            t->count = most_rows(&rt->group->joints[k]);
            rows += t->count;
            rt->joint_walk[count++] = k;
        }
        *blocks += blocks_of(lanes);
    }
    rt->joint_walk_first[COLOURS + 1] = count;
    rt->point_first[COLOURS + 1] = *blocks;
    return rows;
}

static void forget_places(kin_realtime* rt)
{
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) rt->joint[k].count = 0, rt->joint[k].lane = KIN_RT_NONE;
}

/* Whether any may have rows, or has to be told that it holds nothing: else not even their list is walked. */
static bool any_at_work(const kin_realtime* rt)
{
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (!j->broken && (is_awake(rt, j->a) || is_awake(rt, j->b) || !kin_group_joint_holds(rt->group, j))) return true;
    }
    return false;
}

void kin_rt_joints_begin(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    uint32_t blocks;
    if (rt->movers_changed)
        rt->joints_work = any_at_work(rt), rt->movers_changed = false;
    else if (!rt->joints_work)
        return;
    forget_places(rt);
    uint32_t rows = list_walk(rt, &blocks);
    if (!kin_reserve(&rt->allocator, (void**)&rt->joint_rows, &rt->joint_capacity[4], rows, sizeof *rt->joint_rows) || !lay_out_points(rt, blocks)) {
        rt->out_of_memory = true;
        forget_places(rt);
        for (int c = 0; c <= COLOURS + 1; ++c) rt->joint_walk_first[c] = rt->point_first[c] = 0;
        return;
    }
    stiffen_bodies(s);
    kin_parallel_for(s->step->jobs, rt->joint_walk_first[COLOURS + 1], GRAIN, load_range, s);
    kin_parallel_for(s->step->jobs, blocks, POINT_GRAIN, points_range, s);
}

/* ---- substeps ---- */

/* Both bodies of a joint while its rows are solved. */
typedef struct ends {
    float v[KIN_RT_ENDS], way[KIN_RT_ENDS]; /* velocities; how far they have gone and turned in this interval */
    kin_rt_motion *a, *b;
    kin_rt_gain *gain_a, *gain_b; /* NULL: not to be written */
} __attribute__((aligned(16))) ends;

static float dot(const float* x, const float* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

/* Twelve at a time, by fours: the same order of sums wherever it is built. */
typedef float four __attribute__((vector_size(16)));
static four load(const float* x) { return *(const four*)x; }
static float sum(four x) { return (x[0] + x[2]) + (x[1] + x[3]); }
static float dot_ends(const float* x, const float* y) { return sum(load(x) * load(y) + load(x + 4) * load(y + 4) + load(x + 8) * load(y + 8)); }
static float rate_of(const kin_rt_joint_row* r, const ends* e) { return dot_ends(r->j, e->v); }

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
    float rate = rate_of(r, e) - r->target;
    switch ((kin_row_kind)r->kind) {
    case KIN_ROW_MOTOR:
    case KIN_ROW_FRICTION: return r->mass * rate;
    case KIN_ROW_SPRING: return relax ? 0 : r->mass * (rate + r->rate * r->error + r->give * r->impulse); /* by where it stood before the drift */
    case KIN_ROW_HOLD:
    case KIN_ROW_LIMIT: break;
    }
    if (r->kind == KIN_ROW_LIMIT && r->error > 0) return r->mass * (rate + r->error * soft->inv_h);
    if (relax) return r->mass * rate;
    float bias = clamp(soft->rate * r->error, -soft->push, soft->push);
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

/* ---- rows that turn ---- */

static kin_body moved(const kin_body* b, const float* way)
{
    kin_body now = *b;
    const kin_vec3 turn = {(double)way[3], (double)way[4], (double)way[5]};
    now.position = kin_add(b->position, kin_v((double)way[0], (double)way[1], (double)way[2]));
    now.orientation = kin_quat_mul(kin_quat_from_rotation_vector(turn), b->orientation);
    return now;
}

/* As arms of points (points.c): an impulse acts along its row as it lies now in the next warm start. */
static void turn_row(const kin_realtime* rt, const kin_joint* j, const kin_joint_row* from, kin_rt_joint_row* r, ends* e)
{
    float before[KIN_RT_ENDS];
    memcpy(before, r->gain, sizeof before);
    aim_row(rt, j, from, r);
    for (int k = 0; k < KIN_RT_ENDS; ++k) {
        kin_rt_gain* base = k < KIN_RT_LINEAR_B ? e->gain_a : e->gain_b;
        if (base != NULL) base->base[k % KIN_RT_LINEAR_B] -= r->impulse * (r->gain[k] - before[k]);
    }
}

/* Rows as the bodies lie now; those that there were, by their slots. */
static void follow_turn(const kin_realtime* rt, const kin_rt_joint* t, const kin_joint* j, ends* e)
{
    const kin_body *a = body_of(rt, j->a), *b = body_of(rt, j->b);
    kin_body now_a, now_b;
    kin_joint_row rows[KIN_JOINT_ROWS];
    if (a != NULL) now_a = moved(a, e->way);
    if (b != NULL) now_b = moved(b, e->way + KIN_RT_LINEAR_B);
    const int count = kin_joint_rows(j, a != NULL ? &now_a : NULL, b != NULL ? &now_b : NULL, FAR_AHEAD, rows);
    for (uint32_t i = t->first; i < t->first + t->count; ++i) {
        for (int k = 0; k < count; ++k) {
            if (rows[k].slot == rt->joint_rows[i].slot) turn_row(rt, j, &rows[k], &rt->joint_rows[i], e);
        }
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

typedef struct point_job {
    kin_rt_step* s;
    const kin_rt_point_kernels* kernels;
    uint32_t first;
    kin_rt_joint_pass pass;
} point_job;

static void point_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const point_job* job = argument;
    kin_realtime* rt = job->s->rt;
    kin_rt_points* p = rt->points + job->first + begin;
    if (job->kernels->pass(&rt->lines, rt->gain, p, rt->turns, (int)(end - begin), &job->s->joint_soft, job->pass)) rt->joints_struck = true;
}

/* Rows, then lanes. What found no colour goes one after the other, by the kernels of one lane. */
static void pass_colour(kin_rt_step* s, int c, kin_rt_joint_pass pass)
{
    kin_realtime* rt = s->rt;
    const int64_t count = rt->joint_walk_first[c + 1] - rt->joint_walk_first[c], blocks = rt->point_first[c + 1] - rt->point_first[c];
    joint_job rows = {s, rt->joint_walk + rt->joint_walk_first[c], pass};
    point_job points = {s, c == COLOURS ? &kin_rt_point_kernels_none : rt->point_kernels, rt->point_first[c], pass};
    if (c == COLOURS) {
        if (count > 0) kin_serial_for(s->step->jobs, count, count, solve_range, &rows);
        if (blocks > 0) kin_serial_for(s->step->jobs, blocks, blocks, point_range, &points);
        return;
    }
    if (count > 0) kin_parallel_for(s->step->jobs, count, GRAIN, solve_range, &rows);
    if (blocks > 0) kin_parallel_for(s->step->jobs, blocks, POINT_GRAIN, point_range, &points);
}

void kin_rt_joints_pass(kin_rt_step* s, kin_rt_joint_pass pass)
{
    if (s->rt->group->joint_count == 0) return;
    for (int k = 0; k <= COLOURS; ++k) pass_colour(s, k == 0 ? COLOURS : k - 1, pass);
}

kin_rt_soft kin_rt_joint_soft(double h, double strike)
{
    double rate = kin_min(RATE, 0.25 / h), om = 2 * KIN_PI * rate, p = 2 * DAMPING + h * om, q = h * om * p;
    return (kin_rt_soft){(float)(om / p), (float)(q / (1 + q)), (float)(1 / (1 + q)), (float)(1 / h), 1e3f, (float)strike, 0, 0};
}

/* ---- after the substeps ---- */

static void keep_rows(kin_rt_step* s, kin_rt_joint* t, const kin_joint* j)
{
    kin_realtime* rt = s->rt;
    kin_vec3 force = {0, 0, 0}, torque = {0, 0, 0}, bears = {0, 0, 0};
    for (uint32_t i = t->first; i < t->first + t->count; ++i) {
        const kin_rt_joint_row* r = &rt->joint_rows[i];
        const float *l = r->j + (j->b != KIN_NO_BODY ? KIN_RT_LINEAR_B : KIN_RT_LINEAR_A), *a = l + 3;
        t->impulse[r->slot] = r->impulse;
        force = kin_add_scaled(force, (double)r->sum / s->h, kin_v((double)l[0], (double)l[1], (double)l[2]));
        torque = kin_add_scaled(torque, (double)r->sum / s->h, kin_v((double)a[0], (double)a[1], (double)a[2]));
        bears = kin_add_scaled(bears, (double)r->impulse, kin_v((double)r->j[0], (double)r->j[1], (double)r->j[2]));
    }
    /* about the anchor; of the world's end: what a has to hold, the other way round */
    const kin_body* b = body_of(rt, j->b != KIN_NO_BODY ? j->b : j->a);
    kin_vec3 arm = kin_rotate(b->orientation, j->b != KIN_NO_BODY ? j->frame_b.position : j->frame_a.position);
    double sign = j->b != KIN_NO_BODY ? 1 : -1;
    kin_rt_put3(t->force, kin_scale(force, sign));
    kin_rt_put3(t->torque, kin_scale(kin_sub(torque, kin_cross(arm, force)), sign));
    kin_rt_put3(t->bears, bears);
}

static void keep_lane(kin_rt_step* s, kin_rt_joint* t)
{
    kin_rt_points* p = &s->rt->points[t->lane / KIN_RT_LANES];
    const uint32_t l = t->lane % KIN_RT_LANES;
    kin_vec3 torque = {0, 0, 0};
    for (uint32_t i = 0; i < 3; ++i) t->impulse[i] = p->impulse[i][l];
    for (uint32_t i = 3; i < t->count; ++i) {
        kin_rt_turns* r = &s->rt->turns[t->first + i - 3];
        t->impulse[r->slot[l]] = r->impulse[l];
        torque = kin_add_scaled(torque, (double)r->sum[l] / s->h, kin_rt_vector(r->axis, l));
    }
    kin_rt_put3(t->force, kin_scale(kin_rt_vector(p->sum, l), 1 / s->h));
    kin_rt_put3(t->torque, torque);
    kin_rt_put3(t->bears, kin_neg(kin_rt_vector(p->impulse, l)));
}

static void keep_impulses(kin_rt_step* s, uint32_t k)
{
    kin_rt_joint* t = &s->rt->joint[k];
    if (t->lane != KIN_RT_NONE)
        keep_lane(s, t);
    else
        keep_rows(s, t, &s->rt->group->joints[k]);
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
    for (uint32_t k = 0; rt->joints_work && k < rt->group->joint_count; ++k) {
        kin_joint* j = &rt->group->joints[k];
        double load;
        kin_vec3 force, torque;
        if (j->broken) continue;
        if (!kin_group_joint_holds(rt->group, j)) { /* it bears nothing */
            rt->joint[k] = (kin_rt_joint){.block = KIN_RT_NONE, .colour = KIN_RT_NONE, .joined = KIN_RT_NONE, .stiff = rt->joint[k].stiff};
            continue;
        }
        if (kin_rt_block_load(rt, k, &force, &torque)) {
            kin_rt_put3(rt->joint[k].force, force), kin_rt_put3(rt->joint[k].torque, torque);
        } else {
            if (rt->joint[k].count == 0) continue;
            keep_impulses(s, k);
        }
        kin_joint_follow(j, body_of(rt, j->a), body_of(rt, j->b));
        if (is_overloaded(&rt->joint[k], j, &load)) kin_group_break_joint(rt->group, k, load);
    }
}
