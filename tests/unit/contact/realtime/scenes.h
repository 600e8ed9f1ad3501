/* scenes.h - small worlds of the real-time solver alone: a contact group, its materials, gravity, threads. */
#pragma once
#include "base/hash.h"
#include "contact/group.h"
#include "geometry/mass/mass.h"
#include <string.h>

typedef struct scene {
    kin_allocator allocator;
    kin_jobs jobs;
    kin_fields fields;
    kin_materials materials;
    kin_touch_events events;
    kin_group* group;
    kin_step_report report;
    kin_log log;
    double h;
    uint64_t index;
    kin_simd simd;
    kin_status status;
    uint32_t made;
} scene;

static inline kin_rigid_def scene_def(void)
{
    return (kin_rigid_def){.mode = KIN_RIGID_REALTIME,
                           .substeps = 4,
                           .contact_damping = 10,
                           .push_speed = 3,
                           .bounce_speed = 1,
                           .sleep_speed = 0.05,
                           .sleep_time = 0.5,
                           .continuous = true};
}

static inline bool scene_begin_with(scene* s, const kin_allocator* allocator, int threads, const kin_rigid_def* def)
{
    kin_error error = {0};
    *s = (scene){.allocator = *allocator, .h = 1.0 / 60, .simd = kin_simd_best()};
    s->events.allocator = *allocator;
    if (kin_jobs_init(&s->jobs, allocator, NULL, threads, &error) != KIN_OK) return false;
    kin_fields_init(&s->fields, allocator, KIN_SIMD_SSE2);
    s->fields.gravity = kin_v(0, -9.81, 0);
    if (kin_materials_init(&s->materials, allocator, KIN_PAIR_AVERAGE, KIN_PAIR_AVERAGE, &error) != KIN_OK) return false;
    return kin_group_create(allocator, &kin_realtime_ops, def, &s->materials, &s->events, &s->group, &error) == KIN_OK;
}

static inline bool scene_begin(scene* s, const kin_allocator* allocator, int threads)
{
    kin_rigid_def def = scene_def();
    return scene_begin_with(s, allocator, threads, &def);
}

static inline void scene_end(scene* s)
{
    kin_group_destroy(s->group);
    if (s->materials.items != NULL) kin_materials_term(&s->materials);
    kin_fields_term(&s->fields);
    kin_touch_events_term(&s->events);
    kin_jobs_term(&s->jobs);
}

/* friction, restitution, rolling and spinning friction (m) */
static inline kin_material_id scene_material(scene* s, const char* name, double friction, double restitution, double rolling, double spinning)
{
    kin_material_def def = kin_material_def_default();
    kin_material_id id = {0};
    def.name = name;
    def.restitution = restitution;
    for (int i = 0; i < 2; ++i) def.static_friction[i] = def.dynamic_friction[i] = friction;
    def.rolling_friction = rolling;
    def.spinning_friction = spinning;
    kin_materials_add(&s->materials, &def, &id, NULL);
    return id;
}

static inline double scene_thickness(const kin_shape* shape)
{
    switch (shape->kind) {
    case KIN_SHAPE_BOX: return 0.5 * kin_min(shape->size.x, kin_min(shape->size.y, shape->size.z));
    case KIN_SHAPE_SPHERE:
    case KIN_SHAPE_CAPSULE: return shape->radius;
    case KIN_SHAPE_CYLINDER: return kin_min(shape->radius, 0.5 * shape->length);
    default: return 0.1;
    }
}

typedef struct scene_body {
    kin_shape shape;
    kin_vec3 position, velocity, spin;
    kin_quat orientation;
    double density;
    kin_material_id material;
    kin_body_motion motion;
    kin_body_skin skin; /* sensor, one_way, surface_velocity */
} scene_body;

static inline uint32_t scene_add(scene* s, scene_body d)
{
    kin_form* form = NULL;
    uint32_t index = UINT32_MAX;
    if (kin_form_create(&s->allocator, &d.shape, &form, NULL) != KIN_OK) return index;
    kin_body b = {.position = d.position, .orientation = kin_quat_normalize(d.orientation), .velocity = d.velocity, .spin = d.spin};
    kin_body_skin skin = d.skin;
    skin.form = form;
    skin.place = kin_transform_identity();
    skin.material = d.material;
    skin.owner = (kin_anchor){.system = 1, .element = s->made++};
    skin.gravity_scale = 1;
    skin.reach = form->reach;
    skin.thickness = scene_thickness(&d.shape);
    if (d.motion == KIN_BODY_FREE) {
        kin_mass_properties m;
        if (kin_form_mass(form, d.density, &m, NULL) != KIN_OK) return index;
        kin_mat3 i = m.inertia;
        b.mass = m.mass, b.inv_mass = 1 / m.mass;
        b.moments = kin_v(i.cx.x, i.cy.y, i.cz.z); /* shapes of these scenes lie along their principal axes */
        b.inv_moments = kin_v(1 / b.moments.x, 1 / b.moments.y, 1 / b.moments.z);
    }
    kin_group_add_body(s->group, &b, &skin, d.motion, &index, NULL);
    kin_form_drop(form);
    return index;
}

static inline uint32_t scene_ground(scene* s, kin_material_id material)
{
    return scene_add(
        s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {200, 2, 200}}, .position = {0, -1, 0}, .motion = KIN_BODY_FIXED, .material = material});
}
static inline uint32_t scene_box(scene* s, kin_vec3 size, kin_vec3 at, double density, kin_material_id material)
{
    return scene_add(
        s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = size}, .position = at, .motion = KIN_BODY_FREE, .density = density, .material = material});
}
static inline uint32_t scene_ball(scene* s, double radius, kin_vec3 at, double density, kin_material_id material)
{
    return scene_add(
        s,
        (scene_body){.shape = {.kind = KIN_SHAPE_SPHERE, .radius = radius}, .position = at, .motion = KIN_BODY_FREE, .density = density, .material = material});
}

static inline void scene_step(scene* s)
{
    kin_step step = {.jobs = &s->jobs,
                     .simd = s->simd,
                     .fields = &s->fields,
                     .materials = &s->materials,
                     .log = &s->log,
                     .seed = 1,
                     .index = s->index,
                     .intervals = 1,
                     .time = (double)s->index * s->h,
                     .h = s->h,
                     .system = 1,
                     .system_name = "rigid",
                     .report = &s->report};
    s->events.count = 0;
    kin_group_predict(s->group, &step);
    s->status = kin_group_advance(s->group, &step);
    s->index += 1;
}
static inline void scene_steps(scene* s, int count)
{
    for (int i = 0; i < count; ++i) scene_step(s);
}

static inline uint64_t scene_hash(scene* s)
{
    kin_visitor v = {.mode = KIN_VISIT_HASH, .allocator = s->allocator};
    kin_hasher_begin(&v.hasher);
    kin_group_visit(s->group, &v);
    return kin_hasher_end(&v.hasher);
}

/* ---- the three scenes of the benchmark ---- */

/* (a) rows of unit cubes, each half a cube aside from the one below */
static inline void scene_wall(scene* s, int base)
{
    kin_material_id m = scene_material(s, "wall", 0.6, 0, 0, 0);
    scene_ground(s, m);
    for (int i = 0; i < base; ++i) {
        for (int j = 0; j < base - i; ++j) scene_box(s, kin_v(1, 1, 1), kin_v((j + 0.5 * i - 0.5 * base) * 1.02, 0.5 + i, 0), 1000, m);
    }
}

/* (b) layers of cubes of 2 m */
static inline void scene_pyramid(scene* s, int high)
{
    kin_material_id m = scene_material(s, "pyramid", 0.6, 0, 0, 0);
    scene_ground(s, m);
    for (int i = 0; i < high; ++i) {
        double o = i & 1 ? 1.02 : 0;
        for (int j = i / 2; j < high - (i + 1) / 2; ++j) {
            for (int k = i / 2; k < high - (i + 1) / 2; ++k)
                scene_box(s, kin_v(2, 2, 2), kin_v(-high + 2.04 * j + o, 1 + 2.0 * i, -high + 2.04 * k + o), 1000, m);
        }
    }
}

static inline double scene_noise(uint32_t i)
{
    i ^= i >> 16, i *= 0x7feb352du, i ^= i >> 15, i *= 0x846ca68bu, i ^= i >> 16;
    return (i & 0xffffff) / 16777216.0;
}

/* (c) spheres and boxes by turns, falling into a box of 10 x 10 m */
static inline void scene_pile(scene* s, int count)
{
    kin_material_id m = scene_material(s, "pile", 0.6, 0, 0, 0);
    scene_ground(s, m);
    for (int k = 0; k < 4; ++k) {
        double side = k & 1 ? 5.5 : -5.5;
        kin_vec3 at = k < 2 ? kin_v(side, 20, 0) : kin_v(0, 20, side), size = k < 2 ? kin_v(1, 40, 12) : kin_v(12, 40, 1);
        scene_add(s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = size}, .position = at, .motion = KIN_BODY_FIXED, .material = m});
    }
    for (int i = 0; i < count; ++i) {
        int layer = i / 225, x = i % 225 / 15, z = i % 15;
        kin_vec3 at = {(x - 7) * 0.6 + 0.04 * (scene_noise(3u * (uint32_t)i) - 0.5), 0.5 + 0.6 * layer,
                       (z - 7) * 0.6 + 0.04 * (scene_noise(3u * (uint32_t)i + 1) - 0.5)};
        if (i % 2 == 0)
            scene_box(s, kin_v(0.5, 0.5, 0.5), at, 1000, m);
        else
            scene_ball(s, 0.25, at, 1000, m);
    }
}
