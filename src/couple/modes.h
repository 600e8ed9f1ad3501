/* modes.h - bodies of two contact groups that meet: real-time ones and exact ones. A coupler of the world's own; it remembers nothing.
 *
 * Neither solver knows the other's bodies. What they do to each other in an interval is foretold here, from all that bears on it: contacts between the groups,
 * and contacts and joints within them as far as they hang on to those. Of the answer only what passes between the groups is kept:
 *
 *     hits    what stops bodies that come at each other: posted, so that both have their new velocities before their solvers begin
 *     loads   what then carries them: a force over the interval, written into the ledger and handed to both groups
 *
 * So each solver finds its bodies under the load of the other's, equal and opposite, and has the last word on its own contacts. */
#pragma once
#include "base/arena.h"
#include "contact/group.h"
#include "couple/verbs.h"

#define KIN_COUPLER_MODE_HITS 0xffff0002u
#define KIN_COUPLER_MODE_LOADS 0xffff0003u

/* A body of either group, in an interval. */
typedef struct kin_mode_node {
    kin_aabb box;            /* over the interval, grown by how near counts */
    kin_vec3 velocity, spin; /* as they change here, m/s, rad/s */
    kin_sym3 inv_inertia;
    double inv_mass; /* 1/kg; 0: nothing moves it */
    bool reached, done;
} kin_mode_node;

/* J v of two bodies, and the impulse that it takes. */
typedef struct kin_mode_row {
    kin_vec3 linear_a, angular_a, linear_b, angular_b;
    kin_vec3 turn_a, turn_b; /* inverse inertia times the angular parts */
    uint32_t a, b;           /* nodes */
    double mass;             /* 1 / J M^-1 J^T; 0: nothing gives way */
    double target[2];        /* m/s or rad/s: the rate wanted, of hits and of loads */
    double low, high;        /* N s: bounds of the impulse */
    bool slow;               /* acts over time: no part of hits */
    double impulse;          /* N s */
} kin_mode_row;

/* A point of contact, of three rows, the normal first; or a row of a joint. */
typedef struct kin_mode_item {
    uint32_t first, count;
    double stick, slip; /* coefficients of friction */
} kin_mode_item;

/* How two things meet. */
typedef struct kin_mode_law {
    double stick, slip, restitution, bounce_speed;
    kin_vec3 surface; /* m/s, of a against b */
} kin_mode_law;

/* Two bodies of different groups that touch. */
typedef struct kin_mode_touch {
    uint32_t a, b;          /* nodes: real-time, exact */
    uint32_t first, count;  /* rows */
    kin_vec3 place, normal; /* m: what the wrenches are about; from b to a */
    double speed;           /* m/s: at which they came; 0: no faster than what does not bounce */
} kin_mode_touch;

/* A push to be taken back after the interval: pushes of users are for a whole step. */
typedef struct kin_mode_push {
    uint32_t node;
    kin_vec3 push, twist;
} kin_mode_push;

typedef struct kin_modes {
    kin_arena arena; /* of an interval */
    kin_group* groups[2];
    uint32_t first[2]; /* node of body 0 of each */
    kin_mode_node* nodes;
    uint32_t* reached; /* nodes, in the order they were */
    uint32_t reached_count;
    kin_mode_row* rows;
    kin_mode_item* items;
    kin_mode_touch* touches;
    kin_mode_push* pushes;
    size_t row_room, item_room, touch_room;
    uint32_t row_count, item_count, touch_count, push_count;
    double* search; /* solver: directions, and impulses before */
    double h;       /* s */
} kin_modes;

void kin_modes_init(kin_modes* modes, const kin_allocator* allocator);
void kin_modes_term(kin_modes* modes);
/* After predict, before the groups advance. False: out of memory; the interval must not go on. */
bool kin_modes_exchange(kin_modes* modes, kin_group* realtime, kin_group* exact, kin_step* step);
/* After both advanced: pushes are the users' again. */
void kin_modes_end(kin_modes* modes, const kin_step* step);

/* modes_solve.c. stage 0: hits, 1: loads */
void kin_modes_row_weigh(kin_modes* modes, kin_mode_row* row);
double kin_modes_row_rate(const kin_modes* modes, const kin_mode_row* row);
void kin_modes_solve(kin_modes* modes, int stage);
