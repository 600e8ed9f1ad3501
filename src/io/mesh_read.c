/* mesh_read.c - opening mesh files, and the text work their readers share. */
#include "io/mesh_read.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "math/scalar.h"
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_BYTES ((size_t)8 << 30)

void kin_mesh_data_term(kin_mesh_data* data)
{
    kin_free(&data->allocator, data->vertices, data->vertex_capacity * sizeof *data->vertices);
    kin_free(&data->allocator, data->face_sizes, data->face_capacity * sizeof *data->face_sizes);
    kin_free(&data->allocator, data->corners, data->corner_capacity * sizeof *data->corners);
    *data = (kin_mesh_data){.allocator = data->allocator};
}

kin_mesh_view kin_mesh_data_view(const kin_mesh_data* data)
{
    return (kin_mesh_view){data->vertices, data->vertex_count, data->face_sizes, data->corners, data->face_count};
}

/* ---- what readers add ---- */

kin_result kin_mesh_add_vertex(kin_mesh_source* s, kin_vec3 vertex)
{
    kin_mesh_data* d = s->out;
    if (!kin_reserve(&d->allocator, (void**)&d->vertices, &d->vertex_capacity, d->vertex_count + 1, sizeof *d->vertices)) {
        return kin_fail_memory(s->error, s->path, d->vertex_count * sizeof *d->vertices);
    }
    d->vertices[d->vertex_count++] = vertex;
    return KIN_OK;
}

kin_result kin_mesh_add_corner(kin_mesh_source* s, uint32_t vertex)
{
    kin_mesh_data* d = s->out;
    if (!kin_reserve(&d->allocator, (void**)&d->corners, &d->corner_capacity, d->corner_count + 1, sizeof *d->corners)) {
        return kin_fail_memory(s->error, s->path, d->corner_count * sizeof *d->corners);
    }
    d->corners[d->corner_count++] = vertex;
    return KIN_OK;
}

kin_result kin_mesh_add_face(kin_mesh_source* s, uint32_t size)
{
    kin_mesh_data* d = s->out;
    if (!kin_reserve(&d->allocator, (void**)&d->face_sizes, &d->face_capacity, d->face_count + 1, sizeof *d->face_sizes)) {
        return kin_fail_memory(s->error, s->path, d->face_count * sizeof *d->face_sizes);
    }
    d->face_sizes[d->face_count++] = size;
    return KIN_OK;
}

/* ---- errors ---- */

kin_result kin_mesh_fail_line(const kin_mesh_source* s, const char* format, ...)
{
    char message[400], where[480];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(where, sizeof where, "%s:%zu", s->path, s->line);
    return kin_fail(s->error, KIN_ERROR_FORMAT, where, "%s", message);
}

kin_result kin_mesh_fail_byte(const kin_mesh_source* s, const char* format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return kin_fail(s->error, KIN_ERROR_FORMAT, s->path, "%s at byte %zu", message, (size_t)(s->at - s->begin));
}

/* ---- tokens ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* A backslash at the end of a line joins it to the next. */
static bool skip_continuation(kin_mesh_source* s)
{
    const char* p = s->at + 1;
    while (p < s->end && *p == '\r') ++p;
    if (s->at >= s->end || *s->at != '\\' || p >= s->end || *p != '\n') return false;
    s->at = p + 1;
    s->line += 1;
    return true;
}

kin_mesh_token kin_mesh_token_on_line(kin_mesh_source* s)
{
    while (s->at < s->end && (is_blank(*s->at) || skip_continuation(s))) {
        if (s->at < s->end && is_blank(*s->at)) s->at += 1;
    }
    kin_mesh_token token = {s->at, 0};
    while (s->at < s->end && !is_blank(*s->at) && *s->at != '\n' && *s->at != '\\') s->at += 1;
    if (s->at == token.begin && s->at < s->end && *s->at == '\\') s->at += 1; /* a lone backslash is a token, not a trap */
    token.length = (size_t)(s->at - token.begin);
    return token;
}

void kin_mesh_skip_line(kin_mesh_source* s)
{
    while (s->at < s->end && *s->at != '\n') {
        if (!skip_continuation(s)) s->at += 1;
    }
    if (s->at < s->end) {
        s->at += 1;
        s->line += 1;
    }
}

kin_mesh_token kin_mesh_token_any(kin_mesh_source* s)
{
    for (;;) {
        kin_mesh_token token = kin_mesh_token_on_line(s);
        if (token.length > 0 || s->at >= s->end) return token;
        kin_mesh_skip_line(s);
    }
}

bool kin_mesh_token_is(kin_mesh_token token, const char* word) { return strlen(word) == token.length && strncasecmp(token.begin, word, token.length) == 0; }

/* Digits with at most one point, then maybe an exponent: no inf, nan or hexadecimal, which strtod would take. */
static bool looks_like_number(const char* text)
{
    const char* p = text + (*text == '-' || *text == '+');
    size_t digits = strspn(p, "0123456789");
    p += digits;
    if (*p == '.') {
        size_t more = strspn(p + 1, "0123456789");
        digits += more;
        p += 1 + more;
    }
    if (digits == 0) return false;
    if (*p == 'e' || *p == 'E') {
        p += 1 + (p[1] == '-' || p[1] == '+');
        size_t exponent = strspn(p, "0123456789");
        if (exponent == 0) return false;
        p += exponent;
    }
    return *p == '\0';
}

bool kin_mesh_token_number(const kin_mesh_source* s, kin_mesh_token token, double* value)
{
    char text[128];
    if (token.length == 0 || token.length >= sizeof text) return false;
    memcpy(text, token.begin, token.length);
    text[token.length] = '\0';
    if (!looks_like_number(text)) return false;
    *value = strtod_l(text, NULL, (locale_t)s->c_locale);
    return kin_finite(*value);
}

bool kin_mesh_token_integer(kin_mesh_token token, int64_t* value)
{
    size_t i = token.length > 0 && (*token.begin == '-' || *token.begin == '+');
    int64_t sum = 0;
    if (i == token.length || token.length > 18) return false;
    for (; i < token.length; ++i) {
        if (token.begin[i] < '0' || token.begin[i] > '9') return false;
        sum = sum * 10 + (token.begin[i] - '0');
    }
    *value = *token.begin == '-' ? -sum : sum;
    return true;
}

/* ---- files ---- */

typedef kin_result parse_fn(kin_mesh_source* source);

static parse_fn* parser_of(const char* path)
{
    const char* dot = strrchr(path, '.');
    if (dot == NULL) return NULL;
    if (strcasecmp(dot, ".obj") == 0) return kin_mesh_parse_obj;
    if (strcasecmp(dot, ".ply") == 0) return kin_mesh_parse_ply;
    if (strcasecmp(dot, ".glb") == 0) return kin_mesh_parse_glb;
    return strcasecmp(dot, ".stl") == 0 ? kin_mesh_parse_stl : NULL;
}

static kin_result parse(parse_fn* parser, const char* path, const char* bytes, size_t size, kin_mesh_data* out, kin_error* error)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) return kin_fail_memory(error, "a locale", 1);
    kin_mesh_source source = {path, bytes, bytes, bytes + size, 1, (void*)c_locale, out, error};
    kin_result result = parser(&source);
    freelocale(c_locale);
    if (result == KIN_OK && out->face_count == 0) result = kin_fail(error, KIN_ERROR_FORMAT, path, "has no faces");
    return result;
}

kin_result kin_mesh_read_memory(const kin_allocator* allocator, const char* name, const void* bytes, size_t size, kin_mesh_data* out, kin_error* error)
{
    *out = (kin_mesh_data){.allocator = *allocator};
    parse_fn* parser = parser_of(name);
    if (parser == NULL) return kin_fail(error, KIN_ERROR_FORMAT, name, "is not a mesh file: its name must end in .obj, .ply, .stl or .glb");
    kin_result result = parse(parser, name, bytes, size, out, error);
    if (result != KIN_OK) kin_mesh_data_term(out);
    return result;
}

kin_result kin_mesh_read(const kin_allocator* allocator, const char* path, kin_mesh_data* out, kin_error* error)
{
    *out = (kin_mesh_data){.allocator = *allocator};
    char* bytes;
    size_t size;
    kin_result result = kin_file_read(allocator, path, MAX_BYTES, &bytes, &size, error);
    if (result != KIN_OK) return result;
    result = kin_mesh_read_memory(allocator, path, bytes, size, out, error);
    kin_free(allocator, bytes, size + 1);
    return result;
}
