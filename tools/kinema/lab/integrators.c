/* integrators.c - the integrator study from begin to end: its tables, then its pictures. */
#include "lab/integrators.h"

static kin_lab_table_fn* const tables[] = {kin_lab_methods, kin_lab_fall_errors, kin_lab_limits,        kin_lab_gains,  kin_lab_growth,        kin_lab_costs,
                                           kin_lab_damping, kin_lab_stiff_line,  kin_lab_spring_energy, kin_lab_orbits, kin_lab_global_errors, NULL};
static kin_lab_draw_fn* const pictures[] = {kin_lab_draw_decay, kin_lab_draw_springs, kin_lab_draw_orbits, kin_lab_draw_regions, NULL};

int kin_lab_integrators(const char* folder, bool json, bool quiet) { return kin_lab_study_run("integrators", tables, pictures, folder, json, quiet); }
