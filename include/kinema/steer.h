/** @file steer.h
 * Fields that let points mind where they go: keeping away from things, steering round them, flocking and hunting.
 *
 *     kin_flock_field def;
 *     kin_field_default("flock", &def);
 *     def.range[0] = 0.5, def.range[1] = 1;
 *     def.eyes = KIN_EYES_PIGEON;
 *     kin_world_add_field(world, "flock", &def, NULL, &error); */
#pragma once
#include "kinema/base.h"
#include "kinema/field.h"
#include "kinema/math.h"

/** A ball in a field's def. */
typedef struct kin_ball {
    kin_vec3 center; /**< m */
    double radius;   /**< m */
} kin_ball;

/** A straight line between two points. */
typedef struct kin_line {
    kin_vec3 from; /**< m */
    kin_vec3 to;   /**< m */
} kin_line;

/** A list of points. */
typedef struct kin_vectors {
    const kin_vec3* data; /**< borrowed */
    size_t count;         /**< of them */
} kin_vectors;

/** A list of balls. */
typedef struct kin_balls {
    const kin_ball* data; /**< borrowed */
    size_t count;         /**< of them */
} kin_balls;

/** A list of names. */
typedef struct kin_names {
    const char* const* data; /**< borrowed */
    size_t count;            /**< of them */
} kin_names;

/** Keeps points away from things by a potential: acceleration repel / distance^power, straight away from each. Points that come head-on turn back, and it is
 * felt where nothing threatens, too: steering (kin_steer_field) does better there. */
typedef struct kin_repel_field {
    kin_field_common common; /**< strength and mask */
    double repel;            /**< m/s^2 at 1 m; below 0 attracts */
    double power;            /**< of the distance */
    double reach;            /**< m: not felt beyond this distance; 0: no limit */
    double closest;          /**< m: nearer, and behind a surface, it is as strong as here */
    kin_vectors points;      /**< m: to keep away from */
    struct {
        const kin_line* data; /**< borrowed */
        size_t count;         /**< of them */
    } lines;                  /**< to keep away from */
    kin_balls spheres;        /**< to stay out of: the distance is to the surface */
    kin_balls containers;     /**< to stay in */
    bool solids;              /**< keep away from the world's colliders too: from each one's closest place; needs a reach */
} kin_repel_field;

/** Where to aim when a sphere is in the way. */
typedef enum kin_steer_way {
    KIN_STEER_SIDE,    /**< beside its centre, one radius off */
    KIN_STEER_TANGENT, /**< where the nearest line from the point touches it */
} kin_steer_way;

/** How things steer round obstacles: sideways, just enough to miss them, and no more than other accelerations do already. */
typedef struct kin_steering {
    double ahead;      /**< s: obstacles that are met later than this are not minded; 0: none are */
    kin_balls spheres; /**< to go round */
    bool solids;       /**< go round the world's colliders, as they stand now */
    double margin;     /**< m: kept beyond the own radius */
    double view;       /**< rad: full angle of the cone about the velocity in which the middle of a sphere must be to be seen */
    kin_steer_way way; /**< round spheres */
    double limit;      /**< m/s^2: never more; 0: no limit */
} kin_steering;

/** Steers points round what is in their way. */
typedef struct kin_steer_field {
    kin_field_common common; /**< strength and mask */
    kin_steering steering;   /**< what and how */
} kin_steer_field;

/** Which way neighbours are seen. */
typedef enum kin_eyes {
    KIN_EYES_ALL,    /**< all round */
    KIN_EYES_PIGEON, /**< well within 30 degrees, nothing beyond 340: eyes at the sides */
    KIN_EYES_OWL,    /**< well within 70 degrees, nothing beyond 110: both eyes in front */
    KIN_EYES_OWN,    /**< by `view` */
} kin_eyes;

/** Flocking: every point minds its neighbours. A flock is all points that have one of common.tags (all, if none are given), but for predators. Demands are met in
 * this order until `limit` is used up: obstacles, predators, keeping apart, the leader, the same velocity, the middle, the cruising speed. */
typedef struct kin_flock_field {
    kin_field_common common; /**< strength and mask */
    double range[2];         /**< m: neighbours nearer than the first count whole, less and less up to the second, not beyond */
    double apart;            /**< m^2/s^2: keeping apart, apart / distance from each neighbour */
    double match;            /**< 1/s: towards the velocity of each neighbour */
    double centre;           /**< 1/s^2: towards the place of each neighbour */
    double closest;          /**< m: keeping apart grows no further below this distance */
    kin_eyes eyes;           /**< which way neighbours are seen */
    double view[2];          /**< rad: with KIN_EYES_OWN, full angles about the velocity: whole within the first, nothing beyond the second */
    double limit;            /**< m/s^2: all of it together; 0: no limit */
    kin_steering obstacles;  /**< steered round before all else */
    kin_names leaders;       /**< tags of points that are followed and do not feel the flock */
    double follow;           /**< 1/s^2: towards the nearest leader */
    double follow_range;     /**< m: leaders beyond are not followed; 0: no limit */
    kin_names predators;     /**< tags of points that are fled from and are not of the flock */
    double flee;             /**< m/s^2: away from a predator at no distance, less and less up to flee_range */
    double flee_range;       /**< m */
    kin_vec3 plane;          /**< normal of the ground for runners: nothing is done along it; zero: in space */
    double speed;            /**< m/s: cruising speed */
    double drive;            /**< 1/s: towards it; 0: any speed will do */
} kin_flock_field;

/** What a hunter runs for. */
typedef enum kin_hunt_aim {
    KIN_HUNT_NEAREST, /**< the nearest prey */
    KIN_HUNT_MIDDLE,  /**< the middle of all prey in sight */
} kin_hunt_aim;

/** Points chase points of other kinds: towards the velocity `speed` at the prey. */
typedef struct kin_hunt_field {
    kin_field_common common; /**< strength and mask: common.tags are the hunters */
    kin_names prey;          /**< tags */
    kin_hunt_aim aim;        /**< at whom */
    double sight;            /**< m: prey farther away is not seen; 0: no limit */
    double speed;            /**< m/s */
    double response;         /**< s: in which the velocity comes near the wanted one */
    double limit;            /**< m/s^2; 0: no limit */
    kin_vec3 plane;          /**< as of a flock */
} kin_hunt_field;
