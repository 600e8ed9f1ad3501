/* modes.h - bodies of two contact groups that meet: real-time ones and exact ones. A coupler of the world's own; it remembers nothing.
 *
 * Neither solver knows the other's bodies. What they do to each other in an interval is foretold here, from all that bears on it: contacts between the groups,
 * and contacts and joints within them as far as they hang on to those. Of the answer only what passes between the groups is kept:
 *
 *     hits    what stops bodies that come at each other: posted, so that both have their new velocities before their solvers begin
 *     loads   what then carries them: a force over the interval, written into the ledger and handed to both groups
 *
 * Rows and solvers are those of contact/impulse. So each group's solver finds its bodies under the load of the other's, equal and opposite, and has the last word on its own contacts. */
#pragma once
#include "base/arena.h"
#include "contact/group.h"
#include "contact/impulse/rows.h"
#include "couple/verbs.h"

#define KIN_COUPLER_MODE_HITS 0xffff0002u
#define KIN_COUPLER_MODE_LOADS 0xffff0003u

/* A body of either group, in an interval, beside what the solver sees of it. */
typedef struct kin_mode_node {
    kin_aabb box; /* over the interval, grown by how near counts */
    bool reached, done;
} kin_mode_node;

/* How two things meet. */
typedef struct kin_mode_law {
    double stick, slip, restitution, bounce_speed;
    kin_vec3 surface; /* m/s, of a against b */
} kin_mode_law;

/* A point of contact: three rows, the normal first. */
typedef struct kin_mode_point {
    uint32_t a, b; /* nodes */
    kin_vec3 point, normal, tangent;
    double friction;
    double target[2][3]; /* m/s: the rates wanted along n, t, k, of hits and of loads */
} kin_mode_point;

/* A row of a joint. */
typedef struct kin_mode_row {
    uint32_t a, b; /* nodes */
    kin_joint_row row;
    double target; /* m/s or rad/s */
    int8_t slips;  /* a motor or friction that gives all it has: its sign */
} kin_mode_row;

/* Two bodies of different groups that touch. */
typedef struct kin_mode_touch {
    uint32_t a, b;          /* nodes: real-time, exact */
    uint32_t first, count;  /* points */
    kin_vec3 place, normal; /* m: what the wrenches are about; from b to a */
    double speed;           /* m/s: at which they came; 0: no faster than what does not bounce */
} kin_mode_touch;

/* A push to be taken back after the interval: pushes of users are for a whole step. */
typedef struct kin_mode_push {
    uint32_t node;
    kin_vec3 push, twist;
} kin_mode_push;

/* Numbers by node: those of node i are data[begin[i]] to data[begin[i + 1] - 1]. */
typedef struct kin_mode_lists {
    uint32_t *begin, *data;
} kin_mode_lists;

typedef struct kin_modes {
    kin_arena arena; /* of an interval */
    kin_group* groups[2];
    uint32_t first[2]; /* node of body 0 of each */
    kin_body* bodies;  /* by node, as they change here; the last is the world */
    kin_mode_node* nodes;
    kin_mode_lists near;   /* nodes whose boxes overlap */
    kin_mode_lists joints; /* of their groups */
    uint32_t* reached;     /* nodes, in the order they were */
    uint32_t reached_count;
    kin_mode_point* points;
    kin_mode_row* rows;
    kin_mode_touch* touches;
    kin_mode_push* pushes;
    size_t point_room, row_room, touch_room;
    uint32_t point_count, row_count, touch_count, push_count;
    kin_row_set set;  /* of the present stage */
    double* impulses; /* N s: its answer */
    double h;         /* s */
} kin_modes;

void kin_modes_init(kin_modes* modes, const kin_allocator* allocator);
void kin_modes_term(kin_modes* modes);
/* After predict, before the groups advance. False: out of memory; the interval must not go on. */
bool kin_modes_exchange(kin_modes* modes, kin_group* realtime, kin_group* exact, kin_step* step);
/* After both advanced: pushes are the users' again. */
void kin_modes_end(kin_modes* modes, const kin_step* step);

/* modes_near.c: whose boxes overlap, and joints by body. False: no room. */
bool kin_modes_find_near(kin_modes* modes);
/* modes_solve.c: all impulses of hits (stage 0) or loads (1), and what they make of the bodies. False: no room. */
bool kin_modes_solve(kin_modes* modes, int stage);
/* Of the present impulses, on a. */
kin_wrench kin_modes_passed(const kin_modes* modes, const kin_mode_touch* touch);

static inline uint32_t kin_modes_world(const kin_modes* m) { return m->first[1] + m->groups[1]->bodies.count; }
static inline int kin_modes_group(const kin_modes* m, uint32_t node) { return node >= m->first[1]; }
