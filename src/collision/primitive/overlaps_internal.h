/* overlaps_internal.h - what finding the regions (overlaps.c) and measuring them (overlaps_depth.c) share. */
#pragma once
#include "collision/primitive/overlaps.h"
#include "math/mat3.h"

/* The two meshes of a call. Side 0 is a, side 1 is b. */
typedef struct kin_overlap_pair {
    const kin_trimesh* mesh[2];
    kin_transform b_in_a;
    kin_mat3 turn; /* the same rotation, as the crossings were rounded with */
} kin_overlap_pair;

static inline kin_vec3 kin_overlap_vertex(const kin_overlap_pair* p, int side, uint32_t vertex) /* in the frame of a */
{
    kin_vec3 x = p->mesh[side]->mesh->vertices[vertex];
    return side == 0 ? x : kin_add(kin_mat3_apply(p->turn, x), p->b_in_a.position);
}

/* Fills in all that is measured; the lists are there. */
void kin_overlap_measure(const kin_overlap_pair* pair, const kin_crossings* crossings, kin_overlap* region);
