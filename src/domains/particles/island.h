/* island.h - inside exact contacts: a group of particles that may meet within the interval, advanced as one. */
#pragma once
#include "domains/particles/meet.h"
#include "numerics/lcp_friction.h"

#define KIN_GRAIN_SOLID UINT32_MAX
#define KIN_GROUP_EXACT 12 /* touches that the exact solvers take; more are relaxed */

/* Two members, or a member and a solid, that touch. Forces and impulses act with + on a and - on b. */
typedef struct kin_grain_touch {
    uint32_t a, b;   /* places in the island; b = KIN_GRAIN_SOLID: a solid */
    uint32_t group;  /* lowest member of those that hang together by touches */
    bool collides;   /* closes faster than rest_speed; else it is held */
    kin_basis frame; /* n from b to a */
    kin_pair pair;
    kin_vec3 velocity, spin, arm; /* of the solid: m/s, rad/s, m from the point it turns about */
    uint32_t solid;               /* its number */
    kin_vec3 point;               /* on it, m */
    kin_vec3 heading;             /* unit: where it slides, or starts to; zero: it sticks */
    double force[3];              /* N along n, t, k, and the acceleration that is left: of the last recorded evaluation */
    double accel[3];              /* m/s^2 */
} kin_grain_touch;

/* What a particle did to one solid that gives way, in the interval: hits as on one that does not, and what it leaned on it with. */
typedef struct kin_grain_given {
    kin_reaction hit, load; /* .solid UINT32_MAX: none */
} kin_grain_given;

typedef struct kin_island {
    const kin_particles* p;
    const kin_step* step;
    const uint32_t* members; /* ascending */
    int count;
    double *y, *y1, *dydt; /* [x y z | vx vy vz], count each */
    double *memory, *air, *scratch;
    double *turning, *unturned;   /* room for gyration; accelerations without it, m/s^2 */
    double* gyration;             /* rad/s, [w_x | w_y | w_z]: the integrator turns velocities by it; NULL: it does not */
    const kin_ode_method* method; /* of the present piece */
    kin_field_batch batch;        /* what fields are told of the members */
    double* give;                 /* 1/kg; 0: it is not moved by forces */
    kin_aabb* reached;            /* by member: all it passed through */
    uint8_t* struck;              /* by member: it collided with a solid */
    kin_particle_hit* hit;        /* by member: its last collision; NULL: they are not kept */
    kin_grain_given* given;       /* by particle, KIN_PARTICLE_CONTACTS each; NULL: no solid gives way */
    kin_grain_touch* touches;     /* sorted by group */
    int touch_count, touch_capacity;
    double time; /* s since the start of the interval */
    kin_arena* arena;
    int events;
    bool dead;         /* past max_events: nothing bounces */
    bool collided;     /* in the last piece */
    bool recording;    /* evaluations write to the touches */
    bool met;          /* members touched each other */
    bool resting;      /* all of them */
    bool failed;       /* no memory, or: */
    uint32_t lost;     /* the particle whose path has no end of hits, + 1; 0: none */
    double lost_speed; /* m/s */
    double dissipated; /* J */
    uint64_t hits;
} kin_island;

static inline kin_vec3 kin_member3(const double* y, int count, int i) { return kin_v(y[i], y[count + i], y[2 * count + i]); }
static inline kin_vec3 kin_member_x(const kin_island* s, const double* y, uint32_t i) { return kin_member3(y, s->count, (int)i); }
static inline kin_vec3 kin_member_v(const kin_island* s, const double* y, uint32_t i) { return kin_member3(y + 3 * s->count, s->count, (int)i); }
static inline void kin_member_add(double* y, int count, uint32_t i, double scale, kin_vec3 by)
{
    y[i] += scale * by.x;
    y[(uint32_t)count + i] += scale * by.y;
    y[2 * (uint32_t)count + i] += scale * by.z;
}
static inline void kin_member_put(double* y, int count, uint32_t i, kin_vec3 to)
{
    y[i] = to.x;
    y[(uint32_t)count + i] = to.y;
    y[2 * (uint32_t)count + i] = to.z;
}
static inline double kin_island_rest_speed(const kin_island* s) { return kin_max(s->p->def.rest_speed, 1e-9); }

/* cluster.c */
kin_vec3 kin_grain_velocity(const kin_island* s, const kin_grain_touch* touch, const double* y); /* of a seen from b, m/s */
void kin_grain_orient(kin_grain_touch* touch, kin_vec3 along);                                   /* t along it, where friction is the same all round */
/* 1/kg: what a unit of force of q along e does to p along d. */
double kin_grain_couple(const kin_island* s, const kin_grain_touch* p, kin_vec3 d, const kin_grain_touch* q, kin_vec3 e);
void kin_grain_push(const kin_island* s, const kin_grain_touch* touch, kin_vec3 impulse, double* v); /* v: 3 count numbers */
bool kin_island_group(kin_island* s);                                                                /* sorts the touches by what hangs together */
int kin_group_end(const kin_island* s, int first);                                                   /* one past the touches of the group that begins there */
/* Forces of touches [first, end) from what happens without them (3 numbers each, n t k). slides: their heading counts. */
bool kin_group_solve(kin_island* s, int first, int end, const double* offset, bool slides, double* force, double* accel);
void kin_grain_give(const kin_island* s, const kin_grain_touch* touch, kin_vec3 impulse,
                    bool hit);         /* impulse: on a. Written down, should it be a solid that gives way */
int kin_island_collide(kin_island* s); /* all that collide and all that touches them, at once; how many collided */

/* slides: static and, with a heading, dynamic; else the dynamic coefficient limits both. */
kin_lcp_friction_contact kin_grain_friction(const kin_grain_touch* touch, bool slides);

/* relax.c */
typedef struct kin_grain_row {
    const kin_grain_touch* touch;
    kin_vec3 d; /* unit */
} kin_grain_row;
bool kin_group_relax(kin_island* s, int first, int end, const double* offset, const kin_lcp_friction_contact* mu, double* force, double* accel);
bool kin_rows_relax(kin_island* s, const kin_grain_row* rows, const uint8_t* kinds, int n, const double* u, double* impulse, double* after);

/* hold.c */
void kin_island_derivative(void* island, double t, const double* y, double* dydt); /* fields, springs, contact forces */
void kin_island_hold(kin_island* s);                                               /* speeds and headings of the touches; leaves dydt at y */
bool kin_island_rests(const kin_island* s);
/* The fraction of the step from y to y1 at which friction has stopped a slip; 1: none. */
double kin_island_stop(const kin_island* s);
