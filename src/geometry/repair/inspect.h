/* inspect.h - what is wrong with a mesh: counts, and the first few places of each kind. */
#pragma once
#include "geometry/cut/poly.h"

#define KIN_DEFECT_PLACES 4

typedef enum kin_defect {
    KIN_DEFECT_HOLE,             /* loop of borders: a = a vertex of it, b = its edges, size = its length, m */
    KIN_DEFECT_FLIPPED,          /* face wound against the rest of its component: a = face */
    KIN_DEFECT_DUPLICATE_FACE,   /* the same corners in any order: a = face, b = the first of its kind */
    KIN_DEFECT_DUPLICATE_VERTEX, /* nearer than the tolerance: a = vertex, b = the first there, size = distance, m */
    KIN_DEFECT_DEGENERATE_FACE,  /* fewer than three corners, a corner twice, or no area: a = face, size = area, m^2 */
    KIN_DEFECT_EDGE,             /* more than two faces: a, b = its vertices, size = faces */
    KIN_DEFECT_VERTEX,           /* several fans of faces meet only there (Fig 11.1): a = vertex, b = fans */
    KIN_DEFECT_CROSSING,         /* two faces pass through each other: a, b = faces */
    KIN_DEFECT_INSIDE_OUT,       /* closed component with negative volume that is not a void of another: a = a face, b = component, size = volume, m^3 */
    KIN_DEFECT_ONE_SIDED,        /* component that no winding suits (a Moebius strip): a = a face, b = component */
    KIN_DEFECT_UNUSED_VERTEX,    /* a = vertex; harmless */
    KIN_DEFECT_COUNT
} kin_defect;

typedef struct kin_defect_place {
    uint32_t a, b;
    double size;
    kin_vec3 where; /* m */
} kin_defect_place;

typedef struct kin_mesh_component { /* faces joined by edges */
    uint32_t first_face, faces, edges, vertices;
    uint32_t borders; /* edges with one face */
    bool closed;      /* each edge has two faces of one winding */
    bool orientable;
    int euler;     /* vertices - edges + faces */
    int genus;     /* handles, of a closed one: (2 - euler) / 2; else -1 */
    double volume; /* m^3, of a closed one, as wound; else 0 */
    int depth;     /* closed ones it lies in */
} kin_mesh_component;

typedef struct kin_mesh_report {
    uint32_t counts[KIN_DEFECT_COUNT];
    kin_defect_place places[KIN_DEFECT_COUNT][KIN_DEFECT_PLACES];
    uint32_t vertices, edges, faces; /* used vertices */
    kin_mesh_component* components;
    uint32_t component_count;
    bool closed;         /* a solid: every edge has two faces of one winding */
    double area, volume; /* m^2, m^3 (when closed) */
    kin_allocator allocator;
} kin_mesh_report;

typedef struct kin_inspect_def {
    double near;    /* m: vertices nearer than this are duplicates; 0: only those at one place */
    bool crossings; /* also look for faces that pass through each other: the dearest part */
} kin_inspect_def;

kin_result kin_inspect(const kin_poly* poly, const kin_inspect_def* def, kin_mesh_report* report, kin_error* error);
void kin_mesh_report_term(kin_mesh_report* report);
const char* kin_defect_name(kin_defect defect); /* "hole" */
/* One line per kind that occurs, with its first place, and a summary line; truncates, always terminates. */
void kin_mesh_report_text(const kin_mesh_report* report, char* text, size_t size);

/* A plain refusal where a closed mesh is needed: `what` ("mass properties") needs it. Names the first bad edge, its hole and its place. */
kin_result kin_mesh_require_closed(const kin_mesh* mesh, const char* what, kin_error* error);
kin_result kin_poly_require_closed(const kin_poly* poly, const char* what, kin_error* error);
