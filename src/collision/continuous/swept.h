/* swept.h - inside impact.c's methods: a convex thing on its way. */
#pragma once
#include "collision/continuous/impact.h"

/* A convex core fixed to a body that moves on a screw. */
typedef struct kin_swept {
    const kin_convex* convex;
    kin_transform offset; /* of the core, in the body's frame */
    const kin_screw* motion;
    double reach; /* farthest point of the core from the body's position, m */
} kin_swept;

static inline kin_transform kin_swept_pose(const kin_swept* s, double t) { return kin_transform_mul(kin_screw_at(s->motion, t), s->offset); }

/* How fast a point of the body can come along n (world, unit), m an interval: for the whole interval, whatever its orientation. */
static inline double kin_swept_speed(const kin_swept* s, kin_vec3 n)
{
    return kin_dot(s->motion->shift, n) + kin_length(kin_cross(s->motion->turn, n)) * s->reach;
}

/* As kin_impact_convex, for t in [0, limit]. iterations are added to. */
bool kin_advance(const kin_swept* a, const kin_swept* b, double limit, const kin_impact_settings* settings, kin_impact* out);
/* B is the half-space below a plane, at its body's origin. normal: local, unit. */
bool kin_advance_plane(const kin_swept* a, kin_vec3 normal, const kin_screw* motion_b, double limit, const kin_impact_settings* settings, kin_impact* out);
/* B is asked for distances to A's core, a point: for signed distance fields. */
bool kin_advance_point(const kin_swept* a, const kin_form* b, kin_transform offset_b, const kin_screw* motion_b, double limit,
                       const kin_impact_settings* settings, kin_impact* out);

/* The other two methods, on whole forms. */
bool kin_impact_bisect(const kin_form* a, const kin_screw* motion_a, const kin_form* b, const kin_screw* motion_b, const kin_impact_settings* settings,
                       kin_arena* scratch, kin_impact* out);
bool kin_impact_chords(const kin_form* a, const kin_screw* motion_a, const kin_form* b, const kin_screw* motion_b, kin_arena* scratch, kin_impact* out);
