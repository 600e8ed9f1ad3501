/* hook.h - what the methods of on_step's world share. All may raise. */
#pragma once
#include "scene/script.h"
#include "world/command.h"

kin_world* kin_hook_world(lua_State* L);                                       /* argument 1 */
kin_anchor kin_hook_element(lua_State* L, const kin_world* world);             /* arguments 2 and 3: system and element */
int kin_hook_give(lua_State* L, kin_world* world, const kin_command* command); /* returns no values */
int kin_hook_fail(lua_State* L, const kin_error* error);                       /* does not return */

/* What a call makes the engine do, in instructions of a script (about 10 ns each): a command is checked, queued, done and recorded. */
enum { KIN_HOOK_COMMAND_COST = 100, KIN_HOOK_QUESTION_COST = 20 };

/* All that a script can call on its world. */
extern const luaL_Reg kin_hook_methods[], kin_hook_attach_methods[];
