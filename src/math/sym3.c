/* sym3.c - principal axes by cyclic Jacobi rotations: always the same order of work, so always the same bits. */
#include "math/sym3.h"

enum { SWEEPS = 12 }; /* convergence is quadratic: five are the most that were ever seen */

/* Turns rows and columns p and q of a so that a[p][q] = 0, and columns p and q of v along. */
static void annihilate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = kin_abs(theta) > 1e150 ? 0.5 / theta : (theta < 0 ? -1 : 1) / (kin_abs(theta) + kin_sqrt(theta * theta + 1)); /* the smaller angle */
    double c = 1 / kin_sqrt(t * t + 1), s = t * c;
    int r = 3 - p - q;
    double shift = t * a[p][q];
    a[p][p] -= shift;
    a[q][q] += shift;
    a[p][q] = a[q][p] = 0;
    double rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; ++k) {
        double kp = v[k][p], kq = v[k][q];
        v[k][p] = c * kp - s * kq;
        v[k][q] = s * kp + c * kq;
    }
}

/* The sign that makes the component of largest size positive. */
static kin_vec3 facing(kin_vec3 v)
{
    kin_vec3 a = kin_abs3(v);
    double leader = a.x >= a.y && a.x >= a.z ? v.x : a.y >= a.z ? v.y : v.z;
    return leader < 0 ? kin_neg(v) : v;
}

kin_eigen3 kin_sym3_eigen(kin_sym3 s)
{
    double a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double off = kin_abs(a[0][1]) + kin_abs(a[0][2]) + kin_abs(a[1][2]);
        double on = kin_abs(a[0][0]) + kin_abs(a[1][1]) + kin_abs(a[2][2]);
        if (off <= 1e-30 * on) {
            break;
        }
        annihilate(a, v, 0, 1);
        annihilate(a, v, 0, 2);
        annihilate(a, v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; ++i) { /* insertion: equal values keep their order */
        for (int j = i; j > 0 && a[order[j]][order[j]] > a[order[j - 1]][order[j - 1]]; --j) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
    kin_vec3 x = facing(kin_v(v[0][order[0]], v[1][order[0]], v[2][order[0]]));
    kin_vec3 y = facing(kin_v(v[0][order[1]], v[1][order[1]], v[2][order[1]]));
    return (kin_eigen3){{a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]}, {x, y, kin_cross(x, y)}};
}
