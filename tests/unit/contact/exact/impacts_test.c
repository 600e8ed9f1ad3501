/* impacts_test.c - laws of random impacts through the whole solver, for every way of resolving them: no energy from nothing, momenta kept, restitution met; rows of
 * balls against their textbook outcomes; what is forced to e = 0 (Coutinho 1.4.3, 4.11, 4.13; House & Keyser 10.2). */
#include "unit/contact/exact/rig.h"
#include "unit/contact/impulse/hits.h"

enum { SYSTEM, LCP, MICRO, SEQUENTIAL, WAYS };
static const char* const ways[WAYS] = {"system", "lcp", "micro", "sequential"};

static kin_rigid_def free_def(int impulses)
{
    kin_rigid_def def = rig_def();
    def.impulses = impulses;
    def.integrator = rig_integrator("adaptive_rk45");
    def.integrator_tolerance = 1e-9;
    return def;
}

static kin_form* any_form(rig* r, dice* d)
{
    kin_vec3 corners[12];
    switch ((int)roll(d, 0, 6)) {
    case 0: return rig_form(r, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {roll(d, 0.2, 1), roll(d, 0.2, 1), roll(d, 0.2, 1)}});
    case 1: return rig_form(r, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = roll(d, 0.1, 0.5)});
    case 2: return rig_form(r, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = roll(d, 0.1, 0.3), .length = roll(d, 0.2, 1)});
    case 3: return rig_form(r, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = roll(d, 0.1, 0.5), .length = roll(d, 0.1, 1)});
    case 4: return rig_form(r, (kin_shape){.kind = KIN_SHAPE_CONE, .radius = roll(d, 0.1, 0.5), .length = roll(d, 0.2, 1)});
    default:
        for (int i = 0; i < 12; ++i) corners[i] = kin_scale(roll_direction(d), roll(d, 0.2, 0.5));
        return rig_form(r, (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, 12}});
    }
}

static uint32_t thrown(rig* r, dice* d, kin_material_id m, kin_vec3 at, kin_vec3 velocity)
{
    kin_form* form = any_form(r, d);
    uint32_t body = rig_add(r, form, m, kin_exp(roll(d, -2, 2)), at, roll_turn(d));
    rig_body(r, body)->velocity = kin_add(velocity, roll3(d, 0.3));
    rig_body(r, body)->spin = roll3(d, 4);
    return body;
}

/* About the origin, of all bodies. */
static kin_vec3 angular_of(rig* r)
{
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < r->group->bodies.count; ++i) {
        const kin_body* b = rig_body(r, i);
        sum = kin_add(sum, kin_add(kin_body_angular_momentum(b), kin_cross(b->position, kin_scale(b->velocity, b->mass))));
    }
    return sum;
}

/* ---- random impacts ---- */

/* e of a hit by its event and the velocities at the end of its step; noise: m/s, what the step has turned the point by since. */
static void restitution_is_met(rig* r, const char* way, const kin_touch_event* hit, double e)
{
    const kin_body *a = rig_body(r, hit->a.element), *b = rig_body(r, hit->b.element);
    double after = kin_dot(hit->normal, kin_sub(kin_body_velocity_at(a, hit->point), kin_body_velocity_at(b, hit->point)));
    test_check(r->t, kin_abs(after - e * hit->speed) < 0.01 * hit->speed, __FILE__, __LINE__, "%s: e = %g came out as %g", way, e, after / hit->speed);
}

/* Two bodies, or six from all sides. */
static void throw_together(test* t, int impulses, uint64_t serial, int bodies)
{
    dice d = {.key = {.seed = 21, .serial = serial}};
    rig r;
    rig_begin(&r, t, free_def(impulses));
    r.fields.gravity = kin_v(0, 0, 0);
    double e = serial % 4 == 0 ? 1 : serial % 4 == 1 ? 0 : roll(&d, 0, 1), mu = serial % 3 == 0 ? 0 : roll(&d, 0, 1.5), size = 0;
    kin_material_id m = rig_material(&r, e, mu, mu);
    for (int i = 0; i < bodies; ++i) {
        kin_vec3 at = bodies == 2 ? kin_v(i == 0 ? -1 : 1, 0, 0) : kin_scale(roll_direction(&d), 1.5 + 0.4 * i);
        uint32_t body = thrown(&r, &d, m, at, kin_scale(at, -2));
        size += rig_body(&r, body)->mass * kin_length(rig_body(&r, body)->velocity);
    }
    kin_vec3 linear = rig_momentum(&r), angular = angular_of(&r);
    double energy = rig_kinetic(&r), first = energy;
    int64_t collisions = 0;
    for (int i = 0; i < 60; ++i) {
        rig_steps(&r, 1, 0.01);
        double now = rig_kinetic(&r);
        test_check(t, now <= energy + 1e-6 * first, __FILE__, __LINE__, "%s, throw %d of %d: energy grew by %g of its own", ways[impulses], (int)serial, bodies,
                   now / energy - 1);
        energy = now;
        collisions = rig_solver(&r)->report.collisions;
    }
    NEAR3(t, kin_scale(kin_sub(rig_momentum(&r), linear), 1 / size), kin_v(0, 0, 0), 1e-13);
    NEAR3(t, kin_scale(kin_sub(angular_of(&r), angular), 1 / size), kin_v(0, 0, 0), 1e-9);
    if (e == 1 && mu == 0 && bodies == 2 && collisions > 0) NEAR(t, energy / first, 1, 1e-6);
    rig_end(&r);
}

static void impacts_keep_the_laws(test* t)
{
    for (int k = 0; k < WAYS; ++k) {
        for (uint64_t i = 0; i < 12; ++i) throw_together(t, k, i, 2);
        for (uint64_t i = 0; i < 2; ++i) throw_together(t, k, i, 6);
    }
}

/* Short steps, so that the end of the hit's step is the hit's own. */
static void isolated_hits_have_their_restitution(test* t)
{
    int seen = 0;
    for (int k = 0; k < WAYS; ++k) {
        for (uint64_t serial = 0; serial < 12; ++serial) {
            dice d = {.key = {.seed = 22, .serial = serial}};
            rig r;
            rig_begin(&r, t, free_def(k));
            r.fields.gravity = kin_v(0, 0, 0);
            double e = roll(&d, 0, 1);
            kin_material_id m = rig_material(&r, e, 0, 0); /* with friction restitution is by work for one, gives way to energy for the others */
            uint32_t a = thrown(&r, &d, m, kin_v(0, 0, 0), kin_v(2, 0, 0));
            double gap = r.group->bodies.skin[a].reach;
            uint32_t b = thrown(&r, &d, m, kin_v(0, 0, 0), kin_v(-2, 0, 0));
            rig_body(&r, b)->position.x += gap + r.group->bodies.skin[b].reach + 0.01;
            for (int i = 0; i < 250; ++i) {
                rig_steps(&r, 1, 1e-3);
                int64_t hits = rig_solver(&r)->report.collisions;
                for (uint32_t n = 0; hits == 1 && n < r.events.count; ++n) {
                    if (r.events.items[n].kind == KIN_TOUCH_HIT) restitution_is_met(&r, ways[k], &r.events.items[n], e), ++seen;
                }
                if (hits > 0) break;
            }
            rig_end(&r);
        }
    }
    CHECK(t, seen >= 3 * WAYS);
}

/* ---- rows ---- */

/* Equal balls in a row, the first with 2 m/s: collisions one by one, the earliest first. */
static void bump_along(int n, double e, double gap, double time, double* x, double* v)
{
    for (int i = 0; i < n; ++i) x[i] = (i == 0 ? -0.5 : 0) + i * gap, v[i] = i == 0 ? 2 : 0; /* without their diameters */
    for (;;) {
        double first = time;
        int which = -1;
        for (int i = 0; i + 1 < n; ++i) {
            double closing = v[i] - v[i + 1], left = kin_max(x[i + 1] - x[i], 0) / closing;
            if (closing > 1e-12 && left < first) first = left, which = i;
        }
        for (int i = 0; i < n; ++i) x[i] += v[i] * first;
        time -= first;
        if (which < 0) return;
        double mean = 0.5 * (v[which] + v[which + 1]), half = 0.5 * e * (v[which] - v[which + 1]);
        v[which] = mean - half, v[which + 1] = mean + half;
    }
}

static void run_row(rig* r, test* t, int impulses, int n, double e, double gap, double time)
{
    const double radius = 0.1;
    kin_rigid_def def = free_def(impulses);
    rig_begin(r, t, def);
    r->fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(r, e, 0, 0);
    for (int i = 0; i < n; ++i) rig_ball(r, m, 1, radius, kin_v(i * (2 * radius + gap) - (i == 0 ? 0.5 : 0), 0, 0));
    rig_body(r, 0)->velocity = kin_v(2, 0, 0);
    rig_steps(r, (int)(time * 60), 1.0 / 60);
}

/* Gaps from 1 mm to a radius: whatever the method, hits come one by one. Without gaps: one by one for those methods that go so; together for those that do, with
 * (n - 1) resting contacts that take impulses and do not bounce: -(n - 2) / n, then 2 / n each. */
static void rows_of_balls(test* t)
{
    for (int n = 2; n <= 10; ++n) {
        for (int k = 0; k < WAYS; ++k) {
            static const double gaps[] = {1e-3, 0.01, 0.1};
            double e = n % 2 == 0 ? 1 : n < 7 ? 0.5 : 0.9, gap = gaps[(n + k) % 3], x[10], v[10];
            rig r;
            run_row(&r, t, k, n, e, gap, 2);
            bump_along(n, e, gap, 2, x, v);
            for (int i = 0; i < n; ++i)
                test_check(t, kin_abs(rig_body(&r, (uint32_t)i)->velocity.x - v[i]) < 1e-5, __FILE__, __LINE__,
                           "%s, row of %d, e %g, gap %g: ball %d has %g, not %g", ways[k], n, e, gap, i, rig_body(&r, (uint32_t)i)->velocity.x, v[i]);
            rig_end(&r);
            run_row(&r, t, k, n, 1, 0, 1);
            bool together = k == SYSTEM || k == LCP;
            for (int i = 0; i < n; ++i) {
                double want = together ? 2 * (i == 0 ? -(n - 2.0) / n : 2.0 / n) : i == n - 1 ? 2 : 0;
                NEAR(t, rig_body(&r, (uint32_t)i)->velocity.x, want, 1e-9);
            }
            NEAR(t, rig_kinetic(&r), 2, 1e-9);
            rig_end(&r);
        }
    }
}

/* ---- forced to e = 0 ---- */

/* Coutinho 1.4.3: meetings past max_events do not bounce. What then rests is contact: nothing sinks, momentum stays, energy only goes; with events left e is as told. */
static void forced_meetings_come_to_rest(test* t)
{
    for (int k = 0; k < WAYS; ++k) {
        rig r;
        kin_rigid_def def = free_def(k);
        def.max_events = 6;
        def.integrator_tolerance = 1e-6;
        rig_begin(&r, t, def);
        kin_material_id m = rig_material(&r, 0.8, 0.3, 0.3);
        rig_floor(&r, m);
        for (int i = 0; i < 3; ++i) rig_box(&r, m, 1, kin_v(1, 0.2, 1), kin_v(0.01 * i, 0.12 + 0.21 * i, 0), kin_quat_axis_angle(kin_v(0, 1, 0), 0.2 * i));
        for (uint32_t i = 1; i < 4; ++i) rig_body(&r, i)->velocity = kin_v(0, -2, 0), rig_body(&r, i)->spin = kin_v(0, 6.0 * (i % 2 ? 1 : -1), 0);
        bool forced = false;
        double energy = 1e300;
        for (int s = 0; s < 45; ++s) {
            rig_steps(&r, 1, 1.0 / 60);
            forced = forced || rig_solver(&r)->report.forced > 0;
            double now = rig_kinetic(&r), low = 1;
            for (uint32_t i = 1; i < 4; ++i) now += 10 * rig_body(&r, i)->position.y, low = kin_min(low, rig_body(&r, i)->position.y);
            test_check(t, now <= energy + 1e-5 && low > 0.1 - 1e-5, __FILE__, __LINE__, "%s, step %d: energy %g after %g, lowest %g", ways[k], s, now, energy,
                       low);
            energy = now;
        }
        test_check(t, forced, __FILE__, __LINE__, "%s: nothing was forced", ways[k]);
        for (uint32_t i = 1; i < 4; ++i) NEAR(t, rig_body(&r, i)->position.y, 0.1 + 0.2 * (i - 1), 1e-4);
        rig_end(&r);
    }
}

/* The first meeting past max_events is the last that a ball between two walls has: it sticks there. */
static void the_first_too_many_stops(test* t)
{
    for (int k = 0; k < WAYS; ++k) {
        rig r;
        kin_rigid_def def = free_def(k);
        def.max_events = 5;
        rig_begin(&r, t, def);
        r.fields.gravity = kin_v(0, 0, 0);
        kin_material_id m = rig_material(&r, 1, 0, 0);
        rig_box(&r, m, 0, kin_v(1, 1, 1), kin_v(-0.5, 0, 0), kin_quat_identity());
        rig_box(&r, m, 0, kin_v(1, 1, 1), kin_v(0.601, 0, 0), kin_quat_identity());
        uint32_t ball = rig_ball(&r, m, 1, 0.05, kin_v(0.0505, 0, 0)); /* 1 mm of room at 10 m/s */
        rig_body(&r, ball)->velocity = kin_v(10, 0, 0);
        rig_step(&r, 1.0 / 60);
        EQUAL(t, rig_solver(&r)->report.collisions, def.max_events + 1);
        EQUAL(t, rig_solver(&r)->report.forced, 1);
        NEAR(t, rig_body(&r, ball)->velocity.x, 0, 1e-12);
        NEAR(t, rig_solver(&r)->report.dissipated, 50, 1e-9);
        rig_end(&r);
    }
}

/* Flat boxes that spin, dropped or set down: they end flat on the floor, at rest, whatever resolves their four corners. */
static void spinning_boxes_stay_above_the_floor(test* t)
{
    static const double spins[] = {1, 20, 150};
    for (int k = 0; k < WAYS; ++k) {
        for (int i = 0; i < 6; ++i) {
            rig r;
            rig_begin(&r, t, free_def(k));
            kin_material_id m = rig_material(&r, 0.3, 0.5, 0.5);
            if (i % 2)
                rig_floor(&r, m);
            else
                rig_box(&r, m, 0, kin_v(10, 1, 10), kin_v(0, -0.5, 0), kin_quat_identity());
            uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.1, 0.6), kin_v(0, 0.05 + (i > 2 ? 0.1 : 0), 0), kin_quat_identity());
            rig_body(&r, box)->spin = kin_v(0, spins[i % 3], 0);
            for (int s = 0; s < 60; ++s) {
                rig_steps(&r, 1, 1.0 / 60);
                if (!test_check(t, rig_body(&r, box)->position.y > 0.05 - 3e-6, __FILE__, __LINE__, "%s, spin %g: sinks to %g", ways[k], spins[i % 3],
                                rig_body(&r, box)->position.y))
                    break;
            }
            if (spins[i % 3] < 100) NEAR(t, rig_body(&r, box)->position.y, 0.05, 1e-3);
            rig_end(&r);
        }
    }
}

/* ---- times of collisions, by class of pair ---- */

enum { TIMED = 9 };
static const char* const timed[TIMED] = {"ball, plane",       "box, plane",      "hull, box",
                                         "capsule, cylinder", "cone, ball",      "parts, box",
                                         "mesh, mesh",        "ball, open mesh", "fast plate, plate of triangles"};

static const kin_vec3 cube_corners[8] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0.5, 0.5, -0.5}, {-0.5, 0.5, -0.5},
                                         {-0.5, -0.5, 0.5},  {0.5, -0.5, 0.5},  {0.5, 0.5, 0.5},  {-0.5, 0.5, 0.5}};
static const uint32_t cube_faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                           {3, 6, 2}, {3, 7, 6}, {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}};

/* A cube of triangles, stretched. */
static kin_form* mesh_form(rig* r, kin_vec3 size, uint32_t faces)
{
    static kin_vec3 corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = kin_mul(cube_corners[i], size);
    return rig_form(r, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {.vertices = corners, .vertex_count = 8, .corners = cube_faces[0], .face_count = faces}});
}

static kin_form* parts_form(rig* r)
{
    static kin_shape parts[2];
    parts[0] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.6, 0.1, 0.2}};
    parts[1] = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.15, .offset = {0.3, -0.1, 0}};
    return rig_form(r, (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2});
}

/* The one that moves, and the one it hits, which stands at the origin. */
static void timed_forms(rig* r, dice* d, int which, kin_form** mover, kin_form** other)
{
    kin_shape ball = {.kind = KIN_SHAPE_SPHERE, .radius = 0.2}, box = {.kind = KIN_SHAPE_BOX, .size = {0.5, 0.3, 0.4}};
    kin_vec3 corners[10];
    for (int i = 0; i < 10; ++i) corners[i] = kin_scale(roll_direction(d), roll(d, 0.2, 0.3));
    *other = which < 2    ? rig_form(r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}})
             : which == 3 ? rig_form(r, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.5})
             : which == 4 ? rig_form(r, ball)
             : which < 6  ? rig_form(r, box)
             : which == 7 ? mesh_form(r, kin_v(4, 1, 4), 10)
             : which == 8 ? mesh_form(r, kin_v(3, 0.01, 3), 12)
                          : mesh_form(r, kin_v(1, 1, 1), 12);
    switch (which) {
    case 0:
    case 7: *mover = rig_form(r, ball); return;
    case 1: *mover = rig_form(r, box); return;
    case 2: *mover = rig_form(r, (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, 10}}); return;
    case 3: *mover = rig_form(r, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.1, .length = 0.4}); return;
    case 4: *mover = rig_form(r, (kin_shape){.kind = KIN_SHAPE_CONE, .radius = 0.2, .length = 0.4}); return;
    case 5: *mover = parts_form(r); return;
    case 6: *mover = mesh_form(r, kin_v(0.5, 0.4, 0.3), 12); return;
    default: *mover = mesh_form(r, kin_v(0.4, 0.01, 0.4), 12); return;
    }
}

/* Free flight with a spin about a principal axis is a screw: the first time at which the gap is none, by steps and halving on it. */
static double first_touch(rig* r, uint32_t mover, uint32_t other, kin_vec3 spin, double time)
{
    enum { LOOKS = 2000 };
    const kin_exact* self = rig_solver(r);
    kin_exact_pair pair = {.a = other < mover ? other : mover, .b = other < mover ? mover : other};
    kin_body start = *rig_body(r, mover);
    kin_transform at = kin_body_pose(rig_body(r, other));
    kin_arena scratch;
    kin_arena_init(&scratch, &r->t->allocator);
    double low = 0, high = -1;
    for (int i = 1; i <= LOOKS + 50; ++i) {
        double s = high < 0 ? time * i / LOOKS : 0.5 * (low + high);
        kin_transform pose = {kin_add_scaled(start.position, s, start.velocity),
                              kin_quat_mul(kin_quat_from_rotation_vector(kin_scale(spin, s)), start.orientation)};
        bool touches = kin_exact_separation(self, &pair, other < mover ? at : pose, other < mover ? pose : at, 1e-3, &scratch) <= 0;
        if (high < 0 && i > LOOKS) break;
        if (touches)
            high = s;
        else
            low = s;
        if (high > 0 && high - low < 1e-13) break;
        if (high > 0 && i <= LOOKS) i = LOOKS;
    }
    kin_arena_term(&scratch);
    return high;
}

/* In one step, so that the whole search is within it. The time of the hit is where the two straight paths of the centre meet: x1 - x0 = v s + v' (T - s). */
static void collisions_have_their_times(test* t)
{
    int seen[TIMED] = {0};
    for (int k = 0; k < TIMED * 8; ++k) {
        dice d = {.key = {.seed = 23, .serial = (uint64_t)k}};
        rig r;
        kin_form *form, *hit;
        rig_begin(&r, t, free_def(SYSTEM));
        r.fields.gravity = kin_v(0, 0, 0);
        kin_material_id m = rig_material(&r, 0.7, 0, 0);
        timed_forms(&r, &d, k % TIMED, &form, &hit);
        bool first = k % 2 != 0;
        uint32_t other = first ? rig_add(&r, hit, m, 0, kin_v(0, 0, 0), kin_quat_identity()) : 0;
        uint32_t mover = rig_add(&r, form, m, 1, kin_v(roll(&d, -0.1, 0.1), 1.2, roll(&d, -0.1, 0.1)), roll_turn(&d));
        if (!first) other = rig_add(&r, hit, m, 0, kin_v(0, 0, 0), kin_quat_identity());
        double fast = k % TIMED == 8 ? 400 : 8, T = k % TIMED == 8 ? 1.0 / 240 : 0.2;
        kin_vec3 velocity = kin_v(roll(&d, -0.05, 0.05) * fast, -fast, 0), axis = {0, 0, 0};
        *(&axis.x + (int)roll(&d, 0, 3)) = roll(&d, -3, 3);
        kin_vec3 spin = k % TIMED == 8 ? kin_v(0, 0, 0) : kin_rotate(rig_body(&r, mover)->orientation, axis);
        rig_body(&r, mover)->velocity = velocity;
        rig_body(&r, mover)->spin = spin;
        kin_vec3 from = rig_body(&r, mover)->position;
        double want = first_touch(&r, mover, other, spin, T);
        if (want > 0) T = kin_min(T, 1.02 * want); /* before it comes down on its other corners */
        rig_steps(&r, 1, T);
        kin_vec3 after = rig_body(&r, mover)->velocity, change = kin_sub(velocity, after),
                 way = kin_sub(kin_sub(rig_body(&r, mover)->position, from), kin_scale(after, T));
        bool met = rig_solver(&r)->report.collisions > 0;
        double time = kin_dot(way, change) / kin_length2(change);
        test_check(t, met == (want > 0), __FILE__, __LINE__, "%s, %d: %s", timed[k % TIMED], k, met ? "hit, and should not" : "missed");
        if (met && want > 0 && rig_solver(&r)->report.events == 1) {
            seen[k % TIMED] += 1;
            test_check(t, kin_abs(time - want) * fast < 4 * r.def.tolerance, __FILE__, __LINE__, "%s, %d: hits at %.9g s, not %.9g", timed[k % TIMED], k, time,
                       want);
        }
        rig_end(&r);
    }
    for (int i = 0; i < TIMED; ++i) test_check(t, seen[i] >= 3, __FILE__, __LINE__, "%s: only %d were timed", timed[i], seen[i]);
}

/* A hit between two that both move is at the same time as that of one against the other at rest; and its time is where it would be in shorter steps. */
static void times_do_not_depend_on_who_moves(test* t)
{
    for (int k = 0; k < 8; ++k) {
        kin_vec3 relative[3];
        for (int run = 0; run < 3; ++run) {
            dice d = {.key = {.seed = 24, .serial = (uint64_t)k}};
            rig r;
            rig_begin(&r, t, free_def(SYSTEM));
            r.fields.gravity = kin_v(0, 0, 0);
            kin_material_id m = rig_material(&r, 0.5, 0, 0);
            uint32_t a = thrown(&r, &d, m, kin_v(-1, 0, 0), kin_v(4, 0, 0)), b = thrown(&r, &d, m, kin_v(1, 0, 0), kin_v(-1, 0, 0));
            for (uint32_t i = 0; i < 2; ++i) rig_body(&r, i)->velocity = kin_add(rig_body(&r, i)->velocity, kin_v(0, run == 1 ? 3 : 0, 0));
            rig_steps(&r, run == 2 ? 40 : 5, run == 2 ? 0.01 : 0.08);
            relative[run] = kin_sub(rig_body(&r, a)->position, rig_body(&r, b)->position);
            rig_end(&r);
        }
        NEAR3(t, relative[1], relative[0], 2e-5);
        NEAR3(t, relative[2], relative[0], 2e-5);
    }
}

/* Bodies that come together in space and go by sequential impulses after a few events: others meet them in the middle of strides, and both momenta stay: the linear
 * one, some 10 kg m/s, to thousands of roundings; the angular one to tens of steps whose spins are right to 1e-9 rad/s, on moments below 1 kg m^2. */
static void strides_keep_momenta(test* t)
{
    int strides = 0;
    for (uint64_t i = 0; i < 16; ++i) {
        dice d = {.key = {.seed = 73, .serial = i}};
        rig r;
        kin_rigid_def def = free_def(SYSTEM);
        def.max_events = 2;
        rig_begin(&r, t, def);
        r.fields.gravity = kin_v(0, 0, 0);
        kin_material_id m = rig_material(&r, 0.1, i % 2 ? 0.4 : 0, i % 2 ? 0.4 : 0);
        for (int k = 0; k < 6; ++k) {
            kin_vec3 at = kin_scale(roll_direction(&d), 1.2 + 0.5 * k);
            thrown(&r, &d, m, at, kin_scale(at, -3));
        }
        const kin_vec3 linear = rig_momentum(&r), angular = angular_of(&r);
        for (int k = 0; k < 30; ++k) {
            rig_step(&r, 1.0 / 60);
            strides += rig_solver(&r)->report.yielded > 0;
        }
        NEAR3(t, rig_momentum(&r), linear, 1e-10);
        NEAR3(t, angular_of(&r), angular, 1e-8);
        rig_end(&r);
    }
    CHECK(t, strides > 16);
}

TEST_MAIN("contact/exact/impacts", TEST(impacts_keep_the_laws), TEST(isolated_hits_have_their_restitution), TEST(rows_of_balls),
          TEST(forced_meetings_come_to_rest), TEST(the_first_too_many_stops), TEST(spinning_boxes_stay_above_the_floor), TEST(collisions_have_their_times),
          TEST(times_do_not_depend_on_who_moves), TEST(strides_keep_momenta))
