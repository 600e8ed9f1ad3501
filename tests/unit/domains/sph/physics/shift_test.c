/* shift_test.c - particles of a full box are moved into order, their centre of mass is not; fluid with a surface is left alone. */
#include "unit/domains/sph/physics/rig.h"

static void begin_box(test* t, rig* r, double size)
{
    kin_sph_def d = tank_def(0.05);
    d.flat = true, d.shift = 3, d.periodic = (kin_vec3){size, size, 0};
    rig_begin(t, r, &d, 0, kin_simd_best(), 1);
    tank_fill(t, &r->k, (float[3]){-0.8f, -0.8f, 0}, (int[3]){16, 16, 1}, 0.25f, 9);
    for (size_t i = 0; i < r->k.f.count; ++i) r->k.f.phase[i] = i % 4 == 0;
    tank_look(t, &r->k);
    r->k.f.seen.rms = 1;
}

/* Root of the mean square of D - its mean. */
static double disorder(const kin_sph* f)
{
    double sum = 0, squares = 0, n = (double)f->count;
    for (size_t i = 0; i < f->count; ++i) sum += (double)f->density[i], squares += (double)f->density[i] * (double)f->density[i];
    return sqrt(squares / n - sum / n * (sum / n));
}

static void disorder_falls_and_the_centre_stays(test* t)
{
    rig r = {0};
    begin_box(t, &r, 1.6);
    kin_sph* f = &r.k.f;
    CHECK(t, f->full);
    double first = disorder(f), moved[2] = {0}, way = 0;
    for (int n = 0; n < 20; ++n) {
        CHECK(t, kin_sph_find_shift(f, &(kin_sph_tick){.step = &r.k.step, .h = 0.01f}));
        for (size_t i = 0; i < f->count; ++i) {
            for (size_t a = 0; a < 2; ++a) {
                double one = (double)f->p4[4 * i + a] * (double)f->phases[f->phase[i]].mass;
                moved[a] += one, way += fabs(one), f->x4[4 * i + a] += f->p4[4 * i + a];
            }
        }
        tank_look(t, &r.k);
    }
    CHECK(t, disorder(f) < 0.25 * first);
    for (int a = 0; a < 2; ++a) NEAR(t, moved[a], 0, 1e-6 * way);
    rig_end(&r);
}

/* All particles of a lattice are led away from the middle of the box, as if as many as fill a circle of 3 spacings stood there: a hole, round which they are dense.
 * Errors of both signs would leave it; what only pushes fills it. */
static void a_hole_fills(test* t)
{
    const double hole = 0.3, reach = 0.8;
    rig r = {0};
    begin_box(t, &r, 1.6);
    kin_sph* f = &r.k.f;
    for (size_t i = 0; i < f->count; ++i) {
        double x = (double)f->x4[4 * i], y = (double)f->x4[4 * i + 1], square = x * x + y * y, rim = reach * reach;
        if (square >= rim) continue;
        double by = sqrt((hole * hole + square * (1 - hole * hole / rim)) / square);
        f->x4[4 * i] = (float)(by * x), f->x4[4 * i + 1] = (float)(by * y);
    }
    tank_look(t, &r.k);
    float first = f->rest;
    CHECK(t, f->full && first > 1.1f);
    for (int n = 0; n < 60; ++n) {
        CHECK(t, kin_sph_find_shift(f, &(kin_sph_tick){.step = &r.k.step, .h = 0.01f}));
        for (size_t i = 0; i < f->count; ++i) {
            for (size_t a = 0; a < 2; ++a) f->x4[4 * i + a] += f->p4[4 * i + a];
        }
        tank_look(t, &r.k);
    }
    test_check(t, f->rest < 1.02f, __FILE__, __LINE__, "mean density %g at first, then %g", (double)first, (double)f->rest);
    rig_end(&r);
}

static void a_surface_is_left_alone(test* t)
{
    rig r = {0};
    begin_box(t, &r, 2);
    CHECK(t, !r.k.f.full);
    CHECK(t, !kin_sph_find_shift(&r.k.f, &(kin_sph_tick){.step = &r.k.step, .h = 0.01f}));
    rig_end(&r);
}

TEST_MAIN("sph_shift", TEST(disorder_falls_and_the_centre_stays), TEST(a_hole_fills), TEST(a_surface_is_left_alone))
