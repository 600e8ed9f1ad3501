/* params_test.c - what a def may say: defaults, ranges, errors that name the member, what heat asks for, and what a scene says. */
#include "tank.h"
#include "unit/scene/scene_test.h"
#include <math.h>

static void defaults_are_those_of_the_handbook(test* t)
{
    kin_sph_def d = kin_sph_def_default();
    EQUAL(t, d.mode, KIN_SPH_EXACT);
    NEAR(t, d.support, 4, 0);
    NEAR(t, d.density_error, 0.0005, 0);
    NEAR(t, d.divergence_error, 0.001, 0);
    EQUAL(t, d.max_iterations, 100);
    NEAR(t, d.cfl, 0.4, 0);
    NEAR(t, d.smoothing, 0.05, 0);
    NEAR(t, d.wall_friction, 1, 0);
    NEAR(t, d.exponent, 7, 0);
    NEAR(t, d.bulk_viscosity, 0.25, 0);
    EQUAL(t, d.max_particles, 10000000);
}

typedef struct bad_number {
    size_t offset;
    const char* where;
    double values[3]; /* all refused */
} bad_number;

#define BAD(member, ...) BAD_AT(member, #member, __VA_ARGS__)
#define BAD_AT(member, path, ...)                                                                                                                              \
    {                                                                                                                                                          \
        offsetof(kin_sph_def, member), path, { __VA_ARGS__ }                                                                                                   \
    }

/* Each number of a tank, out of its range or not a number. */
static void bad_numbers_are_named(test* t)
{
    static const bad_number rows[] = {BAD(radius, 0, -1, NAN),
                                      BAD(support, 1, 100, INFINITY),
                                      BAD(density_error, 0, 2, NAN),
                                      BAD(divergence_error, 0, 2, NAN),
                                      BAD(cfl, 0, 3, NAN),
                                      BAD(min_tick, -1, INFINITY, NAN),
                                      BAD(bulk_viscosity, -1, INFINITY, NAN),
                                      BAD(max_tick, -1, INFINITY, NAN),
                                      BAD(stiffness, -1, NAN, NAN),
                                      BAD(exponent, 0.5, 21, NAN),
                                      BAD(sound_speed, -1, NAN, NAN),
                                      BAD(smoothing, -0.1, 1.1, NAN),
                                      BAD(vorticity, -1, NAN, NAN),
                                      BAD(micropolar, -1, NAN, NAN),
                                      BAD(tension_threshold, -1, NAN, NAN),
                                      BAD(adhesion, -1, NAN, NAN),
                                      BAD(air_drag, -1, NAN, NAN),
                                      BAD(wall_friction, -1, NAN, NAN),
                                      BAD_AT(periodic.x, "periodic[0]", -1, NAN, 1e-3),
                                      BAD_AT(center.x, "center[0]", NAN, INFINITY, -INFINITY)};
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        for (int k = 0; k < 3; ++k) {
            kin_sph_def def = tank_def(0.01, &block, 1);
            *(double*)((char*)&def + rows[i].offset) = rows[i].values[k];
            tank_refused(t, &def, rows[i].where, "");
        }
    }
}

static void bad_choices_are_named(test* t)
{
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1));
    kin_sph_def def = tank_def(0.01, &block, 1);
    def.solver = (kin_sph_solver)17;
    tank_refused(t, &def, "solver", "17");
    def = tank_def(0.01, &block, 1);
    def.kernel = (kin_sph_kernel)-1;
    tank_refused(t, &def, "kernel", "-1");
    def = tank_def(0.01, &block, 1);
    def.look.paint = (kin_sph_paint)9;
    tank_refused(t, &def, "look.paint", "9");
    def = tank_def(0.01, &block, 1);
    def.max_iterations = 0;
    tank_refused(t, &def, "max_iterations", "0");
    def = tank_def(0.01, &block, 1);
    def.min_tick = 0.01, def.max_tick = 0.001;
    tank_refused(t, &def, "min_tick", "longer than max_tick");
    def = tank_def(0.01, &block, 1);
    def.look.range[0] = 2, def.look.range[1] = 1;
    tank_refused(t, &def, "look.range", "above");
    def = tank_def(0.01, NULL, 3);
    tank_refused(t, &def, "blocks", "no data");
    kin_sph_sink sink = {.region = {.kind = KIN_REGION_SPHERE, .radius = -2}};
    def = tank_def(0.01, &block, 1);
    def.sinks.data = &sink, def.sinks.count = 1;
    tank_refused(t, &def, "sinks[0].region.sphere", "-2");
}

/* Heat is there where a temperature says so. */
static void heat_is_there_when_it_is_asked_for(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1));
    kin_sph_def def = tank_def(0.01, &block, 1);
    CHECK(t, kin_sph_state(world, tank_create(t, world, &def)).temperature == NULL);
    EQUAL(t, tank_measure(t, world, "heat"), 0);
    kin_world_destroy(world);
    world = test_world(t, 0.01, kin_v(0, 0, 0));
    block.temperature = 350;
    kin_sph_view v = kin_sph_state(world, tank_create(t, world, &def));
    if (CHECK(t, v.temperature != NULL)) NEAR(t, (double)v.temperature[124], 350, 0);
    double heat = 998 * 1e-3 * 4182 * 350;
    NEAR(t, tank_measure(t, world, "heat"), heat, 1e-6 * heat); /* floats */
    kin_world_destroy(world);
}

/* ---- as a scene says it ---- */

static void check_scene(test* t, int line, const char* json, kin_result want, const char* says, size_t count)
{
    scene_bench b;
    kin_world_def def = kin_world_def_default();
    kin_world* world = NULL;
    scene_begin(t, &b);
    kin_result result = scene_try(t, &b, "a.json", json);
    if (result == KIN_OK) {
        result = kin_scene_build(b.scene, &def, &world, &b.error);
        scene_keep_error(&b);
    }
    test_check(t, result == want && strstr(b.text, says) != NULL, __FILE__, line, "%d \"%s\", not %d \"%s\"", result, b.text, want, says);
    if (world != NULL) EQUAL(t, kin_sph_state(world, kin_world_system(world, "sph")).count, count);
    kin_world_destroy(world);
    scene_end(&b);
}

static void scenes_say_it(test* t)
{
#define TANK(rest) "{\"systems\": [{\"type\": \"sph\"" rest "}]}"
#define BOX "\"blocks\": {\"shape\": {\"box\": [0.2, 0.2, 0.2]}}"
    check_scene(t, __LINE__, TANK(", \"radius\": 0.01, " BOX), KIN_OK, "", 1000);
    check_scene(t, __LINE__, TANK(", " BOX), KIN_ERROR_ARGUMENT, "systems[0]: \"radius\" is missing", 0);
    check_scene(t, __LINE__, TANK(", \"radius\": 0.01, \"blocks\": [{\"shape\": {\"box\": [0.2, 0.2, 0.2]}}, {\"shape\": {\"sphere\": -1}}]"),
                KIN_ERROR_ARGUMENT, "systems[0].blocks[1].shape.sphere", 0);
    check_scene(t, __LINE__,
                TANK(", \"radius\": 0.01, \"phases\": {\"fluid\": \"honey\", \"thickness\": [{\"t\": 293, \"value\": 10}, {\"t\": 350, \"value\": 1}]}, " BOX),
                KIN_OK, "", 1000);
    check_scene(t, __LINE__, TANK(", \"radius\": 0.01, \"inflows\": {\"radius\": 0.05, \"sped\": 2}"), KIN_ERROR_ARGUMENT, "did you mean \"speed\"", 0);
    check_scene(t, __LINE__, TANK(", \"radius\": 0.01, \"sinks\": {\"region\": {\"sphere\": 1}}, " BOX), KIN_OK, "", 1000);
    check_scene(t, __LINE__, TANK(", \"radius\": 0.0001, \"max_particles\": 2000000000, \"blocks\": {\"shape\": {\"box\": [0.2, 0.2, 0.2]}}"), KIN_ERROR_MEMORY,
                "systems[0]", 0);
}

TEST_MAIN("sph params", TEST(defaults_are_those_of_the_handbook), TEST(bad_numbers_are_named), TEST(bad_choices_are_named),
          TEST(heat_is_there_when_it_is_asked_for), TEST(scenes_say_it))
