/* script.h - one Lua VM behind walls: what a script may call, how much it may use, and the doors between C and it.
 *
 * A script can end only three ways: it returns, it fails, or it is stopped. Instructions are counted by a hook; what one instruction can make C do is charged
 * to the same budget: bytes of big blocks, steps of a pattern match, elements moved in a table. Once the budget is spent the hook fires on every
 * instruction, so that pcall cannot catch the stop. Garbage is collected only between instructions that the hook chooses, after a look at all metatables: a weak
 * table would show it. Where memory runs out before, the script is stopped. Nothing a script can see depends on addresses, hash seeds, clocks or the locale.
 *
 * Lua raises errors by longjmp: whatever may raise runs inside kin_script_run, and what must be freed is owned by the scene, never by a C frame. */
#pragma once
#include "base/rng.h"
#include "base/tree.h"
#include "kinema/base.h"
#include "kinema/world.h"
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

typedef enum kin_script_stop { KIN_SCRIPT_GOES, KIN_SCRIPT_INSTRUCTIONS, KIN_SCRIPT_ARGUMENTS, KIN_SCRIPT_MEMORY, KIN_SCRIPT_WEAK } kin_script_stop;
typedef enum kin_script_refusal { KIN_REFUSED_NOTHING, KIN_REFUSED_LIMIT, KIN_REFUSED_TEXT, KIN_REFUSED_SYSTEM } kin_script_refusal;

enum {
    KIN_SCRIPT_LONGEST_TEXT = 1 << 14, /* bytes of a Lua string: comparing two is one instruction */
    KIN_SCRIPT_MOST_VALUES = 250,      /* arguments or results of one call */
};

typedef struct kin_script {
    kin_allocator allocator;
    lua_State* lua;
    struct kin_scene* scene; /* whose files and params it reads */
    uint64_t max_instructions;
    size_t max_memory;
    int64_t left;                    /* of the budget of this run */
    int count;                       /* instructions between two calls of the hook */
    int metatables, metatables_read; /* different ones in use so far; when the scene had been read, where every hook begins to count */
    size_t memory;
    size_t collect_at; /* bytes: garbage is collected when there are more */
    kin_script_stop stop;
    kin_script_refusal refusal; /* why memory was last refused */
    bool starved;               /* memory outside the VM ran out on its behalf */
    char stop_where[512];       /* file:line where the budget ended */
    kin_rng_key random;
    uint32_t draw;
    bool may_seed;    /* while the scene is evaluated, not in hooks: a hook must not remember */
    kin_world* world; /* inside on_step only */
    kin_tree* tree;   /* inside on_step only: for what its calls read */
    int hook;         /* registry reference of on_step */
    int* laws;        /* registry references of force laws (law.h) */
    size_t law_count, law_capacity;
    bool in_law; /* no random numbers */
    char* log;   /* what was printed, lines */
    size_t log_length, log_capacity;
} kin_script;

/* Opens the VM. On failure nothing is left. */
kin_result kin_script_create(struct kin_scene* scene, const kin_allocator* allocator, uint64_t max_instructions, size_t max_memory, kin_script** out,
                             kin_error* error);
void kin_script_destroy(kin_script* script);

/* The scene has been read: from now on only hooks run. */
void kin_script_settle(kin_script* script);

/* Calls body(L) with argument as a light userdata on the stack, protected, with a fresh budget. A failure gives where and message. */
kin_result kin_script_run(kin_script* script, lua_CFunction body, void* argument, kin_error* error);

static inline kin_script* kin_script_of(lua_State* L) { return *(kin_script**)lua_getextraspace(L); }
/* The budget is spent, or must be taken for spent. Raises. */
void kin_script_halt(lua_State* L, kin_script_stop why);
/* Work done in C on the script's behalf, in units of about one instruction. May raise. */
static inline void kin_script_charge(lua_State* L, size_t steps)
{
    kin_script* script = kin_script_of(L);
    script->left -= steps < INT64_MAX / 4 ? (int64_t)steps : INT64_MAX / 4;
    if (script->left < 0) kin_script_halt(L, KIN_SCRIPT_INSTRUCTIONS);
}
/* Memory ran out outside the VM. Raises. */
void kin_script_starve(lua_State* L);
void kin_script_print(kin_script* script, const char* text, size_t length);
void kin_script_tell(const kin_script* script, const kin_log* log); /* what was printed, a line at a time */

/* Pushes the text of the value at index: __tostring is honoured, addresses are never shown. */
const char* kin_lua_text(lua_State* L, int index, size_t* length);

/* Libraries: each sets its globals. */
void kin_lua_open_order(lua_State* L);  /* pairs next */
void kin_lua_open_math(lua_State* L);   /* math */
void kin_lua_open_string(lua_State* L); /* string */
void kin_lua_open_match(lua_State* L);  /* string.find match gmatch gsub; the string table is on the top */
void kin_lua_open_table(lua_State* L);  /* table */
void kin_lua_open_files(lua_State* L);  /* include param */

/* Numbers from the script's key: [0, 1), and the next raw draw. */
double kin_lua_random_unit(lua_State* L);

/* Lua values to nodes and back. Tables with keys 1..n are lists, with names tables; an empty one is a list. */
typedef struct kin_lua_reader {
    kin_tree* tree;
    int max_depth;
    size_t nodes_left;
    bool allow_hook; /* a function may stand at on_step, on the first level */
    int hook;        /* out: its registry reference, or LUA_NOREF */
    /* With allow_hook a function may stand at fields[i].law, too: it is kept among the script's laws, and its node is the text "function N". */
    kin_result result;
    kin_error* error; /* where: the path of what cannot be a node */
} kin_lua_reader;
/* NULL on failure: reader->result says. May raise too. */
kin_node* kin_lua_to_node(lua_State* L, int index, kin_lua_reader* reader);
void kin_lua_push_node(lua_State* L, const kin_node* node);

/* Compiles a source of the scene (its number) and leaves the function on the stack; raises on a syntax error, with the column. */
void kin_lua_load_source(lua_State* L, size_t source);
