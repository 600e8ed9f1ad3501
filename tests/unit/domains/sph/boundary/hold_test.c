/* hold_test.c - nobody beyond a wall. */
#include "shapes.h"

static double uniform(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void six_planes(tank* k, double half)
{
    for (int a = 0; a < 3; ++a) {
        tank_plane(k, kin_scale(kin_axis(a), -half), kin_axis(a));
        tank_plane(k, kin_scale(kin_axis(a), half), kin_scale(kin_axis(a), -1));
    }
}

/* Free flight of particles without pressure, at up to ten spacings a tick. */
static void fly(tank* k, int ticks)
{
    kin_sph* f = &k->f;
    float* from = kin_alloc(&k->t->allocator, 4 * k->room * sizeof *from);
    for (int n = 0; n < ticks; ++n) {
        memcpy(from, f->x4, 4 * k->room * sizeof *from);
        CHECK(k->t, kin_sph_walls_feel(f, &k->tick));
        for (size_t i = 0; i < f->count; ++i) {
            for (int a = 0; a < 3; ++a) f->x4[4 * i + (size_t)a] += k->tick.h * f->v4[4 * i + (size_t)a];
        }
        kin_sph_walls_hold(f, &k->tick, from);
    }
    kin_free(&k->t->allocator, from, 4 * k->room * sizeof *from);
}

static void wild(tank* k, double half, double speed)
{
    uint64_t state = 7;
    for (size_t i = 0; i < k->room; ++i) {
        kin_vec3 x = kin_v(uniform(&state) - 0.5, uniform(&state) - 0.5, uniform(&state) - 0.5),
                 v = {uniform(&state) - 0.5, uniform(&state) - 0.5, uniform(&state) - 0.5};
        tank_put(k, kin_scale(x, 1.9 * half), kin_scale(v, 2 * speed));
    }
}

static void check_inside(tank* k, double half)
{
    for (size_t i = 0; i < k->f.count; ++i) {
        kin_vec3 x = tank_x(k, i);
        CHECK(k->t, kin_finite3(x) && kin_largest(kin_abs3(x)) <= half - 0.00499);
    }
}

static void a_box_of_planes_is_tight(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 800, 1);
    six_planes(k, 0.5);
    wild(k, 0.5, 100);
    tank_begin(k);
    fly(k, 30);
    check_inside(k, 0.5);
    CHECK(t, k->f.seen.escaped > 800);
    tank_close(k);
}

/* What goes along the wall stays; what goes into it is taken; what leaves it is left alone. */
static void only_the_way_in_is_taken(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 8, 1);
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    tank_put(k, kin_v(0, 0.01, 0), kin_v(1, -2, 0));
    tank_put(k, kin_v(0, 0.006, 0), kin_v(0, 3, 0));
    tank_put(k, kin_v(0, -0.01, 0), kin_v(1, 2, 0)); /* from below */
    tank_begin(k);
    fly(k, 1);
    NEAR3(t, tank_x(k, 0), kin_v(0.01, 0.005, 0), 1e-7);
    NEAR3(t, tank_v(k, 0), kin_v(1, 0, 0), 1e-7);
    NEAR3(t, tank_v(k, 1), kin_v(0, 3, 0), 0);
    NEAR3(t, tank_x(k, 2), kin_v(0.01, -0.005, 0), 1e-7);
    NEAR(t, k->f.seen.escaped, 2, 0);
    tank_close(k);
}

/* Six planes that close in to half the size within ten ticks: all stay inside, and move no faster than walls drive them. */
static void a_box_that_shrinks_keeps_them_all(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 400, 1);
    six_planes(k, 0.5);
    wild(k, 0.5, 1);
    for (int n = 0; n < 10; ++n) {
        double a = 0.5 - 0.025 * n, b = a - 0.025;
        for (uint32_t i = 0; i < 6; ++i) {
            kin_vec3 d = kin_scale(kin_axis((int)i / 2), i % 2 ? 1 : -1);
            kin_solids_move(k->solids, i, (kin_transform){kin_scale(d, a), {0, 0, 0, 1}}, (kin_transform){kin_scale(d, b), {0, 0, 0, 1}});
        }
        tank_begin(k);
        fly(k, 1);
        check_inside(k, b);
    }
    for (size_t i = 0; i < k->f.count; ++i) CHECK(t, kin_largest(kin_abs3(tank_v(k, i))) <= 2.5 + 1e-6);
    tank_close(k);
}

/* ---- forms ---- */

/* Balls of speed against thin things: who began above ends above, who began below ends below, wherever he flies. */
static void sides_of_a_plate(test* t, const kin_shape* plate, double half_thickness)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 400, 1);
    six_planes(k, 0.5);
    tank_solid(k, plate, kin_v(0, 0, 0));
    wild(k, 0.5, 60);
    for (size_t i = 0; i < k->f.count; ++i) {
        double y = tank_x(k, i).y;
        if (kin_abs(y) < half_thickness + 0.006) k->f.x4[4 * i + 1] = (float)(y < 0 ? -half_thickness - 0.006 : half_thickness + 0.006);
    }
    static bool above[400];
    for (size_t i = 0; i < k->f.count; ++i) above[i] = k->f.x4[4 * i + 1] > 0;
    tank_begin(k);
    fly(k, 30);
    check_inside(k, 0.5);
    for (size_t i = 0; i < k->f.count; ++i) CHECK(t, above[i] ? tank_x(k, i).y > half_thickness : tank_x(k, i).y < -half_thickness);
    tank_close(k);
}

static void thin_plates_do_not_leak(test* t)
{
    kin_shape open = plate_mesh(1), closed = {.kind = KIN_SHAPE_BOX, .size = {2, 0.002, 2}};
    sides_of_a_plate(t, &open, 0);
    sides_of_a_plate(t, &closed, 0.001);
}

/* A tank as one open mesh, six faces seen from inside: corners and edges are tight too. */
static void a_tank_of_one_mesh_is_tight(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 400, 1);
    kin_shape shape = cube_mesh(5, 0.5);
    tank_solid(k, &shape, kin_v(0, 0, 0));
    tank_plane(k, kin_v(0, 0.499, 0), kin_v(0, -1, 0)); /* its lid */
    wild(k, 0.5, 60);
    tank_begin(k);
    fly(k, 30);
    for (size_t i = 0; i < k->f.count; ++i) CHECK(t, kin_largest(kin_abs3(tank_x(k, i))) < 0.5);
    tank_close(k);
}

/* Nobody is inside any shape of the kit, however it is hit. */
static void every_shape_keeps_them_out(test* t)
{
    kin_sph_def def = tank_def();
    for (int kind = 0; kind < KIT; ++kind) {
        double top;
        kin_shape shape = kit_shape(kind, &top);
        tank* k = tank_open(t, &def, 64, 1);
        uint32_t solid = tank_solid(k, &shape, kin_v(0, 0, 0));
        for (int i = 0; i < 64; ++i) tank_put(k, kin_v(0.05 * (i % 8) - 0.175, 1.2, 0.05 * (i / 8) - 0.175), kin_v(0.3 * (i % 3 - 1), -3 - i, 0.2));
        kin_solids_refit(k->solids, k->step.h);
        tank_begin(k);
        fly(k, 60);
        for (size_t i = 0; i < k->f.count; ++i) {
            kin_contact c;
            bool near = kin_solids_closest_of(k->solids, solid, tank_x(k, i), 0, 0.01, 1, &c);
            CHECK(t, !near || c.distance > 0.0045);
        }
        CHECK(t, k->f.seen.escaped > 60);
        tank_close(k);
    }
}

/* A paddle that turns by 10 degrees a tick, through resting particles: they end before it, none is passed but round its end. */
static void a_turning_paddle_passes_nobody(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 256, 1);
    kin_shape paddle = {.kind = KIN_SHAPE_BOX, .size = {0.9, 0.9, 0.004}};
    uint32_t solid = tank_solid(k, &paddle, kin_v(0, 0, 0));
    for (int i = 0; i < 256; ++i) tank_put(k, kin_v(0.02 * (i % 16) + 0.05, 0.1 * (i / 64) - 0.15, -0.08 - 0.02 * (i / 16 % 4)), kin_v(0, 0, 0));
    double turn = 0;
    for (int n = 0; n < 9; ++n) {
        kin_transform from = {{0, 0, 0}, kin_quat_from_rotation_vector(kin_v(0, turn, 0))};
        turn += KIN_PI / 18;
        kin_solids_move(k->solids, solid, from, (kin_transform){{0, 0, 0}, kin_quat_from_rotation_vector(kin_v(0, turn, 0))});
        k->step.h = k->tick.h = 0.1f;
        tank_begin(k);
        fly(k, 1);
        kin_vec3 normal = kin_v(kin_sin(turn), 0, kin_cos(turn));
        size_t left = 0;
        for (size_t i = 0; i < k->f.count; ++i) {
            kin_vec3 x = tank_x(k, i);
            if (kin_length(kin_v(x.x, 0, x.z)) > 0.44) k->f.x4[4 * i + 1] += 9; /* flung off its end: out of the way */
            if (kin_abs(k->f.x4[4 * i + 1]) > 1) continue;
            CHECK(t, kin_dot(x, normal) < -0.002);
            left += 1;
        }
        CHECK(t, left > (n < 4 ? 200 : 10));
    }
    tank_close(k);
}

/* A box that appears in the fluid within one tick: all are led out by the nearest way, in bounded steps, and gain no speed by it. */
static void who_finds_himself_inside_is_led_out(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 216, 1);
    uint32_t box = tank_solid(k, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.5, 0.5, 0.5}}, kin_v(50, 0, 0));
    tank_fill(k, kin_v(-0.22, -0.23, -0.24), (const int[3]){5, 5, 5});
    kin_solids_move(k->solids, box, (kin_transform){{50, 0, 0}, {0, 0, 0, 1}}, kin_transform_identity());
    for (int n = 0; n < 12; ++n) {
        kin_vec3 before = tank_x(k, 62);
        tank_begin(k);
        fly(k, 1);
        CHECK(t, kin_distance(before, tank_x(k, 62)) <= 0.0501);
        kin_solids_move(k->solids, box, kin_transform_identity(), kin_transform_identity());
    }
    for (size_t i = 0; i < k->f.count; ++i) {
        CHECK(t, kin_largest(kin_abs3(tank_x(k, i))) > 0.2549);
        CHECK(t, kin_length(tank_v(k, i)) == 0);
    }
    tank_close(k);
}

/* A body that is hit gets what the particle loses; together they go on, and a light one is not thrown ahead. */
static void hits_are_shared(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 64, 1);
    uint32_t box = tank_solid(k, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.2, 1}}, kin_v(0, -0.1, 0));
    double mass = 0.5, water = (double)k->phase.mass;
    tank_body(k, box, mass, 0.05);
    tank_fill(k, kin_v(-0.35, 0.02, -0.35), (const int[3]){8, 1, 8});
    for (size_t i = 0; i < 64; ++i) k->f.v4[4 * i + 1] = -4;
    tank_begin(k);
    fly(k, 1);
    double down = 0, speed = k->f.walls->bodies[0].given.velocity.y;
    for (size_t i = 0; i < 64; ++i) down += water * tank_v(k, i).y;
    NEAR(t, down + k->f.reactions.items[0].total.impulse.y, -4 * 64 * water, 1e-5 * 256 * water);
    NEAR(t, speed, -4, 0.5);
    tank_close(k);
}

TEST_MAIN("sph boundary hold", TEST(a_box_of_planes_is_tight), TEST(only_the_way_in_is_taken), TEST(a_box_that_shrinks_keeps_them_all),
          TEST(thin_plates_do_not_leak), TEST(a_tank_of_one_mesh_is_tight), TEST(every_shape_keeps_them_out), TEST(a_turning_paddle_passes_nobody),
          TEST(who_finds_himself_inside_is_led_out), TEST(hits_are_shared))
