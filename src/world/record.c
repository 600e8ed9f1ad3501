/* record.c - keeping commands and playing them back. */
#include "world/record.h"
#include "base/alloc.h"
#include "base/error.h"
#include "world/world.h"
#include <string.h>

void kin_world_record(kin_world* world, bool on) { world->recorder.on = on; }

const kin_command* kin_world_recorded(const kin_world* world, size_t* count)
{
    *count = world->recorder.count;
    return world->recorder.items;
}

bool kin_record_reserve(kin_world* world, size_t more)
{
    kin_recorder* r = &world->recorder;
    return !r->on || kin_reserve(&world->allocator, (void**)&r->items, &r->capacity, r->count + more, sizeof *r->items);
}

void kin_record_add(kin_world* world, const kin_command* command)
{
    if (world->recorder.on) world->recorder.items[world->recorder.count++] = *command;
}

kin_result kin_world_set_recorded(kin_world* world, const kin_command* commands, size_t count, kin_error* error)
{
    kin_recorder* r = &world->recorder;
    r->on = true;
    r->count = 0;
    if (!kin_record_reserve(world, count)) return kin_fail_memory(error, "a recording", count * sizeof *commands);
    for (size_t i = 0; i < count; ++i) kin_record_add(world, &commands[i]);
    return KIN_OK;
}

kin_result kin_world_replay(kin_world* world, const kin_command* commands, size_t count, size_t* next, kin_error* error)
{
    for (; *next < count && commands[*next].step <= world->step_count; ++*next) {
        kin_result result = kin_world_command(world, &commands[*next], error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}
