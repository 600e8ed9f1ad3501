/* work.c - setting a unit up to be moved, and the forces that its contacts and joints need in order to hold (C4.11.4, C5.3, C5.6.2, C5.8). */
#include "contact/exact/work.h"
#include "contact/joint/system.h"
#include <string.h>

#define STOPPED 0.1 /* slip speeds at which what slides sticks within a tick: what is left then is too little to see. A tick that begins below one sticks */
#define LOOSE 2.0   /* slip speeds at which what stuck slides: a tick that begins below one must have gone some way */

/* ---- setting up ---- */

static uint32_t place_of(kin_exact_work* w, uint32_t number)
{
    const kin_group* g = w->self->group;
    if (number == KIN_NO_BODY) return w->count - 1;
    if (w->self->body[number].unit != KIN_EXACT_NONE && w->self->units[w->self->body[number].unit] == w->unit) { /* one of its own: rising, so halve */
        uint32_t low = 0, high = w->free;
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;
            if (w->number[middle] <= number)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
    for (uint32_t i = w->free; i + 1 < w->count; ++i) {
        if (w->number[i] == number) return i;
    }
    uint32_t at = w->count - 1;
    w->number[w->count] = w->number[at], w->bodies[w->count] = w->bodies[at];
    w->number[at] = number;
    w->bodies[at] = g->bodies.body[number];
    w->bodies[at].inv_mass = 0;
    w->bodies[at].inv_moments = kin_v(0, 0, 0);
    w->count += 1;
    return at;
}

static bool take_room(kin_exact_work* w)
{
    const kin_exact_unit* u = w->unit;
    size_t bodies = (size_t)u->count + 2u * u->pair_count + 2u * u->joint_count + 1, n = u->count;
    size_t points = (size_t)u->pair_count * KIN_EXACT_POINTS, rows = (size_t)u->joint_count * KIN_JOINT_ROWS, size = 13 * n;
    w->point_room = (int)points;
    w->row_room = (int)rows;
    w->size = (int)size;
    w->bodies = kin_arena_take(w->scratch, bodies * sizeof *w->bodies);
    w->number = kin_arena_take(w->scratch, bodies * sizeof *w->number);
    w->driven = kin_arena_take(w->scratch, bodies * sizeof *w->driven);
    w->angular = kin_arena_take(w->scratch, n * sizeof *w->angular);
    w->joint_a = kin_arena_take(w->scratch, (2 * u->joint_count + 1) * sizeof *w->joint_a);
    w->pair_a = kin_arena_take(w->scratch, (2 * u->pair_count + 1) * sizeof *w->pair_a);
    w->points = kin_arena_take(w->scratch, points * sizeof *w->points);
    w->touching = kin_arena_take(w->scratch, points * sizeof *w->touching);
    w->force = kin_arena_take(w->scratch, 3 * points * sizeof *w->force);
    w->tangents = kin_arena_take(w->scratch, 2 * points * sizeof *w->tangents);
    w->handed = kin_arena_take(w->scratch, points + 1);
    w->rows = kin_arena_take(w->scratch, rows * sizeof *w->rows);
    w->row_a = kin_arena_take(w->scratch, (3 * rows + 1) * sizeof *w->row_a);
    w->multipliers = kin_arena_take(w->scratch, rows * sizeof *w->multipliers);
    w->drive = kin_arena_take(w->scratch, rows);
    w->ahead = kin_arena_take(w->scratch, rows * sizeof *w->ahead);
    w->y0 = kin_arena_take(w->scratch, 3 * size * sizeof *w->y0);
    w->view = (kin_bodies){.count = u->count};
    w->view.skin = kin_arena_take(w->scratch, n * sizeof *w->view.skin);
    w->view.motion = kin_arena_take(w->scratch, n);
    w->view.force = kin_arena_take(w->scratch, (2 * bodies + 2 * n) * sizeof *w->view.force);
    if (w->scratch->failed) return false;
    memset(w->driven, 0, bodies * sizeof *w->driven);
    memset(w->view.force, 0, 2 * bodies * sizeof *w->view.force); /* of those that forces do not move, too */
    w->guess = w->tangents + points;
    w->joint_b = w->joint_a + u->joint_count;
    w->pair_b = w->pair_a + u->pair_count;
    w->row_b = w->row_a + rows, w->row_joint = w->row_b + rows;
    w->y1 = w->y0 + size, w->k1 = w->y1 + size;
    w->view.body = w->bodies;
    w->view.torque = w->view.force + bodies, w->view.push = w->view.torque + bodies, w->view.twist = w->view.push + n;
    return true;
}

bool kin_exact_work_begin(kin_exact_work* w, const kin_exact* self, const kin_exact_unit* u, kin_arena* scratch)
{
    const kin_bodies* all = &self->group->bodies;
    *w = (kin_exact_work){.self = self, .unit = u, .scratch = scratch, .stops = self->integrator->adaptive};
    if (!take_room(w)) return false;
    w->free = u->count;
    for (uint32_t i = 0; i < u->count; ++i) {
        uint32_t k = w->number[i] = u->bodies[i];
        w->bodies[i] = all->body[k];
        w->view.skin[i] = all->skin[k];
        w->view.motion[i] = KIN_BODY_FREE;
        w->view.push[i] = all->push[k], w->view.twist[i] = all->twist[k];
        double h = self->body[k].h;
        if (h > 0 && !(w->memory.h > 0 && w->memory.h < h)) w->memory.h = h;
    }
    w->count = w->free + 1;
    w->number[w->free] = KIN_NO_BODY;
    w->bodies[w->free] = kin_body_fixed();
    for (uint32_t i = 0; i < u->pair_count; ++i) (void)place_of(w, u->pairs[i]->a), (void)place_of(w, u->pairs[i]->b);
    for (uint32_t i = 0; i < u->joint_count; ++i) {
        const kin_joint* j = &self->group->joints[u->joints[i]];
        (void)place_of(w, j->a), (void)place_of(w, j->b);
    }
    for (uint32_t i = 0; i < u->pair_count; ++i) w->pair_a[i] = place_of(w, u->pairs[i]->a), w->pair_b[i] = place_of(w, u->pairs[i]->b);
    for (uint32_t i = 0; i < u->joint_count; ++i) {
        const kin_joint* j = &self->group->joints[u->joints[i]];
        w->joint_a[i] = place_of(w, j->a), w->joint_b[i] = place_of(w, j->b);
    }
    return true;
}

void kin_exact_work_keyed(kin_exact_work* w, double time)
{
    w->carried = false;
    for (uint32_t i = w->free; i + 1 < w->count; ++i) {
        bool keyed = w->self->group->bodies.motion[w->number[i]] == KIN_BODY_KEYED;
        kin_body at = keyed ? kin_exact_keyed_at(w->self, w->number[i], w->time, time, &w->driven[i]) : kin_exact_body_at(w->self, w->number[i], time);
        at.inv_mass = 0;
        at.inv_moments = kin_v(0, 0, 0);
        w->bodies[i] = at;
        w->carried = w->carried || (keyed && w->self->group->bodies.legs[w->number[i]].count > 0);
    }
}

static double pace(const kin_exact_work* w, uint32_t i)
{
    if (w->number[i] == KIN_NO_BODY) return 0;
    double reach = kin_min(w->self->group->bodies.skin[w->number[i]].reach, 1e6), h = w->stride;
    return kin_length(w->bodies[i].velocity) + kin_length(w->bodies[i].spin) * reach + h * kin_length(w->self->step->fields->gravity);
}

/* True: it closes as a collision does, and its event is sure to come. */
static bool place_point(const kin_exact_work* w, uint32_t pair, kin_exact_point* p)
{
    p->a = p->flipped ? w->pair_b[pair] : w->pair_a[pair];
    p->b = p->flipped ? w->pair_a[pair] : w->pair_b[pair];
    kin_touching t = kin_exact_touching(p, &w->bodies[p->a], &w->bodies[p->b]);
    double speed = kin_dot(t.normal, kin_exact_slip(&t, &w->bodies[p->a], &w->bodies[p->b])), slow = kin_exact_parting_speed(w->self);
    p->parts = speed > slow ? speed : 0;
    p->rise = kin_abs(speed) <= slow ? speed : 0;
    return speed < -kin_exact_contact_speed(w->self) && p->pair->idle == 0;
}

/* Contacts of a tick: what is within the tolerance and does not part faster than contacts may (drift.c looks at those that part at all); of a stride all that
 * might meet. Returns the least separation. */
static double gather_points(kin_exact_work* w)
{
    double deepest = 0;
    w->point_count = 0;
    w->collides = false;
    for (uint32_t i = 0; i < w->unit->pair_count; ++i) {
        if (w->unit->pairs[i]->passes) continue;
        kin_exact_point* found = w->points + w->point_count;
        uint32_t a = w->pair_a[i], b = w->pair_b[i];
        double near = kin_exact_tolerance(w->self) + w->stride * (pace(w, a) + pace(w, b));
        int n = kin_exact_points(w->self, w->unit->pairs[i], &w->bodies[a], &w->bodies[b], near, found, w->point_room - w->point_count, w->scratch), kept = 0;
        for (int k = 0; k < n; ++k) {
            if (place_point(w, i, &found[k])) w->collides = true;
            deepest = kin_min(deepest, found[k].separation);
            if (w->stride > 0 || found[k].parts <= kin_exact_contact_speed(w->self)) found[kept++] = found[k];
        }
        w->point_count += kept;
    }
    return deepest;
}

static void find_contacts(kin_exact_work* w)
{
    w->yields = kin_exact_yields(w, gather_points(w));
    w->by_turns = w->yields != KIN_EXACT_HOLDS;
    w->work = 60 * w->point_count + 30 * w->free; /* what finding them costs, more or less */
}

/* Where the forces of most contacts are known from before, they are the guess. */
static void recall_forces(kin_exact_work* w)
{
    int known = 0;
    for (int i = 0; i < w->point_count; ++i) {
        const kin_exact_point* p = &w->points[i];
        const kin_exact_trail* trail = &p->pair->trail;
        uint32_t k = 0;
        while (k < trail->count && trail->id[k] != p->id) ++k;
        w->guess[i] = k == trail->count ? kin_v(0, 0, 0) : p->flipped ? kin_neg(trail->force[k]) : trail->force[k];
        known += k < trail->count;
    }
    w->has_guess = known > 0 && 2 * known >= w->point_count;
}

void kin_exact_work_leave_trail(const kin_exact_work* w)
{
    for (uint32_t i = 0; i < w->unit->pair_count; ++i) w->unit->pairs[i]->trail.count = 0;
    for (uint32_t i = 0, k = 0; i < w->unit->pair_count; ++i) { /* contacts are in the order of their pairs */
        kin_exact_pair* pair = w->unit->pairs[i];
        kin_exact_trail* trail = &pair->trail;
        for (; k < (uint32_t)w->point_count && w->points[k].pair == pair; ++k) {
            if (trail->count == KIN_EXACT_TRAIL) continue;
            trail->id[trail->count] = w->points[k].id;
            trail->force[trail->count++] = w->points[k].flipped ? kin_neg(w->guess[k]) : w->guess[k];
        }
    }
}

void kin_exact_work_look_ahead(kin_exact_work* w, double h)
{
    w->stride = h;
    (void)gather_points(w);
}

void kin_exact_work_load(kin_exact_work* w, const kin_exact_state* states, double time)
{
    w->time = time;
    for (uint32_t i = 0; i < w->free; ++i) {
        kin_exact_put(&w->bodies[i], &states[i]);
        w->angular[i] = states[i].angular;
    }
    kin_exact_work_keyed(w, time);
    w->point_count = 0, w->work = 0, w->stride = 0;
    w->by_turns = w->has_guess = w->found = w->collides = false;
    if (!kin_exact_is_penalty(w->self)) find_contacts(w);
    w->guess_soft = 0;
    if (!w->by_turns) recall_forces(w);
    w->by_spin = w->point_count > 0 || w->unit->joint_count > 0;
}

void kin_exact_work_store(const kin_exact_work* w, kin_exact_state* states)
{
    for (uint32_t i = 0; i < w->free; ++i) {
        const kin_body* b = &w->bodies[i];
        states[i] = (kin_exact_state){b->position, b->velocity, w->angular[i], b->orientation};
    }
}

/* ---- forces ---- */

static void push(kin_exact_work* w, uint32_t i, kin_vec3 force, kin_vec3 torque)
{
    if (i >= w->free) return;
    w->view.force[i] = kin_add(w->view.force[i], force);
    w->view.torque[i] = kin_add(w->view.torque[i], torque);
}

static void push_row(kin_exact_work* w, const kin_joint_row* r, uint32_t a, uint32_t b, double f)
{
    push(w, a, kin_scale(r->linear_a, f), kin_scale(r->angular_a, f));
    push(w, b, kin_scale(r->linear_b, f), kin_scale(r->angular_b, f));
}

static bool is_driven(const kin_joint_row* r) { return r->kind == KIN_ROW_MOTOR || r->kind == KIN_ROW_FRICTION; }

/* A spring is a force. A motor or friction that is off its rate gives all it has; on its rate it holds, up to that (C5.8). */
static bool acts_as_force(const kin_exact_work* w, uint32_t joint, const kin_joint_row* r, const kin_body* a, const kin_body* b, double* force)
{
    double rate = kin_joint_row_rate(r, a, b);
    int drive = w->drive[joint * KIN_JOINT_ROWS + r->slot];
    switch (r->kind) {
    case KIN_ROW_SPRING: *force = kin_clamp(-r->stiffness * r->error - r->damping * rate, -r->most, r->most); return true;
    case KIN_ROW_MOTOR:
    case KIN_ROW_FRICTION: *force = drive * r->most; return drive != 0;
    case KIN_ROW_LIMIT: *force = 0; return rate > 0.01 * kin_exact_contact_speed(w->self); /* leaving */
    case KIN_ROW_HOLD: break;
    }
    return false;
}

/* What holds is held at its rate: what little it is off ends at the rate of ticks. */
void kin_exact_work_joints(kin_exact_work* w)
{
    const double rate = w->unit->ticks / w->self->step->h;
    w->row_count = 0;
    for (uint32_t i = 0; i < w->unit->joint_count; ++i) {
        uint32_t ia = w->joint_a[i], ib = w->joint_b[i];
        kin_joint_row rows[KIN_JOINT_ROWS];
        int n = kin_exact_work_rows(w, i, kin_exact_tolerance(w->self), rows);
        for (int k = 0; k < n; ++k) {
            double force;
            if (acts_as_force(w, i, &rows[k], &w->bodies[ia], &w->bodies[ib], &force)) {
                push_row(w, &rows[k], ia, ib, force);
                continue;
            }
            if (is_driven(&rows[k])) rows[k].bias += rate * (kin_joint_row_rate(&rows[k], &w->bodies[ia], &w->bodies[ib]) - rows[k].target);
            w->rows[w->row_count] = rows[k];
            w->row_a[w->row_count] = ia, w->row_b[w->row_count] = ib, w->row_joint[w->row_count] = i;
            w->row_count += 1;
        }
    }
}

/* ---- what is settled as a tick begins ---- */

static void settle_joints(kin_exact_work* w)
{
    double slow = kin_exact_slip_speed(w->self), near = kin_exact_tolerance(w->self);
    for (uint32_t i = 0; i < w->unit->joint_count; ++i) {
        kin_joint_row rows[KIN_JOINT_ROWS];
        int n = kin_exact_work_rows(w, i, 1e300, rows);
        int8_t* drive = w->drive + (size_t)i * KIN_JOINT_ROWS;
        double* ahead = w->ahead + (size_t)i * KIN_JOINT_ROWS;
        memset(drive, 0, KIN_JOINT_ROWS);
        memset(ahead, 0, KIN_JOINT_ROWS * sizeof *ahead);
        for (int k = 0; k < n; ++k) {
            const kin_joint_row* r = &rows[k];
            double off = kin_joint_row_rate(r, &w->bodies[w->joint_a[i]], &w->bodies[w->joint_b[i]]) - r->target;
            if (is_driven(r) && kin_abs(off) > slow) {
                drive[r->slot] = off > 0 ? -1 : 1;
                ahead[r->slot] = off;
            } else if (r->kind == KIN_ROW_LIMIT && r->error > near) {
                ahead[r->slot] = r->error;
            }
        }
    }
}

static double turn_of_joints(const kin_exact_work* w)
{
    double first = 1;
    for (uint32_t i = 0; i < w->unit->joint_count; ++i) {
        kin_joint_row rows[KIN_JOINT_ROWS];
        int n = kin_exact_work_rows(w, i, 1e300, rows);
        for (int k = 0; k < n; ++k) {
            const kin_joint_row* r = &rows[k];
            double before = w->ahead[(size_t)i * KIN_JOINT_ROWS + r->slot], after = r->error;
            if (is_driven(r)) after = kin_joint_row_rate(r, &w->bodies[w->joint_a[i]], &w->bodies[w->joint_b[i]]) - r->target;
            if (before * after < 0) first = kin_min(first, before / (before - after));
        }
    }
    return first;
}

static kin_vec3 across(kin_vec3 v, kin_vec3 n) { return kin_add_scaled(v, -kin_dot(v, n), n); }

static kin_vec3 slip_of(const kin_exact_work* w, const kin_exact_point* p)
{
    kin_touching t = kin_exact_touching(p, &w->bodies[p->a], &w->bodies[p->b]);
    return across(kin_exact_slip(&t, &w->bodies[p->a], &w->bodies[p->b]), t.normal);
}

/* Motors and friction of joints that gave all they have: past their rate. */
static bool drives_end(const kin_exact_work* w)
{
    for (uint32_t i = 0; i < w->unit->joint_count; ++i) {
        kin_joint_row rows[KIN_JOINT_ROWS];
        int n = kin_exact_work_rows(w, i, 1e300, rows);
        for (int k = 0; k < n; ++k) {
            const kin_joint_row* r = &rows[k];
            double before = w->ahead[(size_t)i * KIN_JOINT_ROWS + r->slot];
            if (is_driven(r) && before * (kin_joint_row_rate(r, &w->bodies[w->joint_a[i]], &w->bodies[w->joint_b[i]]) - r->target) < 0) return true;
        }
    }
    return false;
}

bool kin_exact_work_changes(const kin_exact_work* w)
{
    double slow = kin_exact_slip_speed(w->self);
    for (int i = 0; i < w->point_count; ++i) {
        const kin_exact_point* p = &w->points[i];
        kin_vec3 slip = slip_of(w, p);
        double speed = kin_length(slip);
        if (p->slides ? speed <= STOPPED * slow || kin_dot(slip, p->way) <= 0 : speed > LOOSE * slow) return true;
    }
    return drives_end(w);
}

double kin_exact_work_turn(const kin_exact_work* w)
{
    double first = turn_of_joints(w), slow = w->stops ? STOPPED * kin_exact_slip_speed(w->self) : 0;
    for (int i = 0; i < w->point_count; ++i) {
        const kin_exact_point* p = &w->points[i];
        kin_vec3 slip = slip_of(w, p);
        double after = kin_dot(slip, p->way);
        if (p->slides && p->speed > 0 && after < 0 && kin_length(slip) > slow) first = kin_min(first, p->speed / (p->speed - after));
    }
    return first;
}

/* Rate of the velocity of a against b where they touch, from the accelerations of the bodies (force.h: u'). */
static kin_vec3 acceleration_at(const kin_exact_work* w, const kin_touching* t, const double* rates)
{
    kin_vec3 sum = {0, 0, 0}, rate = kin_touching_point_rate(t, &w->bodies[t->a], &w->bodies[t->b]);
    const uint32_t bodies[2] = {t->a, t->b};
    for (int k = 0; k < 2; ++k) {
        uint32_t i = bodies[k], n = w->free;
        const kin_body* b = &w->bodies[i];
        const double *v = rates + 3 * (n + i), *l = rates + 10 * n + 3 * i;
        kin_twist of = i < n ? (kin_twist){{v[0], v[1], v[2]}, {l[0], l[1], l[2]}} : w->driven[i];
        kin_vec3 a = kin_add(of.velocity, kin_cross(of.spin, kin_sub(t->point, b->position)));
        a = kin_add(a, kin_cross(b->spin, kin_sub(rate, b->velocity)));
        sum = kin_add_scaled(sum, k == 0 ? 1 : -1, a);
    }
    return sum;
}

bool kin_exact_work_friction(kin_exact_work* w, const double* rates, double h)
{
    if (rates == NULL) settle_joints(w);
    double slow = kin_exact_slip_speed(w->self);
    bool loose = false;
    for (int i = 0; i < w->point_count; ++i) {
        kin_exact_point* p = &w->points[i];
        if (rates != NULL && p->slides) continue;
        kin_touching t = kin_exact_touching(p, &w->bodies[p->a], &w->bodies[p->b]);
        kin_vec3 v = rates != NULL ? kin_scale(acceleration_at(w, &t, rates), h) : kin_exact_slip(&t, &w->bodies[p->a], &w->bodies[p->b]);
        kin_vec3 along = across(v, t.normal);
        p->slides = kin_length(along) > slow;
        p->way = kin_normalize_or(along, kin_v(0, 0, 0));
        p->speed = rates == NULL ? kin_length(along) : 0;
        if (rates == NULL || p->slides) p->creep = p->slides ? kin_v(0, 0, 0) : along;
        loose = loose || p->slides;
    }
    return loose;
}

/* The solver of forces decides by the slip: within a tick it is shown one of the kind that was settled. Where sliding ends its direction is lost: friction goes on
 * in the old one until the tick ends, at the next step of an integrator that stops there, else by a cut. */
static kin_touching settled(const kin_exact_work* w, const kin_exact_point* p)
{
    const kin_body *a = &w->bodies[p->a], *b = &w->bodies[p->b];
    kin_touching t = kin_exact_touching(p, a, b);
    kin_vec3 slip = across(kin_exact_slip(&t, a, b), t.normal), way = across(p->way, t.normal);
    double slow = kin_exact_slip_speed(w->self), least = 2 * slow, speed = kin_length(slip);
    bool ends = w->stops ? speed < 0.5 * STOPPED * slow || kin_dot(slip, p->way) < -0.5 * speed : kin_dot(slip, p->way) < least;
    if (!p->slides)
        t.surface = kin_sub(t.surface, slip);
    else if (ends)
        t.surface = kin_add(kin_sub(t.surface, slip), kin_scale(kin_normalize_or(way, p->way), least));
    else if (speed < least)
        t.surface = kin_add_scaled(t.surface, least / speed - 1, slip);
    double rate = w->unit->ticks / w->self->step->h; /* within the tick they end: what is left of speeds would move things, however slowly, for ever */
    t.closing = (p->parts > 0 ? p->parts : p->rise) * rate;
    t.creep = kin_scale(across(p->creep, t.normal), rate);
    return t;
}

/* An error that moves nothing by more than half the tolerance in the tick, and by little of what gravity does: it is put right as drift. */
static double enough_for(const kin_exact_work* w, double h)
{
    return kin_min(kin_exact_tolerance(w->self) / (h * h), 1e-3 * kin_length(w->self->step->fields->gravity));
}

static kin_force_cluster cluster_of(kin_exact_work* w, double h)
{
    /* As kin_rigid_def.forces names them. */
    static const kin_force_method methods[] = {KIN_FORCE_BARAFF, KIN_FORCE_DANTZIG, KIN_FORCE_LEMKE, KIN_FORCE_KOKKEVIS, KIN_FORCE_QP};
    int method = w->self->group->def.forces;
    for (int i = 0; i < w->point_count; ++i) w->touching[i] = settled(w, &w->points[i]);
    return (kin_force_cluster){.bodies = w->bodies,
                               .body_count = w->count,
                               .force = w->view.force,
                               .torque = w->view.torque,
                               .driven = w->driven,
                               .touching = w->touching,
                               .count = w->point_count,
                               .joint_a = w->row_a,
                               .joint_b = w->row_b,
                               .joint_rows = w->rows,
                               .joint_count = w->row_count,
                               .method = methods[method >= 0 && method < (int)(sizeof methods / sizeof *methods) ? method : 0],
                               .slip_threshold = kin_exact_slip_speed(w->self),
                               .h = h,
                               .enough = enough_for(w, h),
                               .most_work = kin_exact_work_left(w),
                               .guess = w->has_guess ? w->guess : NULL,
                               .guess_soft = w->guess_soft};
}

/* Motors and friction that would have to hold more than they can slip: their row becomes the force they have. True: there were some. */
static bool let_slip(kin_exact_work* w)
{
    int kept = 0, count = w->row_count;
    for (int i = 0; i < count; ++i) {
        const kin_joint_row* r = &w->rows[i];
        bool bounded = r->kind == KIN_ROW_MOTOR || r->kind == KIN_ROW_FRICTION;
        if (bounded && kin_abs(w->multipliers[i]) > r->most) {
            push_row(w, r, w->row_a[i], w->row_b[i], w->multipliers[i] > 0 ? r->most : -r->most);
            continue;
        }
        w->rows[kept] = *r, w->row_a[kept] = w->row_a[i], w->row_b[kept] = w->row_b[i], w->row_joint[kept] = w->row_joint[i];
        w->multipliers[kept++] = w->multipliers[i];
    }
    w->row_count = kept;
    return kept < count;
}

/* Stages of a tick have the same contacts: the next begins with what this one found. */
static void keep_guess(kin_exact_work* w)
{
    for (int i = 0; i < w->point_count; ++i) {
        const double* f = w->force + 3 * i;
        kin_vec3 n = w->touching[i].normal, t = w->tangents[i];
        w->guess[i] = kin_add_scaled(kin_add_scaled(kin_scale(n, f[0]), f[1], t), f[2], kin_cross(n, t));
    }
    w->has_guess = w->found = true;
}

/* A couple against a turn along `way` (rad/s): the load at its lever; less near rest, where all of it would turn things back within the tick. */
static kin_vec3 resist(const kin_exact_work* w, const kin_exact_point* p, kin_vec3 way, double couple, double h)
{
    double speed = kin_length(way), give = 0;
    const uint32_t bodies[2] = {p->a, p->b};
    kin_vec3 along = kin_normalize_or(way, kin_v(0, 0, 0));
    for (int k = 0; k < 2; ++k) give += bodies[k] < w->free ? kin_dot(along, kin_body_inv_inertia_times(&w->bodies[bodies[k]], along)) : 0;
    double slow = kin_max(couple * give * h, 1e-12);
    return kin_scale(along, -couple * kin_min(1, speed / slow));
}

/* Rolling and spinning resistance of what presses; true: there is some. */
static bool push_couples(kin_exact_work* w, double h)
{
    bool some = false;
    for (int i = 0; i < w->point_count; ++i) {
        const kin_exact_point* p = &w->points[i];
        double load = kin_max(w->force[3 * i], 0);
        if (!(load * (p->pair->rolling + p->pair->spinning) > 0)) continue;
        kin_vec3 n = w->touching[i].normal, turn = kin_sub(w->bodies[p->a].spin, w->bodies[p->b].spin), about = kin_scale(n, kin_dot(turn, n));
        kin_vec3 couple = kin_add(resist(w, p, kin_sub(turn, about), load * p->pair->rolling, h), resist(w, p, about, load * p->pair->spinning, h));
        push(w, p->a, kin_v(0, 0, 0), couple);
        push(w, p->b, kin_v(0, 0, 0), kin_neg(couple));
        some = true;
    }
    return some;
}

/* Joints without contacts and limits are the equation of motion of constrained bodies, J M^-1 J^t x = -(J'v + J M^-1 Q): solved by blocks over their graph, in as
 * much work as a tree has joints. False: there are others, or rows of a loop contradict each other by more than will do. */
static bool solve_joints(kin_exact_work* w, const kin_force_cluster* c, kin_force_report* report)
{
    kin_arena_mark mark = kin_arena_begin(w->scratch);
    kin_joint_node* node = kin_arena_take(w->scratch, (size_t)w->row_count * sizeof *node);
    bool good = node != NULL && c->count == 0;
    int nodes = 0;
    for (int i = 0; good && i < w->row_count; ++i) {
        good = w->rows[i].kind != KIN_ROW_LIMIT;
        if (i == 0 || w->row_joint[i] != w->row_joint[i - 1] || node[nodes - 1].count == KIN_BLOCK_MOST)
            node[nodes++] = (kin_joint_node){w->row_a[i], w->row_b[i], 0};
        node[nodes - 1].count += 1;
    }
    kin_joint_system s;
    good = good && kin_joint_system_make(nodes, node, w->bodies, w->scratch, w->scratch, &s) && kin_joint_system_fill(&s, w->bodies, w->rows).finite;
    if (good) {
        double miss = kin_joint_system_forces(&s, w->bodies, w->rows, c->force, c->torque, c->driven, w->multipliers);
        *report =
            (kin_force_report){.lcp = {.status = KIN_LCP_SOLVED, .residual = miss}, .work = 10 * s.rows + 4 * s.nodes + 2 * (s.ldl.blocks + s.ldl.updates)};
        good = miss <= kin_max(1e-9 * kin_length(w->self->step->fields->gravity), c->enough);
    }
    kin_arena_end(w->scratch, mark);
    return good;
}

void kin_exact_work_solve(kin_exact_work* w, double h)
{
    bool rolls = false;
    kin_force_report report;
    kin_force_cluster cluster;
    w->unsolved = w->unsolved || (w->may_yield && w->found && !w->by_turns && kin_exact_is_spent(w));
    if (w->unsolved) return; /* now, or at an earlier stage: the tick is void (yield.c) */
    for (int round = 0;; ++round) {
        cluster = cluster_of(w, h);
        if (w->by_turns) cluster.count = 0; /* impulses at the end of the tick instead */
        if (cluster.count + cluster.joint_count == 0) return;
        if (!solve_joints(w, &cluster, &report)) report = kin_forces_find(&cluster, w->force, w->tangents, w->handed, w->multipliers, w->scratch);
        w->work += report.work;
        bool slipped = round < 8 && let_slip(w);
        if (!slipped && !rolls && cluster.count > 0 && round < 8 && push_couples(w, h)) rolls = slipped = true; /* once: loads change little by it */
        if (!slipped) break;
    }
    cluster.joint_count = w->row_count;
    if (report.lcp.status == KIN_LCP_MEMORY || !(report.lcp.residual < KIN_LCP_NOT_FINITE)) {
        w->failed = true;
        return;
    }
    if (cluster.count > 0) keep_guess(w), w->guess_soft = report.soft;
    w->residual = kin_max(w->residual, report.lcp.residual);
    w->handed_count += report.handed;
    w->unsolved = w->unsolved || report.unsolved;
    kin_forces_add(&cluster, w->force, w->tangents, w->multipliers, w->view.force, w->view.torque);
}
