/* pair.h - two forms and scratch, for the tests of pairs. */
#pragma once
#include "collision/form/form.h"
#include "support/test.h"

typedef struct stage {
    kin_arena arena;
    kin_form *a, *b;
} stage;

static inline stage set(test* t, kin_shape a, kin_shape b)
{
    stage s;
    kin_error error = {0};
    kin_arena_init(&s.arena, &t->allocator);
    EQUAL(t, kin_form_create(&t->allocator, &a, &s.a, &error), KIN_OK);
    EQUAL(t, kin_form_create(&t->allocator, &b, &s.b, &error), KIN_OK);
    TEXT(t, error.message, "");
    return s;
}

static inline void clear(stage* s)
{
    kin_form_drop(s->a);
    kin_form_drop(s->b);
    kin_arena_term(&s->arena);
}

static inline kin_transform at(double x, double y, double z) { return (kin_transform){{x, y, z}, {0, 0, 0, 1}}; }
static inline kin_shape box(double x, double y, double z) { return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {x, y, z}}; }
static inline kin_shape ball(double r) { return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = r}; }
