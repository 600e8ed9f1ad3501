/* fluid_skin.c - from a cloud of particles to a layer of a frame. */
#include "system/fluid_skin.h"
#include "base/error.h"
#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(kin_fluid_skin_def, member)

/* clang-format off */
const kin_param kin_fluid_skin_params[] = {
    {.name = "kind", .type = KIN_PARAM_ENUM, .offset = AT(kind), .doc = "How the surface is found from the particles.", .names = kin_fluid_skin_kind_names,
     .preset = {KIN_SKIN_ANISOTROPIC}},
    {.name = "cell", .type = KIN_PARAM_NUMBER, .offset = AT(cell), .unit = "spacings", .doc = "Size of the mesh: smaller is finer, and slower by its cube.",
     .low = 1.0 / 32, .high = 1, .preset = {0.5}},
    {.name = "level", .type = KIN_PARAM_NUMBER, .offset = AT(level), .doc = "Of the field on the surface; 0: where the fluid ends.",
     .low = 0, .high = 2, .flags = KIN_PARAM_OPEN_HIGH},
    {.name = "smoothing", .type = KIN_PARAM_INTEGER, .offset = AT(smoothing), .doc = "Passes that smooth the mesh and keep its volume.", .low = 0, .high = 100},
    {0},
};
/* clang-format on */

kin_fluid_skin_def kin_fluid_skin_def_default(void)
{
    kin_fluid_skin_def def = {0};
    kin_params_default(kin_fluid_skin_params, &def);
    return def;
}

/* To the frame's origin from the cloud's. */
static void put_places(const kin_fluid_skin* skin, kin_vec3 origin, kin_capture* capture)
{
    float* out = kin_capture_array(capture, "position", KIN_F32, 3, skin->vertex_count);
    const kin_vec3 to = capture->frame.origin;
    const double shift[3] = {origin.x - to.x, origin.y - to.y, origin.z - to.z};
    for (size_t i = 0; out != NULL && i < 3 * skin->vertex_count; ++i) out[i] = (float)((double)skin->vertices[i] + shift[i % 3]);
}

static void put_velocities(const kin_fluid_skin* skin, kin_capture* capture)
{
    float* out = kin_capture_array(capture, "velocity", KIN_F32, 3, skin->vertex_count);
    for (size_t i = 0; out != NULL && i < 3 * skin->vertex_count; ++i) out[i] = skin->attributes[i / 3 * skin->attribute_width + i % 3];
}

static void put_colors(const kin_fluid_skin* skin, uint32_t column, const kin_fluid_skin_picture* picture, kin_capture* capture)
{
    float* rgb = kin_capture_array(capture, "vertex_color", KIN_F32, 3, skin->vertex_count);
    if (rgb == NULL) return;
    kin_colormap_paint(picture->map, skin->attributes + column, skin->attribute_width, skin->vertex_count, picture->low, picture->high, rgb);
}

kin_result kin_fluid_skin_capture(const kin_fluid_skin_def* def, double spacing, kin_jobs* jobs, const kin_fluid_skin_cloud* cloud,
                                  const kin_fluid_skin_picture* picture, kin_capture* capture, kin_error* error)
{
    uint32_t wanted = (picture->velocity ? 3 : 0) + (picture->map != KIN_COLORMAPS ? 1 : 0);
    if (cloud->attribute_width < wanted)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "attributes", "the picture asks for %u attributes, and the cloud has %u", wanted, cloud->attribute_width);
    kin_fluid_skin_settings settings = kin_fluid_skin_settings_default(spacing);
    settings.kind = (kin_fluid_skin_kind)def->kind;
    settings.cell = def->cell * spacing;
    settings.level = def->level;
    settings.smoothing = def->smoothing;
    kin_fluid_skin skin;
    kin_result result = kin_fluid_skin_make(&capture->allocator, jobs, &settings, cloud, &skin, error);
    if (result != KIN_OK || skin.vertex_count == 0) return result;
    kin_capture_layer(capture, picture->name, KIN_LAYER_MESH, picture->look);
    put_places(&skin, cloud->origin, capture);
    float* normals = kin_capture_array(capture, "normal", KIN_F32, 3, skin.vertex_count);
    if (normals != NULL) memcpy(normals, skin.normals, 3 * skin.vertex_count * sizeof *normals);
    uint32_t* triangles = kin_capture_array(capture, "triangle", KIN_U32, 3, skin.triangle_count);
    if (triangles != NULL) memcpy(triangles, skin.corners, 3 * skin.triangle_count * sizeof *triangles);
    uint32_t column = picture->velocity ? 3 : 0;
    if (picture->velocity) put_velocities(&skin, capture);
    if (picture->map != KIN_COLORMAPS) put_colors(&skin, column, picture, capture);
    kin_fluid_skin_term(&skin);
    return KIN_OK;
}
