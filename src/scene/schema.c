/* schema.c - the JSON Schema (draft 2020-12) of scenes, made from the parameter tables: editors complete and check scenes with it. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "scene/scene_inside.h"
#include "system/field.h"
#include "world/registry.h"
#include <stdio.h>
#include <string.h>

/* A failed node is NULL, and setting or appending it fails too: only the end needs to look. */
typedef struct schema {
    kin_tree tree;
    bool failed;
} schema;

static void set(schema* s, kin_node* table, const char* key, kin_node* value)
{
    if (!kin_node_set(&s->tree, table, key, value)) s->failed = true;
}

static void add(schema* s, kin_node* list, kin_node* value)
{
    if (!kin_node_append(&s->tree, list, value)) s->failed = true;
}

static kin_node* text(schema* s, const char* value) { return kin_node_string(&s->tree, value, strlen(value)); }

static kin_node* number(schema* s, double value) { return kin_node_number(&s->tree, value); }

static kin_node* typed(schema* s, const char* type)
{
    kin_node* node = kin_node_table(&s->tree);
    set(s, node, "type", text(s, type));
    return node;
}

/* ---- single values ---- */

static void set_range(schema* s, kin_node* node, const kin_param* p)
{
    const double unbounded = 1e300;
    bool open_low = (p->flags & KIN_PARAM_OPEN_LOW) != 0, open_high = (p->flags & KIN_PARAM_OPEN_HIGH) != 0;
    bool unset = p->low == 0 && p->high == 0;
    if (unset ? open_low : p->low > -unbounded) set(s, node, open_low ? "exclusiveMinimum" : "minimum", number(s, p->low));
    if (unset ? open_high : p->high < unbounded) set(s, node, open_high ? "exclusiveMaximum" : "maximum", number(s, p->high));
}

static kin_node* ranged(schema* s, const char* type, const kin_param* p)
{
    kin_node* node = typed(s, type);
    set_range(s, node, p);
    return node;
}

static kin_node* numbers(schema* s, const kin_param* p, int count)
{
    kin_node* node = typed(s, "array");
    set(s, node, "items", ranged(s, "number", p));
    set(s, node, "minItems", number(s, count));
    set(s, node, "maxItems", number(s, count));
    return node;
}

static kin_node* either(schema* s, kin_node* a, kin_node* b)
{
    kin_node *node = kin_node_table(&s->tree), *list = kin_node_list(&s->tree);
    add(s, list, a);
    add(s, list, b);
    set(s, node, "anyOf", list);
    return node;
}

static kin_node* about(schema* s, const kin_param* p)
{
    kin_node *pair = typed(s, "array"), *items = kin_node_list(&s->tree), *deviation = typed(s, "number");
    set(s, deviation, "minimum", number(s, 0));
    add(s, items, ranged(s, "number", p));
    add(s, items, deviation);
    set(s, pair, "prefixItems", items);
    set(s, pair, "minItems", number(s, 2));
    set(s, pair, "maxItems", number(s, 2));
    return either(s, ranged(s, "number", p), pair);
}

static kin_node* colour(schema* s, const kin_param* p)
{
    kin_node* name = typed(s, "string");
    set(s, name, "pattern", text(s, "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"));
    kin_param component = *p;
    if (component.low == 0 && component.high == 0) component.high = 1;
    return either(s, name, numbers(s, &component, 3));
}

static kin_node* names(schema* s, const char* const* list)
{
    kin_node *node = kin_node_table(&s->tree), *values = kin_node_list(&s->tree);
    for (; *list != NULL; ++list) add(s, values, text(s, *list));
    set(s, node, "enum", values);
    return node;
}

static kin_node* euler(schema* s, const kin_param* p)
{
    kin_node *turn = typed(s, "object"), *properties = kin_node_table(&s->tree), *required = kin_node_list(&s->tree);
    set(s, properties, "euler", numbers(s, p, 3));
    set(s, properties, "order", names(s, kin_param_euler_orders));
    add(s, required, text(s, "euler"));
    set(s, turn, "properties", properties);
    set(s, turn, "required", required);
    set(s, turn, "additionalProperties", kin_node_bool(&s->tree, false));
    return turn;
}

static kin_node* orientation(schema* s, const kin_param* p)
{
    kin_node *turn = typed(s, "object"), *properties = kin_node_table(&s->tree), *required = kin_node_list(&s->tree);
    set(s, properties, "axis", numbers(s, p, 3));
    set(s, properties, "angle", typed(s, "number"));
    add(s, required, text(s, "axis"));
    add(s, required, text(s, "angle"));
    set(s, turn, "properties", properties);
    set(s, turn, "required", required);
    set(s, turn, "additionalProperties", kin_node_bool(&s->tree, false));
    return either(s, either(s, numbers(s, p, 4), turn), euler(s, p));
}

/* ---- tables ---- */

static kin_node* value_of(schema* s, const kin_param* p);
static kin_node* bare_value(schema* s, const kin_param* p);

static kin_node* object(schema* s, const kin_param* params)
{
    kin_node *node = typed(s, "object"), *properties = kin_node_table(&s->tree), *required = kin_node_list(&s->tree);
    for (const kin_param* p = params; p->name != NULL; ++p) {
        set(s, properties, p->name, value_of(s, p));
        if ((p->flags & KIN_PARAM_REQUIRED) != 0) add(s, required, text(s, p->name));
    }
    set(s, node, "properties", properties);
    if (required != NULL && required->count > 0) set(s, node, "required", required);
    set(s, node, "additionalProperties", kin_node_bool(&s->tree, false));
    return node;
}

/* A single table stands for a list of one. */
static kin_node* list_of(schema* s, kin_node* item)
{
    kin_node* list = typed(s, "array");
    set(s, list, "items", item);
    return either(s, list, item);
}

static kin_node* one_of(schema* s, const kin_param* params)
{
    kin_node* node = object(s, params);
    kin_node* choices = kin_node_list(&s->tree);
    for (const kin_param* p = params; p->name != NULL && (p->flags & KIN_PARAM_BESIDE) == 0; ++p) {
        kin_node *choice = kin_node_table(&s->tree), *names_given = kin_node_list(&s->tree);
        add(s, names_given, text(s, p->name));
        set(s, choice, "required", names_given);
        add(s, choices, choice);
    }
    set(s, node, "oneOf", choices);
    return node;
}

static kin_node* array_of(schema* s, kin_node* item)
{
    kin_node* list = typed(s, "array");
    set(s, list, "items", item);
    return list;
}

/* A value, its keys, or keys with what lies between them. */
static kin_node* curve(schema* s, const kin_param* p)
{
    static const char* const modes[] = {"linear", "step", "smooth", NULL};
    kin_param t = {.name = "t", .type = KIN_PARAM_NUMBER, .unit = "s", .doc = "When.", .flags = KIN_PARAM_REQUIRED};
    kin_param value = *p;
    value.name = "value";
    value.type = p->type == KIN_PARAM_CURVE ? KIN_PARAM_NUMBER : p->type == KIN_PARAM_VECTOR_CURVE ? KIN_PARAM_VECTOR : KIN_PARAM_COLOR;
    value.flags |= KIN_PARAM_REQUIRED;
    kin_node* keys = array_of(s, object(s, (kin_param[]){t, value, {0}}));
    kin_node *whole = typed(s, "object"), *properties = kin_node_table(&s->tree);
    set(s, properties, "mode", names(s, modes));
    set(s, properties, "keys", keys);
    set(s, whole, "properties", properties);
    set(s, whole, "additionalProperties", kin_node_bool(&s->tree, false));
    return either(s, bare_value(s, &value), either(s, keys, whole));
}

static kin_node* bare_value(schema* s, const kin_param* p)
{
    switch (p->type) {
    case KIN_PARAM_NUMBER: return ranged(s, "number", p);
    case KIN_PARAM_INTEGER:
    case KIN_PARAM_COUNT:
    case KIN_PARAM_SEED: return ranged(s, "integer", p);
    case KIN_PARAM_BOOL: return typed(s, "boolean");
    case KIN_PARAM_PAIR: return either(s, ranged(s, "number", p), numbers(s, p, 2));
    case KIN_PARAM_TWO: return numbers(s, p, 2);
    case KIN_PARAM_ABOUT: return about(s, p);
    case KIN_PARAM_VECTOR:
    case KIN_PARAM_DIRECTION: return numbers(s, p, 3);
    case KIN_PARAM_ORIENTATION: return orientation(s, p);
    case KIN_PARAM_COLOR: return colour(s, p);
    case KIN_PARAM_ENUM: return names(s, p->names);
    case KIN_PARAM_TEXT:
    case KIN_PARAM_FILE:
    case KIN_PARAM_MATERIAL:
    case KIN_PARAM_PICTURE:
    case KIN_PARAM_MESH: return typed(s, "string");
    case KIN_PARAM_TABLE: return object(s, p->sub);
    case KIN_PARAM_LIST: return list_of(s, (p->flags & KIN_PARAM_CHOICE) != 0 ? one_of(s, p->sub) : object(s, p->sub));
    case KIN_PARAM_ONE_OF: return one_of(s, p->sub);
    case KIN_PARAM_CURVE:
    case KIN_PARAM_COLOR_CURVE:
    case KIN_PARAM_VECTOR_CURVE: return curve(s, p);
    case KIN_PARAM_TEXTS: return either(s, typed(s, "string"), array_of(s, typed(s, "string")));
    case KIN_PARAM_VECTORS: return array_of(s, numbers(s, p, 3));
    case KIN_PARAM_NUMBERS: return array_of(s, ranged(s, "number", p));
    case KIN_PARAM_WHICH: return either(s, ranged(s, "integer", p), typed(s, "string"));
    }
    return NULL;
}

static void set_default(schema* s, kin_node* node, const kin_param* p)
{
    if ((p->flags & (KIN_PARAM_REQUIRED | KIN_PARAM_AS_OWNER | KIN_PARAM_TELLS)) != 0) return;
    int count = 0;
    switch (p->type) {
    case KIN_PARAM_NUMBER:
    case KIN_PARAM_INTEGER:
    case KIN_PARAM_COUNT:
    case KIN_PARAM_SEED: set(s, node, "default", number(s, p->preset[0])); return;
    case KIN_PARAM_BOOL: set(s, node, "default", kin_node_bool(&s->tree, p->preset[0] != 0)); return;
    case KIN_PARAM_ENUM: set(s, node, "default", text(s, p->names[(int)p->preset[0]])); return;
    case KIN_PARAM_PAIR:
    case KIN_PARAM_TWO:
    case KIN_PARAM_ABOUT: count = 2; break;
    case KIN_PARAM_VECTOR:
    case KIN_PARAM_DIRECTION:
    case KIN_PARAM_COLOR: count = 3; break;
    default: return;
    }
    kin_node* list = kin_node_list(&s->tree);
    for (int i = 0; i < count; ++i) add(s, list, number(s, p->preset[i]));
    set(s, node, "default", list);
}

static kin_node* value_of(schema* s, const kin_param* p)
{
    kin_node* node = bare_value(s, p);
    char doc[512] = "", described[512];
    kin_param_describe(p, described, sizeof described);
    kin_text_append(doc, sizeof doc, "%s (%s)", p->doc, described);
    set(s, node, "description", text(s, doc));
    set_default(s, node, p);
    return node;
}

/* ---- the parts with many kinds ---- */

static kin_node* described(schema* s, kin_node* node, const char* doc)
{
    set(s, node, "description", text(s, doc));
    return node;
}

static kin_node* fields(schema* s)
{
    kin_node *kinds = kin_node_list(&s->tree), *any = kin_node_table(&s->tree);
    for (int i = 0; kin_field_registry[i] != NULL; ++i) add(s, kinds, described(s, object(s, kin_field_registry[i]->params), kin_field_registry[i]->doc));
    set(s, any, "oneOf", kinds);
    return list_of(s, any);
}

static kin_node* one_system(schema* s, const kin_system_ops* ops)
{
    kin_node *node = object(s, ops->params), *type = kin_node_table(&s->tree), *name = typed(s, "string");
    kin_node* properties = (kin_node*)kin_node_get(node, "properties"); /* made above */
    kin_node* required = (kin_node*)kin_node_get(node, "required");
    if (required == NULL) required = kin_node_list(&s->tree);
    set(s, type, "const", text(s, ops->name));
    set(s, properties, "type", described(s, type, ops->doc));
    set(s, properties, "name", described(s, name, "What it is called; left out: its type."));
    add(s, required, text(s, "type"));
    if (node != NULL) set(s, node, "required", required);
    return described(s, node, ops->doc);
}

static kin_node* systems(schema* s)
{
    kin_node *kinds = kin_node_list(&s->tree), *any = kin_node_table(&s->tree);
    for (int i = 0; kin_system_registry[i] != NULL; ++i) add(s, kinds, one_system(s, kin_system_registry[i]));
    set(s, any, "oneOf", kinds);
    return list_of(s, any);
}

static kin_node* materials(schema* s)
{
    kin_node* node = typed(s, "object");
    set(s, node, "additionalProperties", object(s, kin_scene_material_params));
    return node;
}

static kin_node* include(schema* s) { return list_of(s, typed(s, "string")); }

static kin_node* part(schema* s, const kin_scene_part* p)
{
    kin_node* node = strcmp(p->key, "materials") == 0 ? materials(s)
                     : strcmp(p->key, "fields") == 0  ? fields(s)
                     : strcmp(p->key, "systems") == 0 ? systems(s)
                                                      : include(s);
    return described(s, node, p->doc);
}

static kin_node* whole(schema* s)
{
    kin_node* node = object(s, kin_scene_top_params);
    kin_node* properties = (kin_node*)kin_node_get(node, "properties");
    for (const kin_scene_part* p = kin_scene_parts; p->key != NULL; ++p) set(s, properties, p->key, part(s, p));
    set(s, node, "$schema", text(s, "https://json-schema.org/draft/2020-12/schema"));
    set(s, node, "title", text(s, "Kinema scene"));
    return node;
}

kin_result kin_schema_write(kin_text* out)
{
    schema s = {0};
    kin_tree_init(&s.tree, &out->allocator);
    kin_node* node = whole(&s);
    bool good = node != NULL && !s.failed && kin_node_write(node, 2, &out->allocator, &out->data, &out->length, &out->capacity);
    kin_tree_term(&s.tree);
    return good ? KIN_OK : KIN_ERROR_MEMORY;
}
