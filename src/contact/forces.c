/* forces.c - what acts on bodies from outside: fields, drag, and pushes for one step (H9.6, C4.3). Fields see a body as a mass at its centre with the reach of
 * its form as radius; they turn nothing. */
#include "contact/bodies.h"
#include "system/field.h"
#include <string.h>

enum { BATCH = 64, GRAIN = 512 }; /* bodies to a chunk with fields, and without */
#define AIR_DENSITY 1.2           /* kg/m^3, for drag by area */

typedef struct lanes {
    double x[3][BATCH], v[3][BATCH], air[3][BATCH], acceleration[3][BATCH];
    double inv_mass[BATCH], age[BATCH], charge[BATCH], radius[BATCH], scratch[4 * BATCH];
    uint64_t serial[BATCH], tags[BATCH];
    uint32_t index[BATCH];
    int count;
} lanes;

typedef struct forces_job {
    kin_bodies* bodies;
    const uint32_t* which; /* NULL: all */
    const kin_step* step;
    double time;  /* s: when */
    double ahead; /* s: bodies are moved on so far at their velocities */
    double rate;  /* 1/s: drag takes motion away no faster; 0: no limit */
} forces_job;

static void gather(lanes* l, const forces_job* job, uint32_t i)
{
    int k = l->count++;
    const kin_bodies* b = job->bodies;
    const kin_body* body = &b->body[i];
    kin_vec3 place = kin_add_scaled(body->position, job->ahead, body->velocity);
    const double x[3] = {place.x, place.y, place.z}, v[3] = {body->velocity.x, body->velocity.y, body->velocity.z};
    for (int axis = 0; axis < 3; ++axis) l->x[axis][k] = x[axis], l->v[axis][k] = v[axis];
    l->inv_mass[k] = body->inv_mass;
    l->age[k] = l->charge[k] = 0;
    l->radius[k] = b->skin[i].reach;
    l->serial[k] = l->index[k] = i;
    l->tags[k] = 0;
}

static void evaluate(lanes* l, const forces_job* job)
{
    const kin_step* step = job->step;
    double time = job->time;
    kin_field_batch batch = {.count = l->count,
                             .time = time,
                             .seed = step->seed,
                             .system = step->system,
                             .solids = step->solids,
                             .fraction = step->h > 0 ? (time - step->time) / step->h : 0,
                             .inv_mass = l->inv_mass,
                             .age = l->age,
                             .charge = l->charge,
                             .radius = l->radius,
                             .serial = l->serial,
                             .tags = l->tags,
                             .scratch = l->scratch};
    for (int axis = 0; axis < 3; ++axis) {
        batch.position[axis] = l->x[axis], batch.velocity[axis] = l->v[axis];
        batch.air[axis] = l->air[axis], batch.acceleration[axis] = l->acceleration[axis];
    }
    kin_fields_evaluate(step->fields, &batch);
}

static double limited(double drag, double inertia, double rate) { return rate > 0 ? kin_min(drag, inertia * rate) : drag; }

static kin_vec3 angular_drag(const kin_body* body, double drag, double rate)
{
    kin_vec3 m = body->moments;
    return kin_body_turned(body, kin_v(-limited(drag, m.x, rate), -limited(drag, m.y, rate), -limited(drag, m.z, rate)), body->spin);
}

/* Weight by gravity_scale, drag through the air as it moves, pushes. */
static void act(const forces_job* job, uint32_t i, kin_vec3 acceleration, kin_vec3 air)
{
    kin_bodies* b = job->bodies;
    const kin_body* body = &b->body[i];
    const kin_body_skin* skin = &b->skin[i];
    kin_vec3 wind = kin_sub(air, body->velocity);
    double drag = skin->drag;
    if (skin->drag_area > 0) drag += 0.5 * AIR_DENSITY * skin->drag_area * kin_length(wind);
    acceleration = kin_add_scaled(acceleration, skin->gravity_scale - 1, job->step->fields->gravity);
    b->force[i] = kin_add(kin_add_scaled(kin_scale(acceleration, body->mass), limited(drag, body->mass, job->rate), wind), b->push[i]);
    b->torque[i] = b->twist[i];
    if (skin->angular_drag > 0) b->torque[i] = kin_add(b->torque[i], angular_drag(body, skin->angular_drag, job->rate));
}

static void scatter(const lanes* l, const forces_job* job)
{
    for (int k = 0; k < l->count; ++k) {
        kin_vec3 a = {l->acceleration[0][k], l->acceleration[1][k], l->acceleration[2][k]}, air = {l->air[0][k], l->air[1][k], l->air[2][k]};
        act(job, l->index[k], a, air);
    }
}

static void some_forces(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const forces_job* job = argument;
    kin_vec3 gravity = job->step->fields->gravity;
    lanes l; /* not cleared: what counts is filled */
    l.count = 0;
    (void)chunk, (void)scratch;
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = job->which != NULL ? job->which[k] : (uint32_t)k;
        if (job->bodies->motion[i] != KIN_BODY_FREE) continue;
        if (job->step->fields->count == 0)
            act(job, i, gravity, kin_v(0, 0, 0));
        else
            gather(&l, job, i);
    }
    if (l.count == 0) return;
    evaluate(&l, job);
    scatter(&l, job);
}

static void all_forces(forces_job job, uint32_t count)
{
    void (*each)(kin_jobs*, int64_t, int64_t, kin_range_fn*, void*) = job.step->fields->has_serial ? kin_serial_for : kin_parallel_for;
    each(job.step->jobs, count, job.step->fields->count > 0 ? BATCH : GRAIN, some_forces, &job);
}

void kin_bodies_forces(kin_bodies* bodies, const kin_step* step, double time) { all_forces((forces_job){bodies, NULL, step, time, 0, 0}, bodies->count); }

void kin_bodies_mean_forces(kin_bodies* bodies, const uint32_t* which, uint32_t count, const kin_step* step, int kicks)
{
    double ahead = 0.5 * (step->h - step->h / kicks); /* they come at the starts of equal parts: the mean of those */
    all_forces((forces_job){bodies, which, step, step->time + ahead, ahead, step->h > 0 ? 1 / step->h : 0}, count);
}

double kin_bodies_potential(const kin_bodies* bodies, uint32_t i, const kin_fields* fields, double time)
{
    const kin_body* body = &bodies->body[i];
    double spared = body->mass * kin_dot(fields->gravity, body->position) * (1 - bodies->skin[i].gravity_scale);
    return kin_fields_potential(fields, body->mass, body->position, time) + spared;
}
