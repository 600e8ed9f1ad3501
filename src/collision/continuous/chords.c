/* chords.c - triangle against triangle along chords (C4.6, C2.4.3): vertices go straight from where they are at the start to where they are at the end. A tree
 * over the boxes of B's triangles at both ends finds the candidates; the earliest root counts. Turning bodies shrink on the way, so it is inexact for them. */
#include "base/alloc.h"
#include "collision/continuous/linear.h"
#include "collision/continuous/swept.h"
#include "collision/form/skin.h"
#include "geometry/bvh.h"
#include "math/aabb.h"

static void movers_of(const kin_skin* skin, size_t triangle, const kin_screw* motion, kin_mover out[3])
{
    for (int k = 0; k < 3; ++k) {
        kin_vec3 x = skin->positions[skin->triangles[triangle][k]];
        out[k] = (kin_mover){kin_apply(motion->start, x), kin_apply(motion->end, x)};
    }
}

static kin_aabb box_of(const kin_mover m[3])
{
    kin_aabb box = kin_aabb_empty();
    for (int k = 0; k < 3; ++k) box = kin_aabb_add(kin_aabb_add(box, m[k].from), m[k].to);
    return kin_aabb_grow(box, 2e-9 * kin_max(kin_largest(kin_abs3(box.low)), kin_largest(kin_abs3(box.high))));
}

static bool build(const kin_skin* skin, const kin_screw* motion, kin_bvh* tree)
{
    kin_aabb* boxes = kin_alloc(&skin->allocator, skin->triangle_count * sizeof *boxes);
    bool ok = boxes != NULL;
    for (size_t i = 0; ok && i < skin->triangle_count; ++i) {
        kin_mover m[3];
        movers_of(skin, i, motion, m);
        boxes[i] = box_of(m);
    }
    ok = ok && kin_bvh_build(tree, boxes, (uint32_t)skin->triangle_count);
    kin_free(&skin->allocator, boxes, skin->triangle_count * sizeof *boxes);
    return ok;
}

/* The lower triangles win ties, whatever the tree's order. */
static void keep_first(kin_impact* best, kin_impact hit, uint32_t a, uint32_t b)
{
    bool earlier = best->kind == KIN_IMPACT_NONE || hit.t < best->t;
    bool before = best->kind != KIN_IMPACT_NONE && hit.t == best->t && (a < best->triangle_a || (a == best->triangle_a && b < best->triangle_b));
    if (!earlier && !before) return;
    int iterations = best->iterations;
    *best = hit;
    best->triangle_a = a;
    best->triangle_b = b;
    best->iterations = iterations;
}

static void search(const kin_skin* a, const kin_screw* ma, const kin_skin* b, const kin_screw* mb, const kin_bvh* tree, kin_impact* out)
{
    for (size_t i = 0; i < a->triangle_count; ++i) {
        kin_mover x[3], y[3];
        movers_of(a, i, ma, x);
        kin_bvh_walk walk;
        for (kin_bvh_overlap_begin(&walk, tree, box_of(x)); kin_bvh_overlap_next(&walk);) {
            for (uint32_t k = walk.begin; k < walk.end; ++k) {
                kin_impact hit;
                movers_of(b, tree->items[k], mb, y);
                out->iterations += 1;
                if (kin_impact_triangles(x, y, &hit)) keep_first(out, hit, (uint32_t)i, tree->items[k]);
            }
        }
    }
}

bool kin_impact_chords(const kin_form* a, const kin_screw* ma, const kin_form* b, const kin_screw* mb, const kin_impact_settings* settings, kin_impact* out)
{
    (void)settings;
    kin_skin skin_a, skin_b;
    bool ok = kin_skin_init(&a->allocator, a, &skin_a);
    ok = kin_skin_init(&b->allocator, b, &skin_b) && ok;
    kin_bvh tree;
    kin_bvh_init(&tree, &b->allocator);
    if (ok && build(&skin_b, mb, &tree)) search(&skin_a, ma, &skin_b, mb, &tree, out);
    kin_bvh_term(&tree);
    kin_skin_term(&skin_a);
    kin_skin_term(&skin_b);
    return out->kind != KIN_IMPACT_NONE;
}
