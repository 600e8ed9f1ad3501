/* hits.c - one particle over one interval among solids: the policies of what happens when its path meets one.
 * exact: House & Keyser 3.1.3, Coutinho 1.3, slides P1 (3). approximate, project: P1 (2), (1). reflect: House & Keyser 4.4.3. */
#include "domains/particles/particles.h"
#include "math/quat.h"
#include <string.h>

/* Of rest_distance: a sliding particle keeps this off a surface that curves or turns into its path, so that it meets it a few times a step, not thousands. */
#define HOVER 0.05

/* Set down, and carried along by what it rests on to the end of the interval. */
static void ride(const kin_step* step, kin_particle* p, const kin_support* support)
{
    if (support->count == 1 && support->gap > 2 * KIN_PARTICLE_SKIN) p->x = kin_add_scaled(p->x, KIN_PARTICLE_SKIN - support->gap, support->normals[0]);
    kin_transform now = kin_solids_pose(step->solids, support->solid, p->time / step->h), end = kin_solids_pose(step->solids, support->solid, 1);
    if (memcmp(&now, &end, sizeof now) != 0) p->x = kin_apply(end, kin_unapply(now, p->x)); /* what stands still leaves every bit */
    p->v = support->velocity;
    p->time = step->h;
    p->resting = p->touching = true;
}

/* The fraction of a sliding flight at which friction has stopped the slip; 1: it goes on. Friction stops, it never drives back. */
static double stop_fraction(const kin_flight* flight, const kin_support* support)
{
    if (support->count == 0) return 1;
    kin_vec3 before = kin_sub(flight->v0, support->velocity), after = kin_sub(flight->v1, support->velocity);
    double u0 = kin_dot(before, before), u1 = kin_dot(after, before);
    return u1 >= 0 || u0 == 0 ? 1 : u0 / (u0 - u1);
}

/* NULL: an integrator with steps of its own. */
static const kin_ode_method* own_method(const kin_particles* self) { return self->integrator->kind == KIN_INTEGRATOR_FIXED ? self->method : NULL; }

static kin_flight next_flight(const kin_particles* self, const kin_step* step, const kin_particle* p, const kin_support* support, double h)
{
    bool slides = support->count > 0 && self->straight; /* a straight line would enter a surface that turns or curves */
    kin_flight flight = kin_particle_fly(self, slides ? kin_ode_method_named(self->simd, "average") : own_method(self), step, p, support, h);
    if (self->def.hit_path != KIN_HIT_PATH_EULER || self->straight) return flight;
    double s; /* H7.4b (i): a step whose Euler line hits is taken by Euler as a whole */
    kin_contact contact;
    kin_flight euler = kin_particle_fly(self, kin_ode_method_named(self->simd, "euler"), step, p, support, h);
    return kin_flight_first_hit(&euler, 1, step, p, &s, &contact) ? euler : flight;
}

static void note_failure(kin_particle* p, const kin_flight* flight)
{
    if (p->report.result == KIN_OK) p->report = flight->report;
}

/* Where fields turn velocities, one between two others is slower than both: it has the direction of the path, and the speed of a step of that length. */
static kin_vec3 velocity_at(const kin_particles* self, const kin_step* step, const kin_particle* p, const kin_support* support, const kin_flight* f, double s)
{
    kin_vec3 v = kin_flight_velocity(f, s);
    if (s == 0 || s == 1 || !kin_particles_gyrate(step, f->method)) return v;
    kin_vec3 turned = kin_particle_fly(self, f->method, step, p, support, s * f->h).v1;
    if (f->straight) v = kin_sub(kin_scale(kin_sub(f->x1, f->x0), 1 / f->h), f->carry);
    return kin_scale(kin_normalize_or(v, turned), kin_length(turned));
}

static void put_at(const kin_particles* self, const kin_step* step, kin_particle* p, const kin_support* support, const kin_flight* flight, double s)
{
    p->v = velocity_at(self, step, p, support, flight, s);
    p->x = kin_flight_position(flight, s);
    p->time += s * flight->h;
}

/* How far x must go along the normal to stand a skin off the surface. */
static double depth_at(const kin_particle* p, kin_vec3 x, const kin_contact* c)
{
    return p->radius + KIN_PARTICLE_SKIN - kin_dot(kin_sub(x, c->point), c->normal);
}

static kin_vec3 off_surface(const kin_particle* p, kin_vec3 x, const kin_contact* c) { return kin_add_scaled(x, depth_at(p, x, c), c->normal); }

/* To where the flight meets the contact, and off it again. */
static void collide(const kin_particles* self, const kin_step* step, kin_particle* p, const kin_support* support, const kin_flight* flight, double s,
                    const kin_contact* contact)
{
    bool dead = (int)p->hits >= self->def.max_hits; /* C1.4.3: past the cap nothing bounces, so the interval ends */
    put_at(self, step, p, support, flight, s);
    p->x = off_surface(p, p->x, contact);
    double time = p->time;
    if (kin_particle_bounce(self, step, p, contact, dead)) p->last_hit = kin_hit_on_solid(step, contact, time);
    if (p->walls < KIN_PARTICLE_CONTACTS) p->wall[p->walls++] = contact->normal;
    if (p->touching) p->x = kin_add_scaled(p->x, HOVER * self->def.rest_distance, contact->normal);
    p->capped = p->capped || dead;
}

/* Flies, or slides on its support, to the first hit, to where friction stops it, or to the end of the interval. */
static void fly_on(const kin_particles* self, const kin_step* step, kin_particle* p, const kin_support* support)
{
    double s;
    kin_contact contact;
    kin_vec3 from = p->x;
    kin_flight flight = next_flight(self, step, p, support, step->h - p->time);
    note_failure(p, &flight);
    double end = stop_fraction(&flight, support);
    double friction = support->count > 0 ? kin_support_friction(support, kin_particle_acceleration(step, p), p->v) : 0;
    bool met = kin_flight_first_hit(&flight, end, step, p, &s, &contact);
    if (met && contact.solid == UINT32_MAX) {
        const kin_integrator_report lost = {.result = KIN_ERROR_LIMIT, .worst = KIN_PATH_LOST, .ratio = kin_max(kin_length(p->v), kin_length(flight.v1))};
        if (p->report.result == KIN_OK) p->report = lost;
        p->time = step->h;
    } else if (met) {
        collide(self, step, p, support, &flight, s, &contact);
    } else {
        put_at(self, step, p, support, &flight, end);
        if (end < 1) p->v = support->velocity;
    }
    p->dissipated += p->mass * friction * kin_distance(from, p->x);
}

/* Fields carry off what would rest (H5.2). */
static bool is_carried(const kin_particles* self, const kin_step* step, const kin_particle* p)
{
    if (!step->fields->has_after) return false;
    kin_flight f = kin_particle_fly(self, own_method(self), step, p, &(kin_support){.solid = UINT32_MAX}, step->h - p->time);
    return kin_length(f.carry) > self->def.rest_speed;
}

/* What held it over a piece of its way, beside hits, is felt by what held it: m (dv - a dt). A weight is borne whole; speed that it came with along the
 * normal is taken by the share that meets a body which gives way. */
static void lean_on(const kin_step* step, const kin_particle* before, kin_particle* p, const kin_support* support)
{
    if (p->gives != NULL && support->count > 0) {
        kin_vec3 normal = support->normals[0], point = kin_add_scaled(before->x, -p->radius, normal);
        kin_vec3 came = kin_add_scaled(before->v, p->inv_mass, p->bounced);
        kin_vec3 free = kin_add_scaled(came, p->time - before->time, kin_particle_acceleration(step, before));
        kin_vec3 held = kin_add(p->v, kin_particle_surface_change(step, p, support->solid, point));
        double impact = kin_max(kin_dot(kin_sub(held, came), normal), 0);
        held = kin_add_scaled(held, (kin_particle_share(step, p, support->solid, point, normal) - 1) * impact, normal);
        p->v = kin_dot(kin_sub(held, free), normal) < 0 ? free : held; /* else it gave way already */
        kin_particle_give(step, p, support->solid, point, kin_scale(kin_sub(p->v, free), p->mass));
    }
    p->bounced = kin_v(0, 0, 0);
}

/* Smallest hit first, as many as there are. */
static void advance_exactly(const kin_particles* self, const kin_step* step, kin_particle* p)
{
    int most = 4 * self->def.max_hits;
    for (int piece = 0; step->h - p->time > 1e-12 * step->h; ++piece) {
        kin_support support = {.solid = UINT32_MAX};
        kin_particle before = *p;
        if (p->touching) support = kin_particle_support(self, step, p);
        p->touching = support.count > 0;
        if (kin_particle_rests(self, step, p, &support) && !is_carried(self, step, p)) {
            ride(step, p, &support);
        } else if (piece < most) {
            fly_on(self, step, p, &support);
        } else { /* wedged in: it stays where it is */
            p->time = step->h;
            p->capped = true;
        }
        lean_on(step, &before, p, &support);
    }
}

/* End-of-step policies see the straight chord only, and correct its end: at the place of the hit, on the surface, or mirrored. */
static kin_vec3 corrected_end(const kin_particles* self, const kin_particle* p, kin_vec3 at_hit, const kin_contact* c, double e)
{
    switch (self->def.hits) {
    case KIN_HIT_APPROXIMATE: return at_hit;
    case KIN_HIT_REFLECT: return kin_add_scaled(p->x, (1 + e) * depth_at(p, p->x, c), c->normal);
    default: return off_surface(p, p->x, c);
    }
}

/* A corner takes several rounds: each goes on from the last hit to the corrected end. */
static void advance_at_fixed_cost(const kin_particles* self, const kin_step* step, kin_particle* p)
{
    kin_flight flight = kin_particle_fly(self, own_method(self), step, p, &(kin_support){.solid = UINT32_MAX}, step->h);
    kin_vec3 from = p->x;
    note_failure(p, &flight);
    p->x = flight.x1;
    p->v = flight.v1;
    p->touching = false;
    for (int round = 0; round < KIN_PARTICLE_CONTACTS; ++round) {
        kin_contact c;
        if (!kin_solids_first_hit(step->solids, from, p->x, p->radius, 0, 1, 1e-9, &c)) break;
        double approach = -kin_dot(kin_sub(p->v, c.velocity), c.normal);
        if (kin_particle_bounce(self, step, p, &c, false)) p->last_hit = kin_hit_on_solid(step, &c, c.fraction * step->h);
        double e = approach > self->def.rest_speed ? kin_dot(kin_sub(p->v, c.velocity), c.normal) / approach : 0;
        from = off_surface(p, kin_lerp(from, p->x, c.fraction), &c);
        p->x = corrected_end(self, p, from, &c, e);
    }
    p->time = step->h;
}

void kin_particle_advance(const kin_particles* self, const kin_step* step, kin_particle* p)
{
    p->resting = false;
    if (self->def.hits == KIN_HIT_EXACT)
        advance_exactly(self, step, p);
    else
        advance_at_fixed_cost(self, step, p);
}
