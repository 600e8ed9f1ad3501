/* expansion.h - accelerations near a cell's centre as a Taylor series of order 4 (Dehnen 2002 and the multipole literature; Cartesian, Plummer-softened).
 * For kernel files only.
 *
 *     a_i(x) = L_i + L_ij x_j + L_ijk x_j x_k / 2 + L_ijkl x_j x_k x_l / 6
 *
 * L[0..2]; L[3..8] xx xy xz yy yz zz; L[9..18] xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz; L[19..33] xxxx xxxy xxxz xxyy xxyz xxzz xyyy xyyz xyzz xzzz yyyy yyyz
 * yyzz yzzz zzzz. All in units of the target's side. With d from source to target, i2 = 1/(d^2 + e^2), g0 = sqrt(i2), g1 = -g0 i2, g2 = -3 g1 i2, g3 = -5 g2
 * i2, g4 = -7 g3 i2, the derivatives of g0 are D1 = g1 x, D2 = g2 xx + g1 1, D3 = g3 xxx + g2 (x 1), D4 = g4 xxxx + g3 (xx 1) + g2 (1 1). */
#pragma once
#include "system/gravity/lanes.h"
#include "system/gravity/local.h"

/* ---- series ---- */

INLINE void series_at(const float* l, lane8 x, lane8 y, lane8 z, lane8 a[3])
{
    lane8 xx = x * x, xy = x * y, xz = x * z, yy = y * y, yz = y * z, zz = z * z, half = all8(0.5f), sixth = all8(1.0f / 6);
    lane8 xxx = xx * x, xxy = xx * y, xxz = xx * z, xyy = xy * y, xyz = xy * z, xzz = xz * z, yyy = yy * y, yyz = yy * z, yzz = yz * z, zzz = zz * z;
    /* Row i: where L_ij, L_ijk and L_ijkl begin to be found for jk = xx xy xz yy yz zz and jkl = xxx ... zzz. */
    static const uint8_t second[3][3] = {{3, 4, 5}, {4, 6, 7}, {5, 7, 8}};
    static const uint8_t third[3][6] = {{9, 10, 11, 12, 13, 14}, {10, 12, 13, 15, 16, 17}, {11, 13, 14, 16, 17, 18}};
    static const uint8_t fourth[3][10] = {
        {19, 20, 21, 22, 23, 24, 25, 26, 27, 28}, {20, 22, 23, 25, 26, 27, 29, 30, 31, 32}, {21, 23, 24, 26, 27, 28, 30, 31, 32, 33}};
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const uint8_t *s = second[i], *t = third[i], *f = fourth[i];
        lane8 sum = all8(l[i]) + all8(l[s[0]]) * x + all8(l[s[1]]) * y + all8(l[s[2]]) * z;
        sum += half * (all8(l[t[0]]) * xx + all8(l[t[3]]) * yy + all8(l[t[5]]) * zz) + (all8(l[t[1]]) * xy + all8(l[t[2]]) * xz + all8(l[t[4]]) * yz);
        sum += sixth * (all8(l[f[0]]) * xxx + all8(l[f[6]]) * yyy + all8(l[f[9]]) * zzz);
        sum += half * (all8(l[f[1]]) * xxy + all8(l[f[2]]) * xxz + all8(l[f[3]]) * xyy + all8(l[f[5]]) * xzz + all8(l[f[7]]) * yyz + all8(l[f[8]]) * yzz);
        a[i] = sum + all8(l[f[4]]) * xyz;
    }
}

/* The series about a point (x, y, z) from the old centre. ratio: the new unit of length in the old one. */
static void shift_series(const float* l, float x, float y, float z, float ratio, float out[KIN_GRAVITY_LOCALS])
{
    static const uint8_t third[6][3] = {{9, 10, 11}, {10, 12, 13}, {11, 13, 14}, {12, 15, 16}, {13, 16, 17}, {14, 17, 18}};
    static const uint8_t fourth[10][3] = {{19, 20, 21}, {20, 22, 23}, {21, 23, 24}, {22, 25, 26}, {23, 26, 27},
                                          {24, 27, 28}, {25, 29, 30}, {26, 30, 31}, {27, 31, 32}, {28, 32, 33}};
    static const uint8_t pairs[6][6] = {{19, 20, 21, 22, 23, 24}, {20, 22, 23, 25, 26, 27}, {21, 23, 24, 26, 27, 28},
                                        {22, 25, 26, 29, 30, 31}, {23, 26, 27, 30, 31, 32}, {24, 27, 28, 31, 32, 33}};
    lane8 a[3];
    series_at(l, all8(x), all8(y), all8(z), a);
    float power = ratio * ratio;
    for (int i = 0; i < 3; ++i) out[i] = a[i][0] * power;
    power *= ratio;
    for (int i = 0; i < 6; ++i) {
        const uint8_t *t = third[i], *f = pairs[i];
        float quadratic = 0.5f * (l[f[0]] * x * x + l[f[3]] * y * y + l[f[5]] * z * z) + l[f[1]] * x * y + l[f[2]] * x * z + l[f[4]] * y * z;
        out[3 + i] = (l[3 + i] + (l[t[0]] * x + l[t[1]] * y + l[t[2]] * z) + quadratic) * power;
    }
    power *= ratio;
    for (int i = 0; i < 10; ++i) out[9 + i] = (l[9 + i] + (l[fourth[i][0]] * x + l[fourth[i][1]] * y + l[fourth[i][2]] * z)) * power;
    power *= ratio;
    for (int i = 19; i < 34; ++i) out[i] = l[i] * power;
}

/* ---- cells on cells ---- */

/* Rows of eight floats to columns. */
INLINE void transpose8(const float* const rows[8], lane8 out[8])
{
    lane8 r[8], a[8], b[8];
    for (int k = 0; k < 8; ++k) r[k] = load8(rows[k]);
    for (int k = 0; k < 4; ++k) {
        a[2 * k] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[2 * k + 1] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < 2; ++k) {
        b[4 * k] = __builtin_shufflevector(a[4 * k], a[4 * k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[4 * k + 1] = __builtin_shufflevector(a[4 * k], a[4 * k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        b[4 * k + 2] = __builtin_shufflevector(a[4 * k + 1], a[4 * k + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        b[4 * k + 3] = __builtin_shufflevector(a[4 * k + 1], a[4 * k + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* From the sources to the target's centre, in its units; and the moment yzz. */
INLINE void offsets8(const kin_gravity_node* t, const kin_gravity_node* const s[8], double inverse, lane8 d[4])
{
    lane4d centre = {t->x, t->y, t->z, 0}, unit = {inverse, inverse, inverse, -1};
    lane8 r[4];
    for (int k = 0; k < 4; ++k) { /* sources k and k + 4 side by side */
        lane4 low = __builtin_convertvector((centre - load4d(&s[k]->x)) * unit, lane4);
        lane4 high = __builtin_convertvector((centre - load4d(&s[k + 4]->x)) * unit, lane4);
        r[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    lane8 xy01 = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13), xy23 = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    lane8 z01 = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15), z23 = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    d[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13);
    d[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15);
    d[2] = __builtin_shufflevector(z01, z23, 0, 1, 8, 9, 4, 5, 12, 13);
    d[3] = __builtin_shufflevector(z01, z23, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* Sums over sources, a lane each: products of coordinates apart from terms with deltas, which are merged once per target. */
typedef struct series_sums {
    lane8 first[3], second[6], third[10], fourth[15];
    lane8 g1, g2x[3], g3xx[6], g2; /* m g1 and so on */
} series_sums;

/* - D4 : O / 6. The g hold the unit of O. */
INLINE void add_octupole(series_sums* s, const kin_gravity_node* const from[8], const lane8 d[4], lane8 zzz, const lane8 p[6], lane8 g2, lane8 g3, lane8 g4,
                         lane8* along)
{
    const float* rows[8];
    for (int k = 0; k < 8; ++k) rows[k] = from[k]->octupole;
    lane8 o[10], two = all8(2);
    transpose8(rows, o);
    o[8] = d[3], o[9] = zzz;
    lane8 ox = o[0] * p[0] + o[3] * p[3] + o[5] * p[5] + two * (o[1] * p[1] + o[2] * p[2] + o[4] * p[4]);
    lane8 oy = o[1] * p[0] + o[6] * p[3] + o[8] * p[5] + two * (o[3] * p[1] + o[4] * p[2] + o[7] * p[4]);
    lane8 oz = o[2] * p[0] + o[7] * p[3] + o[9] * p[5] + two * (o[4] * p[1] + o[5] * p[2] + o[8] * p[4]);
    lane8 tx = o[0] + o[3] + o[5], ty = o[1] + o[6] + o[8], tz = o[2] + o[7] + o[9];
    lane8 cubic = ox * d[0] + oy * d[1] + oz * d[2], trace = tx * d[0] + ty * d[1] + tz * d[2];
    *along -= g4 * cubic * all8(1.0f / 3) + g3 * trace;
    s->first[0] -= g3 * ox + g2 * tx, s->first[1] -= g3 * oy + g2 * ty, s->first[2] -= g3 * oz + g2 * tz;
}

INLINE void add_mass(series_sums* s, lane8 m, const lane8 d[3], const lane8 p[6], lane8 g1, lane8 g2, lane8 g3, lane8 g4)
{
    lane8 m2 = m * g2, m3 = m * g3, m4 = m * g4;
    for (int k = 0; k < 6; ++k) s->second[k] += m2 * p[k], s->g3xx[k] += m3 * p[k];
    for (int k = 0; k < 3; ++k) s->g2x[k] += m2 * d[k];
    s->g1 += m * g1, s->g2 += m2;
    lane8 ax = m3 * d[0], ay = m3 * d[1], az = m3 * d[2];
    s->third[0] += ax * p[0], s->third[1] += ax * p[1], s->third[2] += ax * p[2], s->third[3] += ax * p[3], s->third[4] += ax * p[4];
    s->third[5] += ax * p[5], s->third[6] += ay * p[3], s->third[7] += ay * p[4], s->third[8] += ay * p[5], s->third[9] += az * p[5];
    lane8 bx = m4 * p[0], bxy = m4 * p[1], bxz = m4 * p[2], by = m4 * p[3], bz = m4 * p[5];
    for (int k = 0; k < 6; ++k) s->fourth[k] += bx * p[k];
    s->fourth[6] += bxy * p[3], s->fourth[7] += bxy * p[4], s->fourth[8] += bxy * p[5], s->fourth[9] += bxz * p[5];
    s->fourth[10] += by * p[3], s->fourth[11] += by * p[4], s->fourth[12] += by * p[5], s->fourth[13] += bz * p[4], s->fourth[14] += bz * p[5];
}

/* D3 : Q / 2 and D4 : Q / 2. The g hold the unit of Q. Returns what the first gives along d. */
INLINE lane8 add_quadrupole(series_sums* s, const lane8 q[6], const lane8 d[4], const lane8 p[6], lane8 g2, lane8 g3, lane8 g4)
{
    lane8 x = d[0], y = d[1], z = d[2], half = all8(0.5f), two = all8(2);
    lane8 qx = q[0] * x + q[1] * y + q[2] * z, qy = q[1] * x + q[3] * y + q[4] * z, qz = q[2] * x + q[4] * y + q[5] * z;
    lane8 qq = qx * x + qy * y + qz * z, trace = q[0] + q[3] + q[5], both = half * (g3 * qq + g2 * trace);
    lane8 c = half * (g4 * qq + g3 * trace), hx = g3 * qx, hy = g3 * qy, hz = g3 * qz;
    s->first[0] += g2 * qx, s->first[1] += g2 * qy, s->first[2] += g2 * qz;
    s->second[0] += c * p[0] + two * hx * x + g2 * q[0];
    s->second[1] += c * p[1] + hx * y + hy * x + g2 * q[1];
    s->second[2] += c * p[2] + hx * z + hz * x + g2 * q[2];
    s->second[3] += c * p[3] + two * hy * y + g2 * q[3];
    s->second[4] += c * p[4] + hy * z + hz * y + g2 * q[4];
    s->second[5] += c * p[5] + two * hz * z + g2 * q[5];
    s->g1 += both;
    return both;
}

/* L1 = m D1 + D3 : Q / 2 - D4 : O / 6, L2 = m D2 + D4 : Q / 2, L3 = m D3, L4 = m D4. */
INLINE void add_eight(series_sums* s, const kin_gravity_node* t, const kin_gravity_node* const from[8], double inverse, lane8 e2)
{
    lane8 d[4], row[8], unit2 = all8((float)(inverse * inverse)), unit3 = all8((float)(0.5 * inverse * inverse * inverse));
    const float* rows[8];
    for (int k = 0; k < 8; ++k) rows[k] = &from[k]->mass;
    offsets8(t, from, inverse, d);
    transpose8(rows, row);
    lane8 p[6] = {d[0] * d[0], d[0] * d[1], d[0] * d[2], d[1] * d[1], d[1] * d[2], d[2] * d[2]};
    lane8 i2 = all8(1) / (p[0] + p[3] + p[5] + e2), g0 = sqrt8(i2);
    lane8 g1 = -(g0 * i2), g2 = all8(-3) * g1 * i2, g3 = all8(-5) * g2 * i2, g4 = all8(-7) * g3 * i2;
    lane8 along = row[0] * g1 + add_quadrupole(s, row + 1, d, p, g2 * unit2, g3 * unit2, g4 * unit2);
    add_octupole(s, from, d, row[7], p, g2 * unit3, g3 * unit3, g4 * unit3, &along);
    s->first[0] += along * d[0], s->first[1] += along * d[1], s->first[2] += along * d[2];
    add_mass(s, row[0], d, p, g1, g2, g3, g4);
}

static void merge_sums(const series_sums* s, float* l)
{
    float g1 = sum8(s->g1), g2 = sum8(s->g2), h[3], k[6];
    for (int i = 0; i < 3; ++i) h[i] = sum8(s->g2x[i]);
    for (int i = 0; i < 6; ++i) k[i] = sum8(s->g3xx[i]);
    const float second[6] = {g1, 0, 0, g1, 0, g1};
    const float third[10] = {3 * h[0], h[1], h[2], h[0], 0, h[0], 3 * h[1], h[2], h[1], 3 * h[2]};
    const float fourth[15] = {6 * k[0] + 3 * g2, 3 * k[1],          3 * k[2], k[0] + k[3] + g2, k[4],     k[0] + k[5] + g2, 3 * k[1], k[2], k[1],
                              3 * k[2],          6 * k[3] + 3 * g2, 3 * k[4], k[3] + k[5] + g2, 3 * k[4], 6 * k[5] + 3 * g2};
    for (int i = 0; i < 3; ++i) l[i] += sum8(s->first[i]);
    for (int i = 0; i < 6; ++i) l[3 + i] += sum8(s->second[i]) + second[i];
    for (int i = 0; i < 10; ++i) l[9 + i] += sum8(s->third[i]) + third[i];
    for (int i = 0; i < 15; ++i) l[19 + i] += sum8(s->fourth[i]) + fourth[i];
}
