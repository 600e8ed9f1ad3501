/* buoys.c - masses that bob up and down about their place: m y'' = -k y. Semi-implicit Euler. */
#include "buoys.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/quat.h"
#include "system/system.h"
#include <stddef.h>

typedef struct buoys {
    kin_allocator allocator;
    kin_buoys_def def; /* without the list */
    size_t count, capacity;
    kin_vec3* home; /* m */
    double *y, *v;  /* m above home, m/s */
} buoys;

/* ---- parameters: scenes, --set, help, schema and the handbook read these rows ---- */

static const kin_param buoy_params[] = {
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = offsetof(kin_buoy, position), .unit = "m", .doc = "Where it floats at rest."},
    {.name = "lift", .type = KIN_PARAM_NUMBER, .offset = offsetof(kin_buoy, lift), .unit = "m", .doc = "Height above that, at the start."},
    {0},
};
static const kin_param params[] = {
    {.name = "stiffness",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_buoys_def, stiffness),
     .unit = "N/m",
     .doc = "Pull back to rest, per metre.",
     .low = 0,
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "mass",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_buoys_def, mass),
     .unit = "kg",
     .doc = "Mass of each.",
     .low = 0,
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "buoys", .type = KIN_PARAM_LIST, .offset = offsetof(kin_buoys_def, buoys), .doc = "The buoys.", .sub = buoy_params, .sub_size = sizeof(kin_buoy)},
    {0},
};

/* ---- birth ---- */

static bool reserve(buoys* b, size_t count) /* as in particles/store.c: all new arrays or none */
{
    if (count <= b->capacity) return true;
    kin_vec3* home = kin_alloc_zero(&b->allocator, kin_bytes(count, sizeof *home));
    double* y = kin_alloc_zero(&b->allocator, kin_bytes(count, 2 * sizeof *y));
    if (home != NULL && y != NULL) {
        kin_free(&b->allocator, b->home, b->capacity * sizeof *home);
        kin_free(&b->allocator, b->y, b->capacity * 2 * sizeof *y);
        b->home = home;
        b->y = y;
        b->v = y + count;
        b->capacity = count;
        return true;
    }
    kin_free(&b->allocator, home, kin_bytes(count, sizeof *home));
    kin_free(&b->allocator, y, kin_bytes(count, 2 * sizeof *y));
    return false;
}

static void destroy(void* self)
{
    buoys* b = self;
    kin_allocator allocator = b->allocator;
    kin_free(&allocator, b->home, b->capacity * sizeof *b->home);
    kin_free(&allocator, b->y, b->capacity * 2 * sizeof *b->y);
    kin_free(&allocator, b, sizeof *b);
}

static kin_result create(const kin_birth* birth, const void* def_, void** self, kin_error* error)
{
    const kin_buoys_def* def = def_;
    kin_result result = kin_params_check(params, def, "", error);
    if (result != KIN_OK) return result;
    buoys* b = kin_alloc_zero(&birth->allocator, sizeof *b);
    if (b == NULL) return kin_fail_memory(error, "buoys", sizeof *b);
    b->allocator = birth->allocator;
    b->def = *def;
    b->def.name = NULL;
    b->def.buoys = NULL;
    b->def.count = 0;
    if (!reserve(b, def->count)) {
        destroy(b);
        return kin_fail_memory(error, "buoys", def->count);
    }
    b->count = def->count;
    for (size_t i = 0; i < b->count; ++i) {
        b->home[i] = def->buoys[i].position;
        b->y[i] = def->buoys[i].lift;
    }
    *self = b;
    return KIN_OK;
}

static size_t bytes(const void* def) { return kin_bytes(((const kin_buoys_def*)def)->count, sizeof(kin_vec3) + 2 * sizeof(double)); }
static size_t count(const void* self) { return ((const buoys*)self)->count; }
static void* def_of(void* self) { return &((buoys*)self)->def; }

/* ---- stages ---- */

static kin_status commit(void* self, kin_step* step)
{
    buoys* b = self;
    for (size_t i = 0; i < b->count; ++i) {
        b->v[i] -= step->h * b->def.stiffness / b->def.mass * b->y[i];
        b->y[i] += step->h * b->v[i];
    }
    return KIN_STATUS_OK;
}

/* ---- anchors: how couplers see a buoy. It gives way along y only. ---- */

static void motion(const void* self, const kin_anchor* a, int n, double s, kin_motion* out)
{
    (void)s;
    const buoys* b = self;
    for (int i = 0; i < n; ++i) {
        uint32_t k = a[i].element;
        kin_vec3 x = kin_add(kin_add(b->home[k], kin_v(0, b->y[k], 0)), a[i].local);
        out[i] = (kin_motion){{x, kin_quat_identity()}, kin_v(0, b->v[k], 0), {0, 0, 0}};
    }
}

static void respond(const void* self, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv)
{
    (void)a;
    for (int i = 0; i < n; ++i) dv[i] = (kin_twist){kin_v(0, impulse[i].impulse.y / ((const buoys*)self)->def.mass, 0), {0, 0, 0}};
}

static void push(void* self, const kin_anchor* a, const kin_wrench* impulse, int n)
{
    buoys* b = self;
    for (int i = 0; i < n; ++i) b->v[a[i].element] += impulse[i].impulse.y / b->def.mass;
}

/* ---- being seen ---- */

static void measure(const void* self, const kin_step* step, kin_budget* sum)
{
    (void)step;
    const buoys* b = self;
    double kinetic = 0, elastic = 0;
    for (size_t i = 0; i < b->count; ++i) {
        kinetic += 0.5 * b->def.mass * b->v[i] * b->v[i];
        elastic += 0.5 * b->def.stiffness * b->y[i] * b->y[i];
    }
    kin_budget_add(sum, "kinetic_energy", "J", kinetic);
    kin_budget_add(sum, "elastic_energy", "J", elastic);
}

static void capture(const void* self, const char* name, const kin_materials* materials, kin_capture* c)
{
    const buoys* b = self;
    kin_capture_layer(c, name, KIN_LAYER_POINTS, &materials->items[0].look);
    float* x = kin_capture_array(c, "position", KIN_F32, 3, b->count);
    for (size_t i = 0; x != NULL && i < b->count; ++i) {
        kin_vec3 p = kin_sub(kin_add(b->home[i], kin_v(0, b->y[i], 0)), c->frame.origin);
        x[3 * i] = (float)p.x;
        x[3 * i + 1] = (float)p.y;
        x[3 * i + 2] = (float)p.z;
    }
}

/* ---- state: all that survives a step and can change a bit ---- */

static void visit(void* self, kin_visitor* v)
{
    buoys* b = self;
    size_t n = kin_visit_count(v, b->count);
    if (v->mode == KIN_VISIT_LOAD && !reserve(b, n)) kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (v->result != KIN_OK) return;
    b->count = n;
    kin_params_visit(params, &b->def, v);
    kin_visit_f64(v, &b->def.mass);
    for (size_t i = 0; i < n; ++i) kin_visit_vec3(v, &b->home[i]);
    kin_visit_f64s(v, b->y, n);
    kin_visit_f64s(v, b->v, n);
}

const kin_system_ops kin_buoys_ops = {
    .name = "buoys",
    .doc = "Masses that bob about their place.",
    .params = params,
    .def_size = sizeof(kin_buoys_def),
    .offers = KIN_OFFERS_POINTS,
    .rank = 0,
    .bytes = bytes,
    .create = create,
    .destroy = destroy,
    .count = count,
    .def = def_of,
    .commit = commit,
    .motion = motion,
    .respond = respond,
    .push = push,
    .measure = measure,
    .capture = capture,
    .visit = visit,
};
