/* group.c - a contact group as world and domains see it: members come and go, are asked for their motion, pushed, and advanced by the solver of their mode. */
#include "contact/group.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/screw.h"
#include <string.h>

/* ---- members ---- */

kin_result kin_group_create(const kin_allocator* allocator, const kin_group_ops* ops, const kin_rigid_def* def, const kin_materials* materials,
                            kin_touch_events* events, kin_group** out, kin_error* error)
{
    kin_group* g = kin_alloc_zero(allocator, sizeof *g);
    *out = NULL;
    if (g == NULL) return kin_fail_memory(error, "a contact group", sizeof *g);
    g->allocator = *allocator;
    g->materials = materials;
    g->events = events;
    g->ops = ops;
    g->def = *def;
    g->def.name = NULL;
    g->def.bodies.data = NULL, g->def.bodies.count = 0;
    g->def.joints.data = NULL, g->def.joints.count = 0;
    kin_bodies_init(&g->bodies, allocator);
    kin_result result = g->ops->create(g, &g->solver, error);
    if (result != KIN_OK) {
        kin_group_destroy(g);
        return result;
    }
    *out = g;
    return KIN_OK;
}

void kin_group_destroy(kin_group* g)
{
    if (g == NULL) return;
    if (g->solver != NULL) g->ops->destroy(g->solver);
    kin_allocator allocator = g->allocator;
    kin_bodies_term(&g->bodies);
    kin_free(&allocator, g->joints, g->joint_capacity * sizeof *g->joints);
    kin_free(&allocator, g->joint_owner, g->owner_capacity * sizeof *g->joint_owner);
    kin_free(&allocator, g, sizeof *g);
}

kin_result kin_group_expect(kin_group* g, size_t bodies, kin_error* error)
{
    size_t count = g->bodies.count + bodies;
    if (count >= KIN_NO_BODY || !kin_bodies_reserve(&g->bodies, count) || (g->ops->expects != NULL && !g->ops->expects(g->solver, (uint32_t)count)))
        return kin_fail_memory(error, "bodies", kin_bytes(bodies, sizeof *g->bodies.body));
    return KIN_OK;
}

kin_result kin_group_add_body(kin_group* g, const kin_body* body, const kin_body_skin* skin, kin_body_motion motion, uint32_t* index, kin_error* error)
{
    if (!kin_bodies_add(&g->bodies, body, skin, motion, index)) return kin_fail_memory(error, "a body", sizeof *body + sizeof *skin);
    g->changed = true;
    if (g->ops->body_added(g->solver, *index)) return KIN_OK;
    kin_bodies_remove(&g->bodies, *index);
    g->bodies.count -= 1;
    return kin_fail_memory(error, "a body", sizeof *body);
}

void kin_group_remove_body(kin_group* g, uint32_t body)
{
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        if (!g->joints[i].broken && (g->joints[i].a == body || g->joints[i].b == body)) kin_group_remove_joint(g, i);
    }
    g->changed = true;
    g->ops->body_removed(g->solver, body);
    kin_bodies_remove(&g->bodies, body);
}

static const kin_body* body_or_null(const kin_group* g, uint32_t body) { return body == KIN_NO_BODY ? NULL : &g->bodies.body[body]; }

kin_result kin_group_add_joint(kin_group* g, const kin_joint_def* def, uint32_t a, uint32_t b, kin_anchor owner, uint32_t* index, kin_error* error)
{
    kin_joint joint;
    kin_result result = kin_joint_make(def, a, body_or_null(g, a), b, body_or_null(g, b), &joint, error);
    return result == KIN_OK ? kin_group_add_made_joint(g, &joint, owner, index, error) : result;
}

kin_result kin_group_add_made_joint(kin_group* g, const kin_joint* joint, kin_anchor owner, uint32_t* index, kin_error* error)
{
    size_t count = g->joint_count + 1u;
    if (!kin_reserve(&g->allocator, (void**)&g->joints, &g->joint_capacity, count, sizeof *g->joints)
        || !kin_reserve(&g->allocator, (void**)&g->joint_owner, &g->owner_capacity, count, sizeof *g->joint_owner))
        return kin_fail_memory(error, "a joint", sizeof *joint);
    *index = g->joint_count++;
    g->joints[*index] = *joint;
    g->joint_owner[*index] = owner;
    g->joints[*index].broken = false;
    if (!g->ops->joint_added(g->solver, *index)) {
        g->joint_count -= 1;
        return kin_fail_memory(error, "a joint", sizeof *joint);
    }
    if (joint->broken) kin_group_remove_joint(g, *index); /* the solver has a place for it all the same */
    return KIN_OK;
}

void kin_group_remove_joint(kin_group* g, uint32_t joint)
{
    if (g->joints[joint].broken) return;
    g->ops->joint_removed(g->solver, joint);
    g->joints[joint].broken = true;
}

bool kin_group_hand_joint(kin_group* g, uint32_t joint, uint32_t from, uint32_t to)
{
    kin_joint *j = &g->joints[joint], was = *j;
    kin_transform change = kin_transform_mul(kin_transform_inverse(kin_body_pose(&g->bodies.body[to])), kin_body_pose(&g->bodies.body[from]));
    g->ops->joint_removed(g->solver, joint);
    if (was.a == from) j->a = to, j->frame_a = kin_transform_mul(change, was.frame_a);
    if (was.b == from) j->b = to, j->frame_b = kin_transform_mul(change, was.frame_b);
    if (g->ops->joint_added(g->solver, joint)) return true;
    *j = was;
    return false;
}

void kin_group_set_motion(kin_group* g, uint32_t body, kin_body_motion motion)
{
    g->bodies.motion[body] = (uint8_t)motion;
    if (motion != KIN_BODY_FREE) kin_bodies_calm(&g->bodies, body);
    kin_group_touch(g, body);
}

void kin_group_touch(kin_group* g, uint32_t body)
{
    g->bodies.start[body] = g->bodies.end[body] = kin_body_pose(&g->bodies.body[body]);
    g->changed = true;
    g->ops->touched(g->solver, body);
}

#define RUNNING 0.1 /* of its speed: a motor that is slower is held up */

static bool has_motor(const kin_joint_freedom* f) { return f->motor && f->speed != 0 && f->most > 0; }

bool kin_group_motor_runs(const kin_group* g, const kin_joint* j)
{
    if (!has_motor(&j->def.freedom[0]) && !has_motor(&j->def.freedom[1])) return false;
    const kin_body *a = body_or_null(g, j->a), *b = body_or_null(g, j->b), still = kin_body_fixed(), *x = a != NULL ? a : &still, *y = b != NULL ? b : &still;
    kin_joint_row rows[KIN_JOINT_ROWS];
    const int count = kin_joint_rows(j, a, b, 0, rows);
    for (int i = 0; i < count; ++i) {
        const kin_joint_row* r = &rows[i];
        if (r->kind != KIN_ROW_MOTOR || r->target == 0) continue;
        const double of_a = kin_dot(r->linear_a, x->velocity) + kin_dot(r->angular_a, x->spin);
        if ((of_a + kin_dot(r->linear_b, y->velocity) + kin_dot(r->angular_b, y->spin)) / r->target > RUNNING) return true;
    }
    return false;
}

void kin_group_wake_all(kin_group* g)
{
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        if (g->bodies.motion[i] == KIN_BODY_FREE && !g->ops->is_awake(g->solver, i)) g->ops->touched(g->solver, i);
    }
}

/* ---- the step ---- */

static const uint32_t* movers_of(const kin_group* g, uint32_t* count)
{
    *count = g->bodies.count;
    return g->ops->movers != NULL ? g->ops->movers(g->solver, count) : NULL;
}

void kin_group_forces(kin_group* g, const kin_step* step, const uint32_t* bodies, uint32_t count)
{
    kin_step then = *step;
    then.system = g->system;
    kin_bodies_mean_forces(&g->bodies, bodies, count, &then, g->def.substeps > 0 ? g->def.substeps : 1);
}

/* ---- fields that change ---- */

enum { WATCH_EVERY = 8, WATCHED = 64 }; /* intervals between two looks at a sleeping body; bodies to a batch */

/* Sleeping bodies whose force is another than the one they fell asleep under, by as much as would make them faster than sleep_speed within sleep_time. */
static void compare_forces(kin_group* g, const kin_step* step, const uint32_t* bodies, uint32_t count)
{
    kin_bodies* b = &g->bodies;
    const double most = g->def.sleep_speed / kin_max(g->def.sleep_time, step->h);
    kin_group_forces(g, step, bodies, count);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t i = bodies[k];
        const kin_vec3 now = b->force[i];
        b->force[i] = b->torque[i] = kin_v(0, 0, 0);
        if (b->asleep_force[i].x == KIN_BODY_NO_LOAD) b->asleep_force[i] = now;
        if (kin_distance(now, b->asleep_force[i]) * b->body[i].inv_mass > most) g->ops->touched(g->solver, i);
    }
}

/* Fields may change with time: an eighth of the sleeping bodies is looked at in every interval. */
static void watch_sleepers(kin_group* g, const kin_step* step)
{
    kin_bodies* b = &g->bodies;
    uint32_t batch[WATCHED], count = 0;
    for (uint32_t i = 0; step->fields->count > 0 && i < b->count; ++i) {
        if (b->motion[i] != KIN_BODY_FREE) continue;
        if (g->ops->is_awake(g->solver, i)) {
            b->asleep_force[i].x = KIN_BODY_NO_LOAD;
        } else if ((i + step->index) % WATCH_EVERY == 0) {
            batch[count++] = i;
            if (count == WATCHED) compare_forces(g, step, batch, count), count = 0;
        }
    }
    if (count > 0) compare_forces(g, step, batch, count);
}

void kin_group_predict(kin_group* g, kin_step* step)
{
    uint32_t count;
    g->h = step->h;
    g->step_time = step->h * step->intervals;
    g->system = step->system;
    g->advanced = false;
    if (g->filtered != (g->filter != NULL)) kin_group_wake_all(g);
    g->filtered = g->filter != NULL;
    memset(g->bodies.lag, 0, g->bodies.count * sizeof *g->bodies.lag);
    watch_sleepers(g, step);
    const uint32_t* movers = movers_of(g, &count);
    kin_group_forces(g, step, movers, count);
}

/* Keyed ones are at the end of their way; what was put on for one step is over with it. */
static void end_interval(kin_group* g, bool last)
{
    kin_bodies* b = &g->bodies;
    uint32_t count;
    const uint32_t* movers = movers_of(g, &count);
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = movers != NULL ? movers[k] : k;
        if (b->motion[i] == KIN_BODY_KEYED) b->body[i].position = b->end[i].position, b->body[i].orientation = b->end[i].orientation;
        if (last) b->push[i] = b->twist[i] = kin_v(0, 0, 0);
    }
}

kin_status kin_group_advance(kin_group* g, kin_step* step)
{
    g->unsound = KIN_NO_BODY;
    kin_status status = g->ops->advance(g->solver, step);
    g->advanced = true;
    end_interval(g, step->interval + 1 >= step->intervals);
    kin_bodies_drop_legs(&g->bodies);
    return status;
}

void kin_group_event(kin_group* g, const kin_touch_event* event)
{
    kin_touch_events* e = g->events;
    if (kin_reserve(&e->allocator, (void**)&e->items, &e->capacity, e->count + 1, sizeof *e->items))
        e->items[e->count++] = *event;
    else
        e->lost = true;
}

kin_body_contact* kin_group_add_contact(kin_group* g)
{
    kin_touch_events* e = g->events;
    if (!kin_reserve(&e->allocator, (void**)&e->contacts, &e->contact_capacity, e->contact_count + 1, sizeof *e->contacts)) {
        e->lost = true;
        return NULL;
    }
    kin_body_contact* c = &e->contacts[e->contact_count++];
    *c = (kin_body_contact){.mode = g->def.mode};
    return c;
}

kin_anchor kin_group_anchor(const kin_group* g, uint32_t body, kin_vec3 point)
{
    kin_anchor a = g->bodies.skin[body].owner;
    a.local = kin_unapply(kin_bodies_form_pose(&g->bodies, body), point);
    return a;
}

void kin_touch_events_clear(kin_touch_events* e, double time)
{
    e->count = e->kept = e->contact_count = 0;
    e->time = time;
    e->lost = false;
}

void kin_touch_events_go_on(kin_touch_events* e, double time)
{
    if (!(time > e->time)) e->count = e->kept;
    e->kept = e->count;
    e->time = time;
}

void kin_touch_events_term(kin_touch_events* e)
{
    kin_free(&e->allocator, e->items, e->capacity * sizeof *e->items);
    kin_free(&e->allocator, e->contacts, e->contact_capacity * sizeof *e->contacts);
}

void kin_group_break_joint(kin_group* g, uint32_t joint, double load)
{
    const kin_joint* j = &g->joints[joint];
    const kin_body* body = body_or_null(g, j->a != KIN_NO_BODY ? j->a : j->b);
    kin_vec3 local = j->a != KIN_NO_BODY ? j->frame_a.position : j->frame_b.position;
    kin_touch_event event = {.kind = KIN_JOINT_BROKE,
                             .a = g->joint_owner[joint],
                             .point = kin_apply(kin_body_pose(body), local),
                             .impulse = load * g->h,
                             .index = g->joint_owner[joint].element};
    kin_group_remove_joint(g, joint);
    kin_group_event(g, &event);
}

/* ---- state ---- */

static void visit_freedom(kin_joint_freedom* f, kin_visitor* v)
{
    uint8_t flags = (uint8_t)(f->limited | f->motor << 1);
    double* const numbers[] = {&f->low, &f->high, &f->speed, &f->most, &f->stiffness, &f->damping, &f->rest, &f->friction};
    kin_visit_u8(v, &flags);
    f->limited = flags & 1, f->motor = flags >> 1 & 1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) kin_visit_f64(v, numbers[i]);
}

static void visit_frame(kin_transform* t, kin_visitor* v)
{
    kin_visit_vec3(v, &t->position);
    kin_visit_quat(v, &t->orientation);
}

/* Into the stored order, as bodies. */
static bool find_joint_place(kin_group* g, uint32_t place, kin_anchor owner)
{
    uint32_t at = place;
    while (at < g->joint_count && (g->joint_owner[at].system != owner.system || g->joint_owner[at].element != owner.element)) ++at;
    if (at == g->joint_count) return false;
    kin_joint joint = g->joints[place];
    kin_anchor was = g->joint_owner[place];
    g->joints[place] = g->joints[at], g->joint_owner[place] = g->joint_owner[at];
    g->joints[at] = joint, g->joint_owner[at] = was;
    return true;
}

static void visit_end(const kin_group* g, uint32_t* body, kin_visitor* v)
{
    kin_visit_u32(v, body);
    if (v->result == KIN_OK && *body >= g->bodies.count && *body != KIN_NO_BODY) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

/* Joints were made alike; they and bodies may be in another order than here, and what has happened since is state. */
static void visit_joint(kin_group* g, uint32_t i, kin_visitor* v)
{
    kin_anchor owner = g->joint_owner[i];
    kin_visit_u32(v, &owner.system);
    kin_visit_u32(v, &owner.element);
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK && !find_joint_place(g, i, owner)) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    if (v->result != KIN_OK) return;
    kin_joint* j = &g->joints[i];
    uint8_t broken = j->broken;
    visit_end(g, &j->a, v);
    visit_end(g, &j->b, v);
    kin_visit_u8s_below(v, &broken, 1, 2);
    j->broken = broken != 0;
    visit_frame(&j->frame_a, v); /* they change when a joint is handed on */
    visit_frame(&j->frame_b, v);
    for (int k = 0; k < 2; ++k) {
        kin_visit_f64(v, &j->turned[k]);
        visit_freedom(&j->def.freedom[k], v);
    }
    kin_visit_vec3(v, &j->def.target);
}

void kin_group_visit(kin_group* g, kin_visitor* v)
{
    kin_bodies_visit(&g->bodies, v);
    if (v->result != KIN_OK) return;
    uint32_t count = g->joint_count;
    uint8_t filtered = g->filtered;
    kin_visit_u8(v, &filtered);
    g->filtered = filtered != 0;
    kin_visit_u32(v, &count);
    if (v->result == KIN_OK && count != g->joint_count) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    for (uint32_t i = 0; i < g->joint_count && v->result == KIN_OK; ++i) visit_joint(g, i, v);
    if (v->result == KIN_OK) g->ops->visit(g->solver, v);
    if (v->mode == KIN_VISIT_LOAD) g->advanced = true;
}

static void visit_anchor(kin_anchor* a, kin_visitor* v) { kin_visit_u32(v, &a->system), kin_visit_u32(v, &a->element), kin_visit_vec3(v, &a->local); }

static void visit_contact(kin_body_contact* c, kin_visitor* v)
{
    uint32_t mode = (uint32_t)c->mode, points = (uint32_t)c->count;
    visit_anchor(&c->a, v), visit_anchor(&c->b, v);
    kin_visit_f64(v, &c->mass), kin_visit_f64(v, &c->impulse);
    kin_visit_vec3(v, &c->normal), kin_visit_vec3(v, &c->center), kin_visit_vec3(v, &c->friction), kin_visit_vec3(v, &c->twist);
    kin_visit_u32s_below(v, &mode, 1, KIN_RIGID_EXACT + 1), kin_visit_u32s_below(v, &points, 1, KIN_MANIFOLD_POINTS + 1);
    if (v->result != KIN_OK) return;
    c->mode = (kin_rigid_mode)mode, c->count = (int)points;
    for (int k = 0; k < c->count; ++k) {
        kin_contact_point* p = &c->points[k];
        kin_visit_vec3(v, &p->position), kin_visit_f64(v, &p->separation), kin_visit_f64(v, &p->impulse);
    }
}

void kin_body_contacts_visit(kin_touch_events* e, kin_visitor* v)
{
    const size_t count = kin_visit_count(v, e->contact_count);
    if (v->mode == KIN_VISIT_LOAD) {
        e->contact_count = 0;
        if (!kin_reserve(&e->allocator, (void**)&e->contacts, &e->contact_capacity, count, sizeof *e->contacts)) kin_visit_fail(v, KIN_ERROR_MEMORY);
        for (size_t i = 0; i < count && v->result == KIN_OK; ++i) e->contacts[i] = (kin_body_contact){.count = 0};
    }
    for (size_t i = 0; i < count && v->result == KIN_OK; ++i) visit_contact(&e->contacts[i], v);
    if (v->result == KIN_OK) e->contact_count = count;
}

/* ---- the verbs of anchors ---- */

/* Of the body's frame. Before the solver has had its say: where forces alone take it. */
static kin_transform pose_at(const kin_group* g, uint32_t i, double s)
{
    const kin_body* b = &g->bodies.body[i];
    if (g->advanced || g->bodies.motion[i] != KIN_BODY_FREE) {
        kin_screw path = kin_screw_between(g->bodies.start[i], g->bodies.end[i]);
        return kin_screw_at(&path, s);
    }
    double t = s * g->h;
    kin_vec3 mean = kin_add_scaled(b->velocity, 0.5 * t * b->inv_mass, g->bodies.force[i]);
    return (kin_transform){kin_add_scaled(b->position, t, mean), kin_quat_integrate(b->orientation, b->spin, t)};
}

kin_motion kin_group_motion(const kin_group* g, uint32_t i, kin_vec3 local, double s)
{
    const kin_body* b = &g->bodies.body[i];
    kin_transform pose = pose_at(g, i, s), form = kin_transform_mul(pose, g->bodies.skin[i].place);
    kin_vec3 point = kin_apply(form, local);
    double t = g->advanced || g->bodies.motion[i] != KIN_BODY_FREE ? 0 : s * g->h;
    kin_twist moves = kin_bodies_motion(&g->bodies, i);
    kin_vec3 velocity = kin_add_scaled(moves.velocity, t * b->inv_mass, g->bodies.force[i]);
    return (kin_motion){{point, form.orientation}, kin_add(velocity, kin_cross(moves.spin, kin_sub(point, pose.position))), moves.spin};
}

static kin_vec3 place_of(const kin_group* g, uint32_t i, kin_vec3 local) { return kin_apply(kin_bodies_form_pose(&g->bodies, i), local); }

kin_twist kin_group_respond(const kin_group* g, uint32_t i, kin_vec3 local, kin_wrench impulse)
{
    kin_body b = g->bodies.body[i];
    kin_vec3 point = place_of(g, i, local);
    if (g->bodies.motion[i] != KIN_BODY_FREE) return (kin_twist){0};
    b.velocity = b.spin = kin_v(0, 0, 0);
    kin_body_push(&b, point, impulse.impulse, impulse.angular);
    return (kin_twist){kin_body_velocity_at(&b, point), b.spin};
}

void kin_group_push(kin_group* g, uint32_t i, kin_vec3 local, kin_wrench impulse)
{
    if (g->bodies.motion[i] != KIN_BODY_FREE) return;
    kin_body_push(&g->bodies.body[i], place_of(g, i, local), impulse.impulse, impulse.angular);
    g->ops->touched(g->solver, i);
}
