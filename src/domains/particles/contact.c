/* contact.c - what a surface does to a particle: bounce, friction, hold. House & Keyser 3.2-3.3, with Coutinho's directional friction (3.5.1): along
 * slip direction (cos, sin) in the surface's tangent axes the coefficient is the vector (mu_t cos, mu_k sin).
 *
 * The friction impulse is limited by the whole normal impulse, (1 + e) m |v_n|, as Coulomb's law says; the simple model takes a fixed share of the
 * tangential speed. */
#include "domains/particles/particles.h"
#include "math/linear.h"

/* Tangent axes turn with the solid. */
kin_basis kin_contact_frame(const kin_step* step, const kin_contact* c)
{
    kin_quat q = kin_solids_pose(step->solids, c->solid, c->fraction).orientation;
    kin_basis local = kin_basis_from_normal(kin_unrotate(q, c->normal));
    return (kin_basis){c->normal, kin_rotate(q, local.t), kin_rotate(q, local.k)};
}

kin_pair kin_contact_pair(const kin_step* step, kin_material_id material, kin_surface_deviation surface, const kin_contact* c)
{
    return kin_pair_deviated(kin_materials_pair(step->materials, material, c->material), surface, (kin_surface_deviation){0});
}

/* The friction vector for a slip or pull along the unit tangent d, per normal force. */
static kin_vec3 friction_along(const double mu[2], const kin_basis* frame, kin_vec3 d)
{
    return kin_add(kin_scale(frame->t, mu[0] * kin_dot(frame->t, d)), kin_scale(frame->k, mu[1] * kin_dot(frame->k, d)));
}

static kin_vec3 tangential(kin_vec3 v, kin_vec3 n) { return kin_add_scaled(v, -kin_dot(v, n), n); }

double kin_particle_share(const kin_step* step, const kin_particle* p, uint32_t solid, kin_vec3 point, kin_vec3 direction)
{
    if (p->gives == NULL || solid == UINT32_MAX) return 1;
    double give = kin_dot(kin_solids_respond(step->solids, solid, point, (kin_wrench){.impulse = direction}, point), direction);
    return p->inv_mass / (p->inv_mass + give);
}

kin_vec3 kin_particle_surface_change(const kin_step* step, const kin_particle* p, uint32_t solid, kin_vec3 point)
{
    return p->gives == NULL || solid == UINT32_MAX ? kin_v(0, 0, 0) : kin_reactions_velocity(p->gives, step->solids, solid, point);
}

/* All but hits that makes it move in this interval, as a mean. */
kin_vec3 kin_particle_surface_acceleration(const kin_step* step, uint32_t solid, kin_vec3 point)
{
    kin_solid_give g = kin_solids_give(step->solids, solid);
    return kin_scale(kin_add(g.load.velocity, kin_cross(g.load.spin, kin_sub(point, g.center))), 1 / step->h);
}

void kin_particle_give(const kin_step* step, const kin_particle* p, uint32_t solid, kin_vec3 point, kin_vec3 impulse)
{
    if (p->gives != NULL && solid != UINT32_MAX) kin_reactions_add(p->gives, step->solids, solid, point, kin_neg(impulse));
}

/* H3.2c: takes at most all of the slip, never turns it round. */
static kin_vec3 rub(const kin_particles* self, const kin_pair* pair, const kin_basis* frame, kin_vec3 slip, double normal_impulse)
{
    double speed = kin_length(slip);
    if (speed == 0) return slip;
    if (self->def.friction == KIN_FRICTION_SIMPLE) return kin_scale(slip, 1 - self->def.simple_friction); /* H3.2b */
    kin_vec3 d = kin_scale(slip, 1 / speed), take = kin_scale(friction_along(pair->dynamic_friction, frame, d), normal_impulse);
    return kin_dot(take, d) >= speed ? kin_v(0, 0, 0) : kin_sub(slip, take);
}

/* For a time at a surface that goes with it from now on. The two press on each other by what would drive them together: weight, and what holds the solid. Two
 * that fall do not, and what springs hold up bears the particle. */
static void wait_at(const kin_step* step, kin_particle* p, const kin_contact* contact, double time)
{
    kin_vec3 a = kin_particle_acceleration(step, p), held = kin_particle_surface_acceleration(step, contact->solid, contact->point), n = contact->normal;
    double force = p->mass * kin_particle_share(step, p, contact->solid, contact->point, n) * kin_max(kin_dot(kin_sub(held, a), n), 0);
    kin_vec3 impulse = kin_scale(n, force * time);
    p->v = kin_add_scaled(kin_add_scaled(p->v, time, a), p->inv_mass, impulse);
    p->time += time;
    kin_particle_give(step, p, contact->solid, contact->point, impulse);
    p->bounced = kin_add(p->bounced, impulse);
}

bool kin_particle_bounce(const kin_particles* self, const kin_step* step, kin_particle* p, const kin_contact* contact, bool dead)
{
    kin_pair pair = kin_contact_pair(step, p->material, p->surface, contact);
    kin_basis frame = kin_contact_frame(step, contact);
    kin_vec3 surface = contact->velocity;
    if (p->gives != NULL) surface = kin_add(surface, kin_particle_surface_change(step, p, contact->solid, contact->point));
    kin_vec3 before = kin_sub(p->v, surface);
    double approach = -kin_dot(before, contact->normal);
    if (p->gives != NULL && approach <= self->def.rest_speed
        && kin_length2(kin_sub(surface, contact->velocity)) > 0) { /* the solid gave way already, though its path does not show it: it waits at the surface */
        wait_at(step, p, contact, step->h - p->time);
        p->hits += 1;
        return false;
    }
    if (approach < 0) approach = 0;
    bool slow = approach <= self->def.rest_speed; /* a contact, not a collision (C4.11) */
    double e = dead || slow ? 0 : pair.restitution;
    kin_vec3 slip = rub(self, &pair, &frame, tangential(before, contact->normal), (1 + e) * approach);
    kin_vec3 after = kin_add_scaled(slip, e * approach, contact->normal);
    double share = kin_particle_share(step, p, contact->solid, contact->point, contact->normal);
    if (share < 1) after = kin_add_scaled(before, share, kin_sub(after, before));
    p->v = kin_add(after, surface);
    kin_vec3 impulse = kin_scale(kin_sub(after, before), p->mass);
    kin_particle_give(step, p, contact->solid, contact->point, impulse);
    p->bounced = kin_add(p->bounced, impulse);
    if (share < 1) { /* what the solid takes of it is not lost */
        kin_vec3 moved = kin_add(contact->velocity, kin_particle_surface_change(step, p, contact->solid, contact->point));
        p->dissipated -= 0.5 * kin_dot(impulse, kin_add(before, kin_sub(p->v, moved)));
    } else {
        p->dissipated += 0.5 * p->mass * (kin_length2(before) - kin_length2(after));
    }
    p->touching = e * approach <= self->def.rest_speed;
    p->hits += 1;
    return !slow;
}

/* ---- being held ---- */

/* Normal forces f >= 0 that keep a from entering any surface: the projection of a onto the cone of allowed accelerations, found by trying the sets of surfaces
 * that push, smallest first. Three surfaces can hold a point; with more, some triple of them does. */
static bool solve_set(const kin_support* s, kin_vec3 a, const int* set, int n, double* f)
{
    double rhs[3] = {0}, m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < n; ++i) {
        rhs[i] = -kin_dot(a, s->normals[set[i]]);
        for (int k = 0; k < n; ++k) m[k][i] = kin_dot(s->normals[set[i]], s->normals[set[k]]);
    }
    kin_vec3 x;
    kin_mat3 columns = {{m[0][0], m[0][1], m[0][2]}, {m[1][0], m[1][1], m[1][2]}, {m[2][0], m[2][1], m[2][2]}};
    if (!kin_solve3(columns, kin_v(rhs[0], rhs[1], rhs[2]), &x)) return false;
    const double values[3] = {x.x, x.y, x.z};
    for (int i = 0; i < n; ++i) {
        if (values[i] < 0) return false;
        f[set[i]] = values[i];
    }
    return true;
}

static kin_vec3 with_forces(const kin_support* s, kin_vec3 a, const double* f)
{
    for (int i = 0; i < s->count; ++i) a = kin_add_scaled(a, f[i], s->normals[i]);
    return a;
}

static bool enters_none(const kin_support* s, kin_vec3 a, double tolerance)
{
    for (int i = 0; i < s->count; ++i) {
        if (kin_dot(a, s->normals[i]) < -tolerance) return false;
    }
    return true;
}

static bool try_set(const kin_support* s, kin_vec3 a, const int* set, int n, double* f)
{
    for (int i = 0; i < s->count; ++i) f[i] = 0;
    return solve_set(s, a, set, n, f) && enters_none(s, with_forces(s, a, f), 1e-9 * (1 + kin_length(a)));
}

static void normal_forces(const kin_support* s, kin_vec3 a, double* f)
{
    if (try_set(s, a, NULL, 0, f)) return;
    for (int i = 0; i < s->count; ++i) {
        if (try_set(s, a, (int[]){i}, 1, f)) return;
    }
    for (int i = 0; i < s->count; ++i) {
        for (int j = i + 1; j < s->count; ++j) {
            if (try_set(s, a, (int[]){i, j}, 2, f)) return;
        }
    }
    for (int i = 0; i < s->count; ++i) { /* a corner */
        for (int j = i + 1; j < s->count; ++j) {
            for (int k = j + 1; k < s->count; ++k) {
                if (try_set(s, a, (int[]){i, j, k}, 3, f)) return;
            }
        }
    }
    for (int i = 0; i < s->count; ++i) f[i] = 0; /* squeezed between opposing surfaces: nothing gives */
}

/* The most that friction can do against a pull or slip along d, m/s^2; static or dynamic. */
static kin_vec3 friction_limit(const kin_support* s, const double* f, kin_vec3 d, bool is_static)
{
    kin_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->count; ++i) {
        const double* mu = is_static ? s->pairs[i].static_friction : s->pairs[i].dynamic_friction;
        sum = kin_add(sum, kin_scale(friction_along(mu, &s->frames[i], d), f[i]));
    }
    return sum;
}

/* Against the slip. Past its end it keeps the heading the slip had: friction does not turn round within a flight, which is cut where the slip ends. */
static kin_vec3 friction(const kin_support* s, const double* f, kin_vec3 v)
{
    kin_vec3 slip = kin_sub(v, s->velocity);
    return friction_limit(s, f, kin_dot(slip, s->heading) > 0 ? kin_normalize_or(slip, s->heading) : s->heading, false);
}

/* On a turning surface things are seen from the surface: what it takes to turn with it, and to move across it (Coriolis). */
static kin_vec3 frame_acceleration(const kin_support* s, kin_vec3 v)
{
    kin_vec3 across = kin_cross(s->spin, kin_sub(v, s->velocity));
    return kin_add_scaled(kin_cross(s->spin, kin_cross(s->spin, s->arm)), 2, across);
}

kin_vec3 kin_support_acceleration(const kin_support* s, kin_vec3 a, kin_vec3 v)
{
    double f[KIN_PARTICLE_CONTACTS];
    kin_vec3 frame = frame_acceleration(s, v), seen = kin_sub(a, frame);
    normal_forces(s, seen, f);
    kin_vec3 pull = with_forces(s, seen, f), rubbed = kin_sub(pull, friction(s, f, v));
    normal_forces(s, rubbed, f); /* the friction of one surface may press on another */
    return kin_add(with_forces(s, rubbed, f), frame);
}

/* Held by one surface a velocity turns about its normal; between two it keeps its line. */
kin_vec3 kin_held_gyration(const kin_vec3* normals, int count, kin_vec3 w)
{
    for (int i = 1; i < count; ++i) {
        if (kin_length2(kin_cross(normals[0], normals[i])) > 1e-12) return kin_v(0, 0, 0);
    }
    return count > 0 ? kin_scale(normals[0], kin_dot(normals[0], w)) : w;
}

double kin_support_friction(const kin_support* s, kin_vec3 a, kin_vec3 v)
{
    double f[KIN_PARTICLE_CONTACTS];
    kin_vec3 seen = kin_sub(a, frame_acceleration(s, v));
    normal_forces(s, seen, f);
    return kin_length(friction(s, f, v));
}

/* Out of what it is in: along the normal, to the surface. */
static void push_out(kin_particle* p, const kin_contact* c)
{
    if (c->distance < 0.5 * KIN_PARTICLE_SKIN) p->x = kin_add_scaled(p->x, KIN_PARTICLE_SKIN - c->distance, c->normal);
}

/* Touched, and neither leaving nor coming in fast enough to bounce. */
static bool holds(const kin_particles* self, const kin_particle* p, const kin_contact* c)
{
    double leave = kin_dot(kin_sub(p->v, c->velocity), c->normal);
    return c->distance <= self->def.rest_distance && kin_abs(leave) <= self->def.rest_speed;
}

static void add_contact(kin_support* s, const kin_step* step, const kin_particle* p, const kin_contact* c)
{
    if (s->count == 0) {
        kin_quat start = kin_solids_pose(step->solids, c->solid, 0).orientation, end = kin_solids_pose(step->solids, c->solid, 1).orientation;
        s->gap = kin_max(c->distance, KIN_PARTICLE_SKIN);
        s->velocity = c->velocity;
        s->solid = c->solid;
        s->spin = kin_quat_spin_between(start, end, step->h);
        s->arm = kin_sub(c->point, kin_solids_pose(step->solids, c->solid, c->fraction).position);
    }
    s->normals[s->count] = c->normal;
    s->pairs[s->count] = kin_contact_pair(step, p->material, p->surface, c);
    s->frames[s->count++] = kin_contact_frame(step, c);
}

/* Contacts do not bounce: what presses takes the speed along its normal, none may be entered. The second also settles wedges, where taking one speed
 * makes another. */
static void settle_velocity(kin_particle* p, const kin_support* s, kin_vec3 a)
{
    double f[KIN_PARTICLE_CONTACTS];
    kin_vec3 slip = kin_sub(p->v, s->velocity);
    for (int i = 0; i < s->count; ++i) {
        if (kin_dot(a, s->normals[i]) < 0) slip = tangential(slip, s->normals[i]);
    }
    normal_forces(s, slip, f);
    p->v = kin_add(with_forces(s, slip, f), s->velocity);
}

/* Where it slides, or where it would start to. */
static kin_vec3 heading_of(const kin_support* s, const kin_particle* p, kin_vec3 a)
{
    double f[KIN_PARTICLE_CONTACTS];
    kin_vec3 slip = kin_sub(p->v, s->velocity);
    if (kin_length(slip) > 1e-12) return kin_normalize_or(slip, kin_v(0, 0, 0));
    normal_forces(s, a, f);
    return kin_normalize_or(with_forces(s, a, f), kin_v(0, 0, 0));
}

/* C1.4.1b: solids that close on a particle from two sides by more than it can give way. What comes of it is no physics: it is reported. */
static bool squeezes(const kin_particles* self, const kin_contact* a, const kin_contact* b)
{
    bool closing = kin_dot(kin_sub(a->velocity, b->velocity), a->normal) > 0;
    return closing && kin_dot(a->normal, b->normal) < -0.5 && a->distance + b->distance < -self->def.rest_distance;
}

kin_support kin_particle_support(const kin_particles* self, const kin_step* step, kin_particle* p)
{
    kin_contact contacts[KIN_PARTICLE_CONTACTS];
    kin_support s = {.solid = UINT32_MAX};
    double fraction = p->time / step->h;
    int count = kin_solids_closest(step->solids, p->x, p->radius, self->def.rest_distance, fraction, contacts, KIN_PARTICLE_CONTACTS);
    for (int i = 0; i < count; ++i) {
        contacts[i].fraction = fraction;
        push_out(p, &contacts[i]);
        for (int k = 0; k < i; ++k) p->squeezed = p->squeezed || squeezes(self, &contacts[k], &contacts[i]);
        if (holds(self, p, &contacts[i])) add_contact(&s, step, p, &contacts[i]);
    }
    if (s.count == 0) return s;
    kin_vec3 a = kin_sub(kin_particle_acceleration(step, p), frame_acceleration(&s, p->v));
    settle_velocity(p, &s, a);
    s.heading = heading_of(&s, p, a);
    return s;
}

static bool pressed(const kin_support* s, const double* f)
{
    double sum = 0;
    for (int i = 0; i < s->count; ++i) sum += f[i];
    return sum > 0;
}

/* H3.3b in four parts: slow; near (the support was found within rest_distance); pressed on; and friction holds the pull along the surface. */
bool kin_particle_rests(const kin_particles* self, const kin_step* step, const kin_particle* p, const kin_support* s)
{
    double f[KIN_PARTICLE_CONTACTS];
    if (s->count == 0 || kin_length(kin_sub(p->v, s->velocity)) > self->def.rest_speed) return false;
    kin_vec3 a = kin_sub(kin_particle_acceleration(step, p), frame_acceleration(s, s->velocity));
    normal_forces(s, a, f);
    if (!pressed(s, f)) return false;
    kin_vec3 pull = with_forces(s, a, f);
    double strength = kin_length(pull);
    if (strength <= 1e-12 * (1 + kin_length(a))) return true;
    kin_vec3 d = kin_scale(pull, 1 / strength);
    return kin_dot(friction_limit(s, f, d, true), d) >= strength;
}
