/* pairs.c - who may meet whom in this interval, and when they first do (C1.4.3 to C1.4.7).
 *
 * Boxes of whole paths go through the broad phase. A pair is followed from knot to knot: apart, the time of impact on the two screws is found by class of pair,
 * and then made right on the true states, as a screw is not quite the path; within the tolerance, they have met when they are deeper than they may be, and the
 * time is found by halving (C1.4.4). */
#include "base/alloc.h"
#include "base/sort.h"
#include "collision/form/facets.h"
#include "contact/exact/exact.h"
#include "math/aabb.h"
#include "math/screw.h"
#include <string.h>

/* ---- laws of a pair ---- */

static void follow_materials(const kin_exact* self, kin_exact_pair* p)
{
    const kin_bodies* all = &self->group->bodies;
    kin_pair law = kin_materials_pair(self->group->materials, all->skin[p->a].material, all->skin[p->b].material);
    p->restitution = law.restitution;
    memcpy(p->mu_static, law.static_friction, sizeof p->mu_static);
    memcpy(p->mu_dynamic, law.dynamic_friction, sizeof p->mu_dynamic);
}

static kin_vec3 own_surface(const kin_bodies* all, uint32_t i) { return kin_rotate(kin_bodies_form_pose(all, i).orientation, all->skin[i].surface_velocity); }

/* True: what it meets comes from the side that is open. normal: from it to the other. */
static bool lets_through(const kin_bodies* all, uint32_t i, kin_vec3 normal)
{
    kin_vec3 way = all->skin[i].one_way;
    return kin_length2(way) > 0 && kin_dot(kin_rotate(kin_bodies_form_pose(all, i).orientation, way), normal) <= 0;
}

static kin_anchor anchor_of(const kin_bodies* all, uint32_t i, kin_vec3 point)
{
    kin_anchor a = all->skin[i].owner;
    a.local = kin_unapply(kin_bodies_form_pose(all, i), point);
    return a;
}

/* The user's filter may change the law or refuse. Bodies stand where they meet. */
static void ask_filter(kin_exact* self, kin_exact_pair* p, const kin_manifold* m)
{
    const kin_group* g = self->group;
    kin_touch_pair pair = {.a = anchor_of(&g->bodies, p->a, m->points[0].point),
                           .b = anchor_of(&g->bodies, p->b, m->points[0].point),
                           .manifold = m,
                           .friction = p->mu_dynamic[0],
                           .restitution = p->restitution,
                           .surface_velocity = p->surface};
    if (!g->filter(g->filter_context, &pair)) p->passes = true;
    p->restitution = kin_max(pair.restitution, 0);
    p->surface = pair.surface_velocity;
    if (pair.friction == p->mu_dynamic[0]) return;
    for (int k = 0; k < 2; ++k) p->mu_static[k] = p->mu_dynamic[k] = kin_max(pair.friction, 0);
}

void kin_exact_ask(kin_exact* self, kin_exact_pair* p, const kin_exact_point* points, int count)
{
    const kin_bodies* all = &self->group->bodies;
    if (p->asked || count == 0) return;
    p->asked = true;
    kin_manifold m = {.count = 0};
    for (int i = 0; i < count && m.count < KIN_MANIFOLD_POINTS; ++i) {
        kin_touching t = kin_exact_touching(&points[i], &all->body[points[i].a], &all->body[points[i].b]);
        if (m.count == 0) m.normal = points[i].flipped ? kin_neg(t.normal) : t.normal;
        m.points[m.count++] = (kin_manifold_point){t.point, points[i].separation, points[i].id};
    }
    p->surface = kin_sub(own_surface(all, p->a), own_surface(all, p->b));
    if (lets_through(all, p->a, kin_neg(m.normal)) || lets_through(all, p->b, m.normal)) p->passes = true;
    if (self->group->filter != NULL) ask_filter(self, p, &m);
}

/* ---- the list of pairs ---- */

static uint64_t key_of(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

kin_exact_pair* kin_exact_pair_find(kin_exact* self, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = self->pair_count;
    uint64_t key = key_of(a, b);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (key_of(self->pairs[middle]->a, self->pairs[middle]->b) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->pair_count && self->pairs[low]->a == a && self->pairs[low]->b == b ? self->pairs[low] : NULL;
}

static bool are_kept_apart(const kin_exact* self, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = self->apart_count;
    uint64_t key = key_of(a, b);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (self->apart[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->apart_count && self->apart[low] == key;
}

static bool less_key(void* context, const void* a, const void* b)
{
    (void)context;
    return *(const uint64_t*)a < *(const uint64_t*)b;
}

/* Bodies of joints that say so do not meet. */
static bool find_apart(kin_exact* self)
{
    const kin_group* g = self->group;
    self->apart_count = 0;
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        if (j->broken || j->def.collide || j->a == KIN_NO_BODY || j->b == KIN_NO_BODY) continue;
        if (!kin_reserve(&self->allocator, (void**)&self->apart, &self->apart_room, self->apart_count + 1u, sizeof *self->apart)) return false;
        self->apart[self->apart_count++] = j->a < j->b ? key_of(j->a, j->b) : key_of(j->b, j->a);
    }
    uint64_t* scratch = kin_arena_take(&self->arena, (self->apart_count + 1u) * sizeof *scratch);
    if (scratch == NULL) return false;
    kin_sort(self->apart, scratch, self->apart_count, sizeof *self->apart, less_key, NULL);
    return true;
}

static bool less_pair(void* context, const void* a, const void* b)
{
    (void)context;
    const kin_exact_pair *x = *(kin_exact_pair*const*)a, *y = *(kin_exact_pair*const*)b;
    return key_of(x->a, x->b) < key_of(y->a, y->b);
}

static bool was_passing(const kin_exact* self, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        if (self->memory[i].a == a && self->memory[i].b == b) return self->memory[i].flags & KIN_EXACT_PASSING;
    }
    return false;
}

/* Adds the pairs of the broad phase that are not known yet. Sensors meet nothing; their overlaps are found at the end. */
static bool take_pairs(kin_exact* self)
{
    const kin_bodies* all = &self->group->bodies;
    kin_broad_view view = kin_broad_pairs(self->broad);
    uint32_t known = self->pair_count;
    for (size_t i = 0; i < view.count; ++i) {
        uint32_t x = (uint32_t)kin_broad_user(self->broad, view.data[i].a), y = (uint32_t)kin_broad_user(self->broad, view.data[i].b);
        uint32_t a = x < y ? x : y, b = x < y ? y : x;
        if (all->skin[a].sensor || all->skin[b].sensor || are_kept_apart(self, a, b)) continue;
        uint32_t count = self->pair_count;
        self->pair_count = known; /* those from here on are not sorted yet */
        kin_exact_pair* p = kin_exact_pair_find(self, a, b);
        self->pair_count = count;
        if (p != NULL) continue;
        if (!kin_reserve(&self->allocator, (void**)&self->pairs, &self->pair_room, count + 1u, sizeof *self->pairs)) return false;
        p = kin_arena_take(&self->arena, sizeof *p);
        if (p == NULL) return false;
        *p = (kin_exact_pair){.a = a, .b = b, .allowed = 1, .passes = was_passing(self, a, b)};
        follow_materials(self, p);
        self->pairs[self->pair_count++] = p;
    }
    if (self->pair_count == known) return true;
    void* scratch = kin_arena_take(&self->arena, self->pair_count * sizeof *self->pairs);
    if (scratch == NULL) return false;
    kin_sort(self->pairs, scratch, self->pair_count, sizeof *self->pairs, less_pair, NULL);
    return true;
}

/* ---- boxes ---- */

static kin_aabb everywhere(void) { return (kin_aabb){{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}}; }

static kin_transform form_at(const kin_exact* self, uint32_t i, double time)
{
    kin_body b = kin_exact_body_at(self, i, time);
    return kin_transform_mul(kin_body_pose(&b), self->group->bodies.skin[i].place);
}

static kin_aabb path_box(const kin_exact* self, uint32_t i)
{
    const kin_form* form = self->group->bodies.skin[i].form;
    uint32_t unit = self->body[i].unit;
    double h = self->step->h, t = unit != KIN_EXACT_NONE ? self->units[unit]->from : 0, end = unit != KIN_EXACT_NONE ? self->units[unit]->to : h;
    if (!form->bounded) return everywhere();
    kin_aabb box = kin_form_box(form, form_at(self, i, t));
    while (t < end) {
        double next = kin_exact_next_knot(self, i, t);
        if (!(next > t)) break;
        kin_screw path = kin_screw_between(form_at(self, i, t), form_at(self, i, next));
        box = kin_aabb_union(box, kin_form_swept_box(form, &path));
        t = next;
    }
    return box;
}

static kin_aabb start_box(const kin_exact* self, uint32_t i)
{
    const kin_form* form = self->group->bodies.skin[i].form;
    return form->bounded ? kin_form_box(form, kin_bodies_form_pose(&self->group->bodies, i)) : everywhere();
}

static kin_result set_box(kin_exact* self, uint32_t i, kin_aabb box, kin_error* error)
{
    const kin_bodies* all = &self->group->bodies;
    kin_exact_body* body = &self->body[i];
    box = kin_aabb_grow(box, 2 * kin_exact_tolerance(self));
    if (body->proxy != KIN_EXACT_NONE) {
        kin_broad_set_filter(self->broad, body->proxy, all->skin[i].filter);
        return kin_broad_move(self->broad, body->proxy, box, kin_v(0, 0, 0), error);
    }
    kin_broad_proxy_def def = {.box = box, .filter = all->skin[i].filter, .fixed = all->motion[i] != KIN_BODY_FREE, .user = i};
    return kin_broad_insert(self->broad, &def, &body->proxy, error);
}

kin_result kin_exact_pairs_begin(kin_exact* self, kin_error* error)
{
    const kin_bodies* all = &self->group->bodies;
    self->pair_count = 0;
    self->event_count = 0;
    if (!find_apart(self)) return KIN_ERROR_MEMORY;
    for (uint32_t i = 0; i < all->count; ++i) {
        if (all->motion[i] == KIN_BODY_GONE || all->skin[i].form == NULL) continue;
        double ahead = kin_exact_is_penalty(self) ? kin_exact_travel(self, i) + 0.05 : 0; /* all that may meet, as nobody goes back */
        kin_result result = set_box(self, i, kin_aabb_grow(start_box(self, i), ahead), error);
        if (result != KIN_OK) return result;
    }
    kin_result result = kin_broad_update(self->broad, self->step->jobs, error);
    if (result != KIN_OK) return result;
    return take_pairs(self) ? KIN_OK : KIN_ERROR_MEMORY;
}

/* Pairs as things stand now, at the end of the interval. */
kin_result kin_exact_pairs_end(kin_exact* self, kin_error* error)
{
    const kin_bodies* all = &self->group->bodies;
    for (uint32_t i = 0; i < all->count; ++i) {
        if (all->motion[i] == KIN_BODY_GONE || all->skin[i].form == NULL) continue;
        kin_result result = set_box(self, i, start_box(self, i), error);
        if (result != KIN_OK) return result;
    }
    kin_result result = kin_broad_update(self->broad, self->step->jobs, error);
    if (result != KIN_OK) return result;
    return take_pairs(self) ? KIN_OK : KIN_ERROR_MEMORY;
}

/* ---- when a pair meets ---- */

typedef struct meeting {
    double time, slack;
    bool found, failed;
} meeting;

typedef struct chase {
    const kin_exact* self;
    const kin_exact_pair* pair;
    kin_arena* scratch;
    kin_impact_settings settings;
} chase;

/* A contact that sinks a little, again and again, without a collision in it: drift, to be put right as such. */
#define MOST_IDLE 8

/* C1.4.4 to C1.4.7. Not convex: halving, as long as nothing can pass through anything between the ends; else along the chords where nothing turns, else by
 * advancement, which takes surfaces triangle by triangle. */
static kin_impact_method method_for(const kin_exact* self, const kin_exact_pair* p, const kin_screw* a, const kin_screw* b)
{
    const kin_body_skin *x = &self->group->bodies.skin[p->a], *y = &self->group->bodies.skin[p->b];
    bool surface_a = x->form->mesh != NULL && !x->form->is_convex, surface_b = y->form->mesh != NULL && !y->form->is_convex;
    if (!(surface_a && surface_b && x->form->has_inside && y->form->has_inside)) return KIN_IMPACT_ADVANCE;
    double way = kin_length(kin_sub(a->shift, b->shift)) + a->angle * x->form->reach + b->angle * y->form->reach;
    if (way < 0.5 * kin_min(x->thickness, y->thickness)) return KIN_IMPACT_BISECT;
    return a->angle == 0 && b->angle == 0 ? KIN_IMPACT_FEATURES : KIN_IMPACT_ADVANCE;
}

static bool impact_between(const chase* c, const kin_body* a0, const kin_body* a1, const kin_body* b0, const kin_body* b1, kin_impact* out)
{
    const kin_body_skin *x = &c->self->group->bodies.skin[c->pair->a], *y = &c->self->group->bodies.skin[c->pair->b];
    kin_screw a = kin_screw_between(kin_transform_mul(kin_body_pose(a0), x->place), kin_transform_mul(kin_body_pose(a1), x->place));
    kin_screw b = kin_screw_between(kin_transform_mul(kin_body_pose(b0), y->place), kin_transform_mul(kin_body_pose(b1), y->place));
    kin_impact_settings settings = c->settings;
    settings.method = method_for(c->self, c->pair, &a, &b);
    return kin_impact_find(x->form, &a, y->form, &b, &settings, c->scratch, out);
}

/* The true state of a body, not that of its screw. */
static bool true_body(const chase* c, uint32_t i, double time, kin_body* out)
{
    uint32_t number = c->self->body[i].unit;
    *out = kin_exact_body_at(c->self, i, time);
    if (number == KIN_EXACT_NONE) return true;
    const kin_exact_unit* u = c->self->units[number];
    kin_arena_mark mark = kin_arena_begin(c->scratch);
    kin_exact_state* states = kin_arena_take(c->scratch, u->count * sizeof *states);
    bool ok = states != NULL && kin_exact_evaluate(c->self, u, time, states, c->scratch);
    for (uint32_t k = 0; ok && k < u->count; ++k) {
        if (u->bodies[k] == i) kin_exact_put(out, &states[k]);
    }
    kin_arena_end(c->scratch, mark);
    return ok;
}

static double separation(const chase* c, const kin_body* a, const kin_body* b, double margin)
{
    return kin_exact_separation(c->self, c->pair, kin_body_pose(a), kin_body_pose(b), margin, c->scratch);
}

static double approach_speed(const chase* c, const kin_body* a, const kin_body* b)
{
    kin_exact_point points[KIN_EXACT_POINTS];
    double fastest = -1e308;
    int n = kin_exact_points(c->self, c->pair, a, b, 2 * kin_exact_tolerance(c->self), points, KIN_EXACT_POINTS, c->scratch);
    for (int i = 0; i < n; ++i) {
        const kin_body *x = points[i].flipped ? b : a, *y = points[i].flipped ? a : b;
        kin_touching t = kin_exact_touching(&points[i], x, y);
        fastest = kin_max(fastest, -kin_dot(t.normal, kin_exact_slip(&t, x, y)));
    }
    return fastest;
}

/* slack: since when they were within the tolerance, so that what happens at one time is seen to. */
static meeting touch_at(const chase* c, double time, const kin_body* a, const kin_body* b)
{
    double speed = approach_speed(c, a, b), longest = 1e-3 * c->self->step->h;
    return (meeting){.time = time, .slack = speed * longest > kin_exact_tolerance(c->self) ? kin_exact_tolerance(c->self) / speed : longest, .found = true};
}

/* Apart at low; on the screws they touch before high. The screws are drawn again from true states until the touch is one of them. */
static meeting touch_on_states(const chase* c, double low, double high)
{
    kin_body a0, b0, a1, b1;
    kin_impact hit;
    double tolerance = kin_exact_tolerance(c->self);
    meeting none = {0}, broken = {.failed = true};
    if (!true_body(c, c->pair->a, high, &a1) || !true_body(c, c->pair->b, high, &b1)) return broken;
    if (!true_body(c, c->pair->a, low, &a0) || !true_body(c, c->pair->b, low, &b0)) return broken;
    bool met = false; /* known to overlap at high */
    for (int round = 0; round < 60; ++round) {
        bool touches = impact_between(c, &a0, &a1, &b0, &b1, &hit);
        if (!touches && !met) return none;
        double part = touches && round < 30 ? hit.t : 0.5, t = low + part * (high - low);
        if (!(t > low) || high - low < 1e-15 * c->self->step->h) return touch_at(c, low, &a0, &b0);
        if (!(t < high)) t = high;
        kin_body a, b;
        if (!true_body(c, c->pair->a, t, &a) || !true_body(c, c->pair->b, t, &b)) return broken;
        double gap = separation(c, &a, &b, tolerance);
        if (gap >= 0 && gap <= tolerance) return touch_at(c, t, &a, &b);
        if (gap < 0)
            high = t, a1 = a, b1 = b, met = true;
        else
            low = t, a0 = a, b0 = b;
        if (!(low < high)) return none;
    }
    return touch_at(c, low, &a0, &b0);
}

/* Within the tolerance at low, too deep at high: the last time that they were not (C1.4.4). Not low itself: there they were resolved. */
static meeting depth_on_states(const chase* c, double low, double high, double allowed)
{
    double start = low, shortest = 1e-9 * c->self->step->h;
    while (high - low > shortest) {
        double middle = low + 0.5 * (high - low);
        kin_body a, b;
        if (!true_body(c, c->pair->a, middle, &a) || !true_body(c, c->pair->b, middle, &b)) return (meeting){.failed = true};
        if (separation(c, &a, &b, 0) < allowed)
            high = middle;
        else
            low = middle;
    }
    return (meeting){.time = low > start ? low : high, .slack = shortest, .found = true};
}

/* What is resolved by turns at the ends of ticks is not met in between. */
static bool is_crowded(const kin_exact* self, uint32_t i) { return self->body[i].unit != KIN_EXACT_NONE && self->units[self->body[i].unit]->crowded > 0; }

static meeting meet_on_piece(const chase* c, double t, double end)
{
    double tolerance = kin_exact_tolerance(c->self);
    kin_body a0 = kin_exact_body_at(c->self, c->pair->a, t), b0 = kin_exact_body_at(c->self, c->pair->b, t);
    kin_body a1 = kin_exact_body_at(c->self, c->pair->a, end), b1 = kin_exact_body_at(c->self, c->pair->b, end);
    if (c->pair->idle > 8 * MOST_IDLE) return (meeting){0};
    if (separation(c, &a0, &b0, 2 * tolerance) > 2 * tolerance) { /* apart */
        kin_impact hit;
        if (impact_between(c, &a0, &a1, &b0, &b1, &hit)) return touch_on_states(c, t, end);
        return separation(c, &a1, &b1, tolerance) <= tolerance ? touch_at(c, end, &a1, &b1) : (meeting){0}; /* there to the last bit */
    }
    if (is_crowded(c->self, c->pair->a) || is_crowded(c->self, c->pair->b)) return (meeting){0};
    if (approach_speed(c, &a0, &b0) > kin_exact_contact_speed(c->self)) return (meeting){.time = t, .found = true};
    if (c->pair->idle > MOST_IDLE) return (meeting){0};
    double allowed = kin_min(c->pair->allowed, separation(c, &a0, &b0, 0)) - 0.1 * tolerance;
    double depth = separation(c, &a1, &b1, 0);
    bool slow = depth >= allowed - 5 * tolerance && approach_speed(c, &a1, &b1) <= kin_exact_contact_speed(c->self);
    if (depth >= allowed || slow) return (meeting){0}; /* what is slow is put right as drift */
    return depth_on_states(c, t, end, allowed);
}

static double window_end(const kin_exact* self, uint32_t i)
{
    uint32_t unit = self->body[i].unit;
    return unit != KIN_EXACT_NONE ? self->units[unit]->to : self->step->h;
}
static double window_start(const kin_exact* self, uint32_t i)
{
    uint32_t unit = self->body[i].unit;
    return unit != KIN_EXACT_NONE ? self->units[unit]->from : 0;
}

static meeting first_meeting(const kin_exact* self, kin_exact_pair* p, kin_arena* scratch)
{
    chase c = {self, p, scratch, kin_impact_defaults()};
    double tolerance = kin_exact_tolerance(self);
    double t = kin_max(window_start(self, p->a), window_start(self, p->b)), end = kin_min(window_end(self, p->a), window_end(self, p->b));
    c.settings.tolerance = 0.5 * tolerance;
    kin_body a = kin_exact_body_at(self, p->a, t), b = kin_exact_body_at(self, p->b, t);
    double gap = separation(&c, &a, &b, 0);
    if (p->allowed > 0) p->allowed = kin_min(0, gap); /* an overlap that was there is not a meeting; a deeper one is */
    while (t < end) {
        double next = kin_min(end, kin_min(kin_exact_next_knot(self, p->a, t), kin_exact_next_knot(self, p->b, t)));
        if (!(next > t)) break;
        meeting m = meet_on_piece(&c, t, next);
        if (m.found || m.failed) return m;
        t = next;
    }
    return (meeting){0};
}

/* ---- all of them ---- */

typedef struct sweep {
    kin_exact* self;
    kin_exact_pair** pairs;
    meeting* meetings;
} sweep;

static void test_some(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    sweep* s = argument;
    (void)chunk;
    for (int64_t i = begin; i < end; ++i) s->meetings[i] = first_meeting(s->self, s->pairs[i], scratch);
}

static bool is_new(const kin_exact* self, uint32_t i, uint32_t first) { return self->body[i].unit != KIN_EXACT_NONE && self->body[i].unit >= first; }

static bool add_events(kin_exact* self, const sweep* s, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (s->meetings[i].failed) return false;
        if (!s->meetings[i].found) continue;
        if (!kin_reserve(&self->allocator, (void**)&self->events, &self->event_room, self->event_count + 1u, sizeof *self->events)) return false;
        self->events[self->event_count++] = (kin_exact_event){s->meetings[i].time, s->meetings[i].slack, s->pairs[i]};
    }
    return true;
}

kin_result kin_exact_pairs_sweep(kin_exact* self, uint32_t first, kin_error* error)
{
    const kin_bodies* all = &self->group->bodies;
    for (uint32_t i = 0; i < all->count; ++i) {
        bool moved = first == 0 ? all->motion[i] != KIN_BODY_GONE : is_new(self, i, first);
        if (!moved || all->skin[i].form == NULL) continue;
        kin_result result = set_box(self, i, path_box(self, i), error);
        if (result != KIN_OK) return result;
    }
    kin_result result = kin_broad_update(self->broad, self->step->jobs, error);
    if (result != KIN_OK) return result;
    if (!take_pairs(self)) return KIN_ERROR_MEMORY;
    sweep s = {self, kin_arena_take(&self->arena, (self->pair_count + 1) * sizeof *s.pairs),
               kin_arena_take(&self->arena, (self->pair_count + 1) * sizeof *s.meetings)};
    if (s.pairs == NULL || s.meetings == NULL) return KIN_ERROR_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->pair_count; ++i) {
        kin_exact_pair* p = self->pairs[i];
        if (!p->passes && (is_new(self, p->a, first) || is_new(self, p->b, first))) s.pairs[count++] = p;
    }
    void (*each)(kin_jobs*, int64_t, int64_t, kin_range_fn*, void*) = self->step->fields->has_serial ? kin_serial_for : kin_parallel_for;
    each(self->step->jobs, count, 4, test_some, &s);
    return add_events(self, &s, count) ? KIN_OK : KIN_ERROR_MEMORY;
}
