/* fields.h - meshes with their fields, for the tests. */
#pragma once
#include "geometry/sdf/sdf.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static inline kin_mesh* mesh_of(test* t, const soup* s)
{
    kin_mesh* mesh = NULL;
    kin_error error = {0};
    kin_mesh_view view = soup_view(s);
    if (kin_mesh_create(&t->allocator, &view, &mesh, &error) != KIN_OK) test_check(t, false, __FILE__, __LINE__, "%s", error.message);
    return mesh;
}

typedef struct rig {
    kin_jobs jobs;
    kin_mesh* mesh;
    kin_sdf* sdf;
} rig;

static inline bool rig_mesh(test* t, rig* r, soup s, int threads)
{
    *r = (rig){0};
    if (!CHECK(t, kin_jobs_init(&r->jobs, &t->allocator, NULL, threads, NULL) == KIN_OK)) return false;
    r->mesh = mesh_of(t, &s);
    soup_free(&s);
    return r->mesh != NULL;
}

static inline void rig_free(rig* r)
{
    kin_sdf_destroy(r->sdf);
    kin_mesh_destroy(r->mesh);
    kin_jobs_term(&r->jobs);
}

static inline void lines_of(test* t, rig* r, uint32_t resolution)
{
    kin_error error = {0};
    if (kin_sdf_create_scanlines(&t->allocator, &r->jobs, r->mesh, resolution, &r->sdf, &error) != KIN_OK)
        test_check(t, false, __FILE__, __LINE__, "%s", error.message);
}

static inline void band_of(test* t, rig* r, double cell, double band)
{
    kin_error error = {0};
    kin_sdf_band_def def = {cell, band, 0};
    if (kin_sdf_create_band(&t->allocator, &r->jobs, r->mesh, &def, &r->sdf, &error) != KIN_OK) test_check(t, false, __FILE__, __LINE__, "%s", error.message);
}

/* A ball of latitudes; bump > 0 makes it bumpy. */
static inline soup ball_soup(double radius, double bump, uint32_t n)
{
    soup s = soup_new(2 + (n - 1) * 2 * n, 4 * n * n, 12 * n * n);
    uint32_t top = soup_vertex(&s, kin_v(0, radius, 0)), bottom = soup_vertex(&s, kin_v(0, -radius, 0));
    for (uint32_t j = 1; j < n; ++j) {
        for (uint32_t i = 0; i < 2 * n; ++i) {
            double u = KIN_PI * i / n, v = KIN_PI * j / n, r = radius * (1 + bump * sin(5 * u) * sin(v) * sin(v) * cos(4 * v));
            soup_vertex(&s, kin_v(r * sin(v) * cos(u), r * cos(v), -r * sin(v) * sin(u)));
        }
    }
    for (uint32_t i = 0; i < 2 * n; ++i) {
        uint32_t k = (i + 1) % (2 * n), last = 2 + (n - 2) * 2 * n;
        soup_face(&s, 3, (uint32_t[]){top, 2 + i, 2 + k});
        soup_face(&s, 3, (uint32_t[]){bottom, last + k, last + i});
        for (uint32_t j = 0; j + 2 < n; ++j) {
            uint32_t a = 2 + j * 2 * n, b = a + 2 * n;
            soup_face(&s, 3, (uint32_t[]){a + i, b + i, b + k});
            soup_face(&s, 3, (uint32_t[]){a + i, b + k, a + k});
        }
    }
    return s;
}
