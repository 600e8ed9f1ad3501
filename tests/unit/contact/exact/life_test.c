/* life_test.c - what lasts: touch events, sensors, filters, one-way things, sleep of piles and partial waking, keyed bodies, shapes that are not convex, forces
 * that diverge, memory that is out (C1.4.4, C4.14 Ex4, I14.3.3, N2). */
#include "unit/contact/exact/rig.h"

static int count_events(const rig* r, kin_touch_event_kind kind)
{
    int n = 0;
    for (size_t i = 0; i < r->events.count; ++i) n += r->events.items[i].kind == kind;
    return n;
}

static void touches_begin_and_end(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.5, 0.5);
    rig_floor(&r, m);
    uint32_t box = rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(0, 0.51, 0), kin_quat_identity());
    int begun = 0, ended = 0;
    for (int i = 0; i < 20; ++i) {
        rig_step(&r, 1.0 / 60);
        begun += count_events(&r, KIN_TOUCH_BEGIN), ended += count_events(&r, KIN_TOUCH_END);
    }
    EQUAL(t, begun, 1);
    EQUAL(t, ended, 0);
    rig_body(&r, box)->velocity = kin_v(0, 2, 0);
    rig_step(&r, 1.0 / 60);
    EQUAL(t, count_events(&r, KIN_TOUCH_END), 1);
    rig_end(&r);
}

static void sensor_tells_and_pushes_nothing(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0, 0);
    uint32_t gate = rig_box(&r, m, 0, kin_v(1, 0.5, 1), kin_v(0, 0, 0), kin_quat_identity());
    r.group->bodies.skin[gate].sensor = true;
    uint32_t ball = rig_ball(&r, m, 1, 0.1, kin_v(0, 1, 0));
    int enter = 0, leave = 0;
    for (int i = 0; i < 60; ++i) {
        rig_step(&r, 1.0 / 60);
        enter += count_events(&r, KIN_TOUCH_ENTER), leave += count_events(&r, KIN_TOUCH_LEAVE);
    }
    EQUAL(t, enter, 1);
    EQUAL(t, leave, 1);
    NEAR(t, rig_body(&r, ball)->position.y, 1 - 5, 1e-9);
    rig_end(&r);
}

static bool refuse_all(void* context, kin_touch_pair* pair)
{
    *(int*)context += 1;
    pair->restitution = 1;
    return pair->friction > 0.5;
}

static void filter_refuses(test* t)
{
    for (int slippery = 0; slippery < 2; ++slippery) {
        rig r;
        int asked = 0;
        rig_begin(&r, t, rig_def());
        kin_material_id m = rig_material(&r, 0, 0.9, slippery ? 0.1 : 0.9);
        r.group->filter = refuse_all;
        r.group->filter_context = &asked;
        rig_floor(&r, m);
        uint32_t ball = rig_ball(&r, m, 1, 0.5, kin_v(0, 1.5, 0));
        rig_steps(&r, 60, 1.0 / 60);
        CHECK(t, asked > 0);
        if (slippery)
            NEAR(t, rig_body(&r, ball)->position.y, 1.5 - 5, 1e-6);
        else
            CHECK(t, rig_body(&r, ball)->position.y > 0.5); /* it bounces for ever */
        rig_end(&r);
    }
}

/* A plate that is solid from above only. */
static void one_way_plate(test* t)
{
    for (int up = 0; up < 2; ++up) {
        rig r;
        rig_begin(&r, t, rig_def());
        kin_material_id m = rig_material(&r, 0, 0.5, 0.5);
        uint32_t plate = rig_box(&r, m, 0, kin_v(4, 0.1, 4), kin_v(0, 0, 0), kin_quat_identity());
        r.group->bodies.skin[plate].one_way = kin_v(0, 1, 0);
        uint32_t ball = rig_ball(&r, m, 1, 0.2, kin_v(0, up ? -1 : 1, 0));
        if (up) rig_body(&r, ball)->velocity = kin_v(0, 7, 0);
        rig_steps(&r, up ? 30 : 90, 1.0 / 60);
        if (up)
            NEAR(t, rig_body(&r, ball)->position.y, -1 + 3.5 - 1.25, 1e-6); /* through */
        else
            NEAR(t, rig_body(&r, ball)->position.y, 0.25, 1e-5); /* on it */
        rig_end(&r);
    }
}

/* ---- sleep ---- */

static void pile_sleeps_and_costs_nothing(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.sleep = true;
    rig_begin(&r, t, def);
    kin_material_id m = rig_material(&r, 0, 0.6, 0.5);
    rig_floor(&r, m);
    uint32_t a = rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(0, 0.5, 0), kin_quat_identity());
    uint32_t b = rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(0, 1.5, 0), kin_quat_identity());
    rig_steps(&r, 60, 1.0 / 60);
    CHECK(t, !kin_exact_ops.is_awake(r.group->solver, a) && !kin_exact_ops.is_awake(r.group->solver, b));
    uint64_t before = t->allocations;
    rig_step(&r, 1.0 / 60);
    EQUAL(t, t->allocations, before);
    EQUAL(t, rig_solver(&r)->report.ticks, 0);
    kin_group_push(r.group, b, kin_v(0, 0, 0), (kin_wrench){{3, 0, 0}, {0, 0, 0}});
    CHECK(t, kin_exact_ops.is_awake(r.group->solver, b));
    rig_steps(&r, 10, 1.0 / 60);
    CHECK(t, rig_body(&r, b)->position.x > 0.05);
    rig_end(&r);
}

/* Ex4: a light ball dropped on one end of a long sleeping row wakes that end only; a heavy one wakes more. */
static int awake_after_a_hit(test* t, double mass)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.sleep = true;
    rig_begin(&r, t, def);
    kin_material_id m = rig_material(&r, 0, 0.6, 0.5);
    rig_floor(&r, m);
    for (int i = 0; i < 8; ++i) rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(i, 0.5, 0), kin_quat_identity());
    for (uint32_t i = 1; i <= 8; ++i) rig_solver(&r)->body[i].asleep = true;
    for (uint32_t i = 1; i < 8; ++i) kin_exact_remember(r.group->solver, i, i + 1)->flags = KIN_EXACT_TOUCHING;
    uint32_t ball = rig_ball(&r, m, mass, 0.3, kin_v(-1, 0.5, 0));
    r.group->bodies.skin[ball].gravity_scale = 0;
    rig_body(&r, ball)->velocity = kin_v(4, 0, 0);
    rig_steps(&r, 3, 1.0 / 60);
    int awake = 0;
    for (uint32_t i = 1; i <= 8; ++i) awake += kin_exact_ops.is_awake(r.group->solver, i);
    rig_end(&r);
    return awake;
}

static void hits_wake_what_they_can_move(test* t)
{
    int light = awake_after_a_hit(t, 0.005), heavy = awake_after_a_hit(t, 1);
    CHECK(t, light >= 1 && light < 8);
    EQUAL(t, heavy, 8);
}

/* ---- keyed bodies ---- */

static void lift_carries_a_box(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.6, 0.5);
    uint32_t lift = rig_box(&r, m, 0, kin_v(4, 0.2, 4), kin_v(0, -0.1, 0), kin_quat_identity());
    uint32_t box = rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(0, 0.5, 0), kin_quat_identity());
    r.group->bodies.motion[lift] = KIN_BODY_KEYED;
    for (int i = 0; i < 60; ++i) {
        kin_transform from = {{0, -0.1 + i / 60.0, 0}, {0, 0, 0, 1}}, to = {{0, -0.1 + (i + 1) / 60.0, 0}, {0, 0, 0, 1}};
        kin_bodies_set_path(&r.group->bodies, lift, from, to, 1.0 / 60);
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
    }
    NEAR(t, rig_body(&r, box)->position.y, 1.5, 1e-4);
    NEAR(t, rig_body(&r, box)->velocity.y, 1, 1e-6);
    rig_end(&r);
}

/* C1.4.1b: a ceiling comes down on a box and leaves it no room: told, and finite. */
static void script_that_blocks_is_told(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.3, 0.3);
    rig_floor(&r, m);
    uint32_t press = rig_box(&r, m, 0, kin_v(4, 0.2, 4), kin_v(0, 1.2, 0), kin_quat_identity());
    uint32_t box = rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(0, 0.5, 0), kin_quat_identity());
    r.group->bodies.motion[press] = KIN_BODY_KEYED;
    int warned = 0;
    for (int i = 0; i < 12; ++i) {
        kin_transform from = {{0, 1.2 - 0.02 * i, 0}, {0, 0, 0, 1}}, to = {{0, 1.2 - 0.02 * (i + 1), 0}, {0, 0, 0, 1}};
        kin_bodies_set_path(&r.group->bodies, press, from, to, 1.0 / 60);
        rig_step(&r, 1.0 / 60);
        warned += r.report.warnings > 0;
        CHECK(t, kin_finite3(rig_body(&r, box)->position) && kin_length(rig_body(&r, box)->velocity) < 100);
    }
    CHECK(t, warned > 0);
    rig_end(&r);
}

/* ---- not convex ---- */

/* Figs 1.4, 1.5: combs. One with teeth of 0.1 at 0.2 falls between the teeth of another: they meet only where the gap is too small. */
static kin_form* comb(rig* r, bool up)
{
    static kin_shape parts[4];
    parts[0] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.1, 0.2}};
    for (int i = 0; i < 3; ++i) parts[1 + i] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.1, 0.4, 0.2}, .offset = {(i - 1) * 0.4, up ? 0.25 : -0.25, 0}};
    return rig_form(r, (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 4});
}

static void combs_mesh(test* t)
{
    for (int shifted = 0; shifted < 2; ++shifted) {
        rig r;
        rig_begin(&r, t, rig_def());
        kin_material_id m = rig_material(&r, 0, 0.3, 0.3);
        rig_add(&r, comb(&r, true), m, 0, kin_v(0, 0, 0), kin_quat_identity());
        uint32_t upper = rig_add(&r, comb(&r, false), m, 1, kin_v(shifted ? 0.2 : 0, 1.5, 0), kin_quat_identity());
        rig_steps(&r, 60, 1.0 / 60);
        double spine = kin_bodies_form_pose(&r.group->bodies, upper).position.y;
        NEAR(t, spine, shifted ? 0.05 + 0.4 + 0.05 : 0.05 + 0.4 + 0.4 + 0.05, 1e-4);
        rig_end(&r);
    }
}

/* Closed meshes against each other go by halving (C1.4.4): a cube of triangles falls on one and stays. */
static void meshes_meet(test* t)
{
    static const kin_vec3 corners[8] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0.5, 0.5, -0.5}, {-0.5, 0.5, -0.5},
                                        {-0.5, -0.5, 0.5},  {0.5, -0.5, 0.5},  {0.5, 0.5, 0.5},  {-0.5, 0.5, 0.5}};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                          {3, 6, 2}, {3, 7, 6}, {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}};
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.5, 0.5);
    kin_shape shape = {.kind = KIN_SHAPE_MESH, .mesh = {.vertices = corners, .vertex_count = 8, .corners = faces[0], .face_count = 12}};
    rig_add(&r, rig_form(&r, shape), m, 0, kin_v(0, 0, 0), kin_quat_identity());
    uint32_t cube = rig_add(&r, rig_form(&r, shape), m, 1, kin_v(0.1, 1.3, 0.05), kin_quat_identity());
    rig_steps(&r, 40, 1.0 / 60);
    NEAR(t, rig_body(&r, cube)->position.y, 1, 1e-3);
    rig_end(&r);
}

/* X1.3: a cube of triangles thrown, turning, at a plate of triangles: in as many parts as its speed and shape ask for, and not through. */
static void thrown_mesh_is_caught(test* t)
{
    static const kin_vec3 corners[8] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0.5, 0.5, -0.5}, {-0.5, 0.5, -0.5},
                                        {-0.5, -0.5, 0.5},  {0.5, -0.5, 0.5},  {0.5, 0.5, 0.5},  {-0.5, 0.5, 0.5}};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                          {3, 6, 2}, {3, 7, 6}, {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}};
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 0.5, 0, 0);
    kin_shape shape = {.kind = KIN_SHAPE_MESH, .mesh = {.vertices = corners, .vertex_count = 8, .corners = faces[0], .face_count = 12}};
    shape.scale = kin_v(0.5, 8, 8);
    rig_add(&r, rig_form(&r, shape), m, 0, kin_v(3, 0, 0), kin_quat_identity());
    shape.scale = kin_v(1, 1, 1);
    uint32_t cube = rig_add(&r, rig_form(&r, shape), m, 1, kin_v(0, 0, 0), kin_quat_identity());
    rig_body(&r, cube)->velocity = kin_v(60, 0, 0);
    rig_body(&r, cube)->spin = kin_v(1, 2, 3);
    rig_steps(&r, 4, 1.0 / 60);
    CHECK(t, rig_body(&r, cube)->position.x < 2.5 && rig_body(&r, cube)->velocity.x < 0);
    rig_end(&r);
}

/* ---- forces that diverge ---- */

/* N2: the Painleve rod: tan = 2, mu > 4/3, sliding: contact forces have no finite answer; an impulse stops the slip. Finite, and it goes on. */
static void painleve_rod(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 2, 2);
    rig_floor(&r, m);
    double angle = kin_atan2(2, 1);
    kin_quat q = kin_quat_axis_angle(kin_v(0, 0, 1), angle);
    kin_vec3 lower = kin_rotate(q, kin_v(-1, 0, 0));
    kin_form* rod = rig_form(&r, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 1e-3, .length = 2});
    kin_quat along = kin_quat_mul(q, kin_quat_axis_angle(kin_v(0, 0, 1), -1.57079632679489662));
    uint32_t body = rig_add(&r, rod, m, 1, kin_v(0, -lower.y + 1e-3, 0), along);
    rig_body(&r, body)->velocity = kin_v(-3, 0, 0); /* the lower end leads: it digs in */
    for (int i = 0; i < 30; ++i) {
        EQUAL(t, rig_step(&r, 1.0 / 240), KIN_STATUS_OK);
        CHECK(t, kin_finite3(rig_body(&r, body)->velocity) && kin_length(rig_body(&r, body)->velocity) < 10);
    }
    CHECK(t, rig_solver(&r)->report.jams > 0);
    CHECK(t, rig_solver(&r)->report.dissipated > 0.1);
    rig_end(&r);
}

/* ---- overlaps at the start ---- */

static void crowd_at_one_point_comes_apart(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.forces = 1; /* frictionless */
    rig_begin(&r, t, def);
    kin_material_id m = rig_material(&r, 0, 0, 0);
    rig_floor(&r, m);
    for (int i = 0; i < 6; ++i) rig_ball(&r, m, 1, 0.5, kin_v(0.01 * i, 0.6, 0.003 * i * i));
    for (int i = 0; i < 40; ++i) {
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
        for (uint32_t k = 1; k <= 6; ++k) CHECK(t, kin_finite3(rig_body(&r, k)->position) && kin_length(rig_body(&r, k)->velocity) < 20);
    }
    rig_end(&r);
}

/* R1: two dozen at one point are too many contacts for complementarity: by turns, said so, finite, and they come apart. */
static void crowd_by_turns(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    rig_begin(&r, t, def);
    kin_material_id m = rig_material(&r, 0.2, 0.3, 0.3);
    rig_floor(&r, m);
    for (int i = 0; i < 24; ++i) rig_ball(&r, m, 1, 0.2, kin_v(1e-3 * (i % 7), 0.5 + 1e-3 * (i % 5), 1e-3 * (i % 11)));
    EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
    HAS(t, r.report.note, "by turns");
    rig_steps(&r, 3, 1.0 / 60);
    for (uint32_t k = 1; k <= 24; ++k) {
        CHECK(t, kin_finite3(rig_body(&r, k)->position) && kin_length(rig_body(&r, k)->velocity) < 30);
        CHECK(t, rig_body(&r, k)->position.y > 0.15);
    }
    rig_end(&r);
}

/* R1: 1 : 1e5 in mass, 1e4 rad/s, 1e6 N: finite, nothing lost. */
static void torture(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.2, 0.3, 0.3);
    rig_floor(&r, m);
    rig_box(&r, m, 0.01, kin_v(1, 1, 1), kin_v(0, 0.5, 0), kin_quat_identity());
    rig_box(&r, m, 1000, kin_v(1, 1, 1), kin_v(0, 1.5, 0), kin_quat_identity());
    uint32_t top = rig_box(&r, m, 1, kin_v(0.4, 0.4, 0.4), kin_v(5, 0.5, 0), kin_quat_axis_angle(kin_v(1, 2, 3), 1));
    rig_body(&r, top)->spin = kin_v(1e4, 0, 100);
    uint32_t pressed = rig_ball(&r, m, 1, 0.5, kin_v(-5, 0.5, 0));
    for (int i = 0; i < 5; ++i) {
        r.group->bodies.push[pressed] = kin_v(0, -1e6, 0);
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
        for (uint32_t k = 1; k <= 4; ++k) CHECK(t, kin_finite3(rig_body(&r, k)->position) && rig_body(&r, k)->position.y > 0.1);
    }
    NEAR(t, rig_body(&r, pressed)->position.y, 0.5, 1e-4);
    NEAR(t, rig_body(&r, 2)->position.y, 1.5, 1e-4);
    rig_end(&r);
}

/* ---- memory ---- */

static bool run_with_faults(test* t, void* context)
{
    (void)context;
    rig r;
    memset(&r, 0, sizeof r);
    kin_rigid_def def = rig_def();
    kin_form *plane = NULL, *box = NULL;
    bool ok = false;
    r.t = t;
    r.events.allocator = t->allocator;
    kin_fields_init(&r.fields, &t->allocator, KIN_SIMD_NONE);
    r.fields.gravity = kin_v(0, -10, 0);
    bool materials = kin_materials_init(&r.materials, &t->allocator, KIN_PAIR_MIN, KIN_PAIR_MIN, NULL) == KIN_OK;
    bool jobs = materials && kin_jobs_init(&r.jobs, &t->allocator, NULL, 1, NULL) == KIN_OK;
    kin_shape shapes[2] = {{.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}};
    if (jobs && kin_form_create(&t->allocator, &shapes[0], &plane, NULL) == KIN_OK && kin_form_create(&t->allocator, &shapes[1], &box, NULL) == KIN_OK
        && kin_group_create(&t->allocator, &kin_exact_ops, &def, &r.materials, &r.events, &r.group, NULL) == KIN_OK) {
        kin_body fixed = kin_body_fixed(),
                 free = {
                     .position = {0, 0.501, 0}, .orientation = {0, 0, 0, 1}, .mass = 6, .inv_mass = 1.0 / 6, .moments = {1, 1, 1}, .inv_moments = {1, 1, 1}};
        kin_body_skin skin = {.form = plane, .place = kin_transform_identity(), .solid = UINT32_MAX, .gravity_scale = 1};
        uint32_t i;
        ok = kin_group_add_body(r.group, &fixed, &skin, KIN_BODY_FIXED, &i, NULL) == KIN_OK;
        skin.form = box;
        ok = ok && kin_group_add_body(r.group, &free, &skin, KIN_BODY_FREE, &i, NULL) == KIN_OK;
        for (int k = 0; k < 3 && ok; ++k) ok = rig_step(&r, 1.0 / 60) == KIN_STATUS_OK && !r.events.lost;
        ok = ok && rig_body(&r, 1)->position.y > 0.49;
    }
    kin_group_destroy(r.group);
    kin_form_drop(plane);
    kin_form_drop(box);
    if (jobs) kin_jobs_term(&r.jobs);
    kin_fields_term(&r.fields);
    if (materials) kin_materials_term(&r.materials);
    kin_touch_events_term(&r.events);
    return ok;
}

static void memory_may_be_out_at_any_time(test* t) { test_fail_each_allocation(t, run_with_faults, NULL); }

/* A box of 2 kg lies on its corners, however they share it: lines straight down of 0.5 m in all, as 10 N a kg are. */
static void contacts_can_be_seen(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.show_contacts = true;
    rig_begin(&r, t, def);
    kin_material_id m = rig_material(&r, 0, 0.5, 0.5);
    rig_floor(&r, m);
    rig_box(&r, m, 2, kin_v(1, 1, 1), kin_v(0, 0.5, 0), kin_quat_identity());
    rig_step(&r, 1.0 / 60);
    kin_capture c;
    kin_capture_init(&c, &t->allocator);
    kin_capture_begin(&c, 0, 0, 1, kin_v(0, 0, 0));
    kin_group_capture_contacts(r.group, &c);
    const kin_frame* frame = kin_capture_end(&c);
    EQUAL(t, frame->layer_count, 1);
    size_t count = r.events.contact_count;
    CHECK(t, count >= 2 && count <= 4);
    double sum = 0, length = 0;
    for (size_t i = 0; i < count; ++i) sum += r.events.contacts[i].normal.y * r.events.contacts[i].impulse * 60;
    NEAR(t, sum, 20, 1e-9);
    const float* at = kin_layer_array(&frame->layers[0], "position")->data;
    for (size_t i = 0; i < count; ++i) length += (double)(at[6 * i + 1] - at[6 * i + 4]);
    NEAR(t, length, 0.5, 1e-6); /* floats */
    kin_capture_term(&c);
    rig_end(&r);
}

TEST_MAIN("contact/exact/life", TEST(touches_begin_and_end), TEST(sensor_tells_and_pushes_nothing), TEST(filter_refuses), TEST(one_way_plate),
          TEST(pile_sleeps_and_costs_nothing), TEST(hits_wake_what_they_can_move), TEST(lift_carries_a_box), TEST(script_that_blocks_is_told), TEST(combs_mesh),
          TEST(meshes_meet), TEST(thrown_mesh_is_caught), TEST(painleve_rod), TEST(crowd_at_one_point_comes_apart), TEST(crowd_by_turns), TEST(torture),
          TEST(memory_may_be_out_at_any_time), TEST(contacts_can_be_seen))
