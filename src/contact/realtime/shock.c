/* shock.c - small islands that a blow strikes, solved directly.
 *
 * A blow goes through a stack one body a sweep, and is reflected at its ends: what sweeps leave of it after n bodies falls by a factor of cos^2(pi / (2 n + 1))
 * each time, so ten boxes that land together would need a hundred. So where an island is small, all its points are solved at once, on the dense matrix of what
 * they do to each other (tree/box.h): softly before the bodies move, with their target at rest after. Heaps are left to sweeps: there a blow ends after a few
 * bodies. Islands are found once an interval, and only when there was a blow. */
#include "contact/realtime/realtime.h"
#include "contact/tree/box.h"
#include <string.h>

enum {
    FEWEST = 3, /* contacts: fewer are solved by sweeps as well */
    MOST = 24,
    BARRED = MOST + 1, /* counts as so many: an island with joints, a direct block, or compounds */
    POINTS = MOST * KIN_RT_POINTS,
};
#define TOLERANCE 1e-4 /* m/s */

/* ---- which islands ---- */

static uint32_t free_end(const kin_rt_rows* r, uint32_t l) { return (uint32_t)((r->a[l] >= 0 ? r->a[l] : r->b[l]) - 1); }

static void join_contacts(kin_realtime* rt, const kin_rt_colour* c)
{
    for (uint32_t i = 0; i < c->count; ++i) {
        const kin_rt_rows* r = &c->rows[i / KIN_RT_LANES];
        uint32_t l = i % KIN_RT_LANES;
        if (r->a[l] >= 0 && r->b[l] >= 0) kin_rt_island_join(rt, (uint32_t)r->a[l] - 1, (uint32_t)r->b[l] - 1);
    }
}

/* Its pair has no other: those would have no order of their own. */
static bool is_only(const kin_realtime* rt, uint32_t contact)
{
    return rt->contacts[contact].next == KIN_RT_NONE && rt->pairs[rt->contacts[contact].pair].contacts == contact;
}

/* Every body knows the lowest of its island at once: that is reached from lower numbers only. */
static void flatten(kin_realtime* rt)
{
    for (uint32_t i = 0; i < rt->group->bodies.count; ++i) rt->island[i] = rt->island[rt->island[i]];
}

/* Contacts that hold a free body. */
static void count_contacts(const kin_realtime* rt, uint32_t* size)
{
    for (uint32_t k = KIN_RT_DIRECT; k < rt->colour_count; ++k) {
        const kin_rt_colour* c = &rt->colour[k];
        for (uint32_t i = 0; i < c->count; ++i) {
            const kin_rt_rows* r = &c->rows[i / KIN_RT_LANES];
            uint32_t l = i % KIN_RT_LANES;
            if (r->a[l] >= 0 || r->b[l] >= 0) size[rt->island[free_end(r, l)]] += k == KIN_RT_DIRECT ? BARRED : 1;
        }
    }
}

static void bar_joints(const kin_realtime* rt, uint32_t* size)
{
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        const uint32_t both[2] = {j->a, j->b};
        for (int i = 0; rt->joint[k].count > 0 && i < 2; ++i) {
            if (both[i] != KIN_NO_BODY) size[rt->island[both[i]]] += BARRED;
        }
    }
}

static bool is_small(uint32_t size) { return size >= FEWEST && size <= MOST; }

/* Contacts of small islands, by island and within it by bodies: keys are the islands. */
static bool sort_contacts(kin_realtime* rt, const uint32_t* size, uint32_t* count)
{
    uint32_t room = 0;
    for (uint32_t i = 0; i < rt->group->bodies.count; ++i) room += is_small(size[i]) ? size[i] : 0;
    *count = 0;
    if (!kin_rt_sort_reserve(rt, room)) return false;
    for (uint32_t k = KIN_RT_OVERFLOW; room > 0 && k < rt->colour_count; ++k) {
        const kin_rt_colour* c = &rt->colour[k];
        for (uint32_t i = 0; i < c->count; ++i) {
            const kin_rt_rows* r = &c->rows[i / KIN_RT_LANES];
            uint32_t l = i % KIN_RT_LANES, contact = c->geometry[i / KIN_RT_LANES].contact[l];
            if ((r->a[l] < 0 && r->b[l] < 0) || !is_small(size[rt->island[free_end(r, l)]])) continue;
            rt->values[*count] = contact;
            rt->keys[(*count)++] = kin_rt_pair_key(&rt->pairs[rt->contacts[contact].pair]);
        }
    }
    kin_rt_sort_pairs(rt, *count);
    for (uint32_t i = 0; i < *count; ++i) {
        const kin_rt_contact* t = &rt->contacts[rt->values[i]];
        rt->keys[i] = rt->island[free_end(&rt->colour[t->colour].rows[t->slot / KIN_RT_LANES], t->slot % KIN_RT_LANES)];
    }
    kin_rt_sort_pairs(rt, *count); /* stable */
    return true;
}

/* Islands out of the sorted contacts; not one that has two contacts of a pair. */
static bool list_islands(kin_realtime* rt, uint32_t count)
{
    if (!kin_rt_list_reserve(rt, &rt->shaken, count) || !kin_rt_list_reserve(rt, &rt->shaken_first, (size_t)count + 1)) return false;
    for (uint32_t i = 0, end; i < count; i = end) {
        bool only = true;
        for (end = i; end < count && rt->keys[end] == rt->keys[i]; ++end) only &= is_only(rt, rt->values[end]);
        if (!only) continue;
        kin_rt_list_add(&rt->shaken_first, rt->shaken.count);
        for (uint32_t k = i; k < end; ++k) kin_rt_list_add(&rt->shaken, rt->values[k]);
    }
    kin_rt_list_add(&rt->shaken_first, rt->shaken.count);
    return true;
}

static bool find_islands(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    kin_arena* arena = &s->step->jobs->arenas[0];
    kin_arena_mark mark = kin_arena_begin(arena);
    size_t bytes = rt->group->bodies.count * sizeof(uint32_t);
    uint32_t* size = kin_arena_take(arena, bytes);
    bool ok = size != NULL && kin_rt_islands_begin(rt);
    if (ok) {
        memset(size, 0, bytes);
        uint32_t count;
        for (uint32_t k = KIN_RT_OVERFLOW; k < rt->colour_count; ++k) join_contacts(rt, &rt->colour[k]);
        flatten(rt);
        count_contacts(rt, size);
        bar_joints(rt, size);
        ok = sort_contacts(rt, size, &count) && list_islands(rt, count);
    }
    kin_arena_end(arena, mark);
    return ok;
}

/* ---- one island ---- */

typedef struct row { /* of one point */
    kin_rt_rows* from;
    uint32_t lane;
    int point;
    int32_t a, b;         /* lines; < 0: it does not move */
    kin_vec3 n, about[2]; /* from A to B; levers times that, of both */
    kin_vec3 turn[2];     /* inverse inertia times those */
    double inv_mass[2];
} row;

static row row_of(kin_rt_rows* r, uint32_t l, int k)
{
    kin_vec3 n = kin_rt_vector(r->n, l), t1 = kin_rt_vector(r->t, l), t2 = kin_cross(n, t1);
    kin_vec3 at = kin_add_scaled(kin_scale(t1, (double)r->at_a[k][l]), (double)r->at_b[k][l], t2);
    row x = {.from = r, .lane = l, .point = k, .a = r->a[l], .b = r->b[l], .n = n, .inv_mass = {(double)r->mass_a[l], (double)r->mass_b[l]}};
    x.about[0] = kin_cross(kin_add(kin_rt_vector(r->arm_a, l), at), n), x.about[1] = kin_cross(kin_add(kin_rt_vector(r->arm_b, l), at), n);
    x.turn[0] = kin_rt_turned(r->inertia_a, l, x.about[0]), x.turn[1] = kin_rt_turned(r->inertia_b, l, x.about[1]);
    return x;
}

/* What an impulse on one row does to the rate of another, by way of a body they share. */
static double through(const row* x, int side_x, const row* y, int side_y)
{
    double d = y->inv_mass[side_y] * kin_dot(x->n, y->n) + kin_dot(x->about[side_x], y->turn[side_y]);
    return side_x == side_y ? d : -d;
}

static double response(const row* x, const row* y)
{
    double sum = 0;
    if (x->a >= 0 && x->a == y->a) sum += through(x, 0, y, 0);
    if (x->a >= 0 && x->a == y->b) sum += through(x, 0, y, 1);
    if (x->b >= 0 && x->b == y->a) sum += through(x, 1, y, 0);
    if (x->b >= 0 && x->b == y->b) sum += through(x, 1, y, 1);
    return sum;
}

static double along(const kin_rt_lines* lines, int32_t line, const row* x, int side)
{
    const kin_rt_motion* m = &lines->motion[line ^ (line >> 31)];
    kin_vec3 v = {(double)m->v[0], (double)m->v[1], (double)m->v[2]}, w = {(double)m->w[0], (double)m->w[1], (double)m->w[2]};
    return kin_dot(x->n, v) + kin_dot(x->about[side], w);
}

static void give(const kin_rt_lines* lines, const row* x, double p)
{
    const int32_t line[2] = {x->a, x->b};
    for (int side = 0; side < 2; ++side) {
        if (line[side] < 0) continue;
        kin_rt_motion* m = &lines->motion[line[side]];
        double d = side ? p : -p, push = d * x->inv_mass[side];
        m->v[0] += (float)(push * x->n.x), m->v[1] += (float)(push * x->n.y), m->v[2] += (float)(push * x->n.z);
        m->w[0] += (float)(d * x->turn[side].x), m->w[1] += (float)(d * x->turn[side].y), m->w[2] += (float)(d * x->turn[side].z);
    }
}

/* As biased and relaxed rows of kernels.c: what is to be added to the rate, and what the impulse itself adds to it. */
static double bias_of(const kin_rt_soft* soft, double gap, double own, bool relax, double* give_way)
{
    *give_way = 0;
    if (gap > 0) return gap * (double)soft->inv_h;
    if (relax) return 0;
    *give_way = own * (double)(soft->impulse_scale / soft->mass_scale);
    return kin_max((double)soft->rate * gap, -(double)(soft->push / soft->mass_scale));
}

typedef struct island {
    const kin_rt_step* s;
    const uint32_t* contacts;
    uint32_t count;
    bool relax;
} island;

static double rate_of(const kin_rt_lines* lines, const row* r) { return along(lines, r->b, r, 1) - along(lines, r->a, r, 0); }

/* Left to the impacts of the next substep, as by kernels.c. */
static bool will_bounce(const island* x, const kin_rt_contact* t, const row* r)
{
    return x->relax && t->restitution > 0 && rate_of(&x->s->rt->lines, r) < -(double)x->s->soft[0].bounce;
}

static int rows_of(const island* x, row* rows, const kin_rt_soft** soft)
{
    kin_realtime* rt = x->s->rt;
    int n = 0;
    for (uint32_t i = 0; i < x->count; ++i) {
        const kin_rt_contact* t = &rt->contacts[x->contacts[i]];
        kin_rt_rows* r = &rt->colour[t->colour].rows[t->slot / KIN_RT_LANES];
        uint32_t l = t->slot % KIN_RT_LANES;
        for (int k = 0; k < KIN_RT_POINTS; ++k) {
            if (!(r->mass[k][l] > 0)) continue;
            soft[n] = &x->s->soft[kin_rt_is_static(t->colour)];
            rows[n] = row_of(r, l, k);
            n += !will_bounce(x, t, &rows[n]);
        }
    }
    return n;
}

static void fill(const island* x, const row* rows, const kin_rt_soft* const* soft, kin_joint_tree_box* box)
{
    const kin_rt_lines* lines = &x->s->rt->lines;
    for (int i = 0; i < box->size; ++i) {
        const row* r = &rows[i];
        double* line = box->matrix + (size_t)i * (size_t)box->size;
        for (int j = 0; j < box->size; ++j) line[j] = response(r, &rows[j]);
        double give_way, p = (double)r->from->normal[r->point][r->lane], gap = (double)r->from->gap[r->point][r->lane];
        double bias = bias_of(soft[i], gap, line[i], x->relax, &give_way);
        line[i] += give_way;
        box->p[i] = p;
        box->rate[i] = rate_of(lines, r) + bias + give_way * p;
        box->bound[i] = (kin_joint_tree_bound){.low = 0, .high = 1e30, .normal = -1};
    }
}

static void apply(const island* x, const row* rows, const kin_joint_tree_box* box)
{
    for (int i = 0; i < box->size; ++i) {
        const row* r = &rows[i];
        float* normal = &r->from->normal[r->point][r->lane];
        const float before = *normal;
        *normal = (float)box->p[i];
        r->from->struck[r->lane] = 1;
        if (x->relax) r->from->pressed[r->lane] += *normal - before;
        give(&x->s->rt->lines, r, (double)*normal - (double)before);
    }
}

static bool contact_struck(const kin_realtime* rt, const kin_rt_contact* t)
{
    return rt->colour[t->colour].rows[t->slot / KIN_RT_LANES].struck[t->slot % KIN_RT_LANES] > 0;
}

static bool is_struck(const island* x)
{
    for (uint32_t i = 0; i < x->count; ++i) {
        if (contact_struck(x->s->rt, &x->s->rt->contacts[x->contacts[i]])) return true;
    }
    return false;
}

static void solve_island(const island* x, kin_arena* scratch)
{
    kin_arena_mark mark = kin_arena_begin(scratch);
    row* rows = kin_arena_take(scratch, POINTS * sizeof *rows);
    const kin_rt_soft** soft = kin_arena_take(scratch, POINTS * sizeof(*soft));
    kin_joint_tree_box box;
    int count = rows != NULL && soft != NULL ? rows_of(x, rows, soft) : 0;
    if (count > 0 && kin_joint_tree_box_take(&box, count, scratch)) {
        fill(x, rows, soft, &box);
        kin_joint_tree_box_solve(&box, TOLERANCE);
        apply(x, rows, &box);
    }
    kin_arena_end(scratch, mark);
}

typedef struct shock_job {
    kin_rt_step* s;
    bool relax;
} shock_job;

static void shock_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    const shock_job* job = argument;
    const kin_realtime* rt = job->s->rt;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t first = rt->shaken_first.data[i];
        island x = {job->s, rt->shaken.data + first, rt->shaken_first.data[i + 1] - first, job->relax};
        if (is_struck(&x)) solve_island(&x, scratch);
    }
}

/* Islands share blocks of lanes, so their flags are set when all islands are done. */
static void mark_blocks(kin_realtime* rt)
{
    for (uint32_t i = 0; i < rt->shaken.count; ++i) {
        const kin_rt_contact* t = &rt->contacts[rt->shaken.data[i]];
        if (contact_struck(rt, t)) rt->colour[t->colour].struck[t->slot / KIN_RT_LANES] = 1;
    }
}

void kin_rt_shocks(kin_rt_step* s, bool relax)
{
    kin_realtime* rt = s->rt;
    if (rt->shaken_first.count == 0 && !find_islands(s)) {
        rt->out_of_memory = true;
        rt->shaken.count = rt->shaken_first.count = 0;
        return;
    }
    shock_job job = {s, relax};
    kin_parallel_for(s->step->jobs, (int64_t)rt->shaken_first.count - 1, 1, shock_range, &job);
    mark_blocks(rt);
}
