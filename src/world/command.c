/* command.c - commands: made, checked, queued, applied, and their text form. */
#include "world/command.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec3.h"
#include "world/attach.h"
#include "world/world.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char* const kind_names[] = {"set", "push", "place", "mobility", "attribute", "attach", "detach", "target"};
static const char* const mobility_names[] = {"inactive", "static", "dynamic", "animated"};

/* A node on the stack that says what the value says: for the parameter reader. */
typedef struct value_node {
    kin_node node, numbers[4];
    kin_node* items[4];
} value_node;

static const kin_node* to_node(const kin_command_value* value, value_node* out)
{
    *out = (value_node){.node = {.type = value->type}};
    switch (value->type) {
    case KIN_NODE_NUMBER: out->node.number = value->numbers[0]; break;
    case KIN_NODE_BOOL: out->node.boolean = value->numbers[0] != 0; break;
    case KIN_NODE_STRING:
        out->node.string = value->text;
        out->node.count = (uint32_t)strlen(value->text);
        break;
    default:
        out->node.count = (uint32_t)value->count;
        out->node.items = out->items;
        for (int i = 0; i < value->count; ++i) {
            out->numbers[i] = (kin_node){.type = KIN_NODE_NUMBER, .number = value->numbers[i]};
            out->items[i] = &out->numbers[i];
        }
    }
    return &out->node;
}

static bool from_list(const kin_node* list, kin_command_value* out)
{
    if (list->count > 4) return false;
    out->count = (int)list->count;
    for (uint32_t i = 0; i < list->count; ++i) {
        if (list->items[i]->type != KIN_NODE_NUMBER) return false;
        out->numbers[i] = list->items[i]->number;
    }
    return true;
}

static bool from_node(const kin_node* node, kin_command_value* out)
{
    *out = (kin_command_value){.type = node->type};
    switch (node->type) {
    case KIN_NODE_NUMBER: out->numbers[0] = node->number; return true;
    case KIN_NODE_BOOL: out->numbers[0] = node->boolean; return true;
    case KIN_NODE_STRING: return snprintf(out->text, sizeof out->text, "%s", node->string) < (int)sizeof out->text;
    case KIN_NODE_LIST: return from_list(node, out);
    default: return false;
    }
}

kin_result kin_command_set(const char* path, const kin_node* value, kin_command* out, kin_error* error)
{
    *out = (kin_command){.kind = KIN_COMMAND_SET};
    if (snprintf(out->path, sizeof out->path, "%s", path) >= (int)sizeof out->path) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the path is too long");
    if (!from_node(value, &out->value))
        return kin_fail(error, KIN_ERROR_ARGUMENT, path, "a running world takes a number, a text, true or false, or a list of up to 4 numbers");
    return KIN_OK;
}

static const kin_element_verb verb_of[KIN_COMMAND_KINDS] = {[KIN_COMMAND_PUSH] = KIN_ELEMENT_PUSH,
                                                            [KIN_COMMAND_PLACE] = KIN_ELEMENT_PLACE,
                                                            [KIN_COMMAND_MOBILITY] = KIN_ELEMENT_MOBILITY,
                                                            [KIN_COMMAND_ATTRIBUTE] = KIN_ELEMENT_ATTRIBUTE};

static kin_result check_element(const kin_world* world, const kin_command* c, kin_error* error)
{
    kin_result result = kin_world_check_anchor(world, (kin_anchor){.system = c->system, .element = c->element}, verb_of[c->kind], "", error);
    if (result != KIN_OK) return result;
    if (!kin_finite3(c->a) || !kin_finite3(c->b)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "must be finite");
    if (c->kind == KIN_COMMAND_MOBILITY && (unsigned)c->mobility > KIN_MOBILITY_ANIMATED)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "mobility", "%d is not a status", (int)c->mobility);
    if (c->kind != KIN_COMMAND_ATTRIBUTE) return KIN_OK;
    if (!kin_finite(c->value.numbers[0])) return kin_fail(error, KIN_ERROR_ARGUMENT, c->path, "must be finite");
    return kin_world_attribute(world, (kin_anchor){.system = c->system, .element = c->element}, c->path, &(double){0}, error);
}

static kin_result check(kin_world* world, const kin_command* c, kin_error* error)
{
    value_node scratch;
    switch (c->kind) {
    case KIN_COMMAND_SET: return kin_world_check_set(world, c->path, to_node(&c->value, &scratch), error);
    case KIN_COMMAND_ATTACH: return kin_world_check_attach(world, &c->attach, error);
    case KIN_COMMAND_DETACH:
    case KIN_COMMAND_TARGET: return kin_world_check_attached(world, c, error);
    default: return check_element(world, c, error);
    }
}

kin_result kin_world_command(kin_world* world, const kin_command* command, kin_error* error)
{
    kin_result result = check(world, command, error);
    if (result != KIN_OK) return result;
    kin_command_queue* q = &world->commands;
    if (q->count >= KIN_COMMANDS_MAX) return kin_fail(error, KIN_ERROR_LIMIT, "", "more than %d commands in one step", KIN_COMMANDS_MAX);
    if (!kin_reserve(&q->allocator, (void**)&q->items, &q->capacity, q->count + 1, sizeof *q->items) || !kin_record_reserve(world, q->count + 1)) {
        return kin_fail_memory(error, "a command", sizeof *q->items);
    }
    kin_command* queued = &q->items[q->count];
    *queued = *command;
    queued->step = world->step_count;
    if (command->kind == KIN_COMMAND_ATTACH) queued->attachment = kin_world_next_attachment(world);
    if (command->kind >= KIN_COMMAND_ATTACH && !kin_world_expect(world, queued)) return kin_fail_memory(error, "a command", sizeof *q->prospects);
    q->count += 1;
    return KIN_OK;
}

/* What was checked when it was queued may have changed by commands before it in the queue: that is a warning of the step. */
static void apply_to_element(kin_world* world, const kin_command* c)
{
    kin_anchor anchor = {c->system, c->element, c->b};
    const kin_system_slot* slot = &world->systems[c->system - 1];
    bool done = true;
    if (c->kind == KIN_COMMAND_PUSH) slot->ops->push(slot->self, &anchor, &(kin_wrench){.impulse = c->a}, 1);
    if (c->kind == KIN_COMMAND_PLACE) done = slot->ops->place(slot->self, c->element, c->a, c->b);
    if (c->kind == KIN_COMMAND_MOBILITY) done = slot->ops->set_mobility(slot->self, c->element, c->mobility);
    if (c->kind == KIN_COMMAND_ATTRIBUTE) slot->ops->set_attribute(slot->self, c->element, c->path, c->value.numbers[0]);
    if (done) return;
    kin_step step = kin_world_step_context(world);
    step.system = c->system;
    step.system_name = slot->name;
    kin_step_warn(&step, c->element, c->kind == KIN_COMMAND_PLACE ? "could not be placed" : "could not be given that status: it needs a mass to be dynamic");
}

static void apply(kin_world* world, const kin_command* c)
{
    value_node scratch;
    if (c->kind == KIN_COMMAND_SET) {
        kin_world_set(world, c->path, to_node(&c->value, &scratch), NULL); /* was checked when it was queued */
    } else if (c->kind >= KIN_COMMAND_ATTACH) {
        kin_world_apply_attach(world, c);
    } else {
        apply_to_element(world, c);
    }
}

void kin_commands_apply(kin_world* world)
{
    for (size_t i = 0; i < world->commands.count; ++i) {
        apply(world, &world->commands.items[i]);
        kin_record_add(world, &world->commands.items[i]);
    }
    kin_attachments_sweep(&world->attachments);
    kin_commands_clear(world);
}

void kin_commands_clear(kin_world* world)
{
    kin_command_queue* q = &world->commands;
    if (q->prospect_count > 0) memset(q->prospects, 0, q->prospect_capacity * sizeof *q->prospects);
    q->count = q->prospect_count = 0;
    q->last_attachment = 0;
}

kin_result kin_world_set_number(kin_world* world, const char* path, double value, kin_error* error)
{
    kin_command c;
    kin_result result = kin_command_set(path, &(kin_node){.type = KIN_NODE_NUMBER, .number = value}, &c, error);
    return result == KIN_OK ? kin_world_command(world, &c, error) : result;
}

kin_result kin_world_set_vector(kin_world* world, const char* path, kin_vec3 value, kin_error* error)
{
    value_node list;
    kin_command c;
    kin_command_value v = {.type = KIN_NODE_LIST, .count = 3, .numbers = {value.x, value.y, value.z}};
    kin_result result = kin_command_set(path, to_node(&v, &list), &c, error);
    return result == KIN_OK ? kin_world_command(world, &c, error) : result;
}

kin_result kin_world_set_text(kin_world* world, const char* path, const char* value, kin_error* error)
{
    kin_command c;
    kin_result result = kin_command_set(path, &(kin_node){.type = KIN_NODE_STRING, .string = value, .count = (uint32_t)strlen(value)}, &c, error);
    return result == KIN_OK ? kin_world_command(world, &c, error) : result;
}

kin_result kin_world_push(kin_world* world, kin_anchor anchor, kin_vec3 impulse, kin_error* error)
{
    return kin_world_command(
        world, &(kin_command){.kind = KIN_COMMAND_PUSH, .system = anchor.system, .element = anchor.element, .a = impulse, .b = anchor.local}, error);
}

kin_result kin_world_place(kin_world* world, kin_anchor anchor, kin_vec3 position, kin_vec3 velocity, kin_error* error)
{
    return kin_world_command(world, &(kin_command){.kind = KIN_COMMAND_PLACE, .system = anchor.system, .element = anchor.element, .a = position, .b = velocity},
                             error);
}

kin_result kin_world_set_mobility(kin_world* world, kin_anchor anchor, kin_mobility mobility, kin_error* error)
{
    return kin_world_command(world, &(kin_command){.kind = KIN_COMMAND_MOBILITY, .system = anchor.system, .element = anchor.element, .mobility = mobility},
                             error);
}

kin_result kin_world_set_attribute(kin_world* world, kin_anchor anchor, const char* name, double value, kin_error* error)
{
    kin_command c = {.kind = KIN_COMMAND_ATTRIBUTE, .system = anchor.system, .element = anchor.element, .value = {.type = KIN_NODE_NUMBER, .numbers = {value}}};
    if (snprintf(c.path, sizeof c.path, "%s", name) >= (int)sizeof c.path) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the name is too long");
    return kin_world_command(world, &c, error);
}

static kin_node* vector_node(kin_tree* tree, kin_vec3 v)
{
    kin_node* list = kin_node_list(tree);
    bool ok = list != NULL && kin_node_append(tree, list, kin_node_number(tree, v.x)) && kin_node_append(tree, list, kin_node_number(tree, v.y))
              && kin_node_append(tree, list, kin_node_number(tree, v.z));
    return ok ? list : NULL;
}

static kin_node* text_node(kin_tree* tree, const char* text) { return kin_node_string(tree, text, strlen(text)); }

static bool add_element(kin_tree* tree, kin_node* table, const kin_command* c)
{
    return kin_node_set(tree, table, "system", kin_node_number(tree, c->system)) && kin_node_set(tree, table, "element", kin_node_number(tree, c->element))
           && kin_node_set(tree, table, "a", vector_node(tree, c->a)) && kin_node_set(tree, table, "b", vector_node(tree, c->b))
           && kin_node_set(tree, table, "mobility", text_node(tree, mobility_names[c->mobility]));
}

static kin_node* anchor_node(kin_tree* tree, kin_anchor a)
{
    kin_node* table = kin_node_table(tree);
    bool ok = table != NULL && kin_node_set(tree, table, "system", kin_node_number(tree, a.system))
              && kin_node_set(tree, table, "element", kin_node_number(tree, a.element)) && kin_node_set(tree, table, "local", vector_node(tree, a.local));
    return ok ? table : NULL;
}

/* The numbers of an attachment, with their names in a recording. */
static const struct {
    const char* name;
    size_t offset;
} attach_numbers[] = {
    {"stiffness", offsetof(kin_attachment_def, stiffness)}, {"damping_ratio", offsetof(kin_attachment_def, damping_ratio)},
    {"damping", offsetof(kin_attachment_def, damping)},     {"rest", offsetof(kin_attachment_def, rest)},
    {"max_force", offsetof(kin_attachment_def, max_force)}, {"break_force", offsetof(kin_attachment_def, break_force)},
};
enum { ATTACH_NUMBERS = sizeof attach_numbers / sizeof *attach_numbers };

static bool add_attach(kin_tree* tree, kin_node* table, const kin_attachment_def* def)
{
    bool ok = kin_node_set(tree, table, "a", anchor_node(tree, def->a)) && kin_node_set(tree, table, "facing", vector_node(tree, def->facing))
              && kin_node_set(tree, table, "rigid", kin_node_bool(tree, def->rigid));
    ok = ok && (def->to_point ? kin_node_set(tree, table, "point", vector_node(tree, def->point)) : kin_node_set(tree, table, "b", anchor_node(tree, def->b)));
    for (int i = 0; ok && i < ATTACH_NUMBERS; ++i) {
        double value = *(const double*)((const char*)def + attach_numbers[i].offset);
        ok = kin_node_set(tree, table, attach_numbers[i].name, kin_node_number(tree, value));
    }
    return ok;
}

static bool add_attachment(kin_tree* tree, kin_node* table, const kin_command* c)
{
    bool ok = kin_node_set(tree, table, "attachment", kin_node_number(tree, c->attachment));
    if (c->kind == KIN_COMMAND_TARGET) ok = ok && kin_node_set(tree, table, "a", vector_node(tree, c->a));
    return c->kind == KIN_COMMAND_ATTACH ? ok && add_attach(tree, table, &c->attach) : ok;
}

kin_node* kin_command_to_node(kin_tree* tree, const kin_command* c)
{
    value_node value;
    kin_node* table = kin_node_table(tree);
    bool ok = table != NULL && kin_node_set(tree, table, "step", kin_node_number(tree, (double)c->step))
              && kin_node_set(tree, table, "command", text_node(tree, kind_names[c->kind]));
    if (ok && c->kind == KIN_COMMAND_ATTRIBUTE) ok = add_element(tree, table, c);
    if (ok && (c->kind == KIN_COMMAND_SET || c->kind == KIN_COMMAND_ATTRIBUTE)) {
        ok = kin_node_set(tree, table, "path", text_node(tree, c->path)) && kin_node_set(tree, table, "value", kin_node_copy(tree, to_node(&c->value, &value)));
    } else if (ok) {
        ok = c->kind >= KIN_COMMAND_ATTACH ? add_attachment(tree, table, c) : add_element(tree, table, c);
    }
    return ok ? table : NULL;
}

static bool number_of(const kin_node* table, const char* key, double high, double* out)
{
    const kin_node* n = kin_node_get(table, key);
    if (n == NULL || n->type != KIN_NODE_NUMBER || !(n->number >= 0 && n->number <= high)) return false;
    *out = n->number;
    return true;
}

static bool name_of(const kin_node* table, const char* key, const char* const* names, int count, int* out)
{
    const kin_node* n = kin_node_get(table, key);
    for (int i = 0; n != NULL && n->type == KIN_NODE_STRING && i < count; ++i) {
        if (strcmp(n->string, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool vector_of(const kin_node* table, const char* key, kin_vec3* out)
{
    kin_command_value v = {0};
    const kin_node* n = kin_node_get(table, key);
    if (n == NULL || n->type != KIN_NODE_LIST || !from_list(n, &v) || v.count != 3) return false;
    *out = kin_v(v.numbers[0], v.numbers[1], v.numbers[2]);
    return true;
}

static bool anchor_of(const kin_node* table, const char* key, kin_anchor* out)
{
    double system, element;
    const kin_node* n = kin_node_get(table, key);
    if (n == NULL || n->type != KIN_NODE_TABLE || !number_of(n, "system", 4e9, &system) || !number_of(n, "element", 4e9, &element)) return false;
    out->system = (uint32_t)system;
    out->element = (uint32_t)element;
    return vector_of(n, "local", &out->local);
}

static bool attach_of(const kin_node* node, kin_attachment_def* out)
{
    const kin_node* rigid = kin_node_get(node, "rigid");
    if (rigid == NULL || rigid->type != KIN_NODE_BOOL || !anchor_of(node, "a", &out->a) || !vector_of(node, "facing", &out->facing)) return false;
    out->rigid = rigid->boolean;
    out->to_point = kin_node_get(node, "point") != NULL;
    for (int i = 0; i < ATTACH_NUMBERS; ++i) {
        if (!number_of(node, attach_numbers[i].name, 1e300, (double*)((char*)out + attach_numbers[i].offset))) return false;
    }
    return out->to_point ? vector_of(node, "point", &out->point) : anchor_of(node, "b", &out->b);
}

static bool attachment_of(const kin_node* node, kin_command* out)
{
    double serial;
    if (!number_of(node, "attachment", 4e9, &serial)) return false;
    out->attachment = (uint32_t)serial;
    if (out->kind == KIN_COMMAND_ATTACH) return attach_of(node, &out->attach);
    return out->kind == KIN_COMMAND_DETACH || vector_of(node, "a", &out->a);
}

static bool set_of(const kin_node* node, kin_command* out)
{
    const kin_node *path = kin_node_get(node, "path"), *value = kin_node_get(node, "value");
    return path != NULL && path->type == KIN_NODE_STRING && value != NULL && kin_command_set(path->string, value, out, NULL) == KIN_OK;
}

static bool element_of(const kin_node* node, kin_command* out)
{
    double system, element;
    int mobility;
    if (!number_of(node, "system", 4e9, &system) || !number_of(node, "element", 4e9, &element) || !name_of(node, "mobility", mobility_names, 4, &mobility))
        return false;
    out->system = (uint32_t)system;
    out->element = (uint32_t)element;
    out->mobility = (kin_mobility)mobility;
    return vector_of(node, "a", &out->a) && vector_of(node, "b", &out->b);
}

static bool attribute_of(const kin_node* node, kin_command* out)
{
    kin_command named;
    if (!element_of(node, out) || !set_of(node, &named) || named.value.type != KIN_NODE_NUMBER) return false;
    memcpy(out->path, named.path, sizeof out->path);
    out->value = named.value;
    return true;
}

bool kin_command_from_node(const kin_node* node, kin_command* out)
{
    double step;
    int kind;
    *out = (kin_command){0};
    if (!number_of(node, "step", 9e15, &step) || !name_of(node, "command", kind_names, KIN_COMMAND_KINDS, &kind)) return false;
    out->kind = (kin_command_kind)kind;
    bool good = kind == KIN_COMMAND_SET         ? set_of(node, out)
                : kind == KIN_COMMAND_ATTRIBUTE ? attribute_of(node, out)
                : kind >= KIN_COMMAND_ATTACH    ? attachment_of(node, out)
                                                : element_of(node, out);
    out->step = (uint64_t)step;
    return good;
}
