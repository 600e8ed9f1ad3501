/* modes.c - the two modes against each other: ten scenes that both can do, exact at a small step, real time at its own and at half of it. What differs shrinks with
 * the step, for real time is of the first order: no more than a substep of the scene's acceleration or, where something hits, of its speed. */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rigid/rig.h"
#include <stdio.h>

#define G 9.81
#define STEP (1.0 / 120)
#define SUBSTEP (STEP / 4)

typedef struct duel {
    const char* quantity; /* what is compared, m or m/s */
    double tolerance;     /* of it, at STEP */
    double time;          /* s */
    double restitution, friction;
    bool floats; /* without gravity */
    void (*build)(kin_yard* y);
    double (*value)(const kin_yard* y);
} duel;

static double outcome(kin_case_run* run, const duel* d, kin_rigid_mode mode, double h)
{
    kin_yard y = kin_yard_begin(run, mode, h);
    y.restitution = d->restitution;
    y.friction = d->friction;
    if (d->floats) y.def.gravity = kin_v(0, 0, 0);
    kin_yard_open(&y);
    d->build(&y);
    kin_yard_steps(&y, (int64_t)kin_round(d->time / h));
    double value = d->value(&y);
    kin_yard_close(&y);
    return value;
}

static void compare(kin_case_run* run, const duel* d)
{
    double exact = outcome(run, d, KIN_RIGID_EXACT, STEP);
    kin_case_row(run, "h = 1/120 s", d->quantity, outcome(run, d, KIN_RIGID_REALTIME, STEP), exact, d->tolerance, "exact mode");
    kin_case_row(run, "h = 1/240 s", d->quantity, outcome(run, d, KIN_RIGID_REALTIME, 0.5 * STEP), exact, 0.6 * d->tolerance, "exact mode");
}

static void add_ground(kin_yard* y) { kin_yard_plane(y, kin_v(0, 0, 0), kin_v(0, 1, 0)); }
static kin_body_state first(const kin_yard* y) { return kin_yard_state(y, 0); }
static double first_x(const kin_yard* y) { return first(y).center.x; }
static double first_vx(const kin_yard* y) { return first(y).velocity.x; }

/* ---- 1: a ball falls and bounces; height that it can reach ---- */

static void drop_ball(kin_yard* y)
{
    add_ground(y);
    kin_yard_ball(y, 0.25, kin_v(0, 1.25, 0), kin_v(0, 0, 0));
}
static double reach(const kin_yard* y) { return first(y).center.y + kin_square(first(y).velocity.y) / (2 * G); }

/* ---- 2, 3: slides, rolls ---- */

static void push_box(kin_yard* y)
{
    add_ground(y);
    kin_yard_box(y, kin_v(1, 0.2, 1), kin_v(0, 0.1, 0), kin_v(3, 0, 0));
}
static void push_ball(kin_yard* y)
{
    add_ground(y);
    kin_yard_ball(y, 0.5, kin_v(0, 0.5, 0), kin_v(4, 0, 0));
}

/* ---- 4: a rod struck at its end by a ball ---- */

static void strike_rod(kin_yard* y)
{
    kin_yard_box(y, kin_v(0.1, 2, 0.1), kin_v(0, 0, 0), kin_v(0, 0, 0));
    kin_yard_ball(y, 0.1, kin_v(-0.5, 0.9, 0), kin_v(4, 0, 0));
}
static double rod_spin(const kin_yard* y) { return first(y).spin.z; }

/* ---- 5: a stack of three: the top's height ---- */

static void stack(kin_yard* y)
{
    add_ground(y);
    for (int i = 2; i >= 0; --i) kin_yard_box(y, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0), kin_v(0, 0, 0));
}
static double first_y(const kin_yard* y) { return first(y).center.y; }

/* ---- 6, 7: pendulums of rods ---- */

static void hang_rods(kin_yard* y, int count)
{
    kin_joint_def joint = kin_joint_def_default();
    joint.kind = KIN_JOINT_HINGE;
    joint.axis = kin_v(0, 0, 1);
    joint.b = -1;
    for (int i = 0; i < count; ++i) {
        joint.a = kin_yard_box(y, kin_v(1, 0.1, 0.1), kin_v(0.5 + i, 0, 0), kin_v(0, 0, 0));
        joint.anchor = kin_v(i, 0, 0);
        kin_yard_join(y, &joint);
        joint.b = joint.a;
    }
}
static void hang_one(kin_yard* y) { hang_rods(y, 1); }
static void hang_two(kin_yard* y) { hang_rods(y, 2); }
static double second_x(const kin_yard* y) { return kin_yard_state(y, 1).center.x; }

/* ---- 8: balls meet obliquely, with friction ---- */

static void oblique(kin_yard* y)
{
    kin_yard_ball(y, 0.5, kin_v(-1.5, 0.3, 0), kin_v(3, 0, 0));
    kin_yard_ball(y, 0.5, kin_v(1, 0, 0), kin_v(0, 0, 0));
}
static double sideways(const kin_yard* y) { return kin_yard_state(y, 1).velocity.y; }

/* ---- 9: a box on a belt ---- */

static void belt(kin_yard* y)
{
    kin_yard_box(y, kin_v(0.6, 0.3, 0.6), kin_v(0, 0.15, 0), kin_v(0, 0, 0));
    kin_body_def def = y->body;
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {20, 1, 4}};
    def.position = kin_v(0, -0.5, 0);
    def.mobility = KIN_MOBILITY_STATIC;
    def.surface_velocity = kin_v(1.5, 0, 0);
    kin_yard_add(y, &def);
}

/* ---- 10: three balls in a row, apart ---- */

static void three_balls(kin_yard* y)
{
    for (int i = 2; i >= 0; --i) {
        y->body.mass = 1 + 0.5 * i;
        kin_yard_ball(y, 0.25, kin_v(0.8 * i, 0, 0), kin_v(i == 0 ? 4 : 0, 0, 0));
    }
}

static void case_modes(kin_case_run* run)
{
    const duel duels[] = {
        {"bounce: height, m", 4.5 * SUBSTEP * 2, 0.7, 0.7, 0, false, drop_ball, reach},
        {"slide: way, m", 3 * SUBSTEP, 1.2, 0, 0.4, false, push_box, first_x},
        {"roll: speed, m/s", 0.3 * G * SUBSTEP, 1.2, 0, 0.3, false, push_ball, first_vx},
        {"rod struck at its end: spin, rad/s", 1e-3, 0.5, 0.6, 0, true, strike_rod, rod_spin},
        {"stack of three: height, m", 10 * G * SUBSTEP * SUBSTEP * 4, 1, 0, 0.5, false, stack, first_y},
        {"pendulum: place, m", G * SUBSTEP, 1, 0, 0, false, hang_one, first_x},
        {"double pendulum: place, m", 2 * G * SUBSTEP, 0.6, 0, 0, false, hang_two, second_x},
        {"oblique collision: speed sideways, m/s", 3 * 3 * SUBSTEP, 1, 0.8, 0.2, true, oblique, sideways},
        {"belt: way, m", 1.5 * SUBSTEP, 1, 0, 0.4, false, belt, first_x},
        {"three balls: speed of the last, m/s", 1e-4, 1, 1, 0, true, three_balls, first_vx},
    };
    for (size_t i = 0; i < sizeof duels / sizeof *duels; ++i) compare(run, &duels[i]);
}

const kin_case kin_cases_modes[] = {
    {"rigid/modes", "Exact and real time agree to the order of the step on ten scenes.", case_modes},
    {NULL, NULL, NULL},
};
