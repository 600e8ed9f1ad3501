/* phases.c - the fluids of a tank, by name and number. */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/sph/face.h"
#include <stdio.h>
#include <string.h>

enum { MOST_PHASES = 256 }; /* their number is a byte */

static kin_result check_phase(const kin_birth* birth, const kin_sph_phase_def* all, size_t i, kin_error* error)
{
    char where[40];
    const kin_sph_phase_def* p = &all[i];
    if (p->fluid != NULL && kin_fluid_preset_find(p->fluid) < 0) {
        const char* nearest = kin_fluid_preset_nearest(p->fluid);
        snprintf(where, sizeof where, "phases[%zu].fluid", i);
        return kin_fail(error, KIN_ERROR_ARGUMENT, where, "there is no fluid \"%.60s\"%s%s", p->fluid, nearest != NULL ? "; did you mean " : "",
                        nearest != NULL ? nearest : "");
    }
    if (p->material.index1 >= birth->materials->count) {
        snprintf(where, sizeof where, "phases[%zu].material", i);
        return kin_fail(error, KIN_ERROR_ARGUMENT, where, "there is no material %u", p->material.index1);
    }
    return KIN_OK;
}

static kin_result check_names(const kin_sph_phase_def* all, size_t count, kin_error* error)
{
    for (size_t i = 1; i < count; ++i) {
        for (size_t k = 0; k < i; ++k) {
            if (strcmp(all[i].name, all[k].name) != 0) continue;
            char where[40];
            snprintf(where, sizeof where, "phases[%zu].name", i);
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "phases[%zu] is called \"%.60s\" already", k, all[k].name);
        }
    }
    return KIN_OK;
}

static kin_sph_phase phase_of(const kin_sph* f, const kin_sph_phase_def* p)
{
    return (kin_sph_phase){.density = (float)p->density,
                           .mass = (float)(p->density * (double)f->volume),
                           .viscosity = (float)(p->viscosity / p->density),
                           .tension = (float)p->tension,
                           .diffusivity = (float)(p->conductivity / (p->density * p->heat_capacity)),
                           .expansion = (float)p->expansion,
                           .spreads = p->matter == KIN_SPH_GASEOUS,
                           .loose = p->matter == KIN_SPH_SAND};
}

/* Into the tank's own def, resolved: a clone made from it is the same. */
kin_result kin_sph_make_phases(kin_sph* f, const kin_birth* birth, const kin_sph_def* def, kin_error* error)
{
    const kin_sph_phase_def plain = kin_sph_phase_def_default();
    const kin_sph_phase_def* from = def->phases.count > 0 ? def->phases.data : &plain;
    size_t count = def->phases.count > 0 ? def->phases.count : 1;
    if (count > MOST_PHASES) return kin_fail(error, KIN_ERROR_LIMIT, "phases", "%zu are more than %d", count, MOST_PHASES);
    kin_sph_phase_def* own = kin_arena_take(&f->arena, kin_bytes(count, sizeof *own));
    f->phases = kin_arena_take(&f->arena, kin_bytes(count, sizeof *f->phases));
    if (own == NULL || f->phases == NULL) return kin_fail_memory(error, "phases", kin_bytes(count, sizeof *own));
    for (size_t i = 0; i < count; ++i) {
        kin_result result = check_phase(birth, from, i, error);
        if (result != KIN_OK) return result;
        own[i] = from[i];
        kin_sph_phase_resolve(&own[i]);
        f->phases[i] = phase_of(f, &own[i]);
    }
    f->phase_count = (uint32_t)count;
    f->def.phases.data = own;
    f->def.phases.count = count;
    return check_names(own, count, error);
}

kin_result kin_sph_find_phase(const kin_sph* f, const char* name, const char* where, uint8_t* out, kin_error* error)
{
    *out = 0;
    if (name == NULL) return KIN_OK;
    const char* names[MOST_PHASES];
    for (uint32_t i = 0; i < f->phase_count; ++i) {
        names[i] = f->def.phases.data[i].name;
        *out = (uint8_t)i;
        if (strcmp(names[i], name) == 0) return KIN_OK;
    }
    const char* nearest = kin_text_nearest(name, names, (int)f->phase_count);
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "there is no phase \"%.60s\"%s%s", name, nearest != NULL ? "; did you mean " : "",
                    nearest != NULL ? nearest : "");
}
