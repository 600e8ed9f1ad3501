/* spring.h - damped springs between points: forces, energy and derivatives, for everything that is made of links. R3.1, Coutinho 3.3.3.
 *
 * With u the direction from a to b and l their distance: F_a = (stiffness (l - rest) + damping (v_b - v_a) . u) u, F_b = -F_a, to the bit. Links without length
 * have no direction and no force. */
#pragma once
#include "base/jobs.h"
#include "kinema/base.h"
#include "kinema/math.h"

typedef struct kin_spring {
    uint32_t a, b;
    double stiffness; /* N/m */
    double damping;   /* kg/s, along the spring only */
    double rest;      /* m */
} kin_spring;

/* A stiffness given per strain, N, as one per length; without length: unchanged, for there is none to be relative to. */
double kin_spring_relative_stiffness(double per_strain, double rest);
/* The damping of a ratio (1: critical) between two masses: 2 ratio sqrt(stiffness mu), mu = the reduced mass. An inverse mass of 0 is a fixed end. */
double kin_spring_damping(double ratio, double stiffness, double inv_mass_a, double inv_mass_b);

/* The force on b by its spring; on a it is the opposite. */
kin_vec3 kin_spring_force(const kin_spring* spring, kin_vec3 xa, kin_vec3 xb, kin_vec3 va, kin_vec3 vb);
/* Adds to forces, link after link: one thread. */
void kin_springs_force(const kin_spring* links, size_t count, const double* const x[3], const double* const v[3], double* const force[3]);
double kin_springs_energy(const kin_spring* links, size_t count, const double* const x[3]); /* J; pairwise sums */

/* How F_b changes with x_b and v_b. By symmetry dF_b/dx_a = -dF_b/dx_b and dF_a/dx_a = dF_b/dx_b, and so with v. */
typedef struct kin_spring_blocks {
    kin_mat3 dx; /* N/m */
    kin_mat3 dv; /* kg/s */
} kin_spring_blocks;
kin_spring_blocks kin_spring_derivative(const kin_spring* spring, kin_vec3 xa, kin_vec3 xb, kin_vec3 va, kin_vec3 vb);
/* The same without what makes compressed springs buckle (the part across u of a spring shorter than its rest), and without the change of u under damping: the
 * matrix is symmetric and has no eigenvalue above 0, as implicit methods by conjugate gradients want. */
kin_spring_blocks kin_spring_derivative_definite(const kin_spring* spring, kin_vec3 xa, kin_vec3 xb);

/* Which links touch a point: entry = 2 link + (1: it is b), entries[begin[i]] to entries[begin[i + 1]], links rising. */
typedef struct kin_spring_lists {
    kin_allocator allocator;
    uint32_t* begin;   /* point_count + 1 */
    uint32_t* entries; /* 2 count */
    uint32_t point_count;
    size_t link_count;
} kin_spring_lists;
/* At most 2^31 - 1 links; refuses those that name no point, or one point twice. */
kin_result kin_spring_lists_init(kin_spring_lists* lists, const kin_allocator* allocator, const kin_spring* links, size_t count, uint32_t point_count,
                                 kin_error* error);
void kin_spring_lists_term(kin_spring_lists* lists);
/* As kin_springs_force, to the bit when forces start at 0, for any number of threads: every point gathers from its own links in order. */
void kin_springs_gather(const kin_spring_lists* lists, const kin_spring* links, kin_jobs* jobs, const double* const x[3], const double* const v[3],
                        double* const force[3]);
