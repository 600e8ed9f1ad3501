/* list.c - each mesh of a list is one block: vertices, corners, sizes. */
#include "geometry/list/list.h"
#include "base/alloc.h"
#include "base/error.h"
#include <string.h>

void kin_mesh_list_begin(kin_mesh_list* list, const kin_allocator* allocator)
{
    *list = (kin_mesh_list){.allocator = allocator != NULL ? *allocator : kin_allocator_default()};
}

static size_t corner_count(const kin_mesh_view* m)
{
    if (m->face_sizes == NULL) return 3 * m->face_count;
    size_t count = 0;
    for (size_t f = 0; f < m->face_count; ++f) count += m->face_sizes[f];
    return count;
}

static size_t block_bytes(const kin_mesh_view* m) { return m->vertex_count * sizeof *m->vertices + (corner_count(m) + m->face_count) * sizeof(uint32_t); }

void kin_mesh_list_free(kin_mesh_list* list)
{
    for (size_t i = 0; i < list->count; ++i) {
        kin_mesh_view* m = &list->meshes[i];
        kin_free(&list->allocator, (void*)m->vertices, block_bytes(m));
    }
    kin_free(&list->allocator, list->meshes, list->capacity * sizeof *list->meshes);
    *list = (kin_mesh_list){.allocator = list->allocator};
}

kin_result kin_mesh_list_add(kin_mesh_list* list, const kin_mesh_view* given, kin_error* error)
{
    size_t corners = corner_count(given), size = block_bytes(given);
    char* block = kin_alloc(&list->allocator, size);
    if (block == NULL || !kin_reserve(&list->allocator, (void**)&list->meshes, &list->capacity, list->count + 1, sizeof *list->meshes)) {
        kin_free(&list->allocator, block, size);
        kin_mesh_list_free(list);
        return kin_fail_memory(error, "a mesh", size);
    }
    kin_vec3* vertices = (kin_vec3*)block;
    uint32_t *corner = (uint32_t*)(vertices + given->vertex_count), *sizes = corner + corners;
    memcpy(vertices, given->vertices, given->vertex_count * sizeof *vertices);
    memcpy(corner, given->corners, corners * sizeof *corner);
    for (size_t f = 0; f < given->face_count; ++f) sizes[f] = given->face_sizes != NULL ? given->face_sizes[f] : 3;
    list->meshes[list->count++] = (kin_mesh_view){vertices, given->vertex_count, sizes, corner, given->face_count};
    return KIN_OK;
}

kin_mesh_view kin_mesh_triangles_view(const kin_mesh* mesh)
{
    return (kin_mesh_view){mesh->vertices, mesh->vertex_count, NULL, &mesh->triangles[0][0], mesh->triangle_count};
}
