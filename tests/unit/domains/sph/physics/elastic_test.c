/* elastic_test.c - jelly: turned it feels nothing, strained it answers as its moduli say, and let go it keeps energy and both momenta and comes back. */
#include "base/alloc.h"
#include "math/mat3.h"
#include "unit/domains/sph/physics/rig.h"

#define YOUNG 1e4
#define POISSON 0.3

static void begin_block(test* t, rig* r, bool flat, kin_simd simd, int threads)
{
    kin_sph_def d = tank_def(0.05);
    d.flat = flat, d.viscosity = KIN_SPH_VISCOSITY_EXPLICIT;
    r->matter[0].matter = KIN_SPH_ELASTIC, r->matter[0].stiffness = YOUNG, r->matter[0].poisson = POISSON;
    rig_begin(t, r, &d, 0, simd, threads);
    r->k.phases[0].viscosity = r->k.phases[1].viscosity = 0;
    tank_fill(t, &r->k, (float[3]){-0.4f, -0.2f, flat ? 0 : -0.2f}, (int[3]){8, 4, flat ? 1 : 4}, 0, 1);
    tank_look(t, &r->k);
    CHECK(t, rig_forces(r, 1e-4f)); /* bonds */
}

static void map(rig* r, kin_mat3 m)
{
    for (size_t i = 0; i < r->k.f.count; ++i) {
        float* x = r->k.f.x4 + 4 * i;
        kin_vec3 y = kin_mat3_apply(m, kin_v(x[0], x[1], x[2]));
        x[0] = (float)y.x, x[1] = (float)y.y, x[2] = (float)y.z;
    }
}

static double largest(const kin_sph* f, const float* u4)
{
    double most = 0;
    for (size_t i = 0; i < f->count; ++i)
        most = fmax(most, sqrt((double)(u4[4 * i] * u4[4 * i] + u4[4 * i + 1] * u4[4 * i + 1] + u4[4 * i + 2] * u4[4 * i + 2])));
    return most;
}

static void rotation_makes_no_force(test* t)
{
    rig r = {0};
    begin_block(t, &r, false, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    CHECK(t, largest(f, f->a4) < 1e-4);
    map(&r, kin_mat3_rotation(kin_normalize_or(kin_v(1, 2, 3), kin_v(1, 0, 0)), 2));
    tank_look(t, &r.k); /* another order, other neighbours */
    CHECK(t, rig_forces(&r, 1e-4f));
    double strain = 1e-3 * YOUNG / (1000 * 0.1); /* what a thousandth of strain over a spacing would do */
    CHECK(t, largest(f, f->a4) < 1e-2 * strain);
    CHECK(t, kin_sph_elastic_energy(f) < 1e-8);
    rig_end(&r);
}

/* Energy of a uniform stretch and of a shear: V (mu |e|^2 + lambda/2 tr^2), which sums of any linear deformation give exactly. */
static void energy_is_that_of_the_moduli(test* t)
{
    for (int flat = 0; flat < 2; ++flat) {
        double mu = YOUNG / (2 * (1 + POISSON)), lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), e = 1e-2;
        for (int shear = 0; shear < 2; ++shear) {
            rig r = {0};
            begin_block(t, &r, flat, kin_simd_best(), 1);
            kin_sph* f = &r.k.f;
            kin_mat3 m = kin_mat3_identity();
            if (shear)
                m.cx.y = m.cy.x = e;
            else
                m.cx.x = 1 + e;
            map(&r, m);
            tank_look(t, &r.k);
            CHECK(t, rig_forces(&r, 1e-4f));
            double want = (double)f->count * (double)f->volume * (shear ? 2 * mu * e * e : mu * e * e + 0.5 * lambda * e * e);
            NEAR(t, kin_sph_elastic_energy(f) / want, 1, 1e-3);
            rig_end(&r);
        }
    }
}

/* Leapfrog without pressure. */
static void run(test* t, rig* r, int steps, float h)
{
    kin_sph* f = &r->k.f;
    for (int s = 0; s < steps; ++s) {
        tank_look(t, &r->k);
        CHECK(t, rig_forces(r, h));
        for (size_t i = 0; i < 4 * f->count; ++i) f->v4[i] += h * f->a4[i];
        for (size_t i = 0; i < 4 * f->count; ++i) f->x4[i] += i % 4 == 3 ? 0 : h * f->v4[i];
    }
}

/* Twisted about x and let go: both momenta are kept, energy too but for what straightens wiggles and leapfrog's own error; with friction it is a block again. */
static void a_twisted_block_returns(test* t)
{
    rig r = {0};
    begin_block(t, &r, false, kin_simd_best(), 2);
    kin_sph* f = &r.k.f;
    float h = (float)(0.5 * kin_sph_forces_longest(f));
    for (size_t i = 0; i < f->count; ++i) {
        float* x = f->x4 + 4 * i;
        kin_vec3 y = kin_mat3_apply(kin_mat3_rotation(kin_v(1, 0, 0), 1.0 * (double)x[0]), kin_v(x[0], x[1], x[2]));
        x[1] = (float)y.y, x[2] = (float)y.z;
    }
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, h));
    double energy = kin_sph_elastic_energy(f), scale = (double)f->count * (double)r.k.phases[0].mass * 0.1;
    CHECK(t, energy > 0.1);
    run(t, &r, 200, h);
    rig_sum s = rig_sums(f, f->v4);
    NEAR3(t, s.momentum, (kin_vec3){0}, 1e-5 * scale);
    NEAR3(t, s.angular, (kin_vec3){0}, 1e-5 * scale);
    CHECK(t, s.energy > 1e-3 * energy);
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, h));
    NEAR(t, (s.energy + kin_sph_elastic_energy(f)) / energy, 1, 0.2);
    r.k.phases[0].viscosity = 0.2f;
    run(t, &r, 1500, h);
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, h));
    CHECK(t, kin_sph_elastic_energy(f) < 1e-3 * energy);
    rig_end(&r);
}

/* Saved and loaded, bonds are the same; threads change no bit. */
static void bonds_are_state(test* t)
{
    rig a = {0}, b = {0};
    begin_block(t, &a, false, kin_simd_best(), 1);
    kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    kin_sph_physics_visit(a.k.f.physics, &save);
    begin_block(t, &b, false, kin_simd_best(), 3);
    kin_sph_physics_destroy(b.k.f.physics);
    kin_birth birth = {.allocator = t->allocator, .simd = kin_simd_best()};
    CHECK(t, kin_sph_physics_create(&birth, &b.k.f.def, &b.k.f.physics, NULL) == KIN_OK);
    kin_visitor load = {.mode = KIN_VISIT_LOAD, .data = save.data, .size = save.size, .allocator = t->allocator};
    kin_sph_physics_visit(b.k.f.physics, &load);
    CHECK(t, load.result == KIN_OK && load.position == save.size);
    kin_mat3 m = kin_mat3_identity();
    m.cx.x = 1.2;
    map(&a, m), map(&b, m);
    tank_look(t, &a.k), tank_look(t, &b.k);
    CHECK(t, rig_forces(&a, 1e-4f) && rig_forces(&b, 1e-4f));
    CHECK(t, largest(&a.k.f, a.k.f.a4) > 1);
    CHECK(t, memcmp(a.k.f.a4, b.k.f.a4, 4 * a.k.f.count * sizeof(float)) == 0);
    kin_free(&t->allocator, save.data, save.capacity);
    rig_end(&a), rig_end(&b);
}

/* Half of the particles end: the others hold on to who is left. Later ones are bound among themselves. */
static void deaths_and_births_keep_the_rest(test* t)
{
    rig r = {0};
    begin_block(t, &r, false, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    uint8_t gone[512] = {0};
    for (size_t i = 0; i < f->count; ++i) gone[i] = f->x4[4 * i] > -0.15f;
    kin_sph_remove(f, gone);
    kin_sph_park(f);
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, 1e-4f));
    CHECK(t, largest(f, f->a4) < 1e-4);
    tank_fill(t, &r.k, (float[3]){1, 1, 1}, (int[3]){4, 4, 4}, 0, 1);
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, 1e-4f));
    CHECK(t, largest(f, f->a4) < 1e-4);
    kin_mat3 m = kin_mat3_identity();
    m.cx.x = 1.1;
    map(&r, m);
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, 1e-4f));
    for (size_t i = 0; i < f->count; ++i) CHECK(t, f->a4[4 * i] == f->a4[4 * i]);
    CHECK(t, largest(f, f->a4) > 1);
    NEAR3(t, rig_sums(f, f->a4).momentum, (kin_vec3){0}, 1e-6 * rig_size(f, f->a4));
    rig_end(&r);
}

/* Matter that gets soft when warm: half as stiff, then none of it, and it does not come back. */
static void melting_forgets(test* t)
{
    static const kin_curve_key keys[2] = {{.time = 300, .value = {1}}, {.time = 400, .value = {0}}};
    rig r = {0};
    r.matter[0].thickness = (kin_curve){.keys = keys, .count = 2};
    kin_sph_def d = tank_def(0.05);
    r.matter[0].matter = KIN_SPH_ELASTIC, r.matter[0].stiffness = YOUNG, r.matter[0].poisson = POISSON;
    rig_begin(t, &r, &d, KIN_SPH_HAS_HEAT, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    r.k.phases[0].viscosity = r.k.phases[1].viscosity = 0;
    tank_fill(t, &r.k, (float[3]){0, 0, 0}, (int[3]){6, 6, 6}, 0, 1);
    tank_look(t, &r.k);
    CHECK(t, rig_forces(&r, 1e-4f));
    kin_mat3 m = kin_mat3_identity();
    m.cx.x = 1.1;
    map(&r, m);
    double force[4];
    const float temperatures[4] = {300, 350, 400, 300};
    for (int k = 0; k < 4; ++k) {
        for (size_t i = 0; i < f->count; ++i) f->temperature[i] = temperatures[k];
        tank_look(t, &r.k);
        CHECK(t, rig_forces(&r, 1e-4f));
        force[k] = largest(f, f->a4);
    }
    NEAR(t, force[1] / force[0], 0.5, 1e-5);
    CHECK(t, force[2] == 0 && force[3] == 0);
    rig_end(&r);
}

TEST_MAIN("sph elastic", TEST(rotation_makes_no_force), TEST(energy_is_that_of_the_moduli), TEST(a_twisted_block_returns), TEST(bonds_are_state),
          TEST(deaths_and_births_keep_the_rest), TEST(melting_forgets))
