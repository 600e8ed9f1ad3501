/* bodies_test.c - the store of bodies: growing, forms that are kept and dropped, keyed paths, state in another order, memory that runs out. */
#include "base/alloc.h"
#include "unit/contact/lab.h"

static void save(kin_bodies* b, kin_visitor* v, const kin_allocator* allocator)
{
    *v = (kin_visitor){.mode = KIN_VISIT_SAVE, .allocator = *allocator};
    kin_bodies_visit(b, v);
}
static kin_result load(kin_bodies* b, const kin_visitor* from)
{
    kin_visitor v = {.mode = KIN_VISIT_LOAD, .allocator = from->allocator, .data = from->data, .size = from->size};
    kin_bodies_visit(b, &v);
    return v.result;
}
static void drop(kin_visitor* v) { kin_free(&v->allocator, v->data, v->capacity); }

static uint32_t add(test* t, kin_bodies* b, uint32_t element, double x, kin_form* form)
{
    kin_body body = lab_body(kin_v(x, 0, 0));
    kin_body_skin skin = {.form = form, .owner = {1, element, {0, 0, 0}}, .solid = UINT32_MAX, .place = {{0, 0, 0}, {0, 0, 0, 1}}};
    uint32_t index = UINT32_MAX;
    CHECK(t, kin_bodies_add(b, &body, &skin, KIN_BODY_FREE, &index));
    return index;
}

static void bodies_are_numbered_in_order_and_start_still(test* t)
{
    kin_bodies b;
    kin_bodies_init(&b, &t->allocator);
    for (uint32_t i = 0; i < 100; ++i) EQUAL(t, add(t, &b, i, i, NULL), i);
    for (uint32_t i = 0; i < 100; ++i) {
        NEAR3(t, b.start[i].position, kin_v(i, 0, 0), 0);
        NEAR3(t, b.end[i].position, kin_v(i, 0, 0), 0);
        NEAR3(t, b.push[i], kin_v(0, 0, 0), 0);
    }
    kin_bodies_term(&b);
}

/* The test's allocator would tell of a form that stays. */
static void forms_live_as_long_as_their_bodies(test* t)
{
    lab l;
    kin_bodies b;
    lab_begin(t, &l);
    kin_bodies_init(&b, &t->allocator);
    kin_form* form = lab_form(t, &l);
    add(t, &b, 0, 0, form), add(t, &b, 1, 1, form);
    kin_form_drop(form); /* ours */
    kin_bodies_remove(&b, 0);
    EQUAL(t, b.motion[0], KIN_BODY_GONE);
    CHECK(t, b.skin[0].form == NULL && b.skin[1].form == form);
    EQUAL(t, kin_bodies_removed(&b), 1);
    b.motion[1] = KIN_BODY_GONE; /* inactive, not removed */
    EQUAL(t, kin_bodies_removed(&b), 1);
    kin_bodies_term(&b);
    lab_end(&l);
}

static void a_keyed_path_says_how_fast(test* t)
{
    kin_bodies b;
    kin_bodies_init(&b, &t->allocator);
    add(t, &b, 0, 0, NULL);
    kin_transform start = {{1, 2, 3}, {0, 0, 0, 1}}, end = {{1, 2.5, 3}, kin_quat_axis_angle(kin_v(0, 0, 1), 0.2)};
    kin_bodies_set_path(&b, 0, start, end, 0.1);
    NEAR3(t, b.body[0].velocity, kin_v(0, 5, 0), 1e-13);
    NEAR3(t, b.body[0].spin, kin_v(0, 0, 2), 1e-12);
    NEAR3(t, b.body[0].position, start.position, 0);
    kin_bodies_set_path(&b, 0, start, end, 0); /* no interval, no speed */
    NEAR3(t, b.body[0].velocity, kin_v(0, 0, 0), 0);
    NEAR3(t, b.body[0].spin, kin_v(0, 0, 0), 0);
    kin_bodies_term(&b);
}

/* Elements 0, 1, 2 stored as 2, 0, 1. */
static void state_is_loaded_into_the_stored_order(test* t)
{
    kin_bodies a, b;
    kin_visitor v;
    kin_bodies_init(&a, &t->allocator), kin_bodies_init(&b, &t->allocator);
    add(t, &a, 2, 20, NULL), add(t, &a, 0, 30, NULL), add(t, &a, 1, 40, NULL);
    a.push[1] = kin_v(7, 8, 9);
    a.motion[2] = KIN_BODY_KEYED;
    for (uint32_t i = 0; i < 3; ++i) add(t, &b, i, i, NULL);
    save(&a, &v, &t->allocator);
    EQUAL(t, load(&b, &v), KIN_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        EQUAL(t, b.skin[i].owner.element, a.skin[i].owner.element);
        NEAR3(t, b.body[i].position, a.body[i].position, 0);
        EQUAL(t, b.motion[i], a.motion[i]);
        NEAR3(t, b.push[i], a.push[i], 0);
    }
    drop(&v);
    kin_bodies_term(&a), kin_bodies_term(&b);
}

/* Stored as removed: still here, or never made. */
static void what_was_removed_is_removed_by_loading(test* t)
{
    lab l;
    kin_bodies a, b, c;
    kin_visitor v;
    lab_begin(t, &l);
    kin_bodies_init(&a, &t->allocator), kin_bodies_init(&b, &t->allocator), kin_bodies_init(&c, &t->allocator);
    kin_form* form = lab_form(t, &l);
    for (uint32_t i = 0; i < 3; ++i) add(t, &a, i, i, form), add(t, &b, i, i, form);
    add(t, &c, 2, 9, form), add(t, &c, 0, 9, form);
    kin_bodies_remove(&a, 1);
    save(&a, &v, &t->allocator);
    EQUAL(t, load(&b, &v), KIN_OK);
    EQUAL(t, load(&c, &v), KIN_OK);
    EQUAL(t, kin_bodies_removed(&b), 1);
    EQUAL(t, kin_bodies_removed(&c), 1);
    CHECK(t, b.skin[1].form == NULL && b.motion[1] == KIN_BODY_GONE);
    EQUAL(t, c.count, 3);
    NEAR3(t, c.body[2].position, kin_v(2, 0, 0), 0);
    drop(&v);
    kin_form_drop(form);
    kin_bodies_term(&a), kin_bodies_term(&b), kin_bodies_term(&c);
    lab_end(&l);
}

static void other_bodies_are_refused(test* t)
{
    kin_bodies a, b;
    kin_visitor v;
    kin_bodies_init(&a, &t->allocator), kin_bodies_init(&b, &t->allocator);
    add(t, &a, 0, 0, NULL), add(t, &a, 1, 0, NULL);
    add(t, &b, 0, 0, NULL);
    save(&a, &v, &t->allocator);
    EQUAL(t, load(&b, &v), KIN_ERROR_MISMATCH);
    drop(&v);
    kin_bodies_term(&a), kin_bodies_term(&b);
}

static bool add_many(test* t, void* context)
{
    kin_bodies b;
    kin_body body = lab_body(kin_v(0, 0, 0));
    kin_body_skin skin = {.solid = UINT32_MAX};
    bool ok = true;
    (void)context;
    kin_bodies_init(&b, &t->allocator);
    for (uint32_t i = 0, index; i < 40 && ok; ++i) {
        ok = kin_bodies_add(&b, &body, &skin, KIN_BODY_FREE, &index);
        CHECK(t, b.count == i + ok); /* what failed was not added */
    }
    kin_bodies_term(&b);
    return ok;
}
static void memory_may_run_out(test* t) { test_fail_each_allocation(t, add_many, NULL); }

TEST_MAIN("contact_bodies", TEST(bodies_are_numbered_in_order_and_start_still), TEST(forms_live_as_long_as_their_bodies), TEST(a_keyed_path_says_how_fast),
          TEST(state_is_loaded_into_the_stored_order), TEST(what_was_removed_is_removed_by_loading), TEST(other_bodies_are_refused), TEST(memory_may_run_out))
