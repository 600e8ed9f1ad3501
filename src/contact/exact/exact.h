/* exact.h - inside the exact solver: collision times found, contact forces by complementarity (C1.3, C1.4, C4, C5, H9, H10, S-D).
 *
 * Bodies that hang together by joints, or rest on each other, are a unit: one state (x, q, v, L) for the integrator, with contact and joint forces in every
 * derivative. A unit moves over the interval in ticks of its own number (C1.4.2); its states at their ends are knots, and between knots its bodies are on
 * screws (C1.3).
 *
 *     form units -> run them all -> test pairs on their paths -> the earliest meeting -> its units go back to that time
 *         ^                                                                                   |
 *         +--- impulses of the whole cluster; what still touches is one unit now, which runs on from there
 *
 * The clock of meetings only goes forward, so what lies before it is final. A unit keeps a window of knots: nobody meets anybody later than the shortest
 * window reaches. Everything is kept by number and in order: units may run on any thread. */
#pragma once
#include "collision/broad/broad.h"
#include "collision/continuous/impact.h"
#include "collision/manifold/manifold.h"
#include "contact/force/force.h"
#include "contact/group.h"
#include "contact/impulse/impulse.h"
#include "math/sym3.h"
#include "numerics/integrators.h"

#define KIN_EXACT_NONE UINT32_MAX
enum {
    KIN_EXACT_KNOTS = 33,    /* of a window */
    KIN_EXACT_MANIFOLDS = 6, /* of a pair that are looked at */
    KIN_EXACT_POINTS = KIN_EXACT_MANIFOLDS * KIN_MANIFOLD_POINTS,
    KIN_EXACT_CALM = 4,          /* intervals without a reject, then a body's ticks are halved (C1.4.2) */
    KIN_EXACT_LEAST_STRIDES = 8, /* ticks by turns of an interval: what turns by w misses its contacts by (w h)^2 of its size in each */
    KIN_EXACT_MOST_STRIDES = 32, /* that it is cut into for the sake of smoothness */
};

#define KIN_EXACT_BUDGET INT64_C(2000000) /* visits of rows that a unit may take in an interval (yield.c): some 40 ms */

/* Why a unit left complementarity for turns. */
typedef enum kin_exact_yield { KIN_EXACT_HOLDS, KIN_EXACT_DEEP, KIN_EXACT_UNSOLVED, KIN_EXACT_DEAR } kin_exact_yield;

typedef enum kin_exact_response { KIN_EXACT_EVENTS, KIN_EXACT_PENALTY, KIN_EXACT_FIELDS } kin_exact_response;

/* What moves. */
typedef struct kin_exact_state {
    kin_vec3 position, velocity;
    kin_vec3 angular; /* momentum about the centre, N m s */
    kin_quat orientation;
} kin_exact_state;

/* A point where two bodies touch, by what it is fixed to. */
typedef struct kin_exact_point {
    uint32_t a, b; /* of the group; in a unit's work: of the work */
    kin_touch_kind kind;
    kin_vec3 foot_a, foot_b;           /* points of the features that touch, beneath rounded surfaces, in the bodies' frames */
    kin_vec3 normal;                   /* from b to a, in the frame of the body it turns with (a for FACE_OF_A, else b) */
    kin_vec3 edge_a, edge_b;           /* in the bodies' frames */
    double radius_a, radius_b;         /* m: how far beneath */
    double separation;                 /* m, when it was found */
    uint32_t id;                       /* of its features */
    kin_vec3 axis;                     /* of a disc that touches with its rim, in a's frame: foot_a and radius_a are its centre and radius; zero: no rim */
    kin_vec3 half;                     /* m: semi-axes of an ellipsoid that touches a face, whose centre is foot_a; zero: none */
    kin_quat turn;                     /* of that in a's frame */
    kin_sym3 curved_a, curved_b;       /* m: radii of curvature where they touch, in the bodies' frames; zero: no ellipsoid */
    bool flipped;                      /* a is the pair's b */
    bool slides;                       /* in this tick, and then: */
    kin_vec3 way;                      /* unit, world: of a against b as the tick began */
    double speed;                      /* m/s, along it */
    double parts;                      /* m/s: as the tick begins; 0: slower than counts, and then: */
    double rise;                       /* m/s: along the normal all the same */
    kin_vec3 creep;                    /* m/s: across it as the tick begins, of one that sticks */
    const struct kin_exact_pair* pair; /* its law */
} kin_exact_point;

/* Forces of a pair's contacts when they were last found: the next solution begins with them, and at rest ends with them at once. */
enum { KIN_EXACT_TRAIL = 8 }; /* contacts, the first ones */
typedef struct kin_exact_trail {
    uint32_t count;
    uint32_t id[KIN_EXACT_TRAIL];    /* of the features */
    kin_vec3 force[KIN_EXACT_TRAIL]; /* N, on a, world */
} kin_exact_trail;

/* Two bodies whose boxes meet in this interval. */
typedef struct kin_exact_pair {
    uint32_t a, b; /* a < b */
    bool asked;    /* the law is known */
    bool passes;   /* they go through each other: filter, one-way */
    double restitution, mu_static[2], mu_dynamic[2];
    uint32_t grain;                /* body with whose surface the tangents of mu go (friction.h); KIN_NO_BODY: the same along all */
    kin_quat grain_place;          /* of its form in that body's frame */
    double rolling, spinning;      /* m: levers of the load against turning */
    kin_vec3 surface;              /* m/s, of a against b, world: conveyors, the filter */
    uint32_t keeper;               /* unit that has it; KIN_EXACT_NONE: none. Where it goes by turns its strides keep the two apart */
    int idle;                      /* meetings in a row in which nothing collided */
    double shell, stiffness, ramp; /* m, N/m, m/s: of the penalty engine */
    kin_exact_trail trail;
    double allowed; /* m: separation that they may have, 0 or what they began the interval with; deeper is a meeting. Above 0: not known yet */
} kin_exact_pair;

typedef struct kin_exact_unit {
    uint32_t* bodies; /* free ones, rising */
    uint32_t count;
    kin_exact_pair** pairs; /* that touched when it was formed */
    uint32_t pair_count;
    uint32_t* joints;
    uint32_t joint_count;
    double from, to; /* s of the interval: the window */
    int ticks;       /* N: parts of the interval */
    int knots, most_knots;
    double time[KIN_EXACT_KNOTS];
    bool strode[KIN_EXACT_KNOTS]; /* by turns, from this knot to the next: bodies are on their screws in between, not near them */
    kin_exact_state* states;      /* knots x count */
    kin_result result;            /* of the integrator */
    uint32_t worst;               /* body that it failed at */
    double residual;              /* m/s^2: of contact forces, the worst; or of the integrator */
    double swept;                 /* m/s: of impulses by turns, the worst */
    double handed;                /* s: from here contact forces diverge (Painleve), or are not found; infinite: never */
    bool unsolved;                /* they are not found */
    int64_t spent, tick_work;     /* visits of rows, in the interval and in the last tick */
    int rejected, capped, contacts;
    uint8_t yields;    /* kin_exact_yield of its last tick that went by turns */
    double dissipated; /* J: by sliding, over the window */
    size_t scratch;    /* bytes that it took to run */
    bool breaks;       /* its window ends where a keyed body's rates may jump */
    bool dead;         /* another unit has its bodies */
} kin_exact_unit;

/* A meeting to come. */
typedef struct kin_exact_event {
    double time, slack; /* s of the interval; how much earlier it might as well have been */
    double from;        /* s: the piece of the path that it is on begins here */
    bool rough;         /* the time is that on screws: made right when its turn comes */
    bool sinks;         /* they touch already, and become too deep */
    kin_exact_pair* pair;
} kin_exact_event;

/* What is remembered of a pair from step to step. */
enum { KIN_EXACT_TOUCHING = 1, KIN_EXACT_INSIDE = 2, KIN_EXACT_PASSING = 4 };
typedef struct kin_exact_memory {
    uint32_t a, b;          /* sorted by these */
    uint8_t flags, now;     /* since the last interval; of this one */
    kin_vec3 point, normal; /* last touch */
    double entry, load;     /* penalty: m/s that they came with; how much more than their own weight presses */
    kin_exact_trail trail;  /* of what touches */
    double speed, impulse;  /* of a hit in this interval; speed 0: none */
} kin_exact_memory;

/* Of a body, beyond what the group keeps. */
typedef struct kin_exact_body {
    kin_vec3 angular; /* momentum that belongs to the spin below: exactly kept while nothing turns it */
    kin_vec3 spin;
    kin_quat orientation;
    int ticks, calm;  /* N, and intervals without a reject */
    double h;         /* s: adaptive integrators' next step */
    double slow_time; /* s, below sleep_speed */
    bool asleep;
    /* of the interval: */
    bool rejected;
    uint8_t yields; /* kin_exact_yield: by turns for the rest of the interval */
    int jams;
    int window;     /* knots to run ahead: where meetings cut paths short, most of a long one would be for nothing */
    int64_t spent;  /* visits of rows */
    uint32_t unit;  /* KIN_EXACT_NONE: fixed, keyed, asleep */
    uint32_t proxy; /* in the broad phase; KIN_EXACT_NONE: none */
} kin_exact_body;

typedef struct kin_exact_report {
    int64_t collisions;  /* so far */
    int64_t jams;        /* so far: contacts whose forces diverged */
    int contacts;        /* now */
    int events;          /* of the last interval */
    int forced;          /* of these, with e = 0 forced */
    int ticks, rejected; /* of the last interval */
    int yielded;         /* bodies of the largest unit that went by turns in the last interval */
    double residual;     /* m/s^2, worst of contact forces in the last interval */
    double impact;       /* m/s, worst residual of impulses in the last interval */
    double dissipated;   /* J so far, by impacts and sliding */
} kin_exact_report;

/* A contact of this interval that is reported: a point, by what it is of. */
typedef struct kin_exact_press {
    uint32_t a, b;             /* of the group; a the lighter */
    uint32_t id;               /* of the features */
    kin_vec3 local;            /* m, in a's frame: the mean, by impulses along the normal */
    kin_vec3 normal, friction; /* N s, on a: sums */
    double impulse;            /* N s: the sum of its sizes */
} kin_exact_press;

typedef struct kin_exact {
    kin_group* group;
    kin_allocator allocator;
    kin_broad* broad;
    kin_arena arena; /* of an interval */
    size_t scratch;  /* bytes that a worker has needed at most: set aside before they run, so that a steady step allocates nothing */
    kin_exact_body* body;
    size_t body_room;
    kin_vec3 *joint_force, *joint_torque; /* N, N m: on b */
    kin_vec3 *joint_hit, *joint_twist;    /* N s, N m s: impulses of the interval */
    size_t joint_room[4];
    kin_exact_unit** units;
    size_t unit_room;
    uint32_t unit_count;
    kin_exact_pair** pairs; /* of the interval, sorted by bodies */
    size_t pair_room;
    uint32_t pair_count;
    kin_exact_event* events;
    size_t event_room;
    uint32_t event_count;
    kin_exact_memory* memory;
    size_t memory_room;
    uint32_t memory_count;
    kin_exact_press* presses; /* only if contacts are reported */
    size_t press_room;
    uint32_t press_count;
    uint64_t* apart; /* pairs of jointed bodies that do not meet, sorted: a << 32 | b */
    size_t apart_room;
    uint32_t apart_count;
    const kin_integrator* integrator;
    kin_exact_report report;
    kin_step* step; /* of the present call */
} kin_exact;

/* ---- settings, with their limits ---- */
static inline double kin_exact_tolerance(const kin_exact* self) { return kin_clamp(self->group->def.tolerance, 1e-9, 1e-2); }
/* Bounces that would not rise above two tolerances are contact too: a fall through the tolerance must not feed them. */
static inline double kin_exact_contact_speed(const kin_exact* self)
{
    return kin_max(self->group->def.contact_speed, 2 * kin_sqrt(kin_length(self->step->fields->gravity) * kin_exact_tolerance(self)));
}
static inline double kin_exact_slip_speed(const kin_exact* self) { return kin_max(self->group->def.slip_speed, 1e-12); }
/* What is slower does not bounce, and is no hit. */
static inline double kin_exact_bounce_speed(const kin_exact* self)
{
    double speed = self->group->def.bounce_speed;
    return kin_max(speed < 0 ? 1e-3 : speed, kin_exact_contact_speed(self));
}
static inline int kin_exact_most_ticks(const kin_exact* self) { return self->group->def.max_ticks > 1 ? self->group->def.max_ticks : 1; }

/* ---- touch.c: points of contact ---- */

/* Points nearer than margin, as the bodies stand; returns how many (most). */
int kin_exact_points(const kin_exact* self, const kin_exact_pair* pair, const kin_body* a, const kin_body* b, double margin, kin_exact_point* out, int most,
                     kin_arena* scratch);
/* The same point after the bodies have moved: world. */
kin_touching kin_exact_touching(const kin_exact_point* point, const kin_body* a, const kin_body* b);
double kin_exact_gap(const kin_exact_point* point, const kin_body* a, const kin_body* b);
/* Velocity of a against b at a point, surfaces' own included. */
kin_vec3 kin_exact_slip(const kin_touching* touching, const kin_body* a, const kin_body* b);
/* Friction of an impulse against a slip. Methods that bound it by a box have, on a surface with a grain, the box whose corner is what dissipates most;
 * micro-collisions follow the slip themselves (micro.c) and have the coefficients. */
void kin_exact_friction(kin_meeting* meeting, const kin_touching* touching, const double mu[2], kin_impulse_method method, kin_vec3 slip);
/* Deepest separation; huge: farther apart than margin. */
double kin_exact_separation(const kin_exact* self, const kin_exact_pair* pair, kin_transform a, kin_transform b, double margin, kin_arena* scratch);

/* ---- motion.c: a unit on its way ---- */

kin_exact_state kin_exact_state_of(const kin_exact* self, uint32_t body);
void kin_exact_put(kin_body* body, const kin_exact_state* state);
/* From its first knot to the end of the window or of the interval. */
void kin_exact_run(const kin_exact* self, kin_exact_unit* unit, kin_arena* scratch);
/* How many knots its bodies should run ahead, now that it is stopped at a time. */
int kin_exact_next_window(const kin_exact_unit* unit, double time);
/* The states at a time within the window, by a tick from the knot before; on the screws where it went by turns. False: out of memory. */
bool kin_exact_evaluate(const kin_exact* self, const kin_exact_unit* unit, double time, kin_exact_state* out, kin_arena* scratch);
/* Where the body is at a time: free ones on the screws of their unit, keyed ones on theirs. */
kin_body kin_exact_body_at(const kin_exact* self, uint32_t body, double time);
/* A keyed one, on the stretch of its path that begins last before `from`: where stretches join rates may jump. acceleration: may be NULL. */
kin_body kin_exact_keyed_at(const kin_exact* self, uint32_t body, double from, double time, kin_twist* acceleration);
/* Where the stretch of a keyed body's path that it is on at a time ends. */
double kin_exact_next_break(const kin_exact* self, uint32_t body, double time);
double kin_exact_next_knot(const kin_exact* self, uint32_t body, double time);
/* Loads of the unit's joints, and of its contacts if they are shown, as things are at the end of its window. */
void kin_exact_loads(kin_exact* self, const kin_exact_unit* unit, kin_arena* scratch);

/* ---- drift.c: gaps and joints back to where they belong, speeds that should be none to nothing ---- */

typedef struct kin_exact_work kin_exact_work;
void kin_exact_undrift(kin_exact_work* work, double h);
void kin_exact_undrift_places(kin_exact_work* work, double h); /* positions only */
void kin_exact_undrift_speeds(kin_exact_work* work);           /* speeds only */
/* Speeds that joints forbid, as a push from outside may have left them, go before they have moved anything. */
void kin_exact_stop_joints(kin_exact_work* work);
/* Contacts that part slowly as a tick begins, with the forces that the tick would have: those that would be back within it stop, the others are none. True:
 * speeds have changed. */
bool kin_exact_hold_slow(kin_exact_work* work);

/* m/s: what parts slower than this does not part. */
static inline double kin_exact_parting_speed(const kin_exact* self) { return 0.01 * kin_exact_contact_speed(self); }

/* ---- yield.c: the one rule of giving up ---- */

/* All bodies of the unit go by turns, for the rest of the interval. */
void kin_exact_yield_now(kin_exact* self, const kin_exact_unit* unit, kin_exact_yield why);
/* Of a unit as it stands; deepest: its least separation, m. */
kin_exact_yield kin_exact_yields(const kin_exact_work* work, double deepest);
bool kin_exact_solved(const kin_impulse_report* report, double fastest);
/* Forces diverged, which more than a few times is no answer, or none were found. */
void kin_exact_note_jam(kin_exact* self, const kin_exact_unit* unit);
bool kin_exact_is_dear(const kin_exact_unit* unit);
int64_t kin_exact_work_left(const kin_exact_work* work); /* visits of rows: of the next solution */
bool kin_exact_is_spent(const kin_exact_work* work);     /* the tick at hand has used it up */
/* What it takes to make the time of a meeting right; true: too much. */
bool kin_exact_charge_refining(kin_exact_unit* unit);
/* As a new unit goes on with what its bodies have spent; true: nothing of it bounces any more. */
bool kin_exact_tires(kin_exact* self, kin_exact_unit* unit);
/* As kin_impulses_apply, by turns; enough: m/s, a residual that will do. */
kin_impulse_report kin_exact_sweep(const kin_impulse_cluster* cluster, double enough, kin_impulse* out, double* joint_out, kin_arena* scratch);
void kin_exact_tell_yield(kin_exact* self, const kin_exact_unit* unit);

/* ---- pairs.c: who may meet whom, and when ---- */

kin_result kin_exact_pairs_begin(kin_exact* self, kin_error* error); /* pairs near each other at the start */
/* Pairs on the paths of units from number `first` on, and their meetings. */
kin_result kin_exact_pairs_sweep(kin_exact* self, uint32_t first, kin_error* error);
/* Makes a rough event right; false: out of memory. One that is none has no pair any more. */
bool kin_exact_refine(const kin_exact* self, kin_exact_event* event, kin_arena* scratch);
/* Whether the pair of a rough event touches, or is too deep, at a time; states: of units at that time, by their numbers. */
bool kin_exact_overlaps(const kin_exact* self, const kin_exact_event* event, double time, kin_exact_state* const* states, kin_arena* scratch);
/* Pairs near each other where they stand. */
kin_result kin_exact_pairs_end(kin_exact* self, kin_error* error);
kin_exact_pair* kin_exact_pair_find(kin_exact* self, uint32_t a, uint32_t b);
bool kin_exact_sinks(const kin_exact* self, kin_exact_pair* pair, double time, kin_arena* scratch);
void kin_exact_ask(kin_exact* self, kin_exact_pair* pair, const kin_exact_point* points, int count);

/* ---- report.c: contact impulses of an interval; nothing unless they are wanted ---- */

/* The impulse of a collision; id: of the features. */
void kin_exact_report_hit(kin_exact* self, const struct kin_exact_work* work, uint32_t id, const kin_meeting* meeting, const kin_impulse* impulse);
/* Forces of a unit's resting contacts from the start of its window to a time. */
void kin_exact_report_forces(kin_exact* self, const kin_exact_unit* unit, double time, kin_arena* scratch);
void kin_exact_report_end(kin_exact* self);

/* ---- units.c ---- */

/* Units of all awake bodies, or of those of dead units, from a time on. False: out of memory. */
bool kin_exact_form_units(kin_exact* self, double time);

/* ---- events.c ---- */

kin_status kin_exact_events(kin_exact* self);

/* ---- penalty.c, fields.c: other responses ---- */

static inline bool kin_exact_is_penalty(const kin_exact* self) { return self->group->def.response == KIN_EXACT_PENALTY; }
double kin_exact_shell(const kin_exact* self, const kin_exact_pair* pair); /* m */
double kin_exact_travel(const kin_exact* self, uint32_t body);             /* m, at most, over the interval */
bool kin_exact_penalty_begin(kin_exact* self, kin_exact_pair* pair);       /* springs of the interval; false: out of memory */
int kin_exact_penalty_ticks(const kin_exact* self, const kin_exact_unit* unit);
void kin_exact_penalty_forces(kin_exact_work* work, double h);
/* flight: everything over the interval as if nothing were in the way. */
kin_status kin_exact_fields(kin_exact* self, kin_status (*flight)(kin_exact* self));
/* How near counts as touching, m. */
static inline double kin_exact_near(const kin_exact* self, const kin_exact_pair* pair)
{
    return kin_exact_is_penalty(self) ? kin_exact_shell(self, pair) : 2 * kin_exact_tolerance(self);
}

/* ---- memory.c: touches from step to step, events for the user, sleep ---- */

kin_exact_memory* kin_exact_remember(kin_exact* self, uint32_t a, uint32_t b); /* NULL: out of memory */
void kin_exact_finish(kin_exact* self);
void kin_exact_wake(kin_exact* self, uint32_t body);
void kin_exact_wake_pile(kin_exact* self, uint32_t body, double momentum);
#define KIN_EXACT_WHOLE_PILE 1e308 /* N s */
void kin_exact_wake_driven(kin_exact* self);
void kin_exact_sleep_unit(kin_exact* self, uint32_t unit);
