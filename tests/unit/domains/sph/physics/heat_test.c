/* heat_test.c - modes and Gaussians of the heat equation (H13.3), heat that is kept, stages that are stable, and what warmth does: melting and rising. */
#include "math/scalar.h"
#include "unit/domains/sph/physics/rig.h"

#define ALPHA 1e-4 /* m^2/s */

static void begin_plate(test* t, rig* r, int n, double alpha0, double alpha1, kin_simd simd, int threads)
{
    kin_sph_def d = tank_def(0.5 / n);
    d.flat = true, d.periodic = (kin_vec3){1, 1, 0};
    for (int p = 0; p < 2; ++p) r->matter[p].heat_capacity = p == 0 ? 4000 : 500;
    rig_begin(t, r, &d, KIN_SPH_HAS_HEAT, simd, threads);
    r->k.phases[0].diffusivity = (float)alpha0, r->k.phases[1].diffusivity = (float)alpha1;
    tank_fill(t, &r->k, (float[3]){-0.5f, -0.5f, 0}, (int[3]){n, n, 1}, 0, 1);
    tank_look(t, &r->k);
}

/* J, over a unit of depth. */
static double heat_of(const rig* r)
{
    const kin_sph* f = &r->k.f;
    double sum = 0;
    for (size_t i = 0; i < f->count; ++i) sum += (double)f->phases[f->phase[i]].mass * r->matter[f->phase[i]].heat_capacity * (double)f->temperature[i];
    return sum;
}

/* exp(-alpha k^2 t): the second difference makes alpha k^2 smaller by (k l)^2 / 12, Euler's step larger by h alpha k^2 / 2. */
static void a_mode_decays(test* t)
{
    for (int n = 16; n <= 32; n += 16) {
        rig r = {0};
        begin_plate(t, &r, n, ALPHA, ALPHA, kin_simd_best(), 1);
        kin_sph* f = &r.k.f;
        for (size_t i = 0; i < f->count; ++i) f->temperature[i] = (float)(10 * cos(2 * M_PI * (double)f->x4[4 * i]));
        double before = 0, after = 0, rate = ALPHA * 4 * M_PI * M_PI, wide = kin_square(2 * M_PI / n) / 12;
        for (size_t i = 0; i < f->count; ++i) before += kin_square((double)f->temperature[i]);
        for (int s = 0; s < 500; ++s) rig_heat(&r, 0.2f);
        for (size_t i = 0; i < f->count; ++i) after += kin_square((double)f->temperature[i]);
        NEAR(t, -0.5 * log(after / before) / (100 * rate), 1 - wide + 0.5 * 0.2 * rate, 0.1 * wide);
        rig_end(&r);
    }
}

/* sigma^2 = sigma0^2 + 2 alpha t, exactly so for a lattice's second difference. */
static void a_gaussian_spreads(test* t)
{
    rig r = {0};
    begin_plate(t, &r, 40, ALPHA, ALPHA, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    double variance[2];
    for (size_t i = 0; i < f->count; ++i) {
        f->temperature[i] = (float)(100 * exp(-(kin_square((double)f->x4[4 * i]) + kin_square((double)f->x4[4 * i + 1])) / (2 * 0.07 * 0.07)));
    }
    for (int when = 0; when < 2; ++when) {
        double sum = 0, square = 0;
        for (size_t i = 0; i < f->count; ++i) sum += (double)f->temperature[i], square += (double)f->temperature[i] * kin_square((double)f->x4[4 * i]);
        variance[when] = square / sum;
        if (when == 0) {
            for (int s = 0; s < 20; ++s) rig_heat(&r, 1);
        }
    }
    NEAR(t, (variance[1] - variance[0]) / (2 * ALPHA * 20), 1, 2e-3); /* the box cuts tails at 5 sigma */
    rig_end(&r);
}

/* Two phases, one a thousand times quicker than a plain step can follow: heat is kept and nobody becomes warmer than the warmest was. */
static void heat_is_kept_for_any_tick(test* t)
{
    for (double alpha = 1e-6; alpha < 20; alpha *= 100) {
        rig r = {0};
        begin_plate(t, &r, 24, alpha, 0.3 * alpha, kin_simd_best(), 1);
        kin_sph* f = &r.k.f;
        for (size_t i = 0; i < f->count; ++i) f->phase[i] = f->x4[4 * i] > 0.1f, f->temperature[i] = f->x4[4 * i + 1] > 0 ? 900 : 300;
        double before = heat_of(&r);
        for (int s = 0; s < 5; ++s) rig_heat(&r, 0.1f);
        NEAR(t, heat_of(&r) / before, 1, 1e-7);
        for (size_t i = 0; i < f->count; ++i) CHECK(t, f->temperature[i] >= 299.99f && f->temperature[i] <= 900.01f);
        if (alpha > 0.5) {
            for (size_t i = 0; i < f->count; ++i) NEAR(t, (double)f->temperature[i], 600, 30); /* h alpha k^2 = 2 and more: nearly even */
        }
        rig_end(&r);
    }
}

/* Thickness over temperature: what walls feel, and what a shear flow does. */
static void warm_fluid_is_thin(test* t)
{
    static const kin_curve_key keys[2] = {{.time = 300, .value = {1}}, {.time = 400, .value = {0.01}}};
    for (int warm = 0; warm < 2; ++warm) {
        rig r = {0};
        r.matter[0].thickness = r.matter[1].thickness = (kin_curve){.keys = keys, .count = 2};
        begin_plate(t, &r, 16, 0, 0, kin_simd_best(), 1);
        kin_sph* f = &r.k.f;
        r.k.phases[0].viscosity = 0.01f;
        f->def.viscosity = KIN_SPH_VISCOSITY_EXPLICIT;
        for (size_t i = 0; i < f->count; ++i) f->temperature[i] = warm ? 350 : 200, f->v4[4 * i] = (float)sin(2 * M_PI * (double)f->x4[4 * i + 1]);
        NEAR(t, (double)kin_sph_viscosity_at(f, 0), warm ? 0.00505 : 0.01, 1e-8);
        CHECK(t, rig_forces(&r, 1e-4f));
        double va = 0, vv = 0;
        for (size_t i = 0; i < f->count; ++i) va += (double)f->v4[4 * i] * (double)f->a4[4 * i], vv += kin_square((double)f->v4[4 * i]);
        NEAR(t, -va / vv / ((warm ? 0.505 : 1) * 0.01 * 4 * M_PI * M_PI), 1 + kin_square(2 * M_PI / 16) / 6, 1e-3); /* viscosity_test.c */
        rig_end(&r);
    }
}

static void warm_fluid_rises_and_gas_floats(test* t)
{
    rig r = {0};
    r.matter[0].reference = 290, r.matter[1].matter = KIN_SPH_GASEOUS;
    begin_plate(t, &r, 8, 0, 0, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    r.k.phases[0].expansion = 2e-3f, r.k.phases[0].viscosity = r.k.phases[1].viscosity = 0, r.k.phases[1].density = 0.6f;
    r.k.fields->gravity = (kin_vec3){0, -10, 0};
    for (size_t i = 0; i < f->count; ++i) f->temperature[i] = 300, f->phase[i] = i % 2;
    CHECK(t, rig_forces(&r, 1e-3f));
    for (size_t i = 0; i < f->count; ++i) NEAR(t, (double)f->a4[4 * i + 1], f->phase[i] == 0 ? -10 * (1 - 0.02) : 10, 1e-4);
    rig_end(&r);
}

/* A single drop in still air: its speed falls by 1 / (1 + h c), c = air_drag l / m; one amid others feels nothing. */
static void air_takes_the_speed_of_spray(test* t)
{
    rig r = {0};
    kin_sph_def d = tank_def(0.05);
    d.air_drag = 4;
    rig_begin(t, &r, &d, 0, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    tank_fill(t, &r.k, (float[3]){0, 0, 0}, (int[3]){7, 7, 7}, 0, 1);
    tank_add(t, &r.k, 3, 0, 0, 5, 0, 0, 0);
    for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = 5;
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, 0.1f));
    for (size_t i = 0; i < f->count; ++i) {
        bool alone = f->x4[4 * i] > 2, inside = f->density[i] > 0.9999f;
        double c = 4 * 0.1 / (1000 * 0.001), slower = -5 * c / (1 + 0.1 * c);
        if (alone) NEAR(t, (double)f->a4[4 * i], slower, 1e-5);
        if (inside) NEAR(t, (double)f->a4[4 * i], 0, 2e-4 * -slower);
    }
    rig_end(&r);
}

TEST_MAIN("sph heat", TEST(a_mode_decays), TEST(a_gaussian_spreads), TEST(heat_is_kept_for_any_tick), TEST(warm_fluid_is_thin),
          TEST(warm_fluid_rises_and_gas_floats), TEST(air_takes_the_speed_of_spray))
