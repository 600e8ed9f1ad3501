/* list_test.c - the public work on meshes, on an L-prism: three unit cubes, one reflex edge. */
#include "geometry/list/list.h"
#include "kinema/collide.h"
#include "math/vec3.h"
#include "support/test.h"

static const kin_vec3 corners[12] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0},
                                     {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 2, 1}};
static const uint32_t sizes[8] = {6, 6, 4, 4, 4, 4, 4, 4};
static const uint32_t faces[36] = {5, 4, 3, 2, 1, 0, 6, 7, 8, 9, 10, 11, 0, 1, 7, 6, 1, 2, 8, 7, 2, 3, 9, 8, 3, 4, 10, 9, 4, 5, 11, 10, 5, 0, 6, 11};
static const kin_mesh_view l_prism = {corners, 12, sizes, faces, 8};

static double volume_of(test* t, const kin_mesh_view* mesh)
{
    kin_form* form;
    kin_mass_properties mass = {0};
    kin_shape shape = {.kind = KIN_SHAPE_MESH, .mesh = *mesh};
    EQUAL(t, kin_form_create(&t->allocator, &shape, &form, NULL), KIN_OK);
    if (form != NULL) EQUAL(t, kin_form_mass(form, 1, &mass, NULL), KIN_OK);
    kin_form_drop(form);
    return mass.volume;
}

static double volume_of_all(test* t, const kin_mesh_list* list)
{
    double sum = 0;
    for (size_t i = 0; i < list->count; ++i) sum += volume_of(t, &list->meshes[i]);
    return sum;
}

static void a_mesh_is_looked_over(test* t)
{
    kin_mesh_check check;
    EQUAL(t, kin_mesh_look_over(&t->allocator, &l_prism, true, &check, NULL), KIN_OK);
    CHECK(t, check.closed);
    EQUAL(t, check.vertices, 12);
    EQUAL(t, check.edges, 18);
    EQUAL(t, check.faces, 8);
    NEAR(t, check.volume, 3, 1e-14);
    NEAR(t, check.area, 14, 1e-14);
    kin_mesh_view open = l_prism;
    open.face_count = 7;
    EQUAL(t, kin_mesh_look_over(&t->allocator, &open, false, &check, NULL), KIN_OK);
    CHECK(t, !check.closed);
    EQUAL(t, check.holes, 1);
    HAS(t, check.text, "hole");
}

static void a_hole_is_mended(test* t)
{
    kin_mesh_view open = l_prism;
    open.face_count = 7;
    kin_mesh_list mended;
    EQUAL(t, kin_mesh_mend(&t->allocator, &open, NULL, &mended, NULL), KIN_OK);
    EQUAL(t, mended.count, 1);
    NEAR(t, volume_of_all(t, &mended), 3, 1e-14);
    kin_mesh_list_free(&mended);
}

static void hulls_and_pieces_have_their_volumes(test* t)
{
    kin_mesh_list list;
    EQUAL(t, kin_points_hull(&t->allocator, corners, 12, 0, &list, NULL), KIN_OK);
    EQUAL(t, list.count, 1);
    EQUAL(t, list.meshes[0].face_count, 7); /* one face over the notch */
    NEAR(t, volume_of_all(t, &list), 3.5, 1e-14);
    kin_mesh_list_free(&list);
    EQUAL(t, kin_mesh_pieces(&t->allocator, &l_prism, &(kin_pieces_def){.method = KIN_PIECES_NOTCHES}, &list, NULL), KIN_OK);
    EQUAL(t, list.count, 2);
    NEAR(t, volume_of_all(t, &list), 3, 1e-12);
    kin_mesh_list_free(&list);
    EQUAL(t, kin_mesh_pieces(&t->allocator, &l_prism, NULL, &list, NULL), KIN_OK);
    CHECK(t, list.count >= 2);
    NEAR(t, volume_of_all(t, &list), 3, 0.1);
    kin_mesh_list_free(&list);
}

static void shards_and_tetrahedra_fill_the_mesh(test* t)
{
    kin_vec3 seeds[10];
    kin_mesh_list shards;
    EQUAL(t, kin_mesh_scatter(&t->allocator, &l_prism, 7, 10, seeds, NULL), KIN_OK);
    EQUAL(t, kin_mesh_shatter(&t->allocator, &l_prism, seeds, 10, &shards, NULL), KIN_OK);
    CHECK(t, shards.count >= 10);
    NEAR(t, volume_of_all(t, &shards), 3, 1e-9);
    kin_mesh_list_free(&shards);
    kin_tetrahedra tets;
    EQUAL(t, kin_mesh_tetrahedra(&t->allocator, &l_prism, 0.25, 1, &tets, NULL), KIN_OK);
    double sum = 0;
    for (size_t i = 0; i < tets.count; ++i) {
        const kin_vec3* v = tets.vertices;
        const uint32_t* c = tets.corners[i];
        double volume = kin_triple(kin_sub(v[c[1]], v[c[0]]), kin_sub(v[c[2]], v[c[0]]), kin_sub(v[c[3]], v[c[0]])) / 6;
        CHECK(t, volume > 0);
        sum += volume;
    }
    NEAR(t, sum, 3, 0.03);
    kin_tetrahedra_free(&tets);
}

static void what_needs_a_closed_mesh_says_so(test* t)
{
    kin_mesh_view open = l_prism;
    open.face_count = 7;
    kin_mesh_list list;
    kin_error error = {0};
    CHECK(t, kin_mesh_pieces(&t->allocator, &open, NULL, &list, &error) != KIN_OK);
    HAS(t, error.message, "closed");
    EQUAL(t, list.count, 0);
    kin_vec3 seed = {0.5, 0.5, 0.5};
    CHECK(t, kin_mesh_shatter(&t->allocator, &open, &seed, 1, &list, &error) != KIN_OK);
    kin_tetrahedra tets;
    CHECK(t, kin_mesh_tetrahedra(&t->allocator, &open, 0.5, 1, &tets, &error) != KIN_OK);
    CHECK(t, kin_points_hull(&t->allocator, corners, 3, 0, &list, &error) != KIN_OK);
}

static bool work_once(test* t, void* context)
{
    (void)context;
    kin_mesh_list a, b, c;
    bool ok = kin_mesh_pieces(&t->allocator, &l_prism, &(kin_pieces_def){.method = KIN_PIECES_NOTCHES}, &a, NULL) == KIN_OK;
    ok = kin_points_hull(&t->allocator, corners, 12, 0, &b, NULL) == KIN_OK && ok;
    ok = kin_mesh_mend(&t->allocator, &l_prism, NULL, &c, NULL) == KIN_OK && ok;
    kin_mesh_list_free(&a);
    kin_mesh_list_free(&b);
    kin_mesh_list_free(&c);
    return ok;
}

static void lack_of_memory_is_reported(test* t) { test_fail_each_allocation(t, work_once, NULL); }

TEST_MAIN("list", TEST(a_mesh_is_looked_over), TEST(a_hole_is_mended), TEST(hulls_and_pieces_have_their_volumes), TEST(shards_and_tetrahedra_fill_the_mesh),
          TEST(what_needs_a_closed_mesh_says_so), TEST(lack_of_memory_is_reported))
