/* path.h - a sphere on its way past a surface, and what it touches: how sweeps and nearest points are asked and answered. Local frame. */
#pragma once
#include "kinema/base.h"
#include "math/vec3.h"

/* A sphere's centre going from a to a + d. The small lengths are relative to the numbers involved (kin_path_slack):
 * start touching, and moving along or away, is no hit; a ball that rolls on a floor must not be stopped by round-off. */
typedef struct kin_path {
    kin_vec3 a, d; /* m */
    double radius; /* m, may be 0 */
    double touch;  /* m: nearer to the surface than this is on it */
    double along;  /* m: a displacement into the surface below this is along it */
    double side;   /* m: a point this little behind a two-sided surface still counts as in front of it */
    double depth;  /* m: a centre this deep behind a face of a closed mesh is still at it: at least touch, and what the asker's tolerance may leave */
} kin_path;

/* A point of the solid found by a query, local frame. */
typedef struct kin_touch {
    double t;        /* path: fraction of d; ray: in units of its direction; closest: unused */
    double distance; /* signed, from the sphere's surface (path), or from the point itself (closest), m */
    kin_vec3 point, normal;
    uint32_t feature; /* triangle of a surface, else 0 */
    uint32_t part;    /* of a compound, else 0 */
} kin_touch;

/* scale: the largest coordinate that went into the path, m. tolerance: how far off its asker may have left it, m. */
static inline void kin_path_slack(kin_path* path, double scale, double tolerance)
{
    path->touch = 1e-9 * scale;
    path->depth = kin_max(path->touch, 2 * tolerance);
    path->along = 1e-12 * kin_largest(kin_abs3(path->d)) + 1e-15 * scale;
    path->side = 1e-13 * scale;
}

/* Round a line or a point: w, v are the start and the motion across it. False: never, or touching at the start and not approaching. */
static inline bool kin_path_enter_round(const kin_path* path, kin_vec3 w, kin_vec3 v, bool beside_at_start, double* t)
{
    double rate = kin_dot(w, v), a = kin_length2(v), square = kin_length2(w), r = path->radius;
    if (rate >= 0 || a == 0) return false;
    double nearest = -rate / a, depth2 = r * r - kin_length2(kin_add_scaled(w, nearest, v));
    if (depth2 < 0) return false;
    if (beside_at_start && square <= (r + path->touch) * (r + path->touch)) {
        if (rate * rate <= path->along * path->along * square) return false;
        if (square <= r * r) {
            *t = 0;
            return true;
        }
    }
    *t = nearest - kin_sqrt(depth2 / a);
    return *t >= 0 && *t <= 1;
}
