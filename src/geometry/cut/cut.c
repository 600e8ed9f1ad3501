/* cut.c - signs, pieces of faces, loops of the section, caps. */
#include "geometry/cut/cut.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/cut/section.h"
#include "geometry/polygon.h"
#include <string.h>

#define NONE UINT32_MAX

struct kin_cutter {
    kin_fill fill;
    kin_section section;
    double* height;   /* of each vertex over the plane, m */
    int8_t* side;     /* 1 above, -1 below, 0 on the plane; of crossings too */
    kin_vec3* points; /* the vertices, then the crossings */
    size_t point_count, height_room, side_room, point_room;
    uint64_t* slot_keys; /* edge -> crossing, open addressing */
    uint32_t* slots;
    size_t slot_count, slot_key_room, slot_room;
    uint32_t* piece[2]; /* of a face: below, above */
    uint32_t piece_size[2];
    size_t piece_room[2];
    kin_allocator allocator;
};

typedef struct halves { /* of one cut */
    const kin_poly* whole;
    kin_plane3 plane; /* unit normal */
    kin_vec3 origin;  /* of the heights: a point of the plane near the mesh */
    kin_cut_def def;
    kin_poly* part[2]; /* below, above; NULL: not wanted */
} halves;

kin_cutter* kin_cutter_create(const kin_allocator* allocator)
{
    kin_cutter* c = kin_alloc_zero(allocator, sizeof *c);
    if (c == NULL) return NULL;
    c->allocator = *allocator;
    kin_fill_init(&c->fill, allocator);
    kin_section_init(&c->section, allocator);
    return c;
}

void kin_cutter_destroy(kin_cutter* c)
{
    if (c == NULL) return;
    kin_allocator a = c->allocator;
    kin_fill_term(&c->fill);
    kin_section_term(&c->section);
    kin_free(&a, c->height, kin_bytes(c->height_room, sizeof *c->height));
    kin_free(&a, c->side, kin_bytes(c->side_room, sizeof *c->side));
    kin_free(&a, c->points, kin_bytes(c->point_room, sizeof *c->points));
    kin_free(&a, c->slot_keys, kin_bytes(c->slot_key_room, sizeof *c->slot_keys));
    kin_free(&a, c->slots, kin_bytes(c->slot_room, sizeof *c->slots));
    for (int k = 0; k < 2; ++k) kin_free(&a, c->piece[k], kin_bytes(c->piece_room[k], sizeof *c->piece[k]));
    kin_free(&a, c, sizeof *c);
}

/* ---- sides ---- */

/* Half-edges whose ends are on different sides: each crossing is counted by both faces. */
static size_t count_crossings(const kin_cutter* c, const kin_poly* p)
{
    size_t count = 0;
    for (size_t f = 0; f < p->face_count; ++f) {
        const uint32_t* corners = kin_poly_corners(p, f);
        for (uint32_t k = 0, last = p->sizes[f] - 1; k < p->sizes[f]; last = k++) count += c->side[corners[last]] * c->side[corners[k]] < 0;
    }
    return count;
}

static bool reserve_vertices(kin_cutter* c, size_t count)
{
    const kin_allocator* a = &c->allocator;
    return kin_reserve(a, (void**)&c->height, &c->height_room, count, sizeof *c->height)
           && kin_reserve(a, (void**)&c->side, &c->side_room, count, sizeof *c->side)
           && kin_reserve(a, (void**)&c->points, &c->point_room, count, sizeof *c->points);
}

/* Diagonals of faces that have to be triangulated first may be crossed too: one for each corner more. */
static bool reserve_crossings(kin_cutter* c, const kin_poly* p)
{
    const kin_allocator* a = &c->allocator;
    size_t most = count_crossings(c, p) + p->corner_count, points = p->vertex_count + most;
    for (c->slot_count = 16; c->slot_count < 2 * most;) c->slot_count *= 2;
    if (!kin_reserve(a, (void**)&c->points, &c->point_room, points, sizeof *c->points)
        || !kin_reserve(a, (void**)&c->side, &c->side_room, points, sizeof *c->side)
        || !kin_reserve(a, (void**)&c->slot_keys, &c->slot_key_room, c->slot_count, sizeof *c->slot_keys)
        || !kin_reserve(a, (void**)&c->slots, &c->slot_room, c->slot_count, sizeof *c->slots))
        return false;
    memset(c->slots, 0xFF, c->slot_count * sizeof *c->slots);
    return true;
}

static void find_sides(kin_cutter* c, const halves* h, kin_cut_report* report)
{
    const kin_poly* p = h->whole;
    for (size_t v = 0; v < p->vertex_count; ++v) {
        double height = kin_dot(kin_sub(p->vertices[v], h->origin), h->plane.normal);
        c->height[v] = height;
        c->side[v] = height > h->def.tolerance ? 1 : height < -h->def.tolerance ? -1 : 0;
        c->points[v] = p->vertices[v];
        report->on += c->side[v] == 0;
    }
    c->point_count = p->vertex_count;
}

/* The point where the edge between two vertices crosses: from the lower number to the higher, so that both faces find the same. */
static uint32_t crossing(kin_cutter* c, uint32_t a, uint32_t b)
{
    uint64_t low = a < b ? a : b, high = a < b ? b : a, key = low << 32 | high;
    size_t slot = (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (c->slot_count - 1);
    for (; c->slots[slot] != NONE; slot = (slot + 1) & (c->slot_count - 1)) {
        if (c->slot_keys[slot] == key) return c->slots[slot];
    }
    double s = c->height[low] / (c->height[low] - c->height[high]);
    kin_vec3 x = s < 0.5 ? kin_add_scaled(c->points[low], s, kin_sub(c->points[high], c->points[low]))
                         : kin_add_scaled(c->points[high], 1 - s, kin_sub(c->points[low], c->points[high]));
    uint32_t point = (uint32_t)c->point_count++;
    c->points[point] = x;
    c->side[point] = 0;
    c->slot_keys[slot] = key;
    return c->slots[slot] = point;
}

/* ---- faces ---- */

/* A piece goes to its half; the edges of upper pieces in the plane go to the section. */
static bool emit(kin_cutter* c, const halves* h, int above, const uint32_t* corners, uint32_t size, uint32_t tag)
{
    if (above) {
        for (uint32_t k = 0, last = size - 1; k < size; last = k++) {
            if (c->side[corners[last]] == 0 && c->side[corners[k]] == 0 && !kin_section_add(&c->section, corners[last], corners[k])) return false;
        }
    }
    return h->part[above] == NULL || kin_poly_add_face(h->part[above], corners, size, tag);
}

/* The plane goes in once and out once, and no corner on it lies within a side: then the two pieces are plain. */
static bool splits_plainly(const kin_cutter* c, const uint32_t* corners, uint32_t size)
{
    uint32_t changes = 0;
    for (uint32_t k = 0; k < size; ++k) {
        int before = c->side[corners[(k + size - 1) % size]], at = c->side[corners[k]], next = c->side[corners[(k + 1) % size]];
        if (at == 0 && before * next >= 0) return false;
        changes += at == 0 || at * next < 0;
    }
    return changes == 2;
}

static bool split(kin_cutter* c, const halves* h, const uint32_t* corners, uint32_t size, uint32_t tag)
{
    for (int k = 0; k < 2; ++k) {
        if (!kin_reserve(&c->allocator, (void**)&c->piece[k], &c->piece_room[k], size + 2, sizeof *c->piece[k])) return false;
        c->piece_size[k] = 0;
    }
    for (uint32_t k = 0; k < size; ++k) {
        uint32_t at = corners[k], next = corners[(k + 1) % size];
        if (c->side[at] <= 0) c->piece[0][c->piece_size[0]++] = at;
        if (c->side[at] >= 0) c->piece[1][c->piece_size[1]++] = at;
        if (c->side[at] * c->side[next] >= 0) continue;
        uint32_t x = crossing(c, at, next);
        c->piece[0][c->piece_size[0]++] = x;
        c->piece[1][c->piece_size[1]++] = x;
    }
    return emit(c, h, 0, c->piece[0], c->piece_size[0], tag) && emit(c, h, 1, c->piece[1], c->piece_size[1], tag);
}

enum { UP = 1, DOWN = 2 };

static int leaning(const kin_cutter* c, const uint32_t* corners, uint32_t size)
{
    int sides = 0;
    for (uint32_t k = 0; k < size; ++k) sides |= c->side[corners[k]] > 0 ? UP : c->side[corners[k]] < 0 ? DOWN : 0;
    return sides;
}

static bool sort_face(kin_cutter* c, const halves* h, const uint32_t* corners, uint32_t size, uint32_t tag)
{
    int sides = leaning(c, corners, size);
    if (sides == (UP | DOWN)) return split(c, h, corners, size, tag);
    if (sides != 0) return emit(c, h, sides == UP, corners, size, tag);
    /* in the plane: its solid is behind it */
    return emit(c, h, kin_dot(kin_polygon_normal(c->points, corners, size), h->plane.normal) < 0, corners, size, tag);
}

/* Faces that the plane crosses in several places are triangulated first. */
static bool cut_face(kin_cutter* c, const halves* h, size_t face)
{
    const uint32_t* corners = kin_poly_corners(h->whole, face);
    uint32_t size = h->whole->sizes[face], tag = h->whole->tags[face];
    if (size <= 3 || leaning(c, corners, size) != (UP | DOWN) || splits_plainly(c, corners, size)) return sort_face(c, h, corners, size, tag);
    uint32_t begin[2] = {0, size};
    if (!kin_fill_loops(&c->fill, h->whole->vertices, kin_poly_normal(h->whole, face), (kin_loops){corners, begin, 1}, false)) return false;
    for (size_t t = 0; t < c->fill.out.face_count; ++t) {
        if (!sort_face(c, h, kin_poly_corners(&c->fill.out, t), 3, tag)) return false;
    }
    return true;
}

/* ---- caps ---- */

static void mirror(uint32_t* corners, uint32_t size) /* the first stays, so that both caps are fanned alike */
{
    for (uint32_t i = 1, j = size - 1; i < j; ++i, --j) {
        uint32_t swap = corners[i];
        corners[i] = corners[j];
        corners[j] = swap;
    }
}

static bool add_cap(kin_cutter* c, const halves* h, kin_cut_report* report)
{
    for (size_t f = 0; f < c->fill.out.face_count; ++f) {
        uint32_t *corners = c->fill.out.corners + c->fill.out.begin[f], size = c->fill.out.sizes[f];
        report->area += 0.5 * kin_dot(kin_polygon_normal(c->points, corners, size), h->plane.normal);
        if (h->part[0] != NULL && !kin_poly_add_face(h->part[0], corners, size, h->def.cap_tag)) return false;
        mirror(corners, size);
        if (h->part[1] != NULL && !kin_poly_add_face(h->part[1], corners, size, h->def.cap_tag)) return false;
    }
    return true;
}

static bool close_halves(kin_cutter* c, const halves* h, kin_cut_report* report)
{
    report->loops = c->section.loop_count;
    for (uint32_t l = 0; l < c->section.loop_count; ++l) {
        report->holes += c->section.parent[l] != l;
        if (c->section.parent[l] != l) continue;
        if (!kin_fill_loops(&c->fill, c->points, h->plane.normal, kin_section_group(&c->section, l), !h->def.triangles)) return false;
        if (!add_cap(c, h, report)) return false;
    }
    return true;
}

/* Until now corners were numbers of the cutter's points. */
static bool take_vertices(const kin_cutter* c, kin_poly* part)
{
    for (size_t v = 0; v < c->point_count; ++v) {
        if (!kin_poly_add_vertex(part, c->points[v])) return false;
    }
    return kin_poly_compact(part);
}

static kin_result run(kin_cutter* c, const halves* h, kin_cut_report* report, kin_error* error)
{
    uint32_t stuck = NONE;
    if (!reserve_vertices(c, h->whole->vertex_count)) return kin_fail_memory(error, "a cut", h->whole->vertex_count * 33);
    find_sides(c, h, report);
    c->section.edge_count = 0;
    bool ok = reserve_crossings(c, h->whole);
    for (size_t f = 0; ok && f < h->whole->face_count; ++f) ok = cut_face(c, h, f);
    ok = ok && kin_section_trace(&c->section, c->points, h->plane.normal, &stuck);
    if (ok && stuck != NONE) {
        kin_vec3 x = c->points[stuck];
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh is open: its section by the plane ends at (%g, %g, %g)", x.x, x.y, x.z);
    }
    ok = ok && close_halves(c, h, report);
    for (int k = 0; ok && k < 2; ++k) ok = h->part[k] == NULL || take_vertices(c, h->part[k]);
    return ok ? KIN_OK : kin_fail_memory(error, "a cut", h->whole->corner_count * 64);
}

kin_result kin_cut(kin_cutter* cutter, const kin_poly* whole, kin_plane3 plane, const kin_cut_def* def, kin_poly* below, kin_poly* above,
                   kin_cut_report* report, kin_error* error)
{
    kin_cut_report own;
    if (report == NULL) report = &own;
    *report = (kin_cut_report){0};
    if (below != NULL) kin_poly_clear(below);
    if (above != NULL) kin_poly_clear(above);
    double length = kin_length(plane.normal);
    if (!(length > 1e-150 && length < 1e150) || !kin_finite(plane.offset))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the plane (%g, %g, %g).x = %g cuts nothing", plane.normal.x, plane.normal.y, plane.normal.z,
                        plane.offset);
    if (!(def->tolerance >= 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a cut's tolerance is %g m: it must not be negative", def->tolerance);
    if (whole->face_count == 0) return KIN_OK;
    halves h = {.whole = whole, .def = *def, .part = {below, above}};
    h.plane = (kin_plane3){kin_scale(plane.normal, 1 / length), plane.offset / length};
    kin_aabb bounds = kin_poly_bounds(whole);
    h.origin = kin_plane3_closest(h.plane, kin_lerp(bounds.low, bounds.high, 0.5));
    if (h.def.tolerance == 0) h.def.tolerance = kin_poly_grain(bounds);
    report->tolerance = h.def.tolerance;
    return run(cutter, &h, report, error);
}
