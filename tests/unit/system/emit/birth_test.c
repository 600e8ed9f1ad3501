/* birth_test.c - a birth as a whole: its key, its instant within the step (H4.3c), moving emitters, clearance (C3.7.1), tables (H4.4e). */
#include "births.h"
#include "base/hash.h"
#include "math/quat.h"

enum { N = 20000 };
static kin_newborn born[N];
static double values[N];

static kin_emitter_def stream(void)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.direction = kin_v(1, 0, 0);
    def.speed[0] = 20;
    return def;
}

/* ---- keys ---- */

static void births_depend_on_their_number_alone(test* t) /* not on the step, nor on how births are spread over calls */
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 1};
    kin_emitter_def two[2] = {def, def};
    kin_emitters* emitters = NULL;
    EQUAL(t, kin_emitters_create(&t->allocator, two, 2, &emitters, NULL), KIN_OK);
    EQUAL(t, kin_emitters_count(emitters), 2);
    kin_emit_step step = step_at(0, 0, 0.1), later = step_at(77, 3, 0.2);
    kin_newborn other[10];
    kin_emitter_bear(emitters, 0, &step, 10, born);
    EQUAL(t, bear(t, &def, &later, 10, other), 10);
    for (int i = 0; i < 10; ++i) NEAR3(t, other[i].x, born[i].x, 0);
    kin_emitter_bear(emitters, 1, &step, 10, other); /* the other emitter has numbers of its own */
    for (int i = 0; i < 10; ++i) CHECK(t, kin_distance(other[i].x, born[i].x) > 1e-6);
    kin_emitter_bear(emitters, 0, &step, 1, other);
    EQUAL(t, other[0].number, 10);
    kin_rng_key key = kin_emit_key(&step, 1, 5), same = kin_emit_key(&later, 1, 5);
    CHECK(t, kin_rng_bits(&key, KIN_EMIT_DRAWS) == kin_rng_bits(&same, KIN_EMIT_DRAWS));
    kin_emitters_destroy(emitters);
}

static void births_have_the_same_bits_everywhere(test* t) /* any compiler, optimised or not */
{
    kin_emitter_def def = stream();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 1.5};
    def.speed[1] = 7;
    def.aperture = 0.8;
    def.spread = KIN_SPREAD_NORMAL;
    def.jitter = true;
    kin_emit_step step = step_at(0, 0, 0.01);
    EQUAL(t, bear(t, &def, &step, 1000, born), 1000);
    kin_hasher hasher;
    kin_hasher_begin(&hasher);
    for (int i = 0; i < 1000; ++i) {
        kin_hasher_add(&hasher, &born[i].x, sizeof born[i].x);
        kin_hasher_add(&hasher, &born[i].v, sizeof born[i].v);
        kin_hasher_add(&hasher, &born[i].age, sizeof born[i].age);
    }
    EQUAL(t, kin_hasher_end(&hasher), 0x3ADBA28AED6616BA);
}

/* ---- jitter ---- */

/* Points of a stream of 20 m/s, after 50 steps of 0.1 s with 100 births each: each moved on since its birth. */
static void run_stream(test* t, bool jitter)
{
    kin_emitter_def def = stream();
    def.jitter = jitter;
    kin_emitters* emitters = emitter_of(t, &def);
    for (int i = 0; i < 50; ++i) {
        kin_emit_step step = step_at((uint64_t)i, 0.1 * i, 0.1);
        EQUAL(t, kin_emitter_bear(emitters, 0, &step, 100, &born[100 * i]), 100);
        for (int k = 0; k < 100; ++k) values[100 * i + k] = (born[100 * i + k].x.x + 0.1 * (49 - i) * 20) / 100;
    }
    kin_emitters_destroy(emitters);
}

static void jitter_removes_the_sheets(test* t)
{
    run_stream(t, false); /* 50 sheets 2 m apart */
    for (int i = 0; i < 5000; ++i) NEAR(t, fmod(values[i] * 100 + 1, 2), 1, 1e-9);
    run_stream(t, true); /* even density */
    CHECK(t, ks_uniform(values, 5000) < 1.95);
    run_stream(t, true);
    for (int i = 0; i < 5000; ++i) values[i] = fmod(values[i] * 100, 2) / 2;
    CHECK(t, ks_uniform(values, 5000) < 1.95);
    for (int i = 0; i < 5000; ++i) NEAR(t, born[i].x.x, 20 * born[i].age, 1e-12); /* x0 + U h v0 */
    for (int i = 0; i < 5000; ++i) values[i] = born[i].age / 0.1;
    CHECK(t, ks_uniform(values, 5000) < 1.95);
}

/* ---- moving emitters ---- */

static void newborns_leave_from_where_the_collider_is(test* t)
{
    kin_emitter_def def = stream();
    def.speed[0] = 0;
    def.position = kin_v(1, 0, 0);
    def.collider = "cart";
    def.inherit = 0.5;
    kin_emit_step step = step_at(0, 0, 0.1);
    step.start = (kin_transform){kin_v(0, 0, 0), kin_quat_identity()};
    step.end = (kin_transform){kin_v(0, 0, 4), kin_quat_axis_angle(kin_v(0, 1, 0), KIN_PI / 2)}; /* x to -z */
    kin_newborn one;
    bear(t, &def, &step, 1, &one);
    NEAR3(t, one.x, kin_v(0, 0, 3), 1e-14); /* at the end of the step */
    NEAR3(t, one.v, kin_scale(kin_v(-KIN_PI / 0.2, 0, 40), 0.5), 1e-12);
    def.collider = NULL; /* poses are of no matter */
    bear(t, &def, &step, 1, &one);
    NEAR3(t, one.x, kin_v(1, 0, 0), 0);
    NEAR3(t, one.v, kin_v(0, 0, 0), 0);
}

static void jitter_is_along_the_moving_pose(test* t) /* with no velocity of their own, newborns lie on the path evenly; with all of it, beside the emitter */
{
    kin_emitter_def def = stream();
    def.speed[0] = 0;
    def.jitter = true;
    def.collider = "cart";
    def.inherit = 0;
    kin_emit_step step = step_at(0, 0, 0.1);
    step.end.position = kin_v(0, 0, 4);
    EQUAL(t, bear(t, &def, &step, N, born), N);
    for (int i = 0; i < N; ++i) {
        NEAR(t, born[i].x.z, 4 * (1 - born[i].age / 0.1), 1e-12);
        values[i] = born[i].x.z / 4;
    }
    CHECK(t, ks_uniform(values, N) < 1.95);
    def.inherit = 1;
    EQUAL(t, bear(t, &def, &step, 100, born), 100);
    for (int i = 0; i < 100; ++i) NEAR3(t, born[i].x, kin_v(0, 0, 4), 1e-12);
    def.inherit = 0; /* directions turn with the collider, too, as far as it is at the birth */
    def.speed[0] = 1;
    step.end.orientation = kin_quat_axis_angle(kin_v(0, 1, 0), KIN_PI / 2);
    EQUAL(t, bear(t, &def, &step, 100, born), 100);
    for (int i = 0; i < 100; ++i) NEAR(t, atan2(-born[i].v.z, born[i].v.x), KIN_PI / 2 * (1 - born[i].age / 0.1), 1e-12);
}

/* ---- clearance ---- */

static void newborns_do_not_overlap(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BOX, .size = {1, 1, 1}};
    def.clearance = true;
    kin_emitters* emitters = emitter_of(t, &def);
    kin_emit_step step = step_at(0, 0, 0.1);
    step.radius = 0.04;
    int64_t count = kin_emitter_bear(emitters, 0, &step, 2000, born);
    CHECK(t, count > 300 && count < 1200); /* random packing of spheres ends at a share of 0.38 of the space */
    for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < i; ++j) CHECK(t, kin_distance(born[i].x, born[j].x) >= 0.08 * (1 - 1e-12));
    }
    kin_emitters_destroy(emitters);
    emitters = emitter_of(t, &def); /* without memory for its cells it looks at all, with the same outcome */
    static kin_newborn slow[2000];
    t->fail_after = 0;
    t->allocations = 0;
    EQUAL(t, kin_emitter_bear(emitters, 0, &step, 2000, slow), count);
    t->fail_after = -1;
    for (int64_t i = 0; i < count; ++i) EQUAL(t, slow[i].number, born[i].number);
    step.radius = 0; /* points have room */
    EQUAL(t, kin_emitter_bear(emitters, 0, &step, 2000, born), 2000);
    kin_emitters_destroy(emitters);
}

static bool west_is_full(void* context, kin_vec3 at, double radius)
{
    *(int*)context += 1;
    return at.x - radius < 0;
}

static void newborns_keep_clear_of_solids_and_older_points(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BOX, .size = {4, 4, 4}};
    def.clearance = true;
    kin_solids* solids = NULL;
    uint32_t index;
    EQUAL(t, kin_solids_create(&t->allocator, &solids, NULL), KIN_OK);
    kin_shape ball = {.kind = KIN_SHAPE_SPHERE, .radius = 1};
    EQUAL(t, kin_solids_add(solids, &(kin_solid_def){.shape = &ball, .pose = kin_transform_identity()}, &index, NULL), KIN_OK);
    kin_solids_refit(solids, 0.1);
    kin_emit_step step = step_at(0, 0, 0.1);
    step.radius = 1e-3;
    step.solids = solids;
    int64_t count = bear(t, &def, &step, 5000, born);
    for (int64_t i = 0; i < count; ++i) CHECK(t, kin_length(born[i].x) >= 1.001 - 1e-12);
    NEAR(t, (double)count / 5000, 1 - 4 * KIN_PI / 3 / 64, 5 * 0.25 / sqrt(5000));
    int asked = 0;
    step.crowded = west_is_full;
    step.context = &asked;
    count = bear(t, &def, &step, 5000, born);
    CHECK(t, count > 2000 && asked > 4000);
    for (int64_t i = 0; i < count; ++i) CHECK(t, born[i].x.x >= 1e-3);
    def.clearance = false;
    EQUAL(t, bear(t, &def, &step, 5000, born), 5000);
    kin_solids_destroy(solids);
}

static void the_refused_do_not_count_as_born(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.burst = 50;
    def.period = 0.1;
    def.max_total[0] = 3;
    def.clearance = true;
    kin_emitters* emitters = emitter_of(t, &def);
    for (int i = 0; i < 5; ++i) { /* one place has room for one at a time */
        kin_emit_step step = step_at((uint64_t)i, 0.1 * i, 0.1);
        step.radius = 0.1;
        int64_t due = kin_emitter_due(emitters, 0, &step, 0);
        EQUAL(t, kin_emitter_bear(emitters, 0, &step, due, born), i < 3);
    }
    EQUAL(t, kin_emitter_born(emitters, 0), 3);
    kin_emitters_destroy(emitters);
}

static void steady_steps_allocate_nothing(test* t)
{
    kin_curve_key key;
    kin_emitter_def def = stream();
    def.rate = constant(&key, 1000);
    def.clearance = true;
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 1};
    def.table = 30;
    kin_emitters* emitters = emitter_of(t, &def);
    for (int i = 0; i < 20; ++i) {
        kin_emit_step step = step_at((uint64_t)i, 0.1 * i, 0.1);
        step.radius = 0.01;
        if (i == 1) t->allocations = 0;
        kin_emitter_bear(emitters, 0, &step, kin_emitter_due(emitters, 0, &step, 0), born);
    }
    EQUAL(t, t->allocations, 0);
    kin_emitters_destroy(emitters);
}

/* ---- tables ---- */

static void tables_come_round(test* t) /* a ball takes three numbers a birth: a table of 600 comes round after 200 births, and the speeds' after 600 */
{
    kin_emitter_def def = stream();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 1};
    def.speed[1] = 5;
    def.table = 600;
    kin_emit_step step = step_at(0, 0, 0.1);
    EQUAL(t, bear(t, &def, &step, 1800, born), 1800);
    for (int i = 0; i + 200 < 1800; ++i) NEAR3(t, born[i + 200].x, born[i].x, 0);
    for (int i = 0; i + 600 < 1800; ++i) NEAR3(t, born[i + 600].v, born[i].v, 0);
    for (int i = 0; i < 199; ++i) CHECK(t, kin_distance(born[i].x, born[i + 1].x) > 1e-6);
    for (int i = 0; i < 599; ++i) values[i] = fabs(born[i].v.x - born[i + 1].v.x);
    int alike = 0;
    for (int i = 0; i < 599; ++i) alike += values[i] == 0; /* but for those cut at the largest deviation */
    CHECK(t, alike <= 1);
    kin_newborn other = born[0];
    step.seed = 12;
    EQUAL(t, bear(t, &def, &step, 1, born), 1);
    CHECK(t, kin_distance(other.x, born[0].x) > 1e-6);
}

static void tables_have_the_same_distributions(test* t)
{
    kin_emitter_def def = stream();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 2};
    def.speed[1] = 5;
    def.table = 60013; /* not a multiple of three: every number is once each coordinate */
    kin_emit_step step = step_at(0, 0, 0.1);
    EQUAL(t, bear(t, &def, &step, N, born), N);
    for (int i = 0; i < N; ++i) values[i] = pow(kin_length(born[i].x) / 2, 3);
    CHECK(t, ks_uniform(values, N) < 1.95);
    for (int i = 0; i < N; ++i) values[i] = bell_share((born[i].v.x - 20) / 5);
    CHECK(t, ks_uniform(values, N) < 1.95);
}

TEST_MAIN("system/emit/birth", TEST(births_depend_on_their_number_alone), TEST(births_have_the_same_bits_everywhere), TEST(jitter_removes_the_sheets),
          TEST(newborns_leave_from_where_the_collider_is), TEST(jitter_is_along_the_moving_pose), TEST(newborns_do_not_overlap),
          TEST(newborns_keep_clear_of_solids_and_older_points), TEST(the_refused_do_not_count_as_born), TEST(steady_steps_allocate_nothing),
          TEST(tables_come_round), TEST(tables_have_the_same_distributions))
