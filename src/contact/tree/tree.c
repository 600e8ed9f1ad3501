/* tree.c - blocks of joints: the graph found once, bodies in and out, the verbs of a substep. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "contact/tree/extra.h"
#include <string.h>

#define LOCKED 1e9           /* a moment that may not change, in units of the largest of the body */
#define BROKEN_AT_START 2e-4 /* m: joints further off than this are closed before the substep */
#define CLOSINGS 8

/* ---- the graph ---- */

static bool is_free(const kin_body* b) { return b->inv_mass > 0 || b->inv_moments.x > 0 || b->inv_moments.y > 0 || b->inv_moments.z > 0; }

static void* take(kin_joint_tree* t, size_t count, size_t size)
{
    void* memory = kin_arena_take(&t->arena, kin_bytes(count, size));
    if (memory) memset(memory, 0, count * size);
    return memory;
}

/* The place of a number among rising ones; -1: not there. */
static int place_of(const uint32_t* numbers, int count, uint32_t number)
{
    size_t at = kin_search_u32(numbers, (size_t)count, number);
    return at < (size_t)count && numbers[at] == number ? (int)at : -1;
}

/* Keeps numbers rising and different; insertion, as joints mostly come in the order of their bodies. */
static void insert_number(uint32_t* numbers, int* count, uint32_t number)
{
    int at = *count;
    while (at > 0 && numbers[at - 1] > number) --at;
    if (at > 0 && numbers[at - 1] == number) return;
    memmove(numbers + at + 1, numbers + at, (size_t)(*count - at) * sizeof *numbers);
    numbers[at] = number;
    *count += 1;
}

static bool numbers_hold(const kin_body* b) { return kin_finite(b->mass) && kin_finite3(b->moments) && b->mass >= 0; }

static kin_result check(const kin_body* bodies, const kin_joint* joints, const uint32_t* numbers, int count, kin_error* error)
{
    for (int i = 0; i < count; ++i) {
        const kin_joint* j = &joints[numbers[i]];
        if (j->a == j->b) return kin_fail(error, KIN_ERROR_ARGUMENT, "joints", "joint %u ties a body to itself", numbers[i]);
        for (int side = 0; side < 2; ++side) {
            uint32_t body = side ? j->b : j->a;
            if (body != KIN_NO_BODY && !numbers_hold(&bodies[body]))
                return kin_fail(error, KIN_ERROR_ARGUMENT, "bodies", "mass or moments of body %u are not numbers >= 0", body);
        }
    }
    return KIN_OK;
}

/* Free bodies by rising number, then anchors; `mapped` finds them. */
static bool gather_bodies(kin_joint_tree* t, const kin_body* bodies, const kin_joint* joints, const uint32_t* numbers, int count)
{
    size_t most = 2 * (size_t)count + 1;
    t->numbers = take(t, most, sizeof *t->numbers);
    t->anchors = take(t, most, sizeof *t->anchors);
    if (!t->numbers || !t->anchors) return false;
    int fixed = 0;
    for (int i = 0; i < 2 * count; ++i) {
        const kin_joint* j = &joints[numbers[i / 2]];
        uint32_t body = i % 2 ? j->b : j->a;
        if (body != KIN_NO_BODY && is_free(&bodies[body]))
            insert_number(t->numbers, &t->free, body);
        else
            insert_number(t->anchors, &fixed, body);
    }
    t->bodies = t->free + fixed;
    t->body = take(t, (size_t)t->bodies, sizeof *t->body);
    return t->body != NULL;
}

int kin_joint_tree_place_of(const kin_joint_tree* t, uint32_t number) { return place_of(t->numbers, t->free, number); }

/* The place of a joint by its number in the group; -1: not there. Those that hold come first, both kinds by rising number. */
static int joint_place(const kin_joint_tree* t, uint32_t number)
{
    for (int holds = 1; holds >= 0; --holds) {
        int low = holds ? 0 : t->joints, end = holds ? t->joints : t->all_joints;
        for (int high = end; low < high;) {
            const int middle = low + (high - low) / 2;
            if (t->joint[middle].number < number)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < end && t->joint[low].number == number) return low;
    }
    return -1;
}

bool kin_joint_tree_is_of(const kin_joint_tree* t, const uint32_t* numbers, int count)
{
    bool same = count == t->all_joints;
    for (int i = 0; same && i < count; ++i) same = joint_place(t, numbers[i]) >= 0;
    return same;
}

static int body_place(const kin_joint_tree* t, uint32_t number)
{
    int place = kin_joint_tree_place_of(t, number);
    return place >= 0 ? place : t->free + place_of(t->anchors, t->bodies - t->free, number);
}

/* The axes that do not turn get a moment that nothing moves. */
static kin_vec3 working_moments(const kin_body* b)
{
    double locked = LOCKED * kin_max(kin_largest(b->moments), 1e-30);
    kin_vec3 inv = b->inv_moments;
    return (kin_vec3){inv.x > 0 ? 1 / inv.x : locked, inv.y > 0 ? 1 / inv.y : locked, inv.z > 0 ? 1 / inv.z : locked};
}

static void init_bodies(kin_joint_tree* t, const kin_body* bodies)
{
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->number = i < t->free ? t->numbers[i] : t->anchors[i - t->free];
        b->theta = 1;
        b->part = -1;
        b->now.q = kin_quat_identity();
        if (i >= t->free) continue;
        const kin_body* from = &bodies[b->number];
        b->moves = from->inv_mass > 0;
        b->mass = b->moves ? 1 / from->inv_mass : 0;
        b->turns = from->inv_moments.x > 0 || from->inv_moments.y > 0 || from->inv_moments.z > 0;
        b->moments = b->turns ? working_moments(from) : (kin_vec3){0};
    }
}

/* 1 / the mean of the moments across a lever; 0: nothing turns there. pivots: the lever's end stands fast, and the body swings about it. */
static double inv_across(const kin_joint_tree_body* b, kin_vec3 lever, bool pivots)
{
    double square = kin_length2(lever), sum = b->moments.x + b->moments.y + b->moments.z;
    if (!b->turns || !(square > 0)) return 0;
    return 1 / (0.5 * (sum - kin_dot(lever, kin_mul(b->moments, lever)) / square) + (pivots ? b->mass * square : 0));
}

static bool has_point(kin_joint_kind kind)
{
    return kind == KIN_JOINT_BALL || kind == KIN_JOINT_HINGE || kind == KIN_JOINT_UNIVERSAL || kind == KIN_JOINT_FIXED;
}

static void init_joint(kin_joint_tree* t, kin_joint_tree_joint* to, const kin_joint* from, uint32_t number)
{
    *to = (kin_joint_tree_joint){.number = number, .a = body_place(t, from->a), .b = body_place(t, from->b), .rows = kin_joint_hold_count(from->kind)};
    to->point = has_point(from->kind);
    to->plain = from->kind == KIN_JOINT_BALL;
    to->grounded = (from->kind == KIN_JOINT_GEAR && from->mount == KIN_GEAR_IN_WORLD) || from->kind == KIN_JOINT_PULLEY;
    to->anchor_a = from->frame_a.position;
    to->anchor_b = from->frame_b.position;
    to->inv_across_a = inv_across(&t->body[to->a], to->anchor_a, to->b >= t->free);
    to->inv_across_b = inv_across(&t->body[to->b], to->anchor_b, to->a >= t->free);
}

/* Joints that hold something first: these are the nodes. */
static bool gather_joints(kin_joint_tree* t, const kin_joint* joints, const uint32_t* numbers, int count)
{
    t->joint = take(t, (size_t)count, sizeof *t->joint);
    if (!t->joint) return false;
    for (int holds = 1; holds >= 0; --holds) {
        for (int i = 0; i < count; ++i) {
            const kin_joint* from = &joints[numbers[i]];
            if ((kin_joint_hold_count(from->kind) > 0) == holds) init_joint(t, &t->joint[t->all_joints++], from, numbers[i]);
        }
        if (holds) t->joints = t->all_joints;
    }
    return true;
}

/* Some of its freedoms are locked: its surroundings take momentum. */
static bool is_held(const kin_joint_tree_body* b)
{
    kin_vec3 m = b->moments;
    return !b->moves || !b->turns || kin_largest(m) > 0.1 * LOCKED * kin_min(m.x, kin_min(m.y, m.z));
}

/* Which bodies hang together; a part that meets an anchor cannot keep its momentum. */
static bool find_parts(kin_joint_tree* t)
{
    for (int i = 0; i < t->free; ++i) t->body[i].part = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < t->all_joints; ++i) {
            int a = t->joint[i].a, b = t->joint[i].b;
            if (a >= t->free || b >= t->free || t->body[a].part == t->body[b].part) continue;
            t->body[a].part = t->body[b].part = t->body[a].part < t->body[b].part ? t->body[a].part : t->body[b].part;
            changed = true;
        }
    }
    for (int i = 0; i < t->free; ++i) t->body[i].part = t->body[i].part == i ? t->parts++ : t->body[t->body[i].part].part;
    t->part = take(t, (size_t)t->parts, sizeof *t->part);
    if (!t->part) return false;
    for (int i = 0; i < t->free; ++i) {
        if (is_held(&t->body[i])) t->part[t->body[i].part].anchored = true;
    }
    for (int i = 0; i < t->all_joints; ++i) {
        int a = t->joint[i].a, b = t->joint[i].b;
        if (a < t->free && b >= t->free) t->part[t->body[a].part].anchored = true;
        if (b < t->free && a >= t->free) t->part[t->body[b].part].anchored = true;
        if (t->joint[i].grounded && a < t->free) t->part[t->body[a].part].anchored = true;
    }
    for (int i = 0; i < t->parts; ++i) t->floating = t->floating || !t->part[i].anchored;
    return true;
}

static int count_pairs(kin_joint_tree* t, bool keep)
{
    int n = 0;
    for (int i = 0; i < t->joints; ++i) {
        for (int k = 0; k < 4; ++k) {
            int body = k < 2 ? t->joint[i].a : t->joint[i].b;
            if (body >= t->free) continue;
            for (int j = t->by_body_first[body]; j < t->by_body_first[body + 1]; ++j) {
                const kin_joint_tree_joint* other = &t->joint[t->by_body[j]];
                if (t->by_body[j] >= i || (k % 2 ? other->b : other->a) != body) continue;
                if (keep) t->pair[n] = (kin_joint_tree_pair){.i = i, .j = t->by_body[j], .body = body, .a_of_i = k < 2, .a_of_j = k % 2 == 0};
                ++n;
            }
        }
    }
    return n;
}

/* The joints of each body, as a table: first[i] to first[i + 1] - 1. */
static bool list_by_body(kin_joint_tree* t)
{
    t->by_body_first = take(t, (size_t)t->free + 2, sizeof *t->by_body_first);
    t->by_body = take(t, 2 * (size_t)t->joints + 1, sizeof *t->by_body);
    if (!t->by_body_first || !t->by_body) return false;
    int* first = t->by_body_first;
    for (int i = 0; i < 2 * t->joints; ++i) {
        int body = i % 2 ? t->joint[i / 2].b : t->joint[i / 2].a;
        if (body < t->free) ++first[body + 2];
    }
    for (int i = 0; i < t->free; ++i) first[i + 2] += first[i + 1];
    for (int i = 0; i < 2 * t->joints; ++i) {
        int body = i % 2 ? t->joint[i / 2].b : t->joint[i / 2].a;
        if (body < t->free) t->by_body[first[body + 1]++] = i / 2;
    }
    return true;
}

static bool analyse(kin_joint_tree* t, kin_arena* scratch)
{
    int* sizes = kin_arena_take(scratch, kin_bytes((size_t)t->joints + 1, sizeof *sizes));
    kin_block_link* links = kin_arena_take(scratch, kin_bytes((size_t)t->pairs + 1, sizeof *links));
    if (!sizes || !links) return false;
    for (int i = 0; i < t->joints; ++i) sizes[i] = t->joint[i].rows;
    for (int i = 0; i < t->pairs; ++i) links[i] = (kin_block_link){t->pair[i].i, t->pair[i].j};
    if (!kin_block_ldl_analyse(t->joints, sizes, t->pairs, links, &t->arena, scratch, &t->ldl)) return false;
    for (int i = 0; i < t->joints; ++i) {
        t->joint[i].first = t->ldl.first[i];
        t->own[i] = kin_block_ldl_slot(&t->ldl, i, i);
    }
    for (int i = 0; i < t->pairs; ++i) {
        kin_joint_tree_pair* p = &t->pair[i];
        p->slot = kin_block_ldl_slot(&t->ldl, p->i, p->j);
        if (p->slot.turned) { /* the block is kept as that of j and i */
            *p = (kin_joint_tree_pair){.i = p->j, .j = p->i, .body = p->body, .a_of_i = p->a_of_j, .a_of_j = p->a_of_i};
            p->slot = kin_block_ldl_slot(&t->ldl, p->i, p->j);
        }
    }
    return true;
}

static bool find_links(kin_joint_tree* t)
{
    if (!list_by_body(t)) return false;
    t->pairs = count_pairs(t, false);
    t->pair = take(t, (size_t)t->pairs + 1, sizeof *t->pair);
    t->own = take(t, (size_t)t->joints + 1, sizeof *t->own);
    if (!t->pair || !t->own) return false;
    count_pairs(t, true);
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    bool room = analyse(t, &scratch) && kin_joint_tree_find_loops(t, &scratch);
    kin_arena_term(&scratch);
    return room;
}

static bool take_numbers(kin_joint_tree* t)
{
    size_t rows = (size_t)t->ldl.rows + 1, bodies = (size_t)t->bodies;
    t->row = take(t, rows, sizeof *t->row);
    t->force = take(t, rows, sizeof *t->force);
    t->error = take(t, rows, sizeof *t->error);
    t->error0 = take(t, rows, sizeof *t->error0);
    t->mu = take(t, rows, sizeof *t->mu);
    t->compliance = take(t, rows, sizeof *t->compliance);
    t->left = take(t, bodies, sizeof *t->left);
    t->warm = take(t, (size_t)t->all_joints * KIN_JOINT_ROWS + 1, sizeof *t->warm);
    t->impulse = take(t, (size_t)t->all_joints * KIN_JOINT_ROWS + 1, sizeof *t->impulse);
    bool room = t->row && t->force && t->error && t->error0 && t->mu && t->compliance && t->left && t->warm && t->impulse;
    for (int i = 0; i <= KIN_JOINT_TREE_LEVELS; ++i) {
        t->saved[i] = take(t, bodies, sizeof *t->saved[i]);
        t->saved_force[i] = take(t, rows, sizeof *t->saved_force[i]);
        t->saved_error[i] = take(t, rows, sizeof *t->saved_error[i]);
        room = room && t->saved[i] && t->saved_force[i] && t->saved_error[i];
    }
    return room;
}

kin_result kin_joint_tree_create(const kin_allocator* allocator, const kin_body* bodies, const kin_joint* joints, const uint32_t* numbers, int count,
                                 kin_joint_tree** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check(bodies, joints, numbers, count, error);
    if (result != KIN_OK) return result;
    kin_joint_tree* t = kin_alloc_zero(allocator, sizeof *t);
    if (!t) return kin_fail_memory(error, "a block of joints", sizeof *t);
    t->allocator = *allocator;
    kin_arena_init(&t->arena, allocator);
    bool room = gather_bodies(t, bodies, joints, numbers, count);
    if (room) init_bodies(t, bodies);
    room = room && gather_joints(t, joints, numbers, count) && find_parts(t) && find_links(t) && take_numbers(t);
    if (!room) {
        kin_joint_tree_destroy(t);
        return kin_fail_memory(error, "a block of joints", (size_t)count);
    }
    *out = t;
    return KIN_OK;
}

static void inherit_joint(kin_joint_tree* t, int to, const kin_joint_tree* from, int of)
{
    kin_joint_tree_joint* j = &t->joint[to];
    const kin_joint_tree_joint* k = &from->joint[of];
    size_t rows = (size_t)j->rows * sizeof *t->force, slots = KIN_JOINT_ROWS * sizeof *t->warm;
    if (to < t->joints) {
        memcpy(t->force + j->first, from->force + k->first, rows);
        memcpy(t->error + j->first, from->error + k->first, rows);
    }
    memcpy(t->warm + (size_t)to * KIN_JOINT_ROWS, from->warm + (size_t)of * KIN_JOINT_ROWS, slots);
    j->load = k->load, j->twist = k->twist;
}

void kin_joint_tree_inherit(kin_joint_tree* t, const kin_joint_tree* from)
{
    bool yields = false, new_loops = false;
    for (int i = 0; i < t->bodies; ++i) {
        int k = i < t->free ? kin_joint_tree_place_of(from, t->body[i].number) : place_of(from->anchors, from->bodies - from->free, t->body[i].number);
        if (k < 0) continue;
        if (i >= t->free) k += from->free;
        const kin_joint_tree_body* b = &from->body[k];
        t->body[i].now = b->now, t->body[i].theta = b->theta, t->body[i].stress = b->stress, t->body[i].roll = b->roll;
        t->left[i] = from->left[k];
    }
    for (int i = 0; i < t->all_joints; ++i) {
        const int k = joint_place(from, t->joint[i].number);
        if (k < 0) continue;
        inherit_joint(t, i, from, k);
        yields = yields || (from->yields && from->joint[k].yield > 0 && t->joint[i].yield > 0);
        new_loops = new_loops || (from->joint[k].yield > 0) != (t->joint[i].yield > 0);
    }
    if (yields && new_loops) kin_joint_tree_yield(t);
    t->yields = t->yields || yields;
}

void kin_joint_tree_destroy(kin_joint_tree* t)
{
    if (!t) return;
    kin_allocator allocator = t->allocator;
    kin_arena_term(&t->arena);
    kin_free(&allocator, t->loose, t->loose_capacity * sizeof *t->loose);
    kin_free(&allocator, t, sizeof *t);
}

const uint32_t* kin_joint_tree_bodies(const kin_joint_tree* t, int* count)
{
    *count = t->free;
    return t->numbers;
}

/* An upper bound of it, for most joints are far from any stress: levers along the force, and the smallest moment across them. */
static double stress_bound(const kin_body* b, kin_vec3 anchor, double force, double h)
{
    return 0.5 * h * h * force * kin_length(anchor) * kin_largest(b->inv_moments);
}

bool kin_joint_tree_is_stressed(const kin_body* bodies, const kin_joint* j, kin_vec3 force_a, double h, double most)
{
    const double force = kin_length(force_a);
    const bool may = (j->a != KIN_NO_BODY && stress_bound(&bodies[j->a], j->frame_a.position, force, h) > most)
                     || (j->b != KIN_NO_BODY && stress_bound(&bodies[j->b], j->frame_b.position, force, h) > most);
    return may && kin_joint_tree_stress(bodies, j, force_a, h) > most;
}

double kin_joint_tree_stress(const kin_body* bodies, const kin_joint* joint, kin_vec3 force_a, double h)
{
    double most = 0;
    for (int side = 0; side < 2; ++side) {
        uint32_t number = side ? joint->b : joint->a, other = side ? joint->a : joint->b;
        kin_vec3 anchor = side ? joint->frame_b.position : joint->frame_a.position, force = side ? kin_neg(force_a) : force_a;
        if (number == KIN_NO_BODY) continue;
        const kin_body* b = &bodies[number];
        kin_joint_tree_body seen = {.turns = b->inv_moments.x > 0 || b->inv_moments.y > 0 || b->inv_moments.z > 0};
        if (seen.turns) seen.moments = working_moments(b);
        seen.mass = b->inv_mass > 0 ? 1 / b->inv_mass : 0;
        most = kin_max(most, 0.5 * h * h * kin_max(0, kin_dot(force, kin_rotate(b->orientation, anchor)))
                                 * inv_across(&seen, anchor, other == KIN_NO_BODY || !is_free(&bodies[other])));
    }
    return most;
}

/* ---- an interval ---- */

static bool same3(kin_vec3 a, kin_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static bool same4(kin_quat a, kin_quat b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

/* False: the body is as it was left. */
static bool read_body(kin_joint_tree* t, int i)
{
    kin_joint_tree_body* b = &t->body[i];
    const kin_body world = kin_body_fixed(), *from = b->number == KIN_NO_BODY ? &world : &t->group[b->number];
    const kin_joint_tree_motion* left = &t->left[i];
    if (same3(from->position, left->x) && same4(from->orientation, left->q) && same3(from->velocity, left->v) && same3(from->spin, left->spin)) return false;
    b->now = (kin_joint_tree_motion){from->position, from->velocity, kin_unrotate(from->orientation, from->spin), from->orientation};
    return true;
}

/* An anchor that goes, or was put elsewhere. */
static bool is_moved(const kin_joint_tree* t, int i)
{
    const kin_joint_tree_body* b = &t->body[i];
    if (b->number == KIN_NO_BODY) return false;
    const kin_body* from = &t->group[b->number];
    return !same3(from->position, b->now.x) || !same4(from->orientation, b->now.q) || kin_length2(from->velocity) > 0 || kin_length2(from->spin) > 0;
}

static void write_bodies(kin_joint_tree* t)
{
    for (int i = 0; i < t->free; ++i) {
        const kin_joint_tree_body* b = &t->body[i];
        kin_body* to = &t->group[b->number];
        kin_joint_tree_motion left = {b->now.x, b->now.v, kin_rotate(b->now.q, b->now.spin), b->now.q};
        to->position = left.x;
        to->orientation = left.q;
        to->velocity = left.v;
        to->spin = left.spin;
        t->left[i] = left;
    }
}

/* What was pushed or placed from outside need not fit the joints: positions are closed where they gape, velocities at once, as by a blow. */
static void take_changes(kin_joint_tree* t)
{
    bool changed = false;
    for (int i = 0; i < t->free; ++i) changed = read_body(t, i) || changed;
    if (!changed) return;
    t->still = false;
    kin_joint_tree_still(t);
    for (int i = 0; i < CLOSINGS && t->worst > BROKEN_AT_START; ++i) kin_joint_tree_project(t, false);
    kin_joint_tree_project(t, true);
}

static bool is_used(const kin_joint_freedom* f) { return f->limited || f->motor || f->stiffness > 0 || f->damping > 0 || f->friction > 0; }

static bool is_loose(const kin_joint* j)
{
    return !j->broken && (j->kind == KIN_JOINT_ROPE || j->kind == KIN_JOINT_MOUSE || is_used(&j->def.freedom[0]) || is_used(&j->def.freedom[1]));
}

static int count_loose_rows(const kin_joint_tree* t, const kin_joint_tree_joint* j)
{
    kin_joint_row rows[KIN_JOINT_ROWS];
    const kin_body fixed = kin_body_fixed(), *a = j->joint->a == KIN_NO_BODY ? &fixed : &t->group[j->joint->a],
                   *b = j->joint->b == KIN_NO_BODY ? &fixed : &t->group[j->joint->b];
    int n = kin_joint_rows(j->joint, a, b, KIN_JOINT_TREE_FAR, rows), count = 0;
    for (int i = 0; i < n; ++i) count += rows[i].kind != KIN_ROW_HOLD;
    return count;
}

/* Freedoms are live: what they ask for is counted every interval. Without memory for them they are left out. */
static void count_loose(kin_joint_tree* t)
{
    int sum = 0;
    for (int i = 0; i < t->all_joints; ++i) {
        kin_joint_tree_joint* j = &t->joint[i];
        j->loose_first = sum;
        j->loose_count = is_loose(j->joint) ? count_loose_rows(t, j) : 0;
        sum += j->loose_count;
    }
    if (kin_reserve(&t->allocator, (void**)&t->loose, &t->loose_capacity, (size_t)sum, sizeof *t->loose)) {
        for (int i = 0; i < t->all_joints; ++i) {
            for (int l = 0; l < t->joint[i].loose_count; ++l) t->loose[t->joint[i].loose_first + l] = (kin_joint_tree_loose){.joint = i};
        }
        t->loose_count = sum;
        return;
    }
    for (int i = 0; i < t->all_joints; ++i) t->joint[i].loose_count = 0;
    t->loose_count = 0;
}

/* A broken joint holds nothing: empty rows, which the factorization drops. */
static void forget_joint(kin_joint_tree* t, kin_joint_tree_joint* j)
{
    j->point = j->plain = false;
    t->still = false;
    for (int r = j->first; r < j->first + j->rows; ++r) {
        t->row[r] = (kin_joint_tree_row){0};
        t->force[r] = t->error[r] = t->compliance[r] = 0;
    }
}

void kin_joint_tree_begin(kin_joint_tree* t, kin_body* bodies, kin_joint* joints, const kin_vec3* force, const kin_vec3* torque,
                          const kin_joint_tree_settings* settings)
{
    t->settings = *settings;
    t->group = bodies;
    t->elapsed = 0;
    t->substep = 0;
    t->report = (kin_joint_tree_report){0};
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        kin_vec3 f = i < t->free ? force[b->number] : (kin_vec3){0}, m = i < t->free ? torque[b->number] : (kin_vec3){0};
        t->still = t->still && same3(f, b->force) && same3(m, b->torque) && !(i >= t->free && is_moved(t, i));
        b->force = f;
        b->torque = m;
        b->roll = (kin_sym3){0};
        if (i >= t->free) read_body(t, i);
    }
    for (int i = 0; i < t->all_joints; ++i) {
        kin_joint_tree_joint* j = &t->joint[i];
        j->joint = &joints[j->number];
        j->load = j->twist = (kin_vec3){0};
        if (j->joint->broken) forget_joint(t, j);
    }
    count_loose(t);
}

void kin_joint_tree_kick(kin_joint_tree* t, double h)
{
    t->h = h;
    take_changes(t);
    t->still = t->still && h == t->still_h && t->loose_count == 0;
    t->still_h = h;
    if (!t->still) kin_joint_tree_open(t, h);
}

void kin_joint_tree_contacts(kin_joint_tree* t, kin_joint_tree_contact* contacts, int count, double h, kin_arena* scratch)
{
    kin_joint_tree_extras_open(t, contacts, count, h, scratch);
    if (t->still && !t->extras) {
        kin_joint_tree_sum_loads(t, h);
        return;
    }
    if (t->still) kin_joint_tree_open(t, h);
    kin_joint_tree_advance(t, h);
    kin_joint_tree_extras_close(t);
}

/* Angles are followed in every substep: they may change by half a turn between. */
static void follow_joints(kin_joint_tree* t)
{
    const kin_body fixed = kin_body_fixed();
    for (int i = 0; i < t->all_joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        if (j->joint->kind == KIN_JOINT_BALL && j->loose_count == 0) continue;
        kin_joint_follow(j->joint, j->joint->a == KIN_NO_BODY ? &fixed : &t->group[j->joint->a], j->joint->b == KIN_NO_BODY ? &fixed : &t->group[j->joint->b]);
    }
}

void kin_joint_tree_drift(kin_joint_tree* t, double h)
{
    t->elapsed += h;
    t->substep += 1;
    write_bodies(t);
    follow_joints(t);
}

void kin_joint_tree_relax(kin_joint_tree* t, kin_joint_tree_contact* contacts, int count, bool bounce, kin_arena* scratch)
{
    if (kin_joint_tree_extras_relax(t, contacts, count, bounce, scratch)) write_bodies(t);
}

static double held_energy(const kin_joint_tree* t)
{
    double sum = kin_joint_tree_kinetic(t);
    for (int i = 0; i < t->free; ++i) sum -= kin_dot(t->body[i].force, t->body[i].now.x);
    return sum;
}

void kin_joint_tree_end(kin_joint_tree* t, kin_body* bodies, kin_joint* joints)
{
    KIN_ASSERT(bodies == t->group && (t->all_joints == 0 || t->joint[0].joint == &joints[t->joint[0].number])); /* nobody moved them meanwhile */
    t->report.error = t->gap;
    t->report.energy = held_energy(t);
    for (int i = 0; t->elapsed > 0 && i < t->all_joints; ++i) {
        kin_joint_tree_joint* j = &t->joint[i];
        j->load = kin_scale(j->load, 1 / t->elapsed);
        j->twist = kin_scale(j->twist, 1 / t->elapsed);
    }
    t->group = NULL;
}

kin_joint_tree_report kin_joint_tree_reports(const kin_joint_tree* t) { return t->report; }

void kin_joint_tree_joint_load(const kin_joint_tree* t, uint32_t joint, kin_vec3* force, kin_vec3* torque)
{
    const int i = joint_place(t, joint);
    *force = i >= 0 ? t->joint[i].load : (kin_vec3){0};
    *torque = i >= 0 ? t->joint[i].twist : (kin_vec3){0};
}

static void visit_motion(kin_joint_tree_motion* m, kin_visitor* v)
{
    kin_visit_vec3(v, &m->x);
    kin_visit_vec3(v, &m->v);
    kin_visit_vec3(v, &m->spin);
    uint8_t known = kin_quat_dot(m->q, m->q) > 0; /* no: the block was never solved */
    kin_visit_u8(v, &known);
    if (known)
        kin_visit_quat(v, &m->q);
    else
        m->q = (kin_quat){0, 0, 0, 0};
}

void kin_joint_tree_visit(kin_joint_tree* t, kin_visitor* v)
{
    if (v->mode == KIN_VISIT_LOAD) t->still = false; /* found again in a substep */
    uint8_t yields = t->yields;
    kin_visit_u8(v, &yields);
    t->yields = yields != 0;
    for (int i = 0; i < t->bodies; ++i) {
        visit_motion(&t->body[i].now, v);
        visit_motion(&t->left[i], v);
        kin_visit_f64(v, &t->body[i].theta);
        kin_visit_f64(v, &t->body[i].stress);
        kin_visit_bytes(v, &t->body[i].roll, sizeof t->body[i].roll);
    }
    kin_visit_f64s(v, t->force, (size_t)t->ldl.rows);
    kin_visit_f64s(v, t->error, (size_t)t->ldl.rows);
    kin_visit_f64s(v, t->warm, (size_t)t->all_joints * KIN_JOINT_ROWS);
    for (int i = 0; i < t->all_joints; ++i) {
        kin_visit_vec3(v, &t->joint[i].load);
        kin_visit_vec3(v, &t->joint[i].twist);
    }
}
