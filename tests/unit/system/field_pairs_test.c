/* field_pairs_test.c - forces between points: Lennard-Jones and Coulomb, cut-offs, momentum, threads (C3.3.4b, C3.3.4c). */
#include "base/rng.h"
#include "math/vec3.h"
#include "support/test.h"
#include "system/field.h"
#include <string.h>

enum { MOST = 700 };

typedef struct crowd {
    kin_fields fields;
    kin_mutuals mutuals;
    kin_mutual_cloud cloud;
    double x[3][MOST], v[3][MOST], a[3][MOST], mass[MOST], radius[MOST], charge[MOST];
    uint64_t serial[MOST], tags[MOST];
} crowd;

static crowd c; /* large */

static void crowd_begin(test* t, const char* kind, const void* def, uint32_t count)
{
    uint32_t index;
    memset(&c, 0, sizeof c);
    kin_fields_init(&c.fields, &t->allocator, KIN_SIMD_NONE);
    EQUAL(t, kin_fields_add(&c.fields, kin_field_named(kind), def, &index, NULL), KIN_OK);
    EQUAL(t, kin_mutuals_sync(&c.mutuals, &c.fields, &t->allocator, NULL), KIN_OK);
    c.cloud = (kin_mutual_cloud){.count = count, .mass = c.mass, .radius = c.radius, .charge = c.charge, .serial = c.serial};
    for (int k = 0; k < 3; ++k) {
        c.cloud.x[k] = c.x[k];
        c.cloud.v[k] = c.v[k];
        c.cloud.acceleration[k] = c.a[k];
    }
    for (uint32_t i = 0; i < MOST; ++i) {
        kin_rng_key key = {.seed = 3, .serial = i};
        c.mass[i] = kin_rng_uniform(&key, 0, 0.5, 2);
        c.charge[i] = kin_rng_uniform(&key, 1, -1e-5, 1e-5);
        for (uint32_t k = 0; k < 3; ++k) c.x[k][i] = kin_rng_uniform(&key, 2 + k, 0, 8);
        c.serial[i] = i;
    }
}

static void crowd_end(void)
{
    kin_mutuals_term(&c.mutuals);
    kin_fields_term(&c.fields);
}

static kin_result evaluate(kin_error* error)
{
    memset(c.a, 0, sizeof c.a);
    return kin_mutuals_evaluate(&c.mutuals, &c.cloud, error);
}

static kin_molecules_field molecules_def(void)
{
    kin_molecules_field d;
    kin_field_default("molecules", &d);
    return d;
}

static kin_charges_field charges_def(void)
{
    kin_charges_field d;
    kin_field_default("charges", &d);
    return d;
}

static void put(uint32_t i, double x, double y, double z, double mass)
{
    c.x[0][i] = x;
    c.x[1][i] = y;
    c.x[2][i] = z;
    c.mass[i] = mass;
}

/* 48 / r^2 (r^-12 - r^-6 / 2) r, nothing at 2^(1/6), energy 4 (r^-12 - r^-6). */
static void two_molecules(test* t)
{
    kin_molecules_field d = molecules_def();
    crowd_begin(t, "molecules", &d, 2);
    const double r = 1.3, bottom = 1.122462048309373;
    put(0, 0, 0, 0, 1);
    put(1, 0, r, 0, 4);
    EQUAL(t, evaluate(NULL), KIN_OK);
    double force = 48 * (kin_pow(r, -13) - 0.5 * kin_pow(r, -7)); /* on 1, away from 0 */
    NEAR(t, c.a[1][1] * 4, force, 1e-14);
    NEAR(t, c.a[1][0], -force, 1e-14);
    CHECK(t, force < 0);
    NEAR(t, kin_mutuals_potential(&c.mutuals, &c.cloud), 4 * (kin_pow(r, -12) - kin_pow(r, -6)), 1e-14);
    put(1, 0, bottom, 0, 1);
    EQUAL(t, evaluate(NULL), KIN_OK);
    NEAR(t, c.a[1][1], 0, 1e-13);
    NEAR(t, kin_mutuals_potential(&c.mutuals, &c.cloud), -1, 1e-14);
    put(1, 0, 2.51, 0, 1);
    EQUAL(t, evaluate(NULL), KIN_OK);
    NEAR(t, c.a[1][1], 0, 0);
    NEAR(t, kin_mutuals_potential(&c.mutuals, &c.cloud), 0, 0);
    crowd_end();
}

/* The push within the core has a greatest value, and its energy fits it. */
static void the_core_is_finite_and_conservative(test* t)
{
    kin_molecules_field d = molecules_def();
    d.core = 0.8;
    crowd_begin(t, "molecules", &d, 2);
    put(0, 0, 0, 0, 1);
    const double at[] = {0.3, 0.79, 0.81}, e = 1e-6;
    for (int i = 0; i < 3; ++i) {
        put(1, at[i] + e, 0, 0, 1);
        double above = kin_mutuals_potential(&c.mutuals, &c.cloud);
        put(1, at[i] - e, 0, 0, 1);
        double below = kin_mutuals_potential(&c.mutuals, &c.cloud);
        put(1, at[i], 0, 0, 1);
        EQUAL(t, evaluate(NULL), KIN_OK);
        NEAR(t, -(above - below) / (2 * e), c.a[0][1], 1e-6 * kin_abs(c.a[0][1]));
    }
    crowd_end();
}

/* Two that swing about the bottom of their well: the energy of Verlet strays by O(h^2) and comes back. */
static double energy_stray(test* t, double h)
{
    kin_molecules_field d = molecules_def();
    d.shift = true;
    crowd_begin(t, "molecules", &d, 2);
    put(0, 0, 0, 0, 1);
    put(1, 1.25, 0, 0, 1);
    double first = kin_mutuals_potential(&c.mutuals, &c.cloud), most = 0;
    EQUAL(t, evaluate(NULL), KIN_OK);
    for (int n = 0; n < (int)(4 / h); ++n) {
        for (int k = 0; k < 2; ++k) c.x[0][k] += h * (c.v[0][k] += 0.5 * h * c.a[0][k]);
        EQUAL(t, evaluate(NULL), KIN_OK);
        double kinetic = 0;
        for (int k = 0; k < 2; ++k) {
            c.v[0][k] += 0.5 * h * c.a[0][k];
            kinetic += 0.5 * c.v[0][k] * c.v[0][k];
        }
        most = kin_max(most, kin_abs(kinetic + kin_mutuals_potential(&c.mutuals, &c.cloud) - first));
    }
    crowd_end();
    return most;
}
static void molecules_keep_their_energy(test* t)
{
    double coarse = energy_stray(t, 0.004), fine = energy_stray(t, 0.002);
    CHECK(t, coarse < 2e-3 && fine > 0);
    NEAR(t, coarse / fine, 4, 0.4);
}

/* Counted from the cut-off it vanishes there. */
static void shifted_energy_does_not_jump(test* t)
{
    kin_molecules_field d = molecules_def();
    for (int shift = 0; shift < 2; ++shift) {
        d.shift = shift == 1;
        crowd_begin(t, "molecules", &d, 2);
        put(0, 0, 0, 0, 1);
        put(1, 2.4999999, 0, 0, 1);
        double u = kin_mutuals_potential(&c.mutuals, &c.cloud);
        if (shift == 1)
            NEAR(t, u, 0, 1e-7);
        else
            NEAR(t, u, 4 * (kin_pow(2.5, -12) - kin_pow(2.5, -6)), 1e-7);
        crowd_end();
    }
}

static kin_vec3 brute_charge_force(uint32_t i, double k, double soft, double cutoff)
{
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t j = 0; j < c.cloud.count; ++j) {
        kin_vec3 r = {c.x[0][i] - c.x[0][j], c.x[1][i] - c.x[1][j], c.x[2][i] - c.x[2][j]};
        double e = kin_sqrt(kin_length2(r) + soft * soft);
        if (j != i && kin_length(r) <= cutoff) sum = kin_add_scaled(sum, k * c.charge[i] * c.charge[j] / (e * e * e), r);
    }
    return sum;
}

/* With a true radius, not a box of cells: the sum over all pairs that are near enough; and no radius at all. */
static void cut_off_is_the_truncated_sum(test* t)
{
    for (int k = 0; k < 2; ++k) {
        kin_charges_field d = charges_def();
        d.softening = 0.05;
        d.cutoff = k == 0 ? 1.5 : 0;
        crowd_begin(t, "charges", &d, 400);
        EQUAL(t, evaluate(NULL), KIN_OK);
        for (uint32_t i = 0; i < c.cloud.count; ++i) {
            kin_vec3 want = brute_charge_force(i, d.charges, d.softening, k == 0 ? 1.5 : 1e9);
            NEAR3(t, kin_scale(kin_v(c.a[0][i], c.a[1][i], c.a[2][i]), c.mass[i]), want, 1e-10);
        }
        crowd_end();
    }
}

static kin_vec3 brute_molecule_force(uint32_t i, double core, double* size)
{
    kin_vec3 sum = {* size = 0, 0, 0};
    for (uint32_t j = 0; j < c.cloud.count; ++j) {
        kin_vec3 r = {c.x[0][i] - c.x[0][j], c.x[1][i] - c.x[1][j], c.x[2][i] - c.x[2][j]};
        double e = kin_max(kin_length(r), core);
        if (j == i || kin_length(r) > 2.5) continue;
        double k = 48 / (e * e) * (kin_pow(e, -12) - 0.5 * kin_pow(e, -6));
        sum = kin_add_scaled(sum, k, r);
        *size += kin_abs(k) * kin_length(r);
    }
    return sum;
}

static void molecules_cut_off_likewise(test* t)
{
    kin_molecules_field near_only = molecules_def();
    static double a[3][MOST];
    near_only.core = 0.9;
    crowd_begin(t, "molecules", &near_only, MOST);
    EQUAL(t, evaluate(NULL), KIN_OK);
    memcpy(a, c.a, sizeof a);
    for (int n = 0; n < 20; ++n) { /* as points move little the lists are kept, and are still right */
        for (uint32_t i = 0; i < MOST; ++i) c.x[n % 3][i] += 0.01 * (double)(i % 7) - 0.03;
        EQUAL(t, evaluate(NULL), KIN_OK);
    }
    memcpy(a, c.a, sizeof a);
    static double x[3][MOST];
    memcpy(x, c.x, sizeof x);
    double energy = kin_mutuals_potential(&c.mutuals, &c.cloud);
    crowd_end();
    crowd_begin(t, "molecules", &near_only, MOST);
    memcpy(c.x, x, sizeof x);
    EQUAL(t, evaluate(NULL), KIN_OK);
    CHECK(t, memcmp(a, c.a, sizeof a) == 0); /* new lists, same bits */
    NEAR(t, kin_mutuals_potential(&c.mutuals, &c.cloud), energy, 0);
    crowd_end();
    crowd_begin(t, "molecules", &near_only, MOST);
    memcpy(c.x, x, sizeof x);
    for (uint32_t i = 0; i < MOST; ++i) {
        double size;
        kin_vec3 want = brute_molecule_force(i, near_only.core, &size);
        NEAR3(t, kin_scale(kin_v(a[0][i], a[1][i], a[2][i]), c.mass[i]), want, 1e-12 * (1 + size));
    }
    crowd_end();
}

/* Sum of m a: rounding of the largest of about a hundred terms a point. */
static void momentum_stays(test* t)
{
    kin_molecules_field d = molecules_def();
    d.core = 0.9;
    crowd_begin(t, "molecules", &d, MOST);
    EQUAL(t, evaluate(NULL), KIN_OK);
    for (int k = 0; k < 3; ++k) {
        double sum = 0, size = 0;
        for (uint32_t i = 0; i < MOST; ++i) {
            sum += c.mass[i] * c.a[k][i];
            size += kin_abs(c.mass[i] * c.a[k][i]);
        }
        CHECK(t, size > 100);
        NEAR(t, sum, 0, 1e-14 * size);
    }
    crowd_end();
}

static void threads_do_not_matter(test* t)
{
    static double first[3][MOST];
    kin_molecules_field d = molecules_def();
    d.core = 0.9;
    for (int threads = 0; threads <= 3; ++threads) { /* 0: without jobs */
        kin_jobs jobs;
        crowd_begin(t, "molecules", &d, MOST);
        if (threads > 0) {
            EQUAL(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
            c.cloud.jobs = &jobs;
        }
        EQUAL(t, evaluate(NULL), KIN_OK);
        if (threads == 0) memcpy(first, c.a, sizeof first);
        CHECK(t, memcmp(first, c.a, sizeof first) == 0);
        crowd_end();
        if (threads > 0) kin_jobs_term(&jobs);
    }
}

static void coincident_points_are_told_of(test* t)
{
    kin_charges_field d = charges_def();
    crowd_begin(t, "charges", &d, 3);
    put(0, 1, 1, 1, 1);
    put(1, 1, 1, 1, 1);
    put(2, 2, 1, 1, 1);
    CHECK(t, kin_mutuals_warning(&c.mutuals) == NULL);
    EQUAL(t, evaluate(NULL), KIN_OK);
    HAS(t, kin_mutuals_warning(&c.mutuals), "1 pairs");
    for (int k = 0; k < 3; ++k) CHECK(t, kin_finite(c.a[k][0]) && kin_finite(c.a[k][1]));
    NEAR(t, c.a[0][0], -d.charges * c.charge[0] * c.charge[2], 1e-12);
    c.x[0][1] = 1.5;
    EQUAL(t, evaluate(NULL), KIN_OK);
    CHECK(t, kin_mutuals_warning(&c.mutuals) == NULL);
    crowd_end();
}

/* C3.3.4b: like charges part, by 9 GN for two coulombs a metre apart. */
static void coulombs_law(test* t)
{
    kin_charges_field d = charges_def();
    crowd_begin(t, "charges", &d, 2);
    put(0, 0, 0, 0, 1);
    put(1, 2, 0, 0, 2);
    c.charge[0] = 1;
    c.charge[1] = 1;
    EQUAL(t, evaluate(NULL), KIN_OK);
    NEAR(t, c.a[0][0], -8.9875e9 / 4, 1e-3);
    NEAR(t, c.a[0][1], 8.9875e9 / 8, 1e-3);
    NEAR(t, kin_mutuals_potential(&c.mutuals, &c.cloud), 8.9875e9 / 2, 1e-3);
    c.charge[1] = -1;
    EQUAL(t, evaluate(NULL), KIN_OK);
    CHECK(t, c.a[0][0] > 0);
    c.cloud.charge = NULL;
    EQUAL(t, evaluate(NULL), KIN_OK);
    NEAR(t, c.a[0][0], 0, 0);
    crowd_end();
}

static void places_that_are_none_are_refused(test* t)
{
    kin_molecules_field d = molecules_def();
    kin_error error = {0};
    crowd_begin(t, "molecules", &d, 5);
    c.x[1][3] = 0.0 / kin_abs(0.0);
    EQUAL(t, evaluate(&error), KIN_ERROR_NUMERICS);
    TEXT(t, error.where, "molecules");
    crowd_end();
}

static void steady_steps_take_no_memory(test* t)
{
    kin_molecules_field d = molecules_def();
    d.core = 0.9;
    crowd_begin(t, "molecules", &d, MOST);
    for (int n = 0; n < 2; ++n) {
        EQUAL(t, evaluate(NULL), KIN_OK);
        kin_mutuals_potential(&c.mutuals, &c.cloud);
    }
    uint64_t before = t->allocations;
    for (int n = 0; n < 10; ++n) {
        for (uint32_t i = 0; i < MOST; ++i) c.x[0][i] += 0.002 * (double)(i % 3);
        EQUAL(t, evaluate(NULL), KIN_OK);
        kin_mutuals_potential(&c.mutuals, &c.cloud);
    }
    EQUAL(t, t->allocations, before);
    crowd_end();
}

static bool try_all(test* t, void* context)
{
    (void)context;
    uint32_t index;
    kin_molecules_field d = molecules_def();
    memset(&c.mutuals, 0, sizeof c.mutuals);
    kin_fields_init(&c.fields, &t->allocator, KIN_SIMD_NONE);
    kin_result result = kin_fields_add(&c.fields, kin_field_named("molecules"), &d, &index, NULL);
    if (result == KIN_OK) result = kin_mutuals_sync(&c.mutuals, &c.fields, &t->allocator, NULL);
    if (result == KIN_OK) result = evaluate(NULL);
    crowd_end();
    return result == KIN_OK;
}
static void memory_may_run_out(test* t)
{
    kin_molecules_field d = molecules_def();
    crowd_begin(t, "molecules", &d, 20);
    crowd_end();
    test_fail_each_allocation(t, try_all, NULL);
}

TEST_MAIN("field_pairs", TEST(two_molecules), TEST(the_core_is_finite_and_conservative), TEST(molecules_keep_their_energy), TEST(shifted_energy_does_not_jump),
          TEST(cut_off_is_the_truncated_sum), TEST(molecules_cut_off_likewise), TEST(momentum_stays), TEST(threads_do_not_matter),
          TEST(coincident_points_are_told_of), TEST(coulombs_law), TEST(places_that_are_none_are_refused), TEST(steady_steps_take_no_memory),
          TEST(memory_may_run_out))
