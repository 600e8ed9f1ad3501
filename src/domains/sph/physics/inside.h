/* inside.h - what the files of this folder share: scratch, sums over the lattice, and the terms in the order of forces.c. */
#pragma once
#include "base/alloc.h"
#include "domains/sph/physics/elastic.h"
#include "domains/sph/physics/kernels.h"
#include "domains/sph/physics/physics.h"
#include "math/sym3.h"
#include "system/field.h"

/* The surface of a half-space of the lattice (tension.c), m: how deep N lies on average; what of its depth bears no pressure along the surface; what D lacks in
 * the first layer over |n| there. */
typedef struct kin_sph_surface {
    double depth, thin, missing;
} kin_sph_surface;

/* Sums over the neighbours of a particle in the lattice it is born in: what makes coefficients physical ones. */
typedef struct kin_sph_scales {
    double moment;   /* -sum g x^2 along an axis: 1 for a fine lattice */
    double all_g;    /* -sum g, 1/m^2 */
    double adhesion; /* C of tension.c */
    kin_sph_surface surface;
    kin_sph_company company;
} kin_sph_scales;

/* A surface of fluid, and what the pulls on it sum up to (shells.c). */
typedef struct kin_sph_shell {
    kin_vec3 force, middle, torque;
    kin_vec3 hold; /* l of shells.c */
    kin_sym3 inertia, walls;
    double part, bend; /* sums of |N|, and of it times kappa */
    double lift;       /* from where pulls are to where the surface is */
    double press;      /* Pa, of the air */
    bool open;         /* touches a wall */
} kin_sph_shell;

struct kin_sph_physics {
    kin_allocator allocator;
    kin_sph_scales scales;
    float* scratch;
    size_t scratch_capacity;
    kin_sph_memory elastic;
    bool has_elastic, has_sand, has_thickness;
    double gravity;  /* m/s^2, of this tick: for sand */
    bool holds;      /* walls were dealt with in the viscous solve of this tick */
    uint32_t* shell; /* scratch of shells.c: whole numbers by particle */
    kin_sph_shell* shells;
    size_t shell_capacity, shells_capacity;
    double surface_energy; /* J, at the start of the tick */
    size_t seen_count;     /* particles, and the next serial, when lists and bonds were last looked at: measures need both as they were */
    uint64_t seen_serial;
    kin_mutuals mutuals; /* forces of fields between all particles; what they remember is state */
    double* crowd;       /* scratch: what such fields are told */
    float* aside4;       /* of this tick, where fields act after pressure (fields.c) */
    size_t crowd_capacity, aside_capacity;
    const kin_fields* fields; /* the world's; NULL: a tank without a world */
    double carried;           /* m/s: the most that anybody was carried by beside his own way, in the last tick; state */
};

/* ---- physics.c ---- */
/* count arrays of four floats a particle, padded; theirs until the next call. NULL: out of memory. */
float* kin_sph_scratch(kin_sph* f, size_t count);
static inline size_t kin_sph_four(const kin_sph* f) { return 32 * f->blocks; } /* floats of such an array */
kin_sph_pairs kin_sph_pairs_of(const kin_sph* f);
const kin_sph_physics_kernels* kin_sph_physics_kernels_of(const kin_sph* f);
/* The first particle past these blocks that is there. */
static inline size_t kin_sph_end(const kin_sph* f, size_t end) { return end * KIN_SPH_LANES < f->count ? end * KIN_SPH_LANES : f->count; }
static inline int kin_sph_dimensions(const kin_sph* f) { return f->flat ? 2 : 3; }
static inline kin_vec3 kin_sph_get(const float* fours, size_t i) { return kin_v((double)fours[4 * i], (double)fours[4 * i + 1], (double)fours[4 * i + 2]); }
static inline void kin_sph_put(float* fours, size_t i, kin_vec3 v) { fours[4 * i] = (float)v.x, fours[4 * i + 1] = (float)v.y, fours[4 * i + 2] = (float)v.z; }
static inline const kin_sph_phase_def* kin_sph_phase_def_of(const kin_sph* f, size_t i) { return &f->def.phases.data[f->phase[i]]; }

/* ---- the terms: each adds to a4 unless it says otherwise; false: out of memory ---- */
bool kin_sph_fields(kin_sph* f, kin_sph_tick* tick);       /* sets a4: fields, buoyancy, drag of the air; false: refused */
bool kin_sph_fields_begin(kin_sph* f, kin_sph_tick* tick); /* keeps velocities for kin_sph_fields_after */
bool kin_sph_shear(kin_sph* f, kin_sph_tick* tick);        /* where it is explicit */
bool kin_sph_tension_force(kin_sph* f, kin_sph_tick* tick);
bool kin_sph_confine(kin_sph* f, kin_sph_tick* tick);    /* vorticity */
bool kin_sph_micropolar(kin_sph* f, kin_sph_tick* tick); /* and turns spin4 */
bool kin_sph_sand(kin_sph* f, kin_sph_tick* tick);
bool kin_sph_elastic_force(kin_sph* f, kin_sph_tick* tick);

/* ---- viscosity.c ---- */
float kin_sph_nu(const kin_sph* f, size_t i); /* m^2/s: its own, at its temperature */
bool kin_sph_is_implicit(const kin_sph* f, double h);
bool kin_sph_thickness_differs(const kin_sph* f);     /* whether dynamic viscosities do, from particle to particle */
double kin_sph_viscosity_tick(const kin_sph* f);      /* s: longest stable explicit one */
double kin_sph_softness(const kin_sph* f, size_t i);  /* the phase's thickness at the particle's temperature */
double kin_sph_reference(const kin_sph* f, size_t i); /* K */

/* ---- tension.c ---- */
kin_sph_surface kin_sph_surface_of(const kin_sph_bell* bell, double spacing);
double kin_sph_adhesion_factor(const kin_sph_bell* bell, double spacing); /* C */
double kin_sph_tension_tick(const kin_sph* f);

/* ---- shells.c ---- */
typedef struct kin_sph_pulls {
    const float *bend4, *pull4; /* the first: kappa; N and |N|, 0 of who is at no surface. x4: the fourth is the tension */
    double order, press;        /* what N is too large by; Pa, of the air */
    float* coef;                /* out: what walls get, as pressures */
} kin_sph_pulls;
/* a4 += 2 (sigma kappa + press) N / rho as it is at the surface, and of closed surfaces none forced or turned as a whole. False: out of memory. */
bool kin_sph_pull_shells(kin_sph* f, kin_jobs* jobs, const kin_sph_pulls* how);

/* ---- cohesion.c ---- */
kin_sph_company kin_sph_company_of(int dimensions, double support, double spacing); /* c = 1 and sum slope (1 - q)^2 x^2 = 1 in the lattice */
/* room: three arrays of fours; coef: what walls get, as pressures; x4: the fourth is the tension. */
void kin_sph_cohesion(kin_sph* f, kin_jobs* jobs, float* room, float* coef);

/* ---- sand.c ---- */
double kin_sph_sand_tick(const kin_sph* f);
float kin_sph_sand_grip(const kin_sph* f, size_t i); /* m^2/s: what walls take for its viscosity; 0: not sand */

/* ---- elastic.c ---- */
double kin_sph_elastic_tick(const kin_sph* f);

/* ---- implicit.c ---- */
bool kin_sph_viscosity_implicit(kin_sph* f, kin_sph_tick* tick); /* changes v4 */
