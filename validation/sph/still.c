/* still.c - water at rest stays at rest: the hydrostatic column by all five solvers, in the plane and in space. Table of all cases of particle fluids.
 *
 * Water as it comes: the default kernel, its own thin viscosity and tension, nothing set but the solver. A lattice is not how particles lie at rest: they find
 * that out in the first seconds, and sink by half a per cent. Rest is judged over ten seconds from then on.
 *
 * Pressure is compared by a line through all particles that are farther from the surface and from the floor than the kernel reaches: its slope, and its value at
 * the floor. Stress balances weight in the mean over a level, so particles at the sides count as others do (pressure.c). */
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>

#define G 9.81
#define RHO 1000.0
#define SETTLED 5.0 /* s */
#define END 15.0    /* s */

static const double SPACING = 0.05;
enum { WIDE = 16, WIDE_IN_SPACE = 8, HIGH = 20 };

/* ---- a line through pressures ---- */

/* Least squares of pressure over depth. */
typedef struct line {
    double n, x, y, xx, xy;
} line;

/* The surface is twice as high as the centre of mass. */
static void add_pressures(const kin_tank* t, double surface, line* fit)
{
    const double reach = t->sph.support * t->sph.radius;
    for (size_t i = 0; i < kin_tank_count(t); ++i) {
        kin_tank_particle p = kin_tank_at(t, i);
        double depth = surface - p.x.y;
        if (p.x.y < reach || depth < reach) continue;
        fit->n += 1, fit->x += depth, fit->y += p.pressure, fit->xx += depth * depth, fit->xy += depth * p.pressure;
    }
}

static double slope_of(const line* f) { return (f->n * f->xy - f->x * f->y) / (f->n * f->xx - f->x * f->x); }
static double value_at(const line* f, double x) { return f->y / f->n + slope_of(f) * (x - f->x / f->n); }

/* ---- column ---- */

static kin_tank begin_column(kin_case_run* run, kin_sph_solver solver, bool flat)
{
    kin_tank t = kin_tank_begin(run, solver, SPACING, 1.0 / 60);
    t.sph.flat = flat;
    t.sph.smoothing = kin_sph_def_default().smoothing;
    t.phases[0] = kin_sph_phase_def_default();
    t.phases[0].density = RHO;
    t.phases[0].viscosity = 1e-3;
    return t;
}

static double width_of(const kin_tank* t) { return (t->sph.flat ? WIDE : WIDE_IN_SPACE) * SPACING; }

/* Between planes, or in a pit of three boxes. */
static void open_column(kin_tank* t, bool boxes)
{
    const double width = width_of(t);
    const kin_quat upright = {0, 0, 0, 1};
    const kin_shape box = {.kind = KIN_SHAPE_BOX, .size = {2, 2, 2}};
    kin_tank_open(t);
    if (boxes) {
        kin_tank_collider(t, &box, kin_v(0.5 * width, -1, 0), upright);
        kin_tank_collider(t, &box, kin_v(-1, 0.9, 0), upright);
        kin_tank_collider(t, &box, kin_v(width + 1, 0.9, 0), upright);
    } else {
        kin_tank_room(t, kin_v(0, 0, 0), kin_v(width, INFINITY, width));
    }
    kin_tank_fill(t, kin_v(0, 0, 0), kin_v(width, HIGH * SPACING, t->sph.flat ? 0 : width));
    kin_tank_create(t);
}

/* What a column did once it had settled. */
typedef struct column {
    line pressure;       /* of the last second */
    double density;      /* largest over the rest density */
    double early, late;  /* J, mean kinetic energy of the first and the second half: single particles go on finding a better place */
    double drift, count; /* m, of the centre; particles */
} column;

static column watch_column(kin_tank* t)
{
    column c = {0};
    kin_tank_until(t, SETTLED);
    kin_vec3 start = kin_tank_sums_of(t).center;
    while (kin_tank_ok(t) && kin_world_time(t->world) < END - 0.5 * t->def.time_step) {
        kin_tank_step(t);
        kin_tank_sums now = kin_tank_sums_of(t);
        double time = kin_world_time(t->world), *mean = 2 * time < SETTLED + END ? &c.early : &c.late;
        *mean += now.kinetic * t->def.time_step / (0.5 * (END - SETTLED));
        c.density = kin_max(c.density, now.density - 1);
        c.drift = kin_max(c.drift, kin_distance(now.center, start));
        c.count = (double)now.count;
        if (time > END - 1) add_pressures(t, 2 * now.center.y, &c.pressure);
    }
    if (!kin_tank_ok(t)) c = (column){.density = NAN, .early = NAN, .late = NAN, .drift = NAN, .count = NAN};
    return c;
}

/* Kinetic energy below that of a hundredth of a spacing a second is what is left of rounding: it may go up and down. */
static void run_column(kin_tank* t, bool boxes, const char* method)
{
    open_column(t, boxes);
    const double height = HIGH * SPACING, count = (double)kin_tank_count(t), mass = RHO * count * kin_tank_volume(t), weight = mass * G * height;
    const double still = 0.5 * mass * kin_square(1e-2 * SPACING);
    column c = watch_column(t);
    kin_case_row(t->run, method, "slope of the pressure, of rho g", slope_of(&c.pressure) / (RHO * G), 1, 0.01, "hydrostatics");
    kin_case_row(t->run, method, "pressure at the floor, of rho g h", value_at(&c.pressure, height) / (RHO * G * height), 1, 0.01, "hydrostatics");
    kin_case_row(t->run, method, "density: largest over rest density, - 1", c.density, 0, 0.01, "as good as incompressible");
    kin_case_row(t->run, method, "centre moved from 5 to 15 s, of the height", c.drift / height, 0, 1e-3, "at rest: a tenth of what density may be off");
    kin_case_row(t->run, method, "kinetic energy grown after 10 s, of m g h", (c.late <= kin_max(c.early, still) ? 0 : c.late - c.early) / weight, 0, 0,
                 "never grows at rest");
    kin_case_row(t->run, method, "kinetic energy after 10 s, mean, of m g h", c.late / weight, 0, 1e-6, "at rest");
    kin_case_row(t->run, method, "particles", c.count, count, 0, "none lost");
    kin_tank_close(t);
}

static void case_column(kin_case_run* run)
{
    for (int i = 0; i < 5; ++i) {
        kin_tank t = begin_column(run, kin_tank_solvers[i], true);
        run_column(&t, false, kin_tank_solver_name(kin_tank_solvers[i]));
    }
}

/* In space; of all solvers where there is time. */
static void case_column_in_space(kin_case_run* run)
{
    for (int i = 0; i < 5; ++i) {
        if (!run->full && kin_tank_solvers[i] != KIN_SPH_DFSPH) continue;
        kin_tank t = begin_column(run, kin_tank_solvers[i], false);
        run_column(&t, false, kin_tank_solver_name(kin_tank_solvers[i]));
    }
}

/* C3.8: mirrored particles instead of the closed form, with the equation of state that the text has for them. Shapes that are no planes: a pit of boxes. */
static void case_column_walls(kin_case_run* run)
{
    static const struct {
        kin_sph_solver solver;
        kin_sph_boundary boundary;
        const char* name;
    } walls[] = {{KIN_SPH_WCSPH, KIN_SPH_GHOSTS, "wcsph, ghosts"},
                 {KIN_SPH_DFSPH, KIN_SPH_MAPS, "dfsph, maps of boxes"},
                 {KIN_SPH_DFSPH, KIN_SPH_SAMPLES, "dfsph, samples of boxes"}};
    for (int i = 0; i < 3; ++i) {
        kin_tank t = begin_column(run, walls[i].solver, true);
        t.sph.boundary = walls[i].boundary;
        run_column(&t, walls[i].boundary != KIN_SPH_GHOSTS, walls[i].name);
    }
}

/* Water round a box a spacing off the floor, into which a single row fits: it must not be stirred. The kinetic energy of the seventh second, mean, of m g h. */
static double stirred_by_box(kin_case_run* run, kin_sph_solver solver, kin_sph_boundary boundary)
{
    const double side = 4 * SPACING;
    kin_tank t = begin_column(run, solver, true);
    t.sph.boundary = boundary;
    kin_tank_open(&t);
    kin_tank_room(&t, kin_v(0, 0, 0), kin_v(WIDE * SPACING, INFINITY, 0));
    kin_tank_collider(&t, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {side, side, 1}}, kin_v(0.5 * WIDE * SPACING, SPACING + 0.5 * side, 0),
                      (kin_quat){0, 0, 0, 1});
    kin_tank_fill(&t, kin_v(0, 0, 0), kin_v(WIDE * SPACING, HIGH * SPACING, 0));
    kin_tank_create(&t);
    kin_tank_until(&t, 6);
    double sum = 0;
    for (int i = 0; i < 60; ++i) {
        kin_tank_step(&t);
        sum += kin_tank_sums_of(&t).kinetic / 60;
    }
    double weight = RHO * G * (double)kin_tank_count(&t) * kin_tank_volume(&t) * HIGH * SPACING;
    kin_tank_close(&t);
    return sum / weight;
}

static void case_obstacle(kin_case_run* run)
{
    static const kin_sph_solver solvers[] = {KIN_SPH_WCSPH, KIN_SPH_DFSPH};
    for (int i = 0; i < 4; ++i) {
        char method[32];
        bool samples = i % 2 == 1;
        snprintf(method, sizeof method, "%s, %s", kin_tank_solver_name(solvers[i / 2]), samples ? "samples" : "maps");
        kin_case_row(run, method, "box in water: kinetic energy after 6 s, of m g h",
                     stirred_by_box(run, solvers[i / 2], samples ? KIN_SPH_SAMPLES : KIN_SPH_MAPS), 0, 1e-6, "at rest");
    }
}

const kin_case kin_cases_sph[] = {
    {"sph/kernels", "Integrals and moments of the kernels, their gradients and Laplacians.", kin_case_sph_kernels},
    {"sph/lattice", "Density of a cubic lattice.", kin_case_sph_lattice},
    {"sph/gradients", "Which forms of the pressure gradient keep momentum.", kin_case_sph_gradients},
    {"sph/numbers", "The equation of state, and how long a tick may be.", kin_case_sph_numbers},
    {"sph/fluids", "The table of fluids.", kin_case_sph_fluids},
    {"sph/column", "A column of water at rest for 10 s, by all solvers.", case_column},
    {"sph/column-space", "The same in space.", case_column_in_space},
    {"sph/column-walls", "The same between ghosts, and between boxes.", case_column_walls},
    {"sph/obstacle", "Water round a box close to the floor comes to rest.", case_obstacle},
    {"sph/poiseuille", "Flow between plates that a force drives.", kin_case_sph_poiseuille},
    {"sph/couette", "Flow between plates of which one moves.", kin_case_sph_couette},
    {"sph/taylor-green", "Decay of Taylor-Green vortices.", kin_case_sph_taylor_green},
    {"sph/viscosity", "No form of viscosity adds energy.", kin_case_sph_viscosity},
    {"sph/dam", "Front of a dam break against Martin & Moyce, three resolutions.", kin_case_sph_dam},
    {"sph/dam-solvers", "The same dam by all solvers.", kin_case_sph_dam_solvers},
    {"sph/swing", "A drop in a central field swings.", kin_case_sph_swing},
    {"sph/ring", "Swings of drops that their surfaces hold.", kin_case_sph_ring},
    {"sph/round", "A square of fluid becomes a disc, a cube a ball; the pressure in them.", kin_case_sph_round},
    {"sph/curvature", "Normals and curvature of the colour field of a ball.", kin_case_sph_curvature},
    {"sph/float", "Floating cubes sink as deep as they are heavy.", kin_case_sph_float},
    {"sph/capsize", "Bars of half the water's density lie, and do not stand.", kin_case_sph_capsize},
    {"sph/membrane", "A floor of triangles lifts a column of water.", kin_case_sph_membrane},
    {"sph/sink", "A sphere sinks in honey, and in water.", kin_case_sph_sink},
    {"sph/exchange", "Water and bodies keep their momentum.", kin_case_sph_exchange},
    {"sph/waves", "Water sloshes in its first mode; why it does so too fast with small kernels.", kin_case_sph_waves},
    {"sph/sand", "Sand on a slope, poured, and fallen columns of it.", kin_case_sph_sand},
    {"sph/heat", "Heat flows as its equation says.", kin_case_sph_heat},
    {NULL, NULL, NULL},
};
