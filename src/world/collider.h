/* collider.h - solids over time: their poses from keys, handed to the collision service interval by interval. */
#pragma once
#include "world/world.h"

struct kin_form;
/* With a form that is shared; NULL: made from the def's shape. */
kin_result kin_world_add_collider_of(kin_world* world, const kin_collider_def* def, struct kin_form* form, kin_collider_id* out, kin_error* error);
void kin_collider_term(kin_world* world, kin_collider* collider);
kin_transform kin_collider_pose_at(const kin_collider* collider, double time);
void kin_colliders_begin_step(kin_world* world);                     /* remembers poses, for the moved-only report */
void kin_colliders_publish(kin_world* world, double time, double h); /* start and end pose of this interval */
void kin_colliders_refit(kin_world* world, double h);
void kin_colliders_commit(kin_world* world);                                        /* the end pose is the present one */
kin_result kin_world_add_walls(kin_world* world, kin_error* error);                 /* bounds that bounce: six planes */
void kin_colliders_capture(kin_world* world, double shutter, kin_capture* capture); /* shutter: s it is open */
void kin_colliders_visit(kin_world* world, kin_visitor* v);
kin_result kin_world_copy_view(const kin_world* from, kin_world* to, kin_error* error);
/* The solid of a collider, by name; UINT32_MAX: there is none. */
uint32_t kin_world_solid_named(const void* world, const char* name);
