/* tank.h - a tank without solvers: particles put by hand, solids, and the columns that walls read and write. Neighbours are found by trying all. */
#pragma once
#include "base/alloc.h"
#include "base/arena.h"
#include "domains/sph/boundary/walls.h"
#include "domains/sph/kernel.h"
#include "domains/sph/store.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "support/test.h"
#include <string.h>

typedef struct tank {
    test* t;
    kin_sph f;
    kin_sph_phase phase;
    kin_solids* solids;
    kin_jobs jobs;
    kin_fields fields;
    kin_step step;
    kin_sph_tick tick;
    size_t room;
} tank;

/* Radius 0.05: spacing 0.1, support 0.2 (cubic spline), water. */
static inline kin_sph_def tank_def(void) { return (kin_sph_def){.radius = 0.05, .support = 4, .kernel = KIN_SPH_CUBIC, .wall_friction = 1}; }

static inline tank* tank_open(test* t, const kin_sph_def* def, size_t room, int threads)
{
    tank* k = kin_alloc_zero(&t->allocator, sizeof *k);
    kin_sph* f = &k->f;
    k->t = t;
    k->room = (room + 7) / 8 * 8;
    f->allocator = t->allocator;
    f->def = *def;
    f->spacing = (float)(2 * def->radius);
    f->flat = def->flat;
    f->volume = f->spacing * f->spacing * (def->flat ? 1 : f->spacing);
    f->support = (float)(def->support * def->radius);
    k->phase = (kin_sph_phase){.density = 1000, .mass = 1000 * f->volume, .viscosity = 1e-6f};
    f->phases = &k->phase, f->phase_count = 1;
    CHECK(t, kin_sph_reserve(f, k->room));
    kin_reactions_init(&f->reactions, &t->allocator);
    kin_birth birth = {.allocator = t->allocator};
    EQUAL(t, kin_sph_walls_create(&birth, def, &f->walls, NULL), KIN_OK);
    EQUAL(t, kin_solids_create(&t->allocator, &k->solids, NULL), KIN_OK);
    EQUAL(t, kin_jobs_init(&k->jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
    kin_fields_init(&k->fields, &t->allocator, KIN_SIMD_NONE);
    k->fields.gravity = kin_v(0, -9.81, 0);
    k->step = (kin_step){.jobs = &k->jobs, .fields = &k->fields, .solids = k->solids, .h = 0.01};
    k->tick = (kin_sph_tick){.step = &k->step, .begin = 0, .end = 1, .h = 0.01f};
    return k;
}

static inline void tank_close(tank* k)
{
    test* t = k->t;
    kin_sph_walls_destroy(k->f.walls);
    kin_reactions_term(&k->f.reactions);
    kin_solids_destroy(k->solids);
    kin_fields_term(&k->fields);
    kin_jobs_term(&k->jobs);
    kin_sph_free(&k->f);
    kin_free(&t->allocator, k, sizeof *k);
}

/* Every column of both. */
static inline bool tank_alike(tank* x, tank* y)
{
    bool alike = x->f.capacity == y->f.capacity;
    for (int c = 0; c < KIN_SPH_COLUMNS && alike; ++c) {
        const kin_sph_column* column = &kin_sph_columns[c];
        if (kin_sph_has(&x->f, column))
            alike = memcmp(*kin_sph_column_of(&x->f, column), *kin_sph_column_of(&y->f, column), x->f.capacity * column->bytes) == 0;
    }
    return alike;
}

static inline size_t tank_put(tank* k, kin_vec3 x, kin_vec3 v)
{
    size_t i = k->f.count++;
    kin_sph_narrow(k->f.x4 + 4 * i, x), kin_sph_narrow(k->f.v4 + 4 * i, v);
    k->f.xs[0][i] = (float)x.x, k->f.xs[1][i] = (float)x.y, k->f.xs[2][i] = (float)x.z;
    k->f.blocks = (k->f.count + 7) / 8;
    return i;
}

/* A block of n particles along each axis, the first at `low`. */
static inline void tank_fill(tank* k, kin_vec3 low, const int n[3])
{
    double l = (double)k->f.spacing;
    for (int z = 0; z < n[2]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[0]; ++x) tank_put(k, kin_add(low, kin_v(x * l, y * l, z * l)), kin_v(0, 0, 0));
        }
    }
}

static inline uint32_t tank_solid(tank* k, const kin_shape* shape, kin_vec3 position)
{
    uint32_t index = UINT32_MAX;
    kin_solid_def def = {.shape = shape, .pose = {position, {0, 0, 0, 1}}};
    EQUAL(k->t, kin_solids_add(k->solids, &def, &index, NULL), KIN_OK);
    return index;
}

static inline uint32_t tank_plane(tank* k, kin_vec3 point, kin_vec3 normal)
{
    return tank_solid(k, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normal}, point);
}

static inline void tank_body(tank* k, uint32_t solid, double mass, double moment)
{
    kin_solids_weigh(k->solids, solid, 1 / mass, kin_sym3_diagonal(kin_v(1 / moment, 1 / moment, 1 / moment)), kin_solids_pose(k->solids, solid, 1).position);
}

static inline void tank_begin(tank* k)
{
    kin_solids_refit(k->solids, k->step.h);
    CHECK(k->t, kin_sph_walls_begin(&k->f, &k->step));
}

static inline void tank_feel(tank* k)
{
    tank_begin(k);
    CHECK(k->t, kin_sph_walls_feel(&k->f, &k->tick));
}

static inline kin_vec3 tank_x(const tank* k, size_t i) { return kin_sph_wide(k->f.x4 + 4 * i); }
static inline kin_vec3 tank_v(const tank* k, size_t i) { return kin_sph_wide(k->f.v4 + 4 * i); }
static inline kin_vec3 tank_b(const tank* k, size_t i) { return kin_v((double)k->f.b[0][i], (double)k->f.b[1][i], (double)k->f.b[2][i]); }

/* V sum W over all particles, itself among them: what it has without walls. */
static inline double tank_own_density(const tank* k, size_t i)
{
    const kin_sph_bell* bell = &k->f.walls->profile.density;
    double sum = 0;
    for (size_t j = 0; j < k->f.count; ++j) sum += kin_sph_bell_w(bell, kin_distance(tank_x(k, i), tank_x(k, j)));
    return sum * (double)k->f.volume;
}

/* sum V W'/r x_ij over all particles. */
static inline kin_vec3 tank_own_gradient(const tank* k, size_t i)
{
    const kin_sph_bell* bell = &k->f.walls->profile.gradient;
    kin_vec3 sum = {0, 0, 0};
    for (size_t j = 0; j < k->f.count; ++j) {
        kin_vec3 x = kin_sub(tank_x(k, i), tank_x(k, j));
        if (j != i) sum = kin_add_scaled(sum, (double)k->f.volume * kin_sph_bell_slope(bell, kin_length(x)), x);
    }
    return sum;
}
