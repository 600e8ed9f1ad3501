/* hollow_test.c - bodies with hollows in worlds: balls fall into cups, rings over pegs; masses by cells; bodies that follow curves. */
#include "bodies.h"
#include "unit/geometry/hollows.h"

static kin_system_id add_mode(test* t, kin_world* w, kin_rigid_mode mode)
{
    kin_rigid_def def = kin_rigid_def_default();
    kin_system_id id = {0};
    def.mode = mode;
    CHECK(t, kin_rigid_create(w, &def, &id, NULL) == KIN_OK);
    return id;
}

/* Height of a ball of 0.25 m after 2 s that was let go over the cup, which stands on a plane and weighs 50 times as much. */
static double height_in_cup(test* t, kin_shape cup, kin_rigid_mode mode)
{
    kin_world* w = test_world(t, 1 / 60.0, (kin_vec3){0, -10, 0});
    kin_material_id dull = test_material(t, w, "dull", 0, 0.5);
    test_plane(t, w, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0}, dull);
    kin_system_id id = add_mode(t, w, mode);
    test_plain_body(t, w, id, dull, cup, 50, (kin_vec3){0, 0, 0}, (kin_vec3){0, 0, 0});
    uint32_t ball = test_plain_body(t, w, id, dull, ball_of(0.25), 1, (kin_vec3){0.05, 1.8, 0.02}, (kin_vec3){0, 0, 0});
    test_steps(t, w, 120);
    double y = kin_rigid_state(w, id, ball).pose.position.y;
    kin_world_destroy(w);
    return y;
}

/* On the bottom of the hollow, 0.3 m up, in both modes; hulls alone catch it at the rim. Real time rests within its slop of 5 mm. */
static void balls_fall_into_cups(test* t)
{
    soup s = cup_soup(6);
    kin_shape cup = {.kind = KIN_SHAPE_PIECES, .mesh = soup_view(&s)};
    for (int mode = 0; mode < 2; ++mode) {
        for (int method = 0; method <= KIN_PIECES_JOE; ++method) {
            cup.kind = KIN_SHAPE_PIECES;
            cup.pieces.method = (kin_pieces_method)method;
            NEAR(t, height_in_cup(t, cup, (kin_rigid_mode)mode), 0.55, mode == KIN_RIGID_EXACT ? 1e-3 : 5e-3);
        }
        cup.kind = KIN_SHAPE_HULL;
        CHECK(t, height_in_cup(t, cup, (kin_rigid_mode)mode) > 1.7);
    }
    soup_free(&s);
}

/* A ring of 0.6 m inside falls over a peg of 0.4 m that is 1 m high, and lies on the ground. */
static void rings_fall_over_pegs(test* t)
{
    soup s = ring_soup(12);
    for (int method = 0; method <= KIN_PIECES_JOE; ++method) {
        kin_world* w = test_world(t, 1 / 60.0, (kin_vec3){0, -10, 0});
        kin_material_id dull = test_material(t, w, "dull", 0, 0.2);
        test_plane(t, w, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0}, dull);
        kin_collider_def peg = kin_collider_def_default();
        peg.shape = (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.4, .length = 1};
        peg.position.y = 0.5;
        CHECK(t, kin_world_add_collider(w, &peg, NULL, NULL) == KIN_OK);
        kin_system_id id = add_mode(t, w, KIN_RIGID_REALTIME);
        kin_shape ring = {.kind = KIN_SHAPE_PIECES, .mesh = soup_view(&s), .pieces.method = (kin_pieces_method)method};
        uint32_t body = test_plain_body(t, w, id, dull, ring, 5, (kin_vec3){0.1, 1.6, 0}, (kin_vec3){0, 0, 0});
        test_steps(t, w, 150);
        kin_vec3 at = kin_rigid_state(w, id, body).pose.position;
        NEAR(t, at.y, 0.2, 5e-3);
        CHECK(t, hypot(at.x, at.z) < 0.25);
        kin_world_destroy(w);
    }
    soup_free(&s);
}

/* ---- masses by cells ---- */

static kin_body_state weigh(test* t, kin_world* w, kin_system_id id, kin_shape shape, int voxels)
{
    kin_body_def def = kin_body_def_default();
    def.shape = shape;
    def.density = 1;
    def.voxels = voxels;
    return kin_rigid_state(w, id, add_body(t, w, id, &def));
}

/* House & Keyser 9.2: a box that the cells fit has its mass exactly and (1 - 1/n^2) of its inertia. */
static void cells_of_a_box_are_known(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    for (int n = 2; n <= 20; n += 6) {
        kin_body_state exact = weigh(t, w, id, box_of(1, 1, 1), 0), cells = weigh(t, w, id, box_of(1, 1, 1), n);
        NEAR(t, cells.mass, exact.mass, 1e-13);
        for (int k = 0; k < 3; ++k) NEAR(t, kin_component(cells.moments, k), (1 - 1.0 / (n * n)) * kin_component(exact.moments, k), 1e-13);
    }
    kin_world_destroy(w);
}

/* Errors fall with the cell: the slope of log error over log cell, of a sphere, a cone, a torus and its pieces, is one at least. */
static void cells_converge(test* t)
{
    soup s = torus_soup(0.8, 0.3, 24, 12);
    const kin_shape shapes[4] = {ball_of(0.7),
                                 {.kind = KIN_SHAPE_CONE, .radius = 0.8, .length = 1.5},
                                 {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)},
                                 {.kind = KIN_SHAPE_PIECES, .mesh = soup_view(&s)}};
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    for (int k = 0; k < 4; ++k) {
        kin_body_state exact = weigh(t, w, id, shapes[k], 0);
        double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
        for (int cells = 10; cells <= 80; cells = cells * 5 / 4, ++n) { /* many sizes: errors of single ones jump about the trend */
            double error = fabs(weigh(t, w, id, shapes[k], cells).moments.y / exact.moments.y - 1), x = -log(cells), y = log(error + 1e-12);
            CHECK(t, error < 2.0 / cells);
            sx += x, sy += y, sxx += x * x, sxy += x * y;
        }
        double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        test_check(t, slope >= 1, __FILE__, __LINE__, "shape %d: order %g", k, slope);
    }
    soup_free(&s);
    kin_world_destroy(w);
}

/* Each part of a compound by its own cells and its own density. */
static void cells_of_parts_have_their_materials(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_shape parts[2];
    kin_body_def def = kin_body_def_default();
    def.shape = hammer_of(t, w, parts);
    def.voxels = 30;
    kin_body_state s = kin_rigid_state(w, id, add_body(t, w, id, &def));
    NEAR(t, s.mass, 10 + 8, 1e-10);
    NEAR3(t, s.center, ((kin_vec3){0.6 * 8 / 18, 0, 0}), 1e-12);
    kin_world_destroy(w);
}

/* ---- paths ---- */

/* A platform on an ellipse carries a box: where it is, and that it is animated. */
static void bodies_follow_curves(test* t)
{
    static const kin_vec3 points[4] = {{1, 0, 0}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 1}};
    const kin_curve_key speed = {0, {0.3}};
    kin_world* w = test_world(t, 1 / 60.0, (kin_vec3){0, -10, 0});
    kin_material_id rough = test_material(t, w, "rough", 0, 1);
    kin_system_id id = add_rigid(t, w);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(2, 0.2, 2);
    def.material = rough;
    def.path = (kin_path_def){.points = {points, 4}, .periodic = true, .speed = {&speed, 1, KIN_CURVE_LINEAR}};
    uint32_t platform = add_body(t, w, id, &def);
    kin_vec3 start = kin_rigid_state(w, id, platform).pose.position;
    NEAR3(t, start, ((kin_vec3){0, 0, -2 / 3.0}), 1e-14); /* a uniform cubic B-spline at a knot: (1, 4, 1) / 6 of its points */
    kin_vec3 above = start;
    above.y = 0.35;
    uint32_t box = test_plain_body(t, w, id, rough, box_of(0.5, 0.5, 0.5), 1, above, (kin_vec3){0, 0, 0});
    test_steps(t, w, 300);
    kin_body_state p = kin_rigid_state(w, id, platform), b = kin_rigid_state(w, id, box);
    NEAR(t, kin_length(p.velocity), 0.3, 1e-3);
    CHECK(t, kin_distance(p.pose.position, start) > 0.5);
    kin_vec3 off = {b.pose.position.x - p.pose.position.x, 0, b.pose.position.z - p.pose.position.z};
    CHECK(t, kin_length(off) < 0.05); /* it was carried along: from rest it slips for 0.03 s */
    def.mobility = KIN_MOBILITY_STATIC;
    kin_error error = {0};
    CHECK(t, kin_rigid_add_body(w, id, &def, &platform, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "path");
    kin_world_destroy(w);
}

TEST_MAIN("domains/rigid/hollow", TEST(balls_fall_into_cups), TEST(rings_fall_over_pegs), TEST(cells_of_a_box_are_known), TEST(cells_converge),
          TEST(cells_of_parts_have_their_materials), TEST(bodies_follow_curves))
