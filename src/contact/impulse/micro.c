/* micro.c - the course of one impact: velocities at the point as the normal impulse grows, slipping, sticking, slipping the other way (C4.13; Keller 1986,
 * Mirtich 1996). Restitution is by work (Stronge): the normal impulse gives back e^2 of what compression took, so that no course gains energy.
 *
 * While it slips friction is (-mu_t s_t, -mu_k s_k) / |s| per unit of normal impulse: du/dp_n = K (1, friction). Along a fixed direction (planar impacts,
 * sticking, slip from rest) that is a straight line with its end in closed form. Else it is integrated by Dormand and Prince's method over tau with dp_n = |s| dtau, where
 * the end of slip lies at infinity and the equations stay smooth. A course always ends: when compression gains nothing (jamming) the slip must stop. */
#include "contact/impulse/local.h"
#include "numerics/adaptive.h"

#define STOPPED 1e-11   /* of the first speed: no slip */
#define STRAIGHT 1e-13  /* sine of the angle by which slip turns */
#define TOLERANCE 1e-12 /* of the first speed, a step */
#define MOST_STEPS 20000
#define FOREVER 1e300

typedef struct course {
    const kin_local* hit;
    const kin_ode_method* method;
    double u[3], p[3];
    double work;        /* J: of the normal impulse */
    double goal;        /* the work at which it ends */
    double speed, step; /* m/s: at the start; of tau: to try next */
    bool restoring, ended;
} course;

static void multiply(const double m[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) y[i] = m[3 * i] * x[0] + m[3 * i + 1] * x[1] + m[3 * i + 2] * x[2];
}

static double slip_of(const double u[3]) { return kin_sqrt(u[1] * u[1] + u[2] * u[2]); }

static void turn_to_restitution(course* c)
{
    c->u[0] = 0;
    c->restoring = true;
    c->goal = c->work * (1 - c->hit->restitution * c->hit->restitution);
    c->ended = c->hit->restitution <= 0 || c->work >= 0;
}

/* ---- straight ---- */

static void go_straight(course* c, const double q[3], const double du[3], double dp)
{
    if (dp >= FOREVER) { /* only rounding brings it here: the essay's last sentence */
        c->ended = true;
        return;
    }
    c->work += dp * (c->u[0] + 0.5 * du[0] * dp);
    for (int i = 0; i < 3; ++i) {
        c->p[i] += q[i] * dp;
        c->u[i] += du[i] * dp;
    }
}

/* The p_n where work + u dp + du dp^2 / 2 = goal. */
static double to_goal(const course* c, double du)
{
    double left = c->goal - c->work, square = c->u[0] * c->u[0] + 2 * du * left;
    if (left <= 0) return 0;
    return square > 0 ? 2 * left / (c->u[0] + kin_sqrt(square)) : FOREVER;
}

/* Along q per unit of p_n, at most `most` of p_n. */
static void straight(course* c, const double q[3], double most)
{
    double du[3];
    multiply(c->hit->matrix, q, du);
    if (!c->restoring) {
        double dp = du[0] > 0 ? -c->u[0] / du[0] : FOREVER;
        go_straight(c, q, du, kin_min(dp, most));
        if (dp > most) return;
        most -= dp;
        turn_to_restitution(c);
    }
    if (c->ended) return;
    double dp = to_goal(c, du[0]);
    c->ended = dp <= most;
    go_straight(c, q, du, kin_min(dp, most));
}

/* ---- curved ---- */

enum { STATE = 7, SCRATCH = 8 * STATE }; /* u, p, work */

static void pack(const course* c, double y[STATE])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = c->u[i];
        y[3 + i] = c->p[i];
    }
    y[6] = c->work;
}

/* d/dtau */
static void rate(void* context, double tau, const double* y, double* dydt)
{
    (void)tau;
    const kin_local* hit = context;
    double slip = slip_of(y);
    dydt[3] = slip;
    dydt[4] = -hit->friction[0] * y[1];
    dydt[5] = -hit->friction[1] * y[2];
    multiply(hit->matrix, dydt + 3, dydt);
    dydt[6] = y[0] * slip;
}

/* The course h further on; off: its error against the tolerance. */
static course curved(const course* c, double h, double* off)
{
    kin_ode ode = {.size = STATE, .context = (void*)c->hit, .derivative = rate};
    double y[STATE], next[STATE], before[STATE], after[STATE], error[STATE], scratch[SCRATCH];
    course out = *c;
    pack(c, y);
    rate(ode.context, 0, y, before);
    c->method->step(&ode, NULL, 0, h, y, before, next, scratch);
    for (int i = 0; i < 3; ++i) {
        out.u[i] = next[i];
        out.p[i] = next[3 + i];
    }
    out.work = next[6];
    if (!off) return out;
    rate(ode.context, h, next, after);
    c->method->error(&ode, h, before, after, scratch, error);
    *off = 0;
    for (int i = 0; i < 3; ++i) *off = kin_max(*off, kin_max(kin_abs(error[i]), c->hit->matrix[0] * kin_abs(error[3 + i])) / (TOLERANCE * c->speed));
    return out;
}

static bool passed(const course* c) { return c->restoring ? c->work >= c->goal : c->u[0] >= 0; }

/* The part of a step at whose end the course turns or ends. */
static course cut(const course* c, double h)
{
    double low = 0, high = h;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        course at = curved(c, middle, NULL);
        if (passed(&at))
            high = middle;
        else
            low = middle;
    }
    return curved(c, high, NULL);
}

static void slip_on(course* c)
{
    double off, h = c->step;
    course next = curved(c, h, &off);
    const kin_adaptive rule = {.safety = 0.9, .shrink = 0.2, .grow = 4};
    kin_adaptive_choice choice = kin_adaptive_choose(&rule, c->method->order, h, off, 0);
    c->step = next.step = choice.h;
    if (!choice.keep) return;
    bool turns = passed(&next);
    if (turns) next = cut(c, h);
    *c = next;
    if (turns && c->restoring)
        c->ended = true;
    else if (turns)
        turn_to_restitution(c);
}

/* ---- phases ---- */

/* Slip's rate per unit of p_n in direction s, and how much of it is across s. */
static double growth(const kin_local* hit, const double s[2], double* across)
{
    const double q[3] = {1, -hit->friction[0] * s[0], -hit->friction[1] * s[1]};
    double du[3];
    multiply(hit->matrix, q, du);
    *across = s[0] * du[2] - s[1] * du[1];
    return s[0] * du[1] + s[1] * du[2];
}

/* The way in which slip starts from rest: where it grows along itself. Looked for around the circle, then halved. */
static void find_start(const kin_local* hit, double s[2])
{
    enum { LOOKS = 64 };
    double best = -1e300, found = 0;
    for (int i = 0; i < LOOKS; ++i) {
        double low = 2 * KIN_PI * i / LOOKS, high = 2 * KIN_PI * (i + 1) / LOOKS, a, b;
        growth(hit, (double[2]){kin_cos(low), kin_sin(low)}, &a);
        growth(hit, (double[2]){kin_cos(high), kin_sin(high)}, &b);
        if ((a > 0) == (b > 0)) continue;
        for (int k = 0; k < 60; ++k) {
            double middle = 0.5 * (low + high), m;
            growth(hit, (double[2]){kin_cos(middle), kin_sin(middle)}, &m);
            if ((m > 0) == (a > 0))
                low = middle;
            else
                high = middle;
        }
        double g = growth(hit, (double[2]){kin_cos(low), kin_sin(low)}, &b);
        if (g > best) best = g, found = low;
    }
    s[0] = kin_cos(found);
    s[1] = kin_sin(found);
}

/* Friction per p_n that keeps the point from slipping; false: there is not that much. */
static bool sticking(const kin_local* hit, double q[3])
{
    const double* m = hit->matrix;
    double det = m[4] * m[8] - m[5] * m[7], x = hit->friction[0], y = hit->friction[1];
    q[0] = 1;
    q[1] = (-m[3] * m[8] + m[6] * m[5]) / det;
    q[2] = (-m[6] * m[4] + m[3] * m[7]) / det;
    double near = 1 + 1e-12;
    return kin_abs(q[1]) <= x * near && kin_abs(q[2]) <= y * near && q[1] * q[1] * y * y + q[2] * q[2] * x * x <= x * x * y * y * near;
}

static void from_rest(course* c)
{
    double q[3], s[2];
    c->u[1] = c->u[2] = 0;
    if (!sticking(c->hit, q)) {
        find_start(c->hit, s);
        q[1] = -c->hit->friction[0] * s[0];
        q[2] = -c->hit->friction[1] * s[1];
    }
    straight(c, q, FOREVER);
    c->ended = true;
}

static void slipping(course* c)
{
    double slip = slip_of(c->u), s[2] = {c->u[1] / slip, c->u[2] / slip}, across, rate = growth(c->hit, s, &across);
    const double q[3] = {1, -c->hit->friction[0] * s[0], -c->hit->friction[1] * s[1]};
    if (kin_abs(across) > STRAIGHT * (c->hit->matrix[0] + c->hit->matrix[4] + c->hit->matrix[8])) {
        slip_on(c);
        return;
    }
    straight(c, q, rate < 0 ? -slip / rate : FOREVER);
    if (!c->ended) c->u[1] = c->u[2] = 0;
}

void kin_local_micro(const kin_local* hit, double p[3])
{
    double mu = kin_max(hit->friction[0], hit->friction[1]), soft = hit->matrix[0] + hit->matrix[4] + hit->matrix[8];
    course c = {.hit = hit, .method = kin_ode_method_named(KIN_SIMD_NONE, "rk45"), .u = {hit->velocity[0], hit->velocity[1], hit->velocity[2]}};
    c.speed = kin_abs(c.u[0]) + slip_of(c.u);
    c.step = 0.05 / (soft * (1 + mu));
    if (mu <= 0) straight(&c, (double[3]){1, 0, 0}, FOREVER), c.ended = true;
    for (int i = 0; i < MOST_STEPS && !c.ended; ++i) {
        if (slip_of(c.u) <= STOPPED * c.speed)
            from_rest(&c);
        else
            slipping(&c);
    }
    for (int i = 0; i < 3; ++i) p[i] = c.p[i];
}
