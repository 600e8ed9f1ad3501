/* rig.h - a small world for one case of particle fluids: a material, walls, a tank, bodies. Fill the defs, open, add walls, fill, create, measure, close.
 *
 *     kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, 0.05, 1.0 / 60);
 *     t.sph.flat = true;
 *     kin_tank_open(&t);
 *     kin_tank_plane(&t, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0});
 *     kin_tank_fill(&t, (kin_vec3){0, 0, 0}, (kin_vec3){0.5, 1, 0});
 *     kin_tank_create(&t);
 *     kin_tank_until(&t, 10);
 *     ... kin_tank_sums_of(&t).kinetic ...
 *     kin_tank_close(&t);
 *
 * The first thing that goes wrong is kept and becomes a failing row at close; until then every answer is NaN, so no row can pass by accident. */
#pragma once
#include "kinema/rigid.h"
#include "kinema/sph.h"
#include "validation/validation.h"

#define KIN_TANK_PHASES 4

typedef struct kin_tank {
    kin_case_run* run;
    kin_world_def def; /* gravity (0, -9.81, 0) */
    kin_sph_def sph;   /* exact, of the solver; no smoothing, no tension: what a case wants beside pressure it asks for */
    kin_sph_phase_def phases[KIN_TANK_PHASES];
    size_t phase_count; /* 1: density 1000 kg/m^3, nothing else */
    kin_sph_block* blocks;
    size_t block_count, block_capacity;
    kin_world* world;
    kin_material_id material;
    kin_system_id system, bodies;
    kin_result result;
    kin_error error;
} kin_tank;

typedef struct kin_tank_particle {
    kin_vec3 x, v;
    double mass;
    double density;              /* over the rest density */
    double pressure, multiplier; /* Pa: the stress, and k D^2 */
    double temperature;
    uint64_t serial;
} kin_tank_particle;

typedef struct kin_tank_sums {
    size_t count;
    double mass, kinetic, speed, density; /* speed and density: the largest */
    kin_vec3 center, momentum, angular;   /* angular: about the origin */
    kin_aabb box;                         /* of particle centres */
} kin_tank_sums;

extern const kin_sph_solver kin_tank_solvers[5]; /* all of them */
const char* kin_tank_solver_name(kin_sph_solver solver);

kin_tank kin_tank_begin(kin_case_run* run, kin_sph_solver solver, double spacing, double h);
void kin_tank_refine(kin_tank* t); /* quintic spline over three spacings: sums over any lattice are right to 0.1 % (still.c) */
void kin_tank_open(kin_tank* t);
void kin_tank_create(kin_tank* t);
void kin_tank_close(kin_tank* t);
bool kin_tank_ok(const kin_tank* t);
double kin_tank_spacing(const kin_tank* t);
double kin_tank_volume(const kin_tank* t); /* m^3, of a particle; m^2 x 1 m in the plane */

kin_collider_id kin_tank_collider(kin_tank* t, const kin_shape* shape, kin_vec3 position, kin_quat orientation);
kin_collider_id kin_tank_plane(kin_tank* t, kin_vec3 point, kin_vec3 normal);
kin_collider_id kin_tank_belt(kin_tank* t, kin_vec3 point, kin_vec3 normal, kin_vec3 velocity); /* a plane that moves along */
void kin_tank_room(kin_tank* t, kin_vec3 low, kin_vec3 high);                                   /* planes looking inwards; none where a side is infinite */
void kin_tank_field(kin_tank* t, const char* kind, const void* def);

kin_sph_block* kin_tank_block(kin_tank* t);                                 /* one more, water of the first phase at rest; NULL: failed */
void kin_tank_fill(kin_tank* t, kin_vec3 low, kin_vec3 high);               /* a box of it */
void kin_tank_put(kin_tank* t, kin_vec3 x, kin_vec3 v, double temperature); /* one particle; temperature 0: that of the phase */
uint32_t kin_tank_body(kin_tank* t, const kin_body_def* def);               /* of a system of bodies in real time */
kin_body_state kin_tank_body_state(const kin_tank* t, uint32_t body);
void kin_tank_step(kin_tank* t);
void kin_tank_until(kin_tank* t, double time); /* s, since the start */

kin_tank_particle kin_tank_at(const kin_tank* t, size_t i);
size_t kin_tank_count(const kin_tank* t);
kin_tank_sums kin_tank_sums_of(const kin_tank* t);
double kin_tank_measure(const kin_tank* t, const char* name);

/* Cases beside those of still.c, which has the table. */
void kin_case_sph_kernels(kin_case_run* run); /* kernels.c */
void kin_case_sph_lattice(kin_case_run* run);
void kin_case_sph_gradients(kin_case_run* run);
void kin_case_sph_fluids(kin_case_run* run);
void kin_case_sph_numbers(kin_case_run* run);
void kin_case_sph_poiseuille(kin_case_run* run); /* flows.c */
void kin_case_sph_couette(kin_case_run* run);
void kin_case_sph_taylor_green(kin_case_run* run);
void kin_case_sph_viscosity(kin_case_run* run);
void kin_case_sph_dam(kin_case_run* run); /* dam.c */
void kin_case_sph_dam_solvers(kin_case_run* run);
void kin_case_sph_swing(kin_case_run* run); /* drops.c */
void kin_case_sph_ring(kin_case_run* run);
void kin_case_sph_round(kin_case_run* run);
void kin_case_sph_float(kin_case_run* run); /* floats.c */
void kin_case_sph_sink(kin_case_run* run);
void kin_case_sph_exchange(kin_case_run* run);
void kin_case_sph_capsize(kin_case_run* run);
void kin_case_sph_heat(kin_case_run* run);      /* heat.c */
void kin_case_sph_membrane(kin_case_run* run);  /* membrane.c */
void kin_case_sph_sand(kin_case_run* run);      /* sand.c */
void kin_case_sph_waves(kin_case_run* run);     /* waves.c */
void kin_case_sph_curvature(kin_case_run* run); /* surfaces.c */
