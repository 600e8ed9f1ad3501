/* command.h - what people and scripts do to a running world: stamped with the step, in order, recorded. They take effect in the `commands` stage. */
#pragma once
#include "base/tree.h"
#include "kinema/anchor.h"
#include "kinema/attach.h"
#include "kinema/collider.h"

typedef enum kin_command_kind {
    KIN_COMMAND_SET,
    KIN_COMMAND_PUSH,
    KIN_COMMAND_PLACE,
    KIN_COMMAND_MOBILITY,
    KIN_COMMAND_ATTRIBUTE,
    KIN_COMMAND_ATTACH,
    KIN_COMMAND_DETACH,
    KIN_COMMAND_TARGET,
    KIN_COMMAND_KINDS
} kin_command_kind;

/* A value that a live parameter can take, without pointers. */
typedef struct kin_command_value {
    kin_node_type type; /* number, bool, string, or list: up to 4 numbers */
    int count;
    double numbers[4];
    char text[96];
} kin_command_value;

typedef struct kin_command {
    uint64_t step; /* before which it takes effect */
    kin_command_kind kind;
    uint32_t system, element;
    kin_vec3 a, b; /* push: impulse, local point; place: position, velocity; target: the point */
    kin_mobility mobility;
    char path[96];           /* set; attribute: its name */
    kin_command_value value; /* set, attribute */
    uint32_t attachment;     /* attach, detach, target: its serial; attach gets it when it is queued */
    kin_attachment_def attach;
} kin_command;

/* An attachment as it will be when the queue has been done. */
typedef struct kin_prospect {
    uint32_t serial; /* 0: none */
    bool exists, to_point;
    kin_vec3 point, facing;
} kin_prospect;

enum { KIN_COMMANDS_MAX = 1000000 }; /* in one step: half a gigabyte */

typedef struct kin_command_queue {
    kin_allocator allocator;
    kin_command* items;
    size_t count, capacity;
    kin_prospect* prospects; /* a hash table by serial: of attachments that commands are about */
    size_t prospect_count, prospect_capacity;
    uint32_t last_attachment; /* the highest serial that waits to be attached */
} kin_command_queue;

struct kin_world;
/* Checked now (system, element, path, value), stamped with the coming step, done then. */
kin_result kin_world_command(struct kin_world* world, const kin_command* command, kin_error* error);
void kin_commands_apply(struct kin_world* world); /* the stage */
void kin_commands_clear(struct kin_world* world); /* forgets what waits */
/* A set command from a path and a value as in a scene. */
kin_result kin_command_set(const char* path, const kin_node* value, kin_command* out, kin_error* error);
/* A table of plain values each way; NULL or false: out of memory, or not a command. */
kin_node* kin_command_to_node(kin_tree* tree, const kin_command* command);
bool kin_command_from_node(const kin_node* node, kin_command* out);
