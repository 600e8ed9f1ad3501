/* ply_fuzz.c - PLY files from bytes. */
#include "fuzz/mesh_fuzz.h"

static const char* const seeds[] = {
    "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar uint vertex_index\nelement vertex 4\nproperty float z\nproperty float y\nproperty float "
    "x\nproperty float w\n"
    "end_header\n4 0 1 3 2\n3 0 1 3\n-1 0 0 9\n-1 0 1 9\n-1 1.25 0 9\n\n-1 1.25 1 9",
    "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty char y\nproperty short z\nelement face 1\n"
    "property list uchar uchar vertex_indices\nend_header\n\1\1\1\1\2\1\1\1\3\2\1\1\3\1\2\1",
    "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty int z\nelement face 1\n"
    "property list ushort int vertex_indices\nproperty list char double "
    "other\nend_header\n????????????????????????????????????????????????????????????????????",
};

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room) { return fuzz_seed_text(seeds, sizeof seeds / sizeof *seeds, number, out, room); }

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_mesh("fuzz.ply", data, size);
    return 0;
}
