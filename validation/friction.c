/* friction.c - hits with friction (House & Keyser 3.2.2), slopes and slides (3.3.2), friction by direction (Coutinho 3.5.1). */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include "validation/shapes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 10.0
#define SKIN 1e-9
#define GAP 1e-6 /* m: how far above a surface a ball is set down; within rest_distance */

/* ---- one hit: v = (vx, -vn, vz) on a floor, no gravity ---- */

typedef struct hit_setup {
    double e, mu[2];
    kin_friction_model model;
    double share; /* of the simple model */
} hit_setup;

static kin_vec3 after_hit(kin_case_run* run, const hit_setup* s, kin_vec3 v)
{
    kin_rig r = kin_rig_begin(run, "euler", 0.1);
    r.def.gravity = kin_v(0, 0, 0);
    r.restitution = s->e;
    memcpy(r.friction, s->mu, sizeof r.friction);
    r.particles.friction = s->model;
    r.particles.simple_friction = s->share;
    kin_rig_open(&r);
    kin_rig_plane(&r, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_rig_ball(&r, kin_v(0, 0.2, 0), v);
    kin_rig_step(&r);
    v = kin_rig_v(&r);
    kin_rig_close(&r);
    return v;
}

static void simple_friction(kin_case_run* run)
{
    static const double shares[] = {0, 0.25, 1};
    for (int i = 0; i < 3; ++i) {
        char quantity[64];
        hit_setup s = {.e = 0.5, .model = KIN_FRICTION_SIMPLE, .share = shares[i]};
        kin_vec3 v = after_hit(run, &s, kin_v(3, -4, 0));
        snprintf(quantity, sizeof quantity, "tangential speed after a hit, cf = %g", shares[i]);
        kin_case_row(run, "simple", quantity, v.x, 3 * (1 - shares[i]), 0, "House & Keyser 3.2.2: (1 - cf) vt");
        kin_case_row(run, "simple", "normal speed after a hit, e = 0.5", v.y, 2, 0, "House & Keyser 3.2.1");
    }
}

/* With e = 0 the normal impulse is m |vn|, and this is the book's formula; with e it is (1 + e) m |vn|. */
static void coulomb_friction(kin_case_run* run)
{
    static const double mus[] = {0, 0.25, 0.5, 0.75, 10};
    for (int i = 0; i < 5; ++i) {
        char quantity[64];
        hit_setup s = {.mu = {mus[i], mus[i]}};
        kin_vec3 v = after_hit(run, &s, kin_v(3, -4, 0));
        snprintf(quantity, sizeof quantity, "tangential speed after a hit, mu = %g, e = 0", mus[i]);
        double want = 3 - kin_min(mus[i] * 4, 3);
        kin_case_row(run, "coulomb", quantity, v.x, want, want == 0 ? 0 : 1e-15, "House & Keyser 3.2.2: vt - min(mu |vn|, |vt|)");
        s.e = 0.5;
        v = after_hit(run, &s, kin_v(0, -4, -3));
        want = 3 - kin_min(mus[i] * 6, 3);
        snprintf(quantity, sizeof quantity, "the same, e = 0.5");
        kin_case_row(run, "coulomb", quantity, -v.z, want, want == 0 ? 0 : 1e-15, "Coulomb's law: mu (1 + e) |vn|");
    }
    hit_setup s = {.e = 1, .mu = {0.5, 0.5}};
    kin_vec3 v = after_hit(run, &s, kin_v(0, -4, 0));
    kin_case_row(run, "coulomb", "head-on: tangential speed, no NaN", kin_length(kin_v(v.x, 0, v.z)), 0, 0, "House & Keyser 3.2.2: vt = 0");
    kin_case_row(run, "coulomb", "head-on: normal speed, e = 1", v.y, 4, 0, "House & Keyser 3.2.1");
}

/* Of a floor the first tangent axis is z, the second x (math/frame.h): along direction d the friction is (mu_x d_x, mu_z d_z). */
static void directional_friction(kin_case_run* run)
{
    const double mu_z = 0.5, mu_x = 0.1, vn = 2;
    hit_setup s = {.mu = {mu_z, mu_x}};
    kin_vec3 v = after_hit(run, &s, kin_v(5, -vn, 0));
    kin_case_row(run, "coulomb", "slip along x, mu 0.1", v.x, 5 - mu_x * vn, 1e-15, "Coutinho 3.5.1");
    v = after_hit(run, &s, kin_v(0, -vn, 5));
    kin_case_row(run, "coulomb", "slip along z, mu 0.5", v.z, 5 - mu_z * vn, 1e-15, "Coutinho 3.5.1");
    v = after_hit(run, &s, kin_v(3, -vn, 4)); /* direction (0.6, 0.8) */
    kin_case_row(run, "coulomb", "slip along (3, 4): x", v.x, 3 - mu_x * 0.6 * vn, 1e-15, "Coutinho 3.5.1");
    kin_case_row(run, "coulomb", "slip along (3, 4): z", v.z, 4 - mu_z * 0.8 * vn, 1e-15, "Coutinho 3.5.1");
}

/* Held across, free along: on a slope that falls along x a floor rough along z only lets go. */
static void directional_rest(kin_case_run* run)
{
    for (int rough_along_x = 0; rough_along_x < 2; ++rough_along_x) {
        kin_rig r = kin_rig_begin(run, "rk4", 0.01);
        r.def.gravity = kin_v(1, -10, 0); /* a slope of 1 in 10 along x */
        r.friction[rough_along_x] = 0.5;
        kin_rig_open(&r);
        kin_rig_plane(&r, kin_v(0, 0, 0), kin_v(0, 1, 0));
        kin_rig_ball(&r, kin_v(0, GAP, 0), kin_v(0, 0, 0));
        kin_rig_steps(&r, 100);
        kin_case_row(run, "coulomb", rough_along_x ? "pull along the rough axis: path (m)" : "pull along the smooth axis: path (m)", kin_rig_x(&r).x,
                     rough_along_x ? 0 : 0.5, rough_along_x ? 0 : 1e-12, "Coutinho 3.5.1");
        kin_rig_close(&r);
    }
}

void kin_case_friction(kin_case_run* run)
{
    simple_friction(run);
    coulomb_friction(run);
    directional_friction(run);
    directional_rest(run);
}

/* ---- slopes: plane, box and mesh tilted by a about z; downhill is (-cos a, -sin a, 0) ---- */

static double flat(double x, double z) { return (void)x, (void)z, 0; }
static const char* const solids[] = {"plane", "box", "mesh"};

static void add_slope(kin_rig* r, int solid, double angle)
{
    kin_quat turn = kin_quat_axis_angle(kin_v(0, 0, 1), angle);
    if (solid == 0) kin_rig_add(r, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, kin_v(0, 0, 0), turn);
    if (solid == 1) kin_rig_add(r, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {40, 2, 40}}, kin_rotate(turn, kin_v(0, -1, 0)), turn);
    kin_patch patch;
    if (solid != 2 || !kin_patch_grid(&patch, 16, 20, flat)) return;
    kin_rig_add(r, &patch.shape, kin_v(0, 0, 0), turn);
    kin_patch_free(&patch);
}

/* How far downhill a ball set on the slope at rest has come after t. One that rests does not move at all, sideways neither, once its first step has
 * set it down. */
static double downhill(kin_case_run* run, const char* method, int solid, double angle, double mu_s, double mu_d, double h, double t, bool* resting)
{
    const double radius = 0.1;
    kin_rig r = kin_rig_begin(run, method, h);
    r.friction[0] = r.friction[1] = mu_s;
    r.dynamic_friction[0] = r.dynamic_friction[1] = mu_d;
    r.group.radius = radius;
    kin_rig_open(&r);
    add_slope(&r, solid, angle);
    kin_vec3 up = {-kin_sin(angle), kin_cos(angle), 0}, down = {-kin_cos(angle), -kin_sin(angle), 0};
    kin_vec3 start = kin_add_scaled(kin_scale(up, radius + GAP), -0.3, down);
    kin_rig_ball(&r, start, kin_v(0, 0, 0));
    kin_rig_step(&r);
    kin_vec3 set_down = kin_rig_x(&r);
    kin_rig_steps(&r, (int)kin_round(t / h) - 1);
    *resting = kin_rig_resting(&r);
    double way = *resting ? kin_distance(kin_rig_x(&r), set_down) : kin_dot(kin_sub(kin_rig_x(&r), start), down);
    kin_rig_close(&r);
    return way;
}

/* First-order methods are off the parabola by a h t / 2 (P4); the others lie on it, but for the skin. */
static void slope(kin_case_run* run, const char* method, int solid, double part)
{
    const double mu_s = 0.5, mu_d = 0.4, h = 0.01, t = 1, angle = kin_atan(mu_s * part);
    char quantity[64];
    bool resting;
    double way = downhill(run, method, solid, angle, mu_s, mu_d, h, t, &resting);
    double a = part < 1 ? 0 : G * (kin_sin(angle) - mu_d * kin_cos(angle));
    bool crude = strcmp(method, "euler") == 0 || strcmp(method, "semi_implicit") == 0;
    snprintf(quantity, sizeof quantity, "%s: path, tan a = %g mu (m)", solids[solid], part);
    kin_case_row(run, method, quantity, way, 0.5 * a * t * t, part < 1 ? 0 : (crude ? 0.5 * a * h * t : 0) + 2 * SKIN,
                 "House & Keyser 3.3.2: rests iff tan a < mu");
    snprintf(quantity, sizeof quantity, "%s: rests, tan a = %g mu", solids[solid], part);
    kin_case_row(run, method, quantity, resting, part < 1, 0, "House & Keyser 3.3.2: rests iff tan a < mu");
}

void kin_case_incline(kin_case_run* run)
{
    static const double parts[] = {0.1, 0.5, 0.9, 0.99, 0.999, 1.001, 1.01, 1.1, 1.5, 3};
    for (int solid = 0; solid < 3; ++solid) {
        for (int i = 0; i < 10; ++i) {
            slope(run, "semi_implicit", solid, parts[i]);
            slope(run, "rk4", solid, parts[i]);
        }
    }
    const char* const* names = kin_particles_integrators();
    for (int m = 0; names[m] != NULL; ++m) {
        slope(run, names[m], 0, 0.98);
        slope(run, names[m], 0, 1.02);
    }
}

/* ---- a flat slide stops after v^2 / (2 mu g), in v / (mu g) ---- */

static void slide(kin_case_run* run, const char* method, int solid)
{
    const double v0 = 3.115, mu = 0.3, h = 0.01, a = mu * G; /* stops in the middle of a step, begun faster than rest_speed */
    kin_rig r = kin_rig_begin(run, method, h);
    r.friction[0] = r.friction[1] = mu;
    r.group.radius = 0.1;
    kin_rig_open(&r);
    add_slope(&r, solid, 0);
    kin_rig_ball(&r, kin_v(0.3, 0.1 + GAP, 0.2), kin_v(-v0, 0, 0));
    int steps = 0;
    while (steps < 1000 && kin_rig_ok(&r) && kin_length(kin_rig_v(&r)) > 0) {
        kin_rig_step(&r);
        ++steps;
    }
    char quantity[64];
    bool crude = strcmp(method, "euler") == 0 || strcmp(method, "semi_implicit") == 0;
    snprintf(quantity, sizeof quantity, "%s: stopping distance (m)", solids[solid]);
    double bound = (crude ? 0.5 * a * h * (v0 / a + h) : 0) + 2 * SKIN; /* P4: g k h^2 / 2 with the friction's a */
    kin_case_row(run, method, quantity, 0.3 - kin_rig_x(&r).x, v0 * v0 / (2 * a), bound, "Coulomb's law: v^2 / (2 mu g)");
    snprintf(quantity, sizeof quantity, "%s: stopping time (s)", solids[solid]);
    kin_case_row(run, method, quantity, steps * h, v0 / a, h, "Coulomb's law: v / (mu g)"); /* seen at the end of a step */
    kin_rig_close(&r);
}

void kin_case_slide(kin_case_run* run)
{
    const char* const* names = kin_particles_integrators();
    for (int m = 0; names[m] != NULL; ++m) slide(run, names[m], 0);
    slide(run, "rk4", 1);
    slide(run, "rk4", 2);
}
