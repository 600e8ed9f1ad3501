/* many.h - short ways to systems with kinds and emitters, and to what they measure. */
#pragma once
#include "kinema/kinema.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include <stdio.h>
#include <string.h>

typedef struct many {
    kin_particles_def def;
    kin_particle_kind kinds[4];
    kin_emitter_def emitters[4];
    kin_particle_group groups[8];
    kin_split_def splits[4];
    kin_curve_key rates[4];
} many;

/* So many of each, all with their defaults; the caller changes what it likes before many_add. */
static inline void many_begin(many* m, size_t kinds, size_t emitters, size_t groups)
{
    *m = (many){.def = kin_particles_def_default()};
    for (int i = 0; i < 4; ++i) {
        m->kinds[i] = kin_particle_kind_default();
        m->emitters[i] = kin_emitter_def_default();
        m->splits[i] = kin_split_def_default();
    }
    for (int i = 0; i < 8; ++i) m->groups[i] = kin_particle_group_default();
    m->def.kinds.data = m->kinds;
    m->def.kinds.count = kinds;
    m->def.emitters.data = m->emitters;
    m->def.emitters.count = emitters;
    m->def.groups = m->groups;
    m->def.group_count = groups;
}

static inline void many_rate(many* m, size_t emitter, double rate)
{
    m->rates[emitter] = (kin_curve_key){0, {rate}};
    m->emitters[emitter].rate = (kin_curve){&m->rates[emitter], 1, KIN_CURVE_LINEAR};
}

static inline void many_integrator(many* m, const char* name)
{
    for (int i = 0; kin_particles_integrators()[i] != NULL; ++i) {
        if (strcmp(kin_particles_integrators()[i], name) == 0) m->def.integrator = i;
    }
}

static inline kin_system_id many_add(test* t, kin_world* w, const many* m)
{
    kin_system_id id = {0};
    kin_error error = {0};
    kin_result result = kin_particles_create(w, &m->def, &id, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "no particles: %s: %s", error.where, error.message);
    return id;
}

/* The def is refused, at this place and for this reason. */
static inline void many_refused(test* t, int line, const many* m, const char* where, const char* why)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_error error = {0};
    kin_result result = kin_particles_create(w, &m->def, NULL, &error);
    test_check(t, result == KIN_ERROR_ARGUMENT && strcmp(error.where, where) == 0 && strstr(error.message, why) != NULL, __FILE__, line,
               "%d %s: %s, not %s: %s", result, error.where, error.message, where, why);
    kin_world_destroy(w);
}
#define MANY_REFUSED(t, m, where, why) many_refused(t, __LINE__, m, where, why)

static inline double measured(kin_world* w, kin_system_id id, const char* name)
{
    kin_measure list[40];
    size_t count = kin_world_measure(w, id.index1, list, 40);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(list[i].name, name) == 0) return list[i].value;
    }
    return -1e300;
}

static inline size_t alive(kin_world* w, kin_system_id id) { return (size_t)measured(w, id, "count"); }

/* The slot of who has this serial; SIZE_MAX: it is not alive. */
static inline size_t slot_of(kin_world* w, kin_system_id id, uint64_t serial)
{
    kin_particles_view view = kin_particles_state(w, id);
    for (size_t i = 0; i < view.count; ++i) {
        if (view.serial[i] == serial && view.mobility[i] != KIN_MOBILITY_INACTIVE) return i;
    }
    return SIZE_MAX;
}
