/* integrators.h - the integrator study: every method on problems with known answers. House and Keyser ch. 7 (H7.5, H7.7d, Tables 7.1 and D with their errata),
 * the courses' stiff line (S-E), limits and orders (P4, R3.2-R3.5), Coutinho B7 (N6). */
#pragma once
#include "lab/sheet.h"

/* Tables of problems that are linear, and of orbits: a sheet each. */
void kin_lab_methods(kin_lab_study* study); /* order by regression, derivatives a step */
void kin_lab_fall_errors(kin_lab_study* study);
void kin_lab_limits(kin_lab_study* study);  /* longest stable steps */
void kin_lab_gains(kin_lab_study* study);   /* Fig 7.1 and 7.2 */
void kin_lab_growth(kin_lab_study* study);  /* Table D */
void kin_lab_costs(kin_lab_study* study);   /* Table 7.1 */
void kin_lab_damping(kin_lab_study* study); /* H7.5d */
void kin_lab_stiff_line(kin_lab_study* study);
void kin_lab_spring_energy(kin_lab_study* study);
void kin_lab_orbits(kin_lab_study* study);
void kin_lab_global_errors(kin_lab_study* study); /* H7.6 */

/* Pictures into a folder that is there; each is named in the study. */
kin_result kin_lab_draw_regions(kin_lab_study* study, const char* folder, kin_error* error);
kin_result kin_lab_draw_springs(kin_lab_study* study, const char* folder, kin_error* error);
kin_result kin_lab_draw_decay(kin_lab_study* study, const char* folder, kin_error* error);
kin_result kin_lab_draw_orbits(kin_lab_study* study, const char* folder, kin_error* error);

/* All of it. Returns the exit code, having printed. */
int kin_lab_integrators(const char* folder, bool json, bool quiet);
