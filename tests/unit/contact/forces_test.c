/* forces_test.c - what acts on bodies from outside: weight, drag, fields, pushes; at a time, and as one force for an interval. */
#include "math/scalar.h"
#include "system/field_kinds.h"
#include "unit/contact/lab.h"

typedef struct bench {
    lab lab;
    kin_bodies bodies;
} bench;

static void begin(test* t, bench* b)
{
    lab_begin(t, &b->lab);
    kin_bodies_init(&b->bodies, &b->lab.allocator);
}
static void end(bench* b)
{
    kin_bodies_term(&b->bodies);
    lab_end(&b->lab);
}

static uint32_t add(test* t, bench* b, kin_body body, kin_body_skin skin, kin_body_motion motion)
{
    uint32_t index = UINT32_MAX;
    CHECK(t, kin_bodies_add(&b->bodies, &body, &skin, motion, &index));
    return index;
}

static void weight_counts_by_its_scale(test* t)
{
    bench b;
    begin(t, &b);
    kin_body_skin light = lab_skin(&b.lab, NULL), up = light;
    light.gravity_scale = 0.25, up.gravity_scale = -1;
    add(t, &b, lab_body(kin_v(0, 0, 0)), lab_skin(&b.lab, NULL), KIN_BODY_FREE);
    add(t, &b, lab_body(kin_v(0, 3, 0)), light, KIN_BODY_FREE);
    add(t, &b, lab_body(kin_v(0, 3, 0)), up, KIN_BODY_FREE);
    kin_bodies_forces(&b.bodies, &b.lab.step, 0);
    NEAR3(t, b.bodies.force[0], kin_v(0, -20, 0), 1e-14);
    NEAR3(t, b.bodies.force[1], kin_v(0, -5, 0), 1e-14);
    NEAR3(t, b.bodies.force[2], kin_v(0, 20, 0), 1e-14);
    NEAR(t, kin_bodies_potential(&b.bodies, 0, &b.lab.fields, 0), 0, 1e-14);
    NEAR(t, kin_bodies_potential(&b.bodies, 1, &b.lab.fields, 0), 0.25 * 60, 1e-13); /* m g y, its share */
    NEAR(t, kin_bodies_potential(&b.bodies, 2, &b.lab.fields, 0), -60, 1e-13);
    end(&b);
}

static void only_free_bodies_are_acted_on(test* t)
{
    bench b;
    begin(t, &b);
    for (int motion = KIN_BODY_GONE; motion <= KIN_BODY_FREE; ++motion) add(t, &b, lab_body(kin_v(0, 0, 0)), lab_skin(&b.lab, NULL), (kin_body_motion)motion);
    kin_bodies_forces(&b.bodies, &b.lab.step, 0);
    for (uint32_t i = 0; i < 3; ++i) NEAR3(t, b.bodies.force[i], kin_v(0, 0, 0), 0);
    NEAR3(t, b.bodies.force[3], kin_v(0, -20, 0), 1e-14);
    end(&b);
}

/* d v, and 1/2 rho A v^2, both against the wind. */
static void drag_is_against_the_way_through_the_air(test* t)
{
    bench b;
    begin(t, &b);
    b.lab.fields.gravity = kin_v(0, 0, 0);
    kin_wind_field wind;
    kin_field_default("wind", &wind);
    wind.wind = kin_v(1, 0, 0);
    uint32_t field;
    CHECK(t, kin_fields_add(&b.lab.fields, &kin_field_wind_ops, &wind, &field, NULL) == KIN_OK);
    kin_body body = lab_body(kin_v(0, 0, 0));
    body.velocity = kin_v(4, 0, 0);
    body.spin = kin_v(2, 0, -1);
    kin_body_skin linear = lab_skin(&b.lab, NULL), square = lab_skin(&b.lab, NULL);
    linear.drag = 0.5, linear.angular_drag = 0.1;
    square.drag_area = 0.3;
    add(t, &b, body, linear, KIN_BODY_FREE);
    add(t, &b, body, square, KIN_BODY_FREE);
    kin_bodies_forces(&b.bodies, &b.lab.step, 0);
    NEAR3(t, b.bodies.force[0], kin_v(-1.5, 0, 0), 1e-14);
    NEAR3(t, b.bodies.torque[0], kin_v(-0.2, 0, 0.1), 1e-14);
    NEAR3(t, b.bodies.force[1], kin_v(-0.5 * 1.2 * 0.3 * 9, 0, 0), 1e-13);
    NEAR3(t, b.bodies.torque[1], kin_v(0, 0, 0), 0);
    end(&b);
}

/* However strong, drag over an interval brings a body to rest in it at the most. */
static void mean_drag_takes_no_more_than_there_is(test* t)
{
    bench b;
    begin(t, &b);
    b.lab.fields.gravity = kin_v(0, 0, 0);
    kin_body body = lab_body(kin_v(0, 0, 0));
    body.velocity = kin_v(3, -1, 2);
    body.spin = kin_v(1, 2, 3);
    kin_body_skin thick = lab_skin(&b.lab, NULL);
    thick.drag = thick.angular_drag = 1e9;
    add(t, &b, body, thick, KIN_BODY_FREE);
    kin_bodies_mean_forces(&b.bodies, NULL, b.bodies.count, &b.lab.step, 4);
    NEAR3(t, kin_scale(b.bodies.force[0], b.lab.step.h), kin_v(-6, 2, -4), 1e-12);    /* -m v */
    NEAR3(t, kin_scale(b.bodies.torque[0], b.lab.step.h), kin_v(-1, -4, -12), 1e-12); /* -I w */
    kin_bodies_forces(&b.bodies, &b.lab.step, 0);
    NEAR(t, b.bodies.force[0].x, -3e9, 1);
    end(&b);
}

static void pushes_add(test* t)
{
    bench b;
    begin(t, &b);
    add(t, &b, lab_body(kin_v(0, 0, 0)), lab_skin(&b.lab, NULL), KIN_BODY_FREE);
    b.bodies.push[0] = kin_v(1, 2, 3), b.bodies.twist[0] = kin_v(4, 5, 6);
    kin_bodies_forces(&b.bodies, &b.lab.step, 0);
    NEAR3(t, b.bodies.force[0], kin_v(1, -18, 3), 1e-14);
    NEAR3(t, b.bodies.torque[0], kin_v(4, 5, 6), 0);
    end(&b);
}

/* Bodies are more than a batch; each feels the field where it is: a pull of r^-2 at distances of 1, 2, 3, ... */
static void fields_act_where_bodies_are(test* t)
{
    enum { COUNT = 150 };
    bench b;
    begin(t, &b);
    b.lab.fields.gravity = kin_v(0, 0, 0);
    kin_attractor_field sun;
    kin_field_default("attractor", &sun);
    sun.attractor = 5;
    uint32_t field;
    CHECK(t, kin_fields_add(&b.lab.fields, &kin_field_attractor_ops, &sun, &field, NULL) == KIN_OK);
    for (int i = 0; i < COUNT; ++i) {
        kin_body body = lab_body(kin_v(0, 1 + i, 0));
        body.velocity = kin_v(0, 8, 0);
        add(t, &b, body, lab_skin(&b.lab, NULL), i % 3 == 2 ? KIN_BODY_FIXED : KIN_BODY_FREE);
    }
    kin_bodies_forces(&b.bodies, &b.lab.step, 0);
    for (int i = 0; i < COUNT; ++i) NEAR3(t, b.bodies.force[i], kin_v(0, i % 3 == 2 ? 0 : -10.0 / kin_square(1 + i), 0), 1e-13);
    kin_bodies_mean_forces(&b.bodies, NULL, b.bodies.count, &b.lab.step, 4); /* 8 m/s for 3/8 of 0.1 s */
    NEAR3(t, b.bodies.force[0], kin_v(0, -10 / kin_square(1.3), 0), 1e-13);
    kin_bodies_calm(&b.bodies, 0), kin_bodies_calm(&b.bodies, 1);
    kin_bodies_mean_forces(&b.bodies, (uint32_t[]){1}, 1, &b.lab.step, 4); /* only the one that is named */
    NEAR3(t, b.bodies.force[0], kin_v(0, 0, 0), 0);
    NEAR3(t, b.bodies.force[1], kin_v(0, -10 / kin_square(2.3), 0), 1e-13);
    end(&b);
}

TEST_MAIN("contact_forces", TEST(weight_counts_by_its_scale), TEST(only_free_bodies_are_acted_on), TEST(drag_is_against_the_way_through_the_air),
          TEST(mean_drag_takes_no_more_than_there_is), TEST(pushes_add), TEST(fields_act_where_bodies_are))
