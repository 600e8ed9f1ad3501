/* epa.c - a polytope of support points round the origin; its nearest face is pushed out until it lies on the boundary. */
#include "collision/narrow/epa.h"
#include "collision/narrow/pair.h"
#include "collision/narrow/simplex.h"

enum { MOST_POINTS = 256, MOST_FACES = 2 * MOST_POINTS };
#define NEEDLE 1e300
#define DEAD 2e300
#define ROUNDING 4e-15 /* of the coordinates */

typedef struct face {
    uint16_t v[3];    /* counter-clockwise from outside */
    uint16_t near[3]; /* the face across edge v[k] v[k+1] */
    kin_vec3 normal;  /* zero when it has no area */
} face;

typedef struct polytope {
    kin_pair pair;
    kin_pair_point points[MOST_POINTS];
    face faces[MOST_FACES];
    double distance[MOST_FACES]; /* of the faces' planes from the origin, m; NEEDLE without area, DEAD when gone */
    uint16_t spare[MOST_FACES];  /* dead faces to use again */
    int point_count, face_count, spare_count;
    double scale; /* largest coordinate, m */
} polytope;

kin_epa_settings kin_epa_defaults(void) { return (kin_epa_settings){1e-10, MOST_POINTS}; }

static kin_vec3 x_of(const polytope* p, int i) { return p->points[i].x; }

static void widen_scale(polytope* p, const kin_pair_point* q)
{
    double square = kin_pair_scale2(q);
    if (square > p->scale * p->scale) p->scale = kin_sqrt(square);
}

static kin_pair_point support(polytope* p, kin_vec3 d)
{
    kin_pair_point q = kin_pair_support(&p->pair, d);
    widen_scale(p, &q);
    return q;
}

/* ---- a start: four points that are not in one plane ---- */

static double off_point(const polytope* p, kin_vec3 x) { return kin_distance(x, x_of(p, 0)); }
static double off_line(const polytope* p, kin_vec3 x) { return kin_length(kin_reject(kin_sub(x, x_of(p, 0)), kin_sub(x_of(p, 1), x_of(p, 0)))); }
static double off_plane(const polytope* p, kin_vec3 x)
{
    return kin_abs(kin_dot(kin_sub(x, x_of(p, 0)), kin_triangle_normal(x_of(p, 0), x_of(p, 1), x_of(p, 2))));
}

/* Of the point, line or plane of what there is, m. */
static double off(const polytope* p, kin_vec3 x)
{
    double (*const by[])(const polytope*, kin_vec3) = {NULL, off_point, off_line, off_plane};
    return by[p->point_count](p, x);
}

static double negligible(const polytope* p) { return 64 * ROUNDING * p->scale; }

/* Leaves out points that add no dimension. */
static void take_independent(polytope* p, const kin_pair_point* points, int count)
{
    p->point_count = 0;
    for (int i = 0; i < count; ++i) {
        widen_scale(p, &points[i]);
        if (p->point_count == 0 || off(p, points[i].x) > negligible(p)) p->points[p->point_count++] = points[i];
    }
}

/* Where the next point is looked for, either way. */
static int directions_off(const polytope* p, kin_vec3 out[3])
{
    int count = 0;
    if (p->point_count == 3) return out[0] = kin_triangle_normal(x_of(p, 0), x_of(p, 1), x_of(p, 2)), 1;
    kin_vec3 line = p->point_count == 2 ? kin_sub(x_of(p, 1), x_of(p, 0)) : kin_v(0, 0, 0);
    for (int axis = 0; axis < 3; ++axis) {
        kin_vec3 across = p->point_count == 2 ? kin_cross(line, kin_axis(axis)) : kin_axis(axis);
        if (kin_length2(across) > 1e-3 * kin_length2(line)) out[count++] = across;
    }
    return count;
}

/* The farthest of them: faces of a start that is slim have no sure planes. False when none is off by more than rounding. */
static bool add_farthest(polytope* p)
{
    kin_vec3 d[3];
    int count = directions_off(p, d);
    kin_pair_point best = {0};
    double most = 0;
    for (int i = 0; i < 2 * count; ++i) {
        kin_pair_point q = support(p, i & 1 ? kin_neg(d[i / 2]) : d[i / 2]);
        double far = off(p, q.x);
        if (far > most) most = far, best = q;
    }
    if (!(most > negligible(p))) return false;
    p->points[p->point_count++] = best;
    return true;
}

/* True when a tetrahedron stands; else the difference is flat and point_count tells its dimension plus one. Points found later may be so far away that the
 * first ones prove to be one point to rounding: then those are looked for again. */
static bool widen(polytope* p)
{
    enum { MOST_TRIES = 8 };
    for (int i = 0; i < MOST_TRIES; ++i) {
        while (p->point_count < 4) {
            if (!add_farthest(p)) return false;
        }
        const kin_pair_point found[4] = {p->points[0], p->points[1], p->points[2], p->points[3]};
        take_independent(p, found, 4);
        if (p->point_count == 4) return true;
    }
    return false;
}

/* ---- faces ---- */

/* Its plane. A needle's normal is mostly rounding: such a face is never the nearest, and never seen. */
static void set_plane(polytope* p, int index)
{
    face* f = &p->faces[index];
    kin_vec3 a = x_of(p, f->v[0]), b = x_of(p, f->v[1]), c = x_of(p, f->v[2]), u = kin_sub(b, a), v = kin_sub(c, a), n = kin_cross(u, v);
    double square = kin_length2(n), longest2 = kin_max(kin_length2(u), kin_max(kin_length2(v), kin_length2(kin_sub(u, v))));
    bool is_needle = !(square > kin_square(16 * ROUNDING * p->scale) * longest2);
    f->normal = is_needle ? kin_v(0, 0, 0) : kin_scale(n, 1 / kin_sqrt(square));
    /* the mean of the corners' distances: none of the three is told apart by rounding */
    p->distance[index] = is_needle ? NEEDLE : kin_dot(f->normal, kin_add(kin_add(a, b), c)) / 3;
}

static int new_face(polytope* p, int a, int b, int c)
{
    int index = p->spare_count > 0 ? p->spare[--p->spare_count] : p->face_count++;
    face* f = &p->faces[index];
    f->v[0] = (uint16_t)a;
    f->v[1] = (uint16_t)b;
    f->v[2] = (uint16_t)c;
    set_plane(p, index);
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
    int best = 0;
    for (int i = 1; i < p->face_count; ++i) {
        if (p->distance[i] < p->distance[best]) best = i;
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
    p->distance[from] = DEAD;
    stack[top].face = (uint16_t)from, stack[top].start = 0, stack[top].done = 0;
    while (top >= 0) {
        const face* f = &p->faces[stack[top].face];
        if (stack[top].done == 3) {
            p->spare[p->spare_count++] = stack[top--].face;
            continue;
        }
        int k = (stack[top].start + stack[top].done++) % 3;
        uint16_t next = f->near[k];
        const face* g = &p->faces[next];
        if (p->distance[next] == DEAD) continue;
        uint8_t back = g->near[0] == stack[top].face && g->v[0] == f->v[(k + 1) % 3]   ? 0
                       : g->near[1] == stack[top].face && g->v[1] == f->v[(k + 1) % 3] ? 1
                                                                                       : 2;
        if (kin_dot(g->normal, x) - p->distance[next] > ROUNDING * p->scale) {
            p->distance[next] = DEAD;
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
    if (p->point_count >= 3) {
        normal = kin_triangle_normal(x_of(p, 0), x_of(p, 1), x_of(p, 2));
    } else {
        kin_vec3 d = kin_abs3(line);
        normal = kin_normalize_or(kin_cross(line, kin_axis(d.x <= d.y ? (d.x <= d.z ? 0 : 2) : (d.y <= d.z ? 1 : 2))), kin_v(1, 0, 0));
    }
    report(p, p->points, p->point_count < 3 ? p->point_count : 3, normal, 0, 0, out);
}

/* Of faces in one plane (a wide face of A - B is many triangles) that which holds the foot of the origin. `best` stands when none is nearer to it. */
static void face_of_foot(const polytope* p, kin_vec3 outward, double height, kin_pair_point best[3])
{
    double least = 1e300;
    for (int i = -1; i < p->face_count && least > kin_square(ROUNDING * p->scale); ++i) { /* -1: best itself */
        if (i >= 0 && !(p->distance[i] <= height + 16 * ROUNDING * p->scale && kin_dot(p->faces[i].normal, outward) > 1 - 1e-9)) continue;
        kin_pair_point corner[3];
        kin_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = i < 0 ? best[k] : p->points[p->faces[i].v[k]];
            x[k] = kin_add_scaled(corner[k].x, -height, outward);
        }
        double miss = kin_length2(kin_subset_volumes(x, 3).point);
        if (miss >= least) continue;
        least = miss;
        for (int k = 0; k < 3; ++k) best[k] = corner[k];
    }
}

/* Pushes out the nearest face until its support point is no farther; false when all faces are needles. The nearest face is a lower bound of the depth, every support plane an upper one. */
static bool expand(polytope* p, const kin_epa_settings* set, kin_epa_result* out)
{
    const int most = (int)kin_clamp(set->most_points, 4, MOST_POINTS);
    kin_pair_point best[3];
    kin_vec3 outward = {0, 1, 0};
    double upper = NEEDLE, lower = 0;
    horizon rim;
    for (;;) {
        int index = nearest_face(p);
        const face* f = &p->faces[index];
        double near = p->distance[index];
        if (near >= NEEDLE) break;
        kin_pair_point q = support(p, f->normal);
        double far = kin_max(kin_dot(q.x, f->normal), near);
        out->iterations++;
        lower = kin_max(lower, near);
        if (far < upper) {
            upper = far, outward = f->normal;
            for (int k = 0; k < 3; ++k) best[k] = p->points[f->v[k]];
        }
        if (far - near <= set->tolerance * kin_max(far, 0) + ROUNDING * p->scale || p->point_count >= most) break;
        p->points[p->point_count++] = q;
        open_hole(p, index, q.x, &rim);
        if (!close_hole(p, &rim, p->point_count - 1)) break;
    }
    if (upper < NEEDLE) face_of_foot(p, outward, upper, best), report(p, best, 3, outward, lower, upper, out);
    return upper < NEEDLE;
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
    p.face_count = p.spare_count = 0;
    p.scale = 0;
    take_independent(&p, start, count);
    bool is_solid = widen(&p);
    if (is_solid) first_faces(&p);
    if (!is_solid || !expand(&p, &set, out)) report_flat(&p, out);
    return true;
}
