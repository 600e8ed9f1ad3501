/* drag.h - many particles that stick to a body, along some directions each, seen as one drag on its six velocities. Both sides end with the same motion, as sticky
 * masses do; nothing overshoots, however light the body: (1 + M^-1 D) change = M^-1 push. */
#pragma once
#include "domains/sph/boundary/walls.h"

/* One particle: mass times the share of it that sticks (kg), slip: its velocity against the body. Sticking acts along the normal only, or only across it. */
typedef struct kin_sph_stick {
    kin_vec3 arm, normal, slip; /* m from the body's center; m/s */
    double mass;
    bool across, flat;
} kin_sph_stick;

static inline kin_vec3 kin_sph_stick_part(const kin_sph_stick* s, kin_vec3 v)
{
    kin_vec3 along = kin_scale(s->normal, kin_dot(v, s->normal));
    return kin_sph_flatten(s->flat, s->across ? kin_sub(v, along) : along);
}
void kin_sph_drag_add(kin_sph_drag* drag, const kin_sph_stick* stick);
void kin_sph_drag_push(kin_sph_drag* drag, const kin_sph_stick* stick); /* into `push` alone */
/* How the body's motion changes. */
kin_twist kin_sph_drag_solve(const kin_sph_drag* drag, const kin_sph_body* body);
