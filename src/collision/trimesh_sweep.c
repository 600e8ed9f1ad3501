/* trimesh_sweep.c - a sphere on a straight path against rounded triangles: a slab over the face, cylinders round edges, spheres round corners. */
#include "collision/trimesh.h"

typedef struct sweep {
    const kin_trimesh* mesh;
    const kin_path* path;
    double slack; /* m: how far beside a face its hits may lie, so that no path slips between two triangles */
    kin_touch best;
} sweep;

static void keep(sweep* s, double t, double distance, kin_vec3 point, kin_vec3 normal, uint32_t triangle)
{
    if (t > s->best.t || (t == s->best.t && triangle >= s->best.feature)) return;
    s->best = (kin_touch){t, distance, point, normal, triangle};
}

/* A start within round-off of a sharp edge: entering the solid means entering past both faces. */
static bool leaves_past_edge(const sweep* s, const kin_facet* c, kin_vec3 normal, kin_vec3 foot)
{
    const kin_mesh* mesh = s->mesh->mesh;
    for (int k = 0; k < 3; ++k) {
        uint32_t other = mesh->neighbors[c->triangle][k];
        if ((c->sharp >> k & 1) == 0 || other == KIN_NO_NEIGHBOR || !mesh->closed) continue;
        kin_vec3 edge = kin_sub(c->p[(k + 1) % 3], c->p[k]);
        double inward = kin_triple(normal, edge, kin_sub(foot, c->p[k]));
        if (inward * inward > s->slack * s->slack * kin_length2(edge)) continue;
        if (kin_dot(mesh->normals[other], s->path->d) >= -s->path->along) return true;
    }
    return false;
}

/* height, speed: of the centre over the face, at the start and over the whole path. side -1: it comes from the back. True: the triangle is done with. */
static bool sweep_face(sweep* s, const kin_facet* c, kin_vec3 normal, double side, double height, double speed)
{
    const kin_path* path = s->path;
    double gap = side < 0 && path->radius == 0 ? 2 * path->side : 0; /* as for planes: a point stops a hair short of a back side */
    double reach = path->radius + gap;
    height *= side;
    speed *= side;
    if (height < -reach - path->depth || (speed >= 0 && height > reach + path->touch)) return false;
    if (height <= reach + path->touch && -speed <= path->along) {
        return kin_trimesh_face_holds(c, normal, kin_add_scaled(path->a, -side * height, normal), s->slack);
    }
    double t = height > reach ? (height - reach) / -speed : 0;
    if (t > 1) return false;
    kin_vec3 center = kin_add_scaled(path->a, t, path->d);
    kin_vec3 foot = kin_add_scaled(center, side * (gap - (height + t * speed)), normal);
    if (!kin_trimesh_face_holds(c, normal, foot, s->slack)) return false;
    if (t == 0 && leaves_past_edge(s, c, normal, foot)) return true;
    keep(s, t, t > 0 ? 0 : height - reach, foot, kin_scale(normal, side), c->triangle);
    return true;
}

static void keep_round(sweep* s, uint32_t triangle, kin_feature feature, double t, kin_vec3 u, kin_vec3 point)
{
    if (t > s->best.t || !kin_trimesh_owns(s->mesh, triangle, feature, u, s->slack)) return;
    double length = kin_length(u);
    kin_vec3 normal = length > 0 ? kin_scale(u, 1 / length) : kin_normalize_or(kin_mesh_pseudo_normal(s->mesh->mesh, triangle, feature), kin_v(0, 1, 0));
    keep(s, t, t > 0 ? 0 : length - s->path->radius, point, normal, triangle);
}

static void sweep_edge(sweep* s, const kin_facet* c, int k)
{
    kin_vec3 p = c->p[k], edge = kin_sub(c->p[(k + 1) % 3], p), from = kin_sub(s->path->a, p);
    double length2 = kin_length2(edge), at = kin_dot(from, edge) / length2, by = kin_dot(s->path->d, edge) / length2, t;
    kin_vec3 w = kin_add_scaled(from, -at, edge), v = kin_add_scaled(s->path->d, -by, edge);
    if (!kin_path_enter_round(s->path, w, v, at >= 0 && at <= 1, &t)) return;
    double place = at + t * by;
    if (place < -1e-12 || place > 1 + 1e-12) return; /* past an end: its corner's */
    keep_round(s, c->triangle, (kin_feature)(KIN_FEATURE_EDGE0 + k), t, kin_add_scaled(w, t, v), kin_add_scaled(p, place, edge));
}

static void sweep_corner(sweep* s, const kin_facet* c, int k)
{
    kin_vec3 w = kin_sub(s->path->a, c->p[k]);
    double t;
    if (!kin_path_enter_round(s->path, w, s->path->d, true, &t)) return;
    keep_round(s, c->triangle, (kin_feature)(KIN_FEATURE_CORNER0 + k), t, kin_add_scaled(w, t, s->path->d), c->p[k]);
}

/* i: in leaf order. */
static void sweep_triangle(sweep* s, uint32_t i)
{
    const kin_trimesh_plane* plane = &s->mesh->planes[i];
    const kin_path* path = s->path;
    double height = kin_dot(plane->normal, path->a) - plane->offset, speed = kin_dot(plane->normal, path->d);
    double end = height + speed, r = path->radius, behind = -r - path->depth;
    if ((height > r && end > r) || (height < behind && end < behind)) return;
    const kin_facet* c = &s->mesh->corners[i];
    bool closed = s->mesh->mesh->closed;
    double side = !closed && height < -path->side ? -1 : 1;
    /* A face that looks away from the motion cannot be entered, nor an edge between two such faces; a corner can, of a saddle. */
    bool faces = !closed || speed < 0;
    if (faces && sweep_face(s, c, plane->normal, side, height, speed)) return;
    if (r == 0 || c->sharp == 0) return;
    for (int k = 0; k < 3; ++k) {
        if (faces && (c->sharp >> k & 1) != 0) sweep_edge(s, c, k);
        if ((c->sharp >> (3 + k) & 1) != 0) sweep_corner(s, c, k);
    }
}

bool kin_trimesh_sweep(const kin_trimesh* mesh, const kin_path* path, kin_touch* hit)
{
    sweep s = {mesh, path, path->touch + 1e-12 * mesh->scale, {.t = 2, .feature = UINT32_MAX}};
    kin_bvh_walk walk;
    double reach = path->radius + path->depth;
    if (kin_largest(kin_abs3(path->d)) > 4 * (mesh->tree.typical + path->radius)) { /* long: walk along it, nearest first */
        kin_bvh_path_begin(&walk, &mesh->tree, path->a, path->d, reach, 1);
        while (kin_bvh_path_next(&walk)) {
            for (uint32_t i = walk.begin; i < walk.end; ++i) sweep_triangle(&s, i);
            walk.limit = kin_min(walk.limit, s.best.t);
        }
    } else {
        kin_vec3 b = kin_add(path->a, path->d), grow = {reach, reach, reach};
        kin_bvh_overlap_begin(&walk, &mesh->tree, (kin_aabb){kin_sub(kin_min3(path->a, b), grow), kin_add(kin_max3(path->a, b), grow)});
        while (kin_bvh_overlap_next(&walk)) {
            for (uint32_t i = walk.begin; i < walk.end; ++i) sweep_triangle(&s, i);
        }
    }
    *hit = s.best;
    return s.best.t <= 1;
}
