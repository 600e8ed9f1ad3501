/* passes.h - what passes.c asks of its kernels (pass_lanes.c): sums over neighbours, for the blocks [begin, end). */
#pragma once
#include "domains/sph/fluid.h"

/* D, S (or L(v): fluid.h, factor) and g. True: nobody is where another one is. The fourth of x4 holds inv_rho. */
typedef bool kin_sph_measure_fn(kin_sph* f, size_t begin, size_t end);
typedef void kin_sph_forward_fn(const kin_sph* f, size_t begin, size_t end, const float* u4, bool with_walls, float* rate);
/* The fourth of x4 holds k. out = a(k), or where `by` is not 0 out += by a(k). */
typedef void kin_sph_backward_fn(const kin_sph* f, size_t begin, size_t end, float by, float* out4);
/* out = -(1 / (rho_i D_i)) (sum (own_i light_j + other_j) c_ij + (own_i light_i + other_i) b_i), light = 1 / D. */
typedef void kin_sph_uneven_fn(const kin_sph* f, size_t begin, size_t end, const float* own, const float* light, const float* other, float* out4);

/* What moves and presses in a chunk. */
typedef struct kin_sph_judged {
    double fastest, squares;           /* m^2/s^2: the largest square of a speed, and their sum */
    double pressure, pressure_squares; /* m^2/s^2, m^4/s^4: sums of k over density and of its square, k at least 0 */
    bool sane;                         /* all places are finite, all squares below the limit */
} kin_sph_judged;
typedef kin_sph_judged kin_sph_judge_fn(const kin_sph* f, float limit, size_t begin, size_t end);

kin_sph_judge_fn kin_sph_judge_none, kin_sph_judge_sse2, kin_sph_judge_avx2;
kin_sph_uneven_fn kin_sph_uneven_none, kin_sph_uneven_sse2, kin_sph_uneven_avx2;
kin_sph_measure_fn kin_sph_measure_none, kin_sph_measure_sse2, kin_sph_measure_avx2;
kin_sph_forward_fn kin_sph_forward_none, kin_sph_forward_sse2, kin_sph_forward_avx2;
kin_sph_backward_fn kin_sph_backward_none, kin_sph_backward_sse2, kin_sph_backward_avx2;
