/* section.h - from directed edges in a plane to loops, and which loop is a hole of which. */
#pragma once
#include "geometry/cut/fill.h"

typedef struct kin_section {
    uint32_t (*edges)[2]; /* from, to: points; the inside is on the left, seen from the tip of the normal */
    size_t edge_count, edge_room;
    uint32_t *ids, *begin; /* loops, made of the edges; begin has loop_count + 1 */
    double* areas;         /* of the loops; holes are negative, m^2 seen along the dropped axis */
    uint32_t* parent;      /* the loop a hole is in, or itself */
    uint32_t loop_count;
    size_t id_room, begin_room, area_room, parent_room;
    uint32_t *used, *group_ids, *group_begin; /* scratch */
    uint64_t *keys, *scratch_keys;
    uint32_t *order, *scratch_order;
    size_t used_room, group_room, group_begin_room, key_room, key2_room, order_room, order2_room;
    kin_allocator allocator;
} kin_section;

void kin_section_init(kin_section* section, const kin_allocator* allocator);
void kin_section_term(kin_section* section);
bool kin_section_add(kin_section* section, uint32_t from, uint32_t to); /* false: out of memory */
/* Cancels opposite edges, walks loops, nests them. Where a loop cannot go on: *stuck is that point, else UINT32_MAX. */
bool kin_section_trace(kin_section* section, const kin_vec3* points, kin_vec3 normal, uint32_t* stuck);
/* The loop and its holes, for a fill; lent until the next call. loop must be its own parent. */
kin_loops kin_section_group(kin_section* section, uint32_t loop);
