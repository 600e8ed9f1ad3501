/* wcsph_test.c - pressure from the equation of state, and what bulk viscosity adds to it. */
#include "tank.h"

enum { MOST = 1000 };
#define STIFFNESS 400.0f

typedef struct look {
    float k[MOST];     /* p / D^2 */
    double work;       /* W: of pressure on the flow */
    double compresses; /* W: V sum k L(v) */
} look;

/* A crowd that is pressed together to 0.93 of its spacings and moves at random: pressures for a share of bulk viscosity, with velocities times `by`. */
static look look_at(test* t, double share, float by, kin_sph_equation equation)
{
    kin_sph_def def = tank_def(0.05);
    tank k;
    look out = {.work = 0};
    def.bulk_viscosity = share, def.equation = equation;
    tank_begin(t, &k, &def, kin_simd_best(), 2);
    tank_fill(t, &k, (const float[3]){0, 0, 0}, (const int[3]){9, 10, 11}, 0.1f, 7);
    kin_sph* f = &k.f;
    for (size_t i = 0; i < f->count; ++i) {
        for (size_t a = 0; a < 3; ++a) f->x4[4 * i + a] *= 0.93f, f->v4[4 * i + a] *= by;
    }
    tank_look(t, &k);
    float v4[4 * MOST];
    memcpy(v4, f->v4, 4 * f->count * sizeof *v4);
    kin_sph_wcsph_push(f, &k.jobs, (double)STIFFNESS, 1e-3f);
    kin_sph_backward(f, &k.jobs, f->k_density, f->p4);
    for (size_t i = 0; i < f->count; ++i) {
        const float *v = v4 + 4 * i, *a = f->p4 + 4 * i;
        out.k[f->serial[i]] = f->k_density[i];
        out.work += (double)f->phases[0].mass * (double)(v[0] * a[0] + v[1] * a[1] + v[2] * a[2]);
        out.compresses += (double)(f->volume * f->k_density[i] * f->factor[i]);
    }
    tank_end(&k);
    return out;
}

/* To the bit, for both equations. */
static void without_bulk_viscosity_motion_is_not_felt(test* t)
{
    for (int e = KIN_SPH_TAIT; e <= KIN_SPH_GAS; ++e) {
        look moves = look_at(t, 0, 1, (kin_sph_equation)e), rests = look_at(t, 0, 0, (kin_sph_equation)e), felt = look_at(t, 0.25, 1, (kin_sph_equation)e);
        CHECK(t, memcmp(moves.k, rests.k, sizeof moves.k) == 0);
        CHECK(t, memcmp(moves.k, felt.k, sizeof moves.k) != 0);
    }
}

/* p = (k rho / gamma) (D^gamma - 1), as the texts have it; none below rest. Floats: D - 1 is known to 1e-7, and p to gamma times that. */
static void without_it_pressure_is_the_equation(test* t)
{
    kin_sph_def def = tank_def(0.05);
    tank k;
    def.bulk_viscosity = 0;
    tank_begin(t, &k, &def, kin_simd_best(), 1);
    tank_fill(t, &k, (const float[3]){0, 0, 0}, (const int[3]){8, 8, 8}, 0.2f, 3);
    tank_look(t, &k);
    kin_sph_wcsph_push(&k.f, &k.jobs, (double)STIFFNESS, 1e-3f);
    size_t pressed = 0;
    for (size_t i = 0; i < k.f.count; ++i) {
        double d = (double)k.f.density[i], p = d > 1 ? 400.0 * 1000 / 7 * (pow(d, 7) - 1) : 0;
        NEAR(t, (double)k.f.k_density[i] * d * d, p, 400.0 * 1000 * 1e-6 * pow(d, 7));
        pressed += d > 1;
    }
    CHECK(t, pressed > 50 && pressed < k.f.count - 50);
    tank_end(&k);
}

/* Pressure works on the flow as much as it is compressed, so what bulk viscosity adds takes energy, wherever it acts; and at most the pressure itself. */
static void bulk_viscosity_takes_energy(test* t)
{
    look plain = look_at(t, 0, 1, KIN_SPH_TAIT), damped = look_at(t, 0.25, 1, KIN_SPH_TAIT);
    double taken = plain.work - damped.work;
    CHECK(t, taken > 0);
    NEAR(t, taken, damped.compresses - plain.compresses, 1e-4 * taken);
    for (int i = 0; i < 990; ++i) CHECK(t, damped.k[i] >= 0 && damped.k[i] <= 2 * plain.k[i] * (1 + 1e-6f));
}

TEST_MAIN("sph wcsph", TEST(without_bulk_viscosity_motion_is_not_felt), TEST(without_it_pressure_is_the_equation), TEST(bulk_viscosity_takes_energy))
