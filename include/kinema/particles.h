/** @file particles.h
 * Point masses with a radius: they fall, drift, bounce off colliders, slide and come to rest. Handbook: docs/particles.md */
#pragma once
#include "kinema/base.h"
#include "kinema/world.h"

/** What a particle does when its path meets a solid. */
typedef enum kin_hit_policy {
    KIN_HIT_EXACT,       /**< go back to the time of the hit, respond, go on with what is left of the step */
    KIN_HIT_APPROXIMATE, /**< stop at the place of the hit on the straight path, respond, drop the rest of the step */
    KIN_HIT_PROJECT,     /**< end of step: move out along the normal, respond */
    KIN_HIT_REFLECT,     /**< end of step: mirror the penetration, (1 + restitution) d: fixed cost */
} kin_hit_policy;

/** How an exact hit is found on a curved path. */
typedef enum kin_hit_path {
    KIN_HIT_PATH_CURVE, /**< follow the integrator's own path, cutting it until the chord is good enough */
    KIN_HIT_PATH_EULER, /**< a step that hits is taken by Euler's straight line: the hit is exact on it */
} kin_hit_path;

/** Friction of a hit: Coulomb's law, limited by the normal impulse, or a fixed share of the tangential speed. */
typedef enum kin_friction_model { KIN_FRICTION_COULOMB, KIN_FRICTION_SIMPLE } kin_friction_model;

/** What particles do when they meet each other. */
typedef enum kin_contacts {
    KIN_CONTACTS_NONE,  /**< they pass through each other */
    KIN_CONTACTS_FAST,  /**< sweeps of impulses over all that touch, once a step: for many grains */
    KIN_CONTACTS_EXACT, /**< hit by hit, each at its time; those that touch are solved together: for some, up to about a hundred that touch */
} kin_contacts;

/** One particle, or `count` of them spread at random over a box. */
typedef struct kin_particle_group {
    kin_vec3 position;        /**< m, centre of the box */
    kin_vec3 velocity;        /**< m/s */
    double mass;              /**< kg, > 0 */
    double radius;            /**< m, >= 0 */
    kin_material_id material; /**< of this world */
    int64_t count;            /**< 1: at position itself when box is zero */
    kin_vec3 box;             /**< m, full sizes */
    kin_vec3 spread;          /**< m/s, deviation of the velocity on each axis, normal */
    kin_mobility mobility;    /**< animated: keeps its velocity */
} kin_particle_group;

/** A system of particles, as it is created. */
typedef struct kin_particles_def {
    const char* name;                 /**< NULL: "particles" */
    int integrator;                   /**< index into kin_particles_integrators() */
    kin_hit_policy hits;              /**< what a hit does to a step */
    kin_hit_path hit_path;            /**< where exact hits are looked for */
    kin_friction_model friction;      /**< of hits */
    double simple_friction;           /**< 0..1, the share of tangential speed a hit takes in the simple model */
    double rest_speed;                /**< m/s: slower than this a touching particle may rest */
    double rest_distance;             /**< m: nearer than this a surface counts as touched */
    int max_hits;                     /**< a step and particle; then the rest of the step is dropped, and reported */
    kin_contacts contacts;            /**< what particles do when they meet each other */
    int sweeps;                       /**< of impulses a step; fast contacts */
    int max_events;                   /**< of a group of particles that meet in a step; then nothing bounces; exact contacts */
    double streak;                    /**< s of motion drawn behind each particle; 0: a sphere */
    const kin_particle_group* groups; /**< copied */
    size_t group_count;               /**< may be 0 */
} kin_particles_def;

/** Views into the particles; valid until the next call that changes the world. */
typedef struct kin_particles_view {
    size_t count;                /**< length of every array */
    const double *x, *y, *z;     /**< m */
    const double *vx, *vy, *vz;  /**< m/s */
    const double *mass, *radius; /**< kg, m */
    const uint64_t* serial;      /**< never reused */
    const uint8_t* mobility;     /**< kin_mobility */
    const uint8_t* resting;      /**< 1 while at rest on something */
} kin_particles_view;

/** The defaults of a scene, without particles. */
KIN_API kin_particles_def kin_particles_def_default(void);
/** One particle of 1 kg at the origin. */
KIN_API kin_particle_group kin_particle_group_default(void);
/** Adds a system of particles to the world. out may be NULL. */
KIN_API kin_result kin_particles_create(kin_world* world, const kin_particles_def* def, kin_system_id* out, kin_error* error);
/** All particles at once. */
KIN_API kin_particles_view kin_particles_state(const kin_world* world, kin_system_id id);
/** Of one particle, m. index counts from 0. */
KIN_API kin_vec3 kin_particle_position(const kin_world* world, kin_system_id id, size_t index);
/** Of one particle, m/s. */
KIN_API kin_vec3 kin_particle_velocity(const kin_world* world, kin_system_id id, size_t index);
/** Names of the integrators, NULL-terminated: euler semi_implicit average midpoint heun rk4 verlet velocity_verlet leapfrog rk45. */
KIN_API const char* const* kin_particles_integrators(void);
