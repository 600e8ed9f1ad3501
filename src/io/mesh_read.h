/* mesh_read.h - polygon meshes from files: OBJ, PLY (ascii, binary of both byte orders), STL (ascii, binary), GLB (binary glTF 2.0, the scene
 * as one mesh). Faces stay polygons; kin_mesh_create judges them.
 *
 * Files are not trusted: what a file claims to hold is checked against its size before memory is taken, and every number is read in the C locale. */
#pragma once
#include "kinema/base.h"
#include "kinema/collider.h"

typedef struct kin_mesh_data {
    kin_vec3* vertices; /* m */
    uint32_t* face_sizes;
    uint32_t* corners;
    size_t vertex_count, face_count, corner_count;
    size_t vertex_capacity, face_capacity, corner_capacity;
    kin_allocator allocator;
} kin_mesh_data;

/* By extension, .obj .ply .stl .glb in any case. On failure *out is empty; error says file and line, file and byte, or file and JSON path. */
kin_result kin_mesh_read(const kin_allocator* allocator, const char* path, kin_mesh_data* out, kin_error* error);
/* The same from bytes in memory; name decides the format and stands in errors. */
kin_result kin_mesh_read_memory(const kin_allocator* allocator, const char* name, const void* bytes, size_t size, kin_mesh_data* out, kin_error* error);
void kin_mesh_data_term(kin_mesh_data* data);
kin_mesh_view kin_mesh_data_view(const kin_mesh_data* data); /* lives as long as data */

/* ---- for the readers ---- */

/* A file in memory, and where reading has got to. */
typedef struct kin_mesh_source {
    const char* path;
    const char* begin;
    const char* at;
    const char* end;
    size_t line; /* of `at`, from 1 */
    void* c_locale;
    kin_mesh_data* out;
    kin_error* error;
} kin_mesh_source;

kin_result kin_mesh_parse_obj(kin_mesh_source* source);
kin_result kin_mesh_parse_ply(kin_mesh_source* source);
kin_result kin_mesh_parse_stl(kin_mesh_source* source);
kin_result kin_mesh_parse_glb(kin_mesh_source* source);

kin_result kin_mesh_add_vertex(kin_mesh_source* source, kin_vec3 vertex);
kin_result kin_mesh_add_corner(kin_mesh_source* source, uint32_t vertex);
kin_result kin_mesh_add_face(kin_mesh_source* source, uint32_t size); /* after its corners */

/* "file:line: message" and "file: message at byte n". */
kin_result kin_mesh_fail_line(const kin_mesh_source* source, const char* format, ...) KIN_PRINTF(2, 3);
kin_result kin_mesh_fail_byte(const kin_mesh_source* source, const char* format, ...) KIN_PRINTF(2, 3);

/* A run of characters between blanks. */
typedef struct kin_mesh_token {
    const char* begin;
    size_t length; /* 0: none left */
} kin_mesh_token;

kin_mesh_token kin_mesh_token_on_line(kin_mesh_source* source); /* stops at the end of the line */
kin_mesh_token kin_mesh_token_any(kin_mesh_source* source);     /* goes on over lines */
void kin_mesh_skip_line(kin_mesh_source* source);
bool kin_mesh_token_is(kin_mesh_token token, const char* word);                                 /* in any case */
bool kin_mesh_token_number(const kin_mesh_source* source, kin_mesh_token token, double* value); /* finite decimal numbers only */
bool kin_mesh_token_integer(kin_mesh_token token, int64_t* value);
