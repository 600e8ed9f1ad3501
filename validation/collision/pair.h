/* pair.h - two forms and scratch, for cases about pairs. */
#pragma once
#include "base/arena.h"
#include "collision/form/form.h"

typedef struct kin_case_pair {
    kin_form *a, *b;
    kin_arena arena;
} kin_case_pair;

static inline kin_case_pair kin_case_pair_open(kin_shape a, kin_shape b)
{
    kin_case_pair p = {NULL, NULL, {{0}}};
    kin_allocator allocator = kin_allocator_default();
    kin_form_create(&allocator, &a, &p.a, NULL);
    kin_form_create(&allocator, &b, &p.b, NULL);
    kin_arena_init(&p.arena, &allocator);
    return p;
}

static inline void kin_case_pair_close(kin_case_pair* p)
{
    kin_form_drop(p->a);
    kin_form_drop(p->b);
    kin_arena_term(&p->arena);
}

static inline kin_transform kin_case_at(double x, double y, double z) { return (kin_transform){{x, y, z}, {0, 0, 0, 1}}; }
