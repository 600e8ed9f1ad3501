/* laws_test.c - contact forces over time against closed forms: slides, slopes, chains, rolling disks; errors fall with the tolerance asked for (Coutinho 4.11.3,
 * 4.11.4, House & Keyser 10.3). */
#include "kinema/rigid.h"
#include "unit/contact/exact/rig.h"
#include "unit/contact/impulse/hits.h"

#define STEP (1.0 / 60)
enum { BARAFF, DANTZIG, LEMKE, KOKKEVIS, QP };

static const char* const force_names[] = {"baraff", "dantzig", "lemke", "kokkevis", "qp"};

static kin_rigid_def exact_def(double integrator_tolerance)
{
    kin_rigid_def def = rig_def();
    def.integrator = rig_integrator("adaptive_rk45");
    def.integrator_tolerance = integrator_tolerance;
    return def;
}

static void exact_means_adaptive(test* t)
{
    kin_rigid_def def = kin_rigid_def_default();
    TEXT(t, kin_rigid_integrators()[def.integrator], "adaptive_rk45");
    NEAR(t, def.integrator_tolerance, 1e-8, 0);
}

/* ---- slides ---- */

enum { BOX, CAPSULE, CYLINDER, HULL, SHAPES };

/* Lies on the floor; *height: of its centre; *lie: turned so. A capsule lies along x. */
static kin_form* lying_form(rig* r, int shape, dice* d, double* height, kin_quat* lie)
{
    kin_vec3 corners[8];
    double h = roll(d, 0.05, 0.3);
    *lie = kin_quat_identity(), *height = 0.5 * h;
    switch (shape) {
    case BOX: return rig_form(r, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {roll(d, 0.5, 1.5), h, roll(d, 0.5, 1.5)}});
    case CAPSULE:
        *lie = kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 2), *height = h;
        return rig_form(r, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = h, .length = roll(d, 0.5, 1.5)});
    case CYLINDER: return rig_form(r, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = roll(d, 0.4, 0.8), .length = h});
    default:
        for (int i = 0; i < 8; ++i) {
            double angle = 2 * KIN_PI * (i % 4) / 4 + roll(d, 0, 0.6), radius = roll(d, 0.4, 0.6) * (i < 4 ? 1 : 0.7);
            corners[i] = kin_v(radius * kin_cos(angle), (i < 4 ? -0.5 : 0.5) * h, radius * kin_sin(angle));
        }
        return rig_form(r, (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, 8}});
    }
}

/* v^2 / (2 mu g) along the slip, whatever the yaw, and neither sideways nor turning. Slower than slip_speed it stops within a step: that is all it may miss. */
static void slides_end_where_they_should(test* t)
{
    static const int ways[] = {BARAFF, LEMKE};
    for (int k = 0; k < 32; ++k) {
        dice d = {.key = {.seed = 7, .serial = (uint64_t)k / 2}};
        rig r;
        kin_rigid_def def = exact_def(1e-8);
        def.forces = ways[k % 2];
        def.slip_speed = 1e-5;
        rig_begin(&r, t, def);
        double mu = roll(&d, 0.1, 0.6), height, speed = kin_exp(roll(&d, kin_ln(0.05), kin_ln(3))), way = roll(&d, 0, 6.28);
        kin_material_id m = rig_material(&r, 0, mu, mu);
        rig_floor(&r, m);
        kin_quat lie, yaw = kin_quat_axis_angle(kin_v(0, 1, 0), roll(&d, 0, 6.28));
        int shape = k / 2 % SHAPES;
        kin_form* form = lying_form(&r, shape, &d, &height, &lie);
        uint32_t body = rig_add(&r, form, m, roll(&d, 0.5, 3), kin_v(0, height, 0), kin_quat_mul(yaw, lie));
        kin_vec3 along = shape == CAPSULE ? kin_rotate(yaw, kin_v(1, 0, 0)) : kin_v(kin_cos(way), 0, kin_sin(way)), from = rig_body(&r, body)->position;
        rig_body(&r, body)->velocity = kin_scale(along, speed);
        rig_steps(&r, (int)((speed / (10 * mu) + 0.1) / STEP), STEP);
        double want = speed * speed / (20 * mu), off = kin_distance(kin_sub(rig_body(&r, body)->position, from), kin_scale(along, want));
        test_check(t, off < 1e-6 * want + def.slip_speed * STEP, __FILE__, __LINE__, "%s, shape %d, %g m/s, mu %g: off by %g of %g m", force_names[def.forces],
                   shape, speed, mu, off, want);
        NEAR(t, kin_length(rig_body(&r, body)->velocity) + kin_length(rig_body(&r, body)->spin), 0, 2 * def.slip_speed);
        rig_end(&r);
    }
}

/* Where a box that slides and turns has come to after 1 s, in `steps` steps. */
static kin_transform turning_slide(test* t, int forces, const char* integrator, int steps)
{
    rig r;
    kin_rigid_def def = exact_def(1e-8);
    def.integrator = rig_integrator(integrator);
    def.forces = forces;
    def.slip_speed = 1e-5;
    rig_begin(&r, t, def);
    kin_material_id m = rig_material(&r, 0, 0.3, 0.3);
    rig_floor(&r, m);
    uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.2, 0.5), kin_v(0, 0.1, 0), kin_quat_identity());
    rig_body(&r, box)->velocity = kin_v(1, 0, 0.3);
    rig_body(&r, box)->spin = kin_v(0, 4, 0);
    rig_steps(&r, steps, 1.0 / steps);
    NEAR(t, kin_length(rig_body(&r, box)->velocity) + kin_length(rig_body(&r, box)->spin), 0, 1e-4);
    kin_transform pose = kin_body_pose(rig_body(&r, box));
    rig_end(&r);
    return pose;
}

static double apart(kin_transform a, kin_transform b)
{
    return kin_distance(a.position, b.position) + kin_quat_angle(kin_quat_mul(a.orientation, kin_quat_conj(b.orientation)));
}

/* Four corners share the load in one way, so there is one answer: neither the length of steps nor the method nor the integrator changes it. */
static void turning_slides_have_one_answer(test* t)
{
    kin_transform truth = turning_slide(t, BARAFF, "adaptive_rk45", 240);
    NEAR(t, apart(turning_slide(t, BARAFF, "adaptive_rk45", 60), truth), 0, 1e-5);
    NEAR(t, apart(turning_slide(t, BARAFF, "adaptive_rk45", 20), truth), 0, 1e-5);
    NEAR(t, apart(turning_slide(t, LEMKE, "adaptive_rk45", 60), truth), 0, 1e-5);
    NEAR(t, apart(turning_slide(t, BARAFF, "bulirsch_stoer", 60), truth), 0, 1e-5);
    NEAR(t, apart(turning_slide(t, BARAFF, "rk4", 60), truth), 0, 1e-3);
}

/* Three feet bear what three equations say: x, z, yaw and their rates under friction at each. */
typedef struct tripod {
    kin_vec3 foot[3]; /* from the centre of mass, as it stands */
    double mu, mass, moment;
} tripod;

static void tripod_rates(const tripod* p, const double y[6], double dydt[6])
{
    double a[3][4], c = kin_cos(y[2]), s = kin_sin(y[2]), force[2] = {0, 0}, torque = 0, way[3][2], at[3][2];
    for (int i = 0; i < 3; ++i) {
        double x = c * p->foot[i].x + s * p->foot[i].z, z = -s * p->foot[i].x + c * p->foot[i].z, vx = y[3] + y[5] * z, vz = y[4] - y[5] * x;
        double speed = kin_sqrt(vx * vx + vz * vz), height = -p->foot[i].y;
        at[i][0] = x, at[i][1] = z, way[i][0] = vx / speed, way[i][1] = vz / speed;
        a[0][i] = 1;
        a[1][i] = x - height * p->mu * way[i][0]; /* no torque about z and x */
        a[2][i] = z - height * p->mu * way[i][1];
    }
    a[0][3] = p->mass * 10, a[1][3] = a[2][3] = 0;
    kin_mat3 m = {{a[0][0], a[1][0], a[2][0]}, {a[0][1], a[1][1], a[2][1]}, {a[0][2], a[1][2], a[2][2]}};
    kin_vec3 right = {a[0][3], 0, 0};
    double det = kin_triple(m.cx, m.cy, m.cz);
    double load[3] = {kin_triple(right, m.cy, m.cz) / det, kin_triple(m.cx, right, m.cz) / det, kin_triple(m.cx, m.cy, right) / det};
    for (int i = 0; i < 3; ++i) {
        double fx = -p->mu * load[i] * way[i][0], fz = -p->mu * load[i] * way[i][1];
        force[0] += fx, force[1] += fz;
        torque += at[i][1] * fx - at[i][0] * fz;
    }
    const double out[6] = {y[3], y[4], y[5], force[0] / p->mass, force[1] / p->mass, torque / p->moment};
    memcpy(dydt, out, sizeof out);
}

static void follow_tripod(const tripod* p, double y[6], double time)
{
    enum { PARTS = 20000 };
    double h = time / PARTS;
    for (int k = 0; k < PARTS; ++k) { /* midpoint: off by h^2 */
        double rate[6], middle[6];
        tripod_rates(p, y, rate);
        for (int i = 0; i < 6; ++i) middle[i] = y[i] + 0.5 * h * rate[i];
        tripod_rates(p, middle, rate);
        for (int i = 0; i < 6; ++i) y[i] += h * rate[i];
    }
}

/* How far off after a while of sliding and turning, in steps of 0.1 s. */
static double tripod_error(test* t, uint64_t serial, double tolerance)
{
    dice d = {.key = {.seed = 3, .serial = serial}};
    rig r;
    rig_begin(&r, t, exact_def(tolerance));
    tripod p = {.mu = roll(&d, 0.1, 0.4), .mass = roll(&d, 1, 3)};
    kin_material_id m = rig_material(&r, 0, p.mu, p.mu);
    rig_floor(&r, m);
    double radius = roll(&d, 0.5, 0.8), h = roll(&d, 0.1, 0.3);
    kin_vec3 corners[6];
    for (int i = 0; i < 6; ++i) corners[i] = kin_v(radius * kin_cos(2 * KIN_PI * i / 3), i < 3 ? -0.5 * h : 0.5 * h, radius * kin_sin(2 * KIN_PI * i / 3));
    kin_form* form = rig_form(&r, (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, 6}});
    uint32_t body = rig_add(&r, form, m, p.mass, kin_v(0, 0.5 * h, 0), kin_quat_identity());
    kin_vec3 centre = rig_body(&r, body)->position;
    for (int i = 0; i < 3; ++i) p.foot[i] = kin_sub(kin_add(corners[i], kin_v(0, 0.5 * h, 0)), centre);
    kin_vec3 turn = kin_body_inv_inertia_times(rig_body(&r, body), kin_v(0, 1, 0));
    p.moment = 1 / turn.y;
    kin_quat start = rig_body(&r, body)->orientation;
    double y[6] = {centre.x, centre.z, 0, roll(&d, 1, 2), roll(&d, -1, 1), roll(&d, -2, 2)};
    rig_body(&r, body)->velocity = kin_v(y[3], 0, y[4]);
    rig_body(&r, body)->spin = kin_v(0, y[5], 0);
    rig_steps(&r, 2, 0.1);
    follow_tripod(&p, y, 0.2);
    const kin_body* b = rig_body(&r, body);
    kin_vec3 forward = kin_rotate(kin_quat_mul(b->orientation, kin_quat_conj(start)), kin_v(1, 0, 0));
    double off = kin_abs(b->position.x - y[0]) + kin_abs(b->position.z - y[1]) + kin_abs(kin_atan2(-forward.z, forward.x) - y[2]);
    rig_end(&r);
    return off;
}

/* The slope of ln error over ln tolerance. */
static double order_in_tolerance(int n, const double* tolerance, const double* error)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; ++i) {
        double x = kin_ln(tolerance[i]), y = kin_ln(error[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void three_feet_follow_their_equations(test* t)
{
    for (uint64_t k = 0; k < 6; ++k) {
        double off = tripod_error(t, k, 1e-9);
        test_check(t, off < 1e-6, __FILE__, __LINE__, "tripod %d is off by %g", (int)k, off);
    }
}

/* ---- slow slides are stiff ---- */

/* Down a slope of tan = mu at constant speed, with a little turn that friction takes: at mu g / v per second, beyond what fixed steps bear. */
static void slow_slides_do_not_turn(test* t)
{
    static const double speeds[] = {0.005, 0.01, 0.03, 0.1, 1};
    const double mu = 0.4, angle = kin_atan(mu);
    kin_vec3 n = kin_v(kin_sin(angle), kin_cos(angle), 0), down = kin_v(kin_cos(angle), -kin_sin(angle), 0);
    for (int k = 0; k < 5; ++k) {
        rig r;
        rig_begin(&r, t, exact_def(1e-8));
        kin_material_id m = rig_material(&r, 0, mu, mu);
        rig_add(&r, rig_form(&r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = n}), m, 0, kin_v(0, 0, 0), kin_quat_identity());
        kin_quat q = kin_quat_mul(kin_quat_axis_angle(kin_v(0, 0, 1), -angle), kin_quat_axis_angle(kin_v(0, 1, 0), 0.4));
        uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.2, 0.5), kin_scale(n, 0.1), q);
        rig_body(&r, box)->velocity = kin_scale(down, speeds[k]);
        rig_body(&r, box)->spin = kin_scale(n, 1e-4 * speeds[k]);
        rig_steps(&r, 60, STEP);
        kin_vec3 way = kin_sub(rig_body(&r, box)->position, kin_scale(n, 0.1));
        NEAR(t, kin_dot(way, down) / speeds[k], 1, 1e-4);
        NEAR(t, way.z / speeds[k], 0, 1e-4);
        NEAR(t, kin_length(rig_body(&r, box)->spin) / speeds[k], 0, 1e-3);
        rig_end(&r);
    }
}

/* ---- slopes ---- */

/* Sticks for ever at tan < mu, else g (sin - mu cos); balls roll up to tan = 7/2 mu. Two boxes on each other do the same: what lies between them is held too. */
static void slopes_hold_and_let_go(test* t)
{
    static const int ways[] = {BARAFF, LEMKE};
    for (int k = 0; k < 36; ++k) {
        dice d = {.key = {.seed = 11, .serial = (uint64_t)k}};
        rig r;
        kin_rigid_def def = exact_def(1e-8);
        def.forces = ways[k % 2];
        rig_begin(&r, t, def);
        double mu = roll(&d, 0.2, 0.6), steep = mu * (k % 3 == 0 ? roll(&d, 0.3, 0.95) : k % 3 == 1 ? 0.999 : roll(&d, 1.05, 2)), angle = kin_atan(steep);
        double around = roll(&d, 0, 6.28), height = roll(&d, 0.05, 0.15), c = kin_cos(angle), s = kin_sin(angle);
        kin_vec3 n = kin_v(s * kin_cos(around), c, s * kin_sin(around)), down = kin_v(c * kin_cos(around), -s, c * kin_sin(around));
        kin_material_id m = rig_material(&r, 0, mu, mu), rough = rig_material(&r, 0, 0.9, 0.9);
        rig_add(&r, rig_form(&r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = n}), m, 0, kin_v(0, 0, 0), kin_quat_identity());
        kin_quat tilt = kin_quat_axis_angle(kin_normalize_or(kin_cross(kin_v(0, 1, 0), n), kin_v(1, 0, 0)), angle);
        kin_quat q = kin_quat_mul(tilt, kin_quat_axis_angle(kin_v(0, 1, 0), roll(&d, 0, 6.28)));
        bool ball = k / 3 % 3 == 0, pair = k / 3 % 3 == 1;
        uint32_t first = ball ? rig_ball(&r, m, 2, height, kin_scale(n, height)) : rig_box(&r, rough, 2, kin_v(1, height, 0.7), kin_scale(n, 0.5 * height), q),
                 last = first;
        if (pair) last = rig_box(&r, rough, 1, kin_v(0.5, height, 0.4), kin_scale(n, 1.5 * height), q);
        kin_vec3 from[2] = {rig_body(&r, first)->position, rig_body(&r, last)->position};
        int steps = 60;
        rig_steps(&r, steps, STEP);
        double a = ball ? steep < 3.5 * mu ? 5.0 / 7 * 10 * s : 10 * (s - mu * c) : kin_max(10 * (s - mu * c), 0), time = steps * STEP;
        for (int i = 0; i < 2; ++i) {
            double off = kin_distance(kin_sub(rig_body(&r, i == 0 ? first : last)->position, from[i]), kin_scale(down, 0.5 * a * time * time));
            test_check(t, off < 1e-7, __FILE__, __LINE__, "%s, %s, tan %g of mu: off by %g", force_names[def.forces],
                       ball   ? "ball"
                       : pair ? "two boxes"
                              : "box",
                       steep / mu, off);
        }
        rig_end(&r);
    }
}

/* Two boxes on each other on a slope of 0.95 mu for an hour, in steps of a second: they are where they were, but for rounding of the forces: 1e-12 of gravity in every step. */
static void rest_lasts_for_hours(test* t)
{
    static const int ways[] = {BARAFF, LEMKE};
    for (int k = 0; k < 2; ++k) {
        rig r;
        kin_rigid_def def = exact_def(1e-8);
        def.forces = ways[k];
        rig_begin(&r, t, def);
        const double mu = 0.5, angle = kin_atan(0.95 * mu);
        kin_vec3 n = kin_v(kin_sin(angle), kin_cos(angle), 0);
        kin_quat q = kin_quat_mul(kin_quat_axis_angle(kin_v(0, 0, 1), -angle), kin_quat_axis_angle(kin_v(0, 1, 0), 0.7));
        kin_material_id m = rig_material(&r, 0, mu, mu);
        rig_add(&r, rig_form(&r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = n}), m, 0, kin_v(0, 0, 0), kin_quat_identity());
        uint32_t low = rig_box(&r, m, 2, kin_v(1, 0.1, 0.7), kin_scale(n, 0.05), q), high = rig_box(&r, m, 1, kin_v(0.5, 0.1, 0.4), kin_scale(n, 0.15), q);
        rig_steps(&r, 3600, 1);
        NEAR3(t, rig_body(&r, low)->position, kin_scale(n, 0.05), 3600 * 1e-12 * 10);
        NEAR3(t, rig_body(&r, high)->position, kin_scale(n, 0.15), 3600 * 1e-12 * 10);
        rig_end(&r);
    }
}

/* All ways to contact forces by their names: a box with a ball on it stays up and keeps still on the floor; down a slope it slides without friction by dantzig and qp, with
 * friction by the others. Kokkevis' form ends slip within a tick, so that a slide is too long by up to v h. */
static void forces_by_name(test* t)
{
    const double mu = 0.3, angle = 0.5, s = kin_sin(angle), c = kin_cos(angle);
    for (int way = BARAFF; way <= QP; ++way) {
        bool rough = way != DANTZIG && way != QP;
        rig r;
        kin_rigid_def def = exact_def(1e-8);
        def.forces = way;
        rig_begin(&r, t, def);
        kin_material_id m = rig_material(&r, 0, mu, mu);
        rig_floor(&r, m);
        uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.4, 1), kin_v(0, 0.2, 0), kin_quat_identity());
        uint32_t ball = rig_ball(&r, m, 1, 0.2, kin_v(0, 0.6, 0)), last = rig_box(&r, m, 1, kin_v(1, 0.2, 0.7), kin_v(5, 0.1, 0), kin_quat_identity());
        rig_body(&r, last)->velocity = kin_v(2, 0, 0);
        rig_steps(&r, 60, STEP);
        NEAR3(t, rig_body(&r, box)->position, kin_v(0, 0.2, 0), 1e-9);
        NEAR3(t, rig_body(&r, ball)->position, kin_v(0, 0.6, 0), 1e-9);
        NEAR(t, rig_body(&r, last)->position.x, rough ? 5 + 4 / (20 * mu) : 7, way == KOKKEVIS ? 2 * STEP : 1e-6);
        rig_end(&r);
        rig_begin(&r, t, def);
        m = rig_material(&r, 0, mu, mu);
        kin_vec3 n = kin_v(s, c, 0), down = kin_v(c, -s, 0);
        rig_add(&r, rig_form(&r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = n}), m, 0, kin_v(0, 0, 0), kin_quat_identity());
        box = rig_box(&r, m, 2, kin_v(1, 0.4, 1), kin_scale(n, 0.2), kin_quat_axis_angle(kin_v(0, 0, 1), -angle));
        rig_steps(&r, 60, STEP);
        NEAR(t, kin_dot(rig_body(&r, box)->position, down), 5 * (s - (rough ? mu * c : 0)), way == KOKKEVIS ? 2 * STEP : 1e-7);
        rig_end(&r);
    }
}

/* ---- a chain ---- */

/* Laguerre's polynomial L_n(x), and its slope. */
static double laguerre(int n, double x, double* slope)
{
    double before = 1, now = 1 - x;
    if (n == 0) return 1;
    for (int k = 1; k < n; ++k) {
        double next = ((2 * k + 1 - x) * now - k * before) / (k + 1);
        before = now, now = next;
    }
    if (slope != NULL) *slope = n * (now - before) / x;
    return now;
}

/* Twenty equal masses on links of length l: w^2 = g / l x with L_n(x) = 0, mass k from below swings by L_k(x). */
static void chain_swings_as_laguerre_says(test* t)
{
    enum { N = 20, PARTS = 60 };
    const double l = 1.0 / N, size = 1e-4;
    rig r;
    rig_begin(&r, t, exact_def(1e-8));
    kin_material_id m = rig_material(&r, 0, 0.4, 0.4);
    double x = 1.4457965 / (N + 0.5), slope, w, start = 0, end = 0;
    for (int i = 0; i < 20; ++i) x -= laguerre(N, x, &slope) / slope;
    w = kin_sqrt(10 / l * x);
    uint32_t last = KIN_NO_BODY;
    kin_vec3 at = {0, 0, 0};
    for (int k = N - 1; k >= 0; --k) {
        double to = size * laguerre(k, x, NULL), dx = to - at.x;
        kin_vec3 next = kin_v(to, at.y - kin_sqrt(l * l - dx * dx), 0);
        uint32_t ball = rig_ball(&r, m, 1.0 / N, 1e-4 * l, next);
        kin_joint_def def = kin_joint_def_default();
        def.kind = KIN_JOINT_BALL;
        def.anchor = at;
        rig_joint(&r, def, last, ball);
        start += 10.0 / N * next.y;
        last = ball, at = next;
    }
    rig_steps(&r, PARTS, 2 * KIN_PI / w / PARTS);
    NEAR(t, rig_body(&r, last)->position.x / size, 1, 1e-6);
    NEAR(t, rig_body(&r, last)->velocity.x / (size * w), 0, 1e-5);
    for (uint32_t i = 0; i < r.group->bodies.count; ++i) end += rig_body(&r, i)->mass * 10 * rig_body(&r, i)->position.y + kin_body_kinetic(rig_body(&r, i));
    NEAR(t, (end - start) / (0.5 * size * size * w * w), 0, 1e-4);
    EQUAL(t, rig_solver(&r)->report.yielded, 0);
    rig_end(&r);
}

/* ---- Euler's disk ---- */

static const double disk_radius = 0.5, disk_height = 0.02;

/* A disk of 1 kg that rolls on its rim with its centre at rest, its plane at `lean` to the floor: w = s (R u + H/2 e), e its axis, u up along it, and
 *     dL/dt = Om y x L = torque,  Om = s R / sin lean,  s^2 = m g (R cos - H/2 sin) sin / (R (I1 R cos - I3 H/2 sin)). Returns Om. */
static double start_disk(rig* r, uint32_t* out, kin_material_id m, double lean)
{
    double c = kin_cos(lean), s = kin_sin(lean), arm = 0.5 * disk_height, one = disk_radius * disk_radius / 4 + disk_height * disk_height / 12;
    double three = disk_radius * disk_radius / 2;
    kin_vec3 e = kin_v(-s, c, 0), u = kin_v(c, s, 0), centre = kin_add(kin_scale(u, disk_radius), kin_scale(e, arm));
    double spin = kin_sqrt(10 * (disk_radius * c - arm * s) * s / (disk_radius * (one * disk_radius * c - three * arm * s)));
    kin_form* form = rig_form(r, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = disk_radius, .length = disk_height});
    *out = rig_add(r, form, m, 1, kin_v(0, centre.y, 0), kin_quat_axis_angle(kin_v(0, 0, 1), lean));
    rig_body(r, *out)->spin = kin_scale(centre, spin);
    return spin * disk_radius / s;
}

static kin_vec3 disk_axis(rig* r, uint32_t disk)
{
    kin_transform pose = kin_transform_mul(kin_body_pose(rig_body(r, disk)), r->group->bodies.skin[disk].place);
    return kin_rotate(pose.orientation, kin_v(0, 1, 0));
}

/* How far the axis and the centre are off after one turn, in 12 steps; *energy: of its first. */
static double disk_error(test* t, double tolerance, double* energy)
{
    const double lean = 0.6;
    rig r;
    kin_rigid_def def = exact_def(tolerance);
    def.slip_speed = 1e-3;
    def.tolerance = 1e-4; /* no tick is cut for its path's sake */
    rig_begin(&r, t, def);
    kin_material_id m = rig_material(&r, 0, 1, 1);
    rig_floor(&r, m);
    uint32_t disk;
    double turn = start_disk(&r, &disk, m, lean), first = rig_kinetic(&r) + 10 * rig_body(&r, disk)->position.y;
    kin_vec3 axis = disk_axis(&r, disk), centre = rig_body(&r, disk)->position;
    rig_steps(&r, 12, 2 * KIN_PI / turn / 12);
    *energy = (rig_kinetic(&r) + 10 * rig_body(&r, disk)->position.y) / first - 1;
    double off = kin_distance(disk_axis(&r, disk), axis) + kin_distance(rig_body(&r, disk)->position, centre);
    rig_end(&r);
    return off;
}

static void disk_rolls_steadily(test* t)
{
    double tolerance[4], error[4], energy;
    for (int i = 0; i < 4; ++i) {
        tolerance[i] = 1e-4 * kin_pow(0.01, i);
        error[i] = disk_error(t, tolerance[i], &energy);
        test_check(t, error[i] < 100 * tolerance[i], __FILE__, __LINE__, "tolerance %g: off by %g", tolerance[i], error[i]);
        test_check(t, kin_abs(energy) < 100 * tolerance[i], __FILE__, __LINE__, "tolerance %g: energy off by %g", tolerance[i], energy);
    }
    double order = order_in_tolerance(4, tolerance, error);
    test_check(t, order > 0.8 && order < 1.3, __FILE__, __LINE__, "the error goes as the tolerance to the %g, not to the first (%g to %g)", order, error[0],
               error[3]);
}

/* Rolling friction, a couple d m g against rolling, takes d m g w cos(lean) from E; a thin disk has E = 3/2 m g R sin(lean) and w = 2 sqrt(g sin(lean) / R) as long as
 * it falls slowly, so 3/2 R lean' = -d w. Thickness adds a / R tan(lean), 0.4 %. */
static void disk_falls_by_rolling_friction(test* t)
{
    const double lever = 2e-3, from = 0.2, time = 2;
    rig r;
    rig_begin(&r, t, exact_def(1e-8));
    kin_material_def def = kin_material_def_default();
    def.name = "table", def.restitution = 0, def.rolling_friction = lever;
    def.static_friction[0] = def.static_friction[1] = def.dynamic_friction[0] = def.dynamic_friction[1] = 1;
    kin_material_id m;
    EQUAL(t, kin_materials_add(&r.materials, &def, &m, NULL), KIN_OK);
    rig_floor(&r, m);
    uint32_t disk;
    start_disk(&r, &disk, m, from);
    double before = rig_kinetic(&r) + 10 * rig_body(&r, disk)->position.y, lean = from, h = time / 10000;
    rig_steps(&r, (int)(time * 60), STEP);
    double lost = before - rig_kinetic(&r) - 10 * rig_body(&r, disk)->position.y;
    for (int i = 0; i < 10000; ++i) lean -= h * lever * 2 * kin_sqrt(10 * kin_sin(lean) / disk_radius) / (1.5 * disk_radius);
    NEAR(t, lost / (1.5 * 10 * disk_radius * (kin_sin(from) - kin_sin(lean))), 1, 0.01);
    rig_end(&r);
}

TEST_MAIN("contact/exact/laws", TEST(exact_means_adaptive), TEST(slides_end_where_they_should), TEST(turning_slides_have_one_answer),
          TEST(three_feet_follow_their_equations), TEST(slow_slides_do_not_turn), TEST(slopes_hold_and_let_go), TEST(rest_lasts_for_hours),
          TEST(forces_by_name), TEST(chain_swings_as_laguerre_says), TEST(disk_rolls_steadily), TEST(disk_falls_by_rolling_friction))
