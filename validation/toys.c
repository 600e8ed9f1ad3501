/* toys.c - masses on springs, and glue. Semi-implicit Euler; pushes are kept apart until commit, so that predict may run again. */
#include "validation/toys.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/quat.h"
#include <stddef.h>
#include <string.h>

typedef struct toy {
    kin_allocator allocator;
    kin_toy_def def;
    size_t count;
    kin_vec3 *x, *v;
    kin_vec3* kick;  /* m/s, pushed since the last commit */
    kin_vec3* drift; /* m/s, free velocity at the end of the interval; follows from x and v */
    uint8_t *mobility, *moved;
    kin_vec3 outside; /* N s, by the springs */
} toy;

static const kin_param toy_params[] = {
    {.name = "stiffness",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_toy_def, stiffness),
     .unit = "N/m",
     .doc = "Of every spring.",
     .flags = KIN_PARAM_LIVE},
    {0},
};

kin_toy_def kin_toy_def_default(void) { return (kin_toy_def){.count = 1, .mass = 1}; }

static kin_vec3 home(const toy* t, size_t i) { return kin_add(t->def.home, kin_v((double)i, 0, 0)); }

/* ---- birth ---- */

static bool reserve(toy* t, size_t count)
{
    kin_vec3** vectors[] = {&t->x, &t->v, &t->kick, &t->drift};
    bool ok = true;
    for (int i = 0; i < 4; ++i) ok = ok && (*vectors[i] = kin_alloc_zero(&t->allocator, kin_bytes(count, sizeof **vectors[i]))) != NULL;
    ok = ok && (t->mobility = kin_alloc_zero(&t->allocator, count)) != NULL;
    ok = ok && (t->moved = kin_alloc_zero(&t->allocator, count)) != NULL;
    t->count = count;
    return ok;
}

static void toy_destroy(void* self)
{
    toy* t = self;
    kin_allocator allocator = t->allocator;
    kin_vec3* vectors[] = {t->x, t->v, t->kick, t->drift};
    for (int i = 0; i < 4; ++i) kin_free(&allocator, vectors[i], t->count * sizeof **vectors);
    kin_free(&allocator, t->mobility, t->count);
    kin_free(&allocator, t->moved, t->count);
    kin_free(&allocator, t, sizeof *t);
}

static void start(toy* t)
{
    for (size_t i = 0; i < t->count; ++i) {
        double part = (double)(i + 1);
        t->x[i] = kin_add(home(t, i), kin_v(0.1 * part, -0.2, 0.05 / part));
        t->v[i] = t->drift[i] = kin_add(t->def.home, kin_v(0.3 / part, 0.1 * part, -0.7)); /* two toys at two homes move differently */
        t->mobility[i] = KIN_MOBILITY_DYNAMIC;
    }
}

static kin_result toy_create(const kin_birth* birth, const void* def, void** self, kin_error* error)
{
    toy* t = kin_alloc_zero(&birth->allocator, sizeof *t);
    if (t == NULL) return kin_fail_memory(error, "a toy", sizeof *t);
    t->allocator = birth->allocator;
    t->def = *(const kin_toy_def*)def;
    if (!reserve(t, (size_t)t->def.count)) {
        toy_destroy(t);
        return kin_fail_memory(error, "a toy", (size_t)((const kin_toy_def*)def)->count);
    }
    start(t);
    *self = t;
    return KIN_OK;
}

static size_t toy_bytes(const void* def) { return kin_bytes((size_t)((const kin_toy_def*)def)->count, 4 * sizeof(kin_vec3) + 2); }
static size_t toy_count(const void* self) { return ((const toy*)self)->count; }
static void* toy_def(void* self) { return &((toy*)self)->def; }
static void toy_changed(void* self, const kin_param* param) { (void)self, (void)param; }

/* ---- stages ---- */

static void toy_plan(const void* self, kin_plan* plan) { plan->may_refuse = ((const toy*)self)->def.refuse_below > 0; }

static kin_vec3 spring_impulse(const toy* t, size_t i, double h) { return kin_scale(kin_sub(home(t, i), t->x[i]), h * t->def.stiffness); }

static kin_status toy_predict(void* self, kin_step* step)
{
    toy* t = self;
    if (step->interval == 0) memset(t->moved, 0, t->count);
    for (size_t i = 0; i < t->count; ++i) t->drift[i] = kin_add_scaled(t->v[i], 1 / t->def.mass, spring_impulse(t, i, step->h));
    return KIN_STATUS_OK;
}

static void post(const toy* t, kin_step* step)
{
    if (t->def.post_a == 0 || step->index > 0 || step->interval > 0) return;
    kin_anchor a = {t->def.post_a, 0, {0, 0, 0}}, b = {t->def.post_b, 0, {0, 0, 0}};
    kin_ledger_post(step->ledger, (kin_entry_key){1000 + step->system, 0}, KIN_ENTRY_HIT, a, b, kin_v(0, 0, 0), (kin_wrench){t->def.post_impulse, {0, 0, 0}});
}

/* It moves first and refuses after: only a rewind can undo that. */
static kin_status toy_commit(void* self, kin_step* step)
{
    toy* t = self;
    for (size_t i = 0; i < t->count; ++i) {
        if (t->mobility[i] != KIN_MOBILITY_DYNAMIC) continue;
        kin_vec3 was = t->x[i];
        t->outside = kin_add(t->outside, spring_impulse(t, i, step->h));
        t->v[i] = t->drift[i] = kin_add(t->drift[i], t->kick[i]);
        t->x[i] = kin_add_scaled(t->x[i], step->h, t->v[i]);
        t->kick[i] = kin_v(0, 0, 0);
        t->moved[i] |= memcmp(&was, &t->x[i], sizeof was) != 0;
    }
    post(t, step);
    bool late = (double)step->interval / step->intervals >= t->def.refuse_after;
    return late && step->intervals < t->def.refuse_below ? kin_step_refuse(step, t->count - 1, 0.125, "the step is too long for a toy") : KIN_STATUS_OK;
}

/* ---- anchors ---- */

static double give(const toy* t, uint32_t i) { return t->mobility[i] == KIN_MOBILITY_DYNAMIC ? 1 / t->def.mass : 0; }

static void toy_motion(const void* self, const kin_anchor* a, int n, double s, kin_motion* out)
{
    (void)s;
    const toy* t = self;
    for (int i = 0; i < n; ++i) {
        uint32_t k = a[i].element;
        out[i] = (kin_motion){{kin_add(t->x[k], a[i].local), kin_quat_identity()}, kin_add(t->drift[k], t->kick[k]), {0, 0, 0}};
    }
}

static void toy_respond(const void* self, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv)
{
    for (int i = 0; i < n; ++i) dv[i] = (kin_twist){kin_scale(impulse[i].impulse, give(self, a[i].element)), {0, 0, 0}};
}

static void toy_push(void* self, const kin_anchor* a, const kin_wrench* impulse, int n)
{
    toy* t = self;
    for (int i = 0; i < n; ++i) {
        uint32_t k = a[i].element;
        t->kick[k] = kin_add_scaled(t->kick[k], give(t, k), impulse[i].impulse);
    }
}

static bool toy_place(void* self, uint32_t element, kin_vec3 position, kin_vec3 velocity)
{
    toy* t = self;
    if (element >= t->count) return false;
    t->x[element] = position;
    t->v[element] = t->drift[element] = velocity;
    return true;
}

static bool toy_set_mobility(void* self, uint32_t element, kin_mobility mobility)
{
    toy* t = self;
    if (element >= t->count) return false;
    t->mobility[element] = (uint8_t)mobility;
    return true;
}

/* ---- being seen ---- */

static kin_vec3 momentum(const toy* t)
{
    kin_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < t->count; ++i) sum = kin_add_scaled(sum, t->def.mass, t->v[i]);
    return sum;
}

static void toy_measure(const void* self, const kin_step* step, kin_budget* sum)
{
    (void)step;
    kin_vec3 p = momentum(self);
    kin_budget_add(sum, "momentum_x", "kg m/s", p.x);
    kin_budget_add(sum, "momentum_y", "kg m/s", p.y);
    kin_budget_add(sum, "momentum_z", "kg m/s", p.z);
}

static void toy_moved(const void* self, uint32_t system, kin_moved_list* out)
{
    const toy* t = self;
    for (uint32_t i = 0; i < t->count; ++i) {
        if (t->moved[i]) kin_moved_add(out, system, i, (kin_transform){t->x[i], kin_quat_identity()});
    }
}

static void toy_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture)
{
    const toy* t = self;
    kin_capture_layer(capture, name, KIN_LAYER_POINTS, &materials->items[0].look);
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, t->count);
    for (size_t i = 0; positions != NULL && i < t->count; ++i) {
        positions[3 * i] = (float)t->x[i].x;
        positions[3 * i + 1] = (float)t->x[i].y;
        positions[3 * i + 2] = (float)t->x[i].z;
    }
}

/* ---- state ---- */

static void toy_visit(void* self, kin_visitor* v)
{
    toy* t = self;
    if (kin_visit_count(v, t->count) != t->count) kin_visit_fail(v, KIN_ERROR_MISMATCH); /* toys are not born later */
    if (v->result != KIN_OK) return;
    kin_params_visit(toy_params, &t->def, v);
    for (size_t i = 0; i < t->count; ++i) {
        kin_visit_vec3(v, &t->x[i]);
        kin_visit_vec3(v, &t->v[i]);
        kin_visit_vec3(v, &t->kick[i]);
    }
    kin_visit_u8s(v, t->mobility, t->count);
    kin_visit_vec3(v, &t->outside);
    if (v->mode == KIN_VISIT_LOAD) memcpy(t->drift, t->v, t->count * sizeof *t->v);
}

const kin_system_ops kin_toy_ops = {
    .name = "toy",
    .doc = "Point masses on springs, for proofs.",
    .params = toy_params,
    .def_size = sizeof(kin_toy_def),
    .offers = KIN_OFFERS_POINTS,
    .bytes = toy_bytes,
    .create = toy_create,
    .destroy = toy_destroy,
    .count = toy_count,
    .def = toy_def,
    .changed = toy_changed,
    .plan = toy_plan,
    .predict = toy_predict,
    .commit = toy_commit,
    .motion = toy_motion,
    .respond = toy_respond,
    .push = toy_push,
    .place = toy_place,
    .set_mobility = toy_set_mobility,
    .measure = toy_measure,
    .moved = toy_moved,
    .capture = toy_capture,
    .visit = toy_visit,
};

kin_result kin_toy_create(kin_world* world, const char* name, const kin_toy_def* def, kin_system_id* out, kin_error* error)
{
    return kin_world_add_system(world, &kin_toy_ops, name, def, out, error);
}

kin_vec3 kin_toy_momentum(const kin_world* world, kin_system_id id) { return momentum(kin_world_system_self(world, id, &kin_toy_ops)); }
kin_vec3 kin_toy_outside(const kin_world* world, kin_system_id id) { return ((const toy*)kin_world_system_self(world, id, &kin_toy_ops))->outside; }

/* ---- glue ---- */

static void ends_of(const kin_toy_glue* g, int link, kin_anchor ends[2])
{
    uint32_t i = (uint32_t)link / 2;
    ends[0] = link % 2 == 0 ? (kin_anchor){g->a, i, {0, 0, 0}} : (kin_anchor){g->b, i, {0, 0, 0}};
    ends[1] = link % 2 == 0 ? (kin_anchor){g->b, i, {0, 0, 0}} : (kin_anchor){g->a, i + 1, {0, 0, 0}};
}

/* The impulse on the first end after which both would move alike, were there no other link. Points answer alike along all axes: one is asked. */
static kin_vec3 correction(const kin_world* world, const kin_anchor ends[2], double relax)
{
    const kin_wrench unit[2] = {{{1, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {0, 0, 0}}};
    kin_motion motion[2];
    kin_twist dv[2];
    kin_world_motion_at(world, ends, 2, 1, motion);
    kin_world_respond(world, ends, unit, 2, dv);
    double give_of_both = dv[0].velocity.x + dv[1].velocity.x;
    if (give_of_both == 0) return kin_v(0, 0, 0);
    return kin_scale(kin_sub(motion[1].velocity, motion[0].velocity), relax / give_of_both);
}

static kin_status glue_exchange(void* self, kin_world* world, kin_step* step, int pass)
{
    kin_toy_glue* g = self;
    if (pass > 0 && pass <= 64) g->residual[pass - 1] = step->ledger->residual;
    g->passes = pass + 1;
    for (int link = 0; link < g->links; ++link) {
        kin_anchor ends[2];
        kin_entry_key key = {g->a, (uint32_t)link};
        ends_of(g, link, ends);
        kin_wrench total = kin_ledger_total(step->ledger, key), last = kin_ledger_last(step->ledger, key);
        bool guess = pass == 0 && g->warm && kin_length(last.impulse) > 0;
        if (guess)
            total = last;
        else
            total.impulse = kin_add(total.impulse, correction(world, ends, g->relax));
        if (kin_ledger_post(step->ledger, key, KIN_ENTRY_LOAD, ends[0], ends[1], kin_v(0, 0, 0), total) != KIN_OK) return KIN_STATUS_REFUSED;
    }
    return KIN_STATUS_OK;
}

static void glue_plan(const void* self, kin_plan* plan)
{
    const kin_toy_glue* g = self;
    if (g->intervals > plan->intervals) plan->intervals = g->intervals;
}

const kin_coupler_ops kin_toy_glue_ops = {.name = "glue", .plan = glue_plan, .exchange = glue_exchange};
