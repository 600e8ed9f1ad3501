/* field_pairs.c - forces between every two near points of a system: molecules (Lennard-Jones) and charges (Coulomb). Coutinho 3.3.4.
 *
 * A pair's force is a number times the difference of the two places, the same number from either side: f_ij = -f_ji to the bit, and momentum stays to rounding.
 * Every point sums over its neighbours by rising index, so nothing depends on threads or on how neighbours were found. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/neighbours.h"
#include "math/vec3.h"
#include "system/field_kinds.h"
#include <stdio.h>

enum { GRAIN = 256 };

/* A law between two points. */
typedef struct pair_law {
    bool charges;
    double k;             /* J: depth of the well; N m^2/C^2 */
    double sigma2, core2; /* m^2; molecules */
    double softening2;    /* m^2; charges */
    double base;          /* J: subtracted from energies of molecules */
} pair_law;

/* What is kept for one field of one system. */
typedef struct pairs {
    kin_allocator allocator;
    kin_neighbours* near; /* NULL: all pairs */
    double* energy;       /* J, half of each pair's, by point */
    uint32_t* together;   /* by chunk: coincident neighbours */
    size_t energy_capacity, together_capacity;
    char warning[96];
} pairs;

typedef struct pair_job {
    const kin_mutual_cloud* cloud;
    const kin_neighbour_lists* lists; /* NULL: all pairs */
    pair_law law;
    double* energy; /* NULL: forces */
    uint32_t* together;
} pair_job;

/* ---- laws ---- */

/* F = 24 k/e^2 (2 s^6 - s^3) d, s = sigma^2/e^2, e = max(r, core): proportional to the distance within the core. */
static double molecule_force(const pair_law* l, double r2)
{
    double e2 = kin_max(r2, l->core2), s = l->sigma2 / e2, s3 = s * s * s;
    return 24 * l->k * (2 * s3 * s3 - s3) / e2;
}

static double molecule_energy(const pair_law* l, double r2)
{
    double e2 = kin_max(r2, l->core2), s = l->sigma2 / e2, s3 = s * s * s;
    double core = r2 < e2 ? 0.5 * (e2 - r2) * molecule_force(l, r2) : 0;
    return 4 * l->k * (s3 * s3 - s3) + core - l->base;
}

static double charge_force(const pair_law* l, double charge2, double r2)
{
    double e2 = r2 + l->softening2;
    return l->k * charge2 / (e2 * kin_sqrt(e2));
}

static double charge_energy(const pair_law* l, double charge2, double r2) { return l->k * charge2 / kin_sqrt(r2 + l->softening2); }

/* ---- the loop over points ---- */

typedef struct pair_sum {
    double force[3], energy;
    uint32_t together;
} pair_sum;

static inline void add_pair(const pair_job* job, uint32_t i, uint32_t j, pair_sum* sum)
{
    const double least2 = 1e-60; /* m^2: no direction worth the name, and powers of 1/r would overflow */
    const kin_mutual_cloud* c = job->cloud;
    double d[3] = {c->x[0][i] - c->x[0][j], c->x[1][i] - c->x[1][j], c->x[2][i] - c->x[2][j]};
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!(r2 > least2)) {
        ++sum->together;
        return;
    }
    double charge2 = job->law.charges ? c->charge[i] * c->charge[j] : 0;
    if (job->energy != NULL) {
        sum->energy += job->law.charges ? charge_energy(&job->law, charge2, r2) : molecule_energy(&job->law, r2);
        return;
    }
    double k = job->law.charges ? charge_force(&job->law, charge2, r2) : molecule_force(&job->law, r2);
    for (int axis = 0; axis < 3; ++axis) sum->force[axis] += k * d[axis];
}

static void sum_point(const pair_job* job, uint32_t i, pair_sum* sum)
{
    if (job->lists != NULL) {
        for (size_t k = job->lists->offsets[i]; k < job->lists->offsets[i + 1]; ++k) add_pair(job, i, job->lists->indices[k], sum);
        return;
    }
    for (uint32_t j = 0; j < i; ++j) add_pair(job, i, j, sum);
    for (uint32_t j = i + 1; j < job->cloud->count; ++j) add_pair(job, i, j, sum);
}

static void sum_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    const pair_job* job = argument;
    job->together[chunk] = 0;
    for (int64_t i = begin; i < end; ++i) {
        pair_sum sum = {0};
        sum_point(job, (uint32_t)i, &sum);
        job->together[chunk] += sum.together;
        if (job->energy != NULL) {
            job->energy[i] = 0.5 * sum.energy;
            continue;
        }
        for (int axis = 0; axis < 3; ++axis) job->cloud->acceleration[axis][i] += sum.force[axis] / job->cloud->mass[i];
    }
}

static void run(const pair_job* job)
{
    int64_t n = job->cloud->count;
    if (job->cloud->jobs != NULL) {
        kin_parallel_for(job->cloud->jobs, n, GRAIN, sum_range, (void*)job);
        return;
    }
    for (int64_t i = 0; i < n; i += GRAIN) sum_range((void*)job, i, i + GRAIN < n ? i + GRAIN : n, (int)(i / GRAIN), NULL);
}

/* ---- one evaluation ---- */

static pair_law molecules_law(const kin_molecules_field* d)
{
    pair_law l = {.k = d->molecules, .sigma2 = d->sigma * d->sigma, .core2 = kin_square(d->core * d->sigma)};
    if (d->shift && d->cutoff > 0) l.base = molecule_energy(&l, d->cutoff * d->cutoff);
    return l;
}

static pair_law charges_law(const kin_charges_field* d) { return (pair_law){.charges = true, .k = d->charges, .softening2 = d->softening * d->softening}; }

static double cutoff_of(const kin_field* field)
{
    return field->ops == &kin_field_molecules_ops ? ((const kin_molecules_field*)field->def)->cutoff : ((const kin_charges_field*)field->def)->cutoff;
}

static kin_result find_neighbours(const kin_field* field, pairs* p, const kin_mutual_cloud* cloud, kin_neighbour_lists* lists, kin_error* error)
{
    kin_points points = kin_points_of_arrays(cloud->x[0], cloud->x[1], cloud->x[2]);
    kin_result result = kin_neighbours_update(p->near, cloud->jobs, points, cloud->count, cutoff_of(field), error);
    if (result == KIN_OK) result = kin_neighbours_lists(p->near, cloud->jobs, lists, error);
    if (result == KIN_OK || result == KIN_ERROR_MEMORY) return result;
    return kin_fail(error, KIN_ERROR_NUMERICS, field->ops->name, "a point is nowhere: its place is not finite, or out of all reach");
}

/* energy: the halves by point are left in p->energy; else forces are added. */
static kin_result sum_pairs(const kin_field* field, pairs* p, const kin_mutual_cloud* cloud, bool energy, kin_error* error)
{
    size_t n = cloud->count, chunks = (size_t)kin_chunk_count((int64_t)n, GRAIN);
    kin_neighbour_lists lists = {0};
    bool room = kin_reserve(&p->allocator, (void**)&p->together, &p->together_capacity, chunks, sizeof *p->together);
    if (energy) room = room && kin_reserve(&p->allocator, (void**)&p->energy, &p->energy_capacity, n, sizeof *p->energy);
    if (!room) return kin_fail_memory(error, field->ops->name, n * sizeof *p->energy);
    pair_job job = {.cloud = cloud, .lists = p->near != NULL ? &lists : NULL, .energy = energy ? p->energy : NULL, .together = p->together};
    job.law = field->ops == &kin_field_molecules_ops ? molecules_law(field->def) : charges_law(field->def);
    kin_result result = p->near != NULL ? find_neighbours(field, p, cloud, &lists, error) : KIN_OK;
    if (result == KIN_OK) run(&job);
    return result;
}

/* Chunk by chunk, each pair was seen from both sides. */
static void note_together(const kin_field* field, pairs* p, size_t chunks)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < chunks; ++i) sum += p->together[i];
    p->warning[0] = 0;
    if (sum > 0)
        snprintf(p->warning, sizeof p->warning, "%s: %llu pairs of points at one place feel nothing of each other", field->ops->name,
                 (unsigned long long)(sum / 2));
}

static bool is_idle(const kin_field* field, const kin_mutual_cloud* cloud)
{
    return cloud->count == 0 || (field->ops == &kin_field_charges_ops && cloud->charge == NULL);
}

static kin_result evaluate(const kin_field* field, void* self, const kin_mutual_cloud* cloud, kin_error* error)
{
    pairs* p = self;
    p->warning[0] = 0;
    if (is_idle(field, cloud)) return KIN_OK;
    kin_result result = sum_pairs(field, p, cloud, false, error);
    if (result == KIN_OK) note_together(field, p, (size_t)kin_chunk_count(cloud->count, GRAIN));
    return result;
}

static double potential(const kin_field* field, void* self, const kin_mutual_cloud* cloud)
{
    pairs* p = self;
    if (is_idle(field, cloud) || sum_pairs(field, p, cloud, true, NULL) != KIN_OK) return 0;
    return kin_sum(p->energy, cloud->count);
}

static const char* warning(const void* self) { return ((const pairs*)self)->warning; }

static void destroy(void* self)
{
    pairs* p = self;
    kin_allocator allocator = p->allocator;
    kin_neighbours_destroy(p->near);
    kin_free(&allocator, p->energy, p->energy_capacity * sizeof *p->energy);
    kin_free(&allocator, p->together, p->together_capacity * sizeof *p->together);
    kin_free(&allocator, p, sizeof *p);
}

/* The skin saves searches while no point has moved a twentieth of the cut-off; the lists themselves end at the cut-off. */
static kin_result create(const kin_field* field, const kin_allocator* allocator, void** self, kin_error* error)
{
    pairs* p = *self = kin_alloc_zero(allocator, sizeof *p);
    if (p == NULL) return kin_fail_memory(error, field->ops->name, sizeof *p);
    p->allocator = *allocator;
    double cutoff = cutoff_of(field);
    kin_neighbours_def def = {.kind = KIN_NEIGHBOURS_HASH, .skin = 0.1 * cutoff};
    kin_result result = cutoff > 0 ? kin_neighbours_create(allocator, &def, &p->near, error) : KIN_OK;
    if (result == KIN_OK) return result;
    destroy(p);
    *self = NULL;
    return result;
}

static const kin_mutual_ops pair_ops = {.create = create, .destroy = destroy, .evaluate = evaluate, .potential = potential, .warning = warning};

/* ---- tables ---- */

#define CUTOFF(def, value)                                                                                                                                     \
    {                                                                                                                                                          \
        .name = "cutoff", .type = KIN_PARAM_NUMBER, .offset = offsetof(def, cutoff), .unit = "m",                                                              \
        .doc = "Pairs farther apart feel nothing, and cost little; 0: all pairs.", .high = 1e140, .preset = {                                                  \
            value                                                                                                                                              \
        }                                                                                                                                                      \
    }

static const kin_param molecules_params[] = {
    {.name = "molecules",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_molecules_field, molecules),
     .unit = "J",
     .doc = "Depth of the well: energy it takes to part two that rest at a distance of 1.12 sigma. 1 in reduced units.",
     .high = 1e100,
     .preset = {1},
     .flags = KIN_PARAM_LIVE},
    {.name = "sigma",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_molecules_field, sigma),
     .unit = "m",
     .doc = "Distance at which pull and push have done the same work.",
     .low = 1e-12,
     .high = 1e12,
     .preset = {1},
     .flags = KIN_PARAM_LIVE},
    CUTOFF(kin_molecules_field, 2.5),
    {.name = "core",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_molecules_field, core),
     .doc = "Share of sigma within which the push grows no more.",
     .low = 1e-3,
     .high = 1,
     .preset = {0.1},
     .flags = KIN_PARAM_LIVE},
    {.name = "shift",
     .type = KIN_PARAM_BOOL,
     .offset = offsetof(kin_molecules_field, shift),
     .doc = "Count energies from that at the cutoff, so that it does not jump there."},
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param charges_params[] = {
    {.name = "charges",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_charges_field, charges),
     .unit = "N m^2/C^2",
     .doc = "Constant of Coulomb's law.",
     .high = 1e100,
     .preset = {8.9875e9},
     .flags = KIN_PARAM_LIVE},
    {.name = "softening",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_charges_field, softening),
     .unit = "m",
     .doc = "Distances r count as the root of r^2 + softening^2.",
     .high = 1e100,
     .flags = KIN_PARAM_LIVE},
    CUTOFF(kin_charges_field, 0),
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_molecules_ops = {
    .name = "molecules",
    .doc = "Lennard-Jones forces between the points of a system: push when near, pull when farther.",
    .params = molecules_params,
    .def_size = sizeof(kin_molecules_field),
    .mutual = &pair_ops,
};
const kin_field_ops kin_field_charges_ops = {
    .name = "charges",
    .doc = "Coulomb forces between the points of a system, by their charges.",
    .params = charges_params,
    .def_size = sizeof(kin_charges_field),
    .wants = KIN_FIELD_WANTS_CHARGE,
    .mutual = &pair_ops,
};
