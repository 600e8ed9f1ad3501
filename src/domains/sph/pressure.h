/* pressure.h - what pressure.c asks of its kernel (pressure_lanes.c), for the blocks [begin, end). */
#pragma once
#include "domains/sph/fluid.h"

/* out = D (1/d) (1/2 sum (k_i + k_j) (-g r^2) + k_i wall_moment_i). a4: places, the fourth k. */
typedef void kin_sph_stress_fn(const kin_sph* f, size_t begin, size_t end, float* out);
kin_sph_stress_fn kin_sph_stress_none, kin_sph_stress_sse2, kin_sph_stress_avx2;
