/* membrane.c - a floor of triangles that lifts a column of water: a piston. Seen from the membrane, gravity is g + a: the pressure at depth d is rho (g + a) d.
 *
 * Steps are as short as ticks: over a step a surface goes straight, so what its speed gains between two steps the water gains in one tick. Of dfsph the divergence
 * solve bears a part of what walls accelerate; the pressure that is reported has it. When the push ends, water shakes for a while; it is as high then as at rest. */
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>

#define G 9.81
#define RHO 1000.0
#define SPACING 0.05
#define SETTLED 2.0     /* s */
#define PUSHED 0.25     /* s, with that acceleration: */
#define PUSH (0.5 * G)  /* m/s^2 */
#define COASTED 0.25    /* s, with the speed it has then */
#define LAG (1.0 / 240) /* s, of a step */
enum { WIDE = 8, HIGH = 16, GRID = 6, VERTICES = GRID * GRID, CELLS = (GRID - 1) * (GRID - 1) };

/* Where the membrane is, m. */
static double lift_at(double time)
{
    double pushed = kin_clamp(time - SETTLED, 0, PUSHED), coasted = kin_max(time - SETTLED - PUSHED, 0);
    return 0.5 * PUSH * pushed * pushed + PUSH * PUSHED * coasted;
}

/* Wider than the room between the walls. */
static void put_vertices(double y, kin_vec3* out)
{
    for (int i = 0; i < VERTICES; ++i)
        out[i] = kin_v(((i % GRID) / (GRID - 1.0) - 0.5) * (WIDE + 2) * SPACING, y, ((i / GRID) / (GRID - 1.0) - 0.5) * (WIDE + 2) * SPACING);
}

static kin_sph_surface_id add_membrane(kin_tank* t)
{
    kin_vec3 vertices[VERTICES];
    uint32_t corners[CELLS][2][3];
    kin_sph_surface_def def = kin_sph_surface_def_default();
    kin_sph_surface_id id = {0};
    put_vertices(0, vertices);
    for (uint32_t c = 0; c < CELLS; ++c) {
        uint32_t a = c % (GRID - 1) + GRID * (c / (GRID - 1));
        const uint32_t halves[2][3] = {{a, a + GRID, a + GRID + 1}, {a, a + GRID + 1, a + 1}};
        for (int k = 0; k < 6; ++k) corners[c][k / 3][k % 3] = halves[k / 3][k % 3];
    }
    def.mesh = (kin_mesh_view){.vertices = vertices, .vertex_count = VERTICES, .corners = &corners[0][0][0], .face_count = 2 * CELLS};
    if (kin_tank_ok(t)) t->result = kin_sph_add_surface(t->world, t->system, &def, &id, &t->error);
    return id;
}

/* Least squares of pressure over depth, and how the water moves. */
typedef struct seen {
    double n, x, y, xx, xy;
    double speed;         /* m/s, up: of all, at the end */
    double height, looks; /* m, of the centre over the membrane: sum over looks */
    double below;         /* particles that ever were */
} seen;

static double pressure_at(const seen* s, double x)
{
    double slope = (s->n * s->xy - s->x * s->y) / (s->n * s->xx - s->x * s->x);
    return s->y / s->n + slope * (x - s->x / s->n);
}

/* The surface is twice as far above the membrane as the centre of mass; particles nearer to either than the kernel reaches are not asked. */
static void look(const kin_tank* t, double floor, seen* s)
{
    kin_tank_sums sums = kin_tank_sums_of(t);
    const double reach = t->sph.support * t->sph.radius, surface = 2 * sums.center.y - floor;
    for (size_t i = 0; i < kin_tank_count(t); ++i) {
        kin_tank_particle p = kin_tank_at(t, i);
        double depth = surface - p.x.y;
        s->below += p.x.y < floor;
        if (p.x.y - floor < reach || depth < reach) continue;
        s->n += 1, s->x += depth, s->y += p.pressure, s->xx += depth * depth, s->xy += depth * p.pressure;
    }
    s->speed = sums.momentum.y / sums.mass;
    s->height += sums.center.y - floor, s->looks += 1;
}

/* From the present time to another, seen from a third on. */
static seen lift(kin_tank* t, kin_sph_surface_id membrane, double from, double end)
{
    kin_vec3 vertices[VERTICES];
    seen s = {0};
    while (kin_tank_ok(t) && kin_world_time(t->world) < end - 0.5 * LAG) {
        double then = kin_world_time(t->world) + LAG;
        put_vertices(lift_at(then), vertices);
        t->result = kin_sph_move_surface(t->world, t->system, membrane, vertices, VERTICES, &t->error);
        kin_tank_step(t);
        if (then > from) look(t, lift_at(then), &s);
    }
    if (!kin_tank_ok(t)) s = (seen){.n = NAN, .speed = NAN, .height = NAN, .below = NAN};
    return s;
}

static void tell_pressure(kin_tank* t, const seen* s, const char* what, double pull)
{
    char text[96];
    const double height = HIGH * SPACING;
    snprintf(text, sizeof text, "%s: pressure at it, of rho (g + a) h", what);
    kin_case_row(t->run, kin_tank_solver_name(t->sph.solver), text, pressure_at(s, height) / (RHO * pull * height), 1, 0.01,
                 "hydrostatics in its frame, as at rest");
}

static void lift_column(kin_case_run* run, kin_sph_solver solver)
{
    const double half = 0.5 * WIDE * SPACING, pushed = SETTLED + PUSHED;
    const char* method = kin_tank_solver_name(solver);
    kin_tank t = kin_tank_begin(run, solver, SPACING, LAG);
    t.sph.smoothing = kin_sph_def_default().smoothing;
    kin_tank_open(&t);
    kin_tank_room(&t, kin_v(-half, -INFINITY, -half), kin_v(half, INFINITY, half));
    kin_tank_fill(&t, kin_v(-half, 0, -half), kin_v(half, HIGH * SPACING, half));
    kin_tank_create(&t);
    kin_sph_surface_id membrane = add_membrane(&t);
    seen rest = lift(&t, membrane, SETTLED - 0.5, SETTLED), push = lift(&t, membrane, SETTLED + 0.02, pushed),
         coast = lift(&t, membrane, pushed, pushed + COASTED);
    tell_pressure(&t, &rest, "on a membrane at rest", G);
    tell_pressure(&t, &push, "accelerated by g/2", G + PUSH);
    kin_case_row(run, method, "speed of the water then, of the membrane's", push.speed * LAG / (lift_at(pushed) - lift_at(pushed - LAG)), 1, 0.01,
                 "it is lifted");
    kin_case_row(run, method, "lifted at 1.2 m/s: height over it, of that at rest", coast.height / coast.looks / (rest.height / rest.looks), 1, 0.01,
                 "volume is kept");
    kin_case_row(run, method, "particles below it, ever", rest.below + push.below + coast.below, 0, 0, "none passes");
    kin_tank_close(&t);
}

void kin_case_sph_membrane(kin_case_run* run)
{
    lift_column(run, KIN_SPH_IISPH);
    lift_column(run, KIN_SPH_DFSPH);
}
