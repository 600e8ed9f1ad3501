/* descent.h - which primitives of two trees, or of one with itself, may touch (C2.1, C2.5.1, C2.5.2, C4.14, X2.1, X2.2, H10.11).
 *
 * Trees stay in their own frames: a node is moved into the world when it is first asked for, once a query, and never if its parent was missed (C2.1).
 *
 *     kin_descent d;
 *     kin_descent_init(&d, allocator);
 *     kin_descent_pairs(&d, a, pose_a, b, pose_b, &(kin_descent_query){.test = triangles_touch, .context = &c}, &error);
 *     for (size_t i = 0; i < d.pair_count; ++i) use(d.pairs[i]);
 *
 * Pairs come sorted, the same for every order of descent, thread count and, with an exact test, for every kind of tree. Reused, it allocates no more once it has
 * seen its largest query. Surfaces only: a body wholly inside another has no pairs; ask kin_descent_inside. */
#pragma once
#include "base/jobs.h"
#include "geometry/volumes/boundtree.h"

typedef enum kin_descent_order {
    KIN_DESCEND_BOTH,   /* children with children: four pairs (C2.5.1) */
    KIN_DESCEND_LARGER, /* the children of the node with the larger volume: two pairs (X2.1) */
} kin_descent_order;

typedef bool kin_pair_test(void* context, uint32_t a, uint32_t b);

typedef struct kin_descent_query {
    kin_descent_order order;
    bool breadth;        /* a queue instead of a stack: level by level */
    bool turn_boxes;     /* boxes become oriented boxes in the world instead of being boxed anew (C2.5.3) */
    bool six_axes;       /* oriented boxes by their faces only */
    bool first;          /* stop at the first pair */
    uint32_t depth;      /* C4.14: 0, or no deeper than this: pairs of inner nodes there become contacts */
    uint64_t budget;     /* C4.14: 0, or after so many tests of volumes all that is left becomes contacts; best with breadth */
    kin_pair_test* test; /* NULL, or whether two primitives touch; called once a pair */
    void* context;
    const uint32_t* corners; /* with itself: NULL, or corner_count point numbers a primitive; those that share one are no pair */
    uint32_t corner_count;
} kin_descent_query;

typedef struct kin_bound_pair {
    uint32_t a, b; /* primitives; with itself a < b */
} kin_bound_pair;

/* What is known where the descent was stopped: two inner nodes, each as large as its volume (C4.14 Ex2 b, c). */
typedef struct kin_coarse_contact {
    uint32_t a, b;       /* nodes; the primitives below share what happens to them */
    kin_vec3 point;      /* m, world: where to apply an impulse */
    kin_vec3 normal;     /* unit, from b to a: the way of least overlap of the two volumes */
    double depth;        /* m, >= 0: that overlap */
    kin_vec3 on_a, on_b; /* m: nearest points, half of the overlap either side of point */
} kin_coarse_contact;

typedef struct kin_descent_counts {
    uint64_t transformed;     /* nodes moved into the world */
    uint64_t volume_tests;    /* pairs of volumes */
    uint64_t primitive_tests; /* pairs of primitives whose leaves overlap */
    uint32_t depth;           /* deepest level reached */
} kin_descent_counts;

typedef struct kin_node_pair {
    uint32_t a, b;
} kin_node_pair;

typedef struct kin_descent_side { /* a tree in the world, as far as it was looked at */
    const kin_bound_tree* tree;
    kin_transform pose;
    kin_bound* moved;
    size_t moved_capacity;
    uint32_t* stamps; /* moved[i] holds if stamps[i] is the query's */
    size_t stamp_capacity;
} kin_descent_side;

typedef struct kin_descent {
    kin_bound_pair* pairs;
    size_t pair_count, pair_capacity;
    kin_coarse_contact* contacts;
    size_t contact_count, contact_capacity;
    kin_descent_counts counts;
    kin_node_pair* open; /* the stack or queue */
    size_t open_begin, open_end, open_capacity;
    kin_descent_side sides[2];
    uint32_t stamp;
    uint64_t *keys, *key_scratch; /* of the sort */
    uint32_t *values, *value_scratch;
    size_t key_capacity, key_scratch_capacity, value_capacity, value_scratch_capacity;
    kin_allocator allocator;
} kin_descent;

void kin_descent_init(kin_descent* d, const kin_allocator* allocator);
void kin_descent_term(kin_descent* d);

/* All fail for lack of memory only. */
kin_result kin_descent_pairs(kin_descent* d, const kin_bound_tree* a, kin_transform pose_a, const kin_bound_tree* b, kin_transform pose_b,
                             const kin_descent_query* query, kin_error* error);
/* One volume in the world against a tree: pairs (primitive, 0). A cloth's particle against a solid's tree is a small sphere (S-G). */
kin_result kin_descent_probe(kin_descent* d, const kin_bound_tree* tree, kin_transform pose, const kin_bound* probe, const kin_descent_query* query,
                             kin_error* error);
/* Each pair once, never one with itself, those within a leaf too (C2.5.2). Stopped at a depth, what is below one node there is not asked. */
kin_result kin_descent_self(kin_descent* d, const kin_bound_tree* tree, const kin_descent_query* query, kin_error* error);
/* The same pairs and counts (X2.2): the first levels are opened in order, then each open pair is a chunk of its own. n log n / threads where it is balanced.
 * query->test is called from any thread. first, depth and budget are not for it: refused. */
kin_result kin_descent_self_parallel(kin_descent* d, kin_jobs* jobs, const kin_bound_tree* tree, const kin_descent_query* query, kin_error* error);

/* C2.5.1: after no pairs were found: a vertex of one closed surface of triangles in the other, either way. */
bool kin_descent_inside(const kin_primitives* a, kin_transform pose_a, const kin_primitives* b, kin_transform pose_b);

/* C4.14 Ex2 b: how long ago the two volumes began to overlap if they approach at this velocity of a against b, m/s; at most horizon, s. */
double kin_coarse_contact_time(const kin_coarse_contact* c, kin_vec3 velocity, double horizon);
kin_coarse_contact kin_coarse_contact_of(const kin_bound* a, const kin_bound* b); /* of two volumes that overlap; nodes 0 */
