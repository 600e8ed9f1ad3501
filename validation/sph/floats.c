/* floats.c - bodies in water: cubes that float as deep as they are heavy, bars that capsize, a sphere that sinks at its terminal speed, and momentum that both keep.
 *
 * Honey: a sphere of radius a that sinks slowly along a square duct of half width l. Its drag is 6 pi mu a K v. K of a round tube is known (Haberman & Sayre 1958);
 * the square one acts, to first order in a / l, as a tube of radius 1.1057 l (2.10444 of Faxen's tube over 1.903266 of Happel & Bart's 1974 duct). A wall
 * that is farther off gives less drag (least dissipation), so K lies between that of the tube around the duct and that of the tube in it. */
#include "math/quat.h"
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include "world/world.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81
#define RHO 1000.0
#define FLOAT_EPS 0x1p-23

/* A row of water along y, from low to high spacings above the floor. */
static void fill_row(kin_tank* t, double x, double z, int low, int high)
{
    const double s = kin_tank_spacing(t);
    if (high > low) kin_tank_fill(t, kin_v(x - 0.5 * s, low * s, z - 0.5 * s), kin_v(x + 0.5 * s, high * s, z + 0.5 * s));
}

/* Water of a box of n spacings about the y axis, from the floor up, without what is nearer to a ball than half a spacing. */
static void fill_round(kin_tank* t, const int n[3], kin_vec3 center, double radius)
{
    const double s = kin_tank_spacing(t), clear = radius + 0.45 * s;
    for (int k = 0; k < n[0] * n[2]; ++k) {
        double x = (k % n[0] + 0.5 - 0.5 * n[0]) * s, z = (k / n[0] + 0.5 - 0.5 * n[2]) * s,
               gap2 = clear * clear - kin_square(x - center.x) - kin_square(z - center.z);
        double gap = gap2 > 0 ? kin_sqrt(gap2) : 0;
        int below = gap > 0 ? (int)kin_floor((center.y - gap) / s + 0.5) : n[1], above = gap > 0 ? (int)kin_ceil((center.y + gap) / s - 0.5) : n[1];
        fill_row(t, x, z, 0, below);
        fill_row(t, x, z, above, n[1]);
    }
}

/* ---- cubes ---- */

/* How deep a cube of the density ratio floats, of its edge. It is set on the water and left alone; viscosity stills the waves. Uniform cubes between 0.21 and 0.79
 * float on an edge: this one's moments of inertia are a thousand times too large, so it stands.
 *
 * The level is that of the volume of all: what presses the cube up is the mass of water that stands higher beside it than beneath it. What is seen of the surface
 * lies a quarter of a spacing lower, for the uppermost particles have nobody above them and move closer; nobody does so beneath the cube. Particles find their
 * places under it in some seconds, the longer the less they are pressed. */
static double depth_of(kin_case_run* run, double ratio, int across, kin_sph_boundary boundary)
{
    const double edge = 0.24, s = edge / across;
    const int wide = 2 * across, high = 3 * across / 2;
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, s, 1.0 / 60);
    kin_body_def cube = kin_body_def_default();
    t.sph.boundary = boundary;
    t.phases[0].viscosity = 0.005 * RHO;
    kin_tank_open(&t);
    kin_tank_room(&t, kin_v(-0.5 * wide * s, 0, -0.5 * wide * s), kin_v(0.5 * wide * s, INFINITY, 0.5 * wide * s));
    kin_tank_fill(&t, kin_v(-0.5 * wide * s, 0, -0.5 * wide * s), kin_v(0.5 * wide * s, high * s, 0.5 * wide * s));
    kin_tank_create(&t);
    cube.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {edge, edge, edge}};
    cube.position = kin_v(0, high * s + 0.5 * edge, 0);
    cube.mass = ratio * RHO * edge * edge * edge;
    double moment = 1000 * cube.mass * edge * edge / 6;
    cube.moments = kin_v(moment, moment, moment);
    uint32_t body = kin_tank_body(&t, &cube);
    kin_tank_until(&t, 4);
    double bottom = 0;
    enum { MEAN = 30 };
    for (int i = 0; i < MEAN; ++i) {
        kin_tank_step(&t);
        bottom += (kin_tank_body_state(&t, body).center.y - 0.5 * edge) / MEAN;
    }
    double area = kin_square(wide * s), level = (area * high * s - bottom * edge * edge) / (area - edge * edge);
    kin_tank_close(&t);
    return (level - bottom) / edge;
}

/* Within 2 % of the edge. Faces are felt within some hundredths of a spacing of where they are, and particles that found their places lie by some thousandths closer
 * than a lattice: both come to 1.5 % of a cube of 8 spacings or of 12. */
void kin_case_sph_float(kin_case_run* run)
{
    static const double ratios[] = {0.05, 0.1, 0.3, 0.6, 0.9};
    for (int i = 0; i < 5; ++i) {
        char text[64];
        snprintf(text, sizeof text, "cube of %g of the water's density: depth, of its edge", ratios[i]);
        kin_case_row(run, "dfsph", text, depth_of(run, ratios[i], run->full ? 12 : 8, KIN_SPH_MAPS), ratios[i], 0.02, "Archimedes");
    }
    kin_case_row(run, "dfsph, samples", "the same, of 0.3", depth_of(run, 0.3, run->full ? 12 : 8, KIN_SPH_SAMPLES), 0.3, 0.02, "Archimedes");
}

/* ---- bars ---- */

/* A bar of width w, height h and density ratio r floats upright where its metacentric height is positive: GM = BM - BG = w^2 / (12 r h) - h (1 - r) / 2. At half the
 * water's density one that is twice as wide as high lies (5/12 h); stood on end (-5/24 of its height then) it capsizes, and lies. A square (-1/12 h, on any side)
 * floats on an edge, turned by 45 degrees, where BM = 2 GM. In the plane; each is tipped by ten degrees, at the depth at which it floats. Viscosity stills the waves.
 *
 * Tilt at rest: how deep a bar floats is known within 2 % of its height (sph/float). A wedge of that over half the width of the water line turns it by its angle
 * x BM / GM: the wedge's part of what turns it back is BM. A deck that came out of the water may keep some, for no film of particles is thinner than one: a
 * spacing deep on one half of it weighs rho g s w / 2 at a lever of w / 4, against rho g r w h GM. */
typedef struct bar {
    double width, height; /* m, as it begins */
    const char* text;
} bar;
#define RATIO 0.5
#define TIPPED 10.0 /* degrees */
#define LONG 0.4    /* m: the longer side of a bar */
#define DEGREE 0.017453292519943295

static double metacentric(double w, double h) { return w * w / (12 * RATIO * h) - 0.5 * h * (1 - RATIO); }

/* Degrees. */
static double tilt_by_law(const bar* b)
{
    if (metacentric(b->width, b->height) > 0) return 0;
    return metacentric(b->height, b->width) > 0 ? 90 : 45;
}

static double tilt_unknown(const bar* b, double spacing)
{
    double w = kin_max(b->width, b->height), h = kin_min(b->width, b->height);
    if (w == h) return 0.02 * h / (w / kin_sqrt(2)) * 2 / DEGREE;
    double gm = metacentric(w, h), depth = 0.02 * h / (0.5 * w) * w * w / (12 * RATIO * h) / gm, film = spacing * w / (8 * RATIO * h * gm);
    return (depth + (b->width < b->height ? film : 0)) / DEGREE;
}

/* Degrees, at the end; the mean of a second. */
static double tilt_of(kin_case_run* run, const bar* what, int across)
{
    const double s = LONG / across, width = 3 * LONG, depth = 1.25 * LONG;
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, s, 1.0 / 60);
    kin_body_def def = kin_body_def_default();
    t.sph.flat = true;
    t.phases[0].viscosity = 0.005 * RHO;
    kin_tank_open(&t);
    kin_tank_room(&t, kin_v(-0.5 * width, 0, 0), kin_v(0.5 * width, INFINITY, 0));
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {what->width, what->height, 1}};
    def.position = kin_v(0, depth + (0.5 - RATIO) * what->height, 0);
    def.orientation = kin_quat_axis_angle(kin_v(0, 0, 1), TIPPED * DEGREE);
    def.mass = RATIO * RHO * what->width * what->height;
    def.drag_area = 0;
    uint32_t body = kin_tank_body(&t, &def);
    kin_tank_fill(&t, kin_v(-0.5 * width, 0, 0), kin_v(0.5 * width, depth, 0));
    kin_tank_create(&t);
    kin_tank_until(&t, 6);
    enum { LAST = 60 };
    double sum = 0;
    for (int i = 0; i < LAST; ++i) {
        kin_tank_step(&t);
        kin_quat q = kin_tank_body_state(&t, body).pose.orientation;
        sum += kin_abs(2 * kin_atan2(q.z, q.w) / DEGREE) / LAST;
    }
    if (!kin_tank_ok(&t)) sum = NAN;
    kin_tank_close(&t);
    return sum;
}

void kin_case_sph_capsize(kin_case_run* run)
{
    static const bar bars[] = {{LONG, 0.5 * LONG, "bar of 2 to 1, lying"}, {0.5 * LONG, LONG, "the same, stood on end"}, {LONG, LONG, "square bar"}};
    const int across = run->full ? 32 : 16;
    for (int i = 0; i < 3; ++i) {
        char text[96];
        snprintf(text, sizeof text, "%s, tipped by 10 degrees: tilt at rest", bars[i].text);
        kin_case_row(run, "dfsph", text, tilt_of(run, &bars[i], across), tilt_by_law(&bars[i]), tilt_unknown(&bars[i], LONG / across), "metacentric height");
    }
}

/* ---- a sphere ---- */

/* Haberman & Sayre: drag on the axis of a tube, of that in the open; lambda = a / tube's radius < 0.8. */
static double tube_factor(double lambda)
{
    double l3 = lambda * lambda * lambda, l5 = l3 * lambda * lambda;
    return (1 - 0.75857 * l5) / (1 - 2.1050 * lambda + 2.0865 * l3 - 1.7068 * l5 + 0.72603 * l3 * l3);
}

typedef struct sinking {
    double radius, density, viscosity; /* m, kg/m^3, Pa s */
    int across, wide, high;            /* spacings: of the radius; of the duct */
    double time, h;                    /* s */
    double smoothing;                  /* of the tank */
} sinking;
enum { MEAN = 10 }; /* steps that a speed is taken over */

/* Its speed at the end, m/s. */
static double speed_of(kin_case_run* run, const sinking* what)
{
    const double s = what->radius / what->across;
    const int n[3] = {what->wide, what->high, what->wide};
    const kin_vec3 start = {0, what->high * s - 3 * what->radius, 0};
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, s, what->h);
    kin_body_def ball = kin_body_def_default();
    t.phases[0].viscosity = what->viscosity;
    t.sph.wall_friction = 1;
    t.sph.smoothing = what->smoothing;
    kin_tank_open(&t);
    kin_tank_room(&t, kin_v(-0.5 * n[0] * s, 0, -0.5 * n[2] * s), kin_v(0.5 * n[0] * s, INFINITY, 0.5 * n[2] * s));
    fill_round(&t, n, start, what->radius);
    kin_tank_create(&t);
    ball.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = what->radius};
    ball.position = start;
    ball.density = what->density;
    ball.drag_area = 0; /* no air */
    uint32_t body = kin_tank_body(&t, &ball);
    kin_tank_until(&t, what->time);
    double before = kin_tank_body_state(&t, body).center.y;
    for (int i = 0; i < MEAN; ++i) kin_tank_step(&t);
    double speed = (before - kin_tank_body_state(&t, body).center.y) / (MEAN * what->h);
    kin_tank_close(&t);
    return speed;
}

/* The same by Newton's law in water without walls: half the displaced mass goes with it; drag of Schiller & Naumann 1933, from a Reynolds number of 1000 on 0.44. */
static double speed_by_drag(const sinking* what)
{
    enum { PARTS = 1000 };
    double end = what->time + MEAN * what->h, dt = end / PARTS, fallen = 0, before = 0, v = 0;
    for (int i = 0; i < PARTS; ++i) {
        double re = kin_max(1e-6, 2 * what->radius * v * RHO / what->viscosity), cd = re < 1000 ? 24 / re * (1 + 0.15 * kin_pow(re, 0.687)) : 0.44;
        v += dt * ((what->density - RHO) * G - 0.375 * RHO * v * v * cd / what->radius) / (what->density + 0.5 * RHO);
        fallen += dt * v;
        if ((i + 1) * dt < what->time) before = fallen;
    }
    return (fallen - before) / (MEAN * what->h);
}

/* The drag of a coarse sphere is too great: the disorder of particles that are pressed is a viscosity (docs/sph.md). Sane is within a factor of 1.5. */
static void sink_in_water(kin_case_run* run)
{
    const int across = run->full ? 4 : 3;
    const sinking what = {0.05, 7850, 1e-3, across, 6 * across, 12 * across, 0.22, 1.0 / 240, kin_sph_def_default().smoothing};
    double ratio = speed_of(run, &what) / speed_by_drag(&what);
    kin_case_row(run, "dfsph", "sphere of steel in water: speed after 4 radii, of that by drag", ratio, 1, 1.0 / 3, "Schiller & Naumann 1933");
}

/* Five spacings in radius, heavy enough that the layers of the lattice are no yield stress to speak of (docs/sph.md), and at a Reynolds number below 0.1. Measured when the gaps
 * it was put in with have closed, on the way of 0.8 spacings, and 2 radii off the floor at least: its wall effect is that of the duct by then. A step is a hundredth of that way. */
static void sink_in_honey(kin_case_run* run, double viscosity, double radius)
{
    sinking what = {radius, 6000, viscosity, 5, 18, 34, 0, 0, 0};
    const double a = what.radius, half = 0.5 * what.wide * a / what.across, free = 2.0 / 9 * (what.density - RHO) * G * a * a / what.viscosity;
    const double reference = tube_factor(a / (1.1057 * half));
    what.time = 0.8 * a / what.across * reference / free, what.h = what.time / 100;
    const double factor = free / speed_of(run, &what);
    char text[96];
    snprintf(text, sizeof text, "sphere of %g mm in honey of %g Pa s: drag, of Stokes", 1000 * radius, viscosity);
    kin_case_row(run, "dfsph", text, factor, reference, 0.1 * reference, "Haberman & Sayre 1958, square duct");
    kin_case_row(run, "dfsph", "drag between that of the tubes round and in the duct",
                 factor > tube_factor(a / (kin_sqrt(2) * half)) && factor < tube_factor(a / half), 1, 0, "least dissipation");
}

void kin_case_sph_sink(kin_case_run* run)
{
    static const double honeys[][2] = {{100, 0.05}, {0.1, 0.5e-3}, {1, 2.3e-3}, {10, 11e-3}, {1000, 0.05}}; /* Pa s, m */
    for (int i = 0; i < (run->full ? 5 : 1); ++i) sink_in_honey(run, honeys[i][0], honeys[i][1]);
    sink_in_water(run);
}

/* ---- momentum ---- */

typedef struct totals {
    kin_vec3 momentum, angular;
} totals;

/* A measure of the bodies, by its axes. */
static kin_vec3 measured_vector(const kin_tank* t, const char* name)
{
    kin_measure list[40];
    int count = kin_world_measure(t->world, t->bodies.index1, list, 40);
    kin_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count && i < 40; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            char full[40];
            snprintf(full, sizeof full, "%s_%c", name, 'x' + axis);
            if (strcmp(list[i].name, full) == 0) sum = kin_add_scaled(sum, list[i].value, kin_axis(axis));
        }
    }
    return sum;
}

/* Of water, of bodies, and of what is on its way to them in the ledger. */
static totals totals_of(const kin_tank* t)
{
    kin_tank_sums water = kin_tank_sums_of(t);
    totals sum = {water.momentum, water.angular};
    if (!kin_tank_ok(t)) return sum;
    sum.momentum = kin_add(sum.momentum, measured_vector(t, "momentum"));
    sum.angular = kin_add(sum.angular, measured_vector(t, "angular_momentum"));
    const kin_ledger* ledger = &t->world->ledger;
    for (size_t i = 0; i < ledger->count; ++i) {
        const kin_entry* e = &ledger->entries[i];
        if (e->a.system != t->bodies.index1) continue;
        kin_vec3 impulse = kin_sub(e->total.impulse, e->pushed_a.impulse), angular = kin_sub(e->total.angular, e->pushed_a.angular);
        sum.momentum = kin_add(sum.momentum, impulse);
        sum.angular = kin_add(sum.angular, kin_add(angular, kin_cross(e->point, impulse)));
    }
    return sum;
}

/* A block of water flies at a free cube, off its middle. Momentum: floats round what every particle has, some 8 times a step, each for
 * itself: what all of n have is off by a walk of so many steps over the root of n; four times that. Angular momentum: a particle and
 * the cube push each other along one line; but the particle then moves on to the tick's end, first order. */
static void fly_at_cube(kin_case_run* run, kin_sph_solver solver, double mass)
{
    enum { STEPS = 60 };
    char method[32];
    kin_tank t = kin_tank_begin(run, solver, 0.1, 1.0 / 60);
    kin_body_def def = kin_body_def_default();
    t.def.gravity = kin_v(0, 0, 0);
    t.phases[0].viscosity = 1;
    kin_tank_open(&t);
    kin_tank_fill(&t, kin_v(-1, -0.4, -0.4), kin_v(-0.2, 0.4, 0.4));
    for (size_t i = 0; i < t.block_count; ++i) t.blocks[i].velocity = kin_v(3, 0, 0);
    kin_tank_create(&t);
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.6, 0.6, 0.6}};
    def.position = kin_v(0.3, 0.2, 0.05);
    def.mass = mass;
    def.drag_area = 0;
    uint32_t cube = kin_tank_body(&t, &def);
    totals start = totals_of(&t);
    double scale = kin_length(start.momentum), lost = 0, turned = 0;
    for (int i = 0; i < STEPS && kin_tank_ok(&t); ++i) {
        kin_tank_step(&t);
        totals now = totals_of(&t);
        lost = kin_max(lost, kin_distance(now.momentum, start.momentum));
        turned = kin_max(turned, kin_distance(now.angular, start.angular));
    }
    if (!kin_tank_ok(&t)) lost = turned = NAN;
    snprintf(method, sizeof method, "%s, cube of %g kg", kin_tank_solver_name(solver), mass);
    kin_case_row(run, method, "water and a cube: momentum lost, of all", lost / scale, 0,
                 4 * 0.5 * FLOAT_EPS * kin_sqrt(8.0 * STEPS / (double)kin_tank_count(&t)), "kept, over the ledger");
    kin_case_row(run, method, "angular momentum lost, of p m", turned / scale, 0, 1e-3, "kept to the order of the tick");
    kin_case_row(run, method, "the cube was hit", kin_tank_body_state(&t, cube).velocity.x > 0.1, 1, 0, "they did meet");
    kin_tank_close(&t);
}

/* The water: 512 kg. */
void kin_case_sph_exchange(kin_case_run* run)
{
    for (int i = 0; i < 5; ++i) fly_at_cube(run, kin_tank_solvers[i], 300);
    fly_at_cube(run, KIN_SPH_DFSPH, 30);
    fly_at_cube(run, KIN_SPH_DFSPH, 3000);
}
