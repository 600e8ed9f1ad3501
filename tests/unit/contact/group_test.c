/* group_test.c - a contact group with a solver that only listens: members, verbs of anchors before and after the solver, pushes of a step, events, memory. */
#include "base/alloc.h"
#include "unit/contact/lab.h"

typedef struct rig {
    lab lab;
    kin_touch_events events;
    kin_group* group;
} rig;

static void begin(test* t, rig* r)
{
    kin_rigid_def def = {.substeps = 4};
    *r = (rig){.events = {.allocator = t->allocator}};
    lab_begin(t, &r->lab);
    CHECK(t, kin_group_create(&t->allocator, &listen_ops, &def, NULL, &r->events, &r->group, NULL) == KIN_OK);
}
static void end(rig* r)
{
    kin_group_destroy(r->group);
    kin_touch_events_term(&r->events);
    lab_end(&r->lab);
}

static uint32_t add(test* t, rig* r, kin_vec3 position, kin_body_motion motion)
{
    kin_body body = lab_body(position);
    kin_body_skin skin = lab_skin(&r->lab, NULL);
    uint32_t index = UINT32_MAX;
    CHECK(t, kin_group_add_body(r->group, &body, &skin, motion, &index, NULL) == KIN_OK);
    return index;
}

static uint32_t join(test* t, rig* r, uint32_t a, uint32_t b)
{
    kin_joint_def def = {.kind = KIN_JOINT_BALL, .anchor = {0.5, 0, 0}, .axis = {1, 0, 0}};
    uint32_t index = UINT32_MAX;
    CHECK(t, kin_group_add_joint(r->group, &def, a, b, (kin_anchor){1, 7, {0, 0, 0}}, &index, NULL) == KIN_OK);
    return index;
}

/* ---- members ---- */

static void the_solver_hears_of_all(test* t)
{
    rig r;
    begin(t, &r);
    uint32_t a = add(t, &r, kin_v(0, 0, 0), KIN_BODY_FREE), b = add(t, &r, kin_v(1, 0, 0), KIN_BODY_FREE);
    uint32_t joint = join(t, &r, a, b);
    EQUAL(t, lab_listener.added, 2);
    EQUAL(t, lab_listener.joints_added, 1);
    kin_group_set_motion(r.group, b, KIN_BODY_FIXED);
    EQUAL(t, lab_listener.touched, 1);
    EQUAL(t, r.group->bodies.motion[b], KIN_BODY_FIXED);
    kin_group_remove_body(r.group, a); /* its joint goes first */
    EQUAL(t, lab_listener.joints_removed, 1);
    EQUAL(t, lab_listener.removed, 1);
    EQUAL(t, lab_listener.last, a);
    CHECK(t, r.group->joints[joint].broken);
    kin_group_remove_joint(r.group, joint); /* once */
    EQUAL(t, lab_listener.joints_removed, 1);
    end(&r);
}

static void what_the_solver_has_no_room_for_is_not_there(test* t)
{
    rig r;
    begin(t, &r);
    uint32_t a = add(t, &r, kin_v(0, 0, 0), KIN_BODY_FREE), index;
    kin_body body = lab_body(kin_v(0, 0, 0));
    kin_body_skin skin = lab_skin(&r.lab, NULL);
    kin_joint_def def = {.kind = KIN_JOINT_BALL, .axis = {1, 0, 0}};
    lab_listener.full = true;
    CHECK(t, kin_group_add_body(r.group, &body, &skin, KIN_BODY_FREE, &index, NULL) == KIN_ERROR_MEMORY);
    EQUAL(t, r.group->bodies.count, 1);
    CHECK(t, kin_group_add_joint(r.group, &def, a, KIN_NO_BODY, (kin_anchor){0}, &index, NULL) == KIN_ERROR_MEMORY);
    EQUAL(t, r.group->joint_count, 0);
    end(&r);
}

/* ---- verbs ---- */

/* Before the solver: v t + 1/2 a t^2 and a turn; after it: from where it was to where it is. */
static void motion_is_a_guess_and_then_the_path(test* t)
{
    rig r;
    begin(t, &r);
    uint32_t a = add(t, &r, kin_v(0, 0, 0), KIN_BODY_FREE);
    r.group->bodies.body[a].velocity = kin_v(1, 0, 0);
    r.group->bodies.body[a].spin = kin_v(0, 0, 2);
    kin_group_predict(r.group, &r.lab.step);
    kin_motion m = kin_group_motion(r.group, a, kin_v(0, 0, 0), 1);
    NEAR3(t, m.pose.position, kin_v(0.1, -0.05, 0), 1e-14);
    NEAR3(t, m.velocity, kin_v(1, -1, 0), 1e-14);
    m = kin_group_motion(r.group, a, kin_v(1, 0, 0), 0);
    NEAR3(t, m.velocity, kin_v(1, 2, 0), 1e-14); /* w x r */
    NEAR3(t, m.spin, kin_v(0, 0, 2), 0);
    CHECK(t, kin_group_advance(r.group, &r.lab.step) == KIN_STATUS_OK);
    m = kin_group_motion(r.group, a, kin_v(0, 0, 0), 0.5); /* the listener's Euler: down by 0.1 */
    NEAR3(t, m.pose.position, kin_v(0.05, -0.05, 0), 1e-14);
    NEAR3(t, m.velocity, kin_v(1, -1, 0), 1e-14);
    end(&r);
}

static void a_push_is_what_respond_says(test* t)
{
    rig r;
    begin(t, &r);
    uint32_t a = add(t, &r, kin_v(3, 0, 0), KIN_BODY_FREE), fixed = add(t, &r, kin_v(0, 0, 0), KIN_BODY_FIXED);
    kin_wrench w = {{2, 0, 4}, {0, 1, 0}};
    kin_vec3 local = {0, 1, 0};
    kin_twist twist = kin_group_respond(r.group, a, local, w);
    NEAR3(t, r.group->bodies.body[a].velocity, kin_v(0, 0, 0), 0); /* only asked */
    kin_group_push(r.group, a, local, w);
    const kin_body* b = &r.group->bodies.body[a];
    NEAR3(t, b->velocity, kin_v(1, 0, 2), 1e-14);
    NEAR3(t, b->spin, kin_v(4, 0.5, -0.5), 1e-14); /* (r x P + L) / I = (4, 1, -2) / (1, 2, 4) */
    NEAR3(t, twist.spin, b->spin, 1e-14);
    NEAR3(t, twist.velocity, kin_body_velocity_at(b, kin_v(3, 1, 0)), 1e-14);
    EQUAL(t, lab_listener.touched, 1);
    kin_group_push(r.group, fixed, local, w);
    NEAR3(t, r.group->bodies.body[fixed].velocity, kin_v(0, 0, 0), 0);
    NEAR3(t, kin_group_respond(r.group, fixed, local, w).velocity, kin_v(0, 0, 0), 0);
    EQUAL(t, lab_listener.touched, 1);
    end(&r);
}

/* ---- the step ---- */

/* Forces put on from outside last for a step, however it is cut; keyed bodies end where their path ends. */
static void pushes_last_a_step_and_keys_arrive(test* t)
{
    rig r;
    begin(t, &r);
    uint32_t a = add(t, &r, kin_v(0, 0, 0), KIN_BODY_FREE), keyed = add(t, &r, kin_v(0, 0, 0), KIN_BODY_KEYED);
    kin_transform from = {{0, 0, 0}, {0, 0, 0, 1}}, to = {{0, 1, 0}, {0, 0, 0, 1}};
    r.group->bodies.push[a] = kin_v(4, 20, 0);
    r.lab.step.intervals = 2;
    for (int i = 0; i < 2; ++i) {
        r.lab.step.interval = i;
        kin_bodies_set_path(&r.group->bodies, keyed, from, to, r.lab.step.h);
        kin_group_predict(r.group, &r.lab.step);
        CHECK(t, kin_group_advance(r.group, &r.lab.step) == KIN_STATUS_OK);
        NEAR3(t, r.group->bodies.push[a], i == 0 ? kin_v(4, 20, 0) : kin_v(0, 0, 0), 0);
    }
    NEAR3(t, r.group->bodies.body[a].velocity, kin_v(0.4, 0, 0), 1e-14); /* 4 N on 2 kg for 0.2 s, weight held */
    NEAR3(t, r.group->bodies.body[keyed].position, to.position, 0);
    end(&r);
}

/* ---- events ---- */

static void a_joint_that_breaks_is_told_once(test* t)
{
    rig r;
    begin(t, &r);
    uint32_t a = add(t, &r, kin_v(0, 0, 0), KIN_BODY_FREE), joint = join(t, &r, a, KIN_NO_BODY);
    kin_group_predict(r.group, &r.lab.step);
    kin_group_break_joint(r.group, joint, 30);
    EQUAL(t, r.events.count, 1);
    const kin_touch_event* e = &r.events.items[0];
    EQUAL(t, e->kind, KIN_JOINT_BROKE);
    EQUAL(t, e->index, 7);
    EQUAL(t, e->a.system, 1);
    NEAR3(t, e->point, kin_v(0.5, 0, 0), 1e-14);
    NEAR(t, e->impulse, 3, 1e-14);
    CHECK(t, r.group->joints[joint].broken);
    end(&r);
}

static void an_event_that_finds_no_room_is_lost_and_said_so(test* t)
{
    rig r;
    begin(t, &r);
    t->fail_after = (int64_t)t->allocations;
    kin_group_event(r.group, &(kin_touch_event){.kind = KIN_TOUCH_BEGIN});
    t->fail_after = -1;
    EQUAL(t, r.events.count, 0);
    CHECK(t, r.events.lost);
    end(&r);
}

/* ---- state ---- */

static void joints_and_bodies_are_state(test* t)
{
    rig r;
    begin(t, &r);
    uint32_t a = add(t, &r, kin_v(0, 0, 0), KIN_BODY_FREE), joint = join(t, &r, a, KIN_NO_BODY);
    kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    r.group->joints[joint].def.freedom[1] = (kin_joint_freedom){.motor = true, .speed = 3, .low = -1};
    kin_group_visit(r.group, &save);
    r.group->joints[joint].def.freedom[1] = (kin_joint_freedom){0};
    r.group->bodies.body[a].velocity = kin_v(9, 9, 9);
    kin_group_remove_joint(r.group, joint);
    kin_visitor load = {.mode = KIN_VISIT_LOAD, .allocator = t->allocator, .data = save.data, .size = save.size};
    kin_group_visit(r.group, &load);
    EQUAL(t, load.result, KIN_OK);
    EQUAL(t, load.position, load.size);
    const kin_joint* j = &r.group->joints[joint];
    CHECK(t, !j->broken && j->def.freedom[1].motor && !j->def.freedom[1].limited && j->def.freedom[1].speed == 3 && j->def.freedom[1].low == -1);
    NEAR3(t, r.group->bodies.body[a].velocity, kin_v(0, 0, 0), 0);
    join(t, &r, a, KIN_NO_BODY);
    load.position = 0;
    kin_group_visit(r.group, &load);
    EQUAL(t, load.result, KIN_ERROR_MISMATCH);
    kin_free(&t->allocator, save.data, save.capacity);
    end(&r);
}

static bool make_some(test* t, void* context)
{
    kin_touch_events events = {.allocator = t->allocator};
    kin_rigid_def def = {.substeps = 4};
    kin_group* group = NULL;
    kin_body body = lab_body(kin_v(0, 0, 0));
    kin_body_skin skin = {.solid = UINT32_MAX};
    kin_joint_def joint = {.kind = KIN_JOINT_BALL, .axis = {1, 0, 0}};
    uint32_t index;
    (void)context;
    kin_result result = kin_group_create(&t->allocator, &listen_ops, &def, NULL, &events, &group, NULL);
    for (uint32_t i = 0; i < 20 && result == KIN_OK; ++i) {
        result = kin_group_add_body(group, &body, &skin, KIN_BODY_FREE, &index, NULL);
        if (result == KIN_OK) result = kin_group_add_joint(group, &joint, i, KIN_NO_BODY, (kin_anchor){0}, &index, NULL);
    }
    kin_group_destroy(group);
    return result == KIN_OK;
}
static void memory_may_run_out(test* t) { test_fail_each_allocation(t, make_some, NULL); }

TEST_MAIN("contact_group", TEST(the_solver_hears_of_all), TEST(what_the_solver_has_no_room_for_is_not_there), TEST(motion_is_a_guess_and_then_the_path),
          TEST(a_push_is_what_respond_says), TEST(pushes_last_a_step_and_keys_arrive), TEST(a_joint_that_breaks_is_told_once),
          TEST(an_event_that_finds_no_room_is_lost_and_said_so), TEST(joints_and_bodies_are_state), TEST(memory_may_run_out))
