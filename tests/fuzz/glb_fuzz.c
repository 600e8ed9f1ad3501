/* glb_fuzz.c - GLB files from bytes. One that does not begin as such is a JSON text, a zero and a BIN chunk, put in a good frame: mutations seldom keep one. */
#include "fuzz/mesh_fuzz.h"

static const char scene[] =
    "{\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"children\":[1],\"translation\":[0,0,5],\"scale\":[-1,1,1]},{\"mesh\":0,\"rotation\":[0,"
    "1,0,0]}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":5},{\"attributes\":{\"POSITION\":2},\"mode\":6}]}],"
    "\"buffers\":[{\"byteLength\":64}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,\"byteStride\":12},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":16}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,\"count\":4,\"type\":"
    "\"SCALAR\"},"
    "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5123},"
    "\"values\":{\"bufferView\":0,\"byteOffset\":12}}}]}";

static const char quantized[] =
    "{\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"buffers\":[{\"byteLength\":64}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48}],\"accessors\":[{\"bufferView\":0,\"componentType\":5122,\"count\":6,\"type\":\"VEC3\",\"normalized\":"
    "true}]}";

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room)
{
    static const float rows[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const char* json = number == 0 ? scene : quantized;
    size_t length = strlen(json) + 1;
    if (number > 1 || room < length + 64) return 0;
    memcpy(out, json, length);
    memcpy(out + length, rows, 48);
    memcpy(out + length + 48, "\0\1\2\3\0\1\2\3\0\1\2\3\0\1\2\3", 16);
    return length + 64;
}

static void put(uint8_t* at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) at[i] = (uint8_t)(value >> (8 * i));
}

static void in_a_frame(const uint8_t* data, size_t size)
{
    const uint8_t* zero = memchr(data, 0, size);
    size_t json = zero != NULL ? (size_t)(zero - data) : size, bin = zero != NULL ? size - json - 1 : 0, total = 28 + json + bin;
    uint8_t* file = malloc(total);
    memcpy(file, "glTF\2\0\0", 8);
    put(file + 8, (uint32_t)total);
    put(file + 12, (uint32_t)json);
    memcpy(file + 16, "JSON", 4);
    memcpy(file + 20, data, json);
    put(file + 20 + json, (uint32_t)bin);
    memcpy(file + 24 + json, "BIN", 4);
    if (bin > 0) memcpy(file + 28 + json, zero + 1, bin);
    fuzz_mesh("fuzz.glb", file, total);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size > 0 && data[0] != 'g')
        in_a_frame(data, size);
    else
        fuzz_mesh("fuzz.glb", data, size);
    return 0;
}
