/* draws.c - random numbers for births, from a key or from a table (H4.4e), and the distributions that emitters need (H4.2 with errata E1, E2).
 * Normal ones are cut at three deviations (C3.7.1: 4 with a deviation of 2 lies in 2..6), which math/random.h does not do. */
#include "math/frame.h"
#include "math/random.h"
#include "math/vec3.h"
#include "system/emit/emit_inside.h"

/* The table's own keys are told from those of births and rates by this step. */
enum { TABLE_STEP = 2 };

static double cut_bell(double normal) { return kin_clamp(normal, -3, 3) / 3; }

void kin_draw_table_fill(kin_draw_table* table, const kin_rng_key* key)
{
    if (table->filled && table->seed == key->seed && table->system == key->system) return;
    for (uint32_t i = 0; i < table->size; ++i) {
        kin_rng_key entry = {.seed = key->seed, .serial = i, .step = TABLE_STEP, .system = key->system, .tick = key->tick};
        table->units[i] = kin_rng_uniform(&entry, 0, 0, 1);
        table->bells[i] = cut_bell(kin_rng_normal(&entry, 1, 0, 1));
    }
    table->seed = key->seed;
    table->system = key->system;
    table->filled = true;
}

static double next_of(const double* values, uint32_t size, uint32_t* next)
{
    double value = values[*next];
    *next = *next + 1 < size ? *next + 1 : 0;
    return value;
}

double kin_draw_unit(const kin_draws* d, uint32_t draw)
{
    return d->table == NULL ? kin_rng_uniform(&d->key, draw, 0, 1) : next_of(d->table->units, d->table->size, &d->table->next_unit);
}

double kin_draw_bell(const kin_draws* d, uint32_t draw)
{
    return d->table == NULL ? cut_bell(kin_rng_normal(&d->key, draw, 0, 1)) : next_of(d->table->bells, d->table->size, &d->table->next_bell);
}

double kin_draw_about(const kin_draws* d, uint32_t draw, const double about[2], double low)
{
    double value = about[1] == 0 ? about[0] : about[0] + about[1] * kin_draw_bell(d, draw);
    return kin_max(value, low);
}

double kin_rng_about(const kin_rng_key* key, uint32_t draw, const double mean_deviation[2], double low)
{
    return kin_draw_about(&(kin_draws){*key, NULL}, draw, mean_deviation, low);
}

static double turn(const kin_draws* d, uint32_t draw) { return KIN_PI * (2 * kin_draw_unit(d, draw) - 1); }

kin_vec3 kin_draw_direction(const kin_draws* d, uint32_t draw)
{
    double y = 2 * kin_draw_unit(d, draw) - 1, r = kin_sqrt(1 - y * y);
    kin_sincos theta = kin_sin_cos(turn(d, draw + 1));
    return kin_v(r * theta.cosine, y, -r * theta.sine);
}

kin_vec3 kin_draw_disk(const kin_draws* d, uint32_t draw, double radius, kin_emitter_spread spread)
{
    double r = radius * (spread == KIN_SPREAD_UNIFORM ? kin_sqrt(kin_draw_unit(d, draw)) : kin_abs(kin_draw_bell(d, draw)));
    kin_sincos theta = kin_sin_cos(turn(d, draw + 1));
    return kin_v(r * theta.cosine, 0, -r * theta.sine);
}

/* Uniform over the cap: 1 - cos(phi) is, which keeps its digits in narrow cones. */
static double cap_angle(double angle, double share)
{
    double half = kin_sin(angle / 2) * kin_sqrt(share);
    return 2 * kin_asin(kin_min(half, 1));
}

kin_vec3 kin_draw_cone(const kin_draws* d, uint32_t draw, kin_vec3 axis, double angle, kin_emitter_spread spread)
{
    if (angle == 0) return axis;
    double phi = spread == KIN_SPREAD_UNIFORM ? cap_angle(angle, kin_draw_unit(d, draw)) : angle * kin_abs(kin_draw_bell(d, draw));
    kin_sincos tilt = kin_sin_cos(phi), theta = kin_sin_cos(turn(d, draw + 1));
    kin_basis basis = kin_basis_from_normal(axis);
    return kin_basis_to_world(basis, kin_v(tilt.cosine, tilt.sine * theta.cosine, tilt.sine * theta.sine));
}
