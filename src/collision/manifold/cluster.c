/* cluster.c - greedy clusters, in the order points come: that order is fixed, so the result is. */
#include "collision/manifold/cluster.h"

bool kin_clusters_begin(kin_clusters* c, kin_arena* scratch, int room, double cosine, double near)
{
    *c = (kin_clusters){.touches = kin_arena_take(scratch, (size_t)room * sizeof *c->touches), .room = room, .cosine = cosine, .near = near};
    return c->touches != NULL;
}

static int shallowest(const kin_touches* t)
{
    int at = 0;
    for (int i = 1; i < t->count; ++i) {
        if (t->points[i].separation > t->points[at].separation) at = i;
    }
    return at;
}

static void put(kin_touches* t, int at, const kin_manifold_point* point, uint32_t triangle)
{
    t->points[at] = *point;
    t->triangles[at] = triangle;
}

static void add_point(kin_touches* t, const kin_manifold_point* point, uint32_t triangle, double near)
{
    for (int i = 0; i < t->count; ++i) {
        if (kin_length2(kin_sub(t->points[i].point, point->point)) > near * near) continue;
        if (point->separation < t->points[i].separation) put(t, i, point, triangle);
        return;
    }
    if (t->count < KIN_TOUCHES) {
        put(t, t->count++, point, triangle);
        return;
    }
    int at = shallowest(t);
    if (point->separation < t->points[at].separation) put(t, at, point, triangle);
}

/* A free cluster, or the shallowest if this point is deeper than all of it; -1: neither. */
static int open_cluster(kin_clusters* c, double separation)
{
    if (c->count < c->room) return c->count++;
    int at = 0;
    for (int i = 1; i < c->count; ++i) {
        if (kin_touches_deepest(&c->touches[i]) > kin_touches_deepest(&c->touches[at])) at = i;
    }
    return kin_touches_deepest(&c->touches[at]) > separation ? at : -1;
}

void kin_clusters_add(kin_clusters* c, kin_vec3 normal, const kin_manifold_point* point, uint32_t triangle)
{
    int best = -1;
    double cosine = c->cosine;
    for (int i = 0; i < c->count; ++i) {
        double dot = kin_dot(c->normals[i], normal);
        if (dot > cosine) cosine = dot, best = i;
    }
    if (best < 0) {
        best = open_cluster(c, point->separation);
        if (best < 0) return;
        c->normals[best] = normal;
        c->touches[best].count = 0;
    }
    add_point(&c->touches[best], point, triangle, c->near);
}

/* The numbers of those that are told, at most `most` of `order` (deepest first), in that order. */
static int choose_spread(const kin_clusters* c, const double* deepest, const int* order, int most, int* chosen)
{
    double unlike[KIN_CLUSTERS];
    bool taken[KIN_CLUSTERS] = {false};
    for (int i = 0; i < c->count; ++i) unlike[i] = 2;
    for (int k = 0, next = 0; k < most && k < c->count; ++k) {
        for (int i = 0; i < c->count && k > 0; ++i) { /* overlapping points first, least like those taken; then by depth */
            const bool better = !taken[i] && (taken[next] || (deepest[order[i]] <= 0 && unlike[i] > unlike[next]));
            if (better) next = i;
        }
        taken[next] = true;
        for (int i = 0; i < c->count; ++i) unlike[i] = kin_min(unlike[i], 1 - kin_dot(c->normals[order[i]], c->normals[order[next]]));
    }
    int count = 0;
    for (int i = 0; i < c->count; ++i) {
        if (taken[i]) chosen[count++] = order[i];
    }
    return count;
}

int kin_clusters_end(const kin_clusters* c, kin_manifold* out, int most)
{
    int order[KIN_CLUSTERS], chosen[KIN_CLUSTERS];
    double deepest[KIN_CLUSTERS];
    for (int i = 0; i < c->count; ++i) { /* deepest first; equals as they came */
        int at = i;
        deepest[i] = kin_touches_deepest(&c->touches[i]);
        while (at > 0 && deepest[order[at - 1]] > deepest[i]) order[at] = order[at - 1], at -= 1;
        order[at] = i;
    }
    const int count = choose_spread(c, deepest, order, most, chosen);
    for (int i = 0; i < count; ++i) {
        const kin_touches* t = &c->touches[chosen[i]];
        kin_manifold* m = &out[i];
        *m = (kin_manifold){.count = 0};
        kin_touches_reduce(t, c->normals[chosen[i]], m);
        for (int k = 0, first = 1; k < t->count; ++k) {
            if (t->points[k].separation == deepest[chosen[i]] && first) m->triangle_b = t->triangles[k], first = 0;
        }
    }
    return count;
}
