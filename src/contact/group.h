/* group.h - a contact group: all rigid bodies of one mode, whatever systems they belong to, with the joints between them and the colliders they meet; one
 * solver behind one table (realtime/, exact/).
 *
 *     predict   forces as they are now; what couplers ask of motion at the end of the interval is this guess
 *     advance   in commit, before all systems: the solver moves every body over the interval. start and end of every body are then final
 *
 * Between the two couplers push: velocities change at once. */
#pragma once
#include "contact/bodies.h"
#include "contact/joint/joint.h"

typedef struct kin_group kin_group;

/* What happened in a step, of all groups of a world. */
typedef struct kin_touch_events {
    kin_allocator allocator;
    kin_touch_event* items;
    size_t count, capacity;
    kin_body_contact* contacts; /* of groups that report them; state */
    size_t contact_count, contact_capacity;
    size_t kept; /* events of intervals that are over: what a refused one added goes */
    double time; /* s: of the interval that goes on */
    bool lost;   /* memory was out for some */
} kin_touch_events;

typedef struct kin_group_ops {
    const char* name; /* "realtime", "exact" */
    kin_result (*create)(kin_group* group, void** solver, kin_error* error);
    void (*destroy)(void* solver);
    bool (*expects)(void* solver, uint32_t count); /* room for so many bodies in all; false: out of memory. May be NULL */
    /* After the change; false: out of memory (the change is undone by the caller). */
    bool (*body_added)(void* solver, uint32_t body);
    void (*body_removed)(void* solver, uint32_t body); /* before: it is still there */
    bool (*joint_added)(void* solver, uint32_t joint);
    void (*joint_removed)(void* solver, uint32_t joint);
    void (*touched)(void* solver, uint32_t body); /* placed, pushed, its mobility or filter changed: wake it, forget what was known of it */
    void (*sleep)(void* solver, uint32_t body);   /* at once, with its island */
    bool (*is_awake)(const void* solver, uint32_t body);
    /* Bodies on which forces act in this interval, and keyed ones: the others' force is 0, and who joins them later is given his by the solver. NULL: all. */
    const uint32_t* (*movers)(void* solver, uint32_t* count);
    kin_status (*advance)(void* solver, kin_step* step);
    /* Load of a joint over the last interval, on its body b. */
    void (*joint_load)(const void* solver, uint32_t joint, kin_vec3* force, kin_vec3* torque);
    void (*measure)(const void* solver, kin_budget* sum); /* contacts, islands, residuals, dissipated energy of the group */
    void (*visit)(void* solver, kin_visitor* v);
    size_t (*bytes)(const void* solver);
} kin_group_ops;

#define KIN_GROUP_UNSOUND "a body's place, velocity or force is not finite: shorten the step, or weaken what acts on it"

struct kin_group {
    kin_allocator allocator;
    const kin_group_ops* ops;
    void* solver;
    kin_rigid_def def; /* settings of the first system of the mode; live ones follow it. Lists are empty */
    const kin_materials* materials;
    kin_bodies bodies;
    kin_joint* joints;       /* .broken: removed or broken */
    kin_anchor* joint_owner; /* system and number within it */
    uint32_t joint_count;
    size_t joint_capacity, owner_capacity;
    kin_touch_events* events; /* the world's */
    kin_touch_filter* filter;
    void* filter_context;
    double h;         /* s, of the present interval */
    double step_time; /* s, of the present step */
    uint32_t system;  /* as which fields know the bodies in it */
    uint32_t unsound; /* body for which the solver refused the interval, as something of it is not finite; KIN_NO_BODY: none */
    bool advanced;    /* in the present interval: start and end are final */
    bool filtered;    /* there was a filter in the last interval; state, for a filter is none */
    bool changed;     /* bodies came, went or were placed since they were last published */
};

/* Neither broken nor to a body that takes no part. */
static inline bool kin_group_joint_holds(const kin_group* g, const kin_joint* j)
{
    return !j->broken && (j->a == KIN_NO_BODY || g->bodies.motion[j->a] != KIN_BODY_GONE) && (j->b == KIN_NO_BODY || g->bodies.motion[j->b] != KIN_BODY_GONE);
}

extern const kin_group_ops kin_realtime_ops, kin_exact_ops;
extern const kin_group_ops* const kin_group_solvers[]; /* by kin_rigid_mode (solvers.c) */

void kin_touch_events_clear(kin_touch_events* events, double time); /* a step begins */
void kin_touch_events_go_on(kin_touch_events* events, double time); /* an interval begins, or the same again after it was refused */
void kin_touch_events_term(kin_touch_events* events);
void kin_body_contacts_visit(kin_touch_events* events, kin_visitor* v); /* scripts see them: state */

/* ops: of the def's mode (kin_group_solvers). events is borrowed. */
kin_result kin_group_create(const kin_allocator* allocator, const kin_group_ops* ops, const kin_rigid_def* def, const kin_materials* materials,
                            kin_touch_events* events, kin_group** out, kin_error* error);
void kin_group_destroy(kin_group* group);
/* Room for so many more, and hardly any beyond it: lists that grow body by body are moved often, or hold much that is not used. */
kin_result kin_group_expect(kin_group* group, size_t bodies, kin_error* error);
kin_result kin_group_add_body(kin_group* group, const kin_body* body, const kin_body_skin* skin, kin_body_motion motion, uint32_t* index, kin_error* error);
void kin_group_remove_body(kin_group* group, uint32_t body); /* with its joints */
kin_result kin_group_add_joint(kin_group* group, const kin_joint_def* def, uint32_t a, uint32_t b, kin_anchor owner, uint32_t* index, kin_error* error);
/* As it is, frames and all: of a clone. */
kin_result kin_group_add_made_joint(kin_group* group, const kin_joint* joint, kin_anchor owner, uint32_t* index, kin_error* error);
void kin_group_remove_joint(kin_group* group, uint32_t joint);
/* From one body to another, which stands where it was: the joint goes on at the same place in the world. False: out of memory; then it is as it was. */
bool kin_group_hand_joint(kin_group* group, uint32_t joint, uint32_t from, uint32_t to);
/* Takes part, or not (GONE), from now on; the body's mass is the caller's to set. */
void kin_group_set_motion(kin_group* group, uint32_t body, kin_body_motion motion);
/* It was placed, or its skin changed: its path begins here, and what was known of it is forgotten. */
void kin_group_touch(kin_group* group, uint32_t body);

/* Whether a motor of a joint moves its bodies now: one that presses on its stop, or is held up, does not keep them awake. */
bool kin_group_motor_runs(const kin_group* group, const kin_joint* joint);
/* Something changed that acts on all bodies (gravity, a field, the filter): none sleeps on. */
void kin_group_wake_all(kin_group* group);

void kin_group_predict(kin_group* group, kin_step* step);
kin_status kin_group_advance(kin_group* group, kin_step* step);
/* By solvers. */
void kin_group_forces(kin_group* group, const kin_step* step, const uint32_t* bodies, uint32_t count); /* what acts on these in this interval */
void kin_group_event(kin_group* group, const kin_touch_event* event);
/* Contacts are wanted: by the user, or for pictures. */
static inline bool kin_group_reports(const kin_group* g) { return g->def.report_contacts || g->def.show_contacts; }
/* One more, zero but for the mode; NULL: no memory, which the step warns of. */
kin_body_contact* kin_group_add_contact(kin_group* group);
kin_anchor kin_group_anchor(const kin_group* group, uint32_t body, kin_vec3 point); /* of a point in the world, m */
/* A joint that has to hold more than its strength: broken, with its event. */
void kin_group_break_joint(kin_group* group, uint32_t joint, double load);
void kin_group_visit(kin_group* group, kin_visitor* v);

/* capture.c: a line at each point that presses, against the force on the lighter body. */
void kin_group_capture_contacts(const kin_group* group, kin_capture* capture);

/* The verbs of anchors: s in [0, 1] of the interval; before advance the free guess, after it the screw from start to end. */
kin_motion kin_group_motion(const kin_group* group, uint32_t body, kin_vec3 local, double s);
kin_twist kin_group_respond(const kin_group* group, uint32_t body, kin_vec3 local, kin_wrench impulse);
void kin_group_push(kin_group* group, uint32_t body, kin_vec3 local, kin_wrench impulse);
