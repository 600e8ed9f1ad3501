/** @file field.h
 * Fields: what the world does to points, as functions of place, velocity and time; felt by every system.
 *
 *     kin_drag_field def;
 *     kin_field_default("drag", &def);
 *     def.drag = 0.1;
 *     kin_world_add_field(world, "drag", &def, NULL, &error);
 *
 * Every kind has a def that begins with a kin_field_common. `kinema help KIND` lists its members by the same names. */
#pragma once
#include "kinema/base.h"
#include "kinema/collider.h"
#include "kinema/curve.h"
#include "kinema/math.h"
#include "kinema/world.h"

/** A field of a world, in order of creation. */
typedef struct kin_field_id {
    uint32_t index1; /**< from 1 */
} kin_field_id;

/** Where a field is felt. */
typedef enum kin_region_kind {
    KIN_REGION_EVERYWHERE = -1, /**< no limit */
    KIN_REGION_SPHERE,          /**< within radius of center */
    KIN_REGION_BOX,             /**< sizes about center */
    KIN_REGION_PLANE,           /**< behind the plane through center, against its normal */
} kin_region_kind;

/** A part of space. */
typedef struct kin_region {
    kin_region_kind kind; /**< which of the others count */
    double radius;        /**< m, of a sphere */
    kin_vec3 sizes;       /**< m, full, of a box */
    kin_vec3 normal;      /**< of a plane */
} kin_region;

/** How a field fades towards the edge of its region. */
typedef enum kin_drop {
    KIN_DROP_NONE,   /**< whole inside, nothing outside */
    KIN_DROP_LINEAR, /**< whole at the centre, nothing at the edge (boxes: along the axis on which the edge is nearest; planes: over `depth`) */
    KIN_DROP_AXES,   /**< boxes: each component by its own axis */
} kin_drop;

/** What every field has: how strong it is over time, and who feels it. */
typedef struct kin_field_common {
    kin_curve strength; /**< factor over time; not given: 1 */
    kin_region region;  /**< where */
    kin_vec3 center;    /**< m, of the region */
    kin_drop drop;      /**< towards the region's edge */
    double depth;       /**< m: over which a plane's region fades in, with linear drop */
    double age[2];      /**< s: felt from the first to the second age; both 0: always */
    double fade;        /**< s: over which it fades in and out at those ages */
    struct {
        const char* const* data; /**< names; borrowed */
        size_t count;            /**< 0: felt by all */
    } tags;                      /**< felt by points that have one of them */
} kin_field_common;

/** A further uniform acceleration beside the world's gravity. */
typedef struct kin_gravity_field {
    kin_field_common common; /**< strength and mask */
    kin_vec3 gravity;        /**< m/s^2 */
} kin_gravity_field;

/** Force -drag (v - air), N; air is the sum of all winds. */
typedef struct kin_drag_field {
    kin_field_common common; /**< strength and mask */
    double drag;             /**< kg/s; below 0 drives */
    double quadratic;        /**< kg/m: adds quadratic |v - air| to drag */
    double top_speed;        /**< m/s: with drag below 0, no faster than this is driven; 0: no limit */
} kin_drag_field;

/** Moves the air; felt through drag. */
typedef struct kin_wind_field {
    kin_field_common common; /**< strength and mask */
    kin_vec3 wind;           /**< m/s */
} kin_wind_field;

/** How the pull of all on all is summed. */
typedef enum kin_attraction_method {
    KIN_ATTRACTION_MULTIPOLE,  /**< cells on cells, order 4: the fast one */
    KIN_ATTRACTION_DIRECT,     /**< every pair, in doubles */
    KIN_ATTRACTION_GRID,       /**< near cells directly, all others by their mass */
    KIN_ATTRACTION_MONOPOLE,   /**< Barnes-Hut tree */
    KIN_ATTRACTION_QUADRUPOLE, /**< the same, with second moments */
    KIN_ATTRACTION_ADJACENCY,  /**< a tree whose cells are opened when they are neighbours */
} kin_attraction_method;

/** Every point pulls every other of its system: gravity of stars. */
typedef struct kin_attraction_field {
    kin_field_common common;      /**< strength and mask of who is pulled */
    double attraction;            /**< m^3/(kg s^2): the constant of gravity */
    double softening;             /**< m */
    kin_attraction_method method; /**< how it is summed */
    double theta;                 /**< of trees, (0, 1]: smaller is more exact */
} kin_attraction_field;

/** Fills the def of a kind of field with its defaults. False: there is no such kind. */
KIN_API bool kin_field_default(const char* kind, void* def);
/** Adds a field; the def is copied. out may be NULL. */
KIN_API kin_result kin_world_add_field(kin_world* world, const char* kind, const void* def, kin_field_id* out, kin_error* error);
/** Force -d (v - air), N. d in kg/s, any sign: below 0 drives. */
KIN_API kin_result kin_world_add_drag(kin_world* world, double d, kin_field_id* out, kin_error* error);
/** Moves the air, m/s. */
KIN_API kin_result kin_world_add_wind(kin_world* world, kin_vec3 velocity, kin_field_id* out, kin_error* error);
/** A further uniform acceleration, m/s^2, beside the world's gravity. */
KIN_API kin_result kin_world_add_gravity(kin_world* world, kin_vec3 acceleration, kin_field_id* out, kin_error* error);
