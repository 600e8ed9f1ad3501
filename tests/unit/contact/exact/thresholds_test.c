/* thresholds_test.c - the thresholds that Coutinho's text leaves to the user, as settings of a system: each changes what it says. Defaults come from the parameter table. */
#include "kinema/rigid.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"
#include <string.h>

typedef struct scene {
    test* t;
    kin_world* world;
    kin_system_id system;
    kin_rigid_def def;
    kin_material_id material;
    double h;
} scene;

static scene begin(test* t, kin_vec3 gravity, double h) { return (scene){.t = t, .world = test_world(t, h, gravity), .def = kin_rigid_def_default(), .h = h}; }

static void open(scene* s, double restitution, double mu_static, double mu_dynamic)
{
    kin_material_def m = kin_material_def_default();
    m.name = "stuff";
    m.restitution = restitution;
    for (int k = 0; k < 2; ++k) m.static_friction[k] = mu_static, m.dynamic_friction[k] = mu_dynamic;
    CHECK(s->t, kin_world_add_material(s->world, &m, &s->material, NULL) == KIN_OK);
    s->def.mode = KIN_RIGID_EXACT;
    s->def.sleep = false;
    CHECK(s->t, kin_rigid_create(s->world, &s->def, &s->system, NULL) == KIN_OK);
}

static void floor_at_0(scene* s) { test_plane(s->t, s->world, kin_v(0, 0, 0), kin_v(0, 1, 0), s->material); }

static uint32_t add(scene* s, kin_shape shape, kin_vec3 position, kin_vec3 velocity, kin_vec3 spin)
{
    kin_body_def def = kin_body_def_default();
    def.shape = shape;
    def.mass = 1;
    def.position = position;
    def.velocity = velocity;
    def.spin = spin;
    def.material = s->material;
    return test_body(s->t, s->world, s->system, &def);
}

static kin_body_state state(const scene* s, uint32_t body) { return kin_rigid_state(s->world, s->system, body); }

static double measure(const scene* s, const char* name)
{
    kin_measure all[64];
    size_t count = kin_world_measure(s->world, s->system.index1, all, 64);
    for (size_t i = 0; i < count && i < 64; ++i) {
        if (strcmp(all[i].name, name) == 0) return all[i].value;
    }
    return -1;
}

/* Speed of a ball after it has met a floor at this speed, e = 1. */
static double bounced(test* t, double speed, double contact_speed, double bounce_speed)
{
    scene s = begin(t, kin_v(0, 0, 0), 0.01);
    s.def.contact_speed = contact_speed;
    s.def.bounce_speed = bounce_speed;
    open(&s, 1, 0, 0);
    floor_at_0(&s);
    uint32_t ball = add(&s, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.1}, kin_v(0, 0.1 + 2.5 * speed * s.h, 0), kin_v(0, -speed, 0), kin_v(0, 0, 0));
    test_steps(t, s.world, 5);
    const double after = state(&s, ball).velocity.y;
    kin_world_destroy(s.world);
    return after;
}

/* A meeting slower than contact_speed is contact, not a collision; slower than bounce_speed a collision without a bounce. */
static void slow_meetings_are_contacts(test* t)
{
    NEAR(t, bounced(t, 0.02, 0.01, 0.01), 0.02, 1e-12);
    NEAR(t, bounced(t, 0.02, 0.03, 0.01), 0, 1e-12);
    NEAR(t, bounced(t, 0.02, 0.001, 0.03), 0, 1e-12);
}

/* A box that creeps at 5 mm/s on a floor that leans by 0.4, mu 0.6 at rest and 0.2 sliding: at rest below slip_speed, else it slides off, by g (0.4 - 0.2 cos). */
static void slow_slip_is_static(test* t)
{
    for (int i = 0; i < 2; ++i) {
        scene s = begin(t, kin_v(9.81 * 0.4, -9.81, 0), 0.01);
        s.def.slip_speed = i == 0 ? 0.01 : 0.001;
        open(&s, 0, 0.6, 0.2);
        floor_at_0(&s);
        uint32_t box = add(&s, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.5, 0.2, 0.5}}, kin_v(0, 0.1, 0), kin_v(0.005, 0, 0), kin_v(0, 0, 0));
        test_steps(t, s.world, 50);
        NEAR(t, state(&s, box).velocity.x, i == 0 ? 0 : 0.005 + 0.5 * 9.81 * 0.2, i == 0 ? 1e-6 : 1e-3);
        kin_world_destroy(s.world);
    }
}

/* A bar turns by 0.9 rad in a tick: its low end goes up first, then the other comes down into the floor. */
static double lowest_after(test* t, bool parting)
{
    const double h = 0.1, tilt = -0.3;
    scene s = begin(t, kin_v(0, 0, 0), h);
    s.def.impact_parting = parting;
    open(&s, 1, 0, 0);
    floor_at_0(&s);
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.01, .length = 2};
    def.mass = 1;
    def.position = kin_v(0, 0.47, 0);
    def.orientation = kin_quat_axis_angle(kin_v(0, 0, 1), 0.5 * KIN_PI + tilt);
    def.spin = kin_v(0, 0, 0.9 / h);
    def.material = s.material;
    uint32_t bar = test_body(t, s.world, s.system, &def);
    test_steps(t, s.world, 1);
    const kin_body_state now = state(&s, bar);
    const double low = now.center.y - kin_abs(kin_rotate(now.pose.orientation, kin_v(0, 1, 0)).y) - 0.01;
    kin_world_destroy(s.world);
    return low;
}

static void parting_pairs_may_be_given_up(test* t)
{
    CHECK(t, lowest_after(t, false) > -1e-5);
    CHECK(t, lowest_after(t, true) < -0.05);
}

/* Two sticks side by side turn alike: one step of the clock does not show that they stay apart, which counts as an impact until it is found to be none. */
static double events_of_a_pass(test* t, int iterations)
{
    scene s = begin(t, kin_v(0, 0, 0), 0.05);
    s.def.impact_iterations = iterations;
    open(&s, 1, 0, 0);
    for (int i = 0; i < 2; ++i) {
        kin_body_def def = kin_body_def_default();
        def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 0.05, 0.05}};
        def.mass = 1;
        def.position = kin_v(0, 0.3 * i, 0);
        def.orientation = kin_quat_axis_angle(kin_v(0, 0, 1), 0.5);
        def.spin = kin_v(0, 0, 5);
        def.material = s.material;
        test_body(t, s.world, s.system, &def);
    }
    test_steps(t, s.world, 1);
    const double events = measure(&s, "events");
    EQUAL(t, measure(&s, "collisions"), 0);
    kin_world_destroy(s.world);
    return events;
}

static void undecided_pairs_count_as_impacts(test* t)
{
    EQUAL(t, events_of_a_pass(t, 5000), 0);
    CHECK(t, events_of_a_pass(t, 1) > 0);
}

/* What rests on springs lies within their shell. */
static void shells_are_as_thick_as_told(test* t)
{
    const double shells[3] = {0, 0.02, 0.002}, most[3] = {0.05, 0.02, 0.002};
    double rests[3];
    for (int i = 0; i < 3; ++i) {
        scene s = begin(t, kin_v(0, -9.81, 0), 0.01);
        s.def.response = 1;
        s.def.shell = shells[i];
        open(&s, 0, 0.5, 0.5);
        floor_at_0(&s);
        uint32_t box = add(&s, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, kin_v(0, 0.5 + 0.5 * most[i], 0), kin_v(0, 0, 0), kin_v(0, 0, 0));
        test_steps(t, s.world, 300);
        rests[i] = state(&s, box).center.y - 0.5;
        CHECK(t, rests[i] > 0 && rests[i] < most[i]);
        kin_world_destroy(s.world);
    }
    CHECK(t, rests[1] > 4 * rests[2]);
}

/* A free body with three moments: how far its energy is off. */
static double off_after(test* t, int rule, double safety)
{
    scene s = begin(t, kin_v(0, 0, 0), 0.1);
    s.def.integrator_tolerance = 1e-6;
    s.def.step_rule = rule;
    s.def.step_safety = safety;
    open(&s, 0, 0, 0);
    uint32_t body = add(&s, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.6, 0.2}}, kin_v(0, 0, 0), kin_v(0, 0, 0), kin_v(1, 4, 2));
    double first = 0, last = 0;
    for (int i = 0; i < 2; ++i) {
        const kin_body_state b = state(&s, body);
        const kin_vec3 w = kin_unrotate(b.pose.orientation, b.spin);
        (i == 0 ? (first = 0.5 * kin_dot(w, kin_mul(b.moments, w))) : (last = 0.5 * kin_dot(w, kin_mul(b.moments, w))));
        if (i == 0) test_steps(t, s.world, 100);
    }
    kin_world_destroy(s.world);
    return kin_abs(last / first - 1);
}

static void steps_follow_their_rule(test* t)
{
    for (int rule = 0; rule < 4; ++rule) {
        const double off = off_after(t, rule, 0.9);
        CHECK(t, off > 0 && off < 1e-3);
        for (int other = 0; other < rule; ++other) CHECK(t, off != off_after(t, other, 0.9));
    }
    CHECK(t, off_after(t, 0, 0.3) < 0.5 * off_after(t, 0, 0.9));
}

/* All of them are refused out of their range, by name. */
static void bad_thresholds_are_refused(test* t)
{
    static const struct {
        const char* name;
        double value;
    } rows[] = {{"step_safety", 0}, {"step_safety", 1.5}, {"shell", -1}, {"contact_speed", 0}, {"slip_speed", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        scene s = begin(t, kin_v(0, 0, 0), 0.1);
        kin_error error = {0};
        kin_rigid_def d = s.def;
        double* const members[] = {&d.step_safety, &d.step_safety, &d.shell, &d.contact_speed, &d.slip_speed};
        *members[i] = rows[i].value;
        CHECK(t, kin_rigid_create(s.world, &d, &s.system, &error) == KIN_ERROR_ARGUMENT);
        HAS(t, error.where, rows[i].name);
        kin_world_destroy(s.world);
    }
    scene s = begin(t, kin_v(0, 0, 0), 0.1);
    kin_error error = {0};
    s.def.impact_iterations = 0;
    CHECK(t, kin_rigid_create(s.world, &s.def, &s.system, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "impact_iterations");
    kin_world_destroy(s.world);
}

TEST_MAIN("contact/exact/thresholds", TEST(slow_meetings_are_contacts), TEST(slow_slip_is_static), TEST(parting_pairs_may_be_given_up),
          TEST(undecided_pairs_count_as_impacts), TEST(shells_are_as_thick_as_told), TEST(steps_follow_their_rule), TEST(bad_thresholds_are_refused))
