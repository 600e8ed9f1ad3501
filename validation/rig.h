/* rig.h - a small world for one case: a material, some colliders, one system of particles. Fill the defs, open, add, measure, close.
 *
 *     kin_rig r = kin_rig_begin(run, "rk4", 0.01);
 *     r.restitution = 0.5;
 *     kin_rig_open(&r);
 *     kin_rig_plane(&r, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0});
 *     kin_rig_ball(&r, (kin_vec3){0, 1, 0}, (kin_vec3){0, 0, 0});
 *     kin_rig_steps(&r, 100);
 *     ... kin_rig_x(&r) ...
 *     kin_rig_close(&r);
 *
 * The first thing that goes wrong is kept and becomes a failing row at close; until then every answer is NaN, so no row can pass by accident. */
#pragma once
#include "validation/validation.h"

#define KIN_RIG_TOLERANCE 1e-12 /* of a step, absolute and relative */

typedef struct kin_rig {
    kin_case_run* run;
    kin_world_def def;                                    /* gravity (0, -10, 0) as in the tables of House & Keyser */
    kin_particles_def particles;                          /* tolerance KIN_RIG_TOLERANCE: integrators that choose their steps are as good as exact */
    kin_particle_group group;                             /* of what kin_rig_ball and kin_rig_balls add: radius 0, mass 1 */
    double restitution, friction[2], dynamic_friction[2]; /* of the one material; a dynamic coefficient below 0 is the static one */
    kin_world* world;
    kin_material_id material;
    kin_system_id system;
    kin_result result;
    kin_error error;
} kin_rig;

kin_rig kin_rig_begin(kin_case_run* run, const char* integrator, double h);
void kin_rig_open(kin_rig* r);
void kin_rig_close(kin_rig* r);
bool kin_rig_ok(const kin_rig* r);

kin_collider_id kin_rig_plane(kin_rig* r, kin_vec3 point, kin_vec3 normal);
kin_collider_id kin_rig_add(kin_rig* r, const kin_shape* shape, kin_vec3 position, kin_quat orientation);
kin_collider_id kin_rig_keyed(kin_rig* r, const kin_shape* shape, const kin_key* keys, size_t count); /* straight lines between keys */
void kin_rig_room(kin_rig* r, kin_vec3 half, kin_quat turn);                                          /* six planes about the origin, looking inwards */
void kin_rig_drag(kin_rig* r, double d);
void kin_rig_wind(kin_rig* r, kin_vec3 w);
void kin_rig_field(kin_rig* r, const char* kind, const void* def);

void kin_rig_ball(kin_rig* r, kin_vec3 position, kin_vec3 velocity);
void kin_rig_balls(kin_rig* r, int64_t count, kin_vec3 center, kin_vec3 box, kin_vec3 spread);
void kin_rig_create(kin_rig* r); /* with the groups, kinds, emitters and springs of r->particles, whatever they are */
void kin_rig_step(kin_rig* r);
void kin_rig_steps(kin_rig* r, int64_t count);

kin_vec3 kin_rig_x(const kin_rig* r); /* of the first particle */
kin_vec3 kin_rig_v(const kin_rig* r);
bool kin_rig_resting(const kin_rig* r);
double kin_rig_measure(const kin_rig* r, const char* name);
double kin_rig_energy(const kin_rig* r);     /* J, kinetic and potential */
kin_vec3 kin_rig_momentum(const kin_rig* r); /* kg m/s */
kin_vec3 kin_rig_angular(const kin_rig* r);  /* kg m^2/s, about the origin */
size_t kin_rig_count(const kin_rig* r);
kin_vec3 kin_rig_x_at(const kin_rig* r, size_t i);
kin_vec3 kin_rig_v_at(const kin_rig* r, size_t i);

/* Slope of log y over log x by least squares: the order of a method from its errors, the growth of a cost from its times. */
double kin_slope(const double* x, const double* y, int count);
