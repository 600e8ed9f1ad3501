/* mass.h - volume, centre and inertia: closed forms, polyhedra three ways, sums and shells, principal axes (H9.2 to H9.4, D9). */
#pragma once
#include "geometry/mesh.h"
#include "math/sym3.h"

/* At density 1 unless said otherwise, so mass = volume. Sums of these (differences too: a hole has negative mass) are exact. */
typedef struct kin_mass {
    double mass;      /* kg */
    kin_vec3 center;  /* of mass, m */
    kin_sym3 inertia; /* about the centre of mass, axes of the frame it was measured in, kg m^2 */
} kin_mass;
