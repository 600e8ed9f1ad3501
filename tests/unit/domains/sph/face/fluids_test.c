/* fluids_test.c - what fluids do of themselves, in the plane: a gas fills its room, oil rises, layers weigh on the floor, a drop clings to a wall; and how
 * long the ticks of an equation of state are. */
#include "tank.h"
#include <math.h>

/* A floor and two sides; a lid where `high` is not 0. */
static void add_room(test* t, kin_world* world, double wide, double high)
{
    kin_material_id none = {0};
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), none);
    test_plane(t, world, kin_v(0, 0, 0), kin_v(1, 0, 0), none);
    test_plane(t, world, kin_v(wide, 0, 0), kin_v(-1, 0, 0), none);
    if (high > 0) test_plane(t, world, kin_v(0, high, 0), kin_v(0, -1, 0), none);
}

/* ---- gas ---- */

enum { CELLS = 4 }; /* along a side */

/* Particles in a cell, root mean square off their mean. */
static double unevenness(const kin_world* world, kin_system_id id)
{
    kin_sph_view v = kin_sph_state(world, id);
    double cells[CELLS * CELLS] = {0}, sum = 0, mean = (double)v.count / (CELLS * CELLS);
    for (size_t i = 0; i < v.count; ++i) {
        kin_vec3 x = tank_position(&v, i);
        cells[CELLS * (int)kin_clamp(CELLS * x.x, 0, CELLS - 1) + (int)kin_clamp(CELLS * x.y, 0, CELLS - 1)] += 1;
    }
    for (int c = 0; c < CELLS * CELLS; ++c) sum += kin_square(cells[c] - mean) / (CELLS * CELLS);
    return sqrt(sum);
}

/* From one half of a room of 1 m, with sound at 1 m/s. n particles that do not know of each other would be sqrt(n) more or less in a cell; these push each
 * other and are more even than that. A liquid stays where it is put. */
static void a_gas_fills_its_room(test* t)
{
    for (int gas = 0; gas < 2; ++gas) {
        kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
        kin_sph_phase_def phase = kin_sph_phase_def_default();
        kin_sph_block block = tank_box(kin_v(0.25, 0.5, 0), kin_v(0.5, 1, 0.025));
        kin_sph_def def = tank_def(0.0125, &block, 1);
        phase.fluid = "air", phase.matter = gas ? KIN_SPH_GASEOUS : KIN_SPH_LIQUID, phase.viscosity = 0.02;
        def.flat = true, def.solver = KIN_SPH_WCSPH, def.sound_speed = 1, def.support = 6, def.phases.data = &phase, def.phases.count = 1;
        add_room(t, world, 1, 1);
        kin_system_id id = tank_create(t, world, &def);
        const double mean = (double)kin_sph_state(world, id).count / (CELLS * CELLS);
        EQUAL(t, mean, 50);
        NEAR(t, unevenness(world, id), mean, 1e-9); /* half of the cells have twice as many, half none */
        test_steps(t, world, gas ? 600 : 100);
        if (gas)
            CHECK(t, unevenness(world, id) < sqrt(mean));
        else
            CHECK(t, unevenness(world, id) > 0.9 * mean);
        kin_world_destroy(world);
    }
}

/* ---- layers ---- */

#define WATER 998.0 /* kg/m^3 */
#define OIL 700.0
#define DEEP 0.2 /* m, each */

typedef struct pool {
    kin_world* world;
    kin_system_id id;
} pool;

static pool make_layers(test* t, bool oil_below)
{
    pool p = {.world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0))};
    kin_sph_phase_def phases[2] = {kin_sph_phase_def_default(), kin_sph_phase_def_default()};
    const double low = 0.5 * DEEP, high = 1.5 * DEEP;
    kin_sph_block blocks[2] = {tank_box(kin_v(0.2, oil_below ? high : low, 0), kin_v(0.4, DEEP, 0.025)),
                               tank_box(kin_v(0.2, oil_below ? low : high, 0), kin_v(0.4, DEEP, 0.025))};
    kin_sph_def def = tank_def(0.0125, blocks, 2);
    phases[1].name = blocks[1].phase = "oil";
    phases[1].density = OIL, phases[1].viscosity = 0.01;
    phases[0].tension = phases[1].tension = 0;
    def.flat = true, def.phases.data = phases, def.phases.count = 2;
    if (oil_below) def.smoothing = 0, blocks[0].jitter = blocks[1].jitter = 0.05; /* something has to begin */
    add_room(t, p.world, 0.4, 0);
    p.id = tank_create(t, p.world, &def);
    return p;
}

/* Mean height of a phase. */
static double height_of(const pool* p, uint8_t phase)
{
    kin_sph_view v = kin_sph_state(p->world, p->id);
    double sum = 0, count = 0;
    for (size_t i = 0; i < v.count; ++i) {
        if (v.phase[i] == phase) sum += tank_position(&v, i).y, count += 1;
    }
    return sum / count;
}

static void oil_rises_through_water(test* t)
{
    pool p = make_layers(t, true);
    double before = tank_measure(t, p.world, "potential_energy");
    NEAR(t, height_of(&p, 0) - height_of(&p, 1), DEEP, 0.01 * DEEP);
    test_steps(t, p.world, 360);
    CHECK(t, height_of(&p, 1) > height_of(&p, 0) + 0.025); /* turned over by more than a spacing */
    CHECK(t, tank_measure(t, p.world, "potential_energy") + tank_measure(t, p.world, "kinetic_energy") < before);
    kin_world_destroy(p.world);
}

/* A line through the pressures of the lower layer, away from its ends by the reach of the kernel, over the last of three seconds; at the floor it has rho1 g
 * h1 + rho2 g h2 to the 1 % that a column of one fluid has (validation/sph/still.c). */
static void layers_weigh_on_the_floor(test* t)
{
    pool p = make_layers(t, false);
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    test_steps(t, p.world, 120);
    for (int s = 0; s < 60; ++s) {
        test_steps(t, p.world, 1);
        kin_sph_view v = kin_sph_state(p.world, p.id);
        for (size_t i = 0; i < v.count; ++i) {
            double height = tank_position(&v, i).y, pressure = v.pressure[i];
            if (v.phase[i] == 0 && height > 0.05 && height < DEEP - 0.05) n += 1, x += height, y += pressure, xx += height * height, xy += height * pressure;
        }
    }
    double slope = (n * xy - x * y) / (n * xx - x * x), floor = (y - slope * x) / n, want = 9.81 * DEEP * (WATER + OIL);
    NEAR(t, floor / want, 1, 0.01);
    NEAR(t, height_of(&p, 1) - height_of(&p, 0), DEEP, 0.01 * DEEP);
    kin_world_destroy(p.world);
}

/* ---- walls ---- */

/* Width of the lowest layer of a drop that was put on a wall as half a square, and had six seconds. */
static double base_of_a_drop(test* t, double adhesion)
{
    const double spacing = 0.05;
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_material_id none = {0};
    kin_sph_phase_def phase = kin_sph_phase_def_default();
    kin_sph_block block = tank_box(kin_v(0, 0.35, 0), kin_v(1, 0.7, spacing));
    kin_sph_def def = tank_def(0.5 * spacing, &block, 1);
    double low = 0, high = 0;
    phase.density = 1000, phase.tension = 100, phase.viscosity = 30;
    def.flat = true, def.tension = KIN_SPH_TENSION_COHESION, def.adhesion = adhesion, def.phases.data = &phase, def.phases.count = 1;
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), none);
    kin_system_id id = tank_create(t, world, &def);
    test_steps(t, world, 600);
    kin_sph_view v = kin_sph_state(world, id);
    for (size_t i = 0; i < v.count; ++i) {
        kin_vec3 x = tank_position(&v, i);
        if (x.y < spacing) low = fmin(low, x.x), high = fmax(high, x.x);
    }
    kin_world_destroy(world);
    return high - low + spacing;
}

/* Young: a segment of a disc of 0.7 m^2 whose angle of contact has that cosine; here to some tens of per cent. */
static double base_of_young(double cosine)
{
    double angle = acos(cosine);
    return 2 * sin(angle) * sqrt(0.7 / (angle - sin(angle) * cosine));
}

static void adhesion_spreads_a_drop(test* t)
{
    double without = base_of_a_drop(t, 0);
    for (double cosine = 0.3; cosine < 0.7; cosine += 0.3) {
        double spread = base_of_a_drop(t, cosine) - without, want = base_of_young(cosine) - base_of_young(0);
        test_check(t, spread > 0.5 * want && spread < 2 * want, __FILE__, __LINE__, "cosine %g: wider by %.3f m, %.3f by Young", cosine, spread, want);
    }
}

static void adhesion_is_of_cohesion(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_def def = tank_def(0.05, NULL, 0);
    kin_error error = {0};
    def.adhesion = 0.5;
    CHECK(t, kin_sph_create(world, &def, NULL, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "adhesion");
    kin_world_destroy(world);
}

/* ---- ticks ---- */

/* H14.9: the square of the speed of sound is k, and sound crosses 0.4 of the support in a tick: four times k, half the tick. Fluid at rest, so nothing else
 * bounds it; ticks are a whole number, and rounding may make it one more. */
static void ticks_follow_the_speed_of_sound(test* t)
{
    const double step = 0.5, support = 0.2;
    for (double k = 100; k < 3000; k *= 4) {
        kin_world* world = test_world(t, step, kin_v(0, 0, 0));
        kin_sph_phase_def phase = kin_sph_phase_def_default();
        kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.6, 0.6, 0.1));
        kin_sph_def def = tank_def(0.05, &block, 1);
        phase.tension = 0;
        def.flat = true, def.solver = KIN_SPH_WCSPH, def.stiffness = k, def.phases.data = &phase, def.phases.count = 1;
        tank_create(t, world, &def);
        test_steps(t, world, 1);
        double want = step * sqrt(k) / (0.4 * support), ticks = tank_measure(t, world, "ticks");
        CHECK(t, ticks >= want && ticks <= want + 1 + 1e-3 * want);
        kin_world_destroy(world);
    }
}

TEST_MAIN("sph fluids", TEST(a_gas_fills_its_room), TEST(oil_rises_through_water), TEST(layers_weigh_on_the_floor), TEST(adhesion_spreads_a_drop),
          TEST(adhesion_is_of_cohesion), TEST(ticks_follow_the_speed_of_sound))
