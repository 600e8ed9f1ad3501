/* forces.c - all that acts on particles besides pressure, in its order; and what the world around does: fields, the air, warmth.
 *
 *     fields      gravity and the rest of the world's, in batches; a gas floats in the air it displaces
 *     warmth      -expansion (T - reference) g: warm rises (Boussinesq)
 *     air         drag towards the wind where particles have air around them, never past it
 *     viscosity, tension, vorticity, sand, elasticity      a file each
 *
 * What must be solved for the end of the tick (strong viscosity), and what is a change of velocity rather than a force (smoothing), is in calm.c. */
#include "domains/sph/physics/inside.h"
#include "system/field.h"
#include <string.h>

enum { BATCH = 64 };
#define AIR_DENSITY 1.2 /* kg/m^3 */

typedef struct fields_job {
    kin_sph* f;
    const kin_sph_tick* tick;
    const kin_step* step;
} fields_job;

typedef struct batch {
    double x[3][BATCH], v[3][BATCH], air[3][BATCH], acceleration[3][BATCH];
    double inv_mass[BATCH], age[BATCH], charge[BATCH], radius[BATCH], scratch[4 * BATCH];
    uint64_t tags[BATCH];
} batch;

static void fill(const kin_sph* f, size_t first, size_t count, batch* b)
{
    const double origin[3] = {f->origin.x, f->origin.y, f->origin.z};
    for (size_t k = 0; k < count; ++k) {
        size_t i = first + k;
        for (size_t a = 0; a < 3; ++a) b->x[a][k] = origin[a] + (double)f->x4[4 * i + a], b->v[a][k] = (double)f->v4[4 * i + a];
        b->inv_mass[k] = 1 / (double)f->phases[f->phase[i]].mass;
        b->age[k] = b->charge[k] = 0, b->tags[k] = 0;
        b->radius[k] = 0.5 * (double)f->spacing;
    }
}

static void evaluate(const fields_job* job, size_t first, size_t count, batch* b)
{
    const kin_step* step = job->step;
    kin_field_batch all = {.count = (int)count,
                           .time = job->tick->time,
                           .seed = step->seed,
                           .system = step->system,
                           .solids = step->solids,
                           .fraction = job->tick->begin,
                           .inv_mass = b->inv_mass,
                           .age = b->age,
                           .charge = b->charge,
                           .radius = b->radius,
                           .serial = job->f->serial + first,
                           .tags = b->tags,
                           .scratch = b->scratch};
    for (int a = 0; a < 3; ++a) {
        all.position[a] = b->x[a], all.velocity[a] = b->v[a];
        all.air[a] = b->air[a], all.acceleration[a] = b->acceleration[a];
    }
    kin_fields_evaluate(step->fields, &all);
}

/* How much of a particle is in the air: its surroundings are neither fluid nor wall. */
static double exposed(const kin_sph* f, size_t i) { return kin_clamp(2 * (1 - (double)f->density[i]), 0, 1); }

static void act(const fields_job* job, size_t i, const double acceleration[3], const double air[3])
{
    kin_sph* f = job->f;
    const kin_sph_phase* phase = &f->phases[f->phase[i]];
    kin_vec3 gravity = job->step->fields->gravity;
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    double lift = 0, drag = f->def.air_drag * (double)f->spacing / (double)phase->mass;
    drag = drag > 0 ? exposed(f, i) * drag : 0;
    if (f->def.phases.count > 0 && kin_sph_phase_def_of(f, i)->matter == KIN_SPH_GASEOUS) lift = AIR_DENSITY / (double)phase->density;
    if (f->temperature != NULL) lift += (double)phase->expansion * ((double)f->temperature[i] - kin_sph_reference(f, i));
    for (size_t a = 0; a < 3; ++a) {
        double wind = air[a] - (double)f->v4[4 * i + a];
        f->a4[4 * i + a] = (float)(acceleration[a] - lift * g[a] + drag / (1 + drag * (double)job->tick->h) * wind);
    }
    f->a4[4 * i + 3] = 0;
    if (f->flat) f->a4[4 * i + 2] = 0;
}

static void some_fields(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const fields_job* job = argument;
    size_t last = kin_sph_end(f, end);
    batch b; /* not cleared: what counts is filled */
    (void)chunk;
    for (size_t first = begin * KIN_SPH_LANES; first < last; first += BATCH) {
        size_t count = last - first < BATCH ? last - first : BATCH;
        fill(f, first, count, &b);
        evaluate(job, first, count, &b);
        for (size_t k = 0; k < count; ++k) {
            const double a[3] = {b.acceleration[0][k], b.acceleration[1][k], b.acceleration[2][k]}, air[3] = {b.air[0][k], b.air[1][k], b.air[2][k]};
            act(job, first + k, a, air);
        }
    }
}

/* Gravity alone. */
static void some_gravity(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const fields_job* job = argument;
    kin_vec3 gravity = job->step->fields->gravity;
    const double g[3] = {gravity.x, gravity.y, gravity.z}, air[3] = {0, 0, 0};
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) act(job, i, g, air);
}

static void some_weight(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const fields_job* job = argument;
    kin_vec3 gravity = job->step->fields->gravity;
    const float a[4] = {(float)gravity.x, (float)gravity.y, f->flat ? 0 : (float)gravity.z, 0};
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) memcpy(f->a4 + 4 * i, a, sizeof a);
}

static bool weight_alone(const kin_sph* f)
{
    bool plain = f->def.air_drag <= 0 && f->temperature == NULL;
    for (size_t i = 0; i < f->def.phases.count; ++i) plain &= f->def.phases.data[i].matter != KIN_SPH_GASEOUS;
    return plain;
}

void kin_sph_fields(kin_sph* f, kin_sph_tick* tick)
{
    fields_job job = {f, tick, tick->step};
    const kin_fields* fields = tick->step->fields;
    memset(f->a4 + 4 * f->count, 0, (kin_sph_four(f) - 4 * f->count) * sizeof *f->a4);
    if (fields->count > 0 && fields->has_serial) {
        for (size_t b = 0; b < f->blocks; b += KIN_SPH_CHUNK) some_fields(f, &job, b, b + KIN_SPH_CHUNK < f->blocks ? b + KIN_SPH_CHUNK : f->blocks, 0);
    } else {
        kin_sph_for(f, tick->step->jobs, fields->count > 0 ? some_fields : weight_alone(f) ? some_weight : some_gravity, &job);
    }
}

bool kin_sph_forces(kin_sph* f, kin_sph_tick* tick)
{
    kin_sph_fields(f, tick);
    if (f->physics == NULL) return true; /* a tank without forces of its own */
    f->physics->holds = false;
    f->physics->seen_count = f->count, f->physics->seen_serial = f->next_serial;
    bool ok = kin_sph_shear(f, tick) && (kin_sph_is_implicit(f, (double)tick->h) || kin_sph_tension_force(f, tick)) && kin_sph_confine(f, tick)
              && kin_sph_micropolar(f, tick) && kin_sph_sand(f, tick) && kin_sph_elastic_force(f, tick);
    if (!ok) kin_step_refuse(tick->step, 0, 0, "no memory for forces");
    return ok;
}

double kin_sph_forces_longest(const kin_sph* f)
{
    if (f->physics == NULL) return 1e300;
    double explicit = f->def.viscosity == KIN_SPH_VISCOSITY_EXPLICIT || f->def.viscosity == KIN_SPH_VISCOSITY_TEXT ? kin_sph_viscosity_tick(f) : 1e300;
    return kin_min(kin_min(explicit, kin_sph_tension_tick(f)), kin_min(kin_sph_sand_tick(f), kin_sph_elastic_tick(f)));
}
