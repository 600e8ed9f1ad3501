/* recording_fuzz.c - recordings with a right last line and anything before it: refused with the line, or their commands are given to a world, which refuses or
 * does them. */
#include "base/alloc.h"
#include "base/hash.h"
#include "fuzz/fuzz.h"
#include "io/file.h"
#include "io/recording.h"
#include "kinema/kinema.h"
#include "world/record.h"
#include <inttypes.h>
#include <unistd.h>

#define HEAD                                                                                                                                                   \
    "{\"kinema\":\"0\",\"scene\":{},\"files\":{\"a.obj\":\"0000000000000001\"},\"seed\":\"0000000000000001\",\"steps\":9,\"state_hash\":"                      \
    "\"0000000000000001\",\"fps\":30,\"script_state\":\"\"}\n"
#define ELEMENT "\"system\":1,\"element\":0,\"a\":[1,2,3],\"b\":[0,0,0],\"mobility\":\"static\"}\n"
static const char* const seeds[] = {
    HEAD "{\"step\":0,\"command\":\"push\"," ELEMENT "{\"step\":1,\"command\":\"place\"," ELEMENT "{\"step\":2,\"command\":\"mobility\"," ELEMENT,
    HEAD "{\"step\":0,\"command\":\"set\",\"path\":\"gravity\",\"value\":[0,1,2]}\n"
         "{\"step\":0,\"command\":\"attach\",\"attachment\":1,\"a\":{\"system\":1,\"element\":0,\"local\":[0,0,0]},\"facing\":[0,0,0],\"rigid\":false,"
         "\"point\":[0,1,0],"
         "\"stiffness\":10,\"damping_ratio\":1,\"damping\":0,\"rest\":0,\"max_force\":0,\"break_force\":0}\n"
         "{\"step\":1,\"command\":\"target\",\"attachment\":1,\"a\":[1,1,1]}\n{\"step\":2,\"command\":\"detach\",\"attachment\":1}\n",
};

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room) { return fuzz_seed_text(seeds, sizeof seeds / sizeof *seeds, number, out, room); }

static kin_world* world_of_one(void)
{
    kin_world_def def = kin_world_def_default();
    kin_particles_def particles = kin_particles_def_default();
    kin_particle_group one = kin_particle_group_default();
    kin_world* world = NULL;
    def.threads = 1;
    particles.groups = &one;
    particles.group_count = 1;
    FUZZ_CHECK(kin_world_create(&def, &world, NULL) == KIN_OK && kin_particles_create(world, &particles, NULL, NULL) == KIN_OK);
    return world;
}

static void replay(const kin_recording* r)
{
    kin_world* world = world_of_one();
    kin_error error = {0};
    size_t next = 0;
    kin_result result = KIN_OK;
    for (int i = 0; i < 4 && result == KIN_OK; ++i) {
        result = kin_world_replay(world, r->commands, r->command_count, &next, &error);
        if (result == KIN_OK) result = kin_world_step(world, NULL, &error);
    }
    FUZZ_CHECK(result == KIN_OK || error.message[0] != '\0');
    kin_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    kin_allocator allocator = kin_allocator_default();
    char path[64];
    size_t lines = 0;
    snprintf(path, sizeof path, "/dev/shm/kinema_fuzz_%d", (int)getpid());
    FILE* file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL && (size == 0 || fwrite(data, 1, size, file) == size));
    for (size_t i = 0; i < size; ++i) lines += data[i] == '\n';
    fprintf(file, "{\"checksum\":\"%016" PRIx64 "\",\"commands\":%zu}\n", kin_hash(data, size), lines > 0 ? lines - 1 : 0);
    fclose(file);
    kin_recording recording;
    kin_error error = {0};
    if (kin_recording_read(&allocator, path, &recording, &error) == KIN_OK) {
        replay(&recording);
        kin_recording_free(&allocator, &recording);
    } else {
        FUZZ_CHECK(error.message[0] != '\0');
    }
    unlink(path);
    return 0;
}
