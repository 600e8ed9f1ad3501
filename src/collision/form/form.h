/* form.h - what a kin_shape becomes once it is checked: geometry that answers questions in its own frame. Immutable, and
 * shared by counting: many bodies, and the clones of a world, may have one form.
 *
 * One table of functions a kind (round.c, ellipsoid.c, plane.c, surface.c, heights.c, field.c, compound.c). Convex kinds are a kin_convex too, which the narrow phase
 * works on; the others are walked triangle by triangle (facets), part by part, or as a signed distance.
 *
 *   kind      convex  questions of points and rays answered by
 *   sphere, box, capsule        yes   the rounded box (local.h)
 *   cylinder, cone              yes   their profile, a polygon in (distance from the axis, y)
 *   ellipsoid                   yes   nearest points by one equation (narrow/ellipsoid.h)
 *   hull                        yes   a kin_trimesh of its faces
 *   plane                       no    itself; unbounded
 *   mesh                        no    kin_trimesh
 *   height field                no    kin_height
 *   field                       no    kin_sdf
 *   nurbs                       no    kin_trimesh of its triangles
 *   compound                    no    a tree over its parts
 *   pieces                      no    a compound of hulls, with the mesh they were cut from */
#pragma once
#include "collision/form/convex.h"
#include "collision/local.h"
#include "collision/trimesh.h"
#include "geometry/mass/mass.h"
#include "kinema/collide.h"
#include "kinema/shape.h"
#include "math/mat3.h"
#include "math/screw.h"
#include <stdatomic.h>

typedef struct kin_form_ops {
    /* First touch of a moving sphere; see kin_solids_first_hit for the rules of starts and sides. */
    bool (*sweep)(const kin_form* form, const kin_path* path, kin_touch* hit);
    /* Nearest points within reach of x, nearest first, at most `most`; see kin_solids_closest. A point inside a solid is within any reach. */
    int (*closest)(const kin_form* form, kin_vec3 x, double reach, kin_touch* touches, int most);
    /* First crossing of the surface, from either side, at t in [0, limit]. */
    bool (*ray)(const kin_form* form, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit);
    /* At density 1; mass 0: it has no volume (planes, open meshes, height fields). */
    kin_mass (*mass)(const kin_form* form);
    void (*term)(kin_form* form);
    size_t (*bytes)(const kin_form* form); /* beyond the struct itself */
} kin_form_ops;

struct kin_height;
struct kin_sdf;

typedef struct kin_form_part {
    kin_form* form;
    kin_transform pose; /* in the compound's frame */
    kin_mat3 axes;      /* columns: the part's axes */
    bool upright;       /* not turned */
} kin_form_part;

struct kin_form {
    const kin_form_ops* ops;
    kin_shape_kind kind;
    bool is_convex;
    bool has_inside;   /* a volume: distances inside it are negative */
    bool bounded;      /* all but planes */
    kin_convex convex; /* convex kinds */
    kin_vec3 normal;   /* plane: unit */
    kin_trimesh* mesh; /* mesh, nurbs, field, pieces; hull: its faces */
    kin_hull* hull;    /* hull */
    struct kin_height* heights;
    struct kin_sdf* field;
    kin_field_method field_method; /* field */
    kin_form_part* parts;          /* compound, pieces */
    uint32_t part_count;
    kin_bvh tree;             /* compound: over the boxes of its parts */
    kin_aabb bounds;          /* local, m; planes have none */
    double reach;             /* farthest point from the local origin, m; planes: infinite */
    kin_material_id material; /* none: that of the thing it belongs to */
    kin_allocator allocator;
    atomic_int owners;
};

size_t kin_form_bytes(const kin_form* form);

/* The material of the part that a touch is on. */
static inline kin_material_id kin_form_material(const kin_form* form, uint32_t part)
{
    if (form->part_count > 0 && form->parts[part].form->material.index1 != 0) return form->parts[part].form->material;
    return form->material;
}

/* Its parts are things put together, each with a mass and a material of its own; those of pieces are not. */
static inline bool kin_form_is_assembled(const kin_form* form) { return form->part_count > 0 && form->mesh == NULL; }

/* At density 1, from cells whose middles are inside, so many along its longest side (each part's own); mass 0: it has no volume. */
kin_result kin_form_mass_by_voxels(const kin_form* form, uint32_t cells, kin_mass* out, kin_error* error);

/* The box of a form in a pose. */
kin_aabb kin_form_box(const kin_form* form, kin_transform pose);
/* A box that holds it at every pose of a motion (C2.3). It turns about its own position while that goes straight: a point at distance r from there leaves the
 * chord between its two places by at most r (1 - cos(angle / 2)), so the boxes at both ends, joined and grown by that, do. */
kin_aabb kin_form_swept_box(const kin_form* form, const kin_screw* motion);
