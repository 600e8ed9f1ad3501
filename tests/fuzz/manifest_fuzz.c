/* manifest_fuzz.c - manifests with anything in them: refused with a reason, or the same as themselves. */
#include "base/alloc.h"
#include "fuzz/fuzz.h"
#include "io/manifest.h"
#include <unistd.h>

static const char* const seeds[] = {
    "{\"kinema\":\"0.1\",\"scene_path\":\"a.lua\",\"scene\":{\"systems\":[{\"type\":\"particles\"}]},\"sets\":[{\"key\":\"n\",\"value\":\"5\"}],\"files\":{\"a."
    "obj\":"
    "\"0000000000000001\"},\"scene_hash\":\"0000000000000001\",\"seed\":\"0000000000000001\",\"fps\":30,\"frames\":9,\"written\":4,\"done\":false,\"state_"
    "hash\":"
    "\"0000000000000001\"}\n",
};

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room) { return fuzz_seed_text(seeds, sizeof seeds / sizeof *seeds, number, out, room); }

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    kin_allocator allocator = kin_allocator_default();
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/kinema_fuzz_%d", (int)getpid());
    FILE* file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL && (size == 0 || fwrite(data, 1, size, file) == size));
    fclose(file);
    kin_manifest manifest;
    kin_error error = {0};
    if (kin_manifest_read(&allocator, path, &manifest, &error) == KIN_OK) {
        FUZZ_CHECK(kin_manifest_compare(&manifest, &manifest, &allocator, "fuzz", &error) == KIN_OK);
        kin_manifest_free(&manifest);
    } else {
        FUZZ_CHECK(error.message[0] != '\0');
    }
    unlink(path);
    return 0;
}
