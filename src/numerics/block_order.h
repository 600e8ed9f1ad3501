/* block_order.h - in which order to eliminate the nodes of a graph, and which later nodes each then meets: the symbolic half of block_ldl.h.
 *
 * The node whose elimination adds the fewest new links goes first (minimum fill), then the one of the lowest degree, then the lowest index. A node all of whose
 * neighbours are linked already adds none, and joints of a tree of bodies always offer such a node: leaves go first, up to a root, and nothing fills in. */
#pragma once
#include "base/arena.h"

typedef struct kin_block_link {
    int a, b;
} kin_block_link;

typedef struct kin_block_order {
    int nodes, links; /* links: different ones between different nodes */
    int met_count;    /* the sum of counts; links that were added are met_count - links */
    int* node;        /* by place in the order */
    int* place;       /* by node */
    int** met;        /* by node: the nodes eliminated later that it is linked with when its turn comes, by rising place */
    int* count;       /* of met, by node */
} kin_block_order;

/* Links may be given twice and either way round; a node's link to itself says nothing. Lives in the arena. False: no room. */
bool kin_block_order_find(int nodes, int link_count, const kin_block_link* links, kin_arena* arena, kin_block_order* out);
