/* boundtree.h - trees of bounding volumes of any kind over triangles, boxes or points: the kit to teach with and to compare; the fast default is
 * geometry/bvh.h (C2.2, C2.3, H10.11).
 *
 * Nodes lie in an array by falling depth: every child comes before its parent, the root is last, so a refit is one loop (C2.3). Children of a node are
 * neighbours in the array, and so are the primitives below any node in `items`. Binary, but for the octree (up to eight). */
#pragma once
#include "geometry/mesh.h"
#include "geometry/volumes/bound.h"

#define KIN_PRIMITIVE_POINTS 16 /* at most: the corners of a box at two times */

/* What a tree is built over. Borrowed for the call only. */
typedef struct kin_primitives {
    uint32_t count;
    const kin_vec3 *points, *ends;    /* m; ends: NULL, or where the points are at the end of an interval, on straight ways (C2.3) */
    size_t point_count;               /* of each */
    const uint32_t* corners;          /* corner_count point numbers a primitive; NULL: point i is primitive i */
    uint32_t corner_count;            /* 1 to 8 */
    const kin_aabb *boxes, *box_ends; /* instead of points; box_ends may be NULL */
    const uint32_t (*neighbors)[3];   /* triangles: across each edge, or KIN_NO_NEIGHBOR; for KIN_BUILD_SURFACE only */
} kin_primitives;
kin_primitives kin_primitives_of_mesh(const kin_mesh* mesh);
kin_primitives kin_primitives_of_boxes(const kin_aabb* boxes, uint32_t count);
kin_primitives kin_primitives_of_points(const kin_vec3* points, uint32_t count);
/* Its points, those at the end of the interval too; how many. */
uint32_t kin_primitive_points(const kin_primitives* primitives, uint32_t index, kin_vec3 points[KIN_PRIMITIVE_POINTS]);

typedef enum kin_bound_build {
    KIN_BUILD_TOP_DOWN,  /* cut as the kind is: at the mean along the longest side or axis, or through the median; one-sided cuts try the next axis */
    KIN_BUILD_BOTTOM_UP, /* nearest pairs merge, by the area of their common box (Walter et al. 2008, in Morton order as Meister and Bittner 2018) */
    KIN_BUILD_SURFACE,   /* the same, but only triangles that share an edge merge: every node is one patch of the surface (S-G) */
    KIN_BUILD_OCTREE,    /* cubes cut in eight; with spheres the sphere octree of Hubbard 1996 */
} kin_bound_build;

typedef struct kin_bound_tree_def {
    kin_bound_kind kind;     /* of the nodes */
    kin_bound_kind low_kind; /* hybrid: of nodes less than low_levels above their deepest leaf, AABB above OBB for one */
    uint32_t low_levels;     /* 0: not hybrid */
    kin_bound_build build;
    kin_bound_split split; /* top down; 0: as the kind's */
    uint32_t leaf;         /* primitives that may stay together; 0: one */
} kin_bound_tree_def;

typedef struct kin_bound_node {
    uint32_t child, child_count; /* first of its children; 0: a leaf */
    uint32_t first, count;       /* of items: the primitives below */
    uint32_t depth;              /* edges from the root */
} kin_bound_node;

typedef struct kin_bound_tree {
    kin_bound_node* nodes; /* root: node_count - 1 */
    kin_bound* bounds;     /* of the nodes; owned */
    uint32_t node_count;   /* 0: no primitives */
    uint32_t* items;       /* primitive numbers */
    uint32_t item_count;
    uint32_t depth;    /* of the deepest leaf, in edges */
    kin_vec3* scratch; /* points of one leaf, for refits */
    size_t scratch_count;
    uint32_t node_capacity;
    kin_allocator allocator;
} kin_bound_tree;

/* On failure *out is NULL; error names the primitive that is not finite, or what else is wrong. Every node fits the primitives below it as tightly as its
 * kind can. n log n, for hulls times that of hulls. */
kin_result kin_bound_tree_create(const kin_allocator* allocator, const kin_primitives* primitives, const kin_bound_tree_def* def, kin_bound_tree** out,
                                 kin_error* error);
void kin_bound_tree_destroy(kin_bound_tree* tree); /* may be NULL */
size_t kin_bound_tree_bytes(const kin_bound_tree* tree);

/* The same tree round primitives that moved: leaves fit theirs, parents their children. As many primitives as built with. Allocates for hulls and
 * obb-hull only; on failure the bounds are a mixture of old and new, all valid memory. */
kin_result kin_bound_tree_refit(kin_bound_tree* tree, const kin_primitives* primitives, kin_error* error);

static inline uint32_t kin_bound_tree_root(const kin_bound_tree* tree) { return tree->node_count - 1; }
/* The nodes at a level, root 0, and the leaves that end above it: together they hold everything. Fills up to capacity; returns how many there are. */
uint32_t kin_bound_tree_level(const kin_bound_tree* tree, uint32_t level, uint32_t* nodes, uint32_t capacity);

/* How many times the closed surface of triangles winds round a place: 1 inside, 0 outside (van Oosterom and Strackee 1983). All triangles are asked. */
double kin_primitives_winding(const kin_primitives* triangles, kin_vec3 x);
