/* particles.h - inside the particle system. Structure of arrays; a block of neighbours in memory is one flat state for the integrator. */
#pragma once
#include "kinema/particles.h"
#include "math/frame.h"
#include "numerics/ode.h"
#include "system/system.h"

#define KIN_PARTICLE_BLOCK 128  /* particles an integrator sees at once: their state, stages and fields stay in the nearest cache */
#define KIN_PARTICLE_CONTACTS 4 /* surfaces that can hold one particle */
#define KIN_PARTICLE_SKIN 1e-9  /* m: a particle is put this far off the surface it met, so that rounding cannot put it behind (H3.3a) */

/* What a particle is doing about the surfaces near it. */
enum {
    KIN_PARTICLE_TOUCHING = 1, /* ended the last interval on a surface, or was just placed: look for contacts first */
    KIN_PARTICLE_FRESH = 2,    /* its velocity was changed: the integrator's memory must be restarted */
    KIN_PARTICLE_CALM = 4,     /* a grain that was still at the end of the last interval, and has been left alone since */
};

/* Sums over a block of the present interval. */
typedef struct kin_particle_tally {
    double dissipated; /* J */
    uint32_t hits, capped;
    uint64_t bad;      /* first particle that is not finite, or UINT64_MAX */
    uint64_t squeezed; /* first particle that moving solids leave no room, or UINT64_MAX */
    bool unmoved;      /* there was no memory to move it */
} kin_particle_tally;

typedef struct kin_particles {
    kin_allocator allocator;
    kin_particles_def def; /* without groups */
    const kin_ode_method* method;
    bool straight; /* its path is the straight chord */
    kin_simd simd;
    size_t count, capacity;
    double* x[3];                                   /* m */
    double* v[3];                                   /* m/s */
    double* memory[3];                              /* of the integrator, if it keeps one */
    double *next_x[3], *next_v[3], *next_memory[3]; /* the end of the interval, until commit */
    double *mass, *inv_mass, *radius;
    uint32_t* material;
    uint64_t* serial;
    uint8_t *mobility, *next_mobility;
    uint8_t *flags, *next_flags;
    uint8_t *resting, *next_resting; /* 1: at rest on something; wakes when a force or its support changes */
    uint8_t* moved;                  /* in the last step; not state */
    double memory_h;                 /* s: the step the integrator's memory is for; 0: none */
    bool stale;                      /* something was pushed since predict */
    double dissipated;               /* J, lost in hits and to friction so far */
    uint64_t hits;                   /* so far */
    kin_particle_tally* tallies;     /* a block each */
    struct kin_meetings* meetings;   /* between particles (meet.h); NULL: they pass through each other */
} kin_particles;

extern const kin_system_ops kin_particles_ops;
extern const kin_param kin_particles_params[], kin_particle_group_params[];

static inline size_t kin_particle_blocks(size_t count) { return (count + KIN_PARTICLE_BLOCK - 1) / KIN_PARTICLE_BLOCK; }
static inline kin_vec3 kin_get3(double* const array[3], size_t i) { return (kin_vec3){array[0][i], array[1][i], array[2][i]}; }
static inline void kin_put3(double* const array[3], size_t i, kin_vec3 v)
{
    array[0][i] = v.x;
    array[1][i] = v.y;
    array[2][i] = v.z;
}

/* One particle on its own, as the slow path of a hit sees it. */
typedef struct kin_particle {
    kin_vec3 x, v;
    double mass, inv_mass, radius;
    kin_material_id material;
    double time; /* s since the start of the interval */
    bool resting, touching, capped, squeezed;
    double dissipated; /* J */
    uint32_t hits;
} kin_particle;

/* Surfaces that hold a particle, and what they do to it (contact.c). count 0: none. */
typedef struct kin_support {
    int count;
    kin_vec3 normals[KIN_PARTICLE_CONTACTS];
    kin_pair pairs[KIN_PARTICLE_CONTACTS];
    kin_basis frames[KIN_PARTICLE_CONTACTS]; /* tangent axes for directional friction */
    double gap;                              /* m, to the nearest */
    uint32_t solid;                          /* that one; its motion at the contact: */
    kin_vec3 velocity;                       /* m/s */
    kin_vec3 spin;                           /* rad/s */
    kin_vec3 arm;                            /* m, from the point it turns about */
    kin_vec3 heading;                        /* unit: where the slip goes, or would go */
} kin_support;

/* A piece of free or sliding motion (motion.c, path.c). */
typedef struct kin_flight {
    kin_vec3 x0, v0, x1, v1;
    double h;
    bool straight; /* the method's own path is a straight line */
} kin_flight;

/* store.c */
size_t kin_particles_total(const kin_particles_def* def); /* over the groups; SIZE_MAX when it does not fit */
size_t kin_particles_bytes(const void* def);
bool kin_particles_reserve(kin_particles* p, size_t count);
void kin_particles_add(kin_particles* p, const kin_birth* birth, const kin_particle_group* group); /* one of it; there is room */
void kin_particles_free(kin_particles* p);

/* commit.c */
kin_status kin_particles_commit(void* self, kin_step* step);

/* motion.c */
void kin_particles_move(kin_particles* self, kin_step* step); /* free motion of all over h, into next */
kin_vec3 kin_particle_acceleration(const kin_step* step, const kin_particle* p);
bool kin_path_is_straight(const kin_ode_method* method); /* of order 1, but for average-velocity, which follows the parabola */
kin_flight kin_particle_fly(const kin_ode_method* method, const kin_step* step, const kin_particle* p, const kin_support* support, double h);

/* path.c */
double kin_flight_bulge(const kin_flight* flight); /* m: how far the curve strays from its chord, at most */
kin_vec3 kin_flight_position(const kin_flight* flight, double s);
kin_vec3 kin_flight_velocity(const kin_flight* flight, double s);
bool kin_flight_is_clear(const kin_flight* flight, const kin_step* step, const kin_particle* p); /* true: it meets nothing for sure */
/* First touch within [0, end] of the flight; *s is its fraction. */
bool kin_flight_first_hit(const kin_flight* flight, double end, const kin_step* step, const kin_particle* p, double* s, kin_contact* contact);

/* May these two meet at all? */
static inline bool kin_particles_pair_meets(const kin_particles* p, size_t i, size_t j)
{
    (void)p;
    return i != j;
}

/* contact.c */
kin_basis kin_contact_frame(const kin_step* step, const kin_contact* contact); /* tangent axes turn with the solid */
kin_pair kin_contact_pair(const kin_step* step, kin_material_id material, const kin_contact* contact);
/* H3.2: bounce and friction. dead: no restitution. */
void kin_particle_bounce(const kin_particles* self, const kin_step* step, kin_particle* p, const kin_contact* contact, bool dead);
kin_support kin_particle_support(const kin_particles* self, const kin_step* step, kin_particle* p); /* what holds it now; it is moved out of what it is in */
bool kin_particle_rests(const kin_particles* self, const kin_step* step, const kin_particle* p, const kin_support* support); /* H3.3b */
kin_vec3 kin_support_acceleration(const kin_support* support, kin_vec3 a, kin_vec3 v);                                       /* a with what the surfaces add */
double kin_support_friction(const kin_support* support, kin_vec3 a, kin_vec3 v); /* m/s^2 that friction alone does */

/* hits.c */
void kin_particle_advance(const kin_particles* self, const kin_step* step, kin_particle* p); /* its whole interval */
