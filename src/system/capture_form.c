/* capture_form.c - the skin of a form in floats. */
#include "system/capture_form.h"
#include "collision/form/skin.h"
#include <string.h>

static void put_rows(float* out, const kin_vec3* rows, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        out[3 * i] = (float)rows[i].x;
        out[3 * i + 1] = (float)rows[i].y;
        out[3 * i + 2] = (float)rows[i].z;
    }
}

void kin_capture_form(kin_capture* capture, const kin_form* form, kin_material_id material, double bevel)
{
    kin_skin skin;
    if (!kin_skin_init_of(&capture->allocator, form, material, bevel, &skin)) {
        capture->failed = true;
        return;
    }
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, skin.vertex_count);
    float* normals = kin_capture_array(capture, "normal", KIN_F32, 3, skin.vertex_count);
    uint32_t* triangles = kin_capture_array(capture, "triangle", KIN_U32, 3, skin.triangle_count);
    if (triangles != NULL) {
        put_rows(positions, skin.positions, skin.vertex_count);
        put_rows(normals, skin.normals, skin.vertex_count);
        if (skin.triangle_count > 0) memcpy(triangles, skin.triangles, skin.triangle_count * sizeof *skin.triangles);
    }
    kin_skin_term(&skin);
}

bool kin_form_is_first_of_material(const kin_form* form, uint32_t part)
{
    uint32_t material = kin_form_material(form, part).index1, earlier = 0;
    while (earlier < part && kin_form_material(form, earlier).index1 != material) earlier += 1;
    return earlier == part;
}
