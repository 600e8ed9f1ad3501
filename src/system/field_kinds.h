/* field_kinds.h - every kind of field there is, for the table in field.c. A kind has its rows, its row of the table and its kernels. */
#pragma once
#include "system/field_common.h"

extern const kin_field_ops kin_field_gravity_ops, kin_field_drag_ops, kin_field_wind_ops; /* field_basic.c */
extern const kin_field_ops kin_field_attraction_ops; /* gravity/attraction.c */
KIN_FIELD_KERNEL(kin_field_gravity)
KIN_FIELD_KERNEL(kin_field_drag)
KIN_FIELD_KERNEL(kin_field_wind)

extern const kin_field_ops kin_field_repel_ops, kin_field_steer_ops, kin_field_flock_ops, kin_field_hunt_ops; /* steer/, flock/ */

void kin_field_reset_none(const kin_vec3* gravity, const kin_field_batch* batch);
void kin_field_reset_sse2(const kin_vec3* gravity, const kin_field_batch* batch);
void kin_field_reset_avx2(const kin_vec3* gravity, const kin_field_batch* batch);
