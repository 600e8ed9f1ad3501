/* questions.c - candidates from the tree over solids, each asked in turn, the best kept in order. */
#include "collision/questions.h"
#include "collision/manifold/manifold.h"
#include "collision/solids.h"
#include "math/aabb.h"

static bool wanted(const kin_solids* all, uint32_t index, const kin_asker* asker)
{
    if (asker == NULL) return true;
    if (index == asker->ignore || !kin_filter_meets(asker->filter, all->solids[index].filter)) return false;
    return asker->accept == NULL || asker->accept(asker->context, index);
}

/* Answers so far, sorted. */
typedef struct answers {
    kin_contact* list;
    int count, most;
    bool by_fraction;
} answers;

static bool before(const answers* a, const kin_contact* x, const kin_contact* y)
{
    double kx = a->by_fraction ? x->fraction : x->distance, ky = a->by_fraction ? y->fraction : y->distance;
    return kx != ky ? kx < ky : x->solid < y->solid;
}

static void insert(answers* a, const kin_contact* c)
{
    int at = a->count;
    while (at > 0 && before(a, c, &a->list[at - 1])) at -= 1;
    if (at >= a->most) return;
    if (a->count < a->most) a->count += 1;
    for (int i = a->count - 1; i > at; --i) a->list[i] = a->list[i - 1];
    a->list[at] = *c;
}

/* Beyond this no answer is of interest any more. */
static double limit_of(const answers* a, double limit)
{
    return a->count < a->most ? limit : a->by_fraction ? a->list[a->most - 1].fraction : a->list[a->most - 1].distance;
}

/* ---- rays ---- */

static void ask_ray(const kin_solids* all, uint32_t index, kin_vec3 origin, kin_vec3 direction, double limit, double s, const kin_asker* asker, answers* a)
{
    if (!wanted(all, index, asker)) return;
    const kin_form* form = all->solids[index].form;
    kin_transform pose = kin_solids_pose(all, index, s);
    kin_touch touch;
    if (!form->ops->ray(form, kin_unapply(pose, origin), kin_unrotate(pose.orientation, direction), limit, &touch)) return;
    kin_contact c = kin_solids_contact(all, index, s, &touch);
    insert(a, &c);
}

int kin_solids_ray_all(const kin_solids* all, kin_vec3 origin, kin_vec3 direction, double max_distance, double s, const kin_asker* asker, kin_contact* out,
                       int most)
{
    answers a = {out, 0, most, false};
    if (most < 1) return 0;
    for (uint32_t i = 0; i < all->plane_count; ++i) ask_ray(all, all->planes[i], origin, direction, limit_of(&a, max_distance), s, asker, &a);
    kin_bvh_walk walk;
    for (kin_bvh_path_begin(&walk, &all->tree, origin, direction, 0, limit_of(&a, max_distance)); kin_bvh_path_next(&walk);
         walk.limit = limit_of(&a, max_distance)) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            ask_ray(all, all->members[all->tree.items[i]], origin, direction, limit_of(&a, max_distance), s, asker, &a);
        }
    }
    return a.count;
}

/* ---- nearest points ---- */

static void ask_near(const kin_solids* all, uint32_t index, kin_vec3 center, double radius, double reach, double s, const kin_asker* asker, answers* a)
{
    if (!wanted(all, index, asker)) return;
    const kin_form* form = all->solids[index].form;
    kin_touch touch;
    if (form->ops->closest(form, kin_unapply(kin_solids_pose(all, index, s), center), radius + reach, &touch, 1) == 0) return;
    touch.distance -= radius;
    if (touch.distance > reach) return;
    kin_contact c = kin_solids_contact(all, index, s, &touch);
    insert(a, &c);
}

int kin_solids_near_all(const kin_solids* all, kin_vec3 center, double radius, double reach, double s, const kin_asker* asker, kin_contact* out, int most)
{
    answers a = {out, 0, most, false};
    if (most < 1) return 0;
    double margin = kin_max(radius + reach, 0);
    for (uint32_t i = 0; i < all->plane_count; ++i) ask_near(all, all->planes[i], center, radius, reach, s, asker, &a);
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &all->tree, kin_aabb_around(center, kin_v(margin, margin, margin))); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) ask_near(all, all->members[all->tree.items[i]], center, radius, reach, s, asker, &a);
    }
    return a.count;
}

/* ---- overlaps ---- */

static void ask_overlap(const kin_solids* all, uint32_t index, const kin_form* form, kin_transform pose, double margin, double s, const kin_asker* asker,
                        kin_arena* scratch, answers* a)
{
    if (!wanted(all, index, asker)) return;
    kin_transform solid = kin_solids_pose(all, index, s);
    kin_manifold m;
    if (kin_collide(form, pose, all->solids[index].form, solid, margin, NULL, scratch, &m, 1) == 0) return;
    const kin_manifold_point* p = &m.points[kin_manifold_deepest(&m)];
    kin_touch touch = {.distance = p->separation, .feature = m.triangle_b, .part = m.part_b};
    touch.point = kin_unapply(solid, kin_add_scaled(p->point, -0.5 * p->separation, m.normal));
    touch.normal = kin_unrotate(solid.orientation, m.normal);
    kin_contact c = kin_solids_contact(all, index, s, &touch);
    insert(a, &c);
}

int kin_solids_overlap_all(const kin_solids* all, const kin_form* form, kin_transform pose, double margin, double s, const kin_asker* asker, kin_arena* scratch,
                           kin_contact* out, int most)
{
    answers a = {out, 0, most, false};
    if (most < 1) return 0;
    for (uint32_t i = 0; i < all->plane_count; ++i) ask_overlap(all, all->planes[i], form, pose, margin, s, asker, scratch, &a);
    if (!form->bounded) {
        for (uint32_t i = 0; i < all->member_count; ++i) ask_overlap(all, all->members[i], form, pose, margin, s, asker, scratch, &a);
        return a.count;
    }
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &all->tree, kin_aabb_grow(kin_form_box(form, pose), margin)); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) ask_overlap(all, all->members[all->tree.items[i]], form, pose, margin, s, asker, scratch, &a);
    }
    return a.count;
}

/* ---- casts ---- */

typedef struct cast {
    const kin_form* form;
    const kin_screw* motion;
    double s;
    const kin_impact_settings* settings;
    const kin_asker* asker;
    kin_arena* scratch;
} cast;

static void ask_cast(const kin_solids* all, uint32_t index, const cast* q, answers* a)
{
    if (!wanted(all, index, q->asker)) return;
    const kin_solid* solid = &all->solids[index];
    kin_screw motion = q->s < 0 ? solid->motion : kin_screw_still(kin_solids_pose(all, index, q->s));
    kin_impact hit;
    if (!kin_impact_find(q->form, q->motion, solid->form, &motion, q->settings, q->scratch, &hit)) return;
    kin_transform pose = kin_screw_at(&motion, hit.t);
    kin_touch touch = {.distance = hit.distance, .feature = hit.triangle_b, .part = hit.part_b};
    touch.point = kin_unapply(pose, kin_add_scaled(hit.point, -0.5 * hit.distance, hit.normal));
    touch.normal = kin_unrotate(pose.orientation, hit.normal);
    kin_contact c = kin_solids_contact(all, index, q->s < 0 ? hit.t : q->s, &touch);
    c.fraction = hit.t;
    insert(a, &c);
}

int kin_solids_cast_all(const kin_solids* all, const kin_form* form, const kin_screw* motion, double s, const kin_impact_settings* settings,
                        const kin_asker* asker, kin_arena* scratch, kin_contact* out, int most)
{
    answers a = {out, 0, most, true};
    cast q = {form, motion, s, settings, asker, scratch};
    if (most < 1) return 0;
    for (uint32_t i = 0; i < all->plane_count; ++i) ask_cast(all, all->planes[i], &q, &a);
    kin_bvh_walk walk;
    kin_aabb box = kin_aabb_grow(kin_form_swept_box(form, motion), settings->tolerance);
    for (kin_bvh_overlap_begin(&walk, &all->tree, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) ask_cast(all, all->members[all->tree.items[i]], &q, &a);
    }
    return a.count;
}
