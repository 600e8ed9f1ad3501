/* face.c - faces of convex cores, and what is left of one within the outline of another (Sutherland and Hodgman). */
#include "collision/manifold/face.h"

#define RIM 8 /* corners by which a round cap is held: the first lies where it is deepest */

static void add_corner(kin_face* f, kin_vec3 x, uint32_t id)
{
    if (f->count == KIN_FACE_CORNERS) return;
    f->corners[f->count] = x;
    f->ids[f->count++] = id;
}

/* ---- faces ---- */

static void box_face(kin_vec3 half, kin_vec3 d, kin_face* f)
{
    kin_vec3 size = kin_abs3(d);
    int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
    bool up = kin_component(d, axis) > 0;
    kin_vec3 n = kin_scale(kin_axis(axis), up ? 1 : -1), u = kin_axis((axis + 1) % 3), v = kin_cross(n, u);
    f->normal = n;
    f->id = (uint32_t)(2 * axis + up);
    static const double along[4] = {-1, 1, 1, -1}, across[4] = {-1, -1, 1, 1};
    for (int k = 0; k < 4; ++k) {
        kin_vec3 corner = kin_add_scaled(kin_add_scaled(n, along[k], u), across[k], v);
        add_corner(f, kin_mul(corner, half), (uint32_t)(corner.x > 0) | (uint32_t)(corner.y > 0) << 1 | (uint32_t)(corner.z > 0) << 2);
    }
}

static void hull_face(const kin_hull* hull, kin_vec3 d, kin_face* f)
{
    uint32_t best = 0;
    double most = -2;
    for (uint32_t i = 0; i < hull->face_count; ++i) {
        double dot = kin_dot(hull->planes[i].normal, d);
        if (dot > most) most = dot, best = i;
    }
    f->normal = hull->planes[best].normal;
    f->id = best;
    uint32_t corners = 0, first = hull->face_edge[best], e = first;
    do corners += 1, e = hull->edges[e].next;
    while (e != first);
    uint32_t stride = (corners + KIN_FACE_CORNERS - 1) / KIN_FACE_CORNERS;
    for (uint32_t k = 0; k < corners; ++k, e = hull->edges[e].next) {
        if (k % stride == 0) add_corner(f, hull->vertices[hull->edges[e].origin], hull->edges[e].origin);
    }
}

static void triangle_face(const kin_vec3 p[3], kin_vec3 d, kin_face* f)
{
    kin_vec3 n = kin_triangle_normal(p[0], p[1], p[2]);
    bool back = kin_dot(n, d) < 0;
    f->normal = back ? kin_neg(n) : n;
    f->id = back;
    for (int k = 0; k < 3; ++k) add_corner(f, p[back ? 2 - k : k], (uint32_t)(back ? 2 - k : k));
}

/* The rim points of a disc, counter-clockwise seen from along its normal (up or down), the first towards d. */
static void cap_face(double r, double y, kin_vec3 d, kin_face* f)
{
    double flat = kin_sqrt(d.x * d.x + d.z * d.z);
    double c = flat > 1e-12 ? d.x / flat : 1, s = flat > 1e-12 ? d.z / flat : 0, turn = y > 0 ? -1 : 1;
    static const double q = 0.70710678118654752440;
    static const double cosines[RIM] = {1, q, 0, -q, -1, -q, 0, q}, sines[RIM] = {0, q, 1, q, 0, -q, -1, -q};
    f->normal = kin_v(0, y > 0 ? 1 : -1, 0);
    f->id = y > 0;
    for (uint32_t k = 0; k < RIM; ++k) {
        double x = c * cosines[k] - turn * s * sines[k], z = s * cosines[k] + turn * c * sines[k];
        add_corner(f, kin_v(r * x, y, r * z), k);
    }
}

/* The line of a mantle that faces d, from its top to the bottom rim. */
static void mantle_line(double r_top, double r, double h, kin_vec3 d, kin_face* f)
{
    kin_vec3 rim = kin_support_disc(1, 0, d);
    add_corner(f, kin_v(r_top * rim.x, h, r_top * rim.z), 0);
    add_corner(f, kin_v(r * rim.x, -h, r * rim.z), 1);
    f->id = 2;
}

static void cylinder_face(kin_vec3 half, kin_vec3 d, kin_face* f)
{
    if (d.y * d.y >= d.x * d.x + d.z * d.z)
        cap_face(half.x, d.y > 0 ? half.y : -half.y, d, f);
    else
        mantle_line(half.x, half.x, half.y, d, f);
}

static void cone_face(kin_vec3 half, kin_vec3 d, kin_face* f)
{
    double flat = kin_sqrt(d.x * d.x + d.z * d.z), slope = half.x / (2 * half.y);
    double side = (flat + slope * d.y) / kin_sqrt(1 + slope * slope); /* cosine with the mantle's normal */
    if (-d.y >= side)
        cap_face(half.x, -half.y, d, f);
    else
        mantle_line(0, half.x, half.y, d, f);
}

void kin_face_towards(const kin_convex* c, kin_vec3 d, kin_face* f)
{
    f->count = 0;
    f->normal = d;
    f->id = 0;
    switch (c->core) {
    case KIN_CORE_POINT: add_corner(f, kin_v(0, 0, 0), 0); break;
    case KIN_CORE_SEGMENT:
        add_corner(f, kin_v(0, -c->half.y, 0), 0);
        add_corner(f, kin_v(0, c->half.y, 0), 1);
        break;
    case KIN_CORE_BOX: box_face(c->half, d, f); break;
    case KIN_CORE_CYLINDER: cylinder_face(c->half, d, f); break;
    case KIN_CORE_CONE: cone_face(c->half, d, f); break;
    case KIN_CORE_HULL: hull_face(c->hull, d, f); break;
    case KIN_CORE_TRIANGLE: triangle_face(c->p, d, f); break;
    }
}

void kin_face_transform(kin_face* f, kin_transform pose)
{
    kin_mat3 r = kin_quat_to_matrix(pose.orientation);
    for (int i = 0; i < f->count; ++i) f->corners[i] = kin_add(kin_mat3_apply(r, f->corners[i]), pose.position);
    f->normal = kin_mat3_apply(r, f->normal);
}

/* ---- clipping ---- */

typedef struct outline {
    kin_vec3 x[2 * KIN_FACE_CORNERS];
    uint32_t id[2 * KIN_FACE_CORNERS];
    int count;
} outline;

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x85ebca6bu) * 0xc2b2ae35u;
    return h ^ h >> 15;
}

static void keep(outline* o, kin_vec3 x, uint32_t id)
{
    if (o->count == 2 * KIN_FACE_CORNERS) return;
    o->x[o->count] = x;
    o->id[o->count++] = id;
}

/* What of the outline lies where n.x <= offset. An edge that is cut takes its identity from itself and the side that cut it. */
static void clip(const outline* in, kin_vec3 n, double offset, uint32_t side, outline* out)
{
    out->count = 0;
    int last = in->count == 2 ? 1 : in->count; /* an edge has one side, not two */
    double slack = 1e-12 * (kin_abs(offset) + kin_largest(kin_abs3(in->x[0])));
    for (int i = 0; i < in->count; ++i) {
        int j = (i + 1) % in->count;
        double di = kin_dot(n, in->x[i]) - offset, dj = kin_dot(n, in->x[j]) - offset;
        if (di <= slack) keep(out, in->x[i], in->id[i]);
        if (i >= last || in->count == 1) continue;
        if ((di < -slack && dj > slack) || (di > slack && dj < -slack))
            keep(out, kin_lerp(in->x[i], in->x[j], di / (di - dj)), mix(mix(in->id[i], in->id[j]), 0x40000000u | side));
    }
}

static void add_touch(kin_touches* t, kin_vec3 point, double separation, uint32_t id)
{
    if (t->count == KIN_TOUCHES) return;
    t->triangles[t->count] = 0;
    t->points[t->count++] = (kin_manifold_point){point, separation, id};
}

/* The corners of `moving` inside the sides of `fixed` (a polygon), and how far they are from its plane, along the normal that points out of `fixed`. */
static void clip_by_face(const kin_face* fixed, double radius_fixed, const kin_face* moving, double radius_moving, kin_vec3 out_of, double margin, uint32_t tag,
                         kin_touches* touches)
{
    outline pages[2]; /* not cleared: kilobytes, of which a few lines are used */
    int page = 0;
    pages[0].count = 0;
    double slope = kin_dot(fixed->normal, out_of);
    if (slope < 1e-3) return; /* seen edge on: nothing to measure against */
    for (int i = 0; i < moving->count; ++i) keep(&pages[0], moving->corners[i], moving->ids[i]);
    for (int i = 0; i < fixed->count && pages[page].count > 0; ++i) {
        kin_vec3 a = fixed->corners[i], b = fixed->corners[(i + 1) % fixed->count];
        kin_vec3 side = kin_cross(kin_sub(b, a), out_of); /* seen along the normal, so that what is measured along it lies on the face */
        clip(&pages[page], side, kin_dot(side, a), fixed->ids[i], &pages[1 - page]);
        page = 1 - page;
    }
    double offset = kin_dot(fixed->normal, fixed->corners[0]);
    for (int i = 0; i < pages[page].count; ++i) {
        kin_vec3 x = pages[page].x[i];
        double gap = (kin_dot(fixed->normal, x) - offset) / slope, separation = gap - radius_fixed - radius_moving;
        if (separation > margin) continue;
        double middle = -0.5 * (gap + radius_moving - radius_fixed); /* from x along the normal: halfway between the surfaces */
        add_touch(touches, kin_add_scaled(x, middle, out_of), separation, mix(mix(tag, fixed->id), pages[page].id[i]));
    }
}

/* Two edges: where they cross, or, nearly parallel, the ends of their overlap. */
static void clip_edges(const kin_face* a, double radius_a, const kin_face* b, double radius_b, kin_vec3 n, double margin, kin_touches* touches)
{
    kin_vec3 u = kin_sub(a->corners[1], a->corners[0]), v = kin_sub(b->corners[1], b->corners[0]);
    double uu = kin_length2(u), vv = kin_length2(v), apart = kin_length2(kin_cross(u, v));
    double s[2] = {0, 0};
    int count = 1;
    if (apart <= 0.01 * uu * vv && uu > 0) { /* within about 6 degrees */
        double b0 = kin_clamp(kin_dot(kin_sub(b->corners[0], a->corners[0]), u) / uu, 0, 1),
               b1 = kin_clamp(kin_dot(kin_sub(b->corners[1], a->corners[0]), u) / uu, 0, 1);
        s[0] = kin_min(b0, b1);
        s[1] = kin_max(b0, b1);
        count = s[1] > s[0] ? 2 : 1;
    } else {
        s[0] = kin_segments_closest(a->corners[0], a->corners[1], b->corners[0], b->corners[1]).s;
    }
    for (int i = 0; i < count; ++i) {
        kin_vec3 x = kin_lerp(a->corners[0], a->corners[1], s[i]);
        kin_vec3 y = kin_lerp(b->corners[0], b->corners[1], kin_segment_closest(b->corners[0], b->corners[1], x));
        double gap = kin_dot(kin_sub(x, y), n), separation = gap - radius_a - radius_b;
        if (separation > margin) continue;
        add_touch(touches, kin_add_scaled(kin_lerp(x, y, 0.5), 0.5 * (radius_b - radius_a), n), separation, mix(mix(a->id, b->id), (uint32_t)i));
    }
}

void kin_face_clip(const kin_face* a, double radius_a, const kin_face* b, double radius_b, kin_vec3 normal, double margin, kin_touches* out)
{
    bool by_a = a->count >= 3, by_b = b->count >= 3;
    if (by_a && by_b) by_b = kin_dot(b->normal, normal) > -kin_dot(a->normal, normal) + 1e-6; /* the squarer one is the reference; A's if they are alike */
    if (by_b)
        clip_by_face(b, radius_b, a, radius_a, normal, margin, 1, out);
    else if (by_a)
        clip_by_face(a, radius_a, b, radius_b, kin_neg(normal), margin, 0, out);
    else if (a->count == 2 && b->count == 2)
        clip_edges(a, radius_a, b, radius_b, normal, margin, out);
}

/* ---- the best four ---- */

/* The index of the largest value; the first of equals. -1: none is above `floor`. */
static int best_of(const kin_touches* t, const double* values, double floor)
{
    int best = -1;
    for (int i = 0; i < t->count; ++i) {
        if (values[i] > floor) floor = values[i], best = i;
    }
    return best;
}

static void take(const kin_touches* t, int i, kin_manifold* out)
{
    if (i >= 0 && out->count < KIN_MANIFOLD_POINTS) out->points[out->count++] = t->points[i];
}

void kin_touches_reduce(const kin_touches* t, kin_vec3 normal, kin_manifold* out)
{
    out->normal = normal;
    out->count = 0;
    if (t->count <= KIN_MANIFOLD_POINTS) {
        for (int i = 0; i < t->count; ++i) take(t, i, out);
        return;
    }
    double value[KIN_TOUCHES];
    for (int i = 0; i < t->count; ++i) value[i] = -t->points[i].separation;
    int a = best_of(t, value, -1e308);
    kin_vec3 pa = t->points[a].point;
    for (int i = 0; i < t->count; ++i) value[i] = kin_length2(kin_sub(t->points[i].point, pa));
    int b = best_of(t, value, 0);
    take(t, a, out);
    take(t, b, out);
    if (b < 0) return;
    kin_vec3 ab = kin_sub(t->points[b].point, pa);
    double tiny = 1e-9 * kin_length2(ab);
    for (int i = 0; i < t->count; ++i) value[i] = kin_triple(normal, ab, kin_sub(t->points[i].point, pa));
    take(t, best_of(t, value, tiny), out); /* farthest to the left of ab, and to its right */
    for (int i = 0; i < t->count; ++i) value[i] = -value[i];
    take(t, best_of(t, value, tiny), out);
}
