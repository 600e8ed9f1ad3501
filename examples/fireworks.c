/* fireworks.c - kinds, emitters and fields through the C API: shells rise, leave a trail and burst into stars that drift, bounce and go out.
 *
 *     cc fireworks.c $(pkg-config --cflags --libs kinema) -o fireworks && ./fireworks */
#include <kinema/kinema.h>
#include <stdio.h>

enum { SHELL, STAR, SPARK, KINDS };

static int fail(const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    fprintf(stderr, "fireworks: %s\n", text);
    return 1;
}

/* Air that slows things down, a breeze that sets in after a second, and a floor. */
static bool make_surroundings(kin_world* world, kin_error* error)
{
    static const kin_curve_key sets_in[] = {{0, {0}}, {1, {0}}, {2, {1}}};
    kin_drag_field drag;
    kin_wind_field wind;
    kin_collider_def floor = kin_collider_def_default();
    kin_collider_id id;
    kin_field_default("drag", &drag);
    kin_field_default("wind", &wind);
    drag.drag = 0.02;
    wind.wind = (kin_vec3){3, 0, 0};
    wind.common.strength = (kin_curve){sets_in, 3, KIN_CURVE_SMOOTH};
    floor.shape.kind = KIN_SHAPE_PLANE;
    floor.shape.normal = (kin_vec3){0, 1, 0};
    return kin_world_add_field(world, "drag", &drag, NULL, error) == KIN_OK && kin_world_add_field(world, "wind", &wind, NULL, error) == KIN_OK
           && kin_world_add_collider(world, &floor, &id, error) == KIN_OK;
}

static void describe_kinds(kin_particle_kind kinds[KINDS], kin_split_def splits[2])
{
    static const kin_curve_key cools[] = {{0, {1, 0.9, 0.5}}, {1, {0.6, 0.1, 0}}};
    for (int i = 0; i < KINDS; ++i) kinds[i] = kin_particle_kind_default();
    kinds[SHELL].name = "shell";
    kinds[SHELL].radius[0] = 0.1;
    kinds[SHELL].life[0] = 1.6; /* s */
    kinds[SHELL].life[1] = 0.2; /* give or take */
    kinds[STAR].name = "star";
    kinds[STAR].mass[0] = 0.02;
    kinds[STAR].life[0] = 2;
    kinds[STAR].life[1] = 0.5;
    kinds[STAR].relative = true;
    kinds[STAR].color = (kin_curve){cools, 2, KIN_CURVE_LINEAR};
    kinds[SPARK].name = "spark";
    kinds[SPARK].mass[0] = 0.005;
    kinds[SPARK].life[0] = 0.4;

    splits[0] = kin_split_def_default(); /* a trail: one spark every second step, the shell flies on */
    splits[0].into = "spark";
    splits[0].number[0] = 1;
    splits[0].age[0] = 0;
    splits[0].every[0] = 2;
    splits[0].speed[0] = 0.2;
    splits[0].keep = true;
    splits[1] = kin_split_def_default(); /* the burst, to all sides */
    splits[1].into = "star";
    splits[1].when = KIN_SPLIT_DEATH;
    splits[1].number[0] = 80;
    splits[1].speed[0] = 0;
    splits[1].kick[0] = 6;
    splits[1].kick[1] = 1;
    splits[1].direction = 3.14159;
    kinds[SHELL].splits.data = splits;
    kinds[SHELL].splits.count = 2;
}

static kin_result make_fireworks(kin_world* world, kin_system_id* id, kin_error* error)
{
    kin_particle_kind kinds[KINDS];
    kin_split_def splits[2];
    kin_emitter_def mortar = kin_emitter_def_default();
    kin_particles_def def = kin_particles_def_default();
    describe_kinds(kinds, splits);
    mortar.kind = "shell";
    mortar.position.y = 0.5;
    mortar.burst = 3;
    mortar.period = 1; /* s */
    mortar.stop = 2.5;
    mortar.speed[0] = 20;
    mortar.speed[1] = 2;
    mortar.aperture = 0.2; /* rad off the vertical */
    def.name = "fireworks";
    def.kinds.data = kinds;
    def.kinds.count = KINDS;
    def.emitters.data = &mortar;
    def.emitters.count = 1;
    def.max_particles = 5000;
    return kin_particles_create(world, &def, id, error);
}

static void print_counts(const kin_world* world, kin_system_id id)
{
    kin_particles_view view = kin_particles_state(world, id);
    int counts[KINDS] = {0};
    double highest = 0;
    for (size_t i = 0; i < view.count; ++i) {
        if (view.mobility[i] == KIN_MOBILITY_INACTIVE) continue; /* a slot that waits for the next birth */
        counts[view.kind[i]] += 1;
        if (view.y[i] > highest) highest = view.y[i];
    }
    printf("%.1f s  shells %d  stars %d  sparks %d  up to %.0f m\n", kin_world_time(world), counts[SHELL], counts[STAR], counts[SPARK], highest);
}

int main(void)
{
    kin_error error = {0};
    kin_world* world;
    kin_system_id id;
    kin_world_def def = kin_world_def_default();
    if (kin_world_create(&def, &world, &error) != KIN_OK) return fail(&error);
    bool ok = make_surroundings(world, &error) && make_fireworks(world, &id, &error) == KIN_OK;
    for (int step = 0; ok && step <= 480; ++step) {
        kin_step_report report = {0};
        if (step % 30 == 0) print_counts(world, id);
        ok = kin_world_step(world, &report, &error) == KIN_OK;
        if (report.capped > 0) printf("%s\n", report.note); /* births beyond max_particles */
    }
    kin_world_destroy(world);
    return ok ? 0 : fail(&error);
}
