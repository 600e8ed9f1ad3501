/* pressure_test.c - the reported pressure: the virial of the forces that act, and the multiplier where particles lie close and smoothly. */
#include "unit/domains/sph/tank.h"

/* Places as a tick leaves them: where particles came from is in a4. */
static void find(test* t, tank* k)
{
    memcpy(k->f.a4, k->f.x4, 32 * k->f.blocks * sizeof(float));
    k->f.pressed = k->f.blocks;
    CHECK(t, kin_sph_pressures(&k->f) != NULL);
}

/* A wall at y = 0 below a jittered cloud, of any strength. */
static void begin_cloud(test* t, tank* k, bool flat, kin_simd simd)
{
    kin_sph_def def = tank_def(0.05);
    uint32_t seed = 5;
    def.flat = flat;
    tank_begin(t, k, &def, simd, 1);
    tank_fill(t, k, (float[3]){-0.3f, 0, -0.4f}, flat ? (int[3]){20, 11, 1} : (int[3]){7, 6, 9}, 0.3f, 11);
    tank_look(t, k);
    for (size_t i = 0; i < k->f.count; ++i) {
        float pull = -3 * tank_share(&seed);
        k->f.b[1][i] = pull, k->f.wall_moment[i] = -pull * k->f.x4[4 * i + 1];
        k->f.k_density[i] = 2 * tank_share(&seed) - 0.5f;
    }
}

/* sum p V / D = (1/d) sum x . F, to the rounding of floats: an identity, as no force acts but those of pairs and of a wall at y = 0. */
static void stress_is_the_virial(test* t)
{
    for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
        for (int flat = 0; flat < 2; ++flat) {
            tank k;
            begin_cloud(t, &k, flat, (kin_simd)simd);
            kin_sph_backward(&k.f, &k.jobs, k.f.k_density, k.f.p4);
            find(t, &k);
            double stress = 0, virial = 0, size = 0;
            for (size_t i = 0; i < k.f.count; ++i) {
                stress += (double)(k.f.pressure[i] * k.f.volume / k.f.density[i]);
                for (size_t a = 0; a < 3; ++a) {
                    double one = (double)k.phases[k.f.phase[i]].mass * (double)k.f.x4[4 * i + a] * (double)k.f.p4[4 * i + a] / (flat ? 2 : 3);
                    virial += one, size += fabs(one);
                }
            }
            NEAR(t, stress, virial, 1e-6 * size);
            CHECK(t, fabs(virial) > 0.1 * size);
            tank_end(&k);
        }
    }
}

/* -(1/d) V sum W'(r) r over a lattice. */
static double lattice_moment(const kin_sph* f)
{
    double sum = 0;
    int deep = f->flat ? 0 : 3;
    for (int x = -3; x <= 3; ++x) {
        for (int y = -3; y <= 3; ++y) {
            for (int z = -deep; z <= deep; ++z) {
                double r = sqrt((double)(x * x + y * y + z * z)) * (double)f->spacing;
                sum -= (double)f->volume * kin_sph_bell_slope(&f->gradient, r) * r * r;
            }
        }
    }
    return sum / (f->flat ? 2 : 3);
}

/* In a full box, over wide lists: k times the moment of the kernel, which for the quintic spline over three spacings is 1 to a thousandth. */
static void a_lattice_has_its_multiplier(test* t)
{
    for (int flat = 0; flat < 2; ++flat) {
        tank k;
        kin_sph_def def = tank_def(0.05);
        def.flat = flat, def.kernel = KIN_SPH_QUINTIC, def.support = 6;
        def.periodic = flat ? (kin_vec3){1, 1, 0} : (kin_vec3){1, 1, 1};
        tank_begin(t, &k, &def, kin_simd_best(), 1);
        tank_fill(t, &k, (float[3]){-0.5f, -0.5f, flat ? 0 : -0.5f}, (int[3]){10, 10, flat ? 1 : 10}, 0, 0);
        tank_look(t, &k);
        for (size_t i = 0; i < k.f.count; ++i) k.f.k_density[i] = 50;
        find(t, &k);
        double moment = lattice_moment(&k.f);
        NEAR(t, moment, 1, 1.5e-3);
        for (size_t i = 0; i < k.f.count; ++i) NEAR(t, k.f.pressure[i], 50 * moment, 50 * 1e-5);
        tank_end(&k);
    }
}

TEST_MAIN("sph_pressure", TEST(stress_is_the_virial), TEST(a_lattice_has_its_multiplier))
