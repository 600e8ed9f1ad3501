/* gravity.h - every point of a cloud pulls every other (H6.4, C3.3.4b): a_i = sum of G m_j (x_j - x_i) / (r^2 + e^2)^(3/2).
 *
 * The direct sum is the oracle, in doubles. The others count far bodies together: a cluster seen from afar is its mass at its centre (H6.4b). Grid and
 * adjacency are the textbook's; monopole and quadrupole are Barnes-Hut trees by groups; the fast multipole walk is the one to use. They compute in float
 * lanes, relative to the group at hand and in its own length, so neither far outliers nor astronomic units lose bits.
 *
 * Every body is summed by one thread in the order of the tree, so threads and lane widths never change a bit. Coincident points without softening pull each
 * other nowhere: that pair is left out and counted. */
#pragma once
#include "kinema/base.h"
#include "system/cloud.h"
#include "system/visitor.h"

#define KIN_GRAVITY_CONSTANT 6.67384e-11 /* m^3/(kg s^2) */

typedef enum kin_gravity_method {
    KIN_GRAVITY_DIRECT,
    KIN_GRAVITY_GRID,            /* H6.4c: 27 cells directly, all others by their mass */
    KIN_GRAVITY_TREE_MONOPOLE,   /* Barnes-Hut */
    KIN_GRAVITY_TREE_QUADRUPOLE, /* the same, with second moments */
    KIN_GRAVITY_TREE_ADJACENCY,  /* H6.4d: at each level the cells that are not neighbours */
    KIN_GRAVITY_FMM,             /* order 4, cells on cells */
} kin_gravity_method;

typedef struct kin_gravity_def {
    kin_gravity_method method;
    double constant;  /* G, m^3/(kg s^2) */
    double softening; /* m, >= 0 */
    double theta;     /* trees: a cell of side s is opened within s / theta of a group; (0, 1] */
    /* The multipole walk takes a pair of cells with radii S (source), T (target) at distance d when all three hold. */
    double opening;        /* S + T < opening d; (0, 1) */
    double opening_target; /* T < opening_target d; (0, 1) */
    double tolerance;      /* m_S (S + T)^4 / d^6 < tolerance |a|, the last call's; 0: not asked */
    double opening_body;   /* a cell acts on single bodies when S < opening_body (d - T); (0, 1) */
    uint32_t leaf;         /* trees: most bodies of a cell that is not split; n_max of H6.4d */
    uint32_t direct_below; /* up to so many points every method sums directly: orbits want the bits more than the time */
    bool single;           /* direct: float lanes, 1e-6, more than twice as fast */
} kin_gravity_def;

typedef struct kin_gravity kin_gravity;

typedef struct kin_gravity_stats {
    uint64_t pairs;      /* bodies on bodies, last call */
    uint64_t cells;      /* cells on bodies */
    uint64_t expansions; /* cells on cells */
    uint32_t nodes;      /* of the tree or the grid */
    size_t bytes;        /* held between calls */
} kin_gravity_stats;

kin_gravity_def kin_gravity_def_default(void); /* multipoles, 1e-3, G as measured, no softening */
/* Copies def. On failure *self is NULL and error says which field and why. */
kin_result kin_gravity_create(const kin_allocator* allocator, const kin_gravity_def* def, kin_gravity** self, kin_error* error);
void kin_gravity_destroy(kin_gravity* self); /* NULL is fine */

/* Adds to cloud->acceleration. Fails when a place or a mass is not finite (nothing was added then), and without memory
 * (some bodies may have theirs: the step is lost). */
kin_result kin_gravity_evaluate(kin_gravity* self, const kin_mutual_cloud* cloud, kin_error* error);
/* Energy of all pairs, J. Direct up to direct_below points, else by a quadrupole tree of theta up to 1/2. */
kin_result kin_gravity_potential(kin_gravity* self, const kin_mutual_cloud* cloud, double* energy, kin_error* error);
/* Pairs left out in the last evaluation. */
uint64_t kin_gravity_coincident(const kin_gravity* self);
kin_gravity_stats kin_gravity_statistics(const kin_gravity* self);
/* The last call's |a| of each body steers the next: it is state. It is ignored when the number of bodies has changed. */
void kin_gravity_visit(kin_gravity* self, kin_visitor* v);

/* H6.4c, table 6.1: cells for n bodies that balance near and far work. */
typedef struct kin_gravity_grid {
    uint32_t side;      /* D, the greatest with D^6 <= 27 n; at least 1 */
    uint32_t cells;     /* M = D^3 */
    double work;        /* T = n (27 n / M + M - 27) */
    double direct_work; /* n (n - 1) / 2 */
} kin_gravity_grid;

kin_gravity_grid kin_gravity_grid_plan(uint64_t n);
