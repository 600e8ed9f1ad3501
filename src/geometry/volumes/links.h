/* links.h - trees of two levels for articulated things: a tree for each link in its own frame, and one over the links in the world (C5.5).
 *
 * Moving the links refits the upper tree alone. A single body is an articulation of one link. */
#pragma once
#include "geometry/volumes/descent.h"

typedef struct kin_linked_trees {
    const kin_bound_tree** trees; /* of the links; lent by the caller */
    kin_transform* poses;
    kin_aabb* boxes; /* of the links' roots in the world */
    uint32_t count;
    uint32_t (*jointed)[2]; /* pairs of links that never collide with each other; lower number first, sorted */
    uint32_t jointed_count;
    kin_bound_tree* upper; /* over boxes */
    kin_allocator allocator;
} kin_linked_trees;

typedef struct kin_link_pair {
    uint32_t link_a, link_b; /* with itself link_a < link_b */
    uint32_t a, b;           /* primitives of their trees */
} kin_link_pair;

typedef struct kin_link_descent { /* scratch and results, reused */
    kin_link_pair* pairs;         /* by link_a, link_b, a, b */
    size_t pair_count, pair_capacity;
    kin_descent_counts counts; /* of both levels */
    uint64_t link_tests;       /* pairs of links whose boxes overlap */
    kin_descent upper, lower;
} kin_link_descent;

/* At least one link, none of them empty. jointed may be NULL. */
kin_result kin_linked_trees_create(const kin_allocator* allocator, const kin_bound_tree* const* trees, const kin_transform* poses, uint32_t count,
                                   const uint32_t (*jointed)[2], uint32_t jointed_count, kin_linked_trees** out, kin_error* error);
void kin_linked_trees_destroy(kin_linked_trees* linked);                                                  /* may be NULL; the links' trees stay the caller's */
kin_result kin_linked_trees_move(kin_linked_trees* linked, const kin_transform* poses, kin_error* error); /* allocates nothing */

void kin_link_descent_init(kin_link_descent* d, const kin_allocator* allocator);
void kin_link_descent_term(kin_link_descent* d);
/* NULL where a test is asked for: leaves that overlap are enough; else whether primitives of two links touch. */
typedef bool kin_link_test(void* context, uint32_t link_a, uint32_t a, uint32_t link_b, uint32_t b);
kin_result kin_linked_pairs(kin_link_descent* d, const kin_linked_trees* a, const kin_linked_trees* b, kin_link_test* test, void* context, kin_error* error);
kin_result kin_linked_body(kin_link_descent* d, const kin_linked_trees* a, const kin_bound_tree* body, kin_transform pose, kin_link_test* test, void* context,
                           kin_error* error); /* link_b is 0 */
kin_result kin_linked_self(kin_link_descent* d, const kin_linked_trees* linked, kin_link_test* test, void* context, kin_error* error);
