/* cases.h - the cases of all files, by topic. A new case: a function in the file of its kind, its line here, its row in the topic's table. */
#pragma once
#include "validation/validation.h"

extern const kin_case kin_cases_particles[]; /* particles.c */
extern const kin_case kin_cases_world[];     /* world.c */

/* collision/: each file ends with its own table, all of the topic collision */
extern const kin_case kin_cases_hulls[];
extern const kin_case kin_cases_volumes[];
extern const kin_case kin_cases_pieces[];
extern const kin_case kin_cases_cells[];
extern const kin_case kin_cases_fields[];
extern const kin_case kin_cases_surfaces[];
extern const kin_case kin_cases_distance[];
extern const kin_case kin_cases_primitives[];
extern const kin_case kin_cases_broad[];
extern const kin_case kin_cases_impacts[];
extern const kin_case kin_cases_manifolds[];
extern const kin_case kin_cases_contacts[];
extern const kin_case kin_cases_interlock[];
extern const kin_case kin_cases_queries[];
/* rigid/ */
extern const kin_case kin_cases_motion[];     /* one body: tops, spins, momenta */
extern const kin_case kin_cases_collisions[]; /* impulses */
extern const kin_case kin_cases_forces[];     /* contact forces */
extern const kin_case kin_cases_joints[];
extern const kin_case kin_cases_stacks[]; /* real time */
extern const kin_case kin_cases_modes[];  /* exact against real time */
extern const kin_case kin_cases_throws[]; /* laws of random impacts, exact */
extern const kin_case kin_cases_ellipsoids[];
/* sph/ */
extern const kin_case kin_cases_sph[]; /* still.c */

/* tables.c */
void kin_case_free_fall(kin_case_run* run);
void kin_case_ballistic(kin_case_run* run);
void kin_case_drag(kin_case_run* run);
void kin_case_wind(kin_case_run* run);
void kin_case_decay(kin_case_run* run);
/* order.c */
void kin_case_order(kin_case_run* run);
void kin_case_order_in_air(kin_case_run* run);
/* bounce.c */
void kin_case_bounce(kin_case_run* run);
void kin_case_bounce_stop(kin_case_run* run);
void kin_case_hit_time(kin_case_run* run);
void kin_case_energy(kin_case_run* run);
/* policies.c */
void kin_case_policies(kin_case_run* run);
/* friction.c */
void kin_case_incline(kin_case_run* run);
void kin_case_slide(kin_case_run* run);
void kin_case_friction(kin_case_run* run);
/* rest.c */
void kin_case_box(kin_case_run* run);
void kin_case_no_rest(kin_case_run* run);
/* solids.c */
void kin_case_mesh(kin_case_run* run);
void kin_case_bounds(kin_case_run* run);
/* moving.c */
void kin_case_moving(kin_case_run* run);
/* emission.c */
void kin_case_emission(kin_case_run* run);
void kin_case_splits(kin_case_run* run);
void kin_case_ends(kin_case_run* run);
/* generators.c */
void kin_case_generators(kin_case_run* run);
/* fields.c */
void kin_case_attractor(kin_case_run* run);
void kin_case_kicks(kin_case_run* run);
void kin_case_limits(kin_case_run* run);
void kin_case_vortex(kin_case_run* run);
void kin_case_flow(kin_case_run* run);
void kin_case_cartoon(kin_case_run* run);
void kin_case_masks(kin_case_run* run);
void kin_case_goal(kin_case_run* run);
/* orbits.c */
void kin_case_kepler(kin_case_run* run);
void kin_case_figure_8(kin_case_run* run);
/* stars.c */
void kin_case_plummer(kin_case_run* run);
void kin_case_tree_force(kin_case_run* run);
/* pairs.c */
void kin_case_lennard_jones(kin_case_run* run);
void kin_case_charges(kin_case_run* run);
void kin_case_gyration(kin_case_run* run);
void kin_case_momentum(kin_case_run* run);
/* springs.c */
void kin_case_springs(kin_case_run* run);
/* crowds.c */
void kin_case_neighbours(kin_case_run* run);
void kin_case_flock(kin_case_run* run);
/* failures.c */
void kin_case_adaptive(kin_case_run* run);
