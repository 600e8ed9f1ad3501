/* rows_test.c - every kind: J and J'v against differences of C, rank, third law, stops, motors, whole turns. */
#include "joint_rig.h"

enum { TRIES = 60 };
static const double far_ways[] = {0.01, 0.3, 0.8};

static double row_size(const kin_joint_row* r)
{
    return 1 + kin_length(r->linear_a) + kin_length(r->angular_a) + kin_length(r->linear_b) + kin_length(r->angular_b);
}

/* ---- derivatives ---- */

/* The twelve columns of J by central differences: the error is h^2 of the third derivative and 1e-16 / h of rounding. */
static void check_columns(test* t, const joint_rig* r)
{
    const double h = 1e-5;
    kin_joint_row rows[KIN_JOINT_ROWS];
    double above[KIN_JOINT_ROWS], below[KIN_JOINT_ROWS];
    int n = kin_joint_rows(&r->joint, &r->a, &r->b, 1e9, rows);
    for (int k = 0; k < 12; ++k) {
        kin_vec3 e = kin_scale(kin_axis(k % 3), h), zero = {0, 0, 0};
        for (int side = 0; side < 2; ++side) {
            kin_body a = r->a, b = r->b;
            kin_vec3 step = side == 0 ? e : kin_neg(e);
            rig_shift(k < 6 ? &a : &b, k / 3 % 2 == 0 ? step : zero, k / 3 % 2 == 1 ? step : zero);
            EQUAL(t, rig_values(&r->joint, &a, &b, side == 0 ? above : below), n);
        }
        for (int i = 0; i < n; ++i) {
            kin_vec3 parts[4] = {rows[i].linear_a, rows[i].angular_a, rows[i].linear_b, rows[i].angular_b};
            if (above[i] == above[i]) NEAR(t, kin_component(parts[k / 3], k % 3), (above[i] - below[i]) / (2 * h), 1e-7 * row_size(&rows[i]));
        }
    }
}

/* C'' along a free motion by five points: h^4 of the sixth derivative, 1e-15 / h^2 of rounding. */
static void check_bias(test* t, const joint_rig* r)
{
    const double h = 2e-3, weights[5] = {-1 / 12.0, 4 / 3.0, -5 / 2.0, 4 / 3.0, -1 / 12.0};
    kin_joint_row rows[KIN_JOINT_ROWS];
    int n = kin_joint_rows(&r->joint, &r->a, &r->b, 1e9, rows);
    double second[KIN_JOINT_ROWS] = {0}, values[KIN_JOINT_ROWS];
    for (int k = 0; k < 5; ++k) {
        kin_body a = rig_later(r->a, (k - 2) * h), b = rig_later(r->b, (k - 2) * h);
        rig_values(&r->joint, &a, &b, values);
        for (int i = 0; i < n; ++i) second[i] += weights[k] * values[i] / (h * h);
    }
    for (int i = 0; i < n; ++i) {
        if (second[i] == second[i]) NEAR(t, rows[i].bias, second[i], 1e-6 * row_size(&rows[i]) * row_size(&rows[i]));
    }
}

/* A swing's angle is not smooth where it is 0 or pi, a universal not where its axes meet, gears not where their axles do: stay off those by so much. */
static bool is_smooth(const joint_rig* r)
{
    if (r->joint.kind == KIN_JOINT_BALL) {
        double swing = kin_joint_position(&r->joint, &r->a, &r->b, 0);
        return swing > 0.1 && swing < 2.6;
    }
    if (r->joint.kind == KIN_JOINT_GEAR) {
        kin_joint_row row[KIN_JOINT_ROWS];
        kin_joint_rows(&r->joint, &r->a, &r->b, 0, row);
        return row_size(&row[0]) < 8;
    }
    if (r->joint.kind != KIN_JOINT_UNIVERSAL) return true;
    kin_joint_row rows[KIN_JOINT_ROWS];
    kin_joint_rows(&r->joint, &r->a, &r->b, 0, rows);
    return kin_abs(rows[3].error) < 0.8;
}

static void rows_are_derivatives(test* t)
{
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        if (kind == KIN_JOINT_MOUSE) continue; /* its directions count as constant: below */
        int tried = 0;
        for (uint64_t i = 0; i < TRIES; ++i) {
            joint_rig r;
            rig_make(t, &r, (kin_joint_kind)kind, i, i % 2 == 1);
            rig_disturb(&r, far_ways[i % 3]);
            if (!is_smooth(&r)) continue;
            check_columns(t, &r);
            check_bias(t, &r);
            ++tried;
        }
        CHECK(t, tried > TRIES / 3);
    }
}

/* Friction of a swing resists the spin across the axis of a, both ways; that of the twist the spin along it: all there is, however far it is swung. */
static void ball_friction_resists_all_spin(test* t)
{
    joint_rig r;
    rig_make(t, &r, KIN_JOINT_BALL, 3, false);
    r.joint.def.freedom[0].friction = r.joint.def.freedom[1].friction = 2;
    kin_joint_row rows[KIN_JOINT_ROWS], later[KIN_JOINT_ROWS], before[KIN_JOINT_ROWS];
    EQUAL(t, kin_joint_rows(&r.joint, &r.a, &r.b, 0, rows), 6);
    kin_vec3 spin = kin_sub(r.b.spin, r.a.spin), x = kin_rotate(kin_quat_mul(r.a.orientation, r.joint.frame_a.orientation), kin_v(1, 0, 0));
    double across = 0, h = 1e-5;
    for (int i = 3; i < 5; ++i) across += kin_square(kin_joint_row_rate(&rows[i], &r.a, &r.b));
    NEAR(t, across, kin_length2(spin) - kin_square(kin_dot(spin, x)), 1e-12);
    NEAR(t, kin_joint_row_rate(&rows[5], &r.a, &r.b), kin_dot(spin, x), 1e-12);
    kin_body a1 = rig_later(r.a, h), b1 = rig_later(r.b, h), a0 = rig_later(r.a, -h), b0 = rig_later(r.b, -h);
    kin_joint_rows(&r.joint, &a1, &b1, 0, later);
    kin_joint_rows(&r.joint, &a0, &b0, 0, before);
    for (int i = 3; i < 6; ++i) {
        NEAR(t, rows[i].bias, (kin_joint_row_rate(&later[i], &a1, &b1) - kin_joint_row_rate(&before[i], &a0, &b0)) / (2 * h), 1e-8);
        NEAR(t, rows[i].most, 2, 0);
    }
}

static void mouse_pulls_along_and_damps_across(test* t)
{
    for (uint64_t i = 0; i < 20; ++i) {
        joint_rig r;
        rig_make(t, &r, KIN_JOINT_MOUSE, i, false);
        rig_disturb(&r, 0.5);
        kin_joint_row rows[KIN_JOINT_ROWS];
        EQUAL(t, kin_joint_rows(&r.joint, &r.a, NULL, 0, rows), 3);
        kin_vec3 arm = kin_rotate(r.a.orientation, r.joint.frame_a.position), off = kin_sub(kin_add(r.a.position, arm), r.joint.def.target);
        kin_vec3 speed = kin_body_velocity_at(&r.a, kin_add(r.a.position, arm)), sum = {0, 0, 0}, rate = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            sum = kin_add_scaled(sum, rows[k].error, rows[k].linear_a);
            rate = kin_add_scaled(rate, kin_joint_row_rate(&rows[k], &r.a, &r.b), rows[k].linear_a);
            EQUAL(t, rows[k].kind, KIN_ROW_SPRING);
            NEAR(t, rows[k].most, 5, 0);
            NEAR3(t, rows[k].angular_a, kin_cross(arm, rows[k].linear_a), 1e-15);
        }
        NEAR3(t, sum, off, 1e-14); /* the whole way to the target, all of it in the first row */
        NEAR3(t, rate, speed, 1e-14);
        NEAR(t, rows[0].error, kin_length(off), 1e-15);
        NEAR(t, kin_joint_position(&r.joint, &r.a, NULL, 0), kin_length(off), 1e-15);
        NEAR(t, kin_joint_rate(&r.joint, &r.a, NULL, 0), kin_dot(off, speed) / kin_length(off), 1e-14);
    }
}

/* ---- what holds ---- */

static void degrees_of_freedom(test* t) /* N4 */
{
    static const int want[KIN_JOINT_KIND_COUNT] = {1, 3, 5, 5, 4, 4, 6, 4, 1, 1, 0, 0};
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        EQUAL(t, kin_joint_hold_count((kin_joint_kind)kind), want[kind]);
        for (uint64_t i = 0; i < TRIES; ++i) {
            joint_rig r;
            rig_make(t, &r, (kin_joint_kind)kind, i, false);
            for (int moved = 0; moved < 2; ++moved) {
                if (moved) rig_disturb(&r, far_ways[i % 3]);
                kin_joint_row rows[KIN_JOINT_ROWS];
                int n = kin_joint_rows(&r.joint, &r.a, &r.b, -1e9, rows), holds = 0;
                while (holds < n && rows[holds].kind == KIN_ROW_HOLD) ++holds;
                EQUAL(t, holds, want[kind]);
                EQUAL(t, rig_rank(rows, holds), want[kind]);
            }
        }
    }
}

static void rows_vanish_at_creation(test* t)
{
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        for (uint64_t i = 0; i < TRIES; ++i) {
            joint_rig r;
            rig_make(t, &r, (kin_joint_kind)kind, i, false);
            kin_joint_row rows[KIN_JOINT_ROWS];
            int n = kin_joint_rows(&r.joint, &r.a, &r.b, 1e-9, rows);
            for (int k = 0; k < n && kind != KIN_JOINT_MOUSE; ++k) NEAR(t, rows[k].error, 0, 1e-14);
            for (int k = 0; k < 2 && kind != KIN_JOINT_MOUSE && kind != KIN_JOINT_PULLEY; ++k) NEAR(t, kin_joint_position(&r.joint, &r.a, &r.b, k), 0, 1e-7);
        }
    }
}

/* Forces are equal and opposite, and so are torques about any point: P and L are kept, also far from where the joint is whole. A force along an axis of the
 * world that bridges a gap has the lever of the gap: rows_point and, in them, all that is left of the sum. */
static bool bridges_gap(const kin_joint* j, const kin_joint_row* row)
{
    bool point = j->kind == KIN_JOINT_BALL || j->kind == KIN_JOINT_HINGE || j->kind == KIN_JOINT_UNIVERSAL || j->kind == KIN_JOINT_FIXED;
    return point && row->kind == KIN_ROW_HOLD && !row->angular;
}
static void third_law(test* t)
{
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        if (kind == KIN_JOINT_PULLEY || kind == KIN_JOINT_MOUSE) continue; /* the world takes its part */
        for (uint64_t i = 0; i < TRIES; ++i) {
            joint_rig r;
            rig_make(t, &r, (kin_joint_kind)kind, i, true);
            if (kind == KIN_JOINT_GEAR && r.joint.mount == KIN_GEAR_IN_WORLD) continue;
            if (i % 4 > 0) rig_disturb(&r, 0.8); /* else whole */
            kin_vec3 gap = kin_sub(kin_apply(kin_body_pose(&r.b), r.joint.frame_b.position), kin_apply(kin_body_pose(&r.a), r.joint.frame_a.position));
            kin_joint_row rows[KIN_JOINT_ROWS];
            int n = kin_joint_rows(&r.joint, &r.a, &r.b, 1e9, rows);
            for (int k = 0; k < n; ++k) {
                const kin_joint_row* w = &rows[k];
                NEAR3(t, kin_add(w->linear_a, w->linear_b), kin_v(0, 0, 0), 0);
                kin_vec3 torque =
                    kin_add(kin_add(w->angular_a, kin_cross(r.a.position, w->linear_a)), kin_add(w->angular_b, kin_cross(r.b.position, w->linear_b)));
                NEAR3(t, torque, bridges_gap(&r.joint, w) ? kin_cross(gap, w->linear_b) : kin_v(0, 0, 0), 1e-13 * kin_max(1, kin_length(w->linear_b)));
            }
        }
    }
}

/* Slots are for warm starts: never twice in a joint, and of a row the same whatever else is there. */
static void slots_are_kept(test* t)
{
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        joint_rig r;
        rig_make(t, &r, (kin_joint_kind)kind, 1, true);
        rig_disturb(&r, 0.3);
        kin_joint_row all[KIN_JOINT_ROWS], few[KIN_JOINT_ROWS];
        int n = kin_joint_rows(&r.joint, &r.a, &r.b, 1e9, all), m = kin_joint_rows(&r.joint, &r.a, &r.b, -1e9, few);
        CHECK(t, n <= KIN_JOINT_ROWS);
        unsigned seen = 0;
        for (int i = 0; i < n; ++i) {
            CHECK(t, all[i].slot < KIN_JOINT_ROWS && (seen & 1u << all[i].slot) == 0);
            seen |= 1u << all[i].slot;
        }
        for (int i = 0; i < m; ++i) {
            int k = 0;
            while (k < n && all[k].slot != few[i].slot) ++k;
            CHECK(t, k < n);
            if (k < n) EQUAL(t, all[k].kind, few[i].kind);
        }
    }
}

/* The error of rotation rows grows up to half a turn, and a step of Newton's method turns back: no false rest on the way. */
static void rotation_rows_know_the_way_back(test* t)
{
    const kin_joint_kind kinds[] = {KIN_JOINT_HINGE, KIN_JOINT_SLIDER, KIN_JOINT_FIXED, KIN_JOINT_CYLINDRICAL, KIN_JOINT_WHEEL};
    for (int k = 0; k < 5; ++k) {
        joint_rig r;
        rig_make(t, &r, kinds[k], 2, false);
        kin_quat frame = kin_quat_mul(r.a.orientation, r.joint.frame_a.orientation);
        kin_vec3 across = kin_rotate(frame, kin_v(0, 0.6, 0.8)); /* across the axis */
        kin_body made = r.b;
        double last = 0;
        for (int deg = 10; deg < 178; deg += 4) {
            double angle = deg * KIN_PI / 180, size = 0, back = 0;
            r.b = made;
            rig_shift(&r.b, kin_v(0, 0, 0), kin_scale(across, angle));
            kin_joint_row rows[KIN_JOINT_ROWS];
            int n = kin_joint_rows(&r.joint, &r.a, &r.b, 0, rows);
            for (int i = 0; i < n; ++i) {
                if (!rows[i].angular) continue;
                size += rows[i].error * rows[i].error;
                back += rows[i].error * kin_dot(rows[i].angular_b, across); /* half the rate of size as the angle grows */
            }
            NEAR(t, kin_sqrt(size), 4 * kin_tan(angle / 4), 1e-12);
            NEAR(t, size / back, 2 * kin_sin(angle / 2), 1e-11); /* Newton's step in the angle: never too far */
            CHECK(t, size > last);
            last = size;
        }
    }
}

/* ---- freedoms ---- */

static int find_row(const kin_joint_row* rows, int n, kin_row_kind kind)
{
    for (int i = 0; i < n; ++i) {
        if (rows[i].kind == kind) return i;
    }
    return -1;
}

/* Where a freedom of a joint goes when b goes (or turns) so far along its axis. */
static kin_body moved(const joint_rig* r, kin_vec3 local_axis, double far, bool angular)
{
    kin_vec3 u = kin_rotate(kin_quat_mul(r->a.orientation, r->joint.frame_a.orientation), local_axis), zero = {0, 0, 0};
    kin_body b = r->b;
    kin_vec3 anchor = kin_apply(kin_body_pose(&b), r->joint.frame_b.position);
    if (!angular) {
        rig_shift(&b, kin_scale(u, far), zero);
        return b;
    }
    rig_shift(&b, zero, kin_scale(u, far));
    b.position = kin_add(b.position, kin_sub(anchor, kin_apply(kin_body_pose(&b), r->joint.frame_b.position)));
    return b;
}

typedef struct freedom_case {
    kin_joint_kind kind;
    int which;
    kin_vec3 axis; /* in frame_a; wheel's slide: set by hand */
    bool angular;
} freedom_case;
static const freedom_case free_ways[] = {
    {KIN_JOINT_HINGE, 0, {1, 0, 0}, true},     {KIN_JOINT_SLIDER, 0, {1, 0, 0}, false},      {KIN_JOINT_UNIVERSAL, 0, {1, 0, 0}, true},
    {KIN_JOINT_UNIVERSAL, 1, {0, 1, 0}, true}, {KIN_JOINT_CYLINDRICAL, 0, {1, 0, 0}, false}, {KIN_JOINT_CYLINDRICAL, 1, {1, 0, 0}, true},
    {KIN_JOINT_WHEEL, 0, {0, 0, 0}, false},    {KIN_JOINT_WHEEL, 1, {1, 0, 0}, true},        {KIN_JOINT_BALL, 0, {0, 0.6, 0.8}, true},
    {KIN_JOINT_BALL, 1, {1, 0, 0}, true},
};
enum { FREE_WAYS = sizeof free_ways / sizeof *free_ways };
static kin_vec3 axis_of(const freedom_case* c, const joint_rig* r)
{
    return c->kind == KIN_JOINT_WHEEL && c->which == 0 ? kin_rotate(r->joint.base[0], kin_v(1, 0, 0)) : c->axis;
}

static void positions_and_rates(test* t)
{
    for (int i = 0; i < FREE_WAYS; ++i) {
        const freedom_case* c = &free_ways[i];
        joint_rig r;
        rig_make(t, &r, c->kind, 4, false);
        kin_vec3 axis = axis_of(c, &r);
        for (double far = 0.2; far < 1.5; far += 0.4) {
            kin_body b = moved(&r, axis, far, c->angular);
            NEAR(t, kin_joint_position(&r.joint, &r.a, &b, c->which), far, 1e-12);
            if (c->kind != KIN_JOINT_BALL || c->which > 0) NEAR(t, kin_joint_position(&r.joint, &r.a, &b, 1 - c->which), 0, 1e-7);
            r.a.velocity = r.a.spin = b.velocity = b.spin = kin_v(0, 0, 0);
            kin_vec3 u = kin_rotate(kin_quat_mul(r.a.orientation, r.joint.frame_a.orientation), axis);
            if (c->angular)
                b.spin = kin_scale(u, 3);
            else
                b.velocity = kin_scale(u, 3);
            NEAR(t, kin_joint_rate(&r.joint, &r.a, &b, c->which), 3, 1e-12);
        }
    }
}

static void stops_push_inward(test* t)
{
    for (int i = 0; i < FREE_WAYS; ++i) {
        const freedom_case* c = &free_ways[i];
        joint_rig r;
        rig_make(t, &r, c->kind, 5, false);
        kin_joint_freedom* f = &r.joint.def.freedom[c->which];
        *f = (kin_joint_freedom){.limited = true, .low = 0.2, .high = 0.9};
        kin_vec3 axis = axis_of(c, &r), u = kin_rotate(kin_quat_mul(r.a.orientation, r.joint.frame_a.orientation), axis);
        kin_joint_row rows[KIN_JOINT_ROWS];
        int holds = kin_joint_hold_count(c->kind);
        kin_body b = moved(&r, axis, 0.5, c->angular);
        EQUAL(t, kin_joint_rows(&r.joint, &r.a, &b, 0, rows), holds); /* neither stop is near */
        EQUAL(t, kin_joint_rows(&r.joint, &r.a, &b, 0.35, rows), holds + 1);
        NEAR(t, rows[holds].error, 0.3, 1e-12); /* the lower is seen first */
        EQUAL(t, kin_joint_rows(&r.joint, &r.a, &b, 0.45, rows), holds + 2);
        b = moved(&r, axis, 0.15, c->angular);
        EQUAL(t, kin_joint_rows(&r.joint, &r.a, &b, 0, rows), holds + 1);
        NEAR(t, rows[holds].error, -0.05, 1e-12);
        NEAR(t, kin_dot(c->angular ? rows[holds].angular_b : rows[holds].linear_b, u), 1, 1e-12); /* a force >= 0 drives it up */
        b = moved(&r, axis, 1, c->angular);
        EQUAL(t, kin_joint_rows(&r.joint, &r.a, &b, 0, rows), holds + 1);
        EQUAL(t, rows[holds].kind, KIN_ROW_LIMIT);
        NEAR(t, rows[holds].error, -0.1, 1e-12);
        NEAR(t, kin_dot(c->angular ? rows[holds].angular_b : rows[holds].linear_b, u), -1, 1e-12);
        EQUAL(t, rows[holds].angular, c->angular);
    }
}

static void motors_springs_and_friction(test* t)
{
    for (int i = 0; i < FREE_WAYS; ++i) {
        const freedom_case* c = &free_ways[i];
        bool swing = c->kind == KIN_JOINT_BALL && c->which == 0;
        joint_rig r;
        rig_make(t, &r, c->kind, 6, false);
        r.joint.def.freedom[c->which] =
            (kin_joint_freedom){.motor = true, .speed = -2, .most = 7, .stiffness = 30, .damping = 4, .rest = swing ? 0 : 0.1, .friction = 5};
        kin_body b = moved(&r, axis_of(c, &r), 0.5, c->angular);
        kin_joint_row rows[KIN_JOINT_ROWS];
        int n = kin_joint_rows(&r.joint, &r.a, &b, 0, rows), motor = find_row(rows, n, KIN_ROW_MOTOR), spring = find_row(rows, n, KIN_ROW_SPRING),
            friction = find_row(rows, n, KIN_ROW_FRICTION);
        EQUAL(t, n, kin_joint_hold_count(c->kind) + (swing ? 5 : 3));
        if (!CHECK(t, motor >= 0 && spring >= 0 && friction >= 0)) continue;
        NEAR(t, rows[motor].target, -2, 0);
        NEAR(t, rows[motor].most, 7, 0);
        NEAR(t, rows[motor].error, 0, 0);
        NEAR(t, kin_joint_row_rate(&rows[motor], &r.a, &b), kin_joint_rate(&r.joint, &r.a, &b, c->which), 1e-13);
        NEAR(t, rows[friction].most, 5, 0);
        NEAR(t, rows[friction].target, 0, 0);
        NEAR(t, rows[spring].stiffness, 30, 0);
        NEAR(t, rows[spring].damping, 4, 0);
        if (!swing) NEAR(t, rows[spring].error, 0.4, 1e-12);
        CHECK(t, !kin_finite(rows[spring].most));
    }
}

/* A distance whose freedom is used may change; a rope is slack until it is not. */
static void lengths(test* t)
{
    kin_body a = kin_body_fixed(), b = kin_body_fixed();
    b.position = kin_v(3, 0, 0);
    kin_joint_def d = {.kind = KIN_JOINT_DISTANCE, .anchor_b = {3, 0, 0}, .has_anchor_b = true};
    kin_joint j;
    kin_joint_row rows[KIN_JOINT_ROWS];
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK);
    b.position.x = 3.5;
    EQUAL(t, kin_joint_rows(&j, &a, &b, 0, rows), 1);
    NEAR(t, rows[0].error, 0.5, 0);
    j.def.freedom[0] = (kin_joint_freedom){.friction = 2};
    EQUAL(t, kin_joint_rows(&j, &a, &b, 0, rows), 1);
    EQUAL(t, rows[0].kind, KIN_ROW_FRICTION);
    j.def.freedom[0] = (kin_joint_freedom){.stiffness = 2};
    EQUAL(t, kin_joint_rows(&j, &a, &b, 0, rows), 1);
    EQUAL(t, rows[0].kind, KIN_ROW_SPRING);
    j.def.freedom[0] = (kin_joint_freedom){.limited = true, .low = -1, .high = 0.4};
    EQUAL(t, kin_joint_rows(&j, &a, &b, 0, rows), 1);
    EQUAL(t, rows[0].kind, KIN_ROW_LIMIT);
    NEAR(t, rows[0].error, -0.1, 1e-15);
    NEAR3(t, rows[0].linear_b, kin_v(-1, 0, 0), 0);
    b.position.x = 3;
    d.kind = KIN_JOINT_ROPE;
    d.length = 4;
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK);
    EQUAL(t, kin_joint_rows(&j, &a, &b, 0, rows), 0);
    EQUAL(t, kin_joint_rows(&j, &a, &b, 1, rows), 1); /* seen ahead */
    b.position.x = 4.25;
    EQUAL(t, kin_joint_rows(&j, &a, &b, 0, rows), 1);
    EQUAL(t, rows[0].kind, KIN_ROW_LIMIT);
    NEAR(t, rows[0].error, -0.25, 0);
    NEAR3(t, rows[0].linear_b, kin_v(-1, 0, 0), 0);
    NEAR(t, kin_joint_position(&j, &a, &b, 0), 0.25, 0);
}

/* Multipliers as force and torque at the anchor of b: those of a fixed joint are their components, whatever the arm. */
static void loads(test* t)
{
    joint_rig r;
    rig_make(t, &r, KIN_JOINT_FIXED, 3, false);
    kin_joint_row rows[KIN_JOINT_ROWS];
    const double x[6] = {1, 2, 3, 4, 5, 6};
    kin_vec3 force, torque;
    EQUAL(t, kin_joint_rows(&r.joint, &r.a, &r.b, 0, rows), 6);
    kin_joint_rows_load(&r.joint, &r.b, rows, x, 6, &force, &torque);
    NEAR3(t, force, kin_v(1, 2, 3), 1e-14);
    NEAR3(t, torque, kin_v(4, 5, 6), 1e-14); /* its frame is that of the world at creation */
    rig_make(t, &r, KIN_JOINT_MOUSE, 3, false);
    kin_joint_rows(&r.joint, &r.a, NULL, 0, rows);
    kin_joint_rows_load(&r.joint, NULL, rows, (double[3]){-2, 0, 0}, 3, &force, &torque);
    NEAR3(t, force, kin_scale(rows[0].linear_a, 2), 1e-14);
    NEAR3(t, torque, kin_v(0, 0, 0), 0);
}

/* ---- whole turns ---- */

static void whole_turns_are_counted(test* t)
{
    for (int i = 0; i < FREE_WAYS; ++i) {
        const freedom_case* c = &free_ways[i];
        if (!c->angular || (c->kind == KIN_JOINT_BALL && c->which == 0)) continue;
        joint_rig r;
        rig_make(t, &r, c->kind, 7, false);
        for (int k = 1; k <= 90; ++k) { /* five turns up, then ten down */
            double angle = k <= 30 ? k * KIN_PI / 3 : (60 - k) * KIN_PI / 3;
            kin_body b = moved(&r, c->axis, angle, true);
            NEAR(t, kin_joint_position(&r.joint, &r.a, &b, c->which), angle, 1e-11);
            kin_joint_follow(&r.joint, &r.a, &b);
        }
        NEAR(t, r.joint.turned[c->which], -30 * KIN_PI / 3, 1e-11);
    }
}

/* 3:1 over many turns; a tooth that slips shows. */
static void gears_keep_their_ratio(test* t)
{
    kin_body a = kin_body_fixed(), b = kin_body_fixed();
    a.orientation = kin_quat_axis_angle(kin_v(1, 2, 3), 1);
    kin_joint_def d = {.kind = KIN_JOINT_GEAR, .axis = {0, 0, 1}, .axis_b = {0, 1, 1}, .ratio = 3};
    kin_joint j;
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK);
    kin_quat qa = a.orientation, qb = b.orientation;
    for (int k = 1; k <= 200; ++k) {
        a.orientation = kin_quat_mul(kin_quat_axis_angle(d.axis, 0.7 * k), qa);
        b.orientation = kin_quat_mul(kin_quat_axis_angle(d.axis_b, -0.7 * k / 3), qb);
        kin_joint_row row;
        EQUAL(t, kin_joint_rows(&j, &a, &b, 0, &row), 1);
        NEAR(t, row.error, 0, 1e-12);
        kin_joint_follow(&j, &a, &b);
    }
    NEAR(t, kin_joint_position(&j, &a, &b, 0), 140, 1e-12);
    NEAR(t, kin_joint_position(&j, &a, &b, 1), -140 / 3.0, 1e-12);
    b.orientation = kin_quat_mul(kin_quat_axis_angle(d.axis_b, 0.01), b.orientation);
    kin_joint_row row;
    kin_joint_rows(&j, &a, &b, 0, &row);
    NEAR(t, row.error, 0.01, 1e-12);
    NEAR3(t, row.angular_a, kin_v(0, 0, 1 / 3.0), 1e-14);
    NEAR3(t, row.angular_b, kin_v(0, kin_sqrt(0.5), kin_sqrt(0.5)), 1e-14);
}

/* A limit of three turns, which no angle in (-pi, pi] could tell. */
static void limits_count_turns(test* t)
{
    joint_rig r;
    rig_make(t, &r, KIN_JOINT_HINGE, 8, false);
    r.joint.def.freedom[0] = (kin_joint_freedom){.limited = true, .low = -1, .high = 6 * KIN_PI};
    kin_joint_row rows[KIN_JOINT_ROWS];
    for (int k = 1; k <= 24; ++k) {
        kin_body b = moved(&r, kin_v(1, 0, 0), k * 0.8, true);
        kin_joint_follow(&r.joint, &r.a, &b);
        int n = kin_joint_rows(&r.joint, &r.a, &b, 0, rows);
        EQUAL(t, n, k * 0.8 < 6 * KIN_PI ? 5 : 6);
        if (n == 6) NEAR(t, rows[5].error, 6 * KIN_PI - k * 0.8, 1e-12);
    }
}

/* The world may stand for either side, as NULL or as a body that is fixed. */
static void world_is_a_body_at_rest(test* t)
{
    kin_body fixed = kin_body_fixed();
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        joint_rig r;
        rig_make(t, &r, (kin_joint_kind)kind, 9, true);
        kin_joint_def d = r.joint.def;
        kin_joint j;
        kin_joint_row rows[KIN_JOINT_ROWS], same[KIN_JOINT_ROWS];
        CHECK(t, kin_joint_make(&d, 0, &r.a, KIN_NO_BODY, NULL, &j, NULL) == KIN_OK);
        int n = kin_joint_rows(&j, &r.a, NULL, 1e9, rows);
        EQUAL(t, kin_joint_rows(&j, &r.a, &fixed, 1e9, same), n);
        for (int i = 0; i < n; ++i) NEAR(t, rows[i].error, same[i].error, 0);
        if (kind != KIN_JOINT_MOUSE)
            CHECK(t, kin_joint_make(&d, KIN_NO_BODY, NULL, 0, &r.a, &j, NULL) == KIN_OK && kin_joint_rows(&j, NULL, &r.a, 1e9, rows) == n);
    }
}

TEST_MAIN("contact_joint_rows", TEST(rows_are_derivatives), TEST(ball_friction_resists_all_spin), TEST(mouse_pulls_along_and_damps_across),
          TEST(degrees_of_freedom), TEST(rows_vanish_at_creation), TEST(third_law), TEST(slots_are_kept), TEST(rotation_rows_know_the_way_back),
          TEST(positions_and_rates), TEST(stops_push_inward), TEST(motors_springs_and_friction), TEST(lengths), TEST(loads), TEST(whole_turns_are_counted),
          TEST(gears_keep_their_ratio), TEST(limits_count_turns), TEST(world_is_a_body_at_rest))
