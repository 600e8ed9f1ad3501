/* rig.h - a tank with forces, without a world: fields of velocity over a lattice, sums of what is kept. */
#pragma once
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/physics/physics.h"
#include "unit/domains/sph/tank.h"

typedef struct rig {
    tank k;
    kin_sph_phase_def matter[2];
    kin_solids* solids; /* none */
} rig;

/* matter: of both phases; liquids unless the caller changed it. columns: KIN_SPH_HAS_*. */
static inline void rig_begin(test* t, rig* r, const kin_sph_def* def, uint32_t columns, kin_simd simd, int threads)
{
    kin_sph_def d = *def;
    d.phases.data = r->matter, d.phases.count = 2;
    tank_begin(t, &r->k, &d, simd, threads);
    r->k.f.columns = columns;
    kin_birth birth = {.allocator = t->allocator, .simd = simd};
    CHECK(t, kin_sph_physics_create(&birth, &d, &r->k.f.physics, NULL) == KIN_OK);
    CHECK(t, kin_sph_walls_create(&birth, &d, &r->k.f.walls, NULL) == KIN_OK);
    CHECK(t, kin_solids_create(&t->allocator, &r->solids, NULL) == KIN_OK);
    r->k.step.solids = r->solids;
}

static inline void rig_end(rig* r)
{
    kin_sph_physics_destroy(r->k.f.physics);
    kin_sph_walls_destroy(r->k.f.walls);
    kin_solids_destroy(r->solids);
    tank_end(&r->k);
}

static inline kin_sph_tick rig_tick(rig* r, float h) { return (kin_sph_tick){.step = &r->k.step, .begin = 0, .end = 1, .h = h}; }

static inline bool rig_forces(rig* r, float h)
{
    kin_sph_tick tick = rig_tick(r, h);
    return kin_sph_forces(&r->k.f, &tick);
}
static inline bool rig_calm(rig* r, float h)
{
    kin_sph_tick tick = rig_tick(r, h);
    return kin_sph_calm(&r->k.f, &tick);
}
static inline void rig_heat(rig* r, float h)
{
    kin_sph_tick tick = rig_tick(r, h);
    kin_sph_heat(&r->k.f, &tick);
}

typedef struct rig_sum {
    kin_vec3 momentum, angular;
    double energy; /* kinetic */
} rig_sum;

/* Of u4: velocities, or accelerations for forces. */
static inline rig_sum rig_sums(const kin_sph* f, const float* u4)
{
    rig_sum s = {0};
    for (size_t i = 0; i < f->count; ++i) {
        double m = (double)f->phases[f->phase[i]].mass, u[3] = {u4[4 * i], u4[4 * i + 1], u4[4 * i + 2]};
        double x[3] = {f->x4[4 * i], f->x4[4 * i + 1], f->x4[4 * i + 2]};
        s.momentum.x += m * u[0], s.momentum.y += m * u[1], s.momentum.z += m * u[2];
        s.angular.x += m * (x[1] * u[2] - x[2] * u[1]), s.angular.y += m * (x[2] * u[0] - x[0] * u[2]), s.angular.z += m * (x[0] * u[1] - x[1] * u[0]);
        s.energy += 0.5 * m * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    return s;
}

static inline double rig_length(kin_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

/* Sum of |m u|: what round-off of a sum of momenta is measured by. */
static inline double rig_size(const kin_sph* f, const float* u4)
{
    double s = 0;
    for (size_t i = 0; i < f->count; ++i) {
        s += (double)f->phases[f->phase[i]].mass * sqrt((double)(u4[4 * i] * u4[4 * i] + u4[4 * i + 1] * u4[4 * i + 1] + u4[4 * i + 2] * u4[4 * i + 2]));
    }
    return s;
}
