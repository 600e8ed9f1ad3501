/* make_test.c - joints are made from defs: what is refused, by which name; what is mended; and that whatever is taken gives finite rows. */
#include "joint_rig.h"
#include <string.h>

#define NOT_A_NUMBER __builtin_nan("")
#define INFINITE __builtin_inf()

static kin_joint_def plain(kin_joint_kind kind)
{
    joint_rig r = {.key = {.seed = 1}};
    return rig_def(&r, kind);
}

static void refused(test* t, const kin_joint_def* d, uint32_t a, uint32_t b, const char* where)
{
    kin_body body = kin_body_fixed();
    kin_joint j;
    kin_error error = {0};
    CHECK(t, kin_joint_make(d, a, &body, b, &body, &j, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, where);
    CHECK(t, strlen(error.message) > 5);
    CHECK(t, j.broken);                                                              /* nothing half made */
    CHECK(t, kin_joint_make(d, a, &body, b, &body, &j, NULL) == KIN_ERROR_ARGUMENT); /* nobody asks why */
}
static bool taken(const kin_joint_def* d)
{
    kin_body a = kin_body_fixed(), b = kin_body_fixed();
    kin_joint j;
    return kin_joint_make(d, 0, &a, 1, &b, &j, NULL) == KIN_OK;
}

static void bodies_must_differ(test* t)
{
    kin_joint_def d = plain(KIN_JOINT_HINGE);
    refused(t, &d, 3, 3, "b");
    refused(t, &d, KIN_NO_BODY, KIN_NO_BODY, "a");
    d = plain(KIN_JOINT_MOUSE);
    refused(t, &d, KIN_NO_BODY, 1, "a");
    d.kind = KIN_JOINT_KIND_COUNT;
    refused(t, &d, 0, 1, "kind");
    d.kind = (kin_joint_kind)-1;
    refused(t, &d, 0, 1, "kind");
}

static void points_and_axes(test* t)
{
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        kin_joint_def d = plain((kin_joint_kind)kind);
        CHECK(t, taken(&d));
        d.anchor.y = NOT_A_NUMBER;
        refused(t, &d, 0, 1, "anchor");
        d = plain((kin_joint_kind)kind);
        d.break_force = -1;
        refused(t, &d, 0, 1, "break_force");
        d.break_force = 0;
        d.break_torque = NOT_A_NUMBER;
        refused(t, &d, 0, 1, "break_torque");
        d.break_torque = 0;
        d.length = -1;
        refused(t, &d, 0, 1, "length");
    }
    const kin_joint_kind need_axis[] = {KIN_JOINT_HINGE, KIN_JOINT_SLIDER, KIN_JOINT_UNIVERSAL, KIN_JOINT_CYLINDRICAL, KIN_JOINT_WHEEL, KIN_JOINT_GEAR};
    for (int i = 0; i < 6; ++i) {
        kin_joint_def d = plain(need_axis[i]);
        d.axis = kin_v(0, 0, 0);
        refused(t, &d, 0, 1, "axis");
        d.axis = kin_v(0, INFINITE, 0);
        refused(t, &d, 0, 1, "axis");
    }
    kin_joint_def d = plain(KIN_JOINT_BALL);
    d.axis = kin_v(0, 0, 0);
    CHECK(t, taken(&d)); /* without limits it has none */
    d.freedom[1].friction = 1;
    refused(t, &d, 0, 1, "axis");
    d = plain(KIN_JOINT_UNIVERSAL);
    d.axis_b = kin_scale(d.axis, -2);
    refused(t, &d, 0, 1, "axis_b");
    d = plain(KIN_JOINT_WHEEL);
    d.axis_b.x = NOT_A_NUMBER;
    refused(t, &d, 0, 1, "axis_b");
    d = plain(KIN_JOINT_BALL);
    d.has_anchor_b = true;
    refused(t, &d, 0, 1, "anchor_b");
    d = plain(KIN_JOINT_ROPE);
    d.anchor_b.z = INFINITE;
    refused(t, &d, 0, 1, "anchor_b");
    d = plain(KIN_JOINT_MOUSE);
    d.target.z = NOT_A_NUMBER;
    refused(t, &d, 0, 1, "target");
}

static void lengths_and_ratios(test* t)
{
    kin_joint_def d = plain(KIN_JOINT_DISTANCE);
    d.has_anchor_b = false;
    refused(t, &d, 0, 1, "length");
    d.freedom[0].stiffness = 1; /* a spring may be of no length */
    CHECK(t, taken(&d));
    d = plain(KIN_JOINT_ROPE);
    d.has_anchor_b = false;
    refused(t, &d, 0, 1, "length");
    d.length = 1;
    CHECK(t, taken(&d));
    const double bad[] = {0, NOT_A_NUMBER, INFINITE, 1e-320};
    for (int i = 0; i < 4; ++i) {
        d = plain(KIN_JOINT_GEAR);
        d.ratio = bad[i];
        refused(t, &d, 0, 1, "ratio");
        d = plain(KIN_JOINT_PULLEY);
        d.ratio = bad[i];
        refused(t, &d, 0, 1, "ratio");
    }
    d.ratio = -1;
    refused(t, &d, 0, 1, "ratio");
    d = plain(KIN_JOINT_PULLEY);
    d.ground_a = d.anchor;
    refused(t, &d, 0, 1, "ground_a");
    d = plain(KIN_JOINT_PULLEY);
    d.ground_b.x = NOT_A_NUMBER;
    refused(t, &d, 0, 1, "ground_b");
}

static void freedoms(test* t)
{
    const kin_joint_freedom bad[] = {
        {.limited = true, .low = 1, .high = 0.5},
        {.limited = true, .low = NOT_A_NUMBER, .high = 0.5},
        {.limited = true, .low = INFINITE, .high = INFINITE},
        {.limited = true, .low = 0, .high = NOT_A_NUMBER},
        {.motor = true, .speed = NOT_A_NUMBER, .most = 1},
        {.motor = true, .speed = 1},
        {.most = -1},
        {.stiffness = -1},
        {.stiffness = INFINITE},
        {.damping = -1},
        {.stiffness = 1, .rest = NOT_A_NUMBER},
        {.friction = -1},
    };
    const char* names[] = {"low", "low", "low", "high", "speed", "most", "most", "stiffness", "stiffness", "damping", "rest", "friction"};
    for (int which = 0; which < 2; ++which) {
        for (int i = 0; i < 12; ++i) {
            kin_joint_def d = plain(KIN_JOINT_CYLINDRICAL);
            d.freedom[which] = bad[i];
            char where[32] = "freedom[0].";
            where[8] = (char)('0' + which);
            strcat(where, names[i]);
            refused(t, &d, 0, 1, where);
        }
    }
    kin_joint_def d = plain(KIN_JOINT_CYLINDRICAL);
    d.freedom[0] = (kin_joint_freedom){.limited = true, .low = -INFINITE, .high = INFINITE, .motor = true, .most = INFINITE};
    CHECK(t, taken(&d));
}

static void kinds_without_freedoms_say_so(test* t)
{
    const kin_joint_kind none[] = {KIN_JOINT_FIXED, KIN_JOINT_GEAR, KIN_JOINT_PULLEY, KIN_JOINT_ROPE};
    for (int i = 0; i < 4; ++i) {
        kin_joint_def d = plain(none[i]);
        d.freedom[0].motor = true;
        d.freedom[0].most = 1;
        refused(t, &d, 0, 1, "freedom[0]");
    }
    kin_joint_def d = plain(KIN_JOINT_HINGE);
    d.freedom[1].limited = true;
    refused(t, &d, 0, 1, "freedom[1]");
    d = plain(KIN_JOINT_MOUSE);
    d.freedom[0].stiffness = 0;
    refused(t, &d, 0, 1, "freedom[0].stiffness");
    d.freedom[0] = (kin_joint_freedom){.stiffness = 1, .friction = 1};
    refused(t, &d, 0, 1, "freedom[0]");
    d = plain(KIN_JOINT_BALL);
    d.freedom[0] = (kin_joint_freedom){.limited = true, .low = -2, .high = -1};
    refused(t, &d, 0, 1, "freedom[0].high");
    d.freedom[0] = (kin_joint_freedom){.stiffness = 1, .rest = 1};
    refused(t, &d, 0, 1, "freedom[0].rest");
}

/* Axes that are not at right angles are made so, that of a kept; a second axis that is not given is chosen. */
static void second_axes(test* t)
{
    kin_body a = kin_body_fixed(), b = kin_body_fixed();
    kin_joint j;
    kin_joint_row rows[KIN_JOINT_ROWS];
    kin_joint_def d = {.kind = KIN_JOINT_UNIVERSAL, .axis = {2, 0, 0}, .axis_b = {1, 1, 0}};
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK);
    NEAR3(t, kin_rotate(j.frame_a.orientation, kin_v(1, 0, 0)), kin_v(1, 0, 0), 1e-15);
    NEAR3(t, kin_rotate(j.frame_b.orientation, kin_v(0, 1, 0)), kin_v(0, 1, 0), 1e-15);
    d.axis_b = kin_v(0, 0, 0);
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK && kin_joint_rows(&j, &a, &b, 0, rows) == 4);
    NEAR(t, rows[3].error, 0, 1e-15);
    d = (kin_joint_def){.kind = KIN_JOINT_WHEEL, .axis = {0, 1, 0}, .axis_b = {0.1, 0, 1}}; /* the axle leans: kept as it is */
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK);
    NEAR3(t, kin_rotate(j.frame_a.orientation, kin_v(1, 0, 0)), kin_normalize_or(d.axis_b, d.axis), 1e-15);
    NEAR3(t, kin_rotate(kin_quat_mul(j.frame_a.orientation, j.base[0]), kin_v(1, 0, 0)), d.axis, 1e-15);
    d.axis_b = kin_v(0, 0, 0);
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK);
    NEAR(t, kin_rotate(j.frame_a.orientation, kin_v(1, 0, 0)).y, 0, 1e-15);
    d = (kin_joint_def){.kind = KIN_JOINT_GEAR, .axis = {0, 1, 0}, .ratio = 2};
    CHECK(t, kin_joint_make(&d, 0, &a, 1, &b, &j, NULL) == KIN_OK);
    NEAR3(t, kin_rotate(j.frame_b.orientation, kin_v(1, 0, 0)), kin_v(0, 1, 0), 1e-15);
}

/* ---- fuzz ---- */

/* Mostly plain numbers, now and then one that hurts. */
static double wild(joint_rig* r)
{
    static const double odd[] = {0, -1, 1e-300, 1e30, -1e30, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    return rig_number(r, 0, 1) < 0.05 ? odd[(int)rig_number(r, 0, 8)] : rig_number(r, -2, 2);
}
static kin_vec3 wild_vector(joint_rig* r)
{
    double x = wild(r), y = wild(r), z = wild(r);
    return kin_v(x, y, z);
}
static bool coin(joint_rig* r) { return rig_number(r, 0, 1) < 0.5; }

static kin_joint_def wild_def(joint_rig* r, kin_joint_kind kind)
{
    kin_joint_def d = {.kind = kind};
    d.anchor = wild_vector(r);
    d.anchor_b = wild_vector(r);
    d.axis = wild_vector(r);
    d.axis_b = wild_vector(r);
    d.ground_a = wild_vector(r);
    d.ground_b = wild_vector(r);
    d.target = wild_vector(r);
    d.has_anchor_b = kind == KIN_JOINT_DISTANCE || kind == KIN_JOINT_ROPE || kind == KIN_JOINT_PULLEY || rig_number(r, 0, 1) < 0.02;
    d.length = coin(r) ? 0 : kin_abs(wild(r));
    d.ratio = kin_abs(wild(r));
    for (int i = 0; i < 2; ++i) {
        kin_joint_freedom* f = &d.freedom[i];
        f->limited = coin(r);
        f->low = wild(r);
        f->high = f->low + kin_abs(wild(r));
        f->motor = coin(r);
        f->speed = wild(r);
        f->most = kin_abs(wild(r));
        f->stiffness = coin(r) ? kin_abs(wild(r)) : 0;
        f->damping = coin(r) ? kin_abs(wild(r)) : 0;
        f->rest = coin(r) ? wild(r) : 0;
        f->friction = coin(r) ? kin_abs(wild(r)) : 0;
    }
    if (rig_number(r, 0, 1) < 0.7) memset(d.freedom, 0, sizeof d.freedom);
    if (kind == KIN_JOINT_MOUSE && coin(r)) d.freedom[0] = (kin_joint_freedom){.stiffness = kin_abs(wild(r)), .damping = 1};
    return d;
}

static bool row_is_finite(const kin_joint_row* r)
{
    return kin_finite3(r->linear_a) && kin_finite3(r->angular_a) && kin_finite3(r->linear_b) && kin_finite3(r->angular_b) && kin_finite(r->error)
           && kin_finite(r->bias) && kin_finite(r->target) && r->most >= 0 && kin_finite(r->stiffness) && kin_finite(r->damping);
}

/* Poses that hurt: as it was made, turned by half a turn, on top of each other. */
static void wild_pose(joint_rig* r, int way)
{
    if (way == 1) rig_disturb(r, 3);
    if (way == 2) r->b.orientation = kin_quat_mul(kin_quat_axis_angle(rig_vector(r, 1), KIN_PI), r->b.orientation);
    if (way == 3) r->b.position = r->a.position;
    if (way == 4) r->a.spin = rig_vector(r, 1e4);
}

static void whatever_is_taken_is_finite(test* t)
{
    int made = 0;
    for (uint64_t i = 0; i < 60000; ++i) {
        joint_rig r = {.key = {.seed = 77, .serial = i}};
        r.a = rig_body(&r);
        r.b = rig_body(&r);
        kin_joint_def d = wild_def(&r, (kin_joint_kind)(i % KIN_JOINT_KIND_COUNT));
        kin_error error = {0};
        if (kin_joint_make(&d, 0, &r.a, 1, &r.b, &r.joint, &error) != KIN_OK) {
            CHECK(t, error.where[0] != 0 && error.message[0] != 0);
            continue;
        }
        ++made;
        for (int way = 0; way < 5; ++way) {
            wild_pose(&r, way);
            kin_joint_row rows[KIN_JOINT_ROWS];
            int n = kin_joint_rows(&r.joint, &r.a, &r.b, 1, rows);
            CHECK(t, n >= 0 && n <= KIN_JOINT_ROWS);
            for (int k = 0; k < n; ++k) CHECK(t, row_is_finite(&rows[k]));
            kin_joint_follow(&r.joint, &r.a, &r.b);
            for (int k = 0; k < 2; ++k)
                CHECK(t, kin_finite(kin_joint_position(&r.joint, &r.a, &r.b, k)) && kin_finite(kin_joint_rate(&r.joint, &r.a, &r.b, k)));
        }
    }
    CHECK(t, made > 10000);
}

TEST_MAIN("contact_joint_make", TEST(bodies_must_differ), TEST(points_and_axes), TEST(lengths_and_ratios), TEST(freedoms), TEST(kinds_without_freedoms_say_so),
          TEST(second_axes), TEST(whatever_is_taken_is_finite))
