/* presets_test.c - preset fluids: the table they come from, and how phases take from them. */
#include "tank.h"
#include <math.h>
#include <string.h>

/* Kinematic viscosities as the table prints them (House & Keyser 13.3), in the unit it means: three digits, and the densities have three too. */
static void kinematic_viscosities_are_those_of_the_table(test* t)
{
    static const struct {
        const char* name;
        double nu; /* m^2/s */
    } rows[] = {{"alcohol", 1.05e-6},   {"gasoline", 0.424e-6}, {"glycerine", 1120e-6}, {"mercury", 0.115e-6}, {"heavy_oil", 502e-6},
                {"light_oil", 96.0e-6}, {"sea_water", 1.06e-6}, {"water", 1.00e-6},     {"air", 15.8e-6},      {"carbon_dioxide", 8.18e-6},
                {"helium", 118e-6},     {"hydrogen", 106e-6},   {"nitrogen", 15.2e-6},  {"oxygen", 15.5e-6}};
    size_t count;
    const kin_fluid_preset* presets = kin_fluid_presets(&count);
    CHECK(t, count >= sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        TEXT(t, presets[i].name, rows[i].name);
        double nu = presets[i].viscosity / presets[i].density;
        test_check(t, fabs(nu - rows[i].nu) <= 0.01 * rows[i].nu, __FILE__, __LINE__, "%s: %g, not %g m^2/s", rows[i].name, nu, rows[i].nu);
    }
}

static void every_preset_is_whole(test* t)
{
    size_t count;
    const kin_fluid_preset* p = kin_fluid_presets(&count);
    for (size_t i = 0; i < count; ++i) {
        CHECK(t, p[i].density > 0 && p[i].viscosity > 0 && p[i].conductivity > 0 && p[i].heat_capacity > 0 && p[i].expansion > 0);
        CHECK(t, (p[i].tension > 0) == (p[i].density > 10)); /* gases have none */
        for (size_t k = 0; k < i; ++k) CHECK(t, strcmp(p[i].name, p[k].name) != 0);
    }
}

/* 1000 particles of 1 cm^3: a litre. */
static double mass_of(test* t, const kin_sph_phase_def* phase)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1));
    kin_sph_def def = tank_def(0.005, &block, 1);
    def.phases.data = phase;
    def.phases.count = phase != NULL;
    tank_create(t, world, &def);
    double mass = tank_measure(t, world, "mass");
    NEAR(t, tank_measure(t, world, "volume"), 1e-3, 1e-9); /* floats */
    kin_world_destroy(world);
    return mass;
}

static void phases_take_from_presets(test* t)
{
    kin_sph_phase_def phase = kin_sph_phase_def_default();
    NEAR(t, mass_of(t, NULL), 0.998, 1e-6);
    NEAR(t, mass_of(t, &phase), 0.998, 1e-6);
    phase.fluid = "mercury";
    NEAR(t, mass_of(t, &phase), 13.5, 1e-5);
    phase.density = 2000;
    NEAR(t, mass_of(t, &phase), 2, 1e-6);
}

static void wrong_names_are_told(test* t)
{
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1));
    kin_sph_def def = tank_def(0.005, &block, 1);
    kin_sph_phase_def phases[2] = {kin_sph_phase_def_default(), kin_sph_phase_def_default()};
    def.phases.data = phases;
    def.phases.count = 2;
    tank_refused(t, &def, "phases[1].name", "phases[0] is called \"fluid\" already");
    phases[1].fluid = "mercuri";
    tank_refused(t, &def, "phases[1].fluid", "did you mean mercury");
    phases[1].fluid = "mercury";
    block.phase = "watr";
    phases[0].name = "water";
    tank_refused(t, &def, "blocks[0].phase", "did you mean water");
    phases[1].material.index1 = 77;
    tank_refused(t, &def, "phases[1].material", "no material 77");
}

TEST_MAIN("sph presets", TEST(kinematic_viscosities_are_those_of_the_table), TEST(every_preset_is_whole), TEST(phases_take_from_presets),
          TEST(wrong_names_are_told))
