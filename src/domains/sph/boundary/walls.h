/* walls.h - inside of kin_sph_walls: what the files of this folder share.
 *
 *     profile   the share of flat walls over distance
 *     walls     who is a wall in this interval, and near which particles
 *     feel      lambda, b, w and the touches: (particle, wall) pairs
 *     map, samples, ghosts, surface(s) how walls that are no planes fill a particle's surroundings
 *     give      walls that give way: response, impulses
 *     shear     friction within the implicit viscous solve
 *     rub       friction beside it
 *     hold      nobody beyond a wall */
#pragma once
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/boundary/profile.h"
#include "collision/form/form.h"
#include <stdatomic.h>

#define KIN_SPH_MOST_TOUCHES 12 /* walls that one particle feels at once */
#define KIN_SPH_PAGE 32         /* touches on a page */
#define KIN_SPH_NO_PAGE UINT32_MAX
#define KIN_SPH_NO_BODY UINT32_MAX
#define KIN_SPH_OFF 0.1  /* of the radius: nobody is nearer to a wall */
#define KIN_SPH_FADE 0.1 /* s: in which a solid that has leapt into the fluid comes to be felt */

/* Sums over a tick are by chunks of this many particles. */
#define KIN_SPH_WALL_CHUNK ((int64_t)KIN_SPH_CHUNK * KIN_SPH_LANES)

struct kin_sph_map;
struct kin_sph_samples;
struct kin_sph_surface;

/* A solid as a tick sees it. */
typedef struct kin_sph_wall {
    uint32_t solid; /* UINT32_MAX: a deforming surface */
    uint32_t body;  /* of walls->bodies; KIN_SPH_NO_BODY: it does not give way */
    bool plane;     /* or a form */
    bool leaps;     /* moves farther in the tick than the kernel reaches: a jump, not a motion. It is felt standing */
    kin_form* form; /* of the solid */
    double when;    /* fraction of the interval that pose is of */
    kin_transform pose;
    kin_vec3 normal[3];      /* plane: at the tick's start, its end, and `when`; unit */
    double offset[3];        /* plane: normal . x, m */
    kin_twist motion;        /* of the pose's own path, about pose.position: m/s, rad/s */
    kin_aabb box;            /* bounded: that holds all who feel it over the interval, m */
    struct kin_sph_map* map; /* of its form, or NULL */
    struct kin_sph_samples* samples;
    struct kin_sph_surface* surface;
    double fade; /* which part of it is felt */
} kin_sph_wall;

/* A wall as one particle feels it, alone. */
typedef struct kin_sph_felt {
    double share;      /* of its surroundings that the wall fills */
    kin_vec3 slope;    /* gradient of that (by the bell of gradients), 1/m */
    double distance;   /* m */
    double moment;     /* of the slope about where it comes from, negative: its part of a pressure (pressure.c) */
    kin_vec3 normal;   /* unit, out of the wall towards the particle */
    kin_vec3 velocity; /* of the wall there, m/s */
    uint32_t wall;     /* number in walls->near */
} kin_sph_felt;

/* The wall beside a particle, for friction. */
typedef struct kin_sph_near {
    float normal[3];
    float velocity[3]; /* m/s, where the particle is */
    float spin[3];     /* rad/s */
    float distance;    /* m, at least that which particles are kept off */
    float grip;        /* |slope| / distance, 1/m^2: times viscosity, the rate at which it takes on the wall's velocity */
    float share;       /* of its surroundings that the wall fills */
    bool wall_turns;   /* spin is known: not of deforming surfaces */
} kin_sph_near;

/* The same, kept: all walls together make b and lambda of fluid.h. */
typedef struct kin_sph_touch {
    uint32_t particle, wall;
    float b[3]; /* its part of b, 1/m */
    float left; /* which part of its slope that is: what other walls leave of it */
    kin_sph_near near;
} kin_sph_touch;

typedef struct kin_sph_page {
    uint32_t count, next;
    kin_sph_touch items[KIN_SPH_PAGE];
} kin_sph_page;

/* Particles that stick to a body, seen as one drag on its six velocities (drag.h). */
typedef struct kin_sph_drag {
    double matrix[6][6]; /* impulse and moment per unit of the body's motion: kg, kg m, kg m^2 */
    double push[6];      /* N s, N m s: what particles give to the body as it moves now */
} kin_sph_drag;

/* A body in the viscous solve (shear.c): motions beside the one it is felt with. */
typedef struct kin_sph_body_shear {
    kin_twist from, first; /* where the part of the tick began, and after its first stage */
    kin_twist force;       /* change over the tick by its load and by pressures foreseen */
    kin_twist now;         /* in the present stage, without what friction does in it */
    kin_sph_drag drag;
    kin_wrench taken; /* what friction gave it so far in the tick */
} kin_sph_body_shear;

/* A solid that gives way. */
typedef struct kin_sph_body {
    uint32_t solid;
    double inv_mass;
    kin_sym3 inv_inertia;
    kin_vec3 center;
    kin_twist load;  /* what its weight and holds do in a whole interval, within |g| h */
    kin_twist given; /* what it was given by the fluid so far in this interval, as a change of motion about its center */
    kin_sph_body_shear shear;
    uint32_t first, count; /* its touches in walls->gives */
    uint32_t bumps;        /* particles that hold stopped at it */
} kin_sph_body;

/* A touch with a body, in the order of bodies, then particles. */
typedef struct kin_sph_hold_on {
    uint32_t particle;
    float b[3];
    kin_vec3 arm; /* from the body's center, m */
    kin_sph_near near;
} kin_sph_hold_on;

/* A particle that hold stopped at a body. */
typedef struct kin_sph_bump {
    uint32_t particle, wall;
    kin_vec3 normal;
} kin_sph_bump;

/* A closed solid as the last interval left it. */
typedef struct kin_sph_known {
    uint32_t system, element; /* its owner */
    kin_transform end;        /* its pose at the end of the interval */
    double fade;              /* which part of it is felt: 1, less after a leap */
} kin_sph_known;

struct kin_sph_walls {
    const kin_materials* materials;
    kin_allocator allocator;
    kin_sph_profile profile;
    double reach;    /* m: farther off no wall is felt */
    double friction; /* def.wall_friction */
    kin_sph_boundary kind;
    bool flat;

    kin_sph_wall* near; /* walls of this tick: planes first, then by solid */
    size_t near_count, near_capacity;
    uint32_t* numbers; /* of solids near the fluid */
    size_t number_capacity;

    kin_sph_page* pages;
    size_t page_capacity;
    atomic_uint page_count;
    uint32_t *first, *last; /* page by chunk; KIN_SPH_NO_PAGE: none */
    kin_aabb* boxes;        /* by chunk, m */
    size_t* lost;           /* by chunk: touches that found no page */
    uint8_t* lacks;         /* by chunk: a block of a map was missing */
    size_t* stopped;        /* by chunk: held; SIZE_MAX: still to be done */
    size_t first_capacity, last_capacity, box_capacity, lost_capacity, lack_capacity, stopped_capacity;

    kin_sph_body* bodies;
    size_t body_count, body_capacity;
    kin_sph_hold_on* gives;
    size_t give_count, give_capacity;
    kin_sph_bump* bumps;
    size_t bump_count, bump_capacity;
    double inv_interval; /* 1/s */
    double elapsed;      /* fraction of the interval at the tick's end: so much of their load bodies have had */

    atomic_uint wanted; /* blocks of maps that have to be made before the tick goes on */
    struct kin_sph_map** maps;
    size_t map_count, map_capacity;
    struct kin_sph_samples** samples;
    size_t sample_count, sample_capacity;
    kin_sph_known *known, *next_known; /* by owner, rising; state */
    size_t known_count, known_capacity, next_capacity;
    uint8_t began;                     /* an interval has passed: who comes now has leapt in */
    struct kin_sph_surface** surfaces; /* by serial, rising; state */
    size_t surface_count, surface_capacity;
    uint32_t next_surface;                   /* serial; state */
    bool aimed;                              /* where they go in this interval is known */
    const kin_sph_surface_def* surface_defs; /* of the tank's def, for their keys */
    size_t surface_def_count;
};

static inline kin_vec3 kin_sph_place(const kin_sph* f, const float* at)
{
    return kin_v(f->origin.x + (double)at[0], f->origin.y + (double)at[1], f->origin.z + (double)at[2]);
}
static inline kin_vec3 kin_sph_wide(const float v[3]) { return kin_v((double)v[0], (double)v[1], (double)v[2]); }
static inline void kin_sph_narrow(float out[3], kin_vec3 v) { out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z; }
/* In the plane nothing acts along z. */
static inline kin_vec3 kin_sph_flatten(bool flat, kin_vec3 v) { return flat ? kin_v(v.x, v.y, 0) : v; }

/* walls.c: near = what there is within margin of the particles, `when` it is that fraction of the interval; boxes of chunks hold present places, and those in
 * from4 (or NULL). False: out of memory. */
bool kin_sph_walls_gather(kin_sph* f, const kin_sph_tick* tick, const float* from4, double margin, double when);
int64_t kin_sph_wall_chunks(const kin_sph* f);
/* Into `list` the walls within `margin` of the box, at most KIN_SPH_MOST_NEAR; how many. */
#define KIN_SPH_MOST_NEAR 256
uint32_t kin_sph_walls_beside(const kin_sph_walls* walls, kin_aabb box, double margin, uint32_t list[KIN_SPH_MOST_NEAR]);
/* A form as felt at x, by the nearest point of its surface; false: beyond reach. The share is that of a flat wall. */
bool kin_sph_feel_flat(const kin_sph_profile* profile, double distance, kin_vec3 normal, kin_sph_felt* out);

/* memory.c: at an interval's start; false: out of memory. NULL: none of that owner. */
bool kin_sph_walls_remember(kin_sph_walls* walls, const kin_step* step);
kin_sph_known* kin_sph_walls_known(kin_sph_walls* walls, kin_anchor owner);

/* feel.c: touches by chunk, in the order of particles. */
#define KIN_SPH_TOUCHES(walls, chunk, touch)                                                                                                                   \
    for (uint32_t page_ = (walls)->first[chunk]; page_ != KIN_SPH_NO_PAGE; page_ = (walls)->pages[page_].next)                                                 \
        for (kin_sph_touch* touch = (walls)->pages[page_].items; touch < (walls)->pages[page_].items + (walls)->pages[page_].count; ++touch)

/* give.c: touches with bodies, sorted by body. False: out of memory. */
bool kin_sph_walls_meet_bodies(kin_sph* f, const kin_sph_tick* tick);
bool kin_sph_walls_list_bodies(kin_sph_walls* walls, const kin_step* step);
/* An impulse, with its moment about the center: booked, and the body is felt to move with it from now on. */
/* Force and torque that pressures k put on a body, times `by`. */
kin_wrench kin_sph_body_thrust(const kin_sph* f, const kin_sph_body* body, const float* k, double by);
void kin_sph_body_give(kin_sph* f, const kin_solids* solids, kin_sph_body* body, kin_wrench impulse);
/* Change of motion that an impulse with its moment about the center makes. */
static inline kin_twist kin_sph_body_answer(const kin_sph_body* body, kin_vec3 impulse, kin_vec3 moment)
{
    return (kin_twist){kin_scale(impulse, body->inv_mass), kin_sym3_apply(body->inv_inertia, moment)};
}
static inline void kin_sph_twist_add(kin_twist* sum, kin_twist one)
{
    sum->velocity = kin_add(sum->velocity, one.velocity);
    sum->spin = kin_add(sum->spin, one.spin);
}
static inline kin_twist kin_sph_twist_scale(kin_twist t, double by) { return (kin_twist){kin_scale(t.velocity, by), kin_scale(t.spin, by)}; }
static inline kin_vec3 kin_sph_twist_at(kin_twist t, kin_vec3 arm) { return kin_add(t.velocity, kin_cross(t.spin, arm)); }

/* Angular velocity a wall is felt with, as below. */
static inline kin_vec3 kin_sph_wall_spin(const kin_sph_walls* walls, const kin_sph_wall* w)
{
    if (w->body == KIN_SPH_NO_BODY) return w->motion.spin;
    const kin_sph_body* b = &walls->bodies[w->body];
    return kin_add(w->motion.spin, kin_add_scaled(b->given.spin, walls->elapsed, b->load.spin));
}

/* Velocity a wall is felt with at a place: its path's, and if it gives way what its load and the fluid add to it by the tick's end. */
static inline kin_vec3 kin_sph_wall_velocity(const kin_sph_walls* walls, const kin_sph_wall* w, kin_vec3 at)
{
    kin_vec3 u = kin_sph_twist_at(w->motion, kin_sub(at, w->pose.position));
    if (w->body == KIN_SPH_NO_BODY) return u;
    const kin_sph_body* b = &walls->bodies[w->body];
    kin_vec3 arm = kin_sub(at, b->center);
    return kin_add(u, kin_add_scaled(kin_sph_twist_at(b->given, arm), walls->elapsed, kin_sph_twist_at(b->load, arm)));
}
