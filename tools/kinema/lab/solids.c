/* solids.c - the solids that studies measure: round ones as rational B-splines, so that their true surface is known. */
#include "lab/solids.h"
#include "geometry/nurbs/nurbs.h"
#include "math/quat.h"
#include <time.h>

static kin_mesh* triangles_of(kin_result made, kin_nurbs_surface* surface, double tolerance)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh* mesh = NULL;
    if (made == KIN_OK && kin_nurbs_mesh(&allocator, surface, tolerance, &mesh, NULL) != KIN_OK) mesh = NULL;
    kin_nurbs_surface_destroy(surface);
    return mesh;
}

kin_mesh* kin_lab_torus(double ring, double tube, double tolerance)
{
    kin_allocator allocator = kin_allocator_default();
    kin_nurbs_surface* surface = NULL;
    kin_result made = kin_nurbs_torus(&allocator, ring, tube, &surface, NULL);
    return triangles_of(made, surface, tolerance);
}

kin_mesh* kin_lab_ball(double radius, double tolerance)
{
    kin_allocator allocator = kin_allocator_default();
    kin_nurbs_surface* surface = NULL;
    kin_result made = kin_nurbs_sphere(&allocator, radius, &surface, NULL);
    return triangles_of(made, surface, tolerance);
}

kin_mesh* kin_lab_cube(double edge, kin_quat turned)
{
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4}, quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    kin_allocator allocator = kin_allocator_default();
    kin_vec3 corners[8];
    kin_mesh* mesh = NULL;
    for (int i = 0; i < 8; ++i) corners[i] = kin_rotate(turned, kin_scale(kin_v(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), 0.5 * edge));
    const kin_mesh_view view = {corners, 8, sizes, quads, 6};
    return kin_mesh_create(&allocator, &view, &mesh, NULL) == KIN_OK ? mesh : NULL;
}

double kin_lab_ms(long began) { return 1e3 * (double)(clock() - began) / CLOCKS_PER_SEC; }
