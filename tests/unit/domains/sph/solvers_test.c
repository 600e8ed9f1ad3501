/* solvers_test.c - the five pressure solvers on the same fluid: a column that comes to rest, a dam whose front is the same, and what nobody should do to them. */
#include "kinema/kinema.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include <math.h>
#include <string.h>

static const struct {
    const char* name;
    kin_sph_solver solver;
} solvers[] = {{"wcsph", KIN_SPH_WCSPH}, {"pcisph", KIN_SPH_PCISPH}, {"iisph", KIN_SPH_IISPH}, {"dfsph", KIN_SPH_DFSPH}, {"pbf", KIN_SPH_PBF}};
#define SOLVERS (sizeof solvers / sizeof *solvers)

typedef struct pool {
    kin_world* world;
    kin_system_id fluid;
} pool;

static kin_sph_def def_of(kin_sph_solver solver, double spacing)
{
    kin_sph_def def = kin_sph_def_default();
    def.solver = solver, def.radius = 0.5 * spacing;
    return def;
}

/* The def's blocks, without tension: pressure alone is looked at. */
static void put_water(test* t, pool* p, kin_sph_def def)
{
    kin_sph_phase_def slack = kin_sph_phase_def_default();
    kin_error error = {0};
    slack.tension = 0;
    def.phases.data = &slack, def.phases.count = 1;
    test_check(t, kin_sph_create(p->world, &def, &p->fluid, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
}

static pool open_box(test* t, kin_vec3 size, double step)
{
    pool p = {.world = test_world(t, step, kin_v(0, -9.81, 0))};
    kin_material_id wall = test_material(t, p.world, "wall", 0, 0);
    test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), wall);
    test_plane(t, p.world, kin_v(0, 0, 0), kin_v(1, 0, 0), wall);
    test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 0, 1), wall);
    test_plane(t, p.world, kin_v(size.x, 0, 0), kin_v(-1, 0, 0), wall);
    test_plane(t, p.world, kin_v(0, 0, size.z), kin_v(0, 0, -1), wall);
    return p;
}

/* nx x ny x nz particles in the corner of a box that is open above. */
static pool pool_of(test* t, kin_sph_def def, const int n[3], kin_vec3 box, double step)
{
    const double spacing = 2 * def.radius;
    kin_sph_block block = kin_sph_block_default();
    kin_vec3 size = kin_v(n[0] * spacing, n[1] * spacing, n[2] * spacing);
    block.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = size};
    block.position = kin_scale(size, 0.5);
    def.blocks.data = &block, def.blocks.count = 1;
    pool p = open_box(t, box, step);
    put_water(t, &p, def);
    EQUAL(t, kin_sph_state(p.world, p.fluid).count, n[0] * n[1] * n[2]);
    return p;
}

typedef struct look {
    double rms, height, front;
} look;

static look look_at(const pool* p)
{
    kin_sph_view v = kin_sph_state(p->world, p->fluid);
    look l = {0};
    for (size_t i = 0; i < v.count; ++i) {
        const float *u = v.velocity + 4 * i, *x = v.position + 4 * i;
        l.rms += (double)u[0] * (double)u[0] + (double)u[1] * (double)u[1] + (double)u[2] * (double)u[2];
        l.height += v.origin.y + (double)x[1];
        l.front = fmax(l.front, v.origin.x + (double)x[0]);
    }
    return (look){sqrt(l.rms / (double)v.count), l.height / (double)v.count, l.front};
}

/* Root of the mean square of speeds over the next half second: who finds a better order shakes his neighbours for a moment, so an instant tells little. */
static double watch(test* t, const pool* p)
{
    double square = 0;
    for (int i = 0; i < 20; ++i) {
        test_steps(t, p->world, 5);
        double rms = look_at(p).rms;
        square += rms * rms / 20;
    }
    return sqrt(square);
}

static void rests(test* t, kin_sph_solver solver)
{
    double spacing = 0.5 / 23;
    pool p = pool_of(t, def_of(solver, spacing), (int[]){5, 23, 5}, kin_v(5 * spacing, 1, 5 * spacing), 0.005);
    test_steps(t, p.world, 250);
    double before = watch(t, &p);
    test_steps(t, p.world, 250);
    double height = look_at(&p).height, after = watch(t, &p);
    test_check(t, after < 0.005, __FILE__, __LINE__, "rms speed %.5f m/s from 3 s to 3.5 s", after);
    test_check(t, after < 0.5 * before, __FILE__, __LINE__, "rms speed %.5f m/s from 1.25 s to 1.75 s, %.5f from 3 s to 3.5 s", before, after);
    NEAR(t, look_at(&p).height / height, 1, 1e-4);
    kin_world_destroy(p.world);
}
static void wcsph_comes_to_rest(test* t) { rests(t, KIN_SPH_WCSPH); }
static void pcisph_comes_to_rest(test* t) { rests(t, KIN_SPH_PCISPH); }
static void iisph_comes_to_rest(test* t) { rests(t, KIN_SPH_IISPH); }
static void dfsph_comes_to_rest(test* t) { rests(t, KIN_SPH_DFSPH); }
static void pbf_comes_to_rest(test* t) { rests(t, KIN_SPH_PBF); }

/* The wider the kernel, the more neighbours answer a correction. Nobody falls as fast as from the surface to the floor. */
static void a_wide_kernel_does_not_burst(test* t)
{
    kin_sph_def def = def_of(KIN_SPH_PCISPH, 0.05);
    def.kernel = KIN_SPH_QUINTIC, def.support = 6;
    pool p = pool_of(t, def, (int[]){10, 12, 10}, kin_v(0.5, 1, 0.5), 1.0 / 60);
    for (int i = 0; i < 12; ++i) {
        test_steps(t, p.world, 1);
        double rms = look_at(&p).rms;
        if (!test_check(t, rms < sqrt(2 * 9.81 * 0.6), __FILE__, __LINE__, "rms speed %.4g m/s in step %d", rms, i)) break;
    }
    kin_world_destroy(p.world);
}

static double energy_of(const pool* p)
{
    kin_measure rows[64];
    size_t count = kin_world_measure(p->world, p->fluid.index1, rows, 64);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(rows[i].name, "kinetic_energy") == 0 || strcmp(rows[i].name, "potential_energy") == 0) sum += rows[i].value;
    }
    return sum;
}

/* A lump with gaps round it, under water with gaps to panes and floor. The gaps close, and at the bottom particles are pressed into each other by a third, which
 * makes ticks short: they are not thrown back with more than they came with. */
static void gaps_that_close_add_no_energy(test* t)
{
    for (size_t s = 1; s < SOLVERS; ++s) { /* wcsph keeps energy in compression */
        kin_sph_def def = def_of(solvers[s].solver, 0.016);
        kin_sph_block blocks[2] = {kin_sph_block_default(), kin_sph_block_default()};
        blocks[0].shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_v(0.35, 0.08, 0.16)};
        blocks[0].position = kin_v(0, 0.05, 0);
        blocks[1].shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_v(0.5, 0.4, 0.25)};
        blocks[1].position = kin_v(0, 0.211, 0);
        def.blocks.data = blocks, def.blocks.count = 2;
        pool p = {.world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0))};
        kin_material_id wall = test_material(t, p.world, "wall", 0, 0);
        test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), wall);
        for (int side = -1; side <= 1; side += 2) {
            test_box(t, p.world, kin_v(0.265 * side, 0.3, 0), kin_v(0.03, 0.6, 0.31), wall);
            test_box(t, p.world, kin_v(0, 0.3, 0.14 * side), kin_v(0.5, 0.6, 0.03), wall);
        }
        put_water(t, &p, def);
        double first = energy_of(&p), most = 0;
        for (int i = 0; i < 10; ++i) {
            test_steps(t, p.world, 1);
            most = fmax(most, energy_of(&p));
        }
        test_check(t, most <= first, __FILE__, __LINE__, "%s: energy was %.4g J, then up to %.4g J", solvers[s].name, first, most);
        kin_world_destroy(p.world);
    }
}

/* Heavy fluid under water, neither the height of it nor the tank a whole number of spacings, and a lattice that is not quite one. */
static pool two_fluids(test* t, kin_sph_solver solver, double density, double jitter)
{
    const double spacing = 0.016;
    const kin_vec3 size = {12.4 * spacing, 24 * spacing, 9.7 * spacing};
    kin_sph_def def = def_of(solver, spacing);
    kin_sph_phase_def phases[2] = {kin_sph_phase_def_default(), kin_sph_phase_def_default()};
    kin_sph_block blocks[2] = {kin_sph_block_default(), kin_sph_block_default()};
    phases[0].tension = phases[1].tension = 0;
    phases[1].name = "brine", phases[1].density = density;
    blocks[0].shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_v(size.x, 0.07, size.z)};
    blocks[0].position = kin_v(0.5 * size.x, 0.035, 0.5 * size.z), blocks[0].phase = "brine";
    blocks[1].shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = size};
    blocks[1].position = kin_scale(size, 0.5);
    blocks[0].jitter = blocks[1].jitter = jitter;
    def.phases.data = phases, def.phases.count = 2, def.blocks.data = blocks, def.blocks.count = 2;
    pool p = open_box(t, kin_v(size.x, 1, size.z), 1.0 / 60);
    CHECK(t, kin_sph_create(p.world, &def, &p.fluid, NULL) == KIN_OK);
    return p;
}

/* No gap lets it fall by more than a twentieth of a spacing, and what holds it does not throw it: it rises by no more than the compression that is tolerated,
 * which is worth that share of what lifting the fluid took. */
static void a_tank_at_rest_starts_at_rest(test* t)
{
    const double fallen = sqrt(2 * 9.81 * 0.05 * 0.016), tolerated = kin_sph_def_default().density_error;
    for (size_t s = 1; s < SOLVERS; ++s) { /* wcsph gives way until it is pressed */
        for (int kind = 0; kind < 3; ++kind) {
            pool p = two_fluids(t, solvers[s].solver, kind == 1 ? 3000 : 1000, kind == 2 ? 0.02 : 0);
            double first = energy_of(&p), energy = 0, speed = 0;
            for (int i = 0; i < 30; ++i) {
                test_steps(t, p.world, 1);
                energy = fmax(energy, energy_of(&p)), speed = fmax(speed, look_at(&p).rms);
            }
            test_check(t, speed < fallen, __FILE__, __LINE__, "%s, %d: rms speed up to %.3g m/s", solvers[s].name, kind, speed);
            test_check(t, energy <= first * (1 + tolerated), __FILE__, __LINE__, "%s, %d: energy was %.5g J, then up to %.5g J", solvers[s].name, kind, first,
                       energy);
            kin_world_destroy(p.world);
        }
    }
}

typedef struct bath {
    pool p;
    kin_system_id bodies;
    uint32_t ball;
} bath;

/* A ball of water's weight, 5 spacings wide, within water, of one of two sorts of boundary. late: put there when water is there already. */
static bath bath_of(test* t, kin_sph_solver solver, kin_sph_boundary boundary, double step, bool late)
{
    const double spacing = 0.02, side = 0.3;
    bath b = {.p = open_box(t, kin_v(side, 1, side), step)};
    kin_rigid_def rigid = kin_rigid_def_default();
    kin_body_def ball = kin_body_def_default();
    kin_sph_def def = def_of(solver, spacing);
    kin_sph_block block = kin_sph_block_default();
    CHECK(t, kin_rigid_create(b.p.world, &rigid, &b.bodies, NULL) == KIN_OK);
    ball.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.05}, ball.density = 1000, ball.position = kin_v(0.147, 0.153, 0.15);
    ball.material = test_material(t, b.p.world, "wax", 0, 0);
    if (!late) b.ball = test_body(t, b.p.world, b.bodies, &ball);
    block.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_v(side, side, side)}, block.position = kin_v(0.5 * side, 0.5 * side, 0.5 * side);
    def.blocks.data = &block, def.blocks.count = 1, def.boundary = boundary;
    put_water(t, &b.p, def);
    if (late) b.ball = test_body(t, b.p.world, b.bodies, &ball);
    return b;
}

/* Highest speed of the ball in a tenth of a second, and highest energy of the water. */
static double watch_bath(test* t, const bath* b, double step, double* energy)
{
    double speed = 0;
    for (double time = 0; time < 0.1; time += step) {
        test_steps(t, b->p.world, 1);
        *energy = fmax(*energy, energy_of(&b->p)), speed = fmax(speed, kin_length(kin_rigid_state(b->p.world, b->bodies, b->ball).velocity));
    }
    return speed;
}

static const kin_sph_boundary boundaries[2] = {KIN_SPH_MAPS, KIN_SPH_SAMPLES};

/* The lattice leaves gaps of at most a quarter of a spacing round it. Nobody falls further than through them, nor is thrown, however short the ticks. */
static void a_ball_in_water_starts_at_rest(test* t)
{
    static const double steps[2] = {1.0 / 200, 1.0 / 1000};
    const double fallen = sqrt(2 * 9.81 * 0.25 * 0.02);
    for (size_t s = 1; s < SOLVERS; ++s) { /* wcsph keeps energy in compression */
        for (int k = 0; k < 4; ++k) {
            bath b = bath_of(t, solvers[s].solver, boundaries[k % 2], steps[k / 2], false);
            double first = energy_of(&b.p), energy = 0, speed = watch_bath(t, &b, steps[k / 2], &energy);
            test_check(t, speed < fallen, __FILE__, __LINE__, "%s, %d: the ball has up to %.3g m/s", solvers[s].name, k, speed);
            test_check(t, energy <= first, __FILE__, __LINE__, "%s, %d: energy was %.5g J, then up to %.5g J", solvers[s].name, k, first, energy);
            kin_world_destroy(b.p.world);
        }
    }
}

/* Twice as much fluid as there is room for, where it is put: it makes room, and throws nobody faster than by falling the ball's own height. */
static void a_ball_put_into_water_is_not_thrown(test* t)
{
    static const double steps[2] = {1.0 / 60, 1.0 / 1000};
    const double fallen = sqrt(2 * 9.81 * 0.1);
    for (size_t s = 1; s < SOLVERS; ++s) {
        for (int k = 0; k < 4; ++k) {
            bath b = bath_of(t, solvers[s].solver, boundaries[k % 2], steps[k / 2], true);
            double energy = 0, speed = watch_bath(t, &b, steps[k / 2], &energy), rms = look_at(&b.p).rms;
            test_check(t, speed < fallen && rms < fallen, __FILE__, __LINE__, "%s, %d: the ball has up to %.3g m/s, water %.3g m/s", solvers[s].name, k, speed,
                       rms);
            kin_world_destroy(b.p.world);
        }
    }
}

/* Fronts within 3 % of their mean. */
static void dams_agree(test* t)
{
    double fronts[SOLVERS], mean = 0;
    for (size_t s = 0; s < SOLVERS; ++s) {
        pool p = pool_of(t, def_of(solvers[s].solver, 0.05), (int[]){20, 20, 8}, kin_v(4, 3, 0.4), 0.005);
        test_steps(t, p.world, 70);
        fronts[s] = look_at(&p).front;
        mean += fronts[s] / SOLVERS;
        kin_world_destroy(p.world);
    }
    for (size_t s = 0; s < SOLVERS; ++s) {
        test_check(t, fabs(fronts[s] / mean - 1) < 0.03, __FILE__, __LINE__, "%s: front at %.3f m, mean of all %.3f m", solvers[s].name, fronts[s], mean);
    }
}

TEST_MAIN("sph_solvers", TEST(wcsph_comes_to_rest), TEST(pcisph_comes_to_rest), TEST(iisph_comes_to_rest), TEST(dfsph_comes_to_rest), TEST(pbf_comes_to_rest),
          TEST(a_wide_kernel_does_not_burst), TEST(gaps_that_close_add_no_energy), TEST(a_tank_at_rest_starts_at_rest), TEST(a_ball_in_water_starts_at_rest),
          TEST(a_ball_put_into_water_is_not_thrown), TEST(dams_agree))
