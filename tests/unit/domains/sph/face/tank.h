/* tank.h - short ways to a tank of fluid. */
#pragma once
#include "kinema/sph.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include <string.h>

static inline kin_sph_block tank_box(kin_vec3 center, kin_vec3 size)
{
    kin_sph_block block = kin_sph_block_default();
    block.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = size};
    block.position = center;
    return block;
}

static inline kin_sph_def tank_def(double radius, const kin_sph_block* blocks, size_t count)
{
    kin_sph_def def = kin_sph_def_default();
    def.radius = radius;
    def.blocks.data = blocks;
    def.blocks.count = count;
    return def;
}

static inline kin_system_id tank_create(test* t, kin_world* world, const kin_sph_def* def)
{
    kin_system_id id = {0};
    kin_error error = {0};
    test_check(t, kin_sph_create(world, def, &id, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return id;
}

/* How many particles a def comes to in an empty world. */
static inline size_t tank_count(test* t, const kin_sph_def* def)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_system_id id = tank_create(t, world, def);
    size_t count = id.index1 != 0 ? kin_sph_state(world, id).count : 0;
    kin_world_destroy(world);
    return count;
}

/* A def that is refused, with that member named and those words. */
static inline void tank_refused(test* t, const kin_sph_def* def, const char* where, const char* words)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_error error = {0};
    CHECK(t, kin_sph_create(world, def, NULL, &error) != KIN_OK);
    TEXT(t, error.where, where);
    HAS(t, error.message, words);
    kin_world_destroy(world);
}

static inline kin_vec3 tank_position(const kin_sph_view* v, size_t i)
{
    return kin_add(v->origin, kin_v((double)v->position[4 * i], (double)v->position[4 * i + 1], (double)v->position[4 * i + 2]));
}

/* Of the system called "sph". */
static inline double tank_measure(test* t, const kin_world* world, const char* name)
{
    kin_measure rows[64];
    size_t count = kin_world_measure(world, kin_world_system(world, "sph").index1, rows, 64);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(rows[i].name, name) == 0) return rows[i].value;
    }
    test_check(t, false, __FILE__, __LINE__, "there is no measure %s", name);
    return 0;
}
