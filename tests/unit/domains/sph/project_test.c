/* project_test.c - the pressure solve against what it promises: conditions of the bounded problem, momentum, energy, same bits. And pressure by an equation of
 * state: which forms of its gradient keep momentum. */
#include "domains/sph/project.h"
#include "unit/domains/sph/tank.h"

/* A jittered cube in free space, a tenth too dense, with a pulse towards its middle. */
static void begin(test* t, tank* k, kin_simd simd, int threads)
{
    kin_sph_def def = tank_def(0.05);
    def.solver = KIN_SPH_DFSPH;
    def.max_iterations = 2000;
    tank_begin(t, k, &def, simd, threads);
    tank_fill(t, k, (float[3]){-0.5f, -0.4f, -0.6f}, (int[3]){10, 8, 12}, 0.2f, 21);
    for (size_t i = 0; i < k->f.count; ++i) {
        for (size_t a = 0; a < 3; ++a) k->f.v4[4 * i + a] -= k->f.x4[4 * i + a], k->f.x4[4 * i + a] *= 0.97f;
        k->f.phase[i] = i % 5 == 0;
    }
    tank_look(t, k);
}

static kin_sph_projected solve(tank* k, kin_sph_aim aim, double tolerance)
{
    kin_sph_tick tick = {.step = &k->step, .end = 1, .h = 2e-3f};
    k->f.seen.rms = 0;
    float* unknown = aim == KIN_SPH_AIM_DENSITY ? k->f.k_density : k->f.k_divergence;
    return kin_sph_project(&k->f, &tick,
                           &(kin_sph_projection){.aim = aim, .k = unknown, .last = true, .tolerance = tolerance, .most = k->f.def.max_iterations});
}

/* k >= 0; nobody's residual above 0; none below it where k > 0. The residual is computed anew from velocities. */
static void conditions_hold(test* t)
{
    tank k;
    begin(t, &k, kin_simd_best(), 1);
    double tolerance = 1e-6;
    kin_sph_projected out = solve(&k, KIN_SPH_AIM_DENSITY, tolerance);
    CHECK(t, !out.capped && out.error <= tolerance);
    kin_sph_forward(&k.f, &k.jobs, k.f.v4, true, k.f.work[2]);
    double sum = 0;
    size_t negative = 0, pressed = 0;
    for (size_t i = 0; i < k.f.count; ++i) {
        double r = (double)kin_sph_error_to_mend(&k.f, 0.5f, (float)(KIN_SPH_BAND * tolerance), k.f.density[i] - 1) + 2e-3 * (double)k.f.work[2][i];
        negative += k.f.k_density[i]<0, pressed += k.f.k_density[i]> 0;
        sum += k.f.k_density[i] > 0 ? fabs(r) : fmax(r, 0);
    }
    EQUAL(t, negative, 0);
    CHECK(t, pressed > k.f.count / 3 && pressed < k.f.count);
    CHECK(t, sum / (double)k.f.count < 3 * tolerance); /* the solve's own, what the last clip was worth, and rounding of float sums */
    tank_end(&k);
}

static void momentum_of(const tank* k, double out[3], double spin[3])
{
    for (int a = 0; a < 3; ++a) out[a] = spin[a] = 0;
    for (size_t i = 0; i < k->f.count; ++i) {
        double m = k->phases[k->f.phase[i]].mass, p[3], x[3];
        for (size_t a = 0; a < 3; ++a) p[a] = m * (double)k->f.v4[4 * i + a], x[a] = k->f.x4[4 * i + a], out[a] += p[a];
        spin[0] += x[1] * p[2] - x[2] * p[1], spin[1] += x[2] * p[0] - x[0] * p[2], spin[2] += x[0] * p[1] - x[1] * p[0];
    }
}

static double energy_of(const tank* k)
{
    double sum = 0;
    for (size_t i = 0; i < k->f.count; ++i) {
        const float* v = k->f.v4 + 4 * i;
        sum += 0.5 * (double)k->phases[k->f.phase[i]].mass * ((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
    }
    return sum;
}

static double size_of_momentum(const tank* k)
{
    double sum = 0;
    for (size_t i = 0; i < k->f.count; ++i) sum += (double)k->phases[k->f.phase[i]].mass;
    return sum; /* x 1 m/s */
}

static void pressure_keeps_momentum(test* t)
{
    tank k;
    begin(t, &k, kin_simd_best(), 1);
    double before[3], after[3], spin_before[3], spin_after[3], size = size_of_momentum(&k);
    momentum_of(&k, before, spin_before);
    solve(&k, KIN_SPH_AIM_DIVERGENCE, 1e-4);
    solve(&k, KIN_SPH_AIM_DENSITY, 1e-4);
    momentum_of(&k, after, spin_after);
    for (int a = 0; a < 3; ++a) NEAR(t, after[a], before[a], 1e-6 * size);
    for (int a = 0; a < 3; ++a) NEAR(t, spin_after[a], spin_before[a], 1e-6 * size);
    tank_end(&k);
}

/* A projection: what it takes from motion it gives to nobody. */
static void divergence_solve_takes_energy(test* t)
{
    tank k;
    begin(t, &k, kin_simd_best(), 1);
    double before = energy_of(&k);
    kin_sph_projected out = solve(&k, KIN_SPH_AIM_DIVERGENCE, 1e-5);
    CHECK(t, !out.capped);
    CHECK(t, energy_of(&k) < 0.95 * before);
    tank_end(&k);
}

/* With the answer as warm start nothing is left to do but the one step that is always done. */
static void a_warm_start_is_kept(test* t)
{
    tank k;
    begin(t, &k, kin_simd_best(), 1);
    size_t bytes = 16 * k.f.count;
    float* v = malloc(bytes);
    memcpy(v, k.f.v4, bytes);
    kin_sph_projected cold = solve(&k, KIN_SPH_AIM_DENSITY, 1e-5);
    memcpy(k.f.v4, v, bytes);
    kin_sph_tick tick = {.step = &k.step, .end = 1, .h = 2e-3f};
    k.f.seen.rms = 1e3; /* the tolerance alone decides */
    kin_sph_projected warm =
        kin_sph_project(&k.f, &tick, &(kin_sph_projection){.aim = KIN_SPH_AIM_DENSITY, .k = k.f.k_density, .last = true, .tolerance = 2e-5, .most = 2000});
    CHECK(t, cold.iterations > 5);
    CHECK(t, warm.iterations <= 3);
    free(v);
    tank_end(&k);
}

/* Periodic along all axes, with as many particles as a lattice has there, in disorder: more than D = 1 in the mean, and nobody has room. Pressures are found all
 * the same, 0 in the mean; what is left over is what all have in common. Of that solve, too, no bit depends on lanes. */
static void a_full_box_is_solved(test* t)
{
    float* first = NULL;
    for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
        kin_sph_def def = tank_def(0.05);
        def.solver = KIN_SPH_DFSPH;
        tank k;
        def.max_iterations = 2000, def.periodic = kin_v(0.8, 0.9, 1);
        tank_begin(t, &k, &def, (kin_simd)simd, 1);
        tank_fill(t, &k, (float[3]){-0.4f, -0.45f, -0.5f}, (int[3]){8, 9, 10}, 0.2f, 21);
        tank_look(t, &k);
        CHECK(t, k.f.full && k.f.rest > 1.001f);
        double before = energy_of(&k), sum = 0, size = 0, level = 0, off = 0;
        kin_sph_projected out = solve(&k, KIN_SPH_AIM_DIVERGENCE, 1e-6);
        CHECK(t, !out.capped && energy_of(&k) < before);
        kin_sph_forward(&k.f, &k.jobs, k.f.v4, true, k.f.work[2]);
        for (size_t i = 0; i < k.f.count; ++i) {
            sum += (double)k.f.k_divergence[i], size += fabs((double)k.f.k_divergence[i]);
            level += 2e-3 * (double)k.f.work[2][i] / (double)k.f.count;
        }
        for (size_t i = 0; i < k.f.count; ++i) off += fabs(2e-3 * (double)k.f.work[2][i] - level) / (double)k.f.count;
        CHECK(t, fabs(sum) < 1e-4 * size && size > 0);
        CHECK(t, off < 3e-6); /* as in conditions_hold; the level is another mean of the same */
        if (first == NULL) first = memcpy(malloc(16 * k.f.count), k.f.v4, 16 * k.f.count);
        CHECK(t, memcmp(first, k.f.v4, 16 * k.f.count) == 0);
        tank_end(&k);
    }
    free(first);
}

static void same_bits(test* t)
{
    tank first, k;
    begin(t, &first, KIN_SIMD_NONE, 1);
    kin_sph_projected a = solve(&first, KIN_SPH_AIM_DENSITY, 1e-4);
    for (int run = 0; run < 4 * (1 + (int)kin_simd_best()); ++run) {
        static const int threads[] = {1, 2, 3, 8};
        begin(t, &k, (kin_simd)(run / 4), threads[run % 4]);
        kin_sph_projected b = solve(&k, KIN_SPH_AIM_DENSITY, 1e-4);
        EQUAL(t, a.iterations, b.iterations);
        CHECK(t, memcmp(first.f.v4, k.f.v4, 16 * k.f.count) == 0 && memcmp(first.f.k_density, k.f.k_density, 4 * k.f.count) == 0);
        tank_end(&k);
    }
    tank_end(&first);
}

/* Pressure alone, no walls, over one tick: how far momentum and angular momentum move, over mass x the largest change of a velocity. */
static void forms(test* t, kin_sph_gradient gradient, bool keeps)
{
    tank k;
    begin(t, &k, kin_simd_best(), 1);
    for (size_t i = 0; i < k.f.count; ++i) k.f.phase[i] = 0, k.f.inv_rho[i] = 1e-3f;
    k.f.def.solver = KIN_SPH_WCSPH, k.f.def.gradient = gradient;
    kin_sph_set_sizes(&k.f);
    memset(k.f.v4, 0, 16 * k.f.count);
    tank_look(t, &k);
    kin_sph_wcsph_push(&k.f, &k.jobs, 900, 1e-3f);
    double p[3], spin[3], most = 0, size = size_of_momentum(&k);
    for (size_t i = 0; i < 4 * k.f.count; ++i) most = fmax(most, fabs((double)k.f.v4[i]));
    momentum_of(&k, p, spin);
    double off = (fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + fabs(spin[0]) + fabs(spin[1]) + fabs(spin[2])) / (size * most);
    CHECK(t, most > 0.01);
    test_check(t, keeps ? off < 1e-6 : off > 1e-4, __FILE__, __LINE__, "form %d: momentum is off by %.2e", (int)gradient, off);
    tank_end(&k);
}
/* p / D^2 of wcsph.c, in double: with bulk viscosity at most p, none below rest but for a gas. */
static double pressure_by_state(const kin_sph* f, size_t i, double stiffness)
{
    double rho = (double)f->phases[f->phase[i]].density, d = (double)f->density[i], gamma = f->def.exponent;
    bool gas = f->def.equation == KIN_SPH_GAS;
    double p = gas ? stiffness * rho * (d - 1) : d > 1 ? stiffness * rho / gamma * (pow(d, gamma) - 1) : 0;
    if (d > 1) p += fmax(-fabs(p), fmin(fabs(p), 0.25 * sqrt(stiffness) * (double)f->spacing * rho * (double)f->factor[i]));
    return (gas ? p : fmax(p, 0)) / (d * d);
}

/* Of both equations, with exponents that are whole and that are not; floats: ten roundings. */
static void pressures_follow_the_equation_of_state(test* t)
{
    static const struct {
        kin_sph_equation equation;
        double exponent;
    } forms[] = {{KIN_SPH_TAIT, 7}, {KIN_SPH_TAIT, 1}, {KIN_SPH_TAIT, 1.4}, {KIN_SPH_GAS, 7}};
    for (int form = 0; form < 4; ++form) {
        float* first = NULL;
        for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
            tank k;
            begin(t, &k, (kin_simd)simd, 1);
            k.f.def.solver = KIN_SPH_WCSPH, k.f.def.equation = forms[form].equation, k.f.def.exponent = forms[form].exponent;
            kin_sph_set_sizes(&k.f);
            tank_look(t, &k);
            kin_sph_wcsph_push(&k.f, &k.jobs, 900, 1e-3f);
            double worst = 0, most = 0;
            for (size_t i = 0; i < k.f.count; ++i) {
                double want = pressure_by_state(&k.f, i, 900);
                most = fmax(most, fabs(want)), worst = fmax(worst, fabs((double)k.f.k_density[i] - want));
            }
            test_check(t, most > 0 && worst < 10 * 0x1p-24 * most, __FILE__, __LINE__, "form %d: off by %.2e of %.2e", form, worst, most);
            if (first == NULL) {
                first = malloc(k.f.count * sizeof(float));
                memcpy(first, k.f.k_density, k.f.count * sizeof(float));
            }
            CHECK(t, memcmp(first, k.f.k_density, k.f.count * sizeof(float)) == 0);
            tank_end(&k);
        }
        free(first);
    }
}

static void symmetric_form_keeps_momentum(test* t) { forms(t, KIN_SPH_SYMMETRIC, true); }
static void plain_form_does_not(test* t) { forms(t, KIN_SPH_PLAIN, false); }
static void mean_form_keeps_momentum(test* t) { forms(t, KIN_SPH_MEAN, true); }

/* Two at one place, thrice: they part, and in another direction each. */
static void particles_at_one_place_part(test* t)
{
    kin_sph_def def = tank_def(0.05);
    tank k;
    tank_begin(t, &k, &def, kin_simd_best(), 1);
    for (int i = 0; i < 6; ++i) tank_add(t, &k, 0.01f * (float)(i / 2), 0, 0, 0, 0, 0, 0);
    size_t crowded;
    CHECK(t, kin_sph_sort(&k.f, &k.jobs) && kin_sph_link(&k.f, &k.jobs, &crowded));
    CHECK(t, !kin_sph_measure_density(&k.f, &k.jobs));
    kin_sph_part(&k.f, &k.jobs);
    CHECK(t, kin_sph_sort(&k.f, &k.jobs) && kin_sph_link(&k.f, &k.jobs, &crowded));
    CHECK(t, kin_sph_measure_density(&k.f, &k.jobs));
    for (size_t i = 0; i < k.f.count; ++i) {
        for (size_t a = 0; a < 3; ++a) CHECK(t, fabs((double)k.f.x4[4 * i + a] - (a == 0 ? 0.01 * (double)(k.f.serial[i] / 2) : 0)) < 2e-4);
    }
    tank_end(&k);
}

static void a_crowd_is_told_by_name(test* t)
{
    kin_sph_def def = tank_def(0.05);
    tank k;
    tank_begin(t, &k, &def, kin_simd_best(), 1);
    tank_fill(t, &k, (float[3]){0, 0, 0}, (int[3]){18, 18, 18}, 0.2f, 3);
    for (size_t i = 0; i < 4 * k.f.count; ++i) k.f.x4[i] *= 0.01f;
    size_t crowded;
    CHECK(t, kin_sph_sort(&k.f, &k.jobs) && !kin_sph_link(&k.f, &k.jobs, &crowded));
    CHECK(t, crowded < k.f.count);
    tank_end(&k);
}

TEST_MAIN("sph_project", TEST(conditions_hold), TEST(pressure_keeps_momentum), TEST(divergence_solve_takes_energy), TEST(a_warm_start_is_kept),
          TEST(a_full_box_is_solved), TEST(same_bits), TEST(pressures_follow_the_equation_of_state), TEST(symmetric_form_keeps_momentum),
          TEST(plain_form_does_not), TEST(mean_form_keeps_momentum), TEST(particles_at_one_place_part), TEST(a_crowd_is_told_by_name))
