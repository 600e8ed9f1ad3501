/* motion.c - free motion of particles that do not feel each other. A block of them is one flat state [x y z | vx vy vz] for any integrator with a fixed step; a
 * single particle is the same with n = 1, plus what the surfaces that hold it add. Integrators that choose their own steps, or solve for them, take one at a
 * time. What fields do after a step (field.h: change, carry) comes last. */
#include "domains/particles/block.h"
#include "domains/particles/particles.h"
#include "math/vec3.h"
#include <string.h>

#define BLOCK KIN_PARTICLE_BLOCK
#define STATE (6 * BLOCK)
#define VECTORS 16      /* most scratch vectors any method asks for */
#define CARRIED_ROOM 3  /* and where fields carry it */
#define GYRATION_ROOM 3 /* and how they turn its velocity */

/* What the derivative of a block needs to know. */
typedef struct block {
    const kin_step* step;
    const kin_support* support; /* single particles only; NULL: free */
    const kin_particle* one;    /* single particles only */
    double* gyration;           /* rad/s, three each: where the integrator turns velocities; NULL: it does not */
    kin_field_batch batch;      /* what does not change within the step */
} block;

/* Surfaces hold against all that turns the particle, too. Of that rotation the part in the surface is left to the integrator, and all of it where nothing is
 * pressed on. */
static kin_vec3 held_acceleration(const block* b, kin_vec3 a, kin_vec3 v)
{
    if (b->gyration == NULL) return kin_support_acceleration(b->support, a, v);
    kin_vec3 w = {b->gyration[0], b->gyration[1], b->gyration[2]}, whole = kin_add(a, kin_cross(w, v)), held = kin_support_acceleration(b->support, whole, v);
    if (kin_distance(held, whole) == 0) return a;
    kin_vec3 left = kin_held_gyration(b->support->normals, b->support->count, w);
    memcpy(b->gyration, (double[3]){left.x, left.y, left.z}, 3 * sizeof *b->gyration);
    return kin_sub(held, kin_cross(left, v));
}

static void derivative(void* context, double t, const double* y, double* dydt)
{
    block* b = context;
    int n = b->batch.count;
    kin_field_batch batch = b->batch;
    batch.time = t;
    batch.fraction = (t - b->step->time) / b->step->h;
    for (int axis = 0; axis < 3; ++axis) {
        batch.position[axis] = y + axis * n;
        batch.velocity[axis] = y + (3 + axis) * n;
        batch.acceleration[axis] = dydt + (3 + axis) * n;
        batch.gyration[axis] = b->gyration != NULL ? b->gyration + axis * n : NULL;
    }
    memcpy(dydt, y + 3 * n, 3 * (size_t)n * sizeof *y); /* dx/dt = v */
    kin_fields_evaluate(b->step->fields, &batch);
    if (b->one == NULL) return;
    kin_vec3 a = kin_add(kin_v(dydt[3], dydt[4], dydt[5]), b->one->pull);
    if (b->support != NULL) a = held_acceleration(b, a, kin_v(y[3], y[4], y[5]));
    dydt[3] = a.x;
    dydt[4] = a.y;
    dydt[5] = a.z;
}

static void set_air(kin_field_batch* batch, double* room)
{
    for (int axis = 0; axis < 3; ++axis) batch->air[axis] = room + axis * batch->count;
    batch->scratch = room + 3 * batch->count;
}

void kin_particles_describe(const kin_particles* self, const kin_step* step, const uint32_t* index, size_t first, int n, double* room, kin_field_batch* batch)
{
    static kin_particle_invert_fn* const invert[KIN_SIMD_COUNT] = {kin_particle_invert_none, kin_particle_invert_sse2, kin_particle_invert_avx2};
    uint32_t wants = step->fields->wants;
    double *inv_mass = room, *age = room + n, *charge = room + 2 * n, *radius = room + 3 * n;
    uint64_t *serial = (uint64_t*)(room + 4 * n), *tags = (uint64_t*)(room + 5 * n);
    *batch = (kin_field_batch){.count = n,
                               .time = step->time,
                               .seed = step->seed,
                               .system = step->system,
                               .solids = step->solids,
                               .inv_mass = inv_mass,
                               .radius = index != NULL ? radius : self->radius + first};
    if (index == NULL) invert[self->simd](self->mass + first, inv_mass, n);
    for (int k = 0; index != NULL && k < n; ++k) {
        inv_mass[k] = 1 / self->mass[index[k]];
        radius[k] = self->radius[index[k]];
    }
    if (wants == 0) return;
    for (int k = 0; k < n; ++k) {
        size_t i = index != NULL ? index[k] : first + (size_t)k;
        age[k] = step->time - self->birth[i];
        charge[k] = self->charge != NULL ? self->charge[i] : 0;
        serial[k] = self->serial[i];
        tags[k] = self->kinds[self->kind[i]].tags;
    }
    batch->age = age;
    batch->charge = charge;
    batch->serial = serial;
    batch->tags = tags;
}

/* ---- blocks ---- */

static void gather(double* const from[3], size_t first, int n, double* to)
{
    for (int axis = 0; axis < 3; ++axis) memcpy(to + axis * n, from[axis] + first, (size_t)n * sizeof *to);
}

static void scatter(const double* from, size_t first, int n, double* const to[3])
{
    for (int axis = 0; axis < 3; ++axis) memcpy(to[axis] + first, from + axis * n, (size_t)n * sizeof *from);
}

/* The integrator's memory is for equal steps and untouched velocities: whatever else must be restarted. */
static void refresh_memory(const kin_particles* self, const kin_ode* ode, size_t first, int n, double h, const double* y0, const double* dydt0, double* memory)
{
    gather(self->memory, first, n, memory);
    if (self->memory_h != h) {
        self->method->restart(ode, memory, 0, 3 * n, h, y0, dydt0);
        return;
    }
    for (int i = 0; i < n; ++i) {
        if (!(self->flags[first + i] & KIN_PARTICLE_FRESH)) continue;
        for (int axis = 0; axis < 3; ++axis) self->method->restart(ode, memory, axis * n + i, axis * n + i + 1, h, y0, dydt0);
    }
}

/* Who is not moved by forces: the animated follow their velocity, the others stay. */
static void hold_others(kin_particles* self, size_t first, int n, double h)
{
    static kin_particle_alike_fn* const alike[KIN_SIMD_COUNT] = {kin_particle_alike_none, kin_particle_alike_sse2, kin_particle_alike_avx2};
    if (alike[self->simd](self->mobility + first, KIN_MOBILITY_DYNAMIC, n)) return;
    for (size_t i = first; i < first + (size_t)n; ++i) {
        if (self->mobility[i] == KIN_MOBILITY_DYNAMIC) continue;
        double drift = self->mobility[i] == KIN_MOBILITY_ANIMATED ? h : 0;
        for (int axis = 0; axis < 3; ++axis) {
            self->next_x[axis][i] = self->x[axis][i] + drift * self->v[axis][i];
            self->next_v[axis][i] = self->v[axis][i];
        }
    }
}

static void move_block(kin_particles* self, const kin_step* step, size_t first, int n, double* room)
{
    double *y0 = room, *dydt0 = y0 + STATE, *y1 = dydt0 + STATE, *memory = y1 + STATE, *air = memory + 3 * BLOCK, *about = air + KIN_PARTICLE_AIR_ROOM * BLOCK,
           *carried = about + KIN_FIELD_ROOM * BLOCK, *gyration = carried + CARRIED_ROOM * BLOCK, *scratch = gyration + GYRATION_ROOM * BLOCK;
    block b = {.step = step, .gyration = kin_particles_gyrate(step, self->method) ? gyration : NULL};
    kin_ode ode = {.size = 6 * n, .pairs = 3 * n, .context = &b, .derivative = derivative, .gyration = b.gyration};
    kin_particles_describe(self, step, NULL, first, n, about, &b.batch);
    set_air(&b.batch, air);
    gather(self->x, first, n, y0);
    gather(self->v, first, n, y0 + 3 * n);
    derivative(&b, step->time, y0, dydt0);
    if (self->method->restart != NULL) refresh_memory(self, &ode, first, n, step->h, y0, dydt0, memory);
    self->method->step(&ode, memory, step->time, step->h, y0, dydt0, y1, scratch);
    if (step->fields->has_after) kin_fields_apply_after(step->fields, &b.batch, step->h, y0, y1, carried);
    scatter(y1, first, n, self->next_x);
    scatter(y1 + 3 * n, first, n, self->next_v);
    if (self->method->restart != NULL) scatter(memory, first, n, self->next_memory);
    hold_others(self, first, n, step->h);
}

/* One by one, for integrators with steps of their own. */
static void move_singly(kin_particles* self, const kin_step* step, size_t first, int n, kin_arena* scratch, kin_particle_tally* tally)
{
    for (size_t i = first; i < first + (size_t)n; ++i) {
        if (self->mobility[i] != KIN_MOBILITY_DYNAMIC) continue;
        kin_particle one = kin_particle_at(self, step, i);
        one.scratch = scratch;
        kin_flight f = kin_particle_fly(self, NULL, step, &one, &(kin_support){.solid = UINT32_MAX}, step->h);
        kin_put3(self->next_x, i, f.x1);
        kin_put3(self->next_v, i, f.v1);
        if (f.report.result == KIN_OK || tally->stuck != UINT64_MAX) continue;
        tally->stuck = i;
        tally->stuck_report = f.report;
    }
    hold_others(self, first, n, step->h);
}

typedef struct move_job {
    kin_particles* self;
    const kin_step* step;
} move_job;

static void move_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    const move_job* job = argument;
    bool singly = job->self->integrator->kind != KIN_INTEGRATOR_FIXED;
    size_t numbers =
        (size_t)STATE * (3 + (size_t)job->self->method->scratch_vectors) + (3 + KIN_PARTICLE_AIR_ROOM + KIN_FIELD_ROOM + CARRIED_ROOM + GYRATION_ROOM) * BLOCK;
    double* room = singly ? NULL : kin_arena_take(scratch, numbers * sizeof *room);
    for (int64_t i = begin; i < end; i += BLOCK) {
        int n = end - i < BLOCK ? (int)(end - i) : BLOCK;
        kin_particle_tally* tally = &job->self->tallies[i / BLOCK];
        *tally = (kin_particle_tally){.bad = UINT64_MAX, .squeezed = UINT64_MAX, .stuck = UINT64_MAX};
        if (singly) {
            move_singly(job->self, job->step, (size_t)i, n, scratch, tally);
        } else if (room != NULL) {
            move_block(job->self, job->step, (size_t)i, n, room);
        } else {
            tally->stuck = (uint64_t)i;
            tally->stuck_report.result = KIN_ERROR_MEMORY;
        }
        if (tally->stuck == UINT64_MAX) kin_particles_settle_block(job->self, job->step, (size_t)i, (size_t)(i + n));
    }
}

kin_status kin_particles_move(kin_particles* self, kin_step* step)
{
    move_job job = {self, step};
    self->next_step_memory = self->step_memory;
    if (self->lacks_memory) return kin_step_refuse(step, 0, 0, "no memory for this integrator");
    if (kin_particles_are_coupled(self, step->fields)) return kin_particles_move_together(self, step);
    if (step->fields->has_serial)
        kin_serial_for(step->jobs, (int64_t)self->count, 8 * BLOCK, move_range, &job); /* a script's law is asked by one thread */
    else
        kin_parallel_for(step->jobs, (int64_t)self->count, 8 * BLOCK, move_range, &job);
    return KIN_STATUS_OK;
}

/* ---- one particle ---- */

kin_particle kin_particle_at(const kin_particles* self, const kin_step* step, size_t i)
{
    return (kin_particle){
        .x = kin_get3(self->x, i),
        .v = kin_get3(self->v, i),
        .mass = self->mass[i],
        .inv_mass = 1 / self->mass[i],
        .radius = self->radius[i],
        .material = {self->material[i]},
        .surface = kin_particle_surface(self, i),
        .age = step->time - self->birth[i],
        .charge = self->charge != NULL ? self->charge[i] : 0,
        .serial = self->serial[i],
        .tags = self->kinds[self->kind[i]].tags,
        .pull = kin_particles_pull(self, i),
        .resting = self->resting[i],
        .touching = (self->flags[i] & KIN_PARTICLE_TOUCHING) != 0,
    };
}

static void put_state(double* y, kin_vec3 x, kin_vec3 v) { memcpy(y, (double[6]){x.x, x.y, x.z, v.x, v.y, v.z}, 6 * sizeof *y); }

static void block_of_one(block* b, const kin_step* step, const kin_particle* p, const kin_support* support, double* age, double* air)
{
    *age = p->age + p->time;
    *b = (block){.step = step, .one = p, .support = support != NULL && support->count > 0 ? support : NULL};
    b->batch = (kin_field_batch){.count = 1,
                                 .time = step->time + p->time,
                                 .seed = step->seed,
                                 .system = step->system,
                                 .solids = step->solids,
                                 .inv_mass = &p->inv_mass,
                                 .age = age,
                                 .charge = &p->charge,
                                 .radius = &p->radius,
                                 .serial = &p->serial,
                                 .tags = &p->tags};
    set_air(&b->batch, air);
}

kin_vec3 kin_particle_acceleration(const kin_step* step, const kin_particle* p)
{
    double y[6], dydt[6], age, air[KIN_PARTICLE_AIR_ROOM];
    block b;
    block_of_one(&b, step, p, NULL, &age, air);
    put_state(y, p->x, p->v);
    derivative(&b, step->time + p->time, y, dydt);
    return kin_v(dydt[3], dydt[4], dydt[5]);
}

bool kin_particles_gyrate(const kin_step* step, const kin_ode_method* method) { return step->fields->has_gyration && method != NULL && method->gyrates; }

bool kin_path_is_straight(const kin_ode_method* method) { return method->order == 1 && strcmp(method->name, "average") != 0; }

/* Friction jumps where the slip ends, and Newton's method finds no way off: on a surface implicit integrators give way to short explicit steps. */
static const kin_integrator* integrator_on(const kin_particles* self, const kin_support* support)
{
    bool held = support != NULL && support->count > 0;
    return held && self->integrator->kind == KIN_INTEGRATOR_IMPLICIT ? kin_integrator_named("adaptive_rk45") : self->integrator;
}

static kin_integrator_report step_alone(const kin_particles* self, const kin_ode_method* method, const kin_integrator* integrator, const kin_particle* p,
                                        const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1)
{
    double memory[3], scratch[6 * VECTORS];
    if (method == NULL) {
        kin_integrator_memory anew = {0};
        return kin_integrator_advance(integrator, self->simd, &self->settings, ode, t, h, NULL, &anew, y0, dydt0, y1, p->scratch);
    }
    if (method->restart != NULL) method->restart(ode, memory, 0, 3, h, y0, dydt0);
    method->step(ode, memory, t, h, y0, dydt0, y1, scratch);
    return (kin_integrator_report){.result = KIN_OK};
}

/* Not into what it met. */
static kin_vec3 carry_along(const kin_particle* p, kin_vec3 carry)
{
    for (int i = 0; i < p->walls; ++i) {
        double into = kin_dot(carry, p->wall[i]);
        if (into < 0) carry = kin_add_scaled(carry, -into, p->wall[i]);
    }
    return carry;
}

kin_flight kin_particle_fly(const kin_particles* self, const kin_ode_method* method, const kin_step* step, const kin_particle* p, const kin_support* support,
                            double h)
{
    double y0[6], dydt0[6], y1[6], age, air[KIN_PARTICLE_AIR_ROOM], carried[CARRIED_ROOM], gyration[GYRATION_ROOM];
    block b;
    block_of_one(&b, step, p, support, &age, air);
    if (kin_particles_gyrate(step, method)) b.gyration = gyration;
    kin_ode ode = {.size = 6, .pairs = 3, .context = &b, .derivative = derivative, .gyration = b.gyration};
    put_state(y0, p->x, p->v);
    derivative(&b, step->time + p->time, y0, dydt0);
    kin_integrator_report report = step_alone(self, method, integrator_on(self, support), p, &ode, step->time + p->time, h, y0, dydt0, y1);
    kin_vec3 x1 = {y1[0], y1[1], y1[2]}, carry = {0, 0, 0};
    if (step->fields->has_after) {
        kin_fields_apply_after(step->fields, &b.batch, h, y0, y1, carried);
        carry = carry_along(p, kin_v(carried[0], carried[1], carried[2]));
        x1 = kin_add_scaled(x1, h, carry);
    }
    bool straight = method != NULL && kin_path_is_straight(method);
    return (kin_flight){p->x, p->v, x1, kin_v(y1[3], y1[4], y1[5]), h, straight, carry, method, report};
}
