/* fracture_test.c - bodies that come apart: nothing is lost or gained, whatever their form (C5.8). */
#include "bodies.h"
#include "contact/group.h"
#include "domains/rigid/rigid.h"

typedef struct totals {
    double mass, kinetic;
    kin_vec3 momentum, angular;
} totals;

static totals totals_of(const kin_world* w, kin_system_id id)
{
    return (totals){measure_of(w, id, "mass"), measure_of(w, id, "kinetic_energy"), measure3(w, id, "momentum"), measure3(w, id, "angular_momentum")};
}

static void same(test* t, totals a, totals b, double slack)
{
    NEAR(t, a.mass, b.mass, slack * b.mass);
    NEAR(t, a.kinetic, b.kinetic, slack * b.kinetic);
    NEAR3(t, a.momentum, b.momentum, slack * kin_length(b.momentum));
    NEAR3(t, a.angular, b.angular, slack * kin_length(b.angular));
}

/* As if the solver had told of a hit, at the end of a step. */
static void strike(kin_world* w, kin_system_id id, uint32_t body, double impulse)
{
    kin_rigid* r = kin_world_system_self(w, id, &kin_rigid_ops);
    kin_group_event(r->group, &(kin_touch_event){.kind = KIN_TOUCH_HIT, .a = {id.index1, body, {0, 0, 0}}, .b = {0, 0, {0, 0, 0}}, .impulse = impulse});
    kin_rigid_break_hit(r);
}

static const kin_vec3 notched[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0},
                                   {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 2, 1}};
static const uint32_t notched_sizes[] = {6, 6, 4, 4, 4, 4, 4, 4};
static const uint32_t notched_corners[] = {5, 4, 3, 2, 1, 0, 6, 7, 8, 9, 10, 11, 0, 1, 7, 6, 1, 2, 8, 7, 2, 3, 9, 8, 3, 4, 10, 9, 4, 5, 11, 10, 5, 0, 6, 11};

static const kin_shape forms[] = {
    {.kind = KIN_SHAPE_BOX, .size = {1, 2, 0.5}},
    {.kind = KIN_SHAPE_SPHERE, .radius = 0.7},
    {.kind = KIN_SHAPE_CYLINDER, .radius = 0.4, .length = 1.5},
    {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}, .offset = {3, 0, 0}, .turn = {0, 0, 0.6, 0.8}},
    {.kind = KIN_SHAPE_MESH, .mesh = {.vertices = notched, .vertex_count = 12, .face_sizes = notched_sizes, .corners = notched_corners, .face_count = 8}},
};

static void breaking_keeps_mass_momentum_and_energy(test* t)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
        kin_system_id id = add_rigid(t, w);
        kin_body_def def = kin_body_def_default();
        def.shape = forms[i];
        def.density = 500;
        def.position = (kin_vec3){1, 2, 3};
        def.orientation = kin_quat_axis_angle((kin_vec3){1, 2, 3}, 1.1);
        def.velocity = (kin_vec3){3, -1, 2};
        def.spin = (kin_vec3){2, 5, -3};
        uint32_t body = add_body(t, w, id, &def);
        double mass = kin_rigid_state(w, id, body).mass;
        kin_fracture_def cut = {.pieces = 12, .seed = 3, .strength = 100};
        kin_error error = {0};
        test_check(t, kin_rigid_fracture(w, id, body, &cut, &error) == KIN_OK, __FILE__, __LINE__, "form %zu: %s: %s", i, error.where, error.message);
        NEAR(t, kin_rigid_state(w, id, body).mass, mass, 1e-12 * mass);
        uint32_t count = kin_rigid_count(w, id);
        CHECK(t, count > 8);
        NEAR(t, measure_of(w, id, "count"), 1, 0);
        test_steps(t, w, 3);
        totals before = totals_of(w, id);
        kin_transform pose = kin_rigid_state(w, id, body).pose;
        strike(w, id, body, 99);
        NEAR(t, measure_of(w, id, "count"), 1, 0); /* not hard enough */
        strike(w, id, body, 101);
        NEAR(t, measure_of(w, id, "count"), count - 1, 0);
        CHECK(t, kin_rigid_state(w, id, body).mobility == KIN_MOBILITY_INACTIVE);
        same(t, totals_of(w, id), before, 1e-12);
        for (uint32_t k = 1; k < count; ++k) { /* pieces are where they were in the whole, not turned against it */
            kin_body_state s = kin_rigid_state(w, id, k);
            kin_quat turn = kin_quat_mul(s.pose.orientation, kin_quat_conj(pose.orientation));
            NEAR(t, kin_length(kin_quat_vector(turn)), 0, 1e-12);
            NEAR3(t, s.velocity, kin_add(kin_rigid_state(w, id, body).velocity, kin_cross(s.spin, kin_sub(s.center, kin_rigid_state(w, id, body).center))),
                  1e-12);
        }
        size_t events;
        const kin_touch_event* told = kin_world_touch_events(w, &events);
        CHECK(t, events > 0 && told[events - 1].kind == KIN_BODY_BROKE && told[events - 1].a.element == body);
        strike(w, id, body, 1e9); /* only once */
        NEAR(t, measure_of(w, id, "count"), count - 1, 0);
        kin_world_destroy(w);
    }
}

/* The wall is where the solver's own hit events come from. */
static void a_hard_hit_breaks_it(test* t)
{
    kin_world* w = test_world(t, 1.0 / 60, (kin_vec3){0, 0, 0});
    test_plane(t, w, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0}, (kin_material_id){0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(0.5, 0.5, 0.5);
    def.mass = 10;
    def.position = (kin_vec3){0, 1, 0};
    def.velocity = (kin_vec3){0, -8, 0};
    def.fracture = (kin_fracture_def){.pieces = 10, .strength = 20};
    uint32_t weak = add_body(t, w, id, &def);
    def.position.x = 3;
    def.fracture.strength = 1000;
    uint32_t strong = add_body(t, w, id, &def);
    test_steps(t, w, 30);
    CHECK(t, kin_rigid_state(w, id, weak).mobility == KIN_MOBILITY_INACTIVE);
    CHECK(t, kin_rigid_state(w, id, strong).mobility == KIN_MOBILITY_DYNAMIC);
    NEAR(t, measure_of(w, id, "mass"), 20, 1e-9);
    kin_world_destroy(w);
}

static void glue_joins_neighbours(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(4, 1, 1);
    def.mass = 100;
    def.velocity = (kin_vec3){1, 0, 0};
    def.spin = (kin_vec3){0, 0, 1};
    def.fracture = (kin_fracture_def){.pieces = 8, .seed = 5, .glue = KIN_GLUE_JOINTS, .strength = 1e6};
    uint32_t body = add_body(t, w, id, &def);
    double joints = measure_of(w, id, "joints");
    EQUAL(t, kin_rigid_count(w, id), 9);
    CHECK(t, joints >= 7 && joints <= 28); /* they hang together */
    CHECK(t, kin_rigid_state(w, id, body).mobility == KIN_MOBILITY_INACTIVE);
    totals whole = totals_of(w, id);
    NEAR(t, whole.mass, 100, 1e-10);
    NEAR3(t, whole.momentum, ((kin_vec3){100, 0, 0}), 1e-9);
    NEAR(t, whole.angular.z, 100 / 12.0 * 17, 1e-8); /* m (a^2 + b^2) / 12 times the spin */
    CHECK(t, measure_of(w, id, "joint_error") < 1e-12);
    kin_joint_def j = kin_joint_def_default();
    kin_error error = {0};
    j.a = body;
    j.b = -1;
    CHECK(t, kin_rigid_add_joint(w, id, &j, NULL, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "inactive");
    kin_world_destroy(w);
}

/* A beam that hangs by both ends comes apart: each end's piece still hangs there, what was between falls. */
static void joints_stay_with_the_piece_they_hold(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        kin_world *w = test_world(t, 1.0 / 60, (kin_vec3){0, -10, 0}), *clone = NULL;
        kin_rigid_def rigid = kin_rigid_def_default();
        kin_system_id id;
        rigid.mode = (kin_rigid_mode)mode;
        CHECK(t, kin_rigid_create(w, &rigid, &id, NULL) == KIN_OK);
        kin_body_def def = kin_body_def_default();
        def.shape = box_of(4, 0.3, 0.3);
        def.mass = 40;
        def.position = (kin_vec3){0, 3, 0};
        def.fracture = (kin_fracture_def){.pieces = mode == KIN_RIGID_EXACT ? 3 : 8, .seed = 2, .strength = 50};
        uint32_t beam = add_body(t, w, id, &def);
        const kin_vec3 ends[2] = {{-1.95, 3, 0}, {1.95, 3, 0}};
        for (int i = 0; i < 2; ++i) {
            kin_joint_def joint = kin_joint_def_default();
            joint.a = i == 0 ? (int64_t)beam : -1;
            joint.b = i == 0 ? -1 : (int64_t)beam;
            joint.anchor = ends[i];
            CHECK(t, kin_rigid_add_joint(w, id, &joint, NULL, NULL) == KIN_OK);
        }
        test_steps(t, w, 5);
        kin_snapshot whole = {0};
        CHECK(t, kin_world_snapshot(w, &whole, NULL) == KIN_OK);
        strike(w, id, beam, 60);
        NEAR(t, measure_of(w, id, "joints"), 2, 0);
        test_steps(t, w, 20);
        CHECK(t, kin_world_clone(w, &clone, NULL) == KIN_OK);
        test_steps(t, w, 20);
        test_steps(t, clone, 20);
        EQUAL(t, kin_world_state_hash(clone), kin_world_state_hash(w));
        uint32_t held = 0, fallen = 0;
        for (uint32_t k = beam + 1; k < kin_rigid_count(w, id); ++k) {
            double y = kin_rigid_state(w, id, k).pose.position.y;
            held += y > 2, fallen += y < 1.5;
        }
        CHECK(t, mode == KIN_RIGID_EXACT ? held >= 2 : held == 2); /* few pieces may jam between the ends */
        EQUAL(t, held + fallen, kin_rigid_count(w, id) - 1);
        CHECK(t, measure_of(w, id, "joint_error") < 1e-2);
        CHECK(t, kin_world_restore(w, &whole, NULL) == KIN_OK); /* back to before: it hangs again */
        test_steps(t, w, 20);
        NEAR3(t, kin_rigid_state(w, id, beam).pose.position, ((kin_vec3){0, 3, 0}), 1e-2);
        kin_snapshot_free(&whole);
        kin_world_destroy(clone);
        kin_world_destroy(w);
    }
}

static void what_cannot_be_cut_is_refused(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    kin_shape parts[2] = {box_of(1, 1, 1), box_of(1, 1, 1)};
    parts[1].offset = (kin_vec3){1, 0, 0};
    def.shape = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
    uint32_t compound = add_body(t, w, id, &def);
    kin_fracture_def cut = {.pieces = 5};
    kin_error error = {0};
    CHECK(t, kin_rigid_fracture(w, id, compound, &cut, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "one mesh");
    def.shape = box_of(1, 1, 1);
    def.mobility = KIN_MOBILITY_STATIC;
    uint32_t wall = add_body(t, w, id, &def);
    CHECK(t, kin_rigid_fracture(w, id, wall, &cut, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "dynamic");
    def.mobility = KIN_MOBILITY_DYNAMIC;
    uint32_t box = add_body(t, w, id, &def);
    cut.strength = 0.0 / 0.0;
    CHECK(t, kin_rigid_fracture(w, id, box, &cut, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "strength");
    cut.strength = 1;
    CHECK(t, kin_rigid_fracture(w, id, box, &cut, &error) == KIN_OK);
    CHECK(t, kin_rigid_fracture(w, id, box, &cut, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "already");
    kin_world_destroy(w);
}

TEST_MAIN("rigid fracture", TEST(breaking_keeps_mass_momentum_and_energy), TEST(a_hard_hit_breaks_it), TEST(glue_joins_neighbours),
          TEST(joints_stay_with_the_piece_they_hold), TEST(what_cannot_be_cut_is_refused))
