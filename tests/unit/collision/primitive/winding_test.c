#include "collision/primitive/winding.h"
#include "collision/trimesh.h"
#include "unit/collision/primitive/meshes.h"

static void the_hole_of_a_torus_is_outside(test* t) /* C2.5.13 */
{
    kin_trimesh* m = trimesh_of(t, torus_soup(2, 0.5, 32, 16));
    CHECK(t, !kin_trimesh_inside(m, kin_v(0, 0, 0)));
    CHECK(t, kin_trimesh_inside(m, kin_v(2, 0, 0)));
    NEAR(t, kin_mesh_winding(m->mesh, kin_v(0, 0, 0)), 0, 1e-13);
    NEAR(t, kin_mesh_winding(m->mesh, kin_v(2, 0, 0)), 1, 1e-13);
    kin_trimesh_destroy(m);
}

static soup shell_soup(void) /* a box with a smaller one hollowed out */
{
    soup s = soup_new(16, 12, 48);
    add_box(&s, kin_v(-2, -2, -2), kin_v(2, 2, 2), false);
    add_box(&s, kin_v(-1, -1, -1), kin_v(1, 1, 1), true);
    return s;
}

static void the_cavity_of_a_shell_is_outside(test* t) /* C2.5.13: the NEAREST hit decides */
{
    kin_trimesh* m = trimesh_of(t, shell_soup());
    CHECK(t, !kin_trimesh_inside(m, kin_v(0.1, 0.2, 0.3)));
    CHECK(t, kin_trimesh_inside(m, kin_v(1.5, 0.2, 0.3)));
    CHECK(t, !kin_trimesh_inside(m, kin_v(2.5, 0.2, 0.3)));
    NEAR(t, kin_mesh_winding(m->mesh, kin_v(0.1, 0.2, 0.3)), 0, 1e-13);
    NEAR(t, kin_mesh_winding(m->mesh, kin_v(1.5, 0.2, 0.3)), 1, 1e-13);
    kin_trimesh_destroy(m);
}

static void rays_and_winding_agree(test* t)
{
    dice d = {1};
    kin_trimesh* meshes[2] = {trimesh_of(t, torus_soup(1, 0.4, 20, 10)), trimesh_of(t, shell_soup())};
    for (int k = 0; k < 2; ++k) {
        int inside = 0;
        for (int i = 0; i < 3000; ++i) {
            kin_vec3 x = roll3(&d, k == 0 ? 1.5 : 2.5);
            if (i % 4 == 0) x.y = 0; /* in planes of symmetry rays meet edges and corners */
            bool winds = kin_mesh_winds(meshes[k]->mesh, x);
            EQUAL(t, kin_trimesh_inside(meshes[k], x), winds);
            inside += winds;
        }
        CHECK(t, inside > 300);
        kin_trimesh_destroy(meshes[k]);
    }
}

static void a_mesh_with_a_hole_still_has_an_inside(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    s.face_count -= 1, s.corner_count -= 4; /* the lid is off */
    kin_trimesh* m = trimesh_of(t, s);
    CHECK(t, !m->mesh->closed && !kin_trimesh_inside(m, kin_v(0, 0, 0)));
    NEAR(t, kin_mesh_winding(m->mesh, kin_v(0, 0, 0)), 5.0 / 6, 1e-14); /* five of six equal faces */
    CHECK(t, kin_mesh_winds(m->mesh, kin_v(0, 0, 0)) && !kin_mesh_winds(m->mesh, kin_v(0, 0, 3)));
    NEAR(t, kin_mesh_winding(m->mesh, kin_v(0.3, -1, 0.2)), 0.5, 0.25); /* on a face: half of it, and of the hole */
    kin_trimesh_destroy(m);
}

TEST_MAIN("collision_winding", TEST(the_hole_of_a_torus_is_outside), TEST(the_cavity_of_a_shell_is_outside), TEST(rays_and_winding_agree),
          TEST(a_mesh_with_a_hole_still_has_an_inside))
