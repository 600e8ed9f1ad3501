/* bodies.c - bodies as lines of floats for the length of an interval: in, through the substeps, and out. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include "math/aabb.h"
#include <float.h>

enum { GRAIN = 64, SUBSTEP_GRAIN = 128 }; /* bodies to a chunk: once an interval, and in a substep */
#define SPEED_MAX 1e7                     /* m/s, rad/s: squares of floats stay finite */
#define MARGIN 0.04                       /* of its reach: how much larger a body's fat box is; at most: */
#define MARGIN_MAX 0.05                   /* m */
#define ROUNDING 1e-12                    /* rad/s: a gyroscopic change that is none */
#define TURNS_FROM 1e-6                   /* rad/s: a gyroscopic change of spin that is worth an implicit step */

/* Of the largest; of an inactive body too, for it may be activated. */
static double moment_spread(const kin_body* b)
{
    kin_vec3 m = b->moments;
    double most = kin_max(m.x, kin_max(m.y, m.z)), least = kin_min(m.x, kin_min(m.y, m.z));
    return most > 0 ? (most - least) / most : 0;
}

/* Room for tops is made when the first body comes that is one. */
static bool reserve_tops(kin_realtime* rt, uint32_t count)
{
    for (; rt->tops_seen < rt->group->bodies.count; ++rt->tops_seen) rt->has_tops |= moment_spread(&rt->group->bodies.body[rt->tops_seen]) > 0;
    const uint32_t room = count > rt->tops_seen ? count : rt->tops_seen;
    return !rt->has_tops || kin_rt_reserve(rt, (void**)&rt->top, &rt->capacity[4], room, sizeof *rt->top);
}

/* A composite gets the mass and centre of its pieces after it was added. */
bool kin_rt_body_learn(kin_realtime* rt, uint32_t body)
{
    const kin_form* form = rt->group->bodies.skin[body].form;
    kin_rt_solid_make(rt, body);
    if (form != NULL && form->bounded) kin_rt_form_box_set(rt, body);
    if (rt->tops_seen > body) rt->tops_seen = body;
    return reserve_tops(rt, rt->group->bodies.count);
}

bool kin_rt_bodies_reserve(kin_realtime* rt, uint32_t count)
{
    size_t n = (size_t)count + 1;
    if (!reserve_tops(rt, count)) return false;
    return kin_rt_reserve(rt, (void**)&rt->lines.motion, &rt->capacity[0], n, sizeof *rt->lines.motion)
           && kin_rt_reserve(rt, (void**)&rt->lines.frame, &rt->capacity[1], n, sizeof *rt->lines.frame)
           && kin_rt_reserve(rt, (void**)&rt->lines.place, &rt->capacity[2], n, sizeof *rt->lines.place)
           && kin_rt_reserve(rt, (void**)&rt->gain, &rt->capacity[3], n, sizeof *rt->gain)
           && kin_rt_reserve(rt, (void**)&rt->body, &rt->capacity[5], n, sizeof *rt->body)
           && kin_rt_reserve(rt, (void**)&rt->solid, &rt->capacity[6], n, sizeof *rt->solid)
           && kin_rt_reserve(rt, (void**)&rt->glance, &rt->capacity[7], n, sizeof *rt->glance)
           && kin_rt_reserve(rt, (void**)&rt->travel, &rt->capacity[8], n, sizeof *rt->travel) && kin_rt_list_reserve(rt, &rt->active, n)
           && kin_rt_list_reserve(rt, &rt->waking, n) && kin_rt_list_reserve(rt, &rt->fast, n);
}

/* Free and awake, or keyed; rising, so that work is shared out the same way whatever happened before. */
void kin_rt_active_update(kin_realtime* rt)
{
    if (!rt->active_changed) return;
    const kin_bodies* bodies = &rt->group->bodies;
    rt->active.count = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (kin_rt_moves(rt, i) || bodies->motion[i] == KIN_BODY_KEYED) kin_rt_list_add(&rt->active, i);
    }
    rt->active_changed = false;
    rt->movers_changed = true;
}

/* ---- in ---- */

static kin_vec3 cut_down(kin_vec3 v) { return kin_finite3(v) ? kin_scale(kin_normalize_or(v, kin_v(0, 0, 0)), SPEED_MAX) : kin_v(0, 0, 0); }
static inline kin_vec3 within(kin_realtime* rt, kin_vec3 v)
{
    if (kin_length2(v) <= SPEED_MAX * SPEED_MAX) return v;
    rt->cut += 1;
    return cut_down(v);
}

/* R diag(1/I) R^T. */
static void load_inertia(kin_rt_frame* f, const kin_mat3* r, kin_vec3 inv_moments)
{
    const kin_vec3 row[3] = {kin_mat3_row(*r, 0), kin_mat3_row(*r, 1), kin_mat3_row(*r, 2)};
    int at = 0;
    for (int i = 0; i < 3; ++i) {
        kin_vec3 scaled = kin_mul(row[i], inv_moments);
        for (int j = i; j < 3; ++j) f->inv_inertia[at++] = (float)kin_dot(scaled, row[j]);
    }
}

/* Rows of the rotation, and inertia of free ones. */
static void load_frame(kin_rt_frame* f, const kin_mat3* r, kin_vec3 inv_moments, double inv_mass)
{
    for (int i = 0; i < 3; ++i) kin_rt_put3(f->turn + 3 * i, kin_mat3_row(*r, i));
    load_inertia(f, r, inv_moments);
    f->inv_mass = (float)inv_mass;
}

/* The lowest number of those found. */
static void note_unsound(kin_realtime* rt, uint32_t i)
{
    uint32_t least = rt->unsound;
    while (i < least && !atomic_compare_exchange_weak(&rt->unsound, &least, i)) {
    }
}

/* False: a force is too large for its body. */
static bool load_kick(kin_realtime* rt, uint32_t i, const kin_rt_frame* f, double h)
{
    const kin_bodies* b = &rt->group->bodies;
    kin_rt_gain* gain = &rt->gain[i];
    const float* s = f->inv_inertia;
    kin_vec3 t = b->torque[i];
    kin_vec3 turn = {(double)s[0] * t.x + (double)s[1] * t.y + (double)s[2] * t.z, (double)s[1] * t.x + (double)s[3] * t.y + (double)s[4] * t.z,
                     (double)s[2] * t.x + (double)s[4] * t.y + (double)s[5] * t.z};
    const kin_vec3 linear = kin_scale(b->force[i], b->body[i].inv_mass * h), angular = kin_scale(turn, h);
    kin_rt_put3(gain->kick, within(rt, linear));
    kin_rt_put3(gain->kick + 3, within(rt, angular));
    return kin_finite3(linear) && kin_finite3(angular);
}

/* The gyroscopic change of spin in a substep is about h w^2 times how much the moments differ. */
static bool turns(const kin_body* b, kin_vec3 w, double h)
{
    bool whole = b->inv_moments.x > 0 && b->inv_moments.y > 0 && b->inv_moments.z > 0;
    return whole && h * kin_length2(w) * moment_spread(b) > TURNS_FROM;
}

static bool may_turn(const kin_realtime* rt, uint32_t i, kin_vec3 w, double h) { return i < rt->capacity[4] && turns(&rt->group->bodies.body[i], w, h); }

static void load_motion(kin_realtime* rt, uint32_t i, kin_vec3 v, kin_vec3 w)
{
    kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    *m = (kin_rt_motion){.v = {0}};
    kin_rt_put3(m->v, within(rt, v));
    kin_rt_put3(m->w, within(rt, w));
}

void kin_rt_line_load(kin_realtime* rt, uint32_t i, double h, int substeps)
{
    const kin_bodies* bodies = &rt->group->bodies;
    const kin_body* b = &bodies->body[i];
    kin_rt_frame* frame = &rt->lines.frame[kin_rt_line(i)];
    bool is_free = kin_rt_moves(rt, i), keyed = bodies->motion[i] == KIN_BODY_KEYED && h > 0, weighs = kin_rt_is_free(rt, i); /* asleep too (sleep.c) */
    kin_transform pose = keyed ? bodies->start[i] : kin_body_pose(b);
    kin_mat3 r = kin_quat_to_matrix(pose.orientation);
    load_frame(frame, &r, weighs ? b->inv_moments : kin_v(0, 0, 0), weighs ? b->inv_mass : 0);
    rt->lines.place[kin_rt_line(i)] = pose.position;
    rt->gain[i] = (kin_rt_gain){.kick = {0}}; /* of keyed ones and a block's: their lines keep their velocities */
    if (is_free && h > 0) {
        load_motion(rt, i, b->velocity, b->spin);
        if ((rt->body[i].flags & KIN_RT_IN_BLOCK) == 0 && !load_kick(rt, i, frame, h / substeps)) note_unsound(rt, i);
        bool top = may_turn(rt, i, b->spin, h / substeps);
        rt->body[i].flags = (uint16_t)((rt->body[i].flags & ~KIN_RT_TURNS) | (top ? KIN_RT_TURNS : 0));
        if (top)
            rt->top[i] = (kin_rt_top){.orientation = b->orientation, .spin = kin_length2(b->spin) <= SPEED_MAX * SPEED_MAX ? b->spin : cut_down(b->spin)},
            kin_rt_put3(rt->top[i].written, rt->top[i].spin);
    } else {
        load_motion(rt, i, keyed ? b->velocity : kin_v(0, 0, 0), keyed ? b->spin : kin_v(0, 0, 0));
    }
    kin_rt_solid_load(rt, i, pose, r, h);
}

/* ---- the box it may leave ---- */

kin_aabb kin_rt_box_along(const kin_realtime* rt, uint32_t i, kin_vec3 way, double grow)
{
    const kin_rt_body* b = &rt->body[i];
    const float* r = rt->lines.frame[kin_rt_line(i)].turn;
    kin_vec3 m = b->middle, e = b->half, c, half;
    c = kin_v((double)r[0] * m.x + (double)r[1] * m.y + (double)r[2] * m.z, (double)r[3] * m.x + (double)r[4] * m.y + (double)r[5] * m.z,
              (double)r[6] * m.x + (double)r[7] * m.y + (double)r[8] * m.z);
    half = kin_v(kin_abs((double)r[0]) * e.x + kin_abs((double)r[1]) * e.y + kin_abs((double)r[2]) * e.z,
                 kin_abs((double)r[3]) * e.x + kin_abs((double)r[4]) * e.y + kin_abs((double)r[5]) * e.z,
                 kin_abs((double)r[6]) * e.x + kin_abs((double)r[7]) * e.y + kin_abs((double)r[8]) * e.z);
    if (b->flags & KIN_RT_ROUND) half = e;
    return kin_aabb_grow(kin_aabb_sweep(kin_aabb_around(kin_add(rt->lines.place[kin_rt_line(i)], c), half), way), grow);
}

/* Of the form where the body is, grown by the motion it will make. */
static kin_aabb box_ahead(const kin_realtime* rt, uint32_t i, double h, double* stretch)
{
    const kin_rt_motion* motion = &rt->lines.motion[kin_rt_line(i)];
    double reach = (double)rt->glance[i].arm, turned = kin_min(h * kin_length(kin_rt_get3(motion->w)), 1) * reach;
    *stretch = kin_min(MARGIN * reach, MARGIN_MAX);
    return kin_rt_box_along(rt, i, kin_scale(kin_rt_get3(motion->v), h), 0.4 * *stretch + turned);
}

static void check_box(kin_realtime* rt, uint32_t i, double h)
{
    kin_rt_body* b = &rt->body[i];
    if ((b->flags & KIN_RT_HAS_PROXY) == 0) return;
    double stretch;
    kin_aabb box = box_ahead(rt, i, h, &stretch);
    if (kin_aabb_contains_box(kin_rt_fat(rt, i), box)) return;
    kin_vec3 shift = kin_scale(kin_rt_get3(rt->lines.motion[kin_rt_line(i)].v), h);
    kin_broad_shift(rt->broad, b->proxy, kin_aabb_grow(kin_aabb_sweep(box, shift), 0.6 * stretch), kin_v(0, 0, 0), NULL);
    b->flags |= KIN_RT_LEFT;
}

/* A sum of numbers is finite where they are; of such that may be. */
static bool is_sound(const kin_bodies* bodies, uint32_t i)
{
    const kin_body* b = &bodies->body[i];
    const kin_vec3 sum = kin_add(kin_add(kin_add(b->position, b->velocity), kin_add(b->spin, bodies->force[i])), bodies->torque[i]);
    return kin_finite(sum.x + sum.y + sum.z + b->orientation.x + b->orientation.y + b->orientation.z + b->orientation.w);
}

static void begin_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_rt_step* s = argument;
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = s->rt->active.data[k];
        s->rt->body[i].flags &= (uint16_t) ~(KIN_RT_FRESH | KIN_RT_CUT);
        if (!is_sound(&s->rt->group->bodies, i)) {
            note_unsound(s->rt, i);
            continue;
        }
        kin_rt_line_load(s->rt, i, s->h, s->substeps);
        check_box(s->rt, i, s->h);
    }
}

void kin_rt_begin(kin_rt_step* s) { kin_parallel_for(s->step->jobs, s->rt->active.count, GRAIN, begin_range, s); }

/* ---- through a substep ---- */

/* I (w1 - w0) + h wm x I wm = 0, wm = (w0 + w1) / 2, in the body's axes: energy and |L| stay (both are quadratic). Newton from w0. */
static kin_vec3 midpoint_spin(kin_vec3 moments, kin_vec3 w0, double h)
{
    kin_vec3 m = w0;
    for (int i = 0; i < 8; ++i) {
        kin_vec3 l = kin_mul(moments, m);
        kin_vec3 f = kin_add_scaled(kin_scale(kin_mul(moments, kin_sub(m, w0)), 2), h, kin_cross(m, l));
        kin_mat3 spin = kin_mat3_skew(m), momentum = kin_mat3_skew(l), inverse;
        kin_mat3 j = {kin_scale(spin.cx, moments.x), kin_scale(spin.cy, moments.y), kin_scale(spin.cz, moments.z)};
        j = kin_mat3_scale(kin_mat3_sub(j, momentum), h);
        j.cx.x += 2 * moments.x, j.cy.y += 2 * moments.y, j.cz.z += 2 * moments.z;
        if (!kin_mat3_inverse(j, &inverse)) return w0;
        kin_vec3 step = kin_mat3_apply(inverse, f);
        m = kin_sub(m, step);
        if (kin_length2(step) < 1e-20 * kin_length2(w0)) break;
    }
    return kin_finite3(m) ? m : w0;
}

/* Whatever Newton left, |L| is what it was: spins stay finite. */
static kin_vec3 same_momentum(kin_vec3 moments, kin_vec3 w1, kin_vec3 w0)
{
    double before = kin_length(kin_mul(moments, w0)), after = kin_length(kin_mul(moments, w1));
    return after > 0 ? kin_scale(w1, before / after) : w0;
}

/* A body turns freely for h, from a spin in the world. The midpoint rule keeps energy and the size of the angular momentum; what its direction is off in the
 * world is taken out of the orientation. */
static void turn_freely(kin_rt_top* top, const kin_body* b, kin_vec3 w, double h)
{
    const kin_quat q = top->orientation;
    const kin_vec3 w0 = kin_unrotate(q, w), mean = midpoint_spin(b->moments, w0, h);
    const kin_vec3 w1 = same_momentum(b->moments, kin_sub(kin_scale(mean, 2), w0), w0);
    const kin_quat to = kin_quat_mul(q, kin_quat_from_rotation_vector(kin_scale(mean, h)));
    const kin_quat back = kin_quat_between(kin_rotate(to, kin_mul(b->moments, w1)), kin_rotate(q, kin_mul(b->moments, w0)));
    top->next = kin_quat_normalize(kin_quat_mul(back, to));
    top->spin = kin_rotate(top->next, w1);
    top->ahead = kin_sub(kin_rotate(q, mean), top->spin);
}

/* What changed a line's spin since it was written from a top's. */
static kin_vec3 spin_change(const kin_rt_top* top, const kin_rt_motion* m) { return kin_sub(kin_rt_get3(m->w), kin_rt_get3(top->written)); }

kin_vec3 kin_rt_spin(const kin_realtime* rt, uint32_t i) { return kin_add(rt->top[i].spin, spin_change(&rt->top[i], &rt->lines.motion[kin_rt_line(i)])); }

/* Free, and not moved by a direct block. */
static bool is_ours(const kin_realtime* rt, uint32_t i) { return kin_rt_is_free(rt, i) && (rt->body[i].flags & KIN_RT_IN_BLOCK) == 0; }

/* What turns by itself has its spin changed before the forces act. What contacts gave it in the last substep (d of kernels.c) goes with the spin. */
static void turn_tops(kin_rt_step* s, const uint32_t* bodies, int64_t count)
{
    kin_realtime* rt = s->rt;
    for (int64_t k = 0; k < count; ++k) {
        uint32_t i = bodies[k];
        if ((rt->body[i].flags & KIN_RT_TURNS) == 0 || !is_ours(rt, i)) continue;
        kin_rt_top* top = &rt->top[i];
        float *w = rt->lines.motion[kin_rt_line(i)].w, *base = rt->gain[i].base + 3, d[3];
        for (int e = 0; e < 3; ++e) d[e] = w[e] - base[e];
        turn_freely(top, &rt->group->bodies.body[i], kin_rt_spin(rt, i), s->sub);
        kin_rt_put3(top->written, top->spin);
        for (int e = 0; e < 3; ++e) w[e] = top->written[e], base[e] = w[e] - d[e];
        const kin_mat3 r = kin_quat_to_matrix(top->next);
        load_inertia(&rt->lines.frame[kin_rt_line(i)], &r, rt->group->bodies.body[i].inv_moments); /* for impacts */
    }
}

/* Keyed bodies that are accelerated: their lines begin with what they have half a substep before the interval, and gain their share in each kick. The sum of their
 * ways is that of the mean. */
static void lead_keyed(const kin_rt_step* s, const uint32_t* bodies, int64_t count)
{
    kin_realtime* rt = s->rt;
    const kin_bodies* all = &rt->group->bodies;
    const double share = 1.0 / s->substeps, back = -0.5 * (1 + share);
    for (int64_t k = 0; k < count; ++k) {
        const uint32_t i = bodies[k];
        if (all->motion[i] != KIN_BODY_KEYED) continue;
        const kin_twist* gain = &all->drive[i].gain;
        kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
        if (!(kin_length2(gain->velocity) + kin_length2(gain->spin) > 0)) continue;
        kin_rt_put3(m->v, kin_add_scaled(kin_rt_get3(m->v), back, gain->velocity)), kin_rt_put3(m->w, kin_add_scaled(kin_rt_get3(m->w), back, gain->spin));
        kin_rt_put3(rt->gain[i].kick, kin_scale(gain->velocity, share)), kin_rt_put3(rt->gain[i].kick + 3, kin_scale(gain->spin, share));
    }
}

typedef struct kick_job {
    kin_rt_step* s;
    bool first;
} kick_job;

static void kick_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kick_job* job = argument;
    kin_realtime* rt = job->s->rt;
    if (job->first) lead_keyed(job->s, rt->active.data + begin, end - begin);
    turn_tops(job->s, rt->active.data + begin, end - begin);
    rt->kernels->kick(&rt->lines, rt->gain, rt->active.data + begin, (int)(end - begin), job->first);
}

void kin_rt_kick(kin_rt_step* s, bool first)
{
    kick_job job = {s, first};
    kin_parallel_for(s->step->jobs, s->rt->active.count, SUBSTEP_GRAIN, kick_range, &job);
}

static bool is_struck(const kin_realtime* rt, uint32_t i) { return rt->lines.motion[kin_rt_line(i)].struck > 0; }

/* A blow gave a body spin enough to turn by itself: from the next substep on. */
static void begin_top(kin_rt_step* s, uint32_t i)
{
    kin_realtime* rt = s->rt;
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    const kin_body* b = &rt->group->bodies.body[i];
    const kin_vec3 dr = kin_add_scaled(kin_rt_get3(m->dr), -s->sub, kin_rt_get3(m->w));
    const kin_quat q = kin_quat_mul(kin_quat_from_rotation_vector(dr), b->orientation);
    rt->body[i].flags |= KIN_RT_TURNS;
    rt->top[i] = (kin_rt_top){.orientation = q, .next = kin_quat_integrate(q, b->spin, s->sub), .spin = b->spin};
    kin_rt_put3(rt->top[i].written, b->spin);
}

/* rad/s: of a top that no joint holds, which would have it move at once. */
static kin_vec3 change_by_impacts(const kin_realtime* rt, uint32_t i)
{
    if (!is_struck(rt, i) || rt->body[i].joint_colours != 0) return kin_v(0, 0, 0);
    return kin_sub(kin_rt_get3(rt->gain[i].base + 3), kin_add(kin_rt_get3(rt->top[i].written), kin_rt_get3(rt->gain[i].kick + 3)));
}

/* What impacts changed counts where the body will have turned to without them: there inertia is taken (turn_tops), and energy and angular momentum are what they
 * left. */
static void drift_top(kin_rt_step* s, uint32_t i)
{
    kin_realtime* rt = s->rt;
    kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    kin_rt_top* top = &rt->top[i];
    const kin_vec3 impact = change_by_impacts(rt, i), ahead = kin_sub(top->ahead, impact);
    const bool by_itself = kin_length2(kin_sub(spin_change(top, m), impact)) == 0;
    top->orientation = by_itself ? top->next : kin_quat_integrate(top->orientation, kin_add(kin_rt_get3(m->w), ahead), s->sub);
    kin_rt_put3(m->dr, kin_add_scaled(kin_rt_get3(m->dr), s->sub, ahead));
}

static void drift_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_rt_step* s = argument;
    kin_realtime* rt = s->rt;
    rt->kernels->drift(&rt->lines, rt->active.data + begin, (int)(end - begin), (float)s->sub);
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = rt->active.data[k];
        if (is_struck(rt, i) && (rt->body[i].flags & KIN_RT_TURNS) == 0 && is_ours(rt, i)
            && may_turn(rt, i, kin_rt_get3(rt->lines.motion[kin_rt_line(i)].w), s->sub))
            begin_top(s, i);
        if ((rt->body[i].flags & KIN_RT_TURNS) != 0 && is_ours(rt, i)) drift_top(s, i);
    }
}

void kin_rt_drift(kin_rt_step* s) { kin_parallel_for(s->step->jobs, s->rt->active.count, SUBSTEP_GRAIN, drift_range, s); }

/* ---- out ---- */

/* A turn by an angle t moves a point at arm r by 2 r sin(t/2); the unit quaternions before and after it are 2 sin(t/4) apart, which is no less than half of that. A
 * plane has no end: its reach counts as finite, so that the path of one that only slides is its slide, and paths can be kept (narrow.c bounds it likewise). */
static double path_between(kin_transform from, kin_transform to, double reach)
{
    const kin_quat p = from.orientation, q = to.orientation;
    const double sign = kin_quat_dot(p, q) < 0 ? -1 : 1, x = q.x - sign * p.x, y = q.y - sign * p.y, z = q.z - sign * p.z, w = q.w - sign * p.w;
    return kin_distance(from.position, to.position) + 2 * kin_min(reach, 1e30) * kin_sqrt(x * x + y * y + z * z + w * w);
}

void kin_rt_travel_add(kin_realtime* rt, uint32_t i)
{
    const kin_bodies* bodies = &rt->group->bodies;
    rt->travel[i].gone += path_between(bodies->start[i], bodies->end[i], bodies->skin[i].reach);
}

void kin_rt_travel_between(kin_realtime* rt, uint32_t i, kin_transform from, kin_transform to)
{
    rt->travel[i].gone += path_between(from, to, rt->group->bodies.skin[i].reach);
}

/* exp(dr/2) q: sine and cosine by their series, for the turns of an interval are small; others by the exact ones. */
static kin_quat turned(kin_quat q, kin_vec3 dr)
{
    double t = 0.25 * kin_length2(dr);
    if (t > 0.25) return kin_quat_normalize(kin_quat_mul(kin_quat_from_rotation_vector(dr), q));
    double s = 0.5 * (1 - t * (1.0 / 6 - t * (1.0 / 120 - t * (1.0 / 5040 - t / 362880))));
    double c = 1 - t * (0.5 - t * (1.0 / 24 - t * (1.0 / 720 - t / 40320)));
    kin_quat p = kin_quat_mul((kin_quat){s * dr.x, s * dr.y, s * dr.z, c}, q);
    return kin_quat_scale(p, 1 / kin_sqrt(kin_quat_dot(p, p)));
}

/* What a line leaves out of a velocity for want of digits comes back, or every interval after one that ended with doubles (momentum.c) would lose some 1e-8 of it. Too
 * large ones are cut, and told of. */
static kin_vec3 left_out(kin_vec3 v)
{
    if (!(kin_length2(v) <= SPEED_MAX * SPEED_MAX)) return kin_v(0, 0, 0);
    volatile float line[3]; /* kept: gcc 12 takes (double)(float)x for x where it does two at once */
    line[0] = (float)v.x, line[1] = (float)v.y, line[2] = (float)v.z;
    return kin_v(v.x - (double)line[0], v.y - (double)line[1], v.z - (double)line[2]); /* + 0 where it is none: no -0 comes of a sum with it */
}

/* A way that only rounding parts from that of a steady velocity is that, or a free body would leave its line by 1e-8 of its way: four sums, and the substep. */
static double steady(double dx, double way) { return kin_abs(dx - way) <= 8 * FLT_EPSILON * kin_abs(way) ? way : dx; }

/* A body that turns alone, too slowly for a top: its angular momentum is that of its spin as the interval began. Where it is now it spins accordingly. Of others contacts and
 * joints have said how they move. */
static kin_vec3 spin_after(const kin_body* b, kin_quat before, kin_vec3 w, double h)
{
    const double turn = h * kin_length2(w);
    if (turn < ROUNDING || turn * moment_spread(b) < ROUNDING || !(b->inv_moments.x > 0 && b->inv_moments.y > 0 && b->inv_moments.z > 0)) return w;
    const kin_vec3 momentum = kin_rotate(before, kin_mul(b->moments, kin_unrotate(before, w)));
    return kin_rotate(b->orientation, kin_mul(b->inv_moments, kin_unrotate(b->orientation, momentum)));
}

static void finish_body(kin_rt_step* s, uint32_t i)
{
    kin_realtime* rt = s->rt;
    kin_bodies* bodies = &rt->group->bodies;
    kin_body* b = &bodies->body[i];
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    const kin_vec3 way = kin_scale(b->velocity, s->h), v = kin_add(kin_rt_get3(m->v), left_out(b->velocity));
    const kin_vec3 dx = {steady((double)m->dx[0], way.x), steady((double)m->dx[1], way.y), steady((double)m->dx[2], way.z)}, to = kin_add(b->position, dx);
    bodies->start[i] = kin_body_pose(b);
    const bool top = (rt->body[i].flags & KIN_RT_TURNS) != 0;
    const kin_vec3 w = top ? kin_rt_spin(rt, i) : kin_add(kin_rt_get3(m->w), left_out(b->spin));
    if (kin_finite3(to) && kin_finite3(v) && kin_finite3(w) && kin_finite3(kin_rt_get3(m->dr))) {
        b->position = to;
        b->orientation = top ? kin_quat_normalize(rt->top[i].orientation) : turned(b->orientation, kin_rt_get3(m->dr));
        b->velocity = v;
        b->spin = top || !kin_rt_is_alone(rt, i) ? w : spin_after(b, bodies->start[i].orientation, w, s->h);
    } else {
        note_unsound(rt, i); /* it stays as it was */
    }
    bodies->end[i] = kin_body_pose(b);
}

static void finish_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_rt_step* s = argument;
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = s->rt->active.data[k];
        if (is_ours(s->rt, i)) finish_body(s, i);
        if ((s->rt->body[i].flags & KIN_RT_IN_BLOCK) == 0) kin_rt_travel_add(s->rt, i); /* else blocks.c does */
    }
}

void kin_rt_finish(kin_rt_step* s) { kin_parallel_for(s->step->jobs, s->rt->active.count, GRAIN, finish_range, s); }
