/* capture.c - contacts as they can be seen: a line at each point that presses, as long as its mean force over the step is heavy for the lighter body. */
#include "contact/group.h"

#define LENGTH 0.5 /* m, of a point that carries 10 N per kg of the lighter body; never longer than thrice that */

/* N s, on a: friction is shared out as the normal impulses are. */
static kin_vec3 impulse_of(const kin_body_contact* c, int k)
{
    const kin_vec3 normal = kin_scale(c->normal, c->points[k].impulse);
    return c->impulse > 0 ? kin_add_scaled(normal, c->points[k].impulse / c->impulse, c->friction) : normal;
}

/* The lines of one contact; out NULL: only counted. */
static uint32_t lines_of(const kin_group* g, const kin_body_contact* c, kin_vec3 origin, float* out)
{
    uint32_t count = 0;
    if (c->mode != g->def.mode) return 0;
    for (int k = 0; k < c->count; ++k) {
        if (!(c->points[k].impulse > 0)) continue;
        const uint32_t at = 6 * count++;
        if (out == NULL) continue;
        const kin_vec3 p = impulse_of(c, k), from = kin_sub(c->points[k].position, origin);
        const double load = g->step_time > 0 ? kin_length(p) / (g->step_time * 10 * c->mass) : 0;
        const kin_vec3 to = kin_add_scaled(from, -LENGTH * kin_min(load, 3), kin_normalize_or(p, kin_v(0, 0, 0)));
        out[at] = (float)from.x, out[at + 1] = (float)from.y, out[at + 2] = (float)from.z;
        out[at + 3] = (float)to.x, out[at + 4] = (float)to.y, out[at + 5] = (float)to.z;
    }
    return count;
}

void kin_group_capture_contacts(const kin_group* g, kin_capture* capture)
{
    static const kin_look look = {.surface = KIN_SURFACE_EMISSIVE, .color = {1, 0.2f, 0.1f}, .glow = 1};
    const kin_touch_events* e = g->events;
    uint32_t count = 0, at = 0;
    for (size_t i = 0; i < e->contact_count; ++i) count += lines_of(g, &e->contacts[i], capture->frame.origin, NULL);
    kin_capture_layer(capture, "contacts", KIN_LAYER_LINES, &look);
    float* position = kin_capture_array(capture, "position", KIN_F32, 3, 2 * (uint64_t)count);
    uint32_t* line = kin_capture_array(capture, "line", KIN_U32, 2, count);
    if (position == NULL || line == NULL) return;
    for (size_t i = 0; i < e->contact_count; ++i) at += lines_of(g, &e->contacts[i], capture->frame.origin, position + 6 * (size_t)at);
    for (uint32_t i = 0; i < 2 * count; ++i) line[i] = i;
}
