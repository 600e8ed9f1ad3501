/* kernels.h - passes over all pairs in lanes, one copy per width (kernels.c). Every pass takes blocks [begin, end) and writes only their particles.
 *
 * u4: three numbers a particle and a weight in the fourth. Where `mixed`, a pair's weight is the harmonic mean of its two, which is what a flux through an
 * interface needs; otherwise it is 1 and the fourth is not read. */
#pragma once
#include "domains/sph/lists.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct kin_sph_pairs {
    const kin_sph_lists* lists;
    const float* x4;
    float size[3], inv[3]; /* of the periodic box by axis, and its inverse; 0: not periodic */
} kin_sph_pairs;

/* Company, c, and its gradient, n: over q = r / reach, a bell peak (1 - q)^3 (1 + 3 q) of c, and -slope (1 - q)^2 x_ij of n, which is that bell's slope to a factor. */
typedef struct kin_sph_company {
    float inv_reach, peak, slope;
} kin_sph_company;

typedef struct kin_sph_strain {
    bool mixed;
    const float* diag;
    float c, inertia;
} kin_sph_strain;

typedef struct kin_sph_smoothing {
    const float* mass; /* kg, by particle; NULL: all weigh `one` */
    float one, rate, most;
} kin_sph_smoothing;

typedef struct kin_sph_physics_kernels {
    /* What keeps turning apart from straining, u and turning rates s of all particles together (implicit.c):
     *     e_ij = u_i - u_j - (s_i + s_j)/2 x x_ij,  f_ij = -c w_ij g_ij e_ij
     *     out_i = diag_i u_i + sum_j f_ij,   turn_i = inertia s_i + sum_j x_ij x f_ij / -2 */
    void (*strain)(const kin_sph_pairs* p, const kin_sph_strain* how, const float* u4, const float* s4, float* out4, float* turn4, size_t begin, size_t end);
    /* The diagonal of that: of u one number a particle; of s inverses of 3 x 3 blocks: xx yy zz xy xz yz, eight lanes each, 48 numbers a block. */
    void (*blocks)(const kin_sph_pairs* p, const kin_sph_strain* how, const float* u4, float* inverse, float* turn_inverse, size_t begin, size_t end);
    /* Each particle's own turning rate: with w = -c w_ij g_ij, matrix_i = sum_j w (x^2 - x x^T) (as turn_inverse above), moment_i = sum_j w x_ij x (u_i - u_j);
     * and s_i = matrix_i^-1 moment_i, 0 without neighbours */
    void (*turning)(const kin_sph_pairs* p, bool mixed, float c, const float* u4, float* matrix, float* moment4, size_t begin, size_t end);
    void (*turn)(const float* matrix, const float* moment4, float* s4, size_t begin, size_t end);
    /* out_i += coef_i sum_j w_ij (reach - r_ij) (u_j - u_i): Mueller's viscosity kernel */
    void (*text)(const kin_sph_pairs* p, const float* u4, bool mixed, const float* coef, float reach, float* out4, size_t begin, size_t end);
    /* u_i = v_i; its fourth |v_i| + press sqrt(k_i / rho_i), the pace, k at least 0 */
    void (*pace)(const float* v4, const float* k, const float* inv_rho, float press, float* u4, size_t begin, size_t end);
    /* v_i = u_i + sum_j (-g_ij) share_ij 2 m_j / (m_i + m_j) (u_j - u_i), share = min(most, rate (pace_i + pace_j)). Returns the energy that is lost, J */
    double (*smooth)(const kin_sph_pairs* p, const kin_sph_smoothing* how, const float* u4, float* v4, size_t begin, size_t end);
    /* out_i += sum_j (min(1, s_j / s_i) g_ij x_ij, w_ij); s: strength, the fourth of x4; w = (1 - q)^3 (1 + 3 q), q = r / reach, where it is the same, else 0;
     * moment_i = -sum_j g_ij r_ij^2 */
    void (*normal)(const kin_sph_pairs* p, float inv_reach, float* out4, float* moment, size_t begin, size_t end);
    /* out_i = (sum of w u, sum of w) over i and its neighbours, w as in `normal` times the fourth of u4 */
    void (*blend)(const kin_sph_pairs* p, float inv_reach, const float* u4, float* out4, size_t begin, size_t end);
    /* out_i = div n = dimensions sum g x_ij.(n_j - n_i) / -sum g |x_ij|^2 over neighbours that have a normal, the latter across n_i + n_j. Of radial normals a
     * pair's two differ by x_ij across that over the radius half-way between them: right for any part of a ball that is full of them, at the mean of such
     * radii. n4: unit normals, fourth 1, or all 0. dimensions: of the surface */
    void (*bend)(const kin_sph_pairs* p, const float* n4, float dimensions, float* out, size_t begin, size_t end);
    /* out_i += coef_i sum_j g x_ij (k_i + k_j + w_ij x_ij.(u_i - u_j) / (r^2 + soft)), w_ij the harmonic mean; k: the fourth of x4 */
    void (*hold)(const kin_sph_pairs* p, float soft, const float* u4, const float* coef, float* out4, size_t begin, size_t end);
    /* out_i += (n_i, c_i), what j adds times share_ij: s_j >= s_i 1, else 1 - sqrt(1 - s_j / s_i); s: strength, the fourth of x4 */
    void (*fill)(const kin_sph_pairs* p, const kin_sph_company* how, float* out4, size_t begin, size_t end);
    /* out_i += coef_i sum_j (1 - q)^2 (m - (2 x.m / (r reach (1 - q)) + l) x), x = x_ij, m = share_ij m_i - share_ji m_j, l = share_ij l_i + share_ji l_j;
     * l: the fourth of m4 */
    void (*join)(const kin_sph_pairs* p, const kin_sph_company* how, const float* m4, const float* coef, float* out4, size_t begin, size_t end);
} kin_sph_physics_kernels;
extern const kin_sph_physics_kernels kin_sph_physics_kernels_none, kin_sph_physics_kernels_sse2, kin_sph_physics_kernels_avx2;
