/* particles.h - inside the particle system. Structure of arrays; a block of neighbours in memory is one flat state for the integrator. */
#pragma once
#include "kinema/particles.h"
#include "collision/service.h"
#include "geometry/neighbours.h"
#include "math/frame.h"
#include "numerics/integrators.h"
#include "numerics/ode.h"
#include "system/density.h"
#include "system/emit/emit.h"
#include "system/material.h"
#include "system/reaction.h"
#include "system/spring.h"
#include "system/system.h"

#define KIN_PARTICLE_BLOCK 128    /* particles an integrator sees at once: their state, stages and fields stay in the nearest cache */
#define KIN_PARTICLE_AIR_ROOM 7   /* numbers a particle that fields want for the air and masks */
#define KIN_PARTICLE_CONTACTS 4   /* surfaces that can hold one particle */
#define KIN_PARTICLE_CHILDREN 256 /* of one split */
#define KIN_PARTICLE_SKIN 1e-9    /* m: a particle is put this far off the surface it met, so that rounding cannot put it behind (H3.3a) */

/* What a particle is doing about the surfaces near it. */
enum {
    KIN_PARTICLE_TOUCHING = 1, /* ended the last interval on a surface, or was just placed: look for contacts first */
    KIN_PARTICLE_FRESH = 2,    /* its velocity was changed: the integrator's memory must be restarted */
    KIN_PARTICLE_HIT = 4,      /* met a solid in the last step: for ends and splits */
    KIN_PARTICLE_CALM = 8,     /* a grain that was still at the end of the last interval, and has been left alone since */
    KIN_PARTICLE_LEFT = 16,    /* gone from the world, or from a solid it was in: it dies at the end of the step */
    KIN_PARTICLE_DEAD = 32,    /* its slot is free */
    KIN_PARTICLE_PULLED = 64,  /* on its way out of a solid (inside.c) */
};

/* Sums over a block of the present interval. */
typedef struct kin_particle_tally {
    double dissipated; /* J */
    uint32_t hits, capped, left;
    uint64_t bad;      /* first particle that is not finite, or UINT64_MAX */
    uint64_t squeezed; /* first particle that moving solids leave no room, or UINT64_MAX */
    kin_aabb box;      /* holds every sphere on its free path */
    bool finite;       /* all that is next */
    uint64_t stuck;    /* first particle that the integrator could not move, or UINT64_MAX; why: */
    kin_integrator_report stuck_report;
} kin_particle_tally;

/* What a curve of a kind runs over. */
typedef enum kin_curve_variable {
    KIN_CURVE_OVER_AGE,
    KIN_CURVE_OVER_SINCE_HIT,
    KIN_CURVE_OVER_ATTRIBUTE /* and the number of the attribute in the system */
} kin_curve_variable;

#define KIN_PARTICLE_ATTRIBUTES 8 /* names in a system: a layer of a frame has room for so many beside its own arrays */

/* What deviates anew in every step. */
enum { KIN_EACH_RADIUS = 1, KIN_EACH_MASS = 2, KIN_EACH_CHARGE = 4, KIN_EACH_RESTITUTION = 8, KIN_EACH_STATIC_FRICTION = 16, KIN_EACH_DYNAMIC_FRICTION = 32 };

/* A kind as the system keeps it: its def (in the system's arena), and what its names mean. */
typedef struct kin_kind {
    const kin_particle_kind* def;
    uint64_t tags;        /* bits */
    const uint32_t* into; /* kind of the children of each split */
    double reach;         /* m: largest radius at birth */
    bool ages;            /* something happens with age: it ends, splits, grows */
    kin_curve_variable color_over, opacity_over, size_over;
    uint8_t attributes[KIN_PARTICLE_ATTRIBUTES]; /* numbers in the system of those of def */
    uint32_t each_step;                          /* KIN_EACH_* */
} kin_kind;

/* Where a particle was. Only doubles: visited as such. */
typedef struct kin_trail_point {
    kin_vec3 x;  /* m */
    double time; /* s */
} kin_trail_point;

typedef struct kin_particles {
    kin_allocator allocator;
    kin_arena arena;          /* the def with all it holds, kinds */
    const kin_fields* fields; /* the world's */
    const kin_materials* materials;
    kin_particles_def def; /* without groups and springs */
    const kin_integrator* integrator;
    kin_integrator_settings settings;
    const kin_ode_method* method; /* of a fixed step; else what short pieces are taken with */
    bool straight;                /* its path is the straight chord */
    kin_simd simd;
    kin_kind* kinds;
    size_t kind_count;
    kin_emitters* emitters;
    uint32_t* emitter_kinds;                                                                          /* of each */
    uint32_t* emitter_solids;                                                                         /* it moves with; UINT32_MAX: none */
    bool (*element_motion)(const void* world, const char* system, uint32_t element, kin_motion* out); /* of what else emitters move with (kin_birth) */
    const void* world;
    int64_t* alive; /* of each emitter; state */
    size_t count, capacity;
    /* 96 bytes a particle */
    double* x[3];     /* m */
    double* v[3];     /* m/s */
    double* mass;     /* kg */
    double* radius;   /* m */
    double* birth;    /* s */
    float* life;      /* s; 0: forever */
    uint64_t* serial; /* never reused */
    uint16_t* material;
    uint16_t* kind;
    uint16_t* source; /* 1 + its emitter; 0: none */
    uint8_t* depth;   /* generations of splits before it */
    uint8_t *mobility, *flags;
    uint8_t* resting; /* 1: at rest on something; wakes when a force or its support changes */
    uint8_t* moved;   /* in the last step; not state */
    /* only where something asks for them */
    double* memory[3];                /* of the integrator */
    double* charge;                   /* C */
    float *first_radius, *first_mass; /* at birth, of kinds that grow */
    kin_surface_deviation* surface;   /* of kinds whose coefficients differ */
    float* bank;                      /* rad, of kinds that lean */
    kin_vec3* up;                     /* unit, of kinds that carry it */
    double* attributes;               /* attribute_count of each */
    int attribute_count;
    const char* attribute_names[KIN_PARTICLE_ATTRIBUTES];
    float* first_charge; /* at birth, of kinds whose charge deviates in each step */
    double* pull_begin;  /* s: since when it is pulled out of a solid, and how deep it was then, m */
    float* pull_depth;
    uint8_t* inside;                       /* of a solid in this interval: kin_inside; not state */
    kin_particle_hit *last_hit, *next_hit; /* of kinds that keep hits; next: of this interval, not state */
    kin_trail_point* trail;                /* trail_points of each, a ring, of kinds that have trails */
    uint32_t* trail_count;                 /* places taken so far: the newest is at (count - 1) % trail_points */
    int trail_points;                      /* 0: no kind has a trail */
    /* the end of the interval, until commit */
    double *next_x[3], *next_v[3], *next_memory[3];
    uint8_t *next_mobility, *next_flags, *next_resting;
    uint32_t columns; /* KIN_COLUMN_*: which of the optional ones there are */
    uint32_t* free;   /* slots of the dead, last freed first */
    size_t free_count;
    uint64_t next_serial;
    double memory_h;     /* s: the step the integrator's memory is for; 0: none */
    bool stale;          /* something was pushed since predict */
    bool leavers;        /* some left in this step: they die at its end; not state */
    bool lacks_memory;   /* there was none for the integrator's columns: the next step is refused */
    double dissipated;   /* J, lost in hits and to friction so far */
    uint64_t hits;       /* so far */
    uint64_t born, died; /* so far */
    kin_spring* springs;
    size_t spring_count, spring_capacity;
    kin_mutuals mutuals;
    struct kin_coupled* coupled; /* whole-system motion, when particles feel each other; NULL: not needed so far */
    kin_integrator_memory step_memory, next_step_memory;
    kin_density* volume;   /* NULL: none */
    kin_newborn* newborns; /* scratch of births */
    size_t newborn_capacity;
    struct kin_happening* happenings; /* and deaths */
    size_t happening_capacity;
    kin_neighbours* crowd;       /* for emitters that keep clear; NULL: not needed so far */
    kin_particle_tally* tallies; /* a block each */
    kin_reactions reactions;     /* of the present interval */
    kin_reactions* shares;       /* of it, by chunk of the commit: what one has not seen of another counts from the next interval on */
    size_t share_capacity;
    struct kin_meetings* meetings; /* between particles (meet.h); NULL: they pass through each other */
} kin_particles;

enum {
    KIN_COLUMN_MEMORY = 1,
    KIN_COLUMN_CHARGE = 2,
    KIN_COLUMN_GROWTH = 4,
    KIN_COLUMN_BANK = 8,
    KIN_COLUMN_INSIDE = 16,
    KIN_COLUMN_HIT = 32,
    KIN_COLUMN_TRAIL = 64,
    KIN_COLUMN_SURFACE = 128,
    KIN_COLUMN_UP = 256,
    KIN_COLUMN_ATTRIBUTES = 512,
    KIN_COLUMN_FIRST_CHARGE = 1024,
    KIN_COLUMNS_END = 2048
};

extern const kin_system_ops kin_particles_ops;
extern const kin_param kin_particles_params[], kin_particle_group_params[], kin_particle_kind_params[];

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
    kin_surface_deviation surface;
    double age;                           /* s, at the start of the interval */
    double charge;                        /* C */
    uint64_t serial, tags;                /* for fields */
    kin_vec3 pull;                        /* m/s^2: of the other particles, over the whole interval */
    kin_vec3 wall[KIN_PARTICLE_CONTACTS]; /* normals of what it met in this interval: it is not carried into them */
    int walls;
    kin_arena* scratch;   /* for integrators that take more room than a stack has */
    kin_reactions* gives; /* what it does to solids that give way goes there; NULL: there are none */
    kin_vec3 bounced;     /* N s: what hits gave it since the last look */
    double time;          /* s since the start of the interval */
    bool resting, touching, capped, squeezed;
    double dissipated; /* J */
    uint32_t hits;
    kin_particle_hit last_hit;    /* in this interval */
    kin_integrator_report report; /* of the first piece that its integrator could not take, else KIN_OK */
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
    bool straight;                /* the method's own path is a straight line */
    kin_vec3 carry;               /* m/s: fields carry it along beside its own motion (H5.2); part of x1, not of v0 and v1 */
    const kin_ode_method* method; /* it was flown by; NULL: an integrator with steps of its own */
    kin_integrator_report report; /* of an integrator with steps of its own */
} kin_flight;

/* store.c */
size_t kin_particles_total(const kin_particles_def* def); /* over the groups; SIZE_MAX when it does not fit */
size_t kin_particles_bytes(const void* def);
int kin_particles_trail_points(const kin_particles_def* def); /* kinds.c: 0: no kind has a trail */
bool kin_particles_reserve(kin_particles* p, size_t count);
bool kin_particles_need(kin_particles* p, uint32_t columns); /* makes optional columns */
void kin_particles_free(kin_particles* p);
void kin_particles_free_happenings(kin_particles* p); /* births.c */

/* What a particle is born with. */
typedef struct kin_particle_birth {
    kin_vec3 x, v;
    double mass, radius, charge, life, time;
    kin_surface_deviation surface;
    double attributes[KIN_PARTICLE_ATTRIBUTES];
    uint32_t kind, material, source, depth;
    kin_mobility mobility;
} kin_particle_birth;
size_t kin_particles_bear(kin_particles* p, const kin_particle_birth* birth); /* there is room; its element */
void kin_particles_kill(kin_particles* p, size_t i);

/* groups.c */
kin_result kin_particles_add_groups(kin_particles* p, const kin_birth* birth, const kin_particles_def* def, kin_error* error);

/* kinds.c */
kin_result kin_particles_make_kinds(kin_particles* p, const kin_birth* birth, kin_error* error); /* and emitters, from p->def */
uint32_t kin_particles_kind_named(const kin_particles* p, const char* name);                     /* UINT32_MAX: none; NULL: the first */
double kin_kind_phase(const kin_kind* kind, double age, double life);                            /* where its curves are read */
static inline double kin_particle_age(const kin_particles* p, size_t i, double time) { return time - p->birth[i]; }
kin_surface_deviation kin_kind_surface(const kin_kind* kind, const kin_rng_key* key); /* of a newborn */
static inline kin_surface_deviation kin_particle_surface(const kin_particles* p, size_t i)
{
    return p->surface != NULL ? p->surface[i] : (kin_surface_deviation){0};
}
bool kin_particles_pair_meets(const kin_particles* p, size_t i, size_t j);
bool kin_particle_meets_solids(const kin_particles* p, size_t i); /* dynamic, of a kind that does, and not on its way out of one */
void kin_particle_grow(kin_particles* p, size_t i, double age);   /* radius and mass of that age */
double kin_particle_variable(const kin_particles* p, size_t i, kin_curve_variable over, double age); /* where a curve is read */

/* attributes.c */
int kin_particles_attribute_count(const kin_particles_def* def); /* of different names */
kin_result kin_particles_name_attributes(kin_particles* p, kin_error* error);
int kin_kind_attribute(const kin_kind* kind, const char* name);                                                   /* its number in the system; -1: none */
void kin_kind_draw_attributes(const kin_kind* kind, const kin_rng_key* key, double out[KIN_PARTICLE_ATTRIBUTES]); /* of a newborn */
void kin_kind_inherit_attributes(const kin_kind* parent, const double* from, const kin_kind* kind, double out[KIN_PARTICLE_ATTRIBUTES]);
bool kin_particle_attribute_of(const void* self, uint32_t element, const char* name, double* out);
bool kin_particle_set_attribute(void* self, uint32_t element, const char* name, double value);

/* deviations.c */
kin_result kin_kind_each_step(const kin_particle_kind* def, size_t index, uint32_t* out, kin_error* error);
static inline void kin_deviation_at_birth(uint32_t each_step, uint32_t what, const double about[2], double out[2]) /* none of what deviates in each step */
{
    out[0] = about[0];
    out[1] = (each_step & what) != 0 ? 0 : about[1];
}
void kin_particles_deviate(kin_particles* p, uint64_t seed, uint32_t system, uint64_t step, double time); /* of all, for the step that begins */
kin_result kin_particles_check_deviations(const kin_particles* p, const kin_particle_group* group, const char* path, kin_error* error);

/* births.c */
bool kin_particles_have_transfers(const void* self);
void kin_particles_transfer(void* self, kin_step* step);

/* contact.c */
/* Of the impulse along a unit direction that a fixed solid would give it: the solid may give way (C3.6, by its effective mass there). */
double kin_particle_share(const kin_step* step, const kin_particle* p, uint32_t solid, kin_vec3 point, kin_vec3 direction);
/* What it and others gave a solid in this interval already changes how it moves, m/s at a point. */
kin_vec3 kin_particle_surface_change(const kin_step* step, const kin_particle* p, uint32_t solid, kin_vec3 point);
kin_vec3 kin_particle_surface_acceleration(const kin_step* step, uint32_t solid, kin_vec3 point);                      /* m/s^2, by weight and what holds it */
void kin_particle_give(const kin_step* step, const kin_particle* p, uint32_t solid, kin_vec3 point, kin_vec3 impulse); /* impulse: on the particle */

/* inside.c */
void kin_particles_look_inside(kin_particles* p, const kin_step* step);    /* who is in a solid, into inside */
void kin_particle_leave(kin_particles* p, const kin_step* step, size_t i); /* its end of the interval, of one that is */
void kin_particles_note_pulls(kin_particles* p, const kin_step* step);     /* the interval stands: since when, and how deep, they are pulled */

/* history.c */
/* A hit at a point, s after the start of the interval, for kinds that keep hits; of two in an interval the later counts, of two at one time the first. */
void kin_particles_note_hit(kin_particles* p, size_t i, kin_particle_hit hit);
kin_particle_hit kin_hit_on_solid(const kin_step* step, const kin_contact* contact, double s);
void kin_particles_begin_hits(kin_particles* p);                          /* none yet in this interval */
void kin_particles_keep_hits(kin_particles* p);                           /* the interval stands */
void kin_particles_extend_trails(kin_particles* p, const kin_step* step); /* before the new places become the present ones */
void kin_particles_visit_history(kin_particles* p, kin_visitor* v, size_t count);
double kin_particles_trail_time(const kin_particles* p, size_t i); /* s; 0: it has none */
size_t kin_particles_trail_places(const kin_particles* p, size_t i);
const kin_trail_point* kin_particles_trail_place(const kin_particles* p, size_t i, size_t back); /* 0: the newest */
double kin_particle_since_hit(const kin_particles* p, size_t i, double time);                    /* s; DBL_MAX: there was none */

/* commit.c */
kin_status kin_particles_commit(void* self, kin_step* step);
/* The integrator could not move it: the report, its time and the worst component (x to velocity z are 0 to 5; -1: none). */
enum { KIN_PATH_LOST = -2 }; /* for the worst component of a report: no end to the search for hits; its ratio is the speed, m/s */
kin_status kin_particles_refuse_stuck(const kin_particles* p, kin_step* step, uint64_t element, int component, const kin_integrator_report* report);
/* Once a block's next state is known, while it is still in the cache: what commit asks of the whole block. */
void kin_particles_settle_block(kin_particles* p, const kin_step* step, size_t begin, size_t end);

/* motion.c */
kin_status kin_particles_move(kin_particles* self, kin_step* step); /* free motion of all over h, into next */
kin_vec3 kin_particle_acceleration(const kin_step* step, const kin_particle* p);
bool kin_particles_gyrate(const kin_step* step, const kin_ode_method* method); /* fields turn velocities, and the method does so apart from other forces */
bool kin_path_is_straight(const kin_ode_method* method);                       /* of order 1, but for average-velocity, which follows the parabola */
/* method NULL: the system's own integrator. */
kin_flight kin_particle_fly(const kin_particles* self, const kin_ode_method* method, const kin_step* step, const kin_particle* p, const kin_support* support,
                            double h);
kin_particle kin_particle_at(const kin_particles* self, const kin_step* step, size_t i); /* on its own, at the start of the interval */
/* What fields ask for beyond places and velocities, of n particles from `first` on; room has KIN_FIELD_ROOM n numbers. */
#define KIN_FIELD_ROOM 6
void kin_particles_describe(const kin_particles* self, const kin_step* step, const uint32_t* index, size_t first, int n, double* room, kin_field_batch* batch);

/* coupled.c */
bool kin_particles_are_coupled(const kin_particles* self, const kin_fields* fields);
kin_status kin_particles_move_together(kin_particles* self, kin_step* step);
kin_vec3 kin_particles_pull(const kin_particles* self, size_t i);                       /* m/s^2, of the others, at the start of the interval */
double kin_particles_mutual_potential(const kin_particles* self, const kin_step* step); /* J */
uint64_t kin_particles_forces(const kin_particles* self); /* accelerations that the last interval asked for, when they feel each other */
void kin_coupled_destroy(struct kin_coupled* coupled);

/* capture.c */
void kin_particles_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture);

/* path.c */
double kin_flight_bulge(const kin_flight* flight); /* m: how far the curve strays from its chord, at most */
kin_vec3 kin_flight_position(const kin_flight* flight, double s);
kin_vec3 kin_flight_velocity(const kin_flight* flight, double s);
bool kin_flight_is_clear(const kin_flight* flight, const kin_step* step, const kin_particle* p); /* true: it meets nothing for sure */
/* First touch within [0, end] of the flight; *s is its fraction. */
/* True with contact->solid UINT32_MAX: the path is too long and bent to be searched, and the step must be refused. */
bool kin_flight_first_hit(const kin_flight* flight, double end, const kin_step* step, const kin_particle* p, double* s, kin_contact* contact);

/* contact.c */
kin_basis kin_contact_frame(const kin_step* step, const kin_contact* contact); /* tangent axes turn with the solid */
kin_pair kin_contact_pair(const kin_step* step, kin_material_id material, kin_surface_deviation surface, const kin_contact* contact);
kin_pair kin_particles_pair(const kin_particles* p, size_t i, size_t j);
/* H3.2: bounce and friction. dead: no restitution. */
/* True: it was a collision, faster than rest_speed. */
bool kin_particle_bounce(const kin_particles* self, const kin_step* step, kin_particle* p, const kin_contact* contact, bool dead);
kin_support kin_particle_support(const kin_particles* self, const kin_step* step, kin_particle* p); /* what holds it now; it is moved out of what it is in */
bool kin_particle_rests(const kin_particles* self, const kin_step* step, const kin_particle* p, const kin_support* support); /* H3.3b */
kin_vec3 kin_support_acceleration(const kin_support* support, kin_vec3 a, kin_vec3 v);                                       /* a with what the surfaces add */
kin_vec3 kin_held_gyration(const kin_vec3* normals, int count, kin_vec3 w);      /* of a rotation, what is left where surfaces with these normals hold */
double kin_support_friction(const kin_support* support, kin_vec3 a, kin_vec3 v); /* m/s^2 that friction alone does */

/* hits.c */
void kin_particle_advance(const kin_particles* self, const kin_step* step, kin_particle* p); /* its whole interval */
