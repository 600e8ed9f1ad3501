/* param_words.c - what a row says of itself: its default, its range, its description. */
#include "base/text.h"
#include "math/quat.h"
#include "system/param_inside.h"
#include <string.h>

#define UNBOUNDED 1e300 /* a limit this far out is none */

/* ---- names and ranges ---- */

size_t kin_names_count(const char* const* names)
{
    size_t count = 0;
    while (names != NULL && names[count] != NULL) ++count;
    return count;
}

void kin_names_join(const char* const* names, size_t count, char* text, size_t size)
{
    text[0] = 0;
    for (size_t i = 0; i < count; ++i) kin_text_append(text, size, "%s%s", i > 0 ? ", " : "", names[i]);
}

size_t kin_param_names(const kin_param* params, const char** names, size_t most)
{
    size_t count = 0;
    for (const kin_param* p = params; p->name != NULL && count < most; ++p) names[count++] = p->name;
    return count;
}

size_t kin_param_choices(const kin_param* params, const char** names, size_t most)
{
    size_t count = 0;
    for (const kin_param* p = params; p->name != NULL && (p->flags & KIN_PARAM_BESIDE) == 0 && count < most; ++p) names[count++] = p->name;
    return count;
}

/* Both limits 0 is no range, unless one of them is open: then 0 is meant as that limit. */
kin_param_range kin_param_range_of(const kin_param* param)
{
    kin_param_range g = {.low = param->low, .high = param->high};
    g.open_low = (param->flags & KIN_PARAM_OPEN_LOW) != 0;
    g.open_high = (param->flags & KIN_PARAM_OPEN_HIGH) != 0;
    bool unset = param->low == 0 && param->high == 0;
    g.has_low = unset ? g.open_low : param->low > -UNBOUNDED;
    g.has_high = unset ? g.open_high : param->high < UNBOUNDED;
    return g;
}

void kin_param_range_text(kin_param_range g, char* text, size_t size)
{
    text[0] = 0;
    if (g.has_low) kin_text_append(text, size, "%s %.15g", g.open_low ? ">" : ">=", g.low);
    if (g.has_high) kin_text_append(text, size, "%s%s %.15g", g.has_low ? " and " : "", g.open_high ? "<" : "<=", g.high);
}

/* ---- defaults ---- */

static void default_row(const kin_param* p, void* def)
{
    void* out = (char*)def + p->offset;
    const double* d = p->preset;
    switch (p->type) {
    case KIN_PARAM_NUMBER: *(double*)out = d[0]; break;
    case KIN_PARAM_INTEGER:
    case KIN_PARAM_ENUM: *(int*)out = (int)d[0]; break;
    case KIN_PARAM_COUNT: *(int64_t*)out = (int64_t)d[0]; break;
    case KIN_PARAM_WHICH:
        *(int64_t*)out = (int64_t)d[0];
        *(const char**)((char*)def + p->tag_offset) = NULL;
        break;
    case KIN_PARAM_SEED: *(uint64_t*)out = (uint64_t)d[0]; break;
    case KIN_PARAM_BOOL: *(bool*)out = d[0] != 0; break;
    case KIN_PARAM_PAIR:
    case KIN_PARAM_TWO:
    case KIN_PARAM_ABOUT: memcpy(out, d, 2 * sizeof *d); break;
    case KIN_PARAM_VECTOR:
    case KIN_PARAM_DIRECTION: *(kin_vec3*)out = (kin_vec3){d[0], d[1], d[2]}; break;
    case KIN_PARAM_ORIENTATION: /* no rotation has four zeros: they stand for none */
        *(kin_quat*)out = d[0] == 0 && d[1] == 0 && d[2] == 0 && d[3] == 0 ? kin_quat_identity() : (kin_quat){d[0], d[1], d[2], d[3]};
        break;
    case KIN_PARAM_COLOR:
        for (int i = 0; i < 3; ++i) ((float*)out)[i] = (float)d[i];
        break;
    case KIN_PARAM_TEXT:
    case KIN_PARAM_FILE: *(const char**)out = NULL; break;
    case KIN_PARAM_MATERIAL: *(kin_material_id*)out = (kin_material_id){0}; break;
    case KIN_PARAM_PICTURE: *(kin_picture_view*)out = (kin_picture_view){0}; break;
    case KIN_PARAM_MESH: *(kin_mesh_view*)out = (kin_mesh_view){0}; break;
    case KIN_PARAM_TABLE: kin_params_default(p->sub, out); break;
    case KIN_PARAM_LIST: *(kin_param_list*)out = (kin_param_list){0}; break;
    case KIN_PARAM_ONE_OF:
        kin_params_default(p->sub, out);
        *(int*)((char*)out + p->tag_offset) = (int)d[0];
        break;
    case KIN_PARAM_CURVE:
    case KIN_PARAM_COLOR_CURVE:
    case KIN_PARAM_VECTOR_CURVE: *(kin_curve*)out = (kin_curve){0}; break;
    case KIN_PARAM_TEXTS: *(kin_param_texts*)out = (kin_param_texts){0}; break;
    case KIN_PARAM_VECTORS: *(kin_points_view*)out = (kin_points_view){0}; break;
    case KIN_PARAM_NUMBERS: *(kin_numbers_view*)out = (kin_numbers_view){0}; break;
    }
}

void kin_params_default(const kin_param* params, void* def)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        default_row(p, def);
        if ((p->flags & KIN_PARAM_TELLS) != 0) *(bool*)((char*)def + p->told_offset) = false;
    }
}

/* ---- in words ---- */

const kin_param* kin_params_find(const kin_param* params, const char* name)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        if (strcmp(p->name, name) == 0) return p;
    }
    return NULL;
}

int kin_params_count(const kin_param* params)
{
    int count = 0;
    while (params[count].name != NULL) ++count;
    return count;
}

static void describe_type(const kin_param* p, char* text, size_t size)
{
    static const char* const names[] = {
        [KIN_PARAM_NUMBER] = "number",
        [KIN_PARAM_INTEGER] = "whole number",
        [KIN_PARAM_COUNT] = "whole number",
        [KIN_PARAM_SEED] = "whole number",
        [KIN_PARAM_BOOL] = "true or false",
        [KIN_PARAM_PAIR] = "number or {a, b}",
        [KIN_PARAM_TWO] = "{a, b}",
        [KIN_PARAM_ABOUT] = "mean or {mean, deviation}",
        [KIN_PARAM_VECTOR] = "{x, y, z}",
        [KIN_PARAM_DIRECTION] = "direction {x, y, z}",
        [KIN_PARAM_ORIENTATION] = "{x, y, z, w}, {axis =, angle =} or {euler =, order =}",
        [KIN_PARAM_COLOR] = "colour \"#rrggbb\" or {r, g, b}",
        [KIN_PARAM_TEXT] = "text",
        [KIN_PARAM_FILE] = "file name",
        [KIN_PARAM_MATERIAL] = "name of a material",
        [KIN_PARAM_MESH] = "mesh file",
        [KIN_PARAM_PICTURE] = "PNG file",
        [KIN_PARAM_TABLE] = "table",
        [KIN_PARAM_LIST] = "list of tables",
        [KIN_PARAM_CURVE] = "number or keys {{t =, value =}, ...}",
        [KIN_PARAM_COLOR_CURVE] = "colour or keys {{t =, value =}, ...}",
        [KIN_PARAM_VECTOR_CURVE] = "{x, y, z} or keys {{t =, value =}, ...}",
        [KIN_PARAM_TEXTS] = "list of texts",
        [KIN_PARAM_VECTORS] = "list of {x, y, z}",
        [KIN_PARAM_NUMBERS] = "list of numbers",
        [KIN_PARAM_WHICH] = "name, or number from 0",
    };
    char all[320];
    if (p->type == KIN_PARAM_ENUM) {
        kin_names_join(p->names, kin_names_count(p->names), all, sizeof all);
        kin_text_append(text, size, "one of %s", all);
    } else if (p->type == KIN_PARAM_ONE_OF || (p->flags & KIN_PARAM_CHOICE) != 0) {
        const char* rows[KIN_PARAM_MOST_NAMES];
        kin_names_join(rows, kin_param_choices(p->sub, rows, KIN_PARAM_MOST_NAMES), all, sizeof all);
        kin_text_append(text, size, "%s with one of %s", p->type == KIN_PARAM_LIST ? "list of tables, each" : "table", all);
    } else {
        kin_text_append(text, size, "%s", names[p->type]);
    }
}

static void describe_numbers(const double* values, int count, char* text, size_t size)
{
    for (int i = 0; i < count; ++i) kin_text_append(text, size, "%s%.6g", i == 0 ? "{" : ", ", values[i]);
    kin_text_append(text, size, "}");
}

static void describe_default(const kin_param* p, char* text, size_t size)
{
    switch (p->type) {
    case KIN_PARAM_NUMBER:
    case KIN_PARAM_INTEGER:
    case KIN_PARAM_COUNT:
    case KIN_PARAM_SEED: kin_text_append(text, size, ", default %.15g", p->preset[0]); break;
    case KIN_PARAM_BOOL: kin_text_append(text, size, ", default %s", p->preset[0] != 0 ? "true" : "false"); break;
    case KIN_PARAM_ENUM: kin_text_append(text, size, ", default %s", p->names[(int)p->preset[0]]); break;
    case KIN_PARAM_PAIR:
    case KIN_PARAM_TWO:
    case KIN_PARAM_ABOUT:
    case KIN_PARAM_VECTOR:
    case KIN_PARAM_DIRECTION:
    case KIN_PARAM_COLOR:
        kin_text_append(text, size, ", default ");
        describe_numbers(p->preset, p->type == KIN_PARAM_PAIR || p->type == KIN_PARAM_TWO || p->type == KIN_PARAM_ABOUT ? 2 : 3, text, size);
        break;
    case KIN_PARAM_ORIENTATION: kin_text_append(text, size, ", default unturned"); break;
    default: break; /* names, files, tables and lists: none */
    }
}

void kin_param_describe(const kin_param* param, char* text, size_t size)
{
    text[0] = 0;
    describe_type(param, text, size);
    if (param->unit != NULL) kin_text_append(text, size, ", %s", param->unit);
    char limits[80];
    kin_param_range_text(kin_param_range_of(param), limits, sizeof limits);
    if (limits[0] != 0) kin_text_append(text, size, ", %s", limits);
    if ((param->flags & KIN_PARAM_REQUIRED) != 0) {
        kin_text_append(text, size, ", required");
    } else if ((param->flags & (KIN_PARAM_AS_OWNER | KIN_PARAM_TELLS)) == 0) {
        describe_default(param, text, size);
    }
    if ((param->flags & KIN_PARAM_LIVE) != 0) kin_text_append(text, size, ", live");
    if ((param->flags & KIN_PARAM_BESIDE) != 0) kin_text_append(text, size, ", beside the one chosen");
}
