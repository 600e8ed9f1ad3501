/* density_test.c - a cloud on voxels (H4.5e): mass is kept, fades, spreads and drifts as its numbers say; what is seen and saved. */
#include "base/alloc.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "support/test.h"
#include "system/density.h"
#include <math.h>
#include <string.h>

static kin_density* make(test* t, const kin_density_def* def)
{
    kin_density* d;
    kin_error error = {0};
    test_check(t, kin_density_create(&t->allocator, def, &d, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return d;
}

static kin_density_def cube(int resolution)
{
    kin_density_def def = kin_density_def_default();
    def.low = kin_v(-2, -2, -2);
    def.high = kin_v(2, 2, 2);
    def.resolution = resolution;
    return def;
}

static void deposit(kin_density* d, kin_vec3 from, kin_vec3 to, double mass)
{
    const double* x0[3] = {&from.x, &from.y, &from.z};
    const double* x1[3] = {&to.x, &to.y, &to.z};
    kin_density_deposit(d, x0, x1, &mass, 1);
}

static kin_jobs jobs_of(test* t, int threads)
{
    kin_jobs jobs;
    EQUAL(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
    return jobs;
}

/* What is seen, copied; the caller's room. */
static void look_at(test* t, const kin_density* d, double time, float* box, float* voxels)
{
    kin_capture c;
    kin_capture_init(&c, &t->allocator);
    kin_capture_begin(&c, 0, time, 0.1, kin_v(1, 2, 3));
    kin_density_capture(d, "smoke", &(kin_look){.color = {1, 1, 1}}, &c);
    const kin_frame* frame = kin_capture_end(&c);
    const kin_layer* layer = kin_frame_layer(frame, "smoke");
    EQUAL(t, layer->kind, KIN_LAYER_VOLUME);
    const kin_array* density = kin_layer_array(layer, "density");
    const uint32_t* dims = kin_layer_array(layer, "dims")->data;
    EQUAL(t, density->count, (uint64_t)dims[0] * dims[1] * dims[2]);
    memcpy(box, kin_layer_array(layer, "box")->data, 6 * sizeof *box);
    memcpy(voxels, density->data, density->count * sizeof *voxels);
    kin_capture_term(&c);
}

/* Variance of what is seen along each axis, m^2. */
enum { MOST_VOXELS = 64 * 64 * 64 };
static kin_vec3 variance(test* t, const kin_density* d)
{
    static float voxels[MOST_VOXELS];
    float box[6];
    look_at(t, d, 0, box, voxels);
    const int* n = kin_density_size(d);
    double sum = 0, first[3] = {0}, second[3] = {0};
    for (int i = 0; i < n[0] * n[1] * n[2]; ++i) {
        const int at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        sum += (double)voxels[i];
        for (int k = 0; k < 3; ++k) {
            double x = (at[k] + 0.5) * (double)(box[3 + k] - box[k]) / n[k];
            first[k] += (double)voxels[i] * x;
            second[k] += (double)voxels[i] * x * x;
        }
    }
    return kin_v(second[0] / sum - kin_square(first[0] / sum), second[1] / sum - kin_square(first[1] / sum), second[2] / sum - kin_square(first[2] / sum));
}

static void deposits_keep_mass_and_place(test* t)
{
    kin_density_def def = cube(20);
    def.high.y = 0.5; /* not a cube */
    kin_density* d = make(t, &def);
    EQUAL(t, kin_density_size(d)[0], 20);
    EQUAL(t, kin_density_size(d)[1], 13);
    double sum = 0;
    kin_vec3 moment = {0};
    for (int i = 0; i < 40; ++i) { /* paths well within, of no length up to many cells */
        kin_vec3 from = {-1.3 + 0.06 * i, -1.2 + 0.01 * i, 0.7 - 0.03 * i}, way = kin_scale(kin_v(0.1, 0.02, 0.09), i % 7);
        double mass = 0.1 + 0.01 * i;
        deposit(d, from, kin_add(from, way), mass);
        sum += mass;
        moment = kin_add(moment, kin_scale(kin_add(from, kin_scale(way, 0.5)), mass));
    }
    NEAR(t, kin_density_mass(d), sum, 1e-13 * sum);
    NEAR3(t, kin_density_centre(d), kin_scale(moment, 1 / sum), 1e-12);
    deposit(d, kin_v(1.99, 0.49, -1.99), kin_v(1.99, 0.49, -1.99), 2); /* in the corner: nothing is lost there */
    NEAR(t, kin_density_mass(d), sum + 2, 1e-13 * (sum + 2));
    kin_density_destroy(d);
}

static void what_lies_outside_or_is_no_number_is_left_out(test* t)
{
    kin_density_def def = cube(16);
    kin_density* d = make(t, &def);
    double nan = NAN;
    deposit(d, kin_v(3, 0, 0), kin_v(4, 0, 0), 1);
    deposit(d, kin_v(nan, 0, 0), kin_v(0, 0, 0), 1);
    deposit(d, kin_v(0, 0, 0), kin_v(0, INFINITY, 0), 1);
    deposit(d, kin_v(0, 0, 0), kin_v(0, 0, 0), nan);
    deposit(d, kin_v(0, 0, 0), kin_v(0, 0, 0), -1);
    EQUAL(t, kin_density_mass(d) == 0, true);
    deposit(d, kin_v(0, 0, 0), kin_v(4, 0, 0), 1); /* half of the way is within: 65 points */
    NEAR(t, kin_density_mass(d), 0.5, 1.0 / 65);
    kin_density_destroy(d);
}

static void mass_fades_to_the_power_of_time(test* t)
{
    kin_density_def def = cube(12);
    def.fade = 1.7;
    kin_jobs jobs = jobs_of(t, 1);
    kin_density* d = make(t, &def);
    deposit(d, kin_v(0, 0, 0), kin_v(1, 0, 0), 3);
    for (int i = 0; i < 25; ++i) kin_density_step(d, &jobs, i % 2 == 0 ? 0.1 : 0.02);
    NEAR(t, kin_density_mass(d), 3 * exp(-(13 * 0.1 + 12 * 0.02) / 1.7), 1e-12);
    kin_density_destroy(d);
    kin_jobs_term(&jobs);
}

/* Implicit Euler has the variance right at any step; the box is wide enough that almost nothing feels its sides. */
static void cloud_spreads_by_2_d_t(test* t)
{
    kin_density_def def = cube(40);
    def.disperse = 0.02;
    kin_jobs jobs = jobs_of(t, 2);
    for (int steps = 1; steps <= 16; steps *= 4) {
        kin_density* d = make(t, &def);
        deposit(d, kin_v(0.1, 0, -0.05), kin_v(0.1, 0, -0.05), 2);
        kin_vec3 before = variance(t, d);
        for (int i = 0; i < steps; ++i) kin_density_step(d, &jobs, 0.8 / steps);
        NEAR(t, kin_density_mass(d), 2, 1e-13);
        NEAR3(t, kin_density_centre(d), kin_v(0.1, 0, -0.05), 1e-4);
        NEAR3(t, kin_sub(variance(t, d), before), kin_v(2 * 0.02 * 0.8, 2 * 0.02 * 0.8, 2 * 0.02 * 0.8), 1e-4);
        kin_density_destroy(d);
    }
    kin_density* even = make(t, &def); /* a step past all measure: the same everywhere, nothing lost */
    deposit(even, kin_v(1, 1, 1), kin_v(1, 1, 1), 2);
    kin_density_step(even, &jobs, 1e9);
    NEAR(t, kin_density_mass(even), 2, 1e-6);
    NEAR3(t, kin_density_centre(even), kin_v(0, 0, 0), 1e-3);
    kin_density_destroy(even);
    kin_jobs_term(&jobs);
}

static void flow_carries_the_cloud(test* t)
{
    kin_density_def def = cube(32);
    def.flow = kin_v(0.37, -0.21, 0.05);
    kin_jobs jobs = jobs_of(t, 1);
    kin_density* d = make(t, &def);
    deposit(d, kin_v(-1, 1, 0), kin_v(-0.8, 1, 0.2), 1);
    kin_vec3 start = kin_density_centre(d), wide = variance(t, d);
    for (int i = 0; i < 50; ++i) kin_density_step(d, &jobs, 0.05);
    NEAR3(t, kin_sub(kin_density_centre(d), start), kin_scale(def.flow, 2.5), 1e-12);
    NEAR3(t, variance(t, d), wide, 1e-6); /* not smeared; what is seen is in floats */
    NEAR(t, kin_density_mass(d), 1, 1e-13);
    deposit(d, kin_v(0.5, 0.5, 0.5), kin_v(0.5, 0.5, 0.5), 1); /* the grid has moved, the place has not */
    kin_vec3 both = kin_scale(kin_add(kin_add(start, kin_scale(def.flow, 2.5)), kin_v(0.5, 0.5, 0.5)), 0.5);
    NEAR3(t, kin_density_centre(d), both, 1e-12);
    kin_density_settings(d)->flow = kin_v(-0.4, 0, 0); /* the wind turns */
    kin_density_step(d, &jobs, 0.5);
    NEAR3(t, kin_density_centre(d), kin_add(both, kin_v(-0.2, 0, 0)), 1e-12);
    for (int i = 0; i < 400; ++i) kin_density_step(d, &jobs, 0.05);
    EQUAL(t, kin_density_mass(d) == 0, true); /* out by the side */
    kin_density_destroy(d);
    kin_jobs_term(&jobs);
}

static kin_density* stirred(test* t, int threads)
{
    kin_density_def def = cube(24);
    def.flow = kin_v(0.1, 0.9, -0.3);
    def.disperse = 0.03;
    def.fade = 3;
    kin_jobs jobs = jobs_of(t, threads);
    kin_density* d = make(t, &def);
    for (int i = 0; i < 20; ++i) {
        deposit(d, kin_v(0.1 * i - 1, -1, 0.05 * i), kin_v(0.1 * i - 0.9, -0.7, 0.05 * i), 1);
        kin_density_step(d, &jobs, 1.0 / 30);
    }
    kin_jobs_term(&jobs);
    return d;
}

static uint64_t state_hash(kin_density* d)
{
    kin_visitor v = {.mode = KIN_VISIT_HASH};
    kin_hasher_begin(&v.hasher);
    kin_density_visit(d, &v);
    return kin_hasher_end(&v.hasher);
}

static void same_bits_for_any_thread_count(test* t)
{
    kin_density* one = stirred(t, 1);
    for (int threads = 2; threads <= 4; ++threads) {
        kin_density* other = stirred(t, threads);
        CHECK(t, state_hash(one) == state_hash(other));
        kin_density_destroy(other);
    }
    kin_density_destroy(one);
}

static void state_comes_back(test* t)
{
    kin_density* d = stirred(t, 1);
    kin_density_def def = cube(24), small = cube(12);
    kin_density *twin = make(t, &def), *other = make(t, &small);
    kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    kin_density_visit(d, &save);
    kin_visitor load = {.mode = KIN_VISIT_LOAD, .data = save.data, .size = save.size};
    kin_density_visit(twin, &load);
    EQUAL(t, load.result, KIN_OK);
    CHECK(t, state_hash(twin) == state_hash(d));
    kin_jobs jobs = jobs_of(t, 1);
    kin_density_step(d, &jobs, 0.1);
    kin_density_step(twin, &jobs, 0.1); /* and goes on the same: flow and fading are live, so they came along */
    CHECK(t, state_hash(twin) == state_hash(d));
    load = (kin_visitor){.mode = KIN_VISIT_LOAD, .data = save.data, .size = save.size};
    kin_density_visit(other, &load); /* of another size */
    EQUAL(t, load.result, KIN_ERROR_FORMAT);
    kin_jobs_term(&jobs);
    kin_free(&t->allocator, save.data, save.capacity);
    kin_density_destroy(d);
    kin_density_destroy(twin);
    kin_density_destroy(other);
}

/* Noise is of the picture: seeded, moving with time, none where there is nothing, and mass does not know of it. */
static void noise_is_seen_only(test* t)
{
    enum { N = 16 };
    static float plain[N * N * N], torn[N * N * N], again[N * N * N], later[N * N * N], other[N * N * N];
    float box[6];
    kin_density_def def = cube(N);
    kin_density* d = make(t, &def);
    deposit(d, kin_v(-1, 0, 0), kin_v(1, 0.3, 0), 1);
    look_at(t, d, 0, box, plain);
    NEAR(t, box[0], -2 - 1, 1e-6); /* relative to the frame's origin */
    NEAR(t, box[5], 2 - 3, 1e-6);
    def.noise = 0.8;
    kin_density* noisy = make(t, &def);
    deposit(noisy, kin_v(-1, 0, 0), kin_v(1, 0.3, 0), 1);
    look_at(t, noisy, 1, box, torn);
    look_at(t, noisy, 1, box, again);
    look_at(t, noisy, 2, box, later);
    NEAR(t, kin_density_mass(noisy), 1, 1e-13);
    def.seed = 5;
    kin_density* reseeded = make(t, &def);
    deposit(reseeded, kin_v(-1, 0, 0), kin_v(1, 0.3, 0), 1);
    look_at(t, reseeded, 1, box, other);
    CHECK(t, memcmp(torn, again, sizeof torn) == 0);
    double most = 0, densest = 0, changed = 0, sum_plain = 0, sum_torn = 0, moved = 0, differ = 0;
    for (int i = 0; i < N * N * N; ++i) {
        CHECK(t, torn[i] >= 0 && (plain[i] > 0 || torn[i] == 0));
        most = fmax(most, (double)torn[i]);
        densest = fmax(densest, (double)plain[i]);
        sum_plain += (double)plain[i];
        sum_torn += (double)torn[i];
        changed += fabs((double)torn[i] - (double)plain[i]);
        moved += fabs((double)later[i] - (double)torn[i]);
        differ += fabs((double)other[i] - (double)torn[i]);
    }
    CHECK(t, most <= 1.7 * densest); /* 1 + half of 0.8 times at most 1.75 */
    NEAR(t, sum_torn / sum_plain, 1, 0.35);
    CHECK(t, changed > 0.05 * sum_plain && moved > 0.05 * sum_plain && differ > 0.05 * sum_plain);
    kin_density_destroy(d);
    kin_density_destroy(noisy);
    kin_density_destroy(reseeded);
}

static void bad_defs_are_refused(test* t)
{
    static const struct {
        size_t offset;
        double value;
        const char* where;
    } bad[] = {
        {offsetof(kin_density_def, fade), -1, "fade"},
        {offsetof(kin_density_def, disperse), NAN, "disperse"},
        {offsetof(kin_density_def, noise_size), 0, "noise_size"},
        {offsetof(kin_density_def, high.y), -3, "high"},
        {offsetof(kin_density_def, low.x), INFINITY, "low"},
        {offsetof(kin_density_def, noise), -1, "noise"},
        {offsetof(kin_density_def, flow.z), NAN, "flow"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        kin_density_def def = cube(16);
        kin_density* d;
        kin_error error = {0};
        memcpy((char*)&def + bad[i].offset, &bad[i].value, sizeof(double));
        EQUAL(t, kin_density_create(&t->allocator, &def, &d, &error), KIN_ERROR_ARGUMENT);
        HAS(t, error.where, bad[i].where);
        CHECK(t, d == NULL);
    }
    kin_density_def def = cube(3);
    kin_density* d;
    EQUAL(t, kin_density_create(&t->allocator, &def, &d, NULL), KIN_ERROR_ARGUMENT);
    kin_density_destroy(NULL);
}

static bool create_once(test* t, void* context)
{
    kin_density* d;
    if (kin_density_create(&t->allocator, context, &d, NULL) != KIN_OK) return false;
    kin_density_destroy(d);
    return true;
}

static void lack_of_memory_is_told(test* t)
{
    kin_density_def def = cube(8);
    test_fail_each_allocation(t, create_once, &def);
}

/* After the first, a step takes no memory. */
static void a_step_takes_no_memory(test* t)
{
    kin_density* d = stirred(t, 1);
    kin_jobs jobs = jobs_of(t, 2);
    kin_density_step(d, &jobs, 0.1);
    uint64_t before = t->allocations;
    for (int i = 0; i < 5; ++i) kin_density_step(d, &jobs, 0.1);
    EQUAL(t, t->allocations, before);
    kin_jobs_term(&jobs);
    kin_density_destroy(d);
}

TEST_MAIN("density", TEST(deposits_keep_mass_and_place), TEST(what_lies_outside_or_is_no_number_is_left_out), TEST(mass_fades_to_the_power_of_time),
          TEST(cloud_spreads_by_2_d_t), TEST(flow_carries_the_cloud), TEST(same_bits_for_any_thread_count), TEST(state_comes_back), TEST(noise_is_seen_only),
          TEST(bad_defs_are_refused), TEST(lack_of_memory_is_told), TEST(a_step_takes_no_memory))
