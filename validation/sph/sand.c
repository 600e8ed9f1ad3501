/* sand.c - sand holds slopes up to its friction: a layer on a tilted floor, a heap that is poured, a column that falls. In the plane, by all solvers.
 *
 * Tilt: of a slope of any depth the shear stress over the pressure is the tangent of its angle, so it stands below the angle of friction and runs above. Poured heaps:
 * a line through the flank between 15 and 85 % of the height, within 3 degrees, which is a grain more or less over the ten that the flank is high. Fallen columns:
 * Lube et al. 2005 found the way of the toe, over the half width, to be 1.2 a for aspect ratios a below 1.8, whatever the material; within 15 %, for
 * toes are a grain deep; of taller ones 1.9 a^(2/3). In space the way over the radius is 1.24 a for a below 1.7, of taller ones 1.6 a^(1/2) (Lube et al. 2004). */
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>

#define FRICTION 0.6
#define LAYER 10 /* grains deep, on the tilted floor */
enum { BINS = 512 };

static double degrees(double slope) { return kin_atan2(slope, 1) * 180 / KIN_PI; }

static kin_tank begin_sand(kin_case_run* run, kin_sph_solver solver, double spacing)
{
    kin_tank t = kin_tank_begin(run, solver, spacing, 1.0 / 60);
    t.sph.flat = true;
    t.sph.smoothing = kin_sph_def_default().smoothing;
    t.phases[0].matter = KIN_SPH_SAND;
    t.phases[0].friction = FRICTION;
    t.phases[0].density = 1600;
    return t;
}

/* ---- a tilted floor ---- */

/* Spacings that a layer slides from half of `until` on. */
static double slid(kin_case_run* run, kin_sph_solver solver, double angle, double until)
{
    const double spacing = 0.02, half = LAYER * spacing;
    kin_tank t = begin_sand(run, solver, spacing);
    kin_sincos tilt = kin_sin_cos(angle * KIN_PI / 180);
    t.def.gravity = kin_v(9.81 * tilt.sine, -9.81 * tilt.cosine, 0);
    t.sph.periodic = kin_v(2 * half, 0, 0);
    kin_tank_open(&t);
    kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_tank_fill(&t, kin_v(-half, 0, 0), kin_v(half, LAYER * spacing, 0));
    kin_tank_create(&t);
    kin_tank_until(&t, 0.5 * until);
    double way = 0;
    while (kin_tank_ok(&t) && kin_world_time(t.world) < until) {
        kin_tank_step(&t);
        kin_tank_sums now = kin_tank_sums_of(&t);
        way += now.momentum.x / now.mass * t.def.time_step;
    }
    if (!kin_tank_ok(&t)) way = NAN;
    kin_tank_close(&t);
    return way / spacing;
}

static void rows_of_tilt(kin_case_run* run, kin_sph_solver solver)
{
    const double until = run->full ? 4 : 2, angle = degrees(FRICTION);
    const char* method = kin_tank_solver_name(solver);
    kin_case_row(run, method, "3 degrees below its friction: spacings slid", slid(run, solver, angle - 3, until), 0, 0.25, "Coulomb");
    kin_case_row(run, method, "3 degrees above: it runs", slid(run, solver, angle + 3, until) > 1, 1, 0, "Coulomb");
}

/* ---- heaps ---- */

/* The surface of what lies round x = 0: the highest grain by distance, in bins of two spacings, and the end of the last bin without a gap before it. */
typedef struct heap {
    double top[BINS], bin, edge;
    int count;
} heap;

static heap heap_of(const kin_tank* t, bool round)
{
    heap h = {.bin = 2 * kin_tank_spacing(t)};
    double far[BINS] = {0};
    for (size_t i = 0; i < kin_tank_count(t); ++i) {
        kin_tank_particle p = kin_tank_at(t, i);
        double r = kin_sqrt(p.x.x * p.x.x + (round ? p.x.z * p.x.z : 0));
        int bin = (int)(r / h.bin);
        if (bin >= BINS) continue;
        h.top[bin] = kin_max(h.top[bin], p.x.y + 0.25 * h.bin);
        far[bin] = kin_max(far[bin], r + 0.25 * h.bin);
    }
    while (h.count < BINS && h.top[h.count] > 0) h.edge = far[h.count++];
    return h;
}

static double flank_angle(const heap* h)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < h->count; ++i) {
        double at = (i + 0.5) * h->bin, top = h->top[i];
        if (top < 0.15 * h->top[0] || top > 0.85 * h->top[0]) continue;
        n += 1, x += at, y += top, xx += at * at, xy += at * top;
    }
    return degrees((x * y - n * xy) / (n * xx - x * x));
}

/* From an opening at more than twice the height that the heap comes to. */
static void row_of_pour(kin_case_run* run, kin_sph_solver solver, int fine)
{
    const double spacing = 1.0 / fine, end = fine / 10.0;
    char method[32];
    kin_tank t = begin_sand(run, solver, spacing);
    kin_sph_inflow inflow = {.position = {0, 1.2, 0}, .direction = {0, -1, 0}, .size = {6 * spacing, spacing}, .speed = 1, .end = end, .temperature = 293.15};
    t.sph.inflows.data = &inflow;
    t.sph.inflows.count = 1;
    kin_tank_open(&t);
    kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_tank_create(&t);
    kin_tank_until(&t, end + 2);
    heap h = {0};
    if (kin_tank_ok(&t)) h = heap_of(&t, false);
    snprintf(method, sizeof method, "%s, %d grains", kin_tank_solver_name(solver), (int)kin_tank_count(&t));
    kin_case_row(run, method, "heap that was poured: angle of its flanks, degrees", flank_angle(&h), degrees(FRICTION), 3, "angle of friction");
    kin_tank_close(&t);
}

/* Of the toe, over the half width or the radius. */
static double way_by_law(double aspect, bool round)
{
    if (round) return aspect < 1.7 ? 1.24 * aspect : 1.6 * kin_sqrt(aspect);
    return aspect < 1.8 ? 1.2 * aspect : 1.9 * kin_pow(aspect, 2.0 / 3);
}

static void row_of_fall(kin_case_run* run, kin_sph_solver solver, double aspect, int fine, bool round)
{
    char method[32], text[96];
    kin_tank t = begin_sand(run, solver, 1.0 / fine);
    t.sph.flat = !round;
    kin_tank_open(&t);
    kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(0, 1, 0));
    if (round) {
        kin_sph_block* block = kin_tank_block(&t);
        if (block != NULL) {
            block->shape = (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 1, .length = aspect};
            block->position = kin_v(0, 0.5 * aspect, 0);
        }
    } else {
        kin_tank_fill(&t, kin_v(-1, 0, 0), kin_v(1, aspect, 0));
    }
    kin_tank_create(&t);
    kin_tank_until(&t, 2.5 * kin_max(1, kin_sqrt(aspect / 1.5)));
    heap h = {0};
    if (kin_tank_ok(&t)) h = heap_of(&t, round);
    snprintf(method, sizeof method, "%s, %d across", kin_tank_solver_name(solver), 2 * fine);
    snprintf(text, sizeof text, "%s of aspect %g: way of its toe, of that measured", round ? "cylinder" : "column", aspect);
    kin_case_row(run, method, text, (h.edge - 1) / way_by_law(aspect, round), 1, 0.15, round ? "Lube et al. 2004" : "Lube et al. 2005");
    kin_tank_close(&t);
}

void kin_case_sph_sand(kin_case_run* run)
{
    for (int i = 0; i < 5; ++i) {
        kin_sph_solver solver = kin_tank_solvers[i];
        rows_of_tilt(run, solver);
        if (run->full || solver == KIN_SPH_DFSPH) row_of_pour(run, solver, run->full ? 30 : 20);
        row_of_fall(run, solver, 1, 16, false);
        if (run->full) row_of_fall(run, solver, 0.7, 24, false), row_of_fall(run, solver, 1.5, 20, false);
        if (run->full || solver == KIN_SPH_DFSPH) row_of_fall(run, solver, 3, 12, false);
        if (run->full) row_of_fall(run, solver, 6, 12, false);
    }
    if (run->full) row_of_fall(run, KIN_SPH_DFSPH, 1, 16, true), row_of_fall(run, KIN_SPH_DFSPH, 3, 12, true);
}
