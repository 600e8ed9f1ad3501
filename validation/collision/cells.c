/* cells.c - tetrahedra and Voronoi pieces: the courses' mesh creation (R3.6), and breaking. */
#include "geometry/hull/hull.h"
#include "geometry/hull/predicate.h"
#include "geometry/predicates.h"
#include "geometry/tetra/tetra.h"
#include "geometry/tetra/voronoi.h"
#include "math/random.h"
#include "validation/cases.h"
#include "validation/collision/solids.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Delaunay ---- */

static void make_cloud(const char* kind, kin_vec3* p, uint32_t n)
{
    uint32_t side = (uint32_t)cbrt(n + 0.5);
    for (uint32_t i = 0; i < n; ++i) {
        kin_rng_key key = {.seed = 70, .serial = i};
        if (kind[0] == 'b') p[i] = kin_rng_sphere(&key, 0, 1);
        if (kind[0] == 's') p[i] = kin_rng_direction(&key, 0);
        if (kind[0] == 'g') p[i] = kin_v(i % side, i / side % side, (double)(i / side / side));
    }
}

/* Exactly, by other predicates than it was made with, in the places it was made at: no neighbour's corner in the sphere of another (Delaunay's lemma: then no
 * point at all is). */
static void count_broken(const kin_tets* tets, double* taken, double* flat)
{
    kin_snap snap = kin_snap_of(tets->vertices, tets->vertex_count);
    kin_vec3* p = calloc(tets->vertex_count, sizeof *p);
    *taken = *flat = p != NULL ? 0 : INFINITY;
    for (uint32_t v = 0; p != NULL && v < tets->vertex_count; ++v) p[v] = kin_snap_apply(snap, tets->vertices[v]);
    for (uint32_t t = 0; p != NULL && t < tets->tet_count; ++t) {
        const uint32_t* c = tets->corners[t];
        *flat += kin_orient3d(p[c[0]], p[c[1]], p[c[2]], p[c[3]]) <= 0;
        for (int k = 0; k < 4; ++k) {
            uint32_t other = tets->across[t][k];
            if (other == KIN_NO_NEIGHBOR || other < t) continue;
            for (int j = 0; j < 4; ++j) {
                uint32_t v = tets->corners[other][j];
                if (v != c[0] && v != c[1] && v != c[2] && v != c[3]) *taken += kin_insphere(p[c[0]], p[c[1]], p[c[2]], p[c[3]], p[v]) > 0;
            }
        }
    }
    free(p);
}

static void delaunay_rows(kin_case_run* run, const char* kind, uint32_t n)
{
    kin_allocator a = kin_allocator_default();
    kin_vec3* p = calloc(n, sizeof *p);
    kin_tets* tets = NULL;
    kin_hull* hull = NULL;
    if (p != NULL) make_cloud(kind, p, n);
    bool ok = p != NULL && kin_tets_delaunay(&a, p, n, &tets, NULL) == KIN_OK && kin_hull_create(&a, p, n, 0, &hull, NULL) == KIN_OK;
    double taken = INFINITY, flat = INFINITY;
    if (ok) count_broken(tets, &taken, &flat);
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%u points: corners in a neighbour's sphere", n);
    kin_case_row(run, kind, quantity, taken, 0, 0, "R3.6: empty spheres, Delaunay's lemma");
    kin_case_row(run, kind, "tetrahedra not positive", flat, 0, 0, "R3.6");
    kin_case_row(run, kind, "volume / hull's", ok ? kin_tets_volume(tets) / hull->volume : NAN, 1, 1e-11, "they fill the hull");
    kin_tets_destroy(tets);
    kin_hull_destroy(hull);
    free(p);
}

static void fill_rows(kin_case_run* run, const char* name, kin_solid s, kin_tets_def def)
{
    kin_allocator a = kin_allocator_default();
    kin_mesh_view view = kin_solid_view(&s);
    kin_mesh* m = NULL;
    kin_tets* tets = NULL;
    kin_mass mass = {0};
    bool ok = kin_mesh_create(&a, &view, &m, NULL) == KIN_OK && kin_mass_of_mesh(m, KIN_MASS_SURFACE, &mass, NULL) == KIN_OK;
    ok = ok && kin_tets_fill(&a, m, &def, &tets, NULL) == KIN_OK;
    double negative = 0;
    for (uint32_t t = 0; ok && t < tets->tet_count; ++t) negative += !(kin_tet_volume(tets, t) > 0);
    kin_case_row(run, name, "volume of tetrahedra / mesh", ok ? kin_tets_volume(tets) / mass.mass : NAN, 1, 0.03, "R3.6: within a few percent");
    kin_case_row(run, name, "tetrahedra not positive", ok ? negative : NAN, 0, 0, "R3.6");
    double *masses = ok ? calloc(tets->vertex_count, sizeof *masses) : NULL, sum = 0;
    if (masses != NULL) {
        kin_tets_masses(tets, 1000, masses);
        for (uint32_t v = 0; v < tets->vertex_count; ++v) sum += masses[v];
        kin_case_row(run, name, "mass of the vertices / of tetrahedra", sum / (1000 * kin_tets_volume(tets)), 1, 1e-12, "R3.6: a quarter to each corner");
    }
    free(masses);
    kin_tets_destroy(tets);
    kin_mesh_destroy(m);
    kin_solid_free(&s);
}

static void tetrahedra(kin_case_run* run)
{
    uint32_t n = run->full ? 100000 : 8000;
    delaunay_rows(run, "ball", n);
    delaunay_rows(run, "sphere", n);
    delaunay_rows(run, "grid", run->full ? 97336 : 8000);
    double fine = run->full ? 0.05 : 0.12;
    fill_rows(run, "torus", kin_solid_torus(1, 0.4, 48, 24), (kin_tets_def){.spacing = fine});
    fill_rows(run, "bumpy body", kin_solid_bumpy(60, 40), (kin_tets_def){.spacing = fine});
    fill_rows(run, "L-prism", kin_solid_l_prism(), (kin_tets_def){.spacing = 1.5 * fine, .surface = 1.5 * fine});
}

/* ---- Voronoi ---- */

/* Corners of pieces that are nearer to another seed than to their own. */
static double astray_of(const kin_shards* p, const kin_vec3* seeds, uint32_t count)
{
    double astray = 0;
    for (size_t i = 0; i < p->count; ++i) {
        const kin_mesh* m = p->shards[i].mesh;
        for (uint32_t v = 0; v < m->vertex_count; ++v) {
            double own = kin_distance(m->vertices[v], seeds[p->shards[i].seed]);
            for (uint32_t s = 0; s < count; ++s) astray += kin_distance(m->vertices[v], seeds[s]) < own * (1 - 1e-8) - 1e-8;
        }
    }
    return astray;
}

static void voronoi_rows(kin_case_run* run, const char* name, kin_solid solid, uint32_t count)
{
    kin_allocator a = kin_allocator_default();
    kin_mesh_view view = kin_solid_view(&solid);
    kin_mesh* m = NULL;
    kin_shards* p = NULL;
    kin_mass whole = {0}, sum = {0};
    kin_vec3* seeds = calloc(count, sizeof *seeds);
    bool ok = seeds != NULL && kin_mesh_create(&a, &view, &m, NULL) == KIN_OK && kin_mass_of_mesh(m, KIN_MASS_SURFACE, &whole, NULL) == KIN_OK;
    ok = ok && kin_voronoi_scatter(&a, m, 1, count, seeds, NULL) == KIN_OK && kin_voronoi_break(&a, m, seeds, count, &p, NULL) == KIN_OK;
    double open = 0, off = 0;
    for (size_t i = 0; ok && i < p->count; ++i) {
        open += !p->shards[i].mesh->closed;
        sum = i == 0 ? p->shards[i].mass : kin_mass_add(sum, p->shards[i].mass);
    }
    const double *i = &sum.inertia.xx, *k = &whole.inertia.xx;
    for (int n = 0; n < 6; ++n) off = fmax(off, fabs(i[n] - k[n]) / whole.inertia.xx);
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%u seeds: volume of all / whole", count);
    kin_case_row(run, name, quantity, ok ? sum.mass / whole.mass : NAN, 1, 1e-9, "pieces tile the body");
    kin_case_row(run, name, "inertia of all, off by", ok ? off : NAN, 0, 1e-9, "parallel axes");
    kin_case_row(run, name, "pieces not closed", ok ? open : NAN, 0, 0, "every edge has two faces");
    kin_case_row(run, name, "corners nearer to another seed", ok ? astray_of(p, seeds, count) : NAN, 0, 0, "brute force over all seeds");
    kin_shards_destroy(p);
    kin_mesh_destroy(m);
    kin_solid_free(&solid);
    free(seeds);
}

/* Seeds on a cubic lattice: 64 cubes. */
static void lattice_rows(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    kin_solid box = kin_solid_box(kin_v(4, 4, 4));
    kin_mesh_view view = kin_solid_view(&box);
    kin_mesh* m = NULL;
    kin_shards* p = NULL;
    kin_vec3 seeds[64];
    for (int i = 0; i < 64; ++i) seeds[i] = kin_v(i % 4 - 1.5, i / 4 % 4 - 1.5, i / 16 - 1.5);
    bool ok = kin_mesh_create(&a, &view, &m, NULL) == KIN_OK && kin_voronoi_break(&a, m, seeds, 64, &p, NULL) == KIN_OK;
    double worst = 0, faces = 0;
    for (size_t i = 0; ok && i < p->count; ++i) {
        worst = fmax(worst, fabs(p->shards[i].mass.mass - 1));
        faces += p->shards[i].hull->face_count;
    }
    kin_case_row(run, "lattice", "pieces", ok ? (double)p->count : NAN, 64, 0, "cubes");
    kin_case_row(run, "lattice", "largest error of a volume (m^3)", ok ? worst : NAN, 0, 1e-12, "cubes");
    kin_case_row(run, "lattice", "faces of their hulls", ok ? faces : NAN, 6 * 64, 0, "cubes");
    kin_shards_destroy(p);
    kin_mesh_destroy(m);
    kin_solid_free(&box);
}

static void voronoi(kin_case_run* run)
{
    uint32_t n = run->full ? 1000 : 60;
    lattice_rows(run);
    voronoi_rows(run, "box", kin_solid_box(kin_v(1, 2, 3)), n);
    voronoi_rows(run, "torus", kin_solid_torus(1, 0.4, 48, 24), n);
    voronoi_rows(run, "bumpy body", kin_solid_bumpy(60, 40), n);
}

const kin_case kin_cases_cells[] = {
    {"collision/tetrahedra", "Delaunay's tetrahedra have empty spheres, exactly; meshes filled with tetrahedra keep their volume", tetrahedra},
    {"collision/voronoi", "Voronoi pieces are closed, tile the body and belong to their seeds", voronoi},
    {NULL, NULL, NULL},
};
