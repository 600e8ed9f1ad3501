/* solids.h - studies of solids by themselves: primitive tests, bounding volumes and their trees, signed distance fields, masses. */
#pragma once
#include "geometry/mesh.h"
#include "lab/sheet.h"

/* NULL: no memory. tolerance: of the triangles, m. */
kin_mesh* kin_lab_torus(double ring, double tube, double tolerance);
kin_mesh* kin_lab_ball(double radius, double tolerance);
kin_mesh* kin_lab_cube(double edge, kin_quat turned);
/* Milliseconds of this process since a clock() before: other work on the machine does not count. */
double kin_lab_ms(long began);

/* Each prints all of a study and returns the exit code. */
int kin_lab_fields(const char* folder, bool json, bool quiet);
int kin_lab_mass(const char* folder, bool json, bool quiet);
int kin_lab_primitives(const char* folder, bool json, bool quiet);
int kin_lab_volumes(const char* folder, bool json, bool quiet);
