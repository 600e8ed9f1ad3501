/* trimesh_query.c - rays, nearest points and the inside test of meshes. */
#include "collision/trimesh.h"
#include "math/aabb.h"

bool kin_trimesh_ray(const kin_trimesh* mesh, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    double slack = 1e-12 * kin_max(mesh->scale, kin_largest(kin_abs3(origin)));
    bool closed = mesh->mesh->closed;
    kin_bvh_walk walk;
    *hit = (kin_touch){.t = limit, .feature = UINT32_MAX};
    kin_bvh_path_begin(&walk, &mesh->tree, origin, direction, slack, limit);
    while (kin_bvh_path_next(&walk)) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            const kin_trimesh_plane* plane = &mesh->planes[i];
            const kin_trimesh_corners* c = &mesh->corners[i];
            double speed = kin_dot(plane->normal, direction);
            if (speed == 0) continue;
            double t = (plane->offset - kin_dot(plane->normal, origin)) / speed;
            if (!(t >= 0 && t <= hit->t) || (t == hit->t && c->triangle > hit->feature)) continue;
            kin_vec3 point = kin_add_scaled(origin, t, direction);
            if (!kin_trimesh_face_holds(c, plane->normal, point, slack)) continue;
            *hit = (kin_touch){t, t, point, kin_scale(plane->normal, closed || speed < 0 ? 1 : -1), c->triangle};
        }
        walk.limit = hit->t;
    }
    return hit->feature != UINT32_MAX;
}

typedef struct nearest {
    double distance2;
    kin_vec3 point;
    kin_feature feature;
    uint32_t triangle;
} nearest;

static bool find_nearest(const kin_trimesh* mesh, kin_vec3 x, double reach, nearest* best)
{
    kin_bvh_walk walk;
    *best = (nearest){.distance2 = reach * reach, .triangle = UINT32_MAX};
    kin_bvh_closest_begin(&walk, &mesh->tree, x, reach);
    while (kin_bvh_closest_next(&walk)) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            const kin_trimesh_corners* c = &mesh->corners[i];
            kin_feature feature;
            kin_vec3 point = kin_closest_on_triangle(c->p[0], c->p[1], c->p[2], x, &feature);
            double d2 = kin_length2(kin_sub(x, point));
            if (d2 < best->distance2 || (d2 == best->distance2 && c->triangle < best->triangle)) *best = (nearest){d2, point, feature, c->triangle};
        }
        walk.limit = kin_min(walk.limit, best->distance2 * (1 + 1e-14)); /* ties stay in reach */
    }
    return best->triangle != UINT32_MAX;
}

/* The sign comes from the pseudo-normal; the normal points out of a closed mesh, and to x from an open one. */
static kin_touch touch_at(const kin_trimesh* mesh, kin_vec3 x, const nearest* n)
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

bool kin_trimesh_closest(const kin_trimesh* mesh, kin_vec3 x, double reach, kin_touch* touch)
{
    nearest best;
    bool found = find_nearest(mesh, x, reach, &best);
    if (!found && kin_trimesh_inside(mesh, x)) found = find_nearest(mesh, x, 1e150, &best);
    if (found) *touch = touch_at(mesh, x, &best);
    return found;
}

void kin_trimesh_within(const kin_trimesh* mesh, kin_vec3 x, double reach, kin_touch_fn* visit, void* context)
{
    double slack = 1e-9 * kin_max(kin_largest(kin_abs3(x)), reach) + 1e-12 * mesh->scale;
    kin_bvh_walk walk;
    kin_bvh_closest_begin(&walk, &mesh->tree, x, reach);
    while (kin_bvh_closest_next(&walk)) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            const kin_trimesh_corners* c = &mesh->corners[i];
            nearest n = {.triangle = c->triangle};
            n.point = kin_closest_on_triangle(c->p[0], c->p[1], c->p[2], x, &n.feature);
            kin_vec3 u = kin_sub(x, n.point);
            n.distance2 = kin_length2(u);
            if (n.distance2 > reach * reach || !kin_trimesh_owns(mesh, c->triangle, n.feature, u, slack)) continue;
            kin_touch touch = touch_at(mesh, x, &n);
            visit(context, &touch);
        }
    }
}

bool kin_trimesh_inside(const kin_trimesh* mesh, kin_vec3 x)
{
    if (!mesh->mesh->closed || !kin_aabb_contains(mesh->mesh->bounds, x)) return false;
    int leaving = 0;
    for (int i = 0; i < 6; ++i) {
        kin_vec3 direction = kin_scale(kin_axis(i % 3), i < 3 ? 1 : -1);
        kin_touch hit;
        if (!kin_trimesh_ray(mesh, x, direction, 1e150, &hit)) return false;
        leaving += kin_dot(hit.normal, direction) > 0;
    }
    if (leaving == 0 || leaving == 6) return leaving == 6;
    nearest best;
    return find_nearest(mesh, x, 1e150, &best) && touch_at(mesh, x, &best).distance < 0;
}
