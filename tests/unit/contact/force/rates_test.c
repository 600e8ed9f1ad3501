/* rates_test.c - how contacts turn and move (appendix E, E10): against differences of the same things a moment before and after, and against the second
 * derivative of the gap itself, which knows nothing of the formulas. */
#include "contact/force/force.h"
#include "math/frame.h"
#include "support/test.h"
#include "unit/contact/impulse/hits.h"

static const double dt = 1e-4;

/* The body after time s with constant accelerations: exact to third order, which second differences do not see. */
static kin_body moved(const kin_body* b, kin_vec3 linear, kin_vec3 angular, double s)
{
    kin_body m = *b;
    m.position = kin_add_scaled(kin_add_scaled(b->position, s, b->velocity), 0.5 * s * s, linear);
    kin_vec3 turn = kin_add_scaled(kin_scale(b->spin, s), 0.5 * s * s, angular);
    m.orientation = kin_quat_normalize(kin_quat_mul(kin_quat_from_rotation_vector(turn), b->orientation));
    m.velocity = kin_add_scaled(b->velocity, s, linear);
    m.spin = kin_add_scaled(b->spin, s, angular);
    return m;
}

static kin_vec3 carried(const kin_body* from, const kin_body* to, kin_vec3 point)
{
    return kin_apply(kin_body_pose(to), kin_unapply(kin_body_pose(from), point));
}

static kin_vec3 turned(const kin_body* from, const kin_body* to, kin_vec3 direction)
{
    return kin_rotate(to->orientation, kin_unrotate(from->orientation, direction));
}

/* The contact of the same features with the bodies elsewhere: frame and gap. Tangents of faces go with the face. */
typedef struct placed {
    kin_vec3 n, t;
    double gap;
} placed;

static placed place(const kin_touching* c, const kin_body* start, const kin_body* now)
{
    kin_vec3 fa = c->kind == KIN_TOUCH_CENTERS ? c->centre_a : kin_add_scaled(c->point, c->radius_a, c->normal);
    kin_vec3 fb = c->kind == KIN_TOUCH_CENTERS ? c->centre_b : kin_add_scaled(c->point, -c->radius_b, c->normal);
    kin_vec3 pa = carried(&start[0], &now[0], fa), pb = carried(&start[1], &now[1], fb), apart = kin_sub(pa, pb);
    kin_vec3 ea = turned(&start[0], &now[0], c->edge_a), eb = turned(&start[1], &now[1], c->edge_b);
    placed p = {.n = c->normal, .t = c->tangent};
    switch (c->kind) {
    case KIN_TOUCH_FACE_OF_B: p.n = turned(&start[1], &now[1], c->normal), p.t = turned(&start[1], &now[1], c->tangent); break;
    case KIN_TOUCH_FACE_OF_A: p.n = turned(&start[0], &now[0], c->normal), p.t = turned(&start[0], &now[0], c->tangent); break;
    case KIN_TOUCH_EDGES: p.n = kin_normalize_or(kin_cross(ea, eb), p.n); break;
    case KIN_TOUCH_CENTERS: p.n = kin_normalize_or(apart, p.n); break;
    case KIN_TOUCH_EDGE_OF_B: p.n = kin_normalize_or(kin_add_scaled(apart, -kin_dot(apart, eb) / kin_length2(eb), eb), p.n); break;
    case KIN_TOUCH_EDGE_OF_A: p.n = kin_normalize_or(kin_add_scaled(apart, -kin_dot(apart, ea) / kin_length2(ea), ea), p.n); break;
    }
    if (kin_dot(p.n, c->normal) < 0) p.n = kin_neg(p.n);
    p.gap = kin_dot(p.n, apart) - kin_dot(c->normal, kin_sub(fa, fb));
    return p;
}

static kin_touching random_touch(dice* d, const kin_body* b, kin_touch_kind kind, bool round)
{
    kin_touching c = {.a = 0, .b = 1, .kind = kind, .normal = roll_direction(d), .point = kin_add(kin_lerp(b[0].position, b[1].position, 0.5), roll3(d, 0.3))};
    c.tangent = kin_basis_from_normal(c.normal).t;
    kin_vec3 k = kin_cross(c.normal, c.tangent);
    double angle = roll(d, 0.4, 2.6);
    c.edge_a = kin_scale(c.tangent, roll(d, 0.5, 2));
    c.edge_b = kin_scale(kin_add(kin_scale(c.tangent, kin_cos(angle)), kin_scale(k, kin_sin(angle))), roll(d, 0.5, 2));
    c.radius_a = round || kind >= KIN_TOUCH_CENTERS ? roll(d, 0.1, 0.5) : 0;
    c.radius_b = round ? roll(d, 0.1, 0.5) : 0;
    c.centre_a = kin_add_scaled(c.point, c.radius_a, c.normal);
    c.centre_b = kin_add_scaled(c.point, -c.radius_b, c.normal);
    return c;
}

static void kinds_against_differences(test* t)
{
    for (uint64_t i = 0; i < 600; ++i) {
        dice d = {.key = {.seed = 20, .serial = i}};
        kin_body b[2] = {random_body(&d), random_body(&d)};
        kin_touching c = random_touch(&d, b, (kin_touch_kind)(i % 6), i / 6 % 2);
        kin_vec3 force[2] = {roll3(&d, 5), roll3(&d, 5)}, torque[2] = {roll3(&d, 2), roll3(&d, 2)}, linear[2], angular[2];
        for (int k = 0; k < 2; ++k) {
            linear[k] = kin_scale(force[k], b[k].inv_mass);
            angular[k] = kin_body_inv_inertia_times(&b[k], kin_sub(torque[k], kin_cross(b[k].spin, kin_body_angular_momentum(&b[k]))));
        }
        placed at[3];
        for (int k = 0; k < 3; ++k) {
            kin_body now[2] = {moved(&b[0], linear[0], angular[0], (k - 1) * dt), moved(&b[1], linear[1], angular[1], (k - 1) * dt)};
            at[k] = place(&c, b, now);
        }
        kin_vec3 n = kin_touching_normal_rate(&c, &b[0], &b[1]), tangent = kin_touching_tangent_rate(&c, &b[0], &b[1], n);
        NEAR3(t, n, kin_scale(kin_sub(at[2].n, at[0].n), 0.5 / dt), 1e-4 * (1 + kin_length(n)));
        if (c.kind <= KIN_TOUCH_FACE_OF_A) NEAR3(t, tangent, kin_scale(kin_sub(at[2].t, at[0].t), 0.5 / dt), 1e-5);
        NEAR(t, kin_dot(tangent, c.tangent), 0, 1e-13);
        NEAR(t, kin_dot(tangent, c.normal) + kin_dot(n, c.tangent), 0, 1e-13);
        /* the row along n is the second derivative of the gap */
        kin_arena scratch;
        kin_arena_init(&scratch, &t->allocator);
        double matrix[9], offset[3];
        kin_force_cluster f = {.bodies = b, .body_count = 2, .force = force, .torque = torque, .touching = &c, .count = 1};
        CHECK(t, kin_forces_system(&f, matrix, offset, &scratch));
        double second = (at[0].gap - 2 * at[1].gap + at[2].gap) / (dt * dt);
        NEAR(t, offset[0], second, 2e-3 * (1 + fabs(second)));
        kin_arena_term(&scratch);
    }
}

/* t . u and k . u at the point of contact, which goes on, as the bodies move: faces, whose tangents go with them. */
static void slip_of(const kin_touching* c, const kin_body* start, const kin_body* now, double slip[2])
{
    placed at = place(c, start, now);
    bool of_b = c->kind == KIN_TOUCH_FACE_OF_B;
    kin_vec3 foot = of_b ? carried(&start[0], &now[0], kin_add_scaled(c->point, c->radius_a, c->normal))
                         : carried(&start[1], &now[1], kin_add_scaled(c->point, -c->radius_b, c->normal));
    kin_vec3 point = kin_add_scaled(foot, of_b ? -c->radius_a : c->radius_b, at.n);
    kin_vec3 u = kin_sub(kin_body_velocity_at(&now[0], point), kin_body_velocity_at(&now[1], point));
    slip[0] = kin_dot(u, at.t);
    slip[1] = kin_dot(u, kin_cross(at.n, at.t));
}

static void tangent_rows_are_rates_of_slip(test* t)
{
    for (uint64_t i = 0; i < 200; ++i) {
        dice d = {.key = {.seed = 21, .serial = i}};
        kin_body b[2] = {random_body(&d), random_body(&d)};
        kin_touching c = random_touch(&d, b, i % 2 ? KIN_TOUCH_FACE_OF_A : KIN_TOUCH_FACE_OF_B, i / 2 % 2);
        kin_vec3 linear[2], angular[2];
        double slip[2][2], matrix[9], offset[3];
        for (int k = 0; k < 2; ++k) { /* free flight: gyroscopic torque alone */
            linear[k] = kin_v(0, 0, 0);
            angular[k] = kin_body_inv_inertia_times(&b[k], kin_cross(kin_body_angular_momentum(&b[k]), b[k].spin));
        }
        for (int k = 0; k < 2; ++k) {
            kin_body now[2] = {moved(&b[0], linear[0], angular[0], (2 * k - 1) * dt), moved(&b[1], linear[1], angular[1], (2 * k - 1) * dt)};
            slip_of(&c, b, now, slip[k]);
        }
        kin_arena scratch;
        kin_arena_init(&scratch, &t->allocator);
        kin_force_cluster f = {.bodies = b, .body_count = 2, .touching = &c, .count = 1};
        CHECK(t, kin_forces_system(&f, matrix, offset, &scratch));
        for (int k = 0; k < 2; ++k) NEAR(t, offset[1 + k], (slip[1][k] - slip[0][k]) / (2 * dt), 2e-5 * (1 + fabs(offset[1 + k])));
        kin_arena_term(&scratch);
    }
}

/* A ball that spins in place on the floor, or rolls, stays: no term of its spin is left in the row. */
static void spinning_balls_stay(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    kin_body ball = ball_of(1, 0.5, kin_v(0, 0.5, 0), kin_v(3, 0, 0));
    ball.spin = kin_v(7, 2, -6); /* rolls along x and spins besides */
    kin_touching c = {.a = 0, .b = KIN_NO_BODY, .normal = {0, 1, 0}, .radius_a = 0.5};
    double matrix[9], offset[3];
    kin_force_cluster f = {.bodies = &ball, .body_count = 1, .touching = &c, .count = 1};
    kin_forces_system(&f, matrix, offset, &scratch);
    for (int i = 0; i < 3; ++i) NEAR(t, offset[i], 0, 1e-13);
    kin_arena_term(&scratch);
}

TEST_MAIN("contact/force rates", TEST(kinds_against_differences), TEST(tangent_rows_are_rates_of_slip), TEST(spinning_balls_stay))
