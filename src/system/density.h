/* density.h - a cloud on voxels that lasts (H4.5e): particles leave mass along their paths; it drifts, spreads and fades, and is seen as a volume.
 *
 *     kin_density_deposit(d, x0, x1, mass, n);    // as often as there is something to leave
 *     kin_density_step(d, jobs, h);
 *     kin_density_capture(d, "smoke", &look, capture); */
#pragma once
#include "base/jobs.h"
#include "kinema/frame.h"
#include "kinema/math.h"
#include "system/capture.h"
#include "system/param.h"
#include "system/visitor.h"

typedef struct kin_density_def {
    kin_vec3 low, high; /* m: corners of the box */
    int resolution;     /* voxels along the longest side; they are cubes as near as whole numbers allow */
    double fade;        /* s, in which mass falls to 1/e; 0: it stays */
    double disperse;    /* m^2/s */
    kin_vec3 flow;      /* m/s */
    double noise;       /* 0: none; share by which what is seen is perturbed */
    double noise_size;  /* m, of the largest curls */
    double noise_rate;  /* 1/s, at which they change */
    uint64_t seed;      /* of the noise */
} kin_density_def;

extern const kin_param kin_density_params[]; /* the rows of the def */
kin_density_def kin_density_def_default(void);

typedef struct kin_density kin_density;

/* Errors name the field. */
kin_result kin_density_create(const kin_allocator* allocator, const kin_density_def* def, kin_density** out, kin_error* error);
void kin_density_destroy(kin_density* density);
/* Its settings: the rows marked live may be changed between steps. */
kin_density_def* kin_density_settings(kin_density* density);

/* Spreads each mass (kg) evenly over the way from x0 to x1, shared by the voxels around. What lies outside the box, or is no number, is left out. */
void kin_density_deposit(kin_density* density, const double* const x0[3], const double* const x1[3], const double* mass, size_t count);
/* Drift, spreading, fading. Any h is stable; the same bits for any number of threads. */
void kin_density_step(kin_density* density, kin_jobs* jobs, double h);
double kin_density_mass(const kin_density* density);     /* kg, in the box */
kin_vec3 kin_density_centre(const kin_density* density); /* of mass, m; the middle of the box if there is none */
const int* kin_density_size(const kin_density* density); /* voxels along x, y, z */
void kin_density_visit(kin_density* density, kin_visitor* v);
/* A volume layer, in kg/m^3. Noise changes what is seen, not what is there. */
void kin_density_capture(const kin_density* density, const char* name, const kin_look* look, kin_capture* capture);
