/* skin.c - a visual mesh carried by tetrahedra (R3.6). */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/bvh.h"
#include "geometry/tetra/tetra.h"
#include "geometry/triangle.h"
#include "math/aabb.h"
#include "math/barycentric.h"

static bool weights_in(const kin_tets* tets, uint32_t t, kin_vec3 x, double w[4])
{
    const uint32_t* c = tets->corners[t];
    kin_bary4 b;
    if (!kin_tetrahedron_weights(x, tets->vertices[c[0]], tets->vertices[c[1]], tets->vertices[c[2]], tets->vertices[c[3]], &b)) return false;
    w[0] = b.a, w[1] = b.b, w[2] = b.c, w[3] = b.d;
    return true;
}

/* 0 inside, which the caller knows by the weights. */
static double distance2_to(const kin_tets* tets, uint32_t t, kin_vec3 x, const double w[4])
{
    if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0) return 0;
    double best = 1e300;
    for (int k = 0; k < 4; ++k) {
        if (w[k] >= 0) continue; /* only faces that it is beyond */
        const uint8_t* f = kin_tet_face[k];
        const uint32_t* c = tets->corners[t];
        kin_feature feature;
        kin_vec3 on = kin_closest_on_triangle(tets->vertices[c[f[0]]], tets->vertices[c[f[1]]], tets->vertices[c[f[2]]], x, &feature);
        best = kin_min(best, kin_length2(kin_sub(x, on)));
    }
    return best;
}

/* The nearest tetrahedron; of those that share the nearest point, the one that needs the least negative weight. */
static kin_skin_weight bind(const kin_tets* tets, const kin_bvh* tree, kin_vec3 x)
{
    kin_skin_weight best = {KIN_NO_NEIGHBOR, {0}};
    double nearest = 1e300, most = -1e300;
    kin_bvh_walk walk;
    for (kin_bvh_closest_begin(&walk, tree, x, 1e150); kin_bvh_closest_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            kin_skin_weight at = {.tet = tree->items[i]};
            if (!weights_in(tets, at.tet, x, at.w)) continue;
            double square = distance2_to(tets, at.tet, x, at.w), least = kin_min(kin_min(at.w[0], at.w[1]), kin_min(at.w[2], at.w[3]));
            bool nearer = square < nearest * (1 - 1e-12), tied = square <= nearest * (1 + 1e-12);
            if (!nearer && !(tied && (least > most || (least == most && at.tet < best.tet)))) continue;
            best = at;
            nearest = square;
            most = least;
            walk.limit = square * (1 + 1e-12);
        }
    }
    return best;
}

static bool build_tree(const kin_allocator* allocator, const kin_tets* tets, kin_bvh* tree)
{
    size_t bytes = kin_bytes(tets->tet_count, sizeof(kin_aabb));
    kin_aabb* boxes = kin_alloc(allocator, bytes);
    if (boxes == NULL) return false;
    for (uint32_t t = 0; t < tets->tet_count; ++t) {
        boxes[t] = kin_aabb_empty();
        for (int k = 0; k < 4; ++k) boxes[t] = kin_aabb_add(boxes[t], tets->vertices[tets->corners[t][k]]);
    }
    bool ok = kin_bvh_build(tree, boxes, tets->tet_count);
    kin_free(allocator, boxes, bytes);
    return ok;
}

static kin_result bind_all(const kin_tets* tets, const kin_bvh* tree, const kin_vec3* points, size_t count, kin_skin_weight* out, kin_error* error)
{
    for (size_t i = 0; i < count; ++i) {
        if (!kin_finite3(points[i])) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "point %zu of the skin is not finite", i);
        out[i] = bind(tets, tree, points[i]);
        if (out[i].tet == KIN_NO_NEIGHBOR) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "no tetrahedron has a volume to bind a skin to");
    }
    return KIN_OK;
}

kin_result kin_tets_skin(const kin_allocator* allocator, const kin_tets* tets, const kin_vec3* points, size_t count, kin_skin_weight* out, kin_error* error)
{
    kin_bvh tree;
    kin_bvh_init(&tree, allocator);
    kin_result result = build_tree(allocator, tets, &tree) ? bind_all(tets, &tree, points, count, out, error)
                                                           : kin_fail_memory(error, "a skin", kin_bytes(tets->tet_count, sizeof(kin_aabb)));
    kin_bvh_term(&tree);
    return result;
}

void kin_skin_apply(const kin_tets* tets, const kin_vec3* moved, const kin_skin_weight* skin, size_t count, kin_vec3* out)
{
    for (size_t i = 0; i < count; ++i) {
        const uint32_t* c = tets->corners[skin[i].tet];
        kin_bary4 b = {skin[i].w[0], skin[i].w[1], skin[i].w[2], skin[i].w[3]};
        out[i] = kin_bary4_mix3(b, moved[c[0]], moved[c[1]], moved[c[2]], moved[c[3]]);
    }
}
