/* anchors.h - what may be asked of an element and done to it. Scripts, the C API, commands and attachments all pass through one check, so that a system without an
 * operation answers with an error that names it. */
#pragma once
#include "system/system.h"

/* A verb needs operations of the system; kin_system_takes says which. */
typedef enum kin_element_verb {
    KIN_ELEMENT_ASK,  /* position, orientation, velocity */
    KIN_ELEMENT_HOLD, /* attach, grab */
    KIN_ELEMENT_PUSH,
    KIN_ELEMENT_PLACE,
    KIN_ELEMENT_MOBILITY,
    KIN_ELEMENT_ATTRIBUTE, /* read and set */
    KIN_ELEMENT_VERBS
} kin_element_verb;

bool kin_system_takes(const kin_system_ops* ops, kin_element_verb verb);
/* The element exists and its system takes the verb. where: goes before the message. error may be NULL. */
kin_result kin_world_check_anchor(const kin_world* world, kin_anchor a, kin_element_verb verb, const char* where, kin_error* error);

/* Batches may mix systems. Anchors are checked before: KIN_ELEMENT_ASK for the first, KIN_ELEMENT_HOLD for the second. A system without the operation fails the step. */
void kin_world_motion_at(const kin_world* world, const kin_anchor* a, int n, double s, kin_motion* out);
bool kin_world_element_motion(const void* world, const char* system, uint32_t element, kin_motion* out); /* for kin_birth */
void kin_world_respond(const kin_world* world, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv);
