/* height_query.c - rays, nearest points and boxes against a height field, by walks down its pyramid. */
#include "geometry/height/height_internal.h"
#include "geometry/triangle_ray.h"

/* ---- where the surface is ---- */

/* The cell over a place, and where in it; false: beside the grid or a hole. */
static bool find_cell(const kin_height* h, double x, double z, uint32_t* i, uint32_t* j, double at[2])
{
    double u = (x - h->origin.x) / h->spacing[0], v = (z - h->origin.z) / h->spacing[1];
    if (!(u >= 0 && v >= 0 && u <= h->nx - 1 && v <= h->nz - 1)) return false;
    *i = (uint32_t)kin_min(u, h->nx - 2), *j = (uint32_t)kin_min(v, h->nz - 2);
    at[0] = u - *i, at[1] = v - *j;
    return kin_height_solid(h, *i, *j);
}

bool kin_height_at(const kin_height* h, double x, double z, double* y)
{
    uint32_t i, j;
    double at[2];
    if (!find_cell(h, x, z, &i, &j, at)) return false;
    const float *a = h->heights + i + (size_t)h->nx * j, *c = a + h->nx;
    bool first = at[0] + at[1] <= 1; /* this side of the diagonal */
    double from = first ? a[0] : c[1], by_x = first ? (double)a[1] - a[0] : (double)c[1] - c[0], by_z = first ? (double)c[0] - a[0] : (double)c[1] - a[1];
    *y = h->origin.y + (first ? from + by_x * at[0] + by_z * at[1] : from - by_x * (1 - at[0]) - by_z * (1 - at[1]));
    return true;
}

bool kin_height_inside(const kin_height* h, kin_vec3 x)
{
    double y;
    return kin_height_at(h, x.x, x.z, &y) && x.y < y;
}

/* ---- walks ---- */

/* Pushes what is below a square, the kin_nearest last; entries beyond the limit are left out. */
typedef double entry_fn(const void* context, kin_aabb box);

static void push_below(const kin_height* h, const kin_height_square* s, entry_fn* entry, const void* context, double limit, kin_height_square* stack, int* top)
{
    kin_height_square below[4];
    int count = kin_height_split(h, s, below);
    for (int n = 0; n < count; ++n) {
        kin_aabb box = kin_height_square_box(h, &below[n]);
        below[n].entry = kin_aabb_is_empty(box) ? 1e308 : entry(context, box);
        for (int k = n; k > 0 && below[k].entry > below[k - 1].entry; --k) {
            kin_height_square swap = below[k];
            below[k] = below[k - 1], below[k - 1] = swap;
        }
    }
    for (int n = 0; n < count; ++n) {
        if (below[n].entry <= limit) stack[(*top)++] = below[n];
    }
}

static double overlap_entry(const void* context, kin_aabb box) { return kin_aabb_overlaps(*(const kin_aabb*)context, box) ? 0 : 1e308; }

void kin_height_walk_begin(kin_height_walk* w, const kin_height* h, kin_aabb box)
{
    w->height = h;
    w->box = box;
    w->top = 0;
    w->second = 0;
    if (kin_aabb_overlaps(box, h->bounds)) w->stack[w->top++] = kin_height_root(h);
}

/* The next triangle of the cell whose own box overlaps. */
static bool take_triangle(kin_height_walk* w, uint32_t triangle)
{
    kin_vec3 p[3];
    kin_height_corners(w->height, triangle, p);
    kin_aabb box = {kin_min3(p[0], kin_min3(p[1], p[2])), kin_max3(p[0], kin_max3(p[1], p[2]))};
    if (!kin_aabb_overlaps(w->box, box)) return false;
    w->facet = kin_height_facet(w->height, triangle);
    return true;
}

bool kin_height_walk_next(kin_height_walk* w)
{
    for (;;) {
        if (w->second != 0) {
            uint32_t triangle = w->second - 1;
            w->second = 0;
            if (take_triangle(w, triangle)) return true;
        }
        if (w->top == 0) return false;
        kin_height_square s = w->stack[--w->top];
        if (s.level > 0) {
            push_below(w->height, &s, overlap_entry, &w->box, 0, w->stack, &w->top);
            continue;
        }
        uint32_t first = kin_height_number(w->height, s.i, s.j, 0);
        if (first == KIN_HEIGHT_NONE) continue;
        w->second = first + 2;
        if (take_triangle(w, first)) return true;
    }
}

/* ---- rays ---- */

static double line_entry(const void* context, kin_aabb b)
{
    const kin_height_line* l = context;
    double in = 0, out = l->limit;
    for (int a = 0; a < 3; ++a) {
        double x = kin_component(l->at, a), k = kin_component(l->inverse, a);
        double t0 = (kin_component(b.low, a) - l->inflate - x) * k, t1 = (kin_component(b.high, a) + l->inflate - x) * k;
        in = kin_max(in, kin_min(t0, t1));
        out = kin_min(out, kin_max(t0, t1));
    }
    return in <= out ? in : 1e308;
}

static double inverse_of(double d) { return kin_abs(d) > 1e-290 ? 1 / d : d < 0 ? -1e290 : 1e290; }

kin_height_line kin_height_line_along(kin_vec3 at, kin_vec3 d, double inflate, double limit)
{
    /* slab tests round: grow by what they can be off */
    return (kin_height_line){at, {inverse_of(d.x), inverse_of(d.y), inverse_of(d.z)}, inflate + 1e-14 * kin_largest(kin_abs3(at)), limit};
}

void kin_height_push_line(const kin_height* h, const kin_height_square* s, const kin_height_line* line, kin_height_square* stack, int* top)
{
    push_below(h, s, line_entry, line, line->limit, stack, top);
}

static void ray_triangle(const kin_height* h, uint32_t triangle, const kin_shear* shear, kin_touch* hit)
{
    kin_vec3 p[3];
    double t;
    kin_height_corners(h, triangle, p);
    if (!kin_shear_cross(shear, p, &t) || !(t >= 0 && t <= hit->t) || (t == hit->t && triangle > hit->feature)) return;
    hit->t = t, hit->feature = triangle;
}

bool kin_height_ray(const kin_height* h, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    kin_height_line line = kin_height_line_along(origin, direction, 1e-12 * kin_max(h->scale, kin_largest(kin_abs3(origin))), limit);
    kin_height_square stack[KIN_HEIGHT_STACK];
    kin_shear shear;
    int top = 0;
    *hit = (kin_touch){.t = limit, .feature = UINT32_MAX};
    if (kin_aabb_is_empty(h->bounds) || !kin_shear_begin(&shear, origin, direction)) return false;
    stack[top++] = kin_height_root(h);
    while (top > 0) {
        kin_height_square s = stack[--top];
        if (s.entry > hit->t) continue;
        if (s.level > 0) {
            line.limit = hit->t;
            kin_height_push_line(h, &s, &line, stack, &top);
            continue;
        }
        uint32_t first = kin_height_number(h, s.i, s.j, 0);
        if (first == KIN_HEIGHT_NONE) continue;
        ray_triangle(h, first, &shear, hit);
        ray_triangle(h, first + 1, &shear, hit);
    }
    if (hit->feature == UINT32_MAX) return false;
    *hit = (kin_touch){hit->t, hit->t, kin_add_scaled(origin, hit->t, direction), kin_height_normal(h, hit->feature), hit->feature};
    return true;
}

/* ---- nearest points ---- */

static double point_entry(const void* context, kin_aabb b)
{
    const kin_vec3* x = context;
    return kin_length2(kin_sub(*x, kin_aabb_closest(b, *x)));
}

static void try_triangle(const kin_height* h, uint32_t triangle, kin_vec3 x, kin_nearest* best)
{
    kin_vec3 p[3];
    kin_nearest n = {.triangle = triangle};
    kin_height_corners(h, triangle, p);
    n.point = kin_closest_on_triangle(p[0], p[1], p[2], x, &n.feature);
    n.distance2 = kin_length2(kin_sub(x, n.point));
    if (n.distance2 < best->distance2 || (n.distance2 == best->distance2 && triangle < best->triangle)) *best = n;
}

static bool find_nearest(const kin_height* h, kin_vec3 x, double reach, kin_nearest* best)
{
    kin_height_square stack[KIN_HEIGHT_STACK];
    int top = 0;
    *best = (kin_nearest){.distance2 = reach * reach, .triangle = UINT32_MAX};
    if (kin_aabb_is_empty(h->bounds)) return false;
    stack[top++] = kin_height_root(h);
    while (top > 0) {
        kin_height_square s = stack[--top];
        double limit = best->distance2 * (1 + 1e-14); /* ties stay in reach */
        if (s.entry > limit) continue;
        if (s.level > 0) {
            push_below(h, &s, point_entry, &x, limit, stack, &top);
            continue;
        }
        uint32_t first = kin_height_number(h, s.i, s.j, 0);
        if (first == KIN_HEIGHT_NONE) continue;
        try_triangle(h, first, x, best);
        try_triangle(h, first + 1, x, best);
    }
    return best->triangle != UINT32_MAX;
}

bool kin_height_closest(const kin_height* h, kin_vec3 x, double reach, kin_touch* touch)
{
    kin_nearest best;
    double y = 0;
    bool inside = kin_height_at(h, x.x, x.z, &y) && x.y < y;
    /* the surface straight above is no farther than the depth */
    if (!find_nearest(h, x, reach, &best) && !(inside && find_nearest(h, x, (y - x.y) * (1 + 1e-9) + 1e-9 * h->scale, &best))) return false;
    double length = kin_sqrt(best.distance2), sign = inside ? -1 : 1;
    *touch = (kin_touch){.distance = sign * length, .point = best.point, .feature = best.triangle};
    const kin_vec3 own = kin_normalize_or(kin_height_pseudo_normal(h, best.triangle, best.feature), kin_v(0, 1, 0)), away = kin_sub(x, best.point);
    bool behind = !inside && kin_dot(away, own) < 0; /* past the border a point may be below a face and yet outside */
    if ((best.feature != KIN_FEATURE_FACE || behind) && length > 1e-12 * h->scale)
        touch->normal = kin_scale(away, sign / length);
    else /* a face has its own; on an edge the direction would be round-off */
        touch->normal = own;
    return true;
}
