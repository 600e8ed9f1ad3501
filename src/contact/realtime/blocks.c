/* blocks.c - joint graphs under stress, solved directly beside the colours (tree/tree.h): those with masses that differ much across a joint, or whose
 * joints pull harder than soft rows hold. Their bodies leave kick, drift and colours; their contacts are kept in lanes for their manifolds' sake, and
 * given to the block point by point. What strains in a heap makes none, and a graph that needs its block no longer goes back to soft rows. Graphs that touch
 * are one block while they do: their contacts bear what the chains do, and would not hold if each took the other for a body of its own. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include "contact/tree/tree.h"
#include <string.h>

#define MASS_RATIO 30.0  /* across a joint: more goes into a block */
#define LEAF_RATIO 100.0 /* the same, where the lighter body has no other joint */
#define STRESS 0.1       /* kin_joint_tree_stress over a substep: more goes into a block */
#define FAST_TURN 0.4    /* rad an interval, 24 rad/s at 60 a second: more goes into a block */
#define CALM 0.25        /* of that: less is calm */
#define TOUCH_RATIO 100  /* a block this much heavier than a jointed body it touches takes that one's graph in */
enum {
    MOST_JOINED = 64, /* contacts that make blocks one */
    MOST_TOUCHING =
        8,      /* pairs of a graph that has a block because it turns fast, with what stands fast: a gyroscope on a table; in a heap soft rows do better */
    KEEPS = 60, /* intervals that a graph keeps its block when it is calm */
    MOST_LOOPS = 900, /* of a block: a net of 30 by 30, 4 ms to factor. Trees of any size cost as much as they have joints */
};

struct kin_rt_block {
    kin_joint_tree* tree;
    kin_joint_tree_contact* contacts;
    kin_body* others;      /* bodies outside that it touches, with the velocities that lanes have */
    uint32_t *from, *name; /* of each point: 4 contact + point; of each other: its number */
    size_t capacity[4];
    int count, other_count;
    bool active;
    bool kept; /* of the same joints as when blocks were made before */
};

/* ---- which graphs ---- */

static bool is_free(const kin_realtime* rt, uint32_t body) { return body != KIN_NO_BODY && kin_rt_is_free(rt, body); }

static bool is_candidate(const kin_realtime* rt, const kin_joint* j)
{
    return kin_group_joint_holds(rt->group, j) && !j->def.loose && (is_free(rt, j->a) || is_free(rt, j->b));
}

static uint32_t end_of(const kin_realtime* rt, const kin_joint* j) { return is_free(rt, j->a) ? j->a : j->b; }

/* Bodies of a graph of joints have one root. */
static void join_graphs(kin_realtime* rt)
{
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (is_candidate(rt, j) && is_free(rt, j->a) && is_free(rt, j->b)) kin_rt_island_join(rt, j->a, j->b);
    }
}

/* And those of graphs that touched when they were last looked at. */
static void join_touching(kin_realtime* rt)
{
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (rt->joint[k].joined != KIN_RT_NONE && is_candidate(rt, j) && is_free(rt, rt->joint[k].joined))
            kin_rt_island_join(rt, end_of(rt, j), rt->joint[k].joined);
    }
}

/* Of a body's joints, those that hold. */
static int count_holding(const kin_realtime* rt, uint32_t body)
{
    int count = 0;
    for (uint32_t k = rt->joint_first[body]; body < rt->joint_bodies && k < rt->joint_first[body + 1]; ++k)
        count += kin_group_joint_holds(rt->group, &rt->group->joints[rt->joint_of_body[k]]);
    return count;
}

/* The lighter body passes on what the heavier one pulls. One on a single joint passes on nothing but what presses on it, as a wheel does: soft rows bear that in
 * a twentieth of the time while the ratio is not too large (the hub of a wheel gives way by 5 mm at 1:70, by 26 mm at 1:340). */
static bool is_uneven(const kin_realtime* rt, const kin_joint* j)
{
    if (!is_free(rt, j->a) || !is_free(rt, j->b)) return false;
    const double a = rt->group->bodies.body[j->a].mass, b = rt->group->bodies.body[j->b].mass, ratio = a > b ? a / b : b / a;
    return ratio > LEAF_RATIO || (ratio > MASS_RATIO && count_holding(rt, a < b ? j->a : j->b) > 1);
}

static bool touches(const kin_realtime* rt, uint32_t body)
{
    if (body == KIN_NO_BODY) return false;
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        if (rt->pairs[p].contacts != KIN_RT_NONE) return true;
    }
    return false;
}

/* A body that turns far in an interval: soft rows keep moments as they were when it began, and tops gain energy. lone: and touches nothing itself. A wheel on
 * the ground keeps its axis by that, and its block would have to solve its friction in every substep. */
static bool is_fast(const kin_realtime* rt, const kin_joint* j, bool lone)
{
    const uint32_t both[2] = {j->a, j->b};
    const double h = rt->group->h;
    bool fast = false;
    for (int i = 0; i < 2; ++i) {
        const bool turns = is_free(rt, both[i]) && h * h * kin_length2(rt->group->bodies.body[both[i]].spin) > FAST_TURN * FAST_TURN;
        fast |= turns && !(lone && touches(rt, both[i]));
    }
    return fast;
}

static void free_block(kin_realtime* rt, kin_rt_block* b)
{
    const kin_allocator* a = &rt->allocator;
    kin_joint_tree_destroy(b->tree);
    kin_free(a, b->contacts, b->capacity[0] * sizeof *b->contacts);
    kin_free(a, b->others, b->capacity[1] * sizeof *b->others);
    kin_free(a, b->from, b->capacity[2] * sizeof *b->from);
    kin_free(a, b->name, b->capacity[3] * sizeof *b->name);
}

void kin_rt_blocks_free(kin_realtime* rt)
{
    for (uint32_t i = 0; i < rt->block_count; ++i) free_block(rt, &rt->blocks[i]);
    kin_free(&rt->allocator, rt->blocks, rt->block_capacity * sizeof *rt->blocks);
    rt->blocks = NULL;
    rt->block_count = 0, rt->block_capacity = 0;
}

/* The joints of one graph, rising, into rt->values. */
static uint32_t joints_of(kin_realtime* rt, uint32_t root)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (is_candidate(rt, j) && kin_rt_island_of(rt, end_of(rt, j)) == root) rt->values[count++] = k;
    }
    return count;
}

/* Joints beyond what a tree of the same bodies would have; what stands fast counts as one body. The joints are in rt->values. */
static uint32_t count_loops(kin_realtime* rt, uint32_t joints)
{
    uint32_t bodies = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < 2 * joints; ++i) {
            const kin_joint* j = &rt->group->joints[rt->values[i / 2]];
            const uint32_t body = i % 2 ? j->b : j->a;
            if (!is_free(rt, body)) continue;
            const bool marked = (rt->body[body].flags & KIN_RT_MARKED) != 0;
            bodies += pass == 0 && !marked;
            rt->body[body].flags = (uint16_t)(pass == 0 ? rt->body[body].flags | KIN_RT_MARKED : rt->body[body].flags & ~KIN_RT_MARKED);
        }
    }
    return joints > bodies ? joints - bodies : 0;
}

/* Blocks that there were; those of the same joints go on as they are, as finding the order of elimination takes ten times as long as a step. */
typedef struct earlier {
    kin_rt_block* blocks;
    uint32_t count;
} earlier;

/* The earlier block of just these joints; one without a tree: none. It is taken out. */
static kin_rt_block take_earlier(earlier before, const uint32_t* joints, uint32_t count)
{
    kin_rt_block found = {.tree = NULL};
    for (uint32_t i = 0; i < before.count && found.tree == NULL; ++i) {
        if (before.blocks[i].tree == NULL || !kin_joint_tree_is_of(before.blocks[i].tree, joints, (int)count)) continue;
        found = before.blocks[i];
        before.blocks[i] = (kin_rt_block){.tree = NULL};
    }
    return found;
}

/* A graph that the direct way refuses, or that has too many loops to be factored in every substep, stays with the soft rows. */
static bool make_block(kin_realtime* rt, uint32_t root, earlier before)
{
    uint32_t count = joints_of(rt, root);
    if (count_loops(rt, count) > MOST_LOOPS) return true;
    kin_rt_block b = take_earlier(before, rt->values, count);
    kin_result result = KIN_OK;
    b.kept = b.tree != NULL;
    if (!b.kept) result = kin_joint_tree_create(&rt->allocator, rt->group->bodies.body, rt->group->joints, rt->values, (int)count, &b.tree, NULL);
    if (result == KIN_ERROR_MEMORY) return false;
    if (result != KIN_OK) return true;
    if (!kin_reserve(&rt->allocator, (void**)&rt->blocks, &rt->block_capacity, (size_t)rt->block_count + 1, sizeof *rt->blocks)) {
        free_block(rt, &b);
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) rt->joint[rt->values[i]].block = rt->block_count;
    rt->blocks[rt->block_count++] = b;
    return true;
}

static bool make_blocks(kin_realtime* rt, earlier before)
{
    const kin_group* g = rt->group;
    uint32_t refused = 0; /* roots of graphs, in rt->fast as room: it holds every body */
    bool ok = true;
    for (uint32_t k = 0; ok && k < g->joint_count; ++k) {
        const kin_joint* j = &g->joints[k];
        if (!is_candidate(rt, j) || rt->joint[k].block != KIN_RT_NONE || !(rt->joint[k].stiff > 0 || is_uneven(rt, j))) continue;
        const uint32_t root = kin_rt_island_of(rt, end_of(rt, j));
        if (rt->body[root].flags & KIN_RT_MARKED) continue;
        ok = make_block(rt, root, before);
        if (rt->joint[k].block != KIN_RT_NONE) continue;
        rt->body[root].flags |= KIN_RT_MARKED; /* its other joints need not try */
        rt->fast.data[refused++] = root;
    }
    kin_rt_unmark(rt, refused);
    return ok;
}

/* Which bodies are a block's now; contacts of those that came or went change their place. */
static bool move_bodies(kin_realtime* rt)
{
    uint32_t count = 0, bodies = rt->group->bodies.count;
    for (uint32_t i = 0; i < rt->block_count; ++i) {
        int n;
        const uint32_t* number = kin_joint_tree_bodies(rt->blocks[i].tree, &n);
        for (int k = 0; k < n; ++k) rt->body[number[k]].flags |= KIN_RT_MARKED;
    }
    for (uint32_t i = 0; i < bodies; ++i) {
        bool is = (rt->body[i].flags & KIN_RT_IN_BLOCK) != 0, will = (rt->body[i].flags & KIN_RT_MARKED) != 0;
        rt->body[i].flags &= (uint16_t)~KIN_RT_MARKED;
        if (is != will) rt->fast.data[count++] = i; /* as room: it holds every body */
    }
    return kin_rt_change_flag(rt, rt->fast.data, count, KIN_RT_IN_BLOCK);
}

/* Blocks from the joints as they are. inherit: they are the same joints, and what the blocks before knew goes on. */
static bool remake_blocks(kin_realtime* rt, bool inherit)
{
    kin_rt_block* before = rt->blocks;
    uint32_t count = rt->block_count;
    size_t capacity = rt->block_capacity;
    rt->blocks = NULL, rt->block_count = 0, rt->block_capacity = 0;
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        if (rt->joint[k].block != KIN_RT_NONE) memset(rt->joint[k].impulse, 0, sizeof rt->joint[k].impulse); /* soft rows that take over begin anew */
        rt->joint[k].block = KIN_RT_NONE;
    }
    bool ok = kin_rt_islands_begin(rt) && kin_rt_sort_reserve(rt, rt->group->joint_count);
    if (ok) join_graphs(rt), join_touching(rt);
    ok = ok && make_blocks(rt, (earlier){before, inherit ? count : 0}) && move_bodies(rt);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; inherit && before[i].tree != NULL && k < rt->block_count; ++k) {
            if (!rt->blocks[k].kept) kin_joint_tree_inherit(rt->blocks[k].tree, before[i].tree);
        }
        free_block(rt, &before[i]);
    }
    kin_free(&rt->allocator, before, capacity * sizeof *before);
    return ok;
}

bool kin_rt_blocks_update(kin_realtime* rt)
{
    if (!rt->blocks_changed) return true;
    rt->blocks_changed = false;
    return remake_blocks(rt, false);
}

/* A top that is set up spinning has its block from the first interval on. */
bool kin_rt_blocks_of_new(kin_realtime* rt)
{
    bool changed = false;
    for (uint32_t k = 0; rt->has_new_joints && k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        kin_rt_joint* t = &rt->joint[k];
        if (t->fast != KIN_RT_NEW) continue;
        t->fast = is_candidate(rt, j) && is_fast(rt, j, false) ? KIN_RT_FAST : 0;
        if (t->fast > 0) t->stiff = KEEPS, changed = true;
    }
    rt->has_new_joints = false;
    return !changed || remake_blocks(rt, true);
}

/* Neither body touches another: what strains the joint is the graph's own, and no heap, which soft rows and contacts share better. */
static bool is_alone(const kin_realtime* rt, const kin_joint* j) { return !touches(rt, j->a) && !touches(rt, j->b); }

/* Adds the body's pairs that touch; false: it touches what forces move. */
static bool stands_fast(const kin_realtime* rt, uint32_t body, int* pairs)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        if (rt->pairs[p].contacts == KIN_RT_NONE) continue;
        if (is_free(rt, rt->pairs[p].a == body ? rt->pairs[p].b : rt->pairs[p].a)) return false;
        *pairs += 1;
    }
    return true;
}

/* A body's graph touches nothing that forces move, and all else in so many pairs at most. */
static bool is_apart(kin_realtime* rt, uint32_t body, int most)
{
    const uint32_t end = kin_rt_list_joined(rt, body, 0);
    int pairs = 0;
    bool apart = true;
    kin_rt_unmark(rt, end);
    for (uint32_t k = 0; k < end && apart; ++k) apart = stands_fast(rt, rt->fast.data[k], &pairs) && pairs <= most;
    return apart;
}

static kin_vec3 of3(const float* x, double scale) { return kin_v(scale * (double)x[0], scale * (double)x[1], scale * (double)x[2]); }

/* Whether a joint bears more than `most`, by its own graph. Where something touches its graph, without blows: they are over before a block could be of use. */
static bool is_strained(kin_realtime* rt, const kin_rt_joint* t, const kin_joint* j, double h, double most)
{
    const kin_body* bodies = rt->group->bodies.body;
    if (t->fast == KIN_RT_FAST && is_apart(rt, end_of(rt, j), MOST_TOUCHING)) return true;
    if (!kin_joint_tree_is_stressed(bodies, j, of3(t->force, -1), h, most) || !is_alone(rt, j)) return false;
    return t->block != KIN_RT_NONE || kin_joint_tree_is_stressed(bodies, j, of3(t->bears, 1 / h), h, most) || is_apart(rt, end_of(rt, j), 0);
}

/* Whether a joint was too much for soft rows, or would be no longer: true where that is news. */
static bool judge(kin_realtime* rt, kin_rt_joint* t, const kin_joint* j, double h)
{
    const bool in_block = t->block != KIN_RT_NONE;
    if (in_block ? !rt->blocks[t->block].active : t->count == 0) return false;
    const bool was = t->stiff > 0;
    t->fast = (uint8_t)(!is_fast(rt, j, true) ? 0 : t->fast < KIN_RT_FAST ? t->fast + 1 : KIN_RT_FAST);
    if (is_strained(rt, t, j, h, (was ? CALM : 1) * STRESS))
        t->stiff = KEEPS;
    else if (was)
        t->stiff -= 1;
    return was != (t->stiff > 0);
}

void kin_rt_blocks_judge(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    bool changed = false;
    for (uint32_t k = 0; rt->joints_work && k < rt->group->joint_count; ++k) {
        if (is_candidate(rt, &rt->group->joints[k])) changed |= judge(rt, &rt->joint[k], &rt->group->joints[k], s->sub);
    }
    if (changed && !remake_blocks(rt, true)) rt->out_of_memory = true;
}

/* ---- their contacts ---- */

static uint32_t block_of(const kin_realtime* rt, uint32_t body)
{
    if (body >= rt->joint_bodies || (rt->body[body].flags & KIN_RT_IN_BLOCK) == 0) return KIN_RT_NONE;
    for (uint32_t k = rt->joint_first[body]; k < rt->joint_first[body + 1]; ++k) {
        if (rt->joint[rt->joint_of_body[k]].block != KIN_RT_NONE) return rt->joint[rt->joint_of_body[k]].block;
    }
    return KIN_RT_NONE;
}

static kin_body* other_of(kin_realtime* rt, kin_rt_block* b, uint32_t body)
{
    for (int i = 0; i < b->other_count; ++i) {
        if (b->name[i] == body) return &b->others[i];
    }
    b->name[b->other_count] = body;
    b->others[b->other_count] = rt->group->bodies.body[body];
    return &b->others[b->other_count++];
}

static double roundness(const kin_realtime* rt, uint32_t body) /* m; 0: flat, or of no single radius */
{
    const kin_form* f = rt->group->bodies.skin[body].form;
    if (!f->is_convex) return 0;
    if (f->convex.core == KIN_CORE_POINT || f->convex.core == KIN_CORE_SEGMENT) return f->convex.radius;
    return f->convex.core == KIN_CORE_CYLINDER ? f->convex.half.x : 0;
}

static void set_roll(const kin_realtime* rt, const kin_rt_pair* p, kin_joint_tree_contact* c)
{
    c->round_a = roundness(rt, p->a), c->round_b = roundness(rt, p->b);
    if (c->round_a > 0 && c->round_b > 0)
        c->roll = KIN_JOINT_TREE_ROUND;
    else if (c->round_b > 0)
        c->roll = KIN_JOINT_TREE_FACE_A;
    else if (c->round_a > 0)
        c->roll = KIN_JOINT_TREE_FACE_B;
    else
        c->roll = KIN_JOINT_TREE_STAYS;
}

static kin_vec3 velocity_at(const kin_realtime* rt, uint32_t body, kin_vec3 point)
{
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(body)];
    kin_vec3 v = {(double)m->v[0], (double)m->v[1], (double)m->v[2]}, w = {(double)m->w[0], (double)m->w[1], (double)m->w[2]};
    return kin_add(v, kin_cross(w, kin_sub(point, rt->lines.place[kin_rt_line(body)])));
}

static bool reserve_points(kin_realtime* rt, kin_rt_block* b, size_t count)
{
    const kin_allocator* a = &rt->allocator;
    return kin_reserve(a, (void**)&b->contacts, &b->capacity[0], count, sizeof *b->contacts)
           && kin_reserve(a, (void**)&b->others, &b->capacity[1], count, sizeof *b->others)
           && kin_reserve(a, (void**)&b->from, &b->capacity[2], count, sizeof *b->from)
           && kin_reserve(a, (void**)&b->name, &b->capacity[3], count, sizeof *b->name);
}

static void add_point(kin_realtime* rt, uint32_t block, uint32_t contact, int point)
{
    kin_rt_block* b = &rt->blocks[block];
    const kin_rt_contact* t = &rt->contacts[contact];
    const kin_rt_pair* p = &rt->pairs[t->pair];
    kin_rt_colour* colour = &rt->colour[t->colour];
    kin_rt_geometry* g = &colour->geometry[t->slot / KIN_RT_LANES];
    kin_rt_rows* r = &colour->rows[t->slot / KIN_RT_LANES];
    uint32_t l = t->slot % KIN_RT_LANES, outside = block_of(rt, p->a) == block ? p->b : p->a;
    kin_vec3 n = kin_rt_vector(r->n, l), at = kin_add(rt->lines.place[kin_rt_line(p->a)], kin_rt_vector(r->arm_a, l));
    kin_joint_tree_contact c = {.a = p->a, .b = p->b, .local_a = kin_rt_vector(g->point_a[point], l), .local_b = kin_rt_vector(g->point_b[point], l)};
    c.normal = kin_neg(n), c.tangent = kin_rt_vector(r->t, l);
    if (is_free(rt, outside) && block_of(rt, outside) != block) c.other = other_of(rt, b, outside);
    set_roll(rt, p, &c);
    c.separation = (double)r->start[point][l];
    c.friction = (double)r->slip[l];
    c.restitution = (double)t->restitution;
    c.approach = kin_dot(c.normal, kin_sub(velocity_at(rt, p->a, at), velocity_at(rt, p->b, at)));
    if (colour->extra != NULL) {
        const kin_rt_extra* x = &colour->extra[t->slot / KIN_RT_LANES];
        c.surface = kin_add_scaled(kin_scale(c.tangent, (double)x->carry[0][l]), (double)x->carry[1][l], kin_cross(n, c.tangent));
    }
    c.n = (double)r->normal[point][l];
    b->from[b->count] = 4 * contact + (uint32_t)point;
    b->contacts[b->count++] = c;
}

static void add_contact(kin_realtime* rt, uint32_t contact)
{
    const kin_rt_contact* t = &rt->contacts[contact];
    const kin_rt_pair* p = &rt->pairs[t->pair];
    const kin_rt_colour* colour = &rt->colour[t->colour];
    uint32_t l = t->slot % KIN_RT_LANES, mine[2] = {block_of(rt, p->a), block_of(rt, p->b)};
    if (mine[1] == mine[0]) mine[1] = KIN_RT_NONE;
    for (int side = 0; side < 2; ++side) { /* two blocks that meet and were not joined: each takes the other as it moves now */
        if (mine[side] == KIN_RT_NONE) continue;
        for (int k = 0; k < KIN_RT_POINTS; ++k) {
            bool there = colour->geometry[t->slot / KIN_RT_LANES].built[k][l] < KIN_RT_FAR && colour->rows[t->slot / KIN_RT_LANES].mass[k][l] > 0;
            if (there) add_point(rt, mine[side], contact, k);
        }
    }
}

/* Every direct contact, in the order of bodies. */
static uint32_t collect(kin_realtime* rt)
{
    const kin_rt_colour* c = &rt->colour[KIN_RT_DIRECT];
    for (uint32_t i = 0; i < c->count; ++i) {
        rt->values[i] = c->geometry[i / KIN_RT_LANES].contact[i % KIN_RT_LANES];
        rt->keys[i] = kin_rt_pair_key(&rt->pairs[rt->contacts[rt->values[i]].pair]);
    }
    kin_rt_sort_pairs(rt, c->count);
    return c->count;
}

/* ---- blocks that touch ---- */

static double mass_of(const kin_realtime* rt, uint32_t block)
{
    int count;
    const uint32_t* bodies = kin_joint_tree_bodies(rt->blocks[block].tree, &count);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += rt->group->bodies.body[bodies[i]].mass;
    return sum;
}

/* The joint by which a body is of a graph that is, or will be, a block's; KIN_RT_NONE: none. */
static uint32_t direct_joint(const kin_realtime* rt, uint32_t body)
{
    for (uint32_t k = rt->joint_first[body]; body < rt->joint_bodies && k < rt->joint_first[body + 1]; ++k) {
        const kin_rt_joint* t = &rt->joint[rt->joint_of_body[k]];
        if (t->block != KIN_RT_NONE || (t->stiff > 0 && is_candidate(rt, &rt->group->joints[rt->joint_of_body[k]]))) return rt->joint_of_body[k];
    }
    return KIN_RT_NONE;
}

/* A graph of light bodies that a heavy block comes to lie on needs one too: soft joints would have given way before they were seen to bear much. */
static bool stiffen_touched(kin_realtime* rt, uint32_t body, uint32_t by)
{
    uint32_t block = block_of(rt, by);
    if (!is_free(rt, body) || block == KIN_RT_NONE || direct_joint(rt, body) != KIN_RT_NONE) return false;
    if (mass_of(rt, block) < TOUCH_RATIO * rt->group->bodies.body[body].mass) return false;
    for (uint32_t k = rt->joint_first[body]; body < rt->joint_bodies && k < rt->joint_first[body + 1]; ++k) {
        uint32_t joint = rt->joint_of_body[k];
        if (!is_candidate(rt, &rt->group->joints[joint])) continue;
        rt->joint[joint].stiff = KEEPS;
        return true;
    }
    return false;
}

/* Which graphs touch now: those of blocks become one, or part again. `count` contacts in rt->values; beyond MOST_JOINED blocks stay apart, or a heap would be
 * a single one. */
static bool join_blocks(kin_realtime* rt, uint32_t count)
{
    bool changed = false;
    if (!kin_rt_islands_begin(rt)) return false;
    join_graphs(rt);
    for (uint32_t i = 0, joined = 0; i < count && joined < MOST_JOINED; ++i) {
        const kin_rt_pair* p = &rt->pairs[rt->contacts[rt->values[i]].pair];
        changed |= stiffen_touched(rt, p->a, p->b) || stiffen_touched(rt, p->b, p->a);
        if (direct_joint(rt, p->a) == KIN_RT_NONE || direct_joint(rt, p->b) == KIN_RT_NONE) continue;
        joined += block_of(rt, p->a) == KIN_RT_NONE || kin_rt_island_of(rt, p->a) != kin_rt_island_of(rt, p->b);
        kin_rt_island_join(rt, p->a, p->b);
    }
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        kin_rt_joint* t = &rt->joint[k];
        int bodies;
        bool direct = t->block != KIN_RT_NONE || t->stiff > 0;
        t->joined = direct && is_candidate(rt, &rt->group->joints[k]) ? kin_rt_island_of(rt, end_of(rt, &rt->group->joints[k])) : KIN_RT_NONE;
        changed |= t->block != KIN_RT_NONE && t->joined != kin_joint_tree_bodies(rt->blocks[t->block].tree, &bodies)[0];
    }
    return !changed || remake_blocks(rt, true);
}

const uint32_t* kin_rt_block_bodies(const kin_realtime* rt, uint32_t block, int* count) { return kin_joint_tree_bodies(rt->blocks[block].tree, count); }

/* Whether any of its bodies is awake: then all will be, as of a graph that was asleep in part when it became a block's. */
static bool is_active(kin_realtime* rt, const kin_rt_block* b)
{
    int count, awake = 0;
    const uint32_t* bodies = kin_joint_tree_bodies(b->tree, &count);
    for (int i = 0; i < count; ++i) awake += kin_rt_moves(rt, bodies[i]);
    for (int i = 0; awake > 0 && i < count; ++i) kin_rt_wake(rt, bodies[i]);
    return awake > 0;
}

void kin_rt_blocks_begin(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    kin_group* g = rt->group;
    kin_joint_tree_settings settings = {
        .look_ahead = 0.02, .push_speed = g->def.push_speed, .bounce_speed = g->def.bounce_speed, .most_iterations = 5, .tolerance = 1e-5};
    if (rt->block_count == 0) return;
    size_t points = 2 * KIN_RT_POINTS * (size_t)rt->colour[KIN_RT_DIRECT].count;
    bool ok = kin_rt_sort_reserve(rt, rt->colour[KIN_RT_DIRECT].count) && join_blocks(rt, collect(rt));
    for (uint32_t i = 0; i < rt->block_count; ++i) {
        rt->blocks[i].count = rt->blocks[i].other_count = 0;
        rt->blocks[i].active = is_active(rt, &rt->blocks[i]);
        ok = ok && reserve_points(rt, &rt->blocks[i], points);
    }
    if (!ok) rt->out_of_memory = true;
    uint32_t count = ok ? collect(rt) : 0;
    for (uint32_t i = 0; i < count; ++i) add_contact(rt, rt->values[i]);
    for (uint32_t i = 0; i < rt->block_count; ++i) {
        int bodies;
        const uint32_t* body = kin_joint_tree_bodies(rt->blocks[i].tree, &bodies);
        for (int k = 0; k < bodies; ++k) g->bodies.start[body[k]] = kin_body_pose(&g->bodies.body[body[k]]);
        if (rt->blocks[i].active) kin_joint_tree_begin(rt->blocks[i].tree, g->bodies.body, g->joints, g->bodies.force, g->bodies.torque, &settings);
    }
}

/* ---- substeps ---- */

/* Others as the lanes have them; one that is another block's, as that block has it. */
static void read_others(kin_realtime* rt, kin_rt_block* b)
{
    for (int i = 0; i < b->other_count; ++i) {
        const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(b->name[i])];
        const kin_body* now = &rt->group->bodies.body[b->name[i]];
        bool direct = (rt->body[b->name[i]].flags & KIN_RT_IN_BLOCK) != 0;
        b->others[i].velocity = direct ? now->velocity : kin_rt_get3(m->v);
        b->others[i].spin = direct ? now->spin : kin_rt_get3(m->w);
        b->others[i].position = kin_add(direct ? now->position : rt->lines.place[kin_rt_line(b->name[i])], direct ? kin_v(0, 0, 0) : kin_rt_get3(m->dx));
    }
}

/* The lanes' warm start is what contacts of lanes gave a body in the last substep (kick of kernels.c): what a block gave is no part of it, or the body would
 * get it again in every substep, and the block would not feel it. */
static void give3(float* v, float* base, kin_vec3 to)
{
    float before[3] = {v[0], v[1], v[2]};
    kin_rt_put3(v, to);
    for (int k = 0; k < 3; ++k) base[k] += v[k] - before[k];
}

static void write_others(kin_realtime* rt, const kin_rt_block* b)
{
    for (int i = 0; i < b->other_count; ++i) {
        kin_rt_motion* m = &rt->lines.motion[kin_rt_line(b->name[i])];
        kin_rt_gain* g = &rt->gain[b->name[i]];
        if (!kin_rt_moves(rt, b->name[i]) || (rt->body[b->name[i]].flags & KIN_RT_IN_BLOCK) != 0) continue;
        give3(m->v, g->base, b->others[i].velocity);
        give3(m->w, g->base + 3, b->others[i].spin);
    }
}

void kin_rt_blocks_solve(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    for (uint32_t i = 0; i < rt->block_count; ++i) {
        kin_rt_block* b = &rt->blocks[i];
        if (!b->active) continue;
        kin_joint_tree_kick(b->tree, s->sub);
        read_others(rt, b);
        kin_joint_tree_contacts(b->tree, b->contacts, b->count, s->sub, &s->step->jobs->arenas[0]);
        write_others(rt, b);
        kin_joint_tree_drift(b->tree, s->sub);
    }
}

void kin_rt_blocks_relax(kin_rt_step* s, bool last)
{
    kin_realtime* rt = s->rt;
    for (uint32_t i = 0; i < rt->block_count; ++i) {
        kin_rt_block* b = &rt->blocks[i];
        if (!b->active) continue;
        read_others(rt, b);
        kin_joint_tree_relax(b->tree, b->contacts, b->count, last, &s->step->jobs->arenas[0]);
        write_others(rt, b);
        for (int k = 0; k < b->count; ++k) {
            const kin_rt_contact* t = &rt->contacts[b->from[k] / 4];
            kin_rt_rows* r = &rt->colour[t->colour].rows[t->slot / KIN_RT_LANES];
            uint32_t l = t->slot % KIN_RT_LANES;
            r->normal[b->from[k] % 4][l] = (float)b->contacts[k].n;
            r->pressed[l] += (float)b->contacts[k].n;
            kin_rt_report_direct(rt, t, (int)(b->from[k] % 4), b->contacts[k].n, b->contacts[k].t, b->contacts[k].k);
        }
    }
}

void kin_rt_blocks_end(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    kin_group* g = rt->group;
    for (uint32_t i = 0; i < rt->block_count; ++i) {
        if (!rt->blocks[i].active) continue;
        kin_joint_tree_end(rt->blocks[i].tree, g->bodies.body, g->joints);
        int bodies;
        const uint32_t* body = kin_joint_tree_bodies(rt->blocks[i].tree, &bodies);
        for (int k = 0; k < bodies; ++k) {
            g->bodies.end[body[k]] = kin_body_pose(&g->bodies.body[body[k]]);
            kin_rt_travel_add(rt, body[k]);
        }
    }
}

bool kin_rt_block_load(const kin_realtime* rt, uint32_t joint, kin_vec3* force, kin_vec3* torque)
{
    uint32_t block = rt->joint[joint].block;
    if (block == KIN_RT_NONE || !rt->blocks[block].active) return false;
    kin_joint_tree_joint_load(rt->blocks[block].tree, joint, force, torque);
    return true;
}

void kin_rt_blocks_visit(kin_realtime* rt, kin_visitor* v)
{
    for (uint32_t i = 0; i < rt->block_count && v->result == KIN_OK; ++i) kin_joint_tree_visit(rt->blocks[i].tree, v);
}

double kin_rt_blocks_error(const kin_realtime* rt)
{
    double worst = 0;
    for (uint32_t i = 0; i < rt->block_count; ++i) worst = kin_max(worst, kin_joint_tree_reports(rt->blocks[i].tree).error);
    return worst;
}
