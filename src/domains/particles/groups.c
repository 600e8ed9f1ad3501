/* groups.c - the particles a scene begins with: one by one, or many spread over a form; and the springs between them. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "domains/particles/particles.h"
#include "math/quat.h"
#include "math/random.h"
#include "system/gravity/initial.h"
#include <stdio.h>

static kin_result check_group(const kin_particles* p, const kin_birth* birth, const kin_particle_group* g, const char* path, kin_error* error)
{
    kin_result result = kin_params_check(kin_particle_group_params, g, path, error);
    if (result != KIN_OK) return result;
    if (g->material.index1 >= birth->materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "no such material");
    if (kin_particles_kind_named(p, g->kind) == UINT32_MAX) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there is no kind \"%.80s\" in kinds", g->kind);
    return kin_particles_check_deviations(p, g, path, error);
}

/* Draws 0 to 2 place it in the box. */
static void spread_in_box(const kin_particle_group* g, const kin_rng_key* key, kin_particle_birth* b)
{
    kin_vec3 half = kin_scale(g->box, 0.5);
    b->x.x += kin_rng_uniform(key, 0, -half.x, half.x);
    b->x.y += kin_rng_uniform(key, 1, -half.y, half.y);
    b->x.z += kin_rng_uniform(key, 2, -half.z, half.z);
}

/* Draws 3 to 5 spread its velocity. */
static void spread_velocity(const kin_particle_group* g, const kin_rng_key* key, kin_particle_birth* b)
{
    if (g->spread.x > 0) b->v.x = kin_rng_normal(key, 3, b->v.x, g->spread.x);
    if (g->spread.y > 0) b->v.y = kin_rng_normal(key, 4, b->v.y, g->spread.y);
    if (g->spread.z > 0) b->v.z = kin_rng_normal(key, 5, b->v.z, g->spread.z);
}

static kin_star star_of(const kin_particle_group* g, uint64_t seed, uint64_t index)
{
    double total = g->mass * (double)g->count;
    if (g->form == KIN_FORM_BALL) return kin_ball_star(g->size, seed, index);
    if (g->form == KIN_FORM_PLUMMER) return kin_plummer_star(&(kin_plummer){g->constant, total, g->size}, seed, index);
    if (index == 0 && g->center_mass > 0) return (kin_star){0}; /* the heavy centre */
    kin_galaxy disk = {.constant = g->constant,
                       .disk_mass = total,
                       .central_mass = g->center_mass,
                       .scale = g->size,
                       .extent = 5 * g->size,
                       .thickness = 0.05 * g->size,
                       .dispersion = 0.05,
                       .softening = 0.05 * g->size,
                       .orientation = g->orientation};
    return kin_galaxy_star(&disk, seed, index);
}

static void add_one(kin_particles* p, const kin_birth* birth, const kin_particle_group* g, uint32_t kind, int64_t k, uint64_t first)
{
    const kin_particle_kind* of = p->kinds[kind].def;
    kin_rng_key key = {.seed = birth->seed, .serial = p->next_serial, .system = birth->system};
    kin_particle_birth b = {
        .x = g->position,
        .v = g->velocity,
        .mass = g->mass,
        .radius = g->radius,
        .charge = g->charge,
        .life = g->life > 0 ? g->life : of->life[0],
        .surface = kin_kind_surface(&p->kinds[kind], &key),
        .kind = kind,
        .material = g->material.index1 != 0 ? g->material.index1 : of->material.index1,
        .mobility = g->mobility,
    };
    kin_kind_draw_attributes(&p->kinds[kind], &key, b.attributes);
    if (g->form == KIN_FORM_BOX) {
        spread_in_box(g, &key, &b);
    } else {
        kin_star star = star_of(g, birth->seed + first, (uint64_t)k);
        b.x = kin_add(b.x, star.position);
        b.v = kin_add(b.v, star.velocity);
        if (g->form == KIN_FORM_DISK && k == 0 && g->center_mass > 0) b.mass = g->center_mass;
    }
    spread_velocity(g, &key, &b);
    kin_particles_bear(p, &b);
}

/* X3 1a, 1b: damping as a share of critical, which the reduced mass sets. */
static kin_result add_spring(kin_particles* p, const kin_particle_spring* s, size_t index, kin_error* error)
{
    char path[40];
    snprintf(path, sizeof path, "springs[%zu]", index);
    if (s->a < 0 || s->b < 0 || (size_t)s->a >= p->count || (size_t)s->b >= p->count)
        return kin_fail(error, KIN_ERROR_ARGUMENT, path, "joins %lld and %lld, but the particles count from 0 to %lld", (long long)s->a, (long long)s->b,
                        (long long)p->count - 1);
    if (s->a == s->b) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "joins particle %lld to itself", (long long)s->a);
    double apart = kin_distance(kin_get3(p->x, (size_t)s->a), kin_get3(p->x, (size_t)s->b)), rest = s->rest < 0 ? apart : s->rest;
    if (s->relative && rest == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "has no length for its relative stiffness");
    kin_spring link = {.a = (uint32_t)s->a,
                       .b = (uint32_t)s->b,
                       .stiffness = s->relative ? kin_spring_relative_stiffness(s->stiffness, rest) : s->stiffness,
                       .damping = s->damping,
                       .rest = rest};
    if (s->ratio > 0) link.damping = kin_spring_damping(s->ratio, link.stiffness, 1 / p->mass[s->a], 1 / p->mass[s->b]);
    p->springs[p->spring_count++] = link;
    return KIN_OK;
}

static kin_result add_springs(kin_particles* p, const kin_particles_def* def, kin_error* error)
{
    kin_result result = KIN_OK;
    if (def->springs.count == 0) return result;
    if (!kin_reserve(&p->allocator, (void**)&p->springs, &p->spring_capacity, def->springs.count, sizeof *p->springs))
        return kin_fail_memory(error, "springs", def->springs.count * sizeof *p->springs);
    for (size_t i = 0; i < def->springs.count && result == KIN_OK; ++i) result = add_spring(p, &def->springs.data[i], i, error);
    return result;
}

/* Chance gives a cluster a little momentum of its own: taken away, so that it stays where it was put, or goes as it was sent. Nothing has died yet, so serials are
 * slots. */
static void centre(kin_particles* p, const kin_particle_group* g, size_t first)
{
    const double at[3] = {g->position.x, g->position.y, g->position.z}, with[3] = {g->velocity.x, g->velocity.y, g->velocity.z};
    double *x[3], *v[3];
    for (int axis = 0; axis < 3; ++axis) {
        x[axis] = p->x[axis] + first;
        v[axis] = p->v[axis] + first;
    }
    kin_bodies_centre(p->mass + first, x, v, (size_t)g->count);
    for (int axis = 0; axis < 3; ++axis) {
        for (int64_t i = 0; i < g->count; ++i) {
            x[axis][i] += at[axis];
            v[axis][i] += with[axis];
        }
    }
}

kin_result kin_particles_add_groups(kin_particles* p, const kin_birth* birth, const kin_particles_def* def, kin_error* error)
{
    kin_result result = KIN_OK;
    uint32_t columns = 0;
    for (size_t i = 0; i < def->group_count && result == KIN_OK; ++i) {
        char path[40];
        snprintf(path, sizeof path, "particles[%zu]", i);
        result = check_group(p, birth, &def->groups[i], path, error);
        if (def->groups[i].charge != 0) columns |= KIN_COLUMN_CHARGE;
    }
    if (result != KIN_OK) return result;
    if (!kin_particles_need(p, columns) || !kin_particles_reserve(p, kin_particles_total(def)))
        return kin_fail_memory(error, "particles", kin_particles_bytes(def));
    for (size_t i = 0; i < def->group_count; ++i) {
        uint32_t kind = kin_particles_kind_named(p, def->groups[i].kind);
        uint64_t first = p->next_serial;
        for (int64_t k = 0; k < def->groups[i].count; ++k) add_one(p, birth, &def->groups[i], kind, k, first);
        if (def->groups[i].form == KIN_FORM_PLUMMER || def->groups[i].form == KIN_FORM_DISK) centre(p, &def->groups[i], first);
    }
    return add_springs(p, def, error);
}
