/* drag.c - a hand in the world: takes hold of one end of a chain by a ray, as a mouse would, carries it in a circle and lets go.
 *
 *     cc drag.c $(pkg-config --cflags --libs kinema) -o drag && ./drag */
#include <kinema/kinema.h>
#include <stdio.h>

enum { LINKS = 8 };

static int fail(const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    fprintf(stderr, "drag: %s\n", text);
    return 1;
}

/* A chain that hangs from the origin: rigid links of 0.1 m. */
static bool make_chain(kin_world* world, kin_system_id* chain, kin_error* error)
{
    kin_particle_group points[LINKS];
    for (int i = 0; i < LINKS; ++i) {
        points[i] = kin_particle_group_default();
        points[i].position.y = -0.1 * (i + 1);
        points[i].mass = 0.05;
    }
    kin_particles_def def = kin_particles_def_default();
    def.groups = points;
    def.group_count = LINKS;
    if (kin_particles_create(world, &def, chain, error) != KIN_OK) return false;
    for (uint32_t i = 0; i < LINKS; ++i) {
        kin_attachment_def link = kin_attachment_def_default();
        link.a = (kin_anchor){chain->index1, i, {0, 0, 0}};
        link.b = (kin_anchor){chain->index1, i - 1, {0, 0, 0}};
        link.to_point = i == 0; /* the first is held to the origin */
        link.rigid = true;
        link.rest = 0.1;
        if (kin_world_add_attachment(world, &link, NULL, error) != KIN_OK) return false;
    }
    return true;
}

int main(void)
{
    kin_error error = {0};
    kin_world* world;
    kin_world_def def = kin_world_def_default();
    if (kin_world_create(&def, &world, &error) != KIN_OK) return fail(&error);
    const kin_vec3 eye = {0, -0.4, 3};
    kin_system_id chain;
    kin_attachment_id hand = {0};
    bool ok = make_chain(world, &chain, &error);
    for (int step = 0; ok && step <= 240; ++step) {
        kin_vec3 ray = {0.003 * step, -0.4, -3}; /* a pointer that moves to the right */
        if (step == 30) ok = kin_world_grab(world, eye, ray, 0.2, NULL, &hand, &error) == KIN_OK && hand.serial != 0;
        if (step > 30 && step < 150) ok = kin_world_drag(world, hand, eye, ray, &error) == KIN_OK;
        if (step == 150) ok = kin_world_release(world, hand, &error) == KIN_OK;
        if (step % 30 == 0) {
            kin_vec3 end = kin_particle_position(world, chain, LINKS - 1);
            printf("%.1f s  %6.3f %6.3f m\n", kin_world_time(world), end.x, end.y);
        }
        if (ok) ok = kin_world_step(world, NULL, &error) == KIN_OK;
    }
    kin_world_destroy(world);
    return ok ? 0 : fail(&error);
}
