/* flock_test.c - flocks against a plain sum over all pairs, the same bits on every width and thread count, and how flocks behave. */
#include "base/alloc.h"
#include "base/rng.h"
#include "kinema/steer.h"
#include "math/random.h"
#include "support/test.h"
#include "system/flock/flock.h"
#include "system/flock/grid.h"
#include <stdio.h>
#include <string.h>

enum { MOST = 4000 };

/* Points and one field, ready to be asked. */
typedef struct crowd {
    kin_jobs jobs;
    kin_fields fields;
    kin_mutuals mutuals;
    kin_solids* solids;
    uint32_t count;
    double x[3][MOST], v[3][MOST], a[3][MOST], mass[MOST], radius[MOST];
    uint64_t tags[MOST], serial[MOST];
} crowd;
static crowd c; /* one at a time: too large for a stack */

static void begin(test* t, int threads)
{
    memset(&c, 0, sizeof c);
    EQUAL(t, kin_jobs_init(&c.jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
    kin_fields_init(&c.fields, &t->allocator, kin_simd_best());
}

static void end(void)
{
    kin_mutuals_term(&c.mutuals);
    kin_fields_term(&c.fields);
    kin_jobs_term(&c.jobs);
    if (c.solids != NULL) kin_solids_destroy(c.solids);
}

static void add(test* t, const char* kind, const void* def)
{
    uint32_t index;
    kin_error error = {0};
    kin_result result = kin_fields_add(&c.fields, kin_field_named(kind), def, &index, &error);
    if (result == KIN_OK) result = kin_mutuals_sync(&c.mutuals, &c.fields, &t->allocator, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
}

static uint32_t put(kin_vec3 x, kin_vec3 v, uint64_t tags)
{
    uint32_t i = c.count++;
    for (int k = 0; k < 3; ++k) {
        c.x[k][i] = kin_component(x, k);
        c.v[k][i] = kin_component(v, k);
    }
    c.mass[i] = 1;
    c.radius[i] = 0.1;
    c.tags[i] = tags;
    c.serial[i] = i;
    return i;
}

static kin_mutual_cloud cloud_of(void)
{
    kin_mutual_cloud cloud = {
        .jobs = &c.jobs, .simd = c.fields.simd, .solids = c.solids, .count = c.count, .mass = c.mass, .radius = c.radius, .tags = c.tags, .serial = c.serial};
    for (int k = 0; k < 3; ++k) {
        cloud.x[k] = c.x[k];
        cloud.v[k] = c.v[k];
        cloud.acceleration[k] = c.a[k];
    }
    return cloud;
}

static void evaluate(test* t)
{
    kin_mutual_cloud cloud = cloud_of();
    kin_error error = {0};
    memset(c.a, 0, sizeof c.a);
    kin_result result = kin_mutuals_evaluate(&c.mutuals, &cloud, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
}

static void step(test* t, double h)
{
    evaluate(t);
    for (int k = 0; k < 3; ++k) {
        for (uint32_t i = 0; i < c.count; ++i) {
            c.v[k][i] += h * c.a[k][i];
            c.x[k][i] += h * c.v[k][i];
        }
    }
}

static kin_vec3 place(uint32_t i) { return kin_v(c.x[0][i], c.x[1][i], c.x[2][i]); }
static kin_vec3 velocity(uint32_t i) { return kin_v(c.v[0][i], c.v[1][i], c.v[2][i]); }
static kin_vec3 pushed(uint32_t i) { return kin_v(c.a[0][i], c.a[1][i], c.a[2][i]); }

static kin_flock_field flock(double r1, double r2)
{
    kin_flock_field def;
    kin_field_default("flock", &def);
    def.range[0] = r1, def.range[1] = r2;
    return def;
}

static void scatter(uint32_t count, double size, uint64_t seed)
{
    for (uint32_t i = 0; i < count; ++i) {
        kin_rng_key key = {.seed = seed, .serial = i};
        put(kin_rng_sphere(&key, 0, size), kin_rng_sphere(&key, 1, 2), 0);
    }
}

/* ---- the law of one pair, and of all pairs ---- */

static double falling(double at, double whole, double none) { return kin_clamp((none - at) / (none - whole), 0, 1); }

static double reference_weight(const kin_flock_field* def, const double half[2], uint32_t i, kin_vec3 r)
{
    double w = falling(kin_length(r), def->range[0], def->range[1]);
    bool blind_spot = def->eyes != KIN_EYES_ALL && kin_length(velocity(i)) > 0;
    double angle = kin_length(r) > 0 ? kin_angle(r, velocity(i)) : KIN_PI / 2; /* one in the same place counts as beside */
    return blind_spot ? w * falling(angle, half[0], half[1]) : w;
}

static kin_vec3 reference(const kin_flock_field* def, const double half[2], uint32_t i)
{
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t j = 0; j < c.count; ++j) {
        kin_vec3 r = kin_sub(place(j), place(i));
        double d = kin_length(r);
        if (j == i || d >= def->range[1]) continue;
        double w = reference_weight(def, half, i, r);
        if (d > 0) sum = kin_add_scaled(sum, -w * def->apart / (d * kin_max(d, def->closest)), r);
        sum = kin_add_scaled(sum, w * def->match, kin_sub(velocity(j), velocity(i)));
        sum = kin_add_scaled(sum, w * def->centre, r);
    }
    return sum;
}

static void half_angles(const kin_flock_field* def, double half[2])
{
    static const double degrees[][2] = {{180, 360}, {30, 340}, {70, 110}};
    for (int k = 0; k < 2; ++k) half[k] = def->eyes == KIN_EYES_OWN ? 0.5 * def->view[k] : degrees[def->eyes][k] * KIN_PI / 360;
}

static void compare_with_reference(test* t, const kin_flock_field* def)
{
    double half[2];
    half_angles(def, half);
    evaluate(t);
    for (uint32_t i = 0; i < c.count; ++i) {
        kin_vec3 want = reference(def, half, i);
        if (!NEAR3(t, pushed(i), want, 1e-5 * (1 + kin_length(want)))) break; /* angles are good to 2e-8 rad, times many neighbours */
    }
}

/* Sparse, dense (more neighbours than are kept at once), and with strays so far off that cells fold; every kind of eyes. */
static void brute_force_agrees(test* t)
{
    static const double sizes[] = {8, 0.9, 0.3};
    for (int eyes = 0; eyes < 4; ++eyes) {
        for (int k = 0; k < 3; ++k) {
            begin(t, 1);
            kin_flock_field def = flock(0.4, 1);
            def.eyes = (kin_eyes)eyes;
            def.view[0] = 1, def.view[1] = 2.5;
            add(t, "flock", &def);
            scatter(900, sizes[k], 3);
            put(kin_v(1e7, -1e9, 3e12), kin_v(1, 0, 0), 0);
            put(kin_v(1e7, -1e9 + 0.5, 3e12), kin_v(0, 1, 0), 0);
            put(kin_v(-1e15, -1e9, -5), kin_v(1, 0, 0), 0);
            put(place(7), kin_v(0, 0, 1), 0);                            /* in the same place */
            put(kin_add(place(8), kin_v(0.1, 0, 0)), kin_v(0, 0, 0), 0); /* at rest */
            compare_with_reference(t, &def);
            end();
        }
    }
}

/* Those that flew away, to any side, leave the cells of the others as they are. */
static void strays_do_not_coarsen_the_cells(test* t)
{
    begin(t, 1);
    scatter(2000, 6, 17);
    uint32_t members[MOST], fullest[2] = {0, 0};
    kin_mutual_cloud cloud = cloud_of();
    for (uint32_t i = 0; i < MOST; ++i) members[i] = i;
    for (int strays = 0; strays < 2; ++strays) {
        kin_flock_grid grid = {0};
        if (strays) {
            for (int k = 0; k < 6; ++k) put(kin_scale(kin_axis(k % 3), k < 3 ? 1e9 : -1e12), kin_v(0, 0, 0), 0);
        }
        CHECK(t, kin_flock_grid_build(&grid, &t->allocator, &cloud, members, c.count, 1));
        uint32_t entries = 1u << (grid.bits[0] + grid.bits[1] + grid.bits[2]);
        for (uint32_t e = 0; e < entries; ++e) fullest[strays] = (uint32_t)kin_max(fullest[strays], grid.starts[e + 1] - grid.starts[e]);
        EQUAL(t, grid.starts[entries], c.count);
        kin_flock_grid_term(&grid, &t->allocator);
    }
    CHECK(t, fullest[0] < 20);
    CHECK(t, fullest[1] <= 2 * fullest[0]); /* a table folded in other places */
    end();
}

static void same_bits_on_every_width_and_thread_count(test* t)
{
    static double first[3][MOST];
    static const int threads[] = {1, 2, 5};
    for (int k = 0; k < 3 * ((int)kin_simd_best() + 1); ++k) {
        begin(t, threads[k % 3]);
        c.fields.simd = (kin_simd)(k / 3);
        kin_flock_field def = flock(0.4, 1);
        def.eyes = KIN_EYES_PIGEON;
        def.limit = 5;
        def.obstacles.ahead = 2;
        def.obstacles.spheres = (kin_balls){&(kin_ball){{2, 0, 0}, 1}, 1};
        add(t, "flock", &def);
        scatter(MOST, 6, 9);
        evaluate(t);
        if (k == 0) memcpy(first, c.a, sizeof first);
        CHECK(t, memcmp(first, c.a, sizeof first) == 0);
        end();
    }
}

/* H6.5a, two of them in numbers: apart -ka / d, match kv (vj - vi), centre kc x_ij, at full weight. */
static void pair_in_numbers(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(3, 4);
    def.apart = 6, def.match = 0.5, def.centre = 0.1, def.closest = 0.5;
    add(t, "flock", &def);
    put(kin_v(0, 0, 0), kin_v(1, 0, 0), 0);
    put(kin_v(0, 2, 0), kin_v(0, 0, 3), 0);
    evaluate(t);
    NEAR3(t, pushed(0), kin_v(-0.5, -3 + 0.2, 1.5), 1e-14);
    NEAR3(t, pushed(1), kin_v(0.5, 3 - 0.2, -1.5), 1e-14);
    c.x[1][1] = 0.25; /* nearer than closest: 6 / 0.5 */
    evaluate(t);
    NEAR(t, pushed(0).y, -12 + 0.025, 1e-13);
    c.x[1][1] = 0; /* the same place: no way apart, and no NaN */
    evaluate(t);
    NEAR3(t, pushed(0), kin_v(-0.5, 0, 1.5), 1e-14);
    end();
}

/* The pull towards a neighbour at distance d, at an angle off the velocity, over the centre gain: the weight. */
static double weight_at(test* t, double d, double angle)
{
    c.x[0][1] = d * kin_cos(angle);
    c.x[1][1] = d * kin_sin(angle);
    evaluate(t);
    return kin_length(pushed(0)) / d;
}

/* H6.5b: weights join without a step at r1, r2, theta1 / 2 and theta2 / 2, and are half in the middle. */
static void weights_are_continuous(test* t)
{
    static const double degrees[][2] = {{30, 340}, {70, 110}};
    for (int eyes = KIN_EYES_PIGEON; eyes <= KIN_EYES_OWL; ++eyes) {
        begin(t, 1);
        kin_flock_field def = flock(1, 3);
        def.apart = def.match = 0;
        def.centre = 1;
        def.eyes = (kin_eyes)eyes;
        add(t, "flock", &def);
        put(kin_v(0, 0, 0), kin_v(2, 0, 0), 0);
        put(kin_v(1, 0, 0), kin_v(2, 0, 0), 0);
        double inner = degrees[eyes - 1][0] * KIN_PI / 360, outer = degrees[eyes - 1][1] * KIN_PI / 360, e = 1e-6;
        NEAR(t, weight_at(t, 1 - e, 0), 1, 1e-12);
        NEAR(t, weight_at(t, 1 + e, 0), 1, 1e-6);
        NEAR(t, weight_at(t, 2, 0), 0.5, 1e-12);
        NEAR(t, weight_at(t, 3 - e, 0), 0, 1e-6);
        NEAR(t, weight_at(t, 3 + e, 0), 0, 0);
        NEAR(t, weight_at(t, 0.5, inner - e), 1, 1e-12);
        NEAR(t, weight_at(t, 0.5, inner + e), 1, 1e-5);
        NEAR(t, weight_at(t, 0.5, 0.5 * (inner + outer)), 0.5, 1e-6);
        NEAR(t, weight_at(t, 0.5, outer - e), 0, 1e-5);
        NEAR(t, weight_at(t, 0.5, outer + e), 0, 1e-12);
        CHECK(t, kin_abs(weight_at(t, 0.5, KIN_PI / 2 - 1e-9) - weight_at(t, 0.5, KIN_PI / 2 + 1e-9)) < 2e-7);
        end();
    }
}

/* Not Newton's third law: who flies behind sees, who flies in front does not. */
static void who_is_behind_follows(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(1, 3);
    def.eyes = KIN_EYES_OWL;
    add(t, "flock", &def);
    put(kin_v(0, 0, 0), kin_v(1, 0, 0), 0);
    put(kin_v(0.8, 0, 0), kin_v(1.5, 0, 0), 0);
    evaluate(t);
    CHECK(t, kin_length(pushed(0)) > 0.1);
    NEAR3(t, pushed(1), kin_v(0, 0, 0), 0);
    end();
}

/* ---- the share of one acceleration ---- */

/* H6.5c. */
static void demands_are_met_in_order(test* t)
{
    kin_vec3 two[] = {{3, 0, 0}, {0, 10, 0}};
    NEAR3(t, kin_flock_share(two, 2, 5), kin_v(3, 2, 0), 1e-15); /* 5 - |3| is left */
    NEAR3(t, kin_flock_share(two, 2, 0), kin_v(3, 10, 0), 0);
    NEAR3(t, kin_flock_share(two, 2, 2), kin_v(2, 0, 0), 1e-15);
    kin_vec3 three[] = {{0, 0, 0}, {3, 0, 0}, {-2, 0, 0}}; /* the rest is limit - |sum| of the vector: 5 - 1, not 5 - 5 */
    kin_vec3 four[] = {three[0], three[1], three[2], {0, 9, 0}};
    NEAR3(t, kin_flock_share(four, 4, 5), kin_v(1, 4, 0), 1e-15);
    kin_vec3 against[] = {{2, 0, 0}, {-1, 1, 0}}; /* nothing works against the first */
    NEAR3(t, kin_flock_share(against, 2, 0), kin_v(2, 1, 0), 1e-15);
    for (uint64_t i = 0; i < 2000; ++i) {
        kin_rng_key key = {.seed = 4, .serial = i};
        kin_vec3 demands[7];
        for (uint32_t k = 0; k < 7; ++k) demands[k] = i % 5 == k ? kin_v(0, 0, 0) : kin_rng_sphere(&key, k, 4);
        double limit = kin_rng_uniform(&key, 9, 0.1, 10);
        if (!CHECK(t, kin_length(kin_flock_share(demands, 7, limit)) <= limit * (1 + 1e-14))) break;
    }
}

static void never_more_than_the_limit(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(0.5, 1);
    def.limit = 3;
    def.speed = 4, def.drive = 2;
    def.leaders = (kin_names){(const char*[]){"leader"}, 1};
    def.predators = (kin_names){(const char*[]){"hawk"}, 1};
    def.obstacles.ahead = 3;
    def.obstacles.spheres = (kin_balls){&(kin_ball){{0, 0, 0}, 0.5}, 1};
    add(t, "flock", &def);
    scatter(1000, 3, 21);
    c.tags[5] = kin_fields_tag(&c.fields, "leader");
    c.tags[6] = kin_fields_tag(&c.fields, "hawk");
    double most = 0;
    for (int s = 0; s < 20; ++s) {
        step(t, 0.02);
        for (uint32_t i = 0; i < c.count; ++i) most = kin_max(most, kin_length(pushed(i)));
    }
    CHECK(t, most <= 3 * (1 + 1e-14));
    CHECK(t, most > 2.99);
    end();
}

/* ---- behaviour ---- */

/* H6.5d: a flock driven onto a ball and a collider goes round both. */
static void nobody_enters_the_obstacles(test* t)
{
    begin(t, 1);
    kin_ball ball = {{6, 0, 0}, 1};
    uint32_t index;
    kin_flock_field def = flock(0.6, 1.2);
    def.obstacles.ahead = 2;
    def.obstacles.margin = 0.15;
    def.obstacles.spheres = (kin_balls){&ball, 1};
    def.obstacles.limit = 60;
    def.limit = 60;
    def.apart = 0.2;
    add(t, "flock", &def);
    EQUAL(t, kin_solids_create(&t->allocator, &c.solids, NULL), KIN_OK);
    EQUAL(t,
          kin_solids_add(
              c.solids,
              &(kin_solid_def){.shape = &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {1.5, 2, 1.5}}, .pose = (kin_transform){{14, 0.3, 0}, {0, 0, 0, 1}}},
              &index, NULL),
          KIN_OK);
    kin_solids_refit(c.solids, 0.01);
    scatter(150, 1.2, 2);
    for (uint32_t i = 0; i < c.count; ++i) {
        for (int k = 0; k < 3; ++k) c.v[k][i] = k == 0 ? 3 : 0.1 * c.v[k][i];
    }
    double to_ball = 1e300, to_box = 1e300;
    for (int s = 0; s < 800; ++s) {
        kin_contact hit;
        step(t, 0.01);
        for (uint32_t i = 0; i < c.count; ++i) {
            to_ball = kin_min(to_ball, kin_distance(place(i), ball.center) - ball.radius);
            if (kin_solids_closest(c.solids, place(i), 0, 1, 0, &hit, 1) > 0) to_box = kin_min(to_box, hit.distance);
        }
    }
    CHECK(t, to_ball > 0 && to_ball < 1);
    CHECK(t, to_box > 0 && to_box < 1);
    end();
}

static kin_vec3 middle(uint32_t from, uint32_t to)
{
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t i = from; i < to; ++i) sum = kin_add_scaled(sum, 1.0 / (to - from), place(i));
    return sum;
}

static double spread(uint32_t from, uint32_t to)
{
    kin_vec3 at = middle(from, to);
    double sum = 0;
    for (uint32_t i = from; i < to; ++i) sum += kin_length2(kin_sub(place(i), at)) / (to - from);
    return kin_sqrt(sum);
}

static double disorder(void)
{
    kin_vec3 mean = {0, 0, 0};
    double sum = 0;
    for (uint32_t i = 0; i < c.count; ++i) mean = kin_add_scaled(mean, 1.0 / c.count, velocity(i));
    for (uint32_t i = 0; i < c.count; ++i) sum += kin_length2(kin_sub(velocity(i), mean)) / c.count;
    return kin_sqrt(sum);
}

/* Matching alone keeps momentum when all see all round, and brings all to one velocity. */
static void they_come_to_fly_alike(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(4, 8);
    def.apart = 0.05, def.match = 0.05, def.centre = 0.002;
    add(t, "flock", &def);
    scatter(100, 3, 6);
    double before = disorder();
    for (int s = 0; s < 300; ++s) step(t, 0.02);
    CHECK(t, disorder() < 0.1 * before);
    CHECK(t, spread(0, c.count) < 4);
    end();
}

static void leader_is_followed_and_feels_nothing(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(0.5, 1);
    def.leaders = (kin_names){(const char*[]){"queen"}, 1};
    def.follow = 2;
    def.limit = 20;
    add(t, "flock", &def);
    uint64_t queen = kin_fields_tag(&c.fields, "queen");
    scatter(60, 1.5, 8);
    uint32_t leader = put(kin_v(0, 0, 0), kin_v(1.5, 0, 0), queen);
    for (uint32_t i = 0; i < leader; ++i) c.v[0][i] = c.v[1][i] = c.v[2][i] = 0;
    for (int s = 0; s < 600; ++s) {
        step(t, 0.01);
        NEAR3(t, pushed(leader), kin_v(0, 0, 0), 0);
    }
    NEAR(t, place(leader).x, 9, 1e-10);
    CHECK(t, kin_distance(middle(0, leader), place(leader)) < 1.5); /* it left them 9 m behind */
    end();
    begin(t, 1);
    def.follow_range = 5;
    def.apart = def.match = def.centre = 0;
    add(t, "flock", &def);
    put(kin_v(0, 0, 0), kin_v(0, 0, 0), 0);
    put(kin_v(4, 0, 0), kin_v(0, 0, 0), queen);
    put(kin_v(-3, 0, 0), kin_v(0, 0, 0), queen);
    evaluate(t);
    NEAR3(t, pushed(0), kin_v(-6, 0, 0), 1e-14); /* the nearer of two */
    c.x[0][1] = 6, c.x[0][2] = -6;
    evaluate(t);
    NEAR3(t, pushed(0), kin_v(0, 0, 0), 0); /* out of range */
    end();
}

static void predators_scatter_the_flock(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(0.5, 1);
    def.predators = (kin_names){(const char*[]){"wolf", "hawk"}, 2};
    def.flee = 8, def.flee_range = 4;
    add(t, "flock", &def);
    scatter(80, 1.5, 12);
    for (uint32_t i = 0; i < 80; ++i) c.v[0][i] = c.v[1][i] = c.v[2][i] = 0;
    double calm = spread(0, 80);
    uint32_t wolf = put(kin_v(0, 0, 0), kin_v(0, 0, 0), kin_fields_tag(&c.fields, "hawk"));
    for (int s = 0; s < 200; ++s) {
        step(t, 0.01);
        NEAR3(t, pushed(wolf), kin_v(0, 0, 0), 0);
    }
    double nearest = 1e300;
    for (uint32_t i = 0; i < 80; ++i) nearest = kin_min(nearest, kin_distance(place(i), place(wolf)));
    CHECK(t, spread(0, 80) > 2 * calm);
    CHECK(t, nearest > 2);
    end();
    begin(t, 1); /* one of each in numbers; a predator is no neighbour */
    add(t, "flock", &def);
    put(kin_v(0, 0, 0), kin_v(0, 0, 0), 0);
    put(kin_v(0.4, 0, 0), kin_v(9, 9, 9), kin_fields_tag(&c.fields, "wolf"));
    evaluate(t);
    NEAR3(t, pushed(0), kin_v(-8 * 0.9, 0, 0), 1e-14);
    end();
}

/* Runners: nothing is done along the normal, whatever others do there. */
static void runners_stay_on_the_ground(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(0.5, 1);
    def.plane = kin_v(0, 2, 0);
    def.obstacles.ahead = 2;
    def.obstacles.spheres = (kin_balls){&(kin_ball){{2, 0.3, 0}, 0.7}, 1};
    def.speed = 2, def.drive = 1;
    add(t, "flock", &def);
    scatter(200, 3, 14);
    for (uint32_t i = 0; i < 200; ++i) c.x[1][i] = 0.2 * kin_sin(i), c.v[1][i] = i % 2;
    evaluate(t);
    double across = 0;
    for (uint32_t i = 0; i < 200; ++i) {
        NEAR(t, pushed(i).y, 0, 0);
        across = kin_max(across, kin_length(pushed(i)));
    }
    CHECK(t, across > 0.5);
    end();
}

static void speed_goes_to_the_cruising_speed(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(0.5, 1);
    def.speed = 3, def.drive = 2;
    add(t, "flock", &def);
    put(kin_v(0, 0, 0), kin_v(1, 0, 0), 0);
    put(kin_v(50, 0, 0), kin_v(0, 7, 0), 0);
    put(kin_v(90, 0, 0), kin_v(0, 0, 0), 0); /* at rest it does not know where to */
    evaluate(t);
    NEAR3(t, pushed(0), kin_v(4, 0, 0), 1e-14);
    NEAR3(t, pushed(1), kin_v(0, -8, 0), 1e-14);
    NEAR3(t, pushed(2), kin_v(0, 0, 0), 0);
    for (int s = 0; s < 500; ++s) step(t, 0.01);
    NEAR(t, kin_length(velocity(0)), 3, 1e-3);
    NEAR(t, kin_length(velocity(1)), 3, 1e-3);
    end();
}

/* Two flocks in one system do not see each other. */
static void flocks_by_tags_are_apart(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(0.5, 1);
    def.common.tags.data = (const char*[]){"fish"};
    def.common.tags.count = 1;
    add(t, "flock", &def);
    uint64_t fish = kin_fields_tag(&c.fields, "fish");
    put(kin_v(0, 0, 0), kin_v(0, 0, 0), fish);
    put(kin_v(0.2, 0, 0), kin_v(0, 0, 0), 0);
    put(kin_v(0, 0.3, 0), kin_v(0, 0, 0), fish);
    evaluate(t);
    NEAR(t, pushed(0).x, 0, 0);
    CHECK(t, pushed(0).y < -1);
    NEAR3(t, pushed(1), kin_v(0, 0, 0), 0);
    end();
}

/* ---- hunters ---- */

static kin_hunt_field hunt(void)
{
    static const char *const prey[] = {"sheep"}, *const hunters[] = {"wolf"};
    kin_hunt_field def;
    kin_field_default("hunt", &def);
    def.prey = (kin_names){prey, 1};
    def.common.tags.data = hunters;
    def.common.tags.count = 1;
    return def;
}

static void hunters_run_for_their_prey(test* t)
{
    for (int aim = 0; aim < 2; ++aim) {
        begin(t, 1);
        kin_hunt_field def = hunt();
        def.aim = (kin_hunt_aim)aim;
        def.speed = 6, def.response = 0.5, def.sight = 20;
        add(t, "hunt", &def);
        uint64_t wolf = kin_fields_tag(&c.fields, "wolf"), sheep = kin_fields_tag(&c.fields, "sheep");
        put(kin_v(0, 0, 0), kin_v(0, 1, 0), wolf);
        put(kin_v(4, 0, 0), kin_v(0, 0, 0), sheep);
        put(kin_v(-5, 0, 0), kin_v(0, 0, 0), sheep);
        put(kin_v(-7, 0, 0), kin_v(0, 0, 0), sheep);
        put(kin_v(0, 100, 0), kin_v(0, 0, 0), sheep); /* out of sight */
        put(kin_v(0, 0, 1), kin_v(0, 0, 0), 0);       /* no prey */
        evaluate(t);
        NEAR3(t, pushed(0), kin_v(aim == KIN_HUNT_NEAREST ? 12 : -12, -2, 0), 1e-13);
        for (uint32_t i = 1; i < c.count; ++i) NEAR3(t, pushed(i), kin_v(0, 0, 0), 0);
        end();
    }
}

static void hunters_catch_up(test* t)
{
    begin(t, 1);
    kin_hunt_field def = hunt();
    def.limit = 15;
    def.plane = kin_v(0, 1, 0);
    add(t, "hunt", &def);
    put(kin_v(-6, 0.5, 2), kin_v(0, 0, 0), kin_fields_tag(&c.fields, "wolf"));
    put(kin_v(0, 0, 0), kin_v(2, 0, 1), kin_fields_tag(&c.fields, "sheep"));
    double nearest = 1e300;
    for (int s = 0; s < 500; ++s) {
        step(t, 0.01);
        CHECK(t, kin_length(pushed(0)) <= 15 * (1 + 1e-14));
        nearest = kin_min(nearest, kin_distance(place(0), place(1)));
    }
    NEAR(t, place(0).y, 0.5, 0);
    CHECK(t, nearest < 0.7);
    end();
}

/* ---- errors and memory ---- */

static void refused(test* t, const char* kind, const void* def, const char* where)
{
    uint32_t index;
    kin_error error = {0};
    EQUAL(t, kin_fields_add(&c.fields, kin_field_named(kind), def, &index, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, where);
}

static void bad_defs_are_refused(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(1, 1);
    refused(t, "flock", &def, "flock");
    def = flock(-1, 1);
    refused(t, "flock", &def, "flock[0]");
    def = flock(1, 2);
    def.eyes = KIN_EYES_OWN;
    def.view[0] = def.view[1] = 2;
    refused(t, "flock", &def, "view");
    def = flock(1, 2);
    def.leaders = (kin_names){(const char*[]){"a name of far more than thirty-one letters"}, 1};
    refused(t, "flock", &def, "leaders");
    def = flock(1, 2);
    def.obstacles.margin = -1;
    refused(t, "flock", &def, "obstacles.margin");
    kin_hunt_field none = hunt();
    none.prey.count = 0;
    refused(t, "hunt", &none, "hunt");
    none = hunt();
    none.common.tags.count = 0;
    refused(t, "hunt", &none, "tags");
    EQUAL(t, c.fields.count, 0);
    end();
}

static void places_that_are_not_finite_are_reported(test* t)
{
    begin(t, 1);
    kin_flock_field def = flock(1, 2);
    add(t, "flock", &def);
    scatter(10, 1, 1);
    c.x[1][4] = 1e308 * 10;
    kin_mutual_cloud cloud = cloud_of();
    kin_error error = {0};
    EQUAL(t, kin_mutuals_evaluate(&c.mutuals, &cloud, &error), KIN_ERROR_NUMERICS);
    HAS(t, error.message, "point 4");
    c.count = 0; /* nobody at all */
    evaluate(t);
    end();
}

static bool flock_and_hunt(test* t, void* context)
{
    (void)context;
    memset(&c, 0, sizeof c);
    if (kin_jobs_init(&c.jobs, &t->allocator, NULL, 1, NULL) != KIN_OK) return false;
    kin_fields_init(&c.fields, &t->allocator, KIN_SIMD_NONE);
    kin_flock_field def = flock(1, 2);
    kin_hunt_field chase = hunt();
    uint32_t index;
    def.leaders = (kin_names){(const char*[]){"leader"}, 1};
    bool ok = kin_fields_add(&c.fields, kin_field_named("flock"), &def, &index, NULL) == KIN_OK
              && kin_fields_add(&c.fields, kin_field_named("hunt"), &chase, &index, NULL) == KIN_OK
              && kin_mutuals_sync(&c.mutuals, &c.fields, &t->allocator, NULL) == KIN_OK;
    scatter(50, 1, 1);
    kin_mutual_cloud cloud = cloud_of();
    ok = ok && kin_mutuals_evaluate(&c.mutuals, &cloud, NULL) == KIN_OK;
    end();
    return ok;
}

static void memory_that_fails_is_survived(test* t) { test_fail_each_allocation(t, flock_and_hunt, NULL); }

static void steady_steps_allocate_nothing(test* t)
{
    begin(t, 2);
    kin_flock_field def = flock(0.5, 1);
    add(t, "flock", &def);
    scatter(2000, 4, 1);
    step(t, 0.01);
    uint64_t before = t->allocations;
    for (int s = 0; s < 5; ++s) step(t, 0.001);
    EQUAL(t, t->allocations, before);
    end();
}

TEST_MAIN("flock", TEST(brute_force_agrees), TEST(strays_do_not_coarsen_the_cells), TEST(same_bits_on_every_width_and_thread_count), TEST(pair_in_numbers),
          TEST(weights_are_continuous), TEST(who_is_behind_follows), TEST(demands_are_met_in_order), TEST(never_more_than_the_limit),
          TEST(nobody_enters_the_obstacles), TEST(they_come_to_fly_alike), TEST(leader_is_followed_and_feels_nothing), TEST(predators_scatter_the_flock),
          TEST(runners_stay_on_the_ground), TEST(speed_goes_to_the_cruising_speed), TEST(flocks_by_tags_are_apart), TEST(hunters_run_for_their_prey),
          TEST(hunters_catch_up), TEST(bad_defs_are_refused), TEST(places_that_are_not_finite_are_reported), TEST(memory_that_fails_is_survived),
          TEST(steady_steps_allocate_nothing))
