/* motion.c - free motion. A block of particles is one flat state [x y z | vx vy vz] for any integrator; a single particle is the same with n = 1,
 * plus what the surfaces that hold it add. */
#include "domains/particles/particles.h"
#include "math/vec3.h"
#include <string.h>

#define BLOCK KIN_PARTICLE_BLOCK
#define STATE (6 * BLOCK)
#define VECTORS 16 /* most scratch vectors any method asks for */

/* What the derivative of a block needs to know. */
typedef struct block {
    const kin_step* step;
    const kin_support* support; /* single particles only; NULL: free */
    const double* inv_mass;
    int count;
    double* air; /* 7 count numbers of scratch: the air, and for masks */
} block;

static void derivative(void* context, double t, const double* y, double* dydt)
{
    block* b = context;
    int n = b->count;
    kin_field_batch batch = {
        .count = n,
        .time = t,
        .inv_mass = b->inv_mass,
        .position = {y, y + n, y + 2 * n},
        .velocity = {y + 3 * n, y + 4 * n, y + 5 * n},
        .air = {b->air, b->air + n, b->air + 2 * n},
        .scratch = b->air + 3 * n,
        .acceleration = {dydt + 3 * n, dydt + 4 * n, dydt + 5 * n},
    };
    memcpy(dydt, y + 3 * n, 3 * (size_t)n * sizeof *y); /* dx/dt = v */
    kin_fields_evaluate(b->step->fields, &batch);
    if (b->support == NULL) return;
    kin_vec3 a = kin_support_acceleration(b->support, kin_v(dydt[3], dydt[4], dydt[5]), kin_v(y[3], y[4], y[5]));
    dydt[3] = a.x;
    dydt[4] = a.y;
    dydt[5] = a.z;
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
    double *y0 = room, *dydt0 = y0 + STATE, *y1 = dydt0 + STATE, *memory = y1 + STATE, *air = memory + 3 * BLOCK, *scratch = air + 7 * BLOCK;
    block b = {.step = step, .inv_mass = self->inv_mass + first, .count = n, .air = air};
    kin_ode ode = {.size = 6 * n, .pairs = 3 * n, .context = &b, .derivative = derivative};
    gather(self->x, first, n, y0);
    gather(self->v, first, n, y0 + 3 * n);
    derivative(&b, step->time, y0, dydt0);
    if (self->method->restart != NULL) refresh_memory(self, &ode, first, n, step->h, y0, dydt0, memory);
    self->method->step(&ode, memory, step->time, step->h, y0, dydt0, y1, scratch);
    scatter(y1, first, n, self->next_x);
    scatter(y1 + 3 * n, first, n, self->next_v);
    if (self->method->restart != NULL) scatter(memory, first, n, self->next_memory);
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
    size_t numbers = (size_t)STATE * (3 + (size_t)job->self->method->scratch_vectors) + 10 * BLOCK;
    double* room = kin_arena_take(scratch, numbers * sizeof *room);
    for (int64_t i = begin; i < end; i += BLOCK) {
        int n = end - i < BLOCK ? (int)(end - i) : BLOCK;
        job->self->tallies[i / BLOCK].unmoved = room == NULL;
        if (room != NULL) move_block(job->self, job->step, (size_t)i, n, room);
    }
}

void kin_particles_move(kin_particles* self, kin_step* step)
{
    kin_parallel_for(step->jobs, (int64_t)self->count, 8 * BLOCK, move_range, &(move_job){self, step});
}

/* ---- one particle ---- */

static void put_state(double* y, kin_vec3 x, kin_vec3 v) { memcpy(y, (double[6]){x.x, x.y, x.z, v.x, v.y, v.z}, 6 * sizeof *y); }

kin_vec3 kin_particle_acceleration(const kin_step* step, const kin_particle* p)
{
    double y[6], dydt[6], air[7];
    block b = {.step = step, .inv_mass = &p->inv_mass, .count = 1, .air = air};
    put_state(y, p->x, p->v);
    derivative(&b, step->time + p->time, y, dydt);
    return kin_v(dydt[3], dydt[4], dydt[5]);
}

bool kin_path_is_straight(const kin_ode_method* method) { return method->order == 1 && strcmp(method->name, "average") != 0; }

kin_flight kin_particle_fly(const kin_ode_method* method, const kin_step* step, const kin_particle* p, const kin_support* support, double h)
{
    double y0[6], dydt0[6], y1[6], memory[3], air[7], scratch[6 * VECTORS];
    block b = {.step = step, .support = support->count > 0 ? support : NULL, .inv_mass = &p->inv_mass, .count = 1, .air = air};
    kin_ode ode = {.size = 6, .pairs = 3, .context = &b, .derivative = derivative};
    put_state(y0, p->x, p->v);
    derivative(&b, step->time + p->time, y0, dydt0);
    if (method->restart != NULL) method->restart(&ode, memory, 0, 3, h, y0, dydt0);
    method->step(&ode, memory, step->time + p->time, h, y0, dydt0, y1, scratch);
    return (kin_flight){p->x, p->v, kin_v(y1[0], y1[1], y1[2]), kin_v(y1[3], y1[4], y1[5]), h, kin_path_is_straight(method)};
}
