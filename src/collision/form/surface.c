/* surface.c - meshes, and hulls as the mesh of their faces: scale, turn and offset go into the vertices. */
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/make.h"

static bool sweep(const kin_form* f, const kin_path* path, kin_touch* hit) { return kin_trimesh_sweep(f->mesh, path, hit); }

static int closest(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most > 1) return kin_trimesh_contacts(f->mesh, x, reach, touches, most);
    return most == 1 && kin_trimesh_closest(f->mesh, x, reach, touches);
}

static bool ray(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    return kin_trimesh_ray(f->mesh, origin, direction, limit, hit);
}

static kin_mass mass(const kin_form* f)
{
    kin_mass m = {0};
    if (f->mesh->mesh->closed && kin_mass_of_mesh(f->mesh->mesh, KIN_MASS_TETRAHEDRA, &m, NULL) != KIN_OK) m = (kin_mass){0}; /* inside out: no volume */
    return m;
}

static void term(kin_form* f)
{
    kin_trimesh_destroy(f->mesh);
    kin_hull_destroy(f->hull);
}

static size_t bytes(const kin_form* f) { return kin_trimesh_bytes(f->mesh) + (f->hull != NULL ? kin_hull_bytes(f->hull) : 0); }

static const kin_form_ops surface_ops = {.sweep = sweep, .closest = closest, .ray = ray, .mass = mass, .term = term, .bytes = bytes};

/* Takes the mesh over. */
static kin_result set_mesh(kin_form* f, kin_mesh* mesh, kin_error* error)
{
    f->ops = &surface_ops;
    f->bounds = mesh->bounds;
    f->has_inside = mesh->closed;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) f->reach = kin_max(f->reach, kin_length2(mesh->vertices[mesh->triangles[t][k]]));
    }
    f->reach = kin_sqrt(f->reach);
    return kin_trimesh_create(&f->allocator, mesh, &f->mesh, error);
}

/* A copy of the points with scale, turn and offset applied. NULL: out of memory. */
static kin_vec3* placed(const kin_allocator* allocator, const kin_shape* shape, const kin_vec3* points, size_t count)
{
    kin_vec3* out = kin_alloc(allocator, kin_bytes(count, sizeof *out));
    bool turned = shape->turn.w != 1;
    for (size_t i = 0; out != NULL && i < count; ++i) {
        out[i] = kin_mul(points[i], shape->scale);
        if (turned) out[i] = kin_rotate(shape->turn, out[i]);
        out[i] = kin_add(out[i], shape->offset);
    }
    return out;
}

kin_result kin_form_place_mesh(const kin_form* f, const kin_shape* shape, kin_mesh_view* view, kin_error* error)
{
    *view = shape->mesh;
    if (view->vertices == NULL || view->vertex_count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.mesh", "has no vertices");
    view->vertices = placed(&f->allocator, shape, view->vertices, view->vertex_count);
    return view->vertices != NULL ? KIN_OK : kin_fail_memory(error, "a mesh", view->vertex_count * sizeof *view->vertices);
}

kin_result kin_form_set_view(kin_form* f, const kin_mesh_view* view, kin_error* error)
{
    kin_mesh* mesh;
    kin_result result = kin_mesh_create(&f->allocator, view, &mesh, error);
    return result == KIN_OK ? set_mesh(f, mesh, error) : result;
}

kin_result kin_form_make_mesh(kin_form* f, const kin_shape* shape, kin_error* error)
{
    kin_mesh_view view;
    kin_result result = kin_form_place_mesh(f, shape, &view, error);
    if (result != KIN_OK) return result;
    result = kin_form_set_view(f, &view, error);
    kin_free(&f->allocator, (void*)view.vertices, view.vertex_count * sizeof *view.vertices);
    return kin_form_named(result, "shape.mesh", error);
}

kin_result kin_form_make_hull(kin_form* f, const kin_shape* shape, kin_error* error)
{
    bool given = shape->points.count > 0;
    const kin_vec3* points = given ? shape->points.data : shape->mesh.vertices;
    size_t count = given ? shape->points.count : shape->mesh.vertex_count;
    if (points == NULL || count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.points", "a hull needs points, or a mesh");
    kin_vec3* vertices = placed(&f->allocator, shape, points, count);
    if (vertices == NULL) return kin_fail_memory(error, "a hull", count * sizeof *vertices);
    kin_result result = kin_hull_create(&f->allocator, vertices, count, 0, &f->hull, error);
    kin_free(&f->allocator, vertices, count * sizeof *vertices);
    if (result != KIN_OK) return kin_form_named(result, given ? "shape.points" : "shape.mesh", error);
    kin_mesh* mesh;
    f->ops = &surface_ops;
    result = kin_hull_mesh(f->hull, &f->allocator, &mesh, error);
    if (result == KIN_OK) result = set_mesh(f, mesh, error);
    f->is_convex = true;
    f->convex = (kin_convex){.core = KIN_CORE_HULL, .hull = f->hull};
    return result;
}
