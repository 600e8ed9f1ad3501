/* elastic.c - matter that remembers its form: corotated elasticity over the neighbours of birth (Becker 2009, Ganzenmueller 2015, Peer 2018).
 *
 * With X_ij the offsets at birth and g_ij of then, the deformation of a particle's surroundings is, exactly for every linear one,
 *
 *     F_i = (-sum_j g_ij x_ij X_ij^T) A_i^-1,     A_i = -sum_j g_ij X_ij X_ij^T
 *
 * R_i is the rotation nearest to F_i (polar decomposition), the energy of a volume mu |F - R|^2 + lambda/2 tr(R^T F - 1)^2, its derivative the stress P, and
 *
 *     f_i = V sum_j g_ij (Q_i + Q_j) X_ij,        Q = P A^-1
 *
 * is the exact gradient of the sum of all energies: momentum, angular momentum and energy are kept, and turned matter feels nothing. Sums over neighbours do not
 * see wiggles from one particle to the next; a weak force along x_ij towards the length that the two F say it has takes those out.
 *
 * Where a phase's thickness falls with temperature, so does its stiffness; who is soft to a thousandth has melted and forgets its bonds for good. */
#include "domains/sph/physics/bonds.h"
#include "domains/sph/physics/pairs.h"
#include "math/svd3.h"

#define STRAIGHTEN 0.1 /* of Young's modulus: against wiggles */
#define MELTED 1e-3
enum { GRAIN = 256 };

typedef struct lame {
    double mu, lambda, young;
} lame;

static lame lame_of(const kin_sph_phase_def* d)
{
    double nu = kin_clamp(d->poisson, -0.9, 0.49), young = kin_max(d->stiffness, 0);
    return (lame){young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu)), young};
}

typedef struct elastic_job {
    kin_sph* f;
    kin_sph_memory* e;
    kin_sph_pairs pairs;
} elastic_job;

/* x_i - x_j of now, nearest image. */
static kin_vec3 apart_now(const elastic_job* job, size_t i, size_t j)
{
    kin_vec3 d = kin_sub(kin_sph_get(job->f->x4, i), kin_sph_get(job->f->x4, j));
    double* axes[3] = {&d.x, &d.y, &d.z};
    for (int a = 0; a < 3; ++a) {
        double size = (double)job->pairs.size[a];
        if (size > 0) *axes[a] -= size * kin_round(*axes[a] / size);
    }
    return d;
}

static kin_vec3 rest(const kin_sph_bond* b) { return kin_v((double)b->x[0], (double)b->x[1], (double)b->x[2]); }

/* A^-1 and F; false: too few neighbours to tell. */
static bool deformation(const elastic_job* job, size_t slot, kin_mat3* inverse, kin_mat3* out)
{
    const kin_sph_memory* e = job->e;
    kin_mat3 a = {{0}}, n = {{0}};
    size_t i = e->particle[slot];
    for (uint32_t k = e->first[slot]; k < e->first[slot + 1]; ++k) {
        const kin_sph_bond* b = &e->bonds[k];
        if (e->particle[b->to] == UINT32_MAX) continue;
        kin_vec3 x = rest(b), gx = kin_scale(x, -(double)b->g);
        a = kin_mat3_add(a, kin_mat3_outer(x, gx));
        n = kin_mat3_add(n, kin_mat3_outer(apart_now(job, i, e->particle[b->to]), gx));
    }
    if (job->f->flat) a.cz.z = n.cz.z = 1;
    if (kin_mat3_determinant(a) < 1e-4 || !kin_mat3_inverse(a, inverse)) return false; /* 1 in the bulk */
    *out = kin_mat3_mul(n, *inverse);
    return true;
}

/* P, and the energy of a volume, J/m^3. */
static kin_mat3 stress_of(const kin_sph_phase_def* d, kin_mat3 f, double* energy)
{
    lame l = lame_of(d);
    kin_mat3 r = kin_mat3_polar(f).rotation, off = kin_mat3_sub(f, r);
    double spread = kin_dot(r.cx, f.cx) + kin_dot(r.cy, f.cy) + kin_dot(r.cz, f.cz) - 3, size = kin_mat3_norm(off);
    *energy = l.mu * size * size + 0.5 * l.lambda * spread * spread;
    return kin_mat3_add(kin_mat3_scale(off, 2 * l.mu), kin_mat3_scale(r, l.lambda * spread));
}

static void keep(float* to, kin_mat3 m)
{
    const kin_vec3 columns[3] = {m.cx, m.cy, m.cz};
    for (int c = 0; c < 3; ++c) to[3 * c] = (float)columns[c].x, to[3 * c + 1] = (float)columns[c].y, to[3 * c + 2] = (float)columns[c].z;
}
static kin_vec3 apply(const float* m, kin_vec3 x)
{
    return kin_v((double)m[0] * x.x + (double)m[3] * x.y + (double)m[6] * x.z, (double)m[1] * x.x + (double)m[4] * x.y + (double)m[7] * x.z,
                 (double)m[2] * x.x + (double)m[5] * x.y + (double)m[8] * x.z);
}

static void some_stress(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const elastic_job* job = argument;
    kin_sph_memory* e = job->e;
    (void)chunk, (void)scratch;
    for (size_t s = (size_t)begin; s < (size_t)end; ++s) {
        kin_mat3 inverse = {{0}}, f = kin_mat3_identity(), q = {{0}};
        size_t i = e->particle[s];
        double energy;
        if (i != UINT32_MAX && deformation(job, s, &inverse, &f)) {
            q = kin_mat3_scale(kin_mat3_mul(stress_of(kin_sph_phase_def_of(job->f, i), f, &energy), inverse), kin_sph_softness(job->f, i));
        }
        keep(e->stress + 18 * s, q);
        keep(e->stress + 18 * s + 9, f);
    }
}

static void some_force(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const elastic_job* job = argument;
    const kin_sph_memory* e = job->e;
    kin_sph* f = job->f;
    (void)chunk, (void)scratch;
    for (size_t s = (size_t)begin; s < (size_t)end; ++s) {
        size_t i = e->particle[s];
        if (i == UINT32_MAX) continue;
        kin_vec3 sum = {0, 0, 0};
        double straighten = STRAIGHTEN * lame_of(kin_sph_phase_def_of(f, i)).young;
        for (uint32_t k = e->first[s]; k < e->first[s + 1]; ++k) {
            const kin_sph_bond* b = &e->bonds[k];
            size_t j = e->particle[b->to];
            if (j == UINT32_MAX || b->g == 0) continue;
            const float *mine = e->stress + 18 * s, *other = e->stress + 18 * b->to;
            kin_vec3 x = rest(b), now = apart_now(job, i, j);
            double soft = kin_min(kin_sph_softness(f, i), kin_sph_softness(f, j)), length2 = kin_max(kin_length2(now), 1e-12 * kin_length2(x));
            kin_vec3 wanted = kin_scale(kin_add(apply(mine + 9, x), apply(other + 9, x)), 0.5);
            double wiggle = -straighten * soft * (kin_dot(wanted, now) / length2 - 1);
            sum = kin_add_scaled(sum, (double)b->g, kin_add_scaled(kin_add(apply(mine, x), apply(other, x)), wiggle, now));
        }
        kin_sph_put(f->a4, i, kin_add_scaled(kin_sph_get(f->a4, i), (double)f->inv_rho[i], sum));
        if (f->flat) f->a4[4 * i + 2] = 0;
    }
}

/* Bonds of what has melted, from both sides. */
static void forget_melted(kin_sph* f, kin_sph_memory* e)
{
    for (size_t s = 0; s < e->count; ++s) {
        if (e->particle[s] == UINT32_MAX || kin_sph_softness(f, e->particle[s]) > MELTED) continue;
        for (uint32_t k = e->first[s]; k < e->first[s + 1]; ++k) {
            uint32_t to = e->bonds[k].to;
            e->bonds[k].g = 0;
            for (uint32_t n = e->first[to]; n < e->first[to + 1]; ++n) {
                if (e->bonds[n].to == s) e->bonds[n].g = 0;
            }
        }
    }
}

bool kin_sph_elastic_force(kin_sph* f, kin_sph_tick* tick)
{
    if (!f->physics->has_elastic || f->count == 0) return true;
    if (!kin_sph_bonds_update(f)) return false;
    elastic_job job = {f, &f->physics->elastic, kin_sph_pairs_of(f)};
    if (f->physics->has_thickness && f->temperature != NULL) forget_melted(f, job.e);
    kin_parallel_for(tick->step->jobs, (int64_t)job.e->count, GRAIN, some_stress, &job);
    kin_parallel_for(tick->step->jobs, (int64_t)job.e->count, GRAIN, some_force, &job);
    return true;
}

/* A quarter of what sound needs for a spacing. */
double kin_sph_elastic_tick(const kin_sph* f)
{
    double least = 1e300;
    for (size_t k = 0; f->physics->has_elastic && k < f->def.phases.count; ++k) {
        const kin_sph_phase_def* d = &f->def.phases.data[k];
        lame l = lame_of(d);
        if (d->matter != KIN_SPH_ELASTIC || !(l.young > 0)) continue;
        least = kin_min(least, 0.25 * (double)f->spacing / kin_sqrt((l.lambda + 2 * l.mu) / (double)f->phases[k].density));
    }
    return least;
}

double kin_sph_elastic_energy(const kin_sph* f)
{
    if (f->physics == NULL || f->physics->seen_count != f->count || f->physics->seen_serial != f->next_serial) return 0; /* births or deaths since: not known */
    double sum = f->physics->surface_energy;
    const kin_sph_memory* e = &f->physics->elastic;
    elastic_job job = {(kin_sph*)f, (kin_sph_memory*)e, kin_sph_pairs_of(f)};
    for (size_t s = 0; s < e->count; ++s) {
        size_t i = e->particle[s];
        kin_mat3 inverse, now;
        double energy = 0;
        if (i >= f->count || f->serial[i] != e->serial[s] || !deformation(&job, s, &inverse, &now)) continue;
        stress_of(kin_sph_phase_def_of(f, i), now, &energy);
        sum += (double)f->volume * kin_sph_softness(f, i) * energy;
    }
    return sum;
}
