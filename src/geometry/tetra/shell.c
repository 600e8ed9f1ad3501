/* shell.c - the nearest triangle of a closed mesh, and its side. */
#include "geometry/tetra/shell.h"
#include "base/alloc.h"
#include "math/aabb.h"

bool kin_shell_init(kin_shell* shell, const kin_allocator* allocator, const kin_mesh* mesh)
{
    shell->mesh = mesh;
    kin_bvh_init(&shell->tree, allocator);
    size_t bytes = kin_bytes(mesh->triangle_count, sizeof(kin_aabb));
    kin_aabb* boxes = kin_alloc(allocator, bytes);
    if (boxes == NULL) return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        boxes[t] = kin_aabb_empty();
        for (int k = 0; k < 3; ++k) boxes[t] = kin_aabb_add(boxes[t], mesh->vertices[mesh->triangles[t][k]]);
    }
    bool ok = kin_bvh_build(&shell->tree, boxes, mesh->triangle_count);
    kin_free(allocator, boxes, bytes);
    return ok;
}

void kin_shell_term(kin_shell* shell) { kin_bvh_term(&shell->tree); }

double kin_shell_distance(const kin_shell* shell, kin_vec3 x)
{
    const kin_mesh* m = shell->mesh;
    kin_bvh_walk walk;
    double best = 1e300, side = 1;
    for (kin_bvh_closest_begin(&walk, &shell->tree, x, 1e150); kin_bvh_closest_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            uint32_t t = shell->tree.items[i];
            const uint32_t* c = m->triangles[t];
            kin_feature feature;
            kin_vec3 from = kin_sub(x, kin_closest_on_triangle(m->vertices[c[0]], m->vertices[c[1]], m->vertices[c[2]], x, &feature));
            double square = kin_length2(from);
            if (!(square < best)) continue;
            best = square;
            walk.limit = square;
            side = kin_dot(from, kin_mesh_pseudo_normal(m, t, feature));
        }
    }
    return side < 0 ? -kin_sqrt(best) : kin_sqrt(best);
}
