/** @file particles.h
 * Point masses with a radius: they fall, drift, bounce off colliders, slide and come to rest. Handbook: docs/particles.md */
#pragma once
#include "kinema/anchor.h"
#include "kinema/base.h"
#include "kinema/curve.h"
#include "kinema/emitter.h"
#include "kinema/field.h"
#include "kinema/picture.h"
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

/** What becomes of a particle whose centre is found inside a solid: at birth, put there, or swallowed by a collider that jumped. */
typedef enum kin_inside {
    KIN_INSIDE_PUSH_OUT, /**< moved to the closest surface point, velocity kept */
    KIN_INSIDE_DELETE,   /**< ended */
    KIN_INSIDE_PULL_OUT, /**< pulled out by a temporary spring; until it is out it meets nothing */
} kin_inside;

/** What particles do when they meet each other. */
typedef enum kin_contacts {
    KIN_CONTACTS_NONE,  /**< they pass through each other */
    KIN_CONTACTS_FAST,  /**< sweeps of impulses over all that touch, once a step: for many grains */
    KIN_CONTACTS_EXACT, /**< hit by hit, each at its time; those that touch are solved together: for some, up to about a hundred that touch */
} kin_contacts;

/** How particles of a kind are drawn. */
typedef enum kin_particle_draw {
    KIN_DRAW_SPHERE,   /**< a sphere, or the streak of its motion */
    KIN_DRAW_SPRITE,   /**< a soft disk that faces the camera */
    KIN_DRAW_MESH,     /**< a mesh each, turned as `orient` says */
    KIN_DRAW_NONE,     /**< not at all; a volume may still show them */
    KIN_DRAW_METABALL, /**< spheres that flow into each other where they are near, met by rays without a mesh */
} kin_particle_draw;

/** Which way a mesh looks: its local z goes ahead, its local y is up. */
typedef enum kin_particle_orient {
    KIN_ORIENT_VELOCITY, /**< along its velocity */
    KIN_ORIENT_BANK,     /**< and leaning into its turns */
    KIN_ORIENT_TUMBLE,   /**< turning about an axis of its own: leaves */
    KIN_ORIENT_FIXED,    /**< as the mesh is */
} kin_particle_orient;

/** When a particle of a kind ends, beside its age. */
typedef struct kin_particle_end {
    bool hit;                 /**< when it meets a solid */
    double speed;             /**< m/s: when slower than this, after its first tenth of a second; 0: never */
    kin_region region;        /**< when inside it */
    kin_vec3 center;          /**< m, of the region */
    kin_region_motion motion; /**< of the region */
    bool outside;             /**< when outside the region instead */
} kin_particle_end;

/** A named number that every particle of a kind carries. Nothing in the engine reads it but curves and pictures; scripts and C read and set it
 * (kin_world_attribute, kin_world_set_attribute). */
typedef struct kin_particle_attribute {
    const char* name; /**< letters, digits and _, at most 18 */
    double value[2];  /**< at birth, mean and deviation */
    bool inherit;     /**< children of splits that have it, too, take their parent's value */
} kin_particle_attribute;

/** What particles of one sort have in common. */
typedef struct kin_particle_kind {
    const char* name; /**< NULL: "particles" */
    struct {
        const char* const* data; /**< names; borrowed */
        size_t count;            /**< of them */
    } tags;                      /**< beside its name: what fields ask for */
    kin_material_id material;    /**< of this world */
    double radius[2];            /**< m: mean and deviation (kinema/emitter.h) */
    double mass[2];              /**< kg */
    double life[2];              /**< s; 0: forever */
    double charge[2];            /**< C */
    double
        restitution_deviation; /**< largest deviations of each particle's coefficients from the material's, drawn at birth; a pair is off by the mean of both */
    double static_friction_deviation, dynamic_friction_deviation; /**< the same */
    bool relative;                                                /**< the curves below run over age / life (0 to 1) instead of age in s */
    kin_curve size;                                               /**< factor of the radius over age */
    kin_curve weight;                                             /**< factor of the mass over age */
    kin_curve color;                                              /**< linear rgb over age; not given: the material's */
    kin_curve opacity;                                            /**< 0 to 1 over age */
    double color_deviation;                                       /**< largest deviation of each channel of `color`, drawn for each particle */
    const char* color_by;   /**< the variable of `color`: NULL or "age", "since_hit" (s since its last hit), or an attribute */
    const char* opacity_by; /**< the same of `opacity` */
    const char* size_by;    /**< the same of `size` */
    struct {
        const kin_particle_attribute* data; /**< borrowed */
        size_t count;                       /**< of them; at most 8 names in a system */
    } attributes;                           /**< named numbers of each particle */
    struct {
        const char* const* data; /**< names; borrowed */
        size_t count;            /**< of them */
    } each_step;          /**< what deviates anew in every step, not once at birth: radius, mass, charge, restitution, static_friction, dynamic_friction */
    bool keep_hits;       /**< time, place and other of its last hit are kept: kin_particle_last_hit, frames, tables */
    bool meets_own;       /**< with contacts on: collides with its own kind */
    bool meets_others;    /**< collides with other kinds, and with other systems whose contacts are on */
    bool meets_solids;    /**< with colliders */
    kin_particle_end end; /**< when it goes */
    struct {
        const kin_split_def* data; /**< borrowed */
        size_t count;              /**< of them */
    } splits;                      /**< what it falls apart into */
    kin_particle_draw draw;        /**< in pictures */
    double streak;                 /**< s of motion drawn behind each sphere; 0: none */
    double min_width;              /**< narrowest that it is drawn, as a share of the picture's height; what is widened is as much fainter */
    double fade_length;            /**< m: opacity falls to 1/e over this much distance from the camera; 0: it does not */
    double fade_start;             /**< m: distance from the camera at which that begins */
    double trail[2];               /**< s of its path that are kept, and drawn as a line behind it, mean and deviation; 0: none */
    double trail_width;            /**< of that line, as a share of the particle's own */
    kin_mesh_view mesh;            /**< for KIN_DRAW_MESH */
    kin_picture_view texture;      /**< of sprites; none: a soft disk */
    double mesh_size;              /**< of the mesh's own size, per metre of radius */
    kin_particle_orient orient;    /**< of meshes */
    kin_vec3 up;                   /**< which way is up for meshes along their velocity */
    bool carry_up;                 /**< up is carried along the path from its direction at birth, through loops, too; else it is `up` in every frame */
    double bank;                   /**< s^2/m: lean per sideways acceleration, 1/g as aeroplanes do */
    double bank_time;              /**< s: over which leaning follows */
    double spin[2];                /**< rad/s, of tumbling */
    double deposit;                /**< kg/s that each leaves in the system's volume */
} kin_particle_kind;

/** How many are spread. */
typedef enum kin_particle_form {
    KIN_FORM_BOX,     /**< uniform over `box` */
    KIN_FORM_BALL,    /**< uniform in a ball of `size` */
    KIN_FORM_PLUMMER, /**< a star cluster in equilibrium, of scale radius `size` and total mass count x mass */
    KIN_FORM_DISK,    /**< a galaxy: an exponential disk of scale length `size` about a heavy centre, turning */
} kin_particle_form;

/** One particle, or `count` of them spread at random. */
typedef struct kin_particle_group {
    const char* kind;         /**< NULL: the first */
    kin_vec3 position;        /**< m, centre of many */
    kin_vec3 velocity;        /**< m/s */
    double mass;              /**< kg, > 0 */
    double radius;            /**< m, >= 0 */
    double charge;            /**< C */
    double life;              /**< s; 0: as its kind says */
    kin_material_id material; /**< of this world; none: its kind's */
    int64_t count;            /**< 1: at position itself when box is zero */
    kin_particle_form form;   /**< of many */
    kin_vec3 box;             /**< m, full sizes */
    double size;              /**< m, of the other forms */
    double constant;          /**< m^3/(kg s^2): of gravity, for clusters and disks */
    double center_mass;       /**< kg: of a disk's centre; it is the first of the particles */
    kin_quat orientation;     /**< of a disk: it lies in local x-z and turns about local y */
    kin_vec3 spread;          /**< m/s, deviation of the velocity on each axis, normal */
    kin_mobility mobility;    /**< animated: keeps its velocity */
} kin_particle_group;

/** A damped spring between two particles. */
typedef struct kin_particle_spring {
    int64_t a, b;     /**< particles, from 0 in order of creation */
    double stiffness; /**< N/m, or N when relative: divided by the rest length */
    bool relative;    /**< stiffness per strain */
    double damping;   /**< N s/m along the spring */
    double ratio;     /**< damping as a share of critical damping instead; 0: `damping` counts */
    double rest;      /**< m; below 0: as far apart as they are */
} kin_particle_spring;

/** How the step of an adaptive integrator is chosen. */
typedef enum kin_step_rule { KIN_STEP_PI, KIN_STEP_HOUSE, KIN_STEP_COUTINHO, KIN_STEP_SLIDES } kin_step_rule;

/** What the tolerance of an adaptive integrator is for (House & Keyser 7.6). */
typedef enum kin_tolerance_per {
    KIN_TOLERANCE_PER_STEP,     /**< the error of each of its own steps; what a run is off goes as tolerance^(p / (p + 1)) for order p */
    KIN_TOLERANCE_PER_INTERVAL, /**< the error of the whole interval: each step gets its share by length; what a run is off goes as the tolerance */
} kin_tolerance_per;

/** How the equations of an implicit integrator are solved. */
typedef enum kin_step_solver { KIN_SOLVER_AUTO, KIN_SOLVER_DENSE, KIN_SOLVER_SPARSE, KIN_SOLVER_MATRIX_FREE } kin_step_solver;

/** Smoke-like density that particles leave behind. */
typedef struct kin_particle_volume {
    kin_vec3 center, box; /**< m; full sizes; zero: no volume */
    int resolution;       /**< cells along the longest side */
    double fade;          /**< s: e-folding time; 0: it stays */
    double disperse;      /**< m^2/s */
    kin_vec3 flow;        /**< m/s: it drifts */
    double noise;         /**< share by which what is seen is perturbed; 0: none */
    double noise_size;    /**< m, of the largest curls */
    double noise_rate;    /**< 1/s, at which they change */
    double density;       /**< extinction, m^2/kg */
    float color[3];       /**< albedo, linear rgb */
    double glow;          /**< radiance that it gives off per kg/m^3, times color */
} kin_particle_volume;

/** A system of particles, as it is created. */
typedef struct kin_particles_def {
    const char* name;                /**< NULL: "particles" */
    int integrator;                  /**< index into kin_particles_integrators() */
    double tolerance;                /**< of adaptive integrators, absolute and relative, a step */
    double min_step;                 /**< s: of adaptive integrators; what needs shorter ones refuses the step */
    kin_tolerance_per tolerance_per; /**< of adaptive integrators */
    kin_step_rule step_rule;         /**< of adaptive integrators */
    kin_step_solver solver;          /**< of implicit integrators */
    int max_levels;                  /**< of block_leapfrog: steps are halved so often at most */
    double block_accuracy;           /**< of block_leapfrog: steps of at most this times sqrt(block_length / acceleration) */
    double block_length;             /**< m: of block_leapfrog; 0: the softening of the attraction */
    kin_hit_policy hits;             /**< what a hit does to a step */
    kin_hit_path hit_path;           /**< where exact hits are looked for */
    kin_friction_model friction;     /**< of hits */
    double simple_friction;          /**< 0..1, the share of tangential speed a hit takes in the simple model */
    double rest_speed;               /**< m/s: slower than this a touching particle may rest */
    double rest_distance;            /**< m: nearer than this a surface counts as touched */
    int max_hits;                    /**< a step and particle; then the rest of the step is dropped, and reported */
    kin_inside inside;               /**< a solid */
    double pull_time;                /**< s, > 0: about how long it takes to be pulled out */
    kin_contacts contacts;           /**< what particles do when they meet each other */
    int sweeps;                      /**< of impulses a step; fast contacts */
    int max_events;                  /**< of a group of particles that meet in a step; then nothing bounces; exact contacts */
    double streak;                   /**< s of motion drawn behind each particle, of kinds that have none of their own; 0: a sphere */
    int trail_points;                /**< places that a trail keeps, evenly over its time */
    int64_t max_particles;           /**< alive at once, those of emitters too */
    struct {
        const kin_particle_kind* data; /**< copied; none: one kind with all defaults */
        size_t count;                  /**< of them */
    } kinds;                           /**< the first is what groups and emitters without a kind get */
    const kin_particle_group* groups;  /**< copied */
    size_t group_count;                /**< may be 0 */
    struct {
        const kin_emitter_def* data; /**< copied */
        size_t count;                /**< of them */
    } emitters;                      /**< births over time */
    struct {
        const kin_particle_spring* data; /**< copied */
        size_t count;                    /**< of them */
    } springs;                           /**< between particles of groups */
    kin_particle_volume volume;          /**< what they leave behind */
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
    const double* birth;         /**< s: when it was born */
    const uint16_t* kind;        /**< number of its kind */
} kin_particles_view;

/** The defaults of a scene, without particles. */
KIN_API kin_particles_def kin_particles_def_default(void);
/** One particle of 1 kg at the origin. */
KIN_API kin_particle_group kin_particle_group_default(void);
/** A kind with all its defaults. */
KIN_API kin_particle_kind kin_particle_kind_default(void);
/** Adds a system of particles to the world. out may be NULL. */
KIN_API kin_result kin_particles_create(kin_world* world, const kin_particles_def* def, kin_system_id* out, kin_error* error);
/** All particles at once. */
KIN_API kin_particles_view kin_particles_state(const kin_world* world, kin_system_id id);
/** Of one particle, m. index counts from 0. */
KIN_API kin_vec3 kin_particle_position(const kin_world* world, kin_system_id id, size_t index);
/** Of one particle, m/s. */
KIN_API kin_vec3 kin_particle_velocity(const kin_world* world, kin_system_id id, size_t index);
/** The last collision of a particle that was faster than rest_speed. */
typedef struct kin_particle_hit {
    bool any;          /**< false: none yet, all else is 0 */
    double time;       /**< s */
    kin_vec3 position; /**< m: the point of contact */
    kin_anchor other;  /**< the collider (system 0), body or particle that it met; a particle's number may have been used again since */
} kin_particle_hit;

/** Of one particle whose kind keeps hits (keep_hits, or a curve over since_hit); of others none. */
KIN_API kin_particle_hit kin_particle_last_hit(const kin_world* world, kin_system_id id, size_t index);
/** The trail of one particle, newest first: up to count places (m) and times (s) into out and times (may be NULL). Returns how many it has. */
KIN_API size_t kin_particle_trail(const kin_world* world, kin_system_id id, size_t index, kin_vec3* out, double* times, size_t count);
/** Names of the integrators, NULL-terminated: euler semi_implicit average midpoint heun rk4 verlet velocity_verlet leapfrog rk45
 * adaptive_rk45 adaptive_rk4 implicit_euler implicit_midpoint trapezoid linear_euler linear_trapezoid bulirsch_stoer
 * block_leapfrog. */
KIN_API const char* const* kin_particles_integrators(void);
