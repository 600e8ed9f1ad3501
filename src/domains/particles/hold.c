/* hold.c - contact forces (Coutinho 3.5.3, 3.5.4): touches that do not close are constraints of the acceleration, solved with friction at every evaluation, so
 * that things rest and slide along any path the integrator follows.
 *
 * Of two spheres the distance has the second derivative a_n + |v_t|^2 / |x_a - x_b|: the curvature term is exact. A solid is its tangent plane, seen from the
 * solid if it turns. Friction at rest is static; a touch that slides has a heading, which the friction opposes until the slip ends (friction stops, it never
 * drives back). */
#include "domains/particles/island.h"
#include "base/search.h"
#include "numerics/lcp.h"
#include <string.h>

#define STICKS 1e-3 /* of rest_speed: slower slip is none */
#define CALM 1e-8   /* of (1 + largest acceleration), m/s^2: less is none */

/* ---- forces ---- */

/* Frame and heading as they are at y. */
static kin_grain_touch touch_at(const kin_island* s, const kin_grain_touch* now, const double* y)
{
    kin_grain_touch c = *now;
    if (c.b != KIN_GRAIN_SOLID) c.frame = kin_basis_from_normal(kin_normalize_or(kin_sub(kin_member_x(s, y, c.a), kin_member_x(s, y, c.b)), c.frame.n));
    kin_vec3 u = kin_grain_velocity(s, &c, y), slip = kin_add_scaled(u, -kin_dot(u, c.frame.n), c.frame.n);
    if (kin_length2(c.heading) > 0 && kin_dot(slip, c.heading) > 0) c.heading = kin_normalize_or(slip, c.heading);
    return c;
}

/* m/s^2, of a seen from b without contact forces: along n the second derivative of the gap. */
static kin_vec3 closing_acceleration(const kin_island* s, const kin_grain_touch* c, const double* y, const double* dydt)
{
    kin_vec3 a = kin_member_v(s, dydt, c->a), u = kin_grain_velocity(s, c, y);
    if (c->b == KIN_GRAIN_SOLID) {
        kin_vec3 frame = kin_add_scaled(kin_cross(c->spin, kin_cross(c->spin, c->arm)), 2, kin_cross(c->spin, u));
        return kin_sub(a, frame);
    }
    kin_vec3 slip = kin_add_scaled(u, -kin_dot(u, c->frame.n), c->frame.n);
    double curvature = kin_length2(slip) / kin_max(kin_distance(kin_member_x(s, y, c->a), kin_member_x(s, y, c->b)), 1e-300);
    return kin_add_scaled(kin_sub(a, kin_member_v(s, dydt, c->b)), curvature, c->frame.n);
}

/* The touches of one group, as they are at y, in place; put back afterwards unless recording. */
static bool push_group(kin_island* s, int first, int end, const double* y, double* dydt)
{
    int n = end - first;
    double* room = kin_arena_take(s->arena, 9 * (size_t)n * sizeof *room);
    if (room == NULL) return false;
    double *offset = room, *force = room + 3 * n, *accel = room + 6 * n;
    bool pressed = false;
    for (int i = 0; i < n; ++i) {
        kin_grain_touch* c = &s->touches[first + i];
        *c = touch_at(s, c, y);
        kin_vec3 a = closing_acceleration(s, c, y, dydt);
        kin_grain_orient(c, kin_length2(c->heading) > 0 ? c->heading : a);
        offset[3 * i] = kin_dot(a, c->frame.n);
        offset[3 * i + 1] = kin_dot(a, c->frame.t);
        offset[3 * i + 2] = kin_dot(a, c->frame.k);
        pressed = pressed || offset[3 * i] < 0;
    }
    memset(force, 0, 3 * (size_t)n * sizeof *force);
    memcpy(accel, offset, 3 * (size_t)n * sizeof *accel);
    if (pressed && !kin_group_solve(s, first, end, offset, true, force, accel)) return false;
    for (int i = 0; i < n; ++i) {
        kin_grain_touch* c = &s->touches[first + i];
        kin_grain_push(s, c, kin_basis_to_world(c->frame, kin_v(force[3 * i], force[3 * i + 1], force[3 * i + 2])), dydt + 3 * s->count);
        memcpy(c->force, force + 3 * i, sizeof c->force);
        memcpy(c->accel, accel + 3 * i, sizeof c->accel);
    }
    return true;
}

static void push_touches(kin_island* s, const double* y, double* dydt)
{
    if (s->touch_count == 0) return;
    kin_arena_mark mark = kin_arena_begin(s->arena);
    size_t bytes = (size_t)s->touch_count * sizeof *s->touches;
    kin_grain_touch* saved = kin_arena_take(s->arena, bytes);
    if (saved != NULL) memcpy(saved, s->touches, bytes);
    s->failed = s->failed || saved == NULL;
    for (int first = 0; first < s->touch_count && !s->failed;) {
        int end = kin_group_end(s, first);
        s->failed = !push_group(s, first, end, y, dydt);
        first = end;
    }
    if (saved != NULL && !s->recording) memcpy(s->touches, saved, bytes);
    kin_arena_end(s->arena, mark);
}

static void add_pull(const kin_island* s, double* dydt)
{
    for (int i = 0; i < s->count; ++i) {
        kin_vec3 pull = kin_particles_pull(s->p, s->members[i]);
        const double by[3] = {pull.x, pull.y, pull.z};
        for (int axis = 0; axis < 3; ++axis) {
            double* a = &dydt[(3 + axis) * s->count + i];
            *a = s->give[i] == 0 ? 0 : *a + by[axis];
        }
    }
}

static int place_of(const kin_island* s, uint32_t particle)
{
    size_t at = kin_search_u32(s->members, (size_t)s->count, particle);
    return at < (size_t)s->count && s->members[at] == particle ? (int)at : -1;
}

static void add_springs(const kin_island* s, const double* y, double* dydt)
{
    const kin_particles* p = s->p;
    for (size_t i = 0; i < p->spring_count; ++i) {
        int a = place_of(s, p->springs[i].a), b = place_of(s, p->springs[i].b);
        if (a < 0 || b < 0) continue;
        uint32_t ua = (uint32_t)a, ub = (uint32_t)b;
        kin_vec3 force = kin_spring_force(&p->springs[i], kin_member_x(s, y, ua), kin_member_x(s, y, ub), kin_member_v(s, y, ua), kin_member_v(s, y, ub));
        kin_member_add(dydt + 3 * s->count, s->count, ua, -s->give[a], force);
        kin_member_add(dydt + 3 * s->count, s->count, ub, s->give[b], force);
    }
}

/* Of what turns i, what the solids it touches leave to the integrator. Another member turns along: the force between the two is one like any other. */
static kin_vec3 free_gyration(const kin_island* s, uint32_t i, kin_vec3 w)
{
    kin_vec3 normals[2];
    int count = 0;
    for (int k = 0; k < s->touch_count && count < 2; ++k) {
        const kin_grain_touch* c = &s->touches[k];
        if (c->a != i || c->b != KIN_GRAIN_SOLID) continue;
        normals[count] = c->frame.n;
        count += count == 0 || kin_length2(kin_cross(normals[0], c->frame.n)) > 1e-12;
    }
    return kin_held_gyration(normals, count, w);
}

static kin_vec3 whole_acceleration(const kin_island* s, const double* y, uint32_t i)
{
    kin_vec3 turning = s->give[i] > 0 ? kin_cross(kin_member3(s->gyration, s->count, (int)i), kin_member_v(s, y, i)) : kin_v(0, 0, 0);
    return kin_add(kin_member3(s->unturned, s->count, (int)i), turning);
}

/* Touches hold against all that turns their members: it joins the acceleration before them. */
static void join_turning(const kin_island* s, const double* y, double* dydt)
{
    double* a = dydt + 3 * s->count;
    memcpy(s->unturned, a, 3 * (size_t)s->count * sizeof *a);
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) kin_member_put(a, s->count, i, whole_acceleration(s, y, i));
}

/* What they leave of it goes again after them, to the integrator: all of it where nothing is pressed on. */
static void leave_turning(const kin_island* s, const double* y, double* dydt)
{
    double* a = dydt + 3 * s->count;
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        kin_vec3 held = kin_member3(a, s->count, (int)i), w = kin_member3(s->gyration, s->count, (int)i);
        bool moves = s->give[i] > 0, pressed = kin_distance(held, whole_acceleration(s, y, i)) > 0;
        kin_vec3 left = !moves ? kin_v(0, 0, 0) : pressed ? free_gyration(s, i, w) : w;
        kin_vec3 rest = moves && !pressed ? kin_member3(s->unturned, s->count, (int)i) : kin_sub(held, kin_cross(left, kin_member_v(s, y, i)));
        kin_member_put(a, s->count, i, rest);
        kin_member_put(s->gyration, s->count, i, left);
    }
}

void kin_island_derivative(void* island, double t, const double* y, double* dydt)
{
    kin_island* s = island;
    int n = s->count;
    kin_field_batch batch = s->batch;
    batch.time = t;
    batch.fraction = (t - s->step->time) / s->step->h;
    for (int axis = 0; axis < 3; ++axis) {
        batch.position[axis] = y + axis * n;
        batch.velocity[axis] = y + (3 + axis) * n;
        batch.air[axis] = s->air + axis * n;
        batch.acceleration[axis] = dydt + (3 + axis) * n;
        batch.gyration[axis] = s->gyration != NULL ? s->gyration + axis * n : NULL;
    }
    batch.scratch = s->air + 3 * n;
    memcpy(dydt, y + 3 * n, 3 * (size_t)n * sizeof *y); /* dx/dt = v */
    kin_fields_evaluate(s->step->fields, &batch);
    add_pull(s, dydt);
    add_springs(s, y, dydt);
    if (s->gyration != NULL) join_turning(s, y, dydt);
    push_touches(s, y, dydt);
    if (s->gyration != NULL) leave_turning(s, y, dydt);
}

/* ---- speeds ---- */

static double small_acceleration(const kin_island* s)
{
    double most = 0;
    for (int i = 0; i < s->touch_count; ++i) {
        const kin_grain_touch* c = &s->touches[i];
        double give = kin_grain_couple(s, c, c->frame.n, c, c->frame.n);
        most = kin_max(most, give * kin_abs(c->force[0]));
    }
    return CALM * (1 + most);
}

/* What presses takes the speed along its normal, what sticks all of it, and nothing may be entered. */
static int demands_of(const kin_island* s, int first, int end, kin_grain_row* rows, uint8_t* kinds)
{
    int n = 0;
    double small = small_acceleration(s);
    for (int i = first; i < end; ++i) {
        const kin_grain_touch* c = &s->touches[i];
        bool pressed = c->force[0] > 0;
        rows[n] = (kin_grain_row){c, c->frame.n};
        kinds[n++] = pressed ? KIN_LCP_JOINT : KIN_LCP_CONTACT;
        if (!pressed || kin_length2(c->heading) > 0 || kin_abs(c->accel[1]) > small || kin_abs(c->accel[2]) > small) continue;
        rows[n] = (kin_grain_row){c, c->frame.t};
        kinds[n++] = KIN_LCP_JOINT;
        rows[n] = (kin_grain_row){c, c->frame.k};
        kinds[n++] = KIN_LCP_JOINT;
    }
    return n;
}

static bool solve_rows(kin_island* s, const kin_grain_row* rows, const uint8_t* kinds, int n, const double* u, double* impulse, double* after)
{
    memset(impulse, 0, (size_t)n * sizeof *impulse);
    if (n > 3 * KIN_GROUP_EXACT) return kin_rows_relax(s, rows, kinds, n, u, impulse, after);
    double* matrix = kin_arena_take(s->arena, (size_t)n * (size_t)n * sizeof *matrix);
    if (matrix == NULL) return false;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) matrix[i * n + j] = kin_grain_couple(s, rows[i].touch, rows[i].d, rows[j].touch, rows[j].d);
    }
    kin_lcp_report report = kin_lcp_dantzig(&(kin_lcp){.size = n, .matrix = matrix, .offset = u, .kinds = kinds}, impulse, after, NULL, s->arena);
    if (report.residual >= KIN_LCP_NOT_FINITE) memset(impulse, 0, (size_t)n * sizeof *impulse);
    return report.status != KIN_LCP_MEMORY;
}

static bool settle_group(kin_island* s, int first, int end)
{
    size_t most = 3 * (size_t)(end - first);
    kin_grain_row* rows = kin_arena_take(s->arena, most * sizeof *rows);
    uint8_t* kinds = kin_arena_take(s->arena, most);
    double* room = kin_arena_take(s->arena, 3 * most * sizeof *room);
    if (rows == NULL || kinds == NULL || room == NULL) return false;
    int n = demands_of(s, first, end, rows, kinds);
    double *u = room, *impulse = room + n, *after = room + 2 * n, worst = 0;
    for (int i = 0; i < n; ++i) {
        u[i] = kin_dot(kin_grain_velocity(s, rows[i].touch, s->y), rows[i].d);
        worst = kin_max(worst, kinds[i] == KIN_LCP_JOINT ? kin_abs(u[i]) : -u[i]);
    }
    if (worst < 1e-15) return true;
    if (!solve_rows(s, rows, kinds, n, u, impulse, after)) return false;
    for (int i = 0; i < n; ++i) {
        s->dissipated -= 0.5 * impulse[i] * (u[i] + after[i]);
        kin_grain_push(s, rows[i].touch, kin_scale(rows[i].d, impulse[i]), s->y + 3 * s->count);
        kin_grain_give(s, rows[i].touch, kin_scale(rows[i].d, impulse[i]), false);
    }
    return true;
}

static void take_headings(kin_island* s)
{
    for (int i = 0; i < s->touch_count; ++i) {
        kin_grain_touch* c = &s->touches[i];
        kin_vec3 u = kin_grain_velocity(s, c, s->y), slip = kin_add_scaled(u, -kin_dot(u, c->frame.n), c->frame.n);
        bool slides = kin_length(slip) > STICKS * kin_island_rest_speed(s);
        c->heading = slides ? kin_normalize_or(slip, kin_v(0, 0, 0)) : kin_v(0, 0, 0);
    }
}

/* What static friction cannot hold starts to slide, where it is pulled to. */
static void start_sliding(kin_island* s)
{
    double small = small_acceleration(s);
    for (int i = 0; i < s->touch_count; ++i) {
        kin_grain_touch* c = &s->touches[i];
        kin_vec3 a = kin_add(kin_scale(c->frame.t, c->accel[1]), kin_scale(c->frame.k, c->accel[2]));
        if (c->force[0] > 0 && kin_length2(c->heading) == 0 && kin_length(a) > small) c->heading = kin_normalize_or(a, c->heading);
    }
}

static void evaluate(kin_island* s)
{
    s->recording = true;
    kin_island_derivative(s, s->step->time + s->time, s->y, s->dydt);
    s->recording = false;
}

void kin_island_hold(kin_island* s)
{
    take_headings(s);
    evaluate(s);
    if (s->touch_count == 0 || s->failed) return;
    kin_arena_mark mark = kin_arena_begin(s->arena);
    for (int first = 0; first < s->touch_count && !s->failed;) {
        int end = kin_group_end(s, first);
        s->failed = !settle_group(s, first, end);
        first = end;
    }
    kin_arena_end(s->arena, mark);
    start_sliding(s);
    evaluate(s);
}

/* H3.3b for all at once: slow, held, and no force is left over. */
bool kin_island_rests(const kin_island* s)
{
    double small = small_acceleration(s), slow = STICKS * kin_island_rest_speed(s);
    for (int i = 0; i < s->count; ++i) {
        kin_vec3 v = kin_member_v(s, s->y, (uint32_t)i), a = kin_member_v(s, s->dydt, (uint32_t)i);
        if (s->give[i] == 0 ? kin_length2(v) > 0 : kin_length(v) > slow || kin_length(a) > small) return false;
    }
    return s->touch_count > 0;
}

double kin_island_stop(const kin_island* s)
{
    double end = 1;
    for (int i = 0; i < s->touch_count; ++i) {
        const kin_grain_touch* c = &s->touches[i];
        kin_vec3 before = kin_grain_velocity(s, c, s->y), after = kin_grain_velocity(s, c, s->y1);
        if (c->force[0] <= 0 || kin_length2(c->heading) == 0 || kin_dot(before, c->heading) <= STICKS * kin_island_rest_speed(s)) continue;
        double u0 = kin_dot(before, c->heading), u1 = kin_dot(after, c->heading);
        if (u1 < 0) end = kin_min(end, u0 / (u0 - u1));
    }
    return end;
}
