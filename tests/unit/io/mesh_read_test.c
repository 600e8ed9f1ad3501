/* Mesh files: every form, every kind of damage. */
#include "io/mesh_read.h"
#include "geometry/mesh.h"
#include "math/vec3.h"
#include "support/test.h"
#include "unit/io/folder.h"
#include <locale.h>
#include <math.h>

/* Reads bytes as a mesh, and checks that a failure leaves nothing behind. */
static kin_result read_bytes(test* t, const char* name, const void* content, size_t size, kin_mesh_data* out, kin_error* error)
{
    *error = (kin_error){0};
    char* exact = malloc(size + 1); /* a block of its own: the sanitiser sees a read past its end */
    memcpy(exact, content, size);
    char* moved = size > 0 ? realloc(exact, size) : exact;
    kin_result result = kin_mesh_read_memory(&t->allocator, name, moved, size, out, error);
    free(moved);
    if (result != KIN_OK) {
        CHECK(t, out->vertices == NULL && out->face_sizes == NULL && out->corners == NULL && out->face_count == 0);
        CHECK(t, error->code == result && error->message[0] != '\0' && (result == KIN_ERROR_MEMORY || strstr(error->where, name) != NULL));
    }
    return result;
}

static void refuse(test* t, const char* name, const char* text, const char* where, const char* message)
{
    kin_mesh_data data;
    kin_error error;
    kin_result result = read_bytes(t, name, text, strlen(text), &data, &error);
    EQUAL(t, result, KIN_ERROR_FORMAT);
    HAS(t, error.where, where);
    HAS(t, error.message, message);
    kin_mesh_data_term(&data);
}

static void expect_corners(test* t, const kin_mesh_data* d, size_t faces, const uint32_t* sizes, const uint32_t* corners)
{
    EQUAL(t, d->face_count, faces);
    size_t at = 0;
    for (size_t i = 0; i < faces && i < d->face_count; ++i) {
        EQUAL(t, d->face_sizes[i], sizes[i]);
        for (uint32_t k = 0; k < sizes[i] && at < d->corner_count; ++k, ++at) EQUAL(t, d->corners[at], corners[at]);
    }
    EQUAL(t, d->corner_count, at);
}

static void obj_in_all_its_forms(test* t)
{
    static const char text[] = "# a comment\r\nmtllib a.mtl\no thing\n"
                               "v 0 0 0\nv 1.5e0 0 0 1.0\n  v\t1 1. -.5\nv 0 1 +0\n"
                               "vn 0 0 1\nvt 0 0\ns off\nusemtl red\ng a b\nl 1 2\n"
                               "f 1 2 3\nf 1/1 2/1 3/1 4/1\nf 1//1 3//1 4//1\nf 1/1/1 2/1/1 \\\n  4/1/1 # end\n"
                               "f -4 -3 -2\nf 5 1 2\nv 7 8 9";
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.OBJ", text, sizeof text - 1, &d, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    EQUAL(t, d.vertex_count, 5);
    NEAR3(t, d.vertices[1], ((kin_vec3){1.5, 0, 0}), 0);
    NEAR3(t, d.vertices[2], ((kin_vec3){1, 1, -0.5}), 0);
    NEAR3(t, d.vertices[4], ((kin_vec3){7, 8, 9}), 0);
    expect_corners(t, &d, 6, (uint32_t[]){3, 4, 3, 3, 3, 3}, (uint32_t[]){0, 1, 2, 0, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2, 4, 0, 1});
    kin_mesh_data_term(&d);
}

static void obj_errors_name_the_line(test* t)
{
    refuse(t, "a.obj", "v 0 0 0\nv 1 0\n", "a.obj:2", "a vertex needs 3 numbers");
    refuse(t, "a.obj", "v 0 0 0\nv 1 x 0\n", "a.obj:2", "\"x\" is not a number");
    refuse(t, "a.obj", "v 0 0 nan\n", "a.obj:1", "\"nan\" is not a number");
    refuse(t, "a.obj", "v 0 0 1e999\n", "a.obj:1", "is not a number");
    refuse(t, "a.obj", "v 0 0 0x10\n", "a.obj:1", "is not a number");
    refuse(t, "a.obj", "v 0 0 1,5\n", "a.obj:1", "is not a number");
    refuse(t, "a.obj", "v 0 0 0\nf 1 1\n", "a.obj:2", "this one has 2");
    refuse(t, "a.obj", "v 0 0 0\nf 1 0 1\n", "a.obj:2", "\"0\" is not a vertex number");
    refuse(t, "a.obj", "v 0 0 0\nf 1 -2 1\n", "a.obj:2", "before the first of 1");
    refuse(t, "a.obj", "v 0 0 0\nf 1 2 3\nf 9 1 1\nv 0 0 0\n", "a.obj:3", "vertex 9 is named, but there are 2");
    refuse(t, "a.obj", "v 0 0 0\nf 1 2 99999999999\n", "a.obj:2", "out of range");
    refuse(t, "a.obj", "v 0 0 0\n", "a.obj", "has no faces");
    refuse(t, "a.obj", "", "a.obj", "has no faces");
    refuse(t, "a.obj", "\\", "a.obj", "has no faces");
}

static void numbers_do_not_depend_on_the_locale(test* t)
{
    kin_mesh_data d;
    kin_error error;
    const char* text = "v 0.5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    setlocale(LC_ALL, "de_DE.UTF-8"); /* may be missing: then this checks nothing, and does no harm */
    kin_result result = read_bytes(t, "a.obj", text, strlen(text), &d, &error);
    setlocale(LC_ALL, "C");
    EQUAL(t, result, KIN_OK);
    NEAR(t, d.vertices[0].x, 0.5, 0);
    kin_mesh_data_term(&d);
}

/* ---- PLY ---- */

typedef struct blob {
    char data[4096];
    size_t size;
} blob;

static void put_text(blob* b, const char* text)
{
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}

static void put(blob* b, const void* value, size_t size, bool big)
{
    for (size_t i = 0; i < size; ++i) b->data[b->size++] = ((const char*)value)[big ? size - 1 - i : i];
}

/* Doubles and floats, a colour to skip, a list to skip, and an unknown element before the faces. */
static blob ply_bytes(bool big)
{
    blob b = {.size = 0};
    put_text(&b, big ? "ply\nformat binary_big_endian 1.0\n" : "ply\r\nformat binary_little_endian 1.0\n");
    put_text(&b, "comment made by hand\nelement vertex 4\nproperty double x\nproperty uchar red\nproperty float y\nproperty float32 z\n"
                 "property list uchar short extra\nelement junk 2\nproperty int8 a\nelement face 2\nproperty list uint8 int vertex_indices\n"
                 "property ushort flags\nend_header\n");
    for (int i = 0; i < 4; ++i) {
        double x = i & 1;
        float y = i / 2 ? 1.25f : 0, z = -1;
        short extra[2] = {7, 8};
        put(&b, &x, 8, big);
        put(&b, "\x80", 1, big);
        put(&b, &y, 4, big);
        put(&b, &z, 4, big);
        put(&b, i == 2 ? "\2" : "\0", 1, big);
        for (int k = 0; k < 2 && i == 2; ++k) put(&b, &extra[k], 2, big);
    }
    put(&b, "ab", 2, false);
    for (int i = 0; i < 2; ++i) {
        int corners[2][4] = {{0, 1, 3, 2}, {0, 1, 3, 0}};
        unsigned short flags = 515;
        put(&b, i ? "\3" : "\4", 1, big);
        for (int k = 0; k < (i ? 3 : 4); ++k) put(&b, &corners[i][k], 4, big);
        put(&b, &flags, 2, big);
    }
    return b;
}

static const char ply_ascii[] =
    "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar uint vertex_index\nelement vertex 4\nproperty float z\nproperty float y\n"
    "property float x\nproperty float w\nend_header\n4 0 1 3 2\n3 0 1\n3\n-1 0 0 9\n-1 0 1 9\n-1 1.25 0 9\n\n-1 1.25 1 9";

static void check_ply(test* t, const void* data, size_t size)
{
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.ply", data, size, &d, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    EQUAL(t, d.vertex_count, 4);
    for (size_t i = 0; i < d.vertex_count; ++i) NEAR3(t, d.vertices[i], ((kin_vec3){i & 1, i / 2 ? 1.25 : 0, -1}), 0);
    expect_corners(t, &d, 2, (uint32_t[]){4, 3}, (uint32_t[]){0, 1, 3, 2, 0, 1, 3});
    kin_mesh_data_term(&d);
}

static void ply_in_three_encodings(test* t)
{
    blob little = ply_bytes(false), big = ply_bytes(true);
    check_ply(t, ply_ascii, sizeof ply_ascii - 1);
    check_ply(t, little.data, little.size);
    check_ply(t, big.data, big.size);
}

#define PLY_HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

static void ply_errors_name_line_or_byte(test* t)
{
    refuse(t, "a.ply", "plx\n", "a.ply:1", "does not begin");
    refuse(t, "a.ply", "ply\nformat ascii 1.0\n", "a.ply:3", "header does not end");
    refuse(t, "a.ply", "ply\nformat morse 1.0\n", "a.ply:2", "\"morse\" is not a PLY format");
    refuse(t, "a.ply", "ply\nelement vertex many\n", "a.ply:2", "a name and a count");
    refuse(t, "a.ply", "ply\nproperty int a\n", "a.ply:2", "before any element");
    refuse(t, "a.ply", "ply\nelement a 1\nproperty quad q\nend_header\n", "a.ply:3", "\"quad\" is not a PLY type");
    refuse(t, "a.ply", "ply\nelement a 1\nproperty list float int q\nend_header\n", "a.ply:3", "integer type");
    refuse(t, "a.ply", "ply\nelement vertex 1\nproperty int x\nend_header\n1\n", "a.ply:5", "names no format");
    refuse(t, "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n1\n", "a.ply", "no x, y and z");
    refuse(t, "a.ply", PLY_HEAD "end_header\n0 0 0 1 1 1 2 2 2\n", "a.ply", "one element \"vertex\" and one \"face\"");
    refuse(t, "a.ply", PLY_HEAD PLY_FACE "0 0 0\n0 0 zero\n1 0 0\n3 0 1 2\n", "a.ply:11", "\"zero\" is not a number");
    refuse(t, "a.ply", PLY_HEAD PLY_FACE "0 0 0\n0 1 0\n1 0 0\n3 0 1 3\n", "a.ply", "a vertex that is not there");
    refuse(t, "a.ply", PLY_HEAD PLY_FACE "0 0 0\n0 1 0\n1 0 0\n3 0 1 1.5\n", "a.ply:13", "not a vertex number");
    refuse(t, "a.ply", PLY_HEAD PLY_FACE "0 0 0\n0 1 0\n1 0 0\n2 0 1\n", "a.ply", "less than 3 corners");
    refuse(t, "a.ply", PLY_HEAD PLY_FACE "0 0 0\n0 1 0\n1 0 0\n900000 0 1\n", "a.ply:13", "longer than the file");
    refuse(t, "a.ply", PLY_HEAD PLY_FACE "0 0 0\n0 1 0\n1 0 0\n3 0 1\n", "a.ply", "ends too early");
    refuse(t, "a.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\nproperty float z\n" PLY_FACE "0 0 0\n",
           "a.ply:10", "promises more");
    blob b = ply_bytes(false);
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.ply", b.data, b.size - 1, &d, &error);
    EQUAL(t, result, KIN_ERROR_FORMAT);
    HAS(t, error.message, "ends too early at byte");
}

/* ---- STL ---- */

static const float stl_corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0, 0, 1, 0}};

static blob stl_bytes(void)
{
    blob b = {.size = 80};
    uint32_t count = 2;
    float normal[3] = {0, 0, 1};
    memcpy(b.data, "solid but binary all the same", 29);
    put(&b, &count, 4, false);
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) put(&b, &normal[k], 4, false);
        for (int k = 0; k < 9; ++k) put(&b, &stl_corners[i][k], 4, false);
        put(&b, "\0\0", 2, false);
    }
    return b;
}

static const char stl_ascii[] =
    "solid two words\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    "  FACET NORMAL nan 0 0\n OUTER LOOP\n VERTEX 1.0 0 -0.0\n VERTEX 1 1e0 0\n VERTEX 0 1 0\n ENDLOOP\n ENDFACET\nendsolid two words\n";

static void check_stl(test* t, const void* data, size_t size)
{
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.stl", data, size, &d, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    EQUAL(t, d.vertex_count, 4); /* welded */
    expect_corners(t, &d, 2, (uint32_t[]){3, 3}, (uint32_t[]){0, 1, 2, 1, 3, 2});
    kin_mesh_data_term(&d);
}

static void stl_text_and_binary(test* t)
{
    blob b = stl_bytes();
    check_stl(t, stl_ascii, sizeof stl_ascii - 1);
    check_stl(t, b.data, b.size);
}

static void stl_errors_name_line_or_byte(test* t)
{
    kin_mesh_data d;
    kin_error error;
    refuse(t, "a.stl", "liquid", "a.stl", "neither text");
    refuse(t, "a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex", "a.stl:5", "\"vertex\" is not a number");
    refuse(t, "a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop", "a.stl:5", "needs 3 times");
    refuse(t, "a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 1", "a.stl:7", "endloop");
    refuse(t, "a.stl", "solid a\nfacet\nouter", "a.stl:3", "must follow");
    refuse(t, "a.stl", "solid a\nfacet normal 0 0 1 inner", "a.stl:2", "outer loop");
    refuse(t, "a.stl", "solid a\nsphere", "a.stl:2", "\"sphere\" is not STL");
    refuse(t, "a.stl", "solid a\n", "a.stl:2", "before \"endsolid\"");
    refuse(t, "a.stl", "solid a\nendsolid a\n", "a.stl", "has no faces");
    blob b = stl_bytes();
    memcpy(b.data, "x", 1);
    b.data[82] = 0x40; /* four million triangles */
    kin_result result = read_bytes(t, "a.stl", b.data, b.size, &d, &error);
    EQUAL(t, result, KIN_ERROR_FORMAT);
    HAS(t, error.message, "promises 4194306 triangles, but holds 2");
    b = stl_bytes();
    float bad = NAN;
    memcpy(b.data + 84 + 50 + 12, &bad, 4);
    result = read_bytes(t, "a.stl", b.data, b.size, &d, &error);
    EQUAL(t, result, KIN_ERROR_FORMAT);
    HAS(t, error.message, "triangle 1 is not finite at byte 134");
}

/* ---- GLB ---- */

/* A file of a JSON text and some bytes. */
static blob glb_of(const char* json, const void* tail, uint32_t size)
{
    blob b = {.size = 0};
    uint32_t padded = (uint32_t)(strlen(json) + 3) / 4 * 4, total = 12 + 8 + padded + (size > 0 ? 8 + size : 0), two = 2;
    put_text(&b, "glTF");
    put(&b, &two, 4, false);
    put(&b, &total, 4, false);
    put(&b, &padded, 4, false);
    put_text(&b, "JSON");
    put_text(&b, json);
    while (b.size < 20 + padded) b.data[b.size++] = ' ';
    if (size == 0) return b;
    put(&b, &size, 4, false);
    put(&b, "BIN", 4, false);
    put(&b, tail, size, false);
    return b;
}

/* Corners of the cube [0, 1]^3 at 16 bytes a row, then 36 indices; the lower half of the corners and faces first. */
typedef struct cube_bytes {
    float rows[8][4];
    uint8_t quads[6][6];
} cube_bytes;

static cube_bytes cube_data(void)
{
    static const uint8_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const uint8_t split[6] = {0, 1, 2, 0, 2, 3};
    cube_bytes c;
    for (int i = 0; i < 8; ++i) c.rows[i][0] = (float)(i & 1), c.rows[i][1] = (float)(i >> 1 & 1), c.rows[i][2] = (float)(i >> 2), c.rows[i][3] = NAN;
    for (int f = 0; f < 6; ++f)
        for (int k = 0; k < 6; ++k) c.quads[f][k] = quads[f][split[k]];
    return c;
}

#define CUBE_VIEWS                                                                                                                                             \
    "\"buffers\":[{\"byteLength\":164}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":128,\"byteStride\":16},{\"buffer\":0,\"byteOffset\":128,"                \
    "\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,"     \
    "\"count\":18,\"type\":\"SCALAR\"},{\"bufferView\":1,\"byteOffset\":18,\"componentType\":5121,\"count\":18,\"type\":\"SCALAR\"}]"
/* Half of the faces is a node's own mesh, half a grandchild's: two turns and two mirror images later it is back in its parent's frame, itself a mirror. */
#define CUBE_JSON                                                                                                                                              \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":1,\"scenes\":[{},{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"children\":[1],\"translation\":[0,0,5],"            \
    "\"scale\":[-1,1,1]},{\"children\":[2],\"scale\":[-1,1,1],\"rotation\":[0,1,0,0]},{\"mesh\":1,\"matrix\":[1,0,0,0,0,1,0,0,0,0,-1,0,0,0,0,1]},"             \
    "{\"mesh\":7}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]},{\"primitives\":[{\"mode\":4,"                               \
    "\"attributes\":{\"POSITION\":0},\"indices\":2},{\"mode\":1,\"attributes\":{\"POSITION\":99}}]}]," CUBE_VIEWS "}"

static blob cube_glb(const char* json)
{
    cube_bytes c = cube_data();
    return glb_of(json, &c, sizeof c);
}

static void glb_nodes_make_one_closed_cube(test* t)
{
    blob b = cube_glb(CUBE_JSON);
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.glb", b.data, b.size, &d, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    EQUAL(t, d.vertex_count, 16);
    EQUAL(t, d.face_count, 12);
    NEAR3(t, d.vertices[1], ((kin_vec3){-1, 0, 5}), 0);
    NEAR3(t, d.vertices[9], ((kin_vec3){-1, 0, 5}), 1e-15);
    kin_mesh_view view = kin_mesh_data_view(&d);
    kin_mesh* mesh;
    result = kin_mesh_create(&t->allocator, &view, &mesh, &error);
    EQUAL(t, result, KIN_OK);
    CHECK(t, mesh->closed);
    double volume = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* c = mesh->triangles[i];
        volume += kin_triple(mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]]) / 6;
    }
    NEAR(t, volume, 1, 1e-14); /* outward although mirrored */
    kin_mesh_destroy(mesh);
    kin_mesh_data_term(&d);
}

#define FLAT(accessors, primitives)                                                                                                                            \
    "{\"buffers\":[{\"byteLength\":96}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":36}],"                \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\"}" accessors "],\"meshes\":[{\"primitives\":[" primitives "]}]}"

/* Five corners on a zigzag, and 36 bytes of indices and replacements. */
static blob flat_glb(const char* json)
{
    struct {
        float rows[5][3];
        uint16_t order[6];
        uint32_t wide[3];
        float replaced[3];
    } c = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}}, {4, 3, 2, 2, 1, 0}, {0, 1, 3}, {9, 8, 7}};
    return glb_of(json, &c, sizeof c);
}

static void expect_flat(test* t, const char* json, size_t faces, const uint32_t* corners)
{
    static const uint32_t threes[] = {3, 3, 3, 3};
    blob b = flat_glb(json);
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.glb", b.data, b.size, &d, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    expect_corners(t, &d, faces, threes, corners);
    kin_mesh_data_term(&d);
}

#define AT_0 "\"attributes\":{\"POSITION\":0}"
#define SHORTS ",{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}"
#define WORDS ",{\"bufferView\":1,\"byteOffset\":12,\"componentType\":5125,\"count\":3,\"type\":\"SCALAR\"}"

static void glb_triangles_strips_and_fans(test* t)
{
    expect_flat(t, FLAT("", "{\"mode\":5," AT_0 "}"), 3, (uint32_t[]){0, 1, 2, 1, 3, 2, 2, 3, 4});
    expect_flat(t, FLAT("", "{\"mode\":6," AT_0 "}"), 3, (uint32_t[]){1, 2, 0, 2, 3, 0, 3, 4, 0});
    expect_flat(t, FLAT(SHORTS, "{\"mode\":5," AT_0 ",\"indices\":1}"), 2, (uint32_t[]){4, 3, 2, 2, 0, 1}); /* joined by flat triangles */
    expect_flat(t, FLAT(SHORTS, "{" AT_0 ",\"indices\":1}"), 2, (uint32_t[]){4, 3, 2, 2, 1, 0});
    expect_flat(t, FLAT(SHORTS WORDS, "{" AT_0 ",\"indices\":2},{" AT_0 ",\"indices\":1}"), 3, (uint32_t[]){0, 1, 3, 4, 3, 2, 2, 1, 0}); /* shared vertices */
}

static void glb_sparse_and_quantized(test* t)
{
    blob b = flat_glb(
        "{\"buffers\":[{\"byteLength\":96}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":36}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,"
        "\"byteOffset\":2,\"componentType\":5123},\"values\":{\"bufferView\":1,\"byteOffset\":24}}}],\"meshes\":[{\"primitives\":[{\"mode\":5," AT_0 "}]}]}");
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.glb", b.data, b.size, &d, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    NEAR3(t, d.vertices[3], ((kin_vec3){9, 8, 7}), 0);
    NEAR3(t, d.vertices[4], ((kin_vec3){0, 2, 0}), 0);
    kin_mesh_data_term(&d);
    static const int16_t rows[12] = {32767, 0, -32768, 0, 0, 0, 0, 16384, 0, 0, 0, 0};
    b = glb_of("{\"extensionsRequired\":[\"KHR_materials_unlit\",\"KHR_mesh_quantization\"],\"buffers\":[{\"byteLength\":24}],\"bufferViews\":[{\"buffer\":0,"
               "\"byteLength\":24}],\"accessors\":[{\"bufferView\":0,\"componentType\":5122,\"normalized\":true,\"count\":3,\"type\":\"VEC3\"}],"
               "\"meshes\":[{\"primitives\":[{" AT_0 "}]}]}",
               rows, sizeof rows);
    result = read_bytes(t, "a.glb", b.data, b.size, &d, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    NEAR3(t, d.vertices[0], ((kin_vec3){1, 0, -1}), 0);
    NEAR3(t, d.vertices[2], ((kin_vec3){0, 16384 / 32767.0, 0}), 0);
    kin_mesh_data_term(&d);
}

static void refuse_glb(test* t, blob b, const char* where, const char* message)
{
    kin_mesh_data d;
    kin_error error;
    kin_result result = read_bytes(t, "a.glb", b.data, b.size, &d, &error);
    EQUAL(t, result, KIN_ERROR_FORMAT);
    HAS(t, error.where, where);
    HAS(t, error.message, message);
    kin_mesh_data_term(&d);
}

static void refuse_flat(test* t, const char* json, const char* where, const char* message) { refuse_glb(t, flat_glb(json), where, message); }

static void glb_errors_name_the_place(test* t)
{
    refuse(t, "a.glb", "glTF", "a.glb", "is not binary glTF");
    refuse_flat(t, FLAT("", "{\"mode\":9," AT_0 "}"), "meshes[0].primitives[0].mode", "below 7");
    refuse_flat(t, FLAT("", "{\"mode\":5}"), "meshes[0].primitives[0].attributes.POSITION", "below 1");
    refuse_flat(t, FLAT("", "{" AT_0 ",\"indices\":1}"), "meshes[0].primitives[0].indices", "below 1");
    refuse_flat(t, FLAT(SHORTS, "{\"mode\":5,\"attributes\":{\"POSITION\":1}}"), "accessors[1]", "of the type VEC3");
    refuse_flat(t, FLAT("", "{" AT_0 "}"), "meshes[0].primitives[0]", "5 corners: not whole triangles");
    refuse_flat(t, FLAT(",{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"}", "{" AT_0 ",\"indices\":1,\"mode\":6}"),
                "meshes[0].primitives[0].indices", "is vertex 128, but there are 5");
    refuse_flat(t, FLAT(",{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"}", "{\"attributes\":{\"POSITION\":1}}"), "accessors[1]",
                "needs 72 bytes, but bufferViews[0] has 60");
    refuse_flat(t, FLAT(",{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"byteOffset\":1e30,\"type\":\"VEC3\"}", "{\"attributes\":{\"POSITION\":1}}"),
                "accessors[1].byteOffset", "must be a whole number");
    refuse_flat(t, FLAT(",{\"bufferView\":0,\"componentType\":5126,\"count\":0,\"type\":\"VEC3\"}", "{\"attributes\":{\"POSITION\":1}}"), "accessors[1]",
                "has no rows");
    refuse_flat(t, FLAT(",{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}", "{\"attributes\":{\"POSITION\":1}}"), "accessors[1].bufferView", "must be");
    refuse_flat(t, FLAT(",{\"bufferView\":1,\"componentType\":5122,\"count\":3,\"type\":\"VEC3\"}", "{\"attributes\":{\"POSITION\":1}}"), "accessors[1]",
                "must be floats");
    refuse_flat(t, FLAT(",{\"bufferView\":1,\"componentType\":5122,\"count\":6,\"type\":\"SCALAR\"}", "{" AT_0 ",\"indices\":1}"), "primitives[0].indices",
                "unsigned type");
    refuse_flat(t, "{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}", "extensionsRequired", "\"KHR_draco_mesh_compression\" is needed");
    refuse_flat(t, "{\"extensionsRequired\":[\"EXT_meshopt_compression\"]}", "extensionsRequired", "EXT_meshopt_compression");
    refuse_flat(t,
                "{\"buffers\":[{\"uri\":\"b.bin\",\"byteLength\":60}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":60}],\"accessors\":[{\"bufferView\":0,"
                "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{" AT_0 "}]}]}",
                "buffers[0]", "lies outside of the file");
    refuse_flat(t, "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1]},{\"children\":[2]},{\"children\":[1]}]}", "nodes[2].children",
                "nodes[1] has two parents, or is its own ancestor");
    refuse_flat(t, "{\"scenes\":[{\"nodes\":[3]}],\"nodes\":[{}]}", "scenes[0].nodes", "entry 0 is not one of the 1 nodes");
    refuse_flat(t, "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"rotation\":[0,0,0,0]}]}", "nodes[0]", "not a unit quaternion");
    refuse_flat(t, "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"scale\":[0,0]}]}", "nodes[0]", "\"scale\" must be 3 numbers");
    refuse_flat(t, "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"matrix\":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}]}", "nodes[0]", "not affine");
    refuse_flat(t, "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]}", "nodes[0].mesh", "below 0");
    refuse_flat(t, "{\"scenes\":[{}]}", "a.glb", "has no faces");
    refuse_flat(t, "[1,2]", "a.glb", "has no faces");
    blob b = flat_glb(FLAT("", "{\"mode\":5," AT_0 "}"));
    b.data[b.size - 96 + 19] = b.data[b.size - 96 + 18] = (char)0xFF; /* y of the second corner */
    refuse_glb(t, b, "a.glb", "a vertex is not finite at byte");
    b = flat_glb("{}");
    b.data[4] = 1;
    refuse_glb(t, b, "a.glb", "version 1");
    kin_mesh_data d;
    kin_error error;
    b = flat_glb("{\"nodes\":[}");
    EQUAL(t, read_bytes(t, "a.glb", b.data, b.size, &d, &error), KIN_ERROR_SYNTAX);
    HAS(t, error.where, "a.glb:1:");
}

/* ---- damage ---- */

/* Every prefix and every flipped bit: an error or a mesh whose corners exist, never a crash, never more memory than the file could fill. */
static void damage(test* t, const char* name, const char* good, size_t size)
{
    char* copy = malloc(size + 1);
    for (size_t i = 0; i < size + 8 * size; ++i) {
        size_t length = i < size ? i : size;
        memcpy(copy, good, size);
        if (i >= size) copy[(i - size) / 8] ^= (char)(1 << (i - size) % 8);
        kin_mesh_data d;
        kin_error error;
        kin_result result = read_bytes(t, name, copy, length, &d, &error);
        if (result != KIN_OK) continue;
        size_t corners = 0;
        for (size_t k = 0; k < d.face_count; ++k) corners += d.face_sizes[k];
        CHECK(t, corners == d.corner_count);
        for (size_t k = 0; k < d.corner_count; ++k) CHECK(t, d.corners[k] < d.vertex_count);
        for (size_t k = 0; k < d.vertex_count; ++k) CHECK(t, isfinite(d.vertices[k].x) && isfinite(d.vertices[k].y) && isfinite(d.vertices[k].z));
        CHECK(t, t->live_bytes < 64 * size + 4096);
        kin_mesh_data_term(&d);
    }
    free(copy);
}

static void damaged_files_are_survived(test* t)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1e-1 0\nf 1/1 2//2 -1\\\n\nf 1 2 3\n";
    blob ply = ply_bytes(false), big = ply_bytes(true), stl = stl_bytes();
    damage(t, "d.obj", obj, sizeof obj - 1);
    damage(t, "d.ply", ply_ascii, sizeof ply_ascii - 1);
    damage(t, "d.ply", ply.data, ply.size);
    damage(t, "d.ply", big.data, big.size);
    damage(t, "d.stl", stl_ascii, sizeof stl_ascii - 1);
    damage(t, "d.stl", stl.data, stl.size);
    blob strip = flat_glb(FLAT(SHORTS, "{\"mode\":5," AT_0 ",\"indices\":1}")), cube = cube_glb(CUBE_JSON);
    damage(t, "d.glb", strip.data, strip.size);
    damage(t, "d.glb", cube.data, cube.size);
}

static bool read_body(test* t, void* context)
{
    kin_mesh_data d;
    kin_error error = {0};
    kin_result result = kin_mesh_read(&t->allocator, context, &d, &error);
    if (result != KIN_OK) EQUAL(t, result, KIN_ERROR_MEMORY);
    kin_mesh_data_term(&d);
    return result == KIN_OK;
}

static void survives_failing_allocations(test* t)
{
    folder f = folder_begin(t);
    blob ply = ply_bytes(true), stl = stl_bytes(), glb = cube_glb(CUBE_JSON);
    kin_error error = {0};
    CHECK(t, kin_file_write(in(&f, "a.ply"), ply.data, ply.size, &error) == KIN_OK);
    CHECK(t, kin_file_write(in(&f, "a.stl"), stl.data, stl.size, &error) == KIN_OK);
    test_fail_each_allocation(t, read_body, (void*)in(&f, "a.ply"));
    test_fail_each_allocation(t, read_body, (void*)in(&f, "a.stl"));
    CHECK(t, kin_file_write(in(&f, "a.glb"), glb.data, glb.size, &error) == KIN_OK);
    test_fail_each_allocation(t, read_body, (void*)in(&f, "a.glb"));
    folder_end(&f);
}

static void files_that_are_not_there(test* t)
{
    folder f = folder_begin(t);
    kin_mesh_data d;
    kin_error error = {0};
    kin_result result = kin_mesh_read(&t->allocator, in(&f, "none.obj"), &d, &error);
    EQUAL(t, result, KIN_ERROR_FILE);
    result = kin_mesh_read_memory(&t->allocator, "a.fbx", "v", 1, &d, &error);
    EQUAL(t, result, KIN_ERROR_FORMAT);
    HAS(t, error.message, ".obj, .ply, .stl or .glb");
    result = kin_mesh_read_memory(&t->allocator, "a", "v", 1, &d, &error);
    EQUAL(t, result, KIN_ERROR_FORMAT);
    folder_end(&f);
}

/* From a file to a checked mesh. */
static void a_file_becomes_a_mesh(test* t)
{
    folder f = folder_begin(t);
    kin_mesh_data d;
    kin_error error = {0};
    blob b = ply_bytes(true);
    CHECK(t, kin_file_write(in(&f, "a.ply"), b.data, b.size, &error) == KIN_OK);
    kin_result result = kin_mesh_read(&t->allocator, in(&f, "a.ply"), &d, &error);
    EQUAL(t, result, KIN_OK);
    kin_mesh_view view = kin_mesh_data_view(&d);
    kin_mesh* mesh;
    result = kin_mesh_create(&t->allocator, &view, &mesh, &error);
    EQUAL(t, result, KIN_OK);
    EQUAL(t, mesh->triangle_count, 3);
    kin_mesh_destroy(mesh);
    kin_mesh_data_term(&d);
    folder_end(&f);
}

TEST_MAIN("io mesh_read", TEST(obj_in_all_its_forms), TEST(obj_errors_name_the_line), TEST(numbers_do_not_depend_on_the_locale), TEST(ply_in_three_encodings),
          TEST(ply_errors_name_line_or_byte), TEST(stl_text_and_binary), TEST(stl_errors_name_line_or_byte), TEST(glb_nodes_make_one_closed_cube),
          TEST(glb_triangles_strips_and_fans), TEST(glb_sparse_and_quantized), TEST(glb_errors_name_the_place), TEST(damaged_files_are_survived),
          TEST(survives_failing_allocations), TEST(files_that_are_not_there), TEST(a_file_becomes_a_mesh))
