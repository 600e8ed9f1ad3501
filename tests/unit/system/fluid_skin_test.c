#include "system/fluid_skin.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>

enum { SIDE = 8, COUNT = SIDE * SIDE * SIDE };

typedef struct bench {
    kin_jobs jobs;
    kin_capture capture;
    float at[COUNT][3], height[COUNT];
    kin_fluid_skin_cloud cloud;
} bench;

static bench* begin(test* t)
{
    bench* b = calloc(1, sizeof *b);
    for (int i = 0; i < COUNT; ++i) {
        b->at[i][0] = (float)(i % SIDE), b->at[i][1] = (float)(i / SIDE % SIDE), b->at[i][2] = (float)(i / SIDE / SIDE);
        b->height[i] = b->at[i][1];
    }
    b->cloud = (kin_fluid_skin_cloud){.positions = b->at[0], .count = COUNT, .origin = {100, 0, 0}, .attributes = b->height, .attribute_width = 1};
    CHECK(t, kin_jobs_init(&b->jobs, &t->allocator, NULL, 1, NULL) == KIN_OK);
    kin_capture_init(&b->capture, &t->allocator);
    kin_capture_begin(&b->capture, 0, 0, 1, (kin_vec3){90, 0, 0});
    return b;
}

static void end(bench* b)
{
    kin_capture_term(&b->capture);
    kin_jobs_term(&b->jobs);
    free(b);
}

static void a_fluid_becomes_a_layer(test* t)
{
    bench* b = begin(t);
    kin_fluid_skin_def def = kin_fluid_skin_def_default();
    EQUAL(t, def.kind, KIN_SKIN_ANISOTROPIC);
    kin_fluid_skin_picture picture = {
        .name = "water", .look = &(kin_look){.surface = KIN_SURFACE_GLASS}, .map = KIN_COLORMAP_VIRIDIS, .low = 0, .high = SIDE - 1};
    CHECK(t, kin_fluid_skin_capture(&def, 1, &b->jobs, &b->cloud, &picture, &b->capture, NULL) == KIN_OK);
    const kin_frame* frame = kin_capture_end(&b->capture);
    const kin_layer* layer = kin_frame_layer(frame, "water");
    if (CHECK(t, layer != NULL && layer->kind == KIN_LAYER_MESH)) {
        const kin_array *position = kin_layer_array(layer, "position"), *color = kin_layer_array(layer, "vertex_color");
        EQUAL(t, kin_layer_array(layer, "normal")->count, position->count);
        EQUAL(t, color->count, position->count);
        CHECK(t, kin_layer_array(layer, "triangle")->count > position->count);
        const float* p = position->data;
        for (uint64_t i = 0; i < position->count; ++i) { /* the cloud's origin is 10 m from the frame's; a level of the field is a spacing away at most */
            CHECK(t, p[3 * i] > 9 && p[3 * i] < 10 + SIDE && p[3 * i + 1] > -1 && p[3 * i + 1] < SIDE);
        }
        float low[3], high[3];
        kin_colormap_at(KIN_COLORMAP_VIRIDIS, 0, low);
        kin_colormap_at(KIN_COLORMAP_VIRIDIS, 1, high);
        const float* c = color->data;
        for (uint64_t i = 0; i < color->count; ++i) { /* green grows with height */
            if (p[3 * i + 1] < -0.2f) CHECK(t, c[3 * i + 1] < 0.3f * high[1]);
            if (p[3 * i + 1] > SIDE - 0.8f) CHECK(t, c[3 * i + 1] > 0.5f * high[1]);
        }
    }
    end(b);
}

static void velocities_come_along(test* t) /* a shear flow: vx = 2 y, and a scalar after it */
{
    bench* b = begin(t);
    static float flow[COUNT][4];
    for (int i = 0; i < COUNT; ++i) flow[i][0] = 2 * b->at[i][1], flow[i][1] = 0, flow[i][2] = -1, flow[i][3] = 1;
    b->cloud.attributes = flow[0], b->cloud.attribute_width = 4;
    kin_fluid_skin_def def = kin_fluid_skin_def_default();
    kin_fluid_skin_picture picture = {
        .name = "water", .look = &(kin_look){.surface = KIN_SURFACE_GLASS}, .velocity = true, .map = KIN_COLORMAP_WATER, .low = 0, .high = 1};
    CHECK(t, kin_fluid_skin_capture(&def, 1, &b->jobs, &b->cloud, &picture, &b->capture, NULL) == KIN_OK);
    const kin_layer* layer = kin_frame_layer(kin_capture_end(&b->capture), "water");
    const kin_array *position = kin_layer_array(layer, "position"), *velocity = kin_layer_array(layer, "velocity"),
                    *color = kin_layer_array(layer, "vertex_color");
    if (CHECK(t, velocity != NULL && velocity->count == position->count && color != NULL)) {
        const float *p = position->data, *v = velocity->data, *c = color->data;
        for (uint64_t i = 0; i < position->count; ++i) {
            NEAR(t, (double)v[3 * i], 2 * (double)p[3 * i + 1], 2 * 1.5); /* the mean of what is within 2 spacings, on one side */
            NEAR(t, (double)v[3 * i + 2], -1, 1e-5);
            NEAR(t, (double)c[3 * i], 1, 1e-4);
        }
    }
    picture.map = KIN_COLORMAPS;
    b->cloud.attribute_width = 2;
    kin_error error;
    CHECK(t, kin_fluid_skin_capture(&def, 1, &b->jobs, &b->cloud, &picture, &b->capture, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "asks for 3 attributes");
    end(b);
}

static void no_fluid_is_no_layer_and_bad_ones_are_refused(test* t)
{
    bench* b = begin(t);
    kin_fluid_skin_def def = kin_fluid_skin_def_default();
    kin_fluid_skin_picture picture = {.name = "water", .look = &(kin_look){.surface = KIN_SURFACE_GLASS}, .map = KIN_COLORMAPS};
    b->cloud.count = 0;
    CHECK(t, kin_fluid_skin_capture(&def, 1, &b->jobs, &b->cloud, &picture, &b->capture, NULL) == KIN_OK);
    b->cloud.count = COUNT, b->at[5][0] = (float)NAN;
    kin_error error;
    CHECK(t, kin_fluid_skin_capture(&def, 1, &b->jobs, &b->cloud, &picture, &b->capture, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "particle 5");
    EQUAL(t, kin_capture_end(&b->capture)->layer_count, 0);
    end(b);
}

TEST_MAIN("fluid_skin", TEST(a_fluid_becomes_a_layer), TEST(velocities_come_along), TEST(no_fluid_is_no_layer_and_bad_ones_are_refused))
