/* cache.c - whether what a pair remembers can be of these bodies: a restored state may say anything. */
#include "collision/manifold/manifold.h"
#include "geometry/hull/hull.h"

typedef struct features {
    uint32_t vertices, faces, edges; /* edges: as the separating-axis test numbers them */
} features;

static features features_of(const kin_convex* c, bool both_boxes)
{
    switch (c->core) {
    case KIN_CORE_HULL: return (features){c->hull->vertex_count, c->hull->face_count, c->hull->edge_count};
    case KIN_CORE_BOX: return (features){8, 6, both_boxes ? 12 : 24};
    case KIN_CORE_TRIANGLE: return (features){3, 0, 0};
    case KIN_CORE_SEGMENT: return (features){2, 0, 0};
    default: return (features){1, 0, 0};
    }
}

static bool axis_fits(const kin_sat_cache* s, features a, features b)
{
    switch (s->kind) {
    case KIN_SAT_NONE: return true;
    case KIN_SAT_FACE_A: return s->a < a.faces && s->b < b.vertices;
    case KIN_SAT_FACE_B: return s->b < b.faces && s->a < a.vertices;
    case KIN_SAT_EDGES: return s->a < a.edges && s->b < b.edges;
    }
    return false;
}

bool kin_collide_cache_fits(const kin_collide_cache* cache, const kin_convex* a, const kin_convex* b)
{
    const bool both_boxes = a->core == KIN_CORE_BOX && b->core == KIN_CORE_BOX;
    const features fa = features_of(a, both_boxes), fb = features_of(b, both_boxes);
    bool fits = cache->gjk.count <= 4 && axis_fits(&cache->sat, fa, fb);
    for (uint32_t i = 0; fits && i < cache->gjk.count; ++i) fits = cache->gjk.a[i] < fa.vertices && cache->gjk.b[i] < fb.vertices;
    return fits;
}
