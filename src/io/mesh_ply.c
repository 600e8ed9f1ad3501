/* mesh_ply.c - PLY: a header that says what follows, then rows of it, as text or as bytes of either order. We want x, y, z of "vertex" and the list
 * "vertex_indices" (or "vertex_index") of "face"; all other properties and elements are read and dropped. */
#include "io/mesh_read.h"
#include "math/scalar.h"
#include <string.h>

#define MAX_ELEMENTS 32
#define MAX_PROPERTIES 64

typedef enum format { FORMAT_ASCII, FORMAT_LITTLE, FORMAT_BIG } format;
typedef enum scalar { SCALAR_I8, SCALAR_U8, SCALAR_I16, SCALAR_U16, SCALAR_I32, SCALAR_U32, SCALAR_F32, SCALAR_F64, SCALAR_NONE } scalar;

static const size_t scalar_size[] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum meaning { MEANS_NOTHING, MEANS_X, MEANS_Y, MEANS_Z, MEANS_CORNERS } meaning;

typedef struct property {
    scalar type, count_type; /* count_type SCALAR_NONE: one value, else a list */
    meaning meaning;
} property;

typedef struct element {
    bool is_vertex, is_face;
    uint64_t count;
    uint32_t property_count;
    property properties[MAX_PROPERTIES];
} element;

typedef struct ply {
    format format;
    uint32_t element_count;
    element elements[MAX_ELEMENTS];
} ply;

/* ---- header ---- */

static scalar scalar_of(kin_mesh_token t)
{
    static const char* const names[] = {"char", "uchar", "short", "ushort", "int",   "uint",   "float",   "double",
                                        "int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"};
    for (int i = 0; i < 16; ++i) {
        if (kin_mesh_token_is(t, names[i])) return (scalar)(i % 8);
    }
    return SCALAR_NONE;
}

static meaning meaning_of(const element* e, kin_mesh_token name, bool list)
{
    if (e->is_face && list) return kin_mesh_token_is(name, "vertex_indices") || kin_mesh_token_is(name, "vertex_index") ? MEANS_CORNERS : MEANS_NOTHING;
    if (!e->is_vertex || list) return MEANS_NOTHING;
    return kin_mesh_token_is(name, "x") ? MEANS_X : kin_mesh_token_is(name, "y") ? MEANS_Y : kin_mesh_token_is(name, "z") ? MEANS_Z : MEANS_NOTHING;
}

static kin_result read_property(kin_mesh_source* s, ply* p)
{
    if (p->element_count == 0) return kin_mesh_fail_line(s, "a property before any element");
    element* e = &p->elements[p->element_count - 1];
    if (e->property_count == MAX_PROPERTIES) return kin_mesh_fail_line(s, "more than %d properties", MAX_PROPERTIES);
    kin_mesh_token type = kin_mesh_token_on_line(s);
    property q = {.count_type = SCALAR_NONE};
    if (kin_mesh_token_is(type, "list")) {
        q.count_type = scalar_of(kin_mesh_token_on_line(s));
        if (q.count_type == SCALAR_NONE || q.count_type >= SCALAR_F32) return kin_mesh_fail_line(s, "the count of a list must be of an integer type");
        type = kin_mesh_token_on_line(s);
    }
    q.type = scalar_of(type);
    if (q.type == SCALAR_NONE) return kin_mesh_fail_line(s, "\"%.*s\" is not a PLY type", (int)(type.length < 40 ? type.length : 40), type.begin);
    q.meaning = meaning_of(e, kin_mesh_token_on_line(s), q.count_type != SCALAR_NONE);
    e->properties[e->property_count++] = q;
    return KIN_OK;
}

static kin_result read_element(kin_mesh_source* s, ply* p)
{
    if (p->element_count == MAX_ELEMENTS) return kin_mesh_fail_line(s, "more than %d elements", MAX_ELEMENTS);
    kin_mesh_token name = kin_mesh_token_on_line(s);
    int64_t count;
    if (!kin_mesh_token_integer(kin_mesh_token_on_line(s), &count) || count < 0) return kin_mesh_fail_line(s, "an element needs a name and a count");
    p->elements[p->element_count++] =
        (element){.is_vertex = kin_mesh_token_is(name, "vertex"), .is_face = kin_mesh_token_is(name, "face"), .count = (uint64_t)count};
    return KIN_OK;
}

static kin_result read_format(kin_mesh_source* s, ply* p)
{
    kin_mesh_token word = kin_mesh_token_on_line(s);
    if (kin_mesh_token_is(word, "ascii"))
        p->format = FORMAT_ASCII;
    else if (kin_mesh_token_is(word, "binary_little_endian"))
        p->format = FORMAT_LITTLE;
    else if (kin_mesh_token_is(word, "binary_big_endian"))
        p->format = FORMAT_BIG;
    else
        return kin_mesh_fail_line(s, "\"%.*s\" is not a PLY format", (int)(word.length < 40 ? word.length : 40), word.begin);
    return KIN_OK;
}

static kin_result read_header(kin_mesh_source* s, ply* p)
{
    if (!kin_mesh_token_is(kin_mesh_token_on_line(s), "ply")) return kin_mesh_fail_line(s, "does not begin with \"ply\"");
    bool formatted = false;
    for (;;) {
        kin_mesh_skip_line(s);
        if (s->at >= s->end) return kin_mesh_fail_line(s, "the header does not end");
        kin_mesh_token word = kin_mesh_token_on_line(s);
        kin_result result = KIN_OK;
        if (kin_mesh_token_is(word, "end_header")) break;
        if (kin_mesh_token_is(word, "format"))
            result = read_format(s, p), formatted = true;
        else if (kin_mesh_token_is(word, "element"))
            result = read_element(s, p);
        else if (kin_mesh_token_is(word, "property"))
            result = read_property(s, p);
        if (result != KIN_OK) return result;
    }
    kin_mesh_skip_line(s);
    return formatted ? KIN_OK : kin_mesh_fail_line(s, "the header names no format");
}

/* ---- rows ---- */

static kin_result fail(const kin_mesh_source* s, const ply* p, const char* what)
{
    return p->format == FORMAT_ASCII ? kin_mesh_fail_line(s, "%s", what) : kin_mesh_fail_byte(s, "%s", what);
}

static double decode(scalar type, uint64_t bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case SCALAR_I8: return (int8_t)bits;
    case SCALAR_U8: return (uint8_t)bits;
    case SCALAR_I16: return (int16_t)bits;
    case SCALAR_U16: return (uint16_t)bits;
    case SCALAR_I32: return (int32_t)low;
    case SCALAR_U32: return low;
    case SCALAR_F32: return memcpy(&f, &low, sizeof f), f;
    default: return memcpy(&d, &bits, sizeof d), d;
    }
}

static kin_result read_scalar(kin_mesh_source* s, const ply* p, scalar type, double* value)
{
    if (p->format == FORMAT_ASCII) {
        kin_mesh_token token = kin_mesh_token_any(s);
        if (token.length == 0) return kin_mesh_fail_line(s, "the file ends too early");
        if (kin_mesh_token_number(s, token, value)) return KIN_OK;
        return kin_mesh_fail_line(s, "\"%.*s\" is not a number", (int)(token.length < 40 ? token.length : 40), token.begin);
    }
    size_t size = scalar_size[type];
    if ((size_t)(s->end - s->at) < size) return kin_mesh_fail_byte(s, "the file ends too early");
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        uint64_t byte = (uint8_t)s->at[p->format == FORMAT_LITTLE ? i : size - 1 - i];
        bits |= byte << (8 * i);
    }
    s->at += size;
    *value = decode(type, bits);
    return KIN_OK;
}

/* A whole number below `limit`, or an error that says what it should have been. */
static kin_result whole(const kin_mesh_source* s, const ply* p, double value, double limit, const char* what, uint32_t* out)
{
    if (!(value >= 0 && value < limit) || value != (double)(uint32_t)value) return fail(s, p, what);
    *out = (uint32_t)value;
    return KIN_OK;
}

static kin_result read_list(kin_mesh_source* s, const ply* p, const property* q)
{
    double value;
    uint32_t count = 0, index = 0;
    kin_result result = read_scalar(s, p, q->count_type, &value);
    if (result == KIN_OK) result = whole(s, p, value, kin_min((double)(s->end - s->at) + 1, 4294967295.0), "a list is longer than the file", &count);
    for (uint32_t i = 0; result == KIN_OK && i < count; ++i) {
        result = read_scalar(s, p, q->type, &value);
        if (result != KIN_OK || q->meaning != MEANS_CORNERS) continue;
        result = whole(s, p, value, 4294967295.0, "a corner is not a vertex number", &index);
        if (result == KIN_OK) result = kin_mesh_add_corner(s, index);
    }
    return result == KIN_OK && q->meaning == MEANS_CORNERS ? kin_mesh_add_face(s, count) : result;
}

static kin_result read_row(kin_mesh_source* s, const ply* p, const element* e)
{
    kin_vec3 at = {0, 0, 0};
    for (uint32_t i = 0; i < e->property_count; ++i) {
        const property* q = &e->properties[i];
        double value = 0;
        kin_result result = q->count_type != SCALAR_NONE ? read_list(s, p, q) : read_scalar(s, p, q->type, &value);
        if (result != KIN_OK) return result;
        if (q->meaning == MEANS_X)
            at.x = value;
        else if (q->meaning == MEANS_Y)
            at.y = value;
        else if (q->meaning == MEANS_Z)
            at.z = value;
    }
    if (!e->is_vertex) return KIN_OK;
    if (!kin_finite(at.x) || !kin_finite(at.y) || !kin_finite(at.z)) return fail(s, p, "a vertex is not finite");
    return kin_mesh_add_vertex(s, at);
}

/* The fewest bytes a row can take: what the header claims must fit what is left of the file. */
static uint64_t least_bytes(const ply* p, const element* e)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < e->property_count; ++i) {
        const property* q = &e->properties[i];
        sum += p->format == FORMAT_ASCII ? 2 : scalar_size[q->count_type != SCALAR_NONE ? q->count_type : q->type];
    }
    return sum;
}

static kin_result read_rows(kin_mesh_source* s, const ply* p, const element* e)
{
    uint64_t least = least_bytes(p, e), left = (uint64_t)(s->end - s->at);
    if (least == 0 || e->count == 0) return e->count == 0 || !e->is_vertex ? KIN_OK : fail(s, p, "vertices without properties");
    if (e->count > (left + 1) / least) return fail(s, p, "the header promises more than the file holds");
    for (uint64_t i = 0; i < e->count; ++i) {
        kin_result result = read_row(s, p, e);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static bool has(const element* e, meaning wanted)
{
    for (uint32_t i = 0; i < e->property_count; ++i) {
        if (e->properties[i].meaning == wanted) return true;
    }
    return false;
}

static kin_result check_elements(const kin_mesh_source* s, const ply* p)
{
    uint32_t vertices = 0, faces = 0;
    for (uint32_t i = 0; i < p->element_count; ++i) {
        const element* e = &p->elements[i];
        vertices += e->is_vertex;
        faces += e->is_face;
        if (e->is_vertex && !(has(e, MEANS_X) && has(e, MEANS_Y) && has(e, MEANS_Z))) return kin_mesh_fail_line(s, "the vertices have no x, y and z");
        if (e->is_face && !has(e, MEANS_CORNERS)) return kin_mesh_fail_line(s, "the faces have no list vertex_indices");
    }
    return vertices == 1 && faces == 1 ? KIN_OK : kin_mesh_fail_line(s, "there must be one element \"vertex\" and one \"face\"");
}

static kin_result check_corners(const kin_mesh_source* s, const ply* p)
{
    for (size_t i = 0; i < s->out->corner_count; ++i) {
        if (s->out->corners[i] >= s->out->vertex_count) return fail(s, p, "a corner names a vertex that is not there");
    }
    for (size_t i = 0; i < s->out->face_count; ++i) {
        if (s->out->face_sizes[i] < 3) return fail(s, p, "a face has less than 3 corners");
    }
    return KIN_OK;
}

kin_result kin_mesh_parse_ply(kin_mesh_source* s)
{
    ply p = {0};
    kin_result result = read_header(s, &p);
    if (result == KIN_OK) result = check_elements(s, &p);
    for (uint32_t i = 0; result == KIN_OK && i < p.element_count; ++i) result = read_rows(s, &p, &p.elements[i]);
    return result == KIN_OK ? check_corners(s, &p) : result;
}
