/* impact.c - the first impact of two forms: parts taken apart, surfaces triangle by triangle, the earliest kept. */
#include "collision/continuous/impact.h"
#include "collision/continuous/swept.h"
#include "collision/form/facets.h"
#include "math/aabb.h"

kin_impact_settings kin_impact_defaults(void) { return (kin_impact_settings){KIN_IMPACT_ADVANCE, 1e-6, 1e-9, 5000, false}; }

/* A form on its way: itself or a part of a compound. */
typedef struct traveller {
    const kin_form* form;
    kin_transform offset;
    const kin_screw* motion;
    uint32_t part;
} traveller;

typedef struct search {
    const kin_impact_settings* settings;
    kin_arena* scratch;
    kin_impact* best; /* best->t is the limit of what is still of interest */
    bool found;
} search;

static double reach_of(const traveller* x) { return kin_length(x->offset.position) + x->form->reach; }

static kin_swept swept_of(const traveller* x) { return (kin_swept){&x->form->convex, x->offset, x->motion, reach_of(x)}; }

/* Equal times: the first one stays, and the order of asking is fixed. */
static void keep(search* s, const kin_impact* hit, const traveller* a, const traveller* b, bool flip)
{
    s->best->iterations += hit->iterations;
    if (hit->kind == KIN_IMPACT_NONE || (s->found && hit->t >= s->best->t)) return;
    int iterations = s->best->iterations;
    *s->best = *hit;
    s->best->iterations = iterations;
    s->best->part_a = a->part;
    s->best->part_b = b->part;
    if (flip) {
        static const kin_impact_kind other[] = {KIN_IMPACT_NONE,        KIN_IMPACT_FACE_VERTEX, KIN_IMPACT_VERTEX_FACE,   KIN_IMPACT_EDGE_EDGE,
                                                KIN_IMPACT_EDGE_VERTEX, KIN_IMPACT_VERTEX_EDGE, KIN_IMPACT_VERTEX_VERTEX, KIN_IMPACT_EDGE_FACE,
                                                KIN_IMPACT_FACE_EDGE,   KIN_IMPACT_FACE_FACE,   KIN_IMPACT_ROUND};
        kin_impact* h = s->best;
        *h = (kin_impact){other[h->kind], h->t,      h->point,  kin_neg(h->normal), h->distance,   h->b,
                          h->a,           h->part_b, h->part_a, h->triangle_b,      h->triangle_a, h->iterations};
    }
    s->found = true;
}

static double limit_of(const search* s) { return s->found ? s->best->t : 1; }

static void convex_convex(search* s, const traveller* a, const traveller* b)
{
    kin_swept sa = swept_of(a), sb = swept_of(b);
    kin_impact hit = {.kind = KIN_IMPACT_NONE};
    if (!kin_advance(&sa, &sb, limit_of(s), s->settings, &hit)) hit.kind = KIN_IMPACT_NONE;
    keep(s, &hit, a, b, false);
}

static void convex_plane(search* s, const traveller* a, const traveller* b, bool flip)
{
    kin_swept sa = swept_of(a);
    kin_impact hit = {.kind = KIN_IMPACT_NONE};
    if (!kin_advance_plane(&sa, b->form->normal, b->motion, limit_of(s), s->settings, &hit)) hit.kind = KIN_IMPACT_NONE;
    keep(s, &hit, a, b, flip);
}

/* ---- surfaces ---- */

/* A box of b's frame that holds a sphere fixed to a's body over the whole interval. Its path as b sees it leaves the chord by at most an eighth of the
 * bound of its second derivative. */
static kin_aabb box_in_frame(const traveller* a, kin_vec3 center, double radius, const traveller* b)
{
    kin_transform start_b = kin_transform_mul(b->motion->start, b->offset), end_b = kin_transform_mul(b->motion->end, b->offset);
    kin_vec3 from = kin_unapply(start_b, kin_apply(a->motion->start, center)), to = kin_unapply(end_b, kin_apply(a->motion->end, center));
    double arm = kin_length(center), wa = a->motion->angle, wb = b->motion->angle;
    double speed = kin_length(kin_sub(a->motion->shift, b->motion->shift)) + wa * arm;
    double away = kin_length(kin_sub(a->motion->start.position, b->motion->start.position)) + speed + arm;
    double bend = (wb * wb * away + 2 * wb * speed + wa * wa * arm) / 8;
    return kin_aabb_grow((kin_aabb){kin_min3(from, to), kin_max3(from, to)}, radius + bend);
}

static void convex_facets(search* s, const traveller* a, const kin_swept* sa, kin_vec3 center, double radius, uint32_t triangle_a, const traveller* b,
                          bool flip)
{
    kin_aabb box = kin_aabb_grow(box_in_frame(a, center, radius, b), s->settings->tolerance);
    kin_facet_walk walk;
    for (kin_facets_begin(&walk, b->form, box); kin_facets_next(&walk);) {
        const kin_facet* f = walk.facet;
        kin_convex triangle = {.core = KIN_CORE_TRIANGLE, .p = {f->p[0], f->p[1], f->p[2]}};
        double reach = 0;
        for (int k = 0; k < 3; ++k) reach = kin_max(reach, kin_length(kin_apply(b->offset, f->p[k])));
        kin_swept sb = {&triangle, b->offset, b->motion, reach};
        kin_impact hit = {.kind = KIN_IMPACT_NONE};
        if (!kin_advance(sa, &sb, limit_of(s), s->settings, &hit)) hit.kind = KIN_IMPACT_NONE;
        hit.triangle_a = triangle_a;
        hit.triangle_b = f->triangle;
        keep(s, &hit, a, b, flip);
    }
}

static void convex_surface(search* s, const traveller* a, const traveller* b, bool flip)
{
    kin_swept sa = swept_of(a);
    convex_facets(s, a, &sa, a->offset.position, a->form->reach, 0, b, flip);
}

/* Every triangle of a as a convex thing. */
static void surface_surface(search* s, const traveller* a, const traveller* b, bool flip)
{
    if (a->form->mesh == NULL) return; /* two grounds do not meet */
    const kin_mesh* mesh = a->form->mesh->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        kin_convex triangle = {.core = KIN_CORE_TRIANGLE};
        kin_vec3 middle = {0, 0, 0};
        double reach = 0, radius = 0;
        for (int k = 0; k < 3; ++k) {
            triangle.p[k] = mesh->vertices[mesh->triangles[t][k]];
            kin_vec3 corner = kin_apply(a->offset, triangle.p[k]);
            middle = kin_add_scaled(middle, 1.0 / 3, corner);
            reach = kin_max(reach, kin_length(corner));
        }
        for (int k = 0; k < 3; ++k) radius = kin_max(radius, kin_distance(middle, kin_apply(a->offset, triangle.p[k])));
        kin_swept sa = {&triangle, a->offset, a->motion, reach};
        convex_facets(s, a, &sa, middle, radius, t, b, flip);
    }
}

/* ---- corners against planes and fields ---- */

static void try_corner(search* s, const traveller* a, kin_vec3 corner, double radius, uint32_t number, const traveller* b, bool flip)
{
    const kin_convex point = {.core = KIN_CORE_POINT, .radius = radius};
    kin_vec3 x = kin_apply(a->offset, corner);
    const kin_swept sa = {&point, {x, kin_quat_identity()}, a->motion, kin_length(x)};
    kin_impact hit = {.kind = KIN_IMPACT_NONE};
    bool met = b->form->bounded ? kin_advance_point(&sa, b->form, b->offset, b->motion, limit_of(s), s->settings, &hit)
                                : kin_advance_plane(&sa, b->form->normal, b->motion, limit_of(s), s->settings, &hit);
    if (!met) hit.kind = KIN_IMPACT_NONE;
    hit.a = number;
    keep(s, &hit, a, b, flip);
}

static void corners(search* s, const traveller* a, const traveller* b, bool flip)
{
    kin_form_corners list;
    kin_arena_mark mark = kin_arena_begin(s->scratch);
    if (kin_form_corners_of(a->form, s->scratch, &list)) {
        for (uint32_t i = 0; i < list.count; ++i) try_corner(s, a, list.points[i], list.radius, i, b, flip);
    }
    kin_arena_end(s->scratch, mark);
}

/* ---- dispatch ---- */

static void search_simple(search* s, const traveller* a, const traveller* b, bool flip)
{
    kin_form_class ca = kin_form_class_of(a->form), cb = kin_form_class_of(b->form);
    if (ca > cb) {
        search_simple(s, b, a, !flip);
    } else if (ca == KIN_FORM_CONVEX && cb == KIN_FORM_CONVEX) {
        if (flip)
            convex_convex(s, b, a);
        else
            convex_convex(s, a, b);
    } else if (ca == KIN_FORM_CONVEX && cb == KIN_FORM_HALF_SPACE) {
        convex_plane(s, a, b, flip);
    } else if (ca == KIN_FORM_CONVEX && cb == KIN_FORM_SURFACE) {
        convex_surface(s, a, b, flip);
    } else if (ca == KIN_FORM_HALF_SPACE) {
        if (cb != KIN_FORM_HALF_SPACE) corners(s, b, a, !flip);
    } else if (ca == KIN_FORM_SURFACE && cb == KIN_FORM_SURFACE) {
        if (a->form->mesh != NULL)
            surface_surface(s, a, b, flip);
        else
            surface_surface(s, b, a, !flip);
    } else { /* fields */
        corners(s, a, b, flip);
        corners(s, b, a, !flip);
    }
}

static traveller part_of(const kin_form* whole, const kin_screw* motion, uint32_t i)
{
    if (whole->part_count == 0) return (traveller){whole, kin_transform_identity(), motion, 0};
    return (traveller){whole->parts[i].form, whole->parts[i].pose, motion, i};
}

static bool advance_forms(const kin_form* a, const kin_screw* motion_a, const kin_form* b, const kin_screw* motion_b, const kin_impact_settings* settings,
                          kin_arena* scratch, kin_impact* out)
{
    search s = {settings, scratch, out, false};
    uint32_t count_a = a->part_count > 0 ? a->part_count : 1, count_b = b->part_count > 0 ? b->part_count : 1;
    for (uint32_t i = 0; i < count_a; ++i) {
        for (uint32_t k = 0; k < count_b; ++k) {
            traveller x = part_of(a, motion_a, i), y = part_of(b, motion_b, k);
            search_simple(&s, &x, &y, false);
        }
    }
    return s.found;
}

bool kin_impact_find(const kin_form* a, const kin_screw* motion_a, const kin_form* b, const kin_screw* motion_b, const kin_impact_settings* settings,
                     kin_arena* scratch, kin_impact* out)
{
    *out = (kin_impact){.kind = KIN_IMPACT_NONE};
    if (a->bounded && b->bounded) {
        kin_aabb box = kin_aabb_grow(kin_form_swept_box(a, motion_a), settings->tolerance);
        if (!kin_aabb_overlaps(box, kin_form_swept_box(b, motion_b))) return false;
    }
    switch (settings->method) {
    case KIN_IMPACT_BISECT: return kin_impact_bisect(a, motion_a, b, motion_b, settings, scratch, out);
    case KIN_IMPACT_FEATURES: return kin_impact_chords(a, motion_a, b, motion_b, scratch, out);
    case KIN_IMPACT_ADVANCE: break;
    }
    return advance_forms(a, motion_a, b, motion_b, settings, scratch, out);
}
