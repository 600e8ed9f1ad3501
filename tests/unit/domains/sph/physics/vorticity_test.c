/* vorticity_test.c - whirls: confinement spins them up, spins follow the flow and keep momentum. */
#include "math/scalar.h"
#include "unit/domains/sph/physics/rig.h"

static void begin_block(test* t, rig* r, const kin_sph_def* def, uint32_t columns, float jitter)
{
    rig_begin(t, r, def, columns, kin_simd_best(), 1);
    tank_fill(t, &r->k, (float[3]){-0.8f, -0.8f, -0.4f}, (int[3]){16, 16, 8}, jitter, 3);
    tank_look(t, &r->k);
}

static double across(const kin_sph* f, size_t i) { return sqrt((double)(f->x4[4 * i] * f->x4[4 * i] + f->x4[4 * i + 1] * f->x4[4 * i + 1])); }

/* A whirl whose vorticity falls off from its middle, w(s) = 8 exp(-s^2 / 2 a^2): confinement turns it faster, along v. Uniform motion and pure rotation (w the same
 * everywhere inside) feel nothing there. */
static void confinement_spins_whirls_up(test* t)
{
    kin_sph_def d = tank_def(0.05);
    d.vorticity = 0.5;
    rig r = {0};
    begin_block(t, &r, &d, 0, 0);
    kin_sph* f = &r.k.f;
    for (int p = 0; p < 2; ++p) r.k.phases[p].viscosity = 0;
    for (size_t i = 0; i < f->count; ++i) {
        double s = across(f, i), a = 0.25, round = 8 * a * a * (1 - exp(-s * s / (2 * a * a))) / s; /* speed */
        f->v4[4 * i] = (float)(-round * (double)f->x4[4 * i + 1] / s), f->v4[4 * i + 1] = (float)(round * (double)f->x4[4 * i] / s), f->v4[4 * i + 2] = 0;
    }
    CHECK(t, rig_forces(&r, 1e-3f));
    double along = 0, out = 0, seen = 0;
    for (size_t i = 0; i < f->count; ++i) {
        double s = across(f, i), w = 8 * exp(-s * s / (2 * 0.25 * 0.25));
        if (fabsf(f->x4[4 * i + 2]) > 0.1f || s < 0.2 || s > 0.4) continue;
        double ax = f->a4[4 * i], ay = f->a4[4 * i + 1], x = f->x4[4 * i], y = f->x4[4 * i + 1];
        along += (ay * x - ax * y) / s / (0.5 * 0.1 * w), out += (ax * x + ay * y) / s, seen += 1;
    }
    CHECK(t, seen > 50);
    NEAR(t, along / seen, 1, 0.05); /* strength l |w|: a lattice's curl of this whirl is good to (l / a)^2 / 6 */
    NEAR(t, out / seen, 0, 0.01);
    for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = -3 * f->x4[4 * i + 1], f->v4[4 * i + 1] = 3 * f->x4[4 * i];
    CHECK(t, rig_forces(&r, 1e-3f));
    for (size_t i = 0; i < f->count; ++i) {
        bool inside = fabsf(f->x4[4 * i]) < 0.3f && fabsf(f->x4[4 * i + 1]) < 0.3f && fabsf(f->x4[4 * i + 2]) < 0.1f;
        if (inside) NEAR(t, hypot((double)f->a4[4 * i], (double)f->a4[4 * i + 1]), 0, 1e-6);
    }
    rig_end(&r);
}

/* In a fluid that turns at rate w the spins come to w, and then nothing acts any more inside. */
static void spins_follow_the_flow(test* t)
{
    kin_sph_def d = tank_def(0.05);
    d.micropolar = 0.5, d.viscosity = KIN_SPH_VISCOSITY_EXPLICIT;
    rig r = {0};
    begin_block(t, &r, &d, KIN_SPH_HAS_SPIN, 0);
    kin_sph* f = &r.k.f;
    for (int p = 0; p < 2; ++p) r.k.phases[p].viscosity = 0.05f;
    for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = -3 * f->x4[4 * i + 1], f->v4[4 * i + 1] = 3 * f->x4[4 * i], f->v4[4 * i + 2] = 0;
    double h = 0.01, theta = 0.1 * 0.1 * 0.1, nu = 2 * 0.5 * 0.05, spin = 0;
    for (int s = 0; s < 20; ++s) {
        CHECK(t, rig_forces(&r, (float)h));
        spin = (theta * spin + h * nu * 6) / (theta + 2 * h * nu); /* Theta ds/dt = nu (curl v - 2 s), at the end of the tick */
    }
    for (size_t i = 0; i < f->count; ++i) {
        bool inside = fabsf(f->x4[4 * i]) < 0.3f && fabsf(f->x4[4 * i + 1]) < 0.3f && fabsf(f->x4[4 * i + 2]) < 0.1f;
        if (inside) NEAR(t, (double)f->spin4[4 * i + 2], spin, 1e-4);
        if (inside) NEAR(t, hypot((double)f->a4[4 * i], (double)f->a4[4 * i + 1]), 0, 1e-3);
    }
    rig_end(&r);
}

/* Any velocities and spins: forces cancel, and with the viscosity they belong to, energy of motion and spin together falls. */
static void micropolar_keeps_momentum_and_loses_energy(test* t)
{
    kin_sph_def d = tank_def(0.05);
    d.micropolar = 0.5, d.viscosity = KIN_SPH_VISCOSITY_EXPLICIT;
    rig r = {0};
    begin_block(t, &r, &d, KIN_SPH_HAS_SPIN, 0.3f);
    kin_sph* f = &r.k.f;
    uint32_t seed = 9;
    for (size_t i = 0; i < f->count; ++i) {
        f->phase[i] = i % 4 == 0;
        for (size_t a = 0; a < 3; ++a) f->spin4[4 * i + a] = 40 * tank_share(&seed) - 20;
    }
    r.k.phases[0].viscosity = 0.02f, r.k.phases[1].viscosity = 0.1f;
    tank_look(t, &r.k);
    float h = (float)(0.5 * kin_sph_forces_longest(f));
    for (int s = 0; s < 10; ++s) {
        double before = rig_sums(f, f->v4).energy, after;
        for (size_t i = 0; i < f->count; ++i) {
            for (size_t a = 0; a < 3; ++a) before += 0.5 * (double)f->phases[f->phase[i]].mass * 0.001 * kin_square((double)f->spin4[4 * i + a]);
        }
        CHECK(t, rig_forces(&r, h));
        NEAR3(t, rig_sums(f, f->a4).momentum, (kin_vec3){0}, 1e-6 * rig_size(f, f->a4));
        for (size_t i = 0; i < 4 * f->count; ++i) f->v4[i] += h * f->a4[i];
        after = rig_sums(f, f->v4).energy;
        for (size_t i = 0; i < f->count; ++i) {
            for (size_t a = 0; a < 3; ++a) after += 0.5 * (double)f->phases[f->phase[i]].mass * 0.001 * kin_square((double)f->spin4[4 * i + a]);
        }
        CHECK(t, after < before);
    }
    rig_end(&r);
}

TEST_MAIN("sph vorticity", TEST(confinement_spins_whirls_up), TEST(spins_follow_the_flow), TEST(micropolar_keeps_momentum_and_loses_energy))
