/* facets.h - forms by their class, their triangles and their corners: what pairs that are not convex are walked by. */
#pragma once
#include "base/arena.h"
#include "geometry/facet.h"
#include "geometry/height/height.h"
#include "collision/form/form.h"

typedef enum kin_form_class {
    KIN_FORM_CONVEX,
    KIN_FORM_HALF_SPACE, /* plane: to bodies, all below it is solid */
    KIN_FORM_SURFACE,    /* mesh, height field */
    KIN_FORM_FIELD,
} kin_form_class;

/* Not of compounds: of their parts. */
kin_form_class kin_form_class_of(const kin_form* form);

/* Triangles of a surface whose boxes come near a box of its frame, in an order fixed by the surface:
 *
 *     kin_facet_walk walk;
 *     for (kin_facets_begin(&walk, surface, box); kin_facets_next(&walk);) use(walk.facet); */
typedef struct kin_facet_walk {
    const kin_facet* facet;
    const kin_trimesh* mesh; /* or NULL: a height field */
    uint32_t next, end;      /* of the leaf being read */
    union {
        kin_bvh_walk leaves;
        kin_height_walk heights;
    };
} kin_facet_walk;
void kin_facets_begin(kin_facet_walk* walk, const kin_form* surface, kin_aabb box);
bool kin_facets_next(kin_facet_walk* walk);
/* Can the surface push along u (unit) at an edge or corner of one of its triangles, give or take rounding? */
bool kin_form_owns(const kin_form* surface, uint32_t triangle, kin_feature feature, kin_vec3 u);

/* Points by which a form is felt where it meets distances: vertices of hulls and meshes, support points of round ones. */
typedef struct kin_form_corners {
    const kin_vec3* points; /* local, m */
    uint32_t count;
    double radius; /* m, round each */
} kin_form_corners;
bool kin_form_corners_of(const kin_form* form, kin_arena* scratch, kin_form_corners* out); /* false: out of memory, or it has none */
