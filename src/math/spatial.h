/* spatial.h - motions and forces of rigid bodies as pairs of vectors (H12.3, after Featherstone and Mirtich).
 * Motions are [angular; linear], forces [force; torque]: in these orders one 6x6 matrix T = [R 0; -~r R, R] carries both from
 * frame A to frame B, with R the axes of A seen from B and r the origin of B seen from that of A, in B's axes.
 * The spatial transpose swaps the halves, so force . motion = torque . angular + force . linear: power, in any frame. */
#pragma once
#include "math/quat.h"
#include "math/sym3.h"

typedef struct kin_spatial_motion {
    kin_vec3 angular, linear; /* rad/s and m/s, or rad/s^2 and m/s^2 */
} kin_spatial_motion;

typedef struct kin_spatial_force {
    kin_vec3 force, torque; /* N and N m, about the frame's origin */
} kin_spatial_force;

typedef struct kin_spatial_transform {
    kin_mat3 rotation;
    kin_vec3 offset; /* r */
} kin_spatial_transform;

/* About the frame's origin: a mass, its centre, and the inertia about that centre. */
typedef struct kin_spatial_inertia {
    double mass;     /* kg */
    kin_vec3 center; /* m */
    kin_sym3 moment; /* kg m^2, about the centre */
} kin_spatial_inertia;

static inline kin_spatial_motion kin_spatial_motion_add(kin_spatial_motion a, kin_spatial_motion b)
{
    return (kin_spatial_motion){kin_add(a.angular, b.angular), kin_add(a.linear, b.linear)};
}
static inline kin_spatial_motion kin_spatial_motion_scale(kin_spatial_motion a, double s)
{
    return (kin_spatial_motion){kin_scale(a.angular, s), kin_scale(a.linear, s)};
}
static inline kin_spatial_force kin_spatial_force_add(kin_spatial_force a, kin_spatial_force b)
{
    return (kin_spatial_force){kin_add(a.force, b.force), kin_add(a.torque, b.torque)};
}
static inline kin_spatial_force kin_spatial_force_scale(kin_spatial_force a, double s)
{
    return (kin_spatial_force){kin_scale(a.force, s), kin_scale(a.torque, s)};
}
/* W */
static inline double kin_spatial_power(kin_spatial_force f, kin_spatial_motion v) { return kin_dot(f.torque, v.angular) + kin_dot(f.force, v.linear); }

/* From the frame A in which the pose of B is given, to B. */
static inline kin_spatial_transform kin_spatial_into(kin_transform b_in_a)
{
    return (kin_spatial_transform){kin_mat3_transpose(kin_quat_to_matrix(b_in_a.orientation)), kin_unrotate(b_in_a.orientation, b_in_a.position)};
}
static inline kin_spatial_motion kin_spatial_apply_motion(const kin_spatial_transform* x, kin_spatial_motion v)
{
    kin_vec3 angular = kin_mat3_apply(x->rotation, v.angular);
    return (kin_spatial_motion){angular, kin_sub(kin_mat3_apply(x->rotation, v.linear), kin_cross(x->offset, angular))};
}
static inline kin_spatial_force kin_spatial_apply_force(const kin_spatial_transform* x, kin_spatial_force f)
{
    kin_vec3 force = kin_mat3_apply(x->rotation, f.force);
    return (kin_spatial_force){force, kin_sub(kin_mat3_apply(x->rotation, f.torque), kin_cross(x->offset, force))};
}
/* First ab (from A to B), then bc: from A to C. */
static inline kin_spatial_transform kin_spatial_chain(const kin_spatial_transform* bc, const kin_spatial_transform* ab)
{
    return (kin_spatial_transform){kin_mat3_mul(bc->rotation, ab->rotation), kin_add(kin_mat3_apply(bc->rotation, ab->offset), bc->offset)};
}
static inline kin_spatial_transform kin_spatial_inverse(const kin_spatial_transform* x)
{
    return (kin_spatial_transform){kin_mat3_transpose(x->rotation), kin_neg(kin_mat3_apply_transposed(x->rotation, x->offset))};
}

/* v x u: how a motion u fixed in a frame that moves with v changes. One matrix [~a 0; ~b ~a] for motions and forces. */
static inline kin_spatial_motion kin_spatial_cross_motion(kin_spatial_motion v, kin_spatial_motion u)
{
    return (kin_spatial_motion){kin_cross(v.angular, u.angular), kin_add(kin_cross(v.linear, u.angular), kin_cross(v.angular, u.linear))};
}
static inline kin_spatial_force kin_spatial_cross_force(kin_spatial_motion v, kin_spatial_force f)
{
    return (kin_spatial_force){kin_cross(v.angular, f.force), kin_add(kin_cross(v.linear, f.force), kin_cross(v.angular, f.torque))};
}

/* I v: the momentum [m v_c; angular momentum about the origin] of a velocity, the force of an acceleration. */
static inline kin_spatial_force kin_spatial_momentum(const kin_spatial_inertia* i, kin_spatial_motion v)
{
    kin_vec3 linear = kin_scale(kin_add(v.linear, kin_cross(v.angular, i->center)), i->mass);
    return (kin_spatial_force){linear, kin_add(kin_sym3_apply(i->moment, v.angular), kin_cross(i->center, linear))};
}
/* J */
static inline double kin_spatial_energy(const kin_spatial_inertia* i, kin_spatial_motion v) { return 0.5 * kin_spatial_power(kin_spatial_momentum(i, v), v); }
static inline kin_spatial_inertia kin_spatial_inertia_apply(const kin_spatial_transform* x, const kin_spatial_inertia* i)
{
    return (kin_spatial_inertia){i->mass, kin_sub(kin_mat3_apply(x->rotation, i->center), x->offset), kin_sym3_rotate(x->rotation, i->moment)};
}
/* m (|r|^2 1 - r r^T): what a mass at r adds to the moment about the origin (parallel axes). */
static inline kin_sym3 kin_point_moment(double mass, kin_vec3 r)
{
    double square = kin_length2(r);
    return kin_sym3_scale(kin_sym3_add(kin_sym3_diagonal(kin_v(square, square, square)), kin_sym3_scale(kin_sym3_square(r), -1)), mass);
}
/* Two bodies welded together, in one frame. Their masses are not both zero. */
static inline kin_spatial_inertia kin_spatial_inertia_add(const kin_spatial_inertia* a, const kin_spatial_inertia* b)
{
    double mass = a->mass + b->mass;
    kin_vec3 center = kin_lerp(a->center, b->center, b->mass / mass);
    kin_sym3 moment = kin_sym3_add(a->moment, kin_point_moment(a->mass, kin_sub(a->center, center)));
    moment = kin_sym3_add(moment, kin_sym3_add(b->moment, kin_point_moment(b->mass, kin_sub(b->center, center))));
    return (kin_spatial_inertia){mass, center, moment};
}
