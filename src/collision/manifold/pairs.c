/* pairs.c - any two forms: parts taken apart, then the method of the pair.
 *
 *              convex     half-space  surface    field
 *   convex     faces      corners     facets     corners both ways
 *   half-space            none        corners    corners
 *   surface                           facets     corners
 *   field                                        corners both ways
 *
 * `corners`: the vertices of the one that are inside the other or within the margin, with the other's distance and normal there (G12.3). */
#include "collision/form/facets.h"
#include "collision/manifold/facets.h"
#include "collision/manifold/manifold.h"
#include "math/aabb.h"

#define SAME_FACE 0.999 /* cosine of normals that make one manifold on a surface */
#define SAME_SIDE 0.9   /* and of vertices in a field, whose normals turn from one to the next */

enum { FEW = 16, MANY = KIN_CLUSTERS }; /* clusters: of a convex body on a surface, of surfaces on each other */

typedef struct pair {
    const kin_form *a, *b;
    kin_transform pose_a, pose_b;
    uint32_t part_a, part_b;
    double margin;
    kin_collide_cache* cache;
    kin_arena* scratch;
    kin_manifold* out;
    int count, most;
} pair;

/* ---- keeping the deepest ---- */

static double depth_of(const kin_manifold* m) { return m->points[kin_manifold_deepest(m)].separation; }

/* Ties go to the lower parts, whatever the order of the tree. */
static bool goes_before(const pair* p, double depth, const kin_manifold* other)
{
    double theirs = depth_of(other);
    if (depth != theirs) return depth < theirs;
    return p->part_a != other->part_a ? p->part_a < other->part_a : p->part_b < other->part_b;
}

static void keep(pair* p, const kin_manifold* found)
{
    if (found->count == 0) return;
    int at = p->count;
    double depth = depth_of(found);
    while (at > 0 && goes_before(p, depth, &p->out[at - 1])) at -= 1;
    if (at >= p->most) return;
    if (p->count < p->most) p->count += 1;
    for (int i = p->count - 1; i > at; --i) p->out[i] = p->out[i - 1];
    p->out[at] = *found;
    p->out[at].part_a = p->part_a;
    p->out[at].part_b = p->part_b;
}

/* From the frame of `pose` to the world; flip: it was found with A and B exchanged. */
static void keep_in(pair* p, kin_manifold m, kin_transform pose, bool flip)
{
    m.normal = kin_rotate(pose.orientation, m.normal);
    for (int i = 0; i < m.count; ++i) m.points[i].point = kin_apply(pose, m.points[i].point);
    if (flip) {
        uint32_t triangle = m.triangle_a;
        m.normal = kin_neg(m.normal);
        m.triangle_a = m.triangle_b;
        m.triangle_b = triangle;
    }
    keep(p, &m);
}

static void keep_clusters(pair* p, const kin_clusters* clusters, kin_transform pose, bool flip)
{
    kin_manifold found[KIN_CLUSTERS];
    int count = kin_clusters_end(clusters, found, p->most < KIN_CLUSTERS ? p->most : KIN_CLUSTERS);
    for (int i = 0; i < count; ++i) keep_in(p, found[i], pose, flip);
}

/* ---- convex against convex ---- */

static void convex_convex(pair* p)
{
    kin_manifold m;
    kin_transform b_in_a = kin_transform_between(p->pose_a, p->pose_b);
    if (kin_collide_convex(&p->a->convex, &p->b->convex, b_in_a, p->margin, p->cache, &m)) keep_in(p, m, p->pose_a, false);
}

/* ---- half-spaces: what is below the plane ---- */

/* The face most square to the plane need not hold the point that is lowest. */
static void add_lowest(const pair* p, kin_vec3 n, kin_touches* touches)
{
    const kin_convex* c = &p->a->convex;
    uint32_t vertex = 0;
    const kin_vec3 low = kin_apply(p->pose_a, kin_convex_support(c, kin_unrotate(p->pose_a.orientation, kin_neg(n)), &vertex));
    const double height = kin_dot(n, kin_sub(low, p->pose_b.position)), separation = height - c->radius;
    if (separation > p->margin || kin_touches_deepest(touches) <= separation + 1e-9 * p->a->reach) return;
    if (touches->count == KIN_TOUCHES) touches->count -= 1;
    touches->triangles[touches->count] = 0;
    touches->points[touches->count++] = (kin_manifold_point){kin_add_scaled(low, -0.5 * (height + c->radius), n), separation, 0xffffffffu};
}

/* B is the plane. The face of the body towards it, corner by corner. */
static void convex_plane(pair* p, bool flip)
{
    kin_vec3 n = kin_rotate(p->pose_b.orientation, p->b->normal);
    kin_face face;
    kin_face_towards(&p->a->convex, kin_unrotate(p->pose_a.orientation, kin_neg(n)), &face);
    kin_face_transform(&face, p->pose_a);
    kin_touches touches;
    kin_face_above(&face, p->a->convex.radius, p->pose_b.position, n, p->margin, &touches);
    add_lowest(p, n, &touches);
    if (touches.count == 0) return;
    kin_manifold m = {.count = 0};
    kin_touches_reduce(&touches, n, &m);
    keep_in(p, m, kin_transform_identity(), flip);
}

/* ---- corners against distances ---- */

/* To particles a plane has two sides; to bodies what is below it is inside. */
static bool nearest_of(const kin_form* b, kin_vec3 x, double reach, kin_touch* touch)
{
    if (kin_form_class_of(b) != KIN_FORM_HALF_SPACE) return b->ops->closest(b, x, reach, touch, 1) > 0;
    *touch = (kin_touch){.distance = kin_dot(b->normal, x), .normal = b->normal};
    return true;
}

/* The sphere round a corner is of the surface only where it is not inside the rest of the body. */
static bool is_buried(const kin_form* a, kin_vec3 x, double deeper)
{
    kin_touch own;
    return a->ops->closest(a, x, 0, &own, 1) > 0 && own.distance < -deeper;
}

static void add_corner(kin_clusters* clusters, const kin_form* a, kin_transform a_in_b, const kin_form* b, kin_vec3 x, double radius, double margin,
                       uint32_t id)
{
    kin_touch touch;
    if (!nearest_of(b, x, margin + radius, &touch) || touch.distance - radius > margin) return;
    if (radius > 0 && is_buried(a, kin_unapply(a_in_b, kin_add_scaled(x, -radius, touch.normal)), margin)) return;
    kin_vec3 middle = kin_add_scaled(x, -0.5 * (touch.distance + radius), touch.normal);
    kin_clusters_add(clusters, touch.normal, &(kin_manifold_point){middle, touch.distance - radius, id}, touch.feature);
}

/* Of a curved surface the place where the other's distance falls no more: the support point against its normal there, and so on. */
static kin_vec3 settled(const kin_form* a, kin_transform a_in_b, const kin_form* b, kin_vec3 x)
{
    enum { MOST_STEPS = 32 };
    kin_touch touch, next;
    if (!nearest_of(b, x, a->reach, &touch)) return x;
    for (int i = 0; i < MOST_STEPS; ++i) {
        uint32_t vertex = 0;
        const kin_vec3 against = kin_unrotate(a_in_b.orientation, kin_neg(touch.normal)),
                       y = kin_apply(a_in_b, kin_convex_support(&a->convex, against, &vertex));
        if (!nearest_of(b, y, a->reach, &next) || !(next.distance < touch.distance)) break;
        x = y, touch = next;
    }
    return x;
}

/* Places that come to rest at one another are one. */
static void add_settled(kin_clusters* clusters, const kin_form* a, kin_transform a_in_b, const kin_form* b, const kin_form_corners* corners, double margin)
{
    enum { MOST = 26 };
    kin_vec3 found[MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < corners->count && count < MOST; ++i) {
        const kin_vec3 x = settled(a, a_in_b, b, kin_apply(a_in_b, corners->points[i]));
        bool is_known = false;
        for (uint32_t k = 0; k < count; ++k) is_known = is_known || kin_distance(found[k], x) < 0.02 * a->reach;
        if (is_known) continue;
        found[count++] = x;
        add_corner(clusters, a, a_in_b, b, x, 0, margin, i);
    }
}

static void add_corners_of(kin_clusters* clusters, const kin_form* a, kin_transform a_in_b, const kin_form* b, double margin, kin_arena* scratch)
{
    kin_form_corners corners;
    if (!kin_form_corners_of(a, scratch, &corners)) return;
    if (a->is_convex && a->convex.core == KIN_CORE_ELLIPSOID) {
        add_settled(clusters, a, a_in_b, b, &corners, margin);
        return;
    }
    kin_aabb box = kin_aabb_grow(b->bounds, margin + corners.radius);
    for (uint32_t i = 0; i < corners.count; ++i) {
        kin_vec3 x = kin_apply(a_in_b, corners.points[i]);
        if (!b->bounded || kin_aabb_contains(box, x)) add_corner(clusters, a, a_in_b, b, x, corners.radius, margin, i);
    }
}

/* A's corners against B. */
static void corners(pair* p, bool flip)
{
    kin_clusters clusters;
    if (!kin_clusters_begin(&clusters, p->scratch, FEW, SAME_SIDE, 0)) return;
    add_corners_of(&clusters, p->a, kin_transform_between(p->pose_b, p->pose_a), p->b, p->margin, p->scratch);
    keep_clusters(p, &clusters, p->pose_b, flip);
}

static pair exchanged(const pair* p)
{
    pair q = *p;
    q.a = p->b, q.b = p->a;
    q.pose_a = p->pose_b, q.pose_b = p->pose_a;
    return q;
}

static void corners_both_ways(pair* p, bool flip)
{
    corners(p, flip);
    pair q = exchanged(p);
    corners(&q, !flip);
    p->count = q.count;
}

/* ---- surfaces ---- */

/* B is a mesh or a height field. */
static void convex_surface(pair* p, bool flip)
{
    kin_clusters clusters;
    if (!kin_clusters_begin(&clusters, p->scratch, FEW, SAME_FACE, 2e-6 * p->a->reach)) return;
    kin_facets_collide(p->b, p->a, kin_transform_between(p->pose_b, p->pose_a), p->margin, &clusters);
    keep_clusters(p, &clusters, p->pose_b, flip);
}

/* Triangles against triangles, and the corners of each that are deep inside the other, where no triangle of that is near. */
static void surface_surface(pair* p)
{
    kin_clusters clusters;
    if (!kin_clusters_begin(&clusters, p->scratch, MANY, SAME_FACE, 2e-6 * kin_min(p->a->reach, p->b->reach))) return;
    kin_facets_face(p->a, p->b, kin_transform_between(p->pose_b, p->pose_a), p->margin, &clusters);
    keep_clusters(p, &clusters, p->pose_b, false);
    if (p->count == 0) corners_both_ways(p, false);
}

/* ---- dispatch ---- */

/* class of a <= class of b */
static void collide_ordered(pair* p, bool flip)
{
    kin_form_class a = kin_form_class_of(p->a), b = kin_form_class_of(p->b);
    if (a == KIN_FORM_CONVEX && b == KIN_FORM_CONVEX)
        convex_convex(p);
    else if (a == KIN_FORM_CONVEX && b == KIN_FORM_HALF_SPACE)
        convex_plane(p, flip);
    else if (a == KIN_FORM_CONVEX && b == KIN_FORM_SURFACE)
        convex_surface(p, flip);
    else if (a == KIN_FORM_HALF_SPACE && b == KIN_FORM_HALF_SPACE)
        return;
    else if (a == KIN_FORM_HALF_SPACE) {
        pair q = exchanged(p);
        corners(&q, !flip);
        p->count = q.count;
    } else if (a == KIN_FORM_SURFACE && b == KIN_FORM_SURFACE)
        surface_surface(p);
    else
        corners_both_ways(p, flip);
}

static void collide_simple(pair* p)
{
    if (p->a->bounded && p->b->bounded) {
        const double gap = kin_aabb_gap(kin_form_box(p->a, p->pose_a), kin_form_box(p->b, p->pose_b));
        if (p->cache != NULL) p->cache->gap = gap;
        if (gap > p->margin) return;
    }
    kin_arena_mark mark = kin_arena_begin(p->scratch);
    if (kin_form_class_of(p->a) <= kin_form_class_of(p->b)) {
        collide_ordered(p, false);
    } else {
        pair q = exchanged(p);
        collide_ordered(&q, true);
        p->count = q.count;
    }
    kin_arena_end(p->scratch, mark);
}

/* Every part of b that comes near. */
static void collide_parts_of_b(pair* p)
{
    if (p->b->part_count == 0) {
        collide_simple(p);
        return;
    }
    pair inner = *p;
    inner.cache = p->b->part_count == 1 ? p->cache : NULL;
    kin_aabb box = {{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}}; /* of a plane */
    if (p->a->bounded) box = kin_aabb_grow(kin_form_box(p->a, kin_transform_between(p->pose_b, p->pose_a)), p->margin);
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &p->b->tree, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            const kin_form_part* part = &p->b->parts[p->b->tree.items[i]];
            inner.b = part->form;
            inner.pose_b = kin_transform_mul(p->pose_b, part->pose);
            inner.part_b = p->b->tree.items[i];
            collide_simple(&inner);
        }
    }
    p->count = inner.count;
}

int kin_collide(const kin_form* a, kin_transform pose_a, const kin_form* b, kin_transform pose_b, double margin, kin_collide_cache* cache, kin_arena* scratch,
                kin_manifold* out, int most)
{
    pair p = {.a = a, .b = b, .pose_a = pose_a, .pose_b = pose_b, .margin = margin, .cache = cache, .scratch = scratch, .out = out, .most = most};
    if (cache != NULL) cache->gap = 0;
    if (a->part_count == 0) {
        collide_parts_of_b(&p);
        return p.count;
    }
    pair inner = p;
    for (uint32_t i = 0; i < a->part_count; ++i) {
        inner.a = a->parts[i].form;
        inner.pose_a = kin_transform_mul(pose_a, a->parts[i].pose);
        inner.part_a = i;
        inner.cache = a->part_count == 1 ? cache : NULL;
        collide_parts_of_b(&inner);
    }
    return inner.count;
}
