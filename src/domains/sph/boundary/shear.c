/* shear.c - friction with walls as a term of the implicit viscous solve (physics/implicit.c). Friction after that solve would stop the first layer alone, once a
 * tick: a block of honey ten layers high would slide at ten times h g, and a sphere would move with the layer round it. So every touch of a particle with a wall
 * enters as what straining takes between it and the mirrored layers behind the wall (rub.c):
 *
 *     S |q|^2 + T |P (s - W)|^2,      q = P (u - d s x n - w),     S = h eta |share'| / d V,    T = h eta share V,     P = 1 - n n^T
 *
 * u and s are the velocity and the turning rate of the particle's surroundings, w and W those of the wall where it is nearest, d below the particle. q is the slip of
 * the fluid at the wall's surface but for the half of the shear that is turning: in a shear flow P u - w is twice that, and 2 S q is the force of rub.c. T are the
 * mirrored layers' moments along the wall, which add up to the share they fill (integrate x^2 W'(r) / r over a plane by parts). Without them s would know but half of
 * its surroundings, and fluid would seem to stick an eighth of a spacing before the wall.
 *
 * Where the wall is a body, its motion changes by y, six more unknowns with the energy y.M y / 2. They are eliminated, J = d(w, W)/dy:
 *
 *     y = (M + sum J^T S J)^-1 sum J^T S (u, s)(w0)              what a body answers, exactly
 *     A -= S J (M + sum J^T S J)^-1 J^T S                        symmetric, and A stays positive: a light body drifts with the fluid, a heavy one stands in it
 *
 * The solve goes through the stages of a method of Runge and Kutta (implicit.c), and so do bodies: as particles do they begin where the tick began, and over it get
 * what their load and the pressures foreseen make of their motion. All their motions here are relative to the one they are felt with, which is that of the tick's
 * end. */
#include "domains/sph/boundary/drag.h"
#include <string.h>

/* A touch as it enters: slip is q and turn is P (s - W), of what velocities and of whom the caller says. */
typedef struct friction {
    kin_vec3 normal, arm; /* arm: from a body's centre to the wall where it is nearest, m */
    double distance;      /* m */
    double shear, turn;   /* 2 S, kg; 2 T, kg m^2 */
} friction;

static friction friction_of(const kin_sph_wall_shear* s, uint32_t particle, const kin_sph_near* near)
{
    double by = 2 * s->h * s->f->walls->friction * (double)s->eta[particle] * (double)s->f->volume;
    return (friction){.normal = kin_sph_wide(near->normal),
                      .distance = (double)near->distance,
                      .shear = by * (double)near->grip,
                      .turn = near->wall_turns ? by * (double)near->share : 0};
}

static friction friction_with_body(const kin_sph_wall_shear* s, const kin_sph_hold_on* g)
{
    friction one = friction_of(s, g->particle, &g->near);
    one.arm = kin_add_scaled(g->arm, -one.distance, one.normal);
    return one;
}

static kin_vec3 across(const kin_sph_wall_shear* s, const friction* one, kin_vec3 v)
{
    return kin_sph_flatten(s->f->walls->flat, kin_add_scaled(v, -kin_dot(v, one->normal), one->normal));
}

/* What acts against u and against s, per slip and turn: the derivatives of the energy. */
typedef struct action {
    kin_vec3 force, moment;
} action;

static action action_of(const friction* one, kin_vec3 slip, kin_vec3 turn)
{
    kin_vec3 force = kin_scale(slip, one->shear);
    return (action){force, kin_add_scaled(kin_scale(kin_cross(one->normal, force), -one->distance), one->turn, turn)};
}

static kin_vec3 slip_of(const kin_sph_wall_shear* s, const friction* one, kin_vec3 u, kin_vec3 spin)
{
    return across(s, one, kin_add_scaled(u, -one->distance, kin_cross(spin, one->normal)));
}
/* In the plane turning is about z, which is across any normal. */
static kin_vec3 turn_of(const kin_sph_wall_shear* s, const friction* one, kin_vec3 spin)
{
    return s->f->walls->flat ? kin_v(0, 0, spin.z) : kin_add_scaled(spin, -kin_dot(spin, one->normal), one->normal);
}

static kin_vec3 wide_at(const float* fours, uint32_t i) { return kin_sph_wide(fours + 4 * (size_t)i); }

/* fours -= v */
static void lower(float* fours, uint32_t i, kin_vec3 v) { kin_sph_narrow(fours + 4 * (size_t)i, kin_sub(wide_at(fours, i), v)); }

#define EACH_HOLD(walls, body, g) for (const kin_sph_hold_on* g = (walls)->gives + (body)->first; g < (walls)->gives + (body)->first + (body)->count; ++g)
#define EACH_BODY(f, b)                                                                                                                                        \
    for (kin_sph_body* b = (f)->walls->bodies; kin_sph_walls_give(f) && b < (f)->walls->bodies + (f)->walls->body_count; ++b)                                  \
        if (b->count > 0)

/* ---- bodies ---- */

/* The part of the moment that turns the wall itself. */
static kin_vec3 own_moment(const friction* one, action a) { return kin_add_scaled(a.moment, one->distance, kin_cross(one->normal, a.force)); }

static kin_twist motion_of(const kin_sph_body* body, const friction* one)
{
    return (kin_twist){kin_sph_twist_at(body->shear.now, one->arm), body->shear.now.spin};
}

static void push_body(kin_sph_body* body, const friction* one, action a)
{
    double* y = body->shear.drag.push;
    kin_vec3 q = kin_add(kin_cross(one->arm, a.force), own_moment(one, a));
    y[0] += a.force.x, y[1] += a.force.y, y[2] += a.force.z, y[3] += q.x, y[4] += q.y, y[5] += q.z;
}

void kin_sph_walls_shear_begin(const kin_sph_wall_shear* s, const float* k)
{
    double passes = s->tick->end - s->tick->begin;
    if (s->f->walls == NULL) return;
    EACH_BODY(s->f, body)
    {
        kin_wrench thrust = {{0, 0, 0}, {0, 0, 0}};
        if (k != NULL) thrust = kin_sph_body_thrust(s->f, body, k, (double)s->tick->h);
        kin_twist load = kin_sph_twist_scale(body->load, passes);
        body->shear = (kin_sph_body_shear){.from = kin_sph_twist_scale(load, -1), .force = load};
        kin_sph_twist_add(&body->shear.force, kin_sph_body_answer(body, thrust.impulse, thrust.angular));
        EACH_HOLD(s->f->walls, body, g)
        {
            friction one = friction_with_body(s, g);
            for (int c = 0; c < 6; ++c) {
                kin_twist unit = {c < 3 ? kin_axis(c) : kin_cross(kin_axis(c - 3), one.arm), c < 3 ? kin_v(0, 0, 0) : kin_axis(c - 3)};
                memset(body->shear.drag.push, 0, sizeof body->shear.drag.push);
                push_body(body, &one, action_of(&one, across(s, &one, unit.velocity), turn_of(s, &one, unit.spin)));
                for (int r = 0; r < 6; ++r) body->shear.drag.matrix[r][c] += body->shear.drag.push[r];
            }
        }
    }
}

void kin_sph_walls_shear_enter(const kin_sph_wall_shear* s, double rise, double mix)
{
    if (s->f->walls == NULL) return;
    EACH_BODY(s->f, body)
    {
        kin_sph_body_shear* one = &body->shear;
        one->now = kin_sph_twist_scale(one->from, 1 - mix);
        kin_sph_twist_add(&one->now, kin_sph_twist_scale(one->force, rise));
        kin_sph_twist_add(&one->now, kin_sph_twist_scale(one->first, mix));
    }
}

/* ---- the operator: walls that stand, particles that move by u and s ---- */

void kin_sph_walls_shear_add(const kin_sph_wall_shear* s, size_t chunk, const float* u4, const float* s4, float* q4, float* t4)
{
    kin_sph* f = s->f;
    if (f->walls == NULL || f->walls->near_count == 0) return;
    const double per_volume = -1 / (double)f->volume;
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        friction one = friction_of(s, t->particle, &t->near);
        kin_vec3 spin = wide_at(s4, t->particle);
        action a = action_of(&one, slip_of(s, &one, wide_at(u4, t->particle), spin), turn_of(s, &one, spin));
        lower(q4, t->particle, kin_scale(a.force, per_volume));
        lower(t4, t->particle, kin_scale(a.moment, per_volume));
    }
}

void kin_sph_walls_shear_weigh(const kin_sph_wall_shear* s, size_t chunk, float* inverse)
{
    kin_sph* f = s->f;
    if (f->walls == NULL || f->walls->near_count == 0) return;
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        double more = friction_of(s, t->particle, &t->near).shear / (double)f->volume * 2 / 3;
        inverse[t->particle] = (float)(1 / (1 / (double)inverse[t->particle] + more));
    }
}

double kin_sph_walls_shear_answer(const kin_sph_wall_shear* s, const float* u4, const float* s4, float* q4, float* t4)
{
    double work = 0, per_volume = 1 / (double)s->f->volume;
    if (s->f->walls == NULL) return 0;
    EACH_BODY(s->f, body)
    {
        memset(body->shear.drag.push, 0, sizeof body->shear.drag.push);
        EACH_HOLD(s->f->walls, body, g)
        {
            friction one = friction_with_body(s, g);
            kin_vec3 spin = wide_at(s4, g->particle);
            push_body(body, &one, action_of(&one, slip_of(s, &one, wide_at(u4, g->particle), spin), turn_of(s, &one, spin)));
        }
        kin_twist y = kin_sph_drag_solve(&body->shear.drag, body);
        EACH_HOLD(s->f->walls, body, g)
        {
            friction one = friction_with_body(s, g);
            action a = action_of(&one, across(s, &one, kin_sph_twist_at(y, one.arm)), turn_of(s, &one, y.spin));
            lower(q4, g->particle, kin_scale(a.force, per_volume));
            lower(t4, g->particle, kin_scale(a.moment, per_volume));
            work += per_volume * (kin_dot(a.force, wide_at(u4, g->particle)) + kin_dot(a.moment, wide_at(s4, g->particle)));
        }
    }
    return work;
}

/* ---- what it does ---- */

typedef struct change_job {
    const kin_sph_wall_shear* s;
    const float *u4, *s4;
    float *v4, *t4;
    double weight;
} change_job;

/* Slip and turn against a wall that moves so where the particle is nearest. */
static action against(const kin_sph_wall_shear* s, const friction* one, uint32_t particle, const float* u4, const float* s4, kin_twist wall)
{
    kin_vec3 spin = wide_at(s4, particle);
    return action_of(one, kin_sub(slip_of(s, one, wide_at(u4, particle), spin), across(s, one, wall.velocity)), turn_of(s, one, kin_sub(spin, wall.spin)));
}

/* v4 less weight x what a touch takes; returns it to the last bit, N s. */
static kin_vec3 take(const change_job* job, uint32_t particle, action a)
{
    const kin_sph* f = job->s->f;
    double mass = (double)f->phases[f->phase[particle]].mass;
    kin_vec3 was = wide_at(job->v4, particle);
    lower(job->v4, particle, kin_scale(a.force, job->weight / mass));
    if (job->t4 != NULL) lower(job->t4, particle, kin_scale(a.moment, job->weight / (double)f->volume));
    return kin_scale(kin_sub(was, wide_at(job->v4, particle)), mass);
}

/* Of a wall as it is felt. */
static kin_twist felt_motion(const kin_sph_near* near, double distance)
{
    kin_vec3 spin = kin_sph_wide(near->spin), normal = kin_sph_wide(near->normal);
    return (kin_twist){kin_add_scaled(kin_sph_wide(near->velocity), -distance, kin_cross(spin, normal)), spin};
}

/* Walls that stand or follow their keys. */
static void some_changes(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const change_job* job = argument;
    (void)begin, (void)end;
    if (f->walls == NULL || f->walls->near_count == 0) return;
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        if (f->walls->near[t->wall].body != KIN_SPH_NO_BODY) continue;
        friction one = friction_of(job->s, t->particle, &t->near);
        take(job, t->particle, against(job->s, &one, t->particle, job->u4, job->s4, felt_motion(&t->near, one.distance)));
    }
}

static kin_twist body_motion(const kin_sph_body* body, const kin_sph_hold_on* g, const friction* one)
{
    kin_twist w = felt_motion(&g->near, one->distance);
    kin_sph_twist_add(&w, motion_of(body, one));
    return w;
}

/* How the body's motion changes where particles move by u and s. */
static kin_twist answer_of(const kin_sph_wall_shear* s, kin_sph_body* body, const float* u4, const float* s4)
{
    memset(body->shear.drag.push, 0, sizeof body->shear.drag.push);
    EACH_HOLD(s->f->walls, body, g)
    {
        friction one = friction_with_body(s, g);
        push_body(body, &one, against(s, &one, g->particle, u4, s4, body_motion(body, g, &one)));
    }
    return kin_sph_drag_solve(&body->shear.drag, body);
}

static void change_by_body(const change_job* job, kin_sph_body* body, bool final)
{
    const kin_sph_wall_shear* s = job->s;
    kin_twist y = answer_of(s, body, job->u4, job->s4);
    EACH_HOLD(s->f->walls, body, g)
    {
        friction one = friction_with_body(s, g);
        kin_twist w = body_motion(body, g, &one);
        kin_sph_twist_add(&w, (kin_twist){kin_sph_twist_at(y, one.arm), y.spin});
        action a = against(s, &one, g->particle, job->u4, job->s4, w);
        kin_vec3 p = take(job, g->particle, a), turn = own_moment(&one, a);
        if (!final) continue;
        body->shear.taken.impulse = kin_add(body->shear.taken.impulse, p);
        body->shear.taken.angular = kin_add(body->shear.taken.angular, kin_add_scaled(kin_cross(one.arm, p), job->weight, turn));
    }
}

void kin_sph_walls_shear_change(const kin_sph_wall_shear* s, const float* u4, const float* s4, float* v4, float* t4, double weight, bool final)
{
    change_job job = {s, u4, s4, v4, t4, weight};
    if (s->f->walls == NULL) return;
    kin_sph_for(s->f, s->tick->step->jobs, some_changes, &job);
    EACH_BODY(s->f, body)
    change_by_body(&job, body, final);
}

void kin_sph_walls_shear_leave(const kin_sph_wall_shear* s, const float* u4, const float* s4, bool part)
{
    if (s->f->walls == NULL) return;
    EACH_BODY(s->f, body)
    {
        kin_twist after = answer_of(s, body, u4, s4);
        kin_sph_twist_add(&after, body->shear.now);
        *(part ? &body->shear.from : &body->shear.first) = after;
    }
}

void kin_sph_walls_shear_end(const kin_sph_wall_shear* s)
{
    if (s->f->walls == NULL) return;
    EACH_BODY(s->f, body)
    kin_sph_body_give(s->f, s->tick->step->solids, body, body->shear.taken);
}

/* ---- particles with a turning rate of their own ---- */

void kin_sph_walls_turning_add(const kin_sph_wall_shear* s, size_t chunk, const float* u4, float* matrix, float* moment4)
{
    kin_sph* f = s->f;
    if (f->walls == NULL || f->walls->near_count == 0 || !(f->walls->friction > 0)) return;
    const double per_volume = 1 / (double)f->volume;
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        friction one = friction_of(s, t->particle, &t->near);
        kin_twist wall = felt_motion(&t->near, one.distance);
        action still = action_of(&one, across(s, &one, kin_sub(wide_at(u4, t->particle), wall.velocity)), turn_of(s, &one, kin_neg(wall.spin)));
        lower(moment4, t->particle, kin_scale(still.moment, per_volume));
        /* of a turn: (2 S d^2 + 2 T) P */
        const double by = per_volume * (one.shear * one.distance * one.distance + one.turn);
        const kin_vec3 n = one.normal;
        const double p[6] = {1 - n.x * n.x, 1 - n.y * n.y, 1 - n.z * n.z, -n.x * n.y, -n.x * n.z, -n.y * n.z};
        float* m = matrix + 48 * (size_t)(t->particle / 8) + t->particle % 8;
        for (int k = 0; k < 6; ++k) m[8 * k] += (float)(by * p[k]);
    }
}

void kin_sph_walls_turning_end(const kin_sph_wall_shear* s, const float* u4, const float* s4)
{
    kin_sph* f = s->f;
    if (f->walls == NULL || !(f->walls->friction > 0)) return;
    EACH_BODY(f, body)
    {
        kin_wrench sum = {{0, 0, 0}, {0, 0, 0}};
        EACH_HOLD(f->walls, body, g)
        {
            friction one = friction_with_body(s, g);
            action a = against(s, &one, g->particle, u4, s4, felt_motion(&g->near, one.distance));
            sum.angular = kin_add_scaled(sum.angular, (double)s->tick->h, a.moment);
        }
        kin_sph_body_give(f, s->tick->step->solids, body, sum);
    }
}
