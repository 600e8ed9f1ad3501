/* joined.c - who is joined to whom: the joints of every body, their colours, and who does not meet by them.
 *
 * All of it is made anew from the list of joints whenever that changes, in order of creation. Within a colour no free body occurs twice. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"

static bool reserve_joints(kin_realtime* rt, size_t count)
{
    const kin_allocator* a = &rt->allocator;
    return kin_reserve(a, (void**)&rt->joint, &rt->joint_capacity[0], count, sizeof *rt->joint)
           && kin_reserve(a, (void**)&rt->joint_order, &rt->joint_capacity[1], count, sizeof *rt->joint_order)
           && kin_reserve(a, (void**)&rt->joint_walk, &rt->joint_capacity[5], count, sizeof *rt->joint_walk)
           && kin_reserve(a, (void**)&rt->joint_of_body, &rt->joint_capacity[2], 2 * count, sizeof *rt->joint_of_body)
           && kin_rt_list_reserve(rt, &rt->unbarred, count + rt->unbarred.count); /* one may come, go and come again */
}

bool kin_rt_joint_added(kin_realtime* rt, uint32_t joint)
{
    if (!reserve_joints(rt, (size_t)joint + 1)) return false;
    rt->joint[joint] = (kin_rt_joint){.block = KIN_RT_NONE, .joined = KIN_RT_NONE, .fast = KIN_RT_NEW};
    rt->joints_changed = rt->has_new_joints = true;
    const kin_joint* j = &rt->group->joints[joint];
    const uint32_t both[2] = {j->a, j->b};
    for (int i = 0; i < 2; ++i) {
        if (both[i] != KIN_NO_BODY) kin_rt_wake(rt, both[i]);
    }
    if (!j->def.collide && j->a != KIN_NO_BODY && j->b != KIN_NO_BODY && j->a != j->b) kin_rt_list_add(&rt->unbarred, joint);
    return true;
}

void kin_rt_joint_removed(kin_realtime* rt, uint32_t joint)
{
    const kin_joint* j = &rt->group->joints[joint];
    rt->joints_changed = true;
    const uint32_t both[2] = {j->a, j->b};
    for (int i = 0; i < 2; ++i) {
        if (both[i] != KIN_NO_BODY) kin_rt_wake(rt, both[i]);
    }
    if (j->a != KIN_NO_BODY && j->b != KIN_NO_BODY && rt->unbarred.count < rt->unbarred.capacity) kin_rt_list_add(&rt->unbarred, joint);
}

void kin_rt_joints_follow(kin_realtime* rt, uint32_t body)
{
    if (rt->body[body].motion == rt->group->bodies.motion[body] || body >= rt->joint_bodies) return;
    for (uint32_t k = rt->joint_first[body]; k < rt->joint_first[body + 1]; ++k) {
        const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
        uint32_t other = j->a == body ? j->b : j->a;
        if (!j->broken && other != KIN_NO_BODY) kin_rt_wake(rt, other);
        rt->joints_changed = true;
    }
}

/* Joints of every body, one list after the other. */
static bool list_by_body(kin_realtime* rt)
{
    const kin_group* g = rt->group;
    size_t bodies = (size_t)g->bodies.count + 1;
    if (!kin_reserve(&rt->allocator, (void**)&rt->joint_first, &rt->joint_capacity[3], bodies + 1, sizeof *rt->joint_first)) return false;
    for (size_t i = 0; i <= bodies; ++i) rt->joint_first[i] = 0;
    rt->joint_bodies = g->bodies.count;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t k = 0; k < g->joint_count; ++k) {
            const kin_joint* j = &g->joints[k];
            const uint32_t both[2] = {j->a, j->b};
            for (int i = 0; !j->broken && i < 2; ++i) {
                if (both[i] == KIN_NO_BODY) continue;
                if (pass == 0)
                    rt->joint_first[both[i] + 2] += 1;
                else
                    rt->joint_of_body[rt->joint_first[both[i] + 1]++] = k;
            }
        }
        for (size_t i = 2; pass == 0 && i <= bodies; ++i) rt->joint_first[i] += rt->joint_first[i - 1];
    }
    return true;
}

static bool is_free(const kin_realtime* rt, uint32_t body) { return body != KIN_NO_BODY && kin_rt_is_free(rt, body); }

static uint32_t colour_for(kin_realtime* rt, const kin_joint* j)
{
    uint32_t taken = (is_free(rt, j->a) ? rt->body[j->a].joint_colours : 0) | (is_free(rt, j->b) ? rt->body[j->b].joint_colours : 0), c = 0;
    while (c < KIN_RT_JOINT_COLOURS && (taken >> c & 1)) c += 1;
    if (c == KIN_RT_JOINT_COLOURS) return c;
    if (is_free(rt, j->a)) rt->body[j->a].joint_colours |= 1u << c;
    if (is_free(rt, j->b)) rt->body[j->b].joint_colours |= 1u << c;
    return c;
}

static void colour_joints(kin_realtime* rt)
{
    const kin_group* g = rt->group;
    for (uint32_t i = 0; i < g->bodies.count; ++i) rt->body[i].joint_colours = 0;
    uint32_t count[KIN_RT_JOINT_COLOURS + 1] = {0}, at[KIN_RT_JOINT_COLOURS + 1];
    for (uint32_t k = 0; k < g->joint_count; ++k) {
        rt->joint[k].colour = !kin_group_joint_holds(g, &g->joints[k]) ? KIN_RT_NONE : colour_for(rt, &g->joints[k]);
        if (rt->joint[k].colour != KIN_RT_NONE) count[rt->joint[k].colour] += 1;
    }
    rt->joint_colour_first[0] = 0;
    for (int c = 0; c <= KIN_RT_JOINT_COLOURS; ++c) at[c] = rt->joint_colour_first[c], rt->joint_colour_first[c + 1] = at[c] + count[c];
    for (uint32_t k = 0; k < g->joint_count; ++k) {
        if (rt->joint[k].colour != KIN_RT_NONE) rt->joint_order[at[rt->joint[k].colour]++] = k;
    }
}

bool kin_rt_is_barred(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    if (a >= rt->joint_bodies || b >= rt->joint_bodies) return false;
    const uint32_t* first = rt->joint_first;
    uint32_t walked = first[a + 1] - first[a] <= first[b + 1] - first[b] ? a : b;
    for (uint32_t k = rt->joint_first[walked]; k < rt->joint_first[walked + 1]; ++k) {
        const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
        if (!j->broken && !j->def.collide && ((j->a == a && j->b == b) || (j->a == b && j->b == a))) return true;
    }
    return false;
}

uint32_t kin_rt_list_joined(kin_realtime* rt, uint32_t from, uint32_t first)
{
    uint32_t *list = rt->fast.data, end = first;
    if (!kin_rt_moves(rt, from) || (rt->body[from].flags & KIN_RT_MARKED) != 0) return first;
    rt->body[from].flags |= KIN_RT_MARKED;
    list[end++] = from;
    for (uint32_t at = first; at < end; ++at) {
        if (list[at] >= rt->joint_bodies) continue;
        for (uint32_t k = rt->joint_first[list[at]]; k < rt->joint_first[list[at] + 1]; ++k) {
            const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
            const uint32_t other = j->a == list[at] ? j->b : j->a;
            if (other == KIN_NO_BODY || !kin_group_joint_holds(rt->group, j) || !kin_rt_moves(rt, other) || (rt->body[other].flags & KIN_RT_MARKED) != 0)
                continue;
            rt->body[other].flags |= KIN_RT_MARKED;
            list[end++] = other;
        }
    }
    return end;
}

void kin_rt_unmark(kin_realtime* rt, uint32_t end)
{
    for (uint32_t k = 0; k < end; ++k) rt->body[rt->fast.data[k]].flags &= (uint16_t)~KIN_RT_MARKED;
}

/* Pairs of joints that came or went: whether they meet now. */
static void update_bars(kin_realtime* rt)
{
    for (uint32_t i = 0; i < rt->unbarred.count; ++i) {
        const kin_joint* j = &rt->group->joints[rt->unbarred.data[i]];
        if (rt->group->bodies.motion[j->a] == KIN_BODY_GONE || rt->group->bodies.motion[j->b] == KIN_BODY_GONE) continue;
        uint32_t pair = kin_rt_pair_find(rt, j->a, j->b);
        if (pair == KIN_RT_NONE) continue;
        kin_rt_pair* p = &rt->pairs[pair];
        p->kind = (uint8_t)kin_rt_kind_of(rt, p->a, p->b);
        if (p->kind == KIN_RT_BARRED) {
            while (p->contacts != KIN_RT_NONE) kin_rt_contact_drop(rt, p->contacts);
            kin_rt_idle_remove(rt, pair);
        } else if (kin_rt_pair_waits(rt, p)) {
            kin_rt_idle_add(rt, pair);
        }
    }
    rt->unbarred.count = 0;
}

bool kin_rt_joints_update(kin_realtime* rt)
{
    if (!rt->joints_changed && rt->joint_bodies >= rt->group->bodies.count) return true;
    if (!list_by_body(rt)) return false;
    colour_joints(rt);
    update_bars(rt);
    rt->movers_changed = true;
    rt->joints_changed = false;
    rt->blocks_changed |= rt->group->joint_count > 0;
    return kin_rt_blocks_update(rt);
}
