/* work.c - the public work on meshes: looked over, mended, wrapped, cut into convex pieces, filled. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/decompose/approx.h"
#include "geometry/decompose/joe.h"
#include "geometry/decompose/notch.h"
#include "geometry/hull/hull.h"
#include "geometry/list/list.h"
#include "geometry/repair/inspect.h"
#include "geometry/repair/repair.h"
#include "geometry/tetra/tetra.h"
#include <string.h>

static kin_allocator allocator_of(const kin_allocator* given) { return given != NULL ? *given : kin_allocator_default(); }

/* The mesh as a polygon mesh to work on; the caller ends it, also on failure. */
static kin_result begin(const kin_allocator* allocator, const kin_mesh_view* mesh, kin_poly* poly, kin_error* error)
{
    kin_poly_init(poly, allocator);
    return kin_poly_read(poly, mesh, error);
}

/* ---- looking over and mending ---- */

static void set_check(const kin_mesh_report* r, kin_mesh_check* out)
{
    *out = (kin_mesh_check){.vertices = r->vertices,
                            .edges = r->edges,
                            .faces = r->faces,
                            .components = r->component_count,
                            .closed = r->closed,
                            .area = r->area,
                            .volume = r->volume,
                            .holes = r->counts[KIN_DEFECT_HOLE],
                            .flipped_faces = r->counts[KIN_DEFECT_FLIPPED],
                            .duplicate_faces = r->counts[KIN_DEFECT_DUPLICATE_FACE],
                            .degenerate_faces = r->counts[KIN_DEFECT_DEGENERATE_FACE],
                            .bad_edges = r->counts[KIN_DEFECT_EDGE],
                            .bad_vertices = r->counts[KIN_DEFECT_VERTEX],
                            .crossings = r->counts[KIN_DEFECT_CROSSING],
                            .inside_out = r->counts[KIN_DEFECT_INSIDE_OUT]};
    kin_mesh_report_text(r, out->text, sizeof out->text);
}

kin_result kin_mesh_look_over(const kin_allocator* given, const kin_mesh_view* mesh, bool crossings, kin_mesh_check* out, kin_error* error)
{
    kin_allocator allocator = allocator_of(given);
    kin_poly poly;
    kin_mesh_report report;
    *out = (kin_mesh_check){0};
    kin_result result = begin(&allocator, mesh, &poly, error);
    if (result == KIN_OK) result = kin_inspect(&poly, &(kin_inspect_def){.crossings = crossings}, &report, error);
    if (result == KIN_OK) {
        set_check(&report, out);
        kin_mesh_report_term(&report);
    }
    kin_poly_term(&poly);
    return result;
}

kin_mend_def kin_mend_def_default(void)
{
    kin_repair_def d = kin_repair_def_default();
    return (kin_mend_def){d.weld, d.drop_duplicates, d.drop_degenerate, d.orient, d.fill_holes};
}

kin_result kin_mesh_mend(const kin_allocator* given, const kin_mesh_view* mesh, const kin_mend_def* wanted, kin_mesh_list* out, kin_error* error)
{
    kin_allocator allocator = allocator_of(given);
    kin_mend_def mend = wanted != NULL ? *wanted : kin_mend_def_default();
    kin_repair_def def = {mend.weld, mend.drop_duplicates, mend.drop_degenerate, mend.orient, mend.fill_holes};
    kin_repair_steps steps;
    kin_poly poly;
    kin_mesh_list_begin(out, &allocator);
    kin_result result = begin(&allocator, mesh, &poly, error);
    if (result == KIN_OK) result = kin_repair(&poly, &def, &steps, error);
    kin_mesh_view view = kin_poly_view(&poly);
    if (result == KIN_OK) result = kin_mesh_list_add(out, &view, error);
    kin_poly_term(&poly);
    return result;
}

/* ---- hulls ---- */

/* The faces of a hull as polygons. */
static kin_result add_hull(kin_mesh_list* list, const kin_hull* hull, kin_error* error)
{
    kin_poly poly;
    kin_poly_init(&poly, &list->allocator);
    bool ok = true;
    uint32_t* corners = kin_alloc(&list->allocator, hull->edge_count * sizeof *corners);
    for (uint32_t v = 0; v < hull->vertex_count; ++v) ok = ok && kin_poly_add_vertex(&poly, hull->vertices[v]);
    for (uint32_t f = 0; f < hull->face_count && ok && corners != NULL; ++f) {
        uint32_t count = 0, first = hull->face_edge[f], e = first;
        do corners[count++] = hull->edges[e].origin, e = hull->edges[e].next;
        while (e != first);
        ok = kin_poly_add_face(&poly, corners, count, f);
    }
    kin_mesh_view view = kin_poly_view(&poly);
    kin_result result = ok && corners != NULL ? kin_mesh_list_add(list, &view, error) : kin_fail_memory(error, "a hull", 0);
    kin_free(&list->allocator, corners, hull->edge_count * sizeof *corners);
    kin_poly_term(&poly);
    return result;
}

kin_result kin_points_hull(const kin_allocator* given, const kin_vec3* points, size_t count, uint32_t most_vertices, kin_mesh_list* out, kin_error* error)
{
    kin_allocator allocator = allocator_of(given);
    kin_hull* hull;
    kin_mesh_list_begin(out, &allocator);
    kin_result result = kin_hull_create(&allocator, points, count, most_vertices, &hull, error);
    if (result != KIN_OK) return result;
    result = add_hull(out, hull, error);
    kin_hull_destroy(hull);
    return result;
}

/* ---- convex pieces ---- */

static kin_result add_pieces(kin_result made, kin_pieces* pieces, kin_mesh_list* out, kin_error* error)
{
    for (size_t i = 0; i < pieces->count && made == KIN_OK; ++i) {
        kin_mesh_view view = kin_poly_view(&pieces->parts[i]);
        made = kin_mesh_list_add(out, &view, error);
    }
    kin_pieces_term(pieces);
    return made;
}

static kin_result pieces_by_notches(const kin_poly* poly, const kin_pieces_def* def, kin_mesh_list* out, kin_error* error)
{
    kin_pieces pieces;
    kin_notch_report report;
    kin_pieces_init(&pieces, &out->allocator);
    kin_result result = kin_decompose_notch(poly, &(kin_notch_def){.most_parts = (uint32_t)def->most_pieces}, &pieces, &report, error);
    return add_pieces(result, &pieces, out, error);
}

static kin_joe_def joe_def_of(const kin_pieces_def* def)
{
    kin_joe_def joe = kin_joe_def_default();
    if (def->least_angle > 0) joe.theta_acc = def->least_angle;
    if (def->least_distance > 0) joe.d_acc = def->least_distance;
    if (def->candidates > 0) joe.candidates = (uint32_t)def->candidates;
    if (def->most_pieces > 0) joe.most_parts = (uint32_t)def->most_pieces;
    if (def->relax > 0 && def->relax < 1) joe.relax = def->relax;
    if (def->relax == 1) joe.relaxations = 0;
    joe.fewest = true;
    return joe;
}

static kin_result pieces_by_joe(const kin_poly* poly, const kin_pieces_def* def, kin_mesh_list* out, kin_error* error)
{
    const kin_joe_def joe = joe_def_of(def);
    kin_pieces pieces;
    kin_joe_report report;
    kin_poly convex_faces;
    kin_pieces_init(&pieces, &out->allocator);
    kin_poly_init(&convex_faces, &out->allocator);
    kin_result result = kin_poly_require_closed(poly, "a convex decomposition", error);
    if (result == KIN_OK && !kin_poly_convex_faces(poly, &convex_faces)) result = kin_fail_memory(error, "convex faces", 0);
    if (result == KIN_OK) result = kin_decompose_joe(&convex_faces, &joe, &pieces, &report, error);
    kin_poly_term(&convex_faces);
    return add_pieces(result, &pieces, out, error);
}

static kin_result pieces_nearly(const kin_poly* poly, const kin_pieces_def* def, kin_mesh_list* out, kin_error* error)
{
    kin_approx approx;
    const kin_approx_def wanted = {.concavity = def->concavity, .most_pieces = (uint32_t)def->most_pieces, .most_vertices = (uint32_t)def->most_vertices};
    kin_result result = kin_decompose_approx(poly, &wanted, &approx, error);
    if (result != KIN_OK) return result;
    if (def->concavity > 0 && approx.concavity > def->concavity)
        result =
            kin_fail(error, KIN_ERROR_LIMIT, "concavity", "%u hulls reach %.3g m of the %.3g m asked for: allow more pieces or vertices, or a larger concavity",
                     approx.count, approx.concavity, def->concavity);
    for (uint32_t i = 0; i < approx.count && result == KIN_OK; ++i) result = add_hull(out, approx.pieces[i].hull, error);
    kin_approx_term(&approx);
    return result;
}

static kin_result check_pieces(const kin_pieces_def* d, kin_error* error)
{
    if ((unsigned)d->method > KIN_PIECES_JOE) return kin_fail(error, KIN_ERROR_ARGUMENT, "method", "%d is no method", (int)d->method);
    if (!(kin_finite(d->concavity) && d->concavity >= 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "concavity", "%g must be >= 0 (m)", d->concavity);
    if (d->most_pieces < 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "most_pieces", "%d must be >= 0", d->most_pieces);
    if (d->most_vertices < 0 || (d->most_vertices > 0 && d->most_vertices < 4))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "most_vertices", "%d must be >= 4, or 0", d->most_vertices);
    if (!(d->least_angle >= 0 && d->least_angle <= 0.5 * KIN_PI))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "least_angle", "%g must be >= 0 and <= pi/2 (rad)", d->least_angle);
    if (!(kin_finite(d->least_distance) && d->least_distance >= 0))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "least_distance", "%g must be >= 0 (mean edge lengths)", d->least_distance);
    if (d->candidates < 0 || d->candidates > KIN_JOE_MOST_CANDIDATES)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "candidates", "%d must be >= 0 and <= %d", d->candidates, KIN_JOE_MOST_CANDIDATES);
    if (!(d->relax >= 0 && d->relax <= 1)) return kin_fail(error, KIN_ERROR_ARGUMENT, "relax", "%g must be >= 0 and <= 1", d->relax);
    return KIN_OK;
}

kin_result kin_mesh_pieces(const kin_allocator* given, const kin_mesh_view* mesh, const kin_pieces_def* wanted, kin_mesh_list* out, kin_error* error)
{
    static kin_result (*const methods[])(const kin_poly*, const kin_pieces_def*, kin_mesh_list*, kin_error*) = {
        [KIN_PIECES_APPROXIMATE] = pieces_nearly, [KIN_PIECES_NOTCHES] = pieces_by_notches, [KIN_PIECES_JOE] = pieces_by_joe};
    kin_allocator allocator = allocator_of(given);
    kin_pieces_def def = wanted != NULL ? *wanted : (kin_pieces_def){0};
    kin_poly poly;
    kin_mesh_list_begin(out, &allocator);
    kin_result result = check_pieces(&def, error);
    if (result != KIN_OK) return result;
    result = begin(&allocator, mesh, &poly, error);
    if (result == KIN_OK) result = methods[def.method](&poly, &def, out, error);
    if (result != KIN_OK) kin_mesh_list_free(out);
    kin_poly_term(&poly);
    return result;
}

/* ---- tetrahedra ---- */

kin_result kin_mesh_tetrahedra(const kin_allocator* given, const kin_mesh_view* view, double spacing, uint64_t seed, kin_tetrahedra* out, kin_error* error)
{
    kin_allocator allocator = allocator_of(given);
    kin_mesh* mesh;
    kin_tets* tets = NULL;
    *out = (kin_tetrahedra){.allocator = allocator};
    kin_result result = kin_mesh_create(&allocator, view, &mesh, error);
    if (result != KIN_OK) return result;
    result = kin_tets_fill(&allocator, mesh, &(kin_tets_def){.spacing = spacing, .surface = spacing, .seed = seed}, &tets, error);
    kin_mesh_destroy(mesh);
    if (result != KIN_OK) return result;
    out->vertices = kin_alloc(&allocator, tets->vertex_count * sizeof *out->vertices);
    out->corners = kin_alloc(&allocator, tets->tet_count * sizeof *out->corners);
    out->vertex_count = tets->vertex_count;
    out->count = tets->tet_count;
    if (out->vertices != NULL && out->corners != NULL) {
        memcpy(out->vertices, tets->vertices, tets->vertex_count * sizeof *out->vertices);
        memcpy(out->corners, tets->corners, tets->tet_count * sizeof *out->corners);
    } else {
        kin_tetrahedra_free(out);
        result = kin_fail_memory(error, "tetrahedra", kin_tets_bytes(tets));
    }
    kin_tets_destroy(tets);
    return result;
}

void kin_tetrahedra_free(kin_tetrahedra* t)
{
    kin_free(&t->allocator, t->vertices, t->vertex_count * sizeof *t->vertices);
    kin_free(&t->allocator, t->corners, t->count * sizeof *t->corners);
    *t = (kin_tetrahedra){.allocator = t->allocator};
}
