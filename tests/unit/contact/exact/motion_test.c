/* motion_test.c - bodies in flight: orders of the integrators, momenta, ticks (C1.4.2, C4.2, H9.8). */
#include "unit/contact/exact/rig.h"

static const kin_vec3 moments = {2, 3, 4};

static uint32_t top(rig* r, kin_vec3 spin)
{
    kin_body body = {.orientation = {0, 0, 0, 1}, .mass = 1, .inv_mass = 1, .moments = moments, .inv_moments = {0.5, 1.0 / 3, 0.25}, .spin = spin};
    kin_body_skin skin = {.place = kin_transform_identity(), .solid = UINT32_MAX, .gravity_scale = 1, .reach = 1};
    uint32_t index = 0;
    EQUAL(r->t, kin_group_add_body(r->group, &body, &skin, KIN_BODY_FREE, &index, NULL), KIN_OK);
    return index;
}

/* Where a tumbling, falling body with drag is after a second. */
static kin_transform tumble(test* t, const char* method, int steps)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.integrator = rig_integrator(method);
    def.tolerance = 1e-2; /* no tick is cut */
    rig_begin(&r, t, def);
    uint32_t body = top(&r, kin_v(0.4, 1.5, 0.3));
    rig_body(&r, body)->velocity = kin_v(1, 2, 0);
    r.group->bodies.skin[body].drag = 0.8;
    r.group->bodies.skin[body].angular_drag = 0.3;
    rig_steps(&r, steps, 1.0 / steps);
    kin_transform pose = kin_body_pose(rig_body(&r, body));
    rig_end(&r);
    return pose;
}

static double miss(kin_transform a, kin_transform b)
{
    return kin_distance(a.position, b.position) + kin_quat_angle(kin_quat_mul(a.orientation, kin_quat_conj(b.orientation)));
}

static void every_integrator_has_its_order(test* t)
{
    kin_transform truth = tumble(t, "rk4", 2000);
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* m = kin_integrator_at(i);
        if (m->adaptive) continue;
        int steps = m->order >= 4 ? 10 : 40;
        double coarse = miss(tumble(t, m->name, steps), truth), fine = miss(tumble(t, m->name, 2 * steps), truth);
        double slope = kin_ln(coarse / fine) / kin_ln(2);
        test_check(t, slope > m->order - 0.25 && slope < m->order + 1.2, __FILE__, __LINE__, "%s: order %g, not %d (errors %g, %g)", m->name, slope, m->order,
                   coarse, fine);
    }
}

static void adaptive_integrators_keep_their_tolerance(test* t)
{
    kin_transform truth = tumble(t, "rk4", 2000);
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* m = kin_integrator_at(i);
        if (!m->adaptive) continue;
        rig r;
        kin_rigid_def def = rig_def();
        def.integrator = i;
        def.integrator_tolerance = 1e-8;
        rig_begin(&r, t, def);
        uint32_t body = top(&r, kin_v(0.4, 1.5, 0.3));
        rig_body(&r, body)->velocity = kin_v(1, 2, 0);
        r.group->bodies.skin[body].drag = 0.8;
        r.group->bodies.skin[body].angular_drag = 0.3;
        rig_steps(&r, 10, 0.1);
        double error = miss(kin_body_pose(rig_body(&r, body)), truth);
        test_check(t, error < 1e-5, __FILE__, __LINE__, "%s: off by %g", m->name, error);
        rig_end(&r);
    }
}

/* H9.8: P and L are exactly constant; |q| = 1; energy drifts only by the order. */
static void free_momenta_are_exact(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    uint32_t i = top(&r, kin_v(0.01, 3, 0.01));
    rig_body(&r, i)->velocity = kin_v(0.3, -0.7, 0.11);
    kin_vec3 angular = kin_body_angular_momentum(rig_body(&r, i));
    double energy = kin_body_kinetic(rig_body(&r, i));
    rig_steps(&r, 600, 1.0 / 60);
    kin_vec3 now = rig_solver(&r)->body[i].angular;
    CHECK(t, now.x == angular.x && now.y == angular.y && now.z == angular.z);
    CHECK(t, rig_body(&r, i)->velocity.x == 0.3 && rig_body(&r, i)->velocity.y == -0.7);
    NEAR3(t, kin_body_angular_momentum(rig_body(&r, i)), angular, 1e-13);
    NEAR(t, kin_quat_length(rig_body(&r, i)->orientation), 1, 1e-15);
    NEAR(t, kin_body_kinetic(rig_body(&r, i)) / energy, 1, 1e-5);
    rig_end(&r);
}

/* A spin of 300 rad/s turns 5 rad in a step: N goes 1, 2, 4, 8 at once; when it has gone, back to 1 after 4 calm steps a halving. */
static void ticks_double_and_come_back(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    uint32_t i = top(&r, kin_v(0, 0, 300));
    rig_step(&r, 1.0 / 60);
    EQUAL(t, rig_solver(&r)->body[i].ticks, 8);
    EQUAL(t, rig_solver(&r)->report.rejected, 3);
    rig_body(&r, i)->spin = kin_v(0, 0, 1);
    const int trace[] = {8, 8, 8, 4, 4, 4, 4, 2, 2, 2, 2, 1};
    for (int k = 0; k < 12; ++k) {
        rig_step(&r, 1.0 / 60);
        EQUAL(t, rig_solver(&r)->body[i].ticks, trace[k]);
    }
    rig_end(&r);
}

/* A rejected tick leaves no trace: the same bits as if the number of ticks had been known. */
static void a_reject_restores_to_the_bit(test* t)
{
    kin_quat q[2];
    for (int known = 0; known < 2; ++known) {
        rig r;
        rig_begin(&r, t, rig_def());
        uint32_t i = top(&r, kin_v(5, 0.1, 200));
        if (known) rig_solver(&r)->body[i].ticks = 4;
        rig_step(&r, 1.0 / 60);
        EQUAL(t, rig_solver(&r)->report.rejected, known ? 0 : 2);
        q[known] = rig_body(&r, i)->orientation;
        rig_end(&r);
    }
    CHECK(t, memcmp(&q[0], &q[1], sizeof q[0]) == 0);
}

/* Constant spin about an axis: the exact angle (H9.8), also at 1e4 rad/s. */
static void fast_spin_is_followed(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    uint32_t i = top(&r, kin_v(0, 0, 1e4));
    rig_step(&r, 0.01);
    kin_quat want = kin_quat_axis_angle(kin_v(0, 0, 1), 100);
    NEAR(t, kin_abs(kin_quat_dot(rig_body(&r, i)->orientation, want)), 1, 1e-4);
    EQUAL(t, r.report.capped, 0);
    rig_end(&r);
}

static void what_is_not_finite_is_refused(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    uint32_t i = top(&r, kin_v(0, 0, 1));
    rig_body(&r, i)->velocity.y = 1e308 * 10;
    EQUAL(t, rig_step(&r, 0.01), KIN_STATUS_REFUSED);
    HAS(t, r.report.note, "rigid[0]");
    rig_end(&r);
}

/* X1.1: two bodies with numbers of ticks of their own that a joint holds together take the larger one, and the joint's force is one and the same on both: momenta
 * are kept to rounding, and the path is that of two bodies that both had it. */
static void jointed_bodies_share_their_ticks(test* t)
{
    kin_vec3 end[2];
    for (int both = 0; both < 2; ++both) {
        rig r;
        rig_begin(&r, t, rig_def());
        r.fields.gravity = kin_v(0, 0, 0);
        kin_material_id m = rig_material(&r, 0, 0, 0);
        uint32_t a = rig_box(&r, m, 1, kin_v(0.2, 0.2, 0.2), kin_v(-0.5, 0, 0), kin_quat_identity());
        uint32_t b = rig_box(&r, m, 3, kin_v(0.2, 0.2, 0.2), kin_v(0.5, 0, 0), kin_quat_identity());
        kin_joint_def def = kin_joint_def_default();
        def.kind = KIN_JOINT_BALL;
        rig_joint(&r, def, a, b);
        rig_body(&r, a)->velocity = kin_v(0, 1, 0), rig_body(&r, b)->velocity = kin_v(0, -1, 0);
        rig_body(&r, a)->spin = rig_body(&r, b)->spin = kin_v(0, 0, -2); /* both turn about the anchor */
        kin_exact_body* bodies = ((kin_exact*)r.group->solver)->body;
        bodies[a].ticks = 8, bodies[b].ticks = both ? 8 : 1;
        rig_step(&r, 1.0 / 60);
        EQUAL(t, rig_solver(&r)->report.ticks, 8);
        NEAR3(t, rig_momentum(&r), kin_v(0, -2, 0), 1e-13);
        kin_vec3 open = kin_sub(kin_apply(kin_body_pose(rig_body(&r, a)), kin_v(0.5, 0, 0)), kin_apply(kin_body_pose(rig_body(&r, b)), kin_v(-0.5, 0, 0)));
        NEAR(t, kin_length(open), 0, 1e-8);
        end[both] = rig_body(&r, a)->position;
        rig_end(&r);
    }
    NEAR3(t, end[0], end[1], 0);
}

/* A body with two equal moments that tumbles half a radian a step: R(t) = turn by L / I1 t, R0, turn about its own axis by (1/I3 - 1/I1) L3 t. Its error falls with the
 * tolerance asked for, down to rounding: nothing else turns it. */
static double spun_error(test* t, const char* method, double tolerance)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.integrator = rig_integrator(method);
    def.integrator_tolerance = tolerance;
    rig_begin(&r, t, def);
    r.fields.gravity = kin_v(0, 0, 0);
    kin_body body = {.orientation = {0, 0, 0, 1}, .mass = 1, .inv_mass = 1, .moments = {2, 2, 3}, .inv_moments = {0.5, 0.5, 1.0 / 3}, .spin = {20, 5, 30}};
    kin_body_skin skin = {.place = kin_transform_identity(), .solid = UINT32_MAX, .gravity_scale = 1, .reach = 1};
    uint32_t i = 0;
    EQUAL(t, kin_group_add_body(r.group, &body, &skin, KIN_BODY_FREE, &i, NULL), KIN_OK);
    kin_vec3 angular = kin_body_angular_momentum(&body);
    rig_steps(&r, 60, 1.0 / 60);
    kin_quat outer = kin_quat_from_rotation_vector(kin_scale(angular, 0.5)), own = kin_quat_from_rotation_vector(kin_v(0, 0, (1.0 / 3 - 0.5) * angular.z));
    double off = kin_quat_angle(kin_quat_mul(rig_body(&r, i)->orientation, kin_quat_conj(kin_quat_mul(outer, own))));
    rig_end(&r);
    return kin_max(off, 1e-15);
}

static void errors_fall_with_the_tolerance(test* t)
{
    static const char* const methods[] = {"adaptive_rk45", "adaptive_rk4", "bulirsch_stoer"};
    for (int k = 0; k < 3; ++k) {
        double coarse = spun_error(t, methods[k], 1e-5), fine = spun_error(t, methods[k], 1e-11), order = kin_ln(coarse / fine) / kin_ln(1e6);
        test_check(t, (order > 0.7 || coarse < 1e-11) && fine < 1e-8, __FILE__, __LINE__, "%s: %g at 1e-5, %g at 1e-11", methods[k], coarse, fine);
    }
}

TEST_MAIN("contact/exact/motion", TEST(every_integrator_has_its_order), TEST(adaptive_integrators_keep_their_tolerance), TEST(free_momenta_are_exact),
          TEST(ticks_double_and_come_back), TEST(a_reject_restores_to_the_bit), TEST(fast_spin_is_followed), TEST(what_is_not_finite_is_refused),
          TEST(jointed_bodies_share_their_ticks), TEST(errors_fall_with_the_tolerance))
