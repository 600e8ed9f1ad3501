/* rows.h - what rows are made of: two bodies seen from their joint, and small builders that the kinds (kinds.c) are spelled with.
 *
 * Lengths: row_between for directions fixed in the world, row_along for those that turn with a (C5.3.4 with its 2 (w x k) . v and w x (w x k) terms).
 * Rotations: a `turn` is a function of how b is turned against a, with its first two derivatives, so that functions of turns keep exact ones. Products of axes
 * (C5.3.2, C5.3.3) vanish at half a turn too; 4 tan(angle / 4) in their place does not, and a step of Newton's method on it, 2 sin(angle / 2), never goes too
 * far. It takes a square root at most, no sine. */
#pragma once
#include "contact/joint/joint.h"

typedef struct joint_sides {
    const kin_body *a, *b;
    kin_vec3 arm_a, arm_b;     /* anchors from the centres of mass, world axes, m */
    kin_vec3 gap, speed, pull; /* anchor of b less anchor of a; its rate; its second derivative while nothing accelerates */
    kin_vec3 spin;             /* of b less that of a */
    kin_quat qa, qb;           /* joint frames in the world, and their axes: */
    kin_mat3 A, B;
} joint_sides;

static inline kin_vec3 arm_speed(const kin_body* b, kin_vec3 arm) { return kin_add(b->velocity, kin_cross(b->spin, arm)); }
static inline kin_vec3 arm_pull(const kin_body* b, kin_vec3 arm) { return kin_cross(b->spin, kin_cross(b->spin, arm)); }

static inline void sides_points(const kin_joint* joint, const kin_body* a, const kin_body* b, joint_sides* s)
{
    s->a = a;
    s->b = b;
    s->arm_a = kin_rotate(a->orientation, joint->frame_a.position);
    s->arm_b = kin_rotate(b->orientation, joint->frame_b.position);
    s->gap = kin_sub(kin_add(b->position, s->arm_b), kin_add(a->position, s->arm_a));
    s->speed = kin_sub(arm_speed(b, s->arm_b), arm_speed(a, s->arm_a));
    s->pull = kin_sub(arm_pull(b, s->arm_b), arm_pull(a, s->arm_a));
}

static inline void sides_axes(const kin_joint* joint, joint_sides* s)
{
    s->spin = kin_sub(s->b->spin, s->a->spin);
    s->qa = kin_quat_mul(s->a->orientation, joint->frame_a.orientation);
    s->qb = kin_quat_mul(s->b->orientation, joint->frame_b.orientation);
    s->A = kin_quat_to_matrix(s->qa);
    s->B = kin_quat_to_matrix(s->qb);
}

/* ---- lengths ---- */

/* C = u . gap, u fixed in the world. */
static inline kin_joint_row row_between(const joint_sides* s, kin_vec3 u)
{
    return (kin_joint_row){.linear_a = kin_neg(u),
                           .angular_a = kin_cross(u, s->arm_a),
                           .linear_b = u,
                           .angular_b = kin_cross(s->arm_b, u),
                           .error = kin_dot(u, s->gap),
                           .bias = kin_dot(u, s->pull)};
}

/* C = u . gap, u fixed in a: the force acts on both at the anchor of b. */
static inline kin_joint_row row_along(const joint_sides* s, kin_vec3 u)
{
    kin_vec3 rate = kin_cross(s->a->spin, u);
    kin_joint_row row = row_between(s, u);
    row.angular_a = kin_cross(u, kin_add(s->arm_a, s->gap));
    row.bias += 2 * kin_dot(rate, s->speed) + kin_dot(kin_cross(s->a->spin, rate), s->gap);
    return row;
}

/* All of the gap: the rows of a ball (C5.3.1). */
static inline int rows_point(const joint_sides* s, kin_joint_row* rows)
{
    for (int i = 0; i < 3; ++i) rows[i] = row_between(s, kin_axis(i));
    return 3;
}

/* The gap but for its part along x of a frame that turns with a (C5.3.4). */
static inline int rows_rail(const joint_sides* s, const kin_mat3* rail, kin_joint_row* rows)
{
    rows[0] = row_along(s, rail->cy);
    rows[1] = row_along(s, rail->cz);
    return 2;
}

/* A length |gap|: its direction, and its second derivative while nothing accelerates. Shorter than this it has no direction of its own. */
#define JOINT_SHORT 1e-9 /* m */
typedef struct joint_length {
    kin_vec3 direction;
    double length, bias;
} joint_length;
static inline joint_length length_of(kin_vec3 gap, kin_vec3 speed, kin_vec3 pull)
{
    double length = kin_length(gap);
    bool exists = length > JOINT_SHORT;
    kin_vec3 u = exists ? kin_scale(gap, 1 / length) : (kin_vec3){0, 1, 0};
    double along = kin_dot(u, speed), round = exists ? (kin_length2(speed) - along * along) / length : 0;
    return (joint_length){u, length, kin_dot(u, pull) + round};
}

/* ---- turns ---- */

typedef struct joint_turn {
    kin_vec3 axis;            /* value' = axis . spin */
    double value, rate, bias; /* value'' = axis . spin' + bias */
} joint_turn;

static inline kin_joint_row row_turn(joint_turn t)
{
    return (kin_joint_row){.angular_a = kin_neg(t.axis), .angular_b = t.axis, .error = t.value, .bias = t.bias, .angular = true};
}

/* u . w, u fixed in a and w in b. */
static inline joint_turn turn_dot(const joint_sides* s, kin_vec3 u, kin_vec3 w)
{
    joint_turn t = {.axis = kin_cross(w, u), .value = kin_dot(u, w)};
    t.rate = kin_dot(t.axis, s->spin);
    kin_vec3 axis_rate = kin_add(kin_cross(kin_cross(s->b->spin, w), u), kin_cross(w, kin_cross(s->a->spin, u)));
    t.bias = kin_dot(axis_rate, s->spin);
    return t;
}

/* The swing of x of b from x of a, seen along one of the other axes u of a: 4 tan(angle / 4) times the direction's part along u. c: x of a . x of b.
 * With h = cos(angle / 2) that is g (u . x_b), g = 2 / (h + h^2). Half a turn off the direction is lost: there g stays as it is. */
static inline joint_turn turn_swing(const joint_sides* s, const joint_turn* c, kin_vec3 u)
{
    double half = 0.5 * (1 + c->value);
    bool lost = half < 1e-4; /* within 1.2 degrees of half a turn */
    double h = kin_sqrt(lost ? 1e-4 : half), g = 2 / (h + h * h);
    double g1 = lost ? 0 : -g * g * (1 + 2 * h) / (8 * h), g2 = lost ? 0 : 2 * g1 * g1 / g + g * g / (32 * h * h * h);
    joint_turn y = turn_dot(s, u, s->B.cx);
    return (joint_turn){.axis = kin_add_scaled(kin_scale(y.axis, g), g1 * y.value, c->axis),
                        .value = g * y.value,
                        .rate = g * y.rate + g1 * y.value * c->rate,
                        .bias = g * y.bias + 2 * g1 * c->rate * y.rate + (g2 * c->rate * c->rate + g1 * c->bias) * y.value};
}

/* x of a and x of b stay one (C5.3.3). */
static inline int rows_axis(const joint_sides* s, kin_joint_row* rows)
{
    joint_turn c = turn_dot(s, s->A.cx, s->B.cx);
    rows[0] = row_turn(turn_swing(s, &c, s->A.cy));
    rows[1] = row_turn(turn_swing(s, &c, s->A.cz));
    return 2;
}

/* No turning at all (C5.3.5, C5.3.6): C = 4 tan(angle / 4) times the axis, in axes of a, the shorter way round. p = v / (1 + w) of the quaternion (v, w) from a
 * to b has 4 p' = (1 - p^2) s + 2 s x p + 2 p (p . s), s the spin of b against a in axes of a. */
static inline int rows_lock(const joint_sides* s, kin_joint_row* rows)
{
    kin_quat q = kin_quat_mul(kin_quat_conj(s->qa), s->qb);
    if (q.w < 0) q = kin_quat_neg(q);
    kin_vec3 p = kin_scale(kin_quat_vector(q), 1 / (1 + q.w));
    kin_vec3 spin = kin_mat3_apply_transposed(s->A, s->spin);
    kin_vec3 spin_rate = kin_neg(kin_mat3_apply_transposed(s->A, kin_cross(s->a->spin, s->spin)));
    double keep = 1 - kin_length2(p), along = kin_dot(p, spin);
    kin_vec3 p_rate = kin_scale(kin_add_scaled(kin_add_scaled(kin_scale(spin, keep), 2, kin_cross(spin, p)), 2 * along, p), 0.25);
    kin_vec3 row_rate = kin_add_scaled(kin_scale(spin, -kin_dot(p, p_rate)), 1, kin_cross(spin, p_rate)); /* half of J' s */
    row_rate = kin_add_scaled(kin_add_scaled(row_rate, along, p_rate), kin_dot(p_rate, spin), p);
    for (int i = 0; i < 3; ++i) {
        kin_vec3 e = kin_axis(i);
        kin_vec3 axis = kin_add_scaled(kin_add_scaled(kin_scale(e, keep), 2, kin_cross(p, e)), 2 * kin_component(p, i), p);
        rows[i] = row_turn((joint_turn){
            .axis = kin_mat3_apply(s->A, axis), .value = 4 * kin_component(p, i), .bias = kin_dot(axis, spin_rate) + 2 * kin_component(row_rate, i)});
    }
    return 3;
}

/* ---- angles ---- */

/* Of all angles that are the same but for whole turns, the one nearest to `last`. */
static inline double nearest_turn(double angle, double last) { return angle + 2 * KIN_PI * kin_round((last - angle) / (2 * KIN_PI)); }

/* The twist of b against a about x (swing and twist): 2 atan(x / w) of the quaternion from a to b; its rate is the spin along (x_a + x_b) / (1 + x_a . x_b). */
typedef struct joint_frame {
    kin_quat q;
    kin_vec3 x, spin;
} joint_frame;
static inline joint_turn turn_twist(joint_frame a, joint_frame b, double last, bool value)
{
    double size = kin_max(1 + kin_dot(a.x, b.x), 1e-4);
    kin_vec3 spin = kin_sub(b.spin, a.spin), rate_a = kin_cross(a.spin, a.x), rate_b = kin_cross(b.spin, b.x);
    double size_rate = kin_dot(rate_a, b.x) + kin_dot(a.x, rate_b);
    joint_turn t = {.axis = kin_scale(kin_add(a.x, b.x), 1 / size)};
    t.rate = kin_dot(t.axis, spin);
    t.bias = (kin_dot(kin_add(rate_a, rate_b), spin) - size_rate * t.rate) / size;
    if (value) {
        kin_quat q = kin_quat_mul(kin_quat_conj(a.q), b.q);
        t.value = nearest_turn(2 * kin_atan2(q.x, q.w), last);
    }
    return t;
}
static inline joint_frame side_a(const joint_sides* s) { return (joint_frame){s->qa, s->A.cx, s->a->spin}; }
static inline joint_frame side_b(const joint_sides* s) { return (joint_frame){s->qb, s->B.cx, s->b->spin}; }

/* The angle of a vector with these parts: atan(y / x). */
static inline joint_turn turn_angle(joint_turn y, joint_turn x, double last, bool value)
{
    double square = kin_max(x.value * x.value + y.value * y.value, 1e-12);
    joint_turn t = {.axis = kin_scale(kin_sub(kin_scale(y.axis, x.value), kin_scale(x.axis, y.value)), 1 / square)};
    t.rate = (x.value * y.rate - y.value * x.rate) / square;
    t.bias = (x.value * y.bias - y.value * x.bias - 2 * t.rate * (x.value * x.rate + y.value * y.rate)) / square;
    if (value) t.value = nearest_turn(kin_atan2(y.value, x.value), last);
    return t;
}

/* The angle between x of a and x of b, in [0, pi]. At both ends the way it turns is lost: any will do, and the bend of the way is left out. */
static inline joint_turn turn_between(const joint_sides* s)
{
    joint_turn c = turn_dot(s, s->A.cx, s->B.cx);
    kin_vec3 n = kin_cross(s->A.cx, s->B.cx);
    double sine = kin_length(n);
    bool lost = sine < 1e-9;
    joint_turn t = {.axis = lost ? s->A.cz : kin_scale(n, 1 / sine), .value = kin_atan2(sine, c.value)};
    t.rate = kin_dot(t.axis, s->spin);
    t.bias = lost ? 0 : -(c.bias + c.value * t.rate * t.rate) / sine;
    return t;
}

/* The spin along an axis u of a: not the rate of any angle, but what friction resists. */
static inline joint_turn turn_spin(const joint_sides* s, kin_vec3 u)
{
    return (joint_turn){.axis = u, .rate = kin_dot(u, s->spin), .bias = kin_dot(kin_cross(s->a->spin, u), s->spin)};
}
