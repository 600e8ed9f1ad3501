/* one.h - a single point under fields, for the tests of steering: a batch of one, and semi-implicit steps. */
#pragma once
#include "kinema/steer.h"
#include "math/vec3.h"
#include "system/field.h"

typedef struct one {
    double x[3], v[3], air[3], a[3], scratch[4], inv_mass, radius;
    uint64_t tags;
} one;

static inline kin_vec3 one_vector(const double v[3]) { return kin_v(v[0], v[1], v[2]); }

static inline one one_at(kin_vec3 x, kin_vec3 v, double radius)
{
    return (one){.x = {x.x, x.y, x.z}, .v = {v.x, v.y, v.z}, .inv_mass = 1, .radius = radius, .tags = 1};
}

static inline kin_vec3 one_acceleration(one* p, const kin_fields* fields, const kin_solids* solids)
{
    kin_field_batch b = {.count = 1, .solids = solids, .inv_mass = &p->inv_mass, .radius = &p->radius, .tags = &p->tags, .scratch = p->scratch};
    for (int k = 0; k < 3; ++k) {
        b.position[k] = &p->x[k];
        b.velocity[k] = &p->v[k];
        b.air[k] = &p->air[k];
        b.acceleration[k] = &p->a[k];
    }
    kin_fields_evaluate(fields, &b);
    return one_vector(p->a);
}

static inline void one_step(one* p, const kin_fields* fields, const kin_solids* solids, double h)
{
    one_acceleration(p, fields, solids);
    for (int k = 0; k < 3; ++k) {
        p->v[k] += h * p->a[k];
        p->x[k] += h * p->v[k];
    }
}
