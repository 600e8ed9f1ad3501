/* fields.c - response by depth (G12.4): everything moves over the whole interval; what is then inside something else collides, vertex by vertex; velocities
 * change by the mean of what these collisions would do, weighted by depth; and the whole interval is done again from its start. After max_events such rounds
 * nothing bounces; after twice as many it is left as it is, with a note. For terrains and still worlds: vertices only, so edges may pierce. */
#include "contact/exact/work.h"
#include <string.h>

typedef struct change {
    kin_vec3 velocity, spin;
    double depth;
} change;

typedef struct rounds {
    kin_exact* self;
    kin_body* start; /* of all bodies */
    change* changes;
    int overlaps;
} rounds;

static void collide_point(rounds* r, const kin_exact_pair* p, const kin_exact_point* point, bool dead_stop)
{
    const kin_exact* self = r->self;
    const kin_bodies* all = &self->group->bodies;
    kin_body a = all->body[point->a], b = all->body[point->b];
    if (all->motion[point->a] != KIN_BODY_FREE) a.inv_mass = 0, a.inv_moments = kin_v(0, 0, 0);
    if (all->motion[point->b] != KIN_BODY_FREE) b.inv_mass = 0, b.inv_moments = kin_v(0, 0, 0);
    kin_touching t = kin_exact_touching(point, &a, &b);
    double approach = -kin_dot(t.normal, kin_exact_slip(&t, &a, &b)), depth = -point->separation;
    double fall = 2 * self->step->h * kin_length(self->step->fields->gravity); /* what rests has come by this much */
    kin_meeting m = {.a = 0,
                     .b = 1,
                     .point = t.point,
                     .normal = t.normal,
                     .surface = t.surface,
                     .resting = dead_stop || approach <= kin_max(fall, kin_exact_bounce_speed(self))};
    m.restitution = m.resting ? 0 : p->restitution;
    kin_exact_friction(&m, &t, p->mu_dynamic, KIN_IMPULSE_SYSTEM, kin_exact_slip(&t, &a, &b));
    if (!(approach > 0)) m.surface = kin_add_scaled(m.surface, approach - depth / self->step->h, t.normal); /* parts too slowly: by as much as is missing */
    kin_impulse impulse = kin_impulse_single(&m, &a, &b, KIN_SINGLE_CLOSED, &r->self->arena);
    kin_vec3 push = kin_add_scaled(kin_add_scaled(kin_scale(t.normal, impulse.n), impulse.t, impulse.tangent), impulse.k, kin_cross(t.normal, impulse.tangent));
    const uint32_t bodies[2] = {point->a, point->b};
    kin_body* const after[2] = {&a, &b};
    for (int k = 0; k < 2; ++k) {
        const kin_body* before = &all->body[bodies[k]];
        change* c = &r->changes[bodies[k]];
        kin_body_push(after[k], t.point, kin_scale(push, k == 0 ? 1 : -1), kin_v(0, 0, 0));
        c->velocity = kin_add_scaled(c->velocity, depth, kin_sub(after[k]->velocity, before->velocity));
        c->spin = kin_add_scaled(c->spin, depth, kin_sub(after[k]->spin, before->spin));
        c->depth += depth;
    }
    r->overlaps += 1;
    r->self->report.collisions += 1;
}

static void collide_all(rounds* r, bool dead_stop)
{
    kin_exact* self = r->self;
    const kin_bodies* all = &self->group->bodies;
    r->overlaps = 0;
    memset(r->changes, 0, all->count * sizeof *r->changes);
    for (uint32_t i = 0; i < self->pair_count; ++i) {
        kin_exact_pair* p = self->pairs[i];
        kin_exact_point points[KIN_EXACT_POINTS];
        int n =
            p->passes ? 0 : kin_exact_points(self, p, &all->body[p->a], &all->body[p->b], -kin_exact_tolerance(self), points, KIN_EXACT_POINTS, &self->arena);
        kin_exact_ask(self, p, points, n);
        for (int k = 0; k < n && !p->passes; ++k) collide_point(r, p, &points[k], dead_stop);
    }
}

/* Back to the start, with what the collisions have changed. */
static void start_again(rounds* r)
{
    kin_bodies* all = &r->self->group->bodies;
    for (uint32_t i = 0; i < all->count; ++i) {
        if (all->motion[i] != KIN_BODY_FREE) continue;
        kin_body b = r->start[i];
        const change* c = &r->changes[i];
        if (c->depth > 0) {
            b.velocity = kin_add_scaled(b.velocity, 1 / c->depth, c->velocity);
            b.spin = kin_add_scaled(b.spin, 1 / c->depth, c->spin);
        }
        r->start[i] = all->body[i] = b;
    }
}

kin_status kin_exact_fields(kin_exact* self, kin_status (*flight)(kin_exact* self))
{
    const kin_bodies* all = &self->group->bodies;
    rounds r = {.self = self, .start = kin_arena_take(&self->arena, (all->count + 1u) * sizeof *r.start)};
    r.changes = kin_arena_take(&self->arena, (all->count + 1u) * sizeof *r.changes);
    if (r.start == NULL || r.changes == NULL) return kin_step_refuse(self->step, 0, 0, "no memory for the response by depth");
    memcpy(r.start, all->body, all->count * sizeof *r.start);
    int most = self->group->def.max_events > 0 ? self->group->def.max_events : 1;
    for (int round = 0;; ++round) {
        kin_status status = flight(self);
        if (status != KIN_STATUS_OK) return status;
        collide_all(&r, round >= most);
        self->report.events = round;
        if (r.overlaps == 0) return status;
        if (round == 2 * most) {
            kin_step_note_cap(self->step, r.overlaps, "points are still inside after all rounds of response by depth");
            return status;
        }
        start_again(&r);
    }
}
