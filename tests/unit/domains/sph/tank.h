/* tank.h - a tank without a world: particles, jobs and a step, for tests of the heart of particle fluids. */
#pragma once
#include "base/jobs.h"
#include "base/rng.h"
#include "domains/sph/fluid.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tank {
    kin_sph f;
    kin_sph_phase phases[2];
    kin_sph_phase_def phase_defs[2];
    kin_jobs jobs;
    kin_fields* fields;
    kin_step step;
    kin_step_report report;
    kin_error error;
} tank;

static inline kin_sph_def tank_def(double radius)
{
    kin_sph_def d = {0};
    d.solver = KIN_SPH_WCSPH;
    d.radius = radius, d.support = 4;
    d.density_error = 5e-4, d.divergence_error = 1e-3, d.max_iterations = 100, d.cfl = 0.5;
    d.exponent = 7, d.bulk_viscosity = 0.25;
    return d;
}

/* Two phases: water, and one of half its weight. */
static inline void tank_begin(test* t, tank* k, const kin_sph_def* def, kin_simd simd, int threads)
{
    memset(k, 0, sizeof *k);
    k->phases[0] = (kin_sph_phase){.density = 1000, .viscosity = 1e-6f};
    k->phases[1] = (kin_sph_phase){.density = 500, .viscosity = 1e-6f};
    k->f.allocator = t->allocator, k->f.simd = simd, k->f.def = *def, k->f.phases = k->phases, k->f.phase_count = 2;
    if (def->phases.count == 0) k->f.def.phases.data = k->phase_defs, k->f.def.phases.count = 2;
    kin_sph_set_sizes(&k->f);
    kin_reactions_init(&k->f.reactions, &t->allocator);
    for (int p = 0; p < 2; ++p) k->phases[p].mass = k->phases[p].density * k->f.volume;
    CHECK(t, kin_jobs_init(&k->jobs, &t->allocator, NULL, threads, &k->error) == KIN_OK);
    k->fields = calloc(1, sizeof *k->fields);
    k->step = (kin_step){.jobs = &k->jobs, .simd = simd, .fields = k->fields, .system_name = "tank", .report = &k->report, .h = 1e-3};
}

static inline void tank_end(tank* k)
{
    kin_sph_free(&k->f);
    kin_reactions_term(&k->f.reactions);
    kin_jobs_term(&k->jobs);
    free(k->fields);
}

static inline uint32_t tank_random(uint32_t* state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }
static inline float tank_share(uint32_t* state) { return (float)tank_random(state) / (float)(1 << 24); }

static inline void tank_add(test* t, tank* k, float x, float y, float z, float u, float v, float w, uint8_t phase)
{
    CHECK(t, kin_sph_reserve(&k->f, k->f.count + 1));
    kin_sph_append(&k->f, (float[3]){x, y, z}, (float[3]){u, v, w}, phase, 300);
    kin_sph_park(&k->f);
}

/* A lattice of n[0] x n[1] x n[2] from `low`, half a spacing off it, each coordinate off by up to jitter spacings; velocities within +-1 where jittered. */
static inline void tank_fill(test* t, tank* k, const float low[3], const int n[3], float jitter, uint32_t seed)
{
    float s = k->f.spacing;
    CHECK(t, kin_sph_reserve(&k->f, k->f.count + (size_t)(n[0] * n[1] * n[2])));
    for (int i = 0; i < n[0] * n[1] * n[2]; ++i) {
        int at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        float x[3], v[3];
        for (int a = 0; a < 3; ++a) {
            x[a] = low[a] + s * ((float)at[a] + 0.5f + jitter * (2 * tank_share(&seed) - 1));
            v[a] = jitter > 0 ? 2 * tank_share(&seed) - 1 : 0;
            if (k->f.flat && a == 2) x[a] = v[a] = 0;
        }
        kin_sph_append(&k->f, x, v, 0, 300);
    }
    kin_sph_park(&k->f);
}

/* Order, lists, no walls, densities. */
static inline void tank_look(test* t, tank* k)
{
    kin_sph* f = &k->f;
    size_t crowded, n = f->blocks * 8;
    CHECK(t, kin_sph_sort(f, &k->jobs) && kin_sph_link(f, &k->jobs, &crowded));
    memset(f->lambda, 0, n * sizeof(float)), memset(f->wall_rate, 0, n * sizeof(float));
    for (int a = 0; a < 3; ++a) memset(f->b[a], 0, n * sizeof(float));
    CHECK(t, kin_sph_measure_density(f, &k->jobs));
}
