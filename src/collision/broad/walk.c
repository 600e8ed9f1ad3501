/* walk.c - what overlaps a box, what a path meets, what is near a point. The tree gives leaves, the proxies' own boxes decide; kinds without a tree of their own
 * that could be walked look at every proxy. */
#include "collision/broad/inside.h"

enum { OVERLAP, PATH, CLOSEST };

static bool walks_tree(const kin_broad* b) { return b->def.kind == KIN_BROAD_TREE; }

static void begin(kin_broad_walk* w, const kin_broad* b, int test, double limit)
{
    w->proxy = KIN_BROAD_NONE;
    w->limit = limit;
    w->broad = b;
    w->test = test;
    w->scan = 0;
    if (walks_tree(b)) w->tree = kin_broad_tree_view(b->self);
}

/* Far coordinates are stored as KIN_BROAD_FAR. */
static kin_vec3 local(const kin_broad* b, kin_vec3 p)
{
    kin_vec3 x = kin_sub(p, b->origin);
    return kin_v(kin_clamp(x.x, -KIN_BROAD_FAR, KIN_BROAD_FAR), kin_clamp(x.y, -KIN_BROAD_FAR, KIN_BROAD_FAR), kin_clamp(x.z, -KIN_BROAD_FAR, KIN_BROAD_FAR));
}

/* What p - origin may have lost by rounding. */
static double blur(const kin_broad* b, kin_vec3 p) { return 1e-15 * (kin_largest(kin_abs3(p)) + kin_largest(kin_abs3(b->origin))); }

void kin_broad_overlap_begin(kin_broad_walk* w, const kin_broad* b, kin_aabb box)
{
    begin(w, b, OVERLAP, 0);
    w->box = box;
    if (walks_tree(b)) kin_bvh_overlap_begin(&w->walk, &w->tree, (kin_aabb){local(b, box.low), local(b, box.high)});
}

void kin_broad_path_begin(kin_broad_walk* w, const kin_broad* b, kin_vec3 origin, kin_vec3 direction, kin_vec3 half, double limit)
{
    begin(w, b, PATH, limit);
    w->at = origin;
    w->direction = direction;
    w->half = half;
    if (walks_tree(b)) kin_bvh_path_begin(&w->walk, &w->tree, local(b, origin), direction, kin_largest(half) + blur(b, origin), limit);
}

void kin_broad_closest_begin(kin_broad_walk* w, const kin_broad* b, kin_vec3 point, double distance)
{
    begin(w, b, CLOSEST, distance);
    w->at = point;
    if (walks_tree(b)) kin_bvh_closest_begin(&w->walk, &w->tree, local(b, point), distance + blur(b, point));
}

/* One axis of the slab test: the part of [in, out] where the path is between low and high. */
static void clip(double at, double along, double low, double high, double* in, double* out)
{
    if (kin_abs(along) > 0) {
        double t0 = (low - at) / along, t1 = (high - at) / along;
        *in = kin_max(*in, kin_min(t0, t1));
        *out = kin_min(*out, kin_max(t0, t1));
    } else if (at < low || at > high) {
        *out = -1;
    }
}

static bool path_meets(const kin_broad_walk* w, kin_aabb box)
{
    double in = 0, out = w->limit;
    clip(w->at.x, w->direction.x, box.low.x - w->half.x, box.high.x + w->half.x, &in, &out);
    clip(w->at.y, w->direction.y, box.low.y - w->half.y, box.high.y + w->half.y, &in, &out);
    clip(w->at.z, w->direction.z, box.low.z - w->half.z, box.high.z + w->half.z, &in, &out);
    return in <= out;
}

static bool passes(const kin_broad_walk* w, uint32_t proxy)
{
    if (!kin_broad_is(w->broad, proxy, KIN_BROAD_ALIVE)) return false;
    kin_aabb box = w->broad->boxes[proxy];
    if (w->test == OVERLAP) return kin_aabb_overlaps(box, w->box);
    if (w->test == PATH) return path_meets(w, box);
    return kin_length2(kin_sub(kin_aabb_closest(box, w->at), w->at)) <= w->limit * w->limit;
}

static bool next_leaf(kin_broad_walk* w)
{
    w->walk.bvh = &w->tree; /* the walk may have been copied */
    if (w->test == OVERLAP) return kin_bvh_overlap_next(&w->walk);
    if (w->test == PATH) {
        w->walk.limit = w->limit;
        return kin_bvh_path_next(&w->walk);
    }
    double reach = w->limit + blur(w->broad, w->at);
    w->walk.limit = reach * reach * (1 + 1e-14);
    return kin_bvh_closest_next(&w->walk);
}

static bool next_slot(kin_broad_walk* w, uint32_t* proxy)
{
    *proxy = w->scan++;
    return *proxy < w->broad->slot_count;
}

bool kin_broad_next(kin_broad_walk* w)
{
    for (bool tree = walks_tree(w->broad);;) {
        uint32_t proxy;
        if (tree ? !next_leaf(w) : !next_slot(w, &proxy)) return false;
        if (tree) proxy = w->walk.begin;
        if (!passes(w, proxy)) continue;
        w->proxy = proxy;
        return true;
    }
}
