/* mesh_glb.c - binary glTF 2.0: a scene's tree of nodes, each with a transform and maybe a mesh of triangles, strips and fans; points and lines are passed
 * over, and so are materials, skins (the bind pose is read) and morph targets. All bytes must be in the file itself.
 *
 * Every index, offset and count of the JSON is checked against what there is before it is used. Source: Khronos, glTF 2.0 specification, 2021. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/json.h"
#include "io/mesh_read.h"
#include "math/mat4.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BIN 0x004E4942u
#define MOST ((uint64_t)1 << 26) /* vertices, and corners: nodes may show one mesh many times, so the file's size does not bound them */
#define NONE UINT64_MAX
#define PATH 160

typedef struct glb {
    kin_mesh_source* s;
    const kin_node* root;
    const char* bin; /* NULL: no such chunk */
    uint64_t bin_size;
    bool quantized; /* KHR_mesh_quantization: positions may be small integers */
} glb;

/* ---- JSON with errors that name the place ---- */

static kin_result refuse(const glb* g, const char* path, const char* format, ...) KIN_PRINTF(3, 4);
static kin_result refuse(const glb* g, const char* path, const char* format, ...)
{
    char message[300], where[480];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(where, sizeof where, "%s: %s", g->s->path, path);
    return kin_fail(g->s->error, KIN_ERROR_FORMAT, where, "%s", message);
}

/* A whole number below limit. Without it: `otherwise`, unless that is NONE. */
static kin_result number_at(const glb* g, const kin_node* table, const char* path, const char* key, uint64_t limit, uint64_t otherwise, uint64_t* out)
{
    *out = 0;
    const kin_node* node = kin_node_get(table, key);
    if (node == NULL && otherwise != NONE) return *out = otherwise, KIN_OK;
    if (node == NULL || node->type != KIN_NODE_NUMBER || !(node->number >= 0 && node->number < (double)limit)
        || node->number != (double)(uint64_t)node->number) {
        char place[PATH + 40];
        snprintf(place, sizeof place, "%s.%s", path, key);
        return refuse(g, place, "must be a whole number below %llu", (unsigned long long)limit);
    }
    return *out = (uint64_t)node->number, KIN_OK;
}

static uint64_t count_of(const glb* g, const char* key)
{
    const kin_node* list = kin_node_get(g->root, key);
    return list != NULL && list->type == KIN_NODE_LIST ? list->count : 0;
}

/* An entry of a list at the top, whose number was checked against count_of. */
static const kin_node* entry(const glb* g, const char* key, uint64_t index) { return kin_node_get(g->root, key)->items[index]; }

/* `count` finite numbers; false and untouched when there is no such key. */
static kin_result numbers_at(const glb* g, const kin_node* table, const char* path, const char* key, uint32_t count, double* out, bool* found)
{
    const kin_node* list = kin_node_get(table, key);
    *found = list != NULL;
    if (list == NULL) return KIN_OK;
    bool ok = list->type == KIN_NODE_LIST && list->count == count;
    for (uint32_t i = 0; ok && i < count; ++i) {
        ok = list->items[i]->type == KIN_NODE_NUMBER && kin_finite(list->items[i]->number);
        if (ok) out[i] = list->items[i]->number;
    }
    return ok ? KIN_OK : refuse(g, path, "\"%s\" must be %u numbers", key, count);
}

/* ---- accessors ---- */

typedef enum component { BYTE = 5120, UBYTE, SHORT, USHORT, UINT = 5125, FLOAT } component;

typedef struct rows {
    const char* at;
    uint64_t count, stride; /* bytes */
    component type;
    bool normalized;
} rows;

static uint64_t component_size(component type) { return type <= UBYTE ? 1 : type <= USHORT ? 2 : 4; }

static uint32_t read_bits(const char* bytes, uint64_t size)
{
    uint32_t bits = 0;
    for (uint64_t i = 0; i < size; ++i) bits |= (uint32_t)(uint8_t)bytes[i] << (8 * i);
    return bits;
}

static double read_number(const rows* r, const char* at)
{
    uint32_t bits = read_bits(at, component_size(r->type));
    float f;
    switch (r->type) {
    case BYTE: return r->normalized ? kin_max((int8_t)bits / 127.0, -1) : (int8_t)bits;
    case UBYTE: return bits / (r->normalized ? 255.0 : 1);
    case SHORT: return r->normalized ? kin_max((int16_t)bits / 32767.0, -1) : (int16_t)bits;
    case USHORT: return bits / (r->normalized ? 65535.0 : 1);
    case UINT: return bits;
    case FLOAT: return memcpy(&f, &bits, sizeof f), f;
    }
    return 0;
}

/* The bytes of a buffer: only the file's own chunk is read. */
static kin_result check_buffer(const glb* g, uint64_t index, uint64_t* size)
{
    *size = 0;
    char path[PATH];
    const kin_node* buffer = entry(g, "buffers", index);
    snprintf(path, sizeof path, "buffers[%llu]", (unsigned long long)index);
    if (index > 0 || kin_node_get(buffer, "uri") != NULL) return refuse(g, path, "lies outside of the file; only the GLB's own bytes are read");
    if (g->bin == NULL) return refuse(g, path, "has no bytes: the file has no BIN chunk");
    return number_at(g, buffer, path, "byteLength", g->bin_size + 1, NONE, size);
}

/* `count` rows of `width` bytes from an offset in a buffer view; stride 0 asks for the view's. */
static kin_result find_rows(const glb* g, const kin_node* table, const char* path, uint64_t width, bool may_stride, rows* r)
{
    uint64_t number, offset, buffer, begin, length, size;
    kin_result result = number_at(g, table, path, "bufferView", count_of(g, "bufferViews"), NONE, &number);
    if (result == KIN_OK) result = number_at(g, table, path, "byteOffset", (uint64_t)1 << 40, 0, &offset);
    if (result != KIN_OK) return result;
    char place[PATH];
    const kin_node* view = entry(g, "bufferViews", number);
    snprintf(place, sizeof place, "bufferViews[%llu]", (unsigned long long)number);
    result = number_at(g, view, place, "buffer", count_of(g, "buffers"), NONE, &buffer);
    if (result == KIN_OK) result = check_buffer(g, buffer, &size);
    if (result == KIN_OK) result = number_at(g, view, place, "byteOffset", size + 1, 0, &begin);
    if (result == KIN_OK) result = number_at(g, view, place, "byteLength", size - begin + 1, NONE, &length);
    if (result == KIN_OK) result = number_at(g, view, place, "byteStride", 253, width, &r->stride);
    if (result != KIN_OK) return result;
    if (!may_stride) r->stride = width;
    if (r->stride < width)
        return refuse(g, place, "has a byteStride of %llu, less than the %llu bytes of a row", (unsigned long long)r->stride, (unsigned long long)width);
    if (r->count == 0) return refuse(g, path, "has no rows");
    if (offset + (r->count - 1) * r->stride + width > length)
        return refuse(g, path, "needs %llu bytes, but bufferViews[%llu] has %llu", (unsigned long long)(offset + (r->count - 1) * r->stride + width),
                      (unsigned long long)number, (unsigned long long)length);
    r->at = g->bin + begin + offset;
    return KIN_OK;
}

/* Type, components and count of an accessor, and where its rows are. */
static kin_result find_accessor(const glb* g, uint64_t index, const char* type, uint64_t width, rows* r)
{
    char path[PATH];
    const kin_node *accessor = entry(g, "accessors", index), *name = kin_node_get(accessor, "type"), *normalized = kin_node_get(accessor, "normalized");
    uint64_t number;
    snprintf(path, sizeof path, "accessors[%llu]", (unsigned long long)index);
    if (name == NULL || name->type != KIN_NODE_STRING || strcmp(name->string, type) != 0) return refuse(g, path, "must be of the type %s", type);
    kin_result result = number_at(g, accessor, path, "componentType", FLOAT + 1, NONE, &number);
    if (result == KIN_OK) result = number_at(g, accessor, path, "count", MOST, NONE, &r->count);
    if (result != KIN_OK) return result;
    if (number < BYTE || number == UINT - 1) return refuse(g, path, "has the unknown componentType %llu", (unsigned long long)number);
    r->type = (component)number;
    r->normalized = normalized != NULL && normalized->type == KIN_NODE_BOOL && normalized->boolean;
    return find_rows(g, accessor, path, width * component_size(r->type), width > 1, r);
}

/* ---- positions ---- */

static kin_result read_position(const glb* g, const rows* r, uint64_t row, kin_vec3* out)
{
    const char* at = r->at + row * r->stride;
    uint64_t size = component_size(r->type);
    *out = kin_v(read_number(r, at), read_number(r, at + size), read_number(r, at + 2 * size));
    g->s->at = at;
    return kin_finite3(*out) ? KIN_OK : kin_mesh_fail_byte(g->s, "a vertex is not finite");
}

/* Rows that replace some of the accessor's own, which are already in place. */
static kin_result read_sparse(const glb* g, const kin_node* sparse, uint64_t accessor, const rows* base, size_t first)
{
    char path[PATH], place[PATH + 20];
    const kin_node *indices = kin_node_get(sparse, "indices"), *values = kin_node_get(sparse, "values");
    rows index = {0}, value = *base;
    uint64_t type;
    snprintf(path, sizeof path, "accessors[%llu].sparse", (unsigned long long)accessor);
    kin_result result = number_at(g, sparse, path, "count", base->count + 1, NONE, &index.count);
    value.count = index.count;
    snprintf(place, sizeof place, "%s.indices", path);
    if (result == KIN_OK) result = number_at(g, indices, place, "componentType", UINT + 1, NONE, &type);
    if (result == KIN_OK && type != UBYTE && type != USHORT && type != UINT) result = refuse(g, place, "must be of an unsigned type");
    if (result != KIN_OK) return result;
    index.type = (component)type;
    result = find_rows(g, indices, place, component_size(index.type), false, &index);
    snprintf(place, sizeof place, "%s.values", path);
    if (result == KIN_OK) result = find_rows(g, values, place, 3 * component_size(value.type), false, &value);
    for (uint64_t i = 0; result == KIN_OK && i < index.count; ++i) {
        uint32_t at = read_bits(index.at + i * index.stride, component_size(index.type));
        if (at >= base->count) return refuse(g, path, "replaces row %u of %llu", at, (unsigned long long)base->count);
        result = read_position(g, &value, i, &g->s->out->vertices[first + at]);
    }
    return result;
}

static kin_result read_positions(const glb* g, uint64_t accessor, const kin_mat4* world)
{
    kin_mesh_data* d = g->s->out;
    size_t first = d->vertex_count;
    rows r = {0};
    kin_result result = find_accessor(g, accessor, "VEC3", 3, &r);
    if (result != KIN_OK) return result;
    char path[PATH];
    snprintf(path, sizeof path, "accessors[%llu]", (unsigned long long)accessor);
    if (r.type != FLOAT && (!g->quantized || r.type == UINT)) return refuse(g, path, "positions must be floats");
    if (first + r.count > MOST) return refuse(g, path, "brings more than %llu vertices into the scene", (unsigned long long)MOST);
    for (uint64_t i = 0; result == KIN_OK && i < r.count; ++i) {
        kin_vec3 p;
        result = read_position(g, &r, i, &p);
        if (result == KIN_OK) result = kin_mesh_add_vertex(g->s, p);
    }
    const kin_node* sparse = kin_node_get(entry(g, "accessors", accessor), "sparse");
    if (result == KIN_OK && sparse != NULL) result = read_sparse(g, sparse, accessor, &r, first);
    for (size_t i = first; result == KIN_OK && i < d->vertex_count; ++i) {
        d->vertices[i] = kin_mat4_apply_point(world, d->vertices[i]);
        if (!kin_finite3(d->vertices[i])) result = refuse(g, path, "row %zu is not finite once transformed", i - first);
    }
    return result;
}

/* ---- primitives ---- */

typedef enum topology { MODE_TRIANGLES = 4, MODE_STRIP, MODE_FAN } topology;

typedef struct part {
    const char* path;
    rows indices;         /* of r.count corners; at NULL: 0, 1, 2 ... */
    uint64_t first, size; /* its vertices */
    bool mirrored;
} part;

static kin_result corner_at(const glb* g, const part* p, uint64_t i, uint32_t* out)
{
    uint32_t index = p->indices.at != NULL ? read_bits(p->indices.at + i * p->indices.stride, component_size(p->indices.type)) : (uint32_t)i;
    if (index >= p->size) return refuse(g, p->path, "corner %llu is vertex %u, but there are %llu", (unsigned long long)i, index, (unsigned long long)p->size);
    *out = (uint32_t)(p->first + index);
    return KIN_OK;
}

/* Corners a, b, c of the primitive. Those with two corners in one only join strips. A mirror image is turned round. */
static kin_result add_triangle(const glb* g, const part* p, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t order[3] = {a, p->mirrored ? c : b, p->mirrored ? b : c};
    uint32_t corner[3];
    kin_result result = KIN_OK;
    for (int k = 0; k < 3 && result == KIN_OK; ++k) result = corner_at(g, p, order[k], &corner[k]);
    if (result != KIN_OK || corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) return result;
    for (int k = 0; k < 3 && result == KIN_OK; ++k) result = kin_mesh_add_corner(g->s, corner[k]);
    return result == KIN_OK ? kin_mesh_add_face(g->s, 3) : result;
}

static kin_result add_triangles(const glb* g, const part* p, topology mode)
{
    uint64_t count = p->indices.count, triangles = mode == MODE_TRIANGLES ? count / 3 : count < 3 ? 0 : count - 2;
    kin_result result = KIN_OK;
    if (mode == MODE_TRIANGLES && count % 3 != 0) return refuse(g, p->path, "has %llu corners: not whole triangles", (unsigned long long)count);
    if (g->s->out->corner_count + 3 * triangles > MOST) return refuse(g, p->path, "brings more than %llu corners into the scene", (unsigned long long)MOST);
    for (uint64_t i = 0; i < triangles && result == KIN_OK; ++i) {
        if (mode == MODE_TRIANGLES)
            result = add_triangle(g, p, 3 * i, 3 * i + 1, 3 * i + 2);
        else if (mode == MODE_STRIP)
            result = add_triangle(g, p, i, i + 1 + i % 2, i + 2 - i % 2);
        else
            result = add_triangle(g, p, i + 1, i + 2, 0);
    }
    return result;
}

static kin_result find_indices(const glb* g, const kin_node* primitive, const char* path, part* p)
{
    uint64_t accessor;
    p->indices = (rows){.count = p->size};
    if (kin_node_get(primitive, "indices") == NULL) return KIN_OK;
    kin_result result = number_at(g, primitive, path, "indices", count_of(g, "accessors"), NONE, &accessor);
    if (result == KIN_OK) result = find_accessor(g, accessor, "SCALAR", 1, &p->indices);
    if (result != KIN_OK) return result;
    component type = p->indices.type;
    if (type != UBYTE && type != USHORT && type != UINT) return refuse(g, p->path, "must be of an unsigned type");
    if (kin_node_get(entry(g, "accessors", accessor), "sparse") != NULL) return refuse(g, p->path, "sparse indices are not read");
    return KIN_OK;
}

/* The vertices that the primitive before it placed, if it names the same ones: then they are not placed again. */
typedef struct placed {
    uint64_t accessor, first, size;
} placed;

static kin_result read_primitive(const glb* g, const kin_node* primitive, const char* path, const kin_mat4* world, placed* last)
{
    char place[PATH + 20];
    uint64_t number, accessor;
    kin_result result = number_at(g, primitive, path, "mode", 7, MODE_TRIANGLES, &number);
    if (result != KIN_OK || number < MODE_TRIANGLES) return result; /* points and lines */
    snprintf(place, sizeof place, "%s.attributes", path);
    result = number_at(g, kin_node_get(primitive, "attributes"), place, "POSITION", count_of(g, "accessors"), NONE, &accessor);
    if (result == KIN_OK && accessor != last->accessor) {
        size_t first = g->s->out->vertex_count;
        result = read_positions(g, accessor, world);
        *last = (placed){accessor, first, g->s->out->vertex_count - first};
    }
    snprintf(place, sizeof place, "%s.indices", path);
    part p = {.path = place, .first = last->first, .size = last->size, .mirrored = kin_mat3_determinant(kin_mat4_linear(world)) < 0};
    if (result == KIN_OK) result = find_indices(g, primitive, path, &p);
    return result == KIN_OK ? add_triangles(g, &p, (topology)number) : result;
}

static kin_result read_mesh(const glb* g, uint64_t index, const kin_mat4* world)
{
    char path[PATH];
    const kin_node* primitives = kin_node_get(entry(g, "meshes", index), "primitives");
    placed last = {.accessor = NONE};
    kin_result result = KIN_OK;
    snprintf(path, sizeof path, "meshes[%llu]", (unsigned long long)index);
    if (primitives == NULL || primitives->type != KIN_NODE_LIST) return refuse(g, path, "has no primitives");
    for (uint32_t i = 0; i < primitives->count && result == KIN_OK; ++i) {
        snprintf(path, sizeof path, "meshes[%llu].primitives[%u]", (unsigned long long)index, i);
        result = read_primitive(g, primitives->items[i], path, world, &last);
    }
    return result;
}

/* ---- nodes ---- */

static kin_result read_matrix(const glb* g, const char* path, const double m[16], kin_mat4* out)
{
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) return refuse(g, path, "the matrix is not affine: its last row must be 0 0 0 1");
    for (int i = 0; i < 16; ++i) out->m[i % 4][i / 4] = m[i]; /* by columns */
    return KIN_OK;
}

static kin_result local_transform(const glb* g, const kin_node* node, const char* path, kin_mat4* out)
{
    double m[16], t[3] = {0}, q[4] = {0, 0, 0, 1}, k[3] = {1, 1, 1};
    bool has_matrix, has_t = false, has_q = false, has_k = false;
    kin_result result = numbers_at(g, node, path, "matrix", 16, m, &has_matrix);
    if (result == KIN_OK) result = numbers_at(g, node, path, "translation", 3, t, &has_t);
    if (result == KIN_OK) result = numbers_at(g, node, path, "rotation", 4, q, &has_q);
    if (result == KIN_OK) result = numbers_at(g, node, path, "scale", 3, k, &has_k);
    if (result != KIN_OK) return result;
    if (has_matrix && (has_t || has_q || has_k)) return refuse(g, path, "has a matrix and a translation, rotation or scale");
    if (has_matrix) return read_matrix(g, path, m, out);
    kin_quat turn = {q[0], q[1], q[2], q[3]};
    if (!(kin_abs(kin_quat_length(turn) - 1) < 0.01)) return refuse(g, path, "the rotation is not a unit quaternion");
    kin_mat3 linear = kin_mat3_mul(kin_quat_to_matrix(kin_quat_normalize(turn)), kin_mat3_diagonal(kin_v(k[0], k[1], k[2])));
    *out = kin_mat4_affine(linear, kin_v(t[0], t[1], t[2]));
    return KIN_OK;
}

typedef struct pending {
    uint64_t node;
    kin_mat4 parent;
} pending;

/* Nodes still to come, the next on top. Each is stacked once at most, so that there is an end, and room for all. */
typedef struct walk {
    pending* stack;
    bool* seen;
    size_t top, count;
} walk;

static kin_result push_nodes(const glb* g, walk* w, const kin_node* list, const char* path, const kin_mat4* parent)
{
    if (list == NULL) return KIN_OK;
    if (list->type != KIN_NODE_LIST) return refuse(g, path, "must be a list of nodes");
    for (uint32_t i = list->count; i-- > 0;) { /* the last first: they are taken from the top */
        const kin_node* n = list->items[i];
        if (n->type != KIN_NODE_NUMBER || !(n->number >= 0 && n->number < (double)w->count) || n->number != (double)(size_t)n->number)
            return refuse(g, path, "entry %u is not one of the %zu nodes", i, w->count);
        size_t node = (size_t)n->number;
        if (w->seen[node]) return refuse(g, path, "nodes[%zu] has two parents, or is its own ancestor", node);
        w->seen[node] = true;
        w->stack[w->top++] = (pending){node, *parent};
    }
    return KIN_OK;
}

static kin_result visit(const glb* g, walk* w)
{
    char path[PATH], place[PATH + 20];
    pending now = w->stack[--w->top];
    const kin_node* node = entry(g, "nodes", now.node);
    kin_mat4 local = {0}, world;
    uint64_t mesh;
    snprintf(path, sizeof path, "nodes[%llu]", (unsigned long long)now.node);
    kin_result result = local_transform(g, node, path, &local);
    if (result != KIN_OK) return result;
    world = kin_mat4_mul(&now.parent, &local);
    if (kin_node_get(node, "mesh") != NULL) {
        result = number_at(g, node, path, "mesh", count_of(g, "meshes"), NONE, &mesh);
        if (result == KIN_OK) result = read_mesh(g, mesh, &world);
    }
    snprintf(place, sizeof place, "%s.children", path);
    return result == KIN_OK ? push_nodes(g, w, kin_node_get(node, "children"), place, &world) : result;
}

static kin_result walk_scene(const glb* g, const kin_node* roots, const char* path, walk* w)
{
    kin_mat4 world = kin_mat4_identity();
    kin_result result = push_nodes(g, w, roots, path, &world);
    while (w->top > 0 && result == KIN_OK) result = visit(g, w);
    return result;
}

/* The scene named, else the first. A file without scenes is a shelf of meshes: each is taken once, as it is. */
static kin_result read_scene(const glb* g)
{
    char path[PATH];
    uint64_t scene, scenes = count_of(g, "scenes");
    const kin_allocator* allocator = &g->s->out->allocator;
    kin_mat4 as_is = kin_mat4_identity();
    kin_result result = KIN_OK;
    if (scenes == 0) {
        for (uint64_t i = 0; i < count_of(g, "meshes") && result == KIN_OK; ++i) result = read_mesh(g, i, &as_is);
        return result;
    }
    result = number_at(g, g->root, "glTF", "scene", scenes, 0, &scene);
    if (result != KIN_OK) return result;
    walk w = {.count = (size_t)count_of(g, "nodes")};
    size_t stack_bytes = kin_bytes(w.count, sizeof *w.stack);
    w.stack = kin_alloc(allocator, stack_bytes);
    w.seen = kin_alloc_zero(allocator, w.count);
    snprintf(path, sizeof path, "scenes[%llu].nodes", (unsigned long long)scene);
    if (w.count > 0 && (w.stack == NULL || w.seen == NULL))
        result = kin_fail_memory(g->s->error, g->s->path, stack_bytes);
    else
        result = walk_scene(g, kin_node_get(entry(g, "scenes", scene), "nodes"), path, &w);
    kin_free(allocator, w.stack, stack_bytes);
    kin_free(allocator, w.seen, w.count);
    return result;
}

/* ---- the file ---- */

/* Those that say how a surface looks may be left out; without the others the shape would be wrong. */
static kin_result check_extensions(glb* g)
{
    static const char* const looks[] = {"KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_xmp", "EXT_texture_", "EXT_lights_"};
    const kin_node* list = kin_node_get(g->root, "extensionsRequired");
    for (uint32_t i = 0; list != NULL && list->type == KIN_NODE_LIST && i < list->count; ++i) {
        const kin_node* name = list->items[i];
        bool known = false;
        if (name->type != KIN_NODE_STRING) return refuse(g, "extensionsRequired", "must be a list of names");
        for (size_t k = 0; k < sizeof looks / sizeof *looks; ++k) known = known || strncmp(name->string, looks[k], strlen(looks[k])) == 0;
        if (strcmp(name->string, "KHR_mesh_quantization") == 0) g->quantized = known = true;
        if (!known) return refuse(g, "extensionsRequired", "\"%.60s\" is needed to read this file, and is not supported", name->string);
    }
    return KIN_OK;
}

/* The next chunk's bytes; s->at moves behind it. */
static kin_result next_chunk(kin_mesh_source* s, uint32_t* type, const char** bytes, uint32_t* size)
{
    if (s->end - s->at < 8) return kin_mesh_fail_byte(s, "the header of a chunk is cut off");
    *size = read_bits(s->at, 4);
    *type = read_bits(s->at + 4, 4);
    if ((size_t)(s->end - s->at) - 8 < *size) return kin_mesh_fail_byte(s, "a chunk of %u bytes does not fit the file", *size);
    *bytes = s->at + 8;
    s->at += 8 + *size;
    return KIN_OK;
}

static kin_result check_header(kin_mesh_source* s)
{
    size_t size = (size_t)(s->end - s->begin);
    if (size < 12 || memcmp(s->begin, "glTF", 4) != 0) return kin_mesh_fail_byte(s, "is not binary glTF");
    if (read_bits(s->begin + 4, 4) != 2) return kin_mesh_fail_byte(s, "is glTF of version %u; version 2 is read", read_bits(s->begin + 4, 4));
    uint32_t length = read_bits(s->begin + 8, 4);
    if (length > size) return kin_mesh_fail_byte(s, "promises %u bytes, but has %zu", length, size);
    if (length < 20) return kin_mesh_fail_byte(s, "promises only %u bytes", length);
    s->end = s->begin + length;
    s->at = s->begin + 12;
    return KIN_OK;
}

static kin_result read_document(kin_mesh_source* s, kin_tree* tree)
{
    glb g = {.s = s};
    uint32_t type, size;
    const char* text;
    kin_result result = next_chunk(s, &type, &text, &size);
    if (result == KIN_OK && type != CHUNK_JSON) result = kin_mesh_fail_byte(s, "the first chunk is not JSON");
    kin_json_limits limits = {.max_bytes = (size_t)1 << 28, .max_depth = 64, .max_nodes = (size_t)1 << 22};
    if (result == KIN_OK) result = kin_json_read(tree, text, size, s->path, &limits, s->error);
    if (result != KIN_OK) return result;
    g.root = tree->root;
    if (s->at < s->end) {
        uint32_t bin_size;
        result = next_chunk(s, &type, &text, &bin_size);
        if (result == KIN_OK && type == CHUNK_BIN) g.bin = text, g.bin_size = bin_size;
    }
    if (result == KIN_OK) result = check_extensions(&g);
    return result == KIN_OK ? read_scene(&g) : result;
}

kin_result kin_mesh_parse_glb(kin_mesh_source* s)
{
    kin_result result = check_header(s);
    if (result != KIN_OK) return result;
    kin_tree tree;
    kin_tree_init(&tree, &s->out->allocator);
    result = read_document(s, &tree);
    kin_tree_term(&tree);
    return result;
}
