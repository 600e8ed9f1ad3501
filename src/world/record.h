/* record.h - the log of commands of a run, and playing it back: a bug report is a file. */
#pragma once
#include "world/command.h"

typedef struct kin_recorder {
    bool on;
    kin_command* items; /* all commands so far, in order */
    size_t count, capacity;
} kin_recorder;

/* From now on every command is kept. */
void kin_world_record(struct kin_world* world, bool on);
const kin_command* kin_world_recorded(const struct kin_world* world, size_t* count);
/* Makes the log hold exactly these: a resumed run goes on with the log it had. */
kin_result kin_world_set_recorded(struct kin_world* world, const kin_command* commands, size_t count, kin_error* error);
/* Queues those of the commands that are stamped with the coming step; *next is advanced. */
kin_result kin_world_replay(struct kin_world* world, const kin_command* commands, size_t count, size_t* next, kin_error* error);

/* For the commands stage: room for `more` commands, so that keeping them cannot fail. */
bool kin_record_reserve(struct kin_world* world, size_t more);
void kin_record_add(struct kin_world* world, const kin_command* command);
