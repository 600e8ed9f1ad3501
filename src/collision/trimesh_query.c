/* trimesh_query.c - rays, nearest points and the inside test of meshes. */
#include "collision/trimesh.h"
#include "math/aabb.h"

#define FAR 1e150 /* m: its square is still a number */

static kin_trimesh_cast_fn* const casts[KIN_SIMD_COUNT] = {kin_trimesh_cast_none, kin_trimesh_cast_sse2, kin_trimesh_cast_avx2};

bool kin_trimesh_ray(const kin_trimesh* mesh, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    if (casts[mesh->simd](mesh, &(kin_ray3){origin, direction, limit}, hit, 1) == 1) return true;
    *hit = (kin_touch){.t = limit, .feature = UINT32_MAX};
    return false;
}

int kin_trimesh_ray_all(const kin_trimesh* mesh, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hits, int most)
{
    return casts[mesh->simd](mesh, &(kin_ray3){origin, direction, limit}, hits, most);
}

typedef struct ray_batch {
    const kin_trimesh* mesh;
    const kin_ray3* rays;
    kin_touch* hits;
} ray_batch;

static void cast_some(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const ray_batch* b = argument;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) kin_trimesh_ray(b->mesh, b->rays[i].origin, b->rays[i].direction, b->rays[i].limit, &b->hits[i]);
}

void kin_trimesh_rays(const kin_trimesh* mesh, kin_jobs* jobs, const kin_ray3* rays, int64_t count, kin_touch* hits)
{
    kin_parallel_for(jobs, count, 256, cast_some, &(ray_batch){mesh, rays, hits});
}

/* i: in leaf order. */
static kin_nearest nearest_on(const kin_trimesh* mesh, uint32_t i, kin_vec3 x)
{
    const kin_facet* c = &mesh->corners[i];
    kin_nearest n = {.triangle = c->triangle};
    n.point = kin_closest_on_triangle(c->p[0], c->p[1], c->p[2], x, &n.feature);
    n.distance2 = kin_length2(kin_sub(x, n.point));
    return n;
}

static bool find_nearest(const kin_trimesh* mesh, kin_vec3 x, double reach, kin_nearest* best)
{
    kin_bvh_walk walk;
    *best = (kin_nearest){.distance2 = reach * reach, .triangle = UINT32_MAX};
    kin_bvh_closest_begin(&walk, &mesh->tree, x, reach);
    while (kin_bvh_closest_next(&walk)) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            kin_nearest n = nearest_on(mesh, i, x);
            if (n.distance2 < best->distance2 || (n.distance2 == best->distance2 && n.triangle < best->triangle)) *best = n;
        }
        walk.limit = kin_min(walk.limit, best->distance2 * (1 + 1e-14)); /* ties stay in reach */
    }
    return best->triangle != UINT32_MAX;
}

/* The sign comes from the pseudo-normal; the normal points out of a closed mesh, and to x from an open one. */
static kin_touch touch_at(const kin_trimesh* mesh, kin_vec3 x, const kin_nearest* n)
{
    kin_vec3 u = kin_sub(x, n->point), pseudo = kin_mesh_pseudo_normal(mesh->mesh, n->triangle, n->feature);
    double side = kin_dot(u, pseudo) >= 0 ? 1 : -1, length = kin_sqrt(n->distance2), sign = mesh->mesh->closed ? side : 1;
    kin_touch touch = {.distance = sign * length, .point = n->point, .feature = n->triangle};
    if (n->feature == KIN_FEATURE_FACE) {
        touch.normal = kin_scale(pseudo, mesh->mesh->closed ? 1 : side);
    } else if (length > 1e-12 * mesh->scale) {
        touch.normal = kin_scale(u, sign / length);
    } else { /* on the feature itself u is round-off */
        touch.normal = kin_normalize_or(pseudo, kin_v(0, 1, 0));
    }
    return touch;
}

/* Nothing near: only inside a closed mesh is there an answer. */
static bool find_from_deep_inside(const kin_trimesh* mesh, kin_vec3 x, kin_nearest* best)
{
    return kin_trimesh_inside(mesh, x) && find_nearest(mesh, x, FAR, best);
}

bool kin_trimesh_closest(const kin_trimesh* mesh, kin_vec3 x, double reach, kin_touch* touch)
{
    kin_nearest best;
    if (!find_nearest(mesh, x, reach, &best) && !find_from_deep_inside(mesh, x, &best)) return false;
    *touch = touch_at(mesh, x, &best);
    return true;
}

typedef struct touch_list {
    kin_touch* touches;
    int count, most;
} touch_list;

static bool nearer(const kin_touch* a, const kin_touch* b) { return a->distance != b->distance ? a->distance < b->distance : a->feature < b->feature; }

/* Sorted; of two with one direction the nearer stays. */
static void insert(touch_list* list, const kin_touch* touch)
{
    kin_touch* all = list->touches;
    for (int i = 0; i < list->count; ++i) {
        if (kin_length2(kin_sub(all[i].normal, touch->normal)) > 1e-12) continue;
        if (!nearer(touch, &all[i])) return;
        for (int k = i; k + 1 < list->count; ++k) all[k] = all[k + 1];
        list->count -= 1;
        break;
    }
    int at = list->count;
    while (at > 0 && nearer(touch, &all[at - 1])) at -= 1;
    if (at >= list->most) return;
    if (list->count < list->most) list->count += 1;
    for (int k = list->count - 1; k > at; --k) all[k] = all[k - 1];
    all[at] = *touch;
}

int kin_trimesh_contacts(const kin_trimesh* mesh, kin_vec3 x, double reach, kin_touch touches[KIN_TRIMESH_CONTACTS], int most)
{
    double slack = 1e-9 * kin_max(kin_largest(kin_abs3(x)), reach) + 1e-12 * mesh->scale;
    touch_list list = {touches, 0, most < KIN_TRIMESH_CONTACTS ? most : KIN_TRIMESH_CONTACTS};
    kin_nearest best = {.distance2 = reach * reach, .triangle = UINT32_MAX};
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &mesh->tree, kin_aabb_around(x, kin_v(reach, reach, reach))); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            double height = kin_dot(mesh->planes[i].normal, x) - mesh->planes[i].offset;
            if (kin_abs(height) > reach + slack) continue;
            kin_nearest n = nearest_on(mesh, i, x);
            if (n.distance2 > reach * reach) continue;
            if (n.distance2 < best.distance2 || (n.distance2 == best.distance2 && n.triangle < best.triangle)) best = n;
            if (!kin_trimesh_owns(mesh, n.triangle, n.feature, kin_sub(x, n.point), slack)) continue;
            kin_touch touch = touch_at(mesh, x, &n);
            if (touch.distance >= 0) insert(&list, &touch); /* the back of a closed mesh, seen through it, is nothing to touch */
        }
    }
    bool inside = best.triangle == UINT32_MAX ? find_from_deep_inside(mesh, x, &best) : touch_at(mesh, x, &best).distance < 0;
    if (!inside) return list.count;
    touches[0] = touch_at(mesh, x, &best);
    return 1;
}

bool kin_trimesh_inside(const kin_trimesh* mesh, kin_vec3 x)
{
    if (!mesh->mesh->closed || !kin_aabb_contains(mesh->mesh->bounds, x)) return false;
    int leaving = 0;
    for (int i = 0; i < 6; ++i) {
        kin_vec3 direction = kin_scale(kin_axis(i % 3), i < 3 ? 1 : -1);
        kin_touch hit;
        if (!kin_trimesh_ray(mesh, x, direction, FAR, &hit)) return false;
        leaving += kin_dot(hit.normal, direction) > 0;
    }
    if (leaving == 0 || leaving == 6) return leaving == 6;
    kin_nearest best;
    return find_nearest(mesh, x, FAR, &best) && touch_at(mesh, x, &best).distance < 0;
}
