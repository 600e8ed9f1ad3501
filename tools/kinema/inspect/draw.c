/* draw.c - pictures of a mesh and of what was made of it: surface, defects, hull, pieces pulled apart, trees level by level, tetrahedra. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/repair/connect.h"
#include "geometry/volumes/boundtree.h"
#include "inspect/inspection.h"
#include "math/aabb.h"
#include <string.h>

static const kin_vec3 here = {0, 0, 0};
const kin_vec3 kin_inspect_toward = {0.55, 0.5, 1};

kin_vec3 kin_inspect_apart(const kin_inspection* i, kin_vec3 center) { return kin_scale(kin_sub(center, kin_aabb_center(i->mesh->bounds)), 0.3); }

static kin_result no_memory(const char* path, kin_error* error) { return kin_fail(error, KIN_ERROR_MEMORY, path, "there is no memory for the picture"); }

static kin_result not_there(const char* path, const char* what, kin_error* error)
{
    return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there is nothing to draw: %s", what);
}

/* Of the lines of a net of this many edges: dense ones must not hide what they lie on. */
static double net_width(double width, size_t edges) { return edges > 400 ? 0.35 * width : width; }

/* ---- the surface and its edges ---- */

typedef enum edge_class { EDGE_SOUND, EDGE_BORDER, EDGE_CROWDED, EDGE_CROSSED } edge_class;

static edge_class class_of(const kin_edge* edge)
{
    return edge->uses == 1 ? EDGE_BORDER : edge->uses > 2 ? EDGE_CROWDED : edge->crossed ? EDGE_CROSSED : EDGE_SOUND;
}

static bool put_edges(kin_easel* easel, const kin_connect* connect, edge_class wanted, double width, const float color[3])
{
    const kin_poly* poly = connect->poly;
    uint32_t(*lines)[2] = kin_alloc(&poly->allocator, connect->edge_count * sizeof *lines + 1), count = 0;
    if (lines == NULL) return false;
    for (uint32_t e = 0; e < connect->edge_count; ++e) {
        if (class_of(&connect->edges[e]) != wanted) continue;
        lines[count][0] = connect->edges[e].from;
        lines[count++][1] = connect->edges[e].to;
    }
    if (count > 0) kin_easel_lines(easel, poly->vertices, poly->vertex_count, (const uint32_t(*)[2])lines, count, width, here, color);
    kin_free(&poly->allocator, lines, connect->edge_count * sizeof *lines + 1);
    return true;
}

kin_result kin_inspect_draw_mesh(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    kin_connect connect;
    kin_easel_begin(easel, i->mesh->bounds);
    kin_easel_mesh(easel, i->mesh, here, kin_easel_palette[0]);
    bool fits = kin_connect_init(&connect, &i->poly, &i->allocator);
    for (int k = EDGE_SOUND; fits && k <= EDGE_CROSSED; ++k)
        fits = put_edges(easel, &connect, (edge_class)k, net_width(0.002, connect.edge_count), kin_easel_dark);
    kin_connect_term(&connect);
    return fits ? kin_easel_finish(easel, kin_inspect_toward, path, error) : no_memory(path, error);
}

static void put_places(kin_easel* easel, const kin_mesh_report* r)
{
    for (int d = 0; d < KIN_DEFECT_COUNT; ++d) {
        uint32_t count = r->counts[d] < KIN_DEFECT_PLACES ? r->counts[d] : KIN_DEFECT_PLACES;
        for (uint32_t k = 0; k < count; ++k) kin_easel_dots(easel, &r->places[d][k].where, 1, 0.012, kin_easel_red);
    }
}

/* Borders red, edges of too many faces orange, edges between faces of two windings violet; a ball at the first places of every kind. */
kin_result kin_inspect_draw_defects(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    kin_connect connect;
    kin_easel_begin(easel, i->mesh->bounds);
    kin_easel_mesh(easel, i->mesh, here, kin_easel_grey);
    bool fits = kin_connect_init(&connect, &i->poly, &i->allocator) && put_edges(easel, &connect, EDGE_SOUND, 0.001, kin_easel_dark)
                && put_edges(easel, &connect, EDGE_BORDER, 0.008, kin_easel_red) && put_edges(easel, &connect, EDGE_CROWDED, 0.008, kin_easel_palette[1])
                && put_edges(easel, &connect, EDGE_CROSSED, 0.008, kin_easel_palette[4]);
    kin_connect_term(&connect);
    put_places(easel, &i->report);
    return fits ? kin_easel_finish(easel, kin_inspect_toward, path, error) : no_memory(path, error);
}

/* ---- hull and pieces ---- */

static bool put_hull_edges(kin_easel* easel, const kin_hull* hull, double width, kin_vec3 shift, const float color[3])
{
    size_t count = hull->edge_count / 2;
    uint32_t(*lines)[2] = kin_alloc(&hull->allocator, count * sizeof *lines);
    if (lines == NULL) return false;
    for (uint32_t e = 0; e < count; ++e) {
        lines[e][0] = hull->edges[2 * e].origin;
        lines[e][1] = kin_hull_end(hull, 2 * e);
    }
    kin_easel_lines(easel, hull->vertices, hull->vertex_count, (const uint32_t(*)[2])lines, count, width, shift, color);
    kin_free(&hull->allocator, lines, count * sizeof *lines);
    return true;
}

kin_result kin_inspect_draw_hull(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    if (i->hull == NULL) return not_there(path, "the mesh has no hull", error);
    kin_easel_begin(easel, i->mesh->bounds);
    kin_easel_mesh(easel, i->mesh, here, kin_easel_palette[0]);
    bool fits = put_hull_edges(easel, i->hull, net_width(0.006, i->hull->edge_count / 2), here, kin_easel_palette[1]);
    return fits ? kin_easel_finish(easel, kin_inspect_toward, path, error) : no_memory(path, error);
}

kin_result kin_inspect_draw_exact(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    if (i->exact_count == 0) return not_there(path, "there are no exact pieces", error);
    kin_easel_begin(easel, i->mesh->bounds);
    for (size_t k = 0; k < i->exact_count; ++k) {
        const kin_mesh* piece = i->exact[k];
        kin_easel_mesh(easel, piece, kin_inspect_apart(i, kin_aabb_center(piece->bounds)), kin_easel_palette[k % 8]);
    }
    return kin_easel_finish(easel, kin_inspect_toward, path, error);
}

static kin_result put_hull(kin_easel* easel, const kin_hull* hull, kin_vec3 shift, const float color[3], kin_error* error)
{
    kin_mesh* mesh;
    kin_result result = kin_hull_mesh(hull, &hull->allocator, &mesh, error);
    if (result != KIN_OK) return result;
    kin_easel_mesh(easel, mesh, shift, color);
    kin_mesh_destroy(mesh);
    return put_hull_edges(easel, hull, 0.0015, shift, kin_easel_dark) ? KIN_OK : no_memory("pieces", error);
}

kin_result kin_inspect_draw_pieces(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    if (!i->has_approx) return not_there(path, "convex pieces need a closed mesh, not inside out", error);
    kin_result result = KIN_OK;
    kin_easel_begin(easel, i->mesh->bounds);
    for (uint32_t k = 0; k < i->approx.count && result == KIN_OK; ++k) {
        const kin_hull* hull = i->approx.pieces[k].hull;
        result = put_hull(easel, hull, kin_inspect_apart(i, hull->center), kin_easel_palette[k % 8], error);
    }
    return result == KIN_OK ? kin_easel_finish(easel, kin_inspect_toward, path, error) : result;
}

/* ---- trees ---- */

static bool put_level(kin_easel* easel, const kin_inspection* i, const kin_bound_tree* tree, uint32_t level, kin_vec3 shift)
{
    uint32_t count = kin_bound_tree_level(tree, level, NULL, 0);
    uint32_t* nodes = kin_alloc(&i->allocator, count * sizeof *nodes + 1);
    kin_wire wire;
    kin_wire_init(&wire, &i->allocator);
    bool fits = nodes != NULL;
    if (fits) kin_bound_tree_level(tree, level, nodes, count);
    for (uint32_t k = 0; fits && k < count; ++k) fits = kin_wire_add(&wire, &tree->bounds[nodes[k]]);
    if (fits) {
        kin_easel_mesh(easel, i->mesh, shift, kin_easel_grey);
        kin_easel_lines(easel, wire.points, wire.point_count, (const uint32_t(*)[2])wire.edges, wire.edge_count, 0.005, shift, kin_easel_palette[level % 8]);
    }
    kin_wire_term(&wire);
    kin_free(&i->allocator, nodes, count * sizeof *nodes + 1);
    return fits;
}

static kin_bound_kind kind_named(const char* name)
{
    for (int k = 0; name != NULL && k < KIN_BOUND_KINDS; ++k) {
        if (strcmp(kin_bound_ops_of[k]->name, name) == 0) return (kin_bound_kind)k;
    }
    return KIN_BOUND_OBB;
}

/* Level by level, side by side: 0, 1, 2 above, 3, 4, 5 below. */
static bool put_levels(kin_easel* easel, const kin_inspection* i, const kin_bound_tree* tree)
{
    enum { COLUMNS = 3, ROWS = 2 };
    kin_vec3 right, up, size = kin_aabb_size(i->mesh->bounds);
    kin_easel_across(kin_inspect_toward, &right, &up);
    double wide = 1.25 * kin_dot(kin_abs3(right), size), tall = 1.25 * kin_dot(kin_abs3(up), size);
    bool fits = true;
    for (uint32_t level = 0; fits && level < COLUMNS * ROWS; ++level) {
        kin_vec3 shift = kin_add_scaled(kin_scale(right, wide * (level % COLUMNS)), -tall * (level / COLUMNS), up);
        fits = put_level(easel, i, tree, level, shift);
    }
    return fits;
}

kin_result kin_inspect_draw_tree(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    const kin_arguments* a = i->arguments;
    kin_primitives triangles = kin_primitives_of_mesh(i->mesh);
    kin_bound_tree* tree;
    kin_result result = kin_bound_tree_create(&i->allocator, &triangles, &(kin_bound_tree_def){.kind = kind_named(a->tree)}, &tree, error);
    if (result != KIN_OK) return result;
    kin_easel_begin(easel, i->mesh->bounds);
    bool fits = a->level.given ? put_level(easel, i, tree, (uint32_t)a->level.value, here) : put_levels(easel, i, tree);
    kin_bound_tree_destroy(tree);
    return fits ? kin_easel_finish(easel, kin_inspect_toward, path, error) : no_memory(path, error);
}

/* ---- tetrahedra ---- */

/* Shrunk towards its middle, so that one sees between them. */
static void put_tet(const kin_tets* tets, uint32_t t, kin_vec3* corners, uint32_t (*faces)[3], uint32_t first)
{
    kin_vec3 middle = here;
    for (int k = 0; k < 4; ++k) middle = kin_add_scaled(middle, 0.25, tets->vertices[tets->corners[t][k]]);
    for (int k = 0; k < 4; ++k) {
        corners[k] = kin_lerp(middle, tets->vertices[tets->corners[t][k]], 0.86);
        for (int c = 0; c < 3; ++c) faces[k][2 - c] = first + kin_tet_face[k][c]; /* seen from outside */
    }
}

static bool is_skin(const kin_tets* tets, uint32_t t)
{
    for (int k = 0; k < 4; ++k) {
        if (tets->across[t][k] == KIN_NO_NEIGHBOR) return true;
    }
    return false;
}

static kin_vec3 tet_middle(const kin_tets* tets, uint32_t t)
{
    kin_vec3 sum = here;
    for (int k = 0; k < 4; ++k) sum = kin_add_scaled(sum, 0.25, tets->vertices[tets->corners[t][k]]);
    return sum;
}

/* Those with a face on the surface, or those without; the half nearer to the viewer is left out. */
static bool put_tets(kin_inspection* i, kin_easel* easel, bool skin, const float color[3])
{
    const kin_tets* tets = i->tets;
    size_t most = tets->tet_count, count = 0;
    kin_vec3* corners = kin_alloc(&i->allocator, most * 4 * sizeof *corners);
    uint32_t(*faces)[3] = kin_alloc(&i->allocator, most * 4 * sizeof *faces);
    bool fits = corners != NULL && faces != NULL;
    for (uint32_t t = 0; fits && t < most; ++t) {
        bool near = kin_dot(kin_sub(tet_middle(tets, t), kin_aabb_center(i->mesh->bounds)), kin_inspect_toward) > 0;
        if (near || is_skin(tets, t) != skin) continue;
        put_tet(tets, t, corners + 4 * count, faces + 4 * count, (uint32_t)(4 * count));
        ++count;
    }
    if (fits && count > 0) kin_easel_triangles(easel, corners, 4 * count, (const uint32_t(*)[3])faces, 4 * count, here, color);
    kin_free(&i->allocator, corners, most * 4 * sizeof *corners);
    kin_free(&i->allocator, faces, most * 4 * sizeof *faces);
    return fits;
}

kin_result kin_inspect_draw_tetra(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    if (i->tets == NULL) return not_there(path, "tetrahedra need a closed mesh, not inside out", error);
    kin_easel_begin(easel, i->mesh->bounds);
    bool fits = put_tets(i, easel, true, kin_easel_palette[0]) && put_tets(i, easel, false, kin_easel_palette[1]);
    return fits ? kin_easel_finish(easel, kin_inspect_toward, path, error) : no_memory(path, error);
}
