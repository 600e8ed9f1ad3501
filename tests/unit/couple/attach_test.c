/* attach_test.c - attachments: periods, momentum, hanging, jumps, links, breaking, sharing, colliders. */
#include "base/rng.h"
#include "couple/attach.h"
#include "math/random.h"
#include "points.h"
#include <math.h>

/* The law's mean velocity of "the interval before" is the start velocity 0: so e(-h) = e(0), and e(n h) = e0 cos(omega h (n + 1/2)) / cos(omega h / 2).
 * omega^2 = k (1/m1 + 1/m2), whatever h. */
static void two_swing_with_the_reduced_mass(test* t)
{
    const double h = 0.05, omega = kin_sqrt(30 * (1 / 1.5 + 1 / 3.0));
    const point ends[2] = {{{2, 1, 0}, {0, 0, 0}, 1.5}, {{0, 0, 0}, {0, 0, 0}, 3}};
    kin_world* w = test_world(t, h, kin_v(0, 0, 0));
    kin_system_id s = add_points(t, w, NULL, "semi_implicit", ends, 2);
    kin_attachment_def def = between(0, 1, 30);
    def.damping_ratio = 0;
    hold(t, w, def);
    for (int n = 1; n <= 400; ++n) {
        test_steps(t, w, 1);
        double e = 2 * kin_cos(omega * h * (n + 0.5)) / kin_cos(omega * h / 2);
        NEAR(t, kin_particle_position(w, s, 0).x - kin_particle_position(w, s, 1).x, e, 1e-10);
    }
    kin_world_destroy(w);
}

/* e'' + 2 zeta omega e' + omega^2 e = 0: ratios of samples three apart are those of the exact modes, under and over critical damping. */
static void damping_is_the_closed_forms(test* t)
{
    static const double ratios[] = {0.1, 0.7, 1, 3};
    for (int k = 0; k < 4; ++k) {
        const double h = 0.02, omega = 10, zeta = ratios[k];
        kin_world* w = test_world(t, h, kin_v(0, 0, 0));
        kin_system_id s = add_points(t, w, NULL, "rk4", &(point){{1, 0, 0}, {0, 0, 0}, 2}, 1);
        kin_attachment_def def = to_point(0, kin_v(0, 0, 0), 2 * omega * omega);
        def.damping_ratio = k % 2 == 0 ? zeta : 0;
        def.damping = k % 2 == 0 ? 0 : 2 * zeta * 2 * omega; /* the same said in N s/m: 2 zeta m omega */
        hold(t, w, def);
        double x[30];
        for (int n = 0; n < 30; ++n) {
            test_steps(t, w, 1);
            x[n] = kin_particle_position(w, s, 0).x;
        }
        double p = kin_exp(-2 * zeta * omega * h), root = kin_sqrt(kin_abs(1 - zeta * zeta));
        double sum = zeta < 1 ? 2 * kin_sqrt(p) * kin_cos(omega * h * root) : kin_exp(-omega * h * (zeta - root)) + kin_exp(-omega * h * (zeta + root));
        for (int n = 2; n < 30; ++n) NEAR(t, x[n], sum * x[n - 1] - p * x[n - 2], 1e-12);
        kin_world_destroy(w);
    }
}

static void momentum_is_exact(test* t)
{
    const point ends[3] = {{{2, 1, 0}, {1, 0, 3}, 1}, {{0, 0, 0}, {0, -2, 0}, 4}, {{1, 5, 1}, {0, 0, 0}, 0.25}};
    kin_world* w = test_world(t, 1.0 / 60, kin_v(0, 0, 0));
    kin_system_id s = add_points(t, w, NULL, "semi_implicit", ends, 3);
    hold(t, w, between(0, 1, 1000));
    kin_attachment_def link = between(1, 2, 1);
    link.rigid = true;
    link.rest = 2;
    hold(t, w, link);
    for (int i = 0; i < 300; ++i) {
        test_steps(t, w, 1);
        EQUAL(t, kin_length2(w->ledger.given.impulse) == 0, 1); /* equal and opposite to the bit */
    }
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < 3; ++i) sum = kin_add_scaled(sum, ends[i].mass, kin_particle_velocity(w, s, i));
    NEAR3(t, sum, kin_v(1, -8, 3), 1e-11);
    kin_world_destroy(w);
}

/* C3.3.5: the mouse jumps; the end is on the target, the way never beyond it by more than the jump. */
static void mouse_jumps_are_stable(test* t)
{
    static const double stiffness[] = {1, 1e3, 1e6, 1e9}, ratio[] = {1, 0};
    for (int k = 0; k < 8; ++k) {
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
        kin_system_id s = add_points(t, w, NULL, "semi_implicit", &(point){{0, 0, 0}, {0, 0, 0}, 0.01}, 1);
        kin_attachment_def def = to_point(0, kin_v(0, 0, 0), stiffness[k % 4]);
        def.damping_ratio = ratio[k / 4];
        kin_attachment_id id = hold(t, w, def);
        test_steps(t, w, 60);
        EQUAL(t, kin_attachment_set_target(w, id, kin_v(1e3, 0, 0), NULL), KIN_OK);
        double farthest = 0;
        for (int i = 0; i < 600; ++i) {
            test_steps(t, w, 1);
            farthest = kin_max(farthest, kin_abs(kin_particle_position(w, s, 0).x - 1e3));
        }
        CHECK(t, farthest <= 1100); /* the sagging start: a swing past the first stretch by its sampling */
        double sag = 0.01 * 9.81 / def.stiffness;
        if (def.damping_ratio > 0 || def.stiffness > 1e4) NEAR3(t, kin_particle_position(w, s, 0), kin_v(1e3, -sag, 0), 1e-6);
        kin_world_destroy(w);
    }
}

static void hangs_where_the_spring_balances(test* t)
{
    static const char* const names[] = {"euler", "semi_implicit", "heun", "rk4", "velocity_verlet"};
    for (int k = 0; k < 5; ++k) {
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -10, 0));
        const point two[2] = {{{0, 0, 0}, {0, 0, 0}, 2}, {{5, 0, 0}, {0, 0, 0}, 2}};
        kin_system_id s = add_points(t, w, NULL, names[k], two, 2);
        kin_attachment_id id = hold(t, w, to_point(0, kin_v(0, 1, 0), 100));
        kin_attachment_def nail = to_point(1, kin_v(5, 0, 0), 1);
        nail.rigid = true;
        hold(t, w, nail);
        test_steps(t, w, 600);
        NEAR(t, kin_particle_position(w, s, 0).y, 1 - 2 * 10.0 / 100, 1e-9);
        NEAR3(t, kin_particle_position(w, s, 1), two[1].position, 1e-12);
        kin_attachment_view view;
        CHECK(t, kin_attachment_look(w, id, &view));
        NEAR3(t, view.force, kin_v(0, 20, 0), 1e-7);
        NEAR3(t, view.b, kin_v(0, 1, 0), 0);
        kin_world_destroy(w);
    }
}

/* A rod that turns keeps its length to the bit of a step and its energy for good (SHAKE). */
static void rigid_links_keep_length_and_speed(test* t)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_system_id s = add_points(t, w, NULL, "semi_implicit", &(point){{2, 0, 0}, {0, 0, 3}, 1}, 1);
    kin_attachment_def rod = to_point(0, kin_v(0, 0, 0), 1);
    rod.rigid = true;
    rod.rest = 2;
    hold(t, w, rod);
    for (int i = 0; i < 2000; ++i) {
        test_steps(t, w, 1);
        NEAR(t, kin_length(kin_particle_position(w, s, 0)), 2, 1e-12);
        if (i > 0) NEAR(t, kin_length(kin_particle_velocity(w, s, 0)), 3, 3e-4); /* chord for arc: (v h / L)^2 / 24 */
    }
    kin_world_destroy(w);
}

static void a_pendulum_has_its_period(test* t) /* small swings: 2 pi sqrt(L / g), amplitude 0.02: + A^2/16 */
{
    const double g = 9.81, length = 1, period = 2 * KIN_PI * kin_sqrt(length / g);
    kin_world* w = test_world(t, 0.005, kin_v(0, -g, 0));
    kin_system_id s = add_points(t, w, NULL, "velocity_verlet", &(point){{0.02, -kin_sqrt(1 - 0.0004), 0}, {0, 0, 0}, 1}, 1);
    kin_attachment_def rod = to_point(0, kin_v(0, 0, 0), 1);
    rod.rigid = true;
    rod.rest = length;
    hold(t, w, rod);
    double before = 0.02, crossed[10], now = 0;
    for (int count = 0; count < 10; before = now) {
        test_steps(t, w, 1);
        now = kin_particle_position(w, s, 0).x;
        if (before > 0 && now <= 0) crossed[count++] = kin_world_time(w) - 0.005 * now / (now - before);
        if (!CHECK(t, kin_world_time(w) < 30)) break;
    }
    NEAR(t, (crossed[9] - crossed[0]) / 9, period, 1e-4 * period);
    kin_world_destroy(w);
}

static void many_at_one_element_stay_stable(test* t)
{
    for (int k = 0; k < 3; ++k) {
        point points[41];
        for (int i = 0; i < 41; ++i) points[i] = (point){{kin_cos(i), kin_sin(i), 0.1 * i}, {0, 0, 0}, i == 0 ? 0.01 : 1};
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, 0, 0));
        kin_system_id s = add_points(t, w, NULL, "semi_implicit", points, 41);
        for (uint32_t i = 1; i <= 40; ++i) {
            kin_attachment_def def = k == 1 ? between(i - 1, i, 1e7) : between(0, i, k == 0 ? 100 : 1e9); /* a star, a chain, a stiff star */
            def.damping_ratio = 0;
            def.rest = k == 2 ? 0 : i % 2;
            hold(t, w, def);
        }
        double speed = 0;
        for (int n = 0; n < 600; ++n) test_steps(t, w, 1);
        for (uint32_t i = 0; i <= 40; ++i) {
            CHECK(t, kin_length(kin_particle_position(w, s, i)) < 20);
            speed = kin_max(speed, kin_length(kin_particle_velocity(w, s, i)));
        }
        CHECK(t, speed < 100);
        kin_world_destroy(w);
    }
}

/* A rigid chain pulled taut by a strong hand: across itself it would swing five times faster than the step can follow. */
static void a_taut_chain_keeps_its_links(test* t)
{
    point points[8];
    for (int i = 0; i < 8; ++i) points[i] = (point){{0, -0.1 * (i + 1), 0}, {0, 0, 0}, 0.05};
    kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    kin_system_id s = add_points(t, w, NULL, "semi_implicit", points, 8);
    for (uint32_t i = 0; i < 8; ++i) {
        kin_attachment_def link = i == 0 ? to_point(0, kin_v(0, 0, 0), 1) : between(i, i - 1, 1);
        link.rigid = true;
        link.rest = 0.1;
        hold(t, w, link);
    }
    kin_attachment_id hand = hold(t, w, to_point(7, kin_v(0, -0.8, 0), 1000));
    for (int n = 0; n < 300; ++n) {
        EQUAL(t, kin_attachment_set_target(w, hand, kin_v(0.005 * n, -0.8, 0), NULL), KIN_OK);
        test_steps(t, w, 1);
        for (uint32_t i = 0; i < 8; ++i) {
            kin_vec3 above = i == 0 ? kin_v(0, 0, 0) : kin_particle_position(w, s, i - 1);
            NEAR(t, kin_distance(kin_particle_position(w, s, i), above), 0.1, 1e-6);
        }
    }
    kin_vec3 end = kin_particle_position(w, s, 7); /* straight towards the hand, but for its weight */
    NEAR3(t, end, kin_scale(kin_normalize_or(kin_v(1.495, -0.8, 0), end), 0.8), 0.01);
    kin_world_destroy(w);
}

static void forces_have_limits(test* t)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    const point two[2] = {{{10, 0, 0}, {0, 0, 0}, 2}, {{0, 5, 0}, {0, 0, 0}, 1}};
    kin_system_id s = add_points(t, w, NULL, "semi_implicit", two, 2);
    kin_attachment_def weak = to_point(0, kin_v(0, 0, 0), 1e6), brittle = to_point(1, kin_v(0, 5, 0), 100);
    weak.max_force = 4;
    brittle.break_force = 50;
    hold(t, w, weak);
    kin_attachment_id id = hold(t, w, brittle);
    test_steps(t, w, 100);
    NEAR(t, kin_particle_velocity(w, s, 0).x, -2, 1e-12); /* 4 N on 2 kg for 1 s */
    kin_attachment_view view;
    CHECK(t, kin_attachment_look(w, id, &view));
    EQUAL(t, kin_attachment_set_target(w, id, kin_v(0, 5.3, 0), NULL), KIN_OK);
    test_steps(t, w, 10);
    CHECK(t, kin_attachment_look(w, id, &view) && kin_particle_velocity(w, s, 1).y > 0.1);
    EQUAL(t, kin_attachment_set_target(w, id, kin_v(0, 15, 0), NULL), KIN_OK);
    kin_vec3 before = kin_particle_velocity(w, s, 1);
    kin_step_report report;
    EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
    EQUAL(t, report.warnings, 1);
    HAS(t, report.note, "attachments");
    HAS(t, report.note, "broke");
    CHECK(t, !kin_attachment_look(w, id, &view));
    NEAR3(t, kin_particle_velocity(w, s, 1), before, 0);
    kin_error error = {0};
    EQUAL(t, kin_world_detach(w, id, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "detached, or broke");
    kin_world_destroy(w);
}

static void colliders_and_keys_carry(test* t)
{
    static const kin_key path[2] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {2, {4, 0, 0}, {0, 0, 1, 0}}};
    static const kin_attachment_key keys[3] = {{0, {0, 9, 0}}, {1, {1, 9, 0}}, {2, {2, 9, 0}}};
    kin_world* w = test_world(t, 0.01, kin_v(0, -9.81, 0));
    kin_collider_def def = kin_collider_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.1};
    def.keys = path;
    def.key_count = 2;
    def.smooth = false;
    kin_collider_id arm;
    EQUAL(t, kin_world_add_collider(w, &def, &arm, NULL), KIN_OK);
    const point two[2] = {{{0, 1, 0}, {0, 0, 0}, 1}, {{0, 9, 0}, {0, 0, 0}, 1}};
    kin_system_id s = add_points(t, w, NULL, "semi_implicit", two, 2);
    kin_attachment_def hook = between(0, 0, 1);
    hook.b = (kin_anchor){KIN_WORLD_SYSTEM, arm.index1 - 1, {0, 1, 0}};
    hook.rigid = true;
    hold(t, w, hook);
    kin_attachment_def rail = to_point(1, kin_v(0, 0, 0), 1);
    rail.rigid = true;
    rail.keys = keys;
    rail.key_count = 3;
    hold(t, w, rail);
    for (int i = 0; i < 200; ++i) {
        test_steps(t, w, 1);
        kin_transform pose = kin_collider_pose(w, arm);
        double time = kin_world_time(w);
        if (i > 1) NEAR3(t, kin_particle_position(w, s, 0), kin_add(pose.position, kin_rotate(pose.orientation, kin_v(0, 1, 0))), 1e-10);
        if (i > 1) NEAR3(t, kin_particle_position(w, s, 1), kin_v(time, 9, 0), 1e-10);
    }
    kin_world_remove_collider(w, arm); /* what held to it lets go, and says so */
    kin_step_report report;
    EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
    HAS(t, report.note, "gone");
    EQUAL(t, w->attachments.count, 1);
    kin_world_destroy(w);
}

static void passes_agree(test* t) /* a second pass finds nothing to change */
{
    const point ends[3] = {{{2, 1, 0}, {1, 0, 3}, 1}, {{0, 0, 0}, {0, -2, 0}, 4}, {{1, 5, 1}, {0, 0, 0}, 0.25}};
    kin_vec3 places[2];
    for (int k = 0; k < 2; ++k) {
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -1, 0));
        w->def.max_passes = k == 0 ? 1 : 5;
        kin_system_id s = add_points(t, w, NULL, "semi_implicit", ends, 3);
        hold(t, w, between(0, 1, 1000));
        hold(t, w, between(1, 2, 500));
        test_steps(t, w, 60);
        places[k] = kin_particle_position(w, s, 1);
        kin_world_destroy(w);
    }
    NEAR3(t, places[1], places[0], 1e-7);
}

static void restores_and_clones_alike(test* t)
{
    const point ends[3] = {{{2, 1, 0}, {1, 0, 3}, 1}, {{0, 0, 0}, {0, -2, 0}, 4}, {{1, 5, 1}, {0, 0, 0}, 0.25}};
    static const kin_attachment_key keys[2] = {{0, {0, 1, 0}}, {1, {1, 1, 0}}};
    kin_world *w = test_world(t, 1.0 / 60, kin_v(0, -1, 0)), *clone;
    add_points(t, w, NULL, "rk4", ends, 3);
    hold(t, w, between(0, 1, 1000));
    kin_attachment_def rail = to_point(2, kin_v(0, 0, 0), 40);
    rail.keys = keys;
    rail.key_count = 2;
    hold(t, w, rail);
    test_steps(t, w, 7);
    EQUAL(t, kin_world_clone(w, &clone, NULL), KIN_OK);
    for (int i = 0; i < 60; ++i) {
        kin_snapshot s = {0};
        CHECK(t, kin_world_state_hash(w) == kin_world_state_hash(clone));
        test_steps(t, w, 1);
        test_steps(t, clone, 1);
        EQUAL(t, kin_world_snapshot(clone, &s, NULL), KIN_OK);
        EQUAL(t, kin_world_restore(clone, &s, NULL), KIN_OK);
        kin_snapshot_free(&s);
    }
    EQUAL(t, clone->attachments.count, 2);
    kin_world_destroy(w);
    kin_world_destroy(clone);
}

static void bad_defs_are_refused(test* t)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    add_points(t, w, "dots", "rk4", (const point[2]){{.mass = 1}, {.mass = 1}}, 2);
    static const kin_attachment_key backwards[2] = {{1, {0, 0, 0}}, {1, {0, 0, 0}}};
    kin_attachment_def defs[10];
    static const char* const words[10] = {"stiffness: -1 must be > 0 (N/m)",
                                          "dots has 2 elements, there is no 7",
                                          "there is no system 3",
                                          "the same element",
                                          "no collider 4",
                                          "must be an element of a system",
                                          "within 1e+09 m",
                                          "rest: -2 must be >= 0 (m)",
                                          "keys[1]: t = 1 must be later",
                                          "break_force"};
    for (int i = 0; i < 10; ++i) defs[i] = to_point(0, kin_v(0, 0, 0), 1);
    defs[0].stiffness = -1;
    defs[1].a.element = 7;
    defs[2].a.system = 3;
    defs[3] = between(1, 1, 1);
    defs[4] = between(0, 0, 1);
    defs[4].b = (kin_anchor){KIN_WORLD_SYSTEM, 4, {0, 0, 0}};
    defs[5].a.system = KIN_WORLD_SYSTEM;
    defs[6].point.z = 1e300;
    defs[7].rest = -2;
    defs[8].keys = backwards;
    defs[8].key_count = 2;
    defs[9].break_force = __builtin_nan("");
    for (int i = 0; i < 10; ++i) {
        kin_error error = {0};
        char text[1100];
        EQUAL(t, kin_world_add_attachment(w, &defs[i], NULL, &error), KIN_ERROR_ARGUMENT);
        kin_error_text(&error, text, sizeof text);
        HAS(t, text, words[i]);
    }
    EQUAL(t, w->attachments.count, 0);
    kin_world_destroy(w);
}

static bool attach_with_failing_memory(test* t, void* context)
{
    kin_world_def world_def = kin_world_def_default();
    kin_world* w;
    (void)context;
    world_def.allocator = t->allocator;
    world_def.threads = 1;
    if (kin_world_create(&world_def, &w, NULL) != KIN_OK) return false;
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group group = kin_particle_group_default();
    def.groups = &group;
    def.group_count = 1;
    kin_attachment_def held = to_point(0, kin_v(0, 1, 0), 10);
    bool ok = kin_particles_create(w, &def, NULL, NULL) == KIN_OK && kin_world_add_attachment(w, &held, NULL, NULL) == KIN_OK
              && kin_world_attach(w, &held, NULL, NULL) == KIN_OK && kin_world_step(w, NULL, NULL) == KIN_OK && w->attachments.count == 2;
    kin_world_destroy(w);
    return ok;
}

static void memory_may_fail(test* t) { test_fail_each_allocation(t, attach_with_failing_memory, NULL); }

static double kinetic_energy(kin_world* w, kin_system_id id)
{
    kin_measure list[40];
    size_t count = kin_world_measure(w, id.index1, list, 40);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(list[i].name, "kinetic_energy") == 0) return list[i].value;
    }
    return -1e300;
}

/* What pulls at one corner of a tray turns it, and so moves the others. Hung by four springs of any stiffness it gains no energy, and comes to hang, but
 * for the g h that its weight adds within each interval, and what turns it across the springs. */
static void a_tray_is_held_at_its_corners(test* t)
{
    for (uint64_t seed = 0; seed < 24; ++seed) {
        kin_rng_key key = {.seed = seed};
        const double h = 1.0 / 60, stiffness = exp(kin_rng_uniform(&key, 0, log(200.0), log(1e6)));
        kin_world* w = test_world(t, h, kin_v(0, -10, 0));
        kin_system_id id;
        kin_rigid_def def = kin_rigid_def_default();
        kin_body_def body = kin_body_def_default();
        def.mode = seed % 2 == 0 ? KIN_RIGID_REALTIME : KIN_RIGID_EXACT;
        EQUAL(t, kin_rigid_create(w, &def, &id, NULL), KIN_OK);
        body.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1.2, 0.1, 1.2}};
        body.mass = 2;
        body.spin = kin_rng_sphere(&key, 2, 0.5);
        test_body(t, w, id, &body);
        for (int i = 0; i < 4; ++i) {
            kin_attachment_def held = kin_attachment_def_default();
            kin_vec3 corner = {i % 2 == 0 ? 0.5 : -0.5, 0, i / 2 == 0 ? 0.5 : -0.5};
            held.a = (kin_anchor){id.index1, 0, corner};
            held.to_point = true;
            held.point = kin_add(corner, kin_v(0, 1, 0));
            held.stiffness = stiffness;
            held.damping_ratio = kin_rng_uniform(&key, 3, 0.3, 1);
            held.rest = 1;
            EQUAL(t, kin_world_add_attachment(w, &held, NULL, NULL), KIN_OK);
        }
        double most = 0, fall = 0.5 * 2 * kin_square(10 * h), swing = 0.5 * kin_square(2 * 10) / (4 * stiffness); /* J: of g h; of hanging down */
        for (int k = 0; k < 240; ++k) {
            test_steps(t, w, 1);
            most = kin_max(most, kinetic_energy(w, id));
        }
        test_check(t, most <= 0.5 + 2 * (fall + swing), __FILE__, __LINE__, "seed %d, springs of %g N/m: %g J", (int)seed, stiffness, most);
        test_check(t, kinetic_energy(w, id) <= fall + 0.1 * swing + 0.05, __FILE__, __LINE__, "seed %d, springs of %g N/m: %g J at the end", (int)seed,
                   stiffness, kinetic_energy(w, id));
        kin_world_destroy(w);
    }
}

TEST_MAIN("attach", TEST(two_swing_with_the_reduced_mass), TEST(damping_is_the_closed_forms), TEST(momentum_is_exact), TEST(mouse_jumps_are_stable),
          TEST(hangs_where_the_spring_balances), TEST(rigid_links_keep_length_and_speed), TEST(a_pendulum_has_its_period),
          TEST(many_at_one_element_stay_stable), TEST(a_tray_is_held_at_its_corners), TEST(a_taut_chain_keeps_its_links), TEST(forces_have_limits),
          TEST(colliders_and_keys_carry), TEST(passes_agree), TEST(restores_and_clones_alike), TEST(bad_defs_are_refused), TEST(memory_may_fail))
