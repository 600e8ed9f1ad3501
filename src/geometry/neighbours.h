/* neighbours.h - which points of a cloud are near a place, near each other, or nearest (H6.3a-c, C2.4.1, C3.3.4c, R3.7).
 *
 * One interface over several structures; all give the same answers, bit for bit, for any cloud and any number of threads: a point is near when
 * (dx dx + dy dy) + dz dz <= radius radius in doubles, and the structures only skip what surely fails that. Indices come out ascending.
 *
 *     kin_neighbours* near;
 *     kin_neighbours_create(&allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_GRID}, &near, &error);
 *     kin_neighbours_update(near, jobs, kin_points_of_vectors(position), count, radius, &error);
 *     kin_neighbour_lists lists;
 *     kin_neighbours_lists(near, jobs, &lists, &error);
 *     for (size_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k) use(i, lists.indices[k]);
 *
 * Which kind: grid for clouds that fill their box; hash for clouds that do not (two far clusters, a thin jet); kdtree and octree when radii differ from
 * query to query; brute for a handful, and to check the others by. A skin makes Verlet lists on top of any: worth it where points move little and lists are asked often. */
#pragma once
#include "base/jobs.h"
#include "kinema/math.h"

typedef enum kin_neighbours_kind {
    KIN_NEIGHBOURS_BRUTE,       /* every pair is tested: the reference */
    KIN_NEIGHBOURS_GRID,        /* cells of a box, no more than points; they grow when the box is too large for that */
    KIN_NEIGHBOURS_HASH,        /* only cells that hold points */
    KIN_NEIGHBOURS_OCTREE_FULL, /* all cells of all levels, in one array */
    KIN_NEIGHBOURS_OCTREE,      /* splits where there are many points */
    KIN_NEIGHBOURS_KDTREE,      /* splits at medians */
    KIN_NEIGHBOURS_KINDS,
} kin_neighbours_kind;

typedef struct kin_neighbours_def {
    kin_neighbours_kind kind;
    double skin;       /* m, >= 0. More than 0: lists hold what is within radius + skin, and serve until a point has moved by skin / 2 */
    double cell;       /* m, >= 0: edge of grid and hash cells; 0: the radius */
    uint32_t leaf;     /* octree and kdtree: points in a leaf that could still be split; 0: chosen */
    uint32_t depth;    /* octrees: levels below the root, at most 21 (full: 8); 0: chosen */
    bool longest_axis; /* kdtree: split the longest side of what is there, rather than x, y, z in turn */
} kin_neighbours_def;

/* Places to read: three arrays or an array of vectors. Coordinates beyond 1e300 are refused. */
typedef struct kin_points {
    const double *x, *y, *z; /* m */
    size_t stride;           /* doubles from one point to the next */
} kin_points;
static inline kin_points kin_points_of_arrays(const double* x, const double* y, const double* z) { return (kin_points){x, y, z, 1}; }
static inline kin_points kin_points_of_vectors(const kin_vec3* v) { return v ? (kin_points){&v->x, &v->y, &v->z, 3} : (kin_points){0}; }

/* Neighbours of point i, itself left out: indices[offsets[i]] to indices[offsets[i + 1]], ascending. */
typedef struct kin_neighbour_lists {
    const size_t* offsets; /* count + 1 */
    const uint32_t* indices;
    uint32_t count;
} kin_neighbour_lists;

typedef struct kin_neighbour_pair {
    uint32_t i, j; /* i < j */
} kin_neighbour_pair;

typedef struct kin_neighbours kin_neighbours;

kin_result kin_neighbours_create(const kin_allocator* allocator, const kin_neighbours_def* def, kin_neighbours** out, kin_error* error);
void kin_neighbours_destroy(kin_neighbours* near); /* NULL is fine */

/* Copies the places. jobs may be NULL here and below: one thread. A place that is not finite, or a bad radius (0 to 1e150), is refused and the cloud is as
 * before; when memory runs out the cloud is empty. As many points as before take no memory. */
kin_result kin_neighbours_update(kin_neighbours* near, kin_jobs* jobs, kin_points points, uint32_t count, double radius, kin_error* error);

uint32_t kin_neighbours_count(const kin_neighbours* near);
uint64_t kin_neighbours_rebuilds(const kin_neighbours* near); /* updates that could not keep the structure; all of them without a skin */
size_t kin_neighbours_bytes(const kin_neighbours* near);

/* How many points are within radius of a place; out gets the lowest `capacity` of their indices, ascending. Any radius; a place or radius that is NaN, and
 * a radius below 0, finds nothing. Many threads may ask at once. */
uint32_t kin_neighbours_query(const kin_neighbours* near, kin_vec3 at, double radius, uint32_t* out, uint32_t capacity);
/* The k nearest to a place, nearest first, the lower index first among equals. Returns how many: k, or all there are. The tree of the kd-tree makes this
 * fast; the others look at every point. distance2 (m^2) gets their squared distances. */
uint32_t kin_neighbours_nearest(const kin_neighbours* near, kin_vec3 at, uint32_t k, uint32_t* out, double* distance2);

/* Lists for the update's radius, made on the first call after an update; valid until the next. They take memory only when there are more neighbours in all
 * than there was room for: an eighth more than when room was last made. */
kin_result kin_neighbours_lists(kin_neighbours* near, kin_jobs* jobs, kin_neighbour_lists* out, kin_error* error);
/* Every pair of the lists once, sorted by (i, j). Returns how many; out gets the first `capacity`. */
size_t kin_neighbour_pairs(const kin_neighbour_lists* lists, kin_neighbour_pair* out, size_t capacity);
