/* split.c - points that fall apart into others (C3.7.2, split parameters). */
#include "math/vec3.h"
#include "system/emit/emit_inside.h"

enum { DRAW_NUMBER, DRAW_AGE, DRAW_DEPTH }; /* of the parent's split */
enum { CHILD_DIRECTION /* and 1 */, CHILD_KICK = 2, CHILD_SPEED, CHILD_SIZE };

int kin_split_number(const kin_split_def* def, const kin_rng_key* key) { return (int)kin_round(kin_rng_about(key, DRAW_NUMBER, def->number, 0)); }

double kin_split_age(const kin_split_def* def, const kin_rng_key* key) { return kin_rng_about(key, DRAW_AGE, def->age, 0); }

int kin_split_depth(const kin_split_def* def, const kin_rng_key* key) { return (int)kin_round(kin_rng_about(key, DRAW_DEPTH, def->depth, 0)); }

static kin_vec3 child_velocity(const kin_split_def* def, const kin_draws* draws, uint32_t first, kin_vec3 v)
{
    const kin_vec3 none = {0, 0, 0};
    kin_vec3 axis = kin_normalize_or(v, none);
    bool rests = kin_length2(axis) == 0;
    kin_vec3 to =
        rests ? kin_draw_direction(draws, first + CHILD_DIRECTION) : kin_draw_cone(draws, first + CHILD_DIRECTION, axis, def->direction, KIN_SPREAD_UNIFORM);
    double speed = rests ? 0 : kin_draw_about(draws, first + CHILD_SPEED, def->speed, 0) * kin_length(v);
    return kin_scale(to, speed + kin_draw_about(draws, first + CHILD_KICK, def->kick, 0));
}

int kin_split_children(const kin_split_def* def, const kin_rng_key* key, kin_vec3 x, kin_vec3 v, kin_newborn* out, int most)
{
    const kin_draws draws = {*key, NULL};
    int count = kin_split_number(def, key);
    if (count > most) count = most;
    for (int i = 0; i < count; ++i) {
        uint32_t first = (uint32_t)KIN_SPLIT_DRAWS * ((uint32_t)i + 1);
        out[i] = (kin_newborn){.x = x, .v = child_velocity(def, &draws, first, v), .number = (uint64_t)i};
        out[i].size = kin_draw_about(&draws, first + CHILD_SIZE, def->size, 0);
    }
    return count;
}
