/* powers.c - a host that loads a script by the public API, and calls pow itself: the script's ^ is Kinema's, the host's pow stays libm's. */
#include <kinema/kinema.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char** argv)
{
    kin_error error = {0};
    kin_scene* scene = NULL;
    kin_world* world = NULL;
    kin_scene_options options = kin_scene_options_default();
    kin_world_def def = kin_world_def_default();
    kin_result result = argc == 2 ? kin_scene_load(argv[1], &options, &scene, &error) : KIN_ERROR_ARGUMENT;
    if (result == KIN_OK) result = kin_scene_build(scene, &def, &world, &error);
    for (int i = 0; result == KIN_OK && i < 30; ++i) result = kin_world_step(world, NULL, &error);
    if (result != KIN_OK) {
        char text[1100];
        kin_error_text(&error, text, sizeof text);
        fprintf(stderr, "powers: %s\n", text);
        return 1;
    }
    printf("state %016llx\n", (unsigned long long)kin_world_state_hash(world));
    volatile double two = 2;
    printf("host %g\n", pow(two, 0.5)); /* so that this program needs a pow of its own */
    kin_world_destroy(world);
    kin_scene_free(scene);
    return 0;
}
