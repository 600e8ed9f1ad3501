/* fluid_skin.c - from a cloud of particles to layers of a frame: those of the surface first, then those of the spray. */
#include "system/fluid_skin.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec3.h"
#include <stdio.h>
#include <string.h>

enum { PAINT = 3 }; /* attribute after the velocity */

/* The cloud in the order of its layers: surface, then spray. */
typedef struct split {
    kin_allocator allocator;
    kin_fluid_skin_cloud cloud;
    uint32_t surface; /* particles of it */
    float *positions, *attributes;
    uint64_t* ids;
    uint8_t* is_spray;
} split;

static void split_term(split* s)
{
    const uint32_t n = s->cloud.count;
    kin_free(&s->allocator, s->positions, kin_bytes(n, 3 * sizeof *s->positions));
    kin_free(&s->allocator, s->attributes, kin_bytes(n, s->cloud.attribute_width * sizeof *s->attributes));
    kin_free(&s->allocator, s->ids, kin_bytes(n, sizeof *s->ids));
    kin_free(&s->allocator, s->is_spray, kin_bytes(n, sizeof *s->is_spray));
}

static bool split_reserve(split* s, const kin_allocator* allocator, const kin_fluid_skin_cloud* from, const uint64_t* ids)
{
    const uint32_t n = from->count;
    *s = (split){.allocator = *allocator, .cloud = *from};
    s->positions = kin_alloc(allocator, kin_bytes(n, 3 * sizeof *s->positions));
    s->attributes = kin_alloc(allocator, kin_bytes(n, from->attribute_width * sizeof *s->attributes));
    s->ids = ids != NULL ? kin_alloc(allocator, kin_bytes(n, sizeof *s->ids)) : NULL;
    s->is_spray = kin_alloc_zero(allocator, kin_bytes(n, sizeof *s->is_spray));
    return s->positions != NULL && s->attributes != NULL && (s->ids != NULL || ids == NULL) && s->is_spray != NULL;
}

static void split_fill(split* s, const kin_fluid_skin_cloud* from, const uint64_t* ids)
{
    const size_t stride = from->stride == 0 ? 3 : from->stride, width = from->attribute_width;
    uint32_t to = 0;
    for (int spray = 0; spray < 2; ++spray) {
        for (uint32_t i = 0; i < from->count; ++i) {
            if (s->is_spray[i] != spray) continue;
            memcpy(s->positions + 3 * (size_t)to, from->positions + i * stride, 3 * sizeof *s->positions);
            memcpy(s->attributes + width * to, from->attributes + width * i, width * sizeof *s->attributes);
            if (ids != NULL) s->ids[to] = ids[i];
            to += 1;
        }
        if (spray == 0) s->surface = to;
    }
    s->cloud.positions = s->positions, s->cloud.stride = 3, s->cloud.attributes = s->attributes;
}

/* ---- arrays ---- */

/* To the frame's origin from the cloud's. */
static void put_places(const float* from, size_t count, kin_vec3 origin, const char* name, kin_capture* capture)
{
    float* out = kin_capture_array(capture, name, KIN_F32, 3, count);
    const kin_vec3 to = kin_sub(origin, capture->frame.origin);
    const double shift[3] = {to.x, to.y, to.z};
    for (size_t i = 0; out != NULL && i < 3 * count; ++i) out[i] = (float)((double)from[i] + shift[i % 3]);
}

static void put_velocities(const float* attributes, size_t width, size_t count, const char* name, kin_capture* capture)
{
    float* out = kin_capture_array(capture, name, KIN_F32, 3, count);
    for (size_t i = 0; out != NULL && i < count; ++i) memcpy(out + 3 * i, attributes + i * width, 3 * sizeof *out);
}

static void put_colors(const kin_fluid_skin_picture* picture, const float* attributes, size_t width, size_t count, const char* name, kin_capture* capture)
{
    float* rgb = picture->map != KIN_COLORMAPS ? kin_capture_array(capture, name, KIN_F32, 3, count) : NULL;
    if (rgb != NULL) kin_colormap_paint(picture->map, attributes + PAINT, width, count, picture->low, picture->high, rgb);
}

static void put_ids(const uint64_t* ids, size_t count, const char* name, kin_capture* capture)
{
    uint64_t* out = ids != NULL ? kin_capture_array(capture, name, KIN_U64, 1, count) : NULL;
    if (out != NULL) memcpy(out, ids, count * sizeof *out);
}

/* ---- layers ---- */

/* A copy of rows as an array of the present layer. */
static void put_copy(const void* from, kin_array_type type, size_t rows, const char* name, kin_capture* capture)
{
    void* out = kin_capture_array(capture, name, type, 3, rows);
    if (out != NULL) memcpy(out, from, 3 * rows * sizeof(float));
}

/* Not drawn: for tables. */
static void put_particles(const split* s, kin_capture* capture)
{
    if (s->ids == NULL) return;
    put_places(s->positions, s->surface, s->cloud.origin, "particle_position", capture);
    put_velocities(s->attributes, s->cloud.attribute_width, s->surface, "particle_velocity", capture);
    put_ids(s->ids, s->surface, "particle_id", capture);
}

static void capture_surface(const split* s, const kin_fluid_skin* skin, const kin_fluid_skin_picture* picture, kin_capture* capture)
{
    const size_t width = s->cloud.attribute_width, n = skin->vertex_count;
    kin_capture_layer(capture, picture->name, KIN_LAYER_MESH, picture->look);
    put_places(skin->vertices, n, s->cloud.origin, "position", capture);
    put_copy(skin->normals, KIN_F32, n, "normal", capture);
    put_velocities(skin->attributes, width, n, "velocity", capture);
    put_colors(picture, skin->attributes, width, n, "vertex_color", capture);
    put_copy(skin->corners, KIN_U32, skin->triangle_count, "triangle", capture);
    put_particles(s, capture);
}

/* Kernels in the place of triangles; what carries colour is the particle of each. */
static void capture_field(const split* s, const kin_fluid_skin_field* field, const kin_fluid_skin_picture* picture, kin_capture* capture)
{
    const size_t width = s->cloud.attribute_width, n = field->count;
    kin_capture_layer(capture, picture->name, KIN_LAYER_ISOSURFACE, picture->look);
    put_places(field->positions, n, s->cloud.origin, "position", capture);
    float* shapes = kin_capture_array(capture, "shape", KIN_F32, 6, n);
    float* weights = kin_capture_array(capture, "weight", KIN_F32, 1, n);
    float* rgb = picture->map != KIN_COLORMAPS ? kin_capture_array(capture, "color", KIN_F32, 3, n) : NULL;
    if (weights == NULL) return;
    memcpy(shapes, field->shapes, n * 6 * sizeof *shapes);
    memcpy(weights, field->weights, n * sizeof *weights);
    for (size_t i = 0; rgb != NULL && i < n; ++i)
        kin_colormap_paint(picture->map, s->attributes + width * field->items[i] + PAINT, width, 1, picture->low, picture->high, rgb + 3 * i);
    put_particles(s, capture);
}

static void capture_spray(const split* s, double spacing, const kin_fluid_skin_picture* picture, kin_capture* capture)
{
    char name[sizeof((kin_layer*)0)->name];
    const size_t width = s->cloud.attribute_width, first = s->surface, n = s->cloud.count - first;
    kin_look look = *picture->look;
    look.pattern = KIN_PATTERN_DROPLETS;
    snprintf(name, sizeof name, "%.60s/1", picture->name);
    kin_capture_layer(capture, name, KIN_LAYER_POINTS, &look);
    put_places(s->positions + 3 * first, n, s->cloud.origin, "position", capture);
    put_velocities(s->attributes + width * first, width, n, "velocity", capture);
    put_colors(picture, s->attributes + width * first, width, n, "color", capture);
    put_ids(s->ids != NULL ? s->ids + first : NULL, n, "id", capture);
    float* radii = kin_capture_array(capture, "radius", KIN_F32, 1, n);
    for (size_t i = 0; radii != NULL && i < n; ++i) radii[i] = (float)(0.5 * spacing);
}

/* The surface by triangles or by kernels. */
static kin_result put_surface(const kin_fluid_skin_def* def, double spacing, const split* s, const kin_fluid_skin_picture* picture, kin_capture* capture,
                              kin_error* error)
{
    kin_fluid_skin_settings settings = kin_fluid_skin_settings_default(spacing);
    kin_fluid_skin_cloud cloud = s->cloud;
    settings.kind = def->kind;
    settings.cell = def->cell * spacing;
    settings.smoothing = def->smoothing;
    cloud.count = s->surface;
    kin_fluid_skin skin = {.allocator = capture->allocator};
    kin_fluid_skin_field field = {.allocator = capture->allocator};
    kin_result result = def->rays ? kin_fluid_skin_field_make(&capture->allocator, capture->jobs, &settings, &cloud, &field, error)
                                  : kin_fluid_skin_make(&capture->allocator, capture->jobs, &settings, &cloud, &skin, error);
    if (skin.triangle_count > 0) capture_surface(s, &skin, picture, capture);
    if (field.count > 0) capture_field(s, &field, picture, capture);
    kin_fluid_skin_term(&skin);
    kin_fluid_skin_field_term(&field);
    return result;
}

kin_result kin_fluid_skin_capture(const kin_fluid_skin_def* def, double spacing, const kin_fluid_skin_cloud* cloud, const kin_fluid_skin_picture* picture,
                                  kin_capture* capture, kin_error* error)
{
    const uint32_t wanted = picture->map != KIN_COLORMAPS ? PAINT + 1 : PAINT;
    if (cloud->attribute_width < wanted)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "attributes", "the picture needs %u attributes, and the cloud has %u", wanted, cloud->attribute_width);
    split s;
    kin_result result =
        split_reserve(&s, &capture->allocator, cloud, picture->ids) ? KIN_OK : kin_fail_memory(error, "a fluid's surface", cloud->count * sizeof *s.ids);
    if (result == KIN_OK && def->spray) result = kin_fluid_skin_spray(&capture->allocator, capture->jobs, spacing, cloud, s.is_spray, error);
    if (result == KIN_OK) {
        split_fill(&s, cloud, picture->ids);
        result = put_surface(def, spacing, &s, picture, capture, error);
    }
    if (result == KIN_OK && s.surface < cloud->count && !capture->failed) capture_spray(&s, spacing, picture, capture);
    split_term(&s);
    return result;
}
