/* wcsph.h - what wcsph.c asks of its kernel (wcsph_lanes.c). */
#pragma once
#include "domains/sph/fluid.h"

/* An equation of state. */
typedef struct kin_sph_of_state {
    float stiffness, stiffness_over_gamma; /* m^2/s^2 */
    float bulk;                            /* m^2/s */
    double gamma;
    int whole; /* gamma, where it is a whole number; else 0 */
    bool gas;
} kin_sph_of_state;

/* k of the blocks [begin, end) from D and its rate (factor): into k_density and the fourth of x4. */
typedef void kin_sph_equate_fn(kin_sph* f, const kin_sph_of_state* e, size_t begin, size_t end);
kin_sph_equate_fn kin_sph_equate_none, kin_sph_equate_sse2, kin_sph_equate_avx2;
