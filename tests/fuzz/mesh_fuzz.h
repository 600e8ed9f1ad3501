/* mesh_fuzz.h - a mesh reader fed with bytes: an error that says where, or a mesh whose numbers hold together and that kin_mesh_create takes or refuses. */
#pragma once
#include "fuzz/fuzz.h"
#include "geometry/mesh.h"
#include "io/mesh_read.h"

static inline void fuzz_check_data(const kin_mesh_data* d)
{
    size_t corners = 0;
    for (size_t i = 0; i < d->face_count; ++i) corners += d->face_sizes[i];
    FUZZ_CHECK(d->face_count > 0 && corners == d->corner_count);
    for (size_t i = 0; i < d->corner_count; ++i) FUZZ_CHECK(d->corners[i] < d->vertex_count);
    for (size_t i = 0; i < d->vertex_count; ++i) FUZZ_CHECK(kin_finite3(d->vertices[i]));
}

static inline void fuzz_check_mesh(const kin_mesh* m)
{
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        FUZZ_CHECK(kin_abs(kin_length(m->normals[i]) - 1) < 1e-9);
        for (int k = 0; k < 3; ++k) {
            FUZZ_CHECK(m->triangles[i][k] < m->vertex_count);
            FUZZ_CHECK(m->neighbors[i][k] == KIN_NO_NEIGHBOR ? !m->closed : m->neighbors[i][k] < m->triangle_count);
        }
    }
}

static inline void fuzz_mesh(const char* name, const uint8_t* data, size_t size)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh_data d;
    kin_error error = {0};
    kin_mesh* mesh = NULL;
    if (kin_mesh_read_memory(&allocator, name, data, size, &d, &error) != KIN_OK) {
        FUZZ_CHECK(error.message[0] != '\0' && d.vertices == NULL && d.corners == NULL && d.face_sizes == NULL);
        return;
    }
    fuzz_check_data(&d);
    kin_mesh_view view = kin_mesh_data_view(&d);
    if (kin_mesh_create(&allocator, &view, &mesh, &error) == KIN_OK) fuzz_check_mesh(mesh);
    kin_mesh_destroy(mesh);
    kin_mesh_data_term(&d);
}
