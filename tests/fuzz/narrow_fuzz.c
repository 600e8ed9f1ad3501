/* narrow_fuzz.c - two convex bodies from bytes, through all of the narrow phase: finite answers that agree with each other.
 *
 * Coordinates are small whole numbers times a power of ten from 1e-9 to 1e9, so that duplicates, needles and coplanar points are common; some are denormal. */
#include "collision/narrow/distance.h"
#include "collision/narrow/epa.h"
#include "collision/narrow/sat.h"
#include "collision/narrow/vclip.h"
#include "fuzz/fuzz.h"

typedef struct body {
    kin_convex convex;
    kin_hull* hull;
    double reach; /* m */
} body;

static double power_of_ten(fuzz_bytes* b)
{
    double scale = 1e-9;
    for (int n = fuzz_byte(b) % 19; n > 0; --n) scale *= 10;
    return scale;
}

static double number(fuzz_bytes* b, double scale)
{
    uint8_t x = fuzz_byte(b);
    if (x == 128) return 4.9e-324 * fuzz_byte(b);
    if (x == 129) return scale * (1 + 1e-15 * fuzz_byte(b)); /* beside each other by a few ulp */
    return scale * ((int8_t)x / 16);
}
static kin_vec3 point(fuzz_bytes* b, double scale) /* bytes in one order, whatever the compiler's */
{
    double x = number(b, scale), y = number(b, scale), z = number(b, scale);
    return kin_v(x, y, z);
}
static double positive(fuzz_bytes* b, double scale) { return scale * (1 + fuzz_byte(b)) / 64; }

static bool make_hull(fuzz_bytes* b, double scale, body* out)
{
    kin_allocator allocator = kin_allocator_default();
    kin_vec3 p[24], stretch = {1, 1, 1};
    size_t count = 4 + fuzz_byte(b) % 20;
    uint8_t shape = fuzz_byte(b) % 4;
    if (shape == 1) stretch.y = 1e-6;             /* flat */
    if (shape == 2) stretch.x = stretch.z = 1e-5; /* a needle */
    for (size_t i = 0; i < count; ++i) p[i] = kin_mul(stretch, point(b, scale));
    if (kin_hull_create(&allocator, p, count, 0, &out->hull, NULL) != KIN_OK) return false;
    out->convex = (kin_convex){.core = KIN_CORE_HULL, .hull = out->hull};
    out->reach = out->hull->reach;
    return true;
}

static bool make_body(fuzz_bytes* b, body* out)
{
    uint8_t kind = fuzz_byte(b);
    double scale = power_of_ten(b);
    *out = (body){.convex = {.core = (kin_core)(kind % 7)}};
    double x = positive(b, scale), y = positive(b, scale), z = positive(b, scale);
    out->convex.half = kin_v(x, y, z);
    if (out->convex.core == KIN_CORE_HULL || kind >= 128) return make_hull(b, scale, out);
    for (int i = 0; i < 3; ++i) out->convex.p[i] = point(b, scale);
    if (kind & 64) out->convex.radius = positive(b, scale);
    out->reach = kin_length(out->convex.half) + kin_length(out->convex.p[0]) + kin_length(out->convex.p[1]) + kin_length(out->convex.p[2]) + out->convex.radius;
    return true;
}

static kin_transform make_pose(fuzz_bytes* b)
{
    double x = number(b, 1), y = number(b, 1), z = number(b, 1), w = number(b, 1);
    kin_quat q = {x, y, z, w};
    double scale = power_of_ten(b);
    return (kin_transform){point(b, scale), kin_quat_normalize(q)};
}

static bool is_unit(kin_vec3 n) { return kin_abs(kin_length(n) - 1) < 1e-9; }

static double check_gjk(const body* a, const body* b, kin_transform pose, double tolerance, kin_subdistance method)
{
    kin_gjk_settings set = kin_gjk_defaults();
    kin_gjk_result r;
    set.subdistance = method;
    kin_gjk_distance(&a->convex, &b->convex, pose, &set, NULL, &r);
    FUZZ_CHECK(kin_finite(r.distance) && kin_finite3(r.on_a) && kin_finite3(r.on_b));
    FUZZ_CHECK(r.iterations <= set.most_iterations);
    FUZZ_CHECK(r.is_overlapping || is_unit(r.normal));
    FUZZ_CHECK(r.lower <= r.distance + tolerance);
    FUZZ_CHECK(r.is_overlapping || kin_abs(kin_dot(kin_sub(r.on_a, r.on_b), r.normal) - r.distance) <= tolerance);
    FUZZ_CHECK(kin_core_part(&a->convex, r.simplex.a, r.simplex.count > 0 ? r.simplex.count : 1).kind <= KIN_PART_CURVED);
    return r.distance;
}

/* How far A reaches into B along n, from A to B, radii included: by support points, so true of any direction. The depth is the least of it. */
static double overlap_along(const kin_convex* a, const kin_convex* b, kin_transform pose, kin_vec3 n)
{
    uint32_t va = 0, vb = 0;
    kin_vec3 from = kin_convex_support(a, n, &va), to = kin_apply(pose, kin_convex_support(b, kin_neg(kin_unrotate(pose.orientation, n)), &vb));
    return kin_dot(n, kin_sub(from, to)) + a->radius + b->radius;
}

/* The depth found is there, along the normal found; no other direction is shorter, of 26 and those of the bodies' axes. */
static void check_least(const kin_convex* a, const kin_convex* b, kin_transform pose, const kin_epa_result* e, double tolerance)
{
    FUZZ_CHECK(kin_abs(overlap_along(a, b, pose, kin_neg(e->normal)) - e->depth) <= tolerance);
    for (int i = 0; i < 27; ++i) {
        kin_vec3 d = kin_v(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1), n = kin_normalize_or(d, e->normal);
        FUZZ_CHECK(overlap_along(a, b, pose, n) >= e->lower - tolerance);
        FUZZ_CHECK(overlap_along(a, b, pose, kin_rotate(pose.orientation, n)) >= e->lower - tolerance);
    }
}

static void check_depth(const body* a, const body* b, kin_transform pose, double distance, double tolerance)
{
    kin_epa_result e;
    kin_gap gap;
    if (kin_epa_depth(&a->convex, &b->convex, pose, NULL, NULL, &e)) {
        FUZZ_CHECK(kin_finite(e.depth) && e.depth >= 0 && e.lower <= e.depth && is_unit(e.normal));
        FUZZ_CHECK(kin_finite3(e.on_a) && kin_finite3(e.on_b));
        check_least(&a->convex, &b->convex, pose, &e, tolerance);
    }
    kin_convex_distance(&a->convex, &b->convex, pose, NULL, &gap);
    FUZZ_CHECK(kin_finite(gap.distance) && is_unit(gap.normal) && kin_finite3(gap.on_a) && kin_finite3(gap.on_b));
    FUZZ_CHECK(!(distance > 0) || kin_abs(gap.distance - distance) <= tolerance);
}

static void check_cast(const body* a, const body* b, kin_transform pose, kin_vec3 motion)
{
    kin_cast hit;
    kin_gjk_cast(&a->convex, &b->convex, pose, motion, 1e-9, NULL, &hit);
    FUZZ_CHECK(hit.fraction >= 0 && kin_finite(hit.fraction) && kin_finite3(hit.point) && kin_finite3(hit.normal));
}

/* Polyhedra by all four ways. Planes hold to the hulls' slack. */
static void check_hulls(const kin_hull* a, const kin_hull* b, kin_transform pose, double distance, double tolerance)
{
    kin_sat_result s;
    kin_vclip_result v;
    kin_sat_hulls(a, b, pose, 0, 1e300, NULL, &s);
    FUZZ_CHECK(kin_finite(s.separation) && is_unit(s.axis));
    FUZZ_CHECK(s.separation <= kin_max(distance, 0) + tolerance);
    FUZZ_CHECK(!(distance > tolerance) || s.separation > -tolerance);
    const kin_convex core_a = {.core = KIN_CORE_HULL, .hull = a}, core_b = {.core = KIN_CORE_HULL, .hull = b};
    kin_epa_result e;
    if (kin_epa_depth(&core_a, &core_b, pose, NULL, NULL, &e)) FUZZ_CHECK(kin_abs(e.depth + s.separation) <= tolerance);
    kin_vclip(a, b, pose, NULL, NULL, NULL, &v);
    FUZZ_CHECK(kin_finite(v.distance) && v.distance >= 0 && kin_finite3(v.on_a) && kin_finite3(v.on_b));
    FUZZ_CHECK(kin_abs(v.distance - kin_max(distance, 0)) <= tolerance);
}

/* Flat bodies and needles are known to the root of rounding. */
static void check(const body* a, const body* b, kin_transform pose, kin_vec3 motion)
{
    double tolerance = 2e-7 * (a->reach + b->reach + kin_length(pose.position)) + 1e-300;
    double distance = check_gjk(a, b, pose, tolerance, KIN_SUBDISTANCE_VOLUMES);
    FUZZ_CHECK(kin_abs(check_gjk(a, b, pose, tolerance, KIN_SUBDISTANCE_JOHNSON) - distance) <= tolerance);
    check_depth(a, b, pose, distance, tolerance);
    check_cast(a, b, pose, motion);
    if (a->hull != NULL && b->hull != NULL) check_hulls(a->hull, b->hull, pose, distance, tolerance + 4 * (a->hull->slack + b->hull->slack));
    if (a->convex.core == KIN_CORE_BOX && b->convex.core == KIN_CORE_BOX) {
        kin_sat_result s;
        kin_sat_boxes(a->convex.half, b->convex.half, pose, 0, NULL, &s);
        FUZZ_CHECK(kin_finite(s.separation) && is_unit(s.axis));
        FUZZ_CHECK(s.separation <= kin_max(distance + a->convex.radius + b->convex.radius, 0) + tolerance);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    body a = {0}, b = {0};
    if (make_body(&bytes, &a) && make_body(&bytes, &b)) {
        kin_transform pose = make_pose(&bytes);
        double scale = power_of_ten(&bytes);
        check(&a, &b, pose, point(&bytes, scale));
    }
    kin_hull_destroy(a.hull);
    kin_hull_destroy(b.hull);
    return 0;
}
