/* gjk.h - distance of convex bodies by Gilbert, Johnson and Keerthi (C4.10): the point of A - B nearest to the origin.
 *
 * All is in A's frame; b_in_a is B's pose there. The normal is unit and points from B to A (n from 2 to 1). Bodies are cores with radii: the cores are
 * measured, the radii taken off. A cache of zeros is a cold start; kept between calls it holds the simplex, and coherent motion takes one or two
 * iterations. A cache belongs to one pair of bodies: forget it when a body's shape changes. Termination as in C4.10.1 with E4: the lower bound is
 * L = max p.q/|p|, and |p| - L <= mu |p| ends it. Sources: Coutinho 4.10, errata E4; van den Bergen for caching. */
#pragma once
#include "collision/form/convex.h"
#include "collision/narrow/part.h"
#include "math/quat.h"

typedef enum kin_subdistance { KIN_SUBDISTANCE_VOLUMES, KIN_SUBDISTANCE_JOHNSON } kin_subdistance;

typedef struct kin_gjk_step { /* what a watcher sees of each iteration */
    int iteration;
    double lower, upper; /* of the cores' distance: L and |p|, m */
} kin_gjk_step;

typedef struct kin_gjk_settings {
    double tolerance;                                       /* mu, of the distance */
    int most_iterations;                                    /* smooth cores may not get within mu; the bounds then tell how near */
    double far;                                             /* m, of the surfaces: bodies known to be farther apart are not measured to the end */
    kin_subdistance subdistance;                            /* Johnson falls back to signed volumes where it finds no subset or does not come nearer */
    void (*watch)(void* context, const kin_gjk_step* step); /* may be NULL */
    void* context;
} kin_gjk_settings;
kin_gjk_settings kin_gjk_defaults(void); /* mu 1e-10, 128 iterations, any distance, signed volumes */

typedef struct kin_gjk_cache {
    uint32_t count; /* points of the simplex; 0: none */
    uint32_t a[4], b[4];
    kin_vec3 axis; /* last normal; zero: none */
} kin_gjk_cache;

typedef struct kin_gjk_result {
    double distance;       /* m, of the surfaces; negative where only the radii overlap; -(sum of radii) when the cores do */
    bool is_overlapping;   /* the cores: points and normal then say nothing, ask EPA */
    kin_vec3 on_a, on_b;   /* nearest points of the surfaces, m */
    kin_vec3 normal;       /* from B to A */
    double lower;          /* a bound that the true distance is not below, m */
    int iterations;        /* support points asked for */
    kin_gjk_cache simplex; /* its vertices span the nearest features */
} kin_gjk_result;

/* settings, cache: may be NULL. */
void kin_gjk_distance(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_gjk_settings* settings, kin_gjk_cache* cache,
                      kin_gjk_result* out);
/* Features of least dimension that hold the nearest points. */
kin_part kin_gjk_part_a(const kin_convex* a, const kin_gjk_result* result);
kin_part kin_gjk_part_b(const kin_convex* b, const kin_gjk_result* result);

/* Whether they overlap (touching counts). The cache's axis is tried first: while it still parts them, one support point is all it takes (a witness plane). */
bool kin_gjk_intersects(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache);

typedef struct kin_cast {
    double fraction; /* of the way at first touch, in [0, 1] */
    kin_vec3 point;  /* of touch, in A's frame where A stands still, m */
    kin_vec3 normal; /* from B to A */
} kin_cast;
/* B moves by `motion` (m, A's frame) without turning. True when it touches A on the way; at the start already: fraction 0. The distance of moving convex
 * bodies is a convex function of time, so Newton's steps come from below and never pass the first touch. It ends within `tolerance` m of touching. */
bool kin_gjk_cast(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_vec3 motion, double tolerance, kin_gjk_cache* cache, kin_cast* out);
