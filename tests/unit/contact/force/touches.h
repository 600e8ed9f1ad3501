/* touches.h - scenes of touching bodies for tests and what forces do to them. */
#pragma once
#include "contact/force/force.h"
#include "../impulse/hits.h"

#define GRAVITY 9.81
enum { SCENE_BODIES = 16, SCENE_TOUCHES = 64, SCENE_ROWS = 32 };

typedef struct scene {
    kin_body bodies[SCENE_BODIES];
    kin_vec3 force[SCENE_BODIES], torque[SCENE_BODIES];
    kin_touching touching[SCENE_TOUCHES];
    uint32_t joint_a[SCENE_ROWS], joint_b[SCENE_ROWS];
    kin_joint_row rows[SCENE_ROWS];
    uint32_t count;
    int touches, joints;
    /* found */
    double out[3 * SCENE_TOUCHES], multipliers[SCENE_ROWS];
    kin_vec3 tangents[SCENE_TOUCHES], linear[SCENE_BODIES], angular[SCENE_BODIES]; /* accelerations with contact */
    uint8_t handed[SCENE_TOUCHES];
    kin_force_report report;
} scene;

static inline uint32_t scene_add(scene* s, kin_body b)
{
    s->bodies[s->count] = b;
    s->force[s->count] = kin_v(0, -GRAVITY * b.mass, 0);
    return s->count++;
}

static inline kin_touching* scene_touch(scene* s, uint32_t a, uint32_t b, kin_vec3 point, kin_vec3 normal, double mu)
{
    kin_touching* c = &s->touching[s->touches++];
    *c = (kin_touching){.a = a, .b = b, .point = point, .normal = normal, .mu_static = {mu, mu}, .mu_dynamic = {mu, mu}};
    return c;
}

/* The corners of a box of this size whose lower face is at the height of `at`. */
static inline void scene_corners(scene* s, uint32_t a, uint32_t b, kin_vec3 at, double size, double mu)
{
    for (int i = 0; i < 4; ++i) scene_touch(s, a, b, kin_add(at, kin_scale(kin_v(i & 1 ? 0.5 : -0.5, 0, i & 2 ? 0.5 : -0.5), size)), kin_v(0, 1, 0), mu);
}

static inline kin_force_cluster scene_cluster(const scene* s, kin_force_method method)
{
    return (kin_force_cluster){.bodies = s->bodies,
                               .body_count = s->count,
                               .force = s->force,
                               .torque = s->torque,
                               .touching = s->touching,
                               .count = s->touches,
                               .joint_a = s->joint_a,
                               .joint_b = s->joint_b,
                               .joint_rows = s->rows,
                               .joint_count = s->joints,
                               .method = method,
                               .slip_threshold = 1e-6,
                               .h = 0.01};
}

/* Finds the forces, then the accelerations they leave. */
static inline void scene_solve(scene* s, kin_force_method method, kin_arena* scratch)
{
    kin_force_cluster c = scene_cluster(s, method);
    kin_vec3 force[SCENE_BODIES], torque[SCENE_BODIES];
    s->report = kin_forces_find(&c, s->out, s->tangents, s->handed, s->multipliers, scratch);
    memcpy(force, s->force, sizeof force);
    memcpy(torque, s->torque, sizeof torque);
    kin_forces_add(&c, s->out, s->tangents, s->multipliers, force, torque);
    for (uint32_t i = 0; i < s->count; ++i) {
        const kin_body* b = &s->bodies[i];
        s->linear[i] = kin_scale(force[i], b->inv_mass);
        s->angular[i] = kin_body_inv_inertia_times(b, kin_sub(torque[i], kin_cross(b->spin, kin_body_angular_momentum(b))));
    }
}

/* A ball joint at a point: three rows; b may be KIN_NO_BODY. Bodies at rest: no bias. */
static inline void ball_joint_rows(const kin_body* bodies, uint32_t a, uint32_t b, kin_vec3 at, kin_joint_row rows[3])
{
    for (int i = 0; i < 3; ++i) {
        kin_vec3 d = kin_axis(i);
        rows[i] = (kin_joint_row){.linear_a = d, .angular_a = kin_cross(kin_sub(at, bodies[a].position), d)};
        if (b == KIN_NO_BODY) continue;
        rows[i].linear_b = kin_neg(d);
        rows[i].angular_b = kin_cross(d, kin_sub(at, bodies[b].position));
    }
}

static inline void scene_ball_joint(scene* s, uint32_t a, uint32_t b, kin_vec3 at)
{
    ball_joint_rows(s->bodies, a, b, at, &s->rows[s->joints]);
    for (int i = 0; i < 3; ++i, ++s->joints) s->joint_a[s->joints] = a, s->joint_b[s->joints] = b;
}
