/* obj_fuzz.c - OBJ files from bytes. */
#include "fuzz/mesh_fuzz.h"

static const char* const seeds[] = {
    "# cube\nmtllib a.mtl\no thing\nv 0 0 0\nv 1.5e0 0 0 1.0\nv\t1 1. -.5\nv 0 1 +0\nvn 0 0 1\nvt 0 0\nf 1 2 3\nf 1/1 2/1 3/1 4/1\nf 1//1 3//1 4//1\nf 1/1/1 "
    "2/1/1 \\\n 4/1/1\nf -4 -3 -2\n",
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
};

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room) { return fuzz_seed_text(seeds, sizeof seeds / sizeof *seeds, number, out, room); }

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_mesh("fuzz.obj", data, size);
    return 0;
}
