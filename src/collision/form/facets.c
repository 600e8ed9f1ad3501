/* facets.c - triangles of meshes by their tree, of height fields by their grid; corners of anything. */
#include "collision/form/facets.h"
#include "geometry/height/height.h"

kin_form_class kin_form_class_of(const kin_form* f)
{
    if (f->is_convex) return KIN_FORM_CONVEX;
    if (f->kind == KIN_SHAPE_PLANE) return KIN_FORM_HALF_SPACE;
    return f->kind == KIN_SHAPE_FIELD ? KIN_FORM_FIELD : KIN_FORM_SURFACE;
}

static uint32_t mesh_facets(const kin_trimesh* mesh, kin_aabb box, kin_arena* scratch, const kin_facet** out)
{
    uint32_t count = 0;
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &mesh->tree, box); kin_bvh_overlap_next(&walk);) count += walk.end - walk.begin;
    kin_facet* facets = kin_arena_take(scratch, count * sizeof *facets);
    *out = facets;
    if (facets == NULL) return 0;
    count = 0;
    for (kin_bvh_overlap_begin(&walk, &mesh->tree, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) facets[count++] = mesh->corners[i];
    }
    return count;
}

static uint32_t height_facets(const kin_height* heights, kin_aabb box, kin_arena* scratch, const kin_facet** out)
{
    uint32_t count = 0;
    kin_height_walk walk;
    for (kin_height_walk_begin(&walk, heights, box); kin_height_walk_next(&walk);) count += 1;
    kin_facet* facets = kin_arena_take(scratch, count * sizeof *facets);
    *out = facets;
    if (facets == NULL) return 0;
    count = 0;
    for (kin_height_walk_begin(&walk, heights, box); kin_height_walk_next(&walk);) facets[count++] = walk.facet;
    return count;
}

uint32_t kin_form_facets(const kin_form* surface, kin_aabb box, kin_arena* scratch, const kin_facet** out)
{
    return surface->heights != NULL ? height_facets(surface->heights, box, scratch, out) : mesh_facets(surface->mesh, box, scratch, out);
}

bool kin_form_owns(const kin_form* surface, uint32_t triangle, kin_feature feature, kin_vec3 u)
{
    if (surface->heights != NULL) return kin_height_owns(surface->heights, triangle, feature, u, 1e-9);
    return kin_trimesh_owns(surface->mesh, triangle, feature, u, 1e-9);
}

/* Support points in 26 directions: the corners of a box, the rims of round cores. */
static bool support_corners(const kin_convex* c, kin_arena* scratch, kin_form_corners* out)
{
    kin_vec3* points = kin_arena_take(scratch, 26 * sizeof *points);
    if (points == NULL) return false;
    uint32_t count = 0, vertex = 0;
    for (int k = 0; k < 27; ++k) {
        kin_vec3 d = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, x;
        if (k == 13) continue;
        x = kin_convex_support(c, d, &vertex);
        bool known = false;
        for (uint32_t i = 0; i < count; ++i) known = known || kin_length2(kin_sub(points[i], x)) == 0;
        if (!known) points[count++] = x;
    }
    *out = (kin_form_corners){points, count, c->radius};
    return true;
}

bool kin_form_corners_of(const kin_form* f, kin_arena* scratch, kin_form_corners* out)
{
    if (f->hull != NULL) {
        *out = (kin_form_corners){f->hull->vertices, f->hull->vertex_count, f->convex.radius};
        return true;
    }
    if (f->is_convex) return support_corners(&f->convex, scratch, out);
    if (f->mesh == NULL) return false;
    *out = (kin_form_corners){f->mesh->mesh->vertices, f->mesh->mesh->vertex_count, 0};
    return true;
}
