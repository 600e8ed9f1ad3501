/* convex_face.c - a triangulation whose worst triangle is best, by dynamic programming over chords (Klincsek 1980). */
#include "geometry/hull/convex_face.h"

#define MOST 64     /* corners: the search is cubic */
#define ENOUGH 1e-6 /* no need to look for better than that */

/* Height over the longest side. */
static double thickness(kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    kin_vec3 u = kin_sub(b, a), v = kin_sub(c, a);
    double longest2 = kin_max(kin_length2(kin_sub(c, b)), kin_max(kin_length2(u), kin_length2(v)));
    return longest2 > 0 ? kin_length(kin_cross(u, v)) / longest2 : 0;
}

/* ---- fans ---- */

static double thinnest_of_fan(const kin_vec3* v, const uint32_t* c, uint32_t n, uint32_t apex)
{
    double worst = __builtin_inf();
    for (uint32_t i = 1; i + 1 < n; ++i) worst = kin_min(worst, thickness(v[c[apex]], v[c[(apex + i) % n]], v[c[(apex + i + 1) % n]]));
    return worst;
}

/* The best apex, or the first that is good enough. */
static uint32_t best_apex(const kin_vec3* v, const uint32_t* c, uint32_t n, double* thinnest)
{
    uint32_t apex = 0;
    *thinnest = thinnest_of_fan(v, c, n, 0);
    for (uint32_t i = 1; i < n && *thinnest < ENOUGH; ++i) {
        double t = thinnest_of_fan(v, c, n, i);
        if (t > *thinnest) *thinnest = t, apex = i;
    }
    return apex;
}

static void write_fan(const uint32_t* c, uint32_t n, uint32_t apex, uint32_t (*out)[3])
{
    for (uint32_t i = 1; i + 1 < n; ++i) {
        out[i - 1][0] = c[apex];
        out[i - 1][1] = c[(apex + i) % n];
        out[i - 1][2] = c[(apex + i + 1) % n];
    }
}

/* ---- the best of all ---- */

typedef struct table {
    double thinnest[MOST][MOST]; /* of the best triangulation of corners i to k */
    uint8_t middle[MOST][MOST];  /* the third corner of the triangle on the chord i k */
} table;

static void fill_table(const kin_vec3* v, const uint32_t* c, uint32_t n, table* t)
{
    for (uint32_t i = 0; i + 1 < n; ++i) t->thinnest[i][i + 1] = __builtin_inf();
    for (uint32_t span = 2; span < n; ++span) {
        for (uint32_t i = 0; i + span < n; ++i) {
            uint32_t k = i + span;
            t->thinnest[i][k] = -1;
            for (uint32_t j = i + 1; j < k; ++j) {
                double worst = kin_min(kin_min(t->thinnest[i][j], t->thinnest[j][k]), thickness(v[c[i]], v[c[j]], v[c[k]]));
                if (worst > t->thinnest[i][k]) t->thinnest[i][k] = worst, t->middle[i][k] = (uint8_t)j;
            }
        }
    }
}

static void write_table(const uint32_t* c, uint32_t n, const table* t, uint32_t (*out)[3])
{
    uint8_t stack[2 * MOST][2];
    uint32_t top = 0, made = 0;
    stack[top][0] = 0, stack[top++][1] = (uint8_t)(n - 1);
    while (top > 0) {
        uint8_t i = stack[--top][0], k = stack[top][1];
        if (k - i < 2) continue;
        uint8_t j = t->middle[i][k];
        out[made][0] = c[i], out[made][1] = c[j], out[made++][2] = c[k];
        stack[top][0] = i, stack[top++][1] = j;
        stack[top][0] = j, stack[top++][1] = k;
    }
}

void kin_convex_face_triangles(const kin_vec3* vertices, const uint32_t* corners, uint32_t count, uint32_t (*out)[3])
{
    double thinnest;
    uint32_t apex = best_apex(vertices, corners, count, &thinnest);
    if (thinnest < ENOUGH && count <= MOST) {
        table t;
        fill_table(vertices, corners, count, &t);
        write_table(corners, count, &t, out);
    } else {
        write_fan(corners, count, apex, out);
    }
}
