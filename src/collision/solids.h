/* solids.h - inside kin_solids: what its makers (solids.c) and its queries (query.c) share. */
#pragma once
#include "collision/form/form.h"
#include "collision/service.h"
#include "geometry/bvh.h"
#include "math/mat3.h"
#include "math/screw.h"
#include "math/sym3.h"

typedef struct kin_solid {
    kin_form* form;   /* NULL: removed */
    kin_screw motion; /* poses over the interval */
    kin_mat3 axes;    /* columns: the local axes at the start, in the world */
    kin_material_id material;
    kin_filter filter;
    kin_anchor owner;
    double inv_mass;      /* 1/kg; 0: nothing moves it */
    kin_sym3 inv_inertia; /* world axes */
    kin_vec3 center;      /* of mass, m */
    kin_twist load;       /* what besides pushes changed its motion over the interval */
    bool moves, turns;
    bool upright; /* axes are the world's */
} kin_solid;

struct kin_solids {
    kin_allocator allocator;
    kin_solid* solids;
    size_t capacity;
    uint32_t count;
    uint32_t* planes; /* numbers of living planes, rising: no box bounds them */
    size_t plane_capacity;
    uint32_t plane_count;
    uint32_t* members; /* numbers of the other living solids, rising: item i of the tree */
    size_t member_capacity;
    uint32_t member_count;
    kin_aabb* boxes; /* of the members, over the interval, world */
    size_t box_capacity;
    kin_bvh tree;
    bool stale;          /* members changed since the tree was built */
    int refits;          /* since then */
    uint32_t giving;     /* solids that give way */
    double inv_interval; /* 1/s; 0 when there is none */
};

/* What a touch in a solid's own frame is in the world, at a fraction of the interval. */
kin_contact kin_solids_contact(const kin_solids* solids, uint32_t index, double fraction, const kin_touch* touch);
