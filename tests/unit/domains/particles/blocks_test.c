/* blocks_test.c - leapfrog with a step for each particle: what it must equal, what it saves, and what it is told when it cannot go on. */
#include "domains/particles/blocks.h"
#include "base/arena.h"
#include "domains/particles/particles.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "support/world.h"
#include "system/gravity/initial.h"
#include <string.h>

enum { MOST = 64 };

/* ---- the stepper alone ---- */

/* n masses that pull each other, or one about a fixed centre of G m = 1; with drag, and the first `held` of them held. */
typedef struct masses {
    int n, held;
    bool centre;
    double softening2, drag;
    double mass[MOST];
    uint64_t asked; /* accelerations so far */
    uint64_t seen[MOST];
} masses;

static kin_vec3 pull_on(const masses* m, const double* y, int i)
{
    kin_vec3 x = kin_v(y[i], y[m->n + i], y[2 * m->n + i]), a = kin_v(0, 0, 0);
    if (m->centre) return kin_scale(x, -1 / (kin_length(x) * kin_length2(x)));
    for (int j = 0; j < m->n; ++j) {
        kin_vec3 d = kin_sub(kin_v(y[j], y[m->n + j], y[2 * m->n + j]), x);
        double r2 = kin_length2(d) + m->softening2;
        if (j != i) a = kin_add_scaled(a, m->mass[j] / (r2 * kin_sqrt(r2)), d);
    }
    return a;
}

static void derive(void* context, double t, const double* y, double* dydt, const uint32_t* active, uint32_t count)
{
    masses* m = context;
    int n = m->n;
    (void)t;
    for (int k = 0; k < 6 * n; ++k) dydt[k] = __builtin_nan(""); /* who is not asked for may be told anything */
    m->asked += count;
    for (uint32_t k = 0; k < count; ++k) {
        int i = active != NULL ? (int)active[k] : (int)k;
        kin_vec3 a = pull_on(m, y, i);
        const double pull[3] = {a.x, a.y, a.z};
        m->seen[i] += 1;
        for (int axis = 0; axis < 3; ++axis) {
            dydt[axis * n + i] = i < m->held ? 0 : y[(3 + axis) * n + i];
            dydt[(3 + axis) * n + i] = i < m->held ? 0 : pull[axis] - m->drag * y[(3 + axis) * n + i];
        }
    }
}

static void derive_all(void* context, double t, const double* y, double* dydt) { derive(context, t, y, dydt, NULL, (uint32_t)((masses*)context)->n); }

static kin_blocks blocks_of(masses* m, int levels, double accuracy, double length)
{
    return (kin_blocks){.n = m->n, .max_levels = levels, .accuracy = accuracy, .length = length, .context = m, .derivative = derive};
}

static kin_integrator_report go(test* t, masses* m, const kin_blocks* def, double h, int steps, double* y)
{
    kin_integrator_report report = {0};
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    for (int k = 0; k < steps; ++k) {
        double dydt[6 * MOST], next[6 * MOST];
        derive_all(m, k * h, y, dydt);
        report = kin_blocks_advance(def, k * h, h, y, dydt, next, &arena);
        CHECK(t, arena.used == 0);
        memcpy(y, next, 6 * (size_t)m->n * sizeof *y);
    }
    kin_arena_term(&arena);
    return report;
}

static masses cluster(int n, double* y)
{
    masses m = {.n = n, .softening2 = 0.01};
    kin_plummer plummer = {1, 1, 1};
    for (int i = 0; i < n; ++i) {
        kin_star s = kin_plummer_star(&plummer, 3, (uint64_t)i);
        const double six[6] = {s.position.x, s.position.y, s.position.z, s.velocity.x, s.velocity.y, s.velocity.z};
        for (int k = 0; k < 6; ++k) y[k * n + i] = six[k];
        m.mass[i] = 1.0 / n;
    }
    return m;
}

/* Without levels it is velocity_verlet; drag shows that velocities are told alike. */
static void one_level_is_velocity_verlet(test* t)
{
    double y[6 * MOST], z[6 * MOST], dydt[6 * MOST];
    masses m = cluster(20, y);
    m.drag = 0.3, m.held = 2;
    for (int k = 3 * m.n; k < 6 * m.n; k += m.n) y[k] = y[k + 1] = 0; /* velocity_verlet would move the held */
    kin_blocks def = blocks_of(&m, 0, 1e-9, 1);
    kin_ode ode = {.size = 6 * m.n, .pairs = 3 * m.n, .context = &m, .derivative = derive_all};
    const kin_integrator* plain = kin_integrator_named("velocity_verlet");
    kin_integrator_settings settings = kin_integrator_settings_default();
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    memcpy(z, y, sizeof z);
    for (int k = 0; k < 50; ++k) {
        double next[6 * MOST];
        derive_all(&m, 0, z, dydt);
        EQUAL(t, kin_integrator_advance(plain, KIN_SIMD_NONE, &settings, &ode, 0, 0.02, NULL, NULL, z, dydt, next, &arena).result, KIN_OK);
        memcpy(z, next, 6 * (size_t)m.n * sizeof *z);
    }
    EQUAL(t, go(t, &m, &def, 0.02, 50, y).steps, 1);
    for (int k = 0; k < 6 * m.n; ++k) NEAR(t, y[k], z[k], 1e-13);
    kin_arena_term(&arena);
}

/* All on one level: as many plain steps of that length. */
static void equal_levels_are_shorter_steps(test* t)
{
    double y[6 * MOST], z[6 * MOST];
    masses m = cluster(10, y);
    kin_blocks deep = blocks_of(&m, 3, 1e-9, 1), flat = blocks_of(&m, 0, 1e-9, 1);
    memcpy(z, y, sizeof z);
    EQUAL(t, go(t, &m, &deep, 0.08, 5, y).steps, 8);
    go(t, &m, &flat, 0.01, 40, z);
    for (int k = 0; k < 6 * m.n; ++k) NEAR(t, y[k], z[k], 1e-13);
}

static double orbit_energy(const double* y) { return 0.5 * (y[3] * y[3] + y[4] * y[4] + y[5] * y[5]) - 1 / kin_sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]); }

enum { INTERVALS = 5 * 64 };

/* Of e = 0.9, over five orbits: the most that the energy is off after every 64th of one, relative. *asked: forces that took. */
static double orbit_error(test* t, int levels, int steps, uint64_t* asked)
{
    const double e = 0.9, h = 6.283185307179586 / 64, start[6] = {1 + e, 0, 0, 0, kin_sqrt((1 - e) / (1 + e)), 0};
    double y[6], worst = 0;
    masses m = {.n = 1, .centre = true};
    kin_blocks def = blocks_of(&m, levels, 0.03, 1 - e);
    memcpy(y, start, sizeof y);
    for (int k = 0; k < INTERVALS; ++k) {
        go(t, &m, &def, h / steps, steps, y);
        worst = kin_max(worst, kin_abs(orbit_energy(y) / orbit_energy(start) - 1));
    }
    *asked = m.asked;
    return worst;
}

/* Fixed steps pay everywhere for the pericentre. */
static void long_ellipse_gains(test* t)
{
    uint64_t blocks, fixed;
    double by_blocks = orbit_error(t, 7, 1, &blocks);
    double by_fixed = orbit_error(t, 0, (int)(blocks / (2 * INTERVALS)) + 1, &fixed); /* two forces a step */
    CHECK(t, fixed >= blocks);
    test_check(t, by_blocks < by_fixed / 5, __FILE__, __LINE__, "energy off by %g in blocks, %g in fixed steps of as many forces (%d)", by_blocks, by_fixed,
               (int)blocks);
}

/* Half the longest step of all: a quarter of the error (second order), while levels stay what they are. */
static void order_is_two(test* t)
{
    double off[2];
    for (int k = 0; k < 2; ++k) {
        double y[6 * MOST], z[6 * MOST];
        masses m = cluster(16, y);
        memcpy(z, y, sizeof z);
        kin_blocks coarse = blocks_of(&m, 6, 0.1 / (1 << k), 0.1), fine = blocks_of(&m, 0, 1, 1);
        go(t, &m, &coarse, 0.1 / (1 << k), 10 << k, y);
        go(t, &m, &fine, 1.0 / 8192, 8192, z);
        off[k] = 0;
        for (int i = 0; i < 6 * m.n; ++i) off[k] = kin_max(off[k], kin_abs(y[i] - z[i]));
    }
    CHECK(t, off[0] > 2.5 * off[1] && off[0] < 7 * off[1] && off[1] > 1e-9);
}

/* A close pair far from a lone star: the star is asked for once an interval. */
static void the_calm_are_left_alone(test* t)
{
    masses m = {.n = 3, .mass = {1, 1, 1}};
    double y[18] = {0, 0.02, 50, 0, 0, 0, 0, 0, 0, /* v: */ 0, 0, 0, -5, 5, 0, 0, 0, 0};
    kin_blocks def = blocks_of(&m, 8, 0.05, 0.02);
    int most = go(t, &m, &def, 0.05, 1, y).steps;
    EQUAL(t, m.seen[2], 2); /* its start and its end */
    EQUAL(t, m.seen[0], 1 + most);
    CHECK(t, most >= 128);
    NEAR(t, m.mass[0] * (y[9] + y[10]) + y[11], 0, 1e-3); /* who is pulled now and then pulls always: momentum to the order of the method */
}

static void who_is_held_stays(test* t)
{
    masses m = {.n = 2, .held = 1, .mass = {1, 1}};
    double y[12] = {1, 2, 0, 0, 0, 0, 7, 0, 0, 1, 0, 0};
    kin_blocks def = blocks_of(&m, 4, 0.01, 1);
    go(t, &m, &def, 0.1, 3, y);
    CHECK(t, y[0] == 1 && y[6] == 7 && y[1] < 2);
    EQUAL(t, m.seen[0], 3); /* at each start, which asks for all */
    m.held = 2;
    EQUAL(t, go(t, &m, &def, 0.1, 1, y).steps, 0);
}

static void holes_are_told(test* t)
{
    masses m = {.n = 1, .centre = true};
    double y[6] = {1e-200, 0, 0, 0, 1, 0};
    kin_blocks def = blocks_of(&m, 2, 0.1, 1);
    kin_integrator_report report = go(t, &m, &def, 0.1, 1, y);
    EQUAL(t, report.result, KIN_ERROR_NUMERICS);
    CHECK(t, report.worst >= 0 && report.worst < 6);
}

/* ---- in a world ---- */

static kin_system_id add_stars(test* t, kin_world* w, const char* integrator, int count, double softening, double length)
{
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    kin_attraction_field pull;
    kin_system_id id = {0};
    kin_error error = {0};
    for (int i = 0; kin_particles_integrators()[i] != NULL; ++i) {
        if (strcmp(kin_particles_integrators()[i], integrator) == 0) def.integrator = i;
    }
    kin_field_default("attraction", &pull);
    pull.attraction = 1;
    pull.softening = softening;
    EQUAL(t, kin_world_add_field(w, "attraction", &pull, NULL, &error), KIN_OK);
    groups[0].form = KIN_FORM_PLUMMER;
    groups[0].count = count;
    groups[0].mass = 1.0 / count;
    groups[0].size = 1;
    groups[0].constant = 1;
    groups[0].radius = groups[1].radius = 0;
    groups[1].position = kin_v(0.05, 0, 0);
    groups[1].velocity = kin_v(0, 0.2, 0);
    groups[1].mass = 1.0 / count;
    def.block_length = length;
    def.groups = groups;
    def.group_count = 2;
    EQUAL(t, kin_particles_create(w, &def, &id, &error), KIN_OK);
    return id;
}

static kin_world* stars_world(test* t, int threads, double h)
{
    kin_world_def def = kin_world_def_default();
    kin_world* w = NULL;
    def.allocator = t->allocator;
    def.threads = threads;
    def.time_step = h;
    def.gravity = kin_v(0, 0, 0);
    EQUAL(t, kin_world_create(&def, &w, NULL), KIN_OK);
    return w;
}

/* Kinetic and softened potential, of all pairs; *momentum: its length. */
static double energy_of(kin_particles_view p, double softening, double* momentum)
{
    double sum = 0;
    kin_vec3 total = kin_v(0, 0, 0);
    for (size_t i = 0; i < p.count; ++i) {
        kin_vec3 v = kin_v(p.vx[i], p.vy[i], p.vz[i]);
        sum += 0.5 * p.mass[i] * kin_length2(v);
        total = kin_add_scaled(total, p.mass[i], v);
        for (size_t j = 0; j < i; ++j) {
            double r2 = kin_square(p.x[i] - p.x[j]) + kin_square(p.y[i] - p.y[j]) + kin_square(p.z[i] - p.z[j]) + softening * softening;
            sum -= p.mass[i] * p.mass[j] / kin_sqrt(r2);
        }
    }
    *momentum = kin_length(total);
    return sum;
}

typedef struct outcome {
    double energy_off, momentum_off;
    uint64_t forces, stars;
} outcome;

/* A cluster whose last two stars are a close pair. */
static outcome run_pair_in_cluster(test* t, const char* integrator, double h, int steps)
{
    const double softening = 0.002;
    kin_world* w = stars_world(t, 1, h);
    kin_system_id id = add_stars(t, w, integrator, 150, softening, 0);
    kin_particles* p = kin_world_system_self(w, id, &kin_particles_ops);
    size_t n = p->count;
    double close = 0.01, speed = kin_sqrt(p->mass[n - 1] / (2 * close)), before, after;
    outcome out = {.stars = n};
    for (int axis = 0; axis < 3; ++axis) p->x[axis][n - 2] = p->x[axis][n - 1], p->v[axis][n - 2] = p->v[axis][n - 1];
    p->x[0][n - 2] += close;
    p->v[1][n - 2] += speed, p->v[1][n - 1] -= speed;
    double energy = energy_of(kin_particles_state(w, id), softening, &before);
    for (int k = 0; k < steps; ++k) {
        EQUAL(t, kin_world_step(w, NULL, NULL), KIN_OK);
        out.forces += kin_particles_forces(p);
        out.energy_off = kin_max(out.energy_off, kin_abs(energy_of(kin_particles_state(w, id), softening, &after) / energy - 1));
    }
    out.momentum_off = kin_abs(after - before);
    kin_world_destroy(w);
    return out;
}

/* The same cluster, as exact as the pair wants it, by shorter steps for all and by blocks: a fraction of the forces. */
static void a_pair_does_not_cost_the_cluster(test* t)
{
    outcome blocks = run_pair_in_cluster(t, "block_leapfrog", 1.0 / 64, 32), whole = run_pair_in_cluster(t, "velocity_verlet", 1.0 / 64, 32);
    outcome fine = run_pair_in_cluster(t, "velocity_verlet", 1.0 / 4096, 2048);
    uint64_t all = 2 * 2048 * fine.stars;
    EQUAL(t, fine.forces, all);
    test_check(t, blocks.forces < all / 8, __FILE__, __LINE__, "%llu forces of %llu", (unsigned long long)blocks.forces, (unsigned long long)all);
    test_check(t, blocks.energy_off < 10 * fine.energy_off + 1e-7 && blocks.energy_off < whole.energy_off / 20, __FILE__, __LINE__,
               "energy off by %g in blocks, %g in short steps, %g in long ones", blocks.energy_off, fine.energy_off, whole.energy_off);
    test_check(t, blocks.momentum_off < 1e-6 && fine.momentum_off < 1e-13, __FILE__, __LINE__, "momentum off by %g and %g", blocks.momentum_off,
               fine.momentum_off);
}

/* Enough stars for the multipole walk. */
static void same_bits_for_threads_and_after_a_restore(test* t)
{
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        kin_world* w = stars_world(t, threads, 0.02);
        kin_snapshot middle = {0};
        add_stars(t, w, "block_leapfrog", 3000, 0.01, 0);
        test_steps(t, w, 2);
        EQUAL(t, kin_world_snapshot(w, &middle, NULL), KIN_OK);
        test_steps(t, w, 2);
        uint64_t hash = kin_world_state_hash(w);
        if (threads == 1) first = hash;
        CHECK(t, hash == first);
        EQUAL(t, kin_world_restore(w, &middle, NULL), KIN_OK);
        test_steps(t, w, 2);
        CHECK(t, kin_world_state_hash(w) == first);
        kin_snapshot_free(&middle);
        kin_world_destroy(w);
    }
}

static void nothing_is_allocated_again(test* t)
{
    kin_world* w = stars_world(t, 1, 0.02);
    add_stars(t, w, "block_leapfrog", 2500, 0.01, 0);
    test_steps(t, w, 4);
    uint64_t before = t->allocations;
    test_steps(t, w, 2);
    EQUAL(t, t->allocations - before, 0);
    kin_world_destroy(w);
}

static void a_length_is_asked_for(test* t)
{
    kin_world* w = stars_world(t, 1, 0.01);
    kin_step_report report;
    kin_error error = {0};
    add_stars(t, w, "block_leapfrog", 5, 0, 0);
    CHECK(t, kin_world_step(w, &report, &error) != KIN_OK);
    HAS(t, error.message, "block_length");
    kin_world_destroy(w);
    w = stars_world(t, 1, 0.01);
    add_stars(t, w, "block_leapfrog", 5, 0, 0.01);
    test_steps(t, w, 1);
    kin_world_destroy(w);
}

/* Nobody to be pulled by: it is velocity_verlet, to the bit. */
static void alone_it_is_velocity_verlet(test* t)
{
    kin_vec3 ends[2];
    for (int k = 0; k < 2; ++k) {
        kin_world* w = test_world(t, 0.01, kin_v(0, -9.81, 0));
        kin_system_id ball = test_ball(t, w, &(test_ball_setup){.integrator = k == 0 ? "block_leapfrog" : "velocity_verlet", .velocity = {1, 2, 3}});
        test_steps(t, w, 100);
        ends[k] = kin_particle_position(w, ball, 0);
        kin_world_destroy(w);
    }
    CHECK(t, memcmp(&ends[0], &ends[1], sizeof ends[0]) == 0);
}

static bool advance_once(test* t, void* context)
{
    (void)context;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    masses m = {.n = 1, .centre = true};
    double y[6] = {1, 0, 0, 0, 1, 0}, dydt[6], next[6];
    kin_blocks blocks = blocks_of(&m, 2, 0.1, 1);
    derive_all(&m, 0, y, dydt);
    kin_result result = kin_blocks_advance(&blocks, 0, 0.1, y, dydt, next, &arena).result;
    CHECK(t, result == KIN_OK || result == KIN_ERROR_MEMORY);
    kin_arena_term(&arena);
    return result == KIN_OK;
}

static void every_allocation_may_fail(test* t) { test_fail_each_allocation(t, advance_once, NULL); }

TEST_MAIN("particles/blocks", TEST(one_level_is_velocity_verlet), TEST(equal_levels_are_shorter_steps), TEST(long_ellipse_gains), TEST(order_is_two),
          TEST(the_calm_are_left_alone), TEST(who_is_held_stays), TEST(holes_are_told), TEST(a_pair_does_not_cost_the_cluster),
          TEST(same_bits_for_threads_and_after_a_restore), TEST(nothing_is_allocated_again), TEST(a_length_is_asked_for), TEST(alone_it_is_velocity_verlet),
          TEST(every_allocation_may_fail))
