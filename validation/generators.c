/* generators.c - where points are born and which way they go: every shape and spread of an emitter against its distribution.
 *
 * Kolmogorov and Smirnov: the largest distance between the share of n samples below x and the distribution there exceeds 1.95 / sqrt n once in a thousand
 * times, for the right distribution. The seed is fixed, so what passes once always passes. Means hold to four of their deviations. */
#include "math/quat.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct sample {
    kin_case_run* run;
    const char* method;
    kin_rig rig;
    size_t count;
    double* values;
} sample;

/* One flash of an emitter; a still air, one step. */
static sample flash(kin_case_run* run, const char* method, const kin_emitter_def* def, double h)
{
    sample s = {.run = run, .method = method, .rig = kin_rig_begin(run, "euler", h)};
    kin_emitter_def emitter = *def;
    emitter.burst = run->full ? 40000 : 4000;
    s.rig.def.gravity = kin_v(0, 0, 0);
    s.rig.particles.emitters.data = &emitter;
    s.rig.particles.emitters.count = 1;
    kin_rig_open(&s.rig);
    kin_rig_create(&s.rig);
    kin_rig_step(&s.rig);
    s.count = kin_rig_count(&s.rig);
    s.values = malloc((s.count + 1) * sizeof *s.values);
    return s;
}

static void finish(sample* s)
{
    free(s->values);
    kin_rig_close(&s->rig);
}

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* The samples are values of the distribution function itself: uniform from 0 to 1. */
static double distance_of(double* shares, size_t n)
{
    double worst = n > 0 && shares != NULL ? 0 : NAN;
    if (n == 0 || shares == NULL) return worst;
    qsort(shares, n, sizeof *shares, by_size);
    for (size_t i = 0; i < n; ++i) worst = kin_max(worst, kin_max((double)(i + 1) / (double)n - shares[i], shares[i] - (double)i / (double)n));
    return worst;
}

typedef double share_fn(kin_vec3 x, kin_vec3 v);

static void distribution(sample* s, const char* quantity, share_fn* share, const char* source)
{
    for (size_t i = 0; i < s->count && s->values != NULL; ++i) s->values[i] = share(kin_rig_x_at(&s->rig, i), kin_rig_v_at(&s->rig, i));
    kin_case_row(s->run, s->method, quantity, distance_of(s->values, s->count), 0, 1.95 / kin_sqrt((double)s->count), source);
}

static void mean(sample* s, const char* quantity, share_fn* value, double want, double deviation, const char* source)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; ++i) sum += value(kin_rig_x_at(&s->rig, i), kin_rig_v_at(&s->rig, i));
    kin_case_row(s->run, s->method, quantity, sum / (double)s->count, want, 4 * deviation / kin_sqrt((double)s->count), source);
}

static void largest(sample* s, const char* quantity, share_fn* value, double tolerance, const char* source)
{
    double worst = s->count > 0 ? 0 : NAN;
    for (size_t i = 0; i < s->count; ++i) worst = kin_max(worst, kin_abs(value(kin_rig_x_at(&s->rig, i), kin_rig_v_at(&s->rig, i))));
    kin_case_row(s->run, s->method, quantity, worst, 0, tolerance, source);
}

/* ---- distribution functions ---- */

#define RADIUS 2.0
#define APERTURE 0.8
static const double speed[2] = {3, 0.6};

/* Of a normal distribution within x deviations, |x| <= 3: the series of erf(x / sqrt 2). */
static double within(double x)
{
    double z = x / kin_sqrt(2), term = z, sum = z;
    for (int n = 1; n < 80; ++n) {
        term *= -z * z / n;
        sum += term / (2 * n + 1);
    }
    return 2 / kin_sqrt(KIN_PI) * sum;
}

static double turn_of(double x, double z) { return kin_atan2(z, x) / (2 * KIN_PI) + 0.5; }
static kin_vec3 to(kin_vec3 v) { return kin_normalize_or(v, kin_v(0, 0, 0)); }

static double up(kin_vec3 x, kin_vec3 v) { return (void)x, 0.5 + 0.5 * to(v).y; }
static double turn(kin_vec3 x, kin_vec3 v) { return (void)x, turn_of(v.x, v.z); }
static double component(kin_vec3 x, kin_vec3 v) { return (void)x, to(v).x; }
static double component2(kin_vec3 x, kin_vec3 v) { return (void)x, kin_square(to(v).x); }
static double cap(kin_vec3 x, kin_vec3 v) { return (void)x, (1 - to(v).y) / (1 - kin_cos(APERTURE)); }
static double bell(kin_vec3 x, kin_vec3 v)
{
    double angle = kin_atan2(kin_sqrt(v.x * v.x + v.z * v.z), v.y);
    return (void)x, angle >= APERTURE * (1 - 1e-9) ? 1 : within(3 * angle / APERTURE);
}
static double pace(kin_vec3 x, kin_vec3 v)
{
    double off = (kin_length(v) - speed[0]) / (speed[1] / 3);
    return (void)x, kin_abs(off) > 3 - 1e-9 ? off > 0 : 0.5 + 0.5 * within(off);
}
static double disk_share(kin_vec3 x, kin_vec3 v) { return (void)v, (x.x * x.x + x.z * x.z) / (RADIUS * RADIUS); }
static double disk_turn(kin_vec3 x, kin_vec3 v) { return (void)v, turn_of(x.x, x.z); }
static double disk_bell(kin_vec3 x, kin_vec3 v)
{
    double r = kin_length(x);
    return (void)v, r >= RADIUS * (1 - 1e-9) ? 1 : within(3 * r / RADIUS);
}
static double height(kin_vec3 x, kin_vec3 v) { return (void)v, x.y; }
static double distance2(kin_vec3 x, kin_vec3 v) { return (void)v, kin_length2(x); }
static double distance(kin_vec3 x, kin_vec3 v) { return (void)v, kin_length(x); }
static double quad_x(kin_vec3 x, kin_vec3 v) { return (void)v, 0.5 + x.x / 3; }
static double quad_z(kin_vec3 x, kin_vec3 v) { return (void)v, 0.5 + x.z / 5; }
static double off_sphere(kin_vec3 x, kin_vec3 v) { return (void)v, kin_length(x) - RADIUS; }
static double sphere_y(kin_vec3 x, kin_vec3 v) { return (void)v, 0.5 + 0.5 * x.y / RADIUS; }
static double off_normal(kin_vec3 x, kin_vec3 v) { return kin_distance(to(x), to(v)); }
static double ball_share(kin_vec3 x, kin_vec3 v) { return (void)v, kin_length2(x) * kin_length(x) / (RADIUS * RADIUS * RADIUS); }
static double ball_y(kin_vec3 x, kin_vec3 v) { return (void)v, 0.5 + 0.5 * to(x).y; }
static double box_x(kin_vec3 x, kin_vec3 v) { return (void)v, 0.5 + x.x / 1; }
static double box_y(kin_vec3 x, kin_vec3 v) { return (void)v, 0.5 + x.y / 2; }
static double box_z(kin_vec3 x, kin_vec3 v) { return (void)v, 0.5 + x.z / 3; }
/* Triangle (0, 0, 0), (2, 0, 0), (0, 3, 0): the area up to a line parallel to the side opposite to the first corner goes as its distance squared. */
static double triangle_share(kin_vec3 x, kin_vec3 v) { return (void)v, kin_square(x.x / 2 + x.y / 3); }
static double triangle_angle(kin_vec3 x, kin_vec3 v) { return (void)v, x.x / 2 / (x.x / 2 + x.y / 3); }
static double triangle_x(kin_vec3 x, kin_vec3 v) { return (void)v, x.x; }
static double triangle_y(kin_vec3 x, kin_vec3 v) { return (void)v, x.y; }
static double in_plane_z(kin_vec3 x, kin_vec3 v) { return (void)v, x.z; }
static double off_up(kin_vec3 x, kin_vec3 v) { return (void)x, 1 - to(v).y; }
/* Curve (0, 0, 0), (1, 0, 0), (1, 2, 0). */
static double curve_share(kin_vec3 x, kin_vec3 v) { return (void)v, (x.x + x.y) / 3; }
/* Squares of 1 by 1 m at z = 0 and of 3 by 1 m at z = 5, one after the other along x. */
static double mesh_share(kin_vec3 x, kin_vec3 v) { return (void)v, x.z > 2 ? 0.25 + 0.25 * x.x : 0.25 * x.x; }
static double mesh_y(kin_vec3 x, kin_vec3 v) { return (void)v, x.y; }
static double along_step(kin_vec3 x, kin_vec3 v) { return (void)v, x.y / (2 * 0.1); }

/* ---- directions of a point source ---- */

static void directions(kin_case_run* run)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.speed[0] = speed[0];
    def.speed[1] = speed[1];
    def.aim = KIN_AIM_ALL;
    sample s = flash(run, "all directions", &def, 0.01);
    distribution(&s, "KS: height on the sphere", up, "House & Keyser 4.2, H4.2b");
    distribution(&s, "KS: turn", turn, "House & Keyser 4.2, H4.2b");
    mean(&s, "mean of a component", component, 0, kin_sqrt(1.0 / 3), "House & Keyser 4.2, H4.2b");
    mean(&s, "variance of a component", component2, 1.0 / 3, kin_sqrt(1.0 / 5 - 1.0 / 9), "House & Keyser 4.2, H4.2b: 1/3");
    distribution(&s, "KS: speed, normal with a third of the deviation", pace, "House & Keyser 4.3, H4.3b: G(mu, delta / 3)");
    finish(&s);
    def.aim = KIN_AIM_DIRECTION;
    def.aperture = APERTURE;
    s = flash(run, "cone", &def, 0.01);
    distribution(&s, "KS: uniform over the cap", cap, "House & Keyser 4.2, H4.2c with erratum");
    distribution(&s, "KS: turn", turn, "House & Keyser 4.2, H4.2c");
    finish(&s);
    def.spread = KIN_SPREAD_NORMAL;
    s = flash(run, "cone, normal", &def, 0.01);
    distribution(&s, "KS: angle, normal with a third of the aperture", bell, "House & Keyser 4.2, H4.2c, E2");
    finish(&s);
}

/* ---- shapes ---- */

static kin_emitter_def shaped(kin_emitter_shape kind)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape.kind = kind;
    def.shape.radius = RADIUS;
    def.speed[0] = 1;
    def.aim = KIN_AIM_NORMAL;
    return def;
}

static void disks(kin_case_run* run)
{
    const char* source = "House & Keyser 4.2, H4.2d";
    kin_emitter_def def = shaped(KIN_EMIT_DISK);
    sample s = flash(run, "disk", &def, 0.01);
    distribution(&s, "KS: r^2", disk_share, source);
    distribution(&s, "KS: turn", disk_turn, source);
    largest(&s, "height over the disk (m)", height, 0, source);
    largest(&s, "1 - cos to the normal", off_up, 1e-15, source);
    mean(&s, "E[r^2] (m^2)", distance2, RADIUS * RADIUS / 2, RADIUS * RADIUS * kin_sqrt(1.0 / 12), "House & Keyser 4.2: R^2 / 2");
    finish(&s);
    def.spread = KIN_SPREAD_NORMAL;
    s = flash(run, "disk, normal", &def, 0.01);
    distribution(&s, "KS: r, normal with R / 3", disk_bell, source);
    finish(&s);
    def = shaped(KIN_EMIT_QUAD);
    def.shape.sides[0] = 3;
    def.shape.sides[1] = 5;
    s = flash(run, "quad", &def, 0.01);
    distribution(&s, "KS: x", quad_x, "House & Keyser 4.3, H4.3b");
    distribution(&s, "KS: z", quad_z, "House & Keyser 4.3, H4.3b");
    largest(&s, "height over the quad (m)", height, 0, "House & Keyser 4.3, H4.3b");
    finish(&s);
}

static void triangles(kin_case_run* run)
{
    static const kin_vec3 corners[3] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}};
    static const kin_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 5}, {3, 0, 5}, {3, 1, 5}, {0, 1, 5}};
    static const uint32_t sizes[] = {4, 4}, quads[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const char* source = "House & Keyser 4.3, H4.3b";
    kin_emitter_def def = shaped(KIN_EMIT_TRIANGLE);
    def.shape.points.data = corners;
    def.shape.points.count = 3;
    sample s = flash(run, "triangle", &def, 0.01);
    distribution(&s, "KS: area towards a side", triangle_share, source);
    distribution(&s, "KS: across", triangle_angle, source);
    mean(&s, "mean x: the centroid (m)", triangle_x, 2.0 / 3, 2 * kin_sqrt(1.0 / 18), source);
    mean(&s, "mean y: the centroid (m)", triangle_y, 1, 3 * kin_sqrt(1.0 / 18), source);
    largest(&s, "off its plane (m)", in_plane_z, 0, source);
    finish(&s);
    def = shaped(KIN_EMIT_MESH);
    def.shape.mesh = (kin_mesh_view){vertices, 8, sizes, quads, 2};
    s = flash(run, "mesh", &def, 0.01);
    distribution(&s, "KS: by area, along x", mesh_share, source);
    distribution(&s, "KS: y", mesh_y, source);
    finish(&s);
}

static void volumes(kin_case_run* run)
{
    const char* source = "House & Keyser 4.3, H4.3b";
    kin_emitter_def def = shaped(KIN_EMIT_SPHERE);
    sample s = flash(run, "sphere", &def, 0.01);
    distribution(&s, "KS: height", sphere_y, source);
    distribution(&s, "KS: turn", disk_turn, source);
    largest(&s, "off the surface (m)", off_sphere, 1e-15, source);
    largest(&s, "velocity off the normal", off_normal, 1e-15, source);
    finish(&s);
    def = shaped(KIN_EMIT_BALL);
    s = flash(run, "ball", &def, 0.01);
    distribution(&s, "KS: r^3", ball_share, "House & Keyser 4.3, H4.3b: cbrt(f) R");
    distribution(&s, "KS: height on the sphere", ball_y, source);
    mean(&s, "E[r] (m)", distance, 0.75 * RADIUS, RADIUS * kin_sqrt(3.0 / 80), "House & Keyser 4.3, H4.3b: 3/4 R");
    finish(&s);
    def = shaped(KIN_EMIT_BOX);
    def.shape.size = kin_v(1, 2, 3);
    s = flash(run, "box", &def, 0.01);
    distribution(&s, "KS: x", box_x, source);
    distribution(&s, "KS: y", box_y, source);
    distribution(&s, "KS: z", box_z, source);
    finish(&s);
}

static void lines(kin_case_run* run)
{
    static const kin_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}};
    kin_emitter_def def = shaped(KIN_EMIT_CURVE);
    def.aim = KIN_AIM_ALL;
    def.shape.points.data = points;
    def.shape.points.count = 3;
    sample s = flash(run, "curve", &def, 0.01);
    distribution(&s, "KS: by length", curve_share, "House & Keyser 4.3");
    finish(&s);
    def = kin_emitter_def_default();
    def.speed[0] = 2;
    def.jitter = true;
    s = flash(run, "stream", &def, 0.1);
    distribution(&s, "KS: spread over the step by jitter", along_step, "House & Keyser 4.3, H4.3c: x0 + U h v0");
    finish(&s);
}

void kin_case_generators(kin_case_run* run)
{
    directions(run);
    disks(run);
    triangles(run);
    volumes(run);
    lines(run);
}
