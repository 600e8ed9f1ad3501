/* polytope.c - hulls as bounding volumes. Solid ones from kin_hull; flat ones by a monotone chain in their plane (Andrew 1979); overlap by the axes of all
 * faces and all pairs of edge directions: slow, and the tightest there is (H10.8). */
#include "geometry/volumes/polytope.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "geometry/volumes/bound.h"

#define SAME_WAY 1e-12 /* sine of the angle below which two directions are one */
enum { RECENT = 64 };  /* directions that a new one is compared with: of small hulls all, of large ones a double costs less than looking for it */
enum { GUESSES = 12 };
enum { MOST_EDGES = 1024 }; /* pairs of edge directions that are all tried; of larger hulls only faces and guesses are: yes may be said of some apart */

typedef struct counts {
    size_t vertices, edges, axes, triangles;
} counts;

static kin_polytope* allocate(const kin_allocator* allocator, counts n)
{
    size_t bytes = sizeof(kin_polytope) + n.vertices * sizeof(kin_vec3) + (n.axes + n.edges) * sizeof(kin_vec3) + 2 * n.axes * sizeof(double)
                   + n.edges * sizeof(uint32_t[2]) + n.triangles * sizeof(uint32_t[3]);
    kin_polytope* p = kin_alloc(allocator, bytes);
    if (p == NULL) return NULL;
    *p = (kin_polytope){.bytes = bytes};
    p->vertices = (kin_vec3*)(p + 1);
    p->axes = p->vertices + n.vertices;
    p->directions = p->axes + n.axes;
    p->low = (double*)(p->directions + n.edges);
    p->high = p->low + n.axes;
    p->edges = (uint32_t(*)[2])(void*)(p->high + n.axes);
    p->triangles = (uint32_t(*)[3])(p->edges + n.edges);
    return p;
}

void kin_polytope_destroy(kin_polytope* polytope, const kin_allocator* allocator)
{
    if (polytope != NULL) kin_free(allocator, polytope, polytope->bytes);
}

static void add_way(kin_vec3* ways, uint32_t* count, kin_vec3 way)
{
    for (uint32_t i = *count > RECENT ? *count - RECENT : 0; i < *count; ++i) {
        if (kin_length2(kin_cross(ways[i], way)) < SAME_WAY * SAME_WAY) return;
    }
    ways[(*count)++] = way;
}

static void add_edge(kin_polytope* p, uint32_t a, uint32_t b)
{
    p->edges[p->edge_count][0] = a, p->edges[p->edge_count++][1] = b;
    kin_vec3 way = kin_normalize_or(kin_sub(p->vertices[b], p->vertices[a]), kin_v(0, 0, 0));
    if (kin_length2(way) > 0) add_way(p->directions, &p->direction_count, way);
}

static void add_triangle(kin_polytope* p, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t* t = p->triangles[p->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
    p->area += kin_triangle_area(p->vertices[a], p->vertices[b], p->vertices[c]);
}

static double coordinates(const kin_polytope* p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->vertex_count; ++i) most = kin_max(most, kin_largest(kin_abs3(p->vertices[i])));
    return most;
}

static void measure(kin_polytope* p)
{
    kin_aabb box = kin_aabb_empty();
    for (uint32_t i = 0; i < p->vertex_count; ++i) box = kin_aabb_add(box, p->vertices[i]);
    p->middle = kin_aabb_center(box);
    for (uint32_t a = 0; a < p->axis_count; ++a) {
        p->low[a] = __builtin_inf(), p->high[a] = -__builtin_inf();
        for (uint32_t i = 0; i < p->vertex_count; ++i) {
            double x = kin_dot(p->axes[a], p->vertices[i]);
            p->low[a] = kin_min(p->low[a], x), p->high[a] = kin_max(p->high[a], x);
        }
        p->low[a] -= p->margin, p->high[a] += p->margin;
    }
}

static kin_polytope* of_hull(const kin_allocator* allocator, const kin_hull* hull)
{
    counts n = {hull->vertex_count, hull->edge_count / 2, hull->face_count, hull->edge_count - 2 * (size_t)hull->face_count};
    kin_polytope* p = allocate(allocator, n);
    if (p == NULL) return NULL;
    p->vertex_count = hull->vertex_count;
    for (uint32_t i = 0; i < hull->vertex_count; ++i) p->vertices[i] = hull->vertices[i];
    for (uint32_t e = 0; e < hull->edge_count; e += 2) add_edge(p, hull->edges[e].origin, hull->edges[e + 1].origin);
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        add_way(p->axes, &p->axis_count, hull->planes[f].normal);
        uint32_t first = hull->face_edge[f], corner = hull->edges[first].origin;
        for (uint32_t e = hull->edges[first].next; hull->edges[e].next != first; e = hull->edges[e].next) {
            add_triangle(p, corner, hull->edges[e].origin, kin_hull_end(hull, e));
        }
    }
    p->volume = hull->volume;
    p->margin = hull->slack + KIN_BOUND_SLACK * coordinates(p) + KIN_BOUND_LEAST;
    measure(p);
    return p;
}

/* ---- flat ones ---- */

typedef struct spot { /* a point in the plane */
    double u, v;
    uint32_t index;
} spot;

static bool before(void* context, const void* a, const void* b)
{
    (void)context;
    const spot *p = a, *q = b;
    return p->u != q->u ? p->u < q->u : p->v != q->v ? p->v < q->v : p->index < q->index;
}

static double left_of(spot a, spot b, spot c) { return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u); }

/* Corners of the convex polygon, counter-clockwise; spots are sorted. A point or two come back as they are. */
static size_t chain(const spot* spots, size_t count, spot* corners)
{
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        while (n >= 2 && left_of(corners[n - 2], corners[n - 1], spots[i]) <= 0) n -= 1;
        corners[n++] = spots[i];
    }
    size_t lower = n + 1;
    for (size_t i = count - 1; i-- > 0;) {
        while (n >= lower && left_of(corners[n - 2], corners[n - 1], spots[i]) <= 0) n -= 1;
        corners[n++] = spots[i];
    }
    return n > 1 ? n - 1 : n; /* the last is the first again */
}

static kin_polytope* of_polygon(const kin_allocator* allocator, const kin_vec3* points, const spot* corners, size_t n, kin_mat3 axes, double thickness)
{
    kin_polytope* p = allocate(allocator, (counts){n, n, n + 3, n > 2 ? n - 2 : 0});
    if (p == NULL) return NULL;
    p->vertex_count = (uint32_t)n;
    for (size_t i = 0; i < n; ++i) p->vertices[i] = points[corners[i].index];
    for (uint32_t i = 0; i + 1 < n; ++i) add_edge(p, i, i + 1);
    if (n > 2) add_edge(p, (uint32_t)n - 1, 0);
    for (uint32_t i = 1; i + 1 < n; ++i) add_triangle(p, 0, i, i + 1);
    p->area *= 2; /* both sides */
    add_way(p->axes, &p->axis_count, axes.cz);
    for (uint32_t i = 0; n > 2 && i < p->direction_count; ++i)
        add_way(p->axes, &p->axis_count, kin_normalize_or(kin_cross(p->directions[i], axes.cz), axes.cx));
    if (n <= 2) add_way(p->axes, &p->axis_count, axes.cx), add_way(p->axes, &p->axis_count, axes.cy);
    p->margin = thickness + 4 * KIN_BOUND_SLACK * coordinates(p) + KIN_BOUND_LEAST;
    measure(p);
    return p;
}

static kin_polytope* flat(const kin_allocator* allocator, const kin_vec3* points, size_t count)
{
    spot* spots = kin_alloc(allocator, kin_bytes(count, sizeof *spots));
    spot* corners = kin_alloc(allocator, kin_bytes(2 * count, sizeof *corners)); /* also the sort's scratch */
    kin_polytope* p = NULL;
    if (spots != NULL && corners != NULL) {
        kin_mat3 axes = kin_sym3_eigen(kin_covariance_of_points(points, count)).vectors;
        double thickness = 0;
        for (size_t i = 0; i < count; ++i) {
            kin_vec3 x = kin_mat3_apply_transposed(axes, kin_sub(points[i], points[0]));
            spots[i] = (spot){x.x, x.y, (uint32_t)i};
            thickness = kin_max(thickness, kin_abs(x.z));
        }
        kin_sort(spots, corners, count, sizeof *spots, before, NULL);
        size_t n = chain(spots, count, corners);
        p = of_polygon(allocator, points, corners, n, axes, 2 * thickness); /* the plane is through corners, not through the middle */
    }
    kin_free(allocator, spots, kin_bytes(count, sizeof *spots));
    kin_free(allocator, corners, kin_bytes(2 * count, sizeof *corners));
    return p;
}

kin_result kin_polytope_create(const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_polytope** out)
{
    kin_hull* hull = NULL;
    kin_result result = count < 4 ? KIN_ERROR_ARGUMENT : kin_hull_create(allocator, points, count, 0, &hull, NULL);
    *out = NULL;
    if (result == KIN_ERROR_MEMORY) return result;
    *out = result == KIN_OK ? of_hull(allocator, hull) : flat(allocator, points, count);
    kin_hull_destroy(hull);
    return *out != NULL ? KIN_OK : KIN_ERROR_MEMORY;
}

/* ---- separating axes ---- */

typedef struct interval {
    double low, high;
} interval;

/* Along a unit direction of the world. */
static interval shadow(const kin_bound_hull* h, kin_vec3 d)
{
    kin_vec3 local = kin_unrotate(h->pose.orientation, d);
    interval s = {__builtin_inf(), -__builtin_inf()};
    for (uint32_t i = 0; i < h->shape->vertex_count; ++i) {
        double x = kin_dot(local, h->shape->vertices[i]);
        s.low = kin_min(s.low, x), s.high = kin_max(s.high, x);
    }
    double shift = kin_dot(d, h->pose.position), margin = h->shape->margin + KIN_BOUND_SLACK * kin_abs(shift);
    return (interval){s.low + shift - margin, s.high + shift + margin};
}

static bool apart_along(const kin_bound_hull* a, const kin_bound_hull* b, kin_vec3 d)
{
    interval p = shadow(a, d), q = shadow(b, d);
    return p.high < q.low || q.high < p.low;
}

static bool faces_separate(const kin_bound_hull* a, const kin_bound_hull* b)
{
    for (uint32_t i = 0; i < a->shape->axis_count; ++i) {
        if (apart_along(a, b, kin_rotate(a->pose.orientation, a->shape->axes[i]))) return true;
    }
    return false;
}

static bool edges_separate(const kin_bound_hull* a, const kin_bound_hull* b)
{
    for (uint32_t i = 0; i < a->shape->direction_count; ++i) {
        kin_vec3 u = kin_rotate(a->pose.orientation, a->shape->directions[i]);
        for (uint32_t j = 0; j < b->shape->direction_count; ++j) {
            kin_vec3 d = kin_cross(u, kin_rotate(b->pose.orientation, b->shape->directions[j]));
            double length = kin_length(d);
            if (length > SAME_WAY && apart_along(a, b, kin_scale(d, 1 / length))) return true;
        }
    }
    return false;
}

static kin_vec3 farthest(const kin_bound_hull* h, kin_vec3 d)
{
    kin_vec3 local = kin_unrotate(h->pose.orientation, d);
    const kin_polytope* p = h->shape;
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->vertex_count; ++i) best = kin_dot(local, p->vertices[i]) > kin_dot(local, p->vertices[best]) ? i : best;
    return kin_apply(h->pose, p->vertices[best]);
}

/* Chung and Wang 1996: from the line of the middles, an axis that does not separate is mirrored at the pair of corners that met first along it. Finds most
 * axes that there are at the price of a few shadows; finding none says nothing. */
static bool guesses_separate(const kin_bound_hull* a, const kin_bound_hull* b)
{
    kin_vec3 between = kin_sub(kin_apply(b->pose, b->shape->middle), kin_apply(a->pose, a->shape->middle));
    kin_vec3 d = kin_normalize_or(between, kin_axis(0));
    for (int guess = 0; guess < GUESSES; ++guess) {
        if (apart_along(a, b, d)) return true;
        kin_vec3 r = kin_normalize_or(kin_sub(farthest(b, kin_neg(d)), farthest(a, d)), d);
        d = kin_normalize_or(kin_mirror(d, r), d);
    }
    return false;
}

static bool hull_overlap(const kin_bound* a, const kin_bound* b)
{
    if (guesses_separate(&a->hull, &b->hull) || faces_separate(&a->hull, &b->hull) || faces_separate(&b->hull, &a->hull)) return false;
    uint64_t pairs = (uint64_t)a->hull.shape->direction_count * b->hull.shape->direction_count;
    return pairs > MOST_EDGES || !edges_separate(&a->hull, &b->hull);
}

/* ---- the table ---- */

static kin_result hull_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    kin_polytope* shape;
    kin_result result = kin_polytope_create(allocator, points, count, &shape);
    *out = (kin_bound){.kind = ops->kind, .hull = {shape, kin_transform_identity()}};
    return result;
}

static kin_result hull_merge(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b, kin_bound* out)
{
    size_t na = a->hull.shape->vertex_count, nb = b->hull.shape->vertex_count;
    kin_vec3* points = kin_alloc(allocator, kin_bytes(na + nb, sizeof *points));
    if (points == NULL) return KIN_ERROR_MEMORY;
    for (size_t i = 0; i < na; ++i) points[i] = kin_apply(a->hull.pose, a->hull.shape->vertices[i]);
    for (size_t i = 0; i < nb; ++i) points[na + i] = kin_apply(b->hull.pose, b->hull.shape->vertices[i]);
    kin_polytope* shape;
    kin_result result = kin_polytope_create(allocator, points, na + nb, &shape);
    kin_free(allocator, points, kin_bytes(na + nb, sizeof *points));
    *out = (kin_bound){.kind = ops->kind, .hull = {shape, kin_transform_identity()}};
    if (result != KIN_OK) return result;
    double margin = kin_max(a->hull.shape->margin, b->hull.shape->margin);
    shape->margin += margin;
    for (uint32_t i = 0; i < shape->axis_count; ++i) shape->low[i] -= margin, shape->high[i] += margin;
    return KIN_OK;
}

static kin_bound hull_move(const kin_bound* bound, kin_transform pose)
{
    return (kin_bound){.kind = bound->kind, .hull = {bound->hull.shape, kin_transform_mul(pose, bound->hull.pose)}};
}

static bool hull_contains(const kin_bound* bound, kin_vec3 x)
{
    kin_vec3 local = kin_unapply(bound->hull.pose, x);
    double slack = KIN_BOUND_SLACK * (kin_largest(kin_abs3(x)) + kin_largest(kin_abs3(bound->hull.pose.position)));
    const kin_polytope* p = bound->hull.shape;
    for (uint32_t i = 0; i < p->axis_count; ++i) {
        double at = kin_dot(p->axes[i], local);
        if (at < p->low[i] - slack || at > p->high[i] + slack) return false;
    }
    return true;
}

static double hull_extent(const kin_bound* bound, kin_vec3 d)
{
    double length = kin_length(d);
    return length > 0 ? length * shadow(&bound->hull, kin_scale(d, 1 / length)).high : 0;
}
static double hull_volume(const kin_bound* bound) { return bound->hull.shape->volume; }
static double hull_area(const kin_bound* bound) { return bound->hull.shape->area; }

static bool hull_wire(const kin_bound* bound, kin_wire* wire)
{
    const kin_polytope* p = bound->hull.shape;
    uint32_t first = (uint32_t)wire->point_count;
    for (uint32_t i = 0; i < p->vertex_count; ++i) {
        if (kin_wire_point(wire, kin_apply(bound->hull.pose, p->vertices[i])) == UINT32_MAX) return false;
    }
    for (uint32_t e = 0; e < p->edge_count; ++e) {
        if (!kin_wire_edge(wire, first + p->edges[e][0], first + p->edges[e][1])) return false;
    }
    return true;
}

const kin_bound_ops kin_bound_hull_ops = {
    .name = "hull",
    .doc = "convex hull",
    .kind = KIN_BOUND_HULL,
    .form = KIN_FORM_HULL,
    .split = KIN_SPLIT_MEAN,
    .fit = hull_fit,
    .merge = hull_merge,
    .move = hull_move,
    .overlap = hull_overlap,
    .contains = hull_contains,
    .extent = hull_extent,
    .volume = hull_volume,
    .area = hull_area,
    .wire = hull_wire,
};
