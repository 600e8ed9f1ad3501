/* local.h - what the files of this folder share: bodies in the order of a tree, cells with moments, and the kernels.
 *
 * Places are kept relative to the middle of the cloud in units of its side (a power of two), in doubles; masses in units of a power of two above their sum.
 * A kernel works on one target cell T at a time, in floats relative to T's centre and in units of T's side: pairs are resolved however far the farthest
 * body is, and the ninth power of a distance fits a float. */
#pragma once
#include "base/arena.h"
#include "system/gravity/gravity.h"
#include <stdatomic.h>

enum {
    KIN_GRAVITY_DEPTH = 21,    /* levels: three times as many bits in a key */
    KIN_GRAVITY_CHUNKS = 64,   /* of the loops over bodies, at most */
    KIN_GRAVITY_DIGITS = 2048, /* values of a digit in the sort */
    KIN_GRAVITY_PAD = 16,      /* elements after the last that lanes may read */
    KIN_GRAVITY_LOCALS = 34,   /* 3 + 6 + 10 + 15 coefficients of an expansion of acceleration */
};

#define KIN_GRAVITY_LEAF 0x80000000u /* marks numbers of leaves in the walk */

/* Two cache lines, laid out for the transposition of eight: four doubles, eight floats, eight floats. Second moments about the centre of mass: xx xy xz yy yz
 * zz; third ones: xxx xxy xxz xyy xyz xzz yyy yyz, and yzz and zzz where there was room. */
typedef struct kin_gravity_node {
    double x, y, z; /* centre of mass */
    double yzz;
    float mass, quadrupole[6], zzz;
    float octupole[8];
    float side;            /* of its cell, a power of two in trees */
    float radius;          /* of its farthest body from the centre of mass, or more */
    float weight;          /* sum of |a|^-2 of its bodies, last call */
    uint32_t begin, count; /* bodies */
    uint32_t child;
    uint16_t child_count; /* 0: a leaf */
    uint16_t shift;       /* the cell is 2^shift of the finest cells wide */
} kin_gravity_node;

/* Third moments in the order xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz. */
static inline double kin_gravity_octupole(const kin_gravity_node* n, int k) { return k < 8 ? n->octupole[k] : k == 8 ? n->yzz : n->zzz; }

typedef struct kin_gravity_tree {
    kin_allocator allocator;
    double centre[3], side; /* m */
    double mass_unit;       /* kg */
    uint32_t count;
    /* Bodies in tree order, one block of memory for all. */
    double *x, *y, *z;
    float* mass;
    float* weight; /* |a|^-2 of the last call, own units */
    uint32_t *id, *id_scratch;
    uint64_t *keys, *key_scratch;
    uint32_t* places; /* of the sort: chunks x digits */
    void* body_memory;
    size_t body_bytes;
    double bounds[KIN_GRAVITY_CHUNKS][8]; /* of each chunk: low, high, mass, 0 if all is finite */
    /* Cells, parents first; level k is [level[k], level[k + 1]). */
    kin_gravity_node* nodes;
    size_t node_capacity;
    uint32_t node_count, level_count;
    uint32_t level[KIN_GRAVITY_DEPTH + 2];
    /* What the walk asks of eight children at once. The sign bit of a number marks a leaf. */
    float *node_x, *node_y, *node_z, *node_radius, *node_mass;
    uint32_t* node_number;
    void* walk_memory;
    size_t walk_bytes;
} kin_gravity_tree;

/* The box of the cloud and the units; fails when something is not finite. */
kin_result kin_gravity_measure(kin_gravity_tree* tree, const kin_mutual_cloud* cloud, kin_error* error);
/* After measure. history: |a| of each body of the cloud, in units of unit; NULL: none. False: out of memory. */
bool kin_gravity_tree_build(kin_gravity_tree* tree, const kin_mutual_cloud* cloud, uint32_t leaf, const double* history, double unit);
bool kin_gravity_grid_build(kin_gravity_tree* tree, const kin_mutual_cloud* cloud);
void kin_gravity_tree_term(kin_gravity_tree* tree);
void kin_gravity_moments(kin_gravity_tree* tree, kin_jobs* jobs, bool walk); /* walk: also what the multipole walk needs */
/* Bodies of the cloud at begin .. in tree order, after the keys were sorted. */
void kin_gravity_gather(kin_gravity_tree* tree, const kin_mutual_cloud* cloud, const double* history, double unit);
bool kin_gravity_tree_reserve(kin_gravity_tree* tree, uint32_t count);
uint64_t kin_gravity_tree_coincident(const kin_gravity_tree* tree); /* pairs at the same place, exactly */
/* kin_parallel_for, or the same chunks inline with an arena of ours when the cloud has no jobs. */
void kin_gravity_for(kin_jobs* jobs, const kin_allocator* allocator, int64_t n, int64_t grain, kin_range_fn* fn, void* argument);
int64_t kin_gravity_grain(uint32_t count); /* of loops over bodies: CHUNKS chunks at most */

/* ---- who acts on whom ---- */

typedef struct kin_gravity_lists {
    uint32_t *cells, *near; /* nodes that act by their moments, and by their bodies; room for every node */
    uint32_t cell_count, near_count;
} kin_gravity_lists;

/* What acts on the bodies of node `target`. Every other body is in exactly one of the two lists; the target's own are near. */
typedef void kin_gravity_lists_fn(const kin_gravity_tree* tree, uint32_t target, double theta, kin_gravity_lists* out);
kin_gravity_lists_fn kin_gravity_lists_opening, kin_gravity_lists_adjacency, kin_gravity_lists_grid;

/* ---- kernels, one build per width ---- */

typedef struct kin_gravity_sum {
    const kin_gravity_tree* tree;
    const kin_mutual_cloud* cloud;
    double constant, softening; /* SI */
    double opening[4];          /* pair, target, body, tolerance */
    uint32_t group;             /* targets of so many bodies are not split */
    double* history;            /* |a| is left here; NULL: not asked */
    const uint32_t* asked;      /* in tree order: how many bodies before this one are asked for, and at the end; NULL: all are */
    double* potential;          /* energy of each body in tree order, instead of accelerations; NULL: accelerations */
    bool quadrupole;
    uint64_t order[256]; /* byte k of row b: the number of the k-th set bit of b */
    uint8_t ones[256];   /* set bits of b; the compiler's own would be a call on machines of 2003 */
    _Atomic uint64_t pairs, cells, expansions, coincident;
    atomic_bool failed; /* a scratch allocation */
} kin_gravity_sum;

static inline bool kin_gravity_is_asked(const kin_gravity_sum* s, const kin_gravity_node* n)
{
    return s->asked == NULL || s->asked[n->begin + n->count] > s->asked[n->begin];
}

/* A subtree of the multipole walk: what its parent's expansion says and which sources are still open. */
typedef struct kin_gravity_task {
    uint32_t node, parent;
    uint32_t first, count; /* in the pool */
    float local[KIN_GRAVITY_LOCALS];
} kin_gravity_task;

typedef struct kin_gravity_tasks {
    kin_allocator allocator;
    kin_gravity_task* items;
    size_t count, capacity;
    uint32_t* pool;
    size_t pool_count, pool_capacity;
    uint32_t limit; /* most bodies of a task */
} kin_gravity_tasks;

typedef struct kin_gravity_kernels {
    void (*direct)(kin_gravity_sum* sum, int64_t begin, int64_t end);
    /* x, y, z, mass of all bodies in units of the tree, padded. */
    void (*direct_single)(kin_gravity_sum* sum, const float* const bodies[4], int64_t begin, int64_t end);
    void (*group)(kin_gravity_sum* sum, uint32_t target, const kin_gravity_lists* lists, kin_arena* scratch);
    void (*plan)(kin_gravity_sum* sum, kin_gravity_tasks* tasks, kin_arena* scratch); /* the top of the walk */
    void (*run)(kin_gravity_sum* sum, const kin_gravity_tasks* tasks, size_t task, kin_arena* scratch);
} kin_gravity_kernels;

#define KIN_GRAVITY_DECLARE(width)                                                                                                                             \
    void kin_gravity_direct_##width(kin_gravity_sum* sum, int64_t begin, int64_t end);                                                                         \
    void kin_gravity_direct_single_##width(kin_gravity_sum* sum, const float* const bodies[4], int64_t begin, int64_t end);                                    \
    void kin_gravity_group_##width(kin_gravity_sum* sum, uint32_t target, const kin_gravity_lists* lists, kin_arena* scratch);                                 \
    void kin_gravity_plan_##width(kin_gravity_sum* sum, kin_gravity_tasks* tasks, kin_arena* scratch);                                                         \
    void kin_gravity_run_##width(kin_gravity_sum* sum, const kin_gravity_tasks* tasks, size_t task, kin_arena* scratch);
KIN_GRAVITY_DECLARE(none)
KIN_GRAVITY_DECLARE(sse2)
KIN_GRAVITY_DECLARE(avx2)
