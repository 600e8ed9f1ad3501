/* pieces.c - a closed mesh that collides as convex pieces (Coutinho 1.4.1, appendix F): a compound of hulls, made once. Its mass and its look are those of the
 * mesh, so that they do not depend on how it was cut. */
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/make.h"
#include "geometry/list/list.h"
#include <stdio.h>
#include <string.h>

static kin_result make_hulls(kin_form* f, const kin_mesh_list* pieces, kin_error* error)
{
    kin_shape* parts = kin_alloc_zero(&f->allocator, kin_bytes(pieces->count, sizeof *parts));
    if (parts == NULL) return kin_fail_memory(error, "convex pieces", pieces->count * sizeof *parts);
    for (size_t i = 0; i < pieces->count; ++i)
        parts[i] = (kin_shape){.kind = KIN_SHAPE_HULL, .points = {pieces->meshes[i].vertices, pieces->meshes[i].vertex_count}};
    const kin_shape whole = {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = pieces->count, .scale = {1, 1, 1}, .turn = {0, 0, 0, 1}};
    kin_result result = kin_form_named(kin_form_make_compound(f, &whole, error), "shape.pieces", error);
    kin_free(&f->allocator, parts, pieces->count * sizeof *parts);
    return result;
}

/* "concavity" of a decomposition is shape.pieces.concavity; what says nothing is wrong with the mesh, or with the method for it. */
static kin_result name_failure(kin_result result, const kin_pieces_def* def, kin_error* error)
{
    if (result == KIN_OK || result == KIN_ERROR_MEMORY || error == NULL) return result;
    if (error->where[0] != 0) return kin_within(result, "shape.pieces", error);
    if (result != KIN_ERROR_NUMERICS) return kin_form_named(result, "shape.mesh", error);
    static const char* const remedies[] = {"", "approximate has no such limit", "notches and approximate have no standards"};
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, ": %s", remedies[def->method]);
    return kin_form_named(result, "shape.pieces.method", error);
}

kin_result kin_form_make_pieces(kin_form* f, const kin_shape* shape, kin_error* error)
{
    kin_mesh_view view;
    kin_mesh_list pieces = {0};
    kin_result result = kin_form_place_mesh(f, shape, &view, error);
    if (result != KIN_OK) return result;
    result = kin_form_named(kin_form_set_view(f, &view, error), "shape.mesh", error);
    if (result == KIN_OK) result = name_failure(kin_mesh_pieces(&f->allocator, &view, &shape->pieces, &pieces, error), &shape->pieces, error);
    if (result == KIN_OK) result = make_hulls(f, &pieces, error);
    kin_mesh_list_free(&pieces);
    kin_free(&f->allocator, (void*)view.vertices, view.vertex_count * sizeof *view.vertices);
    return result;
}
