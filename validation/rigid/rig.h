/* rig.h - a small world for one case of rigid bodies: a material, a ground, bodies of one system. Fill the defs, open, add, measure, close.
 *
 *     kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, 1.0 / 60);
 *     y.friction = 0.5;
 *     kin_yard_open(&y);
 *     kin_yard_plane(&y, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0});
 *     uint32_t box = kin_yard_box(&y, (kin_vec3){1, 1, 1}, (kin_vec3){0, 0.5, 0}, (kin_vec3){2, 0, 0});
 *     kin_yard_steps(&y, 60);
 *     ... kin_yard_state(&y, box).velocity.x ...
 *     kin_yard_close(&y);
 *
 * The first thing that goes wrong is kept and becomes a failing row at close; until then every answer is NaN, so no row can pass by accident. */
#pragma once
#include "kinema/rigid.h"
#include "validation/validation.h"

typedef struct kin_yard {
    kin_case_run* run;
    kin_world_def def;                               /* gravity (0, -9.81, 0) */
    kin_rigid_def rigid;                             /* sleep off */
    kin_body_def body;                               /* what kin_yard_add and its kin begin with: 1 kg */
    double restitution, friction, rolling, spinning; /* of the one material */
    kin_world* world;
    kin_material_id material;
    kin_system_id system;
    kin_result result;
    kin_error error;
} kin_yard;

kin_yard kin_yard_begin(kin_case_run* run, kin_rigid_mode mode, double h);
void kin_yard_open(kin_yard* y);
void kin_yard_close(kin_yard* y);
bool kin_yard_ok(const kin_yard* y);
const char* kin_yard_mode(const kin_yard* y);

kin_collider_id kin_yard_plane(kin_yard* y, kin_vec3 point, kin_vec3 normal);
kin_collider_id kin_yard_collider(kin_yard* y, const kin_shape* shape, kin_vec3 position, kin_quat orientation);
void kin_yard_field(kin_yard* y, const char* kind, const void* def);

uint32_t kin_yard_add(kin_yard* y, const kin_body_def* def); /* with the case's material */
uint32_t kin_yard_box(kin_yard* y, kin_vec3 size, kin_vec3 position, kin_vec3 velocity);
uint32_t kin_yard_ball(kin_yard* y, double radius, kin_vec3 position, kin_vec3 velocity);
uint32_t kin_yard_join(kin_yard* y, const kin_joint_def* def);
void kin_yard_step(kin_yard* y);
void kin_yard_steps(kin_yard* y, int64_t count);

kin_body_state kin_yard_state(const kin_yard* y, uint32_t body);
kin_vec3 kin_yard_angular(const kin_body_state* s); /* kg m^2/s, about its centre; of forms whose own axes are the principal ones */
double kin_yard_kinetic(const kin_body_state* s);   /* J, of such forms */
double kin_yard_measure(const kin_yard* y, const char* name);
/* First time at which y's value passes through zero, on the chord of the step; NaN: not within `most` seconds. */
double kin_yard_time_of(kin_yard* y, double (*value)(const kin_yard* y), double most);

/* Cases in real time beside those of stacks.c, which has the table. */
void kin_case_rt_incline(kin_case_run* run); /* slides.c */
void kin_case_rt_slide(kin_case_run* run);
void kin_case_rt_yaw(kin_case_run* run);
void kin_case_rt_roll(kin_case_run* run);
void kin_case_rt_tip(kin_case_run* run);
void kin_case_rt_groove(kin_case_run* run);
void kin_case_rt_spin_down(kin_case_run* run);
void kin_case_rt_coin(kin_case_run* run);
void kin_case_rt_conveyor(kin_case_run* run);
void kin_case_rt_impacts(kin_case_run* run); /* impacts.c */
void kin_case_rt_race(kin_case_run* run);    /* free.c */
void kin_case_rt_top(kin_case_run* run);
void kin_case_rt_air(kin_case_run* run);
void kin_case_rt_orbit(kin_case_run* run);
