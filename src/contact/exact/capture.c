/* capture.c - contacts as they can be seen: a line at each point that presses, along its force, as long as the load is heavy for its bodies. */
#include "contact/exact/exact.h"

#define LENGTH 0.5 /* m, of a point that carries 10 N per kg of the lighter body; never longer than thrice that */

void kin_exact_capture(const void* solver, kin_capture* capture)
{
    static const kin_look look = {.surface = KIN_SURFACE_EMISSIVE, .color = {1, 0.2f, 0.1f}, .glow = 1};
    const kin_exact* self = solver;
    uint32_t count = self->press_count;
    kin_capture_layer(capture, "contacts", KIN_LAYER_LINES, &look);
    float* position = kin_capture_array(capture, "position", KIN_F32, 3, 2 * (uint64_t)count);
    uint32_t* line = kin_capture_array(capture, "line", KIN_U32, 2, count);
    for (uint32_t i = 0; i < count && position != NULL && line != NULL; ++i) {
        const kin_exact_press* p = &self->presses[i];
        double load = kin_length(p->force) / (10 * p->mass);
        kin_vec3 x = kin_sub(p->point, capture->frame.origin);
        kin_vec3 y = kin_add_scaled(x, -LENGTH * kin_min(load, 3), kin_normalize_or(p->force, kin_v(0, 0, 0)));
        float* out = position + 6 * (size_t)i;
        out[0] = (float)x.x, out[1] = (float)x.y, out[2] = (float)x.z;
        out[3] = (float)y.x, out[4] = (float)y.y, out[5] = (float)y.z;
        line[2 * i] = 2 * i, line[2 * i + 1] = 2 * i + 1;
    }
}
