/* physics.c - what the forces share: their scratch, lattice sums, and the walk over chunks. */
#include "domains/sph/physics/inside.h"
#include "base/error.h"
#include "domains/sph/kernel.h"
#include <string.h>

/* ---- lattice sums ---- */

typedef struct lattice {
    double moment, all_g;
} lattice;

static lattice lattice_of(const kin_sph_bell* bell, double spacing, double volume)
{
    int reach = (int)(bell->support / spacing) + 1, deep = bell->dimensions == 3 ? reach : 0;
    lattice sum = {0};
    for (int i = -reach; i <= reach; ++i) {
        for (int j = -reach; j <= reach; ++j) {
            for (int k = -deep; k <= deep; ++k) {
                double r = spacing * kin_sqrt((double)(i * i + j * j + k * k));
                if (r == 0 || r >= bell->support) continue;
                double g = volume * kin_sph_bell_slope(bell, r), along = r * r / bell->dimensions;
                sum.all_g -= g, sum.moment -= g * along;
            }
        }
    }
    return sum;
}

static kin_sph_scales scales_of(const kin_sph_def* def)
{
    int d = def->flat ? 2 : 3;
    double spacing = 2 * def->radius, support = def->support * def->radius, volume = spacing * spacing * (d == 3 ? spacing : 1);
    kin_sph_bell bell = kin_sph_bell_for_gradient(def->kernel, d, support, spacing), dense = kin_sph_bell_for_density(def->kernel, d, support, spacing);
    lattice sum = lattice_of(&bell, spacing, volume);
    return (kin_sph_scales){.moment = sum.moment,
                            .all_g = sum.all_g,
                            .adhesion = kin_sph_adhesion_factor(&dense, spacing),
                            .surface = kin_sph_surface_of(&bell, spacing),
                            .company = kin_sph_company_of(d, support, spacing)};
}

/* ---- life ---- */

kin_result kin_sph_physics_create(const kin_birth* birth, const kin_sph_def* def, kin_sph_physics** out, kin_error* error)
{
    kin_sph_physics* p = kin_alloc_zero(&birth->allocator, sizeof *p);
    *out = p;
    if (p == NULL) return kin_fail_memory(error, "fluid forces", sizeof *p);
    p->allocator = birth->allocator;
    p->fields = birth->fields;
    p->scales = scales_of(def);
    for (size_t i = 0; i < def->phases.count; ++i) {
        p->has_elastic |= def->phases.data[i].matter == KIN_SPH_ELASTIC;
        p->has_sand |= def->phases.data[i].matter == KIN_SPH_SAND;
        p->has_thickness |= def->phases.data[i].thickness.count > 0;
    }
    return KIN_OK;
}

void kin_sph_physics_destroy(kin_sph_physics* p)
{
    if (p == NULL) return;
    kin_allocator allocator = p->allocator;
    kin_sph_elastic_term(&p->elastic, &allocator);
    kin_free(&allocator, p->scratch, p->scratch_capacity * sizeof *p->scratch);
    kin_free(&allocator, p->shell, p->shell_capacity * sizeof *p->shell);
    kin_free(&allocator, p->shells, p->shells_capacity * sizeof *p->shells);
    kin_free(&allocator, p->crowd, p->crowd_capacity * sizeof *p->crowd);
    kin_free(&allocator, p->aside4, p->aside_capacity * sizeof *p->aside4);
    kin_mutuals_term(&p->mutuals);
    kin_free(&allocator, p, sizeof *p);
}

void kin_sph_physics_visit(kin_sph_physics* p, kin_visitor* v)
{
    if (p->has_elastic) kin_sph_elastic_visit(&p->elastic, &p->allocator, v);
    if (p->fields == NULL) return;
    if (p->fields->has_after) kin_visit_f64(v, &p->carried);
    if (!p->fields->has_mutual) return;
    if (kin_mutuals_sync(&p->mutuals, p->fields, &p->allocator, NULL) == KIN_OK)
        kin_mutuals_visit(&p->mutuals, v);
    else
        kin_visit_fail(v, KIN_ERROR_MEMORY);
}

size_t kin_sph_forces_bytes(const kin_sph* f)
{
    const kin_sph_physics* p = f->physics;
    return sizeof *p + p->scratch_capacity * sizeof *p->scratch + p->shell_capacity * sizeof *p->shell + p->shells_capacity * sizeof *p->shells
           + kin_sph_elastic_bytes(&p->elastic) + p->crowd_capacity * sizeof *p->crowd + p->aside_capacity * sizeof *p->aside4;
}

double kin_sph_carried(const kin_sph* f) { return f->physics != NULL ? f->physics->carried : 0; }

/* ---- for all terms ---- */

float* kin_sph_scratch(kin_sph* f, size_t count)
{
    kin_sph_physics* p = f->physics;
    if (!kin_reserve_tight(&p->allocator, (void**)&p->scratch, &p->scratch_capacity, count * kin_sph_four(f), sizeof *p->scratch)) return NULL;
    return p->scratch;
}

kin_sph_pairs kin_sph_pairs_of(const kin_sph* f)
{
    kin_sph_pairs p = {.lists = &f->lists, .x4 = f->x4};
    for (int axis = 0; axis < 3; ++axis) p.size[axis] = f->box_size[axis], p.inv[axis] = f->box_size[axis] > 0 ? 1 / f->box_size[axis] : 0;
    return p;
}

const kin_sph_physics_kernels* kin_sph_physics_kernels_of(const kin_sph* f)
{
    static const kin_sph_physics_kernels* const tables[KIN_SIMD_COUNT] = {&kin_sph_physics_kernels_none, &kin_sph_physics_kernels_sse2,
                                                                          &kin_sph_physics_kernels_avx2};
    return tables[f->simd];
}
