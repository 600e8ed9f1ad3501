/* height_sweep.c - a sphere on a straight path over a height field: a slab over each face, cylinders round sharp edges, spheres round sharp corners.
 *
 * The rules of closed meshes: a hit on an edge or a corner counts only from where that feature is the nearest (its Voronoi region), flat and hollow edges
 * have none, and what touches at the start and does not move in is no hit: a ball rolls over the ground without bumping into its edges. */
#include "geometry/height/height_internal.h"

typedef struct sweep {
    const kin_height* height;
    const kin_path* path;
    double slack; /* m: how far beside a face its hits may lie, so that no path slips between two triangles */
    kin_touch best;
} sweep;

static bool at_most(double dot, double slack, double length2) { return dot <= 0 || dot * dot <= slack * slack * length2; }

/* Is x, in the plane of the corners, inside or within `slack` metres of the triangle? */
static bool face_holds(const kin_vec3 p[3], kin_vec3 normal, kin_vec3 x, double slack)
{
    for (int k = 0; k < 3; ++k) {
        kin_vec3 edge = kin_sub(p[(k + 1) % 3], p[k]);
        if (!at_most(kin_dot(kin_cross(edge, normal), kin_sub(x, p[k])), slack, kin_length2(edge))) return false;
    }
    return true;
}

static bool edge_owns(const kin_height* h, const kin_facet* f, kin_vec3 normal, int k, kin_vec3 u, double slack)
{
    kin_vec3 edge = kin_sub(f->p[(k + 1) % 3], f->p[k]);
    double length2 = kin_length2(edge);
    if (!at_most(kin_triple(u, normal, edge), slack, length2)) return false; /* over this face */
    uint32_t other = kin_height_neighbor(h, f->triangle, k);
    return other == KIN_HEIGHT_NONE || at_most(kin_triple(u, edge, kin_height_normal(h, other)), slack, length2);
}

static bool corner_owns(const kin_height* h, const kin_facet* f, int k, kin_vec3 u, double slack)
{
    uint32_t i, j, star[6];
    kin_height_sample_of(h, f->triangle, k, &i, &j);
    int count = kin_height_star(h, i, j, star);
    for (int n = 0; n < count; ++n) {
        kin_vec3 p[3];
        kin_height_corners(h, star[n] / 4, p);
        for (uint32_t c = 1; c <= 2; ++c) {
            kin_vec3 edge = kin_sub(p[(star[n] % 4 + c) % 3], f->p[k]);
            if (!at_most(kin_dot(u, edge), slack, kin_length2(edge))) return false;
        }
    }
    return true;
}

bool kin_height_owns(const kin_height* h, uint32_t triangle, kin_feature feature, kin_vec3 u, double slack)
{
    kin_facet f = {.triangle = triangle};
    kin_height_corners(h, triangle, f.p);
    if (feature == KIN_FEATURE_FACE) return true;
    if (feature < KIN_FEATURE_CORNER0) return edge_owns(h, &f, kin_height_normal(h, triangle), (int)(feature - KIN_FEATURE_EDGE0), u, slack);
    return corner_owns(h, &f, (int)(feature - KIN_FEATURE_CORNER0), u, slack);
}

static void keep(sweep* s, double t, double distance, kin_vec3 point, kin_vec3 normal, uint32_t triangle)
{
    if (t > s->best.t || (t == s->best.t && triangle >= s->best.feature)) return;
    s->best = (kin_touch){t, distance, point, normal, triangle};
}

/* A start within round-off of a sharp edge: entering the solid means entering past both faces. */
static bool leaves_past_edge(const sweep* s, const kin_facet* f, kin_vec3 normal, kin_vec3 foot)
{
    for (int k = 0; k < 3; ++k) {
        uint32_t other = kin_height_neighbor(s->height, f->triangle, k);
        if ((f->sharp >> k & 1) == 0 || other == KIN_HEIGHT_NONE) continue;
        kin_vec3 edge = kin_sub(f->p[(k + 1) % 3], f->p[k]);
        double inward = kin_triple(normal, edge, kin_sub(foot, f->p[k]));
        if (inward * inward > s->slack * s->slack * kin_length2(edge)) continue;
        if (kin_dot(kin_height_normal(s->height, other), s->path->d) >= -s->path->along) return true;
    }
    return false;
}

/* height, speed: of the centre over the face, at the start and over the whole path. True: the triangle is done with. */
static bool sweep_face(sweep* s, const kin_facet* f, kin_vec3 normal, double height, double speed)
{
    const kin_path* path = s->path;
    double r = path->radius;
    if (height < -r - path->depth) return false;
    if (height <= r + path->touch && -speed <= path->along) return face_holds(f->p, normal, kin_add_scaled(path->a, -height, normal), s->slack);
    double t = height > r ? (height - r) / -speed : 0;
    if (t > 1) return false;
    kin_vec3 center = kin_add_scaled(path->a, t, path->d), foot = kin_add_scaled(center, -(height + t * speed), normal);
    if (!face_holds(f->p, normal, foot, s->slack)) return false;
    if (t == 0 && leaves_past_edge(s, f, normal, foot)) return true;
    keep(s, t, t > 0 ? 0 : height - r, foot, normal, f->triangle);
    return true;
}

static void keep_round(sweep* s, const kin_facet* f, kin_feature feature, double t, kin_vec3 u, kin_vec3 point)
{
    double length = kin_length(u);
    kin_vec3 normal = length > 0 ? kin_scale(u, 1 / length) : kin_normalize_or(kin_height_pseudo_normal(s->height, f->triangle, feature), kin_v(0, 1, 0));
    keep(s, t, t > 0 ? 0 : length - s->path->radius, point, normal, f->triangle);
}

static void sweep_edge(sweep* s, const kin_facet* f, kin_vec3 normal, int k)
{
    kin_vec3 p = f->p[k], edge = kin_sub(f->p[(k + 1) % 3], p), from = kin_sub(s->path->a, p);
    double length2 = kin_length2(edge), at = kin_dot(from, edge) / length2, by = kin_dot(s->path->d, edge) / length2, t;
    kin_vec3 w = kin_add_scaled(from, -at, edge), v = kin_add_scaled(s->path->d, -by, edge);
    if (!kin_path_enter_round(s->path, w, v, at >= 0 && at <= 1, &t) || t > s->best.t) return;
    double place = at + t * by;
    if (place < -1e-12 || place > 1 + 1e-12) return; /* past an end: its corner's */
    kin_vec3 u = kin_add_scaled(w, t, v);
    if (edge_owns(s->height, f, normal, k, u, s->slack)) keep_round(s, f, (kin_feature)(KIN_FEATURE_EDGE0 + k), t, u, kin_add_scaled(p, place, edge));
}

static void sweep_corner(sweep* s, const kin_facet* f, int k)
{
    kin_vec3 w = kin_sub(s->path->a, f->p[k]);
    double t;
    if (!kin_path_enter_round(s->path, w, s->path->d, true, &t) || t > s->best.t) return;
    kin_vec3 u = kin_add_scaled(w, t, s->path->d);
    if (corner_owns(s->height, f, k, u, s->slack)) keep_round(s, f, (kin_feature)(KIN_FEATURE_CORNER0 + k), t, u, f->p[k]);
}

static void sweep_triangle(sweep* s, uint32_t triangle)
{
    const kin_path* path = s->path;
    kin_facet f = {.triangle = triangle};
    kin_vec3 normal = kin_height_normal(s->height, triangle);
    kin_height_corners(s->height, triangle, f.p);
    double offset = kin_dot(normal, f.p[0]), height = kin_dot(normal, path->a) - offset, speed = kin_dot(normal, path->d);
    double end = height + speed, r = path->radius, behind = -r - path->depth;
    if ((height > r && end > r) || (height < behind && end < behind)) return;
    f.sharp = kin_height_facet(s->height, triangle).sharp;
    /* A face that looks away from the motion cannot be entered, nor an edge between two such faces; a corner can, of a saddle. */
    if (speed < 0 && sweep_face(s, &f, normal, height, speed)) return;
    if (r == 0 || f.sharp == 0) return;
    for (int k = 0; k < 3; ++k) {
        if (speed < 0 && (f.sharp >> k & 1) != 0) sweep_edge(s, &f, normal, k);
        if ((f.sharp >> (3 + k) & 1) != 0) sweep_corner(s, &f, k);
    }
}

bool kin_height_sweep(const kin_height* h, const kin_path* path, kin_touch* hit)
{
    sweep s = {h, path, path->touch + 1e-12 * h->scale, {.t = 2, .feature = UINT32_MAX}};
    kin_height_line line = kin_height_line_along(path->a, path->d, path->radius + path->depth, 1);
    kin_height_square stack[KIN_HEIGHT_STACK];
    int top = 0;
    if (!kin_aabb_is_empty(h->bounds)) stack[top++] = kin_height_root(h);
    while (top > 0) {
        kin_height_square q = stack[--top];
        line.limit = kin_min(1, s.best.t);
        if (q.entry > line.limit) continue;
        if (q.level > 0) {
            kin_height_push_line(h, &q, &line, stack, &top);
            continue;
        }
        uint32_t first = kin_height_number(h, q.i, q.j, 0);
        if (first == KIN_HEIGHT_NONE) continue;
        sweep_triangle(&s, first);
        sweep_triangle(&s, first + 1);
    }
    *hit = s.best;
    return s.best.t <= 1;
}
