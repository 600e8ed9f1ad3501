/* kdop.c - polytopes with fixed face directions: 6, 14, 18 or 26 (H10.6; Klosowski et al. 1998).
 *
 * A turned k-dop is bounded anew through its support function. Any direction is a sum, with weights >= 0, of the face directions next to it, and so is the
 * bound along it: h(p + q) <= h(p) + h(q). With components sorted by size, a >= b >= c >= 0 along i, j, l, the sums are
 *   a i + b j + c l;   with diagonals of the cube c (i+j+l) + (a-c) i + (b-c) j, and (a-b) i + (b+c)/2 (i+j+l) + (b-c)/2 (i+j-l);
 *   with diagonals of the faces (a-b-c) i + b (i+j) + c (i+l), or where a < b + c (a+b-c)/2 (i+j) + (a+c-b)/2 (i+l) + (b+c-a)/2 (j+l);
 *   with both (a-b) i + (b-c) (i+j) + c (i+j+l). */
#include "geometry/volumes/bound.h"

enum { FACES = 0x0007, CORNERS = 0x0078, EDGES = 0x1F80 };
enum { SIDES = 2 * KIN_KDOP_AXES, POLYGON = 4 + SIDES };

/* Signs of x, y, z in each axis. */
static const signed char axis_signs[KIN_KDOP_AXES][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 1},  {1, 1, -1}, {1, -1, 1}, {1, -1, -1},
                                                         {1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

kin_vec3 kin_kdop_axis(uint32_t axis) { return kin_v(axis_signs[axis][0], axis_signs[axis][1], axis_signs[axis][2]); }
double kin_kdop_project(uint32_t axis, kin_vec3 x) { return axis_signs[axis][0] * x.x + axis_signs[axis][1] * x.y + axis_signs[axis][2] * x.z; }

static bool has(const kin_kdop* k, uint32_t axis) { return k->mask >> axis & 1; }

static double coordinates(const kin_kdop* k)
{
    double most = 0;
    for (int i = 0; i < 3; ++i) most = kin_max(most, kin_max(kin_abs(k->low[i]), kin_abs(k->high[i])));
    return most;
}

static kin_kdop empty(uint32_t mask)
{
    kin_kdop k = {.mask = mask};
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        if (mask >> i & 1) k.low[i] = __builtin_inf(), k.high[i] = -__builtin_inf();
    }
    return k;
}

static void grow(kin_kdop* k, double margin)
{
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        if (has(k, i)) k->low[i] -= margin, k->high[i] += margin;
    }
}

static kin_result dop_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    (void)allocator;
    kin_kdop k = empty(ops->mask);
    for (size_t p = 0; p < count; ++p) {
        for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
            if (!has(&k, i)) continue;
            double x = kin_kdop_project(i, points[p]);
            k.low[i] = kin_min(k.low[i], x);
            k.high[i] = kin_max(k.high[i], x);
        }
    }
    if (ops->mask != FACES) grow(&k, KIN_BOUND_SLACK * coordinates(&k)); /* sums of coordinates round */
    *out = (kin_bound){.kind = ops->kind, .dop = k};
    return KIN_OK;
}

static kin_result dop_merge(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b, kin_bound* out)
{
    (void)allocator;
    kin_kdop k = a->dop;
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        k.low[i] = kin_min(k.low[i], b->dop.low[i]);
        k.high[i] = kin_max(k.high[i], b->dop.high[i]);
    }
    *out = (kin_bound){.kind = ops->kind, .dop = k};
    return KIN_OK;
}

/* ---- the support function ---- */

/* The bound along the direction with these signs, one of the axes or its opposite. */
static double along(const kin_kdop* k, int x, int y, int z)
{
    int sign = x != 0 ? x : y != 0 ? y : z;
    uint32_t axis = 0;
    while (axis_signs[axis][0] != sign * x || axis_signs[axis][1] != sign * y || axis_signs[axis][2] != sign * z) axis += 1;
    return sign > 0 ? k->high[axis] : -k->low[axis];
}

typedef struct sorted {
    int at[3];      /* axes by falling size */
    int sign[3];    /* of x, y, z */
    double size[3]; /* falling */
} sorted;

static sorted sort_direction(kin_vec3 d)
{
    sorted s = {.at = {0, 1, 2}, .sign = {d.x < 0 ? -1 : 1, d.y < 0 ? -1 : 1, d.z < 0 ? -1 : 1}};
    kin_vec3 size = kin_abs3(d);
    for (int i = 1; i < 3; ++i) {
        for (int j = i; j > 0 && kin_component(size, s.at[j]) > kin_component(size, s.at[j - 1]); --j) {
            int swap = s.at[j];
            s.at[j] = s.at[j - 1], s.at[j - 1] = swap;
        }
    }
    for (int i = 0; i < 3; ++i) s.size[i] = kin_component(size, s.at[i]);
    return s;
}

/* The bound along the sum of some of the sorted axes, each with its sign: weights of i, j, l are -1, 0 or 1. */
static double toward(const kin_kdop* k, const sorted* s, int i, int j, int l)
{
    int way[3];
    way[s->at[0]] = i * s->sign[s->at[0]];
    way[s->at[1]] = j * s->sign[s->at[1]];
    way[s->at[2]] = l * s->sign[s->at[2]];
    return along(k, way[0], way[1], way[2]);
}

static double dop_extent(const kin_bound* bound, kin_vec3 d)
{
    const kin_kdop* k = &bound->dop;
    sorted s = sort_direction(d);
    double a = s.size[0], b = s.size[1], c = s.size[2];
    double hi = toward(k, &s, 1, 0, 0), hj = toward(k, &s, 0, 1, 0), hl = toward(k, &s, 0, 0, 1);
    double h = a * hi + b * hj + c * hl;
    if ((k->mask & CORNERS) != 0) {
        double hc = toward(k, &s, 1, 1, 1);
        h = kin_min(h, c * hc + (a - c) * hi + (b - c) * hj);
        h = kin_min(h, (a - b) * hi + 0.5 * (b + c) * hc + 0.5 * (b - c) * toward(k, &s, 1, 1, -1));
    }
    if ((k->mask & EDGES) != 0) {
        double hij = toward(k, &s, 1, 1, 0), hil = toward(k, &s, 1, 0, 1), hjl = toward(k, &s, 0, 1, 1);
        h = kin_min(h, a >= b + c ? (a - b - c) * hi + b * hij + c * hil : 0.5 * ((a + b - c) * hij + (a + c - b) * hil + (b + c - a) * hjl));
        if ((k->mask & CORNERS) != 0) h = kin_min(h, (a - b) * hi + (b - c) * hij + c * toward(k, &s, 1, 1, 1));
    }
    return h;
}

static kin_bound dop_move(const kin_bound* bound, kin_transform pose)
{
    const kin_kdop* k = &bound->dop;
    kin_bound moved = {.kind = bound->kind, .dop = {.mask = k->mask}};
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        if (!has(k, i)) continue;
        kin_vec3 local = kin_unrotate(pose.orientation, kin_kdop_axis(i));
        double shift = kin_kdop_project(i, pose.position);
        moved.dop.high[i] = dop_extent(bound, local) + shift;
        moved.dop.low[i] = shift - dop_extent(bound, kin_neg(local));
    }
    grow(&moved.dop, 4 * KIN_BOUND_SLACK * (coordinates(k) + kin_largest(kin_abs3(pose.position))));
    return moved;
}

static bool dop_overlap(const kin_bound* a, const kin_bound* b)
{
    uint32_t shared = a->dop.mask & b->dop.mask;
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        if ((shared >> i & 1) && (a->dop.high[i] < b->dop.low[i] || b->dop.high[i] < a->dop.low[i])) return false;
    }
    return true;
}

static bool dop_contains(const kin_bound* bound, kin_vec3 x)
{
    double slack = KIN_BOUND_SLACK * kin_largest(kin_abs3(x));
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        if (!has(&bound->dop, i)) continue;
        double p = kin_kdop_project(i, x), rounding = i < 3 ? 0 : slack;
        if (p < bound->dop.low[i] - rounding || p > bound->dop.high[i] + rounding) return false;
    }
    return true;
}

/* ---- its faces: a large square in each plane, cut by all others ---- */

typedef struct face {
    kin_vec3 points[POLYGON];
    uint32_t across[POLYGON]; /* the side beyond the edge from point i to i + 1 */
    int count;
} face;

typedef struct sides {
    kin_vec3 normals[SIDES]; /* unit */
    double offsets[SIDES];   /* about the centre */
    kin_vec3 center;
    double reach;
    uint32_t count;
} sides;

static sides sides_of(const kin_kdop* k)
{
    kin_aabb box = {{k->low[0], k->low[1], k->low[2]}, {k->high[0], k->high[1], k->high[2]}};
    sides s = {.center = kin_aabb_center(box), .reach = kin_length(kin_aabb_size(box))};
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        if (!has(k, i)) continue;
        kin_vec3 axis = kin_kdop_axis(i);
        double length = kin_length(axis), middle = kin_dot(axis, s.center);
        for (int side = 0; side < 2; ++side) {
            s.normals[s.count] = kin_scale(axis, (side ? 1 : -1) / length);
            s.offsets[s.count++] = (side ? k->high[i] - middle : middle - k->low[i]) / length;
        }
    }
    return s;
}

static void cut(face* f, const sides* s, uint32_t by)
{
    face kept = {.count = 0};
    for (int i = 0; i < f->count; ++i) {
        kin_vec3 p = f->points[i], q = f->points[(i + 1) % f->count];
        double outside_p = kin_dot(s->normals[by], p) - s->offsets[by] - 1e-14 * s->reach;
        double outside_q = kin_dot(s->normals[by], q) - s->offsets[by] - 1e-14 * s->reach;
        bool leaves = outside_p <= 0 && outside_q > 0, enters = outside_p > 0 && outside_q <= 0;
        if (outside_p <= 0 && kept.count < POLYGON) kept.points[kept.count] = p, kept.across[kept.count++] = f->across[i];
        if ((leaves || enters) && kept.count < POLYGON) {
            kept.points[kept.count] = kin_lerp(p, q, outside_p / (outside_p - outside_q));
            kept.across[kept.count++] = leaves ? by : f->across[i];
        }
    }
    *f = kept;
}

static face face_of(const sides* s, uint32_t side)
{
    kin_vec3 n = s->normals[side], u = kin_normalize_or(kin_cross(n, kin_abs(n.x) < 0.9 ? kin_axis(0) : kin_axis(1)), kin_axis(2)), v = kin_cross(n, u);
    kin_vec3 middle = kin_scale(n, s->offsets[side]);
    face f = {.count = 4};
    for (int i = 0; i < 4; ++i) {
        kin_vec3 corner = kin_add_scaled(middle, (i == 0 || i == 3 ? 4 : -4) * s->reach, u);
        f.points[i] = kin_add_scaled(corner, (i < 2 ? 4 : -4) * s->reach, v);
        f.across[i] = UINT32_MAX;
    }
    for (uint32_t by = 0; by < s->count && f.count > 0; ++by) {
        if (by != side) cut(&f, s, by);
    }
    return f;
}

static double face_area(const face* f)
{
    kin_vec3 twice = {0, 0, 0};
    for (int i = 1; i + 1 < f->count; ++i) twice = kin_add(twice, kin_cross(kin_sub(f->points[i], f->points[0]), kin_sub(f->points[i + 1], f->points[0])));
    return 0.5 * kin_length(twice);
}

static double dop_volume(const kin_bound* bound)
{
    sides s = sides_of(&bound->dop);
    double volume = 0;
    for (uint32_t i = 0; i < s.count; ++i) {
        face f = face_of(&s, i);
        volume += face_area(&f) * s.offsets[i] / 3;
    }
    return volume;
}

static double dop_area(const kin_bound* bound)
{
    sides s = sides_of(&bound->dop);
    double area = 0;
    for (uint32_t i = 0; i < s.count; ++i) {
        face f = face_of(&s, i);
        area += face_area(&f);
    }
    return area;
}

/* Each edge is seen by two faces and drawn by the first. */
static bool dop_wire(const kin_bound* bound, kin_wire* wire)
{
    sides s = sides_of(&bound->dop);
    for (uint32_t i = 0; i < s.count; ++i) {
        face f = face_of(&s, i);
        for (int e = 0; e < f.count; ++e) {
            if (f.across[e] <= i || kin_near3(f.points[e], f.points[(e + 1) % f.count], 1e-12 * s.reach)) continue;
            uint32_t a = kin_wire_point(wire, kin_add(s.center, f.points[e])), b = kin_wire_point(wire, kin_add(s.center, f.points[(e + 1) % f.count]));
            if (a == UINT32_MAX || b == UINT32_MAX || !kin_wire_edge(wire, a, b)) return false;
        }
    }
    return true;
}

#define DOP_CALLS                                                                                                                                              \
    .form = KIN_FORM_KDOP, .split = KIN_SPLIT_MEAN, .fit = dop_fit, .merge = dop_merge, .move = dop_move, .overlap = dop_overlap, .contains = dop_contains,    \
    .extent = dop_extent, .volume = dop_volume, .area = dop_area, .wire = dop_wire

const kin_bound_ops kin_bound_dop6_ops = {.name = "dop6", .doc = "3 axes: a box", .kind = KIN_BOUND_DOP6, .mask = FACES, DOP_CALLS};
const kin_bound_ops kin_bound_dop14_ops = {.name = "dop14", .doc = "a box with its corners cut", .kind = KIN_BOUND_DOP14, .mask = FACES | CORNERS, DOP_CALLS};
const kin_bound_ops kin_bound_dop18_ops = {.name = "dop18", .doc = "a box with its edges cut", .kind = KIN_BOUND_DOP18, .mask = FACES | EDGES, DOP_CALLS};
const kin_bound_ops kin_bound_dop26_ops = {
    .name = "dop26", .doc = "a box with its edges and corners cut", .kind = KIN_BOUND_DOP26, .mask = FACES | CORNERS | EDGES, DOP_CALLS};
