/* stl_fuzz.c - STL files from bytes. */
#include "fuzz/mesh_fuzz.h"

static const char ascii[] =
    "solid two words\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    "  FACET NORMAL nan 0 0\n OUTER LOOP\n VERTEX 1.0 0 -0.0\n VERTEX 1 1e0 0\n VERTEX 0 1 0\n ENDLOOP\n ENDFACET\nendsolid two words\n";

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room)
{
    static const float rows[2][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0}};
    if (number == 0) return fuzz_seed_text((const char* const[]){ascii}, 1, 0, out, room);
    if (number > 1 || room < 184) return 0;
    memset(out, ' ', 80); /* two triangles as bytes */
    memcpy(out + 80, "\2\0\0", 4);
    for (int i = 0; i < 2; ++i) {
        memcpy(out + 84 + 50 * i, rows[i], 48);
        memset(out + 132 + 50 * i, 0, 2);
    }
    return 184;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_mesh("fuzz.stl", data, size);
    return 0;
}
