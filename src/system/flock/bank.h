/* bank.h - how a thing that flies holds itself: House & Keyser 6.5.5. A model looks along its own +z, up is its +y, and its right is -x.
 *
 * The text takes v x a for one axis: it has no direction in straight flight and turns over where a curve turns the other way. Here up is kept from call to call
 * (or is the world's), and the turn only banks: the right wing goes down in a curve to the right. */
#pragma once
#include "math/frame.h"
#include "math/quat.h"

typedef struct kin_heading {
    kin_vec3 forward, up, right; /* unit, each across the others */
} kin_heading;

/* Hand the heading's up back in as the next one's, and it never jumps, not even through the vertical. v along up: some up across it; v zero: some forward
 * across up. */
static inline kin_heading kin_heading_of(kin_vec3 v, kin_vec3 up)
{
    kin_vec3 above = kin_normalize_or(up, kin_axis(1));
    kin_vec3 forward = kin_normalize_or(v, kin_normalize_or(kin_perpendicular(above), kin_axis(2)));
    kin_vec3 across = kin_add_scaled(above, -kin_dot(above, forward), forward);
    if (kin_length2(across) < 1e-16) across = kin_perpendicular(forward);
    across = kin_normalize_or(across, kin_axis(1));
    across = kin_normalize_or(kin_add_scaled(across, -kin_dot(across, forward), forward), across); /* once more: the first was short */
    return (kin_heading){forward, across, kin_cross(forward, across)};
}

/* Up carried from one direction of flight to the next by the smallest rotation between them (parallel transport): it neither rolls about the path nor turns over
 * where the path goes through the vertical. With unit directions a and b, u' = u - (u . b) / (1 + a . b) (a + b). A turn by more than 90 degrees between two calls
 * is a bounce: up stays, as far as it is across the new direction. Without a direction it stays. */
static inline kin_vec3 kin_heading_carry(kin_vec3 up, kin_vec3 from, kin_vec3 to)
{
    kin_vec3 zero = kin_v(0, 0, 0), a = kin_normalize_or(from, zero), b = kin_normalize_or(to, zero);
    if (kin_length2(b) == 0) return up;
    double along = kin_dot(a, b);
    if (kin_length2(a) > 0 && along > 0) up = kin_add_scaled(up, -kin_dot(up, b) / (1 + along), kin_add(a, b));
    return kin_heading_of(to, up).up;
}

/* phi = atan(k a . right), rad: only what is across the path counts. With k = 1 / g a level curve has tan phi = |a| / g: lift carries weight and curve. */
static inline double kin_bank_angle(const kin_heading* heading, kin_vec3 acceleration, double k) { return kin_atan(k * kin_dot(acceleration, heading->right)); }

/* phi_avg = (1 - alpha) phi_avg + alpha phi, 0 < alpha <= 1. */
static inline double kin_bank_smooth(double average, double angle, double alpha) { return kin_mix(average, angle, alpha); }

/* From the model's axes to the world: +z along v, +y up, then rolled by bank about v; > 0 to the right. */
static inline kin_quat kin_heading_orientation(kin_vec3 v, kin_vec3 up, double bank)
{
    kin_heading h = kin_heading_of(v, up);
    kin_quat level = kin_quat_from_matrix((kin_mat3){kin_neg(h.right), h.up, h.forward});
    return kin_quat_mul(kin_quat_axis_angle(h.forward, bank), level);
}
