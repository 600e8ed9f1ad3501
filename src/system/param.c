/* param.c - from a tree's node to a def's field, by the row that describes it, and back to words.
 *
 * A path such as systems[0].particles[3].mass is a chain of places on the stack; its text is made only when something is wrong, so that a
 * million good particles cost no formatting. */
#include "system/param.h"
#include "base/error.h"
#include "base/text.h"
#include "math/euler.h"
#include "math/scalar.h"
#include "system/material.h"
#include "system/param_inside.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- saying what is wrong ---- */

static void place_text(const kin_place* at, char* text, size_t size)
{
    if (at == NULL) return;
    place_text(at->parent, text, size);
    if (at->key == NULL) {
        kin_text_append(text, size, "[%u]", at->index);
    } else {
        kin_text_append(text, size, "%s%s", text[0] != 0 && at->key[0] != 0 ? "." : "", at->key);
    }
}

kin_result kin_param_refuse(const kin_reading* r, const kin_place* at, const char* format, ...)
{
    if (r->error == NULL) return KIN_ERROR_ARGUMENT;
    char where[sizeof r->error->where] = "", message[sizeof r->error->message];
    place_text(at, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return kin_fail(r->error, KIN_ERROR_ARGUMENT, where, "%s", message);
}

/* " (kg)", or nothing. */
typedef struct unit_text {
    char text[40];
} unit_text;
static unit_text in_unit(const kin_param* param)
{
    unit_text unit = {""};
    if (param->unit != NULL) snprintf(unit.text, sizeof unit.text, " (%s)", param->unit);
    return unit;
}

static kin_result wrong_type(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, const char* wanted)
{
    return kin_param_refuse(r, at, "must be %s%s, not %s", wanted, in_unit(param).text, kin_node_type_name(node->type));
}

/* ---- ranges ---- */

kin_result kin_param_check_number(const kin_reading* r, const kin_param* param, double x, const kin_place* at)
{
    if (x != x) return kin_param_refuse(r, at, "nan must be a finite number%s", in_unit(param).text);
    if (!kin_finite(x)) return kin_param_refuse(r, at, "%s must be a finite number%s", x > 0 ? "inf" : "-inf", in_unit(param).text);
    kin_param_range g = kin_param_range_of(param);
    bool low = !g.has_low || (g.open_low ? x > g.low : x >= g.low);
    bool high = !g.has_high || (g.open_high ? x < g.high : x <= g.high);
    if (low && high) return KIN_OK;
    const double remote = 1e6; /* a limit that only guards against nonsense is not worth a word to who broke the other one */
    if (!low && g.high >= remote) g.has_high = false;
    char limits[80];
    kin_param_range_text(g, limits, sizeof limits);
    return kin_param_refuse(r, at, "%.15g must be %s%s", x, limits, in_unit(param).text);
}

kin_result kin_param_check_numbers(const kin_reading* r, const kin_param* param, const double* values, uint32_t count, const kin_place* at)
{
    for (uint32_t i = 0; i < count; ++i) {
        kin_place component = {at, NULL, i};
        kin_result result = kin_param_check_number(r, param, values[i], &component);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

/* A mean in the row's range and a deviation. */
kin_result kin_param_check_about(const kin_reading* r, const kin_param* param, const double values[2], const kin_place* at)
{
    kin_param deviation = {.name = param->name, .unit = param->unit, .high = 1e300};
    kin_place mean_at = {at, NULL, 0}, deviation_at = {at, NULL, 1};
    kin_result result = kin_param_check_number(r, param, values[0], &mean_at);
    return result == KIN_OK ? kin_param_check_number(r, &deviation, values[1], &deviation_at) : result;
}

/* ---- reading single values ---- */

static kin_result read_number(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, double* out)
{
    if (node->type != KIN_NODE_NUMBER) return wrong_type(r, param, node, at, "a number");
    *out = node->number;
    return kin_param_check_number(r, param, node->number, at);
}

static kin_result read_whole(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, double low, double high, double* out)
{
    if (node->type != KIN_NODE_NUMBER) return wrong_type(r, param, node, at, "a whole number");
    kin_result result = kin_param_check_number(r, param, node->number, at);
    if (result != KIN_OK) return result;
    if (kin_floor(node->number) != node->number) return kin_param_refuse(r, at, "%.15g must be a whole number%s", node->number, in_unit(param).text);
    if (node->number < low || node->number > high) return kin_param_refuse(r, at, "%.15g must be >= %.15g and <= %.15g", node->number, low, high);
    *out = node->number;
    return KIN_OK;
}

static kin_result read_list_of_numbers(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, uint32_t count, double* out)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "a list of %u numbers", count);
    if (node->type != KIN_NODE_LIST) return wrong_type(r, param, node, at, wanted);
    if (node->count != count) return kin_param_refuse(r, at, "must be %s%s, not of %u", wanted, in_unit(param).text, node->count);
    for (uint32_t i = 0; i < count; ++i) {
        kin_place component = {at, NULL, i};
        kin_result result = read_number(r, param, node->items[i], &component, &out[i]);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result read_pair(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, double* out)
{
    if (node->type != KIN_NODE_NUMBER) return read_list_of_numbers(r, param, node, at, 2, out);
    out[1] = node->number;
    return read_number(r, param, node, at, &out[0]);
}

static kin_result read_about(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, double* out)
{
    static const kin_param any = {.name = "any"};
    out[1] = 0;
    if (node->type == KIN_NODE_NUMBER) return read_number(r, param, node, at, &out[0]);
    kin_result result = read_list_of_numbers(r, &any, node, at, 2, out);
    return result == KIN_OK ? kin_param_check_about(r, param, out, at) : result;
}

static kin_result read_vector(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_vec3* out)
{
    double v[3];
    kin_result result = read_list_of_numbers(r, param, node, at, 3, v);
    if (result == KIN_OK) *out = (kin_vec3){v[0], v[1], v[2]};
    return result;
}

static kin_result read_direction(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_vec3* out)
{
    kin_result result = read_vector(r, param, node, at, out);
    if (result == KIN_OK && out->x == 0 && out->y == 0 && out->z == 0) return kin_param_refuse(r, at, "must be a direction, not zero");
    return result;
}

typedef struct axis_angle {
    kin_vec3 axis;
    double angle;
} axis_angle;
static const kin_param axis_angle_params[] = {
    {.name = "axis", .type = KIN_PARAM_DIRECTION, .offset = offsetof(axis_angle, axis), .doc = "Axis of rotation.", .flags = KIN_PARAM_REQUIRED},
    {.name = "angle", .type = KIN_PARAM_NUMBER, .offset = offsetof(axis_angle, angle), .unit = "rad", .doc = "Angle about it.", .flags = KIN_PARAM_REQUIRED},
    {0},
};

/* In the order of kin_euler_order. */
static const char* const euler_order_names[] = {"xyz", "yzx", "zxy", "xzy", "yxz", "zyx", "xyx", "yzy", "zxz", "xzx", "yxy", "zyz", NULL};
typedef struct euler_angles {
    kin_vec3 angles;
    int order;
} euler_angles;
static const kin_param euler_params[] = {
    {.name = "euler",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(euler_angles, angles),
     .unit = "rad",
     .doc = "Angles in the order of their axes.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "order",
     .type = KIN_PARAM_ENUM,
     .offset = offsetof(euler_angles, order),
     .doc = "Axes of the turning body, first turn first.",
     .names = euler_order_names},
    {0},
};
const char* const* const kin_param_euler_orders = euler_order_names;

static kin_result read_table(const kin_reading* r, const kin_param* params, const kin_node* table, const char* const* known, const kin_place* at, void* def);

static kin_result read_euler(const kin_reading* r, const kin_node* node, const kin_place* at, kin_quat* out)
{
    euler_angles turn = {0};
    kin_result result = read_table(r, euler_params, node, NULL, at, &turn);
    if (result == KIN_OK) *out = kin_euler_to_quat((kin_euler_order)turn.order, (kin_euler){turn.angles.x, turn.angles.y, turn.angles.z});
    return result;
}

static kin_result read_orientation(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_quat* out)
{
    if (node->type == KIN_NODE_TABLE && kin_node_get(node, "euler") != NULL) return read_euler(r, node, at, out);
    if (node->type == KIN_NODE_TABLE) {
        axis_angle turn = {0};
        kin_result result = read_table(r, axis_angle_params, node, NULL, at, &turn);
        if (result == KIN_OK) *out = kin_quat_axis_angle(turn.axis, turn.angle);
        return result;
    }
    double q[4];
    if (node->type != KIN_NODE_LIST) return wrong_type(r, param, node, at, "{x, y, z, w}, {axis =, angle =} or {euler =, order =}");
    kin_result result = read_list_of_numbers(r, param, node, at, 4, q);
    if (result != KIN_OK) return result;
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) return kin_param_refuse(r, at, "must be a rotation, not all zero");
    *out = kin_quat_normalize((kin_quat){q[0], q[1], q[2], q[3]});
    return KIN_OK;
}

static kin_result read_color(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, float* out)
{
    if (node->type == KIN_NODE_STRING) {
        return kin_text_color(node->string, out) ? KIN_OK : kin_param_refuse(r, at, "\"%s\" must be a colour such as \"#b5763a\"", node->string);
    }
    if (node->type != KIN_NODE_LIST) return wrong_type(r, param, node, at, "a colour, \"#rrggbb\" or {r, g, b}");
    double rgb[3];
    kin_param component = *param;
    if (component.low == 0 && component.high == 0) component.high = 1;
    kin_result result = read_list_of_numbers(r, &component, node, at, 3, rgb);
    for (int i = 0; result == KIN_OK && i < 3; ++i) out[i] = (float)rgb[i];
    return result;
}

static kin_result read_enum(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, int* out)
{
    size_t count = kin_names_count(param->names);
    char all[320];
    kin_names_join(param->names, count, all, sizeof all);
    if (node->type != KIN_NODE_STRING) return kin_param_refuse(r, at, "must be one of %s, not %s", all, kin_node_type_name(node->type));
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(param->names[i], node->string) != 0) continue;
        *out = (int)i;
        return KIN_OK;
    }
    const char* nearest = kin_text_nearest(node->string, param->names, count);
    if (nearest == NULL) return kin_param_refuse(r, at, "\"%.80s\" must be one of %s", node->string, all);
    return kin_param_refuse(r, at, "\"%.80s\" must be one of %s; did you mean \"%s\"?", node->string, all, nearest);
}

/* ---- reading texts, files and names of other things ---- */

static kin_result out_of_memory(const kin_reading* r, size_t bytes) { return kin_fail_memory(r->error, "the scene", bytes); }

static kin_result keep_text(const kin_reading* r, const char* before, const char* text, const char** out)
{
    if (r->context->arena == NULL) return kin_fail(r->error, KIN_ERROR_ARGUMENT, "", "a text cannot change while the world runs");
    size_t head = strlen(before), tail = strlen(text);
    char* copy = kin_arena_take(r->context->arena, head + tail + 1);
    if (copy == NULL) return out_of_memory(r, head + tail + 1);
    memcpy(copy, before, head);
    memcpy(copy + head, text, tail + 1);
    *out = copy;
    return KIN_OK;
}

static kin_result read_text(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, const char** out)
{
    if (node->type != KIN_NODE_STRING) return wrong_type(r, param, node, at, "a text");
    if (strlen(node->string) != node->count) return kin_param_refuse(r, at, "must not hold a zero byte");
    return keep_text(r, "", node->string, out);
}

static kin_result read_file(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, const char** out)
{
    kin_result result = read_text(r, param, node, at, out);
    if (result != KIN_OK) return result;
    if ((*out)[0] == 0) return kin_param_refuse(r, at, "must be the name of a file");
    const char* folder = r->context->folder;
    if (folder == NULL || folder[0] == 0 || (*out)[0] == '/') return KIN_OK;
    const char* with_slash;
    result = keep_text(r, folder, folder[strlen(folder) - 1] == '/' ? "" : "/", &with_slash);
    return result == KIN_OK ? keep_text(r, with_slash, node->string, out) : result;
}

/* The file's own place becomes part of the message: where is the scene's. */
static kin_result other_file(const kin_reading* r, const kin_place* at, kin_result result, const kin_error* inner)
{
    char text[400];
    kin_error_text(inner, text, sizeof text);
    kin_param_refuse(r, at, "%s", text);
    if (r->error != NULL) r->error->code = result;
    return result;
}

static kin_result read_mesh(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_mesh_view* out)
{
    const char* path;
    kin_result result = read_file(r, param, node, at, &path);
    if (result != KIN_OK || r->context->read_mesh == NULL) return result;
    kin_error inner = {0};
    result = r->context->read_mesh(r->context->reader, path, out, &inner);
    return result == KIN_OK ? KIN_OK : other_file(r, at, result, &inner);
}

static kin_result read_picture(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_picture_view* out)
{
    const char* path;
    kin_result result = read_file(r, param, node, at, &path);
    if (result != KIN_OK || r->context->read_picture == NULL) return result;
    kin_error inner = {0};
    result = r->context->read_picture(r->context->reader, path, out, &inner);
    return result == KIN_OK ? KIN_OK : other_file(r, at, result, &inner);
}

static const char* nearest_material(const kin_materials* materials, const char* word)
{
    const char* names[KIN_PARAM_MOST_NAMES];
    size_t count = 0;
    for (size_t i = 1; i < materials->count && count < KIN_PARAM_MOST_NAMES; ++i) names[count++] = materials->items[i].name;
    for (int i = 0; i < kin_material_preset_count && count < KIN_PARAM_MOST_NAMES; ++i) names[count++] = kin_material_presets[i].def.name;
    return kin_text_nearest(word, names, count);
}

static kin_result read_material(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_material_id* out)
{
    if (node->type != KIN_NODE_STRING) return wrong_type(r, param, node, at, "the name of a material");
    kin_materials* materials = r->context->materials;
    if (materials == NULL || kin_materials_find(materials, node->string, out)) return KIN_OK;
    if (kin_material_preset(node->string) != NULL) return out_of_memory(r, sizeof(kin_material)); /* it was there to be added */
    const char* nearest = nearest_material(materials, node->string);
    if (nearest == NULL) return kin_param_refuse(r, at, "there is no material \"%.80s\", neither in materials nor among the presets", node->string);
    return kin_param_refuse(r, at, "there is no material \"%.80s\"; did you mean \"%s\"?", node->string, nearest);
}

/* ---- reading tables and lists ---- */

static kin_result read_row(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, void* def);
static kin_result require_all(const kin_reading* r, const kin_param* params, uint32_t among, const kin_node* table, const kin_place* at);

static kin_result read_one_of(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, void* out)
{
    const char* names[KIN_PARAM_MOST_NAMES];
    char all[320];
    kin_names_join(names, kin_param_choices(param->sub, names, KIN_PARAM_MOST_NAMES), all, sizeof all);
    bool empty = (node->type == KIN_NODE_TABLE || node->type == KIN_NODE_LIST) && node->count == 0;
    if (empty) return kin_param_refuse(r, at, "must be a table with one of %s", all);
    if (node->type != KIN_NODE_TABLE) return kin_param_refuse(r, at, "must be a table with one of %s, not %s", all, kin_node_type_name(node->type));
    const char* chosen = NULL;
    for (uint32_t i = 0; i < node->count; ++i) {
        const kin_param* row = kin_params_find(param->sub, node->keys[i]);
        kin_place inner = {at, node->keys[i], 0};
        if (row == NULL) return read_table(r, param->sub, node, NULL, at, out); /* names the unknown key */
        if ((row->flags & KIN_PARAM_BESIDE) == 0) {
            if (chosen != NULL) return kin_param_refuse(r, &inner, "only one of %s may be given, and \"%s\" is", all, chosen);
            chosen = row->name;
            *(int*)((char*)out + param->tag_offset) = (int)(row - param->sub);
        }
        kin_result result = read_row(r, row, node->items[i], &inner, out);
        if (result != KIN_OK) return result;
    }
    if (chosen == NULL) return kin_param_refuse(r, at, "must have one of %s", all);
    return require_all(r, param->sub, KIN_PARAM_BESIDE, node, at);
}

static kin_result read_list(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_param_list* out)
{
    bool single = node->type == KIN_NODE_TABLE;
    if (!single && node->type != KIN_NODE_LIST) return wrong_type(r, param, node, at, "a list of tables");
    size_t count = single ? 1 : node->count;
    if (count == 0) return *out = (kin_param_list){0}, KIN_OK;
    if (r->context->arena == NULL) return kin_param_refuse(r, at, "a list cannot change while the world runs");
    char* elements = kin_arena_take(r->context->arena, count * param->sub_size); /* counts are 32 bit: no overflow */
    if (elements == NULL) return out_of_memory(r, count * param->sub_size);
    memset(elements, 0, count * param->sub_size);
    for (size_t i = 0; i < count; ++i) {
        kin_place item = {at, NULL, (uint32_t)i};
        const kin_place* here = single ? at : &item;
        const kin_node* one = single ? node : node->items[i];
        void* element = elements + i * param->sub_size;
        kin_params_default(param->sub, element);
        bool choice = (param->flags & KIN_PARAM_CHOICE) != 0;
        kin_result result = choice ? read_one_of(r, param, one, here, element) : read_table(r, param->sub, one, NULL, here, element);
        if (result != KIN_OK) return result;
    }
    *out = (kin_param_list){elements, count};
    return KIN_OK;
}

/* ---- curves and lists of plain values ---- */

static kin_result read_texts(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_param_texts* out)
{
    if (node->type != KIN_NODE_LIST && node->type != KIN_NODE_STRING) return wrong_type(r, param, node, at, "a text or a list of texts");
    if (r->context->arena == NULL) return kin_param_refuse(r, at, "a list cannot change while the world runs");
    size_t count = node->type == KIN_NODE_LIST ? node->count : 1;
    const char** texts = kin_arena_take(r->context->arena, count * sizeof *texts);
    if (texts == NULL) return out_of_memory(r, count * sizeof *texts);
    for (size_t i = 0; i < count; ++i) {
        kin_place item = {at, NULL, (uint32_t)i};
        kin_result result = read_text(r, param, node->type == KIN_NODE_LIST ? node->items[i] : node, &item, &texts[i]);
        if (result != KIN_OK) return result;
    }
    *out = (kin_param_texts){texts, count};
    return KIN_OK;
}

static kin_result read_vectors(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_points_view* out)
{
    if (node->type != KIN_NODE_LIST) return wrong_type(r, param, node, at, "a list of {x, y, z}");
    if (r->context->arena == NULL) return kin_param_refuse(r, at, "a list cannot change while the world runs");
    kin_vec3* vectors = kin_arena_take(r->context->arena, node->count * sizeof *vectors);
    if (vectors == NULL) return out_of_memory(r, node->count * sizeof *vectors);
    for (uint32_t i = 0; i < node->count; ++i) {
        kin_place item = {at, NULL, i};
        kin_result result = read_vector(r, param, node->items[i], &item, &vectors[i]);
        if (result != KIN_OK) return result;
    }
    *out = (kin_points_view){vectors, node->count};
    return KIN_OK;
}

static kin_result read_numbers(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_numbers_view* out)
{
    if (node->type != KIN_NODE_LIST) return wrong_type(r, param, node, at, "a list of numbers");
    if (r->context->arena == NULL) return kin_param_refuse(r, at, "a list cannot change while the world runs");
    double* values = kin_arena_take(r->context->arena, node->count * sizeof *values);
    if (values == NULL) return out_of_memory(r, node->count * sizeof *values);
    for (uint32_t i = 0; i < node->count; ++i) {
        kin_place item = {at, NULL, i};
        kin_result result = read_number(r, param, node->items[i], &item, &values[i]);
        if (result != KIN_OK) return result;
    }
    *out = (kin_numbers_view){values, node->count};
    return KIN_OK;
}

static kin_result read_key_value(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, double value[3])
{
    float rgb[3];
    if (param->type == KIN_PARAM_CURVE) return read_number(r, param, node, at, value);
    if (param->type == KIN_PARAM_VECTOR_CURVE) return read_list_of_numbers(r, param, node, at, 3, value);
    kin_result result = read_color(r, param, node, at, rgb);
    for (int i = 0; i < 3 && result == KIN_OK; ++i) value[i] = (double)rgb[i];
    return result;
}

/* A key has its time, or the time since the key before it (the first: since 0). */
static kin_result read_key(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, double before, kin_curve_key* key)
{
    static const kin_param time_row = {.name = "t", .type = KIN_PARAM_NUMBER, .unit = "s"};
    const kin_node *t = kin_node_get(node, "t"), *after = kin_node_get(node, "after"), *value = kin_node_get(node, "value");
    if (node->type != KIN_NODE_TABLE || node->count != 2 || (t == NULL && after == NULL) || value == NULL)
        return kin_param_refuse(r, at, "a key is a table {t =, value =} or {after =, value =}");
    kin_place at_t = {at, t != NULL ? "t" : "after", 0}, at_value = {at, "value", 0};
    kin_result result = read_number(r, &time_row, t != NULL ? t : after, &at_t, &key->time);
    if (t == NULL) key->time += before;
    return result == KIN_OK ? read_key_value(r, param, value, &at_value, key->value) : result;
}

static kin_result read_keys(const kin_reading* r, const kin_param* param, const kin_node* list, const kin_place* at, kin_curve* out)
{
    if (list->type != KIN_NODE_LIST || list->count == 0) return wrong_type(r, param, list, at, "a list of keys {t =, value =}");
    kin_curve_key* keys = kin_arena_take(r->context->arena, list->count * sizeof *keys);
    if (keys == NULL) return out_of_memory(r, list->count * sizeof *keys);
    memset(keys, 0, list->count * sizeof *keys);
    for (uint32_t i = 0; i < list->count; ++i) {
        kin_place item = {at, NULL, i};
        kin_result result = read_key(r, param, list->items[i], &item, i > 0 ? keys[i - 1].time : 0, &keys[i]);
        if (result != KIN_OK) return result;
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            return kin_param_refuse(r, &item, "keys must rise in time: %g comes after %g", keys[i].time, keys[i - 1].time);
    }
    out->keys = keys;
    out->count = list->count;
    return KIN_OK;
}

/* A plain value is a curve of one key; {x, y, z} is three numbers, not three keys. */
static bool is_plain_value(const kin_param* param, const kin_node* node)
{
    if (param->type == KIN_PARAM_CURVE) return node->type == KIN_NODE_NUMBER;
    return node->type == KIN_NODE_STRING || (node->type == KIN_NODE_LIST && node->count > 0 && node->items[0]->type == KIN_NODE_NUMBER);
}

static kin_result read_curve(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, kin_curve* out)
{
    static const char* const modes[] = {"linear", "step", "smooth", NULL};
    static const kin_param mode_row = {.name = "mode", .type = KIN_PARAM_ENUM, .names = modes};
    if (r->context->arena == NULL) return kin_param_refuse(r, at, "a curve cannot change while the world runs");
    *out = (kin_curve){0};
    if (is_plain_value(param, node)) {
        kin_curve_key* key = kin_arena_take(r->context->arena, sizeof *key);
        if (key == NULL) return out_of_memory(r, sizeof *key);
        *key = (kin_curve_key){0};
        *out = (kin_curve){key, 1, KIN_CURVE_LINEAR};
        return read_key_value(r, param, node, at, key->value);
    }
    if (node->type != KIN_NODE_TABLE) return read_keys(r, param, node, at, out);
    const kin_node *mode = kin_node_get(node, "mode"), *keys = kin_node_get(node, "keys");
    if (keys == NULL || node->count != (mode != NULL) + 1u) return kin_param_refuse(r, at, "a curve is a list of keys, or {mode = \"step\", keys = {...}}");
    kin_place at_mode = {at, "mode", 0}, at_keys = {at, "keys", 0};
    int index = 0;
    kin_result result = mode != NULL ? read_enum(r, &mode_row, mode, &at_mode, &index) : KIN_OK;
    out->mode = (kin_curve_mode)index;
    return result == KIN_OK ? read_keys(r, param, keys, &at_keys, out) : result;
}

static kin_result read_bool(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, bool* out)
{
    if (node->type != KIN_NODE_BOOL) return wrong_type(r, param, node, at, "true or false");
    *out = node->boolean;
    return KIN_OK;
}

static kin_result read_integer(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, void* out)
{
    const double most = 0x1p53; /* beyond it a double skips whole numbers */
    bool is_signed = param->type == KIN_PARAM_COUNT || param->type == KIN_PARAM_WHICH;
    double low = param->type == KIN_PARAM_INTEGER ? INT32_MIN : is_signed ? -most : 0;
    double high = param->type == KIN_PARAM_INTEGER ? INT32_MAX : most;
    double x = 0;
    kin_result result = read_whole(r, param, node, at, low, high, &x);
    if (result != KIN_OK) return result;
    switch (param->type) {
    case KIN_PARAM_INTEGER: *(int*)out = (int)x; break;
    case KIN_PARAM_COUNT:
    case KIN_PARAM_WHICH: *(int64_t*)out = (int64_t)x; break;
    default: *(uint64_t*)out = (uint64_t)x; break;
    }
    return KIN_OK;
}

static kin_result read_which(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, int64_t* number, const char** name)
{
    if (node->type == KIN_NODE_STRING) return read_text(r, param, node, at, name);
    if (node->type != KIN_NODE_NUMBER) return wrong_type(r, param, node, at, "a name or a number");
    return read_integer(r, param, node, at, number);
}

static kin_result read_value(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, void* def)
{
    void* out = (char*)def + param->offset;
    switch (param->type) {
    case KIN_PARAM_NUMBER: return read_number(r, param, node, at, out);
    case KIN_PARAM_INTEGER:
    case KIN_PARAM_COUNT:
    case KIN_PARAM_SEED: return read_integer(r, param, node, at, out);
    case KIN_PARAM_BOOL: return read_bool(r, param, node, at, out);
    case KIN_PARAM_PAIR: return read_pair(r, param, node, at, out);
    case KIN_PARAM_TWO: return read_list_of_numbers(r, param, node, at, 2, out);
    case KIN_PARAM_ABOUT: return read_about(r, param, node, at, out);
    case KIN_PARAM_VECTOR: return read_vector(r, param, node, at, out);
    case KIN_PARAM_DIRECTION: return read_direction(r, param, node, at, out);
    case KIN_PARAM_ORIENTATION: return read_orientation(r, param, node, at, out);
    case KIN_PARAM_COLOR: return read_color(r, param, node, at, out);
    case KIN_PARAM_ENUM: return read_enum(r, param, node, at, out);
    case KIN_PARAM_TEXT: return read_text(r, param, node, at, out);
    case KIN_PARAM_FILE: return read_file(r, param, node, at, out);
    case KIN_PARAM_MATERIAL: return read_material(r, param, node, at, out);
    case KIN_PARAM_MESH: return read_mesh(r, param, node, at, out);
    case KIN_PARAM_PICTURE: return read_picture(r, param, node, at, out);
    case KIN_PARAM_TABLE: return read_table(r, param->sub, node, NULL, at, out);
    case KIN_PARAM_LIST: return read_list(r, param, node, at, out);
    case KIN_PARAM_ONE_OF: return read_one_of(r, param, node, at, out);
    case KIN_PARAM_CURVE:
    case KIN_PARAM_COLOR_CURVE:
    case KIN_PARAM_VECTOR_CURVE: return read_curve(r, param, node, at, out);
    case KIN_PARAM_TEXTS: return read_texts(r, param, node, at, out);
    case KIN_PARAM_VECTORS: return read_vectors(r, param, node, at, out);
    case KIN_PARAM_NUMBERS: return read_numbers(r, param, node, at, out);
    case KIN_PARAM_WHICH: return read_which(r, param, node, at, out, (const char**)((char*)def + param->tag_offset));
    }
    return KIN_OK;
}

static kin_result read_row(const kin_reading* r, const kin_param* param, const kin_node* node, const kin_place* at, void* def)
{
    kin_result result = read_value(r, param, node, at, def);
    if (result == KIN_OK && (param->flags & KIN_PARAM_TELLS) != 0) *(bool*)((char*)def + param->told_offset) = true;
    return result;
}

static bool is_known(const char* const* known, const char* key)
{
    for (; known != NULL && *known != NULL; ++known) {
        if (strcmp(*known, key) == 0) return true;
    }
    return false;
}

static kin_result unknown_key(const kin_reading* r, const kin_param* params, const char* const* known, const char* key, const kin_place* at)
{
    const char* names[KIN_PARAM_MOST_NAMES];
    size_t count = kin_param_names(params, names, KIN_PARAM_MOST_NAMES);
    for (; known != NULL && *known != NULL && count < KIN_PARAM_MOST_NAMES; ++known) names[count++] = *known;
    const char* nearest = kin_text_nearest(key, names, count);
    if (nearest != NULL) return kin_param_refuse(r, at, "unknown key \"%.80s\"; did you mean \"%s\"?", key, nearest);
    char all[320];
    kin_names_join(names, count, all, sizeof all);
    return kin_param_refuse(r, at, "unknown key \"%.80s\"; the keys here are %s", key, all);
}

/* Of the rows that have all the flags `among`. */
static kin_result require_all(const kin_reading* r, const kin_param* params, uint32_t among, const kin_node* table, const kin_place* at)
{
    uint32_t flags = among | KIN_PARAM_REQUIRED;
    for (const kin_param* p = params; p->name != NULL; ++p) {
        bool missing = (p->flags & flags) == flags && kin_node_get(table, p->name) == NULL;
        if (missing) return kin_param_refuse(r, at, "\"%s\" is missing", p->name);
    }
    return KIN_OK;
}

/* What the elements of its lists leave out and have from it: rows that were read a moment ago, into our arena. */
static void fill_as_owner(const kin_param* params, const kin_node* table, void* def)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        const kin_node* node = p->type == KIN_PARAM_LIST ? kin_node_get(table, p->name) : NULL;
        const kin_param_list* list = (const kin_param_list*)((char*)def + p->offset);
        for (const kin_param* row = p->sub; node != NULL && row->name != NULL; ++row) {
            if ((row->flags & KIN_PARAM_AS_OWNER) == 0) continue;
            const char* own = (char*)def + kin_params_find(params, row->name)->offset;
            for (size_t i = 0; i < list->count; ++i) {
                const kin_node* item = node->type == KIN_NODE_LIST ? node->items[i] : node;
                char* element = (char*)list->data + i * p->sub_size;
                if (kin_node_get(item, row->name) == NULL) memcpy(element + row->offset, own, kin_param_size(row->type));
            }
        }
    }
}

/* Lua cannot tell an empty table from an empty list: both count as a table without keys. */
static kin_result read_table(const kin_reading* r, const kin_param* params, const kin_node* table, const char* const* known, const kin_place* at, void* def)
{
    bool empty_list = table->type == KIN_NODE_LIST && table->count == 0;
    if (table->type != KIN_NODE_TABLE && !empty_list) return kin_param_refuse(r, at, "must be a table, not %s", kin_node_type_name(table->type));
    for (uint32_t i = 0; i < table->count; ++i) {
        const char* key = table->keys[i];
        const kin_param* param = kin_params_find(params, key);
        kin_place inner = {at, key, 0};
        if (param == NULL && is_known(known, key)) continue;
        if (param == NULL) return unknown_key(r, params, known, key, &inner);
        kin_result result = read_row(r, param, table->items[i], &inner, def);
        if (result != KIN_OK) return result;
    }
    kin_result result = require_all(r, params, 0, table, at);
    if (result == KIN_OK) fill_as_owner(params, table, def);
    return result;
}

kin_result kin_params_read(const kin_param* params, const kin_node* table, const char* const* known, const char* path, const kin_param_context* context,
                           void* def, kin_error* error)
{
    kin_reading r = {context, error};
    kin_place root = {NULL, path, 0};
    return read_table(&r, params, table, known, &root, def);
}

kin_result kin_param_read(const kin_param* param, const kin_node* node, const char* path, const kin_param_context* context, void* def, kin_error* error)
{
    kin_reading r = {context, error};
    kin_place root = {NULL, path, 0};
    return read_row(&r, param, node, &root, def);
}
