/* joints_test.c - joints in the exact solver: forces in every derivative, impulses, limits, motors, friction, strength (C5.2, C5.3, C5.6, C5.8, N4, N5). */
#include "numerics/elliptic.h"
#include "unit/contact/exact/rig.h"

#define PI 3.14159265358979323846

static kin_joint_def joint(kin_joint_kind kind, kin_vec3 anchor, kin_vec3 axis)
{
    return (kin_joint_def){.kind = kind, .anchor = anchor, .axis = axis, .ratio = 1};
}

/* A rod of 1 m hinged at its end to the world, along x from the origin. */
static uint32_t hinged_rod(rig* r, kin_joint_def def, uint32_t* number)
{
    kin_material_id m = rig_material(r, 0, 0, 0);
    uint32_t rod = rig_box(r, m, 2, kin_v(1, 1e-3, 1e-3), kin_v(0.5, 0, 0), kin_quat_identity());
    *number = rig_joint(r, def, KIN_NO_BODY, rod);
    return rod;
}

/* N4: released level, alpha = 3g/2L and the pivot holds mg/4; at the bottom w^2 = 3g/L and 5mg/2. */
static void hinged_rod_of_the_text(test* t)
{
    rig r;
    uint32_t j;
    rig_begin(&r, t, rig_def());
    uint32_t rod = hinged_rod(&r, joint(KIN_JOINT_HINGE, kin_v(0, 0, 0), kin_v(0, 0, 1)), &j);
    rig_step(&r, 1e-5);
    kin_vec3 force, torque;
    kin_exact_ops.joint_load(r.group->solver, j, &force, &torque);
    NEAR(t, rig_body(&r, rod)->spin.z / 1e-5, -15, 1e-3);
    NEAR(t, force.y, 2 * 10 / 4.0, 1e-3);
    double bottom = 0;
    for (int i = 0; i < 2000 && bottom == 0; ++i) {
        rig_step(&r, 1e-3);
        if (rig_body(&r, rod)->position.x < 0) bottom = rig_body(&r, rod)->spin.z;
    }
    kin_exact_ops.joint_load(r.group->solver, j, &force, &torque);
    NEAR(t, bottom * bottom, 30, 1e-3);
    NEAR(t, force.y, 2.5 * 20, 1e-2);
    rig_end(&r);
}

/* A compound pendulum's period at 90 degrees by the complete elliptic integral; the hinge stays shut and energy is kept to the order. */
static void pendulum_has_its_elliptic_period(test* t)
{
    rig r;
    uint32_t j;
    rig_begin(&r, t, rig_def());
    uint32_t rod = hinged_rod(&r, joint(KIN_JOINT_HINGE, kin_v(0, 0, 0), kin_v(0, 0, 1)), &j);
    double length = 2.0 / 3, period = 4 * kin_sqrt(length / 10) * kin_elliptic_k(kin_sin(PI / 4)), h = 1.0 / 240, time = 0, crossed[2] = {0, 0};
    int count = 0;
    for (int i = 0; i < 2000 && count < 2; ++i) {
        double before = rig_body(&r, rod)->position.x;
        rig_step(&r, h);
        double after = rig_body(&r, rod)->position.x;
        if (before > 0 && after <= 0) crossed[count++] = time + h * before / (before - after);
        time += h;
    }
    NEAR(t, crossed[1] - crossed[0], period, 1e-4 * period);
    kin_vec3 pivot = kin_apply(kin_bodies_form_pose(&r.group->bodies, rod), kin_v(-0.5, 0, 0));
    NEAR3(t, pivot, kin_v(0, 0, 0), 1e-6);
    rig_end(&r);
}

/* Cantilever: force mg, moment mgL/2 at the wall. */
static void cantilever_holds_force_and_moment(test* t)
{
    rig r;
    uint32_t j;
    kin_vec3 force, torque;
    rig_begin(&r, t, rig_def());
    uint32_t rod = hinged_rod(&r, joint(KIN_JOINT_FIXED, kin_v(0, 0, 0), kin_v(1, 0, 0)), &j);
    rig_steps(&r, 30, 1.0 / 60);
    kin_exact_ops.joint_load(r.group->solver, j, &force, &torque);
    NEAR3(t, force, kin_v(0, 20, 0), 1e-6);
    NEAR3(t, torque, kin_v(0, 0, 10), 1e-6);
    NEAR3(t, rig_body(&r, rod)->position, kin_v(0.5, 0, 0), 1e-8);
    rig_end(&r);
}

/* Prismatic on a slope: g sin; cylindrical upright: g, and the spin stays. */
static void slider_and_cylinder(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0, 0);
    kin_vec3 slope = {kin_cos(0.5), -kin_sin(0.5), 0};
    uint32_t a = rig_box(&r, m, 2, kin_v(0.4, 0.3, 0.2), kin_v(0, 0, 0), kin_quat_identity());
    uint32_t b = rig_box(&r, m, 2, kin_v(0.4, 0.3, 0.2), kin_v(5, 0, 0), kin_quat_identity());
    rig_joint(&r, joint(KIN_JOINT_SLIDER, kin_v(0, 0, 0), slope), KIN_NO_BODY, a);
    rig_joint(&r, joint(KIN_JOINT_CYLINDRICAL, kin_v(5, 0, 0), kin_v(0, 1, 0)), KIN_NO_BODY, b);
    rig_body(&r, b)->spin = kin_v(0, 2, 0);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR3(t, rig_body(&r, a)->position, kin_scale(slope, 5 * kin_sin(0.5)), 1e-6);
    NEAR3(t, rig_body(&r, b)->position, kin_v(5, -5, 0), 1e-6);
    NEAR3(t, rig_body(&r, b)->spin, kin_v(0, 2, 0), 1e-9);
    rig_end(&r);
}

/* A free pair keeps momentum and energy while its ball joint turns; drift stays within the tolerance. */
static void free_pair_keeps_momentum(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 0, 0, 0);
    uint32_t a = rig_box(&r, m, 1, kin_v(1, 0.2, 0.2), kin_v(-0.5, 0, 0), kin_quat_identity());
    uint32_t b = rig_box(&r, m, 3, kin_v(1, 0.2, 0.4), kin_v(0.5, 0, 0), kin_quat_identity());
    rig_joint(&r, joint(KIN_JOINT_BALL, kin_v(0, 0, 0), kin_v(1, 0, 0)), a, b);
    rig_body(&r, a)->spin = kin_v(0, 0, 2); /* about its own end at the joint, which stands still */
    rig_body(&r, a)->velocity = kin_v(0, -1, 0);
    kin_vec3 p = rig_momentum(&r);
    double energy = rig_kinetic(&r);
    rig_steps(&r, 240, 1.0 / 240);
    NEAR3(t, rig_momentum(&r), p, 1e-9);
    NEAR(t, rig_kinetic(&r) / energy, 1, 1e-5);
    kin_vec3 on_a = kin_apply(kin_bodies_form_pose(&r.group->bodies, a), kin_v(0.5, 0, 0)),
             on_b = kin_apply(kin_bodies_form_pose(&r.group->bodies, b), kin_v(-0.5, 0, 0));
    NEAR3(t, on_a, on_b, 1e-7);
    rig_end(&r);
}

/* N5: a rod hinged at one end and hit at 2L/3: nothing at the pivot. */
static void centre_of_percussion(test* t)
{
    rig r;
    uint32_t j;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    uint32_t rod = hinged_rod(&r, joint(KIN_JOINT_HINGE, kin_v(0, 0, 0), kin_v(0, 0, 1)), &j);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    uint32_t ball = rig_ball(&r, m, 1, 0.1, kin_v(2.0 / 3, 0.1 + 0.0005 + 0.05, 0));
    rig_body(&r, ball)->velocity = kin_v(0, -3, 0);
    rig_step(&r, 1.0 / 30);
    CHECK(t, rig_solver(&r)->report.collisions == 1);
    CHECK(t, kin_abs(rig_body(&r, rod)->spin.z) > 0.5);
    NEAR(t, rig_solver(&r)->joint_hit[j].y, 0, 1e-3);
    rig_end(&r);
}

/* C5.8: a limit stops the fall where it is, and holds. */
static void limit_stops_a_hinge(test* t)
{
    rig r;
    uint32_t j;
    rig_begin(&r, t, rig_def());
    kin_joint_def def = joint(KIN_JOINT_HINGE, kin_v(0, 0, 0), kin_v(0, 0, 1));
    def.freedom[0] = (kin_joint_freedom){.limited = true, .low = -0.5, .high = 0.5};
    uint32_t rod = hinged_rod(&r, def, &j);
    rig_steps(&r, 90, 1.0 / 60);
    double angle = kin_joint_position(&r.group->joints[j], &(kin_body){.orientation = {0, 0, 0, 1}}, rig_body(&r, rod), 0);
    NEAR(t, angle, -0.5, 1e-3);
    NEAR(t, rig_body(&r, rod)->spin.z, 0, 1e-6);
    rig_end(&r);
}

/* A motor with little strength brings a wheel to its speed by I dw/dt = most, then holds it. */
static void motor_drives_to_its_speed(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 0, 0, 0);
    uint32_t wheel = rig_ball(&r, m, 10, 0.5, kin_v(0, 0, 0)); /* I = 1 */
    kin_joint_def def = joint(KIN_JOINT_HINGE, kin_v(0, 0, 0), kin_v(0, 0, 1));
    def.freedom[0] = (kin_joint_freedom){.motor = true, .speed = 3, .most = 4};
    rig_joint(&r, def, KIN_NO_BODY, wheel);
    rig_steps(&r, 30, 1.0 / 60);
    NEAR(t, rig_body(&r, wheel)->spin.z, 2, 1e-6);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR(t, rig_body(&r, wheel)->spin.z, 3, 5e-3);
    rig_end(&r);
}

/* Friction in a hinge: holds what it can, and stops a turn of w within I w / most. */
static void hinge_friction_stops_a_turn(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 0, 0, 0);
    uint32_t wheel = rig_ball(&r, m, 10, 0.5, kin_v(0, 0, 0));
    kin_joint_def def = joint(KIN_JOINT_HINGE, kin_v(0, 0, 0), kin_v(0, 0, 1));
    def.freedom[0].friction = 2;
    rig_joint(&r, def, KIN_NO_BODY, wheel);
    rig_body(&r, wheel)->spin = kin_v(0, 0, 1.99);
    rig_steps(&r, 30, 1.0 / 60);
    NEAR(t, rig_body(&r, wheel)->spin.z, 0.99, 1e-6);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR(t, rig_body(&r, wheel)->spin.z, 0, 2e-3);
    rig_end(&r);
}

/* A spring at a slider: half a period of sqrt(k/m). */
static void spring_swings(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 0, 0, 0);
    uint32_t box = rig_box(&r, m, 2, kin_v(0.1, 0.1, 0.1), kin_v(0, 0, 0), kin_quat_identity());
    kin_joint_def def = joint(KIN_JOINT_SLIDER, kin_v(0, 0, 0), kin_v(1, 0, 0));
    def.freedom[0] = (kin_joint_freedom){.stiffness = 50, .rest = 0.2};
    rig_joint(&r, def, KIN_NO_BODY, box);
    rig_steps(&r, 100, PI / 5 / 100);
    NEAR(t, rig_body(&r, box)->position.x, 0.4, 1e-6);
    rig_end(&r);
}

/* Strength: a rod that hangs on by more than its joint holds breaks off and falls. */
static void joint_breaks(test* t)
{
    rig r;
    uint32_t j;
    rig_begin(&r, t, rig_def());
    kin_joint_def def = joint(KIN_JOINT_HINGE, kin_v(0, 0, 0), kin_v(0, 0, 1));
    def.break_force = 30; /* mg is 20; at the bottom it would be 50 */
    uint32_t rod = hinged_rod(&r, def, &j);
    int broke = 0;
    for (int i = 0; i < 60 && !broke; ++i) {
        rig_step(&r, 1.0 / 60);
        for (size_t k = 0; k < r.events.count; ++k) broke += r.events.items[k].kind == KIN_JOINT_BROKE;
    }
    EQUAL(t, broke, 1);
    CHECK(t, r.group->joints[j].broken);
    rig_steps(&r, 30, 1.0 / 60);
    CHECK(t, rig_body(&r, rod)->position.y < -1);
    rig_end(&r);
}

/* C5.6.2: a chain of two links with its end on the floor rests. */
static void chain_on_the_floor(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.6, 0.5);
    rig_floor(&r, m);
    uint32_t a = rig_box(&r, m, 1, kin_v(1, 0.2, 0.4), kin_v(-0.5, 0.1, 0), kin_quat_identity());
    uint32_t b = rig_box(&r, m, 1, kin_v(1, 0.2, 0.4), kin_v(0.5, 0.1, 0), kin_quat_identity());
    rig_joint(&r, joint(KIN_JOINT_HINGE, kin_v(0, 0.1, 0), kin_v(0, 0, 1)), a, b);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR3(t, rig_body(&r, a)->position, kin_v(-0.5, 0.1, 0), 1e-5);
    NEAR3(t, rig_body(&r, b)->position, kin_v(0.5, 0.1, 0), 1e-5);
    rig_end(&r);
}

/* C4.14 Ex1: an L of two boxes as one compound body, and as two bodies glued by a rigid joint, tossed and dropped: the same flight, and drift within bounds. */
static void one_body_or_glued_parts(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.3, 0, 0);
    rig_floor(&r, m);
    kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {1, 0.2, 0.2}, .offset = {0.5, 0, 0}},
                          {.kind = KIN_SHAPE_BOX, .size = {0.2, 0.8, 0.2}, .offset = {0, 0.5, 0}}};
    kin_shape whole = {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
    kin_form* form = rig_form(&r, whole);
    double masses[2] = {1 * 0.2 * 0.2 * 1000, 0.2 * 0.8 * 0.2 * 1000};
    uint32_t one = rig_add(&r, form, m, masses[0] + masses[1], kin_v(0, 3, 0), kin_quat_identity());
    uint32_t a = rig_box(&r, m, masses[0], parts[0].size, kin_v(10.5, 3, 0), kin_quat_identity());
    uint32_t b = rig_box(&r, m, masses[1], parts[1].size, kin_v(10, 3.5, 0), kin_quat_identity());
    rig_joint(&r, joint(KIN_JOINT_FIXED, kin_v(10, 3, 0), kin_v(1, 0, 0)), a, b);
    kin_vec3 spin = {1, 2, -1.5}, centre = rig_body(&r, one)->position;
    rig_body(&r, one)->spin = rig_body(&r, a)->spin = rig_body(&r, b)->spin = spin;
    rig_body(&r, a)->velocity = kin_cross(spin, kin_sub(kin_v(0.5, 3, 0), centre));
    rig_body(&r, b)->velocity = kin_cross(spin, kin_sub(kin_v(0, 3.5, 0), centre));
    double drift = 0;
    for (int i = 0; i < 60; ++i) {
        rig_step(&r, 1.0 / 60);
        kin_transform x = kin_bodies_form_pose(&r.group->bodies, one);
        kin_vec3 want = kin_add(kin_apply(x, kin_v(0.5, 0, 0)), kin_v(10, 0, 0));
        drift = kin_max(drift, kin_distance(want, kin_bodies_form_pose(&r.group->bodies, a).position));
    }
    CHECK(t, rig_solver(&r)->report.collisions >= 2); /* both have met the floor */
    NEAR(t, drift, 0, 2e-2);
    rig_end(&r);
}

/* A plate of 2 kg on a sprung slider that is pushed by m g h, m = 1 kg, before every interval: off its middle as at its middle, for the slider takes the turn.
 * It stands at -(2 + 1) g / k on the mean; over an interval v goes from its mean by half a push below to half above. */
static void slider_takes_a_push_off_its_middle(test* t)
{
    const double h = 1.0 / 120, push = -10 * h;
    double end[2], speed[2];
    for (int k = 0; k < 2; ++k) {
        rig r;
        rig_begin(&r, t, rig_def());
        kin_material_id m = rig_material(&r, 0, 0, 0);
        uint32_t plate = rig_box(&r, m, 2, kin_v(1, 0.1, 1), kin_v(0, 0, 0), kin_quat_identity());
        kin_joint_def def = kin_joint_def_default();
        def.kind = KIN_JOINT_SLIDER, def.axis = kin_v(0, 1, 0);
        def.freedom[0] = (kin_joint_freedom){.stiffness = 400, .damping = 60};
        rig_joint(&r, def, plate, KIN_NO_BODY);
        for (int i = 0; i < 480; ++i) {
            kin_group_push(r.group, plate, k == 0 ? kin_v(0, 0, 0) : kin_v(0.2, 0.05, 0.1), (kin_wrench){kin_v(0, push, 0), kin_v(0, 0, 0)});
            rig_step(&r, h);
        }
        end[k] = rig_body(&r, plate)->position.y, speed[k] = rig_body(&r, plate)->velocity.y;
        rig_end(&r);
    }
    NEAR(t, end[0], -3 * 10 / 400.0, 1e-4); /* v of half a push for a quarter of an interval: 4e-5 */
    NEAR(t, speed[0], -0.25 * push, 2e-3);
    NEAR(t, end[1], end[0], 1e-9);
    NEAR(t, speed[1], speed[0], 1e-9);
}

/* A body that takes no part holds nothing; who slept on it wakes and falls. When it is back, so is the joint. */
static void joint_to_a_body_that_is_away_lets_go(test* t)
{
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        rig r;
        kin_rigid_def def = rig_def();
        def.sleep = sleeps > 0;
        rig_begin(&r, t, def);
        kin_material_id m = rig_material(&r, 0, 0, 0);
        uint32_t top = rig_add(&r, rig_form(&r, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.1}), m, 0, kin_v(0, 0, 0), kin_quat_identity());
        uint32_t middle = rig_ball(&r, m, 1, 0.1, kin_v(0, -1, 0)), low = rig_ball(&r, m, 3, 0.1, kin_v(0, -2, 0));
        kin_joint_def joint = kin_joint_def_default();
        joint.kind = KIN_JOINT_BALL;
        rig_joint(&r, joint, top, middle);
        joint.anchor = kin_v(0, -2, 0);
        rig_joint(&r, joint, middle, low);
        rig_steps(&r, 60, 1.0 / 60);
        EQUAL(t, kin_exact_ops.is_awake(r.group->solver, low), !sleeps);
        kin_group_set_motion(r.group, top, KIN_BODY_GONE);
        rig_steps(&r, 6, 1.0 / 60);
        NEAR(t, rig_body(&r, low)->velocity.y, -10 * 0.1, 1e-9);
        NEAR(t, rig_body(&r, middle)->velocity.y, -10 * 0.1, 1e-9);
        kin_vec3 force, torque;
        kin_exact_ops.joint_load(r.group->solver, 0, &force, &torque);
        NEAR3(t, force, kin_v(0, 0, 0), 0);
        kin_group_set_motion(r.group, top, KIN_BODY_FIXED);
        rig_steps(&r, 60, 1.0 / 60);
        NEAR(t, kin_length(rig_body(&r, middle)->position), 1, 1e-6);
        rig_end(&r);
    }
}

TEST_MAIN("contact/exact/joints", TEST(hinged_rod_of_the_text), TEST(pendulum_has_its_elliptic_period), TEST(cantilever_holds_force_and_moment),
          TEST(slider_and_cylinder), TEST(free_pair_keeps_momentum), TEST(centre_of_percussion), TEST(limit_stops_a_hinge), TEST(motor_drives_to_its_speed),
          TEST(hinge_friction_stops_a_turn), TEST(spring_swings), TEST(joint_breaks), TEST(chain_on_the_floor), TEST(one_body_or_glued_parts),
          TEST(slider_takes_a_push_off_its_middle), TEST(joint_to_a_body_that_is_away_lets_go))
