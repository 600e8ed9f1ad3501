#include "system/fluid_skin.h"
#include "math/vec3.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, FLYING = 5, COUNT = SIDE * SIDE * SIDE + FLYING, WIDTH = 4 };

typedef struct bench {
    kin_jobs jobs;
    kin_capture capture;
    float at[COUNT][3], numbers[COUNT][WIDTH];
    uint64_t ids[COUNT];
    kin_fluid_skin_cloud cloud;
    kin_fluid_skin_def def;
    kin_fluid_skin_picture picture;
    kin_look look;
} bench;

/* A block of fluid a spacing of 1 m apart, and a row of drops above it; painted by height, all at 3 m/s along x. Drops come first, so that the order changes. */
static bench* begin(test* t)
{
    bench* b = calloc(1, sizeof *b);
    for (int i = 0; i < COUNT; ++i) {
        int k = i - FLYING;
        kin_vec3 x = i < FLYING ? kin_v(i, 20, 0) : kin_v(k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE);
        b->at[i][0] = (float)x.x, b->at[i][1] = (float)x.y, b->at[i][2] = (float)x.z;
        b->numbers[i][0] = 3, b->numbers[i][3] = b->at[i][1];
        b->ids[i] = 1000 + (uint64_t)i;
    }
    b->cloud = (kin_fluid_skin_cloud){.positions = b->at[0], .count = COUNT, .origin = {100, 0, 0}, .attributes = b->numbers[0], .attribute_width = WIDTH};
    b->def = (kin_fluid_skin_def){.kind = KIN_SKIN_ANISOTROPIC, .cell = 0.5, .spray = true};
    b->look = (kin_look){.surface = KIN_SURFACE_GLASS};
    b->picture = (kin_fluid_skin_picture){.name = "water", .look = &b->look, .map = KIN_COLORMAP_VIRIDIS, .low = 0, .high = SIDE - 1, .ids = b->ids};
    CHECK(t, kin_jobs_init(&b->jobs, &t->allocator, NULL, 1, NULL) == KIN_OK);
    kin_capture_init(&b->capture, &t->allocator);
    b->capture.jobs = &b->jobs;
    kin_capture_begin(&b->capture, 0, 0, 1, (kin_vec3){90, 0, 0});
    return b;
}

static const kin_frame* shoot(test* t, bench* b)
{
    CHECK(t, kin_fluid_skin_capture(&b->def, 1, &b->cloud, &b->picture, &b->capture, NULL) == KIN_OK);
    return kin_capture_end(&b->capture);
}

static void end(bench* b)
{
    kin_capture_term(&b->capture);
    kin_jobs_term(&b->jobs);
    free(b);
}

static const void* rows(test* t, const kin_frame* frame, const char* layer, const char* name, uint64_t count)
{
    static const uint64_t none[WIDTH];
    const kin_layer* l = kin_frame_layer(frame, layer);
    const kin_array* a = l != NULL ? kin_layer_array(l, name) : NULL;
    if (!test_check(t, a != NULL, __FILE__, __LINE__, "there is no %s of %s", name, layer)) return none;
    if (count > 0) EQUAL(t, a->count, count);
    return a->data;
}

static void a_fluid_becomes_a_surface_and_spray(test* t)
{
    bench* b = begin(t);
    const kin_frame* frame = shoot(t, b);
    EQUAL(t, frame->layer_count, 2);
    const uint64_t n = kin_layer_array(kin_frame_layer(frame, "water"), "position")->count;
    const float *p = rows(t, frame, "water", "position", n), *c = rows(t, frame, "water", "vertex_color", n), *v = rows(t, frame, "water", "velocity", n);
    rows(t, frame, "water", "normal", n);
    CHECK(t, kin_layer_array(kin_frame_layer(frame, "water"), "triangle")->count > n);
    for (uint64_t i = 0; i < n; ++i) { /* the cloud's origin is 10 m from the frame's; a level of the field is a spacing away at most */
        CHECK(t, p[3 * i] > 9 && p[3 * i] < 10 + SIDE && p[3 * i + 1] > -1 && p[3 * i + 1] < SIDE);
        NEAR(t, (double)v[3 * i], 3, 1e-5);
    }
    float high[3];
    kin_colormap_at(KIN_COLORMAP_VIRIDIS, 1, high);
    for (uint64_t i = 0; i < n; ++i) { /* green grows with height */
        if (p[3 * i + 1] < -0.2f) CHECK(t, c[3 * i + 1] < 0.3f * high[1]);
        if (p[3 * i + 1] > SIDE - 0.8f) CHECK(t, c[3 * i + 1] > 0.7f * high[1]);
    }
    const uint64_t *in_surface = rows(t, frame, "water", "particle_id", COUNT - FLYING), *in_spray = rows(t, frame, "water/1", "id", FLYING);
    for (uint64_t i = 0; i < FLYING; ++i) EQUAL(t, in_spray[i], 1000 + i);
    EQUAL(t, in_surface[0], 1000 + FLYING);
    const float* x = rows(t, frame, "water/1", "position", FLYING);
    NEAR(t, (double)x[3 * (FLYING - 1)], 10 + FLYING - 1, 1e-5);
    NEAR(t, (double)((const float*)rows(t, frame, "water/1", "radius", FLYING))[0], 0.5, 0);
    NEAR(t, (double)((const float*)rows(t, frame, "water/1", "velocity", FLYING))[0], 3, 0);
    NEAR(t, (double)((const float*)rows(t, frame, "water/1", "color", FLYING))[1], (double)high[1], 1e-6); /* above the scale's end */
    EQUAL(t, kin_frame_layer(frame, "water/1")->look.pattern, KIN_PATTERN_DROPLETS);
    end(b);
}

static void without_spray_drops_have_surfaces(test* t)
{
    bench* b = begin(t);
    b->def.spray = false;
    b->picture.ids = NULL;
    b->picture.map = KIN_COLORMAPS;
    const kin_frame* frame = shoot(t, b);
    EQUAL(t, frame->layer_count, 1);
    const kin_layer* layer = kin_frame_layer(frame, "water");
    CHECK(t, kin_layer_array(layer, "vertex_color") == NULL && kin_layer_array(layer, "particle_id") == NULL);
    const kin_array* position = kin_layer_array(layer, "position");
    float top = 0;
    for (uint64_t i = 0; i < position->count; ++i) top = fmaxf(top, ((const float*)position->data)[3 * i + 1]);
    CHECK(t, top > 20);
    end(b);
}

static void spray_alone_has_no_surface(test* t)
{
    bench* b = begin(t);
    b->cloud.count = FLYING;
    const kin_frame* frame = shoot(t, b);
    EQUAL(t, frame->layer_count, 1);
    rows(t, frame, "water/1", "position", FLYING);
    end(b);
}

/* Twelve in a row within 1.5 spacings are a clump with a surface; eleven are spray; a gap of more than 1.5 parts them. */
static void clumps_are_parted_by_size(test* t)
{
    enum { MOST = 24 };
    static const struct {
        uint32_t count, gap_after; /* of 1.6 spacings */
        bool is_spray;
    } rows_of[] = {{11, 0, true}, {12, 0, false}, {22, 11, true}, {24, 12, false}};
    kin_jobs jobs;
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) == KIN_OK);
    for (size_t k = 0; k < sizeof rows_of / sizeof *rows_of; ++k) {
        float at[MOST][3] = {{0}};
        uint8_t is_spray[MOST];
        for (uint32_t i = 1; i < rows_of[k].count; ++i) at[i][2] = at[i - 1][2] + (i == rows_of[k].gap_after ? 1.6f : 1.4f) * 0.1f;
        const kin_fluid_skin_cloud cloud = {.positions = at[0], .count = rows_of[k].count};
        CHECK(t, kin_fluid_skin_spray(&t->allocator, &jobs, 0.1, &cloud, is_spray, NULL) == KIN_OK);
        for (uint32_t i = 0; i < rows_of[k].count; ++i) EQUAL(t, is_spray[i], rows_of[k].is_spray);
    }
    kin_jobs_term(&jobs);
}

static void what_cannot_be_drawn_is_refused(test* t)
{
    kin_error error;
    bench* b = begin(t);
    b->cloud.attribute_width = 3;
    CHECK(t, kin_fluid_skin_capture(&b->def, 1, &b->cloud, &b->picture, &b->capture, &error) == KIN_ERROR_ARGUMENT);
    CHECK(t, strstr(error.message, "needs 4 attributes") != NULL);
    b->cloud.attribute_width = WIDTH;
    b->at[7][1] = (float)NAN;
    for (int spray = 0; spray < 2; ++spray) {
        b->def.spray = spray;
        CHECK(t, kin_fluid_skin_capture(&b->def, 1, &b->cloud, &b->picture, &b->capture, &error) == KIN_ERROR_ARGUMENT);
    }
    b->at[7][1] = 1e9f;
    CHECK(t, kin_fluid_skin_capture(&b->def, 1, &b->cloud, &b->picture, &b->capture, &error) == KIN_OK); /* far spray has no mesh */
    b->def.spray = false;
    CHECK(t, kin_fluid_skin_capture(&b->def, 1, &b->cloud, &b->picture, &b->capture, &error) == KIN_ERROR_LIMIT);
    end(b);
}

TEST_MAIN("fluid skin", TEST(a_fluid_becomes_a_surface_and_spray), TEST(without_spray_drops_have_surfaces), TEST(spray_alone_has_no_surface),
          TEST(clumps_are_parted_by_size), TEST(what_cannot_be_drawn_is_refused))
