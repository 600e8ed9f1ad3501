/* lcp_problems.h - random problems and the slowest sure solver: trying all 2^n choices. */
#pragma once
#include "base/arena.h"
#include "base/rng.h"
#include "numerics/lcp.h"
#include <math.h>

enum { PROBLEM_MAX = 30 };

typedef struct problem {
    int size;
    double matrix[PROBLEM_MAX * PROBLEM_MAX], offset[PROBLEM_MAX];
    uint32_t draw;
    kin_rng_key key;
} problem;

static inline double problem_random(problem* p, double low, double high) { return kin_rng_uniform(&p->key, p->draw++, low, high); }

/* G G^t with G size x rank: singular when rank < size. b = A z is in the column space when asked for, as contact without friction has it (I14.1). */
static inline void problem_psd(problem* p, int size, int rank, bool inside)
{
    double g[PROBLEM_MAX * PROBLEM_MAX], z[PROBLEM_MAX];
    p->size = size;
    for (int i = 0; i < size * rank; ++i) g[i] = problem_random(p, -1, 1);
    for (int i = 0; i < rank; ++i) z[i] = problem_random(p, -1, 1);
    for (int i = 0; i < size; ++i) {
        p->offset[i] = inside ? 0 : problem_random(p, -1, 1);
        for (int k = 0; k < rank && inside; ++k) p->offset[i] += g[i * rank + k] * z[k];
        for (int j = 0; j < size; ++j) {
            double sum = 0;
            for (int k = 0; k < rank; ++k) sum += g[i * rank + k] * g[j * rank + k];
            p->matrix[i * size + j] = sum;
        }
    }
}

/* x = solution of the k x k system m x = r by elimination with row pivots; false when singular. */
static inline bool solve_dense(int k, double* m, double* x)
{
    for (int c = 0; c < k; ++c) {
        int best = c;
        for (int i = c + 1; i < k; ++i)
            if (fabs(m[i * k + c]) > fabs(m[best * k + c])) best = i;
        if (fabs(m[best * k + c]) < 1e-11) return false;
        for (int j = 0; j < k && best != c; ++j) {
            double swap = m[c * k + j];
            m[c * k + j] = m[best * k + j], m[best * k + j] = swap;
        }
        double swap = x[c];
        x[c] = x[best], x[best] = swap;
        for (int i = c + 1; i < k; ++i) {
            double f = m[i * k + c] / m[c * k + c];
            for (int j = c; j < k; ++j) m[i * k + j] -= f * m[c * k + j];
            x[i] -= f * x[c];
        }
    }
    for (int c = k - 1; c >= 0; --c) {
        for (int j = c + 1; j < k; ++j) x[c] -= m[c * k + j] * x[j];
        x[c] /= m[c * k + c];
    }
    return true;
}

/* Tries the 2^size active sets in order; true and the first solution found within tolerance. With a semidefinite matrix some solution always has a regular
 * active block, so false means there is none. */
static inline bool enumerate(const problem* p, double tolerance, double* force)
{
    int n = p->size;
    for (uint32_t set = 0; set < 1u << n; ++set) {
        int rows[PROBLEM_MAX], k = 0;
        double m[PROBLEM_MAX * PROBLEM_MAX], x[PROBLEM_MAX];
        for (int i = 0; i < n; ++i)
            if (set >> i & 1) rows[k++] = i;
        for (int i = 0; i < k; ++i) {
            x[i] = -p->offset[rows[i]];
            for (int j = 0; j < k; ++j) m[i * k + j] = p->matrix[rows[i] * n + rows[j]];
        }
        if (!solve_dense(k, m, x)) continue;
        bool good = true;
        for (int i = 0; i < n; ++i) force[i] = 0;
        for (int i = 0; i < k; ++i) {
            force[rows[i]] = x[i];
            good = good && x[i] >= -tolerance;
        }
        for (int i = 0; i < n && good; ++i) {
            double a = p->offset[i];
            for (int j = 0; j < n; ++j) a += p->matrix[i * n + j] * force[j];
            good = a >= -tolerance;
        }
        if (good) return true;
    }
    return false;
}
