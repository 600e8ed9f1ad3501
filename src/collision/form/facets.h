/* facets.h - forms by their class, their triangles and their corners: what pairs that are not convex are walked by. */
#pragma once
#include "base/arena.h"
#include "geometry/facet.h"
#include "collision/form/form.h"

typedef enum kin_form_class {
    KIN_FORM_CONVEX,
    KIN_FORM_HALF_SPACE, /* plane: to bodies, all below it is solid */
    KIN_FORM_SURFACE,    /* mesh, height field */
    KIN_FORM_FIELD,
} kin_form_class;

/* Not of compounds: of their parts. */
kin_form_class kin_form_class_of(const kin_form* form);

/* Triangles of a surface whose boxes come near a box of its frame; from the arena. Order fixed by the surface. */
uint32_t kin_form_facets(const kin_form* surface, kin_aabb box, kin_arena* scratch, const kin_facet** out);
/* Can the surface push along u (unit) at an edge or corner of one of its triangles, give or take rounding? */
bool kin_form_owns(const kin_form* surface, uint32_t triangle, kin_feature feature, kin_vec3 u);

/* Points by which a form is felt where it meets distances: vertices of hulls and meshes, support points of round ones. */
typedef struct kin_form_corners {
    const kin_vec3* points; /* local, m */
    uint32_t count;
    double radius; /* m, round each */
} kin_form_corners;
bool kin_form_corners_of(const kin_form* form, kin_arena* scratch, kin_form_corners* out); /* false: out of memory, or it has none */
