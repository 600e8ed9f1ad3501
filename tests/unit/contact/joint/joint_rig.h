/* joint_rig.h - random bodies and joints of every kind, and small motions of them. */
#pragma once
#include "contact/joint/joint.h"
#include "math/random.h"
#include "support/test.h"

typedef struct joint_rig {
    kin_rng_key key;
    uint32_t draw;
    kin_body a, b;
    kin_joint joint;
} joint_rig;

static inline double rig_number(joint_rig* r, double low, double high) { return kin_rng_uniform(&r->key, r->draw++, low, high); }
/* One draw a statement: compilers differ in the order of arguments. */
static inline kin_vec3 rig_between(joint_rig* r, double low, double high)
{
    double x = rig_number(r, low, high), y = rig_number(r, low, high), z = rig_number(r, low, high);
    return kin_v(x, y, z);
}
static inline kin_vec3 rig_vector(joint_rig* r, double size) { return rig_between(r, -size, size); }

static inline kin_body rig_body(joint_rig* r)
{
    kin_body b = {.mass = rig_number(r, 0.5, 2)};
    b.position = rig_vector(r, 1);
    b.velocity = rig_vector(r, 1);
    b.spin = rig_vector(r, 1);
    b.orientation = kin_quat_from_rotation_vector(rig_vector(r, 2));
    b.moments = rig_between(r, 0.1, 0.3);
    b.inv_mass = 1 / b.mass;
    b.inv_moments = kin_v(1 / b.moments.x, 1 / b.moments.y, 1 / b.moments.z);
    return b;
}

/* A def that kin_joint_make takes, without freedoms but for what a mouse must have. */
static inline kin_joint_def rig_def(joint_rig* r, kin_joint_kind kind)
{
    kin_joint_def d = {.kind = kind, .ratio = 1.7};
    d.anchor = rig_vector(r, 1);
    d.axis = rig_vector(r, 1);
    d.axis_b = rig_vector(r, 1);
    if (kind == KIN_JOINT_DISTANCE || kind == KIN_JOINT_ROPE || kind == KIN_JOINT_PULLEY) {
        d.has_anchor_b = true;
        d.anchor_b = rig_vector(r, 1);
    }
    if (kind == KIN_JOINT_GEAR && r->key.serial / 3 % 3 > 0) { /* on a frame that turns: bevel gears, parallel axles */
        d.has_anchor_b = true;
        d.anchor_b = rig_vector(r, 1);
        if (r->key.serial / 3 % 3 == 2) d.axis_b = d.axis;
    }
    d.ground_a = kin_add(d.anchor, kin_v(0.2, 3, 0.1));
    d.ground_b = kin_add(d.anchor_b, kin_v(-0.3, 2, 0.4));
    d.target = kin_add(d.anchor, rig_vector(r, 1));
    if (kind == KIN_JOINT_MOUSE) d.freedom[0] = (kin_joint_freedom){.stiffness = 10, .damping = 1, .most = 5};
    return d;
}

/* Everything that may be asked of the freedoms it has. */
static inline void rig_use_freedoms(kin_joint_def* d)
{
    static const int freedoms[KIN_JOINT_KIND_COUNT] = {[KIN_JOINT_DISTANCE] = 1,  [KIN_JOINT_BALL] = 2,        [KIN_JOINT_HINGE] = 1, [KIN_JOINT_SLIDER] = 1,
                                                       [KIN_JOINT_UNIVERSAL] = 2, [KIN_JOINT_CYLINDRICAL] = 2, [KIN_JOINT_WHEEL] = 2};
    for (int i = 0; i < freedoms[d->kind]; ++i) {
        d->freedom[i] =
            (kin_joint_freedom){.limited = true, .low = 0.1, .high = 0.4, .motor = true, .speed = 2, .most = 7, .stiffness = 3, .damping = 4, .friction = 5};
    }
}

/* A kind, freshly made; with every freedom used or none. */
static inline void rig_make(test* t, joint_rig* r, kin_joint_kind kind, uint64_t serial, bool loose)
{
    *r = (joint_rig){.key = {.seed = 500 + (uint64_t)kind, .serial = serial}};
    r->a = rig_body(r);
    r->b = rig_body(r);
    kin_joint_def d = rig_def(r, kind);
    if (loose) rig_use_freedoms(&d);
    kin_error error = {0};
    CHECK(t, kin_joint_make(&d, 0, &r->a, 1, &r->b, &r->joint, &error) == KIN_OK);
    TEXT(t, error.message, "");
}

static inline void rig_shift(kin_body* b, kin_vec3 step, kin_vec3 turn)
{
    b->position = kin_add(b->position, step);
    b->orientation = kin_quat_integrate(b->orientation, turn, 1);
}
/* Away from where the joint was made: by so many metres and radians. */
static inline void rig_disturb(joint_rig* r, double far)
{
    kin_vec3 step_a = rig_vector(r, far), turn_a = rig_vector(r, far), step_b = rig_vector(r, far), turn_b = rig_vector(r, far);
    rig_shift(&r->a, step_a, turn_a);
    rig_shift(&r->b, step_b, turn_b);
}
/* Where the body is after a time without forces or torques to speak of: constant velocity and spin. */
static inline kin_body rig_later(kin_body b, double time)
{
    b.position = kin_add_scaled(b.position, time, b.velocity);
    b.orientation = kin_quat_integrate(b.orientation, b.spin, time);
    return b;
}

enum { RIG_FREE = 6, RIG_EACH = 5 }; /* slots of freedoms: five each after six */
/* What a row is the derivative of: its error, or its freedom's position when it has none (motors, friction). NAN: friction of a ball, which is no
 * derivative. */
static inline double rig_value(const kin_joint* j, const kin_joint_row* row, const kin_body* a, const kin_body* b)
{
    if (row->kind != KIN_ROW_MOTOR && row->kind != KIN_ROW_FRICTION) return row->error;
    if (row->kind == KIN_ROW_FRICTION && j->kind == KIN_JOINT_BALL) return __builtin_nan("");
    return kin_joint_position(j, a, b, (row->slot - RIG_FREE) / RIG_EACH);
}
static inline int rig_values(const kin_joint* j, const kin_body* a, const kin_body* b, double* values)
{
    kin_joint_row rows[KIN_JOINT_ROWS];
    int n = kin_joint_rows(j, a, b, 1e9, rows);
    for (int i = 0; i < n; ++i) values[i] = rig_value(j, &rows[i], a, b);
    return n;
}

/* Rank of rows on twelve velocities, by Gram-Schmidt: a row counts when more than 1e-9 of it is left. */
static inline int rig_rank(const kin_joint_row* rows, int count)
{
    double basis[KIN_JOINT_ROWS][12];
    int rank = 0;
    for (int i = 0; i < count; ++i) {
        const kin_joint_row* r = &rows[i];
        kin_vec3 parts[4] = {r->linear_a, r->angular_a, r->linear_b, r->angular_b};
        double v[12], before = 0, after = 0;
        for (int k = 0; k < 12; ++k) before += kin_square(v[k] = kin_component(parts[k / 3], k % 3));
        for (int pass = 0; pass < 2; ++pass) {
            for (int q = 0; q < rank; ++q) {
                double along = 0;
                for (int k = 0; k < 12; ++k) along += v[k] * basis[q][k];
                for (int k = 0; k < 12; ++k) v[k] -= along * basis[q][k];
            }
        }
        for (int k = 0; k < 12; ++k) after += v[k] * v[k];
        if (after < 1e-18 * before || before == 0) continue;
        for (int k = 0; k < 12; ++k) basis[rank][k] = v[k] / kin_sqrt(after);
        ++rank;
    }
    return rank;
}
