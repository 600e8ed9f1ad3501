/* units.c - which bodies move together: those that hang together by joints, and those that touch (C3.2, C4.2: connected bodies go back together). Fixed and
 * keyed bodies, and sleeping ones, join nothing. */
#include "base/alloc.h"
#include "contact/exact/exact.h"
#include <string.h>

typedef struct forming {
    kin_exact* self;
    double time;
    uint32_t* root;  /* of each body; KIN_EXACT_NONE: not of this call */
    uint32_t* order; /* unit number of each root */
} forming;

static uint32_t root_of(uint32_t* root, uint32_t i)
{
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

/* The lower number is the root: it does not depend on the order of joining. */
static void join(forming* f, uint32_t a, uint32_t b)
{
    if (a == KIN_NO_BODY || b == KIN_NO_BODY || f->root[a] == KIN_EXACT_NONE || f->root[b] == KIN_EXACT_NONE) return;
    uint32_t x = root_of(f->root, a), y = root_of(f->root, b);
    if (x < y)
        f->root[y] = x;
    else
        f->root[x] = y;
}

static bool is_loose(const kin_exact* self, uint32_t i)
{
    if (self->group->bodies.motion[i] != KIN_BODY_FREE || self->body[i].asleep) return false;
    return self->body[i].unit == KIN_EXACT_NONE || self->units[self->body[i].unit]->dead;
}

static double pace(const kin_exact* self, uint32_t i, const kin_body* b)
{
    return kin_length(b->velocity) + kin_length(b->spin) * kin_min(self->group->bodies.skin[i].reach, 1e6);
}

/* How near the two count as one: those that go by turns with all that they may meet in what is left of the interval. */
static double near_enough(const kin_exact* self, const kin_exact_pair* p, const kin_body* a, const kin_body* b, double time)
{
    double near = kin_exact_near(self, p), left = self->step->h - time;
    if (self->body[p->a].yields == KIN_EXACT_HOLDS && self->body[p->b].yields == KIN_EXACT_HOLDS) return near;
    return near + left * (pace(self, p->a, a) + pace(self, p->b, b) + left * kin_length(self->step->fields->gravity));
}

/* The pair's law is asked for where it touches: bodies that are not of this call do not move, or are keyed and stand at their start. */
static bool touches(kin_exact* self, kin_exact_pair* p, double time)
{
    kin_body a = kin_exact_body_at(self, p->a, time), b = kin_exact_body_at(self, p->b, time);
    kin_exact_point points[KIN_EXACT_POINTS];
    int n = kin_exact_points(self, p, &a, &b, near_enough(self, p, &a, &b, time), points, KIN_EXACT_POINTS, &self->arena);
    kin_exact_ask(self, p, points, n);
    return (n > 0 || kin_exact_is_penalty(self)) && !p->passes; /* shells: all that may come into them */
}

/* Both of this call, or one of it against what forces do not move. Whom another unit moves is met, not touched. */
static bool is_of_one(const forming* f, const kin_exact_pair* p)
{
    bool a = f->root[p->a] != KIN_EXACT_NONE, b = f->root[p->b] != KIN_EXACT_NONE;
    return (a && b) || (a && f->self->body[p->b].unit == KIN_EXACT_NONE) || (b && f->self->body[p->a].unit == KIN_EXACT_NONE);
}

static kin_exact_unit* new_unit(kin_exact* self, double time)
{
    if (!kin_reserve(&self->allocator, (void**)&self->units, &self->unit_room, self->unit_count + 1u, sizeof *self->units)) return NULL;
    kin_exact_unit* u = kin_arena_take(&self->arena, sizeof *u);
    if (u == NULL) return NULL;
    *u = (kin_exact_unit){.from = time, .to = time, .ticks = 1, .most_knots = KIN_EXACT_KNOTS, .result = KIN_OK, .handed = 1e308};
    self->units[self->unit_count++] = u;
    return u;
}

/* Counts first, then lists: everything rises by number. */
static bool fill(forming* f, uint32_t first_unit, kin_exact_pair** pairs, uint32_t pair_count)
{
    kin_exact* self = f->self;
    const kin_group* g = self->group;
    for (uint32_t k = first_unit; k < self->unit_count; ++k) {
        kin_exact_unit* u = self->units[k];
        u->bodies = kin_arena_take(&self->arena, (u->count + 1) * sizeof *u->bodies);
        u->pairs = kin_arena_take(&self->arena, (u->pair_count + 1) * sizeof *u->pairs);
        u->joints = kin_arena_take(&self->arena, (u->joint_count + 1) * sizeof *u->joints);
        u->states = kin_arena_take(&self->arena, (size_t)u->count * KIN_EXACT_KNOTS * sizeof *u->states);
        u->count = u->pair_count = u->joint_count = 0;
    }
    if (self->arena.failed) return false;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        if (f->root[i] == KIN_EXACT_NONE) continue;
        uint32_t number = f->order[root_of(f->root, i)];
        kin_exact_unit* u = self->units[number];
        u->ticks = self->body[i].ticks > u->ticks ? self->body[i].ticks : u->ticks;
        u->most_knots = self->body[i].window < u->most_knots ? self->body[i].window : u->most_knots;
        u->states[u->count] = kin_exact_state_of(self, i);
        u->bodies[u->count++] = i;
        self->body[i].unit = number;
    }
    for (uint32_t i = 0; kin_exact_is_penalty(self) && i < pair_count; ++i) {
        if (pairs[i]->stiffness == 0 && !kin_exact_penalty_begin(self, pairs[i])) return false;
    }
    for (uint32_t i = 0; i < pair_count; ++i) {
        uint32_t body = f->root[pairs[i]->a] != KIN_EXACT_NONE ? pairs[i]->a : pairs[i]->b;
        kin_exact_unit* u = self->units[f->order[root_of(f->root, body)]];
        pairs[i]->keeper = f->order[root_of(f->root, body)];
        u->pairs[u->pair_count++] = pairs[i];
    }
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        if (!kin_group_joint_holds(g, j)) continue;
        uint32_t body = j->a != KIN_NO_BODY && f->root[j->a] != KIN_EXACT_NONE ? j->a : j->b;
        if (body == KIN_NO_BODY || f->root[body] == KIN_EXACT_NONE) continue;
        kin_exact_unit* u = self->units[f->order[root_of(f->root, body)]];
        u->joints[u->joint_count++] = i;
    }
    for (uint32_t k = first_unit; kin_exact_is_penalty(self) && k < self->unit_count; ++k) {
        int ticks = kin_exact_penalty_ticks(self, self->units[k]);
        if (ticks > self->units[k]->ticks) self->units[k]->ticks = ticks;
    }
    return true;
}

static bool count_and_make(forming* f, kin_exact_pair** pairs, uint32_t pair_count)
{
    kin_exact* self = f->self;
    const kin_group* g = self->group;
    uint32_t first = self->unit_count;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        if (f->root[i] == KIN_EXACT_NONE) continue;
        uint32_t root = root_of(f->root, i);
        if (root == i) {
            f->order[i] = self->unit_count;
            if (new_unit(self, f->time) == NULL) return false;
        }
        self->units[f->order[root]]->count += 1;
    }
    for (uint32_t i = 0; i < pair_count; ++i) {
        uint32_t body = f->root[pairs[i]->a] != KIN_EXACT_NONE ? pairs[i]->a : pairs[i]->b;
        self->units[f->order[root_of(f->root, body)]]->pair_count += 1;
    }
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        uint32_t body = j->a != KIN_NO_BODY && f->root[j->a] != KIN_EXACT_NONE ? j->a : j->b;
        if (kin_group_joint_holds(g, j) && body != KIN_NO_BODY && f->root[body] != KIN_EXACT_NONE)
            self->units[f->order[root_of(f->root, body)]]->joint_count += 1;
    }
    return fill(f, first, pairs, pair_count);
}

bool kin_exact_form_units(kin_exact* self, double time)
{
    const kin_group* g = self->group;
    uint32_t n = g->bodies.count, touching = 0;
    forming f = {.self = self, .time = time};
    f.root = kin_arena_take(&self->arena, (n + 1) * sizeof *f.root);
    f.order = kin_arena_take(&self->arena, (n + 1) * sizeof *f.order);
    kin_exact_pair** pairs = kin_arena_take(&self->arena, (self->pair_count + 1) * sizeof *pairs);
    if (f.root == NULL || f.order == NULL || pairs == NULL) return false;
    for (uint32_t i = 0; i < n; ++i) f.root[i] = is_loose(self, i) ? i : KIN_EXACT_NONE;
    for (uint32_t i = 0; i < n; ++i) {
        if (f.root[i] != KIN_EXACT_NONE) self->body[i].unit = KIN_EXACT_NONE; /* they stand where the group says */
    }
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        if (kin_group_joint_holds(g, &g->joints[i])) join(&f, g->joints[i].a, g->joints[i].b);
    }
    for (uint32_t i = 0; i < self->pair_count; ++i) {
        kin_exact_pair* p = self->pairs[i];
        if (self->group->def.response == KIN_EXACT_FIELDS || p->passes || !is_of_one(&f, p) || !touches(self, p, time)) continue;
        join(&f, p->a, p->b);
        pairs[touching++] = p;
    }
    return count_and_make(&f, pairs, touching);
}
