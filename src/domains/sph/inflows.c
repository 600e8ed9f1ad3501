/* inflows.c - openings that fluid comes out of, layer by layer.
 *
 * A layer is a square lattice of the spacing l across the opening. By the time t the fluid has come S = speed (t - begin) out of it, so layer k is S - k l ahead of
 * the opening and is there once that is not negative: the count follows from the time alone, floor(S / l) + 1 layers, and no error adds up. Until a layer is l
 * ahead, which is when the next one comes, it goes on rails: each tick puts it where it belongs, with the opening's velocity, whatever pressed on it. What is
 * ahead of it is free, and has it at its back.
 *
 * Layers that find no room for max_particles are not made up for later. What is remembered: how many layers were due, and the serials of the newest one. */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/sph/face.h"
#include "math/quat.h"
#include <stdio.h>

#define SLACK 1e-6 /* of the spacing: rounding is worth no column */

/* ---- openings ---- */

/* Its width is level where that can be; in a flat tank it lies in the plane. */
static void face_out(kin_sph_spout* s, bool flat)
{
    s->direction = kin_normalize_or(s->def->direction, kin_v(0, -1, 0));
    s->across = kin_normalize_or(kin_cross(flat ? kin_v(0, 0, 1) : kin_v(0, 1, 0), s->direction), kin_v(1, 0, 0));
    s->along = kin_cross(s->direction, s->across);
}

/* Places of a layer; out NULL: only counts them. As blocks are filled: half a spacing off the rectangle, of a round opening those within it, so that what comes
 * out is its area times the speed. */
static uint32_t lay_out(const kin_sph* f, const kin_sph_inflow* def, float* out)
{
    const double spacing = 2 * f->def.radius, round = 2 * def->radius;
    const double width = def->radius > 0 ? round : def->size[0], height = def->radius > 0 ? round : def->size[1];
    int64_t columns = (int64_t)(width / spacing + SLACK), rows = f->flat ? 1 : (int64_t)(height / spacing + SLACK);
    uint32_t count = 0;
    for (int64_t j = 0; j < rows; ++j) {
        for (int64_t i = 0; i < columns; ++i) {
            double a = ((double)i - 0.5 * (double)(columns - 1)) * spacing, b = ((double)j - 0.5 * (double)(rows - 1)) * spacing;
            if (def->radius > 0 && a * a + b * b > kin_square(def->radius)) continue;
            if (out != NULL) out[2 * count] = (float)a, out[2 * count + 1] = (float)b;
            ++count;
        }
    }
    return count;
}

static kin_result check_inflow(const kin_sph* f, const kin_sph_inflow* def, kin_error* error)
{
    const double spacing = 2 * f->def.radius, most = 4096 * spacing;
    const char* member = def->radius > 0 ? "radius" : "size";
    double width = def->radius > 0 ? 2 * def->radius : kin_max(def->size[0], f->flat ? 0 : def->size[1]);
    if (width > most) return kin_fail(error, KIN_ERROR_LIMIT, member, "the opening is %g m wide, more than 4096 particles (%g m)", width, most);
    if (def->end > 0 && def->end < def->begin) return kin_fail(error, KIN_ERROR_ARGUMENT, "end", "%g is before its begin, %g (s)", def->end, def->begin);
    if (lay_out(f, def, NULL) == 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, member, "the opening has no room for a particle: it must be %g m wide at least", spacing);
    return KIN_OK;
}

static kin_result make_spout(kin_sph* f, const kin_birth* birth, const kin_sph_inflow* def, kin_sph_spout* s, kin_error* error)
{
    kin_result result = check_inflow(f, def, error);
    if (result == KIN_OK) result = kin_sph_find_phase(f, def->phase, "phase", &s->phase, error);
    if (result != KIN_OK) return result;
    s->def = def;
    s->solid = def->attached != NULL ? birth->solid_named(birth->world, def->attached) : UINT32_MAX;
    if (def->attached != NULL && s->solid == UINT32_MAX)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "attached", "there is no collider \"%.80s\"", def->attached);
    face_out(s, f->flat);
    s->place_count = lay_out(f, def, NULL);
    s->places = kin_arena_take(&f->arena, kin_bytes(s->place_count, 2 * sizeof *s->places));
    if (s->places == NULL) return kin_fail_memory(error, "an inflow", kin_bytes(s->place_count, 2 * sizeof *s->places));
    lay_out(f, def, s->places);
    return KIN_OK;
}

kin_result kin_sph_sources_create(kin_sph* f, const kin_birth* birth, kin_error* error)
{
    const size_t count = f->def.inflows.count;
    f->sources = kin_alloc_zero(&f->allocator, sizeof *f->sources);
    if (f->sources == NULL) return kin_fail_memory(error, "inflows", sizeof *f->sources);
    f->sources->spouts = kin_arena_take(&f->arena, kin_bytes(count, sizeof *f->sources->spouts));
    if (f->sources->spouts == NULL) return kin_fail_memory(error, "inflows", kin_bytes(count, sizeof *f->sources->spouts));
    for (size_t i = 0; i < count; ++i) {
        char path[40];
        f->sources->spouts[i] = (kin_sph_spout){0};
        kin_result result = make_spout(f, birth, &f->def.inflows.data[i], &f->sources->spouts[i], error);
        snprintf(path, sizeof path, "inflows[%zu]", i);
        if (result != KIN_OK) return kin_within(result, path, error);
    }
    f->sources->spout_count = count;
    return kin_sph_foam_create(f, error);
}

void kin_sph_sources_destroy(kin_sph* f)
{
    if (f->sources == NULL) return;
    kin_foam_destroy(f->sources->foam);
    kin_free(&f->allocator, f->sources->gone, f->sources->gone_capacity);
    kin_free(&f->allocator, f->sources, sizeof *f->sources);
}

void kin_sph_sources_visit(kin_sph* f, kin_visitor* v)
{
    kin_visit_u64(v, &f->sources->born);
    kin_visit_u64(v, &f->sources->died);
    for (size_t i = 0; i < f->sources->spout_count; ++i) {
        kin_sph_spout* s = &f->sources->spouts[i];
        kin_visit_bytes(v, &s->layers, sizeof s->layers);
        kin_visit_bytes(v, &s->born, sizeof s->born);
        kin_visit_u64(v, &s->first);
        kin_visit_u32(v, &s->held);
        if (s->held > s->place_count) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    }
    if (f->sources->foam != NULL) kin_foam_visit(f->sources->foam, v);
}

/* ---- a tick ---- */

/* Where an opening is at the end of a tick, and how it moves. */
typedef struct mouth {
    kin_transform pose;
    kin_vec3 velocity, spin; /* of its frame */
} mouth;

static mouth mouth_at(const kin_sph_spout* s, const kin_sph_tick* tick)
{
    mouth m = {.pose = kin_transform_identity()};
    if (s->solid == UINT32_MAX) return m;
    const kin_solids* solids = tick->step->solids;
    kin_transform start = kin_solids_pose(solids, s->solid, 0), end = kin_solids_pose(solids, s->solid, 1);
    m.pose = kin_solids_pose(solids, s->solid, tick->end);
    m.velocity = kin_scale(kin_sub(end.position, start.position), 1 / tick->step->h);
    m.spin = kin_quat_spin_between(start.orientation, end.orientation, tick->step->h);
    return m;
}

/* m that fluid has come by then. */
static double way(const kin_sph_spout* s, double time) { return s->def->speed * (time - s->def->begin); }

/* A particle of a layer that is `ahead` of the opening. */
static void place(const kin_sph* f, const kin_sph_spout* s, const mouth* m, uint32_t index, double ahead, float x[3], float v[3])
{
    kin_vec3 at = kin_add_scaled(s->def->position, ahead, s->direction);
    at = kin_add_scaled(at, (double)s->places[2 * index], s->across);
    at = kin_apply(m->pose, kin_add_scaled(at, (double)s->places[2 * index + 1], s->along));
    kin_vec3 out = kin_scale(kin_rotate(m->pose.orientation, s->direction), s->def->speed);
    kin_vec3 velocity = kin_add(out, kin_add(m->velocity, kin_cross(m->spin, kin_sub(at, m->pose.position))));
    if (f->flat) at.z = f->def.center.z, velocity.z = 0;
    at = kin_sub(at, f->origin);
    x[0] = (float)at.x, x[1] = (float)at.y, x[2] = (float)at.z;
    v[0] = (float)velocity.x, v[1] = (float)velocity.y, v[2] = (float)velocity.z;
}

/* The newest layer, on its rails. */
static void hold(kin_sph* f, const kin_sph_spout* s, const kin_sph_tick* tick, double time)
{
    const mouth m = mouth_at(s, tick);
    const double ahead = way(s, time) - (double)(s->layers - 1) * (double)f->spacing;
    for (size_t k = 0; k < f->count; ++k) {
        uint64_t index = f->serial[k] - s->first; /* of older ones: huge */
        if (index < s->held) place(f, s, &m, (uint32_t)index, ahead, &f->x4[4 * k], &f->v4[4 * k]);
    }
}

/* How many of the next layer there is room for; what max_particles holds back is counted. False: out of memory. */
static bool make_room(kin_sph* f, const kin_sph_spout* s, uint32_t* count)
{
    int64_t room = f->def.max_particles - (int64_t)f->count, wanted = s->place_count;
    if (s->def->most > 0 && s->def->most - s->born < wanted) wanted = s->def->most - s->born;
    int64_t take = wanted < room ? wanted : room > 0 ? room : 0;
    f->sources->refused += wanted - take;
    *count = (uint32_t)take;
    size_t needed = f->count + (size_t)take, grown = f->capacity + f->capacity / 2;
    if (kin_sph_fits(f, needed)) return true;
    return kin_sph_reserve(f, grown > needed && grown < (size_t)f->def.max_particles ? grown : needed);
}

static bool emit(kin_sph* f, kin_sph_spout* s, const kin_sph_tick* tick, double time)
{
    mouth m = mouth_at(s, tick);
    double ahead = way(s, time) - (double)s->layers * (double)f->spacing;
    uint32_t count;
    if (!make_room(f, s, &count)) return false;
    s->first = f->next_serial;
    s->held = count;
    s->layers += 1;
    s->born += count;
    f->sources->born += count;
    for (uint32_t i = 0; i < count; ++i) {
        float x[3], v[3];
        place(f, s, &m, i, ahead, x, v);
        kin_sph_append(f, x, v, s->phase, (float)s->def->temperature);
        if (f->birth != NULL) f->birth[f->count - 1] = time - ahead / s->def->speed;
    }
    return true;
}

bool kin_sph_sources_open(const kin_sph* f) { return f->sources != NULL && f->sources->spout_count > 0; }

bool kin_sph_sources_tick(kin_sph* f, kin_sph_tick* tick)
{
    if (!kin_sph_sources_open(f)) return true;
    const size_t before = f->count;
    const double time = tick->time + (double)tick->h, spacing = (double)f->spacing;
    for (size_t i = 0; i < f->sources->spout_count; ++i) {
        kin_sph_spout* s = &f->sources->spouts[i];
        double open = s->def->end > 0 && s->def->end < time ? s->def->end : time;
        if (way(s, time) >= (double)s->layers * spacing) s->held = 0;
        if (s->held > 0) hold(f, s, tick, time);
        while (way(s, open) >= (double)s->layers * spacing) {
            if (!emit(f, s, tick, time)) return false;
        }
    }
    if (f->count != before) kin_sph_park(f);
    return true;
}
