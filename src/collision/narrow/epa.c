/* epa.c - a polytope of support points round the origin; its nearest face is pushed out until it lies on the boundary. */
#include "collision/narrow/epa.h"
#include "collision/narrow/pair.h"
#include "collision/narrow/simplex.h"

enum { MOST_POINTS = 256, MOST_FACES = 2 * MOST_POINTS };
#define ROUNDING 4e-15 /* of the coordinates */

typedef struct face {
    uint16_t v[3];    /* counter-clockwise from outside */
    uint16_t near[3]; /* the face across edge v[k] v[k+1] */
    bool is_live;
    kin_vec3 normal;
    double distance; /* of its plane from the origin, m; huge when it has no area */
} face;

typedef struct polytope {
    kin_pair pair;
    kin_pair_point points[MOST_POINTS];
    face faces[MOST_FACES];
    uint16_t spare[MOST_FACES]; /* dead faces to use again */
    int point_count, face_count, spare_count;
    double scale; /* largest coordinate, m */
} polytope;

kin_epa_settings kin_epa_defaults(void) { return (kin_epa_settings){1e-10, MOST_POINTS}; }

static kin_vec3 x_of(const polytope* p, int i) { return p->points[i].x; }

static kin_pair_point support(polytope* p, kin_vec3 d)
{
    kin_pair_point q = kin_pair_support(&p->pair, d);
    p->scale = kin_max(p->scale, kin_sqrt(kin_pair_scale2(&q)));
    return q;
}

/* ---- a start: four points that are not in one plane ---- */

/* Off the line or plane of what there is, along d either way, by more than rounding. */
static bool add_beyond(polytope* p, kin_vec3 d, double (*off)(const polytope*, kin_vec3))
{
    for (int side = 0; side < 2; ++side) {
        kin_pair_point q = support(p, side ? kin_neg(d) : d);
        if (off(p, q.x) <= 64 * ROUNDING * p->scale) continue;
        p->points[p->point_count++] = q;
        return true;
    }
    return false;
}

static double off_point(const polytope* p, kin_vec3 x) { return kin_distance(x, x_of(p, 0)); }
static double off_line(const polytope* p, kin_vec3 x) { return kin_length(kin_reject(kin_sub(x, x_of(p, 0)), kin_sub(x_of(p, 1), x_of(p, 0)))); }
static double off_plane(const polytope* p, kin_vec3 x)
{
    return kin_abs(kin_dot(kin_sub(x, x_of(p, 0)), kin_triangle_normal(x_of(p, 0), x_of(p, 1), x_of(p, 2))));
}

static bool widen_point(polytope* p)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (add_beyond(p, kin_axis(axis), off_point)) return true;
    }
    return false;
}

static bool widen_line(polytope* p)
{
    kin_vec3 line = kin_sub(x_of(p, 1), x_of(p, 0));
    for (int axis = 0; axis < 3; ++axis) {
        kin_vec3 across = kin_cross(line, kin_axis(axis));
        if (kin_length2(across) > 1e-3 * kin_length2(line) && add_beyond(p, across, off_line)) return true;
    }
    return false;
}

static bool widen_plane(polytope* p) { return add_beyond(p, kin_triangle_normal(x_of(p, 0), x_of(p, 1), x_of(p, 2)), off_plane); }

/* Leaves out points that add no dimension. */
static void take_independent(polytope* p, const kin_pair_point* points, int count)
{
    double (*const off[])(const polytope*, kin_vec3) = {NULL, off_point, off_line, off_plane};
    for (int i = 0; i < count; ++i) {
        p->scale = kin_max(p->scale, kin_sqrt(kin_pair_scale2(&points[i])));
        if (p->point_count == 0 || off[p->point_count](p, points[i].x) > 64 * ROUNDING * p->scale) p->points[p->point_count++] = points[i];
    }
}

/* True when a tetrahedron stands; else the difference is flat and point_count tells its dimension plus one. */
static bool widen(polytope* p)
{
    bool (*const by[])(polytope*) = {NULL, widen_point, widen_line, widen_plane};
    while (p->point_count < 4) {
        if (!by[p->point_count](p)) return false;
    }
    return true;
}

/* ---- faces ---- */

/* Its plane. A needle's normal is mostly rounding: such a face is never the nearest, and never seen. */
static void set_plane(polytope* p, face* f)
{
    kin_vec3 a = x_of(p, f->v[0]), u = kin_sub(x_of(p, f->v[1]), a), v = kin_sub(x_of(p, f->v[2]), a), n = kin_cross(u, v);
    double area = kin_length(n), longest = kin_sqrt(kin_max(kin_length2(u), kin_max(kin_length2(v), kin_length2(kin_sub(u, v)))));
    bool is_needle = !(area > 16 * ROUNDING * p->scale * longest);
    f->normal = is_needle ? kin_v(0, 0, 0) : kin_scale(n, 1 / area);
    /* the mean of the corners' distances: none of the three is told apart by rounding */
    f->distance = is_needle ? 1e300 : (kin_dot(f->normal, a) + kin_dot(f->normal, x_of(p, f->v[1])) + kin_dot(f->normal, x_of(p, f->v[2]))) / 3;
}

static int new_face(polytope* p, int a, int b, int c)
{
    if (p->spare_count == 0 && p->face_count == MOST_FACES) return -1;
    int index = p->spare_count > 0 ? p->spare[--p->spare_count] : p->face_count++;
    p->faces[index] = (face){.v = {(uint16_t)a, (uint16_t)b, (uint16_t)c}, .is_live = true};
    set_plane(p, &p->faces[index]);
    return index;
}

static void first_faces(polytope* p)
{
    static const int corners[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
    static const uint16_t across[2][4][3] = {{{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}}, {{2, 3, 1}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}}};
    kin_vec3 a = x_of(p, 0);
    /* with corner 3 above 0 1 2 the base is seen from below */
    int way = kin_triple(kin_sub(x_of(p, 1), a), kin_sub(x_of(p, 2), a), kin_sub(x_of(p, 3), a)) > 0;
    for (int i = 0; i < 4; ++i) {
        const int* c = corners[way][i];
        face* f = &p->faces[new_face(p, c[0], c[1], c[2])];
        for (int k = 0; k < 3; ++k) f->near[k] = across[way][i][k];
    }
}

static int nearest_face(const polytope* p)
{
    int best = -1;
    for (int i = 0; i < p->face_count; ++i) {
        if (p->faces[i].is_live && (best < 0 || p->faces[i].distance < p->faces[best].distance)) best = i;
    }
    return best;
}

typedef struct horizon {
    uint16_t outside[MOST_FACES], edge[MOST_FACES]; /* faces that stay, and their edge to the hole; in order round it */
    int count;
} horizon;

/* Walks the faces seen from x depth first, kills them, and lists the rim in order. The walk keeps its own stack. */
static void open_hole(polytope* p, int from, kin_vec3 x, horizon* rim)
{
    struct {
        uint16_t face;
        uint8_t start, done;
    } stack[MOST_FACES];
    int top = 0;
    rim->count = 0;
    p->faces[from].is_live = false;
    stack[top].face = (uint16_t)from, stack[top].start = 0, stack[top].done = 0;
    while (top >= 0) {
        const face* f = &p->faces[stack[top].face];
        if (stack[top].done == 3) {
            p->spare[p->spare_count++] = stack[top--].face;
            continue;
        }
        int k = (stack[top].start + stack[top].done++) % 3;
        uint16_t next = f->near[k];
        face* g = &p->faces[next];
        if (!g->is_live) continue;
        uint8_t back = g->near[0] == stack[top].face && g->v[0] == f->v[(k + 1) % 3]   ? 0
                       : g->near[1] == stack[top].face && g->v[1] == f->v[(k + 1) % 3] ? 1
                                                                                       : 2;
        if (kin_dot(g->normal, x) - g->distance > ROUNDING * p->scale && g->distance < 1e299) {
            g->is_live = false;
            ++top;
            stack[top].face = next, stack[top].start = (uint8_t)((back + 1) % 3), stack[top].done = 0;
            continue;
        }
        rim->outside[rim->count] = next;
        rim->edge[rim->count++] = back;
    }
}

/* New faces from the rim to the point; false when the rim is not one closed loop (rounding) or room is out. */
static bool close_hole(polytope* p, const horizon* rim, int point)
{
    int first = -1, last = -1;
    if (rim->count < 3 || p->spare_count + MOST_FACES - p->face_count < rim->count) return false;
    for (int i = 0; i < rim->count; ++i) {
        const face *out = &p->faces[rim->outside[i]], *after = &p->faces[rim->outside[(i + 1) % rim->count]];
        if (out->v[rim->edge[i]] != after->v[(rim->edge[(i + 1) % rim->count] + 1) % 3]) return false;
    }
    for (int i = 0; i < rim->count; ++i) {
        face* out = &p->faces[rim->outside[i]];
        int k = rim->edge[i], index = new_face(p, out->v[(k + 1) % 3], out->v[k], point);
        face* f = &p->faces[index];
        f->near[0] = rim->outside[i];
        out->near[k] = (uint16_t)index;
        if (last >= 0) f->near[2] = (uint16_t)last, p->faces[last].near[1] = (uint16_t)index;
        if (first < 0) first = index;
        last = index;
    }
    p->faces[first].near[2] = (uint16_t)last;
    p->faces[last].near[1] = (uint16_t)first;
    return true;
}

/* ---- the answer ---- */

static void report(const polytope* p, const kin_pair_point* corners, int count, kin_vec3 outward, double lower, double upper, kin_epa_result* out)
{
    kin_vec3 x[3] = {{0, 0, 0}}, a = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        x[i] = kin_add_scaled(corners[i].x, -upper, outward); /* seen from the foot of the origin on the face */
        out->a[i] = corners[i].va;
        out->b[i] = corners[i].vb;
    }
    kin_subset s = kin_subset_volumes(x, count);
    for (int i = 0; i < count; ++i) a = kin_add_scaled(a, s.weight[i], corners[i].a);
    out->count = p->pair.is_polyhedral ? (uint32_t)count : 0;
    out->normal = kin_neg(outward);
    out->depth = kin_max(upper, 0) + p->pair.radii;
    out->lower = kin_min(kin_max(lower, 0) + p->pair.radii, out->depth);
    out->on_a = kin_add_scaled(a, p->pair.a->radius, outward);
    out->on_b = kin_add_scaled(out->on_a, -out->depth, outward);
}

static void report_flat(const polytope* p, kin_epa_result* out)
{
    kin_vec3 line = p->point_count > 1 ? kin_sub(x_of(p, 1), x_of(p, 0)) : kin_v(0, 1, 0), normal;
    if (p->point_count == 3) {
        normal = kin_triangle_normal(x_of(p, 0), x_of(p, 1), x_of(p, 2));
    } else {
        kin_vec3 d = kin_abs3(line);
        normal = kin_normalize_or(kin_cross(line, kin_axis(d.x <= d.y ? (d.x <= d.z ? 0 : 2) : (d.y <= d.z ? 1 : 2))), kin_v(1, 0, 0));
    }
    report(p, p->points, p->point_count, normal, 0, 0, out);
}

static void expand(polytope* p, const kin_epa_settings* set, kin_epa_result* out)
{
    double best_upper = 1e300;
    horizon rim;
    for (;;) {
        int index = nearest_face(p);
        const face f = p->faces[index];
        const kin_pair_point corners[3] = {p->points[f.v[0]], p->points[f.v[1]], p->points[f.v[2]]};
        if (f.distance > 1e299) break;
        kin_pair_point q = support(p, f.normal);
        double upper = kin_max(kin_dot(q.x, f.normal), f.distance);
        out->iterations++;
        if (upper < best_upper) best_upper = upper, report(p, corners, 3, f.normal, f.distance, upper, out);
        out->lower = kin_min(kin_max(out->lower, kin_max(f.distance, 0) + p->pair.radii), out->depth);
        if (upper - f.distance <= set->tolerance * kin_max(upper, 0) + ROUNDING * p->scale || p->point_count >= kin_clamp(set->most_points, 4, MOST_POINTS))
            break;
        p->points[p->point_count++] = q;
        open_hole(p, index, q.x, &rim);
        if (!close_hole(p, &rim, p->point_count - 1)) break;
    }
}

bool kin_epa_depth(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_epa_settings* settings, kin_gjk_cache* cache, kin_epa_result* out)
{
    const kin_epa_settings set = settings != NULL ? *settings : kin_epa_defaults();
    kin_pair_point start[4];
    polytope p;
    int count = kin_gjk_enclose(a, b, b_in_a, cache, start);
    *out = (kin_epa_result){0};
    if (count == 0) return false;
    p.pair = kin_pair_of(a, b, b_in_a);
    p.pair.hint[0] = start[0].va;
    p.pair.hint[1] = start[0].vb;
    p.point_count = p.face_count = p.spare_count = 0;
    p.scale = 0;
    take_independent(&p, start, count);
    if (widen(&p)) {
        first_faces(&p);
        expand(&p, &set, out);
    } else {
        report_flat(&p, out);
    }
    return true;
}
