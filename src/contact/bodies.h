/* bodies.h - the bodies of a contact group: parallel arrays by index. What a solver touches in every substep is in kin_body; what it asks once an interval is
 * in kin_body_skin. A number is not used again before the group is empty: order of creation is order everywhere. */
#pragma once
#include "base/arena.h"
#include "collision/form/form.h"
#include "contact/body.h"
#include "kinema/anchor.h"
#include "kinema/collider.h"
#include "math/pose_path.h"
#include "system/system.h"

typedef enum kin_body_motion {
    KIN_BODY_GONE,  /* removed, or inactive: takes no part */
    KIN_BODY_FIXED, /* never moves */
    KIN_BODY_KEYED, /* moves from `start` to `end` whatever meets it: keyed colliders, animated bodies */
    KIN_BODY_FREE,  /* moved by forces */
} kin_body_motion;

typedef struct kin_body_skin {
    kin_form* form;      /* kept; NULL: it meets nothing */
    kin_transform place; /* of the form in the body's frame */
    kin_material_id material;
    kin_filter filter;
    kin_anchor owner;                                    /* system (0: colliders) and element; local is unused */
    uint32_t solid;                                      /* its number in the collision service; UINT32_MAX: none of the group's making */
    kin_vec3 surface_velocity;                           /* m/s, form's frame */
    kin_vec3 one_way;                                    /* form's frame; zero: none */
    double drag, angular_drag, drag_area, gravity_scale; /* kinema/rigid.h */
    double reach;                                        /* m: farthest point of the form from the centre of mass */
    double thickness;                                    /* m: the smallest half extent of the form: what may not be passed in a substep unseen */
    bool sensor, stays_awake;
} kin_body_skin;

/* A stretch of a KEYED body's path over the interval, smooth from one end to the other. */
typedef struct kin_body_leg {
    double from, to; /* s of the interval */
    kin_pose_path path;
} kin_body_leg;

typedef struct kin_body_legs {
    uint32_t first, count; /* in kin_bodies.leg; none: from start to end at constant rates */
} kin_body_legs;

/* Of a KEYED one. Its velocity is the mean over the interval, and would jump from one to the next where it is accelerated: what it carries would get all the
 * acceleration of an interval at once, and lose its hold. */
typedef struct kin_body_drive {
    kin_twist change; /* m/s, rad/s: of its motion from the interval before to this one; state */
    kin_twist gain;   /* from the beginning to the end of this interval: what the last two changes have in common, so a jump is none */
} kin_body_drive;

enum { KIN_BODY_COLUMNS = 13 };
#define KIN_BODY_NO_LOAD 1e300 /* N: no load is known */

typedef struct kin_bodies {
    kin_allocator allocator;
    uint32_t count;
    size_t room[KIN_BODY_COLUMNS]; /* capacity of each array below, in their order */
    kin_body* body;
    kin_body_skin* skin;
    uint8_t* motion;            /* kin_body_motion */
    kin_vec3 *force, *torque;   /* N, N m: what acts over this interval, by forces.c; in exact mode evaluated at every stage */
    kin_vec3 *push, *twist;     /* N, N m: put on from outside for one step (kin_rigid_apply) */
    kin_vec3* asleep_force;     /* N: of a sleeping body, what fields did when it fell asleep; x = KIN_BODY_NO_LOAD: not measured. State */
    kin_twist* lag;             /* m/s, rad/s: motion over the last interval less the velocity at its end, of a body whose loads come an interval late. State */
    kin_body_drive* drive;      /* found with the path */
    kin_transform *start, *end; /* body frames over the interval; KEYED ones are given theirs before it, FREE ones get them by it */
    kin_body_legs* legs;        /* of KEYED ones in exact mode (keyed.h) */
    kin_body_leg* leg;          /* of all of them, in this interval: made anew before each, so no state */
    size_t leg_room;
    uint32_t leg_count;
} kin_bodies;

void kin_bodies_init(kin_bodies* bodies, const kin_allocator* allocator);
void kin_bodies_term(kin_bodies* bodies);
bool kin_bodies_reserve(kin_bodies* bodies, size_t count); /* in all; false: out of memory */
/* False: out of memory. The form is kept (one owner more). */
bool kin_bodies_add(kin_bodies* bodies, const kin_body* body, const kin_body_skin* skin, kin_body_motion motion, uint32_t* index);
void kin_bodies_remove(kin_bodies* bodies, uint32_t index); /* GONE; drops its form */
/* Numbers only: forms and what they belong to were made alike. Loading puts the bodies, known by their owners, into the stored order: a clone may have been
 * made in another one. */
void kin_bodies_visit(kin_bodies* bodies, kin_visitor* v);
uint32_t kin_bodies_removed(const kin_bodies* bodies); /* how many are gone for good; inactive ones are not */

void kin_bodies_calm(kin_bodies* bodies, uint32_t index); /* nothing acts on it any more */

/* The body's load of the interval that ended, h seconds long, is known and will act in the next one (a fluid's). Its velocity is that of a point between both: what
 * it is said to move by is how it moved. */
void kin_bodies_await(kin_bodies* bodies, uint32_t index, double h);
static inline kin_twist kin_bodies_motion(const kin_bodies* b, uint32_t i)
{
    return (kin_twist){kin_add(b->body[i].velocity, b->lag[i].velocity), kin_add(b->body[i].spin, b->lag[i].spin)};
}

/* A KEYED body's way over the coming h seconds, with the velocity and spin that it means. */
void kin_bodies_set_path(kin_bodies* bodies, uint32_t index, kin_transform start, kin_transform end, double h);
/* The next stretch of its path; follows set_path at once, and one body's stretches follow each other. False: out of memory. */
bool kin_bodies_add_leg(kin_bodies* bodies, uint32_t index, const kin_body_leg* leg);
void kin_bodies_drop_legs(kin_bodies* bodies); /* the interval is over */

static inline kin_transform kin_bodies_form_pose(const kin_bodies* b, uint32_t i) { return kin_transform_mul(kin_body_pose(&b->body[i]), b->skin[i].place); }

/* Fields (gravity, wind, attractors ...), drag and pushes as force and torque of every FREE body at a time; step: fields, jobs, seed. */
void kin_bodies_forces(kin_bodies* bodies, const kin_step* step, double time);
/* As one force for the whole interval, which acts in so many kicks: fields where bodies will be on the mean (so orbits neither gain nor lose energy to the first
 * order), and drag that takes no more motion than there is. On `count` bodies by number; which NULL: the first so many. */
void kin_bodies_mean_forces(kin_bodies* bodies, const uint32_t* which, uint32_t count, const kin_step* step, int kicks);
double kin_bodies_potential(const kin_bodies* bodies, uint32_t body, const kin_fields* fields, double time); /* J, gravity_scale counted */
