/* tick.c - a tank through an interval of the world: in ticks that are short enough for the method, each the list of stages of fluid.h.
 *
 * A particle goes at most `cfl` of its spacing in a tick, gravity's pull in that tick counted. What is left of the interval is cut into equal ticks of at most
 * that length, so the last one is no sliver; the cut is made anew after every tick. Solvers for real time have a bounded number of ticks (next_tick), in which
 * nobody goes farther than a spacing, whatever pulls: a crowd that grows is seen before it is past mending. */
#include "base/clock.h"
#include "base/jobs.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/face.h"
#include "domains/sph/passes.h"
#include "domains/sph/physics/physics.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include <string.h>

#define MOST_TICKS 20000     /* in an interval */
#define PARTINGS 4           /* times that particles at one place are moved apart before a tick goes on */
#define FASTEST_SQUARE 1e24f /* m^2/s^2: more than this is taken for a blow-up: squares of it are still finite */

void kin_sph_count_time(kin_sph* f, kin_sph_stage stage)
{
    double now = kin_clock_seconds();
    f->seconds[stage] += now - f->since;
    f->since = now;
}

/* ---- motion ---- */

typedef struct addition {
    float h;
    const float* u4;
} addition;

static void add_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const addition* a = argument;
    float* restrict v4 = f->v4, h = a->h;
    const float* restrict u4 = a->u4;
    for (size_t i = 32 * begin; i < 32 * end; ++i) v4[i] += h * u4[i];
}

void kin_sph_add_velocity(kin_sph* f, kin_jobs* jobs, float h, const float* u4) { kin_sph_for(f, jobs, add_chunk, &(addition){h, u4}); }

static void viscosity_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    float* nu = argument;
    for (size_t i = 8 * begin; i < 8 * end; ++i) nu[i] = f->lambda[i] > 0 ? kin_sph_viscosity_at(f, i) : 0; /* none is asked for away from walls */
}

bool kin_sph_kick(kin_sph* f, kin_sph_tick* tick)
{
    kin_jobs* jobs = tick->step->jobs;
    kin_sph_count_time(f, KIN_SPH_STAGE_PRESSURE);
    kin_sph_books_before_kick(f, jobs);
    kin_sph_add_velocity(f, jobs, tick->h, f->a4);
    if (!kin_sph_calm(f, tick)) return false;
    kin_sph_count_time(f, KIN_SPH_STAGE_FORCES);
    if (f->def.wall_friction > 0) {
        kin_sph_for(f, jobs, viscosity_chunk, f->work[0]);
        kin_sph_walls_rub(f, tick, f->work[0]);
    }
    kin_sph_books_after_kick(f, jobs);
    kin_sph_count_time(f, KIN_SPH_STAGE_WALLS);
    return true;
}

static void drift_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const addition* a = argument;
    memcpy(f->a4 + 32 * begin, f->x4 + 32 * begin, (end - begin) * 32 * sizeof(float));
    float* restrict x4 = f->x4, h = a->h;
    const float* restrict v4 = f->v4;
    for (size_t i = 32 * begin; i < 32 * end; ++i) x4[i] += h * v4[i];
}

/* x += h u4. */
static void displace_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const addition* a = argument;
    float* restrict x4 = f->x4, h = a->h;
    const float* restrict u4 = a->u4;
    for (size_t i = 32 * begin; i < 32 * end; ++i) x4[i] += h * u4[i];
}

/* partial 0: the largest square of a speed; 1: whether something is not finite; 2: the sum of squares; 3 and 4: sums of pressure over density, and of its square */
static void judge_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_judge_fn* const judges[] = {kin_sph_judge_none, kin_sph_judge_sse2, kin_sph_judge_avx2};
    (void)argument;
    kin_sph_judged j = judges[f->simd](f, FASTEST_SQUARE, begin, end);
    double* out = f->partial + KIN_SPH_PARTIALS * chunk;
    out[0] = j.fastest, out[1] = !j.sane, out[2] = j.squares, out[3] = j.pressure, out[4] = j.pressure_squares;
}

static bool all_finite(kin_sph* f, kin_step* step)
{
    kin_sph_for(f, step->jobs, judge_chunk, NULL);
    f->seen.speed = kin_sqrt(kin_sph_largest(f, 0)), f->seen.rms = kin_sqrt(kin_sph_total(f, 2) / kin_max(1, (double)f->count));
    double pressure = kin_sph_total(f, 3);
    f->seen.pressed = pressure > 0 ? kin_sqrt(kin_sph_total(f, 4) / pressure) : 0;
    if (!(kin_sph_largest(f, 1) > 0)) return true;
    for (size_t i = 0; i < f->count; ++i) {
        const float *v = f->v4 + 4 * i, *x = f->x4 + 4 * i;
        bool ok = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < FASTEST_SQUARE && (x[0] - x[0]) + (x[1] - x[1]) + (x[2] - x[2]) == 0;
        if (ok) continue;
        kin_step_refuse(step, f->serial[i], 0, "place or velocity of a particle is not finite");
        return false;
    }
    return false;
}

/* u4: at most this many m/s. */
typedef struct braking {
    float* u4;
    float most;
} braking;

static void brake_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const braking* b = argument;
    double lost = 0;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        float *u = b->u4 + 4 * i, square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        if (!(square > b->most * b->most)) continue;
        if (i < f->count) lost += 0.5 * (double)f->phases[f->phase[i]].mass * (double)(square - b->most * b->most);
        for (int a = 0; a < 3; ++a) u[a] *= b->most / (float)kin_sqrt((double)square);
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = lost;
}

static void brake(kin_sph* f, kin_sph_tick* tick, float* u4)
{
    if (!(tick->fastest > 0) || u4 == NULL) return;
    kin_sph_for(f, tick->step->jobs, brake_chunk, &(braking){u4, tick->fastest});
    if (u4 == f->v4) f->dissipated += kin_sph_total(f, 0); /* else they are ways beside the velocities */
}

bool kin_sph_drift(kin_sph* f, kin_sph_tick* tick)
{
    kin_sph_books_end(f, tick);
    bool shifts = kin_sph_find_shift(f, tick);
    kin_sph_count_time(f, KIN_SPH_STAGE_PRESSURE);
    float* aside4 = kin_sph_fields_after(f, tick);
    brake(f, tick, f->v4);
    brake(f, tick, aside4);
    kin_sph_count_time(f, KIN_SPH_STAGE_FORCES);
    kin_sph_for(f, tick->step->jobs, drift_chunk, &(addition){tick->h, NULL});
    if (aside4 != NULL) kin_sph_for(f, tick->step->jobs, displace_chunk, &(addition){tick->h, aside4});
    if (shifts) kin_sph_for(f, tick->step->jobs, displace_chunk, &(addition){1, f->p4});
    if (!all_finite(f, tick->step)) return false;
    kin_sph_count_time(f, KIN_SPH_STAGE_MOTION);
    kin_sph_walls_hold(f, tick, f->a4);
    kin_sph_count_time(f, KIN_SPH_STAGE_WALLS);
    return all_finite(f, tick->step);
}

/* ---- stages ---- */

bool kin_sph_look_around(kin_sph* f, kin_sph_tick* tick)
{
    kin_step* step = tick->step;
    f->pressed = 0, f->pressure_known = false;
    for (int attempt = 0;; ++attempt) {
        size_t crowded;
        if (!kin_sph_sort(f, step->jobs)) return kin_step_refuse(step, 0, 0, "no memory to sort particles"), false;
        if (!kin_sph_link(f, step->jobs, &crowded)) {
            if (crowded == SIZE_MAX) return kin_step_refuse(step, 0, 0, "no memory for neighbours"), false;
            return kin_step_refuse(step, f->serial[crowded], KIN_SPH_MOST_NEIGHBOURS, "a particle has too many neighbours"), false;
        }
        kin_sph_count_time(f, KIN_SPH_STAGE_NEIGHBOURS);
        if (!kin_sph_walls_feel(f, tick)) return kin_step_refuse(step, 0, 0, "no memory for walls"), false;
        kin_sph_count_time(f, KIN_SPH_STAGE_WALLS);
        bool apart = kin_sph_measure_density(f, step->jobs);
        kin_sph_count_time(f, KIN_SPH_STAGE_DENSITY);
        if (apart || attempt == PARTINGS) return true;
        kin_sph_part(f, step->jobs);
    }
}

/* How long it takes to go as far as a tick may, from a speed on that a pull adds to: cfl x spacing = h (v + h g). */
static double longest_motion(const kin_sph* f, double v, double g)
{
    double way = f->def.cfl * f->spacing, root = kin_sqrt(v * v + 4 * g * way);
    return v + root > 0 ? 2 * way / (v + root) : 1e300;
}

/* partial 0 and 1: how far down and up the fluid reaches along a direction. */
static void reach_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const kin_vec3 up = *(const kin_vec3*)argument;
    double* out = f->partial + KIN_SPH_PARTIALS * chunk;
    out[0] = out[1] = -1e300;
    for (size_t i = 8 * begin; i < 8 * end && i < f->count; ++i) {
        double along = up.x * (double)f->x4[4 * i] + up.y * (double)f->x4[4 * i + 1] + up.z * (double)f->x4[4 * i + 2];
        out[0] = kin_max(out[0], -along), out[1] = kin_max(out[1], along);
    }
}

double kin_sph_head(kin_sph* f, const kin_step* step)
{
    double g = kin_length(step->fields->gravity);
    if (g == 0 || f->count == 0) return 0;
    kin_vec3 up = kin_scale(step->fields->gravity, -1 / g);
    kin_sph_for(f, step->jobs, reach_chunk, &up);
    return g * (kin_sph_largest(f, 0) + kin_sph_largest(f, 1) + f->spacing);
}

/* Neighbours are frozen while pressures are found; in a longer tick pressure turns them past each other, and what holds a column throws it. Pressures of
 * p / rho = c^2, weighed by themselves (two thirds of a column's highest): columns bear h = 0.42 spacing / sqrt(p / rho) at their foot, as tried; from 0.46 on
 * some shake for ever.
 *
 * A tick's own pressures are not known before it. Those of the last one are no guide where there was none, or where gaps had opened: they are back as soon as
 * these are closed. So at the start the fluid counts as a column of its height, and what it bore counts as long as it takes to fall through its kernels'
 * reach; what was more than such a column bears was a blow, and goes with it. */
#define PRESSED_SHARE 0.35
static double longest_pressed(kin_sph* f, const kin_step* step)
{
    double c = f->seen.pressed;
    if (f->borne > c) c = kin_max(c, kin_min(f->borne, kin_sqrt(2.0 / 3 * kin_sph_head(f, step))));
    return c > 0 ? PRESSED_SHARE * f->spacing / c : 1e300;
}

/* After a tick. */
static void remember_pressure(kin_sph* f, const kin_sph_tick* tick)
{
    double g = kin_length(tick->step->fields->gravity);
    f->borne_for += (double)tick->h;
    if (f->borne > f->seen.pressed && g * f->borne_for * f->borne_for < 2 * (double)f->support) return;
    f->borne = f->seen.pressed;
    f->borne_for = 0;
}

/* What mends a compression is velocity, and stays. So it is mended as fast as the fluid moves: half in the time in which it goes as far as a tick may, however short
 * ticks are. In what falls the fastest is a splash, and the mean counts. Where nothing falls the fastest is what tension draws in and presses, and counts; it may
 * not move at all, and then has a step of the world. */
static double mending_time(const kin_sph* f, const kin_step* step)
{
    double g = kin_length(step->fields->gravity);
    return g > 0 ? longest_motion(f, f->seen.rms, g) : kin_min(step->h, longest_motion(f, f->seen.speed, 0));
}

/* Whatever the pressure. */
static double longest_unpressed(kin_sph* f, kin_step* step)
{
    double h = kin_min(longest_motion(f, f->seen.speed + kin_sph_carried(f), kin_length(step->fields->gravity)), kin_sph_forces_longest(f));
    h = kin_sph_split_longest(f, h, longest_motion(f, f->seen.speed, 0));
    return f->solver->longest != NULL ? kin_min(h, f->solver->longest(f, step)) : h;
}

static double as_asked(const kin_sph* f, double h)
{
    if (f->def.max_tick > 0) h = kin_min(h, f->def.max_tick);
    return f->def.min_tick > 0 ? kin_max(h, f->def.min_tick) : h;
}

static bool move(kin_sph* f, kin_sph_tick* tick)
{
    if (!kin_sph_look_around(f, tick) || !kin_sph_forces(f, tick)) return false;
    kin_sph_books_begin(f, tick->step->jobs);
    kin_sph_count_time(f, KIN_SPH_STAGE_FORCES);
    if (!f->solver->advance(f, tick)) return false;
    if (tick->end >= 1) f->pressed = f->blocks;
    kin_sph_heat(f, tick);
    if (tick->end >= 1) f->seen.elastic = kin_sph_elastic_energy(f);
    kin_sph_count_time(f, KIN_SPH_STAGE_MOTION);
    return true;
}

static bool run_tick(kin_sph* f, kin_sph_tick* tick)
{
    if (f->count > 0 && !move(f, tick)) return false; /* an empty tank has no arrays */
    if (!kin_sph_sources_tick(f, tick)) return kin_step_refuse(tick->step, 0, 0, "no memory for what inflows bring"), false;
    f->seen.ticks += 1;
    return true;
}

/* What is left of the interval in equal parts of at most `longest`, where the solver's ticks are bounded in as many as it has left. Then a part takes more of the
 * world's time than a tick may be long: ticks stay short and the fluid falls behind the clock, for a longer one would burst. Walls move by the clock. passed: s
 * of the interval, before the tick and then after it. */
static kin_sph_tick next_tick(kin_sph* f, kin_step* step, double* passed, uint64_t number, double longest)
{
    const double done = *passed;
    double left = step->h - done, most = f->solver->most_ticks > 0 ? (double)(f->solver->most_ticks - number) : 1e300;
    double wanted = kin_max(1, kin_ceil(left / longest * (1 - 1e-9))), parts = kin_min(wanted, most), end = parts > 1 ? done + left / parts : step->h;
    kin_sph_tick tick = {.step = step, .begin = done / step->h, .end = end / step->h, .time = step->time + done, .number = number};
    *passed = end;
    tick.late = wanted > most;
    tick.h = (float)(tick.late ? longest : end - done);
    tick.mending = (float)mending_time(f, step);
    tick.fastest = f->solver->most_ticks > 0 ? f->spacing / tick.h : 0; /* what fields and blows will do is not known before */
    return tick;
}

static kin_status run_interval(kin_sph* f, kin_step* step)
{
    int64_t late = 0;
    double done = 0;
    for (uint64_t number = 0; done < step->h; ++number) {
        double unpressed = longest_unpressed(f, step);
        double longest = as_asked(f, f->solver->longest == NULL ? kin_min(unpressed, longest_pressed(f, step)) : unpressed);
        if (f->solver->most_ticks == 0 && !(longest * MOST_TICKS > step->h - done))
            return kin_step_refuse(step, 0, longest, "the tank needs too many ticks for this step; longest tick, s");
        kin_sph_tick tick = next_tick(f, step, &done, number, longest);
        if (!run_tick(f, &tick)) return KIN_STATUS_REFUSED;
        remember_pressure(f, &tick);
        late += tick.late;
    }
    if (late > 0) kin_step_note_cap(step, late, "ticks are as many as they may be: the fluid falls behind the clock");
    return KIN_STATUS_OK;
}

kin_status kin_sph_advance(kin_sph* f, kin_step* step)
{
    kin_error error = {0};
    memset(&f->seen, 0, sizeof f->seen);
    kin_reactions_clear(&f->reactions);
    if (kin_sph_check_fields(f, step->fields, &error) != KIN_OK) return kin_step_refuse(step, 0, 0, error.message); /* fields may come later than the tank */
    if (f->count == 0 && !kin_sph_sources_open(f)) return KIN_STATUS_OK;
    if (!all_finite(f, step)) return KIN_STATUS_REFUSED;
    if (!kin_sph_walls_begin(f, step)) return kin_step_refuse(step, 0, 0, "no memory for walls");
    f->since = kin_clock_seconds();
    kin_burst_begin(step->jobs);
    kin_status status = run_interval(f, step);
    kin_burst_end(step->jobs);
    if (status != KIN_STATUS_OK) return status;
    if (f->seen.caps > 0) kin_step_note_cap(step, (int64_t)f->seen.caps, "ticks whose pressures were not found within max_iterations");
    if (f->reactions.count > 0 && !kin_reactions_post(&f->reactions, step->solids, step->ledger, KIN_COUPLER_POINTS + step->system, KIN_ENTRY_LOAD))
        return kin_step_refuse(step, 0, 0, "no memory for what fluid does to bodies");
    return KIN_STATUS_OK;
}
