/* meshes.c - what can be done with a mesh and with shapes in pairs: looked over, weighed, wrapped, cut into convex pieces, shattered; contacts and the time
 * of impact. Gives the file of a closed mesh, or uses an L-prism of its own.
 *
 *     cc meshes.c $(pkg-config --cflags --libs kinema) -o meshes && ./meshes [file.obj] */
#include <kinema/kinema.h>
#include <stdio.h>

static const kin_vec3 corners[12] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0},
                                     {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 2, 1}};
static const uint32_t sizes[8] = {6, 6, 4, 4, 4, 4, 4, 4};
static const uint32_t faces[36] = {5, 4, 3, 2, 1, 0, 6, 7, 8, 9, 10, 11, 0, 1, 7, 6, 1, 2, 8, 7, 2, 3, 9, 8, 3, 4, 10, 9, 4, 5, 11, 10, 5, 0, 6, 11};

static kin_error error;

static int fail(void)
{
    char text[1100];
    kin_error_text(&error, text, sizeof text);
    fprintf(stderr, "meshes: %s\n", text);
    return 1;
}

/* Pieces of any kind: how many, and how many faces in all. */
static void print_list(const char* what, const kin_mesh_list* list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; ++i) count += list->meshes[i].face_count;
    printf("%-14s %zu, with %zu faces\n", what, list->count, count);
}

static bool take_apart(const kin_mesh_view* mesh)
{
    kin_mesh_list list;
    if (kin_points_hull(NULL, mesh->vertices, mesh->vertex_count, 0, &list, &error) != KIN_OK) return false;
    print_list("hull", &list);
    kin_mesh_list_free(&list);
    if (kin_mesh_pieces(NULL, mesh, NULL, &list, &error) != KIN_OK) return false;
    print_list("convex pieces", &list);
    kin_mesh_list_free(&list);
    kin_vec3 seeds[12];
    if (kin_mesh_scatter(NULL, mesh, 1, 12, seeds, &error) != KIN_OK || kin_mesh_shatter(NULL, mesh, seeds, 12, &list, &error) != KIN_OK) return false;
    print_list("shards", &list);
    kin_mesh_list_free(&list);
    return true;
}

/* The mesh falls on a floor. */
static bool let_fall(const kin_mesh_view* mesh)
{
    const kin_shape shape = {.kind = KIN_SHAPE_MESH, .mesh = *mesh}, ground = {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    kin_form *body = NULL, *floor = NULL;
    kin_mass_properties mass;
    kin_impact impact;
    const kin_transform high = {{0, 5, 0}, {0, 0, 0, 1}}, low = {{0, -5, 0}, {0, 0.7, 0, 0.7}}, rest = {{0, 0, 0}, {0, 0, 0, 1}};
    bool ok = kin_form_create(NULL, &shape, &body, &error) == KIN_OK && kin_form_create(NULL, &ground, &floor, &error) == KIN_OK
              && kin_form_mass(body, 1000, &mass, &error) == KIN_OK && kin_forms_impact(body, high, low, floor, rest, rest, NULL, &impact, &error) == KIN_OK;
    if (ok) {
        printf("%-14s %.6g kg, centre (%.4g, %.4g, %.4g) m\n", "mass", mass.mass, mass.center.x, mass.center.y, mass.center.z);
        printf("%-14s at %.4f of the way, at (%.4g, %.4g, %.4g) m\n", "impact", impact.t, impact.point.x, impact.point.y, impact.point.z);
    }
    kin_form_drop(body);
    kin_form_drop(floor);
    return ok;
}

int main(int argc, char** argv)
{
    kin_mesh_view mesh = {corners, 12, sizes, faces, 8};
    kin_mesh_list file = {0};
    if (argc > 1) {
        if (kin_mesh_load(NULL, argv[1], &file, &error) != KIN_OK) return fail();
        mesh = file.meshes[0];
    }
    kin_mesh_check check;
    bool ok = kin_mesh_look_over(NULL, &mesh, true, &check, &error) == KIN_OK;
    if (ok) printf("%s\n", check.text);
    ok = ok && take_apart(&mesh) && let_fall(&mesh);
    kin_mesh_list_free(&file);
    return ok ? 0 : fail();
}
