/* collision_pictures.c - pictures of the collision study: the Voronoi regions of a vertex, an edge and a face; a body on its way to an impact. */
#include "base/error.h"
#include "collision/form/skin.h"
#include "lab/collision.h"
#include "math/aabb.h"

static const kin_vec3 here = {0, 0, 0};

/* ---- regions ---- */

enum { SHELLS = 3, ARC = 12 };
static const double shell_gap = 0.2, region_line = 0.006; /* m, between surfaces of equal distance; width, of the subject */

/* Lines of one region: places at the same distance from the body, and the region's sides. */
typedef struct sketch {
    kin_vec3 points[512];
    uint32_t edges[512][2];
    size_t point_count, edge_count;
} sketch;

static void add_line(sketch* s, kin_vec3 a, kin_vec3 b)
{
    s->edges[s->edge_count][0] = (uint32_t)s->point_count;
    s->edges[s->edge_count++][1] = (uint32_t)s->point_count + 1;
    s->points[s->point_count++] = a;
    s->points[s->point_count++] = b;
}

/* About a center, from one direction to another on the shorter way. */
static void add_arc(sketch* s, kin_vec3 center, kin_vec3 from, kin_vec3 to, double radius)
{
    for (int k = 0; k < ARC; ++k) {
        kin_vec3 a = kin_normalize_or(kin_lerp(from, to, (double)k / ARC), from), b = kin_normalize_or(kin_lerp(from, to, (k + 1.0) / ARC), to);
        add_line(s, kin_add_scaled(center, radius, a), kin_add_scaled(center, radius, b));
    }
}

static kin_vec3 normal_at(const kin_hull* hull, uint32_t edge) { return hull->planes[hull->edges[edge].face].normal; }

/* A prism along the normal. */
static void sketch_face(sketch* s, const kin_hull* hull, uint32_t face)
{
    kin_vec3 n = hull->planes[face].normal;
    uint32_t e = hull->face_edge[face];
    do {
        kin_vec3 a = hull->vertices[hull->edges[e].origin], b = hull->vertices[kin_hull_end(hull, e)];
        for (int k = 0; k <= SHELLS; ++k) add_line(s, kin_add_scaled(a, k * shell_gap, n), kin_add_scaled(b, k * shell_gap, n));
        add_line(s, a, kin_add_scaled(a, SHELLS * shell_gap, n));
        e = hull->edges[e].next;
    } while (e != hull->face_edge[face]);
}

/* A wedge between the normals of its two faces. */
static void sketch_edge(sketch* s, const kin_hull* hull, uint32_t edge)
{
    kin_vec3 ends[2] = {hull->vertices[hull->edges[edge].origin], hull->vertices[kin_hull_end(hull, edge)]};
    kin_vec3 normals[2] = {normal_at(hull, edge), normal_at(hull, edge ^ 1)};
    for (int k = 0; k < 2; ++k) {
        for (int shell = 1; shell <= SHELLS; ++shell) {
            add_arc(s, ends[k], normals[0], normals[1], shell * shell_gap);
            add_line(s, kin_add_scaled(ends[0], shell * shell_gap, normals[k]), kin_add_scaled(ends[1], shell * shell_gap, normals[k]));
        }
        for (int end = 0; end < 2; ++end) add_line(s, ends[end], kin_add_scaled(ends[end], SHELLS * shell_gap, normals[k]));
    }
    add_line(s, ends[0], ends[1]);
}

/* A cone between the normals of all its faces. */
static void sketch_vertex(sketch* s, const kin_hull* hull, uint32_t vertex)
{
    kin_vec3 x = hull->vertices[vertex];
    uint32_t e = hull->vertex_edge[vertex];
    do {
        uint32_t next = hull->edges[e ^ 1].next; /* the next one that leaves the vertex */
        for (int shell = 1; shell <= SHELLS; ++shell) add_arc(s, x, normal_at(hull, e), normal_at(hull, next), shell * shell_gap);
        add_line(s, x, kin_add_scaled(x, SHELLS * shell_gap, normal_at(hull, e)));
        e = next;
    } while (e != hull->vertex_edge[vertex]);
}

/* The face that looks up, and of the foot the corner at low x and high z, and the edge at high x. */
static uint32_t face_up(const kin_hull* hull)
{
    uint32_t best = 0;
    for (uint32_t f = 1; f < hull->face_count; ++f) best = hull->planes[f].normal.y > hull->planes[best].normal.y ? f : best;
    return best;
}

static uint32_t edge_along(const kin_hull* hull, kin_vec3 d)
{
    uint32_t best = 0;
    double most = -1e300;
    for (uint32_t e = 0; e < hull->edge_count; e += 2) {
        double along = kin_dot(kin_add(hull->vertices[hull->edges[e].origin], hull->vertices[kin_hull_end(hull, e)]), d);
        if (along > most) most = along, best = e;
    }
    return best;
}

static void put_sketch(kin_easel* easel, const sketch* s, const float color[3])
{
    kin_easel_lines(easel, s->points, s->point_count, s->edges, s->edge_count, region_line, here, color);
}

static kin_result put_regions(kin_easel* easel, const kin_hull* hull, kin_error* error)
{
    kin_mesh* mesh;
    kin_result result = kin_hull_mesh(hull, &hull->allocator, &mesh, error);
    if (result != KIN_OK) return result;
    sketch s[3] = {0};
    kin_easel_begin(easel, mesh->bounds);
    kin_easel_mesh(easel, mesh, here, kin_easel_grey);
    kin_mesh_destroy(mesh);
    sketch_face(&s[0], hull, face_up(hull));
    sketch_edge(&s[1], hull, edge_along(hull, kin_v(1, -0.2, 1.2)));
    sketch_vertex(&s[2], hull, kin_hull_support(hull, kin_v(-1, -0.2, 1)));
    for (int k = 0; k < 3; ++k) put_sketch(easel, &s[k], kin_easel_palette[k]);
    return KIN_OK;
}

/* A truncated pyramid: its faces are not square to each other, so that regions part. */
kin_result kin_lab_draw_voronoi_regions(kin_lab_study* study, kin_easel* easel, const char* path, kin_error* error)
{
    static const kin_vec3 corners[8] = {{-0.9, -0.4, -0.7}, {0.9, -0.4, -0.7}, {0.9, -0.4, 0.7}, {-0.9, -0.4, 0.7},
                                        {-0.5, 0.4, -0.4},  {0.6, 0.4, -0.4},  {0.6, 0.4, 0.4},  {-0.5, 0.4, 0.4}};
    kin_hull* hull;
    (void)study;
    kin_result result = kin_hull_create(&easel->allocator, corners, 8, 0, &hull, error);
    if (result != KIN_OK) return result;
    result = put_regions(easel, hull, error);
    kin_hull_destroy(hull);
    return result == KIN_OK ? kin_easel_finish(easel, kin_v(0.25, 0.55, 1), path, error) : result;
}

/* ---- swept ---- */

static kin_result put_box(kin_easel* easel, kin_vec3 size, kin_transform pose, const float color[3], kin_error* error)
{
    kin_form* form;
    kin_skin skin;
    kin_result result = kin_form_create(&easel->allocator, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = size}, &form, error);
    if (result != KIN_OK) return result;
    if (kin_skin_init(&easel->allocator, form, &skin)) {
        for (size_t v = 0; v < skin.vertex_count; ++v) skin.positions[v] = kin_apply(pose, skin.positions[v]);
        kin_easel_triangles(easel, skin.positions, skin.vertex_count, (const uint32_t(*)[3])skin.triangles, skin.triangle_count, here, color);
        kin_skin_term(&skin);
    } else {
        result = kin_fail_memory(error, "a box", 0);
    }
    kin_form_drop(form);
    return result;
}

static void put_wire_box(kin_easel* easel, kin_vec3 size, kin_transform pose, double width, const float color[3])
{
    static const uint32_t edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    kin_vec3 corners[8];
    for (int k = 0; k < 8; ++k) {
        kin_vec3 side = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5};
        corners[k] = kin_apply(pose, kin_mul(side, size));
    }
    kin_easel_lines(easel, corners, 8, edges, 12, width, here, color);
}

/* Where it was is solid, where it would have gone is drawn in thin lines; the pose at impact in thick ones, with the point of contact and the normal. */
kin_result kin_lab_draw_swept(kin_lab_study* study, kin_easel* easel, const char* path, kin_error* error)
{
    enum { POSES = 4 };
    kin_lab_meeting m = kin_lab_meeting_of(KIN_LAB_MEETINGS - 1);
    kin_screw motion = kin_screw_between(m.start, m.end);
    kin_impact hit;
    if (!kin_lab_meet(study, &m, KIN_IMPACT_ADVANCE, &hit)) return kin_fail(error, KIN_ERROR_NUMERICS, path, "the bodies do not meet");
    kin_easel_begin(easel, kin_aabb_around(here, kin_v(1, 1, 1)));
    kin_result result = put_box(easel, m.other, m.at, kin_easel_grey, error);
    for (int k = 0; k < POSES && result == KIN_OK; ++k) result = put_box(easel, m.size, kin_screw_at(&motion, hit.t * k / POSES), kin_easel_palette[0], error);
    put_wire_box(easel, m.size, kin_screw_at(&motion, hit.t), 0.012, kin_easel_palette[1]);
    for (int k = 1; k <= 2; ++k) put_wire_box(easel, m.size, kin_screw_at(&motion, hit.t + (1 - hit.t) * k / 2), 0.003, kin_easel_palette[0]);
    kin_easel_dots(easel, &hit.point, 1, 0.02, kin_easel_red);
    kin_easel_arrow(easel, hit.point, kin_add_scaled(hit.point, 0.7, hit.normal), 0.008, kin_easel_red);
    return result == KIN_OK ? kin_easel_finish(easel, kin_v(-0.35, 0.3, 1), path, error) : result;
}
