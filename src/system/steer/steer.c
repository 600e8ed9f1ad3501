/* steer.c - steering round obstacles: House & Keyser 5.3.2.
 *
 * Spheres have a closed form. With R the sphere's radius and the own one, and the path straight on: does it pass within R of the centre, ahead, and soon enough?
 * Then aim beside the centre: accelerate across the path so that by the time the aim is abreast, the path has moved over by what is missing. Round other shapes
 * the aim is found by trying: the least turn, to one of four sides, after which the path is clear. Where no turn is (a wall, a dead end), the approach is
 * stopped in the distance there is.
 *
 * What is added is only what other accelerations leave to do. Something so fast that it covers the distance in a step or two still hits. */
#include "system/steer/steer.h"
#include "collision/form/form.h"
#include "math/frame.h"
#include "system/field_kinds.h"

enum { MOST_THREATS = 8, MOST_NEAR = 4, SIDES = 4, TURNS = 5, HALVINGS = 4 };

/* An acceleration across (or against) the path, wanted within a time. */
typedef struct threat {
    kin_vec3 direction; /* unit */
    double need;        /* m/s^2 */
    double time;        /* s */
} threat;

/* ---- an aim ---- */

/* t_t = d_t / v_t, dv = |v^ x (x_t - x)| / t_t, a = 2 dv / t_t: across the path by the distance the aim lies off it. False: it is not ahead. */
static bool aim_at(const kin_steer_self* self, kin_vec3 target, kin_vec3 across, threat* out)
{
    kin_vec3 way = kin_sub(target, self->position), forward = kin_normalize_or(self->velocity, kin_v(0, 0, 0));
    double square = kin_length2(way), closing = kin_dot(self->velocity, way);
    if (!(closing > 0) || !(square > 0)) return false;
    double time = square / closing;
    *out = (threat){across, 2 * kin_length(kin_cross(forward, way)) / (time * time), time};
    return kin_finite(out->need);
}

/* Where the line from x to a sphere of radius R about c touches it, on the side `across`; within the sphere there is none: beside the centre then. */
static kin_vec3 tangent_target(kin_vec3 x, kin_vec3 c, double R, kin_vec3 across)
{
    kin_vec3 r = kin_sub(c, x);
    double square = kin_length2(r);
    if (square <= R * R) return kin_add_scaled(c, R, across);
    kin_vec3 side = kin_normalize_or(kin_add_scaled(across, -kin_dot(across, r) / square, r), across); /* of the line to the centre, no longer the path */
    double touch = 1 - R * R / square;                                                                 /* share of r up to the foot of the touching point */
    return kin_add_scaled(kin_add_scaled(x, touch, r), R * kin_sqrt(touch), side);
}

static bool sphere_threat(const kin_steering* s, const kin_ball* ball, const kin_steer_self* self, threat* out)
{
    double speed = kin_length(self->velocity), R = ball->radius + self->radius + s->margin;
    if (!(speed > 0)) return false;
    kin_vec3 forward = kin_scale(self->velocity, 1 / speed), r = kin_sub(ball->center, self->position);
    double close = kin_dot(r, forward);
    if (close < 0 || close > speed * s->ahead) return false;
    kin_vec3 miss = kin_sub(kin_scale(forward, close), r);
    if (kin_length2(miss) > R * R) return false;
    kin_vec3 across = kin_normalize_or(kin_perpendicular(forward), kin_axis(0)); /* head-on: any side will do */
    if (kin_length2(miss) > 1e-24 * R * R) across = kin_normalize_or(kin_add_scaled(miss, -kin_dot(miss, forward), forward), across);
    kin_vec3 target = s->way == KIN_STEER_TANGENT ? tangent_target(self->position, ball->center, R, across) : kin_add_scaled(ball->center, R, across);
    return aim_at(self, target, across, out);
}

static bool in_view(const kin_steering* s, kin_vec3 at, const kin_steer_self* self)
{
    return s->view >= 2 * KIN_PI || kin_angle(kin_sub(at, self->position), self->velocity) <= 0.5 * s->view;
}

/* ---- other shapes ---- */

/* The path ahead, turned: of the same length. */
typedef struct outlook {
    const kin_solids* solids;
    double fraction;
    kin_vec3 from, forward;
    double length, radius; /* m: of the path, and kept about it */
} outlook;

static bool path_hits(const outlook* o, kin_vec3 direction, kin_contact* hit)
{
    kin_vec3 to = kin_add_scaled(o->from, o->length, direction);
    return kin_solids_first_hit(o->solids, o->from, to, o->radius, o->fraction, o->fraction, 1e-3 * kin_max(o->radius, 1e-3 * o->length), hit);
}

static bool turned_hits(const outlook* o, kin_vec3 side, double slope)
{
    kin_contact hit;
    return path_hits(o, kin_normalize_or(kin_add_scaled(o->forward, slope, side), o->forward), &hit);
}

/* The least slope to a side that is clear, by halving between one that is not and one that is. */
static double least_slope(const outlook* o, kin_vec3 side, double blocked, double clear)
{
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (blocked + clear);
        if (turned_hits(o, side, middle))
            blocked = middle;
        else
            clear = middle;
    }
    return clear;
}

/* First the side to which the surface leans, then the opposite one, then the two between; small turns first. */
static bool find_turn(const outlook* o, const kin_contact* hit, kin_vec3* side, double* slope)
{
    static const double slopes[TURNS] = {0.1, 0.25, 0.6, 1.4, 4};
    kin_vec3 lean = kin_add_scaled(hit->normal, -kin_dot(hit->normal, o->forward), o->forward);
    kin_vec3 some = kin_normalize_or(kin_perpendicular(o->forward), kin_axis(0));
    kin_vec3 first = kin_length2(lean) > 1e-16 ? kin_normalize_or(lean, some) : some, second = kin_cross(o->forward, first);
    const kin_vec3 sides[SIDES] = {first, kin_neg(first), second, kin_neg(second)};
    for (int turn = 0; turn < TURNS; ++turn) {
        for (int k = 0; k < SIDES; ++k) {
            if (turned_hits(o, sides[k], slopes[turn])) continue;
            *side = sides[k];
            *slope = least_slope(o, sides[k], turn > 0 ? slopes[turn - 1] : 0, slopes[turn]);
            return true;
        }
    }
    return false;
}

/* Constant braking that ends at the surface: a = v_n^2 / 2 d. */
static bool stop_before(const kin_contact* hit, const kin_steer_self* self, double margin, threat* out)
{
    double speed = -kin_dot(self->velocity, hit->normal);
    double distance = kin_dot(kin_sub(self->position, hit->point), hit->normal) - self->radius - margin;
    if (!(speed > 0)) return false;
    distance = kin_max(distance, 1e-3 * speed); /* too late already: within a millisecond */
    *out = (threat){hit->normal, 0.5 * speed * speed / distance, 2 * distance / speed};
    return true;
}

/* Within the margin there is no more turning away: who still comes nearer brakes so as to stop at the surface, however it got there. Whoever else pushes it that
 * way is then working against a threat, and loses that part. */
static bool brake(kin_vec3 normal, double gap, const kin_steer_self* self, threat* out)
{
    double speed = -kin_dot(self->velocity, normal);
    if (!(speed > 0)) return false;
    gap = kin_max(gap, 1e-3 * speed); /* too late already: within a millisecond */
    *out = (threat){normal, 0.5 * speed * speed / gap, 0.5 * gap / speed};
    return true;
}

static bool brake_before_ball(const kin_steering* s, const kin_ball* ball, const kin_steer_self* self, threat* out)
{
    kin_vec3 away = kin_sub(self->position, ball->center);
    double gap = kin_length(away) - ball->radius - self->radius;
    return gap < s->margin && brake(kin_normalize_or(away, kin_axis(1)), gap, self, out);
}

static bool solid_threat(const kin_steering* s, const outlook* o, const kin_steer_self* self, threat* out)
{
    kin_contact hit;
    if (!path_hits(o, o->forward, &hit)) return false;
    const kin_form* form = kin_solids_form(o->solids, hit.solid);
    if (form->kind == KIN_SHAPE_SPHERE) {
        kin_ball ball = {kin_solids_pose(o->solids, hit.solid, o->fraction).position, form->convex.radius};
        return in_view(s, ball.center, self) && sphere_threat(s, &ball, self, out);
    }
    kin_vec3 side;
    double slope;
    if (!find_turn(o, &hit, &side, &slope)) return stop_before(&hit, self, s->margin, out);
    double abreast = kin_max(kin_dot(kin_sub(hit.point, o->from), o->forward), 1e-6 * o->length);
    return aim_at(self, kin_add_scaled(kin_add_scaled(o->from, abreast, o->forward), slope * abreast, side), side, out);
}

static bool path_ahead(const kin_steering* s, const kin_solids* solids, double fraction, const kin_steer_self* self, outlook* o)
{
    double speed = kin_length(self->velocity);
    if (!s->solids || solids == NULL || !(speed > 0)) return false;
    *o = (outlook){solids, fraction, self->position, kin_scale(self->velocity, 1 / speed), speed * s->ahead, self->radius + s->margin};
    double r = o->length + o->radius;
    kin_vec3 half = {r, r, r};
    return kin_solids_near(solids, (kin_aabb){kin_sub(self->position, half), kin_add(self->position, half)});
}

/* ---- all of them ---- */

/* The most urgent threats, in order of time. */
typedef struct threats {
    threat items[MOST_THREATS];
    int count;
} threats;

static void note(threats* all, threat t)
{
    int i = all->count;
    if (i == MOST_THREATS && all->items[--i].time <= t.time) return;
    all->count = i + 1;
    for (; i > 0 && all->items[i - 1].time > t.time; --i) all->items[i] = all->items[i - 1];
    all->items[i] = t;
}

/* max(a - e, 0) for each, e what goes its way already; the most urgent last, so that nothing undoes it. */
static kin_vec3 answer(const threats* all, const kin_steering* s, kin_vec3 so_far)
{
    kin_vec3 added = {0, 0, 0};
    for (int i = all->count - 1; i >= 0; --i) {
        const threat* t = &all->items[i];
        double there = kin_dot(t->direction, kin_add(so_far, added));
        added = kin_add_scaled(added, kin_max(t->need - there, 0), t->direction);
    }
    double size = kin_length(added);
    return s->limit > 0 && size > s->limit ? kin_scale(added, s->limit / size) : added;
}

kin_vec3 kin_steer_round(const kin_steering* s, const kin_solids* solids, double fraction, const kin_steer_self* self)
{
    threats all = {.count = 0};
    threat t;
    outlook o;
    if (!(s->ahead > 0)) return kin_v(0, 0, 0);
    for (size_t i = 0; i < s->spheres.count; ++i) {
        const kin_ball* ball = &s->spheres.data[i];
        if (in_view(s, ball->center, self) && sphere_threat(s, ball, self, &t)) note(&all, t);
        if (brake_before_ball(s, ball, self, &t)) note(&all, t);
    }
    if (path_ahead(s, solids, fraction, self, &o)) {
        kin_contact near[MOST_NEAR];
        int count = s->margin > 0 ? kin_solids_closest(solids, self->position, self->radius, s->margin, fraction, near, MOST_NEAR) : 0;
        if (solid_threat(s, &o, self, &t)) note(&all, t);
        for (int i = 0; i < count; ++i) {
            if (brake(near[i].normal, near[i].distance, self, &t)) note(&all, t);
        }
    }
    return answer(&all, s, self->so_far);
}

static void steer_force(const kin_field* field, const kin_field_batch* b)
{
    const kin_steer_field* def = field->def;
    for (int i = 0; i < b->count; ++i) {
        kin_steer_self self = {
            kin_v(b->position[0][i], b->position[1][i], b->position[2][i]),
            kin_v(b->velocity[0][i], b->velocity[1][i], b->velocity[2][i]),
            b->radius != NULL ? b->radius[i] : 0,
            b->so_far[0] != NULL ? kin_v(b->so_far[0][i], b->so_far[1][i], b->so_far[2][i])
                                 : kin_v(b->acceleration[0][i], b->acceleration[1][i], b->acceleration[2][i]),
        };
        kin_vec3 a = kin_steer_round(&def->steering, b->solids, b->fraction, &self);
        b->acceleration[0][i] += a.x;
        b->acceleration[1][i] += a.y;
        b->acceleration[2][i] += a.z;
    }
}

const char* const kin_steer_way_names[] = {"side", "tangent", NULL};
const kin_param kin_ball_params[] = {
    {.name = "center", .type = KIN_PARAM_VECTOR, .offset = offsetof(kin_ball, center), .unit = "m", .doc = "Its middle."},
    {.name = "radius",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_ball, radius),
     .unit = "m",
     .doc = "Its radius.",
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_OPEN_LOW},
    {0},
};
static const kin_param steer_params[] = {
    KIN_STEERING_ROWS("steer", offsetof(kin_steer_field, steering), KIN_PARAM_REQUIRED),
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_steer_ops = {
    .name = "steer",
    .doc = "Steers points round spheres and colliders in their way.",
    .params = steer_params,
    .def_size = sizeof(kin_steer_field),
    .wants = KIN_FIELD_WANTS_RADIUS,
    .force = {steer_force, steer_force, steer_force},
};
