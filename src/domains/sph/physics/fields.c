/* fields.c - what the fields of the world do to fluid: the same as to particles (system/field.h), and in the same places of a tick that they have in a step there.
 *
 *     medium, force   into a4, in batches, with what the world around does: a gas floats in the air it displaces; warm fluid rises, by
 *                     -expansion (T - reference) g (Boussinesq); air drags towards the wind who has air around him, never past it
 *     mutual          between all particles of the tank, in the order of their serials: what such a field remembers of them stays with them. Added to a4
 *     change          on the velocity that pressure left, before particles move: what it spoils of the flow is mended in the next tick
 *     carry           beside that velocity, when they move; never past a wall, and not in the momentum
 *
 * Tags are the names of phases; an age counts from the opening that fluid came out of, else from the start of the world. Fluid has no charge. */
#include "base/error.h"
#include "base/sort.h"
#include "domains/sph/physics/inside.h"
#include "system/field.h"
#include <string.h>

enum { BATCH = 64, MOST_PHASES = 256 };
#define AIR_DENSITY 1.2 /* kg/m^3 */

typedef struct fields_job {
    kin_sph* f;
    const kin_sph_tick* tick;
    const kin_step* step;
    uint64_t tags[MOST_PHASES]; /* by phase */
} fields_job;

/* ---- what they are told ---- */

static void find_tags(const kin_sph* f, const kin_fields* fields, uint64_t* tags)
{
    for (size_t i = 0; i < f->def.phases.count; ++i) {
        const char* name = f->def.phases.data[i].name;
        tags[i] = name != NULL ? kin_fields_find_tag(fields, name) : 0;
    }
}

static double age_of(const kin_sph* f, size_t i, double time) { return f->birth != NULL ? time - f->birth[i] : time; }

/* y: [x y z | vx vy vz]. */
typedef struct batch {
    double y[6 * BATCH], next[6 * BATCH], carried[3 * BATCH], air[3 * BATCH], acceleration[3 * BATCH], scratch[4 * BATCH];
    double inv_mass[BATCH], age[BATCH], charge[BATCH], radius[BATCH];
    uint64_t tags[BATCH];
    kin_field_batch all;
} batch;

static void fill(const kin_sph* f, const float* v4, size_t first, size_t n, double* y)
{
    const double origin[3] = {f->origin.x, f->origin.y, f->origin.z};
    for (size_t k = 0; k < n; ++k) {
        for (size_t a = 0; a < 3; ++a) y[a * n + k] = origin[a] + (double)f->x4[4 * (first + k) + a], y[(3 + a) * n + k] = (double)v4[4 * (first + k) + a];
    }
}

static void describe(const fields_job* job, const float* v4, size_t first, size_t n, batch* b)
{
    const kin_sph* f = job->f;
    fill(f, v4, first, n, b->y);
    for (size_t k = 0; k < n; ++k) {
        size_t i = first + k;
        b->inv_mass[k] = 1 / (double)f->phases[f->phase[i]].mass;
        b->age[k] = age_of(f, i, job->tick->time);
        b->charge[k] = 0;
        b->tags[k] = job->tags[f->phase[i]];
        b->radius[k] = 0.5 * (double)f->spacing;
    }
    b->all = (kin_field_batch){.count = (int)n,
                               .time = job->tick->time,
                               .seed = job->step->seed,
                               .system = job->step->system,
                               .solids = job->step->solids,
                               .fraction = job->tick->begin,
                               .inv_mass = b->inv_mass,
                               .age = b->age,
                               .charge = b->charge,
                               .radius = b->radius,
                               .serial = f->serial + first,
                               .tags = b->tags,
                               .scratch = b->scratch};
    for (size_t a = 0; a < 3; ++a) {
        b->all.position[a] = b->y + a * n, b->all.velocity[a] = b->y + (3 + a) * n;
        b->all.air[a] = b->air + a * n, b->all.acceleration[a] = b->acceleration + a * n;
    }
}

/* A script's law is asked by one thread. */
static void over_all(const fields_job* job, kin_sph_chunk_fn* fn)
{
    kin_sph* f = job->f;
    if (!job->step->fields->has_serial) {
        kin_sph_for(f, job->step->jobs, fn, (void*)job);
        return;
    }
    for (size_t b = 0, chunk = 0; b < f->blocks; b += KIN_SPH_CHUNK, ++chunk)
        fn(f, (void*)job, b, b + KIN_SPH_CHUNK < f->blocks ? b + KIN_SPH_CHUNK : f->blocks, chunk);
}

/* ---- forces ---- */

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
        size_t n = last - first < BATCH ? last - first : BATCH;
        describe(job, f->v4, first, n, &b);
        kin_fields_evaluate(job->step->fields, &b.all);
        for (size_t k = 0; k < n; ++k) {
            const double a[3] = {b.acceleration[k], b.acceleration[n + k], b.acceleration[2 * n + k]}, air[3] = {b.air[k], b.air[n + k], b.air[2 * n + k]};
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

/* ---- forces between all ---- */

/* A room of doubles cut into arrays, and the cloud over them; order: whom each of it is. */
typedef struct crowd {
    kin_mutual_cloud cloud;
    uint32_t* order;
} crowd;
enum { CROWD_ROOM = 15 }; /* numbers a particle */

/* Particles by serial. keys is what the sort leaves, `spare` its scratch. */
static void find_order(const kin_sph* f, uint64_t* keys, uint64_t* spare, uint32_t* order)
{
    memcpy(keys, f->serial, f->count * sizeof *keys);
    for (size_t i = 0; i < f->count; ++i) order[i] = (uint32_t)i;
    kin_sort_keys(keys, order, spare, (uint32_t*)(spare + f->count), f->count);
}

static bool gather_crowd(kin_sph* f, const kin_step* step, double time, double fraction, crowd* out)
{
    kin_sph_physics* p = f->physics;
    const size_t n = f->count;
    uint64_t tags[MOST_PHASES];
    if (!kin_reserve_tight(&p->allocator, (void**)&p->crowd, &p->crowd_capacity, CROWD_ROOM * n, sizeof *p->crowd)) return false;
    double *x = p->crowd, *v = x + 3 * n, *a = v + 3 * n, *mass = a + 3 * n, *radius = mass + n, *age = radius + n;
    uint64_t *serial = (uint64_t*)(age + n), *bits = serial + n;
    out->order = (uint32_t*)(bits + n);
    find_tags(f, step->fields, tags);
    find_order(f, serial, (uint64_t*)x, out->order);
    for (size_t k = 0; k < n; ++k) {
        const size_t i = out->order[k];
        const kin_vec3 at = kin_add(f->origin, kin_sph_get(f->x4, i)), u = kin_sph_get(f->v4, i), so_far = kin_sph_get(f->a4, i);
        x[k] = at.x, x[n + k] = at.y, x[2 * n + k] = at.z;
        v[k] = u.x, v[n + k] = u.y, v[2 * n + k] = u.z;
        a[k] = so_far.x, a[n + k] = so_far.y, a[2 * n + k] = so_far.z;
        mass[k] = (double)f->phases[f->phase[i]].mass, radius[k] = 0.5 * (double)f->spacing;
        age[k] = age_of(f, i, time), bits[k] = tags[f->phase[i]];
    }
    out->cloud = (kin_mutual_cloud){.jobs = step->jobs,
                                    .simd = f->simd,
                                    .solids = step->solids,
                                    .seed = step->seed,
                                    .time = time,
                                    .fraction = fraction,
                                    .count = (uint32_t)n,
                                    .x = {x, x + n, x + 2 * n},
                                    .v = {v, v + n, v + 2 * n},
                                    .mass = mass,
                                    .radius = radius,
                                    .age = age,
                                    .tags = bits,
                                    .serial = serial,
                                    .acceleration = {a, a + n, a + 2 * n}};
    return true;
}

static bool sync(kin_sph* f, const kin_step* step, kin_error* error)
{
    return kin_mutuals_sync(&f->physics->mutuals, step->fields, &f->physics->allocator, error) == KIN_OK;
}

static bool add_mutual(kin_sph* f, kin_sph_tick* tick)
{
    kin_step* step = tick->step;
    kin_error error = {0};
    crowd c;
    if (!sync(f, step, &error) || !gather_crowd(f, step, tick->time, tick->begin, &c) || kin_mutuals_evaluate(&f->physics->mutuals, &c.cloud, &error) != KIN_OK)
        return kin_step_refuse(step, 0, 0, error.message[0] != 0 ? error.message : "no memory for forces between particles"), false;
    for (size_t k = 0; k < f->count; ++k) {
        for (int axis = 0; axis < (f->flat ? 2 : 3); ++axis) f->a4[4 * c.order[k] + (size_t)axis] = (float)c.cloud.acceleration[axis][k];
    }
    const char* warning = kin_mutuals_warning(&f->physics->mutuals);
    if (warning != NULL) kin_step_warn(step, 0, warning);
    return true;
}

double kin_sph_mutual_potential(const kin_sph* self, const kin_step* step)
{
    kin_sph* f = (kin_sph*)self; /* scratch only: its state is not touched */
    crowd c;
    if (!step->fields->has_mutual || f->count == 0 || !sync(f, step, NULL) || !gather_crowd(f, step, step->time, 0, &c)) return 0;
    return kin_mutuals_potential(&f->physics->mutuals, &c.cloud);
}

bool kin_sph_fields(kin_sph* f, kin_sph_tick* tick)
{
    fields_job job = {.f = f, .tick = tick, .step = tick->step};
    const kin_fields* fields = tick->step->fields;
    memset(f->a4 + 4 * f->count, 0, (kin_sph_four(f) - 4 * f->count) * sizeof *f->a4);
    find_tags(f, fields, job.tags);
    if (fields->count > 0)
        over_all(&job, some_fields);
    else
        kin_sph_for(f, tick->step->jobs, weight_alone(f) ? some_weight : some_gravity, &job);
    return !fields->has_mutual || f->physics == NULL || add_mutual(f, tick);
}

/* Images are not felt: what is summed over all pairs of a periodic tank would know of a seam that is not there. */
kin_result kin_sph_check_fields(const kin_sph* f, const kin_fields* fields, kin_error* error)
{
    uint64_t tags[MOST_PHASES], own = 0;
    if (f->def.periodic.x == 0 && f->def.periodic.y == 0 && f->def.periodic.z == 0) return KIN_OK;
    find_tags(f, fields, tags);
    for (size_t i = 0; i < f->def.phases.count; ++i) own |= tags[i];
    for (size_t i = 0; i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        if (field->ops->mutual == NULL || (field->tags != 0 && (field->tags & own) == 0)) continue;
        return kin_fail(error, KIN_ERROR_ARGUMENT, "periodic",
                        "the field \"%s\" (fields[%zu]) acts between all particles, which a periodic tank has no end of; "
                        "give it tags of others",
                        field->ops->name, i);
    }
    return KIN_OK;
}

/* ---- after pressure ---- */

/* aside4: velocities as the tick began, then what carries particles beside their own. partial 0: the largest square of that. */
static void some_after(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const fields_job* job = argument;
    float* aside4 = f->physics->aside4;
    size_t last = kin_sph_end(f, end);
    double h = (job->tick->end - job->tick->begin) * job->step->h, largest = 0;
    batch b;
    for (size_t first = begin * KIN_SPH_LANES; first < last; first += BATCH) {
        size_t n = last - first < BATCH ? last - first : BATCH;
        describe(job, aside4, first, n, &b);
        fill(f, f->v4, first, n, b.next);
        kin_fields_apply_after(job->step->fields, &b.all, h, b.y, b.next, b.carried);
        for (size_t k = 0; k < n; ++k) {
            kin_vec3 v = kin_v(b.next[3 * n + k], b.next[4 * n + k], f->flat ? 0 : b.next[5 * n + k]);
            kin_vec3 aside = kin_v(b.carried[k], b.carried[n + k], f->flat ? 0 : b.carried[2 * n + k]);
            kin_sph_put(f->v4, first + k, v);
            kin_sph_put(aside4, first + k, aside);
            largest = kin_max(largest, kin_length2(aside));
        }
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = largest;
}

bool kin_sph_fields_begin(kin_sph* f, kin_sph_tick* tick)
{
    kin_sph_physics* p = f->physics;
    if (!tick->step->fields->has_after) return true;
    if (!kin_reserve_tight(&p->allocator, (void**)&p->aside4, &p->aside_capacity, kin_sph_four(f), sizeof *p->aside4)) return false;
    memcpy(p->aside4, f->v4, kin_sph_four(f) * sizeof *p->aside4);
    return true;
}

float* kin_sph_fields_after(kin_sph* f, kin_sph_tick* tick)
{
    fields_job job = {.f = f, .tick = tick, .step = tick->step};
    if (!tick->step->fields->has_after || f->physics == NULL) return NULL;
    find_tags(f, tick->step->fields, job.tags);
    over_all(&job, some_after);
    f->physics->carried = kin_sqrt(kin_sph_largest(f, 0));
    return f->physics->aside4;
}
