/* shapes.c - meshes for cases and benches. */
#include "validation/shapes.h"
#include "math/vec3.h"
#include <stdlib.h>
#include <string.h>

static bool make_room(kin_patch* patch, size_t vertices, size_t triangles)
{
    *patch = (kin_patch){malloc(vertices * sizeof *patch->vertices), malloc(3 * triangles * sizeof *patch->corners), {.kind = KIN_SHAPE_MESH}};
    if (patch->vertices == NULL || patch->corners == NULL) {
        kin_patch_free(patch);
        return false;
    }
    patch->shape.mesh = (kin_mesh_view){.vertices = patch->vertices, .vertex_count = vertices, .corners = patch->corners, .face_count = triangles};
    return true;
}

void kin_patch_free(kin_patch* patch)
{
    free(patch->vertices);
    free(patch->corners);
    *patch = (kin_patch){0};
}

bool kin_patch_grid(kin_patch* patch, uint32_t n, double half, kin_height_fn* height)
{
    uint32_t side = n + 1;
    if (!make_room(patch, (size_t)side * side, 2 * (size_t)n * n)) return false;
    for (uint32_t row = 0; row < side; ++row) {
        for (uint32_t column = 0; column < side; ++column) {
            double x = half * (2.0 * column / n - 1), z = half * (2.0 * row / n - 1);
            patch->vertices[row * side + column] = kin_v(x, height(x, z), z);
        }
    }
    uint32_t* corner = patch->corners;
    for (uint32_t row = 0; row < n; ++row) {
        for (uint32_t column = 0; column < n; ++column) {
            uint32_t a = row * side + column, b = a + 1, c = a + side, d = c + 1;
            memcpy(corner, (uint32_t[]){a, c, b, b, c, d}, 6 * sizeof *corner);
            corner += 6;
        }
    }
    return true;
}

bool kin_patch_cube(kin_patch* patch, double half)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}; /* -x +x -y +y -z +z */
    if (!make_room(patch, 8, 12)) return false;
    for (int i = 0; i < 8; ++i) patch->vertices[i] = kin_v(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    for (int i = 0; i < 6; ++i) {
        const uint32_t* q = quads[i];
        memcpy(patch->corners + 6 * i, (uint32_t[]){q[0], q[1], q[2], q[0], q[2], q[3]}, 6 * sizeof *patch->corners);
    }
    return true;
}
