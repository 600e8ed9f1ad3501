/** @file query.h
 * Questions about the solids of a world: rays, casts of any shape, overlaps, nearest points.
 *
 * Solids are asked where they stand now; with over_last_step a cast meets them as they moved over the last step. Answers are one a solid, nearest (or
 * earliest, or deepest) first, at most 64; ties go to the solid that was added first. Nothing changes the world. */
#pragma once
#include "kinema/anchor.h"
#include "kinema/collider.h"
#include "kinema/filter.h"
#include "kinema/shape.h"
#include "kinema/world.h"

/** What was found. */
typedef struct kin_query_hit {
    kin_vec3 point, normal;   /**< m, on the solid; unit, out of the surface */
    kin_vec3 velocity;        /**< of the solid there, m/s */
    double distance;          /**< along the ray in units of its direction, from the point, or between the surfaces; m; negative: overlap */
    double fraction;          /**< casts: of the way */
    kin_anchor anchor;        /**< the same point, fixed to its solid */
    uint32_t part;            /**< of a compound, else 0 */
    uint32_t triangle;        /**< of a mesh or height field, else 0 */
    kin_material_id material; /**< of the part */
    bool found;               /**< false: the rest is not set */
} kin_query_hit;

/** Who is asked. All zero asks every solid. */
typedef struct kin_query {
    kin_filter filter;                               /**< of the asker */
    kin_collider_id ignore;                          /**< not asked */
    bool (*accept)(void* context, kin_anchor solid); /**< NULL: all; may be called from several threads */
    void* context;                                   /**< for accept */
    bool over_last_step;                             /**< casts: solids move over the last step while the shape goes its way */
} kin_query;

/** A ray of a batch. */
typedef struct kin_ray {
    kin_vec3 origin, direction; /**< m; need not be unit */
    double max_distance;        /**< in units of direction */
} kin_ray;

/** First surface along a ray; direction need not be unit. */
KIN_API kin_query_hit kin_world_ray(const kin_world* world, kin_vec3 origin, kin_vec3 direction, double max_distance);
/** The first crossing of every solid along a ray, nearest first. A segment from a to b: direction b - a, max_distance 1. Returns how many. */
KIN_API int kin_world_ray_all(const kin_world* world, kin_vec3 origin, kin_vec3 direction, double max_distance, const kin_query* query, kin_query_hit* hits,
                              int most);
/** The first surface along each of many rays, on all threads of the world. */
KIN_API void kin_world_rays(kin_world* world, const kin_ray* rays, size_t count, const kin_query* query, kin_query_hit* hits);
/** Nearest surface within reach of a point. */
KIN_API kin_query_hit kin_world_closest(const kin_world* world, kin_vec3 point, double reach);
/** The nearest point of every solid within reach. Returns how many. */
KIN_API int kin_world_closest_all(const kin_world* world, kin_vec3 point, double reach, const kin_query* query, kin_query_hit* hits, int most);
/** Every solid that a shape overlaps or comes within margin (m) of, deepest first; normals point from the solid to the shape. */
KIN_API kin_result kin_world_overlap(kin_world* world, const kin_shape* shape, kin_transform pose, double margin, const kin_query* query, kin_query_hit* hits,
                                     int most, int* count, kin_error* error);
/** A shape on its way, position straight and orientation at constant rate: the first touch of every solid, earliest first. Not of planes. */
KIN_API kin_result kin_world_cast(kin_world* world, const kin_shape* shape, kin_transform from, kin_transform to, const kin_query* query, kin_query_hit* hits,
                                  int most, int* count, kin_error* error);
