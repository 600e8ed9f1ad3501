/* surface.c - what a mesh is made of, what is wrong with it, what it weighs, what it fits into. */
#include "geometry/mass/mass.h"
#include "geometry/volumes/bound.h"
#include "inspect/inspection.h"
#include "math/aabb.h"
#include <math.h>

/* ---- counts ---- */

static double total_genus(const kin_mesh_report* r)
{
    double sum = 0;
    for (uint32_t c = 0; c < r->component_count; ++c) {
        if (r->components[c].genus < 0) return INFINITY; /* an open one has none */
        sum += r->components[c].genus;
    }
    return sum;
}

static void add_closed(kin_inspection* i)
{
    kin_error error = {0};
    bool closed = kin_poly_require_closed(&i->poly, "the inside of a body", &error) == KIN_OK;
    kin_facts_flag(&i->facts, "closed", "closed", closed);
    if (!closed) kin_facts_text(&i->facts, "open_at", "why not", "%s", error.message);
}

void kin_inspect_surface(kin_inspection* i)
{
    const kin_mesh_report* r = &i->report;
    kin_aabb bounds = i->mesh->bounds;
    kin_facts_group(&i->facts, "surface", "Surface");
    kin_facts_number(&i->facts, "vertices", "vertices", r->vertices, NULL);
    kin_facts_number(&i->facts, "edges", "edges", r->edges, NULL);
    kin_facts_number(&i->facts, "faces", "faces", r->faces, NULL);
    kin_facts_number(&i->facts, "triangles", "triangles", i->mesh->triangle_count, NULL);
    kin_facts_number(&i->facts, "components", "components", r->component_count, NULL);
    double genus = total_genus(r);
    if (genus < INFINITY) kin_facts_number(&i->facts, "genus", "genus", genus, genus == 1 ? "handle" : "handles");
    kin_facts_place(&i->facts, "low", "from", bounds.low, "m");
    kin_facts_place(&i->facts, "high", "to", bounds.high, "m");
    kin_facts_place(&i->facts, "size", "size", kin_aabb_size(bounds), "m");
    kin_facts_number(&i->facts, "area", "area", r->area, "m^2");
    add_closed(i);
}

/* ---- defects ---- */

void kin_inspect_defects(kin_inspection* i)
{
    static const char* const keys[KIN_DEFECT_COUNT][2] = {{"holes", "holes_at"},
                                                          {"flipped_faces", "flipped_faces_at"},
                                                          {"duplicate_faces", "duplicate_faces_at"},
                                                          {"duplicate_vertices", "duplicate_vertices_at"},
                                                          {"degenerate_faces", "degenerate_faces_at"},
                                                          {"crowded_edges", "crowded_edges_at"},
                                                          {"pinched_vertices", "pinched_vertices_at"},
                                                          {"crossing_faces", "crossing_faces_at"},
                                                          {"inside_out", "inside_out_at"},
                                                          {"one_sided", "one_sided_at"},
                                                          {"unused_vertices", "unused_vertices_at"}};
    static const char* const labels[KIN_DEFECT_COUNT] = {
        "holes",          "flipped faces", "duplicate faces", "duplicate vertices", "faces without area", "edges of 3 and more", "pinched vertices",
        "crossing faces", "inside out",    "one-sided",       "unused vertices"};
    const kin_mesh_report* r = &i->report;
    bool any = false;
    kin_facts_group(&i->facts, "defects", "Defects");
    for (int d = 0; d < KIN_DEFECT_COUNT; ++d) {
        if (r->counts[d] == 0) continue;
        kin_vec3 places[KIN_DEFECT_PLACES];
        int count = r->counts[d] < KIN_DEFECT_PLACES ? (int)r->counts[d] : KIN_DEFECT_PLACES;
        for (int k = 0; k < count; ++k) places[k] = r->places[d][k].where;
        kin_facts_number(&i->facts, keys[d][0], labels[d], r->counts[d], NULL);
        kin_facts_places(&i->facts, keys[d][1], (uint32_t)count < r->counts[d] ? "  the first at" : "  at", places, count, "m");
        any = true;
    }
    if (!any) kin_facts_text(&i->facts, "summary", "none", "sound");
}

/* ---- mass ---- */

static void add_principal(kin_inspection* i, kin_mass mass)
{
    kin_principal p = kin_mass_principal(mass);
    kin_mat3 axes = kin_quat_to_matrix(p.frame.orientation);
    kin_vec3 rows[3] = {axes.cx, axes.cy, axes.cz};
    kin_facts_place(&i->facts, "principal_moments", "principal moments", p.moments, "kg m^2");
    kin_facts_places(&i->facts, "principal_axes", "along", rows, 3, NULL);
}

void kin_inspect_mass(kin_inspection* i)
{
    double density = i->arguments->density.given ? i->arguments->density.value : 1000;
    kin_mass body;
    kin_error error = {0};
    kin_facts_group(&i->facts, "mass", "Mass");
    if (kin_mass_of_mesh(i->mesh, KIN_MASS_SURFACE, &body, &error) != KIN_OK) {
        kin_facts_refused(&i->facts, &error);
        return;
    }
    i->volume = body.mass;
    body = kin_mass_times(body, density);
    kin_sym3 j = body.inertia;
    kin_facts_number(&i->facts, "volume", "volume", i->volume, "m^3");
    kin_facts_number(&i->facts, "density", "density", density, "kg/m^3");
    kin_facts_number(&i->facts, "mass", "mass", body.mass, "kg");
    kin_facts_place(&i->facts, "center", "centre of mass", body.center, "m");
    kin_facts_numbers(&i->facts, "inertia", "xx yy zz xy xz yz", (double[6]){j.xx, j.yy, j.zz, j.xy, j.xz, j.yz}, 6, "kg m^2, about it");
    add_principal(i, body);
}

/* ---- bounding volumes ---- */

static void add_bound(kin_inspection* i, kin_bound_kind kind)
{
    const kin_bound_ops* ops = kin_bound_ops_of[kind];
    kin_bound bound;
    if (kin_bound_fit(kind, &i->allocator, i->used.vertices, i->used.vertex_count, &bound) != KIN_OK) return;
    double volume = kin_bound_volume(&bound), times = i->volume > 0 ? volume / i->volume : NAN;
    kin_facts_numbers(&i->facts, ops->name, ops->name, (double[2]){volume, times}, 2, NULL);
    kin_bound_term(&bound, &i->allocator);
}

void kin_inspect_bounds(kin_inspection* i)
{
    kin_bound_sphere ball = kin_sphere_smallest(i->used.vertices, i->used.vertex_count);
    kin_facts_group(&i->facts, "bounds", i->volume > 0 ? "Bounding volumes: m^3, and times the body's" : "Bounding volumes: m^3");
    for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) add_bound(i, (kin_bound_kind)kind);
    kin_facts_place(&i->facts, "ball_center", "the ball's centre", ball.center, "m");
    kin_facts_number(&i->facts, "ball_radius", "the ball's radius", ball.radius, "m");
}
