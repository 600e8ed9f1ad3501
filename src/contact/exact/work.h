/* work.h - a unit while it is moved: its bodies beside each other, those it touches after them, the contacts and joint rows of the moment. All in scratch. */
#pragma once
#include "contact/exact/exact.h"

struct kin_exact_work {
    const kin_exact* self;
    const kin_exact_unit* unit;
    kin_arena* scratch;
    kin_bodies view;             /* the unit's free bodies, for forces: body is the start of `bodies` */
    kin_body* bodies;            /* free ones, then those that they touch or are jointed to; the last is the world */
    uint32_t* number;            /* in the group; KIN_NO_BODY: the world */
    uint32_t free, count;        /* bodies */
    kin_twist* driven;           /* m/s^2, rad/s^2: of keyed ones, by their paths; zero for others */
    bool carried;                /* a keyed one has rates that change, or is not where it was */
    kin_vec3* angular;           /* momenta of the free ones */
    uint32_t *joint_a, *joint_b; /* places of the unit's joints' bodies, a joint each */
    uint32_t *pair_a, *pair_b;   /* and of its pairs' */

    kin_exact_yield yields; /* why it goes by turns (yield.c) */
    bool by_turns;
    double stride;           /* s: contacts are those that may come to be within this; 0: those that touch */
    int64_t work;            /* visits of rows, in this tick */
    kin_exact_point* points; /* contacts of this tick */
    int point_count, point_room;
    bool collides; /* a contact closes as a collision does: whatever follows is void, as the pair's event comes first */
    kin_touching* touching;
    double* force; /* n, t, k a contact */
    kin_vec3* tangents;
    kin_vec3* guess;       /* N: forces on a of the solution before, in this tick */
    double guess_soft;     /* kin_force_report.soft of it */
    bool has_guess, found; /* found: in this tick, not before */
    uint8_t* handed;
    kin_joint_row* rows; /* hold rows, limits, and motors and friction that hold */
    uint32_t *row_a, *row_b, *row_joint;
    int row_count, row_room;
    double* multipliers;
    int8_t* drive;    /* motors and friction of this tick, a joint x KIN_JOINT_ROWS by slot: +1, -1 all they have, 0 hold */
    double* ahead;    /* the same: how far limits, and rates of what drives, are from their goals as the tick begins; 0: none */
    double residual;  /* m/s^2, worst of this tick */
    double swept;     /* m/s: what the sweeps of a stride left */
    int handed_count; /* contacts whose forces diverged, in this tick */
    bool unsolved;    /* forces were not found, in this tick */
    bool may_yield;   /* it may end with that once the work of the interval is spent */
    double power;     /* W: that sliding takes, the mean of the tick's ends */
    bool failed;      /* out of memory, or forces not found at all */

    bool stops;   /* its integrator takes steps of its own, and ends the tick with the one in which sliding or sticking ends */
    bool by_spin; /* the state has spins, not momenta: constraints hold spins, and a slender body's would drown in its momentum */
    int size;     /* numbers of the state: 13 a body */
    double *y0, *y1, *k1;
    kin_integrator_memory memory;
    double time; /* s of the interval, of the tick's start */
};

/* Places the unit's bodies, joints and pairs. False: out of memory. */
bool kin_exact_work_begin(kin_exact_work* work, const kin_exact* self, const kin_exact_unit* unit, kin_arena* scratch);
void kin_exact_work_load(kin_exact_work* work, const kin_exact_state* states, double time); /* states of the unit's bodies, and contacts there */
void kin_exact_work_store(const kin_exact_work* work, kin_exact_state* states);
/* Bodies that are not the unit's, at a time of the tick; keyed ones are on the stretch of their path that the tick begins on. */
void kin_exact_work_keyed(kin_exact_work* work, double time);
/* The forces last found stay with the unit's pairs. */
void kin_exact_work_leave_trail(const kin_exact_work* work);
/* By turns contacts are looked for as far as bodies may get in a tick. */
void kin_exact_work_look_ahead(kin_exact_work* work, double h);
/* Springs, and motors and friction that slide, into force and torque; the rest as rows. */
void kin_exact_work_joints(kin_exact_work* work);
/* Sliding and sticking are settled for a tick as it begins: what slides goes on to, what sticks does unless its friction cannot hold it. rates: of the state
 * (accelerations), or NULL at first. True: something has broken loose. */
bool kin_exact_work_friction(kin_exact_work* work, const double* rates, double h);
/* The tick stands past the end of some sliding, some sticking, or some drive of a joint: for integrators that stop there. */
bool kin_exact_work_changes(const kin_exact_work* work);
/* The first fraction of the tick, which stands at its end, at which something that slides, drives or nears a limit gets there. 1: nothing does. */
double kin_exact_work_turn(const kin_exact_work* work);
/* The unit in a state with contact forces found there (w->guess): motion.c. False: there are none, it goes by turns, or memory is out. */
bool kin_exact_find_forces(const kin_exact* self, const kin_exact_unit* unit, const kin_exact_state* states, double time, kin_exact_work* work,
                           kin_arena* scratch);
/* Contact and joint forces into force and torque. */
void kin_exact_work_solve(kin_exact_work* work, double h);
/* Rows of joint i of the unit; limits nearer than look_ahead. */
static inline int kin_exact_work_rows(const kin_exact_work* work, uint32_t i, double look_ahead, kin_joint_row* rows)
{
    return kin_joint_rows(&work->self->group->joints[work->unit->joints[i]], &work->bodies[work->joint_a[i]], &work->bodies[work->joint_b[i]], look_ahead,
                          rows);
}
/* The spin that belongs to a free body's momentum. */
static inline void kin_exact_work_spin(kin_exact_work* work, uint32_t i)
{
    work->bodies[i].spin = kin_body_inv_inertia_times(&work->bodies[i], work->angular[i]);
}
