/* points.c - finding pairs of points of different systems that meet in an interval, and the impulses that keep them apart. */
#include "couple/points.h"
#include "base/alloc.h"
#include "math/vec3.h"

#define SWEEPS 200    /* at most */
#define SETTLED 1e-12 /* of the fastest pair: sweeps that change less are done */

typedef struct point {
    kin_system_point p;
    uint32_t source, element, contacts; /* contacts: pairs that share its mass */
    kin_vec3 v, change;                 /* m/s: at the end of the interval; by the present sweep */
} point;

typedef struct pair {
    uint32_t i, j;
    kin_vec3 n;      /* unit, towards i, where they touch */
    kin_vec3 before; /* m/s: of i beside j at the start */
    double target;   /* m/s: they part at least this fast at the end */
    double friction; /* mean of both directions: points have no axes of their own */
    double normal;   /* N s */
    kin_vec3 rub;    /* N s */
    double share;    /* kg: of both masses, shared out */
    double touch;    /* s: when they touch, from the start of the interval */
    bool hits;
} pair;

typedef struct cloud {
    const kin_point_source* sources;
    kin_step* step;
    kin_arena* arena;
    point* points;
    size_t count, pair_count;
    pair* pairs;
    kin_vec3* places;
    double largest, fastest; /* m, m/s */
} cloud;

void kin_point_pairs_init(kin_point_pairs* pairs, const kin_allocator* allocator)
{
    *pairs = (kin_point_pairs){.allocator = *allocator};
    kin_arena_init(&pairs->arena, allocator);
}

void kin_point_pairs_term(kin_point_pairs* pairs)
{
    kin_neighbours_destroy(pairs->near);
    kin_arena_term(&pairs->arena);
    pairs->near = NULL;
}

/* ---- the cloud ---- */

static bool meets(const kin_point_source* s) { return s->ops->points != NULL && s->ops->meets_points(s->self); }

static bool gather_source(cloud* c, uint32_t source)
{
    const kin_point_source* s = &c->sources[source];
    size_t count = s->ops->count(s->self);
    kin_system_point* all = kin_arena_take(c->arena, kin_bytes(count, sizeof *all));
    if (all == NULL) return false;
    s->ops->points(s->self, all);
    for (size_t k = 0; k < count; ++k) {
        if (!all[k].meets) continue;
        c->points[c->count] = (point){.p = all[k], .source = source, .element = (uint32_t)k, .v = all[k].end_velocity};
        c->places[c->count++] = all[k].position;
        c->largest = kin_max(c->largest, all[k].radius);
        c->fastest = kin_max(c->fastest, kin_max(kin_length(all[k].velocity), kin_length(all[k].end_velocity)));
    }
    return true;
}

static bool gather(cloud* c, size_t source_count)
{
    size_t most = 0;
    for (size_t s = 0; s < source_count; ++s) most += meets(&c->sources[s]) ? c->sources[s].ops->count(c->sources[s].self) : 0;
    c->points = kin_arena_take(c->arena, kin_bytes(most, sizeof *c->points));
    c->places = kin_arena_take(c->arena, kin_bytes(most, sizeof *c->places));
    if (c->points == NULL || c->places == NULL) return false;
    for (uint32_t s = 0; s < source_count; ++s) {
        if (meets(&c->sources[s]) && !gather_source(c, s)) return false;
    }
    return true;
}

/* ---- pairs ---- */

/* The fraction of the interval at which the two touch on their free paths; false: they do not. C2.5.16. */
static bool first_touch(kin_vec3 d, kin_vec3 way, double reach, double* s)
{
    double a = kin_length2(way), b = kin_dot(d, way), c = kin_length2(d) - reach * reach;
    *s = 0;
    if (c <= 0) return true;
    if (b >= 0 || b * b < a * c) return false;
    *s = c / (-b + kin_sqrt(b * b - a * c));
    return *s <= 1;
}

/* How fast they must part: rebound where they come faster than what rests; else no nearer than they touch; what overlaps moves apart slowly. Two that part, and
 * others push together, may close as fast as they parted: to stop them at once would be work done by the contact. They are met in the next interval. */
static void aim(const cloud* c, pair* p, kin_vec3 d, double reach, double s, double restitution)
{
    const point *i = &c->points[p->i], *j = &c->points[p->j];
    double rest = kin_max(i->p.rest_speed, j->p.rest_speed), gap = kin_dot(d, p->n) - reach;
    kin_vec3 after = kin_sub(i->v, j->v);
    double approach = -kin_dot(kin_lerp(p->before, after, s), p->n);
    p->hits = approach > rest;
    double parting = kin_dot(p->before, p->n);
    if (p->hits)
        p->target = restitution * approach;
    else
        p->target = parting > rest ? -parting : kin_min(-gap / c->step->h, rest);
}

static bool make_pair(const cloud* c, uint32_t a, uint32_t b, pair* out)
{
    const point *i = &c->points[a], *j = &c->points[b];
    if (i->source == j->source || i->p.inv_mass + j->p.inv_mass == 0) return false;
    double s, reach = i->p.radius + j->p.radius;
    kin_vec3 d = kin_sub(i->p.position, j->p.position), way = kin_scale(kin_sub(i->v, j->v), c->step->h);
    if (!(reach > 0) || !first_touch(d, way, reach, &s)) return false;
    kin_pair law = kin_materials_pair(c->step->materials, (kin_material_id){i->p.material}, (kin_material_id){j->p.material});
    law = kin_pair_deviated(law, i->p.surface, j->p.surface);
    *out = (pair){.i = a, .j = b, .n = kin_normalize_or(kin_add_scaled(d, s, way), kin_axis(1)), .before = kin_sub(i->p.velocity, j->p.velocity)};
    out->friction = 0.5 * (law.dynamic_friction[0] + law.dynamic_friction[1]);
    out->touch = s * c->step->h;
    aim(c, out, d, reach, s, law.restitution);
    return true;
}

static size_t list_pairs(cloud* c, const kin_neighbour_lists* lists, pair* out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < lists->count; ++i) {
        for (size_t k = lists->offsets[i]; k < lists->offsets[i + 1]; ++k) {
            pair p;
            if (lists->indices[k] <= i || !make_pair(c, i, lists->indices[k], &p)) continue;
            if (out != NULL) out[count] = p;
            ++count;
        }
    }
    return count;
}

static bool find(cloud* c, kin_point_pairs* self)
{
    kin_neighbour_lists lists;
    double reach = 2 * c->largest + 2 * c->fastest * c->step->h;
    if (self->near == NULL && kin_neighbours_create(&self->allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_HASH}, &self->near, NULL) != KIN_OK)
        return false;
    if (kin_neighbours_update(self->near, c->step->jobs, kin_points_of_vectors(c->places), (uint32_t)c->count, reach, NULL) != KIN_OK) return false;
    if (kin_neighbours_lists(self->near, c->step->jobs, &lists, NULL) != KIN_OK) return false;
    c->pair_count = list_pairs(c, &lists, NULL);
    c->pairs = kin_arena_take(c->arena, kin_bytes(c->pair_count, sizeof *c->pairs));
    if (c->pairs == NULL) return false;
    list_pairs(c, &lists, c->pairs);
    return true;
}

/* ---- impulses ---- */

static void share_masses(cloud* c)
{
    for (size_t k = 0; k < c->pair_count; ++k) {
        c->points[c->pairs[k].i].contacts += 1;
        c->points[c->pairs[k].j].contacts += 1;
    }
    for (size_t k = 0; k < c->pair_count; ++k) {
        const point *i = &c->points[c->pairs[k].i], *j = &c->points[c->pairs[k].j];
        c->pairs[k].share = 1 / (i->contacts * i->p.inv_mass + j->contacts * j->p.inv_mass);
    }
}

static kin_vec3 within(kin_vec3 rub, double most)
{
    double square = kin_length2(rub);
    return square <= most * most ? rub : kin_scale(rub, most / kin_sqrt(square));
}

/* Its new impulse from the velocities before the sweep, noted as a change of both. Returns by how much it moved them, m/s. */
static double change_pair(cloud* c, pair* p)
{
    point *i = &c->points[p->i], *j = &c->points[p->j];
    kin_vec3 u = kin_sub(i->v, j->v);
    double leave = kin_dot(u, p->n), normal = kin_max(p->normal + p->share * (p->target - leave), 0);
    kin_vec3 rub = within(kin_add_scaled(p->rub, -p->share, kin_add_scaled(u, -leave, p->n)), p->friction * normal);
    kin_vec3 by = kin_add_scaled(kin_sub(rub, p->rub), normal - p->normal, p->n);
    i->change = kin_add_scaled(i->change, i->p.inv_mass, by);
    j->change = kin_add_scaled(j->change, -j->p.inv_mass, by);
    p->normal = normal;
    p->rub = rub;
    return kin_length(by) / p->share;
}

static void solve(cloud* c)
{
    double most = c->fastest;
    share_masses(c);
    for (int sweep = 0; sweep < SWEEPS && most > SETTLED * c->fastest; ++sweep) {
        most = 0;
        for (size_t k = 0; k < c->pair_count; ++k) most = kin_max(most, change_pair(c, &c->pairs[k]));
        for (size_t i = 0; i < c->count; ++i) {
            c->points[i].v = kin_add(c->points[i].v, c->points[i].change);
            c->points[i].change = kin_v(0, 0, 0);
        }
    }
}

static kin_anchor anchor_of(const cloud* c, const point* p) { return (kin_anchor){c->sources[p->source].system, p->element, {0, 0, 0}}; }

/* J: the impulse times the mean of the velocities before and after; each system books half. */
static bool post(const cloud* c)
{
    uint32_t slot = 0;
    for (size_t k = 0; k < c->pair_count; ++k) {
        const pair* p = &c->pairs[k];
        const point *i = &c->points[p->i], *j = &c->points[p->j];
        kin_vec3 impulse = kin_add_scaled(p->rub, p->normal, p->n), place = kin_add_scaled(j->p.position, j->p.radius, p->n);
        if (p->normal == 0) continue;
        if (kin_ledger_post(c->step->ledger, (kin_entry_key){KIN_COUPLER_POINT_PAIRS, slot++}, KIN_ENTRY_HIT, anchor_of(c, i), anchor_of(c, j), place,
                            (kin_wrench){.impulse = impulse})
            != KIN_OK)
            return false;
        double lost = -0.25 * kin_dot(impulse, kin_add(p->before, kin_sub(i->v, j->v)));
        kin_system_meeting meeting = {.element = i->element, .hit = p->hits, .lost = lost, .time = c->step->time + p->touch, .other = anchor_of(c, j)};
        meeting.place = kin_add_scaled(place, p->touch, kin_lerp(j->p.velocity, j->p.end_velocity, 0.5));
        c->sources[i->source].ops->met(c->sources[i->source].self, &meeting);
        meeting.element = j->element;
        meeting.other = anchor_of(c, i);
        c->sources[j->source].ops->met(c->sources[j->source].self, &meeting);
    }
    return true;
}

bool kin_point_pairs_exchange(kin_point_pairs* self, const kin_point_source* sources, size_t count, kin_step* step)
{
    size_t takers = 0;
    for (size_t s = 0; s < count; ++s) takers += meets(&sources[s]);
    if (takers < 2) return true;
    kin_arena_reset(&self->arena);
    cloud c = {.sources = sources, .step = step, .arena = &self->arena};
    if (!gather(&c, count)) return false;
    if (c.count < 2) return true;
    if (!find(&c, self)) return false;
    if (c.pair_count == 0) return true;
    solve(&c);
    return post(&c);
}
