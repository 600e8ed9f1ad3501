/* api.c - the public calls (kinema/sph.h). */
#include "domains/sph/face.h"

kin_result kin_sph_create(kin_world* world, const kin_sph_def* def, kin_system_id* out, kin_error* error)
{
    return kin_world_add_system(world, &kin_sph_ops, def->name, def, out, error);
}

kin_sph_view kin_sph_state(const kin_world* world, kin_system_id id)
{
    kin_sph* f = kin_world_system_self(world, id, &kin_sph_ops);
    return (kin_sph_view){.count = f->count,
                          .origin = f->origin,
                          .position = f->x4,
                          .velocity = f->v4,
                          .density = f->density,
                          .pressure = kin_sph_pressures(f),
                          .multiplier = f->k_density,
                          .temperature = f->temperature,
                          .serial = f->serial,
                          .phase = f->phase};
}
