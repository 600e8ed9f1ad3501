/* obb.c - oriented boxes: axes by principal components of the vertices or of the hull's surface, overlap by separating axes (C2.2.2, C2.5.3, H10.7;
 * Gottschalk et al. 1996). An isotropic covariance (a cube, a ball) has no axes of its own: any come out. */
#include "base/alloc.h"
#include "geometry/volumes/bound.h"
#include "geometry/volumes/polytope.h"

#define PARALLEL 1e-12 /* added to |R|: a cross of edges this near to parallel separates nothing that the faces do not */

static kin_vec3 mean_of(const kin_vec3* points, size_t count)
{
    kin_vec3 sum = {0, 0, 0}; /* about the first: far from the origin nothing is lost */
    for (size_t i = 0; i < count; ++i) sum = kin_add(sum, kin_sub(points[i], points[0]));
    return kin_add_scaled(points[0], 1 / (double)count, sum);
}

kin_sym3 kin_covariance_of_points(const kin_vec3* points, size_t count)
{
    kin_vec3 mean = mean_of(points, count);
    kin_sym3 sum = {0};
    for (size_t i = 0; i < count; ++i) sum = kin_sym3_add(sum, kin_sym3_square(kin_sub(points[i], mean)));
    return kin_sym3_scale(sum, 1 / (double)count);
}

bool kin_covariance_of_surface(const kin_vec3* points, const uint32_t (*triangles)[3], size_t count, kin_sym3* out)
{
    double area = 0;
    kin_vec3 mean = {0, 0, 0}, origin = count > 0 ? points[triangles[0][0]] : mean;
    kin_sym3 sum = {0};
    for (size_t t = 0; t < count; ++t) {
        kin_vec3 a = kin_sub(points[triangles[t][0]], origin), b = kin_sub(points[triangles[t][1]], origin), c = kin_sub(points[triangles[t][2]], origin);
        double weight = kin_triangle_area(a, b, c);
        kin_vec3 middle = kin_scale(kin_add(a, kin_add(b, c)), 1.0 / 3);
        kin_sym3 corners = kin_sym3_add(kin_sym3_square(a), kin_sym3_add(kin_sym3_square(b), kin_sym3_square(c)));
        sum = kin_sym3_add(sum, kin_sym3_scale(kin_sym3_add(kin_sym3_scale(kin_sym3_square(middle), 9), corners), weight / 12));
        mean = kin_add_scaled(mean, weight, middle);
        area += weight;
    }
    if (!(area > 0) || !kin_finite(1 / area)) return false;
    mean = kin_scale(mean, 1 / area);
    *out = kin_sym3_add(kin_sym3_scale(sum, 1 / area), kin_sym3_scale(kin_sym3_square(mean), -1));
    return true;
}

kin_obb kin_obb_along(kin_mat3 axes, const kin_vec3* points, size_t count)
{
    kin_aabb local = kin_aabb_empty();
    for (size_t i = 0; i < count; ++i) local = kin_aabb_add(local, kin_mat3_apply_transposed(axes, kin_sub(points[i], points[0])));
    kin_vec3 center = kin_add(points[0], kin_mat3_apply(axes, kin_aabb_center(local)));
    return (kin_obb){center, axes, kin_scale(kin_aabb_size(local), 0.5)};
}

kin_obb kin_obb_of_box(kin_aabb box) { return (kin_obb){kin_aabb_center(box), kin_mat3_identity(), kin_scale(kin_aabb_size(box), 0.5)}; }

void kin_obb_corners(kin_obb b, kin_vec3 corners[8])
{
    for (int i = 0; i < 8; ++i) {
        kin_vec3 local = {i & 1 ? b.half.x : -b.half.x, i & 2 ? b.half.y : -b.half.y, i & 4 ? b.half.z : -b.half.z};
        corners[i] = kin_add(b.center, kin_mat3_apply(b.axes, local));
    }
}

/* ---- separating axes ---- */

typedef struct relative { /* b seen from a */
    double t[3];          /* R_A^T (T_B - T_A) */
    double r[3][3];       /* R_A^T R_B: row i axis i of a, column j axis j of b */
    double size[3][3];    /* |r|, and a little for parallel edges */
    double a[3], b[3];    /* half sides */
} relative;

static relative seen_from(const kin_obb* a, const kin_obb* b)
{
    relative s = {.a = {a->half.x, a->half.y, a->half.z}, .b = {b->half.x, b->half.y, b->half.z}};
    kin_vec3 t = kin_mat3_apply_transposed(a->axes, kin_sub(b->center, a->center));
    for (int i = 0; i < 3; ++i) {
        s.t[i] = kin_component(t, i);
        for (int j = 0; j < 3; ++j) {
            s.r[i][j] = kin_dot(kin_mat3_column(a->axes, i), kin_mat3_column(b->axes, j));
            s.size[i][j] = kin_abs(s.r[i][j]) + PARALLEL;
        }
    }
    return s;
}

static bool faces_separate(const relative* s)
{
    for (int i = 0; i < 3; ++i) {
        double b = s->b[0] * s->size[i][0] + s->b[1] * s->size[i][1] + s->b[2] * s->size[i][2];
        if (kin_abs(s->t[i]) > s->a[i] + b) return true;
    }
    for (int j = 0; j < 3; ++j) {
        double a = s->a[0] * s->size[0][j] + s->a[1] * s->size[1][j] + s->a[2] * s->size[2][j];
        double t = s->t[0] * s->r[0][j] + s->t[1] * s->r[1][j] + s->t[2] * s->r[2][j];
        if (kin_abs(t) > s->b[j] + a) return true;
    }
    return false;
}

/* Axis i of a cross axis j of b, for all nine, i = j too: the text leaves those three out, and errs. */
static bool edges_separate(const relative* s)
{
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double a = s->a[i1] * s->size[i2][j] + s->a[i2] * s->size[i1][j];
            double b = s->b[j1] * s->size[i][j2] + s->b[j2] * s->size[i][j1];
            if (kin_abs(s->t[i2] * s->r[i1][j] - s->t[i1] * s->r[i2][j]) > a + b) return true;
        }
    }
    return false;
}

bool kin_obb_overlaps(const kin_obb* a, const kin_obb* b)
{
    relative s = seen_from(a, b);
    return !faces_separate(&s) && !edges_separate(&s);
}

bool kin_obb_overlaps_6(const kin_obb* a, const kin_obb* b)
{
    relative s = seen_from(a, b);
    return !faces_separate(&s);
}

/* ---- the tables ---- */

static kin_bound rounded(const kin_bound_ops* ops, kin_obb b)
{
    double slack = KIN_BOUND_SLACK * (kin_largest(kin_abs3(b.center)) + 2 * kin_largest(b.half));
    b.half = kin_add(b.half, kin_v(slack, slack, slack));
    return (kin_bound){.kind = ops->kind, .obb = b};
}

static kin_result vertices_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    (void)allocator;
    *out = rounded(ops, kin_obb_along(kin_sym3_eigen(kin_covariance_of_points(points, count)).vectors, points, count));
    return KIN_OK;
}

/* Points inside the hull, and many at one place, do not count (C2.2.2 b). */
static kin_result hull_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    kin_polytope* hull;
    kin_result result = kin_polytope_create(allocator, points, count, &hull);
    if (result != KIN_OK) return result;
    kin_sym3 spread;
    if (!kin_covariance_of_surface(hull->vertices, (const uint32_t(*)[3])hull->triangles, hull->triangle_count, &spread)) {
        spread = kin_covariance_of_points(points, count);
    }
    *out = rounded(ops, kin_obb_along(kin_sym3_eigen(spread).vectors, points, count));
    kin_polytope_destroy(hull, allocator);
    return KIN_OK;
}

static double half_area(kin_vec3 h) { return h.x * h.y + h.y * h.z + h.z * h.x; }

/* Round the corners of both, along the axes of the one, of the other, or of all corners: whichever has the least surface. */
static kin_result obb_merge(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b, kin_bound* out)
{
    (void)allocator;
    kin_vec3 corners[16];
    kin_obb_corners(a->obb, corners);
    kin_obb_corners(b->obb, corners + 8);
    const kin_mat3 frames[3] = {kin_sym3_eigen(kin_covariance_of_points(corners, 16)).vectors, a->obb.axes, b->obb.axes};
    kin_obb best = kin_obb_along(frames[0], corners, 16);
    for (int i = 1; i < 3; ++i) {
        kin_obb other = kin_obb_along(frames[i], corners, 16);
        if (half_area(other.half) < half_area(best.half)) best = other;
    }
    *out = rounded(ops, best);
    return KIN_OK;
}

static kin_bound obb_move(const kin_bound* bound, kin_transform pose)
{
    kin_mat3 r = kin_quat_to_matrix(pose.orientation);
    kin_obb b = bound->obb;
    return rounded(kin_bound_ops_of[bound->kind], (kin_obb){kin_apply(pose, b.center), kin_mat3_mul(r, b.axes), b.half});
}

static bool obb_overlap(const kin_bound* a, const kin_bound* b) { return kin_obb_overlaps(&a->obb, &b->obb); }

static bool obb_contains(const kin_bound* bound, kin_vec3 x)
{
    kin_vec3 local = kin_abs3(kin_mat3_apply_transposed(bound->obb.axes, kin_sub(x, bound->obb.center)));
    return local.x <= bound->obb.half.x && local.y <= bound->obb.half.y && local.z <= bound->obb.half.z;
}

static double obb_extent(const kin_bound* bound, kin_vec3 d)
{
    return kin_dot(d, bound->obb.center) + kin_dot(bound->obb.half, kin_abs3(kin_mat3_apply_transposed(bound->obb.axes, d)));
}
static double obb_volume(const kin_bound* bound) { return 8 * bound->obb.half.x * bound->obb.half.y * bound->obb.half.z; }
static double obb_area(const kin_bound* bound)
{
    kin_vec3 h = bound->obb.half;
    return 8 * (h.x * h.y + h.y * h.z + h.z * h.x);
}
static bool obb_wire(const kin_bound* bound, kin_wire* wire) { return kin_wire_obb(wire, &bound->obb); }

#define OBB_CALLS                                                                                                                                              \
    .form = KIN_FORM_OBB, .split = KIN_SPLIT_AXES, .merge = obb_merge, .move = obb_move, .overlap = obb_overlap, .contains = obb_contains,                     \
    .extent = obb_extent, .volume = obb_volume, .area = obb_area, .wire = obb_wire

const kin_bound_ops kin_bound_obb_ops = {.name = "obb", .doc = "oriented box, axes of the vertices", .kind = KIN_BOUND_OBB, .fit = vertices_fit, OBB_CALLS};
const kin_bound_ops kin_bound_obb_hull_ops = {
    .name = "obb-hull", .doc = "oriented box, axes of the hull's surface", .kind = KIN_BOUND_OBB_HULL, .fit = hull_fit, OBB_CALLS};
