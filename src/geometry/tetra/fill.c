/* fill.c - a closed mesh filled with tetrahedra (R3.6): points on it and in it, Delaunay's tetrahedra, those inside kept. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "geometry/mass/mass.h"
#include "geometry/tetra/shell.h"
#include "geometry/tetra/tetra.h"
#include "math/aabb.h"
#include "math/primitive.h"
#include <string.h>

#define MOST_POINTS 20000000.0
#define FLAT 1e-9 /* volume over the cube of the longest edge: less is rounding, of points in one face */

typedef struct cloud {
    const kin_allocator* allocator;
    kin_vec3* points;
    size_t count, capacity;
} cloud;

static bool add_point(cloud* c, kin_vec3 x)
{
    if (!kin_reserve(c->allocator, (void**)&c->points, &c->capacity, c->count + 1, sizeof *c->points)) return false;
    c->points[c->count++] = x;
    return true;
}

/* ---- on the surface ---- */

static uint32_t parts_of(double length, double surface) { return surface > 0 ? (uint32_t)kin_max(1, kin_ceil(length / surface)) : 1; }

/* Between the ends; seen from either triangle the same points. */
static bool add_edge(cloud* c, kin_vec3 a, kin_vec3 b, double surface)
{
    uint32_t n = parts_of(kin_distance(a, b), surface);
    for (uint32_t i = 1; i < n; ++i)
        if (!add_point(c, kin_lerp(a, b, (double)i / n))) return false;
    return true;
}

/* A triangular lattice, without its rim. */
static bool add_face(cloud* c, const kin_vec3 v[3], double surface)
{
    double longest = kin_max(kin_distance(v[0], v[1]), kin_max(kin_distance(v[1], v[2]), kin_distance(v[2], v[0])));
    uint32_t n = parts_of(longest, surface);
    for (uint32_t i = 1; i + 1 < n; ++i) {
        for (uint32_t j = 1; i + j < n; ++j) {
            kin_vec3 x = kin_add(kin_scale(v[0], (double)(n - i - j) / n), kin_add(kin_scale(v[1], (double)i / n), kin_scale(v[2], (double)j / n)));
            if (!add_point(c, x)) return false;
        }
    }
    return true;
}

static bool add_surface(cloud* c, const kin_mesh* mesh, double surface)
{
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        if (mesh->star_begin[i + 1] > mesh->star_begin[i] && !add_point(c, mesh->vertices[i])) return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        kin_vec3 v[3];
        for (int k = 0; k < 3; ++k) v[k] = mesh->vertices[mesh->triangles[t][k]];
        for (int k = 0; k < 3; ++k)
            if (t < mesh->neighbors[t][k] && !add_edge(c, v[k], v[(k + 1) % 3], surface)) return false;
        if (!add_face(c, v, surface)) return false;
    }
    return true;
}

/* ---- inside ---- */

/* A point in each cell of a grid, up to a third of the spacing from its middle: no two are nearer than that, none in line. Not nearer to the surface than
 * half the spacing, so that no tetrahedron is pressed flat against it. */
static bool add_inside(cloud* c, const kin_shell* shell, double spacing, uint64_t seed)
{
    kin_vec3 low = shell->mesh->bounds.low, size = kin_aabb_size(shell->mesh->bounds);
    uint32_t n[3];
    for (int a = 0; a < 3; ++a) n[a] = (uint32_t)kin_ceil(kin_component(size, a) / spacing);
    kin_rng_key key = {.seed = seed};
    for (uint32_t k = 0; k < n[2]; ++k) {
        for (uint32_t j = 0; j < n[1]; ++j) {
            for (uint32_t i = 0; i < n[0]; ++i) {
                uint64_t words[4];
                kin_rng_words(&key, 0, words);
                key.serial += 1;
                double jitter[3];
                for (int a = 0; a < 3; ++a) jitter[a] = 0.5 + (2 * kin_rng_unit(words[a]) - 1) / 3;
                kin_vec3 x = kin_add_scaled(low, spacing, kin_v(i + jitter[0], j + jitter[1], k + jitter[2]));
                if (kin_shell_distance(shell, x) < -0.5 * spacing && !add_point(c, x)) return false;
            }
        }
    }
    return true;
}

/* ---- keeping ---- */

static bool is_flat(const kin_tets* tets, uint32_t t)
{
    double longest2 = 0;
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < a; ++b) {
            kin_vec3 edge = kin_sub(tets->vertices[tets->corners[t][a]], tets->vertices[tets->corners[t][b]]);
            longest2 = kin_max(longest2, kin_length2(edge));
        }
    }
    return kin_tet_volume(tets, t) <= FLAT * longest2 * kin_sqrt(longest2);
}

static bool is_inside(const kin_tets* tets, uint32_t t, const kin_shell* shell)
{
    const uint32_t* c = tets->corners[t];
    const kin_vec3* v = tets->vertices;
    return kin_shell_distance(shell, kin_scale(kin_add(kin_add(v[c[0]], v[c[1]]), kin_add(v[c[2]], v[c[3]])), 0.25)) < 0;
}

/* In place: number[t] is the new number of a kept tetrahedron, vertex[v] of a used vertex. The arrays stay as long as they were. */
static void keep(kin_tets* tets, const uint32_t* number, uint32_t* vertex)
{
    uint32_t kept = 0, used = 0;
    memset(vertex, 0xff, tets->vertex_count * sizeof *vertex);
    for (uint32_t t = 0; t < tets->tet_count; ++t) {
        if (number[t] == KIN_NO_NEIGHBOR) continue;
        for (int k = 0; k < 4; ++k) {
            uint32_t other = tets->across[t][k];
            vertex[tets->corners[t][k]] = 0;
            tets->corners[kept][k] = tets->corners[t][k];
            tets->across[kept][k] = other == KIN_NO_NEIGHBOR ? KIN_NO_NEIGHBOR : number[other];
        }
        kept += 1;
    }
    for (uint32_t v = 0; v < tets->vertex_count; ++v) {
        if (vertex[v] != 0) continue;
        tets->vertices[used] = tets->vertices[v];
        vertex[v] = used++;
    }
    for (uint32_t t = 0; t < kept; ++t)
        for (int k = 0; k < 4; ++k) tets->corners[t][k] = vertex[tets->corners[t][k]];
    tets->tet_count = kept;
    tets->vertex_count = used;
}

/* A copy with arrays of the right length. */
static kin_result trimmed(const kin_tets* tets, kin_tets** out, kin_error* error)
{
    const kin_allocator* a = &tets->allocator;
    kin_tets* t = kin_alloc_zero(a, sizeof *t);
    if (t == NULL) return kin_fail_memory(error, "tetrahedra", sizeof *t);
    *t = (kin_tets){.vertex_count = tets->vertex_count, .tet_count = tets->tet_count, .allocator = *a};
    t->vertices = kin_alloc(a, kin_bytes(t->vertex_count, sizeof *t->vertices));
    t->corners = kin_alloc(a, kin_bytes(t->tet_count, sizeof *t->corners));
    t->across = kin_alloc(a, kin_bytes(t->tet_count, sizeof *t->across));
    if (t->vertices == NULL || t->corners == NULL || t->across == NULL) {
        kin_result result = kin_fail_memory(error, "tetrahedra", kin_tets_bytes(t));
        kin_tets_destroy(t);
        return result;
    }
    memcpy(t->vertices, tets->vertices, t->vertex_count * sizeof *t->vertices);
    memcpy(t->corners, tets->corners, t->tet_count * sizeof *t->corners);
    memcpy(t->across, tets->across, t->tet_count * sizeof *t->across);
    *out = t;
    return KIN_OK;
}

static kin_result keep_inside(kin_tets* all, const kin_shell* shell, kin_tets** out, kin_error* error)
{
    const kin_allocator* a = &all->allocator;
    uint32_t vertex_count = all->vertex_count, tet_count = all->tet_count, kept = 0;
    uint32_t *number = kin_alloc(a, kin_bytes(tet_count, sizeof *number)), *vertex = kin_alloc(a, kin_bytes(vertex_count, sizeof *vertex));
    kin_result result = KIN_OK;
    if (number == NULL || vertex == NULL) {
        result = kin_fail_memory(error, "tetrahedra", kin_bytes(tet_count, sizeof *number));
    } else {
        for (uint32_t t = 0; t < tet_count; ++t) number[t] = !is_flat(all, t) && is_inside(all, t, shell) ? kept++ : KIN_NO_NEIGHBOR;
        keep(all, number, vertex);
        if (kept == 0) result = kin_fail(error, KIN_ERROR_ARGUMENT, "", "no tetrahedron lies inside the mesh: it needs more points");
        if (result == KIN_OK) result = trimmed(all, out, error);
        all->vertex_count = vertex_count; /* for its owner, who frees it */
        all->tet_count = tet_count;
    }
    kin_free(a, number, kin_bytes(tet_count, sizeof *number));
    kin_free(a, vertex, kin_bytes(vertex_count, sizeof *vertex));
    return result;
}

/* ---- entry ---- */

static kin_result check(const kin_mesh* mesh, const kin_tets_def* def, kin_error* error)
{
    if (!(def->spacing >= 0 && kin_finite(def->spacing))) return kin_fail(error, KIN_ERROR_ARGUMENT, "spacing", "%g m: it must be 0 or more", def->spacing);
    if (!(def->surface >= 0 && kin_finite(def->surface))) return kin_fail(error, KIN_ERROR_ARGUMENT, "surface", "%g m: it must be 0 or more", def->surface);
    kin_mass mass;
    kin_result result = kin_mass_of_mesh(mesh, KIN_MASS_TETRAHEDRA, &mass, error); /* closed, and the right way out */
    if (result != KIN_OK) return result;
    double inside = def->spacing > 0 ? kin_aabb_volume(mesh->bounds) / (def->spacing * def->spacing * def->spacing) : 0, on = 0;
    for (uint32_t t = 0; def->surface > 0 && t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles[t];
        on += kin_triangle_area(mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]]) / (def->surface * def->surface) + 1;
    }
    if (inside + on > MOST_POINTS) return kin_fail(error, KIN_ERROR_LIMIT, "", "about %g points to fill the mesh with: at most %g", inside + on, MOST_POINTS);
    return KIN_OK;
}

kin_result kin_tets_fill(const kin_allocator* allocator, const kin_mesh* mesh, const kin_tets_def* def, kin_tets** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check(mesh, def, error);
    if (result != KIN_OK) return result;
    cloud points = {.allocator = allocator};
    kin_shell shell;
    kin_tets* all = NULL;
    bool ok = kin_shell_init(&shell, allocator, mesh) && add_surface(&points, mesh, def->surface);
    if (ok && def->spacing > 0) ok = add_inside(&points, &shell, def->spacing, def->seed);
    result = ok ? kin_tets_delaunay(allocator, points.points, points.count, &all, error) : kin_fail_memory(error, "filling a mesh", points.capacity);
    if (result == KIN_OK) result = keep_inside(all, &shell, out, error);
    kin_tets_destroy(all);
    kin_shell_term(&shell);
    kin_free(allocator, points.points, points.capacity * sizeof *points.points);
    return result;
}

/* ---- measures ---- */

double kin_tet_volume(const kin_tets* tets, uint32_t tet)
{
    const uint32_t* c = tets->corners[tet];
    kin_vec3 a = tets->vertices[c[0]];
    return kin_triple(kin_sub(tets->vertices[c[1]], a), kin_sub(tets->vertices[c[2]], a), kin_sub(tets->vertices[c[3]], a)) / 6;
}

double kin_tets_volume(const kin_tets* tets)
{
    double sum = 0;
    for (uint32_t t = 0; t < tets->tet_count; ++t) sum += kin_tet_volume(tets, t);
    return sum;
}

void kin_tets_masses(const kin_tets* tets, double density, double* mass)
{
    memset(mass, 0, tets->vertex_count * sizeof *mass);
    for (uint32_t t = 0; t < tets->tet_count; ++t) {
        double quarter = 0.25 * density * kin_tet_volume(tets, t);
        for (int k = 0; k < 4; ++k) mass[tets->corners[t][k]] += quarter;
    }
}
