/* capture_test.c - layers, arrays, hashes, meshes of plain shapes. */
#include "math/vec3.h"
#include "support/test.h"
#include "system/capture_form.h"
#include <string.h>

static const kin_look plain = {.color = {1, 1, 1}};

static void arrays_are_named_and_hashed(test* t)
{
    kin_capture c;
    uint64_t hashes[2];
    kin_capture_init(&c, &t->allocator);
    for (int round = 0; round < 2; ++round) {
        kin_capture_begin(&c, 3, 0.5, 0.1, kin_v(0, 0, 0));
        kin_capture_layer(&c, "dust", KIN_LAYER_POINTS, &plain);
        float* x = kin_capture_array(&c, "position", KIN_F32, 3, 2);
        for (int i = 0; i < 6; ++i) x[i] = (float)i;
        kin_capture_array(&c, "id", KIN_U64, 1, 0);
        const kin_frame* f = kin_capture_end(&c);
        CHECK(t, f != NULL && f->layer_count == 1 && f->index == 3);
        const kin_layer* layer = kin_frame_layer(f, "dust");
        const kin_array* a = kin_layer_array(layer, "position");
        CHECK(t, a != NULL && a->count == 2 && ((const float*)a->data)[5] == 5);
        CHECK(t, kin_layer_array(layer, "color") == NULL && kin_frame_layer(f, "smoke") == NULL);
        hashes[round] = a->hash;
    }
    CHECK(t, hashes[0] == hashes[1]);
    kin_capture_term(&c);
}

/* Closed, counter-clockwise: the volume by signed tetrahedra is that of the shape, from below. */
static double mesh_volume(const kin_layer* layer)
{
    const float* x = kin_layer_array(layer, "position")->data;
    const kin_array* triangles = kin_layer_array(layer, "triangle");
    double volume = 0;
    for (uint64_t i = 0; i < triangles->count; ++i) {
        const uint32_t* k = (const uint32_t*)triangles->data + 3 * i;
        kin_vec3 p[3];
        for (int c = 0; c < 3; ++c) p[c] = kin_v(x[3 * k[c]], x[3 * k[c] + 1], x[3 * k[c] + 2]);
        volume += kin_dot(p[0], kin_cross(p[1], p[2])) / 6;
    }
    return volume;
}

static void capture_shape(test* t, kin_capture* c, kin_shape shape)
{
    kin_form* form;
    if (kin_form_create(&t->allocator, &shape, &form, NULL) != KIN_OK) return;
    kin_capture_form(c, form, (kin_material_id){0}, 0);
    kin_form_drop(form);
}

static void shapes_have_their_volume(test* t)
{
    kin_capture c;
    kin_capture_init(&c, &t->allocator);
    kin_capture_begin(&c, 0, 0, 0, kin_v(0, 0, 0));
    kin_capture_layer(&c, "box", KIN_LAYER_MESH, &plain);
    capture_shape(t, &c, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 2, 3}});
    kin_capture_layer(&c, "ball", KIN_LAYER_MESH, &plain);
    capture_shape(t, &c, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1});
    kin_capture_layer(&c, "pill", KIN_LAYER_MESH, &plain);
    capture_shape(t, &c, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 1, .length = 2});
    kin_capture_layer(&c, "can", KIN_LAYER_MESH, &plain);
    capture_shape(t, &c, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 1, .length = 2});
    kin_capture_layer(&c, "hat", KIN_LAYER_MESH, &plain);
    capture_shape(t, &c, (kin_shape){.kind = KIN_SHAPE_CONE, .radius = 1, .length = 3});
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, {.kind = KIN_SHAPE_BOX, .size = {2, 1, 1}, .offset = {0, 3, 0}}};
    kin_capture_layer(&c, "both", KIN_LAYER_MESH, &plain);
    capture_shape(t, &c, (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2});
    const kin_frame* f = kin_capture_end(&c);
    NEAR(t, mesh_volume(kin_frame_layer(f, "box")), 6, 1e-6);
    NEAR(t, mesh_volume(kin_frame_layer(f, "ball")), 4 * KIN_PI / 3, 0.1);
    NEAR(t, mesh_volume(kin_frame_layer(f, "pill")), 4 * KIN_PI / 3 + 2 * KIN_PI, 0.2);
    NEAR(t, mesh_volume(kin_frame_layer(f, "can")), 2 * KIN_PI, 0.02);
    NEAR(t, mesh_volume(kin_frame_layer(f, "hat")), KIN_PI, 0.01);
    NEAR(t, mesh_volume(kin_frame_layer(f, "both")), 3, 1e-6);
    kin_capture_term(&c);
}

static bool capture_once(test* t, void* context)
{
    (void)context;
    kin_capture c;
    kin_capture_init(&c, &t->allocator);
    kin_capture_begin(&c, 0, 0, 0, kin_v(0, 0, 0));
    for (int i = 0; i < 3; ++i) {
        kin_capture_layer(&c, "ball", KIN_LAYER_MESH, &plain);
        capture_shape(t, &c, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1});
    }
    bool ok = kin_capture_end(&c) != NULL;
    kin_capture_term(&c);
    return ok;
}

static void lack_of_memory_is_reported(test* t) { test_fail_each_allocation(t, capture_once, NULL); }

TEST_MAIN("capture", TEST(arrays_are_named_and_hashed), TEST(shapes_have_their_volume), TEST(lack_of_memory_is_reported))
