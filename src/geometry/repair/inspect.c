/* inspect.c - the report: each finder in turn, then components, then words. */
#include "geometry/repair/inspect.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/repair/survey.h"
#include "math/aabb.h"
#include <stdarg.h>
#include <stdio.h>

typedef struct survey {
    const kin_poly* poly;
    const kin_inspect_def* def;
    kin_mesh_report* report;
    kin_connect connect;
    uint32_t *component, *numbers; /* of each face; scratch for faces, vertices and half-edges */
    bool *flip, *sided;            /* of each face */
    kin_aabb* boxes;               /* of each component, m */
    size_t number_count;
} survey;

static void note(kin_mesh_report* r, kin_defect kind, uint32_t a, uint32_t b, double size, kin_vec3 where)
{
    uint32_t n = r->counts[kind]++;
    if (n < KIN_DEFECT_PLACES) r->places[kind][n] = (kin_defect_place){a, b, size, where};
}

static kin_vec3 face_middle(const kin_poly* p, uint32_t f)
{
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < p->sizes[f]; ++k) sum = kin_add(sum, p->vertices[kin_poly_corners(p, f)[k]]);
    return p->sizes[f] > 0 ? kin_scale(sum, 1.0 / p->sizes[f]) : sum;
}

/* ---- finders ---- */

static bool find_vertices(survey* s)
{
    const kin_poly* p = s->poly;
    uint32_t* first = s->numbers;
    for (uint32_t v = 0; v < p->vertex_count; ++v) {
        uint32_t halves = s->connect.star_begin[v + 1] - s->connect.star_begin[v];
        if (halves == 0) note(s->report, KIN_DEFECT_UNUSED_VERTEX, v, 0, 0, p->vertices[v]);
        uint32_t fans = halves == 0 ? 0 : kin_vertex_fans(&s->connect, v, s->numbers);
        if (fans > 1) note(s->report, KIN_DEFECT_VERTEX, v, fans, 0, p->vertices[v]);
        s->report->vertices += halves > 0;
    }
    if (!kin_find_near(&p->allocator, p->vertices, (uint32_t)p->vertex_count, s->def->near, first)) return false;
    for (uint32_t v = 0; v < p->vertex_count; ++v) {
        if (first[v] == v || s->connect.star_begin[v + 1] == s->connect.star_begin[v]) continue; /* merged by reading: unused, said already */
        note(s->report, KIN_DEFECT_DUPLICATE_VERTEX, v, first[v], kin_distance(p->vertices[v], p->vertices[first[v]]), p->vertices[v]);
    }
    return true;
}

static bool find_faces(survey* s)
{
    const kin_poly* p = s->poly;
    if (!kin_find_twins(p, s->numbers)) return false;
    for (uint32_t f = 0; f < p->face_count; ++f) {
        double area = 0.5 * kin_length(kin_poly_normal(p, f));
        s->report->area += area;
        if (s->numbers[f] != f) note(s->report, KIN_DEFECT_DUPLICATE_FACE, f, s->numbers[f], 0, face_middle(p, f));
        if (kin_face_degenerate(p, f)) note(s->report, KIN_DEFECT_DEGENERATE_FACE, f, 0, area, face_middle(p, f));
    }
    s->report->faces = (uint32_t)p->face_count;
    return true;
}

static bool find_edges(survey* s)
{
    kin_mesh_report* r = s->report;
    r->edges = s->connect.edge_count;
    r->closed = s->poly->face_count > 0;
    for (uint32_t e = 0; e < s->connect.edge_count; ++e) {
        const kin_edge* edge = &s->connect.edges[e];
        kin_vec3 middle = kin_lerp(s->poly->vertices[edge->from], s->poly->vertices[edge->to], 0.5);
        r->closed = r->closed && edge->uses == 2 && !edge->crossed;
        if (edge->uses > 2) note(r, KIN_DEFECT_EDGE, edge->from, edge->to, edge->uses, middle);
    }
    if (!kin_find_winding(&s->connect, s->numbers, s->flip, s->sided)) return false;
    for (uint32_t f = 0; f < s->poly->face_count; ++f) {
        if (s->flip[f]) note(r, KIN_DEFECT_FLIPPED, f, 0, 0, face_middle(s->poly, f));
    }
    return true;
}

static double loop_length(const kin_poly* p, const kin_holes* holes, uint32_t i)
{
    uint32_t begin = holes->begin[i], n = holes->begin[i + 1] - begin;
    double sum = 0;
    for (uint32_t k = 0; k + 1 < n + holes->closed[i]; ++k)
        sum += kin_distance(p->vertices[holes->ids[begin + k]], p->vertices[holes->ids[begin + (k + 1) % n]]);
    return sum;
}

static bool find_holes(survey* s)
{
    kin_holes holes;
    if (!kin_find_holes(&s->connect, &holes)) return false;
    for (uint32_t i = 0; i < holes.count; ++i) {
        uint32_t at = holes.begin[i], edges = holes.begin[i + 1] - at - !holes.closed[i];
        note(s->report, KIN_DEFECT_HOLE, holes.ids[at], edges, loop_length(s->poly, &holes, i), s->poly->vertices[holes.ids[at]]);
    }
    kin_holes_term(&holes);
    return true;
}

static bool crossing_found(void* context, uint32_t a, uint32_t b)
{
    survey* s = context;
    note(s->report, KIN_DEFECT_CROSSING, a, b, 0, face_middle(s->poly, a));
    return true;
}

/* ---- components ---- */

static void count_parts(survey* s)
{
    kin_mesh_report* r = s->report;
    for (uint32_t f = (uint32_t)s->poly->face_count; f-- > 0;) {
        kin_mesh_component* c = &r->components[s->component[f]];
        c->faces += 1;
        c->first_face = f;
        c->orientable = c->orientable && s->sided[s->numbers[f]];
    }
    for (uint32_t e = 0; e < s->connect.edge_count; ++e) {
        kin_mesh_component* c = &r->components[s->component[s->connect.edges[e].left]];
        c->edges += 1;
        c->borders += s->connect.edges[e].uses == 1;
        c->closed = c->closed && s->connect.edges[e].uses == 2 && !s->connect.edges[e].crossed;
    }
    for (uint32_t v = 0; v < s->poly->vertex_count; ++v) { /* a vertex that several components touch is one of each */
        uint32_t begin = s->connect.star_begin[v], end = s->connect.star_begin[v + 1];
        for (uint32_t i = begin; i < end; ++i) {
            uint32_t mine = s->component[s->connect.face[s->connect.star[i]]];
            bool first = true;
            for (uint32_t k = begin; k < i; ++k) first = first && s->component[s->connect.face[s->connect.star[k]]] != mine;
            r->components[mine].vertices += first;
        }
    }
}

typedef struct enclosure { /* seen from a point */
    double volume, turns;
} enclosure;

static enclosure enclose(const survey* s, uint32_t component, kin_vec3 x)
{
    enclosure e = {0, 0};
    for (uint32_t f = s->report->components[component].first_face; f < s->poly->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(s->poly, f);
        for (uint32_t k = 1; s->component[f] == component && k + 1 < s->poly->sizes[f]; ++k) {
            kin_vec3 u = kin_sub(s->poly->vertices[c[0]], x), v = kin_sub(s->poly->vertices[c[k]], x), w = kin_sub(s->poly->vertices[c[k + 1]], x);
            e.volume += kin_triple(u, v, w) / 6;
            e.turns += kin_triangle_turns(u, v, w);
        }
    }
    return e;
}

static void find_boxes(survey* s)
{
    for (uint32_t i = 0; i < s->report->component_count; ++i) s->boxes[i] = kin_aabb_empty();
    for (size_t h = 0; h < s->connect.half_count; ++h) {
        kin_aabb* box = &s->boxes[s->component[s->connect.face[h]]];
        *box = kin_aabb_add(*box, s->poly->vertices[s->poly->corners[h]]);
    }
}

static void measure_component(survey* s, uint32_t i)
{
    kin_mesh_component* c = &s->report->components[i];
    c->euler = (int)c->vertices - (int)c->edges + (int)c->faces;
    c->genus = c->closed && c->euler <= 2 && c->euler % 2 == 0 ? (2 - c->euler) / 2 : -1;
    if (!c->orientable) note(s->report, KIN_DEFECT_ONE_SIDED, c->first_face, i, 0, face_middle(s->poly, c->first_face));
    if (!c->closed) return;
    kin_vec3 corner = s->poly->vertices[kin_poly_corners(s->poly, c->first_face)[0]];
    c->volume = enclose(s, i, kin_aabb_center(s->boxes[i])).volume;
    for (uint32_t k = 0; k < s->report->component_count; ++k) {
        if (k == i || !s->report->components[k].closed || !kin_aabb_contains(s->boxes[k], corner)) continue;
        c->depth += kin_abs(enclose(s, k, corner).turns) > 0.5;
    }
    s->report->volume += c->volume;
    if (c->volume < 0 && c->depth % 2 == 0) note(s->report, KIN_DEFECT_INSIDE_OUT, c->first_face, i, c->volume, face_middle(s->poly, c->first_face));
}

static bool find_components(survey* s)
{
    kin_mesh_report* r = s->report;
    if (s->poly->face_count == 0) return true;
    r->component_count = kin_poly_components(s->poly, s->component);
    r->components = kin_alloc_zero(&r->allocator, kin_bytes(r->component_count, sizeof *r->components));
    s->boxes = kin_alloc(&r->allocator, kin_bytes(r->component_count, sizeof *s->boxes));
    if (r->component_count == 0 || r->components == NULL || s->boxes == NULL) return false;
    for (uint32_t i = 0; i < r->component_count; ++i) r->components[i].closed = r->components[i].orientable = true;
    count_parts(s);
    find_boxes(s);
    for (uint32_t i = 0; i < r->component_count; ++i) measure_component(s, i);
    if (!r->closed) r->volume = 0;
    return true;
}

/* ---- all ---- */

static bool run(survey* s)
{
    const kin_allocator* a = &s->report->allocator;
    size_t faces = s->poly->face_count;
    s->number_count = faces + s->poly->vertex_count + s->poly->corner_count + 1;
    s->numbers = kin_alloc(a, kin_bytes(s->number_count, sizeof *s->numbers));
    s->component = kin_alloc(a, kin_bytes(faces, sizeof *s->component));
    s->flip = kin_alloc(a, kin_bytes(faces, sizeof *s->flip));
    s->sided = kin_alloc(a, kin_bytes(faces, sizeof *s->sided));
    bool ok = s->numbers != NULL && (faces == 0 || (s->component != NULL && s->flip != NULL && s->sided != NULL));
    ok = ok && find_vertices(s) && find_faces(s) && find_edges(s) && find_components(s) && find_holes(s);
    if (ok && s->def->crossings) ok = kin_find_crossings(&s->connect, crossing_found, s);
    kin_free(a, s->numbers, kin_bytes(s->number_count, sizeof *s->numbers));
    kin_free(a, s->component, kin_bytes(faces, sizeof *s->component));
    kin_free(a, s->boxes, kin_bytes(s->report->component_count, sizeof *s->boxes));
    kin_free(a, s->flip, kin_bytes(faces, sizeof *s->flip));
    kin_free(a, s->sided, kin_bytes(faces, sizeof *s->sided));
    return ok;
}

kin_result kin_inspect(const kin_poly* poly, const kin_inspect_def* def, kin_mesh_report* report, kin_error* error)
{
    survey s = {.poly = poly, .def = def, .report = report};
    *report = (kin_mesh_report){.allocator = poly->allocator};
    if (!(def->near >= 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "near is %g m: it must not be negative", def->near);
    if (!kin_connect_init(&s.connect, poly, &poly->allocator)) return kin_fail_memory(error, "a mesh report", poly->corner_count * 96);
    bool ok = run(&s);
    kin_connect_term(&s.connect);
    if (!ok) kin_mesh_report_term(report);
    return ok ? KIN_OK : kin_fail_memory(error, "a mesh report", poly->corner_count * 96);
}

void kin_mesh_report_term(kin_mesh_report* report)
{
    kin_allocator a = report->allocator;
    kin_free(&a, report->components, kin_bytes(report->component_count, sizeof *report->components));
    *report = (kin_mesh_report){.allocator = a};
}

/* ---- words ---- */

static const char* const names[KIN_DEFECT_COUNT][2] = {
    {"hole", "holes"},
    {"flipped face", "flipped faces"},
    {"duplicate face", "duplicate faces"},
    {"duplicate vertex", "duplicate vertices"},
    {"degenerate face", "degenerate faces"},
    {"edge with more than two faces", "edges with more than two faces"},
    {"vertex where several surfaces touch", "vertices where several surfaces touch"},
    {"crossing of faces", "crossings of faces"},
    {"component inside out", "components inside out"},
    {"one-sided component", "one-sided components"},
    {"unused vertex", "unused vertices"},
};

const char* kin_defect_name(kin_defect defect) { return names[defect][0]; }

static void describe(char* text, size_t size, kin_defect kind, const kin_defect_place* p)
{
    int n = 0;
    switch (kind) {
    case KIN_DEFECT_HOLE: n = snprintf(text, size, "%u edges, %g m round, at vertex %u", p->b, p->size, p->a); break;
    case KIN_DEFECT_DUPLICATE_FACE: n = snprintf(text, size, "face %u is face %u again", p->a, p->b); break;
    case KIN_DEFECT_DUPLICATE_VERTEX: n = snprintf(text, size, "vertex %u is %g m from vertex %u", p->a, p->size, p->b); break;
    case KIN_DEFECT_EDGE: n = snprintf(text, size, "from vertex %u to %u, %g faces", p->a, p->b, p->size); break;
    case KIN_DEFECT_VERTEX: n = snprintf(text, size, "vertex %u, %u fans", p->a, p->b); break;
    case KIN_DEFECT_CROSSING: n = snprintf(text, size, "faces %u and %u", p->a, p->b); break;
    case KIN_DEFECT_INSIDE_OUT: n = snprintf(text, size, "component %u of %g m^3", p->b, p->size); break;
    case KIN_DEFECT_ONE_SIDED: n = snprintf(text, size, "component %u", p->b); break;
    case KIN_DEFECT_UNUSED_VERTEX: n = snprintf(text, size, "vertex %u", p->a); break;
    default: n = snprintf(text, size, "face %u", p->a); break;
    }
    if (n >= 0 && (size_t)n < size) snprintf(text + n, size - (size_t)n, " (%g, %g, %g)", p->where.x, p->where.y, p->where.z);
}

static size_t say(char* text, size_t size, size_t at, const char* format, ...) KIN_PRINTF(4, 5);
static size_t say(char* text, size_t size, size_t at, const char* format, ...)
{
    va_list arguments;
    if (at + 1 >= size) return at;
    va_start(arguments, format);
    int n = vsnprintf(text + at, size - at, format, arguments);
    va_end(arguments);
    return n < 0 ? at : at + (size_t)n;
}

void kin_mesh_report_text(const kin_mesh_report* r, char* text, size_t size)
{
    if (size == 0) return;
    text[0] = 0;
    size_t at = say(text, size, 0, "%u vertices, %u edges, %u faces, %u component%s, %s\n", r->vertices, r->edges, r->faces, r->component_count,
                    r->component_count == 1 ? "" : "s", r->closed ? "closed" : "open");
    for (int k = 0; k < KIN_DEFECT_COUNT; ++k) {
        char first[160];
        if (r->counts[k] == 0) continue;
        describe(first, sizeof first, k, &r->places[k][0]);
        at = say(text, size, at, "%u %s%s %s\n", r->counts[k], names[k][r->counts[k] > 1], r->counts[k] > 1 ? ", the first:" : ":", first);
    }
}

/* ---- refusal ---- */

static kin_result refuse(const kin_connect* c, const kin_mesh_report* report, const char* what, kin_error* error)
{
    for (uint32_t e = 0; e < c->edge_count; ++e) {
        const kin_edge* edge = &c->edges[e];
        kin_vec3 a = c->poly->vertices[edge->from], b = c->poly->vertices[edge->to];
        if (edge->uses == 2 && !edge->crossed) continue;
        char hole[96] = "";
        if (edge->uses == 1 && report->counts[KIN_DEFECT_HOLE] > 0)
            snprintf(hole, sizeof hole, " (%u hole%s in all, the first of %u edges)", report->counts[KIN_DEFECT_HOLE],
                     report->counts[KIN_DEFECT_HOLE] > 1 ? "s" : "", report->places[KIN_DEFECT_HOLE][0].b);
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "%s needs a closed mesh: the edge from (%g, %g, %g) to (%g, %g, %g) has %s%s", what, a.x, a.y, a.z, b.x,
                        b.y, b.z,
                        edge->crossed     ? "two faces of opposite winding"
                        : edge->uses == 1 ? "only one face"
                                          : "more than two faces",
                        hole);
    }
    return c->poly->face_count > 0 ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "", "%s needs a closed mesh: this one has no faces", what);
}

kin_result kin_poly_require_closed(const kin_poly* poly, const char* what, kin_error* error)
{
    kin_connect c;
    kin_mesh_report report = {0};
    if (!kin_connect_init(&c, poly, &poly->allocator)) return kin_fail_memory(error, "the edges of a mesh", poly->corner_count * 96);
    survey s = {.poly = poly, .report = &report, .connect = c};
    kin_result result = find_holes(&s) ? refuse(&c, &report, what, error) : kin_fail_memory(error, "the holes of a mesh", poly->corner_count * 16);
    kin_connect_term(&c);
    return result;
}

kin_result kin_mesh_require_closed(const kin_mesh* mesh, const char* what, kin_error* error)
{
    if (mesh->closed) return KIN_OK;
    kin_poly poly;
    kin_poly_init(&poly, &mesh->allocator);
    kin_mesh_view view = {mesh->vertices, mesh->vertex_count, NULL, &mesh->triangles[0][0], mesh->triangle_count};
    kin_result result = kin_poly_read(&poly, &view, error);
    if (result == KIN_OK) result = kin_poly_require_closed(&poly, what, error);
    kin_poly_term(&poly);
    return result;
}
