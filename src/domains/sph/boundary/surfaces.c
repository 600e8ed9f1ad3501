/* surfaces.c - deforming walls of a tank: how they come, go where keys or calls say, and are kept.
 *
 * A call names the place at the end of the coming step; over its intervals a surface goes there straight. Keys are followed interval by interval. All that a surface
 * is belongs to the state, its triangles too: it may have been added after the tank was made. */
#include "domains/sph/boundary/surface.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "math/aabb.h"
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 5 }; /* of vertices: rest, start, end, target, posed */

/* ---- coming and going ---- */

static void free_surface(kin_sph_walls* w, kin_sph_surface* s)
{
    for (int k = 0; k < 2; ++k) kin_trimesh_destroy(s->mesh[k]);
    kin_free(&w->allocator, s->rest, kin_bytes(s->vertex_count, COLUMNS * sizeof *s->rest));
    kin_free(&w->allocator, s, sizeof *s);
}

static kin_result make_mesh(kin_sph_walls* w, kin_sph_surface* s, int k, const kin_mesh_view* view, kin_error* error)
{
    kin_mesh* mesh;
    kin_result result = kin_mesh_create(&w->allocator, view, &mesh, error);
    return result == KIN_OK ? kin_trimesh_create(&w->allocator, mesh, &s->mesh[k], error) : result;
}

static kin_result make_columns(kin_sph_walls* w, kin_sph_surface* s, const kin_mesh_view* view, kin_error* error)
{
    size_t bytes = kin_bytes(view->vertex_count, COLUMNS * sizeof *s->rest);
    s->rest = kin_alloc(&w->allocator, bytes);
    if (s->rest == NULL) return kin_fail_memory(error, "a deforming wall", bytes);
    s->vertex_count = (uint32_t)view->vertex_count;
    s->start = s->rest + s->vertex_count, s->end = s->start + s->vertex_count, s->target = s->end + s->vertex_count, s->posed = s->target + s->vertex_count;
    kin_vec3* const filled[] = {s->rest, s->start, s->end, s->target};
    for (int c = 0; c < 4; ++c) memcpy(filled[c], view->vertices, view->vertex_count * sizeof *view->vertices);
    return KIN_OK;
}

/* A mesh at rest, the last of the list; its serial is 0. */
static kin_result add_mesh(kin_sph_walls* w, const kin_mesh_view* view, kin_sph_surface** out, kin_error* error)
{
    kin_sph_surface* s = kin_alloc_zero(&w->allocator, sizeof *s);
    if (s == NULL || !kin_reserve(&w->allocator, (void**)&w->surfaces, &w->surface_capacity, w->surface_count + 1, sizeof(void*)))
        return kin_free(&w->allocator, s, sizeof *s), kin_fail_memory(error, "a deforming wall", sizeof *s);
    kin_result result = KIN_OK;
    for (int k = 0; k < 2 && result == KIN_OK; ++k) result = make_mesh(w, s, k, view, error);
    if (result == KIN_OK) result = make_columns(w, s, view, error);
    if (result != KIN_OK) return free_surface(w, s), result;
    *out = w->surfaces[w->surface_count++] = s;
    return KIN_OK;
}

/* Vertices and triangles in lists, as scenes give them. corners: three a triangle, for the caller to fill a view with. */
static kin_result read_corners(const kin_sph_surface_def* def, uint32_t* corners, kin_error* error)
{
    for (size_t i = 0; i < def->triangles.count; ++i) {
        double v = def->triangles.data[i];
        char where[40];
        snprintf(where, sizeof where, "triangles[%zu]", i);
        if (!(v >= 0 && v < (double)def->vertices.count && v == kin_floor(v)))
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%g is no vertex: there are %zu, counted from 0", v, def->vertices.count);
        corners[i] = (uint32_t)v;
    }
    return KIN_OK;
}

static kin_result add_listed(kin_sph_walls* w, const kin_sph_surface_def* def, kin_sph_surface** out, kin_error* error)
{
    if (def->vertices.count == 0 || def->triangles.count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "mesh", "must be given, or vertices and triangles");
    if (def->triangles.count % 3 != 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "triangles", "has %zu numbers: it takes three a triangle", def->triangles.count);
    size_t bytes = kin_bytes(def->triangles.count, sizeof(uint32_t));
    uint32_t* corners = kin_alloc(&w->allocator, bytes);
    if (corners == NULL) return kin_fail_memory(error, "a deforming wall", bytes);
    kin_mesh_view view = {.vertices = def->vertices.data, .vertex_count = def->vertices.count, .corners = corners, .face_count = def->triangles.count / 3};
    kin_result result = read_corners(def, corners, error);
    if (result == KIN_OK) result = kin_within(add_mesh(w, &view, out, error), "triangles", error);
    kin_free(&w->allocator, corners, bytes);
    return result;
}

static kin_result add(kin_sph_walls* w, const kin_sph_surface_def* def, kin_sph_surface** out, kin_error* error)
{
    if (def->mesh.vertex_count > 0 && def->vertices.count > 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "vertices", "are those of the mesh, which is given too");
    kin_result result = def->mesh.vertex_count > 0 ? kin_within(add_mesh(w, &def->mesh, out, error), "mesh", error) : add_listed(w, def, out, error);
    if (result != KIN_OK) return result;
    kin_sph_surface* s = *out;
    s->serial = w->next_surface++;
    s->material = def->material.index1;
    s->hidden = def->hidden;
    s->fade = w->began && kin_sph_surface_is_closed(s) ? 0 : 1; /* into the fluid it has leapt */
    return KIN_OK;
}

kin_result kin_sph_walls_add_surface(kin_sph_walls* w, const kin_sph_surface_def* def, uint32_t* serial, kin_error* error)
{
    kin_sph_surface* s;
    if (def->keys.count > 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "keys", "are followed by surfaces of the tank's def alone: this one is moved by calls");
    kin_result result = add(w, def, &s, error);
    if (result == KIN_OK) *serial = s->serial;
    return result;
}

static bool comes_before(const void* surfaces, size_t i, const void* serial)
{
    return ((kin_sph_surface* const*)surfaces)[i]->serial < *(const uint32_t*)serial;
}

/* Its place in the list. */
static kin_result find(const kin_sph_walls* w, uint32_t serial, size_t* at, kin_error* error)
{
    *at = kin_search(w->surfaces, w->surface_count, comes_before, &serial);
    if (*at < w->surface_count && w->surfaces[*at]->serial == serial) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "surface", "there is no surface %u in this tank", serial);
}

kin_result kin_sph_walls_move_surface(kin_sph_walls* w, uint32_t serial, const kin_vec3* vertices, size_t count, kin_error* error)
{
    size_t at;
    kin_result result = find(w, serial, &at, error);
    if (result != KIN_OK) return result;
    kin_sph_surface* s = w->surfaces[at];
    if (s->keyed != 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "surface", "surface %u follows its keys", serial);
    if (count != s->vertex_count || vertices == NULL)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "vertices", "has %zu vertices, surface %u has %u", vertices != NULL ? count : 0, serial, s->vertex_count);
    result = kin_within(kin_trimesh_refit(s->mesh[1], vertices, error), "vertices", error); /* scratch until the next tick */
    if (result == KIN_OK) memcpy(s->target, vertices, count * sizeof *vertices);
    return result;
}

kin_result kin_sph_walls_remove_surface(kin_sph_walls* w, uint32_t serial, kin_error* error)
{
    size_t at;
    kin_result result = find(w, serial, &at, error);
    if (result != KIN_OK) return result;
    free_surface(w, w->surfaces[at]);
    w->surface_count -= 1;
    memmove(w->surfaces + at, w->surfaces + at + 1, (w->surface_count - at) * sizeof *w->surfaces);
    return KIN_OK;
}

static void clear(kin_sph_walls* w)
{
    for (size_t i = 0; i < w->surface_count; ++i) free_surface(w, w->surfaces[i]);
    w->surface_count = 0;
}

void kin_sph_surfaces_term(kin_sph_walls* w)
{
    clear(w);
    kin_free(&w->allocator, w->surfaces, w->surface_capacity * sizeof(void*));
}

size_t kin_sph_surfaces_bytes(const kin_sph_walls* w)
{
    size_t bytes = w->surface_capacity * sizeof(void*);
    for (size_t i = 0; i < w->surface_count; ++i) {
        const kin_sph_surface* s = w->surfaces[i];
        bytes += sizeof *s + COLUMNS * s->vertex_count * sizeof *s->rest + kin_trimesh_bytes(s->mesh[0]) + kin_trimesh_bytes(s->mesh[1]);
    }
    return bytes;
}

bool kin_sph_walls_take(const kin_sph_walls* w, kin_vec3 x, double clear)
{
    kin_touch touch;
    for (size_t i = 0; i < w->surface_count; ++i) {
        if (kin_trimesh_closest(w->surfaces[i]->mesh[0], x, clear, &touch)) return true;
    }
    return false;
}

/* ---- keys ---- */

static kin_result check_keys(const kin_sph_surface_def* def, kin_sph_surface* s, kin_error* error)
{
    char where[40];
    for (size_t i = 0; i < def->keys.count; ++i) {
        const kin_sph_surface_key *key = &def->keys.data[i], *before = i > 0 ? key - 1 : key;
        snprintf(where, sizeof where, "keys[%zu].t", i);
        if (i > 0 && !(key->time > before->time))
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%g s must be later than %g s, the key before", key->time, before->time);
        if (def->period > 0 && !(key->time >= 0 && key->time < def->period))
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%g must be within the period, from 0 to below %g (s)", key->time, def->period);
        snprintf(where, sizeof where, "keys[%zu].vertices", i);
        if (key->vertices.count != s->vertex_count)
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "has %zu vertices, its mesh has %u", key->vertices.count, s->vertex_count);
        kin_result result = kin_within(kin_trimesh_refit(s->mesh[1], key->vertices.data, error), where, error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static bool is_not_later(const void* keys, size_t i, const void* time) { return ((const kin_sph_surface_key*)keys)[i].time <= *(const double*)time; }

/* Straight between keys, and round from the last to the first where it repeats. */
static void follow_keys(const kin_sph_surface_def* def, double time, uint32_t count, kin_vec3* out)
{
    const kin_sph_surface_key* keys = def->keys.data;
    const size_t last = def->keys.count - 1;
    if (def->period > 0) time -= def->period * kin_floor(time / def->period);
    size_t next = kin_search(keys, def->keys.count, is_not_later, &time);
    size_t from = next > 0 ? next - 1 : def->period > 0 ? last : 0, to = next <= last ? next : def->period > 0 ? 0 : last;
    double begin = keys[from].time - (next == 0 ? def->period : 0), end = keys[to].time + (next > last ? def->period : 0);
    double share = from != to && end > begin ? kin_clamp((time - begin) / (end - begin), 0, 1) : 0;
    for (uint32_t v = 0; v < count; ++v) out[v] = kin_lerp(keys[from].vertices.data[v], keys[to].vertices.data[v], share);
}

/* It stands where it is at the start. */
static kin_result add_keyed(kin_sph_walls* w, size_t i, kin_error* error)
{
    const kin_sph_surface_def* def = &w->surface_defs[i];
    kin_sph_surface* s;
    kin_result result = add(w, def, &s, error);
    if (result != KIN_OK || def->keys.count == 0) return result;
    s->keyed = (uint32_t)i + 1;
    result = check_keys(def, s, error);
    if (result != KIN_OK) return result;
    follow_keys(def, 0, s->vertex_count, s->start);
    kin_sph_surface_pose(s, 0, 0); /* for blocks */
    return KIN_OK;
}

kin_result kin_sph_surfaces_make(kin_sph_walls* w, const kin_sph_def* def, kin_error* error)
{
    kin_result result = KIN_OK;
    w->surface_defs = def->surfaces.data, w->surface_def_count = def->surfaces.count;
    for (size_t i = 0; i < def->surfaces.count && result == KIN_OK; ++i) {
        char path[40];
        snprintf(path, sizeof path, "surfaces[%zu]", i);
        result = kin_within(add_keyed(w, i, error), path, error);
    }
    return result;
}

/* ---- intervals ---- */

static void aim(const kin_sph_walls* w, kin_sph_surface* s, const kin_step* step)
{
    const int left = step->intervals - step->interval; /* this one too */
    if (s->keyed != 0) {
        const kin_sph_surface_def* def = &w->surface_defs[s->keyed - 1];
        if (!w->began) follow_keys(def, step->time, s->vertex_count, s->start);
        follow_keys(def, step->time + step->h, s->vertex_count, s->end);
    } else {
        for (uint32_t v = 0; v < s->vertex_count; ++v) s->end[v] = left > 1 ? kin_lerp(s->start[v], s->target[v], 1.0 / left) : s->target[v];
    }
    s->box = kin_aabb_empty();
    s->way = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->box = kin_aabb_add(kin_aabb_add(s->box, s->start[v]), s->end[v]);
        s->way = kin_max(s->way, kin_distance(s->start[v], s->end[v]));
    }
    s->fade = kin_min(1, s->fade + step->h / KIN_SPH_FADE);
}

void kin_sph_surfaces_begin(kin_sph_walls* w, const kin_step* step)
{
    for (size_t i = 0; i < w->surface_count; ++i) aim(w, w->surfaces[i], step);
    w->aimed = true;
}

void kin_sph_walls_end(kin_sph_walls* w, const kin_step* step)
{
    if (!w->aimed) kin_sph_surfaces_begin(w, step); /* an empty tank has no ticks */
    for (size_t i = 0; i < w->surface_count; ++i) memcpy(w->surfaces[i]->start, w->surfaces[i]->end, w->surfaces[i]->vertex_count * sizeof(kin_vec3));
    w->aimed = false;
}

/* ---- state ---- */

static void visit_row(kin_visitor* v, kin_vec3* x, size_t count) { kin_visit_f64s(v, &x->x, 3 * count); }

static void visit_one(const kin_sph_walls* w, kin_sph_surface* s, kin_visitor* v)
{
    kin_visit_u32(v, &s->serial);
    kin_visit_u32(v, &s->keyed);
    kin_visit_u32s_below(v, &s->material, 1, w->materials->count);
    kin_visit_u8s_below(v, &s->hidden, 1, 2);
    kin_visit_f64(v, &s->fade);
    visit_row(v, s->start, s->vertex_count);
    visit_row(v, s->target, s->vertex_count);
}

static void keep_one(const kin_sph_walls* w, kin_sph_surface* s, kin_visitor* v)
{
    kin_mesh* mesh = s->mesh[0]->mesh;
    kin_visit_count(v, s->vertex_count);
    kin_visit_count(v, mesh->triangle_count);
    visit_row(v, s->rest, s->vertex_count);
    kin_visit_bytes(v, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
    visit_one(w, s, v);
}

/* Made anew of its rest and its triangles. */
static void load_one(kin_sph_walls* w, kin_visitor* v)
{
    kin_sph_surface* s = NULL;
    size_t vertices = kin_visit_count(v, 0), triangles = kin_visit_count(v, 0), bytes = kin_bytes(vertices, sizeof(kin_vec3)),
           corner_bytes = kin_bytes(triangles, 3 * sizeof(uint32_t));
    kin_vec3* rest = kin_alloc(&w->allocator, bytes);
    uint32_t* corners = kin_alloc(&w->allocator, corner_bytes);
    if (rest == NULL || corners == NULL) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
    } else {
        visit_row(v, rest, vertices);
        kin_visit_bytes(v, corners, corner_bytes);
    }
    if (v->result == KIN_OK) {
        kin_mesh_view view = {.vertices = rest, .vertex_count = vertices, .corners = corners, .face_count = triangles};
        kin_result result = add_mesh(w, &view, &s, NULL);
        if (result != KIN_OK) kin_visit_fail(v, result == KIN_ERROR_MEMORY ? result : KIN_ERROR_FORMAT);
    }
    kin_free(&w->allocator, rest, bytes);
    kin_free(&w->allocator, corners, corner_bytes);
    if (v->result != KIN_OK) return;
    visit_one(w, s, v);
    if (s->keyed > w->surface_def_count) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

void kin_sph_surfaces_visit(kin_sph_walls* w, kin_visitor* v)
{
    size_t count = kin_visit_count(v, w->surface_count);
    kin_visit_u32(v, &w->next_surface);
    if (v->mode == KIN_VISIT_LOAD) clear(w);
    for (size_t i = 0; i < count && v->result == KIN_OK; ++i) {
        if (v->mode == KIN_VISIT_LOAD)
            load_one(w, v);
        else
            keep_one(w, w->surfaces[i], v);
    }
}
