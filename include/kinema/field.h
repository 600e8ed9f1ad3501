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

/** How a region is turned about its center; or moved by keys, straight between them: it stands before the first and after the last. */
typedef struct kin_region_motion {
    kin_quat orientation; /**< four zeros: unturned */
    struct {
        const kin_key* data; /**< positions are centres; borrowed */
        size_t count;        /**< 0: center and orientation count */
    } keys;                  /**< poses over time */
} kin_region_motion;

/** What every field has: how strong it is over time, and who feels it. */
typedef struct kin_field_common {
    kin_curve strength;       /**< factor over time; not given: 1 */
    kin_region region;        /**< where */
    kin_vec3 center;          /**< m, of the region */
    kin_region_motion motion; /**< of the region */
    kin_drop drop;            /**< towards the region's edge */
    double depth;             /**< m: over which a plane's region fades in, with linear drop */
    double age[2];            /**< s: felt from the first to the second age; both 0: always */
    double fade;              /**< s: over which it fades in and out at those ages */
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

/** a = -attractor r^-exponent towards a point that may move; within core the pull fades linearly to 0. */
typedef struct kin_attractor_field {
    kin_field_common common; /**< strength and mask */
    double attractor;        /**< m^(exponent + 1)/s^2; below 0 repels */
    kin_curve toward;        /**< m, over time; not given: the origin */
    double exponent;         /**< 2: as gravity, -1: as a spring */
    double core;             /**< m, > 0 */
    double extent;           /**< m: nothing is felt beyond; 0: no limit */
} kin_attractor_field;

/** What a line does about its ends. */
typedef enum kin_line_ends {
    KIN_LINE_INFINITE, /**< it has none */
    KIN_LINE_IGNORE,   /**< a segment; who is beyond them feels nothing */
    KIN_LINE_NEAREST,  /**< a segment; who is beyond one is pulled to it */
} kin_line_ends;

/** As kin_attractor_field, towards the nearest point of a line. */
typedef struct kin_line_attractor_field {
    kin_field_common common; /**< strength and mask */
    double line_attractor;   /**< m^(exponent + 1)/s^2; below 0 repels */
    kin_vec3 from, to;       /**< m */
    kin_line_ends ends;      /**< beyond from and to */
    double exponent;         /**< of the distance */
    double core;             /**< m, > 0 */
    double extent;           /**< m, from the line; 0: no limit */
} kin_line_attractor_field;

/** Force charge E, N. */
typedef struct kin_electric_field {
    kin_field_common common; /**< strength and mask */
    kin_vec3 electric;       /**< V/m */
} kin_electric_field;

/** Force charge v x B, N: turns, does no work. */
typedef struct kin_magnetic_field {
    kin_field_common common; /**< strength and mask */
    kin_vec3 magnetic;       /**< T */
} kin_magnetic_field;

/** Kicks in random directions, at times that do not depend on the step. */
typedef struct kin_kicks_field {
    kin_field_common common; /**< strength and mask */
    double kicks;            /**< m/s, of each */
    double rate;             /**< 1/s */
} kin_kicks_field;

/** Holds speeds between two limits; who starts outside may come in, but not go further out. */
typedef struct kin_speed_limit_field {
    kin_field_common common; /**< strength and mask */
    double speed_limit;      /**< m/s; 0: none */
    double least;            /**< m/s; 0: none */
} kin_speed_limit_field;

/** Carries points along, momentum untouched. */
typedef struct kin_translate_field {
    kin_field_common common; /**< strength and mask */
    kin_vec3 translate;      /**< m/s */
    double deviation;        /**< m/s: standard, of each component, drawn once for each point */
} kin_translate_field;

/** Turns the velocity by which points are carried, momentum untouched. */
typedef struct kin_rotate_field {
    kin_field_common common; /**< strength and mask */
    double rotate;           /**< rad */
    kin_vec3 axis;           /**< not zero */
    double deviation;        /**< rad: standard, drawn once for each point */
} kin_rotate_field;

/** Scales the velocity by which points are carried, momentum untouched. */
typedef struct kin_scale_field {
    kin_field_common common; /**< strength and mask */
    double scale;            /**< factor */
    double deviation;        /**< standard, drawn once for each point */
} kin_scale_field;

/** What a vortex does. */
typedef enum kin_vortex_acts {
    KIN_VORTEX_CARRY,    /**< turns points about the axis, radius kept */
    KIN_VORTEX_VELOCITY, /**< turns the velocity by which they are carried */
    KIN_VORTEX_AIR,      /**< moves the air */
} kin_vortex_acts;

/** A whirl inside a cylinder: min(max_rate, (radius / r)^tightness vortex) turns per second. */
typedef struct kin_vortex_field {
    kin_field_common common; /**< strength and mask */
    double vortex;           /**< turns/s at the radius; the sign is that of the turn about axis */
    double max_rate;         /**< turns/s, > 0 */
    double tightness;        /**< 2: as a physical vortex */
    kin_vec3 base, axis;     /**< m; direction from the base */
    double length, radius;   /**< m, of the cylinder, > 0 */
    kin_vortex_acts acts;    /**< on what */
} kin_vortex_field;

/** What a flow does. */
typedef enum kin_flow_acts {
    KIN_FLOW_AIR,   /**< moves the air, felt through drag */
    KIN_FLOW_CARRY, /**< carries points along, momentum untouched */
} kin_flow_acts;

/** How a source spreads. */
typedef enum kin_source_form {
    KIN_SOURCE_POINT, /**< from a point, source / (4 pi r^2): free of divergence in space */
    KIN_SOURCE_AXIS,  /**< from a line, source / (2 pi r) at a distance r from it */
    KIN_SOURCE_TEXT,  /**< from a point, source / (2 pi r): the plane law taken as it is, with divergence in space */
} kin_source_form;

/** A steady potential flow out of a point or a line; below 0 it drains. */
typedef struct kin_source_field {
    kin_field_common common; /**< strength and mask */
    double source;           /**< m^3/s of a point; m^2/s of an axis or by the text's law */
    kin_source_form form;    /**< how it spreads */
    kin_vec3 at, axis;       /**< m; direction of the line */
    double max_speed;        /**< m/s: near the source no more */
    kin_flow_acts acts;      /**< on what */
} kin_source_field;

/** A steady potential flow round an infinite line: circulation / (2 pi r). */
typedef struct kin_vortex_line_field {
    kin_field_common common; /**< strength and mask */
    double vortex_line;      /**< m^2/s: circulation about axis */
    kin_vec3 at, axis;       /**< m; direction of the line */
    double max_speed;        /**< m/s: near the line no more */
    kin_flow_acts acts;      /**< on what */
} kin_vortex_line_field;

/** Lennard-Jones forces between the points of a system: 4 molecules ((sigma / r)^12 - (sigma / r)^6), J. */
typedef struct kin_molecules_field {
    kin_field_common common; /**< strength and mask */
    double molecules;        /**< J: depth of the well */
    double sigma;            /**< m, > 0 */
    double cutoff;           /**< m: none beyond; 0: all pairs */
    double core;             /**< share of sigma below which the force grows no more */
    bool shift;              /**< energies count from that at cutoff, so that none is lost there */
} kin_molecules_field;

/** Coulomb forces between the points of a system, of their charges. */
typedef struct kin_charges_field {
    kin_field_common common; /**< strength and mask */
    double charges;          /**< N m^2/C^2 */
    double softening;        /**< m: r^2 + softening^2 in place of r^2 */
    double cutoff;           /**< m: none beyond; 0: all pairs */
} kin_charges_field;

/** A fall as in a cartoon: who gets to an age hangs for a while, then catches up with where it should be by now. */
typedef struct kin_cartoon_field {
    kin_field_common common; /**< strength and mask */
    double cartoon;          /**< s: the pause */
    double begin;            /**< s: age at which it hangs */
    double catch_up;         /**< s, > 0: over which it catches up */
    kin_vec3 fall;           /**< m/s^2: the acceleration it catches up with; the sum of the gravities */
} kin_cartoon_field;

/** Pulls every point to a place of its own on a mesh, by a damped spring. */
typedef struct kin_goal_field {
    kin_field_common common; /**< strength and mask */
    kin_mesh_view goal;      /**< places are spread evenly over its surface, by serial number */
    kin_vec3 position;       /**< m, of the mesh */
    kin_quat orientation;    /**< of the mesh */
    double size;             /**< factor, > 0, of the mesh */
    double stiffness;        /**< 1/s^2 */
    double damping;          /**< ratio: 1 is critical */
} kin_goal_field;

/** Points for a law of one's own; every array is count long. */
typedef struct kin_law_points {
    int count;                  /**< of points */
    double time;                /**< s */
    const double *x, *y, *z;    /**< m */
    const double *vx, *vy, *vz; /**< m/s */
    const double* inv_mass;     /**< 1/kg */
    const double* age;          /**< s; NULL: all as old as the world */
    double *ax, *ay, *az;       /**< m/s^2, to be added to */
} kin_law_points;

/** A law of one's own: adds accelerations. The same points and time must give the same numbers; it may be called on any thread, for any part of the points. */
typedef void kin_law_fn(void* context, const kin_law_points* points);

/** A field that is a function. */
typedef struct kin_law_field {
    kin_field_common common; /**< strength and mask */
    const char* law;         /**< its name, for messages; may be NULL */
    kin_law_fn* fn;          /**< not NULL */
    void* context;           /**< handed to fn; borrowed for as long as the world lives */
    bool one_thread;         /**< fn is called by one thread at a time */
} kin_law_field;

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
/** A law of one's own, felt by all; kin_world_add_field(world, "law", ...) has masks and one_thread. context is borrowed for as long as the world lives. */
KIN_API kin_result kin_world_add_law(kin_world* world, kin_law_fn* fn, void* context, kin_field_id* out, kin_error* error);
