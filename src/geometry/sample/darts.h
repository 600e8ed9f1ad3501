/* darts.h - a growing set of points, no two nearer than a spacing, and uniform picks from a surface. For this folder.
 *
 * Points hang in chains by the hash of their cell, two spacings wide: whoever is within a spacing of a place is in one of 8 chains. A chain may hold points
 * of other cells too; distances decide. */
#pragma once
#include "base/rng.h"
#include "geometry/sample/sample.h"

#define KIN_SAMPLE_MOST ((uint32_t)1 << 26) /* points */

typedef struct kin_darts {
    kin_samples* out;
    double spacing, inverse; /* m; of a cell, 1/m */
    uint32_t* heads;         /* mask + 1 chains: 1 + the newest point; 0: empty */
    uint32_t* next;          /* 1 + the point before */
    size_t next_capacity;
    uint32_t mask;
    kin_rng_key key; /* serial: of the next dart */
} kin_darts;

bool kin_darts_init(kin_darts* darts, kin_samples* out, double spacing, double expected, uint64_t seed);
void kin_darts_term(kin_darts* darts);
void kin_darts_words(kin_darts* darts, uint64_t words[4]); /* of the next dart */
bool kin_darts_free(const kin_darts* darts, kin_vec3 x);   /* nobody within the spacing */
/* False: out of memory. mesh NULL: a point in space. */
bool kin_darts_add(kin_darts* darts, kin_vec3 x, const kin_mesh* mesh, uint32_t triangle);

/* Those near one place, gathered once for many questions. No two are nearer than the spacing: in a ball of 2.2 spacings there is no room for more. */
#define KIN_DARTS_NEAR 160
typedef struct kin_darts_near {
    kin_vec3 points[KIN_DARTS_NEAR];
    int count;
} kin_darts_near;

/* All within the spacing of anything that is within `size`, at most 1.2 spacings, of a place. */
void kin_darts_gather(const kin_darts* darts, kin_vec3 at, double size, kin_darts_near* near);
static inline void kin_darts_near_add(kin_darts_near* near, kin_vec3 x)
{
    if (near->count < KIN_DARTS_NEAR) near->points[near->count++] = x;
}
bool kin_darts_near_free(const kin_darts_near* near, kin_vec3 x, double spacing);
/* Is one point within the spacing of all corners? Then of all between them too. */
bool kin_darts_near_cover(const kin_darts_near* near, const kin_vec3 corners[3], double spacing);
bool kin_darts_near_cover_cube(const kin_darts_near* near, kin_vec3 middle, double half, double spacing);

bool kin_samples_add(kin_samples* samples, kin_vec3 x, const kin_mesh* mesh, uint32_t triangle);
kin_vec3 kin_sample_in_triangle(kin_vec3 a, kin_vec3 b, kin_vec3 c, uint64_t first, uint64_t second); /* uniform, from two random words */

/* Triangles by area. */
typedef struct kin_area_table {
    double* sums; /* of the areas before each triangle, m^2; one more for the whole */
    uint32_t count;
} kin_area_table;
bool kin_area_table_init(kin_area_table* table, const kin_allocator* allocator, const kin_mesh* mesh);
void kin_area_table_term(kin_area_table* table, const kin_allocator* allocator);
uint32_t kin_area_table_pick(const kin_area_table* table, uint64_t word); /* from a random word */
