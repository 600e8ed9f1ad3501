/* sleep.c - what is at rest is left out until something happens to it (C4.14 Ex4).
 *
 * A body is at rest when for a while its surface goes no farther than sleep_speed would take it: what trembles on the spot rests, what creeps on does not. It
 * falls asleep with all that press on it or are joined to it, up to a few contacts on, if they are at rest too: the rest of a heap does not wait for the last
 * limb that slides in it. What is asleep costs nothing: its contacts are put away, its pairs are not looked at. For those awake nothing changes by that: it
 * weighs what it did and its rows are as soft, only that it does not move. (As a fixed body, with the stiffer rows of such, it pushed its neighbours off and
 * woke the heap again.) It wakes when something new comes near, when it is pushed, when a support goes, or when a neighbour goes somewhere; with it wake those
 * within a few contacts, no more: the rest of a pile follows only as far as motion spreads.
 *
 * Motion slower than sleep_speed does not spread by itself. So whatever hangs together, by contacts and joints, with something that is driven (a keyed body that moves at
 * all, a moving surface, a running motor) is found in every interval, woken, and kept from rest.
 */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"

enum { REACH = 3, EVERY = 4 }; /* contacts that sleep looks and waking reaches at once; intervals between looks for what rests */
#define TREMBLE 4.0            /* times sleep_speed: a path that is longer is no rest, however near it stays */
#define TO_AND_FRO 0.2         /* of a speed: a mean of late that is less goes nowhere; a hit leaves a quarter */
#define NOTICED 0.25           /* of the way that is rest: what goes farther wakes those that it presses on */
#define STANDS 1e-7            /* m/s: a keyed body slower than this stands; a millimetre in three hours, and above what rounding makes between equal keys */

static bool is_free(const kin_realtime* rt, uint32_t body) { return body != KIN_NO_BODY && kin_rt_is_free(rt, body); }

/* ---- from one state to the other ---- */

/* Contacts of these bodies into rt->values, each once, in the order of bodies. */
static uint32_t collect_contacts(kin_realtime* rt, const uint32_t* bodies, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t p = rt->body[bodies[i]].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, bodies[i])) {
            const kin_rt_pair* pair = &rt->pairs[p];
            uint32_t other = pair->a == bodies[i] ? pair->b : pair->a;
            if ((rt->body[other].flags & KIN_RT_MARKED) != 0 && other < bodies[i]) continue; /* it had it */
            for (uint32_t c = pair->contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) rt->values[found] = c, rt->keys[found++] = kin_rt_pair_key(pair);
        }
    }
    kin_rt_sort_pairs(rt, found);
    return found;
}

static void update_idle(kin_realtime* rt, uint32_t body)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        if (kin_rt_pair_waits(rt, &rt->pairs[p]))
            kin_rt_idle_add(rt, p);
        else
            kin_rt_idle_remove(rt, p);
    }
}

static void set_awake(kin_realtime* rt, uint32_t i, bool awake)
{
    kin_rt_body* b = &rt->body[i];
    kin_bodies* bodies = &rt->group->bodies;
    b->rest = 0;
    b->flags = (uint16_t)(awake ? b->flags | KIN_RT_AWAKE | KIN_RT_FRESH : b->flags & ~KIN_RT_AWAKE);
    if (awake) return;
    bodies->body[i].velocity = bodies->body[i].spin = kin_v(0, 0, 0);
    bodies->start[i] = bodies->end[i] = kin_body_pose(&bodies->body[i]);
    kin_bodies_calm(bodies, i);
    kin_rt_line_load(rt, i, 0, 1);
}

typedef void change_fn(kin_realtime* rt, uint32_t body, unsigned how);
static void change_awake(kin_realtime* rt, uint32_t i, unsigned how) { set_awake(rt, i, how != 0); }
static void flip_flag(kin_realtime* rt, uint32_t i, unsigned how) { rt->body[i].flags ^= (uint16_t)how; }

/* All contacts out of their colours, the bodies changed, and those with a mover in again. */
static bool change_bodies(kin_realtime* rt, const uint32_t* bodies, uint32_t count, change_fn* change, unsigned how)
{
    if (count == 0) return true;
    if (!kin_rt_sort_reserve(rt, rt->contact_count)) return false;
    for (uint32_t i = 0; i < count; ++i) rt->body[bodies[i]].flags |= KIN_RT_MARKED;
    uint32_t contacts = collect_contacts(rt, bodies, count);
    bool ok = true;
    for (uint32_t i = 0; i < contacts; ++i) ok = kin_rt_graph_move(rt, rt->values[i], true) && ok;
    for (uint32_t i = 0; i < count; ++i) {
        change(rt, bodies[i], how);
        rt->body[bodies[i]].flags &= (uint16_t)~KIN_RT_MARKED;
    }
    for (uint32_t i = 0; i < contacts; ++i) {
        const kin_rt_pair* p = &rt->pairs[rt->contacts[rt->values[i]].pair];
        if (kin_rt_moves(rt, p->a) || kin_rt_moves(rt, p->b)) ok = kin_rt_graph_move(rt, rt->values[i], false) && ok;
    }
    for (uint32_t i = 0; i < count; ++i) update_idle(rt, bodies[i]);
    rt->active_changed = true;
    return ok;
}

static bool change_state(kin_realtime* rt, const uint32_t* bodies, uint32_t count, bool awake) { return change_bodies(rt, bodies, count, change_awake, awake); }
bool kin_rt_change_flag(kin_realtime* rt, const uint32_t* bodies, uint32_t count, unsigned flag) { return change_bodies(rt, bodies, count, flip_flag, flag); }

/* ---- waking ---- */

void kin_rt_wake(kin_realtime* rt, uint32_t body)
{
    kin_rt_body* b = &rt->body[body];
    if (!is_free(rt, body) || (b->flags & (KIN_RT_AWAKE | KIN_RT_WAKING)) != 0) return;
    b->flags |= KIN_RT_WAKING;
    kin_rt_list_add(&rt->waking, body); /* it has room for every body */
}

static void wake_touching(kin_realtime* rt, uint32_t body)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        if (rt->pairs[p].contacts != KIN_RT_NONE) kin_rt_wake(rt, rt->pairs[p].a == body ? rt->pairs[p].b : rt->pairs[p].a);
    }
}

static void wake_joined(kin_realtime* rt, uint32_t body)
{
    if (body >= rt->joint_bodies || rt->joint_first == NULL) return;
    for (uint32_t k = rt->joint_first[body]; k < rt->joint_first[body + 1]; ++k) {
        const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
        uint32_t other = j->a == body ? j->b : j->a;
        if (!j->broken && other != KIN_NO_BODY) kin_rt_wake(rt, other);
    }
}

static void sort_bodies(kin_realtime* rt, kin_rt_list* list)
{
    for (uint32_t i = 0; i < list->count; ++i) rt->values[i] = list->data[i], rt->keys[i] = list->data[i];
    kin_rt_sort_pairs(rt, list->count);
    for (uint32_t i = 0; i < list->count; ++i) list->data[i] = rt->values[i];
}

/* What is joined wakes as a whole; what touches, within reach. Forces act on all from now on. */
bool kin_rt_wake_all(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    if (rt->waking.count == 0) return true;
    uint32_t done = 0;
    for (int reach = 0; reach < REACH; ++reach) {
        uint32_t end = rt->waking.count;
        for (; done < end; ++done) wake_touching(rt, rt->waking.data[done]);
    }
    for (uint32_t i = 0; i < rt->waking.count; ++i) wake_joined(rt, rt->waking.data[i]);
    uint32_t count = rt->waking.count;
    if (!kin_rt_sort_reserve(rt, count)) return false;
    sort_bodies(rt, &rt->waking);
    for (uint32_t i = 0; i < count; ++i) rt->body[rt->waking.data[i]].flags &= (uint16_t)~KIN_RT_WAKING;
    rt->waking.count = 0;
    if (!change_state(rt, rt->waking.data, count, true)) return false;
    kin_group_forces(rt->group, s->step, rt->waking.data, count);
    return true;
}

/* ---- falling asleep ---- */

uint32_t kin_rt_island_of(kin_realtime* rt, uint32_t body)
{
    uint32_t *parent = rt->island, i = body;
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

void kin_rt_island_join(kin_realtime* rt, uint32_t a, uint32_t b)
{
    a = kin_rt_island_of(rt, a), b = kin_rt_island_of(rt, b);
    rt->island[a < b ? b : a] = a < b ? a : b;
}

typedef void edge_fn(kin_realtime* rt, uint32_t a, uint32_t b, uint32_t how);

/* Free bodies that press on each other, or are joined; or (least < 0) that may touch within the interval. */
static void each_edge(kin_realtime* rt, float least, edge_fn* edge, uint32_t how)
{
    for (uint32_t c = KIN_RT_DIRECT; c < rt->colour_count; ++c) {
        const kin_rt_colour* colour = &rt->colour[c];
        if (kin_rt_is_static(c)) continue;
        for (uint32_t i = 0; i < colour->count; ++i) {
            uint32_t block = i / KIN_RT_LANES, lane = i % KIN_RT_LANES;
            int32_t a = colour->rows[block].a[lane], b = colour->rows[block].b[lane];
            if (colour->rows[block].pressed[lane] > least && a > 0 && b > 0) edge(rt, (uint32_t)a - 1, (uint32_t)b - 1, how);
        }
    }
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (!j->broken && is_free(rt, j->a) && is_free(rt, j->b)) edge(rt, j->a, j->b, how);
    }
}

static void join_edge(kin_realtime* rt, uint32_t a, uint32_t b, uint32_t how)
{
    (void)how;
    kin_rt_island_join(rt, a, b);
}

/* rt->fast as room: how near each body is to one that moves, as far as that is known to be `level` at most. */
static void spread_edge(kin_realtime* rt, uint32_t a, uint32_t b, uint32_t level)
{
    uint32_t* near = rt->fast.data;
    if (near[a] == level && near[b] > level) near[b] = level + 1;
    if (near[b] == level && near[a] > level) near[a] = level + 1;
}

/* A direct block moves all its bodies or none. */
static void keep_blocks_whole(kin_realtime* rt)
{
    uint32_t* near = rt->fast.data;
    for (uint32_t k = 0; k < rt->block_count; ++k) {
        int count;
        const uint32_t* body = kin_rt_block_bodies(rt, k, &count);
        uint32_t least = KIN_RT_NONE;
        for (int i = 0; i < count; ++i) least = near[body[i]] < least ? near[body[i]] : least;
        for (int i = 0; i < count; ++i) near[body[i]] = least;
    }
}

static bool rests(const kin_realtime* rt, uint32_t i) { return rt->body[i].calm && rt->body[i].rest >= (float)rt->group->def.sleep_time; }

/* Those that have rested long enough, with all within REACH of them, into rt->waking: it is empty now. */
static uint32_t collect_resting(kin_realtime* rt)
{
    uint32_t count = 0, *near = rt->fast.data;
    for (uint32_t i = 0; i < rt->group->bodies.count; ++i) near[i] = kin_rt_moves(rt, i) && !rests(rt, i) ? 0 : KIN_RT_NONE;
    for (uint32_t level = 0; level < REACH; ++level) each_edge(rt, level == 0 ? -1 : 0, spread_edge, level); /* nor is what a mover is about to hit */
    keep_blocks_whole(rt);
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        uint32_t i = rt->active.data[k];
        if (kin_rt_is_free(rt, i) && near[i] == KIN_RT_NONE) rt->waking.data[count++] = i;
    }
    return count;
}

/* ---- moving supports ---- */

/* A body that no force moves, with a speed at its rim that counts: poses between equal keys differ by rounding. */
static bool is_driven(const kin_realtime* rt, uint32_t body)
{
    const kin_body* b = &rt->group->bodies.body[body];
    const double reach = kin_min(rt->group->bodies.skin[body].reach, 1e3);
    return rt->group->bodies.motion[body] == KIN_BODY_KEYED && kin_length2(b->velocity) + kin_length2(b->spin) * reach * reach > STANDS * STANDS;
}

static void list_body(kin_realtime* rt, uint32_t body, uint32_t* end)
{
    if (!is_free(rt, body) || (rt->body[body].flags & KIN_RT_MARKED) != 0) return;
    rt->body[body].flags |= KIN_RT_MARKED;
    rt->fast.data[(*end)++] = body;
}

static void list_neighbours(kin_realtime* rt, uint32_t body, uint32_t* end)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        if (rt->pairs[p].contacts != KIN_RT_NONE) list_body(rt, rt->pairs[p].a == body ? rt->pairs[p].b : rt->pairs[p].a, end);
    }
    if (body >= rt->joint_bodies || rt->joint_first == NULL) return;
    for (uint32_t k = rt->joint_first[body]; k < rt->joint_first[body + 1]; ++k) {
        const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
        if (kin_group_joint_holds(rt->group, j)) list_body(rt, j->a == body ? j->b : j->a, end);
    }
}

/* Bodies that something drives: keyed bodies that move, moving surfaces, motors. */
static void list_driven(kin_realtime* rt, uint32_t* end)
{
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        const uint32_t i = rt->active.data[k];
        if (is_driven(rt, i)) list_neighbours(rt, i, end);
        for (uint32_t p = rt->body[i].pairs; rt->special_count > 0 && p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, i)) {
            const uint32_t other = rt->pairs[p].a == i ? rt->pairs[p].b : rt->pairs[p].a;
            if (rt->pairs[p].contacts != KIN_RT_NONE && kin_length2(rt->group->bodies.skin[other].surface_velocity) > 0) list_body(rt, i, end);
        }
    }
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (!kin_group_joint_holds(rt->group, j) || !kin_group_motor_runs(rt->group, j)) continue;
        list_body(rt, j->a, end);
        list_body(rt, j->b, end);
    }
}

/* All that hangs together with the listed bodies by contacts and joints: awake, and not at rest. Motion slower than sleep_speed does not spread by itself. */
static void keep_awake(kin_realtime* rt, uint32_t end)
{
    for (uint32_t at = 0; at < end; ++at) {
        const uint32_t i = rt->fast.data[at];
        list_neighbours(rt, i, &end);
        if (kin_rt_moves(rt, i))
            rt->body[i].rest = 0;
        else
            kin_rt_wake(rt, i);
    }
    kin_rt_unmark(rt, end);
}

/* Before anything moves: a support that starts would be inside those that sleep on it by the end of the interval. */
void kin_rt_wake_driven(kin_realtime* rt)
{
    uint32_t end = 0;
    if (!rt->group->def.sleep) return;
    list_driven(rt, &end);
    keep_awake(rt, end);
}

void kin_rt_wake_supported(kin_realtime* rt, uint32_t body)
{
    uint32_t end = 0;
    if (!kin_rt_list_reserve(rt, &rt->fast, (size_t)rt->group->bodies.count + 1)) return;
    list_neighbours(rt, body, &end);
    keep_awake(rt, end);
}

/* ---- rest ---- */

/* m^2: square of how far its surface has come since its while began. */
static double way_since(const kin_rt_body* t, const kin_body* b, double reach)
{
    const float* q = t->rest_turn;
    const kin_quat was = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
    kin_vec3 turned = kin_quat_vector(kin_quat_mul(b->orientation, kin_quat_conj(was)));
    return kin_length2(kin_sub(b->position, t->rest_at)) + 4 * kin_length2(turned) * reach * reach;
}

static void begin_while(kin_rt_body* t, const kin_body* b)
{
    const kin_quat q = b->orientation;
    t->rest_at = b->position, t->rest_path = 0;
    t->rest_turn[0] = (float)q.x, t->rest_turn[1] = (float)q.y, t->rest_turn[2] = (float)q.z, t->rest_turn[3] = (float)q.w;
}

/* How fast a surface goes at most, by velocity and spin. */
static double rim_speed(const float rate[6], double reach)
{
    return kin_sqrt(kin_length2(kin_rt_get3(rate)) + kin_length2(kin_rt_get3(rate + 3)) * reach * reach);
}

/* Calm is what does not move on: slow, or to and fro; nor is it being set in motion, as by a steady pull are a ball that turns round on a slope and a weight on a
 * spring at its farthest. What was hit in this interval is not calm: its mean follows by a quarter. */
static void judge_calm(kin_rt_step* s, kin_rt_body* t, const kin_body* b, double reach, double wanted)
{
    const double most = s->rt->group->def.sleep_speed;
    float now[6], change[6], bend[6];
    kin_rt_put3(now, b->velocity), kin_rt_put3(now + 3, b->spin);
    for (int k = 0; k < 6; ++k) {
        change[k] = now[k] - t->rate[k];
        bend[k] = change[k] - t->change[k];
        t->mean_rate[k] += 0.25f * (now[k] - t->mean_rate[k]);
        t->rate[k] = now[k], t->change[k] = change[k];
    }
    const double speed = rim_speed(now, reach), gain = rim_speed(change, reach);
    const bool stays = speed <= most || rim_speed(t->mean_rate, reach) <= TO_AND_FRO * speed;
    const bool pulled = gain * wanted > most * s->h && rim_speed(bend, reach) <= 0.25 * gain;
    t->calm = stays && !pulled;
}

/* Time at rest begins when it is slow, and goes on while in each while of sleep_time it comes no farther than sleep_speed allows, to and fro TREMBLE times as
 * far: what jerks now and then and comes back does not keep a heap awake. */
static void rest_body(kin_rt_step* s, uint32_t i)
{
    const kin_bodies* bodies = &s->rt->group->bodies;
    const kin_rigid_def* def = &s->rt->group->def;
    const kin_body* b = &bodies->body[i];
    kin_rt_body* t = &s->rt->body[i];
    const double reach = kin_min(bodies->skin[i].reach, 1e3), wanted = kin_max(def->sleep_time, s->h), way = def->sleep_speed * wanted;
    const double before = (double)t->rest;
    judge_calm(s, t, b, reach, wanted);
    const double speed = rim_speed(t->rate, reach);
    t->rest_path += (float)(speed * s->h);
    const bool goes_on = before > 0 ? (double)t->rest_path < TREMBLE * way && way_since(t, b, reach) < way * way : speed < TREMBLE * def->sleep_speed;
    t->rest = goes_on && !bodies->skin[i].stays_awake ? t->rest + (float)s->h : 0;
    if (before == 0 || kin_floor((double)t->rest / wanted) > kin_floor(before / wanted)) begin_while(t, b);
}

/* Whether any body has rested long enough. */
static bool rest_bodies(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    bool any = false;
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        if (kin_rt_is_free(rt, rt->active.data[k])) rest_body(s, rt->active.data[k]);
    }
    for (uint32_t k = 0; k < rt->active.count && !any; ++k) any = kin_rt_is_free(rt, rt->active.data[k]) && rests(rt, rt->active.data[k]);
    return any;
}

/* It goes somewhere: fast, or on from where it was. */
static bool is_seen_moving(const kin_rt_step* s, uint32_t body)
{
    const kin_rigid_def* def = &s->rt->group->def;
    const kin_body* b = &s->rt->group->bodies.body[body];
    const kin_rt_body* t = &s->rt->body[body];
    const double near = NOTICED * def->sleep_speed * kin_max(def->sleep_time, s->h);
    if (kin_length2(b->velocity) <= def->sleep_speed * def->sleep_speed) return false;
    return t->rest == 0 || way_since(t, b, kin_min(s->rt->group->bodies.skin[body].reach, 1e3)) > near * near;
}

/* Asleep beside one that moves: it wakes. */
static void spread(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    for (uint32_t c = KIN_RT_DIRECT; c < rt->colour_count; ++c) {
        const kin_rt_colour* colour = &rt->colour[c];
        for (uint32_t i = 0; i < colour->count; ++i) {
            const kin_rt_rows* r = &colour->rows[i / KIN_RT_LANES];
            uint32_t lane = i % KIN_RT_LANES;
            int32_t a = r->a[lane], b = r->b[lane];
            if (r->pressed[lane] <= 0 || (a > 0) == (b > 0)) continue;
            uint32_t mover = (uint32_t)(a > 0 ? a : b) - 1, other = (uint32_t) ~(a > 0 ? b : a) - 1;
            if (is_free(rt, other) && is_seen_moving(s, mover)) kin_rt_wake(rt, other);
        }
    }
}

bool kin_rt_islands_begin(kin_realtime* rt)
{
    uint32_t count = rt->group->bodies.count;
    if (!kin_reserve(&rt->allocator, (void**)&rt->island, &rt->island_capacity, count, sizeof *rt->island)) return false;
    for (uint32_t i = 0; i < count; ++i) rt->island[i] = i;
    return true;
}

void kin_rt_rest(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    if (!rt->group->def.sleep) return;
    const bool any = rest_bodies(s);
    spread(s);
    if (!any || s->step->index % EVERY != 0 || rt->waking.count > 0) return;
    const uint32_t count = collect_resting(rt);
    if (!change_state(rt, rt->waking.data, count, false)) rt->out_of_memory = true;
}

/* At once, with all that it presses on. */
void kin_rt_sleep(kin_realtime* rt, uint32_t body)
{
    if (!kin_rt_moves(rt, body) || rt->waking.count > 0 || !kin_rt_islands_begin(rt)) return;
    each_edge(rt, 0, join_edge, 0);
    uint32_t root = kin_rt_island_of(rt, body), count = 0;
    for (uint32_t i = 0; i < rt->group->bodies.count; ++i) {
        if (kin_rt_moves(rt, i) && kin_rt_island_of(rt, i) == root) rt->waking.data[count++] = i;
    }
    if (!change_state(rt, rt->waking.data, count, false)) rt->out_of_memory = true;
}
