/* show.c - deforming walls as they are seen: a mesh each, in a layer "tank/surface1". */
#include "domains/sph/boundary/surface.h"
#include <stdio.h>
#include <string.h>

static void put_rows(float* out, const kin_vec3* rows, kin_vec3 origin, size_t count)
{
    for (size_t i = 0; i < count; ++i) kin_sph_narrow(out + 3 * i, kin_sub(rows[i], origin));
}

static void show(kin_sph_surface* s, const char* name, const kin_materials* materials, kin_capture* capture)
{
    char layer[64];
    snprintf(layer, sizeof layer, "%.40s/surface%u", name, s->serial);
    kin_sph_surface_pose(s, 0, 0); /* scratch */
    const kin_mesh* mesh = s->mesh[0]->mesh;
    kin_capture_layer(capture, layer, KIN_LAYER_MESH, &kin_materials_at(materials, (kin_material_id){s->material})->look);
    if (capture->failed) return;
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, s->vertex_count);
    float* normals = kin_capture_array(capture, "normal", KIN_F32, 3, s->vertex_count);
    uint32_t* triangles = kin_capture_array(capture, "triangle", KIN_U32, 3, mesh->triangle_count);
    if (triangles == NULL) return;
    put_rows(positions, mesh->vertices, capture->frame.origin, s->vertex_count);
    put_rows(normals, mesh->vertex_normals, kin_v(0, 0, 0), s->vertex_count);
    memcpy(triangles, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
}

void kin_sph_walls_capture(kin_sph_walls* w, const char* name, const kin_materials* materials, kin_capture* capture)
{
    for (size_t i = 0; i < w->surface_count && !capture->failed; ++i) {
        if (!w->surfaces[i]->hidden) show(w->surfaces[i], name, materials, capture);
    }
}
