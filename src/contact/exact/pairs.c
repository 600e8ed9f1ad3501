/* pairs.c - who may meet whom in this interval, and when they first do (C1.4.3 to C1.4.7).
 *
 * Boxes of whole paths go through the broad phase. A pair is followed from knot to knot: apart, the time of impact on the two screws is found by class of pair,
 * and then made right on the true states, as a screw is not quite the path; within the tolerance, they have met when they are deeper than they may be, and the
 * time is found by halving (C1.4.4). */
#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "collision/form/facets.h"
#include "contact/exact/exact.h"
#include "math/aabb.h"
#include "math/screw.h"
#include <string.h>

/* ---- laws of a pair ---- */

/* The body whose material's coefficients differ more along its tangents; of equal ones that which forces do not move. */
static void find_grain(const kin_exact* self, kin_exact_pair* p)
{
    const kin_bodies* all = &self->group->bodies;
    const double a = kin_materials_grain(self->group->materials, all->skin[p->a].material);
    const double b = kin_materials_grain(self->group->materials, all->skin[p->b].material);
    const bool of_b = b > a || (b == a && all->motion[p->a] == KIN_BODY_FREE && all->motion[p->b] != KIN_BODY_FREE);
    const bool same = p->mu_static[0] == p->mu_static[1] && p->mu_dynamic[0] == p->mu_dynamic[1];
    p->grain = same ? KIN_NO_BODY : of_b ? p->b : p->a;
    p->grain_place = all->skin[of_b ? p->b : p->a].place.orientation;
}

static void follow_materials(const kin_exact* self, kin_exact_pair* p)
{
    const kin_bodies* all = &self->group->bodies;
    kin_pair law = kin_materials_pair(self->group->materials, all->skin[p->a].material, all->skin[p->b].material);
    p->restitution = law.restitution;
    p->rolling = law.rolling_friction, p->spinning = law.spinning_friction;
    memcpy(p->mu_static, law.static_friction, sizeof p->mu_static);
    memcpy(p->mu_dynamic, law.dynamic_friction, sizeof p->mu_dynamic);
    find_grain(self, p);
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
    p->grain = KIN_NO_BODY;
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

static bool is_before(const void* pairs, size_t i, const void* key)
{
    const kin_exact_pair* p = ((kin_exact_pair* const*)pairs)[i];
    return key_of(p->a, p->b) < *(const uint64_t*)key;
}

kin_exact_pair* kin_exact_pair_find(kin_exact* self, uint32_t a, uint32_t b)
{
    const uint64_t key = key_of(a, b);
    size_t at = kin_search(self->pairs, self->pair_count, is_before, &key);
    return at < self->pair_count && self->pairs[at]->a == a && self->pairs[at]->b == b ? self->pairs[at] : NULL;
}

static bool are_kept_apart(const kin_exact* self, uint32_t a, uint32_t b)
{
    const uint64_t key = key_of(a, b);
    size_t at = kin_search_u64(self->apart, self->apart_count, key);
    return at < self->apart_count && self->apart[at] == key;
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

static void recall(const kin_exact* self, kin_exact_pair* p)
{
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        const kin_exact_memory* m = &self->memory[i];
        if (m->a != p->a || m->b != p->b) continue;
        p->passes = m->flags & KIN_EXACT_PASSING;
        p->trail = m->trail;
        return;
    }
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
        *p = (kin_exact_pair){.a = a, .b = b, .allowed = 1, .keeper = KIN_EXACT_NONE};
        recall(self, p);
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
    double time, slack, from;
    bool found, failed, rough, sinks;
} meeting;

typedef struct chase {
    const kin_exact* self;
    const kin_exact_pair* pair;
    kin_arena* scratch;
    kin_impact_settings settings;
    bool refine; /* times on true states; else those of the screws will do */
} chase;

/* A contact that sinks a little, again and again, without a collision in it: drift, to be put right as such. */
#define MOST_IDLE 8

/* How far the surfaces of a pair may come towards each other on two screws, in halves of the thinner one: the parts that an interval must be cut into so that
 * nothing passes through anything unseen between two tests (X1.3: N from v, w and the shape). */
static double parts_needed(const kin_body_skin* x, const kin_body_skin* y, const kin_screw* a, const kin_screw* b)
{
    double way = kin_length(kin_sub(a->shift, b->shift)) + a->angle * x->form->reach + b->angle * y->form->reach;
    return kin_ceil(way / kin_max(0.5 * kin_min(x->thickness, y->thickness), 1e-12));
}

/* The first part that ends in an overlap, and there by halving. */
static bool halve_in_parts(const chase* c, const kin_form* x, const kin_screw* a, const kin_form* y, const kin_screw* b, int parts, kin_impact* out)
{
    kin_impact_settings settings = c->settings;
    settings.method = KIN_IMPACT_BISECT;
    for (int i = 0; i < parts; ++i) {
        double from = (double)i / parts, to = (double)(i + 1) / parts;
        kin_screw part_a = kin_screw_between(kin_screw_at(a, from), kin_screw_at(a, to)),
                  part_b = kin_screw_between(kin_screw_at(b, from), kin_screw_at(b, to));
        if (!kin_impact_find(x, &part_a, y, &part_b, &settings, c->scratch, out)) continue;
        out->t = from + out->t * (to - from);
        return true;
    }
    return false;
}

static bool is_closed_mesh(const kin_form* f) { return f->mesh != NULL && !f->is_convex && f->has_inside; }

/* C1.4.4 to C1.4.7. Convex, or open: advancement, which takes surfaces triangle by triangle. Closed meshes: halving, in as many parts as it takes to miss
 * nothing; thin or fast, where these are many: along the chords if nothing turns, else by advancement too. */
static bool impact_between(const chase* c, const kin_body* a0, const kin_body* a1, const kin_body* b0, const kin_body* b1, kin_impact* out)
{
    enum { MOST_PARTS = 256 };
    const kin_body_skin *x = &c->self->group->bodies.skin[c->pair->a], *y = &c->self->group->bodies.skin[c->pair->b];
    kin_screw a = kin_screw_between(kin_transform_mul(kin_body_pose(a0), x->place), kin_transform_mul(kin_body_pose(a1), x->place));
    kin_screw b = kin_screw_between(kin_transform_mul(kin_body_pose(b0), y->place), kin_transform_mul(kin_body_pose(b1), y->place));
    kin_impact_settings settings = c->settings;
    if (is_closed_mesh(x->form) && is_closed_mesh(y->form)) {
        double parts = parts_needed(x, y, &a, &b);
        if (parts <= MOST_PARTS) return halve_in_parts(c, x->form, &a, y->form, &b, parts > 1 ? (int)parts : 1, out);
        if (a.angle == 0 && b.angle == 0) settings.method = KIN_IMPACT_FEATURES;
    }
    return kin_impact_find(x->form, &a, y->form, &b, &settings, c->scratch, out);
}

/* The true states of the pair, not those of their screws: of each unit once. */
static bool true_bodies(const chase* c, double time, kin_body* a, kin_body* b)
{
    const kin_exact* self = c->self;
    const uint32_t pair[2] = {c->pair->a, c->pair->b};
    kin_body* const out[2] = {a, b};
    kin_arena_mark mark = kin_arena_begin(c->scratch);
    const kin_exact_state* states = NULL;
    bool ok = true;
    for (int k = 0; k < 2 && ok; ++k) {
        uint32_t number = self->body[pair[k]].unit;
        *out[k] = kin_exact_body_at(self, pair[k], time);
        if (number == KIN_EXACT_NONE) continue;
        const kin_exact_unit* u = self->units[number];
        if (k == 0 || states == NULL || number != self->body[pair[0]].unit) {
            kin_exact_state* room = kin_arena_take(c->scratch, u->count * sizeof *room);
            ok = room != NULL && kin_exact_evaluate(self, u, time, room, c->scratch);
            states = room;
        }
        for (uint32_t i = 0; ok && i < u->count; ++i) {
            if (u->bodies[i] == pair[k]) kin_exact_put(out[k], &states[i]);
        }
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
    if (!true_bodies(c, high, &a1, &b1) || !true_bodies(c, low, &a0, &b0)) return broken;
    bool met = false; /* known to overlap at high */
    for (int round = 0; round < 60; ++round) {
        bool touches = impact_between(c, &a0, &a1, &b0, &b1, &hit);
        if (!touches && !met) return none;
        double part = touches && round < 30 ? hit.t : 0.5, t = low + part * (high - low);
        if (!(t > low) || high - low < 1e-15 * c->self->step->h) return met ? touch_at(c, high, &a1, &b1) : touch_at(c, low, &a0, &b0);
        if (!(t < high)) t = high;
        kin_body a, b;
        if (!true_bodies(c, t, &a, &b)) return broken;
        double gap = separation(c, &a, &b, tolerance);
        if (gap >= -tolerance && gap <= tolerance) return touch_at(c, t, &a, &b);
        if (gap < 0)
            high = t, a1 = a, b1 = b, met = true;
        else
            low = t, a0 = a, b0 = b;
        if (!(low < high)) return none;
    }
    return met ? touch_at(c, high, &a1, &b1) : touch_at(c, low, &a0, &b0);
}

/* Within the tolerance at low, too deep at high: a time at which they are just as deep as they may be, by false position that falls back on halving (C1.4.4).
 * Not low itself: there they were resolved. above, below: how far from that they are at low and high. */
static meeting depth_on_states(const chase* c, double low, double high, double allowed, double above, double below)
{
    double start = low, shortest = 1e-9 * c->self->step->h, near = 0.02 * kin_exact_tolerance(c->self);
    for (int round = 1; high - low > shortest; ++round) {
        double part = above > 0 && below > 0 && round % 3 > 0 ? kin_clamp(above / (above + below), 0.01, 0.99) : 0.5, t = low + part * (high - low);
        kin_body a, b;
        if (!true_bodies(c, t, &a, &b)) return (meeting){.failed = true};
        double left = separation(c, &a, &b, kin_exact_tolerance(c->self)) - allowed;
        if (left < 0)
            high = t, below = -left;
        else
            low = t, above = left < 1e300 ? left : 0;
        if (left >= 0 && left <= near) break;
    }
    return (meeting){.time = low > start ? low : high, .slack = shortest, .found = true};
}

/* What is resolved by turns at the ends of ticks is not met in between. */
static bool is_crowded(const kin_exact* self, uint32_t i)
{
    return self->body[i].unit != KIN_EXACT_NONE && self->units[self->body[i].unit]->yields != KIN_EXACT_HOLDS;
}

/* Strides look ahead: whatever may come of the pair is theirs. */
static bool is_kept(const kin_exact* self, const kin_exact_pair* p)
{
    return p->keeper != KIN_EXACT_NONE && !self->units[p->keeper]->dead && self->units[p->keeper]->yields != KIN_EXACT_HOLDS;
}

static meeting guess(double from, double time, bool sinks) { return (meeting){.from = from, .time = time, .found = true, .rough = true, .sinks = sinks}; }

/* The first touch of a pair that is apart at t: keyed bodies' paths bend within the piece, so it is looked for from knot to knot of theirs. */
static meeting touch_on_piece(const chase* c, double t, double end)
{
    const uint32_t a = c->pair->a, b = c->pair->b;
    kin_body a0 = kin_exact_body_at(c->self, a, t), b0 = kin_exact_body_at(c->self, b, t);
    while (t < end) {
        const double next = kin_min(end, kin_min(kin_exact_next_knot(c->self, a, t), kin_exact_next_knot(c->self, b, t)));
        const kin_body a1 = kin_exact_body_at(c->self, a, next), b1 = kin_exact_body_at(c->self, b, next);
        kin_impact hit;
        if (impact_between(c, &a0, &a1, &b0, &b1, &hit)) return c->refine ? touch_on_states(c, t, next) : guess(t, t + hit.t * (next - t), false);
        a0 = a1, b0 = b1;
        if (!(next > t)) break;
        t = next;
    }
    const double tolerance = kin_exact_tolerance(c->self);
    return separation(c, &a0, &b0, tolerance) <= tolerance ? touch_at(c, end, &a0, &b0) : (meeting){0}; /* there to the last bit */
}

static meeting meet_on_piece(const chase* c, double t, double end)
{
    double tolerance = kin_exact_tolerance(c->self);
    kin_body a0 = kin_exact_body_at(c->self, c->pair->a, t), b0 = kin_exact_body_at(c->self, c->pair->b, t);
    kin_body a1 = kin_exact_body_at(c->self, c->pair->a, end), b1 = kin_exact_body_at(c->self, c->pair->b, end);
    if (c->pair->idle > 8 * MOST_IDLE || is_kept(c->self, c->pair)) return (meeting){0};
    if (separation(c, &a0, &b0, 2 * tolerance) > 2 * tolerance) return touch_on_piece(c, t, end);
    if (approach_speed(c, &a0, &b0) > kin_exact_contact_speed(c->self)) return (meeting){.time = t, .found = true};
    if (c->pair->idle > MOST_IDLE || is_crowded(c->self, c->pair->a) || is_crowded(c->self, c->pair->b)) return (meeting){0};
    double start = kin_min(separation(c, &a0, &b0, 0), tolerance), allowed = kin_min(c->pair->allowed, start) - tolerance; /* undrift moves things by less */
    double depth = separation(c, &a1, &b1, 0);
    bool slow = depth >= allowed - 5 * tolerance && approach_speed(c, &a1, &b1) <= kin_exact_contact_speed(c->self);
    if (depth >= allowed || slow) return (meeting){0}; /* what is slow is put right as drift */
    double above = start - allowed, below = allowed - depth;
    return c->refine ? depth_on_states(c, t, end, allowed, above, below) : guess(t, t + above / (above + below) * (end - t), true);
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

static chase chase_of(const kin_exact* self, const kin_exact_pair* p, kin_arena* scratch)
{
    chase c = {self, p, scratch, kin_impact_defaults(), false};
    c.settings.tolerance = 0.5 * kin_exact_tolerance(self);
    c.settings.most_iterations = self->group->def.impact_iterations;
    c.settings.stop_when_parting = self->group->def.impact_parting;
    return c;
}

/* A pair that met again without a collision since: true if it sinks in slowly. If it does not close at all, another feature is the nearest one now: as deep as
 * that is will do. */
bool kin_exact_sinks(const kin_exact* self, kin_exact_pair* p, double time, kin_arena* scratch)
{
    chase c = chase_of(self, p, scratch);
    kin_body a = kin_exact_body_at(self, p->a, time), b = kin_exact_body_at(self, p->b, time);
    double speed = approach_speed(&c, &a, &b);
    if (speed > kin_exact_parting_speed(self)) return speed <= kin_exact_contact_speed(self);
    p->allowed = kin_min(p->allowed, separation(&c, &a, &b, 0) - kin_exact_tolerance(self));
    return false;
}

/* Where both are on one screw, or on one stretch of keys, no more. */
static double piece_end(const kin_exact* self, uint32_t i, double t)
{
    return self->group->bodies.motion[i] == KIN_BODY_KEYED ? kin_exact_next_break(self, i, t) : kin_exact_next_knot(self, i, t);
}

/* From t on; on the first piece by true states if the chase says so, on others roughly. */
static meeting meeting_from(chase c, double t)
{
    const kin_exact* self = c.self;
    uint32_t a = c.pair->a, b = c.pair->b;
    double end = kin_min(window_end(self, a), window_end(self, b));
    while (t < end) {
        double next = kin_min(end, kin_min(piece_end(self, a, t), piece_end(self, b, t)));
        if (!(next > t)) break;
        meeting m = meet_on_piece(&c, t, next);
        if (m.found || m.failed) return m;
        t = next;
        c.refine = false;
    }
    return (meeting){0};
}

static meeting first_meeting(const kin_exact* self, kin_exact_pair* p, kin_arena* scratch)
{
    chase c = chase_of(self, p, scratch);
    double t = kin_max(window_start(self, p->a), window_start(self, p->b));
    kin_body a = kin_exact_body_at(self, p->a, t), b = kin_exact_body_at(self, p->b, t);
    if (p->allowed > 0) p->allowed = kin_min(0, separation(&c, &a, &b, 0)); /* an overlap that was there is not a meeting; a deeper one is */
    return meeting_from(c, t);
}

bool kin_exact_refine(const kin_exact* self, kin_exact_event* event, kin_arena* scratch)
{
    chase c = chase_of(self, event->pair, scratch);
    c.refine = true;
    meeting m = meeting_from(c, event->from);
    *event = (kin_exact_event){m.time, m.slack, m.from, m.rough, m.sinks, m.found ? event->pair : NULL};
    return !m.failed;
}

static kin_body body_in(const kin_exact* self, uint32_t i, double time, kin_exact_state* const* states)
{
    kin_body b = kin_exact_body_at(self, i, time);
    uint32_t number = self->body[i].unit;
    if (number == KIN_EXACT_NONE) return b;
    const kin_exact_unit* u = self->units[number];
    for (uint32_t k = 0; k < u->count; ++k) {
        if (u->bodies[k] == i) kin_exact_put(&b, &states[number][k]);
    }
    return b;
}

bool kin_exact_overlaps(const kin_exact* self, const kin_exact_event* event, double time, kin_exact_state* const* states, kin_arena* scratch)
{
    const kin_exact_pair* p = event->pair;
    chase c = chase_of(self, p, scratch);
    kin_body a = body_in(self, p->a, time, states), b = body_in(self, p->b, time, states);
    double tolerance = kin_exact_tolerance(self);
    return separation(&c, &a, &b, 2 * tolerance) < (event->sinks ? kin_min(p->allowed, 0) - tolerance : 2 * tolerance);
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
        const meeting* m = &s->meetings[i];
        self->events[self->event_count++] = (kin_exact_event){m->time, m->slack, m->from, m->rough, m->sinks, s->pairs[i]};
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
