/* lab.h - bodies of a contact group without a world: fields, threads, a step, forms; and a solver that only writes down what it is told. */
#pragma once
#include "contact/group.h"
#include "support/test.h"
#include "system/field.h"
#include <string.h>

typedef struct lab {
    kin_allocator allocator;
    kin_jobs jobs;
    kin_fields fields;
    kin_step_report report;
    kin_step step;
    uint32_t made;
} lab;

static inline void lab_begin(test* t, lab* l)
{
    *l = (lab){.allocator = t->allocator};
    CHECK(t, kin_jobs_init(&l->jobs, &l->allocator, NULL, 1, NULL) == KIN_OK);
    kin_fields_init(&l->fields, &l->allocator, KIN_SIMD_SSE2);
    l->fields.gravity = kin_v(0, -10, 0);
    l->step = (kin_step){.jobs = &l->jobs, .simd = KIN_SIMD_SSE2, .fields = &l->fields, .seed = 1, .intervals = 1, .h = 0.1, .system = 1, .report = &l->report};
}

static inline void lab_end(lab* l)
{
    kin_fields_term(&l->fields);
    kin_jobs_term(&l->jobs);
}

/* A brick of 2 kg with three different moments. */
static inline kin_body lab_body(kin_vec3 position)
{
    return (kin_body){.position = position, .orientation = {0, 0, 0, 1}, .mass = 2, .inv_mass = 0.5, .moments = {1, 2, 4}, .inv_moments = {1, 0.5, 0.25}};
}

static inline kin_form* lab_form(test* t, lab* l)
{
    kin_form* form = NULL;
    kin_shape shape = {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}};
    CHECK(t, kin_form_create(&l->allocator, &shape, &form, NULL) == KIN_OK);
    return form;
}

static inline kin_body_skin lab_skin(lab* l, kin_form* form)
{
    return (kin_body_skin){
        .form = form, .place = {{0, 0, 0}, {0, 0, 0, 1}}, .owner = {1, l->made++, {0, 0, 0}}, .solid = UINT32_MAX, .gravity_scale = 1, .reach = 1};
}

/* ---- a solver that listens ---- */

typedef struct listener {
    kin_group* group;
    int added, removed, joints_added, joints_removed, touched, advanced;
    uint32_t last; /* body or joint */
    bool full;     /* takes no more */
} listener;

static listener lab_listener; /* of the one group that a test has */

static inline kin_result listen_create(kin_group* group, void** solver, kin_error* error)
{
    (void)error;
    lab_listener = (listener){.group = group};
    *solver = &lab_listener;
    return KIN_OK;
}
static inline void listen_destroy(void* s) { (void)s; }
static inline bool listen_body(void* s, uint32_t i)
{
    listener* l = s;
    l->added += !l->full;
    l->last = i;
    return !l->full;
}
static inline void listen_body_gone(void* s, uint32_t i) { ((listener*)s)->removed += 1, ((listener*)s)->last = i; }
static inline bool listen_joint(void* s, uint32_t i)
{
    listener* l = s;
    l->joints_added += !l->full;
    l->last = i;
    return !l->full;
}
static inline void listen_joint_gone(void* s, uint32_t i) { ((listener*)s)->joints_removed += 1, ((listener*)s)->last = i; }
static inline void listen_touched(void* s, uint32_t i) { ((listener*)s)->touched += 1, ((listener*)s)->last = i; }
static inline void listen_sleep(void* s, uint32_t i) { (void)s, (void)i; }
static inline bool listen_awake(const void* s, uint32_t i) { return (void)s, (void)i, true; }
/* Forces alone, by one step of Euler. */
static inline kin_status listen_advance(void* s, kin_step* step)
{
    listener* l = s;
    kin_bodies* b = &l->group->bodies;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->motion[i] != KIN_BODY_FREE) continue;
        b->start[i] = kin_body_pose(&b->body[i]);
        b->body[i].velocity = kin_add_scaled(b->body[i].velocity, step->h * b->body[i].inv_mass, b->force[i]);
        b->body[i].position = kin_add_scaled(b->body[i].position, step->h, b->body[i].velocity);
        b->end[i] = kin_body_pose(&b->body[i]);
    }
    l->advanced += 1;
    return KIN_STATUS_OK;
}
static inline void listen_load(const void* s, uint32_t i, kin_vec3* f, kin_vec3* q) { (void)s, (void)i, *f = *q = kin_v(0, 0, 0); }
static inline void listen_measure(const void* s, kin_budget* sum) { (void)s, (void)sum; }
static inline void listen_visit(void* s, kin_visitor* v) { (void)s, (void)v; }
static inline size_t listen_bytes(const void* s) { return (void)s, 0; }

static const kin_group_ops listen_ops = {.name = "listener",
                                         .create = listen_create,
                                         .destroy = listen_destroy,
                                         .body_added = listen_body,
                                         .body_removed = listen_body_gone,
                                         .joint_added = listen_joint,
                                         .joint_removed = listen_joint_gone,
                                         .touched = listen_touched,
                                         .sleep = listen_sleep,
                                         .is_awake = listen_awake,
                                         .advance = listen_advance,
                                         .joint_load = listen_load,
                                         .measure = listen_measure,
                                         .visit = listen_visit,
                                         .bytes = listen_bytes};
