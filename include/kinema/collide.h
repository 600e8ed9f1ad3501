/** @file collide.h
 * Two shapes, without a world: contact points, distances, times of impact; and rays against one.
 *
 * A form is a shape once checked: immutable, shared by counting, safe to ask from many threads. Poses place it. Normals point from B to A. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"
#include "kinema/shape.h"

/** A checked shape. */
typedef struct kin_form kin_form;

/** Checks and copies. allocator NULL: malloc. Errors name the member ("shape.radius"); on failure *out is NULL. */
KIN_API kin_result kin_form_create(const kin_allocator* allocator, const kin_shape* shape, kin_form** out, kin_error* error);
/** One owner more; returns its argument. */
KIN_API kin_form* kin_form_keep(kin_form* form);
/** One owner less; the last one's drop frees it. NULL is fine. */
KIN_API void kin_form_drop(kin_form* form);

/** Points that a manifold has at most. */
#define KIN_MANIFOLD_POINTS 4

/** A point of contact. */
typedef struct kin_manifold_point {
    kin_vec3 point;    /**< midway between the two surfaces, world, m */
    double separation; /**< m, along the normal; negative: they overlap */
    uint32_t id;       /**< of the features that made it: the same from step to step */
} kin_manifold_point;

/** Where two things touch: a normal and up to four points. */
typedef struct kin_manifold {
    kin_vec3 normal;                                /**< unit, world, from B to A */
    int count;                                      /**< of points */
    kin_manifold_point points[KIN_MANIFOLD_POINTS]; /**< deepest first is not promised */
    uint32_t part_a, part_b;                        /**< of compounds, else 0 */
    uint32_t triangle_a, triangle_b;                /**< of surfaces: that of the deepest point; else 0 */
} kin_manifold;

/** Every contact of two forms nearer than margin (m): a manifold for convex pairs, several for others, deepest first. *count says how many, at most `most`.
 * Fails only for lack of memory. */
KIN_API kin_result kin_forms_contacts(const kin_form* a, kin_transform pose_a, const kin_form* b, kin_transform pose_b, double margin, kin_manifold* out,
                                      int most, int* count, kin_error* error);

/** The nearest points of two convex bodies, or how deep they are in each other. */
typedef struct kin_gap {
    double distance;     /**< m; negative: depth */
    kin_vec3 on_a, on_b; /**< of the surfaces, m; on_a = on_b + distance normal */
    kin_vec3 normal;     /**< unit, from B to A: moving A along it parts them */
    int iterations;      /**< of GJK and EPA; 0: closed form */
} kin_gap;

/** Of convex forms: sphere, box, capsule, cylinder, cone, hull. Others are refused. In the world. */
KIN_API kin_result kin_forms_gap(const kin_form* a, kin_transform pose_a, const kin_form* b, kin_transform pose_b, kin_gap* out, kin_error* error);

/** Which features meet. */
typedef enum kin_impact_kind {
    KIN_IMPACT_NONE,
    KIN_IMPACT_VERTEX_FACE, /**< a vertex of A, a face of B */
    KIN_IMPACT_FACE_VERTEX,
    KIN_IMPACT_EDGE_EDGE,
    KIN_IMPACT_VERTEX_EDGE, /**< an end of one on an edge of the other, or motion within one plane */
    KIN_IMPACT_EDGE_VERTEX,
    KIN_IMPACT_VERTEX_VERTEX,
    KIN_IMPACT_FACE_EDGE, /**< flat on each other: of least dimension, but not a vertex */
    KIN_IMPACT_EDGE_FACE,
    KIN_IMPACT_FACE_FACE,
    KIN_IMPACT_ROUND, /**< a curved thing is part of it: no features */
} kin_impact_kind;

/** How the time of impact is found. */
typedef enum kin_impact_method {
    KIN_IMPACT_ADVANCE,  /**< conservative advancement: exact for turning bodies, to the tolerance */
    KIN_IMPACT_BISECT,   /**< halving the interval: needs overlap at its end */
    KIN_IMPACT_FEATURES, /**< triangles along chords, by cubics: inexact for bodies that turn far */
} kin_impact_method;

/** A first meeting. */
typedef struct kin_impact {
    kin_impact_kind kind;            /**< NONE: they do not meet */
    double t;                        /**< fraction of the interval */
    kin_vec3 point, normal;          /**< world, m; unit, from B to A */
    double distance;                 /**< m, at t: below the tolerance; negative: overlap, at the start */
    uint32_t a, b;                   /**< features: vertex, edge or face of a convex body; corner or edge of a triangle */
    uint32_t part_a, part_b;         /**< of compounds */
    uint32_t triangle_a, triangle_b; /**< of surfaces */
    int iterations;                  /**< of the clock, or tests made */
} kin_impact;

/** All thresholds are the user's. */
typedef struct kin_impact_settings {
    kin_impact_method method; /**< how */
    double tolerance;         /**< m: nearer than this is a touch */
    double least_interval;    /**< fraction: bisection stops there */
    int most_iterations;      /**< of the clock, for one pair of convex things; then it counts as touching */
    bool stop_when_parting;   /**< give up when the distance begins to grow; wrong for things that turn back */
} kin_impact_settings;

/** advance, 1e-6 m, 1e-9, 5000, false */
KIN_API kin_impact_settings kin_impact_defaults(void);

/** When two forms first meet over an interval: each goes straight from one pose to the other while it turns at a constant rate. settings NULL: the defaults.
 * Overlap at the start is an impact at 0. Fails only for lack of memory. */
KIN_API kin_result kin_forms_impact(const kin_form* a, kin_transform start_a, kin_transform end_a, const kin_form* b, kin_transform start_b,
                                    kin_transform end_b, const kin_impact_settings* settings, kin_impact* out, kin_error* error);

/** A point of a form. */
typedef struct kin_form_hit {
    kin_vec3 point, normal; /**< world, m; unit, out of the form */
    double distance;        /**< along the ray in units of its direction; or from the point, m, negative inside */
    uint32_t part;          /**< of a compound, else 0 */
    uint32_t triangle;      /**< of a surface, else 0 */
} kin_form_hit;

/** First crossing of the surface, from either side, at a distance within [0, max_distance]. */
KIN_API bool kin_form_ray(const kin_form* form, kin_transform pose, kin_vec3 origin, kin_vec3 direction, double max_distance, kin_form_hit* hit);
/** Nearest point within reach; inside a solid, at any depth. */
KIN_API bool kin_form_closest(const kin_form* form, kin_transform pose, kin_vec3 point, double reach, kin_form_hit* hit);

/** Mass, centre and inertia. */
typedef struct kin_mass_properties {
    double volume;           /**< m^3 */
    double mass;             /**< kg */
    kin_vec3 center;         /**< of mass, m, in the shape's frame */
    kin_mat3 inertia;        /**< about the centre, axes of the shape's frame, kg m^2 */
    kin_vec3 moments;        /**< principal, kg m^2, falling */
    kin_quat principal_axes; /**< turns the shape's axes into the principal ones */
} kin_mass_properties;

/** Of a solid form of even density, kg/m^3. Planes, height fields and open meshes are refused: they have no volume. */
KIN_API kin_result kin_form_mass(const kin_form* form, double density, kin_mass_properties* out, kin_error* error);
