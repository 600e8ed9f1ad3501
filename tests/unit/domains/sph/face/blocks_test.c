/* blocks_test.c - filling shapes: counts, places, what is left out, and what is refused. */
#include "base/alloc.h"
#include "math/quat.h"
#include "tank.h"
#include <math.h>

/* Whole spacings are filled exactly, the first layer half a spacing off the walls; what is left of a spacing is shared by both sides. */
static void a_box_holds_a_lattice(test* t)
{
    kin_sph_block block = tank_box(kin_v(1, 2, 3), kin_v(0.5, 0.3, 0.2));
    kin_sph_def def = tank_def(0.01, &block, 1);
    EQUAL(t, tank_count(t, &def), 25 * 15 * 10);
    block.shape.size = kin_v(0.519, 0.3, 0.2);
    EQUAL(t, tank_count(t, &def), 25 * 15 * 10);
    block.shape.size = kin_v(0.521, 0.3, 0.2);
    EQUAL(t, tank_count(t, &def), 26 * 15 * 10);
    def.flat = true;
    def.center.z = 3;
    EQUAL(t, tank_count(t, &def), 26 * 15);
}

static void the_first_layer_is_half_a_spacing_off(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_block block = tank_box(kin_v(10, 20, -30), kin_v(0.2, 0.205, 0.2));
    kin_sph_def def = tank_def(0.01, &block, 1);
    kin_sph_view v = kin_sph_state(world, tank_create(t, world, &def));
    kin_vec3 low = tank_position(&v, 0), high = low;
    for (size_t i = 0; i < v.count; ++i) low = kin_min3(low, tank_position(&v, i)), high = kin_max3(high, tank_position(&v, i));
    NEAR3(t, low, kin_v(9.91, 19.91, -30.09), 1e-7); /* float, 0.1 m from the origin */
    NEAR3(t, high, kin_v(10.09, 20.09, -29.91), 1e-7);
    kin_world_destroy(world);
}

/* A ball of fluid has the ball's volume: the lattice's error is of the order of its surface over its volume, times a spacing, over sqrt of the layers. */
static void round_shapes_have_their_volume(test* t)
{
    kin_sph_block block = kin_sph_block_default();
    block.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.2};
    kin_sph_def def = tank_def(0.005, &block, 1);
    double ideal = 4.0 / 3 * 3.14159265358979 * 0.008 / 1e-6;
    NEAR(t, (double)tank_count(t, &def), ideal, 0.02 * ideal);
    block.shape = (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.1, .length = 0.3};
    block.orientation = kin_quat_axis_angle(kin_v(1, 0, 0), 0.7);
    ideal = 3.14159265358979 * 0.01 * 0.3 / 1e-6;
    NEAR(t, (double)tank_count(t, &def), ideal, 0.04 * ideal);
}

static void blocks_that_overlap_do_not_double(test* t)
{
    kin_sph_block blocks[2] = {tank_box(kin_v(0, 0, 0), kin_v(0.2, 0.2, 0.2)), tank_box(kin_v(0.1, 0, 0), kin_v(0.2, 0.2, 0.2))};
    kin_sph_def def = tank_def(0.01, blocks, 2);
    EQUAL(t, tank_count(t, &def), 15 * 10 * 10);
    blocks[1].position.x = 0.2; /* side by side */
    EQUAL(t, tank_count(t, &def), 20 * 10 * 10);
    blocks[1] = blocks[0];
    EQUAL(t, tank_count(t, &def), 10 * 10 * 10);
    blocks[1].position.x = 0.105; /* between: nobody is nearer than a spacing to another */
    EQUAL(t, tank_count(t, &def), 15 * 10 * 10);
}

/* Whatever its place and size: no room is left round it, and nobody is crowded. */
static void a_block_within_another_takes_its_places(test* t)
{
    kin_sph_block blocks[3] = {tank_box(kin_v(0.003, -0.011, 0.007), kin_v(0.05, 0.11, 0.07)), tank_box(kin_v(0, 0, 0), kin_v(0.13, 0.15, 0.1)),
                               tank_box(kin_v(0, 0, 0), kin_v(0.2, 0.2, 0.2))};
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_def def = tank_def(0.01, blocks, 3);
    kin_sph_view v = kin_sph_state(world, tank_create(t, world, &def));
    size_t off = 0, within = 0;
    EQUAL(t, v.count, 10 * 10 * 10);
    for (size_t i = 0; i < v.count; ++i) {
        kin_vec3 x = tank_position(&v, i);
        double cell[3] = {(x.x + 0.09) / 0.02, (x.y + 0.09) / 0.02, (x.z + 0.09) / 0.02};
        for (int a = 0; a < 3; ++a) off += fabs(cell[a] - floor(cell[a] + 0.5)) > 1e-5;
        within += i < 2 * 5 * 3 && fabs(x.x - 0.003) < 0.025 && fabs(x.y + 0.011) < 0.055 && fabs(x.z - 0.007) < 0.035;
    }
    EQUAL(t, off, 0);
    EQUAL(t, within, 2 * 5 * 3); /* x -0.01 and 0.01, y -0.05 to 0.03, z -0.01 to 0.03 */
    kin_world_destroy(world);
}

static void solids_leave_no_room(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_material_id none = {0};
    test_box(t, world, kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1), none);
    test_plane(t, world, kin_v(0, -0.1, 0), kin_v(0, 1, 0), none);
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.2, 0.2, 0.2));
    kin_sph_def def = tank_def(0.01, &block, 1);
    EQUAL(t, kin_sph_state(world, tank_create(t, world, &def)).count, 10 * 10 * 10 - 6 * 6 * 6);
    kin_world_destroy(world);
}

/* 6.3 spacings wide and 4.4 deep, from wall to wall; a floor, and nothing above. The volume of a particle is that of all: layers are higher than wide by as much. */
static void a_block_between_walls_fills_their_width(test* t)
{
    const double s = 0.02, wide = 6.3 * s, deep = 4.4 * s, high = 10 * s, up = s * (6 * 4) / (6.3 * 4.4);
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_material_id none = {0};
    for (int side = -1; side <= 1; side += 2) {
        test_plane(t, world, kin_v(0.5 * wide * side, 0, 0), kin_v(-side, 0, 0), none);
        test_box(t, world, kin_v(0, 0, (0.5 * deep + s) * side), kin_v(1, 1, 2 * s), none);
    }
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), none);
    kin_sph_block block = tank_box(kin_v(0, 0.5 * high, 0), kin_v(wide, high, deep));
    kin_sph_def def = tank_def(0.5 * s, &block, 1);
    kin_sph_view v = kin_sph_state(world, tank_create(t, world, &def));
    EQUAL(t, v.count, 6 * 4 * 11); /* 10 spacings have room for 11 layers of wide ones */
    kin_vec3 low = tank_position(&v, 0), top = low;
    for (size_t i = 0; i < v.count; ++i) low = kin_min3(low, tank_position(&v, i)), top = kin_max3(top, tank_position(&v, i));
    NEAR3(t, low, kin_v(-0.5 * wide + wide / 12, 0.5 * up, -0.5 * deep + deep / 8), 1e-7);
    NEAR3(t, top, kin_v(0.5 * wide - wide / 12, 10.5 * up, 0.5 * deep - deep / 8), 1e-7);
    kin_world_destroy(world);
}

/* All through a periodic tank, and in a closed one: no more than its volume holds. */
static void closed_boxes_are_not_overfilled(test* t)
{
    const double s = 0.02, sides[3] = {6.6 * s, 5.7 * s, 7.4 * s};
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_material_id none = {0};
    for (int side = -1; side <= 1; side += 2) {
        for (int a = 1; a < 3; ++a) test_plane(t, world, kin_scale(kin_axis(a), 0.5 * sides[a] * side), kin_scale(kin_axis(a), -side), none);
    }
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(sides[0], sides[1], sides[2]));
    kin_sph_def def = tank_def(0.5 * s, &block, 1);
    def.periodic = kin_v(sides[0], 0, 0);
    EQUAL(t, kin_sph_state(world, tank_create(t, world, &def)).count, 7 * 6 * 6); /* 6.6 x 5.7 x 7.4 / (7 x 6) = 6.63 */
    kin_world_destroy(world);
}

static void jitter_moves_and_keeps_the_count(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.2, 0.2, 0.2));
    block.jitter = 0.1;
    kin_sph_def def = tank_def(0.01, &block, 1);
    kin_sph_view v = kin_sph_state(world, tank_create(t, world, &def));
    double worst = 0, mean = 0;
    EQUAL(t, v.count, 1000);
    for (size_t i = 0; i < v.count; ++i) {
        double cell = (tank_position(&v, i).x + 0.1) / 0.02, off = cell - floor(cell) - 0.5;
        worst = fmax(worst, fabs(off)), mean += off / 1000;
    }
    CHECK(t, worst > 0.09 && worst <= 0.1 + 1e-5);
    NEAR(t, mean, 0, 5 * 0.1 / sqrt(3.0 * 1000)); /* five deviations of the mean */
    kin_world_destroy(world);
}

static void blocks_spin_about_their_place(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_block block = tank_box(kin_v(1, 0, 0), kin_v(0.2, 0.2, 0.2));
    block.velocity = kin_v(0, 3, 0);
    block.spin = kin_v(0, 0, 2);
    kin_sph_def def = tank_def(0.01, &block, 1);
    kin_sph_view v = kin_sph_state(world, tank_create(t, world, &def));
    for (size_t i = 0; i < v.count; i += 97) {
        kin_vec3 arm = kin_sub(tank_position(&v, i), block.position);
        NEAR3(t, kin_v((double)v.velocity[4 * i], (double)v.velocity[4 * i + 1], (double)v.velocity[4 * i + 2]), kin_v(-2 * arm.y, 3 + 2 * arm.x, 0), 1e-6);
    }
    kin_world_destroy(world);
}

static void what_cannot_be_filled_is_named(test* t)
{
    kin_sph_block blocks[2] = {tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1)), tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1))};
    kin_sph_def def = tank_def(0.01, blocks, 2);
    blocks[1].shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    tank_refused(t, &def, "blocks[1].shape", "must be closed");
    blocks[1].shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = -1};
    tank_refused(t, &def, "blocks[1].shape.radius", "-1");
    blocks[1] = blocks[0];
    blocks[1].velocity.y = NAN;
    tank_refused(t, &def, "blocks[1].velocity[1]", "finite");
    blocks[1].velocity.y = 0;
    blocks[1].temperature = -3;
    tank_refused(t, &def, "blocks[1].temperature", "-3");
    blocks[1].temperature = 300;
    blocks[1].jitter = 0.7;
    tank_refused(t, &def, "blocks[1].jitter", "0.7");
}

/* A thousand million particles are refused for the memory they would take, at once; a tenth of a million for the cap. */
static void too_many_are_refused_by_their_bytes(test* t)
{
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(1, 1, 1));
    kin_sph_def def = tank_def(0.0005, &block, 1);
    kin_error error = {0};
    def.max_particles = 2000000000;
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    EQUAL(t, kin_sph_create(world, &def, NULL, &error), KIN_ERROR_MEMORY);
    uint64_t before = t->live_bytes;
    EQUAL(t, kin_sph_create(world, &def, NULL, &error), KIN_ERROR_MEMORY);
    HAS(t, error.message, "GiB");
    EQUAL(t, t->live_bytes, before);
    kin_world_destroy(world);
    def.max_particles = 1000;
    tank_refused(t, &def, "max_particles", "more than 1000");
}

TEST_MAIN("sph blocks", TEST(a_box_holds_a_lattice), TEST(the_first_layer_is_half_a_spacing_off), TEST(round_shapes_have_their_volume),
          TEST(blocks_that_overlap_do_not_double), TEST(a_block_within_another_takes_its_places), TEST(solids_leave_no_room),
          TEST(a_block_between_walls_fills_their_width), TEST(closed_boxes_are_not_overfilled), TEST(jitter_moves_and_keeps_the_count),
          TEST(blocks_spin_about_their_place), TEST(what_cannot_be_filled_is_named), TEST(too_many_are_refused_by_their_bytes))
