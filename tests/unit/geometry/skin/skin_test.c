#include "geometry/skin/skin.h"
#include "base/hash.h"
#include "math/scalar.h"
#include "support/test.h"
#include "unit/geometry/isosurface/counting.h"
#include "unit/geometry/shapes.h"
#include <string.h>

#define GOLDEN 0xf9de18311266a7e0u

typedef struct drops {
    float (*at)[4];
    uint32_t count;
} drops;

static void drop(drops* d, double x, double y, double z)
{
    float* p = d->at[d->count++];
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z, p[3] = 7;
}

/* Shells of particles one spacing apart, evenly spread: a ball that ends half a spacing beyond the last. */
static drops ball_of(int shells)
{
    drops d = {.at = malloc((size_t)(14 * shells * shells * shells + 100) * sizeof *d.at)};
    for (int s = 0; s < shells; ++s) {
        double radius = s + 0.5;
        int count = (int)(4 * KIN_PI * (radius * radius + 1.0 / 12)); /* the volume between s and s + 1 */
        for (int i = 0; i < count; ++i) {
            double z = 1 - (2 * i + 1.0) / count, across = sqrt(1 - z * z), angle = 2.399963229728653 * i + s;
            drop(&d, radius * across * cos(angle), radius * across * sin(angle), radius * z);
        }
    }
    return d;
}

/* Layers 0 to depth - 1; the border is half a spacing above the last. */
static drops pool_of(int side, int depth, double jitter)
{
    drops d = {.at = malloc((size_t)(side * side * depth) * sizeof *d.at)};
    dice r = {8};
    for (int z = 0; z < side; ++z) {
        for (int y = 0; y < depth; ++y) {
            for (int x = 0; x < side; ++x) {
                kin_vec3 j = roll3(&r, jitter);
                drop(&d, x + j.x, y + j.y, z + j.z);
            }
        }
    }
    return d;
}

static kin_result make(test* t, int threads, const kin_fluid_skin_settings* s, const drops* d, kin_fluid_skin* out, kin_error* error)
{
    kin_jobs jobs;
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads, NULL) == KIN_OK);
    kin_fluid_skin_cloud cloud = {.positions = d->at != NULL ? d->at[0] : NULL, .stride = 4, .count = d->count, .origin = {100, 200, 300}};
    kin_result result = kin_fluid_skin_make(&t->allocator, &jobs, s, &cloud, out, error);
    kin_jobs_term(&jobs);
    return result;
}

static double volume_of(const kin_fluid_skin* s)
{
    double sum = 0;
    for (size_t i = 0; i < s->triangle_count; ++i) {
        kin_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            const float* v = s->vertices + 3 * (size_t)s->corners[3 * i + (size_t)k];
            p[k] = kin_v((double)v[0], (double)v[1], (double)v[2]);
        }
        sum += kin_triple(p[0], p[1], p[2]) / 6;
    }
    return sum;
}

static kin_vec3 at3(const float* p) { return kin_v((double)p[0], (double)p[1], (double)p[2]); }

static kin_fluid_skin_settings plain(int kind)
{
    kin_fluid_skin_settings s = kin_fluid_skin_settings_default(1);
    s.kind = (kin_fluid_skin_kind)kind;
    return s;
}

/* The border is off by a tenth of a spacing at most, so the volume by 3 x 0.1 / 10; normals turn by the bumps of single particles: 0.15 rad. */
static void a_ball_is_closed_and_as_large_as_its_particles(test* t)
{
    drops d = ball_of(10);
    for (int kind = 0; kind < KIN_SKIN_KINDS; ++kind) {
        kin_fluid_skin_settings s = plain(kind);
        kin_fluid_skin skin;
        CHECK(t, make(t, 1, &s, &d, &skin, NULL) == KIN_OK);
        counts c = count_up(skin.corners, skin.triangle_count, skin.vertex_count);
        CHECK(t, c.sound && c.borders == 0 && c.vertices == (long)skin.vertex_count);
        EQUAL(t, c.components, 1);
        EQUAL(t, euler(&c), 2);
        NEAR(t, volume_of(&skin), 4 * KIN_PI / 3 * 1000, 4 * KIN_PI / 3 * 1000 * 0.03);
        double mean = 0;
        for (size_t v = 0; v < skin.vertex_count; ++v) {
            kin_vec3 at = at3(skin.vertices + 3 * v), normal = at3(skin.normals + 3 * v);
            NEAR(t, kin_length(normal), 1, 1e-6);
            mean += kin_dot(at, normal) / kin_length(at) / (double)skin.vertex_count;
        }
        CHECK(t, mean > cos(0.15));
        kin_fluid_skin_term(&skin);
    }
    free(d.at);
}

typedef struct flatness {
    double height, roughness, volume;
} flatness;

static flatness flatness_of(test* t, const drops* d, const kin_fluid_skin_settings* s)
{
    kin_fluid_skin skin;
    CHECK(t, make(t, 1, s, d, &skin, NULL) == KIN_OK);
    double sum = 0, square = 0, n = 0;
    for (size_t v = 0; v < skin.vertex_count; ++v) {
        const float* p = skin.vertices + 3 * v;
        if (p[0] < 8 || p[0] > 21 || p[2] < 8 || p[2] > 21 || p[1] < 4) continue; /* far from the rim */
        sum += (double)p[1] - 8, square += kin_square((double)p[1] - 8), n += 1;
    }
    flatness f = {8 + sum / n, sqrt(square / n - kin_square(sum / n)), volume_of(&skin)};
    kin_fluid_skin_term(&skin);
    return f;
}

static void flat_pools_are_flat_and_as_high_as_their_particles(test* t)
{
    drops still = pool_of(30, 8, 0), rough = pool_of(30, 8, 0.2); /* up to a fifth of a spacing each way */
    flatness f[KIN_SKIN_KINDS];
    for (int kind = 0; kind < KIN_SKIN_KINDS; ++kind) {
        kin_fluid_skin_settings s = plain(kind);
        flatness calm = flatness_of(t, &still, &s);
        NEAR(t, calm.height, 7.5, kind == KIN_SKIN_ANISOTROPIC ? 0.1 : 0.02); /* as the level says */
        CHECK(t, calm.roughness < 0.02);
        f[kind] = flatness_of(t, &rough, &s);
        NEAR(t, f[kind].height, 7.5, 0.1);
    }
    CHECK(t, f[KIN_SKIN_ANISOTROPIC].roughness < 0.1 * 0.5);                         /* a tenth of a cell */
    CHECK(t, f[KIN_SKIN_ANISOTROPIC].roughness < 0.6 * f[KIN_SKIN_COLOR].roughness); /* what it is for */
    CHECK(t, f[KIN_SKIN_ANISOTROPIC].roughness < 0.6 * f[KIN_SKIN_ZHU_BRIDSON].roughness);
    kin_fluid_skin_settings smooth = plain(KIN_SKIN_COLOR);
    smooth.smoothing = 100; /* a bump 4 spacings long, k = (2 pi / 8)^2 / 4: (1 - 0.5 k)(1 + 0.505 k) is 0.9948 a pass, 0.6 in all; shorter ones vanish */
    flatness after = flatness_of(t, &rough, &smooth);
    CHECK(t, after.roughness < 0.8 * f[KIN_SKIN_COLOR].roughness);
    NEAR(t, after.volume, f[KIN_SKIN_COLOR].volume, 0.005 * f[KIN_SKIN_COLOR].volume); /* corners lose a little; flat parts nothing */
    NEAR(t, after.height, f[KIN_SKIN_COLOR].height, 0.005);
    free(still.at);
    free(rough.at);
}

/* At most: a ball of the particle's volume has radius 0.62. COLOR: (1 - r^2/4)^3 = level. ZHU_BRIDSON: the level itself. */
static void few_particles_have_drops_and_none_have_none(test* t)
{
    static const double radius[KIN_SKIN_KINDS] = {0.7806, 0.5453, 0.6204};
    for (int kind = 0; kind < KIN_SKIN_KINDS; ++kind) {
        kin_fluid_skin_settings s = plain(kind);
        s.cell = 0.125;
        kin_fluid_skin skin;
        drops d = {.at = malloc(1000 * sizeof *d.at)};
        CHECK(t, make(t, 1, &s, &d, &skin, NULL) == KIN_OK && skin.vertex_count == 0 && skin.triangle_count == 0);
        drop(&d, 3.3, 4.4, 5.5);
        CHECK(t, make(t, 1, &s, &d, &skin, NULL) == KIN_OK);
        CHECK(t, skin.vertex_count > 100);
        for (size_t v = 0; v < skin.vertex_count; ++v) NEAR(t, kin_length(kin_sub(at3(skin.vertices + 3 * v), kin_v(3.3, 4.4, 5.5))), radius[kind], 0.005);
        kin_fluid_skin_term(&skin);
        drop(&d, 1e5, -1e5, 1e5); /* a box round both has 1e18 cells */
        CHECK(t, make(t, 1, &s, &d, &skin, NULL) == KIN_OK);
        counts c = count_up(skin.corners, skin.triangle_count, skin.vertex_count);
        CHECK(t, c.components == 2 && c.borders == 0 && c.sound);
        kin_fluid_skin_term(&skin);
        d.count = 0;
        for (int i = 0; i < 1000; ++i) drop(&d, -7, 8, 9); /* all at one place */
        CHECK(t, make(t, 1, &s, &d, &skin, NULL) == KIN_OK);
        c = count_up(skin.corners, skin.triangle_count, skin.vertex_count);
        CHECK(t, c.components == 1 && c.borders == 0 && c.sound);
        for (size_t v = 0; v < 3 * skin.vertex_count; ++v) CHECK(t, kin_finite((double)skin.vertices[v]));
        kin_fluid_skin_term(&skin);
        free(d.at);
    }
}

static void threads_and_lanes_give_the_same_bits(test* t)
{
    drops d = pool_of(16, 9, 0.3);
    for (int kind = 0; kind < KIN_SKIN_KINDS; ++kind) {
        kin_fluid_skin_settings s = plain(kind);
        kin_fluid_skin first, skin;
        s.smoothing = kind; /* 0: normals of the field */
        CHECK(t, make(t, 1, &s, &d, &first, NULL) == KIN_OK);
        for (int way = 0; way < 4; ++way) {
            s.simd = way == 2 ? KIN_SIMD_NONE : way == 3 ? KIN_SIMD_SSE2 : kin_simd_best();
            CHECK(t, make(t, way == 0 ? 2 : way == 1 ? 8 : 1, &s, &d, &skin, NULL) == KIN_OK);
            if (EQUAL(t, skin.vertex_count, first.vertex_count) && EQUAL(t, skin.triangle_count, first.triangle_count)) {
                CHECK(t, memcmp(skin.vertices, first.vertices, skin.vertex_count * 3 * sizeof *skin.vertices) == 0);
                CHECK(t, memcmp(skin.normals, first.normals, skin.vertex_count * 3 * sizeof *skin.normals) == 0);
                CHECK(t, memcmp(skin.corners, first.corners, skin.triangle_count * 3 * sizeof *skin.corners) == 0);
            }
            kin_fluid_skin_term(&skin);
        }
        kin_fluid_skin_term(&first);
    }
    free(d.at);
}

static void the_bits_are_always_these(test* t) /* golden: every compiler, debug and release */
{
    drops d = pool_of(12, 6, 0.3);
    kin_hasher hasher;
    kin_hasher_begin(&hasher);
    for (int kind = 0; kind < KIN_SKIN_KINDS; ++kind) {
        kin_fluid_skin_settings s = plain(kind);
        kin_fluid_skin skin;
        s.smoothing = kind;
        CHECK(t, make(t, 1, &s, &d, &skin, NULL) == KIN_OK);
        kin_hasher_add(&hasher, skin.vertices, skin.vertex_count * 3 * sizeof *skin.vertices);
        kin_hasher_add(&hasher, skin.normals, skin.vertex_count * 3 * sizeof *skin.normals);
        kin_hasher_add(&hasher, skin.corners, skin.triangle_count * 3 * sizeof *skin.corners);
        kin_fluid_skin_term(&skin);
    }
    EQUAL(t, kin_hasher_end(&hasher), GOLDEN);
    free(d.at);
}

static void the_grid_is_bound_to_the_world(test* t) /* the same places from another origin: the same mesh, moved; numbers chosen exact */
{
    drops d = pool_of(8, 5, 0);
    kin_fluid_skin_settings s = plain(KIN_SKIN_ANISOTROPIC);
    kin_jobs jobs;
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) == KIN_OK);
    kin_fluid_skin a, b;
    kin_fluid_skin_cloud cloud = {.positions = d.at[0], .stride = 4, .count = d.count, .origin = {0.25, 7, -3}};
    CHECK(t, kin_fluid_skin_make(&t->allocator, &jobs, &s, &cloud, &a, NULL) == KIN_OK);
    for (uint32_t i = 0; i < d.count; ++i) d.at[i][0] += 3.5f;
    cloud.origin.x -= 3.5;
    CHECK(t, kin_fluid_skin_make(&t->allocator, &jobs, &s, &cloud, &b, NULL) == KIN_OK);
    EQUAL(t, a.vertex_count, b.vertex_count);
    for (size_t v = 0; v < a.vertex_count && v < b.vertex_count; ++v)
        NEAR3(t, at3(b.vertices + 3 * v), kin_add(at3(a.vertices + 3 * v), kin_v(3.5, 0, 0)), 1e-5);
    kin_fluid_skin_term(&a);
    kin_fluid_skin_term(&b);
    kin_jobs_term(&jobs);
    free(d.at);
}

static void attributes_are_those_of_the_particles_near(test* t) /* a constant is kept, a slope is followed within a spacing */
{
    drops d = pool_of(20, 6, 0.1);
    float* two = malloc(2 * d.count * sizeof *two);
    for (uint32_t i = 0; i < d.count; ++i) two[2 * i] = 3, two[2 * i + 1] = d.at[i][0];
    kin_jobs jobs;
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) == KIN_OK);
    for (int kind = 0; kind < KIN_SKIN_KINDS; ++kind) {
        kin_fluid_skin_settings s = plain(kind);
        kin_fluid_skin_cloud cloud = {.positions = d.at[0], .stride = 4, .count = d.count, .attributes = two, .attribute_width = 2};
        kin_fluid_skin skin;
        CHECK(t, kin_fluid_skin_make(&t->allocator, &jobs, &s, &cloud, &skin, NULL) == KIN_OK);
        for (size_t v = 0; v < skin.vertex_count; ++v) {
            NEAR(t, (double)skin.attributes[2 * v], 3, 1e-5);
            NEAR(t, (double)skin.attributes[2 * v + 1], (double)skin.vertices[3 * v], 1.5);
        }
        kin_fluid_skin_term(&skin);
    }
    two[7] = (float)NAN;
    kin_fluid_skin skin;
    kin_error error;
    kin_fluid_skin_settings s = plain(KIN_SKIN_COLOR);
    kin_fluid_skin_cloud cloud = {.positions = d.at[0], .stride = 4, .count = d.count, .attributes = two, .attribute_width = 2};
    CHECK(t, kin_fluid_skin_make(&t->allocator, &jobs, &s, &cloud, &skin, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "attribute 1 of particle 3");
    kin_jobs_term(&jobs);
    free(two);
    free(d.at);
}

static void bad_input_is_refused_by_name(test* t)
{
    drops d = pool_of(3, 3, 0);
    kin_fluid_skin skin;
    kin_error error;
    kin_fluid_skin_settings good = plain(KIN_SKIN_ANISOTROPIC), s;
    struct {
        const char* where;
        kin_fluid_skin_settings s;
    } cases[5];
    s = good, s.spacing = 0, cases[0].where = "spacing", cases[0].s = s;
    s = good, s.cell = 3, cases[1].where = "cell", cases[1].s = s;
    s = good, s.level = -1, cases[2].where = "level", cases[2].s = s;
    s = good, s.smoothing = -1, cases[3].where = "smoothing", cases[3].s = s;
    s = good, s.kind = KIN_SKIN_KINDS, cases[4].where = "kind", cases[4].s = s;
    for (int i = 0; i < 5; ++i) {
        CHECK(t, make(t, 1, &cases[i].s, &d, &skin, &error) == KIN_ERROR_ARGUMENT);
        TEXT(t, error.where, cases[i].where);
    }
    d.at[13][1] = (float)NAN;
    CHECK(t, make(t, 1, &good, &d, &skin, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "particle 13 of 27");
    d.at[13][1] = 1e8f;
    CHECK(t, make(t, 1, &good, &d, &skin, &error) == KIN_ERROR_LIMIT);
    HAS(t, error.message, "apart");
    CHECK(t, skin.vertices == NULL && skin.vertex_count == 0);
    free(d.at);
}

static bool make_once(test* t, void* context)
{
    const drops* d = context;
    kin_jobs jobs;
    if (kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) != KIN_OK) return false;
    kin_fluid_skin_settings s = plain(KIN_SKIN_ANISOTROPIC);
    s.smoothing = 1;
    float ones[27];
    for (int i = 0; i < 27; ++i) ones[i] = 1;
    kin_fluid_skin_cloud cloud = {.positions = d->at[0], .stride = 4, .count = d->count, .attributes = ones, .attribute_width = 1};
    kin_fluid_skin skin;
    bool ok = kin_fluid_skin_make(&t->allocator, &jobs, &s, &cloud, &skin, NULL) == KIN_OK;
    kin_fluid_skin_term(&skin);
    kin_jobs_term(&jobs);
    return ok;
}

static void failing_memory_leaks_nothing(test* t)
{
    drops d = pool_of(3, 3, 0);
    test_fail_each_allocation(t, make_once, &d);
    free(d.at);
}

TEST_MAIN("skin", TEST(a_ball_is_closed_and_as_large_as_its_particles), TEST(flat_pools_are_flat_and_as_high_as_their_particles),
          TEST(few_particles_have_drops_and_none_have_none), TEST(threads_and_lanes_give_the_same_bits), TEST(the_bits_are_always_these),
          TEST(the_grid_is_bound_to_the_world), TEST(attributes_are_those_of_the_particles_near), TEST(bad_input_is_refused_by_name),
          TEST(failing_memory_leaks_nothing))
