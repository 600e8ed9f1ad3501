/* foam.c - the life of what the fluid has made: moved by the fluid round it, aged, let go. Arrays are in the order of birth. */
#include "system/foam/foam.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "math/scalar.h"
#include "system/foam/local.h"

enum { GRAIN = 256 };
static const double farthest = 1e9; /* m: what has flown off */

/* ---- life ---- */

static kin_result check_def(const kin_foam_def* def, kin_error* error)
{
    kin_result result = kin_params_check(kin_foam_params, def, "", error);
    if (result != KIN_OK) return result;
    if (!(def->spacing > 0 && kin_finite(def->spacing)))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "spacing", "the spacing is %g m: it must be > 0", def->spacing);
    if ((unsigned)def->simd >= KIN_SIMD_COUNT) return kin_fail(error, KIN_ERROR_ARGUMENT, "simd", "%d is no width of lanes", (int)def->simd);
    const struct {
        const char* name;
        const double* limits;
    } pairs[] = {{"trapped", def->trapped}, {"crest", def->crest}, {"energy", def->energy}, {"lifetime", def->lifetime}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        if (pairs[i].limits[0] > pairs[i].limits[1])
            return kin_fail(error, KIN_ERROR_ARGUMENT, pairs[i].name, "the first is %g and must not be above the second, %g", pairs[i].limits[0],
                            pairs[i].limits[1]);
    }
    return KIN_OK;
}

kin_result kin_foam_create(const kin_allocator* allocator, const kin_foam_def* def, kin_foam** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check_def(def, error);
    if (result != KIN_OK) return result;
    kin_foam* foam = kin_alloc_zero(allocator, sizeof *foam);
    if (foam == NULL) return kin_fail_memory(error, "foam", sizeof *foam);
    foam->allocator = *allocator;
    foam->def = *def;
    *out = foam;
    return KIN_OK;
}

void kin_foam_destroy(kin_foam* foam)
{
    if (foam == NULL) return;
    const kin_allocator allocator = foam->allocator;
    for (int a = 0; a < 3; ++a) {
        kin_free(&allocator, foam->x[a], foam->capacity[a] * sizeof(double));
        kin_free(&allocator, foam->v[a], foam->capacity[3 + a] * sizeof(double));
    }
    kin_free(&allocator, foam->left, foam->capacity[6] * sizeof(double));
    kin_free(&allocator, foam->serial, foam->capacity[7] * sizeof(uint64_t));
    kin_free(&allocator, foam->kind, foam->capacity[8]);
    kin_foam_free_sea(foam);
    kin_free(&allocator, foam, sizeof *foam);
}

bool kin_foam_reserve(kin_foam* foam, size_t count)
{
    bool good = true;
    for (int a = 0; a < 3 && good; ++a) {
        good = kin_reserve(&foam->allocator, (void**)&foam->x[a], &foam->capacity[a], count, sizeof(double))
               && kin_reserve(&foam->allocator, (void**)&foam->v[a], &foam->capacity[3 + a], count, sizeof(double));
    }
    return good && kin_reserve(&foam->allocator, (void**)&foam->left, &foam->capacity[6], count, sizeof(double))
           && kin_reserve(&foam->allocator, (void**)&foam->serial, &foam->capacity[7], count, sizeof(uint64_t))
           && kin_reserve(&foam->allocator, (void**)&foam->kind, &foam->capacity[8], count, 1);
}

const kin_foam_kernels* kin_foam_kernels_of(const kin_foam* foam)
{
    static const kin_foam_kernels* const kernels[KIN_SIMD_COUNT] = {&kin_foam_kernels_none, &kin_foam_kernels_sse2, &kin_foam_kernels_avx2};
    return kernels[foam->def.simd];
}

kin_foam_def* kin_foam_settings(kin_foam* foam) { return &foam->def; }

/* ---- one step ---- */

typedef struct move_job {
    kin_foam* foam;
    kin_vec3 gravity;
    double h, keep; /* keep: of a bubble's velocity against the fluid's, after h */
} move_job;

/* How many of the fluid are near, and their mean velocity. */
static int fluid_at(const kin_foam* f, size_t i, double velocity[3])
{
    const kin_foam_sea* s = &f->sea;
    velocity[0] = velocity[1] = velocity[2] = 0;
    if (s->count == 0) return 0;
    const double at[3] = {f->x[0][i] - s->origin.x, f->x[1][i] - s->origin.y, f->x[2][i] - s->origin.z};
    const float place[3] = {(float)at[0], (float)at[1], (float)at[2]};
    kin_stretches near;
    float sums[5];
    kin_stretches_round(&near, &s->cells, at);
    kin_foam_kernels_of(f)->carrying(s, &near, place, sums);
    for (int a = 0; a < 3 && sums[3] > 0; ++a) velocity[a] = (double)sums[a] / (double)sums[3];
    return (int)sums[4];
}

static uint8_t kind_of(const kin_foam_def* def, int neighbours)
{
    return neighbours < def->spray_below ? KIN_FOAM_SPRAY : neighbours > def->bubbles_above ? KIN_FOAM_BUBBLES : KIN_FOAM_FOAM;
}

static void move_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const move_job* job = argument;
    kin_foam* f = job->foam;
    const double gravity[3] = {job->gravity.x, job->gravity.y, job->gravity.z};
    for (int64_t i = begin; i < end; ++i) {
        double carried[3];
        f->kind[i] = kind_of(&f->def, fluid_at(f, (size_t)i, carried));
        for (int a = 0; a < 3; ++a) {
            double* v = &f->v[a][i];
            if (f->kind[i] == KIN_FOAM_SPRAY)
                *v += gravity[a] * job->h;
            else if (f->kind[i] == KIN_FOAM_FOAM)
                *v = carried[a];
            else
                *v = carried[a] + (*v - carried[a] - f->def.buoyancy * gravity[a] * job->h) * job->keep;
            f->x[a][i] += *v * job->h;
        }
        f->left[i] -= f->kind[i] == KIN_FOAM_FOAM ? job->h : f->def.slow_ageing * job->h;
    }
}

static bool is_alive(const kin_foam* f, size_t i)
{
    bool here = true;
    for (int a = 0; a < 3; ++a) here = here && kin_abs(f->x[a][i]) < farthest && kin_abs(f->v[a][i]) < farthest;
    return here && f->left[i] > 0;
}

static void let_go(kin_foam* f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->count; ++i) {
        if (!is_alive(f, i)) continue;
        for (int a = 0; a < 3; ++a) f->x[a][n] = f->x[a][i], f->v[a][n] = f->v[a][i];
        f->left[n] = f->left[i], f->serial[n] = f->serial[i], f->kind[n] = f->kind[i];
        n += 1;
    }
    f->count = n;
}

/* Of those born in this step. */
typedef struct kind_job {
    kin_foam* foam;
    size_t first;
} kind_job;

static void tell_kinds(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const kind_job* job = argument;
    kin_foam* f = job->foam;
    for (size_t i = job->first + (size_t)begin; i < job->first + (size_t)end; ++i) {
        double carried[3];
        f->kind[i] = kind_of(&f->def, fluid_at(f, i, carried));
    }
}

kin_result kin_foam_step(kin_foam* f, kin_jobs* jobs, const kin_foam_fluid* fluid, kin_vec3 gravity, double h, kin_error* error)
{
    if (f->def.most == 0 && f->count == 0) return KIN_OK;
    kin_result result = kin_foam_fill_sea(f, jobs, fluid, error);
    if (result != KIN_OK) return result;
    kin_foam_fluid none = {.count = 0};
    if (f->sea.count == 0) fluid = &none;
    uint64_t wanted = kin_foam_find_births(f, jobs, fluid, h), most = (uint64_t)f->def.most;
    if (!kin_foam_reserve(f, f->count + (size_t)(wanted < most ? wanted : most))) return kin_fail_memory(error, "foam", f->count * 64);
    kin_parallel_for(jobs, (int64_t)f->count, GRAIN, move_range, &(move_job){f, gravity, h, kin_exp(-f->def.drag * h)});
    let_go(f);
    size_t first = f->count;
    kin_foam_give_birth(f, fluid, wanted, h);
    kin_parallel_for(jobs, (int64_t)(f->count - first), GRAIN, tell_kinds, &(kind_job){f, first});
    f->step += 1;
    return KIN_OK;
}

/* ---- questions, state, pictures ---- */

size_t kin_foam_count(const kin_foam* f, kin_foam_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < f->count; ++i) count += kind == KIN_FOAM_KINDS || f->kind[i] == kind;
    return count;
}
kin_vec3 kin_foam_position(const kin_foam* f, size_t i) { return (kin_vec3){f->x[0][i], f->x[1][i], f->x[2][i]}; }
kin_vec3 kin_foam_velocity(const kin_foam* f, size_t i) { return (kin_vec3){f->v[0][i], f->v[1][i], f->v[2][i]}; }
kin_foam_kind kin_foam_kind_of(const kin_foam* f, size_t i) { return (kin_foam_kind)f->kind[i]; }

void kin_foam_visit(kin_foam* f, kin_visitor* v)
{
    kin_params_visit(kin_foam_params, &f->def, v);
    kin_visit_u64(v, &f->step);
    kin_visit_u64(v, &f->next_serial);
    size_t count = kin_visit_count(v, f->count);
    if (v->mode == KIN_VISIT_LOAD && !kin_foam_reserve(f, count)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    f->count = count;
    for (int a = 0; a < 3; ++a) {
        kin_visit_f64s(v, f->x[a], count);
        kin_visit_f64s(v, f->v[a], count);
    }
    kin_visit_f64s(v, f->left, count);
    kin_visit_u64s(v, f->serial, count);
    kin_visit_u8s_below(v, f->kind, count, KIN_FOAM_KINDS);
}

static void capture_kind(const kin_foam* f, const char* name, kin_foam_kind kind, kin_capture* capture)
{
    static const struct {
        const char* name;
        kin_look look;
    } seen[KIN_FOAM_KINDS] = {{"spray", {.surface = KIN_SURFACE_GLOSSY, .color = {0.9f, 0.93f, 0.95f}, .roughness = 0.3f}},
                              {"foam", {.surface = KIN_SURFACE_MATTE, .color = {0.92f, 0.94f, 0.95f}, .roughness = 0.9f}},
                              {"bubbles", {.surface = KIN_SURFACE_GLOSSY, .color = {0.75f, 0.85f, 0.9f}, .roughness = 0.2f}}};
    size_t count = kin_foam_count(f, kind), n = 0;
    if (count == 0) return;
    char layer[64] = "";
    kin_text_append(layer, sizeof layer, "%s/%s", name, seen[kind].name);
    kin_capture_layer(capture, layer, KIN_LAYER_POINTS, &seen[kind].look);
    float* position = kin_capture_array(capture, "position", KIN_F32, 3, count);
    float* velocity = kin_capture_array(capture, "velocity", KIN_F32, 3, count);
    float* radius = kin_capture_array(capture, "radius", KIN_F32, 1, count);
    uint64_t* id = kin_capture_array(capture, "id", KIN_U64, 1, count);
    if (position == NULL || velocity == NULL || radius == NULL || id == NULL) return;
    const double origin[3] = {capture->frame.origin.x, capture->frame.origin.y, capture->frame.origin.z};
    for (size_t i = 0; i < f->count; ++i) {
        if (f->kind[i] != kind) continue;
        for (int a = 0; a < 3; ++a) position[3 * n + (size_t)a] = (float)(f->x[a][i] - origin[a]), velocity[3 * n + (size_t)a] = (float)f->v[a][i];
        radius[n] = (float)(f->def.size * f->def.spacing * kin_min(1, 0.3 + 3 * f->left[i])); /* the last third of a second it shrinks */
        id[n++] = f->serial[i];
    }
}

void kin_foam_capture(const kin_foam* f, const char* name, kin_capture* capture)
{
    for (int kind = 0; kind < KIN_FOAM_KINDS; ++kind) capture_kind(f, name, (kin_foam_kind)kind, capture);
}
