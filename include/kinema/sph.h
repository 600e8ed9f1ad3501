/** @file sph.h
 * Particle fluids: water, oil, honey, lava, gas clouds, sand and jelly by smoothed particle hydrodynamics. Handbook: docs/sph.md */
#pragma once
#include "kinema/base.h"
#include "kinema/collider.h"
#include "kinema/curve.h"
#include "kinema/field.h"
#include "kinema/math.h"
#include "kinema/shape.h"
#include "kinema/world.h"

/** Which solver a mode takes by itself. */
typedef enum kin_sph_mode {
    KIN_SPH_REALTIME, /**< position based fluids: bounded work, never refused */
    KIN_SPH_EXACT,    /**< DFSPH: solved to the tolerances */
} kin_sph_mode;

/** How pressures are found. */
typedef enum kin_sph_solver {
    KIN_SPH_BY_MODE, /**< as the mode says */
    KIN_SPH_WCSPH,   /**< from an equation of state (Monaghan 1994; Mueller 2003): simple, stiff, short ticks */
    KIN_SPH_PCISPH,  /**< predictive-corrective (Solenthaler 2009) */
    KIN_SPH_IISPH,   /**< implicit, density alone (Ihmsen 2014) */
    KIN_SPH_DFSPH,   /**< divergence and density (Bender 2015) */
    KIN_SPH_PBF,     /**< position based (Macklin 2013) */
} kin_sph_solver;

/** Smoothing kernels. */
typedef enum kin_sph_kernel {
    KIN_SPH_CUBIC,   /**< cubic spline (Monaghan) */
    KIN_SPH_QUINTIC, /**< quintic spline */
    KIN_SPH_WENDLAND2,
    KIN_SPH_WENDLAND4,
    KIN_SPH_POLY6,   /**< densities by poly6, pressure by spiky; the texts' third one, of viscosity, is KIN_SPH_VISCOSITY_TEXT */
    KIN_SPH_QUARTIC, /**< quartic spline */
} kin_sph_kernel;

/** Pressure of the equation of state. */
typedef enum kin_sph_equation {
    KIN_SPH_TAIT, /**< p = (k rho0 / gamma) ((rho / rho0)^gamma - 1) */
    KIN_SPH_GAS,  /**< p = k (rho - rho0), negative too */
} kin_sph_equation;

/** How the gradient of pressure is summed (wcsph). */
typedef enum kin_sph_gradient {
    KIN_SPH_SYMMETRIC, /**< p_i / rho_i^2 + p_j / rho_j^2: keeps momentum and angular momentum */
    KIN_SPH_PLAIN,     /**< p_j / (rho_i rho_j): does not */
    KIN_SPH_MEAN,      /**< (p_i + p_j) / (2 rho_i rho_j): keeps them */
} kin_sph_gradient;

/** How viscosity is computed. */
typedef enum kin_sph_viscosity {
    KIN_SPH_VISCOSITY_AUTO,     /**< explicit, implicit where that would need shorter ticks */
    KIN_SPH_VISCOSITY_EXPLICIT, /**< pairs that strain: keeps momentum and angular momentum, never adds energy */
    KIN_SPH_VISCOSITY_IMPLICIT, /**< solved for the end of the tick: honey */
    KIN_SPH_VISCOSITY_TEXT,     /**< the kernel's own Laplacian, with Mueller's viscosity kernel */
} kin_sph_viscosity;

/** What holds a surface together. */
typedef enum kin_sph_tension {
    KIN_SPH_TENSION_CURVATURE, /**< from the curvature of the colour field: sigma and its pressures are met */
    KIN_SPH_TENSION_COHESION,  /**< gradient of an energy of company: quicker, sigma to some tens of per cent */
} kin_sph_tension;

/** How shapes other than planes are felt. */
typedef enum kin_sph_boundary {
    KIN_SPH_MAPS,    /**< the volume they take of a particle's surroundings, from their signed distance (Bender 2019) */
    KIN_SPH_SAMPLES, /**< boundary particles with corrected volumes (Akinci 2012) */
    KIN_SPH_GHOSTS,  /**< mirrored particles, as in the texts: planes alone */
} kin_sph_boundary;

/** How the particles are of a sort that is no plain liquid. */
typedef enum kin_sph_matter {
    KIN_SPH_LIQUID,
    KIN_SPH_GASEOUS, /**< fills what room it has: the gas equation, no free surface */
    KIN_SPH_SAND,    /**< frictional: holds slopes */
    KIN_SPH_ELASTIC, /**< remembers its form */
} kin_sph_matter;

/** A fluid of the tank. */
typedef struct kin_sph_phase_def {
    const char* name;         /**< NULL: its preset's, or "fluid" */
    const char* fluid;        /**< a preset (kinema list fluids); NULL: water. What is given below overrides it */
    double density;           /**< kg/m^3; 0: the preset's */
    double viscosity;         /**< Pa s, dynamic; below 0: the preset's */
    double tension;           /**< N/m; below 0: the preset's */
    kin_sph_matter matter;    /**< what sort */
    double friction;          /**< of sand: tangent of its angle of rest */
    double cohesion;          /**< of sand: Pa it bears at rest */
    double stiffness;         /**< of elastic matter: Young's modulus, Pa */
    double poisson;           /**< of elastic matter */
    double conductivity;      /**< W/(m K); below 0: the preset's */
    double heat_capacity;     /**< J/(kg K); 0: the preset's */
    double expansion;         /**< 1/K, by volume: warm rises; below 0: the preset's */
    double reference;         /**< K: at which density and viscosity hold */
    kin_curve thickness;      /**< factor of the viscosity over temperature in K: melting; not given: 1 */
    kin_material_id material; /**< its look */
} kin_sph_phase_def;

/** Fluid that is there at the start: a shape filled with particles. */
typedef struct kin_sph_block {
    const char* phase;    /**< NULL: the first */
    kin_shape shape;      /**< closed */
    kin_vec3 position;    /**< m */
    kin_quat orientation; /**< of the shape; the lattice stays along the world's axes */
    kin_vec3 velocity;    /**< m/s */
    kin_vec3 spin;        /**< rad/s, about its position */
    double temperature;   /**< K */
    double jitter;        /**< at most, of the spacing, either way; uniform, each axis */
} kin_sph_block;

/** An opening that fluid comes out of. */
typedef struct kin_sph_inflow {
    const char* phase;    /**< NULL: the first */
    kin_vec3 position;    /**< m, middle of the opening */
    kin_vec3 direction;   /**< out of it */
    double radius;        /**< m, of a round one; 0: a rectangle of `size` */
    double size[2];       /**< m */
    double speed;         /**< m/s */
    double begin, end;    /**< s; end 0: never */
    double temperature;   /**< K */
    int64_t most;         /**< particles in all; 0: no limit */
    const char* attached; /**< collider in whose frame it is, and moves; NULL: the world */
} kin_sph_inflow;

/** A place where fluid goes. */
typedef struct kin_sph_sink {
    kin_region region;        /**< inside of which particles end */
    kin_vec3 center;          /**< m */
    kin_region_motion motion; /**< of the region */
} kin_sph_sink;

/** Where a deforming surface is at a time. */
typedef struct kin_sph_surface_key {
    double time;              /**< s; times rise from key to key */
    kin_points_view vertices; /**< m: as many as its mesh has, in its order */
} kin_sph_surface_key;

/** A wall that deforms: a membrane, cloth, the skin of a soft body. It pushes fluid and is not pushed. */
typedef struct kin_sph_surface_def {
    kin_mesh_view mesh;         /**< where it is at the start. Closed: nobody is inside; open: fluid may be on both sides. Vertices at one place are one */
    kin_points_view vertices;   /**< m; with triangles, in place of mesh */
    kin_numbers_view triangles; /**< vertices, three a triangle, from 0 */
    struct {
        const kin_sph_surface_key* data; /**< copied */
        size_t count;                    /**< 0: it is moved by calls */
    } keys;                              /**< where it goes, straight between them; of surfaces of a tank's def alone */
    double period;                       /**< s: keys repeat, from the last to the first; 0: they do not */
    kin_material_id material;            /**< its look */
    bool hidden;                         /**< in no picture: who moves it shows it */
} kin_sph_surface_def;

/** A surface of a tank; never used again once it is gone. {0} is null; those of the tank's def are 1, 2, ... */
typedef struct kin_sph_surface_id {
    uint32_t serial; /**< from 1 */
} kin_sph_surface_id;

/** The surface in pictures. */
typedef enum kin_sph_draw { KIN_SPH_DRAW_SKIN, KIN_SPH_DRAW_PARTICLES, KIN_SPH_DRAW_BOTH } kin_sph_draw;
/** How the surface is found. */
typedef enum kin_sph_skin { KIN_SPH_SKIN_ANISOTROPIC, KIN_SPH_SKIN_ZHU_BRIDSON, KIN_SPH_SKIN_COLOR } kin_sph_skin;
/** What colours particles. */
typedef enum kin_sph_paint { KIN_SPH_PAINT_PHASE, KIN_SPH_PAINT_SPEED, KIN_SPH_PAINT_PRESSURE, KIN_SPH_PAINT_TEMPERATURE, KIN_SPH_PAINT_DENSITY } kin_sph_paint;

/** How rays meet the surface. */
typedef enum kin_sph_surfacing { KIN_SPH_SURFACE_MESH, KIN_SPH_SURFACE_RAYS } kin_sph_surfacing;

/** How it looks. */
typedef struct kin_sph_look {
    kin_sph_draw draw;         /**< what is drawn */
    kin_sph_skin skin;         /**< how the surface is made */
    kin_sph_surfacing surface; /**< a mesh of it, or the field of the skin itself, met by rays: anisotropic and color */
    double cell;               /**< of the mesh's grid, in spacings */
    int smoothing;             /**< passes over the mesh */
    kin_sph_paint paint;       /**< of particles */
    double range[2];           /**< of the painted quantity; both 0: what there is */
    int colors;                /**< scale of the paint: viridis, inferno, coolwarm, water, spectrum */
    bool spray;                /**< clumps of fewer than a dozen particles are drawn as droplets, not as surfaces */
} kin_sph_look;

/** Spray, foam and bubbles (Ihmsen 2012). */
typedef struct kin_sph_foam {
    double rate;     /**< born a second from a particle in the middle of it; 0: none */
    double life[2];  /**< s, mean and deviation */
    double buoyancy; /**< of bubbles, in gravities */
    double drag;     /**< of bubbles, 1/s: at which they take up the fluid's velocity */
    int64_t most;    /**< at once */
} kin_sph_foam;

/** A tank of fluid, as it is created. */
typedef struct kin_sph_def {
    const char* name;            /**< NULL: "sph" */
    kin_sph_mode mode;           /**< chooses the solver */
    kin_sph_solver solver;       /**< overrides it */
    double radius;               /**< m: half the distance between particles */
    double support;              /**< reach of the kernel, in radii */
    kin_sph_kernel kernel;       /**< of densities and pressures */
    bool flat;                   /**< two dimensions: x and y */
    double density_error;        /**< mean compression allowed, a share */
    double divergence_error;     /**< mean rate of compression allowed, a share in a tick */
    int max_iterations;          /**< of each solve, a tick */
    double cfl;                  /**< a particle goes at most this part of its spacing in a tick */
    double min_tick, max_tick;   /**< s; 0: no bound but the method's */
    kin_sph_equation equation;   /**< wcsph */
    kin_sph_gradient gradient;   /**< wcsph */
    double stiffness;            /**< k, m^2/s^2; 0: from sound_speed */
    double exponent;             /**< gamma */
    double sound_speed;          /**< m/s; 0: ten times what fluid of the tank's height can reach */
    double bulk_viscosity;       /**< wcsph: over spacing x speed of sound; 0: pressure is the equation of state alone */
    kin_sph_viscosity viscosity; /**< how it is computed */
    double smoothing;            /**< share of its neighbours' mean velocity that a particle takes on while it moves by its spacing (XSPH) */
    double shift;                /**< in a full tank: share of disorder that displacements mend while particles move by a spacing (docs/sph.md) */
    double vorticity;            /**< strength of confinement; 0: off */
    double micropolar;           /**< share of the viscosity that is rotational; 0: off */
    kin_sph_tension tension;     /**< how surface tension is computed */
    double tension_threshold;    /**< of |grad c| in 1/spacing: below it no curvature */
    double adhesion;             /**< of cohesion: to walls, as a part of the tension */
    double air_drag;             /**< kg/s a metre of particle size: on particles with air around them, towards the wind */
    kin_sph_boundary boundary;   /**< how shapes are felt */
    double wall_friction;        /**< viscosity at walls as a part of the fluid's; 0: slip */
    kin_vec3 periodic;           /**< m: size of a periodic box about `center`, by axis; 0: not along this axis */
    kin_vec3 center;             /**< m: of the periodic box */
    int64_t max_particles;       /**< at once */
    struct {
        const kin_sph_phase_def* data; /**< copied; none: water */
        size_t count;                  /**< of them */
    } phases;                          /**< fluids of the tank */
    struct {
        const kin_sph_block* data; /**< copied */
        size_t count;              /**< of them */
    } blocks;                      /**< fluid at the start */
    struct {
        const kin_sph_inflow* data; /**< copied */
        size_t count;               /**< of them */
    } inflows;                      /**< fluid that comes */
    struct {
        const kin_sph_sink* data; /**< copied */
        size_t count;             /**< of them */
    } sinks;                      /**< places where it goes */
    struct {
        const kin_sph_surface_def* data; /**< copied */
        size_t count;                    /**< of them */
    } surfaces;                          /**< walls that deform */
    kin_sph_look look;                   /**< in pictures */
    kin_sph_foam foam;                   /**< secondary particles */
} kin_sph_def;

/** Views into the particles; valid until the next call that changes the world. Their order changes with every step: serials tell who is who. */
typedef struct kin_sph_view {
    size_t count;             /**< length of every array */
    kin_vec3 origin;          /**< m: added to positions */
    const float* position;    /**< m, four floats a particle: x y z and one to be ignored */
    const float* velocity;    /**< m/s, four floats a particle */
    const float* density;     /**< over the rest density, of the last tick */
    const float* pressure;    /**< Pa, of the last tick: the mean stress that pushes make (docs/sph.md). NULL: no particles, or no memory for it */
    const float* multiplier;  /**< Pa over D^2, of the last tick: what the solver found, or the equation of state says */
    const float* temperature; /**< K; NULL: no heat in this tank */
    const uint64_t* serial;   /**< never used again */
    const uint8_t* phase;     /**< number of its fluid */
} kin_sph_view;

/** A quantity at a point, from its values A_j in the particles that the kernel W reaches from there. V_j is the room that a particle takes, m_j / rho_j of the
 * texts. The plain sums are the texts': right where fluid is all round, as far as sums over particles are integrals (docs/sph.md); too small at a surface or
 * wall. The others lean on what particles there are, anywhere. All are 0 where there is none. */
typedef struct kin_sph_quantity {
    double value;            /**< sum V_j A_j W over sum V_j W (Shepard): a mean, never beyond the values */
    kin_vec3 gradient;       /**< of the plane that fits the values best: exact where A is linear; 0 across a row or sheet of particles */
    double laplacian;        /**< sum V_j (A_j - that plane) lap W: 0 where A is linear; to be trusted within fluid alone */
    double plain;            /**< sum V_j A_j W */
    kin_vec3 plain_gradient; /**< sum V_j A_j grad W */
    double plain_laplacian;  /**< sum V_j A_j lap W */
} kin_sph_quantity;

/** What the fluid is like at a point. */
typedef struct kin_sph_probed {
    size_t neighbours;            /**< particles that the kernel reaches; 0: no fluid here, and all is 0 */
    double filled;                /**< the colour field, sum V_j W: 1 within fluid, less at its surface and at walls */
    kin_vec3 filled_gradient;     /**< 1/m, sum V_j grad W: into the fluid, along the normal of its surface */
    kin_sph_quantity density;     /**< kg/m^3; plain: sum m_j W */
    kin_sph_quantity pressure;    /**< Pa */
    kin_sph_quantity temperature; /**< K; without heat in the tank, the references of its phases */
    kin_sph_quantity velocity[3]; /**< m/s, by component */
    double divergence;            /**< 1/s, of the velocity: sum of its gradients' own components */
    kin_vec3 curl;                /**< rad/s, of the same gradients: twice what a small ball spins with */
} kin_sph_probed;

/** The defaults of a scene, without fluid. */
KIN_API kin_sph_def kin_sph_def_default(void);
/** A fluid with all its defaults: water. */
KIN_API kin_sph_phase_def kin_sph_phase_def_default(void);
/** A block without a shape. */
KIN_API kin_sph_block kin_sph_block_default(void);
/** An inflow of 1 m/s downwards. */
KIN_API kin_sph_inflow kin_sph_inflow_default(void);
/** A surface without a mesh, seen. */
KIN_API kin_sph_surface_def kin_sph_surface_def_default(void);
/** Adds a tank to the world. out may be NULL. */
KIN_API kin_result kin_sph_create(kin_world* world, const kin_sph_def* def, kin_system_id* out, kin_error* error);
/** All particles at once. */
KIN_API kin_sph_view kin_sph_state(const kin_world* world, kin_system_id id);
/** What the fluid is like at points, m, anywhere; out has room for `count`. Changes nothing. Pressures are found at the first call after a step, as by
 * kin_sph_state: after that any number of threads may ask at once. A point that is not finite is refused, and out is left alone. */
KIN_API kin_result kin_sph_probe(const kin_world* world, kin_system_id id, const kin_vec3* points, size_t count, kin_sph_probed* out, kin_error* error);
/** The same of a quantity of the caller's own: a value for every particle, in the order of kin_sph_state. Any number of threads may ask at once. */
KIN_API kin_result kin_sph_interpolate(const kin_world* world, kin_system_id id, const float* values, const kin_vec3* points, size_t count,
                                       kin_sph_quantity* out, kin_error* error);
/** A deforming wall for a tank, at once; not a command, so recordings do not hold it. It is state: snapshots and clones have it. What is closed and comes while the
 * tank runs is felt little by little, and who is inside is led out. On failure *out is null. */
KIN_API kin_result kin_sph_add_surface(kin_world* world, kin_system_id tank, const kin_sph_surface_def* def, kin_sph_surface_id* out, kin_error* error);
/** Where its vertices are at the end of the next step (m, all of them, in the order of its mesh): it goes there straight, and fluid feels that velocity. Then it stands
 * until it is moved again. Farther in a tick of the fluid than the kernel reaches is a leap, felt without its speed. */
KIN_API kin_result kin_sph_move_surface(kin_world* world, kin_system_id tank, kin_sph_surface_id surface, const kin_vec3* vertices, size_t count,
                                        kin_error* error);
/** One that is gone already is an error. */
KIN_API kin_result kin_sph_remove_surface(kin_world* world, kin_system_id tank, kin_sph_surface_id surface, kin_error* error);
/** Properties of a preset fluid, SI. */
typedef struct kin_fluid_preset {
    const char* name;     /**< in scenes */
    double density;       /**< kg/m^3 */
    double viscosity;     /**< Pa s, dynamic */
    double tension;       /**< N/m, against air; 0: not known to us, or a gas */
    double conductivity;  /**< W/(m K) */
    double heat_capacity; /**< J/(kg K) */
    double expansion;     /**< 1/K */
} kin_fluid_preset;
/** The preset fluids, in a fixed order. */
KIN_API const kin_fluid_preset* kin_fluid_presets(size_t* count);
