/* body.c - bodies and joints entering a system: checked, weighed, put into the contact group. */
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/skin.h"
#include "domains/rigid/rigid.h"
#include <stdio.h>
#include <string.h>

/* ---- checks ---- */

/* Keys mean that it follows them, unless something else was said. */
static bool is_keyed(const kin_body_def* def) { return def->mobility == KIN_MOBILITY_DYNAMIC && (def->key_count > 0 || kin_path_is_given(&def->path)); }

/* The rows say what numbers may be; of shapes their maker does, for those of C leave out what those of scenes have. */
static kin_result check_rows(const kin_body_def* def, kin_error* error)
{
    kin_body_def rest = *def;
    rest.shape = rest.visible = (kin_shape){.radius = 1, .scale = {1, 1, 1}, .turn = {0, 0, 0, 1}};
    return kin_params_check(kin_body_params, &rest, "", error);
}

static kin_result check_body(const kin_rigid* r, const kin_body_def* def, kin_error* error)
{
    kin_result result = check_rows(def, error);
    if (result == KIN_OK) result = kin_keys_check(def->keys, def->key_count, error);
    if (result == KIN_OK && def->form == NULL) result = kin_materials_check_shape(r->materials, def->material, &def->shape, error);
    if (result == KIN_OK && def->material.index1 >= r->materials->count) result = kin_fail(error, KIN_ERROR_ARGUMENT, "material", "no such material");
    if (result != KIN_OK) return result;
    if (def->key_count > 0 && def->mobility == KIN_MOBILITY_STATIC) return kin_fail(error, KIN_ERROR_ARGUMENT, "keys", "a static body has none");
    if (kin_path_is_given(&def->path) && def->mobility == KIN_MOBILITY_STATIC) return kin_fail(error, KIN_ERROR_ARGUMENT, "path", "a static body has none");
    if (def->name != NULL && kin_rigid_named(r, def->name) != UINT32_MAX)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "name", "an earlier body is called \"%.80s\" too", def->name);
    return KIN_OK;
}

uint32_t kin_rigid_named(const kin_rigid* r, const char* name)
{
    for (uint32_t i = 0; i < r->count; ++i) {
        if (r->bodies[i].name != NULL && !r->bodies[i].removed && strcmp(r->bodies[i].name, name) == 0) return i;
    }
    return UINT32_MAX;
}

/* A copy that lives as long as the system; false: out of memory. */
static bool keep_name(kin_rigid* r, const char* name, const char** out)
{
    *out = NULL;
    if (name == NULL) return true;
    size_t size = strlen(name) + 1;
    char* copy = kin_arena_take(&r->arena, size);
    if (copy != NULL) *out = memcpy(copy, name, size);
    return copy != NULL;
}

/* ---- forms ---- */

static bool same3(kin_vec3 a, kin_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Kinds that are all numbers; others are shared by their form alone. */
static bool is_plain(const kin_shape* s)
{
    return s->kind == KIN_SHAPE_SPHERE || s->kind == KIN_SHAPE_BOX || s->kind == KIN_SHAPE_CAPSULE || s->kind == KIN_SHAPE_CYLINDER || s->kind == KIN_SHAPE_CONE
           || s->kind == KIN_SHAPE_ELLIPSOID;
}

static bool same_shape(const kin_shape* a, const kin_shape* b)
{
    return a->kind == b->kind && a->radius == b->radius && a->length == b->length && same3(a->size, b->size) && same3(a->semi_axes, b->semi_axes)
           && same3(a->scale, b->scale) && same3(a->offset, b->offset) && a->turn.x == b->turn.x && a->turn.y == b->turn.y && a->turn.z == b->turn.z
           && a->turn.w == b->turn.w && a->material.index1 == b->material.index1;
}

/* Takes the form over, also on failure. */
static kin_result list_form(kin_rigid* r, kin_form* form, const kin_shape* shape, uint32_t* index, kin_error* error)
{
    if (!kin_reserve(&r->allocator, (void**)&r->forms, &r->form_capacity, r->form_count + 1, sizeof *r->forms)) {
        kin_form_drop(form);
        return kin_fail_memory(error, "a shape", sizeof *r->forms);
    }
    r->forms[r->form_count] = (kin_rigid_form){form, {.kind = KIN_SHAPE_COMPOUND}, kin_rigid_thickness(form)};
    if (shape != NULL && is_plain(shape)) r->forms[r->form_count].shape = *shape;
    *index = (uint32_t)r->form_count++;
    return KIN_OK;
}

static kin_result find_form(kin_rigid* r, const kin_form* given, const kin_shape* shape, uint32_t* index, kin_error* error)
{
    for (size_t i = r->form_count; i-- > 0;) { /* the last ones are the likeliest */
        bool same = given != NULL ? r->forms[i].form == given : is_plain(shape) && same_shape(&r->forms[i].shape, shape);
        if (!same) continue;
        *index = (uint32_t)i;
        return KIN_OK;
    }
    if (given != NULL) return list_form(r, kin_form_keep((kin_form*)given), NULL, index, error); /* owners are counted in what is otherwise constant */
    kin_form* form;
    kin_result result = kin_form_create(&r->allocator, shape, &form, error);
    return result == KIN_OK ? list_form(r, form, shape, index, error) : result;
}

/* ---- the body ---- */

/* Of a convex body a quarter of its surface (Cauchy); of others, of their box. */
static double mean_shadow(const kin_allocator* allocator, const kin_form* form)
{
    kin_skin skin;
    kin_vec3 s = kin_sub(form->bounds.high, form->bounds.low);
    double area = 2 * (s.x * s.y + s.y * s.z + s.z * s.x);
    if (form->is_convex && kin_skin_init(allocator, form, &skin)) {
        area = 0;
        for (size_t i = 0; i < skin.triangle_count; ++i) {
            const uint32_t* t = skin.triangles[i];
            area += 0.5 * kin_length(kin_cross(kin_sub(skin.positions[t[1]], skin.positions[t[0]]), kin_sub(skin.positions[t[2]], skin.positions[t[0]])));
        }
        kin_skin_term(&skin);
    }
    return form->bounded ? 0.25 * area : 0;
}

static kin_vec3 inverse3(kin_vec3 v) { return (kin_vec3){v.x > 0 ? 1 / v.x : 0, v.y > 0 ? 1 / v.y : 0, v.z > 0 ? 1 / v.z : 0}; }

static kin_body_motion motion_of(kin_mobility mobility)
{
    static const kin_body_motion motions[] = {[KIN_MOBILITY_INACTIVE] = KIN_BODY_GONE,
                                              [KIN_MOBILITY_STATIC] = KIN_BODY_FIXED,
                                              [KIN_MOBILITY_DYNAMIC] = KIN_BODY_FREE,
                                              [KIN_MOBILITY_ANIMATED] = KIN_BODY_KEYED};
    return motions[mobility];
}

/* Only what forces move has an inverse mass; only what moves has a velocity. */
static void settle(kin_body* body, kin_mobility mobility)
{
    bool dynamic = mobility == KIN_MOBILITY_DYNAMIC;
    body->inv_mass = dynamic ? 1 / body->mass : 0;
    body->inv_moments = dynamic ? inverse3(body->moments) : kin_v(0, 0, 0);
    if (mobility == KIN_MOBILITY_STATIC) body->velocity = body->spin = kin_v(0, 0, 0);
}

static kin_body place_body(const kin_body_def* def, const kin_weight* weight, kin_transform shape_pose, kin_mobility mobility)
{
    kin_transform pose = kin_transform_mul(shape_pose, weight->frame.frame);
    kin_body body = {.position = pose.position,
                     .orientation = kin_quat_normalize(pose.orientation),
                     .velocity = def->velocity,
                     .spin = def->spin,
                     .mass = weight->mass,
                     .moments = weight->frame.moments};
    settle(&body, mobility);
    return body;
}

/* The farthest corner of its box from the centre of mass, if that is nearer than what its own reach allows for. */
static double reach_from(const kin_form* form, kin_vec3 center)
{
    if (!form->bounded) return 1e300;
    kin_vec3 far = {kin_max(kin_abs(form->bounds.low.x - center.x), kin_abs(form->bounds.high.x - center.x)),
                    kin_max(kin_abs(form->bounds.low.y - center.y), kin_abs(form->bounds.high.y - center.y)),
                    kin_max(kin_abs(form->bounds.low.z - center.z), kin_abs(form->bounds.high.z - center.z))};
    return kin_min(form->reach + kin_length(center), kin_length(far));
}

static kin_body_skin make_skin(const kin_rigid* r, const kin_body_def* def, uint32_t form, const kin_weight* weight, uint32_t number)
{
    kin_form* f = r->forms[form].form;
    return (kin_body_skin){.form = f,
                           .place = kin_transform_inverse(weight->frame.frame),
                           .material = def->material,
                           .filter = def->filter,
                           .owner = {r->system, number, {0, 0, 0}},
                           .solid = UINT32_MAX,
                           .surface_velocity = def->surface_velocity,
                           .one_way = def->one_way,
                           .drag = def->drag,
                           .angular_drag = def->angular_drag,
                           .drag_area = def->drag_area < 0 ? mean_shadow(&r->allocator, f) : def->drag_area,
                           .gravity_scale = def->gravity_scale,
                           .reach = reach_from(f, weight->frame.frame.position),
                           .thickness = r->forms[form].thickness,
                           .sensor = def->sensor,
                           .stays_awake = def->stays_awake};
}

/* A sensor is seen only if something is there to be seen instead of it. */
static kin_result choose_costume(kin_rigid* r, const kin_body_def* def, uint32_t form, uint32_t* costume, kin_error* error)
{
    *costume = UINT32_MAX;
    if (def->has_visible) {
        kin_result result = kin_materials_check_shape(r->materials, def->material, &def->visible, error);
        if (result == KIN_OK) result = find_form(r, NULL, &def->visible, &form, error);
        if (result != KIN_OK) return kin_within(result, "visible", error);
    }
    return def->has_visible || !def->sensor ? kin_rigid_dress(r, form, def->material, costume, error) : KIN_OK;
}

/* All that can fail but the group's part. */
static kin_result make_room(kin_rigid* r, const kin_body_def* def, uint32_t form, kin_rigid_member* body, kin_error* error)
{
    kin_result result = choose_costume(r, def, form, &body->costume, error);
    if (result != KIN_OK) return result;
    if (!kin_reserve(&r->allocator, (void**)&r->bodies, &r->capacity, r->count + 1, sizeof *r->bodies) || !keep_name(r, def->name, &body->name))
        return kin_fail_memory(error, "a body", sizeof *r->bodies);
    const kin_transform origin = {def->position, kin_quat_normalize(def->orientation)};
    return kin_keys_create(&r->allocator, def->keys, def->key_count, &def->path, origin, &body->keys, error);
}

kin_result kin_rigid_make_body(kin_rigid* r, const kin_body_def* def, uint32_t* number, kin_error* error)
{
    uint32_t form = 0;
    kin_weight weight;
    kin_body_def whole = *def;
    if (is_keyed(def)) whole.mobility = KIN_MOBILITY_ANIMATED;
    kin_rigid_member body = {.material = def->material, .smooth = def->smooth, .mobility = (uint8_t)whole.mobility};
    kin_result result = check_body(r, &whole, error);
    if (result == KIN_OK) result = find_form(r, def->form, &def->shape, &form, error);
    if (result == KIN_OK) result = kin_rigid_weigh(r->forms[form].form, &whole, r->materials, &weight, error);
    if (result == KIN_OK) result = make_room(r, &whole, form, &body, error);
    if (result != KIN_OK) return result;

    kin_transform pose = {def->position, kin_quat_normalize(def->orientation)};
    if (body.keys.count > 0) pose = kin_keys_pose(&body.keys, body.smooth, r->time);
    kin_body state = place_body(&whole, &weight, pose, whole.mobility);
    kin_body_skin skin = make_skin(r, &whole, form, &weight, (uint32_t)r->count);
    result = kin_group_add_body(r->group, &state, &skin, motion_of(whole.mobility), &body.index, error);
    if (result != KIN_OK) {
        kin_keys_free(&r->allocator, &body.keys);
        return result;
    }
    *number = (uint32_t)r->count;
    r->bodies[r->count++] = body;
    r->animated += whole.mobility == KIN_MOBILITY_ANIMATED;
    kin_rigid_wear(r, *number, body.costume);
    return KIN_OK;
}

void kin_rigid_count_animated(kin_rigid* r)
{
    r->animated = 0;
    for (size_t i = 0; i < r->count; ++i) r->animated += r->bodies[i].mobility == KIN_MOBILITY_ANIMATED;
}

bool kin_rigid_set_mobility(kin_rigid* r, uint32_t number, kin_mobility mobility)
{
    kin_body* body = kin_rigid_body_of(r, number);
    uint32_t index = r->bodies[number].index;
    if (mobility == KIN_MOBILITY_DYNAMIC && !(body->mass > 0)) return false;
    r->bodies[number].mobility = (uint8_t)mobility;
    kin_rigid_count_animated(r);
    settle(body, mobility);
    kin_group_set_motion(r->group, index, motion_of(mobility));
    return true;
}

void kin_rigid_retire(kin_rigid* r, uint32_t number)
{
    uint32_t index = r->bodies[number].index;
    for (uint32_t i = 0; i < r->group->joint_count; ++i) {
        if (r->group->joints[i].a == index || r->group->joints[i].b == index) kin_group_remove_joint(r->group, i);
    }
    kin_rigid_set_mobility(r, number, KIN_MOBILITY_INACTIVE);
    r->bodies[number].removed = true;
}

void kin_rigid_put(kin_rigid* r, uint32_t number, kin_transform shape_pose, kin_vec3 velocity, kin_vec3 spin)
{
    kin_body* body = kin_rigid_body_of(r, number);
    kin_transform pose = kin_transform_mul(shape_pose, kin_transform_inverse(kin_rigid_skin_of(r, number)->place));
    body->position = pose.position;
    body->orientation = kin_quat_normalize(pose.orientation);
    body->velocity = velocity;
    body->spin = spin;
    settle(body, (kin_mobility)r->bodies[number].mobility);
    kin_group_touch(r->group, r->bodies[number].index);
}

/* ---- joints ---- */

/* The body that one side of a joint names; KIN_NO_BODY: the world. */
static kin_result find_side(const kin_rigid* r, const char* side, const char* name, int64_t given, uint32_t* index, kin_error* error)
{
    int64_t number = given;
    *index = KIN_NO_BODY;
    if (name != NULL) {
        uint32_t found = kin_rigid_named(r, name);
        if (found == UINT32_MAX) return kin_fail(error, KIN_ERROR_ARGUMENT, side, "there is no body \"%.80s\"", name);
        number = found;
    }
    if (number == -1) return KIN_OK;
    if (number < 0 || number >= (int64_t)r->count || r->bodies[number].removed)
        return kin_fail(error, KIN_ERROR_ARGUMENT, side, "there is no body %lld: there are %zu, from 0", (long long)number, r->count);
    if (r->bodies[number].mobility == KIN_MOBILITY_INACTIVE) return kin_fail(error, KIN_ERROR_ARGUMENT, side, "body %lld is inactive", (long long)number);
    *index = r->bodies[number].index;
    return KIN_OK;
}

kin_result kin_rigid_make_joint(kin_rigid* r, const kin_joint_def* def, uint32_t* number, kin_error* error)
{
    uint32_t a = KIN_NO_BODY, b = KIN_NO_BODY;
    const char* name = NULL;
    kin_result result = (unsigned)def->kind < KIN_JOINT_KIND_COUNT ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "kind", "%d is no joint", (int)def->kind);
    if (result == KIN_OK) result = find_side(r, "a", def->body_a, def->a, &a, error);
    if (result == KIN_OK) result = find_side(r, "b", def->body_b, def->b, &b, error);
    if (result != KIN_OK) return result;
    if (a == b) return kin_fail(error, KIN_ERROR_ARGUMENT, "b", "must be another body than a");
    if (!kin_reserve(&r->allocator, (void**)&r->joints, &r->joint_capacity, r->joint_count + 1, sizeof *r->joints)
        || !kin_reserve(&r->allocator, (void**)&r->joint_names, &r->joint_name_capacity, r->joint_count + 1, sizeof *r->joint_names)
        || !keep_name(r, def->name, &name)) {
        return kin_fail_memory(error, "a joint", sizeof *r->joints);
    }
    result = kin_rigid_check_motors(def, error);
    if (result != KIN_OK) return result;
    kin_joint_def kept = *def; /* names and keys are of its maker */
    for (int k = 0; k < 2; ++k) {
        if (kept.freedom[k].speeds.count > 0) kept.freedom[k].speed = kept.freedom[k].speeds.keys[0].value[0];
        kept.freedom[k].speeds = (kin_curve){0};
    }
    kept.name = name;
    kept.body_a = kept.body_b = NULL;
    kin_anchor owner = {r->system, (uint32_t)r->joint_count, {0, 0, 0}};
    const size_t motors = r->motor_count;
    result = kin_rigid_add_motors(r, (uint32_t)r->joint_count, def, error);
    if (result == KIN_OK) result = kin_group_add_joint(r->group, &kept, a, b, owner, &r->joints[r->joint_count], error);
    if (result != KIN_OK) {
        r->motor_count = motors;
        return result;
    }
    r->joint_names[r->joint_count] = name;
    *number = (uint32_t)r->joint_count++;
    return KIN_OK;
}

/* ---- clones ---- */

static kin_result copy_form(kin_rigid* r, const kin_rigid_form* form, kin_error* error)
{
    uint32_t index;
    return list_form(r, kin_form_keep(form->form), &form->shape, &index, error);
}

/* As it is: its state follows by a restore, but where it stands already matters to joints. */
static kin_result copy_body(kin_rigid* r, const kin_rigid* from, uint32_t number, kin_error* error)
{
    const kin_rigid_member* old = &from->bodies[number];
    kin_rigid_member body = *old;
    body.keys = (kin_keys){0};
    kin_body_skin skin = from->group->bodies.skin[old->index];
    skin.owner.system = r->system;
    skin.solid = UINT32_MAX;
    if (!kin_reserve(&r->allocator, (void**)&r->bodies, &r->capacity, r->count + 1, sizeof *r->bodies) || !keep_name(r, old->name, &body.name)
        || !kin_keys_copy(&r->allocator, &old->keys, &body.keys)) {
        return kin_fail_memory(error, "a body", sizeof *r->bodies);
    }
    kin_result result = old->costume != UINT32_MAX
                            ? kin_rigid_dress(r, from->costumes[old->costume].form, from->costumes[old->costume].material, &body.costume, error)
                            : KIN_OK;
    kin_body_motion motion = (kin_body_motion)from->group->bodies.motion[old->index];
    if (result == KIN_OK) result = kin_group_add_body(r->group, &from->group->bodies.body[old->index], &skin, motion, &body.index, error);
    if (result != KIN_OK) {
        kin_keys_free(&r->allocator, &body.keys);
        return result;
    }
    r->bodies[r->count++] = body;
    r->animated += body.mobility == KIN_MOBILITY_ANIMATED;
    kin_rigid_wear(r, number, body.costume);
    return KIN_OK;
}

/* Frames in the bodies are copied, not made anew: by now the bodies stand elsewhere. */
static kin_result copy_joint(kin_rigid* r, const kin_rigid* from, uint32_t number, kin_error* error)
{
    kin_joint joint = from->group->joints[from->joints[number]];
    if (!kin_reserve(&r->allocator, (void**)&r->joints, &r->joint_capacity, r->joint_count + 1, sizeof *r->joints)
        || !kin_reserve(&r->allocator, (void**)&r->joint_names, &r->joint_name_capacity, r->joint_count + 1, sizeof *r->joint_names)
        || !keep_name(r, from->joint_names[number], &r->joint_names[number])) {
        return kin_fail_memory(error, "a joint", sizeof *r->joints);
    }
    joint.def.name = r->joint_names[number];
    if (joint.a != KIN_NO_BODY) joint.a = r->bodies[from->group->bodies.skin[joint.a].owner.element].index;
    if (joint.b != KIN_NO_BODY) joint.b = r->bodies[from->group->bodies.skin[joint.b].owner.element].index;
    kin_result result = kin_group_add_made_joint(r->group, &joint, (kin_anchor){r->system, number, {0, 0, 0}}, &r->joints[number], error);
    if (result == KIN_OK) r->joint_count += 1;
    return result;
}

kin_result kin_rigid_copy_parts(kin_rigid* r, const kin_rigid* from, kin_error* error)
{
    kin_result result = KIN_OK;
    r->time = from->time;
    for (size_t i = 0; result == KIN_OK && i < from->form_count; ++i) result = copy_form(r, &from->forms[i], error);
    for (uint32_t i = 0; result == KIN_OK && i < from->count; ++i) result = copy_body(r, from, i, error);
    for (uint32_t i = 0; result == KIN_OK && i < from->joint_count; ++i) result = copy_joint(r, from, i, error);
    if (result == KIN_OK) result = kin_rigid_copy_motors(r, from, error);
    if (result == KIN_OK) result = kin_rigid_copy_fractures(r, from, error);
    return result;
}

void kin_rigid_drop_parts(kin_rigid* r)
{
    for (size_t i = r->joint_count; i-- > 0;) kin_group_remove_joint(r->group, r->joints[i]);
    for (size_t i = r->count; i-- > 0;) {
        kin_group_remove_body(r->group, r->bodies[i].index);
        kin_keys_free(&r->allocator, &r->bodies[i].keys);
    }
    for (size_t i = 0; i < r->form_count; ++i) kin_form_drop(r->forms[i].form);
    for (size_t i = 0; i < r->look_count; ++i) kin_capture_free_kept(&r->allocator, r->looks[i].arrays, r->looks[i].array_count);
    kin_free(&r->allocator, r->bodies, r->capacity * sizeof *r->bodies);
    kin_free(&r->allocator, r->joints, r->joint_capacity * sizeof *r->joints);
    kin_free(&r->allocator, r->joint_names, r->joint_name_capacity * sizeof *r->joint_names);
    kin_free(&r->allocator, r->forms, r->form_capacity * sizeof *r->forms);
    kin_free(&r->allocator, r->costumes, r->costume_capacity * sizeof *r->costumes);
    kin_free(&r->allocator, r->looks, r->look_capacity * sizeof *r->looks);
    kin_free(&r->allocator, r->motors, r->motor_capacity * sizeof *r->motors);
    kin_free(&r->allocator, r->fractures, r->fracture_capacity * sizeof *r->fractures);
}
