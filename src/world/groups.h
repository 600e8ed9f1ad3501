/* groups.h - contact groups in a world: rigid bodies of one mode with the colliders they meet, and both in the collision service. */
#pragma once
#include "world/world.h"

/* For kin_birth: the group of the def's mode. */
kin_result kin_world_group(void* world, const kin_rigid_def* def, kin_group** out, kin_error* error);
void kin_groups_term(kin_world* world);
void kin_groups_remove_collider(kin_world* world, kin_collider* collider);

void kin_groups_begin_step(kin_world* world);
void kin_groups_wake_all(kin_world* world);                    /* what acts on all bodies has changed */
kin_status kin_groups_sense(kin_world* world, kin_step* step); /* colliders as bodies, where they go in this interval */
void kin_groups_predict(kin_world* world, kin_step* step);
kin_status kin_groups_exchange(kin_world* world, kin_step* step); /* what bodies of one group do to those of the other */
kin_status kin_groups_advance(kin_world* world, kin_step* step);
/* What changes the motion of bodies in an interval beside hits, told to their solids (kin_solids_load): begun at nothing, then added up over every stage
 * between a call before it and one after it. */
void kin_groups_clear_loads(kin_world* world);
void kin_groups_tell_loads(kin_world* world, bool after);
/* Bodies as solids, over the last interval: for points, rays and shapes that ask. Costs nothing when nothing moved. */
void kin_groups_publish(kin_world* world);
/* How many bodies and joints: before anything is touched, so that a snapshot of another world changes nothing. */
void kin_groups_visit_shape(kin_world* world, kin_visitor* v);
void kin_groups_visit(kin_world* world, kin_visitor* v);
