/* rigid.c - a system of rigid bodies: its birth, stages, anchors, measures and state. The table at the end is the table of contents.
 *
 * The contact group moves the bodies (contact/group.h), for all systems of one mode together. What is left for the system: predict puts animated bodies on
 * their way; commit, after the group, sees who left the world and who was left no room; transfer breaks what was hit too hard. */
#include "domains/rigid/rigid.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "math/aabb.h"
#include "system/shape_params.h"
#include <stdio.h>
#include <string.h>

/* ---- birth ---- */

/* What the joint's maker says of a member, as a scene says it: freedom[0].low of a hinge is hinge.limits. */
static kin_result name_joint_by_keys(kin_result result, kin_joint_kind kind, kin_error* error)
{
    static const char* const freedoms[KIN_JOINT_KIND_COUNT][2] = {[KIN_JOINT_BALL] = {"swing.", "twist."},
                                                                  [KIN_JOINT_UNIVERSAL] = {"first.", "second."},
                                                                  [KIN_JOINT_CYLINDRICAL] = {"slide.", "turn."},
                                                                  [KIN_JOINT_WHEEL] = {"slide.", "turn."}};
    static const char* const members[][2] = {{"low", "limits"},
                                             {"high", "limits"},
                                             {"speed", "motor.speed"},
                                             {"speeds", "motor.speed"},
                                             {"most", "motor.most"},
                                             {"stiffness", "spring.stiffness"},
                                             {"damping", "spring.damping"},
                                             {"rest", "spring.rest"}};
    if (result == KIN_OK || error == NULL || (unsigned)kind >= KIN_JOINT_KIND_COUNT) return result;
    const kin_param* row = kin_params_find(kin_joint_params, error->where);
    if (row != NULL || error->where[0] == 0) return result; /* it stands beside the kind */
    char where[sizeof error->where] = "";
    const char* member = error->where;
    kin_text_append(where, sizeof where, "%s.", kin_joint_params[kind].name);
    if (strncmp(member, "freedom[", 8) == 0) {
        const char* prefix = freedoms[kind][member[8] == '1'];
        member += strlen("freedom[0]") + (member[10] == '.');
        kin_text_append(where, sizeof where, "%s", prefix != NULL ? prefix : "");
        for (size_t i = 0; kind != KIN_JOINT_MOUSE && i < sizeof members / sizeof *members; ++i) {
            if (strcmp(member, members[i][0]) == 0) member = members[i][1];
        }
    }
    kin_text_append(where, sizeof where, "%s", member);
    snprintf(error->where, sizeof error->where, "%s", where);
    return result;
}

static kin_result add_bodies(kin_rigid* r, const kin_rigid_def* def, kin_error* error)
{
    kin_result room = kin_group_expect(r->group, def->bodies.count, error);
    if (room != KIN_OK) return room;
    for (size_t i = 0; i < def->bodies.count; ++i) {
        char path[32];
        uint32_t number;
        const kin_body_def* body = &def->bodies.data[i];
        kin_result result = kin_shape_name_by_keys(kin_rigid_make_body(r, body, &number, error), &body->shape, error);
        snprintf(path, sizeof path, "bodies[%zu]", i);
        if (result != KIN_OK) return kin_within(result, path, error);
    }
    return KIN_OK;
}

/* After all bodies, so that those of the def have the numbers they stand at. */
static kin_result cut_bodies(kin_rigid* r, const kin_rigid_def* def, kin_error* error)
{
    for (uint32_t i = 0; i < def->bodies.count; ++i) {
        char path[48];
        if (def->bodies.data[i].fracture.pieces == 0) continue;
        snprintf(path, sizeof path, "bodies[%u].fracture", i);
        kin_result result = kin_rigid_cut(r, i, &def->bodies.data[i].fracture, error);
        if (result != KIN_OK) return kin_within(result, path, error);
    }
    return KIN_OK;
}

static kin_result add_joints(kin_rigid* r, const kin_rigid_def* def, kin_error* error)
{
    for (size_t i = 0; i < def->joints.count; ++i) {
        char path[32];
        uint32_t number;
        const kin_joint_def* joint = &def->joints.data[i];
        kin_result result = name_joint_by_keys(kin_rigid_make_joint(r, joint, &number, error), joint->kind, error);
        snprintf(path, sizeof path, "joints[%zu]", i);
        if (result != KIN_OK) return kin_within(result, path, error);
    }
    return KIN_OK;
}

/* All systems of a mode have one solver. A later one may leave its settings alone or repeat those of the first. */
static kin_result check_settings(const kin_rigid_def* def, const kin_rigid_def* of_group, kin_error* error)
{
    const kin_rigid_def plain = kin_rigid_def_default();
    for (const kin_param* p = kin_rigid_params; p->name != NULL; ++p) {
        size_t size = p->type == KIN_PARAM_LIST || strncmp(p->name, "show_", 5) == 0 ? 0 : kin_param_size(p->type);
        const char* mine = (const char*)def + p->offset;
        if (memcmp(mine, (const char*)&plain + p->offset, size) == 0 || memcmp(mine, (const char*)of_group + p->offset, size) == 0) continue;
        return kin_fail(error, KIN_ERROR_ARGUMENT, p->name, "all rigid systems of a mode share one solver: an earlier one has another value");
    }
    return KIN_OK;
}

/* The system that has no earlier one of its mode. */
static bool is_first_of(const kin_group* group)
{
    for (uint32_t i = 0; i < group->bodies.count; ++i) {
        if (group->bodies.skin[i].owner.system != KIN_WORLD_SYSTEM) return false;
    }
    return true;
}

static kin_result join_group(kin_rigid* r, const kin_birth* birth, const kin_rigid_def* def, kin_error* error)
{
    r->def = *def;
    r->def.name = NULL;
    r->def.bodies.data = NULL, r->def.bodies.count = 0;
    r->def.joints.data = NULL, r->def.joints.count = 0;
    r->def.like = NULL;
    if (r->def.bounce_speed < 0) r->def.bounce_speed = def->mode == KIN_RIGID_REALTIME ? 1 : 1e-3;
    kin_result result = birth->group(birth->world, &r->def, &r->group, error);
    if (result != KIN_OK) return result;
    r->def.like = r;
    r->leads = is_first_of(r->group);
    if (r->leads)
        r->group->def = r->def;
    else
        result = check_settings(&r->def, &r->group->def, error);
    return result;
}

static void rigid_destroy(void* self)
{
    kin_rigid* r = self;
    kin_allocator allocator = r->allocator;
    kin_rigid_drop_parts(r);
    kin_arena_term(&r->arena);
    kin_free(&allocator, r, sizeof *r);
}

static kin_result rigid_create(const kin_birth* birth, const void* given, void** self, kin_error* error)
{
    const kin_rigid_def* def = given;
    kin_rigid_def settings = *def;
    settings.bodies.count = settings.joints.count = 0; /* checked one by one */
    kin_result result = kin_params_check(kin_rigid_params, &settings, "", error);
    if (result != KIN_OK) return result;
    kin_rigid* r = kin_alloc_zero(&birth->allocator, sizeof *r);
    if (r == NULL) return kin_fail_memory(error, "rigid bodies", sizeof *r);
    r->allocator = birth->allocator;
    r->system = birth->system;
    r->materials = birth->materials;
    kin_arena_init(&r->arena, &r->allocator);
    result = join_group(r, birth, def, error);
    if (result == KIN_OK && def->like != NULL) result = kin_rigid_copy_parts(r, def->like, error);
    if (result == KIN_OK) result = add_bodies(r, def, error);
    if (result == KIN_OK) result = cut_bodies(r, def, error);
    if (result == KIN_OK) result = add_joints(r, def, error);
    if (result == KIN_OK)
        *self = r;
    else
        rigid_destroy(r);
    return result;
}

static size_t rigid_bytes(const void* given)
{
    const kin_rigid_def* def = given;
    size_t body = sizeof(kin_rigid_member) + sizeof(kin_body) + sizeof(kin_body_skin) + 1024, joint = sizeof(kin_joint) + 256; /* with the solver's part */
    size_t bodies = kin_bytes(def->bodies.count, body), joints = kin_bytes(def->joints.count, joint);
    return bodies > SIZE_MAX - joints ? SIZE_MAX : bodies + joints;
}

static void* rigid_def(void* self) { return &((kin_rigid*)self)->def; }

static void rigid_changed(void* self, const kin_param* param)
{
    kin_rigid* r = self;
    (void)param;
    if (r->def.bounce_speed < 0) r->def.bounce_speed = r->def.mode == KIN_RIGID_REALTIME ? 1 : 1e-3;
    if (!r->leads) return;
    r->group->def = r->def;
    if (!r->def.sleep) kin_group_wake_all(r->group);
}

static size_t rigid_count(const void* self) { return ((const kin_rigid*)self)->count; }
static bool rigid_has(const void* self, uint32_t element) { return kin_rigid_has(self, element); }

/* ---- stages ---- */

static kin_status rigid_predict(void* self, kin_step* step)
{
    kin_rigid* r = self;
    for (size_t i = 0; step->interval == 0 && r->has_moved && i < r->count; ++i) r->bodies[i].moved = false;
    if (step->interval == 0) r->has_moved = false;
    if (!kin_rigid_drive(r, step)) return kin_step_refuse(step, 0, 0, "no memory for the paths of animated bodies");
    kin_rigid_run_motors(r, step);
    return KIN_STATUS_OK;
}

static bool moves_in_interval(const kin_rigid* r, uint32_t number)
{
    const kin_transform *a = &r->group->bodies.start[r->bodies[number].index], *b = &r->group->bodies.end[r->bodies[number].index];
    kin_quat turn = kin_quat_sub(a->orientation, b->orientation);
    return kin_length2(kin_sub(a->position, b->position)) != 0 || kin_quat_dot(turn, turn) != 0;
}

/* Bounds that bounce are colliders; else who leaves is out of the game for good (C1.4.1c). */
static void watch_bounds(kin_rigid* r, const kin_step* step)
{
    if (step->bounds != KIN_BOUNDS_DEACTIVATE) return;
    for (uint32_t i = 0; i < r->count; ++i) {
        bool outside = r->bodies[i].mobility == KIN_MOBILITY_DYNAMIC && !kin_aabb_contains(step->box, kin_rigid_body_of(r, i)->position);
        if (outside) kin_rigid_set_mobility(r, i, KIN_MOBILITY_INACTIVE);
    }
}

static kin_status rigid_commit(void* self, kin_step* step)
{
    kin_rigid* r = self;
    bool last = step->interval + 1 == step->intervals;
    for (uint32_t i = 0; !last && i < r->count; ++i) {
        if (moves_in_interval(r, i)) r->bodies[i].moved = r->has_moved = true;
    }
    if (last) kin_rigid_look_for_blocked(r, step);
    watch_bounds(r, step);
    return KIN_STATUS_OK;
}

static bool rigid_has_transfers(const void* self) { return ((const kin_rigid*)self)->fracture_count > 0; }

static void rigid_transfer(void* self, kin_step* step)
{
    (void)step;
    kin_rigid_break_hit(self);
}

/* ---- anchors: local to the shape's frame ---- */

static void rigid_motion(const void* self, const kin_anchor* a, int n, double s, kin_motion* out)
{
    const kin_rigid* r = self;
    for (int i = 0; i < n; ++i) {
        KIN_ASSERT(a[i].element < r->count);
        out[i] = kin_group_motion(r->group, r->bodies[a[i].element].index, a[i].local, s);
    }
}

static void rigid_respond(const void* self, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv)
{
    const kin_rigid* r = self;
    for (int i = 0; i < n; ++i) dv[i] = kin_group_respond(r->group, r->bodies[a[i].element].index, a[i].local, impulse[i]);
}

static void rigid_push(void* self, const kin_anchor* a, const kin_wrench* impulse, int n)
{
    kin_rigid* r = self;
    for (int i = 0; i < n; ++i) kin_group_push(r->group, r->bodies[a[i].element].index, a[i].local, impulse[i]);
}

static void rigid_await(void* self, const kin_step* step, const kin_anchor* a, int n)
{
    kin_rigid* r = self;
    for (int i = 0; i < n; ++i) kin_bodies_await(&r->group->bodies, r->bodies[a[i].element].index, step->h);
}

static bool rigid_place(void* self, uint32_t element, kin_vec3 position, kin_vec3 velocity)
{
    kin_rigid* r = self;
    if (!kin_rigid_has(r, element)) return false;
    kin_transform pose = {position, kin_rigid_pose(r, element).orientation};
    kin_rigid_put(r, element, pose, velocity, kin_rigid_body_of(r, element)->spin);
    return true;
}

static bool rigid_set_mobility(void* self, uint32_t element, kin_mobility mobility)
{
    return kin_rigid_has(self, element) && kin_rigid_set_mobility(self, element, mobility);
}

/* ---- being seen ---- */

typedef struct sums {
    double kinetic, potential, mass, count, awake;
    kin_vec3 momentum, angular;
} sums;

static void add_body(const kin_rigid* r, uint32_t number, const kin_step* step, sums* s)
{
    const kin_rigid_member* body = &r->bodies[number];
    if (body->mobility == KIN_MOBILITY_INACTIVE) return;
    s->count += 1;
    if (body->mobility != KIN_MOBILITY_DYNAMIC) return;
    const kin_body* b = kin_rigid_body_of(r, number);
    kin_vec3 p = kin_scale(b->velocity, b->mass);
    kin_body moved = *b; /* energies go by how it moves, momentum by what it has: the rest of that is on its way (kin_ledger_carried) */
    const kin_twist motion = kin_bodies_motion(&r->group->bodies, body->index);
    moved.velocity = motion.velocity, moved.spin = motion.spin;
    s->kinetic += kin_body_kinetic(&moved);
    s->potential += kin_bodies_potential(&r->group->bodies, body->index, step->fields, step->time);
    s->mass += b->mass;
    s->awake += r->group->ops->is_awake(r->group->solver, body->index);
    s->momentum = kin_add(s->momentum, p);
    s->angular = kin_add(s->angular, kin_add(kin_cross(b->position, p), kin_body_angular_momentum(b)));
}

/* The worst of the rows that should hold, m and rad. */
static void joint_errors(const kin_rigid* r, double* linear, double* angular, double* whole)
{
    *linear = *angular = *whole = 0;
    for (size_t i = 0; i < r->joint_count; ++i) {
        const kin_joint* j = &r->group->joints[r->joints[i]];
        kin_joint_row rows[KIN_JOINT_ROWS];
        if (j->broken) continue;
        const kin_body* a = j->a != KIN_NO_BODY ? &r->group->bodies.body[j->a] : NULL;
        const kin_body* b = j->b != KIN_NO_BODY ? &r->group->bodies.body[j->b] : NULL;
        int count = kin_joint_rows(j, a, b, 0, rows);
        for (int k = 0; k < count; ++k) {
            double* worst = rows[k].angular ? angular : linear;
            if (rows[k].kind == KIN_ROW_HOLD) *worst = kin_max(*worst, kin_abs(rows[k].error));
        }
        *whole += 1;
    }
}

static void rigid_measure(const void* self, const kin_step* step, kin_budget* sum)
{
    const kin_rigid* r = self;
    sums s = {0};
    double linear, angular, joints;
    for (uint32_t i = 0; i < r->count; ++i) add_body(r, i, step, &s);
    joint_errors(r, &linear, &angular, &joints);
    kin_budget_add(sum, "kinetic_energy", "J", s.kinetic);
    kin_budget_add(sum, "potential_energy", "J", s.potential);
    kin_budget_add(sum, "momentum_x", "kg m/s", s.momentum.x);
    kin_budget_add(sum, "momentum_y", "kg m/s", s.momentum.y);
    kin_budget_add(sum, "momentum_z", "kg m/s", s.momentum.z);
    kin_budget_add(sum, "angular_momentum_x", "kg m^2/s", s.angular.x);
    kin_budget_add(sum, "angular_momentum_y", "kg m^2/s", s.angular.y);
    kin_budget_add(sum, "angular_momentum_z", "kg m^2/s", s.angular.z);
    kin_budget_add(sum, "mass", "kg", s.mass);
    kin_budget_add(sum, "count", "", s.count);
    kin_budget_add(sum, "awake", "", s.awake);
    kin_budget_add(sum, "joints", "", joints);
    kin_budget_add(sum, "joint_error", "m", linear);
    kin_budget_add(sum, "joint_turn_error", "rad", angular);
    if (r->leads) r->group->ops->measure(r->group->solver, sum);
}

static void rigid_moved(const void* self, uint32_t system, kin_moved_list* out)
{
    const kin_rigid* r = self;
    for (uint32_t i = 0; i < r->count; ++i) {
        bool active = r->bodies[i].mobility != KIN_MOBILITY_INACTIVE;
        if (active && (r->bodies[i].moved || moves_in_interval(r, i))) kin_moved_add(out, system, i, kin_rigid_pose(r, i));
    }
}

/* ---- state ---- */

/* The group was visited before, and may have put its bodies and joints into another order. */
static void find_parts(kin_rigid* r)
{
    for (uint32_t i = 0; i < r->group->joint_count; ++i) {
        kin_anchor owner = r->group->joint_owner[i];
        if (owner.system == r->system && owner.element < r->joint_count) r->joints[owner.element] = i;
    }
    const kin_bodies* all = &r->group->bodies;
    for (uint32_t i = 0; i < all->count; ++i) {
        kin_anchor owner = all->skin[i].owner;
        if (owner.system == r->system && owner.element < r->count && all->skin[i].form != NULL) r->bodies[owner.element].index = i;
    }
}

static void rigid_visit(void* self, kin_visitor* v)
{
    kin_rigid* r = self;
    size_t count = kin_visit_count(v, r->count), joints = kin_visit_count(v, r->joint_count);
    if (v->result == KIN_OK && (count != r->count || joints != r->joint_count)) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    if (v->result != KIN_OK) return;
    kin_params_visit(kin_rigid_params, &r->def, v);
    kin_visit_f64(v, &r->time);
    for (size_t i = 0; i < count; ++i) {
        uint8_t removed = r->bodies[i].removed;
        kin_visit_u8(v, &r->bodies[i].mobility);
        kin_visit_u8(v, &removed);
        r->bodies[i].removed = removed != 0;
        if (r->bodies[i].mobility > KIN_MOBILITY_ANIMATED) kin_visit_fail(v, KIN_ERROR_FORMAT);
    }
    if (v->mode != KIN_VISIT_LOAD) return;
    find_parts(r);
    kin_rigid_count_animated(r);
    if (r->leads) r->group->def = r->def;
}

const kin_system_ops kin_rigid_ops = {
    .name = "rigid",
    .doc = "Rigid bodies and the joints between them, in real time or exactly.",
    .params = kin_rigid_params,
    .def_size = sizeof(kin_rigid_def),
    .offers = KIN_OFFERS_SURFACE | KIN_OFFERS_MEMBERS,
    .rank = 0,
    .bytes = rigid_bytes,
    .create = rigid_create,
    .destroy = rigid_destroy,
    .count = rigid_count,
    .has = rigid_has,
    .def = rigid_def,
    .changed = rigid_changed,
    .has_transfers = rigid_has_transfers,
    .transfer = rigid_transfer,
    .predict = rigid_predict,
    .commit = rigid_commit,
    .motion = rigid_motion,
    .respond = rigid_respond,
    .push = rigid_push,
    .await = rigid_await,
    .place = rigid_place,
    .set_mobility = rigid_set_mobility,
    .measure = rigid_measure,
    .moved = rigid_moved,
    .capture = kin_rigid_capture,
    .visit = rigid_visit,
};
