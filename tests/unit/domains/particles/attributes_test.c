/* attributes_test.c - named numbers of particles, numbers that deviate in every step, and up carried along a path: from the scene's kinds to state, frames and commands. */
#include "many.h"
#include "math/quat.h"
#include "world/world.h"

static const float* array_of(test* t, kin_world* w, const char* layer, const char* name)
{
    const kin_frame* frame;
    EQUAL(t, kin_world_capture(w, 0, 1.0 / 30, &frame, NULL), KIN_OK);
    const kin_layer* l = kin_frame_layer(frame, layer);
    const kin_array* a = l != NULL ? kin_layer_array(l, name) : NULL;
    return a != NULL ? a->data : NULL;
}

static kin_anchor element(kin_system_id id, uint32_t i) { return (kin_anchor){id.index1, i, {0, 0, 0}}; }

static double value_of(test* t, kin_world* w, kin_system_id id, uint32_t i, const char* name)
{
    double value = -1e300;
    EQUAL(t, kin_world_attribute(w, element(id, i), name, &value, NULL), KIN_OK);
    return value;
}

/* ---- attributes ---- */

/* 1000 draws of 3 +- 2: all within; their mean within 4 deviations of it, of at most 2 / sqrt(1000) each. */
static void values_are_drawn_at_birth(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    const kin_particle_attribute attributes[] = {{.name = "heat", .value = {3, 2}}, {.name = "tag_2", .value = {-7, 0}}};
    many_begin(&m, 1, 0, 1);
    m.kinds[0].attributes.data = attributes;
    m.kinds[0].attributes.count = 2;
    m.groups[0].count = 1000;
    m.groups[0].box = kin_v(1, 1, 1);
    kin_system_id id = many_add(t, w, &m);
    double sum = 0, low = 1e300, high = -1e300;
    for (uint32_t i = 0; i < 1000; ++i) {
        double v = value_of(t, w, id, i, "heat");
        sum += v, low = v < low ? v : low, high = v > high ? v : high;
        NEAR(t, value_of(t, w, id, i, "tag_2"), -7, 0);
    }
    CHECK(t, low >= 1 && high <= 5 && high - low > 2);
    NEAR(t, sum / 1000, 3, 4 * 2 / kin_sqrt(1000));
    const float* heat = array_of(t, w, "particles", "user.heat");
    CHECK(t, heat != NULL);
    for (uint32_t i = 0; heat != NULL && i < 1000; ++i) NEAR(t, (double)heat[i], value_of(t, w, id, i, "heat"), 1e-6);
    kin_world_destroy(w);
}

static void hot_and_cold(many* m, const kin_particle_attribute* heat, const kin_curve_key* keys)
{
    many_begin(m, 2, 0, 2);
    m->kinds[0].name = m->groups[0].kind = "hot";
    m->kinds[1].name = m->groups[1].kind = "plain";
    m->kinds[0].attributes.data = heat;
    m->kinds[0].attributes.count = 1;
    m->kinds[0].color = (kin_curve){keys, 2, KIN_CURVE_LINEAR};
    m->kinds[0].color_by = "heat";
    m->groups[0].count = m->groups[1].count = 2;
    m->groups[0].box = m->groups[1].box = kin_v(1, 1, 1);
}

/* A command takes effect at the next step, colour and size follow, it is recorded, and what has no such number says so. */
static void commands_change_them(test* t)
{
    static const kin_curve_key keys[] = {{0, {1, 0, 0}}, {10, {0, 0, 1}}}, sizes[] = {{0, {1}}, {10, {3}}};
    const kin_particle_attribute heat = {.name = "heat", .value = {0, 0}};
    many m;
    hot_and_cold(&m, &heat, keys);
    m.kinds[0].size = (kin_curve){sizes, 2, KIN_CURVE_LINEAR};
    m.kinds[0].size_by = "heat";
    kin_world *w = test_world(t, 0.01, kin_v(0, 0, 0)), *again = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_system_id id = many_add(t, w, &m);
    many_add(t, again, &m);
    kin_error error = {0};
    kin_world_record(w, true);
    EQUAL(t, kin_world_set_attribute(w, element(id, 1), "heat", 5, NULL), KIN_OK);
    NEAR(t, value_of(t, w, id, 1, "heat"), 0, 0);
    test_steps(t, w, 1);
    NEAR(t, value_of(t, w, id, 1, "heat"), 5, 0);
    NEAR(t, value_of(t, w, id, 0, "heat"), 0, 0);
    NEAR(t, kin_particles_state(w, id).radius[1], 2 * 0.05, 1e-8);
    NEAR(t, kin_particles_state(w, id).radius[0], 0.05, 1e-8);
    const float* color = array_of(t, w, "particles", "color");
    CHECK(t, color != NULL);
    if (color != NULL) NEAR(t, (double)color[3], 0.5, 1e-6);
    if (color != NULL) NEAR(t, (double)color[0], 1, 1e-6);
    EQUAL(t, kin_world_set_attribute(w, element(id, 2), "heat", 5, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "has no attribute \"heat\"");
    EQUAL(t, kin_world_set_attribute(w, element(id, 0), "cold", 5, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_world_set_attribute(w, element(id, 0), "heat", 0.0 / 0.0, &error), KIN_ERROR_ARGUMENT);
    size_t count, next = 0;
    const kin_command* log = kin_world_recorded(w, &count);
    EQUAL(t, count, 1);
    EQUAL(t, kin_world_replay(again, log, count, &next, NULL), KIN_OK);
    test_steps(t, again, 1);
    CHECK(t, kin_world_state_hash(again) == kin_world_state_hash(w));
    kin_world_destroy(again);
    kin_world_destroy(w);
}

/* A world that takes over a snapshot has the same values, and other ones give another hash. */
static void they_are_state(test* t)
{
    static const kin_curve_key keys[] = {{0, {1, 0, 0}}, {10, {0, 0, 1}}};
    const kin_particle_attribute heat = {.name = "heat", .value = {4, 3}};
    many m;
    hot_and_cold(&m, &heat, keys);
    kin_world *w = test_world(t, 0.01, kin_v(0, 0, 0)), *other = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_system_id id = many_add(t, w, &m);
    many_add(t, other, &m);
    EQUAL(t, kin_world_set_attribute(w, element(id, 0), "heat", 9.5, NULL), KIN_OK);
    test_steps(t, w, 3);
    kin_snapshot snapshot = {0};
    EQUAL(t, kin_world_snapshot(w, &snapshot, NULL), KIN_OK);
    EQUAL(t, kin_world_restore(other, &snapshot, NULL), KIN_OK);
    kin_snapshot_free(&snapshot);
    NEAR(t, value_of(t, other, id, 0, "heat"), 9.5, 0);
    CHECK(t, kin_world_state_hash(other) == kin_world_state_hash(w));
    EQUAL(t, kin_world_set_attribute(other, element(id, 1), "heat", 1, NULL), KIN_OK);
    test_steps(t, w, 1);
    test_steps(t, other, 1);
    CHECK(t, kin_world_state_hash(other) != kin_world_state_hash(w));
    kin_world_destroy(other);
    kin_world_destroy(w);
}

/* Of a parent with 42, children that inherit have 42; without, their own 1. */
static void children_inherit_them(test* t)
{
    for (int inherits = 0; inherits < 2; ++inherits) {
        many m;
        const kin_particle_attribute from = {.name = "heat", .value = {42, 0}, .inherit = inherits}, to = {.name = "heat", .value = {1, 0}};
        many_begin(&m, 2, 0, 1);
        m.kinds[0].name = "parent";
        m.kinds[1].name = "child";
        m.kinds[0].attributes.data = &from;
        m.kinds[1].attributes.data = &to;
        m.kinds[0].attributes.count = m.kinds[1].attributes.count = 1;
        m.splits[0].into = "child";
        m.splits[0].number[0] = 4;
        m.splits[0].age[0] = 0.02;
        m.kinds[0].splits.data = m.splits;
        m.kinds[0].splits.count = 1;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 4);
        EQUAL(t, alive(w, id), 4);
        kin_particles_view view = kin_particles_state(w, id);
        for (uint32_t i = 0; i < view.count; ++i) {
            if (view.mobility[i] != KIN_MOBILITY_INACTIVE) NEAR(t, value_of(t, w, id, i, "heat"), inherits ? 42 : 1, 0);
        }
        kin_world_destroy(w);
    }
}

static void bad_names_are_refused(test* t)
{
    static const char* const names[] = {"", "two words", "age", "since_hit", "a_name_that_is_too_long"};
    many m;
    many_begin(&m, 1, 0, 1);
    kin_particle_attribute a[12] = {{.name = "x"}, {.name = "x"}};
    m.kinds[0].attributes.data = a;
    m.kinds[0].attributes.count = 2;
    MANY_REFUSED(t, &m, "kinds[0].attributes[1].name", "twice");
    m.kinds[0].attributes.count = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        a[0].name = names[i];
        MANY_REFUSED(t, &m, "kinds[0].attributes[0].name", "must be 1 to 18");
    }
    static const char* const many_names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (size_t i = 0; i < 9; ++i) a[i].name = many_names[i];
    m.kinds[0].attributes.count = 9;
    MANY_REFUSED(t, &m, "kinds[0].attributes[8].name", "at most 8");
    m.kinds[0].attributes.count = 1;
    m.kinds[0].size_by = "b";
    MANY_REFUSED(t, &m, "kinds[0].size_by", "one of its attributes");
}

/* ---- deviations ---- */

/* Radii of 50 particles over 200 steps: within 1 +- 0.5, new in every step, and about 1: 10^4 draws, whose mean is within 4 / 100 of the deviation. Masses
 * move nothing: free fall is as it was. */
static void numbers_deviate_in_every_step(test* t)
{
    static const char* const each[] = {"radius", "mass"};
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    many_begin(&m, 1, 0, 1);
    many_integrator(&m, "average");
    m.kinds[0].radius[1] = 0.5;
    m.kinds[0].mass[1] = 0.25;
    m.kinds[0].mass[0] = 1;
    m.kinds[0].each_step.data = each;
    m.kinds[0].each_step.count = 2;
    m.groups[0].count = 50;
    m.groups[0].radius = 1;
    m.groups[0].mass = 2;
    kin_system_id id = many_add(t, w, &m);
    double before[50] = {0}, sum = 0, mass = 0;
    int same = 0;
    for (int step = 0; step < 200; ++step) {
        kin_particles_view view = kin_particles_state(w, id);
        for (int i = 0; i < 50; ++i) {
            CHECK(t, view.radius[i] >= 0.5 && view.radius[i] <= 1.5 && view.mass[i] >= 1.75 && view.mass[i] <= 2.25);
            same += view.radius[i] == before[i];
            before[i] = view.radius[i];
            sum += view.radius[i];
            mass += view.mass[i];
        }
        test_steps(t, w, 1);
    }
    EQUAL(t, same, 0);
    NEAR(t, sum / 1e4, 1, 0.02);
    NEAR(t, mass / 1e4, 2, 0.01);
    NEAR(t, kin_particle_position(w, id, 7).y, -0.5 * 10 * 4, 1e-9);
    kin_world_destroy(w);
}

/* A ball that bounces on a floor with a restitution drawn anew in every step: hits differ, whereas one drawn at birth stays. The share of the speed that is left
 * is within 0.5 +- 0.4. */
static void restitution_deviates_from_hit_to_hit(test* t)
{
    static const char* const each[] = {"restitution"};
    for (int anew = 0; anew < 2; ++anew) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        kin_material_id half = test_material(t, w, "half", 0.5, 0);
        test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), half);
        many_begin(&m, 1, 0, 1);
        m.kinds[0].restitution_deviation = 0.8; /* of a pair: the mean of both, 0.4 */
        m.kinds[0].each_step.data = each;
        m.kinds[0].each_step.count = (size_t)anew;
        m.kinds[0].material = half;
        m.groups[0].radius = 0.1;
        kin_system_id id = many_add(t, w, &m);
        double share[20], low = 1, high = 0;
        for (int k = 0; k < 20; ++k) {
            EQUAL(t, kin_world_place(w, element(id, 0), kin_v(0, 0.15, 0), kin_v(0, -10, 0), NULL), KIN_OK);
            test_steps(t, w, 2);
            share[k] = kin_particle_velocity(w, id, 0).y / 10;
            low = share[k] < low ? share[k] : low, high = share[k] > high ? share[k] : high;
        }
        CHECK(t, low >= 0.1 - 1e-9 && high <= 0.9 + 1e-9);
        CHECK(t, anew ? high - low > 0.2 : high - low < 1e-9);
        kin_world_destroy(w);
    }
}

/* Charges, too: drawn by seed, system, serial and step, so that a world that takes over a snapshot draws the same. */
static void deviations_outlast_a_snapshot(test* t)
{
    static const char* const each[] = {"charge", "radius"};
    kin_world* w[2];
    kin_system_id id = {0};
    for (int k = 0; k < 2; ++k) {
        many m;
        w[k] = test_world(t, 0.01, kin_v(0, 0, 0));
        many_begin(&m, 1, 1, 1);
        m.kinds[0].charge[0] = 1;
        m.kinds[0].charge[1] = 0.5;
        m.kinds[0].radius[1] = 0.01;
        m.kinds[0].each_step.data = each;
        m.kinds[0].each_step.count = 2;
        many_rate(&m, 0, 300);
        id = many_add(t, w[k], &m);
        test_steps(t, w[k], k == 0 ? 30 : 2);
    }
    kin_snapshot snapshot = {0};
    EQUAL(t, kin_world_snapshot(w[0], &snapshot, NULL), KIN_OK);
    EQUAL(t, kin_world_restore(w[1], &snapshot, NULL), KIN_OK);
    kin_snapshot_free(&snapshot);
    CHECK(t, alive(w[0], id) > 50);
    for (int step = 0; step < 5; ++step) {
        for (int k = 0; k < 2; ++k) test_steps(t, w[k], 1);
        CHECK(t, kin_world_state_hash(w[0]) == kin_world_state_hash(w[1]));
    }
    for (int k = 0; k < 2; ++k) kin_world_destroy(w[k]);
}

static void what_cannot_deviate_is_refused(test* t)
{
    static const char *const mood[] = {"mood"}, *const radius[] = {"radius"}, *const mass[] = {"mass"};
    many m;
    many_begin(&m, 1, 0, 1);
    m.kinds[0].each_step.data = mood;
    m.kinds[0].each_step.count = 1;
    MANY_REFUSED(t, &m, "kinds[0].each_step[0]", "must be radius, mass");
    m.kinds[0].each_step.data = radius;
    MANY_REFUSED(t, &m, "kinds[0].each_step[0]", "has no deviation");
    m.kinds[0].each_step.data = mass;
    m.kinds[0].mass[0] = 1;
    m.kinds[0].mass[1] = 0.5;
    m.groups[0].mass = 0.4;
    MANY_REFUSED(t, &m, "particles[0]", "must be more than the 0.5");
    m.groups[0].mass = 1;
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 1;
    MANY_REFUSED(t, &m, "kinds[0].each_step", "splits[0] shares it out");
}

/* ---- up ---- */

/* One vertical loop of 1 turn a second round the z axis: a charge in a magnetic field. Its up, its own y axis in the picture. */
static kin_vec3 up_in_loop(test* t, bool carry, int steps, double* widest)
{
    static const kin_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    static const uint32_t triangle[] = {0, 1, 2};
    many m;
    kin_world* w = test_world(t, 0.005, kin_v(0, 0, 0));
    kin_magnetic_field field;
    kin_field_default("magnetic", &field);
    field.magnetic = kin_v(0, 0, 1);
    EQUAL(t, kin_world_add_field(w, "magnetic", &field, NULL, NULL), KIN_OK);
    many_begin(&m, 1, 0, 1);
    kin_vec3 up = kin_v(0, 1, 0), last = up;
    m.kinds[0].draw = KIN_DRAW_MESH;
    m.kinds[0].mesh = (kin_mesh_view){.vertices = corners, .vertex_count = 3, .corners = triangle, .face_count = 1};
    m.kinds[0].carry_up = carry;
    many_integrator(&m, "semi_implicit");
    m.groups[0].velocity = kin_v(1, 0, 0);
    m.groups[0].charge = 2 * KIN_PI;
    many_add(t, w, &m);
    *widest = 0;
    for (int step = 0; step < steps; ++step) {
        test_steps(t, w, 1);
        const float* pose = array_of(t, w, "particles", "pose");
        up = kin_rotate((kin_quat){(double)pose[3], (double)pose[4], (double)pose[5], (double)pose[6]}, kin_v(0, 1, 0));
        *widest = kin_max(*widest, kin_length(kin_sub(up, last)));
        last = up;
    }
    kin_world_destroy(w);
    return up;
}

/* 200 steps a turn: carried, up turns by 2 pi / 200 a step, is upside down at the other end of the loop, and upright again after it. The world's up turns over where
 * the path is vertical. Poses are floats. */
static void up_is_carried_through_a_loop(test* t)
{
    double widest;
    kin_vec3 up = up_in_loop(t, true, 100, &widest);
    NEAR3(t, up, kin_v(0, -1, 0), 0.02);
    CHECK(t, widest < 1.01 * 2 * KIN_PI / 200);
    up = up_in_loop(t, true, 200, &widest);
    NEAR3(t, up, kin_v(0, 1, 0), 0.02);
    up_in_loop(t, false, 200, &widest);
    CHECK(t, widest > 1.9);
}

/* A kind's own up: meshes that fly level have it across their way. */
static void a_kind_may_have_another_up(test* t)
{
    static const kin_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    static const uint32_t triangle[] = {0, 1, 2};
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 1);
    m.kinds[0].draw = KIN_DRAW_MESH;
    m.kinds[0].mesh = (kin_mesh_view){.vertices = corners, .vertex_count = 3, .corners = triangle, .face_count = 1};
    m.kinds[0].up = kin_v(0, 0, 2);
    m.groups[0].velocity = kin_v(1, 0, 0);
    many_add(t, w, &m);
    const float* pose = array_of(t, w, "particles", "pose");
    kin_vec3 up = kin_rotate((kin_quat){(double)pose[3], (double)pose[4], (double)pose[5], (double)pose[6]}, kin_v(0, 1, 0));
    NEAR3(t, up, kin_v(0, 0, 1), 1e-6);
    kin_world_destroy(w);
}

TEST_MAIN("attributes", TEST(values_are_drawn_at_birth), TEST(commands_change_them), TEST(they_are_state), TEST(children_inherit_them),
          TEST(bad_names_are_refused), TEST(numbers_deviate_in_every_step), TEST(restitution_deviates_from_hit_to_hit), TEST(deviations_outlast_a_snapshot),
          TEST(what_cannot_deviate_is_refused), TEST(up_is_carried_through_a_loop), TEST(a_kind_may_have_another_up))
