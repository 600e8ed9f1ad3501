/* physics.h - forces besides pressure. Each has a file; order and conditions stand in forces.c. */
#pragma once
#include "domains/sph/fluid.h"

kin_result kin_sph_physics_create(const kin_birth* birth, const kin_sph_def* def, kin_sph_physics** out, kin_error* error);
void kin_sph_physics_destroy(kin_sph_physics* physics);
void kin_sph_physics_visit(kin_sph_physics* physics, kin_visitor* v); /* what outlives a tick beside the columns of fluid.h */

/* a4 = all of it: fields of the world (gravity, wind, attractors), viscosity where explicit, tension, vorticity, buoyancy, drag of the air, sand, elasticity.
 * Lists, D, g are those of this tick. False: refused or out of memory. */
bool kin_sph_forces(kin_sph* f, kin_sph_tick* tick);
/* Fields that act after a step: on velocities as pressure left them. Four floats a particle: m/s by which fields carry it beside its velocity; NULL: nobody. */
float* kin_sph_fields_after(kin_sph* f, kin_sph_tick* tick);
double kin_sph_carried(const kin_sph* f); /* m/s: the fastest of those in the last tick */
/* Error: a field that has no meaning in this tank. */
kin_result kin_sph_check_fields(const kin_sph* f, const kin_fields* fields, kin_error* error);
double kin_sph_mutual_potential(const kin_sph* f, const kin_step* step); /* J: of fields between all particles */
/* Changes velocities at once, after v += h a4 and before pressure: implicit viscosity, smoothing (XSPH), sand's friction. Never adds kinetic energy. */
bool kin_sph_calm(kin_sph* f, kin_sph_tick* tick);
/* Of ticks of h seconds: how long they may be where implicit viscosity and pressure act one after the other. motion: s, in which the fastest goes as far as a tick may. */
double kin_sph_split_longest(const kin_sph* f, double h, double motion);
/* Into p4 how far particles are to be moved beside their velocities, m; false: not at all (shift.c). Before the drift; `work` is overwritten, and k_divergence 0 then. */
bool kin_sph_find_shift(kin_sph* f, kin_sph_tick* tick);
/* Heat flows, over the tick: explicit in stable parts, or implicit; total heat is kept to round-off. */
void kin_sph_heat(kin_sph* f, kin_sph_tick* tick);
/* Longest tick for what is explicit here, s. */
double kin_sph_forces_longest(const kin_sph* f);
/* Kinematic viscosity that walls are still to feel of a particle in this tick, m^2/s: at its temperature; of sand, what its friction makes of it; 0 where
 * kin_sph_calm has dealt with its walls. */
float kin_sph_viscosity_at(const kin_sph* f, size_t i);
/* Energy stored in surfaces and elastic matter, J: for measures. */
double kin_sph_elastic_energy(const kin_sph* f);
size_t kin_sph_forces_bytes(const kin_sph* f);
