/* api.c - the public face of kinema/rigid.h: between steps, by id and number. */
#include "base/error.h"
#include "domains/rigid/rigid.h"

static kin_rigid* rigid_of(const kin_world* world, kin_system_id id) { return kin_world_system_self(world, id, &kin_rigid_ops); }

static kin_rigid* with_body(const kin_world* world, kin_system_id id, uint32_t body)
{
    kin_rigid* r = rigid_of(world, id);
    KIN_ASSERT(kin_rigid_has(r, body));
    return r;
}

kin_result kin_rigid_create(kin_world* world, const kin_rigid_def* def, kin_system_id* out, kin_error* error)
{
    return kin_world_add_system(world, &kin_rigid_ops, def->name, def, out, error);
}

/* ---- contacts ---- */

/* Of one contact, on a (sign 1) or b (-1), about a point. */
static void add_load(const kin_body_contact* c, double sign, kin_vec3 about, kin_vec3* force, kin_vec3* torque)
{
    kin_vec3 sum = c->friction, twist = kin_add(c->twist, kin_cross(kin_sub(c->center, about), c->friction));
    for (int k = 0; k < c->count; ++k) {
        const kin_vec3 p = kin_scale(c->normal, c->points[k].impulse);
        sum = kin_add(sum, p);
        twist = kin_add(twist, kin_cross(kin_sub(c->points[k].position, about), p));
    }
    *force = kin_add_scaled(*force, sign, sum);
    *torque = kin_add_scaled(*torque, sign, twist);
}

bool kin_rigid_contact_load(const kin_world* world, kin_system_id id, uint32_t body, kin_vec3* force, kin_vec3* torque)
{
    const kin_rigid* r = with_body(world, id, body);
    const kin_vec3 about = kin_rigid_body_of(r, body)->position;
    size_t count;
    const kin_body_contact* all = kin_world_contacts(world, &count);
    *force = *torque = kin_v(0, 0, 0);
    if (!kin_group_reports(r->group)) return false;
    for (size_t i = 0; i < count; ++i) {
        if (all[i].a.system == id.index1 && all[i].a.element == body) add_load(&all[i], 1, about, force, torque);
        if (all[i].b.system == id.index1 && all[i].b.element == body) add_load(&all[i], -1, about, force, torque);
    }
    const double rate = r->group->step_time > 0 ? 1 / r->group->step_time : 0;
    *force = kin_scale(*force, rate), *torque = kin_scale(*torque, rate);
    return true;
}

/* ---- bodies ---- */

kin_result kin_rigid_add_body(kin_world* world, kin_system_id id, const kin_body_def* def, uint32_t* body, kin_error* error)
{
    kin_rigid* r = rigid_of(world, id);
    uint32_t number;
    if (body == NULL) body = &number;
    *body = UINT32_MAX;
    kin_result result = kin_rigid_make_body(r, def, body, error);
    if (result != KIN_OK || def->fracture.pieces == 0) return result;
    result = kin_within(kin_rigid_cut(r, *body, &def->fracture, error), "fracture", error);
    if (result != KIN_OK) kin_rigid_retire(r, *body);
    return result;
}

void kin_rigid_remove_body(kin_world* world, kin_system_id id, uint32_t body) { kin_rigid_retire(with_body(world, id, body), body); }

kin_result kin_rigid_fracture(kin_world* world, kin_system_id id, uint32_t body, const kin_fracture_def* def, kin_error* error)
{
    return kin_rigid_cut(with_body(world, id, body), body, def, error);
}

uint32_t kin_rigid_count(const kin_world* world, kin_system_id id) { return (uint32_t)rigid_of(world, id)->count; }
uint32_t kin_rigid_body(const kin_world* world, kin_system_id id, const char* name) { return kin_rigid_named(rigid_of(world, id), name); }

kin_body_state kin_rigid_state(const kin_world* world, kin_system_id id, uint32_t body)
{
    const kin_rigid* r = with_body(world, id, body);
    const kin_body* b = kin_rigid_body_of(r, body);
    const kin_twist motion = kin_bodies_motion(&r->group->bodies, r->bodies[body].index);
    kin_mobility mobility = (kin_mobility)r->bodies[body].mobility;
    bool dynamic = mobility == KIN_MOBILITY_DYNAMIC;
    return (kin_body_state){.pose = kin_rigid_pose(r, body),
                            .velocity = motion.velocity,
                            .spin = motion.spin,
                            .center = b->position,
                            .mass = dynamic ? b->mass : 0,
                            .moments = b->moments,
                            .awake = dynamic && r->group->ops->is_awake(r->group->solver, r->bodies[body].index),
                            .mobility = mobility};
}

void kin_rigid_place(kin_world* world, kin_system_id id, uint32_t body, kin_transform pose, kin_vec3 velocity, kin_vec3 spin)
{
    KIN_ASSERT(kin_finite3(pose.position) && kin_finite3(velocity) && kin_finite3(spin));
    pose.orientation = kin_quat_normalize(pose.orientation);
    kin_rigid_put(with_body(world, id, body), body, pose, velocity, spin);
}

void kin_rigid_apply(kin_world* world, kin_system_id id, uint32_t body, kin_vec3 force, kin_vec3 point, kin_vec3 torque)
{
    kin_rigid* r = with_body(world, id, body);
    uint32_t index = r->bodies[body].index;
    kin_bodies* all = &r->group->bodies;
    KIN_ASSERT(kin_finite3(force) && kin_finite3(point) && kin_finite3(torque));
    if (all->motion[index] != KIN_BODY_FREE) return;
    kin_vec3 arm = kin_sub(point, all->body[index].position);
    all->push[index] = kin_add(all->push[index], force);
    all->twist[index] = kin_add(all->twist[index], kin_add(torque, kin_cross(arm, force)));
    r->group->ops->touched(r->group->solver, index);
}

void kin_rigid_wake(kin_world* world, kin_system_id id, uint32_t body, bool awake)
{
    kin_rigid* r = with_body(world, id, body);
    void (*change)(void*, uint32_t) = awake ? r->group->ops->touched : r->group->ops->sleep;
    change(r->group->solver, r->bodies[body].index);
}

/* ---- joints ---- */

static kin_joint* joint_of(const kin_rigid* r, uint32_t joint)
{
    KIN_ASSERT(joint < r->joint_count);
    return &r->group->joints[r->joints[joint]];
}

static const kin_body* side(const kin_rigid* r, uint32_t index) { return index != KIN_NO_BODY ? &r->group->bodies.body[index] : NULL; }

kin_result kin_rigid_add_joint(kin_world* world, kin_system_id id, const kin_joint_def* def, uint32_t* joint, kin_error* error)
{
    uint32_t number;
    if (joint == NULL) joint = &number;
    *joint = UINT32_MAX;
    return kin_rigid_make_joint(rigid_of(world, id), def, joint, error);
}

void kin_rigid_remove_joint(kin_world* world, kin_system_id id, uint32_t joint)
{
    kin_rigid* r = rigid_of(world, id);
    KIN_ASSERT(joint < r->joint_count);
    kin_group_remove_joint(r->group, r->joints[joint]);
}

double kin_joint_value(const kin_world* world, kin_system_id id, uint32_t joint, int freedom)
{
    const kin_rigid* r = rigid_of(world, id);
    const kin_joint* j = joint_of(r, joint);
    KIN_ASSERT(freedom == 0 || freedom == 1);
    return kin_joint_position(j, side(r, j->a), side(r, j->b), freedom);
}

bool kin_joint_load(const kin_world* world, kin_system_id id, uint32_t joint, kin_vec3* force, kin_vec3* torque)
{
    const kin_rigid* r = rigid_of(world, id);
    *force = *torque = kin_v(0, 0, 0);
    if (joint_of(r, joint)->broken) return false;
    r->group->ops->joint_load(r->group->solver, r->joints[joint], force, torque);
    return true;
}

void kin_rigid_joint_changed(kin_rigid* r, const kin_joint* j)
{
    if (j->a != KIN_NO_BODY) r->group->ops->touched(r->group->solver, j->a);
    if (j->b != KIN_NO_BODY) r->group->ops->touched(r->group->solver, j->b);
}

kin_result kin_joint_set(kin_world* world, kin_system_id id, uint32_t joint, const kin_joint_freedom freedom[2], kin_vec3 target, kin_error* error)
{
    kin_rigid* r = rigid_of(world, id);
    kin_joint* j = joint_of(r, joint);
    if (!kin_finite3(target)) return kin_fail(error, KIN_ERROR_ARGUMENT, "target", "must be finite (m)");
    kin_result result = kin_joint_check_freedoms(j->kind, freedom, error);
    if (result != KIN_OK) return result;
    for (int i = 0; i < 2; ++i) {
        const bool follows = kin_rigid_has_motor(r, joint, i);
        if (freedom[i].speeds.count > 0 || (follows && freedom[i].speed != j->def.freedom[i].speed))
            return kin_fail(error, KIN_ERROR_ARGUMENT, i == 0 ? "freedom[0].speed" : "freedom[1].speed",
                            follows ? "the motor follows the curve that it was made with" : "a curve is given when the joint is made: speeds must be empty");
    }
    for (int i = 0; i < 2; ++i) j->def.freedom[i] = freedom[i];
    j->def.target = target;
    if (!j->broken) kin_rigid_joint_changed(r, j);
    return KIN_OK;
}
