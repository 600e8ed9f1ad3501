/* facets.c - triangles of meshes by their tree, of height fields by their grid; corners of anything. */
#include "collision/form/facets.h"

kin_form_class kin_form_class_of(const kin_form* f)
{
    if (f->is_convex) return KIN_FORM_CONVEX;
    if (f->kind == KIN_SHAPE_PLANE) return KIN_FORM_HALF_SPACE;
    return f->kind == KIN_SHAPE_FIELD ? KIN_FORM_FIELD : KIN_FORM_SURFACE;
}

void kin_facets_begin(kin_facet_walk* w, const kin_form* surface, kin_aabb box)
{
    w->facet = NULL;
    w->mesh = surface->heights == NULL ? surface->mesh : NULL;
    w->next = w->end = 0;
    if (w->mesh != NULL)
        kin_bvh_overlap_begin(&w->leaves, &w->mesh->tree, box);
    else
        kin_height_walk_begin(&w->heights, surface->heights, box);
}

bool kin_facets_next(kin_facet_walk* w)
{
    if (w->mesh == NULL) {
        w->facet = &w->heights.facet;
        return kin_height_walk_next(&w->heights);
    }
    if (w->next == w->end) {
        if (!kin_bvh_overlap_next(&w->leaves)) return false;
        w->next = w->leaves.begin;
        w->end = w->leaves.end;
    }
    w->facet = &w->mesh->corners[w->next++];
    return true;
}

bool kin_form_owns(const kin_form* surface, uint32_t triangle, kin_feature feature, kin_vec3 u)
{
    if (surface->heights != NULL) return kin_height_owns(surface->heights, triangle, feature, u, 1e-9);
    return kin_trimesh_owns(surface->mesh, triangle, feature, u, 1e-9);
}

/* Support points in 26 directions: the corners of a box, the rims of round cores, places of an ellipsoid to begin from. */
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
