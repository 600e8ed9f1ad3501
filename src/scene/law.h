/* law.h - a person's own force law: fields = {{law = function(x, y, z, vx, vy, vz, t, m, age) return ax, ay, az end, ...}}.
 *
 * The function is asked for each point of a batch; it must be pure: what it returns may depend on its arguments alone, so it may not draw random numbers,
 * see the world, or remember. (`kinema check` names one that remembers.) One that fails, runs too long or returns anything but three finite numbers stops the
 * run: the step is undone and its error says which field and why.
 *
 * In the tree the function is the text "function N": N counts the laws of the scene's script. JSON and recordings cannot hold one, and are refused by name. */
#pragma once
#include "scene/scene.h"
#include "system/field.h"

typedef struct kin_lua_law kin_lua_law;

/* True: the text stands for a function. */
bool kin_law_number(const kin_node* law, size_t* number);
/* The evaluator of fields[index], for one world, which takes it. The scene lives as long as it does. */
kin_result kin_lua_law_create(kin_scene* scene, const kin_node* field, uint32_t index, kin_world* world, kin_lua_law** out, kin_error* error);
/* A kin_law_fn: context is the kin_lua_law. Any thread; one at a time inside. */
void kin_lua_law_evaluate(void* context, const kin_law_points* points);
