/* attach.h - attachments as commands of a world. */
#pragma once
#include "world/world.h"

extern const kin_anchor_verbs kin_world_anchor_verbs;

bool kin_world_expect(kin_world* world, const kin_command* command); /* notes a command on an attachment that is queued; false: out of memory */
uint32_t kin_world_next_attachment(const kin_world* world);          /* serial, after all that exist or wait in the queue */
kin_result kin_world_check_attach(kin_world* world, const kin_attachment_def* def, kin_error* error); /* and makes room for it */
kin_result kin_world_check_attached(const kin_world* world, const kin_command* command, kin_error* error);
void kin_world_apply_attach(kin_world* world, const kin_command* command); /* was checked when it was queued */
