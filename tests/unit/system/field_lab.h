/* field_lab.h - a handful of points to try fields on: one field of a kind, evaluations, and steps by velocity Verlet or by what fields do after a step. */
#pragma once
#include "math/vec3.h"
#include "support/test.h"
#include "system/field.h"
#include <string.h>

enum { LAB = 37 }; /* not a multiple of any lane width */

typedef struct lab {
    kin_fields fields;
    double time;
    int count;
    double x[3][LAB], v[3][LAB], a[3][LAB], air[3][LAB], new_v[3][LAB], carried[3][LAB];
    double inv_mass[LAB], age[LAB], charge[LAB], radius[LAB], scratch[4 * LAB];
    uint64_t serial[LAB], tags[LAB];
} lab;

static inline kin_field_batch lab_batch(lab* l)
{
    kin_field_batch b = {.count = l->count,
                         .time = l->time,
                         .seed = 5,
                         .inv_mass = l->inv_mass,
                         .age = l->age,
                         .charge = l->charge,
                         .radius = l->radius,
                         .serial = l->serial,
                         .tags = l->tags,
                         .scratch = l->scratch};
    for (int i = 0; i < 3; ++i) {
        b.position[i] = l->x[i];
        b.velocity[i] = l->v[i];
        b.air[i] = l->air[i];
        b.acceleration[i] = l->a[i];
    }
    return b;
}

/* Scattered within about two metres, all different. */
static inline void lab_scatter(lab* l)
{
    for (int i = 0; i < LAB; ++i) {
        l->inv_mass[i] = 1 / (1 + 0.1 * i);
        l->age[i] = 0.1 * i;
        l->charge[i] = 0.5 - 0.03 * i;
        l->radius[i] = 0.01;
        l->serial[i] = (uint64_t)(100 + i);
        for (int k = 0; k < 3; ++k) {
            l->x[k][i] = 2 * kin_sin(1 + 1.7 * i + 2.3 * k);
            l->v[k][i] = kin_cos(2 + 2.9 * i + 1.1 * k);
        }
    }
}

static inline void lab_begin(test* t, lab* l, kin_simd simd)
{
    memset(l, 0, sizeof *l);
    l->count = LAB;
    kin_fields_init(&l->fields, &t->allocator, simd);
    lab_scatter(l);
}
static inline void lab_end(lab* l) { kin_fields_term(&l->fields); }

static inline kin_result lab_add(lab* l, const char* kind, const void* def, kin_error* error)
{
    uint32_t index;
    return kin_fields_add(&l->fields, kin_field_named(kind), def, &index, error);
}

/* One point alone. */
static inline void lab_one(lab* l, kin_vec3 x, kin_vec3 v)
{
    l->count = 1;
    l->inv_mass[0] = 1;
    l->age[0] = 0;
    const double at[3] = {x.x, x.y, x.z}, by[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; ++k) {
        l->x[k][0] = at[k];
        l->v[k][0] = by[k];
    }
}

static inline kin_vec3 lab_vec(double (*lanes)[LAB], int i) { return kin_v(lanes[0][i], lanes[1][i], lanes[2][i]); }

static inline void lab_evaluate(lab* l)
{
    kin_field_batch b = lab_batch(l);
    kin_fields_evaluate(&l->fields, &b);
}

/* The acceleration of one point at a place. */
static inline kin_vec3 lab_at(lab* l, kin_vec3 x, kin_vec3 v)
{
    lab_one(l, x, v);
    lab_evaluate(l);
    return lab_vec(l->a, 0);
}

static inline kin_vec3 lab_air_at(lab* l, kin_vec3 x)
{
    lab_one(l, x, kin_v(0, 0, 0));
    lab_evaluate(l);
    return lab_vec(l->air, 0);
}

/* Symplectic and of order 2, for forces that do not ask for velocities. */
static inline void lab_verlet(lab* l, double h)
{
    lab_evaluate(l);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < l->count; ++i) {
            l->v[k][i] += 0.5 * h * l->a[k][i];
            l->x[k][i] += h * l->v[k][i];
        }
    }
    l->time += h;
    lab_evaluate(l);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < l->count; ++i) l->v[k][i] += 0.5 * h * l->a[k][i];
    }
}

/* Asks what is done after a step whose new velocities are given. */
static inline void lab_after(lab* l, double h)
{
    kin_field_batch b = lab_batch(l);
    kin_field_after after = {
        .batch = &b, .h = h, .velocity = {l->new_v[0], l->new_v[1], l->new_v[2]}, .carried = {l->carried[0], l->carried[1], l->carried[2]}};
    kin_fields_after(&l->fields, &after);
}

/* A step under constant gravity with all that is done after it. */
static inline void lab_step(lab* l, double h)
{
    const double g[3] = {l->fields.gravity.x, l->fields.gravity.y, l->fields.gravity.z};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < l->count; ++i) l->new_v[k][i] = l->v[k][i] + h * g[k];
    }
    lab_after(l, h);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < l->count; ++i) {
            l->x[k][i] += h * l->carried[k][i];
            l->v[k][i] = l->new_v[k][i];
        }
    }
    for (int i = 0; i < l->count; ++i) l->age[i] += h;
    l->time += h;
}

/* Everything a field does to the scattered points has the same bits at every width; and does something. */
static inline void lab_same_bits(test* t, const char* kind, const void* def)
{
    static lab l, first;
    for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
        lab_begin(t, &l, (kin_simd)simd);
        EQUAL(t, lab_add(&l, kind, def, NULL), KIN_OK);
        memcpy(l.new_v, l.v, sizeof l.v);
        lab_evaluate(&l);
        lab_after(&l, 0.25);
        lab_end(&l);
        if (simd == 0) first = l;
        CHECK(t, memcmp(first.a, l.a, sizeof l.a) == 0 && memcmp(first.air, l.air, sizeof l.air) == 0);
        CHECK(t, memcmp(first.new_v, l.new_v, sizeof l.new_v) == 0 && memcmp(first.carried, l.carried, sizeof l.carried) == 0);
        bool still = true;
        for (int i = 0; i < LAB; ++i) {
            still = still && kin_length(lab_vec(l.a, i)) == 0 && kin_length(lab_vec(l.air, i)) == 0;
            still = still && kin_distance(lab_vec(l.new_v, i), lab_vec(l.v, i)) == 0 && kin_distance(lab_vec(l.carried, i), lab_vec(l.v, i)) == 0;
        }
        CHECK(t, !still);
    }
}
