/* hello.c - drops a ball on a floor and prints its height ten times a second.
 *
 *     cc hello.c $(pkg-config --cflags --libs kinema) -o hello && ./hello */
#include <kinema/kinema.h>
#include <stdio.h>

static int fail(const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    fprintf(stderr, "hello: %s\n", text);
    return 1;
}

int main(void)
{
    kin_error error = {0};
    kin_world* world;
    kin_world_def def = kin_world_def_default();
    def.time_step = 0.01; /* s */
    if (kin_world_create(&def, &world, &error) != KIN_OK) return fail(&error);
    kin_collider_def floor = kin_collider_def_default();
    floor.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    kin_particle_group ball = kin_particle_group_default();
    ball.position = (kin_vec3){0, 1, 0}; /* m */
    ball.radius = 0.1;
    kin_particles_def particles = kin_particles_def_default();
    particles.groups = &ball;
    particles.group_count = 1;
    kin_collider_id floor_id;
    kin_system_id balls;
    bool ok = kin_world_add_collider(world, &floor, &floor_id, &error) == KIN_OK && kin_particles_create(world, &particles, &balls, &error) == KIN_OK;

    for (int step = 0; ok && step <= 200; ++step) {
        if (step % 10 == 0) printf("%.1f s  %.3f m\n", kin_world_time(world), kin_particle_position(world, balls, 0).y);
        ok = kin_world_step(world, NULL, &error) == KIN_OK;
    }
    kin_world_destroy(world);
    return ok ? 0 : fail(&error);
}
