/* surface.c - a deforming wall: cloth, the skin of a soft body, an animated mesh. Its triangles are felt as flat pieces, several where they form a corner (map.h has
 * the rule), without the correction that rigid forms keep on a grid: it would have to be made anew in every tick. Open meshes have two sides. */
#include "domains/sph/boundary/surface.h"
#include "domains/sph/boundary/map.h"

/* ---- poses ---- */

/* A triangle without area keeps its last normal: here that of its rest, so that no pose depends on what was before. */
void kin_sph_surface_pose(kin_sph_surface* s, int which, double fraction)
{
    const kin_mesh* mesh = s->mesh[which]->mesh;
    for (uint32_t v = 0; v < s->vertex_count; ++v) s->posed[v] = kin_lerp(s->start[v], s->end[v], fraction);
    bool whole = true;
    kin_vec3 normal;
    for (uint32_t t = 0; t < mesh->triangle_count && whole; ++t) whole = kin_mesh_triangle_normal(s->posed, mesh->triangles[t], &normal);
    if (!whole) kin_trimesh_refit(s->mesh[which], s->rest, NULL);
    kin_trimesh_refit(s->mesh[which], s->posed, NULL); /* all vertices were checked when they were given */
}

/* ---- questions ---- */

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

kin_vec3 kin_sph_surface_velocity(const kin_sph_walls* w, const kin_sph_wall* wall, int which, uint32_t triangle, kin_vec3 point)
{
    const kin_sph_surface* s = wall->surface;
    if (wall->leaps) return kin_v(0, 0, 0);
    const kin_mesh* mesh = s->mesh[which]->mesh;
    weights at = weights_of(mesh, triangle, point);
    const uint32_t* corners = mesh->triangles[triangle];
    return kin_scale(kin_sub(blend(s->end, corners, at), blend(s->start, corners, at)), w->inv_interval);
}

/* In a corner its pieces may go different ways: the velocity is the one that adds what they add together, slope . u = sum of each one's own, and beside that their
 * mean. */
static kin_vec3 velocity_of_feet(const kin_sph_walls* w, const kin_sph_wall* wall, const kin_touch* touches, const double* parts, int count, kin_vec3 slope)
{
    kin_vec3 mean = {0, 0, 0};
    double rate = 0, sum = 0, slope2 = kin_length2(slope);
    for (int k = 0; k < count; ++k) {
        kin_vec3 u = kin_sph_surface_velocity(w, wall, 0, touches[k].feature, touches[k].point);
        if (k == 0) mean = u;
        if (count == 1 || !(parts[k] < 0)) continue;
        rate += parts[k] * kin_dot(touches[k].normal, u);
        mean = kin_lerp(mean, u, parts[k] / (sum + parts[k]));
        sum += parts[k];
    }
    return count > 1 && slope2 > 0 ? kin_add_scaled(mean, (rate - kin_dot(slope, mean)) / slope2, slope) : mean;
}

bool kin_sph_surface_feel(const kin_sph_walls* w, const kin_sph_wall* wall, kin_vec3 x, kin_sph_felt* out)
{
    kin_touch touches[KIN_TRIMESH_CONTACTS];
    double parts[KIN_TRIMESH_CONTACTS];
    if (wall->fade == 0) return false;
    int count = kin_trimesh_contacts(wall->surface->mesh[0], x, w->profile.share.end, touches, KIN_TRIMESH_CONTACTS);
    if (count == 0) return false;
    count = kin_sph_feet_feel(&w->profile, touches, count, parts, out);
    out->velocity = velocity_of_feet(w, wall, touches, parts, count, out->slope);
    out->share *= wall->fade;
    out->slope = kin_scale(out->slope, wall->fade);
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
