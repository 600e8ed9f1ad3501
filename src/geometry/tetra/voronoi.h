/* voronoi.h - a closed mesh broken into Voronoi pieces, for fracture: each piece is what of the body is nearer to its seed than to any other.
 *
 * A seed's cell is first found alone, as a convex polytope in the body's box: bisector planes of the nearest seeds, in order, until the next seed is
 * farther than twice the cell's reach, beyond which none can touch it. Only the planes that are left bound the cell, some fifteen, cut the mesh itself. */
#pragma once
#include "geometry/hull/hull.h"
#include "geometry/mass/mass.h"

#define KIN_SHARD_INNER 0x80000000u /* of a face made by breaking: | the seed across it */

typedef struct kin_shard {
    kin_mesh* mesh; /* closed */
    uint32_t* from; /* per triangle: the triangle of the given mesh it is of, or KIN_SHARD_INNER | seed */
    kin_mass mass;  /* at density 1 */
    kin_hull* hull; /* the same body, when the given one is convex; else NULL */
    uint32_t seed;  /* several pieces may be of one seed: the parts of a cell that do not hang together */
} kin_shard;

typedef struct kin_shards {
    kin_shard* shards; /* by seed */
    size_t count, capacity;
    bool convex; /* the given body was */
    kin_allocator allocator;
} kin_shards;

/* Seeds (m) may lie outside the body; those whose cells do not meet it make no piece. Refused: a mesh that is not closed or inside out, seeds at one place. */
kin_result kin_voronoi_break(const kin_allocator* allocator, const kin_mesh* mesh, const kin_vec3* seeds, uint32_t count, kin_shards** out, kin_error* error);
void kin_shards_destroy(kin_shards* pieces); /* may be NULL */

/* Uniform in the body. The same numbers for the same seed, and the first n of more are the same. */
kin_result kin_voronoi_scatter(const kin_allocator* allocator, const kin_mesh* mesh, uint64_t seed, uint32_t count, kin_vec3* out, kin_error* error);
