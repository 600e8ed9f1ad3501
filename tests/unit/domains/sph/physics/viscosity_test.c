/* viscosity_test.c - shear waves decay as they must, motion without strain is left alone, momentum is kept and energy only falls. */
#include "unit/domains/sph/physics/rig.h"
#include "math/scalar.h"
#include "math/sym3.h"

#define NU 0.01 /* m^2/s */

static kin_sph_def wave_def(double radius, bool flat, double depth)
{
    kin_sph_def d = tank_def(radius);
    d.flat = flat;
    d.periodic = (kin_vec3){1, 1, flat ? 0 : depth};
    return d;
}

static void set_viscosity(rig* r, double nu0, double nu1) { r->k.phases[0].viscosity = (float)nu0, r->k.phases[1].viscosity = (float)nu1; }

/* v_x = sin(2 pi y) on a lattice of n spacings in a periodic box of 1 m. */
static void begin_wave(test* t, rig* r, int n, bool flat, kin_sph_viscosity form)
{
    int deep = flat ? 1 : 6;
    kin_sph_def d = wave_def(0.5 / n, flat, (double)deep / n);
    d.viscosity = form;
    rig_begin(t, r, &d, 0, kin_simd_best(), 1);
    set_viscosity(r, NU, NU);
    float low[3] = {-0.5f, -0.5f, flat ? 0 : -0.5f * (float)deep / (float)n};
    tank_fill(t, &r->k, low, (int[3]){n, n, deep}, 0, 1);
    tank_look(t, &r->k);
    for (size_t i = 0; i < r->k.f.count; ++i) r->k.f.v4[4 * i] = (float)sin(2 * M_PI * (double)r->k.f.x4[4 * i + 1]);
}

/* Rate of decay over nu k^2, from the forces. */
static double rate_of(test* t, int n, bool flat, kin_sph_viscosity form)
{
    rig r = {0};
    begin_wave(t, &r, n, flat, form);
    CHECK(t, rig_forces(&r, 1e-5f));
    double va = 0, vv = 0;
    for (size_t i = 0; i < r.k.f.count; ++i) va += (double)r.k.f.v4[4 * i] * (double)r.k.f.a4[4 * i], vv += kin_square((double)r.k.f.v4[4 * i]);
    rig_end(&r);
    return -va / vv / (NU * 4 * M_PI * M_PI);
}

/* Over two spacings' support the only layers that count are those beside. With the phase a = k l / 2 of half a layer a pair's slip is 2 sin a, its turn sin a cos^2 a of that:
 * over nu k^2 the rate is (sin a / a)^2 (2 - cos^2 a) = 1 + (k l)^2 / 6. */
static void shear_waves_decay_at_nu_k2(test* t)
{
    for (int flat = 0; flat < 2; ++flat) {
        double coarse = rate_of(t, 12, flat, KIN_SPH_VISCOSITY_EXPLICIT) - 1, fine = rate_of(t, 24, flat, KIN_SPH_VISCOSITY_EXPLICIT) - 1;
        const double a = M_PI / 12, b = M_PI / 24;
        NEAR(t, coarse, kin_square(sin(a) / a) * (2 - kin_square(cos(a))) - 1, 1e-4);
        NEAR(t, fine, kin_square(sin(b) / b) * (2 - kin_square(cos(b))) - 1, 1e-4);
    }
}

/* The texts' sum over a lattice is not the integral it stands for: its own value for k -> 0 is half the lattice's moment of (h - r). */
static void the_texts_form_is_its_lattice_sum(test* t)
{
    for (int flat = 0; flat < 2; ++flat) {
        double moment = 0, h = 2, c = flat ? 40 / (M_PI * pow(h, 5)) : 45 / (M_PI * pow(h, 6));
        for (int i = -2; i <= 2; ++i) {
            for (int j = -2; j <= 2; ++j) {
                for (int k = flat ? 0 : -2; k <= (flat ? 0 : 2); ++k) moment += 0.5 * c * fmax(h - sqrt(i * i + j * j + k * k), 0) * j * j;
            }
        }
        NEAR(t, rate_of(t, 24, flat, KIN_SPH_VISCOSITY_TEXT) / moment, 1, 1.1 * kin_square(2 * M_PI / 24) / 12);
    }
}

/* Two steps of a method whose factor over x = h nu k^2 is R(x) = (1 - (1 - 2 gamma) x) / (1 + gamma x)^2, gamma = 1 - 1/sqrt 2: within 3 % of exp(-x) whatever
 * h (backward Euler: 20 %); to twice the tolerance of the iteration and (k l)^2 of the turning rates. */
static void implicit_waves_decay_for_any_tick(test* t)
{
    for (int flat = 0; flat < 2; ++flat) {
        for (int n = 12; n <= 24; n += 12) {
            for (float h = 0.1f; h < 200; h *= 10) {
                rig r = {0};
                float v0 = 0, v1 = 0;
                begin_wave(t, &r, n, flat, KIN_SPH_VISCOSITY_IMPLICIT);
                for (size_t i = 0; i < r.k.f.count; ++i) v0 = fmaxf(v0, r.k.f.v4[4 * i]);
                CHECK(t, rig_calm(&r, h));
                for (size_t i = 0; i < r.k.f.count; ++i) v1 = fmaxf(v1, r.k.f.v4[4 * i]);
                double x = (double)h * NU * 4 * M_PI * M_PI;
                double g = 1 - 1 / sqrt(2), step = (1 - (1 - 2 * g) * x / 2) / kin_square(1 + g * x / 2), left = step * step;
                double rate = fabs(step) * (1 - g * x / 2 * (1 - 2 * g)) / pow(1 + g * x / 2, 3); /* -d left / dx */
                double fine = 8e-3 * x / (1 + x) + x * fabs(rate) * kin_square(2 * M_PI / n) / 12;
                NEAR(t, (double)(v1 / v0), left, fine);
                NEAR(t, (double)(v1 / v0), exp(-x), 0.03 + fine);
                rig_end(&r);
            }
        }
    }
}

/* A jittered ball of two phases with random velocities and no box. */
static void begin_ball(test* t, rig* r, kin_sph_viscosity form, double nu0, double nu1, kin_simd simd, int threads)
{
    kin_sph_def d = tank_def(0.05);
    d.viscosity = form;
    rig_begin(t, r, &d, 0, simd, threads);
    set_viscosity(r, nu0, nu1);
    tank_fill(t, &r->k, (float[3]){-0.5f, -0.4f, -0.6f}, (int[3]){10, 8, 12}, 0.3f, 11);
    for (size_t i = 0; i < r->k.f.count; ++i) r->k.f.phase[i] = i % 3 == 0;
    tank_look(t, &r->k);
}

static void momentum_is_kept_between_phases(test* t)
{
    for (int form = KIN_SPH_VISCOSITY_EXPLICIT; form <= KIN_SPH_VISCOSITY_TEXT; ++form) {
        rig r = {0};
        begin_ball(t, &r, (kin_sph_viscosity)form, 0.01, 0.5, kin_simd_best(), 1);
        kin_sph* f = &r.k.f;
        rig_sum before = rig_sums(f, f->v4);
        if (form == KIN_SPH_VISCOSITY_IMPLICIT) {
            CHECK(t, rig_calm(&r, 0.01f));
            rig_sum after = rig_sums(f, f->v4);
            NEAR3(t, after.momentum, before.momentum, 1e-6 * rig_size(f, f->v4));
            NEAR3(t, after.angular, before.angular, 2e-3 * rig_length(before.angular)); /* to the tolerance of the iteration */
        } else {
            CHECK(t, rig_forces(&r, 1e-4f));
            NEAR3(t, rig_sums(f, f->a4).momentum, (kin_vec3){0}, 1e-6 * rig_size(f, f->a4));
            /* to what makes turning rates definite, and the rounding of those of pairs alone */
            if (form == KIN_SPH_VISCOSITY_EXPLICIT) NEAR3(t, rig_sums(f, f->a4).angular, (kin_vec3){0}, 1e-5 * rig_size(f, f->a4));
        }
        rig_end(&r);
    }
}

static void kinetic_energy_never_grows(test* t)
{
    for (int form = KIN_SPH_VISCOSITY_AUTO; form <= KIN_SPH_VISCOSITY_TEXT; ++form) {
        for (double nu = 1e-6; nu < 1e3; nu *= 1000) {
            rig r = {0};
            begin_ball(t, &r, (kin_sph_viscosity)form, nu, 30 * nu, kin_simd_best(), 1);
            kin_sph* f = &r.k.f;
            float h = (float)fmin(0.01, kin_sph_forces_longest(f));
            for (int step = 0; step < 5; ++step) {
                double before = rig_sums(f, f->v4).energy;
                CHECK(t, rig_forces(&r, h));
                for (size_t i = 0; i < 4 * f->count; ++i) f->v4[i] += h * f->a4[i];
                CHECK(t, rig_calm(&r, h));
                CHECK(t, rig_sums(f, f->v4).energy <= before * (1 + 1e-7));
            }
            rig_end(&r);
        }
    }
}

static void uniform_motion_feels_nothing(test* t)
{
    for (int form = KIN_SPH_VISCOSITY_EXPLICIT; form <= KIN_SPH_VISCOSITY_TEXT; ++form) {
        rig r = {0};
        begin_ball(t, &r, (kin_sph_viscosity)form, 0.1, 1, kin_simd_best(), 1);
        kin_sph* f = &r.k.f;
        for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = 3, f->v4[4 * i + 1] = -2, f->v4[4 * i + 2] = 0.7f;
        CHECK(t, rig_forces(&r, 0.01f));
        for (size_t i = 0; i < 4 * f->count; ++i) CHECK(t, f->a4[i] == 0);
        CHECK(t, rig_calm(&r, 0.01f));
        for (size_t i = 0; i < f->count; ++i) CHECK(t, f->v4[4 * i] == 3 && f->v4[4 * i + 1] == -2 && f->v4[4 * i + 2] == 0.7f);
        rig_end(&r);
    }
}

/* Honey that turns as a whole: a Laplacian brakes it at its free surface, at 1 Pa s by a third of its angular momentum in a second, the two forms that know straining from
 * turning do not. What the implicit one loses is the tiny inertia of turning rates; the explicit one, what makes them definite. */
static void rigid_rotation_goes_on(test* t)
{
    rig r = {0};
    begin_ball(t, &r, KIN_SPH_VISCOSITY_IMPLICIT, 1, 1, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = -5 * f->x4[4 * i + 1], f->v4[4 * i + 1] = 5 * f->x4[4 * i], f->v4[4 * i + 2] = 0;
    double before = rig_sums(f, f->v4).energy;
    for (int step = 0; step < 10; ++step) CHECK(t, rig_calm(&r, 0.01f));
    NEAR(t, rig_sums(f, f->v4).energy / before, 1, 2e-3);
    rig_end(&r);
    begin_ball(t, &r, KIN_SPH_VISCOSITY_EXPLICIT, 1, 1, kin_simd_best(), 1);
    for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = -5 * f->x4[4 * i + 1], f->v4[4 * i + 1] = 5 * f->x4[4 * i], f->v4[4 * i + 2] = 0;
    CHECK(t, rig_forces(&r, 1e-5f));
    NEAR(t, rig_sums(f, f->a4).angular.z / rig_sums(f, f->v4).angular.z, 0, 1e-4);
    for (size_t i = 0; i < 4 * f->count; ++i) NEAR(t, (double)f->a4[i], 0, 1e-2); /* it is 200 by a Laplacian */
    rig_end(&r);
}

/* What a tick of all of it leaves behind, bit by bit. */
static void leave(test* t, kin_sph_viscosity form, double smoothing, kin_simd simd, int threads, float* out)
{
    rig r = {0};
    begin_ball(t, &r, form, 0.02, 0.3, simd, threads);
    r.k.f.def.smoothing = smoothing;
    CHECK(t, rig_forces(&r, 0.001f));
    for (size_t i = 0; i < 4 * r.k.f.count; ++i) r.k.f.v4[i] += 0.001f * r.k.f.a4[i];
    CHECK(t, rig_calm(&r, 0.001f));
    memcpy(out, r.k.f.v4, 4 * 960 * sizeof *out);
    rig_end(&r);
}

static void widths_and_threads_change_no_bit(test* t)
{
    static float a[4 * 960], b[4 * 960];
    for (int form = KIN_SPH_VISCOSITY_EXPLICIT; form <= KIN_SPH_VISCOSITY_TEXT; ++form) {
        leave(t, (kin_sph_viscosity)form, 0.2, KIN_SIMD_NONE, 1, a);
        for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
            leave(t, (kin_sph_viscosity)form, 0.2, (kin_simd)simd, 3, b);
            CHECK(t, memcmp(a, b, sizeof a) == 0);
        }
    }
}

/* Two halves of a tick do what one does, to the order of what they do. */
static void smoothing_does_not_depend_on_ticks(test* t)
{
    double left[2];
    for (int parts = 1; parts <= 2; ++parts) {
        rig r = {0};
        begin_ball(t, &r, KIN_SPH_VISCOSITY_EXPLICIT, 0, 0, kin_simd_best(), 1);
        kin_sph* f = &r.k.f;
        f->def.smoothing = 0.5;
        rig_sum before = rig_sums(f, f->v4);
        for (int p = 0; p < parts; ++p) CHECK(t, rig_calm(&r, 0.002f / (float)parts));
        rig_sum after = rig_sums(f, f->v4);
        NEAR3(t, after.momentum, before.momentum, 1e-6 * rig_size(f, f->v4));
        NEAR(t, f->dissipated, before.energy - after.energy, 1e-6 * before.energy);
        left[parts - 1] = 1 - after.energy / before.energy;
        rig_end(&r);
    }
    CHECK(t, left[0] > 0.005);
    NEAR(t, left[1] / left[0], 1, 2 * left[0]);
}

/* Between two plates, driven along them by g = 1 m/s^2 until nothing changes: v = (y^2 - 1/4) / -2 nu, with its peak 1 / 8 nu. Ticks of any length give the same
 * flow when walls are solved with the rest. */
static kin_sph_tick begin_channel(test* t, rig* r, int n, kin_sph_viscosity form, float h)
{
    kin_sph_def d = tank_def(0.5 / n);
    d.flat = true, d.periodic = (kin_vec3){6.0 / n, 0, 0}, d.viscosity = form, d.wall_friction = 1;
    rig_begin(t, r, &d, 0, kin_simd_best(), 1);
    kin_sph* f = &r->k.f;
    set_viscosity(r, 1, 1);
    for (int side = -1; side <= 1; side += 2) {
        kin_shape plane = {.kind = KIN_SHAPE_PLANE, .normal = {0, -side, 0}};
        kin_solid_def wall = {.shape = &plane, .pose = {{0, 0.5 * side, 0}, {0, 0, 0, 1}}};
        CHECK(t, kin_solids_add(r->solids, &wall, &(uint32_t){0}, NULL) == KIN_OK);
    }
    kin_solids_refit(r->solids, 1);
    tank_fill(t, &r->k, (float[3]){-3.0f / (float)n, -0.5f, 0}, (int[3]){6, n, 1}, 0, 1);
    CHECK(t, kin_sph_walls_begin(f, &r->k.step));
    return rig_tick(r, h);
}

static double channel_peak(test* t, int n, kin_sph_viscosity form, float h, int steps)
{
    rig r = {0};
    kin_sph_tick tick = begin_channel(t, &r, n, form, h);
    kin_sph* f = &r.k.f;
    CHECK(t, kin_sph_look_around(f, &tick)); /* with walls */
    r.k.fields->gravity = (kin_vec3){1, 0, 0};
    double peak = 0;
    for (int s = 0; s < steps; ++s) CHECK(t, kin_sph_forces(f, &tick) && kin_sph_kick(f, &tick));
    for (size_t i = 0; i < f->count; ++i) peak = fmax(peak, (double)f->v4[4 * i]);
    rig_end(&r);
    return 8 * peak;
}

/* The mirrored layers of a wall make Brookshaw's sum exact, and turning rates too: of second order in the spacing. */
static void channels_flow_as_poiseuille_says(test* t)
{
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
        int n = fine ? 20 : 10;
        float h = 0.05f / (float)(n * n);
        NEAR(t, channel_peak(t, n, KIN_SPH_VISCOSITY_EXPLICIT, h, 20 * n * n), 1, 1e-3);
        double peak = channel_peak(t, n, KIN_SPH_VISCOSITY_IMPLICIT, 0.01f, 100);
        error[fine] = 1 - peak;
        NEAR(t, channel_peak(t, n, KIN_SPH_VISCOSITY_IMPLICIT, 0.1f, 10), peak, 8 * 1e-3 * 0.1 * 2); /* the tolerance of what a tick changes, twice */
    }
    NEAR(t, error[0], 0, 0.02);
    NEAR(t, error[0] / error[1], 4, 1);
}

/* Two plates stop at once, and the fluid between them goes on: sum over odd n of 4 / (n pi) sin(n pi y) exp(-n^2 pi^2 nu t). In one tick, whatever part of the whole
 * it is, and in three: within 2 % of the speed. */
static void what_begins_at_once_is_right_at_any_tick(test* t)
{
    enum { ACROSS = 40 };
    for (int ticks = 1; ticks <= 3; ticks += 2) {
        for (double time = 0.003; time < 1; time *= 3) {
            rig r = {0};
            kin_sph_tick tick = begin_channel(t, &r, ACROSS, KIN_SPH_VISCOSITY_IMPLICIT, (float)(time / ticks));
            kin_sph* f = &r.k.f;
            for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = 1;
            CHECK(t, kin_sph_look_around(f, &tick));
            for (int s = 0; s < ticks; ++s) CHECK(t, kin_sph_forces(f, &tick) && kin_sph_kick(f, &tick));
            double squares = 0;
            for (size_t i = 0; i < f->count; ++i) {
                double u = 0, y = (double)f->x4[4 * i + 1] + 0.5;
                for (int n = 1; n < 60; n += 2) u += 4 / (n * M_PI) * sin(n * M_PI * y) * exp(-n * n * M_PI * M_PI * time);
                squares += kin_square((double)f->v4[4 * i] - u) / (double)f->count;
            }
            NEAR(t, sqrt(squares), 0, 0.02);
            rig_end(&r);
        }
    }
}

/* Whatever pressures are in balance with (weight, tension) does not move, so viscosity has nothing to do, however strong: honey at rest does not hang on its walls. */
static void what_pressure_balances_is_left_alone(test* t)
{
    rig r = {0};
    begin_ball(t, &r, KIN_SPH_VISCOSITY_IMPLICIT, 1, 100, kin_simd_best(), 1);
    kin_sph* f = &r.k.f;
    CHECK(t, rig_forces(&r, 0.01f));
    for (size_t i = 0; i < f->count; ++i) f->k_density[i] = 1000 + 900 * (float)sin(31 * (double)i);
    kin_sph_backward(f, r.k.step.jobs, f->k_density, f->a4);
    for (size_t k = 0; k < 4 * f->count; ++k) f->a4[k] = -f->a4[k], f->v4[k] = 0.01f * f->a4[k];
    double size = rig_size(f, f->v4) / ((double)f->phases[0].mass * (double)f->count);
    CHECK(t, rig_calm(&r, 0.01f));
    for (size_t k = 0; k < 4 * f->count; ++k) NEAR(t, (double)(f->v4[k] - 0.01f * f->a4[k]), 0, 1e-5 * size);
    rig_end(&r);
}

/* Honey that streams past a ball, light or heavy: what the ball gets is what the honey lost, also about the middle, and together they lose energy. */
static void bodies_get_what_the_fluid_lost(test* t)
{
    static const double densities[] = {10, 1000, 30000};
    for (int n = 0; n < 3; ++n) {
        for (float h = 1e-4f; h < 1; h *= 30) {
            rig r = {0};
            kin_sph_def d = tank_def(0.05);
            d.viscosity = KIN_SPH_VISCOSITY_IMPLICIT, d.wall_friction = 1;
            rig_begin(t, &r, &d, 0, kin_simd_best(), 1);
            kin_sph* f = &r.k.f;
            set_viscosity(&r, 0.3, 0.3);
            const double radius = 0.25, mass = densities[n] * 4 / 3 * M_PI * radius * radius * radius, moment = 0.4 * mass * radius * radius;
            kin_shape ball = {.kind = KIN_SHAPE_SPHERE, .radius = radius};
            kin_solid_def solid = {.shape = &ball, .pose = {{0, -0.9, 0}, {0, 0, 0, 1}}};
            uint32_t index;
            CHECK(t, kin_solids_add(r.solids, &solid, &index, NULL) == KIN_OK);
            kin_solids_weigh(r.solids, index, 1 / mass, kin_sym3_diagonal((kin_vec3){1 / moment, 1 / moment, 1 / moment}), solid.pose.position);
            kin_solids_refit(r.solids, 1);
            tank_fill(t, &r.k, (float[3]){-0.5f, -0.6f, -0.5f}, (int[3]){10, 4, 10}, 0.2f, 3);
            for (size_t i = 0; i < f->count; ++i) f->v4[4 * i] = 1, f->v4[4 * i + 2] = 0.5f * f->x4[4 * i];
            CHECK(t, kin_sph_walls_begin(f, &r.k.step));
            kin_sph_tick tick = rig_tick(&r, h);
            CHECK(t, kin_sph_look_around(f, &tick));
            CHECK(t, kin_sph_walls_give(f));
            rig_sum before = rig_sums(f, f->v4);
            CHECK(t, kin_sph_forces(f, &tick) && kin_sph_calm(f, &tick));
            rig_sum after = rig_sums(f, f->v4);
            const kin_reaction* got = &f->reactions.items[0];
            kin_vec3 p = got->total.impulse, l = got->total.angular, c = got->point;
            l.x += c.y * p.z - c.z * p.y, l.y += c.z * p.x - c.x * p.z, l.z += c.x * p.y - c.y * p.x;
            double size = rig_length(before.momentum), energy = 0.5 * (p.x * p.x + p.y * p.y + p.z * p.z) / mass;
            CHECK(t, p.x > 0);
            NEAR3(t, ((kin_vec3){after.momentum.x + p.x, after.momentum.y + p.y, after.momentum.z + p.z}), before.momentum, 3e-6 * size);
            NEAR3(t, ((kin_vec3){after.angular.x + l.x, after.angular.y + l.y, after.angular.z + l.z}), before.angular, 2e-3 * rig_length(before.angular));
            CHECK(t, after.energy + energy <= before.energy * (1 + 1e-6));
            rig_end(&r);
        }
    }
}

TEST_MAIN("sph viscosity", TEST(shear_waves_decay_at_nu_k2), TEST(the_texts_form_is_its_lattice_sum), TEST(implicit_waves_decay_for_any_tick),
          TEST(momentum_is_kept_between_phases), TEST(kinetic_energy_never_grows), TEST(uniform_motion_feels_nothing), TEST(rigid_rotation_goes_on),
          TEST(widths_and_threads_change_no_bit), TEST(smoothing_does_not_depend_on_ticks), TEST(channels_flow_as_poiseuille_says),
          TEST(what_begins_at_once_is_right_at_any_tick), TEST(what_pressure_balances_is_left_alone), TEST(bodies_get_what_the_fluid_lost))
