/* moments.h - integrals of 1, x and x x^T over a body, from which its mass properties follow. */
#pragma once
#include "geometry/mass/mass.h"

typedef struct kin_moments {
    double volume;
    kin_vec3 first;
    kin_sym3 second; /* of x x^T */
} kin_moments;

/* Measured about `at`. */
static inline kin_mass kin_moments_mass(kin_moments m, kin_vec3 at)
{
    kin_vec3 c = m.volume != 0 ? kin_scale(m.first, 1 / m.volume) : kin_v(0, 0, 0);
    kin_sym3 s = kin_sym3_add(m.second, kin_sym3_scale(kin_sym3_square(c), -m.volume)); /* about the centre of mass */
    return (kin_mass){m.volume, kin_add(at, c), {s.yy + s.zz, s.zz + s.xx, s.xx + s.yy, -s.xy, -s.xz, -s.yz}};
}
