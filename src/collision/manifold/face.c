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

/* The line of a mantle that faces d, from its top to the bottom rim. A cylinder's is its axis, grown. */
static void mantle_line(double r_top, double r, double h, kin_vec3 d, kin_face* f)
{
    kin_vec3 rim = kin_support_disc(1, 0, d);
    add_corner(f, kin_v(r_top * rim.x, h, r_top * rim.z), 0);
    add_corner(f, kin_v(r * rim.x, -h, r * rim.z), 1);
    if (r_top == r) f->inward = kin_scale(rim, -r);
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
    f->inward = kin_v(0, 0, 0);
    f->id = 0;
    switch (c->core) {
    case KIN_CORE_POINT: add_corner(f, kin_v(0, 0, 0), 0); break;
    case KIN_CORE_ELLIPSOID: add_corner(f, kin_support_ellipsoid(c->half, d), 0); break;
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
    f->inward = kin_mat3_apply(r, f->inward);
}

/* The number of the corner that a body on edge touches with, along `down`: an edge of a round body that leans is round across itself only, and points of it beneath
 * its surface by more than the margin are none. -1: the whole edge. */
static int low_end(const kin_face* f, double radius, kin_vec3 down, double margin)
{
    if (f->count != 2 || radius == 0) return -1;
    const kin_vec3 along = kin_sub(f->corners[1], f->corners[0]);
    const double rise = kin_dot(along, down), cosine2 = rise * rise, length2 = kin_length2(along);
    if (length2 == 0) return 0;
    return radius * (1 - kin_sqrt(kin_max(0, 1 - cosine2 / length2))) > margin ? rise > 0 : -1;
}

void kin_face_above(const kin_face* f, double radius, kin_vec3 on, kin_vec3 normal, double margin, kin_touches* touches)
{
    const int low = low_end(f, radius, kin_neg(normal), margin);
    touches->count = 0;
    for (int i = 0; i < f->count; ++i) {
        double height = kin_dot(normal, kin_sub(f->corners[i], on)), separation = height - radius;
        if (separation > margin || (low >= 0 && i != low)) continue;
        kin_vec3 middle = kin_add_scaled(f->corners[i], -0.5 * (height + radius), normal);
        touches->points[touches->count] = (kin_manifold_point){middle, separation, f->ids[i]};
        touches->triangles[touches->count++] = 0;
    }
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
    const int low = low_end(moving, radius_moving, kin_neg(out_of), margin);
    for (int i = 0; i < moving->count; ++i) {
        if (low < 0 || i == low) keep(&pages[0], moving->corners[i], moving->ids[i]);
    }
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

/* The share of a segment, seen from its start, that is nearer to a line than `reach`: an interval. Both nearly parallel. */
static void near_line(kin_vec3 from, kin_vec3 along, kin_vec3 on, kin_vec3 line, double reach, double s[2])
{
    const double uu = kin_length2(along), vv = kin_length2(line), uv = kin_dot(along, line);
    const kin_vec3 apart = kin_sub(from, on);
    const double across = uu - uv * uv / vv; /* of the segment, over its share */
    if (!(across > 1e-24 * uu)) return;
    const double middle = (uv * kin_dot(line, apart) / vv - kin_dot(along, apart)) / across;
    const kin_vec3 least = kin_add_scaled(apart, middle, along);
    const double room = reach * reach - (kin_length2(least) - kin_square(kin_dot(least, line)) / vv);
    const double wide = room > 0 ? kin_sqrt(room / across) : 0;
    s[0] = kin_max(s[0], middle - wide), s[1] = kin_min(s[1], middle + wide);
}

/* A cylinder's side ends where its axis does: a way that leans leads past it. */
static bool past_end(const kin_face* f, kin_vec3 along, kin_vec3 way, double margin)
{
    return kin_square(kin_dot(along, way)) * kin_length2(f->inward) > kin_square(margin) * kin_length2(along);
}

/* Two edges that are nearly parallel: the ends of where they are within the margin of each other. Others touch at the nearest points, which callers have. */
static void clip_edges(const kin_face* a, double radius_a, const kin_face* b, double radius_b, kin_vec3 n, double margin, kin_touches* touches)
{
    const kin_vec3 a0 = kin_add(a->corners[0], a->inward), b0 = kin_add(b->corners[0], b->inward), b1 = kin_add(b->corners[1], b->inward);
    const kin_vec3 u = kin_sub(a->corners[1], a->corners[0]), v = kin_sub(b1, b0), a1 = kin_add(a0, u);
    double uu = kin_length2(u), vv = kin_length2(v);
    radius_a += kin_length(a->inward), radius_b += kin_length(b->inward);
    if (uu == 0 || vv == 0 || kin_length2(kin_cross(u, v)) > 0.01 * uu * vv) return; /* more than about 6 degrees */
    if (low_end(a, radius_a, kin_neg(n), margin) >= 0 || low_end(b, radius_b, n, margin) >= 0) return;
    double from = kin_clamp(kin_dot(kin_sub(b0, a0), u) / uu, 0, 1), to = kin_clamp(kin_dot(kin_sub(b1, a0), u) / uu, 0, 1);
    double s[2] = {kin_min(from, to), kin_max(from, to)};
    near_line(a0, u, b0, v, radius_a + radius_b + margin, s);
    for (int i = 0; i < 2 && s[1] > s[0]; ++i) {
        kin_vec3 x = kin_line_point(a0, a1, s[i]), y = kin_line_point(b0, b1, kin_segment_closest(b0, b1, x)), off = kin_sub(x, y);
        double along = kin_dot(off, n), gap = along < 0 ? along : kin_length(off), separation = gap - radius_a - radius_b;
        if (separation > margin) continue;
        kin_vec3 way = gap > 1e-9 * (radius_a + radius_b) ? kin_scale(off, 1 / gap) : n;
        if (past_end(a, u, way, margin) || past_end(b, v, way, margin)) continue;
        add_touch(touches, kin_add_scaled(kin_lerp(x, y, 0.5), 0.5 * (radius_b - radius_a), way), separation, mix(mix(a->id, b->id), (uint32_t)i));
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

static kin_vec3 from_to(const kin_touches* t, int i, int j) { return kin_sub(t->points[j].point, t->points[i].point); }

static int farthest(const kin_touches* t, int from)
{
    int best = from;
    double most = 0;
    for (int i = 0; i < t->count; ++i) {
        const double d = kin_length2(from_to(t, from, i));
        if (d > most) most = d, best = i;
    }
    return best;
}

/* Two points that are each other's farthest: nothing of the polygon is beyond either. Each try is longer than the one before. */
static void longest(const kin_touches* t, int* a, int* b)
{
    *a = 0, *b = farthest(t, 0);
    for (int i = 0; i < t->count; ++i) {
        const int c = farthest(t, *b);
        if (!(kin_length2(from_to(t, *b, c)) > kin_length2(from_to(t, *b, *a)))) return;
        *a = *b, *b = c;
    }
}

/* Twice what four points span, up to the order they are in. */
static double span_of(const kin_touches* t, kin_vec3 n, const int* f)
{
    const double x = kin_abs(kin_triple(n, from_to(t, f[0], f[2]), from_to(t, f[1], f[3]))),
                 y = kin_abs(kin_triple(n, from_to(t, f[0], f[1]), from_to(t, f[2], f[3]))),
                 z = kin_abs(kin_triple(n, from_to(t, f[0], f[3]), from_to(t, f[1], f[2])));
    return kin_max(x, kin_max(y, z));
}

/* The deepest takes the place of the one that is missed least. */
static void put_deepest(const kin_touches* t, kin_vec3 n, int deepest, int* four, int count)
{
    double most = -1;
    int place = 0;
    for (int k = 0; count == KIN_MANIFOLD_POINTS && k < count; ++k) {
        int with[KIN_MANIFOLD_POINTS] = {four[0], four[1], four[2], four[3]};
        with[k] = deepest;
        const double span = span_of(t, n, with);
        if (span > most) most = span, place = k;
    }
    four[place] = deepest;
}

void kin_touches_reduce(const kin_touches* t, kin_vec3 normal, kin_manifold* out)
{
    int four[KIN_TOUCHES], count = 0, deepest = 0, a, b, c = -1, d = -1;
    out->normal = normal;
    for (int i = 0; i < t->count && t->count <= KIN_MANIFOLD_POINTS; ++i) four[count++] = i;
    if (t->count > KIN_MANIFOLD_POINTS) {
        longest(t, &a, &b);
        const kin_vec3 ab = from_to(t, a, b);
        double tiny = 1e-9 * kin_length2(ab), left = tiny, right = -tiny, least = __builtin_inf();
        for (int i = 0; i < t->count; ++i) { /* farthest to the left of ab, and to its right */
            const double side = kin_triple(normal, ab, from_to(t, a, i));
            if (side > left) left = side, c = i;
            if (side < right) right = side, d = i;
            if (t->points[i].separation < t->points[deepest].separation) deepest = i;
        }
        four[count++] = a;
        if (b != a) four[count++] = b;
        if (c >= 0) four[count++] = c;
        if (d >= 0) four[count++] = d;
        for (int k = 0; k < count; ++k) least = kin_min(least, t->points[four[k]].separation);
        if (least > t->points[deepest].separation + 1e-6 * kin_length(ab)) {
            if (count < KIN_MANIFOLD_POINTS)
                four[count++] = deepest;
            else
                put_deepest(t, normal, deepest, four, count);
        }
    }
    out->count = count;
    for (int k = 0; k < count; ++k) out->points[k] = t->points[four[k]];
}
