/* capture.c - bodies as they are seen: instances of their forms, a layer for each form and material; and, when asked for, joints and contacts. */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/rigid/rigid.h"
#include "system/capture_form.h"
#include <stdio.h>

/* ---- costumes ---- */

static kin_result add_looks(kin_rigid* r, const kin_form* form, kin_costume* costume, kin_error* error)
{
    uint32_t parts = form->part_count > 0 ? form->part_count : 1;
    if (!kin_reserve(&r->allocator, (void**)&r->looks, &r->look_capacity, r->look_count + parts, sizeof *r->looks))
        return kin_fail_memory(error, "the look of a body", parts * sizeof *r->looks);
    costume->first_look = (uint32_t)r->look_count;
    for (uint32_t i = 0; i < parts; ++i) {
        if (kin_form_is_first_of_material(form, i)) r->looks[r->look_count++] = (kin_rigid_look){.skin = kin_form_material(form, i)};
    }
    costume->looks = (uint32_t)r->look_count - costume->first_look;
    return KIN_OK;
}

kin_result kin_rigid_dress(kin_rigid* r, uint32_t form, kin_material_id material, uint32_t* costume, kin_error* error)
{
    for (size_t i = r->costume_count; i-- > 0;) {
        *costume = (uint32_t)i;
        if (r->costumes[i].form == form && r->costumes[i].material.index1 == material.index1) return KIN_OK;
    }
    kin_costume made = {.form = form, .material = material, .head = UINT32_MAX, .tail = UINT32_MAX};
    if (!kin_reserve(&r->allocator, (void**)&r->costumes, &r->costume_capacity, r->costume_count + 1, sizeof *r->costumes))
        return kin_fail_memory(error, "the look of a body", sizeof *r->costumes);
    kin_result result = add_looks(r, r->forms[form].form, &made, error);
    if (result != KIN_OK) return result;
    *costume = (uint32_t)r->costume_count;
    r->costumes[r->costume_count++] = made;
    return KIN_OK;
}

void kin_rigid_wear(kin_rigid* r, uint32_t number, uint32_t costume)
{
    r->bodies[number].next = UINT32_MAX;
    if (costume == UINT32_MAX) return;
    kin_costume* c = &r->costumes[costume];
    if (c->head == UINT32_MAX)
        c->head = number;
    else
        r->bodies[c->tail].next = number;
    c->tail = number;
}

/* ---- bodies ---- */

static void put_float3(float* out, kin_vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static void put_pose(float* out, kin_transform pose, kin_vec3 origin)
{
    put_float3(out, kin_sub(pose.position, origin));
    out[3] = (float)pose.orientation.x;
    out[4] = (float)pose.orientation.y;
    out[5] = (float)pose.orientation.z;
    out[6] = (float)pose.orientation.w;
}

static bool is_seen(const kin_rigid* r, uint32_t number) { return r->bodies[number].mobility != KIN_MOBILITY_INACTIVE; }

static uint64_t count_seen(const kin_rigid* r, const kin_costume* c)
{
    uint64_t count = 0;
    for (uint32_t i = c->head; i != UINT32_MAX; i = r->bodies[i].next) count += is_seen(r, i);
    return count;
}

/* Where it will be when the shutter closes. */
static kin_transform later_pose(const kin_rigid* r, uint32_t number, double shutter)
{
    const kin_rigid_member* body = &r->bodies[number];
    kin_transform now = kin_rigid_pose(r, number);
    if (body->mobility == KIN_MOBILITY_ANIMATED) return kin_rigid_keyed_pose(r, number, shutter);
    if (body->mobility != KIN_MOBILITY_DYNAMIC || !r->group->ops->is_awake(r->group->solver, body->index)) return now;
    const kin_body* b = kin_rigid_body_of(r, number);
    const kin_twist motion = kin_bodies_motion(&r->group->bodies, body->index);
    kin_transform later = {kin_add_scaled(b->position, shutter, motion.velocity), kin_quat_integrate(b->orientation, motion.spin, shutter)};
    return kin_transform_mul(later, kin_rigid_skin_of(r, number)->place);
}

/* m/s of the shape's origin, and rad/s. */
static void put_velocity(float* out, const kin_rigid* r, uint32_t number)
{
    kin_body b = *kin_rigid_body_of(r, number);
    const kin_twist motion = kin_bodies_motion(&r->group->bodies, r->bodies[number].index);
    bool moves = r->bodies[number].mobility != KIN_MOBILITY_STATIC;
    b.velocity = motion.velocity, b.spin = motion.spin;
    put_float3(out, moves ? kin_body_velocity_at(&b, kin_rigid_pose(r, number).position) : kin_v(0, 0, 0));
    put_float3(out + 3, moves ? b.spin : kin_v(0, 0, 0));
}

/* Tables want each body once: with its first look. */
static void capture_velocities(const kin_rigid* r, const kin_costume* c, uint64_t count, kin_capture* capture)
{
    float* velocities = kin_capture_array(capture, "pose_velocity", KIN_F32, 6, count);
    for (uint32_t i = c->head, k = 0; velocities != NULL && i != UINT32_MAX; i = r->bodies[i].next) {
        if (is_seen(r, i)) put_velocity(velocities + 6 * k++, r, i);
    }
}

static void capture_poses(const kin_rigid* r, const kin_costume* c, uint64_t count, kin_capture* capture)
{
    float* poses = kin_capture_array(capture, "pose", KIN_F32, 7, count);
    float* ends = kin_capture_array(capture, "pose_end", KIN_F32, 7, count);
    uint64_t* ids = kin_capture_array(capture, "id", KIN_U64, 1, count);
    if (ids == NULL) return;
    double shutter = capture->frame.interval * capture->frame.camera.shutter;
    for (uint32_t i = c->head, k = 0; i != UINT32_MAX; i = r->bodies[i].next) {
        if (!is_seen(r, i)) continue;
        put_pose(poses + 7 * k, kin_rigid_pose(r, i), capture->frame.origin);
        put_pose(ends + 7 * k, later_pose(r, i, shutter), capture->frame.origin);
        ids[k++] = i;
    }
}

static void capture_planes(const kin_rigid* r, const kin_costume* c, uint64_t count, kin_capture* capture)
{
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, count);
    float* normals = kin_capture_array(capture, "normal", KIN_F32, 3, count);
    if (normals == NULL) return;
    for (uint32_t i = c->head, k = 0; i != UINT32_MAX; i = r->bodies[i].next) {
        if (!is_seen(r, i)) continue;
        kin_transform pose = kin_rigid_pose(r, i);
        put_float3(positions + 3 * k, kin_sub(pose.position, capture->frame.origin));
        put_float3(normals + 3 * k, kin_rotate(pose.orientation, r->forms[c->form].form->normal));
        k += 1;
    }
}

/* A form never changes: its skin is made and hashed once. */
static void capture_skin(kin_rigid_look* look, const kin_form* form, double bevel, kin_capture* capture)
{
    if (look->arrays != NULL) {
        kin_capture_add_kept(capture, look->arrays, look->array_count);
        return;
    }
    kin_capture_form(capture, form, look->skin, bevel);
    if (!capture->failed && !kin_capture_keep(capture, &look->arrays, &look->array_count)) capture->failed = true;
}

/* The first look of a system has its name, later ones a number too: names do not depend on who is there. */
static void begin_layer(const char* name, uint32_t number, kin_layer_kind kind, const kin_look* look, kin_capture* capture)
{
    char layer[sizeof((kin_layer*)0)->name];
    snprintf(layer, sizeof layer, "%s", name);
    if (number > 0) snprintf(layer, sizeof layer, "%.48s/%u", name, number);
    kin_capture_layer(capture, layer, kind, look);
}

static void capture_costume(const kin_rigid* r, const kin_costume* c, const char* name, const kin_materials* materials, kin_capture* capture)
{
    const kin_form* form = r->forms[c->form].form;
    uint64_t count = count_seen(r, c);
    for (uint32_t i = 0; i < c->looks && count > 0 && !capture->failed; ++i) {
        kin_rigid_look* look = &r->looks[c->first_look + i]; /* what it keeps is not state */
        const kin_material* material = kin_materials_at(materials, look->skin.index1 != 0 ? look->skin : c->material);
        bool plane = form->kind == KIN_SHAPE_PLANE;
        begin_layer(name, c->first_look + i, plane ? KIN_LAYER_PLANE : KIN_LAYER_MESH, &material->look, capture);
        if (capture->failed) return;
        if (plane) {
            capture_planes(r, c, count, capture);
        } else {
            capture_skin(look, form, material->bevel, capture);
            capture_poses(r, c, count, capture);
            if (i == 0) capture_velocities(r, c, count, capture);
        }
    }
}

/* ---- joints ---- */

static uint32_t count_whole_joints(const kin_rigid* r)
{
    uint32_t count = 0;
    for (size_t i = 0; i < r->joint_count; ++i) count += !r->group->joints[r->joints[i]].broken;
    return count;
}

/* From a side's centre of mass to the joint; of the world both are the joint. */
static void put_side(const kin_rigid* r, const kin_joint* joint, uint32_t body, kin_vec3 local, kin_vec3 origin, float* out)
{
    const kin_body fixed = kin_body_fixed(), *b = body != KIN_NO_BODY ? &r->group->bodies.body[body] : &fixed;
    kin_vec3 anchor = kin_apply(kin_body_pose(b), joint->kind == KIN_JOINT_GEAR ? kin_v(0, 0, 0) : local); /* gears have no place */
    if (joint->kind == KIN_JOINT_MOUSE && body == KIN_NO_BODY) anchor = joint->def.target;
    put_float3(out, kin_sub(body != KIN_NO_BODY ? b->position : anchor, origin));
    put_float3(out + 3, kin_sub(anchor, origin));
}

static void capture_joints(const kin_rigid* r, const char* name, kin_capture* capture)
{
    const kin_look look = {.surface = KIN_SURFACE_EMISSIVE, .color = {1, 0.45f, 0.1f}, .glow = 1};
    char layer[sizeof((kin_layer*)0)->name];
    uint32_t count = count_whole_joints(r);
    if (count == 0) return;
    snprintf(layer, sizeof layer, "%.48s/joints", name);
    kin_capture_layer(capture, layer, KIN_LAYER_LINES, &look);
    if (capture->failed) return;
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, 4 * (uint64_t)count);
    uint32_t* lines = kin_capture_array(capture, "line", KIN_U32, 2, 2 * (uint64_t)count);
    if (lines == NULL) return;
    for (size_t i = 0, k = 0; i < r->joint_count; ++i) {
        const kin_joint* joint = &r->group->joints[r->joints[i]];
        if (joint->broken) continue;
        put_side(r, joint, joint->a, joint->frame_a.position, capture->frame.origin, positions + 12 * k);
        put_side(r, joint, joint->b, joint->frame_b.position, capture->frame.origin, positions + 12 * k + 6);
        for (uint32_t c = 0; c < 4; ++c) lines[4 * k + c] = 4 * (uint32_t)k + c;
        k += 1;
    }
}

void kin_rigid_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture)
{
    const kin_rigid* r = self;
    for (size_t i = 0; i < r->costume_count && !capture->failed; ++i) capture_costume(r, &r->costumes[i], name, materials, capture);
    if (r->def.show_joints && !capture->failed) capture_joints(r, name, capture);
    if (r->def.show_contacts && r->leads && !capture->failed) kin_group_capture_contacts(r->group, capture);
}
