/* inspection.h - the mesh that is inspected, what was made of it on the way, and what was found. Pictures show what the facts speak of. */
#pragma once
#include "easel.h"
#include "geometry/decompose/approx.h"
#include "geometry/repair/inspect.h"
#include "geometry/sdf/sdf.h"
#include "geometry/tetra/tetra.h"
#include "inspect/facts.h"
#include "options.h"

typedef struct kin_inspection {
    const kin_arguments* arguments;
    kin_allocator allocator;
    kin_jobs workers;
    kin_poly poly; /* as given */
    kin_poly used; /* without vertices of no face */
    kin_mesh* mesh;
    kin_mesh_report report;
    bool has_report, has_workers, has_approx;
    double volume;    /* m^3; 0 unless it is a solid */
    kin_hull* hull;   /* NULL: it has none */
    kin_mesh** exact; /* convex pieces by Joe's method, or else by notches; none: not tried or not done */
    size_t exact_count, exact_capacity;
    kin_approx approx;
    kin_tets* tets;
    kin_sdf* band;
    kin_facts facts;
    char (*pictures)[1024]; /* paths, in the order they were drawn */
    size_t picture_count, picture_capacity;
} kin_inspection;

/* Parts of the report: each adds its group of facts, and says plainly what it needed and did not get. */
void kin_inspect_surface(kin_inspection* i); /* counts, bounds, whether it is closed */
void kin_inspect_defects(kin_inspection* i);
void kin_inspect_mass(kin_inspection* i);
void kin_inspect_bounds(kin_inspection* i);
void kin_inspect_hull(kin_inspection* i);
void kin_inspect_exact(kin_inspection* i);
void kin_inspect_approx(kin_inspection* i);
void kin_inspect_tetra(kin_inspection* i);
void kin_inspect_sdf(kin_inspection* i);

/* Pictures into a folder that is there. What cannot be drawn of this mesh is an error that says why. */
typedef kin_result kin_inspect_picture_fn(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error);
kin_inspect_picture_fn kin_inspect_draw_mesh, kin_inspect_draw_defects, kin_inspect_draw_hull, kin_inspect_draw_exact, kin_inspect_draw_pieces,
    kin_inspect_draw_tree, kin_inspect_draw_sdf, kin_inspect_draw_tetra, kin_inspect_draw_voronoi;

/* For pictures: where a thing is seen from, and how far from the middle a piece is pulled, m. */
extern const kin_vec3 kin_inspect_toward;
kin_vec3 kin_inspect_apart(const kin_inspection* i, kin_vec3 center);
