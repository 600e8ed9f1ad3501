/* surface.c - deforming walls: cloth, skins of soft bodies, animated meshes. Their triangles are felt as flat pieces, several where they form a corner (map.h has the
 * rule), without the correction that rigid forms keep on a grid: it would have to be made anew in every tick. Open meshes have two sides. */
#include "domains/sph/boundary/surface.h"
#include "base/alloc.h"
#include "base/error.h"
#include "domains/sph/boundary/map.h"
#include "math/aabb.h"
#include <string.h>

/* ---- coming and going ---- */

static void free_surface(kin_sph_walls* w, kin_sph_surface* s)
{
    size_t bytes = s->vertex_count * sizeof *s->start;
    for (int k = 0; k < 2; ++k) kin_trimesh_destroy(s->mesh[k]);
    kin_free(&w->allocator, s->start, bytes);
    kin_free(&w->allocator, s->end, bytes);
    kin_free(&w->allocator, s->posed, bytes);
    kin_free(&w->allocator, s, sizeof *s);
}

static kin_result make_mesh(kin_sph_walls* w, kin_sph_surface* s, int k, const kin_mesh_view* view, kin_error* error)
{
    kin_mesh* mesh;
    kin_result result = kin_mesh_create(&w->allocator, view, &mesh, error);
    return result == KIN_OK ? kin_trimesh_create(&w->allocator, mesh, &s->mesh[k], error) : result;
}

kin_result kin_sph_walls_add_surface(kin_sph_walls* w, const kin_mesh_view* view, uint32_t number, kin_error* error)
{
    kin_sph_surface* s = kin_alloc_zero(&w->allocator, sizeof *s);
    if (s == NULL || !kin_reserve(&w->allocator, (void**)&w->surfaces, &w->surface_capacity, w->surface_count + 1, sizeof(void*)))
        return kin_free(&w->allocator, s, sizeof *s), kin_fail_memory(error, "a deforming wall", sizeof *s);
    s->number = number;
    kin_result result = KIN_OK;
    for (int k = 0; k < 2 && result == KIN_OK; ++k) result = make_mesh(w, s, k, view, error);
    if (result == KIN_OK) {
        size_t bytes = s->mesh[0]->mesh->vertex_count * sizeof *s->start;
        s->vertex_count = s->mesh[0]->mesh->vertex_count;
        s->start = kin_alloc(&w->allocator, bytes), s->end = kin_alloc(&w->allocator, bytes), s->posed = kin_alloc(&w->allocator, bytes);
        if (s->start == NULL || s->end == NULL || s->posed == NULL) result = kin_fail_memory(error, "a deforming wall", 3 * bytes);
    }
    if (result != KIN_OK) return free_surface(w, s), result;
    w->surfaces[w->surface_count++] = s;
    return kin_sph_walls_move_surface(w, number, view->vertices, view->vertices), KIN_OK;
}

void kin_sph_walls_move_surface(kin_sph_walls* w, uint32_t number, const kin_vec3* start, const kin_vec3* end)
{
    for (size_t i = 0; i < w->surface_count; ++i) {
        kin_sph_surface* s = w->surfaces[i];
        if (s->number != number) continue;
        s->box = kin_aabb_empty();
        s->way = 0;
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            s->start[v] = start[v], s->end[v] = end[v];
            s->box = kin_aabb_add(kin_aabb_add(s->box, start[v]), end[v]);
            s->way = kin_max(s->way, kin_distance(start[v], end[v]));
        }
    }
}

void kin_sph_walls_remove_surface(kin_sph_walls* w, uint32_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->surface_count; ++i) {
        if (w->surfaces[i]->number == number)
            free_surface(w, w->surfaces[i]);
        else
            w->surfaces[kept++] = w->surfaces[i];
    }
    w->surface_count = kept;
}

void kin_sph_surfaces_term(kin_sph_walls* w)
{
    for (size_t i = 0; i < w->surface_count; ++i) free_surface(w, w->surfaces[i]);
    kin_free(&w->allocator, w->surfaces, w->surface_capacity * sizeof(void*));
}

size_t kin_sph_surfaces_bytes(const kin_sph_walls* w)
{
    size_t bytes = w->surface_capacity * sizeof(void*);
    for (size_t i = 0; i < w->surface_count; ++i) {
        const kin_sph_surface* s = w->surfaces[i];
        bytes += sizeof *s + 3 * s->vertex_count * sizeof *s->start + kin_trimesh_bytes(s->mesh[0]) + kin_trimesh_bytes(s->mesh[1]);
    }
    return bytes;
}

/* ---- questions ---- */

bool kin_sph_surface_pose(kin_sph_surface* s, int which, double fraction)
{
    for (uint32_t v = 0; v < s->vertex_count; ++v) s->posed[v] = kin_lerp(s->start[v], s->end[v], fraction);
    return kin_trimesh_refit(s->mesh[which], s->posed, NULL) == KIN_OK;
}

typedef struct weights {
    double w[3];
} weights;

/* Of a point of a triangle in its corners. */
static weights weights_of(const kin_mesh* mesh, uint32_t triangle, kin_vec3 p)
{
    const uint32_t* c = mesh->triangles[triangle];
    kin_vec3 a = mesh->vertices[c[0]], ab = kin_sub(mesh->vertices[c[1]], a), ac = kin_sub(mesh->vertices[c[2]], a), ap = kin_sub(p, a);
    double bb = kin_dot(ab, ab), bc = kin_dot(ab, ac), cc = kin_dot(ac, ac), pb = kin_dot(ap, ab), pc = kin_dot(ap, ac), det = bb * cc - bc * bc;
    if (!(det > 0)) return (weights){{1, 0, 0}};
    double v = kin_clamp((cc * pb - bc * pc) / det, 0, 1), w = kin_clamp((bb * pc - bc * pb) / det, 0, 1 - v);
    return (weights){{1 - v - w, v, w}};
}

static kin_vec3 blend(const kin_vec3* values, const uint32_t corners[3], weights at)
{
    kin_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) sum = kin_add_scaled(sum, at.w[k], values[corners[k]]);
    return sum;
}

kin_vec3 kin_sph_surface_velocity(const kin_sph_surface* s, const kin_mesh* mesh, uint32_t triangle, kin_vec3 point, double inv_interval)
{
    weights at = weights_of(mesh, triangle, point);
    const uint32_t* corners = mesh->triangles[triangle];
    return kin_scale(kin_sub(blend(s->end, corners, at), blend(s->start, corners, at)), inv_interval);
}

bool kin_sph_surface_feel(const kin_sph_walls* w, const kin_sph_surface* s, double inv_interval, kin_vec3 x, kin_sph_felt* out)
{
    kin_touch touches[KIN_TRIMESH_CONTACTS];
    int count = kin_trimesh_contacts(s->mesh[0], x, w->profile.share.end, touches, KIN_TRIMESH_CONTACTS);
    if (count == 0) return false;
    kin_sph_feet_feel(&w->profile, touches, count, out);
    out->velocity = kin_sph_surface_velocity(s, s->mesh[0]->mesh, touches[0].feature, touches[0].point, inv_interval);
    return out->share > 0;
}

/* It keeps its foot on the triangle, and its height over it as the triangle turns. */
kin_vec3 kin_sph_surface_carried(const kin_sph_surface* s, kin_vec3 x, double reach)
{
    kin_touch foot;
    if (!kin_trimesh_closest(s->mesh[0], x, reach, &foot)) return x;
    const kin_mesh *before = s->mesh[0]->mesh, *after = s->mesh[1]->mesh;
    weights at = weights_of(before, foot.feature, foot.point);
    kin_vec3 arm = kin_sub(x, foot.point), n0 = before->normals[foot.feature], n1 = after->normals[foot.feature];
    return kin_add(blend(after->vertices, after->triangles[foot.feature], at), kin_add_scaled(arm, kin_dot(arm, n0), kin_sub(n1, n0)));
}
