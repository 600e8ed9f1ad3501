/* skin.c - the surface of a phase in a frame: the particles of that phase are handed to geometry/skin, with their velocity and what they are painted by. */
#include "geometry/skin/skin.h"
#include "base/alloc.h"
#include "domains/sph/face.h"
#include "math/vec3.h"
#include <string.h>

enum { NUMBERS = 4 }; /* of a particle: its velocity and its paint */

static const kin_fluid_skin_kind kinds[] = {KIN_SKIN_ANISOTROPIC, KIN_SKIN_ZHU_BRIDSON, KIN_SKIN_COLOR};

static void gather(const kin_sph_seen* s, float* x4, float* numbers)
{
    const kin_sph* f = s->f;
    for (size_t i = 0, k = 0; i < f->count; ++i) {
        if (f->phase[i] != s->phase) continue;
        memcpy(&x4[4 * k], &f->x4[4 * i], 4 * sizeof *x4);
        memcpy(&numbers[NUMBERS * k], &f->v4[4 * i], 3 * sizeof *numbers);
        numbers[NUMBERS * k + 3] = (float)kin_sph_painted(f, i);
        ++k;
    }
}

static kin_result make(const kin_sph_seen* s, kin_capture* capture, kin_fluid_skin* skin)
{
    const kin_sph* f = s->f;
    kin_fluid_skin_settings settings = kin_fluid_skin_settings_default((double)f->spacing);
    settings.kind = kinds[f->def.look.skin];
    settings.cell = f->def.look.cell * (double)f->spacing;
    settings.smoothing = f->def.look.smoothing;
    settings.simd = f->simd;
    size_t bytes = kin_bytes((size_t)s->count, (4 + NUMBERS) * sizeof(float));
    float* room = kin_alloc(&f->allocator, bytes);
    if (room == NULL) return KIN_ERROR_MEMORY;
    kin_fluid_skin_cloud cloud = {
        .positions = room, .stride = 4, .count = (uint32_t)s->count, .origin = f->origin, .attributes = room + 4 * s->count, .attribute_width = NUMBERS};
    gather(s, room, room + 4 * s->count);
    kin_result result = kin_fluid_skin_make(&f->allocator, capture->jobs, &settings, &cloud, skin, NULL);
    kin_free(&f->allocator, room, bytes);
    return result;
}

static void put_mesh(const kin_sph_seen* s, const kin_fluid_skin* skin, kin_capture* capture)
{
    const size_t n = skin->vertex_count;
    const bool painted = s->f->def.look.paint != KIN_SPH_PAINT_PHASE;
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, n);
    float* normals = kin_capture_array(capture, "normal", KIN_F32, 3, n);
    float* velocities = kin_capture_array(capture, "velocity", KIN_F32, 3, n);
    float* colors = painted ? kin_capture_array(capture, "vertex_color", KIN_F32, 3, n) : NULL;
    uint32_t* corners = kin_capture_array(capture, "triangle", KIN_U32, 3, skin->triangle_count);
    if (capture->failed) return;
    const kin_vec3 shift = kin_sub(s->f->origin, capture->frame.origin);
    const double by[3] = {shift.x, shift.y, shift.z};
    for (size_t i = 0; i < n; ++i) {
        for (size_t a = 0; a < 3; ++a) positions[3 * i + a] = (float)((double)skin->vertices[3 * i + a] + by[a]);
        memcpy(&velocities[3 * i], &skin->attributes[NUMBERS * i], 3 * sizeof *velocities);
        if (painted) kin_sph_paint_color(s, (double)skin->attributes[NUMBERS * i + 3], &colors[3 * i]);
    }
    memcpy(normals, skin->normals, 3 * n * sizeof *normals);
    memcpy(corners, skin->corners, 3 * skin->triangle_count * sizeof *corners);
}

bool kin_sph_capture_skin(const kin_sph_seen* s, const char* layer, const kin_look* look, kin_capture* capture)
{
    static const char* const names[3] = {"particle_position", "particle_velocity", "particle_id"}; /* not drawn: for tables */
    kin_fluid_skin skin = {0};
    kin_result result = make(s, capture, &skin);
    if (result == KIN_ERROR_MEMORY) capture->failed = true;
    if (result == KIN_OK && skin.triangle_count > 0) {
        kin_capture_layer(capture, layer, KIN_LAYER_MESH, look);
        if (!capture->failed) put_mesh(s, &skin, capture);
        if (!capture->failed && s->f->def.look.draw == KIN_SPH_DRAW_SKIN) kin_sph_capture_particles(s, names, capture);
    }
    if (result == KIN_OK) kin_fluid_skin_term(&skin);
    return result == KIN_OK || capture->failed;
}
