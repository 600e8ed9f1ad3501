/* param_copy.c - a def with all it points to, copied by the table that describes it: what takes a def keeps it this way. */
#include "system/param_inside.h"
#include <string.h>

static void* copy_bytes(kin_arena* arena, const void* data, size_t size)
{
    void* copy = kin_arena_take(arena, size);
    if (copy != NULL && size > 0) memcpy(copy, data, size);
    return copy;
}

static bool copy_text(kin_arena* arena, const char** text)
{
    if (*text == NULL) return true;
    *text = copy_bytes(arena, *text, strlen(*text) + 1);
    return *text != NULL;
}

static bool copy_texts(kin_arena* arena, kin_param_texts* list)
{
    const char** texts = copy_bytes(arena, list->data, list->count * sizeof *texts);
    if (texts == NULL) return false;
    list->data = texts;
    for (size_t i = 0; i < list->count; ++i) {
        if (!copy_text(arena, &texts[i])) return false;
    }
    return true;
}

static size_t corner_count(const kin_mesh_view* mesh)
{
    if (mesh->face_sizes == NULL) return 3 * mesh->face_count;
    size_t sum = 0;
    for (size_t i = 0; i < mesh->face_count; ++i) sum += mesh->face_sizes[i];
    return sum;
}

static bool copy_mesh(kin_arena* arena, kin_mesh_view* mesh)
{
    if (mesh->vertices == NULL) return true;
    mesh->corners = copy_bytes(arena, mesh->corners, corner_count(mesh) * sizeof *mesh->corners);
    mesh->vertices = copy_bytes(arena, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    bool ok = mesh->corners != NULL && mesh->vertices != NULL;
    if (mesh->face_sizes == NULL) return ok;
    mesh->face_sizes = copy_bytes(arena, mesh->face_sizes, mesh->face_count * sizeof *mesh->face_sizes);
    return ok && mesh->face_sizes != NULL;
}

static bool copy_rows(const kin_param* params, kin_arena* arena, void* def);

static bool copy_list(const kin_param* p, kin_arena* arena, kin_param_list* list)
{
    char* elements = copy_bytes(arena, list->data, list->count * p->sub_size);
    if (elements == NULL) return false;
    list->data = elements;
    for (size_t i = 0; i < list->count; ++i) {
        if (!copy_rows(p->sub, arena, elements + i * p->sub_size)) return false;
    }
    return true;
}

static bool copy_row(const kin_param* p, kin_arena* arena, void* def)
{
    void* at = (char*)def + p->offset;
    switch (p->type) {
    case KIN_PARAM_TEXT:
    case KIN_PARAM_FILE: return copy_text(arena, at);
    case KIN_PARAM_WHICH: return copy_text(arena, (const char**)((char*)def + p->tag_offset));
    case KIN_PARAM_TEXTS: return copy_texts(arena, at);
    case KIN_PARAM_MESH: return copy_mesh(arena, at);
    case KIN_PARAM_PICTURE: {
        kin_picture_view* picture = at;
        if (picture->rgba == NULL) return true;
        picture->rgba = copy_bytes(arena, picture->rgba, (size_t)picture->width * picture->height * 4 * sizeof *picture->rgba);
        return picture->rgba != NULL;
    }
    case KIN_PARAM_TABLE:
    case KIN_PARAM_ONE_OF: return copy_rows(p->sub, arena, at);
    case KIN_PARAM_LIST: return copy_list(p, arena, at);
    case KIN_PARAM_VECTORS: {
        kin_points_view* list = at;
        list->data = copy_bytes(arena, list->data, list->count * sizeof *list->data);
        return list->data != NULL;
    }
    case KIN_PARAM_NUMBERS: {
        kin_numbers_view* list = at;
        list->data = copy_bytes(arena, list->data, list->count * sizeof *list->data);
        return list->data != NULL;
    }
    case KIN_PARAM_CURVE:
    case KIN_PARAM_COLOR_CURVE:
    case KIN_PARAM_VECTOR_CURVE: {
        kin_curve* curve = at;
        curve->keys = copy_bytes(arena, curve->keys, curve->count * sizeof *curve->keys);
        return curve->keys != NULL;
    }
    default: return true;
    }
}

static bool copy_rows(const kin_param* params, kin_arena* arena, void* def)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        if (!copy_row(p, arena, def)) return false;
    }
    return true;
}

bool kin_params_copy(const kin_param* params, size_t def_size, const void* def, kin_arena* arena, void* out)
{
    if (out != def) memcpy(out, def, def_size);
    return copy_rows(params, arena, out);
}
