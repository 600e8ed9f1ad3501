/* deviations.c - numbers that deviate anew in every step (Coutinho 3.7.2: a parameter is drawn about its mean for each interval), not once at birth.
 *
 * The value at birth is the mean; the deviation is the kind's. A draw is a function of seed, system, serial and step, so that it depends neither on threads nor on
 * where a run was resumed. Curves over age scale mean and deviation alike. */
#include "base/error.h"
#include "domains/particles/meet.h"
#include "system/curve.h"
#include <stdio.h>
#include <string.h>

enum { EACH_STEP = 0x40000000 /* tick of the key: births and splits have lower ones */, DRAW_RADIUS = 0, DRAW_MASS, DRAW_CHARGE };

static const char* const each_names[] = {"radius", "mass", "charge", "restitution", "static_friction", "dynamic_friction"};
enum { EACH_COUNT = sizeof each_names / sizeof *each_names };

static double deviation_of(const kin_particle_kind* k, int what)
{
    const double of[EACH_COUNT] = {
        k->radius[1], k->mass[1], k->charge[1], k->restitution_deviation, k->static_friction_deviation, k->dynamic_friction_deviation};
    return of[what];
}

kin_result kin_kind_each_step(const kin_particle_kind* def, size_t index, uint32_t* out, kin_error* error)
{
    char path[96];
    *out = 0;
    for (size_t i = 0; i < def->each_step.count; ++i) {
        int what = 0;
        snprintf(path, sizeof path, "kinds[%zu].each_step[%zu]", index, i);
        while (what < EACH_COUNT && strcmp(each_names[what], def->each_step.data[i]) != 0) ++what;
        if (what == EACH_COUNT)
            return kin_fail(error, KIN_ERROR_ARGUMENT, path, "\"%.80s\" must be radius, mass, charge, restitution, static_friction or dynamic_friction",
                            def->each_step.data[i]);
        if (deviation_of(def, what) == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "%s has no deviation", each_names[what]);
        *out |= 1u << what;
    }
    snprintf(path, sizeof path, "kinds[%zu].each_step", index);
    for (size_t s = 0; (*out & KIN_EACH_MASS) != 0 && s < def->splits.count; ++s) {
        if (def->splits.data[s].into == NULL)
            return kin_fail(error, KIN_ERROR_ARGUMENT, path, "mass cannot deviate in every step: splits[%zu] shares it out", s);
    }
    return KIN_OK;
}

kin_result kin_particles_check_deviations(const kin_particles* p, const kin_particle_group* group, const char* path, kin_error* error)
{
    const kin_kind* kind = &p->kinds[kin_particles_kind_named(p, group->kind)];
    if ((kind->each_step & KIN_EACH_MASS) == 0 || group->mass > kind->def->mass[1]) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, path, "mass, %g kg, must be more than the %g by which its kind lets it deviate in each step", group->mass,
                    kind->def->mass[1]);
}

static double about(const kin_rng_key* key, uint32_t draw, double mean, double deviation, double low)
{
    return kin_rng_about(key, draw, (const double[2]){mean, deviation}, low);
}

static void deviate_surface(kin_particles* p, size_t i, const kin_kind* kind, const kin_rng_key* key)
{
    double* of[3] = {&p->surface[i].restitution, &p->surface[i].static_friction, &p->surface[i].dynamic_friction};
    for (int c = 0; c < 3; ++c) {
        int what = EACH_COUNT - 3 + c;
        if ((kind->each_step & 1u << what) != 0) *of[c] = about(key, (uint32_t)what, 0, deviation_of(kind->def, what), -1e300);
    }
}

/* What is at rest is looked at again, and integrators that remember forces begin anew. */
static void deviate_one(kin_particles* p, size_t i, const kin_kind* kind, const kin_rng_key* key, double age)
{
    const kin_particle_kind* def = kind->def;
    if ((kind->each_step & KIN_EACH_RADIUS) != 0) {
        double factor = kin_curve_at(&def->size, kin_particle_variable(p, i, kind->size_over, age), 1);
        p->radius[i] = factor * about(key, DRAW_RADIUS, (double)p->first_radius[i], def->radius[1], 0);
    }
    if ((kind->each_step & KIN_EACH_MASS) != 0) {
        double factor = kin_curve_at(&def->weight, kin_kind_phase(kind, age, (double)p->life[i]), 1);
        p->mass[i] = factor * about(key, DRAW_MASS, (double)p->first_mass[i], def->mass[1], 0);
    }
    if ((kind->each_step & KIN_EACH_CHARGE) != 0) p->charge[i] = about(key, DRAW_CHARGE, (double)p->first_charge[i], def->charge[1], -1e300);
    if (p->surface != NULL) deviate_surface(p, i, kind, key);
    p->resting[i] = 0;
    p->flags[i] |= KIN_PARTICLE_TOUCHING | KIN_PARTICLE_FRESH;
    if (p->meetings != NULL && i < p->meetings->capacity) p->meetings->calm[i] = (kin_calm){0};
}

void kin_particles_deviate(kin_particles* p, uint64_t seed, uint32_t system, uint64_t step, double time)
{
    uint32_t any = 0;
    for (size_t k = 0; k < p->kind_count; ++k) any |= p->kinds[k].each_step;
    for (size_t i = 0; any != 0 && i < p->count; ++i) {
        const kin_kind* kind = &p->kinds[p->kind[i]];
        kin_rng_key key = {.seed = seed, .serial = p->serial[i], .step = step, .system = system, .tick = EACH_STEP};
        if (kind->each_step != 0 && (p->flags[i] & KIN_PARTICLE_DEAD) == 0) deviate_one(p, i, kind, &key, time - p->birth[i]);
    }
}
