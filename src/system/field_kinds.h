/* field_kinds.h - every kind of field there is, for the table in field.c. A kind has its rows, its row of the table and its kernels. */
#pragma once
#include "system/field_common.h"

extern const kin_field_ops kin_field_gravity_ops, kin_field_drag_ops, kin_field_wind_ops; /* field_basic.c */
extern const kin_field_ops kin_field_attraction_ops;                                      /* gravity/attraction.c */
KIN_FIELD_KERNEL(kin_field_gravity)
KIN_FIELD_KERNEL(kin_field_drag)
KIN_FIELD_KERNEL(kin_field_wind)

extern const kin_field_ops kin_field_repel_ops, kin_field_steer_ops, kin_field_flock_ops, kin_field_hunt_ops; /* steer/, flock/ */
extern const kin_field_ops kin_field_attractor_ops, kin_field_line_attractor_ops;                             /* field_attract.c */
KIN_FIELD_KERNEL(kin_field_attractor)
KIN_FIELD_KERNEL(kin_field_line_attractor)

extern const kin_field_ops kin_field_electric_ops, kin_field_magnetic_ops; /* field_charge.c */
KIN_FIELD_KERNEL(kin_field_electric)
KIN_FIELD_KERNEL(kin_field_magnetic)

extern const kin_field_ops kin_field_source_ops, kin_field_vortex_line_ops; /* field_flow.c */
KIN_FIELD_KERNEL(kin_field_source_air)
KIN_FIELD_AFTER_KERNEL(kin_field_source_carry)
KIN_FIELD_KERNEL(kin_field_vortex_line_air)
KIN_FIELD_AFTER_KERNEL(kin_field_vortex_line_carry)

extern const kin_field_ops kin_field_vortex_ops;                                               /* field_vortex.c */
extern const kin_field_ops kin_field_translate_ops, kin_field_rotate_ops, kin_field_scale_ops; /* field_affine.c */
extern const kin_field_ops kin_field_kicks_ops, kin_field_speed_limit_ops;                     /* field_change.c */
extern const kin_field_ops kin_field_cartoon_ops;                                              /* field_cartoon.c */
extern const kin_field_ops kin_field_goal_ops;                                                 /* field_goal.c */
extern const kin_field_ops kin_field_molecules_ops, kin_field_charges_ops;                     /* field_pairs.c */
extern const kin_field_ops kin_field_law_ops;                                                  /* field_law.c */

/* a += w x v, w of three times count numbers. */
void kin_field_turn_none(const double* w, const kin_field_batch* batch);
void kin_field_turn_sse2(const double* w, const kin_field_batch* batch);
void kin_field_turn_avx2(const double* w, const kin_field_batch* batch);

void kin_field_reset_none(const kin_vec3* gravity, const kin_field_batch* batch);
void kin_field_reset_sse2(const kin_vec3* gravity, const kin_field_batch* batch);
void kin_field_reset_avx2(const kin_vec3* gravity, const kin_field_batch* batch);
