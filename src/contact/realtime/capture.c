/* capture.c - contacts as they can be seen: a line at each point that presses, out of B towards A, as long as the load is heavy for its bodies. */
#include "contact/realtime/realtime.h"

#define LENGTH 0.5 /* m, of a point that carries 10 N per kg of the lighter body; never longer than thrice that */

static double lighter(const kin_realtime* rt, const kin_rt_pair* p)
{
    const kin_body *a = &rt->group->bodies.body[p->a], *b = &rt->group->bodies.body[p->b];
    double heavy = kin_max(a->inv_mass, b->inv_mass);
    return heavy > 0 ? 1 / heavy : 1;
}

/* The lines of one contact; out NULL: only counted. */
static uint32_t lines_of(const kin_realtime* rt, uint32_t contact, kin_vec3 origin, float* out)
{
    const kin_rt_contact* t = &rt->contacts[contact];
    const kin_rt_pair* p = &rt->pairs[t->pair];
    kin_rt_geometry* g = &rt->colour[t->colour].geometry[t->slot / KIN_RT_LANES];
    kin_rt_rows* r = &rt->colour[t->colour].rows[t->slot / KIN_RT_LANES];
    uint32_t l = t->slot % KIN_RT_LANES, count = 0;
    for (int k = 0; k < KIN_RT_POINTS; ++k) {
        if (g->built[k][l] >= KIN_RT_FAR || !(r->normal[k][l] > 0)) continue;
        uint32_t at = 6 * count++;
        if (out == NULL) continue;
        double load = rt->last_sub > 0 ? (double)r->normal[k][l] / (rt->last_sub * 10 * lighter(rt, p)) : 0;
        kin_vec3 x = kin_sub(kin_apply(kin_body_pose(&rt->group->bodies.body[p->a]), kin_rt_vector(g->point_a[k], l)), origin);
        kin_vec3 y = kin_add_scaled(x, -LENGTH * kin_min(load, 3), kin_rt_vector(r->n, l));
        out[at] = (float)x.x, out[at + 1] = (float)x.y, out[at + 2] = (float)x.z;
        out[at + 3] = (float)y.x, out[at + 4] = (float)y.y, out[at + 5] = (float)y.z;
    }
    return count;
}

void kin_rt_capture(kin_realtime* rt, kin_capture* capture)
{
    static const kin_look look = {.surface = KIN_SURFACE_EMISSIVE, .color = {1, 0.2f, 0.1f}, .glow = 1};
    uint32_t contacts, count = 0, at = 0;
    if (!kin_rt_contacts_in_order(rt, &contacts)) contacts = 0;
    for (uint32_t i = 0; i < contacts; ++i) count += lines_of(rt, rt->values[i], capture->frame.origin, NULL);
    kin_capture_layer(capture, "contacts", KIN_LAYER_LINES, &look);
    float* position = kin_capture_array(capture, "position", KIN_F32, 3, 2 * (uint64_t)count);
    uint32_t* line = kin_capture_array(capture, "line", KIN_U32, 2, count);
    if (position == NULL || line == NULL) return;
    for (uint32_t i = 0; i < contacts; ++i) at += lines_of(rt, rt->values[i], capture->frame.origin, position + 6 * (size_t)at);
    for (uint32_t i = 0; i < 2 * count; ++i) line[i] = i;
}
