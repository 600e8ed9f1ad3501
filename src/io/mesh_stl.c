/* mesh_stl.c - STL: loose triangles, as text or as 50-byte records. Corners at exactly one place become one vertex. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/weld.h"
#include "io/mesh_read.h"
#include "math/vec3.h"
#include <string.h>

#define HEADER 84 /* 80 bytes of anything, then the count */
#define RECORD 50 /* normal, three corners, two bytes of anything */

static uint32_t read_u32(const char* bytes)
{
    const uint8_t* b = (const uint8_t*)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char* bytes)
{
    uint32_t bits = read_u32(bytes);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static kin_result add_triangle(kin_mesh_source* s, const kin_vec3 p[3])
{
    kin_result result = KIN_OK;
    for (int k = 0; k < 3 && result == KIN_OK; ++k) {
        result = kin_mesh_add_corner(s, (uint32_t)s->out->vertex_count);
        if (result == KIN_OK) result = kin_mesh_add_vertex(s, p[k]);
    }
    return result == KIN_OK ? kin_mesh_add_face(s, 3) : result;
}

static kin_result read_binary(kin_mesh_source* s)
{
    size_t size = (size_t)(s->end - s->begin);
    uint64_t count = read_u32(s->begin + 80);
    if (count > (size - HEADER) / RECORD)
        return kin_mesh_fail_byte(s, "promises %llu triangles, but holds %zu", (unsigned long long)count, (size - HEADER) / RECORD);
    s->at = s->begin + HEADER;
    for (uint64_t i = 0; i < count; ++i, s->at += RECORD) {
        kin_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            const char* at = s->at + 12 + 12 * k;
            p[k] = kin_v(read_f32(at), read_f32(at + 4), read_f32(at + 8));
            if (!kin_finite3(p[k])) return kin_mesh_fail_byte(s, "triangle %llu is not finite", (unsigned long long)i);
        }
        kin_result result = add_triangle(s, p);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static bool expect(kin_mesh_source* s, const char* word) { return kin_mesh_token_is(kin_mesh_token_any(s), word); }

static kin_result read_facet(kin_mesh_source* s)
{
    if (!expect(s, "normal")) return kin_mesh_fail_line(s, "\"normal\" must follow \"facet\"");
    for (int i = 0; i < 3; ++i) kin_mesh_token_any(s); /* often wrong in files: ours comes from the corners */
    if (!expect(s, "outer") || !expect(s, "loop")) return kin_mesh_fail_line(s, "\"outer loop\" is missing");
    kin_vec3 p[3];
    for (int k = 0; k < 3; ++k) {
        double x[3];
        if (!expect(s, "vertex")) return kin_mesh_fail_line(s, "a facet needs 3 times \"vertex\"");
        for (int i = 0; i < 3; ++i) {
            kin_mesh_token token = kin_mesh_token_any(s);
            if (!kin_mesh_token_number(s, token, &x[i]))
                return kin_mesh_fail_line(s, "\"%.*s\" is not a number", (int)(token.length < 40 ? token.length : 40), token.begin);
        }
        p[k] = kin_v(x[0], x[1], x[2]);
    }
    if (!expect(s, "endloop") || !expect(s, "endfacet")) return kin_mesh_fail_line(s, "\"endloop endfacet\" must end a facet of 3 vertices");
    return add_triangle(s, p);
}

static kin_result read_text(kin_mesh_source* s)
{
    bool open = false;
    for (kin_mesh_token token; (token = kin_mesh_token_any(s)).length > 0;) {
        kin_result result = KIN_OK;
        if (kin_mesh_token_is(token, "solid") || kin_mesh_token_is(token, "endsolid")) {
            open = kin_mesh_token_is(token, "solid");
            kin_mesh_skip_line(s); /* the rest is a name */
        } else if (open && kin_mesh_token_is(token, "facet")) {
            result = read_facet(s);
        } else {
            result = kin_mesh_fail_line(s, "\"%.*s\" is not STL", (int)(token.length < 40 ? token.length : 40), token.begin);
        }
        if (result != KIN_OK) return result;
    }
    return open ? kin_mesh_fail_line(s, "the file ends before \"endsolid\"") : KIN_OK;
}

/* Keeps the first vertex at each place; corners follow. */
static kin_result weld(kin_mesh_source* s)
{
    kin_mesh_data* d = s->out;
    size_t bytes = kin_bytes(d->vertex_count, sizeof(uint32_t));
    uint32_t* first = d->vertex_count < UINT32_MAX / 2 ? kin_alloc(&d->allocator, bytes) : NULL;
    if (d->vertex_count == 0) return KIN_OK;
    if (first == NULL || !kin_weld(&d->allocator, d->vertices, (uint32_t)d->vertex_count, first)) {
        kin_free(&d->allocator, first, bytes);
        return kin_fail_memory(s->error, s->path, bytes);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->vertex_count; ++i) {
        if (first[i] == i) {
            d->vertices[kept] = d->vertices[i];
            first[i] = kept++;
        } else {
            first[i] = first[first[i]]; /* its first came before it: already renumbered */
        }
    }
    for (size_t i = 0; i < d->corner_count; ++i) d->corners[i] = first[d->corners[i]];
    d->vertex_count = kept;
    kin_free(&d->allocator, first, bytes);
    return KIN_OK;
}

/* Binary files may begin with "solid" too: the size decides first. */
static bool is_binary(const kin_mesh_source* s)
{
    size_t size = (size_t)(s->end - s->begin);
    if (size >= HEADER && (size - HEADER) / RECORD == read_u32(s->begin + 80) && (size - HEADER) % RECORD == 0) return true;
    return size < 5 || memcmp(s->begin, "solid", 5) != 0;
}

kin_result kin_mesh_parse_stl(kin_mesh_source* s)
{
    kin_result result;
    if (!is_binary(s))
        result = read_text(s);
    else if ((size_t)(s->end - s->begin) < HEADER)
        return kin_mesh_fail_byte(s, "is neither text (\"solid\") nor as long as a binary header");
    else
        result = read_binary(s);
    return result == KIN_OK ? weld(s) : result;
}
