/* solid.c - what a mesh can be turned into: its hull, convex pieces exactly and nearly, tetrahedra, signed distances. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/decompose/joe.h"
#include "geometry/decompose/notch.h"
#include "inspect/inspection.h"
#include "math/aabb.h"
#include <string.h>

/* ---- hull ---- */

void kin_inspect_hull(kin_inspection* i)
{
    kin_error error = {0};
    kin_facts_group(&i->facts, "hull", "Convex hull");
    if (kin_hull_create(&i->allocator, i->used.vertices, i->used.vertex_count, 0, &i->hull, &error) != KIN_OK) {
        kin_facts_refused(&i->facts, &error);
        return;
    }
    kin_facts_number(&i->facts, "vertices", "vertices", i->hull->vertex_count, NULL);
    kin_facts_number(&i->facts, "edges", "edges", i->hull->edge_count / 2, NULL);
    kin_facts_number(&i->facts, "faces", "faces", i->hull->face_count, NULL);
    kin_facts_number(&i->facts, "volume", "volume", i->hull->volume, "m^3");
    if (i->volume > 0) kin_facts_number(&i->facts, "filled", "filled", 100 * i->volume / i->hull->volume, "% by the body");
}

/* ---- exact pieces ---- */

static uint32_t count_reflex(const kin_poly* poly)
{
    kin_connect connect;
    uint32_t count = 0;
    double slack = kin_poly_grain(kin_poly_bounds(poly));
    bool fits = kin_connect_init(&connect, poly, &poly->allocator);
    for (uint32_t e = 0; fits && e < connect.edge_count; ++e) {
        uint32_t half = connect.edges[e].half;
        count += connect.twin[half] != KIN_NO_HALF && kin_edge_reflex(&connect, half, slack);
    }
    kin_connect_term(&connect);
    return count;
}

static bool keep_pieces(kin_inspection* i, const kin_pieces* pieces)
{
    if (!kin_reserve(&i->allocator, (void**)&i->exact, &i->exact_capacity, pieces->count, sizeof *i->exact)) return false;
    for (size_t k = 0; k < pieces->count; ++k) {
        if (kin_poly_mesh(&pieces->parts[k], &i->allocator, &i->exact[i->exact_count], NULL) == KIN_OK) ++i->exact_count;
    }
    return true;
}

static void try_joe(kin_inspection* i, const kin_poly* poly)
{
    kin_joe_def def = kin_joe_def_default();
    kin_joe_report report;
    kin_pieces pieces;
    kin_error error = {0};
    kin_pieces_init(&pieces, &i->allocator);
    if (kin_decompose_joe(poly, &def, &pieces, &report, &error) == KIN_OK && keep_pieces(i, &pieces)) {
        kin_facts_number(&i->facts, "joe_pieces", "by Joe", (double)pieces.count, "pieces");
        kin_facts_number(&i->facts, "joe_cuts", "  cut faces", report.cuts, NULL);
        kin_facts_number(&i->facts, "joe_smallest_angle", "  least angle", report.smallest * 180 / KIN_PI, "degrees, made by a cut");
    } else {
        kin_facts_text(&i->facts, "joe_refused", "by Joe", "not done: %s", error.message);
    }
    kin_pieces_term(&pieces);
}

static void try_notches(kin_inspection* i, const kin_poly* poly)
{
    kin_notch_report report;
    kin_pieces pieces;
    kin_error error = {0};
    kin_pieces_init(&pieces, &i->allocator);
    if (kin_decompose_notch(poly, &(kin_notch_def){0}, &pieces, &report, &error) == KIN_OK) {
        kin_facts_number(&i->facts, "notch_pieces", "by notches", (double)pieces.count, "pieces");
        kin_facts_number(&i->facts, "notch_cuts", "  planes", report.cuts, NULL);
        if (i->exact_count == 0) i->facts.failed = !keep_pieces(i, &pieces) || i->facts.failed;
    } else {
        kin_facts_text(&i->facts, "notch_refused", "by notches", "not done: %s", error.message);
    }
    kin_pieces_term(&pieces);
}

/* Exact pieces grow with the square of the reflex edges: a scanned mesh has thousands, and is better off with hulls that nearly fit. */
void kin_inspect_exact(kin_inspection* i)
{
    uint64_t most = i->arguments->exact.given ? i->arguments->exact.value : 64;
    kin_poly poly;
    kin_error error = {0};
    kin_facts_group(&i->facts, "exact", "Convex pieces, exactly");
    kin_result result = kin_poly_require_closed(&i->poly, "an exact decomposition", &error);
    if (result == KIN_OK && !(i->volume > 0)) result = kin_fail(&error, KIN_ERROR_ARGUMENT, "", "the mesh encloses no volume, or is inside out");
    if (result != KIN_OK) {
        kin_facts_refused(&i->facts, &error);
        return;
    }
    kin_poly_init(&poly, &i->allocator);
    if (kin_poly_convex_faces(&i->poly, &poly)) {
        uint32_t reflex = count_reflex(&poly);
        kin_facts_number(&i->facts, "reflex_edges", "reflex edges", reflex, NULL);
        if (reflex <= most) {
            try_joe(i, &poly);
            try_notches(i, &poly);
        } else {
            kin_facts_text(&i->facts, "refused", "not tried", "more than %llu reflex edges; --exact %u tries all the same", (unsigned long long)most, reflex);
        }
    }
    kin_poly_term(&poly);
}

/* ---- nearly ---- */

void kin_inspect_approx(kin_inspection* i)
{
    const kin_arguments* a = i->arguments;
    kin_approx_def def = {
        .concavity = a->concavity.given ? a->concavity.value : 0, .most_pieces = a->pieces.given ? (uint32_t)a->pieces.value : 0, .jobs = &i->workers};
    kin_error error = {0};
    kin_facts_group(&i->facts, "approximate", "Convex pieces, nearly");
    if (kin_decompose_approx(&i->poly, &def, &i->approx, &error) != KIN_OK) {
        kin_facts_refused(&i->facts, &error);
        return;
    }
    i->has_approx = true;
    double vertices = 0, excess = i->approx.hull_volume / i->approx.volume - 1;
    for (uint32_t k = 0; k < i->approx.count; ++k) vertices += i->approx.pieces[k].hull->vertex_count;
    kin_facts_number(&i->facts, "pieces", "pieces", i->approx.count, "hulls");
    kin_facts_number(&i->facts, "vertices", "vertices", vertices, "in all");
    kin_facts_number(&i->facts, "volume", "volume", i->approx.hull_volume, "m^3, of the hulls");
    kin_facts_number(&i->facts, "excess", "too much", kin_abs(excess) < 1e-12 ? 0 : 100 * excess, "%");
    kin_facts_number(&i->facts, "wanted", "concavity wanted", i->approx.wanted, "m");
    kin_facts_number(&i->facts, "concavity", "reached", i->approx.concavity, "m");
    kin_facts_number(&i->facts, "uncovered", "uncovered by", i->approx.uncovered, "m");
}

/* ---- tetrahedra ---- */

void kin_inspect_tetra(kin_inspection* i)
{
    enum { ACROSS = 8 }; /* points along the longest side */
    double spacing = kin_largest(kin_aabb_size(i->mesh->bounds)) / ACROSS;
    kin_error error = {0};
    kin_facts_group(&i->facts, "tetrahedra", "Tetrahedra");
    if (kin_tets_fill(&i->allocator, i->mesh, &(kin_tets_def){.spacing = spacing, .surface = spacing}, &i->tets, &error) != KIN_OK) {
        kin_facts_refused(&i->facts, &error);
        return;
    }
    kin_facts_number(&i->facts, "tetrahedra", "tetrahedra", i->tets->tet_count, NULL);
    kin_facts_number(&i->facts, "vertices", "vertices", i->tets->vertex_count, NULL);
    kin_facts_number(&i->facts, "spacing", "points every", spacing, "m");
    kin_facts_number(&i->facts, "volume", "volume", kin_tets_volume(i->tets), "m^3");
}

/* ---- signed distances ---- */

static void add_scanlines(kin_inspection* i, uint32_t resolution)
{
    kin_sdf* lines;
    kin_error error = {0};
    if (kin_sdf_create_scanlines(&i->allocator, &i->workers, i->mesh, resolution, &lines, &error) != KIN_OK) {
        kin_facts_text(&i->facts, "scanlines_refused", "scanlines", "not done: %s", error.message);
        return;
    }
    kin_facts_number(&i->facts, "scanline_crossings", "crossings", (double)kin_sdf_scalars(lines), "on scanlines");
    kin_facts_number(&i->facts, "scanline_bytes", "scanlines", (double)kin_sdf_bytes(lines), "bytes");
    kin_sdf_destroy(lines);
}

void kin_inspect_sdf(kin_inspection* i)
{
    enum { BAND = 2 }; /* cells */
    uint32_t resolution = i->arguments->resolution.given ? (uint32_t)i->arguments->resolution.value : 64, n[3];
    double cell = kin_largest(kin_aabb_size(i->mesh->bounds)) / resolution;
    kin_error error = {0};
    kin_facts_group(&i->facts, "distances", "Signed distances");
    if (kin_sdf_create_band(&i->allocator, &i->workers, i->mesh, &(kin_sdf_band_def){.cell = cell, .band = BAND}, &i->band, &error) != KIN_OK) {
        kin_facts_refused(&i->facts, &error);
        return;
    }
    kin_sdf_cells(i->band, n);
    double full = 4 * ((double)n[0] + 1) * ((double)n[1] + 1) * ((double)n[2] + 1);
    kin_facts_numbers(&i->facts, "cells", "cells", (double[3]){n[0], n[1], n[2]}, 3, NULL);
    kin_facts_number(&i->facts, "cell", "cell", kin_sdf_cell(i->band), "m");
    kin_facts_number(&i->facts, "full_bytes", "every grid point", full, "bytes, in floats");
    kin_facts_number(&i->facts, "band_bytes", "band", (double)kin_sdf_bytes(i->band), "bytes");
    add_scanlines(i, resolution);
}
