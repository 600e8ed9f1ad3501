/* coupled.c - free motion of particles that feel each other: by springs, or by forces between all of them (field.h: mutual). All live particles are one
 * state for the integrator, so every force is known before any particle moves (H6.1). */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "domains/particles/blocks.h"
#include "domains/particles/coupled.h"
#include "math/scalar.h"
#include "system/field_kinds.h"
#include <stdio.h>
#include <string.h>

#define BLOCK KIN_PARTICLE_BLOCK

bool kin_particles_are_coupled(const kin_particles* self, const kin_fields* fields) { return fields->has_mutual || self->spring_count > 0; }

/* ---- room ---- */

enum { ARRAYS = 10 };
typedef struct array {
    void** data;
    size_t size; /* bytes a particle */
} array;

static void arrays_of(kin_coupled* c, array out[ARRAYS])
{
    const size_t number = sizeof(double);
    memcpy(out,
           (array[ARRAYS]){{(void**)&c->live, sizeof *c->live},
                           {(void**)&c->slot, sizeof *c->slot},
                           {(void**)&c->y0, 6 * number},
                           {(void**)&c->dydt0, 6 * number},
                           {(void**)&c->y1, 6 * number},
                           {(void**)&c->memory, 3 * number},
                           {(void**)&c->pull, 3 * number},
                           {(void**)&c->about, KIN_FIELD_ROOM * number},
                           {(void**)&c->force, 3 * number},
                           {(void**)&c->gyration, 3 * number}},
           ARRAYS * sizeof *out);
}

static void free_arrays(kin_coupled* c)
{
    array arrays[ARRAYS];
    arrays_of(c, arrays);
    for (int i = 0; i < ARRAYS; ++i) {
        kin_free(&c->allocator, *arrays[i].data, c->capacity * arrays[i].size);
        *arrays[i].data = NULL;
    }
    c->capacity = 0;
}

void kin_coupled_destroy(kin_coupled* c)
{
    if (c == NULL) return;
    free_arrays(c);
    kin_free(&c->allocator, c->links, c->link_capacity * sizeof *c->links);
    kin_spring_lists_term(&c->lists);
    kin_arena_term(&c->scratch);
    kin_allocator allocator = c->allocator;
    kin_free(&allocator, c, sizeof *c);
}

static bool reserve(kin_coupled* c, size_t count)
{
    if (count <= c->capacity) return true;
    array arrays[ARRAYS];
    free_arrays(c);
    arrays_of(c, arrays);
    c->capacity = count;
    for (int i = 0; i < ARRAYS; ++i) {
        *arrays[i].data = kin_alloc_zero(&c->allocator, kin_bytes(count, arrays[i].size));
        if (*arrays[i].data == NULL) return free_arrays(c), false;
    }
    return true;
}

static kin_coupled* ready(kin_particles* self)
{
    if (self->coupled == NULL) {
        self->coupled = kin_alloc_zero(&self->allocator, sizeof *self->coupled);
        if (self->coupled == NULL) return NULL;
        self->coupled->allocator = self->allocator;
        kin_arena_init(&self->coupled->scratch, &self->allocator);
    }
    return reserve(self->coupled, self->capacity) ? self->coupled : NULL;
}

/* ---- a step ---- */

static void gather(kin_coupled* c)
{
    const kin_particles* p = c->self;
    c->n = 0;
    for (size_t i = 0; i < p->count; ++i) {
        if (p->mobility[i] == KIN_MOBILITY_INACTIVE) continue;
        c->slot[i] = (uint32_t)c->n;
        c->live[c->n++] = (uint32_t)i;
    }
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < c->n; ++i) {
            c->y0[k * c->n + i] = p->x[k][c->live[i]];
            c->y0[(3 + k) * c->n + i] = p->v[k][c->live[i]];
        }
    }
    kin_particles_describe(p, c->step, c->live, 0, c->n, c->about, &c->batch);
}

/* Springs by place, made anew when somebody came or went. */
static bool map_springs(kin_coupled* c)
{
    const kin_particles* p = c->self;
    const uint64_t layout[3] = {(uint64_t)c->n, kin_hash(c->live, (size_t)c->n * sizeof *c->live), kin_hash(p->springs, p->spring_count * sizeof *p->springs)};
    if (p->spring_count == 0 || (c->links != NULL && memcmp(layout, c->layout, sizeof layout) == 0)) return true;
    if (!kin_reserve(&c->allocator, (void**)&c->links, &c->link_capacity, p->spring_count, sizeof *c->links)) return false;
    c->link_count = 0;
    for (size_t i = 0; i < p->spring_count; ++i) {
        kin_spring link = p->springs[i];
        if (p->mobility[link.a] == KIN_MOBILITY_INACTIVE || p->mobility[link.b] == KIN_MOBILITY_INACTIVE) continue;
        link.a = c->slot[link.a];
        link.b = c->slot[link.b];
        c->links[c->link_count++] = link;
    }
    kin_spring_lists_term(&c->lists);
    memcpy(c->layout, layout, sizeof layout);
    return kin_spring_lists_init(&c->lists, &c->allocator, c->links, c->link_count, (uint32_t)c->n, NULL) == KIN_OK;
}

static void restart_memory(kin_coupled* c, const kin_ode* ode, double h)
{
    kin_particles* p = c->self;
    int n = c->n;
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < n; ++i) c->memory[axis * n + i] = p->memory[axis][c->live[i]];
    }
    if (p->memory_h != h) {
        p->method->restart(ode, c->memory, 0, 3 * n, h, c->y0, c->dydt0);
        return;
    }
    for (int i = 0; i < n; ++i) {
        if (!(p->flags[c->live[i]] & KIN_PARTICLE_FRESH)) continue;
        for (int axis = 0; axis < 3; ++axis) p->method->restart(ode, c->memory, axis * n + i, axis * n + i + 1, h, c->y0, c->dydt0);
    }
}

/* A particle that hits a solid is moved again alone, with the pull of the others held constant. Of an implicit step that is the pull it ended up with: that of
 * the start would make an explicit step of stiff springs. */
static void pull_of_step(kin_coupled* c)
{
    size_t n = (size_t)c->n;
    for (size_t i = 0; i < 3 * n; ++i) c->pull[i] += (c->y1[3 * n + i] - c->y0[3 * n + i]) / c->step->h - c->dydt0[3 * n + i];
}

static void apply_after(kin_coupled* c)
{
    kin_field_batch start = c->batch;
    start.time = c->step->time;
    start.scratch = kin_arena_take(&c->scratch, 4 * (size_t)c->n * sizeof(double));
    if (start.scratch == NULL)
        c->result = KIN_ERROR_MEMORY;
    else
        kin_fields_apply_after(c->step->fields, &start, c->step->h, c->y0, c->y1, c->dydt0); /* which is done with */
}

static void scatter(kin_coupled* c)
{
    kin_particles* p = c->self;
    int n = c->n;
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(p->next_x[axis], p->x[axis], p->count * sizeof(double)); /* who takes no part stays */
        memcpy(p->next_v[axis], p->v[axis], p->count * sizeof(double));
        if (p->method->restart != NULL) memcpy(p->next_memory[axis], p->memory[axis], p->count * sizeof(double));
        for (int i = 0; i < n; ++i) {
            if (p->mobility[c->live[i]] == KIN_MOBILITY_STATIC) continue;
            p->next_x[axis][c->live[i]] = c->y1[axis * n + i];
            p->next_v[axis][c->live[i]] = c->y1[(3 + axis) * n + i];
            if (p->method->restart != NULL) p->next_memory[axis][c->live[i]] = c->memory[axis * n + i];
        }
    }
}

static kin_integrator_settings settings_for(const kin_coupled* c)
{
    kin_integrator_settings s = c->self->settings;
    bool small = c->n <= 16;
    if (c->self->def.solver == KIN_SOLVER_AUTO)
        s.solver = small ? KIN_IMPLICIT_DENSE : c->step->fields->has_mutual ? KIN_IMPLICIT_MATRIX_FREE : KIN_IMPLICIT_SPARSE;
    return s;
}

static void derivative_of_active(void* context, double t, const double* y, double* dydt, const uint32_t* active, uint32_t count)
{
    kin_coupled* c = context;
    c->active = active;
    c->active_count = count;
    kin_coupled_derivative(c, t, y, dydt);
    c->active = NULL;
}

/* The least softening of what pulls, where the scene says nothing else; 0: nothing is softened. */
static double block_length(const kin_particles* p, const kin_fields* fields)
{
    double least = 0;
    for (size_t i = 0; i < fields->count && !(p->def.block_length > 0); ++i) {
        if (fields->items[i].ops != &kin_field_attraction_ops) continue;
        double softening = ((const kin_attraction_field*)fields->items[i].def)->softening;
        if (softening > 0 && !(least > 0 && least < softening)) least = softening;
    }
    return p->def.block_length > 0 ? p->def.block_length : least;
}

static kin_integrator_report advance(kin_coupled* c, const kin_ode* ode)
{
    kin_particles* p = c->self;
    const kin_step* step = c->step;
    kin_integrator_settings settings = settings_for(c);
    if (!p->integrator->blocks)
        return kin_integrator_advance(p->integrator, p->simd, &settings, ode, step->time, step->h, c->memory, &p->next_step_memory, c->y0, c->dydt0, c->y1,
                                      &c->scratch);
    kin_blocks blocks = {.n = c->n,
                         .max_levels = p->def.max_levels,
                         .accuracy = p->def.block_accuracy,
                         .length = block_length(p, step->fields),
                         .gyration = c->gyrates ? c->gyration : NULL,
                         .context = c,
                         .derivative = derivative_of_active};
    return kin_blocks_advance(&blocks, step->time, step->h, c->y0, c->dydt0, c->y1, &c->scratch);
}

static kin_status refuse(kin_coupled* c, kin_step* step, const kin_integrator_report* report)
{
    bool known = report->worst >= 0 && c->n > 0;
    if (c->result != KIN_OK) return kin_step_refuse(step, 0, 0, c->error.message[0] != 0 ? c->error.message : "no memory for forces between particles");
    return kin_particles_refuse_stuck(c->self, step, known ? c->live[report->worst % c->n] : 0, known ? report->worst / c->n : -1, report);
}

static void settle_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const kin_coupled* c = argument;
    for (int64_t i = begin; i < end; i += BLOCK) kin_particles_settle_block(c->self, c->step, (size_t)i, (size_t)(end - i < BLOCK ? end : i + BLOCK));
}

kin_status kin_particles_move_together(kin_particles* self, kin_step* step)
{
    kin_coupled* c = ready(self);
    kin_error error = {0};
    kin_integrator_report report = {.result = KIN_OK, .worst = -1};
    if (c == NULL || kin_mutuals_sync(&self->mutuals, step->fields, &self->allocator, &error) != KIN_OK)
        return kin_step_refuse(step, 0, 0, error.message[0] != 0 ? error.message : "no memory to move particles together");
    c->self = self;
    c->step = step;
    c->once = kin_integrator_is_once(self->integrator);
    c->result = KIN_OK;
    c->error = error;
    gather(c);
    if (!map_springs(c)) return kin_step_refuse(step, 0, 0, "no memory for springs");
    if (self->integrator->blocks && !(block_length(self, step->fields) > 0))
        return kin_step_refuse(step, 0, 0, "block_leapfrog: set block_length, as no attraction is softened");
    for (size_t i = 0; i < kin_particle_blocks(self->count); ++i)
        self->tallies[i] = (kin_particle_tally){.bad = UINT64_MAX, .squeezed = UINT64_MAX, .stuck = UINT64_MAX};
    c->gyrates = step->fields->has_gyration && kin_integrator_gyrates(self->integrator);
    kin_ode ode = {.size = 6 * c->n, .pairs = 3 * c->n, .context = c, .derivative = kin_coupled_derivative, .gyration = c->gyrates ? c->gyration : NULL};
    if (!step->fields->has_mutual) ode.sparse_jacobian = kin_coupled_matrix;
    c->first = true;
    c->forces = 0;
    kin_coupled_derivative(c, step->time, c->y0, c->dydt0);
    c->first = false;
    if (self->method->restart != NULL) restart_memory(c, &ode, step->h);
    kin_arena_reset(&c->scratch);
    if (c->n > 0) report = advance(c, &ode);
    if (report.result != KIN_OK || c->result != KIN_OK) return refuse(c, step, &report);
    if (self->integrator->implicit) pull_of_step(c);
    if (step->fields->has_after && c->n > 0) apply_after(c);
    scatter(c);
    kin_parallel_for(step->jobs, (int64_t)self->count, 8 * BLOCK, settle_range, c);
    const char* warning = kin_mutuals_warning(&self->mutuals);
    if (warning != NULL) kin_step_warn(step, 0, warning);
    return c->result == KIN_OK ? KIN_STATUS_OK : refuse(c, step, &report);
}

kin_vec3 kin_particles_pull(const kin_particles* self, size_t i)
{
    const kin_coupled* c = self->coupled;
    if (c == NULL || c->n == 0 || c->capacity < self->count) return kin_v(0, 0, 0);
    size_t k = c->slot[i], n = (size_t)c->n;
    return kin_v(c->pull[k], c->pull[n + k], c->pull[2 * n + k]);
}

uint64_t kin_particles_forces(const kin_particles* self) { return self->coupled != NULL ? self->coupled->forces : 0; }

double kin_particles_mutual_potential(const kin_particles* self, const kin_step* step)
{
    kin_particles* p = (kin_particles*)self; /* scratch only: its state is not touched */
    double sum = kin_springs_energy(p->springs, p->spring_count, (const double* const*)p->x);
    if (!step->fields->has_mutual) return sum;
    kin_coupled* c = ready(p);
    if (c == NULL || kin_mutuals_sync(&p->mutuals, step->fields, &p->allocator, NULL) != KIN_OK) return sum;
    c->self = p;
    c->step = step;
    gather(c);
    kin_coupled_masses(c);
    kin_mutual_cloud cloud = kin_coupled_cloud(c, step->time, c->y0, c->dydt0);
    return sum + kin_mutuals_potential(&p->mutuals, &cloud);
}
