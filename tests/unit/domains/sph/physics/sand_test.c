/* sand_test.c - a heap keeps its slope when that is below its friction, runs when it is above, and does not creep. */
#include "math/quat.h"
#include "unit/domains/sph/physics/rig.h"

/* Twelve layers with sides that rise 1 on 2, on a rough floor. */
static void begin_heap(test* t, rig* r, double friction, double cohesion, kin_simd simd, int threads)
{
    kin_sph_def d = tank_def(0.01);
    d.flat = true, d.viscosity = KIN_SPH_VISCOSITY_EXPLICIT, d.wall_friction = 1, d.cfl = 0.4;
    for (int p = 0; p < 2; ++p) r->matter[p].matter = KIN_SPH_SAND, r->matter[p].friction = friction, r->matter[p].cohesion = cohesion;
    rig_begin(t, r, &d, KIN_SPH_HAS_REST, simd, threads);
    for (int p = 0; p < 2; ++p) r->k.phases[p].viscosity = 0;
    r->k.fields->gravity = (kin_vec3){0, -9.81, 0};
    kin_shape plane = {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    kin_solid_def floor = {.shape = &plane, .pose = {{0, 0, 0}, {0, 0, 0, 1}}};
    uint32_t number;
    CHECK(t, kin_solids_add(r->solids, &floor, &number, NULL) == KIN_OK);
    kin_solids_refit(r->solids, 0.01);
    for (int layer = 0; layer < 12; ++layer) {
        int half = 24 - 2 * layer;
        for (int i = -half; i < half; ++i) tank_add(t, &r->k, 0.02f * ((float)i + 0.5f), 0.02f * ((float)layer + 0.5f), 0, 0, 0, 0, 0);
    }
}

static void run(test* t, rig* r, int steps)
{
    for (int s = 0; s < steps; ++s) {
        r->k.step.h = 0.01;
        CHECK(t, kin_sph_advance(&r->k.f, &r->k.step) == KIN_STATUS_OK);
    }
}

static double top_of(const kin_sph* f)
{
    double top = 0;
    for (size_t i = 0; i < f->count; ++i) top = fmax(top, (double)f->x4[4 * i + 1]);
    return top;
}

/* Settling takes the 3 % that stress may strain it by; after that nothing goes on. */
static void a_heap_keeps_its_slope(test* t)
{
    rig r = {0};
    begin_heap(t, &r, 0.7, 0, kin_simd_best(), 1);
    run(t, &r, 50);
    double after_half = top_of(&r.k.f);
    CHECK(t, after_half > 0.97 * 0.23);
    run(t, &r, 50);
    NEAR(t, top_of(&r.k.f), after_half, 1e-3 * after_half);
    rig_end(&r);
}

static void a_slippery_one_runs_down(test* t)
{
    rig r = {0};
    begin_heap(t, &r, 0.1, 0, kin_simd_best(), 1);
    run(t, &r, 50);
    CHECK(t, top_of(&r.k.f) < 0.6 * 0.23);
    rig_end(&r);
}

/* rho g times the height is 3.7 kPa: a fifth of that holds it without any friction. */
static void damp_sand_stands_without_friction(test* t)
{
    for (int damp = 0; damp < 2; ++damp) {
        rig r = {0};
        begin_heap(t, &r, 0, damp ? 800 : 0, kin_simd_best(), 1);
        run(t, &r, 40);
        CHECK(t, damp ? top_of(&r.k.f) > 0.97 * 0.23 : top_of(&r.k.f) < 0.5 * 0.23);
        rig_end(&r);
    }
}

static void widths_and_threads_change_no_bit(test* t)
{
    float* first = NULL;
    for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
        rig r = {0};
        begin_heap(t, &r, 0.5, 10, (kin_simd)simd, simd + 1);
        run(t, &r, 5);
        size_t bytes = 4 * r.k.f.count * sizeof(float);
        if (first == NULL) {
            first = malloc(bytes);
            memcpy(first, r.k.f.x4, bytes);
        }
        for (size_t i = 0; i < r.k.f.count; ++i) CHECK(t, memcmp(first + 4 * i, r.k.f.x4 + 4 * i, 3 * sizeof(float)) == 0);
        rig_end(&r);
    }
    free(first);
}

TEST_MAIN("sph sand", TEST(a_heap_keeps_its_slope), TEST(a_slippery_one_runs_down), TEST(damp_sand_stands_without_friction),
          TEST(widths_and_threads_change_no_bit))
