/* passes_test.c - order, lists and sums over neighbours against plain double code over all pairs, for all widths, in space, in the plane and in a periodic box. */
#include "unit/domains/sph/tank.h"

typedef struct setup {
    const char* name;
    kin_sph_kernel kernel;
    bool flat;
    double support;
    kin_vec3 periodic;
    int n[3];
} setup;

static const setup setups[] = {
    {"cubic", KIN_SPH_CUBIC, false, 4, {0}, {9, 8, 7}},
    {"quintic", KIN_SPH_QUINTIC, false, 6, {0}, {9, 8, 7}},
    {"wendland2", KIN_SPH_WENDLAND2, false, 5, {0}, {9, 8, 7}},
    {"wendland4", KIN_SPH_WENDLAND4, false, 6, {0}, {9, 8, 7}},
    {"quartic", KIN_SPH_QUARTIC, false, 4.5, {0}, {9, 8, 7}},
    {"poly6", KIN_SPH_POLY6, false, 4, {0}, {9, 8, 7}},
    {"flat", KIN_SPH_CUBIC, true, 4, {0}, {31, 17, 1}},
    {"periodic", KIN_SPH_CUBIC, false, 4, {1.0, 0.8, 0.4}, {10, 8, 4}}, /* 5, 4 and 2 cells */
    {"periodic along y", KIN_SPH_WENDLAND2, true, 5, {0, 1.1, 0}, {9, 11, 1}},
};
#define SETUPS (sizeof setups / sizeof *setups)

static void begin(test* t, tank* k, const setup* s, kin_simd simd)
{
    kin_sph_def def = tank_def(0.05);
    def.solver = KIN_SPH_DFSPH;
    def.kernel = s->kernel, def.flat = s->flat, def.support = s->support, def.periodic = s->periodic;
    tank_begin(t, k, &def, simd, 1);
    float low[3] = {-(float)s->n[0] * 0.05f, -(float)s->n[1] * 0.05f, -(float)s->n[2] * 0.05f};
    tank_fill(t, k, low, s->n, 0.35f, 7);
    for (size_t i = 0; i < k->f.count; ++i) k->f.phase[i] = i % 3 == 0;
    tank_look(t, k);
    uint32_t seed = 3; /* walls out of nowhere: any numbers will do */
    for (size_t i = 0; i < k->f.count; ++i) {
        k->f.lambda[i] = 0.2f * tank_share(&seed);
        k->f.wall_rate[i] = tank_share(&seed);
        for (int a = 0; a < 3; ++a) k->f.b[a][i] = 4 * tank_share(&seed) - 2;
    }
    CHECK(t, kin_sph_measure_density(&k->f, &k->jobs));
}

/* Solvers by state have L(v) with their densities: as the forward pass has it, to the bit. */
static void rates_come_with_densities(test* t)
{
    for (size_t s = 0; s < SETUPS; ++s) {
        for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
            tank k;
            begin(t, &k, &setups[s], (kin_simd)simd);
            kin_sph* f = &k.f;
            kin_sph_forward(f, &k.jobs, f->v4, true, f->work[0]);
            f->def.solver = KIN_SPH_WCSPH;
            kin_sph_set_sizes(f);
            CHECK(t, kin_sph_measure_density(f, &k.jobs));
            test_check(t, memcmp(f->factor, f->work[0], f->count * sizeof(float)) == 0, __FILE__, __LINE__, "%s: rates differ", setups[s].name);
            tank_end(&k);
        }
    }
}

/* x_ij in the nearest image. */
static bool vector(const kin_sph* f, size_t i, size_t j, double out[3], double* r)
{
    double square = 0;
    float near = 0;
    for (int a = 0; a < 3; ++a) {
        float d = f->xs[a][i] - f->xs[a][j]; /* in float, as places are: who is a neighbour has to be said alike */
        if (f->box_size[a] > 0) d = d - f->box_size[a] * rintf(d * (1 / f->box_size[a]));
        near += d * d, out[a] = d, square += out[a] * out[a];
    }
    *r = sqrt(square);
    return i != j && near < (KIN_SPH_REACH * f->support) * (KIN_SPH_REACH * f->support);
}

static void lists_hold_all_neighbours(test* t)
{
    for (size_t s = 0; s < SETUPS; ++s) {
        for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
            tank k;
            begin(t, &k, &setups[s], (kin_simd)simd);
            const kin_sph* f = &k.f;
            size_t wrong = 0;
            char* found = malloc(f->count);
            for (size_t i = 0; i < f->count; ++i) {
                memset(found, 0, f->count);
                size_t first = f->lists.first[i / 8], rows = f->lists.first[i / 8 + 1] - first;
                for (size_t n = 0; n < rows; ++n) {
                    ptrdiff_t offset = f->lists.wide ? f->lists.far[8 * (first + n) + i % 8] : f->lists.near[8 * (first + n) + i % 8];
                    size_t j = (size_t)((ptrdiff_t)(i / 8 * 8) + offset);
                    bool padding = n >= f->neighbours[i];
                    wrong += j >= f->count || padding != (j == i) || (padding && f->lists.g[8 * (first + n) + i % 8] != 0);
                    if (!padding && j < f->count) wrong += found[j], found[j] = 1;
                }
                double d[3], r;
                for (size_t j = 0; j < f->count; ++j) wrong += vector(f, i, j, d, &r) != (found[j] != 0);
            }
            test_check(t, wrong == 0, __FILE__, __LINE__, "%s, width %d: %zu entries are wrong", setups[s].name, simd, wrong);
            free(found);
            tank_end(&k);
        }
    }
}

static void sort_keeps_particles_whole(test* t)
{
    kin_sph_def def = tank_def(0.05);
    tank k;
    memset(&k, 0, sizeof k);
    tank_begin(t, &k, &def, KIN_SIMD_NONE, 1);
    k.f.columns = KIN_SPH_HAS_HEAT | KIN_SPH_HAS_SPIN | KIN_SPH_HAS_REST;
    tank_fill(t, &k, (float[3]){-0.5f, 0, 3}, (int[3]){12, 5, 7}, 0.4f, 11);
    tank_add(t, &k, 1e7f, 0, 0, 0, 0, 0, 1); /* a drop far away costs no memory */
    kin_sph* f = &k.f;
    for (size_t i = 0; i < f->count; ++i) {
        float tag = (float)f->serial[i];
        f->v4[4 * i] = f->k_density[i] = f->k_divergence[i] = f->temperature[i] = f->spin4[4 * i + 2] = f->deform[9 * i] = f->deform[9 * i + 8] = tag;
        f->phase[i] = f->serial[i] % 2 == 0;
        f->deform[9 * i + 4] = f->x4[4 * i + 1];
    }
    CHECK(t, kin_sph_sort(f, &k.jobs));
    CHECK(t, f->cells.count <= 4096);
    size_t wrong = 0, seen = 0;
    for (size_t i = 0; i < f->count; ++i) {
        float tag = (float)f->serial[i];
        seen += f->serial[i];
        wrong += f->v4[4 * i] != tag || f->k_density[i] != tag || f->k_divergence[i] != tag || f->temperature[i] != tag || f->spin4[4 * i + 2] != tag;
        wrong += f->deform[9 * i] != tag || f->deform[9 * i + 8] != tag || f->deform[9 * i + 4] != f->x4[4 * i + 1] || f->xs[1][i] != f->x4[4 * i + 1];
        wrong += f->phase[i] != (f->serial[i] % 2 == 0);
    }
    EQUAL(t, wrong, 0);
    EQUAL(t, seen, f->count * (f->count - 1) / 2);
    tank_end(&k);
}

/* Float sums of n terms of one size: n 2^-24 at worst; ten times the root of n here. */
#define ROUNDING 2e-6

static void densities_and_factors(test* t)
{
    for (size_t s = 0; s < SETUPS; ++s) {
        tank k;
        begin(t, &k, &setups[s], kin_simd_best());
        const kin_sph* f = &k.f;
        double worst_density = 0, worst_factor = 0;
        for (size_t i = 0; i < f->count; ++i) {
            double density = f->volume * kin_sph_bell_w(&f->bell, 0) + f->lambda[i], sum[3] = {f->b[0][i], f->b[1][i], f->b[2][i]}, squares = 0, d[3], r;
            for (size_t j = 0; j < f->count; ++j) {
                if (!vector(f, i, j, d, &r)) continue;
                density += f->volume * kin_sph_bell_w(&f->bell, r);
                double g = f->volume * kin_sph_bell_slope(&f->gradient, r);
                for (int a = 0; a < 3; ++a) sum[a] += g * d[a];
                squares += g * g * r * r / k.phases[f->phase[j]].density;
            }
            double factor = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / k.phases[f->phase[i]].density + squares;
            worst_density = fmax(worst_density, fabs(f->density[i] / density - 1));
            worst_factor = fmax(worst_factor, fabs(f->factor[i] / factor - 1));
        }
        test_check(t, worst_density < ROUNDING, __FILE__, __LINE__, "%s: densities off by %.2e", setups[s].name, worst_density);
        test_check(t, worst_factor < 10 * ROUNDING, __FILE__, __LINE__, "%s: factors off by %.2e", setups[s].name, worst_factor);
        tank_end(&k);
    }
}

static void forward_and_backward(test* t)
{
    for (size_t s = 0; s < SETUPS; ++s) {
        tank k;
        begin(t, &k, &setups[s], kin_simd_best());
        kin_sph* f = &k.f;
        uint32_t seed = 5;
        for (size_t i = 0; i < f->count; ++i) f->k_density[i] = 1000 * tank_share(&seed);
        kin_sph_forward(f, &k.jobs, f->v4, true, f->work[0]);
        kin_sph_backward(f, &k.jobs, f->k_density, f->p4);
        double worst_rate = 0, worst_push = 0, rate_size = 0, push_size = 0;
        for (size_t i = 0; i < f->count; ++i) {
            double rate = -f->wall_rate[i], push[3] = {0}, d[3], r, rho = k.phases[f->phase[i]].density;
            for (int a = 0; a < 3; ++a) rate += (double)f->b[a][i] * f->v4[4 * i + (size_t)a], push[a] = (double)f->k_density[i] * f->b[a][i];
            for (size_t j = 0; j < f->count; ++j) {
                if (!vector(f, i, j, d, &r)) continue;
                double g = f->volume * kin_sph_bell_slope(&f->gradient, r);
                for (size_t a = 0; a < 3; ++a) {
                    rate += g * d[a] * ((double)f->v4[4 * i + a] - f->v4[4 * j + a]);
                    push[a] += g * d[a] * ((double)f->k_density[i] + f->k_density[j]);
                }
            }
            worst_rate = fmax(worst_rate, fabs(f->work[0][i] - rate)), rate_size = fmax(rate_size, fabs(rate));
            for (size_t a = 0; a < 3; ++a) {
                worst_push = fmax(worst_push, fabs(f->p4[4 * i + a] + push[a] / rho)), push_size = fmax(push_size, fabs(push[a] / rho));
            }
        }
        test_check(t, worst_rate < ROUNDING * rate_size, __FILE__, __LINE__, "%s: rates off by %.2e of %.2e", setups[s].name, worst_rate, rate_size);
        test_check(t, worst_push < ROUNDING * push_size, __FILE__, __LINE__, "%s: pushes off by %.2e of %.2e", setups[s].name, worst_push, push_size);
        tank_end(&k);
    }
}

/* sum k L(u) = -sum rho a(k).u */
static void forward_and_backward_are_transposes(test* t)
{
    for (size_t s = 0; s < SETUPS; ++s) {
        tank k;
        begin(t, &k, &setups[s], kin_simd_best());
        kin_sph* f = &k.f;
        uint32_t seed = 9;
        for (size_t i = 0; i < f->count; ++i) f->k_density[i] = 1000 * tank_share(&seed);
        kin_sph_forward(f, &k.jobs, f->v4, false, f->work[0]);
        kin_sph_backward(f, &k.jobs, f->k_density, f->p4);
        double left = kin_sph_dot(f, &k.jobs, f->k_density, f->work[0]), right = 0, size = 0;
        for (size_t i = 0; i < f->count; ++i) {
            size += fabs((double)f->k_density[i] * f->work[0][i]);
            for (size_t a = 0; a < 3; ++a) right -= (double)k.phases[f->phase[i]].density * f->p4[4 * i + a] * f->v4[4 * i + a];
        }
        NEAR(t, left, right, ROUNDING * size);
        tank_end(&k);
    }
}

/* What j does to i is, to the bit, what i does to j: pressures of pairs alone leave momentum to rounding of the sums. */
static void pairs_are_antisymmetric(test* t)
{
    for (size_t s = 0; s < SETUPS; ++s) {
        tank k;
        begin(t, &k, &setups[s], kin_simd_best());
        const kin_sph* f = &k.f;
        size_t wrong = 0;
        for (size_t i = 0; i < f->count; ++i) {
            for (size_t n = 0; n < f->neighbours[i]; ++n) {
                size_t e = 8 * (f->lists.first[i / 8] + n) + i % 8;
                size_t j = (size_t)((ptrdiff_t)(i / 8 * 8) + (f->lists.wide ? f->lists.far[e] : f->lists.near[e])), m = 0, back = 0;
                for (; m < f->neighbours[j]; ++m) {
                    back = 8 * (f->lists.first[j / 8] + m) + j % 8;
                    if ((size_t)((ptrdiff_t)(j / 8 * 8) + (f->lists.wide ? f->lists.far[back] : f->lists.near[back])) == i) break;
                }
                wrong += m == f->neighbours[j] || f->lists.g[e] != f->lists.g[back];
            }
        }
        EQUAL(t, wrong, 0);
        tank_end(&k);
    }
}

static bool same(const void* a, const void* b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static void widths_and_threads_change_no_bit(test* t)
{
    static const int threads[] = {1, 2, 3, 8};
    for (size_t s = 0; s < SETUPS; ++s) {
        tank first, k;
        begin(t, &first, &setups[s], KIN_SIMD_NONE);
        size_t n = first.f.count;
        kin_sph_forward(&first.f, &first.jobs, first.f.v4, true, first.f.work[0]);
        kin_sph_backward(&first.f, &first.jobs, first.f.work[0], first.f.p4);
        double dot = kin_sph_dot(&first.f, &first.jobs, first.f.work[0], first.f.density);
        for (int run = 0; run < 4 * (1 + (int)kin_simd_best()); ++run) {
            begin(t, &k, &setups[s], (kin_simd)(run / 4));
            kin_jobs_term(&k.jobs);
            CHECK(t, kin_jobs_init(&k.jobs, &t->allocator, NULL, threads[run % 4], NULL) == KIN_OK);
            size_t crowded;
            CHECK(t, kin_sph_link(&k.f, &k.jobs, &crowded) && kin_sph_measure_density(&k.f, &k.jobs));
            kin_sph_forward(&k.f, &k.jobs, k.f.v4, true, k.f.work[0]);
            kin_sph_backward(&k.f, &k.jobs, k.f.work[0], k.f.p4);
            CHECK(t, same(k.f.serial, first.f.serial, 8 * n) && same(k.f.x4, first.f.x4, 16 * n));
            CHECK(t, same(k.f.density, first.f.density, 4 * n) && same(k.f.factor, first.f.factor, 4 * n));
            CHECK(t, same(k.f.work[0], first.f.work[0], 4 * n) && same(k.f.p4, first.f.p4, 16 * n));
            CHECK(t, kin_sph_dot(&k.f, &k.jobs, k.f.work[0], k.f.density) == dot);
            tank_end(&k);
        }
        tank_end(&first);
    }
}

/* A plate of six layers of side^2 across x, which a drop far away makes the slowest axis: a layer of cells has 2 side^2 particles. */
static void begin_plate(test* t, tank* k, int side)
{
    kin_sph_def def = tank_def(0.05);
    tank_begin(t, k, &def, kin_simd_best(), 2);
    tank_fill(t, k, (float[3]){0, 0, 0}, (int[3]){6, side, side}, 0, 1);
    tank_add(t, k, 0.1f * (float)(side + 4), 0, 0, 0, 0, 0, 0);
    tank_look(t, k);
    size_t inner = 0;
    for (size_t i = 0; i < k->f.count; ++i) inner += fabs(k->f.density[i] - 1.0) < 1e-5;
    EQUAL(t, inner, 4 * (side - 2) * (side - 2));
}

/* Neighbours are up to a layer and a row away: 32767 at most fit in 16 bits. */
static void big_layers_take_wide_lists(test* t)
{
    tank k;
    begin_plate(t, &k, 120);
    EQUAL(t, k.f.cells.axis[0], 0);
    CHECK(t, !k.f.lists.wide);
    tank_end(&k);
    begin_plate(t, &k, 128);
    EQUAL(t, k.f.cells.axis[0], 0);
    CHECK(t, k.f.lists.wide);
    tank_end(&k);
}

static void steady_ticks_allocate_nothing(test* t)
{
    tank k;
    begin(t, &k, &setups[0], kin_simd_best());
    tank_look(t, &k);
    uint64_t before = t->allocations;
    for (int i = 0; i < 5; ++i) {
        tank_look(t, &k);
        kin_sph_forward(&k.f, &k.jobs, k.f.v4, true, k.f.work[0]);
        kin_sph_backward(&k.f, &k.jobs, k.f.work[0], k.f.p4);
    }
    EQUAL(t, t->allocations, before);
    tank_end(&k);
}

TEST_MAIN("sph_passes", TEST(steady_ticks_allocate_nothing), TEST(lists_hold_all_neighbours), TEST(sort_keeps_particles_whole), TEST(densities_and_factors),
          TEST(rates_come_with_densities), TEST(forward_and_backward), TEST(forward_and_backward_are_transposes), TEST(pairs_are_antisymmetric),
          TEST(widths_and_threads_change_no_bit), TEST(big_layers_take_wide_lists))
