/* events.c - what is told of an interval: touches that begin and end, hits, things in sensors. Threads find nothing out: changes are read off the lanes,
 * sorted by bodies, and told in that order. */
#include "base/alloc.h"
#include "base/sort.h"
#include "contact/realtime/realtime.h"

static kin_anchor anchor_of(const kin_realtime* rt, uint32_t body, kin_vec3 point)
{
    const kin_bodies* b = &rt->group->bodies;
    kin_anchor a = b->skin[body].owner;
    a.local = kin_unapply(kin_bodies_form_pose(b, body), point);
    return a;
}

void kin_rt_tell(kin_realtime* rt, kin_touch_event_kind kind, uint32_t a, uint32_t b, const kin_touch_event* about)
{
    if (!kin_reserve(&rt->allocator, (void**)&rt->news, &rt->news_capacity, rt->news_count + 1, sizeof *rt->news)) {
        rt->group->events->lost = true;
        return;
    }
    kin_touch_event e = *about;
    e.kind = kind;
    e.a = anchor_of(rt, a, e.point);
    e.b = anchor_of(rt, b, e.point);
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    rt->news[rt->news_count++] = (kin_rt_news){(uint64_t)low << 32 | high, e};
}

/* Before the interval. A block's bodies were written by it already; their lines were not. */
static kin_vec3 velocity_before(const kin_realtime* rt, uint32_t body, kin_vec3 at)
{
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(body)];
    kin_body b = rt->group->bodies.body[body];
    b.position = rt->lines.place[kin_rt_line(body)];
    if (rt->body[body].flags & KIN_RT_IN_BLOCK) {
        b.velocity = kin_v((double)m->v[0], (double)m->v[1], (double)m->v[2]);
        b.spin = kin_v((double)m->w[0], (double)m->w[1], (double)m->w[2]);
    }
    return kin_body_velocity_at(&b, at);
}

/* Where a contact is, how its bodies met there, and how hard. */
static kin_touch_event about_contact(const kin_realtime* rt, uint32_t contact)
{
    const kin_rt_contact* t = &rt->contacts[contact];
    const kin_rt_pair* p = &rt->pairs[t->pair];
    kin_rt_rows* r = &rt->colour[t->colour].rows[t->slot / KIN_RT_LANES];
    uint32_t l = t->slot % KIN_RT_LANES;
    kin_vec3 n = kin_rt_vector(r->n, l), at = kin_add(rt->lines.place[kin_rt_line(p->a)], kin_rt_vector(r->arm_a, l));
    double closing = kin_dot(n, kin_sub(velocity_before(rt, p->a, at), velocity_before(rt, p->b, at)));
    return (kin_touch_event){.point = at, .normal = kin_neg(n), .speed = kin_max(closing, 0), .impulse = (double)r->pressed[l]};
}

static bool is_pressed(const kin_realtime* rt, const kin_rt_contact* t)
{
    return rt->colour[t->colour].rows[t->slot / KIN_RT_LANES].pressed[t->slot % KIN_RT_LANES] > 0;
}

void kin_rt_touch_over(kin_realtime* rt, uint32_t pair)
{
    kin_rt_pair* p = &rt->pairs[pair];
    if ((p->flags & KIN_RT_PAIR_TOUCHES) == 0) return;
    p->flags &= (uint8_t)~KIN_RT_PAIR_TOUCHES;
    const kin_body_skin* skin = rt->group->bodies.skin;
    bool a_senses = skin[p->a].sensor;
    kin_touch_event about = {.point = rt->group->bodies.body[p->b].position};
    if (p->kind == KIN_RT_SENSOR)
        kin_rt_tell(rt, KIN_TOUCH_LEAVE, a_senses ? p->a : p->b, a_senses ? p->b : p->a, &about);
    else
        kin_rt_tell(rt, KIN_TOUCH_END, p->a, p->b, &about);
}

void kin_rt_sensed(kin_realtime* rt, uint32_t pair, const kin_manifold* m)
{
    kin_rt_pair* p = &rt->pairs[pair];
    bool a_senses = rt->group->bodies.skin[p->a].sensor;
    p->flags |= KIN_RT_PAIR_TOUCHES;
    kin_touch_event about = {.point = m->points[0].point, .normal = m->normal};
    kin_rt_tell(rt, KIN_TOUCH_ENTER, a_senses ? p->a : p->b, a_senses ? p->b : p->a, &about);
}

/* One contact of a pair began or ceased to press; the pair may go on by another. */
static void follow(kin_realtime* rt, uint32_t contact)
{
    const kin_rt_contact* t = &rt->contacts[contact];
    uint32_t pair = t->pair;
    bool now = false;
    for (uint32_t c = rt->pairs[pair].contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) now |= is_pressed(rt, &rt->contacts[c]);
    kin_rt_lane* told = &rt->colour[t->colour].geometry[t->slot / KIN_RT_LANES].told;
    (*told)[t->slot % KIN_RT_LANES] = is_pressed(rt, t) ? 1 : 0;
    bool before = (rt->pairs[pair].flags & KIN_RT_PAIR_TOUCHES) != 0;
    if (before && !now) kin_rt_touch_over(rt, pair);
    if (before || !now) return;
    rt->pairs[pair].flags |= KIN_RT_PAIR_TOUCHES;
    kin_touch_event about = about_contact(rt, contact);
    kin_rt_tell(rt, KIN_TOUCH_BEGIN, rt->pairs[pair].a, rt->pairs[pair].b, &about);
    if (about.speed > rt->group->def.bounce_speed) kin_rt_tell(rt, KIN_TOUCH_HIT, rt->pairs[pair].a, rt->pairs[pair].b, &about);
}

void kin_rt_follow_touches(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    rt->ended.count = 0; /* as room for what changed: it holds every contact */
    for (uint32_t c = KIN_RT_DIRECT; c < rt->colour_count; ++c) {
        uint32_t blocks = kin_rt_blocks(rt, c);
        for (uint32_t i = 0; i < blocks; ++i) {
            uint32_t changed = rt->kernels->changed(&rt->colour[c].geometry[i], &rt->colour[c].rows[i]);
            for (uint32_t l = 0; changed != 0; ++l, changed >>= 1) {
                if (changed & 1) kin_rt_list_add(&rt->ended, rt->colour[c].geometry[i].contact[l]);
            }
        }
    }
    uint32_t count = rt->ended.count;
    rt->ended.count = 0;
    if (count == 0) return;
    if (!kin_rt_sort_reserve(rt, count)) {
        rt->group->events->lost = true;
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        rt->values[i] = rt->ended.data[i];
        rt->keys[i] = kin_rt_pair_key(&rt->pairs[rt->contacts[rt->ended.data[i]].pair]);
    }
    kin_rt_sort_pairs(rt, count);
    for (uint32_t i = 0; i < count; ++i) follow(rt, rt->values[i]);
}

void kin_rt_tell_all(kin_realtime* rt)
{
    size_t count = rt->news_count;
    rt->news_count = 0;
    if (count == 0) return;
    if (!kin_rt_sort_reserve(rt, count)) {
        rt->group->events->lost = true;
        return;
    }
    for (size_t i = 0; i < count; ++i) rt->values[i] = (uint32_t)i, rt->keys[i] = rt->news[i].key;
    kin_rt_sort_pairs(rt, count);
    for (size_t i = 0; i < count; ++i) kin_group_event(rt->group, &rt->news[rt->values[i]].event);
}
