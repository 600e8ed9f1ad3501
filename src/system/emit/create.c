/* create.c - emitters from their defs: what is wrong with one is found here, and its shape made ready. */
#include "base/alloc.h"
#include "base/error.h"
#include "math/barycentric.h"
#include "math/vec3.h"
#include "system/emit/emit_inside.h"
#include <stdio.h>

/* ---- checks ---- */

typedef struct checking {
    size_t index;
    kin_error* error;
} checking;

/* "emitters[2].shape.mesh" */
typedef struct path {
    char text[64];
} path;
static path member(const checking* c, const char* name)
{
    path p;
    snprintf(p.text, sizeof p.text, "emitters[%zu]%s%s", c->index, name[0] != 0 ? "." : "", name);
    return p;
}

#define REFUSE(c, name, ...) kin_fail((c)->error, KIN_ERROR_ARGUMENT, member(c, name).text, __VA_ARGS__)

static kin_result check_triangle(const checking* c, const kin_emitter_form* s)
{
    if (s->points.count != 3) return REFUSE(c, "shape.triangle", "a triangle has 3 corners, not %zu", s->points.count);
    const kin_vec3* p = s->points.data;
    kin_bary3 unused;
    bool area = kin_triangle_weights(p[0], p[0], p[1], p[2], &unused);
    return area ? KIN_OK : REFUSE(c, "shape.triangle", "the triangle has no area");
}

static kin_result check_curve(const checking* c, const kin_emitter_form* s)
{
    if (s->points.count < 2) return REFUSE(c, "shape.curve", "a curve has 2 points or more, not %zu", s->points.count);
    for (size_t i = 1; i < s->points.count; ++i) {
        if (kin_distance(s->points.data[i - 1], s->points.data[i]) > 0) return KIN_OK;
    }
    return REFUSE(c, "shape.curve", "the curve has no length");
}

static kin_result check_shape(const checking* c, const kin_emitter_form* s)
{
    if (s->kind == KIN_EMIT_TRIANGLE) return check_triangle(c, s);
    return s->kind == KIN_EMIT_CURVE ? check_curve(c, s) : KIN_OK;
}

static kin_result check_together(const checking* c, const kin_emitter_def* def)
{
    kin_emitter_shape kind = def->shape.kind;
    bool normal = kind != KIN_EMIT_POINT && kind != KIN_EMIT_CURVE, grid = kind == KIN_EMIT_QUAD || kind == KIN_EMIT_DISK || kind == KIN_EMIT_SPHERE;
    if (def->aim == KIN_AIM_NORMAL && !normal) return REFUSE(c, "aim", "a %s has no normal", kind == KIN_EMIT_POINT ? "point" : "curve");
    if (def->placement == KIN_PLACE_GRID && !grid) return REFUSE(c, "placement", "only quads, disks and spheres have grids");
    if (def->every[1] > 0 && !(2 * def->every[1] < def->every[0]))
        return REFUSE(c, "every", "its deviation, %g, must be less than half of %g steps", def->every[1], def->every[0]);
    bool ends = def->stop == 0 || def->stop > def->start;
    return ends ? KIN_OK : REFUSE(c, "stop", "%g s must be later than the start at %g s, or 0", def->stop, def->start);
}

static kin_result check(const checking* c, const kin_emitter_def* def)
{
    kin_result result = kin_params_check(kin_emitter_params, def, member(c, "").text, c->error);
    if (result == KIN_OK) result = check_shape(c, &def->shape);
    return result == KIN_OK ? check_together(c, def) : result;
}

/* ---- shapes ---- */

/* What a kind does not read may point anywhere: it is not kept. */
static kin_emitter_form only_its_own(const kin_emitter_form* s)
{
    kin_emitter_form own = *s;
    if (s->kind != KIN_EMIT_TRIANGLE && s->kind != KIN_EMIT_CURVE) own.points.data = NULL, own.points.count = 0;
    if (s->kind != KIN_EMIT_MESH) own.mesh = (kin_mesh_view){0};
    return own;
}

static kin_result make_mesh(const checking* c, const kin_allocator* allocator, kin_emitter* e, const kin_mesh_view* view)
{
    kin_error inner = {0};
    kin_result result = kin_mesh_create(allocator, view, &e->mesh, &inner);
    return result == KIN_OK ? KIN_OK : kin_fail(c->error, result, member(c, "shape.mesh").text, "%s", inner.message);
}

static double part_size(const kin_emitter* e, size_t i)
{
    const kin_vec3* p = e->def.shape.points.data;
    if (e->mesh == NULL) return kin_distance(p[i], p[i + 1]);
    const uint32_t* corner = e->mesh->triangles[i];
    kin_vec3 a = e->mesh->vertices[corner[0]], b = e->mesh->vertices[corner[1]], d = e->mesh->vertices[corner[2]];
    return 0.5 * kin_length(kin_cross(kin_sub(b, a), kin_sub(d, a)));
}

static bool make_sums(kin_emitter* e, kin_arena* arena)
{
    e->sum_count = e->mesh != NULL ? e->mesh->triangle_count : e->def.shape.kind == KIN_EMIT_CURVE ? e->def.shape.points.count - 1 : 0;
    e->sums = kin_arena_take(arena, kin_bytes(e->sum_count, sizeof *e->sums));
    if (e->sums == NULL) return false;
    double sum = 0;
    for (size_t i = 0; i < e->sum_count; ++i) e->sums[i] = sum += part_size(e, i);
    return true;
}

static bool make_table(kin_emitter* e, kin_arena* arena)
{
    if (e->def.table == 0) return true;
    e->table.size = (uint32_t)e->def.table;
    e->table.units = kin_arena_take(arena, kin_bytes(e->table.size, sizeof(double)));
    e->table.bells = kin_arena_take(arena, kin_bytes(e->table.size, sizeof(double)));
    return e->table.units != NULL && e->table.bells != NULL;
}

/* ---- emitters ---- */

static kin_result make_emitter(const checking* c, kin_emitters* all, const kin_emitter_def* def, kin_emitter* e)
{
    kin_result result = check(c, def);
    if (result == KIN_OK && def->shape.kind == KIN_EMIT_MESH) result = make_mesh(c, &all->allocator, e, &def->shape.mesh);
    if (result != KIN_OK) return result;
    e->def = *def;
    e->def.shape = only_its_own(&def->shape);
    e->def.orientation = kin_quat_normalize(def->orientation);
    e->axis = kin_normalize_or(def->direction, kin_axis(1));
    e->bursts = -1;
    bool ok = kin_params_copy(kin_emitter_params, sizeof e->def, &e->def, &all->arena, &e->def) && make_sums(e, &all->arena) && make_table(e, &all->arena);
    return ok ? KIN_OK : kin_fail_memory(c->error, "an emitter", sizeof *e + kin_bytes((size_t)def->table, 2 * sizeof(double)));
}

static kin_result make_all(kin_emitters* all, const kin_emitter_def* defs, kin_error* error)
{
    for (size_t i = 0; i < all->count; ++i) {
        kin_result result = make_emitter(&(checking){i, error}, all, &defs[i], &all->items[i]);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

kin_result kin_emitters_create(const kin_allocator* allocator, const kin_emitter_def* defs, size_t count, kin_emitters** out, kin_error* error)
{
    *out = NULL;
    kin_emitters* all = kin_alloc_zero(allocator, sizeof *all);
    if (all == NULL) return kin_fail_memory(error, "emitters", sizeof *all);
    all->allocator = *allocator;
    kin_arena_init(&all->arena, allocator);
    all->items = kin_alloc_zero(allocator, kin_bytes(count, sizeof *all->items));
    kin_result result = count > 0 && all->items == NULL ? kin_fail_memory(error, "emitters", kin_bytes(count, sizeof *all->items)) : KIN_OK;
    if (result == KIN_OK) {
        all->count = count;
        result = make_all(all, defs, error);
    }
    if (result == KIN_OK)
        *out = all;
    else
        kin_emitters_destroy(all);
    return result;
}

void kin_emitters_destroy(kin_emitters* all)
{
    if (all == NULL) return;
    for (size_t i = 0; i < all->count; ++i) kin_mesh_destroy(all->items[i].mesh);
    kin_nursery_term(&all->nursery, &all->allocator);
    kin_free(&all->allocator, all->items, kin_bytes(all->count, sizeof *all->items));
    kin_arena_term(&all->arena);
    kin_allocator allocator = all->allocator;
    kin_free(&allocator, all, sizeof *all);
}

size_t kin_emitters_count(const kin_emitters* all) { return all->count; }

const kin_emitter_def* kin_emitter_def_of(const kin_emitters* all, size_t index) { return &all->items[index].def; }

int64_t kin_emitter_born(const kin_emitters* all, size_t index) { return all->items[index].born; }
