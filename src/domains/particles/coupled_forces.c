/* coupled_forces.c - what particles that feel each other feel: fields, springs, forces between all of them; and how that changes with their state. */
#include "base/alloc.h"
#include "domains/particles/coupled.h"
#include "math/scalar.h"
#include <string.h>

#define BLOCK KIN_PARTICLE_BLOCK

/* ---- the derivative ---- */

static void offset_batch(const kin_coupled* c, int begin, int n, double* air, kin_field_batch* out)
{
    *out = c->batch;
    out->count = n;
    out->inv_mass += begin;
    out->radius += begin;
    if (out->age != NULL) {
        out->age += begin;
        out->charge += begin;
        out->serial += begin;
        out->tags += begin;
    }
    for (int axis = 0; axis < 3; ++axis) out->air[axis] = air + axis * n;
    out->scratch = air + 3 * n;
}

typedef struct field_job {
    const kin_coupled* c;
    double t;
    const double* y;
    double* dydt;
} field_job;

static void field_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    const field_job* job = argument;
    const kin_coupled* c = job->c;
    double* air = kin_arena_take(scratch, KIN_PARTICLE_AIR_ROOM * BLOCK * sizeof *air);
    for (int64_t i = begin; air != NULL && i < end; i += BLOCK) {
        int n = end - i < BLOCK ? (int)(end - i) : BLOCK;
        kin_field_batch batch;
        offset_batch(c, (int)i, n, air, &batch);
        batch.time = job->t;
        batch.fraction = (job->t - c->step->time) / c->step->h;
        for (int axis = 0; axis < 3; ++axis) {
            batch.position[axis] = job->y + axis * c->n + i;
            batch.velocity[axis] = job->y + (3 + axis) * c->n + i;
            batch.acceleration[axis] = job->dydt + (3 + axis) * c->n + i;
            batch.gyration[axis] = c->gyrates ? c->gyration + axis * c->n + i : NULL;
        }
        kin_fields_evaluate(c->step->fields, &batch);
    }
}

static void evaluate_fields(kin_coupled* c, double t, const double* y, double* dydt)
{
    field_job job = {c, t, y, dydt};
    memcpy(dydt, y + 3 * c->n, 3 * (size_t)c->n * sizeof *y); /* dx/dt = v */
    if (c->step->fields->has_serial)
        kin_serial_for(c->step->jobs, c->n, 8 * BLOCK, field_range, &job);
    else
        kin_parallel_for(c->step->jobs, c->n, 32 * BLOCK, field_range, &job);
}

static void add_springs(kin_coupled* c, const double* y, double* dydt)
{
    size_t n = (size_t)c->n;
    const double *x[3] = {y, y + n, y + 2 * n}, *v[3] = {y + 3 * n, y + 4 * n, y + 5 * n};
    double* f[3] = {c->force, c->force + n, c->force + 2 * n};
    memset(c->force, 0, 3 * n * sizeof *c->force);
    kin_springs_gather(&c->lists, c->links, c->step->jobs, x, v, f);
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < n; ++i) dydt[(3 + (size_t)axis) * n + i] += f[axis][i] * c->batch.inv_mass[i];
    }
}

kin_mutual_cloud kin_coupled_cloud(const kin_coupled* c, double t, const double* y, double* acceleration)
{
    size_t n = (size_t)c->n;
    const kin_step* step = c->step;
    return (kin_mutual_cloud){
        .jobs = step->jobs,
        .simd = step->simd,
        .solids = step->solids,
        .seed = step->seed,
        .time = t,
        .fraction = (t - step->time) / step->h,
        .count = (uint32_t)n,
        .x = {y, y + n, y + 2 * n},
        .v = {y + 3 * n, y + 4 * n, y + 5 * n},
        .mass = c->force, /* springs are done with it */
        .radius = c->batch.radius,
        .charge = c->batch.charge,
        .age = c->batch.age,
        .tags = c->batch.tags,
        .serial = c->batch.serial,
        .acceleration = {acceleration, acceleration + n, acceleration + 2 * n},
        .active = c->active,
        .active_count = c->active_count,
    };
}

void kin_coupled_masses(kin_coupled* c)
{
    for (int i = 0; i < c->n; ++i) c->force[i] = c->self->mass[c->live[i]];
}

static void add_mutual(kin_coupled* c, double t, const double* y, double* dydt)
{
    if (!c->step->fields->has_mutual || c->result != KIN_OK) return;
    kin_coupled_masses(c);
    kin_mutual_cloud cloud = kin_coupled_cloud(c, t, y, dydt + 3 * (size_t)c->n);
    c->result = kin_mutuals_evaluate(&c->self->mutuals, &cloud, &c->error);
}

/* Who is not moved by forces: the animated follow their velocity, the others stay. */
static void hold_others(kin_coupled* c, double* dydt)
{
    int n = c->n;
    for (int i = 0; i < n; ++i) {
        uint8_t mobility = c->self->mobility[c->live[i]];
        if (mobility == KIN_MOBILITY_DYNAMIC) continue;
        for (int axis = 0; axis < 3; ++axis) {
            if (mobility != KIN_MOBILITY_ANIMATED) dydt[axis * n + i] = 0;
            dydt[(3 + axis) * n + i] = 0;
            if (c->gyrates) c->gyration[axis * n + i] = 0;
        }
    }
}

void kin_coupled_derivative(void* context, double t, const double* y, double* dydt)
{
    kin_coupled* c = context;
    size_t n = (size_t)c->n;
    c->forces += c->active != NULL ? c->active_count : n;
    evaluate_fields(c, t, y, dydt);
    bool exact = c->self->def.contacts == KIN_CONTACTS_EXACT; /* what springs tie is then advanced together, springs and all */
    if (c->first && !exact) memcpy(c->pull, dydt + 3 * n, 3 * n * sizeof *dydt);
    if (c->link_count > 0) add_springs(c, y, dydt);
    if (c->first && exact) memcpy(c->pull, dydt + 3 * n, 3 * n * sizeof *dydt);
    add_mutual(c, t, y, dydt);
    for (size_t i = 0; c->first && i < 3 * n; ++i) c->pull[i] = dydt[3 * n + i] - c->pull[i];
    hold_others(c, dydt);
}

/* ---- its derivatives, for implicit steps: springs by their own, fields by differences at each particle alone ----
 *
 * A single linearised step takes springs without what makes them buckle: it does not blow up where one is short. Newton takes them as they are. */

static void field_jacobian(kin_coupled* c, double t, const double* y, kin_triplets* j)
{
    int n = c->n;
    double* moved = kin_arena_take(j->arena, 18 * (size_t)n * sizeof *moved);
    if (moved == NULL) {
        j->failed = true;
        return;
    }
    double *low = moved + 6 * n, *high = low + 6 * n, *columns = kin_arena_take(j->arena, 36 * (size_t)n * sizeof *columns);
    for (int k = 0; columns != NULL && k < 6; ++k) {
        for (int side = 0; side < 2; ++side) {
            memcpy(moved, y, 6 * (size_t)n * sizeof *y);
            for (int i = 0; i < n; ++i) moved[k * n + i] += (side == 0 ? -1 : 1) * 1e-6 * (1 + kin_abs(y[k * n + i]));
            evaluate_fields(c, t, moved, side == 0 ? low : high);
        }
        for (int i = 0; i < n; ++i) {
            double width = 2e-6 * (1 + kin_abs(y[k * n + i]));
            for (int axis = 0; axis < 3; ++axis) columns[(k * 3 + axis) * n + i] = (high[(3 + axis) * n + i] - low[(3 + axis) * n + i]) / width;
        }
    }
    if (columns == NULL) j->failed = true;
    for (int i = 0; columns != NULL && i < n; ++i) {
        if (c->self->mobility[c->live[i]] != KIN_MOBILITY_DYNAMIC) continue;
        for (int k = 0; k < 6; ++k) {
            for (int axis = 0; axis < 3; ++axis) kin_triplets_add(j, (3 + axis) * n + i, k * n + i, columns[(k * 3 + axis) * n + i]);
        }
    }
}

static void add_spring_block(const kin_coupled* c, kin_triplets* j, uint32_t row, uint32_t column, double sign, const kin_mat3* block, bool velocity)
{
    int n = c->n;
    if (c->self->mobility[c->live[row]] != KIN_MOBILITY_DYNAMIC) return;
    double k = sign * c->batch.inv_mass[row];
    const kin_vec3 columns[3] = {block->cx, block->cy, block->cz};
    for (int b = 0; b < 3; ++b) {
        const double entries[3] = {columns[b].x, columns[b].y, columns[b].z};
        for (int a = 0; a < 3; ++a) kin_triplets_add(j, (3 + a) * n + (int)row, ((velocity ? 3 : 0) + b) * n + (int)column, k * entries[a]);
    }
}

void kin_coupled_matrix(void* context, double t, const double* y, kin_triplets* j)
{
    kin_coupled* c = context;
    int n = c->n;
    for (int i = 0; i < n; ++i) {
        if (c->self->mobility[c->live[i]] != KIN_MOBILITY_DYNAMIC) continue;
        for (int axis = 0; axis < 3; ++axis) kin_triplets_add(j, axis * n + i, (3 + axis) * n + i, 1);
    }
    field_jacobian(c, t, y, j);
    const double *x[3] = {y, y + n, y + 2 * n}, *v[3] = {y + 3 * n, y + 4 * n, y + 5 * n};
    for (size_t s = 0; s < c->link_count; ++s) {
        const kin_spring* link = &c->links[s];
        uint32_t a = link->a, b = link->b;
        kin_vec3 xa = {x[0][a], x[1][a], x[2][a]}, xb = {x[0][b], x[1][b], x[2][b]};
        kin_spring_blocks d = c->once ? kin_spring_derivative_definite(link, xa, xb)
                                      : kin_spring_derivative(link, xa, xb, kin_v(v[0][a], v[1][a], v[2][a]), kin_v(v[0][b], v[1][b], v[2][b]));
        const uint32_t ends[2] = {a, b};
        for (int row = 0; row < 2; ++row) {
            for (int column = 0; column < 2; ++column) {
                double sign = row == column ? 1 : -1;
                add_spring_block(c, j, ends[row], ends[column], sign, &d.dx, false);
                add_spring_block(c, j, ends[row], ends[column], sign, &d.dv, true);
            }
        }
    }
}
