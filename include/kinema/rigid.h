/** @file rigid.h
 * Rigid bodies, joints between them, and what happens where they touch. Two modes: real time (bounded work, stable under anything) and exact (events at their
 * times, contact forces from complementarity). Handbook: docs/rigid.md
 *
 *     kin_rigid_def def = kin_rigid_def_default();
 *     kin_system_id rigid;
 *     kin_rigid_create(world, &def, &rigid, &error);
 *     kin_body_def box = kin_body_def_default();
 *     box.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}};
 *     box.position = (kin_vec3){0, 5, 0};
 *     uint32_t body;
 *     kin_rigid_add_body(world, rigid, &box, &body, &error);
 *
 * Bodies are elements of their system: anchors, pushes, queries and attachments know them by number. All systems of one mode share one solver: their bodies
 * meet each other. */
#pragma once
#include "kinema/base.h"
#include "kinema/collide.h"
#include "kinema/collider.h"
#include "kinema/curve.h"
#include "kinema/math.h"
#include "kinema/shape.h"
#include "kinema/world.h"

/** Two speeds of truth. */
typedef enum kin_rigid_mode {
    KIN_RIGID_REALTIME, /**< fixed substeps of soft constraints */
    KIN_RIGID_EXACT,    /**< collision times found, forces by complementarity */
} kin_rigid_mode;

/** What holds the pieces of a fractured body together. */
typedef enum kin_glue {
    KIN_GLUE_COMPOSITE, /**< one body until it is hit harder than its strength; then all its pieces */
    KIN_GLUE_JOINTS,    /**< pieces from the start, neighbours held by fixed joints that break one by one */
} kin_glue;

/** How a body comes apart: Voronoi pieces round random points in it. */
typedef struct kin_fracture_def {
    int pieces;      /**< points; 0: it never breaks */
    uint64_t seed;   /**< of the points */
    kin_glue glue;   /**< what holds it together */
    double strength; /**< composite: N s of a hit; joints: N/m^2 of the face that two pieces share */
} kin_fracture_def;

/** A rigid body, as it is created. */
typedef struct kin_body_def {
    const char* name;          /**< NULL: none; names are for joints and attachments */
    kin_shape shape;           /**< what collides, and gives the mass; checked and copied */
    const kin_form* form;      /**< instead of the shape: shared; NULL: from the shape */
    kin_shape visible;         /**< what is seen; kind 0 with no size: the shape */
    bool has_visible;          /**< whether `visible` counts */
    kin_vec3 position;         /**< m, of the shape's frame */
    kin_quat orientation;      /**< of the shape's frame; normalised */
    kin_vec3 velocity;         /**< m/s, of the centre of mass */
    kin_vec3 spin;             /**< rad/s, world axes */
    double mass;               /**< kg; 0: from the density */
    double density;            /**< kg/m^3; 0: the material's */
    kin_vec3 moments;          /**< kg m^2, diagonal of the inertia tensor about the centre of mass, along the shape's axes; zero: from the shape */
    kin_vec3 products;         /**< kg m^2, its off-diagonal elements xy, xz, yz (of the tensor: -sum m x y ...); count with moments */
    kin_vec3 center;           /**< m, centre of mass in the shape's frame; the shape's own inertia about its centre still counts unless moments are given */
    bool has_center;           /**< center counts; false: the shape's centre of mass */
    int voxels;                /**< the shape's mass from cells, so many along its longest side (House & Keyser 9.2); 0: exact */
    kin_material_id material;  /**< of this world */
    kin_mobility mobility;     /**< dynamic, static, animated (keys), or inactive */
    const kin_key* keys;       /**< of an animated body, which a dynamic one with keys is; times rising; poses of the shape's frame */
    size_t key_count;          /**< 0: an animated body keeps its velocity and spin */
    bool smooth;               /**< keys: true spline, false straight lines and slerp */
    kin_path_def path;         /**< instead of keys */
    kin_filter filter;         /**< whom it meets */
    double drag;               /**< kg/s: force per speed through the air */
    double angular_drag;       /**< kg m^2/s: torque per spin */
    double drag_area;          /**< m^2 x coefficient: force of 1/2 x 1.2 kg/m^3 x area x speed^2; below 0: the shape's mean shadow */
    double gravity_scale;      /**< of the world's gravity: 1 */
    kin_vec3 surface_velocity; /**< m/s, in its frame: what lies on it is carried along (conveyors) */
    kin_vec3 one_way;          /**< in its frame: what comes the other way passes through; zero: solid from all sides */
    bool sensor;               /**< reports what overlaps it, pushes nothing */
    bool stays_awake;          /**< never sleeps */
    kin_fracture_def fracture; /**< how it comes apart */
} kin_body_def;

/** Kinds of joints. The anchor and the axis are given in the world as the bodies stand at creation. */
typedef enum kin_joint_kind {
    KIN_JOINT_DISTANCE,    /**< two points stay `length` apart, or within limits, or are held there by a spring */
    KIN_JOINT_BALL,        /**< one point in common; limits: swing (cone about the axis) and twist */
    KIN_JOINT_HINGE,       /**< turns about the axis */
    KIN_JOINT_SLIDER,      /**< slides along the axis, without turning */
    KIN_JOINT_UNIVERSAL,   /**< turns about the axis of a and about the axis of b, which stay at right angles */
    KIN_JOINT_CYLINDRICAL, /**< slides along the axis and turns about it */
    KIN_JOINT_FIXED,       /**< nothing moves */
    KIN_JOINT_WHEEL,       /**< suspension along `axis`, turning about `axis_b`: a car's wheel (b) on its body (a) */
    KIN_JOINT_GEAR,        /**< turn of b about axis_b = -turn of a about axis / ratio; against the world, or with anchor_b against each other's axles */
    KIN_JOINT_PULLEY,      /**< lengths from ground points to the bodies: length_a + ratio length_b is constant */
    KIN_JOINT_ROPE,        /**< two points at most `length` apart */
    KIN_JOINT_MOUSE,       /**< a point of a is pulled to `target` by a damped spring of limited force */
    KIN_JOINT_KIND_COUNT
} kin_joint_kind;

/** Stops, motor, spring and friction of one freedom of a joint: m and N, or rad and N m. */
typedef struct kin_joint_freedom {
    bool limited;     /**< low and high count */
    double low, high; /**< from where it stood at creation */
    bool motor;       /**< drives to `speed` with at most `most` */
    double speed;     /**< m/s or rad/s */
    kin_curve speeds; /**< instead of speed: over the world's time; given when the joint is made (kin_joint_set refuses another), keys are copied */
    double most;      /**< N or N m */
    double stiffness; /**< of a spring towards `rest`: N/m or N m/rad; 0: none */
    double damping;   /**< N s/m or N m s/rad */
    double rest;      /**< m or rad */
    double friction;  /**< N or N m that has to be overcome */
} kin_joint_freedom;

/** A joint, as it is created. */
typedef struct kin_joint_def {
    const char* name;            /**< NULL: none */
    kin_joint_kind kind;         /**< which */
    int64_t a, b;                /**< bodies of its system, from 0; -1: the world */
    const char *body_a, *body_b; /**< by name instead; NULL: by number */
    kin_vec3 anchor;             /**< m, world; on a, and on b unless has_anchor_b */
    kin_vec3 anchor_b;           /**< m, world: distance, rope, pulley; gear: on b's axle, as anchor on a's: turns count against what carries both */
    bool has_anchor_b;           /**< anchor_b counts */
    kin_vec3 axis;               /**< world; need not be unit */
    kin_vec3 axis_b;             /**< world: universal, wheel, gear; zero: chosen */
    kin_vec3 ground_a, ground_b; /**< m: where a pulley's rope runs over */
    kin_vec3 target;             /**< m: of a mouse; live */
    double length;               /**< m: distance, rope; 0: as it stands */
    double ratio;                /**< gear, pulley */
    kin_joint_freedom freedom
        [2]; /**< the free motions in order: hinge angle; slide; universal's two angles; cylindrical's slide and angle; ball's swing and twist; wheel's slide and angle; distance's length */
    double break_force;  /**< N: it breaks when it has to hold more; 0: never */
    double break_torque; /**< N m */
    bool collide;        /**< its bodies still meet each other */
    bool loose;          /**< real time: always among the soft constraints, never in a direct block */
} kin_joint_def;

/** A system of bodies, as it is created. */
typedef struct kin_rigid_def {
    const char* name;    /**< NULL: "rigid" */
    kin_rigid_mode mode; /**< real time or exact */
    struct {
        const kin_body_def* data; /**< copied */
        size_t count;             /**< of them */
    } bodies;                     /**< to begin with */
    struct {
        const kin_joint_def* data; /**< copied */
        size_t count;              /**< of them */
    } joints;                      /**< to begin with */
    int broad_phase;               /**< which boxes overlap: tree, sweep, grid, levels, hash, world_tree, octree, kdtree, brute. Costs differ, results do not */
    /* real time */
    int substeps;           /**< of an interval: 4 */
    double contact_rate;    /**< 1/s: stiffness of contacts; 0: two thirteenths of the substep rate */
    double contact_damping; /**< ratio: 10 */
    double push_speed;      /**< m/s: overlaps are undone no faster: 3 */
    double bounce_speed;    /**< m/s: slower meetings do not bounce: 1 in real time, 1e-3 exact */
    bool sleep;             /**< what is at rest, with all near it, is left out until something happens to it */
    double sleep_speed;     /**< m/s */
    double sleep_time;      /**< s, slower than sleep_speed */
    bool continuous;        /**< fast bodies are swept */
    /* exact */
    int integrator;              /**< index into kin_rigid_integrators(): adaptive_rk45 */
    double integrator_tolerance; /**< of adaptive integrators: error of a step, absolute in the units of the state and of its size: 1e-8 */
    int step_rule;               /**< of adaptive integrators: pi, house, coutinho, slides */
    double step_safety;          /**< of the step that would just do: the one that is tried next, <= 1 */
    double tolerance;            /**< m: of the gap at a collision and at rest */
    int impact_iterations;       /**< of conservative advancement; what has not come apart by then counts as an impact */
    bool impact_parting;         /**< a pair whose distance grows does not meet in this tick: quicker, and misses what turns back */
    int max_events;              /**< an interval; then e = 0 is forced */
    int max_ticks;               /**< parts that a body's interval may be cut into */
    int impulses;                /**< how collisions are resolved: system, lcp, micro, sequential */
    int forces;                  /**< how contact forces are found: baraff, dantzig, lemke, kokkevis, qp */
    int response;                /**< events, penalty (no backtracking), sdf (vertices in fields, the whole step again) */
    double shell;                /**< m: thickness of the penalty response's springs; 0: 2 % of the thinner body, 0.1 to 50 mm */
    double contact_speed;        /**< m/s: slower along the normal is contact, not collision */
    double slip_speed;           /**< m/s: slower along the surface is static friction */
    /* pictures */
    bool show_joints;             /**< frames have lines from the bodies to their joints */
    bool show_contacts;           /**< frames have the points of contact, with their forces as lines */
    bool report_contacts;         /**< contact forces and impulses are kept after each step: kin_world_contacts */
    const struct kin_rigid* like; /**< of the system's own def: what a clone is made from; else NULL */
} kin_rigid_def;

/** A body now. */
typedef struct kin_body_state {
    kin_transform pose;    /**< of the shape's frame */
    kin_vec3 velocity;     /**< of the centre of mass, m/s. In a fluid the mean of the last interval: what the fluid does comes after it */
    kin_vec3 spin;         /**< rad/s, world axes; the same */
    kin_vec3 center;       /**< of mass, m, world */
    double mass;           /**< kg; 0: not moved by forces */
    kin_vec3 moments;      /**< kg m^2, principal */
    bool awake;            /**< false: asleep or not dynamic */
    kin_mobility mobility; /**< what moves it */
} kin_body_state;

/** Something that happened between two things in the last step. */
typedef enum kin_touch_event_kind {
    KIN_TOUCH_BEGIN, /**< they touch now and did not before */
    KIN_TOUCH_END,   /**< they do not touch any more */
    KIN_TOUCH_HIT,   /**< they met faster than bounce_speed */
    KIN_TOUCH_ENTER, /**< b is in sensor a now */
    KIN_TOUCH_LEAVE, /**< b has left sensor a */
    KIN_JOINT_BROKE, /**< joint `index` of a's system broke */
    KIN_BODY_BROKE,  /**< fractured body a came apart */
} kin_touch_event_kind;

/** An event; ordered by the creation of the things it is about. */
typedef struct kin_touch_event {
    kin_touch_event_kind kind; /**< what */
    kin_anchor a, b;           /**< who, and where on them */
    kin_vec3 point, normal;    /**< world, m; unit, from b to a */
    double speed;              /**< m/s, of approach: hits */
    double impulse;            /**< N s */
    uint32_t index;            /**< of a joint */
} kin_touch_event;

/** A point of a contact. */
typedef struct kin_contact_point {
    kin_vec3 position; /**< m, world */
    double separation; /**< m; below 0: overlap */
    double impulse;    /**< N s, along the normal, >= 0 */
} kin_contact_point;

/** What two bodies, or a body and a collider, did to each other in the last step where they touch: impulses on a; on b the opposite. Divided by the time step
 * they are the mean forces. */
typedef struct kin_body_contact {
    kin_anchor a, b;                               /**< which, a the lighter, of equal ones the first; the middle of the points on each */
    double mass;                                   /**< kg, of a */
    kin_vec3 normal;                               /**< unit, from b to a */
    kin_vec3 center;                               /**< m, world: middle of the points, where friction acts */
    double impulse;                                /**< N s, along the normal: the sum over the points */
    kin_vec3 friction;                             /**< N s, on a, across the normal */
    kin_vec3 twist;                                /**< N m s, on a: of spinning and rolling friction, and of friction at several points */
    kin_contact_point points[KIN_MANIFOLD_POINTS]; /**< where */
    int count;                                     /**< of points */
    kin_rigid_mode mode;                           /**< of the solver that found it; between bodies of both modes: real time */
} kin_body_contact;

/** A touch as it is about to be solved: may be altered, or refused by returning false. Called by one thread, in a fixed order. */
typedef struct kin_touch_pair {
    kin_anchor a, b;              /**< who */
    const kin_manifold* manifold; /**< where */
    double friction, restitution; /**< may be changed */
    kin_vec3 surface_velocity;    /**< m/s, of a against b: may be changed */
} kin_touch_pair;
/** May change friction, restitution and surface velocity. false: they pass through each other for this step. */
typedef bool kin_touch_filter(void* context, kin_touch_pair* pair);

/** Defaults of a scene, without bodies. */
KIN_API kin_rigid_def kin_rigid_def_default(void);
/** A dynamic body at the origin. */
KIN_API kin_body_def kin_body_def_default(void);
/** A ball joint between bodies 0 and 1. */
KIN_API kin_joint_def kin_joint_def_default(void);
/** Adds a system of bodies. Errors name the member. out may be NULL. */
KIN_API kin_result kin_rigid_create(kin_world* world, const kin_rigid_def* def, kin_system_id* out, kin_error* error);
/** A body more, between steps. */
KIN_API kin_result kin_rigid_add_body(kin_world* world, kin_system_id id, const kin_body_def* def, uint32_t* body, kin_error* error);
/** With its joints; its number is not used again. */
KIN_API void kin_rigid_remove_body(kin_world* world, kin_system_id id, uint32_t body);
/** A joint more, between steps. */
KIN_API kin_result kin_rigid_add_joint(kin_world* world, kin_system_id id, const kin_joint_def* def, uint32_t* joint, kin_error* error);
/** Its number is not used again. */
KIN_API void kin_rigid_remove_joint(kin_world* world, kin_system_id id, uint32_t joint);
/** Cuts a body into Voronoi pieces, which are bodies of the numbers that come next: inactive until a composite breaks, or at once and the body itself gone. A body
 * whose def has a fracture is cut when it is made. Its mass becomes that of its pieces. */
KIN_API kin_result kin_rigid_fracture(kin_world* world, kin_system_id id, uint32_t body, const kin_fracture_def* def, kin_error* error);

/** Bodies are numbered from 0 to this; removed ones too. */
KIN_API uint32_t kin_rigid_count(const kin_world* world, kin_system_id id);
/** By name; UINT32_MAX: none. */
KIN_API uint32_t kin_rigid_body(const kin_world* world, kin_system_id id, const char* name);
/** A body now. */
KIN_API kin_body_state kin_rigid_state(const kin_world* world, kin_system_id id, uint32_t body);
/** Pose of its shape's frame, velocity and spin, at once: a teleport. */
KIN_API void kin_rigid_place(kin_world* world, kin_system_id id, uint32_t body, kin_transform pose, kin_vec3 velocity, kin_vec3 spin);
/** A force (N) at a point (m, world) and a torque (N m) over the next step. */
KIN_API void kin_rigid_apply(kin_world* world, kin_system_id id, uint32_t body, kin_vec3 force, kin_vec3 point, kin_vec3 torque);
/** Wakes it and what it touches; or puts it and all it presses on to sleep at once. */
KIN_API void kin_rigid_wake(kin_world* world, kin_system_id id, uint32_t body, bool awake);

/** Where a joint is: angle or slide of a freedom (0 or 1), rad or m. */
KIN_API double kin_joint_value(const kin_world* world, kin_system_id id, uint32_t joint, int freedom);
/** The force and torque it held in the last step, on its body b, N and N m. false: broken or removed. */
KIN_API bool kin_joint_load(const kin_world* world, kin_system_id id, uint32_t joint, kin_vec3* force, kin_vec3* torque);
/** Its freedoms and target, which may be changed between steps. A motor that follows a curve keeps it: its speed is given as it is, or the call is refused. */
KIN_API kin_result kin_joint_set(kin_world* world, kin_system_id id, uint32_t joint, const kin_joint_freedom freedom[2], kin_vec3 target, kin_error* error);

/** What happened in the last step, of all rigid systems. Valid until the next step. */
KIN_API const kin_touch_event* kin_world_touch_events(const kin_world* world, size_t* count);
/** Contacts of the last step that were near, of all rigid systems whose mode has report_contacts; a step of several intervals has those of each. In real time
 * sleeping bodies have those they fell asleep with, in exact mode none. They are state, as scripts see them. Valid until the next step. */
KIN_API const kin_body_contact* kin_world_contacts(const kin_world* world, size_t* count);
/** Mean force (N) of all contacts on a body over the last step, and their torque (N m) about its centre of mass. False, with zeros: report_contacts is off. */
KIN_API bool kin_rigid_contact_load(const kin_world* world, kin_system_id id, uint32_t body, kin_vec3* force, kin_vec3* torque);
/** Called for every touch of bodies before it is solved; NULL: no filter. Not state: set it again after a clone. Setting another one wakes all bodies; a filter that
 * decides otherwise than before does not: kin_rigid_wake. */
KIN_API void kin_world_set_touch_filter(kin_world* world, kin_touch_filter* filter, void* context);

/** Names of the integrators of exact mode, NULL-terminated. */
KIN_API const char* const* kin_rigid_integrators(void);
