/* motion.c - one body in flight or on a pivot: tops, spins, momenta (H9.8, C4.2, C4.3, P2). Exact mode through the public API.
 *
 * Closed forms: the free symmetric top's axis goes round L at L / I_perp; the free asymmetric top's spin follows Jacobi's functions (Landau & Lifshitz, Mechanics,
 * 37); the heavy symmetric top precesses steadily at W where I3 w3 W - I1' W^2 cos(tilt) = m g l, and sleeps upright while (I3 w3)^2 > 4 I1' m g l. */
#include "kinema/rigid.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "numerics/elliptic.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a world with one body ---- */

typedef struct flight {
    kin_case_run* run;
    kin_world_def def;
    kin_rigid_def rigid;
    kin_body_def body;
    kin_world* world;
    kin_system_id system;
    kin_result result;
    kin_error error;
} flight;

static int integrator_index(const char* name)
{
    const char* const* names = kin_rigid_integrators();
    for (int i = 0; names[i] != NULL; ++i) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1;
}

static flight flight_begin(kin_case_run* run, const char* method, double h)
{
    flight f = {.run = run, .def = kin_world_def_default(), .rigid = kin_rigid_def_default(), .body = kin_body_def_default()};
    f.def.threads = run->threads;
    f.def.time_step = h;
    f.def.gravity = kin_v(0, 0, 0);
    f.rigid.mode = KIN_RIGID_EXACT;
    f.rigid.integrator = integrator_index(method);
    f.rigid.sleep = false;
    f.rigid.tolerance = 1e-2; /* no step is cut: orders show */
    f.body.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.1};
    f.body.mass = 1;
    return f;
}

static void flight_open(flight* f)
{
    f->result = kin_world_create(&f->def, &f->world, &f->error);
    f->rigid.bodies.data = &f->body;
    f->rigid.bodies.count = 1;
    if (f->result == KIN_OK) f->result = kin_rigid_create(f->world, &f->rigid, &f->system, &f->error);
    f->rigid.bodies.data = NULL, f->rigid.bodies.count = 0;
}

static void flight_steps(flight* f, int count)
{
    for (int i = 0; i < count && f->result == KIN_OK; ++i) f->result = kin_world_step(f->world, NULL, &f->error);
}

static kin_body_state state_of(const flight* f)
{
    kin_body_state none = {.velocity = {NAN, NAN, NAN}, .spin = {NAN, NAN, NAN}, .center = {NAN, NAN, NAN}};
    none.pose.orientation = (kin_quat){NAN, NAN, NAN, NAN};
    return f->result == KIN_OK ? kin_rigid_state(f->world, f->system, 0) : none;
}

static void flight_close(flight* f)
{
    if (f->result != KIN_OK) {
        char text[sizeof((kin_case_row_data*)0)->quantity];
        kin_error_text(&f->error, text, sizeof text);
        kin_case_row(f->run, "set-up", text, NAN, 0, 0, "");
    }
    kin_world_destroy(f->world);
}

/* The moments are about the axes of the shape, which are the body's. */
static kin_vec3 angular_of(const flight* f)
{
    kin_body_state s = state_of(f);
    kin_vec3 w = kin_unrotate(s.pose.orientation, s.spin), i = f->body.moments;
    return kin_rotate(s.pose.orientation, kin_v(i.x * w.x, i.y * w.y, i.z * w.z));
}

/* ---- the free symmetric top ---- */

#define PERP 2.0
#define ALONG 1.0

static double symmetric_error(kin_case_run* run, const char* method, double time, int steps, kin_vec3* angular)
{
    flight f = flight_begin(run, method, time / steps);
    kin_quat tilt = kin_quat_axis_angle(kin_v(1, 0, 0), 0.6);
    kin_vec3 axis = kin_rotate(tilt, kin_v(0, 1, 0)), l = {0, 3, 0};
    f.body.orientation = tilt;
    f.body.moments = kin_v(PERP, ALONG, PERP); /* round its y */
    kin_vec3 along = kin_scale(axis, kin_dot(l, axis));
    f.body.spin = kin_add(kin_scale(kin_sub(l, along), 1 / PERP), kin_scale(along, 1 / ALONG));
    flight_open(&f);
    flight_steps(&f, steps);
    kin_vec3 want = kin_rotate(kin_quat_axis_angle(l, kin_length(l) * time / PERP), axis);
    double error = kin_distance(kin_rotate(state_of(&f).pose.orientation, kin_v(0, 1, 0)), want);
    *angular = angular_of(&f);
    flight_close(&f);
    return error;
}

static void symmetric_top(kin_case_run* run)
{
    kin_vec3 l;
    double error = symmetric_error(run, "rk4", 10, 2400, &l);
    kin_case_row(run, "rk4", "axis after 10 s, off by", error, 0, 1e-9, "H9.8, w = L / I_perp");
    kin_case_row(run, "rk4", "|L| after 10 s", kin_length(l), 3, 1e-13, "H9.8");
    error = symmetric_error(run, "adaptive_rk45", 10, 240, &l);
    kin_case_row(run, "adaptive_rk45", "axis after 10 s, off by", error, 0, 1e-7, "H9.8");
    static const struct {
        const char* method;
        double order;
        int steps;
    } rows[] = {{"euler", 1, 400}, {"midpoint", 2, 100}, {"heun", 2, 100}, {"velocity_verlet", 2, 100}, {"rk4", 4, 30}, {"rk45", 5, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        double h[3], errors[3];
        for (int k = 0; k < 3; ++k) {
            int steps = rows[i].steps << k;
            h[k] = 2.0 / steps;
            errors[k] = symmetric_error(run, rows[i].method, 2, steps, &l);
        }
        kin_case_row(run, rows[i].method, "order by halving", kin_slope(h, errors, 3), rows[i].order, 0.35, "H9.8");
    }
}

/* ---- the free asymmetric top ---- */

static const kin_vec3 moments = {1, 2, 3};

/* Spin in the body's axes at t, from (0 or A, ...) where the middle one is 0 and rising; L^2 > 2 E I2. */
typedef struct asymmetric {
    double a, b, c, rate, k;
} asymmetric;

static asymmetric asymmetric_of(kin_vec3 w)
{
    double i1 = moments.x, i2 = moments.y, i3 = moments.z;
    double e2 = i1 * w.x * w.x + i2 * w.y * w.y + i3 * w.z * w.z, l2 = kin_square(i1 * w.x) + kin_square(i2 * w.y) + kin_square(i3 * w.z);
    return (asymmetric){.a = kin_sqrt((e2 * i3 - l2) / (i1 * (i3 - i1))),
                        .b = kin_sqrt((e2 * i3 - l2) / (i2 * (i3 - i2))),
                        .c = kin_sqrt((l2 - e2 * i1) / (i3 * (i3 - i1))),
                        .rate = kin_sqrt((i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3)),
                        .k = kin_sqrt((i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1)))};
}

static void asymmetric_top(kin_case_run* run)
{
    const kin_vec3 spin = {1.2, 0, 1.5};
    const asymmetric s = asymmetric_of(spin);
    flight f = flight_begin(run, "rk4", 1.0 / 480);
    f.body.moments = moments;
    f.body.spin = spin;
    flight_open(&f);
    double worst = 0;
    for (int i = 1; i <= 20; ++i) {
        flight_steps(&f, 240);
        kin_body_state now = state_of(&f);
        kin_vec3 w = kin_unrotate(now.pose.orientation, now.spin);
        kin_jacobi j = kin_jacobi_at(s.rate * 0.5 * i, s.k);
        worst = kin_max(worst, kin_distance(w, kin_v(s.a * j.cn, s.b * j.sn, s.c * j.dn)));
        if (!(worst >= 0)) worst = NAN;
    }
    kin_vec3 l = angular_of(&f);
    kin_case_row(run, "rk4", "spin over 10 s, off by", worst, 0, 1e-8, "Landau & Lifshitz 37");
    kin_case_row(run, "rk4", "|L| after 10 s", kin_length(l), kin_length(kin_v(1.2, 0, 4.5)), 1e-12, "H9.8");
    flight_close(&f);
}

/* Turned about its middle axis it goes over, again and again: 2 K / rate from one crossing to the next. */
static void dzhanibekov(kin_case_run* run)
{
    const kin_vec3 spin = {0, 3, 0.01};
    const asymmetric s = asymmetric_of(spin);
    double h = 1.0 / 480, time = 0, crossings[3] = {NAN, NAN, NAN};
    int count = 0;
    flight f = flight_begin(run, "rk4", h);
    f.body.moments = moments;
    f.body.spin = spin;
    flight_open(&f);
    double before = 3;
    for (int i = 0; i < 20000 && count < 3 && f.result == KIN_OK; ++i) {
        flight_steps(&f, 1);
        kin_body_state now = state_of(&f);
        double w = kin_unrotate(now.pose.orientation, now.spin).y;
        if (before * w < 0) crossings[count++] = time + h * before / (before - w);
        before = w;
        time += h;
    }
    double flip = 2 * kin_elliptic_k(s.k) / s.rate;
    kin_case_row(run, "rk4", "first flip, s", crossings[0], 0.5 * flip, 1e-7 * flip, "4 K(k) / rate");
    kin_case_row(run, "rk4", "from flip to flip, s", crossings[1] - crossings[0], flip, 1e-7 * flip, "4 K(k) / rate");
    kin_case_row(run, "rk4", "and the next, s", crossings[2] - crossings[1], flip, 1e-7 * flip, "4 K(k) / rate");
    flight_close(&f);
}

/* The tennis racket: about the first and the last axis it keeps on, about the middle one it turns over. */
static void racket(kin_case_run* run)
{
    static const char* const names[3] = {"least moment: axis stays, cosine", "middle moment: goes over, cosine", "largest moment: axis stays, cosine"};
    for (int axis = 0; axis < 3; ++axis) {
        flight f = flight_begin(run, "rk4", 1.0 / 240);
        f.body.moments = moments;
        f.body.spin = kin_add(kin_scale(kin_axis(axis), 3), kin_v(0.01, 0.01, 0.01));
        flight_open(&f);
        double least = 1;
        for (int i = 0; i < 2400 && f.result == KIN_OK; ++i) {
            flight_steps(&f, 1);
            least = kin_min(least, kin_rotate(state_of(&f).pose.orientation, kin_axis(axis)).x * (axis == 0)
                                       + kin_rotate(state_of(&f).pose.orientation, kin_axis(axis)).y * (axis == 1)
                                       + kin_rotate(state_of(&f).pose.orientation, kin_axis(axis)).z * (axis == 2));
        }
        kin_case_row(run, "rk4", names[axis], f.result == KIN_OK ? least : NAN, axis == 1 ? -1 : 1, 0.01, "H9.8");
        flight_close(&f);
    }
}

/* ---- the heavy top ---- */

enum { HEAVY_MASS = 2 };
#define ARM 0.5
#define HEAVY_PERP 0.3
#define HEAVY_ALONG 0.2
#define GRAVITY 9.81

static flight heavy_top(kin_case_run* run, double tilt, double precession, double spin, double h)
{
    flight f = flight_begin(run, "rk4", h);
    kin_quat q = kin_quat_axis_angle(kin_v(0, 0, 1), -tilt);
    kin_vec3 axis = kin_rotate(q, kin_v(0, 1, 0)), up = {0, precession, 0};
    f.def.gravity = kin_v(0, -GRAVITY, 0);
    f.rigid.tolerance = 1e-6;
    f.body.mass = HEAVY_MASS;
    f.body.moments = kin_v(HEAVY_PERP, HEAVY_ALONG, HEAVY_PERP);
    f.body.orientation = q;
    f.body.position = kin_scale(axis, ARM);
    f.body.spin = kin_add(up, kin_scale(axis, spin - precession * kin_cos(tilt))); /* spin: all of it along the axis */
    f.body.velocity = kin_cross(f.body.spin, f.body.position);
    flight_open(&f);
    kin_joint_def joint = kin_joint_def_default();
    joint.kind = KIN_JOINT_BALL;
    joint.a = -1, joint.b = 0;
    joint.axis = kin_v(0, 1, 0);
    if (f.result == KIN_OK) f.result = kin_rigid_add_joint(f.world, f.system, &joint, NULL, &f.error);
    return f;
}

static void steady_precession(kin_case_run* run)
{
    const double tilt = 0.7, precession = 1.5, about = HEAVY_PERP + HEAVY_MASS * ARM * ARM;
    const double spin = (HEAVY_MASS * GRAVITY * ARM + about * precession * precession * kin_cos(tilt)) / (HEAVY_ALONG * precession);
    int steps = run->full ? 4800 : 1200;
    double h = 1.0 / 600, time = steps * h;
    flight f = heavy_top(run, tilt, precession, spin, h);
    flight_steps(&f, steps);
    kin_vec3 x = state_of(&f).center;
    double round = kin_atan2(-x.z, x.x), want = precession * time;
    kin_case_row(run, "rk4", "tilt stays, rad", kin_atan2(kin_sqrt(x.x * x.x + x.z * x.z), x.y), tilt, 1e-6, "I3 w3 W - I1 W^2 cos = m g l");
    kin_case_row(run, "rk4", "gone round, off by, rad", kin_sin(round - want), 0, 1e-6, "I3 w3 W - I1 W^2 cos = m g l");
    kin_case_row(run, "rk4", "distance to the pivot, m", kin_length(x), ARM, 1e-9, "joint");
    flight_close(&f);
}

/* Upright: stable above w3 = 2 sqrt(I1' m g l) / I3. */
static void sleeping_top(kin_case_run* run)
{
    const double about = HEAVY_PERP + HEAVY_MASS * ARM * ARM, limit = 2 * kin_sqrt(about * HEAVY_MASS * GRAVITY * ARM) / HEAVY_ALONG;
    for (int fast = 0; fast < 2; ++fast) {
        flight f = heavy_top(run, 0.02, 0, limit * (fast ? 1.1 : 0.8), 1.0 / 600);
        double most = 0;
        for (int i = 0; i < 1800 && f.result == KIN_OK; ++i) {
            flight_steps(&f, 1);
            kin_vec3 x = state_of(&f).center;
            most = kin_max(most, kin_atan2(kin_sqrt(x.x * x.x + x.z * x.z), x.y));
        }
        kin_case_row(run, "rk4", fast ? "10% above the limit: leans, rad" : "20% below: falls, 1 for yes",
                     f.result != KIN_OK ? NAN
                     : fast             ? most
                                        : most > 0.3,
                     fast ? 0 : 1, fast ? 0.06 : 0, "(I3 w3)^2 > 4 I1 m g l");
        flight_close(&f);
    }
}

/* ---- drag ---- */

static void drags(kin_case_run* run)
{
    flight f = flight_begin(run, "rk4", 1.0 / 60);
    f.body.moments = kin_v(0.4, 0.4, 0.4);
    f.body.drag = 0.5;
    f.body.angular_drag = 0.2;
    f.body.velocity = kin_v(3, 0, 0);
    f.body.spin = kin_v(0, 0, 5);
    flight_open(&f);
    flight_steps(&f, 120);
    kin_body_state s = state_of(&f);
    kin_case_row(run, "rk4", "speed after 2 s, m/s", s.velocity.x, 3 * kin_exp(-1), 1e-8, "C4.3: exp(-k t / m)");
    kin_case_row(run, "rk4", "spin after 2 s, rad/s", s.spin.z, 5 * kin_exp(-1), 1e-8, "C4.3: exp(-k t / I)");
    flight_close(&f);
}

const kin_case kin_cases_motion[] = {
    {"rigid/symmetric-top", "A free top's axis goes round L at L / I_perp; order of the integrators.", symmetric_top},
    {"rigid/asymmetric-top", "A free body with three moments follows Jacobi's functions.", asymmetric_top},
    {"rigid/dzhanibekov", "Flips about the middle axis, from one to the next.", dzhanibekov},
    {"rigid/tennis-racket", "Which axes a body keeps turning about.", racket},
    {"rigid/heavy-top", "Steady precession on a ball joint.", steady_precession},
    {"rigid/sleeping-top", "How fast an upright top must spin.", sleeping_top},
    {"rigid/drag", "Drag and angular drag decay exponentially.", drags},
    {NULL, NULL, NULL},
};
