/* bodies.c - the store of a contact group: arrays that grow together, and their state. */
#include "contact/bodies.h"
#include "base/alloc.h"
#include <string.h>

typedef struct column {
    void** data;
    size_t size; /* of an element */
} column;

static void columns_of(kin_bodies* b, column out[KIN_BODY_COLUMNS])
{
    const column columns[KIN_BODY_COLUMNS] = {
        {(void**)&b->body, sizeof *b->body},     {(void**)&b->skin, sizeof *b->skin},
        {(void**)&b->motion, sizeof *b->motion}, {(void**)&b->force, sizeof *b->force},
        {(void**)&b->torque, sizeof *b->torque}, {(void**)&b->push, sizeof *b->push},
        {(void**)&b->twist, sizeof *b->twist},   {(void**)&b->start, sizeof *b->start},
        {(void**)&b->end, sizeof *b->end},       {(void**)&b->asleep_force, sizeof *b->asleep_force},
        {(void**)&b->lag, sizeof *b->lag},       {(void**)&b->legs, sizeof *b->legs},
        {(void**)&b->drive, sizeof *b->drive},
    };
    memcpy(out, columns, sizeof columns);
}

void kin_bodies_init(kin_bodies* bodies, const kin_allocator* allocator) { *bodies = (kin_bodies){.allocator = *allocator}; }

void kin_bodies_term(kin_bodies* bodies)
{
    column columns[KIN_BODY_COLUMNS];
    columns_of(bodies, columns);
    for (uint32_t i = 0; i < bodies->count; ++i) kin_form_drop(bodies->skin[i].form);
    for (int i = 0; i < KIN_BODY_COLUMNS; ++i) kin_free(&bodies->allocator, *columns[i].data, bodies->room[i] * columns[i].size);
    kin_free(&bodies->allocator, bodies->leg, bodies->leg_room * sizeof *bodies->leg);
    kin_bodies_init(bodies, &bodies->allocator);
}

bool kin_bodies_reserve(kin_bodies* b, size_t count)
{
    column columns[KIN_BODY_COLUMNS];
    columns_of(b, columns);
    for (int i = 0; i < KIN_BODY_COLUMNS; ++i) {
        if (!kin_reserve_tight(&b->allocator, columns[i].data, &b->room[i], count, columns[i].size)) return false;
    }
    return true;
}

static void put(kin_bodies* b, uint32_t i, const kin_body* body, const kin_body_skin* skin, kin_body_motion motion)
{
    b->body[i] = *body;
    b->skin[i] = *skin;
    b->motion[i] = (uint8_t)motion;
    kin_bodies_calm(b, i);
    b->asleep_force[i] = kin_v(KIN_BODY_NO_LOAD, 0, 0);
    b->start[i] = b->end[i] = kin_body_pose(body);
    b->legs[i] = (kin_body_legs){0};
    b->drive[i] = (kin_body_drive){{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
}

bool kin_bodies_add(kin_bodies* bodies, const kin_body* body, const kin_body_skin* skin, kin_body_motion motion, uint32_t* index)
{
    if (!kin_bodies_reserve(bodies, bodies->count + (size_t)1)) return false;
    *index = bodies->count++;
    put(bodies, *index, body, skin, motion);
    if (skin->form != NULL) kin_form_keep(skin->form);
    return true;
}

void kin_bodies_remove(kin_bodies* bodies, uint32_t index)
{
    bodies->motion[index] = KIN_BODY_GONE;
    kin_form_drop(bodies->skin[index].form);
    bodies->skin[index].form = NULL;
}

void kin_bodies_calm(kin_bodies* b, uint32_t i)
{
    b->force[i] = b->torque[i] = b->push[i] = b->twist[i] = kin_v(0, 0, 0);
    b->lag[i] = (kin_twist){{0, 0, 0}, {0, 0, 0}};
}

void kin_bodies_await(kin_bodies* b, uint32_t i, double h)
{
    const kin_transform from = b->start[i], to = b->end[i];
    if (b->motion[i] != KIN_BODY_FREE || !(h > 0)) return;
    b->lag[i].velocity = kin_sub(kin_scale(kin_sub(to.position, from.position), 1 / h), b->body[i].velocity);
    b->lag[i].spin = kin_sub(kin_quat_spin_between(from.orientation, to.orientation, h), b->body[i].spin);
}

static kin_vec3 in_common(kin_vec3 a, kin_vec3 b) { return !(kin_dot(a, b) > 0) ? kin_v(0, 0, 0) : kin_length2(a) < kin_length2(b) ? a : b; }

static void follow_drive(kin_body_drive* drive, kin_vec3 velocity, kin_vec3 spin)
{
    drive->gain = (kin_twist){in_common(drive->change.velocity, velocity), in_common(drive->change.spin, spin)};
    drive->change = (kin_twist){velocity, spin};
}

void kin_bodies_set_path(kin_bodies* bodies, uint32_t index, kin_transform start, kin_transform end, double h)
{
    kin_body* b = &bodies->body[index];
    const kin_vec3 velocity = b->velocity, spin = b->spin;
    bodies->start[index] = start;
    bodies->end[index] = end;
    bodies->legs[index] = (kin_body_legs){bodies->leg_count, 0};
    b->position = start.position;
    b->orientation = start.orientation;
    b->velocity = h > 0 ? kin_scale(kin_sub(end.position, start.position), 1 / h) : kin_v(0, 0, 0);
    b->spin = h > 0 ? kin_quat_spin_between(start.orientation, end.orientation, h) : kin_v(0, 0, 0);
    follow_drive(&bodies->drive[index], kin_sub(b->velocity, velocity), kin_sub(b->spin, spin));
}

bool kin_bodies_add_leg(kin_bodies* b, uint32_t index, const kin_body_leg* leg)
{
    if (!kin_reserve(&b->allocator, (void**)&b->leg, &b->leg_room, b->leg_count + (size_t)1, sizeof *b->leg)) return false;
    b->leg[b->leg_count++] = *leg;
    b->legs[index].count += 1;
    return true;
}

void kin_bodies_drop_legs(kin_bodies* b)
{
    for (uint32_t i = 0; b->leg_count > 0 && i < b->count; ++i) b->legs[i] = (kin_body_legs){0};
    b->leg_count = 0;
}

/* ---- state ---- */

static uint64_t owner_key(kin_anchor owner) { return (uint64_t)owner.system << 32 | owner.element; }

/* Gone for good: one that is only inactive keeps its form. */
static bool is_removed(const kin_bodies* b, uint32_t i) { return b->motion[i] == KIN_BODY_GONE && b->skin[i].form == NULL; }

uint32_t kin_bodies_removed(const kin_bodies* bodies)
{
    uint32_t removed = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) removed += is_removed(bodies, i);
    return removed;
}

/* Bodies into the stored order: a swap brings each to its place. One that is stored as removed may be missing here, where it was never made, or be still here. */
static bool find_place(kin_bodies* b, uint32_t place, kin_anchor owner, bool removed, size_t stored)
{
    uint64_t key = owner_key(owner);
    uint32_t at = place;
    while (at < b->count && (is_removed(b, at) != removed || owner_key(b->skin[at].owner) != key)) ++at;
    if (at == b->count && removed && b->count >= stored) { /* none is missing */
        for (at = place; at < b->count && owner_key(b->skin[at].owner) != key;) ++at;
    }
    if (at == b->count) {
        kin_body none = kin_body_fixed();
        kin_body_skin skin = {.owner = owner, .solid = UINT32_MAX};
        if (!removed || !kin_bodies_add(b, &none, &skin, KIN_BODY_GONE, &at)) return false;
    }
    if (at == place) return true;
    kin_body body = b->body[place];
    kin_body_skin skin = b->skin[place];
    kin_body_motion was = (kin_body_motion)b->motion[place];
    put(b, place, &b->body[at], &b->skin[at], (kin_body_motion)b->motion[at]);
    put(b, at, &body, &skin, was);
    return true;
}

static void visit_transform(kin_visitor* v, kin_transform* t)
{
    kin_visit_vec3(v, &t->position);
    kin_visit_quat(v, &t->orientation);
}

/* What takes part has a form, and what forces move a mass. */
static bool is_sound(const kin_body* body, bool has_form, uint8_t motion)
{
    const kin_vec3 m = body->moments, w = body->inv_moments;
    bool moves = motion != KIN_BODY_FREE || (body->mass > 0 && body->inv_mass > 0);
    return moves && (has_form || motion == KIN_BODY_GONE) && body->mass >= 0 && body->inv_mass >= 0 && m.x >= 0 && m.y >= 0 && m.z >= 0 && w.x >= 0 && w.y >= 0
           && w.z >= 0;
}

static void visit_one(kin_bodies* b, uint32_t i, size_t stored, kin_visitor* v)
{
    kin_body* body = &b->body[i];
    uint8_t motion = b->motion[i], removed = is_removed(b, i);
    kin_anchor owner = b->skin[i].owner;
    kin_visit_u32(v, &owner.system);
    kin_visit_u32(v, &owner.element);
    kin_visit_u8s_below(v, &motion, 1, owner.system == KIN_WORLD_SYSTEM ? KIN_BODY_FREE : KIN_BODY_FREE + 1); /* nothing moves a collider but its keys */
    kin_visit_u8s_below(v, &removed, 1, 2);
    if (v->result == KIN_OK && removed != 0 && motion != KIN_BODY_GONE) kin_visit_fail(v, KIN_ERROR_FORMAT);
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK && !find_place(b, i, owner, removed != 0, stored)) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    if (v->result != KIN_OK) return;
    body = &b->body[i];
    kin_visit_vec3(v, &body->position);
    kin_visit_quat(v, &body->orientation);
    kin_visit_vec3(v, &body->velocity);
    kin_visit_vec3(v, &body->spin);
    kin_visit_f64(v, &body->mass);
    kin_visit_f64(v, &body->inv_mass);
    kin_visit_vec3(v, &body->moments);
    kin_visit_vec3(v, &body->inv_moments);
    kin_visit_vec3(v, &b->push[i]);
    kin_visit_vec3(v, &b->twist[i]);
    kin_visit_vec3(v, &b->asleep_force[i]);
    kin_visit_vec3(v, &b->lag[i].velocity), kin_visit_vec3(v, &b->lag[i].spin);
    kin_visit_vec3(v, &b->drive[i].change.velocity), kin_visit_vec3(v, &b->drive[i].change.spin);
    visit_transform(v, &b->start[i]);
    visit_transform(v, &b->end[i]);
    if (v->mode == KIN_VISIT_LOAD) b->force[i] = b->torque[i] = kin_v(0, 0, 0); /* found again for what moves */
    if (v->mode == KIN_VISIT_LOAD && removed && !is_removed(b, i)) kin_bodies_remove(b, i);
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK && !is_sound(body, b->skin[i].form != NULL || b->motion[i] != KIN_BODY_GONE, motion))
        kin_visit_fail(v, KIN_ERROR_FORMAT);
    if (v->result == KIN_OK) b->motion[i] = motion;
}

void kin_bodies_visit(kin_bodies* bodies, kin_visitor* v)
{
    size_t count = kin_visit_count(v, bodies->count);
    for (uint32_t i = 0; i < count && v->result == KIN_OK; ++i) visit_one(bodies, i, count, v);
    if (v->result == KIN_OK && count != bodies->count) kin_visit_fail(v, KIN_ERROR_MISMATCH);
}
