/* chords.c - triangle against triangle along chords (C4.6, C2.4.3): vertices go straight from where they are at the start to where they are at the end. A tree
 * over the boxes of B's triangles at both ends finds the candidates; the earliest root counts. Turning bodies shrink on the way, so it is inexact for them.
 * Corners and edges that several triangles share are asked for by one of them (X2.4b): the box of that one holds their way too, so nothing is missed. */
#include "base/alloc.h"
#include "base/sort.h"
#include "collision/continuous/linear.h"
#include "collision/continuous/swept.h"
#include "collision/form/skin.h"
#include "collision/manifold/manifold.h"
#include "geometry/bvh.h"
#include "geometry/weld.h"
#include "math/aabb.h"

/* The triangles of a form, and which of them asks for which corner and edge. */
typedef struct weave {
    kin_skin skin;
    kin_triangle_share* shares;
    size_t share_count;
} weave;

/* ---- shares ---- */

/* Keys of corners (their first place) and edges (both, the lower first), with who has them, sorted: the first of each run asks. */
static void share_out(const uint32_t* first, weave* w, uint64_t* keys, uint32_t* owners, uint64_t* other_keys, uint32_t* other_owners)
{
    size_t n = w->skin.triangle_count;
    for (size_t part = 0; part < 2; ++part) { /* corners, then edges */
        for (size_t i = 0; i < 3 * n; ++i) {
            const uint32_t* corner = w->skin.triangles[i / 3];
            uint64_t a = first[corner[i % 3]], b = first[corner[(i + 1) % 3]];
            keys[i] = part == 0 ? a : (a < b ? a << 32 | b : b << 32 | a);
            owners[i] = (uint32_t)i;
        }
        kin_sort_keys(keys, owners, other_keys, other_owners, 3 * n);
        for (size_t i = 0; i < 3 * n; ++i) {
            if (i == 0 || keys[i] != keys[i - 1]) w->shares[owners[i] / 3].own |= 1u << (3 * part + owners[i] % 3);
        }
    }
}

static bool make_shares(weave* w)
{
    const kin_allocator* allocator = &w->skin.allocator;
    size_t n = w->skin.triangle_count, vertices = w->skin.vertex_count;
    w->share_count = n;
    w->shares = kin_alloc_zero(allocator, kin_bytes(n, sizeof *w->shares));
    uint32_t* first = kin_alloc(allocator, kin_bytes(vertices, sizeof *first));
    uint64_t* keys = kin_alloc(allocator, kin_bytes(6 * n, sizeof *keys));
    uint32_t* owners = kin_alloc(allocator, kin_bytes(6 * n, sizeof *owners));
    bool ok = n == 0 || (w->shares != NULL && first != NULL && keys != NULL && owners != NULL);
    ok = ok && (n == 0 || kin_weld(allocator, w->skin.positions, (uint32_t)vertices, first));
    if (ok && n > 0) share_out(first, w, keys, owners, keys + 3 * n, owners + 3 * n);
    kin_free(allocator, first, kin_bytes(vertices, sizeof *first));
    kin_free(allocator, keys, kin_bytes(6 * n, sizeof *keys));
    kin_free(allocator, owners, kin_bytes(6 * n, sizeof *owners));
    return ok;
}

static bool weave_init(const kin_form* form, weave* w)
{
    *w = (weave){.share_count = 0};
    return kin_skin_init(&form->allocator, form, &w->skin) && make_shares(w);
}

static void weave_term(weave* w)
{
    kin_free(&w->skin.allocator, w->shares, kin_bytes(w->share_count, sizeof *w->shares));
    kin_skin_term(&w->skin);
}

/* ---- the search ---- */

static void movers_of(const weave* w, size_t triangle, const kin_screw* motion, kin_mover out[3])
{
    for (int k = 0; k < 3; ++k) {
        kin_vec3 x = w->skin.positions[w->skin.triangles[triangle][k]];
        out[k] = (kin_mover){kin_apply(motion->start, x), kin_apply(motion->end, x)};
    }
}

static kin_aabb box_of(const kin_mover m[3])
{
    kin_aabb box = kin_aabb_empty();
    for (int k = 0; k < 3; ++k) box = kin_aabb_add(kin_aabb_add(box, m[k].from), m[k].to);
    return kin_aabb_grow(box, 2e-9 * kin_max(kin_largest(kin_abs3(box.low)), kin_largest(kin_abs3(box.high))));
}

static bool build(const weave* w, const kin_screw* motion, kin_bvh* tree)
{
    size_t n = w->skin.triangle_count;
    kin_aabb* boxes = kin_alloc(&w->skin.allocator, kin_bytes(n, sizeof *boxes));
    bool ok = n == 0 || boxes != NULL;
    for (size_t i = 0; ok && i < n; ++i) {
        kin_mover m[3];
        movers_of(w, i, motion, m);
        boxes[i] = box_of(m);
    }
    ok = ok && kin_bvh_build(tree, boxes, (uint32_t)n);
    kin_free(&w->skin.allocator, boxes, kin_bytes(n, sizeof *boxes));
    return ok;
}

/* The lower triangles win ties, whatever the tree's order. */
static void keep_first(kin_impact* best, kin_impact hit, uint32_t a, uint32_t b)
{
    bool earlier = best->kind == KIN_IMPACT_NONE || hit.t < best->t;
    bool before = best->kind != KIN_IMPACT_NONE && hit.t == best->t && (a < best->triangle_a || (a == best->triangle_a && b < best->triangle_b));
    if (!earlier && !before) return;
    *best = hit;
    best->triangle_a = a;
    best->triangle_b = b;
}

static void search(const weave* a, const kin_screw* ma, const weave* b, const kin_screw* mb, const kin_bvh* tree, kin_impact* out)
{
    kin_impact_work work = {0};
    for (size_t i = 0; i < a->skin.triangle_count; ++i) {
        kin_mover x[3], y[3];
        movers_of(a, i, ma, x);
        kin_bvh_walk walk;
        for (kin_bvh_overlap_begin(&walk, tree, box_of(x)); kin_bvh_overlap_next(&walk);) {
            for (uint32_t k = walk.begin; k < walk.end; ++k) {
                uint32_t other = tree->items[k];
                kin_impact hit;
                movers_of(b, other, mb, y);
                if (kin_impact_shared_triangles(x, a->shares[i], y, b->shares[other], &work, &hit)) keep_first(out, hit, (uint32_t)i, other);
            }
        }
    }
    out->iterations = (int)kin_min((double)work.tests, 2e9);
}

/* What overlaps at the start has no root to find (C2.5.15). */
static bool overlap_at_start(const kin_form* a, const kin_screw* ma, const kin_form* b, const kin_screw* mb, kin_arena* scratch, kin_impact* out)
{
    kin_impact_settings once = kin_impact_defaults();
    once.most_iterations = 0;
    kin_screw still_a = kin_screw_still(ma->start), still_b = kin_screw_still(mb->start);
    return kin_impact_bisect(a, &still_a, b, &still_b, &once, scratch, out);
}

bool kin_impact_chords(const kin_form* a, const kin_screw* ma, const kin_form* b, const kin_screw* mb, kin_arena* scratch, kin_impact* out)
{
    if (overlap_at_start(a, ma, b, mb, scratch, out)) return true;
    weave wa, wb;
    bool ok = weave_init(a, &wa);
    ok = weave_init(b, &wb) && ok;
    kin_bvh tree;
    kin_bvh_init(&tree, &b->allocator);
    *out = (kin_impact){.kind = KIN_IMPACT_NONE};
    if (ok && build(&wb, mb, &tree)) search(&wa, ma, &wb, mb, &tree, out);
    kin_bvh_term(&tree);
    weave_term(&wa);
    weave_term(&wb);
    return out->kind != KIN_IMPACT_NONE;
}
