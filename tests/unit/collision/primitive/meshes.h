/* meshes.h - collision meshes for the tests of this folder. */
#pragma once
#include "collision/trimesh.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static inline kin_trimesh* trimesh_of(test* t, soup s) /* takes the soup */
{
    kin_mesh_view view = soup_view(&s);
    kin_mesh* mesh = NULL;
    kin_trimesh* out = NULL;
    CHECK(t, kin_mesh_create(&t->allocator, &view, &mesh, NULL) == KIN_OK);
    if (mesh != NULL) CHECK(t, kin_trimesh_create(&t->allocator, mesh, &out, NULL) == KIN_OK);
    soup_free(&s);
    return out;
}
