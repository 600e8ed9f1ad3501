/* screw.h - where a body is over an interval: position on a straight line, orientation on the shortest great arc at constant rate (C1.3, A6.8). */
#pragma once
#include "math/quat.h"

typedef struct kin_screw {
    kin_transform start, end; /* unit orientations */
    kin_vec3 shift;           /* end - start position, m */
    kin_vec3 turn;            /* rotation vector from start to end, world frame, rad */
    double angle;             /* |turn|, at most pi, rad */
} kin_screw;

static inline kin_screw kin_screw_between(kin_transform start, kin_transform end)
{
    kin_screw s = {{start.position, kin_quat_normalize(start.orientation)}, {end.position, kin_quat_normalize(end.orientation)}, .angle = 0};
    s.shift = kin_sub(end.position, start.position);
    s.turn = kin_quat_rotation_vector(kin_quat_mul(s.end.orientation, kin_quat_conj(s.start.orientation)));
    s.angle = kin_length(s.turn);
    return s;
}
static inline kin_screw kin_screw_still(kin_transform pose) { return kin_screw_between(pose, pose); }

/* The pose at a fraction of the interval; exactly start and end at 0 and 1. */
static inline kin_transform kin_screw_at(const kin_screw* s, double fraction)
{
    if (fraction <= 0) return s->start;
    if (fraction >= 1) return s->end;
    kin_quat q = s->angle > 0 ? kin_quat_slerp(s->start.orientation, s->end.orientation, fraction) : s->start.orientation;
    return (kin_transform){kin_add_scaled(s->start.position, fraction, s->shift), q};
}

/* Of a point fixed to the body that is at `arm` from its position (world axes), m an interval. */
static inline kin_vec3 kin_screw_velocity(const kin_screw* s, kin_vec3 arm) { return kin_add(s->shift, kin_cross(s->turn, arm)); }
