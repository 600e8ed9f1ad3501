/* pairs.c - whose boxes overlap. Bodies are known to the broad phase by their fat boxes, so it hears only of those that left theirs; unbounded ones are
 * kept in a list of their own and met by every box that moves. */
#include "contact/realtime/realtime.h"
#include "math/aabb.h"

static bool has_simple_form(const kin_form* f) { return f->is_convex || !f->bounded; }

kin_rt_pair_kind kin_rt_kind_of(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    if (kin_rt_is_barred(rt, a, b) || (skin[a].sensor && skin[b].sensor)) return KIN_RT_BARRED;
    if (skin[a].sensor || skin[b].sensor) return KIN_RT_SENSOR;
    return has_simple_form(skin[a].form) && has_simple_form(skin[b].form) ? KIN_RT_SIMPLE : KIN_RT_COMPLEX;
}

/* ---- proxies ---- */

static bool meets(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_bodies* bodies = &rt->group->bodies;
    return (kin_rt_is_free(rt, a) || kin_rt_is_free(rt, b)) && kin_filter_meets(bodies->skin[a].filter, bodies->skin[b].filter);
}

void kin_rt_form_box_set(kin_realtime* rt, uint32_t body)
{
    const kin_body_skin* skin = &rt->group->bodies.skin[body];
    kin_rt_body* b = &rt->body[body];
    bool round = skin->form->is_convex && skin->form->convex.core == KIN_CORE_POINT;
    kin_aabb box = kin_aabb_transform(skin->place, skin->form->bounds);
    b->middle = kin_aabb_center(box);
    b->half = kin_scale(kin_aabb_size(box), 0.5);
    if (round) b->half = kin_v(skin->form->convex.radius, skin->form->convex.radius, skin->form->convex.radius);
    b->flags = (uint16_t)((b->flags & ~KIN_RT_ROUND) | (round ? KIN_RT_ROUND : 0));
}

kin_broad_def kin_rt_broad_def(const kin_realtime* rt)
{
    kin_broad_def def = kin_broad_def_default((kin_broad_kind)rt->group->def.broad_phase);
    def.margin = def.predict = 0; /* boxes are fat already */
    return def;
}

bool kin_rt_proxy_add(kin_realtime* rt, uint32_t body, const kin_aabb* fat)
{
    const kin_bodies* bodies = &rt->group->bodies;
    const kin_body_skin* skin = &bodies->skin[body];
    kin_rt_body* b = &rt->body[body];
    b->motion = bodies->motion[body];
    if (skin->form == NULL || b->motion == KIN_BODY_GONE) return true;
    if (!skin->form->bounded) {
        if (!kin_rt_list_reserve(rt, &rt->planes, rt->planes.count + (size_t)1)) return false;
        b->flags |= KIN_RT_UNBOUNDED | KIN_RT_LEFT;
        kin_rt_list_add(&rt->planes, body);
        return true;
    }
    kin_rt_form_box_set(rt, body);
    kin_aabb box = fat != NULL ? *fat : kin_form_box(skin->form, kin_bodies_form_pose(bodies, body));
    kin_broad_proxy_def def = {.box = box, .filter = skin->filter, .fixed = bodies->motion[body] != KIN_BODY_FREE, .user = body};
    if (kin_broad_insert(rt->broad, &def, &b->proxy, NULL) != KIN_OK) return false;
    b->flags |= KIN_RT_HAS_PROXY | KIN_RT_LEFT;
    return true;
}

void kin_rt_proxy_remove(kin_realtime* rt, uint32_t body)
{
    kin_rt_body* b = &rt->body[body];
    while (b->pairs != KIN_RT_NONE) kin_rt_pair_drop(rt, b->pairs);
    if (b->flags & KIN_RT_HAS_PROXY) kin_broad_remove(rt->broad, b->proxy);
    if (b->flags & KIN_RT_UNBOUNDED) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < rt->planes.count; ++i) {
            if (rt->planes.data[i] != body) rt->planes.data[kept++] = rt->planes.data[i];
        }
        rt->planes.count = kept;
    }
    b->flags &= (uint16_t) ~(KIN_RT_HAS_PROXY | KIN_RT_UNBOUNDED | KIN_RT_LEFT);
}

static bool same_filter(kin_filter a, kin_filter b) { return a.category == b.category && a.mask == b.mask && a.group == b.group; }

/* ---- what began and ended ---- */

static void begin_pair(kin_realtime* rt, uint32_t a, uint32_t b)
{
    uint32_t pair;
    if (!kin_rt_pair_make(rt, a < b ? a : b, a < b ? b : a, &pair)) {
        rt->out_of_memory = true;
        return;
    }
    if (kin_rt_pair_waits(rt, &rt->pairs[pair])) {
        kin_rt_idle_add(rt, pair);
    } else if (rt->pairs[pair].kind != KIN_RT_BARRED) { /* something was put beside one that sleeps */
        kin_rt_wake(rt, a);
        kin_rt_wake(rt, b);
    }
}

static void end_pair(kin_realtime* rt, uint32_t a, uint32_t b)
{
    uint32_t pair = kin_rt_pair_find(rt, a, b);
    if (pair != KIN_RT_NONE) kin_rt_pair_drop(rt, pair);
}

/* Does a box come within reach of a plane's half-space? */
static bool box_meets_plane(const kin_bodies* bodies, uint32_t plane, kin_aabb box)
{
    kin_transform pose = kin_bodies_form_pose(bodies, plane);
    kin_vec3 n = kin_rotate(pose.orientation, bodies->skin[plane].form->normal), half = kin_scale(kin_aabb_size(box), 0.5);
    return kin_dot(n, kin_sub(kin_aabb_center(box), pose.position)) <= kin_dot(kin_abs3(n), half);
}

static void meet_planes(kin_realtime* rt, uint32_t body)
{
    for (uint32_t i = 0; i < rt->planes.count; ++i) {
        uint32_t plane = rt->planes.data[i];
        if (!meets(rt, plane, body)) continue;
        bool now = box_meets_plane(&rt->group->bodies, plane, kin_rt_fat(rt, body));
        uint32_t pair = kin_rt_pair_find(rt, plane, body);
        if (now && pair == KIN_RT_NONE) begin_pair(rt, plane, body);
        if (!now && pair != KIN_RT_NONE) kin_rt_pair_drop(rt, pair);
    }
}

/* A fixed body that was put elsewhere: it keeps its pairs, and contacts find out by themselves how far it went. */
static bool shift_fixed(kin_realtime* rt, uint32_t body)
{
    const kin_bodies* bodies = &rt->group->bodies;
    kin_rt_body* b = &rt->body[body];
    kin_rt_line_load(rt, body, 0, 1);
    b->flags |= b->flags & KIN_RT_UNBOUNDED ? KIN_RT_LEFT : 0;
    if ((b->flags & KIN_RT_HAS_PROXY) == 0) return true;
    const kin_aabb box = kin_form_box(bodies->skin[body].form, kin_bodies_form_pose(bodies, body));
    if (kin_broad_shift(rt->broad, b->proxy, box, kin_v(0, 0, 0), NULL) != KIN_OK) return false;
    kin_broad_enlist(rt->broad, b->proxy);
    for (uint32_t p = b->pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) { /* a sleeping body near it may touch it now */
        if (rt->pairs[p].kind != KIN_RT_BARRED) kin_rt_wake(rt, rt->pairs[p].a == body ? rt->pairs[p].b : rt->pairs[p].a);
    }
    return true;
}

/* A free or keyed one is followed in every interval. */
void kin_rt_proxy_follow(kin_realtime* rt, uint32_t body)
{
    const kin_bodies* bodies = &rt->group->bodies;
    kin_rt_body* b = &rt->body[body];
    bool is_known = b->motion == bodies->motion[body];
    if (is_known && (b->flags & KIN_RT_HAS_PROXY)) is_known = same_filter(kin_broad_proxy_filter(rt->broad, b->proxy), bodies->skin[body].filter);
    if (is_known && b->motion != KIN_BODY_FIXED) return;
    if (is_known) {
        if (!shift_fixed(rt, body)) rt->out_of_memory = true;
        return;
    }
    kin_rt_proxy_remove(rt, body);
    kin_rt_solid_make(rt, body);
    kin_rt_line_load(rt, body, 0, 1);
    if (!kin_rt_proxy_add(rt, body, NULL)) rt->out_of_memory = true;
}

/* A plane that is new, or moves, is met by all. */
static void meet_new_planes(kin_realtime* rt)
{
    bool any = false;
    for (uint32_t i = 0; i < rt->planes.count; ++i) {
        kin_rt_body* b = &rt->body[rt->planes.data[i]];
        any |= (b->flags & KIN_RT_LEFT) != 0 || b->motion == KIN_BODY_KEYED;
        b->flags &= (uint16_t)~KIN_RT_LEFT;
    }
    for (uint32_t i = 0; any && i < rt->group->bodies.count; ++i) {
        if (rt->body[i].flags & KIN_RT_HAS_PROXY) meet_planes(rt, i);
    }
}

static void move_left_ones(kin_realtime* rt)
{
    meet_new_planes(rt);
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        uint32_t i = rt->active.data[k];
        kin_rt_body* b = &rt->body[i];
        if ((b->flags & KIN_RT_LEFT) == 0) continue;
        b->flags &= (uint16_t)~KIN_RT_LEFT;
        if (b->flags & KIN_RT_HAS_PROXY) {
            kin_broad_enlist(rt->broad, b->proxy);
            meet_planes(rt, i);
        }
    }
}

static uint32_t body_of(const kin_realtime* rt, uint32_t proxy) { return (uint32_t)kin_broad_user(rt->broad, proxy); }

void kin_rt_pairs(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    move_left_ones(rt);
    if (kin_broad_update(rt->broad, s->step->jobs, NULL) != KIN_OK) {
        rt->out_of_memory = true;
        return;
    }
    kin_broad_view ended = kin_broad_ended(rt->broad), begun = kin_broad_begun(rt->broad);
    for (size_t i = 0; i < ended.count; ++i) end_pair(rt, body_of(rt, ended.data[i].a), body_of(rt, ended.data[i].b));
    if (rt->recheck) begun = kin_broad_pairs(rt->broad);
    for (size_t i = 0; i < begun.count; ++i) {
        uint32_t a = body_of(rt, begun.data[i].a), b = body_of(rt, begun.data[i].b);
        if (!rt->recheck || kin_rt_pair_find(rt, a, b) == KIN_RT_NONE) begin_pair(rt, a, b);
    }
    rt->recheck = false;
}
