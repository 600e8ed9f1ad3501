/* rig.h - a contact group of the exact solver without a world: bodies by shape, steps, numbers. */
#pragma once
#include "base/jobs.h"
#include "base/alloc.h"
#include "contact/exact/exact.h"
#include "math/aabb.h"
#include "support/test.h"
#include <string.h>

typedef struct rig {
    test* t;
    kin_materials materials;
    kin_fields fields;
    kin_jobs jobs;
    kin_touch_events events;
    kin_group* group;
    kin_rigid_def def;
    kin_step_report report;
    double time;
    uint64_t index;
    kin_form* forms[256];
    int form_count, material_count;
} rig;

static inline int rig_integrator(const char* name)
{
    for (int i = 0; i < kin_integrator_count(); ++i) {
        if (strcmp(kin_integrator_names[i], name) == 0) return i;
    }
    return -1;
}

/* Gravity 10 downwards, rk4, thresholds of 1e-6. Fields of def may be changed before rig_begin. */
static inline kin_rigid_def rig_def(void)
{
    return (kin_rigid_def){.mode = KIN_RIGID_EXACT,
                           .push_speed = 3,
                           .bounce_speed = 1e-3,
                           .sleep_speed = 0.01,
                           .sleep_time = 0.5,
                           .integrator = rig_integrator("rk4"),
                           .integrator_tolerance = 1e-6,
                           .step_safety = 0.9,
                           .impact_iterations = 5000,
                           .tolerance = 1e-6,
                           .max_events = 200,
                           .max_ticks = 1024,
                           .contact_speed = 1e-3,
                           .slip_speed = 1e-3};
}

static inline void rig_begin_threads(rig* r, test* t, kin_rigid_def def, int threads)
{
    memset(r, 0, sizeof *r);
    r->t = t;
    r->def = def;
    r->events.allocator = t->allocator;
    EQUAL(t, kin_materials_init(&r->materials, &t->allocator, KIN_PAIR_MIN, KIN_PAIR_MIN, NULL), KIN_OK);
    kin_fields_init(&r->fields, &t->allocator, KIN_SIMD_NONE);
    r->fields.gravity = kin_v(0, -10, 0);
    EQUAL(t, kin_jobs_init(&r->jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
    EQUAL(t, kin_group_create(&t->allocator, &kin_exact_ops, &def, &r->materials, &r->events, &r->group, NULL), KIN_OK);
}
static inline void rig_begin(rig* r, test* t, kin_rigid_def def) { rig_begin_threads(r, t, def, 1); }

static inline void rig_end(rig* r)
{
    kin_group_destroy(r->group);
    for (int i = 0; i < r->form_count; ++i) kin_form_drop(r->forms[i]);
    kin_jobs_term(&r->jobs);
    kin_fields_term(&r->fields);
    kin_materials_term(&r->materials);
    kin_touch_events_term(&r->events);
}

static inline kin_material_id rig_material(rig* r, double restitution, double mu_static, double mu_dynamic)
{
    char name[16] = {(char)('a' + r->material_count % 26), (char)('a' + r->material_count / 26), 0};
    r->material_count += 1;
    kin_material_def def = kin_material_def_default();
    def.name = name;
    def.restitution = restitution;
    def.static_friction[0] = def.static_friction[1] = mu_static;
    def.dynamic_friction[0] = def.dynamic_friction[1] = mu_dynamic;
    kin_material_id id;
    EQUAL(r->t, kin_materials_add(&r->materials, &def, &id, NULL), KIN_OK);
    return id;
}

static inline kin_form* rig_form(rig* r, kin_shape shape)
{
    kin_form* form;
    EQUAL(r->t, kin_form_create(&r->t->allocator, &shape, &form, NULL), KIN_OK);
    r->forms[r->form_count++] = form;
    return form;
}

/* mass 0: fixed. */
static inline uint32_t rig_add(rig* r, kin_form* form, kin_material_id material, double mass, kin_vec3 position, kin_quat orientation)
{
    kin_mass m = form->ops->mass(form);
    kin_body_skin skin = {.form = form, .place = kin_transform_identity(), .material = material, .solid = UINT32_MAX, .gravity_scale = 1};
    kin_body body = kin_body_fixed();
    kin_mass_properties p;
    body.position = position, body.orientation = orientation;
    skin.owner.system = 1, skin.owner.element = r->group->bodies.count;
    skin.reach = form->reach;
    skin.thickness = form->bounded ? 0.5 * kin_min(kin_aabb_size(form->bounds).x, kin_min(kin_aabb_size(form->bounds).y, kin_aabb_size(form->bounds).z)) : 1e9;
    if (mass > 0 && m.mass > 0 && kin_form_mass(form, mass / m.mass, &p, NULL) == KIN_OK) {
        body.mass = mass, body.inv_mass = 1 / mass;
        body.moments = p.moments;
        body.inv_moments = kin_v(1 / p.moments.x, 1 / p.moments.y, 1 / p.moments.z);
        kin_transform frame = {p.center, p.principal_axes};
        skin.place = kin_transform_inverse(frame);
        kin_transform pose = kin_transform_mul((kin_transform){position, orientation}, frame);
        body.position = pose.position, body.orientation = pose.orientation;
    }
    uint32_t index = 0;
    EQUAL(r->t, kin_group_add_body(r->group, &body, &skin, mass > 0 ? KIN_BODY_FREE : KIN_BODY_FIXED, &index, NULL), KIN_OK);
    return index;
}

static inline uint32_t rig_ball(rig* r, kin_material_id m, double mass, double radius, kin_vec3 at)
{
    return rig_add(r, rig_form(r, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}), m, mass, at, kin_quat_identity());
}
static inline uint32_t rig_box(rig* r, kin_material_id m, double mass, kin_vec3 size, kin_vec3 at, kin_quat q)
{
    return rig_add(r, rig_form(r, (kin_shape){.kind = KIN_SHAPE_BOX, .size = size}), m, mass, at, q);
}
static inline uint32_t rig_floor(rig* r, kin_material_id m)
{
    return rig_add(r, rig_form(r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}), m, 0, kin_v(0, 0, 0), kin_quat_identity());
}

static inline kin_body* rig_body(rig* r, uint32_t i) { return &r->group->bodies.body[i]; }
static inline const kin_exact* rig_solver(const rig* r) { return r->group->solver; }

static inline kin_status rig_step(rig* r, double h)
{
    memset(&r->report, 0, sizeof r->report);
    for (int i = 0; i < r->jobs.scheduler.worker_count; ++i) kin_arena_reset(&r->jobs.arenas[i]);
    kin_step step = {.jobs = &r->jobs,
                     .fields = &r->fields,
                     .materials = &r->materials,
                     .index = r->index++,
                     .intervals = 1,
                     .time = r->time,
                     .h = h,
                     .system = 1,
                     .system_name = "rigid",
                     .report = &r->report};
    r->events.count = 0;
    kin_group_predict(r->group, &step);
    kin_status status = kin_group_advance(r->group, &step);
    r->time += h;
    return status;
}

static inline void rig_steps(rig* r, int count, double h)
{
    for (int i = 0; i < count; ++i) {
        if (!test_check(r->t, rig_step(r, h) == KIN_STATUS_OK, __FILE__, __LINE__, "step %d refused: %s", i, r->report.note)) return;
    }
}

static inline uint64_t rig_hash(rig* r)
{
    kin_visitor v = {.mode = KIN_VISIT_HASH, .allocator = r->t->allocator};
    kin_hasher_begin(&v.hasher);
    kin_group_visit(r->group, &v);
    return kin_hasher_end(&v.hasher);
}

static inline uint32_t rig_joint(rig* r, kin_joint_def def, uint32_t a, uint32_t b)
{
    uint32_t index = 0;
    kin_error error = {0};
    kin_result result = kin_group_add_joint(r->group, &def, a, b, (kin_anchor){.system = 1, .element = r->group->joint_count}, &index, &error);
    test_check(r->t, result == KIN_OK, __FILE__, __LINE__, "joint refused: %s", error.message);
    return index;
}

static inline kin_vec3 rig_momentum(rig* r)
{
    kin_vec3 p = {0, 0, 0};
    for (uint32_t i = 0; i < r->group->bodies.count; ++i) p = kin_add_scaled(p, rig_body(r, i)->mass, rig_body(r, i)->velocity);
    return p;
}
static inline double rig_kinetic(rig* r)
{
    double e = 0;
    for (uint32_t i = 0; i < r->group->bodies.count; ++i) e += kin_body_kinetic(rig_body(r, i));
    return e;
}
