/* kinds.c - what each kind of joint forbids (C5.3.1 to C5.3.6), and what it measures of what it leaves free. */
#include "contact/joint/kinds.h"
#include "math/frame.h"

#define NO_MOST __builtin_inf()

/* Where rows go in the memory of solvers (kin_joint_row.slot): what holds at 0, then what freedoms do. */
enum { SLOT_FREE = 6, SLOT_LOW = 0, SLOT_HIGH, SLOT_MOTOR, SLOT_SPRING, SLOT_FRICTION, SLOTS_EACH };

static kin_joint_row as(kin_joint_row row, kin_row_kind kind, int which, int slot)
{
    row.kind = kind;
    row.slot = (uint8_t)(SLOT_FREE + which * SLOTS_EACH + slot);
    row.most = NO_MOST;
    return row;
}
static kin_joint_row turned_round(kin_joint_row r)
{
    r.linear_a = kin_neg(r.linear_a);
    r.angular_a = kin_neg(r.angular_a);
    r.linear_b = kin_neg(r.linear_b);
    r.angular_b = kin_neg(r.angular_b);
    r.error = -r.error;
    r.bias = -r.bias;
    return r;
}
static kin_joint_row by(kin_joint_row row, double shift)
{
    row.error += shift;
    return row;
}

/* ---- freedoms ---- */

static int limit_rows(const kin_joint_freedom* f, int which, const kin_joint_row* m, double look_ahead, kin_joint_row* rows)
{
    int n = 0;
    if (m->error - f->low <= look_ahead) rows[n++] = as(by(*m, -f->low), KIN_ROW_LIMIT, which, SLOT_LOW);
    if (f->high - m->error <= look_ahead) rows[n++] = as(by(turned_round(*m), f->high), KIN_ROW_LIMIT, which, SLOT_HIGH);
    return n;
}

static kin_joint_row motor_row(const kin_joint_freedom* f, int which, kin_joint_row m)
{
    m = as(m, KIN_ROW_MOTOR, which, SLOT_MOTOR);
    m.error = 0;
    m.target = f->speed;
    m.most = f->most;
    return m;
}

static kin_joint_row spring_row(const kin_joint_freedom* f, int which, kin_joint_row m)
{
    m = as(by(m, -f->rest), KIN_ROW_SPRING, which, SLOT_SPRING);
    m.stiffness = f->stiffness;
    m.damping = f->damping;
    return m;
}

static kin_joint_row friction_row(const kin_joint_freedom* f, int which, kin_joint_row m)
{
    m = as(m, KIN_ROW_FRICTION, which, SLOT_FRICTION);
    m.error = 0;
    m.most = f->friction;
    return m;
}

static bool is_sprung(const kin_joint_freedom* f) { return f->stiffness > 0 || f->damping > 0; }

/* All but friction. */
static int driven_rows(const kin_joint_freedom* f, int which, const kin_joint_row* m, double look_ahead, kin_joint_row* rows)
{
    int n = f->limited ? limit_rows(f, which, m, look_ahead, rows) : 0;
    if (f->motor) rows[n++] = motor_row(f, which, *m);
    if (is_sprung(f)) rows[n++] = spring_row(f, which, *m);
    return n;
}

static bool measure_has_value(const kin_joint_freedom* f) { return f->limited || f->stiffness > 0; }

static int freedom_rows(const kin_joint* j, const joint_sides* s, int which, double look_ahead, kin_joint_row* rows)
{
    const kin_joint_freedom* f = &j->def.freedom[which];
    if (!freedom_used(f)) return 0;
    kin_joint_row m = kin_joint_kinds[j->kind].measure(j, s, which, measure_has_value(f));
    int n = driven_rows(f, which, &m, look_ahead, rows);
    if (f->friction > 0) rows[n++] = friction_row(f, which, m);
    return n;
}

static int all_freedoms(const kin_joint* j, const joint_sides* s, double look_ahead, kin_joint_row* rows)
{
    int n = 0;
    for (int i = 0; i < kin_joint_kinds[j->kind].freedoms; ++i) n += freedom_rows(j, s, i, look_ahead, rows + n);
    return n;
}

/* ---- points a length apart: distance, rope, pulley, mouse ---- */

static kin_joint_row length_row(const kin_joint* j, const joint_sides* s)
{
    joint_length l = length_of(s->gap, s->speed, s->pull);
    kin_joint_row row = row_between(s, l.direction);
    row.error = l.length - j->reach0;
    row.bias = l.bias;
    return row;
}
static kin_joint_row length_measure(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    (void)which, (void)value;
    return length_row(j, s);
}

/* Free to change its length it holds nothing. */
static int distance_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    if (freedom_used(&j->def.freedom[0])) return 0;
    rows[0] = length_row(j, s);
    return 1;
}

static int rope_loosen(const kin_joint* j, const joint_sides* s, double look_ahead, kin_joint_row* rows)
{
    kin_joint_row m = length_row(j, s);
    if (-m.error > look_ahead) return 0;
    rows[0] = as(turned_round(m), KIN_ROW_LIMIT, 0, SLOT_HIGH);
    return 1;
}

/* One side of a pulley: from its ground point to its body. */
static joint_length pulley_side(const kin_body* b, kin_vec3 arm, kin_vec3 ground)
{
    return length_of(kin_sub(kin_add(b->position, arm), ground), arm_speed(b, arm), arm_pull(b, arm));
}
static kin_joint_row pulley_row(const kin_joint* j, const joint_sides* s, double share_a, double share_b)
{
    joint_length a = pulley_side(s->a, s->arm_a, j->def.ground_a), b = pulley_side(s->b, s->arm_b, j->def.ground_b);
    kin_vec3 ua = kin_scale(a.direction, share_a), ub = kin_scale(b.direction, share_b);
    return (kin_joint_row){.linear_a = ua,
                           .angular_a = kin_cross(s->arm_a, ua),
                           .linear_b = ub,
                           .angular_b = kin_cross(s->arm_b, ub),
                           .error = share_a * a.length + share_b * b.length,
                           .bias = share_a * a.bias + share_b * b.bias};
}
static int pulley_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    rows[0] = by(pulley_row(j, s, 1, j->def.ratio), -j->reach0);
    return 1;
}
static kin_joint_row pulley_measure(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    (void)value;
    return pulley_row(j, s, which == 0, which == 1);
}

/* From the target to the point of a; its b is the world. */
static kin_joint_row mouse_row(const joint_sides* s, kin_vec3 u, double error)
{
    return (kin_joint_row){.linear_a = u, .angular_a = kin_cross(s->arm_a, u), .error = error, .bias = kin_dot(u, arm_pull(s->a, s->arm_a))};
}
static joint_length mouse_length(const kin_joint* j, const joint_sides* s) { return pulley_side(s->a, s->arm_a, j->def.target); }
static kin_joint_row mouse_measure(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    (void)which, (void)value;
    joint_length l = mouse_length(j, s);
    kin_joint_row row = mouse_row(s, l.direction, l.length);
    row.bias = l.bias;
    return row;
}
/* The first row pulls; across it there is only damping. So the limit of the force counts whatever the direction. */
static int mouse_loosen(const kin_joint* j, const joint_sides* s, double look_ahead, kin_joint_row* rows)
{
    (void)look_ahead;
    const kin_joint_freedom* f = &j->def.freedom[0];
    joint_length l = mouse_length(j, s);
    kin_basis along = kin_basis_from_normal(l.direction);
    rows[0] = mouse_row(s, along.n, l.length);
    rows[1] = mouse_row(s, along.t, 0);
    rows[2] = mouse_row(s, along.k, 0);
    for (int i = 0; i < 3; ++i) {
        rows[i] = spring_row(f, 0, rows[i]);
        rows[i].slot = (uint8_t)i;
        if (f->most > 0) rows[i].most = f->most;
    }
    return 3;
}

/* ---- one point in common: ball, hinge, universal, fixed ---- */

static int ball_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    (void)j;
    return rows_point(s, rows);
}
static int hinge_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    (void)j;
    return rows_point(s, rows) + rows_axis(s, rows + 3);
}
static int universal_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    (void)j;
    rows_point(s, rows);
    rows[3] = row_turn(turn_dot(s, s->A.cx, s->B.cy)); /* C5.3.2 */
    return 4;
}
static int fixed_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    (void)j;
    return rows_point(s, rows) + rows_lock(s, rows + 3);
}

static kin_joint_row twist_row(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    return row_turn(turn_twist(side_a(s), side_b(s), j->turned[which], value));
}
static kin_joint_row ball_measure(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    return which == 0 ? row_turn(turn_between(s)) : twist_row(j, s, 1, value);
}
/* About x of a: where y of b points; about y of b: where x of a points. */
static kin_joint_row universal_measure(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    joint_turn y = which == 0 ? turn_dot(s, s->A.cz, s->B.cy) : turn_dot(s, s->A.cx, s->B.cz);
    joint_turn x = which == 0 ? turn_dot(s, s->A.cy, s->B.cy) : turn_dot(s, s->A.cx, s->B.cx);
    return row_turn(turn_angle(y, x, j->turned[which], value));
}

/* A swing has two directions: stops and motor act on its angle, spring and friction across and along it. A stop at 0 or below says nothing. */
static int swing_rows(const kin_joint* j, const joint_sides* s, double look_ahead, kin_joint_row* rows)
{
    enum { SECOND = 3 }; /* slots 3 and 4 are not needed by what holds */
    kin_joint_freedom f = j->def.freedom[0];
    int n = 0;
    if (f.limited || f.motor) {
        kin_joint_row m = row_turn(turn_between(s));
        if (f.low <= 0) f.low = -NO_MOST;
        if (f.limited) n += limit_rows(&f, 0, &m, look_ahead, rows);
        if (f.motor) rows[n++] = motor_row(&f, 0, m);
    }
    if (is_sprung(&f)) {
        rows_axis(s, rows + n);
        for (int i = 0; i < 2; ++i, ++n) rows[n] = spring_row(&f, 0, rows[n]);
        rows[n - 1].slot = SECOND;
    }
    if (f.friction > 0) {
        rows[n++] = friction_row(&f, 0, row_turn(turn_spin(s, s->A.cy)));
        rows[n++] = friction_row(&f, 0, row_turn(turn_spin(s, s->A.cz)));
        rows[n - 1].slot = SECOND + 1;
    }
    return n;
}
/* The rate of the twist has no bound near half a turn of swing: friction resists the spin about the axis of a instead, which with that of the swing is all
 * there is. */
static int ball_loosen(const kin_joint* j, const joint_sides* s, double look_ahead, kin_joint_row* rows)
{
    const kin_joint_freedom* f = &j->def.freedom[1];
    int n = swing_rows(j, s, look_ahead, rows);
    if (f->limited || f->motor || is_sprung(f)) {
        kin_joint_row m = ball_measure(j, s, 1, measure_has_value(f));
        n += driven_rows(f, 1, &m, look_ahead, rows + n);
    }
    if (f->friction > 0) rows[n++] = friction_row(f, 1, row_turn(turn_spin(s, s->A.cx)));
    return n;
}

/* ---- along a line: slider, cylindrical, wheel ---- */

static int slider_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    (void)j;
    return rows_rail(s, &s->A, rows) + rows_lock(s, rows + 2);
}
static int cylindrical_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    (void)j;
    return rows_rail(s, &s->A, rows) + rows_axis(s, rows + 2);
}
static kin_mat3 wheel_rail(const kin_joint* j, const joint_sides* s) { return kin_quat_to_matrix(kin_quat_mul(s->qa, j->base[0])); }
static int wheel_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    kin_mat3 rail = wheel_rail(j, s);
    return rows_rail(s, &rail, rows) + rows_axis(s, rows + 2);
}

static kin_joint_row cylindrical_measure(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    return which == 0 ? row_along(s, s->A.cx) : twist_row(j, s, 1, value);
}
static kin_joint_row wheel_measure(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    return which == 0 ? row_along(s, wheel_rail(j, s).cx) : twist_row(j, s, 1, value);
}

/* ---- gear: two angles, against the world or what carries the wheels ---- */

static kin_joint_row plus(kin_joint_row x, double share, kin_joint_row y, double share_y)
{
    return (kin_joint_row){.linear_a = kin_add_scaled(kin_scale(x.linear_a, share), share_y, y.linear_a),
                           .angular_a = kin_add_scaled(kin_scale(x.angular_a, share), share_y, y.angular_a),
                           .linear_b = kin_add_scaled(kin_scale(x.linear_b, share), share_y, y.linear_b),
                           .angular_b = kin_add_scaled(kin_scale(x.angular_b, share), share_y, y.angular_b),
                           .error = share * x.error + share_y * y.error,
                           .bias = share * x.bias + share_y * y.bias,
                           .angular = true};
}
static joint_sides sides_exchanged(const joint_sides* s)
{
    joint_sides t = {.a = s->b, .b = s->a, .arm_a = s->arm_b, .arm_b = s->arm_a, .qa = s->qb, .qb = s->qa, .A = s->B, .B = s->A};
    t.gap = kin_neg(s->gap), t.speed = kin_neg(s->speed), t.pull = kin_neg(s->pull), t.spin = kin_neg(s->spin);
    return t;
}
static kin_joint_row row_exchanged(kin_joint_row r)
{
    kin_vec3 linear = r.linear_a, angular = r.angular_a;
    r.linear_a = r.linear_b, r.angular_a = r.angular_b;
    r.linear_b = linear, r.angular_b = angular;
    return r;
}

/* How a has turned away from the line to the axle of b: where that points in a, the other way round. */
static kin_joint_row turn_from_line(const joint_sides* s, double last, bool value)
{
    kin_joint_row y = row_along(s, s->A.cz), x = row_along(s, s->A.cy);
    double square = kin_max(x.error * x.error + y.error * y.error, JOINT_SHORT * JOINT_SHORT), y_rate = kin_joint_row_rate(&y, s->a, s->b),
           x_rate = kin_joint_row_rate(&x, s->a, s->b), rate = (x.error * y_rate - y.error * x_rate) / square;
    kin_joint_row row = plus(y, -x.error / square, x, y.error / square);
    row.bias += 2 * rate * (x.error * x_rate + y.error * y_rate) / square;
    row.error = value ? nearest_turn(-kin_atan2(y.error, x.error), last) : 0;
    return row;
}
static kin_joint_row turn_from_axle(const joint_sides* s, double last, bool value)
{
    return turned_round(row_turn(turn_angle(turn_dot(s, s->A.cz, s->B.cx), turn_dot(s, s->A.cy, s->B.cx), -last, value)));
}
static kin_joint_row gear_turn(const kin_joint* j, const joint_sides* s, int which, bool value)
{
    if (j->mount == KIN_GEAR_IN_WORLD) {
        joint_frame mount = {.q = j->base[which], .x = kin_rotate(j->base[which], (kin_vec3){1, 0, 0})};
        joint_turn t = turn_twist(mount, which == 0 ? side_a(s) : side_b(s), j->turned[which], value);
        kin_joint_row row = {.angular_a = t.axis, .error = t.value, .bias = t.bias, .angular = true};
        return which == 0 ? row : row_exchanged(row);
    }
    joint_sides seen = which == 0 ? *s : sides_exchanged(s);
    kin_joint_row row = j->mount == KIN_GEAR_ON_LINE ? turn_from_line(&seen, j->turned[which], value) : turn_from_axle(&seen, j->turned[which], value);
    return which == 0 ? row : row_exchanged(row);
}
static int gear_hold(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    rows[0] = plus(gear_turn(j, s, 0, true), 1 / j->def.ratio, gear_turn(j, s, 1, true), 1);
    return 1;
}
static kin_joint_row gear_measure(const kin_joint* j, const joint_sides* s, int which, bool value) { return gear_turn(j, s, which, value); }

static int hold_nothing(const kin_joint* j, const joint_sides* s, kin_joint_row* rows)
{
    (void)j, (void)s, (void)rows;
    return 0;
}

const joint_kind kin_joint_kinds[KIN_JOINT_KIND_COUNT] = {
    [KIN_JOINT_DISTANCE] = {"distance", 1, 1, 1, false, {0}, distance_hold, length_measure, all_freedoms},
    [KIN_JOINT_BALL] = {"ball", 3, 2, 2, false, {false, true}, ball_hold, ball_measure, ball_loosen},
    [KIN_JOINT_HINGE] = {"hinge", 5, 1, 1, true, {true}, hinge_hold, twist_row, all_freedoms},
    [KIN_JOINT_SLIDER] = {"slider", 5, 1, 1, true, {0}, slider_hold, cylindrical_measure, all_freedoms},
    [KIN_JOINT_UNIVERSAL] = {"universal", 4, 2, 2, true, {true, true}, universal_hold, universal_measure, all_freedoms},
    [KIN_JOINT_CYLINDRICAL] = {"cylindrical", 4, 2, 2, true, {false, true}, cylindrical_hold, cylindrical_measure, all_freedoms},
    [KIN_JOINT_FIXED] = {"fixed", 6, 0, 0, true, {0}, fixed_hold, NULL, NULL},
    [KIN_JOINT_WHEEL] = {"wheel", 4, 2, 2, true, {false, true}, wheel_hold, wheel_measure, all_freedoms},
    [KIN_JOINT_GEAR] = {"gear", 1, 0, 2, true, {true, true}, gear_hold, gear_measure, NULL},
    [KIN_JOINT_PULLEY] = {"pulley", 1, 0, 2, false, {0}, pulley_hold, pulley_measure, NULL},
    [KIN_JOINT_ROPE] = {"rope", 0, 0, 1, false, {0}, hold_nothing, length_measure, rope_loosen},
    [KIN_JOINT_MOUSE] = {"mouse", 0, 1, 1, false, {0}, hold_nothing, mouse_measure, mouse_loosen},
};
