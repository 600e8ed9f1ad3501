/* contacts.h - the law of contact points: each lies on both bodies, within the margin and half of what they overlap. Bodies of any two kinds at any sizes, laid against
 * each other at random; distances by the forms themselves, whose own tests they have. Shared by validation/collision/contacts.c and the tests of manifolds. */
#pragma once
#include "collision/manifold/manifold.h"
#include "geometry/height/height.h"
#include "validation/collision/dice.h"
#include <math.h>
#include <string.h>

typedef enum contact_kind {
    CONTACT_SPHERE,
    CONTACT_BOX,
    CONTACT_CAPSULE,
    CONTACT_CYLINDER,
    CONTACT_CONE,
    CONTACT_HULL,
    CONTACT_PLANE,
    CONTACT_MESH,
    CONTACT_SHEET, /* an open mesh */
    CONTACT_HEIGHTS,
    CONTACT_FIELD,
    CONTACT_COMPOUND,
    CONTACT_ELLIPSOID,
    CONTACT_KINDS
} contact_kind;

static const char* const contact_names[CONTACT_KINDS] = {"sphere", "box",   "capsule", "cylinder", "cone",     "hull",     "plane",
                                                         "mesh",   "sheet", "heights", "field",    "compound", "ellipsoid"};

/* ---- drawing ---- */

static inline double contact_power(kin_dice* d, double low, double high) { return pow(10, kin_dice_roll(d, low, high)); }

/* A ring with a square section (closed) and a bent sheet (open), in units of their size. */
static inline void contact_ring(kin_vec3* v, uint32_t (*q)[4])
{
    for (uint32_t i = 0; i < 12; ++i) {
        double a = 2 * KIN_PI * i / 12;
        for (uint32_t k = 0; k < 4; ++k) {
            double r = k == 0 || k == 3 ? 0.6 : 1, y = k < 2 ? -0.25 : 0.25;
            v[4 * i + k] = kin_v(r * cos(a), y, -r * sin(a));
            const uint32_t j = (i + 1) % 12, n = (k + 1) % 4, corners[4] = {4 * i + k, 4 * j + k, 4 * j + n, 4 * i + n};
            memcpy(q[4 * i + k], corners, sizeof corners);
        }
    }
}

static inline void contact_sheet(kin_vec3* v, uint32_t (*t)[3])
{
    for (uint32_t i = 0; i < 25; ++i) {
        double x = i % 5 * 0.5 - 1, z = i / 5 * 0.5 - 1;
        v[i] = kin_v(x, 0.2 * x * z, z);
    }
    for (uint32_t i = 0, n = 0; i < 16; ++i) {
        const uint32_t a = i / 4 * 5 + i % 4, two[2][3] = {{a, a + 5, a + 1}, {a + 1, a + 5, a + 6}};
        memcpy(t[n], two, sizeof two), n += 2;
    }
}

/* Of half size `size`, m; flat and long ones among them. NULL: out of memory. */
static inline kin_form* contact_form(kin_dice* d, contact_kind kind, double size)
{
    const kin_allocator allocator = kin_allocator_default();
    kin_vec3 points[48], aspect = {1, 1, 1};
    uint32_t quads[48][4], triangles[32][3], four[48];
    double heights[25];
    for (int k = 0; k < 48; ++k) four[k] = 4;
    if (kin_dice_roll(d, 0, 1) < 0.5) aspect = kin_v(contact_power(d, -2, 0), contact_power(d, -2, 0), contact_power(d, -2, 0));
    const double most = kin_largest(aspect);
    aspect = kin_scale(aspect, size / most);
    kin_shape s = {.kind = KIN_SHAPE_SPHERE, .radius = size}, parts[2] = {{.kind = KIN_SHAPE_SPHERE}};
    switch (kind) {
    case CONTACT_BOX: s = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_scale(aspect, 2)}; break;
    case CONTACT_CAPSULE: s = (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = aspect.x, .length = 2 * aspect.y}; break;
    case CONTACT_CYLINDER: s = (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = aspect.x, .length = 2 * aspect.y}; break;
    case CONTACT_CONE: s = (kin_shape){.kind = KIN_SHAPE_CONE, .radius = aspect.x, .length = 2 * aspect.y}; break;
    case CONTACT_ELLIPSOID: s = (kin_shape){.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = aspect}; break;
    case CONTACT_HULL:
        for (int k = 0; k < 14; ++k) points[k] = kin_mul(aspect, kin_dice_direction(d));
        s = (kin_shape){.kind = KIN_SHAPE_HULL, .points = {points, 14}};
        break;
    case CONTACT_PLANE: s = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}; break;
    case CONTACT_MESH:
    case CONTACT_FIELD:
        contact_ring(points, quads);
        s = (kin_shape){
            .kind = kind == CONTACT_MESH ? KIN_SHAPE_MESH : KIN_SHAPE_FIELD, .mesh = {points, 48, four, &quads[0][0], 48}, .scale = {size, size, size}};
        s.resolution = 24;
        break;
    case CONTACT_SHEET:
        contact_sheet(points, triangles);
        s = (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {points, 25, NULL, &triangles[0][0], 32}, .scale = {size, size, size}};
        break;
    case CONTACT_HEIGHTS:
        for (int k = 0; k < 25; ++k) heights[k] = kin_dice_roll(d, 0, 0.3 * size);
        s = (kin_shape){.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {heights, 25}, .columns = 5, .size = {2 * size, 1, 2 * size}}};
        break;
    case CONTACT_COMPOUND:
        parts[0] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_scale(aspect, 2), .offset = {-0.7 * aspect.x, 0, 0}};
        parts[1] = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = aspect.x, .offset = {0.7 * aspect.x, 0, 0}};
        s = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
        break;
    default: break;
    }
    kin_form* form = NULL;
    (void)kin_form_create(&allocator, &s, &form, NULL);
    return form;
}

/* A point of the surface, its normal, and whether it is flat there: one seen from a random place outside. */
static inline bool contact_surface(kin_dice* d, const kin_form* f, double size, kin_vec3* at, kin_vec3* normal)
{
    kin_touch touch;
    kin_vec3 from = kin_scale(kin_dice_direction(d), 3 * size);
    if (!f->bounded) from = kin_v(kin_dice_roll(d, -size, size), size, kin_dice_roll(d, -size, size));
    if (kin_dice_roll(d, 0, 1) < 0.3) from = kin_scale(kin_axis((int)kin_dice_roll(d, 0, 2.999)), kin_dice_roll(d, 0, 1) < 0.5 ? 3 * size : -3 * size);
    if (f->ops->closest(f, from, 100 * size, &touch, 1) < 1) return false;
    *at = kin_add_scaled(from, -touch.distance, touch.normal);
    *normal = touch.normal;
    return true;
}

/* From the first direction to the second (unit), then by a random turn about it. */
static inline kin_quat contact_turn(kin_dice* d, kin_vec3 from, kin_vec3 to, bool flat)
{
    kin_vec3 across = kin_cross(from, to);
    double c = kin_dot(from, to);
    kin_quat q = c < -1 + 1e-12
                     ? kin_quat_axis_angle(kin_normalize_or(kin_cross(from, kin_abs(from.x) < 0.7 ? kin_v(1, 0, 0) : kin_v(0, 1, 0)), kin_v(0, 1, 0)), KIN_PI)
                     : kin_quat_normalize((kin_quat){across.x, across.y, across.z, 1 + c});
    double lean = flat ? 0 : contact_power(d, -6, 0.3);
    q = kin_quat_mul(kin_quat_axis_angle(to, kin_dice_roll(d, -3, 3)), q);
    return kin_quat_normalize(kin_quat_mul(kin_quat_axis_angle(kin_dice_direction(d), lean), q));
}

/* ---- the law ---- */

typedef struct contact_law {
    long pairs, points;
    long off;     /* points that are not on both */
    double worst; /* by how many margins */
} contact_law;

typedef struct contact_pair {
    const kin_form *a, *b;
    kin_transform pose_a, pose_b;
    double size_a, size_b, margin;
} contact_pair;

static inline double contact_distance(const kin_form* f, uint32_t part, kin_transform pose, kin_vec3 x)
{
    kin_touch touch;
    if (f->part_count > 0) pose = kin_transform_mul(pose, f->parts[part].pose), f = f->parts[part].form;
    x = kin_unapply(pose, x);
    if (!f->bounded) return kin_dot(f->normal, x);
    return f->ops->closest(f, x, 1e30, &touch, 1) > 0 ? touch.distance : 1e30;
}

/* What a form says of distances: a field's values are those of its cells. */
static inline double contact_grain(const kin_form* f, double size) { return f->kind == KIN_SHAPE_FIELD ? 2 * size / 24 : 1e-9 * size; }

/* By how much a point is beyond what it may be, m. */
static inline double contact_off(const contact_pair* p, const kin_manifold* m, int k)
{
    const kin_manifold_point* x = &m->points[k];
    double grain = contact_grain(p->a, p->size_a) + contact_grain(p->b, p->size_b), limit = p->margin + 0.5 * kin_max(0, -x->separation) + grain;
    double on_a = kin_abs(contact_distance(p->a, m->part_a, p->pose_a, x->point)), on_b = kin_abs(contact_distance(p->b, m->part_b, p->pose_b, x->point));
    return kin_max(on_a, on_b) - limit;
}

/* Two forms laid against each other at a point of each: a hair apart, or overlapping by up to three margins. */
static inline bool contact_lay(kin_dice* d, const kin_form* a, double size_a, const kin_form* b, double size_b, contact_pair* p)
{
    kin_vec3 at_a, at_b, na, nb;
    *p = (contact_pair){.a = a, .b = b, .size_a = size_a, .size_b = size_b, .margin = contact_power(d, -3, -1) * kin_min(size_a, size_b)};
    if (!contact_surface(d, a, size_a, &at_a, &na) || !contact_surface(d, b, size_b, &at_b, &nb)) return false;
    p->pose_a = (kin_transform){kin_dice_vec3(d, kin_max(size_a, size_b)), kin_dice_turn(d)};
    kin_vec3 n = kin_rotate(p->pose_a.orientation, na);
    p->pose_b.orientation = contact_turn(d, nb, kin_neg(n), kin_dice_roll(d, 0, 1) < 0.4);
    double gap = kin_dice_roll(d, -3, 1) * p->margin;
    p->pose_b.position = kin_sub(kin_add_scaled(kin_apply(p->pose_a, at_a), gap, n), kin_rotate(p->pose_b.orientation, at_b));
    return true;
}

static inline void contact_check(const contact_pair* p, const kin_manifold* m, int count, contact_law* law)
{
    law->pairs += 1;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < m[i].count; ++k) {
            double off = contact_off(p, &m[i], k);
            law->points += 1;
            law->off += off > 0;
            law->worst = kin_max(law->worst, off / p->margin);
        }
    }
}

/* Pairs of two kinds, each form laid several times. */
static inline void contact_kinds(kin_dice* d, contact_kind a, contact_kind b, int forms, int times, kin_arena* scratch, contact_law* law)
{
    for (int i = 0; i < forms; ++i) {
        double size_a = contact_power(d, -3, 3), size_b = size_a * contact_power(d, -3, 3);
        size_b = kin_clamp(size_b, 1e-3, 1e3);
        kin_form *fa = contact_form(d, a, size_a), *fb = contact_form(d, b, size_b);
        for (int k = 0; k < times && fa != NULL && fb != NULL; ++k) {
            kin_manifold m[8];
            contact_pair p;
            if (!contact_lay(d, fa, size_a, fb, size_b, &p)) continue;
            contact_check(&p, m, kin_collide(fa, p.pose_a, fb, p.pose_b, p.margin, NULL, scratch, m, 8), law);
        }
        kin_form_drop(fa);
        kin_form_drop(fb);
    }
}

/* ---- flat on each other ---- */

typedef struct contact_polygon {
    double u[64], v[64];
    int count;
} contact_polygon;

static inline double contact_area(const contact_polygon* p)
{
    double twice = 0;
    for (int i = 0; i < p->count; ++i) twice += p->u[i] * p->v[(i + 1) % p->count] - p->v[i] * p->u[(i + 1) % p->count];
    return 0.5 * twice;
}

static inline double contact_extent(const contact_polygon* p, double angle)
{
    double low = 1e300, high = -1e300, c = cos(angle), s = sin(angle);
    for (int i = 0; i < p->count; ++i) low = kin_min(low, c * p->u[i] + s * p->v[i]), high = kin_max(high, c * p->u[i] + s * p->v[i]);
    return high - low;
}

/* What is left of p on the left of a line. */
static inline void contact_cut(contact_polygon* p, double au, double av, double bu, double bv)
{
    contact_polygon q = {.count = 0};
    double du = bu - au, dv = bv - av;
    for (int i = 0; i < p->count; ++i) {
        int j = (i + 1) % p->count;
        double x = du * (p->v[i] - av) - dv * (p->u[i] - au), y = du * (p->v[j] - av) - dv * (p->u[j] - au);
        if (x >= 0) q.u[q.count] = p->u[i], q.v[q.count++] = p->v[i];
        if ((x < 0) == (y < 0)) continue;
        double t = x / (x - y);
        q.u[q.count] = p->u[i] + t * (p->u[j] - p->u[i]), q.v[q.count++] = p->v[i] + t * (p->v[j] - p->v[i]);
    }
    *p = q;
}

/* The largest face of a box or hull, counter-clockwise from outside. */
static inline int contact_largest_face(const kin_hull* h)
{
    int best = 0;
    double most = 0;
    for (uint32_t f = 0; f < h->face_count; ++f) {
        kin_vec3 sum = {0, 0, 0}, a = h->vertices[h->edges[h->face_edge[f]].origin];
        for (uint32_t e = h->edges[h->face_edge[f]].next; e != h->face_edge[f]; e = h->edges[e].next)
            sum = kin_add(sum, kin_cross(kin_sub(h->vertices[h->edges[e].origin], a), kin_sub(h->vertices[kin_hull_end(h, e)], a)));
        if (kin_length(sum) > most) most = kin_length(sum), best = (int)f;
    }
    return best;
}

static inline contact_polygon contact_outline(const kin_hull* h, int face, kin_transform pose, kin_vec3 u, kin_vec3 v, bool back)
{
    contact_polygon p = {.count = 0};
    uint32_t first = h->face_edge[face], e = first;
    do {
        kin_vec3 x = kin_apply(pose, h->vertices[h->edges[e].origin]);
        p.u[p.count] = kin_dot(u, x), p.v[p.count++] = kin_dot(v, x);
        e = h->edges[e].next;
    } while (e != first && p.count < 30);
    for (int i = 0; back && i < p.count / 2; ++i) {
        double uu = p.u[i], vv = p.v[i];
        p.u[i] = p.u[p.count - 1 - i], p.v[i] = p.v[p.count - 1 - i], p.u[p.count - 1 - i] = uu, p.v[p.count - 1 - i] = vv;
    }
    return p;
}

typedef struct contact_flat {
    long pairs, found;               /* laid; with a manifold along the faces */
    double least_area, least_extent; /* of the points, as parts of the overlap's */
    double least_corner;             /* area where the overlap has four corners at most */
} contact_flat;

static inline contact_flat contact_flat_zero(void) { return (contact_flat){0, 0, 1, 1, 1}; }

/* Whatever the points are in turn, they span this polygon. */
static inline contact_polygon contact_hull_of(const kin_manifold* m, kin_vec3 u, kin_vec3 v)
{
    contact_polygon p = {.count = 0};
    bool used[4] = {false};
    double cu = 0, cv = 0;
    for (int k = 0; k < m->count; ++k) cu += kin_dot(u, m->points[k].point) / m->count, cv += kin_dot(v, m->points[k].point) / m->count;
    for (int n = 0; n < m->count; ++n) {
        int best = -1;
        double least = 10;
        for (int k = 0; k < m->count; ++k) {
            double a = atan2(kin_dot(v, m->points[k].point) - cv, kin_dot(u, m->points[k].point) - cu);
            if (!used[k] && a < least) least = a, best = k;
        }
        used[best] = true;
        p.u[p.count] = kin_dot(u, m->points[best].point), p.v[p.count++] = kin_dot(v, m->points[best].point);
    }
    return p;
}

/* Two polyhedra with their largest faces on each other, a little into each other. */
static inline void contact_flat_pair(kin_dice* d, const kin_form* a, double size_a, const kin_form* b, double size_b, kin_arena* scratch, contact_flat* law)
{
    kin_box_hull box_a, box_b;
    const kin_hull *ha = a->hull != NULL ? a->hull : kin_box_hull_set(&box_a, a->convex.half),
                   *hb = b->hull != NULL ? b->hull : kin_box_hull_set(&box_b, b->convex.half);
    int fa = contact_largest_face(ha), fb = contact_largest_face(hb);
    double thin = kin_min(6 * ha->volume / ha->area, 6 * hb->volume / hb->area), sink = contact_power(d, -6, -2) * thin, margin = 0.01 * thin;
    kin_transform pose_a = {kin_dice_vec3(d, size_a), kin_dice_turn(d)}, pose_b;
    kin_vec3 n = kin_rotate(pose_a.orientation, ha->planes[fa].normal),
             u = kin_normalize_or(kin_cross(n, kin_abs(n.x) < 0.7 ? kin_v(1, 0, 0) : kin_v(0, 1, 0)), n), v = kin_cross(n, u);
    pose_b.orientation = contact_turn(d, hb->planes[fb].normal, kin_neg(n), true);
    kin_vec3 on_a = kin_apply(pose_a, ha->vertices[ha->edges[ha->face_edge[fa]].origin]),
             on_b = kin_rotate(pose_b.orientation, hb->vertices[hb->edges[hb->face_edge[fb]].origin]);
    kin_vec3 aside = kin_add(kin_scale(u, kin_dice_roll(d, -1, 1) * kin_max(size_a, size_b)), kin_scale(v, kin_dice_roll(d, -1, 1) * kin_max(size_a, size_b)));
    pose_b.position = kin_add(kin_sub(kin_add_scaled(on_a, -sink, n), on_b), kin_scale(aside, kin_dice_roll(d, 0, 1)));
    contact_polygon all = contact_outline(ha, fa, pose_a, u, v, false), by = contact_outline(hb, fb, pose_b, u, v, true);
    for (int i = 0; i < by.count; ++i) contact_cut(&all, by.u[i], by.v[i], by.u[(i + 1) % by.count], by.v[(i + 1) % by.count]);
    double narrow = 1e300;
    for (int k = 0; k < 12 && all.count > 2; ++k) narrow = kin_min(narrow, contact_extent(&all, KIN_PI * k / 12));
    if (all.count < 3 || narrow < 10 * sink) return; /* they touch along an edge at most */
    kin_manifold m;
    law->pairs += 1;
    if (kin_collide(a, pose_a, b, pose_b, margin, NULL, scratch, &m, 1) != 1 || kin_dot(m.normal, n) > -1 + 1e-9) return;
    law->found += 1;
    contact_polygon kept = contact_hull_of(&m, u, v);
    double area = contact_area(&kept) / contact_area(&all);
    law->least_area = kin_min(law->least_area, area);
    if (all.count <= 4) law->least_corner = kin_min(law->least_corner, area);
    for (int k = 0; k < 12; ++k) law->least_extent = kin_min(law->least_extent, contact_extent(&kept, KIN_PI * k / 12) / contact_extent(&all, KIN_PI * k / 12));
}

static inline void contact_flats(kin_dice* d, int forms, int times, kin_arena* scratch, contact_flat* law)
{
    for (int i = 0; i < forms; ++i) {
        double size_a = contact_power(d, -3, 3), size_b = kin_clamp(size_a * contact_power(d, -3, 3), 1e-3, 1e3);
        kin_form *a = contact_form(d, i % 2 ? CONTACT_HULL : CONTACT_BOX, size_a), *b = contact_form(d, i % 3 ? CONTACT_HULL : CONTACT_BOX, size_b);
        for (int k = 0; k < times && a != NULL && b != NULL; ++k) contact_flat_pair(d, a, size_a, b, size_b, scratch, law);
        kin_form_drop(a);
        kin_form_drop(b);
    }
}
