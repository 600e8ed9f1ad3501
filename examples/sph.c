/* sph.c - particle fluids from a program: a dam breaks in a box, a ball swims in it; how high the water stands, how fast it is, what the solver says, and what a
 * gauge at the foot of the left wall reads.
 *
 *     cc sph.c $(pkg-config --cflags --libs kinema) -o sph && ./sph */
#include <kinema/kinema.h>
#include <kinema/sph.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 240 };

static int fail(const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    fprintf(stderr, "sph: %s\n", text);
    return 1;
}

/* A floor and four walls: planes, whose normals look at the water. 1.2 m by 0.3 m. */
static bool add_box(kin_world* world, kin_error* error)
{
    static const kin_vec3 normals[] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    static const kin_vec3 points[] = {{0, 0, 0}, {-0.6, 0, 0}, {0.6, 0, 0}, {0, 0, -0.15}, {0, 0, 0.15}};
    for (int i = 0; i < 5; ++i) {
        kin_collider_def def = kin_collider_def_default();
        def.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normals[i]};
        def.position = points[i];
        if (kin_world_add_collider(world, &def, NULL, error) != KIN_OK) return false;
    }
    return true;
}

/* A ball of half the density of water, to the right of the dam. Bodies come before the tank: where they are, no water is put. */
static bool add_ball(kin_world* world, kin_system_id* rigid, kin_error* error)
{
    kin_rigid_def bodies = kin_rigid_def_default();
    kin_body_def ball = kin_body_def_default();
    ball.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.08};
    ball.density = 500;
    ball.position = (kin_vec3){0.3, 0.08, 0};
    return kin_rigid_create(world, &bodies, rigid, error) == KIN_OK && kin_rigid_add_body(world, *rigid, &ball, NULL, error) == KIN_OK;
}

/* 0.4 m by 0.4 m of water at the left end. Blocks are copied: they may live here. */
static bool add_water(kin_world* world, kin_system_id* water, kin_error* error)
{
    kin_sph_block dam = kin_sph_block_default();
    dam.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.4, 0.4, 0.3}};
    dam.position = (kin_vec3){-0.4, 0.2, 0};
    kin_sph_phase_def fluid = kin_sph_phase_def_default();
    fluid.fluid = "water";
    kin_sph_def def = kin_sph_def_default();
    def.name = "water";
    def.radius = 0.0125;
    def.phases.data = &fluid;
    def.phases.count = 1;
    def.blocks.data = &dam;
    def.blocks.count = 1;
    return kin_sph_create(world, &def, water, error) == KIN_OK;
}

static double measure(const kin_world* world, kin_system_id id, const char* name)
{
    kin_measure rows[64];
    size_t count = kin_world_measure(world, id.index1, rows, 64);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(rows[i].name, name) == 0) return rows[i].value;
    }
    return 0;
}

/* How high the highest particle between x and x + 0.1 m is: positions are floats relative to the view's origin, four a particle. */
static double level(const kin_world* world, kin_system_id water, double x)
{
    kin_sph_view v = kin_sph_state(world, water);
    double high = 0;
    for (size_t i = 0; i < v.count; ++i) {
        double px = v.origin.x + v.position[4 * i], py = v.origin.y + v.position[4 * i + 1];
        if (px >= x && px < x + 0.1 && py > high) high = py;
    }
    return high;
}

/* Pressure and speed at a point, as a gauge there has them. Where no water is near, all it says is 0. */
static bool read_gauge(const kin_world* world, kin_system_id water, kin_vec3 at, kin_error* error)
{
    kin_sph_probed p;
    if (kin_sph_probe(world, water, &at, 1, &p, error) != KIN_OK) return false;
    printf("gauge: %.0f %% full, %.0f Pa, %.2f m/s to the right, spinning at %.1f rad/s\n", 100 * p.filled, p.pressure.value, p.velocity[0].value,
           0.5 * p.curl.z);
    return true;
}

static bool run(kin_world* world, kin_system_id water, kin_system_id rigid, kin_error* error)
{
    printf("%zu particles, %.1f kg of water\n", kin_sph_state(world, water).count, measure(world, water, "mass"));
    printf("  time  left  right  ball      energy  squeezed  ticks\n");
    for (int step = 1; step <= STEPS; ++step) {
        if (kin_world_step(world, NULL, error) != KIN_OK) return false;
        if (step % 30 != 0) continue;
        double energy = measure(world, water, "kinetic_energy") + measure(world, water, "potential_energy");
        printf("%4.1f s  %.2f   %.2f  %.2f m  %6.2f J  %6.3f %%  %5.0f\n", kin_world_time(world), level(world, water, -0.6), level(world, water, 0.5),
               kin_rigid_state(world, rigid, 0).center.y, energy, 100 * measure(world, water, "density_error"), measure(world, water, "ticks"));
    }
    return read_gauge(world, water, (kin_vec3){-0.55, 0.05, 0}, error);
}

int main(void)
{
    kin_error error = {0};
    kin_world* world;
    kin_world_def def = kin_world_def_default();
    kin_system_id rigid, water;
    if (kin_world_create(&def, &world, &error) != KIN_OK) return fail(&error);
    bool ok = add_box(world, &error) && add_ball(world, &rigid, &error) && add_water(world, &water, &error) && run(world, water, rigid, &error);
    kin_world_destroy(world);
    return ok ? 0 : fail(&error);
}
